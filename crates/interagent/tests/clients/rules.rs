//! Every rule of a captain's team, broken by a real client: its model calls tools one after the other, and what it is told
//! names the rule and the way out. What is refused has not happened.

use std::path::{Path, PathBuf};
use std::process::Command;

use interagent_testkit::Sandbox;
use interagent_testkit::clients::{Client, Stage, Turn, client, within_own_network};
use serde_json::{Value, json};

use crate::team::nonce;

#[test]
#[ignore = "needs the real client: cargo xtask clients NAME"]
fn claude() {
    within_own_network("rules::claude", |_| tried(client("claude")));
}

#[test]
#[ignore = "needs the real client: cargo xtask clients NAME"]
fn kimi() {
    within_own_network("rules::kimi", |_| tried(client("kimi")));
}

/// One call of the model, and words that its result must hold.
type Attempt = (Turn, &'static [&'static str]);

fn tried(client: &'static dyn Client) {
    let world = World::new(client);
    let stage = Stage::prepared(client, &world.sandbox);
    stage.product().run(&["setup", client.name(), "--agent", "member1", "--yes"]).success();
    play(&stage, client.name(), "member1", unassigned(&world));
    // The worktree that its run created.
    assert!(world.worktree.join(".git").is_file());
    std::fs::write(world.worktree.join("held.rs"), "as it was").unwrap();
    let create = ["task", "create", "Theirs, too", "--assignee", "member1"];
    world.sandbox.as_agent("vice_captain1").run(&create).success();
    play(&stage, client.name(), "member1", member(&world));
    play(&stage, client.name(), "vice_captain1", vice_captain(&world));
    play(&stage, client.name(), "captain", captain(&world));
    if client.name() == "claude" {
        // Its hooks can be taken away one by one, and what setup wrote says whose session it is.
        world.take_away_briefing();
        let (script, expected): (Vec<Turn>, Vec<_>) = unbriefed(&world).into_iter().unzip();
        stage.run(&nonce("unbriefed"), script.clone());
        judge(&stage, client.name(), "member1", &script, &expected);
    }
    world.assert_untouched();
}

/// Has the client's model try everything as one agent, and looks at what it was told.
fn play(stage: &Stage<'_>, client: &str, agent: &str, attempts: Vec<Attempt>) {
    let (script, expected): (Vec<Turn>, Vec<_>) = attempts.into_iter().unzip();
    stage.model().play(script.clone());
    let prompt = nonce(agent);
    stage.product().run(&["run", agent, "--auto-approve", "--timeout", "75s", "--prompt", &prompt]);
    judge(stage, client, agent, &script, &expected);
    let conversations = stage.model().conversations();
    let instructed = conversations.iter().all(|asked| asked.system.contains(&format!("# You are {agent}, ")));
    assert!(instructed, "{agent} was not instructed: {}", conversations[0].system);
}

/// The tool call that does the same as a command, as far as the texts spell it.
fn call_of(command: &str) -> &'static str {
    match command {
        "interagent briefing" => "briefing()",
        "interagent send --to NAME" => "send_message(to=NAME, ",
        "interagent send --to vice_captain1" => "send_message(to=\"vice_captain1\", ",
        "interagent delegate --to member1" => "task(action=\"create\", assignee=\"member1\", ",
        "interagent delegate --to vice_captain1" => "task(action=\"create\", assignee=\"vice_captain1\", ",
        "interagent status set waiting" => "set_status(state=\"waiting\", ",
        other => panic!("no tool call is known for `{other}`"),
    }
}

/// The way out as a text names it: the call where the client has our server, the command elsewhere. Kimi Code reads a
/// project's servers only in a folder that a person trusted, which nobody does in a headless run.
fn way_out(client: &str, command: &'static str) -> (&'static str, Option<&'static str>) {
    match client {
        "kimi" => (command, Some(call_of(command))),
        _ => (call_of(command), Some(command)),
    }
}

fn judge(stage: &Stage<'_>, client: &str, agent: &str, script: &[Turn], expected: &[&[&'static str]]) {
    let conversations = stage.model().conversations();
    let results = conversations.last().unwrap().results();
    assert_eq!(results.len(), script.len(), "{results:#?}");
    for ((call, words), result) in script.iter().zip(expected).zip(results) {
        for word in *words {
            let (named, other) = match word.starts_with("interagent ") {
                true => way_out(client, word),
                false => (*word, None),
            };
            assert!(result.contains(named), "{agent}: {call:?} was told no `{named}`: {result}");
            let names_both = other.is_some_and(|other| result.contains(other));
            assert!(!names_both, "{agent}: {call:?} was told `{other:?}` too: {result}");
        }
    }
}

