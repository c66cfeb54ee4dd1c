//! A further round: the author answers the comments with another version of the change.

use super::{Coordinates, OPEN_ANOTHER, draft_submitted, must_be_diff, points_at, to_review};
use crate::decide::task::{self, Judgeable, TaskSnapshot};
use crate::decide::{Post, draft_settle_for, post};
use crate::draft::{Context, Draft};
use crate::entity::{Agent, Message, Review};
use crate::event::ReviewRound;
use crate::ids::EntityRef;
use crate::refusal::Refusal;
use crate::text::{Words, subject_of};
use crate::vocabulary::{Duty, Intent, Settlement};

/// A version to be.
#[derive(Clone, Debug)]
pub struct Revision {
    /// The review's title, for the message.
    pub title: String,
    /// What changed, for the reviewers.
    pub body: Option<Words>,
    /// The change.
    pub diff: Option<Words>,
    /// The diff of the newest round so far.
    pub diff_before: Option<String>,
    /// Where the change is in git.
    pub change: Coordinates,
    /// What changed between the bases of the last round and this one.
    pub since_base: Option<Words>,
    /// What changed between the heads of the last round and this one.
    pub since_head: Option<Words>,
    /// The round it was made after, where the caller knows.
    pub after: Option<u32>,
    /// The reviewers who still take part.
    pub reviewers: Vec<Agent>,
    /// Requests for a verdict on an earlier round, or for a revision of it.
    pub requests: Vec<Message>,
    /// The open task it belongs to.
    pub task: Option<TaskSnapshot>,
}

/// Adds a round and asks the reviewers for a verdict on it.
pub fn update(
    review: &Review,
    revision: &Revision,
    member: &Agent,
    context: &Context,
    draft: &mut Draft,
) -> Result<(), Refusal> {
    may_add_round(review, revision, member, context)?;
    let entity = EntityRef::Review(review.id.clone());
    let round = review.round().saturating_add(1);
    let diff = draft.maybe(revision.diff.as_ref());
    let change = ReviewRound {
        since_base: draft.maybe(revision.since_base.as_ref()),
        since_head: draft.maybe(revision.since_head.as_ref()),
        ..revision.change.round(round, &member.id, diff.clone())
    };
    draft.add(entity, change);
    for message in &revision.requests {
        for (agent, delivery) in &message.deliveries {
            if delivery.owes() == Some(Duty::Verdict) {
                draft_settle_for(draft, message, agent, Settlement::Withdrawn);
            }
            // The round is the revision that was asked for.
            if delivery.owes() == Some(Duty::Answer) && message.links().revision.is_some() {
                draft_settle_for(draft, message, agent, Settlement::Replied);
            }
        }
    }
    if let Some(snapshot) = &revision.task {
        draft_submitted(draft, &snapshot.task.id, &review.id, round);
        let judgeable = task::back_to_review(snapshot, context, draft)?;
        if judgeable == Judgeable::AfterReport {
            return Ok(());
        }
    }
    let subject = draft.plain(&subject_of(&format!("round {round}: {}", revision.title)));
    let body = draft.maybe(revision.body.as_ref());
    let worker = revision.task.as_ref().and_then(|of| of.task.assignee.as_ref());
    let to = revision.reviewers.iter().map(|agent| &agent.id).filter(|agent| Some(*agent) != worker);
    let to = to.cloned().collect();
    let mut refs = vec![to_review(&review.id, diff)];
    refs.extend(
        review
            .open_concerns()
            .iter()
            .take(OPEN_THREADS)
            .map(|thread| points_at(super::THREAD_REF, thread.to_string(), None)),
    );
    let letter = Post::new(&review.brief.author, to, Intent::ReviewRequest, subject, body).pointing_at(refs);
    post(draft, Post { task: review.brief.task.as_ref(), ..letter });
    Ok(())
}

/// Open threads that the request names.
const OPEN_THREADS: usize = 5;

fn may_add_round(
    review: &Review,
    revision: &Revision,
    member: &Agent,
    context: &Context,
) -> Result<(), Refusal> {
    let id = &review.id;
    if review.brief.author != member.id && !context.human {
        return Err(Refusal::rule("not_the_author", format!("{} is not the author of {id}", member.name))
            .hint(format!("comment instead: interagent review comment {id} -m TEXT")));
    }
    if let Some(end) = review.end.as_ref().filter(|_| !review.may_go_on()) {
        return Err(
            Refusal::conflict("judged", format!("{id} is {}: it is closed", end.verdict)).hint(OPEN_ANOTHER)
        );
    }
    if revision.task.as_ref().is_some_and(|of| of.task.status.is_closed()) {
        return Err(Refusal::conflict("closed", format!("the task of {id} is closed")).hint(OPEN_ANOTHER));
    }
    if revision.after.is_some_and(|after| after != review.round()) {
        let sentence = format!("{id} already has round {}", review.round());
        return Err(Refusal::conflict("newer_round", sentence).hint(format!("interagent review show {id}")));
    }
    let Some(diff) = &revision.diff else {
        return Err(Refusal::usage("no_diff", "missing the new diff")
            .hint("pass the change as a diff, such as the output of git diff"));
    };
    must_be_diff(Some(diff))?;
    if revision.diff_before.as_deref() == Some(diff.as_str()) {
        let sentence = format!("nothing changed since round {}", review.round());
        return Err(Refusal::conflict("same_change", sentence).hint("commit or stage your changes first"));
    }
    Ok(())
}
