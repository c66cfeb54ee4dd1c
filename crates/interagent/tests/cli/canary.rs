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
    Claude Code hook PostToolUse: "the message"
    Claude Code hook Stop: "the message"
    Kimi Code MCP server: "the message, from check_inbox"
    Kimi Code hook UserPromptSubmit: "the message"
    Kimi Code hook Stop: "the message"
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
    assert_eq!(lost.len(), 4, "{lost:?}");
    assert!(answer.to_string().contains("`/gone/interagent` can't be started"), "{answer}");
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
