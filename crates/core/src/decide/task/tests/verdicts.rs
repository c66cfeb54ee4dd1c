//! Verdicts on a task, and its reviews.

use super::*;
use crate::entity::{Entity, Stamp, fold};
use crate::entry::OrderKey;
use crate::event::{Fact, ReviewOpened};
use crate::ids::ReviewId;
use crate::vocabulary::Auth;

/// A review of the first task, by kimi.
fn review(bits: u64) -> Review {
    let opened = ReviewOpened {
        author: agent("kimi").id,
        reviewers: vec![agent("claude").id],
        title: TextHash::of("", "title"),
        task: Some(TaskId::from_bits(1)),
        diff: None,
        aliases: Vec::new(),
    };
    let stamp = Stamp {
        order: OrderKey { at: 1, origin: OriginId::from_bits(1), oseq: 1 },
        wall: 1,
        member: agent("kimi").id,
        actor: agent("kimi").id,
        auth: Auth::Session,
    };
    let entity = EntityRef::Review(ReviewId::from_bits(bits));
    match fold([(&Fact { entity, event: opened.into() }, &stamp)]).0 {
        Some(Entity::Review(review)) => review,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_verdict_ends_every_open_review_of_the_task() {
    let mut done = snapshot(None, "claude", task(1, TaskStatus::UnderReview, Some("kimi")), Some("kimi"));
    done.open_reviews = vec![review(1), review(2)];
    assert_eq!(
        judged(&done, Verdict::Approved, false).unwrap(),
        [
            "under_review>approved",
            "judged approved",
            "review.judged",
            "review.judged",
            "sent context_share",
            "sent report"
        ],
        "worker and assigner hear it"
    );
}
