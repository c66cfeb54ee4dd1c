//! The place where a database is replaced, because it is damaged or a backup is put back: `state/recovering/`, under the
//! writer gate.
//!
//! Owns the files of that and their order, so that an interrupted one leaves either the damaged database in its
//! place, or none, and running it again goes on. Knows nothing of what is inside the files.

use std::fs::DirBuilder;
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

use interagent_core::store_identity::ObservedStore;

use super::files::{self, Layout};
use super::gate::Gate;
use super::salvage::Salvage;
use super::{OpenMode, SqliteEngine, SqliteOptions, id_files, open};
use crate::engine::KeyFile;
use crate::error::StoreError;
use crate::signing::key_beside;

/// What files are that were put aside, and how the names of their directories begin.
#[derive(Clone, Copy, Debug)]
pub(crate) enum PutAside {
    /// They were damaged, and recovered from.
    Damaged,
    /// A backup took their place, or they held entries that were written again.
    Before,
}

impl PutAside {
    fn word(self) -> &'static str {
        match self {
            Self::Damaged => "damaged",
            Self::Before => "before",
        }
    }

    fn is_of(file_name: &str) -> bool {
        let mut known = [Self::Damaged, Self::Before].into_iter();
        known.any(|what| file_name.strip_prefix(what.word()).is_some_and(|rest| rest.starts_with('-')))
    }
}

/// The directories that earlier files of the store were put into.
pub(crate) fn put_aside(state_dir: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = std::fs::read_dir(state_dir)
        .into_iter()
        .flatten()
        .filter_map(|file| Some(file.ok()?.path()))
        .filter(|path| path.file_name().is_some_and(|name| PutAside::is_of(&name.to_string_lossy())))
        .collect();
    found.sort();
    found
}

/// The database first: while it is missing, nothing takes the rest for a store.
const MOVED: [&str; 7] =
    ["hub.db", "hub.db-wal", "hub.db-shm", "hub.db.new", "search.db", "search.db-wal", "search.db-shm"];

/// A recovery's files, with the writer gate held for as long as this lives.
#[derive(Debug)]
pub(crate) struct Workshop {
    layout: Layout,
    dir: PathBuf,
    _gate: Gate,
}

/// What an earlier, interrupted recovery left.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Left {
    /// Nothing that is of use.
    Nothing,
    /// A finished new database that is not (or not wholly) in its place yet; with what was noted about it.
    Finished(String),
}

impl Workshop {
    /// Takes the gate. No connection of this process may be open to the database.
    pub(crate) fn enter(state_dir: &Path) -> Result<Self, StoreError> {
        let layout = Layout::new(state_dir)?;
        if !layout.has_state_dir()? {
            return Err(StoreError::Absent { state_dir: layout.state_dir });
        }
        files::refuse_unsafe_file_system(&layout.state_dir)?;
        layout.make_dirs()?;
        let mut gate = Gate::new(&layout);
        gate.acquire(SqliteOptions::default().gate_wait)?;
        let dir = layout.state_dir.join("recovering");
        Ok(Self { layout, dir, _gate: gate })
    }

    fn new_dir(&self) -> PathBuf {
        self.dir.join("new")
    }

    fn new_database(&self) -> PathBuf {
        self.new_dir().join("hub.db")
    }

    fn ready(&self) -> PathBuf {
        self.dir.join("ready")
    }

    /// Looks at what an interrupted recovery left. As long as the old database is in its place somebody may have
    /// written to it since, so that what was made from it counts no more.
    pub(crate) fn left(&self) -> Result<Left, StoreError> {
        if !files::exists(&self.ready())? {
            return Ok(Left::Nothing);
        }
        if files::exists(&self.layout.database)? && files::exists(&self.new_database())? {
            return Ok(Left::Nothing);
        }
        let ready = self.ready();
        std::fs::read_to_string(&ready).map(Left::Finished).map_err(|e| StoreError::io("read", ready, e))
    }

