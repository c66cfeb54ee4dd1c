//! Upkeep by a person: looking for trouble, making the views again, saving what is left, copying.
//!
//! Owns the commands. Every check is in `checks`; every repair is the store's own.

mod canary;
mod checks;
mod clock;
mod elsewhere;
mod machine;
mod moved;
mod report;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use interagent_core::authority::OperatorAct;
use interagent_store::{Founding, StoreError, SystemClock};
use serde_json::json;

use crate::config::host;
use crate::config::hub::Discovery;
use crate::error::{CliError, ErrorKind};
use crate::exit_code::ExitCode;
use crate::session::{Create, Done, Session, begin_replica, clone, history, join_history, no_hub, open_at};
use crate::ui::look::Role;

use report::{Report, State};

/// Looks for trouble and names the command that helps. Changes nothing, unless it is asked to.
///
/// Ends with 0 when all is good, with 1 when there are findings, and with 5 when the hub can't be used.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  interagent doctor\n  interagent doctor --canary\n  interagent doctor --canary --client claude\n  interagent doctor --rebuild"
)]
pub(crate) struct Doctor {
    /// Make everything that is shown again from the log alone.
    #[arg(long, conflicts_with = "recover")]
    rebuild: bool,
    /// Save what is left of a damaged store into a new one; the damaged files are kept.
    #[arg(long)]
    recover: bool,
    /// Say that this hub was moved here by copying, and that the original is gone: its agents live on here.
    #[arg(long, value_name = "REPLICA", num_args = 0..=1, conflicts_with_all = ["rebuild", "recover", "canary"])]
    moved: Option<Option<String>>,
    /// Say that this hub is a copy whose original is still used: it becomes a replica of its own.
    #[arg(long, conflicts_with_all = ["rebuild", "recover", "moved", "canary"])]
    copied: bool,
    /// Repair entries that were written with a clock that ran ahead, after the clock was set right.
    #[arg(long, conflicts_with_all = ["rebuild", "recover", "moved", "copied", "canary"])]
    clock: bool,
    /// Send a message through every path that is set up, and show what arrived.
    #[arg(long, conflicts_with_all = ["rebuild", "recover"])]
    canary: bool,
    /// Run this client once against a test model on this machine, and show what reached it; the hub stays as it is.
    #[arg(long, value_name = "NAME", requires = "canary")]
    client: Option<String>,
    /// Check the client of this agent, in its directory [default: the agent that a new session becomes].
    #[arg(long, requires = "client")]
    agent: Option<String>,
}

impl Doctor {
    pub(crate) fn run(self, session: &mut Session) -> Result<ExitCode, CliError> {
        match self {
            Self { rebuild: true, .. } => rebuild(session),
            Self { recover: true, .. } => recover(session),
            Self { canary: true, client: Some(client), agent, .. } => {
                canary::client::run(session, &client, agent.as_deref())
            }
            Self { canary: true, .. } => canary::run(session),
            Self { moved: Some(replica), .. } => moved::run(session, replica.as_deref()),
            Self { copied: true, .. } => moved::copied(session),
            Self { clock: true, .. } => clock::run(session),
            Self { .. } => look(session),
        }
    }
}

/// The id of the hub whose store is there, where that can be read.
pub(super) fn hub_in(state_dir: &Path) -> Option<String> {
    checks::open(state_dir).and_then(|mut store| store.head()).map(|head| head.hub_id).ok()
}

fn look(session: &mut Session) -> Result<ExitCode, CliError> {
    let mut report = Report::default();
    let discovery = session.discover()?;
    let progress = session.progress("checking");
    let seq = checks::all(&discovery, &mut report, &mut |done, total| progress.tell(done, total));
    if let Discovery::Found(found) = &discovery {
        let profiles = session.profiles()?;
        let installed = machine::programs(&profiles, &mut report);
        let set_up = machine::set_up(&profiles, &session.env, found);
        machine::drift(&installed, &set_up, &session.env, found, &mut report);
        machine::seats(&profiles, &session.env, found, &mut report);
        machine::terminals(found, &mut report);
        machine::hooks(found, &mut report);
        machine::repository(&session.env, found, &mut report);
        elsewhere::mail(&session.env, found, &mut report);
    }
    drop(progress);
    match session.is_for_people() {
        true => report.print(&mut session.printer),
        false => session.document(seq, &report.document()),
    }
    session.conclude(Done::Looked)?;
    Ok(match report.worst() {
        State::Ok => ExitCode::Done,
        State::Warn | State::Bad => ExitCode::Refused,
        State::Unusable => ExitCode::Unavailable,
    })
}

