//! Changing the size and the clients of a chain of command.
//!
//! Owns which seats stay: as many as the new numbers have room for, with everything that was set for them.

use super::config::{Seat, TeamConfig};
use super::words::Role;
use crate::name::{Label, Name};

/// What is to change in a chain of command; what is absent stays as it is.
#[derive(Debug, Clone, Default)]
pub struct ChainChange {
    /// The client of the captain.
    pub captain: Option<Label>,
    /// How many vice captains there are.
    pub vice_captains: Option<Vec<Quota>>,
    /// How many members there are.
    pub members: Option<Vec<Quota>>,
    /// The client of a new seat whose quota names none.
    pub usual: Option<Label>,
}

/// A number of agents of one role.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quota {
    /// Their client; any client when absent.
    pub profile: Option<Label>,
    pub count: u32,
}

impl TeamConfig {
    pub(super) fn change_chain(&mut self, change: ChainChange) {
        let ChainChange { captain, vice_captains, members, usual } = change;
        if let Some(profile) = captain {
            let captains = self.agents.values_mut().filter(|seat| seat.role == Role::Captain);
            captains.for_each(|seat| seat.profile = profile.clone());
        }
        if let Some(quotas) = vice_captains {
            self.fill(Role::ViceCaptain, "vice_captain", quotas, usual.as_ref());
            self.adopt_members();
        }
        if let Some(quotas) = members {
            self.fill(Role::Member, "member", quotas, usual.as_ref());
        }
    }

    /// Keeps the seats of a role that the quotas have room for, removes the others, and adds the missing ones.
    fn fill(&mut self, role: Role, called: &str, mut quotas: Vec<Quota>, usual: Option<&Label>) {
        for name in self.numbered(role) {
            let profile = &self.agents[&name].profile;
            let has_room =
                |quota: &Quota, named: Option<&Label>| quota.count > 0 && quota.profile.as_ref() == named;
            let place = quotas
                .iter()
                .position(|quota| has_room(quota, Some(profile)))
                .or_else(|| quotas.iter().position(|quota| has_room(quota, None)));
            match place {
                Some(at) => quotas[at].count -= 1,
                None => drop(self.agents.remove(&name)),
            }
        }
        for quota in quotas {
            let Some(profile) = quota.profile.or_else(|| usual.cloned()) else { continue };
            for _ in 0..quota.count {
                let name = self.free_name(called);
                let superior = self.superior_of_new(role);
                let seat = Seat { reports_to: superior, ..Seat::new(profile.clone(), role) };
                self.agents.insert(name, seat);
            }
        }
    }

    /// Members whose vice captain left get the one with the fewest members.
    fn adopt_members(&mut self) {
        for name in self.numbered(Role::Member) {
            let superior = self.agents[&name].reports_to.clone();
            if superior.is_none_or(|superior| !self.agents.contains_key(&superior)) {
                let superior = self.superior_of_new(Role::Member);
                if let Some(seat) = self.agents.get_mut(&name) {
                    seat.reports_to = superior;
                }
            }
        }
    }

    /// The captain; for members the vice captain with the fewest of them, where there is one.
    fn superior_of_new(&self, role: Role) -> Option<Name> {
        let load =
            |vice: &Name| self.agents.values().filter(|seat| seat.reports_to.as_ref() == Some(vice)).count();
        let vices = self.numbered(Role::ViceCaptain);
        let vice = vices.into_iter().filter(|_| role == Role::Member).min_by_key(load);
        vice.or_else(|| self.in_role(Role::Captain).next().cloned())
    }

    /// The agents of a role, `member2` before `member10`.
    fn numbered(&self, role: Role) -> Vec<Name> {
        let mut names: Vec<Name> = self.in_role(role).cloned().collect();
        names.sort_by_key(|name| (name.as_str().len(), name.clone()));
        names
    }

    fn free_name(&self, called: &str) -> Name {
        let names = (1_u32..).map(|number| Name::made(format!("{called}{number}")));
        names
            .into_iter()
            .find(|name| !self.agents.contains_key(name))
            .unwrap_or_else(|| Name::made(called.to_owned()))
    }
}
