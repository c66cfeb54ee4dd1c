//! The words of messages and work: intents, priorities, states, verdicts, duties.

mod report;

pub use report::{BuildResult, ControlOutcome, ControlVerb, FileAction};

pub use crate::permission::NoticeKind;
use crate::words;

words! {
    /// What a message is for; decides what it obliges its recipient to.
    pub enum Intent as "the intent" {
        /// Nothing is owed.
        Message = "message",
        /// An answer is owed; a reply settles it.
        Question = "question",
        /// Accept or decline; accepting moves the task.
        Handoff = "handoff",
        /// A verdict where a task's approval needs one, otherwise a reply.
        ReviewRequest = "review_request" | "review",
        /// Unblock, or pass it on.
        Blocked = "blocked",
        /// Nothing is owed.
        ContextShare = "context_share",
        /// Start or decline the task.
        Delegation = "delegation",
        /// A position before the deadline.
        Discussion = "discussion",
        /// Nothing is owed; goes up the chain.
        Report = "report",
        /// Clear, model, stop or resume of the agent itself.
        Control = "control",
    }
}

words! {
    /// What a recipient owes until it is settled.
    pub enum Duty as "the duty" {
        /// Acknowledge the message.
        Acknowledge = "acknowledge",
        /// Reply.
        Answer = "answer",
        /// Accept or decline.
        Accept = "accept",
        /// Give a verdict.
        Verdict = "verdict",
        /// Unblock or pass it on.
        Unblock = "unblock",
        /// Start or decline.
        Start = "start",
        /// Take a position.
        Position = "position",
    }
}

impl Intent {
    /// What this intent obliges the recipient to, if anything.
    pub fn duty(self) -> Option<Duty> {
        match self {
            Self::Question => Some(Duty::Answer),
            Self::Handoff => Some(Duty::Accept),
            Self::ReviewRequest => Some(Duty::Verdict),
            Self::Blocked => Some(Duty::Unblock),
            Self::Delegation => Some(Duty::Start),
            Self::Discussion => Some(Duty::Position),
            Self::Message | Self::ContextShare | Self::Report | Self::Control => None,
        }
    }
}

impl Duty {
    /// Whether a reply can settle it. A task is started or accepted by its own verb.
    pub fn is_settled_by_words(self) -> bool {
        match self {
            Self::Answer | Self::Unblock | Self::Position | Self::Acknowledge | Self::Verdict => true,
            Self::Accept | Self::Start => false,
        }
    }
}

words! {
    /// How urgent a message or task is.
    pub enum Priority as "the priority" {
        /// Waits for the end of a turn.
        Low = "low",
        /// The default.
        Medium = "medium" | "normal",
        /// Before others.
        High = "high",
        /// Before everything.
        Critical = "critical" | "urgent",
    }
}

words! {
    /// How far a message got with one recipient, as far as it was observed.
    pub enum DeliveryState as "the delivery state" {
        /// Stored; not handed over yet.
        Queued = "queued",
        /// Handed over, and the recipient's session gave evidence of it.
        Delivered = "delivered",
        /// The recipient said it read it.
        Acknowledged = "acknowledged",
        /// What it obliged to is settled.
        Done = "done",
        /// The recipient declined.
        Refused = "refused",
    }
}

words! {
    /// What a client's hook tells of.
    pub enum Moment as "the moment" {
        /// A session begins, or begins again after it forgot.
        Start = "start",
        /// A person said something.
        Prompt = "prompt",
        /// A tool was used.
        AfterTool = "after_tool",
        /// The turn ends; what is said keeps it going.
        TurnEnd = "turn_end",
        /// The client waits for a person.
        Notice = "notice",
        /// The conversation is about to be shortened.
        Compact = "compact",
        /// The session ends.
        End = "end",
        /// The session is idle; what is said wakes it.
        Wait = "wait",
    }
}

words! {
    /// How an idle session is woken by itself.
    pub enum WakeWay as "the way to wake" {
        /// A waiter that its hook started.
        Waiter = "waiter",
        /// A command that puts a line into its queue.
        Command = "command",
        /// A file it was started with and reads from.
        File = "file",
    }
}

words! {
    /// The way by which a message was handed over.
    pub enum Via as "the way of delivery" {
        /// The recipient listed its inbox.
        Inbox = "inbox",
        /// The recipient read it by id.
        Read = "read",
        /// A hook put it into the context.
        Hook = "hook",
        /// An MCP call returned it.
        Mcp = "mcp",
        /// A headless run carried it.
        Headless = "headless",
        /// The person saw it on a page or screen.
        Screen = "screen",
        /// The recipient acted on it (replied, accepted, declined, acknowledged, began the work), so it has it.
        Action = "action",
    }
}

