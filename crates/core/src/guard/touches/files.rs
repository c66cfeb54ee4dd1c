//! Which files a program writes, by its arguments.

use super::{Found, What, Writing, is_of_a_hub, placed};
use crate::guard::path;
use crate::guard::shell::{Run, found_below};

/// Arguments without options, as far as they are known. `valued` are options whose value is the next argument.
pub(super) fn operands<'r>(run: &'r Run, valued: &[&str]) -> Vec<&'r str> {
    operand_places(run, valued).into_iter().filter_map(|place| run.arguments[place].as_deref()).collect()
}

/// Where the arguments stand that are no options; what is not known counts as none.
pub(super) fn operand_places(run: &Run, valued: &[&str]) -> Vec<usize> {
    let mut found = Vec::new();
    let mut arguments = run.arguments.iter().enumerate();
    let mut only_operands = false;
    while let Some((place, argument)) = arguments.next() {
        match argument.as_deref() {
            Some("--") if !only_operands => only_operands = true,
            Some(option) if !only_operands && option.starts_with('-') && option != "-" => {
                if valued.contains(&option) {
                    arguments.next();
                }
            }
            _ => found.push(place),
        }
    }
    found
}

fn has_flag(run: &Run, short: char, long: &str) -> bool {
    run.known().any(|argument| {
        argument == long
            || (argument.starts_with('-') && !argument.starts_with("--") && argument[1..].contains(short))
    })
}

/// Where output is redirected to.
pub(super) fn redirected(run: &Run, found: &mut Found) {
    for path in &run.writes {
        found.write(run, path, Writing::Edit);
    }
    for begins in &run.hides {
        found.write_hidden(run, begins);
    }
    for path in &run.reads {
        found.look(run, path);
    }
}

/// Files that a program writes.
pub(super) fn written(program: &str, run: &Run, found: &mut Found) {
    match program {
        "tee" | "touch" | "truncate" | "mkdir" | "shred" | "unlink" => {
            for place in operand_places(run, &["-s", "--size", "-r", "-d", "-t", "-m", "--mode"]) {
                found.write_argument(run, place, Writing::Edit);
            }
        }
        "chmod" => {
            let is_flag = |argument: &&str| {
                argument.starts_with("--")
                    || argument
                        .strip_prefix('-')
                        .is_some_and(|rest| rest.chars().all(|c| "RvcfHLPh".contains(c)))
            };
            let all_below = has_flag(run, 'R', "--recursive");
            // The mode comes first, and may begin with a dash, too.
            for path in run.known().filter(|argument| !is_flag(argument)).skip(1) {
                found.write(run, path, Writing::Edit);
                if all_below {
                    found.write(run, &format!("{}/**", path.trim_end_matches('/')), Writing::Edit);
                }
            }
        }
        "rm" | "rmdir" => {
            let how = if program == "rmdir" { Writing::Edit } else { Writing::Remove };
            for place in operand_places(run, &[]) {
                found.write_argument(run, place, how);
            }
        }
        "sed" | "gsed" | "perl" | "ruby" if edits_in_place(program, run) => {
            let scripts = run.known().any(|argument| is_script_option(program, argument));
            let valued: &[&str] = match program {
                "sed" | "gsed" => &["-e", "-f", "--expression", "--file"],
                _ => &["-e", "-E", "-pe", "-ne", "-pie", "-pi.bak", "-r", "-I"],
            };
            rewritten(run, valued, usize::from(!scripts), found);
        }
        "awk" | "gawk" if run.arguments.windows(2).any(is_in_place) => {
            let scripts = run.known().any(|argument| matches!(argument, "-f" | "--file" | "-e" | "--source"));
            let valued = ["-i", "--include", "-v", "-F", "-f", "--file", "-e", "--source"];
            rewritten(run, &valued, usize::from(!scripts), found);
        }
        "cp" | "install" | "ln" | "rsync" | "scp" => {
            let valued = ["-t", "--target-directory", "-m", "-o", "-g", "-S", "-e", "--exclude"];
            copied(program, run, &valued, found);
        }
        "mv" => {
            let valued = ["-t", "--target-directory", "-S"];
            let places = operand_places(run, &valued);
            let all = value_of(run, "-t", "--target-directory").is_some();
            let sources = if all { places.as_slice() } else { places.split_last().map_or(&[][..], |p| p.1) };
            sources.iter().for_each(|place| found.write_argument(run, *place, Writing::Remove));
            copied(program, run, &valued, found);
        }
        "dd" => {
            for path in run.known().filter_map(|argument| argument.strip_prefix("of=")) {
                found.write(run, path, Writing::Edit);
            }
            // Of `of=$F` no more is known than that it may be any of its options.
            for place in (0..run.arguments.len()).filter(|place| run.arguments[*place].is_none()) {
                found.write_argument(run, place, Writing::Edit);
            }
        }
        "find" => {
            if run.known().any(|argument| argument == "-delete") {
                found.write(run, &found_below(&run.arguments), Writing::Remove);
            }
            for pair in run.arguments.windows(2) {
                if let [Some(option), _] = pair
                    && matches!(option.as_str(), "-fprint" | "-fprint0" | "-fprintf" | "-fls")
                    && let Some(file) = &pair[1]
                {
                    found.write(run, file, Writing::Edit);
                }
            }
        }
        _ => {}
    }
}

