//! F001, F003, F004 and F005: who works, on what, and without standing still.

use super::{Denial, Scene};
use crate::decide::lease::has_wildcards;
use crate::guard::path;
use crate::guard::touches::{Touch, What};
use crate::rules;
use crate::team::{Guard, Role, TeamConfig};

/// A pause shorter than this is no waiting: a server that starts needs a moment.
const WAITING_MS: u64 = 2_000;

/// F001: superiors delegate.
pub(super) fn superiors_delegate(scene: &Scene<'_>, touch: &Touch) -> Option<Denial> {
    let is_vice = scene.commands_as(Role::ViceCaptain);
    if !is_vice && !scene.commands_as(Role::Captain) {
        return None;
    }
    let mut ways = ("Give it away", "");
    let done = match &touch.what {
        What::Look { path } if !is_vice && !is_for_the_captain(scene, path) => {
            ways = (
                "Have it looked into",
                " You may read the dashboard, your orders, team.toml and .interagent/shared/.",
            );
            "reads files that are not the captain's"
        }
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
        format!("{}: `interagent delegate --to {to} --task '...'`.{}", ways.0, ways.1),
    ))
}

/// What a captain reads in the hub: dashboard, orders and their reports, configuration, shared context.
const CAPTAINS_FILES: [&str; 10] = [
    "AGENTS.md",
    "README.md",
    "agents",
    "dashboard.md",
    "reports",
    "session.json",
    "shared",
    "specs",
    "tasks",
    "team.toml",
];

/// Whether a captain may read a file: one of the hub that is meant for it, what configures its client, and whatever is no
/// part of the work.
fn is_for_the_captain(scene: &Scene<'_>, path: &str) -> bool {
    if let Some(inside) = scene.facts.hub.and_then(|hub| path::below(path, hub)) {
        let first = inside.split('/').next().unwrap_or_default();
        return first.is_empty() || CAPTAINS_FILES.contains(&first);
    }
    let configures = |named: &str| {
        scene.facts.client_files.iter().any(|file| path::below(named, file.trim_end_matches('/')).is_some())
    };
    !is_work(scene, path) || scene.in_project(path).is_some_and(configures)
}

/// F003: a member changes nothing before it has a task.
pub(super) fn unassigned(scene: &Scene<'_>, touch: &Touch) -> Option<Denial> {
    let changes = match &touch.what {
        What::Write { path, .. } => is_work(scene, path),
        What::Change { .. } => true,
        _ => false,
    };
    if !changes || !scene.commands_as(Role::Member) || scene.facts.has_task != Some(false) {
        return None;
    }
    let reason = format!("`{}` would change files, and no task is assigned to you.", touch.source);
    Some(Denial::new(Guard::F003, reason, format!("Get a task first. {}", scene.ask_above())))
}

/// Whether a file is part of the work: in the project or some repository, and none of the hub's own.
fn is_work(scene: &Scene<'_>, path: &str) -> bool {
    !scene.is_in_hub(path)
        && (scene.tree(path).is_some()
            || scene.facts.project.is_some_and(|root| path::below(path, root).is_some()))
}

/// F003: no look into somebody else's task or report, or into messages about them.
pub(super) fn others_work(scene: &Scene<'_>, touch: &Touch) -> Option<Denial> {
    let (path, writes) = match &touch.what {
        What::Look { path } => (path, false),
        What::Write { path, .. } => (path, true),
        _ => return None,
    };
    let inside = path::below(path, scene.facts.hub?)?;
    let (kind, file) = inside.split_once('/').unwrap_or((inside, ""));
    // The hub itself, or any directory in it.
    let is_all = has_wildcards(kind) && (!file.is_empty() || kind.chars().all(|letter| letter == '*'));
    let kind = if !writes && (kind.is_empty() || is_all) { "tasks and messages" } else { kind };
    if !matches!(kind, "tasks" | "reports" | "messages" | "tasks and messages") {
        return None;
    }
    let me = scene.member.name.as_ref()?;
    let name = path::file_name(file);
    // A file of the archive has the messages of a month.
    let is_directory =
        matches!(name, "" | "active" | "completed" | "pending" | "archive") || name.ends_with(".jsonl");
    // Drafts of messages are put there.
    if is_directory && writes && kind == "messages" {
        return None;
    }
    if has_wildcards(file) || is_directory || kind == "tasks and messages" {
        // Superiors oversee everything below them.
        let has_below =
            |team: &TeamConfig| team.agents.values().any(|seat| seat.reports_to.as_ref() == Some(me));
        let leads = scene.facts.team.is_some_and(has_below);
        let reason = format!("`{}` would also read {kind} of other members.", touch.source);
        let way_out = match kind {
            "messages" => "See yours: `interagent inbox`, `interagent read ID`.".to_owned(),
            _ => format!("See yours: `interagent task list --assignee {me}`, `interagent task show ID`."),
        };
        return (!leads).then(|| Denial::new(Guard::F003, reason, way_out));
    }
    let (work, parties) = match kind {
        "messages" => scene.facts.messages.get(name).map(|about| (&about.work, about.parties.as_slice()))?,
        _ => (scene.facts.owners.get(name)?, &[][..]),
    };
    let worker = work.worker.as_ref()?;
    if scene.facts.team.is_some_and(|team| rules::reads_about_work(team, me, parties, &work.relation())) {
        return None;
    }
    let what = match kind {
        "tasks" => "the task",
        "reports" => "the report",
        _ => "a message about the work",
    };
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
