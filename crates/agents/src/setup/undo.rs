//! Taking a setup back: what each file says afterwards.

use super::record::{Record, Use};
use super::strip::{Left, strip};
use super::surgery;
use super::write::Files;
use super::{Disk, Level, Setup};
use crate::profile::Profile;

/// A file whose setup is taken back.
#[derive(Clone, Debug)]
pub struct UndoChange {
    /// What setup did to it.
    pub record: Record,
    /// Whose file it is.
    pub level: Level,
    /// What it says now.
    pub before: Option<String>,
    /// What it will say; nothing where it goes.
    pub after: Option<String>,
    /// Who still needs it. Then it stays as it is.
    pub remaining: Vec<Use>,
    /// What the user has to know about it.
    pub note: Option<String>,
}

/// What taking a setup back comes to.
#[derive(Clone, Debug, Default)]
pub struct UndoPlan {
    /// Every file that is concerned.
    pub changes: Vec<UndoChange>,
    /// Files that can't be brought back, and why.
    pub troubles: Vec<String>,
}

/// Plans to take back what was done for one place; of the profiles that are named, or of all. Where nothing tells what was
/// done to a file of `setups`, only our entries are taken out of it.
pub fn undo(
    files: &Files,
    names: &[String],
    setups: &[Setup<'_>],
    profiles: &dyn Fn(&str) -> Option<Profile>,
    disk: &dyn Disk,
) -> UndoPlan {
    let mut plan = UndoPlan::default();
    let is_meant = |used: &Use| {
        (used.place == files.place || used.is_gone()) && (names.is_empty() || names.contains(&used.profile))
    };
    for (level, records) in [(Level::Project, &files.project), (Level::User, &files.user)] {
        for record in records.all().into_iter().filter(|record| record.uses.iter().any(is_meant)) {
            let is_needed = |used: &&Use| !is_meant(used) && !used.is_gone();
            let remaining: Vec<Use> = record.uses.iter().filter(is_needed).cloned().collect();
            match change(record, level, remaining, profiles, disk) {
                Ok(change) => plan.changes.push(change),
                Err(trouble) => plan.troubles.push(trouble),
            }
        }
    }
    plan.changes.extend(surgery::changes(files, names, setups, disk));
    plan
}

fn change(
    record: Record,
    level: Level,
    remaining: Vec<Use>,
    profiles: &dyn Fn(&str) -> Option<Profile>,
    disk: &dyn Disk,
) -> Result<UndoChange, String> {
    let file = record.path.display().to_string();
    let before = disk.read(&record.path).map_err(|error| format!("`{file}` can't be read: {error}"))?;
    let mut note = None;
    let after = match &before {
        _ if !remaining.is_empty() => {
            note = Some(format!("`{file}` stays: {} still needs it", users(&remaining)));
            before.clone()
        }
        None => None,
        Some(text) if record.is_as_written(text) => record.original.clone(),
        Some(text) => match stripped(&record, text, profiles) {
            Ok(Left::Text(text)) => Some(text),
            Ok(Left::Nothing) => None,
            Ok(Left::AsItIs) => {
                note = Some(format!("`{file}` was changed since and is left as it is"));
                before.clone()
            }
            Err(why) => {
                return Err(format!("`{file}` was changed since, and ours can't be taken out: {why}"));
            }
        },
    };
    Ok(UndoChange { record, level, before, after, remaining, note })
}

fn users(uses: &[Use]) -> String {
    let mut names: Vec<String> =
        uses.iter().map(|used| format!("{} in {}", used.profile, used.place)).collect();
    names.dedup();
    names.join(", ")
}

/// What is left of a text once everything of ours is taken out of it.
pub(super) fn stripped(
    record: &Record,
    text: &str,
    profiles: &dyn Fn(&str) -> Option<Profile>,
) -> Result<Left, String> {
    let mut left = text.to_owned();
    let mut whats = Vec::new();
    for used in &record.uses {
        // A block that two clients read is one block.
        if whats.contains(&(used.what, &used.profile)) {
            continue;
        }
        whats.push((used.what, &used.profile));
        let profile = profiles(&used.profile)
            .ok_or_else(|| format!("there is no profile {} any more", used.profile))?;
        match strip(&profile, used.what, &left, record.original.as_deref(), &record.binary)? {
            Left::Text(text) => left = text,
            done => return Ok(done),
        }
    }
    Ok(Left::Text(left))
}
