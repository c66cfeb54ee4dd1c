//! The canary of a client: one prompt through the real program, against a model on loopback, and what reached that model.
//!
//! The client runs with the user's own configuration; only the model is another, which its profile says how to choose. Its hooks and
//! tools work on a hub set aside for them, so nothing of the team changes. Owns the order of the steps; what follows from the
//! requests is in `judge`.

mod judge;
pub(super) mod set_aside;

use std::path::{Path, PathBuf};
use std::time::Duration;

use interagent_agents::setup::{Level, Pin, RealDisk, Setup, What, configured, untrusted};
use interagent_agents::{Canary, Event, Fill, Headless, Means, Profile, Profiles, Reading, Say, fill_words};
use interagent_core::nearest::nearest;
use interagent_mock_model::{MockModel, Turn};
use interagent_operations::CrewRow;
use serde_json::json;

use self::judge::{Expected, Seen, judge};
use self::set_aside::SetAside;
use super::super::report::{Report, State};
use crate::commands::run::client::{Client, How, Start};
use crate::config::programs::{self, Version};
use crate::config::trees::real_path;
use crate::crew::Scene;
use crate::error::{CliError, ErrorKind};
use crate::exit_code::ExitCode;
use crate::session::{Done, Session};

/// A client needs seconds; a slow machine, an update or a login takes longer.
const LIMIT: Duration = Duration::from_secs(120);
/// The tool that the model calls: it reads, and its answer says whose session called.
const TOOL: &str = "briefing";
/// Most of what the client printed that is kept for an error.
const WORDS_BYTES: usize = 4 * 1024;

/// Runs the client once and reports.
pub(in crate::commands::doctor) fn run(
    session: &mut Session,
    client: &str,
    agent: Option<&str>,
) -> Result<ExitCode, CliError> {
    super::must_be_operator(session)?;
    let scene = Scene::load(session, None)?;
    let plan = Plan::make(session, &scene, client, agent)?;
    let mut report = Report::default();
    if !plan.version(&mut report) {
        return conclude(session, &plan, &report);
    }
    let model = MockModel::start().map_err(|source| {
        CliError::new(ErrorKind::Unavailable, "cannot listen on loopback for the model of the canary")
            .with_source(source)
    })?;
    let nonce = nonce()?;
    let call = Turn::Call { tool: plan.tool(TOOL), arguments: json!({ "action": "me" }) };
    model.play(vec![call, Turn::Say("The canary is done.".to_owned())]);
    let progress = session.progress(&format!("running {}", plan.profile.title));
    let set_aside = SetAside::make(session, &scene)?;
    let (how, words) = plan.carry_out(&scene, session.named_hub().is_some(), model.url(), &nonce)?;
    drop(set_aside);
    drop(progress);
    if how == How::Cancelled {
        return Err(
            CliError::new(ErrorKind::Refused, "stopped before the client answered").with_code("cancelled")
        );
    }
    // Another program of this machine may have found the port.
    let mut conversations = model.conversations();
    conversations.retain(|conversation| conversation.tells(&nonce));
    judge(&plan.expected(), &Seen { how, words, conversations }, &mut report);
    conclude(session, &plan, &report)
}

fn conclude(session: &mut Session, plan: &Plan, report: &Report) -> Result<ExitCode, CliError> {
    let is_green = report.worst() == State::Ok;
    match session.is_for_people() {
        true => report.print(&mut session.printer),
        false => {
            let seq = session.hub()?.store().reached();
            let document = json!({
                "client": plan.profile.name, "agent": plan.agent, "directory": plan.directory, "green": is_green,
                "checks": report.document()["checks"],
            });
            session.document(seq, &document);
        }
    }
    session.conclude(Done::Looked)?;
    Ok(if is_green { ExitCode::Done } else { ExitCode::Refused })
}

