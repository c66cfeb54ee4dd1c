//! One run of the program: its surroundings, its printer, its hub.
//!
//! Owns the way of a request: open the hub, say who calls, call, show the answer, flush, and only then upkeep. Knows no
//! command.

pub(crate) mod clone;
mod door;
mod doubt;
mod files;
pub(crate) mod history;
mod open;

pub(crate) use doubt::SettledCopy;
pub(crate) use files::moved_note;
pub(crate) use open::{
    Create, TEAM_FILE, begin_replica, join_history, make_hub_directory, make_project, no_hub, open_at,
    open_replica, team_text, was_lost,
};

use std::cell::OnceCell;
use std::sync::Arc;
use std::time::Duration;

use interagent_agents::{Hooks, Profile, Profiles};
use interagent_core::authority::{Authority, OperatorAct, authorize};
use interagent_core::control::Abilities;
use interagent_core::refusal::Refusal;
use interagent_core::team::TeamConfig;
use interagent_core::vocabulary::ControlVerb;
use interagent_operations::{Hub, LocalHub, WaitFor, Waited, authority_without_hub, carry_out};
use interagent_wire::request::{Effect, TeamShow};
use interagent_wire::{Answer, Caller, LocalEffect, Reply, Request, SCHEMA};
use serde::Serialize;
use serde_json::json;

use crate::cli::Global;
use crate::config::caller;
use crate::config::env::Env;
use crate::config::hub::{self, Discovery};
use crate::config::trust::{self, Trust, TrustList};
use crate::connect::{Ground, exclude};
use crate::crew::life;
use crate::error::{CliError, ErrorKind};
use crate::exit_code::ExitCode;
use crate::show::{self, PART};
use crate::ui::look::Role;
use crate::ui::printer::{Form, Printer, Written};
use crate::ui::progress::{Progress, Screen};

/// What a command has done before its answer is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Done {
    /// It has looked: an answer that can't be written is a failure.
    Looked,
    /// It has committed: that stays true whatever happens to the answer.
    Committed,
}

/// One run of the program.
pub(crate) struct Session {
    pub(crate) env: Env,
    pub(crate) printer: Printer<'static>,
    global: Global,
    caller: OnceCell<Caller>,
    hub: Option<LocalHub>,
    /// What is to be done on this machine once the answer was written.
    effects: Vec<LocalEffect>,
    /// Something was added to the log, so that files have to follow.
    wrote: bool,
}

impl Session {
    pub(crate) fn new(env: Env, global: Global) -> Self {
        let form = if global.json { Form::Json } else { Form::People };
        let pager = if global.no_pager { None } else { env.pager() };
        let printer = Printer::for_process(&env, form, global.color);
        let mut session = Self::with_printer(env, global, printer);
        session.printer.allow(pager);
        session
    }

    /// Whether the operator calls, proven or not. A caller that can't be judged is not.
    pub(crate) fn is_operator(&mut self) -> bool {
        let caller = self.caller().clone();
        match self.hub_that_is_there() {
            Some(hub) => hub.authority(&caller).is_ok_and(Authority::is_operator),
            None => authority_without_hub(&caller).is_operator(),
        }
    }

    /// Refuses an act of the operator to everybody else. `command` is what the refusal tells to run.
    pub(crate) fn authorize(&mut self, act: OperatorAct, command: &str) -> Result<(), CliError> {
        let caller = self.caller().clone();
        match self.hub_that_is_there() {
            Some(hub) => hub.authorize(&caller, act, command)?,
            None => authorize(act, authority_without_hub(&caller), command)?,
        }
        Ok(())
    }

    /// The hub, where there is one: none is made by asking.
    pub(crate) fn hub_that_is_there(&mut self) -> Option<&mut LocalHub> {
        let Ok(Discovery::Found(found)) = self.discover() else { return None };
        // A clone with a team file and no store would become a replica.
        found.hub_dir.join("state").join("hub.db").exists().then(|| self.hub().ok()).flatten()
    }

