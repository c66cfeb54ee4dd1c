//! F001, F003, F004 and F005: who works, on what, and without standing still.

use super::{Denial, Scene};
use crate::decide::lease::has_wildcards;
use crate::guard::path;
use crate::guard::touches::{Touch, What};
use crate::rules;
use crate::team::{Guard, Role};

/// A pause shorter than this is no waiting: a server that starts needs a moment.
const WAITING_MS: u64 = 2_000;

/// F001: superiors delegate.
pub(super) fn superiors_delegate(scene: &Scene<'_>, touch: &Touch) -> Option<Denial> {
    let is_vice = scene.has_role(&[Role::ViceCaptain]);
    if !is_vice && !scene.has_role(&[Role::Captain]) {
        return None;
    }
    let done = match &touch.what {
        What::Write { path, .. } if is_work(scene, path) => "edits files",
        What::Change { .. } => "edits files",
        What::Develop { .. } => "is development",
        What::Subagent { read_only: true } if is_vice => return None,
        What::Subagent { .. } => "does work through a subagent that nobody else sees",
        _ => return None,
    };
    let role = if is_vice { "a vice captain" } else { "the captain" };
    let reason = format!("`{}` {done}, and {role} delegates instead.", touch.source);
    let below = scene.facts.team.and_then(|team| {
        let led = team
            .agents
            .iter()
            .find(|(_, seat)| seat.reports_to.is_some() && seat.reports_to == scene.member.name);
        led.map(|(name, _)| name.as_str())
    });
    let to = below.unwrap_or("NAME");
    Some(Denial::new(
        Guard::F001,
        reason,
        format!("Give it away: `interagent delegate --to {to} --task '...'`."),
    ))
}

/// Whether a file is part of the work: in the project or some repository, and none of the hub's own.
fn is_work(scene: &Scene<'_>, path: &str) -> bool {
    !scene.is_in_hub(path)
        && (scene.tree(path).is_some()
            || scene.facts.project.is_some_and(|root| path::below(path, root).is_some()))
}

/// F003: no look into somebody else's task or report.
pub(super) fn others_work(scene: &Scene<'_>, touch: &Touch) -> Option<Denial> {
    let (What::Look { path } | What::Write { path, .. }) = &touch.what else { return None };
    let inside = path::below(path, scene.facts.hub?)?;
    let (kind, file) = inside.split_once('/')?;
    if !matches!(kind, "tasks" | "reports") {
        return None;
    }
    let me = scene.member.name.as_ref()?;
    let name = path::file_name(file);
    if has_wildcards(file) || matches!(name, "" | "active" | "completed") {
        // Who leads may look over everybody's shoulder.
        let leads = scene
            .facts
            .team
            .is_some_and(|team| team.agents.values().any(|seat| seat.reports_to.as_ref() == Some(me)));
        let reason = format!("`{}` would look into {kind} of others, too.", touch.source);
        let way_out =
            format!("See yours: `interagent task list --assignee {me}`, `interagent task show ID`.");
        return (!leads).then(|| Denial::new(Guard::F003, reason, way_out));
    }
    let work = scene.facts.owners.get(name)?;
    let worker = work.worker.as_ref()?;
    let is_ours = worker == me || work.giver.as_ref() == Some(me);
    if is_ours || scene.facts.team.is_some_and(|team| rules::is_above(team, me, worker)) {
        return None;
    }
    let what = if kind == "tasks" { "the task" } else { "the report" };
    let reason = format!("`{}` would look into {what} of {worker}, which is not yours.", touch.source);
    let way_out = format!(
        "Ask {worker} with `interagent send --to {worker} -m \"...\"`, or see yours: `interagent task list`."
    );
    Some(Denial::new(Guard::F003, reason, way_out))
}

/// F004: nobody stands still in the foreground, and nobody types into somebody else's terminal.
pub(super) fn nobody_waits(touch: &Touch) -> Option<Denial> {
    let source = &touch.source;
    let (reason, way_out) = match &touch.what {
        What::Sleep { milliseconds } if *milliseconds >= WAITING_MS => (
            format!("`{source}` would wait in the foreground, where no message reaches you."),
            "End your turn: mail wakes you. A program that needs time runs in the background.",
        ),
        What::Poll => (
            format!("`{source}` would look again and again, which costs time and tokens and reaches nobody."),
            "End your turn: mail wakes you. Ask for an answer with `interagent send --to NAME --intent question -m TEXT`.",
        ),
        What::Terminal { verb } => (
            format!(
                "`{source}` would reach into a terminal (tmux {verb}), where text could go into a shell or a dialog."
            ),
            "Write instead: `interagent send --to NAME -m \"...\"`; `interagent status` shows what others do.",
        ),
        _ => return None,
    };
    Some(Denial::new(Guard::F004, reason, way_out))
}

/// F005: the briefing is read before anything is changed.
pub(super) fn briefing_first(scene: &Scene<'_>, touch: &Touch) -> Option<Denial> {
    let changes = match &touch.what {
        What::Write { path, .. } => is_work(scene, path),
        What::Change { .. }
        | What::Commit { .. }
        | What::Merge { .. }
        | What::Push { .. }
        | What::Reset { .. }
        | What::MergeRequest { .. } => true,
        _ => false,
    };
    if !changes || scene.facts.briefed != Some(false) {
        return None;
    }
    let reason = format!(
        "`{}` would change something before you read who you are here and what is yours.",
        touch.source
    );
    Some(Denial::new(Guard::F005, reason, "Read it first: `interagent briefing`."))
}
