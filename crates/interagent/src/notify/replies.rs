//! What the person writes on the topic becomes an answer or a message.
//!
//! Whoever knows the topic can write there, so it counts as claimed. Each line has the server's id for a key: taken twice, it
//! does nothing more.

use interagent_core::ids::MessageId;
use interagent_core::notice::{AnsweredBy, Question, Reply, of_unclear, understand};
use interagent_core::refusal::{Refusal, RefusalKind};
use interagent_core::vocabulary::{Intent, Priority};
use interagent_operations::{Hub, LocalHub};
use interagent_wake::notify::{Heard, Ways, announce};
use interagent_wire::request::{MessageAnswer, MessageReply, MessageSend};
use interagent_wire::{Caller, LocalEffect, Request};

/// Marks of how far a topic was read.
const READ_UP_TO: &str = "ntfy.read";

/// What became of a line.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Taken {
    /// It was a notice of ours, empty, or taken before.
    PassedOver,
    /// It answered this question.
    Answered(MessageId),
    /// It went there as a message.
    SentTo(String),
    /// It led to nothing, and the person was told why.
    Unclear(String),
}

/// Where to go on reading a topic: after the last line that was taken, or else from now on.
pub(crate) fn since(hub: &mut LocalHub, topic: &str, now_us: i64) -> Result<String, Refusal> {
    Ok(hub.kept(READ_UP_TO, topic)?.unwrap_or_else(|| (now_us / 1_000_000).to_string()))
}

/// Forgets how far a topic was read: who allows it again hears what is written from then on, and not what somebody wrote
/// while it was not allowed.
pub(crate) fn forget_topic(hub: &mut LocalHub, topic: &str) -> Result<(), Refusal> {
    hub.forget(READ_UP_TO, topic)
}

/// Takes one line of a topic. What it leaves to do on this machine is for the caller to carry out.
pub(crate) fn take(
    hub: &mut LocalHub,
    topic: &str,
    heard: &Heard,
    ways: &Ways,
) -> Result<(Taken, Vec<LocalEffect>), Refusal> {
    let (taken, effects) = act(hub, heard, ways)?;
    // Last: a line that was cut off here is taken again, and its key makes that harmless.
    hub.keep(READ_UP_TO, topic, &heard.id)?;
    Ok((taken, effects))
}

fn act(hub: &mut LocalHub, heard: &Heard, ways: &Ways) -> Result<(Taken, Vec<LocalEffect>), Refusal> {
    let nothing = |taken| Ok((taken, Vec::new()));
    let Some(words) = &heard.words else { return nothing(Taken::PassedOver) };
    let key = format!("ntfy-{}", heard.id);
    // Whoever was killed before it noted the line had done what it asks for, and what is open now is not what was open then.
    if hub.has_taken(&key)? {
        return nothing(Taken::PassedOver);
    }
    let mut pleas = hub.open_pleas()?;
    pleas.retain(|plea| plea.answered_by.takes_words());
    let open = pleas.iter().map(|plea| Question { id: plea.id.clone(), asked: plea.asked });
    let open: Vec<Question> = open.collect();
    let Some(reply) = understand(words, heard.written, &open) else { return nothing(Taken::PassedOver) };
    let key = Some(key);
    let message = |to: &str, body: &str| MessageSend {
        to: vec![to.to_owned()],
        intent: Some(Intent::Message),
        body: Some(body.to_owned()),
        priority: Some(Priority::High),
        key: key.clone(),
        ..MessageSend::default()
    };
    let (request, taken): (Request, Taken) = match reply {
        Reply::Answer(id, body) => {
            let (message, key) = (id.to_string(), key.clone());
            let is_up = pleas.iter().any(|plea| plea.id == id && plea.answered_by == AnsweredBy::Escalation);
            let request = match is_up {
                true => MessageAnswer { message, body, key }.into(),
                false => MessageReply { message, body: Some(body), key, ..MessageReply::default() }.into(),
            };
            (request, Taken::Answered(id))
        }
        Reply::To(to, body) => {
            let to = to.to_string();
            (message(&to, &body).into(), Taken::SentTo(to))
        }
        Reply::Lead(body) => {
            let team = hub.store().read(|reader| Ok::<_, Refusal>(reader.team()?))?;
            let Some(lead) = team.and_then(|team| team.config.principal) else {
                let why = "nobody leads this team: begin with @NAME, or with the id of what you answer";
                return unclear(why.to_owned(), ways);
            };
            (message(lead.as_str(), &body).into(), Taken::SentTo(lead.to_string()))
        }
        Reply::Unclear(why) => return unclear(why, ways),
    };
    // Nobody sits at a terminal here: the record says that only the topic vouches for it.
    match hub.call(&Caller::default(), request) {
        Ok(done) => Ok((taken, done.effects)),
        Err(refusal) if refusal.kind == RefusalKind::Unavailable => Err(refusal),
        // Somebody else who listens was faster.
        Err(refusal) if refusal.code == "key_conflict" => nothing(Taken::PassedOver),
        Err(refusal) => unclear(refusal.sentence, ways),
    }
}

fn unclear(why: String, ways: &Ways) -> Result<(Taken, Vec<LocalEffect>), Refusal> {
    announce(&of_unclear(&why), ways);
    Ok((Taken::Unclear(why), Vec::new()))
}

#[cfg(test)]
pub(super) mod tests {
    use interagent_core::team::{TeamConfig, render};
    use interagent_operations::Opening;
    use interagent_wire::Answer;
    use interagent_wire::request::{MessageEscalate, TeamTake};

