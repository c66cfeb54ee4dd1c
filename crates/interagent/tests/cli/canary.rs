//! The doctor around the hub: clients and their files, other hubs, and a message through every path that is set up.

use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use interagent_testkit::Sandbox;
use interagent_testkit::sandbox::Output;
use serde_json::Value;

/// A team whose claude and kimi are set up.
struct World {
    sandbox: Sandbox,
}

impl World {
    fn new() -> Self {
        let sandbox = Sandbox::with_team();
        sandbox.run(&["setup", "claude", "kimi", "--yes"]).success();
        Self { sandbox }
    }

    fn canary(&self) -> (Output, Value) {
        let output = self.sandbox.run(&["doctor", "--canary", "--json"]);
        let document: Value = serde_json::from_str(&output.stdout).unwrap();
        (output, document["answer"].clone())
    }

    /// The paths of a client that lost their message, and why.
    fn lost(answer: &Value) -> Vec<(String, String)> {
        let paths = answer["paths"].as_array().unwrap().iter();
        let lost = paths.filter(|path| path["state"] == "lost");
        let word = |path: &Value, field: &str| path[field].as_str().unwrap().to_owned();
        lost.map(|path| (format!("{} {}", word(path, "client"), word(path, "path")), word(path, "helps")))
            .collect()
    }

    fn settings(&self) -> PathBuf {
        self.sandbox.project().join(".claude/settings.local.json")
    }

    /// What the doctor finds about something: state, sentence and what helps.
    fn found(&self, run: &interagent_testkit::sandbox::Run<'_>, what: &str) -> Vec<String> {
        let output = run.run(&["doctor", "--json"]);
        let document: Value = serde_json::from_str(&output.stdout).unwrap();
        let checks = document["answer"]["checks"].as_array().unwrap().clone();
        let about = checks.into_iter().filter(|check| check["what"] == what);
        about.map(|check| format!("{} {} ({})", check["state"], check["sentence"], check["helps"])).collect()
    }
}