fn rebuild(session: &mut Session) -> Result<ExitCode, CliError> {
    let progress = session.progress("rebuilding");
    let store = session.hub()?.store();
    let rebuilt = store.rebuild(&mut |done, total| progress.tell(done, total))?;
    let seq = store.head()?.seq;
    drop(progress);
    let (entries, entities) = (rebuilt.entries, rebuilt.entities);
    match session.is_for_people() {
        true => {
            let words = format!(" {entities} entities from {entries} entries");
            session.printer.line(&[(Role::Good, "rebuilt"), (Role::Plain, &words)]);
        }
        false => session.document(seq, &json!({ "entries": entries, "entities": entities })),
    }
    session.conclude(Done::Committed)
}

fn recover(session: &mut Session) -> Result<ExitCode, CliError> {
    session.authorize(OperatorAct::Recover, "interagent doctor --recover")?;
    // Its files are replaced.
    session.close_hub();
    let hub_dir = match session.discover()? {
        // Nothing was lost: its files wait for a person.
        Discovery::Found(found) if clone::is_unjoined(&found) && !found.hub_dir.join("state").exists() => {
            return Err(clone::not_joined(&found.hub_dir));
        }
        Discovery::Found(found) => found.hub_dir,
        Discovery::NotThere(place) => return Err(no_hub(&place)),
    };
    let progress = session.progress("checking");
    if checks::is_sound(&hub_dir.join("state")) {
        let sentence = "the store is sound: there is nothing to recover";
        return Err(CliError::new(ErrorKind::Refused, sentence)
            .with_code("sound")
            .with_hint("interagent doctor --rebuild"));
    }
    // Where nothing is left of the store, git may have the history of the hub.
    let around = history::around(&hub_dir);
    let hub_id = around.as_ref().map(|around| around.hub.clone());
    let founding = Founding { hub_id, alias: host::alias(), user_dir: host::state_dir() };
    let clock = Arc::new(SystemClock::new());
    let saved = interagent_store::recover(&hub_dir.join("state"), &founding, clock, &mut |step| {
        progress.step(step);
    });
    drop(progress);
    let caller = session.caller().clone();
    if matches!(saved, Err(StoreError::Absent { .. })) {
        let hub = begin_replica(&hub_dir, &caller, &mut session.printer)?;
        session.use_hub(hub);
        return session.conclude(Done::Committed);
    }
    let recovered = saved?;
    if let Some(around) = around.filter(|_| recovered.continues.is_none() && !recovered.is_copy) {
        let mut hub = open_at(&hub_dir, Create::Never)?;
        join_history(&mut hub, &hub_dir, Some(&around), &caller, &mut session.printer);
        session.use_hub(hub);
    }
    match session.is_for_people() {
        true => report::recovered(&mut session.printer, &recovered),
        false => session.document(0, &recovered),
    }
    session.conclude(Done::Committed)
}

/// Copies the hub's store into a new file: one consistent state, also while others write.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  interagent backup /var/backups/team.db\n  interagent backup /var/backups/team.db --with-key"
)]
pub(crate) struct Backup {
    /// The new file; one that exists is left alone.
    file: PathBuf,
    /// Write the private key to FILE.key as well, so that a restore goes on as the same replica.
    #[arg(long)]
    with_key: bool,
}

impl Backup {
    pub(crate) fn run(self, session: &mut Session) -> Result<ExitCode, CliError> {
        if self.file.exists() {
            let sentence = format!("`{}` exists and is left alone", self.file.display());
            return Err(CliError::new(ErrorKind::Conflict, sentence).with_hint("choose another name"));
        }
        let directory = self.file.parent().filter(|parent| !parent.as_os_str().is_empty());
        if let Some(missing) = directory.filter(|directory| !directory.is_dir()) {
            let sentence = format!("there is no directory `{}`", missing.display());
            return Err(
                CliError::new(ErrorKind::NotFound, sentence).with_hint("make it first, or name another")
            );
        }
        if self.with_key {
            session.authorize(OperatorAct::CopyKey, "interagent backup --with-key")?;
        }
        let progress = session.progress("copying");
        let store = session.hub()?.store();
        // A backup without a new signature is better than none.
        let unsigned = store.sign().err();
        store.backup_to(&self.file, &mut |pages| progress.tell(pages.done, pages.total))?;
        let key = interagent_store::key_beside(&self.file);
        if self.with_key {
            store.copy_key(&key)?;
        }
        let seq = store.head()?.seq;
        drop(progress);
        if let Some(error) = unsigned {
            session
                .printer
                .note(Role::Warning, &format!("warning: {error}; the backup has no new signature"));
        }
        let shown = self.file.display().to_string();
        match session.is_for_people() {
            true => {
                session.printer.line(&[(Role::Good, "copied to "), (Role::Plain, &shown)]);
                if self.with_key {
                    let words =
                        format!("the private key is in {}: keep it as safe as the hub", key.display());
                    session.printer.line(&[(Role::Plain, &words)]);
                }
                let back = format!("after a loss: interagent restore {shown}");
                session.printer.exact(&[(Role::Quiet, &back)]);
            }
            false => session.document(seq, &json!({ "file": shown })),
        }
        session.conclude(Done::Committed)
    }
}
