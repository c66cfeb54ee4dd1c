//! Specs, decisions and leases, as people see them.

use interagent_wire::answer::{
    DecisionView, LeaseView, Page, PositionView, SpecChangeView, SpecRow, SpecView,
};

use super::diff::diff;
use super::{ago, empty, field, id, list, moment, more, name, names, plain, since};
use crate::ui::look::Role;
use crate::ui::printer::Printer;
use crate::ui::table::{Cell, Column, Table};
use crate::ui::time;
use crate::values::now_us;

pub(super) fn spec(printer: &mut Printer<'_>, op: &str, spec: &SpecView) {
    let did = if op == "spec.publish" { "published " } else { "" };
    let version = format!(" version {}", spec.version);
    let by = format!(", by {}, {}", spec.publisher.name, moment(spec.published));
    printer.line(&[
        (Role::Good, did),
        (Role::Heading, &spec.name),
        (Role::Plain, &version),
        (Role::Quiet, &by),
    ]);
    if op != "spec.show" {
        return;
    }
    field(printer, "what changed", spec.note.as_deref());
    field(printer, "subscribers", Some(&names(&spec.subscribers)));
    plain(printer, "");
    printer.text(spec.body.as_deref().unwrap_or("(purged)"), 0);
}

pub(super) fn specs(printer: &mut Printer<'_>, page: &Page<SpecRow>) {
    if page.items.is_empty() {
        return empty(printer, "no specs", "spec publish NAME --file FILE");
    }
    let mut table = Table::new([
        Column::whole("name"),
        Column::number("version"),
        Column::text("publisher").spare(),
        Column::text("what changed"),
        Column::number("published").spare(),
    ]);
    for spec in &page.items {
        table.row([
            Cell::new(Role::Id, &spec.name),
            spec.version.to_string().as_str().into(),
            name(Some(&spec.publisher)),
            spec.note.as_deref().unwrap_or_default().into(),
            ago(spec.published),
        ]);
    }
    printer.table(&table);
    more(printer, page.next.as_ref());
}

pub(super) fn spec_change(printer: &mut Printer<'_>, change: &SpecChangeView) {
    let SpecChangeView { from, to, diff: text, added, removed } = change;
    let versions = format!(" version {} to {}", from.version, to.version);
    let by = format!(", by {}, {}", to.publisher.name, moment(to.published));
    printer.line(&[(Role::Heading, &to.name), (Role::Plain, &versions), (Role::Quiet, &by)]);
    field(printer, "what changed", to.note.as_deref());
    if text.is_empty() {
        return plain(printer, "both say the same");
    }
    let (came, went) = (format!("+{added}"), format!("-{removed}"));
    printer.line(&[(Role::Good, &came), (Role::Plain, " "), (Role::Bad, &went), (Role::Quiet, " lines")]);
    diff(printer, text, 0);
}

pub(super) fn decision(printer: &mut Printer<'_>, op: &str, decision: &DecisionView) {
    let question = decision.question.as_deref().unwrap_or("(purged)");
    let did = match op {
        "decision.open" => "opened ",
        "decision.position" => "took a position on ",
        "decision.decide" => "decided ",
        _ => "",
    };
    printer.line(&[
        (Role::Good, did),
        (Role::Id, &decision.id),
        (Role::Plain, "  "),
        (Role::Heading, question),
    ]);
    let by = decision.decided_by.as_ref().map(|by| format!(" (by {})", by.name)).unwrap_or_default();
    let outcome = decision.outcome.as_ref().map(|outcome| format!("{outcome}{by}"));
    field(printer, "decided", outcome.as_deref());
    if op == "decision.decide" {
        field(printer, "why", decision.reason.as_deref());
    }
    if op != "decision.show" {
        if decision.outcome.is_none() {
            let stand = stands(decision);
            field(printer, "positions", Some(&stand).filter(|stand| !stand.is_empty()).map(String::as_str));
            if decision.may_decide {
                let next = format!("  interagent decision decide {} OUTCOME", decision.id);
                printer.exact(&[(Role::Quiet, &next)]);
            }
        }
        return;
    }
    field(printer, "state", Some("open").filter(|_| decision.outcome.is_none()));
    field(printer, "why", decision.reason.as_deref());
    field(printer, "asked by", Some(&decision.by.name));
    field(printer, "until", decision.deadline.map(moment).as_deref());
    field(printer, "replaces", decision.supersedes.as_deref());
    field(printer, "replaced by", decision.superseded_by.as_deref());
    list(printer, "options", &decision.options);
    field(printer, "positions", Some(stands(decision).as_str()).filter(|_| !decision.positions.is_empty()));
    for position in in_time(decision) {
        let reason = position.reason.as_ref().map(|reason| format!(": {reason}")).unwrap_or_default();
        let words = format!(" is for {}", position.position.as_deref().unwrap_or("(purged)"));
        let when = format!(" ({})", since(position.at));
        printer.line(&[
            (Role::Plain, "  "),
            (Role::Name, &position.agent.name),
            (Role::Plain, &words),
            (Role::Quiet, &when),
            (Role::Plain, &reason),
        ]);
    }
}

