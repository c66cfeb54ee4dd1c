//! Connecting the clients of this machine with the team.
//!
//! Owns the order: find the clients, plan, show, ask, then the hub, the agents, and the files. What a client's files must say
//! and how they are changed is the crate `agents`; nothing of a client is known here.

mod agents;
mod choose;
mod git_hooks;
mod role;
mod seats;
mod tell;
mod undo;

use std::path::PathBuf;

use clap::Args;
use interagent_agents::setup::{self as files, Level, Pin, RealDisk, Records};
use interagent_core::authority::OperatorAct;
use interagent_core::team::Formation;

use self::agents::Hub;
use self::choose::Chosen;
pub(super) use self::tell::unified;
use super::consent;
use super::guard::hooks;
use crate::config::hub::HUB_NAME;
use crate::config::programs;
use crate::connect::{EVERYWHERE, PROJECT_RECORDS, USER_RECORDS};
use crate::error::{CliError, ErrorKind};
use crate::exit_code::ExitCode;
use crate::session::{Done, Session};
use crate::ui::look::Role;

/// Connects the coding clients of this machine with the team.
///
/// Finds the clients on PATH, makes the project's hub where there is none, and writes what each client needs: the MCP server,
/// hooks, the skill `interagent`, and a short block in its instructions. You see every change first. What others wrote in
/// these files stays as it is; --undo takes everything back.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  interagent setup\n  interagent setup claude codex --print\n  interagent setup kimi --agent tester --role reviewer\n  interagent setup --user\n  interagent setup --undo"
)]
pub(crate) struct Setup {
    /// The clients (claude, codex, gemini, kimi, ...) [default: those on PATH; with a principal or captain, those of the team]
    #[arg(value_name = "PROFILE")]
    profiles: Vec<String>,
    /// Write the files that hold for all your projects.
    #[arg(long, conflicts_with = "project")]
    user: bool,
    /// Write the files of this project; the usual in a project.
    #[arg(long)]
    project: bool,
    /// The agent that every session of the client is; INTERAGENT_AGENT makes one session another. Left out, what an earlier
    /// setup said is taken back.
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,
    /// The role of that agent; it is written into the team file and taken in.
    #[arg(long, value_name = "ROLE", requires = "agent")]
    role: Option<String>,
    /// Take back what setup wrote; what others changed since stays.
    #[arg(long, conflicts_with_all = ["agent", "role"])]
    undo: bool,
    /// Only print what would be written.
    #[arg(long)]
    print: bool,
    /// Ask nothing.
    #[arg(short = 'y', long)]
    yes: bool,
}

/// Where this run works.
#[derive(Debug)]
struct Place {
    level: Level,
    /// The directory whose files are the project's.
    project: PathBuf,
    /// The hub; where there is none, the one to be made.
    hub: Hub,
}

impl Place {
    /// For whom the files are written.
    fn name(&self) -> String {
        match self.level {
            Level::Project => {
                self.project.canonicalize().as_ref().unwrap_or(&self.project).display().to_string()
            }
            Level::User => EVERYWHERE.to_owned(),
        }
    }

    fn files(&self, session: &Session) -> Result<files::Files, CliError> {
        let config = session.env.config_home.as_ref().ok_or_else(|| {
            CliError::new(ErrorKind::Unavailable, "there is no home directory to keep what setup did")
                .with_hint("set HOME, or XDG_CONFIG_HOME")
        })?;
        let hub = self.hub.directory();
        let root = hub.parent().filter(|_| hub.ends_with(HUB_NAME)).unwrap_or(&self.project);
        Ok(files::Files {
            project: Records::of_project(hub.join(PROJECT_RECORDS), &self.project, root),
            user: Records::at(config.join(USER_RECORDS)),
            place: self.name(),
        })
    }
}

