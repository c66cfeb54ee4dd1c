//! What is looked at before and after a tool call, and what changed in between: files of others, protected branches, hooks.
//!
//! Owns the comparison and the words. Reading the disk is for whoever calls.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::decide::{Post, post};
use crate::draft::Draft;
use crate::ids::AgentId;
use crate::limits::SUBJECT_CHARS;
use crate::vocabulary::Intent;

/// By what a file is known to have changed, without reading it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stamp {
    /// When it was changed last, in nanoseconds.
    pub modified_ns: i64,
    /// When its entry was changed last: a program can set the other time back.
    pub changed_ns: i64,
    /// Its length.
    pub bytes: u64,
    /// Its inode.
    pub inode: u64,
}

/// Why a file is watched.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Why {
    /// Another agent holds it alone.
    Leased {
        /// Its name.
        holder: String,
        /// Its id.
        id: String,
    },
    /// It belongs to the hub.
    Hub,
    /// It is a hook of git.
    Hook,
    /// Git tracks it, and a protected branch is checked out there.
    OnBranch {
        /// The branch.
        branch: String,
    },
}

/// What was found at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Snapshot {
    /// Watched files by their absolute path; one that is missing has no stamp.
    pub files: BTreeMap<String, (Why, Option<Stamp>)>,
    /// Protected branches, and the commits they are at.
    pub branches: BTreeMap<String, String>,
    /// Where git is told to look for hooks; empty where it is not.
    pub hooks_path: String,
}

/// Something that changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    /// A file was written, made or removed.
    File {
        /// Its absolute path.
        path: String,
        /// Why it was watched.
        why: Why,
    },
    /// A branch was moved, made or removed.
    Branch {
        /// Its name.
        name: String,
        /// Where it was; empty where it was not there.
        old: String,
        /// Where it is; empty where it is gone.
        new: String,
    },
    /// Git was told to look for hooks elsewhere.
    HooksPath {
        /// Where it looked before; empty for the usual place.
        old: String,
    },
}

impl Change {
    /// What it is about, in words.
    pub fn told(&self) -> String {
        match self {
            Self::File { path, why: Why::Leased { holder, .. } } => format!("{path} (leased by {holder})"),
            Self::File { path, why: Why::Hub } => format!("{path} (a file of the hub)"),
            Self::File { path, why: Why::Hook } => format!("{path} (a hook of git)"),
            Self::File { path, why: Why::OnBranch { branch } } => format!("{path} (on {branch})"),
            Self::HooksPath { .. } => "core.hooksPath (where git looks for hooks)".to_owned(),
            Self::Branch { name, old, new } => {
                let short = |id: &str| match id {
                    "" => "nothing".to_owned(),
                    id => id.chars().take(8).collect(),
                };
                format!("the branch {name} ({} to {})", short(old), short(new))
            }
        }
    }
}

/// What changed between two moments.
pub fn changes(before: &Snapshot, after: &Snapshot) -> Vec<Change> {
    let mut found = Vec::new();
    for (path, (why, stamp)) in &before.files {
        if after.files.get(path).is_some_and(|(_, now)| now != stamp) {
            found.push(Change::File { path: path.clone(), why: why.clone() });
        }
    }
    // A file that came into being where it is watched.
    for (path, (why, stamp)) in &after.files {
        // One of git's that is gone differed in nothing before.
        let is_change = stamp.is_some() || matches!(why, Why::OnBranch { .. });
        if is_change && !before.files.contains_key(path) {
            found.push(Change::File { path: path.clone(), why: why.clone() });
        }
    }
    let names =
        before.branches.keys().chain(after.branches.keys().filter(|n| !before.branches.contains_key(*n)));
    for name in names {
        let at = |snapshot: &Snapshot| snapshot.branches.get(name).cloned().unwrap_or_default();
        let (old, new) = (at(before), at(after));
        if old != new {
            found.push(Change::Branch { name: name.clone(), old, new });
        }
    }
    if before.hooks_path != after.hooks_path {
        found.push(Change::HooksPath { old: before.hooks_path.clone() });
    }
    found
}

/// What the agent is told whose tool call it was.
pub fn told_to_agent(changes: &[String], command: &str, kept: &str) -> String {
    format!(
        "While `{command}` ran, this changed, and it is not yours to change: {}. The versions before are kept as {kept}, \
         and those it concerns were told. If it was your doing, put it back: interagent guard restore {kept}.",
        changes.join("; ")
    )
}

/// Tells the holder of files that they changed while a tool of another agent ran.
pub fn tell_holder(draft: &mut Draft, agent: &AgentId, holder: &AgentId, changes: &[String], kept: &str) {
    let subject = draft.plain(&crate::line::one_line("Files you hold changed", SUBJECT_CHARS));
    let body = draft.plain(&format!(
        "While a command of mine ran, this changed: {}. If that was you, nothing is lost and nothing is to do. Otherwise \
         `interagent guard restore {kept}` puts back what was there.",
        changes.join("; ")
    ));
    post(draft, Post::new(agent, vec![holder.clone()], Intent::ContextShare, subject, Some(body)));
}

/// Asks the operator about what changed: it stays in the list of what needs them until they answer.
pub fn ask_operator(
    draft: &mut Draft,
    (agent, operator): (&AgentId, &AgentId),
    changes: &[String],
    command: &str,
    kept: &str,
) {
    let subject = draft.plain(&crate::line::one_line(
        &format!("Guarded: {} changed past the guard", changes.first().map_or("something", String::as_str)),
        SUBJECT_CHARS,
    ));
    let body = draft.plain(&format!(
        "While `{command}` ran, this changed: {}. `interagent guard restore {kept}` puts back what was there; a reply \
         leaves it as it is.",
        changes.join("; ")
    ));
    post(draft, Post::new(agent, vec![operator.clone()], Intent::Question, subject, Some(body)));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stamp(bytes: u64) -> Option<Stamp> {
        Some(Stamp { modified_ns: 1, changed_ns: 1, bytes, inode: 1 })
    }

    fn snapshot(files: &[(&str, Option<Stamp>)], branches: &[(&str, &str)]) -> Snapshot {
        let file = |(path, stamp): &(&str, Option<Stamp>)| ((*path).to_owned(), (Why::Hub, *stamp));
        let branch = |(name, id): &(&str, &str)| ((*name).to_owned(), (*id).to_owned());
        let (files, branches) = (files.iter().map(file).collect(), branches.iter().map(branch).collect());
        Snapshot { files, branches, ..Snapshot::default() }
    }

    #[test]
    fn changes_are_what_differs() {
        let before = snapshot(
            &[("same", stamp(1)), ("written", stamp(1)), ("gone", stamp(1)), ("absent", None)],
            &[("main", "a"), ("release", "b"), ("old", "c")],
        );
        let after = snapshot(
            &[("same", stamp(1)), ("written", stamp(2)), ("gone", None), ("absent", None), ("new", stamp(1))],
            &[("main", "d"), ("release", "b"), ("made", "e")],
        );
        let told: Vec<String> = changes(&before, &after).iter().map(Change::told).collect();
        insta::assert_snapshot!(told.join("\n"), @r"
        gone (a file of the hub)
        written (a file of the hub)
        new (a file of the hub)
        the branch main (a to d)
        the branch old (c to nothing)
        the branch made (nothing to e)
        ");
    }
}
