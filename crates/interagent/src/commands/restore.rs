//! Putting a backup back.
//!
//! Owns the command: where the hub is, whether one is in the way, and the team file that no backup holds. Copying,
//! checking and swapping is the store's own.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use interagent_core::authority::OperatorAct;
use interagent_core::shell::quoted;
use interagent_core::team::{self, Track};
use interagent_store::{Clock, Recovered, SystemClock};
use interagent_wire::Answer;
use interagent_wire::request::TeamShow;

use super::{doctor, init};
use crate::config::hub::{Discovery, HubKind};
use crate::error::{CliError, ErrorKind};
use crate::exit_code::ExitCode;
use crate::files;
use crate::session::{Create, Done, Session, TEAM_FILE, make_hub_directory, make_project, open_at};
use crate::ui::look::Role;

/// Only its owner looks into the state.
const STATE_MODE: u32 = 0o700;

/// Puts a backup in the place of the hub's store, after a loss.
///
/// The backup is checked whole before anything changes. A store that is there is left alone, unless --force says that it
/// may go; even then its files are kept beside the new one, also where they are another hub's. The agents are what they were at the backup. Where the
/// hub that was backed up still runs elsewhere, do not restore it here as well: the two would contradict each other.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  interagent restore /var/backups/team.db\n  interagent restore /var/backups/team.db --force"
)]
pub(crate) struct Restore {
    /// The file that `interagent backup` made.
    file: PathBuf,
    /// Replace the store that is there; its files are kept.
    #[arg(long)]
    force: bool,
}

impl Restore {
    pub(crate) fn run(self, session: &mut Session) -> Result<ExitCode, CliError> {
        let command = format!("interagent restore {}", quoted(&self.file.display().to_string()));
        session.authorize(OperatorAct::Restore, &command)?;
        if !self.file.is_file() {
            let sentence = format!("there is no file `{}`", self.file.display());
            return Err(CliError::new(ErrorKind::NotFound, sentence)
                .with_hint("name the file that interagent backup made"));
        }
        let hub_dir = match session.discover()? {
            Discovery::Found(found) => found.hub_dir,
            Discovery::NotThere(_) => match session.place_for_new_hub()? {
                Discovery::Found(found) => found.hub_dir,
                Discovery::NotThere(place) => {
                    if place.kind == HubKind::Named {
                        make_project(&place.would_be, init::PROJECT_MODE)?;
                    }
                    place.would_be
                }
            },
        };
        let state_dir = hub_dir.join("state");
        if state_dir.join("hub.db").exists() && !self.force {
            let sentence = format!("there is a store already: `{}`", state_dir.join("hub.db").display());
            let again = format!("interagent restore {} --force", quoted(&self.file.display().to_string()));
            return Err(CliError::new(ErrorKind::Conflict, sentence)
                .with_code("hub_exists")
                .with_hint(format!("{again} replaces it and keeps its files")));
        }
        let before = doctor::hub_in(&state_dir);
        let mut restored = self.restore(session, &hub_dir, &state_dir)?;
        if let Some(other) = before.filter(|hub| *hub != restored.hub_id) {
            restored.notes.push(format!("what was here before was another hub ({other})"));
        }
        session.use_hub(open_at(&hub_dir, Create::Never)?);
        write_files(session, &hub_dir)?;
        match session.is_for_people() {
            true => tell(session, &restored, &hub_dir),
            false => session.document(0, &restored),
        }
        session.conclude(Done::Committed)
    }

    fn restore(&self, session: &Session, hub_dir: &Path, state_dir: &Path) -> Result<Recovered, CliError> {
        let not_restored = || {
            CliError::new(ErrorKind::Unavailable, format!("`{}` was not restored", self.file.display()))
                .with_code("not_restored")
        };
        make_hub_directory(hub_dir, init::PROJECT_MODE)?;
        files::make_directory(state_dir, STATE_MODE).map_err(|error| not_restored().with_source(error))?;
        let clock: Arc<dyn Clock> = Arc::new(SystemClock::new());
        let progress = session.progress("checking");
        interagent_store::restore(state_dir, &self.file, &clock, &mut |step| {
            progress.step(step);
        })
        .map_err(|error| not_restored().with_source(error).with_hint("use another backup"))
    }
}

/// The rules are in the log, so what people edit can be written again. A file that is there may hold what was not taken
/// in yet, and is left alone.
pub(super) fn write_files(session: &mut Session, hub_dir: &Path) -> Result<(), CliError> {
    // A hub without a team has no such file.
    let team = match session.call(TeamShow {}).map(|reply| reply.answer) {
        Ok(Answer::Team(team)) => team::parse(&team.text).ok().map(|config| (team.text, config.track)),
        _ => None,
    };
    if let Some((text, _)) = &team
        && fs::symlink_metadata(hub_dir.join(TEAM_FILE)).is_err()
    {
        init::write(hub_dir, TEAM_FILE, text)?;
    }
    init::hide_from_git(hub_dir, team.map_or(Track::Branch, |(_, track)| track))
}

fn tell(session: &mut Session, restored: &Recovered, hub_dir: &Path) {
    let words = format!(" {} entries into {}", restored.entries_kept, hub_dir.display());
    session.printer.line(&[(Role::Good, "restored"), (Role::Plain, &words)]);
    if restored.moved_to.is_dir() {
        let kept = format!("the store of before is kept in {}", restored.moved_to.display());
        session.printer.line(&[(Role::Plain, &kept)]);
    }
    for note in &restored.notes {
        session.printer.line(&[(Role::Quiet, "note: "), (Role::Plain, note)]);
    }
    session.suggest(&["interagent doctor", "interagent log --limit 5"]);
}
