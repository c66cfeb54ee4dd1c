//! Which files a program prints or searches, by its arguments. Names alone (`ls`, `find`) are no reading.
//!
//! Programs that are known are read by their arguments. Of any other, each word that is the name of a file counts as read:
//! a list of all programs that print files would never be whole.

use super::files::{operand_places, operands, tells_names_only};
use super::{Found, Touch, What, develop, is_of_a_hub, own, placed};
use crate::decide::lease::has_wildcards;
use crate::guard::path;
use crate::guard::shell::Run;

/// A program that reads the files it is given.
struct Reader {
    name: &'static str,
    /// Operands before the first file: a pattern or a script.
    before: usize,
    /// Options in whose place the pattern or script may be given.
    instead: &'static [&'static str],
    /// Options whose value is the next argument.
    valued: &'static [&'static str],
}

impl Reader {
    /// Whether an option gives the pattern or script: `-e X`, `-eX`, `--regexp=X`. In `-ne X` it is the next operand.
    fn has_pattern_in(&self, argument: &str) -> bool {
        if self.instead.contains(&argument.split_once('=').map_or(argument, |(name, _)| name)) {
            return true;
        }
        let Some(letters) = argument.strip_prefix('-').filter(|rest| !rest.starts_with('-')) else {
            return false;
        };
        let is_in = |options: &[&str], letter: char| {
            options
                .iter()
                .any(|option| option.strip_prefix('-').is_some_and(|name| name == letter.to_string()))
        };
        let ends = |letter: char| is_in(self.instead, letter) || is_in(self.valued, letter);
        let place = letters.char_indices().find(|(_, letter)| ends(*letter));
        place
            .is_some_and(|(at, letter)| is_in(self.instead, letter) && at + letter.len_utf8() < letters.len())
    }
}

