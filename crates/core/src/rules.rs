//! Who may do what to whom: the team's rules as questions with a refusal for an answer.
//!
//! Rules are decided from the team as it was last taken in, never from a file. A hub without a team file has no rules
//! but the ones that protect the record: nobody approves their own work, and nobody controls somebody else's agent.

mod chain;
mod names;
mod reading;
#[cfg(test)]
mod tests;

pub use chain::{
    escalates_to, may_assign, may_message, operator_runs, way_to, way_to_called, way_to_operator,
};
pub use names::ForeignNames;
pub use reading::{WorkRelation, may_read_about_work, may_read_work, reads_about_work, reads_work};

use crate::entity::Agent;
use crate::name::Name;
use crate::refusal::Refusal;
use crate::team::{Formation, Role, TeamConfig};
use crate::vocabulary::{Auth, Intent};

/// Whether the operator decided where the rules gave the word to somebody else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judged {
    /// By somebody the rules name.
    ByRule,
    /// By the operator, over the rules.
    Overruled,
}

fn seat_role(team: &TeamConfig, agent: &Agent) -> Option<Role> {
    team.agents.get(&agent.name).map(|seat| seat.role).or(agent.role)
}

/// The superior the team gives an agent.
pub fn superior<'a>(team: &'a TeamConfig, name: &Name) -> Option<&'a Name> {
    team.agents.get(name)?.reports_to.as_ref()
}

/// The superior of an agent, where there is a team.
pub fn superior_of<'a>(team: Option<&'a TeamConfig>, name: &Name) -> Option<&'a Name> {
    superior(team?, name)
}

/// Whether the team makes this agent its captain.
pub fn is_captain(team: Option<&TeamConfig>, name: &Name) -> bool {
    team.and_then(|team| team.agents.get(name)).is_some_and(|seat| seat.role == Role::Captain)
}

/// Whether `above` stands above `below`, at any distance.
pub fn is_above(team: &TeamConfig, above: &Name, below: &Name) -> bool {
    let mut at = below;
    // The team file refuses cycles; the bound is the number of seats.
    for _ in 0..=team.agents.len() {
        match superior(team, at) {
            Some(up) if up == above => return true,
            Some(up) => at = up,
            None => return false,
        }
    }
    false
}

/// May a caller who is known in this way be shown that one's token?
///
/// Whoever shows the operator's speaks with a person's authority, so a person has to be there when it is handed out.
pub fn may_see_token(auth: Auth, of: &Agent) -> Result<(), Refusal> {
    if !of.is_human() || auth == Auth::Terminal {
        return Ok(());
    }
    let sentence = "the operator's token is for a person at a terminal, and nothing here proves one";
    Err(Refusal::rule("not_at_a_terminal", sentence)
        .hint("run it yourself in a terminal, without INTERAGENT_AGENT"))
}

/// May this member change or take away that one's token?
pub fn may_handle_token(team: Option<&TeamConfig>, actor: &Agent, of: &Agent) -> Result<(), Refusal> {
    if actor.id == of.id || (actor.is_human() && !of.is_human()) {
        return Ok(());
    }
    Err(Refusal::rule("not_yours", format!("the token of {} is no business of {}", of.name, actor.name))
        .hint(operator_runs(team, actor, &format!("interagent agent token {}", of.name))))
}

/// Why a member may not judge its own work.
pub const OWN_WORK: &str = "you did this work, so you can't judge it";

/// May this member pass judgement on work of that one?
pub fn may_judge(
    team: Option<&TeamConfig>,
    judge: &Agent,
    worker: &Agent,
    names: &ForeignNames,
) -> Result<Judged, Refusal> {
    let by_rule = match team {
        None => !judge.is_human(),
        Some(team) => match team.formation {
            Formation::Peers => !judge.is_human(),
            Formation::Duo => matches!(seat_role(team, judge), Some(Role::Principal | Role::Reviewer)),
            Formation::Captain => is_above(team, &judge.name, &worker.name),
        },
    };
    if judge.is_human() {
        // Who did the work themselves overrule, too: nobody else looked at it.
        let other_person = worker.is_human() && worker.id != judge.id;
        return Ok(if by_rule || other_person { Judged::ByRule } else { Judged::Overruled });
    }
    if judge.id == worker.id {
        return Err(Refusal::rule("own_work", OWN_WORK).hint(judges(team, judge, worker)));
    }
    if by_rule {
        return Ok(Judged::ByRule);
    }
    let sentence = format!("{} may not judge work of {}", names.called(judge), names.called(worker));
    Err(Refusal::rule("not_the_judge", sentence).hint(judges(team, judge, worker)))
}

/// Whether completed work counts as approved only after a verdict: where a review is required, and in a chain of command.
pub fn approval_needs_verdict(team: Option<&TeamConfig>) -> bool {
    team.is_some_and(|team| team.rules.review_required || team.formation == Formation::Captain)
}

