//! One sync: what the log has goes into the branch, what the remote has comes into the log, both become one history, and
//! the remote gets it.
//!
//! Nothing is lost by an interruption at any point: the log is taken in before the branch says so, the branch moves in one
//! step, and doing it all again changes nothing that was done.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Duration;

use interagent_core::ids::OriginId;
use interagent_core::signature::Coverage;
use interagent_core::text::TextHash;
use interagent_store::Store;
use serde::Serialize;

use super::batch::Batch;
use super::changes::{self, Change};
use super::commit::{Moved, move_branch};
use super::error::GitError;
use super::export::Export;
use super::fork::{Agreed, agree};
use super::intake::{Intake, Taken};
use super::join::known_hub;
use super::layout::{BRANCH, BRANCH_REF, LOG, SegmentName, TEXTS, fetched_ref, text_at};
use super::left_out::LeftOut;
use super::lock::{Lock, unlock_references};
use super::merge::Merge;
use super::remote::{Remote, Sent};
use super::run::Git;
use super::seals;
use super::segment::{self, LineTexts};
use super::tip::{Reach, Tip, checked_out};

/// So often others may be faster before we give up.
const ATTEMPTS: u32 = 20;
/// A remote that takes nothing so often in a row, and has nothing new each time, is kept from it by something else. More
/// than once: whoever is faster holds a lock for a moment before there is something new.
const ATTEMPTS_ALONE: u32 = 3;
/// A sync usually takes in a part of one or two.
const FEW_SEGMENTS: usize = 4;
/// Those who raced once should not race again at the same moment.
const PAUSE: Duration = Duration::from_millis(40);

/// How far a sync is, for somebody who waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// What is being done.
    pub doing: &'static str,
    /// So much of it is done.
    pub done: u64,
    /// Of so much; 0 where that is not known.
    pub total: u64,
}

/// What a sync did.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Report {
    /// The remote; none where there is none.
    pub remote: Option<String>,
    /// The branch's commit afterwards; none where nothing is in git.
    pub commit: Option<String>,
    /// Entries that went from the log into git.
    pub committed: u64,
    /// Entries that went from the log into files of the worktree; none where it goes to the branch.
    pub written: Option<u64>,
    /// Entries that the remote did not have before.
    pub sent: u64,
    /// Entries that are new here and count.
    pub taken_in: u64,
    /// Texts that are new here.
    pub texts: u64,
    /// Entries that claim to be from the future and wait.
    pub waiting: u64,
    /// Entries that waited before and count now.
    pub released: u64,
    /// Entries that were left out because an earlier one of their replica was a problem.
    pub skipped: u64,
    /// Texts that are kept from git for now.
    pub held_back: u64,
    /// What was left out and why, with file and line.
    pub problems: Vec<String>,
    /// What else should be known.
    pub notes: Vec<String>,
}

/// Whether a sync gives, or only takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// The branch here and at the remote get what they lack.
    Both,
    /// The branch is left as it is: the history goes to files now, and others may not know yet.
    TakeOnly,
}

/// What a sync needs to know of its surroundings.
pub struct Sync<'s> {
    /// The repository.
    pub git: &'s Git,
    /// The hub's state directory.
    pub state_dir: &'s Path,
    /// With whom; nobody means only the commit.
    pub remote: Option<&'s Remote>,
    /// Whether the branch is written.
    pub direction: Direction,
    /// Is told how far it is.
    pub progress: &'s mut dyn FnMut(Step),
}

impl std::fmt::Debug for Sync<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sync").field("git", &self.git).field("remote", &self.remote).finish_non_exhaustive()
    }
}

/// What goes along while a sync goes on.
struct Course {
    batch: Batch,
    left_out: LeftOut,
    hub: String,
    report: Report,
}

impl Report {
    /// Adds what another part of the same sync did.
    pub fn and(&mut self, other: Self) {
        self.committed += other.committed;
        self.sent += other.sent;
        self.written = match (self.written, other.written) {
            (Some(one), Some(more)) => Some(one + more),
            (one, other) => one.or(other),
        };
        self.taken_in += other.taken_in;
        self.texts += other.texts;
        self.waiting += other.waiting;
        self.released += other.released;
        self.skipped += other.skipped;
        self.held_back = self.held_back.max(other.held_back);
        self.commit = other.commit.or(self.commit.take());
        self.remote = other.remote.or(self.remote.take());
        self.problems.extend(other.problems);
        self.notes.extend(other.notes);
    }
}

