//! The change that a review is about: from what somebody named to commits, a snapshot and a diff.
//!
//! Owns what the hub can't know: which branch is meant, what is staged, where a round is in git. The hub decides what
//! becomes of it. Used by the command line and by the MCP server of a client.

use std::path::Path;

use interagent_core::vocabulary::Side;
use interagent_wire::answer::{ReviewView, TaskView};
use interagent_wire::request::{ChangeParam, ReviewOpen, ReviewShow, ReviewUpdate, TaskShow};
use interagent_wire::{Answer, Reply, Request};

use crate::error::{CliError, ErrorKind};
use crate::git::{Objects, Repository, STAGED, Snapshot, WORKING_TREE};

/// Asks the hub something.
pub(crate) type Ask<'a> = &'a mut dyn FnMut(Request) -> Result<Reply, CliError>;

/// A request whose change was read from git.
struct Prepared {
    request: Request,
    /// What the caller should know of the change.
    notes: Vec<String>,
    /// What git has to keep once the review is recorded.
    objects: Objects,
}

/// Calls an operation. The change that it names is read from git before, and its commits are kept there after.
pub(crate) fn call(request: Request, directory: Option<&Path>, ask: Ask<'_>) -> Result<Reply, CliError> {
    let Prepared { request, notes, objects } = prepare(request, directory, &mut *ask)?;
    let mut reply = ask(request)?;
    reply.notes.extend(notes);
    if let Answer::Review(review) = &reply.answer {
        let name = format!("{}/{}", review.review.id, review.review.round);
        reply.notes.extend(keep(&name, &objects, directory).err());
    }
    Ok(reply)
}

/// Keeps the commits of a round in git.
fn keep(name: &str, objects: &Objects, directory: Option<&Path>) -> Result<(), String> {
    if *objects == Objects::default() {
        return Ok(());
    }
    let repository = Repository::around(directory).map_err(|error| error.sentence());
    let kept = repository.and_then(|repository| repository.keep(name, objects));
    kept.map_err(|why| format!("cannot keep the reviewed commits in git: {why}"))
}

/// Reads the change that a request names, where it names one. Every other request stays as it is.
fn prepare(request: Request, directory: Option<&Path>, ask: Ask<'_>) -> Result<Prepared, CliError> {
    match request {
        Request::ReviewOpen(params)
            if names_source(params.source.as_ref(), params.staged, params.diff.as_ref()) =>
        {
            open(params, directory, ask)
        }
        Request::ReviewUpdate(params) if params.diff.is_none() && params.change.is_none() => {
            update(params, directory, ask)
        }
        request => Ok(Prepared { request, notes: Vec::new(), objects: Objects::default() }),
    }
}

fn names_source(source: Option<&String>, staged: bool, diff: Option<&String>) -> bool {
    (source.is_some() || staged) && diff.is_none()
}

fn open(mut params: ReviewOpen, directory: Option<&Path>, ask: Ask<'_>) -> Result<Prepared, CliError> {
    if params.staged && params.source.is_some() {
        return Err(CliError::new(ErrorKind::Usage, "SOURCE and --staged cannot be combined"));
    }
    let source = if params.staged { STAGED.to_owned() } else { params.source.clone().unwrap_or_default() };
    let mut notes = Vec::new();
    // The word may have been meant as the title.
    let unknown = |source: &str| unknown(source).with_hint("set a title with --title");
    let Found { task, change: found } =
        find(&source, directory, ask, &mut notes)?.ok_or_else(|| unknown(&source))?;
    if let Some(task) = task {
        params.task.get_or_insert(task);
    }
    params.staged = false;
    let Some(found) = found else {
        notes.push(format!("review has no diff: {source} names no branch or commit"));
        return Ok(Prepared { request: params.into(), notes, objects: Objects::default() });
    };
    must_change(&source, &found)?;
    notes.extend(left_out(&found));
    if params.title.is_empty() && params.task.is_none() {
        params.title = found.title.unwrap_or_default();
    }
    params.source = Some(source);
    params.diff = Some(found.diff);
    params.change = Some(param(&found.objects));
    Ok(Prepared { request: params.into(), notes, objects: found.objects })
}

fn update(mut params: ReviewUpdate, directory: Option<&Path>, ask: Ask<'_>) -> Result<Prepared, CliError> {
    let show = ReviewShow { review: params.review.clone(), round: None };
    let Answer::Review(review) = ask(show.into())?.answer else {
        return Ok(Prepared { request: params.into(), notes: Vec::new(), objects: Objects::default() });
    };
    let last = review.rounds.last();
    let source = match (params.staged, params.source.take()) {
        (true, _) => STAGED.to_owned(),
        (false, Some(source)) => source,
        (false, None) => last.and_then(|round| round.source.clone()).ok_or_else(|| {
            CliError::new(
                ErrorKind::Usage,
                format!("missing SOURCE: the last round of {} came from a diff file", review.review.id),
            )
            .with_hint(format!("name the change: interagent review update {} BRANCH", review.review.id))
        })?,
    };
    let mut notes = Vec::new();
    let found = find(&source, directory, ask, &mut notes)?.and_then(|found| found.change);
    let found = found.ok_or_else(|| unknown(&source))?;
    must_change(&source, &found)?;
    params.staged = false;
    params.source = Some(source);
    params.change = Some(since_last(&review, &found.objects, directory));
    notes.extend(left_out(&found));
    params.diff = Some(found.diff);
    Ok(Prepared { request: params.into(), notes, objects: found.objects })
}

