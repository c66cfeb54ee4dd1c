//! Types one line into an agent's terminal, so that nobody is disturbed by it: a person, a dialog, a working agent, a shell.
//!
//! The protocol is in [`machine`], which knows no terminal; here are the looks, the keys and the sleeps.

mod claim;
pub mod machine;
mod outcome;

use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::{Duration, Instant, SystemTime};

use interagent_agents::Screen;
use interagent_core::hook::WAKE_LINE;

use crate::process::{Registered, Standing};
use crate::screen;
use crate::tmux::{BadLine, Facts, Line, Look, PaneId, Server, Typing};
use claim::Claim;
use machine::{Act, Machine, View};

pub use outcome::{Outcome, Reason};

/// A line that was typed and is not seen is waited for so long before another one is typed: its client may only be slow.
const LATE: Duration = Duration::from_secs(20);

/// What hooks and the store know of a session, at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Testimony {
    /// Its hooks say that it is idle. Not known is not idle.
    pub is_idle: bool,
    /// How long ago it asked for permission; none where it never did.
    pub asked: Option<Duration>,
    /// How long ago a prompt was submitted; none where none ever was.
    pub submitted: Option<Duration>,
}

/// Who knows what the hooks said. It is asked again at every look before typing.
pub trait Witness {
    /// What is known now.
    fn testify(&self) -> Testimony;
}

/// Where a line is typed.
#[derive(Clone, Copy, Debug)]
pub struct Target<'a> {
    /// The tmux server.
    pub server: &'a Server,
    /// The pane.
    pub pane: &'a PaneId,
    /// Its agent's id, as a pane that we marked says it.
    pub id: &'a str,
    /// Its agent's name, as the `@agent_id` of a pane says it that somebody else marked; not looked at where the pane has none.
    pub agent: &'a str,
    /// The process that its hooks registered.
    pub process: &'a Registered,
    /// What the screen of its client looks like.
    pub screen: Option<&'a Screen>,
}

/// The line that wakes an agent, as it is typed.
pub fn line() -> Result<Line, BadLine> {
    Line::new(WAKE_LINE)
}

/// Types a line and submits it, or presses no key, or says what became of it.
pub fn type_into(target: Target<'_>, line: &Typing, witness: &dyn Witness) -> Outcome {
    let Some(screen) = target.screen.filter(|screen| screen.composer.is_some()) else {
        return Outcome::NotSafe(Reason::NoReader);
    };
    let mut claim = match Claim::take(target) {
        Ok(claim) => claim,
        Err(reason) => return Outcome::NotSafe(reason),
    };
    let left = claim.left(target.process);
    let is_awaited = left.as_ref().is_some_and(|left| left.age < LATE);
    let left = left.and_then(|left| same_errand(line, left.line));
    let began = Instant::now();
    let mut machine = Machine::new(line.as_str(), left.as_ref().map(Typing::as_str));
    let mut act = Act::Wait(Duration::ZERO);
    loop {
        let own = left.as_ref().filter(|left| left.as_str() == machine.line()).unwrap_or(line);
        let (pressed, rest) = match act {
            Act::End(outcome) => {
                if !outcome.may_leave_our_line() {
                    claim.clear();
                }
                return outcome;
            }
            Act::Wait(rest) => (Ok(()), rest),
            Act::Type(rest) => {
                claim.note(target.process, line.as_str());
                (target.server.type_line(target.pane, line), rest)
            }
            Act::Enter(rest) => (target.server.press_enter(target.pane), rest),
            Act::TakeBack(rest) => (target.server.take_back(target.pane, own), rest),
        };
        if pressed.is_err() {
            // Whether the key arrived is not known, so what was noted stays.
            return Outcome::Stranded(Reason::Tmux);
        }
        std::thread::sleep(rest);
        let view = match target.server.look(target.pane) {
            Ok(look) => {
                let mut view = view(target, screen, &machine, &look, witness, began.elapsed());
                if is_awaited && machine.is_watching() && view.composer == Some(screen::Held::Nothing) {
                    // Typed once more, both would stand there in the end.
                    view.calm = view.calm.and(Err(Reason::NotShown));
                }
                view
            }
            Err(error) => blind(&error, began.elapsed()),
        };
        act = machine.step(&view);
    }
}