/// Whether every other agent may approve work, so that none of them owes it: among peers, unless a review is required.
pub fn anybody_may_approve(team: Option<&TeamConfig>) -> bool {
    team.is_none_or(|team| team.formation == Formation::Peers && !team.rules.review_required)
}

/// May this member change what a task asks for, or give it to somebody else? Who gave it may, who leads the worker (or the
/// giver, while it is nobody's), and a person.
pub fn may_direct(
    team: Option<&TeamConfig>,
    member: &Agent,
    giver: Option<&Agent>,
    worker: Option<&Agent>,
    names: &ForeignNames,
) -> Result<(), Refusal> {
    let gave_it = giver.is_some_and(|giver| giver.id == member.id);
    let led = worker.or(giver);
    let leads = team.is_some_and(|team| match team.formation {
        Formation::Duo => seat_role(team, member) == Some(Role::Principal),
        Formation::Captain => led.is_some_and(|led| is_above(team, &member.name, &led.name)),
        Formation::Peers => false,
    });
    if gave_it || leads || member.is_human() {
        return Ok(());
    }
    let asked = giver.filter(|giver| !giver.is_human());
    // Each name with its display form: the assigner may belong to another replica.
    let mut named: Vec<(&Name, &str)> =
        asked.map(|giver| (&giver.name, names.called(giver))).into_iter().collect();
    if let Some(team) = team {
        let of_team = |name| (name, Name::as_str(name));
        match team.formation {
            Formation::Duo => named.extend(team.in_role(Role::Principal).map(of_team)),
            Formation::Captain => named.extend(led.and_then(|led| superior(team, &led.name)).map(of_team)),
            Formation::Peers => {}
        }
    }
    let way = named.first().map_or_else(
        || way_to_operator(team, member),
        |(name, shown)| way_to_called(team, member, name, shown),
    );
    let mut who: Vec<&str> = Vec::with_capacity(named.len() + 1);
    for shown in named.into_iter().map(|(_, shown)| shown).chain(["the operator"]) {
        if !who.contains(&shown) {
            who.push(shown);
        }
    }
    let who = who.join(" or ");
    Err(Refusal::rule("not_yours", format!("{who} may do that, not {}", names.called(member))).hint(way))
}

/// Who judges in this one's place, and how to ask.
fn judges(team: Option<&TeamConfig>, asker: &Agent, worker: &Agent) -> String {
    let named: Vec<&Name> = match team {
        Some(team) => match team.formation {
            Formation::Duo => {
                let both = team.in_role(Role::Principal).chain(team.in_role(Role::Reviewer));
                both.filter(|name| **name != worker.name).collect()
            }
            Formation::Captain => superior(team, &worker.name).into_iter().collect(),
            Formation::Peers => Vec::new(),
        },
        None => Vec::new(),
    };
    let anybody = team.is_none_or(|team| team.formation == Formation::Peers);
    let names: Vec<&str> = named.iter().map(|name| name.as_str()).collect();
    match named.first() {
        None if anybody => "another agent judges it; ask: interagent send --to NAME -m TEXT".to_owned(),
        // A worker can do no more about it than ask.
        None if asker.id == worker.id => way_to_operator(team, asker),
        None => format!("only the operator may judge it; {}", way_to_operator(team, asker)),
        Some(first) => format!("{} judges it; {}", names.join(" or "), way_to(team, asker, first)),
    }
}

/// Who is asked for a verdict when work of this member is complete: names, most fitting first.
pub fn reviewers(team: &TeamConfig, worker: &Name) -> Vec<Name> {
    let fitting: Vec<Name> = match team.formation {
        Formation::Duo => {
            let reviewers: Vec<Name> =
                team.in_role(Role::Reviewer).filter(|n| *n != worker).cloned().collect();
            if reviewers.is_empty() {
                team.in_role(Role::Principal).filter(|n| *n != worker).cloned().collect()
            } else {
                reviewers
            }
        }
        Formation::Captain => superior(team, worker).cloned().into_iter().collect(),
        Formation::Peers => team.agents.keys().filter(|n| *n != worker).cloned().collect(),
    };
    fitting
}

/// May this member end a discussion that `opener` began?
pub fn may_decide(team: Option<&TeamConfig>, member: &Agent, opener: &Agent) -> Result<(), Refusal> {
    let (by_rule, who) = match team.map(|team| (team, team.formation)) {
        Some((team, Formation::Duo)) => (seat_role(team, member) == Some(Role::Principal), "the principal"),
        Some((team, Formation::Captain)) => {
            (member.id == opener.id || is_above(team, &member.name, &opener.name), "its opener or a superior")
        }
        Some((_, Formation::Peers)) | None => (member.id == opener.id, "its opener"),
    };
    if by_rule || member.is_human() {
        return Ok(());
    }
    Err(Refusal::rule("not_the_decider", format!("{who} decides this, not {}", member.name)).hint(format!(
        "take a position instead, or have the operator decide; {}",
        way_to_operator(team, member)
    )))
}

