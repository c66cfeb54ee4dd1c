//! The conversation about a change: comments at its lines, replies, closed threads.

use super::{THREAD_REF, points_at, to_review};
use crate::decide::loop_guard;
use crate::decide::{Post, draft_settle, draft_settle_for, post};
use crate::diff::{Diff, Nowhere, Position};
use crate::draft::{Context, Draft};
use crate::entity::{Agent, Message, Review};
use crate::event::{ReviewCommented, ReviewResolved};
use crate::ids::{AgentId, CommentId, EntityRef};
use crate::refusal::Refusal;
use crate::rules;
use crate::team::TeamConfig;
use crate::text::{TextHash, Words, subject_of};
use crate::vocabulary::{Disposition, Duty, Intent, Settlement, Side};

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

/// Who hears of a comment.
#[derive(Clone, Debug)]
pub struct Audience {
    /// The rules.
    pub team: Option<TeamConfig>,
    /// The review's title, for the message.
    pub title: String,
    /// The diff of the newest round.
    pub diff: Option<String>,
    /// Who takes part in the review: its author, the reviewers and everyone who commented. The speaker may be among them.
    pub participants: Vec<Agent>,
    /// Messages with questions that somebody owes an answer in the thread this is about.
    pub questions: Vec<Message>,
}

impl Audience {
    /// The members notified of this member's comment: all others that the rules let it write to.
    pub fn hears(&self, member: &Agent, context: &Context) -> Vec<&Agent> {
        self.may_hear(member, Intent::ContextShare, context)
    }

