//! Whether an agent lives, and what it does: judged from its hooks, its process and its terminal, never assumed.
//!
//! Hooks say what a client does but not that it died; a process says that it runs but not what it does; a terminal says
//! that something is written. None of the three is enough alone.

use crate::event::Micros;
use crate::vocabulary::SessionState;
use crate::{limits, words};

words! {
    /// Whether an agent lives, and what it does, from hooks, process and terminal together.
    pub enum Liveness as "the liveness" {
        /// Nothing of it runs here.
        Away = "away",
        /// Its client was started a moment ago.
        Starting = "starting",
        /// In a turn.
        Thinking = "thinking",
        /// In a turn, waiting for a person's permission.
        Asking = "asking",
        /// Waiting for a prompt.
        Idle = "idle",
        /// In a turn, and neither its hooks nor its terminal gave a sign for long.
        Wedged = "wedged",
        /// Its process is gone.
        Dead = "dead",
        /// Its client runs, and does not say what it does.
        Unknown = "unknown",
    }
}

impl Liveness {
    /// In words for the operator.
    pub fn told(self) -> &'static str {
        match self {
            Self::Asking => "waiting for you",
            other => other.as_str(),
        }
    }
}

/// Whether a process is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Vital {
    /// It runs.
    Running,
    /// It ended, or its number belongs to another.
    Gone,
    /// Nobody said which process it is.
    Unknown,
}

/// What a client's hooks said last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Heard {
    /// What it does.
    pub state: SessionState,
    /// When anything was last heard, by the wall clock.
    pub seen: Micros,
}

/// What is in the agent's terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Front {
    /// Its client, or something that its client runs.
    Client,
    /// A shell: the client left, and what is typed there is executed.
    Shell,
    /// Nothing runs there any more.
    Nothing,
    /// Nobody looked, or the agent has no terminal that is known.
    Unseen,
}

/// What the screen of a client shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    /// A line to type in, and nothing that works.
    Composer,
    /// It works.
    Work,
    /// A question that a person has to answer.
    Question,
}

/// Everything that is known of an agent at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Signs {
    /// Its client's process.
    pub process: Vital,
    /// Its hooks.
    pub heard: Option<Heard>,
    /// What is in its terminal.
    pub front: Front,
    /// What its screen shows, where somebody looked who can read it.
    pub shown: Option<Shown>,
    /// When something was last written to its terminal, by the wall clock.
    pub written: Option<Micros>,
    /// When its client was started by us, by the wall clock.
    pub started: Option<Micros>,
    /// The wall clock.
    pub now: Micros,
}

impl Signs {
    /// Of an agent of which nothing is known.
    pub fn none(now: Micros) -> Self {
        Self {
            process: Vital::Unknown,
            heard: None,
            front: Front::Unseen,
            shown: None,
            written: None,
            started: None,
            now,
        }
    }

    /// Since when it is as it is, as far as that was seen.
    pub fn since(&self) -> Option<Micros> {
        self.heard.map(|heard| heard.seen).or(self.started)
    }
}

/// What all of it together says.
pub fn liveness(signs: &Signs) -> Liveness {
    let is_gone = signs.process == Vital::Gone || matches!(signs.front, Front::Shell | Front::Nothing);
    let is_there = signs.process == Vital::Running || signs.front == Front::Client;
    match signs.heard.map(|heard| heard.state) {
        _ if is_gone => Liveness::Dead,
        // Clients ask many things that no hook tells of, and nobody but a person answers them.
        Some(SessionState::Idle) | None if is_there && signs.shown == Some(Shown::Question) => {
            Liveness::Asking
        }
        // The person answered, and no hook tells of it before the tool ran.
        Some(SessionState::Asking) if is_there && signs.shown == Some(Shown::Work) => Liveness::Thinking,
        Some(SessionState::Asking) => Liveness::Asking,
        // A client that tells of the end of a turn once may have gone on since.
        Some(SessionState::Idle) if is_there && signs.shown == Some(Shown::Work) => Liveness::Thinking,
        Some(SessionState::Idle) => Liveness::Idle,
        Some(SessionState::Busy) if is_there && is_silent(signs) => Liveness::Wedged,
        Some(SessionState::Busy) => Liveness::Thinking,
        // A session that ended in a client that goes on: it begins another one, or is about to leave.
        None | Some(SessionState::Ended) if is_there => match (signs.shown, signs.started) {
            // Some clients begin a session, and tell of it, with their first prompt.
            (Some(Shown::Composer), _) => Liveness::Idle,
            (Some(Shown::Work), _) => Liveness::Thinking,
            (_, Some(started)) if signs.now - started < limits::STARTING_US => Liveness::Starting,
            _ => Liveness::Unknown,
        },
        None | Some(SessionState::Ended) => Liveness::Away,
    }
}

