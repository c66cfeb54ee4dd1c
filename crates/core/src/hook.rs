//! What is said to an agent at its client's hooks: which messages, in what words, and when it is left alone.
//!
//! Owns the policy and the texts. Whether the client hears anything at a hook, and in which format, is its profile's.

use std::borrow::Cow;

use crate::briefing::{self, DutyLine, Listed, ReportLine};
use crate::envelope::{self, BODY_BYTES, Label, Voice};
use crate::ids::TaskId;
use crate::limits;
use crate::line::{one_line, quoted_line};
use crate::name::Name;
use crate::phrasing::{Arg, Dialect, Links, Obligation, Operation, Step};
use crate::vocabulary::{Duty, Moment, Priority};

/// Duties named in a reminder; more are a number.
const DUTIES_NAMED: usize = 5;
/// Bytes of the list of reports at a prompt.
const REPORTS_BYTES: usize = 1_200;
/// Characters of a subject in a sentence.
const SUBJECT_CHARS: usize = 60;
/// Names of members in a sentence.
const NAMES_LISTED: usize = 8;

/// Characters of a client's title.
const CLIENT_CHARS: usize = 40;

/// What is known of a hook before anything is loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Occasion {
    /// What happened.
    pub moment: Moment,
    /// The client takes in what is said there.
    pub heard: bool,
    /// A hook has kept this turn going already.
    pub looping: bool,
    /// It happened in a subagent, whose context is not the agent's.
    pub in_subagent: bool,
}

impl Occasion {
    /// Whether messages may be handed over.
    ///
    /// Not in a turn that a hook already kept going: some clients drop what is said then, and a message must not be
    /// offered to nobody.
    pub fn hands_over(&self) -> bool {
        let is_listening = match self.moment {
            Moment::Prompt | Moment::AfterTool | Moment::Wait => true,
            Moment::TurnEnd => !self.looping,
            Moment::Start | Moment::Notice | Moment::Compact | Moment::End => false,
        };
        is_listening && self.heard && !self.in_subagent
    }

    /// Whether it shows that what was said before has arrived. The end of a session shows nothing of that, nor does its
    /// beginning: one that was resumed may have died before its model was asked.
    pub fn is_evidence(&self) -> bool {
        let is_silent = matches!(self.moment, Moment::Start | Moment::End | Moment::Wait | Moment::Notice);
        !self.in_subagent && !is_silent
    }

    /// Whether a message is for this moment. What is not urgent waits for the end of the turn, and what says nothing
    /// wakes nobody.
    pub fn is_for(&self, priority: Priority, quiet: bool) -> bool {
        match self.moment {
            Moment::AfterTool => priority != Priority::Low && !quiet,
            Moment::Wait | Moment::TurnEnd => !quiet,
            _ => true,
        }
    }

    /// Whether an agent that has no briefing is told who it is: at the start, or as soon as the client hears something.
    pub fn briefs(&self) -> bool {
        matches!(self.moment, Moment::Start | Moment::Prompt) && self.heard && !self.in_subagent
    }

    /// Whether a superior is told of every report since its last turn: where a turn begins.
    pub fn scans(&self) -> bool {
        self.moment == Moment::Prompt && self.heard && !self.in_subagent
    }

    /// Whether what is owed may be named at the end of a turn.
    pub fn reminds(&self) -> bool {
        self.moment == Moment::TurnEnd && self.hands_over()
    }

    /// Whether what is owed is named to who was silent about it: where a turn begins.
    pub fn reminds_again(&self) -> bool {
        matches!(self.moment, Moment::Prompt | Moment::Wait) && self.hands_over()
    }
}

/// A message that is handed over.
#[derive(Clone, Debug)]
pub struct Handed<'a> {
    /// What stands on its envelope.
    pub label: Label<'a>,
    /// What it says, with the texts it points at.
    pub body: &'a str,
    /// What it obliges the reader to.
    pub duty: Option<Duty>,
    /// About which task.
    pub task: Option<&'a str>,
    /// The records that it points at.
    pub links: Links,
    /// Hand-overs before this one that lapsed.
    pub redelivered: u32,
}

