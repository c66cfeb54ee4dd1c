//! Replaces what differs from run to run by something of the same length, so that columns stay where they are.

use std::collections::HashMap;
use std::path::Path;

use serde_json::Value;

use crate::world::Form;

/// What begins an id, and how many characters follow the dash.
const IDS: [&str; 9] = ["agt", "msg", "task", "rev", "note", "dec", "lease", "hub", "org"];
const ID_CHARS: usize = 12;
const MARK_CHARS: usize = 3;

/// Findings of the doctor that tell of this machine and its disk.
const OF_THIS_MACHINE: [&str; 5] = ["store", "engine", "write-ahead log", "search index", "program"];

/// Remembers which id got which number, through the whole story.
pub(crate) struct Mask {
    root: String,
    /// What this machine is called in the hub.
    alias: String,
    numbers: HashMap<String, usize>,
    counts: HashMap<String, usize>,
}

impl Mask {
    pub(crate) fn new(root: &Path) -> Self {
        let root = root.display().to_string();
        Self { root, alias: String::new(), numbers: HashMap::new(), counts: HashMap::new() }
    }

    pub(crate) fn machine_is(&mut self, alias: &str) {
        alias.clone_into(&mut self.alias);
    }

    pub(crate) fn masked(&mut self, text: &str) -> String {
        let stand_in = format!("{:.<width$}", "/tmp/sandbox", width = self.root.len());
        let text = without_marks(&self.without_machine(&text.replace(&self.root, &stand_in)));
        let mut masked = String::with_capacity(text.len());
        let mut rest = text.as_str();
        while let Some(first) = rest.chars().next() {
            let is_word = |c: char| c.is_ascii_alphanumeric() || "-:.+_…".contains(c);
            let end = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
            match end {
                0 => {
                    masked.push(first);
                    rest = &rest[first.len_utf8()..];
                }
                end => {
                    masked.push_str(&self.word(&rest[..end]));
                    rest = &rest[end..];
                }
            }
        }
        masked
    }

    /// The name of this machine, and how it knows who types, are others elsewhere.
    fn without_machine(&self, text: &str) -> String {
        let text =
            text.replace("(terminal", "(claimed").replace("\"auth\": \"terminal\"", "\"auth\": \"claimed\"");
        if self.alias.is_empty() {
            return text;
        }
        let text = text
            .replace(&format!("replica: {} ", self.alias), "replica: here ")
            .replace(&format!("\"alias\": \"{}\"", self.alias), "\"alias\": \"here\"")
            .replace(&format!("\"home\": \"{}\"", self.alias), "\"home\": \"here\"");
        let is_row =
            |line: &str| line.split_whitespace().next() == Some(&self.alias) && line.contains(" org-");
        if !text.lines().any(is_row) {
            return text;
        }
        // The first column is as wide as the name.
        let lines = text.lines().map(|line| match line.split_once(' ') {
            Some((_, rest)) if is_row(line) => format!("here     {}\n", rest.trim_start()),
            Some(("replica", rest)) => format!("replica  {}\n", rest.trim_start()),
            _ => format!("{line}\n"),
        });
        lines.collect()
    }

    fn word(&mut self, word: &str) -> String {
        let (bare, end) = word.split_at(word.trim_end_matches(['.', ':']).len());
        if bare.contains('.') && !is_date(bare) {
            let parts: Vec<String> = bare.split('.').map(|part| self.word(part)).collect();
            return parts.join(".") + end;
        }
        if let Some(secret) = bare.strip_prefix("iat_") {
            return format!("iat_{:0>64}{end}", self.number("token", secret));
        }
        let replaced = match bare.split_once('-') {
            Some((noun, random)) if IDS.contains(&noun) && is_random(random) => {
                format!("{noun}-{:0>ID_CHARS$}", self.number(noun, bare))
            }
            // Cut off in a table; which one it was can't be told.
            Some((noun, random)) if IDS.contains(&noun) && is_cut(random) => {
                format!("{noun}-{}…", "x".repeat(random.chars().count() - 1))
            }
            _ if bare.len() == 16 && bare.bytes().all(|b| b.is_ascii_digit()) => {
                "1767323045000000".to_owned()
            }
            _ if is_uuid(bare) => format!("00000000-0000-0000-0000-{:0>12}", self.number("uuid", bare)),
            _ if is_date(bare) => of_a_moment(bare),
            _ if bare.len() == 8 && is_clock(bare) => "03:04:05".to_owned(),
            _ if bare.len() == 6 && bare.ends_with('Z') && is_clock(&bare[..5]) => "03:04Z".to_owned(),
            _ if bare.len() == 64 && bare.bytes().all(|b| b.is_ascii_hexdigit()) => {
                format!("{:0>64}", self.number("hash", bare))
            }
            _ => bare.to_owned(),
        };
        replaced + end
    }