/// A word that no other request has.
fn nonce() -> Result<String, CliError> {
    let mut drawn = [0_u8; 8];
    getrandom::fill(&mut drawn).map_err(|error| {
        CliError::new(ErrorKind::Unavailable, format!("the system has no randomness: {error}"))
    })?;
    Ok(format!("canary-{:016x}", u64::from_le_bytes(drawn)))
}

/// A run that can begin.
struct Plan {
    profile: Profile,
    headless: Headless,
    canary: Canary,
    program: PathBuf,
    /// The agent that the session has to be.
    agent: String,
    /// Whether the session is told which agent it is, as `interagent up` does.
    is_named: bool,
    directory: PathBuf,
    /// Arguments that a client gets in a directory of its own.
    seat_arguments: Vec<String>,
    /// Ways to the client that are not set up there.
    lacks: Vec<What>,
    /// Hooks that the client skips until its person trusts them.
    untrusted: Vec<String>,
    /// The command that sets the client up there.
    connect: String,
    /// Variables that would tell the client that it is another.
    foreign: Vec<String>,
}

impl Plan {
    fn make(session: &Session, scene: &Scene, client: &str, agent: Option<&str>) -> Result<Self, CliError> {
        let profiles = &*scene.profiles;
        let profile = profile_of(profiles, client)?;
        let title = &profile.title;
        let refused = |sentence: String| CliError::new(ErrorKind::Refused, sentence);
        let (Some(headless), Some(canary)) = (profile.headless.clone(), profile.canary.clone()) else {
            let sentence =
                format!("{title} can't be checked: its profile does not say how to use another model");
            return Err(refused(sentence).with_code("no_canary").with_hint(
                "interagent doctor --canary tries the commands that setup wrote, without the client",
            ));
        };
        let program = programs::find(profiles, &profile).ok_or_else(|| not_installed(&profile))?;
        let row = seat(scene, &profile, agent)?;
        let (directory, is_own) = directory(scene, row)?;
        let binary = programs::own().map_err(|source| {
            CliError::new(ErrorKind::Unavailable, "cannot find the path of this program").with_source(source)
        })?;
        let setup = Setup {
            profile: &profile,
            level: Level::Project,
            binary: &binary,
            agent: Pin::AsItIs,
            project: &directory,
            home: session.env.home.as_deref(),
        };
        let found = match &scene.ground {
            Some(ground) => ground.configuration(&profile, &directory),
            None => configured(&setup, &RealDisk),
        };
        let connect = scene.ground.as_ref().map_or_else(
            || format!("interagent setup {}", profile.name),
            |ground| ground.repair(&profile, &directory),
        );
        if found.is_empty() {
            let sentence = format!("{title} is not set up in `{}`", directory.display());
            return Err(refused(sentence).with_code("nothing_set_up").with_hint(connect));
        }
        let has_no_server = profile.mcp.is_some() && found.server.is_none();
        let has_no_hooks = profile.hooks.is_some() && found.hooks.is_empty();
        let lacks = [(has_no_server, What::Mcp), (has_no_hooks, What::Hooks)];
        let marks = profiles.marks();
        let foreign =
            marks.flat_map(|marks| marks.variables.iter().chain(marks.session).copied().chain(marks.pid));
        Ok(Self {
            headless,
            canary,
            program,
            agent: row.agent.name.to_string(),
            is_named: agent.is_some() || is_own,
            seat_arguments: match &scene.ground {
                Some(ground) => ground.arguments(&profile, &directory),
                None => Vec::new(),
            },
            lacks: lacks.into_iter().filter_map(|(lacks, what)| lacks.then_some(what)).collect(),
            untrusted: untrusted(&setup, &RealDisk),
            connect,
            foreign: foreign.map(str::to_owned).collect(),
            directory,
            profile,
        })
    }

