//! Specs: publishing versions, wanting to hear of them.

use crate::decide::{Post, post};
use crate::draft::Draft;
use crate::entity::{Agent, Spec};
use crate::event::{Reference, SpecPublished, SpecSubscribed};
use crate::ids::{AgentId, EntityRef, SpecName};
use crate::nearest::nearest;
use crate::refusal::Refusal;
use crate::text::Words;
use crate::vocabulary::Intent;

/// A version to be.
#[derive(Clone, Debug)]
pub struct Edition {
    /// Of which spec.
    pub name: SpecName,
    /// Markdown.
    pub body: Words,
    /// What changed.
    pub note: Option<Words>,
    /// The version its author has seen; refuses to overwrite a newer one.
    pub expected: Option<u32>,
}

/// What publishing needs to know.
#[derive(Clone, Debug, Default)]
pub struct Shelf {
    /// The spec, once it has a version or a subscriber.
    pub spec: Option<Spec>,
    /// The text of the newest version, unless it was deleted.
    pub newest: Option<String>,
    /// The subscribers that still take part.
    pub subscribers: Vec<AgentId>,
}

/// Publishes a version and tells the subscribers. The same text again is no new version, whatever version its author
/// has seen: nothing could be lost.
pub fn publish(shelf: &Shelf, edition: &Edition, member: &Agent, draft: &mut Draft) -> Result<u32, Refusal> {
    let there = shelf.spec.as_ref().map_or(0, Spec::version);
    if there > 0 && shelf.newest.as_deref() == Some(edition.body.as_str()) {
        draft.is_so_already(format!("{} says the same since version {there}", edition.name));
        return Ok(there);
    }
    if let Some(expected) = edition.expected.filter(|expected| *expected != there) {
        return Err(lost_update(&edition.name, there, expected));
    }
    let version = there + 1;
    let published = SpecPublished {
        version,
        body: draft.text(&edition.body),
        publisher: member.id.clone(),
        note: draft.maybe(edition.note.as_ref()),
    };
    let note = published.note.clone();
    draft.add(EntityRef::Spec(edition.name.clone()), published);
    let to: Vec<AgentId> = shelf.subscribers.iter().filter(|agent| **agent != member.id).cloned().collect();
    if to.is_empty() {
        return Ok(version);
    }
    let subject = draft.plain(&format!("Spec {} is at version {version}", edition.name));
    let refs = vec![Reference {
        kind: "spec".into(),
        target: edition.name.to_string(),
        first_line: None,
        last_line: None,
        text: None,
    }];
    post(draft, Post::new(&member.id, to, Intent::ContextShare, subject, note).pointing_at(refs));
    Ok(version)
}

fn lost_update(name: &SpecName, there: u32, expected: u32) -> Refusal {
    let sentence = match there {
        0 => format!("{name} has no version yet, so it can't be at version {expected}"),
        _ => format!("{name} is at version {there}, not {expected}: publishing would lose what is new"),
    };
    let hint = match there {
        0 => "leave the expected version out, or pass 0".to_owned(),
        _ => format!(
            "interagent spec show {name} shows it; publish with expected version {there} after merging"
        ),
    };
    Refusal::conflict("lost_update", sentence).hint(hint)
}

/// Subscribes to a spec, also one that is still to come, or takes that back.
///
/// `others` are names of specs that are there: one of them may be meant where nothing of this name is.
pub fn subscribe(
    spec: Option<&Spec>,
    name: &SpecName,
    others: &[String],
    member: &Agent,
    remove: bool,
    draft: &mut Draft,
) {
    let has = spec.is_some_and(|spec| spec.subscribers.contains(&member.id));
    if has == remove {
        draft
            .add(EntityRef::Spec(name.clone()), SpecSubscribed { agent: member.id.clone(), removed: remove });
        let hears = if remove { "hears no longer" } else { "hears" };
        draft.remark(format!("{} {hears} of new versions of {name}", member.name));
    } else if remove {
        draft.is_so_already(format!("{} is no subscriber of {name}", member.name));
    } else {
        draft.is_so_already(format!("{} subscribed to {name} before", member.name));
    }
    if spec.is_none_or(|spec| spec.version() == 0) && !remove {
        let meant = nearest(name.as_str(), others.iter().map(String::as_str));
        let meant = meant.map(|meant| format!("; did you mean {meant}?")).unwrap_or_default();
        draft.remark(format!("no spec {name} is published yet{meant}"));
    }
}

#[cfg(test)]
mod tests;