#[test]
fn after_setup_every_path_brings_its_message() {
    let world = World::new();
    let (output, answer) = world.canary();
    assert_eq!((output.status, &answer["green"]), (0, &Value::Bool(true)), "{answer:#}");
    let arrived: Vec<String> = answer["paths"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|path| path["state"] == "arrived")
        .map(|path| {
            format!(
                "{} {}: {}",
                path["client"].as_str().unwrap(),
                path["path"].as_str().unwrap(),
                path["what"]
            )
        })
        .collect();
    insta::assert_snapshot!(arrived.join("\n"), @r#"
    Claude Code MCP server: "the message, from check_inbox"
    Claude Code hook SessionStart: "the briefing"
    Claude Code hook UserPromptSubmit: "the message"
    Claude Code hook PreToolUse: "a verdict on a harmless tool"
    Claude Code hook PostToolUse: "the message"
    Claude Code hook Stop: "the message"
    Claude Code hook SessionStart (waits): "the message"
    Claude Code hook Stop (waits): "the message"
    Kimi Code MCP server: "the message, from check_inbox"
    Kimi Code hook UserPromptSubmit: "the message"
    Kimi Code hook PreToolUse: "a verdict on a harmless tool"
    Kimi Code hook Stop: "the message"
    tmux typed line: "the line `interagent: new mail, please read it`, in a pane of its own"
    "#);
    assert!(answer["paths"][0]["milliseconds"].is_u64(), "{answer}");
    // Nothing of it stays: nobody is bound, nobody new takes part, nothing waits.
    assert_eq!(world.sandbox.json(&["session", "list"])["items"], serde_json::json!([]));
    let agents = world.sandbox.json(&["agent", "list"]);
    let names: Vec<&str> =
        agents["items"].as_array().unwrap().iter().filter_map(|agent| agent["name"].as_str()).collect();
    assert!(names.iter().all(|name| !name.starts_with("canary")), "{names:?}");
    let shown = world.sandbox.run(&["doctor", "--canary"]).success().stdout;
    assert!(shown.contains("Claude Code") && shown.contains("hook Stop"), "{shown}");
    let log = world.sandbox.json(&["log"]).to_string();
    assert!(!log.contains("canary"), "{log}");
    assert!(!world.sandbox.hub().join("state/canary").exists());
}

#[test]
fn without_tmux_its_path_is_named_and_not_tried() {
    let world = World::new();
    let output =
        world.sandbox.start().env("PATH", "/nonexistent").run(&["doctor", "--canary", "--json"]).success();
    let document: Value = serde_json::from_str(&output.stdout).unwrap();
    let paths = document["answer"]["paths"].as_array().unwrap().clone();
    let typed = paths.iter().find(|path| path["client"] == "tmux").unwrap();
    assert_eq!(
        (&typed["state"], &typed["what"]),
        (&"not_tried".into(), &"tmux can't be started: nobody is nudged here".into())
    );
}

#[test]
fn a_hook_that_was_removed_is_red_with_the_command_that_helps() {
    let world = World::new();
    let text = std::fs::read_to_string(world.settings()).unwrap();
    let mut settings: Value = serde_json::from_str(&text).unwrap();
    settings["hooks"].as_object_mut().unwrap().remove("PostToolUse").unwrap();
    std::fs::write(world.settings(), settings.to_string()).unwrap();
    let (output, answer) = world.canary();
    assert_eq!(output.status, 1, "{answer:#}");
    let wanted = ("Claude Code hook PostToolUse".to_owned(), "interagent setup claude".to_owned());
    assert_eq!(World::lost(&answer), [wanted]);
    let people = world.sandbox.run(&["doctor", "--canary"]);
    assert!(people.status == 1 && people.stdout.contains("hint: interagent setup claude"), "{people:?}");
    world.sandbox.run(&["setup", "claude", "--yes"]).success();
    assert_eq!(world.canary().0.status, 0);
}

/// How many hooks setup writes for a client.
fn hooks_of(client: &str) -> usize {
    let profile = interagent_agents::Profiles::shipped().get(client);
    profile.and_then(|profile| profile.hooks).map_or(0, |hooks| hooks.events.len())
}

#[test]
fn a_program_that_is_gone_is_red() {
    let world = World::new();
    let text = std::fs::read_to_string(world.settings()).unwrap();
    let program = world.sandbox.start().command(&[]).get_program().to_str().unwrap().to_owned();
    let program = std::fs::canonicalize(program).unwrap();
    std::fs::write(world.settings(), text.replace(program.to_str().unwrap(), "/gone/interagent")).unwrap();
    let (output, answer) = world.canary();
    assert_eq!(output.status, 1, "{answer:#}");
    let lost = World::lost(&answer);
    // Each of them, also the guard, the waiters and those that say nothing.
    assert_eq!(lost.len(), hooks_of("claude"), "{lost:?}");
    assert!(answer.to_string().contains("`/gone/interagent` is not there"), "{answer}");
    // What did not arrive is not said to have.
    let sent = world.sandbox.json(&["msg", "list", "--from", "operator"]);
    assert!(!sent.to_string().contains("\"read\""), "{sent}");
}

#[test]
fn a_dead_guard_or_waiter_is_red() {
    let world = World::new();
    let text = std::fs::read_to_string(world.settings()).unwrap();
    let mut settings: Value = serde_json::from_str(&text).unwrap();
    settings["hooks"]["PreToolUse"][0]["hooks"][0]["command"] = "/nonexistent/interagent".into();
    for event in ["SessionStart", "Stop"] {
        let list = settings["hooks"][event].as_array_mut().unwrap();
        let waiter = list.iter_mut().find(|element| element.to_string().contains("--wait")).unwrap();
        waiter["hooks"][0]["command"] = "/nonexistent/interagent".into();
    }
    std::fs::write(world.settings(), settings.to_string()).unwrap();
    let (output, answer) = world.canary();
    assert_eq!(output.status, 1, "{answer:#}");
    let paths: Vec<String> = World::lost(&answer).into_iter().map(|(path, _)| path).collect();
    let wanted = ["hook PreToolUse", "hook SessionStart (waits)", "hook Stop (waits)"];
    assert_eq!(paths, wanted.map(|path| format!("Claude Code {path}")));
}

/// A project's files may say anything: the canary runs this program and nothing else.
#[test]
fn what_a_projects_files_name_is_not_run() {
    let world = World::new();
    let evil = world.sandbox.project().join("interagent");
    let (touched, preload) = (world.sandbox.home().join("touched"), world.sandbox.home().join("preload"));
    std::fs::write(&evil, format!("#!/bin/sh\ntouch '{}'\n", touched.display())).unwrap();
    std::fs::set_permissions(&evil, std::fs::Permissions::from_mode(0o755)).unwrap();
    let program = world.sandbox.start().command(&[]).get_program().to_str().unwrap().to_owned();
    let own = std::fs::canonicalize(program).unwrap();
    let replace = |file: &std::path::Path, from: &str, to: &str| {
        let text = std::fs::read_to_string(file).unwrap();
        assert!(text.contains(from), "{text}");
        std::fs::write(file, text.replace(from, to)).unwrap();
    };
    replace(&world.settings(), own.to_str().unwrap(), evil.to_str().unwrap());
    let servers = world.sandbox.project().join(".mcp.json");
    replace(&servers, own.to_str().unwrap(), evil.to_str().unwrap());
    // A line of a shell that does more than call us.
    let kimi = world.sandbox.home().join(".kimi-code/config.toml");
    let more = format!("hook kimi UserPromptSubmit $(touch '{}')", touched.display());
    replace(&kimi, "hook kimi UserPromptSubmit", &more);
    let (output, answer) = world.canary();
    assert_eq!(output.status, 1, "{answer:#}");
    assert!(!touched.exists(), "{answer:#}");
    let lost = World::lost(&answer);
    // All of Claude Code's, the server, and that line.
    assert_eq!(lost.len(), hooks_of("claude") + 2, "{lost:#?}");
    let said = answer.to_string();
    assert!(said.contains(&format!("it runs another program: `{}", evil.display())), "{answer:#}");
    assert!(said.contains("it runs something else than setup writes"), "{answer:#}");
    // Of the variables of an entry, only ours are passed.
    world.sandbox.run(&["setup", "claude", "kimi", "--yes"]).success();
    let mut entry: Value = serde_json::from_str(&std::fs::read_to_string(&servers).unwrap()).unwrap();
    entry["mcpServers"]["interagent"]["env"] =
        serde_json::json!({ "LD_DEBUG": "files", "LD_DEBUG_OUTPUT": preload });
    std::fs::write(&servers, entry.to_string()).unwrap();
    let (output, answer) = world.canary();
    assert_eq!(output.status, 0, "{answer:#}");
    let left: Vec<_> =
        std::fs::read_dir(world.sandbox.home()).unwrap().flatten().map(|file| file.file_name()).collect();
    assert!(!left.iter().any(|name| name.to_string_lossy().starts_with("preload")), "{left:?}");
}

#[test]
fn without_a_client_that_is_set_up_there_is_nothing_to_try() {
    let sandbox = Sandbox::with_team();
    let output = sandbox.run(&["doctor", "--canary"]);
    assert_eq!(output.status, 1);
    assert!(output.stderr.contains("hint: interagent setup"), "{}", output.stderr);
    let world = World::new();
    let as_agent = world.sandbox.as_agent("kimi").run(&["doctor", "--canary"]);
    assert!(as_agent.status == 1 && as_agent.stderr.contains("the operator"), "{as_agent:?}");
}

#[test]
fn the_doctor_knows_the_clients_and_whether_their_files_are_right() {
    let world = World::new();
    let programs = world.sandbox.home().join("bin");
    std::fs::create_dir_all(&programs).unwrap();
    for name in ["claude", "gemini"] {
        let program = programs.join(name);
        std::fs::write(&program, "#!/bin/sh\necho 9.9.9 fake\n").unwrap();
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    let run = world.sandbox.start().env("PATH", &format!("{}:/usr/bin:/bin", programs.display()));
    let clients = world.found(&run, "clients");
    assert!(clients.iter().any(|line| line.contains("Claude Code: 9.9.9 fake")), "{clients:?}");
    let setup = world.found(&run, "setup");
    assert!(
        setup.iter().any(|line| line.contains("Claude Code: its files say what they should")),
        "{setup:?}"
    );
    assert!(setup.iter().any(|line| line.contains("Gemini CLI is not set up here")), "{setup:?}");
    std::fs::remove_file(world.settings()).unwrap();
    let setup = world.found(&run, "setup");
    assert!(
        setup.iter().any(|line| line.starts_with("\"warn\" \"Claude Code: hooks missing in")
            && line.contains("interagent setup claude")),
        "{setup:?}"
    );
    let git = world.found(&run, "git");
    assert_eq!(git, ["\"ok\" \"there is no repository here\" (null)"]);
}

#[test]
fn the_doctor_finds_clients_that_left_profiles_that_broke_and_hooks_in_trouble() {
    let world = World::new();
    let run = world.sandbox.start().env("PATH", "/usr/bin:/bin");
    assert!(world.found(&run, "profiles")[0].starts_with("\"ok\""));
    assert!(world.found(&run, "hooks")[0].starts_with("\"ok\""));
    let clients = world.found(&run, "clients");
    assert!(
        clients.iter().any(|line| line.starts_with("\"warn\" \"Claude Code is set up here, and not on PATH")),
        "{clients:?}"
    );
    // Its files are looked at all the same.
    std::fs::remove_file(world.settings()).unwrap();
    let setup = world.found(&run, "setup");
    assert!(setup.iter().any(|line| line.contains("Claude Code: hooks missing in")), "{setup:?}");
    let profiles = world.sandbox.home().join(".config/interagent/profiles");
    std::fs::create_dir_all(&profiles).unwrap();
    std::fs::write(profiles.join("mine.toml"), "name = \"mine\"\ncolour = 1\n").unwrap();
    let found = world.found(&run, "profiles");
    assert!(
        found[0].starts_with("\"warn\"") && found[0].contains("mine.toml is no profile: line 2"),
        "{found:?}"
    );
    let log = world.sandbox.hub().join("state/hook.log");
    std::fs::write(&log, "2001-01-01T00:00:00Z claude Stop: long ago\n").unwrap();
    assert!(world.found(&run, "hooks")[0].starts_with("\"ok\""));
    std::fs::write(&log, format!("{} claude Stop: the store is locked\n", jiff::Timestamp::now())).unwrap();
    let found = world.found(&run, "hooks");
    assert!(found[0].starts_with("\"warn\"") && found[0].contains("the store is locked"), "{found:?}");
}

#[test]
fn mail_in_another_hub_is_found() {
    let sandbox = Sandbox::with_team();
    let outside = sandbox.home().join("elsewhere");
    std::fs::create_dir(&outside).unwrap();
    let personal = sandbox.start().within(&outside);
    personal.run(&["agent", "register", "kimi", "--profile", "kimi"]).success();
    personal.run(&["send", "--to", "kimi", "-m", "Where are you?"]).success();
    let world = World { sandbox };
    let found = world.found(&world.sandbox.start(), "other hubs");
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(
        found[0].contains("kimi has 1 unread in") && found[0].contains("interagent inbox --hub"),
        "{found:?}"
    );
}

#[test]
fn a_waiter_that_says_a_line_is_heard_by_its_line() {
    let sandbox = Sandbox::with_team();
    sandbox.run(&["setup", "opencode", "--yes"]).success();
    let world = World { sandbox };
    let (output, answer) = world.canary();
    assert_eq!((output.status, World::lost(&answer)), (0, Vec::new()), "{answer:#}");
    let paths = answer["paths"].as_array().unwrap();
    let waiter = paths.iter().find(|path| path["path"] == "hook session.idle (waits)").unwrap();
    assert_eq!((&waiter["state"], &waiter["what"]), (&"arrived".into(), &"the line that wakes it".into()));
}

#[test]
fn where_setup_leaves_a_file_alone_the_canary_says_what_helps() {
    let world = World::new();
    std::fs::write(world.sandbox.project().join(".mcp.json"), "{ oops").unwrap();
    let lost = World::lost(&world.canary().1);
    assert_eq!(lost.len(), 1, "{lost:?}");
    assert!(lost[0].1.contains("repair line 1"), "{lost:?}");
}

/// Programs of clients on a path of their own.
fn programs<'s>(sandbox: &'s Sandbox, all: &[(&str, &str)]) -> interagent_testkit::sandbox::Run<'s> {
    let directory = sandbox.home().join("bin");
    std::fs::create_dir_all(&directory).unwrap();
    for (name, text) in all {
        let program = directory.join(name);
        std::fs::write(&program, text).unwrap();
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    sandbox.start().env("PATH", &format!("{}:/usr/bin:/bin", directory.display()))
}

#[test]
fn a_client_that_fails_at_once_is_told_with_its_own_words() {
    let world = World::new();
    let run = programs(
        &world.sandbox,
        &[
            (
                "claude",
                "#!/bin/sh\necho 'Error: claude native binary not installed.' >&2\necho more >&2\nexit 1\n",
            ),
            (
                "gemini",
                "#!/bin/sh\nprintf '/x/cli.js:3\\nlet a b\\n    ^\\n\\nSyntaxError: Unexpected\\n' >&2\nexit 1\n",
            ),
            ("codex", "\u{7f}ELF no program"),
            ("opencode", "#!/bin/sh\nexec sleep 20\n"),
            ("qwen", "#!/bin/sh\nexit 0\n"),
        ],
    );
    let clients = world.found(&run, "clients");
    let of = |title: &str| clients.iter().find(|line| line.contains(title)).unwrap().clone();
    assert!(
        of("Claude Code").starts_with("\"warn\" \"Claude Code does not start: Error: claude native binary"),
        "{clients:?}"
    );
    assert!(of("Claude Code").contains("--version"), "{clients:?}");
    assert!(of("Gemini CLI").contains("does not start: SyntaxError: Unexpected"), "{clients:?}");
    assert!(
        of("Codex CLI").starts_with("\"warn\"") && of("Codex CLI").contains("Exec format"),
        "{clients:?}"
    );
    assert!(
        of("OpenCode").starts_with("\"ok\"") && of("OpenCode").contains("takes longer than 3 s"),
        "{clients:?}"
    );
    assert!(
        of("Qwen Code").starts_with("\"ok\"") && of("Qwen Code").contains("says no version"),
        "{clients:?}"
    );
}

#[test]
fn a_client_that_only_another_project_has_is_no_trouble_here() {
    let sandbox = Sandbox::with_team();
    sandbox.run(&["setup", "claude", "--yes"]).success();
    let world = World { sandbox };
    let run =
        || programs(&world.sandbox, &[("codex", "#!/bin/sh\necho 1\n"), ("claude", "#!/bin/sh\necho 1\n")]);
    let other = world.sandbox.home().join("other");
    std::fs::create_dir(&other).unwrap();
    run().within(&other).run(&["setup", "codex", "--yes"]).success();
    let (output, answer) = world.canary();
    assert_eq!((output.status, World::lost(&answer)), (0, Vec::new()), "{answer:#}");
    assert!(!answer.to_string().contains("Codex CLI"), "{answer:#}");
    let setup = world.found(&run(), "setup");
    let codex: Vec<&String> = setup.iter().filter(|line| line.contains("Codex CLI")).collect();
    assert_eq!(codex.len(), 1, "{setup:?}");
    assert!(codex[0].starts_with("\"ok\" \"Codex CLI is not set up here"), "{setup:?}");
    // Once it is on the team, what it lacks counts.
    world.sandbox.run(&["agent", "register", "codex", "--profile", "codex"]).success();
    let setup = world.found(&run(), "setup");
    assert!(setup.iter().any(|line| line.starts_with("\"warn\" \"Codex CLI: skill missing")), "{setup:?}");
}

#[test]
fn the_doctor_of_a_team_tells_that_tmux_is_missing() {
    let sandbox = Sandbox::new();
    sandbox.run(&["init", "--formation", "captain"]).success();
    let without = sandbox.start().env("PATH", "/nonexistent").run(&["doctor"]);
    assert!(without.stdout.contains("tmux can't be started"), "{}", without.stdout);
}
