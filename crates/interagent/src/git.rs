//! Changes as git shows them, and what only git knows of a repository.
//!
//! Owns starting git: with arguments and never through a shell, without programs that a configuration could name, and
//! without writing anything but a worktree that was asked for and the objects of a review. What it prints is read up to the
//! size a text may have.

mod snapshot;

pub(crate) use snapshot::{Objects, Repository, STAGED, Snapshot, WORKING_TREE};

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use interagent_core::limits;
use interagent_wire::request::RefParam;

use crate::config::programs::ends_within;
use crate::config::trees::real_path;
use crate::error::{CliError, ErrorKind};
use crate::input;

/// Of what git says when it fails, the beginning is enough.
const COMPLAINT_BYTES: u64 = 4 * 1024;

/// What is waited for a short answer: well below the deadline of a hook.
const PATIENCE: Duration = Duration::from_millis(500);
/// Longest such answer. A tree with more untracked files than that is not told apart.
const ANSWER_BYTES: u64 = 4 * 1024 * 1024;

/// Which change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Change {
    /// What differs from the last commit in files that git knows.
    WorkingTree,
    /// What git understands as a range or a commit to compare with.
    Range(String),
    /// A diff that was made before, in a file.
    File(PathBuf),
    /// A diff on standard input.
    Stdin,
}

impl Change {
    /// Reads the value of `--diff`: a file, `-` or a range. Without one it is the working tree. A name that git knows as a
    /// commit is that commit, also where a file is called the same.
    pub(crate) fn of(given: Option<String>, directory: Option<&Path>) -> Result<Self, CliError> {
        let file = |name: &str| directory.unwrap_or(Path::new(".")).join(name);
        match given.as_deref().map(str::trim) {
            None | Some("") => Ok(Self::WorkingTree),
            Some("-") => Ok(Self::Stdin),
            Some(name) if is_readable(&file(name)) && !is_commit(name, directory) => {
                Ok(Self::File(file(name)))
            }
            // An option in its place could make git write files or run programs.
            Some(range) if range.starts_with('-') || range.chars().any(char::is_control) => {
                Err(CliError::new(ErrorKind::Usage, "the range of --diff can't be an option of git")
                    .with_hint("write commits, such as main..HEAD"))
            }
            Some(range) if range.contains("..") || is_commit(range, directory) => {
                Ok(Self::Range(range.to_owned()))
            }
            Some(name) => {
                let sentence = format!("no such file, commit or branch: {name}");
                Err(CliError::new(ErrorKind::NotFound, sentence)
                    .with_code("no_such_file")
                    .with_hint(DIFF_TAKES))
            }
        }
    }

    fn name(&self) -> String {
        match self {
            Self::WorkingTree => WORKING_TREE.to_owned(),
            Self::Range(range) => range.clone(),
            Self::File(path) => path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            Self::Stdin => "standard input".to_owned(),
        }
    }
}

/// Whether a diff can be read from the path: a file, or the pipe of a shell's `<(git diff)`.
fn is_readable(path: &Path) -> bool {
    path.exists() && !path.is_dir()
}

fn is_commit(name: &str, directory: Option<&Path>) -> bool {
    Repository::around(directory).is_ok_and(|repository| repository.commit(name).is_some())
}

/// The change as a reference with its snapshot.
pub(crate) fn diff(directory: Option<&Path>, change: &Change) -> Result<RefParam, CliError> {
    let reference = RefParam { kind: "diff".to_owned(), target: change.name(), ..RefParam::default() };
    let since = match change {
        Change::Range(range) => Some(range.as_str()),
        Change::File(path) => return Ok(RefParam { text: Some(given(path)?), ..reference }),
        Change::Stdin => return Ok(RefParam { text: Some(given(Path::new("-"))?), ..reference }),
        // A repository without a commit has nothing to compare with but its index.
        Change::WorkingTree
            if run(directory, &["rev-parse", "--verify", "--quiet", "HEAD"], no_diff).is_ok() =>
        {
            Some("HEAD")
        }
        Change::WorkingTree => None,
    };
    let mut arguments = vec!["diff", "--no-ext-diff", "--no-textconv", "--no-color"];
    arguments.extend(since);
    arguments.push("--");
    let text = run(directory, &arguments, no_diff)?;
    if text.trim().is_empty() {
        let error = CliError::new(ErrorKind::Refused, "there is nothing in the diff, so nothing was sent");
        return Err(error
            .with_code("empty_diff")
            .with_hint("files that git does not know yet are not in it: git add -N PATH"));
    }
    Ok(RefParam { text: Some(text), ..reference })
}

