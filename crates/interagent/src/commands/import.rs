//! Moving over from another system.
//!
//! Owns the command: where the old files are, which hub they go to, and what is told afterwards. Reading and writing them is
//! `mirror`'s. An InterAgent project moves over in its own folder; everything else is taken into the hub of here.

mod find;
mod tell;

use std::path::{Path, PathBuf};

use clap::Args;
use interagent_core::authority::OperatorAct;
use interagent_core::shell::quoted;
use interagent_core::team::Mode;
use interagent_mirror::import::record::Records;
use interagent_mirror::import::{ImportError, Original, Report, Source, System, preview, suggested, take};
use interagent_operations::{Hub, LocalHub};
use interagent_wire::request::{TeamShow, TeamTake};
use interagent_wire::{Answer, Caller};
use serde::Serialize;

use super::{consent, init, restore};
use crate::config::hub::{self, Discovery};
use crate::error::{CliError, ErrorKind};
use crate::exit_code::ExitCode;
use crate::session::{Create, Done, Session, history, make_hub_directory, open_at, open_replica};
use crate::ui::look::Role;
use crate::ui::time::LocalZone;

/// Import a team from InterAgent, Captain or Kavi.
///
/// Without PATH or --from, shows what it found and asks before importing.
/// Agents, messages, tasks, reports and specs keep their times and senders, and their old ids go on working. Whatever is not
/// taken is named with the reason. It can be run again at any time: only what is new is taken, and one that was cut off is
/// finished. The files of an InterAgent project are moved to .interagent/imported; others are left as they are.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  interagent import --dry-run\n  interagent import\n  interagent import --from kavi\n  interagent import ~/.claude-interagent\n  interagent import ../army/queue --from captain"
)]
pub(crate) struct Import {
    /// The old folder, or the project that holds it; looked for in this project and your home when left out.
    #[arg(value_name = "PATH")]
    path: Option<PathBuf>,
    /// interagent, claude-interagent, captain or kavi; found out when left out.
    #[arg(long, value_name = "SYSTEM")]
    from: Option<System>,
    /// Only say what would be taken; writes nothing.
    #[arg(long)]
    dry_run: bool,
    /// Import what was found without asking.
    #[arg(long)]
    yes: bool,
}

/// Where things are taken to.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Target {
    /// The old folder becomes the hub.
    InPlace(PathBuf),
    /// The hub that is found from here.
    Hub,
}

/// What a program is told.
#[derive(Debug, Serialize)]
struct Outcome<'r> {
    system: &'static str,
    from: &'r Path,
    into: Option<&'r Path>,
    dry_run: bool,
    /// Where the original is now, if it was moved.
    original: Option<&'r Path>,
    report: &'r Report,
}

impl Import {
    pub(crate) fn run(self, session: &mut Session) -> Result<ExitCode, CliError> {
        session.authorize(OperatorAct::Import, "interagent import")?;
        if let Some(hub_dir) = find::unfinished(session, self.path.as_deref()) {
            return finish(session, &hub_dir, self.dry_run);
        }
        let source = match find::source(session, self.path.as_deref(), self.from) {
            Ok(source) => source,
            Err(error) => match find::moved_before(session, self.path.as_deref(), self.from) {
                Some(hub_dir) => return nothing_new(session, &hub_dir),
                None => return Err(error),
            },
        };
        let target = find::target(session, &source)?;
        let zone = LocalZone::of_this_machine();
        let progress = session.progress("reading");
        let records = source.read(zone.zone()).map_err(find::problem)?;
        drop(progress);
        if records.is_empty() && records.left.is_empty() {
            let sentence = format!("there is nothing to take over in `{}`", source.root.display());
            return Err(CliError::new(ErrorKind::NotFound, sentence).with_code("nothing_there"));
        }
        if self.dry_run {
            preview_of(session, &source, &target, records)?;
            let path = self.path.as_ref().map(|path| quoted(&path.display().to_string()));
            let named = path.unwrap_or_else(|| format!("--from {}", source.system));
            session.suggest(&[&format!("interagent import {named}")]);
            return session.conclude(Done::Looked);
        }
        if !self.is_confirmed() && !confirmed(session, &source, &target, records.clone())? {
            session.printer.note(Role::Plain, "nothing was imported");
            return session.conclude(Done::Looked);
        }
        match target {
            Target::InPlace(hub_dir) => in_place(session, &source, &hub_dir, records),
            Target::Hub => into_hub(session, &source, records),
        }
    }

