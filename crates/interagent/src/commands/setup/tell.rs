//! What a person and a program learn of a setup: the clients, the changes, what came of them, and what is left to do.

use std::path::Path;

use interagent_agents::setup::{FileChange, Level, Plan, What, Written};
use serde_json::{Value, json};
use similar::TextDiff;

use super::agents::Recruit;
use super::choose::Chosen;
use super::role::RoleChange;
use super::{Place, Setup};
use crate::session::{Session, TEAM_FILE};
use crate::show::diff;
use crate::ui::look::Role;

/// Lines around a change.
const CONTEXT: usize = 3;

/// What came of a plan.
pub(super) struct Outcome<'a> {
    /// Nothing where it was only shown.
    pub(super) written: Option<&'a Written>,
    pub(super) recruits: &'a [Recruit],
    /// Whether everything is as it should be now.
    pub(super) is_done: bool,
}

/// The clients that are set up.
pub(super) fn clients(session: &mut Session, chosen: &Chosen) {
    for client in &chosen.clients {
        let title = &client.profile.title;
        let (version, place) = match &client.installed {
            Some((program, version)) => (version.clone().unwrap_or_default(), program.display().to_string()),
            None if client.profile.executable.is_none() => (String::new(), String::new()),
            None => (String::new(), "not found on PATH".to_owned()),
        };
        let mut pieces = vec![(Role::Heading, title.as_str())];
        if !version.is_empty() {
            pieces.extend([(Role::Plain, " "), (Role::Plain, version.as_str())]);
        }
        if !place.is_empty() {
            pieces.extend([(Role::Plain, " "), (Role::Quiet, place.as_str())]);
        }
        session.printer.line(&pieces);
    }
}

/// Everything that would be written.
pub(super) fn plan(
    session: &mut Session,
    setup: &Setup,
    plan: &Plan,
    place: &Place,
    recruits: &[Recruit],
    role: Option<&RoleChange>,
) {
    if place.hub.is_missing() {
        let directory = place.hub.directory().display().to_string();
        session.printer.line(&[(Role::Plain, "makes the hub "), (Role::Plain, &directory)]);
    }
    for Recruit { name, profile } in recruits {
        let client = format!(" ({profile})");
        session.printer.line(&[
            (Role::Plain, "registers the agent "),
            (Role::Name, name),
            (Role::Plain, &client),
        ]);
    }
    if let Some(RoleChange { before, after }) = role {
        let file = place.hub.directory().join(TEAM_FILE);
        changed(session, &shown(session, place, &file), Some(before), after);
    }
    for change in &plan.changes {
        show_change(session, setup, place, change);
    }
}

fn show_change(session: &mut Session, setup: &Setup, place: &Place, change: &FileChange) {
    let file = shown(session, place, &change.path);
    if change.is_through_a_link() {
        let named = shown(session, place, &change.named);
        let link = format!("{named} is a link: what is written is {file}");
        session.printer.line(&[(Role::Warning, "note: "), (Role::Plain, &link)]);
    }
    // A new file of which every line is ours says nothing to somebody who wants to know what changes.
    let is_wholly_ours = change.what == [What::Skill] || change.after.starts_with("// Connects OpenCode");
    if change.before.is_none() && is_wholly_ours && !setup.print {
        let lines = format!(" ({}, {} lines)", words(&change.what), change.after.lines().count());
        session.printer.line(&[(Role::Good, "+++ new file "), (Role::Plain, &file), (Role::Quiet, &lines)]);
        return;
    }
    changed(session, &file, change.before.as_deref(), &change.after);
}

fn changed(session: &mut Session, file: &str, before: Option<&str>, after: &str) {
    let old = if before.is_some() { file } else { "/dev/null" };
    diff(&mut session.printer, &unified(old, file, before.unwrap_or_default(), after), 0);
}

/// The change as `patch` understands it.
pub(super) fn unified(old: &str, new: &str, before: &str, after: &str) -> String {
    TextDiff::from_lines(before, after).unified_diff().context_radius(CONTEXT).header(old, new).to_string()
}

/// A path as one would type it here: from the project, or from home.
pub(super) fn shown(session: &Session, place: &Place, path: &Path) -> String {
    let project = place.project.canonicalize().unwrap_or_else(|_| place.project.clone());
    if let (Level::Project, Ok(inside)) = (place.level, path.strip_prefix(&project)) {
        return inside.display().to_string();
    }
    let home = session.env.home.as_ref().map(|home| home.canonicalize().unwrap_or_else(|_| home.clone()));
    match home.as_ref().and_then(|home| path.strip_prefix(home).ok()) {
        Some(inside) => format!("~/{}", inside.display()),
        None => path.display().to_string(),
    }
}

fn words(whats: &[What]) -> String {
    whats.iter().map(|what| what.as_str()).collect::<Vec<_>>().join(", ")
}