/// Reads a diff from a file or standard input.
fn given(path: &Path) -> Result<String, CliError> {
    let text = input::from_file(path)?;
    match text.trim().is_empty() {
        true => Err(CliError::new(ErrorKind::Refused, "the diff is empty")
            .with_code("empty_diff")
            .with_hint("--diff without a value uses the changes since the last commit")),
        false => Ok(text),
    }
}

/// Where git looks for the hooks of the repository around a directory: all its trees share them, and a configuration may
/// have put them elsewhere.
pub(crate) fn hooks_directory(directory: Option<&Path>) -> Result<PathBuf, CliError> {
    // A relative place of hooks counts from the root of the tree.
    let root = run(directory, &["rev-parse", "--show-toplevel"], no_repository)?;
    let root = PathBuf::from(root.trim_end_matches('\n'));
    let hooks = run(Some(&root), &["rev-parse", "--git-path", "hooks"], no_repository)?;
    Ok(root.join(hooks.trim_end_matches('\n')))
}

/// Whose the hooks of a repository are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HooksAre {
    /// This repository's alone.
    Its,
    /// Outside of it.
    Elsewhere,
    /// Among the files it tracks.
    Tracked,
}

/// Whose the hooks in a directory are, for the repository around another one.
pub(crate) fn hooks_are(directory: Option<&Path>, hooks: &Path) -> Result<HooksAre, CliError> {
    let said = |arguments: &[&str]| {
        let path = run(directory, arguments, no_repository)?;
        let path = PathBuf::from(path.trim_end_matches('\n'));
        Ok::<_, CliError>(real_path(&directory.unwrap_or(Path::new(".")).join(path)))
    };
    let hooks = real_path(hooks);
    if hooks.starts_with(said(&["rev-parse", "--git-common-dir"])?) {
        return Ok(HooksAre::Its);
    }
    let root = said(&["rev-parse", "--show-toplevel"])?;
    let Ok(inside) = hooks.strip_prefix(&root) else { return Ok(HooksAre::Elsewhere) };
    let tracked = run(Some(&root), &["ls-files", "--", &inside.display().to_string()], no_repository)?;
    Ok(if tracked.trim().is_empty() { HooksAre::Its } else { HooksAre::Tracked })
}

/// The files of a tree that git neither knows nor ignores. Absent where it can't say.
pub(crate) fn untracked(root: &str) -> Option<Vec<String>> {
    let said = answer(root, &["ls-files", "--others", "--exclude-standard", "-z"])?;
    Some(said.split('\0').filter(|file| !file.is_empty()).map(str::to_owned).collect())
}

/// The files that the commit in progress changes, absolute. A hook of git asks: the index it names is the one that
/// `commit -a` and `commit FILE` made for this commit alone.
pub(crate) fn staged(directory: Option<&Path>) -> Result<Vec<String>, CliError> {
    let root = run(directory, &["rev-parse", "--show-toplevel"], no_repository)?;
    let root = root.trim_end_matches('\n');
    let mut command = git(Some(Path::new(root)));
    command.args(["diff", "--cached", "--name-only", "--no-renames", "--no-ext-diff", "-z"]);
    // As long as the index: a first commit names every file there is.
    let done = command.output().map_err(|source| {
        CliError::new(ErrorKind::Unavailable, "git can't be started").with_source(source)
    })?;
    if !done.status.success() {
        let said = String::from_utf8_lossy(&done.stderr).into_owned();
        let sentence = format!("git can't list the files of this commit: {}", said.trim());
        return Err(CliError::new(ErrorKind::Unavailable, sentence));
    }
    let said = String::from_utf8_lossy(&done.stdout);
    Ok(said.split('\0').filter(|file| !file.is_empty()).map(|file| format!("{root}/{file}")).collect())
}

