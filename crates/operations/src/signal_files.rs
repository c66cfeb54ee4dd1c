//! Signal files on this machine: put, removed, cleared, for every surface alike.
//!
//! Owns the care that a file in somebody's working tree needs. Below the workspace no symbolic link is followed at any
//! step, nothing that is there is overwritten, git sees none of it, and whatever goes wrong stays here: the message is
//! committed, and the file was only a hint.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::{AsFd, OwnedFd};

use interagent_core::event::Micros;
use interagent_core::ids::MessageId;
use interagent_core::limits;
use interagent_core::signal::{self, Place, Signal, is_path_from_root};
use interagent_wire::LocalEffect;
use rustix::fs::{
    AtFlags, CWD, Dir, FileType, Mode, OFlags, Stat, linkat, mkdirat, openat, statat, unlinkat,
};
use rustix::io::{Errno, Result};

use crate::{detached, workspace};

/// Keeps the files out of `git status` without touching a file of the project, itself included.
const IGNORE_FILE: &str = ".gitignore";
const IGNORED: &str = "*.signal\n.gitignore\n";
/// What the names of files end with while they are written.
const DRAFT: &str = ".new.signal";
/// Of an ignore file that somebody else wrote, so much is read.
const IGNORE_FILE_BYTES: u64 = 16 * 1024;

const DIRECTORY: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);
/// Only its owner reads who writes to whom about what.
const PRIVATE_FILE: Mode = Mode::RUSR.union(Mode::WUSR);
const PRIVATE_DIRECTORY: Mode = Mode::RWXU;
/// `.claude` is a directory of the project like others.
const SHARED_DIRECTORY: Mode = Mode::from_raw_mode(0o755);

/// Carries out what replies left to do on this machine, as well as it can. Call it after the answer was written.
pub fn carry_out(effects: &[LocalEffect]) {
    for effect in effects {
        // A directory that is gone, full, read-only or not what it should be: then there is no breadcrumb.
        let _ = match effect {
            LocalEffect::PutSignal { place, signal } => put(place, signal),
            LocalEffect::RemoveSignals { place, messages } => {
                remove(place, |message, _| messages.contains(message))
            }
            LocalEffect::Wake { agent, with } => {
                if let Some(waker) = with {
                    detached::wake(agent, waker);
                }
                Ok(())
            }
            LocalEffect::Notify { with } => {
                if let Some(waker) = with {
                    detached::notify(waker);
                }
                Ok(())
            }
            LocalEffect::ClearSignals { place, at } => {
                remove(place, |_, modified| signal::is_left_over(modified, *at))
            }
        };
    }
}

fn put(place: &Place, signal: &Signal) -> Result<()> {
    let directory = open(place, Missing::Make)?;
    let there = files(&directory, place)?.len();
    if there >= limits::SIGNAL_FILES || !is_out_of_gits_sight(&directory)? {
        return Ok(());
    }
    let name = signal.file_name(&place.agent);
    match write_new(&directory, &name, &signal.line()) {
        // The same call again.
        Err(Errno::EXIST) => Ok(()),
        written => written,
    }
}

/// Removes those of the agent's files that are over, by their message and when they were written.
fn remove(place: &Place, is_over: impl Fn(&MessageId, Micros) -> bool) -> Result<()> {
    let directory = open(place, Missing::Leave)?;
    for (name, message) in files(&directory, place)? {
        let Ok(found) = statat(&directory, name.as_str(), AtFlags::SYMLINK_NOFOLLOW) else { continue };
        // Only what we could have made: a link or a directory of that name is somebody else's.
        let is_file = FileType::from_raw_mode(found.st_mode) == FileType::RegularFile;
        if is_file && is_over(&message, modified(&found)) {
            match unlinkat(&directory, name.as_str(), AtFlags::empty()) {
                Ok(()) | Err(Errno::NOENT) => {}
                Err(error) => return Err(error),
            }
        }
    }
    Ok(())
}

