//! Names of agents, and the words a member may write as a recipient.
//!
//! Owns: what a valid name is, why another one is refused and what would work instead, and when two
//! valid names look alike. Does not own: which names are taken (that needs the registry), nor the
//! rules about who may write to whom.

mod address;
mod characters;
mod suggest;

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

pub use address::{Address, AddressProblem, Label};
pub use characters::is_hidden;
pub(crate) use characters::{is_hostile_in_text, quoted};

/// Longest name, in characters. It fits a file name, a branch component and a table column everywhere.
pub const NAME_MAX_CHARS: usize = 64;

/// Words that mean somebody or something else than an agent.
pub const RESERVED: [&str; 9] =
    ["operator", "system", "all", "human", "me", "self", "root", "user", "assistant"];

/// Words reserved since then. No new agent gets one, but an agent that has it keeps it, so stored names still parse.
pub const RESERVED_FOR_NEW: [&str; 6] = ["admin", "everyone", "here", "channel", "server", "interagent"];

/// Shortest reserved word whose look-alikes are refused too. `r00t` is a trick, `ai1` (like `all`) is not.
const RESERVED_LOOKALIKE_MIN_CHARS: usize = 4;

/// The name shown for the program itself where it writes on its own; nobody else has it.
pub const SYSTEM: &str = "system";

/// The name of the person of a replica; nobody else has it.
pub const OPERATOR: &str = "operator";

/// The name of an agent: lower case, safe as a file name, an argument and a word in a sentence.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name(String);

impl Name {
    /// Reads a name as people write it: upper case is folded, everything else must already be right.
    pub fn parse(raw: &str) -> Result<Self, NameProblem> {
        match check_name(raw) {
            Ok(name) => Ok(Self(name)),
            Err(code) => Err(NameProblem::new(code, raw)),
        }
    }

    /// Checks a name that nobody has yet. [`Self::parse`] also accepts what agents were called before it was reserved.
    pub fn check_new(&self) -> Result<(), NameProblem> {
        not_reserved(&self.0, &RESERVED_FOR_NEW).map_err(|code| NameProblem::new(code, &self.0))
    }

    /// The human who runs the team: the one reserved word that is also somebody's name.
    pub fn operator() -> Self {
        Self(OPERATOR.to_owned())
    }

    /// A name the program makes itself, from words that are valid.
    pub(crate) fn made(name: String) -> Self {
        debug_assert_eq!(check_name(&name).as_ref(), Ok(&name));
        Self(name)
    }

    pub fn is_operator(&self) -> bool {
        self.0 == OPERATOR
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The key under which two names look alike to a person.
    ///
    /// Folded: `0` and `o`; `1`, `l` and `i`; `rn` and `m`; `vv` and `w`; the separators among each other.
    /// Not folded: other digits (`member1` and `member2` are a normal pair), `5`/`s` and `8`/`b` (`gpt-5`
    /// and `gpts` are told apart), and a separator against nothing (`member1-1` is not `member11`).
    pub fn skeleton(&self) -> String {
        skeleton_of(&self.0)
    }
}

fn skeleton_of(name: &str) -> String {
    let mut skeleton = String::with_capacity(name.len());
    for c in name.replace("rn", "m").replace("vv", "w").chars() {
        match c {
            '0' => skeleton.push('o'),
            '1' | 'i' => skeleton.push('l'),
            '-' | '_' | '.' if skeleton.ends_with('-') => {}
            '-' | '_' | '.' => skeleton.push('-'),
            other => skeleton.push(other),
        }
    }
    skeleton
}

/// The rule for names: the character rule, and not one of the reserved words.
fn check_name(raw: &str) -> Result<String, NameCode> {
    let name = check_word(raw)?;
    not_reserved(&name, &RESERVED)?;
    Ok(name)
}

/// Refuses reserved words and their look-alikes.
fn not_reserved(name: &str, reserved: &[&str]) -> Result<(), NameCode> {
    if reserved.contains(&name) {
        return Err(NameCode::Reserved);
    }
    let skeleton = skeleton_of(name);
    let imitates = |word: &&str| word.len() >= RESERVED_LOOKALIKE_MIN_CHARS && skeleton_of(word) == skeleton;
    if reserved.iter().any(imitates) {
        return Err(NameCode::ReservedLookalike);
    }
    Ok(())
}

/// The character rule, shared with labels:
/// `[a-z0-9]([a-z0-9._-]{0,62}[a-z0-9])?`, and nothing that means something to a file system or to git.
fn check_word(raw: &str) -> Result<String, NameCode> {
    if raw.trim().is_empty() {
        return Err(NameCode::Empty);
    }
    if raw.chars().any(characters::is_hidden) {
        return Err(NameCode::Hidden);
    }
    if raw.chars().any(|c| !c.is_ascii() && characters::ascii_lookalike(c).is_some()) {
        return Err(NameCode::Lookalike);
    }
    if let Some(wrong) = raw.chars().find(|c| !is_name_char(*c)) {
        return Err(NameCode::Character(wrong));
    }
    // Every character is ASCII from here on, so bytes are characters.
    if raw.len() > NAME_MAX_CHARS {
        return Err(NameCode::TooLong);
    }
    let edge = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric());
    if !edge(raw.chars().next()) || !edge(raw.chars().last()) {
        return Err(NameCode::Edge);
    }
    let word = raw.to_ascii_lowercase();
    if word.contains("..") {
        return Err(NameCode::DoubleDot);
    }
    if word.ends_with(".lock") {
        return Err(NameCode::LockEnding);
    }
    if is_device(&word) {
        return Err(NameCode::Device);
    }
    Ok(word)
}

