//! The supervisor: sleeps until something is due or new, looks at it, and has it done.
//!
//! Owns the loop and nothing of what it decides: the steps are the hub's. Slow acts run beside it, each with a limit of its
//! own; what became of them goes into the store, which wakes the loop.

pub(crate) mod alone;
mod channels;
mod controls;
mod titles;

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use interagent_core::backoff::pause_s;
use interagent_core::refusal::Refusal;
use interagent_operations::carry_out;
use interagent_operations::ladder::{Abilities, Act, Cursor, End, Supervision};
use serde_json::json;

use self::alone::Alone;
use self::channels::Machine;
use self::controls::Controls;
use crate::config::hub::{HubKind, NotThere};
use crate::config::signals::Leaving;
use crate::crew::Scene;
use crate::crew::life::SeenOnScreens;
use crate::error::{CliError, ErrorKind};
use crate::exit_code::ExitCode;
use crate::notify::{Herald, Place, Replies, Said, aloud};
use crate::session::{Done, Session, no_hub};
use crate::ui::look::Role;

/// How often everything is looked through for what was missed.
const SWEEP: Duration = Duration::from_secs(60);
/// How often the end of an act is looked for, by a run that ends with it.
const LOOK: Duration = Duration::from_millis(20);
/// How often a wish to leave is looked for while something is typed.
const BUSY: Duration = Duration::from_millis(500);
/// How long what is under way may take when it leaves: a line that is typed comes to its end, and so does a notice that is
/// sent.
const LAST: Duration = Duration::from_secs(12);
/// What no waiting helps against: another program than this one has to be used.
const FOR_GOOD: [&str; 5] =
    ["store_newer", "store_older", "store_foreign", "store_unsupported", "store_file_system"];

/// How long a supervisor stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stay {
    /// Until nothing is due.
    UntilDone,
    /// Until it is told to leave.
    UntilTold,
}

/// What a supervisor says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Aloud {
    /// What it does.
    Steps,
    /// Nothing.
    Nothing,
}

/// Supervises the hub of this run.
pub(crate) fn run(session: &mut Session, stay: Stay, aloud: Aloud) -> Result<ExitCode, CliError> {
    let leaving = Leaving::when_told();
    let hub = session.hub()?;
    hub.store().must_be_decided()?;
    let state_dir = hub.state_dir().to_owned();
    let alone = Alone::take(&state_dir).map_err(|source| {
        CliError::new(ErrorKind::Unavailable, "the supervisor's lock can't be taken").with_source(source)
    })?;
    let _alone = match alone {
        Ok(alone) => alone,
        Err(pid) => return other_one(session, pid),
    };
    let machine = Arc::new(Machine::of(session)?);
    let mut supervisor = Supervisor::new(session, machine, state_dir, stay, aloud);
    let stayed = supervisor.stay(&leaving);
    supervisor.finish();
    stayed?;
    supervisor.end()
}

/// Somebody supervises already, which is all that was wanted.
fn other_one(session: &mut Session, pid: Option<i64>) -> Result<ExitCode, CliError> {
    let seq = session.hub()?.store().head()?.seq;
    if session.is_for_people() {
        let who = pid.map_or_else(|| "another process".to_owned(), |pid| format!("process {pid}"));
        session
            .printer
            .line(&[(Role::Quiet, "nothing to do: "), (Role::Plain, &format!("{who} supervises this hub"))]);
    } else {
        session.document(seq, &json!({ "supervised_by": pid }));
    }
    session.conclude(Done::Looked)
}

struct Supervisor<'s> {
    session: &'s mut Session,
    machine: Arc<Machine>,
    state_dir: PathBuf,
    abilities: Abilities,
    controls: Controls,
    /// Tells the person; there once it has begun.
    herald: Option<Herald>,
    has_begun: bool,
    /// How often in a row the store could not be used.
    failures: usize,
    cursor: Cursor,
    stay: Stay,
    aloud: Aloud,
    swept: Instant,
    /// Acts that run beside the loop.
    running: Arc<AtomicUsize>,
    done: (Sender<Finished>, Receiver<Finished>),
}

