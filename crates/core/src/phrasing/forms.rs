//! The table of forms: what each operation is called in a shell and among the tools.

use super::{Arg, Operation};

/// One operation on both surfaces.
#[derive(Clone, Copy, Debug)]
pub struct Form {
    /// The operation that both surfaces carry out.
    pub operation: Operation,
    /// The words after the name of the program.
    pub command: &'static str,
    /// The tool that does the same.
    pub tool: &'static str,
    /// The value of the tool's `action` parameter, for tools with several actions.
    pub action: Option<&'static str>,
    /// Its arguments, in the order of the command line.
    pub args: &'static [Spelling],
}

/// An argument on both surfaces.
#[derive(Clone, Copy, Debug)]
pub struct Spelling {
    /// What the argument means.
    pub arg: Arg,
    /// Where the command line has it.
    pub place: Place,
    /// What the tool calls it; for a switch, all that the call says.
    pub parameter: &'static str,
}

/// Where a command line has an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// By its position.
    Word,
    /// After an option.
    Flag(&'static str),
    /// An option alone.
    Switch(&'static str),
}

impl Form {
    pub(super) fn spelling(&self, arg: Arg) -> Option<&Spelling> {
        self.args.iter().find(|spelling| spelling.arg == arg)
    }
}

const fn word(arg: Arg, parameter: &'static str) -> Spelling {
    Spelling { arg, place: Place::Word, parameter }
}

const fn flag(arg: Arg, flag: &'static str, parameter: &'static str) -> Spelling {
    Spelling { arg, place: Place::Flag(flag), parameter }
}

const fn switch(arg: Arg, flag: &'static str, says: &'static str) -> Spelling {
    Spelling { arg, place: Place::Switch(flag), parameter: says }
}

const fn form(
    operation: Operation,
    command: &'static str,
    tool: &'static str,
    action: Option<&'static str>,
    args: &'static [Spelling],
) -> Form {
    Form { operation, command, tool, action, args }
}

/// The form of an operation: the first one is said, all of them are understood.
pub(super) fn of(operation: Operation) -> &'static Form {
    FORMS.iter().find(|form| form.operation == operation).unwrap_or(&FORMS[0])
}

const TASK: &str = "task";
const REVIEW: &str = "review";
const DECISION: &str = "decision";

