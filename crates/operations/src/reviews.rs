//! Reviews: opening, new rounds, verdicts, showing.
//!
//! A verdict on a review of an open task is a verdict on that task, decided by the same rules. What is read from git comes
//! with the request: nothing here knows a repository.

mod places;
mod talk;
mod views;

use interagent_core::decide::review::{self as decide, Bench, Coordinates, REVIEW_REF, Revision, Submission};
use interagent_core::diff::Diff;
use interagent_core::draft::Draft;
use interagent_core::entity::{Agent, Message, Review};
use interagent_core::ids::AgentId;
use interagent_core::limits;
use interagent_core::refusal::Refusal;
use interagent_core::text::Words;
use interagent_core::vocabulary::{Duty, Verdict};
use interagent_store::reader::Reader;
use interagent_wire::answer::Page;
use interagent_wire::{Answer, request as ask};

use crate::call::{Call, Scene};
use crate::input::{aliases, maybe_word, word};
use crate::names::Names;
use crate::resolve;
use crate::tasks::access::{self, Access};
use crate::tasks::input;
use crate::tasks::snapshot::{self, Depth};
pub(crate) use talk::{comment, resolve};
pub(crate) use views::row;
use views::{answer, view};

/// Opens a review of a change and asks the reviewers: those who are named, otherwise those the team's rules name.
pub(crate) fn open(call: &mut Call<'_>, params: &ask::ReviewOpen) -> Result<Answer, Refusal> {
    let body = input::maybe("the body", params.body.as_deref(), Words::document)?;
    let diff = diff(params.diff.as_deref())?;
    // Check before the title, which comes from the files of the diff.
    decide::must_be_diff(diff.as_ref())?;
    let aliases = aliases(&params.aliases)?;
    let change = coordinates(params.source.as_deref(), params.change.as_ref())?;
    if !params.title.is_empty() {
        Words::line("the title", &params.title)?;
    }
    call.write(
        |scene| {
            let (team, author) = (scene.team.clone(), scene.member.clone());
            let reader = &mut scene.look();
            let mut task = params.task.as_deref().map(|task| resolve::task(reader, task)).transpose()?;
            if let (Some(source), None, None) = (&params.source, &diff, &params.change) {
                // Only a task can be reviewed without git.
                let named = resolve::task(reader, source).map_err(|_| no_git(source))?;
                task = task.or(Some(named));
            }
            if params.staged && diff.is_none() {
                return Err(no_git("--staged"));
            }
            let title = match (params.title.trim(), &task) {
                ("", Some(task)) => Names::new(reader).line(&task.brief.title)?,
                ("", None) => {
                    let summary = diff.as_ref().and_then(|diff| Diff::parse(diff.as_str()).summary());
                    summary.unwrap_or_default().chars().take(limits::SUBJECT_CHARS).collect()
                }
                (title, _) => title.to_owned(),
            };
            let title = Words::line("the title", &title)?;
            resolve::must_be_free(reader, &aliases)?;
            let reviewers = if params.to.is_empty() {
                snapshot::reviewers(reader, team.as_ref(), &author.name)?
            } else {
                resolve::recipients(reader, &params.to, &author)?.0
            };
            let submission = Submission { title, body, diff, change, task, reviewers, aliases };
            let mut draft = scene.draft();
            decide::open(team.as_ref(), &submission, &author, scene.context, &mut draft)?;
            Ok(draft)
        },
        |reader, appended| answer(reader, appended, ""),
    )
}

fn no_git(source: &str) -> Refusal {
    Refusal::usage("no_git", format!("`{source}` is not a task, and this server can't read git"))
        .hint("pass the change as a diff, or use the command line: interagent review open BRANCH")
}

fn diff(given: Option<&str>) -> Result<Option<Words>, Refusal> {
    input::maybe("the diff", given, Words::document).map_err(|refusal| match refusal.code.as_str() {
        "too_long" => refusal.hint("review a part: a shorter range, or one review for each commit"),
        _ => refusal,
    })
}

/// What a request says of a change in git; names of objects are hexadecimal.
fn coordinates(source: Option<&str>, change: Option<&ask::ChangeParam>) -> Result<Coordinates, Refusal> {
    let object = |what: &'static str, given: Option<&String>| -> Result<Option<String>, Refusal> {
        let Some(given) = given else { return Ok(None) };
        let is_object = (4..=64).contains(&given.len()) && given.bytes().all(|byte| byte.is_ascii_hexdigit());
        match is_object {
            true => Ok(Some(given.to_ascii_lowercase())),
            false => Err(Refusal::usage(
                "bad_object",
                format!("{what} `{}` is not a git object id", word(what, given)?),
            )),
        }
    };
    Ok(Coordinates {
        source: maybe_word("the source", source)?,
        base: object("the base", change.and_then(|change| change.base.as_ref()))?,
        head: object("the head", change.and_then(|change| change.head.as_ref()))?,
        tree: object("the tree", change.and_then(|change| change.tree.as_ref()))?,
    })
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
            // The answer shows the whole review.
            access::must_be_in_review(scene, &review)?;
            Ok(draft)
        },
        |reader, appended| answer(reader, appended, given),
    )
}

