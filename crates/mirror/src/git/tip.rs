//! What a commit of the history holds: the segments of each replica, how far they reach, and whose hub it is.
//!
//! The names of the segments say nearly all of it; only the last one of each replica is read.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use interagent_core::ids::{HubId, OriginId};
use interagent_store::Store;

use super::batch::Batch;
use super::error::GitError;
use super::layout::{BRANCH_REF, LOG, SegmentName};
use super::run::Git;
use super::seals::{self, SealFile};
use super::segment;

/// How much of one replica's log a commit holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Reach {
    /// The last entry.
    pub(super) last: i64,
    /// Its hash; empty where the last segment is damaged.
    pub(super) hash: String,
    /// The segment that could go on.
    pub(super) open: Option<(SegmentName, String)>,
    /// How many lines that one has.
    pub(super) lines: usize,
}

/// The history as one commit holds it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Tip {
    pub(super) commit: Option<String>,
    /// None where the lines that say so are damaged.
    pub(super) hub: Option<HubId>,
    /// What is wrong with the first such line, with its place.
    pub(super) damage: Option<String>,
    pub(super) replicas: BTreeMap<OriginId, Reach>,
    pub(super) seals: Vec<SealFile>,
}

impl Tip {
    /// Reads a commit. `whose` says where its branch is, for an error.
    pub(super) fn read(batch: &mut Batch, commit: Option<&str>, whose: &str) -> Result<Self, GitError> {
        let Some(commit) = commit else { return Ok(Self::default()) };
        let mut openings = Vec::new();
        let mut last: BTreeMap<OriginId, (SegmentName, String)> = BTreeMap::new();
        let files = batch.files(commit, LOG)?;
        let seals = seals::among(batch, &files)?;
        for (path, object) in files {
            let Some(name) = SegmentName::of(&path) else { continue };
            if name.first == 1 {
                openings.push((path, object.clone()));
            }
            match last.get(&name.origin) {
                Some((known, _)) if known.first > name.first => {}
                _ => drop(last.insert(name.origin.clone(), (name, object))),
            }
        }
        if openings.is_empty() {
            return Err(GitError::NotOurs { whose: whose.to_owned() });
        }
        let (mut hub, mut damage) = (None, None);
        for (path, object) in openings {
            let opening = batch.read(&object)?.unwrap_or_default();
            hub = segment::hub(&opening);
            if hub.is_some() {
                break;
            }
            damage = damage
                .or_else(|| segment::damage(&opening).map(|(line, why)| format!("{path}:{line}: {why}")));
        }
        if hub.is_none() && damage.is_none() {
            return Err(GitError::NotOurs { whose: whose.to_owned() });
        }
        let mut replicas = BTreeMap::new();
        for (origin, (name, object)) in last {
            let bytes = batch.read(&object)?.unwrap_or_default();
            let ((reached, hash), lines) = segment::reach(&bytes);
            let reach = Reach { last: reached.max(name.first - 1), hash, open: Some((name, object)), lines };
            replicas.insert(origin, reach);
        }
        Ok(Self { commit: Some(commit.to_owned()), hub, damage, replicas, seals })
    }

    /// Fails where it is another hub's, or where nothing tells whose it is.
    pub(super) fn must_be_of(&self, hub: &str, whose: &str, store: &mut Store) -> Result<(), GitError> {
        match &self.hub {
            Some(theirs) if theirs.as_str() == hub => Ok(()),
            Some(theirs) => Err(GitError::OtherHub {
                whose: whose.to_owned(),
                theirs: theirs.to_string(),
                ours: hub.to_owned(),
            }),
            None => {
                // Who has the log of one of these replicas knows whose it is, and can repair it.
                for origin in self.replicas.keys() {
                    if store.last_of(origin)? > 0 {
                        return Ok(());
                    }
                }
                self.must_be_told(whose).map(drop)
            }
        }
    }

    /// The hub; fails where the lines that say so are damaged.
    pub(super) fn must_be_told(&self, whose: &str) -> Result<Option<&HubId>, GitError> {
        match (&self.hub, &self.damage) {
            (None, Some(damage)) => {
                Err(GitError::Damaged { whose: whose.to_owned(), damage: damage.clone() })
            }
            (hub, _) => Ok(hub.as_ref()),
        }
    }

    /// The last entry of a replica.
    pub(super) fn last(&self, origin: &OriginId) -> i64 {
        self.replicas.get(origin).map_or(0, |reach| reach.last)
    }

    /// How many entries this holds that another does not.
    pub(super) fn beyond(&self, other: &Self) -> u64 {
        let beyond = |(origin, reach): (&OriginId, &Reach)| (reach.last - other.last(origin)).max(0);
        self.replicas.iter().map(beyond).sum::<i64>().unsigned_abs()
    }
}

/// The worktree that has the branch checked out: moving the branch would make its files look changed.
pub(super) fn checked_out(git: &Git) -> Option<PathBuf> {
    let is_there = |git_dir: &Path| {
        let head = std::fs::read_to_string(git_dir.join("HEAD")).unwrap_or_default();
        head.strip_prefix("ref:").is_some_and(|name| name.trim() == BRANCH_REF)
    };
    let common = git.common_dir();
    if is_there(common) && common.file_name().is_some_and(|name| name == ".git") {
        return common.parent().map(Path::to_owned);
    }
    let linked = std::fs::read_dir(common.join("worktrees")).into_iter().flatten().flatten();
    linked.map(|entry| entry.path()).find(|git_dir| is_there(git_dir)).map(|git_dir| {
        let pointer = std::fs::read_to_string(git_dir.join("gitdir")).unwrap_or_default();
        Path::new(pointer.trim()).parent().map_or(git_dir, Path::to_owned)
    })
}
