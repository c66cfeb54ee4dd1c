//! What a few commands print, for words such as `$(echo x)` and `$(git rev-parse --show-toplevel)`.
//!
//! Owns which programs say something that can be told without running them. All others print what is not known.

use super::syntax::{Node, Simple, Step};
use super::values::Shell;
use crate::guard::path;

/// The longest text that is followed: words that hold themselves would grow without end.
const PRINTED_BYTES: usize = 4_096;

/// Programs that print one name without a slash, whatever it is.
const NAMES: [&str; 9] = ["date", "hostname", "id", "nproc", "tty", "uname", "uuidgen", "wc", "whoami"];

/// What commands print, where that is known. One name that is not known is `*`.
pub(super) fn printed(steps: &[Step], shell: &Shell) -> Option<String> {
    let [Step { node: Node::Simple(simple), .. }] = steps else { return None };
    let words: Vec<String> =
        simple.words.iter().flat_map(|word| shell.fields(word)).collect::<Option<Vec<_>>>()?;
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let (program, arguments) = words.split_first()?;
    let text = of_program(path::file_name(program), arguments, simple, shell)?;
    let text = text.trim_end_matches('\n');
    (text.len() <= PRINTED_BYTES).then(|| text.to_owned())
}

fn of_program(program: &str, arguments: &[&str], simple: &Simple, shell: &Shell) -> Option<String> {
    match (program, arguments) {
        ("pwd", _) => shell.directory.clone(),
        ("echo" | "printf", _) => said(program, arguments),
        ("mktemp", rest) if rest.iter().all(|word| word.starts_with('-')) => Some("/tmp/mktemp".to_owned()),
        ("which", [name]) | ("command", ["-v", name]) => Some((*name).to_owned()),
        ("dirname", [name]) => Some(match name.trim_end_matches('/').rsplit_once('/') {
            Some(("", _)) => "/".to_owned(),
            Some((directory, _)) => directory.to_owned(),
            None => ".".to_owned(),
        }),
        ("basename", [name]) => Some(path::file_name(name).to_owned()),
        ("realpath" | "readlink", [.., name]) if !name.starts_with('-') => Some((*name).to_owned()),
        ("cat", []) => simple.input().and_then(|word| shell.value(word)),
        ("git", arguments) => of_git(arguments, shell),
        (name, _) if NAMES.contains(&name) => Some("*".to_owned()),
        _ => None,
    }
}

/// What git prints of where it is. The root of a repository is another directory of the same tree, and it is the tree that
/// counts.
fn of_git(arguments: &[&str], shell: &Shell) -> Option<String> {
    match arguments {
        ["rev-parse", "--show-toplevel"] => shell.directory.clone(),
        ["rev-parse", "--git-dir" | "--git-common-dir" | "--absolute-git-dir"] => {
            shell.directory.as_ref().map(|directory| path::join(directory, ".git"))
        }
        ["branch", "--show-current"]
        | ["rev-parse", "--abbrev-ref", "HEAD"]
        | ["symbolic-ref", "--short", "HEAD"] => Some("HEAD".to_owned()),
        ["rev-parse", "--short" | "--verify", _] | ["rev-parse" | "describe", ..] => {
            let is_id = arguments[0] == "describe"
                || arguments[1..].iter().all(|word| !word.starts_with('-') || *word == "--short");
            is_id.then(|| "*".to_owned())
        }
        _ => None,
    }
}

/// What `echo` and `printf` print.
pub(super) fn said(program: &str, arguments: &[&str]) -> Option<String> {
    if program == "echo" {
        let is_option = |word: &&&str| {
            word.len() > 1
                && word.strip_prefix('-').is_some_and(|rest| rest.chars().all(|c| "neE".contains(c)))
        };
        return Some(
            arguments.iter().skip_while(|word| is_option(word)).copied().collect::<Vec<_>>().join(" "),
        );
    }
    let (format, values) = match arguments {
        ["--", format, values @ ..] => (format, values),
        [format, values @ ..] if !format.starts_with('-') => (format, values),
        _ => return None,
    };
    formatted(format, values)
}

/// What `printf` makes of a format and its values; absent for formats beyond text.
pub(super) fn formatted(format: &str, values: &[&str]) -> Option<String> {
    let mut text = String::new();
    let mut left = values.iter();
    loop {
        let before = left.len();
        let mut chars = format.chars();
        while let Some(c) = chars.next() {
            match c {
                '\\' => text.push(match chars.next()? {
                    'n' => '\n',
                    't' => '\t',
                    '\\' => '\\',
                    _ => return None,
                }),
                '%' => match chars.next()? {
                    's' | 'b' | 'q' | 'd' => text.push_str(left.next().copied().unwrap_or_default()),
                    '%' => text.push('%'),
                    _ => return None,
                },
                c => text.push(c),
            }
            if text.len() > PRINTED_BYTES {
                return None;
            }
        }
        // The format is used again for what is left.
        if left.len() == 0 || left.len() == before {
            return Some(text);
        }
    }
}
