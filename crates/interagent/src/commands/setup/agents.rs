//! The hub that the clients meet in, and the agents that they are.

use std::path::{Path, PathBuf};

use interagent_agents::setup::Level;
use interagent_agents::{Profile, Profiles};
use interagent_core::name::Name;
use interagent_core::team::Formation;
use interagent_wire::Answer;
use interagent_wire::answer::AgentView;
use interagent_wire::request::{AgentList, AgentRegister};

use super::Setup;
use super::choose::Chosen;
use crate::commands::init::{self, Init};
use crate::config::hub::{Discovery, Found, HUB_NAME, HubKind, NotThere};
use crate::error::{CliError, ErrorKind};
use crate::session::Session;

/// An agent of a name that is taken gets a number; more than this many are not tried.
const NUMBERS: u32 = 9;

/// The hub of this run.
#[derive(Debug)]
pub(super) enum Hub {
    There(Found),
    ToBeMade(NotThere),
}

impl Hub {
    /// The hub that commands here use. For one project that is the one that `init` would make, where there is none yet;
    /// for all projects the personal one.
    pub(super) fn find(session: &Session, level: Option<Level>) -> Result<Self, CliError> {
        match session.discover()? {
            Discovery::Found(found) if found.kind != HubKind::Personal || level == Some(Level::User) => {
                Ok(Self::There(found))
            }
            Discovery::NotThere(place) if level == Some(Level::User) => Ok(Self::ToBeMade(place)),
            _ => match session.place_for_new_hub()? {
                Discovery::Found(found) => Ok(Self::There(found)),
                Discovery::NotThere(place) => Ok(Self::ToBeMade(place)),
            },
        }
    }

    pub(super) fn directory(&self) -> &Path {
        match self {
            Self::There(found) => &found.hub_dir,
            Self::ToBeMade(place) => &place.would_be,
        }
    }

    pub(super) fn is_missing(&self) -> bool {
        matches!(self, Self::ToBeMade(_))
    }

    pub(super) fn is_personal(&self) -> bool {
        let (Self::There(Found { kind, .. }) | Self::ToBeMade(NotThere { kind, .. })) = self;
        *kind == HubKind::Personal
    }

    /// The directory whose files the clients here read as the project's.
    pub(super) fn project_directory(&self, session: &Session) -> Result<PathBuf, CliError> {
        let cwd = session.env.cwd.clone().ok_or_else(|| {
            CliError::new(ErrorKind::Unavailable, "the working directory is gone")
                .with_hint("cd to a project")
        })?;
        let holder = |hub: &Path| hub.parent().filter(|_| hub.ends_with(HUB_NAME)).map(Path::to_owned);
        Ok(match self {
            Self::There(found) => {
                found.worktree_root.clone().or_else(|| found.project_root.clone()).unwrap_or(cwd)
            }
            // A linked worktree has its own files, and the hub of the main one.
            Self::ToBeMade(place) => {
                holder(&place.would_be).filter(|root| cwd.starts_with(root)).unwrap_or(cwd)
            }
        })
    }
}

/// An agent that is to be registered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Recruit {
    pub(super) name: String,
    pub(super) profile: String,
}

/// The agents that are missing: one for each client that has none, or the one that is named.
pub(super) fn plan(
    setup: &Setup,
    known: &[AgentView],
    chosen: &Chosen,
    profiles: &Profiles,
) -> Result<Vec<Recruit>, CliError> {
    if let (Some(written), Some(client)) = (&setup.agent, chosen.clients.first()) {
        return named(written, &client.profile, known).map(|recruit| recruit.into_iter().collect());
    }
    let mut recruits: Vec<Recruit> = Vec::new();
    for client in &chosen.clients {
        let profile = &client.profile.name;
        // The seat of a client with the same executable that is not set up itself is this client's.
        let kin = profiles.kin(profile);
        let is_kin = |agent: &AgentView| {
            let is_set_up = chosen.clients.iter().any(|client| client.profile.name == agent.profile);
            kin.contains(&agent.profile.as_str()) && !is_set_up
        };
        let is_there = known.iter().any(|agent| agent.profile == *profile || is_kin(agent));
        let is_free = |name: &String| {
            known.iter().all(|agent| agent.name != *name)
                && recruits.iter().all(|recruit| recruit.name != *name)
        };
        // People call the client by what they type.
        let is_alone = !chosen.clients.iter().any(|other| kin.contains(&other.profile.name.as_str()));
        let called = client.profile.executable.as_ref().filter(|_| is_alone).unwrap_or(profile);
        let numbered = (2..=NUMBERS).map(|number| format!("{called}-{number}"));
        let name = std::iter::once(called.clone()).chain(numbered).find(is_free);
        if let (false, Some(name)) = (is_there, name) {
            recruits.push(Recruit { name, profile: profile.clone() });
        }
    }
    Ok(recruits)
}

