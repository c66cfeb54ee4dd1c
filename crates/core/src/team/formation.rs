//! Default teams, and what follows in a formation when the file leaves it out.

use std::collections::BTreeSet;

use super::config::{Seat, TeamConfig};
use super::parts::Capability;
use super::words::{Formation, Role};
use crate::name::{Label, Name};

/// What the two usual profiles are good at.
const CAPABILITIES: [(&str, [&str; 5]); 2] = [
    ("claude", ["architecture design", "system design", "code review", "documentation", "security analysis"]),
    ("kimi", ["implementation", "code refactoring", "performance optimization", "testing", "tool use"]),
];

/// Somebody who is given a place in a default team.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recruit {
    pub name: Name,
    pub profile: Label,
}

/// So many agents of one kind of client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contingent {
    pub profile: Label,
    pub count: u32,
}

impl Contingent {
    /// The profile of each agent, of different ones in turn: whoever shares them out mixes them.
    fn mixed(contingents: &[Self]) -> Vec<&Label> {
        let most = contingents.iter().map(|contingent| contingent.count).max().unwrap_or_default();
        let round = |number| contingents.iter().filter(move |contingent| contingent.count > number);
        (0..most).flat_map(round).map(|contingent| &contingent.profile).collect()
    }
}

impl Recruit {
    fn named_like_profile(profile: &str) -> Self {
        Self { name: Name::made(profile.to_owned()), profile: Label::made(profile) }
    }
}

impl TeamConfig {
    /// Claude decides, Kimi implements.
    pub fn usual_duo(project: &str) -> Self {
        let [principal, delegate] = ["claude", "kimi"].map(Recruit::named_like_profile);
        Self::duo(project, principal, [delegate])
    }

    /// One principal and its delegates. An agent with the principal's name is the principal.
    pub fn duo(project: &str, principal: Recruit, agents: impl IntoIterator<Item = Recruit>) -> Self {
        let mut team = Self::empty(project.to_owned(), Formation::Duo);
        agents.into_iter().for_each(|agent| team.seat(agent, Role::Delegate));
        team.principal = Some(principal.name.clone());
        team.seat(principal, Role::Principal);
        team.complete(&BTreeSet::new());
        team
    }

    /// Equals.
    pub fn peers(project: &str, agents: impl IntoIterator<Item = Recruit>) -> Self {
        let mut team = Self::empty(project.to_owned(), Formation::Peers);
        agents.into_iter().for_each(|agent| team.seat(agent, Role::Collaborator));
        team
    }

    /// One captain, one vice captain and eight members.
    pub fn usual_captain(project: &str) -> Self {
        Self::captain(project, &Label::made("claude"), 1, 8)
    }

    /// The same client for everybody: a captain, `vice_captains` below it, and `members`.
    pub fn captain(project: &str, profile: &Label, vice_captains: u32, members: u32) -> Self {
        let all_alike = |count| [Contingent { profile: profile.clone(), count }];
        Self::mixed_captain(project, profile, &all_alike(vice_captains), &all_alike(members))
    }

    /// A captain, vice captains below it, and members shared out evenly among those (or below the captain, where there
    /// are none). Ask [`TeamConfig::faults`] when the numbers come from outside.
    pub fn mixed_captain(
        project: &str,
        captain: &Label,
        vice_captains: &[Contingent],
        members: &[Contingent],
    ) -> Self {
        let mut team = Self::empty(project.to_owned(), Formation::Captain);
        let mut enlist = |name: String, profile: &Label, role: Role, reports_to: Option<&Name>| {
            let name = Name::made(name);
            let seat = Seat { reports_to: reports_to.cloned(), ..Seat::new(profile.clone(), role) };
            team.agents.insert(name.clone(), seat);
            name
        };
        let captain = enlist("captain".to_owned(), captain, Role::Captain, None);
        let squads: Vec<Name> = (1..)
            .zip(Contingent::mixed(vice_captains))
            .map(|(number, profile): (u32, _)| {
                enlist(format!("vice_captain{number}"), profile, Role::ViceCaptain, Some(&captain))
            })
            .collect();
        let members = Contingent::mixed(members);
        for (number, profile) in members.iter().enumerate() {
            let superior = squads.get(number * squads.len() / members.len()).unwrap_or(&captain);
            enlist(format!("member{}", number + 1), profile, Role::Member, Some(superior));
        }
        team.principal = Some(captain);
        team
    }

    /// Gives every agent of a role a git worktree of its own below a directory, called like the agent.
    pub fn give_worktrees(&mut self, role: Role, below: &str) {
        for (name, seat) in self.agents.iter_mut().filter(|(_, seat)| seat.role == role) {
            seat.worktree = Some(format!("{below}/{name}"));
        }
    }

    pub(super) fn seat(&mut self, recruit: Recruit, role: Role) {
        let mut seat = Seat::new(recruit.profile, role);
        let known = CAPABILITIES.iter().find(|(profile, _)| *profile == seat.profile.as_str());
        if let Some((_, capabilities)) = known {
            seat.capabilities =
                capabilities.iter().filter_map(|words| Capability::parse(words).ok()).collect();
        }
        self.agents.insert(recruit.name, seat);
    }

    /// Fills in the principal and the superiors that follow from the roles; doing it twice changes nothing.
    /// The agents in `unsure` said something about their superior that could not be read.
    pub(super) fn complete(&mut self, unsure: &BTreeSet<Name>) {
        if self.principal.is_none() {
            self.principal = self.formation.top_role().and_then(|role| self.only_one_in(role)).cloned();
        }
        let missing: Vec<(Name, Option<Name>)> = self
            .agents
            .iter()
            .filter(|(name, seat)| seat.reports_to.is_none() && !unsure.contains(*name))
            .map(|(name, seat)| (name.clone(), self.obvious_superior(name, seat.role).cloned()))
            .collect();
        for (name, superior) in missing {
            if let Some(seat) = self.agents.get_mut(&name) {
                seat.reports_to = superior;
            }
        }
    }

    /// The one agent that can only be meant; none where there is no superior, or a choice.
    fn obvious_superior(&self, name: &Name, role: Role) -> Option<&Name> {
        match (self.formation, role) {
            (Formation::Duo, Role::Principal) | (Formation::Peers, _) => None,
            (Formation::Duo, _) => {
                let possible = |principal: &&Name| *principal != name && self.agents.contains_key(*principal);
                self.principal.as_ref().filter(possible)
            }
            (Formation::Captain, Role::Member) if self.in_role(Role::ViceCaptain).next().is_some() => {
                self.only_one_in(Role::ViceCaptain)
            }
            (Formation::Captain, Role::Member | Role::ViceCaptain) => self.only_one_in(Role::Captain),
            (Formation::Captain, _) => None,
        }
    }

    fn only_one_in(&self, role: Role) -> Option<&Name> {
        let mut names = self.in_role(role);
        let first = names.next();
        if names.next().is_some() { None } else { first }
    }
}
