//! A real terminal around a process: what it prints when a person sits before it.

use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::process::{Child, Command, Stdio};

use rustix::fs::OFlags;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

/// How large a terminal is.
#[derive(Debug, Clone, Copy)]
pub struct Size {
    /// Lines.
    pub rows: u16,
    /// Characters in a line.
    pub columns: u16,
}

/// Runs a command with all three streams on a terminal of this size; answers with its exit code (-1 after a signal)
/// and everything that reached the screen.
pub fn run_on_terminal(mut command: Command, size: Size, typed: &str) -> (i32, String) {
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&master).unwrap();
    unlockpt(&master).unwrap();
    let name = ptsname(&master, Vec::new()).unwrap().into_string().unwrap();
    let window = Winsize { ws_row: size.rows, ws_col: size.columns, ws_xpixel: 0, ws_ypixel: 0 };
    let screen = open(&name);
    tcsetwinsize(&screen, window).unwrap();
    command.stdin(Stdio::from(open(&name))).stdout(Stdio::from(open(&name))).stderr(Stdio::from(open(&name)));
    let mut child = command.spawn().unwrap();
    // Its copies of the terminal must close for the end of the output to be seen.
    drop(command);
    drop(screen);
    let mut master = File::from(master);
    master.write_all(typed.as_bytes()).unwrap();
    let mut shown = Vec::new();
    let mut some = [0; 4096];
    // Linux reports an error, and not an end, when the last writer has left.
    while let Ok(count) = master.read(&mut some) {
        if count == 0 {
            break;
        }
        shown.extend_from_slice(&some[..count]);
    }
    let status = child.wait().unwrap().code().unwrap_or(-1);
    (status, String::from_utf8_lossy(&shown).replace("\r\n", "\n"))
}

/// Starts a command whose standard input is a terminal and whose output is read here. The terminal closes with the first of
/// the pair.
pub(crate) fn on_terminal(mut command: Command) -> (OwnedFd, Child) {
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&master).unwrap();
    unlockpt(&master).unwrap();
    let name = ptsname(&master, Vec::new()).unwrap().into_string().unwrap();
    command.stdin(Stdio::from(open(&name))).stdout(Stdio::piped()).stderr(Stdio::piped());
    (master, command.spawn().unwrap())
}

fn open(name: &str) -> OwnedFd {
    use std::os::unix::fs::OpenOptionsExt;
    let flags = i32::try_from(OFlags::NOCTTY.bits()).unwrap();
    OpenOptions::new().read(true).write(true).custom_flags(flags).open(name).unwrap().into()
}
