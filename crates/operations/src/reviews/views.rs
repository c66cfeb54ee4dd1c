//! Reviews as they are shown.

use std::collections::BTreeSet;

use interagent_core::entity::Review;
use interagent_core::entity::review::ReviewEnd;
use interagent_core::entry::Entry;
use interagent_core::ids::{EntityRef, ReviewId};
use interagent_core::refusal::Refusal;
use interagent_store::Appended;
use interagent_store::reader::Reader;
use interagent_wire::answer::{CommentView, ReviewRow, ReviewView, VerdictView};
use interagent_wire::{Answer, Time};

use crate::names::Names;
use crate::resolve;

/// Answers with the review an append was about; where nothing changed, with the one that was named.
pub(super) fn answer(reader: &mut Reader<'_>, appended: &Appended, given: &str) -> Result<Answer, Refusal> {
    let review = match appended.entry().and_then(review_of) {
        Some(id) => reader.review(&id)?,
        None => None,
    };
    let review = match review {
        Some(review) => review,
        None => resolve::review(reader, given)?,
    };
    Ok(view(reader, &review)?.into())
}

/// The review an entry is about: the first it touches. A verdict ends the one it was given for first.
fn review_of(entry: &Entry) -> Option<ReviewId> {
    entry.facts.iter().find_map(|fact| match &fact.entity {
        EntityRef::Review(id) => Some(id.clone()),
        _ => None,
    })
}

/// A review in a list.
pub(crate) fn row(names: &mut Names<'_, '_>, review: &Review) -> Result<ReviewRow, Refusal> {
    let threads: BTreeSet<_> = review.comments.iter().map(|c| &c.comment.thread).collect();
    let open = threads.into_iter().filter(|thread| !review.resolved.contains(thread)).count();
    let task = match review.brief.task.as_ref().filter(|_| review.end.is_none()) {
        Some(id) => names.reader.task(id)?,
        None => None,
    };
    Ok(ReviewRow {
        id: review.id.to_string(),
        title: names.line(&review.brief.title)?,
        author: names.who(&review.brief.author)?,
        reviewers: names.each(&review.brief.reviewers)?,
        task: review.brief.task.as_ref().map(ToString::to_string),
        verdict: review.end.as_ref().map(|end| end.verdict),
        void: task.is_some_and(|task| task.status.is_closed()),
        open_threads: u32::try_from(open).unwrap_or(u32::MAX),
        opened: Time(review.opened.wall),
    })
}

/// A review with its threads.
pub(super) fn view(reader: &mut Reader<'_>, review: &Review) -> Result<ReviewView, Refusal> {
    let mut names = Names::new(reader);
    let mut comments = Vec::with_capacity(review.comments.len());
    for said in &review.comments {
        let comment = &said.comment;
        comments.push(CommentView {
            id: comment.comment.to_string(),
            thread: comment.thread.to_string(),
            by: names.who(&comment.by)?,
            at: Time(said.when.wall),
            body: names.text(&comment.body)?,
            disposition: comment.disposition,
            file: comment.file.clone(),
            line: comment.line,
            side: comment.side,
            resolved: review.resolved.contains(&comment.thread),
        });
    }
    Ok(ReviewView {
        review: row(&mut names, review)?,
        diff: names.maybe_text(review.brief.diff.as_ref())?,
        comments,
        end: review.end.as_ref().map(|end| verdict(&mut names, review, end)).transpose()?,
    })
}

fn verdict(names: &mut Names<'_, '_>, review: &Review, end: &ReviewEnd) -> Result<VerdictView, Refusal> {
    let task = match &review.brief.task {
        Some(id) => names.reader.task(id)?,
        None => None,
    };
    // The same entry judged the task: whether that was over the rules is written there.
    let overruled = task.is_some_and(|task| {
        task.judgements.iter().any(|judged| judged.when.at == end.when.at && judged.overruled)
    });
    Ok(VerdictView {
        at: Time(end.when.wall),
        by: names.who(&end.by)?,
        verdict: end.verdict,
        note: names.maybe_text(end.note.as_ref())?,
        review: Some(review.id.to_string()),
        overruled,
    })
}
