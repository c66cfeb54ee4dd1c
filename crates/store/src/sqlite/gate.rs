//! The fair writer gate: an advisory lock on a side file, taken before every write transaction.
//!
//! SQLite's own waiting starves writers under load; the line before this lock does not. Owns taking, limiting, naming
//! the holder and freeing. Knows nothing of transactions.

use std::fs::{File, TryLockError};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::Duration;

use super::files::{Layout, open_side_file};
use super::line::{Line, lock};
use crate::error::{GateHolder, StoreError};
use crate::side::{self, Access};

/// Bytes of the holder's line: a process id, padded, so that a shorter one overwrites a longer one.
const HOLDER_BYTES: usize = 12;

/// After this long in the line one looks whether the gate is free all the same.
const PATIENCE: Duration = Duration::from_secs(1);

/// The gate as one connection sees it. Dropping it frees it.
#[derive(Debug)]
pub(crate) struct Gate {
    path: PathBuf,
    line: Line,
    /// Kept between writes, so that a resident process opens it once. Gone while a helper waits with it.
    idle: Option<File>,
    held: Option<File>,
}

impl Gate {
    pub(crate) fn new(layout: &Layout) -> Self {
        Self { path: layout.gate(), line: Line::new(layout.line()), idle: None, held: None }
    }

    /// Takes the gate, waiting in line for at most `limit`.
    pub(crate) fn acquire(&mut self, limit: Duration) -> Result<(), StoreError> {
        if self.line.is_empty()? && self.try_acquire()? {
            return Ok(());
        }
        let mut left = limit;
        let turn = self.stand_in_line()?;
        loop {
            let patience = PATIENCE.min(left);
            match turn.recv_timeout(patience) {
                Ok(file) => {
                    self.hold(file?);
                    return Ok(());
                }
                // A free gate after this long means that somebody before us in the line is stopped.
                Err(RecvTimeoutError::Timeout) if self.try_acquire()? => return Ok(()),
                Err(RecvTimeoutError::Timeout) if patience == left => {
                    return Err(StoreError::GateHeld { holder: gate_holder(&self.path), waited: limit });
                }
                Err(RecvTimeoutError::Timeout) => left -= patience,
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(StoreError::internal("the thread that waits for the writer gate ended"));
                }
            }
        }
    }

    /// Takes the gate if nobody has it, whoever waits. False when somebody has it.
    pub(crate) fn try_acquire(&mut self) -> Result<bool, StoreError> {
        let file = self.file()?;
        match file.try_lock() {
            Ok(()) => {
                self.hold(file);
                Ok(true)
            }
            Err(TryLockError::WouldBlock) => {
                self.idle = Some(file);
                Ok(false)
            }
            Err(TryLockError::Error(e)) => Err(StoreError::io("lock", &self.path, e)),
        }
    }

    /// Frees the gate; without holding it, does nothing.
    pub(crate) fn release(&mut self) {
        // When unlocking fails, the file is closed instead of kept, and closing frees the lock for certain.
        if let Some(file) = self.held.take()
            && file.unlock().is_ok()
        {
            self.idle = Some(file);
        }
    }

    fn file(&mut self) -> Result<File, StoreError> {
        match self.idle.take() {
            Some(file) => Ok(file),
            None => open_side_file(&self.path, Access::Update),
        }
    }

    fn hold(&mut self, file: File) {
        let line = format!("{:<width$}\n", std::process::id(), width = HOLDER_BYTES - 1);
        // Only the wording of somebody's time-out depends on it: a failure here must not fail the write.
        let _ = file.write_at(line.as_bytes(), 0);
        self.held = Some(file);
    }

    /// A blocking lock cannot be given a time limit, so a helper thread blocks in our place. It owns the file:
    /// if we are gone when it gets the lock, the file is dropped with the message, which frees the lock at once.
    fn stand_in_line(&mut self) -> Result<Receiver<Result<File, StoreError>>, StoreError> {
        let (answer, turn) = sync_channel(1);
        let (line, path, gate) = (self.line.clone(), self.path.clone(), self.file()?);
        std::thread::Builder::new()
            .name("writer gate".to_owned())
            .stack_size(64 * 1024)
            .spawn(move || {
                let _ = answer.send(wait_for_turn(&line, gate, &path));
            })
            .map_err(|e| StoreError::io("wait for", &self.path, e))?;
        Ok(turn)
    }
}

