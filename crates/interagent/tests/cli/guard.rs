//! The guard through the binary: what it explains, what it refuses at git, and that it stops nobody for its own trouble.

mod after;
mod corpus;
mod leases;
mod managers;
mod others;
mod own;
mod updates;
mod work;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use interagent_testkit::Sandbox;
use serde_json::json;

/// A captain's team in a repository on main, with a worktree on task/login and a bare repository to push to.
struct World {
    sandbox: Sandbox,
    worktree: PathBuf,
}

impl World {
    fn new() -> Self {
        let sandbox = Sandbox::new();
        let worktree = sandbox.project().with_file_name("wt");
        let world = Self { sandbox, worktree };
        let project = world.project();
        world.git(None, &project, &["init", "-q", "-b", "main"]).success();
        world.sandbox.run(&["init", "--formation", "captain"]).success();
        fs::write(project.join(".gitignore"), "target/\n.interagent/\n").unwrap();
        world.git(None, &project, &["add", ".gitignore"]).success();
        world.git(None, &project, &["commit", "-qm", "first"]).success();
        let remote = world.worktree.with_file_name("remote.git");
        world.git(None, &project, &["init", "-q", "--bare", remote.to_str().unwrap()]).success();
        world.git(None, &project, &["remote", "add", "origin", remote.to_str().unwrap()]).success();
        let worktree = world.worktree.to_str().unwrap();
        world.git(None, &project, &["worktree", "add", "-q", "-b", "task/login", worktree]).success();
        for member in ["member1", "member2"] {
            let create = ["task", "create", "Its work", "--assignee", member];
            world.sandbox.as_agent("vice_captain1").run(&create).success();
        }
        world
    }

    fn project(&self) -> PathBuf {
        self.sandbox.project()
    }

    /// Runs git as an agent or as the operator, with nothing of this machine around it.
    fn git(&self, agent: Option<&str>, directory: &Path, arguments: &[&str]) -> Ended {
        let mut command = Command::new("git");
        command.args(["-c", "user.name=x", "-c", "user.email=x@y.test"]).args(arguments);
        let prepared = self.sandbox.start().command(&[]);
        command.env_clear().envs(prepared.get_envs().filter_map(|(name, value)| Some((name, value?))));
        command.env("PATH", "/usr/local/bin:/usr/bin:/bin").current_dir(directory).stdin(Stdio::null());
        command.envs(agent.map(|agent| ("INTERAGENT_AGENT", agent)));
        let done = command.output().unwrap();
        Ended { worked: done.status.success(), said: String::from_utf8(done.stderr).unwrap() }
    }

    /// What git prints, as the operator.
    fn git_out(&self, directory: &Path, arguments: &[&str]) -> String {
        let done = Command::new("git").args(arguments).current_dir(directory).output().unwrap();
        String::from_utf8(done.stdout).unwrap().trim().to_owned()
    }

    /// An empty commit there.
    fn commit(&self, agent: Option<&str>, directory: &Path) -> Ended {
        self.git(agent, directory, &["commit", "-q", "--allow-empty", "-m", "x"])
    }

    fn rule(&self, agent: &str, command: &str) -> Option<String> {
        let run = self.sandbox.start().within(&self.worktree);
        let view = run.json(&["guard", "explain", command, "--agent", agent]);
        view["denial"]["rule"].as_str().map(str::to_owned)
    }
}

struct Ended {
    worked: bool,
    said: String,
}

impl Ended {
    #[track_caller]
    fn success(&self) {
        assert!(self.worked, "{}", self.said);
    }

    #[track_caller]
    fn refused(&self, rule: &str) {
        assert!(!self.worked && self.said.contains(&format!("interagent: {rule}: ")), "{}", self.said);
    }
}

