//! The relay prompt: loads what waits for an agent and lets the core write it.

use std::path::Path;

use interagent_core::entity::{Agent, Task};
use interagent_core::limits::COUNTED;
use interagent_core::phrasing::Dialect;
use interagent_core::refusal::Refusal;
use interagent_core::relay::{Addressee, LISTED, MessageItem, ReviewItem, Waiting, compose};
use interagent_core::summary::{TaskItem, judge};
use interagent_core::team::TeamConfig;
use interagent_core::template::CLIENTS;
use interagent_core::vocabulary::{Duty, Intent, TaskStatus};
use interagent_store::reader::{MailRow, PageStart, Reader};
use interagent_wire::Answer;
use interagent_wire::answer::{DutyView, MailLine, RelayView, ReviewRow};
use interagent_wire::request as ask;

use super::briefing::duty_line;
use super::summary::{awaiting_verdict, item, members, person};
use crate::call::Call;
use crate::identity::Known;
use crate::letters::letters;
use crate::mail::{Extent, Viewer};
use crate::names::{self, Names};
use crate::tasks::access::Access;
use crate::{identity, mail, resolve, reviews, tasks, tools};

/// Rows of each kind that programs get.
const SHOWN: usize = 100;

/// The prompt a person pastes to an agent.
pub(crate) fn relay(call: &mut Call<'_>, params: &ask::Relay) -> Result<Answer, Refusal> {
    let state_dir = call.state_dir;
    let (relay, to_a_person) = call.read(|reader, known| {
        let agent = resolve::agent_or_caller(reader, params.agent.as_deref(), known)?;
        Ok((view(reader, &agent, known, state_dir)?, is_a_person(known)))
    })?;
    if !relay.handed.is_empty() && to_a_person {
        let data = serde_json::json!({ "agent": relay.agent.name, "messages": relay.handed });
        // What is only seen must not keep a person from looking, in a hub that can't be written too.
        let _ = call.store.observe(|writer| writer.trace("relay.handed", &data.to_string()));
        call.notes.push(format!(
            "{} handed to you, not delivered: {} reads {} with `interagent inbox --agent {1}`",
            match relay.handed.len() {
                1 => "1 message was".to_owned(),
                several => format!("{several} messages were"),
            },
            relay.agent.name,
            if relay.handed.len() == 1 { "it" } else { "them" },
        ));
    }
    Ok(relay.into())
}

fn is_a_person(known: &Known) -> bool {
    matches!(known, Known::Bound(identity) if identity.actor.is_human())
}

fn view(
    reader: &mut Reader<'_>,
    agent: &Agent,
    known: &Known,
    state_dir: &Path,
) -> Result<RelayView, Refusal> {
    let team = reader.team()?.map(|team| team.config);
    let own = own_tasks(reader, agent, team.as_ref())?;
    let to_judge = to_judge(reader, agent, team.as_ref())?;
    let reviews = open_reviews(reader, agent)?;
    let access = Access::of(reader, known)?;
    let messages = messages(reader, agent, &own, &access)?;
    let mut full = Vec::new();
    for (_, row) in messages.iter().take(LISTED) {
        let extent = Extent::Text.within(reader, &access, &row.message)?;
        full.push(mail::mail_view(&mut Names::new(reader), row, "", extent)?);
    }
    let mut duties = duties(reader, agent, &access, &own, &to_judge)?;
    let tools = tools::names_of(reader, &agent.id, state_dir)?;
    let dialect = Dialect::of(tools.as_deref());
    let items = |tasks: &[(Task, TaskItem)]| tasks.iter().map(|(_, item)| item.clone()).collect::<Vec<_>>();
    let waiting = Waiting {
        new_tasks: items(&own.new_tasks),
        revisions: items(&own.revisions),
        going_on: items(&own.going_on),
        to_judge: items(&to_judge),
        reviews: reviews.iter().map(|(item, _)| item.clone()).collect(),
        messages: messages.iter().map(|(item, _)| item.clone()).collect(),
        letters: letters(&full, dialect),
        duties: duties.iter().map(duty_line).collect::<Result<_, _>>()?,
    };
    duties.truncate(LISTED);
    let who = names::who(reader, agent)?;
    let role =
        team.as_ref().and_then(|team| team.agents.get(&agent.name)).map(|seat| seat.role).or(agent.role);
    let is_unrecognised = !CLIENTS.iter().any(|(profile, _)| *profile == agent.profile);
    let to = Addressee { shown: &who.name, role, team: team.as_ref(), is_unrecognised, dialect };
    let prompt = compose(&to, &waiting);
    let mut lines = Vec::new();
    let mut names = Names::new(reader);
    for (item, row) in messages.iter().take(SHOWN) {
        let (id, from) = (item.id.to_string(), names.who(&row.message.from)?);
        lines.push(MailLine { id, from, subject: item.subject.clone() });
    }
    let rows = |reader: &mut Reader<'_>, listed: &[(Task, TaskItem)]| {
        tasks::rows(reader, listed.iter().take(SHOWN).map(|(task, _)| task))
    };
    Ok(RelayView {
        agent: who,
        role: role.map(|role| role.to_string()),
        waiting: !waiting.is_empty(),
        new_tasks: rows(reader, &own.new_tasks)?,
        revisions: rows(reader, &own.revisions)?,
        going_on: rows(reader, &own.going_on)?,
        to_judge: rows(reader, &to_judge)?,
        reviews: reviews.into_iter().take(SHOWN).map(|(_, row)| row).collect(),
        handed: full.into_iter().take(waiting.letters.len()).map(|mail| mail.id).collect(),
        messages: lines,
        unread: reader.unread_count(&agent.id, COUNTED)?,
        duties,
        steps: prompt.steps,
        text: prompt.text,
    })
}