/// The branches that lines of git's reference-transaction hook put elsewhere: `old new ref` for each. One that goes where a
/// remote has it is only brought up to date.
pub(crate) fn updated_branches(directory: Option<&Path>, lines: &str) -> Vec<String> {
    let moved: Vec<(&str, &str)> = lines
        .lines()
        .filter_map(|line| match line.split(' ').collect::<Vec<_>>().as_slice() {
            [old, new, name] if old != new => Some((*new, name.strip_prefix("refs/heads/")?)),
            _ => None,
        })
        .collect();
    if moved.is_empty() {
        return Vec::new();
    }
    // In the middle of a transaction git reads what there was before.
    let format = "--format=%(objectname) %(refname)";
    let remotes =
        run(directory, &["for-each-ref", format, "refs/remotes"], no_repository).unwrap_or_default();
    let is_there = |(new, name): &(&str, &str)| {
        let of_remote = |line: &str| {
            let (id, full) = line.split_once(" refs/remotes/")?;
            Some(id == *new && full.split_once('/')?.1 == *name)
        };
        remotes.lines().filter_map(of_remote).any(|fits| fits)
    };
    moved.iter().filter(|one| !is_there(one)).map(|(_, name)| (*name).to_owned()).collect()
}

/// What git's index has of a file of a tree.
pub(crate) fn in_index(tree: &Path, file: &str) -> Option<Vec<u8>> {
    let done = git(Some(tree)).args(["cat-file", "blob", &format!(":{file}")]).output().ok()?;
    done.status.success().then_some(done.stdout)
}

/// Makes a reference to a commit, so that git keeps it. One that can't be made loses nothing yet.
pub(crate) fn keep_commit(tree: &Path, reference: &str, id: &str) {
    let _ = run(Some(tree), &["update-ref", reference, id], no_repository);
}

/// Puts a branch to a commit, or removes it where there was none. Our own hooks are for agents.
pub(crate) fn put_branch(tree: &Path, name: &str, id: &str) -> Result<(), CliError> {
    let reference = format!("refs/heads/{name}");
    let arguments = match id {
        "" => vec!["update-ref", "-d", &reference],
        id => vec!["update-ref", "-m", "interagent guard restore", &reference, id],
    };
    run(Some(tree), &arguments, no_repository).map(drop)
}

/// Puts `core.hooksPath` to what it was; an empty one is removed.
pub(crate) fn put_hooks_path(tree: &Path, path: &str) -> Result<(), CliError> {
    let arguments = match path {
        "" => vec!["config", "--unset-all", "core.hooksPath"],
        path => vec!["config", "core.hooksPath", path],
    };
    run(Some(tree), &arguments, no_repository).map(drop)
}

/// Those of some files below a directory that git tracks; none outside of a repository.
pub(crate) fn tracked<'p>(directory: &Path, files: impl IntoIterator<Item = &'p Path>) -> Vec<PathBuf> {
    let below = files.into_iter().filter_map(|file| file.strip_prefix(directory).ok()?.to_str());
    let mut arguments = vec!["--literal-pathspecs", "ls-files", "-z", "--"];
    arguments.extend(below);
    if arguments.len() == 4 {
        return Vec::new();
    }
    let listed = run(Some(directory), &arguments, no_repository).unwrap_or_default();
    listed.split('\0').filter(|file| !file.is_empty()).map(|file| directory.join(file)).collect()
}

/// Whether git ignores a path. What git can't say is not ignored.
pub(crate) fn is_ignored(root: &str, path: &str) -> bool {
    answer(root, &["check-ignore", "--quiet", "--", path]).is_some()
}

