//! Sessions that are nobody: noted so that people see them, until they are bound or gone.

use std::path::Path;

use interagent_core::refusal::Refusal;
use interagent_core::vocabulary::Moment;
use interagent_store::observe::Process;
use interagent_store::reader::Reader;
use interagent_store::unnamed::{self, UnnamedSession};
use interagent_wire::answer::UnnamedView;
use interagent_wire::request as ask;

/// Notes a session that is nobody, where a turn or the session begins.
pub(super) fn note(state_dir: &Path, params: &ask::SessionHook, process: Option<Process>) {
    let begins = matches!(params.moment, Some(Moment::Start | Moment::Prompt));
    let (Some(profile), true) = (&params.profile, begins && !params.subagent) else { return };
    let session = UnnamedSession {
        id: params.session.trim().to_owned(),
        profile: profile.clone(),
        client: params.client.clone().unwrap_or_else(|| profile.clone()),
        process,
        cwd: params.cwd.clone(),
    };
    // Where that can't be noted, people see one session fewer.
    let _ = unnamed::note(state_dir, &session);
}

/// The session is somebody now, or has ended.
pub(super) fn forget(state_dir: &Path, session: &str) {
    unnamed::forget(state_dir, session.trim());
}

/// The sessions that are nobody and still run. One that was bound since, by itself or by its process, is left out.
pub(crate) fn list(reader: &mut Reader<'_>, state_dir: &Path) -> Result<Vec<UnnamedView>, Refusal> {
    let mut found = unnamed::list(state_dir, reader.clock());
    if found.is_empty() {
        return Ok(Vec::new());
    }
    let bound = reader.sessions(None)?;
    found.retain(|session| {
        let is_it = |id: &str, process: &Option<Process>| {
            session.id == id || (process.is_some() && session.process == *process)
        };
        !bound.iter().any(|row| is_it(&row.id, &row.process))
    });
    let view = |session: UnnamedSession| UnnamedView {
        session: session.id,
        profile: session.profile,
        client: session.client,
        pid: session.process.map(|process| process.pid),
        cwd: session.cwd,
    };
    Ok(found.into_iter().map(view).collect())
}
