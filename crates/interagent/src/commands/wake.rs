//! `interagent wake`: tells an agent's idle session that mail waits, by its client's own way, or in its terminal.
//!
//! Only a line travels this way, never a message: it arrives like something a person typed. The messages come with it, by
//! the hook, in their envelopes.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use clap::Args;
use interagent_agents::{Fill, Profile, Profiles, Wake as ProfileWake, fill};
use interagent_core::hook::WAKE_LINE;
use interagent_core::ids::AgentId;
use interagent_core::refusal::Refusal;
use interagent_core::vocabulary::WakeWay;
use interagent_wake::nudge::Outcome;
use interagent_wire::answer::{WakeTarget, WakeView};
use interagent_wire::request::SessionWake;
use interagent_wire::{Answer, Reply};
use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::{Value, json};

use crate::config::programs;
use crate::crew::terminal::{Front, Terminal};
use crate::error::{CliError, ErrorKind};
use crate::exit_code::ExitCode;
use crate::session::{Done, Session};
use crate::ui::look::Role;

/// A client that takes longer to be told is not told.
const LIMIT: Duration = Duration::from_secs(10);

/// Wakes an agent's idle session when mail waits for it.
///
/// Sending does this by itself where the client can be told from outside; each set of waiting messages wakes once. A session of
/// Claude Code or OpenCode needs none of it: its own waiter wakes it. Where only its terminal is left, and that is a pane of
/// tmux, one line is typed there as soon as it disturbs nobody, which takes some seconds. It ends with 1 where mail waits and
/// only a person can help.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  interagent wake kimi")]
pub(crate) struct Wake {
    /// Its name or id.
    agent: String,
    /// Wait a moment for related mail before waking.
    #[arg(long, hide = true)]
    collect: bool,
}

impl Wake {
    /// Of an agent, for another command.
    pub(super) fn of(agent: String) -> Self {
        Self { agent, collect: false }
    }

    pub(crate) fn run(self, session: &mut Session) -> Result<ExitCode, CliError> {
        let profiles = session.profiles()?;
        if self.collect {
            session.hub()?.collect_mail(&self.agent)?;
        }
        let mut woken = wake_sessions(&profiles, &self.agent, &mut |request| session.call(request))?;
        // Agents press no keys in each other's terminals.
        if !woken.sees && session.is_operator() {
            type_a_line(session, &profiles, &mut woken)?;
        }
        tell(session, &woken);
        session.conclude(Done::Committed)?;
        Ok(if woken.has_failed || !woken.sees { ExitCode::Refused } else { ExitCode::Done })
    }
}

/// What became of waking an agent's sessions.
pub(crate) struct Woken {
    view: WakeView,
    unchanged: Option<String>,
    seq: i64,
    /// Each session with what became of it, in words.
    shown: Vec<(String, String)>,
    /// A client that could be told was not.
    pub(crate) has_failed: bool,
    /// The agent sees its mail without a person's help.
    sees: bool,
}

/// Tells the idle sessions of an agent that mail waits, each by its client's way, and records what became of it.
pub(crate) fn wake_sessions(
    profiles: &Profiles,
    agent: &str,
    call: &mut dyn FnMut(SessionWake) -> Result<Reply, CliError>,
) -> Result<Woken, CliError> {
    let reply = call(SessionWake { agent: agent.to_owned(), ..SessionWake::default() })?;
    let Answer::Wake(view) = reply.answer else {
        return Err(CliError::new(ErrorKind::Unavailable, "the hub answered with something else"));
    };
    let set = Some(view.set.clone());
    let mut report = SessionWake { agent: agent.to_owned(), set, ..SessionWake::default() };
    let mut sees = view.waiting == 0;
    let mut shown = Vec::new();
    for target in &view.targets {
        let done = target.way.map(|way| wake(profiles, target, way));
        match &done {
            None => sees |= target.sees,
            Some(Ok(())) => report.woken.push(target.session.clone()),
            Some(Err(_)) => report.failed.push(target.session.clone()),
        }
        let words = match &done {
            None => target.reach.clone(),
            Some(Ok(())) => "woken".to_owned(),
            Some(Err(error)) => error.lines().join(" "),
        };
        shown.push((target.session.clone(), words));
    }
    let has_failed = !report.failed.is_empty();
    sees |= !report.woken.is_empty();
    if has_failed || !report.woken.is_empty() {
        call(report)?;
    }
    Ok(Woken { view, unchanged: reply.unchanged, seq: reply.seq, shown, has_failed, sees })
}