    use super::*;
    use crate::values::now_us;

    /// A hub with a duo, in a directory.
    pub(in super::super) fn hub(dir: &std::path::Path) -> LocalHub {
        let opening = Opening {
            hub_dir: dir.to_owned(),
            create: true,
            alias: "here".into(),
            hub_id: None,
            user_dir: None,
        };
        let mut hub = LocalHub::open(&opening).unwrap();
        let text = render(&TeamConfig::usual_duo("demo"));
        hub.call(&Caller::operator(), TeamTake { text }.into()).unwrap();
        hub
    }

    fn escalate(hub: &mut LocalHub) -> String {
        let question = MessageSend {
            to: vec!["kimi".into()],
            intent: Some(Intent::Question),
            body: Some("Which key?".into()),
            ..MessageSend::default()
        };
        let Answer::Sent(sent) = hub.call(&Caller::agent("claude"), question.into()).unwrap().answer else {
            panic!("it was sent");
        };
        let up = MessageEscalate { message: sent.id, reason: "It is gone.".into(), ..Default::default() };
        let Answer::Sent(sent) = hub.call(&Caller::agent("kimi"), up.into()).unwrap().answer else {
            panic!("it went up");
        };
        sent.id
    }

    /// A line that was written just now.
    pub(in super::super) fn line(id: &str, words: &str) -> Heard {
        Heard { id: id.to_owned(), written: now_us(), words: Some(words.to_owned()) }
    }

    #[test]
    fn a_line_that_was_acted_on_and_not_noted_is_taken_for_done() {
        let dir = tempfile::tempdir().unwrap();
        let mut hub = hub(dir.path());
        let ways = Ways::default();
        let first = escalate(&mut hub);
        let named = format!("{first} yes");
        let lines = [line("n1", &named), line("n2", "@claude look here"), line("n3", "well done")];
        let taken: Vec<Taken> =
            lines.iter().map(|line| take(&mut hub, "t", line, &ways).unwrap().0).collect();
        assert!(matches!(&taken[0], Taken::Answered(id) if id.as_str() == first), "{taken:?}");
        assert_eq!(taken[1], Taken::SentTo("claude".into()));
        // Killed before any of it was noted: the lines come again, and plain words would answer something else now.
        hub.forget(READ_UP_TO, "t").unwrap();
        escalate(&mut hub);
        let entries = hub.store().head().unwrap().seq;
        for line in lines.iter().take(2) {
            assert_eq!(take(&mut hub, "t", line, &ways).unwrap().0, Taken::PassedOver, "{line:?}");
        }
        assert_eq!(hub.store().head().unwrap().seq, entries);
    }

    #[test]
    fn whom_a_line_names_gets_it_and_what_is_not_clear_reaches_nobody() {
        let dir = tempfile::tempdir().unwrap();
        let mut hub = hub(dir.path());
        let mut number = 0;
        let mut taken = |hub: &mut LocalHub, words: &str| {
            number += 1;
            take(hub, "t", &line(&format!("n{number}"), words), &Ways::default()).unwrap().0
        };
        for (words, to) in [("@kimi: look here", "kimi"), ("@kimi, hi", "kimi"), ("@all stop now", "all")] {
            assert_eq!(taken(&mut hub, words), Taken::SentTo(to.into()), "{words}");
        }
        let (first, second) = (escalate(&mut hub), escalate(&mut hub));
        let entries = hub.store().head().unwrap().seq;
        for (words, said) in
            [("@nobody hello", "nobody"), ("yes", &*first), ("yes", &*second), ("msg-u yes", "msg-u")]
        {
            let taken = taken(&mut hub, words);
            assert!(matches!(&taken, Taken::Unclear(why) if why.contains(said)), "{words}: {taken:?}");
        }
        assert_eq!(hub.store().head().unwrap().seq, entries, "nobody was told anything");
    }

    #[test]
    fn plain_words_mean_what_they_meant_when_they_were_taken() {
        let dir = tempfile::tempdir().unwrap();
        let mut hub = hub(dir.path());
        let (ways, words) = (Ways::default(), line("n1", "use the spare one"));
        escalate(&mut hub);
        assert!(matches!(take(&mut hub, "t", &words, &ways).unwrap().0, Taken::Answered(_)));
        escalate(&mut hub);
        assert_eq!(take(&mut hub, "t", &words, &ways).unwrap().0, Taken::PassedOver);
        assert_eq!(hub.open_pleas().unwrap().len(), 1, "the other question still waits");
    }

    #[test]
    fn plain_words_are_no_answer_to_what_was_asked_after_they_were_written() {
        let dir = tempfile::tempdir().unwrap();
        let mut hub = hub(dir.path());
        let ways = Ways::default();
        let words = Heard { written: now_us() - 3_600_000_000, ..line("n1", "use the spare one") };
        let asked = escalate(&mut hub);
        let taken = take(&mut hub, "t", &words, &ways).unwrap().0;
        assert!(matches!(&taken, Taken::Unclear(why) if why.contains(&asked)), "{taken:?}");
        assert_eq!(hub.open_pleas().unwrap().len(), 1, "it still waits");
        let named = Heard { id: "n2".into(), words: Some(format!("{asked} yes")), ..words };
        assert!(matches!(take(&mut hub, "t", &named, &ways).unwrap().0, Taken::Answered(_)));
    }
}