    fn number(&mut self, kind: &str, id: &str) -> usize {
        if let Some(number) = self.numbers.get(id) {
            return *number;
        }
        let count = self.counts.entry(kind.to_owned()).or_default();
        *count += 1;
        self.numbers.insert(id.to_owned(), *count);
        *count
    }
}

/// The mark of an envelope is drawn anew for every text.
fn without_marks(text: &str) -> String {
    let mut masked = text.to_owned();
    for before in ["| mark ", "--- end "] {
        let parts = masked.split(before).enumerate().map(|(n, part)| match n {
            0 => part.to_owned(),
            _ => format!("{before}{}", part.replacen(|c: char| c.is_ascii_hexdigit(), "x", MARK_CHARS)),
        });
        masked = parts.collect();
    }
    masked
}

/// What the doctor says, without what it says of this machine.
pub(crate) fn of_the_hub(form: Form, shown: &str) -> String {
    match form {
        Form::Json => {
            let mut document: Value = serde_json::from_str(shown).unwrap();
            let checks = document["answer"]["checks"].as_array_mut().unwrap();
            checks.retain(|check| !OF_THIS_MACHINE.iter().any(|what| check["what"] == *what));
            document.to_string()
        }
        Form::Columns(_) => {
            let mut is_kept = true;
            let lines = shown.lines().filter(|line| {
                if !line.starts_with("  ") {
                    let what = line.get(6..).unwrap_or_default();
                    is_kept = !OF_THIS_MACHINE.iter().any(|machine| what.starts_with(&format!("{machine}:")));
                }
                is_kept
            });
            lines.map(|line| format!("{line}\n")).collect()
        }
    }
}

fn is_random(random: &str) -> bool {
    random.len() == ID_CHARS && random.bytes().all(|b| b.is_ascii_digit() || b.is_ascii_lowercase())
}

fn is_cut(random: &str) -> bool {
    random.ends_with('…')
}

fn is_uuid(word: &str) -> bool {
    let lengths: Vec<usize> = word.split('-').map(str::len).collect();
    lengths == [8, 4, 4, 4, 12] && word.bytes().all(|b| b == b'-' || b.is_ascii_hexdigit())
}

fn is_date(word: &str) -> bool {
    let day: Vec<&str> = word.get(..10).unwrap_or_default().split('-').collect();
    day.len() == 3
        && day[0].starts_with("20")
        && day.iter().all(|part| part.bytes().all(|b| b.is_ascii_digit()))
}

/// `2026-11-16` or `2026-11-16T01:43:03.123456Z`.
fn of_a_moment(word: &str) -> String {
    match word.len() {
        10 => "2026-01-02".to_owned(),
        _ => "2026-01-02T03:04:05.000000Z".to_owned(),
    }
}

fn is_clock(word: &str) -> bool {
    let parts: Vec<&str> = word.split(':').collect();
    (2..=3).contains(&parts.len())
        && parts.iter().all(|part| part.len() == 2 && part.bytes().all(|b| b.is_ascii_digit()))
}

#[test]
fn what_is_replaced_keeps_its_width() {
    let mut mask = Mask::new(Path::new("/tmp/.tmpAbCdEf"));
    let masked = mask.masked(
        "msg-7k3m9zyx0a1b  to task-aaaabbbbcccc: msg-7k3m9zyx0a1b, 2026-11-16 01:43:03 +00:00 /tmp/.tmpAbCdEf/x",
    );
    let wanted = "msg-000000000001  to task-000000000001: msg-000000000001, 2026-01-02 03:04:05 +00:00 /tmp/sandbox.../x";
    assert_eq!(masked, wanted);
}