    /// A run whose output goes elsewhere.
    pub(crate) fn with_printer(env: Env, global: Global, printer: Printer<'static>) -> Self {
        Self { env, printer, global, caller: OnceCell::new(), hub: None, effects: Vec::new(), wrote: false }
    }

    /// Whether people read the answer.
    pub(crate) fn is_for_people(&self) -> bool {
        self.printer.form() == Form::People
    }

    /// Who calls, as far as the surroundings tell.
    pub(crate) fn caller(&self) -> &Caller {
        self.caller.get_or_init(|| {
            // If no hub is found, only the user's and shipped profiles count.
            let profiles = self.profiles().unwrap_or_else(|_| Arc::clone(&self.env.profiles));
            let env = Env { profiles, ..self.env.clone() };
            caller::caller(&env, self.global.from_agent.clone())
        })
    }

    /// Lets somebody else than the surroundings tell call.
    pub(crate) fn act_as(&mut self, caller: Caller) {
        self.caller = OnceCell::from(caller);
    }

    /// Lets the operator speak for the team's captain where nobody is named; the hub knows if there is one.
    pub(crate) fn speak_for_principal(&mut self) {
        let caller = Caller { principal: true, ..self.caller().clone() };
        self.caller = OnceCell::from(caller);
    }

    /// The profiles that count here: those of the program, the user's own, and the trusted ones of the project.
    pub(crate) fn profiles(&self) -> Result<Arc<Profiles>, CliError> {
        Ok(trust::profiles(&self.env, self.global.hub.as_deref())?)
    }

    /// The same, read anew at each call: for what runs for days.
    pub(crate) fn profiles_of_now(
        &self,
    ) -> impl Fn() -> Result<Arc<Profiles>, CliError> + Send + Sync + use<> {
        let (env, named) = (self.env.clone(), self.global.hub.clone());
        move || Ok(trust::profiles(&env.with_profiles_of_now(), named.as_deref())?)
    }

    /// The team as it was last taken in, where there is one.
    pub(crate) fn team(&mut self) -> Result<Option<TeamConfig>, CliError> {
        Ok(match self.call(TeamShow {}) {
            Ok(Reply { answer: Answer::Team(team), .. }) => serde_json::from_value(team.config).ok(),
            Ok(_) => None,
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        })
    }

    /// The profiles of the project that do not count, each in one sentence.
    pub(crate) fn unused_profiles(&self) -> Result<Vec<String>, CliError> {
        let list = TrustList::read(&self.env).ok().flatten();
        let Discovery::Found(found) = self.discover()? else { return Ok(Vec::new()) };
        let sentence = |profile: trust::ProjectProfile| {
            let file = profile.file.display();
            format!(
                "{file} is not used: it is {}; interagent trust shows and allows it",
                profile.trust.as_str()
            )
        };
        let all = trust::project_profiles(&found.hub_dir, list.as_ref()).into_iter();
        Ok(all.filter(|profile| profile.trust != Trust::Trusted).map(sentence).collect())
    }

    /// The hub of this command. An agent outside of any project keeps the hub where its client was started.
    pub(crate) fn discover(&self) -> Result<Discovery, CliError> {
        let discovery = hub::discover(&self.env, self.global.hub.as_deref())?;
        if discovery.is_personal()
            && let Some(started_in) = self.caller().client.and_then(caller::directory_of)
            && let Some(found) = hub::of_client(&self.env, started_in)?
        {
            return Ok(Discovery::Found(found));
        }
        Ok(discovery)
    }

    /// The hub that was named on the command line.
    pub(crate) fn named_hub(&self) -> Option<std::ffi::OsString> {
        self.global.hub.clone()
    }

    /// Where `init` makes a hub.
    pub(crate) fn place_for_new_hub(&self) -> Result<Discovery, CliError> {
        Ok(hub::place_for_new_hub(&self.env, self.global.hub.as_deref())?)
    }

