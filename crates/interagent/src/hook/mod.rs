//! `interagent hook`: a client's event in, what is said to its agent out.
//!
//! Owns the way of a hook: read, ask the hub, answer in the client's format. It runs at every tool call of every agent, so
//! it goes past the list of commands, reads as little as it can, and has a deadline of its own. Whatever goes wrong here is
//! no trouble of the client's: the answer is valid and empty, the exit code 0, and one line stands in the hub's `hook.log`.

mod deadline;
mod input;
mod output;
mod tool;
mod trouble;
mod waiter;
mod words;

use std::ffi::OsString;
use std::path::PathBuf;

use interagent_agents::{Event, Marks, Profile, Say, Way};
use interagent_core::permission;
use interagent_core::session_id;
use interagent_core::vocabulary::Moment;
use interagent_operations::{Hub, LocalHub, carry_out};
use interagent_store::live;
use interagent_wire::answer::HookView;
use interagent_wire::request::{SessionHook, SessionList};
use interagent_wire::{Answer, Caller, CallerProcess};

use crate::commands::wake;
use crate::config::caller;
use crate::config::env::Env;
use crate::config::facts;
use crate::config::hub::{self, Discovery, Found, HubKind};
use crate::config::inherited;
use crate::config::trust;
use crate::config::viewer::{self, Viewer};
use crate::connect::{Ground, exclude};
use crate::error::{CliError, ErrorKind};
use crate::instructions;
use crate::session::{Create, open_at};
use crate::tools;
use deadline::Deadline;
use input::Told;
pub(crate) use output::{Output, Printed};
pub(crate) use trouble::last as last_trouble;
use words::{moment, notice_kind, wake_way};

/// Characters of a tool's command that the hub gets. It shows fewer, so a secret that is cut here is never shown.
const COMMAND_CHARS: usize = 1000;

/// A call of a hook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct HookCall {
    /// Which kind of client.
    pub(crate) profile: String,
    /// What the client calls the event.
    pub(crate) event: String,
    /// Whose session it is, where that is not left to be found out.
    pub(crate) agent: Option<String>,
    /// Sleep until there is something to say.
    pub(crate) wait: bool,
    /// The hub, where it was named.
    pub(crate) hub: Option<OsString>,
}

/// The quick way to a hook: the command line as `setup` writes it. Any other goes the usual way.
pub(crate) fn called(arguments: &[OsString]) -> Option<HookCall> {
    let mut words = arguments.get(1..)?.iter().map(|word| word.to_str());
    if words.next()?? != "hook" {
        return None;
    }
    let (mut named, mut agent, mut wait) = (Vec::new(), None, false);
    while let Some(word) = words.next() {
        match word? {
            "--wait" => wait = true,
            "--agent" => agent = words.next().flatten().map(str::to_owned),
            "--help" | "-h" => return None,
            // Settings that a newer version wrote: what is not understood must not stop a client's work.
            option if option.starts_with('-') => {}
            word => named.push(word.to_owned()),
        }
    }
    let mut named = named.into_iter();
    let (profile, event) = (named.next().unwrap_or_default(), named.next().unwrap_or_default());
    Some(HookCall { profile, event, agent, wait, hub: None })
}

/// Answers a client.
pub(crate) fn run(env: Env, call: HookCall) -> Output {
    if call.wait {
        return waiter::run(&env, &call);
    }
    let deadline = Deadline::watch(&env, &call);
    let output = answer(&env, &call);
    deadline.end();
    output
}

fn answer(env: &Env, call: &HookCall) -> Output {
    let place = Place::of(env, call);
    let place = match place {
        Ok(Some(place)) => place,
        Ok(None) => return Output::default(),
        Err(error) => {
            trouble::note_near(env, call, &error);
            return Output::default();
        }
    };
    let means = place.event.means;
    let said = match moment(means) {
        Some(moment) => place.tell(call, moment),
        None => place.judge().map(Said::plain),
    };
    match said {
        Ok(said) => place.output(said),
        Err(error) => {
            trouble::note(&place.state_dir, call, &error);
            Output::default()
        }
    }
}

/// A hook, once it is known which hub it speaks to.
struct Place {
    profile: Profile,
    event: Event,
    told: Told,
    agent: Option<String>,
    session: Option<String>,
    env: Env,
    state_dir: PathBuf,
    project_root: Option<PathBuf>,
    /// The tree whose hub it is, where the client works in another one of the same project.
    main_root: Option<PathBuf>,
    /// The hub is the user's own: in a project without one nobody is invited into it.
    is_personal: bool,
}

