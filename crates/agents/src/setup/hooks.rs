//! Our hooks in a client's settings: writing them, finding them again, taking them out.

use std::path::Path;

use serde_json::Value;

use super::Pin;
use super::command::{OurHook, quoted};
use super::document::{Document, EditError, Step, at, keys};
use crate::hooks::{Event, Hooks};
use crate::template::{Fill, fill};

/// The word of a way that stands for the event's name.
const EVENT: &str = "{event}";

/// A hook of ours that was found.
#[derive(Debug)]
struct FoundHook {
    hook: OurHook,
    /// The way to the element of the list.
    element: Vec<Step>,
    /// The way to the hook itself, where the element holds several.
    inner: Option<Vec<Step>>,
    /// Whether the element holds hooks of others too.
    is_shared: bool,
}

/// Writes the hooks of a profile; says whether there were some before.
pub(super) fn write(
    document: &mut Document,
    hooks: &Hooks,
    profile: &str,
    binary: &Path,
    agent: Pin<'_>,
) -> Result<bool, EditError> {
    let found = find(&document.value(), hooks, profile, binary);
    let kept = found.iter().find_map(|found| found.hook.agent.as_deref());
    let agent = agent.name_after(kept).map(ToOwned::to_owned);
    let mut used = vec![false; found.len()];
    let mut missing = Vec::new();
    for event in &hooks.events {
        let wait = event.means.is_wait();
        let hook =
            OurHook { profile: profile.to_owned(), event: event.name.clone(), wait, agent: agent.clone() };
        let Some(element) = element(hooks, event, &hook, binary) else { continue };
        let is_it = |found: &FoundHook| found.hook.event == event.name && found.hook.wait == wait;
        match (0..found.len()).find(|index| !used[*index] && is_it(&found[*index])) {
            Some(index) => {
                used[index] = true;
                renew(document, &found[index], &element)?;
            }
            None => missing.push((list_of(hooks, &event.name), element)),
        }
    }
    // From the last to the first: what is taken out moves what comes after it.
    for (found, _) in found.iter().zip(&used).rev().filter(|(_, used)| !**used) {
        take_out(document, found);
    }
    for (list, element) in missing {
        document.push(&list, &element)?;
    }
    Ok(!found.is_empty())
}

/// Takes all hooks of a profile out, and puts those back that were there originally.
pub(super) fn strip(
    document: &mut Document,
    original: &Value,
    hooks: &Hooks,
    profile: &str,
    binary: &Path,
) -> Result<(), EditError> {
    for found in find(&document.value(), hooks, profile, binary).iter().rev() {
        take_out(document, found);
    }
    for found in find(original, hooks, profile, binary) {
        if let (Some(element), Some((_, list))) = (at(original, &found.element), found.element.split_last()) {
            document.push(list, element)?;
        }
    }
    for list in lists(&document.value(), hooks) {
        document.prune(&list, original);
    }
    document.prune(&above_events(hooks), original);
    Ok(())
}

/// Our element for an event.
fn element(hooks: &Hooks, event: &Event, hook: &OurHook, binary: &Path) -> Option<Value> {
    let template = event.element.as_ref().or(hooks.element.as_ref())?;
    let binary = binary.to_string_lossy();
    let arguments = hook.arguments();
    let line = quoted(std::iter::once(binary.as_ref()).chain(arguments.iter().map(String::as_str)));
    let places = [
        ("{binary}", Fill::Text(&binary)),
        ("{arguments}", Fill::Words(&arguments)),
        ("{command}", Fill::Text(&line)),
        (EVENT, Fill::Text(&event.name)),
    ];
    Some(fill(template, &places))
}

