//! Tools that write many files, or files that they name themselves: formatters, archives, downloads.

use super::files::{operand_places, value_of};
use super::patches::below;
use super::{Found, What, Writing, placed};
use crate::guard::path;
use crate::guard::shell::Run;

/// A program that rewrites the files it is given, or without any all that are there.
struct Formatter {
    name: &'static str,
    /// Its first word.
    verb: &'static str,
    /// It writes only with one of these; none: always.
    with: &'static [&'static str],
    /// Options whose value is the next argument.
    valued: &'static [&'static str],
}

const fn formatter(name: &'static str, verb: &'static str, with: &'static [&'static str]) -> Formatter {
    Formatter {
        name,
        verb,
        with,
        valued: &["-c", "-l", "-t", "--config", "--edition", "--ext", "--line-length"],
    }
}

const FORMATTERS: [Formatter; 16] = [
    formatter("autopep8", "", &["-i", "--in-place"]),
    formatter("black", "", &[]),
    formatter("cargo", "clippy", &["--fix"]),
    formatter("cargo", "fix", &[]),
    formatter("cargo", "fmt", &[]),
    formatter("clang-format", "", &["-i"]),
    formatter("eslint", "", &["--fix"]),
    formatter("go", "fmt", &[]),
    formatter("gofmt", "", &["-w"]),
    formatter("goimports", "", &["-w"]),
    formatter("isort", "", &[]),
    formatter("prettier", "", &["--write", "-w"]),
    formatter("ruff", "check", &["--fix"]),
    formatter("ruff", "format", &[]),
    formatter("rustfmt", "", &[]),
    formatter("shfmt", "", &["-w"]),
];

/// With one of these a formatter only says what it would do.
const ONLY_LOOKS: [&str; 7] = ["--check", "--check-only", "--diff", "--help", "--version", "-V", "-h"];

/// Programs that run a tool of the project, and the word after which they do.
const RUNNERS: [(&str, &str); 11] = [
    ("bundle", "exec"),
    ("bunx", ""),
    ("npm", "exec"),
    ("npx", ""),
    ("pnpm", "exec"),
    ("pnpx", ""),
    ("poetry", "run"),
    ("python", "-m"),
    ("python3", "-m"),
    ("uv", "run"),
    ("uvx", ""),
];

/// Options of curl that take a value.
const CURL_VALUED: &str = "AbcCdDeEFHhKmoPQrtTuUwxXyYz";

/// What such a tool writes.
pub(super) fn written(program: &str, run: &Run, found: &mut Found) {
    if let Some(inner) = inner(program, run) {
        return formatted(inner.program.as_deref().unwrap_or_default(), &inner, found);
    }
    match program {
        "tar" | "bsdtar" if extracts(run) => {
            below(run, value_of(run, "-C", "--directory").unwrap_or("."), found);
        }
        "unzip" => {
            let only_looks = |word: &str| matches!(word, "-l" | "-p" | "-t" | "-v" | "-Z" | "-h");
            if !run.known().any(only_looks) && !run.arguments.is_empty() {
                below(run, value_of(run, "-d", "-d").unwrap_or("."), found);
            }
        }
        "curl" => match short_value(run, 'o', "fsSLkgi#").or_else(|| value_of(run, "-o", "--output")) {
            Some(file) => to_file(run, Some(file), found),
            None if run.known().any(|word| word == "--remote-name" || is_flag(word, 'O', CURL_VALUED)) => {
                fetched(run, value_of(run, "--output-dir", "--output-dir"), found);
            }
            None => {}
        },
        "wget" => {
            let file = short_value(run, 'O', "qncvNcSd").or_else(|| value_of(run, "-O", "--output-document"));
            match file {
                Some(file) => to_file(run, Some(file), found),
                None if run
                    .known()
                    .any(|word| matches!(word, "--spider" | "--version" | "--help" | "-h")) => {}
                None => fetched(run, value_of(run, "-P", "--directory-prefix"), found),
            }
        }
        _ => formatted(program, run, found),
    }
}

