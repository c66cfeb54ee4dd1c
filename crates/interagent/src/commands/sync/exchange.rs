//! One exchange of the hub of this run with git, and what follows from what was taken in.

use std::path::Path;

use interagent_core::refusal::Refusal;
use interagent_mirror::git::{self, Direction, Git, GitError, Remote, Report, Step};
use interagent_operations::{AfterTakeIn, LocalHub};

use super::track;
use crate::config::git::common_dir_around;
use crate::error::{CliError, ErrorKind};
use crate::session::{Session, history};
use crate::ui::progress::Progress;

/// What an exchange did, and what it meant for people.
#[derive(Debug, Default)]
pub(crate) struct Exchanged {
    pub(super) history: Report,
    pub(super) after: AfterTakeIn,
}

/// The repository that a hub belongs to, if it is in one.
pub(in crate::commands) fn repository(hub_dir: &Path) -> Result<Option<Git>, CliError> {
    let found = common_dir_around(hub_dir).map_err(|source| {
        let sentence = format!("the repository around `{}` can't be found", hub_dir.display());
        CliError::new(ErrorKind::Unavailable, sentence).with_source(source)
    })?;
    found.map(|common_dir| Git::trusted_at(&common_dir).map_err(refused)).transpose()
}

pub(super) fn not_in_git(hub_dir: &Path) -> CliError {
    let sentence = format!("the hub `{}` is in no git repository", hub_dir.display());
    CliError::new(ErrorKind::Refused, sentence)
        .with_code("not_in_git")
        .with_hint("git init makes a repository; interagent backup FILE keeps the hub without one")
}

/// Brings this hub and git together. What the merge means is settled here, and what that says goes along.
pub(super) fn exchange(
    session: &mut Session,
    git: &Git,
    remote: Option<&Remote>,
) -> Result<Exchanged, CliError> {
    let before = session.hub()?.store().head()?.seq;
    let history = bring_together(session, git, remote)?;
    settle(session, git, remote, before, history)
}

/// Settles what the entries after a place mean, and sends what that says.
pub(super) fn settle(
    session: &mut Session,
    git: &Git,
    remote: Option<&Remote>,
    before: i64,
    mut history: Report,
) -> Result<Exchanged, CliError> {
    let hub = session.hub()?;
    let taken = hub.store().head()?.seq;
    let after = hub.after_take_in(before)?;
    let settled = hub.store().head()?.seq;
    session.has_taken_in(after.effects.clone());
    if settled > taken {
        history.and(bring_together(session, git, remote)?);
    }
    Ok(Exchanged { history, after })
}

/// One round: with the branch, and with the files of the worktree where there are some.
pub(super) fn bring_together(
    session: &mut Session,
    git: &Git,
    remote: Option<&Remote>,
) -> Result<Report, CliError> {
    let progress = session.progress("syncing");
    let hub = session.hub()?;
    let state_dir = hub.state_dir().to_owned();
    let hub_dir = state_dir.parent().unwrap_or(&state_dir).to_owned();
    // Files first: they may say where the history goes from now on.
    let mut report = history::take_files(hub, &hub_dir).map_err(refused)?;
    let writes_files = history::writes_files(hub, &hub_dir)?;
    let direction = if writes_files { Direction::TakeOnly } else { Direction::Both };
    // A team that never had the branch asks no remote for it.
    if !writes_files || git::known_hub(git).map_err(refused)?.is_some() {
        match with_branch(hub, git, remote, direction, &progress) {
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

/// Takes in what git has. Gives nothing, so that nobody hears of a hub that may not come about.
pub(super) fn take(session: &mut Session, git: &Git, remote: Option<&Remote>) -> Result<Report, CliError> {
    let progress = session.progress("joining");
    let hub = session.hub()?;
    let hub_dir = hub.state_dir().parent().unwrap_or(hub.state_dir()).to_owned();
    let mut report = history::take_files(hub, &hub_dir).map_err(refused)?;
    report.and(with_branch(hub, git, remote, Direction::TakeOnly, &progress).map_err(refused)?);
    Ok(report)
}

fn with_branch(
    hub: &mut LocalHub,
    git: &Git,
    remote: Option<&Remote>,
    direction: Direction,
    progress: &Progress,
) -> Result<Report, GitError> {
    let state_dir = hub.state_dir().to_owned();
    let mut doing = "";
    let tell = &mut |step: Step| {
        if step.doing != doing {
            progress.step(step.doing);
            doing = step.doing;
        }
        progress.tell(step.done, step.total);
    };
    git::Sync { git, state_dir: &state_dir, remote, direction, progress: tell }.run(hub.store())
}

/// What keeps the history from git, at the edge.
pub(in crate::commands) fn refused(error: GitError) -> CliError {
    let kind = match &error {
        GitError::NoSuchRemote { .. } | GitError::WhichRemote { .. } => ErrorKind::Usage,
        GitError::NotOurs { .. }
        | GitError::Damaged { .. }
        | GitError::OtherHub { .. }
        | GitError::CheckedOut { .. }
        | GitError::NotTrusted { .. }
        | GitError::NameTaken { .. } => ErrorKind::Refused,
        GitError::Races { .. } | GitError::Busy { .. } => ErrorKind::Conflict,
        _ => ErrorKind::Unavailable,
    };
    let code = match &error {
        GitError::NoGit => "no_git",
        GitError::NoSuchRemote { .. } | GitError::WhichRemote { .. } => "which_remote",
        GitError::NotLetIn { .. } => "not_let_in",
        GitError::NotReached { .. } => "not_reached",
        GitError::NotTrusted { .. } => "not_trusted",
        GitError::NotOurs { .. } | GitError::NameTaken { .. } => "not_our_branch",
        GitError::Damaged { .. } => "damaged_branch",
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
