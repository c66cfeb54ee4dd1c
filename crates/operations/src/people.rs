//! Agents: registering, listing, naming, retiring, what they do, and who the caller is.

use std::collections::HashMap;

use interagent_core::decide::agent::{self, Introduction};
use interagent_core::entity::Agent;
use interagent_core::ids::AgentId;
use interagent_core::limits;
use interagent_core::name::{Label, Name, NameProblem};
use interagent_core::refusal::Refusal;
use interagent_core::team::TeamConfig;
use interagent_core::text::Words;
use interagent_core::vocabulary::{AgentState, Auth, TaskStatus};
use interagent_store::Appended;
use interagent_store::reader::Reader;
use interagent_wire::answer::{AgentView, BoardRow, BoardView, CallerFact, IdentityView, Page, StatusView};
use interagent_wire::request as ask;
use interagent_wire::{Answer, Caller, Time};

use crate::call::Call;
use crate::identity::{self, Identity, Known};
use crate::names::{Names, who};
use crate::{input, legacy, resolve, sessions, tasks, team};

/// Entries of the log in which the board looks for somebody's last word; who wrote longer ago is silent.
const WRITTEN_LOOKED_AT: u32 = 1_000;
/// The profile of an agent that named none.
const ANY_PROFILE: &str = "generic";

fn bad_name(problem: &NameProblem) -> Refusal {
    let refusal = Refusal::usage(problem.code.as_str(), problem.sentence.clone());
    match problem.hint() {
        Some(hint) => refusal.hint(hint),
        None => refusal,
    }
}

/// Registers an agent. Whoever is nobody yet acts under the new identity at once.
pub(crate) fn register(call: &mut Call<'_>, params: &ask::AgentRegister) -> Result<Answer, Refusal> {
    let name = Name::parse(&params.name).map_err(|problem| bad_name(&problem))?;
    let profile = match &params.profile {
        None => None,
        Some(profile) => Some(Label::parse(profile).map_err(|problem| bad_name(&problem))?.to_string()),
    };
    let description = params.description.as_ref().map(|d| Words::note("the description", d)).transpose()?;
    let workspace = params.workspace.as_deref().filter(|given| !given.trim().is_empty());
    let workspace = input::maybe_word("the workspace", workspace)?;
    // The name can be taken between looking and writing; whoever comes second finds it there the next time.
    for _ in 0..8 {
        let found =
            register_once(call, &name, profile.as_deref(), description.as_ref(), workspace.as_deref())?;
        if let Some(answer) = found {
            return Ok(answer);
        }
    }
    Err(Refusal::conflict("name_taken", format!("{name} is being registered by somebody else")))
}

