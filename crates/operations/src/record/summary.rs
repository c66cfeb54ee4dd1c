//! The summary: loads what is open in the whole team and lets the core say what should happen next.

use std::collections::BTreeMap;

use interagent_core::entity::message::Delivery;
use interagent_core::entity::{Agent, Task};
use interagent_core::ids::AgentId;
use interagent_core::limits::COUNTED;
use interagent_core::liveness::Liveness;
use interagent_core::permission::Place;
use interagent_core::refusal::Refusal;
use interagent_core::summary::{
    ActionItem, DialogItem, DutyItem, HeldItem, MailItem, Person, PromptItem, Situation, TaskItem, actions,
    headlines,
};
use interagent_core::team::TeamConfig;
use interagent_core::vocabulary::{Intent, Settlement, TaskStatus};
use interagent_store::reader::{Due, MessageFilter, PageStart, Reader, TaskFilter};
use interagent_wire::Answer;
use interagent_wire::answer::{ActionView, MailCount, MailLine, StatusCount, SummaryView, Who};

use crate::call::Call;
use crate::names::{self, Names};
use crate::tasks::access::Access;
use crate::{identity, mail, operator};

/// Tasks, duties and messages of each kind that are looked at: a summary that nobody can read helps nobody.
const LOOKED_AT: u32 = 100;
/// Subjects shown of each member's mail.
const SUBJECTS: u32 = 3;

/// The team summed up.
pub(crate) fn summary(call: &mut Call<'_>) -> Result<Answer, Refusal> {
    let screens = call.screens.clone();
    call.read(|reader, known| {
        let access = Access::of(reader, known)?;
        let team = reader.team()?.map(|team| team.config);
        let counts = reader.task_counts()?;
        let mail = mail_counts(reader, &access)?;
        let situation = situation(reader, &access, team.as_ref(), &mail, &screens)?;
        let held = u32::try_from(situation.held.len()).unwrap_or(u32::MAX);
        let items = actions(&situation);
        let headlines = headlines(&items, &situation.operator.id);
        let mut commands: Vec<String> = Vec::new();
        for headline in &headlines {
            if !commands.contains(&headline.command) {
                commands.push(headline.command.clone());
            }
        }
        Ok(SummaryView {
            project: team.as_ref().map(|team| team.project.clone()).unwrap_or_default(),
            formation: team.as_ref().map(|team| team.formation.to_string()),
            tasks: counts.into_iter().map(|(status, count)| StatusCount { status, count }).collect(),
            mail: mail.into_iter().map(|(_, count)| count).collect(),
            actions: items.into_iter().map(action_view).collect(),
            held,
            headlines: headlines.into_iter().map(|headline| headline.line).collect(),
            commands,
        }
        .into())
    })
}

fn action_view(item: ActionItem) -> ActionView {
    let agent = Who { id: item.who.id.to_string(), name: item.who.shown.clone(), replica: None };
    let permission = item.prompt.clone().map(|asked| {
        let asks = Who { id: asked.agent.id.to_string(), name: asked.agent.shown, replica: None };
        operator::permission_view(asks, &asked.client, asked.pane, &asked.prompt, &asked.place)
    });
    let sentence = item.sentence();
    let ActionItem { action, clause, record, .. } = item;
    ActionView { agent, action, sentence, clause, record, permission }
}

/// Those of this replica who have unread mail.
fn mail_counts(reader: &mut Reader<'_>, access: &Access) -> Result<Vec<(Agent, MailCount)>, Refusal> {
    let mut counts = Vec::new();
    for agent in reader.agents()? {
        if agent.retired.is_some() || !reader.is_home(&agent.home)? {
            continue;
        }
        let unread = reader.unread_count(&agent.id, COUNTED)?;
        if unread == 0 {
            continue;
        }
        let rows = reader.unread(&agent.id, SUBJECTS)?;
        let who = names::who(reader, &agent)?;
        let mut names = Names::new(reader);
        let mut first = Vec::with_capacity(rows.len());
        for row in rows {
            first.push(MailLine {
                id: row.message.id.to_string(),
                from: names.who(&row.message.from)?,
                subject: mail::subject(&mut names, access, &row.message)?,
            });
        }
        counts.push((agent, MailCount { agent: who, unread, first }));
    }
    Ok(counts)
}

