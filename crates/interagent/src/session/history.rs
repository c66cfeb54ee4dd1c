//! The history of a hub outside of its database, as far as every command meets it: a clone that has it joins, and where it
//! is files, a command writes what it added.

use std::path::Path;

use interagent_core::ids::HubId;
use interagent_core::team::Track;
use interagent_mirror::git::{
    Checkout, Direction, Git, GitError, Report, Step, Sync, Writes, has_files, hub_in_files, known_hub,
};
use interagent_operations::LocalHub;
use interagent_store::StoreError;
use interagent_store::reader::Reader;
use interagent_wire::LocalEffect;

use crate::config::git::{common_dir_around, tree_around};
use crate::error::CliError;
use crate::ui::look::Role;
use crate::ui::printer::Printer;

/// A history that is there before its hub.
pub(crate) struct Around {
    pub(crate) hub: HubId,
    place: String,
    git: Git,
}

/// The history that lies around a place for a hub, in files or in the repository. What can't be looked at is none: the
/// hub begins then.
pub(crate) fn around(hub_dir: &Path) -> Option<Around> {
    let git = Git::trusted_at(&common_dir_around(hub_dir).ok().flatten()?).ok()?;
    if let Some(hub) = hub_in_files(hub_dir) {
        return Some(Around { hub, place: hub_dir.join("log").display().to_string(), git });
    }
    let known = known_hub(&git).ok().flatten()?;
    Some(Around { hub: known.hub, place: known.place, git })
}

/// Takes that history into a new replica. What can't be taken in now is taken in by the next sync.
pub(crate) fn take_in(hub: &mut LocalHub, hub_dir: &Path, around: &Around, printer: &mut Printer<'_>) {
    let state_dir = hub.state_dir().to_owned();
    let taken = take_files(hub, hub_dir).and_then(|mut report| {
        let sync = Sync {
            git: &around.git,
            state_dir: &state_dir,
            remote: None,
            direction: Direction::TakeOnly,
            progress: &mut |_: Step| {},
        };
        report.and(sync.run(hub.store())?);
        Ok(report)
    });
    match taken {
        Ok(report) => {
            if let Err(refusal) = hub.accept_founder() {
                printer.note(Role::Warning, &format!("warning: {}", refusal.sentence));
            }
            let told = format!("joined the team of {}: {} entries", around.place, report.taken_in);
            printer.note(Role::Quiet, &told);
            for problem in &report.problems {
                printer.note(Role::Warning, &format!("warning: {problem}"));
            }
        }
        Err(error) => {
            printer.note(Role::Warning, &format!("warning: {error}; interagent sync tries it again"));
        }
    }
}

/// Takes in what files beside the hub have, whichever way the history goes now: a merge may have brought them.
pub(crate) fn take_files(hub: &mut LocalHub, hub_dir: &Path) -> Result<Report, GitError> {
    let state_dir = hub.state_dir().to_owned();
    match checkout(hub_dir, &state_dir).filter(|_| has_files(hub_dir)) {
        Some(checkout) => checkout.sync(hub.store(), Writes::Nothing),
        None => Ok(Report::default()),
    }
}

/// Where the team's history goes; none where there is no team yet.
pub(crate) fn track(hub: &mut LocalHub) -> Result<Option<Track>, StoreError> {
    hub.store().read(|reader: &mut Reader<'_>| Ok(reader.team()?.map(|team| team.config.track)))
}

/// Whether the history is to go to files, and can: a hub in a git directory has no worktree around it.
pub(crate) fn writes_files(hub: &mut LocalHub, hub_dir: &Path) -> Result<bool, CliError> {
    Ok(track(hub)? == Some(Track::Worktree) && tree_around(hub_dir).is_some())
}

/// The hub's directory as a part of a worktree.
pub(crate) fn checkout(hub_dir: &Path, state_dir: &Path) -> Option<Checkout> {
    let tree = tree_around(hub_dir)?;
    Some(Checkout {
        hub_dir: hub_dir.to_owned(),
        state_dir: state_dir.to_owned(),
        root: tree.root,
        git_dir: tree.git_dir,
        git: Git::trusted_at(&tree.common_dir).ok()?,
    })
}

/// Whether a file of the hub is in git's index.
pub(crate) fn is_committed(hub_dir: &Path, name: &str) -> bool {
    let state_dir = hub_dir.join("state");
    checkout(hub_dir, &state_dir).is_some_and(|checkout| checkout.has_in_index(name))
}

/// A new replica of a team whose history goes to files writes there from its first command on.
pub(super) fn begin_files(hub: &mut LocalHub, hub_dir: &Path) {
    let state_dir = hub.state_dir().to_owned();
    if writes_files(hub, hub_dir).unwrap_or(false)
        && let Some(checkout) = checkout(hub_dir, &state_dir)
    {
        let _ = checkout.sync(hub.store(), Writes::WhatIsMissing);
    }
}

/// Writes to files what was added, where the history goes there, and settles what a merge of git's or the time brought.
/// Whatever hinders it is met again by the next sync, and told there.
pub(crate) fn catch_up(hub: &mut LocalHub) -> Vec<LocalEffect> {
    let state_dir = hub.state_dir().to_owned();
    let checkout = match state_dir.parent() {
        Some(hub_dir) if Checkout::is_on(&state_dir) => checkout(hub_dir, &state_dir),
        _ => None,
    };
    let is_due = hub.store().has_due().unwrap_or(false);
    if checkout.is_none() && !is_due {
        return Vec::new();
    }
    let Ok(before) = hub.store().head() else { return Vec::new() };
    let taken = checkout.map_or(0, |checkout| checkout.catch_up(hub.store()).unwrap_or(0));
    if taken == 0 && !is_due {
        return Vec::new();
    }
    hub.after_take_in(before.seq).map(|after| after.effects).unwrap_or_default()
}
