//! The briefing: loads what is open for an agent and lets the core compose it.

use std::path::Path;

use interagent_core::briefing::{
    Arrival, Count, DutyLine, Listed, Open, Part, Registered, StuckLine, Subject, TaskLine, compose,
};
use interagent_core::entity::{Agent, Task};
use interagent_core::event::Micros;
use interagent_core::ids::{MessageId, TaskId};
use interagent_core::instructions;
use interagent_core::limits::COUNTED;
use interagent_core::name::Name;
use interagent_core::phrasing::Dialect;
use interagent_core::refusal::Refusal;
use interagent_core::session_id;
use interagent_core::summary::{TaskItem, director};
use interagent_core::team::TeamConfig;
use interagent_core::vocabulary::SessionState;
use interagent_store::live;
use interagent_store::observe::SessionRow;
use interagent_store::reader::Reader;
use interagent_wire::Answer;
use interagent_wire::answer::{BriefingView, DutyView};
use interagent_wire::request as ask;

use super::summary;
use crate::call::Call;
use crate::identity::Known;
use crate::letters::links;
use crate::mail::Viewer;
use crate::names::{self, Names};
use crate::scan::{self, Scan};
use crate::tasks::access::Access;
use crate::{identity, mail, resolve, sessions, tasks};

/// Rows that are loaded; more than the text has room for.
const SHOWN: usize = 20;
/// Open tasks among which declined ones are looked for.
const LOOKED_AT: u32 = 100;

/// What an agent needs to know after a restart.
pub(crate) fn briefing(call: &mut Call<'_>, params: &ask::Briefing) -> Result<Answer, Refusal> {
    let is_run = call.caller.session.as_deref().is_some_and(session_id::is_run);
    let (asking, tools, state_dir) = (call.caller.session.clone(), call.caller.tools.clone(), call.state_dir);
    let (shown, whose, own, arrived) = call.read(|reader, known| {
        let agent = resolve::agent_or_caller(reader, params.agent.as_deref(), known)?;
        let is_own = matches!(known, Known::Bound(identity)
            if identity.behalf.is_none() && identity.actor.id == agent.id && !agent.is_human());
        let sessions = if is_own { reader.sessions(Some(&agent.id))? } else { Vec::new() };
        let arrived = match asking.filter(|_| is_own) {
            Some(session) if reader.session(&session)?.is_none() => Some((session, agent.clone())),
            _ => None,
        };
        let is_hooked = reader.living_sessions(&agent.id)?;
        // A run begins with its mail, and has nothing to look for.
        let is_hooked = is_hooked
            .iter()
            .any(|row| session_id::is_run(&row.id) || live::sign_of(state_dir, &row.id).is_some());
        let arrival = if is_hooked { Arrival::ByHook } else { Arrival::OnRequest };
        // A run's prompt carries what waits.
        let announces = !is_run;
        let manner = Manner { dialect: Dialect::of(tools.as_deref()), arrival, announces };
        let access = Access::of(reader, known)?;
        let mut shown = composed(reader, &agent, &access, manner)?;
        if params.role {
            shown.view.text = role(reader, &agent, tools.as_deref(), state_dir)?;
            shown.reports_upto = None;
        }
        Ok((shown, is_own.then_some(agent), sessions, arrived))
    })?;
    let caller = call.caller;
    let asks = |row: &SessionRow| match (&caller.session, &row.process) {
        (Some(session), _) if *session == row.id => true,
        (_, Some(bound)) => {
            caller.processes.iter().any(|one| one.pid == bound.pid && one.started == bound.started)
        }
        _ => false,
    };
    // A session that no hook announced is bound now, where its client's process is known.
    let arrived = match arrived {
        Some((session, agent)) if sessions::bind_newcomer(call, &agent).is_ok() => Some(session),
        _ => None,
    };
    let mine = own.into_iter().find(|row| !row.briefed && asks(row)).map(|row| row.id).or(arrived);
    if let Some(session) = mine {
        // Whoever asked for its briefing has it. Where that can't be noted it is told again.
        let _ = call.store.observe(|writer| {
            if let Some(row) = writer.look().session(&session)?
                && row.state != SessionState::Ended
            {
                writer.put_session(&SessionRow { briefed: true, ..row })?;
            }
            Ok::<_, Refusal>(())
        });
    }
    if let (Some(agent), Some(upto)) = (whose, shown.reports_upto) {
        let _ = call.store.observe(|writer| Ok::<_, Refusal>(scan::has_seen(writer, &agent, upto)?));
    }
    Ok(shown.view.into())
}

/// The obligations of an agent's role, for an agent without a role file.
fn role(
    reader: &mut Reader<'_>,
    agent: &Agent,
    tools: Option<&str>,
    state_dir: &Path,
) -> Result<String, Refusal> {
    let hub = state_dir.parent().and_then(Path::to_str).unwrap_or(".interagent");
    let team = reader.team()?.map(|team| team.config);
    let client = instructions::Client { tool: tools, clear: None, hub };
    let text = team
        .as_ref()
        .and_then(|team| instructions::compose(&instructions::Reader { name: &agent.name, team, client }));
    text.ok_or_else(|| {
        Refusal::not_found(
            "no_seat",
            format!("{} has no seat in the team file, so it has no role", agent.name),
        )
    })
}

/// A briefing that a hook says. What waits is brought by the hooks of the same turn, so it is not announced.
pub(crate) fn by_hook(
    reader: &mut Reader<'_>,
    agent: &Agent,
    dialect: Dialect<'_>,
) -> Result<Composed, Refusal> {
    composed(
        reader,
        agent,
        &Access::unlimited(),
        Manner { dialect, arrival: Arrival::ByHook, announces: false },
    )
}

