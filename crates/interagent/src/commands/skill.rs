//! Skills that members proposed: looking at them, and the operator's word.
//!
//! Owns writing and removing `SKILL.md` files: in the folders that the profiles of the team's clients name, and never where a
//! file says something else.

use std::io::ErrorKind as Io;
use std::path::{Component, Path, PathBuf};

use clap::Subcommand;
use interagent_wire::Answer;
use interagent_wire::answer::SkillDetail;
use interagent_wire::request as ask;

use crate::config::hub::Discovery;
use crate::connect::shared;
use crate::error::{CliError, ErrorKind};
use crate::exit_code::ExitCode;
use crate::files;
use crate::session::{Done, Session, no_hub};
use crate::ui::look::Role;

const FILE: &str = shared::SKILL_FILE;
const DIRECTORY_MODE: u32 = 0o755;

/// Skills that members proposed in their reports.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
#[command(
    after_help = "Examples:\n  interagent skill list --candidates\n  interagent skill show token-tests\n  interagent skill promote token-tests"
)]
pub(crate) enum Skill {
    /// Lists skills, the most often proposed first.
    #[command(after_help = "Example:\n  interagent skill list --candidates")]
    List {
        /// Only those that nothing was decided of.
        #[arg(long)]
        candidates: bool,
    },
    /// Shows one skill: who proposed it, why, and what its file says.
    #[command(after_help = "Example:\n  interagent skill show token-tests")]
    Show {
        /// Its name.
        name: String,
    },
    /// Makes a candidate a skill of the project's clients: writes its SKILL.md.
    #[command(
        after_help = "Examples:\n  interagent skill promote token-tests\n  interagent skill promote 'Token tests' --as token-tests --dry-run"
    )]
    Promote {
        /// Its name.
        name: String,
        /// The name of its folder, where that is another.
        #[arg(long = "as", value_name = "WORD")]
        folder: Option<String>,
        /// Only show what would be written, and where.
        #[arg(long)]
        dry_run: bool,
    },
    /// Says that a candidate is not wanted. One that was promoted loses its files, as far as nobody changed them.
    #[command(after_help = "Example:\n  interagent skill reject token-tests --reason 'too small'")]
    Reject {
        /// Its name.
        name: String,
        /// Why.
        #[arg(long, value_name = "TEXT")]
        reason: String,
    },
}

impl Skill {
    pub(crate) fn run(self, session: &mut Session) -> Result<ExitCode, CliError> {
        match self {
            Self::List { candidates: false } => session.ask(ask::SkillList::default()),
            Self::List { candidates } => session.ask_for_part(ask::SkillList { candidates }),
            Self::Show { name } => session.ask(ask::SkillShow { name, folder: None }),
            Self::Reject { name, reason } => reject(session, name, reason),
            Self::Promote { name, folder, dry_run } => promote(session, name, folder, dry_run),
        }
    }
}

fn promote(
    session: &mut Session,
    name: String,
    folder: Option<String>,
    dry_run: bool,
) -> Result<ExitCode, CliError> {
    let found = session.call(ask::SkillShow { name: name.clone(), folder: folder.clone() })?;
    let Answer::Skill(SkillDetail { skill, file, .. }) = &found.answer else { return Err(odd()) };
    let Some(text) = file else {
        let sentence = format!("`{}` can't be the name of a folder", skill.key);
        return Err(CliError::new(ErrorKind::Usage, sentence)
            .with_code("bad_skill_name")
            .with_hint(format!("choose one: interagent skill promote '{name}' --as WORD")));
    };
    let root = project(session)?;
    let folder_name = folder.clone().or(skill.name.clone()).unwrap_or_else(|| skill.key.clone());
    let places: Vec<String> =
        folders(session)?.into_iter().map(|place| format!("{place}/{folder_name}/{FILE}")).collect();
    for place in &places {
        must_be_free(&root.join(place), text)?;
    }
    if dry_run {
        return preview(session, &places, text);
    }
    let former: Vec<&String> = skill.places.iter().filter(|place| !places.contains(place)).collect();
    let former_text = match former.is_empty() {
        true => None,
        false => file_of(session, &name)?,
    };
    let promote = ask::SkillPromote { name, folder, places: places.clone(), key: None };
    let mut reply = session.call(promote)?;
    // The record says it first: a file that could not be written is written by the same command again.
    for place in &places {
        write(&root, place, text)?;
    }
    shared::let_clients_read(session, &root, &places, text)?;
    reply.notes.extend(shared::connect_seats(session)?);
    // Under another name it was there before: clients would read both.
    for directory in shared::seat_directories(session)? {
        clear(&directory, former.iter().copied(), former_text.as_deref());
    }
    reply.notes.extend(clear(&root, former, former_text.as_deref()));
    session.show("skill.promote", &reply)?;
    session.conclude(Done::Committed)
}

fn reject(session: &mut Session, name: String, reason: String) -> Result<ExitCode, CliError> {
    let found = session.call(ask::SkillShow { name: name.clone(), folder: None })?;
    let Answer::Skill(SkillDetail { skill, file, .. }) = found.answer else { return Err(odd()) };
    let root = match skill.places.is_empty() {
        true => None,
        false => Some(project(session)?),
    };
    let mut reply = session.call(ask::SkillReject { name, reason, key: None })?;
    // The record says it first: it decides whose word this is, and a file that stays is named.
    if let Some(root) = root {
        reply.notes.extend(clear(&root, &skill.places, file.as_deref()));
        for directory in shared::seat_directories(session)? {
            clear(&directory, &skill.places, file.as_deref());
        }
        shared::forget(session, &root, &skill.places)?;
    }
    session.show("skill.reject", &reply)?;
    session.conclude(Done::Committed)
}

