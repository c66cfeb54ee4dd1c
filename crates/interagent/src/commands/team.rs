//! The team file: what holds, taking a new one in, and checking one.

use std::path::{Path, PathBuf};

use clap::Subcommand;
use interagent_agents::Profiles;
use interagent_core::shell::quoted;
use interagent_core::team::{self, Problem, TeamConfig};
use interagent_operations::must_fit_team;
use interagent_wire::request::{TeamShow, TeamTake};
use serde_json::json;

use super::sync::track;
use crate::config::hub::{Discovery, HubKind};
use crate::crew::launch;
use crate::error::{CliError, ErrorKind};
use crate::exit_code::ExitCode;
use crate::input;
use crate::instructions;
use crate::session::{Done, Session, TEAM_FILE, no_hub, team_text};
use crate::ui::look::Role;

/// The team: who is in it and by which rules it works.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
#[command(after_help = "Examples:\n  interagent team show\n  interagent team check\n  interagent team take")]
pub(crate) enum Team {
    /// Shows the team: formation, rules and seats as they were last taken in.
    #[command(after_help = "Example:\n  interagent team show")]
    Show {},
    /// Takes a team file in: its rules hold from then on, and every agent it lists is registered.
    #[command(after_help = "Example:\n  interagent team take")]
    Take {
        /// The file; the hub's own team.toml when left out, `-` for standard input.
        file: Option<PathBuf>,
    },
    /// Says what is wrong with a team file, and where. Changes nothing.
    #[command(after_help = "Example:\n  interagent team check .interagent/team.toml")]
    Check {
        /// The file; the hub's own team.toml when left out, `-` for standard input.
        file: Option<PathBuf>,
    },
}

impl Team {
    pub(crate) fn run(self, session: &mut Session) -> Result<ExitCode, CliError> {
        match self {
            Self::Show {} => session.ask(TeamShow {}),
            Self::Take { file } => {
                let (shown, text) = read(session, file)?;
                require_sound(&shown, &text)?;
                let taken = team::parse(&text).ok();
                let done = session.ask(TeamTake { text })?;
                if let Some(taken) = taken {
                    follow_applied(session, &taken)?;
                }
                Ok(done)
            }
            Self::Check { file } => {
                let own = file.is_none();
                let (shown, text) = read(session, file)?;
                let parsed = team::parse(&text).ok();
                // Of the hub's own file it is known, too, whether those are there whom it names.
                let mut notes = match own && parsed.is_some() {
                    true => session.call(TeamShow {}).map(|reply| reply.notes).unwrap_or_default(),
                    false => Vec::new(),
                };
                if let Some(team) = &parsed {
                    // A clone that nobody joined has applied none.
                    let applied = if own { session.team().ok().flatten() } else { None };
                    notes.extend(team.reserved_seats(applied.as_ref()).iter().map(ToString::to_string));
                    notes.extend(foreign_directory(session, team, applied.as_ref()));
                    notes.extend(team.without_effect());
                    notes.extend(not_started(&*session.profiles()?, team));
                }
                check(session, &shown, &text, &notes)
            }
        }
    }
}

/// Lets git and the instructions of agents follow a team that was just applied.
pub(super) fn follow_applied(session: &mut Session, team: &TeamConfig) -> Result<(), CliError> {
    for note in team.without_effect() {
        session.printer.note(Role::Warning, &format!("note: {note}"));
    }
    if let Discovery::Found(found) = session.discover()? {
        track::follow(session, &found.hub_dir)?;
        instructions::renew(&found.hub_dir, &*session.profiles()?, team)?;
    }
    Ok(())
}

/// The directory of a seat that `team take` would refuse.
fn foreign_directory(session: &Session, team: &TeamConfig, applied: Option<&TeamConfig>) -> Option<String> {
    let Ok(Discovery::Found(found)) = session.discover() else { return None };
    let refusal = must_fit_team(team, applied, found.project_root.as_deref()).err()?;
    Some(refusal.sentence)
}

