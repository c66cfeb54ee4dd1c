//! Writing below the hub's directory and nowhere else: step by step, through no symbolic link, whole or not at all.
//!
//! Owns what happens to a file that is in the way: ours is replaced, one that was changed by hand is kept beside it, anything
//! else is left alone and named. Only one process writes at a time (see `cursor`), so a temporary file has a fixed name, and
//! what a killed process left of it is simply replaced.

use std::collections::HashMap;
use std::fs::File;
use std::io::Write;
use std::os::fd::OwnedFd;
use std::path::Path;

use rustix::fs::{
    AtFlags, CWD, Dir, FileType, Mode, OFlags, Stat, fstat, linkat, mkdirat, openat, renameat, statat,
    unlinkat,
};
use rustix::io::Errno;

use super::layout::{Folder, Place};
use super::notes;
use super::seal::{self, Form};

const TEMPORARY: &str = ".interagent.tmp";
/// What a file that was changed by hand is called from then on; more of them are counted.
pub(super) const EDITED: &str = ".edited";
/// Changed versions of one file that are kept beside it.
const VERSIONS: u32 = 1_000;
/// How often a file is read again that changes while it is read.
const NOTES_ATTEMPTS: u32 = 10;
/// What is read of a file at once: nearly all of them whole.
const CHUNK: usize = 64 * 1024;
/// Files of one directory that are looked at.
const LISTED: usize = 1_000_000;

const DIRECTORY: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);
/// Members' words are for the owner of the hub, like its database.
const PRIVATE_FILE: Mode = Mode::from_raw_mode(0o600);
const PRIVATE_FOLDER: Mode = Mode::from_raw_mode(0o700);
/// What explains the folder, and what the user writes, is a file of the project like others.
const OPEN_FILE: Mode = Mode::from_raw_mode(0o644);
const OPEN_FOLDER: Mode = Mode::from_raw_mode(0o755);

/// Why a file was not written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Trouble {
    /// From the hub's directory.
    pub(super) path: String,
    pub(super) why: String,
    /// Only this file, or all of them.
    pub(super) extent: Extent,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Extent {
    /// Something else is in the way of this one.
    One,
    /// The disk is full, read-only or failing.
    All,
    /// This process could not; the next one may.
    Now,
}

/// What became of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Put {
    /// It said the same already and was not touched.
    Same,
    Written,
    /// It was changed by hand; the change is kept under this name.
    Kept(String),
    /// It was changed by hand where we write; the change is kept in it, below the line.
    Moved,
}

/// What stands at a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Found {
    Nothing,
    /// A file that says what we wrote into it once.
    Ours(Vec<u8>),
    /// A file that says something else.
    Other(Vec<u8>),
}

/// When a file's content, name or rights last changed, in nanoseconds of the disk's clock. Nobody can set it.
pub(super) type Touched = i64;

/// The hub's directory and those below it, opened once.
#[derive(Debug)]
pub(super) struct Tree {
    hub: OwnedFd,
    open: HashMap<Folder, OwnedFd>,
}

impl Tree {
    /// The hub's own directory may be reached through links: it is what was found.
    pub(super) fn open(hub_dir: &Path) -> Result<Self, Trouble> {
        let opened = openat(CWD, hub_dir, DIRECTORY, Mode::empty());
        let hub = opened.map_err(|why| trouble(&hub_dir.display().to_string(), why))?;
        Ok(Self { hub, open: HashMap::new() })
    }

    fn folder(&mut self, folder: Folder) -> Result<&OwnedFd, Trouble> {
        if folder == Folder::Hub {
            return Ok(&self.hub);
        }
        if !self.open.contains_key(&folder) {
            let opened = walk(&self.hub, folder)?;
            self.open.insert(folder, opened);
        }
        self.open.get(&folder).ok_or_else(|| trouble("", Errno::NOENT))
    }

    /// What stands at a place now.
    pub(super) fn look(&mut self, place: &Place) -> Result<Found, Trouble> {
        let folder = self.folder(place.folder)?;
        let shown = || place.shown();
        // A pipe in its place must not make us wait for a writer.
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let opened = match openat(folder, place.name.as_str(), flags, Mode::empty()) {
            Ok(opened) => opened,
            Err(Errno::NOENT) => return Ok(Found::Nothing),
            Err(why) => return Err(trouble(&shown(), why)),
        };
        let bytes = read(&opened).map_err(|why| trouble(&shown(), why))?;
        let is_ours = place.form().is_some_and(|form| seal::holds(form, &bytes));
        if is_ours {
            return Ok(Found::Ours(bytes));
        }
        must_be_a_file(&opened).map_err(|why| trouble(&shown(), why))?;
        Ok(Found::Other(bytes))
    }

