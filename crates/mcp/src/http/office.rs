//! Who is being served: a desk for each session, and one for each token that comes without a session.
//!
//! A session belongs to the token that opened it; for any other it does not exist. What nobody uses is given up after a
//! while: clients that end without a word leave their sessions behind.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use interagent_core::refusal::Refusal;
use interagent_core::token::Token;
use interagent_wire::Caller;
use interagent_wire::request::Whoami;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use super::receipt::{Receipt, Visit};
use crate::connection::Facts;
use crate::desk::Desk;
use crate::hub::{Door, Hubs};
use crate::ledger::Ledger;

/// Sessions at once.
const SESSIONS: usize = 256;
/// Sessions of one token. A new one takes the place of the one that was idle longest.
const SESSIONS_OF_ONE: usize = 16;
/// How long a session without a call and without an open stream is kept. A client that comes back later is told that it
/// is gone, and begins a new one.
const IDLE: Duration = Duration::from_secs(30 * 60);

/// Somebody whose token the hub took.
#[derive(Clone, Debug)]
pub(super) struct Guest {
    token: Token,
    /// What tells its owner from any other.
    hash: String,
}

/// Under what a desk is kept.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Key {
    /// A session of the protocol.
    Session(Arc<str>),
    /// The calls of one token that belong to no session.
    Loose(String),
}

#[derive(Debug)]
struct Room {
    owner: String,
    desk: Arc<Desk>,
    ledger: Arc<Ledger>,
    use_: Mutex<Use>,
}

#[derive(Debug)]
struct Use {
    now: usize,
    last: Instant,
}

impl Room {
    /// Since when nobody is in it.
    fn idle_since(&self) -> Option<Instant> {
        let use_ = lock(&self.use_);
        (use_.now == 0).then_some(use_.last)
    }
}

/// Keeps a room in use while it is there.
#[derive(Debug)]
pub(super) struct Stay {
    room: Arc<Room>,
}

impl Stay {
    fn begin(room: Arc<Room>) -> Self {
        lock(&room.use_).now += 1;
        Self { room }
    }

    /// The way of one request to this room's desk.
    pub(super) fn visit(&self, closing: &CancellationToken) -> Visit {
        let (desk, ledger) = (self.room.desk.clone(), self.room.ledger.clone());
        Visit { desk, ledger, receipt: Receipt::new(closing) }
    }
}

impl Drop for Stay {
    fn drop(&mut self) {
        let mut use_ = lock(&self.room.use_);
        use_.now = use_.now.saturating_sub(1);
        use_.last = Instant::now();
    }
}

/// All rooms of one server.
#[derive(Debug)]
pub(super) struct Office {
    hubs: Arc<Hubs>,
    facts: Facts,
    pub(super) closing: CancellationToken,
    rooms: Mutex<HashMap<Key, Arc<Room>>>,
    /// There is a new room, whose time may run out.
    opened: Notify,
}

impl Office {
    pub(super) fn new(door: Arc<dyn Door>, facts: Facts, closing: CancellationToken) -> Self {
        let hubs = Arc::new(Hubs::new(door));
        Self { hubs, facts, closing, rooms: Mutex::default(), opened: Notify::new() }
    }

    /// Asks the hub whose token this is. Blocks.
    pub(super) fn admit(&self, token: Token) -> Result<Guest, Refusal> {
        let caller = Caller { token: Some(token.clone()), ..Caller::default() };
        self.hubs.call(&caller, Whoami {})?;
        Ok(Guest { hash: token.hash().text(), token })
    }

    /// The room of a session, for whoever opened it.
    pub(super) fn session(&self, id: &str, guest: &Guest) -> Option<Stay> {
        let room = lock(&self.rooms).get(&Key::Session(id.into()))?.clone();
        (room.owner == guest.hash).then(|| Stay::begin(room))
    }

    /// The room for calls without a session.
    pub(super) fn loose(&self, guest: &Guest) -> Stay {
        self.open(Key::Loose(guest.hash.clone()), guest)
    }

    /// Opens a room, or finds it.
    pub(super) fn open(&self, key: Key, guest: &Guest) -> Stay {
        let mut rooms = lock(&self.rooms);
        let room = rooms.entry(key).or_insert_with(|| {
            self.opened.notify_one();
            Arc::new(self.room(guest))
        });
        Stay::begin(room.clone())
    }

    fn room(&self, guest: &Guest) -> Room {
        let desk = Arc::new(Desk::over(self.hubs.clone(), self.facts.of_visitor(guest.token.clone())));
        let ledger = Arc::new(Ledger::new(self.hubs.clone()));
        let use_ = Mutex::new(Use { now: 0, last: Instant::now() });
        Room { owner: guest.hash.clone(), desk, ledger, use_ }
    }

