//! What the command line adds from its own machine: where the hub lies, whether its log is whole.

use interagent_core::liveness::Liveness;
use interagent_core::words;

use super::TaskRow;
use crate::{Time, shapes};

words! {
    /// How bad a finding is.
    pub enum FindingSeverity as "the severity" {
        /// To be known; nothing is lost.
        Note = "note",
        /// A view does not follow from the log; it can be made again.
        Stale = "stale",
        /// Something that was written is not there as it was.
        Damaged = "damaged",
    }
}

words! {
    /// Which hub it is, by its place.
    pub enum HubPlace as "the kind of hub" {
        /// That of a project.
        Project = "project",
        /// That of a person.
        Personal = "personal",
        /// One that was named.
        Named = "named",
    }
}

shapes! {
    /// Where a hub lies, on the machine of whoever asks.
    struct PlaceView {
        /// Its directory.
        directory: String,
        /// Its team file; absent where there is none.
        team_file: Option<String>,
        /// project, personal or named.
        kind: HubPlace,
        /// How it was found.
        how: String,
        /// The project's directory.
        project: Option<String>,
        /// The git worktree.
        worktree: Option<String>,
    }
    /// An agent of this machine, as `ps` shows it.
    struct CrewView {
        /// For ever.
        id: String,
        /// For now.
        name: String,
        /// Its role in the team file.
        role: Option<String>,
        /// Which kind of client.
        profile: String,
        /// The model that its client was started with or switched to, where that is known.
        model: Option<String>,
        /// Whether it lives and what it does, from hooks, process and terminal together.
        life: Liveness,
        /// When anything was last heard of it, or when it was started.
        since: Option<Time>,
        /// Its tmux pane, as it was started or joined.
        pane: Option<String>,
        /// The socket of that pane's tmux server.
        socket: Option<String>,
        /// Whether `up` started it there; false where the pane is somebody's own.
        launched: Option<bool>,
        /// Its client's process; absent where that is gone.
        pid: Option<i64>,
        /// Its client's session that was heard of last.
        session: Option<String>,
        /// Its open task that it works on, or else the first.
        task: Option<TaskRow>,
        /// Unread messages, counted up to 1000.
        unread: u32,
        /// Context left, in percent, as it said itself.
        context_left: Option<u8>,
        /// What connects its client with the team and is missing where it runs: `hooks`, `mcp`.
        lacks: Vec<String>,
    }
    /// One replica's chain.
    struct ChainView {
        /// The replica's name.
        alias: String,
        /// The replica.
        origin: String,
        /// Entries of it that are here.
        entries: i64,
        /// The last of them that its signature covers; 0 where it signed nothing yet.
        signed: i64,
    }
    /// Something that was found while the log was checked.
    struct FindingView {
        /// How bad it is.
        severity: FindingSeverity,
        /// What is wrong.
        sentence: String,
        /// What helps.
        helps: String,
    }
    /// Whether the log is whole.
    struct VerifyView {
        /// Nothing is damaged or stale.
        whole: bool,
        /// The replicas' chains.
        chains: Vec<ChainView>,
        /// What was found.
        findings: Vec<FindingView>,
    }
}
