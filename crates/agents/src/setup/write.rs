//! Carrying plans out: files are replaced whole, with their mode and owner, and only while they say what was planned on.

use std::fs::{self, OpenOptions};
use std::io::{self, ErrorKind, Write as _};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use super::record::{Record, Records, Use, hash};
use super::strip::Left;
use super::undo::{UndoChange, UndoPlan, stripped};
use super::{Disk, FileChange, Level, Plan, RealDisk};
use crate::profile::Profile;

const FILE_MODE: u32 = 0o644;
const DIRECTORY_MODE: u32 = 0o755;

/// Where it is kept what setup did, and for whom it does it.
#[derive(Clone, Debug)]
pub struct Files {
    /// Of the files of the project.
    pub project: Records,
    /// Of the files of the user.
    pub user: Records,
    /// For whom: the project's directory, or `~`.
    pub place: String,
}

impl Files {
    pub(super) fn of(&self, level: Level) -> &Records {
        match level {
            Level::Project => &self.project,
            Level::User => &self.user,
        }
    }
}

/// A file that was not written, and why.
#[derive(Debug, thiserror::Error)]
#[error("`{}` was not written: {source}", path.display())]
pub struct WriteError {
    /// Which.
    pub path: PathBuf,
    /// Why.
    pub source: io::Error,
}

/// What helps where a file or a directory is not what it should be.
pub(super) const REPAIR: &str = "repair it, or move it away, and run interagent setup again";

impl WriteError {
    /// What helps.
    pub fn hint(&self) -> String {
        let above = self.path.parent().unwrap_or(&self.path).display();
        match self.source.kind() {
            ErrorKind::PermissionDenied => {
                format!("see who may write there: ls -ld '{above}'; then run interagent setup again")
            }
            ErrorKind::ReadOnlyFilesystem => {
                "it is on a file system that is read-only here: run interagent setup again from outside"
                    .to_owned()
            }
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
                "make room on the disk and run interagent setup again".to_owned()
            }
            // Somebody else was there first, and the sentence says so.
            ErrorKind::Other => "look at it and run interagent setup again".to_owned(),
            _ => REPAIR.to_owned(),
        }
    }
}

/// What came of a plan.
#[derive(Debug, Default)]
pub struct Written {
    /// The files that are as planned now.
    pub done: Vec<PathBuf>,
    /// Those that are not.
    pub failed: Vec<WriteError>,
}

impl Written {
    fn add(&mut self, path: &Path, outcome: io::Result<()>) {
        match outcome {
            Ok(()) => self.done.push(path.to_owned()),
            Err(source) => self.failed.push(WriteError { path: path.to_owned(), source }),
        }
    }
}

/// Writes a plan. One file that can't be written keeps no other from it.
pub fn write(
    plan: &Plan,
    files: &Files,
    binary: &Path,
    profiles: &dyn Fn(&str) -> Option<Profile>,
) -> Written {
    let mut written = Written::default();
    for change in &plan.changes {
        written.add(&change.path, write_one(change, plan, files, binary, profiles));
    }
    // Files that are right already are needed by somebody more.
    for piece in
        plan.pieces.iter().filter(|piece| !plan.changes.iter().any(|change| change.path == piece.path))
    {
        let records = files.of(piece.level);
        let Some(mut record) = records.get(&piece.path) else { continue };
        let uses = record.uses.len();
        record.add(Use { profile: piece.profile.clone(), what: piece.what, place: files.place.clone() });
        if record.uses.len() > uses
            && let Err(source) = records.keep(&record)
        {
            written.failed.push(WriteError { path: piece.path.clone(), source });
        }
    }
    written
}

