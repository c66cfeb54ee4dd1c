//! The bell: one byte to the terminals of whoever is attached, and to our own.

use std::fs::OpenOptions;
use std::io::Write;
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;

use super::Bells;

const BELL: &[u8] = b"\x07";

impl Bells {
    /// Whether a terminal is attached to one of the tmux servers.
    pub fn has_terminal(&self) -> bool {
        !self.attached().is_empty()
    }

    fn attached(&self) -> Vec<PathBuf> {
        let mut terminals: Vec<PathBuf> = Vec::new();
        for server in &self.servers {
            // One that does not run has nobody attached.
            let listed = server.ask(&["list-clients", "-F", "#{client_tty}"]).unwrap_or_default();
            for line in listed.lines().map(Path::new).filter(|path| path.starts_with("/dev")) {
                if terminals.iter().all(|known| known != line) {
                    terminals.push(line.to_owned());
                }
            }
        }
        terminals
    }
}

pub(super) fn ring(bells: &Bells) -> Result<String, String> {
    let mut terminals = bells.attached();
    terminals.push(PathBuf::from("/dev/tty"));
    let rung = terminals.iter().filter(|terminal| ring_in(terminal)).count();
    match rung {
        0 => Err("no terminal is there to ring in".to_owned()),
        1 => Ok("rang in 1 terminal".to_owned()),
        several => Ok(format!("rang in {several} terminals")),
    }
}

/// Whether it rang: only in what is a terminal, and nothing is waited for.
fn ring_in(terminal: &Path) -> bool {
    let is_device = std::fs::metadata(terminal).is_ok_and(|found| found.file_type().is_char_device());
    // Neither our terminal from now on, nor waited for.
    let flags = (OFlags::NOCTTY | OFlags::NONBLOCK).bits().cast_signed();
    let open = || OpenOptions::new().write(true).custom_flags(flags).open(terminal);
    is_device && open().and_then(|mut open| open.write_all(BELL)).is_ok()
}
