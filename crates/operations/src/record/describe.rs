//! Events in words: one short sentence for each kind, never a whole text.
//!
//! The sentence follows the name of the entity ("task-…: kimi took the task"), so it does not repeat it. The match is
//! exhaustive on purpose: a new kind of event does not compile until it can be told.

#[cfg(test)]
mod tests;

use interagent_core::event::{
    AgentDescribed, AgentSeated, AgentStatus, DecisionOpened, Event, LeaseTaken, MessageConcluded,
    MessageControl, MessageDelivered, MessageEscalated, MessageSent, MessageSettled, ReviewCommented,
    ReviewOpened, ReviewRound, SpecPublished, TaskAssigned, TaskCreated, TaskDependency, TaskEdited,
    TaskJudged, TaskMoved, TaskReported, TeamChanged,
};
use interagent_core::ids::AgentId;
use interagent_core::line::{moment, one_line};
use interagent_core::refusal::Refusal;
use interagent_core::text::TextHash;
use interagent_core::vocabulary::{Conclusion, ControlOutcome, Settlement, Via};

use crate::names::Names;

/// Characters of a subject or title in a sentence.
const TITLE_CHARS: usize = 80;
/// Names, paths or fields listed in a sentence.
const LISTED: usize = 3;

/// Where names and texts come from.
pub(super) trait Lookup {
    /// A member's name, as shown.
    fn name(&mut self, id: &AgentId) -> Result<String, Refusal>;
    /// A text, or what stands for a deleted one.
    fn text(&mut self, hash: &TextHash) -> Result<String, Refusal>;
}

impl Lookup for Names<'_, '_> {
    fn name(&mut self, id: &AgentId) -> Result<String, Refusal> {
        Ok(self.who(id)?.name)
    }

    fn text(&mut self, hash: &TextHash) -> Result<String, Refusal> {
        self.line(hash)
    }
}

