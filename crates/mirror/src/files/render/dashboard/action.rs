//! What needs somebody: answers, verdicts, releases, and work that is stuck or misses its point.

use std::collections::{BTreeMap, BTreeSet};

use interagent_core::entity::message::Escalation;
use interagent_core::entity::task::frees;
use interagent_core::entity::{Agent, Message, Task};
use interagent_core::ids::TaskId;
use interagent_core::ladder::reset::matter_of;
use interagent_core::name::Name;
use interagent_core::phrasing::{Dialect, Obligation, Step};
use interagent_core::rules;
use interagent_core::team::{Language, TeamConfig};
use interagent_core::vocabulary::{AgentState, ControlOutcome, Duty, Intent, TaskStatus};
use interagent_store::StoreError;
use interagent_store::reader::{MessageFilter, PageStart};

use super::words::Phrase;
use super::{OWED, RECENT, cell, in_status, row, row_limit, status_row};
use crate::files::moment::{day, minute};
use crate::files::names::Look;

/// Messages for sessions that are looked through for those that failed.
const CONTROLS: u32 = 50;

/// Everything that only a person, or whoever judges, can move on; what waits for an answer first.
pub(super) fn needs_action(
    look: &mut Look<'_, '_>,
    recent: &[Task],
    language: &Language,
) -> Result<Vec<String>, StoreError> {
    let owed = owed_by_people(look)?;
    let mut rows = questions(look, &owed, language)?;
    rows.extend(raised(look)?);
    rows.extend(words_to_captain(look)?);
    rows.extend(duties(look, &owed)?);
    rows.extend(blocked(look, &owed, language)?);
    rows.extend(gaps(look, recent)?);
    rows.extend(failed_controls(look)?);
    rows.extend(held(look)?);
    rows.extend(in_status(look, &[TaskStatus::Completed, TaskStatus::UnderReview], language)?);
    rows.extend(failed(look, recent, language)?);
    Ok(rows)
}

/// An obligation of a person.
struct Owed {
    duty: Duty,
    message: Message,
}

impl Owed {
    /// The command that settles it.
    fn command(&self) -> String {
        let links = self.message.links();
        let obligation = Obligation {
            duty: self.duty,
            message: self.message.id.as_str(),
            task: self.message.task.as_ref().map(TaskId::as_str),
            links: &links,
        };
        code(&obligation.settle(Dialect::Shell))
    }
}

/// Formats commands as Markdown code, with remarks outside of it.
fn code(said: &str) -> String {
    let (commands, other) = match said.split_once(" (or: ") {
        Some((commands, other)) => (commands, format!(" (or: {other}")),
        None => (said, String::new()),
    };
    let commands: Vec<String> = commands.split(", then: ").map(|command| format!("`{command}`")).collect();
    commands.join(", then ") + &other
}

/// The open escalation that a message carries to a person.
fn escalation(look: &mut Look<'_, '_>, carrier: &Message) -> Result<Option<Escalation>, StoreError> {
    let carried = look.reader.carried(carrier)?;
    Ok(carried.map(|(_, escalation)| escalation).filter(Escalation::is_open))
}

/// What people of this replica owe, oldest first.
fn owed_by_people(look: &mut Look<'_, '_>) -> Result<Vec<Owed>, StoreError> {
    let mut found = Vec::new();
    for due in look.reader.owed(OWED)? {
        let is_ours = match look.reader.agent(&due.agent)? {
            Some(agent) => agent.is_human() && look.reader.is_home(&agent.home)?,
            None => false,
        };
        if is_ours && let Some(message) = look.reader.message(&due.message)? {
            found.push(Owed { duty: due.duty, message });
        }
    }
    Ok(found)
}

