//! By which ways the person of this machine is told.
//!
//! What the team file wishes for is data of the project. Where words leave this machine, the user's own word is needed: the
//! server is never named by a project, and a topic that the project names counts only after `interagent trust`. Whoever
//! knows the topic reads subjects and answers as the operator.

use std::path::Path;

use interagent_core::team::Notifications;
use interagent_wake::notify::{Bells, Desktop, Ntfy, Ways};
use interagent_wake::tmux::Server;

use super::env::Env;
use super::trust::TrustList;

/// The public server, where the user names no other.
const PUBLIC_SERVER: &str = "https://ntfy.sh";

/// What is set up on this machine.
#[derive(Debug, Default)]
pub(crate) struct Setup {
    pub(crate) ways: Ways,
    /// A topic that the project names and the user has not allowed.
    pub(crate) untrusted_topic: Option<String>,
}

/// The server that pushes go to.
pub(crate) fn server(env: &Env) -> String {
    env.ntfy_server.clone().unwrap_or_else(|| PUBLIC_SERVER.to_owned())
}

/// The ways, by what the team wishes for and the user allows. The servers are those of tmux in which people may sit.
pub(crate) fn setup(env: &Env, hub_dir: &Path, wished: &Notifications, servers: Vec<Server>) -> Setup {
    let allowed = |topic: &String| {
        let list = TrustList::read(env).ok().flatten();
        list.is_some_and(|list| list.allows_topic(hub_dir, topic))
    };
    let (topic, untrusted_topic) = match (&env.ntfy_topic, &wished.ntfy_topic) {
        (Some(own), _) => (Some(own.clone()), None),
        (None, Some(named)) if allowed(named) => (Some(named.clone()), None),
        (None, named) => (None, named.clone()),
    };
    let ntfy = topic.map(|topic| Ntfy { server: server(env), topic, token: env.ntfy_token.clone() });
    let ways = Ways {
        bell: wished.bell.then_some(Bells { servers }),
        desktop: wished.desktop.then(Desktop::of_this_machine),
        ntfy,
    };
    Setup { ways, untrusted_topic }
}
