//! The shape of a file: its length, its first lines, and notes-to-self that must not be committed.

use super::{Finding, Source};

/// Where a file stops being one idea. The models we follow mostly stay below 300.
const MAX_LINES: usize = 500;

/// Marks of unfinished work, in pieces so that this file does not contain them.
const MARKERS: [&str; 3] = [concat!("TO", "DO"), concat!("FIX", "ME"), concat!("X", "XX")];

/// Macros that belong to a session at the keyboard.
const MACROS: [&str; 3] = ["dbg!", "todo!", "unimplemented!"];

/// Texts in which markers count. Rust files are included: there, they sit in comments and strings.
const TEXT_ENDINGS: [&str; 7] = [".rs", ".md", ".toml", ".sql", ".sh", ".py", ".html"];

pub(super) fn length(source: &Source<'_>) -> Vec<Finding> {
    let count = source.text.lines().count();
    if count <= MAX_LINES || !source.path.contains("/src/") {
        return Vec::new();
    }
    vec![Finding::new(
        "length",
        source.path,
        0,
        format!("{count} lines, more than {MAX_LINES}: split it by idea"),
    )]
}

pub(super) fn module_doc(source: &Source<'_>) -> Vec<Finding> {
    if source.text.trim_start().starts_with("//!") {
        return Vec::new();
    }
    vec![Finding::new(
        "module-doc",
        source.path,
        1,
        "the first lines must say what the module owns (`//! ...`)",
    )]
}

pub(super) fn markers_in_text(path: &str, text: &str) -> Vec<Finding> {
    if !TEXT_ENDINGS.iter().any(|ending| path.ends_with(ending)) {
        return Vec::new();
    }
    let mut findings = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let words = line.split(|character: char| !character.is_alphanumeric() && character != '_');
        for word in words.filter(|word| MARKERS.contains(word)) {
            findings.push(Finding::new(
                "markers",
                path,
                index + 1,
                format!("`{word}`: do it, or open an issue"),
            ));
        }
    }
    findings
}

pub(super) fn markers_in_code(source: &Source<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (index, line) in source.scanned.code.lines().enumerate() {
        for name in MACROS.iter().filter(|name| line.contains(**name)) {
            findings.push(Finding::new(
                "markers",
                source.path,
                index + 1,
                format!("`{name}` is for the keyboard"),
            ));
        }
    }
    findings
}

pub(super) fn expect_has_reason(source: &Source<'_>) -> Vec<Finding> {
    let code = &source.scanned.code;
    let mut findings = Vec::new();
    for opening in ["#[expect(", "#![expect("] {
        for (start, _) in code.match_indices(opening) {
            let attribute = code[start..].split(")]").next().unwrap_or_default();
            if !attribute.contains("reason =") {
                let line = code[..start].matches('\n').count() + 1;
                findings.push(Finding::new(
                    "expect-reason",
                    source.path,
                    line,
                    "an expected lint needs `reason = \"...\"`",
                ));
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_file_is_found() {
        let path = "crates/store/src/a.rs";
        assert_eq!(length(&Source::new(path, &"x\n".repeat(MAX_LINES))), []);
        assert_eq!(length(&Source::new(path, &"x\n".repeat(MAX_LINES + 1))).len(), 1);
    }

    #[test]
    fn a_file_that_does_not_introduce_itself_is_found() {
        assert_eq!(module_doc(&Source::new("a.rs", "//! Owns a.\nfn a() {}")), []);
        assert_eq!(module_doc(&Source::new("a.rs", "// not a module doc\n//! too late")).len(), 1);
    }

    #[test]
    fn unfinished_work_is_found() {
        for marker in MARKERS {
            assert_eq!(markers_in_text("docs/a.md", &format!("fine\nbut {marker}: later")).len(), 1);
            assert_eq!(markers_in_text("docs/a.md", &format!("msg-{marker}{marker}")), []);
        }
        let source = Source::new("a.rs", "fn a() {\n    todo!()\n}\n// todo! in words\n");
        assert_eq!(markers_in_code(&source).iter().map(|found| found.line).collect::<Vec<_>>(), [2]);
    }

    #[test]
    fn an_expectation_without_reason_is_found() {
        let text = "#[expect(dead_code)]\nfn a() {}\n#[expect(\n    dead_code,\n    reason = \"a test needs it\"\n)]\nfn b() {}\n#![expect(unused, reason = \"r\")]";
        let lines: Vec<usize> =
            expect_has_reason(&Source::new("a.rs", text)).iter().map(|found| found.line).collect();
        assert_eq!(lines, [1]);
    }
}