/// The states of a team in one line, what needs a person first: `1 wedged, 2 thinking`.
pub fn tally(states: impl IntoIterator<Item = Liveness>) -> String {
    use Liveness::{Asking, Away, Dead, Idle, Starting, Thinking, Unknown, Wedged};
    let states: Vec<Liveness> = states.into_iter().collect();
    let order = [Dead, Wedged, Asking, Thinking, Idle, Starting, Unknown, Away];
    let counts = order.map(|state| (state, states.iter().filter(|found| **found == state).count()));
    let words = counts
        .iter()
        .filter(|(_, count)| *count > 0)
        .map(|(state, count)| format!("{count} {}", state.told()));
    words.collect::<Vec<_>>().join(", ")
}

/// Neither a hook nor a written character for so long that no model and no tool explains it. Where nobody sees the
/// terminal this is never said: a tool may run for an hour without a hook.
fn is_silent(signs: &Signs) -> bool {
    let (Some(heard), Some(written)) = (signs.heard, signs.written) else { return false };
    signs.now - heard.seen.max(written) >= limits::WEDGED_US
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const MINUTE: Micros = 60_000_000;
    const NOW: Micros = 1_000 * MINUTE;

    fn heard(state: SessionState, minutes_ago: i64) -> Option<Heard> {
        Some(Heard { state, seen: NOW - minutes_ago * MINUTE })
    }

    #[test]
    fn every_kind_of_signs_has_its_word() {
        use SessionState::{Asking, Busy, Ended, Idle};
        let none = Signs::none(NOW);
        let running = Signs { process: Vital::Running, front: Front::Client, ..none };
        let ago = |minutes: i64| Some(NOW - minutes * MINUTE);
        let cases = [
            ("nothing is known", none, Liveness::Away),
            ("just started", Signs { started: ago(0), ..running }, Liveness::Starting),
            ("started, and no hook for long", Signs { started: ago(5), ..running }, Liveness::Unknown),
            ("adopted, and no hook", running, Liveness::Unknown),
            ("a new turn", Signs { heard: heard(Busy, 0), ..running }, Liveness::Thinking),
            (
                "a long tool that writes",
                Signs { heard: heard(Busy, 60), written: ago(1), ..running },
                Liveness::Thinking,
            ),
            (
                "hooks, and a still screen",
                Signs { heard: heard(Busy, 1), written: ago(60), ..running },
                Liveness::Thinking,
            ),
            ("neither", Signs { heard: heard(Busy, 10), written: ago(10), ..running }, Liveness::Wedged),
            (
                "neither, almost",
                Signs { heard: heard(Busy, 9), written: ago(10), ..running },
                Liveness::Thinking,
            ),
            ("no terminal to look at", Signs { heard: heard(Busy, 600), ..running }, Liveness::Thinking),
            (
                "a dialog that was answered",
                Signs { heard: heard(Asking, 1), shown: Some(Shown::Work), ..running },
                Liveness::Thinking,
            ),
            ("asks", Signs { heard: heard(Asking, 60), written: ago(60), ..running }, Liveness::Asking),
            (
                "idle for an hour",
                Signs { heard: heard(Idle, 60), written: ago(60), ..running },
                Liveness::Idle,
            ),
            ("hooks without a process", Signs { heard: heard(Idle, 1), ..none }, Liveness::Idle),
            ("its session ended", Signs { heard: heard(Ended, 1), ..none }, Liveness::Away),
            ("it ended, the client goes on", Signs { heard: heard(Ended, 1), ..running }, Liveness::Unknown),
            (
                "killed in a turn",
                Signs { process: Vital::Gone, heard: heard(Busy, 0), ..none },
                Liveness::Dead,
            ),
            (
                "a shell in its place",
                Signs { front: Front::Shell, heard: heard(Idle, 0), ..running },
                Liveness::Dead,
            ),
            ("an empty pane", Signs { front: Front::Nothing, ..none }, Liveness::Dead),
            (
                "no session before its first prompt",
                Signs { shown: Some(Shown::Composer), ..running },
                Liveness::Idle,
            ),
            ("no hooks, and it works", Signs { shown: Some(Shown::Work), ..running }, Liveness::Thinking),
            (
                "a question that no hook tells of",
                Signs { heard: heard(Idle, 1), shown: Some(Shown::Question), ..running },
                Liveness::Asking,
            ),
            ("a question at its start", Signs { shown: Some(Shown::Question), ..running }, Liveness::Asking),
            (
                "a screen that was read wrongly",
                Signs { heard: heard(Busy, 0), shown: Some(Shown::Question), ..running },
                Liveness::Thinking,
            ),
        ];
        for (what, signs, wanted) in cases {
            assert_eq!(liveness(&signs), wanted, "{what}");
        }
    }

    #[test]
    fn a_team_is_told_in_one_line_and_trouble_comes_first() {
        use Liveness::{Idle, Thinking, Wedged};
        assert_eq!(tally([Idle, Thinking, Wedged, Thinking]), "1 wedged, 2 thinking, 1 idle");
        assert_eq!(tally([]), "");
    }

    fn signs() -> impl Strategy<Value = Signs> {
        let vital = prop_oneof![Just(Vital::Running), Just(Vital::Gone), Just(Vital::Unknown)];
        let front =
            prop_oneof![Just(Front::Client), Just(Front::Shell), Just(Front::Nothing), Just(Front::Unseen)];
        let state = prop_oneof![
            Just(SessionState::Busy),
            Just(SessionState::Idle),
            Just(SessionState::Asking),
            Just(SessionState::Ended)
        ];
        let time = || proptest::option::of(0..2 * NOW);
        let shown = prop_oneof![Just(Shown::Composer), Just(Shown::Work), Just(Shown::Question)];
        let shown = proptest::option::of(shown);
        (vital, front, shown, proptest::option::of((state, 0..2 * NOW)), time(), time()).prop_map(
            |(process, front, shown, heard, written, started)| Signs {
                process,
                front,
                shown,
                heard: heard.map(|(state, seen)| Heard { state, seen }),
                written,
                started,
                now: NOW,
            },
        )
    }

    proptest! {
        /// Nobody who is gone is said to do anything, and nobody is said to be gone without a sign of it.
        #[test]
        fn dead_is_who_is_gone(signs in signs()) {
            let is_gone = signs.process == Vital::Gone || matches!(signs.front, Front::Shell | Front::Nothing);
            prop_assert_eq!(liveness(&signs) == Liveness::Dead, is_gone);
        }

        /// Wedged is an accusation: it takes a turn, a process, and silence in both places.
        #[test]
        fn wedged_is_said_only_with_all_evidence(signs in signs()) {
            if liveness(&signs) == Liveness::Wedged {
                let heard = signs.heard.unwrap();
                prop_assert_eq!(heard.state, SessionState::Busy);
                prop_assert!(NOW - heard.seen >= limits::WEDGED_US);
                prop_assert!(NOW - signs.written.unwrap() >= limits::WEDGED_US);
            }
        }
    }
}