    /// Another voice of this run, for what speaks beside it: a printer of its own, and no pager.
    pub(crate) fn voice(&self) -> impl Fn() -> Self + Send + Sync + use<> {
        let (env, global, form) = (self.env.clone(), self.global.clone(), self.printer.form());
        move || {
            let printer = Printer::for_process(&env, form, global.color);
            Self::with_printer(env.clone(), global.clone(), printer)
        }
    }

    /// Gives the hub away, for what needs it and the printer at the same time; `use_hub` takes it back.
    pub(crate) fn take_hub(&mut self) -> Result<LocalHub, CliError> {
        self.hub()?;
        self.hub.take().ok_or_else(closed)
    }

    /// Takes a hub that was opened otherwise.
    pub(crate) fn use_hub(&mut self, hub: LocalHub) {
        self.hub = Some(hub);
    }

    /// Closes the hub, for what takes its files away.
    pub(crate) fn close_hub(&mut self) {
        self.hub = None;
    }

    /// The hub, opened at the first call.
    pub(crate) fn hub(&mut self) -> Result<&mut LocalHub, CliError> {
        if self.hub.is_none() {
            let discovery = self.discover()?;
            let hub = open::open(discovery, &mut self.printer)?;
            self.hub = Some(self.informed(hub));
            self.escape_tags_for_agents();
        }
        self.hub.as_mut().ok_or_else(closed)
    }

    /// Refuses a read-only request that would create a hub.
    fn must_not_make_a_hub_to_read(&self, request: &Request) -> Result<(), CliError> {
        if self.hub.is_some() || done_by(request.name()) == Done::Committed {
            return Ok(());
        }
        match self.discover()? {
            Discovery::NotThere(missing) => Err(open::no_hub(&missing)),
            Discovery::Found(found) if open::is_without_store(&found) => Err(open::no_store(&found.hub_dir)),
            Discovery::Found(_) => Ok(()),
        }
    }

    /// A hub that knows what clients can be made to do, by their profiles.
    fn informed(&self, hub: LocalHub) -> LocalHub {
        let profiles = self.profiles_of_now();
        hub.knowing_clients(move |profile| Some(abilities(&profiles().ok()?.get(profile)?)))
    }

    /// Calls one operation.
    pub(crate) fn call(&mut self, request: impl Into<Request>) -> Result<Reply, CliError> {
        let request = request.into();
        self.must_not_make_a_hub_to_read(&request)?;
        self.hub()?;
        let caller = self.caller().clone();
        self.call_for(&caller, request)
    }

    /// Calls one operation for a caller that is not this process.
    pub(crate) fn call_for(&mut self, caller: &Caller, request: Request) -> Result<Reply, CliError> {
        let (done, name) = (done_by(request.name()), request.name());
        let mut reply = match self.hub()?.call(caller, request) {
            Err(refusal) if refusal.code == "store_read_only" && caller.profile.is_some() => {
                return Err(self.not_from_here(caller, name, refusal));
            }
            called => called?,
        };
        self.wrote |= done == Done::Committed;
        self.effects.append(&mut reply.effects);
        Ok(reply)
    }

    /// The error for a command in a read-only sandbox: the MCP server runs outside of it.
    fn not_from_here(&mut self, caller: &Caller, operation: &str, refusal: Refusal) -> CliError {
        let profile = caller.profile.as_deref().and_then(|name| self.profiles().ok()?.get(name));
        let Some((profile, mcp)) = profile.and_then(|profile| profile.mcp.clone().map(|mcp| (profile, mcp)))
        else {
            return refusal.into();
        };
        let hub_dir = self.hub.as_ref().and_then(|hub| hub.state_dir().parent());
        let shown = hub_dir.map(|hub_dir| hub_dir.display().to_string()).unwrap_or_default();
        let sentence =
            format!("this command can't write to {shown}: {} runs it in a read-only sandbox", profile.title);
        let hint = match interagent_mcp::tool_of(operation) {
            Some((tool, action)) => {
                let name = mcp.tool.as_deref().unwrap_or("{tool}").replace("{tool}", tool);
                let action = action.map(|action| format!(" with action={action}")).unwrap_or_default();
                format!("call the MCP tool {name}{action} instead; it runs outside the sandbox")
            }
            None => "call an MCP tool of interagent instead, or ask the operator to run this".to_owned(),
        };
        CliError::new(ErrorKind::Unavailable, sentence).with_code("store_read_only").with_hint(hint)
    }