/// Which of these agents are asked for a position where the opener names nobody. In a chain of command those the opener
/// leads, or, where it leads nobody, those it may write to; the operator asks the captain. Elsewhere everybody.
pub fn asked_by_default<'a>(
    team: Option<&TeamConfig>,
    opener: &Agent,
    agents: &'a [Agent],
) -> Vec<&'a Agent> {
    let takes_part = |agent: &&Agent| agent.id != opener.id && !agent.is_human() && agent.retired.is_none();
    let others: Vec<&Agent> = agents.iter().filter(takes_part).collect();
    let Some(team) = team.filter(|team| team.formation == Formation::Captain) else { return others };
    let only = |is_asked: &dyn Fn(&Agent) -> bool| -> Vec<&'a Agent> {
        others.iter().copied().filter(|agent| is_asked(agent)).collect()
    };
    if opener.is_human() {
        return only(&|agent| is_captain(Some(team), &agent.name));
    }
    let led = only(&|agent| superior(team, &agent.name) == Some(&opener.name));
    if !led.is_empty() {
        return led;
    }
    only(&|agent| chain::may_message(Some(team), opener, agent, Intent::Discussion).is_ok())
}

/// The agents who may decide a question, besides its opener.
pub fn deciders<'a>(team: Option<&TeamConfig>, agents: &'a [Agent]) -> Vec<&'a Agent> {
    let is_principal = |agent: &&Agent| {
        let duo = team.filter(|team| team.formation == Formation::Duo);
        duo.is_some_and(|team| seat_role(team, agent) == Some(Role::Principal)) && agent.retired.is_none()
    };
    agents.iter().filter(is_principal).collect()
}

/// The member who has to decide a question once everybody who was asked has answered: its opener where it may, otherwise the
/// one whom the formation names. Nobody where that is a captain, whom no mail obliges.
pub fn must_decide<'a>(
    team: Option<&TeamConfig>,
    opener: Option<&'a Agent>,
    agents: &'a [Agent],
) -> Option<&'a Agent> {
    let opener = opener.filter(|opener| opener.retired.is_none() && may_decide(team, opener, opener).is_ok());
    let decider = opener.or_else(|| deciders(team, agents).into_iter().next());
    decider.filter(|decider| !is_captain(team, &decider.name))
}

/// Seats of the team whose agent takes part no longer, or never did. `there` are the names of those who take part here.
pub fn empty_seats<'t>(team: &'t TeamConfig, there: &[Name]) -> Vec<(&'t Name, Role)> {
    let empty = team.agents.iter().filter(|(name, _)| !there.contains(name));
    empty.map(|(name, seat)| (name, seat.role)).collect()
}

/// The same in a sentence, with what helps; nothing where every seat is taken. `renamed` are earlier names of those who take
/// part, each with the name of now.
pub fn empty_seats_told(
    team: &TeamConfig,
    there: &[Name],
    renamed: &[(Name, Name)],
) -> Option<(String, String)> {
    let (mut told, mut helps, mut gone) = (Vec::new(), Vec::new(), Vec::new());
    for (seat, role) in empty_seats(team, there) {
        match renamed.iter().find(|(before, now)| before == seat && !team.agents.contains_key(now)) {
            Some((_, now)) => {
                told.push(format!("team.toml still says {seat}, and that agent is now called {now}"));
                helps.push(format!("write {now} in place of {seat} in team.toml"));
            }
            None => gone.push(format!("{seat} ({role})")),
        }
    }
    match (gone.as_slice(), told.is_empty()) {
        ([], true) => return None,
        ([], false) => helps.push("then run: interagent team take".to_owned()),
        ([one], _) => told.push(format!("the seat of {one} is empty: it takes part no longer")),
        (several, _) => {
            told.push(format!("the seats of {} are empty: they take part no longer", several.join(", ")));
        }
    }
    if !gone.is_empty() {
        helps.push(
            "interagent team take registers them again; or remove them from team.toml first".to_owned(),
        );
    }
    Some((told.join("; "), helps.join(", ")))
}

/// May this member sit and wait for mail? In a chain of command a turn ends instead, and mail begins the next one.
pub fn may_wait(team: Option<&TeamConfig>, member: &Agent) -> Result<(), Refusal> {
    if member.is_human() || team.is_none_or(|team| team.rules.wait_allowed) {
        return Ok(());
    }
    Err(Refusal::rule(
        "F004",
        format!("{} may not wait in this team: nobody is blocked in the foreground", member.name),
    )
    .hint("end your turn; mail wakes you"))
}
