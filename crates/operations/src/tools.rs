//! Which sessions have our MCP server, and what their clients call its tools.

use std::path::Path;

use interagent_core::event::Micros;
use interagent_core::ids::AgentId;
use interagent_core::phrasing::BARE_TOOL;
use interagent_core::session_id;
use interagent_store::observe::{SessionRow, ToolsNote};
use interagent_store::reader::Reader;
use interagent_store::{StoreError, live};
use interagent_wire::request as ask;

/// How long a client may take to start the server that its settings list. Afterwards only a server that runs counts: the person
/// may have declined it.
const SETTLING_US: Micros = 120 * 1_000_000;

/// What a hook tells of the server in its client.
pub(crate) fn noted(params: &ask::SessionHook, now: Micros) -> Option<ToolsNote> {
    let names = params.tools.clone()?;
    let host = params.host.clone().unwrap_or_default();
    Some(ToolsNote { names, host, configured: params.tools_configured, noted: now })
}

/// What a session's client calls our tools, where the session has them.
pub(crate) fn names(state_dir: &Path, row: &SessionRow, now: Micros) -> Option<String> {
    if session_id::server(&row.id).is_some() {
        // A connection that named no session of its client: the session is the server's own.
        return Some(BARE_TOOL.to_owned());
    }
    let note = row.tools.as_ref()?;
    let is_settling = note.configured && now.saturating_sub(note.noted) < SETTLING_US;
    (live::has_server(state_dir, &note.host) || is_settling).then(|| note.names.clone())
}

/// What an agent's clients call our tools: of the session that was heard of last among those that have them.
pub(crate) fn names_of(
    reader: &mut Reader<'_>,
    agent: &AgentId,
    state_dir: &Path,
) -> Result<Option<String>, StoreError> {
    let (rows, now) = (reader.living_sessions(agent)?, reader.now());
    Ok(rows.iter().find_map(|row| names(state_dir, row, now)))
}