/// Has a found hook say what it should.
fn renew(document: &mut Document, found: &FoundHook, element: &Value) -> Result<(), EditError> {
    match (&found.inner, document) {
        (Some(inner), document) if found.is_shared => {
            let field = inner.get(found.element.len());
            let ours = match field {
                Some(Step::Key(field)) => element.get(field).and_then(|list| list.get(0)),
                _ => None,
            };
            document.replace(inner, ours.unwrap_or(element))
        }
        // What somebody added beside our fields, such as a matcher, stays.
        (_, document @ Document::Json(_)) => document.merge(&found.element, element),
        (_, document) => document.replace(&found.element, element),
    }
}

fn take_out(document: &mut Document, found: &FoundHook) {
    match &found.inner {
        Some(inner) if found.is_shared => {
            document.remove(inner);
            let is_empty = |list: &Value| list.as_array().is_some_and(Vec::is_empty);
            if at(&document.value(), &inner[..inner.len() - 1]).is_some_and(is_empty) {
                document.remove(&found.element);
            }
        }
        _ => document.remove(&found.element),
    }
}

/// The way to the list of an event.
fn list_of(hooks: &Hooks, event: &str) -> Vec<Step> {
    hooks.into.iter().map(|step| Step::Key(step.replace(EVENT, event))).collect()
}

/// The way to what holds the lists of all events.
fn above_events(hooks: &Hooks) -> Vec<Step> {
    let fixed: Vec<&String> = hooks.into.iter().take_while(|step| !step.contains(EVENT)).collect();
    keys(&fixed)
}

/// The ways to all lists there are, also of events that are the profile's no longer.
fn lists(value: &Value, hooks: &Hooks) -> Vec<Vec<Step>> {
    let above = above_events(hooks);
    if above.len() == hooks.into.len() {
        return vec![above];
    }
    let rest = keys(&hooks.into[above.len() + 1..]);
    let events = at(value, &above).and_then(Value::as_object);
    let events = events.into_iter().flat_map(serde_json::Map::keys);
    events.map(|event| [above.as_slice(), &[Step::Key(event.clone())], &rest].concat()).collect()
}

/// Our hooks with what they are, and the element that is run.
pub(super) fn ours<'v>(
    value: &'v Value,
    hooks: &Hooks,
    profile: &str,
    binary: &Path,
) -> Vec<(OurHook, &'v Value)> {
    let found = find(value, hooks, profile, binary);
    let element = |found: FoundHook| {
        let element = at(value, found.inner.as_ref().unwrap_or(&found.element))?;
        Some((found.hook, element))
    };
    found.into_iter().filter_map(element).collect()
}

/// The agent that our hooks name.
pub(super) fn agent_of(value: &Value, hooks: &Hooks, profile: &str, binary: &Path) -> Option<String> {
    find(value, hooks, profile, binary).into_iter().find_map(|found| found.hook.agent)
}

fn find(value: &Value, hooks: &Hooks, profile: &str, binary: &Path) -> Vec<FoundHook> {
    let ours = |value: &Value| OurHook::of_element(value, binary).filter(|hook| hook.profile == profile);
    let mut all = Vec::new();
    for list in lists(value, hooks) {
        let elements = at(value, &list).and_then(Value::as_array);
        for (index, element) in elements.into_iter().flatten().enumerate() {
            let way = [list.as_slice(), &[Step::Index(index)]].concat();
            if let Some(hook) = ours(element) {
                all.push(FoundHook { hook, element: way, inner: None, is_shared: false });
                continue;
            }
            let fields = element.as_object().into_iter().flatten();
            for (field, inside) in fields.filter_map(|(field, inside)| Some((field, inside.as_array()?))) {
                for (place, hook) in
                    inside.iter().enumerate().filter_map(|(at, hook)| Some((at, ours(hook)?)))
                {
                    let inner = [way.as_slice(), &[Step::Key(field.clone()), Step::Index(place)]].concat();
                    let is_shared = inside.len() > 1;
                    all.push(FoundHook { hook, element: way.clone(), inner: Some(inner), is_shared });
                }
            }
        }
    }
    all
}
