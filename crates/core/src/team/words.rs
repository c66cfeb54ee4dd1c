//! The closed vocabularies of the team file, each with the one spelling that is stored.
//!
//! People may write any case and `-` or a blank for `_`; what is stored and shown is always the word here.

use crate::words;

words! {
    /// The shape of the team: which roles it has and whether there is a chain of command.
    pub enum Formation as "the formation" {
        /// One principal, who decides and approves, and those who work with it.
        Duo = "duo",
        /// Equals.
        Peers = "peers",
        /// A captain, vice captains and members, each with one superior.
        Captain = "captain",
    }
}

words! {
    /// The older words for a formation and its review rule.
    pub enum Mode as "the mode" {
        Hierarchical = "hierarchical",
        Peer = "peer",
        /// `duo` where every completed task needs a review.
        Review = "review",
    }
}

impl Mode {
    pub fn formation(self) -> Formation {
        match self {
            Self::Hierarchical | Self::Review => Formation::Duo,
            Self::Peer => Formation::Peers,
        }
    }
}

words! {
    /// What an agent may and must do.
    pub enum Role as "the role" {
        Principal = "principal",
        Delegate = "delegate",
        Reviewer = "reviewer",
        Collaborator = "collaborator",
        Captain = "captain",
        ViceCaptain = "vice_captain",
        Member = "member",
    }
}

impl Formation {
    /// The roles that exist in this formation.
    pub fn roles(self) -> &'static [Role] {
        match self {
            Self::Duo => &[Role::Principal, Role::Delegate, Role::Reviewer, Role::Collaborator],
            Self::Peers => &[Role::Collaborator, Role::Reviewer],
            Self::Captain => &[Role::Captain, Role::ViceCaptain, Role::Member],
        }
    }

    /// The role of an agent for which the team file names none.
    pub fn usual_role(self) -> Role {
        match self {
            Self::Duo => Role::Delegate,
            Self::Peers => Role::Collaborator,
            Self::Captain => Role::Member,
        }
    }

    /// The one role without a superior, where there is a chain of command.
    pub fn top_role(self) -> Option<Role> {
        match self {
            Self::Duo => Some(Role::Principal),
            Self::Peers => None,
            Self::Captain => Some(Role::Captain),
        }
    }
}

words! {
    /// How the history of the team gets into git.
    pub enum Track as "the track" {
        /// Commits on a branch of its own; the worktree never shows them.
        Branch = "branch",
        /// Files in the worktree, committed with the code.
        Worktree = "worktree",
    }
}

words! {
    /// Whether finished work is announced in the agent's terminal.
    pub enum DisplayMode as "the display mode" {
        Shout = "shout",
        Silent = "silent",
    }
}

words! {
    /// The rules that are enforced while an agent works.
    pub enum Guard as "the guard" {
        /// Superiors delegate instead of doing the work.
        F001 = "F001",
        /// No work that is somebody else's.
        F003 = "F003",
        /// No sleeping and polling, no typing into other terminals.
        F004 = "F004",
        /// The briefing is read first.
        F005 = "F005",
        /// No changes on protected branches.
        F006 = "F006",
        /// One writer per file.
        Race001 = "RACE-001",
    }
}

words! {
    /// Whose commits and pushes the git hooks judge.
    pub enum CommitGuard as "the commit guard" {
        Agents = "agents",
        Everyone = "everyone",
    }
}

words! {
    /// What happens when the operator was asked and did not answer by the deadline.
    pub enum OperatorDefault as "the default" {
        /// Nothing is changed; the question stays open.
        Wait = "wait",
        /// The work is offered to another agent.
        Reassign = "reassign",
        /// The work is cancelled.
        Cancel = "cancel",
    }
}

words! {
    /// What the operators of accepted replicas may do to agents of this one.
    pub enum ForeignOperators as "the power of foreign operators" {
        /// Write to them.
        Message = "message",
        /// Also clear, stop, resume or switch their sessions.
        Command = "command",
    }
}

impl ForeignOperators {
    /// What holds where the team file says nothing.
    pub fn usual() -> Self {
        Self::Message
    }

    /// Whether it is what holds anyway.
    pub fn is_usual(&self) -> bool {
        *self == Self::Message
    }
}
