//! Taking a setup back.

use std::path::Path;

use interagent_agents::Profile;
use interagent_agents::setup::{self as files, Level, Pin, RealDisk, UndoChange, UndoPlan};
use serde_json::json;

use super::choose;
use super::tell::{counted, shown, unified};
use super::{Place, Setup, git_hooks};
use crate::commands::guard::hooks;
use crate::config::hub::Discovery;
use crate::connect::exclude::{self, Kept};
use crate::connect::{EVERYWHERE, Ground};
use crate::error::CliError;
use crate::exit_code::ExitCode;
use crate::git;
use crate::session::{Done, Session};
use crate::show::diff;
use crate::ui::look::Role;

/// Plans, shows, asks, and takes back what setup did for this place.
pub(super) fn run(
    setup: &Setup,
    session: &mut Session,
    place: &Place,
    binary: &Path,
) -> Result<ExitCode, CliError> {
    let profiles = session.profiles()?;
    let kept = place.files(session)?;
    let for_user = kept.user.clone();
    let names: Vec<String> = setup.profiles.iter().map(|name| name.to_lowercase()).collect();
    if let Some(unknown) = names.iter().find(|name| profiles.get(name).is_none()) {
        return Err(choose::no_such_profile(&choose::unknown(unknown, &profiles)));
    }
    let clients: Vec<Profile> = profiles
        .names()
        .into_iter()
        .filter(|name| names.is_empty() || names.iter().any(|named| named == name))
        .filter_map(|name| profiles.get(name))
        .collect();
    let setups: Vec<files::Setup<'_>> = clients
        .iter()
        .map(|profile| files::Setup {
            profile,
            level: place.level,
            binary,
            agent: Pin::AsItIs,
            project: &place.project,
            home: session.env.home.as_deref(),
        })
        .collect();
    let ground = match (place.level, session.discover()?) {
        (Level::Project, Discovery::Found(found)) => Ground::of(&session.env, &found),
        _ => None,
    };
    // From the project's own directory it is taken back also where agents work.
    let is_whole = |ground: &&Ground| place.project.canonicalize().is_ok_and(|here| here == ground.root);
    let elsewhere = ground.iter().filter(is_whole).flat_map(Ground::recorded).collect::<Vec<_>>();
    let mut plans =
        vec![(kept.clone(), files::undo(&kept, &names, &setups, &|name| profiles.get(name), &RealDisk))];
    for kept in elsewhere.iter().filter_map(|directory| ground.as_ref()?.files(directory)) {
        let plan = files::undo(&kept, &names, &[], &|name| profiles.get(name), &RealDisk);
        // The user's files were planned with the project's own.
        let own = plan.changes.into_iter().filter(|change| change.level == Level::Project).collect();
        plans.push((kept, UndoPlan { changes: without_tracked(own), ..plan }));
    }
    let changes: Vec<&UndoChange> = plans.iter().flat_map(|(_, plan)| &plan.changes).collect();
    if session.is_for_people() {
        changes.iter().for_each(|change| show(session, place, change));
    }
    let guards = git_hooks::there(place).filter(|_| names.is_empty());
    if session.is_for_people() {
        guards.iter().for_each(|directory| git_hooks::show_undo(session, directory));
    }
    let is_nothing = changes.is_empty() && guards.is_none();
    let mut problems: Vec<String> = plans.iter().flat_map(|(_, plan)| plan.troubles.clone()).collect();
    let mut done = Vec::new();
    if !setup.print && !is_nothing {
        setup.consent(session)?;
        for (kept, plan) in &plans {
            let undone = files::carry_out_undo(plan, kept);
            problems.extend(undone.failed.iter().map(ToString::to_string));
            done.extend(undone.done);
        }
        if let Some(error) = guards.and_then(|directory| hooks::take_away(&directory).err()) {
            problems.push(format!("the guard's hooks of git: {}", error.lines().join(" ")));
        }
    }
    let kept = if names.is_empty() { Kept::Nothing } else { Kept::OtherClients };
    let listed = match &ground {
        _ if setup.print => Ok(()),
        Some(ground) => {
            ground.forget_undone(&clients);
            exclude::refresh(ground, Vec::new())
        }
        None if place.level == Level::Project => exclude::forget_removed(&place.project, kept),
        None => Ok(()),
    };
    if let Err(error) = listed {
        problems.push(format!("cannot update .git/info/exclude: {error}"));
    }
    if session.is_for_people() {
        for problem in &problems {
            session.printer.line(&[(Role::Bad, "not done: "), (Role::Plain, problem)]);
        }
        let files = format!(": {}", counted(done.len()));
        match (is_nothing, setup.print) {
            (true, _) => {
                session.printer.line(&[(Role::Plain, "nothing to undo here")]);
                let is_for_all =
                    |record: files::Record| record.uses.iter().any(|used| used.place == EVERYWHERE);
                if place.level == Level::Project && for_user.all().into_iter().any(is_for_all) {
                    session.suggest(&["interagent setup --undo --user"]);
                }
            }
            (_, true) => {
                session.printer.line(&[(Role::Quiet, "nothing was written; leave --print out to write it")]);
            }
            _ => session.printer.line(&[(Role::Good, "taken back"), (Role::Plain, &files)]),
        }
        if !done.is_empty() && !place.hub.is_missing() {
            session.printer.line(&[(Role::Quiet, "the hub and its agents stay as they are")]);
        }
    } else {
        let listed: Vec<_> = changes
            .iter()
            .map(|change| {
                json!({
                    "path": change.record.path,
                    "text": change.after,
                    "note": change.note,
                    "done": done.contains(&change.record.path),
                })
            })
            .collect();
        session.document(0, &json!({ "undone": listed, "problems": problems }));
    }
    session.conclude(if setup.print || is_nothing { Done::Looked } else { Done::Committed })?;
    Ok(if problems.is_empty() { ExitCode::Done } else { ExitCode::Refused })
}

/// Leaves files that git tracks in an agent's worktree as they are: the person committed them.
fn without_tracked(mut changes: Vec<UndoChange>) -> Vec<UndoChange> {
    for change in &mut changes {
        let path = &change.record.path;
        if path.parent().is_some_and(|directory| !git::tracked(directory, [path.as_path()]).is_empty()) {
            change.after.clone_from(&change.before);
            change.note = Some(format!("git tracks `{}`: it stays as it is", path.display()));
        }
    }
    changes
}

fn show(session: &mut Session, place: &Place, change: &UndoChange) {
    let file = shown(session, place, &change.record.path);
    if let Some(note) = &change.note {
        session.printer.line(&[(Role::Quiet, "note: "), (Role::Plain, note)]);
    }
    match (&change.before, &change.after) {
        (before, after) if before == after => {}
        (Some(before), None) => {
            let lines = format!(" ({} lines)", before.lines().count());
            session.printer.line(&[(Role::Bad, "--- removes "), (Role::Plain, &file), (Role::Quiet, &lines)]);
        }
        (before, Some(after)) => {
            let text = unified(&file, &file, before.as_deref().unwrap_or_default(), after);
            diff(&mut session.printer, &text, 0);
        }
        (None, None) => {}
    }
}
