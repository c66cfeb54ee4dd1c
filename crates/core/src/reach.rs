//! How soon a session sees a message that was just sent: what sender and board are told.

use std::fmt;

use crate::event::Micros;
use crate::vocabulary::{SessionState, WakeWay};

/// What is known of a session at this moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Presence {
    /// What its hooks said last.
    pub state: SessionState,
    /// How it is woken while it is idle.
    pub wake: Option<WakeWay>,
    /// A waiter sleeps beside it, until then by the wall clock.
    pub waiter_until: Option<Micros>,
}

/// How soon a session sees a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reach {
    /// It is in a turn: after its next tool call, or at the end of the turn.
    InTurn,
    /// It is idle and a waiter wakes it, until then.
    Waiter(Micros),
    /// It is idle and its client takes a line from outside.
    Woken,
    /// It waits for a person's permission, and sees it afterwards.
    AfterPermission,
    /// It is idle and nothing wakes it.
    NextPrompt,
    /// It ended.
    Gone,
}

/// How soon a session sees a message.
pub fn reach(presence: &Presence) -> Reach {
    match (presence.state, presence.wake, presence.waiter_until) {
        (SessionState::Ended, ..) => Reach::Gone,
        (SessionState::Busy, ..) => Reach::InTurn,
        (SessionState::Asking, ..) => Reach::AfterPermission,
        (SessionState::Idle, _, Some(until)) => Reach::Waiter(until),
        (SessionState::Idle, Some(WakeWay::Command | WakeWay::File), None) => Reach::Woken,
        (SessionState::Idle, Some(WakeWay::Waiter) | None, None) => Reach::NextPrompt,
    }
}

impl Reach {
    /// Whether the program has to do something for the session to see it.
    pub fn needs_wake(self) -> bool {
        self == Self::Woken
    }

    /// Whether it is seen only when a person does something.
    pub fn needs_person(self) -> bool {
        matches!(self, Self::AfterPermission | Self::NextPrompt)
    }
}

/// The words; a moment is told as the hour and minute of the universal time.
impl fmt::Display for Reach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::InTurn => f.write_str("in a turn"),
            Self::Waiter(until) => match jiff::Timestamp::from_microsecond(*until) {
                Ok(moment) => write!(f, "idle; reachable until {}", moment.strftime("%Y-%m-%d %H:%MZ")),
                Err(_) => f.write_str("idle; reachable"),
            },
            Self::Woken => f.write_str("idle; its client is told"),
            Self::AfterPermission => f.write_str("waits for a person's permission; will see it afterwards"),
            Self::NextPrompt => f.write_str("idle; will see it at its next prompt"),
            Self::Gone => f.write_str("ended"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_presence_has_its_words() {
        let mut lines = Vec::new();
        for state in [SessionState::Busy, SessionState::Asking, SessionState::Idle, SessionState::Ended] {
            for wake in [None, Some(WakeWay::Waiter), Some(WakeWay::Command)] {
                for waiter_until in [None, Some(0)] {
                    let reach = reach(&Presence { state, wake, waiter_until });
                    lines.push(format!("{state}: {reach}"));
                }
            }
        }
        lines.sort();
        lines.dedup();
        insta::assert_snapshot!(lines.join("\n"), @r"
        asking: waits for a person's permission; will see it afterwards
        busy: in a turn
        ended: ended
        idle: idle; its client is told
        idle: idle; reachable until 1970-01-01 00:00Z
        idle: idle; will see it at its next prompt
        ");
    }
}
