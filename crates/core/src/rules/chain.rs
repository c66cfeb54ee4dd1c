//! The chain of command: who may write to whom, give work to whom and control whom, and the way that is open instead.
//!
//! Words go one step up or down, or to those with the same superior; work and control go down only. No mail goes to a
//! captain, and nobody but a captain writes to the operator. Every refusal ends with a command that is allowed.

use super::{is_above, is_captain, seat_role, superior};
use crate::entity::Agent;
use crate::name::Name;
use crate::refusal::Refusal;
use crate::team::{Formation, Role, TeamConfig};
use crate::vocabulary::Intent;

fn refused(sentence: String, hint: String) -> Refusal {
    Refusal::rule("chain_of_command", sentence).hint(hint)
}

/// The chain of command, where the team has one.
fn chain(team: Option<&TeamConfig>) -> Option<&TeamConfig> {
    team.filter(|team| team.formation == Formation::Captain)
}

/// May this member write to that one with this intent?
pub fn may_message(
    team: Option<&TeamConfig>,
    from: &Agent,
    to: &Agent,
    intent: Intent,
) -> Result<(), Refusal> {
    if intent == Intent::Control {
        return may_control(team, from, to);
    }
    let Some(team) = chain(team) else { return Ok(()) };
    if from.is_human() {
        return Ok(());
    }
    if intent == Intent::Delegation && !to.is_human() && from.name != to.name {
        return may_assign(Some(team), from, to);
    }
    if to.is_human() {
        return match seat_role(team, from) {
            // Who has no seat has no superior either.
            Some(Role::Captain) | None => Ok(()),
            Some(_) => Err(refused(
                format!("{} does not write to the operator: matters go up the chain", from.name),
                way_up(team, from),
            )),
        };
    }
    let Some(to_role) = seat_role(team, to) else { return Ok(()) };
    if to_role == Role::Captain {
        return Err(refused(
            format!("no mail goes to {}: it would interrupt the operator's typing", to.name),
            way_up(team, from),
        ));
    }
    if from.name == to.name || is_near(team, &from.name, &to.name) {
        return Ok(());
    }
    Err(refused(
        format!("{} may not write to {}: the chain of command goes one step at a time", from.name, to.name),
        way_towards(team, from, to),
    ))
}

/// One step up or down, or beside: whom a member writes to. A captain is near to nobody.
fn is_near(team: &TeamConfig, from: &Name, to: &Name) -> bool {
    if is_captain(Some(team), to) {
        return false;
    }
    let (up, theirs) = (superior(team, from), superior(team, to));
    theirs == Some(from) || up == Some(to) || (up.is_some() && up == theirs)
}

/// Where a member turns with what it may not say to whom it meant.
fn way_up(team: &TeamConfig, from: &Agent) -> String {
    match superior(team, &from.name) {
        // A report would need a task; a status needs nothing, and stands on the dashboard until it is another one.
        Some(up) if is_captain(Some(team), up) => {
            format!("say it on the dashboard, where {up} looks: interagent status set waiting TEXT")
        }
        Some(up) => format!("write to {up}, your superior: interagent send --to {up} -m TEXT"),
        None if seat_role(team, from).is_some() => {
            "end your turn: the operator reads what you write".to_owned()
        }
        None => {
            "you have no seat in this team; ask for one: interagent send --to operator -m TEXT".to_owned()
        }
    }
}

/// Where a member asks for what that one may do: itself, where it may be written to.
pub fn way_to(team: Option<&TeamConfig>, from: &Agent, name: &Name) -> String {
    way_to_called(team, from, name, name.as_str())
}

/// Like `way_to`, for a member whose display name includes its replica.
pub fn way_to_called(team: Option<&TeamConfig>, from: &Agent, name: &Name, shown: &str) -> String {
    match chain(team).filter(|team| !is_near(team, &from.name, name)) {
        Some(team) => way_up(team, from),
        None => format!("ask: interagent send --to {shown} -m TEXT"),
    }
}

/// Where a member asks for what only the operator may do.
pub fn way_to_operator(team: Option<&TeamConfig>, from: &Agent) -> String {
    match chain(team).filter(|team| superior(team, &from.name).is_some()) {
        Some(team) => way_up(team, from),
        None => "ask: interagent send --to operator -m TEXT".to_owned(),
    }
}

/// The command that only the operator runs, and where a member asks for it.
pub fn operator_runs(team: Option<&TeamConfig>, from: &Agent, command: &str) -> String {
    format!("the operator runs `{command}`; {}", way_to_operator(team, from))
}

/// Who of those above somebody can be written to, the nearest first.
fn leader_near<'t>(team: &'t TeamConfig, from: &Name, to: &Name) -> Option<&'t Name> {
    let above = std::iter::successors(superior(team, to), |name| superior(team, name));
    // The team file refuses cycles; the bound is the number of seats.
    above.take(team.agents.len()).find(|name| is_near(team, from, name))
}

fn way_towards(team: &TeamConfig, from: &Agent, to: &Agent) -> String {
    match leader_near(team, &from.name, &to.name) {
        Some(lead) => format!("write to {lead}, who leads {}: interagent send --to {lead} -m TEXT", to.name),
        None => way_up(team, from),
    }
}

/// May this member have that one's session cleared, changed, stopped or resumed?
fn may_control(team: Option<&TeamConfig>, from: &Agent, to: &Agent) -> Result<(), Refusal> {
    let leads = team.is_some_and(|team| match team.formation {
        Formation::Captain => is_above(team, &from.name, &to.name),
        Formation::Duo => seat_role(team, from) == Some(Role::Principal) && from.name != to.name,
        Formation::Peers => false,
    });
    if from.is_human() || leads {
        return Ok(());
    }
    let hint = match chain(team) {
        None => format!("ask for it: interagent send --to {} --intent question -m TEXT", to.name),
        Some(team) => match leader_near(team, &from.name, &to.name) {
            Some(lead) if from.name != to.name => {
                format!("ask {lead}: interagent send --to {lead} --intent question -m TEXT")
            }
            _ => way_up(team, from),
        },
    };
    let sentence = format!("only the superior of {} or the operator may control it", to.name);
    Err(Refusal::rule("control_needs_superior", sentence).hint(hint))
}

/// May this member give work to that one?
pub fn may_assign(team: Option<&TeamConfig>, from: &Agent, to: &Agent) -> Result<(), Refusal> {
    let Some(team) = chain(team) else { return Ok(()) };
    let lead = superior(team, &to.name);
    if from.is_human() || lead == Some(&from.name) {
        return Ok(());
    }
    let hint = match (lead, leader_near(team, &from.name, &to.name)) {
        (_, Some(near)) if is_above(team, &from.name, near) => {
            format!("give it to {near}, who leads {}: interagent delegate --to {near} --task TEXT", to.name)
        }
        (Some(lead), Some(near)) => {
            format!(
                "{lead} assigns work to {}; ask: interagent send --to {near} --intent question -m TEXT",
                to.name
            )
        }
        (Some(lead), None) => format!("{lead} assigns work to {}; {}", to.name, way_up(team, from)),
        (None, _) => format!("the operator assigns work to {}; {}", to.name, way_up(team, from)),
    };
    Err(refused(format!("{} may not assign work to {}", from.name, to.name), hint))
}

/// To whom a matter goes when this member can't go on: a superior's name, or the operator.
pub fn escalates_to<'a>(team: Option<&'a TeamConfig>, member: &Name) -> Option<&'a Name> {
    let team = chain(team)?;
    // No mail goes to a captain: what reaches that far is the operator's.
    superior(team, member).filter(|up| !is_captain(Some(team), up))
}
