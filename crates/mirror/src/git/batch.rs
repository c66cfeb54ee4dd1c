//! Reading many objects from one git: `cat-file --batch`.
//!
//! It also resolves references and lists trees: starting git for each such question costs more than the answer.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::ChildStdout;

use super::error::GitError;
use super::layout::MOST_BYTES;
use super::run::{Git, Running};

/// So many are asked for at once. The questions must fit into a pipe, because nobody reads them while git answers.
const AHEAD: usize = 64;

/// An object that was asked for.
struct Object {
    /// Its id, whichever name was asked for.
    id: String,
    /// Its content, or none if it is too large.
    bytes: Option<Vec<u8>>,
}

/// A git that answers with objects.
#[derive(Debug)]
pub(super) struct Batch {
    running: Running,
    answers: BufReader<ChildStdout>,
}

impl Batch {
    pub(super) fn open(git: &Git) -> Result<Self, GitError> {
        let mut running = git.start(&["cat-file", "--batch"])?;
        let stdout = running.stdout.take().ok_or(GitError::NoGit)?;
        Ok(Self { running, answers: BufReader::new(stdout) })
    }

    /// One object; `None` where there is none of that name.
    pub(super) fn read(&mut self, name: &str) -> Result<Option<Vec<u8>>, GitError> {
        let mut found = None;
        self.read_each(&[name], |_, bytes| {
            found = bytes;
            Ok(())
        })?;
        Ok(found)
    }

    /// Objects in the order of their names.
    pub(super) fn read_each(
        &mut self,
        names: &[impl AsRef<str>],
        mut take: impl FnMut(usize, Option<Vec<u8>>) -> Result<(), GitError>,
    ) -> Result<(), GitError> {
        for (round, some) in names.chunks(AHEAD).enumerate() {
            let mut questions = String::new();
            for name in some {
                questions.push_str(name.as_ref());
                questions.push('\n');
            }
            self.ask(&questions)?;
            for index in 0..some.len() {
                let answer = self.answer().map_err(|source| GitError::Start { source })?;
                take(round * AHEAD + index, answer.and_then(|object| object.bytes))?;
            }
        }
        Ok(())
    }

    /// The commit that a reference points to now.
    pub(super) fn commit_at(&mut self, reference: &str) -> Result<Option<String>, GitError> {
        let object = self.object(&format!("{reference}^{{commit}}"))?;
        Ok(object.map(|object| object.id))
    }

    /// The files of a commit below a directory, with their object ids. Skips links and submodules.
    pub(super) fn files(&mut self, commit: &str, below: &str) -> Result<Vec<(String, String)>, GitError> {
        let mut files = Vec::new();
        let mut open = vec![(below.to_owned(), format!("{commit}:{below}"))];
        while let Some((folder, name)) = open.pop() {
            let Some(Object { id, bytes: Some(bytes) }) = self.object(&name)? else { continue };
            for (mode, path, object) in rows(&bytes, id.len() / 2) {
                let path = format!("{folder}/{path}");
                match mode {
                    mode if mode.starts_with("100") => files.push((path, object)),
                    "40000" => open.push((path, object)),
                    _ => {}
                }
            }
        }
        Ok(files)
    }

    fn object(&mut self, name: &str) -> Result<Option<Object>, GitError> {
        self.ask(&format!("{name}\n"))?;
        self.answer().map_err(|source| GitError::Start { source })
    }

    fn ask(&mut self, questions: &str) -> Result<(), GitError> {
        let Some(stdin) = &mut self.running.stdin else { return Ok(()) };
        let asked = stdin.write_all(questions.as_bytes()).and_then(|()| stdin.flush());
        asked.map_err(|source| GitError::Start { source })
    }

    fn answer(&mut self) -> std::io::Result<Option<Object>> {
        let mut head = String::new();
        if self.answers.read_line(&mut head)? == 0 {
            return Err(std::io::Error::other("git ended before it answered"));
        }
        let mut words = head.trim_end().rsplit(' ');
        let length = match words.next() {
            Some("missing" | "ambiguous" | "submodule") | None => return Ok(None),
            Some(length) => length.parse::<u64>().map_err(std::io::Error::other)?,
        };
        let kept = length.min(MOST_BYTES);
        let mut bytes = Vec::with_capacity(usize::try_from(kept).unwrap_or(0));
        self.answers.by_ref().take(kept).read_to_end(&mut bytes)?;
        // The rest of what is too large, and the line end after every object.
        std::io::copy(&mut self.answers.by_ref().take(length - kept + 1), &mut std::io::sink())?;
        let id = head.split(' ').next().unwrap_or_default().to_owned();
        Ok(Some(Object { id, bytes: (length == kept).then_some(bytes) }))
    }
}

/// The entries of a tree: mode, name and object id. `width` is the length of an id in bytes.
fn rows(mut tree: &[u8], width: usize) -> Vec<(&str, String, String)> {
    let mut rows = Vec::new();
    while let Some(end) = tree.iter().position(|byte| *byte == 0) {
        let (facts, rest) = (&tree[..end], &tree[end + 1..]);
        let Some((object, rest)) = rest.split_at_checked(width) else { break };
        tree = rest;
        let Some(space) = facts.iter().position(|byte| *byte == b' ') else { continue };
        let mode = std::str::from_utf8(&facts[..space]).unwrap_or_default();
        let name = String::from_utf8_lossy(&facts[space + 1..]).into_owned();
        let object = object.iter().map(|byte| format!("{byte:02x}")).collect();
        rows.push((mode, name, object));
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The batch agrees with git's own commands, even about changes since it was opened.
    #[test]
    fn batch_agrees_with_git() {
        for format in ["sha1", "sha256"] {
            let folder = tempfile::tempdir().unwrap();
            let git = Git::at(folder.path());
            git.run(&["init", "--quiet", "--bare", &format!("--object-format={format}")]).unwrap();
            let mut batch = Batch::open(&git).unwrap();
            assert_eq!(batch.commit_at("refs/heads/interagent").unwrap(), None);
            let file = git.run_with(&["hash-object", "-w", "--stdin"], b"a line\n").unwrap();
            let tree = |rows: &str| git.run_with(&["mktree"], rows.as_bytes()).unwrap().trim().to_owned();
            let inner = tree(&format!("100644 blob {}\tsome file\n", file.trim()));
            let log = tree(&format!(
                "040000 tree {inner}\torigin-1\n120000 blob {0}\tlink\n100755 blob {0}\tü.jsonl\n",
                file.trim()
            ));
            let whole = tree(&format!("040000 tree {log}\tlog\n100644 blob {}\tREADME.md\n", file.trim()));
            let commit = git.run(&["commit-tree", "-m", "one", &whole]).unwrap().trim().to_owned();
            git.run(&["update-ref", "refs/heads/interagent", &commit]).unwrap();
            assert_eq!(batch.commit_at("refs/heads/interagent").unwrap(), Some(commit.clone()));
            git.run(&["pack-refs", "--all"]).unwrap();
            assert_eq!(batch.commit_at("refs/heads/interagent").unwrap(), Some(commit.clone()));
            let mut files = batch.files(&commit, "log").unwrap();
            files.sort();
            assert_eq!(files, crate::git::changes::files(&git, &commit, "log").unwrap());
            assert_eq!(files.len(), 2, "{files:?}");
            assert_eq!(batch.files(&commit, "texts").unwrap(), []);
            git.run(&["update-ref", "-d", "refs/heads/interagent"]).unwrap();
            assert_eq!(batch.commit_at("refs/heads/interagent").unwrap(), None);
        }
    }
}
