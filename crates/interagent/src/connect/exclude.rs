//! The list by which git hides the files that setup made: `info/exclude` of the repository, which all its worktrees share.
//!
//! Our lines are between two marks, and are computed from the records: what is undone is no longer hidden.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use interagent_agents::setup::{Record, What, is_only_block};

use super::Ground;
use crate::config::git::tree_around;
use crate::config::trees::real_path;
use crate::files;

const LIST: &str = "exclude";
const BEGIN: &str = "# interagent:begin";
const ABOUT: &str = "# Files that `interagent setup` made for this machine; `interagent setup --undo` removes these lines. To commit one: git add -f FILE";
const END: &str = "# interagent:end";
const DIRECTORY_MODE: u32 = 0o755;

/// A list that has to change.
#[derive(Debug)]
pub(crate) struct ListChange {
    directory: PathBuf,
    text: String,
}

/// Hides what setup made in the project and in the directories of its agents, and what is about to be made.
pub(crate) fn refresh(ground: &Ground, about_to_be: Vec<PathBuf>) -> io::Result<()> {
    plan(ground, about_to_be)?.into_iter().try_for_each(|change| {
        files::make_directories(&change.directory, DIRECTORY_MODE)?;
        files::write(&change.directory, LIST, &change.text)
    })
}

/// The lists that do not hide yet what they should.
pub(crate) fn plan(ground: &Ground, about_to_be: Vec<PathBuf>) -> io::Result<Vec<ListChange>> {
    let mut hidden: BTreeMap<PathBuf, BTreeSet<String>> = BTreeMap::new();
    // The list of the project's own repository changes also where nothing is to be hidden any more.
    if let Some(tree) = tree_around(&ground.root) {
        hidden.entry(real_path(&tree.common_dir)).or_default();
    }
    let directories = ground.recorded().into_iter().chain([ground.root.clone()]);
    let records = directories.flat_map(|directory| ground.records(&directory).all());
    let made = records.filter(is_to_be_hidden).map(|record| record.path);
    for path in made.chain(about_to_be) {
        let Some(tree) = tree_around(&path) else { continue };
        if let Some(rule) = path.strip_prefix(&tree.root).ok().and_then(rule) {
            hidden.entry(real_path(&tree.common_dir)).or_default().insert(rule);
        }
    }
    let mut changes = Vec::new();
    for (common_dir, rules) in hidden {
        let directory = common_dir.join("info");
        let before = match fs::read_to_string(directory.join(LIST)) {
            Err(error) if error.kind() == ErrorKind::NotFound => String::new(),
            read => read?,
        };
        let text = with_rules(&before, &rules);
        if text != before {
            changes.push(ListChange { directory, text });
        }
    }
    Ok(changes)
}

/// The files that setup makes where there was none. Instructions that somebody wrote more into are a file of the project.
fn is_to_be_hidden(record: &Record) -> bool {
    let is_text = record.uses.iter().all(|used| used.what == What::Instructions);
    let has_more = || fs::read_to_string(&record.path).is_ok_and(|text| !is_only_block(&text));
    record.original.is_none() && !(is_text && has_more())
}

/// The rule for one file, from the root of its tree.
fn rule(inside: &Path) -> Option<String> {
    let inside = inside.to_str().filter(|inside| !inside.contains('\n'))?;
    let mut rule = String::from("/");
    for letter in inside.chars() {
        if matches!(letter, '\\' | '*' | '?' | '[' | ' ') {
            rule.push('\\');
        }
        rule.push(letter);
    }
    Some(rule)
}

/// The list with these rules in our part of it; without any, without our part.
fn with_rules(text: &str, rules: &BTreeSet<String>) -> String {
    let mut before = String::new();
    let mut after = String::new();
    let (mut is_inside, mut is_behind) = (false, false);
    for line in text.split_inclusive('\n') {
        match line.trim_end() {
            BEGIN => is_inside = true,
            END if is_inside => (is_inside, is_behind) = (false, true),
            _ if is_inside => {}
            _ if is_behind => after.push_str(line),
            _ => before.push_str(line),
        }
    }
    if rules.is_empty() {
        return before + &after;
    }
    if !before.is_empty() && !before.ends_with('\n') {
        before.push('\n');
    }
    let listed: String = rules.iter().map(|rule| format!("{rule}\n")).collect();
    format!("{before}{BEGIN}\n{ABOUT}\n{listed}{END}\n{after}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_come_and_go_between_a_persons_lines() {
        let rules = |names: &[&str]| names.iter().map(ToString::to_string).collect::<BTreeSet<_>>();
        for text in ["", "# mine\n*.log\n", "*.log"] {
            let with = with_rules(text, &rules(&["/.mcp.json"]));
            assert_eq!(with_rules(&with, &rules(&["/.mcp.json"])), with);
            let more = with_rules(&format!("{with}target/\n"), &rules(&["/.mcp.json", "/AGENTS.md"]));
            assert!(more.ends_with("/.mcp.json\n/AGENTS.md\n# interagent:end\ntarget/\n"), "{more}");
            let line_end = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
            assert_eq!(with_rules(&more, &rules(&[])), format!("{text}{line_end}target/\n"));
        }
    }

    #[test]
    fn rules_name_one_file_each() {
        assert_eq!(rule(Path::new(".claude/a [b]*.json")).as_deref(), Some("/.claude/a\\ \\[b]\\*.json"));
        assert_eq!(rule(Path::new("a\nb")), None);
    }
}
