//! What must be absent where: no world in the core, no SQL outside the store, no environment outside the
//! configuration, no printing outside the one door to the terminal.

use super::{Finding, Source};

/// Modules of `std` that reach the world, and names that read the clock or draw numbers.
const WORLD_MODULES: [&str; 5] = ["fs", "env", "time", "net", "process"];
const WORLD_WORDS: [&str; 6] = ["SystemTime", "Instant", "rand", "getrandom", "Timestamp::now", "Zoned::now"];

pub(super) fn core_is_pure(source: &Source<'_>) -> Vec<Finding> {
    if !source.path.starts_with("crates/core/src/") || source.is_support_code() {
        return Vec::new();
    }
    let mut findings =
        uses_of_std(source, "core-pure", &WORLD_MODULES, "the core has no input, output or clock");
    for (line, code) in source.scanned.product_lines() {
        for word in WORLD_WORDS.iter().filter(|word| has_word(code, word)) {
            findings.push(Finding::new(
                "core-pure",
                source.path,
                line,
                format!("`{word}`: time and chance are arguments here"),
            ));
        }
    }
    findings
}

/// Beginnings of statements. Upper case as we write SQL, so that prose is not taken for it.
const SQL_STARTS: [&str; 14] = [
    "SELECT ",
    "INSERT INTO ",
    "INSERT OR ",
    "REPLACE INTO ",
    "DELETE FROM ",
    "CREATE TABLE ",
    "CREATE INDEX ",
    "CREATE UNIQUE INDEX ",
    "CREATE VIRTUAL TABLE ",
    "ALTER TABLE ",
    "DROP TABLE ",
    "PRAGMA ",
    "BEGIN IMMEDIATE",
    "WITH RECURSIVE ",
];

/// The store is where SQL lives. The baselines of the benchmark speak to SQLite without it on purpose, and the
/// conformance suite damages and dumps rows behind the store's back.
const SQL_HOMES: [&str; 4] = ["crates/store/", "crates/testkit/", "bench/", "xtask/src/tidy/"];

pub(super) fn sql_only_in_store(source: &Source<'_>) -> Vec<Finding> {
    if SQL_HOMES.iter().any(|home| source.path.starts_with(home)) {
        return Vec::new();
    }
    let statements = source.scanned.strings.iter().filter(|(_, text)| is_sql(text));
    statements
        .map(|(line, text)| {
            let start: String = text.trim_start().chars().take(24).collect();
            Finding::new("sql", source.path, *line, format!("SQL (`{start}...`) belongs into crates/store"))
        })
        .collect()
}

fn is_sql(text: &str) -> bool {
    let text = text.trim_start_matches(|character: char| character.is_whitespace() || character == '\\');
    let updates = text.starts_with("UPDATE ") && text.contains("SET ");
    updates || SQL_STARTS.iter().any(|start| text.starts_with(start))
}

pub(super) fn sql_file(path: &str) -> Vec<Finding> {
    if path.starts_with("crates/store/") {
        return Vec::new();
    }
    vec![Finding::new("sql", path, 0, "SQL files belong into crates/store")]
}

/// Where the environment may be read: the binary's configuration, and code that users never run.
const ENVIRONMENT_HOMES: [&str; 4] = ["crates/interagent/src/config/", "crates/testkit/", "xtask/", "bench/"];
const ENVIRONMENT_WORDS: [&str; 5] = ["env::var", "env::var_os", "env::current_dir", "home_dir", "getpwuid"];

pub(super) fn environment_only_in_config(source: &Source<'_>) -> Vec<Finding> {
    if source.is_support_code() || ENVIRONMENT_HOMES.iter().any(|home| source.path.starts_with(home)) {
        return Vec::new();
    }
    let why = "only crates/interagent/src/config reads the environment";
    let mut findings = uses_of_std(source, "environment", &["env"], why);
    for (line, code) in source.scanned.product_lines() {
        for word in ENVIRONMENT_WORDS.iter().filter(|word| has_word(code, word) && !code.contains("std::env"))
        {
            findings.push(Finding::new("environment", source.path, line, format!("`{word}`: {why}")));
        }
    }
    findings
}

const PRINT_MACROS: [&str; 4] = ["print!", "println!", "eprint!", "eprintln!"];
const PRINT_HOMES: [&str; 5] = [
    "crates/interagent/src/ui.rs",
    "crates/interagent/src/ui/",
    "crates/testkit/src/bin/",
    "xtask/src/ui.rs",
    "bench/",
];

pub(super) fn prints_only_in_ui(source: &Source<'_>) -> Vec<Finding> {
    if source.is_support_code() || PRINT_HOMES.iter().any(|home| source.path.starts_with(home)) {
        return Vec::new();
    }
    let mut findings = Vec::new();
    for (line, code) in source.scanned.product_lines() {
        for name in PRINT_MACROS.iter().filter(|name| has_word(code, name)) {
            findings.push(Finding::new(
                "prints",
                source.path,
                line,
                format!("`{name}`: only crates/interagent/src/ui.rs prints"),
            ));
        }
    }
    findings
}

