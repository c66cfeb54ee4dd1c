//! What operations answer with.

mod guard;
mod local;
mod messages;
mod news;
mod people;
mod record;
mod reports;
mod reviews;
mod work;

use serde::{Deserialize, Serialize};

pub use guard::*;
pub use local::*;
pub use messages::*;
pub use news::*;
pub use people::*;
pub use record::*;
pub use reports::*;
pub use reviews::*;
pub use work::*;

use crate::LocalEffect;
use crate::shapes;

/// An answer with the place of the log it was computed at: two surfaces with the same `seq` show the same.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reply {
    /// The number of this set of shapes.
    pub schema: u32,
    /// Entries in the log when this was answered.
    pub seq: i64,
    /// The answer.
    pub answer: Answer,
    /// What whoever is on the agent's machine does now. No part of the answer that people and programs see.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub effects: Vec<LocalEffect>,
    /// Why the request changed nothing: it was so already. Absent where it did something, and where it only looked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unchanged: Option<String>,
    /// What the caller should know besides.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

impl Reply {
    /// What programs get: the answer without its kind, and what is to be said of it where there is something.
    pub fn document(&self) -> Result<serde_json::Value, serde_json::Error> {
        let mut document =
            serde_json::json!({ "schema": self.schema, "seq": self.seq, "answer": self.answer.value()? });
        if let Some(why) = &self.unchanged {
            document["unchanged"] = why.as_str().into();
        }
        if !self.notes.is_empty() {
            document["notes"] = self.notes.clone().into();
        }
        Ok(document)
    }
}

shapes! {
    /// A member: id and name. A foreign agent with a taken name is shown as `name@origin`.
    struct Who {
        /// For ever.
        id: String,
        /// For now.
        name: String,
        /// How the replica that it lives at stands here, where that is another one and not accepted: `new replica`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        replica: Option<String>,
    }
}

/// Some rows, and where the next ones begin.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Page<T> {
    /// The rows.
    pub items: Vec<T>,
    /// What to pass as `after` for more; absent at the end.
    pub next: Option<String>,
}

/// Lists the answers: the word for each kind, and its shape.
macro_rules! answers {
    ($($kind:literal $variant:ident($ty:ty)),+ $(,)?) => {
        /// Any operation's answer.
        #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
        #[serde(tag = "kind", content = "value")]
        #[expect(missing_docs, reason = "each variant is documented at its shape")]
        pub enum Answer { $(#[serde(rename = $kind)] $variant($ty)),+ }

        /// The kinds of answers.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[expect(missing_docs, reason = "each variant is documented at its shape")]
        pub enum AnswerKind { $($variant),+ }

        impl AnswerKind {
            /// Every kind.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The kind as a word: what stands in an answer's `kind`.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $kind),+ }
            }

            /// The schema of an answer of this kind, without the kind itself.
            pub fn schema(self) -> schemars::Schema {
                match self { $(Self::$variant => schemars::schema_for!($ty)),+ }
            }
        }

        impl Answer {
            /// Which kind it is.
            pub fn kind(&self) -> AnswerKind {
                match self { $(Self::$variant(_) => AnswerKind::$variant),+ }
            }

            /// The answer itself, without its kind: what `--json` shows.
            pub fn value(&self) -> Result<serde_json::Value, serde_json::Error> {
                match self { $(Self::$variant(value) => serde_json::to_value(value)),+ }
            }
        }

        $(impl From<$ty> for Answer {
            fn from(value: $ty) -> Self { Self::$variant(value) }
        })+
    };
}

answers! {
    "team" Team(TeamView),
    "agent" Agent(AgentView),
    "agents" Agents(Page<AgentView>),
    "token" Token(TokenView),
    "identity" Identity(IdentityView),
    "board" Board(BoardView),
    "session" Session(SessionView),
    "sessions" Sessions(Page<SessionView>),
    "hook" Hook(HookView),
    "wake" Wake(WakeView),
    "sent" Sent(SentView),
    "message" Message(MessageView),
    "messages" Messages(Page<MessageView>),
    "inbox" Inbox(InboxView),
    "handover" Handover(HandoverView),
    "changed" Changed(ChangedView),
    "task" Task(TaskView),
    "route" Route(RouteView),
    "tasks" Tasks(Page<TaskRow>),
    "next_task" NextTask(NextTaskView),
    "review" Review(ReviewView),
    "reviews" Reviews(Page<ReviewRow>),
    "spec" Spec(SpecView),
    "specs" Specs(Page<SpecRow>),
    "spec_change" SpecChange(SpecChangeView),
    "decision" Decision(DecisionView),
    "decisions" Decisions(Page<DecisionView>),
    "skill" Skill(SkillDetail),
    "skills" Skills(Page<SkillSummary>),
    "control" Control(ControlView),
    "controls" Controls(Page<ControlView>),
    "lease" Lease(LeaseView),
    "leases" Leases(Page<LeaseView>),
    "guard" Guard(GuardView),
    "edits" Edits(EditsView),
    "entries" Entries(Page<EntryView>),
    "history" History(HistoryView),
    "notices" Notices(NoticesView),
    "state" State(StateView),
    "trace" Trace(Page<TraceView>),
    "hits" Hits(Page<HitView>),
    "briefing" Briefing(BriefingView),
    "relay" Relay(RelayView),
    "prompt" Prompt(PromptView),
    "summary" Summary(SummaryView),
    "held_texts" HeldTexts(Page<HeldTextView>),
}

/// A question that was asked once.
fn once() -> u32 {
    1
}

/// Whether a question was asked once: then nothing is said of it.
fn is_once(times: &u32) -> bool {
    *times == 1
}