    fn may_hear(&self, member: &Agent, intent: Intent, context: &Context) -> Vec<&Agent> {
        let may_hear = |agent: &&Agent| {
            agent.id != member.id
                && (context.human || rules::may_message(self.team.as_ref(), member, agent, intent).is_ok())
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
    let position = match &remark.thread {
        Some(thread) => {
            must_fit(review, thread, remark)?;
            None
        }
        None => position(review, remark, audience)?,
    };
    let id = CommentId::from_bits(draft.bits());
    let commented = ReviewCommented {
        comment: id.clone(),
        thread: remark.thread.clone().unwrap_or_else(|| id.clone()),
        by: member.id.clone(),
        body: draft.text(&remark.body),
        disposition: remark.disposition,
        file: position.as_ref().map(|position| position.path.clone()),
        line: position.as_ref().and_then(|position| position.line),
        side: position.as_ref().and_then(|position| position.line.map(|_| position.side)),
        round: Some(review.round()),
    };
    let speech = Speech {
        review,
        remark,
        thread: commented.thread.clone(),
        place: position,
        body: commented.body.clone(),
    };
    draft.add(EntityRef::Review(review.id.clone()), commented);
    for question in &audience.questions {
        if question.deliveries.get(&member.id).is_some_and(|it| it.owes() == Some(Duty::Answer)) {
            draft_settle(draft, question, &member.id, Settlement::Replied, None);
        }
    }
    tell_participants(&speech, audience, member, context, draft);
    Ok(id)
}

/// A new thread's position: it is in the newest round's diff, or it is refused. Where the review has no diff, nothing can
/// be compared.
fn position(review: &Review, remark: &Remark, audience: &Audience) -> Result<Option<Position>, Refusal> {
    let Some(file) = &remark.file else {
        return match remark.line {
            Some(_) => {
                Err(Refusal::usage("line_without_file", "a line needs its file").hint("add --path FILE"))
            }
            None => Ok(None),
        };
    };
    if remark.line == Some(0) {
        return Err(Refusal::usage("bad_line", "lines are counted from 1"));
    }
    let side = remark.side.unwrap_or(Side::New);
    let Some(text) = &audience.diff else {
        return Ok(Some(Position { path: file.clone(), side, line: remark.line }));
    };
    let diff = Diff::parse(text);
    let round = review.round();
    diff.locate(file, remark.line, remark.side).map(Some).map_err(|nowhere| match nowhere {
        Nowhere::File(files) if files.is_empty() => {
            Refusal::usage("no_such_position", format!("the diff of round {round} names no file"))
                .hint("comment without a file and a line")
        }
        Nowhere::File(files) => {
            Refusal::usage("no_such_position", format!("{file} is not in the diff of round {round}"))
                .hint(format!("files in the diff: {}", files.join(", ")))
        }
        Nowhere::Line { path, ranges } => {
            let on = remark.side.map(|side| format!(" on the {side} side")).unwrap_or_default();
            let line = remark.line.unwrap_or_default();
            let sentence = format!("line {line} of {path} is not in the diff of round {round}{on}");
            let ranges = ranges.iter().map(|(side, first, last)| match first == last {
                true => format!("{side} {first}"),
                false => format!("{side} {first}-{last}"),
            });
            let ranges: Vec<String> = ranges.collect();
            Refusal::usage("no_such_position", sentence).hint(match ranges.is_empty() {
                true => format!("the diff shows no lines of {path}: comment on the whole file"),
                false => format!("lines in the diff: {}", ranges.join(", ")),
            })
        }
    })
}

/// A reply stays where its thread is.
fn must_fit(review: &Review, thread: &CommentId, remark: &Remark) -> Result<(), Refusal> {
    must_know(review, thread)?;
    let Some(first) = review.threads().find(|said| &said.comment.thread == thread) else { return Ok(()) };
    let is_other_file = remark.file.as_ref().is_some_and(|file| Some(file) != first.comment.file.as_ref());
    let is_other_line = remark.line.is_some_and(|line| Some(line) != first.comment.line);
    if is_other_file || is_other_line {
        return Err(Refusal::usage(
            "thread_has_position",
            format!("{thread} has a position, and a reply can't move it"),
        )
        .hint("leave the position out, or leave the thread out to begin a new one"));
    }
    Ok(())
}

/// What was said, and where.
struct Speech<'a> {
    review: &'a Review,
    remark: &'a Remark,
    thread: CommentId,
    place: Option<Position>,
    body: TextHash,
}

/// A comment is speech: what tells of it counts as words for the traffic budget. The comment itself is never held. A
/// question obliges the other side of the thread to answer.
fn tell_participants(
    speech: &Speech<'_>,
    audience: &Audience,
    member: &Agent,
    context: &Context,
    draft: &mut Draft,
) {
    let (review, remark) = (speech.review, speech.remark);
    let first = review.threads().find(|said| said.comment.thread == speech.thread).map(|said| &said.comment);
    let file = speech.place.as_ref().map(|place| &place.path).or(first.and_then(|first| first.file.as_ref()));
    let line = match &speech.place {
        Some(place) => place.line,
        None => first.and_then(|first| first.line),
    };
    let place = match (file, line) {
        (Some(file), Some(line)) => format!(" at {file}:{line}"),
        (Some(file), None) => format!(" at {file}"),
        (None, _) => String::new(),
    };
    let subject = subject_of(&format!("{} on {}{place}", remark.disposition, audience.title));
    let quiet = loop_guard::says_nothing(&subject, remark.body.as_str());
    let asked = match remark.disposition {
        Disposition::Question => {
            let author = &review.brief.author;
            let asked = if &member.id == author { first.map(|first| &first.by) } else { Some(author) };
            let may_be_asked = audience.may_hear(member, Intent::Question, context);
            asked.filter(|asked| may_be_asked.iter().any(|agent| &agent.id == *asked)).cloned()
        }
        _ => None,
    };
    let others = audience.hears(member, context).into_iter().map(|agent| agent.id.clone());
    let others = others.filter(|agent| Some(agent) != asked.as_ref()).collect();
    let subject = draft.plain(&subject);
    let refs = || vec![to_review(&review.id, None), points_at(THREAD_REF, speech.thread.to_string(), None)];
    for (to, intent) in
        [(asked.into_iter().collect::<Vec<_>>(), Intent::Question), (others, Intent::ContextShare)]
    {
        let letter =
            Post::new(&member.id, to, intent, subject.clone(), Some(speech.body.clone())).pointing_at(refs());
        let letter = if quiet { letter.without_waking() } else { letter };
        post(draft, Post { task: review.brief.task.as_ref(), ..letter }.saying());
    }
}

fn must_know(review: &Review, thread: &CommentId) -> Result<(), Refusal> {
    if review.comments.iter().any(|c| &c.comment.thread == thread) {
        return Ok(());
    }
    Err(Refusal::not_found("no_such_thread", format!("{} has no thread {thread}", review.id))
        .hint(format!("interagent review show {}", review.id)))
}

/// Closes a thread and tells those whose concern it was.
pub fn resolve(
    review: &Review,
    thread: &CommentId,
    audience: &Audience,
    member: &Agent,
    context: &Context,
    draft: &mut Draft,
) -> Result<(), Refusal> {
    must_know(review, thread)?;
    if review.resolved.contains(thread) {
        draft.is_so_already(format!("the thread {thread} of {} was closed before", review.id));
        return Ok(());
    }
    let raisers = review.concerned_in(thread);
    may_resolve(review, thread, &raisers, audience, (member, context))?;
    let resolved = ReviewResolved { thread: thread.clone(), by: member.id.clone() };
    draft.add(EntityRef::Review(review.id.clone()), resolved);
    let told = audience.hears(member, context).into_iter().map(|agent| agent.id.clone());
    let told = told.filter(|agent| raisers.contains(&agent)).collect();
    let subject = format!("resolved: your concern on {}, by {}", audience.title, member.name);
    let subject = draft.plain(&subject_of(&subject));
    let refs = vec![to_review(&review.id, None), points_at(THREAD_REF, thread.to_string(), None)];
    let letter = Post::new(&member.id, told, Intent::ContextShare, subject, None).pointing_at(refs);
    post(draft, Post { task: review.brief.task.as_ref(), ..letter });
    for message in &audience.questions {
        for (agent, delivery) in &message.deliveries {
            if delivery.owes() == Some(Duty::Answer) {
                draft_settle_for(draft, message, agent, Settlement::Withdrawn);
            }
        }
    }
    Ok(())
}

/// Only the member who raised a concern, a reviewer or the operator may close it. The author answers it: otherwise the change
/// could be approved without the concern being heard.
fn may_resolve(
    review: &Review,
    thread: &CommentId,
    raisers: &[&AgentId],
    audience: &Audience,
    (member, context): (&Agent, &Context),
) -> Result<(), Refusal> {
    let may = raisers.contains(&&member.id) || review.brief.reviewers.contains(&member.id) || context.human;
    if raisers.is_empty() || may {
        return Ok(());
    }
    let named = audience.participants.iter().filter(|agent| raisers.contains(&&agent.id));
    let named: Vec<&str> = named.map(|agent| agent.name.as_str()).collect();
    let raised = if named.is_empty() { "somebody else".to_owned() } else { named.join(" and ") };
    let sentence = format!("{thread} is a concern of {raised}: {} may not resolve it", member.name);
    Err(Refusal::rule("not_your_concern", sentence).hint(format!(
        "answer it: interagent review comment {} --thread {thread} -m TEXT; {raised}, a reviewer or the operator resolves it",
        review.id
    )))
}
