//! What people and programs are shown: every command in one story, on screens of three widths and as JSON.
//!
//! One file for each command lies in `snapshots`. Read them as somebody who sits before that screen.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a helper of a test fails by panicking")]

mod mask;
mod story;
mod width;
mod world;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};

use world::{Form, Scene, play};

const WIDTHS: [usize; 3] = [60, 80, 200];

/// Commands without a snapshot, and why.
const NOT_SHOWN: [(&str, &str); 35] = [
    ("export", "its answer is a file: tests/cli/holding.rs"),
    ("hold list", "it needs a secret: tests/cli/holding.rs"),
    ("hold show", "it needs a secret: tests/cli/holding.rs"),
    ("hold release", "it needs a secret: tests/cli/holding.rs"),
    ("hold purge", "it needs a secret: tests/cli/holding.rs"),
    ("guard check", "it speaks with clients: tests/cli/guard.rs"),
    ("guard commit", "git calls it, and it says nothing: tests/cli/guard.rs"),
    ("guard install", "it needs a repository: tests/cli/guard.rs"),
    ("guard push", "git calls it, and it says nothing: tests/cli/guard.rs"),
    ("guard refs", "git calls it, and it says nothing: tests/cli/guard/updates.rs"),
    ("guard restore", "what it puts back has a name of its own each time: tests/cli/guard/after.rs"),
    ("hook", "it speaks with clients: tests/cli/hooks.rs"),
    ("wake", "it needs a client: tests/cli/hooks.rs"),
    ("up", "it needs clients and tmux: tests/cli/team_tmux"),
    ("down", "it needs clients and tmux: tests/cli/team_tmux"),
    ("restart", "it needs clients and tmux: tests/cli/team_tmux"),
    ("attach", "it needs clients and tmux: tests/cli/team_tmux"),
    ("join", "it needs clients and tmux: tests/cli/team_tmux"),
    ("agent instructions", "what it says is the core's own snapshot: tests/cli/roles.rs"),
    ("task split", "it needs a chain of command: tests/cli/roles.rs"),
    ("supervise", "what it says depends on the time: tests/cli/supervise.rs"),
    ("run", "it needs a client: tests/cli/run.rs"),
    ("import", "it needs another system's files: tests/cli/moving.rs"),
    ("inbox-write", "it answers as the operations it calls do: tests/cli/inbox_write.rs"),
    ("notify", "it depends on the machine: tests/cli/notify.rs"),
    ("restore", "it takes the place of everything the story did: tests/cli/upkeep.rs"),
    ("sync", "it needs a repository: tests/sync"),
    ("replica list", "it needs two clones: tests/sync/replicas.rs"),
    ("replica accept", "it needs two clones: tests/sync/replicas.rs"),
    ("replica reject", "it needs two clones: tests/sync/replicas.rs"),
    ("api", "it speaks with programs, not with people: tests/cli/api.rs"),
    ("mcp", "it speaks with clients, not with people: tests/mcp"),
    ("watch", "goes on until it is ended"),
    ("completion", "a script for a shell"),
    ("man", "a page for man, made from the help"),
];

/// Commands whose JSON is not here, and why.
const NO_JSON: [(&str, &str); 1] =
    [("operations", "the schema of every operation: docs/reference/operations.md has it")];

/// Every command that can be called, from the page that is checked against the program.
fn commands() -> Vec<String> {
    let page = include_str!("../../../../docs/reference/commands.md");
    let all: Vec<String> =
        page.lines().filter_map(|line| Some(line.strip_prefix("## interagent ")?.to_owned())).collect();
    let is_group = |command: &String| all.iter().any(|other| other.starts_with(&format!("{command} ")));
    // These are commands and groups at once.
    let is_called = |command: &String| !is_group(command) || ["status", "log"].contains(&command.as_str());
    all.iter().filter(|command| is_called(command)).cloned().collect()
}

