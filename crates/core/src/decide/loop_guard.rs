//! The loop guard: agents that talk in circles are stopped by a budget, not by luck. Decided at send.
//!
//! What a member says counts and can be held: messages, replies, comments on a review. What the program posts as part of
//! another decision is exempt: a review request, a verdict, a report, "this is ready now". Each of those needs a step of
//! work that can't be taken twice, so they end by themselves; and held back they would hide that work has moved.

use crate::entity::{Message, Task};
use crate::limits;
use crate::team::TeamConfig;
use crate::vocabulary::HoldReason;

/// What the guard knows when a message is sent.
#[derive(Clone, Debug, Default)]
pub struct Traffic {
    /// The newest message of the thread, with whether a human sent it.
    pub newest: Option<(Message, bool)>,
    /// The most messages this sender wrote to any of the recipients in the window.
    pub pair_messages: u32,
}

/// The budgets of the team.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    /// Messages of a thread between agents since a human spoke or the task moved.
    pub max_hops: u32,
    /// Messages of one ordered pair in the window.
    pub pair_messages: u32,
}

impl Budget {
    /// The team's budgets, or those of a hub without a team file.
    pub fn of(team: Option<&TeamConfig>) -> Self {
        match team {
            Some(team) => Self { max_hops: team.rules.max_hops, pair_messages: team.rules.pair_messages },
            None => Self { max_hops: limits::HOPS_DEFAULT, pair_messages: limits::PAIR_MESSAGES_DEFAULT },
        }
    }
}

/// How many hops this message has, and whether it must be held.
pub fn judge(
    traffic: &Traffic,
    task: Option<&Task>,
    from_human: bool,
    budget: Budget,
) -> (u32, Option<HoldReason>) {
    let hops = match &traffic.newest {
        _ if from_human => 0,
        None | Some((_, true)) => 1,
        Some((newest, false)) => {
            // Work that moves is not a loop.
            let moved = task.is_some_and(|task| task.moved.at > newest.sent.at);
            if moved { 1 } else { newest.hops.saturating_add(1) }
        }
    };
    if from_human {
        return (hops, None);
    }
    if hops > budget.max_hops {
        return (hops, Some(HoldReason::Hops));
    }
    if traffic.pair_messages >= budget.pair_messages {
        return (hops, Some(HoldReason::Rate));
    }
    (hops, None)
}

/// A bare acknowledgement: delivered like any message, but nobody is woken for it.
pub fn says_nothing(subject: &str, body: &str) -> bool {
    const EMPTY: &[&str] = &[
        "ack",
        "acknowledged",
        "agreed",
        "done",
        "fine",
        "good",
        "got it",
        "great",
        "noted",
        "ok",
        "okay",
        "on it",
        "perfect",
        "received",
        "roger",
        "sounds good",
        "sure",
        "thank you",
        "thanks",
        "thx",
        "understood",
        "will do",
        "yes",
        "了解",
        "了解です",
        "承知",
        "承知しました",
        "ありがとう",
        "ありがとうございます",
        "好的",
        "收到",
        "谢谢",
    ];
    let plain = |text: &str| -> String {
        let words: String = text.chars().filter(|c| c.is_alphanumeric() || c.is_whitespace()).collect();
        words.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
    };
    let said = if body.trim().is_empty() { plain(subject) } else { plain(body) };
    said.is_empty() || EMPTY.contains(&said.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bare_acknowledgements_are_told_from_words() {
        for empty in ["OK!", "👍", "Thanks.", "  got it ", "了解です。", "Sounds good!!"] {
            assert!(says_nothing("Re: schema", empty), "{empty}");
        }
        for said in ["ok, but the id is wrong", "done: see task", "不行", "no"] {
            assert!(!says_nothing("Re: schema", said), "{said}");
        }
        assert!(!says_nothing("Schema ready", ""));
    }

    #[test]
    fn a_human_is_never_held_and_starts_the_count_anew() {
        let budget = Budget { max_hops: 0, pair_messages: 0 };
        assert_eq!(judge(&Traffic::default(), None, true, budget), (0, None));
        assert_eq!(judge(&Traffic::default(), None, false, budget).1, Some(HoldReason::Hops));
    }
}
