//! Opening the hub that was found, and making the one that is made on demand.
//!
//! A personal hub needs no ceremony: the first command makes it. A project hub is made by `init`; where a clone brought
//! its team file but no state, this machine becomes a new replica of it.

use std::io;
use std::path::Path;

use interagent_core::ids::HubId;
use interagent_operations::{Hub, LocalHub, Opening, authority_without_hub};
use interagent_store::StoreError;
use interagent_wire::Caller;
use interagent_wire::request::TeamTake;

use super::{Session, clone, history};
use crate::config::host;
use crate::config::hub::{Discovery, Found, HUB_NAME, HubKind, NotThere};
use crate::config::surroundings;
use crate::error::{CliError, ErrorKind};
use crate::files;
use crate::input;
use crate::notify;
use crate::ui::look::Role;
use crate::ui::printer::Printer;

/// The team file's name in a hub.
pub(crate) const TEAM_FILE: &str = "team.toml";

/// Only its owner looks into a personal hub.
const PERSONAL_MODE: u32 = 0o700;

impl Session {
    /// Prepares the printer for what others wrote, where a model reads it.
    pub(super) fn escape_tags_for_agents(&mut self) {
        if !authority_without_hub(self.caller()).is_operator() {
            self.printer.for_agent();
        }
    }
}

pub(super) fn open(discovery: Discovery, printer: &mut Printer<'_>) -> Result<LocalHub, CliError> {
    match discovery {
        Discovery::Found(found) => match open_at(&found.hub_dir, Create::Never) {
            Err(StoreError::Absent { .. }) if was_lost(&found.hub_dir) => {
                Err(StoreError::Gone { path: found.hub_dir.join("state").join("hub.db") }.into())
            }
            Err(StoreError::Absent { .. }) if clone::is_unjoined(&found) => {
                Err(clone::not_joined(&found.hub_dir))
            }
            // No file here says anything: there is nothing that somebody would have to agree to.
            Err(StoreError::Absent { .. }) => begin_replica(&found.hub_dir, &Caller::program(), printer),
            Err(error @ (StoreError::ReadOnly { .. } | StoreError::Full { .. })) => {
                look_at_least(&found.hub_dir, error, printer)
            }
            opened => Ok(opened?),
        },
        Discovery::NotThere(NotThere { would_be, kind: HubKind::Personal }) => {
            make_hub_directory(&would_be, PERSONAL_MODE)?;
            let hub = open_at(&would_be, Create::IfMissing)?;
            let made = format!("there is no project here: made your personal hub `{}`", would_be.display());
            printer.note(Role::Quiet, &made);
            printer.note(Role::Quiet, "hint: interagent init makes the hub of a project");
            Ok(hub)
        }
        Discovery::NotThere(missing) => Err(no_hub(&missing)),
    }
}

/// A sandbox, a read-only disk or a limit keeps the store from being opened as usual; looking may still work.
fn look_at_least(hub_dir: &Path, error: StoreError, printer: &mut Printer<'_>) -> Result<LocalHub, CliError> {
    let Ok(hub) = LocalHub::look(hub_dir) else { return Err(error.into()) };
    printer.note(Role::Warning, &format!("warning: {error}; the hub can only be read"));
    Ok(hub)
}

/// The error of every command that needs a hub where there is none.
pub(crate) fn no_hub(missing: &NotThere) -> CliError {
    let would_be = &missing.would_be;
    let error = |sentence: String| CliError::new(ErrorKind::NotFound, sentence).with_code("no_hub");
    if missing.kind == HubKind::Personal {
        let personal = would_be.display();
        return error(format!("there is no hub of a project here, and no personal one at `{personal}`"))
            .with_hint("interagent init makes one for the project in this directory");
    }
    // With its place: where it was named, a plain `init` would make another one.
    let place = would_be.parent().filter(|_| would_be.ends_with(HUB_NAME)).unwrap_or(would_be);
    error(format!("there is no hub at `{}`", would_be.display()))
        .with_hint(format!("interagent init --hub {}", place.display()))
}

/// Whether a hub's directory has no store, and never had one that was lost.
pub(super) fn is_without_store(found: &Found) -> bool {
    let is_shared = found.kind != HubKind::Personal;
    is_shared && !found.hub_dir.join("state").join("hub.db").exists() && !was_lost(&found.hub_dir)
}

/// The refusal of a command that only looks where there is no store: it creates none.
pub(super) fn no_store(hub_dir: &Path) -> CliError {
    if !matches!(team_text(hub_dir), Ok(None)) {
        return clone::not_joined(hub_dir);
    }
    CliError::new(ErrorKind::NotFound, format!("there is no hub in `{}` yet", hub_dir.display()))
        .with_code("no_hub")
        .with_hint("interagent init makes one for the project in this directory")
}

