//! What words stand for while a command line is followed: variables, directories, and what simple commands print.

use std::collections::HashMap;
use std::rc::Rc;

use super::syntax::{Node, Part, Step, Word};
use crate::guard::path;

/// What a shell knows at one point of a command line.
#[derive(Clone, Debug, Default)]
pub(super) struct Shell {
    /// Where it is; absent once that is not known.
    pub(super) directory: Option<String>,
    pub(super) stack: Vec<Option<String>>,
    /// Variables; absent values are known only when it runs.
    pub(super) variables: HashMap<String, Option<String>>,
    pub(super) functions: HashMap<String, Rc<Node>>,
    /// Variables that hold what commands print: the directory that begins with, as far as it is known.
    pub(super) listed: HashMap<String, String>,
}

impl Shell {
    /// About how many bytes a copy of it takes.
    pub(super) fn weight(&self) -> usize {
        let length = |value: &Option<String>| value.as_ref().map_or(0, String::len);
        let variables = self.variables.iter().map(|(name, value)| 32 + name.len() + length(value));
        64 * self.functions.len() + variables.chain(self.stack.iter().map(length)).sum::<usize>()
    }

    /// What a variable holds.
    pub(super) fn variable(&self, name: &str) -> Option<&str> {
        match name {
            "PWD" => self.directory.as_deref(),
            name => self.variables.get(name)?.as_deref(),
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

    /// Of a word that commands print: the directory it begins with, as far as that is known. Absent for any other, and
    /// for variables of the surroundings, which mostly mean a place elsewhere.
    pub(super) fn listed(&self, word: &Word) -> Option<String> {
        let mut known = String::new();
        let directory = |known: &str| match known.rsplit_once('/') {
            Some(("", _)) => "/".to_owned(),
            Some((directory, _)) => directory.to_owned(),
            None => String::new(),
        };
        for part in &word.parts {
            match part {
                Part::Text { text, .. } => known.push_str(text),
                Part::Variable { name, .. } => match (self.variable(name), self.listed.get(name)) {
                    (Some(value), _) => known.push_str(value),
                    (None, Some(begins)) if known.is_empty() => return Some(begins.clone()),
                    (None, listed) => return listed.map(|_| directory(&known)),
                },
                Part::Commands(steps) => match self.printed(steps) {
                    Some(printed) => known.push_str(printed),
                    None => return Some(directory(&known)),
                },
                Part::Unknown => return None,
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
        self.variables.insert("OLDPWD".to_owned(), before);
    }

    /// About how many bytes a word becomes.
    pub(super) fn length(&self, word: &Word) -> usize {
        let of_part = |part: &Part| match part {
            Part::Text { text, .. } => text.len(),
            Part::Variable { name, .. } => self.variable(name).map_or(0, str::len),
            Part::Commands(_) | Part::Unknown => self.directory.as_ref().map_or(0, String::len),
        };
        word.parts.iter().map(of_part).sum()
    }

    /// The words that a word becomes; absent ones are known only when it runs.
    pub(super) fn fields(&self, word: &Word) -> Vec<Option<String>> {
        let mut fields = Vec::new();
        let mut field: Option<String> = None;
        for part in &word.parts {
            let known = match part {
                Part::Text { text, .. } => Some(text.as_str()),
                Part::Variable { name, .. } => self.variable(name),
                Part::Commands(steps) => self.printed(steps),
                Part::Unknown => None,
            };
            let Some(known) = known else { return vec![None] };
            if !matches!(part, Part::Variable { quoted: false, .. }) {
                field.get_or_insert_default().push_str(known);
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
        let mut value = String::new();
        for part in &word.parts {
            value.push_str(match part {
                Part::Text { text, .. } => text,
                Part::Variable { name, .. } => self.variable(name)?,
                Part::Commands(steps) => self.printed(steps)?,
                Part::Unknown => return None,
            });
        }
        Some(value)
    }

    /// A word as a text to be read as commands: what is not known stays an expansion there.
    pub(super) fn script(&self, word: &Word) -> String {
        let mut script = String::new();
        for part in &word.parts {
            match part {
                Part::Text { text, .. } => script.push_str(text),
                Part::Variable { name, .. } => match self.variable(name) {
                    Some(value) => script.push_str(value),
                    None => {
                        script.push_str("${");
                        script.push_str(name);
                        script.push('}');
                    }
                },
                // It ran already when the word was made; what it printed is not known.
                Part::Commands(_) | Part::Unknown => script.push_str("$_"),
            }
        }
        script
    }

    /// What commands print, for the few that say where something is. The root of a repository is another directory of the
    /// same tree, and it is the tree that counts.
    fn printed(&self, steps: &[Step]) -> Option<&str> {
        let [Step { node: Node::Simple(simple), .. }] = steps else { return None };
        let words: Vec<&str> = simple.words.iter().map(|word| word.bare().unwrap_or("")).collect();
        match words.as_slice() {
            ["pwd"] | ["git", "rev-parse", "--show-toplevel"] => self.directory.as_deref(),
            ["mktemp", rest @ ..] if rest.iter().all(|word| word.starts_with('-')) => Some("/tmp/mktemp"),
            _ => None,
        }
    }
}