fn modified(found: &Stat) -> Micros {
    let below_a_second = i64::try_from(found.st_mtime_nsec).unwrap_or_default() / 1_000;
    found.st_mtime.saturating_mul(1_000_000).saturating_add(below_a_second)
}

/// What to do about a directory that is not there.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Missing {
    Make,
    Leave,
}

/// Opens the directory of a place step by step. The workspace itself may be reached through links: it is what was registered.
fn open(place: &Place, missing: Missing) -> Result<OwnedFd> {
    if !is_path_from_root(&place.workspace) {
        return Err(Errno::INVAL);
    }
    let mut directory = openat(CWD, place.workspace.as_str(), DIRECTORY, Mode::empty())?;
    // One that was registered before this was asked gets nothing either.
    if missing == Missing::Make && !workspace::is_ours(&directory, &place.workspace) {
        return Err(Errno::PERM);
    }
    for (step, mode) in place.corner.steps().into_iter().zip([SHARED_DIRECTORY, PRIVATE_DIRECTORY]) {
        let opened = openat(&directory, step, DIRECTORY | OFlags::NOFOLLOW, Mode::empty());
        directory = match opened {
            Err(Errno::NOENT) if missing == Missing::Make => {
                match mkdirat(&directory, step, mode) {
                    Ok(()) | Err(Errno::EXIST) => {}
                    Err(error) => return Err(error),
                }
                openat(&directory, step, DIRECTORY | OFlags::NOFOLLOW, Mode::empty())?
            }
            opened => opened?,
        };
    }
    Ok(directory)
}

/// The agent's files in a directory, and the message of each. A directory that holds too much is left alone.
fn files(directory: &OwnedFd, place: &Place) -> Result<Vec<(String, MessageId)>> {
    let mut files = Vec::new();
    for (number, entry) in Dir::read_from(directory)?.enumerate() {
        if number >= limits::SIGNAL_DIRECTORY_FILES {
            return Err(Errno::TOOBIG);
        }
        let entry = entry?;
        if let Ok(name) = entry.file_name().to_str()
            && let Some(message) = place.message_of(name)
        {
            files.push((name.to_owned(), message));
        }
    }
    Ok(files)
}

/// Makes sure that git does not show our files. An ignore file of somebody else is left as it is, and must do the same.
fn is_out_of_gits_sight(directory: &OwnedFd) -> Result<bool> {
    match write_new(directory, IGNORE_FILE, IGNORED) {
        Ok(()) => return Ok(true),
        Err(Errno::EXIST) => {}
        Err(error) => return Err(error),
    }
    // A pipe in its place must not make us wait for a writer.
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = File::from(openat(directory, IGNORE_FILE, flags, Mode::empty())?);
    if !file.metadata().is_ok_and(|found| found.is_file()) {
        return Ok(false);
    }
    let mut text = Vec::new();
    let read = file.take(IGNORE_FILE_BYTES).read_to_end(&mut text);
    let hides = |line: &str| matches!(line.trim_end(), "*" | "*.signal");
    Ok(read.is_ok() && String::from_utf8_lossy(&text).lines().any(hides))
}

/// Makes a file that was not there, whole or not at all: written under another name first, because one that was torn by a
/// crash would stay.
fn write_new(directory: impl AsFd, name: &str, text: &str) -> Result<()> {
    // Nobody else's, and like every name of ours out of git's sight.
    let draft = format!(".{}{DRAFT}", std::process::id());
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let _ = unlinkat(&directory, draft.as_str(), AtFlags::empty());
    let mut file = File::from(openat(&directory, draft.as_str(), flags, PRIVATE_FILE)?);
    let written = match file.write_all(text.as_bytes()) {
        Ok(()) => linkat(&directory, draft.as_str(), &directory, name, AtFlags::empty()),
        Err(_) => Err(Errno::IO),
    };
    unlinkat(&directory, draft.as_str(), AtFlags::empty())?;
    written
}
