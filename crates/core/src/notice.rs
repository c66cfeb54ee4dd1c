//! Notices to the person: what is said on a phone or a desktop, and what a reply from there means.
//!
//! Owns the words and the reading of replies. A notice carries who needs what: subjects, which may be the first line of a
//! text, and never the rest of it. Whoever knows the topic can reply, so a reply counts as claimed and never more.

use crate::briefing::settle_command;
use crate::event::Micros;
use crate::ids::{MessageId, TaskId};
use crate::line::{moment, one_line};
use crate::name::Name;
use crate::secrets;
use crate::vocabulary::{Duty, Priority};

/// Characters of a subject in a notice.
const SUBJECT_CHARS: usize = 160;
/// Characters of a default in a notice.
const DEFAULT_CHARS: usize = 80;

/// What is said to the person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// One line: who needs what.
    pub title: String,
    /// A few lines: until when, what happens otherwise, how to answer.
    pub text: String,
    /// How urgent.
    pub priority: Priority,
    /// What it is about, where it is about a message.
    pub about: Option<MessageId>,
}

/// How the person answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AnsweredBy {
    /// A matter that went up to them: their words settle it in the place of who was asked.
    Escalation,
    /// They were asked themselves: their words are the reply.
    Reply,
    /// Words are not enough: this command.
    Command(String),
}

impl AnsweredBy {
    /// How a duty of the person's own is answered.
    pub fn duty(duty: Duty, message: &MessageId, task: Option<&TaskId>) -> Self {
        match duty {
            Duty::Answer | Duty::Unblock | Duty::Position => Self::Reply,
            Duty::Acknowledge | Duty::Accept | Duty::Verdict | Duty::Start => {
                Self::Command(settle_command(duty, message.as_str(), task.map(TaskId::as_str)))
            }
        }
    }

    /// Whether plain words answer it.
    pub fn takes_words(&self) -> bool {
        !matches!(self, Self::Command(_))
    }
}

/// Something that waits for the person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plea {
    /// The message that asks.
    pub id: MessageId,
    /// Who needs an answer, as shown.
    pub from: String,
    /// In which project.
    pub project: String,
    /// One line.
    pub subject: String,
    /// Until when an answer helps.
    pub deadline: Option<Micros>,
    /// What happens without one.
    pub default: Option<String>,
    /// How urgent.
    pub priority: Priority,
    /// How it is answered.
    pub answered_by: AnsweredBy,
}

/// The notice of something that waits for the person.
pub fn of_plea(plea: &Plea) -> Notice {
    let Plea { id, from, project, subject, deadline, default, priority, answered_by } = plea;
    let mut lines = vec![told("the subject", subject, SUBJECT_CHARS)];
    if let Some(deadline) = deadline {
        lines.push(format!("Answer before {}.", moment(*deadline)));
    }
    if let Some(default) = default {
        lines.push(format!("Without an answer: {}", told("the default", default, DEFAULT_CHARS)));
    }
    lines.push(match answered_by {
        AnsweredBy::Escalation => format!("Answer: interagent msg answer {id} -m TEXT"),
        AnsweredBy::Reply => format!("Answer: interagent reply {id} -m TEXT"),
        AnsweredBy::Command(command) => format!("Do it: {command}"),
    });
    Notice {
        title: format!("{}: {} needs an answer", one_line(project, 60), one_line(from, 64)),
        text: lines.join("\n"),
        priority: *priority,
        about: Some(id.clone()),
    }
}

/// A text of a member in one line, unless it holds what looks like a secret: a notice leaves the machine and stands on locked
/// screens.
fn told(what: &str, text: &str, chars: usize) -> String {
    match secrets::first(text) {
        None => one_line(text, chars),
        Some(found) => format!("({what} is held back: it looks like {})", found.kind.told()),
    }
}

/// A notice that nothing is wrong with the way here.
pub fn of_test(project: &str) -> Notice {
    Notice {
        title: format!("{}: a test", one_line(project, 60)),
        text: "Notifications of interagent arrive here.".to_owned(),
        priority: Priority::Medium,
        about: None,
    }
}

/// A notice that an agent can't be reached by any way there is.
pub fn of_silence(sentence: &str, command: &str) -> Notice {
    Notice {
        title: one_line(sentence, SUBJECT_CHARS),
        text: format!("Look at it: {command}"),
        priority: Priority::Medium,
        about: None,
    }
}

/// A notice that says why a reply led to nothing, or to something else than may have been meant.
pub fn of_unclear(why: &str) -> Notice {
    Notice {
        title: "Your reply was not an answer".to_owned(),
        text: why.to_owned(),
        priority: Priority::Medium,
        about: None,
    }
}

/// What a person's words from outside mean.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// An answer to this question.
    Answer(MessageId, String),
    /// Words for a member, by name.
    To(Name, String),
    /// Words for whoever leads the team, with what the person should know.
    Lead(String, Option<String>),
    /// It is not clear what is meant; the sentence says why.
    Unclear(String),
}

/// Understands a reply, given the questions that wait for the person, oldest first.
///
/// `msg-7k3m yes` answers that one, `@kimi look here` is for kimi, plain words answer the one open question; where there
/// is none, or more than one, they are for whoever leads the team.
pub fn understand(said: &str, open: &[MessageId]) -> Option<Reply> {
    let said = said.trim();
    let (first, rest) = said.split_once(char::is_whitespace).unwrap_or((said, ""));
    let rest = rest.trim();
    if said.is_empty() {
        return None;
    }
    if let Some(prefix) = named(first) {
        return Some(answer(&prefix, rest, open));
    }
    if let Some(name) = first.strip_prefix('@').and_then(|name| Name::parse(name).ok()) {
        return Some(match rest.is_empty() {
            true => Reply::Unclear(format!("there are no words for {name}: write @{name} and the text")),
            false => Reply::To(name, rest.to_owned()),
        });
    }
    Some(match open {
        [] => Reply::Lead(said.to_owned(), None),
        [one] => Reply::Answer(one.clone(), said.to_owned()),
        several => {
            let ids: Vec<&str> = several.iter().map(MessageId::as_str).collect();
            let why = format!(
                "{} questions wait for you, so your words went to whoever leads the team. To answer one, begin with its id: {}",
                several.len(),
                ids.join(", ")
            );
            Reply::Lead(said.to_owned(), Some(why))
        }
    })
}

