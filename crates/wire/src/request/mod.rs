//! What a member can ask for: one shape per operation. The doc comments are what people and models read.

mod messages;
mod people;
mod record;
mod tasks;
mod work;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use messages::*;
pub use people::*;
pub use record::*;
pub use tasks::*;
pub use work::*;

/// Declares parameters: optional fields may be left out, unknown ones are refused.
macro_rules! params {
    ($($(#[$meta:meta])* struct $name:ident { $($(#[$fmeta:meta])* $field:ident: $ty:ty),* $(,)? })+) => {$(
        $(#[$meta])*
        #[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
        #[serde(deny_unknown_fields, default)]
        pub struct $name { $($(#[$fmeta])* pub $field: $ty),* }
    )+};
}
pub(crate) use params;

/// Whether an operation changes anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Changes nothing.
    Read,
    /// Writes; the same again has no further effect.
    Idempotent,
    /// Writes; a key makes a repetition safe.
    Write,
}

/// Binds each operation's name to its parameters and effect.
macro_rules! requests {
    ($($name:literal $variant:ident $effect:ident),+ $(,)?) => {
        /// One call of an operation.
        #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
        #[serde(tag = "op", content = "params")]
        #[expect(missing_docs, reason = "each variant is documented at its parameters")]
        pub enum Request { $(#[serde(rename = $name)] $variant($variant)),+ }

        impl Request {
            /// Every operation: name and effect.
            pub const ALL: &'static [(&'static str, Effect)] = &[$(($name, Effect::$effect)),+];

            /// The operation's name.
            pub fn name(&self) -> &'static str {
                match self { $(Self::$variant(_) => $name),+ }
            }

            /// Builds a request from an operation's name and its parameters.
            pub fn build(name: &str, params: serde_json::Value) -> Result<Self, BadRequest> {
                match name {
                    $($name => serde_json::from_value(params).map(Self::$variant).map_err(|e| BadRequest::Params(e.to_string())),)+
                    _ => Err(BadRequest::NoSuchOperation),
                }
            }

            /// The parameters as JSON: what the fingerprint of an idempotency key covers.
            pub fn params(&self) -> Result<serde_json::Value, serde_json::Error> {
                match self { $(Self::$variant(params) => serde_json::to_value(params)),+ }
            }

            /// The schema of an operation's parameters.
            pub fn schema(name: &str) -> Option<schemars::Schema> {
                match name { $($name => Some(schemars::schema_for!($variant)),)+ _ => None }
            }
        }

        $(impl From<$variant> for Request {
            fn from(params: $variant) -> Self { Self::$variant(params) }
        })+
    };
}

/// Why a request could not be built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BadRequest {
    /// There is no operation of that name.
    NoSuchOperation,
    /// The parameters do not fit.
    Params(String),
}

requests! {
    "team.show" TeamShow Read,
    "team.take" TeamTake Idempotent,
    "agent.register" AgentRegister Idempotent,
    "agent.list" AgentList Read,
    "agent.show" AgentShow Read,
    "agent.rename" AgentRename Idempotent,
    "agent.retire" AgentRetire Idempotent,
    "whoami" Whoami Read,
    "status.set" StatusSet Idempotent,
    "status.board" StatusBoard Read,
    "session.bind" SessionBind Idempotent,
    "session.end" SessionEnd Idempotent,
    "session.list" SessionList Read,
    "message.send" MessageSend Write,
    "message.reply" MessageReply Write,
    "message.inbox" MessageInbox Read,
    "message.read" MessageRead Read,
    "message.acknowledge" MessageAcknowledge Idempotent,
    "message.settle" MessageSettle Idempotent,
    "message.accept" MessageAccept Write,
    "message.decline" MessageDecline Write,
    "message.thread" MessageThread Read,
    "message.list" MessageList Read,
    "message.hold" MessageHold Idempotent,
    "message.release" MessageRelease Idempotent,
    "message.escalate" MessageEscalate Write,
    "message.answer" MessageAnswer Write,
    "offer.take" OfferTake Write,
    "offer.confirm" OfferConfirm Idempotent,
    "task.create" TaskCreate Write,
    "task.list" TaskList Read,
    "task.show" TaskShow Read,
    "task.update" TaskUpdate Write,
    "task.claim" TaskClaim Idempotent,
    "task.next" TaskNext Write,
    "task.note" TaskNote Write,
    "task.depend" TaskDepend Idempotent,
    "task.report" TaskReport Write,
    "task.verdict" TaskVerdict Write,
    "task.reassign" TaskReassign Write,
    "task.redo" TaskRedo Write,
    "review.open" ReviewOpen Write,
    "review.comment" ReviewComment Write,
    "review.resolve" ReviewResolve Idempotent,
    "review.verdict" ReviewVerdict Write,
    "review.list" ReviewList Read,
    "review.show" ReviewShow Read,
    "spec.publish" SpecPublish Idempotent,
    "spec.show" SpecShow Read,
    "spec.list" SpecList Read,
    "spec.subscribe" SpecSubscribe Idempotent,
    "decision.open" DecisionOpen Write,
    "decision.position" DecisionPosition Write,
    "decision.decide" DecisionDecide Write,
    "decision.list" DecisionList Read,
    "decision.show" DecisionShow Read,
    "lease.take" LeaseTake Idempotent,
    "lease.renew" LeaseRenew Idempotent,
    "lease.release" LeaseRelease Idempotent,
    "lease.force" LeaseForce Write,
    "lease.list" LeaseList Read,
    "log.list" LogList Read,
    "log.history" LogHistory Read,
    "log.state" LogState Read,
    "log.trace" LogTrace Read,
    "search" Search Read,
    "briefing" Briefing Read,
    "summary" Summary Read,
    "text.purge" TextPurge Idempotent,
}
