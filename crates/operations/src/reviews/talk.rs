//! Comments on a review, and closed threads.

use interagent_core::decide::review::{self as decide, Audience, Remark, THREAD_REF};
use interagent_core::entity::{Agent, Message, Review};
use interagent_core::ids::{AgentId, CommentId};
use interagent_core::refusal::Refusal;
use interagent_core::text::Words;
use interagent_core::vocabulary::Disposition;
use interagent_store::reader::Reader;
use interagent_wire::{Answer, request as ask};

use super::{change, due};
use crate::call::{Call, Scene};
use crate::names::Names;

/// A thread of a review, by its id or a prefix of it.
fn thread(review: &Review, given: &str) -> Result<CommentId, Refusal> {
    let shows = || format!("interagent review show {}", review.id);
    let Some(prefix) = CommentId::fold_prefix(given) else {
        return CommentId::parse(given).map_err(|problem| Refusal::from(problem).hint(shows()));
    };
    let mut threads: Vec<&CommentId> = review.comments.iter().map(|c| &c.comment.thread).collect();
    threads.sort();
    threads.dedup();
    threads.retain(|thread| thread.as_str().starts_with(&prefix));
    match threads.as_slice() {
        [one] => Ok((*one).clone()),
        [] => Err(Refusal::not_found("no_such_thread", format!("{} has no thread {prefix}", review.id))
            .hint(shows())),
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
        let audience = audience(scene, review, remark.thread.as_ref())?;
        decide::comment(review, &remark, &audience, &scene.member, scene.context, draft)?;
        Ok(())
    })
}

/// The audience of a comment: all participants that are still on the team.
fn audience(
    scene: &mut Scene<'_, '_, '_>,
    review: &Review,
    thread: Option<&CommentId>,
) -> Result<Audience, Refusal> {
    let team = scene.team.clone();
    let reader = &mut scene.look();
    let participants = participants(reader, review)?;
    let questions = match thread {
        Some(thread) => questions(reader, review, thread)?,
        None => Vec::new(),
    };
    let mut names = Names::new(reader);
    let title = names.line(&review.brief.title)?;
    let diff = review.diff().map(|hash| names.text(hash)).transpose()?.flatten();
    Ok(Audience { team, title, diff, participants, questions })
}

/// All participants of a review that are still in the team.
pub(super) fn participants(reader: &mut Reader<'_>, review: &Review) -> Result<Vec<Agent>, Refusal> {
    let ids = review.participants();
    let mut participants = Vec::with_capacity(ids.len());
    for id in ids {
        participants.extend(reader.agent(id)?.filter(|agent| agent.retired.is_none()));
    }
    Ok(participants)
}

/// The messages that wait for an answer in a thread.
fn questions(reader: &mut Reader<'_>, review: &Review, thread: &CommentId) -> Result<Vec<Message>, Refusal> {
    let participants: Vec<AgentId> = review.participants().into_iter().cloned().collect();
    let mut questions = due(reader, review, &participants)?;
    questions.retain(|message| {
        message.refs.iter().any(|to| to.kind == THREAD_REF && to.target == thread.as_str())
    });
    Ok(questions)
}

/// Closes a thread of a review.
pub(crate) fn resolve(call: &mut Call<'_>, params: &ask::ReviewResolve) -> Result<Answer, Refusal> {
    change(call, &params.review, |review, scene, draft| {
        let thread = thread(review, &params.thread)?;
        let audience = audience(scene, review, Some(&thread))?;
        decide::resolve(review, &thread, &audience, &scene.member, scene.context, draft)
    })
}
