//! The envelope of the core around texts that are handed to a model, with the call that shows the rest.

use interagent_core::envelope;
pub(crate) use interagent_core::envelope::{
    ANSWER_BYTES, BODY_BYTES, Label, NOTICE, Part, Voice, about, part, room,
};
use interagent_wire::Time;

/// A body in its envelope.
pub(crate) fn sealed(label: &Label<'_>, part: &Part<'_>) -> String {
    let rest = |next| format!("read_message(message_id=\"{}\", offset={next})", label.id);
    envelope::sealed(label, part, drawn(), rest)
}

/// A text of others between two marks, and the call that shows the rest of it.
pub(crate) fn fence(head: &str, part: &Part<'_>, rest: impl Fn(usize) -> String) -> String {
    envelope::fence(head, part, drawn(), rest)
}

/// A moment for people.
pub(crate) fn seconds(time: Time) -> String {
    envelope::seconds(time.0)
}

/// Drawn anew for every delivery. Where the machine has no randomness the mark still is one that the text does not hold.
fn drawn() -> u32 {
    let mut drawn = [0_u8; 4];
    let _ = getrandom::fill(&mut drawn);
    u32::from_le_bytes(drawn)
}

#[cfg(test)]
mod tests {
    use interagent_core::vocabulary::{Auth, Intent};

    use super::*;

    #[test]
    fn two_deliveries_have_two_marks() {
        let label = Label {
            id: "msg-1",
            from: "kimi",
            auth: Auth::Session,
            human: false,
            spoken_by: None,
            replica: None,
            intent: Intent::Question,
            sent: 0,
            read: None,
            subject: "s",
            about: "",
        };
        let seal = |_| sealed(&label, &part("x", 0, 10)).lines().next().unwrap().to_owned();
        let marks: std::collections::BTreeSet<String> = (0..8).map(seal).collect();
        assert!(marks.len() > 1);
    }

    /// Tokens (cl100k) that a hand-over by a hook costs beside the text of its message, as docs/hooks.md says them.
    #[test]
    fn message_costs_its_body_and_little_more() {
        use interagent_core::hook::{Handed, Hearer, hand_over};
        use interagent_core::phrasing::{Dialect, Links};
        use interagent_core::vocabulary::Duty;

        let tokens = tiktoken_rs::cl100k_base().unwrap();
        let name = "claude".parse().unwrap();
        let body = "Which port does the API listen on?";
        let cost = |intent, duty, (subject, about), hearer, dialect| {
            let label = Label {
                id: "msg-7k3m9zyx0a1b",
                from: "kimi",
                auth: Auth::Session,
                human: false,
                spoken_by: None,
                replica: None,
                intent,
                sent: 34_200_000_000,
                read: Some(34_200_000_000),
                subject,
                about,
            };
            let handed = [Handed { label, body, duty, task: None, links: Links::default(), redelivered: 0 }];
            let text = hand_over(&name, hearer, dialect, &handed, 0, 482);
            tokens.encode_ordinary(&text).len() - tokens.encode_ordinary(body).len()
        };
        let claude = Dialect::Tools("mcp__interagent__{tool}");
        let (plain, full) = ((body, ""), ("Profile API", "task-9m060ycbdza0, src/users.ts:1-20"));
        let costs = [
            cost(Intent::Message, None, plain, Hearer::Briefed, claude),
            cost(Intent::Question, Some(Duty::Answer), plain, Hearer::Briefed, Dialect::Shell),
            cost(Intent::Question, Some(Duty::Answer), plain, Hearer::Briefed, claude),
            cost(Intent::Handoff, Some(Duty::Accept), full, Hearer::Briefed, claude),
            cost(Intent::Message, None, plain, Hearer::Unbriefed, claude),
        ];
        assert_eq!(costs, [48, 59, 60, 91, 60]);
        let page = include_str!("../../../docs/hooks.md");
        for said in [
            "a plain message costs 48 tokens (cl100k; 60 where",
            "a question 60 with Claude Code's name for the tool and 59 with the command",
            "a handoff with a subject, a task and a file 91, of which the subject, the task and the file are 22",
        ] {
            assert!(page.contains(said), "docs/hooks.md does not say: {said}");
        }
    }
}
