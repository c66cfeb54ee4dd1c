//! The agents of the team, and who the caller is.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use interagent_core::decide::agent::ANY_PROFILE;
use interagent_wire::answer::{AgentView, HubPlace, PlaceView};
use interagent_wire::request as ask;
use interagent_wire::{Answer, Request};
use serde_json::json;

use crate::config::hub::{Discovery, Found, HubKind};
use crate::error::{CliError, ErrorKind};
use crate::exit_code::ExitCode;
use crate::instructions::text;
use crate::session::{Done, Session, TEAM_FILE};
use crate::ui::look::Role;

/// The agents: register, list, show, instructions, rename, retire, token.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
#[command(
    after_help = "Examples:\n  interagent agent list\n  interagent agent register kimi --profile kimi\n  interagent agent show kimi"
)]
pub(crate) enum Agent {
    /// Registers an agent, or brings what is known of it up to date.
    #[command(
        after_help = "Example:\n  interagent agent register kimi --profile kimi --description 'the parser'"
    )]
    Register {
        /// Its name.
        name: String,
        /// Which kind of CLI it is (claude, kimi, codex, gemini, ...).
        #[arg(long)]
        profile: Option<String>,
        /// What it works on.
        #[arg(long)]
        description: Option<String>,
        /// The directory it works in; signal files tell it there of new mail.
        #[arg(long, value_name = "DIR")]
        workspace: Option<String>,
    },
    /// Lists the agents with role, state and unread mail.
    #[command(after_help = "Example:\n  interagent agent list")]
    List {
        /// Also those who take part no longer.
        #[arg(long)]
        retired: bool,
    },
    /// Shows one agent.
    #[command(after_help = "Example:\n  interagent agent show kimi")]
    Show {
        /// Its name or id; the caller when left out.
        name: Option<String>,
    },
    /// Shows what an agent's role obliges it to, as its client is told when it starts.
    ///
    /// Who you are, what to do at the start and when you are woken, what is forbidden and what to do instead, how to report:
    /// in the team's language, with the commands of the agent's own client.
    #[command(
        after_help = "Examples:\n  interagent agent instructions kimi\n  interagent agent instructions"
    )]
    Instructions {
        /// Its name; the caller when left out.
        agent: Option<String>,
    },
    /// Gives an agent another name; its id and history stay. Its seat in the team file is renamed there afterwards.
    #[command(after_help = "Example:\n  interagent agent rename helper parser-helper")]
    Rename {
        /// Its name or id.
        agent: String,
        /// The new name.
        name: String,
    },
    /// Ends an agent's part in the team; its history stays.
    #[command(after_help = "Example:\n  interagent agent retire kimi --reason 'the work is done'")]
    Retire {
        /// Its name or id.
        agent: String,
        /// Why.
        #[arg(long)]
        reason: Option<String>,
    },
    /// Shows the token with which an agent's client connects over HTTP; the first time it is made.
    ///
    /// Whoever has the token is that agent. It also lies in a file that only you can read. The operator's is for a client of
    /// your own, which then answers for you; you get it at a terminal.
    #[command(
        after_help = "Examples:\n  interagent agent token kimi\n  interagent agent token kimi --new\n  interagent agent token operator"
    )]
    Token {
        /// Its name or id; the caller when left out.
        agent: Option<String>,
        /// Make another one; the one before works no longer.
        #[arg(long)]
        new: bool,
        /// Take it away: it works no longer.
        #[arg(long, conflicts_with = "new")]
        revoke: bool,
    },
}

impl Agent {
    pub(crate) fn run(self, session: &mut Session) -> Result<ExitCode, CliError> {
        match &self {
            Self::Instructions { agent } => return instructed(session, agent.clone()),
            Self::Register { .. } => {}
            _ => return session.ask(self.request()),
        }
        let reply = session.call(self.request())?;
        session.show("agent.register", &reply)?;
        match &reply.answer {
            Answer::Agent(_) if !session.is_operator() => {
                session.suggest(&["interagent briefing", "interagent inbox"]);
            }
            Answer::Agent(AgentView { name, .. }) => session.suggest(&[
                &format!("interagent quick --to {name} 'What is to be done'"),
                &format!("interagent relay --to {name}"),
            ]),
            _ => {}
        }
        session.conclude(Done::Committed)
    }

