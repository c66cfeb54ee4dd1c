//! When waiting mail starts a recipient's turn: at once, or after a moment in which related news may arrive.
//!
//! A turn costs tokens. "Ready" and the handoff that follows half a second later are one reason for a turn, not two. So news
//! that asks for nothing waits a moment for company; what somebody waits for never does, and takes the news along.

use crate::entity::Message;
use crate::event::Micros;
use crate::ids::AgentId;
use crate::vocabulary::{Intent, Priority};

/// How long news waits for company. Longer than an agent needs between two tool calls, shorter than a person notices.
pub const COLLECT_US: Micros = 1_500_000;

/// When what waits starts a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WakeDue {
    /// Nothing waits that starts one.
    Never,
    /// Something is due.
    Now,
    /// News is collected for this many more microseconds.
    In(Micros),
}

/// When these waiting messages start a turn of their recipient.
pub fn wake_due<'m>(
    waiting: impl IntoIterator<Item = &'m Message>,
    recipient: &AgentId,
    now: Micros,
) -> WakeDue {
    let mut due = WakeDue::Never;
    for message in waiting.into_iter().filter(|message| !message.quiet) {
        let age = now.saturating_sub(message.sent.wall);
        // A message from a clock ahead of ours never waits: it could wait for hours.
        let is_collecting = is_news(message, recipient) && (0..COLLECT_US).contains(&age);
        due = match due {
            _ if !is_collecting => return WakeDue::Now,
            WakeDue::In(left) => WakeDue::In(left.min(COLLECT_US - age)),
            WakeDue::Never | WakeDue::Now => WakeDue::In(COLLECT_US - age),
        };
    }
    due
}

/// Whether nobody waits for an answer to it and it answers nobody.
fn is_news(message: &Message, recipient: &AgentId) -> bool {
    matches!(message.intent, Intent::ContextShare | Intent::Report)
        && message.reply_to.is_none()
        && message.priority < Priority::High
        && message.owed_by(recipient).is_none()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entity::{Entity, Stamp, fold};
    use crate::entry::OrderKey;
    use crate::event::{Fact, MessageSent};
    use crate::ids::{EntityRef, MessageId, OriginId};
    use crate::text::TextHash;
    use crate::vocabulary::Auth;

    fn message(intent: Intent, wall: Micros, change: impl FnOnce(&mut MessageSent)) -> Message {
        let id = MessageId::from_bits(7);
        let member = AgentId::from_bits(1);
        let mut sent = MessageSent {
            from: member.clone(),
            to: vec![AgentId::from_bits(2)],
            addressed: Vec::new(),
            intent,
            subject: TextHash::of("", "subject"),
            body: None,
            refs: Vec::new(),
            thread: id.clone(),
            reply_to: None,
            priority: Priority::Medium,
            expires: None,
            task: None,
            hops: 0,
            quiet: false,
            ack_wanted: false,
            aliases: Vec::new(),
        };
        change(&mut sent);
        let order = OrderKey { at: 1, origin: OriginId::from_bits(1), oseq: 1 };
        let stamp = Stamp { order, wall, member: member.clone(), actor: member, auth: Auth::Session };
        match fold([(&Fact { entity: EntityRef::Message(id), event: sent.into() }, &stamp)]).0 {
            Some(Entity::Message(message)) => message,
            other => panic!("{other:?}"),
        }
    }

    fn due(messages: &[Message], now: Micros) -> WakeDue {
        wake_due(messages, &AgentId::from_bits(2), now)
    }

    #[test]
    fn news_waits_for_company() {
        let news = message(Intent::ContextShare, 1_000_000, |_| {});
        assert_eq!(due(&[], 0), WakeDue::Never);
        assert_eq!(due(std::slice::from_ref(&news), 1_400_000), WakeDue::In(1_100_000));
        assert_eq!(due(std::slice::from_ref(&news), 2_500_000), WakeDue::Now);
        let later = message(Intent::Report, 1_300_000, |_| {});
        assert_eq!(due(&[later, news], 1_400_000), WakeDue::In(1_100_000), "the oldest decides");
    }

    #[test]
    fn what_somebody_waits_for_is_due_at_once() {
        let now = 1_400_000;
        let news = message(Intent::ContextShare, 1_000_000, |_| {});
        for urgent in [
            message(Intent::Handoff, 1_400_000, |_| {}),
            message(Intent::Message, 1_400_000, |_| {}),
            message(Intent::ContextShare, 1_400_000, |sent| sent.priority = Priority::High),
            message(Intent::ContextShare, 1_400_000, |sent| sent.reply_to = Some(MessageId::from_bits(1))),
            message(Intent::ContextShare, 1_400_000, |sent| sent.ack_wanted = true),
        ] {
            assert_eq!(due(&[news.clone(), urgent], now), WakeDue::Now);
        }
    }

    #[test]
    fn quiet_mail_wakes_nobody_and_a_fast_clock_delays_nothing() {
        let quiet = message(Intent::ContextShare, 1_000_000, |sent| sent.quiet = true);
        assert_eq!(due(&[quiet], 9_000_000), WakeDue::Never);
        let ahead = message(Intent::ContextShare, 90_000_000, |_| {});
        assert_eq!(due(&[ahead], 1_000_000), WakeDue::Now);
    }
}
