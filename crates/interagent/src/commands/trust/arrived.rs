//! Texts of other replicas that agents here would read: promoted skills and the files in `shared/`.
//!
//! Owns the question for each of them. They come with a sync and count only after the person has read them.

use std::path::{Path, PathBuf};

use interagent_wire::Answer;
use interagent_wire::request as ask;

use super::super::consent;
use super::super::skill;
use super::super::sync::shared;
use crate::config::trees::real_path;
use crate::config::trust::{Trust as HowFar, TrustList};
use crate::connect::shared as seats;
use crate::error::CliError;
use crate::session::Session;
use crate::show::diff;
use crate::ui::look::Role;

/// A text that waits for the person's word.
#[derive(Debug)]
pub(super) enum Arrived {
    File(shared::Arrived),
    Skill { name: String, places: Vec<String>, text: String },
}

impl Arrived {
    /// What people call it.
    pub(super) fn title(&self) -> String {
        match self {
            Self::File(file) => format!("{} by {}", file.file, file.publisher),
            Self::Skill { name, .. } => format!("the skill {name}"),
        }
    }
}

/// Everything that waits in this clone. A skill that was promoted here is in the list of what is trusted already.
pub(super) fn waiting(
    session: &mut Session,
    hub_dir: &Path,
    list: Option<&TrustList>,
) -> Result<Vec<Arrived>, CliError> {
    let mut waiting: Vec<Arrived> =
        shared::arrived(session, hub_dir)?.into_iter().map(Arrived::File).collect();
    let Some(root) = skill::project_root(session) else { return Ok(waiting) };
    let Answer::Skills(page) = session.call(ask::SkillList::default())?.answer else { return Ok(waiting) };
    let promoted = page.items.into_iter().filter(|skill| skill.state == "promoted");
    for (name, key) in promoted.filter_map(|skill| Some((skill.name?, skill.key))) {
        let Ok(folders) = skill::folders(session) else { continue };
        let is_known = |place: &String| {
            let path = real_path(&root).join(place);
            path.exists() || list.is_some_and(|list| list.files().any(|known| known == path))
        };
        let places = folders.iter().map(|folder| format!("{folder}/{name}/{}", seats::SKILL_FILE));
        let places: Vec<String> = places.filter(|place| !is_known(place)).collect();
        if places.is_empty() {
            continue;
        }
        let shown = session.call(ask::SkillShow { name: key, folder: Some(name.clone()) })?;
        let Answer::Skill(detail) = shown.answer else { continue };
        waiting.extend(detail.file.map(|text| Arrived::Skill { name, places, text }));
    }
    Ok(waiting)
}

/// A skill that the person let agents of this project use, as its path from the project's directory.
#[derive(Debug)]
pub(super) struct Installed {
    pub(super) place: String,
    pub(super) trust: HowFar,
}

/// The skills of this project that the person agreed to, and whether each still says the same.
pub(super) fn installed(session: &Session, list: Option<&TrustList>) -> Vec<Installed> {
    let Some((root, list)) = skill::project_root(session).map(|root| real_path(&root)).zip(list) else {
        return Vec::new();
    };
    let of_project = list.files().filter_map(|path| {
        let place = path.strip_prefix(&root).ok()?.to_str()?.to_owned();
        let says_the_same = std::fs::read_to_string(path).is_ok_and(|text| list.trusts_file(path, &text));
        let trust = if says_the_same { HowFar::Trusted } else { HowFar::Changed };
        Some(Installed { place, trust })
    });
    of_project.collect()
}

/// Takes the person's word back: agents read these skills no longer. A file that somebody changed stays.
pub(super) fn revoke(session: &mut Session, installed: &[Installed]) -> Result<(), CliError> {
    let Some(root) = skill::project_root(session).filter(|_| !installed.is_empty()) else { return Ok(()) };
    let places: Vec<String> = installed.iter().map(|skill| skill.place.clone()).collect();
    let directories = seats::seat_directories(session)?;
    for Installed { place, trust } in installed {
        let text = std::fs::read_to_string(root.join(place)).ok().filter(|_| *trust == HowFar::Trusted);
        for directory in std::iter::once(&root).chain(&directories) {
            for note in skill::clear(directory, [place], text.as_deref()) {
                session.printer.note(Role::Quiet, &note);
            }
        }
    }
    seats::forget(session, &root, &places)
}

/// Shows each, asks, and installs what the person agrees to. Answers with how many that were.
pub(super) fn ask_for_each(
    session: &mut Session,
    hub_dir: &Path,
    waiting: Vec<Arrived>,
) -> Result<usize, CliError> {
    let mut trusted = 0;
    for arrived in waiting {
        session.printer.line(&[(Role::Heading, &arrived.title())]);
        match arrived {
            Arrived::File(file) => trusted += usize::from(ask_for_file(session, hub_dir, &file)?),
            Arrived::Skill { places, text, .. } => {
                session.printer.text(text.trim_end(), 2);
                if consent::ask(session, "Let agents here use this skill?")? {
                    install_skill(session, &places, &text)?;
                    trusted += 1;
                }
            }
        }
    }
    if trusted > 0 {
        for note in seats::connect_seats(session)? {
            session.printer.note(Role::Quiet, &note);
        }
    }
    Ok(trusted)
}

fn ask_for_file(session: &mut Session, hub_dir: &Path, file: &shared::Arrived) -> Result<bool, CliError> {
    let text = super::super::setup::unified(&file.file, &file.file, &file.here, &file.text);
    diff(&mut session.printer, &text, 2);
    if !consent::ask(session, "Let agents here read this?")? {
        // Without a word of the person it waits on.
        if file.is_changed_here
            && consent::ask(session, "Keep your version and publish it on the next sync?")?
        {
            file.refuse(hub_dir);
        }
        return Ok(false);
    }
    let kept = file.install(hub_dir).map_err(|source| not_written(&file.file, source))?;
    if let Some(kept) = kept {
        let sentence = format!("your version is saved as {}", kept.display());
        session.printer.line(&[(Role::Quiet, "note: "), (Role::Plain, &sentence)]);
    }
    Ok(true)
}

fn install_skill(session: &mut Session, places: &[String], text: &str) -> Result<(), CliError> {
    let Some(root): Option<PathBuf> = skill::project_root(session) else { return Ok(()) };
    for place in places {
        skill::write(&root, place, text)?;
    }
    seats::let_clients_read(session, &root, places, text)
}

fn not_written(file: &str, source: std::io::Error) -> CliError {
    CliError::new(crate::error::ErrorKind::Unavailable, format!("`{file}` was not written"))
        .with_source(source)
}