/// Adds a round to a review.
pub(crate) fn update(call: &mut Call<'_>, params: &ask::ReviewUpdate) -> Result<Answer, Refusal> {
    let body = input::maybe("the body", params.body.as_deref(), Words::document)?;
    let diff = diff(params.diff.as_deref())?;
    let coordinates = coordinates(params.source.as_deref(), params.change.as_ref())?;
    let since = |given: Option<&String>| {
        // Threads are then located by their text, so the round is still accepted.
        given.and_then(|text| Words::document("the difference", text).ok())
    };
    let given = params.change.as_ref();
    let since_base = since(given.and_then(|change| change.since_base.as_ref()));
    let since_head = since(given.and_then(|change| change.since_head.as_ref()));
    if let (Some(source), None) = (&params.source, &diff) {
        return Err(no_git(source));
    }
    change(call, &params.review, |review, scene, draft| {
        let task = match &review.brief.task {
            Some(id) => scene.look().task(id)?,
            None => None,
        };
        let task = task.map(|task| snapshot::of(scene, task, Depth::Circle)).transpose()?;
        let reader = &mut scene.look();
        let mut reviewers: Vec<Agent> = Vec::new();
        for id in &review.brief.reviewers {
            reviewers.extend(reader.agent(id)?.filter(|agent| agent.retired.is_none()));
        }
        let asked = review.brief.reviewers.iter().chain([&review.brief.author]);
        let requests = due(reader, review, asked)?;
        let mut names = Names::new(reader);
        let diff_before = review.diff().map(|hash| names.text(hash)).transpose()?.flatten();
        let revision = Revision {
            title: names.line(&review.brief.title)?,
            body,
            diff,
            diff_before,
            change: coordinates,
            since_base,
            since_head,
            after: given.and_then(|change| change.after_round),
            reviewers,
            requests,
            task,
        };
        decide::update(review, &revision, &scene.member, scene.context, draft)
    })
}

/// Gives a verdict on the newest round; it decides the task as well, where that awaits one of this member.
pub(crate) fn verdict(call: &mut Call<'_>, params: &ask::ReviewVerdict) -> Result<Answer, Refusal> {
    let verdict = input::verdict(params.verdict)?;
    let note = input::maybe("the note", params.note.as_deref(), Words::note)?;
    change(call, &params.review, |review, scene, draft| judge(review, verdict, note.as_ref(), scene, draft))
}

/// The same, decided within another change.
pub(crate) fn judge(
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
    let participants: Vec<AgentId> = review.participants().into_iter().cloned().collect();
    let due = due(&mut scene.look(), review, &participants)?;
    let participants = talk::participants(&mut scene.look(), review)?;
    let title = Names::new(&mut scene.look()).line(&review.brief.title)?;
    let (member, team) = (scene.member.clone(), scene.team.clone());
    let worker = of.as_ref().and_then(|task| task.assignee.clone());
    let bench = Bench {
        review,
        title: &title,
        due: &due,
        member: &member,
        worker: worker.as_ref(),
        team: team.as_ref(),
        participants: &participants,
    };
    match of {
        Some(of) if !of.status.is_closed() => {
            let mut snapshot = snapshot::of(scene, of, Depth::Circle)?;
            if let Some(why) = decide::leaves_task(&snapshot, scene.context) {
                draft.remark(format!("this verdict counts for the review only: {why}"));
                return decide::judge(&bench, verdict, note, scene.context, draft);
            }
            snapshot.open_reviews.retain(|other| other.id != review.id);
            snapshot.open_reviews.insert(0, review.clone());
            decide::judge_task(&bench, &snapshot, verdict, note, scene.context, draft)
        }
        _ => decide::judge(&bench, verdict, note, scene.context, draft),
    }
}

/// The messages about a review that oblige one of these agents: to a verdict, or to an answer in a thread.
fn due<'a>(
    reader: &mut Reader<'_>,
    review: &Review,
    agents: impl IntoIterator<Item = &'a AgentId>,
) -> Result<Vec<Message>, Refusal> {
    let mut due = Vec::new();
    for agent in agents {
        let owed = reader.owed_by(agent, limits::PAGE_MAX)?;
        due.extend(owed.into_iter().filter(|due| matches!(due.duty, Duty::Verdict | Duty::Answer)));
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

/// Shows one review with its diff and its threads.
pub(crate) fn show(call: &mut Call<'_>, params: &ask::ReviewShow) -> Result<Answer, Refusal> {
    call.read(|reader, known| {
        let review = resolve::review(reader, &params.review)?;
        Access::of(reader, known)?.review(reader, &review)?;
        let round = params.round.unwrap_or(review.round());
        if review.round_at(round).is_none() {
            let sentence = format!("{} has {} rounds, and no round {round}", review.id, review.round());
            return Err(Refusal::not_found("no_such_round", sentence)
                .hint(format!("interagent review show {}", review.id)));
        }
        Ok(view(reader, &review, round)?.into())
    })
}