/// An agent's own tasks by what they ask of it.
#[derive(Default)]
struct OwnTasks {
    new_tasks: Vec<(Task, TaskItem)>,
    revisions: Vec<(Task, TaskItem)>,
    going_on: Vec<(Task, TaskItem)>,
}

impl OwnTasks {
    fn contains(&self, id: &str) -> bool {
        [&self.new_tasks, &self.revisions, &self.going_on].into_iter().any(|tasks| names_task(tasks, id))
    }
}

fn names_task(tasks: &[(Task, TaskItem)], id: &str) -> bool {
    tasks.iter().any(|(task, _)| task.id.as_str() == id)
}

/// What waits for another task is not new yet: its assignee is told when it is.
fn own_tasks(reader: &mut Reader<'_>, agent: &Agent, team: Option<&TeamConfig>) -> Result<OwnTasks, Refusal> {
    let review_required = team.is_some_and(|team| team.rules.review_required);
    let mut own = OwnTasks::default();
    for task in reader.open_tasks(Some(&agent.id), COUNTED)? {
        let Some(item) = item(reader, &task)? else { continue };
        if tasks::is_declined(reader, &task)? {
            continue;
        }
        let waits_for = reader.waits_for(&task)?;
        let list = match task.status {
            TaskStatus::Assigned if task.is_ready(&waits_for, review_required) => &mut own.new_tasks,
            TaskStatus::RevisionNeeded => &mut own.revisions,
            TaskStatus::InProgress | TaskStatus::Blocked => &mut own.going_on,
            _ => continue,
        };
        list.push((task, item));
    }
    Ok(own)
}

/// Completed work whose verdict is this agent's.
fn to_judge(
    reader: &mut Reader<'_>,
    agent: &Agent,
    team: Option<&TeamConfig>,
) -> Result<Vec<(Task, TaskItem)>, Refusal> {
    let operator = identity::operator(reader)?;
    let operator = person(reader, &operator)?;
    let members = members(reader)?;
    let mut found = awaiting_verdict(reader)?;
    found
        .retain(|(_, item)| judge(team, &operator, &members, item).is_some_and(|judge| judge.id == agent.id));
    Ok(found)
}

/// Open reviews that name the agent; those of a task are judged with it.
fn open_reviews(reader: &mut Reader<'_>, agent: &Agent) -> Result<Vec<(ReviewItem, ReviewRow)>, Refusal> {
    let mut found = Vec::new();
    let reviews = reader.reviews(true, &PageStart::default(), COUNTED)?;
    let mut names = Names::new(reader);
    for review in reviews {
        if review.brief.task.is_some() || !review.brief.reviewers.contains(&agent.id) {
            continue;
        }
        let row = reviews::row(&mut names, &review)?;
        let item = ReviewItem { id: review.id, title: row.title.clone(), author: row.author.name.clone() };
        found.push((item, row));
    }
    Ok(found)
}

/// Unread mail, oldest first, all of it: the inbox counts the same. Where it only announces tasks that the prompt names
/// anyway, there is nothing to say about it.
fn messages(
    reader: &mut Reader<'_>,
    agent: &Agent,
    own: &OwnTasks,
    access: &Access,
) -> Result<Vec<(MessageItem, MailRow)>, Refusal> {
    let unread = reader.unread(&agent.id, COUNTED)?;
    let announces = |row: &MailRow| {
        row.message.intent == Intent::Delegation
            && row.message.task.as_ref().is_some_and(|task| own.contains(task.as_str()))
    };
    if unread.iter().all(announces) {
        return Ok(Vec::new());
    }
    let mut found = Vec::new();
    let mut names = Names::new(reader);
    for row in unread {
        let message = &row.message;
        let from = names.who(&message.from)?.name;
        let subject = mail::subject(&mut names, access, message)?;
        found.push((MessageItem { id: message.id.clone(), from, subject }, row));
    }
    Ok(found)
}

/// What the agent owes that no task of the prompt settles.
fn duties(
    reader: &mut Reader<'_>,
    agent: &Agent,
    access: &Access,
    own: &OwnTasks,
    to_judge: &[(Task, TaskItem)],
) -> Result<Vec<DutyView>, Refusal> {
    let mut duties = mail::duties(reader, agent, &Viewer::with(access), COUNTED)?;
    duties.retain(|duty| {
        let task = duty.task.as_deref().unwrap_or_default();
        match duty.duty {
            Duty::Start => !own.contains(task),
            // A review of its own is listed as such.
            Duty::Verdict => !task.is_empty() && !names_task(to_judge, task),
            _ => true,
        }
    });
    Ok(duties)
}
