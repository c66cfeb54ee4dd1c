//! Notices to the person: what is said on a phone or a desktop, and what a reply from there means.
//!
//! Owns the words and the reading of replies. A notice carries who needs what: subjects, which may be the first line of a
//! text, and never the rest of it. Whoever knows the topic can reply, so a reply counts as claimed and never more.

use crate::event::Micros;
use crate::ids::MessageId;
use crate::line::{moment, one_line};
use crate::name::Address;
use crate::phrasing::{Dialect, Obligation};
use crate::secrets;
use crate::vocabulary::Priority;

/// Characters of a subject in a notice.
const SUBJECT_CHARS: usize = 160;
/// Characters of an id or a name that could not be understood.
const WORD_CHARS: usize = 70;
/// Characters of a default in a notice.
const DEFAULT_CHARS: usize = 80;
/// How far the clock of a server may be behind ours. Nobody replies within the second, so little is enough; and what is asked
/// within this time after words were written could be answered by them.
const CLOCKS_US: Micros = 2_000_000;

/// What is said to the person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// One line: who needs what.
    pub title: String,
    /// A few lines: until when, what happens otherwise, how to answer. It may leave the machine.
    pub text: String,
    /// What stands in the place of the text where it stays on the machine, or where the user wants every detail.
    pub detail: Option<String>,
    /// How urgent.
    pub priority: Priority,
    /// What it is about, where it is about a message.
    pub about: Option<MessageId>,
    /// Deduplication key: one notice for each.
    pub key: Option<String>,
}

impl Notice {
    /// Every detail of it.
    pub fn whole(&self) -> &str {
        self.detail.as_deref().unwrap_or(&self.text)
    }
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
    /// It needs no answer: this command shows it.
    Nothing(String),
}

impl AnsweredBy {
    /// How a duty of the person's own is answered.
    pub fn obligation(obligation: &Obligation<'_>) -> Self {
        match obligation.is_settled_by_reply() {
            true => Self::Reply,
            false => Self::Command(obligation.settle(Dialect::Shell)),
        }
    }

    /// Whether plain words answer it.
    pub fn takes_words(&self) -> bool {
        !matches!(self, Self::Command(_) | Self::Nothing(_))
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
    /// When it was asked.
    pub asked: Micros,
    /// How often it was asked.
    pub times: u32,
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
    let Plea { id, from, project, subject, asked: _, times, deadline, default, priority, answered_by } = plea;
    let mut lines = vec![told("the subject", subject, SUBJECT_CHARS)];
    if *times > 1 {
        lines.push(format!("Asked {times} times."));
    }
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
        AnsweredBy::Nothing(command) => format!("Read it: {command}"),
    });
    let what = if matches!(answered_by, AnsweredBy::Nothing(_)) { "reports" } else { "needs an answer" };
    Notice {
        title: format!("{}: {} {what}", one_line(project, 60), one_line(from, 64)),
        text: lines.join("\n"),
        detail: None,
        priority: *priority,
        about: Some(id.clone()),
        key: Some(id.to_string()),
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
        detail: None,
        priority: Priority::Medium,
        about: None,
        key: None,
    }
}

/// A notice that an agent can't be reached by any way there is.
pub fn of_silence(sentence: &str, command: &str) -> Notice {
    Notice {
        title: one_line(sentence, SUBJECT_CHARS),
        text: format!("Look at it: {command}"),
        detail: None,
        priority: Priority::Medium,
        about: None,
        key: None,
    }
}

/// A notice that says why a reply led to nothing.
pub fn of_unclear(why: &str) -> Notice {
    Notice {
        title: "Your reply was not an answer".to_owned(),
        text: why.to_owned(),
        detail: None,
        priority: Priority::Medium,
        about: None,
        key: None,
    }
}

/// What a person's words from outside mean.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// An answer to this question.
    Answer(MessageId, String),
    /// Words for whoever is written to like this.
    To(Address, String),
    /// Words for whoever leads the team.
    Lead(String),
    /// It is not clear what is meant; the sentence says why.
    Unclear(String),
}

