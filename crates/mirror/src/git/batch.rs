//! Reading many objects from one git: `cat-file --batch`.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::ChildStdout;

use super::error::GitError;
use super::layout::MOST_BYTES;
use super::run::{Git, Running};

/// So many are asked for at once. The questions must fit into a pipe, because nobody reads them while git answers.
const AHEAD: usize = 64;

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
            if let Some(stdin) = &mut self.running.stdin {
                let asked = stdin.write_all(questions.as_bytes()).and_then(|()| stdin.flush());
                asked.map_err(|source| GitError::Start { source })?;
            }
            for index in 0..some.len() {
                let answer = self.answer().map_err(|source| GitError::Start { source })?;
                take(round * AHEAD + index, answer)?;
            }
        }
        Ok(())
    }

    fn answer(&mut self) -> std::io::Result<Option<Vec<u8>>> {
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
        Ok((length == kept).then_some(bytes))
    }
}
