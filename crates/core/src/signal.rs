//! Signal files: a breadcrumb in an agent's workspace that says "look into your inbox".
//!
//! Owns for which messages there is one, where it lies, what it is called, what it says, and when it goes. It carries the
//! message's id, its sender and its subject, never its text; and no subject that is held back or was purged. It is a hint and no evidence: nothing is concluded from a
//! file that is there or is missing.

use serde::{Deserialize, Serialize};

use crate::entity::{Agent, Message};
use crate::event::{Event, Fact, Micros};
use crate::ids::{AgentId, EntityRef, MessageId};
use crate::limits;
use crate::line::quoted_line;
use crate::text::TextHash;
use crate::vocabulary::DeliveryState;

/// What every signal file's name ends with.
const ENDING: &str = ".signal";
/// A sender's name inside a file name: longer ones are cut, the ids tell the files apart.
const SENDER_CHARS: usize = 64;

/// How old a file is at least before it counts as left over.
const SETTLED_US: Micros = 1_000_000;

/// The directory below a workspace in which an agent of some kind looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Corner {
    /// `.claude/inbox`: where instructions written for Claude Code look.
    Claude,
    /// `.interagent/inbox`: everybody else.
    Interagent,
}

impl Corner {
    /// Where agents of a profile look.
    pub fn of(profile: &str) -> Self {
        if profile == "claude" { Self::Claude } else { Self::Interagent }
    }

    /// The two directories, one inside the other.
    pub fn steps(self) -> [&'static str; 2] {
        match self {
            Self::Claude => [".claude", "inbox"],
            Self::Interagent => [".interagent", "inbox"],
        }
    }
}

/// Where an agent's signal files lie.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// The registered workspace.
    pub workspace: String,
    /// Which directory below it.
    pub corner: Corner,
    /// Whose files: several agents may work in one directory.
    pub agent: AgentId,
}

impl Place {
    /// The place of an agent. People have none, nor have agents that named no workspace, or one that is no path from the
    /// root.
    pub fn of(agent: &Agent) -> Option<Self> {
        let workspace = agent.workspace.clone().filter(|path| is_path_from_root(path))?;
        (!agent.is_human()).then(|| Self {
            workspace,
            corner: Corner::of(&agent.profile),
            agent: agent.id.clone(),
        })
    }

    /// The message that a file of this agent is about; none where the file is somebody else's.
    pub fn message_of(&self, file_name: &str) -> Option<MessageId> {
        let ours = file_name.strip_suffix(ENDING)?.strip_suffix(self.agent.as_str())?.strip_suffix('.')?;
        let dash = ours.rfind("-msg-")?;
        MessageId::parse(&ours[dash + 1..]).ok()
    }
}

/// Whether a workspace names one directory from the root and nothing above it.
pub fn is_path_from_root(path: &str) -> bool {
    path.starts_with('/') && !path.contains('\0') && path.split('/').all(|step| step != "..")
}

/// What a signal file says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Signal {
    /// Which message.
    pub message: MessageId,
    /// The sender's name.
    pub from: String,
    /// The recipient's name: a workspace may have several agents.
    pub to: String,
    /// The subject as it was written, or what stands in its place.
    pub subject: String,
}

impl Signal {
    /// The file's name. The sender is for people; message and recipient make it the only one, and the same each time.
    pub fn file_name(&self, agent: &AgentId) -> String {
        let plain = |c: char| if c.is_ascii_alphanumeric() || "-_.@".contains(c) { c } else { '_' };
        let sender: String =
            self.from.trim_start_matches('.').chars().take(SENDER_CHARS).map(plain).collect();
        format!("{sender}-{}.{agent}{ENDING}", self.message)
    }

    /// The file's text: one line, what to do first, the words of the sender last and in quotes.
    pub fn line(&self) -> String {
        let subject = quoted_line(&self.subject, limits::SUBJECT_CHARS);
        let Self { message, from, to, .. } = self;
        format!("{to}: run check_inbox. {message} from {from}: {subject}\n")
    }
}

/// Whether a message waits for an agent in a way that a signal file should say so.
///
/// One that wakes nobody puts no file into a tree; nor does one that is held, or not worth delivering any more.
pub fn stands(message: &Message, agent: &AgentId, now: Micros) -> bool {
    let waits = message.deliveries.get(agent).is_some_and(|to| to.state == DeliveryState::Queued);
    waits && !message.quiet && message.held.is_none() && !message.is_expired(now)
}

/// Whether a file that was last written at `modified` is left over, when nothing waited at the moment `at`.
///
/// Files are tidied after the answer. One of about that moment may belong to a message that was sent in between, and the
/// file system's clock is a little behind: it stays for the next look.
pub fn is_left_over(modified: Micros, at: Micros) -> bool {
    modified < at.saturating_sub(SETTLED_US)
}

/// What an event may have changed about signal files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Touched {
    /// A message, for these of its recipients.
    Recipients(MessageId, Vec<AgentId>),
    /// A message, for each of its recipients.
    Everybody(MessageId),
    /// An agent that takes part no longer.
    Retired(AgentId),
    /// Texts that may be shown no longer, or may be now: files that hold one as their subject say something else.
    Texts(Vec<TextHash>),
}

/// What a fact touches. What the files should be afterwards follows from the state, not from the event.
pub fn touched(fact: &Fact) -> Option<Touched> {
    match (&fact.entity, &fact.event) {
        (EntityRef::Text(hash), Event::TextPurged(_)) => Some(Touched::Texts(vec![hash.clone()])),
        (_, Event::TextReleased(released)) => Some(Touched::Texts(released.texts.clone())),
        (EntityRef::Message(id), event) => {
            let agents = match event {
                Event::MessageSent(sent) => sent.to.clone(),
                Event::MessageDelivered(to) => vec![to.agent.clone()],
                Event::MessageAcknowledged(to) => vec![to.agent.clone()],
                Event::MessageSettled(to) => vec![to.agent.clone()],
                Event::MessageDeclined(to) => vec![to.agent.clone()],
                Event::MessageReleased(_)
                | Event::MessageHeld(_)
                | Event::MessageControl(_)
                | Event::MessageCarriedOut(_) => {
                    return Some(Touched::Everybody(id.clone()));
                }
                _ => return None,
            };
            Some(Touched::Recipients(id.clone(), agents))
        }
        (EntityRef::Agent(id), Event::AgentRetired(_)) => Some(Touched::Retired(id.clone())),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