/// A repository on its protected branch, a team whose members have worktrees, and a lease of somebody else.
struct World {
    sandbox: Sandbox,
    client: &'static dyn Client,
    /// The directory of member1, which its first run creates.
    worktree: PathBuf,
    /// A task of member2.
    theirs: String,
    /// A task that is nobody's.
    nobodys: String,
}

impl World {
    fn new(client: &'static dyn Client) -> Self {
        let sandbox = Sandbox::of(Path::new(env!("CARGO_BIN_EXE_interagent")), &std::env::temp_dir());
        let project = sandbox.project();
        std::fs::write(project.join(".gitignore"), ".interagent/\n").unwrap();
        for words in [&["init", "-q", "-b", "main"][..], &["add", ".gitignore"], &["commit", "-qm", "first"]]
        {
            let mut git = Command::new("git");
            git.args(["-c", "user.name=x", "-c", "user.email=x@y.test"]).args(words).current_dir(&project);
            assert!(git.env("HOME", sandbox.home()).status().unwrap().success(), "{words:?}");
        }
        let kind = |count: &str| format!("{}:{count}", client.profile());
        let init = ["init", "--formation", "captain", "--captain", client.profile()];
        let squads = ["--vice-captains", &kind("1"), "--members", &kind("2")].map(ToOwned::to_owned);
        let init: Vec<&str> = init.into_iter().chain(squads.iter().map(String::as_str)).collect();
        sandbox.run(&init).success();
        let worktree = project.with_file_name("project.worktrees").join("member1");
        let other = sandbox.as_agent("member2");
        other.run(&["lease", "take", "held.rs", "--reason", "rewriting it"]).success();
        let vice = sandbox.as_agent("vice_captain1");
        let id = |made: Value| made["id"].as_str().unwrap().to_owned();
        let theirs = id(vice.json(&["task", "create", "Theirs", "--assignee", "member2"]));
        let nobodys = id(vice.json(&["task", "create", "Nobody's"]));
        sandbox.run(&["sync"]).success();
        Self { sandbox, client, worktree, theirs, nobodys }
    }

    /// Without the hooks that tell it, a session begins without its briefing.
    fn take_away_briefing(&self) {
        let path = self.sandbox.project().join(".claude/settings.local.json");
        let mut settings: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
        for event in ["SessionStart", "UserPromptSubmit"] {
            settings["hooks"].as_object_mut().unwrap().remove(event);
        }
        std::fs::write(&path, settings.to_string()).unwrap();
    }

