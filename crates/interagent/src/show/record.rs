//! The record, as people see it.

use interagent_wire::answer::{EntryView, HistoryView, HitView, Page, StepView, TraceView};

use super::{INDENT, moment, more, plain, since};
use crate::ui::look::Role;
use crate::ui::printer::Printer;
use crate::ui::time::LocalZone;

/// Where what belongs to a step begins: below its time.
const STEP_MARGIN: usize = 7;

pub(super) fn entries(printer: &mut Printer<'_>, op: &str, page: &Page<EntryView>) {
    let zone = LocalZone::of_this_machine();
    for entry in &page.items {
        let actor = match &entry.behalf {
            Some(behalf) => format!("{} for {}", entry.actor.name, behalf.name),
            None => entry.actor.name.clone(),
        };
        let held = if entry.held { " (held: from the future)" } else { "" };
        let head = format!("{:>5}  {}  ", entry.seq, zone.absolute(entry.wall.0));
        printer.line(&[
            (Role::Quiet, &head),
            (Role::Name, &actor),
            (Role::Plain, &format!("  {}", entry.op)),
            (Role::Warning, held),
        ]);
        for event in &entry.events {
            printer.line(&[
                (Role::Plain, "       "),
                (Role::Id, &event.entity),
                (Role::Plain, &format!("  {}", event.what)),
            ]);
            if let Some(void) = &event.void {
                printer.line(&[(Role::Warning, &format!("{:STEP_MARGIN$}  did not count: {void}", ""))]);
            }
        }
    }
    if let (Some(next), true) = (&page.next, op != "log.follow") {
        let option = if op == "log.list backwards" { "--before" } else { "--after" };
        printer.line(&[(Role::Quiet, &format!("there is more: {option} {next}"))]);
    }
}

/// Every entry once, with what it meant for this thing below it.
pub(super) fn history(printer: &mut Printer<'_>, history: &HistoryView) {
    let zone = LocalZone::of_this_machine();
    printer.line(&[(Role::Id, &history.entity)]);
    for steps in history.steps.chunk_by(|one, next| one.seq == next.seq && one.op == next.op) {
        let Some(first) = steps.first() else { continue };
        let auth = match &first.actor {
            Some(actor) => format!(" (by {}, {})", actor.name, first.auth),
            None => format!(" ({})", first.auth),
        };
        printer.line(&[
            (Role::Quiet, &format!("{:>5}  {}  ", first.seq, zone.absolute(first.wall.0))),
            (Role::Name, &first.by.name),
            (Role::Quiet, &auth),
        ]);
        let mut told: Vec<&str> = Vec::new();
        for step in steps {
            let margin = " ".repeat(STEP_MARGIN);
            printer.line(&[(Role::Plain, &margin), (Role::Plain, after_the_name(step))]);
            // One word for two steps, such as a note that is also the reason of a move, is told once.
            if let Some(why) = step.why.as_deref().filter(|why| !told.contains(why)) {
                printer.text(why, STEP_MARGIN + INDENT);
                told.push(why);
            }
            if let Some(void) = &step.void {
                let margin = STEP_MARGIN + INDENT;
                printer.line(&[(Role::Warning, &format!("{:margin$}did not count: {void}", ""))]);
            }
        }
    }
}

/// What was done, without the name of who did it: that stands above.
fn after_the_name(step: &StepView) -> &str {
    let rest = step.what.strip_prefix(step.by.name.as_str()).and_then(|rest| rest.strip_prefix(' '));
    let what = rest.unwrap_or(&step.what);
    // The reason itself is shown too.
    what.strip_suffix(", with a reason").filter(|_| step.why.is_some()).unwrap_or(what)
}

pub(super) fn trace(printer: &mut Printer<'_>, page: &Page<TraceView>) {
    if page.items.is_empty() {
        plain(printer, "nothing was traced");
    }
    for line in &page.items {
        let head = format!("{:>5}  {}  ", line.n, moment(line.at));
        let mut data = line.data.clone();
        // Its name says more than its id.
        let who = line.agent.as_ref().map(|agent| format!("  {}", agent.name)).unwrap_or_default();
        if let (Some(fields), Some(_)) = (data.as_object_mut(), &line.agent) {
            fields.remove("agent");
        }
        let data = format!("  {data}");
        let parts =
            [(Role::Quiet, &head), (Role::Name, &line.kind), (Role::Plain, &who), (Role::Plain, &data)];
        printer.line(&parts.map(|(role, text)| (role, text.as_str())));
    }
    more(printer, page.next.as_ref());
}

pub(super) fn hits(printer: &mut Printer<'_>, page: &Page<HitView>) {
    if page.items.is_empty() {
        plain(printer, "nothing was found");
        return;
    }
    for hit in &page.items {
        let author = hit.author.as_ref().map(|author| format!(" by {}", author.name)).unwrap_or_default();
        let place = match hit.part.starts_with(&hit.kind) {
            true => hit.part.clone(),
            false => format!("{} {}", hit.kind, hit.part),
        };
        printer.line(&[
            (Role::Id, &hit.entity),
            (Role::Quiet, &format!("  {place}")),
            (Role::Name, &author),
            (Role::Quiet, &format!("  {}", since(hit.at))),
        ]);
        excerpt(printer, hit);
    }
    more(printer, page.next.as_ref());
}

/// The excerpt with its hits in colour. Places that do not fit the text are ignored rather than trusted.
fn excerpt(printer: &mut Printer<'_>, hit: &HitView) {
    // A line break is as long as a space, so the places stay right.
    let text = hit.excerpt.replace(['\n', '\t'], " ");
    let mut pieces = vec![(Role::Plain, "  ")];
    let mut done = 0;
    for (first, end) in &hit.hits {
        let (Ok(first), Ok(end)) = (usize::try_from(*first), usize::try_from(*end)) else { continue };
        if let (Some(before), Some(found)) = (text.get(done..first), text.get(first..end)) {
            pieces.extend([(Role::Plain, before), (Role::Good, found)]);
            done = end;
        }
    }
    pieces.push((Role::Plain, text.get(done..).unwrap_or_default()));
    printer.line(&pieces);
}
