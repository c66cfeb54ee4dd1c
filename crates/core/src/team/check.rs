//! Whether a team makes sense as a whole: roles, superiors, names that look alike.
//!
//! The checks see typed values only. Where in the file something stands is the reader's knowledge, so a
//! [`Fault`] names its key and nothing more; the same checks therefore serve teams that come from the log.

use std::collections::{BTreeMap, BTreeSet};

use super::config::{Seat, TeamConfig};
use super::words::{Formation, Role};
use super::{limits, values};
use crate::name::Name;
use crate::nearest::nearest;

/// Something in a team that can't be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// Where it stands, such as `agents.kimi.role`.
    pub key: String,
    pub sentence: String,
    pub hint: Option<String>,
}

/// What could not be read, so that nobody is told about its consequences as well.
#[derive(Debug, Default)]
pub(super) struct Unsure {
    pub(super) formation: bool,
    /// An agent, a role or the principal.
    pub(super) roster: bool,
    pub(super) superiors: BTreeSet<Name>,
}

impl TeamConfig {
    /// Everything that is wrong with this team; empty for every team that [`super::parse`] returns.
    pub fn faults(&self) -> Vec<Fault> {
        check(self, &Unsure::default())
    }
}

pub(super) fn check(team: &TeamConfig, unsure: &Unsure) -> Vec<Fault> {
    let mut faults = Faults(Vec::new());
    values::check(team, &mut faults);
    if team.agents.len() > limits::AGENTS_MAX {
        let (count, max) = (team.agents.len(), limits::AGENTS_MAX);
        faults.add("agents", format!("The team has {count} agents; at most {max} are possible."), None);
    }
    lookalikes(team, &mut faults);
    if !(unsure.roster && team.agents.is_empty()) {
        known_principal(team, &mut faults);
    }
    superiors(team, &mut faults);
    cycles(team, &mut faults);
    if !unsure.formation {
        roles(team, &mut faults);
        if !unsure.roster {
            leader(team, &mut faults);
            missing_superiors(team, unsure, &mut faults);
        }
    }
    faults.0
}

/// The faults found so far.
pub(super) struct Faults(Vec<Fault>);

impl Faults {
    pub(super) fn add(&mut self, key: impl Into<String>, sentence: String, hint: Option<String>) {
        self.0.push(Fault { key: key.into(), sentence, hint });
    }
}

/// The key of an agent's table, or of a field in it (`""` for the table), as it is written in TOML.
pub(super) fn seat_key(name: &str, field: &str) -> String {
    let dot = if field.is_empty() { "" } else { "." };
    if name.contains('.') {
        format!("agents.\"{name}\"{dot}{field}")
    } else {
        format!("agents.{name}{dot}{field}")
    }
}

fn names<'a>(names: impl IntoIterator<Item = &'a Name>) -> String {
    let quoted: Vec<String> = names.into_iter().map(|name| format!("`{name}`")).collect();
    quoted.join(", ")
}

fn lookalikes(team: &TeamConfig, faults: &mut Faults) {
    let mut seen: BTreeMap<String, &Name> = BTreeMap::new();
    for name in team.agents.keys() {
        if name.is_operator() {
            let sentence = "`operator` is the human and has no place of its own.".to_owned();
            faults.add(seat_key(name.as_str(), ""), sentence, None);
        }
        if let Some(first) = seen.insert(name.skeleton(), name) {
            let sentence = format!("`{name}` looks like `{first}`, so people would mix them up.");
            let hint = "Give one of them a name that differs in more than look-alike characters.";
            faults.add(seat_key(name.as_str(), ""), sentence, Some(hint.to_owned()));
        }
    }
}

fn roles(team: &TeamConfig, faults: &mut Faults) {
    let formation = team.formation;
    let known: Vec<&str> = formation.roles().iter().map(|role| role.as_str()).collect();
    let hint = format!("The roles of `{formation}` are {}.", known.join(", "));
    for (name, seat) in team.agents.iter().filter(|(_, seat)| !formation.roles().contains(&seat.role)) {
        let sentence = format!("There is no {} in the formation `{formation}`.", seat.role);
        faults.add(seat_key(name.as_str(), "role"), sentence, Some(hint.clone()));
    }
    for role in team.rules.may_merge.iter().filter(|role| !formation.roles().contains(role)) {
        let sentence = format!("There is no {role} in the formation `{formation}`.");
        faults.add("rules.may_merge", sentence, Some(hint.clone()));
    }
}

fn known_principal(team: &TeamConfig, faults: &mut Faults) {
    if let Some(unknown) = team.principal.as_ref().filter(|name| !team.agents.contains_key(*name)) {
        let sentence = format!("The principal `{unknown}` is not among the agents.");
        let hint = match nearest(unknown.as_str(), team.agents.keys().map(Name::as_str)) {
            Some(known) => format!("Did you mean `{known}`?"),
            None => format!("Add a table [agents.{unknown}], or name one of the agents."),
        };
        faults.add("principal", sentence, Some(hint));
    }
}

