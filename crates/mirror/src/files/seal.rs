//! The checksum that every derived file carries, so that a change by hand shows without asking anybody.
//!
//! It stands at the end and covers everything before it. It guards against mistakes, not against a forger: what a file says
//! never becomes true by being sealed.

use interagent_core::text::hex;
use sha2::{Digest, Sha256};

const HEX: usize = 16;
const FIELD: &str = ",\n  \"written\": \"";
const FIELD_END: &str = "\"\n}\n";
const LINE_FIELD: &str = ",\"written\":\"";
const LINE_END: &str = "\"}";
const MARKDOWN: &str = "<!-- written by interagent ";
const MARKDOWN_END: &str = ": a change of this file is kept beside it, not here -->\n";
/// Ends the generated part of a file that people write into. Files of older versions end with [`MARKDOWN_END`].
const NOTES_END: &str = ": everything above is generated; write your own decisions below -->\n";
const YAML: &str = "# written by interagent ";
const YAML_END: &str = "\n";

/// How a file is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// One indented document.
    Json,
    /// One document on each line, every one with a checksum of its own.
    Lines,
    Markdown,
    /// Markdown with room for people's own text after the checksum.
    Notes,
    Yaml,
}

impl Form {
    /// What stands around the checksum, and what the covered text ends with.
    fn frame(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Self::Json => (FIELD, FIELD_END, "\n}"),
            Self::Lines => (LINE_FIELD, LINE_END, "}"),
            Self::Markdown => (MARKDOWN, MARKDOWN_END, ""),
            Self::Notes => (MARKDOWN, NOTES_END, ""),
            Self::Yaml => (YAML, YAML_END, ""),
        }
    }
}

fn sum(parts: [&str; 2]) -> String {
    let mut hasher = Sha256::new();
    parts.iter().for_each(|part| hasher.update(part.as_bytes()));
    hex(&hasher.finalize())[..HEX].to_owned()
}

/// Adds the checksum to a document or text.
pub(super) fn seal(form: Form, text: &str) -> String {
    let (before, after, tail) = form.frame();
    let body = text.strip_suffix(tail).unwrap_or(text);
    format!("{body}{before}{}{after}", sum([body, tail]))
}

/// Whether a file says what was written into it.
pub(super) fn holds(form: Form, bytes: &[u8]) -> bool {
    if form == Form::Notes {
        return whole_parts(bytes).next().is_some();
    }
    let Ok(text) = std::str::from_utf8(bytes) else { return false };
    match form {
        Form::Lines => text.ends_with('\n') && text.lines().all(|line| is_whole(form, line)),
        _ => is_whole(form, text),
    }
}

/// Where the generated part of a [`Form::Notes`] file ends, behind its checksum; nothing where there is no such line.
pub(super) fn end_of_generated(bytes: &[u8]) -> Option<usize> {
    whole_parts(bytes).next().or_else(|| line_ends(bytes).next())
}

/// Whether this is a line with a checksum, of any version and right or not.
pub(super) fn is_line(line: &[u8]) -> bool {
    line.starts_with(MARKDOWN.as_bytes())
}

/// The ends of parts from the beginning that say what was generated.
fn whole_parts(bytes: &[u8]) -> impl Iterator<Item = usize> {
    let is_generated = |end: &usize| {
        let part = std::str::from_utf8(&bytes[..*end]).unwrap_or_default();
        is_whole(Form::Notes, part) || is_whole(Form::Markdown, part)
    };
    line_ends(bytes).filter(is_generated)
}

/// The ends of all lines with a checksum.
fn line_ends(bytes: &[u8]) -> impl Iterator<Item = usize> {
    let mut end = 0;
    bytes.split_inclusive(|byte| *byte == b'\n').filter_map(move |line| {
        end += line.len();
        is_line(line).then_some(end)
    })
}

fn is_whole(form: Form, text: &str) -> bool {
    let (before, after, tail) = form.frame();
    let Some(rest) = text.strip_suffix(after) else { return false };
    let Some((rest, given)) = rest.len().checked_sub(HEX).and_then(|at| rest.split_at_checked(at)) else {
        return false;
    };
    rest.strip_suffix(before).is_some_and(|body| sum([body, tail]) == given)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_change_shows() {
        for (form, text) in [
            (Form::Json, "{\n  \"id\": \"task-1\",\n  \"n\": []\n}"),
            (Form::Lines, "{\"id\":\"msg-1\"}"),
            (Form::Markdown, "# A spec\n\ntext\n"),
            (Form::Yaml, "worker_id: kimi\n"),
        ] {
            let sealed = seal(form, text);
            let file = if form == Form::Lines { format!("{sealed}\n{sealed}\n") } else { sealed.clone() };
            assert!(holds(form, file.as_bytes()), "{file}");
            for place in 0..file.len() {
                let mut changed = file.clone().into_bytes();
                changed[place] ^= 1;
                assert!(!holds(form, &changed), "{form:?} at {place}");
                assert!(form == Form::Lines || !holds(form, &file.as_bytes()[..place]), "cut at {place}");
            }
            assert!(!holds(form, format!("{file} ").as_bytes()), "{form:?} with more behind");
            if form == Form::Json || form == Form::Lines {
                assert!(serde_json::from_str::<serde_json::Value>(&sealed).is_ok(), "{sealed}");
            }
        }
        assert!(!holds(Form::Json, b"") && !holds(Form::Markdown, &[0xff, 0xfe]));
    }
}
