//! The guard: what a command would do, why it is refused, and the hooks of git.

pub(crate) mod hooks;
mod restore;

use std::path::{Path, PathBuf};

use clap::Subcommand;
use interagent_core::authority::OperatorAct;
use interagent_core::guard::{Bound, rules_of as guard_rules};
use interagent_core::team::{self, CommitGuard, TeamConfig};
use interagent_wire::Answer;
use interagent_wire::request as ask;
use serde_json::json;

use crate::config::hub::Discovery;
use crate::config::surroundings;
use crate::error::{CliError, ErrorKind};
use crate::exit_code::ExitCode;
use crate::git::HooksAre;
use crate::guard::{self, Doing, Question};
use crate::input::text_or_stdin;
use crate::session::{Done, Session};
use crate::ui::look::Role;

/// The guard: what a command does, and what the team's rules say of it.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
#[command(
    after_help = "Examples:\n  interagent guard explain 'cd ../main && git commit -am x' --agent kimi\n  interagent guard install"
)]
pub(crate) enum Guard {
    /// Shows what a command line would do and what each rule says of it. Nothing is run.
    #[command(
        after_help = "Examples:\n  interagent guard explain 'cd ../main && git commit -am x' --agent kimi\n  interagent guard explain 'git push origin HEAD:main' --json"
    )]
    Explain {
        /// The command line, quoted; `-` reads it from standard input.
        #[arg(value_name = "TEXT", allow_hyphen_values = true)]
        command: String,
        /// For whom: a name or id; yourself when left out.
        #[arg(long, value_name = "NAME")]
        agent: Option<String>,
    },
    /// Judges a tool call that a client describes as JSON on standard input: exit code 0 or 1.
    ///
    /// The JSON is what clients give a hook before a tool: tool_name, tool_input and cwd.
    #[command(after_help = "Example:\n  cat call.json | interagent guard check --agent kimi")]
    Check {
        /// For whom: a name or id; yourself when left out.
        #[arg(long, value_name = "NAME")]
        agent: Option<String>,
    },
    /// Puts the guard before every commit and push of this repository; a hook that is there is kept and called.
    #[command(after_help = "Examples:\n  interagent guard install\n  interagent guard install --undo")]
    Install {
        /// Take it away again; what was there before is put back.
        #[arg(long)]
        undo: bool,
        /// Also where the hooks lie outside of this repository, or are files that git tracks.
        #[arg(long)]
        yes: bool,
    },
    /// Put back what a tool call changed past the guard
    ///
    /// Shows what it would do and asks. What is there now is kept aside. Leased files are put back by anybody; branches, hooks
    /// and the team file by a person.
    #[command(
        after_help = "Examples:\n  interagent guard restore 1a2b3c4d\n  interagent guard restore 1a2b3c4d --print"
    )]
    Restore {
        /// The name under which it is kept, as the report says it.
        #[arg(value_name = "WORD")]
        id: String,
        /// Only show what it would do.
        #[arg(long)]
        print: bool,
        /// Put it back without asking.
        #[arg(short = 'y', long, conflicts_with = "print")]
        yes: bool,
    },
    /// Judges a commit that is about to be made here. git's pre-commit hook calls it.
    #[command(after_help = "Example:\n  interagent guard commit")]
    Commit {},
    /// Judges a push that is about to be made. git's pre-push hook calls it, with its lines on standard input.
    #[command(after_help = "Example:\n  interagent guard push origin")]
    Push {
        /// The remote's name.
        #[arg(value_name = "WORD")]
        remote: Option<String>,
        /// The remote's address.
        #[arg(value_name = "WORD")]
        url: Option<String>,
    },
    /// Judges updates of branches. git's reference-transaction hook calls it, with its lines on standard input.
    #[command(after_help = "Example:\n  interagent guard refs prepared")]
    Refs {
        /// The state of the transaction, as git names it.
        #[arg(value_name = "WORD")]
        state: Option<String>,
    },
}

