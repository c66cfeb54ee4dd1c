//! Changed files: notes who changed what, and tells two agents on one file of each other.

use std::cell::RefCell;

use interagent_core::guard::edits::{self, Seen};
use interagent_core::guard::path;
use interagent_core::limits;
use interagent_core::refusal::Refusal;
use interagent_core::rules;
use interagent_wire::Answer;
use interagent_wire::answer::{CollisionView, EditsView};
use interagent_wire::request as ask;

use crate::call::Call;
use crate::names::Names;

/// Notes that the caller changed files.
pub(crate) fn note(call: &mut Call<'_>, params: &ask::EditNote) -> Result<Answer, Refusal> {
    let paths = checked(&params.paths)?;
    let met = RefCell::new(Vec::new());
    call.write(
        |scene| {
            let (member, now) = (scene.member.clone(), scene.context.now);
            let mut draft = scene.draft();
            scene.writer.drop_old_edits(now)?;
            for path in &paths {
                let shown = params.root.as_deref().and_then(|root| path::below(path, root)).unwrap_or(path);
                let seen = scene.look().edits_of(path)?;
                for collision in edits::collisions(&seen, &member.id, now) {
                    let there = scene.look().agent(&collision.other)?.filter(|other| other.retired.is_none());
                    let Some(other) = there else { continue };
                    // No mail goes to a captain; the one who came later is told all the same.
                    let mail = collision.is_new && !rules::is_captain(scene.team.as_ref(), &other.name);
                    if mail {
                        edits::tell(&mut draft, &member.id, &other.id, shown, collision.seconds);
                    }
                    if collision.is_new {
                        let told = Seen { agent: member.id.clone(), told: Some(other.id.clone()), at: now };
                        scene.writer.note_edit(path, &told)?;
                    }
                    met.borrow_mut().push((shown.to_owned(), collision));
                }
                scene.writer.note_edit(path, &Seen { agent: member.id.clone(), told: None, at: now })?;
            }
            Ok(draft)
        },
        |reader, _| {
            let mut names = Names::new(reader);
            let mut collisions = Vec::new();
            let mut lines = Vec::new();
            for (path, collision) in met.borrow().iter() {
                let other = names.who(&collision.other)?;
                if collision.is_new {
                    lines.push(edits::told_to_editor(path, &other.name, collision.seconds));
                }
                let (path, seconds, told) = (path.clone(), collision.seconds, collision.is_new);
                collisions.push(CollisionView { path, other, seconds, told });
            }
            let noted = u32::try_from(paths.len()).unwrap_or(u32::MAX);
            let text = (!lines.is_empty()).then(|| lines.join("\n"));
            Ok(EditsView { noted, collisions, text }.into())
        },
    )
}

fn checked(given: &[String]) -> Result<Vec<String>, Refusal> {
    if given.is_empty() || given.len() > limits::EDITED_PATHS {
        let sentence = format!("1 to {} files are noted at once", limits::EDITED_PATHS);
        return Err(Refusal::usage("bad_paths", sentence));
    }
    let mut paths: Vec<String> = Vec::with_capacity(given.len());
    for path in given {
        if !path.starts_with('/') || path.len() > limits::WORD_BYTES || path.contains('\0') {
            let sentence =
                format!("a file is named by its absolute path, with at most {} bytes", limits::WORD_BYTES);
            return Err(Refusal::usage("bad_paths", sentence));
        }
        let path = path::tidy(path);
        if !paths.contains(&path) {
            paths.push(path);
        }
    }
    Ok(paths)
}
