//! What setup did to each file: what it said before, and what we wrote. Undoing needs both.

use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::{Disk, RealDisk, What, write};

/// Of the form of these files.
const VERSION: u32 = 1;
/// Originals may hold what only their owner may read.
const RECORD_MODE: u32 = 0o600;
const DIRECTORY_MODE: u32 = 0o700;

/// A piece that a file holds for somebody.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Use {
    /// Which client.
    pub profile: String,
    /// What.
    pub what: What,
    /// For which project; `~` for all of the user's.
    pub place: String,
}

/// What setup did to one file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    pub(super) version: u32,
    /// The file, links followed.
    pub path: PathBuf,
    /// What it said before us; nothing where it was not there.
    pub original: Option<String>,
    /// The hash of what we wrote.
    pub written: String,
    /// The program that was written into it.
    pub binary: PathBuf,
    /// Directories that were made for it.
    pub made: Vec<PathBuf>,
    /// Who needs it.
    pub uses: Vec<Use>,
}

impl Record {
    pub(super) fn new(path: &Path, original: Option<String>, binary: &Path) -> Self {
        let (path, binary) = (path.to_owned(), binary.to_owned());
        Self {
            version: VERSION,
            path,
            original,
            written: String::new(),
            binary,
            made: Vec::new(),
            uses: Vec::new(),
        }
    }

    /// Whether a text is what we wrote.
    pub(super) fn is_as_written(&self, text: &str) -> bool {
        self.written == hash(text)
    }

    /// Adds somebody who needs the file.
    pub(super) fn add(&mut self, new: Use) {
        if !self.uses.contains(&new) {
            self.uses.push(new);
        }
    }
}

/// The records of one directory.
#[derive(Clone, Debug)]
pub struct Records {
    directory: PathBuf,
    /// Where the files must lie, where the records come with a project: whoever made it may have put them there.
    within: Option<PathBuf>,
}

impl Records {
    /// The user's own, in a directory that need not be there yet.
    pub fn at(directory: PathBuf) -> Self {
        Self { directory, within: None }
    }

    /// Those of a project: records of files outside of it do not count.
    pub fn of_project(directory: PathBuf, project: &Path) -> Self {
        let within = project.canonicalize().unwrap_or_else(|_| project.to_owned());
        Self { directory, within: Some(within) }
    }

    /// All that can be read, in the order of their files.
    pub fn all(&self) -> Vec<Record> {
        let Ok(entries) = std::fs::read_dir(&self.directory) else { return Vec::new() };
        let mut all: Vec<Record> = entries.flatten().filter_map(|entry| self.read(&entry.path())).collect();
        all.sort_by(|one, other| one.path.cmp(&other.path));
        all
    }

    /// That of one file.
    pub fn get(&self, path: &Path) -> Option<Record> {
        self.read(&self.file(path)).filter(|record| record.path == path)
    }

    /// Keeps a record in the place of an earlier one.
    pub(super) fn keep(&self, record: &Record) -> io::Result<()> {
        write::make_directories(&self.directory, DIRECTORY_MODE)?;
        let text = serde_json::to_string_pretty(record).map_err(io::Error::other)?;
        write::replace(&self.file(&record.path), &text, RECORD_MODE)
    }

    /// Forgets one; and the directory with the last.
    pub(super) fn forget(&self, path: &Path) -> io::Result<()> {
        match std::fs::remove_file(self.file(path)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        // Fails while another record is in it, or anything else in what is above.
        if std::fs::remove_dir(&self.directory).is_ok()
            && let Some(above) = self.directory.parent()
        {
            let _ = std::fs::remove_dir(above);
        }
        Ok(())
    }

    fn read(&self, file: &Path) -> Option<Record> {
        let mut record: Record = serde_json::from_str(&std::fs::read_to_string(file).ok()?).ok()?;
        if let Some(project) = &self.within {
            // Also through a link on the way it must not leave the project.
            let is_inside =
                record.path.starts_with(project) && RealDisk.target(&record.path).ok()? == record.path;
            if !is_inside {
                return None;
            }
            record.made.retain(|directory| directory.starts_with(project));
        }
        (record.version == VERSION).then_some(record)
    }

    fn file(&self, path: &Path) -> PathBuf {
        let name = &hash(&path.to_string_lossy())[..16];
        self.directory.join(format!("{name}.json"))
    }
}

/// The hash by which a text is known again.
pub(super) fn hash(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}
