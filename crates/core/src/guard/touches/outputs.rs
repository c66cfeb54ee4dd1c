//! Programs that write the file an option names, or replace the files they are given.

use super::files::{operand_places, value_of};
use super::git::Git;
use super::{Found, Writing};
use crate::guard::shell::Run;

/// Programs, and the options whose value is a file that they write.
const OPTIONS: [(&str, &[&str]); 18] = [
    ("age", &["-o", "--output"]),
    ("bison", &["-o", "--output"]),
    ("dot", &["-o"]),
    ("ffmpeg", &[]),
    ("flex", &["-o"]),
    ("gpg", &["-o", "--output"]),
    ("iconv", &["-o", "--output"]),
    ("openssl", &["-out"]),
    ("pandoc", &["-o", "--output"]),
    ("protoc", &["-o", "--descriptor_set_out"]),
    ("shuf", &["-o", "--output"]),
    ("sort", &["-o", "--output"]),
    ("strace", &["-o", "--output"]),
    ("time", &["-o", "--output"]),
    ("xmllint", &["--output", "-o"]),
    ("xsltproc", &["-o", "--output"]),
    ("yq", &[]),
    ("zip", &["-O", "--output-file"]),
];

/// Programs that write every file they are given.
const ALL: [&str; 8] = ["dos2unix", "ed", "fallocate", "mac2unix", "sponge", "unix2dos", "vim", "vi"];

/// Programs that read their first file and write their second.
const SECOND: [&str; 4] = ["a2ps", "ps2pdf", "uniq", "xxd"];

/// Programs that put a file of another name in the place of each that they are given, and the end of that name.
const PACKERS: [(&str, &str); 10] = [
    ("bunzip2", ".bz2"),
    ("bzip2", ".bz2"),
    ("gunzip", ".gz"),
    ("gzip", ".gz"),
    ("lzma", ".lzma"),
    ("pigz", ".gz"),
    ("unxz", ".xz"),
    ("unzstd", ".zst"),
    ("xz", ".xz"),
    ("zstd", ".zst"),
];

/// What such a program writes.
pub(super) fn written(program: &str, run: &Run, found: &mut Found) {
    for name in OPTIONS.iter().filter(|(name, _)| *name == program).flat_map(|(_, options)| *options) {
        option(run, name, found);
    }
    if let Some((_, end)) = PACKERS.iter().find(|(name, _)| *name == program) {
        return packed(program, run, end, found);
    }
    match program {
        "vim" | "vi" | "nvim" if !is_batch(run) => {}
        "ex" => operands(run, &["-c", "--cmd", "-u", "-S"], found),
        "nvim" => operands(run, &["-c", "--cmd", "-u", "-S"], found),
        "yq" | "sd" if run.known().any(|word| matches!(word, "-i" | "--inplace" | "--in-place")) => {
            operand_places(run, &[]).into_iter().skip(1).for_each(|place| {
                found.write_argument(run, place, Writing::Edit);
            });
        }
        "script" => operands(run, &["-c", "--command", "-I", "-O", "-B", "-T", "-m", "-o", "-E"], found),
        "split" => beginning(run, 1, &["-l", "-b", "-n", "-C", "-a", "-t"], "x", found),
        "csplit" => {
            let begins = value_of(run, "-f", "--prefix").unwrap_or("xx").to_owned();
            found.write(run, &format!("{begins}*"), Writing::Edit);
        }
        "tar" | "bsdtar" => archived(run, found),
        "zip" => {
            let places = operand_places(run, &["-b", "-t", "-tt", "-n", "-x", "-i", "-O"]);
            let moves = run.known().any(|word| word == "--move" || is_group(word, 'm'));
            for (at, place) in places.into_iter().enumerate() {
                match at {
                    0 => found.write_argument(run, place, Writing::Edit),
                    _ if moves => found.write_argument(run, place, Writing::Remove),
                    _ => {}
                }
            }
        }
        "git" => git(run, found),
        name if SECOND.contains(&name) => {
            let places = operand_places(run, &["-c", "-g", "-l", "-s", "-f", "-w"]);
            if let Some(place) = places.get(1) {
                found.write_argument(run, *place, Writing::Edit);
            }
        }
        name if ALL.contains(&name) => operands(run, &["-c", "--cmd", "-u", "-S", "-p", "-l", "-o"], found),
        _ => {}
    }
}

/// An editor that runs commands instead of waiting for keys.
fn is_batch(run: &Run) -> bool {
    run.known().any(|word| matches!(word, "-es" | "-e" | "-s" | "-c" | "--headless") || word.starts_with('+'))
}

fn operands(run: &Run, valued: &[&str], found: &mut Found) {
    for place in operand_places(run, valued) {
        found.write_argument(run, place, Writing::Edit);
    }
}

