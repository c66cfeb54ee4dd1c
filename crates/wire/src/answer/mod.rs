//! What operations answer with.

mod messages;
mod people;
mod record;
mod work;

use serde::{Deserialize, Serialize};

pub use messages::*;
pub use people::*;
pub use record::*;
pub use work::*;

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
}

shapes! {
    /// A member: id and name. A foreign agent with a taken name is shown as `name@origin`.
    struct Who {
        /// For ever.
        id: String,
        /// For now.
        name: String,
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

/// Lists the answers and their schemas.
macro_rules! answers {
    ($($variant:ident($ty:ty)),+ $(,)?) => {
        /// Any operation's answer.
        #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
        #[serde(tag = "kind", content = "value", rename_all = "snake_case")]
        #[expect(missing_docs, reason = "each variant is documented at its shape")]
        pub enum Answer { $($variant($ty)),+ }

        impl Answer {
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
    Team(TeamView),
    Agent(AgentView),
    Agents(Page<AgentView>),
    Identity(IdentityView),
    Board(BoardView),
    Session(SessionView),
    Sessions(Page<SessionView>),
    Sent(SentView),
    Message(MessageView),
    Messages(Page<MessageView>),
    Inbox(InboxView),
    Handover(HandoverView),
    Changed(ChangedView),
    Task(TaskView),
    Tasks(Page<TaskRow>),
    NextTask(NextTaskView),
    Review(ReviewView),
    Reviews(Page<ReviewRow>),
    Spec(SpecView),
    Specs(Page<SpecRow>),
    Decision(DecisionView),
    Decisions(Page<DecisionView>),
    Lease(LeaseView),
    Leases(Page<LeaseView>),
    Entries(Page<EntryView>),
    History(HistoryView),
    State(StateView),
    Trace(Page<TraceView>),
    Hits(Page<HitView>),
    Briefing(BriefingView),
    Summary(SummaryView),
}