/// The positions in the order they were taken.
fn in_time(decision: &DecisionView) -> Vec<&PositionView> {
    let mut positions: Vec<&PositionView> = decision.positions.iter().collect();
    positions.sort_by_key(|position| position.at);
    positions
}

/// How many are for what, the most first: `2 hand-written, 1 generated`.
fn stands(decision: &DecisionView) -> String {
    let mut counted: Vec<(usize, &str)> = Vec::new();
    for position in in_time(decision) {
        let words = position.position.as_deref().unwrap_or("(purged)");
        match counted.iter_mut().find(|(_, known)| *known == words) {
            Some((number, _)) => *number += 1,
            None => counted.push((1, words)),
        }
    }
    counted.sort_by_key(|(number, _)| std::cmp::Reverse(*number));
    counted.iter().map(|(number, words)| format!("{number} {words}")).collect::<Vec<_>>().join(", ")
}

pub(super) fn decisions(printer: &mut Printer<'_>, page: &Page<DecisionView>) {
    if page.items.is_empty() {
        return empty(
            printer,
            "no decisions",
            "decision open 'Which parser?' --option TEXT --option TEXT --to all",
        );
    }
    let mut table = Table::new([
        Column::whole("id"),
        Column::text("question"),
        Column::text("outcome"),
        Column::number("positions").spare(),
        Column::number("opened").spare(),
    ]);
    for decision in &page.items {
        table.row([
            id(&decision.id),
            decision.question.as_deref().unwrap_or("(purged)").into(),
            decision.outcome.as_deref().unwrap_or("open").into(),
            decision.positions.len().to_string().as_str().into(),
            ago(decision.opened),
        ]);
    }
    printer.table(&table);
    more(printer, page.next.as_ref());
}

pub(super) fn lease(printer: &mut Printer<'_>, op: &str, lease: &LeaseView) {
    let did = match op {
        "lease.take" => "leased ",
        "lease.renew" => "renewed ",
        "lease.release" => "released ",
        "lease.force" => "taken away ",
        _ => "",
    };
    let facts = match lease.live {
        true => format!(", token {}, for {}", lease.token, left(lease)),
        false => String::new(),
    };
    let line = [
        (Role::Good, did),
        (Role::Id, lease.id.as_str()),
        (Role::Plain, " "),
        (Role::Plain, &lease.paths.join(" ")),
        (Role::Quiet, &facts),
    ];
    printer.line(&line);
}

pub(super) fn leases(printer: &mut Printer<'_>, page: &Page<LeaseView>) {
    if page.items.is_empty() {
        return empty(printer, "no leases", "lease take 'src/parser/**' --reason TEXT");
    }
    let mut table = Table::new([
        Column::whole("id"),
        Column::text("holder"),
        Column::text("paths"),
        Column::number("left"),
        Column::text("reason").spare(),
        Column::whole("mode").spare(),
        Column::number("token").spare(),
    ]);
    for lease in &page.items {
        table.row([
            id(&lease.id),
            name(Some(&lease.holder)),
            lease.paths.join(" ").as_str().into(),
            left(lease).as_str().into(),
            lease.reason.as_deref().unwrap_or_default().into(),
            lease.mode.as_str().into(),
            lease.token.to_string().as_str().into(),
        ]);
    }
    printer.table(&table);
    more(printer, page.next.as_ref());
}

fn left(lease: &LeaseView) -> String {
    let left_us = lease.until.map_or(0, |until| until.0.saturating_sub(now_us()));
    time::left(u64::try_from(left_us).unwrap_or(0))
}
