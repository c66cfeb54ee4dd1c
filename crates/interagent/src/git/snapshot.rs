//! The change under review, as git has it: a pair of commits, or the tree of a snapshot.
//!
//! Nothing of the user's is touched. Trees are written from a copy of the index; the only thing that stays is objects, and
//! one ref below `refs/interagent/` that keeps them.

use std::path::{Path, PathBuf};
use std::process::Command;

use interagent_core::diff::{Diff, keep_files};
use interagent_core::vocabulary::Side;

use super::{git, no_repository, output_of, run, untracked};
use crate::config::surroundings;
use crate::error::{CliError, ErrorKind};

/// The name of the change that is not committed, where a source is named.
pub(crate) const WORKING_TREE: &str = "working-tree";
/// The name of the change that is staged.
pub(crate) const STAGED: &str = "staged";
/// Branches that others leave from, where the remote does not say which.
const USUAL_BASES: [&str; 3] = ["main", "master", "trunk"];

/// What is reviewed, resolved in one repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Snapshot {
    pub(crate) objects: Objects,
    /// The change as text.
    pub(crate) diff: String,
    /// One line that names it, where commits have one.
    pub(crate) title: Option<String>,
    /// Files that git does not know yet, and which are not in it.
    pub(crate) left_out: usize,
}

/// Where a change is among git's objects.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Objects {
    /// The commit that is changed.
    pub(crate) base: Option<String>,
    /// The commit that it leads to.
    pub(crate) head: Option<String>,
    /// The tree of a snapshot.
    pub(crate) tree: Option<String>,
}

impl Objects {
    /// What the change leads to.
    fn end(&self) -> Option<&str> {
        self.head.as_deref().or(self.tree.as_deref())
    }
}

/// The repository around a directory.
#[derive(Debug, Clone)]
pub(crate) struct Repository {
    root: PathBuf,
}

impl Repository {
    /// Finds the repository around a directory.
    pub(crate) fn around(directory: Option<&Path>) -> Result<Self, CliError> {
        let root = run(directory, &["rev-parse", "--show-toplevel"], no_repository)?;
        Ok(Self { root: PathBuf::from(root.trim_end_matches('\n')) })
    }

    fn ask(&self, arguments: &[&str]) -> Option<String> {
        let said = run(Some(&self.root), arguments, no_repository).ok()?;
        Some(said.trim_end_matches('\n').to_owned())
    }

    /// The commit that a name means, if it means one.
    pub(crate) fn commit(&self, name: &str) -> Option<String> {
        // A name that begins like an option is none, and a line break would be two.
        if name.is_empty() || name.starts_with('-') || name.chars().any(char::is_control) {
            return None;
        }
        self.ask(&["rev-parse", "--verify", "--quiet", &format!("{name}^{{commit}}")])
    }

    /// The two ends of `A..B` or `A...B`; an end that is left out is HEAD.
    pub(crate) fn ends(range: &str) -> Option<(&str, &str)> {
        let (from, to) = range.split_once("...").or_else(|| range.split_once(".."))?;
        fn or_head(end: &str) -> &str {
            if end.is_empty() { "HEAD" } else { end }
        }
        Some((or_head(from), or_head(to)))
    }

    /// What `to` changes since it left `from`: the tip of `from` may have moved on.
    pub(crate) fn range(&self, from: &str, to: &str) -> Result<Snapshot, CliError> {
        let known = |name: &str| self.commit(name).ok_or_else(|| no_commit(name));
        let (start, head) = (known(from)?, known(to)?);
        let base = self.ask(&["merge-base", &start, &head]).unwrap_or(start);
        let diff = self.between(&base, &head)?;
        let title = self.title(&base, &head, to);
        let objects = Objects { base: Some(base), head: Some(head), tree: None };
        Ok(Snapshot { objects, diff, title, left_out: 0 })
    }

    /// What a branch changes since it left the branch that others leave from.
    pub(crate) fn branch(&self, branch: &str) -> Result<Snapshot, CliError> {
        let Some(base) = self.base_branch(branch) else {
            return Err(CliError::new(
                ErrorKind::Usage,
                format!("no base branch to compare `{branch}` with"),
            )
            .with_hint(format!("name the range: interagent review open BASE..{branch}")));
        };
        self.range(&base, branch)
    }

