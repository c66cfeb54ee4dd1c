//! Routing, prompts to paste, and news for who watches, as shown.

use interagent_core::words;

use super::{DutyView, MailLine, ReviewRow, TaskRow, Who};
use crate::{Time, shapes};

words! {
    /// What a piece of news is about.
    pub enum NoticeKind as "the kind of news" {
        /// Somebody wrote.
        Message = "message",
        /// Somebody wrote, and it waits for a release.
        Held = "held",
        /// A task has found somebody.
        Assigned = "assigned",
        /// Work began.
        Started = "started",
        /// Work is done.
        Completed = "completed",
        /// Work was judged.
        Verdict = "verdict",
        /// A matter went up.
        Escalation = "escalation",
    }
}

shapes! {
    /// Somebody's place in a ranking.
    struct RouteRow {
        /// Who.
        agent: Who,
        /// Whether it can get the task.
        fits: bool,
        /// Why it stands there, most important first.
        reasons: Vec<String>,
    }
    /// Who would get a task.
    struct RouteView {
        /// Who would get it; absent when nobody fits.
        best: Option<Who>,
        /// Why that one, in one line; or why nobody.
        why: String,
        /// What it needs somebody to be good at, said or guessed.
        capability: Option<String>,
        /// What the words of the task were taken to mean.
        guesses: Vec<String>,
        /// Everybody, best first.
        ranking: Vec<RouteRow>,
    }
    /// The prompt a person pastes to an agent.
    struct RelayView {
        /// For whom.
        agent: Who,
        /// Its role.
        role: Option<String>,
        /// Whether anything waits for it.
        waiting: bool,
        /// Tasks it has not begun, most urgent first.
        new_tasks: Vec<TaskRow>,
        /// Tasks that were sent back to it.
        revisions: Vec<TaskRow>,
        /// Tasks it works on.
        going_on: Vec<TaskRow>,
        /// Completed work that waits for its verdict.
        to_judge: Vec<TaskRow>,
        /// Open reviews that name it, of changes that are no task.
        reviews: Vec<ReviewRow>,
        /// Unread messages, without those that only announce a task above.
        messages: Vec<MailLine>,
        /// The messages whose text is in the prompt. Whoever gets the prompt hands them on; they stay undelivered.
        #[serde(default)]
        handed: Vec<String>,
        /// Unread messages in all.
        unread: u32,
        /// What it owes besides.
        duties: Vec<DutyView>,
        /// What it should do, in order, with the commands.
        steps: Vec<String>,
        /// The whole prompt.
        text: String,
    }
    /// A piece of news.
    struct NoticeView {
        /// The entry's place in the log.
        seq: i64,
        /// When, by the wall clock.
        at: Time,
        /// message, held, assigned, started, completed, verdict or escalation.
        kind: NoticeKind,
        /// What it is about: the id of a message or task.
        entity: String,
        /// Who did it.
        by: Who,
        /// Whom it concerns.
        to: Vec<Who>,
        /// In words.
        sentence: String,
    }
    /// News since a place of the log.
    struct NoticesView {
        /// In the order they came.
        items: Vec<NoticeView>,
        /// The place of the log up to which they were told: what to pass as `after` for what comes next.
        reached: i64,
    }
    /// A prompt for an agent.
    struct PromptView {
        /// For whom.
        agent: String,
        /// Which kind of client that is.
        profile: String,
        /// The whole prompt.
        text: String,
    }
}