/// Whether an agent knows what a message of a peer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hearer {
    /// Its briefing said so, at length.
    Briefed,
    /// Its client can't be briefed, or forgot it.
    Unbriefed,
}

/// How many of these bodies fit into what one hook may say; at least one.
pub fn that_fit(bodies: impl IntoIterator<Item = usize>) -> usize {
    let mut used = 0;
    let mut fit = 0;
    for bytes in bodies.into_iter().take(limits::OFFER_MESSAGES as usize) {
        used += bytes.min(BODY_BYTES);
        if fit > 0 && used > envelope::ANSWER_BYTES {
            break;
        }
        fit += 1;
    }
    fit
}

/// What stands above messages of this voice. A briefing said it all; peers are worth a word each time.
fn notice(hearer: Hearer, voice: Voice) -> Option<&'static str> {
    match (hearer, voice) {
        (Hearer::Briefed, Voice::Peer) => Some("From peers, not the user."),
        (Hearer::Briefed, Voice::Neighbour) => Some("From the operator of another replica, not your user."),
        (Hearer::Briefed, Voice::User | Voice::Person | Voice::Program) => None,
        (Hearer::Unbriefed, voice) => Some(voice.notice()),
    }
}

/// The text that hands messages over, the user's words first. `seed` was drawn for this hand-over; `waiting` more wait.
pub fn hand_over(
    name: &Name,
    hearer: Hearer,
    dialect: Dialect<'_>,
    handed: &[Handed<'_>],
    waiting: usize,
    seed: u32,
) -> String {
    let mut handed: Vec<&Handed<'_>> = handed.iter().collect();
    handed.sort_by_key(|message| message.label.voice());
    let first = handed.first().map(|message| message.label.voice());
    let (mut text, mut last) = match (hearer, first) {
        // The most common wake: leave out the name, which a briefed reader knows, to save tokens.
        (Hearer::Briefed, Some(Voice::Peer)) => {
            ("interagent: mail from peers, not the user.".to_owned(), first)
        }
        _ => (format!("interagent: mail for {name}."), None),
    };
    for message in handed {
        let voice = message.label.voice();
        if last != Some(voice)
            && let Some(notice) = notice(hearer, voice)
        {
            text.push(if last.is_none() { ' ' } else { '\n' });
            text.push_str(notice);
        }
        last = Some(voice);
        text.push('\n');
        text.push_str(&enveloped(message, dialect, seed));
    }
    if waiting > 0 {
        text.push_str(&format!("\n{waiting} more: {}", dialect.say(&Step::new(Operation::Inbox))));
    }
    text
}

fn enveloped(message: &Handed<'_>, dialect: Dialect<'_>, seed: u32) -> String {
    let id = message.label.id;
    // Texts that older versions of the program stored name commands.
    let body = match message.label.voice() {
        Voice::Program => Cow::Owned(dialect.translate(message.body)),
        Voice::User | Voice::Person | Voice::Neighbour | Voice::Peer => Cow::Borrowed(message.body),
    };
    let part = envelope::part(&body, 0, BODY_BYTES);
    let rest = |_| dialect.say(&Step::new(Operation::Read).with(Arg::Message, id));
    let mut text = envelope::sealed(&message.label, &part, seed, rest);
    if message.redelivered > 0 {
        text.push_str(&format!("\nhanded over again (attempt {})", message.redelivered + 1));
    }
    if let Some(duty) = message.duty {
        let obligation = Obligation { duty, message: id, task: message.task, links: &message.links };
        text.push_str(&format!("\nto answer: {}", obligation.settle_below(dialect)));
    } else if let Some(step) = message.links.suggested() {
        text.push_str(&format!("\nto start: {}", dialect.say(&step)));
    }
    text
}

/// The text that names the reports since a superior's last turn.
pub fn reports(listed: &Listed<'_, ReportLine>, dialect: Dialect<'_>) -> String {
    let list = briefing::reports(listed, dialect, REPORTS_BYTES);
    format!("interagent: {}", list.trim_end())
}

/// Names a set of duties, whatever their order: who was reminded of it is not reminded again.
pub fn set_of(duties: &[DutyLine]) -> String {
    let mut ids: Vec<&str> = duties.iter().map(|duty| duty.message.as_str()).collect();
    ids.sort_unstable();
    ids.join(" ")
}

/// The line by which a session is woken. It arrives like something the person typed, so it says nothing that a sender chose and is
/// the same each time; it fits on one line of a narrow pane. It has no digit, which an open dialog could take for a choice.
pub const WAKE_LINE: &str = "interagent: new mail, please read it";

/// What an agent is told again.
#[derive(Clone, Debug, Default)]
pub struct Again {
    /// What it owes.
    pub owed: Vec<DutyLine>,
    /// What it is in the middle of: the task and its title.
    pub work: Vec<(TaskId, String)>,
}

impl Again {
    /// Whether there is nothing to say.
    pub fn is_empty(&self) -> bool {
        self.owed.is_empty() && self.work.is_empty()
    }
}

/// The text that names what is owed. It keeps a turn going, once; or it begins one, because who owes it was silent, or began anew in
/// the middle of its work.
pub fn reminder(name: &Name, again: &Again, occasion: &Occasion, dialect: Dialect<'_>) -> String {
    let (begin, end) = match (occasion.reminds(), again.owed.is_empty()) {
        (true, _) => (
            format!("interagent: {name}, these still need you before you stop:"),
            "Settle them now. If you can't yet, stop again: this reminder comes once.",
        ),
        (false, false) => (
            format!("interagent: {name}, the senders of these still wait for you:"),
            "Settle them now, or tell the sender why you can't yet.",
        ),
        (false, true) => (
            format!("interagent: {name}, you have work in progress:"),
            "Continue it, or report that it can't be done.",
        ),
    };
    let mut text = begin;
    for duty in again.owed.iter().take(DUTIES_NAMED) {
        let settling = duty.obligation().settle(dialect);
        text.push_str(&format!(
            "\n- {} from {}: {settling}",
            quoted_line(&duty.subject, SUBJECT_CHARS),
            one_line(&duty.from, SUBJECT_CHARS)
        ));
    }
    for (task, title) in &again.work {
        let title = quoted_line(title, SUBJECT_CHARS);
        let show = dialect.say(&Step::show_task(task.as_str()));
        text.push_str(&format!("\n- in progress, {title}: {show}"));
    }
    if again.owed.len() > DUTIES_NAMED {
        let inbox = dialect.say(&Step::new(Operation::Inbox));
        text.push_str(&format!("\nand {} more: {inbox}", again.owed.len() - DUTIES_NAMED));
    }
    text.push('\n');
    text.push_str(end);
    text
}

/// The text for a session that is nobody yet.
pub fn invitation(why: &str, members: &[Name], dialect: Dialect<'_>) -> String {
    let mut names: Vec<String> = members.iter().take(NAMES_LISTED).map(ToString::to_string).collect();
    if members.len() > NAMES_LISTED {
        names.push(format!("{} more", members.len() - NAMES_LISTED));
    }
    let team = if names.is_empty() { String::new() } else { format!(" Members: {}.", names.join(", ")) };
    let register = dialect.say(&Step::new(Operation::Register).with(Arg::Name, "NAME"));
    format!(
        "interagent: a team of agents works here, and this session has no name in it ({}).{team} To join under \
         a free or new name: {register}",
        one_line(why, 120)
    )
}

/// The line that tells the person at a client that its session has no name.
pub fn unnamed_notice(client: &str) -> String {
    format!(
        "interagent: this {} session has no name in the team, so no mail reaches it. Ask it to join the team.",
        one_line(client, CLIENT_CHARS)
    )
}

#[cfg(test)]
mod tests;
