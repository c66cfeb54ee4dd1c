//! A repository in which tricks run: a worktree on `topic`, `../project` on main, a remote, and a lease of another agent.
//!
//! Owns running a trick and putting everything back afterwards. The hub itself is moved aside while the effect of a trick
//! is found out, so none can harm it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use interagent_testkit::Sandbox;

use super::tricks::{Target, Trick};

/// What is put back after each trick.
const KEPT: [&str; 3] = ["project", "remote.git", "wt"];

/// What became of a trick.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tried {
    /// It changed its target.
    pub(super) is_effective: bool,
    /// The guard refused it at the tool call.
    pub(super) at_call: bool,
    /// The hooks of git refused it. Only looked at where the tool call was not.
    pub(super) at_git: bool,
    /// It was reported after the tool call. Only looked at where nothing refused it.
    pub(super) after: bool,
}

pub(super) struct World {
    sandbox: Sandbox,
    root: PathBuf,
}

/// What makes the repository: a file to lease, commits to take over, and what tricks bring along.
const MADE: &str = include_str!("made.sh");

impl World {
    pub(super) fn new() -> Self {
        // In memory, where there is such a place: hundreds of repositories are put back.
        let (memory, test) = (Path::new("/dev/shm"), std::env::current_exe().unwrap());
        let program = test.ancestors().nth(2).unwrap().join("interagent");
        let sandbox = if memory.is_dir() { Sandbox::of(&program, memory) } else { Sandbox::new() };
        let root = sandbox.project().parent().unwrap().to_owned();
        let world = Self { sandbox, root };
        let made = world.shell(&world.root, MADE);
        assert!(made, "the repository can't be made");
        let settings = "[user]\nname = x\nemail = x@y.test\n[core]\nfsync = none\n[gc]\nauto = 0\n";
        fs::write(world.root.join("home/.gitconfig"), settings).unwrap();
        fs::create_dir(world.root.join("tmp")).unwrap();
        world.sandbox.run(&["init", "--formation", "duo", "--agents", "claude,kimi"]).success();
        let file = world.sandbox.hub().join("team.toml");
        let text = fs::read_to_string(&file).unwrap();
        fs::write(&file, text.replace("# protected_branches", "protected_branches")).unwrap();
        world.sandbox.run(&["team", "take"]).success();
        let take = ["lease", "take", "src/a.txt", "--ttl", "3600"];
        world.sandbox.as_agent("claude").run(&take).success();
        world.sandbox.run(&["guard", "install"]).success();
        for part in KEPT {
            copy(&world.root.join(part), &world.root.join("pristine").join(part));
        }
        fs::remove_dir_all(world.root.join("pristine/project/.interagent")).unwrap();
        world
    }

    /// Judges a trick, then finds out what it does.
    pub(super) fn try_out(&self, trick: &Trick) -> Tried {
        let at_call = self.is_refused(&trick.command);
        let is_effective = self.is_effective(trick);
        let (at_git, after) = match is_effective && !at_call {
            true => self.with_all_layers(trick),
            false => (false, false),
        };
        Tried { is_effective, at_call, at_git, after }
    }

    /// Runs a trick as an agent, between the hooks of its client and with the hooks of git: whether those kept it from
    /// having an effect, and whether it was reported.
    fn with_all_layers(&self, trick: &Trick) -> (bool, bool) {
        let team = self.sandbox.hub().join("team.toml");
        let rules = fs::read(&team).unwrap();
        let (hub, aside) = (self.sandbox.hub(), self.root.join("hub"));
        let before = self.state(trick.target);
        self.hook("PreToolUse", &trick.command);
        self.shell_as(&self.root.join("wt"), &trick.command, &[("INTERAGENT_AGENT", "kimi")]);
        let at_git = before == self.state(trick.target);
        let after = !at_git && self.hook("PostToolUse", &trick.command).contains("guard restore");
        fs::rename(&hub, &aside).unwrap();
        self.put_back();
        fs::rename(&aside, &hub).unwrap();
        fs::write(&team, rules).unwrap();
        (at_git, after)
    }

    fn hook(&self, event: &str, command: &str) -> String {
        let directory = self.root.join("wt");
        let input = serde_json::json!({ "command": command });
        let call = serde_json::json!({ "session_id": "s", "cwd": directory, "tool_name": "Bash", "tool_input": input });
        let run = self.sandbox.as_agent("kimi").within(&directory).stdin(call.to_string());
        run.run(&["hook", "claude", event]).stdout
    }

    fn is_refused(&self, command: &str) -> bool {
        let run = self.sandbox.start().within(&self.root.join("wt"));
        let view = run.json(&["guard", "explain", command, "--agent", "kimi"]);
        !view["denial"].is_null()
    }

