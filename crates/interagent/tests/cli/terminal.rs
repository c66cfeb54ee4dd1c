//! A terminal for the program, without a person behind it.

use std::io::Read;
use std::process::{Command, Stdio};

use rustix::pty::{OpenptFlags, grantpt, ioctl_tiocgptpeer, openpt, unlockpt};

/// Runs a command with all three streams on one terminal; gives the exit code and what was shown.
pub(crate) fn on_a_terminal(mut command: Command) -> (i32, String) {
    let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&ours).unwrap();
    unlockpt(&ours).unwrap();
    let theirs = || Stdio::from(ioctl_tiocgptpeer(&ours, OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap());
    let mut child = command.stdin(theirs()).stdout(theirs()).stderr(theirs()).spawn().unwrap();
    // The command holds the other end open too.
    drop(command);
    let mut shown = Vec::new();
    // Linux answers with an error, not with an end, once nobody has the other end any more.
    let _ = std::fs::File::from(ours).read_to_end(&mut shown);
    (child.wait().unwrap().code().unwrap_or(-1), String::from_utf8(shown).unwrap().replace("\r\n", "\n"))
}