impl Sync<'_> {
    /// Does all of it.
    pub fn run(mut self, store: &mut Store) -> Result<Report, GitError> {
        let _lock = Lock::take(self.state_dir, "sync")?;
        unlock_references(self.git, self.remote);
        if self.direction == Direction::Both
            && let Some(path) = checked_out(self.git)
        {
            return Err(GitError::CheckedOut { path });
        }
        let mut course = Course {
            batch: Batch::open(self.git)?,
            left_out: LeftOut::read(self.state_dir)?,
            hub: store.head()?.hub_id,
            report: Report { remote: self.remote.map(|remote| remote.name.clone()), ..Report::default() },
        };
        course.report.released = store.release_due()?;
        self.commit_here(&mut course, store)?;
        if let Some(remote) = self.remote {
            self.exchange(&mut course, store, remote)?;
        }
        let Course { mut batch, mut report, left_out, .. } = course;
        report.held_back = left_out.texts().len() as u64;
        report.commit = batch.commit_at(BRANCH_REF)?;
        Ok(report)
    }

    /// Commits what the log has beyond the branch.
    fn commit_here(&mut self, course: &mut Course, store: &mut Store) -> Result<(), GitError> {
        for attempt in 0..ATTEMPTS {
            pause(attempt);
            let branch = course.batch.commit_at(BRANCH_REF)?;
            let base = match &branch {
                Some(commit) => Some(commit.clone()),
                None => self.begin_from(&mut course.batch)?,
            };
            let whose = if branch.is_some() { "here".to_owned() } else { self.whose() };
            let tip = Tip::read(&mut course.batch, base.as_deref(), &whose)?;
            tip.must_be_of(&course.hub, &whose, store)?;
            agree(&mut course.batch, store, &tip, &mut course.report)?;
            self.take_beyond(course, store, &tip)?;
            if self.direction == Direction::TakeOnly {
                return Ok(());
            }
            let seal = store.sign()?;
            let progress = &mut *self.progress;
            let (commit, exported) = Export {
                git: self.git,
                batch: &mut course.batch,
                store,
                left_out: &mut course.left_out,
                seal: &seal,
                notes: &mut course.report.notes,
                progress: &mut |done, total| progress(Step { doing: "committing", done, total }),
            }
            .run(&tip)?;
            let to = commit.or(base).filter(|to| branch.as_ref() != Some(to));
            let moved = to.map_or(Ok(Moved::Done), |to| move_branch(self.git, branch.as_deref(), &to))?;
            if moved == Moved::Done {
                course.report.committed += exported;
                return course.left_out.done();
            }
        }
        Err(GitError::Races { times: ATTEMPTS })
    }

    /// Where the branch begins that is not here yet: at what the remote has, so that both have one history.
    fn begin_from(&mut self, batch: &mut Batch) -> Result<Option<String>, GitError> {
        let Some(remote) = self.remote else { return Ok(known_hub(self.git)?.map(|known| known.commit)) };
        (self.progress)(Step { doing: "fetching", done: 0, total: 0 });
        match remote.fetch(self.git, batch) {
            // A clone brings the branch along as one that it only follows.
            Err(error) if error.is_about_the_remote() => {
                let followed = format!("refs/remotes/{}/{BRANCH}", remote.name);
                match batch.commit_at(&fetched_ref(&remote.name))? {
                    Some(commit) => Ok(Some(commit)),
                    None => batch.commit_at(&followed),
                }
            }
            fetched => fetched,
        }
    }

    fn whose(&self) -> String {
        self.remote.map_or_else(|| "here".to_owned(), |remote| format!("of {}", remote.name))
    }

    /// Fetches, takes in, merges and sends, until nobody came in between.
    fn exchange(&mut self, course: &mut Course, store: &mut Store, remote: &Remote) -> Result<(), GitError> {
        let mut before = None;
        let mut alone = 0;
        for attempt in 0..ATTEMPTS {
            pause(attempt);
            (self.progress)(Step { doing: "fetching", done: 0, total: 0 });
            let theirs = remote.fetch(self.git, &mut course.batch)?;
            if let Some((tip, said)) = before.take() {
                alone = if tip == theirs { alone + 1 } else { 0 };
                if alone == ATTEMPTS_ALONE {
                    return Err(GitError::Locked { remote: remote.name.clone(), said });
                }
            }
            let branch = course.batch.commit_at(BRANCH_REF)?;
            if branch == theirs {
                return Ok(());
            }
            let their_tip = Tip::read(&mut course.batch, theirs.as_deref(), &self.whose())?;
            their_tip.must_be_of(&course.hub, &self.whose(), store)?;
            let agreed = agree(&mut course.batch, store, &their_tip, &mut course.report)?;
            if let (Agreed::New, Direction::Both, Some(theirs)) = (agreed, self.direction, &theirs) {
                // What was written apart is in the branch here and nowhere else: it begins again from theirs.
                move_branch(self.git, branch.as_deref(), theirs)?;
                self.commit_here(course, store)?;
                continue;
            }
            let ours = match &theirs {
                None => branch,
                Some(theirs) => match self.unite(course, store, branch.as_deref(), (theirs, &their_tip))? {
                    Some(united) => Some(united),
                    None => continue,
                },
            };
            let Some(ours) = ours.filter(|ours| theirs.as_ref() != Some(ours)) else { return Ok(()) };
            if self.direction == Direction::TakeOnly {
                return Ok(());
            }
            let tip = Tip::read(&mut course.batch, Some(&ours), "here")?;
            (self.progress)(Step { doing: "sending", done: 0, total: 0 });
            match remote.send(self.git, &ours)? {
                Sent::Done => {
                    course.report.sent = tip.beyond(&their_tip);
                    return Ok(());
                }
                Sent::Elsewhere(said) => before = Some((theirs, said)),
            }
        }
        Err(GitError::Races { times: ATTEMPTS })
    }

    /// Takes in what the remote has and makes one history of both; `None` where the branch moved meanwhile.
    fn unite(
        &mut self,
        course: &mut Course,
        store: &mut Store,
        branch: Option<&str>,
        (theirs, their_tip): (&str, &Tip),
    ) -> Result<Option<String>, GitError> {
        if let Some(branch) = branch
            && self.git.is_ancestor(theirs, branch)?
        {
            return Ok(Some(branch.to_owned()));
        }
        let changes = changes::between(self.git, branch, theirs)?;
        let purged = self.take_changes(course, store, (theirs, their_tip), &changes)?;
        if self.direction == Direction::TakeOnly {
            return Ok(Some(theirs.to_owned()));
        }
        let (batch, notes) = (&mut course.batch, &mut course.report.notes);
        let seals = Vec::new();
        let merge = Merge { git: self.git, batch, store, ours: branch, theirs, notes, seals };
        let united = merge.run(&changes, &purged)?;
        if branch == Some(united.as_str()) || move_branch(self.git, branch, &united)? == Moved::Done {
            return Ok(Some(united));
        }
        Ok(None)
    }

    /// Takes in the files that the remote has and we do not, or has longer.
    fn take_changes(
        &mut self,
        course: &mut Course,
        store: &mut Store,
        (commit, tip): (&str, &Tip),
        changes: &[Change],
    ) -> Result<BTreeSet<TextHash>, GitError> {
        let place =
            |path: &str| format!("{}/{BRANCH}:{path}", course.report.remote.as_deref().unwrap_or("."));
        let new = changes
            .iter()
            .filter_map(|change| Some((SegmentName::of(&change.path)?, change.theirs.as_deref()?)));
        let new: Vec<(SegmentName, &str)> = new.collect();
        let objects = new.iter().map(|(name, object)| (&name.origin, *object));
        let coverage = seals::coverage(&mut course.batch, &tip.seals, objects)?;
        let mut intake = Intake::new(store, coverage);
        let mut texts = Vec::new();
        let mut segments = Vec::new();
        for Change { path, ours, theirs } in changes {
            let Some(theirs) = theirs else { continue };
            if let Some(name) = SegmentName::of(path) {
                segments.push((name, place(path), ours.as_deref(), theirs.as_str()));
            } else if let Some(hash) = text_at(path)
                && (ours.is_none() || intake.lacks_text(&hash)?)
            {
                texts.push((hash, place(path), theirs.as_str()));
            }
        }
        segments.sort();
        let total = (texts.len() + segments.len()) as u64;
        let mut done = 0;
        let objects: Vec<&str> = texts.iter().map(|(_, _, object)| *object).collect();
        course.batch.read_each(&objects, |index, bytes| {
            let (hash, place, _) = &texts[index];
            done += 1;
            (self.progress)(Step { doing: "taking in", done, total });
            bytes.map_or(Ok(()), |bytes| intake.text(hash.clone(), place, &bytes))
        })?;
        for (name, place, ours, theirs) in segments {
            let known = ours.map_or(Ok(None), |ours| course.batch.read(ours))?.unwrap_or_default();
            let bytes = course.batch.read(theirs)?.unwrap_or_default();
            if !known.starts_with(&bytes) {
                if !bytes.starts_with(&known) {
                    // A line that was repaired, perhaps: its text may have come long ago.
                    let wanted = intake.lacking(&texts_in(&bytes))?;
                    texts_by_hash(course, &mut intake, (commit, &BTreeMap::new()), &wanted)?;
                }
                intake.segment(&name, &place, &bytes, &known)?;
            }
            done += 1;
            (self.progress)(Step { doing: "taking in", done, total });
        }
        intake.flush()?;
        intake.learn()?;
        let taken = intake.taken;
        let purged = taken.purged.clone();
        add(&mut course.report, taken);
        Ok(purged)
    }

    /// Takes in what the branch itself has beyond the log: somebody may have sent to it, or the log began anew.
    fn take_beyond(&mut self, course: &mut Course, store: &mut Store, tip: &Tip) -> Result<(), GitError> {
        let Some(commit) = tip.commit.as_deref() else { return Ok(()) };
        let heads = store.origin_heads()?;
        let head = |origin: &OriginId| heads.get(origin).copied().unwrap_or(0);
        let is_behind = |(origin, reach): (&OriginId, &Reach)| reach.last > head(origin);
        let lost = Intake::new(store, Coverage::default()).lacking(course.left_out.texts())?;
        if !tip.replicas.iter().any(is_behind) && lost.is_empty() {
            return Ok(());
        }
        let mut files: Vec<(SegmentName, String)> = course
            .batch
            .files(commit, LOG)?
            .into_iter()
            .filter_map(|(path, object)| Some((SegmentName::of(&path)?, object)))
            .filter(|(name, _)| tip.last(&name.origin) > head(&name.origin))
            .collect();
        files.sort();
        let total = files.len() as u64;
        // Many are found in one list; git would look up the path of each.
        let listed = match files.len() > FEW_SEGMENTS {
            true => texts_of_tree(self.git, commit)?,
            false => BTreeMap::new(),
        };
        let objects = files.iter().map(|(name, object)| (&name.origin, object.as_str()));
        let coverage = seals::coverage(&mut course.batch, &tip.seals, objects)?;
        let mut intake = Intake::new(store, coverage);
        texts_by_hash(course, &mut intake, (commit, &listed), &lost)?;
        for (index, (name, object)) in files.iter().enumerate() {
            let next = files.get(index + 1).filter(|(next, _)| next.origin == name.origin);
            if next.is_some_and(|(next, _)| next.first <= head(&name.origin) + 1) {
                continue;
            }
            let bytes = course.batch.read(object)?.unwrap_or_default();
            let wanted = texts_in(&bytes);
            texts_by_hash(course, &mut intake, (commit, &listed), &wanted)?;
            intake.segment(name, &format!("{BRANCH}:{}", name.path()), &bytes, &[])?;
            (self.progress)(Step { doing: "taking in", done: index as u64 + 1, total });
        }
        intake.flush()?;
        let taken = intake.taken;
        add(&mut course.report, taken);
        Ok(())
    }
}