/// Uses of modules of `std`, written as a path or inside a braced import.
fn uses_of_std(source: &Source<'_>, check: &'static str, modules: &[&str], why: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (line, code) in source.scanned.product_lines() {
        for module in modules.iter().filter(|module| has_word(code, &format!("std::{module}"))) {
            findings.push(Finding::new(check, source.path, line, format!("`std::{module}`: {why}")));
        }
    }
    for (start, group) in braced_imports(&source.scanned.code) {
        let line = source.scanned.code[..start].matches('\n').count() + 1;
        for module in modules.iter().filter(|module| group.iter().any(|name| name == *module)) {
            if !source.scanned.is_test_line(line) {
                findings.push(Finding::new(check, source.path, line, format!("`std::{module}`: {why}")));
            }
        }
    }
    findings
}

/// For every `std::{...}`: where it starts and the first name of each of its items.
fn braced_imports(code: &str) -> Vec<(usize, Vec<String>)> {
    let mut groups = Vec::new();
    for (start, opening) in code.match_indices("std::{") {
        let mut depth = 1;
        let mut names = vec![String::new()];
        for character in code[start + opening.len()..].chars() {
            match character {
                '{' => depth += 1,
                '}' => depth -= 1,
                ',' if depth == 1 => names.push(String::new()),
                _ if depth == 1 => names.last_mut().into_iter().for_each(|name| name.push(character)),
                _ => {}
            }
            if depth == 0 {
                break;
            }
        }
        let first = |item: String| item.trim().split([':', ' ']).next().unwrap_or_default().to_owned();
        groups.push((start, names.into_iter().map(first).collect()));
    }
    groups
}

/// Whether `word` occurs in `code` and is not part of a longer name.
fn has_word(code: &str, word: &str) -> bool {
    let part_of_name = |character: char| character.is_alphanumeric() || character == '_';
    code.match_indices(word).any(|(start, _)| {
        let before = code[..start].chars().next_back();
        let after = code[start + word.len()..].chars().next();
        !before.is_some_and(part_of_name) && (word.ends_with('!') || !after.is_some_and(part_of_name))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(check: fn(&Source<'_>) -> Vec<Finding>, path: &str, text: &str) -> Vec<usize> {
        check(&Source::new(path, text)).iter().map(|finding| finding.line).collect()
    }

    #[test]
    fn the_world_is_found_in_the_core() {
        let text = "use std::fs::File;\nuse std::collections::BTreeMap;\nuse std::{\n    fmt, time::{Duration},\n};\nlet now = SystemTime::now();\nlet operand = brand;\nlet x = rand::random();\n// std::fs in a comment\nlet y = \"std::env\";";
        assert_eq!(lines(core_is_pure, "crates/core/src/a.rs", text), [1, 3, 6, 8]);
        assert_eq!(lines(core_is_pure, "crates/store/src/a.rs", text), [0; 0]);
        assert_eq!(
            lines(core_is_pure, "crates/core/src/a.rs", "#[cfg(test)]\nmod tests {\nuse std::fs;\n}"),
            [0; 0]
        );
    }

    #[test]
    fn sql_is_found_outside_the_store() {
        let text = "a(\"SELECT id FROM mail\");\nb(\"\\\n   UPDATE mail SET x = 1\");\nc(\"UPDATE failed\");\nd(\"Select a name\");\n// SELECT 1";
        assert_eq!(lines(sql_only_in_store, "crates/operations/src/a.rs", text), [1, 2]);
        assert_eq!(lines(sql_only_in_store, "crates/store/src/a.rs", text), [0; 0]);
        assert_eq!(sql_file("crates/wire/x.sql").len(), 1);
        assert_eq!(sql_file("crates/store/migrations/x.sql"), []);
    }

    #[test]
    fn the_environment_is_found_outside_the_configuration() {
        let text = "std::env::var(\"A\");\nuse std::{env, fs};\nenv::var_os(\"B\");\ncommand.env(\"C\", \"d\");\nenv!(\"CARGO_PKG_VERSION\");";
        assert_eq!(lines(environment_only_in_config, "crates/interagent/src/main.rs", text), [1, 2, 3]);
        assert_eq!(lines(environment_only_in_config, "crates/interagent/src/config/mod.rs", text), [0; 0]);
        assert_eq!(lines(environment_only_in_config, "crates/interagent/tests/cli.rs", text), [0; 0]);
    }

    #[test]
    fn printing_is_found_outside_the_door() {
        let text = "println!(\"a\");\nmy_println!(\"b\");\nwriteln!(out, \"c\");\neprint!(\"d\");\nlet s = \"println!\";";
        assert_eq!(lines(prints_only_in_ui, "crates/interagent/src/main.rs", text), [1, 4]);
        assert_eq!(lines(prints_only_in_ui, "crates/interagent/src/ui.rs", text), [0; 0]);
    }
}