/// Every operation that a text asks an agent for. Later rows of an operation are other spellings of its command.
pub const FORMS: &[Form] = &[
    form(Operation::Briefing, "briefing", "briefing", None, &[]),
    form(Operation::Inbox, "inbox", "check_inbox", None, &[flag(Arg::Name, "--agent", "agent_name")]),
    form(Operation::Read, "read", "read_message", None, &[word(Arg::Message, "message_id")]),
    form(Operation::Acknowledge, "ack", "read_message", None, &[word(Arg::Message, "message_id")]),
    form(Operation::Reply, "reply", "reply_message", None, REPLY),
    form(Operation::Reply, "msg answer", "reply_message", None, ANSWER),
    form(Operation::Send, "send", "send_message", None, SEND),
    form(Operation::Send, "msg send", "send_message", None, SEND),
    form(
        Operation::Escalate,
        "msg escalate",
        "escalate",
        None,
        &[word(Arg::Message, "message_id"), flag(Arg::Reason, "--reason", "reason")],
    ),
    form(Operation::Accept, "msg accept", TASK, Some("accept"), &[word(Arg::Message, "message")]),
    form(
        Operation::Decline,
        "msg decline",
        TASK,
        Some("decline"),
        &[word(Arg::Message, "message"), flag(Arg::Reason, "--reason", "reason")],
    ),
    form(
        Operation::Delegate,
        "delegate",
        TASK,
        Some("create"),
        &[flag(Arg::To, "--to", "assignee"), flag(Arg::Title, "--task", "title")],
    ),
    form(
        Operation::CreateTask,
        "task create",
        TASK,
        Some("create"),
        &[word(Arg::Title, "title"), flag(Arg::To, "--assignee", "assignee")],
    ),
    form(
        Operation::ListTasks,
        "task list",
        TASK,
        Some("list"),
        &[
            flag(Arg::Status, "--status", "status"),
            flag(Arg::To, "--assignee", "assignee"),
            switch(Arg::Open, "--open", "open=true"),
        ],
    ),
    form(Operation::ShowTask, "task show", TASK, Some("show"), &[word(Arg::Task, "task")]),
    form(Operation::NextTask, "task next", TASK, Some("next"), &[]),
    form(Operation::ClaimTask, "task claim", TASK, Some("claim"), &[word(Arg::Task, "task")]),
    form(
        Operation::UpdateTask,
        "task update",
        TASK,
        Some("update"),
        &[
            word(Arg::Task, "task"),
            flag(Arg::Status, "--status", "status"),
            flag(Arg::Note, "--note", "note"),
        ],
    ),
    form(
        Operation::NoteTask,
        "task note",
        TASK,
        Some("note"),
        &[word(Arg::Task, "task"), word(Arg::Note, "note")],
    ),
    form(Operation::ReportTask, "task report", TASK, Some("report"), REPORT),
    form(Operation::ReportTask, "report", TASK, Some("report"), REPORT),
    form(
        Operation::JudgeTask,
        "task verdict",
        TASK,
        Some("verdict"),
        &[word(Arg::Task, "task"), word(Arg::Verdict, "verdict"), flag(Arg::Note, "--note", "note")],
    ),
    form(
        Operation::DependTask,
        "task depend",
        TASK,
        Some("depend"),
        &[word(Arg::Task, "task"), word(Arg::On, "on"), switch(Arg::Undoing, "--remove", "remove=true")],
    ),
    form(
        Operation::ReassignTask,
        "task reassign",
        TASK,
        Some("reassign"),
        &[word(Arg::Task, "task"), flag(Arg::To, "--to", "to")],
    ),
    form(Operation::RedoTask, "task redo", TASK, Some("redo"), &[word(Arg::Task, "task")]),
    form(
        Operation::SplitTask,
        "task split",
        TASK,
        Some("split"),
        &[
            word(Arg::Task, "task"),
            flag(Arg::Into, "--into", "into"),
            switch(Arg::Accepting, "--accept", "answer=\"accept\""),
            switch(Arg::Undoing, "--decline", "answer=\"decline\""),
            flag(Arg::To, "--to", "to"),
            flag(Arg::Reason, "--reason", "reason"),
        ],
    ),
    form(
        Operation::OpenReview,
        "review open",
        REVIEW,
        Some("open"),
        &[word(Arg::Range, "source"), flag(Arg::Title, "--title", "title"), flag(Arg::To, "--to", "to")],
    ),
    form(
        Operation::UpdateReview,
        "review update",
        REVIEW,
        Some("update"),
        &[word(Arg::Review, "review"), word(Arg::Range, "source")],
    ),
    form(
        Operation::CommentReview,
        "review comment",
        REVIEW,
        Some("comment"),
        &[
            word(Arg::Review, "review"),
            flag(Arg::Thread, "--thread", "thread"),
            flag(Arg::Text, "-m", "body"),
        ],
    ),
    form(
        Operation::JudgeReview,
        "review verdict",
        REVIEW,
        Some("verdict"),
        &[word(Arg::Review, "review"), word(Arg::Verdict, "verdict"), flag(Arg::Note, "--note", "note")],
    ),
    form(Operation::ListReviews, "review list", REVIEW, Some("list"), &[]),
    form(Operation::ShowReview, "review show", REVIEW, Some("show"), &[word(Arg::Review, "review")]),
    form(
        Operation::OpenDecision,
        "decision open",
        DECISION,
        Some("open"),
        &[word(Arg::Title, "question"), flag(Arg::Decision, "--supersedes", "supersedes")],
    ),
    form(
        Operation::TakePosition,
        "decision position",
        DECISION,
        Some("position"),
        &[
            word(Arg::Decision, "decision"),
            word(Arg::Text, "position"),
            flag(Arg::Reason, "--reason", "reason"),
        ],
    ),
    form(
        Operation::Decide,
        "decision decide",
        DECISION,
        Some("decide"),
        &[
            word(Arg::Decision, "decision"),
            word(Arg::Outcome, "outcome"),
            flag(Arg::Reason, "--reason", "reason"),
        ],
    ),
    form(Operation::ListDecisions, "decision list", DECISION, Some("list"), &[]),
    form(
        Operation::ShowDecision,
        "decision show",
        DECISION,
        Some("show"),
        &[word(Arg::Decision, "decision")],
    ),
    form(Operation::TakeLease, "lease take", "lease", Some("take"), &[word(Arg::Paths, "paths")]),
    form(Operation::ReleaseLease, "lease release", "lease", Some("release"), &[word(Arg::Lease, "lease")]),
    form(Operation::ListLeases, "lease list", "lease", Some("list"), &[]),
    form(
        Operation::PublishSpec,
        "spec publish",
        "publish_spec",
        None,
        &[word(Arg::Name, "name"), word(Arg::Text, "content")],
    ),
    form(
        Operation::ShowSpec,
        "spec show",
        "get_spec",
        None,
        &[word(Arg::Name, "name"), flag(Arg::Version, "--version", "version")],
    ),
    form(Operation::ListSpecs, "spec list", "list_specs", None, &[]),
    form(Operation::Search, "search", "search", None, &[word(Arg::Text, "text")]),
    form(
        Operation::SetStatus,
        "status set",
        "set_status",
        None,
        &[
            word(Arg::Status, "state"),
            word(Arg::Text, "status"),
            flag(Arg::Context, "--context", "context_left"),
        ],
    ),
    form(Operation::ShowStatus, "whoami", "get_status", None, &[]),
    form(Operation::Board, "status", "get_all_statuses", None, &[]),
    form(Operation::Summary, "summary", "briefing", Some("team"), &[]),
    form(Operation::ListAgents, "agent list", "list_agents", None, &[]),
    form(Operation::ShowAgent, "agent show", "get_agent", None, &[word(Arg::Name, "name")]),
    form(Operation::Register, "agent register", "register_agent", None, &[word(Arg::Name, "name")]),
];

const ANSWER: &[Spelling] = &[word(Arg::Message, "original_message_id"), flag(Arg::Text, "-m", "content")];

const REPLY: &[Spelling] = &[
    word(Arg::Message, "original_message_id"),
    flag(Arg::Text, "-m", "content"),
    switch(Arg::Complete, "--complete", "mark_complete=true"),
];

const SEND: &[Spelling] = &[
    flag(Arg::To, "--to", "to"),
    flag(Arg::Intent, "--intent", "intent"),
    flag(Arg::Intent, "--type", "intent"),
    flag(Arg::Text, "-m", "content"),
    flag(Arg::Text, "--message", "content"),
];

const REPORT: &[Spelling] = &[
    word(Arg::Task, "task"),
    word(Arg::Status, "status"),
    flag(Arg::Summary, "--summary", "summary"),
    switch(Arg::NoSkill, "--no-skill", "skill_candidate={\"found\": false}"),
    switch(Arg::PurposeMet, "--purpose-met", "purpose_met=true"),
    flag(Arg::Text, "--file", "summary"),
];
