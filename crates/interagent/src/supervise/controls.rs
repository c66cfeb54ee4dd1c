//! Control messages: what an agent's superior or the operator wants its own session to do, done as soon as that disturbs nobody.
//!
//! The log says what waits; nothing is kept here but when to try again. So a supervisor that begins anew tries at once.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use interagent_core::ids::AgentId;
use interagent_core::refusal::Refusal;
use interagent_core::vocabulary::{ControlOutcome, ControlVerb};
use interagent_operations::ladder::End;
use interagent_operations::{Hub, LocalHub};
use interagent_wake::control::{Cannot, Order};
use interagent_wake::nudge::{self, Reason};
use interagent_wire::answer::ControlView;
use interagent_wire::request::{ControlDone, ControlList};
use interagent_wire::{Answer, Caller};

use super::channels::{Machine, end};
use crate::crew::terminal::{Front, Terminal};
use crate::crew::{Scene, no_tmux};
use crate::error::{CliError, ErrorKind};

/// Pauses between attempts, in seconds; the last one stays.
const PAUSES_S: [u64; 5] = [3, 5, 10, 20, 60];

/// While one is carried out, it is looked so often whether it ended.
const IN_FLIGHT: Duration = Duration::from_millis(500);

/// Which control messages were tried, when to try again, and whose are carried out now.
#[derive(Default)]
pub(super) struct Controls {
    tried: BTreeMap<String, Attempt>,
    flying: Arc<Mutex<BTreeSet<String>>>,
    /// One of an agent waits only for another that is carried out now.
    has_next: bool,
}

struct Attempt {
    times: usize,
    /// When to try again; nothing while it is carried out.
    again: Option<Instant>,
}

/// One control message of an agent is carried out, for as long as this lives.
pub(super) struct InFlight {
    agent: String,
    flying: Arc<Mutex<BTreeSet<String>>>,
}

impl Drop for InFlight {
    fn drop(&mut self) {
        flying(&self.flying).remove(&self.agent);
    }
}

/// Who was in the middle of something when a thread ended badly is in the middle of nothing now.
fn flying(agents: &Mutex<BTreeSet<String>>) -> MutexGuard<'_, BTreeSet<String>> {
    agents.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Controls {
    /// What is to be tried now: of each agent the oldest that waits, and nothing while one of it is carried out. They count as
    /// tried from here on.
    pub(super) fn due(&mut self, hub: &mut LocalHub) -> Result<Vec<(ControlView, InFlight)>, CliError> {
        Ok(self.choose(open(hub, None)?, Instant::now()))
    }

    fn choose(&mut self, open: Vec<ControlView>, now: Instant) -> Vec<(ControlView, InFlight)> {
        self.tried.retain(|message, _| open.iter().any(|view| view.message == *message));
        self.has_next = false;
        let (mut due, mut seen) = (Vec::new(), BTreeSet::new());
        for view in open {
            if !seen.insert(view.agent.id.clone()) {
                // An older one may have come since it was tried; its own time is not waited for meanwhile.
                self.tried.remove(&view.message);
                continue;
            }
            if flying(&self.flying).contains(&view.agent.id) {
                self.has_next = true;
                continue;
            }
            let attempt =
                self.tried.entry(view.message.clone()).or_insert(Attempt { times: 0, again: Some(now) });
            // It came to its end a moment ago, and the pause begins.
            let pause = PAUSES_S[attempt.times.saturating_sub(1).min(PAUSES_S.len() - 1)];
            let again = *attempt.again.get_or_insert_with(|| now + Duration::from_secs(pause));
            if again > now {
                continue;
            }
            *attempt = Attempt { times: attempt.times + 1, again: None };
            flying(&self.flying).insert(view.agent.id.clone());
            let flight = InFlight { agent: view.agent.id.clone(), flying: Arc::clone(&self.flying) };
            due.push((view, flight));
        }
        due
    }

    /// How long until something is to be tried again.
    pub(super) fn rest(&self) -> Option<Duration> {
        let now = Instant::now();
        let left =
            |attempt: &Attempt| attempt.again.map_or(IN_FLIGHT, |again| again.saturating_duration_since(now));
        self.tried.values().map(left).chain(self.has_next.then_some(IN_FLIGHT)).min()
    }
}