    /// Calls one operation for the person of this replica, whatever the surroundings say.
    pub(crate) fn call_as_operator(&mut self, request: impl Into<Request>) -> Result<Reply, CliError> {
        // The terminal of an agent's shell proves nobody.
        let terminal = self.caller().terminal && self.is_operator();
        self.call_for(&Caller { terminal, ..Caller::program() }, request.into())
    }

    /// Notes what is to be done after entries of others were taken in.
    pub(crate) fn has_taken_in(&mut self, effects: Vec<LocalEffect>) {
        self.wrote = true;
        self.effects.extend(effects);
    }

    /// Sleeps until there is something, or the time is over.
    pub(crate) fn wait(&mut self, wanted: &WaitFor, timeout: Duration) -> Result<Waited, CliError> {
        self.hub()?;
        let caller = self.caller().clone();
        Ok(self.hub()?.wait(&caller, wanted, timeout)?)
    }

    /// Calls one operation and shows its answer: all that most commands are.
    pub(crate) fn ask(&mut self, request: impl Into<Request>) -> Result<ExitCode, CliError> {
        let request = request.into();
        let op = request.name();
        let reply = self.call(request)?;
        self.show(op, &reply)?;
        self.conclude(done_by(op))
    }

    /// Gives the hub the liveness read from agents' screens. Without it, hooks are the only source.
    pub(crate) fn look_at_screens(&mut self) {
        if self.hub_that_is_there().is_some()
            && let Ok(screens) = life::on_screens(self)
            && let Ok(hub) = self.hub()
        {
            hub.saw_screens(screens);
        }
    }

    /// Like [`Session::ask`], for a list that shows only a part: nothing in it does not say that there is nothing.
    pub(crate) fn ask_for_part(&mut self, request: impl Into<Request>) -> Result<ExitCode, CliError> {
        let request = request.into();
        let part = format!("{} {PART}", request.name());
        let reply = self.call(request)?;
        self.show(&part, &reply)?;
        self.conclude(Done::Looked)
    }

    /// Like [`Session::ask`], for what may take more than a second: a person at a terminal sees that it goes on.
    pub(crate) fn ask_patiently(
        &mut self,
        doing: &str,
        request: impl Into<Request>,
    ) -> Result<ExitCode, CliError> {
        let request = request.into();
        let op = request.name();
        let progress = self.progress(doing);
        let reply = self.call(request);
        drop(progress);
        self.show(op, &reply?)?;
        self.conclude(done_by(op))
    }

    /// A line that tells how far a long job is, where somebody sees it.
    pub(crate) fn progress(&self, doing: &str) -> Progress {
        let is_seen = self.env.terminals.stderr && !self.env.terminal_is_dumb;
        Progress::begin(if is_seen { Screen::Stderr } else { Screen::Nowhere }, doing)
    }

    /// Puts an answer into the output.
    pub(crate) fn show(&mut self, op: &str, reply: &Reply) -> Result<(), CliError> {
        match self.printer.form() {
            Form::People => show::reply(&mut self.printer, op, reply),
            Form::Json => {
                let document = reply.document().map_err(|source| {
                    CliError::new(ErrorKind::Unavailable, "the answer can't be written as JSON")
                        .with_source(source)
                })?;
                self.printer.json(&document);
            }
        }
        Ok(())
    }

    /// Tells people what to do next: the commands, as they are typed.
    pub(crate) fn suggest(&mut self, commands: &[&str]) {
        if !self.is_for_people() {
            return;
        }
        let labels = std::iter::once("next: ").chain(std::iter::repeat("      "));
        for (label, command) in labels.zip(commands) {
            self.printer.exact(&[(Role::Quiet, label), (Role::Plain, command)]);
        }
    }

