//! The server on standard input and output, as clients start it.

use std::io;
use std::sync::Arc;

use rmcp::service::ServiceExt;
use rmcp::transport::stdio_pipes;
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

use crate::connection::Facts;
use crate::desk::Desks;
use crate::hub::Door;
use crate::ledger::Ledger;
use crate::server::Server;
use crate::transport::Lines;

/// Serves one client until it leaves or we are told to. What was bound for it is ended then.
pub fn serve_stdio(door: impl Door, facts: Facts) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let desks = Arc::new(Desks::new(Arc::new(door), facts));
    let ledger = Arc::new(Ledger::new(desks.hubs()));
    let served = runtime.block_on(serve(desks.clone(), ledger.clone()));
    // A wait that nobody needs any more may still sleep in its thread.
    runtime.shutdown_background();
    ledger.confirm();
    desks.close();
    served
}

async fn serve(desks: Arc<Desks>, ledger: Arc<Ledger>) -> io::Result<()> {
    let closing = CancellationToken::new();
    let (read, write) = stdio_pipes();
    let lines = Lines::new(read, write, ledger.clone(), closing.clone());
    let server = Server::new(desks, ledger, closing.clone());
    let mut ends =
        [signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?, signal(SignalKind::hangup())?];
    let [terminate, interrupt, hangup] = &mut ends;
    let service = async {
        // A client that leaves before it began wanted nothing: that is no failure.
        if let Ok(running) = server.serve(lines).await {
            let _ = running.waiting().await;
        }
    };
    tokio::pin!(service);
    tokio::select! {
        () = &mut service => return Ok(()),
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
        _ = hangup.recv() => {}
    }
    // Answers that are ready are still written.
    closing.cancel();
    service.await;
    Ok(())
}
