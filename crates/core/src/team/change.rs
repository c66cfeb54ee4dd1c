//! Changing some settings of a team and keeping the rest.

use std::collections::BTreeSet;

use super::chain::ChainChange;
use super::config::{Rules, Seat, TeamConfig};
use super::formation::Recruit;
use super::parts::Language;
use super::words::{Formation, Role};
use crate::name::Name;

/// What is to change; what is absent stays as it is.
#[derive(Debug, Clone, Default)]
pub struct Change {
    pub project: Option<String>,
    pub language: Option<Language>,
    pub formation: Option<Formation>,
    pub review_required: Option<bool>,
    /// The principal, with the client of one that is new.
    pub principal: Option<Recruit>,
    /// All agents. Seats of those who stay are kept.
    pub agents: Option<Vec<Recruit>>,
    /// Seats and principal of another team, in place of this one's.
    pub roster: Option<TeamConfig>,
    /// The seats of a chain of command.
    pub chain: ChainChange,
}

impl TeamConfig {
    /// This team with a change. It may have faults; the caller asks for them.
    pub fn changed(&self, change: Change) -> Self {
        let mut team = self.clone();
        if let Some(project) = change.project {
            team.project = project;
        }
        if let Some(language) = change.language {
            team.language = language;
        }
        if let Some(formation) = change.formation {
            team.take_formation(formation);
        }
        if let Some(review_required) = change.review_required {
            team.rules.review_required = review_required;
        }
        if let Some(agents) = change.agents {
            team.agents.retain(|name, _| agents.iter().any(|agent| agent.name == *name));
            let role = team.formation.usual_role();
            for agent in agents.into_iter().filter(|agent| !self.agents.contains_key(&agent.name)) {
                team.seat(agent, role);
            }
        }
        if let Some(principal) = change.principal {
            team.take_principal(principal);
        }
        if let Some(roster) = change.roster {
            (team.agents, team.principal) = (roster.agents, roster.principal);
        }
        team.change_chain(change.chain);
        team.drop_lost_superiors();
        team.complete(&BTreeSet::new());
        team
    }

    /// Rules that followed the old formation follow the new one. What a person set stays.
    fn take_formation(&mut self, formation: Formation) {
        if formation == self.formation {
            return;
        }
        let (old, new) = (Rules::of(self.formation), Rules::of(formation));
        let rules = &mut self.rules;
        follow(&mut rules.report_required, &old.report_required, new.report_required);
        follow(&mut rules.wait_allowed, &old.wait_allowed, new.wait_allowed);
        follow(&mut rules.protected_branches, &old.protected_branches, new.protected_branches);
        follow(&mut rules.guards, &old.guards, new.guards);
        follow(&mut rules.may_merge, &old.may_merge, new.may_merge.clone());
        // A role of another formation would be a fault.
        rules.may_merge.retain(|role| formation.roles().contains(role));
        if rules.may_merge.is_empty() {
            rules.may_merge = new.may_merge;
        }
        let principal = self.principal.clone().or_else(|| self.agents.keys().next().cloned());
        let usual = self.formation.usual_role();
        for (name, seat) in &mut self.agents {
            let leads = formation == Formation::Duo && Some(name) == principal.as_ref();
            seat.reports_to = None;
            if leads {
                seat.role = Role::Principal;
            } else if seat.role == usual
                || !formation.roles().contains(&seat.role)
                || seat.role == Role::Principal
            {
                seat.role = formation.usual_role();
            }
        }
        self.principal = principal.filter(|_| formation == Formation::Duo);
        self.formation = formation;
    }

    fn take_principal(&mut self, principal: Recruit) {
        let before = self.principal.replace(principal.name.clone());
        if !self.agents.contains_key(&principal.name) {
            let role = self.formation.usual_role();
            self.seat(principal.clone(), role);
        }
        if self.formation != Formation::Duo {
            return;
        }
        for (name, seat) in &mut self.agents {
            if *name == principal.name {
                (seat.role, seat.reports_to) = (Role::Principal, None);
            } else if seat.role == Role::Principal {
                seat.role = Role::Delegate;
            }
            if seat.reports_to.is_some() && seat.reports_to == before {
                seat.reports_to = Some(principal.name.clone());
            }
        }
    }

    /// Superiors who left, and a principal who did.
    fn drop_lost_superiors(&mut self) {
        let there: BTreeSet<Name> = self.agents.keys().cloned().collect();
        let is_lost = |name: &Option<Name>| name.as_ref().is_some_and(|name| !there.contains(name));
        self.agents.values_mut().filter(|seat| is_lost(&seat.reports_to)).for_each(Seat::without_superior);
        if is_lost(&self.principal) {
            self.principal = None;
        }
    }
}

impl Seat {
    fn without_superior(&mut self) {
        self.reports_to = None;
    }
}

/// Replaces a default by another one.
fn follow<T: PartialEq>(value: &mut T, old: &T, new: T) {
    if *value == *old {
        *value = new;
    }
}