/// Who asks what, until when, what happens otherwise, and the command that answers.
fn questions(look: &mut Look<'_, '_>, owed: &[Owed], language: &Language) -> Result<Vec<String>, StoreError> {
    let mut rows = Vec::new();
    for owed in owed.iter().filter(|owed| owed.duty == Duty::Answer) {
        let message = &owed.message;
        let Some(escalation) = escalation(look, message)? else {
            let (from, subject) = (look.name(&message.from)?, look.text(&message.subject)?);
            let (asks, mut subject) = (Phrase::Asks.told(language), cell(&subject));
            let times = look.reader.times_asked(message)?;
            if times > 1 {
                subject.push_str(&format!(" (×{times})"));
            }
            rows.push(format!("{from} {asks}: {subject} ({}); {}", message.id, owed.command()));
            continue;
        };
        let (from, reason) = (look.name(&escalation.agent)?, look.text(&escalation.reason)?);
        let needs = Phrase::NeedsAnswer.told(language);
        // The row goes on: a full stop in the middle of it would read as a slip.
        let reason = cell(reason.trim_end().trim_end_matches(['.', '。']));
        let mut row = format!("{from} {needs}: {reason}");
        if let Some(deadline) = escalation.deadline {
            let before = Phrase::Before.told(language);
            row.push_str(&format!("; {before} {} {}", day(deadline), minute(deadline)));
        }
        if let Some(default) = look.maybe_text(escalation.default.as_ref())? {
            row.push_str(&format!("; {} {}", Phrase::Otherwise.told(language), cell(&default)));
        }
        row.push_str(&format!("; `interagent msg answer {} -m TEXT`", message.id));
        rows.push(row);
    }
    Ok(rows)
}

/// Silence that came to a captain, who gets no mail; once the person is asked it stands among the escalations.
fn raised(look: &mut Look<'_, '_>) -> Result<Vec<String>, StoreError> {
    let mut rows = Vec::new();
    for due in look.reader.owed(OWED)? {
        let Some(message) = look.reader.message(&due.message)? else { continue };
        let is_with_people = message.escalations.iter().any(|one| one.agent == due.agent && one.is_open());
        let Some(raised) = message.raised.iter().find(|one| one.agent == due.agent && !is_with_people) else {
            continue;
        };
        let (agent, captain) = (look.name(&raised.agent)?, look.name(&raised.to)?);
        let (from, subject) = (look.name(&message.from)?, look.text(&message.subject)?);
        let since = format!("{} {}", day(message.sent.wall), minute(message.sent.wall));
        let mut row =
            format!("{captain}: {agent} is silent about {} from {from} since {since}", cell(&subject));
        match &message.task {
            Some(task) => row.push_str(&format!("; `interagent task reassign {task} --to NAME`")),
            None => row.push_str(&format!(" ({})", message.id)),
        }
        rows.push(row);
    }
    Ok(rows)
}

/// What those say who report to a captain. It gets no mail, so they say here that they wait for it.
fn words_to_captain(look: &mut Look<'_, '_>) -> Result<Vec<String>, StoreError> {
    let Some(team) = look.reader.team()?.map(|team| team.config) else { return Ok(Vec::new()) };
    let mut rows = Vec::new();
    for agent in look.reader.agents()? {
        let Some(captain) = captain_of(&team, &agent).filter(|_| agent.retired.is_none()) else { continue };
        let Some(status) = agent.status.as_ref() else { continue };
        if !matches!(status.state, AgentState::Waiting | AgentState::Blocked) {
            continue;
        }
        if let Some(text) = look.maybe_text(status.text.as_ref())? {
            rows.push(format!("{captain}: {} is {}: {}", look.name_of(&agent)?, status.state, cell(&text)));
        }
    }
    Ok(rows)
}

/// The captain above an agent, where that is its superior.
pub(super) fn captain_of<'t>(team: &'t TeamConfig, agent: &Agent) -> Option<&'t Name> {
    rules::superior(team, &agent.name).filter(|up| rules::is_captain(Some(team), up))
}

fn duties(look: &mut Look<'_, '_>, owed: &[Owed]) -> Result<Vec<String>, StoreError> {
    let mut rows = Vec::new();
    for owed in owed.iter().filter(|owed| owed.duty != Duty::Answer) {
        let message = &owed.message;
        if owed.duty == Duty::Unblock && is_in_blocked_row(look, message)? {
            continue;
        }
        let (from, subject) = (look.name(&message.from)?, look.text(&message.subject)?);
        let intent = message.intent.as_str();
        rows.push(format!("{from}: {} ({intent}, {}); {}", cell(&subject), message.id, owed.command()));
    }
    Ok(rows)
}