words! {
    /// How an obligation came to its end.
    pub enum Settlement as "the settlement" {
        /// By a reply.
        Replied = "replied",
        /// By accepting.
        Accepted = "accepted",
        /// By declining.
        Declined = "declined",
        /// By a verdict.
        Judged = "judged",
        /// By starting or finishing the task.
        Started = "started",
        /// By taking a position.
        Positioned = "positioned",
        /// By acknowledging.
        Acknowledged = "acknowledged",
        /// By saying that it is complete.
        Completed = "completed",
        /// By the operator's or superior's answer to an escalation.
        Answered = "answered",
        /// Because the matter was withdrawn (task closed or reassigned).
        Withdrawn = "withdrawn",
    }
}

words! {
    /// What somebody who supervises looks at again at a certain time.
    pub enum TimerKind as "the timer" {
        /// A duty that is not settled: how far it has climbed.
        Ladder = "ladder",
        /// An agent with undelivered mail: how it was tried to be reached.
        Wake = "wake",
        /// A duty whose agent has the message and is to be told again that it owes. It waits for a prompt, not for a time.
        Remind = "remind",
    }
}

words! {
    /// What became of an escalation that was not answered.
    pub enum Conclusion as "the conclusion" {
        /// Who owed it settled it after all.
        Settled = "settled",
        /// Its deadline passed and it goes on waiting; it can still be answered.
        Waits = "waits",
        /// Its deadline passed and the work went to somebody else.
        Reassigned = "reassigned",
        /// Its deadline passed and the matter was cancelled.
        Cancelled = "cancelled",
    }
}

words! {
    /// Why a message is held instead of delivered.
    pub enum HoldReason as "the reason for holding" {
        /// Too many hops between agents since a human or the task moved.
        Hops = "hops",
        /// Too many messages from this sender to this recipient in the window.
        Rate = "rate",
        /// A member asked for it.
        Asked = "asked",
        /// A suspected secret.
        Secret = "secret",
        /// It is for the session itself, and waits to be carried out.
        Control = "control",
    }
}

impl HoldReason {
    /// The same for people.
    pub fn why(self) -> &'static str {
        match self {
            Self::Hops => "too many messages without a person or progress",
            Self::Rate => "too many messages in a short time",
            Self::Asked => "a member asked for it",
            Self::Secret => "it may hold a secret",
            Self::Control => "it waits to be carried out",
        }
    }
}

words! {
    /// Where a task stands.
    pub enum TaskStatus as "the status" {
        /// Created, nobody's yet.
        Pending = "pending",
        /// Given to an agent.
        Assigned = "assigned",
        /// Being worked on.
        InProgress = "in_progress",
        /// Waiting for something outside.
        Blocked = "blocked",
        /// The worker says it is done.
        Completed = "completed" | "done",
        /// A verdict is awaited.
        UnderReview = "under_review",
        /// Sent back.
        RevisionNeeded = "revision_needed",
        /// Accepted; closed.
        Approved = "approved",
        /// Not accepted; closed.
        Rejected = "rejected",
        /// The worker could not do it; closed.
        Failed = "failed",
        /// Withdrawn; closed.
        Cancelled = "cancelled" | "canceled",
        /// Closed in favour of a linked task.
        Reassigned = "reassigned",
    }
}

impl TaskStatus {
    /// Nothing can happen to a closed task.
    pub fn is_closed(self) -> bool {
        matches!(self, Self::Approved | Self::Rejected | Self::Failed | Self::Cancelled | Self::Reassigned)
    }

    /// The worker says it is done, and nobody has judged it.
    pub fn awaits_verdict(self) -> bool {
        matches!(self, Self::Completed | Self::UnderReview)
    }

    /// Whether one step of the life cycle leads from here to there.
    pub fn leads_to(self, to: Self) -> bool {
        use TaskStatus as S;
        if matches!(to, S::Rejected | S::Failed | S::Cancelled | S::Reassigned) {
            return !self.is_closed();
        }
        matches!(
            (self, to),
            (S::Pending, S::Assigned)
                | (S::Assigned | S::Blocked | S::RevisionNeeded, S::InProgress)
                | (S::Assigned | S::InProgress, S::Blocked)
                | (S::InProgress, S::Completed)
                | (S::Completed, S::UnderReview | S::Approved | S::RevisionNeeded)
                | (S::UnderReview, S::Approved | S::RevisionNeeded)
        )
    }

    /// The forward steps from here to there, or `None` where no forward path exists.
    ///
    /// This is what lets `update --status completed` work on a task that was only created: the skipped moves are
    /// recorded one by one.
    pub fn path_to(self, to: Self) -> Option<Vec<Self>> {
        use TaskStatus as S;
        if self.leads_to(to) {
            return Some(vec![to]);
        }
        let next = match (self, to) {
            (S::Pending, S::InProgress | S::Blocked | S::Completed | S::UnderReview | S::Approved) => {
                S::Assigned
            }
            (S::Assigned | S::Blocked | S::RevisionNeeded, S::Completed | S::UnderReview | S::Approved) => {
                S::InProgress
            }
            (S::RevisionNeeded, S::Blocked) => S::InProgress,
            (S::InProgress, S::UnderReview | S::Approved | S::RevisionNeeded) => S::Completed,
            _ => return None,
        };
        let mut path = vec![next];
        path.extend(next.path_to(to)?);
        Some(path)
    }
}

