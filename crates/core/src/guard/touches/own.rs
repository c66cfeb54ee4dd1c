//! What reaches the hub's own files and the guard itself by other ways than writing a file by its name.

use super::{Found, What, Writing, is_of_a_hub, placed};
use crate::guard::shell::Run;

/// Programs that write files which they are given in ways that only they know.
const WRITERS: [&str; 19] = [
    "bun", "deno", "ed", "emacs", "ex", "litecli", "lua", "nano", "node", "nvim", "perl", "php", "ruby",
    "sqlite", "sqlite3", "tclsh", "usql", "vi", "vim",
];

/// What a run does to the hub's records and to the guard.
pub(super) fn touched(program: &str, run: &Run, found: &mut Found) {
    if program == "interagent" {
        if rearms(run) {
            found.add(What::Rearm);
        }
    } else if runs_scripts(program) && !only_reads(run) {
        records(run, found);
    }
}

/// Whether a program is given its files inside of a script, too.
pub(super) fn runs_scripts(program: &str) -> bool {
    WRITERS.contains(&program) || program.starts_with("python")
}

/// The records of a hub that are named in an argument, alone or inside a script.
fn records(run: &Run, found: &mut Found) {
    let is_around = |c: char| c.is_whitespace() || "'\"`(){}[]<>,;=?".contains(c);
    for word in run.known().chain(run.input.as_deref()).flat_map(|text| text.split(is_around)) {
        let word = word.strip_prefix("file:").unwrap_or(word);
        let is_record = |path: &String| {
            is_of_a_hub(path)
                && path.split('/').skip_while(|part| *part != ".interagent").nth(1) == Some("state")
        };
        if !word.is_empty() && placed(run, word).as_ref().is_some_and(is_record) {
            found.write(run, word, Writing::Edit);
        }
    }
}

fn only_reads(run: &Run) -> bool {
    run.known().any(|argument| matches!(argument, "-readonly" | "--readonly"))
}

/// Whether our own program is asked to put the guard or the hooks of a client, or to take them away.
fn rearms(run: &Run) -> bool {
    let mut verbs = super::files::operands(run, &["--hub", "--color", "--from-agent"]).into_iter();
    match (verbs.next(), verbs.next()) {
        (Some("guard"), Some("install")) => true,
        (Some("setup"), _) => run.known().any(|argument| argument == "--undo"),
        _ => false,
    }
}
