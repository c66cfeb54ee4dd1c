//! The waiter: sleeps beside an idle session and ends when something is to be said to it, which wakes it.
//!
//! One for each session: a new one replaces the one before. It leaves when its client is gone, when the session ended or
//! became another, and before the client's own limit ends it. It offers what it says and confirms nothing: the session's
//! next hook does.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Seek, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::time::{Duration, Instant};

use interagent_core::vocabulary::{Moment, SessionState};
use interagent_operations::{Hub, LocalHub, WaitFor, Waited};
use interagent_store::live;
use interagent_wire::Caller;
use interagent_wire::answer::SessionView;
use rustix::process::{Pid, Signal, kill_process};

use super::{HookCall, Output, Place, Said, ask, trouble};
use crate::config::env::Env;
use crate::config::{signals, surroundings};
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

/// Waits, and answers with what wakes the session.
pub(super) fn run(env: &Env, call: &HookCall) -> Output {
    signals::leave_when_told();
    let place = match Place::of(env, call) {
        Ok(Some(place)) => place,
        Ok(None) => return Output::default(),
        Err(error) => {
            trouble::note_near(env, call, &error);
            return Output::default();
        }
    };
    match wait(&place) {
        Ok(Some(said)) => place.output(said),
        Ok(None) => Output::default(),
        Err(error) => {
            trouble::note(&place.state_dir, call, &error);
            Output::default()
        }
    }
}

fn wait(place: &Place) -> Result<Option<Said>, CliError> {
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
    loop {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() || !is_there(&mut hub, &bound)? {
            return Ok(None);
        }
        let wanted = WaitFor::Wake { session: session.clone() };
        if hub.wait(&Caller::default(), &wanted, left.min(LOOK))? == Waited::TimeOver {
            continue;
        }
        // In a turn the other hooks hand it over; at its end another waiter begins.
        if live::sign_of(&place.state_dir, session).is_some_and(|sign| sign.state != SessionState::Idle) {
            std::thread::sleep(SHORT * 4);
            continue;
        }
        let caller = Caller { session: Some(session.clone()), ..Caller::default() };
        let said = ask(&mut hub, &caller, place.request(session.clone(), Moment::Wait))?;
        if said.text.is_some() {
            return Ok(Some(Said::of(said, session)));
        }
    }
}

/// The session's row, as soon as it is there.
fn bound(hub: &mut LocalHub, session: &str) -> Result<Option<SessionView>, CliError> {
    let until = Instant::now() + UNTIL_BOUND;
    loop {
        if let Some(found) = row(hub, session)? {
            return Ok(Some(found));
        }
        if Instant::now() > until {
            return Ok(None);
        }
        std::thread::sleep(SHORT);
    }
}

fn row(hub: &mut LocalHub, session: &str) -> Result<Option<SessionView>, CliError> {
    let reply = hub.call(&Caller::default(), interagent_wire::request::SessionList { agent: None }.into())?;
    match reply.answer {
        interagent_wire::Answer::Sessions(page) => Ok(page.items.into_iter().find(|row| row.id == session)),
        _ => Err(CliError::new(ErrorKind::Unavailable, "the hub answered with something else")),
    }
}

/// Whether the session goes on, in the same process.
fn is_there(hub: &mut LocalHub, bound: &SessionView) -> Result<bool, CliError> {
    let Some(now) = row(hub, &bound.id)? else { return Ok(false) };
    let runs = bound
        .pid
        .and_then(|pid| Pid::from_raw(i32::try_from(pid).ok()?))
        .is_none_or(|pid| rustix::process::test_kill_process(pid) != Err(rustix::io::Errno::SRCH));
    Ok(runs && now.agent == bound.agent)
}

/// Being the only waiter of a session, for as long as this lives.
struct Alone {
    _lock: File,
}

impl Alone {
    /// Takes the place of the waiter before, which is told to leave.
    fn take(place: &Place, session: &str, until: Instant) -> io::Result<Option<Self>> {
        let path = live::waiter_file(&place.state_dir, session);
        if let Some(directory) = path.parent() {
            std::fs::create_dir_all(directory)?;
        }
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .custom_flags(rustix::fs::OFlags::NOFOLLOW.bits().cast_signed())
            .open(&path)?;
        let give_up = Instant::now() + UNTIL_REPLACED;
        let mut is_told = false;
        loop {
            match file.try_lock() {
                Ok(()) => break,
                Err(TryLockError::WouldBlock) if Instant::now() > give_up => return Ok(None),
                Err(TryLockError::WouldBlock) => {
                    if !is_told {
                        is_told = dismiss(&path);
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
        write!(file, "{} {}", std::process::id(), until.as_microsecond())?;
        Ok(Some(Self { _lock: file }))
    }
}

/// Tells whoever holds the lock to leave. It holds the lock at this moment, so the number is still its own.
fn dismiss(path: &std::path::Path) -> bool {
    let holder = std::fs::read_to_string(path).unwrap_or_default();
    let pid = holder.split_whitespace().next().and_then(|pid| pid.parse().ok()).and_then(Pid::from_raw);
    match pid {
        Some(pid) => kill_process(pid, Signal::TERM).is_ok(),
        None => false,
    }
}
