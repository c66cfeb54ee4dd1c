//! Mail in other hubs: somebody wrote to an agent of this project, and to another hub than the one it looks into.

use std::path::{Path, PathBuf};

use interagent_operations::{Hub, LocalHub};
use interagent_wire::answer::AgentView;
use interagent_wire::request::AgentList;
use interagent_wire::{Answer, Caller};

use super::report::{Report, State};
use crate::config::env::Env;
use crate::config::hub::{Found, HUB_NAME};

/// Looks into the hubs further up and into the personal one. None of them is changed.
pub(super) fn mail(env: &Env, found: &Found, report: &mut Report) {
    let Some(here) = members(&found.hub_dir) else { return };
    let others = others(env, found);
    let mut is_clean = true;
    for other in &others {
        let Some(there) = members(other) else { continue };
        for agent in there.iter().filter(|agent| agent.unread > 0) {
            if !here.iter().any(|member| member.name == agent.name && member.profile != "human") {
                continue;
            }
            is_clean = false;
            let (name, unread, place) = (&agent.name, agent.unread, other.display());
            let sentence =
                format!("{name} has {unread} unread in `{place}`, which is not the hub of this project");
            let helps = format!("interagent inbox --hub {place} --agent {name}");
            report.finding(State::Warn, "other hubs", sentence, Some(&helps));
        }
    }
    if is_clean {
        let sentence = match others.len() {
            0 => "there are none around here".to_owned(),
            count => format!("no mail for agents of this one in {count} others"),
        };
        report.ok("other hubs", sentence);
    }
}

/// Hubs in the directories above this one, and in the home.
fn others(env: &Env, found: &Found) -> Vec<PathBuf> {
    let start = found.project_root.as_deref().unwrap_or(&found.hub_dir);
    let above = start.ancestors().skip(1).map(|directory| directory.join(HUB_NAME));
    let mut others: Vec<PathBuf> = Vec::new();
    for hub in above.chain(env.home.as_ref().map(|home| home.join(HUB_NAME))) {
        let is_other = hub != found.hub_dir && !others.contains(&hub);
        if is_other && hub.join("state").is_dir() {
            others.push(hub);
        }
    }
    others
}

/// Everybody who takes part in a hub; nothing where it can't be read.
pub(super) fn members(hub_dir: &Path) -> Option<Vec<AgentView>> {
    let mut hub = LocalHub::look(hub_dir).ok()?;
    match hub.call(&Caller::program(), AgentList::default().into()).ok()?.answer {
        Answer::Agents(page) => Some(page.items.into_iter().filter(|agent| agent.local).collect()),
        _ => None,
    }
}
