//! What a member can ask for: one shape per operation. The doc comments are what people and models read.

mod explain;
mod guard;
mod messages;
mod people;
mod record;
mod skills;
mod tasks;
mod work;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::answer::AnswerKind;

pub use guard::*;
pub use messages::*;
pub use people::*;
pub use record::*;
pub use skills::*;
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
    /// Writes; a repetition does it again, unless the operation takes a key and gets the same one.
    Write,
}

/// Binds each operation's name to its parameters, its effect and its answer.
macro_rules! requests {
    ($($name:literal $variant:ident $effect:ident => $answer:ident),+ $(,)?) => {
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
                let Some(given) = params.as_object() else {
                    return Err(BadRequest::Params("the parameters are a JSON object".to_owned()));
                };
                match name {
                    $($name => <$variant>::deserialize(&params).map(Self::$variant).map_err(|_| {
                        let fits = |part: &serde_json::Value| <$variant>::deserialize(part).map(drop).map_err(|e| e.to_string());
                        BadRequest::Params(explain::explain($name, given, schemars::schema_for!($variant).as_value(), fits))
                    }),)+
                    _ => Err(BadRequest::NoSuchOperation),
                }
            }

            /// The parameters as JSON: what the fingerprint of an idempotency key covers.
            pub fn params(&self) -> Result<serde_json::Value, serde_json::Error> {
                match self { $(Self::$variant(params) => serde_json::to_value(params)),+ }
            }

            /// The kind of answer an operation gives.
            pub fn answer(name: &str) -> Option<AnswerKind> {
                match name { $($name => Some(AnswerKind::$answer),)+ _ => None }
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
    "team.show" TeamShow Read => Team,
    "team.take" TeamTake Idempotent => Team,
    "agent.register" AgentRegister Idempotent => Agent,
    "agent.list" AgentList Read => Agents,
    "agent.show" AgentShow Read => Agent,
    "agent.rename" AgentRename Idempotent => Agent,
    "agent.retire" AgentRetire Idempotent => Agent,
    "agent.token" AgentToken Write => Token,
    "agent.revoke" AgentRevoke Idempotent => Token,
    "whoami" Whoami Read => Identity,
    "status.set" StatusSet Idempotent => Agent,
    "status.board" StatusBoard Read => Board,
    "session.bind" SessionBind Idempotent => Session,
    "session.hook" SessionHook Write => Hook,
    "session.wake" SessionWake Idempotent => Wake,
    "session.end" SessionEnd Idempotent => Session,
    "session.list" SessionList Read => Sessions,
    "message.send" MessageSend Write => Sent,
    "message.reply" MessageReply Write => Sent,
    "message.inbox" MessageInbox Read => Inbox,
    "message.read" MessageRead Read => Message,
    "message.acknowledge" MessageAcknowledge Idempotent => Changed,
    "message.settle" MessageSettle Idempotent => Message,
    "message.accept" MessageAccept Write => Message,
    "message.decline" MessageDecline Write => Message,
    "message.thread" MessageThread Read => Messages,
    "message.list" MessageList Read => Messages,
    "message.hold" MessageHold Idempotent => Message,
    "message.release" MessageRelease Idempotent => Message,
    "message.escalate" MessageEscalate Write => Sent,
    "message.answer" MessageAnswer Write => Sent,
    "offer.take" OfferTake Write => Handover,
    "offer.confirm" OfferConfirm Idempotent => Changed,
    "task.create" TaskCreate Write => Task,
    "task.route" TaskRoute Read => Route,
    "task.list" TaskList Read => Tasks,
    "task.show" TaskShow Read => Task,
    "task.update" TaskUpdate Write => Task,
    "task.claim" TaskClaim Idempotent => Task,
    "task.next" TaskNext Write => NextTask,
    "task.note" TaskNote Write => Task,
    "task.depend" TaskDepend Idempotent => Task,
    "task.report" TaskReport Write => Task,
    "task.verdict" TaskVerdict Write => Task,
    "task.reassign" TaskReassign Write => Task,
    "task.redo" TaskRedo Write => Task,
    "task.split" TaskSplit Write => Task,
    "skill.list" SkillList Read => Skills,
    "skill.show" SkillShow Read => Skill,
    "skill.promote" SkillPromote Idempotent => Skill,
    "skill.reject" SkillReject Idempotent => Skill,
    "control.send" ControlSend Write => Control,
    "control.list" ControlList Read => Controls,
    "control.done" ControlDone Idempotent => Control,
    "review.open" ReviewOpen Write => Review,
    "review.update" ReviewUpdate Write => Review,
    "review.comment" ReviewComment Write => Review,
    "review.resolve" ReviewResolve Idempotent => Review,
    "review.verdict" ReviewVerdict Write => Review,
    "review.list" ReviewList Read => Reviews,
    "review.show" ReviewShow Read => Review,
    "spec.publish" SpecPublish Idempotent => Spec,
    "spec.show" SpecShow Read => Spec,
    "spec.list" SpecList Read => Specs,
    "spec.history" SpecHistory Read => Specs,
    "spec.diff" SpecDiff Read => SpecChange,
    "spec.subscribe" SpecSubscribe Idempotent => Changed,
    "decision.open" DecisionOpen Write => Decision,
    "decision.position" DecisionPosition Write => Decision,
    "decision.decide" DecisionDecide Write => Decision,
    "decision.list" DecisionList Read => Decisions,
    "decision.show" DecisionShow Read => Decision,
    "lease.take" LeaseTake Idempotent => Lease,
    "lease.renew" LeaseRenew Idempotent => Lease,
    "lease.release" LeaseRelease Idempotent => Lease,
    "lease.force" LeaseForce Write => Lease,
    "lease.list" LeaseList Read => Leases,
    "guard.check" GuardCheck Write => Guard,
    "guard.report" GuardReport Write => Edits,
    "edit.note" EditNote Write => Edits,
    "log.list" LogList Read => Entries,
    "log.history" LogHistory Read => History,
    "log.notices" LogNotices Read => Notices,
    "log.state" LogState Read => State,
    "log.trace" LogTrace Read => Trace,
    "search" Search Read => Hits,
    "briefing" Briefing Read => Briefing,
    "relay" Relay Write => Relay,
    "template.prompt" TemplatePrompt Read => Prompt,
    "summary" Summary Read => Summary,
    "text.held" TextHeld Read => HeldTexts,
    "text.release" TextRelease Idempotent => Changed,
    "text.purge" TextPurge Idempotent => Changed,
}