    fn request(self) -> Request {
        match self {
            Self::Register { name, profile, description, workspace } => {
                let workspace = workspace.map(|directory| from_root(&directory));
                ask::AgentRegister { name, profile, description, workspace }.into()
            }
            Self::List { retired } => ask::AgentList { retired }.into(),
            Self::Show { name } | Self::Instructions { agent: name } => ask::AgentShow { agent: name }.into(),
            Self::Rename { agent, name } => ask::AgentRename { agent, name }.into(),
            Self::Retire { agent, reason } => ask::AgentRetire { agent, reason }.into(),
            Self::Token { agent, revoke: true, .. } => ask::AgentRevoke { agent }.into(),
            Self::Token { agent, new, revoke: false } => ask::AgentToken { agent, new }.into(),
        }
    }
}

fn instructed(session: &mut Session, agent: Option<String>) -> Result<ExitCode, CliError> {
    let reply = session.call(ask::AgentShow { agent })?;
    let Answer::Agent(agent) = reply.answer else {
        return Err(CliError::new(ErrorKind::Unavailable, "the hub did not answer with an agent"));
    };
    let seated = session.team().ok().flatten().zip(agent.name.parse().ok());
    let profiles = session.profiles()?;
    let profile = profiles.get(&agent.profile).or_else(|| profiles.get(ANY_PROFILE));
    let hub_dir = session.hub()?.state_dir().parent().map(std::path::Path::to_owned).unwrap_or_default();
    let text = profile.zip(seated).and_then(|(profile, (team, name))| text(&hub_dir, &profile, &name, &team));
    let Some(text) = text else {
        let sentence = format!("{} has no seat in a team, so no role obliges it to anything", agent.name);
        return Err(CliError::new(ErrorKind::NotFound, sentence)
            .with_code("no_seat")
            .with_hint("interagent team show lists the seats")
            .with_hint("add a table [agents.NAME] to the team file, then run interagent team take"));
    };
    if session.is_for_people() {
        text.lines().for_each(|line| session.printer.exact(&[(Role::Plain, line)]));
    } else {
        session.document(0, &json!({ "agent": agent.name, "profile": agent.profile, "text": text }));
    }
    session.conclude(Done::Looked)
}

/// A directory as others find it, from the root, also one that is not there yet.
fn from_root(directory: &str) -> String {
    let found = std::fs::canonicalize(directory).or_else(|_| std::path::absolute(directory));
    found.ok().and_then(|path| path.to_str().map(ToOwned::to_owned)).unwrap_or_else(|| directory.to_owned())
}

/// Says who you are here, how that was decided, and which hub this is.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  interagent whoami")]
pub(crate) struct Whoami {}

impl Whoami {
    pub(crate) fn run(self, session: &mut Session) -> Result<ExitCode, CliError> {
        let mut reply = session.call(ask::Whoami {})?;
        // Asked afterwards: the first call makes a personal hub where there is none.
        let place = match session.discover()? {
            Discovery::Found(found) => Some(found),
            Discovery::NotThere(_) => None,
        };
        if let Answer::Identity(identity) = &mut reply.answer {
            identity.place = place.as_ref().map(place_view);
        }
        session.show("whoami", &reply)?;
        if session.is_for_people() {
            place.iter().for_each(|found| show_place(session, found));
        }
        session.conclude(Done::Looked)
    }
}

fn team_file(found: &Found) -> (String, bool) {
    let path = found.hub_dir.join(TEAM_FILE);
    (path.display().to_string(), path.is_file())
}

fn show_place(session: &mut Session, found: &Found) {
    let (team, is_there) = team_file(found);
    let absent = if is_there { "" } else { " (not there)" };
    for (label, value) in [
        ("directory: ", found.hub_dir.display().to_string()),
        ("team file: ", format!("{team}{absent}")),
        ("found: ", found.how.clone()),
    ] {
        session.printer.line(&[(Role::Quiet, label), (Role::Plain, &value)]);
    }
}

fn place_view(found: &Found) -> PlaceView {
    let (team, is_there) = team_file(found);
    let shown = |path: &PathBuf| path.display().to_string();
    PlaceView {
        directory: shown(&found.hub_dir),
        team_file: is_there.then_some(team),
        kind: match found.kind {
            HubKind::Project => HubPlace::Project,
            HubKind::Personal => HubPlace::Personal,
            HubKind::Named => HubPlace::Named,
        },
        how: found.how.clone(),
        project: found.project_root.as_ref().map(shown),
        worktree: found.worktree_root.as_ref().map(shown),
    }
}