    /// Whether the person named what is imported, or agreed to whatever is found.
    fn is_confirmed(&self) -> bool {
        self.path.is_some() || self.from.is_some() || self.yes
    }
}

/// Shows what was found and asks. Without a person to ask nothing is imported, and the command that would is named.
fn confirmed(
    session: &mut Session,
    source: &Source,
    target: &Target,
    records: Records,
) -> Result<bool, CliError> {
    let found = format!("{} in `{}`", source.system.title(), source.root.display());
    if !consent::can_ask(session) {
        let sentence = format!("import needs confirmation: found {found}");
        return Err(CliError::new(ErrorKind::Refused, sentence)
            .with_code("not_confirmed")
            .with_hint(format!("interagent import --from {}", source.system))
            .with_hint("interagent import --dry-run shows what would be imported"));
    }
    preview_of(session, source, target, records)?;
    consent::ask(session, "Import this?")
}

/// Shows what would be taken.
fn preview_of(
    session: &mut Session,
    source: &Source,
    target: &Target,
    records: Records,
) -> Result<(), CliError> {
    let hub_dir = match (target, session.discover()) {
        (Target::Hub, Ok(Discovery::Found(found))) => Some(found.hub_dir),
        _ => None,
    };
    let mut hub = hub_dir.as_deref().map(|hub_dir| open_at(hub_dir, Create::Never)).transpose()?;
    let report = preview(source.system, records, hub.as_mut().map(LocalHub::store)).map_err(failed)?;
    let into = match target {
        Target::InPlace(hub_dir) => Some(hub_dir.as_path()),
        Target::Hub => hub_dir.as_deref(),
    };
    tell::outcome(session, source, into, None, tell::Tense::Would, &report);
    Ok(())
}

/// Into a hub that is there, or the personal one.
fn into_hub(session: &mut Session, source: &Source, records: Records) -> Result<ExitCode, CliError> {
    let progress = session.progress("taking over");
    let report = {
        let store = session.hub()?.store();
        take(store, source.system, records, &mut |done, total| {
            progress.tell(done as u64, total as u64);
        })
        .map_err(failed)?
    };
    drop(progress);
    write_readable(session);
    let hub_dir = session.hub()?.state_dir().parent().map(Path::to_owned);
    tell::outcome(session, source, hub_dir.as_deref(), None, tell::Tense::Did, &report);
    session.conclude(Done::Committed)
}

/// The folder of an InterAgent project becomes its hub.
fn in_place(
    session: &mut Session,
    source: &Source,
    hub_dir: &Path,
    records: Records,
) -> Result<ExitCode, CliError> {
    let original = Original::new(hub_dir);
    let staging = original.staging();
    make_hub_directory(&staging, init::PROJECT_MODE)?;
    // Another clone may have moved over before: then this one joins it, and what both have is there once.
    let known = history::around(hub_dir);
    let mut hub = open_replica(&staging, Create::IfMissing, known.as_ref().map(|known| known.hub.clone()))?;
    if let Some(known) = &known {
        history::take_in(&mut hub, hub_dir, known, &mut session.printer);
    }
    let Founded { is_new, notes } = found_team(session, &mut hub, hub_dir, &records)?;
    let progress = session.progress("taking over");
    let mut report = take(hub.store(), source.system, records, &mut |done, total| {
        progress.tell(done as u64, total as u64);
    })
    .map_err(failed)?;
    drop(progress);
    report.notes.extend(notes);
    if is_new {
        // The team brought them a moment ago: for people they came with it.
        report.taken.agents += std::mem::take(&mut report.taken_before.agents);
    }
    drop(hub);
    let kept = settle(session, hub_dir, &original)?;
    tell::outcome(session, source, Some(hub_dir), Some(&kept), tell::Tense::Did, &report);
    session.conclude(Done::Committed)
}

/// Moves the old files aside, puts the new hub in their place and writes what people edit.
fn settle(session: &mut Session, hub_dir: &Path, original: &Original) -> Result<PathBuf, CliError> {
    let moved = |error: interagent_mirror::import::OriginalProblem| {
        CliError::new(ErrorKind::Unavailable, "everything is taken over, and the old files are not moved yet")
            .with_source(error)
            .with_hint("run interagent import again: it goes on from here")
    };
    let kept = original.finish(&find::today()).map_err(moved)?;
    session.use_hub(open_at(hub_dir, Create::Never)?);
    restore::write_files(session, hub_dir)?;
    original.done().map_err(moved)?;
    write_readable(session);
    Ok(kept)
}