/// Blocks until the gate is ours. The place in line is kept until then: only its holder waits at the gate.
fn wait_for_turn(line: &Line, gate: File, path: &Path) -> Result<File, StoreError> {
    let place = line.join()?;
    if let Some(place) = &place {
        place.wait().map_err(|e| StoreError::io("wait in line for", path, e))?;
    }
    lock(&gate).map_err(|e| StoreError::io("lock", path, e))?;
    Ok(gate)
}

/// Who holds the gate whose file this is; nothing where that can't be told. Where nobody does, who held it last.
pub fn gate_holder(path: &Path) -> Option<GateHolder> {
    #[cfg(feature = "sabotage")]
    if crate::sabotage::is(crate::sabotage::Sabotage::NamelessGate) {
        return None;
    }
    let file = side::open(path, Access::Read).ok()?;
    // Who was stopped between taking the gate and saying so has another's number in the file; the kernel knows.
    let pid = locked_by(&file).or_else(|| written_holder(&file))?;
    Some(GateHolder { pid, stopped: is_stopped(pid) })
}

fn written_holder(file: &File) -> Option<u32> {
    let mut line = [0; HOLDER_BYTES];
    let read = file.read_at(&mut line, 0).ok()?;
    std::str::from_utf8(line.get(..read)?).ok()?.trim().parse().ok()
}

/// The process that has locked a file, where the kernel tells.
#[cfg(target_os = "linux")]
fn locked_by(file: &File) -> Option<u32> {
    use std::os::unix::fs::MetadataExt;

    let about = file.metadata().ok()?;
    let (major, minor) = (rustix::fs::major(about.dev()), rustix::fs::minor(about.dev()));
    let place = format!("{major:02x}:{minor:02x}:{}", about.ino());
    // "1: FLOCK  ADVISORY  WRITE 4711 fd:01:1234 0 EOF"; who only waits has an arrow before its kind.
    std::fs::read_to_string("/proc/locks").ok()?.lines().find_map(|line| {
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        let ["FLOCK", _, "WRITE", pid, of, ..] = words.get(1..)? else { return None };
        // Nobody's number is one that is not seen from here.
        pid.parse().ok().filter(|pid| *of == place && *pid != 0)
    })
}

#[cfg(not(target_os = "linux"))]
fn locked_by(_file: &File) -> Option<u32> {
    None
}

#[cfg(target_os = "linux")]
fn is_stopped(pid: u32) -> bool {
    // "pid (name) S ...": the name may hold anything, the state follows its last parenthesis.
    std::fs::read_to_string(format!("/proc/{pid}/stat"))
        .ok()
        .and_then(|stat| Some(stat.rsplit_once(')')?.1.trim_start().starts_with(['T', 't'])))
        .unwrap_or(false)
}

#[cfg(not(target_os = "linux"))]
fn is_stopped(_pid: u32) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_waiter_that_was_stopped_in_the_line_holds_nobody_up() {
        let dir = tempfile::tempdir().unwrap();
        let layout = Layout::new(dir.path()).unwrap();
        let _stopped = Line::new(layout.line()).join().unwrap().unwrap();
        let mut gate = Gate::new(&layout);
        gate.acquire(Duration::from_secs(20)).unwrap();
        let mut other = Gate::new(&layout);
        assert!(!other.try_acquire().unwrap());
        gate.release();
        assert!(other.try_acquire().unwrap());
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn who_had_no_time_to_say_that_it_holds_the_gate_is_named_all_the_same() {
        let dir = tempfile::tempdir().unwrap();
        let layout = Layout::new(dir.path()).unwrap();
        let named = || gate_holder(&layout.gate()).map(|holder| holder.pid);
        let gate = open_side_file(&layout.gate(), Access::Update).unwrap();
        gate.write_at(b"1          \n", 0).unwrap();
        assert_eq!(named(), Some(1), "nobody has it: what was written last");
        gate.lock().unwrap();
        assert_eq!(named(), Some(std::process::id()));
    }
}
