//! Repeats: the same question to a person, asked again before it was answered.
//!
//! Pure. Owns what makes a repeat. See docs/decisions/0041-traffic-budget.md.

use crate::entity::Message;
use crate::ids::{MessageId, TaskId};
use crate::vocabulary::Duty;

/// The kind of a reference from a repeat to the question that it repeats.
pub const REPEATS_REF: &str = "repeats";

/// What a member asks, with its words.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    /// The obligation.
    pub duty: Duty,
    /// The task it is about.
    pub task: Option<&'a TaskId>,
    /// One line.
    pub subject: &'a str,
    /// Markdown, where there is a body.
    pub body: Option<&'a str>,
}

impl Asked<'_> {
    /// Whether another question of the same sender asks the same: the same obligation about the same task, with the same
    /// subject or the same body.
    pub fn repeats(&self, first: &Asked<'_>) -> bool {
        let same = |one: &str, other: &str| {
            let (one, other) = (plain(one), plain(other));
            !one.is_empty() && one == other
        };
        let same_body = || self.body.zip(first.body).is_some_and(|(one, other)| same(one, other));
        (self.duty, self.task) == (first.duty, first.task)
            && (same(self.subject, first.subject) || same_body())
    }
}

/// Only a question and a call for help can be repeated: anything else names what it is about.
pub fn is_repeatable(duty: Duty) -> bool {
    matches!(duty, Duty::Answer | Duty::Unblock)
}

/// The question that a message repeats.
pub fn repeated_by(message: &Message) -> Option<MessageId> {
    let reference = message.refs.iter().find(|reference| reference.kind == REPEATS_REF)?;
    MessageId::parse(&reference.target).ok()
}

/// Words without case, punctuation, spacing and a leading "Re:". Numbers stay: another number is another question.
fn plain(text: &str) -> String {
    let words = text.trim();
    let words = words.get(..3).filter(|head| head.eq_ignore_ascii_case("re:")).map_or(words, |_| &words[3..]);
    let kept: String =
        words.chars().map(|c| if c.is_alphanumeric() { c } else { ' ' }).collect::<String>().to_lowercase();
    kept.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn same_words_about_same_thing_are_a_repeat() {
        let (one, other) = (TaskId::from_bits(1), TaskId::from_bits(2));
        let first = Asked { duty: Duty::Answer, task: Some(&one), subject: "Which port?", body: None };
        let table = [
            (Asked { subject: "Re: which  port", ..first }, true),
            (Asked { subject: "WHICH PORT???", body: Some("I still wait."), ..first }, true),
            (Asked { subject: "Which port 2?", ..first }, false),
            (Asked { task: Some(&other), ..first }, false),
            (Asked { task: None, ..first }, false),
            (Asked { duty: Duty::Unblock, ..first }, false),
            (Asked { subject: "Which host?", ..first }, false),
        ];
        for (again, expected) in table {
            assert_eq!(again.repeats(&first), expected, "{again:?}");
        }
        let long = Asked { subject: "Question 1", body: Some("May I drop the table?"), ..first };
        assert!(Asked { subject: "Question 2", ..long }.repeats(&long), "the body says the same");
        assert!(
            !Asked { subject: "?", ..first }.repeats(&Asked { subject: "!", ..first }),
            "no words, no repeat"
        );
        assert!(Asked { subject: "日本語？", ..first }.repeats(&Asked { subject: "日本語", ..first }));
    }
}