fn named(written: &str, profile: &Profile, known: &[AgentView]) -> Result<Option<Recruit>, CliError> {
    let name = Name::parse(written).map_err(|problem| {
        let error = CliError::new(ErrorKind::Usage, problem.to_string());
        problem.hint().into_iter().fold(error, CliError::with_hint)
    })?;
    match known.iter().find(|agent| agent.name == name.as_str()) {
        Some(agent) if agent.profile == profile.name => Ok(None),
        Some(agent) => {
            let sentence = format!("{name} is registered as {}, not as {}", agent.profile, profile.name);
            Err(CliError::new(ErrorKind::Conflict, sentence).with_hint(format!(
                "choose another name, or interagent setup {} --agent {name}",
                agent.profile
            )))
        }
        None => Ok(Some(Recruit { name: name.to_string(), profile: profile.name.clone() })),
    }
}

/// The agents of the hub that live here.
pub(super) fn known(session: &mut Session, hub: &Hub) -> Result<Vec<AgentView>, CliError> {
    if hub.is_missing() {
        return Ok(Vec::new());
    }
    match session.call(AgentList { retired: false })?.answer {
        Answer::Agents(page) => Ok(page.items.into_iter().filter(|agent| agent.local).collect()),
        _ => Ok(Vec::new()),
    }
}

/// The formation of a new hub: equals, unless a role is asked for that only a team with a principal has.
pub(super) fn formation(setup: &Setup) -> Formation {
    let is_of_peers = |role: &str| Formation::Peers.roles().iter().any(|known| known.as_str() == role);
    match &setup.role {
        Some(role) if !is_of_peers(role) => Formation::Duo,
        _ => Formation::Peers,
    }
}

/// Makes the hub where there is none, and registers who is missing. A refusal is a problem of that agent only.
pub(super) fn carry_out(
    setup: &Setup,
    session: &mut Session,
    hub: &Hub,
    recruits: &[Recruit],
    problems: &mut Vec<String>,
) -> Result<Vec<Recruit>, CliError> {
    // The personal hub has no team file and is made by the first command that needs it.
    let has_team = hub.is_missing() && !hub.is_personal();
    let mut seated = Vec::new();
    if let (Hub::ToBeMade(place), true) = (hub, has_team) {
        let team = recruits.iter().map(|recruit| format!("{}:{}", recruit.name, recruit.profile));
        let options = Init::of_agents(team.collect(), formation(setup));
        let team = init::make(session, &place.would_be, place.kind, &options)?;
        seated.extend(team.agents.keys().map(ToString::to_string));
    }
    let mut registered = Vec::new();
    for recruit in recruits {
        // Who is in the team of a new hub was registered with it; a team that was joined may have others.
        let is_there = seated.contains(&recruit.name);
        let Recruit { name, profile } = recruit.clone();
        // What it works on and where is said by itself or by the team file.
        let request = AgentRegister { name, profile: Some(profile), description: None, workspace: None };
        let outcome = if is_there { Ok(()) } else { session.call(request).map(|_| ()) };
        match outcome {
            Ok(()) => registered.push(recruit.clone()),
            Err(error) => {
                let told = error.lines().join("; ").replacen("error: ", "", 1);
                problems.push(format!("{} was not registered: {told}", recruit.name));
            }
        }
    }
    Ok(registered)
}