fn situation<'t>(
    reader: &mut Reader<'_>,
    access: &Access,
    team: Option<&'t TeamConfig>,
    mail: &[(Agent, MailCount)],
    screens: &BTreeMap<AgentId, Liveness>,
) -> Result<Situation<'t>, Refusal> {
    let operator = identity::operator(reader)?;
    let members = members(reader)?;
    let mut owed = Vec::new();
    for due in reader.owed(LOOKED_AT)? {
        owed.extend(duty(reader, access, due)?);
    }
    let prompts = prompts(reader)?;
    let Blocked { waiting, answered } = blocked(reader)?;
    Ok(Situation {
        now: reader.now(),
        team,
        operator: person(reader, &operator)?,
        members,
        awaiting_verdict: awaiting_verdict(reader)?.into_iter().map(|(_, item)| item).collect(),
        not_started: not_started(reader, team)?,
        blocked: waiting,
        answered,
        left: left(reader)?,
        owed,
        held: held(reader, access)?,
        dialogs: dialogs(reader, screens, &prompts)?,
        prompts,
        mail: mail
            .iter()
            .map(|(agent, count)| Ok(MailItem { agent: person(reader, agent)?, unread: count.unread }))
            .collect::<Result<_, Refusal>>()?,
    })
}

/// Those of this replica who take part.
pub(super) fn members(reader: &mut Reader<'_>) -> Result<Vec<Person>, Refusal> {
    let mut members = Vec::new();
    for agent in reader.agents()? {
        if agent.retired.is_none() && reader.is_home(&agent.home)? {
            members.push(person(reader, &agent)?);
        }
    }
    Ok(members)
}

/// Work that is done and waits for a verdict.
pub(super) fn awaiting_verdict(reader: &mut Reader<'_>) -> Result<Vec<(Task, TaskItem)>, Refusal> {
    let mut found = Vec::new();
    for status in [TaskStatus::Completed, TaskStatus::UnderReview] {
        found.extend(tasks(reader, status)?);
    }
    Ok(found)
}

pub(super) fn person(reader: &mut Reader<'_>, agent: &Agent) -> Result<Person, Refusal> {
    let shown = names::who(reader, agent)?.name;
    Ok(Person { id: agent.id.clone(), name: agent.name.clone(), shown, retired: agent.retired.is_some() })
}

/// A member by id; `None` where its registration has not arrived here yet.
pub(super) fn known(reader: &mut Reader<'_>, id: &AgentId) -> Result<Option<Person>, Refusal> {
    let agent = reader.agent(id)?;
    agent.map(|agent| person(reader, &agent)).transpose()
}

/// Tasks in a status, oldest first.
fn tasks(reader: &mut Reader<'_>, status: TaskStatus) -> Result<Vec<(Task, TaskItem)>, Refusal> {
    let filter = TaskFilter { status: Some(status), ..TaskFilter::default() };
    let mut found = Vec::new();
    for task in reader.tasks(&filter, &PageStart::default(), LOOKED_AT)?.into_iter().rev() {
        found.extend(item(reader, &task)?.map(|item| (task, item)));
    }
    Ok(found)
}

/// A task as sentences need it; `None` where who wants it has not arrived here yet.
pub(super) fn item(reader: &mut Reader<'_>, task: &Task) -> Result<Option<TaskItem>, Refusal> {
    let Some(assigner) = known(reader, &task.brief.assigner)? else { return Ok(None) };
    let assignee = match &task.assignee {
        Some(assignee) => known(reader, assignee)?,
        None => None,
    };
    let title = Names::new(reader).line(&task.brief.title)?;
    Ok(Some(TaskItem { id: task.id.clone(), title, assignee, assigner }))
}

/// Given to somebody, and nothing holds them back.
fn not_started(reader: &mut Reader<'_>, team: Option<&TeamConfig>) -> Result<Vec<TaskItem>, Refusal> {
    let review_required = team.is_some_and(|team| team.rules.review_required);
    let mut ready = Vec::new();
    for (task, item) in tasks(reader, TaskStatus::Assigned)? {
        if task.is_ready(&reader.waits_for(&task)?, review_required) {
            ready.push(item);
        }
    }
    Ok(ready)
}

/// Blocked work, oldest first: what waits for help, and what got it.
pub(super) struct Blocked {
    pub(super) waiting: Vec<TaskItem>,
    pub(super) answered: Vec<TaskItem>,
}

pub(super) fn blocked(reader: &mut Reader<'_>) -> Result<Blocked, Refusal> {
    let (mut waiting, mut answered) = (Vec::new(), Vec::new());
    for (task, item) in tasks(reader, TaskStatus::Blocked)? {
        match is_answered(reader, &task)? {
            true => answered.push(item),
            false => waiting.push(item),
        }
    }
    Ok(Blocked { waiting, answered })
}