words! {
    /// What became of a proposal to divide a task.
    pub enum SplitAnswer as "the answer" {
        /// The parts become tasks.
        Accept = "accept" | "accepted",
        /// The task stays as it is.
        Decline = "decline" | "declined",
    }
}

words! {
    /// What a reviewer decided.
    pub enum Verdict as "the verdict" {
        /// Good as it is.
        Approved = "approved" | "approve",
        /// Back to the worker.
        RevisionNeeded = "revision_needed" | "revise",
        /// Not wanted.
        Rejected = "rejected" | "reject",
    }
}

impl Verdict {
    /// The task status that follows.
    pub fn status(self) -> TaskStatus {
        match self {
            Self::Approved => TaskStatus::Approved,
            Self::RevisionNeeded => TaskStatus::RevisionNeeded,
            Self::Rejected => TaskStatus::Rejected,
        }
    }
}

words! {
    /// What a review comment means.
    pub enum Disposition as "the disposition" {
        /// Good.
        Approve = "approve",
        /// Something is wrong.
        Concern = "concern",
        /// Something is unclear.
        Question = "question",
        /// For information.
        Note = "note",
        /// A known risk, accepted.
        AcceptedRisk = "accepted_risk",
        /// Will stay as it is.
        WontFix = "wont_fix",
    }
}

words! {
    /// Which side of a diff a comment stands on.
    pub enum Side as "the side" {
        /// Before the change.
        Old = "old",
        /// After the change.
        New = "new",
    }
}

words! {
    /// How a report ends.
    pub enum ReportStatus as "the report status" {
        /// The work is done.
        Done = "done",
        /// It could not be done.
        Failed = "failed",
        /// It waits for something.
        Blocked = "blocked",
    }
}

words! {
    /// Whether others may hold the same paths.
    pub enum LeaseMode as "the lease mode" {
        /// One writer.
        Exclusive = "exclusive",
        /// Several readers.
        Shared = "shared",
    }
}

words! {
    /// What an agent says it is doing.
    pub enum AgentState as "the state" {
        /// In the middle of work.
        Working = "working" | "busy",
        /// Free.
        Idle = "idle",
        /// Waiting for somebody.
        Waiting = "waiting",
        /// Can't go on.
        Blocked = "blocked",
        /// Not there.
        Offline = "offline",
    }
}

words! {
    /// How the program knew who acted. It stops mistakes, not a hostile program of the same user.
    pub enum Auth as "the authentication" {
        /// The client's session was bound by a hook or a connection.
        Session = "session",
        /// The process, or an ancestor of it, was bound.
        Process = "process",
        /// The tmux pane was bound.
        Pane = "pane",
        /// A token was presented.
        Token = "token",
        /// A person at a controlling terminal.
        Terminal = "terminal",
        /// Only an argument or variable says so.
        Claimed = "claimed",
    }
}

words! {
    /// What happens to a client session as its hooks report it.
    pub enum SessionState as "the session state" {
        /// In a turn.
        Busy = "busy",
        /// Waiting for a prompt.
        Idle = "idle",
        /// In a turn, waiting for a person's permission.
        Asking = "asking",
        /// Ended.
        Ended = "ended",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_fold_case_dashes_and_synonyms() {
        assert_eq!("Review-Request".parse(), Ok(Intent::ReviewRequest));
        assert_eq!("review".parse(), Ok(Intent::ReviewRequest));
        assert_eq!("IN-PROGRESS".parse(), Ok(TaskStatus::InProgress));
        assert_eq!(
            "urgentish".parse::<Priority>().unwrap_err().to_string(),
            "the priority can't be `urgentish`; it is one of low, medium, high, critical"
        );
    }

    #[test]
    fn the_documented_shortcut_records_every_skipped_move() {
        use TaskStatus as S;
        assert_eq!(S::Pending.path_to(S::Completed), Some(vec![S::Assigned, S::InProgress, S::Completed]));
        assert_eq!(S::Assigned.path_to(S::Approved), Some(vec![S::InProgress, S::Completed, S::Approved]));
        assert_eq!(S::Completed.path_to(S::InProgress), None);
        assert_eq!(S::Approved.path_to(S::Cancelled), None);
    }

    #[test]
    fn every_step_of_every_path_is_a_step_of_the_life_cycle() {
        for from in TaskStatus::ALL {
            for to in TaskStatus::ALL {
                let mut at = *from;
                for step in from.path_to(*to).unwrap_or_default() {
                    assert!(at.leads_to(step), "{at} -> {step}");
                    at = step;
                }
            }
        }
    }
}
