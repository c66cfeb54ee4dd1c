//! Reviews of a change: opening, new rounds, the conversation, verdicts.

mod overtaken;
mod rounds;
mod talk;

pub(super) use overtaken::Approval;
pub use rounds::{Revision, update};
pub use talk::{Audience, Remark, comment, resolve};

use crate::decide::task::{self, OpenParts, TaskSnapshot};
use crate::decide::{Post, draft_settle, draft_settle_for, post};
use crate::diff::Diff;
use crate::draft::{Context, Draft};
use crate::entity::{Agent, Message, Review, Task};
use crate::event::{Reference, ReviewJudged, ReviewOpened, ReviewRound, TaskSubmitted};
use crate::ids::{AgentId, CommentId, EntityRef, ReviewId, TaskId};
use crate::refusal::Refusal;
use crate::rules::{self, OWN_WORK};
use crate::team::TeamConfig;
use crate::text::{TextHash, Words, subject_of};
use crate::vocabulary::{Duty, Intent, Settlement, TaskStatus, Verdict};

/// What helps after a review has its final verdict.
const OPEN_ANOTHER: &str = "open a new review: interagent review open BRANCH";

/// The kind of a reference to a review.
pub const REVIEW_REF: &str = "review";
/// The kind of a reference to a review that its author has to revise.
pub const REVISION_REF: &str = "revision";
/// The kind of a reference to a thread of a review.
pub const THREAD_REF: &str = "thread";

/// Where a round's change is in git, as far as it is there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Coordinates {
    /// What the author named: a range, a branch, the index, a file.
    pub source: Option<String>,
    /// The commit that is changed.
    pub base: Option<String>,
    /// The commit that the change leads to; none for a snapshot.
    pub head: Option<String>,
    /// The tree of a snapshot.
    pub tree: Option<String>,
}

impl Coordinates {
    fn round(&self, round: u32, by: &AgentId, diff: Option<TextHash>) -> ReviewRound {
        ReviewRound {
            round,
            by: by.clone(),
            source: self.source.clone(),
            base: self.base.clone(),
            head: self.head.clone(),
            tree: self.tree.clone(),
            diff,
            since_base: None,
            since_head: None,
        }
    }
}

/// A review to be.
#[derive(Clone, Debug)]
pub struct Submission {
    /// One line.
    pub title: Words,
    /// What kind of feedback is wanted.
    pub body: Option<Words>,
    /// The change.
    pub diff: Option<Words>,
    /// Where the change is in git.
    pub change: Coordinates,
    /// The task it belongs to.
    pub task: Option<Task>,
    /// Who looks.
    pub reviewers: Vec<Agent>,
    /// Words that name it wherever its id would.
    pub aliases: Vec<String>,
}

/// How a message points at a review, with the change where there is one.
pub(super) fn to_review(id: &ReviewId, diff: Option<TextHash>) -> Reference {
    points_at(REVIEW_REF, id.to_string(), diff)
}

/// How a message points at a review that its recipient has to revise.
pub(super) fn revision_of(id: &ReviewId) -> [Reference; 2] {
    [to_review(id, None), points_at(REVISION_REF, id.to_string(), None)]
}

fn points_at(kind: &str, target: String, text: Option<TextHash>) -> Reference {
    Reference { kind: kind.to_owned(), target, first_line: None, last_line: None, text }
}

/// Opens a review and asks the reviewers.
pub fn open(
    team: Option<&TeamConfig>,
    submission: &Submission,
    author: &Agent,
    context: &Context,
    draft: &mut Draft,
) -> Result<ReviewId, Refusal> {
    let worker = submission.task.as_ref().and_then(|task| task.assignee.as_ref());
    let judges = |agent: &&Agent| agent.id != author.id && Some(&agent.id) != worker;
    if !submission.reviewers.iter().any(|agent| judges(&agent)) {
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
        for reviewer in submission.reviewers.iter().filter(judges) {
            rules::may_message(team, author, reviewer, Intent::ReviewRequest)?;
        }
    }
    must_be_diff(submission.diff.as_ref())?;
    let task = submission.task.as_ref().map(|task| &task.id);
    let id = ReviewId::from_bits(draft.bits());
    let reviewers: Vec<_> =
        submission.reviewers.iter().filter(judges).map(|agent| agent.id.clone()).collect();
    let is_left_out = |agent: &&Agent| agent.id != author.id && Some(&agent.id) == worker;
    if let Some(worker) = submission.reviewers.iter().find(is_left_out) {
        draft.remark(format!("{} did this work, so it is not asked for a verdict", worker.name));
    }
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
            diff: diff.clone(),
            aliases: submission.aliases.clone(),
        },
    );
    if let Some(task) = task {
        draft_submitted(draft, task, &id, 1);
    }
    if submission.change != Coordinates::default() {
        draft.add(EntityRef::Review(id.clone()), submission.change.round(1, &author.id, diff));
    }
    let letter = Post::new(&author.id, reviewers, Intent::ReviewRequest, title, body).pointing_at(refs);
    post(draft, Post { task, ..letter });
    Ok(id)
}