/// Types the line into the terminal of an agent that nothing else wakes; what came of it is told in the place of how it is reached.
fn type_a_line(session: &mut Session, profiles: &Profiles, woken: &mut Woken) -> Result<(), CliError> {
    let agent = AgentId::parse(&woken.view.agent.id).map_err(Refusal::from)?;
    let name = woken.view.agent.name.clone();
    let hub = session.hub()?;
    // Without a terminal, what was found out before says why it can't be woken.
    let Some(front) = Front::of(hub, &agent)? else { return Ok(()) };
    let Ok(terminal) = Terminal::at(hub, profiles, (&agent, &name), &front) else { return Ok(()) };
    let progress = session.progress("waiting until nobody is disturbed");
    let typed = terminal.nudge()?;
    drop(progress);
    woken.sees = typed == Outcome::Submitted;
    let words = match woken.sees {
        true => "a line was typed into its terminal".to_owned(),
        false => typed.to_string(),
    };
    woken.shown.truncate(0);
    woken.shown.push((front.name().to_owned(), words));
    Ok(())
}

fn tell(session: &mut Session, Woken { view, unchanged, seq, shown, .. }: &Woken) {
    if !session.is_for_people() {
        let rows: Vec<Value> =
            shown.iter().map(|(id, words)| json!({ "session": id, "outcome": words })).collect();
        session.document(*seq, &json!({ "agent": view.agent, "waiting": view.waiting, "sessions": rows }));
        return;
    }
    if let Some(why) = unchanged.as_deref().filter(|_| view.waiting == 0) {
        session.printer.line(&[(Role::Quiet, "nothing to do: "), (Role::Plain, why)]);
    }
    if view.waiting > 0 && shown.is_empty() {
        let name = &view.agent.name;
        let waits = match view.waiting {
            1 => "1 message waits".to_owned(),
            count => format!("{count} messages wait"),
        };
        let sentence = format!("{waits} for {name}, and it has no session to wake");
        session.printer.line(&[(Role::Warning, &sentence)]);
        session.suggest(&[&format!("interagent run {name}"), &format!("interagent relay --to {name}")]);
    }
    for (id, words) in shown {
        session.printer.line(&[
            (Role::Name, &view.agent.name),
            (Role::Quiet, &format!(" {id}: ")),
            (Role::Plain, words),
        ]);
    }
}

fn wake(profiles: &Profiles, target: &WakeTarget, way: WakeWay) -> Result<(), CliError> {
    let profile = profiles.get(&target.profile);
    let Some((profile, wake)) = profile.and_then(|profile| profile.wake.clone().map(|wake| (profile, wake)))
    else {
        return Err(CliError::new(ErrorKind::Refused, format!("{} has no way to be woken", target.profile)));
    };
    let line = WAKE_LINE;
    match way {
        WakeWay::Command => by_command(profiles, &profile, &wake, target, line),
        WakeWay::File => by_file(&wake, target, line),
        WakeWay::Waiter => Ok(()),
    }
}

fn by_command(
    profiles: &Profiles,
    profile: &Profile,
    wake: &ProfileWake,
    target: &WakeTarget,
    line: &str,
) -> Result<(), CliError> {
    let name = profile.executable.as_deref().unwrap_or(&profile.name);
    let found = programs::find(profiles, profile);
    // Another client may have a program of the same name: the name alone is not enough.
    let executable = found.as_deref().and_then(Path::to_str).unwrap_or_default();
    let places = [
        ("{executable}", Fill::Text(executable)),
        ("{session}", Fill::Text(&target.session)),
        ("{text}", Fill::Text(line)),
    ];
    let words = fill(&json!(wake.command), &places);
    let words: Vec<&str> = words.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let Some((program, arguments)) = words.split_first() else {
        return Err(CliError::new(ErrorKind::Refused, format!("{} names no command", profile.name)));
    };
    let failed = |why: String| {
        let program = if program.is_empty() { name } else { program };
        CliError::new(ErrorKind::Unavailable, format!("`{program}` did not wake the session: {why}"))
            .with_hint("interagent doctor")
    };
    let path = programs::named(program).ok_or_else(|| failed("it is not on the search path".to_owned()))?;
    // Where the sender works is nothing to the session.
    let cwd = target.cwd.as_deref().map(Path::new).filter(|cwd| cwd.is_absolute() && cwd.is_dir());
    let mut child = Command::new(path)
        .args(arguments)
        .current_dir(cwd.unwrap_or(Path::new("/")))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .process_group(0)
        .spawn()
        .map_err(|error| failed(error.to_string()))?;
    if !programs::ends_within(&mut child, LIMIT) {
        // With what it started: many clients are a script that starts the program.
        if let Some(group) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
            let _ = kill_process_group(group, Signal::KILL);
        }
        let _ = child.wait();
        return Err(failed(format!("it did not end within {} s", LIMIT.as_secs())));
    }
    let ended = child.wait().map_err(|error| failed(error.to_string()))?;
    match ended.success() {
        true => Ok(()),
        false => Err(failed(ended.to_string())),
    }
}

