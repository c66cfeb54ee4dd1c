//! Starting a wake beside the process that sent: without a supervisor nobody else would.

use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};

/// The program's name. Whatever else runs this code, a test for one, starts nothing.
const PROGRAM: &str = "interagent";

/// Starts `interagent wake` for an agent and does not wait for it. Where that fails, the mail waits for the next prompt.
pub(crate) fn wake(agent: &str, hub_dir: &Path) {
    let Ok(program) = std::env::current_exe() else { return };
    if program.file_name().is_none_or(|name| name != PROGRAM) {
        return;
    }
    let mut command = Command::new(program);
    command.arg("--hub").arg(hub_dir).args(["wake", "--", agent]);
    // Whoever wakes is not the sender: neither its agent nor its session.
    command.env_remove("INTERAGENT_AGENT").env_remove("INTERAGENT_SESSION");
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
    if let Ok(mut child) = command.spawn() {
        // A server outlives it and has to take its end; whoever ends sooner leaves that to the system.
        let _ = std::thread::Builder::new().spawn(move || child.wait());
    }
}
