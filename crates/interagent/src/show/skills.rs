//! Skills and control messages, as people see them.

use interagent_wire::answer::{ControlView, Page, SkillDetail, SkillSummary};

use super::{ago, empty, field, is_part, list, names, passage, since};
use crate::ui::look::Role;
use crate::ui::printer::Printer;
use crate::ui::table::{Cell, Column, Table};

pub(super) fn skills(printer: &mut Printer<'_>, op: &str, page: &Page<SkillSummary>) {
    if page.items.is_empty() && is_part(op) {
        return empty(printer, "no candidates", "skill list");
    }
    if page.items.is_empty() {
        return empty(printer, "nobody proposed a skill", "report done --summary TEXT --skill NAME");
    }
    let mut table = Table::new([
        Column::whole("name"),
        Column::whole("state"),
        Column::number("times"),
        Column::text("by").spare(),
        Column::text("what it does"),
    ]);
    for skill in &page.items {
        table.row([
            Cell::new(Role::Id, &skill.key),
            Cell::new(role(&skill.state), &skill.state),
            skill.times.to_string().as_str().into(),
            names(&skill.workers).as_str().into(),
            skill.description.as_str().into(),
        ]);
    }
    printer.table(&table);
}

fn role(state: &str) -> Role {
    match state {
        "promoted" => Role::Good,
        "rejected" => Role::Quiet,
        _ => Role::Plain,
    }
}

pub(super) fn skill(printer: &mut Printer<'_>, op: &str, detail: &SkillDetail) {
    let SkillDetail { skill, proposals, file } = detail;
    match op {
        "skill.promote" => {
            let folder = skill.name.as_deref().unwrap_or(&skill.key);
            printer.line(&[(Role::Good, "promoted "), (Role::Id, folder)]);
            return list(printer, "written to", &skill.places);
        }
        "skill.reject" => return printer.line(&[(Role::Good, "rejected "), (Role::Id, &skill.key)]),
        _ => {}
    }
    printer.line(&[(Role::Id, &skill.key), (Role::Plain, "  "), (Role::Heading, &skill.description)]);
    let times = if skill.times == 1 { "once".to_owned() } else { format!("{} times", skill.times) };
    field(printer, "state", Some(&skill.state));
    field(printer, "proposed", Some(&times));
    field(printer, "why not", skill.reason.as_deref());
    list(printer, "written to", &skill.places);
    for proposal in proposals {
        let label = format!("{} in {}, {}", proposal.worker.name, proposal.task, since(proposal.at));
        let said = [proposal.description.as_deref(), proposal.reason.as_deref()];
        let said = said.into_iter().flatten().collect::<Vec<_>>().join("\n");
        passage(printer, &label, Some(if said.is_empty() { &proposal.name } else { &said }));
    }
    passage(printer, "its SKILL.md", file.as_deref());
}

pub(super) fn control(printer: &mut Printer<'_>, op: &str, view: &ControlView) {
    match (op, view.outcome) {
        ("control.send", _) => {
            printer.line(&[
                (Role::Good, "asked for "),
                (Role::Plain, view.verb.as_str()),
                (Role::Plain, " of "),
                (Role::Name, &view.agent.name),
                (Role::Quiet, &format!(" ({})", view.message)),
            ]);
            printer.line(&[(Role::Plain, &view.promise)]);
        }
        (_, outcome) => {
            let end = outcome.map_or("waits", |outcome| outcome.as_str());
            printer.line(&[(Role::Id, &view.message), (Role::Plain, " "), (Role::Plain, end)]);
        }
    }
}

pub(super) fn controls(printer: &mut Printer<'_>, page: &Page<ControlView>) {
    if page.items.is_empty() {
        return empty(printer, "nothing waits to be carried out", "control NAME clear");
    }
    let mut table = Table::new([
        Column::whole("id"),
        Column::text("agent"),
        Column::whole("what"),
        Column::text("model").spare(),
        Column::text("from").spare(),
        Column::number("asked"),
    ]);
    for one in &page.items {
        table.row([
            Cell::new(Role::Id, &one.message),
            Cell::new(Role::Name, &one.agent.name),
            one.verb.as_str().into(),
            one.model.as_deref().unwrap_or_default().into(),
            Cell::new(Role::Name, &one.from.name),
            ago(one.sent),
        ]);
    }
    printer.table(&table);
}
