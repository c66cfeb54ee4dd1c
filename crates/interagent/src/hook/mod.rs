//! `interagent hook`: a client's event in, what is said to its agent out.
//!
//! Owns the way of a hook: read, ask the hub, answer in the client's format. It runs at every tool call of every agent, so
//! it goes past the list of commands, reads as little as it can, and has a deadline of its own. Whatever goes wrong here is
//! no trouble of the client's: the answer is valid and empty, the exit code 0, and one line stands in the hub's `hook.log`.

mod input;
mod output;
mod tool;
mod trouble;
mod waiter;

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::mpsc;
use std::time::Duration;

use interagent_agents::{Event, Marks, Means, Profile, Say, Way};
use interagent_core::vocabulary::{Moment, WakeWay};
use interagent_operations::{Hub, LocalHub, carry_out};
use interagent_wire::answer::HookView;
use interagent_wire::request::SessionHook;
use interagent_wire::{Answer, Caller};

use crate::commands::wake;
use crate::config::caller;
use crate::config::env::Env;
use crate::config::hub::{self, Discovery};
use crate::config::trust;
use crate::error::{CliError, ErrorKind};
use crate::session::{Create, open_at};
use input::Told;
pub(crate) use output::Output;
pub(crate) use trouble::last as last_trouble;

/// A hook that takes longer than this is in the way of the work.
const DEADLINE: Duration = Duration::from_millis(1500);

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
            "--agent" => agent = Some(words.next()??.to_owned()),
            option if option.starts_with('-') => return None,
            word => named.push(word.to_owned()),
        }
    }
    let [profile, event] = <[String; 2]>::try_from(named).ok()?;
    Some(HookCall { profile, event, agent, wait, hub: None })
}

/// Answers a client.
pub(crate) fn run(env: Env, call: HookCall) -> Output {
    if call.wait {
        return waiter::run(&env, &call);
    }
    let (tell, told) = mpsc::channel();
    let worker = std::thread::Builder::new().name("hook".to_owned()).spawn(move || {
        // Nobody listens any more where the deadline has passed.
        let _ = tell.send(answer(&env, &call));
    });
    match worker {
        Ok(_) => told.recv_timeout(DEADLINE).unwrap_or_default(),
        Err(_) => Output::default(),
    }
}

