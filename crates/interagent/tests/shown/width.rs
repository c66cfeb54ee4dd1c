//! What does not fit the screen.

use unicode_width::UnicodeWidthStr;

/// Commands whose answer is pasted elsewhere, line by line as it is.
const PASTED: [&str; 3] = ["relay", "team show", "update-template"];

/// The lines of an answer that are wider than the screen and should not be, and those that end in spaces.
pub(crate) fn overflows<'a>(command: &'a str, shown: &'a str, width: usize) -> impl Iterator<Item = &'a str> {
    let answer = shown.split("--- stderr\n").next().unwrap_or_default();
    answer.lines().filter(move |line| {
        let is_too_wide = line.width() > width && !PASTED.contains(&command) && !is_never_cut(line);
        is_too_wide || line.ends_with(' ')
    })
}

/// What is copied from the screen, or read by its first column.
fn is_never_cut(line: &str) -> bool {
    let text = line.trim_start();
    let is_command =
        text.trim_start_matches("hint: ").trim_start_matches("next: ").starts_with("interagent ")
            || text.contains("$ interagent ");
    let is_told = text.starts_with("Tell ");
    let is_of_a_change = text.starts_with(['+', '-', '@']);
    let is_one_word = !text.contains(' ');
    is_command || is_told || is_of_a_change || is_one_word
}

#[test]
fn only_what_is_copied_may_be_wider() {
    let shown = "short\nthis is too wide\n  interagent read it\nsrc/a/long/path.rs\n+ an added line\nends \n";
    let found: Vec<&str> = overflows("read", shown, 10).collect();
    assert_eq!(found, ["this is too wide", "ends "]);
    assert_eq!(overflows("relay", shown, 10).collect::<Vec<_>>(), ["ends "]);
}
