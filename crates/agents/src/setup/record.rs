//! What setup did to each file: what it said before, and what we wrote. Undoing needs both.

use std::io;
use std::path::{Component, Path, PathBuf};

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

impl Use {
    /// Whether the project it is for is no longer there: then nobody needs it.
    pub(super) fn is_gone(&self) -> bool {
        let place = Path::new(&self.place);
        place.is_absolute() && !place.exists()
    }
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
    /// Of a project: where its files must lie, and what they are told from.
    project: Option<Bounds>,
}

/// Where the files of a project's records lie.
#[derive(Clone, Debug)]
struct Bounds {
    /// Where they must lie: whoever made the project may have put records there.
    within: PathBuf,
    /// What moves with the hub: below it paths are kept without it, so that they hold where the project is moved to.
    root: PathBuf,
}

impl Bounds {
    fn kept(&self, path: &Path) -> PathBuf {
        match path.strip_prefix(&self.root) {
            Ok(inside) if inside.as_os_str().is_empty() => PathBuf::from("."),
            Ok(inside) => inside.to_owned(),
            Err(_) => path.to_owned(),
        }
    }

    fn meant(&self, kept: &Path) -> PathBuf {
        if kept == Path::new(".") { self.root.clone() } else { self.root.join(kept) }
    }

    /// Also through a link on the way it must not leave the project.
    fn holds(&self, path: &Path) -> bool {
        let climbs = path.components().any(|step| step == Component::ParentDir);
        let is_straight = RealDisk.target(path).is_ok_and(|target| target == path);
        !climbs && is_straight && path.starts_with(&self.within)
    }
}

impl Records {
    /// The user's own, in a directory that need not be there yet.
    pub fn at(directory: PathBuf) -> Self {
        Self { directory, project: None }
    }

    /// Those of a project: records of files outside of it do not count. `root` is what holds the hub; the project may be
    /// another worktree.
    pub fn of_project(directory: PathBuf, project: &Path, root: &Path) -> Self {
        let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
        Self { directory, project: Some(Bounds { within: real(project), root: real(root) }) }
    }

    /// The directories above the records that are not there yet, where they are the user's.
    pub(super) fn missing_above(&self) -> Vec<PathBuf> {
        let own = self.directory.parent().filter(|_| self.project.is_none());
        own.map(write::missing_above).unwrap_or_default()
    }

    /// All that can be read, in the order of their files.
    pub fn all(&self) -> Vec<Record> {
        let Ok(entries) = std::fs::read_dir(&self.directory) else { return Vec::new() };
        let mut all: Vec<Record> = entries.flatten().filter_map(|entry| self.read(&entry.path())).collect();
        all.sort_by(|one, other| one.path.cmp(&other.path));
        all
    }

    /// Every directory that something is recorded for, also those whose records do not count here.
    pub fn places(&self) -> Vec<PathBuf> {
        let mut places: Vec<PathBuf> =
            self.unchecked().flat_map(|record| record.uses).map(place_of).collect();
        places.sort();
        places.dedup();
        places
    }

    /// Drops the records of files whose directory is gone: there is nothing left to undo. Answers with those directories.
    pub fn forget_gone(&self) -> Vec<PathBuf> {
        let gone = self.unchecked().filter(|record| record.uses.iter().all(Use::is_gone));
        let mut places: Vec<PathBuf> = Vec::new();
        for record in gone.filter(|record| !record.path.exists()).collect::<Vec<_>>() {
            if self.forget(&record.path).is_ok() {
                places.extend(record.uses.into_iter().map(place_of));
            }
        }
        places.sort();
        places.dedup();
        places
    }

    /// Every record that can be read, with whole paths. The author of the project may have put them there.
    fn unchecked(&self) -> impl Iterator<Item = Record> + '_ {
        let entries = std::fs::read_dir(&self.directory).into_iter().flatten().flatten();
        entries.filter_map(|entry| self.whole(&entry.path()))
    }

    /// That of one file.
    pub fn get(&self, path: &Path) -> Option<Record> {
        self.read(&self.file(path)).filter(|record| record.path == path)
    }

    /// Keeps a record in the place of an earlier one.
    pub(super) fn keep(&self, record: &Record) -> io::Result<()> {
        write::make_directories(&self.directory, DIRECTORY_MODE)?;
        let mut kept = record.clone();
        if let Some(bounds) = &self.project {
            kept.path = bounds.kept(&record.path);
            kept.made = record.made.iter().map(|directory| bounds.kept(directory)).collect();
            for used in &mut kept.uses {
                used.place = bounds.kept(Path::new(&used.place)).to_string_lossy().into_owned();
            }
        }
        let text = serde_json::to_string_pretty(&kept).map_err(io::Error::other)?;
        write::replace(&self.file(&record.path), &text, RECORD_MODE)
    }

    /// A directory that was made for the records themselves goes with the last of them.
    pub(super) fn hand_on(&self, directory: &Path) {
        let rest = self.all().into_iter().next().filter(|_| self.directory.starts_with(directory));
        if let Some(mut record) = rest.filter(|record| !record.made.iter().any(|made| made == directory)) {
            record.made.push(directory.to_owned());
            // Where that can't be noted an empty directory stays.
            let _ = self.keep(&record);
        }
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
        let mut record = self.whole(file)?;
        if let Some(bounds) = &self.project {
            if !bounds.holds(&record.path) {
                return None;
            }
            record.made.retain(|directory| bounds.holds(directory));
        }
        Some(record)
    }

    /// A record with whole paths, wherever they lead.
    fn whole(&self, file: &Path) -> Option<Record> {
        let mut record: Record = serde_json::from_str(&std::fs::read_to_string(file).ok()?).ok()?;
        if let Some(bounds) = &self.project {
            record.path = bounds.meant(&record.path);
            record.made = record.made.iter().map(|directory| bounds.meant(directory)).collect();
            for used in &mut record.uses {
                used.place = bounds.meant(Path::new(&used.place)).to_string_lossy().into_owned();
            }
        }
        (record.version == VERSION).then_some(record)
    }

    fn file(&self, path: &Path) -> PathBuf {
        let kept = self.project.as_ref().map_or_else(|| path.to_owned(), |bounds| bounds.kept(path));
        let name = &hash(&kept.to_string_lossy())[..16];
        self.directory.join(format!("{name}.json"))
    }
}

fn place_of(used: Use) -> PathBuf {
    PathBuf::from(used.place)
}

/// The hash by which a text is known again.
pub(super) fn hash(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}
