//! The guard itself: who puts it and takes it away, where it stands, and what it does where something is amiss.

use std::os::unix::fs::symlink;

use super::*;

/// What a hook of Claude Code says before a tool of this agent, in a session that no hook announced.
fn before(world: &World, agent: &str, tool: &str, input: serde_json::Value) -> String {
    let call = json!({ "session_id": "s9", "tool_name": tool, "tool_input": input, "cwd": world.worktree });
    let run = world.sandbox.as_agent(agent).stdin(call.to_string());
    run.run(&["hook", "claude", "PreToolUse"]).success().stdout
}

fn checks(world: &World) -> String {
    world.sandbox.run(&["doctor"]).stdout
}

#[test]
fn only_a_person_puts_the_guard_and_takes_it_away() {
    let world = World::new();
    for undo in [&[][..], &["--undo"]] {
        let refused = world.sandbox.as_agent("member1").run(&[&["guard", "install"], undo].concat());
        assert_eq!(refused.status, 1, "{}", refused.stderr);
        assert!(
            refused.stderr.contains("only the operator installs or removes the guard"),
            "{}",
            refused.stderr
        );
    }
    world.sandbox.run(&["guard", "install"]).success();
    let hook = world.project().join(".git/hooks/pre-commit").display().to_string();
    let hooks = world.project().join(".git/hooks").display().to_string();
    for command in [
        "interagent guard install --undo".to_owned(),
        "interagent setup --undo --yes".to_owned(),
        format!("echo > {hook}"),
        format!("rm {hook}"),
        format!("rm -rf {hooks}"),
        format!("rm -rf {hooks}/*"),
        format!("chmod -x {hook}"),
        format!("echo > {}", world.project().join(".git/config").display()),
        "git config core.hooksPath /dev/null".to_owned(),
        "echo '{}' > .claude/settings.local.json".to_owned(),
    ] {
        assert_eq!(world.rule("member1", &command).as_deref(), Some("guard_itself"), "{command}");
        assert_eq!(world.rule("operator", &command), None, "{command}");
    }
    world.sandbox.run(&["guard", "install", "--undo"]).success();
    let rule = world.rule("member1", &format!("echo > {hook}"));
    assert_eq!(rule.as_deref(), Some("guard_itself"), "the directory of git is not an agent's");
}

#[test]
fn no_agent_skips_the_hooks_of_git() {
    let world = World::new();
    for command in [
        "git commit --no-verify -m x",
        "git commit -nm x",
        "git push --no-verify",
        "git -c core.hooksPath=/dev/null commit -m x",
        "export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=core.hooksPath GIT_CONFIG_VALUE_0=; git commit -m x",
    ] {
        assert_eq!(world.rule("member1", command).as_deref(), Some("guard_itself"), "{command}");
        assert_eq!(world.rule("operator", command), None, "{command}");
    }
    let denied = before(&world, "member1", "Bash", json!({ "command": "git commit -n -m x" }));
    assert!(denied.contains("deny") && denied.contains("Drop `--no-verify`"), "{denied}");
    assert_eq!(world.rule("member1", "git push -n && git commit -m 'no -n'"), None);
}

#[test]
fn a_client_whose_member_is_not_known_is_guarded_too() {
    let world = World::new();
    let project = world.project();
    let before = |agent: Option<&str>, command: &str| {
        let input = json!({ "command": command });
        let call = json!({ "session_id": "s9", "tool_name": "Bash", "tool_input": input, "cwd": project });
        let run = world.sandbox.start().stdin(call.to_string());
        let run = agent.into_iter().fold(run, |run, agent| run.env("INTERAGENT_AGENT", agent));
        run.run(&["hook", "claude", "PreToolUse"]).success().stdout
    };
    for agent in [None, Some("nobody"), Some("operator")] {
        let refused = before(agent, "rm -rf .interagent");
        assert!(refused.contains("the hub's own files"), "{agent:?} {refused}");
        assert!(before(agent, "git commit -m x").contains("F006"), "{agent:?}");
        assert_eq!(before(agent, "ls; touch /tmp/x; git -C ../wt commit -m x"), "", "{agent:?}");
    }
}

#[test]
fn what_is_too_much_to_follow_is_told_and_refused_before_the_deadline() {
    let world = World::new();
    let long = "touch a; f(){ f;f;f;f; }; f";
    let explained = world.sandbox.start().within(&world.worktree);
    let shown = explained.run(&["guard", "explain", long, "--agent", "member1"]).shown();
    assert!(
        shown.contains("it is too much to follow   refused by too much to follow")
            || shown.contains("it is too much to follow  refused by too much to follow"),
        "{shown}"
    );
    let denied = before(&world, "member1", "Bash", json!({ "command": long }));
    assert!(denied.contains("deny"), "{denied}");
    assert_eq!(world.rule("operator", long), None);
}