/// What happened, in words. `by` is the member the entry counts for.
pub(super) fn describe(event: &Event, by: &AgentId, look: &mut impl Lookup) -> Result<String, Refusal> {
    Ok(match event {
        Event::OriginCorrected(e) => format!(
            "corrected its clock, which ran ahead until {}: {} entries follow again",
            moment(e.ahead_until),
            e.entries
        ),
        Event::OriginOpened(e) => match &e.continues {
            None => format!("the replica {} opened", short(&e.alias)),
            Some(old) => format!("the replica {} opened and took over the agents of {old}", short(&e.alias)),
        },
        Event::TeamChanged(e) => team_changed(e),
        Event::AgentRegistered(e) => format!("{} registered as {}", e.name, short(&e.profile)),
        Event::AgentDescribed(e) => agent_described(e),
        Event::AgentSeated(e) => agent_seated(e),
        Event::AgentRenamed(e) => format!("renamed to {}", e.name),
        Event::AgentRetired(e) => because("retired", e.reason.as_ref()),
        Event::AgentStatus(e) => agent_status(e),
        Event::MessageSent(e) => message_sent(e, look)?,
        Event::MessageHeld(e) => format!("held: {}", e.reason.why()),
        Event::MessageReleased(_) => "released".to_owned(),
        Event::MessageDelivered(e) => message_delivered(e, look)?,
        Event::MessageAcknowledged(e) => format!("{} acknowledged it", look.name(&e.agent)?),
        Event::MessageSettled(e) => message_settled(e, look)?,
        Event::MessageDeclined(e) => {
            because(&format!("{} declined", look.name(&e.agent)?), e.reason.as_ref())
        }
        Event::MessageEscalated(e) => message_escalated(e, look)?,
        Event::MessageAnswered(e) => {
            format!("the escalation of {} was answered with {}", look.name(&e.agent)?, e.by)
        }
        Event::MessageConcluded(e) => message_concluded(e, look)?,
        Event::MessageRaised(e) => {
            let (agent, to) = (look.name(&e.agent)?, look.name(&e.to)?);
            format!("{agent} was silent: it is on the dashboard for {to}")
        }
        Event::MessageControl(MessageControl { verb, model }) => match model {
            Some(model) => format!("for the session itself: {verb} {}", short(model)),
            None => format!("for the session itself: {verb}"),
        },
        Event::MessageCarriedOut(e) => match e.outcome {
            ControlOutcome::Done => format!("carried out in the session of {}", look.name(&e.agent)?),
            ControlOutcome::Failed => {
                because(&format!("could not be carried out for {}", look.name(&e.agent)?), e.note.as_ref())
            }
        },
        Event::SkillPromoted(e) => {
            format!("{} made it the skill {}, proposed {} times", look.name(by)?, short(&e.name), e.times)
        }
        Event::SkillRejected(_) => format!("{} rejected it, with a reason", look.name(by)?),
        Event::TaskCreated(e) => task_created(e, look)?,
        Event::TaskEdited(e) => task_edited(e, look)?,
        Event::TaskAssigned(e) => task_assigned(e, look)?,
        Event::TaskMoved(e) => task_moved(e),
        Event::TaskNoted(_) => format!("{} added a note", look.name(by)?),
        Event::TaskDependency(TaskDependency { on, removed: false }) => format!("waits for {on}"),
        Event::TaskDependency(TaskDependency { on, removed: true }) => format!("waits for {on} no longer"),
        Event::TaskReported(e) => task_reported(e, look)?,
        Event::TaskJudged(e) => task_judged(e, look)?,
        Event::TaskSubmitted(e) => format!("round {} of {} waits for a verdict", e.round, e.review),
        Event::TaskSplitProposed(e) => because(
            &format!("{} proposed to split it into {} parts", look.name(by)?, e.parts.len()),
            e.reason.as_ref(),
        ),
        Event::TaskSplitDecided(e) if e.tasks.is_empty() => {
            because(&format!("{} declined to split it", look.name(by)?), e.reason.as_ref())
        }
        Event::TaskSplitDecided(e) => {
            let tasks: Vec<String> = e.tasks.iter().map(ToString::to_string).collect();
            format!("{} split it into {}", look.name(by)?, listed(&tasks))
        }
        Event::ReviewOpened(e) => review_opened(e, look)?,
        Event::ReviewRound(e) => review_round(e, look)?,
        Event::ReviewCommented(e) => review_commented(e, look)?,
        Event::ReviewResolved(e) => format!("{} closed the thread {}", look.name(&e.by)?, e.thread),
        Event::ReviewJudged(e) => format!("{} ended the review: {}", look.name(&e.by)?, e.verdict),
        Event::SpecPublished(SpecPublished { version, publisher, .. }) => {
            format!("{} published version {version}", look.name(publisher)?)
        }
        Event::SpecSubscribed(e) if e.removed => format!("{} unsubscribed", look.name(&e.agent)?),
        Event::SpecSubscribed(e) => format!("{} subscribed", look.name(&e.agent)?),
        Event::DecisionOpened(e) => decision_opened(e, look)?,
        Event::DecisionPosition(e) => {
            format!("{} is for {}", look.name(&e.agent)?, title(&e.position, look)?)
        }
        Event::DecisionDecided(e) => format!("{} decided: {}", look.name(&e.by)?, title(&e.outcome, look)?),
        Event::DecisionSuperseded(e) => format!("superseded by {}", e.by),
        Event::LeaseTaken(e) => lease_taken(e, look)?,
        Event::LeaseReleased(_) => "given back".to_owned(),
        Event::LeaseForced(e) => format!("taken away by {}", look.name(&e.by)?),
        Event::TextPurged(e) => because("text deleted", e.reason.as_ref()),
        Event::TextReleased(e) => because(
            &format!("{} let a text out that looked like a secret", look.name(by)?),
            e.reason.as_ref(),
        ),
        Event::Unknown { kind, version } => {
            format!("an event of a newer version ({} v{version})", short(kind))
        }
    })
}

