//! The relay prompt: what a person pastes to an agent so that it goes on with what waits for it.
//!
//! Pure: given what waits, it says so in the words InterAgent's users know, with the exact command of every step. What
//! others wrote stands in one line, cut and unable to act, and never inside a command; what they say stands at the end, in
//! its envelopes.

#[cfg(test)]
mod tests;

use crate::briefing::DutyLine;
use crate::envelope::{Voice, stacked};
use crate::ids::{MessageId, ReviewId};
use crate::limits::COUNTED;
use crate::line::{one_line, quoted_line};
use crate::phrasing::{Dialect, Step};
use crate::summary::TaskItem;
use crate::team::{Formation, Role, TeamConfig};

/// Characters of a title or subject.
const TITLE_CHARS: usize = 100;
/// Items listed under one heading; a prompt that nobody reads helps nobody.
pub const LISTED: usize = 20;
/// The line under the heading.
const RULE: &str = "--------------------";

/// Whom the prompt is for.
#[derive(Clone, Copy, Debug)]
pub struct Addressee<'a> {
    /// Its name, as shown.
    pub shown: &'a str,
    /// Its role.
    pub role: Option<Role>,
    /// The rules, if there are any.
    pub team: Option<&'a TeamConfig>,
    /// Its client leaves no sign by which its commands are recognised, so each of them carries its name.
    pub is_unrecognised: bool,
    /// How it carries out operations.
    pub dialect: Dialect<'a>,
}

impl Addressee<'_> {
    /// A step whose commands are this agent's, wherever they run.
    fn own(&self, step: String) -> String {
        if !self.is_unrecognised || self.dialect != Dialect::Shell {
            return step;
        }
        // A command stands behind a label or on a line of its own; nothing that others wrote is in a step.
        let named = format!("INTERAGENT_AGENT={} interagent ", self.shown);
        step.replace(": interagent ", &format!(": {named}"))
            .replace("\n   interagent ", &format!("\n   {named}"))
    }
}

/// An unread message.
#[derive(Clone, Debug)]
pub struct MessageItem {
    /// Its id.
    pub id: MessageId,
    /// The sender, as shown.
    pub from: String,
    /// As it was written.
    pub subject: String,
}

/// A review of a change that is no task.
#[derive(Clone, Debug)]
pub struct ReviewItem {
    /// Its id.
    pub id: ReviewId,
    /// As it was written.
    pub title: String,
    /// Whose work, as shown.
    pub author: String,
}

/// What waits for somebody.
#[derive(Clone, Debug, Default)]
pub struct Waiting {
    /// Not begun, most urgent first.
    pub new_tasks: Vec<TaskItem>,
    /// Sent back.
    pub revisions: Vec<TaskItem>,
    /// Being worked on.
    pub going_on: Vec<TaskItem>,
    /// Completed work that waits for a verdict.
    pub to_judge: Vec<TaskItem>,
    /// Reviews of changes that are no task.
    pub reviews: Vec<ReviewItem>,
    /// Unread; none where they only announce tasks above.
    pub messages: Vec<MessageItem>,
    /// What the first of them say, each in its envelope.
    pub letters: Vec<(Voice, String)>,
    /// What is owed besides.
    pub duties: Vec<DutyLine>,
}

impl Waiting {
    /// Whether nothing waits.
    pub fn is_empty(&self) -> bool {
        let Self { new_tasks, revisions, going_on, to_judge, reviews, messages, duties, letters: _ } = self;
        let tasks = [new_tasks, revisions, going_on, to_judge];
        tasks.iter().all(|tasks| tasks.is_empty())
            && reviews.is_empty()
            && messages.is_empty()
            && duties.is_empty()
    }
}

/// A prompt to paste.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prompt {
    /// What to do, in order, without the numbers.
    pub steps: Vec<String>,
    /// The whole text, without a line break at its end.
    pub text: String,
}

/// Writes the prompt.
pub fn compose(to: &Addressee<'_>, waiting: &Waiting) -> Prompt {
    let mut lines = vec![format!("RELAY PROMPT FOR {}", to.shown.to_uppercase()), RULE.to_owned()];
    let has = if waiting.is_empty() { "Nothing waits for you" } else { "You have work" };
    lines.push(format!("@{} - {has} in the InterAgent collaboration system.", to.shown));
    lines.extend(to.role.map(|role| format!("Your role: {role}")));
    lines.extend(listed(waiting));
    // A command that a tool replaces needs no name: the connection is the agent's.
    let steps: Vec<String> =
        steps(to, waiting).into_iter().map(|step| to.dialect.translate(&to.own(step))).collect();
    if !steps.is_empty() {
        lines.extend([String::new(), "Please:".to_owned()]);
        lines.extend(steps.iter().enumerate().map(|(at, step)| format!("{}. {step}", at + 1)));
    }
    lines.extend(said(waiting));
    Prompt { steps, text: lines.join("\n") }
}

