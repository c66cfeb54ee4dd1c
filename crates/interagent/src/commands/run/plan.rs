//! What a run needs before it begins: the agent, its client's profile and program, and the directory where it works.

use std::path::PathBuf;

use interagent_agents::{Fill, Headless, Profile, Profiles, fill_words};
use interagent_core::session_id;
use interagent_operations::CrewRow;
use interagent_wire::Answer;
use interagent_wire::answer::AgentView;
use interagent_wire::request as ask;

use crate::config::env::Env;
use crate::config::programs;
use crate::crew::directory::WorkDirectory;
use crate::crew::{self, Scene};
use crate::error::{CliError, ErrorKind};
use crate::instructions::{Beginning, hand_to_run};
use crate::session::Session;
use crate::tools;
use crate::ui::look::Role;

/// A run that can begin.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) agent: AgentView,
    /// What people call the client.
    pub(super) title: String,
    pub(super) headless: Headless,
    pub(super) program: PathBuf,
    /// Where it works, as under `interagent up`.
    pub(super) directory: PathBuf,
    pub(super) hub_dir: PathBuf,
    /// The conversation it goes on with.
    resumes: Option<String>,
    /// Variables of clients, which would tell it that it is another.
    pub(super) foreign: Vec<&'static str>,
    seat: SeatPlan,
}

/// What has to be done for the agent's client before it starts.
#[derive(Debug)]
struct SeatPlan {
    scene: Scene,
    row: CrewRow,
    profile: Profile,
    directory: WorkDirectory,
}

/// A client that is ready to start in its directory.
#[derive(Debug)]
pub(super) struct Ready {
    /// The arguments that hand it our server and its role's instructions.
    arguments: Vec<String>,
    /// What the client calls our tools, where it starts our server without asking.
    pub(super) tools: Option<String>,
}

impl Plan {
    pub(super) fn make(session: &mut Session, agent: &str, resume: bool) -> Result<Self, CliError> {
        let shown = session.call(ask::AgentShow { agent: Some(agent.to_owned()) })?;
        let Answer::Agent(agent) = shown.answer else { return Err(super::strange()) };
        let profiles = session.profiles()?;
        must_be_whole(&profiles, &agent)?;
        let profile = profiles.get(&agent.profile).ok_or_else(|| no_profile(&agent, &profiles))?;
        let headless = profile.headless.clone().ok_or_else(|| no_way(&agent))?;
        let program = programs::find(&profiles, &profile).ok_or_else(|| not_installed(&profile))?;
        let resumes = if resume { Some(last_conversation(session, &agent, &headless)?) } else { None };
        let scene = Scene::load(session, None)?;
        let row = scene.row(&agent.id)?.clone();
        let directory = WorkDirectory::of(&scene, &row)?;
        let marks = profiles.marks();
        let foreign = marks
            .flat_map(|marks| marks.variables.iter().chain(marks.session).copied().chain(marks.pid))
            .collect();
        let (title, hub_dir, path) = (profile.title.clone(), scene.hub_dir.clone(), directory.path.clone());
        let seat = SeatPlan { scene, row, profile, directory };
        Ok(Self { agent, title, headless, program, directory: path, hub_dir, resumes, foreign, seat })
    }

    /// Creates what the client needs: its worktree, its connection there, and its agent's instructions.
    pub(super) fn prepare(&self, session: &mut Session) -> Result<Ready, CliError> {
        let SeatPlan { scene, row, profile, directory } = &self.seat;
        // Two commands at once would create one worktree twice.
        let alone = directory.missing.is_some().then(|| crew::lock(session)).transpose()?;
        for note in directory.prepare(scene, &scene.profiles, profile, row)? {
            session.printer.note(Role::Warning, &note);
        }
        drop(alone);
        let beginning = if self.resumes.is_some() { Beginning::Resumed } else { Beginning::New };
        let mut arguments = match &scene.crew.team {
            Some(team) => hand_to_run(&scene.hub_dir, profile, &row.agent.name, team, beginning)?,
            None => Vec::new(),
        };
        let names = profile.mcp.as_ref().and_then(|mcp| mcp.tool.clone());
        let in_run = profile.in_headless_run();
        let has_server = match &scene.ground {
            Some(ground) => {
                arguments.extend(ground.arguments(profile, &directory.path));
                ground.configuration(&in_run, &directory.path).server.is_some()
            }
            None => {
                let place = Env { cwd: Some(directory.path.clone()), ..session.env.clone() };
                tools::is_configured(&place, &in_run, None)
            }
        };
        Ok(Ready { arguments, tools: names.filter(|_| has_server) })
    }

