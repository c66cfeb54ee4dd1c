//! Texts that look like secrets, as people see them.

use interagent_wire::answer::{ChangedView, HeldTextView, Page};

use super::{count, is_part, more, plain, since};
use crate::ui::look::Role;
use crate::ui::printer::Printer;

/// Each text with what in it looks like a secret. The secret itself is not shown: a screen may be shared.
pub(super) fn held(printer: &mut Printer<'_>, op: &str, page: &Page<HeldTextView>) {
    if page.items.is_empty() {
        let told = match is_part(op) {
            true => "no text of it is held back",
            false => "no text is held back: nothing that was written looks like a secret, or it was released",
        };
        plain(printer, told);
        return;
    }
    for text in &page.items {
        let unknown = format!("text:{}", text.hash);
        let by = text.by.as_ref().map(|by| format!("  by {}", by.name)).unwrap_or_default();
        let written = text.written.map(|written| format!(", {}", since(written))).unwrap_or_default();
        printer.line(&[
            (Role::Id, text.entity.as_deref().unwrap_or(&unknown)),
            (Role::Name, &by),
            (Role::Quiet, &written),
        ]);
        for found in &text.found {
            let place = format!("  line {}: looks like {}: ", found.line, found.looks_like);
            printer.line(&[(Role::Warning, &place), (Role::Plain, &found.shown)]);
        }
    }
    more(printer, page.next.as_ref());
    let named = page.items.first().and_then(|text| text.entity.as_deref()).unwrap_or("ID");
    let helps = [
        format!("let it out, for good: interagent hold release {named}"),
        format!("delete it everywhere: interagent hold purge {named}"),
    ];
    for help in &helps {
        printer.exact(&[(Role::Quiet, help)]);
    }
}

/// Texts are known by their hashes only, which tell people nothing.
pub(super) fn released(printer: &mut Printer<'_>, changed: &ChangedView) {
    let texts = count(u32::try_from(changed.changed.len()).unwrap_or(u32::MAX), "text", "texts");
    printer.line(&[(Role::Good, "released"), (Role::Plain, &format!(" {texts} for git and files"))]);
}