#[test]
fn what_a_command_does_and_what_the_rules_say_is_explained() {
    let world = World::new();
    let explain = |command: &str, agent: &str| {
        let run = world.sandbox.start().within(&world.worktree);
        run.run(&["guard", "explain", command, "--agent", agent]).shown()
    };
    let shown = [
        explain("cargo test && cd ../project && git commit -am 'x'", "member1"),
        explain("echo hi > notes.md", "vice_captain1"),
        explain("ls -l", "member1"),
        explain("git commit -m x; sleep 60", "operator"),
    ];
    insta::assert_snapshot!(shown.join("\n"), @r#"
    cargo test  in [sandbox]/wt
      it develops with cargo
    git commit -am 'x'  in [sandbox]/project
      it commits in [sandbox]/project (on main)  refused by F006
    rules for member1 (member): F001, F003, F004, F005, F006, RACE-001
    refused F006: `git commit -am 'x'` would commit on main, and main is protected. Work on a branch in a tree of your own: `git worktree add ../task-NAME -b task/NAME`.

    echo hi > notes.md  in [sandbox]/wt
      it writes [sandbox]/wt/notes.md (on task/login)  refused by F001
    rules for vice_captain1 (vice_captain): F001, F003, F004, F005, F006, RACE-001
    refused F001: `echo hi > notes.md` edits files, and a vice captain delegates instead. Give it away: `interagent delegate --to member1 --task '...'`.

    ls -l  in [sandbox]/wt
    rules for member1 (member): F001, F003, F004, F005, F006, RACE-001
    allowed

    git commit -m x  in [sandbox]/wt
      it commits in [sandbox]/wt (on task/login)
    sleep 60  in [sandbox]/wt
      it waits 60.0 s
    rules for operator: none; off: F001, F003, F004, F005, F006, RACE-001
    allowed
    "#);
}

#[test]
fn facts_of_this_machine_decide() {
    let world = World::new();
    let project = world.project();
    let at = |file: &str| project.join(file).display().to_string();
    assert_eq!(world.rule("member1", &format!("touch {}", at("src.rs"))).as_deref(), Some("F006"));
    assert_eq!(world.rule("member1", &format!("touch {}", at("target/log"))), None, "git ignores it");
    assert_eq!(world.rule("member1", &format!("rm -rf {}", at(".interagent"))).as_deref(), Some("hub_files"));
    assert_eq!(world.rule("member1", "touch src.rs && git commit -am x && git push"), None);
    assert_eq!(world.rule("member1", "git switch main"), None);
    world.sandbox.as_agent("member2").run(&["lease", "take", "src/**", "--reason", "mine"]).success();
    assert_eq!(world.rule("member1", "sed -i s/a/b/ src/a.rs").as_deref(), Some("RACE-001"));
    assert_eq!(world.rule("member2", "sed -i s/a/b/ src/a.rs"), None);
}

#[test]
fn git_clean_is_judged_by_what_git_does_not_know() {
    let world = World::new();
    let project = world.project();
    world.sandbox.as_agent("member2").run(&["lease", "take", ".gitignore", "--reason", "mine"]).success();
    let clean = format!("git -C {} clean -fd", project.display());
    assert_eq!(world.rule("member1", &clean), None, "git knows it, so it stays");
    world.sandbox.as_agent("member2").run(&["lease", "take", "new.rs", "--reason", "mine"]).success();
    assert_eq!(world.rule("member1", &clean), None, "it is not there yet");
    fs::write(project.join("new.rs"), "").unwrap();
    assert_eq!(world.rule("member1", &clean).as_deref(), Some("RACE-001"));
}

#[test]
fn a_command_with_an_open_quote_is_told_as_none() {
    let world = World::new();
    let explain = |command: &str| world.sandbox.run(&["guard", "explain", command]).success().stderr;
    assert!(explain("echo 'unclosed").contains("no whole command"), "{}", explain("echo 'unclosed"));
    assert_eq!(explain("echo 'closed'"), "");
}

#[test]
fn tasks_of_others_are_not_looked_into() {
    let world = World::new();
    let create = ["task", "create", "Login", "--assignee", "member2"];
    let task = world.sandbox.as_agent("vice_captain1").json(&create);
    let file =
        world.sandbox.hub().join("tasks/active").join(format!("{}.json", task["id"].as_str().unwrap()));
    let command = format!("cat {}", file.display());
    assert_eq!(world.rule("member1", &command).as_deref(), Some("F003"));
    assert_eq!(world.rule("member2", &command), None);
    assert_eq!(world.rule("vice_captain1", &command), None);
}

#[test]
fn a_tool_call_is_judged_by_exit_code() {
    let world = World::new();
    let check = |input: serde_json::Value| {
        world.sandbox.as_agent("member1").stdin(input.to_string()).run(&["guard", "check"])
    };
    let project = world.project();
    let edit =
        json!({ "tool_name": "Edit", "tool_input": { "file_path": project.join("a.rs") }, "cwd": project });
    let refused = check(edit);
    assert_eq!((refused.status, refused.stdout.as_str()), (1, ""));
    assert!(refused.stderr.starts_with("F006: `"), "{}", refused.stderr);
    let allowed =
        json!({ "tool_name": "Bash", "tool_input": { "command": "touch a.rs" }, "cwd": world.worktree });
    assert_eq!(check(allowed).status, 0);
    assert_eq!(check(json!({ "nothing": 1 })).status, 2);
}

#[test]
fn git_asks_the_guard_before_commits_and_pushes() {
    let world = World::new();
    let (project, worktree) = (world.project(), world.worktree.clone());
    world.commit(Some("member1"), &project).success();
    world.sandbox.start().within(&worktree).run(&["guard", "install"]).success();
    world.commit(Some("member1"), &project).refused("F006");
    world.commit(None, &project).success();
    world.commit(Some("member1"), &worktree).success();
    let elsewhere = world.sandbox.home();
    let on_main = ["-C", project.to_str().unwrap(), "commit", "-q", "--allow-empty", "-m", "x"];
    world.git(Some("member1"), &elsewhere, &on_main).refused("F006");
    world.git(Some("member1"), &worktree, &["push", "-q", "origin", "HEAD"]).success();
    world.git(Some("member1"), &worktree, &["push", "-q", "origin", "HEAD:main"]).refused("F006");
    world.git(Some("vice_captain1"), &worktree, &["push", "-q", "origin", "HEAD:main"]).success();
    world.git(None, &project, &["push", "-q", "--force", "origin", "main"]).success();
    let trace = world.sandbox.run(&["log", "trace"]).success().stdout;
    assert_eq!(trace.matches("guard.denied").count(), 3, "{trace}");
}

#[test]
fn a_person_is_bound_where_the_team_says_everyone() {
    let world = World::new();
    let team = world.sandbox.hub().join("team.toml");
    let text = fs::read_to_string(&team).unwrap();
    let text = text.replace("commit_guard = \"agents\"", "commit_guard = \"everyone\"");
    fs::write(&team, text).unwrap();
    world.sandbox.operator().run(&["team", "take"]).success();
    world.sandbox.run(&["guard", "install"]).success();
    world.commit(None, &world.project()).refused("F006");
    world.commit(None, &world.worktree).success();
}

#[test]
fn a_guard_in_trouble_stops_nobody() {
    let world = World::new();
    let project = world.project();
    world.sandbox.run(&["guard", "install"]).success();
    // A name that no agent has is an agent's all the same.
    world.commit(Some("nobody"), &project).refused("F006");
    fs::write(world.sandbox.hub().join("state/hub.db"), "no database").unwrap();
    let damaged = world.commit(Some("member1"), &project);
    assert!(damaged.worked, "{}", damaged.said);
    assert_eq!(damaged.said.lines().count(), 1, "{}", damaged.said);
    fs::remove_dir_all(world.sandbox.hub()).unwrap();
    let gone = world.commit(Some("member1"), &project);
    assert!(gone.worked && gone.said.is_empty(), "{}", gone.said);
}

#[test]
fn hooks_that_were_there_are_called_and_come_back_as_they_were() {
    let world = World::new();
    let project = world.project();
    world.git(None, &project, &["config", "core.hooksPath", "hooks"]).success();
    let hooks = project.join("hooks");
    fs::create_dir(&hooks).unwrap();
    let text = "#!/bin/sh\necho \"theirs $1\" >> ../called; cat >> ../called\nexit 0\n";
    for name in ["pre-commit", "pre-push"] {
        fs::write(hooks.join(name), text).unwrap();
        fs::set_permissions(hooks.join(name), fs::Permissions::from_mode(0o711)).unwrap();
    }
    let install =
        |undo: &[&str]| world.sandbox.run(&[&["guard", "install"], undo].concat()).success().shown();
    let shown = [install(&[]), install(&[])];
    world.commit(Some("member1"), &project).refused("F006");
    world.commit(None, &project).success();
    world.git(None, &project, &["push", "-q", "origin", "main"]).success();
    let called = fs::read_to_string(project.join("../called")).unwrap();
    assert!(called.starts_with("theirs \ntheirs origin\nrefs/heads/main "), "{called}");
    let shown = [&shown[..], &[install(&["--undo"]), install(&["--undo"])]].concat();
    insta::assert_snapshot!(shown.join("\n"), @r"
    installed, before the hook that was there: [sandbox]/project/hooks/pre-commit
    installed, before the hook that was there: [sandbox]/project/hooks/pre-push
    installed [sandbox]/project/hooks/reference-transaction
    RACE-001: agents may not commit files that another agent leased
    F006: agents may not commit on, push to or move main, master

    already there: [sandbox]/project/hooks/pre-commit
    already there: [sandbox]/project/hooks/pre-push
    already there: [sandbox]/project/hooks/reference-transaction
    RACE-001: agents may not commit files that another agent leased
    F006: agents may not commit on, push to or move main, master

    put back [sandbox]/project/hooks/pre-commit
    put back [sandbox]/project/hooks/pre-push
    removed [sandbox]/project/hooks/reference-transaction

    not ours, so left as it is: [sandbox]/project/hooks/pre-commit
    not ours, so left as it is: [sandbox]/project/hooks/pre-push
    not there: [sandbox]/project/hooks/reference-transaction
    ");
    for name in ["pre-commit", "pre-push"] {
        assert_eq!(fs::read_to_string(hooks.join(name)).unwrap(), text);
        assert_eq!(fs::metadata(hooks.join(name)).unwrap().permissions().mode() & 0o777, 0o711);
    }
    assert_eq!(fs::read_dir(&hooks).unwrap().count(), 2);
    world.commit(Some("member1"), &project).success();
}

#[test]
fn two_agents_on_one_file_are_told_of_each_other_once() {
    let sandbox = Sandbox::with_team();
    let file = sandbox.project().join("src/x.rs").display().to_string();
    let note = |agent: &str| {
        let params = json!({ "paths": [file], "root": sandbox.project() }).to_string();
        sandbox.as_agent(agent).json(&["call", "edit.note", &params])
    };
    assert_eq!(note("kimi"), json!({ "noted": 1, "collisions": [], "text": null }));
    let met = note("claude");
    assert_eq!(
        (&met["collisions"][0]["other"]["name"], &met["collisions"][0]["told"]),
        (&json!("kimi"), &json!(true))
    );
    assert!(met["text"].as_str().unwrap().starts_with("kimi edited src/x.rs "), "{met}");
    let again = note("kimi");
    assert_eq!((&again["collisions"][0]["told"], &again["text"]), (&json!(false), &json!(null)));
    let inbox = sandbox.as_agent("kimi").json(&["inbox"]);
    let messages = inbox["items"].as_array().unwrap();
    assert_eq!(messages.len(), 1, "{inbox}");
    assert_eq!(sandbox.as_agent("claude").json(&["inbox"])["items"], json!([]));
}
