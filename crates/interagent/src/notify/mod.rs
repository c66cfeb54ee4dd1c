//! Telling the person what waits for them, and taking their replies.
//!
//! Joins the hub, which knows what is to be told and keeps that it was, with the ways of the crate `wake`. The supervisor
//! calls this; `interagent notify` does where none runs.

mod aloud;
mod herald;
mod replies;

use std::path::PathBuf;

use interagent_core::notice::{Notice, of_plea};
use interagent_core::refusal::Refusal;
use interagent_operations::LocalHub;
use interagent_wake::notify::Ways;
use interagent_wake::tmux::Server;

pub(crate) use aloud::aloud;
pub(crate) use herald::{Herald, Replies, Said};
pub(crate) use replies::forget_topic;

use crate::config::env::Env;
use crate::config::notify::setup;
use crate::config::tmux;

/// How the person of a hub is told, asked anew each time: the team changes its wishes, and the user takes their word back,
/// while a supervisor runs.
pub(crate) struct Place {
    pub(crate) env: Env,
    pub(crate) hub_dir: PathBuf,
}

impl Place {
    /// The ways by which the person is told now.
    pub(crate) fn ways(&self, hub: &mut LocalHub) -> Result<Ways, Refusal> {
        let (team, panes) = hub.store().read(|reader| Ok::<_, Refusal>((reader.team()?, reader.panes()?)))?;
        let wished = team.map(|team| team.config.notifications).unwrap_or_default();
        let mut servers = self.env.tmux_server();
        for server in panes.iter().map(|pane| Server::at(&pane.socket)).chain([tmux::server(None)]) {
            if !servers.contains(&server) {
                servers.push(server);
            }
        }
        Ok(setup(&self.env, &self.hub_dir, &wished, servers).ways)
    }
}

/// Tells the person of everything that waits for them and was not announced. Each is announced once: it counts as
/// announced before it is said, so being killed in between leaves one unsaid and repeats none. What no way brought to them is
/// told another time; how many that are is answered. `tell` says whether a way did.
pub(crate) fn announce_due(
    hub: &mut LocalHub,
    mut tell: impl FnMut(&mut LocalHub, &Notice) -> bool,
) -> Result<usize, Refusal> {
    let mut unheard = Vec::new();
    while let Some(plea) = hub.take_unannounced()? {
        if !tell(hub, &of_plea(&plea)) {
            unheard.push(plea.id);
        }
    }
    unheard.iter().try_for_each(|id| hub.not_announced(id))?;
    Ok(unheard.len())
}
