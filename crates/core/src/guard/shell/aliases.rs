//! Aliases of git, where the command line itself makes them.

use super::command::Command;
use super::values::Shell;
use crate::guard::path;

/// What an alias of git stands for.
pub(super) enum Alias {
    /// Another command of git.
    Words(Command),
    /// A text for a shell, and the directory it begins in where that is another; absent inside where it is not known.
    Text(String, Option<Option<String>>),
}

/// Options of git itself whose value is the next argument.
const VALUED: [&str; 7] =
    ["-C", "--attr-source", "--config-env", "--exec-path", "--git-dir", "--namespace", "--work-tree"];

/// What a command of git becomes where its verb is an alias that is known.
pub(super) fn expanded(command: &Command, shell: &Shell) -> Option<Alias> {
    let mut made: Vec<(String, String)> = by_variables(command);
    let mut directory = None;
    let mut at = 1;
    loop {
        let word = command.words.get(at)?.as_deref()?;
        let value = || command.words.get(at + 1).cloned().flatten();
        match word {
            "-c" => {
                made.extend(value().as_deref().and_then(alias_in));
                at += 2;
            }
            "-C" => {
                directory = Some(value());
                at += 2;
            }
            word if VALUED.contains(&word) => at += 2,
            word if word.starts_with('-') => at += 1,
            _ => break,
        }
    }
    let verb = command.words[at].as_deref()?;
    let of_line = made.iter().rev().find(|(name, _)| name.eq_ignore_ascii_case(verb));
    let text = match of_line {
        Some((_, text)) => text.clone(),
        None => shell.aliases.get(&format!("git {verb}"))?.clone(),
    };
    let rest = command.words_as_text(at + 1);
    if let Some(script) = text.strip_prefix('!') {
        return Some(Alias::Text(format!("{script} {rest}"), directory));
    }
    let mut words: Vec<Option<String>> = command.words[..at].to_vec();
    // The alias itself is not expanded again.
    let is_it =
        |word: &Option<String>| word.as_deref().and_then(alias_in).is_some_and(|(name, _)| name == verb);
    while let Some(place) = words.iter().position(is_it) {
        words.drain(place.saturating_sub(1)..=place);
    }
    words.extend(text.split_whitespace().map(|word| Some(word.trim_matches(['"', '\'']).to_owned())));
    words.extend(command.words[at + 1..].iter().cloned());
    let listed = words.iter().map(|word| word.is_none().then(String::new)).collect();
    let scripts = words.iter().map(|word| word.clone().unwrap_or_default()).collect();
    Some(Alias::Words(Command { words, listed, scripts, ..command.clone() }))
}

/// Remembers an alias that `git config` makes.
pub(super) fn learn(command: &Command, shell: &mut Shell) {
    let mut words = command.words[1..].iter().map(|word| word.as_deref().unwrap_or_default());
    if words.find(|word| !word.starts_with('-') && !path::file_name(word).is_empty()) != Some("config") {
        return;
    }
    let rest: Vec<&str> = words.filter(|word| !word.starts_with('-') && *word != "set").collect();
    if let [name, text] = rest.as_slice()
        && let Some(name) = alias_name(name)
    {
        shell.aliases.insert(format!("git {name}"), (*text).to_owned());
    }
}

/// `alias.NAME=TEXT`
fn alias_in(setting: &str) -> Option<(String, String)> {
    let (name, text) = setting.split_once('=')?;
    Some((alias_name(name)?.to_owned(), text.to_owned()))
}

fn alias_name(setting: &str) -> Option<&str> {
    let (section, name) = setting.split_once('.')?;
    section.eq_ignore_ascii_case("alias").then_some(name)
}

/// `GIT_CONFIG_KEY_0=alias.NAME GIT_CONFIG_VALUE_0=TEXT`
fn by_variables(command: &Command) -> Vec<(String, String)> {
    let of = |wanted: &str| {
        let set = command.settings.iter().find(|(name, _)| name == wanted);
        set.and_then(|(_, value)| value.clone())
    };
    let keys = command.settings.iter().filter_map(|(name, value)| {
        let number = name.strip_prefix("GIT_CONFIG_KEY_")?;
        let alias = alias_name(value.as_deref()?)?.to_owned();
        Some((alias, of(&format!("GIT_CONFIG_VALUE_{number}"))?))
    });
    keys.collect()
}
