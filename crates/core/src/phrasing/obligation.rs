//! The steps that settle an obligation, by what its message points at.

use super::{Arg, Detail, Dialect, Operation, Step, call, command, difference, forms};
use crate::decide::decision::{DECIDE_REF, DECISION_REF};
use crate::decide::message::DECLINED_REF;
use crate::decide::review::{REVIEW_REF, REVISION_REF, THREAD_REF};
use crate::decide::task::{READY_REF, SPLIT_REF};
use crate::vocabulary::Duty;

/// The records that a message points at and at which an obligation can be settled.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Links {
    /// A review.
    pub review: Option<String>,
    /// A thread of that review.
    pub thread: Option<String>,
    /// A decision.
    pub decision: Option<String>,
    /// A decision that the recipient has to make.
    pub decide: Option<String>,
    /// A task that its worker proposes to split.
    pub split: Option<String>,
    /// A task that its assignee declined.
    pub declined: Option<String>,
    /// A review that a reviewer sent back to its author.
    pub revision: Option<String>,
    /// A task that became ready to start.
    pub ready: Option<String>,
}

impl Links {
    /// Reads the links from a message's references, each given as its kind and its target.
    pub fn of<'a>(references: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let mut links = Self::default();
        for (kind, target) in references {
            let link = match kind {
                REVIEW_REF => &mut links.review,
                THREAD_REF => &mut links.thread,
                DECISION_REF => &mut links.decision,
                DECIDE_REF => &mut links.decide,
                SPLIT_REF => &mut links.split,
                DECLINED_REF => &mut links.declined,
                REVISION_REF => &mut links.revision,
                READY_REF => &mut links.ready,
                _ => continue,
            };
            link.get_or_insert_with(|| target.to_owned());
        }
        links
    }

    /// The step that a message suggests without an obligation: start the task that became ready.
    pub fn suggested(&self) -> Option<Step> {
        self.ready.as_deref().map(|task| Step::update_task(task, "in_progress"))
    }
}

/// What a message obliges its recipient to, with everything that decides how it is settled.
#[derive(Clone, Copy, Debug)]
pub struct Obligation<'a> {
    /// What is owed.
    pub duty: Duty,
    /// The message.
    pub message: &'a str,
    /// The task of the message.
    pub task: Option<&'a str>,
    /// The records the message points at.
    pub links: &'a Links,
}

impl Obligation<'_> {
    /// The steps that settle it, in order. The last one settles it; a step before it shows what is judged.
    ///
    /// A reply ends a request without ending the review or the decision it is about, so those come first. A question that only
    /// mentions a review belongs to no thread: a reply answers it.
    pub fn steps(&self) -> Vec<Step> {
        let Self { duty, message, task, links } = *self;
        let review = links.review.as_deref();
        let reply = || Step::reply(message);
        if let (Duty::Answer | Duty::Start, Some(revision)) = (duty, links.revision.as_deref()) {
            return vec![Step::show_review(revision), Step::update_review(revision)];
        }
        if let (Duty::Answer, Some(decision)) = (duty, links.decide.as_deref()) {
            return vec![Step::show_decision(decision), Step::decide(decision)];
        }
        if let (Duty::Verdict, Some(review)) = (duty, review) {
            return vec![Step::show_review(review), Step::judge_review(review)];
        }
        vec![match (duty, task) {
            (Duty::Acknowledge, _) => Step::new(Operation::Acknowledge).with(Arg::Message, message),
            (Duty::Verdict, Some(task)) => Step::judge_task(task),
            (Duty::Start, Some(task)) => Step::update_task(task, "in_progress"),
            (Duty::Accept | Duty::Start, _) => Step::new(Operation::Accept).with(Arg::Message, message),
            (Duty::Answer, _) => match (review, links.thread.as_deref(), links.split.as_deref()) {
                (Some(review), Some(thread), _) => Step::comment_review(review, thread),
                (.., Some(split)) => {
                    Step::new(Operation::SplitTask).with(Arg::Task, split).flag(Arg::Accepting)
                }
                _ => reply(),
            },
            (Duty::Position, _) => links.decision.as_deref().map_or_else(reply, Step::take_position),
            (Duty::Unblock, _) => links.declined.as_deref().map_or_else(reply, Step::reassign_task),
            (Duty::Verdict, _) => reply(),
        }]
    }

    /// The id of the record at which it is settled.
    pub fn record(&self) -> Option<String> {
        self.steps().iter().find_map(Step::record).map(str::to_owned)
    }

    /// Whether a plain reply settles it.
    pub fn is_settled_by_reply(&self) -> bool {
        self.steps().iter().all(|step| step.operation == Operation::Reply)
    }

    /// How a reader settles it. Further calls of the same tool name only the arguments that differ, and so does the call that
    /// declines.
    pub fn settle(&self, dialect: Dialect<'_>) -> String {
        self.rendered(dialect, Detail::Whole)
    }

    /// How a reader settles it, below the message itself. The reader knows the tools and has just read the ids, so a call
    /// repeats neither: an id costs 13 tokens. A command has a placeholder for each id.
    pub fn settle_below(&self, dialect: Dialect<'_>) -> String {
        self.rendered(dialect, Detail::Brief)
    }

    fn rendered(&self, dialect: Dialect<'_>, detail: Detail) -> String {
        let steps = self.steps();
        let mut said = String::new();
        for (at, step) in steps.iter().enumerate() {
            match (at.checked_sub(1).map(|before| &steps[before]), dialect) {
                (None, Dialect::Shell) => said.push_str(&command(forms::of(step.operation), step, detail)),
                (Some(_), Dialect::Shell) => {
                    said.push_str(&format!(", then: {}", command(forms::of(step.operation), step, detail)));
                }
                (None, Dialect::Tools(template)) => {
                    said.push_str(&call(forms::of(step.operation), step, template, detail));
                }
                (Some(before), Dialect::Tools(template)) => {
                    said.push_str(&format!(", then {}", difference(before, step, template, detail)));
                }
            }
            match (step.operation, dialect) {
                (Operation::Accept, Dialect::Shell) => said.push_str(" (or: msg decline)"),
                (Operation::Accept, Dialect::Tools(_)) => {
                    said = said.replacen("action=\"accept\"", "action=accept|decline", 1);
                }
                (Operation::SplitTask, Dialect::Shell) => said.push_str(" (or: --decline --reason TEXT)"),
                (Operation::SplitTask, Dialect::Tools(_)) => {
                    said.push_str(", or answer=\"decline\", reason=TEXT");
                }
                _ => {}
            }
        }
        said
    }
}
