//! How an agent's client is started: its program, its words, its directory and what it gets to know, from profile and seat.

use std::path::PathBuf;

use interagent_agents::{Fill, Profile, Profiles, fill_words};
use interagent_core::name::Name;
use interagent_core::shell::quoted;
use interagent_core::team::Seat;
use interagent_operations::CrewRow;
use interagent_store::observe::SessionRow;
use interagent_wake::tmux::Start;

use super::directory::WorkDirectory;
use super::{Scene, handed};
use crate::config::{programs, tmux};
use crate::connect;
use crate::error::{CliError, ErrorKind};
use crate::instructions::{self, Beginning};

/// What whoever starts a client wishes for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Wish {
    pub(crate) conversation: Conversation,
    pub(crate) approval: Approval,
}

/// Whether the client goes on with what it talked about before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Conversation {
    #[default]
    New,
    /// The last one where it is known and the client can; a new one otherwise.
    IfKnown,
    /// The last one and no other.
    Last,
}

/// Whether a seat may have its client act without asking.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Approval {
    /// The client asks, whatever the team file says: that file may have come with a clone.
    #[default]
    Asked,
    /// Where the team file says so, it does not.
    AsTheTeamSays,
    /// Where it was started so before, and the team file still says so.
    AsBefore,
}

/// A client that can be started.
#[derive(Debug, Clone)]
pub(crate) struct Launch {
    /// What people call the client.
    pub(crate) title: String,
    pub(crate) profile: String,
    pub(crate) program: PathBuf,
    pub(crate) arguments: Vec<String>,
    pub(crate) directory: WorkDirectory,
    variables: Vec<(String, String)>,
    foreign: Vec<String>,
    /// Variables of the calling shell that the client needs.
    handed: Vec<(String, String)>,
    /// It is started to act without asking.
    pub(crate) auto_approve: bool,
    /// The model that it is started with.
    pub(crate) model: Option<String>,
    /// What the person should know of it.
    pub(crate) notes: Vec<String>,
}

impl Launch {
    /// How an agent's client is started, or why it can't be.
    pub(crate) fn plan(
        scene: &Scene,
        profiles: &Profiles,
        row: &CrewRow,
        wish: Wish,
    ) -> Result<Self, CliError> {
        let seat = row.seat.as_ref();
        let name = seat.map_or(row.agent.profile.as_str(), |seat| seat.profile.as_str());
        let profile = profile_of(profiles, row.agent.name.as_str(), name)?;
        let program = programs::find(profiles, &profile).ok_or_else(|| not_installed(&profile))?;
        let mut notes = Vec::new();
        let Words { mut arguments, beginning, auto_approve, model } =
            arguments(&profile, row, wish, &mut notes)?;
        if let Some(team) = &scene.crew.team {
            arguments.extend(instructions::arguments(
                &scene.hub_dir,
                &profile,
                &row.agent.name,
                team,
                beginning,
            ));
        }
        let directory = WorkDirectory::of(scene, row)?;
        if let Some(ground) = &scene.ground {
            arguments.extend(ground.arguments(&profile, &directory.path));
        }
        let mut variables = vec![
            ("INTERAGENT_AGENT".to_owned(), row.agent.name.to_string()),
            ("INTERAGENT_HUB".to_owned(), scene.hub_dir.display().to_string()),
        ];
        variables.extend(tmux::search_path().map(|path| ("PATH".to_owned(), path)));
        let foreign = profiles
            .marks()
            .flat_map(|marks| marks.variables.iter().chain(marks.session).copied().chain(marks.pid))
            .chain(["INTERAGENT_SESSION"])
            .map(str::to_owned)
            .collect::<Vec<String>>();
        let handed = handed::chosen(&profile.launch, &foreign);
        let title = profile.title;
        Ok(Self {
            title,
            profile: profile.name,
            program,
            arguments,
            directory,
            variables,
            foreign,
            handed,
            auto_approve,
            model,
            notes,
        })
    }

    /// Makes what the client needs when it starts: its worktree, its connection there, and its agent's instructions. Answers
    /// with what the person should know.
    pub(crate) fn prepare(
        &self,
        scene: &Scene,
        profiles: &Profiles,
        row: &CrewRow,
    ) -> Result<Vec<String>, CliError> {
        let Some(profile) = profiles.get(&self.profile) else { return Ok(Vec::new()) };
        let name = &row.agent.name;
        let mut notes = self.directory.prepare(scene, profiles, &profile, row)?;
        if let Some(team) = &scene.crew.team {
            instructions::hand_over(&scene.hub_dir, &profile, name, team, Beginning::New)?;
        }
        let (Some(ground), place) = (&scene.ground, &self.directory.path) else { return Ok(notes) };
        if let Some(deaf) = connect::deaf(name.as_str(), &profile, place, &ground.lacks(&profile, place)) {
            notes.push(format!("{deaf}; {}", ground.repair(&profile, place)));
        }
        Ok(notes)
    }

    /// For a pane of tmux. The pane takes the variables of this shell from a file.
    pub(crate) fn start(&self, scene: &Scene, agent: &Name) -> Result<Start, CliError> {
        Ok(Start {
            directory: self.directory.path.display().to_string(),
            variables: self.variables.clone(),
            without: self.foreign.clone(),
            words: self.words(),
            handed: handed::write(&scene.hub_dir, agent.as_str(), &self.handed)?,
        })
    }

