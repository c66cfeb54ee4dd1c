//! Every kind of event: its name in the log, its version, its data.
//!
//! An event is a decision of a member about exactly one entity. Field names and meanings here are permanent: a changed
//! meaning is a new version, a new fact a new kind. Kinds and versions this program does not know are kept as they are.

/// Defines the data of one event kind: an ordinary struct with the derives every one needs.
macro_rules! data {
    ($($(#[$meta:meta])* struct $name:ident { $($(#[$fmeta:meta])* $field:ident: $ty:ty),* $(,)? })+) => {$(
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
        pub struct $name { $($(#[$fmeta])* pub $field: $ty),* }
    )+};
}

mod message;
mod people;
mod skill;
mod task;
mod work;

pub use message::*;
pub use people::*;
pub use skill::*;
pub use task::*;
pub use work::*;

use serde_json::value::RawValue;

use crate::ids::EntityRef;

/// Microseconds since 1970 by the wall clock.
pub type Micros = i64;

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
    "origin.corrected" v 1 => OriginCorrected,
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
    "message.concluded" v 1 => MessageConcluded,
    "message.raised" v 1 => MessageRaised,
    "message.control" v 1 => MessageControl,
    "message.carried_out" v 1 => MessageCarriedOut,
    "task.created" v 1 => TaskCreated,
    "task.edited" v 1 => TaskEdited,
    "task.assigned" v 1 => TaskAssigned,
    "task.moved" v 1 => TaskMoved,
    "task.noted" v 1 => TaskNoted,
    "task.dependency" v 1 => TaskDependency,
    "task.reported" v 1 => TaskReported,
    "task.judged" v 1 => TaskJudged,
    "task.submitted" v 1 => TaskSubmitted,
    "task.split_proposed" v 1 => TaskSplitProposed,
    "task.split_decided" v 1 => TaskSplitDecided,
    "review.opened" v 1 => ReviewOpened,
    "review.round" v 1 => ReviewRound,
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
    "skill.promoted" v 1 => SkillPromoted,
    "skill.rejected" v 1 => SkillRejected,
    "text.purged" v 1 => TextPurged,
    "text.released" v 1 => TextReleased,
}

/// An event together with the entity it belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    /// Whose state it changes.
    pub entity: EntityRef,
    /// How.
    pub event: Event,
}
