//! Clones that bring a hub's files: nothing in them takes effect before a person agreed to it.

use std::fs;
use std::path::Path;
use std::process::Command;

use interagent_testkit::Sandbox;
use serde_json::json;

const STARTS: &str = "starts programs: ladder.headless_allowed = true";

/// A project as a clone brings it: a team file that starts programs, a profile, and no state.
fn clone() -> Sandbox {
    let sandbox = Sandbox::with_team();
    let team = fs::read_to_string(sandbox.hub().join("team.toml")).unwrap();
    fs::remove_dir_all(sandbox.hub()).unwrap();
    fs::create_dir_all(sandbox.hub().join("profiles")).unwrap();
    fs::write(sandbox.hub().join("team.toml"), widened(&team)).unwrap();
    fs::write(sandbox.hub().join("profiles/own.toml"), "name = \"own\"\n").unwrap();
    sandbox
}

fn widened(team: &str) -> String {
    let off = "headless_allowed = false";
    assert!(team.contains(off), "{team}");
    team.replace(off, "headless_allowed = true").replace("# headless_allowed", "headless_allowed")
}

/// Whether a screen, which may have colours, shows the marked setting.
fn shows_mark(screen: &str) -> bool {
    STARTS.split(": ").all(|part| screen.contains(part))
}

/// Every path below a directory.
fn tree(directory: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).unwrap().map(Result::unwrap) {
        found.push(entry.path().display().to_string());
        if entry.file_type().unwrap().is_dir() {
            found.extend(tree(&entry.path()));
        }
    }
    found.sort();
    found
}

fn run_without_terminal(sandbox: &Sandbox, arguments: &[&str]) -> (i32, String) {
    let mut setsid = Command::new("setsid");
    setsid.arg("--wait");
    let done = sandbox.start().below(setsid, arguments).output().unwrap();
    let shown = String::from_utf8(done.stdout).unwrap() + &String::from_utf8(done.stderr).unwrap();
    (done.status.code().unwrap(), shown)
}

#[test]
fn looking_into_a_clone_creates_nothing() {
    let sandbox = clone();
    let before = tree(&sandbox.project());
    let status = sandbox.run(&["status"]).success().stdout;
    for part in [STARTS, "claude (claude)", "own.toml", "interagent trust", "not applied"] {
        assert!(status.contains(part), "{part}: {status}");
    }
    let document: serde_json::Value =
        serde_json::from_str(&sandbox.run(&["status", "--json"]).success().stdout).unwrap();
    let marked = json!([{ "power": "starts programs", "setting": "ladder.headless_allowed = true" }]);
    assert_eq!((&document["answer"]["joined"], &document["answer"]["marked"]), (&json!(false), &marked));
    for command in [
        &["summary"][..],
        &["inbox", "--agent", "kimi"],
        &["task", "list"],
        &["log"],
        &["ps"],
        &["whoami"],
        &["briefing"],
        &["doctor"],
        &["team", "show"],
        &["search", "x"],
        &["relay", "--to", "kimi"],
    ] {
        for run in [sandbox.start(), sandbox.operator(), sandbox.as_agent("claude")] {
            let shown = run.run(command);
            assert_ne!(shown.status, 0, "{command:?}: {}", shown.shown());
            assert!(shown.shown().contains("interagent trust"), "{command:?}: {}", shown.shown());
        }
    }
    for command in [&["trust", "--list"][..], &["team", "check"]] {
        sandbox.run(command).success();
    }
    assert_eq!(tree(&sandbox.project()), before);
}

#[test]
fn no_command_applies_a_clones_team_by_itself() {
    let sandbox = clone();
    let before = tree(&sandbox.project());
    for command in [
        &["send", "--to", "kimi", "-m", "hi"][..],
        &["quick", "--to", "kimi", "x"],
        &["task", "create", "x"],
        &["agent", "register", "helper"],
        &["team", "take"],
        &["init"],
        &["init", "--force"],
        &["init", "--project", "mine"],
        &["setup", "claude", "--yes"],
        &["sync"],
        &["trust"],
        &["up"],
        &["supervise", "--once"],
        &["run", "claude", "--prompt", "x"],
        &["doctor", "--recover"],
        &["join", "--name", "claude"],
    ] {
        let runs = [
            sandbox.start(),
            sandbox.operator(),
            sandbox.as_agent("claude"),
            sandbox.start().env("CLAUDECODE", "1"),
        ];
        for run in runs {
            let shown = run.run(command);
            assert_ne!(shown.status, 0, "{command:?}: {}", shown.shown());
        }
        assert_eq!(tree(&sandbox.project()), before, "{command:?}");
    }
}

#[test]
fn named_and_linked_hubs_wait_too() {
    let sandbox = clone();
    let (project, linked) = (sandbox.project(), sandbox.home().join("linked"));
    let git = |arguments: &[&str]| {
        let identity = ["-c", "user.name=T", "-c", "user.email=t@example.org"];
        let done = Command::new("git").current_dir(&project).args(identity).args(arguments).output().unwrap();
        assert!(done.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&done.stderr));
    };
    git(&["init", "--quiet"]);
    git(&["add", "--force", ".interagent/team.toml"]);
    git(&["commit", "--quiet", "-m", "team"]);
    git(&["worktree", "add", "--quiet", linked.to_str().unwrap()]);
    let before = (tree(&sandbox.hub()), tree(&linked));
    let hub = project.to_str().unwrap();
    let within = |directory: &Path, arguments: &[&str]| sandbox.start().within(directory).run(arguments);
    let home = sandbox.home();
    for shown in [
        within(&linked, &["status"]),
        within(&home, &["status", "--hub", hub]),
        sandbox.start().within(&home).env("INTERAGENT_HUB", hub).run(&["status"]),
    ] {
        assert!(shown.success().stdout.contains(STARTS));
    }
    assert_eq!(within(&linked, &["send", "--to", "kimi", "-m", "x"]).status, 1);
    assert_eq!(within(&home, &["send", "--hub", hub, "--to", "kimi", "-m", "x"]).status, 1);
    assert_eq!((tree(&sandbox.hub()), tree(&linked)), before);
}

