//! Bringing the history of this clone and of a remote together.
//!
//! Owns the command: which hub, which repository, which remote, and what people are told. How history is written, read
//! and merged is the mirror's.

pub(super) mod join;
mod tell;
pub(super) mod track;

use std::path::Path;

use clap::Args;
use interagent_core::refusal::Refusal;
use interagent_mirror::git::{self, Direction, Git, GitError, Remote, Report, Step};

use crate::config::git::common_dir_around;
use crate::config::hub::{Discovery, HubKind};
use crate::error::{CliError, ErrorKind};
use crate::exit_code::ExitCode;
use crate::session::{Done, Session, history, no_hub};

/// Keeps the team's history in git, and brings clones together.
///
/// Commits what is new here on the branch `interagent`, fetches the remote's, takes in what is new there, makes one history of
/// both and sends it. No file, index or checked out branch is touched. Without a remote it only commits. In a clone that
/// has no hub yet it joins the team whose history the remote has. Where the team file says `track = "worktree"` the
/// history is files for your own commits, and a sync takes in and writes those.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  interagent sync\n  interagent sync origin --json")]
pub(crate) struct Sync {
    /// The remote; the one of the branch, origin or the only one when left out.
    remote: Option<String>,
}

impl Sync {
    pub(crate) fn run(self, session: &mut Session) -> Result<ExitCode, CliError> {
        if !session.is_a_person() {
            let sentence =
                "a sync sends what everybody wrote to another machine: only the operator does that";
            return Err(CliError::new(ErrorKind::Refused, sentence)
                .with_code("operator_only")
                .with_hint("ask the operator to run interagent sync"));
        }
        match session.discover()? {
            Discovery::Found(found) if found.kind != HubKind::Personal => {
                let git = repository(&found.hub_dir)?;
                let remote = git::choose_remote(&git, self.remote.as_deref()).map_err(refused)?;
                let report = exchange(session, &git, remote.as_ref())?;
                conclude(session, &report, None)
            }
            Discovery::NotThere(place) if place.kind == HubKind::Named => Err(no_hub(&place.would_be)),
            _ => self.join(session),
        }
    }

    /// There is no hub around here: the remote may have the history of one.
    fn join(self, session: &mut Session) -> Result<ExitCode, CliError> {
        let would_be = match session.place_for_new_hub()? {
            Discovery::NotThere(place) if place.kind == HubKind::Project => place.would_be,
            Discovery::NotThere(place) => return Err(no_hub(&place.would_be)),
            Discovery::Found(found) => {
                return Err(not_in_git(&found.hub_dir));
            }
        };
        let Ok(git) = repository(&would_be) else { return Err(no_hub(&would_be)) };
        let remote = git::choose_remote(&git, self.remote.as_deref()).map_err(refused)?;
        let known = match &remote {
            Some(remote) => git::fetch_hub(&git, remote).map_err(refused)?,
            None => git::known_hub(&git).map_err(refused)?,
        };
        let Some(known) = known else {
            let where_ = remote.map_or_else(|| "here".to_owned(), |remote| format!("at {}", remote.name));
            let sentence =
                format!("there is no hub at `{}`, and no team's history {where_}", would_be.display());
            return Err(CliError::new(ErrorKind::NotFound, sentence)
                .with_code("no_hub")
                .with_hint("interagent init makes a hub; interagent sync shares it then"));
        };
        let (_, report) = join::join(session, &would_be, &known.hub, remote.as_ref())?;
        conclude(session, &report, Some((&would_be, &known.place)))
    }
}

/// The repository that a hub belongs to.
pub(crate) fn repository(hub_dir: &Path) -> Result<Git, CliError> {
    match common_dir_around(hub_dir) {
        Ok(Some(common_dir)) => Ok(Git::at(&common_dir)),
        Ok(None) => Err(not_in_git(hub_dir)),
        Err(source) => {
            let sentence = format!("the repository around `{}` can't be found", hub_dir.display());
            Err(CliError::new(ErrorKind::Unavailable, sentence).with_source(source))
        }
    }
}

