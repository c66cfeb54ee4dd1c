//! Making a project's hub.
//!
//! Owns the order: everything is checked before anything is made, and the team holds before its file is written, so a
//! refusal leaves no file that says something else.

mod edit;
mod plan;

pub(super) use self::plan::must_be_known;

use std::path::Path;

use clap::Args;
use interagent_core::name::Name;
use interagent_core::team::{Formation, Language, Mode, TeamConfig, Track, differences, render};
use interagent_mirror::git::{
    ATTRIBUTES, ATTRIBUTES_NAME, IGNORE_NAME, hide_state, ignored_by_git, is_our_ignore_file,
};
use interagent_store::StoreError;
use interagent_wire::Answer;
use interagent_wire::request::{TeamShow, TeamTake};

use plan::Squad;

use super::sync::{join, track};
use crate::config::hub::{Discovery, HubKind};
use crate::crew::worktree::{self, Obstacle};
use crate::error::{CliError, ErrorKind};
use crate::exit_code::ExitCode;
use crate::files;
use crate::session::{
    Create, Done, Session, TEAM_FILE, clone, history, make_hub_directory, make_project, open_at, team_text,
};
use crate::team_file::must_be_applied;
use crate::ui::look::Role;

/// A project's hub may be looked at by whoever may look at the project; its state may not.
pub(super) const PROJECT_MODE: u32 = 0o755;
const PERSONAL_MODE: u32 = 0o700;
/// What the team file said before `--force` wrote another one.
const EARLIER_TEAM_FILE: &str = "team.toml.before";

/// Makes the hub of this project and its team file.
///
/// Without options: claude decides and approves, kimi implements. The team file is commented; change it and run
/// `interagent team take`.
#[derive(Debug, Default, Args)]
#[command(
    after_help = "Examples:\n  interagent init\n  interagent init --project 'My API' --principal claude --mode review\n  interagent init --formation peers --agents claude,codex,helper:kimi\n  interagent init --formation captain --vice-captains 2 --members 8\n  interagent init --formation captain --members kimi:4,claude:4 --language ja"
)]
pub(crate) struct Init {
    /// The project's name; that of its directory when left out.
    #[arg(short = 'p', long, value_name = "NAME")]
    project: Option<String>,
    /// Who decides and approves.
    #[arg(long, value_name = "NAME")]
    principal: Option<String>,
    /// duo (a principal decides), peers (equals) or captain (a chain of command).
    #[arg(long)]
    formation: Option<Formation>,
    /// The older words for it: hierarchical, peer or review.
    #[arg(long)]
    mode: Option<Mode>,
    /// The agents: NAME, or NAME:PROFILE where the name does not say which client it is.
    #[arg(long, value_delimiter = ',', value_name = "NAME")]
    agents: Vec<String>,
    /// The client of the captain, in a captain's team.
    #[arg(long, value_name = "PROFILE")]
    captain: Option<String>,
    /// Vice captains of a captain's team: N, PROFILE, or PROFILE:N for each kind of client.
    #[arg(long, value_delimiter = ',', value_name = "N")]
    vice_captains: Vec<Squad>,
    /// Members of a captain's team, shared out among the vice captains: N, PROFILE, or PROFILE:N for each kind of client.
    #[arg(long, value_delimiter = ',', value_name = "N")]
    members: Vec<Squad>,
    /// Members of a captain's team work in the project's own tree; otherwise each has a git worktree beside it.
    #[arg(long)]
    no_worktrees: bool,
    /// The language agents are instructed in and report in: en, ja, or Japanese followed by another one (ja+en).
    #[arg(long, value_name = "LANGUAGE", value_parser = plan::language)]
    language: Option<Language>,
    /// Apply the other options to an existing hub, keep everything else, and list every change.
    #[arg(long)]
    force: bool,
}

impl Init {
    pub(crate) fn run(self, session: &mut Session) -> Result<ExitCode, CliError> {
        self.must_name_known_clients(session)?;
        match session.place_for_new_hub()? {
            Discovery::Found(found) if clone::is_unjoined(&found) => Err(clone::not_joined(&found.hub_dir)),
            Discovery::Found(found) if !self.force && has_team(&found.hub_dir)? => {
                let sentence = format!("there is a hub already: `{}`", found.hub_dir.display());
                Err(CliError::new(ErrorKind::Refused, sentence)
                    .with_code("hub_exists")
                    .with_hint(match self.says_something_of_the_team() {
                        true => "add --force to change what these options name; everything else is kept",
                        false => "interagent init --force --project NAME changes its name and keeps the rest",
                    })
                    .with_hint("interagent team take applies what you changed in team.toml"))
            }
            Discovery::Found(found) if self.force => self.renew(session, &found.hub_dir),
            // What is left of an `init` that was killed or refused.
            Discovery::Found(found) => self.found(session, &found.hub_dir, found.kind),
            Discovery::NotThere(place) => self.found(session, &place.would_be, place.kind),
        }
    }

