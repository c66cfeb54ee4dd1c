//! From a request's strings to validated words, before anything is read or locked.

use interagent_core::decide::task::{Details, Findings, OpenParts, Plan, Purpose};
use interagent_core::event::{ChangedFile, CommitInfo};
use interagent_core::ids::TaskId;
use interagent_core::limits;
use interagent_core::refusal::Refusal;
use interagent_core::team::Capability;
use interagent_core::text::{BadText, Words};
use interagent_core::vocabulary::Priority;
use interagent_wire::request as ask;

use crate::input::{aliases, few, maybe_word, no_secret, word};

/// How a text is read: as a line, a note or a document.
pub(crate) type Read = fn(&'static str, &str) -> Result<Words, BadText>;

/// An optional text.
pub(crate) fn maybe(what: &'static str, given: Option<&str>, read: Read) -> Result<Option<Words>, Refusal> {
    Ok(given.map(|given| read(what, given)).transpose()?)
}

fn notes(what: &'static str, each: &'static str, given: &[String]) -> Result<Vec<Words>, Refusal> {
    few(what, given, limits::ITEMS)?;
    Ok(given.iter().map(|given| Words::note(each, given)).collect::<Result<_, _>>()?)
}

pub(super) fn files(given: &[String]) -> Result<Vec<String>, Refusal> {
    few("files", given, limits::ITEMS)?;
    given.iter().map(|given| word("a file", given)).collect()
}

pub(super) fn capability(given: &str) -> Result<String, Refusal> {
    no_secret("the capability", given)?;
    let read = Capability::parse(given).map_err(|problem| {
        let refusal = Refusal::usage("bad_capability", problem.sentence);
        match problem.hint {
            Some(hint) => refusal.hint(hint),
            None => refusal,
        }
    })?;
    Ok(read.to_string())
}

/// A task to be, still without the tasks it points to.
pub(super) fn plan(params: &ask::TaskCreate) -> Result<Plan, Refusal> {
    few("dependencies", &params.depends_on, limits::DEPENDENCIES)?;
    Ok(Plan {
        title: Words::line("the title", &params.title)?,
        description: maybe("the description", params.description.as_deref(), Words::document)?,
        priority: params.priority.unwrap_or(Priority::Medium),
        capability: params.capability.as_deref().map(capability).transpose()?,
        purpose: maybe("the purpose", params.purpose.as_deref(), Words::note)?,
        requirements: notes("requirements", "a requirement", &params.requirements)?,
        acceptance_criteria: notes(
            "acceptance criteria",
            "an acceptance criterion",
            &params.acceptance_criteria,
        )?,
        parent: None,
        depends_on: Vec::new(),
        branch: maybe_word("the branch", params.branch.as_deref())?,
        files: files(&params.files)?,
        target_path: maybe_word("the target path", params.target_path.as_deref())?,
        echo_message: maybe("the echo message", params.echo_message.as_deref(), Words::note)?,
        aliases: aliases(&params.aliases)?,
        routed: None,
        quiet: params.quiet,
    })
}

/// A report. What is missing is named, all at once.
pub(super) fn findings(params: &ask::TaskReport) -> Result<Findings, Refusal> {
    let blank = |given: &Option<String>| given.as_deref().is_none_or(|given| given.trim().is_empty());
    let mut missing = Vec::new();
    if params.status.is_none() {
        missing.push("status");
    }
    if blank(&params.summary) {
        missing.push("summary");
    }
    match &params.skill_candidate {
        None => missing.push("skill_candidate"),
        Some(skill) if skill.found && blank(&skill.name) => missing.push("skill_candidate.name"),
        Some(_) => {}
    }
    let (Some(status), Some(summary), Some(skill), true) =
        (params.status, &params.summary, &params.skill_candidate, missing.is_empty())
    else {
        return Err(incomplete(params, &missing));
    };
    let skill = match skill.name.as_deref().filter(|_| skill.found) {
        None => None,
        Some(name) => Some((
            Words::line("the skill's name", name)?,
            maybe("the skill's description", skill.description.as_deref(), Words::note)?,
            maybe("the skill's reason", skill.reason.as_deref(), Words::note)?,
        )),
    };
    Ok(Findings {
        status,
        summary: Words::note("the summary", summary)?,
        files_modified: files(&params.files_modified)?,
        notes: maybe("the notes", params.notes.as_deref(), Words::note)?,
        skill,
        purpose: purpose(params)?,
        details: details(params)?,
        open_parts: open_parts(params.with_open_parts),
    })
}

/// What the caller wants done about parts that are not done.
pub(super) fn open_parts(with_open_parts: bool) -> OpenParts {
    if with_open_parts { OpenParts::Override } else { OpenParts::Refuse }
}

/// Names what a report lacks. A word that was meant as the status is easily taken for the task.
fn incomplete(params: &ask::TaskReport, missing: &[&str]) -> Refusal {
    let mut sentence = format!("the report lacks {}", missing.join(", "));
    let is_word = !params.task.is_empty() && TaskId::parse(&params.task).is_err();
    if params.status.is_none() && is_word {
        sentence.push_str(&format!("; `{}` is taken for a task", params.task));
    }
    let refusal = Refusal::usage("missing_fields", sentence);
    match missing {
        [.., "skill_candidate"] if params.status.is_some() || !is_word => refusal.hint(
            "say `skill_candidate: {found: false}` when nothing could be reused; on the command line: --no-skill",
        ),
        ["status", ..] => refusal.hint("the status is done, failed or blocked: interagent report done ..."),
        _ => refusal,
    }
}

fn purpose(params: &ask::TaskReport) -> Result<Option<Purpose>, Refusal> {
    match (maybe("the purpose gap", params.purpose_gap.as_deref(), Words::note)?, params.purpose_met) {
        (Some(_), true) => {
            Err(Refusal::usage("met_and_missed", "the purpose is met, or there is a gap: say one")
                .hint("--purpose-met, or --purpose-gap TEXT"))
        }
        (Some(gap), false) => Ok(Some(Purpose::Gap(gap))),
        (None, true) => Ok(Some(Purpose::Met)),
        (None, false) => Ok(None),
    }
}

fn details(params: &ask::TaskReport) -> Result<Details, Refusal> {
    few("changed files", &params.changed_files, limits::ITEMS)?;
    let changed = |file: &ask::ChangedFileParam| {
        Ok::<_, Refusal>(ChangedFile { path: word("a file", &file.path)?, action: file.action })
    };
    let verification = match &params.verification {
        None => None,
        Some(tried) => Some((
            tried.build_result,
            maybe("the build command", tried.build_command.as_deref(), Words::note)?,
            maybe("the console", tried.error_console.as_deref(), Words::note)?,
        )),
    };
    let todo_scan = match &params.todo_scan {
        None => None,
        Some(scan) => Some((scan.count, notes("new todos", "a new todo", &scan.new_todos)?)),
    };
    let commit_info = match &params.commit_info {
        None => None,
        Some(commit) => Some(CommitInfo {
            branch: maybe_word("the branch", commit.branch.as_deref())?,
            commit_hash: maybe_word("the commit", commit.commit_hash.as_deref())?,
        }),
    };
    let changed_files = params.changed_files.iter().map(changed).collect::<Result<_, _>>()?;
    Ok(Details { changed_files, verification, todo_scan, commit_info })
}

/// What a judgement can't do without.
pub(crate) fn verdict<T>(given: Option<T>) -> Result<T, Refusal> {
    given.ok_or_else(|| {
        Refusal::usage("missing_fields", "the verdict is missing")
            .hint("it is approved, revision_needed or rejected")
    })
}
