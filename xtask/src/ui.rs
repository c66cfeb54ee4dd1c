//! The only door of the task runner to the terminal.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "this module is where the task runner prints")]

use std::io::Write as _;

/// Prints one line for the reader.
pub(crate) fn line(text: &str) {
    println!("{text}");
}

/// Prints the start of a line and shows it at once, because the rest may take minutes.
pub(crate) fn start_of_line(text: &str) {
    print!("{text}");
    // A closed standard output is noticed by the next whole line.
    let _ = std::io::stdout().flush();
}

/// Prints what went wrong.
pub(crate) fn error(text: &str) {
    eprintln!("error: {text}");
}
