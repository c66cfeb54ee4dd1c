//! One bounded run of an agent's client without a person: briefing and mail go in, a report comes out.
//!
//! Owns the order of the steps. What a client is called and how its output is read stands in its profile; that nothing of
//! it is left behind is the keeper's part.

pub(crate) mod client;
mod ending;
mod keeper;
mod plan;

use std::ffi::OsString;
use std::time::Duration;

use clap::Args;
use interagent_core::authority::OperatorAct;
use interagent_core::headless::{Assignment, prompt};
use interagent_core::limits::BODY_BYTES;
use interagent_core::name::OPERATOR;
use interagent_core::phrasing::Dialect;
use interagent_core::vocabulary::{SessionState, Via};
use interagent_operations::letters::letters;
use interagent_wire::answer::{BriefingView, HandoverView};
use interagent_wire::request as ask;
use interagent_wire::{Answer, Caller};

use self::client::Client;
use self::plan::Plan;
use crate::config::processes;
use crate::error::{CliError, ErrorKind};
use crate::exit_code::ExitCode;
use crate::session::Session;
use crate::ui::look::Role;
use crate::values;
use interagent_agents::{Reading, Said};

/// Longest prompt: one argument of a command line holds 128 KiB.
const PROMPT_BYTES: usize = 64 * 1024;
/// The profile of a person.
const HUMAN: &str = "human";
/// Characters of a line that tells what the client does.
const PROGRESS_CHARS: usize = 160;

/// Runs an agent's client once without a person, with its briefing and its mail in the prompt.
///
/// The client works in the agent's own directory, as under `interagent up`: its worktree, its workspace or the project.
/// What it says last becomes the agent's report to its superior, or to you. The run ends with the client, with
/// the time or with Ctrl-C, and leaves no process behind. Messages count as delivered once the model was asked.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  interagent run kimi\n  interagent run kimi --prompt \"Review the parser\" --timeout 30m"
)]
pub(crate) struct Run {
    /// Which agent: a name or id.
    #[arg(value_name = "AGENT", required_unless_present = "keep")]
    agent: Option<String>,
    /// What it should do, besides what waits for it.
    #[arg(short, long, value_name = "TEXT")]
    prompt: Option<String>,
    /// When it is ended at the latest.
    #[arg(long, value_name = "LENGTH", default_value = "10m", value_parser = values::length)]
    timeout: Duration,
    /// Let the client act without asking, as far as its profile says how.
    #[arg(long)]
    auto_approve: bool,
    /// Go on with the conversation of the run before.
    #[arg(long)]
    resume: bool,
    /// Watches over a client; used by the program itself.
    #[arg(long, hide = true)]
    keep: bool,
    /// The client's command line; used by the program itself.
    #[arg(last = true, hide = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

impl Run {
    pub(crate) fn run(self, session: &mut Session) -> Result<ExitCode, CliError> {
        if self.keep {
            return keeper::keep(&self.command);
        }
        if self.prompt.as_ref().is_some_and(|prompt| prompt.len() > PROMPT_BYTES || prompt.contains('\0')) {
            return Err(CliError::new(ErrorKind::Usage, "--prompt has at most 64 KiB and no NUL")
                .with_hint("write it into a file, and name the file in the prompt"));
        }
        // Nothing said is nothing to do.
        let this = Self { prompt: self.prompt.filter(|prompt| !prompt.trim().is_empty()), ..self };
        let author = author(session)?;
        let agent = this.agent.as_deref().unwrap_or_default();
        let plan = Plan::make(session, agent, this.resume)?;
        let mut run = Bound::begin(session, &plan)?;
        let done = this.carry_out(session, &plan, &mut run, &author);
        if done.is_err() {
            // What was offered goes back into the queue.
            let _ = run.end(session);
        }
        done
    }

