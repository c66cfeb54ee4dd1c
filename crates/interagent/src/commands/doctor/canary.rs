//! The canary: a message through every path that is set up here, and what arrived of it.
//!
//! What is tried is what the client's own files say, as far as they name this very program: those files may have come with a
//! project, and nothing else of them is run. Only the model is missing. An agent of its own gets the messages, in a hub set
//! aside, so the team's log and mail stay as they are.

pub(super) mod client;
mod exchange;
mod process;
mod terminal;
mod trials;

use std::path::PathBuf;
use std::time::Duration;

use interagent_agents::Profile;
use interagent_agents::setup::{Level, Pin, RealDisk, Setup, configured};
use interagent_core::authority::OperatorAct;
use interagent_core::vocabulary::SessionState;
use interagent_wire::Time;
use interagent_wire::request as ask;
use serde_json::json;

use self::client::set_aside::SetAside;
use self::trials::{Outcome, Trial, Trials};
use super::{elsewhere, machine};
use crate::config::hub::Discovery;
use crate::config::programs;
use crate::connect::Ground;
use crate::crew::Scene;
use crate::error::{CliError, ErrorKind};
use crate::exit_code::ExitCode;
use crate::session::{Done, Session, no_hub};
use crate::ui::look::Role;
use crate::ui::table::{Cell, Column, Table};
use crate::values::now_us;

/// After this nobody is interested in a message of the canary.
const MESSAGE_LIVES_US: i64 = 600 * 1_000_000;

/// Tries every path and tells.
pub(super) fn run(session: &mut Session) -> Result<ExitCode, CliError> {
    must_be_operator(session)?;
    let found = match session.discover()? {
        Discovery::Found(found) => found,
        Discovery::NotThere(place) => return Err(no_hub(&place)),
    };
    let project = machine::project_of(&session.env, &found).ok_or_else(|| {
        CliError::new(ErrorKind::Unavailable, "the working directory is gone").with_hint("cd to the project")
    })?;
    let binary = programs::own().map_err(|source| {
        CliError::new(ErrorKind::Unavailable, "cannot find out where this program lies").with_source(source)
    })?;
    let profiles = session.profiles()?;
    let home = session.env.home.clone();
    let known: Vec<Profile> = profiles.names().into_iter().filter_map(|name| profiles.get(name)).collect();
    let setups = known.iter().map(|profile| Setup {
        profile,
        level: Level::Project,
        binary: &binary,
        agent: Pin::AsItIs,
        project: &project,
        home: home.as_deref(),
    });
    // Files for all projects may be another project's.
    let set_up = machine::set_up(&profiles, &session.env, &found);
    let members = elsewhere::members(&found.hub_dir).unwrap_or_default();
    let is_of_here = |profile: &Profile| {
        set_up.iter().any(|known| known.name == profile.name)
            || members.iter().any(|member| member.profile == profile.name)
    };
    let mut configurations: Vec<_> = setups
        .map(|setup| (setup, configured(&setup, &RealDisk), setup.profile.title.clone()))
        .filter(|(setup, configuration, _)| !configuration.is_empty() && is_of_here(setup.profile))
        .collect();
    // Agents with a directory of their own are tried there, also where nothing connects them.
    let ground = Ground::of(&session.env, &found);
    let team = session.team()?;
    let seats: Vec<(String, Profile, PathBuf)> = ground
        .iter()
        .flat_map(|ground| team.iter().flat_map(|team| ground.seats(team)))
        .filter_map(|(agent, profile, directory)| Some((agent, profiles.get(&profile)?, directory)))
        .filter(|(_, profile, _)| profile.is_connectable())
        .collect();
    for (agent, profile, directory) in &seats {
        let Some(ground) = &ground else { continue };
        let configuration = ground.configuration(profile, directory);
        let setup = ground.setup(profile, directory, Pin::AsItIs);
        configurations.push((setup, configuration, format!("{} ({agent})", profile.title)));
    }
    if configurations.is_empty() {
        return Err(CliError::new(ErrorKind::Refused, "no client is set up here: there is no path to try")
            .with_code("nothing_set_up")
            .with_hint("interagent setup"));
    }
    let progress = session.progress("trying");
    // The messages stay out of the team's log: they go through a hub set aside for this command.
    let scene = Scene::load(session, None)?;
    let set_aside = SetAside::make(session, &scene)?;
    let state_dir = set_aside.state_dir();
    let hub = session.take_hub()?;
    session.use_hub(set_aside.open()?);
    let bird = Bird::hatch(session)?;
    let mut flown = Vec::new();
    let mut trouble = None;
    for (setup, configuration, title) in &configurations {
        let (plan, helps) = machine::as_set_up(setup);
        let trials = Trials {
            setup,
            title,
            configuration,
            helps,
            troubles: plan.troubles,
            state_dir: &state_dir,
            session: &bird.session,
            agent: &bird.name,
            foreign: profiles.marks().flat_map(|marks| marks.variables.iter().copied()).collect(),
        };
        match trials.fly(&mut |text| bird.send(session, text)) {
            Ok(outcomes) => flown.extend(outcomes),
            Err(error) => trouble = trouble.or(Some(error)),
        }
    }
    session.use_hub(hub);
    drop(set_aside);
    flown.push(terminal::fly());
    drop(progress);
    if let Some(error) = trouble {
        return Err(error);
    }
    let is_red = flown.iter().any(|trial| trial.outcome == Outcome::Lost);
    match session.is_for_people() {
        true => show(session, &flown),
        false => {
            let seq = session.hub()?.store().reached();
            let paths: Vec<_> = flown.iter().map(Trial::document).collect();
            session.document(seq, &json!({ "agent": bird.name, "green": !is_red, "paths": paths }));
        }
    }
    session.conclude(Done::Looked)?;
    Ok(if is_red { ExitCode::Refused } else { ExitCode::Done })
}

