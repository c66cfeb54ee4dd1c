//! The list by which git hides the files that setup made: `info/exclude` of the repository, which all its worktrees share.
//!
//! Our lines are between two marks, and are computed from the records: what is undone is no longer hidden.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use interagent_agents::setup::{Record, What, is_only_block};

use super::Ground;
use crate::config::git::{Tree, tree_around};
use crate::config::trees::real_path;
use crate::files;

const LIST: &str = "exclude";
const BEGIN: &str = "# interagent:begin";
const ABOUT: &str = "# Created by `interagent setup`; removed by `interagent setup --undo`. To commit a file: git add -f FILE";
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
    let own = tree_around(&ground.root);
    if let Some(tree) = &own {
        hidden.entry(real_path(&tree.common_dir)).or_default();
    }
    let directories = ground.recorded().into_iter().chain([ground.root.clone()]);
    let records = directories.flat_map(|directory| ground.records(&directory).all());
    let (made, kept): (Vec<Record>, Vec<Record>) = records.partition(is_to_be_hidden);
    let known: BTreeSet<PathBuf> = made.iter().map(|record| record.path.clone()).chain(about_to_be).collect();
    let mut visible = BTreeSet::new();
    for path in kept.iter().map(|record| &record.path) {
        visible.extend(listed(path).map(|(list, _, rule)| (list, rule)));
    }
    for (list, inside, rule) in known.iter().filter_map(|path| listed(path)) {
        // One rule counts in every tree, so it must not match a file that the person has in the project. Promoted skills,
        // which are in no record there, lie deeper and say the same in every tree.
        let in_project =
            own.as_ref().filter(|_| inside.iter().count() == 1).map(|tree| tree.root.join(inside));
        let is_persons = in_project.is_some_and(|path| path.exists() && !known.contains(&path));
        if !is_persons && !visible.contains(&(list.clone(), rule.clone())) {
            hidden.entry(list).or_default().insert(rule);
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

/// The common directory of the repository around a file, the file's path in its tree, and its rule.
fn listed(path: &Path) -> Option<(PathBuf, PathBuf, String)> {
    let tree = tree_around(path)?;
    let inside = path.strip_prefix(&tree.root).ok()?.to_owned();
    let rule = rule(&inside)?;
    Some((real_path(&tree.common_dir), inside, rule))
}

/// Shows git a file of instructions again once a person has written into it. Reads only the list and the few such files in
/// it, so that any command can do this.
pub(crate) fn reveal(ground: &Ground) -> io::Result<()> {
    let Some(tree) = tree_around(&ground.root) else { return Ok(()) };
    let Ok(list) = fs::read_to_string(tree.common_dir.join("info").join(LIST)) else { return Ok(()) };
    let files = own_lines(&list).filter_map(|line| Some(tree.root.join(line.strip_prefix('/')?)));
    let is_instructions = |path: &PathBuf| {
        path.parent() == Some(&ground.root) && path.extension().is_some_and(|extension| extension == "md")
    };
    let mut texts = files.filter(is_instructions).filter_map(|path| fs::read_to_string(path).ok());
    match texts.any(|text| !is_only_block(&text)) {
        true => refresh(ground, Vec::new()),
        false => Ok(()),
    }
}

/// Shows git what an undo without a hub removed. No record is left, so a rule stays only while it hides a file: in another
/// worktree, or in this one where `kept` says that a client there is still set up.
pub(crate) fn forget_removed(project: &Path, kept: Kept) -> io::Result<()> {
    let Some(tree) = tree_around(project) else { return Ok(()) };
    let directory = tree.common_dir.join("info");
    let Ok(before) = fs::read_to_string(directory.join(LIST)) else { return Ok(()) };
    let hides = |root: &Path, rule: &str| {
        let path = root.join(rule.trim_start_matches('/').replace('\\', ""));
        let is_text = path.extension().is_some_and(|extension| extension == "md");
        fs::read_to_string(path).is_ok_and(|text| !is_text || is_only_block(&text) || rule.contains("skills"))
    };
    let others = other_trees(&tree);
    let is_kept = |rule: &&str| {
        others.iter().any(|root| hides(root, rule)) || (kept == Kept::OtherClients && hides(&tree.root, rule))
    };
    let rules = own_lines(&before).filter(|line| line.starts_with('/')).filter(is_kept);
    let text = with_rules(&before, &rules.map(str::to_owned).collect());
    if text == before { Ok(()) } else { files::write(&directory, LIST, &text) }
}

/// What stays in the project after an undo.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kept {
    Nothing,
    /// Only some clients were undone.
    OtherClients,
}

/// The roots of the other worktrees of a repository.
fn other_trees(tree: &Tree) -> Vec<PathBuf> {
    let linked = fs::read_dir(tree.common_dir.join("worktrees")).into_iter().flatten().flatten();
    let of_linked = linked.filter_map(|entry| {
        let git_file = fs::read_to_string(entry.path().join("gitdir")).ok()?;
        Path::new(git_file.trim_end()).parent().map(Path::to_owned)
    });
    let main = tree.common_dir.parent().filter(|_| tree.common_dir.ends_with(".git")).map(Path::to_owned);
    let own = real_path(&tree.root);
    of_linked.chain(main).filter(|root| real_path(root) != own).collect()
}

/// The lines of our part of the list.
fn own_lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().skip_while(|line| line.trim_end() != BEGIN).take_while(|line| line.trim_end() != END)
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
    let (mut before, after) = around(text, rules);
    if rules.is_empty() {
        return before + &after;
    }
    if !before.is_empty() && !before.ends_with('\n') {
        before.push('\n');
    }
    let listed: String = rules.iter().map(|rule| format!("{rule}\n")).collect();
    format!("{before}{BEGIN}\n{ABOUT}\n{listed}{END}\n{after}")
}

/// What is before and after our part. Without an end mark, everything counts as the person's but the lines that we write.
fn around(text: &str, rules: &BTreeSet<String>) -> (String, String) {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let Some(begin) = lines.iter().position(|line| line.trim_end() == BEGIN) else {
        return (text.to_owned(), String::new());
    };
    let rest = &lines[begin + 1..];
    let after = match rest.iter().position(|line| line.trim_end() == END) {
        Some(end) => rest[end + 1..].concat(),
        None => {
            let is_ours = |line: &str| line == ABOUT || rules.contains(line);
            rest.iter().filter(|line| !is_ours(line.trim_end())).copied().collect()
        }
    };
    (lines[..begin].concat(), after)
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
    fn missing_end_mark_loses_no_line() {
        let rules = BTreeSet::from(["/.mcp.json".to_owned()]);
        let with = with_rules("*.log\n", &rules);
        let damaged = format!("{}target/\n/mine\n", with.replace(&format!("{END}\n"), ""));
        assert_eq!(with_rules(&damaged, &rules), format!("{with}target/\n/mine\n"));
    }

    #[test]
    fn rules_name_one_file_each() {
        assert_eq!(rule(Path::new(".claude/a [b]*.json")).as_deref(), Some("/.claude/a\\ \\[b]\\*.json"));
        assert_eq!(rule(Path::new("a\nb")), None);
    }
}