/// The end of a setup.
pub(super) fn conclude(
    session: &mut Session,
    setup: &Setup,
    chosen: &Chosen,
    plan: &Plan,
    place: &Place,
    outcome: &Outcome<'_>,
) {
    if !session.is_for_people() {
        let document = document(chosen, plan, place, outcome);
        session.document(0, &document);
        return;
    }
    for problem in &chosen.problems {
        session.printer.line(&[(Role::Bad, "not done: "), (Role::Plain, problem)]);
    }
    for trouble in &plan.troubles {
        session.printer.line(&[(Role::Bad, "not done: "), (Role::Plain, &trouble.sentence)]);
        session.printer.line(&[(Role::Quiet, "  hint: "), (Role::Plain, &trouble.hint)]);
    }
    match outcome.written {
        Some(written) => {
            let files = format!(": {} files", written.done.len());
            session.printer.line(&[(Role::Good, "written"), (Role::Plain, &files)]);
        }
        None if outcome.is_done => session.printer.line(&[(Role::Good, "everything is set up already")]),
        None => session.printer.line(&[(Role::Quiet, "nothing was written; leave --print out to write it")]),
    }
    for_all_projects(session, setup, chosen, plan, place);
    for (client, sentence) in confirmations(chosen, plan) {
        session.printer.line(&[
            (Role::Warning, "confirm: "),
            (Role::Name, &client),
            (Role::Plain, ": "),
            (Role::Plain, &sentence),
        ]);
    }
    if outcome.written.is_some() {
        let starts: Vec<&str> =
            chosen.clients.iter().filter_map(|client| client.profile.executable.as_deref()).collect();
        if let [first, ..] = starts.as_slice() {
            let others = if starts.len() > 1 {
                format!(", and {} in another terminal", starts[1])
            } else {
                String::new()
            };
            let start = format!("start {first} here{others}; they find each other");
            session.printer.line(&[(Role::Quiet, "then: "), (Role::Plain, &start)]);
        }
        session.suggest(&["interagent status", "interagent watch", "interagent doctor"]);
    }
}

/// Says where a client's settings hold for more than was asked for.
fn for_all_projects(session: &mut Session, setup: &Setup, chosen: &Chosen, plan: &Plan, place: &Place) {
    if place.level == Level::User {
        return;
    }
    let has_shared_hooks =
        plan.pieces.iter().any(|piece| piece.level == Level::User && piece.what == What::Hooks);
    let program = chosen.clients.first().and_then(|client| client.profile.executable.as_deref());
    if let (Some(agent), Some(program), true) = (&setup.agent, program, has_shared_hooks) {
        let sentence = format!(
            "where this project has several such agents, start it as INTERAGENT_AGENT={agent} {program}"
        );
        session.printer.line(&[(Role::Quiet, "note: "), (Role::Plain, &sentence)]);
    }
    for piece in plan.pieces.iter().filter(|piece| piece.level == Level::User) {
        let sentence = format!(
            "{}: {} has no such file in a project: {} holds for all your projects",
            piece.what.as_str(),
            piece.profile,
            shown(session, place, &piece.path)
        );
        session.printer.line(&[(Role::Quiet, "note: "), (Role::Plain, &sentence)]);
    }
}

/// What the person has to confirm in each client.
fn confirmations(chosen: &Chosen, plan: &Plan) -> Vec<(String, String)> {
    let mut all = Vec::new();
    for client in &chosen.clients {
        let profile = &client.profile;
        // Where a client has files for a project, it is those that it does not use unasked.
        let is_asked = |what: What, in_project: &Option<String>| {
            plan.pieces.iter().any(|piece| {
                let is_it = piece.profile == profile.name && piece.what == what;
                is_it && (piece.level == Level::Project || in_project.is_none())
            })
        };
        let mcp = profile.mcp.as_ref().filter(|mcp| is_asked(What::Mcp, &mcp.project));
        let mcp = mcp.and_then(|mcp| mcp.confirm.clone());
        let hooks = profile.hooks.as_ref().filter(|hooks| is_asked(What::Hooks, &hooks.project));
        let hooks = hooks.and_then(|hooks| hooks.confirm.clone());
        all.extend(mcp.into_iter().chain(hooks).map(|sentence| (profile.name.clone(), sentence)));
    }
    all
}

fn document(chosen: &Chosen, plan: &Plan, place: &Place, outcome: &Outcome<'_>) -> Value {
    let clients: Vec<Value> = chosen
        .clients
        .iter()
        .map(|client| {
            let (program, version) = client.installed.clone().unzip();
            json!({
                "profile": client.profile.name,
                "title": client.profile.title,
                "program": program,
                "version": version.flatten(),
            })
        })
        .collect();
    let files: Vec<Value> = plan
        .changes
        .iter()
        .map(|change| {
            json!({
                "path": change.path,
                "new": change.before.is_none(),
                "what": change.what,
                "text": change.after,
                "written": outcome.written.is_some_and(|written| written.done.contains(&change.path)),
            })
        })
        .collect();
    let troubles: Vec<Value> = plan
        .troubles
        .iter()
        .map(|trouble| json!({ "profile": trouble.profile, "sentence": trouble.sentence, "hint": trouble.hint }))
        .collect();
    let confirm: Vec<Value> = confirmations(chosen, plan)
        .into_iter()
        .map(|(profile, sentence)| json!({ "profile": profile, "sentence": sentence }))
        .collect();
    json!({
        "level": if place.level == Level::User { "user" } else { "project" },
        "hub": place.hub.directory(),
        "clients": clients,
        "agents": outcome.recruits.iter().map(|recruit| &recruit.name).collect::<Vec<_>>(),
        "files": files,
        "problems": chosen.problems,
        "troubles": troubles,
        "confirm": confirm,
    })
}