/// Drafts that a round waits for a verdict on its task. Verdicts that did not see it have no effect.
pub(super) fn draft_submitted(draft: &mut Draft, task: &TaskId, review: &ReviewId, round: u32) {
    draft.add(EntityRef::Task(task.clone()), TaskSubmitted { review: review.clone(), round });
}

/// Refuses a text that is no diff: nobody could comment at its lines.
pub fn must_be_diff(diff: Option<&Words>) -> Result<(), Refusal> {
    match diff.is_some_and(|diff| Diff::parse(diff.as_str()).files.is_empty()) {
        true => Err(Refusal::usage("not_a_diff", "not a diff: it names no file")
            .hint("git diff main | interagent review open --diff -")),
        false => Ok(()),
    }
}

/// What a verdict on a review needs to know.
#[derive(Clone, Debug)]
pub struct Bench<'a> {
    /// The review.
    pub review: &'a Review,
    /// Its title.
    pub title: &'a str,
    /// Messages about it that oblige somebody: requests for a verdict, and questions in its threads.
    pub due: &'a [Message],
    /// Who judges.
    pub member: &'a Agent,
    /// The agent that works on its task.
    pub worker: Option<&'a AgentId>,
    /// The rules.
    pub team: Option<&'a TeamConfig>,
    /// The author, the reviewers and everybody who commented, as far as they still take part.
    pub participants: &'a [Agent],
}

impl Bench<'_> {
    fn must_be_open(&self) -> Result<(), Refusal> {
        let review = self.review;
        let Some(end) = &review.end else { return Ok(()) };
        let sentence = format!("{} has its verdict: {}", review.id, end.verdict);
        Err(Refusal::conflict("judged", sentence).hint(match end.verdict {
            Verdict::RevisionNeeded => {
                format!("the author adds a round: interagent review update {}", review.id)
            }
            _ => OPEN_ANOTHER.to_owned(),
        }))
    }

    /// Ends what the verdict answers, or makes pointless.
    fn settle(&self, verdict: Verdict, draft: &mut Draft) {
        for message in self.due {
            for (agent, delivery) in &message.deliveries {
                match delivery.owes() {
                    Some(Duty::Verdict) if agent == &self.member.id => {
                        draft_settle(draft, message, agent, Settlement::Judged, None);
                    }
                    Some(Duty::Verdict) => draft_settle_for(draft, message, agent, Settlement::Judged),
                    _ => {}
                }
            }
        }
        self.withdraw_questions(verdict, draft);
    }

    /// What the author reads of a verdict: a change that was sent back is the author's to revise, or to defend. No mail obliges
    /// a captain. A person is notified of the outcome.
    fn intent(&self, verdict: Verdict, context: &Context) -> Intent {
        let author = self.participants.iter().find(|agent| agent.id == self.review.brief.author);
        let may_owe = author.is_some_and(|author| !rules::is_captain(self.team, &author.name));
        match verdict == Verdict::RevisionNeeded && may_owe {
            true => Intent::Question,
            false if author.is_some_and(Agent::is_human) && !context.human => Intent::Report,
            false => Intent::ContextShare,
        }
    }

    /// Withdraws the questions in its threads, where the verdict is final.
    fn withdraw_questions(&self, verdict: Verdict, draft: &mut Draft) {
        if verdict == Verdict::RevisionNeeded {
            return;
        }
        for message in self.due {
            for (agent, delivery) in &message.deliveries {
                if delivery.owes() == Some(Duty::Answer) {
                    draft_settle_for(draft, message, agent, Settlement::Withdrawn);
                }
            }
        }
    }
}