    /// Reports the client and its version; whether it starts at all.
    fn version(&self, report: &mut Report) -> bool {
        let (title, program) = (&self.profile.title, self.program.display());
        let version = match programs::version(&self.program) {
            Version::Said(version) => version,
            Version::Silent => "says no version".to_owned(),
            Version::Slow => "takes longer than 3 s to say its version".to_owned(),
            Version::Broken(why) => {
                let helps = format!("{program} --version shows the rest; install it again");
                let sentence = format!("{title} does not start: {why}");
                report.finding(State::Bad, "client", sentence, Some(&helps));
                return false;
            }
        };
        let directory = self.directory.display();
        report
            .ok("client", format!("{title}: {version}, `{program}`, run as {} in `{directory}`", self.agent));
        true
    }

    /// What the model calls a tool of ours.
    fn tool(&self, name: &str) -> String {
        let template = self.profile.mcp.as_ref().and_then(|mcp| mcp.tool.as_deref()).unwrap_or("{tool}");
        template.replace("{tool}", name)
    }

    /// Runs the client to its end; answers with how it ended and its last words.
    fn carry_out(
        &self,
        scene: &Scene,
        is_hub_named: bool,
        url: &str,
        nonce: &str,
    ) -> Result<(How, String), CliError> {
        let prompt =
            format!("interagent {nonce}: call the tool {TOOL} once, then stop. A test model answers this.");
        let mut words = fill_words(&self.headless.arguments, &[("{prompt}", Fill::Text(&prompt))]);
        words.extend(self.seat_arguments.iter().cloned());
        words.extend(self.canary.words(url));
        let own = ["INTERAGENT_AGENT", "INTERAGENT_SESSION"];
        let foreign = self.foreign.iter().chain(&self.canary.unset).map(String::as_str);
        let mut variables = self.canary.variables(url);
        if self.is_named {
            variables.push(("INTERAGENT_AGENT".to_owned(), self.agent.clone()));
        }
        if self.is_named || is_hub_named {
            variables.push(("INTERAGENT_HUB".to_owned(), scene.hub_dir.display().to_string()));
        }
        let start = Start {
            title: &self.profile.title,
            program: &self.program,
            words: &words,
            directory: &self.directory,
            without: own.into_iter().chain(foreign).collect(),
            variables,
        };
        let mut client = Client::spawn(&start)?;
        let mut reading = Reading::new(&self.headless, WORDS_BYTES);
        let ended = client.attend(LIMIT, |line| {
            reading.take(line);
        });
        drop(client);
        let words = reading.failure().map_or(ended.complaint, str::to_owned);
        Ok((ended.how, words))
    }

    fn expected(&self) -> Expected<'_> {
        let hooks = self.profile.hooks.as_ref();
        let briefs = hooks.is_some_and(|hooks| {
            let says = |event: &&Event| event.say != Say::Nothing;
            hooks.events.iter().filter(says).any(|event| matches!(event.means, Means::Start | Means::Prompt))
        });
        Expected {
            title: &self.profile.title,
            executable: self.profile.executable.as_deref().unwrap_or(&self.profile.name),
            agent: &self.agent,
            tools: match &self.profile.mcp {
                Some(_) => interagent_mcp::tool_names().into_iter().map(|name| self.tool(name)).collect(),
                None => Vec::new(),
            },
            briefs,
            lacks: &self.lacks,
            untrusted: &self.untrusted,
            connect: &self.connect,
            confirm_server: self.profile.mcp.as_ref().and_then(|mcp| mcp.confirm.as_deref()),
            confirm_hooks: hooks.and_then(|hooks| hooks.confirm.as_deref()),
            limit: LIMIT,
        }
    }
}

/// The profile of a client by its name.
fn profile_of(profiles: &Profiles, name: &str) -> Result<Profile, CliError> {
    if let Some(problem) = profiles.problems().iter().find(|problem| problem.is_about(name)) {
        return Err(CliError::new(ErrorKind::Refused, problem.to_string())
            .with_code("bad_profile")
            .with_hint(format!("repair {}", problem.file())));
    }
    profiles.get(name).ok_or_else(|| {
        let error = CliError::new(ErrorKind::NotFound, format!("unknown client `{name}`"))
            .with_code("no_such_profile");
        match nearest(name, profiles.names()) {
            Some(near) => error.with_hint(format!("did you mean {near}?")),
            None => error.with_hint(format!("clients: {}", profiles.names().join(", "))),
        }
    })
}

