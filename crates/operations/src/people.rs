//! Agents: listing, naming, retiring, what they do, and who the caller is. Registering is in `register`.

mod register;

use interagent_core::decide::agent::{self, Watch};
use interagent_core::decide::task::{Leaves, tell_assigners};
use interagent_core::entity::Agent;
use interagent_core::ids::AgentId;
use interagent_core::limits;
use interagent_core::name::{Name, NameProblem};
use interagent_core::refusal::Refusal;
use interagent_core::rules;
use interagent_core::team::TeamConfig;
use interagent_core::text::Words;
use interagent_core::vocabulary::{AgentState, Auth};
use interagent_store::reader::Reader;
use interagent_wire::answer::{AgentView, CallerFact, IdentityView, Page, StatusView};
use interagent_wire::request as ask;
use interagent_wire::{Answer, Caller, Time};

use crate::LocalHub;
use crate::call::Call;
use crate::identity::Known;
use crate::ladder::left_tasks;
use crate::names::{Names, who};
use crate::{decisions, identity, input, legacy, resolve, team};
pub(crate) use register::register;

fn bad_name(problem: &NameProblem) -> Refusal {
    let refusal = Refusal::usage(problem.code.as_str(), problem.sentence.clone());
    match problem.hint() {
        Some(hint) => refusal.hint(hint),
        None => refusal,
    }
}

/// What commands ask that need no operation of their own.
impl LocalHub {
    /// Where an agent asks for what only the operator may do; a caller that is not known gets the refusal that says so.
    pub fn way_to_operator(&mut self, caller: &Caller) -> Result<String, Refusal> {
        self.store().read(|reader| {
            let identity = identity::identify(reader, caller)?.bound()?;
            let team = reader.team()?.map(|team| team.config);
            Ok(rules::way_to_operator(team.as_ref(), identity.member()))
        })
    }
}

/// An agent as shown.
pub(crate) fn view(reader: &mut Reader<'_>, agent: &Agent) -> Result<AgentView, Refusal> {
    let shown = who(reader, agent)?;
    let local = reader.is_home(&agent.home)?;
    let home = resolve::origin_alias(reader, agent)?;
    let unread = reader.unread_count(&agent.id, limits::COUNTED)?;
    let model = reader.pane(&agent.id)?.and_then(|pane| pane.model);
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
        model,
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
    input::no_secret_name("the name", &params.name)?;
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
            agent::retire(
                scene.team.as_ref(),
                &scene.member,
                &target,
                reason.as_ref(),
                scene.context,
                &mut draft,
            )?;
            if target.retired.is_none() {
                decisions::retires(scene, &target, &mut draft)?;
            }
            let (team, knows) = (scene.team.clone(), scene.member.id.clone());
            let reader = &mut scene.look();
            let (left, operator) = (left_tasks(reader, &target)?, identity::operator(reader)?);
            let leaver = (&target, Leaves::Retired);
            tell_assigners(leaver, &left, Some(&knows), team.as_ref(), &operator, &mut draft);
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
            Known::Unbound { how, .. } => (None, None, None, how.clone()),
        };
        let (origin, facts) = (head.origin.to_string(), facts(caller, auth));
        let (hub, alias) = (head.hub_id, head.alias);
        Ok(IdentityView { member, actor, auth, how, facts, hub, origin, alias, place: None }.into())
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

/// Who is told when an agent's context runs low: its superior, unless that is a captain.
pub(crate) fn watch(
    reader: &mut Reader<'_>,
    team: Option<&TeamConfig>,
    agent: &Agent,
) -> Result<Watch, Refusal> {
    let limit = team.map_or(0, |team| team.context_limit(&agent.name));
    let name = rules::superior_of(team, &agent.name).filter(|name| !rules::is_captain(team, name));
    let mut superior = None;
    for found in name.map(|name| reader.agents_named(name.as_str())).transpose()?.unwrap_or_default() {
        if found.retired.is_none() && reader.is_home(&found.home)? {
            superior = Some(found);
        }
    }
    Ok(Watch { limit, superior })
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
            let team = scene.team.clone();
            let member = scene.member.clone();
            let watch = watch(&mut scene.look(), team.as_ref(), &member)?;
            let mut draft = scene.draft();
            agent::set_status(
                &scene.member,
                said.as_deref(),
                state,
                text.as_ref(),
                params.context_left,
                &watch,
                &mut draft,
            )?;
            Ok(draft)
        },
        |reader, _| shown(reader, &id),
    )
}
