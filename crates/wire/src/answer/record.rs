//! The record, as shown.

use interagent_core::summary::Action;
use interagent_core::vocabulary::Auth;

use super::{DutyView, Who};
use crate::{Time, shapes};

shapes! {
    /// An event in an entry.
    struct EventView {
        /// Whose state it changes.
        entity: String,
        /// Which kind.
        kind: String,
        /// What happened, in words.
        what: String,
        /// Why it did not count, if it did not.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        void: Option<String>,
    }
    /// An entry of the log.
    struct EntryView {
        /// Order of arrival here.
        seq: i64,
        /// Its id.
        id: String,
        /// Which replica wrote it.
        origin: String,
        /// The replica's own count.
        oseq: i64,
        /// When, by the wall clock.
        wall: Time,
        /// Who acted.
        actor: Who,
        /// For whom, when the operator spoke for an agent.
        behalf: Option<Who>,
        /// How the program knew.
        auth: Auth,
        /// Which operation.
        op: String,
        /// The caller's key.
        key: Option<String>,
        /// From the future: waits for its time.
        held: bool,
        /// What was decided.
        events: Vec<EventView>,
    }
    /// A step in an entity's history.
    struct StepView {
        /// The entry's place here.
        seq: i64,
        /// When, by the wall clock.
        wall: Time,
        /// For whom it counts.
        by: Who,
        /// Who really acted, when the operator spoke for an agent.
        actor: Option<Who>,
        /// How the program knew.
        auth: Auth,
        /// Which operation.
        op: String,
        /// Which kind of event.
        kind: String,
        /// What happened, in words.
        what: String,
        /// The reason, note or summary that was given.
        why: Option<String>,
        /// Why it did not count, if it did not.
        void: Option<String>,
    }
    /// An entity's history.
    struct HistoryView {
        /// Which entity.
        entity: String,
        /// In the order every replica agrees on.
        steps: Vec<StepView>,
    }
    /// An entity at a moment.
    struct StateView {
        /// Which entity.
        entity: String,
        /// The moment.
        at: Time,
        /// Its state; absent when it did not exist.
        state: Option<serde_json::Value>,
        /// The members whose ids are in it.
        names: Vec<Who>,
        /// Events up to then.
        events: u32,
    }
    /// A line of the trace.
    struct TraceView {
        /// Its number.
        n: i64,
        /// When.
        at: Time,
        /// What.
        kind: String,
        /// The agent it is about, where it is about one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        agent: Option<Who>,
        /// Facts.
        data: serde_json::Value,
    }
    /// Something that was found.
    struct HitView {
        /// Where.
        entity: String,
        /// message, task, spec, decision, review, report or agent.
        kind: String,
        /// Which part of it.
        part: String,
        /// When it was written.
        at: Time,
        /// By whom.
        author: Option<Who>,
        /// An excerpt around the first hit.
        excerpt: String,
        /// Where the hits are in the excerpt: first byte, and byte after the last.
        hits: Vec<(u32, u32)>,
    }
    /// A part of a text that looks like a secret.
    struct SuspicionView {
        /// What it looks like, as a word: `github_token`, `private_key`, `password`, ...
        kind: String,
        /// The same for people.
        looks_like: String,
        /// In which line of the text, counted from 1.
        line: u32,
        /// Its first characters and its length.
        shown: String,
    }
    /// A text that is kept out of git and files because it looks like a secret.
    struct HeldTextView {
        /// By what the log knows it; `text:HASH` names it.
        hash: String,
        /// What it looks like, as a word: `github_token`, `private_key`, `password`, ...
        kind: String,
        /// The same for people.
        looks_like: String,
        /// What it belongs to; absent where that has not arrived.
        entity: Option<String>,
        /// Who wrote it.
        by: Option<Who>,
        /// When.
        written: Option<Time>,
        /// What in it looks like a secret.
        found: Vec<SuspicionView>,
    }
    /// What an agent needs to know after a restart.
    struct BriefingView {
        /// Whose.
        agent: Who,
        /// The text to show it.
        text: String,
        /// Unread messages.
        unread: u32,
        /// What it owes.
        duties: Vec<DutyView>,
        /// Its open tasks.
        tasks: Vec<super::TaskRow>,
    }
    /// Unread mail of one member.
    struct MailCount {
        /// Who.
        agent: Who,
        /// How many.
        unread: u32,
        /// The subjects of the first, with their senders.
        first: Vec<MailLine>,
    }
    /// A message in one line.
    struct MailLine {
        /// Its id.
        id: String,
        /// From whom.
        from: Who,
        /// One line.
        subject: String,
    }
    /// A number of tasks.
    struct StatusCount {
        /// In which status.
        status: String,
        /// How many.
        count: i64,
    }
    /// A permission prompt that is open in an agent's client.
    struct PermissionView {
        /// Whose client.
        agent: Who,
        /// Which kind of client.
        client: String,
        /// The tool it is about; absent where the client does not say.
        tool: Option<String>,
        /// What that tool would run, edit or open: one line, without what looks like a secret.
        command: Option<String>,
        /// Since when it is open.
        since: Time,
        /// The tmux pane it is in, where that is known.
        pane: Option<String>,
        /// Where to answer it: a command, or a place in words.
        answer: String,
    }
    /// Something that should happen next.
    struct ActionView {
        /// Who should act.
        agent: Who,
        /// permit, dialog, decide, release, reassign, unblock, review, answer, start or read.
        action: Action,
        /// For people, with the command.
        sentence: String,
        /// The same without the command.
        clause: String,
        /// The id of the record that the command names.
        record: Option<String>,
        /// The permission prompt that it is about.
        permission: Option<PermissionView>,
    }
    /// The team summed up.
    struct SummaryView {
        /// The project's name.
        project: String,
        /// duo, peers or captain; absent without a team file.
        formation: Option<String>,
        /// Tasks by status.
        tasks: Vec<StatusCount>,
        /// Unread mail.
        mail: Vec<MailCount>,
        /// What needs doing.
        actions: Vec<ActionView>,
        /// Messages that wait for a release.
        held: u32,
        /// What needs doing in short: one line for each member and kind of action.
        headlines: Vec<String>,
        /// Commands that help with it.
        commands: Vec<String>,
    }
}