/// An act that came to its end.
struct Finished {
    agent: String,
    /// What was tried: a way to reach it, or what its session was to do.
    what: String,
    end: End,
}

impl<'s> Supervisor<'s> {
    fn new(
        session: &'s mut Session,
        machine: Arc<Machine>,
        state_dir: PathBuf,
        stay: Stay,
        aloud: Aloud,
    ) -> Self {
        let (running, done) = (Arc::new(AtomicUsize::new(0)), channel());
        Self {
            session,
            machine,
            state_dir,
            abilities: Abilities::default(),
            controls: Controls::default(),
            herald: None,
            has_begun: false,
            failures: 0,
            cursor: Cursor::default(),
            stay,
            aloud,
            swept: Instant::now(),
            running,
            done,
        }
    }

    /// Goes on until nothing is due, or it is told to leave.
    fn stay(&mut self, leaving: &Leaving) -> Result<(), CliError> {
        if self.stay == Stay::UntilTold && self.aloud == Aloud::Steps && self.session.is_for_people() {
            self.session.printer.note(Role::Quiet, "supervising; Ctrl-C ends it, and nothing is lost");
        }
        loop {
            let flow = match self.round(leaving) {
                Ok(flow) => {
                    self.failures = 0;
                    flow
                }
                Err(error) => self.put_up_with(error, leaving)?,
            };
            if flow.is_break() {
                return Ok(());
            }
        }
    }

    fn round(&mut self, leaving: &Leaving) -> Result<ControlFlow<()>, CliError> {
        leaving.hold_off();
        must_be_there(&self.state_dir)?;
        if !self.has_begun {
            self.begin(leaving)?;
            self.has_begun = true;
        }
        self.pass()?;
        if self.may_leave(leaving) || (self.stay == Stay::UntilDone && self.is_done()?) {
            return Ok(ControlFlow::Break(()));
        }
        match self.stay {
            Stay::UntilTold => self.sleep(leaving),
            Stay::UntilDone => {
                std::thread::sleep(LOOK);
                Ok(ControlFlow::Continue(()))
            }
        }
    }

    /// A store that can't be used for a while is tried again, less and less often; what no waiting helps against ends it.
    fn put_up_with(&mut self, error: CliError, leaving: &Leaving) -> Result<ControlFlow<()>, CliError> {
        if self.stay == Stay::UntilDone || !may_pass(&error) {
            return Err(error);
        }
        if self.failures == 0 {
            let words = format!("{}; it is tried again until that is over", error.sentence());
            self.session.printer.note(Role::Warning, &words);
        }
        let until = Instant::now() + Duration::from_secs(pause_s(self.failures));
        self.failures += 1;
        // What was opened may be the trouble.
        self.session.close_hub();
        loop {
            if self.may_leave(leaving) {
                return Ok(ControlFlow::Break(()));
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(ControlFlow::Continue(()));
            }
            std::thread::sleep(if self.is_busy() { left.min(BUSY) } else { left });
        }
    }

    /// Whether it was told to leave. While something is typed or sent a signal is only noted: a line without its Enter would
    /// stay in somebody's terminal.
    fn may_leave(&self, leaving: &Leaving) -> bool {
        match self.is_busy() {
            true => leaving.is_told(),
            false => leaving.let_go(),
        }
    }

    fn is_busy(&self) -> bool {
        self.running.load(Ordering::SeqCst) > 0 || self.herald.as_ref().is_some_and(Herald::is_busy)
    }

    fn begin(&mut self, leaving: &Leaving) -> Result<(), CliError> {
        if self.herald.is_none() {
            let scene = Scene::load(self.session, None)?;
            let herald = self.send_herald(&scene, leaving);
            let asked = herald.looker();
            self.herald = Some(herald);
            if self.stay == Stay::UntilTold {
                let (machine, its) = (Arc::clone(&self.machine), Arc::clone(&self.machine));
                let now = move || {
                    let crew = (machine.door)().ok()?.crew().ok()?;
                    Some(Scene { crew, profiles: (machine.profiles)().ok()?, ..scene.clone() })
                };
                let saw = move |seen: &SeenOnScreens| {
                    if seen.context.is_empty() && seen.answered.is_empty() {
                        return;
                    }
                    // What can't be noted now is seen again at the next look.
                    let Ok(mut hub) = (its.door)() else { return };
                    for (session, left) in &seen.context {
                        carry_out(&hub.saw_context(session, *left).unwrap_or_default());
                    }
                    for seen in &seen.answered {
                        let _ = hub.saw_no_prompt(&seen.session, seen.newest, seen.state);
                    }
                };
                titles::keep(self.state_dir.clone(), now, saw, asked);
            }
        }
        let mut acts = Vec::new();
        let steps = self.supervision()?.begin(&mut acts);
        self.follow_up(acts, steps).map(drop)
    }

