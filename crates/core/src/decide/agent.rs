//! Agents and the team: registering, naming, seating, retiring, saying what one does.

use crate::authority::{OperatorAct, authorize};
use crate::decide::{Post, post};
use crate::draft::{Context, Draft};
use crate::entity::Agent;
use crate::entity::agent::HUMAN_PROFILE;
use crate::event::{
    AgentDescribed, AgentRegistered, AgentRenamed, AgentRetired, AgentSeated, AgentStatus, TeamChanged,
};
use crate::ids::{AgentId, EntityRef};
use crate::name::Name;
use crate::nearest::nearest;
use crate::refusal::Refusal;
use crate::rules;
use crate::team::{TeamConfig, widened};
use crate::template::CLIENTS;
use crate::text::Words;
use crate::vocabulary::{AgentState, Intent, Priority};

/// Who an agent says it is.
#[derive(Clone, Debug)]
pub struct Introduction {
    /// Its name.
    pub name: Name,
    /// Which kind of CLI.
    pub profile: String,
    /// What it works on.
    pub description: Option<Words>,
    /// Where it works.
    pub workspace: Option<String>,
}

/// What is known when an agent registers.
#[derive(Clone, Debug)]
pub struct Registry {
    /// The rules.
    pub team: Option<TeamConfig>,
    /// The agents of this home that are not retired.
    pub local: Vec<Agent>,
    /// The text of the known agent's description, to tell a change from a repetition.
    pub described: Option<String>,
}

impl Registry {
    fn named(&self, name: &Name) -> Option<&Agent> {
        self.local.iter().find(|agent| &agent.name == name)
    }

    /// Refuses a name that exists here, or looks like one.
    fn must_be_free(&self, name: &Name) -> Result<(), Refusal> {
        let skeleton = name.skeleton();
        let Some(other) = self.local.iter().find(|agent| agent.name.skeleton() == skeleton) else {
            return Ok(());
        };
        let sentence = if &other.name == name {
            format!("there is an agent {name} here already")
        } else {
            format!("{name} looks like {}, which is taken", other.name)
        };
        Err(Refusal::conflict("name_taken", sentence).hint(format!("{} is free", self.free_name(name))))
    }

    /// Refuses reserved words that no agent and no seat has here.
    fn must_be_allowed(&self, name: &Name) -> Result<(), Refusal> {
        let seated = self.team.as_ref().is_some_and(|team| team.agents.contains_key(name));
        if seated || self.named(name).is_some() {
            return Ok(());
        }
        name.check_new().map_err(|problem| {
            let refusal = Refusal::usage(problem.code.as_str(), problem.sentence.clone());
            problem.hint().into_iter().fold(refusal, Refusal::hint)
        })
    }

    /// A free name near the wanted one.
    fn free_name(&self, name: &Name) -> String {
        let taken: Vec<String> = self.local.iter().map(|agent| agent.name.skeleton()).collect();
        (2..1000)
            .filter_map(|n| Name::parse(&format!("{name}-{n}")).ok())
            .find(|candidate| !taken.contains(&candidate.skeleton()))
            .map_or_else(|| format!("{name}-x"), |free| free.to_string())
    }
}

/// Registers an agent, or brings what is known of it up to date.
///
/// Saying the same again changes nothing. `new_id` is used when there is no agent of that name yet: whoever registers
/// itself acts under it from this very entry on.
pub fn register(
    registry: &Registry,
    introduction: &Introduction,
    new_id: AgentId,
    draft: &mut Draft,
) -> Result<AgentId, Refusal> {
    remark_profile(&introduction.profile, draft);
    if let Some(agent) = registry.named(&introduction.name) {
        let said = introduction.description.as_ref().map(Words::as_str);
        let same = agent.profile == introduction.profile
            && agent.workspace == introduction.workspace
            && registry.described.as_deref() == said;
        if !same {
            describe(draft, &agent.id, introduction);
        }
        return Ok(agent.id.clone());
    }
    registry.must_be_allowed(&introduction.name)?;
    registry.must_be_free(&introduction.name)?;
    let id = new_id;
    let registered =
        AgentRegistered { name: introduction.name.clone(), profile: introduction.profile.clone() };
    draft.add(EntityRef::Agent(id.clone()), registered);
    if introduction.description.is_some() || introduction.workspace.is_some() {
        describe(draft, &id, introduction);
    }
    if let Some(seat) = registry.team.as_ref().and_then(|team| seat_of(team, &introduction.name)) {
        draft.add(EntityRef::Agent(id.clone()), seat);
    }
    Ok(id)
}

