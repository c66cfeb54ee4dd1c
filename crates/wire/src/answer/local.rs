//! What the command line adds from its own machine: where the hub lies, whether its log is whole.

use interagent_core::words;

use crate::shapes;

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
    /// One replica's chain.
    struct ChainView {
        /// The replica's name.
        alias: String,
        /// The replica.
        origin: String,
        /// Entries of it that are here.
        entries: i64,
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
