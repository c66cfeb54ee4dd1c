//! How answers look to people: one picture for each kind of answer.
//!
//! Owns sentences, tables and their order. Text that members wrote passes the printer as it was stored; the printer
//! makes it harmless. Programs get the answer itself, so nothing here is an interface.

mod board;
mod diff;
mod guard;
mod held;
mod mail;
mod messages;
mod news;
mod past;
mod people;
mod record;
mod reviews;
mod skills;
mod tasks;
mod thread;
mod work;

pub(crate) use board::{permissions, unnamed};
pub(crate) use diff::diff;
pub(crate) use people::life;

use std::borrow::Cow;

use interagent_core::limits::COUNTED;
use interagent_core::vocabulary::Auth;
use interagent_wire::answer::Who;
use interagent_wire::{Answer, Reply, Time};

use crate::config::env::told_at_us;
use crate::ui::look::Role;
use crate::ui::printer::Printer;
use crate::ui::table::Cell;
use crate::ui::time::{LocalZone, relative};
use crate::values::now_us;

/// Spaces before a text that belongs to the lines above it.
const INDENT: usize = 2;

/// Follows the name of an operation whose list was narrowed.
pub(crate) const PART: &str = "part";

/// Shows what an operation did. A request that changed nothing is told as such, not as done again.
pub(crate) fn reply(printer: &mut Printer<'_>, op: &str, reply: &Reply) {
    match &reply.unchanged {
        Some(why) => printer.line(&[(Role::Quiet, "nothing to do: "), (Role::Plain, why)]),
        None => answer(printer, op, &reply.answer),
    }
    for note in &reply.notes {
        // A prompt is pasted as it is.
        if matches!(reply.answer, Answer::Relay(_)) {
            printer.note(Role::Quiet, &format!("note: {note}"));
            continue;
        }
        printer.line(&[(Role::Quiet, "note: "), (Role::Plain, note)]);
    }
}

/// Shows the answer of an operation.
pub(crate) fn answer(printer: &mut Printer<'_>, op: &str, answer: &Answer) {
    match answer {
        Answer::Team(team) => people::team(printer, op, team),
        Answer::Agent(agent) => people::agent(printer, op, agent),
        Answer::Agents(page) => people::agents(printer, page),
        Answer::Token(token) => people::token(printer, token),
        Answer::Identity(identity) => people::identity(printer, identity),
        Answer::Board(board) => board::board(printer, board),
        Answer::Session(session) => people::session(printer, session),
        Answer::Sessions(page) => people::sessions(printer, page),
        Answer::Hook(hook) => printer.text(hook.text.as_deref().unwrap_or("nothing to say"), 0),
        Answer::Wake(wake) => wake.targets.iter().for_each(|target| {
            plain(printer, &format!("{} {}: {}", wake.agent.name, target.session, target.reach));
        }),
        Answer::Sent(sent) => messages::sent(printer, op, sent),
        Answer::Message(message) => messages::message(printer, op, message),
        Answer::Messages(page) => messages::messages(printer, op, page),
        Answer::Inbox(inbox) => mail::inbox(printer, inbox),
        Answer::Handover(handover) => mail::handover(printer, handover),
        Answer::Changed(changed) => messages::changed(printer, op, changed),
        Answer::Task(task) => tasks::task(printer, op, task),
        Answer::Tasks(page) => tasks::tasks(printer, op, page),
        Answer::NextTask(next) => tasks::next(printer, next),
        Answer::Review(review) => reviews::review(printer, op, review),
        Answer::Reviews(page) => reviews::reviews(printer, page),
        Answer::Spec(spec) => work::spec(printer, op, spec),
        Answer::Specs(page) => work::specs(printer, page),
        Answer::SpecChange(change) => work::spec_change(printer, change),
        Answer::Decision(decision) => work::decision(printer, op, decision),
        Answer::Decisions(page) => work::decisions(printer, page),
        Answer::Skill(skill) => skills::skill(printer, op, skill),
        Answer::Skills(page) => skills::skills(printer, op, page),
        Answer::Control(view) => skills::control(printer, op, view),
        Answer::Controls(page) => skills::controls(printer, page),
        Answer::Lease(lease) => work::lease(printer, op, lease),
        Answer::Leases(page) => work::leases(printer, page),
        Answer::Guard(view) => guard::guard(printer, view),
        Answer::Edits(view) => guard::edits(printer, view),
        Answer::Entries(page) => record::entries(printer, op, page),
        Answer::History(history) => record::history(printer, history),
        Answer::State(state) => past::state(printer, state),
        Answer::Trace(page) => record::trace(printer, page),
        Answer::Hits(page) => record::hits(printer, page),
        Answer::Briefing(briefing) => printer.text(&briefing.text, 0),
        Answer::Summary(summary) => news::summary(printer, summary),
        Answer::Relay(relay) => news::prompt(printer, &relay.text),
        Answer::Prompt(prompt) => news::prompt(printer, &prompt.text),
        Answer::Route(route) => news::route(printer, route),
        Answer::Notices(notices) => news::notices(printer, notices),
        Answer::HeldTexts(page) => held::held(printer, op, page),
    }
}

