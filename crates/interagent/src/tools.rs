//! Which clients have our MCP server: by their settings, and by the server that runs.
//!
//! Texts for a model name our tools where its session has them. A hook looks into the settings when a session begins; a server that
//! runs says so itself.

use std::path::Path;

use interagent_agents::Profile;
use interagent_agents::setup::{Configuration, Level, Pin, RealDisk, Setup, configured};
use interagent_store::live;
use interagent_wire::Caller;

use crate::config::caller;
use crate::config::env::Env;
use crate::config::hub::{self, Discovery};
use crate::config::programs;
use crate::hook::SHELLS;

/// Whether a client's settings list our server, for the directory it works in or the root of the tree around that.
pub(crate) fn is_configured(env: &Env, profile: &Profile, root: Option<&Path>) -> bool {
    let places = env.cwd.as_deref().into_iter().chain(root.filter(|root| Some(*root) != env.cwd.as_deref()));
    places.filter_map(|place| configuration(env, profile, place)).any(|found| found.server.is_some())
}

/// Whether the client that started this server has hooks of ours.
pub(crate) fn is_hooked(env: &Env, caller: &Caller) -> bool {
    let profile = caller.profile.as_deref().and_then(|name| env.profiles.get(name));
    let place = env.cwd.as_deref();
    let found = profile.zip(place).and_then(|(profile, place)| configuration(env, &profile, place));
    found.is_some_and(|found| !found.hooks.is_empty())
}

fn configuration(env: &Env, profile: &Profile, project: &Path) -> Option<Configuration> {
    let binary = programs::own().ok()?;
    let setup = Setup {
        profile,
        level: Level::Project,
        binary: &binary,
        agent: Pin::Nobody,
        project,
        home: env.home.as_deref(),
    };
    Some(configured(&setup, &RealDisk))
}

/// Notes that this process is the server of its client. Where there is no hub yet, or its directory can't be written, texts name
/// commands.
pub(crate) fn note_server(env: &Env, caller: &Caller) {
    let Ok(Discovery::Found(found)) = hub::discover(env, None) else { return };
    if let Some(host) = host(caller) {
        let _ = live::note_server(&found.hub_dir.join("state"), &host);
    }
}

/// What the client around this process calls our tools, where it runs our server now.
pub(crate) fn running(env: &Env, profile: &Profile, state_dir: &Path) -> Option<String> {
    let names = profile.mcp.as_ref()?.tool.clone()?;
    let host = host(&caller::caller(env, None))?;
    live::has_server(state_dir, &host).then_some(names)
}

/// The process that runs a client's hooks and its MCP servers: the nearest above this one that is not a shell. It may serve several
/// sessions, which all have the same servers.
pub(crate) fn host(caller: &Caller) -> Option<String> {
    let above = caller.processes.get(1..).unwrap_or_default();
    let host = above.iter().find(|process| !SHELLS.contains(&process.executable.as_str()))?;
    Some(live::host_key(host.pid, host.started))
}