#[test]
fn mcp_server_creates_nothing_in_a_clone() {
    let sandbox = clone();
    let before = tree(&sandbox.project());
    let calls = [
        r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"claude-code","version":"1"}}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"check_inbox","arguments":{}}}"#,
        r#"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"register_agent","arguments":{"name":"claude"}}}"#,
    ];
    let shown = sandbox.start().stdin(calls.join("\n") + "\n").run(&["mcp"]);
    assert!(!shown.stdout.contains("registered"), "{}", shown.shown());
    assert_eq!(tree(&sandbox.project()), before);
}

#[test]
fn hooks_stay_silent_in_a_clone() {
    let sandbox = clone();
    let before = tree(&sandbox.project());
    for event in ["SessionStart", "UserPromptSubmit", "PreToolUse", "Stop", "SessionEnd"] {
        let payload =
            r#"{"session_id":"s1","source":"startup","tool_name":"Bash","tool_input":{"command":"ls"}}"#;
        let shown = sandbox.start().stdin(payload).run(&["hook", "claude", event]);
        assert_eq!((shown.status, shown.stdout.as_str(), shown.stderr.as_str()), (0, "", ""), "{event}");
    }
    assert_eq!(tree(&sandbox.project()), before);
}

#[test]
fn person_joins_a_clone_after_seeing_its_team() {
    for command in ["trust", "sync"] {
        let sandbox = clone();
        let before = tree(&sandbox.project());
        let (code, refused) = run_without_terminal(&sandbox, &[command]);
        assert!(code == 1 && refused.contains("interagent trust"), "{refused}");
        let (status, shown) = sandbox.start().answered_at_a_terminal(&[command], "n\n");
        assert!(status == 1 && shows_mark(&shown), "{command}: {shown}");
        assert_eq!(tree(&sandbox.project()), before, "{command}");
        let (status, shown) = sandbox.start().answered_at_a_terminal(&[command], "y\nn\n");
        assert!(status == 0 && shows_mark(&shown), "{command}: {shown}");
        assert_eq!(sandbox.json(&["team", "show"])["config"]["ladder"]["headless_allowed"], true);
        assert_eq!(sandbox.as_agent("kimi").json(&["whoami"])["member"]["name"], "kimi");
    }
}

#[test]
fn faulty_team_file_is_not_joined() {
    let sandbox = clone();
    fs::write(sandbox.hub().join("team.toml"), "formation = \"trio\"\n").unwrap();
    let status = sandbox.run(&["status"]).success().stdout;
    assert!(status.contains("team.toml has 2 problems"), "{status}");
    let (code, shown) = sandbox.start().answered_at_a_terminal(&["trust"], "y\n");
    assert!(code == 2 && shown.contains("interagent team check"), "{shown}");
    assert!(!sandbox.hub().join("state").exists());
}

#[test]
fn team_file_that_changes_is_asked_about_again() {
    let sandbox = Sandbox::with_team();
    let file = sandbox.hub().join("team.toml");
    let before = fs::read_to_string(&file).unwrap();
    // As a pull does.
    fs::write(&file, widened(&before)).unwrap();
    let is_allowed = || sandbox.json(&["team", "show"])["config"]["ladder"]["headless_allowed"] == true;
    for command in [
        &["status"][..],
        &["sync"],
        &["setup", "claude", "--yes"],
        &["init", "--force"],
        &["init", "--force", "--project", "x"],
        &["send", "--to", "kimi", "-m", "x"],
        &["doctor"],
    ] {
        sandbox.operator().run(command);
        assert!(!is_allowed(), "{command:?}");
    }
    let listed = sandbox.json(&["trust", "--list"]);
    assert_eq!(listed["team"], "changed", "{listed}");
    let (status, shown) = sandbox.start().answered_at_a_terminal(&["trust"], "n\n");
    assert!(status == 0 && shows_mark(&shown) && !is_allowed(), "{shown}");
    assert!(shown.contains("changed ladder.headless_allowed: false -> true"), "{shown}");
    let (_, shown) = sandbox.start().answered_at_a_terminal(&["trust"], "y\n");
    assert!(is_allowed(), "{shown}");
    assert_eq!(sandbox.json(&["trust", "--list"])["team"], "trusted");
}

#[test]
fn script_applies_no_file_that_widens_powers() {
    let sandbox = Sandbox::with_team();
    let file = sandbox.hub().join("team.toml");
    let before = fs::read_to_string(&file).unwrap();
    fs::write(&file, widened(&before)).unwrap();
    let (code, refused) = run_without_terminal(&sandbox, &["team", "take"]);
    assert!(code == 1 && refused.contains(STARTS) && refused.contains("in a terminal"), "{refused}");
    let applied = sandbox.operator().run(&["team", "take"]).success();
    assert!(applied.shown().contains(STARTS), "{}", applied.shown());
    // Going back is for everybody's script.
    fs::write(&file, before).unwrap();
    let (code, shown) = run_without_terminal(&sandbox, &["team", "take"]);
    assert_eq!(code, 0, "{shown}");
}
