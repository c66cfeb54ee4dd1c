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
    /// A hook of it was heard: hooks bring its mail.
    pub hooked: bool,
    /// It waits for mail in `check_inbox`.
    pub waiting: bool,
}

/// How soon a session sees a message, the soonest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reach {
    /// It waits for mail: the call it waits in answers with it.
    Waiting,
    /// It is in a turn: after its next tool call, or at the end of the turn.
    InTurn,
    /// It is idle and a waiter wakes it, until then.
    Waiter(Micros),
    /// It is idle and its client takes a line from outside.
    Woken,
    /// It is idle, and a supervisor types a line into its pane.
    Nudged,
    /// It waits for a person's permission, and sees it afterwards.
    AfterPermission,
    /// It is idle and nothing wakes it.
    NextPrompt,
    /// No hook brings its mail: it sees what it asks for.
    OnRequest,
    /// It ended, or there is none.
    Gone,
    /// There is none, and no hook will bring its mail.
    GoneOnRequest,
}

/// What is known of an agent that has no session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Absent {
    /// Its client runs in a pane of the team. Some clients begin a session with their first prompt.
    pub is_started: bool,
    /// A supervisor types into that pane.
    pub is_typed_into: bool,
    /// Hooks of its client bring mail.
    pub has_hooks: bool,
}

/// How soon an agent without a session sees a message.
pub fn reach_without_session(absent: Absent) -> Reach {
    match absent {
        Absent { is_started: true, is_typed_into: true, .. } => Reach::Nudged,
        Absent { is_started: true, has_hooks: true, .. } => Reach::NextPrompt,
        Absent { is_started: true, .. } => Reach::OnRequest,
        Absent { has_hooks: true, .. } => Reach::Gone,
        Absent { .. } => Reach::GoneOnRequest,
    }
}

/// How soon a session sees a message.
pub fn reach(presence: &Presence) -> Reach {
    match (presence.state, presence.wake, presence.waiter_until) {
        (SessionState::Ended, ..) => Reach::Gone,
        _ if presence.waiting => Reach::Waiting,
        (SessionState::Idle, _, Some(until)) => Reach::Waiter(until),
        _ if !presence.hooked => Reach::OnRequest,
        (SessionState::Busy, ..) => Reach::InTurn,
        (SessionState::Asking, ..) => Reach::AfterPermission,
        (SessionState::Idle, Some(WakeWay::Command | WakeWay::File), None) => Reach::Woken,
        (SessionState::Idle, Some(WakeWay::Waiter) | None, None) => Reach::NextPrompt,
    }
}

impl Reach {
    /// Whether the program has to do something for the session to see it.
    pub fn needs_wake(self) -> bool {
        self == Self::Woken
    }

    /// Whether it is seen only when a person or the agent does something.
    pub fn needs_person(self) -> bool {
        matches!(self, Self::Nudged | Self::AfterPermission | Self::NextPrompt | Self::OnRequest)
    }

    /// Whether the sender should know: it is seen later than within a turn, or sooner than the sender may think.
    pub fn is_told(self) -> bool {
        match self {
            Self::InTurn | Self::Waiter(_) | Self::Woken => false,
            Self::Waiting
            | Self::Nudged
            | Self::AfterPermission
            | Self::NextPrompt
            | Self::OnRequest
            | Self::Gone
            | Self::GoneOnRequest => true,
        }
    }
}

/// The words; a moment is told as the hour and minute of the universal time.
impl fmt::Display for Reach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Waiting => f.write_str("waiting in check_inbox; gets it now"),
            Self::InTurn => f.write_str("in a turn"),
            Self::Waiter(until) => match jiff::Timestamp::from_microsecond(*until) {
                Ok(moment) => write!(f, "idle; reachable until {}", moment.strftime("%Y-%m-%d %H:%MZ")),
                Err(_) => f.write_str("idle; reachable"),
            },
            Self::Woken => f.write_str("idle; woken through its client"),
            Self::Nudged => f.write_str("idle; nudged within seconds once its prompt is free"),
            Self::AfterPermission => f.write_str("waits for a person's permission; sees it afterwards"),
            Self::NextPrompt => f.write_str("idle; sees it on its next prompt"),
            Self::OnRequest => f.write_str("no hook in this session; sees it when it checks its inbox"),
            Self::Gone => f.write_str("not running; sees it when it starts"),
            Self::GoneOnRequest => f.write_str("not running, no hooks; sees it when it checks its inbox"),
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
                    for (hooked, waiting) in [(false, false), (true, false), (false, true)] {
                        let presence = Presence { state, wake, waiter_until, hooked, waiting };
                        lines.push(format!("{state}: {}", reach(&presence)));
                    }
                }
            }
        }
        lines.sort();
        lines.dedup();
        insta::assert_snapshot!(lines.join("\n"), @"
        asking: no hook in this session; sees it when it checks its inbox
        asking: waiting in check_inbox; gets it now
        asking: waits for a person's permission; sees it afterwards
        busy: in a turn
        busy: no hook in this session; sees it when it checks its inbox
        busy: waiting in check_inbox; gets it now
        ended: not running; sees it when it starts
        idle: idle; reachable until 1970-01-01 00:00Z
        idle: idle; sees it on its next prompt
        idle: idle; woken through its client
        idle: no hook in this session; sees it when it checks its inbox
        idle: waiting in check_inbox; gets it now
        ");
    }

    /// Only a hook or a wait that was seen is promised.
    #[test]
    fn session_without_hook_is_promised_nothing() {
        for state in [SessionState::Busy, SessionState::Asking, SessionState::Idle] {
            let presence = Presence { state, wake: None, waiter_until: None, hooked: false, waiting: false };
            assert_eq!(reach(&presence), Reach::OnRequest, "{state}");
        }
    }

    #[test]
    fn reach_without_session_follows_pane_and_hooks() {
        let of = |is_started, is_typed_into, has_hooks| {
            reach_without_session(Absent { is_started, is_typed_into, has_hooks })
        };
        assert_eq!(of(true, true, true), Reach::Nudged);
        assert_eq!(of(true, false, true), Reach::NextPrompt);
        assert_eq!(of(true, false, false), Reach::OnRequest);
        assert_eq!(of(false, false, true), Reach::Gone);
        assert_eq!(of(false, false, false), Reach::GoneOnRequest);
    }
}
