//! F001 and F003 through the binary: reads of a captain, members without work, tasks of other members.

use super::*;

/// What a hook of this client answers before a tool call.
pub(super) fn before_tool(
    world: &World,
    agent: &str,
    client: &str,
    tool: &str,
    input: serde_json::Value,
) -> String {
    let payload =
        json!({ "session_id": agent, "cwd": world.project(), "tool_name": tool, "tool_input": input });
    let hook = world.sandbox.as_agent(agent).stdin(payload.to_string());
    let done = hook.run(&["hook", client, "PreToolUse"]);
    done.stdout + &done.stderr
}

#[test]
fn captain_does_not_read_project_files() {
    let world = World::new();
    let file = world.project().join("src/main.rs").display().to_string();
    for (tool, input) in [
        ("Read", json!({ "file_path": file })),
        ("Bash", json!({ "command": "cat src/main.rs" })),
        ("Grep", json!({ "pattern": "fn" })),
    ] {
        let said = before_tool(&world, "captain", "claude", tool, input.clone());
        assert!(
            said.contains("F001") && said.contains("interagent delegate --to vice_captain1"),
            "{tool}: {said}"
        );
        assert_eq!(before_tool(&world, "member1", "claude", tool, input), "", "{tool}");
    }
    let dashboard = world.sandbox.hub().join("dashboard.md").display().to_string();
    for allowed in [json!({ "file_path": dashboard }), json!({ "file_path": "/etc/hostname" })] {
        assert_eq!(before_tool(&world, "captain", "claude", "Read", allowed), "");
    }
    let read = before_tool(&world, "captain", "claude", "Read", json!({ "file_path": "CLAUDE.md" }));
    assert_eq!(read, "");
}

#[test]
fn captain_reads_project_files_by_no_other_program() {
    let world = World::new();
    let project = world.project();
    fs::create_dir(project.join("src")).unwrap();
    fs::write(project.join("src/main.rs"), "fn main() {}\n").unwrap();
    fs::write(project.join("Makefile"), "all:\n").unwrap();
    for command in [
        "base64 Makefile",
        "perl -pe1 src/main.rs",
        "tar c src",
        "cp src/main.rs /tmp/x",
        "dd if=src/main.rs",
        "curl file://$PWD/src/main.rs",
        "git format-patch --stdout main",
        "gh pr diff",
        "while read -r l; do echo \"$l\"; done < src/main.rs",
    ] {
        let said = before_tool(&world, "captain", "claude", "Bash", json!({ "command": command }));
        assert!(said.contains("F001"), "{command}: {said}");
        let member = before_tool(&world, "member1", "claude", "Bash", json!({ "command": command }));
        assert_eq!(member, "", "{command}");
    }
    // Words that are no files there, and what tells names only.
    for command in
        ["docker Makefiles", "base64 src/lib.rs", "ls src Makefile", "wc -l src/main.rs", "gh pr list"]
    {
        let said = before_tool(&world, "captain", "claude", "Bash", json!({ "command": command }));
        assert_eq!(said, "", "{command}");
    }
    let read = json!({ "path": project.join("src/main.rs") });
    let said = before_tool(&world, "captain", "claude", "mcp__filesystem__read_file", read.clone());
    assert!(said.contains("F001"), "{said}");
    assert_eq!(before_tool(&world, "member1", "claude", "mcp__filesystem__read_file", read), "");
}

#[test]
fn subagent_tools_are_those_of_the_profile() {
    let world = World::new();
    for (client, tool) in [("kimi-cli", "CreateSubagent"), ("kimi", "AgentSwarm"), ("codex", "spawn_agent")] {
        let said = before_tool(&world, "captain", client, tool, json!({ "name": "x" }));
        assert!(said.contains("F001"), "{client} {tool}: {said}");
    }
    let said = before_tool(&world, "captain", "claude", "spawn_agent", json!({ "name": "x" }));
    assert_eq!(said, "", "another client's tool");
    let explore = json!({ "subagent_type": "Explore", "prompt": "x" });
    assert_eq!(before_tool(&world, "vice_captain1", "claude", "Agent", explore), "");
}