fn register_once(
    call: &mut Call<'_>,
    name: &Name,
    profile: Option<&str>,
    description: Option<&Words>,
    workspace: Option<&str>,
) -> Result<Option<Answer>, Refusal> {
    let caller = call.caller;
    let fresh = AgentId::from_bits(call.store.fresh_bits()?);
    let (there, earlier, identity) = call.store.read(|reader| {
        let registry = team::registry(reader, None)?;
        let there = registry.local.iter().find(|agent| &agent.name == name).cloned();
        let earlier = if there.is_none() { legacy::earlier(reader, name)? } else { None };
        let claims_it =
            caller.agent.as_deref().is_some_and(|claimed| claimed.eq_ignore_ascii_case(name.as_str()));
        let known =
            if claims_it && there.is_none() { None } else { Some(identity::identify(reader, caller)?) };
        Ok::<_, Refusal>((there, earlier, known))
    })?;
    let before = there.as_ref().or(earlier.as_ref());
    let profile_of = |agent: Option<&Agent>| agent.map(|agent| agent.profile.clone());
    // Whoever takes up a retired agent's name is another: what is seen of it counts before what that one was.
    let profile = profile
        .map(ToOwned::to_owned)
        .or_else(|| profile_of(there.as_ref()))
        .or_else(|| caller.profile.clone())
        .or_else(|| profile_of(earlier.as_ref()))
        .unwrap_or_else(|| ANY_PROFILE.to_owned());
    let identity = match identity {
        Some(Known::Bound(identity)) => {
            let own = there.as_ref().is_some_and(|agent| agent.id == identity.member().id);
            if !identity.actor.is_human() && !own {
                return Err(Refusal::rule(
                    "not_you",
                    format!("you are {}; an agent registers only itself", identity.actor.name),
                )
                .hint(format!(
                    "interagent agent rename {} {name}, or ask the operator",
                    identity.actor.name
                )));
            }
            *identity
        }
        Some(Known::Unbound { how }) if there.is_some() => return Err(taken(name, &how)),
        Some(Known::Unbound { .. }) | None => newcomer(call, &fresh, name, &profile)?,
    };
    let introduction = Introduction {
        name: name.clone(),
        profile,
        description: description.cloned(),
        workspace: workspace
            .map(ToOwned::to_owned)
            .or_else(|| before.and_then(|agent| agent.workspace.clone())),
    };
    let expected_new = there.is_none();
    call.write_as(
        &identity,
        |scene| {
            let registry = team::registry(&mut scene.look(), Some(name.as_str()))?;
            let mut draft = scene.draft();
            if expected_new && registry.local.iter().any(|agent| &agent.name == name) {
                return Ok(draft);
            }
            let mut introduction = introduction;
            if introduction.description.is_none() {
                // Saying nothing keeps what was said.
                let said = match &earlier {
                    Some(earlier) => legacy::description(&mut scene.look(), earlier)?,
                    None => registry.described.clone(),
                };
                introduction.description = said.and_then(|d| Words::note("the description", &d).ok());
            }
            agent::register(&registry, &introduction, fresh.clone(), &mut draft)?;
            Ok(draft)
        },
        |reader, appended| {
            let raced = expected_new && matches!(appended, Appended::Nothing);
            if raced {
                return Ok(None);
            }
            let agent = resolve::agent(reader, name.as_str())?;
            let mut shown = view(reader, &agent)?;
            if let Some(earlier) = &earlier {
                shown.notes = legacy::of_earlier(reader, earlier)?;
            }
            Ok(Some(shown.into()))
        },
    )
}

fn taken(name: &Name, how: &str) -> Refusal {
    Refusal::conflict(
        "name_taken",
        format!("there is an agent {name} here, and it is not known that it is you: {how}"),
    )
    .hint(format!("set INTERAGENT_AGENT={name} if it is you, or take another name"))
}

/// Somebody who is nobody yet: the agent about to be.
fn newcomer(call: &mut Call<'_>, id: &AgentId, name: &Name, profile: &str) -> Result<Identity, Refusal> {
    let home = call.store.head()?.origin;
    let now = call.store.clock().wall_us();
    let when = interagent_core::entity::When { at: now, wall: now };
    let actor = Agent {
        id: id.clone(),
        name: name.clone(),
        home,
        profile: profile.to_owned(),
        role: None,
        reports_to: None,
        capabilities: Vec::new(),
        paths: Vec::new(),
        description: None,
        workspace: None,
        status: None,
        registered: when,
        retired: None,
    };
    Ok(Identity { actor, behalf: None, auth: Auth::Claimed, how: "it registers itself".to_owned() })
}

/// An agent as shown.
pub(crate) fn view(reader: &mut Reader<'_>, agent: &Agent) -> Result<AgentView, Refusal> {
    let shown = who(reader, agent)?;
    let local = reader.is_home(&agent.home)?;
    let home = resolve::origin_alias(reader, agent)?;
    let unread = reader.unread_count(&agent.id, limits::COUNTED)?;
    let mut names = Names::new(reader);
    let status = match &agent.status {
        None => None,
        Some(status) => Some(StatusView {
            state: status.state,
            text: names.maybe_text(status.text.as_ref())?,
            context_left: status.context_left,
            since: Time(status.since.wall),
        }),
    };
    Ok(AgentView {
        id: shown.id,
        name: shown.name,
        home,
        local,
        profile: agent.profile.clone(),
        role: agent.role.map(|role| role.to_string()),
        reports_to: agent.reports_to.as_ref().map(ToString::to_string),
        capabilities: agent.capabilities.clone(),
        paths: agent.paths.clone(),
        description: names.maybe_text(agent.description.as_ref())?,
        workspace: agent.workspace.clone(),
        status,
        unread,
        registered: Time(agent.registered.wall),
        retired: agent.retired.as_ref().map(|when| Time(when.wall)),
        notes: Vec::new(),
    })
}