fn formatted(program: &str, run: &Run, found: &mut Found) {
    let first = run.known().find(|word| !word.starts_with(['+', '-']));
    let is_called =
        |tool: &&Formatter| tool.name == program && (tool.verb.is_empty() || first == Some(tool.verb));
    let Some(tool) = FORMATTERS.iter().find(is_called) else { return };
    let has = |words: &[&str]| run.known().any(|word| words.contains(&word));
    if has(&ONLY_LOOKS) || !(tool.with.is_empty() || has(tool.with)) {
        return;
    }
    // What these are given are packages, or options of another program.
    let takes_files = !matches!(tool.name, "cargo" | "go");
    let places = operand_places(run, tool.valued).into_iter().filter(|_| takes_files);
    let places: Vec<usize> = places.skip(usize::from(!tool.verb.is_empty())).collect();
    if places.is_empty() {
        return changed(run, ".", found);
    }
    for place in places {
        match run.arguments[place].as_deref() {
            Some(all)
                if matches!(all, "." | "./" | "*") || all.trim_start_matches("./").starts_with("**") =>
            {
                changed(run, ".", found);
            }
            _ => found.write_argument(run, place, Writing::Edit),
        }
    }
}

/// What a runner runs.
fn inner(program: &str, run: &Run) -> Option<Run> {
    let (_, verb) = RUNNERS.iter().find(|(name, _)| *name == program)?;
    let words: Vec<&str> = run.arguments.iter().map(|word| word.as_deref().unwrap_or_default()).collect();
    let skipped = if verb.is_empty() { 0 } else { usize::from(words.first() == Some(verb)) };
    if skipped == 0 && !verb.is_empty() {
        return None;
    }
    let at = skipped + words[skipped..].iter().position(|word| !word.starts_with('-'))?;
    Some(Run {
        program: Some(path::file_name(words[at]).to_owned()),
        arguments: run.arguments[at + 1..].to_vec(),
        listed: run.listed.get(at + 1..).unwrap_or_default().to_vec(),
        ..run.clone()
    })
}

/// Files below a directory are changed; which ones is not known.
fn changed(run: &Run, directory: &str, found: &mut Found) {
    if let Some(directory) = placed(run, directory) {
        found.add(What::Change { directory });
    }
}

fn to_file(run: &Run, file: Option<&str>, found: &mut Found) {
    if let Some(file) = file.filter(|file| *file != "-") {
        found.write(run, file, Writing::Edit);
    }
}

/// Files that are called as their address ends.
fn fetched(run: &Run, directory: Option<&str>, found: &mut Found) {
    for address in run.known().filter(|word| word.contains("://")) {
        let address = address.split(['?', '#']).next().unwrap_or(address);
        let rest = address.split_once("://").map_or("", |(_, rest)| rest);
        let name = rest.rsplit_once('/').map(|(_, name)| name).filter(|name| !name.is_empty());
        found.write(
            run,
            &format!("{}/{}", directory.unwrap_or("."), name.unwrap_or("index.html")),
            Writing::Edit,
        );
    }
}

/// `tar xzf`, `tar -xzf`, `tar --extract`, but not to standard output.
fn extracts(run: &Run) -> bool {
    let first = run.known().next().filter(|word| !word.starts_with('-'));
    let has = |flag: char, long: &str| {
        first.is_some_and(|word| word.contains(flag))
            || run.known().any(|word| word == long || is_group(word, flag))
    };
    has('x', "--extract") && !has('O', "--to-stdout")
}

/// Whether a word is short options with this one among them.
fn is_group(word: &str, flag: char) -> bool {
    word.strip_prefix('-').is_some_and(|rest| !rest.starts_with('-') && rest.contains(flag))
}

/// The same, up to the first option behind which the rest of the word is a value: `-XPOST` has no `-O`.
fn is_flag(word: &str, flag: char, valued: &str) -> bool {
    let letters = word.strip_prefix('-').filter(|rest| !rest.starts_with('-')).unwrap_or_default();
    letters.chars().take_while(|letter| !valued.contains(*letter)).any(|letter| letter == flag)
}

/// The value of a short option that stands behind others which take none, such as `-fsSLo x` and `-qO-`.
fn short_value<'r>(run: &'r Run, flag: char, before: &str) -> Option<&'r str> {
    let mut words = run.known();
    while let Some(word) = words.next() {
        let group = word.strip_prefix('-').and_then(|rest| rest.split_once(flag));
        if let Some((_, value)) = group.filter(|(others, _)| others.chars().all(|c| before.contains(c))) {
            return if value.is_empty() { words.next() } else { Some(value) };
        }
    }
    None
}