/// What a copy writes: in a directory the sources keep their names. A link is another name for its source.
fn copied(program: &str, run: &Run, valued: &[&str], found: &mut Found) {
    let places = operand_places(run, valued);
    let into = value_of(run, "-t", "--target-directory");
    let (sources, target) = match (into, places.split_last()) {
        (Some(_), _) => (places.as_slice(), None),
        // `ln -s ../x/y` makes y here; alone, other programs copy nothing.
        (None, Some((target, []))) if program != "ln" => {
            return if run.arguments[*target].is_none() {
                found.write_argument(run, *target, Writing::Edit);
            };
        }
        (None, Some((target, sources))) => (sources, Some(*target)),
        (None, None) => return,
    };
    let name_of = |place: &usize| run.arguments[*place].as_deref().map(path::file_name);
    let target_name = target.and_then(|place| run.arguments[place].as_deref());
    if let Some(place) = target {
        found.write_argument(run, place, Writing::Edit);
    }
    let is_directory = |target: &str| target.ends_with('/') || target == "." || sources.len() > 1;
    let directory = into.or(target_name.filter(|target| is_directory(target)));
    for source in sources {
        if let Some((directory, name)) = directory.zip(name_of(source)) {
            found.write(run, &format!("{}/{name}", directory.trim_end_matches('/')), Writing::Edit);
        }
    }
    let links = program == "ln" || (program == "cp" && has_flag(run, 'l', "--link"));
    if let (true, Some(target), [source]) = (links, target_name, sources)
        && let Some(source) = run.arguments[*source].as_deref()
    {
        linked(program, run, source, target, found);
    }
}

/// Remembers the name that `ln` or `cp -l` makes.
fn linked(program: &str, run: &Run, source: &str, target: &str, found: &mut Found) {
    let target = match target.ends_with('/') || target == "." {
        true => format!("{target}/{}", path::file_name(source)),
        false => target.to_owned(),
    };
    let Some(made) = placed(run, &target) else { return };
    let is_symbolic = program == "ln" && has_flag(run, 's', "--symbolic");
    let real = match (is_symbolic, made.rsplit_once('/')) {
        (true, Some((directory, _))) => Some(path::join(directory, source)),
        _ => placed(run, source),
    };
    if let Some(real) = real {
        found.link(made, real);
    }
}

/// The files that a program changes in place. Without an option for it the first operand is the script.
fn rewritten(run: &Run, valued: &[&str], scripts: usize, found: &mut Found) {
    for place in operand_places(run, valued).into_iter().skip(scripts) {
        found.write_argument(run, place, Writing::Edit);
    }
}

