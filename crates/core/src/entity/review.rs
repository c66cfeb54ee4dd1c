//! A review: threads anchored to lines, and a verdict.

use serde::{Deserialize, Serialize};

use super::{Stamp, Void, When};
use crate::event::{Event, ReviewCommented, ReviewOpened};
use crate::ids::{AgentId, CommentId, ReviewId};
use crate::text::TextHash;
use crate::vocabulary::Verdict;

/// One comment, with its time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Comment {
    /// When.
    pub when: When,
    /// What it says.
    pub comment: ReviewCommented,
}

/// The end of a review.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReviewEnd {
    /// When.
    pub when: When,
    /// By whom.
    pub by: AgentId,
    /// What.
    pub verdict: Verdict,
    /// Why.
    pub note: Option<TextHash>,
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
    /// In order.
    pub comments: Vec<Comment>,
    /// Threads that are closed.
    pub resolved: Vec<CommentId>,
    /// Its end, when it has one.
    pub end: Option<ReviewEnd>,
}

impl Review {
    pub(super) fn create(id: &ReviewId, event: &Event, stamp: &Stamp) -> Result<Self, Void> {
        let Event::ReviewOpened(brief) = event else { return Err(Void::Absent) };
        Ok(Self {
            id: id.clone(),
            brief: brief.clone(),
            opened: stamp.into(),
            comments: Vec::new(),
            resolved: Vec::new(),
            end: None,
        })
    }

    pub(super) fn apply(mut self, event: &Event, stamp: &Stamp) -> Result<Self, Void> {
        match event {
            Event::ReviewOpened(_) => return Err(Void::Exists),
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
            Event::ReviewJudged(judged) => {
                if self.end.is_some() {
                    return Err(Void::TooLate("the review has its verdict"));
                }
                self.end = Some(ReviewEnd {
                    when: stamp.into(),
                    by: judged.by.clone(),
                    verdict: judged.verdict,
                    note: judged.note.clone(),
                });
            }
            _ => return Err(Void::Unknown),
        }
        Ok(self)
    }
}
