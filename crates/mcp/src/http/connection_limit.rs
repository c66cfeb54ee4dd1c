//! Connections that have not shown a token yet, and room for those that have.
//!
//! Connecting costs nothing and proves nothing, so connections without a token have a limit of their own: beyond it, the
//! oldest of them is closed. One that shows a token moves to a place that they can't take.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use http::HeaderValue;
use http::header::CONNECTION;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;

use super::refuse::{self, Answer};
use crate::lock::lock;

/// Connections with a token at once. A client has one for its calls and mostly one for what the server says by itself.
const PLACES: usize = 256;
/// Connections without one.
const UNAUTHENTICATED: usize = 128;
/// How long a connection may take until it has shown a token.
pub(super) const FIRST_TOKEN: Duration = Duration::from_secs(5);

/// The connections of the server, within two limits.
#[derive(Debug)]
pub(super) struct ConnectionLimiter {
    places: Arc<Semaphore>,
    waiting: Mutex<VecDeque<Arc<Unauthenticated>>>,
}

/// A connection that has shown no token.
#[derive(Debug, Default)]
struct Unauthenticated {
    must_leave: CancellationToken,
}

/// One connection.
#[derive(Debug)]
pub(super) struct Presence {
    limiter: Arc<ConnectionLimiter>,
    unauthenticated: Arc<Unauthenticated>,
    place: Mutex<Option<OwnedSemaphorePermit>>,
    answering: AtomicBool,
}

impl Default for ConnectionLimiter {
    fn default() -> Self {
        Self { places: Arc::new(Semaphore::new(PLACES)), waiting: Mutex::default() }
    }
}

impl ConnectionLimiter {
    /// A connection that was just made.
    pub(super) fn enter(self: &Arc<Self>) -> Arc<Presence> {
        let unauthenticated = Arc::new(Unauthenticated::default());
        let mut waiting = lock(&self.waiting);
        if waiting.len() >= UNAUTHENTICATED
            && let Some(first) = waiting.pop_front()
        {
            first.must_leave.cancel();
        }
        waiting.push_back(unauthenticated.clone());
        drop(waiting);
        Arc::new(Presence {
            limiter: self.clone(),
            unauthenticated,
            place: Mutex::default(),
            answering: AtomicBool::new(false),
        })
    }

    fn forget(&self, one: &Arc<Unauthenticated>) {
        lock(&self.waiting).retain(|other| !Arc::ptr_eq(other, one));
    }
}

impl Presence {
    /// It has shown a token that the hub takes.
    pub(super) fn known(&self) -> Result<(), Answer> {
        let mut place = lock(&self.place);
        if place.is_none() {
            let Ok(free) = self.limiter.places.clone().try_acquire_owned() else {
                let mut answer = refuse::busy("too many connections are open");
                answer.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
                return Err(answer);
            };
            *place = Some(free);
            self.limiter.forget(&self.unauthenticated);
        }
        Ok(())
    }

    pub(super) fn is_known(&self) -> bool {
        lock(&self.place).is_some()
    }

    /// Notes that a request is being answered, until the guard is dropped.
    pub(super) fn answer(self: &Arc<Self>) -> Answering {
        self.answering.store(true, Ordering::Relaxed);
        Answering(self.clone())
    }

    pub(super) fn is_answering(&self) -> bool {
        self.answering.load(Ordering::Relaxed)
    }

    /// Waits until it must leave: it showed no token in time, or others came.
    pub(super) async fn must_leave(&self) {
        tokio::select! {
            () = self.unauthenticated.must_leave.cancelled() => {}
            () = tokio::time::sleep(FIRST_TOKEN) => {}
        }
        if self.is_known() {
            std::future::pending::<()>().await;
        }
    }
}

impl Drop for Presence {
    fn drop(&mut self) {
        self.limiter.forget(&self.unauthenticated);
    }
}

/// A request that is being answered.
#[derive(Debug)]
pub(super) struct Answering(Arc<Presence>);

impl Drop for Answering {
    fn drop(&mut self) {
        self.0.answering.store(false, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn oldest_without_token_leaves_when_more_come() {
        let limiter = Arc::new(ConnectionLimiter::default());
        let all: Vec<_> = (0..=UNAUTHENTICATED).map(|_| limiter.enter()).collect();
        let leaves = |one: &Arc<Presence>| one.unauthenticated.must_leave.is_cancelled();
        assert!(leaves(&all[0]) && !all[1..].iter().any(leaves));
        all[1].known().unwrap();
        let _another = limiter.enter();
        assert!(!all[1..].iter().any(leaves), "a known one made room");
    }

    #[test]
    fn places_are_bounded_and_given_back() {
        let limiter = Arc::new(ConnectionLimiter::default());
        let known: Vec<_> = (0..PLACES)
            .map(|_| {
                let one = limiter.enter();
                one.known().unwrap();
                one
            })
            .collect();
        let late = limiter.enter();
        assert_eq!(late.known().unwrap_err().status(), http::StatusCode::SERVICE_UNAVAILABLE);
        assert!(!late.is_known());
        known[0].known().unwrap();
        drop(known);
        late.known().unwrap();
        assert!(late.is_known());
    }
}