/// Where a round is, and what changed since the last one.
fn since_last(review: &ReviewView, now: &Objects, directory: Option<&Path>) -> ChangeParam {
    let mut change = ChangeParam { after_round: Some(review.review.round), ..param(now) };
    let (Some(last), Some(diff)) = (review.rounds.last(), &review.diff) else { return change };
    let before = Objects { base: last.base.clone(), head: last.head.clone(), tree: last.tree.clone() };
    if let Ok(repository) = Repository::around(directory) {
        change.since_base = repository.since(&before, now, Side::Old, diff);
        change.since_head = repository.since(&before, now, Side::New, diff);
    }
    change
}

fn param(objects: &Objects) -> ChangeParam {
    let Objects { base, head, tree } = objects.clone();
    ChangeParam { base, head, tree, ..ChangeParam::default() }
}

/// What a source names.
struct Found {
    task: Option<String>,
    change: Option<Snapshot>,
}

/// The change that a source names, with the task where it names one. None where neither git nor the hub knows it. A word that git and the hub know is a task only if it
/// looks like the id of one.
fn find(
    source: &str,
    directory: Option<&Path>,
    ask: Ask<'_>,
    notes: &mut Vec<String>,
) -> Result<Option<Found>, CliError> {
    let by_id = if source.starts_with("task-") { task(source, ask)? } else { None };
    let task = match by_id {
        Some(task) => task,
        None => match read(source, directory)? {
            Some(found) => return Ok(Some(Found { task: None, change: Some(found) })),
            None => match task(source, ask)? {
                Some(task) => task,
                None => return Ok(None),
            },
        },
    };
    let change = change_of(&task, directory, notes)?;
    Ok(Some(Found { task: Some(task.id), change }))
}

/// The change that a word names in git. None if git does not know it.
fn read(source: &str, directory: Option<&Path>) -> Result<Option<Snapshot>, CliError> {
    let repository = match Repository::around(directory) {
        Ok(repository) => repository,
        Err(error) if [STAGED, WORKING_TREE].contains(&source) || source.contains("..") => return Err(error),
        Err(_) => return Ok(None),
    };
    match (source, Repository::ends(source)) {
        (STAGED, _) => repository.staged().map(Some),
        (WORKING_TREE, _) => repository.working_tree().map(Some),
        (_, Some((from, to))) => repository.range(from, to).map(Some),
        (_, None) if repository.commit(source).is_some() => repository.branch(source).map(Some),
        _ => Ok(None),
    }
}

/// Whether a word names a change: a range, a branch or a task.
pub(crate) fn is_source(word: &str, directory: Option<&Path>, ask: Ask<'_>) -> bool {
    let is_range = word.contains("..") && !word.contains(char::is_whitespace);
    let in_git = || Repository::around(directory).is_ok_and(|repository| repository.commit(word).is_some());
    is_range || in_git() || task(word, ask).is_ok_and(|task| task.is_some())
}

fn task(word: &str, ask: Ask<'_>) -> Result<Option<Box<TaskView>>, CliError> {
    if word.contains(char::is_whitespace) {
        return Ok(None);
    }
    match ask(TaskShow { task: word.to_owned() }.into()) {
        Ok(Reply { answer: Answer::Task(task), .. }) => Ok(Some(Box::new(task))),
        Ok(_) => Ok(None),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::Usage) => Ok(None),
        Err(error) => Err(error),
    }
}

/// The change that was made for a task: what its last report or the task itself names, or else the branch one is on.
fn change_of(
    task: &TaskView,
    directory: Option<&Path>,
    notes: &mut Vec<String>,
) -> Result<Option<Snapshot>, CliError> {
    let Ok(repository) = Repository::around(directory) else { return Ok(None) };
    let reported = task.reports.iter().rev().find_map(|report| report.commit_info.as_ref());
    let named = reported.into_iter().flat_map(|commit| [&commit.branch, &commit.commit_hash]).flatten();
    let named: Vec<&String> = named.chain(&task.branch).collect();
    if let Some(name) = named.iter().find(|name| repository.commit(name).is_some()) {
        return repository.branch(name).map(Some);
    }
    if let Some(name) = named.first() {
        let sentence = format!("{} names `{name}`, and git knows no such branch or commit here", task.id);
        return Err(CliError::new(ErrorKind::NotFound, sentence)
            .with_code("no_such_source")
            .with_hint(format!("name the change: interagent review open BRANCH --task {}", task.id)));
    }
    if !repository.is_ahead() {
        return Ok(None);
    }
    let branch = repository.current_branch().unwrap_or_else(|| "HEAD".to_owned());
    notes.push(format!("{} names no branch: this reviews {branch}, where you are", task.id));
    repository.branch("HEAD").map(Some)
}

fn must_change(source: &str, found: &Snapshot) -> Result<(), CliError> {
    if !found.diff.trim().is_empty() {
        return Ok(());
    }
    let error =
        CliError::new(ErrorKind::Refused, format!("`{source}` has no changes")).with_code("empty_diff");
    Err(match (source, found.left_out) {
        (STAGED, _) => error.with_hint("git add PATH stages a change"),
        (WORKING_TREE, 1..) => error.with_hint("git add -N PATH includes an untracked file"),
        (WORKING_TREE, _) => error.with_hint("interagent review open main..HEAD reviews commits"),
        _ => error.with_hint("interagent review open BASE..HEAD"),
    })
}

fn left_out(found: &Snapshot) -> Option<String> {
    match found.left_out {
        0 => None,
        1 => Some("1 untracked file not included: git add -N PATH".to_owned()),
        count => Some(format!("{count} untracked files not included: git add -N PATH")),
    }
}

fn unknown(source: &str) -> CliError {
    CliError::new(ErrorKind::NotFound, format!("unknown source `{source}`: not a range, branch or task"))
        .with_code("no_such_source")
        .with_hint("git branch lists branches, interagent task list lists tasks")
}