/// What somebody left in the composer, where submitting it does what this line is for: the same line, or the one that wakes.
fn same_errand(line: &Typing, left: String) -> Option<Typing> {
    match line {
        _ if left == line.as_str() => Some(line.clone()),
        Typing::Words(_) if left == WAKE_LINE => Line::new(left).ok().map(Typing::Words),
        _ => None,
    }
}

/// Whether a question is open on the screen, once what was submitted had time to open one.
pub(crate) fn asks(target: Target<'_>) -> bool {
    std::thread::sleep(machine::AFTER_SUBMIT);
    let look = target.server.look(target.pane).ok();
    let seen = look.zip(target.screen).map(|(look, screen)| screen::read(screen, &look.capture).seen);
    seen == Some(screen::Seen::Dialog)
}

fn view(
    target: Target<'_>,
    screen: &Screen,
    machine: &Machine,
    look: &Look,
    witness: &dyn Witness,
    at: Duration,
) -> View {
    let reading = screen::read(screen, &look.capture);
    let calm = if machine.is_watching() { calm(&look.facts, witness.testify()) } else { Ok(()) };
    let mut print = DefaultHasher::new();
    look.capture.rows().get(..reading.matters).unwrap_or(look.capture.rows()).hash(&mut print);
    (look.capture.cursor(), look.capture.size(), look.facts.history).hash(&mut print);
    View {
        at,
        gate: gate(target, &look.facts),
        calm,
        seen: reading.seen,
        composer: reading.composer,
        print: print.finish(),
        still: look.facts.last_output.map(age_of).unwrap_or_default(),
    }
}

/// What tmux can't show is not there.
fn blind(error: &crate::tmux::TmuxError, at: Duration) -> View {
    let reason = match error {
        crate::tmux::TmuxError::NotThere(_) | crate::tmux::TmuxError::Silent { .. } => Reason::Tmux,
        _ => Reason::NoPane,
    };
    View {
        at,
        gate: Err(reason),
        calm: Err(reason),
        seen: screen::Seen::Unknown,
        composer: None,
        print: 0,
        still: Duration::ZERO,
    }
}

/// What forbids every key.
fn gate(target: Target<'_>, facts: &Facts) -> Result<(), Reason> {
    if facts.is_dead {
        return Err(Reason::NoPane);
    }
    // A name may change while the pane lives; an id does not.
    let is_other = match (&facts.id, &facts.agent) {
        (Some(id), _) => id != target.id,
        (None, Some(agent)) => agent != target.agent,
        (None, None) => false,
    };
    if is_other {
        return Err(Reason::OtherAgent);
    }
    match target.process.standing(facts.pid) {
        Standing::Foreground => {}
        Standing::Elsewhere => return Err(Reason::NotForeground),
        Standing::Gone => return Err(Reason::Gone),
    }
    if facts.is_in_mode {
        return Err(Reason::CopyMode);
    }
    if facts.is_synchronized {
        return Err(Reason::Synchronized);
    }
    Ok(())
}

/// What forbids to begin.
fn calm(facts: &Facts, testimony: Testimony) -> Result<(), Reason> {
    let within = |age: Option<Duration>, limit: Duration| age.is_some_and(|age| age < limit);
    if within(testimony.asked, machine::AFTER_NOTICE) {
        return Err(Reason::Asked);
    }
    if !testimony.is_idle {
        return Err(Reason::NotIdle);
    }
    if within(testimony.submitted, machine::AFTER_SUBMIT) {
        return Err(Reason::JustSubmitted);
    }
    if within(facts.last_key.map(age_of), machine::QUIET) {
        return Err(Reason::Keystroke);
    }
    Ok(())
}

/// The least age of something that happened within a second of the clock. A clock that was set back makes it new.
fn age_of(second: u64) -> Duration {
    let happened = SystemTime::UNIX_EPOCH + Duration::from_secs(second + 1);
    SystemTime::now().duration_since(happened).unwrap_or_default()
}