/// The command that a line calls: the longest that it begins with.
fn command_of(line: &str) -> String {
    let begins = |command: &String| line == command || line.starts_with(&format!("{command} "));
    commands()
        .into_iter()
        .filter(begins)
        .max_by_key(String::len)
        .unwrap_or_else(|| panic!("no command: {line}"))
}

#[test]
fn every_command_has_a_snapshot_or_a_reason() {
    let shown: BTreeSet<String> =
        story::story().filter(|step| step.shown).map(|step| command_of(step.line)).collect();
    let excused: BTreeSet<String> = NOT_SHOWN.iter().map(|(command, _)| (*command).to_owned()).collect();
    let all: BTreeSet<String> = commands().into_iter().collect();
    assert_eq!(all, shown.union(&excused).cloned().collect::<BTreeSet<_>>());
    assert!(shown.is_disjoint(&excused), "{shown:?}");
    let files: BTreeSet<String> =
        std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/shown/snapshots"))
            .unwrap()
            .filter_map(|file| {
                Some(file.unwrap().file_name().into_string().unwrap().strip_suffix(".snap")?.to_owned())
            })
            .collect();
    assert_eq!(files, shown.iter().map(|command| command.replace(' ', "_")).collect());
}

#[test]
fn the_story_as_everybody_sees_it() {
    let forms = [Form::Columns(WIDTHS[0]), Form::Columns(WIDTHS[1]), Form::Columns(WIDTHS[2]), Form::Json];
    let worlds: Vec<Vec<Scene>> = std::thread::scope(|scope| {
        let played: Vec<_> = forms.iter().map(|form| scope.spawn(|| play(*form))).collect();
        played.into_iter().map(|world| world.join().unwrap()).collect()
    });
    let mut files: BTreeMap<String, String> = BTreeMap::new();
    let mut wide = Vec::new();
    for number in 0..worlds[0].len() {
        let scenes: Vec<&Scene> = worlds.iter().map(|world| &world[number]).collect();
        let line = scenes[0].step.line;
        let command = command_of(line);
        for (scene, width) in scenes.iter().zip(WIDTHS) {
            wide.extend(
                width::overflows(&command, &scene.shown, width)
                    .map(|over| format!("{line} at {width}: {over}")),
            );
        }
        let file = files.entry(command.clone()).or_default();
        let typed = line
            .split(" => ")
            .next()
            .unwrap()
            .escape_debug()
            .to_string()
            .replace("\\'", "'")
            .replace("\\\"", "\"");
        writeln!(file, "{}$ interagent {typed}\n{}", scenes[0].step.who, picture(&command, &scenes)).unwrap();
    }
    let settings = {
        let mut settings = insta::Settings::clone_current();
        settings.set_snapshot_path("snapshots");
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        settings
    };
    // All that changed is told, not only the first.
    let changed: Vec<&String> = files
        .iter()
        .filter(|(command, text)| {
            let compare = || settings.bind(|| insta::assert_snapshot!(command.replace(' ', "_"), text));
            catch_unwind(AssertUnwindSafe(compare)).is_err()
        })
        .map(|(command, _)| command)
        .collect();
    assert!(wide.is_empty(), "wider than the screen:\n{}", wide.join("\n"));
    assert!(changed.is_empty(), "other than before: {changed:?}");
}

/// The four views of one step; equal ones stand together.
fn picture(command: &str, scenes: &[&Scene]) -> String {
    let mut picture = String::new();
    let mut from = 0;
    while from < WIDTHS.len() {
        let same =
            scenes[from..WIDTHS.len()].iter().take_while(|scene| scene.shown == scenes[from].shown).count();
        let widths: Vec<String> = WIDTHS[from..from + same].iter().map(ToString::to_string).collect();
        write!(picture, "--- {} columns\n{}", widths.join(", "), scenes[from].shown).unwrap();
        from += same;
    }
    match NO_JSON.iter().find(|(excused, _)| *excused == command) {
        Some((_, why)) => writeln!(picture, "--- json\n({why})").unwrap(),
        None => write!(picture, "--- json\n{}", scenes[WIDTHS.len()].shown).unwrap(),
    }
    picture
}
