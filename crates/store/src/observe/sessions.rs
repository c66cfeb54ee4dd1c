//! Sessions: which client process is which agent, as hooks and connections told us.

use interagent_core::event::Micros;
use interagent_core::ids::AgentId;
use interagent_core::limits;
use interagent_core::permission::Prompt;
use interagent_core::session_id;
use interagent_core::vocabulary::{SessionState, WakeWay};
use serde::{Deserialize, Serialize};

use crate::append::Writer;
use crate::clock::Clock;
use crate::engine::Value;
use crate::error::StoreError;
use crate::log;
use crate::params;
use crate::reader::Reader;
use crate::views::doc;

/// Processes that one statement asks for; a caller's chain is rarely longer.
const PIDS_ASKED: usize = 12;

/// A process, told apart from any other that ever had its number.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Process {
    /// Its number.
    pub pid: i64,
    /// When it started, in the kernel's ticks since boot.
    pub started: i64,
    /// Which run of the machine.
    pub boot: String,
}

/// A client session bound to an agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionRow {
    /// The client's id for it.
    pub id: String,
    /// Whose it is.
    pub agent: AgentId,
    /// Which kind of client.
    pub profile: String,
    /// Its process.
    pub process: Option<Process>,
    /// Its tmux pane.
    pub pane: Option<String>,
    /// Where it works.
    pub cwd: Option<String>,
    /// What its hooks say.
    pub state: SessionState,
    /// Since when it is bound.
    pub bound: Micros,
    /// When anything was last heard.
    pub seen: Micros,
    /// Its agent was told who it is since it last forgot.
    #[serde(default)]
    pub briefed: bool,
    /// Which set of duties it was reminded of at the end of a turn.
    #[serde(default)]
    pub reminded: Option<String>,
    /// How it is woken while it is idle.
    #[serde(default)]
    pub wake: Option<WakeWay>,
    /// What is to be said to it as soon as it listens.
    #[serde(default)]
    pub remark: Option<String>,
    /// For which set of waiting messages it was woken.
    #[serde(default)]
    pub woken: Option<String>,
    /// For which set somebody tries to wake it, and since when.
    #[serde(default)]
    pub waking: Option<(String, Micros)>,
    /// Up to which report it was told of what its subordinates did, until it shows that it has that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reports_told: Option<Micros>,
    /// Its process only shows it, and another one serves it: when that process ends, somebody closed it and nothing died.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub viewed: bool,
    /// Permission prompts that are open in its client, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub prompts: Vec<Prompt>,
    /// What its hooks know of our MCP server in its client.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<ToolsNote>,
}

/// What hooks know of our MCP server in a session's client.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolsNote {
    /// What the client calls our tools, with `{tool}`.
    pub names: String,
    /// The process that started the server, if one runs: [`crate::live::host_key`].
    pub host: String,
    /// The client's settings list the server.
    pub configured: bool,
    /// When this was found out.
    pub noted: Micros,
}

impl SessionRow {
    /// Its process is surely gone.
    pub fn is_gone(&self, clock: &dyn Clock) -> bool {
        let has_ended = |process: &Process| !clock.is_running(process.pid, process.started);
        self.is_of_earlier_run(clock) || self.process.as_ref().is_some_and(has_ended)
    }

    /// Its client stopped. Closing a window that only shows a session of another process stops nothing.
    pub fn has_died(&self, clock: &dyn Clock) -> bool {
        !self.viewed && self.is_gone(clock)
    }

    /// Its process belonged to an earlier run of the machine, so it is gone. Where a run has no name nothing is known.
    pub fn is_of_earlier_run(&self, clock: &dyn Clock) -> bool {
        let now = clock.boot_id();
        self.process
            .as_ref()
            .is_some_and(|process| !process.boot.is_empty() && !now.is_empty() && process.boot != now)
    }
}

