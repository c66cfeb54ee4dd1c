//! Finds commands in a sentence and says the same with tools.

use super::forms::{FORMS, Form, Place};
use super::{Arg, Detail, Step, call, is_placeholder};

/// What a command in a sentence begins with.
const PROGRAM: &str = "interagent ";

/// The text with each command replaced. One that no tool stands for is left, as something that the operator runs.
pub(super) fn translate(text: &str, template: &str) -> String {
    let mut said = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(PROGRAM) {
        let quoted = is_quoted(&text[..text.len() - rest.len() + start]);
        let (before, found) = rest.split_at(start);
        said.push_str(before);
        if quoted {
            said.push_str(PROGRAM);
            rest = &found[PROGRAM.len()..];
            continue;
        }
        match read(&found[PROGRAM.len()..]) {
            Some((form, step, used)) => {
                said.push_str(&call(form, &step, template, Detail::Whole));
                rest = &found[PROGRAM.len() + used..];
            }
            None => {
                if is_a_command(&found[PROGRAM.len()..]) && !names_the_operator(before) {
                    said.push_str("ask the operator to run: ");
                }
                said.push_str(PROGRAM);
                rest = &found[PROGRAM.len()..];
            }
        }
    }
    said.push_str(rest);
    said
}

/// Whether what follows is quoted: the words of a member stay as they are.
fn is_quoted(before: &str) -> bool {
    let line = before.rsplit('\n').next().unwrap_or_default();
    line.starts_with("> ") || line.matches('"').count() % 2 == 1
}

/// Whether the sentence before a command says already whose it is.
fn names_the_operator(before: &str) -> bool {
    let sentence = before.rsplit(['.', '\n']).next().unwrap_or_default();
    sentence.contains("operator")
}

/// Commands of people that hints name. Other words after the program's name are a sentence about it.
const PEOPLES: &[&str] = &[
    "agent",
    "attach",
    "control",
    "doctor",
    "guard",
    "hold",
    "init",
    "log",
    "msg",
    "purge",
    "relay",
    "restart",
    "run",
    "session",
    "setup",
    "skill",
    "supervise",
    "sync",
    "team",
    "trust",
    "up",
    "wake",
];

fn is_a_command(rest: &str) -> bool {
    let first = rest.split(|c: char| !(c.is_ascii_lowercase() || c == '-')).next().unwrap_or_default();
    PEOPLES.contains(&first)
}

/// The command at the start of a text, and how many bytes of the text it is.
fn read(text: &str) -> Option<(&'static Form, Step, usize)> {
    let is_whole = |command: &str| {
        let next = text.strip_prefix(command)?.chars().next();
        next.is_none_or(|c| !(c.is_ascii_alphanumeric() || c == '-' || c == '_')).then_some(())
    };
    let forms = FORMS.iter().filter(|form| is_whole(form.command).is_some());
    let form = forms.max_by_key(|form| form.command.len())?;
    let mut step = Step::new(form.operation);
    let mut used = form.command.len();
    let mut places = form.args.iter().filter(|spelling| spelling.place == Place::Word);
    while let Some(word) = Word::after(text, used) {
        let option = form.args.iter().find(|spelling| match spelling.place {
            Place::Flag(flag) | Place::Switch(flag) => flag == word.value,
            Place::Word => false,
        });
        let (arg, value, end) = match option.map(|option| (option.arg, option.place)) {
            Some((arg, Place::Switch(_))) => (arg, String::new(), word.end),
            Some((arg, _)) => match Word::after(text, word.end) {
                Some(value) if !word.is_last => (arg, value.value, value.end),
                _ => break,
            },
            None if word.value.starts_with('-') => break,
            None => match places.next() {
                Some(spelling) if word.is_value(spelling.arg) => (spelling.arg, word.value, word.end),
                _ => break,
            },
        };
        step = step.with(arg, value);
        used = end;
        if ends_a_phrase(text, used) {
            break;
        }
    }
    Some((form, step, used))
}

/// Whether something other than a space follows: the command ends there.
fn ends_a_phrase(text: &str, at: usize) -> bool {
    text[at..].chars().next().is_none_or(|c| c != ' ')
}

/// A word of a command inside a sentence.
struct Word {
    value: String,
    /// Where it ends, without the punctuation of the sentence.
    end: usize,
    was_quoted: bool,
    /// Punctuation follows.
    is_last: bool,
}

impl Word {
    fn after(text: &str, at: usize) -> Option<Self> {
        let rest = text[at..].strip_prefix(' ')?;
        let start = at + 1;
        let quote = rest.chars().next().filter(|c| *c == '\'' || *c == '"');
        if let Some(quote) = quote {
            let inside = &rest[1..];
            let close = inside.find(quote)?;
            let end = start + close + 2;
            let value = inside[..close].to_owned();
            return Some(Self { value, end, was_quoted: true, is_last: ends_a_phrase(text, end) });
        }
        let whole = rest.split([' ', '\n', '`', ')', '(']).next().unwrap_or_default();
        let value = match whole {
            "..." => whole,
            word => word.trim_end_matches([',', ';', '.', ':']),
        };
        let end = start + value.len();
        let is_last = ends_a_phrase(text, end);
        (!value.is_empty()).then(|| Self { value: value.to_owned(), end, was_quoted: false, is_last })
    }

    /// Whether it is a value for this argument, and not the next word of the sentence.
    fn is_value(&self, arg: Arg) -> bool {
        let value = self.value.as_str();
        let is_id = || value.contains(|c: char| c.is_ascii_digit() || "-/:*.".contains(c));
        let is_word = match arg {
            Arg::Verdict => ["approved", "revision_needed", "rejected"].contains(&value),
            Arg::Status => {
                ["done", "failed", "blocked", "working", "idle", "waiting", "offline"].contains(&value)
            }
            // A name looks like any other word; these commands are never followed by more of the sentence.
            Arg::Name => !["shows", "names", "publishes"].contains(&value),
            _ => false,
        };
        self.was_quoted || is_placeholder(value) || is_word || is_id()
    }
}