/// The profile of an agent whose client is none that is known.
pub const ANY_PROFILE: &str = "generic";

/// A profile of one's own is allowed; one that is known to nobody may be a slip.
fn remark_profile(profile: &str, draft: &mut Draft) {
    let known: Vec<&str> = CLIENTS.iter().map(|(known, _)| *known).chain([ANY_PROFILE]).collect();
    if known.contains(&profile) || profile == HUMAN_PROFILE {
        return;
    }
    let meant = match nearest(profile, known.iter().copied()) {
        Some(meant) => format!("did you mean {meant}?"),
        None => format!("those that are: {}", known.join(", ")),
    };
    draft.remark(format!("{profile} is no client that is known; {meant}"));
}

fn describe(draft: &mut Draft, id: &AgentId, introduction: &Introduction) {
    let described = AgentDescribed {
        profile: introduction.profile.clone(),
        description: draft.maybe(introduction.description.as_ref()),
        workspace: introduction.workspace.clone(),
    };
    draft.add(EntityRef::Agent(id.clone()), described);
}

fn seat_of(team: &TeamConfig, name: &Name) -> Option<AgentSeated> {
    let seat = team.agents.get(name)?;
    Some(AgentSeated {
        role: Some(seat.role),
        reports_to: seat.reports_to.clone(),
        capabilities: seat.capabilities.iter().map(ToString::to_string).collect(),
        paths: seat.paths.iter().cloned().collect(),
    })
}

/// Seats the agents that live here as the team's rules say, where another replica's rules took the place of ours. Whoever
/// has no seat in them keeps the name and the history, without a role.
pub fn reseat(registry: &Registry, draft: &mut Draft) {
    let Some(team) = &registry.team else { return };
    for agent in registry.local.iter().filter(|agent| !agent.is_human()) {
        let empty = AgentSeated { role: None, reports_to: None, capabilities: Vec::new(), paths: Vec::new() };
        let wanted = seat_of(team, &agent.name).unwrap_or(empty);
        if seated_as(agent) != wanted {
            draft.add(EntityRef::Agent(agent.id.clone()), wanted);
        }
        give_profile(team, agent, draft);
    }
}

/// The team file decides which client an agent is; what else the agent told of itself stays.
fn give_profile(team: &TeamConfig, agent: &Agent, draft: &mut Draft) {
    let Some(seat) = team.agents.get(&agent.name) else { return };
    if agent.profile == seat.profile.as_str() {
        return;
    }
    let described = AgentDescribed {
        profile: seat.profile.to_string(),
        description: agent.description.clone(),
        workspace: agent.workspace.clone(),
    };
    draft.add(EntityRef::Agent(agent.id.clone()), described);
}

fn seated_as(agent: &Agent) -> AgentSeated {
    AgentSeated {
        role: agent.role,
        reports_to: agent.reports_to.clone(),
        capabilities: agent.capabilities.clone(),
        paths: agent.paths.clone(),
    }
}

/// Takes a team file in: the rules, a registration for every seat, a seat and its client for everybody.
pub fn change_team(
    registry: &Registry,
    member: &Agent,
    config: &TeamConfig,
    context: &Context,
    draft: &mut Draft,
) -> Result<(), Refusal> {
    if !context.human {
        return Err(Refusal::rule(
            "team_is_the_operators",
            format!("{} may not change the team's rules", member.name),
        )
        .hint(rules::operator_runs(registry.team.as_ref(), member, "interagent team take")));
    }
    must_not_widen(registry, config, context)?;
    if registry.team.as_ref() != Some(config) {
        draft.add(EntityRef::Team, TeamChanged { config: config.clone() });
    }
    for (name, seat) in &config.agents {
        let id = match registry.named(name) {
            Some(agent) => {
                give_profile(config, agent, draft);
                agent.id.clone()
            }
            None => {
                registry.must_be_allowed(name)?;
                registry.must_be_free(name)?;
                let id = AgentId::from_bits(draft.bits());
                let registered = AgentRegistered { name: name.clone(), profile: seat.profile.to_string() };
                draft.add(EntityRef::Agent(id.clone()), registered);
                id
            }
        };
        let wanted = seat_of(config, name);
        let has = registry.named(name).map(seated_as);
        if let Some(wanted) = wanted.filter(|wanted| has.as_ref() != Some(wanted)) {
            draft.add(EntityRef::Agent(id), wanted);
        }
    }
    // Whoever lost the seat keeps the name and the history, without a role. A seat that was given another name looks the same.
    for agent in registry.local.iter().filter(|a| a.role.is_some() && !config.agents.contains_key(&a.name)) {
        let empty = AgentSeated { role: None, reports_to: None, capabilities: Vec::new(), paths: Vec::new() };
        draft.add(EntityRef::Agent(agent.id.clone()), empty);
        let name = &agent.name;
        draft.remark(format!(
            "{name} has no seat any more and keeps its mail and tasks; to rename an agent, run interagent agent rename {name} NEW \
             before the file is taken in"
        ));
    }
    Ok(())
}