/// What the member said about it: the reason, the note, the summary. A text of its own, so the sentence leaves it out.
pub(super) fn words_given(event: &Event) -> Option<&TextHash> {
    match event {
        Event::AgentRetired(e) => e.reason.as_ref(),
        Event::AgentStatus(e) => e.text.as_ref(),
        Event::MessageDeclined(e) => e.reason.as_ref(),
        Event::MessageEscalated(e) => Some(&e.reason),
        Event::MessageCarriedOut(e) => e.note.as_ref(),
        Event::SkillPromoted(e) => Some(&e.description),
        Event::SkillRejected(e) => Some(&e.reason),
        Event::TaskMoved(e) => e.reason.as_ref(),
        Event::TaskNoted(e) => Some(&e.note),
        Event::TaskReported(e) => Some(&e.summary),
        Event::TaskJudged(e) => e.note.as_ref(),
        Event::TaskSplitProposed(e) => e.reason.as_ref(),
        Event::TaskSplitDecided(e) => e.reason.as_ref(),
        Event::ReviewJudged(e) => e.note.as_ref(),
        Event::SpecPublished(e) => e.note.as_ref(),
        Event::DecisionPosition(e) => e.reason.as_ref(),
        Event::DecisionDecided(e) => e.reason.as_ref(),
        Event::LeaseTaken(e) => e.reason.as_ref(),
        Event::LeaseForced(e) => Some(&e.reason),
        Event::TextPurged(e) => e.reason.as_ref(),
        Event::TextReleased(e) => e.reason.as_ref(),
        _ => None,
    }
}

fn short(word: &str) -> String {
    one_line(word, TITLE_CHARS)
}

fn title(hash: &TextHash, look: &mut impl Lookup) -> Result<String, Refusal> {
    Ok(format!("\"{}\"", one_line(&look.text(hash)?, TITLE_CHARS)))
}

/// That a reason was given belongs to the sentence; the reason itself is a text of its own.
fn because(what: &str, reason: Option<&TextHash>) -> String {
    if reason.is_some() { format!("{what}, with a reason") } else { what.to_owned() }
}

fn listed(items: &[String]) -> String {
    let shown: Vec<String> = items.iter().take(LISTED).map(|item| short(item)).collect();
    match items.len().saturating_sub(LISTED) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

fn names_listed(ids: &[AgentId], look: &mut impl Lookup) -> Result<String, Refusal> {
    let mut shown = Vec::new();
    for id in ids.iter().take(LISTED) {
        shown.push(look.name(id)?);
    }
    Ok(match ids.len().saturating_sub(LISTED) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    })
}

fn team_changed(e: &TeamChanged) -> String {
    let config = &e.config;
    format!(
        "the team is {} with {} agents in {}",
        config.formation,
        config.agents.len(),
        short(&config.project)
    )
}

fn agent_described(e: &AgentDescribed) -> String {
    match &e.workspace {
        Some(workspace) => format!("described itself: {} in {}", short(&e.profile), short(workspace)),
        None => format!("described itself: {}", short(&e.profile)),
    }
}

fn agent_seated(e: &AgentSeated) -> String {
    match (&e.role, &e.reports_to) {
        (Some(role), Some(up)) => format!("has the role {role} and reports to {up}"),
        (Some(role), None) => format!("has the role {role}"),
        (None, Some(up)) => format!("reports to {up}"),
        (None, None) => "has no role".to_owned(),
    }
}

fn agent_status(e: &AgentStatus) -> String {
    match e.context_left {
        Some(left) => format!("is {} with {left}% of its context left", e.state),
        None => format!("is {}", e.state),
    }
}

