//! Routing: who should get a task that names nobody. Path ownership first, then capability, then load, then liveness.
//!
//! Pure: given who is there and what the task says, it answers with everybody in order and the reasons in sentences. The
//! same candidates and the same words give the same order, whatever order they came in. It never proposes a person, an
//! agent of another replica, one that takes part no longer, or one the caller may not give work to.

mod aim;
mod guess;
#[cfg(test)]
mod tests;

use std::cmp::Reverse;

use crate::entity::Agent;
use crate::refusal::Refusal;
use crate::rules;
use crate::team::TeamConfig;
use crate::vocabulary::AgentState;

pub use aim::{Aim, aim};
use guess::guess;

/// The code of the refusal where nobody is good at what was asked for.
const NOBODY_FITS: &str = "nobody_fits";

/// Where an agent lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Home {
    /// At this replica.
    Here,
    /// At another: this one can't wake it.
    Elsewhere,
}

/// What was observed of an agent's client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Presence {
    /// A session that waits for a prompt.
    Idle,
    /// A session in a turn.
    Busy,
    /// No session is known.
    Unknown,
}

/// Somebody who could get the task. What the team file says of it stands in its seat, which `agent` carries.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The agent: name, capabilities, owned paths, status.
    pub agent: Agent,
    /// Its name as shown here.
    pub shown: String,
    /// Where it lives.
    pub home: Home,
    /// What it has still to do.
    pub open_tasks: u32,
    /// What was observed of it.
    pub presence: Presence,
}

impl Candidate {
    /// Whether it can be proposed at all.
    fn is_possible(&self) -> bool {
        self.home == Home::Here && self.agent.retired.is_none() && !self.agent.is_human()
    }
}

/// What the task says of who should do it.
#[derive(Clone, Debug, Default)]
pub struct Wanted<'a> {
    /// What it needs somebody to be good at.
    pub capability: Option<&'a str>,
    /// The files it is about.
    pub files: &'a [String],
    /// One line.
    pub title: &'a str,
    /// Markdown.
    pub description: &'a str,
}

/// One agent's place in the order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Which candidate, by its place in the list that was given.
    pub candidate: usize,
    /// Why it can't get the task, if it can't.
    pub against: Option<Refusal>,
    /// Why it stands where it stands, most important first.
    pub reasons: Vec<String>,
}

/// Everybody in order, best first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ranking {
    /// What the words of the task were taken to mean, in sentences.
    pub guesses: Vec<String>,
    /// What was looked for, said or guessed.
    pub capability: Option<String>,
    /// Everybody who was looked at.
    pub places: Vec<Place>,
}

impl Ranking {
    /// The one who should get it.
    pub fn best(&self) -> Option<&Place> {
        self.places.first().filter(|place| place.against.is_none())
    }
}

/// How well somebody fits; the smallest is best.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    refused: bool,
    owned: Reverse<usize>,
    skill: Skill,
    away: bool,
    own_task: bool,
    open_tasks: u32,
    presence: Presence,
    name: String,
}

/// Whether somebody is good at what is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Skill {
    /// It says so.
    Has,
    /// Nothing is said of what it is good at, so it may be anything.
    Unsaid,
    /// It is good at other things.
    Other,
}

/// Puts everybody in order for a task that `from` gives. What the task aims at was worked out before: this is done in the
/// writers' turn, and compares no words.
pub fn rank(team: Option<&TeamConfig>, from: &Agent, candidates: &[Candidate], aim: &Aim) -> Ranking {
    let mut ranked: Vec<(Rank, Place)> = candidates
        .iter()
        .enumerate()
        .filter(|(_, candidate)| candidate.is_possible())
        .map(|(at, candidate)| place(team, from, at, candidate, aim))
        .collect();
    ranked.sort_by(|(a, _), (b, _)| a.cmp(b));
    Ranking {
        guesses: aim.guesses.clone(),
        capability: aim.capability.clone(),
        places: ranked.into_iter().map(|(_, place)| place).collect(),
    }
}

