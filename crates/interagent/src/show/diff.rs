//! Changes, as people see them: the lines that came and those that went.

use crate::ui::look::Role;
use crate::ui::printer::Printer;

/// A unified diff, `indent` spaces in. Its lines are not wrapped: a diff is read by its first column.
pub(crate) fn diff(printer: &mut Printer<'_>, text: &str, indent: usize) {
    let margin = " ".repeat(indent);
    for line in text.lines() {
        printer.exact(&[(Role::Plain, &margin), (role(line), line)]);
    }
}

/// What a line of a diff is, by its first characters.
pub(super) fn role(line: &str) -> Role {
    match line.as_bytes() {
        [b'+', b'+', b'+', ..] | [b'-', b'-', b'-', ..] | [b'd', b'i', b'f', b'f', ..] => Role::Heading,
        [b'+', ..] => Role::Good,
        [b'-', ..] => Role::Bad,
        [b'@', b'@', ..] => Role::Name,
        _ => Role::Plain,
    }
}
