//! A review: rounds of a change, threads anchored to their lines, and a verdict for each round.

use serde::{Deserialize, Serialize};

use super::{Stamp, Void, When};
use crate::event::{Event, ReviewCommented, ReviewJudged, ReviewOpened, ReviewRound};
use crate::ids::{AgentId, CommentId, ReviewId};
use crate::text::TextHash;
use crate::vocabulary::{Disposition, Verdict};

/// One version of the change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Round {
    /// When.
    pub when: When,
    /// What was submitted.
    pub change: ReviewRound,
}

/// One comment, with its time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Comment {
    /// When.
    pub when: When,
    /// What it says.
    pub comment: ReviewCommented,
}

/// The end of a round.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReviewEnd {
    /// When.
    pub when: When,
    /// Which round.
    pub round: u32,
    /// By whom.
    pub by: AgentId,
    /// What.
    pub verdict: Verdict,
    /// Why.
    pub note: Option<TextHash>,
    /// Concerns and questions that were open.
    pub open_threads: Vec<CommentId>,
}

/// A review.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Review {
    /// Its id.
    pub id: ReviewId,
    /// What it was opened with.
    pub brief: ReviewOpened,
    /// When.
    pub opened: When,
    /// The versions of the change, oldest first; never empty.
    pub rounds: Vec<Round>,
    /// In order.
    pub comments: Vec<Comment>,
    /// Threads that are closed.
    pub resolved: Vec<CommentId>,
    /// The verdicts on earlier rounds.
    pub verdicts: Vec<ReviewEnd>,
    /// The verdict on the newest round, when it has one.
    pub end: Option<ReviewEnd>,
}

impl Review {
    /// Whether it has no verdict, or one that asks for another round.
    pub fn may_go_on(&self) -> bool {
        self.end.as_ref().is_none_or(|end| end.verdict == Verdict::RevisionNeeded)
    }

    /// The number of the newest round.
    pub fn round(&self) -> u32 {
        u32::try_from(self.rounds.len()).unwrap_or(u32::MAX)
    }

    /// A round, counted from 1.
    pub fn round_at(&self, number: u32) -> Option<&Round> {
        self.rounds.get(usize::try_from(number.checked_sub(1)?).ok()?)
    }

    /// The diff of the newest round.
    pub fn diff(&self) -> Option<&TextHash> {
        self.rounds.last().and_then(|round| round.change.diff.as_ref())
    }

    /// The comments that began a thread.
    pub fn threads(&self) -> impl Iterator<Item = &Comment> {
        self.comments.iter().filter(|said| said.comment.thread == said.comment.comment)
    }

    /// Whether a thread is closed.
    pub fn is_resolved(&self, thread: &CommentId) -> bool {
        self.resolved.contains(thread)
    }

    /// Open threads in which somebody other than the author last raised a concern or asked a question.
    pub fn open_concerns(&self) -> Vec<CommentId> {
        let is_concern = |thread: &CommentId| {
            let others = self.comments.iter().rev().map(|said| &said.comment);
            let mut others = others.filter(|c| c.thread == *thread && c.by != self.brief.author);
            let last = others.find(|c| c.disposition != Disposition::Note);
            last.is_some_and(|c| matches!(c.disposition, Disposition::Concern | Disposition::Question))
        };
        let threads = self.threads().map(|said| &said.comment.thread);
        threads.filter(|thread| !self.is_resolved(thread) && is_concern(thread)).cloned().collect()
    }

    /// The agents whose concern a thread is: others than the author, whose last word there was one.
    pub fn concerned_in(&self, thread: &CommentId) -> Vec<&AgentId> {
        let (mut spoken, mut concerned) = (Vec::new(), Vec::new());
        let said = self.comments.iter().rev().map(|said| &said.comment);
        let said = said.filter(|c| c.thread == *thread && c.by != self.brief.author);
        for comment in said.filter(|c| c.disposition != Disposition::Note) {
            if spoken.contains(&&comment.by) {
                continue;
            }
            spoken.push(&comment.by);
            if comment.disposition == Disposition::Concern {
                concerned.push(&comment.by);
            }
        }
        concerned
    }

