//! When an HTTP answer has arrived: its last byte was taken by the system, as over a pipe.
//!
//! The HTTP layer asks a body for its pieces, puts them into a buffer, writes the buffer, and flushes the connection only
//! when nothing is left of it. So a body that ended before a flush is written whole. One that is dropped before its end
//! had a client that left: whoever still works for it stops.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use http_body_util::combinators::BoxBody;
use hyper::rt::{Read, ReadBufCursor, Write};
use tokio_util::sync::CancellationToken;

use super::office::Stay;
use crate::desk::Desk;
use crate::ledger::{Handed, Ledger};
use crate::lock::lock;

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
    waiting: Mutex<Vec<Written>>,
}

/// An answer that the HTTP layer has whole.
#[derive(Debug)]
struct Written {
    handed: Option<(Arc<Ledger>, Handed)>,
    /// Until it is flushed nobody else has its room: what is offered there would be taken once more.
    stay: Option<Stay>,
}

impl Flushed {
    fn arrived(&self) {
        for Written { handed, stay } in std::mem::take(&mut *lock(&self.waiting)) {
            if let Some((ledger, handed)) = handed {
                ledger.written(handed);
            }
            drop(stay);
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
    stay: Option<Stay>,
}

impl Watched {
    pub(super) fn new(
        body: BoxBody<Bytes, Infallible>,
        receipt: Receipt,
        flushed: Arc<Flushed>,
        stay: Option<Stay>,
    ) -> Self {
        let mut watched = Self { body, receipt, flushed, ended: false, stay };
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
            let written = Written { handed: self.receipt.take(), stay: self.stay.take() };
            lock(&self.flushed.waiting).push(written);
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

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;
    use std::time::Duration;

    use http_body_util::{BodyExt, Full};
    use hyper::server::conn::http1;
    use hyper::service::service_fn;
    use hyper_util::rt::TokioIo;
    use interagent_core::refusal::Refusal;
    use interagent_operations::{Hub, WaitFor, Waited};
    use interagent_wire::answer::ChangedView;
    use interagent_wire::{Caller, Reply, Request, SCHEMA};
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::*;
    use crate::hub::{Hubs, Resident};
    use crate::ledger::Brings;

    /// A hub that counts what is confirmed.
    struct Counting(Arc<AtomicUsize>);

    impl Hub for Counting {
        fn call(&mut self, _: &Caller, request: Request) -> Result<Reply, Refusal> {
            assert_eq!(request.name(), "offer.confirm");
            self.0.fetch_add(1, Ordering::SeqCst);
            let changed = ChangedView { changed: Vec::new(), unchanged: Vec::new() };
            Ok(Reply {
                schema: SCHEMA,
                seq: 0,
                answer: changed.into(),
                effects: Vec::new(),
                unchanged: None,
                notes: Vec::new(),
            })
        }

        fn wait(&mut self, _: &Caller, _: &WaitFor, _: Duration) -> Result<Waited, Refusal> {
            Ok(Waited::TimeOver)
        }
    }

    impl Resident for Counting {
        fn upkeep(&mut self) {}
    }

    /// One answer of this length over a connection that holds little, to a client that reads so many bytes of it and then
    /// waits or leaves. Gives what was confirmed then, and whether the answer's work was told that nobody is there.
    fn confirmed(length: usize, read: usize, leaves: bool) -> (usize, bool) {
        let count = Arc::new(AtomicUsize::new(0));
        let counting = count.clone();
        let door = move || Ok(Box::new(Counting(counting.clone())) as Box<dyn Resident>);
        let ledger = Arc::new(Ledger::new(Arc::new(Hubs::new(Arc::new(door)))));
        let receipt = Receipt::new(&CancellationToken::new());
        let handed = Handed { caller: Caller::default(), brings: Brings::Offered(vec!["msg-1".to_owned()]) };
        receipt.expect(&ledger, handed);
        let gone = receipt.gone().clone();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async move {
            let (mut client, server) = tokio::io::duplex(64);
            let flushed = Arc::new(Flushed::default());
            let wire = Wire::new(TokioIo::new(server), flushed.clone());
            let service = service_fn(move |_| {
                let body = Full::new(Bytes::from(vec![b'x'; length])).boxed();
                let watched = Watched::new(body, receipt.clone(), flushed.clone(), None);
                async move { Ok::<_, Infallible>(http::Response::new(watched)) }
            });
            tokio::spawn(http1::Builder::new().serve_connection(wire, service));
            client.write_all(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n").await.unwrap();
            let mut taken = vec![0; read];
            client.read_exact(&mut taken).await.unwrap();
            let client = (!leaves).then_some(client);
            tokio::time::sleep(Duration::from_millis(200)).await;
            drop(client);
        });
        (count.load(Ordering::SeqCst), gone.is_cancelled())
    }

    #[test]
    fn an_answer_is_delivered_when_its_last_byte_was_written() {
        assert_eq!(confirmed(10, 50, false), (1, false), "the rest fits into the connection");
        assert_eq!(confirmed(10, 10, false), (0, false), "a few bytes of it are still here");
        assert_eq!(confirmed(10_000, 5_000, false), (0, false), "half of it is still here");
        assert_eq!(confirmed(10_000, 5_000, true).0, 0, "half of it was never written");
        assert_eq!(confirmed(10_000, 10_050, false), (1, false), "and so does that of a long one");
    }

    #[test]
    fn a_stream_that_ended_without_the_answer_delivers_nothing() {
        let take = |prepare: fn(&Receipt)| {
            let receipt = Receipt::new(&CancellationToken::new());
            let door = || Err(Refusal::unavailable("nothing", "there is no hub in this test"));
            let ledger = Arc::new(Ledger::new(Arc::new(Hubs::new(Arc::new(door)))));
            prepare(&receipt);
            receipt.expect(
                &ledger,
                Handed { caller: Caller::default(), brings: Brings::Read("msg-1".to_owned()) },
            );
            receipt.take().is_some()
        };
        assert!(take(|_| {}), "no stream, so the body is the answer");
        assert!(!take(Receipt::is_streamed), "cancelled before it came");
        assert!(take(|receipt| {
            receipt.is_streamed();
            receipt.came();
        }));
    }
}
