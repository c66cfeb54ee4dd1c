//! What looks like a secret in a text: keys, tokens, passwords.
//!
//! Owns the shapes. Pure, and linear in the length of the text: every look ahead is bounded or consumes what it read.
//! It must rather miss an odd secret than cry at ordinary work: commit hashes, UUIDs, ids, placeholders and code that
//! merely speaks of passwords are no secrets. Whoever calls decides what follows; a text is never changed here.

mod assigned;
mod blocks;
mod credentials;
mod kinds;
#[cfg(test)]
mod tests;
mod tokens;

use std::ops::Range;

pub use kinds::SecretKind;

/// A part of a text that looks like a secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suspicion {
    /// What it looks like.
    pub kind: SecretKind,
    /// Where it stands, in bytes.
    pub place: Range<usize>,
}

/// What one look at a place found.
enum Look {
    /// Nothing begins here.
    Nothing,
    /// It was read up to here and is no secret.
    Harmless(usize),
    /// A secret.
    Found(Suspicion),
}

/// The first part of a text that looks like a secret.
pub fn first(text: &str) -> Option<Suspicion> {
    find(text.as_bytes(), 0)
}

/// All parts of a text that look like secrets, in their order, at most so many.
pub fn all(text: &str, most: usize) -> Vec<Suspicion> {
    let mut found = Vec::new();
    let mut from = 0;
    while found.len() < most
        && let Some(suspicion) = find(text.as_bytes(), from)
    {
        from = suspicion.place.end;
        found.push(suspicion);
    }
    found
}

/// What stands where a text is shown that is held back.
pub fn placeholder(kind: SecretKind) -> String {
    format!("[held back: looks like {}]", kind.told())
}

/// A secret as it may be shown: where it begins, and how long it is.
pub fn masked(secret: &str) -> String {
    const SHOWN: usize = 4;
    let length = secret.chars().count();
    let shown: String = secret.chars().take(SHOWN.min(length / 3)).filter(|c| !c.is_control()).collect();
    format!("{shown}… ({length} characters)")
}

/// A text as it may be shown: every secret in it as `masked` shows it.
pub fn veiled(text: &str) -> String {
    let (mut shown, mut from) = (String::with_capacity(text.len()), 0);
    while let Some(found) = find(text.as_bytes(), from) {
        shown.push_str(&text[from..found.place.start]);
        shown.push_str(&masked(&text[found.place.clone()]));
        from = found.place.end;
    }
    shown.push_str(&text[from..]);
    shown
}

fn find(text: &[u8], from: usize) -> Option<Suspicion> {
    let mut at = from;
    while let Some(&byte) = text.get(at) {
        let look = match byte {
            b'-' => blocks::private_key(text, at),
            b'=' | b':' => match blocks::url_password(text, at) {
                Look::Nothing => assigned::value(text, at),
                found => found,
            },
            byte if byte.is_ascii_alphabetic() => match shortest_prefix(text, at) {
                Some(shortest) => match tokens::token(text, at, shortest) {
                    Look::Nothing if byte == b'e' => blocks::json_web_token(text, at),
                    Look::Nothing => credentials::credential(text, at),
                    found => found,
                },
                None => Look::Nothing,
            },
            byte if byte.is_ascii_digit() => credentials::credential(text, at),
            _ => Look::Nothing,
        };
        at = match look {
            Look::Nothing => at + 1,
            Look::Harmless(end) => end.max(at + 1),
            Look::Found(suspicion) => return Some(suspicion),
        };
    }
    None
}

/// Whether a word may begin here: what stands before is no part of one.
fn begins_word(text: &[u8], at: usize) -> bool {
    at == 0 || !text.get(at - 1).is_some_and(|before| before.is_ascii_alphanumeric() || *before == b'_')
}

/// How long a prefix must be to be believed at this place; nothing where no token begins.
///
/// A token may be glued to a name, as in `key_ghp_...`, or to one letter, as in `-pghp_...` and `\\nghp_...`. One letter
/// and a short prefix are often a word: `ask-`.
fn shortest_prefix(text: &[u8], at: usize) -> Option<usize> {
    const BEHIND_A_LETTER: usize = 4;
    if begins_word(text, at) || text[at - 1] == b'_' {
        return Some(1);
    }
    (text[at - 1].is_ascii_alphabetic() && begins_word(text, at - 1)).then_some(BEHIND_A_LETTER)
}

/// How many bytes from here on fit, at most so many.
fn run(text: &[u8], from: usize, most: usize, fits: impl Fn(u8) -> bool) -> usize {
    text.iter().skip(from).take(most).take_while(|byte| fits(**byte)).count()
}

/// How many different bytes there are: placeholders such as `xxxx` have few.
fn variety(bytes: &[u8]) -> usize {
    let mut seen = [false; 256];
    for byte in bytes {
        seen[usize::from(*byte)] = true;
    }
    seen.iter().filter(|seen| **seen).count()
}

/// Words that stand for a secret without being one.
fn is_placeholder(value: &[u8]) -> bool {
    const SAY_SO: [&str; 12] = [
        "example",
        "placeholder",
        "changeme",
        "change-me",
        "change_me",
        "redacted",
        "your-",
        "your_",
        "xxxx",
        "****",
        "....",
        "dummy",
    ];
    let lower = String::from_utf8_lossy(value).to_ascii_lowercase();
    SAY_SO.iter().any(|word| lower.contains(word))
}