/// The value of an option, as the next argument or behind `=`.
pub(super) fn value_of<'r>(run: &'r Run, short: &str, long: &str) -> Option<&'r str> {
    let mut arguments = run.known();
    while let Some(argument) = arguments.next() {
        if argument == short || argument == long {
            return arguments.next();
        }
        if let Some(value) = argument.strip_prefix(long).and_then(|rest| rest.strip_prefix('=')) {
            return Some(value);
        }
    }
    None
}

fn edits_in_place(program: &str, run: &Run) -> bool {
    // Behind these the rest of the word is a value: `-Mstrict` is no `-i`.
    let valued = if matches!(program, "perl" | "ruby") { "CDeEFIMmrx" } else { "efl" };
    run.known().take_while(|argument| *argument != "--").any(|argument| {
        let letters = argument.strip_prefix('-').filter(|rest| !rest.starts_with('-')).unwrap_or_default();
        argument.starts_with("--in-place")
            || letters.chars().take_while(|c| !valued.contains(*c)).any(|c| c == 'i')
    })
}

/// `awk -i inplace`
fn is_in_place(pair: &[Option<String>]) -> bool {
    matches!(pair, [Some(option), Some(name)] if matches!(option.as_str(), "-i" | "--include") && name == "inplace")
}

fn is_script_option(program: &str, argument: &str) -> bool {
    match program {
        "perl" | "ruby" => {
            argument.starts_with('-') && !argument.starts_with("--") && argument.ends_with(['e', 'E'])
        }
        _ => {
            argument == "-e"
                || argument == "-f"
                || argument.starts_with("--expression")
                || argument.starts_with("--file")
        }
    }
}

/// Programs that print names and what the file system knows of a file, or print nothing: `wc` reads, and prints counts.
/// Those that change files are found as writing; our own program asks the hub, which judges for itself.
const NAMES_ONLY: [&str; 45] = [
    ":",
    "[",
    "b2sum",
    "basename",
    "chgrp",
    "chmod",
    "chown",
    "cksum",
    "df",
    "dir",
    "dirname",
    "du",
    "echo",
    "expr",
    "false",
    "fd",
    "fdfind",
    "file",
    "find",
    "fuser",
    "hash",
    "interagent",
    "kill",
    "locate",
    "ls",
    "lsof",
    "md5sum",
    "mkdir",
    "printf",
    "pwd",
    "readlink",
    "realpath",
    "rm",
    "rmdir",
    "sha1sum",
    "sha256sum",
    "sha512sum",
    "stat",
    "test",
    "touch",
    "tree",
    "true",
    "unlink",
    "vdir",
    "wc",
];

/// Whether a program says nothing of what is in the files that it is given. A shell runs them, which is development.
pub(super) fn tells_names_only(program: &str) -> bool {
    NAMES_ONLY.contains(&program)
        || matches!(program, "command" | "type" | "whereis" | "which")
        || matches!(program, "bash" | "dash" | "ksh" | "sh" | "zsh")
}

/// Files of a hub that a program is given by name.
pub(super) fn looked_at(program: &str, run: &Run, found: &mut Found) {
    if tells_names_only(program) {
        return;
    }
    // Where a copy goes, nothing is read.
    let copies = matches!(program, "cp" | "install" | "mv" | "rsync");
    let is_target = |path: &String, found: &Found| {
        let written = What::Write { path: path.clone(), how: Writing::Edit };
        copies && found.touches.iter().any(|touch| touch.what == written)
    };
    for given in run.known().filter(|given| given.contains(".interagent")) {
        let path = placed(run, given).filter(|path| is_of_a_hub(path));
        if let Some(path) = path.filter(|path| !is_target(path, found)) {
            found.add(What::Look { path });
        }
    }
    // `cd .interagent/tasks && cat x`
    if run.directory.as_deref().is_some_and(is_of_a_hub) {
        let inside = run.known().filter(|given| !given.starts_with('-') && !given.contains(".interagent"));
        let paths: Vec<String> = inside.filter_map(|given| placed(run, given)).collect();
        paths.into_iter().filter(|path| is_of_a_hub(path)).for_each(|path| found.add(What::Look { path }));
    }
}
