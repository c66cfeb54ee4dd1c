//! Messages in words.

use interagent_core::briefing::Arrival;
use interagent_core::envelope::stacked;
use interagent_core::name::OPERATOR;
use interagent_core::phrasing::{BARE_TOOL, Dialect, Obligation, Step};
use interagent_core::vocabulary::Duty;
use interagent_operations::letters::{self, links};
use interagent_wire::answer::{DutyView, InboxView, MailView, MessageView, RefView, SentView};

use super::{Lines, Outlook, Said};
use crate::envelope::{self, Label, Part, Voice};

/// Lines about earlier messages, and about duties.
const EARLIER: usize = 4;
const OWED: usize = 5;

/// An inbox. The first messages are handed over with this; for each of them it is said where its text goes on.
pub(crate) fn inbox(inbox: &InboxView, next: &[Option<usize>], arrival: Arrival) -> Said {
    let (new, earlier) = inbox.items.split_at(next.len().min(inbox.items.len()));
    let mut lines = Lines::default();
    let unread = inbox.unread;
    match new.len() {
        0 if unread == 0 => lines.say(format!("No new messages for {}.", inbox.agent.name)),
        0 => lines.say(format!("No new messages for {}; {unread} not acknowledged.", inbox.agent.name)),
        count => lines.say(format!("{count} new for {}, {unread} unread in all.", inbox.agent.name)),
    }
    for mail in earlier.iter().take(EARLIER) {
        let (id, from) = (&mail.id, &mail.from.name);
        lines.say(match mail.offered_elsewhere {
            true => format!("earlier: {id} from {from}, offered to another session"),
            false => format!("earlier: {id} from {from}: {}", mail.subject),
        });
    }
    if earlier.len() > EARLIER {
        lines.say(format!("... and {} earlier", earlier.len() - EARLIER));
    }
    for duty in inbox.duties.iter().take(OWED) {
        lines.say(owed(duty));
    }
    let owed_later = (inbox.owed as usize).saturating_sub(OWED);
    if owed_later > 0 {
        lines.say(format!("... and {owed_later} more that you owe"));
    }
    let shown = u32::try_from(inbox.items.len()).unwrap_or(u32::MAX);
    match (inbox.duties.first(), earlier.iter().find(|mail| !mail.offered_elsewhere)) {
        // Nothing is handed over to the operator, so the same call shows the same messages.
        _ if !new.is_empty() && unread > shown && inbox.agent.name == OPERATOR => {
            lines.next(format!("check_inbox(limit={unread}) for all of them"));
        }
        _ if !new.is_empty() && unread > shown => {
            lines.next(format!("check_inbox() for {} more", unread - shown));
        }
        (Some(duty), _) => lines.next(call_for(duty.duty, &duty.message, duty.task.as_deref(), &duty.refs)),
        (None, Some(mail)) => lines.next(format!("read_message(message_id=\"{}\")", mail.id)),
        (None, None) if new.is_empty() && arrival == Arrival::OnRequest => {
            lines.next("continue your work, then call check_inbox()");
        }
        (None, None) => {}
    }
    let said = lines.finish();
    if new.is_empty() {
        return said;
    }
    let envelopes = new.iter().zip(next).map(|(mail, next)| enveloped(mail, *next));
    said.after(&stacked(envelopes.collect()))
}

fn enveloped(mail: &MailView, next: Option<usize>) -> (Voice, String) {
    let about = letters::about(mail);
    let label = letters::label(mail, &about, None);
    let part = Part { text: mail.body.as_deref().unwrap_or_default(), next };
    (label.voice(), envelope::sealed(&label, &part))
}

fn about(task: Option<&str>, refs: &[RefView]) -> String {
    envelope::about(task, refs.iter().map(|r| (r.target.as_str(), r.first_line, r.last_line)))
}

/// Whose words a message brings.
pub(crate) fn voice(message: &MessageView) -> Voice {
    label(message, "").voice()
}

