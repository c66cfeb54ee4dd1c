//! A command whose words are known as far as they are.

use super::values::PROCESS;
use super::wrappers::{self, Told};

pub(super) fn is_option(word: &str) -> bool {
    word.starts_with('-') && word.len() > 1
}

/// A command whose words are known as far as they are.
#[derive(Clone, Debug)]
pub(super) struct Command {
    pub(super) words: Vec<Option<String>>,
    /// Each word as a text of commands.
    pub(super) scripts: Vec<String>,
    /// For each word that only running would tell, where it begins.
    pub(super) listed: Vec<Option<String>>,
    /// What the commands print that stand for files, as far as it is known.
    pub(super) processes: Vec<Option<String>>,
    pub(super) settings: Vec<(String, Option<String>)>,
    pub(super) input: Option<String>,
    pub(super) source: String,
}

impl Command {
    /// What another command runs.
    pub(super) fn of(words: Vec<Option<String>>, outer: &Self) -> Self {
        // The words are the last of the outer ones, so their texts are, too.
        let after = outer.scripts.len().saturating_sub(words.len());
        let texts = words.iter().zip(outer.scripts[after..].iter().chain(std::iter::repeat(&outer.source)));
        let scripts = texts.map(|(word, text)| word.clone().unwrap_or_else(|| text.clone())).collect();
        let listed = words.iter().zip(outer.listed[after..].iter().chain(std::iter::repeat(&None)));
        let listed = listed.map(|(word, listed)| listed.clone().filter(|_| word.is_none())).collect();
        Self {
            words,
            scripts,
            listed,
            processes: outer.processes.clone(),
            settings: outer.settings.clone(),
            input: outer.input.clone(),
            source: outer.source.clone(),
        }
    }
    /// The words from this one on, as a text that a shell reads as these words.
    pub(super) fn words_as_text(&self, from: usize) -> String {
        let word = |(word, script): (&Option<String>, &String)| match word {
            Some(word) => format!("'{}'", word.replace('\'', "'\\''")),
            None => format!("\"{script}\""),
        };
        let words = self.words.iter().zip(&self.scripts).skip(from).map(word);
        words.collect::<Vec<_>>().join(" ")
    }

    /// The text that a shell is told to run, and the words behind it. Absent where a file holds it.
    pub(super) fn told(&self) -> Option<(String, Vec<Option<String>>)> {
        let arguments = &self.words[1..];
        match wrappers::told(arguments) {
            Told::Argument(i) => Some((self.scripts.get(i + 1)?.clone(), arguments[i + 1..].to_vec())),
            Told::Input => Some((self.input.clone()?, vec![None])),
            Told::File => {
                let at = arguments.iter().position(|word| !word.as_deref().is_some_and(is_option))?;
                Some((self.text_in(arguments[at].as_deref()?)?, arguments[at..].to_vec()))
            }
        }
    }

    /// What a file says that is no file of the disk: standard input, or what commands print.
    pub(super) fn text_in(&self, file: &str) -> Option<String> {
        match file {
            "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0" => self.input.clone(),
            PROCESS => self.processes.first().cloned().flatten(),
            _ => None,
        }
    }
}