/// Whether a store may be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Create {
    Never,
    IfMissing,
}

/// Opens the store in a hub's directory.
pub(crate) fn open_at(hub_dir: &Path, create: Create) -> Result<LocalHub, StoreError> {
    open_replica(hub_dir, create, None)
}

/// The same; a store that is made is a replica of this hub.
pub(crate) fn open_replica(
    hub_dir: &Path,
    create: Create,
    hub_id: Option<HubId>,
) -> Result<LocalHub, StoreError> {
    let hub_dir = hub_dir.to_owned();
    let opening = Opening {
        hub_dir,
        create: create == Create::IfMissing,
        alias: host::alias(),
        hub_id,
        user_dir: host::state_dir(),
    };
    Ok(LocalHub::open(&opening)?.waking_with(surroundings::program).notifying_with(notify::outreach))
}

/// Makes a hub's directory.
pub(crate) fn make_hub_directory(path: &Path, mode: u32) -> Result<(), CliError> {
    files::make_directory(path, mode).map_err(|source| {
        CliError::new(ErrorKind::Unavailable, format!("cannot make the hub `{}`", path.display()))
            .with_source(source)
            .with_hint("choose another place with --hub DIR")
    })
}

/// Makes the directory that was named, which the hub goes into.
pub(crate) fn make_project(hub_dir: &Path, mode: u32) -> Result<(), CliError> {
    let Some(project) = hub_dir.parent().filter(|project| !project.exists()) else { return Ok(()) };
    files::make_directory(project, mode).map_err(|source| {
        CliError::new(ErrorKind::Unavailable, format!("cannot make `{}`", project.display()))
            .with_source(source)
            .with_hint("choose another place with --hub DIR")
    })
}

/// This machine joins a team whose files are here and whose state is not.
///
/// The team file takes effect if the caller may apply it.
pub(crate) fn begin_replica(
    hub_dir: &Path,
    caller: &Caller,
    printer: &mut Printer<'_>,
) -> Result<LocalHub, CliError> {
    let known = history::around(hub_dir);
    let mut hub = open_replica(hub_dir, Create::IfMissing, known.as_ref().map(|known| known.hub.clone()))?;
    let alias = hub.store().head()?.alias;
    printer.note(
        Role::Quiet,
        &format!("`{}` has no state here yet: began the replica {alias}", hub_dir.display()),
    );
    join_history(&mut hub, hub_dir, known.as_ref(), caller, printer);
    Ok(hub)
}

/// Whether the files of a store are here that is not: no clone brings them along. An empty mailbox would be a lie then.
pub(crate) fn was_lost(hub_dir: &Path) -> bool {
    let session = std::fs::read_to_string(hub_dir.join("session.json")).unwrap_or_default();
    session.contains("\"written\": \"")
}

/// Takes the history that lies around a new replica in, and the team file: its agents live here too.
pub(crate) fn join_history(
    hub: &mut LocalHub,
    hub_dir: &Path,
    known: Option<&history::Around>,
    caller: &Caller,
    printer: &mut Printer<'_>,
) {
    if let Some(known) = known {
        history::take_in(hub, hub_dir, known, printer);
    }
    match team_text(hub_dir) {
        Ok(None) => {}
        Ok(Some(text)) => {
            if let Err(refusal) = hub.call(caller, TeamTake { text }.into()) {
                printer.note(
                    Role::Warning,
                    &format!("warning: {TEAM_FILE} was not taken in: {}", refusal.sentence),
                );
                printer.note(Role::Quiet, "hint: interagent team check");
            }
        }
        Err(error) => error.lines().iter().for_each(|line| printer.note(Role::Warning, line)),
    }
    history::begin_files(hub, hub_dir);
}

/// The text of the team file in a hub; none where there is no such file. A link is not followed.
pub(crate) fn team_text(hub_dir: &Path) -> Result<Option<String>, CliError> {
    let path = hub_dir.join(TEAM_FILE);
    match std::fs::symlink_metadata(&path) {
        Ok(found) if found.is_file() => input::from_file(&path).map(Some),
        Ok(_) => {
            Err(CliError::new(ErrorKind::Refused, format!("`{}` is not a regular file", path.display()))
                .with_hint("move it away; a team file is a file of the hub itself"))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(source) => {
            Err(CliError::new(ErrorKind::Unavailable, format!("cannot read `{}`", path.display()))
                .with_source(source))
        }
    }
}
