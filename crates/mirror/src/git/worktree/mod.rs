//! The history as files in the worktree, for teams that commit `.interagent/` with their work.
//!
//! Owns which lines stand in which file. A segment that git knows is never touched again: new lines go to a new one, whose
//! name no other branch uses, so that a checkout is never in the way of another and merges only add. What a pull, a merge
//! or a checkout brought is taken in; what it took away stays in the log, which never goes back in time.

mod ignore;
mod notes;
mod reading;
mod writing;

use std::path::{Path, PathBuf};
use std::time::Duration;

use interagent_core::ids::HubId;
use interagent_core::signature::Seal;
use interagent_core::text::TextHash;
use interagent_store::Store;

pub use self::ignore::{
    ATTRIBUTES, ATTRIBUTES_NAME, IGNORE_NAME, hide_state, ignored_by_git, is_our_ignore_file,
};
use self::notes::{IndexMark, Notes};
use super::disk::{read_file, write_file};
use super::error::GitError;
use super::fork::{Agreed, is_forked, settle};
use super::layout::{LOG, SegmentName};
use super::left_out::LeftOut;
use super::lock::Lock;
use super::run::Git;
use super::seals;
use super::segment;
use super::sync::{Report, add};
use crate::git::intake::Intake;

/// Its being there says that the history is written to files: the one look that a command of another team pays.
const MARKER: &str = "worktree";
/// What a command writes after its answer, at most.
const ENTRIES_AT_ONCE: u32 = 64;
/// What it writes after a checkout, where that took files away; more is left to a sync.
const ENTRIES_AFTER_CHECKOUT: i64 = 1_000;
/// A command does not wait longer for another one that writes the same files.
const PATIENCE: Duration = Duration::from_millis(20);

/// A hub whose history is files beside it.
#[derive(Clone, Debug)]
pub struct Checkout {
    /// The hub's directory.
    pub hub_dir: PathBuf,
    /// The hub's state.
    pub state_dir: PathBuf,
    /// The root of the tree that the hub lies in.
    pub root: PathBuf,
    /// The git directory of that tree, with its index.
    pub git_dir: PathBuf,
    /// The repository.
    pub git: Git,
}

impl Checkout {
    /// Whether the history of this hub is written to files.
    pub fn is_on(state_dir: &Path) -> bool {
        state_dir.join(MARKER).exists()
    }