    /// The arguments of the client.
    pub(super) fn words(&self, ready: &Ready, prompt: &str, auto_approve: bool) -> Vec<String> {
        let session = self.resumes.as_deref().unwrap_or_default();
        let places = [("{prompt}", Fill::Text(prompt)), ("{session}", Fill::Text(session))];
        let template = if self.resumes.is_some() { &self.headless.resume } else { &self.headless.arguments };
        let mut words = fill_words(template, &places);
        words.extend(ready.arguments.iter().cloned());
        if auto_approve {
            words.extend(self.headless.auto_approve.iter().cloned());
        }
        words
    }
}

/// A profile of one's own that can't be read is not replaced by another of its name.
fn must_be_whole(profiles: &Profiles, agent: &AgentView) -> Result<(), CliError> {
    match profiles.problems().iter().find(|problem| problem.is_about(&agent.profile)) {
        None => Ok(()),
        Some(problem) => Err(CliError::new(ErrorKind::Refused, problem.to_string())
            .with_code("bad_profile")
            .with_hint(format!("repair {}, which says how {} is run", problem.file(), agent.name))),
    }
}

fn no_profile(agent: &AgentView, profiles: &Profiles) -> CliError {
    if agent.profile == "human" {
        return no_way(agent);
    }
    let sentence = format!(
        "{} is a {profile}, and there is no profile `{profile}`",
        agent.name,
        profile = agent.profile
    );
    let error = CliError::new(ErrorKind::NotFound, sentence).with_code("no_such_profile");
    match profiles.problems() {
        [] => error.with_hint(format!(
            "put one into ~/.config/interagent/profiles/{}.toml; those of a project need interagent trust",
            agent.profile
        )),
        problems => {
            problems.iter().fold(error, |error, problem| error.with_hint(format!("repair it: {problem}")))
        }
    }
}

fn no_way(agent: &AgentView) -> CliError {
    let refused = |sentence: String| CliError::new(ErrorKind::Refused, sentence).with_code("no_headless_run");
    match agent.profile.as_str() {
        "human" => refused(format!("{} is a person: a person is not run", agent.name))
            .with_hint(format!("write to them: interagent send --to {} -m TEXT", agent.name)),
        profile => {
            refused(format!("{} is a {profile}, which has no way to run without a person", agent.name))
                .with_hint(
                    "a profile with a [headless] part says how: put one into ~/.config/interagent/profiles",
                )
        }
    }
}

fn not_installed(profile: &Profile) -> CliError {
    let sentence = match &profile.executable {
        Some(program) => format!("{} is not installed: there is no `{program}` on PATH", profile.title),
        None => format!("{} can't be started: its profile names no program", profile.title),
    };
    CliError::new(ErrorKind::NotFound, sentence).with_code("not_installed").with_hint(
        "install it, or name its program in a profile of your own in ~/.config/interagent/profiles",
    )
}

/// Which conversation the run before had, and that the client can go on with it.
fn last_conversation(
    session: &mut Session,
    agent: &AgentView,
    headless: &Headless,
) -> Result<String, CliError> {
    if headless.resume.is_empty() {
        return Err(CliError::new(
            ErrorKind::Refused,
            format!(
                "a run of {} can't go on with an earlier one: its profile does not say how",
                agent.profile
            ),
        )
        .with_hint("leave --resume out"));
    }
    super::ending::conversation(session, &agent.id)?.ok_or_else(|| {
        CliError::new(ErrorKind::NotFound, format!("no earlier run of {} is known here", agent.name))
            .with_hint("leave --resume out")
    })
}

/// An id that no client gives.
pub(super) fn new_session_id() -> Result<String, CliError> {
    let mut drawn = [0_u8; 8];
    getrandom::fill(&mut drawn).map_err(|error| {
        CliError::new(ErrorKind::Unavailable, format!("the system has no randomness: {error}"))
    })?;
    Ok(session_id::of_run(u64::from_le_bytes(drawn)))
}