impl Place {
    /// Reads what the client says and finds the hub. Nothing where there is none: then a hook has nothing to do.
    fn of(env: &Env, call: &HookCall) -> Result<Option<Self>, CliError> {
        // Only where the client may run several sessions in one process: looking takes time.
        let marks = env.profiles.marks().find(|marks| marks.profile == call.profile);
        let own = match marks.is_some_and(|marks| !marks.shared.is_empty()) {
            true => Some(inherited::without_inherited(env.clone())),
            false => None,
        };
        let env = own.as_ref().unwrap_or(env);
        let bytes = input::read(std::io::stdin().lock()).map_err(|source| {
            CliError::new(ErrorKind::Unavailable, "the client's words can't be read").with_source(source)
        })?;
        let profiles = trust::profiles(env, call.hub.as_deref())?;
        let profile = profiles.get(&call.profile).ok_or_else(|| {
            CliError::new(ErrorKind::NotFound, format!("there is no profile `{}`", call.profile))
        })?;
        let Some(hooks) = &profile.hooks else {
            let sentence = format!("{} has no hooks", profile.title);
            return Err(CliError::new(ErrorKind::NotFound, sentence));
        };
        let Some(event) = hooks.event(&call.event, call.wait).cloned() else {
            let sentence = format!("{} has no event `{}`", profile.title, call.event);
            return Err(CliError::new(ErrorKind::NotFound, sentence));
        };
        let told = input::told(&hooks.fields, &bytes).ok_or_else(|| {
            CliError::new(ErrorKind::Usage, "the input is not a JSON object; nothing was done")
        })?;
        let mut env = Env { profiles, ..env.clone() };
        env.cwd = told.cwd.clone().filter(|cwd| cwd.is_dir()).or(env.cwd);
        let Some(found) = find(&env, call, &profile)? else { return Ok(None) };
        // Whoever starts a client as somebody means it; what setup wrote is for those who say nothing.
        let agent = env.agent.clone().or_else(|| call.agent.clone());
        let is_personal = found.kind == HubKind::Personal;
        let session = told.session.clone().or_else(|| env.session.clone());
        let state_dir = found.hub_dir.join("state");
        let main_root = found.project_root.clone();
        let project_root = found.worktree_root.or(found.project_root);
        let place = Self {
            profile,
            event,
            told,
            agent,
            session,
            env,
            state_dir,
            project_root,
            main_root,
            is_personal,
        };
        Ok(Some(place))
    }

    fn open(&self) -> Result<LocalHub, CliError> {
        let hub_dir = self.state_dir.parent().unwrap_or(&self.state_dir);
        Ok(open_at(hub_dir, Create::Never)?)
    }

    /// Tells the hub what happened. Who calls is looked into only where the hub does not know the session.
    fn tell(&self, call: &HookCall, moment: Moment) -> Result<Said, CliError> {
        let mut hub = self.open()?;
        // Whoever is not known yet is bound by the call below; what it changed before that is nobody's.
        let remark = self.remark(&mut hub, call, moment);
        let said = self.call(&mut hub, moment, remark)?;
        if matches!(moment, Moment::Start | Moment::Prompt)
            && let Ok(Some(found)) = find(&self.env, call, &self.profile)
            && let Some(ground) = Ground::of(&self.env, &found)
        {
            // What can't be written is tried again on the next prompt.
            let _ = exclude::reveal(&ground);
        }
        // The process ends now, which frees every lock.
        std::mem::forget(hub);
        Ok(said)
    }

    /// The answer in the client's format, and what is noted once it was printed.
    fn output(&self, said: Said) -> Output {
        let printed =
            said.offers.map(|(session, stamp)| Printed { state_dir: self.state_dir.clone(), session, stamp });
        Output { printed, ..output::of(&self.event, said.text.as_deref(), said.notice.as_deref()) }
    }

