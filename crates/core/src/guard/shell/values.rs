//! What a shell knows at one point of a command line, and what its words become there.

use std::collections::HashMap;
use std::rc::Rc;

use super::printed::printed;
use super::syntax::{Node, Part, Step, Word};
use crate::guard::path;

/// The name of a file that holds what commands print.
pub(super) const PROCESS: &str = "/dev/fd/63";

/// What a shell knows at one point of a command line.
#[derive(Clone, Debug, Default)]
pub(super) struct Shell {
    /// Where it is; absent once that is not known.
    pub(super) directory: Option<String>,
    /// The last directory that was known.
    pub(super) near: String,
    pub(super) stack: Vec<Option<String>>,
    /// Variables; absent values are known only when it runs.
    pub(super) variables: HashMap<String, Option<String>>,
    /// Arrays, and the positional parameters as `@`.
    pub(super) arrays: HashMap<String, Vec<Option<String>>>,
    pub(super) functions: HashMap<String, Rc<Node>>,
    /// Names that are put in place of a command, of the shell and (`git NAME`) of git.
    pub(super) aliases: HashMap<String, String>,
    /// Variables that hold what commands print: the directory that begins with, as far as it is known.
    pub(super) listed: HashMap<String, String>,
}

impl Shell {
    /// About how many bytes a copy of it takes.
    pub(super) fn weight(&self) -> usize {
        let length = |value: &Option<String>| value.as_ref().map_or(0, String::len);
        let variables = self.variables.iter().map(|(name, value)| 32 + name.len() + length(value));
        let arrays = self.arrays.values().flatten().map(|value| 32 + length(value));
        let aliases = self.aliases.iter().map(|(name, value)| 32 + name.len() + value.len());
        64 * self.functions.len()
            + variables.chain(self.stack.iter().map(length)).chain(arrays).chain(aliases).sum::<usize>()
    }

    /// What a variable holds. Where temporary files go is no place of a project's, unless it was set to one here.
    pub(super) fn variable(&self, name: &str) -> Option<&str> {
        match (name, self.variables.get(name)) {
            ("PWD", _) => self.directory.as_deref(),
            (_, Some(known)) => known.as_deref(),
            ("TMPDIR" | "TMP" | "TEMP" | "RUNNER_TEMP" | "XDG_RUNTIME_DIR", None) => Some("/tmp"),
            ("BASH" | "SHELL", None) => Some("bash"),
            ("RANDOM" | "SECONDS" | "UID" | "EUID" | "PPID" | "BASHPID" | "EPOCHSECONDS" | "USER", None) => {
                Some("*")
            }
            _ => None,
        }
    }

    /// Sets a variable, with the directory its value begins with where commands print it.
    pub(super) fn set(&mut self, name: &str, value: Option<String>, listed: Option<String>) {
        self.variables.insert(name.to_owned(), value);
        match listed {
            Some(listed) => self.listed.insert(name.to_owned(), listed),
            None => self.listed.remove(name),
        };
    }

    /// Sets an array: each of its values has a name of its own, too.
    pub(super) fn set_all(&mut self, name: &str, values: Vec<Option<String>>) {
        for (place, value) in values.iter().enumerate() {
            let named = match name {
                "@" => (place + 1).to_string(),
                name => format!("{name}[{place}]"),
            };
            let listed = value.is_none().then(String::new);
            self.set(&named, value.clone(), listed);
        }
        if name != "@" {
            let first = values.first().cloned().flatten();
            self.set(name, first, None);
        }
        self.arrays.insert(name.to_owned(), values);
    }

    /// Of a word that only running would tell: the directory it begins with, as far as that is known. Absent for any other.
    pub(super) fn listed(&self, word: &Word) -> Option<String> {
        let mut known = String::new();
        let directory = |known: &str| match known.rsplit_once('/') {
            Some(("", _)) => "/".to_owned(),
            Some((directory, _)) => directory.to_owned(),
            None => String::new(),
        };
        for part in &word.parts {
            match (self.known(part), part) {
                (Some(text), _) => known.push_str(&text),
                (None, Part::Variable { name, .. }) if known.is_empty() => {
                    return Some(self.listed.get(name).cloned().unwrap_or_default());
                }
                (None, _) => return Some(directory(&known)),
            }
        }
        None
    }

