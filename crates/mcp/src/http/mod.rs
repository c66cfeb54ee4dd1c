//! The server over HTTP, for clients that connect instead of starting a process of their own.
//!
//! One process serves many agents. Each shows its token with every request and is that agent; everything else is as over
//! standard input and output. Only this machine is served.

mod address;
mod connection_limit;
mod door;
mod office;
mod origin;
mod receipt;
mod refuse;
mod sessions;

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::signal::unix::{SignalKind, signal};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::connection::Facts;
use crate::hub::Door;

pub use address::HttpAddress;
pub(crate) use receipt::{Receipt, Visit};

use connection_limit::{ConnectionLimiter, Presence};
use door::FrontDoor;
use office::Office;
use receipt::{Flushed, Wire};

/// How long a request's head may take, and a connection may be idle.
const HEAD_TIME: Duration = Duration::from_secs(30);
/// A request's head, and what is written ahead of a client that reads slowly.
const BUFFER_BYTES: usize = 64 * 1024;
/// How long answers that are ready may take to be written once we are told to end.
const LAST_WORDS: Duration = Duration::from_millis(300);
/// How long nobody is let in when the system has no room for another connection.
const NO_ROOM: Duration = Duration::from_millis(100);

/// A server that has its address.
#[derive(Debug)]
pub struct HttpServer {
    listener: TcpListener,
    address: SocketAddr,
}

impl HttpServer {
    /// Takes the address. From now on clients can connect; they are served by [`HttpServer::serve`].
    pub fn bind(address: HttpAddress) -> io::Result<Self> {
        let listener = TcpListener::bind(address.socket())?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        Ok(Self { listener, address })
    }

    /// Where clients find it.
    pub fn url(&self) -> String {
        format!("http://{}{}", self.address, door::PATH)
    }

    /// Serves clients until we are told to end. What was bound for them is ended then.
    pub fn serve(self, door: impl Door, facts: Facts) -> io::Result<()> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        raise_file_limit();
        let closing = CancellationToken::new();
        let office = Arc::new(Office::new(Arc::new(door), facts, closing.clone()));
        let served = runtime.block_on(run(self, office.clone(), closing));
        // A wait that nobody needs any more may still sleep in its thread.
        runtime.shutdown_background();
        office.close();
        served
    }
}

/// Everybody who waits has files open; the usual limit is for programs that serve nobody. One that can't be raised is met
/// by whoever comes last, with a sentence.
fn raise_file_limit() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let now = getrlimit(Resource::Nofile);
    let _ = setrlimit(Resource::Nofile, Rlimit { current: now.maximum, maximum: now.maximum });
}

async fn run(server: HttpServer, office: Arc<Office>, closing: CancellationToken) -> io::Result<()> {
    let listener = tokio::net::TcpListener::from_std(server.listener)?;
    let front = Arc::new(FrontDoor::new(server.address, office.clone()));
    let mut ends =
        [signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?, signal(SignalKind::hangup())?];
    let [terminate, interrupt, hangup] = &mut ends;
    let limiter = Arc::new(ConnectionLimiter::default());
    let mut connections = JoinSet::new();
    let sweeping = tokio::spawn({
        let front = front.clone();
        async move { front.sweep().await }
    });
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            // Taken out as they end, so that the list does not grow.
            Some(_) = connections.join_next() => continue,
            _ = terminate.recv() => break,
            _ = interrupt.recv() => break,
            _ = hangup.recv() => break,
        };
        let Ok((stream, _)) = accepted else {
            tokio::time::sleep(NO_ROOM).await;
            continue;
        };
        // Answers are small and waited for.
        let _ = stream.set_nodelay(true);
        connections.spawn(serve_connection(stream, limiter.enter(), front.clone(), closing.clone()));
    }
    // Nobody waits any longer; answers that are ready are still written.
    closing.cancel();
    let _ =
        tokio::time::timeout(LAST_WORDS, async { while connections.join_next().await.is_some() {} }).await;
    connections.shutdown().await;
    sweeping.abort();
    Ok(())
}

fn builder() -> http1::Builder {
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(HEAD_TIME).max_buf_size(BUFFER_BYTES);
    builder
}

async fn serve_connection(
    stream: tokio::net::TcpStream,
    presence: Arc<Presence>,
    front: Arc<FrontDoor>,
    closing: CancellationToken,
) {
    let flushed = Arc::new(Flushed::default());
    let wire = Wire::new(TokioIo::new(stream), flushed.clone());
    let caller = presence.clone();
    let service = service_fn(move |request| {
        let (front, flushed, caller) = (front.clone(), flushed.clone(), caller.clone());
        async move {
            let _answering = caller.answer();
            Ok::<_, std::convert::Infallible>(front.answer(request, &caller, flushed).await)
        }
    });
    let connection = builder().serve_connection(wire, service);
    tokio::pin!(connection);
    // How a connection ended changes nothing: what was not written was not delivered.
    tokio::select! {
        _ = connection.as_mut() => return,
        () = closing.cancelled() => connection.as_mut().graceful_shutdown(),
        // A request that is on its way in gets its answer.
        () = presence.must_leave() => match presence.is_answering() {
            true => connection.as_mut().graceful_shutdown(),
            false => return,
        },
    }
    let _ = connection.await;
}
