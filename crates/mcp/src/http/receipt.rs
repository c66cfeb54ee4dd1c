//! When an HTTP answer has arrived: its last byte was taken by the system, as over a pipe.
//!
//! The HTTP layer asks a body for its pieces, puts them into a buffer, writes the buffer, and flushes the connection only
//! when nothing is left of it. So a body that ended before a flush is written whole. One that is dropped before its end
//! had a client that left: whoever still works for it stops.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use http_body_util::combinators::BoxBody;
use hyper::rt::{Read, ReadBufCursor, Write};
use tokio_util::sync::CancellationToken;

use super::office::Stay;
use crate::desk::Desk;
use crate::ledger::{Handed, Ledger};

/// One request's way to its agent: whose desk answers, and the receipt for the answer.
#[derive(Clone, Debug)]
pub(crate) struct Visit {
    pub(crate) desk: Arc<Desk>,
    pub(crate) ledger: Arc<Ledger>,
    pub(crate) receipt: Receipt,
}

/// What one answer hands over, until it was written.
#[derive(Clone, Debug)]
pub(crate) struct Receipt {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    /// The client left, or the server ends.
    gone: CancellationToken,
    handed: Mutex<Option<(Arc<Ledger>, Handed)>>,
    /// The stream of the answer tells which of its pieces is the answer, and did not show it yet.
    missing: AtomicBool,
}

impl Receipt {
    pub(super) fn new(closing: &CancellationToken) -> Self {
        let inner =
            Inner { gone: closing.child_token(), handed: Mutex::default(), missing: AtomicBool::new(false) };
        Self { inner: Arc::new(inner) }
    }

    /// Cancelled when nobody is there to get the answer.
    pub(crate) fn gone(&self) -> &CancellationToken {
        &self.inner.gone
    }

    /// The answer will hand something over.
    pub(crate) fn expect(&self, ledger: &Arc<Ledger>, handed: Handed) {
        *lock(&self.inner.handed) = Some((ledger.clone(), handed));
    }

    /// The answer comes in a stream that may end without it, as after a cancellation.
    pub(super) fn is_streamed(&self) {
        self.inner.missing.store(true, Ordering::Relaxed);
    }

    /// The stream has brought the answer itself.
    pub(super) fn came(&self) {
        self.inner.missing.store(false, Ordering::Relaxed);
    }

    fn take(&self) -> Option<(Arc<Ledger>, Handed)> {
        lock(&self.inner.handed).take().filter(|_| !self.inner.missing.load(Ordering::Relaxed))
    }
}

/// What the answers of one connection hand over that were given to the HTTP layer and not flushed yet.
#[derive(Debug, Default)]
pub(super) struct Flushed {
    waiting: Mutex<Vec<(Arc<Ledger>, Handed)>>,
}

impl Flushed {
    fn arrived(&self) {
        for (ledger, handed) in std::mem::take(&mut *lock(&self.waiting)) {
            ledger.written(handed);
        }
    }
}

/// The body of an answer, watched until its end.
pub(super) struct Watched {
    body: BoxBody<Bytes, Infallible>,
    receipt: Receipt,
    flushed: Arc<Flushed>,
    ended: bool,
    /// The session is in use as long as its answer is.
    _stay: Option<Stay>,
}

impl Watched {
    pub(super) fn new(
        body: BoxBody<Bytes, Infallible>,
        receipt: Receipt,
        flushed: Arc<Flushed>,
        stay: Option<Stay>,
    ) -> Self {
        let mut watched = Self { body, receipt, flushed, ended: false, _stay: stay };
        watched.look_for_the_end();
        watched
    }

    /// An answer that hands nothing over: a refusal.
    pub(super) fn of_nobody(body: BoxBody<Bytes, Infallible>, flushed: Arc<Flushed>) -> Self {
        Self::new(body, Receipt::new(&CancellationToken::new()), flushed, None)
    }

    fn look_for_the_end(&mut self) {
        if self.body.is_end_stream() {
            self.end();
        }
    }

    fn end(&mut self) {
        if !self.ended {
            self.ended = true;
            lock(&self.flushed.waiting).extend(self.receipt.take());
        }
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        if !self.ended {
            self.receipt.gone().cancel();
        }
    }
}

impl Body for Watched {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let polled = Pin::new(&mut self.body).poll_frame(context);
        match &polled {
            Poll::Ready(None) => self.end(),
            Poll::Ready(Some(_)) => self.look_for_the_end(),
            Poll::Pending => {}
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// A connection that tells when everything was written.
pub(super) struct Wire<T> {
    stream: T,
    flushed: Arc<Flushed>,
}

impl<T> Wire<T> {
    pub(super) fn new(stream: T, flushed: Arc<Flushed>) -> Self {
        Self { stream, flushed }
    }
}

impl<T: Read + Unpin> Read for Wire<T> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: ReadBufCursor<'_>,
    ) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<T: Write + Unpin> Write for Wire<T> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<std::io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        let polled = Pin::new(&mut self.stream).poll_flush(context);
        if let Poll::Ready(Ok(())) = &polled {
            self.flushed.arrived();
        }
        polled
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[std::io::IoSlice<'_>],
    ) -> Poll<std::io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(context, slices)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