/// A question that waits for the person's words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// The message that asks.
    pub id: MessageId,
    /// When it was asked.
    pub asked: Micros,
}

/// Understands a reply, given when it was written and the questions that wait for the person now, oldest first.
///
/// `msg-7k3m yes` answers that one, `@kimi look here` is for kimi and `@all stop` for everybody. Plain words answer the one
/// open question that was asked when they were written; where there is none they are for whoever leads the team, and where
/// there are more nobody but the person knows which is meant. What was asked only since then is not what they were meant for.
pub fn understand(said: &str, written: Micros, open: &[Question]) -> Option<Reply> {
    let said = said.trim();
    let (first, rest) = said.split_once(char::is_whitespace).unwrap_or((said, ""));
    let rest = rest.trim();
    if said.is_empty() {
        return None;
    }
    if is_meant_as_id(first) {
        return Some(answer(first.trim_end_matches([':', ',', '.']), rest, open));
    }
    if let Some(name) = first.strip_prefix('@') {
        return Some(message(name.trim_end_matches([':', ',']), rest));
    }
    let (before, since): (Vec<&Question>, Vec<&Question>) =
        open.iter().partition(|question| question.asked <= written.saturating_add(CLOCKS_US));
    Some(match (before.as_slice(), since.as_slice()) {
        ([], []) => Reply::Lead(said.to_owned()),
        ([], later) => Reply::Unclear(format!(
            "you wrote that before you were asked what waits for you now. To answer, begin with its id: {}",
            ids(later)
        )),
        ([one], _) => Reply::Answer(one.id.clone(), said.to_owned()),
        (several, _) => Reply::Unclear(format!(
            "{} questions wait for you. To answer one, begin with its id: {}. To write to somebody, begin with @NAME",
            several.len(),
            ids(several)
        )),
    })
}

fn ids(questions: &[&Question]) -> String {
    let ids: Vec<&str> = questions.iter().map(|question| question.id.as_str()).collect();
    ids.join(", ")
}

/// Nobody begins a sentence like this: whoever does means a question, whether there is one or not.
fn is_meant_as_id(word: &str) -> bool {
    word.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("msg-"))
}

fn answer(typed: &str, text: &str, open: &[Question]) -> Reply {
    let meant: Vec<&Question> = open.iter().filter(|question| question.id.begins_with(typed)).collect();
    let shown = one_line(typed, WORD_CHARS);
    match (meant.as_slice(), text.is_empty()) {
        ([], _) => {
            Reply::Unclear(format!("{shown} waits for no answer of yours: it was answered, or never asked"))
        }
        ([one], true) => Reply::Unclear(format!("there is no answer: write {} and the text", one.id)),
        ([one], false) => Reply::Answer(one.id.clone(), text.to_owned()),
        (several, _) => {
            Reply::Unclear(format!("{shown} is the beginning of {}: write more of it", ids(several)))
        }
    }
}