    /// The branch that a commit left: the one the remote calls its own, or one of the usual names. Of the local and the
    /// remote one, the branch that fewer commits separate from it: the local one may be behind, or ahead.
    pub(crate) fn base_branch(&self, head: &str) -> Option<String> {
        let remote = self.ask(&["symbolic-ref", "--quiet", "--short", "refs/remotes/origin/HEAD"]);
        let own = remote.as_deref().and_then(|name| name.strip_prefix("origin/")).map(str::to_owned);
        let usual = USUAL_BASES.into_iter().map(str::to_owned);
        let known = |name: String| -> Vec<String> {
            let both = [name.clone(), format!("origin/{name}")];
            both.into_iter().filter(|name| self.commit(name).is_some()).collect()
        };
        let candidates = own.into_iter().chain(usual).map(known).find(|known| !known.is_empty())?;
        candidates.into_iter().min_by_key(|base| self.commits_between(base, head))
    }

    fn commits_between(&self, base: &str, head: &str) -> Option<u64> {
        self.ask(&["rev-list", "--count", &format!("{base}..{head}"), "--"])?.parse().ok()
    }

    /// The branch that is checked out; none while HEAD is detached.
    pub(crate) fn current_branch(&self) -> Option<String> {
        self.ask(&["symbolic-ref", "--quiet", "--short", "HEAD"])
    }

    /// Whether HEAD has commits that the base branch has not.
    pub(crate) fn is_ahead(&self) -> bool {
        let Some(base) = self.base_branch("HEAD") else { return false };
        let count = self.ask(&["rev-list", "--count", "--max-count=1", &format!("{base}..HEAD"), "--"]);
        count.is_some_and(|count| count != "0")
    }

    fn title(&self, base: &str, head: &str, named: &str) -> Option<String> {
        let count = self.ask(&["rev-list", "--count", &format!("{base}..{head}"), "--"])?;
        if count == "1" {
            return self.ask(&["log", "-1", "--no-show-signature", "--format=%s", head, "--"]);
        }
        let branch = match named {
            "HEAD" => self.current_branch()?,
            named => named.to_owned(),
        };
        Some(format!("{branch}: {count} commits"))
    }

    /// The change that is staged.
    pub(crate) fn staged(&self) -> Result<Snapshot, CliError> {
        let index = IndexCopy::of(self)?;
        self.of_index(&index)
    }

    /// The change of all files that git knows, staged or not.
    pub(crate) fn working_tree(&self) -> Result<Snapshot, CliError> {
        let index = IndexCopy::of(self)?;
        index.git(self, &["add", "--update", "--", "."])?;
        let left_out = self.root.to_str().and_then(untracked).map_or(0, |files| files.len());
        Ok(Snapshot { left_out, ..self.of_index(&index)? })
    }

    fn of_index(&self, index: &IndexCopy) -> Result<Snapshot, CliError> {
        let tree = index.git(self, &["write-tree"])?;
        let base = self.commit("HEAD");
        let from = match &base {
            Some(commit) => commit.clone(),
            // A repository without a commit is compared with an empty tree.
            None => run(Some(&self.root), &["hash-object", "-w", "-t", "tree", "--stdin"], no_repository)?
                .trim_end()
                .to_owned(),
        };
        let diff = self.between(&from, &tree)?;
        let objects = Objects { base, head: None, tree: Some(tree) };
        Ok(Snapshot { objects, diff, title: None, left_out: 0 })
    }

    /// The change between two trees, as every configuration shows it.
    fn between(&self, from: &str, to: &str) -> Result<String, CliError> {
        let mut arguments = DIFF.to_vec();
        arguments.extend(["--unified=3", from, to, "--"]);
        run(Some(&self.root), &arguments, no_repository).map_err(|error| match error.has_code("too_long") {
            true => CliError::new(ErrorKind::Usage, error.sentence())
                .with_code("too_long")
                .with_hint("review a part: a shorter range, or one review for each commit"),
            false => error,
        })
    }

    /// What changed between the same side of two rounds, in files that the earlier round's diff has on that side. Absent
    /// where git no longer has the objects, or it is too long to be kept.
    pub(crate) fn since(&self, before: &Objects, now: &Objects, side: Side, diff: &str) -> Option<String> {
        let (from, to) = match side {
            Side::Old => (before.base.as_deref()?, now.base.as_deref()?),
            Side::New => (before.end()?, now.end()?),
        };
        let parsed = Diff::parse(diff);
        let paths: Vec<&str> = parsed.files.iter().filter_map(|file| file.path_on(side)).collect();
        let mut arguments = DIFF.to_vec();
        arguments.extend(["--unified=0", from, to, "--"]);
        let text = run(Some(&self.root), &arguments, no_repository).ok().or_else(|| {
            // Without the other files, git can't see where one of these was renamed to.
            let mut arguments = arguments.clone();
            arguments.insert(0, "--literal-pathspecs");
            arguments.extend(&paths);
            run(Some(&self.root), &arguments, no_repository).ok()
        })?;
        Some(keep_files(&text, |path| paths.contains(&path)))
    }

