//! Panes: which terminal of tmux is which agent's, as it was started or joined here. What is in it now is asked of tmux.

use interagent_core::event::Micros;
use interagent_core::ids::AgentId;
use serde::{Deserialize, Serialize};

use super::Process;
use crate::append::Writer;
use crate::clock::Clock;
use crate::error::StoreError;
use crate::log;
use crate::params;
use crate::reader::Reader;
use crate::views::doc;

/// How a pane came to its agent. Only what was launched is ever ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PaneOrigin {
    /// The program made the pane and started the client in it.
    Launched,
    /// It was there before, and belongs to whoever made it.
    Adopted,
}

/// The pane of an agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PaneRow {
    /// Whose it is.
    pub agent: AgentId,
    /// The socket of its tmux server.
    pub socket: String,
    /// tmux's id for it. Ids are used again: by itself it names nobody.
    pub pane: String,
    /// The first process in it: the client where it was launched, a person's shell where it was adopted.
    pub process: Process,
    /// How it came to its agent.
    pub origin: PaneOrigin,
    /// Which kind of client.
    pub profile: String,
    /// The terminal's device, whose time says when something was last written.
    pub tty: Option<String>,
    /// Since when, by the wall clock.
    pub since: Micros,
    /// Its client was started to act without asking. Rows of earlier versions do not say so.
    #[serde(default)]
    pub auto_approve: bool,
    /// The model that its client was started with or switched to; absent where that is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}

impl PaneRow {
    /// Its first process is surely gone.
    pub fn is_gone(&self, clock: &dyn Clock) -> bool {
        let (then, now) = (self.process.boot.as_str(), clock.boot_id());
        let is_of_earlier_run = !then.is_empty() && !now.is_empty() && then != now;
        is_of_earlier_run || !clock.is_running(self.process.pid, self.process.started)
    }
}

impl Reader<'_> {
    /// The pane of an agent.
    pub fn pane(&mut self, agent: &AgentId) -> Result<Option<PaneRow>, StoreError> {
        let rows = self.rows(
            "SELECT doc FROM panes WHERE hub = $1 AND agent = $2",
            &params![self.hub, agent.as_str()],
        )?;
        rows.first().map(|row| doc(row, 0)).transpose()
    }

    /// The panes of all agents, in the order of their ids.
    pub fn panes(&mut self) -> Result<Vec<PaneRow>, StoreError> {
        let rows = self.rows("SELECT doc FROM panes WHERE hub = $1 ORDER BY agent", &params![self.hub])?;
        rows.iter().map(|row| doc(row, 0)).collect()
    }
}

impl Writer<'_, '_> {
    /// Notes an agent's pane; one that it had before is forgotten.
    pub fn put_pane(&mut self, pane: &PaneRow) -> Result<(), StoreError> {
        let hub = self.hub();
        let text = serde_json::to_string(pane).map_err(log::bad)?;
        self.note(
            "INSERT INTO panes (hub, agent, doc) VALUES ($1, $2, $3)
             ON CONFLICT (hub, agent) DO UPDATE SET doc = excluded.doc",
            &params![hub, pane.agent.as_str(), text],
        )?;
        Ok(())
    }

    /// Notes that the client in an agent's pane changed to a model. A pane that was adopted may have had several clients, so
    /// nothing is noted of it.
    pub fn put_model(&mut self, agent: &AgentId, process: &Process, model: &str) -> Result<(), StoreError> {
        match self.look().pane(agent)? {
            Some(pane) if pane.process == *process && pane.origin == PaneOrigin::Launched => {
                self.put_pane(&PaneRow { model: Some(model.to_owned()), ..pane })
            }
            _ => Ok(()),
        }
    }

    /// Forgets an agent's pane. Whether there was one.
    pub fn drop_pane(&mut self, agent: &AgentId) -> Result<bool, StoreError> {
        let hub = self.hub();
        let dropped =
            self.note("DELETE FROM panes WHERE hub = $1 AND agent = $2", &params![hub, agent.as_str()])?;
        Ok(dropped > 0)
    }
}