/// Drafts the verdict on a review's newest round, with the threads it leaves open. Whether there are none.
pub(super) fn draft_verdict(
    review: &Review,
    verdict: Verdict,
    by: &AgentId,
    note: Option<&TextHash>,
    draft: &mut Draft,
) -> bool {
    let open_threads = review.open_concerns();
    let is_clean = open_threads.is_empty();
    if verdict == Verdict::Approved && !is_clean {
        draft.remark(left_open(&open_threads));
    }
    let judged = ReviewJudged {
        verdict,
        by: by.clone(),
        note: note.cloned(),
        round: Some(review.round()),
        open_threads,
    };
    draft.add(EntityRef::Review(review.id.clone()), judged);
    is_clean
}

/// Names the threads that an approval leaves open.
fn left_open(open: &[CommentId]) -> String {
    let mut named = open.iter().take(3).map(CommentId::as_str).collect::<Vec<_>>().join(", ");
    if open.len() > 3 {
        named.push_str(&format!(" and {} more", open.len() - 3));
    }
    let noun = if open.len() == 1 { "thread" } else { "threads" };
    format!("approved with {} open {noun}: {named}", open.len())
}

/// The verdict on a change alone.
pub fn judge(
    bench: &Bench<'_>,
    verdict: Verdict,
    note: Option<&Words>,
    context: &Context,
    draft: &mut Draft,
) -> Result<(), Refusal> {
    let (review, member) = (bench.review, bench.member);
    bench.must_be_open()?;
    if review.brief.author == member.id {
        return Err(own_work(review));
    }
    if bench.worker == Some(&member.id) && !member.is_human() {
        return Err(own_work(review));
    }
    if !review.brief.reviewers.contains(&member.id) && !context.human {
        return Err(Refusal::rule(
            "not_the_judge",
            format!("{} was not asked to judge {}", member.name, review.id),
        )
        .hint(format!("comment instead: interagent review comment {} -m TEXT", review.id)));
    }
    let said = draft.maybe(note);
    let is_clean = draft_verdict(review, verdict, &member.id, said.as_ref(), draft);
    let nothing_to_say = verdict == Verdict::Approved && said.is_none() && is_clean;
    bench.settle(verdict, draft);
    let subject = draft.plain(&subject_of(&format!("{verdict}: {}", bench.title)));
    let to = vec![review.brief.author.clone()];
    let intent = bench.intent(verdict, context);
    let refs = match intent {
        Intent::Question => revision_of(&review.id).into(),
        _ => vec![to_review(&review.id, None)],
    };
    let letter = Post::new(&member.id, to, intent, subject, said.clone()).pointing_at(refs);
    let letter = letter.telling_outcome();
    post(draft, if nothing_to_say { letter.without_waking() } else { letter });
    if verdict == Verdict::Approved {
        let Bench { review, title, member, team, participants, .. } = *bench;
        Approval { review, title, member, team, participants, note: said.as_ref() }.tell_overtaken(draft);
    }
    Ok(())
}

fn own_work(review: &Review) -> Refusal {
    Refusal::rule("own_work", OWN_WORK)
        .hint(format!("comment instead: interagent review comment {} -m TEXT", review.id))
}

/// Why a verdict on the review of a task counts for the review alone; none where it is one on the task as well.
pub fn leaves_task(snapshot: &TaskSnapshot, context: &Context) -> Option<String> {
    let task = &snapshot.task;
    if !matches!(task.status, TaskStatus::Completed | TaskStatus::UnderReview) {
        return Some(format!("{} is {} and awaits no verdict yet", task.id, task.status));
    }
    let may_judge = |worker: &Agent| context.human || snapshot.may_judge(worker).is_ok();
    match &snapshot.assignee {
        Some(worker) if !may_judge(worker) => {
            let (member, worker) = (snapshot.called(&snapshot.member), snapshot.called(worker));
            Some(format!("{member} may not judge {}, work of {worker}", task.id))
        }
        _ => None,
    }
}

/// The verdict on the review of an open task: it is one on the task, by the task's rules.
pub fn judge_task(
    bench: &Bench<'_>,
    snapshot: &TaskSnapshot,
    verdict: Verdict,
    note: Option<&Words>,
    context: &Context,
    draft: &mut Draft,
) -> Result<(), Refusal> {
    bench.must_be_open()?;
    task::judge(snapshot, verdict, note, OpenParts::Refuse, context, draft)?;
    bench.withdraw_questions(verdict, draft);
    Ok(())
}

#[cfg(test)]
mod tests;
