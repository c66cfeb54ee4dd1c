//! Starting git: with arguments and never through a shell, without the user's hooks, signing and pager.
//!
//! Owns how git is called. Everything happens in the directory that all trees of a repository share, so it works from any
//! worktree, in a bare repository and in the middle of a rebase; the index and the files of a tree are never involved.

use std::io::{Read, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::thread::JoinHandle;

use super::error::GitError;

/// Of what git says, the end is kept: that is where the reason stands.
const COMPLAINT_BYTES: usize = 16 * 1024;

/// By this code git answers a question with no; whatever is wrong has another one.
pub(super) const NO: i32 = 1;

/// What is the same in every call. Nothing here lets a configuration start a program of its own, but those that reach a
/// remote (ssh, helpers for credentials), which are the user's to choose.
const ALWAYS: [&str; 15] = [
    "--no-pager",
    "-c",
    "core.hooksPath=/dev/null",
    "-c",
    "core.fsmonitor=false",
    "-c",
    "gc.auto=0",
    "-c",
    "maintenance.auto=false",
    "-c",
    "core.quotePath=false",
    "-c",
    "core.commitGraph=true",
    "-c",
    "log.showSignature=false",
];

/// Variables that a hook of git sets about the tree that it runs for; ours is another one.
const OF_ANOTHER_TREE: [&str; 10] = [
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_COMMON_DIR",
    "GIT_PREFIX",
    "GIT_NAMESPACE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_QUARANTINE_PATH",
    "GIT_CEILING_DIRECTORIES",
];

/// The git of one repository.
#[derive(Clone, Debug)]
pub struct Git {
    common_dir: PathBuf,
}

/// A git that was started, with its standard streams.
#[derive(Debug)]
pub(super) struct Running {
    child: Child,
    complaint: JoinHandle<Vec<u8>>,
    doing: String,
    pub(super) stdin: Option<ChildStdin>,
    pub(super) stdout: Option<ChildStdout>,
}

impl Git {
    /// The repository whose shared directory this is.
    pub fn at(common_dir: &Path) -> Self {
        Self { common_dir: common_dir.to_owned() }
    }

    /// The same, where git itself would work in it: a repository of another user may say in its settings what git runs, and
    /// naming its directory passes by git's own check.
    pub fn trusted_at(common_dir: &Path) -> Result<Self, GitError> {
        let git = Self::at(common_dir);
        let is_ours =
            common_dir.metadata().is_ok_and(|found| found.uid() == rustix::process::geteuid().as_raw());
        if is_ours {
            return Ok(git);
        }
        let mut command = Command::new("git");
        for variable in OF_ANOTHER_TREE {
            command.env_remove(variable);
        }
        command.args(["rev-parse", "--git-dir"]).env("LC_ALL", "C").current_dir(git.home());
        match command.output() {
            Ok(done) if String::from_utf8_lossy(&done.stderr).contains("dubious ownership") => {
                Err(GitError::NotTrusted { path: git.home().to_owned() })
            }
            _ => Ok(git),
        }
    }

    /// The directory that all trees of the repository share.
    pub fn common_dir(&self) -> &Path {
        &self.common_dir
    }

    /// Where git runs: a remote's relative path counts from the root of the main worktree, or from a bare repository.
    fn home(&self) -> &Path {
        match (self.common_dir.file_name(), self.common_dir.parent()) {
            (Some(name), Some(root)) if name == ".git" => root,
            _ => &self.common_dir,
        }
    }

    /// Starts git with standard input and output in our hands.
    pub(super) fn start(&self, arguments: &[&str]) -> Result<Running, GitError> {
        let mut command = Command::new("git");
        for variable in OF_ANOTHER_TREE {
            command.env_remove(variable);
        }
        command.args(ALWAYS).arg("--git-dir").arg(&self.common_dir).args(arguments);
        // A repository that insists on a configured name has nothing to insist on here.
        for who in ["AUTHOR", "COMMITTER"] {
            command.env(format!("GIT_{who}_NAME"), "interagent");
            command.env(format!("GIT_{who}_EMAIL"), "interagent@localhost");
        }
        command.env("LC_ALL", "C").env("GIT_OPTIONAL_LOCKS", "0").current_dir(self.home());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let doing = arguments.iter().find(|word| !word.starts_with('-')).map_or("", |word| word).to_owned();
        let mut child = command.spawn().map_err(|source| match source.kind() {
            // The directory may be gone, too; then git is not what is missing.
            std::io::ErrorKind::NotFound if self.common_dir.is_dir() => GitError::NoGit,
            std::io::ErrorKind::NotFound => GitError::Gone { path: self.common_dir.clone() },
            _ => GitError::Start { source },
        })?;
        let stderr = child.stderr.take();
        // Read beside everything else: a git that complains at length must not stand still.
        let complaint = std::thread::spawn(move || stderr.map_or_else(Vec::new, end_of));
        let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
        Ok(Running { child, complaint, doing, stdin, stdout })
    }

    /// What git prints, after it ended well.
    pub(super) fn run(&self, arguments: &[&str]) -> Result<String, GitError> {
        self.run_with(arguments, &[])
    }

    /// What git prints of one of the repository's trees and its index.
    pub(super) fn run_in_tree(
        &self,
        git_dir: &Path,
        root: &Path,
        arguments: &[&str],
    ) -> Result<String, GitError> {
        let tree = Self { common_dir: git_dir.to_owned() };
        let root = root.display().to_string();
        let arguments = [&["--work-tree", &root, "-C", &root], arguments].concat();
        tree.run(&arguments)
    }

    /// The same, with something to read.
    pub(super) fn run_with(&self, arguments: &[&str], input: &[u8]) -> Result<String, GitError> {
        let mut running = self.start(arguments)?;
        if let Some(mut stdin) = running.stdin.take() {
            // Whether it was read is told by how git ends.
            let _ = stdin.write_all(input);
        }
        let mut printed = Vec::new();
        if let Some(mut stdout) = running.stdout.take() {
            stdout.read_to_end(&mut printed).map_err(|source| GitError::Start { source })?;
        }
        running.end()?;
        Ok(String::from_utf8_lossy(&printed).into_owned())
    }

    /// The commit that a reference points to.
    pub(super) fn commit_at(&self, reference: &str) -> Result<Option<String>, GitError> {
        let asked = format!("{reference}^{{commit}}");
        match self.run(&["rev-parse", "--verify", "--quiet", "--end-of-options", &asked]) {
            Ok(printed) => Ok(Some(printed.trim().to_owned())),
            Err(GitError::Failed { code: Some(NO), .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Whether one commit comes before another, or is it.
    pub(super) fn is_ancestor(&self, before: &str, after: &str) -> Result<bool, GitError> {
        if before == after {
            return Ok(true);
        }
        match self.run(&["merge-base", "--is-ancestor", before, after]) {
            Ok(_) => Ok(true),
            Err(GitError::Failed { code: Some(NO), .. }) => Ok(false),
            Err(error) => Err(error),
        }
    }
}

impl Running {
    /// Waits for its end.
    pub(super) fn end(mut self) -> Result<(), GitError> {
        drop(self.stdin.take());
        drop(self.stdout.take());
        let ended = self.child.wait().map_err(|source| GitError::Start { source })?;
        let said = self.complaint.join().unwrap_or_default();
        match ended.success() {
            true => Ok(()),
            false => {
                let said = String::from_utf8_lossy(&said).trim().to_owned();
                Err(GitError::failed(self.doing, said, ended.code()))
            }
        }
    }

    /// The process.
    pub(super) fn id(&self) -> u32 {
        self.child.id()
    }
}

/// Reads to the end and keeps the last part.
fn end_of(mut stream: impl Read) -> Vec<u8> {
    let mut kept = Vec::new();
    let mut piece = [0; 4096];
    while let Ok(length) = stream.read(&mut piece) {
        if length == 0 {
            break;
        }
        kept.extend_from_slice(&piece[..length]);
        if kept.len() > 2 * COMPLAINT_BYTES {
            kept.drain(..kept.len() - COMPLAINT_BYTES);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn repository() -> (tempfile::TempDir, Git) {
        let folder = tempfile::tempdir().unwrap();
        let git = Git::at(folder.path());
        git.run(&["init", "--quiet", "--bare"]).unwrap();
        (folder, git)
    }

    #[test]
    fn a_warning_beside_a_no_makes_it_no_error() {
        let (folder, git) = repository();
        std::fs::write(folder.path().join("refs/heads/interagent"), "garbage\n").unwrap();
        assert_eq!(git.commit_at("refs/heads/interagent").unwrap(), None);
    }

    #[test]
    fn a_git_that_was_ended_has_not_said_no() {
        let (_folder, git) = repository();
        let running = git.start(&["cat-file", "--batch"]).unwrap();
        let id = i32::try_from(running.id()).ok().and_then(rustix::process::Pid::from_raw).unwrap();
        rustix::process::kill_process(id, rustix::process::Signal::KILL).unwrap();
        let ended = running.end();
        assert!(matches!(ended, Err(GitError::Failed { code: None, .. })), "{ended:?}");
    }
}