/// Whether a message asks for help with a blocked task whose own row shows the command. The row of a proposed
/// split shows another command.
fn is_in_blocked_row(look: &mut Look<'_, '_>, message: &Message) -> Result<bool, StoreError> {
    let Some(id) = &message.task else { return Ok(false) };
    let task = look.reader.task(id)?;
    Ok(task.is_some_and(|task| task.status == TaskStatus::Blocked && task.open_split().is_none()))
}

/// Blocked work, with the latest reason and the command that helps, or with the parts that its worker proposes.
fn blocked(look: &mut Look<'_, '_>, owed: &[Owed], language: &Language) -> Result<Vec<String>, StoreError> {
    let mut rows = Vec::new();
    for (task, row) in in_blocked(look)? {
        if waits_for_parts(look, &task)?.is_some() {
            continue;
        }
        if let Some(split) = task.open_split() {
            let mut parts = Vec::with_capacity(split.parts.len());
            for part in &split.parts {
                parts.push(cell(&look.text(part)?));
            }
            let names = vec!["NAME"; parts.len()].join(",");
            let (parts, decides) = (parts.join(" / "), look.name(&task.brief.assigner)?);
            rows.push(format!(
                "split it? {row}: {parts}; {decides} decides: `interagent task split {} --accept --to {names}`",
                task.id
            ));
            continue;
        }
        let why = match task.reports.last() {
            Some(report) => format!(": {}", cell(&look.text(&report.report.summary)?)),
            None => String::new(),
        };
        let status = Phrase::Status(TaskStatus::Blocked).told(language);
        // A person who was asked for help replies; anybody else resumes the work once it is unblocked.
        let is_asked =
            |owed: &&Owed| owed.duty == Duty::Unblock && owed.message.task.as_ref() == Some(&task.id);
        let command = match owed.iter().rfind(is_asked) {
            Some(asked) => asked.command(),
            None => code(
                &Dialect::Shell.say(&Step::update_task(task.id.as_str(), TaskStatus::InProgress.as_str())),
            ),
        };
        rows.push(format!("{status}: {row}{why}; {command}"));
    }
    Ok(rows)
}

/// Divided work that waits for its parts, which are tasks of their own: nobody has to do anything about it.
pub(super) fn divided(look: &mut Look<'_, '_>) -> Result<Vec<String>, StoreError> {
    let mut rows = Vec::new();
    for (task, row) in in_blocked(look)? {
        if let Some(parts) = waits_for_parts(look, &task)? {
            rows.push(format!("waits for its parts: {row}: {}", parts.join(", ")));
        }
    }
    Ok(rows)
}

fn in_blocked(look: &mut Look<'_, '_>) -> Result<Vec<(Task, String)>, StoreError> {
    let filter = super::TaskFilter { status: Some(TaskStatus::Blocked), ..super::TaskFilter::default() };
    let mut found = Vec::new();
    for task in look.reader.tasks(&filter, &PageStart::default(), row_limit())? {
        let row = row(look, &task)?;
        found.push((task, row));
    }
    Ok(found)
}

/// The parts of divided work that are not finished, where all that are left go on.
fn waits_for_parts(look: &mut Look<'_, '_>, task: &Task) -> Result<Option<Vec<String>>, StoreError> {
    let Some(end) = task.split.as_ref().and_then(|split| split.end.as_ref()) else { return Ok(None) };
    let review_required = look.reader.team()?.is_some_and(|team| team.config.rules.review_required);
    let mut left = Vec::new();
    for part in look.reader.waits_for(task)? {
        if !end.tasks.contains(&part.id) || frees(part.status, review_required) {
            continue;
        }
        if part.status.is_closed() {
            // What will never be finished is no reason to wait.
            return Ok(None);
        }
        left.push(part.id.to_string());
    }
    Ok((!left.is_empty()).then_some(left))
}

/// Failed work that no other task redoes.
fn failed(look: &mut Look<'_, '_>, recent: &[Task], language: &Language) -> Result<Vec<String>, StoreError> {
    let redone: BTreeSet<&TaskId> = recent.iter().filter_map(|task| task.brief.redo_of.as_ref()).collect();
    let filter = super::TaskFilter { status: Some(TaskStatus::Failed), ..super::TaskFilter::default() };
    let mut rows = Vec::new();
    for task in look.reader.tasks(&filter, &PageStart::default(), RECENT)? {
        if !redone.contains(&task.id) && task.successor.is_none() {
            rows.push(status_row(look, &task, language)?);
        }
    }
    Ok(rows)
}

