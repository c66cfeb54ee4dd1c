//! The record: the log, search, briefing, summary.

use super::params;
use crate::Time;

params! {
    /// Lists entries of the log.
    struct LogList {
        /// Those after this place, oldest first; `next` of the page before goes here. Newest first when left out.
        after: Option<i64>,
        /// Those before this place; without `after`, `next` of the page before goes here.
        before: Option<i64>,
        /// Only with events of this kind, such as `task` or `task.moved`, or of this operation.
        kind: Option<String>,
        /// Only by this member, or in its name.
        by: Option<String>,
        /// Only about this entity: its id, name or alias; `team` and `spec:NAME` too.
        entity: Option<String>,
        /// At most so many. A page may hold fewer though there are more: `next` tells.
        limit: Option<u32>,
    }
    /// Tells one entity's history: who did what when, and what of it did not count and why.
    struct LogHistory {
        /// Its id, name or alias; `team` and `spec:NAME` too.
        entity: String,
    }
    /// Shows an entity as it was at a moment.
    struct LogState {
        /// Its id, name or alias.
        entity: String,
        /// The moment; now when left out.
        at: Option<Time>,
    }
    /// Shows the local trace: refused sends, offers that lapsed, wake attempts.
    struct LogTrace {
        /// At most so many, newest first.
        limit: Option<u32>,
    }
    /// Searches everything that was written.
    struct Search {
        /// Words (all must be there), "phrases", prefix*, -without.
        text: String,
        /// message, task, spec, decision, review, report or agent.
        kinds: Vec<String>,
        /// Written by this member.
        author: Option<String>,
        /// About this task.
        task: Option<String>,
        /// From then on.
        since: Option<Time>,
        /// Before then.
        until: Option<Time>,
        /// Where the page before ended.
        after: Option<String>,
        /// At most so many.
        limit: Option<u32>,
    }
    /// Says who an agent is, what its role obliges to, and what is open: what it needs after a restart.
    struct Briefing {
        /// Whose: a name or id; the caller when left out.
        agent: Option<String>,
        /// The instructions of its role in full, in place of what is open now.
        role: bool,
    }
    /// Writes the prompt a person pastes to an agent: its role, what waits for it, and the commands for each step.
    struct Relay {
        /// For whom: a name or id; the caller when left out.
        agent: Option<String>,
    }
    /// Tells what is news for a person who watches: messages, assignments, starts, completions, verdicts, escalations.
    struct LogNotices {
        /// Only what came after this place of the log; from now on when left out.
        after: Option<i64>,
        /// Look at so many entries at most.
        limit: Option<u32>,
    }
    /// Writes the prompt that has an agent bring a project's kickoff template up to date.
    struct TemplatePrompt {
        /// For whom: a registered agent, or a kind of client such as claude or kimi.
        agent: String,
        /// Where the template is.
        template_path: Option<String>,
        /// What to look at first.
        focus: Option<String>,
    }
    /// Sums the team up: tasks, mail, what needs doing by whom.
    struct Summary {}
    /// Lists texts that look like secrets and are kept out of git and files. Whoever they were written to has them.
    struct TextHeld {
        /// Only those of this entity: its id, name or alias; `spec:NAME` too.
        entity: Option<String>,
        /// Where the page before ended.
        after: Option<String>,
        /// At most so many.
        limit: Option<u32>,
    }
    /// Lets texts of an entity go to git and into files though they look like secrets. Only the operator may.
    struct TextRelease {
        /// The entity whose held texts are released: its id, name or alias; `spec:NAME` too.
        entity: String,
        /// Why.
        reason: Option<String>,
    }
    /// Deletes texts of an entity everywhere; their hashes stay, so the log remains valid. An agent deletes what it
    /// wrote itself, the operator anything.
    struct TextPurge {
        /// The entity whose texts are deleted: its id, name or alias; `spec:NAME` too.
        entity: String,
        /// Only texts that contain this.
        containing: Option<String>,
        /// Only texts that are held back because they look like secrets.
        held: bool,
        /// Why.
        reason: Option<String>,
    }
}