fn message_sent(e: &MessageSent, look: &mut impl Lookup) -> Result<String, Refusal> {
    let to = if e.addressed.is_empty() { names_listed(&e.to, look)? } else { listed(&e.addressed) };
    let (from, what, subject) = (look.name(&e.from)?, article(e.intent.as_str()), title(&e.subject, look)?);
    Ok(match e.reply_to {
        Some(_) => format!("{from} replied to {to} with {what}: {subject}"),
        None => format!("{from} sent {what} to {to}: {subject}"),
    })
}

fn article(word: &str) -> String {
    let readable = word.replace('_', " ");
    format!("{} {readable}", if readable.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" })
}

fn message_delivered(e: &MessageDelivered, look: &mut impl Lookup) -> Result<String, Refusal> {
    let again = match e.redelivered {
        0 => String::new(),
        1 => " after 1 hand-over that lapsed".to_owned(),
        n => format!(" after {n} hand-overs that lapsed"),
    };
    let agent = look.name(&e.agent)?;
    Ok(match e.via {
        Via::Action => format!("delivered to {agent}, who acted on it{again}"),
        via => format!("delivered to {agent} via {via}{again}"),
    })
}

fn message_settled(e: &MessageSettled, look: &mut impl Lookup) -> Result<String, Refusal> {
    let agent = look.name(&e.agent)?;
    let how = match e.how {
        Settlement::Replied => format!("{agent} replied"),
        Settlement::Accepted => format!("{agent} accepted"),
        Settlement::Declined => format!("{agent} declined"),
        Settlement::Judged => format!("{agent} gave a verdict"),
        Settlement::Started => format!("{agent} started the task"),
        Settlement::Positioned => format!("{agent} took a position"),
        Settlement::Acknowledged => format!("{agent} acknowledged it"),
        Settlement::Completed => format!("{agent} completed what it asked for"),
        Settlement::Answered => format!("settled for {agent} by the answer to its escalation"),
        Settlement::Withdrawn => format!("{agent} owes nothing more: the matter was withdrawn"),
    };
    Ok(match &e.by {
        Some(reply) => format!("{how} ({reply})"),
        None => how,
    })
}

fn message_escalated(e: &MessageEscalated, look: &mut impl Lookup) -> Result<String, Refusal> {
    let (agent, to) = (look.name(&e.agent)?, look.name(&e.to)?);
    Ok(match e.by_ladder {
        true => format!("{agent} was silent: it went up to {to} with {}", e.by),
        false => format!("{agent} took it to {to} with {}", e.by),
    })
}

fn message_concluded(e: &MessageConcluded, look: &mut impl Lookup) -> Result<String, Refusal> {
    let agent = look.name(&e.agent)?;
    Ok(match e.how {
        Conclusion::Settled => format!("{agent} settled it after all: {} needs no answer", e.escalation),
        Conclusion::Waits => format!("nobody answered {} in time: it goes on waiting", e.escalation),
        Conclusion::Reassigned => {
            format!("nobody answered {} in time: the work of {agent} went to somebody else", e.escalation)
        }
        Conclusion::Cancelled => {
            format!("nobody answered {} in time: what {agent} owed was cancelled", e.escalation)
        }
    })
}

fn task_created(e: &TaskCreated, look: &mut impl Lookup) -> Result<String, Refusal> {
    let origin = match (&e.redo_of, &e.reassigned_from, &e.parent) {
        (Some(task), ..) => format!(" to do {task} again"),
        (None, Some(task), _) => format!(" to take over {task}"),
        (None, None, Some(task)) => format!(" as part of {task}"),
        (None, None, None) => String::new(),
    };
    Ok(format!("{} created the task {}{origin}", look.name(&e.assigner)?, title(&e.title, look)?))
}

fn task_edited(e: &TaskEdited, look: &mut impl Lookup) -> Result<String, Refusal> {
    let mut changes = Vec::new();
    if let Some(new) = &e.title {
        changes.push(format!("the title to {}", title(new, look)?));
    }
    if e.description.is_some() {
        changes.push("the description".to_owned());
    }
    if let Some(priority) = e.priority {
        changes.push(format!("the priority to {priority}"));
    }
    if let Some(branch) = &e.branch {
        changes.push(format!("the branch to {}", short(branch)));
    }
    Ok(if changes.is_empty() {
        "changed nothing".to_owned()
    } else {
        format!("changed {}", changes.join(", "))
    })
}

fn task_assigned(e: &TaskAssigned, look: &mut impl Lookup) -> Result<String, Refusal> {
    let assignee = look.name(&e.assignee)?;
    Ok(match (&e.before, e.claimed) {
        (None, true) => format!("{assignee} took the task"),
        (None, false) => format!("assigned to {assignee}"),
        (Some(before), true) => format!("{assignee} took the task over from {}", look.name(before)?),
        (Some(before), false) => format!("passed from {} to {assignee}", look.name(before)?),
    })
}

fn task_moved(e: &TaskMoved) -> String {
    let mut what = format!("moved from {} to {}", e.from, e.to);
    if let Some(successor) = &e.successor {
        what.push_str(&format!(" in favour of {successor}"));
    }
    because(&what, e.reason.as_ref())
}

fn task_reported(e: &TaskReported, look: &mut impl Lookup) -> Result<String, Refusal> {
    let files = match e.files_modified.len() {
        0 => String::new(),
        1 => ", 1 file modified".to_owned(),
        n => format!(", {n} files modified"),
    };
    let skill = if e.skill_candidate.found { ", with a skill candidate" } else { "" };
    Ok(format!("{} reported {}{files}{skill}", look.name(&e.worker)?, e.status))
}

fn task_judged(e: &TaskJudged, look: &mut impl Lookup) -> Result<String, Refusal> {
    let over = if e.overruled { ", over the rules" } else { "" };
    let review = e.review.as_ref().map(|review| format!(" in {review}")).unwrap_or_default();
    Ok(format!("{} gave the verdict {}{review}{over}", look.name(&e.by)?, e.verdict))
}

fn review_opened(e: &ReviewOpened, look: &mut impl Lookup) -> Result<String, Refusal> {
    let task = e.task.as_ref().map(|task| format!(" of {task}")).unwrap_or_default();
    let reviewers = names_listed(&e.reviewers, look)?;
    Ok(format!("{} asked {reviewers} for a review{task}: {}", look.name(&e.author)?, title(&e.title, look)?))
}

fn review_round(e: &ReviewRound, look: &mut impl Lookup) -> Result<String, Refusal> {
    let source = e.source.as_ref().map(|source| format!(": {}", short(source))).unwrap_or_default();
    Ok(format!("{} submitted round {}{source}", look.name(&e.by)?, e.round))
}

fn review_commented(e: &ReviewCommented, look: &mut impl Lookup) -> Result<String, Refusal> {
    let verb = if e.thread == e.comment { "commented" } else { "answered" };
    let place = match (&e.file, e.line) {
        (Some(file), Some(line)) => format!(" at {}:{line}", short(file)),
        (Some(file), None) => format!(" at {}", short(file)),
        (None, _) => String::new(),
    };
    Ok(format!("{} {verb}{place} ({})", look.name(&e.by)?, e.disposition))
}

fn decision_opened(e: &DecisionOpened, look: &mut impl Lookup) -> Result<String, Refusal> {
    let instead = e.supersedes.as_ref().map(|old| format!(", to replace {old}")).unwrap_or_default();
    Ok(format!("{} asked {}{instead}", look.name(&e.by)?, title(&e.question, look)?))
}

fn lease_taken(e: &LeaseTaken, look: &mut impl Lookup) -> Result<String, Refusal> {
    Ok(format!("{} leased {} ({}, {} s)", look.name(&e.holder)?, listed(&e.globs), e.mode, e.ttl_s))
}