/// What a skill's file says as it was promoted.
fn file_of(session: &mut Session, name: &str) -> Result<Option<String>, CliError> {
    match session.call(ask::SkillShow { name: name.to_owned(), folder: None })?.answer {
        Answer::Skill(detail) => Ok(detail.file),
        _ => Err(odd()),
    }
}

/// Removes files that we wrote, and says what became of each.
pub(super) fn clear<'p>(
    root: &Path,
    places: impl IntoIterator<Item = &'p String>,
    text: Option<&str>,
) -> Vec<String> {
    let told = |place: &String| match remove(root, place, text) {
        Ended::Removed => Some(format!("removed {place}")),
        Ended::WasGone => None,
        Ended::Stays => Some(format!("{place} stays: it says something else than we wrote")),
    };
    places.into_iter().filter_map(told).collect()
}

/// What became of a skill's file.
enum Ended {
    Removed,
    WasGone,
    Stays,
}

/// Removes a file that we wrote and that still says so, with its folder where nothing else is in it. The place comes from the
/// log, which others write too: nothing outside of the project is touched, and no link followed.
fn remove(root: &Path, place: &str, text: Option<&str>) -> Ended {
    let mut path = root.to_owned();
    let mut steps = Path::new(place).components().peekable();
    while let Some(step) = steps.next() {
        path.push(step);
        let Ok(found) = std::fs::symlink_metadata(&path) else { return Ended::WasGone };
        let fits = if steps.peek().is_some() { found.is_dir() } else { found.is_file() };
        if !matches!(step, Component::Normal(_)) || !fits {
            return Ended::Stays;
        }
    }
    let is_ours = path.ends_with(FILE)
        && text.is_some_and(|text| std::fs::read_to_string(&path).is_ok_and(|there| there == text));
    if !is_ours || std::fs::remove_file(&path).is_err() {
        return Ended::Stays;
    }
    // Somebody may have put more into the folder: then it stays with that.
    let _ = path.parent().map(std::fs::remove_dir);
    Ended::Removed
}

fn odd() -> CliError {
    CliError::new(ErrorKind::Unavailable, "the hub did not answer with a skill")
}

fn preview(session: &mut Session, places: &[String], text: &str) -> Result<ExitCode, CliError> {
    if session.is_for_people() {
        for place in places {
            session.printer.line(&[(Role::Quiet, "would write "), (Role::Plain, place)]);
        }
        session.printer.text(text, 2);
    } else {
        session.document(0, &serde_json::json!({ "places": places, "file": text, "written": false }));
    }
    session.conclude(Done::Looked)
}

/// The project that the hub is of, where it is of one.
pub(super) fn project_root(session: &Session) -> Option<PathBuf> {
    project(session).ok()
}

/// The project that the hub is of: a personal hub has none, and its skills would be nobody's.
fn project(session: &Session) -> Result<PathBuf, CliError> {
    match session.discover()? {
        Discovery::Found(found) => found.project_root.ok_or_else(|| {
            CliError::new(
                ErrorKind::Refused,
                "this hub belongs to no project, so no client would read the skill",
            )
            .with_code("no_project")
            .with_hint("interagent skill show NAME prints the file, to put where you want it")
        }),
        Discovery::NotThere(place) => Err(no_hub(&place)),
    }
}

/// The folders of skills that the clients of this team read, each once.
pub(super) fn folders(session: &mut Session) -> Result<Vec<String>, CliError> {
    let profiles = session.profiles()?;
    let agents = match session.call(ask::AgentList::default())?.answer {
        Answer::Agents(page) => page.items,
        _ => Vec::new(),
    };
    let mut found: Vec<String> = Vec::new();
    for agent in agents {
        let place = profiles.get(&agent.profile).and_then(|profile| profile.skills?.project);
        if let Some(place) = place.filter(|place| !found.contains(place)) {
            found.push(place);
        }
    }
    found.sort();
    if found.is_empty() {
        return Err(CliError::new(ErrorKind::Refused, "no client of this team reads skills")
            .with_code("no_place")
            .with_hint("interagent skill show NAME prints the file, to put where you want it"));
    }
    Ok(found)
}

/// A file that says something else is somebody's: it stays.
fn must_be_free(path: &Path, text: &str) -> Result<(), CliError> {
    match std::fs::read_to_string(path) {
        Err(error) if error.kind() == Io::NotFound => Ok(()),
        Ok(there) if there == text => Ok(()),
        _ => {
            let sentence = format!("`{}` is there and says something else", path.display());
            Err(CliError::new(ErrorKind::Conflict, sentence)
                .with_code("in_the_way")
                .with_hint("move it away, or choose another folder with --as WORD"))
        }
    }
}

/// Writes a file below the project; a link on the way there is refused.
pub(super) fn write(root: &Path, place: &str, text: &str) -> Result<(), CliError> {
    let failed = |source: std::io::Error| {
        CliError::new(ErrorKind::Unavailable, format!("`{place}` was not written"))
            .with_source(source)
            .with_hint("the skill is recorded; the same command writes its file again")
    };
    let mut directory = root.to_owned();
    let steps = Path::new(place).parent().into_iter().flat_map(Path::components);
    for step in steps {
        directory.push(step);
        files::make_directory(&directory, DIRECTORY_MODE).map_err(failed)?;
        let is_plain = std::fs::symlink_metadata(&directory).is_ok_and(|found| found.is_dir());
        if !is_plain {
            let why = format!("`{}` is not a directory", directory.display());
            return Err(failed(std::io::Error::other(why)));
        }
    }
    files::write(&directory, FILE, text).map_err(failed)
}