    /// The options that name nothing but the agents and how they work together.
    pub(super) fn of_agents(agents: Vec<String>, formation: Formation) -> Self {
        Self { formation: Some(formation), agents, ..Self::default() }
    }

    /// The options of a team that another system had.
    pub(super) fn of_another_system(
        project: Option<String>,
        principal: Option<String>,
        mode: Option<Mode>,
        agents: Vec<String>,
    ) -> Self {
        Self { project, principal, mode, agents, ..Self::default() }
    }

    fn found(self, session: &mut Session, hub_dir: &Path, kind: HubKind) -> Result<ExitCode, CliError> {
        let known = join::known(hub_dir, kind)?;
        if let Some(known) = &known
            && self.says_something_of_the_team()
        {
            let sentence = format!("this repository has a team already: {}", known.place);
            return Err(CliError::new(ErrorKind::Refused, sentence)
                .with_code("team_exists")
                .with_hint("interagent sync joins it")
                .with_hint("change its team file afterwards, then run interagent team take"));
        }
        let team = make(session, hub_dir, kind, &self)?;
        self.conclude(
            session,
            hub_dir,
            &team,
            if known.is_some() { "joined the hub" } else { "made the hub" },
        )
    }

    fn renew(self, session: &mut Session, hub_dir: &Path) -> Result<ExitCode, CliError> {
        session.use_hub(open_at(hub_dir, Create::IfMissing)?);
        let earlier = team_text(hub_dir)?;
        let known = match &earlier {
            Some(text) => Some(text.clone()),
            // A join that was cut off has the team in its log and no file yet.
            None => match session.call(TeamShow {}).map(|reply| reply.answer) {
                Ok(Answer::Team(team)) => Some(team.text),
                _ => None,
            },
        };
        let written = known.as_deref().map(parsed).transpose()?;
        if let Some(written) = &written {
            must_be_applied(written, session.team()?.as_ref())?;
        }
        let text = match (known, &written) {
            (Some(text), Some(_)) if !self.says_something_of_the_team() => text,
            (Some(text), Some(now)) => {
                let mut next = self.changed(hub_dir, now)?;
                plan::seat_installed(&mut next, Some(now), &*session.profiles()?);
                edit::edited(&text, now, &next)?
            }
            _ => render(&self.team(hub_dir)?),
        };
        let team = parsed(&text)?;
        let changes = written.map(|written| differences(&written, &team)).unwrap_or_default();
        session.call(TeamTake { text: text.clone() })?;
        if earlier.as_ref() != Some(&text) {
            if let Some(earlier) = &earlier {
                let name = free_name(hub_dir, EARLIER_TEAM_FILE);
                write(hub_dir, &name, earlier)?;
                let kept = format!("the team file of before is kept as `{name}`");
                session.printer.note(Role::Quiet, &kept);
            }
            write(hub_dir, TEAM_FILE, &text)?;
        }
        track::follow(session, hub_dir)?;
        let says_something = self.says_something_of_the_team();
        let done = self.conclude(session, hub_dir, &team, "kept the hub")?;
        if session.is_for_people() {
            for change in &changes {
                session.printer.note(Role::Plain, change);
            }
            if changes.is_empty() && says_something {
                session.printer.note(Role::Plain, "no changes: the team already has these settings");
            }
        }
        Ok(done)
    }

    fn conclude(
        self,
        session: &mut Session,
        hub_dir: &Path,
        team: &TeamConfig,
        did: &str,
    ) -> Result<ExitCode, CliError> {
        if session.is_for_people() {
            let names: Vec<&str> = team.agents.keys().map(Name::as_str).collect();
            let shown = hub_dir.display().to_string();
            session.printer.line(&[(Role::Good, did), (Role::Plain, " "), (Role::Plain, &shown)]);
            session
                .printer
                .line(&[(Role::Plain, &format!("{}: ", team.formation)), (Role::Name, &names.join(", "))]);
            session.suggest(match team.formation {
                Formation::Captain => &["interagent setup", "interagent up"],
                Formation::Duo | Formation::Peers => {
                    &["interagent quick 'What is to be done'", "interagent status"]
                }
            });
            if let Some(Obstacle { sentence, hint }) = obstacle_to_worktrees(hub_dir, team) {
                let warning = format!("warning: `interagent up` can't create worktrees yet: {sentence}");
                session.printer.note(Role::Warning, &warning);
                session.printer.note(Role::Quiet, &format!("hint: {hint}"));
            }
            session.conclude(Done::Committed)
        } else {
            session.ask(interagent_wire::request::TeamShow {})
        }
    }