/// What git says of a tree, quickly or not at all: a refusal that waits for it must not become a permission.
fn answer(root: &str, arguments: &[&str]) -> Option<String> {
    let mut command = git(Some(Path::new(root)));
    command.args(arguments);
    // It is about this tree, also where a hook of git asks from another one.
    command.env_remove("GIT_DIR").env_remove("GIT_WORK_TREE").env_remove("GIT_INDEX_FILE");
    let mut child = command.stderr(Stdio::null()).spawn().ok()?;
    let out = child.stdout.take()?;
    let reader = std::thread::spawn(move || std::io::read_to_string(out.take(ANSWER_BYTES)));
    if !ends_within(&mut child, PATIENCE) {
        let _ = child.kill();
    }
    let has_ended_well = child.wait().is_ok_and(|ended| ended.success());
    let said = reader.join().ok()?.ok()?;
    has_ended_well.then_some(said)
}

/// Whether any commit that a name leads to has touched a path. Where git can't say, there is nothing to do about it.
pub(crate) fn history_holds(directory: &Path, path: &str) -> bool {
    let asked = run(Some(directory), &["rev-list", "-1", "--all", "--", path], no_repository);
    asked.is_ok_and(|commit| !commit.trim().is_empty())
}

/// The remotes that a branch was exchanged with, `origin` first; all of them where none is known to have it.
pub(crate) fn remotes_with(directory: &Path, branch: &str) -> Vec<String> {
    let ask = |arguments: &[&str]| run(Some(directory), arguments, no_repository).unwrap_or_default();
    let mut remotes: Vec<String> = ask(&["remote"]).lines().map(str::to_owned).collect();
    let known = ask(&["for-each-ref", "--format=%(refname)", "refs/interagent/", "refs/remotes/"]);
    let has = |remote: &String| {
        let (kept, followed) =
            (format!("refs/interagent/{remote}"), format!("refs/remotes/{remote}/{branch}"));
        known.lines().any(|name| name == kept || name == followed)
    };
    if remotes.iter().any(has) {
        remotes.retain(has);
    }
    remotes.sort_by_key(|remote| remote != "origin");
    remotes
}

/// Whether a directory is in a git repository.
pub(crate) fn is_repository(directory: &Path) -> bool {
    run(Some(directory), &["rev-parse", "--git-dir"], no_repository).is_ok()
}

/// Whether a directory is in a repository that has a commit.
pub(crate) fn has_commits(root: &Path) -> bool {
    run(Some(root), &["rev-parse", "--verify", "--quiet", "HEAD"], no_repository).is_ok()
}

/// Whether a repository has a branch of this name.
pub(crate) fn has_branch(root: &Path, branch: &str) -> bool {
    let name = format!("refs/heads/{branch}");
    run(Some(root), &["show-ref", "--verify", "--quiet", &name], no_repository).is_ok()
}

/// Makes a worktree on a branch, which is made too where it is missing; otherwise what git complained of. No hook of the
/// repository runs for it.
pub(crate) fn add_worktree(root: &Path, path: &Path, branch: &str) -> Result<(), String> {
    if !path.exists() {
        forget_worktree(root, path);
    }
    let is_there = has_branch(root, branch);
    let mut command = git(Some(root));
    command.args(["-c", "core.hooksPath=/dev/null", "worktree", "add"]);
    if !is_there {
        command.args(["-b", branch]);
    }
    command.arg("--").arg(path);
    if is_there {
        command.arg(branch);
    }
    let done = command.output().map_err(|error| error.to_string())?;
    match done.status.success() {
        true => Ok(()),
        false => {
            if !is_there {
                // Git creates the branch before it fails. `-d` keeps a branch with commits of its own.
                let _ = run(Some(root), &["branch", "-q", "-d", "--", branch], no_repository);
            }
            let said = String::from_utf8_lossy(&done.stderr).into_owned();
            // Before that it only tells what it is about to do.
            let complaint = said.find("fatal").and_then(|at| said.get(at..)).unwrap_or(&said);
            Err(complaint.lines().collect::<Vec<_>>().join(" "))
        }
    }
}