/// A script may apply a file, but not one that lets agents or files do more than before.
fn must_not_widen(registry: &Registry, config: &TeamConfig, context: &Context) -> Result<(), Refusal> {
    let wider = widened(registry.team.as_ref(), config);
    if wider.is_empty() {
        return Ok(());
    }
    authorize(OperatorAct::WidenTeam, context.authority(), "interagent team take").map_err(|refusal| {
        let lines: Vec<String> = wider.iter().map(ToString::to_string).collect();
        Refusal { sentence: format!("{} ({})", refusal.sentence, lines.join("; ")), ..refusal }
    })
}

fn own_or_human(
    team: Option<&TeamConfig>,
    member: &Agent,
    target: &Agent,
    context: &Context,
    verb: &str,
) -> Result<(), Refusal> {
    if member.id == target.id || context.human {
        return Ok(());
    }
    let command = format!("interagent agent {verb} {}", target.name);
    Err(Refusal::rule("not_you", format!("{} may not {verb} {}", member.name, target.name))
        .hint(rules::operator_runs(team, member, &command)))
}

/// Gives an agent another name.
pub fn rename(
    registry: &Registry,
    member: &Agent,
    target: &Agent,
    name: &Name,
    context: &Context,
    draft: &mut Draft,
) -> Result<(), Refusal> {
    own_or_human(registry.team.as_ref(), member, target, context, "rename")?;
    if target.is_human() {
        return Err(Refusal::rule("operator_name", "the operator is always called operator"));
    }
    if &target.name == name {
        draft.is_so_already(format!("its name is {name} already"));
        return Ok(());
    }
    let seated = registry.team.as_ref().is_some_and(|team| team.agents.contains_key(&target.name));
    if seated && !context.human {
        return Err(Refusal::rule(
            "seated",
            format!("{} has a seat in the team file under that name", target.name),
        )
        .hint(format!("the operator renames it: interagent agent rename {} {name}", target.name)));
    }
    if registry.team.as_ref().is_some_and(|team| team.agents.contains_key(name)) && !context.human {
        return Err(Refusal::rule(
            "seated",
            format!("{name} is a seat of the team file: the operator gives it"),
        ));
    }
    registry.must_be_allowed(name)?;
    let others = Registry {
        team: None,
        local: registry.local.iter().filter(|a| a.id != target.id).cloned().collect(),
        described: None,
    };
    others.must_be_free(name)?;
    draft.add(EntityRef::Agent(target.id.clone()), AgentRenamed { name: name.clone() });
    if seated {
        let old = &target.name;
        draft.remark(format!(
            "the seat in team.toml is still called {old}: write {name} there, then run interagent team take"
        ));
    }
    Ok(())
}

/// Ends an agent's part in the team. Its history stays, its name becomes free.
pub fn retire(
    team: Option<&TeamConfig>,
    member: &Agent,
    target: &Agent,
    reason: Option<&Words>,
    context: &Context,
    draft: &mut Draft,
) -> Result<(), Refusal> {
    own_or_human(team, member, target, context, "retire")?;
    if target.is_human() {
        return Err(Refusal::rule("operator_stays", "the operator can't be retired"));
    }
    if target.retired.is_some() {
        draft.is_so_already(format!("{} was retired before", target.name));
        return Ok(());
    }
    let reason = draft.maybe(reason);
    draft.add(EntityRef::Agent(target.id.clone()), AgentRetired { reason });
    Ok(())
}

/// Who watches over how much context an agent has left.
#[derive(Clone, Debug)]
pub struct Watch {
    /// Below so many percent the superior is told; 0 for never.
    pub limit: u32,
    /// The superior, where it can be written to: no mail goes to a captain.
    pub superior: Option<Agent>,
}

impl Watch {
    /// Whether so much context is too little.
    pub fn is_low(&self, percent: u8) -> bool {
        u32::from(percent) < self.limit
    }

