//! What there is to tell about a silent agent, gathered: names, texts, and what the trace says was tried.

use interagent_core::event::Micros;
use interagent_core::ids::{AgentId, MessageId, TaskId};
use interagent_core::ladder::reset::carried_out;
use interagent_core::ladder::telling::{Story, Try};
use interagent_core::refusal::Refusal;
use interagent_core::team::{OperatorDefault, TeamConfig};
use interagent_core::vocabulary::Duty as Owed;
use interagent_store::reader::Reader;
use serde_json::Value;

use super::default::successors;
use super::judge::Duty;
use super::reset;
use crate::names::Names;

/// Lines of the trace that are looked through: some hours of a busy team.
const TRACE: u32 = 2_000;
/// A line would have disturbed somebody.
const PUT_OFF: &str = "nudge.put_off";
/// What counts as a try to reach somebody.
const TRIES: [&str; 10] = [
    "wake.tried",
    "wake.done",
    "wake.failed",
    "wake.run",
    "wake.person",
    "nudge.typed",
    "nudge.failed",
    PUT_OFF,
    "ladder.superior",
    "ladder.captain",
];

/// What a story is made of.
pub(super) struct Material {
    agent: String,
    asker: String,
    matter: MessageId,
    subject: String,
    words: Option<String>,
    duty: Owed,
    since: Micros,
    tries: Vec<Try>,
    had_it: Option<Micros>,
    task: Option<TaskId>,
    others: Vec<String>,
    terms: Option<(Micros, OperatorDefault)>,
}

impl Material {
    pub(super) fn story(&self) -> Story<'_> {
        Story {
            agent: &self.agent,
            asker: &self.asker,
            matter: &self.matter,
            subject: &self.subject,
            words: self.words.as_deref(),
            duty: self.duty,
            since: self.since,
            tries: &self.tries,
            had_it: self.had_it,
            task: self.task.as_ref(),
            others: &self.others,
            terms: self.terms,
        }
    }
}

/// Gathers what is to be told.
pub(super) fn gather(
    reader: &mut Reader<'_>,
    team: Option<&TeamConfig>,
    duty: &Duty,
    terms: Option<(Micros, OperatorDefault)>,
) -> Result<Material, Refusal> {
    let (matter, agent) = (&duty.matter, &duty.agent);
    let others = successors(reader, team, duty)?;
    let tries = tries(reader, &agent.id, matter.sent.wall)?;
    // A task that is somebody else's is not the silent agent's to lose.
    let task = match &matter.task {
        Some(id) => reader.task(id)?.filter(|task| task.assignee.as_ref() == Some(&agent.id)),
        None => None,
    };
    let mut names = Names::new(reader);
    let subject = names.line(&matter.subject)?;
    let words = names.maybe_text(matter.body.as_ref())?.filter(|body| body.trim() != subject);
    Ok(Material {
        agent: names.who(&agent.id)?.name,
        asker: names.who(&matter.from)?.name,
        matter: matter.id.clone(),
        subject,
        words,
        duty: matter.owed_by(&agent.id).unwrap_or(Owed::Answer),
        since: matter.sent.wall,
        tries,
        had_it: matter.deliveries.get(&agent.id).and_then(|to| to.delivered.as_ref()).map(|at| at.wall),
        task: task.map(|task| task.id),
        others: others.iter().map(|other| other.name.to_string()).collect(),
        terms,
    })
}

fn tries(reader: &mut Reader<'_>, agent: &AgentId, since: Micros) -> Result<Vec<Try>, Refusal> {
    let mut found = Vec::new();
    for row in reader.trace(TRACE)?.into_iter().take_while(|row| row.wall >= since) {
        if !TRIES.contains(&row.kind.as_str()) {
            continue;
        }
        let data: Value = serde_json::from_str(&row.data).unwrap_or_default();
        let says = |field: &str| data.get(field).and_then(Value::as_str);
        if says("agent") == Some(agent.as_str()) {
            found.push(Try { at: row.wall, why: says("why").map(str::to_owned), what: row.kind });
        }
    }
    found.reverse();
    // A line is put off again and again for one reason: told once, it leaves room for the rest.
    found
        .dedup_by(|later, before| later.what == PUT_OFF && before.what == PUT_OFF && later.why == before.why);
    // The log knows which resets were carried out.
    let resets = reset::controls(reader)?;
    let resets = carried_out(&resets, agent).filter(|at| *at >= since);
    found.extend(resets.map(|at| Try { at, what: "control.clear".to_owned(), why: None }));
    found.sort_by_key(|one| one.at);
    Ok(found)
}
