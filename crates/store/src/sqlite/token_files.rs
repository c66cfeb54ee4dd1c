//! Tokens in the clear, for the clients of this machine: one file for each agent, for its owner alone.
//!
//! The hub knows only hashes. The files are there so that a client's configuration can be written from them; losing one
//! costs a new token and nothing else.

use std::io::{ErrorKind, Read, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use interagent_core::ids::AgentId;
use interagent_core::token::Token;

use super::files;
use crate::error::StoreError;
use crate::side::{self, Access};

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

    /// Where a token lies that may become the agent's, under some characters of its hash.
    fn prepared(&self, agent: &AgentId, hash: &str) -> PathBuf {
        let hash: String = hash.chars().take_while(char::is_ascii_hexdigit).take(16).collect();
        self.dir.join(format!("{agent}.{hash}.new"))
    }

    /// Writes a token that may become the agent's. The one before stays where it is.
    pub fn prepare(&self, agent: &AgentId, token: &Token) -> Result<(), StoreError> {
        self.make_dir()?;
        let path = self.prepared(agent, &token.hash().text());
        remove(&path)?;
        let mut file = files::open_side_file(&path, Access::New)?;
        writeln!(file, "{}", token.reveal()).map_err(|e| StoreError::io("write", path, e))
    }

    /// Puts the token with this hash into the agent's file, or removes the file where there is none, and then everything
    /// else that was prepared. Only for whoever knows that no other hash is right.
    pub fn keep(&self, agent: &AgentId, hash: Option<&str>) -> Result<(), StoreError> {
        let path = self.path(agent);
        match hash {
            None => remove(&path)?,
            Some(hash) if read(&path, hash)?.is_some() => {}
            Some(hash) => {
                let prepared = self.prepared(agent, hash);
                if read(&prepared, hash)?.is_some() {
                    std::fs::rename(&prepared, &path).map_err(|e| StoreError::io("write", path, e))?;
                }
            }
        }
        self.all_prepared(agent)?.iter().try_for_each(|path| remove(path))
    }

    fn all_prepared(&self, agent: &AgentId) -> Result<Vec<PathBuf>, StoreError> {
        let files = match std::fs::read_dir(&self.dir) {
            Ok(files) => files,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(e) => return Err(StoreError::io("read", &self.dir, e)),
        };
        let begin = format!("{agent}.");
        let is_prepared = |name: &str| name.starts_with(&begin) && name.ends_with(".new");
        let named = files.flatten().filter(|file| file.file_name().to_str().is_some_and(is_prepared));
        Ok(named.map(|file| file.path()).collect())
    }

    /// The agent's token with this hash, where its file is there and readable to nobody else. One that was prepared counts
    /// too: whoever made it may have died before it was in its place.
    pub fn find(&self, agent: &AgentId, hash: &str) -> Result<Option<Token>, StoreError> {
        match read(&self.path(agent), hash)? {
            Some(token) => Ok(Some(token)),
            None => read(&self.prepared(agent, hash), hash),
        }
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

/// The token in a file of ours, if it has this hash.
fn read(path: &Path, hash: &str) -> Result<Option<Token>, StoreError> {
    let file = match side::open(path, Access::Read) {
        Ok(file) => file,
        // A link or a pipe in its place holds no token of ours.
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::InvalidInput) => {
            return Ok(None);
        }
        Err(error) => return Err(StoreError::io("read", path, error)),
    };
    let meta = file.metadata().map_err(|e| StoreError::io("look at", path, e))?;
    if meta.mode() & 0o077 != 0 {
        return Ok(None);
    }
    let mut text = String::new();
    file.take(TOKEN_BYTES).read_to_string(&mut text).map_err(|e| StoreError::io("read", path, e))?;
    Ok(Some(Token::shown(text.trim())).filter(|token| token.hash().is(hash)))
}

fn remove(path: &Path) -> Result<(), StoreError> {
    side::remove(path).map_err(|e| StoreError::io("remove", path, e))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(files: &TokenFiles, agent: &AgentId, token: &Token) {
        files.prepare(agent, token).unwrap();
        files.keep(agent, Some(&token.hash().text())).unwrap();
    }

    fn found(files: &TokenFiles, agent: &AgentId, token: &Token) -> bool {
        files.find(agent, &token.hash().text()).unwrap().as_ref() == Some(token)
    }

    #[test]
    fn a_token_file_is_its_owners_alone_and_never_a_link() {
        let state = tempfile::tempdir().unwrap();
        let files = TokenFiles::new(state.path());
        let (agent, token) = (AgentId::from_bits(7), Token::from_bits([1; 32]));
        files.keep(&agent, None).unwrap();
        assert!(!found(&files, &agent, &token));
        put(&files, &agent, &Token::from_bits([2; 32]));
        put(&files, &agent, &token);
        assert!(found(&files, &agent, &token));
        let mode = |path: &Path| std::fs::metadata(path).unwrap().mode() & 0o7777;
        assert_eq!((mode(&files.path(&agent)), mode(&state.path().join("tokens"))), (0o600, 0o700));
        assert_eq!(std::fs::read_dir(state.path().join("tokens")).unwrap().count(), 1);
        // One that others could read is nobody's secret any more.
        std::fs::set_permissions(files.path(&agent), std::fs::Permissions::from_mode(0o644)).unwrap();
        assert!(!found(&files, &agent, &token));
        files.keep(&agent, None).unwrap();
        files.keep(&agent, None).unwrap();
        let elsewhere = state.path().join("elsewhere");
        std::fs::write(&elsewhere, token.reveal()).unwrap();
        std::fs::set_permissions(&elsewhere, std::fs::Permissions::from_mode(0o600)).unwrap();
        std::os::unix::fs::symlink(&elsewhere, files.path(&agent)).unwrap();
        assert!(!found(&files, &agent, &token));
        let other = Token::from_bits([3; 32]);
        put(&files, &agent, &other);
        assert_eq!(std::fs::read_to_string(&elsewhere).unwrap(), token.reveal());
        assert!(found(&files, &agent, &other));
    }

    #[test]
    fn a_token_that_was_only_prepared_takes_nothing_away() {
        let state = tempfile::tempdir().unwrap();
        let files = TokenFiles::new(state.path());
        let (agent, neighbour) = (AgentId::from_bits(7), AgentId::from_bits(8));
        let [old, new] = [1, 2].map(|bits| Token::from_bits([bits; 32]));
        put(&files, &agent, &old);
        files.prepare(&neighbour, &old).unwrap();
        files.prepare(&agent, &new).unwrap();
        assert!(found(&files, &agent, &old), "its row may never come");
        assert!(found(&files, &agent, &new), "its row may be there, and its maker dead");
        // The old one stayed: what was prepared is gone, but not another agent's.
        files.keep(&agent, Some(&old.hash().text())).unwrap();
        assert!(found(&files, &agent, &old) && !found(&files, &agent, &new));
        assert!(found(&files, &neighbour, &old));
    }
}