    /// How many bytes stand at a place, without reading them; none where there is no file.
    pub(super) fn size(&mut self, place: &Place) -> u64 {
        let Ok(folder) = self.folder(place.folder) else { return 0 };
        let found = statat(folder, place.name.as_str(), AtFlags::SYMLINK_NOFOLLOW);
        found.ok().and_then(|found| u64::try_from(found.st_size).ok()).unwrap_or(0)
    }

    /// Lets a file say this.
    pub(super) fn put(&mut self, place: &Place, text: &str) -> Result<Put, Trouble> {
        if place.form() == Some(Form::Notes) {
            return self.put_above_notes(place, text);
        }
        let kept = match self.look(place)? {
            Found::Nothing => None,
            Found::Ours(bytes) | Found::Other(bytes) if bytes == text.as_bytes() => return Ok(Put::Same),
            Found::Ours(_) => None,
            Found::Other(_) => Some(self.keep(place)?),
        };
        self.write(place, text.as_bytes())?;
        Ok(kept.map_or(Put::Written, Put::Kept))
    }

    /// Replaces the generated part of a file that people write into.
    fn put_above_notes(&mut self, place: &Place, generated: &str) -> Result<Put, Trouble> {
        let mut found = self.look(place)?;
        for _ in 0..NOTES_ATTEMPTS {
            let joined = match &found {
                Found::Nothing => notes::join(&[], true, generated),
                Found::Ours(bytes) => notes::join(bytes, true, generated),
                Found::Other(bytes) => notes::join(bytes, false, generated),
            };
            if matches!(&found, Found::Ours(bytes) if *bytes == joined.bytes) {
                return Ok(Put::Same);
            }
            self.stage(place, &joined.bytes)?;
            // Somebody may have written below the line since it was read.
            let now = self.look(place)?;
            if now == found {
                self.put_staged(place)?;
                return Ok(if joined.moved { Put::Moved } else { Put::Written });
            }
            found = now;
        }
        let why = "it changes all the time".to_owned();
        Err(Trouble { path: place.shown(), why, extent: Extent::One })
    }

    /// Makes a file that is the user's afterwards, unless there is one.
    pub(super) fn begin(&mut self, place: &Place, text: &str) -> Result<(), Trouble> {
        match self.look(place)? {
            Found::Nothing => self.write(place, text.as_bytes()),
            _ => Ok(()),
        }
    }

    /// Takes a file away. A change by hand is kept, and its name answered.
    pub(super) fn remove(&mut self, place: &Place) -> Result<Option<String>, Trouble> {
        match self.look(place)? {
            Found::Nothing => Ok(None),
            Found::Other(_) => self.keep(place).map(Some),
            Found::Ours(_) => self.delete(place).map(|()| None),
        }
    }

    /// Deletes a file, whatever it says.
    pub(super) fn delete(&mut self, place: &Place) -> Result<(), Trouble> {
        let folder = self.folder(place.folder)?;
        match unlinkat(folder, place.name.as_str(), AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => Ok(()),
            Err(why) => Err(trouble(&place.shown(), why)),
        }
    }

    /// Gives a file another name that nothing has yet: a version that was kept is never overwritten.
    fn keep(&mut self, place: &Place) -> Result<String, Trouble> {
        let folder = self.folder(place.folder)?;
        for version in 1..=VERSIONS {
            let number = if version == 1 { String::new() } else { format!(".{version}") };
            let name = format!("{}{EDITED}{number}", place.name);
            match linkat(folder, place.name.as_str(), folder, name.as_str(), AtFlags::empty()) {
                Ok(()) => {
                    let gone = unlinkat(folder, place.name.as_str(), AtFlags::empty());
                    gone.map_err(|why| trouble(&place.shown(), why))?;
                    return Ok(Place { folder: place.folder, name }.shown());
                }
                Err(Errno::EXIST) => {}
                Err(why) => return Err(trouble(&place.shown(), why)),
            }
        }
        let why = "so many changed versions of it are kept that there is no name left".to_owned();
        Err(Trouble { path: place.shown(), why, extent: Extent::One })
    }