    /// In the place of this process; comes back only where that fails.
    pub(crate) fn exec(&self) -> std::io::Error {
        use std::os::unix::process::CommandExt;
        let mut command = std::process::Command::new(&self.program);
        command.args(&self.arguments).current_dir(&self.directory.path);
        for name in &self.foreign {
            command.env_remove(name);
        }
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        command.exec()
    }

    fn words(&self) -> Vec<String> {
        let program = self.program.display().to_string();
        std::iter::once(program).chain(self.arguments.iter().cloned()).collect()
    }

    /// The command line as a person would type it.
    pub(crate) fn shown(&self) -> String {
        self.words().iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
    }
}

/// The profile of an agent's client. One of the user's own that can't be read is not replaced by another of its name.
pub(crate) fn profile_of(profiles: &Profiles, agent: &str, name: &str) -> Result<Profile, CliError> {
    if let Some(problem) = profiles.problems().iter().find(|problem| problem.is_about(name)) {
        return Err(CliError::new(ErrorKind::Refused, problem.to_string())
            .with_code("bad_profile")
            .with_hint(format!("repair {}, which says how {agent} is started", problem.file())));
    }
    profiles.get(name).ok_or_else(|| {
        CliError::new(ErrorKind::NotFound, format!("{agent} is a {name}, and there is no profile `{name}`"))
            .with_code("no_such_profile")
            .with_hint(format!(
                "put one into ~/.config/interagent/profiles/{name}.toml; those of a project need interagent trust"
            ))
    })
}

fn not_installed(profile: &Profile) -> CliError {
    let sentence = match &profile.executable {
        Some(program) => format!("{} is not installed: there is no `{program}` on PATH", profile.title),
        None => format!("{} can't be started: its profile names no program", profile.title),
    };
    CliError::new(ErrorKind::NotFound, sentence)
        .with_code("not_installed")
        .with_hint("install it, or give the agent another profile in team.toml and run interagent team take")
}

/// With which words a client is started, and what they mean.
struct Words {
    arguments: Vec<String>,
    beginning: Beginning,
    auto_approve: bool,
    model: Option<String>,
}

fn arguments(
    profile: &Profile,
    row: &CrewRow,
    wish: Wish,
    notes: &mut Vec<String>,
) -> Result<Words, CliError> {
    let launch = &profile.launch;
    let name = &row.agent.name;
    let mut words = launch.arguments.clone();
    let mut beginning = Beginning::New;
    match (wish.conversation, resumed(profile, row)) {
        (Conversation::New, _) => {}
        (Conversation::IfKnown | Conversation::Last, Ok(resumed)) => {
            beginning = Beginning::Resumed;
            words.extend(resumed);
        }
        (Conversation::IfKnown, Err(why)) => {
            notes.push(format!("{name}: a new conversation; {}", why.sentence()));
        }
        (Conversation::Last, Err(why)) => return Err(why),
    }
    let mut model = row.seat.as_ref().and_then(|seat| seat.model.clone());
    if let Some(wanted) = model.as_deref() {
        must_be_no_option(name, wanted)?;
        if launch.model.is_empty() {
            notes.push(format!(
                "{name}: {} takes no model when it starts; {wanted} is not set",
                profile.title
            ));
            model = None;
        } else {
            words.extend(fill_words(&launch.model, &[("{model}", Fill::Text(wanted))]));
        }
    }
    let is_wished = row.seat.as_ref().is_some_and(|seat: &Seat| seat.auto_approve);
    let is_allowed = match wish.approval {
        Approval::Asked => false,
        Approval::AsTheTeamSays => true,
        Approval::AsBefore => row.pane.as_ref().is_some_and(|pane| pane.auto_approve),
    };
    let auto_approve = is_wished && is_allowed && !launch.auto_approve.is_empty();
    match (is_wished, is_allowed) {
        (false, _) => {}
        (true, false) => notes.push(format!(
            "{name}: asks before it acts, though its seat says auto_approve; --auto-approve lets the team file decide"
        )),
        (true, true) if launch.auto_approve.is_empty() => {
            notes.push(format!("{name}: {} has no option for auto_approve", profile.title));
        }
        (true, true) => words.extend(launch.auto_approve.iter().cloned()),
    }
    Ok(Words { arguments: words, beginning, auto_approve, model })
}

/// A model that begins so would be an option of the client, and a team file may have come with a clone.
pub(crate) fn must_be_no_option(name: &Name, model: &str) -> Result<(), CliError> {
    match model.starts_with('-') {
        false => Ok(()),
        true => Err(CliError::new(ErrorKind::Refused, format!("the model of {name} begins with `-`"))
            .with_code("bad_model")
            .with_hint("repair `model` in team.toml, then run interagent team take")),
    }
}

/// The words to go on with the conversation before.
fn resumed(profile: &Profile, row: &CrewRow) -> Result<Vec<String>, CliError> {
    let name = &row.agent.name;
    if profile.launch.resume.is_empty() {
        let sentence = format!(
            "{} can't go on with an earlier conversation: its profile does not say how",
            profile.title
        );
        return Err(CliError::new(ErrorKind::Refused, sentence)
            .with_code("no_resume")
            .with_hint("leave --resume out"));
    }
    // An id that begins like an option would be one.
    let is_usable = |last: &&SessionRow| last.profile == profile.name && !last.id.starts_with('-');
    let Some(last) = row.last_conversation.as_ref().filter(is_usable) else {
        return Err(CliError::new(
            ErrorKind::NotFound,
            format!("no earlier conversation of {name} is known here"),
        )
        .with_code("no_conversation")
        .with_hint("leave --resume out"));
    };
    Ok(fill_words(&profile.launch.resume, &[("{session}", Fill::Text(&last.id))]))
}
