//! The envelope of the core around texts that are handed to a model, with the call that shows the rest.

use interagent_core::envelope;
pub(crate) use interagent_core::envelope::{
    ANSWER_BYTES, BODY_BYTES, Label, NOTICE, Part, about, part, room,
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
}
