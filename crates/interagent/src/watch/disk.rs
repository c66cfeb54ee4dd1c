//! What is on the disk now of all that is watched: metadata of files, branches, hooks. No program is started.

use std::collections::{BTreeMap, VecDeque};
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use interagent_core::decide::lease::{has_wildcards, overlap};
use interagent_core::guard::branch_fits;
use interagent_core::guard::own::HOOKS;
use interagent_core::guard::watch::{Snapshot, Stamp, Why};
use interagent_core::limits::{WATCHED_BRANCHES, WATCHED_FILES};

use super::{Watched, index};
use crate::config::git;
use crate::config::trees::real_path;

/// Where branches begin.
const HEADS: &str = "refs/heads";

/// The stamp of a file; none where it is no file.
pub(super) fn stamp(path: &Path) -> Option<Stamp> {
    let found = fs::symlink_metadata(path).ok().filter(|found| !found.is_dir())?;
    let nanoseconds = |seconds: i64, rest: i64| seconds.saturating_mul(1_000_000_000).saturating_add(rest);
    Some(Stamp {
        modified_ns: nanoseconds(found.mtime(), found.mtime_nsec()),
        changed_ns: nanoseconds(found.ctime(), found.ctime_nsec()),
        bytes: found.len(),
        inode: found.ino(),
    })
}

/// Everything that is watched, as it is now.
pub(super) fn look(watched: &Watched) -> Snapshot {
    let mut snapshot = Snapshot::default();
    let team = watched.hub_dir.join("team.toml");
    add(&mut snapshot, &team, Why::Hub);
    for root in &watched.trees {
        for (glob, holder, id) in &watched.leases {
            let why = Why::Leased { holder: holder.clone(), id: id.clone() };
            for path in files_of(root, glob) {
                add(&mut snapshot, &path, why.clone());
            }
        }
    }
    for root in &watched.trees {
        let Some((git_dir, common)) = git::directories_at(root).ok().flatten() else { continue };
        let configured = git::configured_hooks(&common, root);
        snapshot.hooks_path = configured.as_ref().map(|path| path.display().to_string()).unwrap_or_default();
        for hooks in configured.into_iter().chain([common.join("hooks")]) {
            HOOKS.iter().for_each(|hook| add(&mut snapshot, &hooks.join(hook), Why::Hook));
        }
        snapshot.branches.extend(branches(&common, &watched.branches));
        let here = head(&git_dir).filter(|name| watched.branches.iter().any(|fits| branch_fits(fits, name)));
        if let Some(branch) = here {
            for path in index::differing(root, &git_dir) {
                add(&mut snapshot, &path, Why::OnBranch { branch: branch.clone() });
            }
        }
    }
    snapshot
}

/// Looks also at what was watched before and was not found now: it may be gone, or no longer be watched.
pub(super) fn add_missing(snapshot: &mut Snapshot, before: &Snapshot) {
    for (path, (why, _)) in &before.files {
        // One that git knows and that is as git has it is not looked at.
        if !matches!(why, Why::OnBranch { .. }) {
            snapshot.files.entry(path.clone()).or_insert_with(|| (why.clone(), stamp(Path::new(path))));
        }
    }
}

fn add(snapshot: &mut Snapshot, path: &Path, why: Why) {
    if snapshot.files.len() >= WATCHED_FILES {
        return;
    }
    if let Some(name) = path.to_str() {
        snapshot.files.entry(name.to_owned()).or_insert_with(|| (why, stamp(path)));
    }
}

/// The files that a glob covers below a root. One that is named need not exist.
fn files_of(root: &Path, glob: &str) -> Vec<PathBuf> {
    let fixed: Vec<&str> = glob.split('/').take_while(|part| !has_wildcards(part)).collect();
    let begin = root.join(fixed.join("/"));
    if fixed.len() == glob.split('/').count() && !begin.is_dir() {
        return vec![begin];
    }
    let mut found = Vec::new();
    let mut waiting = VecDeque::from([begin]);
    let mut looked = 0;
    while let Some(directory) = waiting.pop_front() {
        let Ok(entries) = fs::read_dir(&directory) else { continue };
        for entry in entries.flatten() {
            looked += 1;
            if looked > WATCHED_FILES {
                return found;
            }
            let path = entry.path();
            let Some(inside) = path.strip_prefix(root).ok().and_then(Path::to_str) else { continue };
            match entry.file_type() {
                Ok(kind) if kind.is_dir() && entry.file_name() != ".git" => waiting.push_back(path),
                Ok(kind) if !kind.is_dir() && overlap(inside, glob) => found.push(path),
                _ => {}
            }
        }
    }
    found
}

/// The branch that is checked out.
fn head(git_dir: &Path) -> Option<String> {
    let bytes = git::read_bounded(&git_dir.join("HEAD")).ok()?;
    let text = String::from_utf8_lossy(bytes.trim_ascii()).into_owned();
    Some(text.strip_prefix("ref: refs/heads/")?.to_owned())
}

/// Branches that fit one of these patterns, and their commits.
fn branches(common: &Path, patterns: &[String]) -> BTreeMap<String, String> {
    let mut found = packed(common, "refs/heads/");
    let mut waiting = VecDeque::from([common.join(HEADS)]);
    while let Some(directory) = waiting.pop_front().filter(|_| !patterns.is_empty()) {
        for entry in fs::read_dir(&directory).into_iter().flatten().flatten().take(WATCHED_BRANCHES) {
            let path = entry.path();
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                waiting.push_back(path);
                continue;
            }
            let name = path.strip_prefix(common.join(HEADS)).ok().and_then(Path::to_str).map(str::to_owned);
            let id = git::read_bounded(&path).ok();
            if let Some((name, id)) = name.zip(id).filter(|(name, _)| !name.ends_with(".lock")) {
                found.insert(name, String::from_utf8_lossy(id.trim_ascii()).into_owned());
            }
        }
    }
    found.retain(|name, _| patterns.iter().any(|pattern| branch_fits(pattern, name)));
    found
}

/// References that git keeps in one file, below a prefix.
fn packed(common: &Path, prefix: &str) -> BTreeMap<String, String> {
    let text = git::read_bounded(&common.join("packed-refs")).unwrap_or_default();
    let text = String::from_utf8_lossy(&text).into_owned();
    let line = |line: &str| {
        let (id, name) = line.split_once(' ')?;
        Some((name.strip_prefix(prefix)?.to_owned(), id.to_owned()))
    };
    text.lines().filter_map(line).collect()
}

/// Whether some remote has a branch of this name at this commit.
pub(super) fn is_at_remote(root: &Path, name: &str, id: &str) -> bool {
    let Some((_, common)) = git::directories_at(root).ok().flatten() else { return false };
    let remotes = fs::read_dir(common.join("refs/remotes")).into_iter().flatten().flatten();
    let loose = remotes.take(WATCHED_BRANCHES).any(|remote| {
        let read = git::read_bounded(&real_path(&remote.path().join(name)));
        read.is_ok_and(|at| at.trim_ascii() == id.as_bytes())
    });
    let in_file = || {
        let fits = |full: &str| full.split_once('/').is_some_and(|(_, own)| own == name);
        packed(&common, "refs/remotes/").iter().any(|(full, at)| at == id && fits(full))
    };
    !id.is_empty() && (loose || in_file())
}