/// Whom `up` would not start as the file says, each in one sentence.
fn not_started(profiles: &Profiles, team: &TeamConfig) -> Vec<String> {
    let mut told = Vec::new();
    for (name, seat) in &team.agents {
        if let Err(error) = launch::profile_of(profiles, name.as_str(), seat.profile.as_str()) {
            told.push(format!("{}; {}", error.sentence(), error.hints().join("; ")));
        }
        if let Some(model) = &seat.model
            && let Err(error) = launch::must_be_no_option(name, model)
        {
            told.push(error.sentence());
        }
    }
    told
}

/// The text of a team file, and how its place is written.
fn read(session: &Session, file: Option<PathBuf>) -> Result<(String, String), CliError> {
    if let Some(path) = file {
        return Ok((path.display().to_string(), input::from_file(&path)?));
    }
    let (hub_dir, kind) = match session.discover()? {
        Discovery::Found(found) => (found.hub_dir, found.kind),
        Discovery::NotThere(not_there) => return Err(no_hub(&not_there)),
    };
    let path = hub_dir.join(TEAM_FILE);
    match team_text(&hub_dir)? {
        Some(text) => Ok((shortened(&path, session.env.cwd.as_deref()), text)),
        None if kind == HubKind::Personal => {
            Err(CliError::new(ErrorKind::NotFound, "your personal hub has no team file")
                .with_hint("interagent init makes a team in the directory of a project"))
        }
        None => Err(CliError::new(ErrorKind::NotFound, format!("there is no `{}`", path.display()))
            .with_hint(format!(
                "interagent team show > {} writes what holds",
                quoted(&path.display().to_string())
            ))
            .with_hint("interagent init --force makes a new team")),
    }
}

/// The path as an editor opens it from here.
fn shortened(path: &Path, cwd: Option<&Path>) -> String {
    cwd.and_then(|cwd| path.strip_prefix(cwd).ok()).unwrap_or(path).display().to_string()
}

/// Every problem of the file at once, each with the place an editor can jump to.
fn require_sound(shown: &str, text: &str) -> Result<(), CliError> {
    let Err(problems) = team::parse(text) else { return Ok(()) };
    let sentence = format!("`{shown}` can't be taken in as it is");
    let error = CliError::new(ErrorKind::Usage, sentence).with_code("bad_team_file");
    Err(problems.iter().fold(error, |error, Problem { line, column, key, sentence, .. }| {
        let key = if key.is_empty() { String::new() } else { format!("{key}: ") };
        error.with_hint(format!("{shown}:{line}:{column}: {key}{sentence}"))
    }))
}

fn check(session: &mut Session, shown: &str, text: &str, notes: &[String]) -> Result<ExitCode, CliError> {
    let problems = team::parse(text).err().unwrap_or_default();
    if session.is_for_people() {
        match problems.as_slice() {
            [] => session.printer.line(&[(Role::Good, "ok"), (Role::Plain, ": "), (Role::Plain, shown)]),
            problems => problems.iter().for_each(|problem| tell(session, shown, problem)),
        }
        for note in notes {
            session.printer.line(&[(Role::Warning, "warning: "), (Role::Plain, note)]);
        }
    } else {
        let listed: Vec<_> = problems
            .iter()
            .map(|Problem { line, column, key, sentence, hint }| {
                json!({ "line": line, "column": column, "key": key, "sentence": sentence, "hint": hint })
            })
            .collect();
        session.document(0, &json!({ "file": shown, "problems": listed, "warnings": notes }));
    }
    session.conclude(Done::Looked)?;
    Ok(if problems.is_empty() { ExitCode::Done } else { ExitCode::Usage })
}

fn tell(session: &mut Session, shown: &str, problem: &Problem) {
    let place = format!("{shown}:{}:{}: ", problem.line, problem.column);
    let key = if problem.key.is_empty() { String::new() } else { format!("{}: ", problem.key) };
    session.printer.line(&[(Role::Quiet, &place), (Role::Name, &key), (Role::Plain, &problem.sentence)]);
    if let Some(hint) = &problem.hint {
        session.printer.line(&[(Role::Quiet, "  hint: "), (Role::Plain, hint)]);
    }
}