    fn write(&mut self, place: &Place, text: &[u8]) -> Result<(), Trouble> {
        self.stage(place, text)?;
        self.put_staged(place)
    }

    /// Writes the new file beside its place.
    fn stage(&mut self, place: &Place, text: &[u8]) -> Result<(), Trouble> {
        let mode = if place.is_open() { OPEN_FILE } else { PRIVATE_FILE };
        let folder = self.folder(place.folder)?;
        let shown = |why| trouble(&place.shown(), why);
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let made = match openat(folder, TEMPORARY, flags, mode) {
            Err(Errno::EXIST) => {
                unlinkat(folder, TEMPORARY, AtFlags::empty()).map_err(shown)?;
                openat(folder, TEMPORARY, flags, mode)
            }
            made => made,
        };
        File::from(made.map_err(shown)?).write_all(text).map_err(|error| {
            // What is left of a failed attempt is of no use to anybody.
            let _ = unlinkat(folder, TEMPORARY, AtFlags::empty());
            shown(Errno::from_io_error(&error).unwrap_or(Errno::IO))
        })
    }

    /// Puts the new file into its place.
    fn put_staged(&mut self, place: &Place) -> Result<(), Trouble> {
        let folder = self.folder(place.folder)?;
        replace(folder, place.name.as_str()).map_err(|why| {
            let _ = unlinkat(folder, TEMPORARY, AtFlags::empty());
            trouble(&place.shown(), why)
        })
    }

    /// The names of a folder's files, in order; nothing where there is no such folder.
    pub(super) fn names(&mut self, folder: Folder) -> Result<Vec<String>, Trouble> {
        let steps = folder.steps().join("/");
        let opened = self.folder(folder)?;
        let listing = Dir::read_from(opened).map_err(|why| trouble(&steps, why))?;
        let mut names = Vec::new();
        for entry in listing.take(LISTED) {
            let entry = entry.map_err(|why| trouble(&steps, why))?;
            if let Ok(name) = entry.file_name().to_str()
                && !matches!(name, "." | "..")
            {
                names.push(name.to_owned());
            }
        }
        names.sort();
        Ok(names)
    }

    /// When each file of a folder was last changed in any way; what is no file of its own has no such time.
    pub(super) fn touched(&mut self, folder: Folder) -> Result<HashMap<String, Touched>, Trouble> {
        let names = self.names(folder)?;
        let opened = self.folder(folder)?;
        let mut times = HashMap::with_capacity(names.len());
        for name in names {
            if let Ok(stat) = statat(opened, name.as_str(), AtFlags::SYMLINK_NOFOLLOW)
                && FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile
            {
                times.insert(name, changed_at(&stat));
            }
        }
        Ok(times)
    }

    /// What time it is for the disk that the files are on.
    pub(super) fn now(&self) -> Result<Touched, Trouble> {
        let shown = |why| trouble(TEMPORARY, why);
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::TRUNC | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let made = openat(&self.hub, TEMPORARY, flags, PRIVATE_FILE).map_err(shown)?;
        let now = fstat(&made).map(|stat| changed_at(&stat)).map_err(shown);
        unlinkat(&self.hub, TEMPORARY, AtFlags::empty()).map_err(shown)?;
        now
    }

    /// Whether a folder is there, without making it.
    pub(super) fn has(&self, folder: Folder) -> bool {
        folder == Folder::Hub || walk_what_is_there(&self.hub, folder).is_ok()
    }
}

/// Puts the new file in the place of the old one, in one step either way.
///
/// A plain rename over a file makes some file systems write the new one to the disk at once, which takes as long as a
/// commit. What can be written again from the log at any time need not wait for that, and exchanging the two does not.
fn replace(folder: &OwnedFd, name: &str) -> rustix::io::Result<()> {
    #[cfg(any(target_os = "linux", target_vendor = "apple"))]
    {
        use rustix::fs::{RenameFlags, renameat_with};
        if renameat_with(folder, TEMPORARY, folder, name, RenameFlags::EXCHANGE).is_ok() {
            return unlinkat(folder, TEMPORARY, AtFlags::empty());
        }
    }
    renameat(folder, TEMPORARY, folder, name)
}

/// Reads a file. Most are read at once; that it is a file is asked only where that is in doubt.
fn read(file: &OwnedFd) -> rustix::io::Result<Vec<u8>> {
    let (mut bytes, mut filled) = (vec![0; CHUNK], 0);
    loop {
        let number = rustix::io::read(file, &mut bytes[filled..])?;
        filled += number;
        if filled < bytes.len() {
            bytes.truncate(filled);
            return Ok(bytes);
        }
        must_be_a_file(file)?;
        bytes.resize(bytes.len() * 2, 0);
    }
}