    /// The facts that tell a copy, of the database in its place; none where there is no database.
    pub(crate) fn observed(&self) -> Result<Option<ObservedStore>, StoreError> {
        let found = files::look(&self.layout.database)?;
        Ok(found.map(|found| ObservedStore {
            id: id_files::read_store_id(&self.layout.store_id()),
            inode: found.ino(),
            machine: None,
            user: None,
        }))
    }

    /// Copies the damaged files and opens the copy. None where there is nothing that SQLite could read.
    pub(crate) fn salvage(&self) -> Result<Option<Salvage>, StoreError> {
        self.give_up()?;
        for dir in [&self.dir, &self.dir.join("old"), &self.new_dir()] {
            DirBuilder::new().mode(0o700).create(dir).map_err(|e| StoreError::io("create", dir, e))?;
        }
        match self.layout.find_database() {
            Ok(files::Found::Database(_)) => {}
            Ok(files::Found::Nothing) => {
                return Err(StoreError::Absent { state_dir: self.layout.state_dir.clone() });
            }
            Err(StoreError::Gone { .. } | StoreError::Emptied { .. }) => return Ok(None),
            Err(error) => return Err(error),
        }
        let copy = self.dir.join("old").join("hub.db");
        // The log goes second: what a checkpoint moves meanwhile is then in both.
        for (from, to) in [
            (self.layout.database.clone(), copy.clone()),
            (self.layout.wal(), self.dir.join("old").join("hub.db-wal")),
        ] {
            if files::exists(&from)? {
                std::fs::copy(&from, to).map_err(|e| StoreError::io("copy", from, e))?;
            }
        }
        open::refuse_to_recover(&copy, &self.layout)?;
        Salvage::open(&copy, &self.dir.join("old").join("fresh.db"))
    }

    /// Takes away what was made so far.
    pub(crate) fn give_up(&self) -> Result<(), StoreError> {
        if files::exists(&self.dir)? {
            std::fs::remove_dir_all(&self.dir).map_err(|e| StoreError::io("remove", &self.dir, e))?;
        }
        Ok(())
    }

    /// A copy of a database, as the new one, with the log that may stand beside it.
    pub(crate) fn copy_of(&self, database: &Path) -> Result<SqliteEngine, StoreError> {
        self.give_up()?;
        for dir in [&self.dir, &self.new_dir()] {
            DirBuilder::new().mode(0o700).create(dir).map_err(|e| StoreError::io("create", dir, e))?;
        }
        let beside = |path: &Path| {
            let mut log = path.as_os_str().to_owned();
            log.push("-wal");
            PathBuf::from(log)
        };
        let copy = self.new_database();
        copy_new(database, &copy)?;
        // The log goes second: what a checkpoint moves meanwhile is then in both.
        if files::length(&beside(database))? > 0 {
            copy_new(&beside(database), &beside(&copy))?;
        }
        SqliteEngine::open(&self.new_dir(), OpenMode::Existing)
    }

    /// Makes the new database beside the old one.
    pub(crate) fn new_engine(&self) -> Result<SqliteEngine, StoreError> {
        SqliteEngine::open(&self.new_dir(), OpenMode::CreateIfMissing)
    }

    /// Notes that the new database is whole and closed.
    pub(crate) fn finish(&self, note: &str) -> Result<(), StoreError> {
        let ready = self.ready();
        let unfinished = self.dir.join("ready.new");
        std::fs::File::create(&unfinished)
            .and_then(|mut file| file.write_all(note.as_bytes()).and_then(|()| file.sync_all()))
            .and_then(|()| std::fs::rename(&unfinished, &ready))
            .map_err(|e| StoreError::io("write", ready, e))?;
        files::flush_dir(&self.new_dir())?;
        files::flush_dir(&self.dir)
    }