const fn plain(name: &'static str, valued: &'static [&'static str]) -> Reader {
    Reader { name, before: 0, instead: &[], valued }
}

const GREP: [&str; 13] = [
    "-A",
    "-B",
    "-C",
    "-m",
    "-e",
    "-f",
    "-d",
    "-D",
    "--include",
    "--exclude",
    "--exclude-dir",
    "--regexp",
    "--file",
];
const RIPGREP: [&str; 15] =
    ["-A", "-B", "-C", "-m", "-e", "-f", "-g", "-t", "-T", "-j", "-M", "-d", "--glob", "--type", "--regexp"];
const ACK: [&str; 6] = ["-A", "-B", "-C", "-m", "-G", "--ignore"];
const SCRIPT: [&str; 4] = ["-e", "-f", "--expression", "--file"];
const AWK: [&str; 6] = ["-F", "-v", "-f", "--file", "-e", "--source"];
const JQ: [&str; 5] = ["-f", "--from-file", "--indent", "-L", "--tab"];

const READERS: [Reader; 32] = [
    plain("bat", &["-l", "--language", "-r", "--line-range", "--style", "--theme"]),
    plain("batcat", &["-l", "--language", "-r", "--line-range", "--style", "--theme"]),
    plain("cat", &[]),
    plain("cmp", &["-n", "-i"]),
    plain("column", &["-s", "-N", "-c", "-o"]),
    plain("comm", &[]),
    plain("cut", &["-d", "-f", "-c", "-b"]),
    plain("diff", &["-U", "-C", "-x", "--exclude"]),
    plain("fold", &["-w"]),
    plain("head", &["-n", "-c", "--lines", "--bytes"]),
    plain("hexdump", &["-n", "-s", "-e"]),
    plain("less", &["-p", "-P"]),
    plain("more", &[]),
    plain("nl", &["-b", "-w", "-s", "-v", "-i"]),
    plain("od", &["-N", "-j", "-t", "-A"]),
    plain("paste", &["-d"]),
    plain("rev", &[]),
    plain("sort", &["-k", "-t", "-o", "-S", "-T"]),
    plain("strings", &["-n", "-t", "-e"]),
    plain("tac", &["-s"]),
    plain("tail", &["-n", "-c", "--lines", "--bytes"]),
    plain("uniq", &["-f", "-s", "-w"]),
    plain("xxd", &["-l", "-s", "-c", "-g"]),
    Reader { name: "ack", before: 1, instead: &["-f", "-g"], valued: &ACK },
    Reader { name: "ag", before: 1, instead: &["-g"], valued: &ACK },
    Reader { name: "awk", before: 1, instead: &["-f", "--file", "-e", "--source"], valued: &AWK },
    Reader { name: "egrep", before: 1, instead: &["-e", "-f", "--regexp", "--file"], valued: &GREP },
    Reader { name: "fgrep", before: 1, instead: &["-e", "-f", "--regexp", "--file"], valued: &GREP },
    Reader { name: "grep", before: 1, instead: &["-e", "-f", "--regexp", "--file"], valued: &GREP },
    Reader { name: "jq", before: 1, instead: &["-f", "--from-file"], valued: &JQ },
    Reader { name: "rg", before: 1, instead: &["-e", "-f", "--regexp", "--files"], valued: &RIPGREP },
    Reader { name: "sed", before: 1, instead: &["-e", "-f", "--expression", "--file"], valued: &SCRIPT },
];

/// Programs that search the directory they run in.
const ALWAYS_BELOW: [&str; 3] = ["ack", "ag", "rg"];
/// Commands of git that print what files say, or said.
const GIT: [&str; 5] = ["archive", "cat-file", "diff", "grep", "show"];
/// Those that print nothing else.
const GIT_ALWAYS: [&str; 5] = ["annotate", "blame", "difftool", "format-patch", "range-diff"];
/// Those that do so when they are asked for it.
const GIT_WITH_PATCH: [&str; 6] = ["diff-files", "diff-index", "diff-tree", "log", "reflog", "whatchanged"];
/// With these they print names and numbers alone.
const SUMMARIES: [&str; 8] =
    ["--stat", "--shortstat", "--numstat", "--name-only", "--name-status", "--summary", "--no-patch", "-s"];

/// The files that a run reads. Those of a hub are found by their names, whatever the program is.
pub(super) fn read(program: &str, run: &Run, found: &mut Found) {
    match program {
        "git" => return printed_by_git(run, found),
        "gh" => return printed_by_gh(run, found),
        _ => {}
    }
    let Some(reader) = READERS.iter().find(|reader| reader.name == program) else {
        return mentioned(program, run, found);
    };
    let given_otherwise = run.known().any(|argument| reader.has_pattern_in(argument));
    let before = if given_otherwise { 0 } else { reader.before };
    let files = operands(run, reader.valued);
    let files = files.get(before..).unwrap_or_default();
    if files.is_empty() && searches_below(program, run) {
        return look(run, ".", found);
    }
    files.iter().filter(|file| **file != "-").for_each(|file| look(run, file, found));
    // Names that commands print, as in `cat $(git ls-files)`.
    for place in operand_places(run, reader.valued).into_iter().skip(before) {
        if let Some(begins) = run.listed.get(place).and_then(Option::as_deref) {
            look(run, if begins.is_empty() { "." } else { begins }, found);
        }
    }
}

/// The words of a program that may be names of files.
fn mentioned(program: &str, run: &Run, found: &mut Found) {
    if tells_names_only(program) || develop::is_development(program, run) {
        return;
    }
    let mut words: Vec<&str> = run.known().flat_map(names_in).collect();
    if own::runs_scripts(program) {
        let is_around = |c: char| c.is_whitespace() || "'\"`(){}[]<>,;=?".contains(c);
        words.extend(run.known().chain(run.input.as_deref()).flat_map(|text| text.split(is_around)));
    }
    words.retain(|word| !word.is_empty() && !word.contains('\n'));
    words.dedup();
    for word in words {
        let Some(path) = placed(run, place_of(word)).filter(|path| !is_of_a_hub(path)) else { continue };
        let is_known = |touch: &Touch| touch.what.place() == Some(path.as_str());
        if !found.touches.iter().any(is_known) {
            found.add(What::Mention { path });
        }
    }
}

/// What may be a name in an argument: `F`, `--file=F`, `if=F`, `@F`, `file:///F`.
fn names_in(argument: &str) -> impl Iterator<Item = &str> {
    let value = argument.split_once('=').map(|(_, value)| value);
    let whole = Some(argument).filter(|argument| !argument.starts_with('-'));
    whole.into_iter().chain(value).filter_map(|word| {
        let word = word.trim_start_matches('@');
        match word.split_once("://") {
            Some(("file", path)) => Some(path.strip_prefix("localhost").unwrap_or(path)),
            Some(_) => None,
            None => Some(word),
        }
    })
}

/// The directory in which a pattern of names is looked for; any other word as it is.
fn place_of(word: &str) -> &str {
    let is_pattern = has_wildcards(word)
        && !word.contains(char::is_whitespace)
        && (word == "*" || word.contains(['/', '.']));
    match word.find(['*', '?', '[', '{']).filter(|_| is_pattern) {
        Some(at) => match word[..at].rsplit_once('/') {
            Some(("", _)) => "/",
            Some((directory, _)) => directory,
            None => ".",
        },
        None => word,
    }
}

fn look(run: &Run, given: &str, found: &mut Found) {
    let Some(path) = placed(run, given).filter(|path| !is_of_a_hub(path)) else { return };
    // `sed -i` reads what it writes.
    let is_written =
        |touch: &Touch| matches!(&touch.what, What::Write { path: written, .. } if *written == path);
    if !found.touches.iter().any(is_written) {
        found.look(run, given);
    }
}

/// `grep -r x` reads everything below, and so does `rg x` unless it is given input.
fn searches_below(program: &str, run: &Run) -> bool {
    if ALWAYS_BELOW.contains(&program) {
        return !run.piped && run.reads.is_empty() && run.input.is_none();
    }
    let is_recursive = |argument: &str| {
        matches!(argument, "--recursive" | "--dereference-recursive")
            || (argument.starts_with('-') && !argument.starts_with("--") && argument.contains(['r', 'R']))
    };
    program.ends_with("grep") && run.known().any(is_recursive)
}

fn printed_by_git(run: &Run, found: &mut Found) {
    let words = operands(run, &["-C", "-c", "--git-dir", "--work-tree"]);
    let has = |names: &[&str]| run.known().any(|argument| names.contains(&argument));
    let begins =
        |with: &[&str]| run.known().any(|argument| with.iter().any(|start| argument.starts_with(start)));
    let has_patch = has(&["-p", "-u"]) || begins(&["-U", "--patch", "--unified"]);
    let prints = match words.as_slice() {
        // `-u` means untracked files here.
        ["stash", "show", ..] => has(&["-p"]) || begins(&["--patch"]),
        // In `blame`, `-s` only leaves out the authors.
        [verb, ..] if GIT_ALWAYS.contains(verb) => true,
        [verb, ..] if GIT_WITH_PATCH.contains(verb) => has_patch || begins(&["-L"]),
        [verb, ..] => GIT.contains(verb) && (has_patch || !has(&SUMMARIES)),
        [] => false,
    };
    if prints {
        let mut arguments = run.known();
        let place =
            arguments.find(|argument| *argument == "-C").and_then(|_| arguments.next()).unwrap_or(".");
        look(run, path::tidy(place).as_str(), found);
    }
}

/// `gh pr diff` prints a change of this repository. Other words may be names of files, as anywhere.
fn printed_by_gh(run: &Run, found: &mut Found) {
    let words = operands(run, &["-R", "--repo"]);
    let names_only = run.known().any(|argument| argument == "--name-only");
    match words.as_slice() {
        ["pr", "diff", ..] if !names_only => look(run, ".", found),
        _ => mentioned("gh", run, found),
    }
}