    /// Keeps the objects of a round alive, also after a rebase. One ref holds both ends: a base that the head does not
    /// come from becomes a second parent.
    pub(crate) fn keep(&self, name: &str, objects: &Objects) -> Result<(), String> {
        let refname = format!("refs/interagent/reviews/{name}");
        let failed = |error: CliError| error.sentence();
        let is_ancestor =
            |base: &str, head: &str| self.ask(&["merge-base", "--is-ancestor", base, head]).is_some();
        let commit = match (&objects.head, &objects.base, &objects.tree) {
            (Some(head), None, _) => head.clone(),
            (Some(head), Some(base), _) if is_ancestor(base, head) => head.clone(),
            (Some(head), Some(base), _) => {
                let tree = format!("{head}^{{tree}}");
                self.commit_tree(&tree, &[head, base], name).map_err(failed)?
            }
            (None, base, Some(tree)) => {
                let parents: Vec<&str> = base.as_deref().into_iter().collect();
                self.commit_tree(tree, &parents, name).map_err(failed)?
            }
            (None, _, None) => return Ok(()),
        };
        // A request that is repeated finds its ref.
        if self.ask(&["show-ref", "--verify", "--quiet", &refname]).is_some() {
            return Ok(());
        }
        let arguments = ["-c", "core.hooksPath=/dev/null", "update-ref", &refname, &commit, ""];
        run(Some(&self.root), &arguments, no_repository).map(drop).map_err(failed)
    }

    fn commit_tree(&self, tree: &str, parents: &[&str], name: &str) -> Result<String, CliError> {
        let mut command = git(Some(&self.root));
        command.args(["commit-tree", tree]);
        for parent in parents {
            command.args(["-p", parent]);
        }
        command.args(["-m", &format!("review {name}")]);
        for who in ["AUTHOR", "COMMITTER"] {
            command.env(format!("GIT_{who}_NAME"), "interagent");
            command.env(format!("GIT_{who}_EMAIL"), "interagent@localhost");
        }
        said(command)
    }
}

/// Plumbing: no configuration of colours, prefixes or external programs changes what it prints.
const DIFF: [&str; 9] = [
    "-c",
    "core.quotePath=false",
    "diff-tree",
    "-r",
    "-p",
    "-M",
    "--no-ext-diff",
    "--no-textconv",
    "--no-color",
];

/// A copy of the index, which git may write to as it likes; it is gone afterwards.
struct IndexCopy {
    directory: PathBuf,
}

impl IndexCopy {
    fn of(repository: &Repository) -> Result<Self, CliError> {
        let failed = |source: std::io::Error| {
            CliError::new(ErrorKind::Unavailable, "cannot copy the git index").with_source(source)
        };
        let index = run(Some(&repository.root), &["rev-parse", "--git-path", "index"], no_repository)?;
        let index = repository.root.join(index.trim_end_matches('\n'));
        let directory = surroundings::new_temporary_directory().map_err(failed)?;
        let copy = Self { directory };
        match std::fs::copy(index, copy.file()) {
            Ok(_) => Ok(copy),
            // Nothing was ever staged.
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(copy),
            Err(error) => Err(failed(error)),
        }
    }

    fn file(&self) -> PathBuf {
        self.directory.join("index")
    }

    fn git(&self, repository: &Repository, arguments: &[&str]) -> Result<String, CliError> {
        let mut command = git(Some(&repository.root));
        command.args(arguments).env("GIT_INDEX_FILE", self.file());
        said(command)
    }
}

impl Drop for IndexCopy {
    fn drop(&mut self) {
        // What can't be removed is in the directory for temporary files.
        let _ = std::fs::remove_dir_all(&self.directory);
    }
}

fn said(mut command: Command) -> Result<String, CliError> {
    let mut child = command.spawn().map_err(|source| {
        CliError::new(ErrorKind::Unavailable, "git can't be started").with_source(source)
    })?;
    let bytes = output_of(&mut child, no_snapshot)?;
    Ok(String::from_utf8_lossy(&bytes).trim_end_matches('\n').to_owned())
}

fn no_snapshot(complaint: &str) -> CliError {
    CliError::new(ErrorKind::Refused, format!("git can't write a snapshot: {complaint}"))
        .with_code("no_snapshot")
        .with_hint("git diff HEAD | interagent review open --diff - passes the change as text")
}

fn no_commit(name: &str) -> CliError {
    CliError::new(ErrorKind::NotFound, format!("unknown commit or branch `{name}`"))
        .with_code("no_such_commit")
        .with_hint("git branch --all lists the branches")
}