    /// Goes to a directory; to an unknown one where it is not known.
    pub(super) fn go(&mut self, to: Option<&str>) {
        let before = self.directory.clone();
        self.directory = match to {
            Some("-") => self.variables.get("OLDPWD").cloned().flatten(),
            Some(to) if to.starts_with('/') => Some(path::tidy(to)),
            Some(to) => self.directory.as_deref().map(|from| path::join(from, to)),
            None => None,
        };
        if let Some(known) = &self.directory {
            self.near.clone_from(known);
        }
        self.variables.insert("OLDPWD".to_owned(), before);
    }

    /// About how many bytes a word becomes.
    pub(super) fn length(&self, word: &Word) -> usize {
        let of_values = |name: &String| {
            let values = self.arrays.get(name).into_iter().flatten();
            values.map(|value| 8 + value.as_ref().map_or(0, String::len)).sum()
        };
        let of_part = |part: &Part| match part {
            Part::Text { text, .. } => text.len(),
            Part::Variable { name, .. } => self.variable(name).map_or(0, str::len),
            Part::All { name, .. } => of_values(name),
            Part::Default { name, other } => self.variable(name).map_or_else(|| self.length(other), str::len),
            Part::List(words) => words.iter().map(|word| self.length(word)).sum(),
            Part::Commands(steps) => match steps.as_slice() {
                // What it prints may be made of its words.
                [Step { node: Node::Simple(simple), .. }] => {
                    simple.words.iter().chain(simple.input()).map(|word| self.length(word)).sum()
                }
                _ => 0,
            },
            Part::Process(_) | Part::Number | Part::Unknown => self.directory.as_ref().map_or(0, String::len),
        };
        word.parts.iter().map(of_part).sum()
    }

    /// What a part of a word becomes, where that is one text.
    fn known(&self, part: &Part) -> Option<String> {
        match part {
            Part::Text { text, .. } => Some(text.clone()),
            Part::Variable { name, .. } => self.variable(name).map(str::to_owned),
            Part::All { name, .. } => {
                let values = self.arrays.get(name)?;
                values.iter().cloned().collect::<Option<Vec<_>>>().map(|values| values.join(" "))
            }
            Part::Default { name, other } => match self.variable(name) {
                Some(value) => Some(value.to_owned()),
                None => self.value(other),
            },
            Part::Commands(steps) => printed(steps, self),
            Part::Process(_) => Some(PROCESS.to_owned()),
            Part::Number => Some("*".to_owned()),
            Part::List(_) | Part::Unknown => None,
        }
    }

    /// The words that a word becomes; absent ones are known only when it runs.
    pub(super) fn fields(&self, word: &Word) -> Vec<Option<String>> {
        if let [Part::All { name, .. }] = word.parts.as_slice()
            && let Some(values) = self.arrays.get(name)
        {
            return values.clone();
        }
        // Two quotes, and behind them all of an array: each value stays one word.
        if let [Part::Text { text, quoted: true }, Part::All { name, quoted: true }] = word.parts.as_slice()
            && text.is_empty()
            && let Some(values) = self.arrays.get(name)
        {
            return values.clone();
        }
        let mut fields = Vec::new();
        let mut field: Option<String> = None;
        for part in &word.parts {
            let Some(known) = self.known(part) else { return vec![None] };
            let is_split =
                matches!(part, Part::Variable { quoted: false, .. } | Part::All { quoted: false, .. });
            if !is_split {
                field.get_or_insert_default().push_str(&known);
                continue;
            }
            // The value of an unquoted variable is split at blanks.
            let mut pieces = known.split_whitespace();
            if let Some(first) = pieces.next() {
                field.get_or_insert_default().push_str(first);
            }
            for piece in pieces {
                fields.push(field.replace(piece.to_owned()));
            }
        }
        fields.extend(field.map(Some));
        fields
    }

    /// The value of a word that is not split, such as an assignment's.
    pub(super) fn value(&self, word: &Word) -> Option<String> {
        word.parts.iter().map(|part| self.known(part)).collect()
    }

    /// A word as a text to be read as commands: what is not known stays an expansion there.
    pub(super) fn script(&self, word: &Word) -> String {
        let mut script = String::new();
        for part in &word.parts {
            match (self.known(part), part) {
                (Some(text), _) => script.push_str(&text),
                (None, Part::Variable { name, .. }) => {
                    script.push_str("${");
                    script.push_str(name);
                    script.push('}');
                }
                // It ran already when the word was made; what it printed is not known.
                (None, _) => script.push_str("$_"),
            }
        }
        script
    }
}