    fn call(&self, hub: &mut LocalHub, moment: Moment, remark: Option<String>) -> Result<Said, CliError> {
        // A session that our own run or plugin named comes first; the hub knows whether it is of this kind of client.
        for session in self.env.session.iter().chain(&self.told.session) {
            let caller = Caller { session: Some(session.clone()), ..self.caller() };
            let request = SessionHook { remark: remark.clone(), ..self.request(session.clone(), moment) };
            let view = ask(hub, &caller, self.with_tools_at_start(request))?;
            if view.known {
                return Ok(Said::of(self.with_role(view), session));
            }
        }
        let mut facts = Caller { agent: self.agent.clone(), ..caller::caller(&self.env, None) };
        let marks = self.env.profiles.marks().find(|marks| marks.profile == self.profile.name);
        let mut client = client_process(&facts, marks, &self.env);
        let viewer = match (&client, marks, &self.told.session) {
            (None, Some(marks), Some(session)) => self.viewer(hub, &marks, session)?,
            _ => None,
        };
        if let Some(viewer) = &viewer {
            client = Some((viewer.process.pid, viewer.process.started));
            facts.agent = viewer.agent.clone().or(facts.agent);
            facts.pane.clone_from(&viewer.pane);
            facts.socket.clone_from(&viewer.socket);
            facts.client = Some(viewer.process.pid);
            facts.processes.push(viewer.process.clone());
        }
        let by_process = || client.map(|(pid, started)| format!("{}-{pid}-{started}", self.profile.name));
        let Some(session) = self.session.clone().or_else(by_process) else {
            return Err(CliError::new(
                ErrorKind::Refused,
                "neither a session nor a client's process is known",
            ));
        };
        let caller = Caller {
            session: Some(session.clone()),
            profile: Some(self.profile.name.clone()),
            kin: caller::kin(&self.env.profiles, &self.profile.name),
            terminal: false,
            ..facts
        };
        let pid = client.map(|(pid, _)| pid);
        let wake = self.profile.wake.as_ref().filter(|wake| {
            let is_watched = self.profile.process.shared.is_empty() || pid.is_some();
            let is_slow = wake.slow_alone && viewer.is_none() && caller.pane.is_some();
            is_possible(wake, pid) && is_watched && !is_slow
        });
        let wake = wake.map(|wake| wake_way(wake.way));
        let request = SessionHook {
            bind: true,
            pid,
            viewed: viewer.is_some(),
            wake,
            remark,
            pane: caller.pane.clone(),
            ..self.request(session.clone(), moment)
        };
        let request = self.with_tools(request, &caller);
        Ok(Said::of(self.with_role(ask(hub, &caller, request)?), &session))
    }

    /// A briefing begins with the agent's role, where its client takes no file of instructions.
    fn with_role(&self, view: HookView) -> HookView {
        let agent = view.agent.as_ref().filter(|_| view.briefed && self.event.say != Say::Nothing);
        let role = agent.and_then(|agent| instructions::said(&self.state_dir, &self.profile, &agent.name));
        let text = match (role, view.text) {
            (Some(role), Some(text)) => Some(format!("{}\n\n{text}", role.trim_end())),
            (_, text) => text,
        };
        HookView { text, ..view }
    }

    /// The process at a terminal that shows a session which a shared process serves: it stands for the client then.
    fn viewer(&self, hub: &mut LocalHub, marks: &Marks, session: &str) -> Result<Option<Viewer>, CliError> {
        let Some(cwd) = self.told.cwd.as_deref().filter(|_| !marks.shared.is_empty()) else {
            return Ok(None);
        };
        let bound = match hub.call(&Caller::default(), SessionList { agent: None }.into())?.answer {
            Answer::Sessions(page) => page.items,
            _ => Vec::new(),
        };
        let is_taken = |pid: i64| bound.iter().any(|other| other.id != session && other.pid == Some(pid));
        let Some(mut viewer) = viewer::of_session(marks, session, cwd, is_taken) else { return Ok(None) };
        // It may have been started for an agent of another project.
        let named = Env { hub: viewer.hub.take(), ..self.env.clone() };
        let is_here = matches!(
            hub::discover(&named, None),
            Ok(Discovery::Found(found)) if found.hub_dir.join("state") == self.state_dir
        );
        viewer.agent = viewer.agent.filter(|_| is_here);
        Ok(Some(viewer))
    }

    /// What the tool of this hook runs, edits or opens, cut to a length that a person reads.
    fn command(&self) -> Option<String> {
        let command = permission::command_of(self.told.tool.as_deref()?, self.told.input.as_ref()?)?;
        Some(command.chars().take(COMMAND_CHARS).collect())
    }

    /// A session that begins tells which tools it has. Later hooks leave that alone: they run at every tool call.
    fn with_tools_at_start(&self, request: SessionHook) -> SessionHook {
        if request.moment != Some(Moment::Start) {
            return request;
        }
        self.with_tools(request, &caller::caller(&self.env, None))
    }

    /// The same with what the client calls our tools, and whether it should have them.
    fn with_tools(&self, request: SessionHook, caller: &Caller) -> SessionHook {
        let tools = self.profile.mcp.as_ref().and_then(|mcp| mcp.tool.clone());
        let root = self.project_root.as_deref();
        let hub_dir = self.state_dir.parent().unwrap_or(&self.state_dir);
        // `up` sets the agent's name and may pass the server on the command line.
        let is_handed = self.env.agent.is_some() && Ground::is_handed(hub_dir, &self.profile);
        let is_run = self.env.session.as_deref().is_some_and(session_id::is_run);
        let is_configured = is_handed
            || match is_run {
                true => tools::is_configured(&self.env, &self.profile.in_headless_run(), root),
                false => tools::is_configured(&self.env, &self.profile, root),
            };
        SessionHook {
            tools_configured: tools.is_some() && is_configured,
            tools,
            host: tools::host(caller),
            ..request
        }
    }

