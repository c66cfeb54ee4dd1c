//! Which files a program prints or searches, by its arguments. Names alone (`ls`, `find`) are no reading.

use super::files::operands;
use super::{Found, Touch, What, is_of_a_hub, placed};
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
const GIT: [&str; 7] = ["annotate", "blame", "cat-file", "diff", "grep", "show", "archive"];
/// With these they print names and numbers alone.
const SUMMARIES: [&str; 8] =
    ["--stat", "--shortstat", "--numstat", "--name-only", "--name-status", "--summary", "--no-patch", "-s"];

/// The files that a run reads. Those of a hub are found by their names, whatever the program is.
pub(super) fn read(program: &str, run: &Run, found: &mut Found) {
    if program == "git" {
        return printed_by_git(run, found);
    }
    let Some(reader) = READERS.iter().find(|reader| reader.name == program) else { return };
    let given_otherwise = run.known().any(|argument| reader.has_pattern_in(argument));
    let files = operands(run, reader.valued);
    let files = files.get(if given_otherwise { 0 } else { reader.before }..).unwrap_or_default();
    if files.is_empty() && searches_below(program, run) {
        return look(run, ".", found);
    }
    files.iter().filter(|file| **file != "-").for_each(|file| look(run, file, found));
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
    let prints = match words.first().copied() {
        Some("log") => has(&["-p", "--patch", "-u"]),
        // Here `-s` only leaves out the authors.
        Some("blame" | "annotate") => true,
        Some(verb) => GIT.contains(&verb) && !has(&SUMMARIES),
        None => false,
    };
    if prints {
        let mut arguments = run.known();
        let place =
            arguments.find(|argument| *argument == "-C").and_then(|_| arguments.next()).unwrap_or(".");
        look(run, path::tidy(place).as_str(), found);
    }
}
