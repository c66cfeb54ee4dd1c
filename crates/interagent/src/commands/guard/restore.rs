//! Putting back what a tool call changed past the guard.
//!
//! Nothing is lost by it: what is there now is put aside first.

use std::fs;
use std::io;
use std::path::Path;

use interagent_core::authority::OperatorAct;
use interagent_core::guard::watch::{Change, Why};

use crate::commands::consent;
use crate::config::hub::Discovery;
use crate::error::{CliError, ErrorKind};
use crate::exit_code::ExitCode;
use crate::files::make_directories;
use crate::git;
use crate::session::{Done, Session};
use crate::ui::look::Role;
use crate::watch::kept::{self, KeptChange};

/// Shows what would be put back, asks, and puts it back.
pub(super) fn run(session: &mut Session, id: &str, how: How) -> Result<ExitCode, CliError> {
    let Discovery::Found(found) = session.discover()? else {
        return Err(CliError::new(ErrorKind::NotFound, "there is no hub here"));
    };
    let (kept, directory) = kept::find(&found.hub_dir.join("state"), id).map_err(|source| {
        CliError::new(ErrorKind::NotFound, format!("nothing is kept as `{id}`"))
            .with_source(source)
            .with_hint("interagent log trace --limit 200 shows what changed, and under which name it is kept")
    })?;
    // Files are anybody's to put back; branches, hooks and the team file are a person's.
    let is_persons = |one: &KeptChange| {
        !matches!(&one.change, Change::File { why: Why::Leased { .. } | Why::OnBranch { .. }, .. })
    };
    if kept.changes.iter().any(is_persons) && how != How::Print {
        session.authorize(OperatorAct::PutBack, &format!("interagent guard restore {id}"))?;
    }
    session.printer.line(&[(Role::Quiet, "changed by: "), (Role::Plain, &kept.command)]);
    for one in &kept.changes {
        session.printer.line(&[(Role::Plain, &plan_of(one))]);
    }
    if how == How::Print {
        session.conclude(Done::Looked)?;
        return Ok(ExitCode::Done);
    }
    if how == How::Ask {
        if !consent::can_ask(session) {
            return Err(CliError::new(
                ErrorKind::Refused,
                "nothing was put back: there is nobody to ask here",
            )
            .with_code("not_confirmed")
            .with_hint(format!("interagent guard restore {id} --yes")));
        }
        if !consent::ask(session, "Put this back?")? {
            return Err(CliError::new(ErrorKind::Refused, "you said no").with_code("not_confirmed"));
        }
    }
    let mut all = true;
    for (place, one) in kept.changes.iter().enumerate() {
        match put_back(&directory, place, one) {
            Ok(said) => session.printer.line(&[(Role::Good, "put back "), (Role::Plain, &said)]),
            Err(error) => {
                all = false;
                let said = format!("{}: {error}", one.change.told());
                session.printer.line(&[(Role::Bad, "not done: "), (Role::Plain, &said)]);
            }
        }
    }
    session.conclude(Done::Committed)?;
    Ok(if all { ExitCode::Done } else { ExitCode::Refused })
}

/// What is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum How {
    Print,
    Ask,
    Yes,
}

fn plan_of(one: &KeptChange) -> String {
    let told = one.change.told();
    match (&one.change, one.was_there, &one.before) {
        (Change::File { .. }, false, _) => format!("removes {told}, which was not there before"),
        (Change::File { .. }, true, None) => {
            format!("can't put back {told}: its version before was not kept")
        }
        _ => format!("puts back {told}"),
    }
}

fn put_back(directory: &Path, place: usize, one: &KeptChange) -> Result<String, CliError> {
    let failed =
        |source: io::Error| CliError::new(ErrorKind::Unavailable, "cannot write").with_source(source);
    let tree = || {
        let nowhere = || CliError::new(ErrorKind::Unavailable, "it is not known in which tree that was");
        one.tree.as_deref().ok_or_else(nowhere)
    };
    match &one.change {
        Change::Branch { name, old, .. } => {
            git::put_branch(tree()?, name, old)?;
            Ok(format!("the branch {name}"))
        }
        Change::HooksPath { old } => {
            git::put_hooks_path(tree()?, old)?;
            Ok("core.hooksPath".to_owned())
        }
        Change::File { path, .. } => {
            let target = Path::new(path);
            let before = match (&one.before, one.was_there) {
                (Some(name), _) => Some(fs::read(directory.join(name)).map_err(failed)?),
                (None, false) => None,
                (None, true) => {
                    return Err(CliError::new(ErrorKind::Unavailable, "its version before was not kept"));
                }
            };
            let aside = kept::put_aside(directory, place, target).map_err(failed)?;
            match before {
                Some(bytes) => {
                    make_directories(target.parent().unwrap_or(target), 0o755).map_err(failed)?;
                    // A link in its place leads elsewhere.
                    if fs::symlink_metadata(target).is_ok_and(|found| found.is_symlink()) {
                        fs::remove_file(target).map_err(failed)?;
                    }
                    fs::write(target, bytes).map_err(failed)?;
                }
                None => match fs::remove_file(target) {
                    Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed(error)),
                    _ => {}
                },
            }
            Ok(match aside {
                Some(aside) => format!("{path}; what was there now is in {}", aside.display()),
                None => path.clone(),
            })
        }
    }
}
