//! How soon somebody sees what was sent: from sessions, signs of life and waiters. What follows for the sender is a note,
//! what follows for the machine a wake.

use std::path::Path;

use interagent_core::entity::Agent;
use interagent_core::ids::AgentId;
use interagent_core::reach::{Presence, Reach, reach};
use interagent_core::refusal::Refusal;
use interagent_core::signal::{self, Touched};
use interagent_core::vocabulary::SessionState;
use interagent_store::observe::SessionRow;
use interagent_store::reader::Reader;
use interagent_store::{Appended, live};
use interagent_wire::LocalEffect;

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
    Presence { state, wake: row.wake, waiter_until: live::waiter_until(state_dir, &row.id) }
}

/// The best that is known of an agent's sessions; nothing where it has none.
fn best(reader: &mut Reader<'_>, state_dir: &Path, agent: &AgentId) -> Result<Option<Reach>, Refusal> {
    let sessions = reader.sessions(Some(agent))?;
    let live = sessions.iter().filter(|row| !row.is_gone(reader.clock()));
    Ok(live.map(|row| reach(&presence(state_dir, row))).min())
}

/// What sending leaves to do and to say.
#[derive(Default)]
pub(crate) struct Aftermath {
    pub(crate) effects: Vec<LocalEffect>,
    pub(crate) notes: Vec<String>,
}

/// Who has to be woken for what an entry sent, and who will not see it soon. Trouble with it is nobody's trouble.
pub(crate) fn after(reader: &mut Reader<'_>, appended: &Appended, state_dir: &Path) -> Aftermath {
    let mut aftermath = Aftermath::default();
    let facts = appended.entry().map(|entry| entry.facts.as_slice()).unwrap_or_default();
    for fact in facts {
        let Some(Touched::Recipients(message, agents)) = signal::touched(fact) else { continue };
        if agents.len() > TOLD_OF {
            continue;
        }
        for agent in agents {
            let Ok(Some(reach)) = best(reader, state_dir, &agent) else { continue };
            if !reach.needs_wake() && !reach.needs_person() {
                continue;
            }
            let Ok(Some(found)) = reader.message(&message) else { continue };
            let Ok(Some(agent)) = reader.agent(&agent) else { continue };
            if signal::stands(&found, &agent.id, reader.now()) {
                aftermath.add(&agent, reach);
            }
        }
    }
    aftermath
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
