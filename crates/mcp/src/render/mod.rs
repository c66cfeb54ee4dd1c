//! The text of an answer: at most fifteen lines of ours, with ids, who must act, and the next call.
//!
//! The whole answer stands beside it as JSON. What others wrote is shown in one line, or inside an envelope.

mod lines;
mod mail;
mod people;
mod review;
mod work;

use interagent_core::briefing::Arrival;
use interagent_wire::Answer;

pub(crate) use lines::{Lines, Said};
pub(crate) use mail::{inbox, message, voice};
pub(crate) use people::welcome;
pub(crate) use review::{annotated, review_text};
pub(crate) use work::spec_text;

/// What the caller may expect after its call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Outlook {
    /// How messages reach it.
    pub(crate) arrival: Arrival,
    /// What it sent asks for an answer.
    pub(crate) asks: bool,
}

/// The text of an operation's answer.
pub(crate) fn answer(operation: &str, answer: &Answer, outlook: Outlook) -> Said {
    let mut lines = Lines::default();
    match answer {
        Answer::Agent(agent) => people::agent(&mut lines, agent),
        Answer::Agents(page) => people::agents(&mut lines, &page.items),
        Answer::Board(board) => people::board(&mut lines, board),
        Answer::Sent(sent) => mail::sent(&mut lines, operation, sent, outlook),
        Answer::Message(shown) => mail::changed(&mut lines, operation, shown),
        Answer::Task(task) => work::task(&mut lines, task),
        Answer::Tasks(page) => work::tasks(&mut lines, page),
        Answer::NextTask(next) => work::next_task(&mut lines, next),
        Answer::Review(review) => review::review(&mut lines, operation, review),
        Answer::Reviews(page) => review::reviews(&mut lines, page),
        Answer::Spec(spec) => work::spec(&mut lines, spec),
        Answer::Specs(page) => work::specs(&mut lines, page),
        Answer::Decision(decision) => work::decision(&mut lines, decision),
        Answer::Decisions(page) => work::decisions(&mut lines, page),
        Answer::Lease(lease) => work::lease(&mut lines, lease),
        Answer::Leases(page) => work::leases(&mut lines, page),
        Answer::Hits(page) => work::hits(&mut lines, page),
        Answer::Briefing(briefing) => return Said { text: briefing.text.clone(), next: None },
        Answer::Summary(summary) => people::summary(&mut lines, summary),
        other => lines.say(format!("done: {}", other.kind().as_str())),
    }
    lines.finish()
}
