//! Reviews of a change: opening, commenting, resolving, the verdict on what is no task.

use crate::decide::loop_guard::{self, Budget, Traffic};
use crate::decide::{Post, draft_settle, draft_settle_for, post, post_speech};
use crate::draft::{Context, Draft};
use crate::entity::{Agent, Message, Review, Task};
use crate::event::{Reference, ReviewCommented, ReviewJudged, ReviewOpened, ReviewResolved};
use crate::ids::{CommentId, EntityRef, ReviewId};
use crate::refusal::Refusal;
use crate::rules;
use crate::team::TeamConfig;
use crate::text::{TextHash, Words, subject_of};
use crate::vocabulary::{Disposition, Duty, Intent, Settlement, Side, Verdict};

/// The kind of a reference to a review.
pub const REVIEW_REF: &str = "review";

/// A review to be.
#[derive(Clone, Debug)]
pub struct Submission {
    /// One line.
    pub title: Words,
    /// What kind of feedback is wanted.
    pub body: Option<Words>,
    /// The change.
    pub diff: Option<Words>,
    /// The task it belongs to.
    pub task: Option<Task>,
    /// Who looks.
    pub reviewers: Vec<Agent>,
}

/// How a message points at a review, with the change where there is one.
pub(super) fn to_review(id: &ReviewId, diff: Option<TextHash>) -> Reference {
    Reference {
        kind: REVIEW_REF.to_owned(),
        target: id.to_string(),
        first_line: None,
        last_line: None,
        text: diff,
    }
}

/// Opens a review and asks the reviewers.
pub fn open(
    team: Option<&TeamConfig>,
    submission: &Submission,
    author: &Agent,
    context: &Context,
    draft: &mut Draft,
) -> Result<ReviewId, Refusal> {
    if submission.reviewers.iter().all(|reviewer| reviewer.id == author.id) {
        return Err(
            Refusal::usage("no_reviewer", "a review needs somebody else to look").hint("name one with --to")
        );
    }
    if let Some(task) = submission.task.as_ref().filter(|task| task.status.is_closed()) {
        return Err(Refusal::conflict(
            "closed",
            format!("{} is {}: it needs no verdict any more", task.id, task.status),
        )
        .hint("open the review without the task"));
    }
    if !context.human {
        for reviewer in submission.reviewers.iter().filter(|reviewer| reviewer.id != author.id) {
            rules::may_message(team, author, reviewer, Intent::ReviewRequest)?;
        }
    }
    let task = submission.task.as_ref().map(|task| &task.id);
    let id = ReviewId::from_bits(draft.bits());
    let reviewers: Vec<_> =
        submission.reviewers.iter().map(|a| a.id.clone()).filter(|a| a != &author.id).collect();
    let title = draft.text(&submission.title);
    let diff = draft.maybe(submission.diff.as_ref());
    let body = draft.maybe(submission.body.as_ref());
    let refs = vec![to_review(&id, diff.clone())];
    draft.add(
        EntityRef::Review(id.clone()),
        ReviewOpened {
            author: author.id.clone(),
            reviewers: reviewers.clone(),
            title: title.clone(),
            task: task.cloned(),
            diff,
        },
    );
    let letter = Post::new(&author.id, reviewers, Intent::ReviewRequest, title, body).pointing_at(refs);
    post(draft, Post { task, ..letter });
    Ok(id)
}

/// A comment to be.
#[derive(Clone, Debug)]
pub struct Remark {
    /// The words.
    pub body: Words,
    /// What it means.
    pub disposition: Disposition,
    /// The thread it answers; a new one when absent.
    pub thread: Option<CommentId>,
    /// The file.
    pub file: Option<String>,
    /// The line.
    pub line: Option<u32>,
    /// The side.
    pub side: Option<Side>,
}

/// Who hears of a comment, and what the loop guard knows of them.
#[derive(Clone, Debug)]
pub struct Audience {
    /// The rules.
    pub team: Option<TeamConfig>,
    /// The review's title, for the message.
    pub title: String,
    /// Who takes part in the review: its author, the reviewers and whoever commented. The speaker may be among them.
    pub participants: Vec<Agent>,
    /// What was said between them lately.
    pub traffic: Traffic,
}

impl Audience {
    /// Those who are told of what this member says: everybody else the rules let it write to.
    pub fn hears(&self, member: &Agent, context: &Context) -> Vec<&Agent> {
        let may_hear = |agent: &&Agent| {
            agent.id != member.id
                && (context.human
                    || rules::may_message(self.team.as_ref(), member, agent, Intent::ContextShare).is_ok())
        };
        self.participants.iter().filter(may_hear).collect()
    }
}