fn label<'m>(message: &'m MessageView, about: &'m str) -> Label<'m> {
    Label {
        id: &message.id,
        from: &message.from.name,
        auth: message.auth,
        human: message.human,
        spoken_by: message.spoken_by.as_ref().map(|by| by.name.as_str()),
        replica: message.from.replica.as_deref(),
        intent: message.intent,
        sent: message.sent.0,
        read: None,
        subject: &message.subject,
        about,
    }
}

/// One message that was asked for, or a part of it.
pub(crate) fn message(message: &MessageView, part: &Part<'_>) -> Said {
    let about = about(message.task.as_deref(), &message.refs);
    let label = label(message, &about);
    let mut lines = Lines::default();
    facts(&mut lines, message);
    let text = match (message.purged, message.held) {
        (true, _) => "[its text was deleted]".to_owned(),
        (_, Some(why)) if part.text.is_empty() => format!("[held back: {why}]"),
        _ => envelope::sealed(&label, part),
    };
    lines.finish().after(&stacked(vec![(label.voice(), text)]))
}

/// A message that was accepted, declined or otherwise changed.
pub(super) fn changed(lines: &mut Lines, operation: &str, message: &MessageView) {
    lines.say(format!("{} from {}: {}", message.id, message.from.name, message.subject));
    match (operation, &message.task) {
        ("message.accept", Some(task)) => {
            lines.say("You accepted it; the task is yours.");
            lines.next(Dialect::Tools(BARE_TOOL).say(&Step::update_task(task, "in_progress")));
        }
        ("message.accept", None) => lines.say("You accepted it."),
        ("message.decline", _) => lines.say("You declined it."),
        _ => facts(lines, message),
    }
}

fn facts(lines: &mut Lines, message: &MessageView) {
    for delivery in message.to.iter().take(6) {
        let owed = match (delivery.owed, delivery.duty) {
            (true, Some(duty)) => format!(", owes {duty}"),
            _ => String::new(),
        };
        lines.say(format!("to {}: {}{owed}", delivery.agent.name, delivery.state));
    }
    if message.to.len() > 6 {
        lines.say(format!("... and {} more recipients", message.to.len() - 6));
    }
    if let Some(owed) = message.to.iter().find(|delivery| delivery.owed)
        && let Some(duty) = owed.duty
    {
        lines.next(format!(
            "{} owes: {}",
            owed.agent.name,
            call_for(duty, &message.id, message.task.as_deref(), &message.refs)
        ));
    } else if let Some(step) = links(&message.refs).suggested() {
        lines.next(Dialect::Tools(BARE_TOOL).say(&step));
    }
}

/// A message that was just sent.
pub(super) fn sent(lines: &mut Lines, operation: &str, sent: &SentView, outlook: Outlook) {
    let names: Vec<&str> = sent.to.iter().take(10).map(|who| who.name.as_str()).collect();
    let more = sent.to.len().saturating_sub(names.len());
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    lines.say(format!("{} stored for {}{more} (thread {})", sent.id, names.join(", "), sent.thread));
    if let Some(why) = sent.held {
        lines.say(format!("held back: {why}. It is delivered when the operator releases it."));
        return;
    }
    if !outlook.asks && operation != "message.escalate" {
        return;
    }
    lines.next(match outlook.arrival {
        Arrival::ByHook => "continue with other work; the answer reaches you by itself",
        Arrival::OnRequest => "continue with other work; check_inbox() shows the answer",
    });
}

fn owed(duty: &DutyView) -> String {
    let again = if duty.asked > 1 { format!(" (asked {} times)", duty.asked) } else { String::new() };
    format!("you owe: {} {} from {}: {}{again}", duty.duty, duty.message, duty.from.name, duty.subject)
}

/// The call that settles an obligation.
fn call_for(duty: Duty, message: &str, task: Option<&str>, refs: &[RefView]) -> String {
    Obligation { duty, message, task, links: &links(refs) }.settle(Dialect::Tools(BARE_TOOL))
}
