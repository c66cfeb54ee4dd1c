//! Specs: publishing versions, wanting to hear of them.

use crate::decide::{Post, post};
use crate::draft::Draft;
use crate::entity::{Agent, Spec};
use crate::event::{Reference, SpecPublished, SpecSubscribed};
use crate::ids::{EntityRef, SpecName};
use crate::refusal::Refusal;
use crate::text::Words;
use crate::vocabulary::{Intent, Priority};

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

/// Publishes a version and tells the subscribers. `newest` is the text of the newest version there is.
pub fn publish(
    spec: Option<&Spec>,
    newest: Option<&str>,
    edition: &Edition,
    member: &Agent,
    draft: &mut Draft,
) -> Result<u32, Refusal> {
    let there = spec.map_or(0, Spec::version);
    if let Some(expected) = edition.expected.filter(|expected| *expected != there) {
        return Err(Refusal::conflict(
            "lost_update",
            format!(
                "{} is at version {there}, not {expected}: publishing would lose what is new",
                edition.name
            ),
        )
        .hint(format!("interagent spec show {} shows it", edition.name)));
    }
    if newest == Some(edition.body.as_str()) {
        return Ok(there);
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
    let subscribers = spec.map(|spec| spec.subscribers.iter().cloned().collect()).unwrap_or_default();
    let subject = draft.plain(&format!("Spec {} is at version {version}", edition.name));
    let refs = vec![Reference {
        kind: "spec".into(),
        target: edition.name.to_string(),
        first_line: None,
        last_line: None,
        text: None,
    }];
    let letter = Post {
        from: &member.id,
        to: subscribers,
        intent: Intent::ContextShare,
        subject: subject.clone(),
        body: note,
        task: None,
        priority: Priority::Medium,
        refs,
    };
    if post(draft, letter).is_none() {
        draft.texts.retain(|text| text.hash != subject);
    }
    Ok(version)
}

/// Subscribes to a spec, also one that is still to come, or takes that back.
pub fn subscribe(spec: Option<&Spec>, name: &SpecName, member: &Agent, remove: bool, draft: &mut Draft) {
    let has = spec.is_some_and(|spec| spec.subscribers.contains(&member.id));
    if has == remove {
        draft
            .add(EntityRef::Spec(name.clone()), SpecSubscribed { agent: member.id.clone(), removed: remove });
    }
}
