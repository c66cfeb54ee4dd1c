//! Setting a client up: what its files must say so that it is a member of the team, and how that is taken back.
//!
//! Planning works on texts and changes nothing. Writing keeps what was there before, so that it can be undone. What others
//! wrote into these files stays byte for byte, with comments and order.

mod block;
mod command;
mod configured;
mod disk;
mod document;
mod hooks;
mod json;
mod parts;
mod pin;
mod plan;
mod record;
mod strip;
mod surgery;
mod toml_file;
mod undo;
mod write;
mod yaml_file;
mod yaml_tree;

use std::path::{Path, PathBuf};

pub use block::{BLOCK_FOR_SHELL, BLOCK_FOR_TOOLS, is_only_block};
pub use configured::{Configuration, Configured, Runs, Server, configured, untrusted};
pub use disk::{Disk, RealDisk};
pub use pin::{Pin, PinChange};
pub use plan::{SKILL_FOR_SHELL, SKILL_FOR_TOOLS, plan, plan_some, server_file};
pub use record::{Record, Records, Use};
pub use undo::{UndoChange, UndoPlan, undo};
pub use write::{Files, WriteError, Written, carry_out_undo, write};

use crate::profile::Profile;

/// Whose files are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Level {
    /// Those of one project.
    Project,
    /// Those of the user, for all projects.
    User,
}

/// A client that is to be set up.
#[derive(Clone, Copy, Debug)]
pub struct Setup<'a> {
    /// Which client.
    pub profile: &'a Profile,
    /// Whose files. A client that has none for a project gets the user's.
    pub level: Level,
    /// Our program, from the root.
    pub binary: &'a Path,
    /// The agent that the client is. Files for all projects do not name an agent of one.
    pub agent: Pin<'a>,
    /// The project's directory.
    pub project: &'a Path,
    /// The user's home.
    pub home: Option<&'a Path>,
}

/// What a client gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum What {
    /// The entry in its list of MCP servers.
    Mcp,
    /// Its hooks, or the plugin that stands for them.
    Hooks,
    /// The skill.
    Skill,
    /// The block in its instructions.
    Instructions,
}

impl What {
    /// In words.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Mcp => "MCP server",
            Self::Hooks => "hooks",
            Self::Skill => "skill",
            Self::Instructions => "instructions",
        }
    }
}

/// How far one piece is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// It is as it should be.
    Right,
    /// Nothing of it is there.
    Missing,
    /// It is there and says something else, such as an older place of our program.
    Differs,
}

/// One piece of a client's setup.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Which client.
    pub profile: String,
    /// What it is.
    pub what: What,
    /// The file it is in, links followed.
    pub path: PathBuf,
    /// Whose file that is.
    pub level: Level,
    /// How far it is.
    pub state: State,
}

/// A file that has to change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileChange {
    /// The file, links followed.
    pub path: PathBuf,
    /// What the client calls it.
    pub named: PathBuf,
    /// Whose it is.
    pub level: Level,
    /// What it says now; nothing where it is not there.
    pub before: Option<String>,
    /// What it will say.
    pub after: String,
    /// What of ours is in it.
    pub what: Vec<What>,
}

impl FileChange {
    /// Whether a symbolic link leads to the file.
    pub fn is_through_a_link(&self) -> bool {
        self.path != self.named
    }
}

/// Something that can't be set up, and what helps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trouble {
    /// Which client.
    pub profile: String,
    /// What it lacks because of it.
    pub what: What,
    /// What is wrong, with the file.
    pub sentence: String,
    /// What helps.
    pub hint: String,
}

/// What setting clients up comes to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// Every piece, also those that are right.
    pub pieces: Vec<Piece>,
    /// The files that have to change; none when everything is right.
    pub changes: Vec<FileChange>,
    /// What can't be done, for every piece and client that lacks something because of it.
    pub troubles: Vec<Trouble>,
    /// Clients whose sessions are, or were, all one agent.
    pub pins: Vec<PinChange>,
}

impl Plan {
    /// The pieces that are not as they should be.
    pub fn drift(&self) -> impl Iterator<Item = &Piece> {
        self.pieces.iter().filter(|piece| piece.state != State::Right)
    }

    /// What can't be done: one broken file is one sentence, however many pieces and clients it concerns.
    pub fn distinct_troubles(&self) -> Vec<&Trouble> {
        let mut distinct: Vec<&Trouble> = Vec::new();
        for trouble in &self.troubles {
            if distinct.iter().all(|told| told.sentence != trouble.sentence) {
                distinct.push(trouble);
            }
        }
        distinct
    }
}
