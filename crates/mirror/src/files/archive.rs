//! Messages that everybody has read: the newest as files of their own, older ones by month.
//!
//! A month is a file of lines, each like the file the message had, in the order they were sent. What comes after its last line
//! is added to it; anything else writes it anew.

use std::collections::BTreeMap;

use interagent_core::entity::Message;
use interagent_core::ids::MessageId;
use interagent_core::limits;
use interagent_store::reader::PageStart;
use serde::Deserialize;

use super::follow::Stop;
use super::layout::{Folder, Place, is_pending};
use super::moment::Month;
use super::names::Look;
use super::pass::{Care, Pass};
use super::render;
use super::tree::Found;

/// Archived messages that have files of their own.
const SINGLES: u32 = 1_000;
/// So many more may gather before a resident process puts them into months.
const GATHERED: usize = 1_000;

/// Which months are written anew.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Months {
    /// Those of which something changed.
    #[default]
    Changed,
    /// All of them: something changed that every line may name.
    All,
}

/// Where a line stands in its month.
type Key = (i64, String);

/// Puts old messages into months once many have gathered.
pub(super) fn roll_if_full(pass: &mut Pass, look: &mut Look<'_, '_>) -> Result<(), Stop> {
    let names = pass.tree.names(Folder::Archive).unwrap_or_default();
    if names.len() > SINGLES as usize + GATHERED {
        roll(pass, look, Months::Changed)?;
    }
    Ok(())
}

/// Writes the newest archived messages as files of their own, and all older ones into their months.
pub(super) fn roll(pass: &mut Pass, look: &mut Look<'_, '_>, months: Months) -> Result<(), Stop> {
    let newest = look.reader.archived(&PageStart::default(), SINGLES)?;
    for message in &newest {
        let [here, there] =
            [Folder::Archive, Folder::Pending].map(|shelf| Place::message(&message.id, shelf));
        if !pass.is_untouched(&here, Some(&there))? {
            pass.message(look, message, Care::Usual)?;
        }
    }
    let Some(last) = newest.get(SINGLES as usize - 1) else { return Ok(()) };
    let before = PageStart { at: last.sent.at, id: last.id.to_string() };
    let mut old = singles_before(pass, look, &before)?;
    let mut counts: BTreeMap<Month, usize> = BTreeMap::new();
    for wall in look.reader.archived_walls(&before)? {
        *counts.entry(Month::of(wall)).or_default() += 1;
    }
    for (month, count) in counts {
        let changed = old.remove(&month).unwrap_or_default();
        write_month(pass, look, (&month, count), &before, &changed, months)?;
        for (_, id) in changed {
            if let Ok(id) = MessageId::parse(&id) {
                pass.remove(&Place::message(&id, Folder::Archive))?;
            }
        }
    }
    Ok(())
}

/// The files of messages that are too old for files of their own, by month.
fn singles_before(
    pass: &mut Pass,
    look: &mut Look<'_, '_>,
    before: &PageStart,
) -> Result<BTreeMap<Month, Vec<Key>>, Stop> {
    let mut old: BTreeMap<Month, Vec<Key>> = BTreeMap::new();
    for name in pass.tree.names(Folder::Archive).unwrap_or_default() {
        let Some(id) = name.strip_suffix(".json").and_then(|stem| MessageId::parse(stem).ok()) else {
            continue;
        };
        let Some(message) = look.reader.message(&id)? else { continue };
        if !is_pending(&message) && (message.sent.at, id.as_str()) < (before.at, before.id.as_str()) {
            old.entry(Month::of(message.sent.wall)).or_default().push(key(&message));
        }
    }
    Ok(old)
}

fn key(message: &Message) -> Key {
    (message.sent.wall, message.id.to_string())
}

fn write_month(
    pass: &mut Pass,
    look: &mut Look<'_, '_>,
    (month, count): (&Month, usize),
    before: &PageStart,
    changed: &[Key],
    months: Months,
) -> Result<(), Stop> {
    let place = Place::month(&month.name);
    if changed.is_empty() && pass.is_untouched(&place, None)? {
        return Ok(());
    }
    let there = match pass.tree.look(&place) {
        Ok(Found::Ours(bytes)) if months == Months::Changed => String::from_utf8(bytes).unwrap_or_default(),
        Ok(_) => String::new(),
        Err(trouble) => return pass.hindered(trouble),
    };
    let last = there.lines().last().and_then(key_of);
    let is_rewritten = last.as_ref().is_some_and(|last| changed.iter().any(|key| key <= last));
    if !is_rewritten && there.lines().count() == count {
        return Ok(());
    }
    if let Some(last) = last.filter(|_| !is_rewritten) {
        let (added, lines) = lines_after(look, month, before, last)?;
        if there.lines().count() + lines == count {
            return pass.put(&place, &format!("{there}{added}"));
        }
    }
    let (text, _) = lines_after(look, month, before, (i64::MIN, String::new()))?;
    pass.put(&place, &text)
}

/// The lines of a month after one of them, and how many there are.
fn lines_after(
    look: &mut Look<'_, '_>,
    month: &Month,
    before: &PageStart,
    mut after: Key,
) -> Result<(String, usize), Stop> {
    let (mut text, mut lines) = (String::new(), 0);
    loop {
        let span = (month.from, month.to);
        let page = look.reader.archived_between(span, before, (after.0, &after.1), limits::PAGE_MAX)?;
        let Some(last) = page.last() else { return Ok((text, lines)) };
        after = key(last);
        for message in &page {
            text.push_str(&render::message_line(look, message)?);
            text.push('\n');
            lines += 1;
        }
    }
}

/// Where a line says that it stands.
fn key_of(line: &str) -> Option<Key> {
    #[derive(Deserialize)]
    struct Said {
        id: String,
        timestamp: String,
    }
    let said: Said = serde_json::from_str(line).ok()?;
    let wall = match said.timestamp.strip_suffix("us") {
        Some(number) => number.parse().ok()?,
        None => said.timestamp.parse::<jiff::Timestamp>().ok()?.as_microsecond(),
    };
    Some((wall, said.id))
}