impl Guard {
    pub(crate) fn run(self, session: &mut Session) -> Result<ExitCode, CliError> {
        match self {
            Self::Explain { command, agent } => {
                let command = text_or_stdin(command)?;
                let is_whole = interagent_core::guard::shell::is_whole(&command);
                let question = Question { agent, ..Question::about(Doing::Command(command)) };
                let reply = guard::check(session, question)?;
                session.show("guard.check", &reply)?;
                if !is_whole {
                    let said =
                        "that is no whole command: a quote is open, and a shell would wait for its end";
                    session.printer.note(Role::Warning, said);
                }
                session.conclude(Done::Looked)
            }
            Self::Check { agent } => {
                let question = Question { agent, ..called()? };
                let reply = guard::check(session, question)?;
                let view = guard::view(&reply)?.clone();
                if !session.is_for_people() {
                    session.show("guard.check", &reply)?;
                } else if let Some(denial) = &view.denial {
                    session.printer.note(Role::Bad, &denial.text);
                }
                session.conclude(Done::Looked)?;
                Ok(if view.allowed { ExitCode::Done } else { ExitCode::Refused })
            }
            Self::Install { undo, yes } => install(session, undo, yes),
            Self::Restore { id, print, yes } => {
                let how = match (print, yes) {
                    (true, _) => restore::How::Print,
                    (_, true) => restore::How::Yes,
                    _ => restore::How::Ask,
                };
                restore::run(session, &id, how)
            }
            Self::Commit {} => {
                // Without the list of files the branch is judged all the same.
                let committed = crate::git::staged(session.env.cwd.as_deref()).unwrap_or_else(|error| {
                    did_not_look(session, &error);
                    Vec::new()
                });
                let question = Question { committed, ..about("git commit".to_owned()) };
                Ok(at_git(session, Ok(question)))
            }
            Self::Push { remote, .. } => {
                let command =
                    text_or_stdin("-".to_owned()).map(|lines| hooks::pushed(remote.as_deref(), &lines));
                Ok(at_git(session, command.map(about)))
            }
            Self::Refs { .. } => {
                let directory = session.env.cwd.clone();
                let updated = text_or_stdin("-".to_owned())
                    .map(|lines| crate::git::updated_branches(directory.as_deref(), &lines));
                match updated {
                    Ok(updated) if updated.is_empty() => Ok(ExitCode::Done),
                    Ok(updated) => Ok(at_git(session, Ok(Question { updated, ..about(String::new()) }))),
                    Err(_) => Ok(ExitCode::Done),
                }
            }
        }
    }
}

/// The tool call on standard input.
fn called() -> Result<Question, CliError> {
    let bad = |what: &str| {
        CliError::new(ErrorKind::Usage, format!("standard input {what}")).with_hint(
            r#"it is JSON such as {"tool_name": "Bash", "tool_input": {"command": "ls"}, "cwd": "/p"}"#,
        )
    };
    let text = text_or_stdin("-".to_owned())?;
    let call: serde_json::Value =
        serde_json::from_str(&text).map_err(|source| bad("is no JSON").with_source(source))?;
    let name = call["tool_name"].as_str().ok_or_else(|| bad("names no tool"))?.to_owned();
    let cwd = call["cwd"].as_str().map(str::to_owned);
    Ok(Question { cwd, ..Question::about(Doing::Tool { name, input: call["tool_input"].clone() }) })
}

/// Judges a command, and the files that a commit changes, for a hook of git. A guard never stops anybody for trouble of
/// its own: that is one line, and the commit goes on.
fn at_git(session: &mut Session, asked: Result<Question, CliError>) -> ExitCode {
    // Without a hub there are no rules.
    if matches!(session.discover(), Ok(Discovery::NotThere(_))) {
        return ExitCode::Done;
    }
    // Beside a commit the other hooks say that the guard is in trouble.
    let is_quiet = asked.as_ref().is_ok_and(|question| !question.updated.is_empty());
    let judged = asked.and_then(|question| {
        let reply = guard::check(session, question)?;
        Ok(guard::view(&reply)?.denial.clone())
    });
    match judged {
        Ok(None) => ExitCode::Done,
        Ok(Some(denial)) => {
            session.printer.note(Role::Bad, &format!("interagent: {}", denial.text));
            ExitCode::Refused
        }
        Err(error) => {
            if !is_quiet {
                did_not_look(session, &error);
            }
            ExitCode::Done
        }
    }
}

/// What a hook of git asks.
fn about(command: String) -> Question {
    let client = Some(ask::ClientParam::default());
    Question { at_git: true, client, record: true, ..Question::about(Doing::Command(command)) }
}

