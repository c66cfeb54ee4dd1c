//! Starting a wake beside the process that sent: without a supervisor nobody else would.

use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

use interagent_wire::Waker;

/// Starts `interagent wake` for an agent and does not wait for it. Where that fails, the mail waits for the next prompt.
pub(crate) fn wake(agent: &str, waker: &Waker) {
    let mut command = Command::new(&waker.program);
    command.arg("--hub").arg(&waker.hub_dir).args(["wake", "--collect", "--", agent]);
    // Whoever wakes is not the sender: neither its agent nor its session.
    command.env_remove("INTERAGENT_AGENT").env_remove("INTERAGENT_SESSION");
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
    if let Ok(mut child) = command.spawn() {
        // A server outlives it and has to take its end; whoever ends sooner leaves that to the system.
        let _ = std::thread::Builder::new().spawn(move || child.wait());
    }
}
