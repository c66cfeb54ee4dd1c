//! What reaches the operator, and the note that tells the caller how the operator is notified.
//!
//! Pure. The supervisor notifies where one runs; otherwise the process that recorded it does, once.

use crate::event::Event;
use crate::ids::AgentId;
use crate::vocabulary::Intent;

/// Whether an event reaches the operator, so that they are notified of it.
pub fn reaches(event: &Event, operator: &AgentId) -> bool {
    match event {
        Event::MessageEscalated(up) => up.to == *operator,
        Event::MessageSent(sent) => is_announced(sent.intent, sent.ack_wanted) && sent.to.contains(operator),
        _ => false,
    }
}

/// Whether a message to the operator is announced: it needs something of them, or tells of the outcome of their order.
pub fn is_announced(intent: Intent, ack_wanted: bool) -> bool {
    intent.duty().is_some() || ack_wanted || intent == Intent::Report
}

/// Who notifies the operator of what a call recorded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outreach {
    /// A supervisor runs: it notifies.
    pub is_supervised: bool,
    /// The channels that are set up and can work on this machine.
    pub channels: Vec<String>,
}

impl Outreach {
    /// The note for the caller.
    pub fn note(&self) -> String {
        let by = self.channels.join(", ");
        match (self.channels.is_empty(), self.is_supervised) {
            (true, _) => "operator: no notification channel; shown in `interagent status`".to_owned(),
            (false, true) => format!("operator: the supervisor notifies by {by}"),
            (false, false) => format!("operator: notifying by {by}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_caller_is_told_who_notifies_and_how() {
        let channels = vec!["desktop".to_owned(), "ntfy".to_owned()];
        let cases = [
            Outreach { is_supervised: false, channels: channels.clone() },
            Outreach { is_supervised: true, channels },
            Outreach { is_supervised: true, channels: Vec::new() },
        ];
        insta::assert_snapshot!(cases.map(|case| case.note()).join("\n"), @r"
        operator: notifying by desktop, ntfy
        operator: the supervisor notifies by desktop, ntfy
        operator: no notification channel; shown in `interagent status`
        ");
    }

    #[test]
    fn an_obligation_and_an_outcome_are_announced() {
        let announced = |intent| is_announced(intent, false);
        let all = [Intent::Question, Intent::Blocked, Intent::ReviewRequest, Intent::Report];
        assert!(all.into_iter().all(announced));
        assert!(!announced(Intent::Message) && !announced(Intent::ContextShare));
        assert!(is_announced(Intent::Message, true));
    }
}