impl Setup {
    pub(crate) fn run(self, session: &mut Session) -> Result<ExitCode, CliError> {
        if !self.print {
            session.authorize(OperatorAct::SetUpClients, "interagent setup")?;
        }
        let place = self.place(session)?;
        let binary = programs::own().map_err(|source| {
            CliError::new(ErrorKind::Unavailable, "cannot find out where this program lies")
                .with_source(source)
        })?;
        if self.undo {
            return undo::run(&self, session, &place, &binary);
        }
        let mut chosen = Chosen::find(&self, session)?;
        let known = agents::known(session, &place.hub)?;
        if self.profiles.is_empty() && place.level == Level::Project && !place.hub.is_missing() {
            let team = session.team()?.filter(|team| team.formation != Formation::Peers);
            if let Some(team) = team.filter(|team| !team.agents.is_empty()) {
                let others = chosen.only_of_team(&team, &known, &*session.profiles()?)?;
                if session.is_for_people() && !others.is_empty() {
                    let left_out = format!("not on the team: {}", others.join(", "));
                    session.printer.line(&[(Role::Quiet, &left_out)]);
                }
            }
        }
        let recruits = agents::plan(&self, &known, &chosen, &*session.profiles()?)?;
        let places = role::places(&self, session, &place.hub, &chosen, &recruits)?;
        let setups: Vec<files::Setup<'_>> = chosen
            .clients
            .iter()
            .map(|client| files::Setup {
                profile: &client.profile,
                level: place.level,
                binary: &binary,
                agent: self.agent.as_deref().map_or(Pin::Nobody, Pin::Agent),
                project: &place.project,
                home: session.env.home.as_deref(),
            })
            .collect();
        let plan = files::plan(&setups, &RealDisk);
        let seats = seats::plan(session, &place, &chosen, &plan)?;
        let unguarded = git_hooks::missing(session, &place, &binary)?;
        let has_work = !plan.changes.is_empty()
            || seats.has_work()
            || unguarded.is_some()
            || place.hub.is_missing()
            || !recruits.is_empty()
            || places.change.is_some();
        if session.is_for_people() {
            tell::clients(session, &chosen);
            tell::plan(session, &self, &plan, &place, &recruits, places.change.as_ref());
            seats.show(session, &self, &place);
            unguarded.iter().for_each(|directory| git_hooks::show(session, directory));
            tell::pins(session, &chosen, &plan, &known);
            tell::troubles(session, &chosen, &plan);
            tell::without_role(session, &places.without);
        }
        if self.print || !has_work {
            let outcome = tell::Outcome { written: None, recruits: &recruits, is_done: !has_work };
            tell::conclude(session, &self, &chosen, &plan, &place, &outcome);
            return self.end(session, &chosen, &plan, Done::Looked);
        }
        self.consent(session)?;
        let mut late = Vec::new();
        let registered = agents::carry_out(&self, session, &place.hub, &recruits, &mut late)?;
        if let Some(change) = places.change {
            role::carry_out(session, &place.hub, &change)?;
        }
        let profiles = session.profiles()?;
        let mut hidden = seats::hide(session, &place, &plan)?;
        let mut written = files::write(&plan, &place.files(session)?, &binary, &|name| profiles.get(name));
        hidden.extend(seats::carry_out(session, &place, &chosen, &mut written)?);
        late.append(&mut hidden);
        if let Some(error) = unguarded.and_then(|directory| hooks::put(&directory, &binary).err()) {
            late.push(format!("the guard's hooks of git: {}", error.lines().join(" ")));
        }
        if session.is_for_people() {
            late.iter().for_each(|problem| tell::not_done(session, problem));
            tell::not_written(session, &written);
        }
        late.extend(written.failed.iter().map(ToString::to_string));
        chosen.problems.append(&mut late);
        let outcome = tell::Outcome { written: Some(&written), recruits: &registered, is_done: true };
        tell::conclude(session, &self, &chosen, &plan, &place, &outcome);
        self.end(session, &chosen, &plan, Done::Committed)
    }

    /// Success, unless something that was asked for could not be done.
    fn end(
        &self,
        session: &mut Session,
        chosen: &Chosen,
        plan: &files::Plan,
        done: Done,
    ) -> Result<ExitCode, CliError> {
        session.conclude(done)?;
        match chosen.problems.is_empty() && plan.troubles.is_empty() {
            true => Ok(ExitCode::Done),
            false => Ok(ExitCode::Refused),
        }
    }

    fn consent(&self, session: &mut Session) -> Result<(), CliError> {
        if self.yes {
            return Ok(());
        }
        if !consent::can_ask(session) {
            return Err(CliError::new(
                ErrorKind::Refused,
                "nothing was written: there is nobody to ask here",
            )
            .with_code("not_confirmed")
            .with_hint("--yes writes without asking, --print only shows what would be written"));
        }
        match consent::ask(session, "Write this?")? {
            true => Ok(()),
            false => {
                session.printer.note(Role::Quiet, "nothing was written");
                Err(CliError::new(ErrorKind::Refused, "you said no").with_code("not_confirmed"))
            }
        }
    }

    fn place(&self, session: &Session) -> Result<Place, CliError> {
        let asked = match (self.user, self.project) {
            (true, _) => Some(Level::User),
            (_, true) => Some(Level::Project),
            _ => None,
        };
        let hub = Hub::find(session, asked)?;
        let level = asked.unwrap_or(if hub.is_personal() { Level::User } else { Level::Project });
        if level == Level::Project && hub.is_personal() {
            return Err(CliError::new(ErrorKind::Usage, "your home directory is no project")
                .with_hint("go to a project, or use interagent setup --user"));
        }
        Ok(Place { level, project: hub.project_directory(session)?, hub })
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    /// Agents type what these texts show.
    #[test]
    fn every_command_that_agents_are_told_is_understood() {
        let skill = interagent_agents::setup::SKILL_FOR_SHELL.lines().map(ToOwned::to_owned);
        let spans =
            interagent_agents::setup::BLOCK_FOR_SHELL.split('`').skip(1).step_by(2).map(ToOwned::to_owned);
        let mut understood = 0;
        for line in skill.chain(spans).filter(|line| line.starts_with("interagent ")) {
            let command = line.split("  #").next().unwrap_or(&line).trim().to_owned();
            if command.ends_with("--help") {
                continue;
            }
            // Quoted words stand between every other pair of quotes.
            let words: Vec<OsString> = command
                .split('\'')
                .enumerate()
                .flat_map(|(part, text)| match part % 2 {
                    1 => vec![text],
                    _ => text.split_whitespace().collect(),
                })
                .map(OsString::from)
                .collect();
            assert!(crate::cli::parse(&words).is_ok(), "{command}");
            understood += 1;
        }
        assert!(understood > 15, "{understood}");
    }

    /// A model calls what these texts show, and nothing else.
    #[test]
    fn every_tool_that_agents_are_told_exists() {
        use interagent_agents::setup::{BLOCK_FOR_TOOLS, SKILL_FOR_TOOLS};
        let tools = interagent_mcp::tool_names();
        let calls: Vec<&str> =
            SKILL_FOR_TOOLS.lines().filter_map(|line| line.split_once('(').map(|(name, _)| name)).collect();
        let calls: Vec<&str> = calls.into_iter().filter(|name| !name.contains(' ')).collect();
        assert!(calls.len() > 12 && calls.iter().all(|name| tools.contains(name)), "{calls:?}");
        for text in [BLOCK_FOR_TOOLS, SKILL_FOR_TOOLS] {
            assert!(!text.contains("interagent inbox") && !text.contains("interagent send"), "{text}");
        }
    }
}