    /// The agents who take part: the author, the reviewers and everybody who commented.
    pub fn participants(&self) -> std::collections::BTreeSet<&AgentId> {
        let speakers = self.comments.iter().map(|said| &said.comment.by);
        speakers.chain(std::iter::once(&self.brief.author)).chain(&self.brief.reviewers).collect()
    }

    pub(super) fn create(id: &ReviewId, event: &Event, stamp: &Stamp) -> Result<Self, Void> {
        let Event::ReviewOpened(brief) = event else { return Err(Void::Absent) };
        let change = ReviewRound {
            round: 1,
            by: brief.author.clone(),
            source: None,
            base: None,
            head: None,
            tree: None,
            diff: brief.diff.clone(),
            since_base: None,
            since_head: None,
        };
        Ok(Self {
            id: id.clone(),
            brief: brief.clone(),
            opened: stamp.into(),
            rounds: vec![Round { when: stamp.into(), change }],
            comments: Vec::new(),
            resolved: Vec::new(),
            verdicts: Vec::new(),
            end: None,
        })
    }

    pub(super) fn apply(mut self, event: &Event, stamp: &Stamp) -> Result<Self, Void> {
        match event {
            Event::ReviewOpened(_) => return Err(Void::Exists),
            Event::ReviewRound(change) => self.add_round(change, stamp)?,
            Event::ReviewCommented(comment) => {
                let known = self.comments.iter().any(|c| c.comment.comment == comment.thread);
                if comment.thread != comment.comment && !known {
                    return Err(Void::TooLate("there is no such thread"));
                }
                // A reply reopens its thread: the matter is not closed for whoever answers.
                self.resolved.retain(|thread| thread != &comment.thread);
                self.comments.push(Comment { when: stamp.into(), comment: comment.clone() });
            }
            Event::ReviewResolved(resolved) => {
                let known = self.comments.iter().any(|c| c.comment.comment == resolved.thread);
                if !known || self.resolved.contains(&resolved.thread) {
                    return Err(Void::TooLate("there is no such open thread"));
                }
                self.resolved.push(resolved.thread.clone());
            }
            Event::ReviewJudged(judged) => self.judge(judged, stamp)?,
            _ => return Err(Void::Unknown),
        }
        Ok(self)
    }

    fn add_round(&mut self, change: &ReviewRound, stamp: &Stamp) -> Result<(), Void> {
        if let ([first], 1) = (&mut self.rounds[..], change.round) {
            let is_described = |change: &ReviewRound| {
                [&change.source, &change.base, &change.head, &change.tree].iter().any(|word| word.is_some())
            };
            if is_described(&first.change) || change.diff != first.change.diff {
                return Err(Void::TooLate("that round exists"));
            }
            first.change = change.clone();
            return Ok(());
        }
        if self.round().checked_add(1) != Some(change.round) {
            return Err(Void::TooLate("that round exists"));
        }
        match self.end.take() {
            Some(end) if end.verdict != Verdict::RevisionNeeded => {
                self.end = Some(end);
                return Err(Void::TooLate("the review has its verdict"));
            }
            end => self.verdicts.extend(end),
        }
        self.rounds.push(Round { when: stamp.into(), change: change.clone() });
        Ok(())
    }

    fn judge(&mut self, judged: &ReviewJudged, stamp: &Stamp) -> Result<(), Void> {
        if self.end.is_some() {
            return Err(Void::TooLate("the review has its verdict"));
        }
        let round = self.round();
        if judged.round.is_some_and(|meant| meant != round) {
            return Err(Void::TooLate("there is a newer round"));
        }
        self.end = Some(ReviewEnd {
            when: stamp.into(),
            round,
            by: judged.by.clone(),
            verdict: judged.verdict,
            note: judged.note.clone(),
            open_threads: judged.open_threads.clone(),
        });
        Ok(())
    }
}

#[cfg(test)]
mod tests;
