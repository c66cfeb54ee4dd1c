//! Messages, as people see them.

use interagent_core::vocabulary::{Conclusion, HoldReason};
use interagent_wire::answer::{ChangedView, DeliveryView, HoldView, MessageView, Page, RefView, SentView};

use super::diff::diff;
use super::{
    INDENT, ago, count, empty, field, id, is_part, known_by, moment, more, name, names, plain, since, subject,
};
use crate::ui::look::Role;
use crate::ui::printer::Printer;
use crate::ui::table::{Cell, Column, Table};

pub(super) fn sent(printer: &mut Printer<'_>, op: &str, sent: &SentView) {
    let to = names(&sent.to);
    let did = match op {
        "message.escalate" => "escalated: sent ",
        "message.answer" => "answered: sent ",
        _ => "sent ",
    };
    printer.line(&[(Role::Good, did), (Role::Id, &sent.id), (Role::Plain, " to "), (Role::Name, &to)]);
    match op {
        "message.escalate" => {
            let what = format!("the answer comes to your inbox; {to} gives it with");
            printer.line(&[(Role::Quiet, &what)]);
            let command = [(Role::Quiet, "  interagent msg answer "), (Role::Id, &sent.id)];
            printer.exact(&[&command[..], &[(Role::Quiet, " -m TEXT")]].concat());
        }
        "message.answer" => plain(printer, "the matter is settled, and who asked is told"),
        _ => {}
    }
    if let Some(hold) = &sent.hold {
        held(printer, hold, &sent.id);
    }
}

/// What holds a message back, and who lets it go with which command.
fn held(printer: &mut Printer<'_>, hold: &HoldView, id: &str) {
    let by =
        format!("; nobody gets it before {} releases it:", names(&hold.released_by).replace(", ", " or "));
    printer.line(&[
        (Role::Warning, "held"),
        (Role::Plain, ": "),
        (Role::Plain, &hold.why),
        (Role::Plain, &by),
    ]);
    printer.exact(&[(Role::Plain, "  interagent msg release "), (Role::Id, id)]);
}

/// What can be done next, with the command that does it.
fn next(printer: &mut Printer<'_>, what: &str, verb: &str, id: &str) {
    let command = format!("  interagent {verb} ");
    printer.line(&[(Role::Quiet, what)]);
    printer.exact(&[(Role::Quiet, &command), (Role::Id, id)]);
}

pub(super) fn changed(printer: &mut Printer<'_>, op: &str, changed: &ChangedView) {
    let did = match op {
        "message.acknowledge" => "acknowledged",
        "message.settle" => "settled",
        "message.hold" => "held",
        "message.release" => "released",
        "offer.confirm" => "delivered",
        "session.end" => "ended",
        "spec.subscribe" => "subscription changed:",
        _ => "changed",
    };
    match op {
        "text.purge" => return purged(printer, changed),
        "text.release" => return super::held::released(printer, changed),
        _ => {}
    }
    for id in &changed.changed {
        printer.line(&[(Role::Good, did), (Role::Plain, " "), (Role::Id, id)]);
    }
    for id in &changed.unchanged {
        printer.line(&[(Role::Quiet, "unchanged "), (Role::Id, id)]);
    }
    if changed.changed.is_empty() && changed.unchanged.is_empty() {
        plain(printer, "nothing to do");
    }
}

/// Texts are known by their hashes only, which tell people nothing.
fn purged(printer: &mut Printer<'_>, changed: &ChangedView) {
    let texts = |ids: &[String]| count(u32::try_from(ids.len()).unwrap_or(u32::MAX), "text", "texts");
    if !changed.changed.is_empty() {
        let what = format!(" {}; that they existed stays in the log", texts(&changed.changed));
        printer.line(&[(Role::Good, "purged"), (Role::Plain, &what)]);
    }
    if !changed.unchanged.is_empty() {
        let what = format!("{} purged before", texts(&changed.unchanged));
        printer.line(&[(Role::Quiet, &what)]);
    }
    if changed.changed.is_empty() && changed.unchanged.is_empty() {
        plain(printer, "nothing to do");
    }
}

