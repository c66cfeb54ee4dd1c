//! Random histories of two clones, three worktrees and two branches, with plain git in between: in the end everybody sees
//! the same.

use interagent_testkit::crash::{Dice, is_soak};

use crate::world::World;

const TREES: [&str; 3] = ["a", "a2", "b"];
#[derive(Clone, Copy, PartialEq, Eq)]
enum Track {
    Branch,
    Worktree,
}

const STEPS: u64 = 12;
/// So often everybody meets everybody in the end.
const ROUNDS: u32 = 2;

/// Of each way; together they are twice as many.
fn histories() -> u32 {
    if is_soak() { 100 } else { 10 }
}

/// What members do.
fn work(world: &World, dice: &mut Dice, tree: &str, number: u64) {
    let agent = ["claude", "kimi"][usize::try_from(dice.below(2)).unwrap()];
    let other = if agent == "claude" { "kimi" } else { "claude" };
    let text = format!("number {number} in {tree}");
    let run = |arguments: &[&str]| {
        // A rule may refuse what chance comes up with.
        let _ = world.within(tree).env("INTERAGENT_AGENT", agent).run(arguments);
    };
    let open = |list: &[&str], field: &str| {
        let items = world.json(tree, list)["items"].clone();
        items.as_array().and_then(|items| items.first()?[field].as_str().map(str::to_owned))
    };
    match dice.below(12) {
        0..=3 => run(&["send", "--to", other, "-m", &text]),
        4 => run(&["send", "--to", other, "--intent", "question", "-m", &text]),
        5 => run(&["task", "create", &text, "--to", other]),
        6 => {
            if let Some(task) = open(&["task", "list"], "id") {
                run(&["task", "update", &task, "--status", "in_progress"]);
            }
        }
        7 => {
            if let Some(task) = open(&["task", "list"], "id") {
                run(&["task", "note", &task, &text]);
            }
        }
        8 => run(&["spec", "publish", "api", "-m", &text]),
        9 => run(&["decision", "open", &text, "--option", "yes", "--option", "no"]),
        10 => run(&["lease", "take", &format!("src/{number}.rs"), "--reason", &text]),
        _ => run(&["review", "open", &text, "-m", &text, "--to", other]),
    }
}

/// What people do with git.
fn git(world: &World, dice: &mut Dice, tree: &str, number: u64) {
    let commit = |tree: &str| {
        std::fs::write(world.at(tree).join(format!("f{number}-{tree}")), "x\n").unwrap();
        world.git(tree, &["add", "-A"]);
        let _ = world.try_git(tree, &["commit", "--quiet", "-m", &format!("work {number}")]);
    };
    match dice.below(4) {
        0 => commit(tree),
        1 => {
            let _ = world.try_git(
                tree,
                &["merge", "--quiet", "--no-edit", if tree == "a2" { "main" } else { "feature" }],
            );
        }
        2 => {
            commit(tree);
            let _ = world.try_git(tree, &["pull", "--quiet", "--no-rebase", "--no-edit", "origin", "main"]);
            let _ = world.try_git(tree, &["push", "--quiet", "origin", "HEAD:main"]);
        }
        _ => {
            // A branch of its own, and back.
            if tree == "b" {
                let other = if world.git("b", &["branch", "--show-current"]).trim() == "main" {
                    "feature"
                } else {
                    "main"
                };
                let _ = world.try_git("b", &["checkout", "--quiet", "-B", other, "--track", "origin/main"]);
            }
        }
    }
}

fn history(dice: &mut Dice, track: Track) {
    let world = match track {
        Track::Branch => World::new(),
        Track::Worktree => World::in_worktree(),
    };
    world.run("a", &["sync"]);
    world.git("a", &["worktree", "add", "--quiet", "-b", "feature", "../a2"]);
    world.clone_of("remote.git", "b");
    world.run("b", &["sync"]);
    for number in 0..STEPS {
        let tree = TREES[usize::try_from(dice.below(3)).unwrap()];
        match dice.below(10) {
            0..=5 => work(&world, dice, tree, number),
            6..=7 => git(&world, dice, tree, number),
            _ => drop(world.run(tree, &["sync"])),
        }
    }
    // Who lost is told by an entry of its home, which has to go round once more.
    for _ in 0..ROUNDS {
        for tree in ["a", "b", "a2"] {
            world.run(tree, &["sync"]);
            if track == Track::Worktree {
                world.exchange(tree);
                world.run(tree, &["sync"]);
            }
        }
    }
    world.same("a", "b");
    world.same("a2", "b");
    for tree in TREES {
        world.without_conflicts(tree);
        if track == Track::Branch {
            assert_eq!(world.git(tree, &["status", "--porcelain"]), "");
        }
    }
}

#[test]
fn random_histories_in_the_worktree() {
    let mut dice = Dice::new();
    for _ in 0..histories() {
        history(&mut dice, Track::Worktree);
    }
}

#[test]
fn random_histories_on_the_branch() {
    let mut dice = Dice::new();
    for _ in 0..histories() {
        history(&mut dice, Track::Branch);
    }
}