fn answer(env: &Env, call: &HookCall) -> Output {
    let place = Place::of(env, call);
    let place = match place {
        Ok(Some(place)) => place,
        Ok(None) => return Output::default(),
        Err(error) => {
            trouble::note(None, call, &error);
            return Output::default();
        }
    };
    let means = place.event.means;
    let said = match moment(means) {
        Some(moment) => place.tell(env, moment),
        None => place.judge(),
    };
    match said {
        Ok(text) => output::of(&place.event, text.as_deref()),
        Err(error) => {
            trouble::note(Some(&place.state_dir), call, &error);
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
}

impl Place {
    /// Reads what the client says and finds the hub. Nothing where there is none: then a hook has nothing to do.
    fn of(env: &Env, call: &HookCall) -> Result<Option<Self>, CliError> {
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
        let told = input::told(&hooks.fields, &bytes);
        let mut env = Env { profiles, ..env.clone() };
        env.cwd = told.cwd.clone().filter(|cwd| cwd.is_dir()).or(env.cwd);
        let Discovery::Found(found) = hub::discover(&env, call.hub.as_deref())? else { return Ok(None) };
        let agent = call.agent.clone().or_else(|| env.agent.clone());
        let session = env.session.clone().or_else(|| told.session.clone());
        let state_dir = found.hub_dir.join("state");
        let project_root = found.worktree_root.or(found.project_root);
        Ok(Some(Self { profile, event, told, agent, session, env, state_dir, project_root }))
    }

    fn open(&self) -> Result<LocalHub, CliError> {
        let hub_dir = self.state_dir.parent().unwrap_or(&self.state_dir);
        Ok(open_at(hub_dir, Create::Never)?)
    }

    /// Tells the hub what happened. Who calls is looked into only where the hub does not know the session.
    fn tell(&self, env: &Env, moment: Moment) -> Result<Option<String>, CliError> {
        let mut hub = self.open()?;
        // Whoever is not known yet is bound by the call below; what it changed before that is nobody's.
        let remark = match moment {
            Moment::AfterTool => self.note_edits(&mut hub, &self.caller()).unwrap_or_default(),
            _ => None,
        };
        let view = self.call(&mut hub, env, moment, remark)?;
        // The process ends now, which frees every lock.
        std::mem::forget(hub);
        Ok(view.text)
    }

    fn call(
        &self,
        hub: &mut LocalHub,
        env: &Env,
        moment: Moment,
        remark: Option<String>,
    ) -> Result<HookView, CliError> {
        if let Some(session) = &self.session {
            let request = SessionHook { remark: remark.clone(), ..self.request(session.clone(), moment) };
            let view = ask(hub, &self.caller(), request)?;
            if view.known {
                return Ok(view);
            }
        }
        let facts = Caller { agent: self.agent.clone(), ..caller::caller(&self.env, None) };
        let marks = env.profiles.marks().find(|marks| marks.profile == self.profile.name);
        let client = client_process(&facts, marks, &self.env);
        let session = self.session.clone().unwrap_or_else(|| match client {
            Some((pid, started)) => format!("{}-{pid}-{started}", self.profile.name),
            None => format!("{}-unknown", self.profile.name),
        });
        let caller = Caller {
            session: Some(session.clone()),
            profile: Some(self.profile.name.clone()),
            terminal: false,
            ..facts
        };
        let pid = client.map(|(pid, _)| pid);
        let wake =
            self.profile.wake.as_ref().filter(|wake| is_possible(wake, pid)).map(|wake| wake_way(wake.way));
        let request = SessionHook { bind: true, pid, wake, remark, ..self.request(session, moment) };
        ask(hub, &caller, request)
    }

    fn request(&self, session: String, moment: Moment) -> SessionHook {
        SessionHook {
            session,
            moment: Some(moment),
            heard: self.event.say != Say::Nothing,
            remark: None,
            looping: self.told.looping,
            subagent: self.told.subagent,
            asking: self.told.asking,
            bind: false,
            profile: Some(self.profile.name.clone()),
            pid: None,
            pane: self.env.tmux_pane.clone(),
            cwd: self.env.cwd.as_ref().and_then(|cwd| cwd.to_str()).map(str::to_owned),
            wake: None,
        }
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
fn client_process(facts: &Caller, marks: Option<Marks>, env: &Env) -> Option<(i64, i64)> {
    let ancestors = facts.processes.get(1..).unwrap_or_default();
    let named = marks.and_then(|marks| marks.pid).and_then(|variable| {
        let (_, pid) = env.client_markers.iter().find(|(name, _)| *name == variable)?;
        pid.parse::<i64>().ok()
    });
    let found = named.and_then(|pid| ancestors.iter().find(|process| process.pid == pid)).or_else(|| {
        let marks = marks?;
        ancestors.iter().find(|process| {
            marks.programs.contains(&process.executable.as_str())
                || !SHELLS.contains(&process.executable.as_str())
        })
    });
    found.map(|process| (process.pid, process.started))
}

/// What stands between a client and its hook, where the client starts one.
const SHELLS: [&str; 6] = ["sh", "bash", "dash", "zsh", "fish", "env"];

/// Whether the client was started so that it can be woken.
fn is_possible(wake: &interagent_agents::Wake, pid: Option<i64>) -> bool {
    match (wake.way, pid, wake.option.as_deref()) {
        (Way::File, Some(pid), Some(option)) => wake::input_file(pid, option).is_some(),
        (Way::File, ..) => false,
        (Way::Waiter | Way::Command, ..) => true,
    }
}

fn wake_way(way: Way) -> WakeWay {
    match way {
        Way::Waiter => WakeWay::Waiter,
        Way::Command => WakeWay::Command,
        Way::File => WakeWay::File,
    }
}

fn moment(means: Means) -> Option<Moment> {
    Some(match means {
        Means::Start => Moment::Start,
        Means::Prompt => Moment::Prompt,
        Means::AfterTool => Moment::AfterTool,
        Means::TurnEnd => Moment::TurnEnd,
        Means::Notice => Moment::Notice,
        Means::Compact => Moment::Compact,
        Means::End => Moment::End,
        Means::Wait => Moment::Wait,
        Means::BeforeTool => return None,
    })
}