#[test]
fn a_link_is_judged_by_the_tree_it_leads_to() {
    let world = World::new();
    let (project, worktree) = (world.project(), world.worktree.clone());
    fs::create_dir(project.join("src")).unwrap();
    fs::write(project.join("src/a.rs"), "").unwrap();
    symlink(project.join("src/a.rs"), worktree.join("a.rs")).unwrap();
    symlink(project.join("src"), worktree.join("there")).unwrap();
    symlink(project.join("src/new.rs"), worktree.join("new.rs")).unwrap();
    symlink(world.sandbox.hub().join("team.toml"), worktree.join("team")).unwrap();
    for (command, rule) in [
        ("echo x > a.rs", Some("F006")),
        ("echo x > there/b.rs", Some("F006")),
        ("rm there/a.rs", Some("F006")),
        ("cd there && git commit -m x", Some("F006")),
        ("echo x > new.rs", Some("F006")),
        ("echo x > team", Some("hub_files")),
        ("rm a.rs", None),
        ("echo x > b.rs", None),
    ] {
        assert_eq!(world.rule("member1", command).as_deref(), rule, "{command}");
    }
    world.sandbox.as_agent("member2").run(&["lease", "take", "lib/**", "--reason", "mine"]).success();
    fs::create_dir(worktree.join("lib")).unwrap();
    symlink(worktree.join("lib"), worktree.join("other")).unwrap();
    assert_eq!(world.rule("member1", "echo x > other/x").as_deref(), Some("RACE-001"));
}

#[test]
fn a_guard_that_is_gone_is_told_and_stops_nobody() {
    let world = World::new();
    world.sandbox.run(&["guard", "install"]).success();
    assert!(!checks(&world).contains("is gone"), "{}", checks(&world));
    let hooks = world.project().join(".git/hooks");
    for name in ["pre-commit", "pre-push", "reference-transaction"] {
        let text = fs::read_to_string(hooks.join(name)).unwrap();
        let lines = text.lines().map(|line| match line.starts_with("guard=") {
            true => "guard='/nowhere/it'\\''s/interagent'",
            false => line,
        });
        fs::write(hooks.join(name), lines.collect::<Vec<_>>().join("\n") + "\n").unwrap();
    }
    let done = world.commit(Some("member1"), &world.project());
    assert!(done.worked && done.said.contains("/nowhere/it's/interagent is gone"), "{}", done.said);
    assert_eq!(done.said.lines().count(), 1, "{}", done.said);
    let told = checks(&world).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(told.contains("ask a guard that is gone (`/nowhere/it's/interagent`)"), "{told}");
    world.sandbox.run(&["guard", "install"]).success();
    world.commit(Some("member1"), &world.project()).refused("F006");
}

#[test]
fn a_session_that_the_hub_does_not_know_is_not_briefed() {
    let world = World::new();
    let write = || before(&world, "member1", "Write", json!({ "file_path": world.worktree.join("a.rs") }));
    assert!(write().contains("F005"), "{}", write());
    let prompted = world.sandbox.as_agent("member1").stdin(json!({ "session_id": "s9" }).to_string());
    assert!(
        prompted.run(&["hook", "claude", "UserPromptSubmit"]).success().stdout.contains("You are member1")
    );
    assert_eq!(write(), "");
}

#[test]
fn hooks_that_others_share_are_changed_only_after_a_yes() {
    let world = World::new();
    let project = world.project();
    let outside = world.worktree.with_file_name("everybodys");
    let set = |path: &str| world.git(None, &project, &["config", "core.hooksPath", path]).success();
    let install = |more: &[&str]| world.sandbox.run(&[&["guard", "install"], more].concat());
    set(outside.to_str().unwrap());
    let refused = install(&[]);
    assert_eq!(refused.status, 1);
    assert!(refused.stderr.contains("outside of this repository"), "{}", refused.stderr);
    assert!(!outside.exists());
    install(&["--yes"]).success();
    world.commit(Some("member1"), &project).refused("F006");
    install(&["--undo"]).success();
    assert!(!outside.exists(), "it was made for the hooks");
    fs::create_dir(project.join("hooks")).unwrap();
    fs::write(project.join("hooks/pre-commit"), "#!/bin/sh\n").unwrap();
    world.git(None, &project, &["add", "hooks"]).success();
    set("hooks");
    let refused = install(&[]);
    assert!(refused.stderr.contains("git tracks"), "{}", refused.stderr);
    install(&["--yes"]).success();
    install(&["--undo"]).success();
    assert!(project.join("hooks/pre-commit").exists());
}
