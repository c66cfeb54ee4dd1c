//! The directories of agents that work elsewhere than in the project's own: they get what setup does for their client there.

use std::path::PathBuf;

use interagent_agents::Profile;
use interagent_agents::setup::{self as files, Level, Written};

use super::choose::Chosen;
use super::tell::{counted, show_change};
use super::{Place, Setup};
use crate::config::git::tree_around;
use crate::config::hub::Discovery;
use crate::connect::{Ground, exclude};
use crate::error::CliError;
use crate::session::Session;
use crate::ui::look::Role;

/// What is done besides the files of the project's own directory.
#[derive(Debug, Default)]
pub(super) struct Seats {
    /// What is written for agents with a directory of their own; only those that lack something.
    agents: Vec<(String, PathBuf, files::Plan)>,
    /// Files that agents lack there because git tracks them, each with what helps.
    left_alone: Vec<String>,
    /// New files that git is not to see; none outside of a repository.
    hidden: usize,
    /// Whether git sees something that it should not.
    is_seen: bool,
}

impl Seats {
    pub(super) fn has_work(&self) -> bool {
        !self.agents.is_empty() || self.is_seen
    }

    pub(super) fn show(&self, session: &mut Session, setup: &Setup, place: &Place) {
        for (agent, directory, plan) in &self.agents {
            let files = counted(plan.changes.len());
            let line = format!("connects {agent} in {}, too: {files}", directory.display());
            session.printer.line(&[(Role::Plain, &line)]);
            if setup.print {
                plan.changes.iter().for_each(|change| show_change(session, setup, place, change));
            }
        }
        for sentence in &self.left_alone {
            session.printer.line(&[(Role::Warning, "note: "), (Role::Plain, sentence)]);
        }
        if self.hidden > 0 {
            let files = format!("hides {} from git (.git/info/exclude)", counted(self.hidden));
            session.printer.line(&[(Role::Plain, &files)]);
        }
    }
}

/// The project whose files are written; nothing where those of the user are, or where there is no hub yet.
fn ground(session: &Session, place: &Place) -> Result<Option<Ground>, CliError> {
    match session.discover()? {
        Discovery::Found(found) if place.level == Level::Project => Ok(Ground::of(&session.env, &found)),
        _ => Ok(None),
    }
}

/// The clients of agents that work in other directories, with those directories. Only from the project's own: in another
/// worktree setup is about that one.
fn own_directories(
    session: &mut Session,
    ground: &Ground,
    place: &Place,
    chosen: &Chosen,
) -> Vec<(String, Profile, PathBuf)> {
    if place.project.canonicalize().ok().as_ref() != Some(&ground.root) {
        return Vec::new();
    }
    // Of the applied team: a file that nobody applied names no directory to write in.
    let team = session.team().ok().flatten();
    let seats = team.map(|team| ground.seats(&team)).unwrap_or_default();
    let with_profile = |(agent, profile, directory): (String, String, PathBuf)| {
        let client = chosen.clients.iter().find(|client| client.profile.name == profile)?;
        ground.covers(&directory).then(|| (agent, client.profile.clone(), directory))
    };
    seats.into_iter().filter_map(with_profile).collect()
}

/// The new files of a plan that belong to the project.
fn new_files(plan: &files::Plan) -> Vec<PathBuf> {
    let is_new = |change: &&files::FileChange| change.before.is_none() && change.level == Level::Project;
    plan.changes.iter().filter(is_new).map(|change| change.path.clone()).collect()
}

/// What there is to do besides the plan.
pub(super) fn plan(
    session: &mut Session,
    place: &Place,
    chosen: &Chosen,
    plan: &files::Plan,
) -> Result<Seats, CliError> {
    let new = new_files(plan);
    let is_in_git = place.level == Level::Project && tree_around(&place.project).is_some();
    let hidden = if is_in_git { new.len() } else { 0 };
    let Some(ground) = ground(session, place)? else { return Ok(Seats { hidden, ..Seats::default() }) };
    let own = own_directories(session, &ground, place, chosen);
    let is_seen = exclude::plan(&ground, new).is_ok_and(|lists| !lists.is_empty());
    let mut seats = Seats { hidden, is_seen, ..Seats::default() };
    for (agent, profile, directory) in own {
        let grant = ground.grant(&profile).and(plan, &profile);
        if let Some(file) = ground.tracked(&profile, &directory, &grant) {
            let helps = ground.repair_with(&profile, &directory, &grant);
            let sentence =
                format!("{agent}: git tracks `{}`, so setup leaves it alone; {helps}", file.display());
            seats.left_alone.push(sentence);
        }
        let planned = ground.plan_with(&profile, &directory, &grant);
        if !planned.changes.is_empty() {
            seats.agents.push((agent, directory, planned));
        }
    }
    Ok(seats)
}

/// Hides the files of a plan from git before they are written. Answers with what went wrong.
pub(super) fn hide(session: &Session, place: &Place, plan: &files::Plan) -> Result<Vec<String>, CliError> {
    let Some(ground) = ground(session, place)? else { return Ok(Vec::new()) };
    let outcome = exclude::refresh(&ground, new_files(plan));
    Ok(outcome.err().map(|error| format!("cannot update .git/info/exclude: {error}")).into_iter().collect())
}

/// Connects the clients in the directories of their agents. Answers with what went wrong.
pub(super) fn carry_out(
    session: &mut Session,
    place: &Place,
    chosen: &Chosen,
    written: &mut Written,
) -> Result<Vec<String>, CliError> {
    let Some(ground) = ground(session, place)? else { return Ok(Vec::new()) };
    let profiles = session.profiles()?;
    let mut problems = Vec::new();
    for (agent, profile, directory) in own_directories(session, &ground, place, chosen) {
        let installed = ground.install(&profile, &directory, &|name| profiles.get(name));
        problems.extend(installed.notes.into_iter().map(|note| format!("{agent}: {note}")));
        written.done.extend(installed.written);
    }
    Ok(problems)
}
