//! Deleting a text for good: from the log's texts, the store's files and the search index. Its hash stays.
//!
//! An agent deletes what it wrote itself, the operator anything. Only the texts of the named entity are looked at: the
//! same words elsewhere are other texts, with salts of their own.

use std::collections::BTreeMap;
use std::path::Path;

use interagent_core::event::TextPurged;
use interagent_core::ids::{AgentId, EntityRef};
use interagent_core::refusal::Refusal;
use interagent_core::text::{TextHash, Words};
use interagent_store::reader::Reader;
use interagent_store::{TextState, texts_of};
use interagent_wire::answer::ChangedView;
use interagent_wire::{Answer, request as ask};

use super::search;
use crate::call::{Call, Scene};

/// A text of an entity.
struct Written {
    hash: TextHash,
    author: AgentId,
    /// `None` when it was purged before, or has not arrived.
    text: Option<String>,
}

/// Deletes texts of an entity.
pub(crate) fn purge(call: &mut Call<'_>, params: &ask::TextPurge) -> Result<Answer, Refusal> {
    let reason = params.reason.as_deref().map(|reason| Words::note("the reason", reason)).transpose()?;
    let containing = params.containing.as_deref().filter(|part| !part.is_empty());
    if params.containing.is_some() && containing.is_none() {
        return Err(Refusal::usage("empty", "`containing` is empty: every text would match")
            .hint("leave it out to delete all texts of the entity"));
    }
    let leaks = |text: &str| containing.is_some_and(|part| text.contains(part));
    if reason.as_ref().is_some_and(|reason| leaks(reason.as_str())) {
        return Err(Refusal::usage("reason_leaks", "the reason contains the text that is to be deleted"));
    }
    let mut changed = ChangedView { changed: Vec::new(), unchanged: Vec::new() };
    call.write(
        |scene| {
            let entity = super::entity(&mut scene.look(), &params.entity)?;
            let texts = written(&mut scene.look(), &entity)?;
            let (doomed, gone) = choose(scene, &entity, texts, containing)?;
            let mut draft = scene.draft();
            let reason = draft.maybe(reason.as_ref());
            for hash in doomed {
                changed.changed.push(hash.to_string());
                draft.add(EntityRef::Text(hash), TextPurged { reason: reason.clone() });
            }
            changed.unchanged = gone;
            Ok(draft)
        },
        |_, _| Ok(()),
    )?;
    // Also when nothing changed: an earlier purge may have been interrupted before this.
    let scrubbed = call.store.scrub()?;
    let forgotten = search::forget(call.store, call.state_dir)?;
    if !scrubbed || !forgotten {
        return Err(Refusal::unavailable(
            "not_scrubbed",
            "the text is deleted, but another process was reading: copies of it may still be in the hub's files",
        )
        .hint("run the same command again when the other process is done"));
    }
    call.notes.extend(damaged_copies(call.state_dir));
    Ok(changed.into())
}

/// Databases that a recovery put aside still hold what was in them: the purge does not reach into damaged files.
fn damaged_copies(state_dir: &Path) -> Option<String> {
    let copies: Vec<String> =
        interagent_store::put_aside(state_dir).iter().map(|path| path.display().to_string()).collect();
    let them = if copies.len() == 1 { "it" } else { "them" };
    (!copies.is_empty()).then(|| {
        format!(
            "the text may still be in what doctor --recover put aside; delete {them} once nothing is missing: rm -r {}",
            copies.join(" ")
        )
    })
}

/// Every text the entity's events name, once, with who wrote it first.
fn written(reader: &mut Reader<'_>, entity: &EntityRef) -> Result<Vec<Written>, Refusal> {
    let mut authors: BTreeMap<TextHash, AgentId> = BTreeMap::new();
    let mut order = Vec::new();
    for placed in reader.history(entity)? {
        for hash in texts_of(&placed.fact.event) {
            if !authors.contains_key(hash) {
                authors.insert(hash.clone(), placed.stamp.member.clone());
                order.push(hash.clone());
            }
        }
    }
    let mut found = Vec::with_capacity(order.len());
    for hash in order {
        let text = match reader.text_state(&hash)? {
            // What is left of a damaged one may still be what has to go.
            TextState::Whole(text) | TextState::Damaged(text) => Some(text),
            TextState::Purged | TextState::Missing => None,
        };
        if let Some(author) = authors.remove(&hash) {
            found.push(Written { hash, author, text });
        }
    }
    Ok(found)
}

/// What the caller may and wants to delete, and what is gone already.
fn choose(
    scene: &Scene<'_, '_, '_>,
    entity: &EntityRef,
    texts: Vec<Written>,
    containing: Option<&str>,
) -> Result<(Vec<TextHash>, Vec<String>), Refusal> {
    let (mut doomed, mut gone, mut foreign) = (Vec::new(), Vec::new(), 0_usize);
    for Written { hash, author, text } in texts {
        let own = scene.context.human || author == scene.member.id;
        match text {
            // What it contained is not known any more.
            None if own => gone.push(hash.to_string()),
            Some(text) if containing.is_none_or(|part| text.contains(part)) => {
                if own {
                    doomed.push(hash);
                } else {
                    foreign += 1;
                }
            }
            _ => {}
        }
    }
    if doomed.is_empty() && foreign > 0 {
        let texts = if foreign == 1 { "1 text".to_owned() } else { format!("{foreign} texts") };
        return Err(Refusal::rule(
            "not_the_author",
            format!("{texts} of {entity} would match, all written by others"),
        )
        .hint("their authors or the operator may delete them"));
    }
    if doomed.is_empty() && gone.is_empty() {
        let what = if containing.is_some() { "no text that contains this" } else { "no text" };
        return Err(Refusal::not_found("no_such_text", format!("{entity} has {what}")));
    }
    Ok((doomed, gone))
}