    /// Puts an answer that is no operation's into the output, for programs.
    pub(crate) fn document(&mut self, seq: i64, answer: &impl Serialize) {
        self.printer.json(&json!({ "schema": SCHEMA, "seq": seq, "answer": answer }));
    }

    /// Hands the output over and tells whether it arrived.
    pub(crate) fn deliver(&mut self, done: Done) -> Result<Written, CliError> {
        match (self.printer.flush(), done) {
            (Ok(written), _) => Ok(written),
            (Err(error), Done::Looked) => Err(error.into()),
            (Err(error), Done::Committed) => {
                // Exit 0 says that it is durable; a failure here would make the caller do it twice.
                for line in CliError::from(error).lines() {
                    self.printer.note(Role::Warning, &line.replacen("error:", "warning:", 1));
                }
                self.printer.note(Role::Warning, "hint: what was asked is done; only its answer is lost");
                Ok(Written::ReaderLeft)
            }
        }
    }

    /// Hands the output over, then does the upkeep that the caller need not wait for.
    ///
    /// What was only looked at may be shown in a pager. A hand-over never is: that a pager took it does not say that
    /// it was read to its end.
    pub(crate) fn conclude(&mut self, done: Done) -> Result<ExitCode, CliError> {
        let _either_is_fine = match done {
            Done::Looked => self.page()?,
            Done::Committed => self.deliver(done)?,
        };
        self.upkeep();
        Ok(ExitCode::Done)
    }

    /// Lets files follow what was written meanwhile, for a run that goes on.
    pub(crate) fn keep_files(&mut self) {
        self.wrote = true;
        self.follow_files();
        self.upkeep();
    }

    /// Ends the run. The hub is left as it is: the process ends now, which frees every lock, and closing the store piece by
    /// piece is a twentieth of a short command.
    pub(crate) fn leave(mut self) {
        self.follow_files();
        self.reveal_instructions();
        self.carry_out();
        std::mem::forget(self.hub.take());
    }

    /// Shows git the instructions that a person wrote into since setup hid them. What can't be written is tried again by the
    /// next command.
    fn reveal_instructions(&self) {
        if self.hub.is_some()
            && let Ok(Discovery::Found(found)) = self.discover()
            && let Some(ground) = Ground::of(&self.env, &found)
        {
            let _ = exclude::reveal(&ground);
        }
    }

    /// Does what replies left to do on this machine. It may take as long as a slow disk does, and the caller need not
    /// wait for it.
    fn carry_out(&mut self) {
        carry_out(&std::mem::take(&mut self.effects));
    }

    /// Effects on this machine, and upkeep of the store. Whatever hinders it is met again by the next command, and shown by `doctor`.
    pub(crate) fn upkeep(&mut self) {
        self.carry_out();
        if let Some(hub) = &mut self.hub {
            let _ = hub.finish();
        }
    }
}

/// What the sessions of a client can be made to do.
fn abilities(profile: &Profile) -> Abilities {
    let mut verbs = vec![ControlVerb::Stop];
    verbs.extend(profile.control.clear.as_ref().map(|_| ControlVerb::Clear));
    verbs.extend(profile.control.model.as_ref().map(|_| ControlVerb::Model));
    verbs.extend((!profile.launch.resume.is_empty()).then_some(ControlVerb::Resume));
    let typed = profile.screen.as_ref().is_some_and(|screen| screen.composer.is_some());
    let hooks = profile.hooks.as_ref().is_some_and(Hooks::bring_mail);
    let model_at_start = !profile.launch.model.is_empty();
    Abilities { client: profile.title.clone(), verbs, typed, hooks, model_at_start }
}

fn closed() -> CliError {
    CliError::new(ErrorKind::Unavailable, "the hub was closed")
}

/// What an operation has done once it has answered.
pub(crate) fn done_by(op: &str) -> Done {
    match Request::ALL.iter().find(|(name, _)| *name == op) {
        Some((_, Effect::Read)) => Done::Looked,
        _ => Done::Committed,
    }
}