/// A subject where there is little room: which message was escalated stands in the message itself.
fn subject(subject: &str) -> Cow<'_, str> {
    let (before, rest) = match subject.strip_prefix("Re: ") {
        Some(rest) => ("Re: ", rest),
        None => ("", subject),
    };
    let why = rest.strip_prefix("Escalation of msg-").and_then(|rest| rest.split_once(": "));
    why.map_or(Cow::Borrowed(subject), |(_, why)| Cow::Owned(format!("{before}Escalation: {why}")))
}

/// One line without colours.
fn plain(printer: &mut Printer<'_>, text: &str) {
    printer.line(&[(Role::Plain, text)]);
}

/// Whether a list was narrowed: then what is not in it may be there.
fn is_part(op: &str) -> bool {
    op.ends_with(PART)
}

/// Says that there is nothing, and which command helps: mostly the one that makes the first.
fn empty(printer: &mut Printer<'_>, what: &str, command: &str) {
    plain(printer, what);
    printer.exact(&[(Role::Quiet, "hint: interagent "), (Role::Quiet, command)]);
}

/// `label: value`, where there is a value.
fn field(printer: &mut Printer<'_>, label: &str, value: Option<&str>) {
    if let Some(value) = value.filter(|value| !value.is_empty()) {
        printer.line(&[(Role::Quiet, &format!("{label}: ")), (Role::Plain, value)]);
    }
}

/// A text of several lines under its label, where there is one.
fn passage(printer: &mut Printer<'_>, label: &str, text: Option<&str>) {
    if let Some(text) = text.filter(|text| !text.is_empty()) {
        printer.line(&[(Role::Quiet, &format!("{label}:"))]);
        printer.text(text, margin(label) + INDENT);
    }
}

/// Items under their label, where there are any.
fn list(printer: &mut Printer<'_>, label: &str, items: &[String]) {
    if !items.is_empty() {
        printer.line(&[(Role::Quiet, &format!("{label}:"))]);
        let dash = format!("{:width$}- ", "", width = margin(label) + INDENT);
        items.iter().for_each(|item| printer.line(&[(Role::Quiet, &dash), (Role::Plain, item)]));
    }
}

/// The spaces a label begins with: what belongs to it stands further in.
fn margin(label: &str) -> usize {
    label.len() - label.trim_start().len()
}

/// Says how to see the rest of a list.
fn more(printer: &mut Printer<'_>, next: Option<&String>) {
    if let Some(next) = next {
        printer.line(&[(Role::Quiet, "there is more: --after "), (Role::Quiet, next)]);
    }
}

/// Their names, in an order that people expect: ids are random.
fn names(members: &[Who]) -> String {
    let mut names: Vec<&str> = members.iter().map(|member| member.name.as_str()).collect();
    names.sort_unstable();
    names.join(", ")
}

fn name(member: Option<&Who>) -> Cell {
    let Some(Who { name, replica, .. }) = member else { return Cell::new(Role::Name, "") };
    match replica {
        Some(mark) => Cell::new(Role::Name, &format!("{name} ({mark})")),
        None => Cell::new(Role::Name, name),
    }
}

fn id(id: &str) -> Cell {
    Cell::new(Role::Id, id)
}

/// How long ago, for lists.
fn ago(then: Time) -> Cell {
    Cell::new(Role::Quiet, &since(then))
}

/// How long ago, in a sentence.
fn since(then: Time) -> String {
    relative(told_at_us().unwrap_or_else(now_us), then.0)
}

/// The moment itself, where people compare it with their own clock.
fn moment(then: Time) -> String {
    LocalZone::of_this_machine().absolute(then.0)
}

/// `1 event`, `2 events`: a number that is exact, however large.
fn exactly(number: u32, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

/// `1 message`, `2 messages`, for a number that was counted up to a limit.
fn count(number: u32, one: &str, many: &str) -> String {
    match number {
        1 => format!("1 {one}"),
        number => format!("{} {many}", counted(number)),
    }
}

/// A number that was counted up to a limit: at the limit there may be more.
fn counted(number: u32) -> String {
    match number {
        COUNTED.. => format!("{COUNTED}+"),
        number => number.to_string(),
    }
}

/// How a sender is known: what was found out at another replica is that replica's word.
fn known_by(from: &Who, auth: Auth) -> String {
    let there = if from.name.contains('@') { " there" } else { "" };
    let mark = from.replica.as_deref().map(|mark| format!(", {mark}")).unwrap_or_default();
    format!("{auth}{there}{mark}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_subject_wastes_no_room_on_an_id() {
        assert_eq!(subject("Escalation of msg-2vgsv0w0t5v6: who pays?"), "Escalation: who pays?");
        assert_eq!(subject("Re: Escalation of msg-2vgsv0w0t5v6: a: b"), "Re: Escalation: a: b");
        assert_eq!(subject("Escalation of the year"), "Escalation of the year");
    }

    #[test]
    fn only_a_number_that_was_counted_up_to_a_limit_says_that_there_may_be_more() {
        assert_eq!(count(COUNTED, "message", "messages"), "1000+ messages");
        assert_eq!(exactly(COUNTED, "event", "events"), "1000 events");
        assert_eq!((count(1, "a", "b"), exactly(1, "a", "b")), ("1 a".to_owned(), "1 a".to_owned()));
    }
}