fn write_one(
    change: &FileChange,
    plan: &Plan,
    files: &Files,
    binary: &Path,
    profiles: &dyn Fn(&str) -> Option<Profile>,
) -> io::Result<()> {
    if RealDisk.read(&change.path)? != change.before {
        return Err(io::Error::other("somebody else has changed it meanwhile; run the command again"));
    }
    let records = files.of(change.level);
    let mut record = match (records.get(&change.path), &change.before) {
        (Some(record), Some(before)) if record.is_as_written(before) => record,
        // Others have changed it since: what it would be without us is what to go back to.
        (Some(mut record), Some(before)) => {
            record.original = match stripped(&record, before, profiles) {
                Ok(Left::Text(text)) => Some(text),
                Ok(Left::Nothing) => None,
                Ok(Left::AsItIs) | Err(_) => Some(before.clone()),
            };
            record
        }
        (Some(record), None) => Record { original: None, ..record },
        (None, before) => Record::new(&change.path, before.clone(), binary),
    };
    record.written = hash(&change.after);
    record.binary = binary.to_owned();
    for piece in plan.pieces.iter().filter(|piece| piece.path == change.path) {
        record.add(Use { profile: piece.profile.clone(), what: piece.what, place: files.place.clone() });
    }
    for directory in missing_above(&change.path).into_iter().chain(records.missing_above()) {
        if !record.made.contains(&directory) {
            record.made.push(directory);
        }
    }
    // Kept first: a file of ours that nobody knows of could not be undone.
    records.keep(&record)?;
    let result = change.path.parent().map_or(Ok(()), |above| make_directories(above, DIRECTORY_MODE));
    let result = result.and_then(|()| replace(&change.path, &change.after, FILE_MODE));
    if result.is_err() && change.before.is_none() {
        records.forget(&change.path)?;
    }
    result
}

/// Undoes what was planned to be undone.
pub fn carry_out_undo(plan: &UndoPlan, files: &Files) -> Written {
    let mut written = Written::default();
    let mut made = Vec::new();
    for change in &plan.changes {
        let outcome = undo_one(change, files);
        if outcome.is_ok() && change.remaining.is_empty() {
            made.extend(change.record.made.iter().cloned());
        }
        // What stays as it is was not taken back.
        if outcome.is_err() || change.before != change.after {
            written.add(&change.record.path, outcome);
        }
    }
    // The deepest first; what holds something of others stays.
    made.sort_by_key(|directory| std::cmp::Reverse(directory.components().count()));
    for directory in made {
        if fs::remove_dir(&directory).is_err() {
            files.user.hand_on(&directory);
        }
    }
    written
}

fn undo_one(change: &UndoChange, files: &Files) -> io::Result<()> {
    let (path, records) = (&change.record.path, files.of(change.level));
    if !change.remaining.is_empty() {
        return records.keep(&Record { uses: change.remaining.clone(), ..change.record.clone() });
    }
    if RealDisk.read(path)? != change.before {
        return Err(io::Error::other("somebody else has changed it meanwhile; run the command again"));
    }
    match (&change.before, &change.after) {
        (before, after) if before == after => {}
        (_, Some(text)) => replace(path, text, FILE_MODE)?,
        (_, None) => fs::remove_file(path)?,
    }
    records.forget(path)
}

/// The directories above a file that are not there, the outermost first.
pub(super) fn missing_above(path: &Path) -> Vec<PathBuf> {
    let mut missing: Vec<PathBuf> =
        path.ancestors().skip(1).take_while(|above| !above.exists()).map(Path::to_owned).collect();
    missing.reverse();
    missing
}

/// Makes a directory and those above it, unless they are there.
pub(super) fn make_directories(path: &Path, mode: u32) -> io::Result<()> {
    fs::DirBuilder::new().recursive(true).mode(mode).create(path)
}

/// Replaces a file whole. One that is there keeps its mode, and its owner where we may give it away.
pub(super) fn replace(path: &Path, text: &str, mode: u32) -> io::Result<()> {
    let (Some(directory), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(io::Error::other("it has no name"));
    };
    let earlier = match fs::symlink_metadata(path) {
        Ok(found) if !found.is_file() => return Err(io::Error::other("it is not a regular file")),
        Ok(found) => Some(found),
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    let temporary =
        directory.join(format!(".{}.interagent-{}.tmp", name.to_string_lossy(), std::process::id()));
    let fill = || {
        let mut file = OpenOptions::new().write(true).create_new(true).mode(mode).open(&temporary)?;
        if let Some(earlier) = &earlier {
            let own = file.metadata()?;
            if (own.uid(), own.gid()) != (earlier.uid(), earlier.gid()) {
                // Only root can give a file away; another's file that we may write becomes ours.
                let _ = std::os::unix::fs::fchown(&file, Some(earlier.uid()), Some(earlier.gid()));
            }
            file.set_permissions(fs::Permissions::from_mode(earlier.mode() & 0o7777))?;
        }
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        fs::rename(&temporary, path)
    };
    // A left-over of a process that had our number and died here.
    let _ = fs::remove_file(&temporary);
    let replaced = fill();
    if replaced.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    replaced
}
