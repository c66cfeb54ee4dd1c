//! A conversation, as people read it: every reply below what it answers, and further in.

use std::collections::{HashMap, HashSet};

use interagent_core::vocabulary::HoldReason;
use interagent_wire::answer::{DeliveryView, MessageView, Page};

use super::messages::{NOT_CARRIED_OUT, recipients, references, snapshots, state};
use super::{INDENT, plain, since};
use crate::ui::look::Role;
use crate::ui::printer::Printer;

/// Replies to replies are not moved further in than this: a long exchange stays readable.
const DEEPEST: usize = 4;

pub(super) fn thread(printer: &mut Printer<'_>, page: &Page<MessageView>) {
    let Some(first) = page.items.first() else { return plain(printer, "no messages") };
    let subject = first.subject.trim_start_matches("Re: ");
    printer.line(&[(Role::Heading, subject), (Role::Quiet, &format!("  {}", first.thread))]);
    if let Some(next) = &page.next {
        printer.line(&[(Role::Quiet, &format!("there is more before this: --before {next}"))]);
    }
    for (depth, message) in in_order(&page.items) {
        plain(printer, "");
        said(printer, message, subject, depth.min(DEEPEST) * INDENT);
    }
}

/// Every message with the number of messages it is a reply to. What it answers may be on another page; then it stands
/// for itself.
fn in_order(items: &[MessageView]) -> Vec<(usize, &MessageView)> {
    let shown: HashMap<&str, &MessageView> =
        items.iter().map(|message| (message.id.as_str(), message)).collect();
    let mut replies: HashMap<&str, Vec<&MessageView>> = HashMap::new();
    let mut waiting: Vec<(usize, &MessageView)> = Vec::new();
    for message in items.iter().rev() {
        match message.reply_to.as_deref().filter(|answered| shown.contains_key(answered)) {
            Some(answered) => replies.entry(answered).or_default().push(message),
            None => waiting.push((0, message)),
        }
    }
    let mut ordered = Vec::with_capacity(items.len());
    let mut seen = HashSet::new();
    // Replies that lead back to themselves hang on nothing: whoever is left begins a conversation of its own.
    let mut rest = items.iter();
    while let Some((depth, message)) = waiting.pop().or_else(|| rest.next().map(|message| (0, message))) {
        if !seen.insert(message.id.as_str()) {
            continue;
        }
        ordered.push((depth, message));
        // The oldest is taken first: both lists are newest first.
        let below = replies.remove(message.id.as_str()).unwrap_or_default();
        waiting.extend(below.into_iter().map(|reply| (depth + 1, reply)));
    }
    ordered
}

fn said(printer: &mut Printer<'_>, message: &MessageView, subject: &str, indent: usize) {
    let margin = " ".repeat(indent);
    let to = recipients(message);
    let behalf = message.spoken_by.as_ref().map(|by| format!(" (by {})", by.name)).unwrap_or_default();
    let facts = format!("  {}, {}  ", message.intent, since(message.sent));
    printer.line(&[
        (Role::Plain, &margin),
        (Role::Name, &message.from.name),
        (Role::Quiet, &behalf),
        (Role::Quiet, " to "),
        (Role::Name, &to),
        (Role::Quiet, &facts),
        (Role::Id, &message.id),
    ]);
    if message.subject.trim_start_matches("Re: ") != subject {
        printer.line(&[(Role::Plain, &margin), (Role::Heading, &message.subject)]);
    }
    match (&message.body, message.purged, message.held) {
        (_, true, _) => printer.line(&[(Role::Plain, &margin), (Role::Quiet, "  (the text was purged)")]),
        (Some(body), ..) if !body.is_empty() => printer.text(body, indent + INDENT),
        _ => {}
    }
    references(printer, &message.refs, indent + INDENT);
    snapshots(printer, &message.refs, indent + INDENT);
    let margin = " ".repeat(indent + INDENT);
    match message.held {
        Some(HoldReason::Control) => {
            printer.line(&[(Role::Plain, &margin), (Role::Quiet, NOT_CARRIED_OUT)]);
        }
        Some(reason) => {
            printer.line(&[(Role::Plain, &margin), (Role::Warning, &format!("held ({reason})"))]);
        }
        None => {}
    }
    for delivery in &message.to {
        if let Some((role, words)) = standing(delivery) {
            printer.line(&[(Role::Plain, &margin), (role, &words)]);
        }
    }
}

/// What is still to come from a recipient, or how it ended.
fn standing(delivery: &DeliveryView) -> Option<(Role, String)> {
    let name = &delivery.agent.name;
    match delivery {
        DeliveryView { duty: Some(duty), owed: true, .. } => {
            Some((Role::Warning, format!("{name} owes: {duty}")))
        }
        DeliveryView { how: Some(how), .. } => Some((Role::Quiet, format!("{name}: {how}"))),
        DeliveryView { delivered: None, acknowledged: None, .. } => {
            Some((Role::Quiet, format!("{name}: {}", state(delivery))))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn message(id: &str, reply_to: Option<&str>) -> MessageView {
        let from = json!({ "id": "agt-1", "name": "kimi" });
        serde_json::from_value(json!({
            "id": id, "aliases": [], "from": from, "auth": "claimed", "to": [], "intent": "message",
            "subject": "s", "thread": "t", "reply_to": reply_to, "priority": "medium", "purged": false,
            "refs": [], "sent": "2026-01-01T00:00:00Z", "escalations": [], "hops": 0, "to_acknowledge": false,
            "human": false, "addressed": [], "quiet": false,
        }))
        .expect("a message")
    }

    fn order(items: &[MessageView]) -> Vec<(usize, &str)> {
        in_order(items).into_iter().map(|(depth, message)| (depth, message.id.as_str())).collect()
    }

    #[test]
    fn a_reply_stands_below_what_it_answers() {
        let items =
            [message("a", None), message("b", None), message("c", Some("a")), message("d", Some("c"))];
        assert_eq!(order(&items), [(0, "a"), (1, "c"), (2, "d"), (0, "b")]);
    }

    /// No command makes one; a log that was merged or written by another program can hold one.
    #[test]
    fn replies_that_form_a_circle_are_shown_too() {
        let items =
            [message("a", None), message("b", Some("c")), message("c", Some("b")), message("d", Some("d"))];
        assert_eq!(order(&items), [(0, "a"), (0, "b"), (1, "c"), (0, "d")]);
    }
}