/// A canary starts programs for the operator.
fn must_be_operator(session: &mut Session) -> Result<(), CliError> {
    session.authorize(OperatorAct::FlyCanary, "interagent doctor --canary")
}

fn show(session: &mut Session, flown: &[Trial]) {
    let mut table = Table::new([
        Column::whole("client"),
        Column::whole("path"),
        Column::whole("arrived"),
        Column::number("ms"),
        Column::text("what"),
    ]);
    for trial in flown {
        let (role, word) = match trial.outcome {
            Outcome::Arrived => (Role::Good, "yes"),
            Outcome::Lost => (Role::Bad, "NO"),
            Outcome::NotTried => (Role::Quiet, "-"),
        };
        let took = trial.took.map(|took| milliseconds(took).to_string()).unwrap_or_default();
        table.row([
            trial.client.as_str().into(),
            trial.path.as_str().into(),
            Cell::new(role, word),
            took.as_str().into(),
            trial.what.as_str().into(),
        ]);
    }
    session.printer.table(&table);
    let mut told = Vec::new();
    for trial in flown.iter().filter(|trial| trial.outcome == Outcome::Lost) {
        if !told.contains(&&trial.helps) {
            session.printer.exact(&[(Role::Quiet, "hint: "), (Role::Plain, &trial.helps)]);
            told.push(&trial.helps);
        }
    }
}

fn milliseconds(took: Duration) -> u64 {
    u64::try_from(took.as_millis()).unwrap_or(u64::MAX)
}

/// The agent that the messages go to, for as long as they are on their way.
struct Bird {
    name: String,
    session: String,
}

impl Bird {
    fn hatch(session: &mut Session) -> Result<Self, CliError> {
        let mut drawn = [0_u8; 4];
        getrandom::fill(&mut drawn).map_err(|error| {
            CliError::new(ErrorKind::Unavailable, format!("the system has no randomness: {error}"))
        })?;
        let name = format!("canary-{:08x}", u32::from_le_bytes(drawn));
        let description = Some("tries the paths of messages; see interagent doctor --canary".to_owned());
        session.call_as_operator(ask::AgentRegister {
            name: name.clone(),
            profile: Some("generic".to_owned()),
            description,
            workspace: None,
        })?;
        let bound = format!("{name}-session");
        session.call(ask::SessionBind {
            session: bound.clone(),
            agent: Some(name.clone()),
            pid: Some(i64::from(std::process::id())),
            state: Some(SessionState::Busy),
            ..ask::SessionBind::default()
        })?;
        Ok(Self { name, session: bound })
    }

    fn send(&self, session: &mut Session, text: &str) -> Result<(), CliError> {
        let message = ask::MessageSend {
            to: vec![self.name.clone()],
            subject: Some("canary".to_owned()),
            body: Some(text.to_owned()),
            expires: Some(Time(now_us().saturating_add(MESSAGE_LIVES_US))),
            ..ask::MessageSend::default()
        };
        session.call_as_operator(message).map(drop)
    }
}