/// The beginning of an id, where a word is one.
fn named(word: &str) -> Option<String> {
    let word = word.trim_end_matches([':', ',', '.']);
    word.get(..4).filter(|start| start.eq_ignore_ascii_case("msg-"))?;
    MessageId::fold_prefix(word)
}

fn answer(prefix: &str, text: &str, open: &[MessageId]) -> Reply {
    let meant: Vec<&MessageId> = open.iter().filter(|id| id.as_str().starts_with(prefix)).collect();
    match (meant.as_slice(), text.is_empty()) {
        ([], _) => {
            Reply::Unclear(format!("{prefix} waits for no answer of yours: it was answered, or never asked"))
        }
        ([one], true) => Reply::Unclear(format!("there is no answer: write {one} and the text")),
        ([one], false) => Reply::Answer((*one).clone(), text.to_owned()),
        (several, _) => {
            let ids: Vec<&str> = several.iter().map(|id| id.as_str()).collect();
            Reply::Unclear(format!("{prefix} is the beginning of {}: write more of it", ids.join(" and ")))
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn open(count: u64) -> Vec<MessageId> {
        (0..count).map(|n| MessageId::from_bits(n << 56 | 7)).collect()
    }

    #[test]
    fn a_reply_answers_what_it_names_or_the_only_question() {
        let one = open(1);
        let two = open(2);
        let said = |text: &str, open: &[MessageId]| match understand(text, open) {
            None => "nothing".to_owned(),
            Some(Reply::Answer(id, text)) => format!("answers {id}: {text}"),
            Some(Reply::To(name, text)) => format!("to {name}: {text}"),
            Some(Reply::Lead(text, why)) => format!("to the lead: {text} ({})", why.unwrap_or_default()),
            Some(Reply::Unclear(why)) => format!("unclear: {why}"),
        };
        let shown = [
            said("  ", &one),
            said("yes do it", &one),
            said("yes do it", &two),
            said("yes do it", &[]),
            said(&format!("{} yes", two[1]), &two),
            said("MSG-0000: no", &one),
            said(two[0].as_str(), &two),
            said("msg-zzzz yes", &two),
            said("msg-0000 yes", &[one[0].clone(), MessageId::from_bits(9)]),
            said("@captain stop the build", &one),
            said("@captain", &one),
        ];
        insta::assert_snapshot!(shown.join("\n"), @r"
        nothing
        answers msg-000000000007: yes do it
        to the lead: yes do it (2 questions wait for you, so your words went to whoever leads the team. To answer one, begin with its id: msg-000000000007, msg-200000000007)
        to the lead: yes do it ()
        answers msg-200000000007: yes
        answers msg-000000000007: no
        unclear: there is no answer: write msg-000000000007 and the text
        unclear: msg-zzzz waits for no answer of yours: it was answered, or never asked
        unclear: msg-0000 is the beginning of msg-000000000007 and msg-000000000009: write more of it
        to captain: stop the build
        unclear: there are no words for captain: write @captain and the text
        ");
    }

    #[test]
    fn a_notice_says_who_needs_what_until_when_and_how_to_answer() {
        let plea = Plea {
            id: MessageId::from_bits(7),
            from: "kimi".into(),
            project: "parser".into(),
            subject: "Escalation: may I\ndrop the table?".into(),
            deadline: Some(1_800_000_000_000_000),
            default: Some("wait".into()),
            priority: Priority::High,
            answered_by: AnsweredBy::Escalation,
        };
        let Notice { title, text, .. } = of_plea(&plea);
        insta::assert_snapshot!(format!("{title}\n{text}"), @r"
        parser: kimi needs an answer
        Escalation: may I drop the table?
        Answer before 2027-01-15 08:00 UTC.
        Without an answer: wait
        Answer: interagent msg answer msg-000000000007 -m TEXT
        ");
    }

    #[test]
    fn what_looks_like_a_secret_leaves_in_no_notice() {
        let secret = ["ghp", "16C7e42F292c6912E7710c838347Ae178B4a"].join("_");
        let plea = Plea {
            id: MessageId::from_bits(7),
            from: "kimi".into(),
            project: "parser".into(),
            subject: format!("Escalation: is {secret} the right one?"),
            deadline: None,
            default: Some(format!("use {secret}")),
            priority: Priority::High,
            answered_by: AnsweredBy::Escalation,
        };
        let Notice { title, text, .. } = of_plea(&plea);
        insta::assert_snapshot!(format!("{title}\n{text}"), @r"
        parser: kimi needs an answer
        (the subject is held back: it looks like a GitHub token)
        Without an answer: (the default is held back: it looks like a GitHub token)
        Answer: interagent msg answer msg-000000000007 -m TEXT
        ");
    }

    proptest! {
        #[test]
        fn an_answer_always_goes_to_an_open_question(said in "\\PC{0,60}", count in 0_u64..4) {
            let open = open(count);
            if let Some(Reply::Answer(id, text)) = understand(&said, &open) {
                prop_assert!(open.contains(&id) && !text.trim().is_empty());
            }
        }
    }
}