fn listed(waiting: &Waiting) -> Vec<String> {
    let titled = |task: &TaskItem| format!("{} ({})", title(&task.title), task.id);
    let mut lines = Vec::new();
    section(&mut lines, "📬 You have {} unread message(s):", &waiting.messages, |message| {
        format!("From {}: {} ({})", message.from, title(&message.subject), message.id)
    });
    section(&mut lines, "❗ {} message(s) wait for you to settle them:", &waiting.duties, |duty| {
        format!("From {}: {} ({})", one_line(&duty.from, TITLE_CHARS), title(&duty.subject), duty.message)
    });
    section(&mut lines, "👀 {} completed task(s) wait for your review:", &waiting.to_judge, |task| {
        let by = task.assignee.as_ref().map(|by| format!(", done by {}", by.shown)).unwrap_or_default();
        format!("{}{by}", titled(task))
    });
    section(&mut lines, "🔍 {} change(s) wait for your review:", &waiting.reviews, |review| {
        format!("{} ({}), by {}", title(&review.title), review.id, review.author)
    });
    section(&mut lines, "🔁 {} task(s) came back to you for a revision:", &waiting.revisions, titled);
    section(&mut lines, "📋 You have {} new task(s):", &waiting.new_tasks, titled);
    section(&mut lines, "🔧 You work on {} task(s):", &waiting.going_on, titled);
    lines
}

/// What the messages say. Pasting proves nothing: they stay unread until the agent itself reads its mail.
fn said(waiting: &Waiting) -> Vec<String> {
    let (in_full, all) = (waiting.letters.len(), waiting.messages.len());
    if in_full == 0 {
        return Vec::new();
    }
    let which = if in_full < all { format!("the first {in_full}") } else { "they".to_owned() };
    let heading = format!("What {which} say (unread until you read your messages):");
    vec![String::new(), heading, stacked(waiting.letters.clone())]
}

fn title(text: &str) -> String {
    quoted_line(text, TITLE_CHARS)
}

fn section<T>(lines: &mut Vec<String>, heading: &str, items: &[T], line: impl Fn(&T) -> String) {
    if items.is_empty() {
        return;
    }
    let most = COUNTED as usize;
    // At the limit there may be more.
    let sign = if items.len() >= most { "+" } else { "" };
    let number = |count: usize| format!("{count}{sign}");
    lines.extend([String::new(), heading.replace("{}", &number(items.len()))]);
    lines.extend(items.iter().take(LISTED).map(|item| format!("   - {}", line(item))));
    if items.len() > LISTED {
        lines.push(format!("   - and {} more", number(items.len() - LISTED)));
    }
}

fn steps(to: &Addressee<'_>, waiting: &Waiting) -> Vec<String> {
    let mut steps = Vec::new();
    if !waiting.messages.is_empty() {
        steps.push(format!("Read your messages: interagent inbox --agent {}", to.shown));
    }
    let settling = waiting.duties.iter().take(LISTED).map(|duty| duty.obligation().settle(to.dialect));
    push(&mut steps, "Settle what you owe", settling);
    judging(&mut steps, to.dialect, waiting);
    working(&mut steps, to, waiting);
    steps
}

fn judging(steps: &mut Vec<String>, dialect: Dialect<'_>, waiting: &Waiting) {
    let each = |command: &str, rest: &str| -> Vec<String> {
        let tasks = waiting.to_judge.iter().take(LISTED);
        tasks.map(|task| format!("interagent task {command} {}{rest}", task.id)).collect()
    };
    push(steps, "Look at the work", each("show", ""));
    push(steps, "Approve what is good", each("update", " --status approved"));
    let revise = " --status revision_needed --note \"What to change\"";
    push(steps, "Or ask for a revision", each("update", revise));
    let reviews = || waiting.reviews.iter().take(LISTED);
    let show = |review: &ReviewItem| dialect.say(&Step::show_review(review.id.as_str()));
    push(steps, "Look at the change", reviews().map(show));
    let verdict = |review: &ReviewItem| dialect.say(&Step::judge_review(review.id.as_str()));
    push(steps, "Give your verdict", reviews().map(verdict));
}

fn working(steps: &mut Vec<String>, to: &Addressee<'_>, waiting: &Waiting) {
    let not_begun = || waiting.revisions.iter().chain(&waiting.new_tasks).take(LISTED);
    let all: Vec<&TaskItem> = not_begun().chain(&waiting.going_on).take(LISTED).collect();
    if all.is_empty() {
        return;
    }
    let update =
        |task: &TaskItem, status: &str| format!("interagent task update {} --status {status}", task.id);
    push(steps, "Check the details", all.iter().map(|task| format!("interagent task show {}", task.id)));
    push(steps, "Run", not_begun().map(|task| update(task, "in_progress")));
    steps.push("Do the work".to_owned());
    if to.team.is_some_and(|team| team.rules.report_required) {
        let report = |task: &&TaskItem| Dialect::Shell.say(&Step::report_task(task.id.as_str(), to.team));
        push(steps, "Run", all.iter().map(report));
    } else {
        push(steps, "Run", all.iter().map(|task| update(task, "completed")));
    }
    if to.team.is_some_and(|team| team.formation == Formation::Captain) {
        steps.push("End your turn: the report goes up by itself".to_owned());
        return;
    }
    let mut givers: Vec<&str> = all.iter().map(|task| task.assigner.shown.as_str()).collect();
    givers.retain(|giver| *giver != to.shown);
    givers.sort_unstable();
    givers.dedup();
    if !givers.is_empty() {
        let command = format!("interagent msg send --to {} --message \"What was done\"", givers.join(","));
        steps.push(format!("Send a message when done: {command}"));
    }
}

/// One step: with a single command on its line, with several below it.
fn push(steps: &mut Vec<String>, label: &str, commands: impl IntoIterator<Item = String>) {
    let commands: Vec<String> = commands.into_iter().collect();
    match commands.as_slice() {
        [] => {}
        [one] => steps.push(format!("{label}: {one}")),
        several => steps.push(format!("{label}:\n   {}", several.join("\n   "))),
    }
}