/// Writes `session.json`, `tasks/` and the others at once: the old ones are gone, and scripts read them.
fn write_readable(session: &mut Session) {
    if let Err(error) = session.write_files() {
        let why = error.lines().into_iter().next().unwrap_or_default();
        session.printer.note(Role::Warning, &format!("note: the readable files are not written yet: {why}"));
    }
}

/// Ends a move that was cut off after everything was taken.
fn finish(session: &mut Session, hub_dir: &Path, dry_run: bool) -> Result<ExitCode, CliError> {
    let source = Source { system: System::Interagent, root: hub_dir.to_owned() };
    let mut report = Report::default();
    if dry_run {
        report.notes.push("everything is taken; the old files are still to be moved aside".to_owned());
        tell::outcome(session, &source, Some(hub_dir), None, tell::Tense::Would, &report);
        return session.conclude(Done::Looked);
    }
    let kept = settle(session, hub_dir, &Original::new(hub_dir))?;
    report.notes.push("everything had been taken before; the old files are moved aside now".to_owned());
    tell::outcome(session, &source, Some(hub_dir), Some(&kept), tell::Tense::Did, &report);
    session.conclude(Done::Committed)
}

/// A project that moved over before.
fn nothing_new(session: &mut Session, hub_dir: &Path) -> Result<ExitCode, CliError> {
    let source = Source { system: System::Interagent, root: hub_dir.to_owned() };
    let note = format!(
        "this project moved over before; its original is below {}",
        hub_dir.join("imported").display()
    );
    let report = Report { notes: vec![note], ..Report::default() };
    tell::outcome(session, &source, Some(hub_dir), None, tell::Tense::Did, &report);
    session.conclude(Done::Looked)
}

/// Whether the team was made now, and what there is to know of it.
struct Founded {
    is_new: bool,
    notes: Vec<String>,
}

/// The team as the old session had it; the usual rules where it can't be kept.
fn found_team(
    session: &Session,
    hub: &mut LocalHub,
    hub_dir: &Path,
    records: &Records,
) -> Result<Founded, CliError> {
    let operator = Caller { terminal: session.caller().terminal, ..Caller::default() };
    if let Ok(Answer::Team(team)) = hub.call(&operator, TeamShow {}.into()).map(|reply| reply.answer) {
        // Its agents live here too, also where the team came from another clone.
        hub.call(&operator, TeamTake { text: team.text }.into())?;
        return Ok(Founded { is_new: false, notes: Vec::new() });
    }
    let team = records.team.as_ref();
    let named = |name: &str| {
        let name = suggested(name)?;
        // A team file says for everybody which client it is.
        let known =
            interagent_core::template::CLIENTS.iter().any(|(client, _)| name.as_str().starts_with(client));
        Some(if known { name.to_string() } else { format!("{name}:generic") })
    };
    let agents: Vec<String> = records.agents.iter().filter_map(|agent| named(&agent.name)).collect();
    let principal = team.and_then(|team| suggested(team.principal.as_deref()?)).map(|name| name.to_string());
    let mode: Option<Mode> = team.and_then(|team| team.mode.as_deref()?.parse().ok());
    let project = team.and_then(|team| team.project.clone());
    let options = init::Init::of_another_system(project, principal, mode, agents);
    let (text, notes) = match init::team_of(hub_dir, &options) {
        Ok(text) => (text, Vec::new()),
        Err(why) => {
            let usual = init::Init::of_another_system(None, None, None, Vec::new());
            let why = why.lines().first().cloned().unwrap_or_default();
            let note = format!("the team could not be kept ({why}): see interagent team show");
            (init::team_of(hub_dir, &usual)?, vec![note])
        }
    };
    hub.call(&operator, TeamTake { text }.into())?;
    Ok(Founded { is_new: true, notes })
}

fn failed(error: ImportError) -> CliError {
    let again = "what was taken stays; interagent import goes on from there";
    match error {
        ImportError::Store(error) => CliError::from(error).with_hint(again),
        ImportError::Refused(refusal) => CliError::from(*refusal),
        other => CliError::new(ErrorKind::Unavailable, other.to_string()).with_hint(again),
    }
}

/// Whether two paths lead to one folder.
fn same_folder(one: &Path, other: &Path) -> bool {
    matches!((one.canonicalize(), other.canonicalize()), (Ok(one), Ok(other)) if one == other)
}

/// The problem with which discovery answers where InterAgent's folder lies.
fn interagent_around(session: &Session) -> Option<PathBuf> {
    match hub::discover(&session.env, session.named_hub().as_deref()) {
        Err(hub::HubProblem::PythonInterAgent { directory }) => Some(directory),
        _ => None,
    }
}