    fn says_something_of_the_team(&self) -> bool {
        self.project.is_some()
            || self.principal.is_some()
            || self.formation.is_some()
            || self.mode.is_some()
            || !self.agents.is_empty()
            || self.is_for_captain()
            || self.language.is_some()
    }
}

/// Makes a hub with the team that the options describe, or joins the one whose history the repository has.
pub(super) fn make(
    session: &mut Session,
    hub_dir: &Path,
    kind: HubKind,
    options: &Init,
) -> Result<TeamConfig, CliError> {
    // Two teams in the clones of one repository would never come together.
    if let Some(known) = join::known(hub_dir, kind)? {
        return join::join(session, hub_dir, &known.hub, None).map(|(team, _)| team);
    }
    let mut team = options.team(hub_dir)?;
    plan::seat_installed(&mut team, None, &*session.profiles()?);
    let text = render(&team);
    let mode = if kind == HubKind::Personal { PERSONAL_MODE } else { PROJECT_MODE };
    if kind == HubKind::Named {
        make_project(hub_dir, mode)?;
    }
    make_hub_directory(hub_dir, mode)?;
    session.use_hub(open_at(hub_dir, Create::IfMissing)?);
    // Nobody is registered in a new hub, so whoever makes it does so as its operator.
    session.call_as_operator(TeamTake { text: text.clone() })?;
    write(hub_dir, TEAM_FILE, &text)?;
    hide_from_git(hub_dir, team.track)?;
    Ok(team)
}

/// What prevents `up` from creating the team's worktrees.
fn obstacle_to_worktrees(hub_dir: &Path, team: &TeamConfig) -> Option<Obstacle> {
    let has_worktrees = team.agents.values().any(|seat| seat.worktree.is_some());
    hub_dir.parent().filter(|_| has_worktrees).and_then(worktree::obstacle)
}

/// The team that a file describes.
fn parsed(text: &str) -> Result<TeamConfig, CliError> {
    interagent_core::team::parse(text).map_err(|problems| {
        let count = problems.len();
        let found = if count == 1 { "problem" } else { "problems" };
        let sentence = format!("`{TEAM_FILE}` has {count} {found} and was not applied");
        CliError::new(ErrorKind::Usage, sentence).with_hint("interagent team check")
    })
}

/// A name in the hub that nothing has: `NAME`, or else `NAME-2` and so on. What was kept before is kept too.
fn free_name(hub_dir: &Path, name: &str) -> String {
    let is_free = |name: &String| hub_dir.join(name).symlink_metadata().is_err();
    let numbered = (2_u32..).map(|number| format!("{name}-{number}"));
    std::iter::once(name.to_owned()).chain(numbered).find(is_free).unwrap_or_else(|| name.to_owned())
}

/// Whether a hub has a team, by its file or by its log.
fn has_team(hub_dir: &Path) -> Result<bool, CliError> {
    if hub_dir.join(TEAM_FILE).exists() {
        return Ok(true);
    }
    match open_at(hub_dir, Create::Never) {
        Ok(mut hub) => Ok(hub.store().read(|reader| Ok::<_, StoreError>(reader.team()?.is_some()))?),
        Err(StoreError::Absent { .. }) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// The text of the team file that `make` would write.
pub(super) fn team_of(hub_dir: &Path, options: &Init) -> Result<String, CliError> {
    options.team(hub_dir).map(|team| render(&team))
}

/// Says what git sees of a hub, unless a person said so before: nothing where the history goes to a branch of its own, else
/// the team file and the history. What is committed is changed by nobody but who commits.
pub(super) fn hide_from_git(hub_dir: &Path, track: Track) -> Result<(), CliError> {
    // Without a state there is nothing to hide yet.
    let _ = hide_state(&hub_dir.join("state"));
    let ignored = ignored_by_git(track);
    let there = std::fs::read_to_string(hub_dir.join(IGNORE_NAME));
    let is_to_write = there.as_deref().map_or(true, |there| there != ignored && is_our_ignore_file(there));
    if is_to_write && !history::is_committed(hub_dir, IGNORE_NAME) {
        write(hub_dir, IGNORE_NAME, ignored)?;
    }
    match track == Track::Worktree && !hub_dir.join(ATTRIBUTES_NAME).exists() {
        true => write(hub_dir, ATTRIBUTES_NAME, ATTRIBUTES),
        false => Ok(()),
    }
}

pub(super) fn write(hub_dir: &Path, name: &str, text: &str) -> Result<(), CliError> {
    files::write(hub_dir, name, text).map_err(|source| {
        CliError::new(ErrorKind::Unavailable, format!("cannot write `{}`", hub_dir.join(name).display()))
            .with_source(source)
    })
}
