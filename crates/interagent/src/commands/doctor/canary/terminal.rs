//! The path through a terminal: a line typed into a pane, for clients that are woken no other way.

use std::path::{Path, PathBuf};

use interagent_core::hook::WAKE_LINE as LINE;
use interagent_wake::tmux;
use interagent_wake::tmux::trial::type_a_line;

use super::trials::{Outcome, Trial};
use crate::config::surroundings;

/// Types a line on a tmux server of its own, which is gone afterwards.
pub(super) fn fly() -> Trial {
    let trial = |outcome, took, what: String| Trial {
        client: "tmux".to_owned(),
        path: "typed line".to_owned(),
        outcome,
        took,
        what,
        helps: "tmux -V; a line typed into a new pane has to reach the program in it".to_owned(),
    };
    if let Err(error) = tmux::version() {
        return trial(Outcome::NotTried, None, format!("{error}: nobody is nudged here"));
    }
    let place = match Place::make() {
        Ok(place) => place,
        Err(error) => return trial(Outcome::NotTried, None, format!("no directory for a socket: {error}")),
    };
    match type_a_line(&place.0, LINE) {
        Ok(took) => trial(Outcome::Arrived, Some(took), format!("the line `{LINE}`, in a pane of its own")),
        Err(error) => trial(Outcome::Lost, None, error.to_string()),
    }
}

/// A directory of its own for a socket, whose path has to be short.
struct Place(PathBuf);

impl Place {
    fn make() -> std::io::Result<Self> {
        use std::os::unix::fs::DirBuilderExt;
        let mut drawn = [0_u8; 8];
        getrandom::fill(&mut drawn).map_err(std::io::Error::other)?;
        let name = format!("interagent-canary-{:016x}", u64::from_le_bytes(drawn));
        let path = surroundings::temporary_directory().join(name);
        std::fs::DirBuilder::new().mode(0o700).create(&path)?;
        Ok(Self(path))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let path: &Path = &self.0;
        // What can't be removed is the system's to remove.
        let _ = std::fs::remove_dir_all(path);
    }
}