    fn is_effective(&self, trick: &Trick) -> bool {
        let (hub, aside) = (self.sandbox.hub(), self.root.join("hub"));
        fs::rename(&hub, &aside).unwrap();
        fs::create_dir_all(hub.join("state")).unwrap();
        fs::write(hub.join("team.toml"), "# x\na = \"duo\"\n").unwrap();
        let before = self.state(trick.target);
        // Without the hooks of git.
        let none = [
            ("GIT_CONFIG_COUNT", "1"),
            ("GIT_CONFIG_KEY_0", "core.hooksPath"),
            ("GIT_CONFIG_VALUE_0", "/dev/null"),
        ];
        self.shell_as(&self.root.join("wt"), &trick.command, &none);
        let after = self.state(trick.target);
        let _ = fs::remove_dir_all(&hub);
        self.put_back();
        fs::rename(&aside, &hub).unwrap();
        before != after
    }

    /// Runs a text as bash does it for an agent, with nothing of this machine around it.
    fn shell(&self, directory: &Path, text: &str) -> bool {
        self.shell_as(directory, text, &[])
    }

    fn shell_as(&self, directory: &Path, text: &str, variables: &[(&str, &str)]) -> bool {
        let tmp = self.root.join("tmp");
        let text = text.replace("/tmp/", &format!("{}/", tmp.display()));
        let mut command = Command::new("timeout");
        command.args(["-k", "1", "10", "bash", "-c", &text]).env_clear().current_dir(directory);
        command
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
            .env("HOME", self.root.join("home"))
            .env("TMPDIR", tmp)
            .env("SHELL", "/bin/bash")
            .env("FILTER_BRANCH_SQUELCH_WARNING", "1")
            .env("GIT_CONFIG_NOSYSTEM", "1");
        for name in ["AUTHOR", "COMMITTER"] {
            command
                .env(format!("GIT_{name}_NAME"), "x")
                .env(format!("GIT_{name}_EMAIL"), "x@y.test")
                .env(format!("GIT_{name}_DATE"), "1700000000 +0000");
        }
        for (name, value) in [
            ("LEASED", "src/a.txt"),
            ("NAME", "a"),
            ("TREE", "../project"),
            ("MAIN", "main"),
            ("REF", "refs/heads/main"),
            ("REFSPEC", "HEAD:main"),
            ("TEAM", "../project/.interagent/team.toml"),
            ("FILE", "team.toml"),
            ("ELSEWHERE", "../tmp/elsewhere"),
        ] {
            command.env(name, value);
        }
        command.envs(variables.iter().copied());
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command.status().unwrap().success()
    }

    /// What a target is like now.
    fn state(&self, target: Target) -> Vec<Option<Vec<u8>>> {
        let read = |path: &str| fs::read(self.root.join(path)).ok();
        match target {
            Target::Lease => vec![read("wt/src/a.txt")],
            Target::Hub => vec![read("project/.interagent/team.toml")],
            Target::Main => {
                let mut found = vec![self.main_of("project/.git"), self.main_of("remote.git")];
                found
                    .extend(["src/a.txt", "src/b.txt", "c.txt"].map(|file| read(&format!("project/{file}"))));
                found
            }
        }
    }

    /// Where main is in a repository.
    fn main_of(&self, repository: &str) -> Option<Vec<u8>> {
        let directory = self.root.join(repository);
        fs::read(directory.join("refs/heads/main")).ok().or_else(|| {
            let packed = fs::read_to_string(directory.join("packed-refs")).ok()?;
            let line = packed.lines().find(|line| line.ends_with(" refs/heads/main"))?;
            let id = line.split_once(' ')?.0;
            Some(format!("{id}\n").into_bytes())
        })
    }

    fn put_back(&self) {
        for entry in fs::read_dir(&self.root).unwrap() {
            let path = entry.unwrap().path();
            if path.ends_with("home") || path.ends_with("pristine") || path.ends_with("hub") {
                continue;
            }
            // A trick may have taken it away by now, or still be at it.
            let _ = fs::remove_dir_all(&path);
            let _ = fs::remove_file(&path);
        }
        fs::create_dir(self.root.join("tmp")).unwrap();
        for part in KEPT {
            copy(&self.root.join("pristine").join(part), &self.root.join(part));
        }
    }
}

/// Copies a directory.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let (path, to) = (entry.path(), to.join(entry.file_name()));
        match entry.file_type().unwrap().is_dir() {
            true => copy(&path, &to),
            false => drop(fs::copy(&path, &to).unwrap()),
        }
    }
}