    /// Finds a place for one more session: nothing to do, the session that must go for it, or why there is none.
    pub(super) fn place(&self, guest: &Guest) -> Result<Option<Arc<str>>, &'static str> {
        let rooms = lock(&self.rooms);
        let sessions = || {
            rooms.iter().filter_map(|(key, room)| match key {
                Key::Session(id) => Some((id, room)),
                Key::Loose(_) => None,
            })
        };
        let own: Vec<_> = sessions().filter(|(_, room)| room.owner == guest.hash).collect();
        if own.len() >= SESSIONS_OF_ONE {
            let idle = own.iter().filter_map(|(id, room)| Some((room.idle_since()?, *id)));
            let longest = idle.min_by_key(|(since, _)| *since);
            return longest.map(|(_, id)| Some(id.clone())).ok_or("this token has too many sessions");
        }
        if sessions().count() >= SESSIONS { Err("too many sessions are open") } else { Ok(None) }
    }

    /// Gives a room up, and ends what was bound for it. Blocks.
    pub(super) fn leave(&self, key: &Key) {
        let room = lock(&self.rooms).remove(key);
        if let Some(room) = room {
            room.desk.connection.close(&room.desk.hubs);
        }
    }

    /// Those that nobody used for too long.
    pub(super) fn abandoned(&self, now: Instant) -> Vec<Key> {
        let is_over = |room: &Room| room.idle_since().is_some_and(|since| now.duration_since(since) >= IDLE);
        lock(&self.rooms).iter().filter(|(_, room)| is_over(room)).map(|(key, _)| key.clone()).collect()
    }

    /// Sleeps until something may be abandoned.
    pub(super) async fn until_one_may_be_abandoned(&self) {
        let first =
            lock(&self.rooms).values().map(|room| room.idle_since().unwrap_or_else(Instant::now)).min();
        match first {
            Some(since) => tokio::time::sleep_until((since + IDLE).into()).await,
            None => self.opened.notified().await,
        }
    }

    /// Ends everything that was bound.
    pub(super) fn close(&self) {
        let keys: Vec<Key> = lock(&self.rooms).keys().cloned().collect();
        keys.iter().for_each(|key| self.leave(key));
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn office() -> Office {
        let door = || Err(Refusal::unavailable("nothing", "there is no hub in this test"));
        Office::new(Arc::new(door), Facts::default(), CancellationToken::new())
    }

    fn guest(number: u8) -> Guest {
        let token = Token::from_bits([number; 32]);
        Guest { hash: token.hash().text(), token }
    }

    fn key(id: &str) -> Key {
        Key::Session(id.into())
    }

    #[test]
    fn a_session_is_there_only_for_the_token_that_opened_it() {
        let office = office();
        drop(office.open(key("s"), &guest(1)));
        assert!(office.session("s", &guest(1)).is_some());
        assert!(office.session("s", &guest(2)).is_none());
        office.leave(&key("s"));
        assert!(office.session("s", &guest(1)).is_none());
    }

    #[test]
    fn what_nobody_uses_is_given_up_and_what_somebody_uses_is_not() {
        let office = office();
        let stay = office.open(key("used"), &guest(1));
        drop(office.open(key("idle"), &guest(1)));
        drop(office.loose(&guest(1)));
        assert_eq!(office.abandoned(Instant::now()), []);
        let mut gone = office.abandoned(Instant::now() + IDLE);
        gone.sort_by_key(|key| matches!(key, Key::Loose(_)));
        assert_eq!(gone, [key("idle"), Key::Loose(guest(1).hash)]);
        drop(stay);
        assert_eq!(office.abandoned(Instant::now() + IDLE).len(), 3);
    }

    #[test]
    fn there_is_an_end_to_the_sessions_of_one_and_of_all() {
        let office = office();
        let mut stays = Vec::new();
        for number in 0..SESSIONS_OF_ONE {
            assert_eq!(office.place(&guest(1)), Ok(None));
            stays.push(office.open(key(&format!("own-{number}")), &guest(1)));
        }
        assert!(office.place(&guest(1)).is_err(), "all of them are in use");
        stays.remove(3);
        assert_eq!(office.place(&guest(1)), Ok(Some("own-3".into())));
        assert_eq!(office.place(&guest(2)), Ok(None));
        for number in SESSIONS_OF_ONE..SESSIONS {
            drop(office.open(key(&format!("s-{number}")), &guest(3)));
        }
        assert!(office.place(&guest(2)).is_err());
    }
}
