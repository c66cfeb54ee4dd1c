//! By which ways the person of this machine is told.
//!
//! What the team file wishes for is data of the project. Where words leave this machine, the user's own word is needed: the
//! server is never named by a project, and a topic that the project names counts only after `interagent trust`. Whoever
//! knows the topic reads subjects and answers as the operator.

use std::path::Path;

use interagent_core::team::{Notifications, PartProblem, check_ntfy_topic};
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
    pub(crate) topic: Topic,
}

/// The topic of ntfy, and whether it is used.
#[derive(Debug, Default)]
pub(crate) enum Topic {
    /// None is named.
    #[default]
    Unnamed,
    /// It is used, and was named there.
    Used(&'static str),
    /// The project names it and the user has not allowed it.
    NotAllowed(String),
    /// What the user's own variable holds is none. Nothing goes to the project's instead.
    Wrong(PartProblem),
}

/// The user's own topic, which comes before the project's.
pub(crate) const OWN_TOPIC: &str = "INTERAGENT_NTFY_TOPIC";
/// Where a project names one.
const TEAM_FILE: &str = "team.toml";
/// Characters of a topic that are shown, and of a short one no more than a half: whoever knows all of it answers as the user.
const SHOWN_CHARS: usize = 4;

/// The beginning of a topic: enough to tell two apart.
pub(crate) fn beginning(topic: &str) -> String {
    let most = SHOWN_CHARS.min(topic.chars().count() / 2);
    format!("{}…", topic.chars().take(most).collect::<String>())
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
    let (name, topic) = match (&env.ntfy_topic, &wished.ntfy_topic) {
        (Some(own), _) => match check_ntfy_topic(own) {
            Ok(()) => (Some(own.clone()), Topic::Used(OWN_TOPIC)),
            Err(problem) => (None, Topic::Wrong(problem)),
        },
        (None, Some(named)) if allowed(named) => (Some(named.clone()), Topic::Used(TEAM_FILE)),
        (None, Some(named)) => (None, Topic::NotAllowed(named.clone())),
        (None, None) => (None, Topic::Unnamed),
    };
    let ntfy = name.map(|topic| Ntfy {
        server: server(env),
        topic,
        token: env.ntfy_token.clone(),
        detail: env.ntfy_detail,
    });
    let ways = Ways {
        bell: wished.bell.then_some(Bells { servers }),
        desktop: wished.desktop.then(Desktop::of_this_machine),
        ntfy,
    };
    Setup { ways, topic }
}
