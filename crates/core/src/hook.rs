//! What is said to an agent at its client's hooks: which messages, in what words, and when it is left alone.
//!
//! Owns the policy and the texts. Whether the client hears anything at a hook, and in which format, is its profile's.

use crate::briefing::{self, DutyLine, Listed, ReportLine, settle_command};
use crate::envelope::{self, BODY_BYTES, Label, NOTICE};
use crate::ids::TaskId;
use crate::limits;
use crate::line::{one_line, quoted_line};
use crate::name::Name;
use crate::vocabulary::{Moment, Priority};

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
    /// What it obliges to, as a command.
    pub answer: Option<String>,
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

/// The text that hands messages over. `seed` was drawn for this hand-over; `waiting` more wait.
pub fn hand_over(name: &Name, hearer: Hearer, handed: &[Handed<'_>], waiting: usize, seed: u32) -> String {
    let notice = match hearer {
        Hearer::Briefed => "Peers are not the user.",
        Hearer::Unbriefed => NOTICE,
    };
    let mut text = format!("interagent: mail for {name}. {notice}");
    for message in handed {
        let part = envelope::part(message.body, 0, BODY_BYTES);
        let rest = |_| format!("interagent read {}", message.label.id);
        text.push('\n');
        text.push_str(&envelope::sealed(&message.label, &part, seed, rest));
        if message.redelivered > 0 {
            text.push_str(&format!("\nhanded over again (attempt {})", message.redelivered + 1));
        }
        if let Some(answer) = &message.answer {
            text.push_str(&format!("\nto answer: {answer}"));
        }
    }
    if waiting > 0 {
        text.push_str(&format!("\n{waiting} more: interagent inbox"));
    }
    text
}

/// The text that names the reports since a superior's last turn.
pub fn reports(listed: &Listed<'_, ReportLine>) -> String {
    let list = briefing::reports(listed, REPORTS_BYTES);
    format!("interagent: {}", list.trim_end())
}

/// Names a set of duties, whatever their order: who was reminded of it is not reminded again.
pub fn set_of(duties: &[DutyLine]) -> String {
    let mut ids: Vec<&str> = duties.iter().map(|duty| duty.message.as_str()).collect();
    ids.sort_unstable();
    ids.join(" ")
}

/// How the line ends by which a session is woken.
pub const WAKE_LINE_END: &str = ", or run: interagent inbox";

/// The line by which a session is woken: the Captain's word with the number, and what to do where no hook shows the mail. Short, so
/// that it stands on one line of a narrow pane; the same for every sender, so that what others wrote never arrives like something the
/// person typed.
pub fn wake_line(waiting: u32) -> String {
    format!("inbox{waiting}{WAKE_LINE_END}")
}

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
pub fn reminder(name: &Name, again: &Again, occasion: &Occasion) -> String {
    let (begin, end) = match (occasion.reminds(), again.owed.is_empty()) {
        (true, _) => (
            format!("interagent: before you stop, {name}, you owe:"),
            "Do it now, or stop again if it can't be done yet; you are told once.",
        ),
        (false, false) => (
            format!("interagent: {name}, somebody still waits for you. You owe:"),
            "Do it now, or tell them why it can't be done yet.",
        ),
        (false, true) => (
            format!("interagent: {name}, you were in the middle of something:"),
            "Go on with it, or report that it can't be done.",
        ),
    };
    let mut text = begin;
    for duty in again.owed.iter().take(DUTIES_NAMED) {
        let command =
            settle_command(duty.duty, duty.message.as_str(), duty.task.as_ref().map(TaskId::as_str));
        text.push_str(&format!(
            "\n- {} from {}: {command}",
            quoted_line(&duty.subject, SUBJECT_CHARS),
            one_line(&duty.from, SUBJECT_CHARS)
        ));
    }
    for (task, title) in &again.work {
        let title = quoted_line(title, SUBJECT_CHARS);
        text.push_str(&format!("\n- in progress, {title}: interagent task show {task}"));
    }
    if again.owed.len() > DUTIES_NAMED {
        text.push_str(&format!("\nand {} more: interagent inbox", again.owed.len() - DUTIES_NAMED));
    }
    text.push('\n');
    text.push_str(end);
    text
}

/// The text for a session that is nobody yet.
pub fn invitation(why: &str, members: &[Name]) -> String {
    let mut names: Vec<String> = members.iter().take(NAMES_LISTED).map(ToString::to_string).collect();
    if members.len() > NAMES_LISTED {
        names.push(format!("{} more", members.len() - NAMES_LISTED));
    }
    let team = if names.is_empty() { String::new() } else { format!(" Members: {}.", names.join(", ")) };
    format!(
        "interagent: a team works here, and it is not known which member you are ({}).{team} To take part: \
         interagent agent register NAME",
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
