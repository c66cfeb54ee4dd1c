//! What a command line is made of, once it is read: words, redirections, commands and how they hang together.

use std::cell::OnceCell;
use std::rc::Rc;

/// A piece of a word.
#[derive(Clone, Debug)]
pub(super) enum Part {
    /// Characters that stand for themselves.
    Text { text: String, quoted: bool },
    /// The value of a variable.
    Variable { name: String, quoted: bool },
    /// All values of an array, or of the positional parameters (`@`).
    All { name: String, quoted: bool },
    /// `${name:-other}`: the value of a variable, or another word where it has none.
    Default { name: String, other: Word },
    /// What commands print; they run.
    Commands(Rc<Vec<Step>>),
    /// `<(commands)`: the name of a file that holds what commands print.
    Process(Rc<Vec<Step>>),
    /// The values of an array, in parentheses.
    List(Vec<Word>),
    /// A number that only running would tell: it names no directory.
    Number,
    /// An expansion that is not followed: `${x#y}`, `~user`.
    Unknown,
}

/// A word as it was typed.
#[derive(Clone, Debug, Default)]
pub(super) struct Word {
    pub(super) parts: Vec<Part>,
}

impl Word {
    /// A word of one quoted text.
    pub(super) fn quoted(text: String) -> Self {
        Self { parts: vec![Part::Text { text, quoted: true }] }
    }

    /// Its text, where it is nothing but unquoted characters: only such a word can be a keyword or a name.
    pub(super) fn bare(&self) -> Option<&str> {
        match self.parts.as_slice() {
            [Part::Text { text, quoted: false }] => Some(text),
            _ => None,
        }
    }

    /// Its characters without the expansions, and whether any was quoted: what the end of a here-document looks like.
    pub(super) fn delimiter(&self) -> (String, bool) {
        let mut found = (String::new(), false);
        for part in &self.parts {
            match part {
                Part::Text { text, quoted } => {
                    found.0.push_str(text);
                    found.1 |= quoted;
                }
                Part::Variable { name, .. } => {
                    found.0.push('$');
                    found.0.push_str(name);
                }
                _ => {}
            }
        }
        found
    }

    /// The same without the quotes around all of it.
    pub(super) fn unquoted(mut self) -> Self {
        let (Some(Part::Text { text: first, .. }), last) = (self.parts.first(), self.parts.last()) else {
            return self;
        };
        let quote = |c: char| matches!(c, '"' | '\'');
        let begins = first.starts_with(quote) || first.is_empty();
        let ends = matches!(last, Some(Part::Text { text, .. }) if text.ends_with(quote));
        if begins && ends {
            for part in &mut self.parts {
                if let Part::Text { text, .. } = part {
                    *text = text.trim_matches(quote).to_owned();
                }
            }
        }
        self
    }

    /// The values that an assignment gives to an array.
    pub(super) fn list(&self) -> Option<&[Self]> {
        self.parts.iter().find_map(|part| match part {
            Part::List(words) => Some(words.as_slice()),
            _ => None,
        })
    }

    /// `name=value` before a command: the name, and the rest of the word.
    pub(super) fn assignment(&self) -> Option<(String, Self)> {
        let Some(Part::Text { text, quoted: false }) = self.parts.first() else { return None };
        let (name, value) = text.split_once('=')?;
        // An assignment that appends keeps its sign.
        if !is_name(name.strip_suffix('+').unwrap_or(name)) {
            return None;
        }
        let mut parts = self.parts.clone();
        parts[0] = Part::Text { text: value.to_owned(), quoted: false };
        Some((name.to_owned(), Self { parts }))
    }
}

/// Whether a variable or function can be called so.
pub(super) fn is_name(name: &str) -> bool {
    let mut chars = name.chars();
    chars.next().is_some_and(|c| c.is_alphabetic() || c == '_')
        && chars.all(|c| c.is_alphanumeric() || c == '_')
}

/// Where input comes from or output goes.
#[derive(Clone, Debug)]
pub(super) enum Redirect {
    Write(Word),
    Read(Word),
    /// A text on standard input; of a here-document it is read after the line that asks for it.
    Input(Rc<OnceCell<Word>>),
    /// Between descriptors.
    Between,
}

/// A program with its arguments.
#[derive(Clone, Debug, Default)]
pub(super) struct Simple {
    pub(super) assignments: Vec<(String, Word)>,
    pub(super) words: Vec<Word>,
    pub(super) redirects: Vec<Redirect>,
    /// As it was typed.
    pub(super) source: String,
}

/// A command.
#[derive(Clone, Debug)]
pub(super) enum Node {
    Simple(Simple),
    Pipeline(Vec<Node>),
    /// In a process of its own: a change of directory stays inside.
    Subshell(Vec<Step>, Vec<Redirect>),
    /// `{ }`, the branches of an `if` or `case`: all of them count.
    Group(Vec<Step>, Vec<Redirect>),
    /// `while`, `until`, `for`, `select`, with what the variable of a `for` runs through.
    Loop {
        over: Option<(String, Vec<Word>)>,
        steps: Vec<Step>,
        redirects: Vec<Redirect>,
    },
    /// The definition of a function: nothing runs yet.
    Function {
        name: String,
        body: Rc<Node>,
    },
}

/// A command and whether anybody waits for it.
#[derive(Clone, Debug)]
pub(super) struct Step {
    pub(super) node: Node,
    pub(super) background: bool,
}

impl Simple {
    /// The text on its standard input, where it brings one along.
    pub(super) fn input(&self) -> Option<&Word> {
        self.redirects.iter().rev().find_map(|redirect| match redirect {
            Redirect::Input(body) => body.get(),
            _ => None,
        })
    }
}