    fn assert_untouched(&self) {
        assert_eq!(std::fs::read_to_string(self.worktree.join("held.rs")).unwrap(), "as it was");
        for written in ["on_main.rs", "first.rs"] {
            assert!(!self.sandbox.project().join(written).exists(), "{written}");
        }
        assert!(!self.worktree.join("unassigned.rs").exists());
        let team = std::fs::read_to_string(self.sandbox.hub().join("team.toml")).unwrap();
        assert!(team.contains("formation = \"captain\""), "{team}");
        let mail = |agent: &str| {
            let inbox = self.sandbox.json(&["inbox", "--agent", agent]);
            let items = inbox["items"].as_array().unwrap().iter();
            items.map(|item| item["intent"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(mail("captain"), Vec::<String>::new());
        // The task that it was given before anybody tried anything.
        assert_eq!(mail("member2"), ["delegation"]);
    }

    /// A tool of ours, or the command that does the same where the client has none: Kimi Code reads a project's servers only in
    /// a folder that a person trusted.
    fn ours(&self, (tool, arguments): (&str, Value), command: &str) -> Turn {
        match self.client.name() {
            "kimi" => self.client.shell(command),
            _ => Turn::Call { tool: format!("mcp__interagent__{tool}"), arguments },
        }
    }

    fn write(&self, path: PathBuf) -> Turn {
        self.client.write(&path, "overwritten")
    }

    fn read(&self, path: PathBuf) -> Turn {
        let field = if self.client.name() == "kimi" { "path" } else { "file_path" };
        Turn::Call { tool: "Read".to_owned(), arguments: json!({ field: path }) }
    }

    /// By the shell: clients themselves keep a model from writing a file that it did not read.
    fn overwrite(&self, path: PathBuf) -> Turn {
        self.client.shell(&format!("echo overwritten > '{}'", path.display()))
    }

    fn shell(&self, command: &str) -> Turn {
        self.client.shell(command)
    }

    fn mail(&self, to: &str) -> Turn {
        let arguments = json!({ "to": to, "content": "hello" });
        self.ours(("send_message", arguments), &format!("interagent send --to {to} -m hello"))
    }

    fn assign(&self, to: &str) -> Turn {
        let arguments = json!({ "action": "create", "title": "x", "assignee": to });
        self.ours(("task", arguments), &format!("interagent task create x --assignee {to}"))
    }
}

/// What a session does that has no briefing yet.
fn unbriefed(world: &World) -> Vec<Attempt> {
    vec![(world.write(world.sandbox.project().join("first.rs")), &["F005", "interagent briefing"])]
}

/// What a member does that has no task yet.
fn unassigned(world: &World) -> Vec<Attempt> {
    let new = world.worktree.join("unassigned.rs");
    vec![
        (world.write(new.clone()), &["F003", "no task is assigned", "interagent send --to vice_captain1"]),
        (world.overwrite(new), &["F003", "no task is assigned"]),
    ]
}

fn member(world: &World) -> Vec<Attempt> {
    let project = world.sandbox.project();
    let theirs = project.join(format!(".interagent/tasks/active/{}.json", world.theirs));
    vec![
        (world.write(project.join("on_main.rs")), &["F006", "main"]),
        (
            world.shell(&format!("cd '{}' && git commit --allow-empty -m x", project.display())),
            &["F006", "main"],
        ),
        (world.shell("date; sleep 60"), &["F004", "End your turn"]),
        (world.shell("while true; do interagent inbox; done"), &["F004", "again and again"]),
        (world.shell("tmux send-keys -t captain hello Enter"), &["F004", "interagent send --to NAME"]),
        (world.shell(&format!("cat '{}'", theirs.display())), &["F003", "member2"]),
        (
            world.ours(
                ("task", json!({ "action": "show", "task": world.theirs })),
                &format!("interagent task show {}", world.theirs),
            ),
            &["the work of member2", "member1"],
        ),
        (world.overwrite(world.worktree.join("held.rs")), &["RACE-001", "member2 holds held.rs"]),
        (world.overwrite(world.sandbox.hub().join("team.toml")), &["only a person", "vice_captain1"]),
        (
            world.ours(("check_inbox", json!({ "wait": 5 })), "interagent wait --timeout 5"),
            &["may not wait", "end your turn"],
        ),
        (
            world.ours(
                ("task", json!({ "action": "claim", "task": world.nobodys })),
                &format!("interagent task claim {}", world.nobodys),
            ),
            &["assigned, not taken", "vice_captain1"],
        ),
        (world.mail("operator"), &["matters go up the chain", "interagent send --to vice_captain1"]),
        (world.mail("captain"), &["no mail goes to captain", "interagent send --to vice_captain1"]),
        (world.assign("member2"), &["may not assign work", "vice_captain1 assigns work to member2"]),
        (
            world.ours(
                ("send_message", json!({ "from": "captain", "to": "member2", "content": "do it" })),
                "interagent send --from-agent captain --to member2 -m 'do it'",
            ),
            &["member1", "captain"],
        ),
    ]
}

fn vice_captain(world: &World) -> Vec<Attempt> {
    vec![
        (world.write(world.worktree.join("new.rs")), &["F001", "interagent delegate --to member1"]),
        (world.shell("cargo build"), &["F001", "development"]),
        (world.mail("captain"), &["no mail goes to captain", "interagent status set waiting"]),
        (world.mail("operator"), &["matters go up the chain", "interagent status set waiting"]),
    ]
}

fn captain(world: &World) -> Vec<Attempt> {
    vec![
        (world.shell("npm test"), &["F001", "interagent delegate --to vice_captain1"]),
        (world.shell("cat .gitignore"), &["F001", "interagent delegate --to vice_captain1"]),
        (world.read(world.sandbox.project().join(".gitignore")), &["F001", "You may read the dashboard"]),
        (world.write(world.worktree.join("new.rs")), &["F001", "delegates"]),
        (world.mail("member1"), &["one step at a time", "interagent send --to vice_captain1"]),
        (world.assign("member1"), &["may not assign work", "interagent delegate --to vice_captain1"]),
    ]
}