    /// Begins to tell the person, by the ways that the team wishes for and the user allows.
    fn send_herald(&self, scene: &Scene, leaving: &Leaving) -> Herald {
        let place = Place { env: self.session.env.clone(), hub_dir: scene.hub_dir.clone() };
        let (voice, how) = (self.session.voice(), self.aloud);
        let say = move |said: &Said<'_>| {
            // What did not get there stands in the trace; that a desktop is missing is no news at every notice.
            if how == Aloud::Steps && !matches!(said, Said::Trouble(_)) {
                aloud(&mut voice(), said);
            }
        };
        let replies = match self.stay {
            Stay::UntilTold => Replies::Taken,
            Stay::UntilDone => Replies::LeftAlone,
        };
        Herald::start(Box::new(self.session.door()), place, replies, leaving.clone(), say)
    }

    /// Takes every step that is due.
    fn pass(&mut self) -> Result<(), CliError> {
        self.tell_finished()?;
        if self.swept.elapsed() >= SWEEP {
            self.swept = Instant::now();
            let mut acts = Vec::new();
            let steps = self.supervision()?.sweep(&mut acts);
            self.follow_up(acts, steps)?;
            self.keep()?;
        }
        let mut acts = Vec::new();
        let steps = self.supervision()?.pass(&mut acts);
        if self.follow_up(acts, steps)? {
            self.keep()?;
        }
        self.control()?;
        self.session.keep_files();
        Ok(())
    }

    fn supervision(&mut self) -> Result<Supervision<'_>, CliError> {
        self.abilities = self.machine.abilities()?;
        let Self { session, abilities, cursor, .. } = self;
        Ok(session.hub()?.supervision(abilities, cursor))
    }

    /// Has done what steps left to do, also where they then failed: nobody would do it later. Whether the person is told
    /// something.
    fn follow_up(&mut self, acts: Vec<Act>, steps: Result<(), Refusal>) -> Result<bool, CliError> {
        let has_told = acts.iter().any(|act| matches!(act, Act::Look | Act::Tell(_)));
        self.act(acts)?;
        steps?;
        Ok(has_told)
    }

    fn keep(&mut self) -> Result<(), CliError> {
        Ok(self.supervision()?.keep()?)
    }

    fn is_done(&mut self) -> Result<bool, CliError> {
        if self.running.load(Ordering::SeqCst) > 0 {
            return Ok(false);
        }
        Ok(!self.supervision()?.is_behind()?)
    }

    /// Sleeps until there is something to do. What runs beside the loop is looked at now and then.
    fn sleep(&mut self, leaving: &Leaving) -> Result<ControlFlow<()>, CliError> {
        let left = SWEEP.saturating_sub(self.swept.elapsed());
        let until = Instant::now() + self.controls.rest().map_or(left, |rest| rest.min(left));
        loop {
            let (begun, running) = (Instant::now(), self.running.load(Ordering::SeqCst));
            let left = until.saturating_duration_since(begun);
            let left = if self.is_busy() { left.min(BUSY) } else { left };
            self.supervision()?.wait(left)?;
            if self.may_leave(leaving) {
                return Ok(ControlFlow::Break(()));
            }
            let is_woken = begun.elapsed() < left;
            let is_other = self.running.load(Ordering::SeqCst) != running;
            if is_woken || is_other || Instant::now() >= until {
                return Ok(ControlFlow::Continue(()));
            }
        }
    }

    /// Lets what is under way come to its end, for a while.
    fn finish(&mut self) {
        let until = Instant::now() + LAST;
        while self.running.load(Ordering::SeqCst) > 0 && Instant::now() < until {
            std::thread::sleep(LOOK);
        }
        if let Some(herald) = self.herald.take() {
            herald.finish(until);
        }
    }

    fn end(&mut self) -> Result<ExitCode, CliError> {
        self.tell_finished()?;
        if self.has_begun {
            self.keep()?;
        }
        self.session.conclude(Done::Committed)
    }

    /// Has acts done: slow ones beside the loop.
    fn act(&mut self, acts: Vec<Act>) -> Result<(), CliError> {
        for act in acts {
            match act {
                Act::Effects(effects) => carry_out(&effects),
                Act::Look => self.herald.iter().for_each(Herald::look),
                Act::Tell(notice) => self.herald.iter().for_each(|herald| herald.tell(notice.clone())),
                Act::Reach { .. } => self.start(act),
            }
        }
        self.session.deliver(Done::Committed).map(drop)
    }

    fn start(&mut self, act: Act) {
        let machine = Arc::clone(&self.machine);
        self.beside(move || {
            let (target, outcome) = machine.carry_out(&act)?;
            Some(Finished { agent: target.name, what: outcome.channel.to_string(), end: outcome.end })
        });
    }

    /// Has what is wanted of agents' own sessions carried out.
    fn control(&mut self) -> Result<(), CliError> {
        let due = self.controls.due(self.session.hub()?)?;
        for (view, flight) in due {
            let machine = Arc::clone(&self.machine);
            self.beside(move || {
                let _flight = flight;
                let done = controls::carry_out(&machine, &view);
                // What went wrong on the way is nobody's outcome: it is tried again.
                let end = done.unwrap_or_else(|error| Some(End::PutOff(error.sentence())))?;
                Some(Finished { agent: view.agent.name, what: view.verb.to_string(), end })
            });
        }
        Ok(())
    }

    /// Does something slow beside the loop, which is told when it ended.
    fn beside(&mut self, act: impl FnOnce() -> Option<Finished> + Send + 'static) {
        let done = self.done.0.clone();
        self.running.fetch_add(1, Ordering::SeqCst);
        let running = Running(Arc::clone(&self.running));
        std::thread::spawn(move || {
            let _running = running;
            if let Some(finished) = act() {
                // The loop may be gone by now.
                let _ = done.send(finished);
            }
        });
    }

    fn tell_finished(&mut self) -> Result<(), CliError> {
        while let Ok(Finished { agent, what, end }) = self.done.1.try_recv() {
            if self.aloud == Aloud::Nothing {
                continue;
            }
            if self.session.is_for_people() {
                let words = match &end {
                    End::Done => format!(": {what} done"),
                    End::Failed(why) => format!(": {what} failed: {why}"),
                    End::PutOff(why) => format!(": {what} put off: {why}"),
                };
                self.session.printer.line(&[(Role::Name, &agent), (Role::Plain, &words)]);
            } else {
                let seq = self.session.hub()?.store().reached();
                let is_put_off = matches!(end, End::PutOff(_));
                let document =
                    json!({ "agent": agent, "way": what, "failed": end.why(), "put_off": is_put_off });
                self.session.document(seq, &document);
            }
        }
        self.session.deliver(Done::Committed).map(drop)
    }
}

/// Counts one act for as long as it runs, also where it ends badly.
struct Running(Arc<AtomicUsize>);

impl Drop for Running {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

/// The store has to be where it was: it is never made anew by who supervises it.
fn must_be_there(state_dir: &Path) -> Result<(), CliError> {
    if !state_dir.is_dir() {
        let would_be = state_dir.parent().unwrap_or(state_dir).to_owned();
        return Err(no_hub(&NotThere { would_be, kind: HubKind::Named }));
    }
    match state_dir.join("hub.db").exists() {
        true => Ok(()),
        false => Err(CliError::new(ErrorKind::Unavailable, "the store is not there")),
    }
}

/// Whether an error may be over after a while.
fn may_pass(error: &CliError) -> bool {
    matches!(error.kind(), ErrorKind::Unavailable | ErrorKind::Conflict)
        && !FOR_GOOD.iter().any(|code| error.has_code(code))
}
