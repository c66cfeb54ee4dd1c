//! Inboxes, as people and agents see them.

use interagent_core::phrasing::{Dialect, Obligation};
use interagent_core::vocabulary::Duty;
use interagent_operations::letters::links;
use interagent_wire::answer::{DutyView, HandoverView, InboxView, MailView, Who};

use super::messages::{references, snapshots};
use super::{INDENT, ago, count, field, id, known_by, name, plain, since, subject};
use crate::ui::look::Role;
use crate::ui::printer::Printer;
use crate::ui::table::{Cell, Column, Table};

pub(super) fn inbox(printer: &mut Printer<'_>, inbox: &InboxView) {
    head(printer, &inbox.agent, inbox.unread, inbox.owed);
    mail(printer, &inbox.items);
    duties(printer, &inbox.duties, &inbox.items);
}

pub(super) fn handover(printer: &mut Printer<'_>, handover: &HandoverView) {
    head(printer, &handover.agent, handover.unread, handover.owed);
    mail(printer, &handover.items);
    duties(printer, &handover.duties, &handover.items);
}

fn head(printer: &mut Printer<'_>, agent: &Who, unread: u32, owed: u32) {
    let unread = count(unread, "unread message", "unread messages");
    let owed = match owed {
        0 => String::new(),
        owed => format!(", owes {}", count(owed, "thing", "things")),
    };
    printer.line(&[(Role::Name, &agent.name), (Role::Plain, &format!(": {unread}{owed}"))]);
}

fn mail(printer: &mut Printer<'_>, items: &[MailView]) {
    let (with_text, without): (Vec<&MailView>, Vec<&MailView>) =
        items.iter().partition(|mail| mail.body.is_some());
    if !without.is_empty() {
        table(printer, &without);
    }
    for mail in with_text {
        plain(printer, "");
        whole(printer, mail);
    }
}

fn table(printer: &mut Printer<'_>, items: &[&MailView]) {
    let mut table = Table::new([
        Column::whole("id"),
        Column::text("from"),
        Column::whole("intent").spare(),
        Column::text("subject"),
        Column::whole("state").spare(),
        Column::number("sent").spare(),
    ]);
    for mail in items {
        let state = if mail.offered_elsewhere { "offered" } else { mail.state.as_str() };
        table.row([
            id(&mail.id),
            name(Some(&mail.from)),
            mail.intent.as_str().into(),
            (&*asked(&mail.subject, mail.asked)).into(),
            Cell::new(Role::Quiet, state),
            ago(mail.sent),
        ]);
    }
    printer.table(&table);
}

fn whole(printer: &mut Printer<'_>, mail: &MailView) {
    let intent = format!("  {} ", mail.intent);
    printer.line(&[(Role::Id, &mail.id), (Role::Quiet, &intent), (Role::Heading, &mail.subject)]);
    let spoken_by = mail.spoken_by.as_ref().map(|by| format!(", by {}", by.name)).unwrap_or_default();
    let facts = format!(" ({}{spoken_by}), {}", known_by(&mail.from, mail.auth), since(mail.sent));
    printer.line(&[(Role::Quiet, "from: "), (Role::Name, &mail.from.name), (Role::Quiet, &facts)]);
    field(printer, "priority", Some(mail.priority.as_str()).filter(|word| *word != "medium"));
    field(printer, "task", mail.task.as_deref());
    field(printer, "reply to", mail.reply_to.as_deref());
    references(printer, &mail.refs, 0);
    field(printer, "you owe", mail.duty.map(Duty::as_str));
    if let Some(duty) = mail.duty {
        let links = links(&mail.refs);
        let obligation = Obligation { duty, message: &mail.id, task: mail.task.as_deref(), links: &links };
        let command = obligation.settle(Dialect::Shell);
        printer.exact(&[(Role::Quiet, "next: "), (Role::Plain, &command)]);
    } else if let Some(step) = links(&mail.refs).suggested() {
        printer.exact(&[(Role::Quiet, "next: "), (Role::Plain, &Dialect::Shell.say(&step))]);
    }
    if mail.redelivered > 0 {
        field(printer, "handed over before", Some(&mail.redelivered.to_string()));
    }
    if let Some(body) = mail.body.as_deref().filter(|body| !body.is_empty()) {
        plain(printer, "");
        printer.text(body, INDENT);
    }
    snapshots(printer, &mail.refs, 0);
}

/// What is owed; what was just shown whole said so itself.
fn duties(printer: &mut Printer<'_>, duties: &[DutyView], items: &[MailView]) {
    let is_told = |duty: &&DutyView| items.iter().any(|mail| mail.id == duty.message && mail.body.is_some());
    let duties: Vec<&DutyView> = duties.iter().filter(|duty| !is_told(duty)).collect();
    if duties.is_empty() {
        return;
    }
    plain(printer, "");
    let mut table = Table::new([
        Column::whole("owes"),
        Column::whole("message"),
        Column::text("from").spare(),
        Column::text("subject"),
        Column::number("since").spare(),
    ]);
    for duty in duties {
        table.row([
            Cell::new(Role::Warning, duty.duty.as_str()),
            id(&duty.message),
            name(Some(&duty.from)),
            (&*asked(&duty.subject, duty.asked)).into(),
            ago(duty.since),
        ]);
    }
    printer.table(&table);
}

/// A subject, with how often it was asked.
fn asked(said: &str, times: u32) -> String {
    let shown = subject(said);
    if times > 1 { format!("{shown} (asked {times} times)") } else { shown.to_string() }
}