/// Takes a worktree whose directory was deleted off git's list, and no other. Git itself refuses where it is locked, and says
/// so when the worktree is made.
fn forget_worktree(root: &Path, path: &Path) {
    let _ = run(Some(root), &["worktree", "remove", "--", &path.display().to_string()], no_repository);
}

const DIFF_TAKES: &str =
    "--diff takes a file, - or a range such as main..HEAD; a text goes before it or behind -m";

fn no_diff(complaint: &str) -> CliError {
    CliError::new(ErrorKind::Usage, format!("git has no diff for this: {complaint}")).with_hint(DIFF_TAKES)
}

fn no_repository(complaint: &str) -> CliError {
    let sentence = format!("there is no git repository around this directory; git says: {complaint}");
    CliError::new(ErrorKind::NotFound, sentence).with_hint("git init makes one")
}

/// A call of git that runs no program a configuration names, takes no lock it can do without, and prints English.
fn git(directory: Option<&Path>) -> Command {
    let mut command = Command::new("git");
    command.args(["--no-pager", "-c", "core.fsmonitor=false"]);
    command.env("GIT_OPTIONAL_LOCKS", "0").env("LC_ALL", "C");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    if let Some(directory) = directory {
        command.current_dir(directory);
    }
    command
}

/// What git prints, as text. Bytes that are none are shown as such: a diff may hold any file's lines.
fn run(
    directory: Option<&Path>,
    arguments: &[&str],
    refused: fn(&str) -> CliError,
) -> Result<String, CliError> {
    let mut command = git(directory);
    command.args(arguments);
    let mut child = command.spawn().map_err(|source| {
        CliError::new(ErrorKind::Unavailable, "git can't be started").with_source(source)
    })?;
    let bytes = output_of(&mut child, refused)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn output_of(child: &mut Child, refused: fn(&str) -> CliError) -> Result<Vec<u8>, CliError> {
    let failed = |source| CliError::new(ErrorKind::Unavailable, "git can't be read").with_source(source);
    // Read beside its output, and to the end: git waits while a full pipe is not read, and ends when one is closed.
    let complaint = child.stderr.take().map(|mut err| {
        std::thread::spawn(move || {
            let mut kept = Vec::new();
            let _ = err.by_ref().take(COMPLAINT_BYTES).read_to_end(&mut kept);
            let _ = std::io::copy(&mut err, &mut std::io::sink());
            kept
        })
    });
    let mut bytes = Vec::new();
    if let Some(out) = child.stdout.take() {
        out.take(limits::BODY_BYTES as u64 + 1).read_to_end(&mut bytes).map_err(failed)?;
    }
    if bytes.len() > limits::BODY_BYTES {
        // It would wait for ever for somebody to read the rest.
        let _ = child.kill();
        let _ = child.wait();
        let sentence =
            format!("the diff has more than {} bytes, the most a text may have", limits::BODY_BYTES);
        let error = CliError::new(ErrorKind::Usage, sentence).with_code("too_long");
        return Err(error.with_hint("send a part with --diff RANGE, or refer to it with --ref commit:HASH"));
    }
    let ended = child.wait().map_err(failed)?;
    let complaint = complaint.and_then(|reader| reader.join().ok()).unwrap_or_default();
    match ended.success() {
        true => Ok(bytes),
        false => {
            let complaint = String::from_utf8_lossy(&complaint).lines().next().unwrap_or_default().to_owned();
            Err(refused(&complaint))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_is_never_an_option() {
        assert_eq!(Change::of(None, None).unwrap(), Change::WorkingTree);
        assert_eq!(Change::of(Some("-".to_owned()), None).unwrap(), Change::Stdin);
        assert_eq!(
            Change::of(Some("main..HEAD".to_owned()), None).unwrap(),
            Change::Range("main..HEAD".to_owned())
        );
        for wrong in ["--output=/tmp/x", "-O/tmp/x", " --ext-diff", "a\nb"] {
            assert!(Change::of(Some(wrong.to_owned()), None).is_err(), "{wrong}");
        }
    }
}
