//! Who should get a task that names nobody: loads who is there and lets the core put them in order.

use interagent_core::entity::Agent;
use interagent_core::limits;
use interagent_core::refusal::Refusal;
use interagent_core::route::{self, Candidate, Home, Place, Presence, Ranking, Wanted};
use interagent_core::team::TeamConfig;
use interagent_core::text::Words;
use interagent_core::vocabulary::SessionState;
use interagent_store::reader::Reader;
use interagent_wire::answer::{RouteRow, RouteView, Who};
use interagent_wire::{Answer, request as ask};

use super::input;
use crate::call::Call;
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
    let by_default = call.caller.principal && call.caller.behalf.is_none();
    call.read(|reader, known| {
        let identity = known.clone().bound()?;
        let team = reader.team()?.map(|team| team.config);
        let candidates = candidates(reader)?;
        let rank = |from: &Agent| route::rank(team.as_ref(), from, &candidates, &wanted);
        let mut ranking = rank(identity.member());
        let best = ranking.best().map(|place| &candidates[place.candidate].agent.id);
        if by_default && best == Some(&identity.member().id) {
            // As `create` does it: what is meant for the principal comes from the operator.
            ranking = rank(&identity.actor);
        }
        Ok(view(&ranking, &candidates).into())
    })
}

/// The agent who gets a task, and the reason in one line.
pub(super) fn choose(
    reader: &mut Reader<'_>,
    team: Option<&TeamConfig>,
    member: &Agent,
    wanted: &Wanted<'_>,
) -> Result<(Agent, String), Refusal> {
    let candidates = candidates(reader)?;
    let ranking = route::rank(team, member, &candidates, wanted);
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
            SessionState::Busy => Presence::Busy,
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
        Who { id: agent.id.to_string(), name: shown.clone() }
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
