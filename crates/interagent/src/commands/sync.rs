//! Bringing the history of this clone and of a remote together, and the hub's folder up to date with the log.
//!
//! Owns the command: which hub, which repository, which remote. How history is written, read and merged and what the
//! files say is the mirror's; what follows from a merge is an operation's.

mod accept;
mod exchange;
mod files;
pub(super) mod join;
pub(super) mod shared;
mod tell;
pub(super) mod track;

use clap::Args;
use interagent_core::authority::OperatorAct;
use interagent_core::team::Track;
use interagent_mirror::git;

use super::trust;
use crate::config::git::tree_around;
use crate::config::hub::{Discovery, Found, HubKind, NotThere};
use crate::error::{CliError, ErrorKind};
use crate::exit_code::ExitCode;
use crate::session::{Session, SettledCopy, clone, no_hub};
use crate::ui::look::Role;

pub(super) use exchange::{refused, repository};
pub(super) use files::notes;

use exchange::{bring_together, exchange, not_in_git};
use tell::Told;

/// How the history reaches git, where git does not show it: nobody finds that out by `git add`.
pub(super) fn way_to_git(session: &mut Session) -> Result<Option<String>, CliError> {
    let Discovery::Found(found) = session.discover()? else { return Ok(None) };
    let is_in_git = found.kind == HubKind::Project && tree_around(&found.hub_dir).is_some();
    let is_on_branch = is_in_git && session.team()?.is_some_and(|team| team.track == Track::Branch);
    let note = "history is on the branch `interagent`; run `interagent sync` to commit and share it";
    Ok(is_on_branch.then(|| note.to_owned()))
}

/// Keeps the team's history in git, brings clones together, and writes the hub's files.
///
/// Commits what is new here on the branch `interagent`, fetches the remote's, takes in what is new there, makes one history of
/// both and sends it. No file, index or checked out branch is touched. Without a remote it only commits. In a clone that
/// has no hub yet it joins the team whose history the remote has. Where the team file says `track = "worktree"` the
/// history is files for your own commits, and a sync takes in and writes those.
///
/// The readable files of the hub are brought up to date. A file in `tasks/active/` or `messages/pending/` that the program
/// did not write is a draft: it is named here and by `interagent status`, and enters the log only when it is accepted.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  interagent sync\n  interagent sync origin --json\n  interagent sync --accept\n  interagent sync --accept tasks/active/idea.json"
)]
pub(crate) struct Sync {
    /// The remote; the one of the branch, origin or the only one when left out.
    remote: Option<String>,
    /// Only take drafts into the log: all of them, or those in these files.
    #[arg(long, value_name = "FILE", num_args = 0.., conflicts_with = "remote")]
    accept: Option<Vec<String>>,
}

impl Sync {
    pub(crate) fn run(self, session: &mut Session) -> Result<ExitCode, CliError> {
        let act = if self.accept.is_some() { OperatorAct::AcceptDrafts } else { OperatorAct::Sync };
        session.authorize(
            act,
            if self.accept.is_some() { "interagent sync --accept" } else { "interagent sync" },
        )?;
        match session.discover()? {
            _ if self.accept.is_some() => self.accept(session),
            Discovery::Found(found) if found.kind == HubKind::Personal => {
                match self.place_to_join(session)? {
                    Some(place) => self.join(session, &place),
                    None => self.here(session, &found),
                }
            }
            Discovery::Found(found) => self.here(session, &found),
            Discovery::NotThere(place) => match self.place_to_join(session)? {
                Some(new) if place.kind != HubKind::Named => self.join(session, &new),
                _ => Err(no_hub(&place)),
            },
        }
    }

    fn accept(self, session: &mut Session) -> Result<ExitCode, CliError> {
        let accepted = accept::accept(session, self.accept.as_deref().unwrap_or_default())?;
        let is_refused = accepted.iter().any(|outcome| outcome.id.is_err());
        let told = Told { accepted, ..Told::default() };
        let code = told.conclude(session)?;
        Ok(if is_refused { ExitCode::Refused } else { code })
    }

    /// There is a hub: its history goes to git where there is a repository around it.
    fn here(self, session: &mut Session, found: &Found) -> Result<ExitCode, CliError> {
        if clone::is_unjoined(found) {
            trust::join(session, &found.hub_dir)?;
        }
        let git = repository(&found.hub_dir)?.filter(|_| found.kind != HubKind::Personal);
        let told = match git {
            Some(git) => {
                let remote = git::choose_remote(&git, self.remote.as_deref()).map_err(refused)?;
                // Only now do others see entries of this store.
                settle_as_copy(session)?;
                let team = join::team_in_log(session);
                if let Err(error) = shared::publish(session, &found.hub_dir) {
                    // The history is exchanged all the same; the next sync tries again.
                    let note = format!("a shared file was not published: {}", error.sentence());
                    session.printer.note(Role::Warning, &note);
                }
                let mut exchanged = exchange(session, &git, remote.as_ref())?;
                if join::finish(session, &found.hub_dir)? {
                    exchanged.history.and(bring_together(session, &git, remote.as_ref())?);
                }
                join::renew_team_file(session, &found.hub_dir, team)?;
                Told { exchanged: Some(exchanged), ..Told::default() }
            }
            None if self.remote.is_some() => return Err(not_in_git(&found.hub_dir)),
            None => Told { is_without_git: true, ..Told::default() },
        };
        told.conclude(session)
    }

    /// Where a repository is that a hub could join from.
    fn place_to_join(&self, session: &Session) -> Result<Option<std::path::PathBuf>, CliError> {
        match session.place_for_new_hub()? {
            Discovery::NotThere(place)
                if place.kind == HubKind::Project && repository(&place.would_be)?.is_some() =>
            {
                Ok(Some(place.would_be))
            }
            _ => Ok(None),
        }
    }

    /// There is no hub around here: the remote may have the history of one.
    fn join(self, session: &mut Session, would_be: &std::path::Path) -> Result<ExitCode, CliError> {
        let Some(git) = repository(would_be)? else {
            return Err(no_hub(&NotThere { would_be: would_be.to_owned(), kind: HubKind::Project }));
        };
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
        let (_, exchanged) = join::join(session, would_be, &known.hub, remote.as_ref())?;
        let joined = Some((would_be.to_owned(), known.place));
        Told { exchanged: Some(exchanged), joined, ..Told::default() }.conclude(session)
    }
}

/// Settles whether a hub is a copy before its log meets others. The old replica is never continued here: if its original
/// goes on, both would write one log.
fn settle_as_copy(session: &mut Session) -> Result<(), CliError> {
    let Some(SettledCopy { doubt, alias }) = session.settle_as_copy()? else { return Ok(()) };
    let sentence = format!("this hub was taken for a copy ({doubt}): it is now the replica {alias}");
    session.printer.note(Role::Warning, &sentence);
    for hint in [
        "hint: if the original is gone, interagent doctor --moved lets its agents live on here",
        "hint: if both are used, interagent team take registers the team's agents here",
    ] {
        session.printer.note(Role::Quiet, hint);
    }
    Ok(())
}
