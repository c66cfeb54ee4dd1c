//! The hooks of git that ask the guard: setup puts them before the commits of a project's agents, and takes them away again.
//!
//! So the rules hold for clients without hooks and in every worktree. Hooks that others share are left to
//! `guard install --yes`.

use std::path::{Path, PathBuf};

use interagent_agents::setup::Level;
use interagent_core::guard::{Bound, rules_of};
use interagent_core::team::Guard;

use super::Place;
use crate::commands::guard::hooks;
use crate::config::git::tree_around;
use crate::error::CliError;
use crate::git::{self, HooksAre};
use crate::session::Session;
use crate::ui::look::Role;

/// Where the hooks of the project's repository are; nothing outside of one, and where others share them.
fn directory(place: &Place) -> Option<PathBuf> {
    if place.level != Level::Project || tree_around(&place.project).is_none() {
        return None;
    }
    let directory = git::hooks_directory(Some(&place.project)).ok()?;
    let its = git::hooks_are(Some(&place.project), &directory).is_ok_and(|whose| whose == HooksAre::Its);
    its.then_some(directory)
}

/// Where hooks that ask the guard are missing.
pub(super) fn missing(
    session: &mut Session,
    place: &Place,
    program: &Path,
) -> Result<Option<PathBuf>, CliError> {
    let team = if place.hub.is_missing() { None } else { session.team()? };
    let is_on = team.is_none_or(|team| {
        let rules = rules_of(Some(&team), Bound::Agent);
        rules.contains(&Guard::Race001) || rules.contains(&Guard::F006)
    });
    Ok(directory(place).filter(|directory| is_on && !hooks::are_put(directory, program)))
}

/// Where hooks are that ask the guard.
pub(super) fn there(place: &Place) -> Option<PathBuf> {
    directory(place).filter(|directory| hooks::has_ours(directory))
}

/// Says that hooks are put.
pub(super) fn show(session: &mut Session, directory: &Path) {
    let said = format!("puts the guard before commits, pushes and branch updates ({})", directory.display());
    session.printer.line(&[(Role::Plain, &said)]);
}

/// Says that hooks are taken away.
pub(super) fn show_undo(session: &mut Session, directory: &Path) {
    let said = format!(" the guard's hooks of git ({})", directory.display());
    session.printer.line(&[(Role::Bad, "--- removes"), (Role::Plain, &said)]);
}
