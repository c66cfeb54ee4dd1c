//! What the people above a silent agent are told: what waits, what was tried, and the commands that help.

use std::fmt::Write;

use crate::event::Micros;
use crate::ids::{MessageId, TaskId};
use crate::line::{moment, one_line, quoted_line, quoted_text};
use crate::team::OperatorDefault;
use crate::vocabulary::Duty;

/// Characters of the matter's subject inside another one.
const SUBJECT_CHARS: usize = 80;
/// Characters of why a try came to nothing.
const WHY_CHARS: usize = 160;
/// Tries that are told; the newest ones.
const TOLD: usize = 12;
/// Others who could take it over that are named.
const NAMED: usize = 5;

/// Something that was tried to reach an agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Try {
    /// When, by the wall clock.
    pub at: Micros,
    /// What, as the trace calls it.
    pub what: String,
    /// Why nothing came of it, where that is known.
    pub why: Option<String>,
}

impl Try {
    /// The try in words.
    fn told(&self) -> String {
        let what = told(&self.what);
        match &self.why {
            None => what.to_owned(),
            Some(why) => format!("{what}: {}", one_line(why, WHY_CHARS)),
        }
    }
}

/// What there is to tell.
#[derive(Clone, Debug)]
pub struct Story<'a> {
    /// Who is silent.
    pub agent: &'a str,
    /// Who asked.
    pub asker: &'a str,
    /// With which message.
    pub matter: &'a MessageId,
    /// Its subject.
    pub subject: &'a str,
    /// Its text, where that says more.
    pub words: Option<&'a str>,
    /// What is owed.
    pub duty: Duty,
    /// Since when.
    pub since: Micros,
    /// What was tried, oldest first.
    pub tries: &'a [Try],
    /// When it was handed over to the agent, where it was.
    pub had_it: Option<Micros>,
    /// The task it is about.
    pub task: Option<&'a TaskId>,
    /// Others in the same place who could do it.
    pub others: &'a [String],
    /// Until when, and what happens then: for the operator.
    pub terms: Option<(Micros, OperatorDefault)>,
}

impl Story<'_> {
    /// The subject of the question.
    pub fn subject(&self) -> String {
        let subject = one_line(self.subject, SUBJECT_CHARS);
        format!("{} is silent about {}: {subject}", self.agent, self.matter)
    }

    /// Why it went up, in one paragraph.
    pub fn reason(&self) -> String {
        let subject = quoted_line(self.subject, SUBJECT_CHARS);
        let (agent, matter, asker) = (self.agent, self.matter, self.asker);
        let verb = match self.duty {
            Duty::Acknowledge => "has not acknowledged",
            Duty::Answer => "has not answered",
            Duty::Accept => "has neither accepted nor declined",
            Duty::Verdict => "has given no verdict on",
            Duty::Unblock => "has not unblocked",
            Duty::Start => "has not started",
            Duty::Position => "has taken no position on",
        };
        format!("{agent} {verb} {matter} from {asker} since {}: {subject}.", moment(self.since))
    }

    /// What the silent agent reads first after its context was cleared: it knows of nothing then.
    pub fn first_words(&self) -> String {
        let (matter, asker, since) = (self.matter, self.asker, moment(self.since));
        let subject = quoted_line(self.subject, SUBJECT_CHARS);
        // Its new conversation begins with a briefing, which names the call that settles it.
        format!(
            "interagent cleared your conversation because {matter} from {asker} has waited for you since {since}: {subject}.\n\
             Your briefing lists it with the call that settles it. Settle it now, or tell {asker} why you can't yet."
        )
    }

    /// What happens without an answer, where that is said.
    pub fn default_words(&self) -> Option<String> {
        let (_, default) = self.terms?;
        Some(match (default, self.task, self.others.first()) {
            (OperatorDefault::Wait, ..) => "it goes on waiting".to_owned(),
            (OperatorDefault::Reassign, Some(task), Some(other)) => format!("{task} goes to {other}"),
            (OperatorDefault::Reassign, ..) => "it goes on waiting: nobody could take it over".to_owned(),
            (OperatorDefault::Cancel, Some(task), _) => format!("{task} is cancelled"),
            (OperatorDefault::Cancel, None, _) => "it is cancelled".to_owned(),
        })
    }

    /// The whole text of the message that carries it up. How to answer is said where it is shown.
    pub fn body(&self) -> String {
        let mut body = self.reason();
        if let Some(words) = self.words {
            body.push_str("\n\n");
            body.push_str(&quoted_text(words));
        }
        body.push_str("\n\n");
        match self.tries {
            [] => match self.had_it {
                Some(at) => {
                    let _ =
                        writeln!(body, "It has the message since {}, and was not woken for it.", moment(at));
                }
                None => body.push_str("Nothing was tried to reach it: no way to it is known here.\n"),
            },
            tries => {
                body.push_str("What was tried:\n");
                for one in &tries[tries.len().saturating_sub(TOLD)..] {
                    // Writing into a string can't fail.
                    let _ = writeln!(body, "- {} {}", moment(one.at), one.told());
                }
            }
        }
        let _ = write!(
            body,
            "\nA reply to this message answers in place of {0} and reaches {0} and {1}.\n",
            self.agent, self.asker
        );
        let others = &self.others[..self.others.len().min(NAMED)];
        if !others.is_empty() {
            let others = others.join(", ");
            let _ = match self.task {
                Some(task) => writeln!(body, "You can also reassign {task}: {others}."),
                None => writeln!(body, "You can also ask somebody else: {others}."),
            };
        }
        if let (Some((until, _)), Some(default)) = (self.terms, self.default_words()) {
            let _ = write!(body, "\nWithout an answer by {}: {default}.", moment(until));
        }
        body.truncate(body.trim_end().len());
        body
    }
}

/// A line of the trace in words.
fn told(what: &str) -> &str {
    match what {
        "wake.tried" => "its session was to be woken",
        "wake.done" => "its client was told",
        "wake.failed" => "its client could not be told",
        "wake.run" => "a run without a person was started",
        "wake.person" => "nothing but a person reaches it",
        "nudge.typed" => "a line was typed into its pane",
        "nudge.failed" => "a line did not get through",
        "nudge.put_off" => "no line was typed, so that nobody is disturbed",
        "control.clear" => "its context was reset",
        "ladder.superior" => "its superior was asked",
        "ladder.captain" => "it was put on the dashboard for its captain",
        other => other,
    }
}