/// What waits to be carried out, oldest first.
fn open(hub: &mut LocalHub, agent: Option<String>) -> Result<Vec<ControlView>, CliError> {
    match hub.call(&Caller::program(), ControlList { agent }.into())?.answer {
        Answer::Controls(open) => Ok(open.items),
        _ => Ok(Vec::new()),
    }
}

/// Carries one out and records that; what would disturb somebody now is left for the next time. Nothing where it waits no
/// longer.
pub(super) fn carry_out(machine: &Machine, view: &ControlView) -> Result<Option<End>, CliError> {
    let mut hub = (machine.door)()?;
    // It was listed a while ago: somebody may have said since then what became of it.
    let waits = open(&mut hub, Some(view.agent.id.clone()))?;
    if waits.iter().all(|other| other.message != view.message) {
        return Ok(None);
    }
    let done = attempt(machine, hub, view)?;
    let (outcome, note) = match &done {
        End::PutOff(_) => return Ok(Some(done)),
        End::Done => (ControlOutcome::Done, None),
        End::Failed(why) => (ControlOutcome::Failed, Some(why.clone())),
    };
    if let (ControlOutcome::Done, ControlVerb::Model, Some(model)) = (outcome, view.verb, &view.model) {
        // What the client does now does not depend on whether this can be noted.
        let _ = note_model(&mut (machine.door)()?, view, model);
    }
    let record = ControlDone { message: view.message.clone(), outcome: Some(outcome), note };
    let mut hub = (machine.door)()?;
    let reply = hub.call(&Caller::program(), record.into())?;
    interagent_operations::carry_out(&reply.effects);
    Ok(Some(done))
}

/// Notes and shows the model that a client was switched to.
fn note_model(hub: &mut LocalHub, view: &ControlView, model: &str) -> Result<(), CliError> {
    let agent = AgentId::parse(&view.agent.id).map_err(Refusal::from)?;
    let pane = hub.store().read(|reader| Ok::<_, Refusal>(reader.pane(&agent)?))?;
    if let Some(pane) = pane {
        hub.note_model(&pane, model)?;
        Scene::server_of(&pane).mark_model(&pane.pane, model).map_err(no_tmux)?;
    }
    Ok(())
}

fn attempt(machine: &Machine, mut hub: LocalHub, view: &ControlView) -> Result<End, CliError> {
    let agent = AgentId::parse(&view.agent.id).map_err(Refusal::from)?;
    let front = Front::of(&mut hub, &agent)?;
    let order = match (view.verb, &view.model) {
        (ControlVerb::Resume, _) if front.is_some() => return Ok(End::Done),
        (ControlVerb::Resume, _) => return Ok(resumed(machine, &view.agent.name)),
        (ControlVerb::Clear, _) => Order::Clear,
        (ControlVerb::Model, Some(model)) => Order::Model(model.clone()),
        (ControlVerb::Model, None) => return Ok(End::Failed("it is not said which model".to_owned())),
        (ControlVerb::Stop, _) => Order::Stop,
    };
    let Some(front) = front else {
        return Ok(match view.verb {
            // Who does not run has nothing to forget and nothing to end.
            ControlVerb::Clear | ControlVerb::Stop => End::Done,
            ControlVerb::Model | ControlVerb::Resume => End::Failed("it does not run".to_owned()),
        });
    };
    let who = (&agent, view.agent.name.as_str());
    let found = Terminal::at(&mut hub, &*(machine.profiles)()?, who, &front);
    drop(hub);
    let terminal = match found {
        Ok(terminal) => terminal,
        // It is not in tmux, or nobody knows its process: that does not change while it runs, so whoever asked is told.
        Err(error) if error.kind() == ErrorKind::Refused => return Ok(End::Failed(error.sentence())),
        Err(error) => return Err(error),
    };
    let is_stop = order == Order::Stop;
    match terminal.order(&order) {
        Err(Cannot::Stop { .. }) => asked_to_end(&terminal),
        Ok(nudge::Outcome::NotSafe(Reason::NoReader)) if is_stop => asked_to_end(&terminal),
        Ok(typed @ nudge::Outcome::NotSafe(Reason::NoReader)) => Ok(End::Failed(typed.to_string())),
        Ok(typed) => Ok(end(typed)),
        Err(cannot) => Ok(End::Failed(cannot.to_string())),
    }
}