    fn request(&self, session: String, moment: Moment) -> SessionHook {
        SessionHook {
            moment: Some(moment),
            heard: self.event.say != Say::Nothing,
            remark: None,
            looping: self.told.looping,
            ends_once: self.profile.hooks.iter().flat_map(|hooks| &hooks.events).any(|event| event.once),
            subagent: self.told.subagent,
            notice: self.event.notice(self.told.notice.as_deref()).map(notice_kind),
            tool: self.told.tool.clone(),
            command: self.command(),
            printed: live::printed(&self.state_dir, &session),
            context_left: self.told.context_left,
            session,
            bind: false,
            uninvited: self.is_personal,
            profile: Some(self.profile.name.clone()),
            client: Some(self.profile.title.clone()),
            pid: None,
            pane: self.env.tmux_pane.clone(),
            cwd: self.env.cwd.as_ref().and_then(|cwd| cwd.to_str()).map(str::to_owned),
            wake: None,
            viewed: false,
            looks_again: !self.profile.process.shared.is_empty(),
            tools: None,
            tools_configured: false,
            host: None,
        }
    }
}

/// The hub that a client works with: of the project it is in, or, where it went elsewhere, of the one it was started in.
fn find(env: &Env, call: &HookCall, profile: &Profile) -> Result<Option<Found>, CliError> {
    let discovery = hub::discover(env, call.hub.as_deref())?;
    if discovery.is_personal() {
        let marks = env.profiles.marks().find(|marks| marks.profile == profile.name);
        let client = client_process(&caller::caller(env, None), marks, env);
        let started_in = client.and_then(|(pid, _)| caller::directory_of(pid));
        if let Some(found) = started_in.map(|directory| hub::of_client(env, directory)).transpose()?.flatten()
        {
            return Ok(Some(found));
        }
    }
    Ok(match discovery {
        Discovery::Found(found) => Some(found),
        Discovery::NotThere(_) => None,
    })
}

/// What is said, and the offers in it.
#[derive(Debug, Default)]
struct Said {
    text: Option<String>,
    /// One line for the person.
    notice: Option<String>,
    /// To which session, and their stamp.
    offers: Option<(String, i64)>,
}

impl Said {
    fn plain(text: Option<String>) -> Self {
        Self { text, ..Self::default() }
    }

    fn of(view: HookView, session: &str) -> Self {
        let stamp = view.stamp.filter(|_| !view.messages.is_empty());
        let offers = stamp.map(|stamp| (session.to_owned(), stamp));
        Self { text: view.text, notice: view.notice, offers }
    }
}

fn ask(hub: &mut LocalHub, caller: &Caller, request: SessionHook) -> Result<HookView, CliError> {
    let reply = hub.call(caller, request.into())?;
    carry_out(&reply.effects);
    match reply.answer {
        Answer::Hook(view) => Ok(view),
        _ => Err(CliError::new(ErrorKind::Unavailable, "the hub answered with something else")),
    }
}

/// The client's own process: the one its variable names, or the nearest that looks like it.
fn client_process(caller: &Caller, marks: Option<Marks>, env: &Env) -> Option<(i64, i64)> {
    let ancestors = caller.processes.get(1..).unwrap_or_default();
    let named = marks.and_then(|marks| marks.pid).and_then(|variable| {
        let (_, pid) = env.client_markers.iter().find(|(name, _)| *name == variable)?;
        pid.parse::<i64>().ok()
    });
    let found = named.and_then(|pid| ancestors.iter().find(|process| process.pid == pid)).or_else(|| {
        let marks = marks?;
        let is_shell = |name: &str| SHELLS.contains(&name);
        // A hook that a person types has no client: what is above that shell is a terminal, with more than this in it.
        let is_typed = |process: &&CallerProcess| {
            let pid = u32::try_from(process.pid).unwrap_or_default();
            is_shell(&process.executable) && facts::is_a_persons_shell(pid)
        };
        let below = ancestors.iter().take_while(|process| !is_typed(process));
        below.into_iter().find(|process| {
            marks.programs.contains(&process.executable.as_str()) || !is_shell(&process.executable)
        })
    });
    found.map(|process| (process.pid, process.started))
}

/// What stands between a client and its hook, where the client starts one.
pub(crate) const SHELLS: [&str; 6] = ["sh", "bash", "dash", "zsh", "fish", "env"];

/// Whether the client was started so that it can be woken.
fn is_possible(wake: &interagent_agents::Wake, pid: Option<i64>) -> bool {
    match (wake.way, pid, wake.option.as_deref()) {
        (Way::File, Some(pid), Some(option)) => wake::input_file(pid, option).is_some(),
        (Way::File, ..) => false,
        (Way::Waiter | Way::Command, ..) => true,
    }
}
