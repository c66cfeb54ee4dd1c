//! Every kind of event: its name in the log, its version, its data.
//!
//! An event is a decision of a member about exactly one entity. Field names and meanings here are permanent: a changed
//! meaning is a new version, a new fact a new kind. Kinds and versions this program does not know are kept as they are.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::ids::{AgentId, CommentId, DecisionId, EntityRef, HubId, MessageId, OriginId, ReviewId, TaskId};
use crate::name::Name;
use crate::team::{Role, TeamConfig};
use crate::text::TextHash;
use crate::vocabulary::{
    AgentState, Disposition, HoldReason, Intent, LeaseMode, Priority, ReportStatus, Settlement, Side,
    TaskStatus, Verdict, Via,
};

/// Microseconds since 1970 by the wall clock.
pub type Micros = i64;

/// Defines the data of one event kind: an ordinary struct with the derives every one needs.
macro_rules! data {
    ($($(#[$meta:meta])* struct $name:ident { $($(#[$fmeta:meta])* $field:ident: $ty:ty),* $(,)? })+) => {$(
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
        pub struct $name { $($(#[$fmeta])* pub $field: $ty),* }
    )+};
}

data! {
    /// A replica of the hub came to life.
    struct OriginOpened {
        /// Of which hub: entries of another hub are not taken in.
        hub: HubId,
        /// A short name for people, such as the host's.
        alias: String,
        /// The human of this replica.
        operator: AgentId,
        /// The replica whose agents this one takes over, because that one is known to be gone.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        continues: Option<OriginId>,
    }
    /// The team file was taken in.
    struct TeamChanged {
        /// The whole file, normalised.
        config: TeamConfig,
    }
    /// A participant registered; the origin of this entry is its home.
    struct AgentRegistered {
        /// Unique at its home.
        name: Name,
        /// Which kind of CLI, or `human`.
        profile: String,
    }
    /// Facts an agent tells about itself; each registration replaces them.
    struct AgentDescribed {
        /// Which kind of CLI.
        profile: String,
        /// What it works on.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        description: Option<TextHash>,
        /// The directory it works in.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        workspace: Option<String>,
    }
    /// The place the team gives an agent.
    struct AgentSeated {
        /// Its role, if it has one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        role: Option<Role>,
        /// Its superior.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reports_to: Option<Name>,
        /// What it is good at.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        capabilities: Vec<String>,
        /// The paths it owns.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        paths: Vec<String>,
    }
    /// The agent has another name now.
    struct AgentRenamed {
        /// The new one.
        name: Name,
    }
    /// The agent takes part no longer.
    struct AgentRetired {
        /// Why.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<TextHash>,
    }
    /// What the agent says it is doing.
    struct AgentStatus {
        /// In one word.
        state: AgentState,
        /// In its own words.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        text: Option<TextHash>,
        /// Context left, in percent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        context_left: Option<u8>,
    }
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
    /// A task or order was created.
    struct TaskCreated {
        /// One line.
        title: TextHash,
        /// Markdown.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        description: Option<TextHash>,
        /// Who wants it.
        assigner: AgentId,
        /// How urgent.
        priority: Priority,
        /// What it needs somebody to be good at.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        capability: Option<String>,
        /// Why it exists.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        purpose: Option<TextHash>,
        /// What must be.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        requirements: Vec<TextHash>,
        /// How one sees that it is done.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        acceptance_criteria: Vec<TextHash>,
        /// The order or task it is part of.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        parent: Option<TaskId>,
        /// What must be finished first.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        depends_on: Vec<TaskId>,
        /// The branch to work on.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        branch: Option<String>,
        /// The files it is about.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        files: Vec<String>,
        /// Where the result goes.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        target_path: Option<String>,
        /// The cheerful line at its end.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        echo_message: Option<TextHash>,
        /// The task this one does again.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        redo_of: Option<TaskId>,
        /// The task this one takes over.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reassigned_from: Option<TaskId>,
        /// Ids of the same task in other systems.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        aliases: Vec<String>,
    }
    /// Title, description or other facts were changed; absent fields stay.
    struct TaskEdited {
        /// New title.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        title: Option<TextHash>,
        /// New description.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        description: Option<TextHash>,
        /// New priority.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        priority: Option<Priority>,
        /// New branch.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        branch: Option<String>,
    }
    /// The task was given to, or taken by, an agent. Void if it has another assignee by then.
    struct TaskAssigned {
        /// To whom.
        assignee: AgentId,
        /// The assignee it had when this was decided.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        before: Option<AgentId>,
        /// Taken by the assignee itself.
        #[serde(default, skip_serializing_if = "is_false")]
        claimed: bool,
    }
    /// The task moved one step. Void if it is elsewhere by then.
    struct TaskMoved {
        /// From where.
        from: TaskStatus,
        /// To where.
        to: TaskStatus,
        /// Whose the task was when this was decided: what somebody else did with it does not count.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        assignee: Option<AgentId>,
        /// Why.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<TextHash>,
        /// For `reassigned`: the task that goes on.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        successor: Option<TaskId>,
    }
    /// A time-stamped note.
    struct TaskNoted {
        /// The words.
        note: TextHash,
    }
    /// The task waits for another, or no longer does.
    struct TaskDependency {
        /// For which.
        on: TaskId,
        /// Whether it is taken away.
        #[serde(default, skip_serializing_if = "is_false")]
        removed: bool,
    }
    /// What was learned that others could reuse.
    struct SkillCandidate {
        /// Whether there is one.
        found: bool,
        /// Its name.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        name: Option<TextHash>,
        /// What it does.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        description: Option<TextHash>,
        /// Why it is worth keeping.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<TextHash>,
    }
    /// The worker's report.
    struct TaskReported {
        /// Who worked.
        worker: AgentId,
        /// How it ended.
        status: ReportStatus,
        /// In short.
        summary: TextHash,
        /// Which files.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        files_modified: Vec<String>,
        /// Anything else.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        notes: Option<TextHash>,
        /// What could be reused.
        skill_candidate: SkillCandidate,
        /// Where the result misses the purpose.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        purpose_gap: Option<TextHash>,
    }
    /// A verdict on a task.
    struct TaskJudged {
        /// What.
        verdict: Verdict,
        /// By whom.
        by: AgentId,
        /// Why.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        note: Option<TextHash>,
        /// The review it came from.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        review: Option<ReviewId>,
        /// The operator decided where the rules gave the word to somebody else.
        #[serde(default, skip_serializing_if = "is_false")]
        overruled: bool,
    }
    /// A review began.
    struct ReviewOpened {
        /// Whose work.
        author: AgentId,
        /// Who looks.
        reviewers: Vec<AgentId>,
        /// One line.
        title: TextHash,
        /// Of which task.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        task: Option<TaskId>,
        /// Of which change.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        diff: Option<TextHash>,
    }
    /// A comment; the first of a thread is anchored, the others answer it.
    struct ReviewCommented {
        /// Its id.
        comment: CommentId,
        /// The thread it belongs to (itself for a new one).
        thread: CommentId,
        /// Who says it.
        by: AgentId,
        /// The words.
        body: TextHash,
        /// What it means.
        disposition: Disposition,
        /// The file.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        file: Option<String>,
        /// The line.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        line: Option<u32>,
        /// The side.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        side: Option<Side>,
    }
    /// A thread was closed.
    struct ReviewResolved {
        /// Which.
        thread: CommentId,
        /// By whom.
        by: AgentId,
    }
    /// The review's end.
    struct ReviewJudged {
        /// What.
        verdict: Verdict,
        /// By whom.
        by: AgentId,
        /// Why.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        note: Option<TextHash>,
    }
    /// A version of a spec. Void if that version exists by then.
    struct SpecPublished {
        /// Counted from 1.
        version: u32,
        /// Markdown.
        body: TextHash,
        /// By whom.
        publisher: AgentId,
        /// What changed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        note: Option<TextHash>,
    }
    /// An agent wants to hear of new versions, or no longer does.
    struct SpecSubscribed {
        /// Who.
        agent: AgentId,
        /// Whether it is taken back.
        #[serde(default, skip_serializing_if = "is_false")]
        removed: bool,
    }
    /// A question that needs an outcome.
    struct DecisionOpened {
        /// The question.
        question: TextHash,
        /// What could be chosen.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        options: Vec<TextHash>,
        /// Who asks.
        by: AgentId,
        /// Until when positions count.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        deadline: Option<Micros>,
        /// The discussion, where there is one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        message: Option<MessageId>,
        /// The earlier decision this one is to replace.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        supersedes: Option<DecisionId>,
    }
    /// Where an agent stands; a later one replaces its earlier one.
    struct DecisionPosition {
        /// Who.
        agent: AgentId,
        /// For what.
        position: TextHash,
        /// Why.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<TextHash>,
    }
    /// The outcome.
    struct DecisionDecided {
        /// What.
        outcome: TextHash,
        /// By whom.
        by: AgentId,
        /// Why.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<TextHash>,
    }
    /// A later decision took this one's place.
    struct DecisionSuperseded {
        /// Which.
        by: DecisionId,
    }
    /// Paths were leased.
    struct LeaseTaken {
        /// By whom.
        holder: AgentId,
        /// Which.
        globs: Vec<String>,
        /// Alone or not.
        mode: LeaseMode,
        /// For how long without renewal.
        ttl_s: i64,
        /// For what.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<TextHash>,
        /// The task.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        task: Option<TaskId>,
    }
    /// The holder gave it back.
    struct LeaseReleased {}
    /// Somebody with the right to it took it away.
    struct LeaseForced {
        /// Who.
        by: AgentId,
        /// Why.
        reason: TextHash,
    }
    /// Text and salt were deleted everywhere; the hash stays.
    struct TextPurged {
        /// Why.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<TextHash>,
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
fn is_false(value: &bool) -> bool {
    !value
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
fn is_zero(value: &u32) -> bool {
    *value == 0
}

/// Binds each kind's name and version to its data.
macro_rules! events {
    ($($kind:literal v $version:literal => $variant:ident),+ $(,)?) => {
        /// One event's meaning.
        #[derive(Clone, Debug, PartialEq, Eq)]
        #[expect(missing_docs, reason = "each variant is documented at its data")]
        pub enum Event {
            $($variant($variant),)+
            /// A kind or version this program does not know: kept, passed on, changes nothing.
            Unknown { kind: String, version: u32 },
        }

        impl Event {
            /// All kinds this program writes, with their versions.
            pub const KINDS: &'static [(&'static str, u32)] = &[$(($kind, $version)),+];

            /// The name in the log.
            pub fn kind(&self) -> &str {
                match self { $(Self::$variant(_) => $kind,)+ Self::Unknown { kind, .. } => kind }
            }

            /// The version of the data.
            pub fn version(&self) -> u32 {
                match self { $(Self::$variant(_) => $version,)+ Self::Unknown { version, .. } => *version }
            }

            /// Reads data of a kind; what can't be read is unknown, never an error.
            pub fn read(kind: &str, version: u32, data: &RawValue) -> Self {
                let known = match (kind, version) {
                    $(($kind, $version) => serde_json::from_str(data.get()).ok().map(Self::$variant),)+
                    _ => None,
                };
                known.unwrap_or_else(|| Self::Unknown { kind: kind.to_owned(), version })
            }

            /// The data as canonical JSON: compact, fields in their declared order.
            pub fn data(&self) -> Result<Box<RawValue>, serde_json::Error> {
                match self {
                    $(Self::$variant(data) => serde_json::value::to_raw_value(data),)+
                    Self::Unknown { .. } => serde_json::value::to_raw_value(&serde_json::Value::Null),
                }
            }
        }

        $(impl From<$variant> for Event {
            fn from(data: $variant) -> Self { Self::$variant(data) }
        })+
    };
}

events! {
    "origin.opened" v 1 => OriginOpened,
    "team.changed" v 1 => TeamChanged,
    "agent.registered" v 1 => AgentRegistered,
    "agent.described" v 1 => AgentDescribed,
    "agent.seated" v 1 => AgentSeated,
    "agent.renamed" v 1 => AgentRenamed,
    "agent.retired" v 1 => AgentRetired,
    "agent.status" v 1 => AgentStatus,
    "message.sent" v 1 => MessageSent,
    "message.held" v 1 => MessageHeld,
    "message.released" v 1 => MessageReleased,
    "message.delivered" v 1 => MessageDelivered,
    "message.acknowledged" v 1 => MessageAcknowledged,
    "message.settled" v 1 => MessageSettled,
    "message.declined" v 1 => MessageDeclined,
    "message.escalated" v 1 => MessageEscalated,
    "message.answered" v 1 => MessageAnswered,
    "task.created" v 1 => TaskCreated,
    "task.edited" v 1 => TaskEdited,
    "task.assigned" v 1 => TaskAssigned,
    "task.moved" v 1 => TaskMoved,
    "task.noted" v 1 => TaskNoted,
    "task.dependency" v 1 => TaskDependency,
    "task.reported" v 1 => TaskReported,
    "task.judged" v 1 => TaskJudged,
    "review.opened" v 1 => ReviewOpened,
    "review.commented" v 1 => ReviewCommented,
    "review.resolved" v 1 => ReviewResolved,
    "review.judged" v 1 => ReviewJudged,
    "spec.published" v 1 => SpecPublished,
    "spec.subscribed" v 1 => SpecSubscribed,
    "decision.opened" v 1 => DecisionOpened,
    "decision.position" v 1 => DecisionPosition,
    "decision.decided" v 1 => DecisionDecided,
    "decision.superseded" v 1 => DecisionSuperseded,
    "lease.taken" v 1 => LeaseTaken,
    "lease.released" v 1 => LeaseReleased,
    "lease.forced" v 1 => LeaseForced,
    "text.purged" v 1 => TextPurged,
}

/// An event together with the entity it belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    /// Whose state it changes.
    pub entity: EntityRef,
    /// How.
    pub event: Event,
}
