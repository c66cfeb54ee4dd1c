//! A reply to a review request that is the verdict it asks for.

use interagent_core::decide::message::{self, Letter, said_verdict};
use interagent_core::decide::review::REVIEW_REF;
use interagent_core::decide::task::{self, OpenParts};
use interagent_core::draft::Draft;
use interagent_core::entity::{Message, Review, Task};
use interagent_core::event::Reference;
use interagent_core::ids::{AgentId, ReviewId};
use interagent_core::refusal::Refusal;
use interagent_core::text::{Words, subject_of};
use interagent_core::vocabulary::{Duty, Intent, Verdict};
use interagent_store::reader::Reader;

use super::{reply_snapshot, with_subject};
use crate::call::Scene;
use crate::reviews;
use crate::tasks::snapshot::{self, Depth};

/// What a review request asks a verdict on.
enum Judged {
    Review(Box<Review>),
    Task(Box<Task>),
}

impl Judged {
    /// Whether it still waits for a verdict. A review is only asked about while it is open.
    fn awaits_verdict(&self) -> bool {
        match self {
            Self::Review(_) => true,
            Self::Task(task) => task.status.awaits_verdict(),
        }
    }

    /// The member whose work it is, who gets the verdict.
    fn worker(&self) -> Option<&AgentId> {
        match self {
            Self::Review(review) => Some(&review.brief.author),
            Self::Task(task) => task.assignee.as_ref(),
        }
    }
}

/// Judges the review or task that a request is about, where the reply gives a verdict: by its parameter, or by the word that
/// it begins with. `None` where it is an ordinary reply; a word that the member may not use as a verdict is one too. The word
/// counts for as long as the review or task waits for its verdict, also after another reply settled the request, but only from
/// a member that the request was sent to.
pub(super) fn given(
    scene: &mut Scene<'_, '_, '_>,
    original: &Message,
    letter: &Letter,
    explicit: Option<Verdict>,
) -> Result<Option<Draft>, Refusal> {
    let owes = original.owed_by(&scene.member.id) == Some(Duty::Verdict);
    let body = letter.body.as_ref().map_or("", Words::as_str);
    let is_request = original.intent == Intent::ReviewRequest && original.held.is_none();
    let is_asked = is_request && original.deliveries.contains_key(&scene.member.id);
    let said = || said_verdict(body).filter(|_| is_asked);
    let Some(verdict) = explicit.or_else(said) else { return Ok(None) };
    let asked_about = match asked_about(&mut scene.look(), original) {
        // Words about an earlier round, which nobody asks for any more.
        Err(_) if explicit.is_none() && !owes => return Ok(None),
        found => found?,
    };
    let is_open = |judged: &Judged| explicit.is_some() || owes || judged.awaits_verdict();
    let Some(judged) = asked_about.filter(is_open) else {
        return match explicit {
            Some(_) => Err(no_request(original)),
            None => Ok(None),
        };
    };
    let note = Note::of(body, original)?;
    let mut draft = scene.draft();
    match (judge(scene, &judged, verdict, note.words.as_ref(), &mut draft), explicit) {
        (Err(refusal), Some(_)) => return Err(refusal),
        (Err(_), None) => return Ok(None),
        (Ok(()), _) => {}
    }
    // The verdict reaches the worker. Somebody else who asked for it gets the reply as well.
    let asked_by_other = judged.worker() != Some(&original.from) && original.from != scene.member.id;
    if asked_by_other || note.is_shortened {
        let reply = reply_snapshot(scene, original.clone())?;
        let letter = with_subject(scene, letter.clone(), &reply)?;
        message::send(&reply, &letter, scene.context, &mut draft)?;
    }
    Ok(Some(draft))
}

fn judge(
    scene: &mut Scene<'_, '_, '_>,
    judged: &Judged,
    verdict: Verdict,
    note: Option<&Words>,
    draft: &mut Draft,
) -> Result<(), Refusal> {
    match judged {
        Judged::Review(review) => reviews::judge(review, verdict, note, scene, draft),
        Judged::Task(task) => {
            let snapshot = snapshot::of(scene, (**task).clone(), Depth::Circle)?;
            task::judge(&snapshot, verdict, note, OpenParts::Refuse, scene.context, draft)
        }
    }
}

/// What a message asks a verdict on: its review while that is open, otherwise its task.
fn asked_about(reader: &mut Reader<'_>, original: &Message) -> Result<Option<Judged>, Refusal> {
    if let Some(reference) = review_of(original)
        && let Some(review) = open_review(reader, original)?
    {
        if reference.text.as_ref() != review.diff() {
            let sentence = format!("{} already has round {}", review.id, review.round());
            return Err(Refusal::conflict("newer_round", sentence)
                .hint(format!("interagent review show {}", review.id)));
        }
        return Ok(Some(Judged::Review(Box::new(review))));
    }
    let Some(task) = &original.task else { return Ok(None) };
    Ok(reader.task(task)?.map(|task| Judged::Task(Box::new(task))))
}

fn review_of(original: &Message) -> Option<&Reference> {
    let is_request = original.intent == Intent::ReviewRequest;
    original.refs.iter().find(|to| is_request && to.kind == REVIEW_REF)
}

/// The review that a message asks a verdict on, while it has none.
pub(super) fn open_review(reader: &mut Reader<'_>, original: &Message) -> Result<Option<Review>, Refusal> {
    let id = review_of(original).and_then(|to| ReviewId::parse(&to.target).ok());
    let Some(id) = id else { return Ok(None) };
    Ok(reader.review(&id)?.filter(|review| review.end.is_none()))
}

/// What a verdict says of its reasons.
struct Note {
    words: Option<Words>,
    /// The reply is longer than a note, so it is sent as well.
    is_shortened: bool,
}

impl Note {
    fn of(body: &str, original: &Message) -> Result<Self, Refusal> {
        if body.trim().is_empty() {
            return Ok(Self { words: None, is_shortened: false });
        }
        if let Ok(words) = Words::note("the note", body) {
            return Ok(Self { words: Some(words), is_shortened: false });
        }
        let short = format!("{}\n\nThe full text is in the reply to {}.", subject_of(body), original.id);
        Ok(Self { words: Some(Words::note("the note", &short)?), is_shortened: true })
    }
}

fn no_request(original: &Message) -> Refusal {
    Refusal::usage("no_task", format!("{} is not a review request", original.id))
        .hint(format!("interagent reply {} -m TEXT", original.id))
}