/// Where nothing can be typed that ends a client, its process is asked to.
fn asked_to_end(terminal: &Terminal) -> Result<End, CliError> {
    Ok(match terminal.ask_to_end()? {
        Some(_) => End::Done,
        None => End::PutOff("it works".to_owned()),
    })
}

fn resumed(machine: &Machine, name: &str) -> End {
    match machine.resume(name) {
        Ok(()) => End::Done,
        Err(error) if error.kind() == ErrorKind::Conflict => End::PutOff(error.sentence()),
        Err(error) => End::Failed(error.sentence()),
    }
}

#[cfg(test)]
mod tests {
    use interagent_wire::Time;
    use interagent_wire::answer::Who;

    use super::*;

    fn control(message: &str, agent: &str) -> ControlView {
        let who = |name: &str| Who { id: name.to_owned(), name: name.to_owned(), replica: None };
        ControlView {
            message: message.to_owned(),
            agent: who(agent),
            from: who("operator"),
            verb: ControlVerb::Clear,
            model: None,
            has_words: false,
            sent: Time(0),
            outcome: None,
            promise: String::new(),
        }
    }

    fn messages(chosen: &[(ControlView, InFlight)]) -> Vec<&str> {
        chosen.iter().map(|(view, _)| view.message.as_str()).collect()
    }

    #[test]
    fn each_agent_is_controlled_in_order_and_by_one_message_at_a_time() {
        let mut controls = Controls::default();
        let open = || vec![control("m1", "ann"), control("m2", "ann"), control("m3", "bob")];
        let now = Instant::now();
        let first = controls.choose(open(), now);
        assert_eq!(messages(&first), ["m1", "m3"], "of each agent the oldest");
        let later = now + Duration::from_secs(600);
        assert_eq!(messages(&controls.choose(open(), later)), [] as [&str; 0], "both are carried out now");
        assert!(controls.rest().unwrap() <= IN_FLIGHT, "what waits behind them is looked at soon");
        drop(first);
        // The first one was put off: what came after it waits.
        assert_eq!(messages(&controls.choose(open(), now)), [] as [&str; 0]);
        assert_eq!(messages(&controls.choose(open(), later)), ["m1", "m3"]);
        let rest = open().into_iter().filter(|view| view.message != "m1").collect();
        assert_eq!(messages(&controls.choose(rest, now)), ["m2"], "the first one is over");
    }

    #[test]
    fn a_slow_one_is_waited_for_and_tried_again_a_while_after_its_end() {
        let mut controls = Controls::default();
        let open = || vec![control("m1", "ann")];
        let ended = Instant::now();
        let begun = ended.checked_sub(Duration::from_secs(30)).unwrap();
        let first = controls.choose(open(), begun);
        assert_eq!(messages(&first), ["m1"]);
        assert_eq!(controls.rest(), Some(IN_FLIGHT), "nothing is to be done before it ends");
        drop(first);
        assert_eq!(messages(&controls.choose(open(), ended)), [] as [&str; 0], "it ended just now");
        assert!(controls.rest().unwrap() > Duration::from_secs(PAUSES_S[0] - 1));
        let later = ended + Duration::from_secs(PAUSES_S[0]);
        assert_eq!(messages(&controls.choose(open(), later)), ["m1"]);
    }
}
