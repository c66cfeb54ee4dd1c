//! What a person and a program learn of a setup: the clients, the changes, what came of them, and what is left to do.

use std::path::Path;

use interagent_agents::Profile;
use interagent_agents::setup::{FileChange, Level, Piece, Plan, What, Written};
use interagent_core::team::Formation;
use interagent_wire::answer::AgentView;
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
            Some((program, version)) => {
                let version = version.as_deref().unwrap_or_default();
                (without_title(version, title), program.display().to_string())
            }
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

/// A version without the client's name, which many add to it.
fn without_title(version: &str, title: &str) -> String {
    let version = version.replace(&format!("({title})"), "").replace(title, "");
    version.split_whitespace().collect::<Vec<_>>().join(" ")
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
    if let (true, [first, .., last]) = (place.hub.is_missing() && !place.hub.is_personal(), recruits) {
        let others = recruits[..recruits.len() - 1].iter().map(|recruit| recruit.name.as_str());
        let team = match recruits.len() {
            2 => format!("{} and {} as equals", first.name, last.name),
            _ => format!("{} and {} as equals", others.collect::<Vec<_>>().join(", "), last.name),
        };
        session.printer.line(&[(Role::Plain, "makes the team: "), (Role::Plain, &team)]);
    }
    if let Some(RoleChange { before, after }) = role {
        let file = place.hub.directory().join(TEAM_FILE);
        changed(session, &shown(session, place, &file), Some(before), after);
    }
    for change in &plan.changes {
        show_change(session, setup, place, change);
    }
}

