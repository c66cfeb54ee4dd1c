//! Reviews as they are shown.

use interagent_core::entity::Review;
use interagent_core::entity::review::ReviewEnd;
use interagent_core::entry::Entry;
use interagent_core::ids::{EntityRef, ReviewId};
use interagent_core::refusal::Refusal;
use interagent_store::Appended;
use interagent_store::reader::Reader;
use interagent_wire::answer::{AnchorView, CommentView, ReviewRow, ReviewView, RoundView, VerdictView};
use interagent_wire::{Answer, Time};

use super::places::{Rounds, place, round_of};
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
    let round = review.round();
    Ok(view(reader, &review, round)?.into())
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
        round: review.round(),
        verdict: review.end.as_ref().map(|end| end.verdict),
        void: task.is_some_and(|task| task.status.is_closed()),
        open_threads: u32::try_from(review.open_concerns().len()).unwrap_or(u32::MAX),
        aliases: review.brief.aliases.clone(),
        opened: Time(review.opened.wall),
    })
}

/// A review with the change of one round, and the threads that belong there.
pub(super) fn view(reader: &mut Reader<'_>, review: &Review, shown: u32) -> Result<ReviewView, Refusal> {
    let mut names = Names::new(reader);
    let texts = Rounds::read(&mut names, review, shown)?;
    let parsed = texts.parse();
    let mut comments = Vec::with_capacity(review.comments.len());
    for said in review.comments.iter().filter(|said| round_of(said) <= shown) {
        let comment = &said.comment;
        comments.push(CommentView {
            id: comment.comment.to_string(),
            thread: comment.thread.to_string(),
            by: names.who(&comment.by)?,
            at: Time(said.when.wall),
            body: names.text(&comment.body)?,
            disposition: comment.disposition,
            round: round_of(said),
            file: comment.file.clone(),
            line: comment.line,
            side: comment.side,
            place: place(review, said, shown, &parsed).map(|place| AnchorView {
                file: place.path,
                side: place.side,
                line: place.line,
                how: place.how,
            }),
            resolved: review.is_resolved(&comment.thread),
        });
    }
    let mut rounds = Vec::with_capacity(review.rounds.len());
    for (round, number) in review.rounds.iter().zip(1_u32..) {
        let end = review.verdicts.iter().chain(&review.end).find(|end| end.round == number);
        let change = &round.change;
        rounds.push(RoundView {
            round: number,
            at: Time(round.when.wall),
            by: names.who(&change.by)?,
            source: change.source.clone(),
            base: change.base.clone(),
            head: change.head.clone(),
            tree: change.tree.clone(),
            verdict: end.map(|end| verdict(&mut names, review, end)).transpose()?,
            open_threads: end
                .into_iter()
                .flat_map(|end| &end.open_threads)
                .map(ToString::to_string)
                .collect(),
        });
    }
    let diff = review.round_at(shown).and_then(|round| round.change.diff.as_ref());
    Ok(ReviewView {
        review: row(&mut names, review)?,
        round: shown,
        rounds,
        diff: names.maybe_text(diff)?,
        comments,
        open_concerns: review.open_concerns().iter().map(ToString::to_string).collect(),
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
