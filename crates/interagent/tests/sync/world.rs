//! A remote, clones of it and their worktrees, with git as a person uses it and nothing of ours in its hooks.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use interagent_testkit::Sandbox;
use interagent_testkit::sandbox::Run;
use serde_json::Value;

/// A home, and repositories beside it.
pub(crate) struct World {
    pub(crate) sandbox: Sandbox,
    root: PathBuf,
}

/// The lists that must be the same in all clones.
const LISTS: [&[&str]; 8] = [
    &["task", "list", "--limit", "1000"],
    &["msg", "list", "--limit", "1000"],
    &["agent", "list"],
    &["decision", "list"],
    &["spec", "list"],
    &["review", "list", "--limit", "1000"],
    // Leases bind where they were taken, so their list is of one machine; the log has them all.
    &["log", "--limit", "1000"],
    &["team", "show"],
];

/// What follows from where one looks: how a name is written, who is at home, what this machine observed.
const LOCAL: [&str; 8] = ["local", "seq", "next", "what", "seen", "liveness", "you", "reach"];

impl World {
    /// A bare repository, and a clone `a` with a commit and a team.
    pub(crate) fn new() -> Self {
        let world = Self::empty();
        world.clone_of("remote.git", "a");
        std::fs::write(world.at("a").join("file"), "one\n").unwrap();
        world.git("a", &["add", "file"]);
        world.git("a", &["commit", "--quiet", "-m", "one"]);
        world.git("a", &["push", "--quiet", "origin", "main"]);
        world.run("a", &["init"]);
        world
    }

    /// Like [`World::new`], with the history as files in the worktree, committed and sent.
    pub(crate) fn in_worktree() -> Self {
        let world = Self::new();
        world.track("a", "worktree");
        world.commit("a", "the team");
        world.git("a", &["push", "--quiet", "origin", "main"]);
        world
    }

    /// Changes where the history goes.
    pub(crate) fn track(&self, tree: &str, track: &str) {
        let path = self.at(tree).join(".interagent/team.toml");
        let text = std::fs::read_to_string(&path).unwrap();
        let line = text.lines().find(|line| line.starts_with("track = ")).unwrap();
        std::fs::write(&path, text.replace(line, &format!("track = \"{track}\""))).unwrap();
        self.run_seated(tree, &["team", "take"]);
    }

    /// Commits everything that git sees, if it sees something.
    pub(crate) fn commit(&self, tree: &str, message: &str) {
        self.git(tree, &["add", "-A"]);
        let _ = self.try_git(tree, &["commit", "--quiet", "-m", message]);
    }

    /// Commits, pulls and pushes, as people do.
    pub(crate) fn exchange(&self, tree: &str) {
        self.commit(tree, "work");
        self.git(tree, &["pull", "--quiet", "--no-rebase", "--no-edit", "origin", "main"]);
        self.git(tree, &["push", "--quiet", "origin", "HEAD:main"]);
    }

    /// Only the remote.
    pub(crate) fn empty() -> Self {
        let sandbox = Sandbox::new();
        let root = sandbox.project();
        let config = "[user]\nname = T\nemail = t@example.org\n[init]\ndefaultBranch = main\n\
                      [protocol \"file\"]\nallow = always\n[merge]\nconflictStyle = merge\n";
        std::fs::write(sandbox.home().join(".gitconfig"), config).unwrap();
        let world = Self { sandbox, root };
        world.git(".", &["init", "--quiet", "--bare", "remote.git"]);
        world
    }

    pub(crate) fn at(&self, tree: &str) -> PathBuf {
        self.root.join(tree)
    }

    pub(crate) fn clone_of(&self, from: &str, to: &str) {
        self.git(".", &["clone", "--quiet", from, to]);
        self.join(to);
    }

    /// Agrees to the team file that a clone brings, and to nothing else; does nothing where it brings none.
    pub(crate) fn join(&self, tree: &str) {
        if self.at(tree).join(".interagent/team.toml").exists() {
            let (status, shown) = self.within(tree).answered_at_a_terminal(&["trust"], "y\nn\nn\n");
            assert_eq!(status, 0, "{shown}");
        }
    }

