//! A conversation, as people read it: every reply below what it answers, and further in.

use std::collections::HashMap;

use interagent_wire::answer::{DeliveryView, MessageView, Page};

use super::messages::{recipients, references, snapshots, state};
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
    while let Some((depth, message)) = waiting.pop() {
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
    references(printer, &message.refs, indent);
    snapshots(printer, &message.refs, indent);
    if let Some(reason) = message.held {
        printer.line(&[(Role::Plain, &margin), (Role::Warning, &format!("held ({reason})"))]);
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
