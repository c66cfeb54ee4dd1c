//! Reviews: opening, commenting, resolving, judging, showing.
//!
//! A verdict on a review of an open task is a verdict on that task, decided by the same rules.

mod views;

use std::collections::BTreeSet;

use interagent_core::decide::loop_guard::Traffic;
use interagent_core::decide::review::{self as decide, Audience, REVIEW_REF, Remark, Submission};
use interagent_core::decide::task;
use interagent_core::draft::Draft;
use interagent_core::entity::{Agent, Message, Review};
use interagent_core::ids::CommentId;
use interagent_core::limits;
use interagent_core::refusal::Refusal;
use interagent_core::text::Words;
use interagent_core::vocabulary::{Disposition, Duty, Verdict};
use interagent_store::reader::Reader;
use interagent_wire::answer::Page;
use interagent_wire::{Answer, request as ask};

use crate::call::{Call, Scene};
use crate::names::Names;
use crate::resolve;
use crate::tasks::input;
use crate::tasks::snapshot::{self, Depth};
use crate::traffic;
pub(crate) use views::row;
use views::{answer, view};

/// Opens a review of a change and asks the reviewers: those who are named, otherwise those the team's rules name.
pub(crate) fn open(call: &mut Call<'_>, params: &ask::ReviewOpen) -> Result<Answer, Refusal> {
    let title = Words::line("the title", &params.title)?;
    let body = input::maybe("the body", params.body.as_deref(), Words::document)?;
    let diff = input::maybe("the diff", params.diff.as_deref(), Words::document)?;
    call.write(
        |scene| {
            let (team, author) = (scene.team.clone(), scene.member.clone());
            let reader = &mut scene.look();
            let task = params.task.as_deref().map(|task| resolve::task(reader, task)).transpose()?;
            let reviewers = if params.to.is_empty() {
                snapshot::reviewers(reader, team.as_ref(), &author.name)?
            } else {
                resolve::recipients(reader, &params.to, &author)?.0
            };
            let submission = Submission { title, body, diff, task, reviewers };
            let mut draft = scene.draft();
            decide::open(team.as_ref(), &submission, &author, scene.context, &mut draft)?;
            Ok(draft)
        },
        |reader, appended| answer(reader, appended, ""),
    )
}