fn place(
    team: Option<&TeamConfig>,
    from: &Agent,
    at: usize,
    candidate: &Candidate,
    aim: &Aim,
) -> (Rank, Place) {
    let Candidate { agent, shown, open_tasks, presence, .. } = candidate;
    let mut reasons = Vec::new();
    let owned = aim.owned_by(agent);
    if let Some(first) = owned.first() {
        let more = if owned.len() > 1 { format!(" and {} more", owned.len() - 1) } else { String::new() };
        reasons.push(format!("it owns {first}{more}"));
    }
    let skill = skill(agent, aim.capability.as_deref());
    if let Some(wanted) = aim.capability.as_deref().map(in_words) {
        reasons.push(match skill {
            Skill::Has => format!("it is good at {wanted}"),
            Skill::Unsaid => format!("nothing is said of what it is good at, so {wanted} may be"),
            Skill::Other => format!("{wanted} is not what it is good at"),
        });
    }
    let away = agent.status.as_ref().is_some_and(|status| status.state == AgentState::Offline);
    if away {
        reasons.push("it says it is offline".to_owned());
    }
    let own_task = agent.id == from.id;
    if own_task {
        reasons.push("it gives the task itself".to_owned());
    }
    reasons.push(match open_tasks {
        0 => "it has nothing else to do".to_owned(),
        1 => "it has 1 open task".to_owned(),
        n => format!("it has {n} open tasks"),
    });
    reasons.push(match presence {
        Presence::Idle => "its session is idle".to_owned(),
        Presence::Busy => "its session is busy".to_owned(),
        Presence::Unknown => "no session of it is known".to_owned(),
    });
    let against = rules::may_assign(team, from, agent).err().or_else(|| {
        let wanted = aim.capability.as_ref().filter(|_| aim.strict && skill == Skill::Other)?;
        Some(nobody_fits(wanted))
    });
    if let Some(refusal) = against.as_ref().filter(|refusal| refusal.code != NOBODY_FITS) {
        reasons.insert(0, refusal.sentence.clone());
    }
    let rank = Rank {
        refused: against.is_some(),
        owned: Reverse(owned.len()),
        skill,
        away,
        own_task,
        open_tasks: *open_tasks,
        presence: *presence,
        name: shown.clone(),
    };
    (rank, Place { candidate: at, against, reasons })
}

/// A capability as people say it.
fn in_words(capability: &str) -> String {
    capability.replace('_', " ")
}

fn skill(agent: &Agent, wanted: Option<&str>) -> Skill {
    match wanted {
        None => Skill::Has,
        Some(_) if agent.capabilities.is_empty() => Skill::Unsaid,
        Some(wanted) if agent.capabilities.iter().any(|has| has == wanted) => Skill::Has,
        Some(_) => Skill::Other,
    }
}

/// The one who should get the task, or why there is nobody.
pub fn choose(ranking: &Ranking) -> Result<&Place, Refusal> {
    if let Some(best) = ranking.best() {
        return Ok(best);
    }
    // Who may not get it is further away from getting it than who is only not good at it.
    let reasons = || ranking.places.iter().filter_map(|place| place.against.as_ref());
    let nearest = reasons().find(|refusal| refusal.code == NOBODY_FITS).or_else(|| reasons().next());
    Err(nearest.cloned().unwrap_or_else(|| {
        Refusal::not_found("nobody", "there is no agent here who could get the task")
            .hint("interagent agent register NAME, or list agents in team.toml and run interagent team take")
    }))
}

fn nobody_fits(wanted: &str) -> Refusal {
    Refusal::rule(NOBODY_FITS, format!("nobody whom you may give work to is good at {}", in_words(wanted)))
        .hint("name one with --to NAME; interagent agent list shows who is there")
}

/// The choice in one line: whom and why.
pub fn sentence(ranking: &Ranking, place: &Place, candidates: &[Candidate]) -> String {
    let shown = &candidates[place.candidate].shown;
    let guesses = ranking.guesses.iter().map(|guess| format!(" ({guess})")).collect::<String>();
    format!("Routed to {shown}: {}{guesses}.", place.reasons.join(", "))
}
