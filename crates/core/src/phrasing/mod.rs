//! Says how to do something, in the words of the reader: a tool of our MCP server, or a command in a shell.
//!
//! A [`Step`] is one operation with its arguments. A [`Dialect`] says how a reader carries out operations. Every text for a model
//! names the tool where the session has our server and the command elsewhere, never both: texts hold steps and render them for
//! their reader. Pure: the caller determines the dialect.

pub mod forms;
mod obligation;
mod translate;

#[cfg(test)]
mod tests;

use forms::{Form, Place};
pub use obligation::{Links, Obligation};

use crate::team::{Formation, TeamConfig};
use crate::vocabulary::Verdict;

/// How a reader carries out operations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dialect<'a> {
    /// By commands in a shell.
    #[default]
    Shell,
    /// By tools of our MCP server. The template with `{tool}` is what the reader's client calls one of them.
    Tools(&'a str),
}

/// What the server itself calls its tools: in its own answers, and where the client's name for them is not known.
pub const BARE_TOOL: &str = "{tool}";

impl<'a> Dialect<'a> {
    /// The dialect of a reader whose client calls our tools by this template; a shell where it has none.
    pub fn of(template: Option<&'a str>) -> Self {
        template.map_or(Self::Shell, Self::Tools)
    }

    /// How the reader carries out a step.
    pub fn say(self, step: &Step) -> String {
        let form = forms::of(step.operation);
        match self {
            Self::Shell => command(form, step, Detail::Whole),
            Self::Tools(template) => call(form, step, template, Detail::Whole),
        }
    }

    /// The same text with each command in it replaced by the tool that does the same.
    ///
    /// For hints and notes that surfaces share, where a command is part of a sentence. A command that no tool stands for is the
    /// operator's, and the text says so.
    pub fn translate(self, text: &str) -> String {
        match self {
            Self::Shell => text.to_owned(),
            Self::Tools(template) => translate::translate(text, template),
        }
    }
}

/// Something that can be done with the hub, on every surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Read one's own briefing.
    Briefing,
    /// Read one's messages.
    Inbox,
    /// Show a message.
    Read,
    /// Acknowledge a message.
    Acknowledge,
    /// Reply to a message.
    Reply,
    /// Send a message.
    Send,
    /// Take a message to a superior.
    Escalate,
    /// Accept a handoff or delegation.
    Accept,
    /// Decline a handoff or delegation.
    Decline,
    /// Create a task and tell its assignee.
    Delegate,
    /// Create a task.
    CreateTask,
    /// List tasks.
    ListTasks,
    /// Show a task.
    ShowTask,
    /// Find the next task and claim it.
    NextTask,
    /// Claim a task.
    ClaimTask,
    /// Move a task to another status.
    UpdateTask,
    /// Add a note to a task.
    NoteTask,
    /// Report the result of a task.
    ReportTask,
    /// Give a verdict on a task.
    JudgeTask,
    /// Change what a task waits for.
    DependTask,
    /// Give a task to another agent.
    ReassignTask,
    /// Create a task in place of a closed one.
    RedoTask,
    /// Propose the parts of a task, or answer such a proposal.
    SplitTask,
    /// Open a review.
    OpenReview,
    /// Add a round to a review.
    UpdateReview,
    /// Comment on a review.
    CommentReview,
    /// Give a verdict on a review.
    JudgeReview,
    /// List reviews.
    ListReviews,
    /// Show a review.
    ShowReview,
    /// Open a decision.
    OpenDecision,
    /// Take a position on a decision.
    TakePosition,
    /// Decide a question.
    Decide,
    /// List decisions.
    ListDecisions,
    /// Show a decision.
    ShowDecision,
    /// Lease files.
    TakeLease,
    /// Release a lease.
    ReleaseLease,
    /// List leases.
    ListLeases,
    /// Publish a spec.
    PublishSpec,
    /// Read a spec.
    ShowSpec,
    /// List specs.
    ListSpecs,
    /// Search the hub.
    Search,
    /// Set one's own status.
    SetStatus,
    /// Show what an agent is doing.
    ShowStatus,
    /// Show what everybody is doing.
    Board,
    /// Show what needs doing, and by whom.
    Summary,
    /// List the agents.
    ListAgents,
    /// Show an agent.
    ShowAgent,
    /// Join the team under a name.
    Register,
}

