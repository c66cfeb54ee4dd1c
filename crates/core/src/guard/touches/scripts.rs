//! Files that small scripts on the command line write: of awk, sed and ed. Their languages are read as far as writing goes.

use super::files::operand_places;
use super::{Found, What, Writing};
use crate::guard::shell::{self, Run, Start};

/// What the script of a program writes.
pub(super) fn written(program: &str, run: &Run, found: &mut Found) {
    match program {
        "awk" | "gawk" | "mawk" | "nawk" => {
            let valued = ["-F", "-v", "-f", "--file", "-i", "--include", "--assign", "--field-separator"];
            let from_file = run.known().any(|word| word == "-f" || word.starts_with("--file"));
            let script = operand_places(run, &valued).first().and_then(|at| run.arguments[*at].clone());
            if let Some(script) = script.filter(|_| !from_file) {
                awk(&script, run, found);
            }
        }
        "sed" | "gsed" => {
            let first = operand_places(run, &["-e", "-f", "--expression", "--file"]).first().copied();
            let given = run.arguments.windows(2).filter_map(|pair| match pair {
                [Some(option), script] if matches!(option.as_str(), "-e" | "--expression") => {
                    script.as_deref()
                }
                _ => None,
            });
            let given: Vec<&str> = given.collect();
            let only = first.filter(|_| given.is_empty()).and_then(|at| run.arguments[at].as_deref());
            for script in given.into_iter().chain(only) {
                sed(script, run, found);
            }
        }
        "ed" | "ex" | "vi" | "vim" | "nvim" => {
            let commands = run.arguments.windows(2).filter_map(|pair| match pair {
                [Some(option), Some(command)] if option == "-c" => Some(command.as_str()),
                _ => None,
            });
            let commands: Vec<&str> = commands.chain(run.input.as_deref()).collect();
            let lines = commands.iter().flat_map(|text| text.split(['\n', '|']));
            let named = lines.filter_map(|line| {
                let line = line.trim_start_matches([':', ' ', '%', '!']);
                let name = line.strip_prefix("wq ").or_else(|| line.strip_prefix("w! "));
                name.or_else(|| line.strip_prefix("w ")).or_else(|| line.strip_prefix("W "))
            });
            let names: Vec<String> = named.map(|name| name.trim().to_owned()).collect();
            names.iter().filter(|name| !name.starts_with('!')).for_each(|name| {
                found.write(run, name, Writing::Edit);
            });
        }
        _ => {}
    }
}

/// `w FILE` alone, behind an address, or at the end of a substitution.
fn sed(script: &str, run: &Run, found: &mut Found) {
    for line in script.split('\n') {
        for (at, _) in line.match_indices("w ") {
            let before = line[..at].chars().next_back();
            if before.is_none_or(|c| ";{/|#,$ 0123456789gpiIM}".contains(c)) {
                let name = line[at + 2..].trim();
                // Behind a word it is text: `s/a w b/c/`.
                let is_text = before == Some(' ') && line[..at].trim_end().ends_with(char::is_alphabetic);
                if !name.is_empty() && !is_text {
                    found.write(run, name, Writing::Edit);
                }
            }
        }
    }
}

/// What awk prints into: a text is a file or a command, anything else is known only when it runs.
fn awk(script: &str, run: &Run, found: &mut Found) {
    let chars: Vec<char> = script.chars().collect();
    let (mut at, mut prints, mut depth) = (0, false, 0_usize);
    while at < chars.len() {
        match chars[at] {
            '"' => at = text_at(&chars, at).1,
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            ';' | '}' | '\n' => (prints, depth) = (false, 0),
            '>' if prints && depth == 0 => {
                at += usize::from(chars.get(at + 1) == Some(&'>'));
                redirected(&chars, at + 1, run, found);
                prints = false;
            }
            '|' if prints && depth == 0 && chars.get(at + 1) != Some(&'|') => {
                if let Some((command, _)) = text_behind(&chars, at + 1) {
                    commands(&command, run, found);
                }
                prints = false;
            }
            'p' if word_at(&chars, at, "print") || word_at(&chars, at, "printf") => prints = true,
            's' if word_at(&chars, at, "system") => {
                if let Some((command, _)) = text_behind(&chars, at + "system(".len()) {
                    commands(&command, run, found);
                }
            }
            _ => {}
        }
        at += 1;
    }
}

/// Where awk writes: behind `>`.
fn redirected(chars: &[char], at: usize, run: &Run, found: &mut Found) {
    if let Some((name, _)) = text_behind(chars, at) {
        return found.write(run, &name, Writing::Edit);
    }
    let rest: String = chars[at..].iter().collect();
    let name: String = rest.trim_start().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
    let given = run.known().find_map(|word| {
        word.strip_prefix(&name)?.strip_prefix('=').filter(|_| !name.is_empty()).map(str::to_owned)
    });
    match given {
        Some(file) => found.write(run, &file, Writing::Edit),
        None => found.write_hidden(run, ""),
    }
}

fn word_at(chars: &[char], at: usize, word: &str) -> bool {
    let is_part = |c: Option<&char>| c.is_some_and(|c| c.is_alphanumeric() || *c == '_');
    let fits = word.chars().enumerate().all(|(i, c)| chars.get(at + i) == Some(&c));
    fits && !is_part(at.checked_sub(1).and_then(|before| chars.get(before)))
        && !is_part(chars.get(at + word.chars().count()))
}

/// The text that begins at a quote, and where its closing quote is.
fn text_at(chars: &[char], at: usize) -> (String, usize) {
    let (mut text, mut at) = (String::new(), at + 1);
    while let Some(c) = chars.get(at).filter(|c| **c != '"') {
        if *c == '\\' {
            at += 1;
        }
        text.extend(chars.get(at));
        at += 1;
    }
    (text, at)
}

/// The text that follows, behind blanks.
fn text_behind(chars: &[char], mut at: usize) -> Option<(String, usize)> {
    while chars.get(at).is_some_and(|c| c.is_whitespace()) {
        at += 1;
    }
    (chars.get(at) == Some(&'"')).then(|| text_at(chars, at))
}

/// Scripts in scripts, and commands in one of them, that are followed: each costs as much as a command line.
const DEPTH: usize = 3;
const COMMANDS: usize = 20;

/// What commands do that a script runs.
fn commands(text: &str, run: &Run, found: &mut Found) {
    found.commands += 1;
    if found.depth >= DEPTH || found.commands > COMMANDS {
        return found.add(What::TooMuch);
    }
    let directory = run.directory.as_deref().unwrap_or(&run.near);
    let start = Start { directory, home: None, background: run.background };
    let touches = super::found_in(&shell::follow(text, start).runs, found.depth + 1);
    for touch in touches {
        found.add(touch.what);
    }
}
