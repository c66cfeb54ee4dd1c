//! How soon somebody sees what was sent: from sessions, signs of life and waiters. What follows for the sender is a note,
//! what follows for the machine a wake.

use std::collections::BTreeSet;
use std::path::Path;

use interagent_core::entity::Agent;
use interagent_core::event::Fact;
use interagent_core::ids::AgentId;
use interagent_core::reach::{Absent, Presence, Reach, reach, reach_without_session};
use interagent_core::signal::{self, Touched};
use interagent_core::vocabulary::{SessionState, WakeWay};
use interagent_store::observe::{PaneOrigin, SessionRow};
use interagent_store::reader::Reader;
use interagent_store::{StoreError, live};
use interagent_wire::LocalEffect;

use crate::clients::Clients;

/// Recipients the sender is told of; a message to everybody tells of nobody.
const TOLD_OF: usize = 5;

/// What is known of a session at this moment.
pub(crate) fn presence(state_dir: &Path, row: &SessionRow) -> Presence {
    let sign = live::sign_of(state_dir, &row.id);
    let state = match row.state {
        SessionState::Ended => SessionState::Ended,
        // Where no hook left a sign, whoever bound the session said what it does.
        bound => sign.map_or(bound, |sign| sign.state),
    };
    Presence {
        state,
        wake: row.wake,
        waiter_until: live::waiter_until(state_dir, &row.id),
        hooked: sign.is_some(),
        waiting: live::is_waiting(state_dir, &row.id),
    }
}

/// How soon a session sees a message, with what a supervisor does for it.
pub(crate) fn reach_of(state_dir: &Path, row: &SessionRow, clients: &Clients) -> Reach {
    let is_typed = || clients.abilities(&row.profile).is_some_and(|client| client.typed);
    match reach(&presence(state_dir, row)) {
        Reach::NextPrompt if row.pane.is_some() && is_typed() && live::is_supervised(state_dir) => {
            Reach::Nudged
        }
        reach => reach,
    }
}

/// The best that is known of an agent's living sessions; nothing where it has none.
fn best<'s>(
    state_dir: &Path,
    sessions: &'s [SessionRow],
    clients: &Clients,
) -> Option<(Reach, &'s SessionRow)> {
    sessions.iter().map(|row| (reach_of(state_dir, row, clients), row)).min_by_key(|(reach, _)| *reach)
}

/// How soon an agent that lives here sees a message, by its living sessions.
pub(crate) fn reach_by(
    reader: &mut Reader<'_>,
    agent: &Agent,
    sessions: &[SessionRow],
    (state_dir, clients): (&Path, &Clients),
) -> Result<Reach, StoreError> {
    match best(state_dir, sessions, clients) {
        Some((reach, _)) => Ok(reach),
        None => without_session(reader, agent, state_dir, clients),
    }
}

fn without_session(
    reader: &mut Reader<'_>,
    agent: &Agent,
    state_dir: &Path,
    clients: &Clients,
) -> Result<Reach, StoreError> {
    let clock = reader.clock();
    let pane = reader.pane(&agent.id)?.filter(|pane| pane.origin == PaneOrigin::Launched);
    let pane = pane.filter(|pane| !pane.is_gone(clock));
    let profile = pane.as_ref().map_or(&agent.profile, |pane| &pane.profile);
    let is_typed = clients.abilities(profile).is_some_and(|client| client.typed);
    Ok(reach_without_session(Absent {
        is_started: pane.is_some(),
        is_typed_into: is_typed && live::is_supervised(state_dir),
        has_hooks: clients.have_hooks(profile),
    }))
}

/// What sending leaves to do and to say.
#[derive(Default)]
pub(crate) struct Aftermath {
    pub(crate) effects: Vec<LocalEffect>,
    pub(crate) notes: Vec<String>,
    /// Sessions that would have to be woken once their turn ends. The hook at its end may have looked before this was
    /// committed.
    in_turn: Vec<(String, String)>,
}

impl Aftermath {
    /// Looks once more, after the commit: whoever became idle meanwhile is woken.
    pub(crate) fn settled(mut self, state_dir: &Path) -> Self {
        let is_idle = |session: &str| {
            live::sign_of(state_dir, session).is_some_and(|sign| sign.state == SessionState::Idle)
        };
        let late = self.in_turn.drain(..).filter(|(_, session)| is_idle(session));
        self.effects.extend(late.map(|(agent, _)| LocalEffect::Wake { agent, with: None }));
        self
    }
}

/// Who has to be woken for what an entry sent, and who will not see it soon. Trouble with it is nobody's trouble.
pub(crate) fn after(
    reader: &mut Reader<'_>,
    facts: &[Fact],
    state_dir: &Path,
    clients: &Clients,
) -> Aftermath {
    let mut aftermath = Aftermath::default();
    for fact in facts {
        let Some(Touched::Recipients(message, agents)) = signal::touched(fact) else { continue };
        if agents.len() > TOLD_OF {
            continue;
        }
        for agent in agents {
            let Ok(rows) = reader.living_sessions(&agent) else { continue };
            let best = best(state_dir, &rows, clients);
            let reach = best.map_or(Reach::Gone, |(reach, _)| reach);
            let wakes_later = |row: &SessionRow| row.wake.is_some_and(|way| way != WakeWay::Waiter);
            let in_turn = best.filter(|(reach, row)| *reach == Reach::InTurn && wakes_later(row));
            if !reach.needs_wake() && !reach.is_told() && in_turn.is_none() {
                continue;
            }
            let Ok(Some(found)) = reader.message(&message) else { continue };
            let Ok(Some(agent)) = reader.agent(&agent) else { continue };
            if !signal::stands(&found, &agent.id, reader.now()) {
                continue;
            }
            // A person has no session, and an agent of another replica has its sessions there.
            let is_here = !agent.is_human() && reader.is_home(&agent.home).unwrap_or(false);
            match in_turn {
                Some((_, row)) => aftermath.in_turn.push((agent.name.to_string(), row.id.clone())),
                None if is_here => {
                    let reach = match best {
                        Some(_) => reach,
                        None => without_session(reader, &agent, state_dir, clients).unwrap_or(reach),
                    };
                    aftermath.add(&agent, reach);
                }
                None => {}
            }
        }
    }
    // Recipients are in the order of their ids, which says nothing to a reader.
    aftermath.notes.sort();
    aftermath
}

/// Members here that have to be woken for mail which came from elsewhere: only their home wakes them.
pub(crate) fn waiting(reader: &mut Reader<'_>, state_dir: &Path) -> Result<Vec<LocalEffect>, StoreError> {
    let agents: BTreeSet<AgentId> = reader.sessions(None)?.into_iter().map(|row| row.agent).collect();
    let mut effects = Vec::new();
    for agent in agents {
        let rows = reader.living_sessions(&agent)?;
        let found = best(state_dir, &rows, &Clients::default());
        let needs_wake = found.is_some_and(|(reach, _)| reach.needs_wake());
        if needs_wake
            && reader.has_undelivered(&agent)?
            && let Some(agent) = reader.agent(&agent)?
        {
            effects.push(LocalEffect::Wake { agent: agent.name.to_string(), with: None });
        }
    }
    Ok(effects)
}

impl Aftermath {
    fn add(&mut self, agent: &Agent, reach: Reach) {
        if reach.needs_wake() {
            let wake = LocalEffect::Wake { agent: agent.name.to_string(), with: None };
            if !self.effects.contains(&wake) {
                self.effects.push(wake);
            }
        } else {
            let note = format!("{}: {reach}", agent.name);
            if !self.notes.contains(&note) {
                self.notes.push(note);
            }
        }
    }
}
