//! Where the threads of a review are in one of its rounds, from the texts of the rounds between.

use interagent_core::diff::{Diff, Place, Placement, Position, Step, carry};
use interagent_core::entity::Review;
use interagent_core::entity::review::{Comment, Round};
use interagent_core::refusal::Refusal;
use interagent_core::text::TextHash;
use interagent_core::vocabulary::Side;

use crate::names::Names;

/// The texts of one round.
#[derive(Default)]
struct Texts {
    diff: String,
    since_base: Option<String>,
    since_head: Option<String>,
}

impl Texts {
    fn parse(&self) -> Parsed<'_> {
        Parsed {
            diff: Diff::parse(&self.diff),
            since_base: self.since_base.as_deref().map(Diff::parse),
            since_head: self.since_head.as_deref().map(Diff::parse),
        }
    }
}

/// The rounds of a review as texts, read once.
pub(super) struct Rounds {
    texts: Vec<Texts>,
}

impl Rounds {
    /// Reads the rounds up to one. Where all threads are of that round, nothing before it is read.
    pub(super) fn read(names: &mut Names<'_, '_>, review: &Review, shown: u32) -> Result<Self, Refusal> {
        let first = review.threads().filter(|said| is_carried(review, said, shown)).map(round_of).min();
        let first = first.unwrap_or(shown);
        let mut texts = Vec::new();
        for (round, number) in review.rounds.iter().zip(1..=shown) {
            if number < first {
                texts.push(Texts::default());
                continue;
            }
            let mut text = |hash: Option<&TextHash>| -> Result<Option<String>, Refusal> {
                Ok(hash.map(|hash| names.text(hash)).transpose()?.flatten())
            };
            let before = review.round_at(number - 1).filter(|_| number > first);
            let mut since = |hash: Option<&TextHash>, is_same: fn(&Round, &Round) -> bool| match before {
                Some(before) if is_same(before, round) => Ok(Some(String::new())),
                Some(_) => text(hash),
                None => Ok(None),
            };
            let since_base = since(round.change.since_base.as_ref(), |before, now| {
                before.change.base.is_some() && before.change.base == now.change.base
            })?;
            let since_head = since(round.change.since_head.as_ref(), |before, now| {
                let same = |one: &Option<String>, other: &Option<String>| one.is_some() && one == other;
                same(&before.change.head, &now.change.head) || same(&before.change.tree, &now.change.tree)
            })?;
            texts.push(Texts {
                diff: text(round.change.diff.as_ref())?.unwrap_or_default(),
                since_base,
                since_head,
            });
        }
        Ok(Self { texts })
    }

    /// The diffs of these rounds, parsed.
    pub(super) fn parse(&self) -> Vec<Parsed<'_>> {
        self.texts.iter().map(Texts::parse).collect()
    }
}

/// The diffs of one round.
pub(super) struct Parsed<'t> {
    diff: Diff<'t>,
    since_base: Option<Diff<'t>>,
    since_head: Option<Diff<'t>>,
}

/// The round a comment was written in.
pub(super) fn round_of(said: &Comment) -> u32 {
    said.comment.round.unwrap_or(1).max(1)
}

/// Whether a thread has a place in a round: it is of that round, or of an earlier one and still open.
fn is_carried(review: &Review, said: &Comment, shown: u32) -> bool {
    let round = round_of(said);
    said.comment.file.is_some()
        && (round == shown || (round < shown && !review.is_resolved(&said.comment.thread)))
}

/// Where the thread that a comment began is in a round.
pub(super) fn place(review: &Review, said: &Comment, shown: u32, rounds: &[Parsed<'_>]) -> Option<Place> {
    let comment = &said.comment;
    if comment.thread != comment.comment || !is_carried(review, said, shown) {
        return None;
    }
    let path = comment.file.clone()?;
    let side = comment.side.unwrap_or(Side::New);
    let position = Position { path, side, line: comment.line };
    let from = usize::try_from(round_of(said)).ok()?;
    let to = usize::try_from(shown).ok()?;
    let steps: Vec<Step<'_>> = (from..to)
        .filter_map(|index| {
            let (before, after) = (rounds.get(index.checked_sub(1)?)?, rounds.get(index)?);
            let since = match side {
                Side::Old => after.since_base.as_ref(),
                Side::New => after.since_head.as_ref(),
            };
            Some(Step { before: &before.diff, after: &after.diff, since })
        })
        .collect();
    if steps.is_empty() {
        return Some(Place { path: position.path, side, line: position.line, how: Placement::Exact });
    }
    Some(carry(&position, &steps))
}