/// There is exactly one at the top, and it is the principal.
fn leader(team: &TeamConfig, faults: &mut Faults) {
    let principal = team.principal.as_ref().filter(|name| team.agents.contains_key(*name));
    if principal.is_none() && team.principal.is_some() {
        return;
    }
    let Some(top) = team.formation.top_role() else { return };
    let tops: Vec<&Name> = team.in_role(top).collect();
    if tops.len() > 1 {
        for second in &tops[1..] {
            let sentence =
                format!("A team has one {top}, and here are {}: {}.", tops.len(), names(tops.clone()));
            let hint = format!("Give `{second}` another role.");
            faults.add(seat_key(second.as_str(), "role"), sentence, Some(hint));
        }
        return;
    }
    match (tops.first().copied(), principal) {
        (None, _) if team.formation == Formation::Captain => {
            let hint = "Give one agent `role = \"captain\"`.".to_owned();
            faults.add("agents", "The formation `captain` needs a captain.".to_owned(), Some(hint));
        }
        (None, None) if !team.agents.is_empty() => {
            let hint = "Write `principal = \"NAME\"` above the tables.".to_owned();
            faults.add("agents", "Nobody is the principal of this duo.".to_owned(), Some(hint));
        }
        (top_agent, Some(principal)) if top_agent != Some(principal) => {
            let sentence = format!("`{principal}` is the principal of this team, so its role must be {top}.");
            let hint = format!("Give it `role = \"{top}\"`, or name another principal.");
            faults.add("principal", sentence, Some(hint));
        }
        _ => {}
    }
}

fn superiors(team: &TeamConfig, faults: &mut Faults) {
    for (name, seat) in &team.agents {
        let Some(superior) = &seat.reports_to else { continue };
        let key = seat_key(name.as_str(), "reports_to");
        if superior == name {
            faults.add(key, format!("`{name}` reports to itself."), None);
        } else if !team.agents.contains_key(superior) {
            let others = team.agents.keys().filter(|other| *other != name);
            let hint = nearest(superior.as_str(), others.map(Name::as_str));
            let hint = hint.map(|known| format!("Did you mean `{known}`?"));
            faults.add(key, format!("`{name}` reports to `{superior}`, who is not among the agents."), hint);
        } else if team.formation == Formation::Peers {
            let hint = "Remove the line, or choose the formation `duo` or `captain`.".to_owned();
            faults.add(key, "Peers have no superiors.".to_owned(), Some(hint));
        } else if Some(seat.role) == team.formation.top_role() {
            let sentence = format!("The {} reports to nobody in the team.", seat.role);
            faults.add(key, sentence, Some("Remove the line.".to_owned()));
        }
    }
}

fn missing_superiors(team: &TeamConfig, unsure: &Unsure, faults: &mut Faults) {
    if team.formation != Formation::Captain || team.in_role(Role::Captain).count() != 1 {
        return;
    }
    let is_missing = |name: &Name, seat: &Seat| {
        seat.reports_to.is_none() && seat.role != Role::Captain && !unsure.superiors.contains(name)
    };
    for (name, _) in team.agents.iter().filter(|(name, seat)| is_missing(name, seat)) {
        let choice = names(team.in_role(Role::ViceCaptain));
        let sentence = format!("It is not clear who the superior of `{name}` is.");
        let hint = format!("Write `reports_to` with one of {choice}.");
        faults.add(seat_key(name.as_str(), ""), sentence, Some(hint));
    }
}

/// Follows every agent upwards once; each circle is reported once, beginning with its first name. A
/// superior of somebody who can't have one is wrong already, so it closes no circle.
fn cycles(team: &TeamConfig, faults: &mut Faults) {
    if team.formation == Formation::Peers {
        return;
    }
    let top = team.formation.top_role();
    let mut visited: BTreeSet<&Name> = BTreeSet::new();
    for start in team.agents.keys() {
        let mut path: Vec<&Name> = Vec::new();
        let mut next = Some(start);
        while let Some((name, seat)) = next.and_then(|name| team.agents.get_key_value(name)) {
            if let Some(first) = path.iter().position(|passed| *passed == name) {
                report_cycle(&path[first..], faults);
                break;
            }
            if !visited.insert(name) {
                break;
            }
            path.push(name);
            next = seat.reports_to.as_ref().filter(|_| Some(seat.role) != top);
        }
    }
}

fn report_cycle(circle: &[&Name], faults: &mut Faults) {
    let first = (0..circle.len()).min_by_key(|index| circle[*index]).unwrap_or(0);
    let (Some(start), true) = (circle.get(first), circle.len() > 1) else { return };
    let around = circle.iter().cycle().skip(first).take(circle.len() + 1);
    let shown: Vec<&str> = around.map(|name| name.as_str()).collect();
    let sentence = format!("These agents report to each other in a circle: {}.", shown.join(" -> "));
    let hint = "Somebody among them must report to an agent outside of the circle.".to_owned();
    faults.add(seat_key(start.as_str(), "reports_to"), sentence, Some(hint));
}