fn is_name_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-')
}

/// Windows opens a device for these names, whatever ending follows the first dot.
fn is_device(word: &str) -> bool {
    let stem = word.split('.').next().unwrap_or(word);
    if matches!(stem, "con" | "nul" | "prn" | "aux") {
        return true;
    }
    let port = stem.strip_prefix("com").or_else(|| stem.strip_prefix("lpt"));
    port.is_some_and(|number| number.len() == 1 && number.bytes().all(|b| b.is_ascii_digit()))
}

/// Why a text is not a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NameCode {
    Empty,
    TooLong,
    Hidden,
    Lookalike,
    Character(char),
    Edge,
    DoubleDot,
    LockEnding,
    Device,
    Reserved,
    ReservedLookalike,
}

impl NameCode {
    /// The word for programs; it never changes.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Empty => "name_empty",
            Self::TooLong => "name_too_long",
            Self::Hidden => "name_hidden_character",
            Self::Lookalike => "name_lookalike_character",
            Self::Character(_) => "name_character",
            Self::Edge => "name_edge",
            Self::DoubleDot => "name_double_dot",
            Self::LockEnding => "name_lock_ending",
            Self::Device => "name_device",
            Self::Reserved => "name_reserved",
            Self::ReservedLookalike => "name_reserved_lookalike",
        }
    }
}

/// A refused name: what is wrong, and a name that would work where one can be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NameProblem {
    pub code: NameCode,
    pub sentence: String,
    pub suggestion: Option<Name>,
}

impl NameProblem {
    fn new(code: NameCode, raw: &str) -> Self {
        let shown = quoted(raw);
        let sentence = match code {
            NameCode::Empty => "A name can't be empty.".to_owned(),
            NameCode::TooLong => {
                let length = raw.len();
                format!("{shown} has {length} characters; a name has at most {NAME_MAX_CHARS}.")
            }
            NameCode::Hidden => {
                format!("{shown} holds invisible, direction or control characters; a name shows all it is.")
            }
            NameCode::Lookalike => {
                format!("{shown} holds characters that look like a-z but are not; a name has only ASCII.")
            }
            NameCode::Character(c) => {
                let wrong = quoted(c.encode_utf8(&mut [0; 4]));
                format!("{shown} holds {wrong}; a name has only a-z, 0-9, `.`, `_` and `-`.")
            }
            NameCode::Edge => format!("{shown} must start and end with a letter or a digit."),
            NameCode::DoubleDot => format!("{shown} holds `..`, which means the directory above."),
            NameCode::LockEnding => format!("{shown} ends with `.lock`, which git keeps for its lock files."),
            NameCode::Device => format!("{shown} is a device on Windows, so it can't be a file name there."),
            NameCode::Reserved => format!("{shown} is reserved: it means somebody else than an agent."),
            NameCode::ReservedLookalike => format!("{shown} looks like a reserved name."),
        };
        Self { code, sentence, suggestion: suggest::suggest(raw) }
    }

    /// The suggestion as a sentence for people.
    pub fn hint(&self) -> Option<String> {
        self.suggestion.as_ref().map(|name| format!("`{name}` would work."))
    }
}

impl fmt::Display for NameProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.sentence)?;
        match self.hint() {
            Some(hint) => write!(f, " {hint}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for NameProblem {}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl AsRef<str> for Name {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl FromStr for Name {
    type Err = NameProblem;

    fn from_str(raw: &str) -> Result<Self, NameProblem> {
        Self::parse(raw)
    }
}

impl Serialize for Name {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

/// Stored data names the operator too, so here, and only here, that word is accepted.
impl<'de> Deserialize<'de> for Name {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = String::deserialize(deserializer)?;
        if raw == OPERATOR {
            return Ok(Self::operator());
        }
        Self::parse(&raw).map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests;