/// Lists the agents.
pub(crate) fn list(call: &mut Call<'_>, params: &ask::AgentList) -> Result<Answer, Refusal> {
    call.read(|reader, _| {
        let agents = reader.agents()?;
        let wanted = agents.iter().filter(|agent| params.retired || agent.retired.is_none());
        let items = wanted.map(|agent| view(reader, agent)).collect::<Result<_, _>>()?;
        Ok(Page { items, next: None }.into())
    })
}

/// Shows one agent.
pub(crate) fn show(call: &mut Call<'_>, params: &ask::AgentShow) -> Result<Answer, Refusal> {
    call.read(|reader, known| {
        let agent = resolve::agent_or_caller(reader, params.agent.as_deref(), known)?;
        Ok(view(reader, &agent)?.into())
    })
}

/// Gives an agent another name.
pub(crate) fn rename(call: &mut Call<'_>, params: &ask::AgentRename) -> Result<Answer, Refusal> {
    let name = Name::parse(&params.name).map_err(|problem| bad_name(&problem))?;
    let target = call.read(|reader, _| resolve::agent(reader, &params.agent))?;
    call.write(
        |scene| {
            let registry = team::registry(&mut scene.look(), None)?;
            let mut draft = scene.draft();
            let target = scene.look().agent(&target.id)?.unwrap_or_else(|| target.clone());
            agent::rename(&registry, &scene.member, &target, &name, scene.context, &mut draft)?;
            Ok(draft)
        },
        |reader, _| shown(reader, &target.id),
    )
}

/// Ends an agent's part in the team.
pub(crate) fn retire(call: &mut Call<'_>, params: &ask::AgentRetire) -> Result<Answer, Refusal> {
    let reason = params.reason.as_ref().map(|reason| Words::note("the reason", reason)).transpose()?;
    let target = call.read(|reader, _| resolve::agent(reader, &params.agent))?;
    call.write(
        |scene| {
            let target = scene.look().agent(&target.id)?.unwrap_or_else(|| target.clone());
            let mut draft = scene.draft();
            agent::retire(&scene.member, &target, reason.as_ref(), scene.context, &mut draft)?;
            Ok(draft)
        },
        |reader, _| {
            let agent = reader.agent(&target.id)?.unwrap_or_else(|| target.clone());
            let mut shown = view(reader, &agent)?;
            shown.notes = legacy::left_behind(reader, &agent)?;
            Ok(shown.into())
        },
    )
}

fn shown(reader: &mut Reader<'_>, id: &AgentId) -> Result<Answer, Refusal> {
    let agent = reader
        .agent(id)?
        .ok_or_else(|| Refusal::not_found("not_found", format!("there is no agent {id}")))?;
    Ok(view(reader, &agent)?.into())
}

/// Says who the caller is.
pub(crate) fn whoami(call: &mut Call<'_>) -> Result<Answer, Refusal> {
    let caller = call.caller;
    call.read(|reader, known| {
        let head = reader.head()?;
        let (member, actor, auth, how) = match known {
            Known::Bound(identity) => {
                let actor = match &identity.behalf {
                    Some(_) => Some(who(reader, &identity.actor)?),
                    None => None,
                };
                (Some(who(reader, identity.member())?), actor, Some(identity.auth), identity.how.clone())
            }
            Known::Unbound { how } => (None, None, None, how.clone()),
        };
        let (origin, facts) = (head.origin.to_string(), facts(caller, auth));
        Ok(IdentityView { member, actor, auth, how, facts, hub: head.hub_id, origin, alias: head.alias }
            .into())
    })
}

/// What the caller brought, and what of it decided. The order is that in which it is judged.
fn facts(caller: &Caller, auth: Option<Auth>) -> Vec<CallerFact> {
    let is = |wanted: Auth| auth == Some(wanted);
    let processes: Vec<&str> = caller.processes.iter().map(|process| process.executable.as_str()).collect();
    let processes = Some(processes.join(" < ")).filter(|shown| !shown.is_empty());
    // An agent that no session is bound to is known by the kind of its client.
    let by_client = is(Auth::Process) && caller.profile.is_some();
    let said = [
        ("token", caller.token.as_ref().map(|_| "one was shown".to_owned()), is(Auth::Token)),
        ("session", caller.session.clone(), is(Auth::Session)),
        ("process", processes, is(Auth::Process)),
        ("pane", caller.pane.clone(), is(Auth::Pane)),
        ("variable", caller.agent.clone(), is(Auth::Claimed) && caller.agent.is_some()),
        ("client", caller.profile.clone(), by_client),
        ("terminal", caller.terminal.then(|| "a person could be there".to_owned()), is(Auth::Terminal)),
        ("behalf", caller.behalf.clone(), auth.is_some()),
    ];
    said.into_iter()
        .filter_map(|(fact, value, counted)| {
            Some(CallerFact { fact: fact.to_owned(), value: value?, counted })
        })
        .collect()
}

