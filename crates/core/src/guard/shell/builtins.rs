//! What the shell does itself: going to directories, setting variables, reading lines, running texts.

use super::command::{Command, is_option};
use super::follow::{Follower, Manner};
use super::printed::formatted;
use super::syntax::{Word, is_name};
use super::values::Shell;

impl Follower {
    /// A variable or array that is set.
    pub(super) fn assigned(&mut self, name: &str, value: &Word, known: Option<String>, shell: &mut Shell) {
        let (name, appends) = name.strip_suffix('+').map_or((name, false), |name| (name, true));
        if let Some(words) = value.list() {
            let mut values = match appends {
                true => shell.arrays.get(name).cloned().unwrap_or_default(),
                false => Vec::new(),
            };
            values.extend(words.iter().flat_map(|word| self.fields(word, shell)));
            return shell.set_all(name, values);
        }
        let known = match (appends, shell.variable(name)) {
            (true, Some(before)) => known.map(|known| format!("{before}{known}")),
            (true, None) => None,
            (false, _) => known,
        };
        let listed = shell.listed(value).filter(|_| known.is_none());
        shell.set(name, known, listed);
    }

    /// Does what the shell does itself. Whether this is such a command.
    pub(super) fn built_in(
        &mut self,
        name: &str,
        command: &Command,
        shell: &mut Shell,
        manner: Manner,
    ) -> bool {
        let arguments = &command.words[1..];
        match name {
            "cd" | "chdir" | "pushd" => {
                let to = arguments.iter().find(|word| !word.as_deref().is_some_and(is_option));
                let home = shell.variable("HOME").map(str::to_owned);
                if name == "pushd" {
                    shell.stack.push(shell.directory.clone());
                }
                match to {
                    Some(to) => shell.go(to.as_deref()),
                    None => shell.go(home.as_deref()),
                }
            }
            "popd" => {
                let to = shell.stack.pop().flatten();
                shell.go(to.as_deref());
            }
            "export" | "declare" | "local" | "readonly" | "typeset" => declared(command, shell),
            "unset" => {
                for argument in arguments.iter().flatten() {
                    shell.variables.remove(argument);
                    shell.functions.remove(argument);
                }
            }
            "set" => {
                let behind = arguments.iter().position(|word| word.as_deref() == Some("--"));
                let first = arguments.first().is_some_and(|word| !word.as_deref().is_some_and(is_set_option));
                match behind {
                    Some(at) => shell.set_all("@", arguments[at + 1..].to_vec()),
                    None if first => shell.set_all("@", arguments.to_vec()),
                    None => {}
                }
            }
            "shift" => {
                let by = arguments.first().and_then(Option::as_deref).map_or(Ok(1), str::parse);
                let mut left = shell.arrays.get("@").cloned().unwrap_or_default();
                left.drain(..by.unwrap_or(0_usize).min(left.len()));
                shell.set_all("@", left);
            }
            "read" => read(command, shell),
            "mapfile" | "readarray" => {
                let name = arguments.iter().flatten().rfind(|word| is_name(word));
                let name = name.map_or("MAPFILE", String::as_str);
                match &command.input {
                    Some(text) => shell.set_all(name, text.lines().map(|l| Some(l.to_owned())).collect()),
                    None => {
                        shell.arrays.remove(name);
                        shell.set(name, None, Some(String::new()));
                        shell.variables.remove(&format!("{name}[0]"));
                    }
                }
            }
            "printf" if arguments.first().and_then(Option::as_deref) == Some("-v") => {
                let known: Option<Vec<&str>> = arguments.iter().skip(2).map(Option::as_deref).collect();
                let text = known.and_then(|known| formatted(known.first()?, &known[1..]));
                if let Some(Some(name)) = arguments.get(1) {
                    let listed = text.is_none().then(String::new);
                    shell.set(name, text, listed);
                }
            }
            "alias" => {
                for (name, text) in arguments.iter().flatten().filter_map(|word| word.split_once('=')) {
                    shell.aliases.insert(name.to_owned(), text.to_owned());
                }
            }
            "unalias" => arguments.iter().flatten().for_each(|name| drop(shell.aliases.remove(name))),
            "eval" => self.text(&command.scripts[1..].join(" "), shell, manner),
            "." | "source" => {
                let file = arguments.first().and_then(Option::as_deref);
                match file.and_then(|file| command.text_in(file)) {
                    Some(text) => self.text(&text, shell, manner),
                    None => return false,
                }
            }
            "trap" => {
                if let Some(script) = command.scripts.get(1) {
                    self.text(script, shell, manner);
                }
            }
            _ => return false,
        }
        true
    }
}

/// `set -e`, but not `set -- x`.
fn is_set_option(word: &str) -> bool {
    word.len() > 1 && word.starts_with(['-', '+'])
}

/// `export F=x`: a value may be known only when it runs.
fn declared(command: &Command, shell: &mut Shell) {
    // `declare -n` makes another name for a variable.
    let is_reference = command.words.iter().flatten().any(|word| word == "-n");
    for (word, script) in command.words.iter().zip(&command.scripts).skip(1) {
        let Some((name, value)) = script.split_once('=').filter(|(name, _)| is_name(name)) else { continue };
        let value = word.as_ref().map(|_| value.to_owned()).filter(|_| !is_reference);
        let listed = value.is_none().then(String::new);
        shell.set(name, value, listed);
    }
}

/// `read a b`: a line goes into variables, the rest of it into the last.
fn read(command: &Command, shell: &mut Shell) {
    let names: Vec<&String> = command.words[1..].iter().flatten().filter(|word| is_name(word)).collect();
    let mut rest = command.input.as_ref().and_then(|text| text.lines().next()).map(str::trim);
    for (place, name) in names.iter().enumerate() {
        let is_last = place + 1 == names.len();
        let value = rest.map(|line| match line.split_once(char::is_whitespace).filter(|_| !is_last) {
            Some((first, behind)) => {
                rest = Some(behind.trim_start());
                first.to_owned()
            }
            None => line.to_owned(),
        });
        // A line that is not wholly known is a text of commands: no name.
        let value = value.filter(|value| !value.contains('$'));
        let listed = value.is_none().then(String::new);
        shell.set(name, value, listed);
    }
}