/// Writes the line to the file that the client was started with.
fn by_file(wake: &ProfileWake, target: &WakeTarget, line: &str) -> Result<(), CliError> {
    let file = target.pid.zip(wake.option.as_deref()).and_then(|(pid, option)| input_file(pid, option));
    let (Some(file), Some(template)) = (file, &wake.line) else {
        return Err(CliError::new(ErrorKind::Refused, "the client was not started so that it can be woken")
            .with_hint(format!("start it with {} FILE", wake.option.as_deref().unwrap_or("its option"))));
    };
    let document = fill(template, &[("{text}", Fill::Text(line))]);
    append(&file, &format!("{document}\n")).map_err(|source| {
        let sentence = format!("`{}` can't be written", file.display());
        CliError::new(ErrorKind::Unavailable, sentence).with_source(source)
    })
}

/// Adds a line at once and never waits: a pipe that nobody reads from can't be opened.
fn append(path: &Path, line: &str) -> io::Result<()> {
    let mut options = OpenOptions::new();
    let nonblocking = rustix::fs::OFlags::NONBLOCK.bits().cast_signed();
    let mut file = options.append(true).custom_flags(nonblocking).open(path)?;
    let kind = file.metadata()?.file_type();
    if !kind.is_file() && !kind.is_fifo() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is neither a file nor a pipe"));
    }
    file.write_all(line.as_bytes())
}

/// The file that an option on the command line of a process names.
pub(crate) fn input_file(pid: i64, option: &str) -> Option<PathBuf> {
    let line = std::fs::read(format!("/proc/{pid}/cmdline")).ok()?;
    let words: Vec<String> =
        line.split(|byte| *byte == 0).map(|w| String::from_utf8_lossy(w).into_owned()).collect();
    let named = words.iter().enumerate().find_map(|(at, word)| match word.strip_prefix(option) {
        Some("") => words.get(at + 1).cloned(),
        Some(rest) => rest.strip_prefix('=').map(str::to_owned),
        None => None,
    })?;
    let named = PathBuf::from(named);
    match named.is_absolute() {
        true => Some(named),
        false => Some(std::fs::read_link(format!("/proc/{pid}/cwd")).ok()?.join(named)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_added_at_once_or_not_at_all() {
        let dir = tempfile::tempdir().unwrap();
        let (file, pipe) = (dir.path().join("file"), dir.path().join("pipe"));
        assert!(append(&file, "first\n").is_err(), "it is not made");
        std::fs::write(&file, "").unwrap();
        append(&file, "first\n").unwrap();
        append(&file, "second\n").unwrap();
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "first\nsecond\n");
        let mode = rustix::fs::Mode::from_raw_mode(0o600);
        rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, mode).unwrap();
        assert!(append(&pipe, "nobody reads\n").is_err());
        let nonblocking = rustix::fs::OFlags::NONBLOCK.bits().cast_signed();
        let mut reader = OpenOptions::new().read(true).custom_flags(nonblocking).open(&pipe).unwrap();
        append(&pipe, "somebody reads\n").unwrap();
        let mut read = [0; 15];
        io::Read::read_exact(&mut reader, &mut read).unwrap();
        assert_eq!(&read, b"somebody reads\n");
        assert!(append(Path::new("/dev/null"), "a device\n").is_err());
    }
}