impl Reader<'_> {
    /// One session.
    pub fn session(&mut self, id: &str) -> Result<Option<SessionRow>, StoreError> {
        let rows =
            self.rows("SELECT doc FROM sessions WHERE hub = $1 AND id = $2", &params![self.hub, id])?;
        rows.first().map(|row| doc(row, 0)).transpose()
    }

    /// The sessions that did not end, of one agent or all. A session does not outlive the run of the machine its
    /// process belonged to: after a reboot neither its process nor its pane means anything.
    pub fn sessions(&mut self, agent: Option<&AgentId>) -> Result<Vec<SessionRow>, StoreError> {
        let mut rows = self.unended_sessions(agent)?;
        let clock = self.clock();
        rows.retain(|row| !row.is_of_earlier_run(clock));
        Ok(rows)
    }

    /// The sessions of an agent that live, the one that was heard of last first.
    pub fn living_sessions(&mut self, agent: &AgentId) -> Result<Vec<SessionRow>, StoreError> {
        let mut rows = self.unended_sessions(Some(agent))?;
        let clock = self.clock();
        rows.retain(|row| !row.is_gone(clock));
        rows.sort_by_key(|row| std::cmp::Reverse(row.seen));
        Ok(rows)
    }

    /// The conversation of an agent that was heard of last, whether it lives or not: a session by an id that its client gave.
    pub fn last_conversation(&mut self, agent: &AgentId) -> Result<Option<SessionRow>, StoreError> {
        let rows = self.rows(
            "SELECT doc FROM sessions WHERE hub = $1 AND agent = $2 ORDER BY seen DESC, id LIMIT 1000",
            &params![self.hub, agent.as_str()],
        )?;
        for row in &rows {
            let session: SessionRow = doc(row, 0)?;
            if session_id::is_clients(&session.id, &session.profile) {
                return Ok(Some(session));
            }
        }
        Ok(None)
    }

    /// The sessions of processes with these numbers, ended ones included.
    pub fn sessions_of_processes(&mut self, pids: &[i64]) -> Result<Vec<SessionRow>, StoreError> {
        let mut found = Vec::new();
        for asked in pids.chunks(PIDS_ASKED) {
            let mut values = params![self.hub].to_vec();
            // No process has this number.
            values.extend((0..PIDS_ASKED).map(|at| Value::from(asked.get(at).copied().unwrap_or(-1))));
            let rows = self.rows(
                "SELECT doc FROM sessions WHERE hub = $1
                 AND pid IN ($2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)",
                &values,
            )?;
            for row in &rows {
                found.push(doc(row, 0)?);
            }
        }
        Ok(found)
    }

    /// The sessions nobody ended, also those of an earlier run of the machine.
    pub fn unended_sessions(&mut self, agent: Option<&AgentId>) -> Result<Vec<SessionRow>, StoreError> {
        let agent = agent.map(AgentId::as_str);
        let rows = self.rows(
            "SELECT doc FROM sessions WHERE hub = $1 AND ended = 0
             AND (CAST($2 AS TEXT) IS NULL OR agent = $2) ORDER BY id LIMIT 10000",
            &params![self.hub, agent],
        )?;
        rows.iter().map(|row| doc(row, 0)).collect()
    }
}

impl Writer<'_, '_> {
    /// Writes a session as it is now.
    pub fn put_session(&mut self, session: &SessionRow) -> Result<(), StoreError> {
        let hub = self.hub();
        let text = serde_json::to_string(session).map_err(log::bad)?;
        self.note(
            "INSERT INTO sessions (hub, id, agent, ended, pid, doc, seen) VALUES ($1, $2, $3, $4, $5, $6, $7)
             ON CONFLICT (hub, id) DO UPDATE SET agent = excluded.agent, ended = excluded.ended,
             pid = excluded.pid, doc = excluded.doc, seen = excluded.seen",
            &params![
                hub,
                &session.id,
                session.agent.as_str(),
                session.state == SessionState::Ended,
                session.process.as_ref().map(|p| p.pid),
                text,
                session.seen
            ],
        )?;
        if session.state == SessionState::Ended {
            let horizon = self.clock().wall_us().saturating_sub(limits::ENDED_SESSION_US);
            self.note(
                "DELETE FROM sessions WHERE hub = $1 AND ended = 1 AND seen < $2",
                &params![hub, horizon],
            )?;
        }
        Ok(())
    }
}