fn changed_at(stat: &Stat) -> Touched {
    let nanoseconds = i128::from(stat.st_ctime) * 1_000_000_000 + i128::from(stat.st_ctime_nsec);
    Touched::try_from(nanoseconds).unwrap_or(Touched::MAX)
}

fn must_be_a_file(opened: &OwnedFd) -> rustix::io::Result<()> {
    let is_file = FileType::from_raw_mode(fstat(opened)?.st_mode) == FileType::RegularFile;
    if is_file { Ok(()) } else { Err(Errno::NODEV) }
}

/// Opens a folder that is there: in one step where the system can refuse links by itself.
fn open_at_once(hub: &OwnedFd, folder: Folder) -> Option<OwnedFd> {
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{ResolveFlags, openat2};
        let beneath = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
        openat2(hub, folder.steps().join("/"), DIRECTORY, Mode::empty(), beneath).ok()
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = (hub, folder);
        None
    }
}

fn walk(hub: &OwnedFd, folder: Folder) -> Result<OwnedFd, Trouble> {
    if let Some(opened) = open_at_once(hub, folder) {
        return Ok(opened);
    }
    match walk_what_is_there(hub, folder) {
        Err((Errno::NOENT, _)) => make(hub, folder),
        Err((why, shown)) => Err(trouble(&shown, why)),
        Ok(opened) => Ok(opened),
    }
}

/// Opens a folder step by step; answers else with what hinders it, and where.
fn walk_what_is_there(hub: &OwnedFd, folder: Folder) -> Result<OwnedFd, (Errno, String)> {
    let mut directory: Option<OwnedFd> = None;
    for (number, step) in folder.steps().iter().enumerate() {
        let from = directory.as_ref().unwrap_or(hub);
        let opened = openat(from, *step, DIRECTORY | OFlags::NOFOLLOW, Mode::empty());
        directory = Some(opened.map_err(|why| (why, folder.steps()[..=number].join("/")))?);
    }
    directory.ok_or((Errno::INVAL, String::new()))
}

/// Makes the directories of a folder that are not there.
fn make(hub: &OwnedFd, folder: Folder) -> Result<OwnedFd, Trouble> {
    let mode = if folder == Folder::Shared { OPEN_FOLDER } else { PRIVATE_FOLDER };
    let mut directory: Option<OwnedFd> = None;
    for (number, step) in folder.steps().iter().enumerate() {
        let from = directory.as_ref().unwrap_or(hub);
        let made = match mkdirat(from, *step, mode) {
            Ok(()) | Err(Errno::EXIST) => openat(from, *step, DIRECTORY | OFlags::NOFOLLOW, Mode::empty()),
            Err(why) => Err(why),
        };
        directory = Some(made.map_err(|why| trouble(&folder.steps()[..=number].join("/"), why))?);
    }
    directory.ok_or_else(|| trouble("", Errno::INVAL))
}

/// Says what an error of the system means for a file.
fn trouble(path: &str, why: Errno) -> Trouble {
    let (sentence, extent) = match why {
        Errno::LOOP | Errno::MLINK => ("it is a symbolic link".to_owned(), Extent::One),
        Errno::NOTDIR => ("a part of its path is a symbolic link or no directory".to_owned(), Extent::One),
        Errno::ISDIR | Errno::NOTEMPTY => ("a directory is in its place".to_owned(), Extent::One),
        Errno::NXIO | Errno::NODEV | Errno::AGAIN => ("it is not a regular file".to_owned(), Extent::One),
        Errno::ACCESS | Errno::PERM => ("you may not read or replace it".to_owned(), Extent::One),
        Errno::NOSPC | Errno::DQUOT => ("the disk is full".to_owned(), Extent::All),
        Errno::FBIG => ("a limit on the size of files is reached".to_owned(), Extent::All),
        Errno::ROFS => ("the disk is read-only".to_owned(), Extent::All),
        Errno::MFILE | Errno::NFILE | Errno::NOMEM | Errno::INTR => {
            (std::io::Error::from(why).to_string(), Extent::Now)
        }
        other => (std::io::Error::from(other).to_string(), Extent::All),
    };
    Trouble { path: path.to_owned(), why: sentence, extent }
}
