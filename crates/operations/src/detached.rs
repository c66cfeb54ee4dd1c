//! Starting a wake or a notification beside the process that recorded something: without a supervisor nobody else would.

use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

use interagent_wire::Waker;

/// Starts `interagent wake` for an agent and does not wait for it. Where that fails, the mail waits for the next prompt.
pub(crate) fn wake(agent: &str, waker: &Waker) {
    start(waker, &["wake", "--collect", "--", agent]);
}

/// Starts `interagent notify` for what is due and does not wait for it. Where that fails, the next one tells of it too.
pub(crate) fn notify(waker: &Waker) {
    start(waker, &["notify", "--due", "--unattended"]);
}

fn start(waker: &Waker, words: &[&str]) {
    let mut command = Command::new(&waker.program);
    command.arg("--hub").arg(&waker.hub_dir).args(words);
    // It acts for nobody: neither for the caller's agent nor for its session.
    command.env_remove("INTERAGENT_AGENT").env_remove("INTERAGENT_SESSION");
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
    if let Ok(mut child) = command.spawn() {
        // A server outlives it and has to take its end; whoever ends sooner leaves that to the system.
        let _ = std::thread::Builder::new().spawn(move || child.wait());
    }
}