pub(super) fn messages(printer: &mut Printer<'_>, op: &str, page: &Page<MessageView>) {
    if op == "message.thread" {
        return super::thread::thread(printer, page);
    }
    if page.items.is_empty() && is_part(op) {
        empty(printer, "no such messages", "msg list");
    } else if page.items.is_empty() {
        empty(printer, "no messages", "send --to NAME 'What you want to say'");
    } else {
        table(printer, &page.items);
    }
    more(printer, page.next.as_ref());
}

fn table(printer: &mut Printer<'_>, messages: &[MessageView]) {
    let mut table = Table::new([
        Column::whole("id"),
        Column::text("from"),
        Column::text("to").spare(),
        Column::whole("intent").spare(),
        Column::text("subject"),
        Column::text("state"),
        Column::number("sent").spare(),
    ]);
    for message in messages {
        let to = recipients(message);
        table.row([
            id(&message.id),
            name(Some(&message.from)),
            Cell::new(Role::Name, &to),
            message.intent.as_str().into(),
            (&*subject(&message.subject)).into(),
            state_in_short(message),
            ago(message.sent),
        ]);
    }
    printer.table(&table);
}

/// The state of a control message that waits for the supervisor.
pub(super) const NOT_CARRIED_OUT: &str = "not carried out yet";

fn state_in_short(message: &MessageView) -> Cell {
    match message.held {
        Some(HoldReason::Control) => return Cell::new(Role::Plain, NOT_CARRIED_OUT),
        Some(reason) => return Cell::new(Role::Warning, &format!("held ({reason})")),
        None => {}
    }
    let mut states: Vec<&str> = message.to.iter().map(state).collect();
    states.dedup();
    Cell::new(Role::Plain, &states.join(", "))
}

pub(super) fn state(delivery: &DeliveryView) -> &'static str {
    match delivery {
        DeliveryView { expired: true, .. } => "expired",
        DeliveryView { offered: true, .. } => "offered",
        DeliveryView { state, .. } => state.as_str(),
    }
}

pub(super) fn message(printer: &mut Printer<'_>, op: &str, message: &MessageView) {
    if op == "message.read" {
        whole(printer, message);
        return;
    }
    let (did, to) = match op {
        "message.accept" => ("accepted ", None),
        "message.decline" => ("declined ", None),
        "message.settle" => ("settled ", None),
        "message.hold" => ("held ", Some(recipients(message))),
        "message.release" => ("released ", Some(recipients(message))),
        _ => ("", None),
    };
    let (word, whom) = match &to {
        Some(to) => (" to ", to.as_str()),
        None => (" from ", message.from.name.as_str()),
    };
    printer.line(&[
        (Role::Good, did),
        (Role::Id, &message.id),
        (Role::Plain, word),
        (Role::Name, whom),
        (Role::Plain, &format!(": {}", message.subject)),
    ]);
    follows(printer, op, message);
}

/// What that means for whom, and what comes next.
fn follows(printer: &mut Printer<'_>, op: &str, message: &MessageView) {
    match (op, &message.task) {
        ("message.hold", _) => next(printer, "nobody gets it before", "msg release", &message.id),
        ("message.release", _) => next(printer, "it is on its way; how far it got:", "read", &message.id),
        ("message.accept", Some(task)) => {
            plain(printer, "the task is yours now:");
            let command = [
                (Role::Quiet, "  interagent task update "),
                (Role::Id, task.as_str()),
                (Role::Quiet, " --status in_progress"),
            ];
            printer.exact(&command);
        }
        ("message.decline", Some(task)) => {
            next(printer, "nothing is owed for it any more; where the task stands:", "task show", task);
        }
        ("message.accept" | "message.decline" | "message.settle", _) => {
            plain(printer, "nothing is owed for it any more");
        }
        _ => {}
    }
}

pub(super) fn recipients(message: &MessageView) -> String {
    let mut names: Vec<&str> = message.to.iter().map(|delivery| delivery.agent.name.as_str()).collect();
    names.sort_unstable();
    names.join(", ")
}

