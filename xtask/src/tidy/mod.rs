//! `cargo xtask tidy`: the rules of the house that no compiler checks.
//!
//! Every check is a pure function from texts to findings; only this file reads the disk. A finding that
//! must stay is excused by one line in `xtask/tidy-allow.txt`, which is empty and should remain so.

mod arrows;
mod boundaries;
mod links;
mod places;
mod scan;
mod shape;

use std::fmt;
use std::process::ExitCode;

use crate::repo::Repo;
use crate::{Result, ui};

/// Lines of `check path`, each an excuse for one check in one file.
const ALLOW_LIST: &str = "xtask/tidy-allow.txt";

/// One broken rule, at one place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Finding {
    check: &'static str,
    path: String,
    /// 0 when the finding is about the whole file.
    line: usize,
    what: String,
}

impl Finding {
    fn new(check: &'static str, path: &str, line: usize, what: impl Into<String>) -> Self {
        Self { check, path: path.to_owned(), line, what: what.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { check, path, line, what } = self;
        if *line == 0 {
            write!(formatter, "{path}: {what} [{check}]")
        } else {
            write!(formatter, "{path}:{line}: {what} [{check}]")
        }
    }
}

/// One text file of the repository, with its path relative to the root.
#[derive(Debug)]
pub(crate) struct File {
    path: String,
    text: String,
}

/// A Rust file, scanned once for all checks.
#[derive(Debug)]
struct Source<'a> {
    path: &'a str,
    text: &'a str,
    scanned: scan::Scanned,
}

impl<'a> Source<'a> {
    fn new(path: &'a str, text: &'a str) -> Self {
        Self { path, text, scanned: scan::scan(text) }
    }

    /// Whether the whole file is test code, or runs only while building.
    fn is_support_code(&self) -> bool {
        let path = self.path;
        ["/tests/", "/benches/", "/examples/"].iter().any(|folder| path.contains(folder))
            || path.ends_with("/tests.rs")
            || path.ends_with("/build.rs")
    }
}

pub(crate) fn run() -> Result<ExitCode> {
    let findings = findings(&Repo::find()?)?;
    for finding in &findings {
        ui::line(&finding.to_string());
    }
    if findings.is_empty() {
        ui::line("tidy: nothing to complain about");
        return Ok(ExitCode::SUCCESS);
    }
    ui::line(&format!("tidy: {} findings", findings.len()));
    Ok(ExitCode::FAILURE)
}

/// All findings of all checks in the repository, without the excused ones.
pub(crate) fn findings(repo: &Repo) -> Result<Vec<Finding>> {
    let mut files = Vec::new();
    for path in repo.files()? {
        // Deleted but not yet committed files cannot be read; binary files are not text: neither is ours.
        if let Ok(text) = std::fs::read_to_string(repo.root.join(&path)) {
            files.push(File { path, text });
        }
    }
    let mut findings = arrows::check(&arrows::from_metadata(&repo.metadata));
    findings.extend(check_files(&files));
    let allowed = files.iter().find(|file| file.path == ALLOW_LIST).map_or("", |file| file.text.as_str());
    Ok(without_excused(findings, allowed))
}

fn check_files(files: &[File]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in files {
        findings.extend(places::machine_places(&file.path, &file.text));
        findings.extend(shape::markers_in_text(&file.path, &file.text));
        if file.path.ends_with(".sql") {
            findings.extend(boundaries::sql_file(&file.path));
        }
        if file.path.ends_with(".rs") {
            findings.extend(check_source(&Source::new(&file.path, &file.text)));
        }
    }
    findings.extend(links::check(files));
    findings
}

fn check_source(source: &Source<'_>) -> Vec<Finding> {
    let checks = [
        boundaries::core_is_pure,
        boundaries::sql_only_in_store,
        boundaries::environment_only_in_config,
        boundaries::prints_only_in_ui,
        shape::length,
        shape::module_doc,
        shape::markers_in_code,
        shape::expect_has_reason,
    ];
    checks.iter().flat_map(|check| check(source)).collect()
}

fn without_excused(findings: Vec<Finding>, allow_list: &str) -> Vec<Finding> {
    let excused: Vec<(&str, &str)> = allow_list
        .lines()
        .filter(|line| !line.trim_start().starts_with('#'))
        .filter_map(|line| line.trim().split_once(' '))
        .map(|(check, path)| (check, path.trim()))
        .collect();
    findings.into_iter().filter(|found| !excused.contains(&(found.check, found.path.as_str()))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_excused_finding_is_dropped() {
        let found = |check, path| Finding::new(check, path, 3, "too much of it");
        let all = vec![found("length", "a.rs"), found("length", "b.rs"), found("markers", "a.rs")];
        let left = without_excused(all, "# excuses\nlength a.rs\n");
        assert_eq!(left, [found("length", "b.rs"), found("markers", "a.rs")]);
    }

    #[test]
    fn every_file_check_is_wired_in() {
        let long = "x\n".repeat(501);
        let source = format!(
            "use std::fs;\nfn f() {{ std::env::var(\"A\"); println!(); dbg!(1); g(\"{}\") }}\n#[expect(dead_code)]\n{long}",
            ["SELECT", "1 FROM a"].join(" ")
        );
        let files = [
            File { path: "crates/core/src/a.rs".to_owned(), text: source },
            File { path: "docs/a.md".to_owned(), text: format!("[x](missing.md) /{}/somebody", "root") },
            File { path: "crates/wire/a.sql".to_owned(), text: String::new() },
        ];
        let mut seen: Vec<&str> = check_files(&files).iter().map(|finding| finding.check).collect();
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(
            seen,
            [
                "core-pure",
                "environment",
                "expect-reason",
                "length",
                "links",
                "markers",
                "module-doc",
                "places",
                "prints",
                "sql"
            ]
        );
    }
}