/// Says what the caller is doing.
pub(crate) fn set_status(call: &mut Call<'_>, params: &ask::StatusSet) -> Result<Answer, Refusal> {
    let text = match params.text.as_deref().map(str::trim) {
        None | Some("") => None,
        Some(text) => Some(Words::note("the status", text)?),
    };
    let identity = call.read(|_, known| known.clone().bound())?;
    let id = identity.member().id.clone();
    call.write_as(
        &identity,
        |scene| {
            let before = scene.member.status.clone();
            let said = match before.as_ref().and_then(|status| status.text.clone()) {
                Some(hash) => scene.look().text_state(&hash)?.whole(),
                None => None,
            };
            let state = params.state.or(before.map(|status| status.state)).unwrap_or(AgentState::Working);
            let mut draft = scene.draft();
            agent::set_status(
                &scene.member,
                said.as_deref(),
                state,
                text.as_ref(),
                params.context_left,
                &mut draft,
            )?;
            Ok(draft)
        },
        |reader, _| shown(reader, &id),
    )
}

/// What everybody is doing.
pub(crate) fn board(call: &mut Call<'_>) -> Result<Answer, Refusal> {
    call.read(|reader, _| {
        let written: HashMap<AgentId, i64> = reader.last_written(WRITTEN_LOOKED_AT)?.into_iter().collect();
        let mut rows = Vec::new();
        for agent in reader.agents()?.into_iter().filter(|agent| agent.retired.is_none()) {
            rows.push(board_row(reader, &agent, written.get(&agent.id).copied())?);
        }
        let team = reader.team()?.map(|team| team.config);
        let (active_tasks, completed_tasks) = task_counts(reader)?;
        Ok(BoardView {
            pending_messages: rows.iter().map(|row| row.agent.unread).sum(),
            rows,
            held: reader.held_count(limits::COUNTED)?,
            project: team.as_ref().map(|team| team.project.clone()),
            formation: team.as_ref().map(|team| team.formation.to_string()),
            mode: team.as_ref().and_then(TeamConfig::mode).map(|mode| mode.to_string()),
            active_tasks,
            completed_tasks,
        }
        .into())
    })
}

/// Tasks that somebody has still to do, and tasks that were done.
fn task_counts(reader: &mut Reader<'_>) -> Result<(i64, i64), Refusal> {
    let (mut active, mut completed) = (0, 0);
    for (status, count) in reader.task_counts()? {
        match status.parse::<TaskStatus>() {
            Ok(TaskStatus::Completed | TaskStatus::UnderReview | TaskStatus::Approved) => completed += count,
            Ok(status) if !status.is_closed() => active += count,
            // Closed otherwise, or a status of a newer version.
            _ => {}
        }
    }
    Ok((active, completed))
}

fn board_row(reader: &mut Reader<'_>, agent: &Agent, written: Option<i64>) -> Result<BoardRow, Refusal> {
    let current = reader.current_task(&agent.id)?;
    let task = current.as_ref().map(|task| tasks::row(reader, task)).transpose()?;
    let owes = reader.owed_by(&agent.id, limits::PAGE_MAX)?.len();
    let live = reader.sessions(Some(&agent.id))?;
    let said = agent.status.as_ref().map(|status| status.since.wall);
    let seen = live.iter().map(|session| session.seen).chain(written).chain(said).max();
    let sessions = live.iter().map(|session| sessions::view(reader, session)).collect::<Result<_, _>>()?;
    Ok(BoardRow {
        agent: view(reader, agent)?,
        task,
        open_tasks: reader.open_task_count(&agent.id, limits::COUNTED)?,
        owes: u32::try_from(owes).unwrap_or(u32::MAX),
        sessions,
        seen: seen.map(Time),
    })
}
