//! The waiter: sleeps beside an idle session and ends when something is to be said to it, which wakes it.
//!
//! One for each session: a new one replaces the one before. It leaves when its client is gone, when the session ended or
//! became another, and before the client's own limit ends it. It offers what it says and confirms nothing: the session's
//! next hook does. Where a client takes what it says for a person's words, it says a fixed line and offers nothing.

use std::fs::{File, TryLockError};
use std::io::{self, Seek, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use interagent_agents::Says;
use interagent_core::hook::WAKE_LINE;
use interagent_core::vocabulary::{Moment, SessionState};
use interagent_operations::{Hub, LocalHub, WaitFor, Waited};
use interagent_store::SystemClock;
use interagent_store::live::{self, Waiter};
use interagent_store::observe::SessionRow;
use interagent_store::side::{self, Access};
use interagent_wire::Caller;
use rustix::process::{Pid, Signal, kill_process};

use super::{HookCall, Output, Place, Said, ask, trouble};
use crate::config::env::Env;
use crate::config::signals::Leaving;
use crate::config::surroundings;
use crate::error::{CliError, ErrorKind};

/// How often it looks whether its client is still there.
const LOOK: Duration = Duration::from_secs(20);
/// The session is bound by another hook of the same event; that may take a moment.
const UNTIL_BOUND: Duration = Duration::from_secs(10);
/// How long the waiter before may take to leave.
const UNTIL_REPLACED: Duration = Duration::from_secs(3);
/// How long it stays where the profile does not say.
const STAYS: Duration = Duration::from_secs(3600);
const SHORT: Duration = Duration::from_millis(50);
/// Longest pause while the session is bound.
const BETWEEN_LOOKS: Duration = Duration::from_secs(1);
/// Longest pause while something waits that can't be said yet.
const IN_A_TURN: Duration = Duration::from_secs(5);

/// Waits, and answers with what wakes the session.
pub(super) fn run(env: &Env, call: &HookCall) -> Output {
    let leaving = Leaving::when_told();
    let place = match Place::of(env, call) {
        Ok(Some(place)) => place,
        Ok(None) => return Output::default(),
        Err(error) => {
            trouble::note_near(env, call, &error);
            return Output::default();
        }
    };
    match wait(&place, &leaving) {
        Ok(Some(said)) => place.output(said),
        Ok(None) => Output::default(),
        Err(error) => {
            trouble::note(&place.state_dir, call, &error);
            Output::default()
        }
    }
}

fn wait(place: &Place, leaving: &Leaving) -> Result<Option<Said>, CliError> {
    let Some(session) = &place.session else { return Ok(None) };
    let unattended = place.profile.wake.iter().flat_map(|wake| &wake.unattended);
    if unattended.into_iter().any(|(name, value)| surroundings::has_variable(name, value)) {
        return Ok(None);
    }
    let stays = place.profile.wake.as_ref().and_then(|wake| wake.seconds);
    let until = Instant::now() + stays.map_or(STAYS, |seconds| Duration::from_secs(seconds.into()));
    let mut hub = place.open()?;
    let Some(bound) = bound(&mut hub, session)? else { return Ok(None) };
    let alone = Alone::take(place, session, until).map_err(|e| {
        CliError::new(ErrorKind::Unavailable, "the waiter's lock can't be taken").with_source(e)
    })?;
    let Some(_alone) = alone else { return Ok(None) };
    let mut pause = Pause::up_to(IN_A_TURN);
    loop {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() || !is_there(&mut hub, &bound)? {
            return Ok(None);
        }
        let wanted = WaitFor::Wake { session: session.clone() };
        if hub.wait(&Caller::default(), &wanted, left.min(LOOK))? == Waited::TimeOver {
            pause = Pause::up_to(IN_A_TURN);
            continue;
        }
        // In a turn the other hooks hand it over; at its end another waiter begins.
        let sign = live::sign_of(&place.state_dir, session);
        if sign.is_none_or(|sign| sign.state == SessionState::Idle) {
            // What is offered has to be said.
            leaving.hold_off();
            if let Some(said) = said(place, &mut hub, session)? {
                return Ok(Some(said));
            }
            if leaving.let_go() {
                return Ok(None);
            }
        }
        pause.wait();
    }
}

/// What wakes the session now.
fn said(place: &Place, hub: &mut LocalHub, session: &str) -> Result<Option<Said>, CliError> {
    match place.profile.wake.as_ref().map(|wake| wake.says).unwrap_or_default() {
        Says::Line => Ok(hub.woken_by_waiter(session)?.map(|_| Said::plain(Some(WAKE_LINE.to_owned())))),
        Says::Mail => {
            let caller = Caller { session: Some(session.to_owned()), ..Caller::default() };
            let said = Said::of(ask(hub, &caller, place.request(session.to_owned(), Moment::Wait))?, session);
            Ok(said.text.is_some().then_some(said))
        }
    }
}

/// Pauses that grow: what did not happen at once may take long.
struct Pause {
    next: Duration,
    longest: Duration,
}

impl Pause {
    fn up_to(longest: Duration) -> Self {
        Self { next: SHORT, longest }
    }

    fn wait(&mut self) {
        std::thread::sleep(self.next);
        self.next = (self.next * 2).min(self.longest);
    }
}

/// The session's row, as soon as it is there.
fn bound(hub: &mut LocalHub, session: &str) -> Result<Option<SessionRow>, CliError> {
    let until = Instant::now() + UNTIL_BOUND;
    let mut pause = Pause::up_to(BETWEEN_LOOKS);
    loop {
        if let Some(found) = hub.session(session)?.filter(|row| row.state != SessionState::Ended) {
            return Ok(Some(found));
        }
        if Instant::now() > until {
            return Ok(None);
        }
        pause.wait();
    }
}

/// Whether the session goes on, in the same process.
fn is_there(hub: &mut LocalHub, bound: &SessionRow) -> Result<bool, CliError> {
    let Some(now) = hub.session(&bound.id)? else { return Ok(false) };
    let goes_on = now.state != SessionState::Ended && now.agent == bound.agent;
    Ok(goes_on && !bound.is_gone(&SystemClock::new()))
}

/// Being the only waiter of a session, for as long as this lives.
struct Alone {
    lock: File,
}

impl Alone {
    /// Takes the place of the waiter before, which is told to leave.
    fn take(place: &Place, session: &str, until: Instant) -> io::Result<Option<Self>> {
        let path = live::waiter_file(&place.state_dir, session);
        if let Some(directory) = path.parent() {
            std::fs::create_dir_all(directory)?;
        }
        let mut file = side::open(&path, Access::Update)?;
        let give_up = Instant::now() + UNTIL_REPLACED;
        let mut is_told = false;
        loop {
            match file.try_lock() {
                Ok(()) => break,
                Err(TryLockError::WouldBlock) if Instant::now() > give_up => return Ok(None),
                Err(TryLockError::WouldBlock) => {
                    if !is_told {
                        is_told = dismiss(&place.state_dir, session);
                    }
                    std::thread::sleep(SHORT);
                }
                Err(TryLockError::Error(error)) => return Err(error),
            }
        }
        let left = until.saturating_duration_since(Instant::now());
        let until = jiff::Timestamp::now().checked_add(left).unwrap_or(jiff::Timestamp::MAX);
        file.set_len(0)?;
        file.rewind()?;
        file.write_all(Waiter::this(until.as_microsecond()).to_string().as_bytes())?;
        Ok(Some(Self { lock: file }))
    }
}

impl Drop for Alone {
    fn drop(&mut self) {
        // What stays is read as a process that is gone.
        let _ = self.lock.set_len(0);
    }
}

/// Tells the waiter before to leave, if that very process is still there: its number may be a stranger's by now.
fn dismiss(state_dir: &Path, session: &str) -> bool {
    let before = live::waiter(state_dir, session).and_then(|waiter| i32::try_from(waiter.pid).ok());
    before.and_then(Pid::from_raw).is_some_and(|pid| kill_process(pid, Signal::TERM).is_ok())
}
