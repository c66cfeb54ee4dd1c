//! The foreign folder: listed in order, read in bounds, never through a symbolic link.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::record::Records;
use super::yaml;

/// A record with its text is smaller; an inbox of ten thousand messages too.
const FILE_BYTES: u64 = 64 * 1024 * 1024;

/// A file of a source.
#[derive(Clone, Debug)]
pub(super) struct File {
    /// From the source's own folder, for people.
    pub(super) shown: String,
    /// Its name without the ending.
    pub(super) stem: String,
    path: PathBuf,
}

/// What people and programs keep records in. Locks and the like are passed over without a word.
const RECORDS: [&str; 6] = ["json", "jsonl", "md", "txt", "yaml", "yml"];
/// Folders below folders that are looked into.
const DEPTH: usize = 4;

/// A folder of a source.
#[derive(Debug)]
pub(super) struct Folder<'p> {
    root: &'p Path,
    /// Files that somebody asked for.
    asked: RefCell<BTreeSet<String>>,
}

impl<'p> Folder<'p> {
    pub(super) fn new(root: &'p Path) -> Self {
        Self { root, asked: RefCell::default() }
    }

    /// One file by its place; nothing where there is none.
    pub(super) fn file(&self, below: &str) -> Option<File> {
        let path = self.root.join(below);
        fs::symlink_metadata(&path).ok()?;
        let stem = path.file_stem()?.to_string_lossy().into_owned();
        self.asked.borrow_mut().insert(below.to_owned());
        Some(File { shown: below.to_owned(), stem, path })
    }

    /// The files of a folder with this ending, by name. A folder that is not there is empty.
    pub(super) fn files(&self, below: &str, ending: &str, records: &mut Records) -> Vec<File> {
        let directory = self.root.join(below);
        let entries = match fs::read_dir(&directory) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Vec::new(),
            Err(error) => {
                records.leave(below, format!("the folder can't be read: {error}"));
                return Vec::new();
            }
        };
        let mut files = Vec::new();
        for entry in entries.flatten() {
            let path = entry.path();
            let name = entry.file_name().to_string_lossy().into_owned();
            // What begins with a dot is half written, or not that system's.
            if name.starts_with('.') || path.extension().is_none_or(|found| found != ending) {
                continue;
            }
            let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
            files.push(File { shown: format!("{below}/{name}"), stem, path });
        }
        files.sort_by(|a, b| a.shown.cmp(&b.shown));
        self.asked.borrow_mut().extend(files.iter().map(|file| file.shown.clone()));
        files
    }

    /// Names the records below these folders that nobody asked for.
    pub(super) fn leave_the_rest(&self, folders: &[&str], records: &mut Records) {
        for below in folders {
            self.leave_below(below, DEPTH, records);
        }
    }

    fn leave_below(&self, below: &str, depth: usize, records: &mut Records) {
        let mut entries: Vec<fs::DirEntry> =
            fs::read_dir(self.root.join(below)).into_iter().flatten().flatten().collect();
        entries.sort_by_key(fs::DirEntry::file_name);
        for entry in entries {
            let name = entry.file_name().to_string_lossy().into_owned();
            let shown = format!("{below}/{name}");
            let is_record =
                entry.path().extension().is_some_and(|found| RECORDS.iter().any(|ending| found == *ending));
            match entry.file_type() {
                Ok(kind) if kind.is_dir() && depth > 0 => self.leave_below(&shown, depth - 1, records),
                Ok(kind)
                    if kind.is_file()
                        && is_record
                        && !name.starts_with('.')
                        && !self.asked.borrow().contains(&shown) =>
                {
                    records.leave(&shown, "nothing is read from a file of this ending in this place");
                }
                _ => {}
            }
        }
    }

    /// The names of everything in the folder itself.
    pub(super) fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.root).into_iter().flatten().flatten();
        let mut names: Vec<String> =
            entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }
}

impl File {
    /// Its text, or why it can't be had.
    pub(super) fn text(&self) -> Result<String, String> {
        let found = fs::symlink_metadata(&self.path).map_err(|error| format!("it can't be read: {error}"))?;
        if !found.is_file() {
            return Err("it is not a regular file".to_owned());
        }
        if found.len() > FILE_BYTES {
            return Err(format!("it has {} bytes; at most {FILE_BYTES} are read", found.len()));
        }
        let mut bytes = Vec::new();
        fs::File::open(&self.path)
            .and_then(|file| file.take(FILE_BYTES).read_to_end(&mut bytes))
            .map_err(|error| format!("it can't be read: {error}"))?;
        // What was damaged on the way is shown as such instead of being lost.
        Ok(String::from_utf8(bytes)
            .unwrap_or_else(|bad| String::from_utf8_lossy(bad.as_bytes()).into_owned()))
    }

    pub(super) fn json(&self) -> Result<Value, String> {
        let text = self.text()?;
        serde_json::from_str(text.trim_start_matches('\u{feff}'))
            .map_err(|error| format!("it is not JSON: {error}"))
    }

    pub(super) fn yaml(&self) -> Result<Value, String> {
        yaml::read(self.text()?.trim_start_matches('\u{feff}'))
    }
}