pub(super) fn show_change(session: &mut Session, setup: &Setup, place: &Place, change: &FileChange) {
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
pub(in crate::commands) fn unified(old: &str, new: &str, before: &str, after: &str) -> String {
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

/// How many files.
pub(super) fn counted(files: usize) -> String {
    if files == 1 { "1 file".to_owned() } else { format!("{files} files") }
}

/// Who the sessions of a client are from now on, and who is left without one.
pub(super) fn pins(session: &mut Session, chosen: &Chosen, plan: &Plan, known: &[AgentView]) {
    for pin in &plan.pins {
        let Some(client) = chosen.clients.iter().find(|client| client.profile.name == pin.profile) else {
            continue;
        };
        let profile = &client.profile;
        let place = if pin.level == Level::User { "in all your projects" } else { "here" };
        let sentence = match (&pin.before, &pin.after) {
            (Some(before), None) => {
                format!("sessions of {} {place} are {before} no longer: that is taken back", profile.title)
            }
            (_, Some(after)) => format!("every session of {} {place} is {after} from now on", profile.title),
            (None, None) => continue,
        };
        session.printer.line(&[(Role::Warning, "note: "), (Role::Plain, &sentence)]);
        let Some(after) = &pin.after else { continue };
        let program = profile.executable.as_deref().unwrap_or(&profile.name);
        for other in known.iter().filter(|agent| agent.profile == pin.profile && agent.name != *after) {
            let name = &other.name;
            let sentence =
                format!("{name} has no client then; start one as INTERAGENT_AGENT={name} {program}");
            session.printer.line(&[(Role::Warning, "note: "), (Role::Plain, &sentence)]);
        }
    }
}

/// What can't be done, before anybody is asked about the rest.
pub(super) fn troubles(session: &mut Session, chosen: &Chosen, plan: &Plan) {
    for problem in &chosen.problems {
        not_done(session, problem);
    }
    for trouble in plan.distinct_troubles() {
        not_done(session, &trouble.sentence);
        hint(session, &trouble.hint);
    }
}

/// The files that were planned and not written.
pub(super) fn not_written(session: &mut Session, written: &Written) {
    for failure in &written.failed {
        not_done(session, &failure.to_string());
        hint(session, &failure.hint());
    }
}

fn hint(session: &mut Session, helps: &str) {
    session.printer.line(&[(Role::Quiet, "  hint: "), (Role::Plain, helps)]);
}

/// Newcomers to a team in which somebody decides who does what.
pub(super) fn without_role(session: &mut Session, names: &[String]) {
    for name in names {
        let sentence = format!(
            "{name} has no role in this team yet: write its seat into {TEAM_FILE}, then interagent team take"
        );
        session.printer.line(&[(Role::Warning, "note: "), (Role::Plain, &sentence)]);
    }
}

pub(super) fn not_done(session: &mut Session, problem: &str) {
    session.printer.line(&[(Role::Bad, "not done: "), (Role::Plain, problem)]);
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
    let is_whole = chosen.problems.is_empty() && plan.troubles.is_empty();
    match outcome.written {
        Some(written) => {
            let files = format!(": {}", counted(written.done.len()));
            session.printer.line(&[(Role::Good, "written"), (Role::Plain, &files)]);
        }
        None if outcome.is_done && !is_whole => {
            session.printer.line(&[(Role::Plain, "all else is set up already")]);
        }
        None if outcome.is_done => session.printer.line(&[(Role::Good, "everything is set up already")]),
        None => session.printer.line(&[(Role::Quiet, "nothing was written; leave --print out to write it")]),
    }
    for_all_projects(session, setup, chosen, plan, place);
    for (label, client, sentence) in said_of_clients(chosen, plan, outcome) {
        session.printer.line(&[
            (Role::Warning, label.in_words()),
            (Role::Name, &client),
            (Role::Plain, ": "),
            (Role::Plain, &sentence),
        ]);
    }
    for client in chosen.clients.iter().filter(|client| !client.profile.is_connectable()) {
        let sentence = format!(
            "setup cannot configure {}, so no mail reaches it. \
             interagent relay --to AGENT prints a prompt to paste",
            client.profile.title
        );
        session.printer.line(&[(Role::Warning, "note: "), (Role::Plain, &sentence)]);
    }
    let has_team = place.level == Level::Project && !place.hub.is_missing();
    let team = match outcome.written {
        Some(_) if has_team => session.team().ok().flatten(),
        _ => None,
    };
    if team.is_some_and(|team| team.formation == Formation::Captain) {
        session.suggest(&["interagent up", "interagent status", "interagent doctor"]);
    } else if outcome.written.is_some() {
        let starts: Vec<&str> =
            ready(chosen, plan, outcome).filter_map(|profile| profile.executable.as_deref()).collect();
        if let [first, ..] = starts.as_slice() {
            let start = match starts.get(1) {
                Some(other) => {
                    format!("start {first} here, and {other} in another terminal; they find each other")
                }
                None => format!("start {first} here"),
            };
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
            "its hooks hold for all your projects, so no file says that it is {agent}: where this project has several \
             such agents, start it as INTERAGENT_AGENT={agent} {program}"
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

/// Kinds of what a person has to know of a client.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Said {
    /// It does this without a question now.
    Allows,
    /// The person has to confirm this in it.
    Confirm,
}

impl Said {
    fn in_words(self) -> &'static str {
        match self {
            Self::Allows => "allows: ",
            Self::Confirm => "confirm: ",
        }
    }
}

impl Outcome<'_> {
    /// Whether a piece is not in its file, because that could not be written.
    fn lacks(&self, piece: &Piece) -> bool {
        self.written.is_some_and(|written| written.failed.iter().any(|failure| failure.path == piece.path))
    }
}

/// The clients that messages reach now: skills and instructions are a help, servers and hooks the way.
fn ready<'a>(chosen: &'a Chosen, plan: &Plan, outcome: &Outcome<'_>) -> impl Iterator<Item = &'a Profile> {
    let is_way = |what: What| matches!(what, What::Mcp | What::Hooks);
    let troubled = plan.troubles.iter().filter(move |trouble| is_way(trouble.what));
    let failed = plan.pieces.iter().filter(move |piece| is_way(piece.what) && outcome.lacks(piece));
    let names = troubled.map(|trouble| &trouble.profile).chain(failed.map(|piece| &piece.profile));
    let names: Vec<String> = names.cloned().collect();
    let profiles = chosen.clients.iter().map(|client| &client.profile);
    profiles.filter(move |profile| profile.is_connectable() && !names.contains(&profile.name))
}

/// What each client is allowed by its files, and what the person has to confirm in it.
fn said_of_clients(chosen: &Chosen, plan: &Plan, outcome: &Outcome<'_>) -> Vec<(Said, String, String)> {
    let mut all = Vec::new();
    let pieces: Vec<&Piece> = plan.pieces.iter().filter(|piece| !outcome.lacks(piece)).collect();
    for client in &chosen.clients {
        let profile = &client.profile;
        // Where a client has files for a project, it is those that it does not use unasked.
        let is_asked = |what: What, in_project: &Option<String>| {
            pieces.iter().any(|piece| {
                let is_it = piece.profile == profile.name && piece.what == what;
                is_it && (piece.level == Level::Project || in_project.is_none())
            })
        };
        let has = |what: What| pieces.iter().any(|piece| piece.profile == profile.name && piece.what == what);
        let mut say = |said: Said, sentence: Option<&String>| {
            all.extend(sentence.map(|sentence| (said, profile.name.clone(), sentence.clone())));
        };
        let (mcp, hooks) = (profile.mcp.as_ref(), profile.hooks.as_ref());
        say(Said::Allows, mcp.filter(|_| has(What::Mcp)).and_then(|mcp| mcp.allows.as_ref()));
        say(Said::Allows, hooks.filter(|_| has(What::Hooks)).and_then(|hooks| hooks.allows.as_ref()));
        let mcp = mcp.filter(|mcp| is_asked(What::Mcp, &mcp.project));
        say(Said::Confirm, mcp.and_then(|mcp| mcp.confirm.as_ref()));
        let hooks = hooks.filter(|hooks| is_asked(What::Hooks, &hooks.project));
        say(Said::Confirm, hooks.and_then(|hooks| hooks.confirm.as_ref()));
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
        .distinct_troubles()
        .into_iter()
        .map(|trouble| json!({ "profile": trouble.profile, "sentence": trouble.sentence, "hint": trouble.hint }))
        .collect();
    let failures = outcome.written.into_iter().flat_map(|written| &written.failed);
    let failed: Vec<Value> = failures
        .map(|failure| json!({ "path": failure.path, "sentence": failure.to_string(), "hint": failure.hint() }))
        .collect();
    let said = said_of_clients(chosen, plan, outcome);
    let of = |kind: Said| -> Vec<Value> {
        let said = said.iter().filter(|(said, ..)| *said == kind);
        said.map(|(_, profile, sentence)| json!({ "profile": profile, "sentence": sentence })).collect()
    };
    json!({
        "level": if place.level == Level::User { "user" } else { "project" },
        "hub": place.hub.directory(),
        "clients": clients,
        "agents": outcome.recruits.iter().map(|recruit| &recruit.name).collect::<Vec<_>>(),
        "files": files,
        "problems": chosen.problems,
        "troubles": troubles,
        "failed": failed,
        "allows": of(Said::Allows),
        "confirm": of(Said::Confirm),
    })
}
