//! Who should get a task that names nobody: loads who is there and lets the core put them in order.

use interagent_core::entity::Agent;
use interagent_core::ids::AgentId;
use interagent_core::limits;
use interagent_core::refusal::Refusal;
use interagent_core::route::{self, Aim, Candidate, Home, Place, Presence, Ranking, Wanted};
use interagent_core::team::TeamConfig;
use interagent_core::text::Words;
use interagent_core::vocabulary::SessionState;
use interagent_store::reader::Reader;
use interagent_wire::answer::{RouteRow, RouteView, Who};
use interagent_wire::{Answer, Caller, request as ask};

use super::input;
use crate::call::Call;
use crate::identity::Identity;
use crate::names;

/// Says who would get a task, and why.
pub(crate) fn route(call: &mut Call<'_>, params: &ask::TaskRoute) -> Result<Answer, Refusal> {
    let title = Words::line("the title", &params.title)?;
    let description = input::maybe("the description", params.description.as_deref(), Words::document)?;
    let capability = params.capability.as_deref().map(input::capability).transpose()?;
    let files = input::files(&params.files)?;
    let wanted = Wanted {
        capability: capability.as_deref(),
        files: &files,
        title: title.as_str(),
        description: description.as_ref().map_or("", Words::as_str),
    };
    let caller = call.caller;
    call.read(|reader, known| {
        let identity = known.clone().bound()?;
        let team = reader.team()?.map(|team| team.config);
        let candidates = candidates(reader)?;
        let aim = route::aim(&candidates, &wanted);
        let rank = |from: &Agent| route::rank(team.as_ref(), from, &candidates, &aim);
        let ranking = rank(identity.member());
        let best = ranking.best().map(|place| &candidates[place.candidate].agent.id);
        let giver = giver(caller, identity.clone(), best);
        let ranking = if giver.member().id == identity.member().id { ranking } else { rank(giver.member()) };
        Ok(view(&ranking, &candidates).into())
    })
}

/// In whose name a task is given that would go to `best`. A principal for whom the operator speaks by default is not made
/// to give itself work: what is meant for the principal comes from the operator.
pub(super) fn giver(caller: &Caller, identity: Identity, best: Option<&AgentId>) -> Identity {
    let for_itself = identity.behalf.as_ref().is_some_and(|principal| Some(&principal.id) == best);
    if speaks_by_default(caller) && for_itself { Identity { behalf: None, ..identity } } else { identity }
}

/// Whether the operator speaks for the principal without having said so.
pub(super) fn speaks_by_default(caller: &Caller) -> bool {
    caller.principal && caller.behalf.is_none()
}

/// What a task aims at among those who are there.
pub(super) fn aim(reader: &mut Reader<'_>, wanted: &Wanted<'_>) -> Result<Aim, Refusal> {
    Ok(route::aim(&candidates(reader)?, wanted))
}

/// The agent who gets a task, and the reason in one line.
pub(super) fn choose(
    reader: &mut Reader<'_>,
    team: Option<&TeamConfig>,
    member: &Agent,
    aim: &Aim,
) -> Result<(Agent, String), Refusal> {
    let candidates = candidates(reader)?;
    let ranking = route::rank(team, member, &candidates, aim);
    let place = route::choose(&ranking)?;
    let why = route::sentence(&ranking, place, &candidates);
    Ok((candidates[place.candidate].agent.clone(), why))
}

fn candidates(reader: &mut Reader<'_>) -> Result<Vec<Candidate>, Refusal> {
    let mut found = Vec::new();
    for agent in reader.agents()? {
        let home = if reader.is_home(&agent.home)? { Home::Here } else { Home::Elsewhere };
        let sessions = reader.sessions(Some(&agent.id))?;
        let presence = sessions.iter().map(|session| match session.state {
            SessionState::Idle => Presence::Idle,
            SessionState::Busy | SessionState::Asking => Presence::Busy,
            SessionState::Ended => Presence::Unknown,
        });
        found.push(Candidate {
            presence: presence.min().unwrap_or(Presence::Unknown),
            shown: names::who(reader, &agent)?.name,
            home,
            open_tasks: reader.open_task_count(&agent.id, limits::COUNTED)?,
            agent,
        });
    }
    Ok(found)
}

fn view(ranking: &Ranking, candidates: &[Candidate]) -> RouteView {
    let who = |place: &Place| {
        let Candidate { agent, shown, .. } = &candidates[place.candidate];
        Who { id: agent.id.to_string(), name: shown.clone(), replica: None }
    };
    let chosen = route::choose(ranking);
    RouteView {
        best: chosen.as_ref().ok().map(|place| who(place)),
        why: match &chosen {
            Ok(place) => route::sentence(ranking, place, candidates),
            Err(refusal) => refusal.sentence.clone(),
        },
        capability: ranking.capability.clone(),
        guesses: ranking.guesses.clone(),
        ranking: ranking
            .places
            .iter()
            .map(|place| RouteRow {
                agent: who(place),
                fits: place.against.is_none(),
                reasons: place.reasons.clone(),
            })
            .collect(),
    }
}