fn message(name: &str, text: &str) -> Reply {
    match Address::parse(name) {
        Err(problem) => Reply::Unclear(format!("nobody got your words: {}", problem.sentence)),
        Ok(Address::Operator) => Reply::Unclear("nobody got your words: the operator is you".to_owned()),
        Ok(to) if text.is_empty() => {
            Reply::Unclear(format!("there are no words for {to}: write @{to} and the text"))
        }
        Ok(to) => Reply::To(to, text.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// When the words of these tests were written.
    const WRITTEN: Micros = 1_800_000_000_000_000;

    fn question(bits: u64, asked: Micros) -> Question {
        Question { id: MessageId::from_bits(bits), asked }
    }

    fn open(count: u64) -> Vec<Question> {
        (0..count).map(|n| question(n << 56 | 7, WRITTEN - 60_000_000)).collect()
    }

    #[test]
    fn a_reply_answers_what_it_names_or_the_only_question() {
        let one = open(1);
        let two = open(2);
        let said = |text: &str, open: &[Question]| match understand(text, WRITTEN, open) {
            None => "nothing".to_owned(),
            Some(Reply::Answer(id, text)) => format!("answers {id}: {text}"),
            Some(Reply::To(name, text)) => format!("to {name}: {text}"),
            Some(Reply::Lead(text)) => format!("to the lead: {text}"),
            Some(Reply::Unclear(why)) => format!("unclear: {why}"),
        };
        let shown = [
            said("  ", &one),
            said("yes do it", &one),
            said("yes do it", &two),
            said("yes do it", &[]),
            said(&format!("{} yes", two[1].id), &two),
            said("MSG-0000: no", &one),
            said(two[0].id.as_str(), &two),
            said("msg-zzzz yes", &two),
            said("msg-0000 yes", &[one[0].clone(), question(9, 0)]),
            said("@captain stop the build", &one),
            said("@captain", &one),
            said("@member1: look at the build", &one),
            said("@member1, hi", &one),
            said("@all stop now", &one),
            said("@operator hello", &one),
            said("@ hello", &one),
            said("@member1:hello there", &one),
            said("msg-0 yes", &one),
            said("msg-z yes", &one),
            said("msg- yes", &one),
            said("msg-what? yes", &one),
        ];
        insta::assert_snapshot!(shown.join("\n"), @r"
        nothing
        answers msg-000000000007: yes do it
        unclear: 2 questions wait for you. To answer one, begin with its id: msg-000000000007, msg-200000000007. To write to somebody, begin with @NAME
        to the lead: yes do it
        answers msg-200000000007: yes
        answers msg-000000000007: no
        unclear: there is no answer: write msg-000000000007 and the text
        unclear: msg-zzzz waits for no answer of yours: it was answered, or never asked
        unclear: msg-0000 is the beginning of msg-000000000007, msg-000000000009: write more of it
        to captain: stop the build
        unclear: there are no words for captain: write @captain and the text
        to member1: look at the build
        to member1: hi
        to all: stop now
        unclear: nobody got your words: the operator is you
        unclear: nobody got your words: A name can't be empty.
        unclear: nobody got your words: `member1:hello` holds `:`; a name has only a-z, 0-9, `.`, `_` and `-`.
        answers msg-000000000007: yes
        unclear: msg-z waits for no answer of yours: it was answered, or never asked
        unclear: msg- waits for no answer of yours: it was answered, or never asked
        unclear: msg-what? waits for no answer of yours: it was answered, or never asked
        ");
    }

    #[test]
    fn plain_words_answer_nothing_that_was_asked_after_they_were_written() {
        let (before, a_moment) = (question(7, WRITTEN - 60_000_000), question(8, WRITTEN + 1_000_000));
        let since = question(9, WRITTEN + 30_000_000);
        let answer = |question: &Question| Some(Reply::Answer(question.id.clone(), "yes".to_owned()));
        let said = |open: &[Question]| understand("yes", WRITTEN, open);
        assert_eq!(said(&[before.clone(), since.clone()]), answer(&before));
        assert_eq!(said(std::slice::from_ref(&a_moment)), answer(&a_moment), "clocks differ a little");
        let Some(Reply::Unclear(why)) = said(std::slice::from_ref(&since)) else { panic!("it was answered") };
        assert!(why.contains(since.id.as_str()), "{why}");
        let named = format!("{} yes", since.id);
        assert_eq!(understand(&named, WRITTEN, std::slice::from_ref(&since)), answer(&since));
    }

    #[test]
    fn a_notice_says_who_needs_what_until_when_and_how_to_answer() {
        let plea = Plea {
            id: MessageId::from_bits(7),
            from: "kimi".into(),
            project: "parser".into(),
            subject: "Escalation: may I\ndrop the table?".into(),
            asked: WRITTEN,
            times: 1,
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
            asked: WRITTEN,
            times: 1,
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
            if let Some(Reply::Answer(id, text)) = understand(&said, WRITTEN, &open) {
                prop_assert!(open.iter().any(|one| one.id == id) && !text.trim().is_empty());
            }
        }
    }
}
