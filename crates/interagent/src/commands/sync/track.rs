//! Where the history goes: what the team file says becomes what git sees of the hub, and whether files are written.

use std::path::Path;

use interagent_core::team::Track;
use interagent_mirror::git::{Checkout, Report, Writes};

use super::exchange::refused;
use crate::commands::init;
use crate::error::CliError;
use crate::session::{Session, history};

/// Lets the hub follow what its team decided; answers with what was written to files, where the history goes there.
pub(crate) fn follow(session: &mut Session, hub_dir: &Path) -> Result<Option<Report>, CliError> {
    let hub = session.hub()?;
    let Some(track) = history::track(hub)? else { return Ok(None) };
    let state_dir = hub.state_dir().to_owned();
    let checkout = history::checkout(hub_dir, &state_dir).filter(|_| track == Track::Worktree);
    let Some(checkout) = checkout else {
        if Checkout::is_on(&state_dir) {
            Checkout::end(&state_dir).map_err(refused)?;
        }
        init::hide_from_git(hub_dir, Track::Branch)?;
        return Ok(None);
    };
    init::hide_from_git(hub_dir, Track::Worktree)?;
    let written = checkout.sync(hub.store(), Writes::WhatIsMissing);
    written.map(Some).map_err(refused)
}
