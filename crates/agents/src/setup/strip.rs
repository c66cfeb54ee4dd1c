//! Taking ours out of a file that others have changed since.

use std::path::Path;

use serde_json::Value;

use super::document::{Document, EditError, at, keys};
use super::{What, block, command, hooks};
use crate::profile::{Format, Mcp, Profile, Setting};

/// What is left of a file.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Left {
    /// Only what others wrote.
    Text(String),
    /// Nothing: there was no such file, and nobody put anything else into it.
    Nothing,
    /// It is wholly ours, and somebody changed it: it is left as it is.
    AsItIs,
}

/// Takes one piece out. `original` is what the file said before us.
pub(super) fn strip(
    profile: &Profile,
    what: What,
    text: &str,
    original: Option<&str>,
    binary: &Path,
) -> Result<Left, String> {
    match (what, &profile.mcp, &profile.hooks) {
        (What::Mcp, Some(mcp), _) => edited(mcp.format, text, original, None, |document, original| {
            take_server(document, original, mcp, binary)?;
            put_back(document, original, &mcp.also)
        }),
        (What::Hooks, _, Some(found)) if found.format != Format::File => {
            edited(found.format, text, original, found.base.as_ref(), |document, original| {
                hooks::strip(document, original, found, &profile.name, binary)?;
                put_back(document, original, &found.also)
            })
        }
        (What::Instructions, ..) => {
            let left = block::without_block(text)?;
            let is_nothing = original.is_none() && left.trim().is_empty();
            Ok(if is_nothing { Left::Nothing } else { Left::Text(left) })
        }
        _ => Ok(Left::AsItIs),
    }
}

fn edited(
    format: Format,
    text: &str,
    original: Option<&str>,
    base: Option<&Value>,
    edit: impl FnOnce(&mut Document, &Value) -> Result<(), EditError>,
) -> Result<Left, String> {
    let parse = |text: &str| Document::parse(format, text).map_err(|error| error.to_string());
    let mut document = parse(text)?;
    // An original that nobody can read had nothing of ours in it.
    let before = original.and_then(|text| parse(text).ok()).map_or(Value::Null, |original| original.value());
    edit(&mut document, &before).map_err(|error| error.to_string())?;
    // Of what a new file begins with, the lists of ours may be gone.
    let is_of_base = |(key, value): (&String, &Value)| base.and_then(|base| base.get(key)) == Some(value);
    let is_empty = |value: &Value| value.as_object().is_some_and(|fields| fields.iter().all(is_of_base));
    // A comment is somebody's too.
    let is_bare = !document.text().contains(['#', '/']);
    match original.is_none() && is_empty(&document.value()) && is_bare {
        true => Ok(Left::Nothing),
        false => Ok(Left::Text(document.text())),
    }
}

fn take_server(document: &mut Document, original: &Value, mcp: &Mcp, binary: &Path) -> Result<(), EditError> {
    let way = keys(&mcp.at);
    let is_ours = at(&document.value(), &way).is_some_and(|entry| command::is_our_server(entry, binary));
    if !is_ours {
        return Ok(());
    }
    if let Some(before) = at(original, &way) {
        return document.replace(&way, before);
    }
    document.remove(&way);
    document.prune(&way[..way.len() - 1], original);
    Ok(())
}

/// Puts other settings back, unless somebody has changed them since.
fn put_back(document: &mut Document, original: &Value, settings: &[Setting]) -> Result<(), EditError> {
    for setting in settings {
        let way = keys(&setting.at);
        let (now, before) = (document.value(), at(original, &way));
        if setting.value.is_some() && at(&now, &way) == setting.value.as_ref() {
            match before {
                Some(before) => document.replace(&way, before)?,
                None => document.remove(&way),
            }
        }
        if let Some(element) = &setting.add {
            let place = |list: &Value| list.as_array()?.iter().position(|item| item == element);
            if let (Some(index), None) = (at(&now, &way).and_then(place), before.and_then(place)) {
                document.remove(&[way.as_slice(), &[super::document::Step::Index(index)]].concat());
            }
        }
        document.prune(&way, original);
        document.prune(&way[..way.len().saturating_sub(1)], original);
    }
    Ok(())
}