/// The value of an option: the next argument, behind `=`, or, of a short one, the rest of the word.
fn option(run: &Run, name: &str, found: &mut Found) {
    for (place, word) in run.arguments.iter().enumerate() {
        let Some(word) = word.as_deref() else { continue };
        if word == name {
            found.write_argument(run, place + 1, Writing::Edit);
        } else if let Some(value) = word.strip_prefix(name)
            && let Some(value) = value.strip_prefix('=').or_else(|| Some(value).filter(|_| name.len() == 2))
        {
            found.write(run, value, Writing::Edit);
        }
    }
}

/// Files whose names begin with an operand.
fn beginning(run: &Run, nth: usize, valued: &[&str], usual: &str, found: &mut Found) {
    match operand_places(run, valued).get(nth) {
        Some(place) => match run.arguments[*place].as_deref() {
            Some(begins) => found.write(run, &format!("{begins}*"), Writing::Edit),
            None => found.write_argument(run, *place, Writing::Edit),
        },
        None => found.write(run, &format!("{usual}*"), Writing::Edit),
    }
}

fn packed(program: &str, run: &Run, end: &str, found: &mut Found) {
    let has = |short: char, long: &str| run.known().any(|word| word == long || is_group(word, short));
    if has('c', "--stdout") || has('t', "--test") || has('l', "--list") {
        return;
    }
    let unpacks = program.starts_with("un") || program.starts_with("bun") || program == "gunzip";
    let unpacks = unpacks || has('d', "--decompress") || has('d', "--uncompress");
    let keeps = has('k', "--keep") || (program.ends_with("zstd") && !has('\0', "--rm"));
    for place in operand_places(run, &["-S", "--suffix", "-T", "--threads", "-o"]) {
        if !keeps {
            found.write_argument(run, place, Writing::Remove);
        }
        if let Some(name) = run.arguments[place].as_deref() {
            let made = match unpacks {
                true => name.strip_suffix(end).unwrap_or(name).to_owned(),
                false => format!("{name}{end}"),
            };
            found.write(run, &made, Writing::Edit);
        }
    }
}

/// The archive that `tar` writes, and the files that it takes away once they are in it.
fn archived(run: &Run, found: &mut Found) {
    let old = run.known().next().filter(|word| !word.starts_with('-')).is_some();
    let first = run.known().next().unwrap_or_default().to_owned();
    let makes = |word: &str| {
        matches!(word, "--create" | "--append" | "--update")
            || ['c', 'r', 'u'].iter().any(|mode| is_group(word, *mode))
    };
    if run.known().any(makes) || (old && first.contains(['c', 'r', 'u'])) {
        let place = match old && first.contains('f') {
            true => Some(1),
            false => run.arguments.iter().position(|word| {
                word.as_deref()
                    .is_some_and(|word| word == "--file" || (is_group(word, 'f') && word.ends_with('f')))
            }),
        };
        let place = place.map(|at| if old && first.contains('f') { at } else { at + 1 });
        if let Some(place) =
            place.filter(|at| run.arguments.get(*at).is_some_and(|f| f.as_deref() != Some("-")))
        {
            found.write_argument(run, place, Writing::Edit);
        }
        if let Some(file) = run.known().find_map(|word| word.strip_prefix("--file=")) {
            found.write(run, file, Writing::Edit);
        }
    }
    if run.known().any(|word| word == "--remove-files") {
        let places =
            operand_places(run, &["-C", "--directory", "-f", "-cf", "--file", "--exclude", "-T", "-X"]);
        for place in places.into_iter().skip(usize::from(old) * 2) {
            found.write_argument(run, place, Writing::Remove);
        }
    }
}

/// Commands of git that write a file of any name.
fn git(run: &Run, found: &mut Found) {
    let Some(git) = Git::of(run) else { return };
    match git.verb {
        "archive" => {
            option(run, "-o", found);
            option(run, "--output", found);
        }
        "diff" | "log" | "show" | "diff-tree" | "range-diff" => option(run, "--output", found),
        "format-patch" => {
            for name in ["-o", "--output-directory"] {
                if let Some(directory) = value_of(run, name, name) {
                    found.write(run, &format!("{}/*.patch", directory.trim_end_matches('/')), Writing::Edit);
                }
            }
        }
        "bundle" => {
            let mut words = run.arguments.iter().enumerate();
            words.find(|(_, word)| word.as_deref() == Some("create"));
            let file = words.find(|(_, word)| !word.as_deref().is_some_and(|word| word.starts_with('-')));
            if let Some((place, _)) = file {
                found.write_argument(run, place, Writing::Edit);
            }
        }
        _ => {}
    }
}

/// Whether a word is short options with this one among them.
fn is_group(word: &str, flag: char) -> bool {
    word.strip_prefix('-').is_some_and(|rest| !rest.starts_with('-') && rest.contains(flag))
}
