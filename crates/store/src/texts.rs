//! Which texts an event points to. Exhaustive on purpose: a new kind of event does not compile until it is said here.

use interagent_core::event::{Event, Reference, SkillCandidate, TextPurged, TextReleased, Verification};
use interagent_core::text::TextHash;

/// The texts an event points to, in the order of its fields.
pub fn texts_of(event: &Event) -> Vec<&TextHash> {
    let mut found = Vec::new();
    match event {
        Event::AgentDescribed(e) => found.extend(&e.description),
        Event::AgentRetired(e) => found.extend(&e.reason),
        Event::AgentStatus(e) => found.extend(&e.text),
        Event::MessageSent(e) => {
            found.push(&e.subject);
            found.extend(&e.body);
            found.extend(e.refs.iter().filter_map(|Reference { text, .. }| text.as_ref()));
        }
        Event::MessageDeclined(e) => found.extend(&e.reason),
        Event::MessageEscalated(e) => {
            found.push(&e.reason);
            found.extend(&e.default);
        }
        Event::MessageCarriedOut(e) => found.extend(&e.note),
        Event::SkillPromoted(e) => found.push(&e.description),
        Event::SkillRejected(e) => found.push(&e.reason),
        Event::TaskCreated(e) => {
            found.push(&e.title);
            found.extend(&e.description);
            found.extend(&e.purpose);
            found.extend(&e.requirements);
            found.extend(&e.acceptance_criteria);
            found.extend(&e.echo_message);
        }
        Event::TaskEdited(e) => {
            found.extend(&e.title);
            found.extend(&e.description);
        }
        Event::TaskMoved(e) => found.extend(&e.reason),
        Event::TaskNoted(e) => found.push(&e.note),
        Event::TaskReported(e) => {
            found.push(&e.summary);
            found.extend(&e.notes);
            let SkillCandidate { name, description, reason, .. } = &e.skill_candidate;
            found.extend([name, description, reason, &e.purpose_gap].into_iter().flatten());
            if let Some(Verification { build_command, error_console, .. }) = &e.verification {
                found.extend([build_command, error_console].into_iter().flatten());
            }
            found.extend(e.todo_scan.iter().flat_map(|scan| &scan.new_todos));
        }
        Event::TaskJudged(e) => found.extend(&e.note),
        Event::TaskSplitProposed(e) => {
            found.extend(&e.parts);
            found.extend(&e.reason);
        }
        Event::TaskSplitDecided(e) => found.extend(&e.reason),
        Event::ReviewOpened(e) => {
            found.push(&e.title);
            found.extend(&e.diff);
        }
        Event::ReviewRound(e) => found.extend([&e.diff, &e.since_base, &e.since_head].into_iter().flatten()),
        Event::ReviewCommented(e) => found.push(&e.body),
        Event::ReviewJudged(e) => found.extend(&e.note),
        Event::SpecPublished(e) => {
            found.push(&e.body);
            found.extend(&e.note);
        }
        Event::DecisionOpened(e) => {
            found.push(&e.question);
            found.extend(&e.options);
        }
        Event::DecisionPosition(e) => {
            found.push(&e.position);
            found.extend(&e.reason);
        }
        Event::DecisionDecided(e) => {
            found.push(&e.outcome);
            found.extend(&e.reason);
        }
        Event::LeaseTaken(e) => found.extend(&e.reason),
        Event::LeaseForced(e) => found.push(&e.reason),
        // The released ones belong to the events that wrote them.
        Event::TextPurged(TextPurged { reason }) | Event::TextReleased(TextReleased { reason, .. }) => {
            found.extend(reason);
        }
        Event::OriginOpened(_)
        | Event::OriginCorrected(_)
        | Event::TeamChanged(_)
        | Event::AgentRegistered(_)
        | Event::AgentSeated(_)
        | Event::AgentRenamed(_)
        | Event::MessageHeld(_)
        | Event::MessageReleased(_)
        | Event::MessageDelivered(_)
        | Event::MessageAcknowledged(_)
        | Event::MessageSettled(_)
        | Event::MessageAnswered(_)
        | Event::MessageConcluded(_)
        | Event::MessageRaised(_)
        | Event::MessageControl(_)
        | Event::TaskAssigned(_)
        | Event::TaskDependency(_)
        | Event::TaskSubmitted(_)
        | Event::ReviewResolved(_)
        | Event::SpecSubscribed(_)
        | Event::DecisionSuperseded(_)
        | Event::LeaseReleased(_)
        | Event::Unknown { .. } => {}
    }
    found
}