/// Whether the newest call for help with a task was answered. One that is older than the status was about an earlier
/// block: an assigner who blocks a task writes to nobody.
fn is_answered(reader: &mut Reader<'_>, task: &Task) -> Result<bool, Refusal> {
    let Some(id) = reader.newest_about(&task.id, Intent::Blocked)? else { return Ok(false) };
    let how = |delivery: &Delivery| delivery.settled.as_ref().map(|end| end.how);
    let is_answer =
        |delivery: &Delivery| matches!(how(delivery), Some(Settlement::Replied | Settlement::Answered));
    let message = reader.message(&id)?.filter(|message| message.sent.at >= task.moved.at);
    Ok(message.is_some_and(|message| message.deliveries.values().any(is_answer)))
}

/// What those who were retired here have not done; what they completed waits for a verdict like any other work.
fn left(reader: &mut Reader<'_>) -> Result<Vec<TaskItem>, Refusal> {
    let mut found = Vec::new();
    for agent in reader.agents()?.into_iter().filter(|agent| agent.retired.is_some()) {
        if !reader.is_home(&agent.home)? {
            continue;
        }
        let filter = TaskFilter { assignee: Some(agent.id), open: true, ..TaskFilter::default() };
        for task in reader.tasks(&filter, &PageStart::default(), LOOKED_AT)?.into_iter().rev() {
            if !matches!(task.status, TaskStatus::Completed | TaskStatus::UnderReview) {
                found.extend(item(reader, &task)?);
            }
        }
        if found.len() >= LOOKED_AT as usize {
            break;
        }
    }
    Ok(found)
}

fn duty(reader: &mut Reader<'_>, access: &Access, due: Due) -> Result<Option<DutyItem>, Refusal> {
    let now = reader.now();
    let message =
        reader.message(&due.message)?.filter(|message| message.held.is_none() && !message.is_expired(now));
    let Some(message) = message else { return Ok(None) };
    let (Some(agent), Some(from)) = (known(reader, &due.agent)?, known(reader, &message.from)?) else {
        return Ok(None);
    };
    let subject = mail::subject(&mut Names::new(reader), access, &message)?;
    let escalation = reader.carried(&message)?.is_some_and(|(_, escalation)| escalation.is_open());
    let links = message.links();
    let asked = if reader.agent(&due.agent)?.is_some_and(|agent| agent.is_human()) {
        reader.times_asked(&message)?
    } else {
        1
    };
    let unread = message.deliveries.get(&due.agent).is_some_and(Delivery::is_unread);
    let Due { message, duty, since, task, .. } = due;
    Ok(Some(DutyItem { duty, message, task, links, agent, from, subject, since, escalation, unread, asked }))
}

/// Open permission prompts, oldest first.
fn prompts(reader: &mut Reader<'_>) -> Result<Vec<PromptItem>, Refusal> {
    let mut found = Vec::new();
    for (row, prompt) in operator::open_prompts(reader)? {
        let Some(agent) = known(reader, &row.agent)?.filter(|agent| !agent.retired) else { continue };
        let place = operator::place_of(reader, &row, &agent.shown)?;
        found.push(PromptItem { agent, client: row.profile, pane: row.pane, prompt, place });
    }
    Ok(found)
}

/// Dialogs on screens that no hook reported as a permission prompt.
fn dialogs(
    reader: &mut Reader<'_>,
    screens: &BTreeMap<AgentId, Liveness>,
    prompts: &[PromptItem],
) -> Result<Vec<DialogItem>, Refusal> {
    let mut found = Vec::new();
    for (id, life) in screens {
        if *life != Liveness::Asking || prompts.iter().any(|prompt| prompt.agent.id == *id) {
            continue;
        }
        let Some(agent) = known(reader, id)?.filter(|agent| !agent.retired) else { continue };
        // Only the team's panes are looked at.
        let place = Place::Team { agent: agent.shown.clone() };
        found.push(DialogItem { agent, place });
    }
    Ok(found)
}

/// Messages that wait for a release, oldest first.
fn held(reader: &mut Reader<'_>, access: &Access) -> Result<Vec<HeldItem>, Refusal> {
    let filter = MessageFilter { held: true, ..MessageFilter::default() };
    let mut found = Vec::new();
    for message in reader.messages(&filter, &PageStart::default(), LOOKED_AT)?.into_iter().rev() {
        let (Some(reason), Some(from)) = (message.held, known(reader, &message.from)?) else { continue };
        let subject = mail::subject(&mut Names::new(reader), access, &message)?;
        found.push(HeldItem { id: message.id, from, subject, reason });
    }
    Ok(found)
}