/// The texts of a commit, and their objects.
fn texts_of_tree(git: &Git, commit: &str) -> Result<BTreeMap<TextHash, String>, GitError> {
    let files = changes::files(git, commit, TEXTS)?;
    Ok(files.into_iter().filter_map(|(path, object)| Some((text_at(&path)?, object))).collect())
}

/// Takes in texts of a commit; those that it does not have are left to whoever has them.
fn texts_by_hash(
    course: &mut Course,
    intake: &mut Intake<'_>,
    (commit, listed): (&str, &BTreeMap<TextHash, String>),
    wanted: &[TextHash],
) -> Result<(), GitError> {
    let paths: Vec<String> = wanted.iter().map(super::layout::text_path).collect();
    let name = |(hash, path): (&TextHash, &String)| match listed.get(hash) {
        Some(object) => object.clone(),
        None => format!("{commit}:{path}"),
    };
    let names: Vec<String> = wanted.iter().zip(&paths).map(name).collect();
    course.batch.read_each(&names, |index, bytes| {
        let place = format!("{BRANCH}:{}", paths[index]);
        bytes.map_or(Ok(()), |bytes| intake.text(wanted[index].clone(), &place, &bytes))
    })
}

/// The texts that the lines of a segment want.
fn texts_in(bytes: &[u8]) -> Vec<TextHash> {
    let mut found = BTreeSet::new();
    for (_, line) in segment::lines(bytes) {
        found.extend(LineTexts::read(&line).wanted().cloned());
    }
    found.into_iter().collect()
}

/// Adds what was taken in to a report.
pub(super) fn add(report: &mut Report, taken: Taken) {
    report.taken_in += taken.new;
    report.texts += taken.texts;
    report.waiting += taken.held;
    report.released += taken.released;
    report.skipped += taken.skipped;
    for problem in taken.problems {
        if !report.problems.contains(&problem) {
            report.problems.push(problem);
        }
    }
}

/// Longer each time, and not the same for two processes.
fn pause(attempt: u32) {
    if attempt > 0 {
        let ours = Duration::from_millis(u64::from(std::process::id() % 37));
        std::thread::sleep(PAUSE * attempt + ours);
    }
}