/// Work that is called done and misses its purpose, until it is judged.
fn gaps(look: &mut Look<'_, '_>, recent: &[Task]) -> Result<Vec<String>, StoreError> {
    let mut rows = Vec::new();
    for task in recent.iter().filter(|task| !task.status.is_closed()) {
        let Some(gap) = task.reports.last().and_then(|report| report.report.purpose_gap.as_ref()) else {
            continue;
        };
        let (title, gap) = (look.text(&task.brief.title)?, look.text(gap)?);
        rows.push(format!("misses its purpose: {} ({}): {}", cell(&title), task.id, cell(&gap)));
    }
    Ok(rows)
}

/// What could not be carried out: of each agent all of the day of its newest, but what was done later.
fn failed_controls(look: &mut Look<'_, '_>) -> Result<Vec<String>, StoreError> {
    let filter = MessageFilter { intent: Some(Intent::Control), ..MessageFilter::default() };
    let mut rows = Vec::new();
    let (mut done, mut days) = (BTreeSet::new(), BTreeMap::new());
    // The newest come first.
    for message in look.reader.messages(&filter, &PageStart::default(), CONTROLS)? {
        let (Some(control), Some(agent)) = (&message.control, message.deliveries.keys().next()) else {
            continue;
        };
        // What the ladder asked for by itself is no person's to repair: the duty behind it goes up.
        let Some(end) = control.carried_out.as_ref().filter(|_| matter_of(&message).is_none()) else {
            continue;
        };
        let ended = day(end.when.wall);
        let is_of_its_day = *days.entry(agent.clone()).or_insert_with(|| ended.clone()) == ended;
        let what = (agent.clone(), control.verb);
        if end.outcome == ControlOutcome::Done {
            done.insert(what);
            continue;
        }
        if done.contains(&what) || !is_of_its_day {
            continue;
        }
        let who = look.name(agent)?;
        let why = look.maybe_text(end.note.as_ref())?.map(|why| format!(": {}", cell(&why)));
        rows.push(format!("{} of {who} failed ({}){}", control.verb, message.id, why.unwrap_or_default()));
    }
    Ok(rows)
}

fn held(look: &mut Look<'_, '_>) -> Result<Vec<String>, StoreError> {
    let filter = MessageFilter { held: true, ..MessageFilter::default() };
    // Those of one sender and reason are one row.
    let mut groups: Vec<(Message, usize)> = Vec::new();
    for message in look.reader.messages(&filter, &PageStart::default(), row_limit())? {
        let is_alike =
            |(first, _): &&mut (Message, usize)| first.from == message.from && first.held == message.held;
        match groups.iter_mut().find(is_alike) {
            Some((_, count)) => *count += 1,
            None => groups.push((message, 1)),
        }
    }
    let mut rows = Vec::new();
    for (message, count) in groups {
        let (from, subject) = (look.name(&message.from)?, look.text(&message.subject)?);
        let why = message.held.map_or("held", |reason| reason.why());
        rows.push(match count {
            1 => format!("held, {why}: {} from {from} ({})", cell(&subject), message.id),
            _ => format!("held, {why}: {count} messages from {from} (`interagent msg list --held`)"),
        });
    }
    Ok(rows)
}

/// Messages that wait to be carried out in a session.
pub(super) fn controls(look: &mut Look<'_, '_>) -> Result<Vec<String>, StoreError> {
    let filter = MessageFilter { held: true, intent: Some(Intent::Control), ..MessageFilter::default() };
    let mut rows = Vec::new();
    for message in look.reader.messages(&filter, &PageStart::default(), CONTROLS)? {
        let (Some(control), Some(agent)) = (message.open_control(), message.deliveries.keys().next()) else {
            continue;
        };
        let who = look.name(agent)?;
        let model = control.model.as_ref().map(|model| format!(" {}", cell(model))).unwrap_or_default();
        rows.push(format!("{}{model} of {who}, not carried out yet ({})", control.verb, message.id));
    }
    Ok(rows)
}
