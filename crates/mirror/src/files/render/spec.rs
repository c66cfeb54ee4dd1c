//! `specs/NAME.md`: the newest version of a spec.

use interagent_core::entity::Spec;
use interagent_store::StoreError;

use super::{cell, markdown};
use crate::files::moment::iso;
use crate::files::names::Look;

/// A spec as a file; nothing while it has no version.
pub(in crate::files) fn spec(look: &mut Look<'_, '_>, spec: &Spec) -> Result<Option<String>, StoreError> {
    let Some(newest) = spec.versions.last() else { return Ok(None) };
    let mut text = look.text(&newest.body)?;
    if !text.ends_with('\n') {
        text.push('\n');
    }
    let note = match look.maybe_text(newest.note.as_ref())? {
        Some(note) => format!(": {}", cell(&note).replace("--", "- -")),
        None => String::new(),
    };
    let publisher = look.name(&newest.publisher)?;
    text.push_str(&format!(
        "\n<!-- {}, version {}, {} by {publisher}{note} -->\n",
        spec.name,
        newest.version,
        iso(newest.when.wall)
    ));
    Ok(Some(markdown(&text)))
}