/// Comments on a review, and tells the others who take part in it.
pub fn comment(
    review: &Review,
    remark: &Remark,
    audience: &Audience,
    member: &Agent,
    context: &Context,
    draft: &mut Draft,
) -> Result<CommentId, Refusal> {
    if let Some(thread) = &remark.thread {
        must_know(review, thread)?;
    }
    if remark.line.is_some() && remark.file.is_none() {
        return Err(Refusal::usage("line_without_file", "a line needs its file"));
    }
    if remark.line == Some(0) {
        return Err(Refusal::usage("bad_line", "lines are counted from 1"));
    }
    let id = CommentId::from_bits(draft.bits());
    let commented = ReviewCommented {
        comment: id.clone(),
        thread: remark.thread.clone().unwrap_or_else(|| id.clone()),
        by: member.id.clone(),
        body: draft.text(&remark.body),
        disposition: remark.disposition,
        file: remark.file.clone(),
        line: remark.line,
        side: remark.side,
    };
    let body = commented.body.clone();
    draft.add(EntityRef::Review(review.id.clone()), commented);
    tell_participants(review, remark, body, audience, member, context, draft);
    Ok(id)
}

/// A comment is speech: what tells of it passes the loop guard like any message. The comment itself is never held.
fn tell_participants(
    review: &Review,
    remark: &Remark,
    body: TextHash,
    audience: &Audience,
    member: &Agent,
    context: &Context,
    draft: &mut Draft,
) {
    let place = match (&remark.file, remark.line) {
        (Some(file), Some(line)) => format!(" at {file}:{line}"),
        (Some(file), None) => format!(" at {file}"),
        (None, _) => String::new(),
    };
    let subject = subject_of(&format!("{} on {}{place}", remark.disposition, audience.title));
    let quiet = loop_guard::says_nothing(&subject, remark.body.as_str());
    let (_, hold) =
        loop_guard::judge(&audience.traffic, None, context.human, Budget::of(audience.team.as_ref()));
    let to = audience.hears(member, context).into_iter().map(|agent| agent.id.clone()).collect();
    let subject = draft.plain(&subject);
    let letter = Post::new(&member.id, to, Intent::ContextShare, subject, Some(body))
        .pointing_at(vec![to_review(&review.id, None)]);
    post_speech(draft, Post { task: review.brief.task.as_ref(), ..letter }, quiet, hold);
}

fn must_know(review: &Review, thread: &CommentId) -> Result<(), Refusal> {
    if review.comments.iter().any(|c| &c.comment.thread == thread) {
        return Ok(());
    }
    Err(Refusal::not_found("no_such_thread", format!("{} has no thread {thread}", review.id))
        .hint(format!("interagent review show {}", review.id)))
}

/// Closes a thread.
pub fn resolve(
    review: &Review,
    thread: &CommentId,
    member: &Agent,
    draft: &mut Draft,
) -> Result<(), Refusal> {
    must_know(review, thread)?;
    if review.resolved.contains(thread) {
        draft.is_so_already(format!("the thread {thread} of {} was closed before", review.id));
        return Ok(());
    }
    let resolved = ReviewResolved { thread: thread.clone(), by: member.id.clone() };
    draft.add(EntityRef::Review(review.id.clone()), resolved);
    Ok(())
}

/// The verdict on a change that no task waits for. `requests` are the messages that asked for it.
pub fn judge(
    review: &Review,
    requests: &[Message],
    verdict: Verdict,
    note: Option<&Words>,
    member: &Agent,
    context: &Context,
    draft: &mut Draft,
) -> Result<(), Refusal> {
    if review.end.is_some() {
        return Err(Refusal::conflict("judged", format!("{} has its verdict", review.id)));
    }
    if review.brief.author == member.id {
        return Err(Refusal::rule(
            "own_work",
            format!("{} is the change of {}: another member judges it", review.id, member.name),
        ));
    }
    if !review.brief.reviewers.contains(&member.id) && !context.human {
        return Err(Refusal::rule(
            "not_the_judge",
            format!("{} was not asked to judge {}", member.name, review.id),
        )
        .hint(format!("interagent review comment {} says what you think of it", review.id)));
    }
    let note = draft.maybe(note);
    let judged = ReviewJudged { verdict, by: member.id.clone(), note: note.clone() };
    draft.add(EntityRef::Review(review.id.clone()), judged);
    for message in requests {
        for (agent, delivery) in &message.deliveries {
            if delivery.owes() == Some(Duty::Verdict) {
                if agent == &member.id {
                    draft_settle(draft, message, agent, Settlement::Judged, None);
                } else {
                    draft_settle_for(draft, message, agent, Settlement::Judged);
                }
            }
        }
    }
    let subject = draft.plain(&format!("{verdict}: {}", review.id));
    let to = vec![review.brief.author.clone()];
    post(draft, Post::new(&member.id, to, Intent::ContextShare, subject, note));
    Ok(())
}

#[cfg(test)]
mod tests;