#[test]
fn member_without_a_task_may_not_write() {
    let world = World::new();
    assert_eq!(world.rule("member3", "echo x > a.rs").as_deref(), Some("F003"));
    assert_eq!(world.rule("member3", "cat a.rs && echo x > /tmp/note"), None);
    let create = ["task", "create", "Login", "--assignee", "member3", "--alias", "login"];
    world.sandbox.as_agent("vice_captain1").run(&create).success();
    assert_eq!(world.rule("member3", "echo x > a.rs"), None);
    world.sandbox.run(&["task", "update", "login", "--status", "cancelled"]).success();
    assert_eq!(world.rule("member3", "echo x > a.rs").as_deref(), Some("F003"));
}

#[test]
fn work_that_waits_for_a_verdict_may_be_changed() {
    let world = World::new();
    let member = |args: &[&str]| world.sandbox.as_agent("member3").run(args).success();
    let vice = |args: &[&str]| world.sandbox.as_agent("vice_captain1").run(args).success();
    vice(&["task", "create", "Login", "--assignee", "member3", "--alias", "login"]);
    member(&["report", "login", "done", "--summary", "s", "--purpose-met", "--no-skill"]);
    assert_eq!(world.rule("member3", "echo x > a.rs"), None, "completed");
    member(&["review", "open", "login", "--alias", "look"]);
    vice(&["review", "comment", "look", "-m", "Rename it."]);
    assert_eq!(world.rule("member3", "echo x > a.rs"), None, "under review");
    vice(&["task", "verdict", "login", "approved"]);
    assert_eq!(world.rule("member3", "echo x > a.rs").as_deref(), Some("F003"), "approved");
}

#[test]
fn tasks_of_others_are_not_shown() {
    let world = World::new();
    let vice = |args: &[&str]| world.sandbox.as_agent("vice_captain1").run(args).success();
    let order = ["task", "create", "Sign in", "--assignee", "vice_captain1", "--alias", "order"];
    world.sandbox.as_agent("captain").run(&order).success();
    let part = |name: &'static str, member: &'static str| {
        vice(&["task", "create", name, "--assignee", member, "--alias", name, "--parent", "order"]);
    };
    part("api", "member2");
    part("form", "member3");
    let show = |agent: &str, command: &[&str]| world.sandbox.as_agent(agent).run(command);
    for command in [&["task", "show", "api"][..], &["log", "show", "api"], &["task", "note", "api", "x"]] {
        let refused = show("member3", command);
        assert_eq!(refused.status, 1, "{command:?} {}", refused.stdout);
        assert!(refused.stderr.contains("member2"), "{}", refused.stderr);
    }
    for (agent, task) in [
        ("member2", "api"),
        ("vice_captain1", "api"),
        ("captain", "api"),
        ("member3", "form"),
        ("member3", "order"),
    ] {
        show(agent, &["task", "show", task]).success();
    }
    assert_eq!(show("member4", &["task", "show", "order"]).status, 1, "no part of it is theirs");
    world.sandbox.run(&["task", "show", "api"]).success();
}

#[test]
fn equals_read_and_write_without_tasks() {
    let sandbox = Sandbox::with_team();
    sandbox
        .as_agent("claude")
        .run(&["task", "create", "Mine", "--assignee", "claude", "--alias", "mine"])
        .success();
    for agent in ["claude", "kimi"] {
        sandbox.as_agent(agent).run(&["task", "show", "mine"]).success();
        for command in ["cat src/main.rs", "echo x > a.rs", "cargo test"] {
            let view = sandbox.json(&["guard", "explain", command, "--agent", agent]);
            assert_eq!(view["allowed"], json!(true), "{agent} {command}: {view}");
        }
    }
}