    /// The history stays in its files and is written there no more.
    pub fn end(state_dir: &Path) -> Result<(), GitError> {
        let path = state_dir.join(MARKER);
        match std::fs::remove_file(&path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(GitError::Write { path, source: error })
            }
            _ => Ok(()),
        }
    }

    /// Takes in what the files have, here and in the other worktrees, and writes what they lack.
    pub fn sync(&self, store: &mut Store, writes: Writes) -> Result<Report, GitError> {
        let _lock = Lock::take(&self.state_dir, "worktree.lock")?;
        let mut report = Report::default();
        let mut notes = Notes::read(&self.state_dir, store)?;
        let mut left_out = LeftOut::read(&self.state_dir)?;
        // Looked at before reading: what a pull brings meanwhile is looked for again.
        let mark = IndexMark::of(&self.git_dir);
        let trees = self.trees(&mut report);
        let seals: Vec<Seal> = trees.iter().flat_map(|tree| reading::seals(tree)).collect();
        self.settle_fork(store, &trees, (&mut notes, &seals), &mut report)?;
        let coverage = reading::coverage(&trees, &notes, seals);
        let mut intake = Intake::new(store, coverage);
        for root in &trees {
            reading::take_in(root, &mut notes, left_out.texts(), &mut intake)?;
        }
        intake.learn()?;
        add(&mut report, std::mem::take(&mut intake.taken));
        self.drop_purged(store)?;
        if writes == Writes::WhatIsMissing {
            self.seal(&mut notes)?;
            write_file(&self.state_dir.join(MARKER), b"")?;
            if let Err(error) = ignore::hide_derived(self.git.common_dir(), self.hub_in_tree()) {
                report
                    .notes
                    .push(format!("{error}: git may see derived files on branches without the history"));
            }
            let mut writing = writing::Writing { hub_dir: &self.hub_dir, store, left_out: &mut left_out };
            report.written = Some(writing.missing(&mut notes)?);
            writing.store.sign()?;
            let seals = seals::known(writing.store)?;
            writing.seals(&mut notes, &seals)?;
            left_out.done()?;
            report.held_back = left_out.texts().len() as u64;
            notes.index = mark;
        }
        notes.write(&self.state_dir, store)?;
        Ok(report)
    }

    /// Writes what a command has just added, where the history is written to files; takes in what git brought since, and
    /// answers with how many entries those were.
    pub fn catch_up(&self, store: &mut Store) -> Result<u64, GitError> {
        let _lock = Lock::take_within(&self.state_dir, "worktree.lock", PATIENCE)?;
        let mut notes = Notes::read(&self.state_dir, store)?;
        let mark = IndexMark::of(&self.git_dir);
        let mut left_out = LeftOut::read(&self.state_dir)?;
        let (mut taken_in, mut moved) = (0, false);
        if notes.index != mark {
            let here = store.head()?.origin;
            let seals: Vec<Seal> = reading::seals(&self.hub_dir);
            if is_forked(store, &reading::new_lines(&self.hub_dir, &notes, &here), &seals)? {
                // Left as it is for a sync, which settles it and says so.
                return Ok(0);
            }
            let coverage = reading::coverage(std::slice::from_ref(&self.hub_dir), &notes, seals);
            let mut intake = Intake::new(store, coverage);
            reading::take_in(&self.hub_dir, &mut notes, left_out.texts(), &mut intake)?;
            intake.learn()?;
            taken_in = intake.taken.new;
            self.drop_purged(store)?;
            self.seal(&mut notes)?;
            notes.index = mark;
            moved = true;
            // A sync says what is in the way of it.
            let _ = ignore::hide_derived(self.git.common_dir(), self.hub_in_tree());
        }
        ignore::hide_where_nothing_does(&self.hub_dir)?;
        let mut writing = writing::Writing { hub_dir: &self.hub_dir, store, left_out: &mut left_out };
        // A checkout may have taken files away that other branches have: this one gets their entries too, or it would have
        // holes. A branch that does not have the history at all is left without it.
        if moved
            && ignore::is_tracked_here(&self.hub_dir)
            && writing.lacks_at_most(&notes, ENTRIES_AFTER_CHECKOUT)?
        {
            writing.missing(&mut notes)?;
        } else {
            writing.new_entries(&mut notes, ENTRIES_AT_ONCE)?;
        }
        // A commit may follow without a sync. What can't be signed now is signed, or named, by the next one.
        if let Ok(Some(seal)) = writing.store.head_seal() {
            writing.seals(&mut notes, &[seal])?;
        }
        left_out.done()?;
        notes.write(&self.state_dir, store)?;
        Ok(taken_in)
    }

    /// Where files have of this replica what does not follow from the log, it becomes a new one.
    fn settle_fork(
        &self,
        store: &mut Store,
        trees: &[PathBuf],
        (notes, seals): (&mut Notes, &[Seal]),
        report: &mut Report,
    ) -> Result<(), GitError> {
        let here = store.head()?.origin;
        let lines: Vec<String> =
            trees.iter().flat_map(|tree| reading::new_lines(tree, notes, &here)).collect();
        if lines.is_empty() || settle(store, &lines, seals, report)? == Agreed::Same {
            return Ok(());
        }
        // What this tree alone has of the old replica was written again; the rest of it is read anew.
        self.seal(notes)?;
        if let Some(open) = notes.open.remove(&here) {
            let path = self.hub_dir.join(open);
            std::fs::remove_file(&path).map_err(|source| GitError::Write { path, source })?;
        }
        if let Some(path) = notes.seals.remove(&here) {
            // It signs what was written again.
            let _ = std::fs::remove_file(self.hub_dir.join(path));
        }
        notes.files.retain(|_, known| known.origin != here);
        Ok(())
    }

    /// Takes the files of purged texts away. A merge may bring one back long after its purge was taken in.
    fn drop_purged(&self, store: &mut Store) -> Result<(), GitError> {
        for hash in store.purged_texts()? {
            writing::drop_text(&self.hub_dir, &hash);
        }
        Ok(())
    }

    /// Segments and seals that git knows are not changed any more.
    fn seal(&self, notes: &mut Notes) -> Result<(), GitError> {
        notes.open.retain(|_, path| self.hub_dir.join(&*path).is_file());
        notes.seals.retain(|_, path| self.hub_dir.join(&*path).is_file());
        if notes.open.is_empty() && notes.seals.is_empty() {
            return Ok(());
        }
        let hub = format!("{}/", self.hub_in_tree().display());
        let mut arguments = vec!["ls-files".to_owned(), "--".to_owned()];
        let open = notes.open.values().chain(notes.seals.values());
        arguments.extend(open.map(|path| format!("{hub}{path}")));
        let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let known = self.git.run_in_tree(&self.git_dir, &self.root, &words)?;
        let known: Vec<&str> = known.lines().filter_map(|line| line.strip_prefix(&hub)).collect();
        notes.open.retain(|_, path| !known.contains(&path.as_str()));
        notes.seals.retain(|_, path| !known.contains(&path.as_str()));
        Ok(())
    }

    /// Whether git's index has a file of the hub. What can't be asked counts as no.
    pub fn has_in_index(&self, name: &str) -> bool {
        let path = self.hub_in_tree().join(name).display().to_string();
        let listed = self.git.run_in_tree(&self.git_dir, &self.root, &["ls-files", "--", &path]);
        listed.is_ok_and(|listed| !listed.trim().is_empty())
    }

    /// The hub's path in its tree, and in every other one.
    fn hub_in_tree(&self) -> &Path {
        self.hub_dir.strip_prefix(&self.root).unwrap_or(&self.hub_dir)
    }

    /// This hub's directory and those that other worktrees have checked out.
    fn trees(&self, report: &mut Report) -> Vec<PathBuf> {
        let mut found = vec![self.hub_dir.clone()];
        let linked =
            std::fs::read_dir(self.git.common_dir().join("worktrees")).into_iter().flatten().flatten();
        for entry in linked {
            let pointer = std::fs::read_to_string(entry.path().join("gitdir")).unwrap_or_default();
            let Some(root) = Path::new(pointer.trim()).parent().filter(|root| root.is_absolute()) else {
                continue;
            };
            match root.is_dir() {
                true => found.push(root.join(self.hub_in_tree())),
                false => report.notes.push(format!(
                    "the worktree {} is not there any more: git worktree prune, or git worktree repair NEW-PLACE",
                    root.display()
                )),
            }
        }
        found
    }
}

/// Whether a sync of the files writes, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Writes {
    /// What the log has and the files have not.
    WhatIsMissing,
    /// Nothing: the history goes elsewhere now.
    Nothing,
}

/// The hub whose history lies in files beside a place for a hub.
pub fn hub_in_files(hub_dir: &Path) -> Option<HubId> {
    let mut names: Vec<SegmentName> = reading::segments(hub_dir).into_iter().map(|(name, ..)| name).collect();
    names.retain(|name| name.first == 1);
    names.sort();
    names.iter().find_map(|name| segment::hub(&read_file(&hub_dir.join(name.path())).ok()?))
}

/// Takes purged texts out of the files beside a hub, whichever way its history goes now.
pub fn drop_texts(hub_dir: &Path, hashes: &[String]) {
    for hash in hashes.iter().filter_map(|hash| TextHash::parse(hash).ok()) {
        writing::drop_text(hub_dir, &hash);
    }
}

/// Whether there are files of a history at all.
pub fn has_files(hub_dir: &Path) -> bool {
    hub_dir.join(LOG).is_dir()
}