/// Decides something about the named review and answers with it.
fn change(
    call: &mut Call<'_>,
    given: &str,
    decide: impl FnOnce(&Review, &mut Scene<'_, '_, '_>, &mut Draft) -> Result<(), Refusal>,
) -> Result<Answer, Refusal> {
    call.write(
        |scene| {
            let review = resolve::review(&mut scene.look(), given)?;
            let mut draft = scene.draft();
            decide(&review, scene, &mut draft)?;
            Ok(draft)
        },
        |reader, appended| answer(reader, appended, given),
    )
}

/// A thread of a review, by its id or a prefix of it.
fn thread(review: &Review, given: &str) -> Result<CommentId, Refusal> {
    let Some(prefix) = CommentId::fold_prefix(given) else { return Ok(CommentId::parse(given)?) };
    let mut threads: Vec<&CommentId> = review.comments.iter().map(|c| &c.comment.thread).collect();
    threads.sort();
    threads.dedup();
    threads.retain(|thread| thread.as_str().starts_with(&prefix));
    match threads.as_slice() {
        [one] => Ok((*one).clone()),
        [] => Err(Refusal::not_found("no_such_thread", format!("{} has no thread {prefix}", review.id))
            .hint(format!("interagent review show {}", review.id))),
        _ => Err(Refusal::usage(
            "ambiguous",
            format!("{} threads of {} begin with {prefix}", threads.len(), review.id),
        )
        .hint("write more of the id")),
    }
}

/// Comments on a review, at a line or in a thread.
pub(crate) fn comment(call: &mut Call<'_>, params: &ask::ReviewComment) -> Result<Answer, Refusal> {
    let body = Words::document("the comment", &params.body)?;
    let file = crate::input::maybe_word("the file", params.file.as_deref())?;
    change(call, &params.review, |review, scene, draft| {
        let remark = Remark {
            body,
            disposition: params.disposition.unwrap_or(Disposition::Note),
            thread: params.thread.as_deref().map(|given| thread(review, given)).transpose()?,
            file,
            line: params.line,
            side: params.side,
        };
        let audience = audience(scene, review)?;
        let member = scene.member.clone();
        decide::comment(review, &remark, &audience, &member, scene.context, draft)?;
        traffic::count(scene, &audience.hears(&member, scene.context))
    })
}

/// Who hears of a comment: everybody who takes part and still does.
fn audience(scene: &mut Scene<'_, '_, '_>, review: &Review) -> Result<Audience, Refusal> {
    let (team, member) = (scene.team.clone(), scene.member.clone());
    let reader = &mut scene.look();
    let mut ids: BTreeSet<_> = review.comments.iter().map(|said| &said.comment.by).collect();
    ids.extend(std::iter::once(&review.brief.author).chain(&review.brief.reviewers));
    let mut participants = Vec::with_capacity(ids.len());
    for id in ids {
        participants.extend(reader.agent(id)?.filter(|agent| agent.retired.is_none()));
    }
    let title = Names::new(reader).line(&review.brief.title)?;
    let mut audience = Audience { team, title, participants, traffic: Traffic::default() };
    let hears: Vec<Agent> = audience.hears(&member, scene.context).into_iter().cloned().collect();
    audience.traffic.pair_messages = traffic::pair_messages(scene, &hears)?;
    Ok(audience)
}

/// Closes a thread of a review.
pub(crate) fn resolve(call: &mut Call<'_>, params: &ask::ReviewResolve) -> Result<Answer, Refusal> {
    change(call, &params.review, |review, scene, draft| {
        let thread = thread(review, &params.thread)?;
        decide::resolve(review, &thread, &scene.member, draft)
    })
}

/// Ends a review with a verdict; a review of an open task decides the task.
pub(crate) fn verdict(call: &mut Call<'_>, params: &ask::ReviewVerdict) -> Result<Answer, Refusal> {
    let verdict = input::verdict(params.verdict)?;
    let note = input::maybe("the note", params.note.as_deref(), Words::note)?;
    change(call, &params.review, |review, scene, draft| judge(review, verdict, note.as_ref(), scene, draft))
}

fn judge(
    review: &Review,
    verdict: Verdict,
    note: Option<&Words>,
    scene: &mut Scene<'_, '_, '_>,
    draft: &mut Draft,
) -> Result<(), Refusal> {
    let of = match &review.brief.task {
        Some(id) => scene.look().task(id)?,
        None => None,
    };
    match of {
        Some(of) if review.end.is_none() && !of.status.is_closed() => {
            let mut snapshot = snapshot::of(scene, of, Depth::Circle)?;
            snapshot.open_reviews.retain(|other| other != &review.id);
            snapshot.open_reviews.insert(0, review.id.clone());
            task::judge(&snapshot, verdict, note, task::OpenParts::Refuse, scene.context, draft)
        }
        _ => {
            let requests = requests(&mut scene.look(), review)?;
            decide::judge(review, &requests, verdict, note, &scene.member, scene.context, draft)
        }
    }
}

/// The messages that ask for a verdict on a review and still wait for one.
fn requests(reader: &mut Reader<'_>, review: &Review) -> Result<Vec<Message>, Refusal> {
    let mut due = Vec::new();
    for reviewer in &review.brief.reviewers {
        let owed = reader.owed_by(reviewer, limits::PAGE_MAX)?;
        due.extend(owed.into_iter().filter(|due| due.duty == Duty::Verdict));
    }
    let mut messages = snapshot::messages(reader, &due)?;
    messages.retain(|message| {
        message.refs.iter().any(|to| to.kind == REVIEW_REF && to.target == review.id.as_str())
    });
    Ok(messages)
}

/// Lists reviews, newest first.
pub(crate) fn list(call: &mut Call<'_>, params: &ask::ReviewList) -> Result<Answer, Refusal> {
    let start = resolve::page_start(params.after.as_deref())?;
    let limit = resolve::page_limit(params.limit);
    call.read(|reader, _| {
        let mut reviews = reader.reviews(params.open, &start, limit + 1)?;
        let more = reviews.len() > limit as usize;
        reviews.truncate(limit as usize);
        let last = reviews.last().filter(|_| more);
        let next = last.map(|review| resolve::page_end(review.opened.at, review.id.as_str()));
        let mut names = crate::names::Names::new(reader);
        let items = reviews.iter().map(|review| row(&mut names, review)).collect::<Result<_, _>>()?;
        Ok(Page { items, next }.into())
    })
}

/// Shows one review with its threads.
pub(crate) fn show(call: &mut Call<'_>, params: &ask::ReviewShow) -> Result<Answer, Refusal> {
    call.read(|reader, _| {
        let review = resolve::review(reader, &params.review)?;
        Ok(view(reader, &review)?.into())
    })
}