    /// Moves the damaged files away and the new database into place; can be repeated after an interruption.
    pub(crate) fn swap(&self, away: &Path) -> Result<(), StoreError> {
        if files::exists(&self.new_database())? {
            open::leave_marker(&self.layout)?;
            match DirBuilder::new().mode(0o700).create(away) {
                Err(e) if e.kind() != std::io::ErrorKind::AlreadyExists => {
                    return Err(StoreError::io("create", away, e));
                }
                _ => {}
            }
            for name in MOVED {
                let from = self.layout.state_dir.join(name);
                if files::exists(&from)? {
                    let to = away.join(name);
                    std::fs::rename(&from, &to).map_err(|e| StoreError::io("move", from, e))?;
                }
            }
            self.swap_beside(away, Layout::store_id)?;
            self.swap_beside(away, Layout::key)?;
            files::flush_dir(away)?;
            files::flush_dir(&self.layout.state_dir)?;
            std::fs::rename(self.new_database(), &self.layout.database)
                .map_err(|e| StoreError::io("name", &self.layout.database, e))?;
            files::flush_dir(&self.layout.state_dir)?;
        }
        std::fs::remove_dir_all(&self.dir).map_err(|e| StoreError::io("remove", &self.dir, e))
    }

    /// The id and the key go where their database goes. Repeated after an interruption, it finds none to move any more.
    fn swap_beside(&self, away: &Path, place: fn(&Layout) -> PathBuf) -> Result<(), StoreError> {
        let (old, new) = (place(&self.layout), place(&Layout::new(&self.new_dir())?));
        if !files::exists(&new)? {
            return Ok(());
        }
        if let Some(name) = old.file_name().filter(|_| files::exists(&old).unwrap_or(true)) {
            std::fs::rename(&old, away.join(name)).map_err(|e| StoreError::io("move", &old, e))?;
        }
        std::fs::rename(new, &old).map_err(|e| StoreError::io("name", &old, e))
    }

    /// The private key of the replica that was backed up or that was here, for the new database: it proves that the one goes on as the other.
    pub(crate) fn bring_key(&self, backup: Option<&Path>) -> Result<(), StoreError> {
        let beside = backup.map(key_beside).filter(|path| path.exists());
        match id_files::read_key(&beside.unwrap_or_else(|| self.layout.key())) {
            KeyFile::Missing => Ok(()),
            KeyFile::Holds(key) => id_files::write_whole(&Layout::new(&self.new_dir())?.key(), &key.text()),
            KeyFile::Unreadable(detail) => Err(StoreError::Key { detail }),
        }
    }

    /// Where the files of before go: what they are, and when they were moved.
    pub(crate) fn away(&self, what: PutAside, wall_us: i64) -> PathBuf {
        away(&self.layout.state_dir, what, wall_us)
    }
}

/// A free name in a state directory for files that are put aside.
fn away(state_dir: &Path, what: PutAside, wall_us: i64) -> PathBuf {
    let (what, seconds) = (what.word(), wall_us / 1_000_000);
    let name = |n: u32| match n {
        0 => format!("{what}-{seconds}"),
        n => format!("{what}-{seconds}-{n}"),
    };
    // What an earlier recovery saved is never written over.
    let free = (0..1_000).map(|n| state_dir.join(name(n))).find(|place| !place.exists());
    free.unwrap_or_else(|| state_dir.join(name(1_000)))
}

/// Makes the directory for a copy of the store as it is before a change that leaves something out.
pub(crate) fn make_place_aside(state_dir: &Path, wall_us: i64) -> Result<PathBuf, StoreError> {
    let place = away(state_dir, PutAside::Before, wall_us);
    DirBuilder::new().mode(0o700).create(&place).map_err(|e| StoreError::io("create", &place, e))?;
    Ok(place)
}

/// Copies a file into a new one for the owner alone, whoever may read the first.
fn copy_new(from: &Path, to: &Path) -> Result<(), StoreError> {
    files::make_new_file(to)?;
    let copy = || {
        let mut new = std::fs::OpenOptions::new().write(true).open(to)?;
        std::io::copy(&mut std::fs::File::open(from)?, &mut new)?;
        new.sync_all()
    };
    copy().map_err(|e| StoreError::io("copy", from, e))
}
