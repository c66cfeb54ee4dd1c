//! Commands of git that move branches by their names, make trees, or say what a later push changes.

use super::git::{Git, HIDDEN, branch, target};
use super::{Found, What};
use crate::guard::path;
use crate::guard::shell::Run;

/// Options of `filter-branch` whose value is the next argument.
const FILTERS: [&str; 11] = [
    "--commit-filter",
    "--env-filter",
    "--index-filter",
    "--msg-filter",
    "--original",
    "--parent-filter",
    "--setup",
    "--state-branch",
    "--subdirectory-filter",
    "--tag-name-filter",
    "--tree-filter",
];

/// What such a command does.
pub(super) fn touched(run: &Run, found: &mut Found) {
    let Some(git) = Git::of(run) else { return };
    let directory = git.directory.clone();
    let moves = |name: &str| What::MoveBranch { directory: directory.clone(), name: branch(name) };
    match git.verb {
        "update-ref" if git.has(&["--stdin"]) => {
            for name in updated(run.input.as_deref()) {
                found.add(moves(&name));
            }
        }
        "update-ref" => {
            for name in git.operands(&["-m"]).iter().take(1) {
                match *name {
                    "HEAD" => found.add(What::Commit { directory: directory.clone() }),
                    name => found.add(moves(name)),
                }
            }
        }
        "symbolic-ref" => match git.operands(&["-m"]).as_slice() {
            ["HEAD", to] => found.add(What::Switch { directory, to: branch(to) }),
            [name, _] => found.add(moves(name)),
            _ => {}
        },
        "send-pack" => {
            let named = git.operands(&["--receive-pack", "--exec", "--push-option"]);
            let to: Vec<String> = named.iter().skip(1).filter_map(|refspec| target(refspec)).collect();
            if !to.is_empty() {
                found.add(What::Push { directory, to });
            }
        }
        // What it moves is written in its input, which may come from anywhere.
        "fast-import" => {
            for name in imported(run.input.as_deref()) {
                found.add(moves(&name));
            }
        }
        "filter-branch" | "filter-repo" => {
            for name in git.operands(&FILTERS) {
                found.add(moves(name));
            }
        }
        "worktree" if git.arguments_begin_with("add") => tree(&git, found),
        "config" => {
            let words = git.operands(&["-f", "--file", "--blob", "--type", "--comment"]);
            let words: Vec<&str> = words.into_iter().filter(|word| *word != "set").collect();
            if let [name, value, ..] = words.as_slice() {
                pushes_elsewhere(name, value, &directory, found);
            }
        }
        "push" => {
            let mut words = run.arguments.iter().map(|word| word.as_deref().unwrap_or_default());
            while let Some(word) = words.next() {
                if word == "-c"
                    && let Some((name, value)) = words.next().and_then(|setting| setting.split_once('='))
                {
                    pushes_elsewhere(name, value, &directory, found);
                }
            }
        }
        _ => {}
    }
}

/// A setting by which a push that names no branch changes another one than the one that is checked out.
fn pushes_elsewhere(name: &str, value: &str, directory: &str, found: &mut Found) {
    let name = name.to_lowercase();
    let to = if name.starts_with("remote.") && name.ends_with(".push") {
        target(value)
    } else if name == "push.default" && matches!(value, "upstream" | "tracking" | "matching") {
        Some(HIDDEN.to_owned())
    } else {
        None
    };
    if let Some(to) = to {
        found.add(What::Push { directory: directory.to_owned(), to: vec![to] });
    }
}

/// A tree that is made, and the branch in it.
fn tree(git: &Git<'_>, found: &mut Found) {
    for (option, name) in git.valued(&["-b", "-B"]) {
        git.made(option, name, found);
    }
    let made = git.valued(&["-b", "-B"]).first().map(|(_, name)| branch(name));
    let operands = git.operands(&["-b", "-B", "--reason"]);
    let [_, place, rest @ ..] = operands.as_slice() else { return };
    let detached = git.has(&["--detach", "-d"]);
    let named = match (made, rest.first()) {
        (Some(made), _) if made == HIDDEN => String::new(),
        (Some(made), _) => made,
        (None, _) if detached => String::new(),
        (None, Some(named)) => branch(named),
        (None, None) => path::file_name(place).to_owned(),
    };
    if *place != HIDDEN {
        found.add(What::NewTree { directory: path::join(&git.directory, place), branch: named });
    }
}

/// The refs that lines for `update-ref --stdin` change.
fn updated(input: Option<&str>) -> Vec<String> {
    const VERBS: [&str; 6] =
        ["update", "create", "delete", "symref-update", "symref-create", "symref-delete"];
    let Some(text) = input else { return vec![HIDDEN.to_owned()] };
    let words = text.split(['\n', '\0']).map(|line| line.split_whitespace().collect::<Vec<_>>());
    words
        .filter_map(|words| match words.as_slice() {
            [verb, name, ..] if VERBS.contains(verb) => Some(known(name)),
            _ => None,
        })
        .collect()
}

/// The branches that a stream for `fast-import` changes.
fn imported(input: Option<&str>) -> Vec<String> {
    let Some(text) = input else { return vec![HIDDEN.to_owned()] };
    let named = text.lines().filter_map(|line| line.strip_prefix("commit ").or(line.strip_prefix("reset ")));
    named.map(known).collect()
}

/// A name in a text of commands: with an expansion in it, it is hidden.
fn known(name: &str) -> String {
    if name.contains('$') { HIDDEN.to_owned() } else { name.trim().to_owned() }
}