    /// Tells the superior, once: again only after there was more meanwhile.
    fn tell(&self, member: &Agent, now: Option<u8>, draft: &mut Draft) {
        let before = known_context(member);
        let (Some(left), Some(superior)) = (now.filter(|left| self.is_low(*left)), &self.superior) else {
            return;
        };
        if before.is_some_and(|left| self.is_low(left)) {
            return;
        }
        let name = &member.name;
        let subject = draft.plain(&format!("{name} has {left} % of its context left"));
        let body = draft.plain(&format!(
            "Give {name} no new work before its conversation is cleared. You can reassign its open tasks."
        ));
        let letter = Post::new(&member.id, vec![superior.id.clone()], Intent::Report, subject, Some(body));
        post(draft, Post { priority: Priority::High, ..letter });
    }
}

fn known_context(member: &Agent) -> Option<u8> {
    member.status.as_ref().and_then(|status| status.context_left)
}

/// Notes how much context an agent has left, as its client says; nothing where it has forgotten its conversation and begins
/// anew.
pub fn note_context(member: &Agent, left: Option<u8>, watch: &Watch, draft: &mut Draft) {
    let (state, text) = match &member.status {
        Some(status) => (status.state, status.text.clone()),
        None => (AgentState::Working, None),
    };
    draft.add(EntityRef::Agent(member.id.clone()), AgentStatus { state, text, context_left: left });
    watch.tell(member, left, draft);
}

/// Says what an agent is doing. The same again writes nothing. What is not said of its context stays as it was.
pub fn set_status(
    member: &Agent,
    said: Option<&str>,
    state: AgentState,
    text: Option<&Words>,
    context_left: Option<u8>,
    watch: &Watch,
    draft: &mut Draft,
) -> Result<(), Refusal> {
    if context_left.is_some_and(|percent| percent > 100) {
        return Err(Refusal::usage("bad_percent", "context left is a percentage from 0 to 100"));
    }
    let context_left = context_left.or(known_context(member));
    let same = member.status.as_ref().is_some_and(|status| {
        status.state == state && status.context_left == context_left && said == text.map(Words::as_str)
    });
    if !same {
        let text = draft.maybe(text);
        draft.add(EntityRef::Agent(member.id.clone()), AgentStatus { state, text, context_left });
    }
    watch.tell(member, context_left, draft);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draft::Fresh;
    use crate::entity::When;
    use crate::ids::OriginId;
    use crate::team::Seat;

    fn registry(names: &[&str], seats: &[&str]) -> Registry {
        let agent = |(n, name): (usize, &&str)| {
            let id = AgentId::from_bits(n as u64 + 10);
            Agent::new(
                id,
                Name::parse(name).unwrap(),
                OriginId::from_bits(1),
                "claude".into(),
                When { at: 1, wall: 1 },
            )
        };
        let team = (!seats.is_empty()).then(|| team(seats));
        Registry { team, local: names.iter().enumerate().map(agent).collect(), described: None }
    }

    fn team(seats: &[&str]) -> TeamConfig {
        let mut team = TeamConfig::usual_captain("x");
        let seat: Seat = team.agents.values().next().unwrap().clone();
        team.agents = seats.iter().map(|name| (Name::parse(name).unwrap(), seat.clone())).collect();
        team
    }

    fn context() -> Context {
        Context {
            now: 1,
            origin: OriginId::from_bits(1),
            member: AgentId::from_bits(1),
            human: true,
            proof: crate::authority::Proof::Proven,
            fresh: Fresh::new([9; 32]),
        }
    }

    #[test]
    fn existing_reserved_names_are_kept() {
        let introduction = Introduction {
            name: Name::parse("admin").unwrap(),
            profile: "claude".into(),
            description: None,
            workspace: Some("/srv/x".into()),
        };
        let registered = |registry: &Registry| {
            let mut draft = Draft::new(&context());
            register(registry, &introduction, AgentId::from_bits(7), &mut draft)
                .map_err(|refusal| refusal.code)
        };
        assert_eq!(registered(&registry(&[], &[])), Err("name_reserved".to_owned()));
        assert_eq!(registered(&registry(&["admin"], &[])), Ok(AgentId::from_bits(10)));
        assert_eq!(registered(&registry(&[], &["admin"])), Ok(AgentId::from_bits(7)), "its seat is applied");

        let member = &registry(&["kimi"], &[]).local[0];
        let taken = |registry: &Registry| {
            let mut draft = Draft::new(&context());
            change_team(registry, member, &team(&["admin"]), &context(), &mut draft)
                .map_err(|refusal| refusal.code)
        };
        assert_eq!(taken(&registry(&[], &[])), Err("name_reserved".to_owned()));
        assert_eq!(taken(&registry(&["admin"], &[])), Ok(()));
        assert_eq!(taken(&registry(&[], &["admin"])), Ok(()));
    }
}
