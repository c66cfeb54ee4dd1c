//! What the words of a task point to: a file somebody owns, or something somebody is good at.
//!
//! A guess only changes the order, never who fits, and is always told.

use std::collections::{BTreeSet, HashSet};

use super::{Wanted, in_words};
use crate::decide::lease::{Glob, normal_glob};
use crate::entity::Agent;
use crate::line::one_line;

/// Words beside its own that point to a capability; a word that begins so counts. In the order in which a word that
/// points to several is understood.
const HINTS: [(&str, &[&str]); 10] = [
    ("architecture_design", &["architect", "design", "plan"]),
    ("system_design", &["design", "schema", "protocol", "interface"]),
    ("code_review", &["review", "inspect"]),
    ("documentation", &["document", "docs", "readme", "guide", "tutorial", "changelog", "explain"]),
    ("security_analysis", &["security", "secure", "vulnerab", "audit", "threat", "exploit", "cve"]),
    (
        "implementation",
        &["implement", "build", "add", "write", "create", "fix", "code", "develop", "support"],
    ),
    ("code_refactoring", &["refactor", "restructur", "simplif", "clean", "rename", "extract", "dedup"]),
    (
        "performance_optimization",
        &["optimi", "performance", "speed", "fast", "slow", "latency", "profil", "benchmark"],
    ),
    ("testing", &["test", "coverage", "regression"]),
    ("tool_use", &["tool", "script", "run", "install", "configure", "deploy", "migrate", "automat"]),
];
/// Words that say little when a later word says more: "write the docs" is documentation.
const WEAK: [&str; 5] = ["add", "write", "create", "run", "plan"];
/// Bytes of a text that are looked at: a description may be as long as a book, and every word is compared with every path
/// that somebody owns.
const LOOKED_AT_BYTES: usize = 8 * 1024;
/// Files that are guessed: who owns the first of them is whom the task is about.
const FILES: usize = 20;
/// Characters of a word in a sentence.
const WORD_CHARS: usize = 60;

/// What the words were taken to mean.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Guess {
    /// Something somebody is good at.
    pub(super) capability: Option<String>,
    /// Files somebody owns.
    pub(super) files: Vec<String>,
    /// The guesses, in sentences.
    pub(super) sentences: Vec<String>,
}

/// Guesses what is not said. Only capabilities and paths that somebody has are guessed: others would help nobody.
pub(super) fn guess<'a>(agents: impl Iterator<Item = &'a Agent>, wanted: &Wanted<'_>) -> Guess {
    let (mut capabilities, mut paths) = (BTreeSet::new(), BTreeSet::new());
    for agent in agents {
        capabilities.extend(agent.capabilities.iter().map(String::as_str));
        paths.extend(agent.paths.iter().map(String::as_str));
    }
    let mut guess = Guess::default();
    if wanted.files.is_empty() {
        let owned: Vec<Glob> = paths.into_iter().map(Glob::read).collect();
        guess.files = files(wanted, &owned);
        if let Some(first) = guess.files.first() {
            guess.sentences.push(format!("`{}` reads like a path", one_line(first, WORD_CHARS)));
        }
    }
    if wanted.capability.is_none() {
        // What the title says comes before what the description says.
        let found =
            capability(wanted.title, &capabilities).or_else(|| capability(wanted.description, &capabilities));
        if let Some((capability, word)) = found {
            guess.sentences.push(format!(
                "`{}` reads like {}",
                one_line(&word, WORD_CHARS),
                in_words(&capability)
            ));
            guess.capability = Some(capability);
        }
    }
    guess
}

fn files(wanted: &Wanted<'_>, owned: &[Glob]) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut seen: HashSet<String> = HashSet::new();
    let words = beginning(wanted.title).split_whitespace();
    for word in words.chain(beginning(wanted.description).split_whitespace()) {
        let word = word.trim_matches(|c: char| !(c.is_alphanumeric() || matches!(c, '/' | '_' | '*')));
        if !looks_like_a_path(word) {
            continue;
        }
        let Ok(path) = normal_glob(word) else { continue };
        if !seen.insert(path.clone()) {
            continue;
        }
        let file = Glob::read(&path);
        if owned.iter().any(|own| own.overlaps(&file)) {
            found.push(path);
        }
        if found.len() == FILES {
            break;
        }
    }
    found
}

/// The part of a text that is looked at, in whole words.
fn beginning(text: &str) -> &str {
    if text.len() <= LOOKED_AT_BYTES {
        return text;
    }
    let cut = &text[..text.floor_char_boundary(LOOKED_AT_BYTES)];
    &cut[..cut.rfind(char::is_whitespace).unwrap_or(0)]
}

/// A slash between names, or a name with an ending of letters.
fn looks_like_a_path(word: &str) -> bool {
    if word.contains("://") || word.contains('*') {
        return false;
    }
    let inner_slash = word.trim_matches('/').contains('/') || (word.ends_with('/') && word.len() > 1);
    let ending = word.rsplit_once('.').is_some_and(|(name, ending)| {
        // "e.g." is no file.
        name.len() > 1
            && (1..=5).contains(&ending.len())
            && ending.starts_with(|c: char| c.is_ascii_alphabetic())
            && ending.chars().all(|c| c.is_ascii_alphanumeric())
    });
    inner_slash || ending
}

/// The capability the words point to, and the word that does. The first word that points somewhere decides, but a weak
/// one only where no other does.
fn capability(text: &str, known: &BTreeSet<&str>) -> Option<(String, String)> {
    let words: Vec<String> = beginning(text)
        .split(|c: char| !(c.is_alphanumeric() || c == '+' || c == '#'))
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    let there: HashSet<&str> = words.iter().map(String::as_str).collect();
    let strong = words
        .iter()
        .find_map(|word| pointed_to(word, &there, known).filter(|_| !is_weak(word)).map(|c| (c, word)));
    let found =
        strong.or_else(|| words.iter().find_map(|word| pointed_to(word, &there, known).map(|c| (c, word))));
    found.map(|(capability, word)| (capability, word.clone()))
}

fn is_weak(word: &str) -> bool {
    WEAK.contains(&word)
}

fn pointed_to(word: &str, there: &HashSet<&str>, known: &BTreeSet<&str>) -> Option<String> {
    let by_name = known.iter().find(|capability| {
        let mut parts = capability.split('_');
        parts.next() == Some(word) && parts.all(|part| there.contains(part))
    });
    let by_hint = HINTS.iter().find(|(capability, hints)| {
        known.contains(capability) && hints.iter().any(|hint| begins(word, hint))
    });
    by_name.copied().or(by_hint.map(|(capability, _)| *capability)).map(ToOwned::to_owned)
}

/// Short hints are whole words, or `run` would be in every `runtime`.
fn begins(word: &str, hint: &str) -> bool {
    if hint.len() <= 4 {
        word == hint || word.strip_suffix('s') == Some(hint)
    } else {
        word.starts_with(hint)
    }
}