fn whole(printer: &mut Printer<'_>, message: &MessageView) {
    let intent = format!("  {} ", message.intent);
    printer.line(&[(Role::Id, &message.id), (Role::Quiet, &intent), (Role::Heading, &message.subject)]);
    let spoken_by = message.spoken_by.as_ref().map(|by| format!(", by {}", by.name)).unwrap_or_default();
    let from = format!(" ({}{spoken_by})", known_by(&message.from, message.auth));
    let sent = format!(", {}, {}", moment(message.sent), since(message.sent));
    printer.line(&[
        (Role::Quiet, "from: "),
        (Role::Name, &message.from.name),
        (Role::Quiet, &from),
        (Role::Quiet, &sent),
    ]);
    for delivery in &message.to {
        receipt(printer, delivery);
    }
    if let Some(hold) = &message.hold {
        held(printer, hold, &message.id);
    }
    if message.held == Some(HoldReason::Control) {
        field(printer, NOT_CARRIED_OUT, Some("interagent control --list"));
    }
    field(printer, "not carried out", message.not_carried_out.as_deref());
    field(printer, "priority", Some(message.priority.as_str()).filter(|word| *word != "medium"));
    field(printer, "task", message.task.as_deref());
    field(printer, "reply to", message.reply_to.as_deref());
    field(printer, "expires", message.expires.map(moment).as_deref());
    references(printer, &message.refs, 0);
    for escalation in &message.escalations {
        let reason = escalation.reason.as_deref().unwrap_or_default();
        let label = if escalation.by_ladder { "went up" } else { "escalated" };
        field(printer, label, Some(&format!("to {}: {reason}", escalation.to.name)));
        field(printer, "answered by", escalation.answer.as_deref());
        field(printer, "without answer", escalation.concluded.map(Conclusion::as_str));
    }
    match (&message.body, message.purged) {
        (_, true) => printer.line(&[(Role::Quiet, "  (the text was purged)")]),
        (Some(body), false) if !body.is_empty() => {
            plain(printer, "");
            printer.text(body, INDENT);
        }
        _ => {}
    }
    snapshots(printer, &message.refs, 0);
}

/// What a message points at; a change that came with it is shown below its text.
pub(super) fn references(printer: &mut Printer<'_>, refs: &[RefView], indent: usize) {
    let label = format!("{:indent$}ref", "");
    for reference in refs.iter().filter(|reference| reference.text.is_none()) {
        field(printer, &label, Some(&shown_ref(reference)));
    }
}

/// The changes that came with a message, below its text.
pub(super) fn snapshots(printer: &mut Printer<'_>, refs: &[RefView], indent: usize) {
    for reference in refs {
        if let Some(text) = &reference.text {
            plain(printer, "");
            printer.line(&[(Role::Quiet, &format!("{:indent$}{}:", "", shown_ref(reference)))]);
            diff(printer, text, indent + INDENT);
        }
    }
}

fn receipt(printer: &mut Printer<'_>, delivery: &DeliveryView) {
    let mut facts = vec![state(delivery).to_owned()];
    if let Some(at) = delivery.acknowledged.or(delivery.delivered) {
        facts.push(since(at));
    }
    if delivery.redelivered > 0 {
        facts.push(format!("handed over {} times before", delivery.redelivered));
    }
    if let (Some(duty), true) = (delivery.duty, delivery.owed) {
        facts.push(format!("owes: {duty}"));
    }
    if let Some(how) = delivery.how {
        facts.push(format!("settled: {how}"));
    }
    let facts = format!(" {}", facts.join(", "));
    printer.line(&[(Role::Quiet, "to: "), (Role::Name, &delivery.agent.name), (Role::Quiet, &facts)]);
}

fn shown_ref(reference: &RefView) -> String {
    let lines = match (reference.first_line, reference.last_line) {
        (Some(first), Some(last)) if first != last => format!(":{first}-{last}"),
        (Some(first), _) => format!(":{first}"),
        (None, _) => String::new(),
    };
    match reference.kind.as_str() {
        "file" | "url" => format!("{}{lines}", reference.target),
        kind => format!("{kind}:{}{lines}", reference.target),
    }
}