/// An argument of an operation, whatever a surface calls it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arg {
    /// A message.
    Message,
    /// A task.
    Task,
    /// A task that another one waits for.
    On,
    /// A review.
    Review,
    /// A range of commits.
    Range,
    /// A thread of a review.
    Thread,
    /// A decision.
    Decision,
    /// A lease.
    Lease,
    /// A spec, or the name of an agent.
    Name,
    /// An agent, a role or all of them.
    To,
    /// What is said.
    Text,
    /// What a message is for.
    Intent,
    /// A title.
    Title,
    /// A status of a task, or the state of an agent.
    Status,
    /// A verdict.
    Verdict,
    /// A note.
    Note,
    /// What was done.
    Summary,
    /// What is decided.
    Outcome,
    /// Why.
    Reason,
    /// One part of a task.
    Into,
    /// Paths.
    Paths,
    /// A version.
    Version,
    /// Percent of the context that are left.
    Context,
    /// Only what is open.
    Open,
    /// Without a candidate for a skill.
    NoSkill,
    /// The result serves its purpose.
    PurposeMet,
    /// A proposal is accepted.
    Accepting,
    /// A proposal is declined, or a dependency removed.
    Undoing,
    /// It settles any other obligation, too.
    Complete,
}

/// One operation with its arguments. A value in capitals, with `...` or with `|` is for the reader to fill in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    operation: Operation,
    arguments: Vec<(Arg, String)>,
}

impl Step {
    /// An operation without arguments.
    pub fn new(operation: Operation) -> Self {
        Self { operation, arguments: Vec::new() }
    }

    /// Adds an argument.
    #[must_use]
    pub fn with(mut self, arg: Arg, value: impl Into<String>) -> Self {
        self.arguments.push((arg, value.into()));
        self
    }

    /// Adds an argument that has no value.
    #[must_use]
    pub fn flag(self, arg: Arg) -> Self {
        self.with(arg, "")
    }

    /// The id of the record that it names.
    pub fn record(&self) -> Option<&str> {
        let is_record = |arg: &Arg| matches!(arg, Arg::Message | Arg::Task | Arg::Review | Arg::Decision);
        self.arguments.iter().find(|(arg, _)| is_record(arg)).map(|(_, id)| id.as_str())
    }

    /// Reply to a message.
    pub fn reply(message: &str) -> Self {
        Self::new(Operation::Reply).with(Arg::Message, message).with(Arg::Text, "TEXT")
    }

    /// Send a message.
    pub fn send(to: &str) -> Self {
        Self::new(Operation::Send).with(Arg::To, to).with(Arg::Text, "TEXT")
    }

    /// Show a task.
    pub fn show_task(task: &str) -> Self {
        Self::new(Operation::ShowTask).with(Arg::Task, task)
    }

    /// Move a task to a status.
    pub fn update_task(task: &str, status: &str) -> Self {
        Self::new(Operation::UpdateTask).with(Arg::Task, task).with(Arg::Status, status)
    }

    /// Give a verdict on a task.
    pub fn judge_task(task: &str) -> Self {
        Self::new(Operation::JudgeTask).with(Arg::Task, task).with(Arg::Verdict, VERDICTS)
    }

    /// The same verdict as a rejection.
    pub fn rejecting(mut self) -> Self {
        for (_, value) in self.arguments.iter_mut().filter(|(arg, _)| *arg == Arg::Verdict) {
            *value = Verdict::Rejected.to_string();
        }
        self
    }

    /// Show a review.
    pub fn show_review(review: &str) -> Self {
        Self::new(Operation::ShowReview).with(Arg::Review, review)
    }

    /// Give a verdict on a review.
    pub fn judge_review(review: &str) -> Self {
        Self::new(Operation::JudgeReview).with(Arg::Review, review).with(Arg::Verdict, VERDICTS)
    }

    /// Add a round to a review, of the source of the last one.
    pub fn update_review(review: &str) -> Self {
        Self::new(Operation::UpdateReview).with(Arg::Review, review)
    }

    /// Give a task to another agent.
    pub fn reassign_task(task: &str) -> Self {
        Self::new(Operation::ReassignTask).with(Arg::Task, task).with(Arg::To, "NAME")
    }

    /// Answer in a thread of a review.
    pub fn comment_review(review: &str, thread: &str) -> Self {
        let step = Self::new(Operation::CommentReview).with(Arg::Review, review);
        step.with(Arg::Thread, thread).with(Arg::Text, "TEXT")
    }

    /// Ask a decided question again.
    pub fn supersede_decision(decision: &str) -> Self {
        Self::new(Operation::OpenDecision).with(Arg::Title, "QUESTION").with(Arg::Decision, decision)
    }

    /// Take a position on a decision.
    pub fn take_position(decision: &str) -> Self {
        Self::new(Operation::TakePosition).with(Arg::Decision, decision).with(Arg::Text, "POSITION")
    }

    /// Show a decision.
    pub fn show_decision(decision: &str) -> Self {
        Self::new(Operation::ShowDecision).with(Arg::Decision, decision)
    }

    /// Decide a question.
    pub fn decide(decision: &str) -> Self {
        Self::new(Operation::Decide).with(Arg::Decision, decision).with(Arg::Outcome, "OUTCOME")
    }

