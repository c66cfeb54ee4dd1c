//! `interagent wake`: tells an agent's idle session that mail waits, by its client's own way.
//!
//! Only a line travels this way, never a message: it arrives like something a person typed. The messages come with it, by
//! the hook, in their envelopes.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use clap::Args;
use interagent_agents::{Fill, Profile, Wake as ProfileWake, fill};
use interagent_core::vocabulary::WakeWay;
use interagent_wire::Answer;
use interagent_wire::answer::{WakeTarget, WakeView};
use interagent_wire::request::SessionWake;
use serde_json::{Value, json};

use crate::error::{CliError, ErrorKind};
use crate::exit_code::ExitCode;
use crate::session::{Done, Session};
use crate::ui::look::Role;

/// Wakes an agent's idle session when mail waits for it, where its client can be told from outside.
///
/// Sending does this by itself; each set of waiting messages wakes once. A session of Claude Code or OpenCode needs none of
/// it: its own waiter wakes it.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  interagent wake kimi")]
pub(crate) struct Wake {
    /// Its name or id.
    agent: String,
}

impl Wake {
    pub(crate) fn run(self, session: &mut Session) -> Result<ExitCode, CliError> {
        let reply = session.call(SessionWake { agent: self.agent })?;
        let Answer::Wake(view) = &reply.answer else {
            return Err(CliError::new(ErrorKind::Unavailable, "the hub answered with something else"));
        };
        let mut failed = false;
        let mut shown = Vec::new();
        for target in &view.targets {
            let done = target.way.map(|way| wake(session, target, way, view.waiting));
            failed |= matches!(done, Some(Err(_)));
            let words = match &done {
                None => target.reach.clone(),
                Some(Ok(())) => "woken".to_owned(),
                Some(Err(error)) => error.lines().join(" "),
            };
            shown.push((target.session.clone(), words));
        }
        tell(session, view, reply.unchanged.as_deref(), reply.seq, &shown);
        session.conclude(Done::Committed)?;
        Ok(if failed { ExitCode::Refused } else { ExitCode::Done })
    }
}

fn tell(
    session: &mut Session,
    view: &WakeView,
    unchanged: Option<&str>,
    seq: i64,
    shown: &[(String, String)],
) {
    if !session.is_for_people() {
        let rows: Vec<Value> =
            shown.iter().map(|(id, words)| json!({ "session": id, "outcome": words })).collect();
        session.document(seq, &json!({ "agent": view.agent, "waiting": view.waiting, "sessions": rows }));
        return;
    }
    if let Some(why) = unchanged {
        session.printer.line(&[(Role::Quiet, "nothing to do: "), (Role::Plain, why)]);
    }
    for (id, words) in shown {
        session.printer.line(&[
            (Role::Name, &view.agent.name),
            (Role::Quiet, &format!(" {id}: ")),
            (Role::Plain, words),
        ]);
    }
}

fn wake(session: &Session, target: &WakeTarget, way: WakeWay, waiting: u32) -> Result<(), CliError> {
    let profile = session.env.profiles.get(&target.profile);
    let Some((profile, wake)) = profile.and_then(|profile| profile.wake.clone().map(|wake| (profile, wake)))
    else {
        return Err(CliError::new(ErrorKind::Refused, format!("{} has no way to be woken", target.profile)));
    };
    // A fixed line: what others wrote never arrives like something the person typed.
    let line =
        format!("interagent: {waiting} new, shown with this prompt by its hook; else run: interagent inbox");
    match way {
        WakeWay::Command => by_command(&profile, &wake, target, &line),
        WakeWay::File => by_file(&wake, target, &line),
        WakeWay::Waiter => Ok(()),
    }
}

fn by_command(
    profile: &Profile,
    wake: &ProfileWake,
    target: &WakeTarget,
    line: &str,
) -> Result<(), CliError> {
    let executable = profile.executable.as_deref().unwrap_or(&profile.name);
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
        CliError::new(ErrorKind::Unavailable, format!("`{program}` did not wake the session: {why}"))
            .with_hint("interagent doctor")
    };
    let ended = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .map_err(|error| failed(error.to_string()))?;
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
    let written =
        OpenOptions::new().append(true).open(&file).and_then(|mut file| writeln!(file, "{document}"));
    written.map_err(|source| {
        let sentence = format!("`{}` can't be written", file.display());
        CliError::new(ErrorKind::Unavailable, sentence).with_source(source)
    })
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