    /// git as a person runs it, whatever comes of it.
    pub(crate) fn try_git(&self, tree: &str, arguments: &[&str]) -> Output {
        let mut command = Command::new("git");
        command.args(arguments).current_dir(self.at(tree)).env_clear();
        command.env("PATH", "/usr/local/bin:/usr/bin:/bin").env("HOME", self.sandbox.home());
        command.env("GIT_CONFIG_NOSYSTEM", "1").env("LC_ALL", "C");
        command.output().unwrap()
    }

    #[track_caller]
    pub(crate) fn git(&self, tree: &str, arguments: &[&str]) -> String {
        let done = self.try_git(tree, arguments);
        let said = String::from_utf8_lossy(&done.stderr).into_owned();
        assert!(done.status.success(), "git {arguments:?} in {tree}: {said}");
        String::from_utf8_lossy(&done.stdout).into_owned()
    }

    /// The program in a tree, about to run.
    pub(crate) fn within(&self, tree: &str) -> Run<'_> {
        self.sandbox.start().env("GIT_CONFIG_NOSYSTEM", "1").within(&self.at(tree))
    }

    #[track_caller]
    pub(crate) fn run(&self, tree: &str, arguments: &[&str]) -> String {
        let said = self.within(tree).run(arguments).success().stdout;
        if arguments.first() == Some(&"sync") && said.contains("replica accept") {
            self.acquaint(tree);
        }
        said
    }

    /// The people of these clones know each other: whoever is new is accepted.
    pub(crate) fn acquaint(&self, tree: &str) {
        let known = self.within(tree).json(&["replica", "list"]);
        for replica in known["replicas"].as_array().unwrap() {
            if replica["standing"] == "new replica" {
                let id = replica["id"].as_str().unwrap();
                self.within(tree).seated().run(&["replica", "accept", id]).success();
            }
        }
    }

    /// Runs a command as the operator at a terminal.
    #[track_caller]
    pub(crate) fn run_seated(&self, tree: &str, arguments: &[&str]) -> String {
        self.within(tree).seated().run(arguments).success().stdout
    }

    #[track_caller]
    pub(crate) fn json(&self, tree: &str, arguments: &[&str]) -> Value {
        self.within(tree).json(arguments)
    }

    /// Everything that a clone shows, without what follows from where one looks.
    pub(crate) fn shown(&self, tree: &str) -> String {
        self.acquaint(tree);
        let mut shown = String::new();
        for list in LISTS {
            let mut answer = self.json(tree, list);
            neutral(&mut answer);
            if let Some(items) = answer["items"].as_array_mut() {
                items.sort_by_key(ToString::to_string);
            }
            shown.push_str(&format!("{list:?}\n{answer:#}\n"));
        }
        shown
    }

    /// Both clones show the same, hold the whole log, and git sees nothing of it.
    #[track_caller]
    pub(crate) fn same(&self, one: &str, other: &str) {
        let (first, second) = (self.shown(one), self.shown(other));
        if first != second {
            let differs = first.lines().zip(second.lines()).find(|(a, b)| a != b);
            panic!("{one} and {other} differ: {differs:?}\n{first}\n-----\n{second}");
        }
        for tree in [one, other] {
            self.run(tree, &["log", "verify"]);
        }
    }

    /// No file anywhere below a tree has a mark of a conflict.
    #[track_caller]
    pub(crate) fn without_conflicts(&self, tree: &str) {
        fn look(directory: &Path) {
            for entry in std::fs::read_dir(directory).unwrap() {
                let path = entry.unwrap().path();
                if path.ends_with(".git") || path.ends_with("state") {
                    continue;
                }
                if path.is_dir() {
                    look(&path);
                } else if let Ok(text) = std::fs::read_to_string(&path) {
                    assert!(!text.lines().any(|line| line.starts_with("<<<<<<<")), "{}", path.display());
                }
            }
        }
        look(&self.at(tree));
    }
}

/// Takes away what differs from place to place.
fn neutral(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            for name in LOCAL {
                fields.remove(name);
            }
            // A member is its id; the name depends on who looks.
            if fields.get("id").and_then(Value::as_str).is_some_and(|id| id.starts_with("agt-")) {
                fields.remove("name");
            }
            fields.values_mut().for_each(neutral);
        }
        Value::Array(items) => items.iter_mut().for_each(neutral),
        _ => {}
    }
}
