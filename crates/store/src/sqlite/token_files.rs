//! Tokens in the clear, for the clients of this machine: one file for each agent, for its owner alone.
//!
//! The hub knows only hashes. The files are there so that a client's configuration can be written from them; losing one
//! costs a new token and nothing else.

use std::io::{Read, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use interagent_core::ids::AgentId;
use interagent_core::token::Token;
use rustix::fs::{Mode, OFlags};

use super::files;
use crate::error::StoreError;

/// Longest file that is taken for one of ours.
const TOKEN_BYTES: u64 = 256;

/// The directory of the token files.
#[derive(Debug)]
pub struct TokenFiles {
    dir: PathBuf,
}

impl TokenFiles {
    /// Those of the store in this directory.
    pub fn new(state_dir: &Path) -> Self {
        Self { dir: state_dir.join("tokens") }
    }

    /// Where an agent's token lies: under its id, which is never a path.
    pub fn path(&self, agent: &AgentId) -> PathBuf {
        self.dir.join(agent.as_str())
    }

    /// Writes an agent's token whole, in the place of the one before.
    pub fn write(&self, agent: &AgentId, token: &Token) -> Result<(), StoreError> {
        self.make_dir()?;
        let (path, unfinished) = (self.path(agent), self.dir.join(format!("{agent}.new")));
        // What a run that was killed left behind.
        remove(&unfinished)?;
        let mut file = files::open_side_file(&unfinished, OFlags::EXCL)?;
        writeln!(file, "{}", token.reveal()).map_err(|e| StoreError::io("write", &unfinished, e))?;
        std::fs::rename(&unfinished, &path).map_err(|e| StoreError::io("write", path, e))
    }

    /// An agent's token, where its file is there and readable to nobody else.
    pub fn read(&self, agent: &AgentId) -> Result<Option<Token>, StoreError> {
        let path = self.path(agent);
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
        let file = match rustix::fs::open(&path, flags, Mode::empty()) {
            Ok(descriptor) => std::fs::File::from(descriptor),
            Err(rustix::io::Errno::NOENT | rustix::io::Errno::LOOP) => return Ok(None),
            Err(error) => return Err(StoreError::io("read", path, error.into())),
        };
        let meta = file.metadata().map_err(|e| StoreError::io("look at", &path, e))?;
        if !meta.is_file() || meta.mode() & 0o077 != 0 {
            return Ok(None);
        }
        let mut text = String::new();
        match file.take(TOKEN_BYTES).read_to_string(&mut text) {
            Ok(_) => Ok(Some(Token::shown(text.trim()))),
            Err(error) => Err(StoreError::io("read", path, error)),
        }
    }

    /// Removes an agent's file.
    pub fn remove(&self, agent: &AgentId) -> Result<(), StoreError> {
        remove(&self.path(agent))
    }

    fn make_dir(&self) -> Result<(), StoreError> {
        files::make_private_dir(&self.dir)?;
        match files::look(&self.dir)? {
            Some(meta) if meta.is_dir() && meta.mode() & 0o077 == 0 => Ok(()),
            Some(meta) if meta.is_dir() => {
                let mode = std::fs::Permissions::from_mode(0o700);
                std::fs::set_permissions(&self.dir, mode)
                    .map_err(|e| StoreError::io("restrict", &self.dir, e))
            }
            Some(meta) => Err(files::not_ours(&self.dir, "directory", &meta)),
            None => Err(StoreError::io("create", &self.dir, std::io::ErrorKind::NotFound.into())),
        }
    }
}

fn remove(path: &Path) -> Result<(), StoreError> {
    match std::fs::remove_file(path) {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => Err(StoreError::io("remove", path, e)),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_file_is_its_owners_alone_and_never_a_link() {
        let state = tempfile::tempdir().unwrap();
        let files = TokenFiles::new(state.path());
        let agent = AgentId::from_bits(7);
        assert_eq!(files.read(&agent).unwrap(), None);
        let token = Token::from_bits([1; 32]);
        files.write(&agent, &Token::from_bits([2; 32])).unwrap();
        files.write(&agent, &token).unwrap();
        assert_eq!(files.read(&agent).unwrap(), Some(token.clone()));
        let mode = |path: &Path| std::fs::metadata(path).unwrap().mode() & 0o7777;
        assert_eq!((mode(&files.path(&agent)), mode(&state.path().join("tokens"))), (0o600, 0o700));
        assert_eq!(std::fs::read_dir(state.path().join("tokens")).unwrap().count(), 1);
        // One that others could read is nobody's secret any more.
        std::fs::set_permissions(files.path(&agent), std::fs::Permissions::from_mode(0o644)).unwrap();
        assert_eq!(files.read(&agent).unwrap(), None);
        files.remove(&agent).unwrap();
        files.remove(&agent).unwrap();
        let elsewhere = state.path().join("elsewhere");
        std::fs::write(&elsewhere, "kept").unwrap();
        std::os::unix::fs::symlink(&elsewhere, files.path(&agent)).unwrap();
        assert_eq!(files.read(&agent).unwrap(), None);
        files.write(&agent, &token).unwrap();
        assert_eq!(std::fs::read_to_string(&elsewhere).unwrap(), "kept");
        assert_eq!(files.read(&agent).unwrap(), Some(token));
    }
}
