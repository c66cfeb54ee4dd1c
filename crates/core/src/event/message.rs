//! What happens to messages.

use serde::{Deserialize, Serialize};

use super::{Micros, is_false, is_zero};
use crate::ids::{AgentId, MessageId, TaskId};
use crate::text::TextHash;
use crate::vocabulary::{
    Conclusion, ControlOutcome, ControlVerb, HoldReason, Intent, Priority, Settlement, Via,
};

data! {
    /// Something a message points at.
    struct Reference {
        /// `file`, `commit`, `diff`, `task`, `spec`, `message`, `url`.
        kind: String,
        /// The path, hash, id or name.
        target: String,
        /// First line, 1-based.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        first_line: Option<u32>,
        /// Last line.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        last_line: Option<u32>,
        /// A snapshot, for diffs.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        text: Option<TextHash>,
    }
    /// A message was sent; recipients are resolved to ids, delivery to each begins as queued.
    struct MessageSent {
        /// Who speaks. The actor of the entry may be the operator on their behalf.
        from: AgentId,
        /// To whom.
        to: Vec<AgentId>,
        /// What was written as recipient (`role:reviewer`, `all`), when it was not plain names.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        addressed: Vec<String>,
        /// What it is for.
        intent: Intent,
        /// One line.
        subject: TextHash,
        /// Markdown.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        body: Option<TextHash>,
        /// What it points at.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        refs: Vec<Reference>,
        /// The first message of the conversation (itself for a new one).
        thread: MessageId,
        /// The message it answers.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reply_to: Option<MessageId>,
        /// How urgent.
        priority: Priority,
        /// After this moment it is not worth delivering.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        expires: Option<Micros>,
        /// The task it concerns.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        task: Option<TaskId>,
        /// Messages between agents in this thread since a human spoke or the task moved.
        hops: u32,
        /// Says nothing new (a bare "ok"): delivered, but wakes nobody.
        #[serde(default, skip_serializing_if = "is_false")]
        quiet: bool,
        /// The sender wants an acknowledgement though the intent owes none.
        #[serde(default, skip_serializing_if = "is_false")]
        ack_wanted: bool,
        /// Ids of the same message in other systems.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        aliases: Vec<String>,
    }
    /// The message waits for a release.
    struct MessageHeld {
        /// Why.
        reason: HoldReason,
    }
    /// The message goes on its way after all.
    struct MessageReleased {}
    /// A recipient's session gave evidence that it has the message.
    struct MessageDelivered {
        /// The recipient.
        agent: AgentId,
        /// How.
        via: Via,
        /// Earlier hand-overs that lapsed.
        #[serde(default, skip_serializing_if = "is_zero")]
        redelivered: u32,
    }
    /// A recipient says it read the message.
    struct MessageAcknowledged {
        /// The recipient.
        agent: AgentId,
    }
    /// A recipient's obligation came to its end.
    struct MessageSettled {
        /// The recipient.
        agent: AgentId,
        /// How.
        how: Settlement,
        /// The reply, where one settled it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<MessageId>,
    }
    /// A recipient declined what was asked.
    struct MessageDeclined {
        /// The recipient.
        agent: AgentId,
        /// Why.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<TextHash>,
    }
    /// The matter went up: to a superior or to the operator.
    struct MessageEscalated {
        /// Who could not go on.
        agent: AgentId,
        /// To whom it went.
        to: AgentId,
        /// The message that carries it there.
        by: MessageId,
        /// Why, and what was tried.
        reason: TextHash,
        /// Until when an answer helps.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        deadline: Option<Micros>,
        /// What happens without an answer.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        default: Option<TextHash>,
        /// The program took it up because the agent was silent; the agent itself said nothing.
        #[serde(default, skip_serializing_if = "is_false")]
        by_ladder: bool,
    }
    /// The escalation was answered.
    struct MessageAnswered {
        /// Whose escalation.
        agent: AgentId,
        /// The message that carried the escalation.
        escalation: MessageId,
        /// The message that carries the answer.
        by: MessageId,
    }
    /// An escalation came to its end without an answer, or its time did.
    struct MessageConcluded {
        /// Whose escalation.
        agent: AgentId,
        /// The message that carried the escalation.
        escalation: MessageId,
        /// What became of the matter.
        how: Conclusion,
    }
    /// A silent agent's matter came to a superior who gets no mail: the dashboard shows it.
    struct MessageRaised {
        /// Who is silent.
        agent: AgentId,
        /// Whose matter it is now.
        to: AgentId,
    }
    /// The message is for its recipient's session itself: it is carried out instead of read.
    struct MessageControl {
        /// What the session is made to do.
        verb: ControlVerb,
        /// The model it changes to.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        model: Option<String>,
    }
    /// A control message was carried out, or could not be.
    struct MessageCarriedOut {
        /// Whose session.
        agent: AgentId,
        /// What became of it.
        outcome: ControlOutcome,
        /// Why it failed, or what was seen.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        note: Option<TextHash>,
    }
}