    /// Report that a task is done. In a chain of command a report also compares the result with its purpose.
    pub fn report_task(task: &str, team: Option<&TeamConfig>) -> Self {
        let step = Self::new(Operation::ReportTask).with(Arg::Task, task).with(Arg::Status, "done");
        let step = step.with(Arg::Summary, "TEXT").flag(Arg::NoSkill);
        match team.is_some_and(|team| team.formation == Formation::Captain) {
            true => step.flag(Arg::PurposeMet),
            false => step,
        }
    }
}

/// The verdicts, for the reader to choose from.
const VERDICTS: &str = "approved|revision_needed|rejected";

/// A call after another one: where the tool is the same, only the arguments that differ.
fn difference(before: &Step, step: &Step, template: &str, detail: Detail) -> String {
    let (last, form) = (forms::of(before.operation), forms::of(step.operation));
    if last.tool != form.tool {
        return call(form, step, template, detail);
    }
    let known = given(last, before, detail);
    let new: Vec<String> = given(form, step, detail).into_iter().filter(|one| !known.contains(one)).collect();
    new.join(", ")
}

fn command(form: &Form, step: &Step, detail: Detail) -> String {
    let mut words = vec!["interagent".to_owned(), form.command.to_owned()];
    let mut after = Vec::new();
    for (arg, value) in &step.arguments {
        let Some(spelling) = form.spelling(*arg) else { continue };
        let value = match choices(value) {
            Some(values) => {
                after.push(values.to_owned());
                "VERDICT"
            }
            None => value.as_str(),
        };
        let value =
            id_name(*arg).filter(|_| detail == Detail::Brief).map_or_else(|| quoted(value), str::to_owned);
        match spelling.place {
            Place::Word => words.push(value),
            Place::Flag(flag) => words.extend([flag.to_owned(), value]),
            Place::Switch(flag) => words.push(flag.to_owned()),
        }
    }
    words.extend(after);
    words.join(" ")
}

/// The choices of a value, printed after the command. In a shell `|` would be a pipe and run the first choice;
/// parentheses are a syntax error. Only our own choices count: other values come from members, and are quoted.
fn choices(value: &str) -> Option<&'static str> {
    (value == VERDICTS).then_some("(approved, revision_needed or rejected)")
}

/// How much of a call is said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Detail {
    /// Everything.
    Whole,
    /// Placeholders instead of values that the reader already sees or fills in.
    Brief,
}

fn call(form: &Form, step: &Step, template: &str, detail: Detail) -> String {
    let tool = template.replace("{tool}", form.tool);
    match (detail, form.action) {
        // Its schema says what a tool without actions needs.
        (Detail::Brief, None) => tool,
        _ => format!("{tool}({})", given(form, step, detail).join(", ")),
    }
}

/// The arguments of a call.
fn given(form: &Form, step: &Step, detail: Detail) -> Vec<String> {
    let mut given: Vec<String> = form.action.iter().map(|action| format!("action=\"{action}\"")).collect();
    let mut parts = Vec::new();
    for (arg, value) in &step.arguments {
        let Some(spelling) = form.spelling(*arg) else { continue };
        match spelling.place {
            Place::Switch(_) => given.push(spelling.parameter.to_owned()),
            _ if *arg == Arg::Into => parts.push(argument(value)),
            _ if detail == Detail::Brief && is_left_to_reader(*arg, value) => {
                given.push(spelling.parameter.to_owned());
            }
            _ => given.push(format!("{}={}", spelling.parameter, argument(value))),
        }
    }
    if !parts.is_empty() {
        given.push(format!("into=[{}]", parts.join(", ")));
    }
    given
}

/// Whether the reader has the value before it, or writes it itself. A choice is always said.
fn is_left_to_reader(arg: Arg, value: &str) -> bool {
    id_name(arg).is_some() || (is_placeholder(value) && value != VERDICTS)
}

/// Placeholder for an id that the reader already sees.
fn id_name(arg: Arg) -> Option<&'static str> {
    match arg {
        Arg::Message => Some("ID"),
        Arg::Task => Some("TASK"),
        Arg::Review => Some("REVIEW"),
        Arg::Thread => Some("THREAD"),
        Arg::Decision => Some("DECISION"),
        _ => None,
    }
}

/// A value of a call: in quotes, unless it is for the reader to fill in.
fn argument(value: &str) -> String {
    match is_placeholder(value) {
        true => value.to_owned(),
        false => format!("\"{}\"", value.replace('\\', "\\\\").replace('"', "\\\"")),
    }
}

fn is_placeholder(value: &str) -> bool {
    let is_capital = |c: char| c.is_ascii_uppercase() || c == '_' || c == ',';
    value == "..." || value == VERDICTS || (!value.is_empty() && value.chars().all(is_capital))
}

/// A word of a command line, as a shell takes it.
fn quoted(value: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-./:=@%+,".contains(c);
    match !value.is_empty() && value.chars().all(is_plain) {
        true => value.to_owned(),
        false => format!("'{}'", value.replace('\'', r"'\''")),
    }
}