fn did_not_look(session: &mut Session, error: &CliError) {
    let why = error.lines().into_iter().next().unwrap_or_default();
    session.printer.note(Role::Warning, &format!("interagent: guard check failed, commit allowed: {why}"));
}

fn install(session: &mut Session, undo: bool, yes: bool) -> Result<ExitCode, CliError> {
    session.authorize(OperatorAct::InstallGuard, "interagent guard install")?;
    let directory = crate::git::hooks_directory(session.env.cwd.as_deref())?;
    if !undo && !yes {
        must_be_its_own(session, &directory)?;
    }
    let changes = match undo {
        true => hooks::take_away(&directory)?,
        false => hooks::put(&directory, &program()?)?,
    };
    if session.is_for_people() {
        for change in &changes {
            let line = format!(" {}", change.path.display());
            session.printer.line(&[(Role::Good, change.did), (Role::Plain, &line)]);
        }
        if !undo {
            tell_what_is_on(session);
        }
    } else {
        let changes: Vec<_> =
            changes.iter().map(|change| json!({ "did": change.did, "path": change.path })).collect();
        session.document(0, &json!({ "hooks": changes }));
    }
    session.conclude(Done::Committed)
}

/// Refuses hooks that others have in common with this repository, unless somebody said yes to that.
fn must_be_its_own(session: &Session, directory: &Path) -> Result<(), CliError> {
    let why = match crate::git::hooks_are(session.env.cwd.as_deref(), directory)? {
        HooksAre::Its => return Ok(()),
        HooksAre::Elsewhere => "lie outside of this repository, so other repositories may use them, too",
        HooksAre::Tracked => "are files that git tracks, so the change would go to everybody",
    };
    let sentence = format!("the hooks in `{}` (core.hooksPath) {why}", directory.display());
    Err(CliError::new(ErrorKind::Refused, sentence)
        .with_code("hooks_are_shared")
        .with_hint("interagent guard install --yes if that is what you want"))
}

/// This program, for a hook that finds it whatever the path is.
fn program() -> Result<PathBuf, CliError> {
    surroundings::program().ok_or_else(|| {
        CliError::new(
            ErrorKind::Unavailable,
            "it is not known where this program lies, so git could not call it",
        )
    })
}

/// Says what the hooks refuse: hooks that refuse nothing are easily taken for hooks that work.
fn tell_what_is_on(session: &mut Session) {
    let team = session.call_as_operator(ask::TeamShow {}).ok().map(|reply| reply.answer);
    let team = match team {
        Some(Answer::Team(team)) => serde_json::from_value::<TeamConfig>(team.config).ok(),
        _ => None,
    };
    let Some(team) = team else {
        session.printer.note(Role::Warning, "note: no team yet, so the hooks refuse nothing");
        return session.suggest(&["interagent setup"]);
    };
    let (rules, refused) = (&team.rules, refused_at_git(&team));
    let bound = match rules.commit_guard {
        CommitGuard::Agents => "agents",
        CommitGuard::Everyone => "you and your agents",
    };
    match refused.as_slice() {
        [] => session
            .printer
            .note(Role::Warning, "note: nothing is refused: RACE-001 and F006 are off in this team"),
        refused => {
            for (rule, what) in refused {
                session.printer.line(&[(Role::Plain, &format!("{rule}: {bound} may not {what}"))]);
            }
        }
    }
    for note in team.without_effect() {
        session.printer.note(Role::Warning, &format!("note: {note}"));
    }
}

/// What the hooks of git refuse in a team: the rule, and what it keeps from happening.
fn refused_at_git(team: &TeamConfig) -> Vec<(team::Guard, String)> {
    let on = guard_rules(Some(team), Bound::Agent);
    let mut refused = Vec::new();
    if on.contains(&team::Guard::Race001) {
        refused.push((team::Guard::Race001, "commit files that another agent leased".to_owned()));
    }
    if on.contains(&team::Guard::F006) && !team.rules.protected_branches.is_empty() {
        let branches: Vec<&str> = team.rules.protected_branches.iter().map(String::as_str).collect();
        refused.push((team::Guard::F006, format!("commit on, push to or move {}", branches.join(", "))));
    }
    refused
}