fn not_in_git(hub_dir: &Path) -> CliError {
    let sentence = format!("the hub `{}` is in no git repository", hub_dir.display());
    CliError::new(ErrorKind::Refused, sentence)
        .with_code("not_in_git")
        .with_hint("git init makes a repository; interagent backup FILE keeps the hub without one")
}

/// One sync of the hub of this run: with the branch, and with the files of the worktree where there are some.
fn exchange(session: &mut Session, git: &Git, remote: Option<&Remote>) -> Result<Report, CliError> {
    let progress = session.progress("syncing");
    let hub = session.hub()?;
    let state_dir = hub.state_dir().to_owned();
    let hub_dir = state_dir.parent().unwrap_or(&state_dir).to_owned();
    // Files first: they may say where the history goes from now on.
    let mut report = history::take_files(hub, &hub_dir).map_err(refused)?;
    let writes_files = history::writes_files(hub, &hub_dir)?;
    let mut doing = "";
    let sync = git::Sync {
        git,
        state_dir: &state_dir,
        remote,
        hold: &git::hold_nothing,
        direction: if writes_files { Direction::TakeOnly } else { Direction::Both },
        progress: &mut |step: Step| {
            if step.doing != doing {
                progress.step(step.doing);
                doing = step.doing;
            }
            progress.tell(step.done, step.total);
        },
    };
    // A team that never had the branch asks no remote for it.
    if !writes_files || git::known_hub(git).map_err(refused)?.is_some() {
        match sync.run(hub.store()) {
            Ok(done) => report.and(done),
            // The files have the history; whoever still uses the branch is heard another time.
            Err(error) if writes_files && error.is_about_the_remote() => report.notes.push(error.to_string()),
            Err(error) => return Err(refused(error)),
        }
    }
    drop(progress);
    // What was taken in may have changed where the history goes; and files get what came otherwise.
    if let Some(written) = track::follow(session, &hub_dir)? {
        report.and(written);
    }
    Ok(report)
}

fn conclude(
    session: &mut Session,
    report: &Report,
    joined: Option<(&Path, &str)>,
) -> Result<ExitCode, CliError> {
    match session.is_for_people() {
        true => tell::tell(session, report, joined),
        false => {
            let seq = session.hub()?.store().head()?.seq;
            session.document(seq, report);
        }
    }
    session.conclude(Done::Committed)
}

/// What keeps the history from git, at the edge.
pub(crate) fn refused(error: GitError) -> CliError {
    let kind = match &error {
        GitError::NoSuchRemote { .. } | GitError::WhichRemote { .. } => ErrorKind::Usage,
        GitError::NotOurs { .. } | GitError::OtherHub { .. } | GitError::CheckedOut { .. } => {
            ErrorKind::Refused
        }
        GitError::Races { .. } | GitError::Busy { .. } => ErrorKind::Conflict,
        _ => ErrorKind::Unavailable,
    };
    let code = match &error {
        GitError::NoGit => "no_git",
        GitError::NoSuchRemote { .. } | GitError::WhichRemote { .. } => "which_remote",
        GitError::NotLetIn { .. } => "not_let_in",
        GitError::NotReached { .. } => "not_reached",
        GitError::NotOurs { .. } => "not_our_branch",
        GitError::OtherHub { .. } => "other_hub",
        GitError::CheckedOut { .. } => "checked_out",
        GitError::DiskFull => "store_full",
        GitError::Races { .. } | GitError::Busy { .. } => "busy",
        _ => "git_failed",
    };
    let hint = error.hint();
    let error = match error {
        GitError::Store(error) => return Refusal::from(error).into(),
        error => {
            let sentence = error.to_string();
            let wrapped = CliError::new(kind, sentence).with_code(code);
            match std::error::Error::source(&error) {
                Some(source) => wrapped.with_source(source.to_string()),
                None => wrapped,
            }
        }
    };
    hint.into_iter().fold(error, CliError::with_hint)
}