    fn carry_out(
        &self,
        session: &mut Session,
        plan: &Plan,
        run: &mut Bound,
        author: &str,
    ) -> Result<ExitCode, CliError> {
        let handover = run.take(session)?;
        if handover.items.is_empty() && self.prompt.is_none() {
            must_have_work(session, plan, run)?;
        }
        let ready = plan.prepare(session)?;
        run.caller.tools.clone_from(&ready.tools);
        let briefing = briefing(session, run)?;
        let handed: Vec<String> = handover.items.iter().map(|mail| mail.id.clone()).collect();
        let more = handover.unread.saturating_sub(u32::try_from(handed.len()).unwrap_or(u32::MAX));
        let wish = self.prompt.as_deref().map(|text| (author, text));
        let dialect = Dialect::of(ready.tools.as_deref());
        let letters = letters(&handover.items, dialect);
        let assignment = Assignment { briefing: &briefing.text, letters: &letters, more, wish, dialect };
        let words = plan.words(&ready, &prompt(&assignment), self.auto_approve);
        if self.auto_approve && plan.headless.auto_approve.is_empty() {
            session.printer.note(Role::Quiet, &format!("{} has no option for --auto-approve", plan.title));
        }
        let mut client = Client::start(plan, &run.id, &words)?;
        run.bind(session, plan, i64::from(client.pid()))?;
        let mut reading = Reading::new(&plan.headless, BODY_BYTES);
        let (mut delivered, mut trouble) = (false, None);
        let ended = client.attend(self.timeout, |line| {
            for said in reading.take(line) {
                tell(session, &said);
            }
            if reading.was_asked() && !delivered {
                // What failed is tried again at the next line.
                trouble = run.confirm(session, &handed).err();
                delivered = trouble.is_none();
            }
        });
        // Its sweep is over before the report starts anything of ours, such as a wake.
        drop(client);
        if trouble.is_some() {
            trouble = run.confirm(session, &handed).err();
            delivered = trouble.is_none();
        }
        if let Some(error) = trouble {
            let told = error.lines().join("; ").replacen("error: ", "", 1);
            let sentence = format!("the messages arrived, and that can't be recorded: {told}");
            session.printer.note(Role::Warning, &sentence);
        }
        let delivered = if delivered { handed } else { Vec::new() };
        ending::Ending { plan, run, reading: &reading, ended: &ended, delivered }.conclude(session)
    }
}

/// Whose words the prompt holds: the operator's.
///
/// They count as such, and the client may act without asking: an agent must not start a run, least of all of itself.
fn author(session: &mut Session) -> Result<String, CliError> {
    let refused = || {
        CliError::new(ErrorKind::Refused, "a run is started by the operator, not by an agent")
            .with_code("operator_only")
            .with_hint("write to the agent: interagent send --to NAME -m TEXT")
    };
    session.authorize(OperatorAct::RunAgent, "interagent run")?;
    let Answer::Identity(known) = session.call(ask::Whoami {})?.answer else { return Err(strange()) };
    let member = known.member.ok_or_else(refused)?;
    let shown = session.call(ask::AgentShow { agent: Some(member.name.clone()) })?;
    match shown.answer {
        Answer::Agent(agent) if agent.profile != HUMAN => Err(refused()),
        Answer::Agent(_) if member.name == OPERATOR => Ok(format!("The {OPERATOR}")),
        Answer::Agent(_) => Ok(member.name),
        _ => Err(strange()),
    }
}

fn briefing(session: &mut Session, run: &Bound) -> Result<BriefingView, CliError> {
    match session.call_for(&run.caller, ask::Briefing::default().into())?.answer {
        Answer::Briefing(briefing) => Ok(briefing),
        _ => Err(strange()),
    }
}

/// Refuses a run of an agent that has no obligation and no task.
fn must_have_work(session: &mut Session, plan: &Plan, run: &Bound) -> Result<(), CliError> {
    let briefing = briefing(session, run)?;
    if !briefing.duties.is_empty() || !briefing.tasks.is_empty() {
        return Ok(());
    }
    let name = &plan.agent.name;
    Err(CliError::new(
        ErrorKind::Refused,
        format!("nothing waits for {name}: there is nothing to run it for"),
    )
    .with_code("nothing_waits")
    .with_hint(format!("say what it should do: interagent run {name} --prompt TEXT")))
}

/// Tells a person at the terminal what the client does; nobody else wants to know.
fn tell(session: &mut Session, said: &Said) {
    if !session.env.terminals.stderr || !session.is_for_people() {
        return;
    }
    let line = match said {
        Said::Tool(tool) => format!("→ {tool}"),
        Said::Text(text) => text.clone(),
    };
    session.printer.note(Role::Quiet, &interagent_core::line::one_line(&line, PROGRESS_CHARS));
}

/// The session of a run, bound to its agent.
struct Bound {
    id: String,
    caller: Caller,
}

impl Bound {
    /// Binds the session, to this process until there is a client.
    fn begin(session: &mut Session, plan: &Plan) -> Result<Self, CliError> {
        let id = plan::new_session_id()?;
        let boot = session.caller().boot.clone();
        // Named too, so that it is nobody else when a hook of the client has ended the session.
        let agent = Some(plan.agent.name.clone());
        let caller = Caller { agent, session: Some(id.clone()), boot, ..Caller::default() };
        let request = ask::SessionBind {
            session: id.clone(),
            agent: Some(plan.agent.id.clone()),
            profile: Some(plan.agent.profile.clone()),
            pid: Some(i64::from(std::process::id())),
            cwd: plan.directory.to_str().map(str::to_owned),
            state: Some(SessionState::Busy),
            ..ask::SessionBind::default()
        };
        session.call(request).map_err(|error| match error.has_code("second_session") {
            // A run is a session of its own: it joins none.
            true => error
                .without_hints()
                .with_hint(format!("it works now: interagent send --to {} -m TEXT", plan.agent.name))
                .with_hint("where it is gone: interagent session list, then interagent session end SESSION"),
            false => error,
        })?;
        Ok(Self { id, caller })
    }

    /// The client's process is there: whatever it starts belongs to the agent.
    fn bind(&self, session: &mut Session, plan: &Plan, pid: i64) -> Result<(), CliError> {
        // One that ended already is noticed by whoever attends it.
        let Some(started) = processes::started_at(pid) else { return Ok(()) };
        let request = ask::SessionBind {
            session: self.id.clone(),
            agent: Some(plan.agent.id.clone()),
            pid: Some(pid),
            started: Some(started),
            state: Some(SessionState::Busy),
            ..ask::SessionBind::default()
        };
        session.call_for(&self.caller, request.into()).map(drop)
    }

    /// Takes as much mail as the prompt holds: what is not in it is not offered.
    fn take(&self, session: &mut Session) -> Result<HandoverView, CliError> {
        let take = ask::OfferTake { via: Some(Via::Headless), one_prompt: true, ..ask::OfferTake::default() };
        match session.call_for(&self.caller, take.into())?.answer {
            Answer::Handover(handover) => Ok(handover),
            _ => Err(strange()),
        }
    }

    /// The model was asked: what was in the prompt has arrived.
    fn confirm(&self, session: &mut Session, messages: &[String]) -> Result<(), CliError> {
        if messages.is_empty() {
            return Ok(());
        }
        let request = ask::OfferConfirm { messages: messages.to_vec() };
        session.call_for(&self.caller, request.into()).map(drop)
    }

    fn end(&self, session: &mut Session) -> Result<(), CliError> {
        session.call_for(&self.caller, ask::SessionEnd { session: self.id.clone() }.into()).map(drop)
    }
}

fn strange() -> CliError {
    CliError::new(ErrorKind::Unavailable, "the hub answered with something else")
}
