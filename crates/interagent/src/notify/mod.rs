//! Telling the person what waits for them, and taking their replies.
//!
//! Joins the hub, which knows what is to be told and keeps that it was, with the ways of the crate `wake`. The supervisor
//! calls this; `interagent notify` does where none runs.

mod aloud;
mod herald;
mod replies;

use std::path::{Path, PathBuf};

use interagent_core::notice::Notice;
use interagent_core::outreach::Outreach;
use interagent_core::refusal::Refusal;
use interagent_core::team::Notifications;
use interagent_operations::LocalHub;
use interagent_store::side;
use interagent_wake::notify::{Bells, Ways};
use interagent_wake::tmux::Server;

pub(crate) use aloud::aloud;
pub(crate) use herald::{Herald, Replies, Said};
pub(crate) use replies::forget_topic;

use crate::config::env::{Env, has_controlling_terminal};
use crate::config::inherited::without_inherited;
use crate::config::notify::{Setup, setup};
use crate::config::{programs, tmux};
use crate::crew::supervisor;
use crate::files;
use crate::supervise::alone;

/// How the person of a hub is told, asked anew each time: the team changes its wishes, and the user takes their word back,
/// while a supervisor runs.
pub(crate) struct Place {
    pub(crate) env: Env,
    pub(crate) hub_dir: PathBuf,
}

impl Place {
    /// The ways by which the person is told now.
    pub(crate) fn ways(&self, hub: &mut LocalHub) -> Result<Ways, Refusal> {
        Ok(self.setup(hub)?.ways)
    }

    /// What is set up now.
    pub(crate) fn setup(&self, hub: &mut LocalHub) -> Result<Setup, Refusal> {
        let (team, panes) = hub.store().read(|reader| Ok::<_, Refusal>((reader.team()?, reader.panes()?)))?;
        let wished = team.map(|team| team.config.notifications).unwrap_or_default();
        let mut servers = self.env.tmux_server();
        for server in panes.iter().map(|pane| Server::at(&pane.socket)).chain([tmux::server(None)]) {
            if !servers.contains(&server) {
                servers.push(server);
            }
        }
        Ok(setup(&self.env, &self.hub_dir, &wished, servers))
    }
}

/// The channels of the supervisor, below the hub's state: its process, then their names.
const CHANNELS: &str = "supervisor.channels";
/// Longer ones are not ours.
const CHANNELS_BYTES: u64 = 1024;

/// How the operator of a hub is notified of what a process of this machine just recorded. Where a supervisor runs, it
/// notifies, with its own environment and terminals.
pub(crate) fn outreach(hub_dir: &Path, wished: &Notifications) -> Outreach {
    let supervisor = supervisor::running(hub_dir);
    let channels = supervisor.and_then(|pid| channels_of(hub_dir, pid)).unwrap_or_else(|| {
        let env = without_inherited(Env::from_process());
        let mut servers = env.tmux_server();
        servers.extend(Some(tmux::server(None)).filter(|server| !servers.contains(server)));
        channels(&setup(&env, hub_dir, wished, servers).ways)
    });
    // The team may have changed a moment ago.
    let is_wished = |name: &String| match name.as_str() {
        BELL => wished.bell,
        DESKTOP => wished.desktop,
        _ => true,
    };
    Outreach {
        is_supervised: supervisor.is_some(),
        channels: channels.into_iter().filter(is_wished).collect(),
    }
}

const BELL: &str = "bell";
const DESKTOP: &str = "desktop";

/// Why enabled channels don't work.
#[derive(Debug, Default)]
pub(crate) struct Problems {
    pub(crate) bell: Option<String>,
    pub(crate) desktop: Option<String>,
}

/// Problems of the bell and the desktop in the process that sends notices: the supervisor, or else this one.
pub(crate) fn problems(hub_dir: &Path, ways: &Ways) -> Problems {
    let supervisor = supervisor::running(hub_dir);
    let Some((pid, channels)) = supervisor.and_then(|pid| Some((pid, channels_of(hub_dir, pid)?))) else {
        return own_problems(ways);
    };
    let lacks = |name: &str, what: &str| {
        let works = channels.iter().any(|channel| channel == name);
        (!works).then(|| format!("the supervisor (process {pid}) has no {what}"))
    };
    Problems {
        bell: ways.bell.as_ref().and_then(|_| lacks(BELL, "terminal for the bell")),
        desktop: ways.desktop.as_ref().and_then(|desktop| lacks(DESKTOP, desktop.program())),
    }
}