fn not_installed(profile: &Profile) -> CliError {
    let sentence = match &profile.executable {
        Some(program) => format!("{} is not installed: there is no `{program}` on PATH", profile.title),
        None => format!("{} can't be checked: its profile names no program", profile.title),
    };
    CliError::new(ErrorKind::NotFound, sentence)
        .with_code("not_installed")
        .with_hint("install it, or add it to PATH")
}

/// The client of an agent: its seat decides, then its registration.
fn client_of(row: &CrewRow) -> &str {
    row.seat.as_ref().map_or(row.agent.profile.as_str(), |seat| seat.profile.as_str())
}

/// The agent to check: the named one, or the one that a new session of the client becomes.
fn seat<'a>(scene: &'a Scene, profile: &Profile, named: Option<&str>) -> Result<&'a CrewRow, CliError> {
    let kin = scene.profiles.kin(&profile.name);
    let is_kin = |row: &CrewRow| kin.contains(&client_of(row));
    if let Some(name) = named {
        let row = scene.row(name)?;
        if client_of(row) == profile.name || is_kin(row) {
            return Ok(row);
        }
        let sentence =
            format!("{} does not run {}: its profile is {}", row.agent.name, profile.title, client_of(row));
        return Err(CliError::new(ErrorKind::Refused, sentence).with_code("other_client").with_hint(
            format!("interagent doctor --canary --client {} --agent {}", client_of(row), row.agent.name),
        ));
    }
    let rows = &scene.crew.rows;
    let mut fits: Vec<&CrewRow> = rows.iter().filter(|row| client_of(row) == profile.name).collect();
    if fits.is_empty() {
        fits = rows.iter().filter(|row| is_kin(row)).collect();
    }
    let same_name = fits.iter().find(|row| row.agent.name.as_str() == profile.name);
    match (fits.as_slice(), same_name) {
        ([], _) => {
            let sentence = format!("no agent in this hub runs {}", profile.title);
            let hint = format!("interagent setup {}", profile.name);
            Err(CliError::new(ErrorKind::NotFound, sentence).with_code("no_agent").with_hint(hint))
        }
        ([one], _) | (_, Some(one)) => Ok(one),
        (several, None) => {
            let names: Vec<&str> = several.iter().map(|row| row.agent.name.as_str()).collect();
            let sentence = format!("several agents run {}: {}", profile.title, names.join(", "));
            Err(CliError::new(ErrorKind::Refused, sentence)
                .with_code("several_agents")
                .with_hint(format!("add --agent {}", names.first().copied().unwrap_or_default())))
        }
    }
}

/// Where an agent works, and whether that is a directory of its own.
fn directory(scene: &Scene, row: &CrewRow) -> Result<(PathBuf, bool), CliError> {
    let seat = row.seat.as_ref();
    let named = seat.and_then(|seat| seat.worktree.as_ref().or(seat.workspace.as_ref()));
    let root = real_path(&scene.root);
    let Some(named) = named.or(row.agent.workspace.as_ref()) else { return Ok((root, false)) };
    let path = real_path(&root.join(named));
    match path.is_dir() {
        true => Ok((path.clone(), path != root)),
        false => Err(no_directory(row, &path)),
    }
}

fn no_directory(row: &CrewRow, path: &Path) -> CliError {
    let sentence = format!("the directory of {} does not exist: `{}`", row.agent.name, path.display());
    let hint = match row.seat {
        Some(_) => format!("interagent up {}", row.agent.name),
        None => format!("mkdir {}", path.display()),
    };
    CliError::new(ErrorKind::NotFound, sentence).with_code("no_workspace").with_hint(hint)
}
