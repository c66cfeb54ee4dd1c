//! What the guard found, for people.

use interagent_wire::answer::{EditsView, GuardView, TouchView};

use super::plain;
use crate::ui::look::Role;
use crate::ui::printer::Printer;

/// What a command line would do, step by step, and what the rules say of it.
pub(super) fn guard(printer: &mut Printer<'_>, view: &GuardView) {
    if view.runs.is_empty() && view.touches.is_empty() {
        plain(printer, "it runs nothing that the guard knows");
    }
    let mut touches: Vec<&TouchView> = view.touches.iter().collect();
    for run in &view.runs {
        let place = run.directory.as_deref().unwrap_or("a directory that is known only when it runs");
        printer.line(&[(Role::Plain, &run.command), (Role::Quiet, &format!("   in {place}"))]);
        let (own, rest): (Vec<&TouchView>, Vec<&TouchView>) =
            touches.into_iter().partition(|touch| touch.command == run.command);
        own.into_iter().for_each(|one| touch(printer, one));
        touches = rest;
    }
    touches.into_iter().for_each(|one| touch(printer, one));
    let named = |binds: bool| {
        let rules = view.rules.iter().filter(|rule| rule.binds == binds).map(|rule| rule.rule.as_str());
        rules.collect::<Vec<_>>().join(", ")
    };
    if let Some(agent) = &view.agent {
        let role = view.role.map(|role| format!(" ({role})")).unwrap_or_default();
        let on = Some(named(true)).filter(|rules| !rules.is_empty()).unwrap_or_else(|| "none".to_owned());
        let off = Some(named(false)).filter(|rules| !rules.is_empty());
        let off = off.map(|rules| format!("; off: {rules}")).unwrap_or_default();
        printer.line(&[
            (Role::Quiet, "rules for "),
            (Role::Name, &agent.name),
            (Role::Quiet, &format!("{role}: {on}{off}")),
        ]);
    }
    match &view.denial {
        None => printer.line(&[(Role::Good, "allowed")]),
        Some(denial) => {
            printer.line(&[(Role::Bad, "refused "), (Role::Plain, &denial.text)]);
        }
    }
}

fn touch(printer: &mut Printer<'_>, touch: &TouchView) {
    let branch = touch.branch.as_ref().map(|branch| format!(" (on {branch})")).unwrap_or_default();
    let rules: Vec<&str> = touch.denials.iter().map(|denial| denial.rule.told()).collect();
    let refused =
        if rules.is_empty() { String::new() } else { format!("   refused by {}", rules.join(", ")) };
    printer.line(&[
        (Role::Plain, &format!("  it {}", touch.does)),
        (Role::Quiet, &branch),
        (Role::Bad, &refused),
    ]);
}

/// Who else changed the same files.
pub(super) fn edits(printer: &mut Printer<'_>, view: &EditsView) {
    match &view.text {
        Some(text) => printer.text(text, 0),
        None => plain(printer, &format!("noted {}", super::count(view.noted, "file", "files"))),
    }
}
