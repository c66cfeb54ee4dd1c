//! The hops of a conversation, and words that say nothing. What is over the budget is decided in [`crate::traffic`].

use crate::entity::{Message, Task};

/// The newest message of a conversation.
#[derive(Clone, Debug)]
pub struct Newest {
    /// The message.
    pub message: Message,
    /// A person sent it.
    pub by_person: bool,
}

/// Messages in a row between agents, this one included, since a person spoke or the task moved.
pub fn hops(newest: Option<&Newest>, task: Option<&Task>, from_human: bool) -> u32 {
    match newest {
        _ if from_human => 0,
        None | Some(Newest { by_person: true, .. }) => 1,
        Some(Newest { message, .. }) => {
            // Work that moves is not a loop.
            let moved = task.is_some_and(|task| task.moved.at > message.sent.at);
            if moved { 1 } else { message.hops.saturating_add(1) }
        }
    }
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
}