/// How a briefing is said.
struct Manner<'a> {
    dialect: Dialect<'a>,
    arrival: Arrival,
    /// It tells of unread messages.
    announces: bool,
}

fn composed(
    reader: &mut Reader<'_>,
    agent: &Agent,
    access: &Access,
    manner: Manner<'_>,
) -> Result<Composed, Refusal> {
    let team = reader.team()?.map(|team| team.config);
    let unread = reader.unread_count(&agent.id, COUNTED)?;
    let owed = mail::owed_count(reader, agent)?;
    let mut duties = mail::duties(reader, agent, &Viewer::with(access), SHOWN as u32)?;
    duties.truncate(SHOWN);
    // Declined tasks wait for their assigner.
    let (mut open, mut declined) = (Vec::new(), 0);
    for task in reader.open_tasks(Some(&agent.id), LOOKED_AT)? {
        match tasks::is_declined(reader, &task)? {
            true => declined += 1,
            false => open.push(task),
        }
    }
    open.truncate(SHOWN);
    let tasks_count = reader.open_task_count(&agent.id, COUNTED)?.saturating_sub(declined);
    let mut names = Names::new(reader);
    let task_lines = open.iter().map(|task| task_line(&mut names, task)).collect::<Result<Vec<_>, _>>()?;
    let duty_lines = duties.iter().map(duty_line).collect::<Result<Vec<_>, _>>()?;
    let stuck = stuck(reader, agent, team.as_ref())?;
    let scan = scan::since_last_turn(reader, agent)?;
    let registered = registered(reader, team.as_ref())?;
    let seat = team.as_ref().and_then(|team| team.agents.get(&agent.name));
    let subject = Subject {
        name: &agent.name,
        role: seat.map(|seat| seat.role).or(agent.role),
        human: agent.is_human(),
        team: team.as_ref(),
        registered: &registered,
        dialect: manner.dialect,
        arrival: manner.arrival,
    };
    let most = COUNTED as usize;
    let text = compose(
        &subject,
        &Open {
            tasks: Listed { first: &task_lines, count: Count::up_to(tasks_count as usize, most) },
            duties: Listed { first: &duty_lines, count: Count::up_to(owed as usize, most) },
            stuck: Listed { first: &stuck, count: Count::up_to(stuck.len(), most) },
            reports: scan.as_ref().map_or_else(nothing, Scan::listed),
            unread: manner.announces.then(|| Count::up_to(unread as usize, most)),
        },
    );
    let tasks = tasks::rows(reader, &open)?;
    let view = BriefingView { agent: names::who(reader, agent)?, text, unread, duties, tasks };
    Ok(Composed { view, reports_upto: scan.map(|scan| scan.upto) })
}

/// A briefing, and up to which report it tells of what subordinates did.
pub(crate) struct Composed {
    view: BriefingView,
    pub(crate) reports_upto: Option<Micros>,
}

impl Composed {
    pub(crate) fn text(self) -> String {
        self.view.text
    }
}

fn nothing<'a, T>() -> Listed<'a, T> {
    Listed { first: &[], count: Count::up_to(0, 1) }
}

fn registered(reader: &mut Reader<'_>, team: Option<&TeamConfig>) -> Result<Vec<Registered>, Refusal> {
    let mut all = Vec::new();
    let agents = reader.agents()?;
    let is_known = |name: &Name| agents.iter().any(|agent| agent.name == *name);
    if team.is_some_and(|team| !team.agents.keys().all(is_known)) {
        // A seat with the earlier name of an agent is as empty as that of a retired one.
        for (before, _) in reader.renamed(&agents)? {
            all.push(Registered { name: before, role: None, part: Part::Retired });
        }
    }
    for agent in agents {
        let part = match (&agent.retired, agent.is_human() || !reader.is_home(&agent.home)?) {
            (Some(_), _) => Part::Retired,
            (None, true) => Part::Elsewhere,
            (None, false) => Part::Here,
        };
        all.push(Registered { name: agent.name, role: agent.role, part });
    }
    Ok(all)
}

/// Work of others that is stuck and waits for this member to do something about it.
fn stuck(
    reader: &mut Reader<'_>,
    agent: &Agent,
    team: Option<&TeamConfig>,
) -> Result<Vec<StuckLine>, Refusal> {
    let blocked = summary::blocked(reader)?.waiting;
    if blocked.is_empty() {
        return Ok(Vec::new());
    }
    let operator = identity::operator(reader)?;
    let operator = summary::person(reader, &operator)?;
    let members = summary::members(reader)?;
    let mine = blocked.into_iter().filter(|task| director(team, &operator, &members, task).id == agent.id);
    Ok(mine
        .map(|TaskItem { id, title, assignee, .. }| StuckLine {
            id,
            title,
            worker: assignee.map(|worker| worker.shown),
        })
        .collect())
}

fn task_line(names: &mut Names<'_, '_>, task: &Task) -> Result<TaskLine, Refusal> {
    let title = names.line(&task.brief.title)?;
    Ok(TaskLine { id: task.id.clone(), title, status: task.status, priority: task.priority() })
}

pub(crate) fn duty_line(duty: &DutyView) -> Result<DutyLine, Refusal> {
    Ok(DutyLine {
        duty: duty.duty,
        message: MessageId::parse(&duty.message)?,
        task: duty.task.as_deref().map(TaskId::parse).transpose()?,
        links: links(&duty.refs),
        from: duty.from.name.clone(),
        subject: duty.subject.clone(),
    })
}
