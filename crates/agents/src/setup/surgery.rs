//! Taking our entries out of files that nothing is recorded of: the hub was removed, or the files came from elsewhere.
//!
//! What such a file said before us is not known. So only what is surely ours goes, and a file only when nothing else is in it.

use std::path::Path;

use super::document::{Document, at, keys};
use super::parts::{Part, parts};
use super::plan::{SKILL_FOR_SHELL, SKILL_FOR_TOOLS};
use super::record::{Record, Use};
use super::strip::{Left, strip};
use super::undo::UndoChange;
use super::write::Files;
use super::{Disk, Level, Setup, What, block, command, hooks};
use crate::plugin;

/// The files of these clients that hold something of ours and have no record.
pub(super) fn changes(
    files: &Files,
    names: &[String],
    setups: &[Setup<'_>],
    disk: &dyn Disk,
) -> Vec<UndoChange> {
    let mut changes: Vec<UndoChange> = Vec::new();
    for setup in setups {
        // A client that is named shares its texts with others, and nothing tells who else needs them.
        let is_meant = |part: &Part| {
            let is_shared = matches!(part.what, What::Skill | What::Instructions);
            part.level == setup.level && (names.is_empty() || !is_shared)
        };
        for part in parts(setup, disk).iter().filter(|part| is_meant(part)) {
            add(&mut changes, files, setup, part, disk);
        }
    }
    changes.retain(|change| change.before != change.after);
    changes
}

fn add(changes: &mut Vec<UndoChange>, files: &Files, setup: &Setup<'_>, part: &Part, disk: &dyn Disk) {
    let Ok(path) = disk.target(&part.named) else { return };
    let root = match part.level {
        Level::Project => disk.target(setup.project).ok(),
        Level::User => setup.home.and_then(|home| disk.target(home).ok()),
    };
    let Some(root) = root.filter(|root| path.starts_with(root)) else { return };
    if files.of(part.level).get(&path).is_some() {
        return;
    }
    let known = changes.iter().position(|change| change.record.path == path);
    let index = known.unwrap_or_else(|| {
        let before = disk.read(&path).ok().flatten();
        changes.push(UndoChange {
            record: Record::new(&path, None, setup.binary),
            level: part.level,
            after: before.clone(),
            before,
            remaining: Vec::new(),
            note: None,
        });
        changes.len() - 1
    });
    let change = &mut changes[index];
    let Some(left) = change.after.as_deref().and_then(|text| without_ours(setup, part, text)) else { return };
    change.after = left;
    let (profile, place) = (setup.profile.name.clone(), files.place.clone());
    change.record.add(Use { profile, what: part.what, place });
    change.note =
        Some(format!("nothing is recorded of `{}`: only what is ours is taken out", path.display()));
    if change.after.is_none() {
        // Directories that hold nothing any more; what holds something of others stays.
        let above = path.ancestors().skip(1).take_while(|above| *above != root);
        change.record.made = above.map(Path::to_owned).collect();
    }
}

/// What is left of a text; nothing where there is nothing of ours in it.
fn without_ours(setup: &Setup<'_>, part: &Part, text: &str) -> Option<Option<String>> {
    let (profile, binary) = (setup.profile, setup.binary);
    let is_ours = match (part.what, &profile.mcp, &profile.hooks) {
        (What::Mcp, Some(mcp), _) => {
            let value = Document::parse(mcp.format, text).ok()?.value();
            at(&value, &keys(&mcp.at)).is_some_and(|entry| command::is_our_server(entry, binary))
        }
        (What::Hooks, _, Some(found)) => match found.file.as_deref().and_then(plugin::text) {
            Some(ours) => {
                let (program, agent) = (plugin::binary_of(text)?, plugin::agent_of(text));
                let is_untouched =
                    plugin::filled(ours, &profile.name, Path::new(&program), agent.as_deref()) == text;
                return is_untouched.then_some(None);
            }
            None => {
                let value = Document::parse(found.format, text).ok()?.value();
                !hooks::ours(&value, found, &profile.name, binary).is_empty()
            }
        },
        (What::Skill, ..) => return [SKILL_FOR_SHELL, SKILL_FOR_TOOLS].contains(&text).then_some(None),
        _ => block::has_block(text),
    };
    if !is_ours {
        return None;
    }
    match strip(profile, part.what, text, None, binary).ok()? {
        Left::Text(text) => Some(Some(text)),
        Left::Nothing => Some(None),
        Left::AsItIs => None,
    }
}
