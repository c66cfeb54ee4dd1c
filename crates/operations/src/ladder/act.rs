//! What there is to do on the machine, and what became of it.

use std::collections::BTreeSet;

use interagent_core::ids::AgentId;
use interagent_core::ladder::waking::Channel;
use interagent_core::notice::Notice;
use interagent_wire::LocalEffect;

/// What whoever supervises can do on this machine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Abilities {
    /// The ways to reach an agent; those that need nobody's hands are not among them.
    pub channels: BTreeSet<Channel>,
    /// Profiles whose clients can forget their context, and that somebody here can tell so.
    pub resets: BTreeSet<String>,
    /// Profiles whose clients can run without a person.
    pub runs: BTreeSet<String>,
}

/// Whom an act concerns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// The agent.
    pub agent: AgentId,
    /// Its name.
    pub name: String,
    /// Which kind of client.
    pub profile: String,
    /// The session, where it is about one.
    pub session: Option<String>,
    /// The tmux pane of the session, or of a client that has none yet.
    pub pane: Option<String>,
}

/// Something to do on this machine. Slow ones are bounded by who does them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Act {
    /// Reach an agent with waiting mail by this way.
    Reach {
        /// Whom.
        target: Target,
        /// How.
        channel: Channel,
        /// How many messages wait.
        waiting: u32,
        /// The oldest of them, to be told with what becomes of it.
        oldest: String,
    },
    /// Look what the person is to be told: something may wait for them in the log, or they are told by other ways now.
    Look,
    /// Tell the person what stands in no message.
    Tell(Notice),
    /// Follow-ups of an entry, as after any other write.
    Effects(Vec<LocalEffect>),
}

/// What became of an attempt to reach an agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// By which way.
    pub channel: Channel,
    /// For which message that waited longest.
    pub oldest: String,
    /// How it ended.
    pub end: End,
}

/// How an attempt ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// It was done. Whether it helped is for the agent to show.
    Done,
    /// It was tried and did not succeed.
    Failed(String),
    /// Nothing was done, because it would have disturbed somebody now.
    PutOff(String),
}

impl End {
    /// Why it was not done.
    pub fn why(&self) -> Option<&str> {
        match self {
            Self::Done => None,
            Self::Failed(why) | Self::PutOff(why) => Some(why),
        }
    }
}