fn own_problems(ways: &Ways) -> Problems {
    let rings = |bells: &Bells| has_controlling_terminal() || bells.has_terminal();
    let silent = ways.bell.as_ref().filter(|bells| !rings(bells));
    let missing = ways.desktop.as_ref().filter(|desktop| !programs::is_on_path(desktop.program()));
    Problems {
        bell: silent.map(|_| "no terminal for the bell".to_owned()),
        desktop: missing.map(|desktop| format!("{} is not installed", desktop.program())),
    }
}

/// The channels that work in this process.
fn channels(ways: &Ways) -> Vec<String> {
    let problems = own_problems(ways);
    let channels = [
        (BELL, ways.bell.is_some() && problems.bell.is_none()),
        (DESKTOP, ways.desktop.is_some() && problems.desktop.is_none()),
        ("ntfy", ways.ntfy.is_some()),
    ];
    channels.into_iter().filter(|(_, works)| *works).map(|(name, _)| name.to_owned()).collect()
}

/// What a supervisor noted of its channels; nothing before it has.
fn channels_of(hub_dir: &Path, supervisor: i64) -> Option<Vec<String>> {
    let text = side::read_text(&hub_dir.join("state").join(CHANNELS), CHANNELS_BYTES).ok()?;
    let mut words = text.split_whitespace();
    let is_its = words.next()?.parse() == Ok(supervisor);
    is_its.then(|| words.map(str::to_owned).collect())
}

/// Notes the channels of this process where it is the supervisor. A note that can't be written leaves callers with what
/// their own environment says.
fn note_channels(hub_dir: &Path, ways: &Ways) {
    let (own, state) = (i64::from(std::process::id()), hub_dir.join("state"));
    if alone::holder(&state) != Some(own) {
        return;
    }
    let now = channels(ways);
    if channels_of(hub_dir, own).as_ref() != Some(&now) {
        let _ = files::write(&state, CHANNELS, &format!("{own} {}\n", now.join(" ")));
    }
}

/// Tells the person of the oldest question that waits for them and was not announced; whether there was one. Each is announced
/// once: it counts as announced before it is said, so being killed in between leaves one unsaid and repeats none. What no way
/// brought to them is told another time: it is `unheard`, and passed by until then. `tell` says whether a way did.
pub(crate) fn announce_next(
    hub: &mut LocalHub,
    unheard: &mut Vec<String>,
    tell: impl FnOnce(&mut LocalHub, &Notice) -> bool,
) -> Result<bool, Refusal> {
    let Some(notice) = hub.take_unannounced(unheard)? else { return Ok(false) };
    if !tell(hub, &notice)
        && let Some(key) = notice.key
    {
        // At once: whatever happens to the next one, this one waits to be told.
        hub.not_announced(&key)?;
        unheard.push(key);
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use interagent_core::vocabulary::Intent;
    use interagent_operations::Hub;
    use interagent_wire::Caller;
    use interagent_wire::request::MessageSend;

    use super::*;

    #[test]
    fn what_reached_nobody_is_unmarked_before_the_next_one_is_told() {
        let dir = tempfile::tempdir().unwrap();
        let mut hub = replies::tests::hub(dir.path());
        for body in ["Shall we deploy?", "Shall we stop?"] {
            let question = MessageSend {
                to: vec!["operator".into()],
                intent: Some(Intent::Question),
                body: Some(body.into()),
                ..MessageSend::default()
            };
            hub.call(&Caller::agent("claude"), question.into()).unwrap();
        }
        let (mut told, mut unheard) = (Vec::new(), Vec::new());
        let mut next = |hub: &mut LocalHub| {
            announce_next(hub, &mut unheard, |hub, notice| {
                let marked = hub.store().read(|reader| reader.marked("announced")).unwrap();
                told.push((notice.key.clone().unwrap(), marked));
                false
            })
        };
        while next(&mut hub).unwrap() {}
        assert_eq!((unheard.len(), told.len()), (2, 2), "each is tried once");
        for (id, marked) in told {
            assert_eq!(marked, [id], "killed now, it would leave only this one unsaid");
        }
    }
}
