//! What a person should know of the files: changed by hand, dropped there, behind the log, in the way. Looks only.

use std::collections::HashSet;
use std::path::Path;

use interagent_store::{Store, StoreError};

use super::cursor::{self, Due};
use super::drafts::{self, Draft, Malformed, Seen};
use super::follow::state_dir;
use super::layout::{Folder, Place};
use super::seal::Form;
use super::tree::{EDITED, Found, Tree};
use super::untouched::Untouched;
use super::whole::unread_by_somebody;

/// Files that a brief look opens or asks the store about. A number and no time: what people read must not depend on how busy
/// the machine is.
const BRIEF_FILES: usize = 1_000;

/// How many files are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// Up to a thousand that may be drafts or changed since the last sync.
    Brief,
    /// All of them.
    All,
}

/// What was found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Findings {
    /// Derived files that were changed by hand; the next time they are written the change is kept beside them.
    pub edited: Vec<String>,
    /// Files with room for people's text whose generated part was changed; the change is moved below the line.
    pub misplaced: Vec<String>,
    /// Changes by hand that are kept.
    pub kept: Vec<String>,
    /// Files that could be accepted.
    pub drafts: Vec<Draft>,
    /// Files that could be drafts and can't be accepted.
    pub malformed: Vec<Malformed>,
    /// What was not written, and why.
    pub troubles: Vec<String>,
    /// Entries that no file shows yet.
    pub behind: i64,
    /// Not all files were looked at.
    pub cut: bool,
}

/// Looks at the files.
pub fn check(store: &mut Store, hub_dir: &Path, effort: Effort) -> Result<Findings, StoreError> {
    let state_dir = state_dir(hub_dir);
    let (mut looked_at, head) = (0, store.head()?.seq);
    let mut findings = Findings { troubles: cursor::told(&state_dir), ..Findings::default() };
    let record = cursor::peek(&state_dir);
    findings.behind = match &record {
        Some(record) if record.due.has(Due::WHOLE) => head,
        Some(record) => (head - record.seq).max(0),
        None => head,
    };
    let mut untouched = Untouched::since(record.map_or(0, |record| record.compared));
    let Ok(mut tree) = Tree::open(hub_dir) else { return Ok(findings) };
    store.read(|reader| {
        // Quicker than asking for each file, where all of them are looked at.
        let unread = if effort == Effort::All { unread_by_somebody(reader)? } else { HashSet::new() };
        for folder in Folder::ALL {
            if !tree.has(folder) {
                continue;
            }
            for name in tree.names(folder).unwrap_or_default() {
                let place = Place { folder, name };
                if place.form().is_none() {
                    let is_kept = place.name.contains(EDITED) && !place.name.starts_with('.');
                    findings.kept.extend(is_kept.then(|| place.shown()));
                    continue;
                }
                // What was compared and not touched since is ours; only where drafts are it may be one that was there before.
                let may_be_draft = matches!(folder, Folder::Active | Folder::Pending);
                let is_known = !may_be_draft
                    || place.name.strip_suffix(".json").is_some_and(|stem| unread.contains(stem));
                let is_untouched = untouched.has(&mut tree, &place).unwrap_or(false);
                if is_untouched && is_known {
                    continue;
                }
                if effort == Effort::Brief && looked_at == BRIEF_FILES {
                    findings.cut = true;
                    return Ok(());
                }
                looked_at += 1;
                if is_untouched && drafts::is_known(reader, &place)? {
                    continue;
                }
                if may_be_draft {
                    match drafts::look(&mut tree, reader, &place)? {
                        Seen::Ours => {}
                        Seen::Edited => findings.edited.push(place.shown()),
                        Seen::Draft(draft) => findings.drafts.push(*draft),
                        Seen::Malformed(why) => {
                            findings.malformed.push(Malformed { path: place.shown(), why });
                        }
                    }
                } else if matches!(tree.look(&place), Ok(Found::Other(_))) {
                    let is_notes = place.form() == Some(Form::Notes);
                    let list = if is_notes { &mut findings.misplaced } else { &mut findings.edited };
                    list.push(place.shown());
                }
            }
        }
        Ok::<_, StoreError>(())
    })?;
    Ok(findings)
}
