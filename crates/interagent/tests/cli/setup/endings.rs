//! What is said at the end, and before the question: never two things that contradict each other.

use interagent_testkit::terminal::run_on_terminal;

use super::{Machine, SCREEN};

#[test]
fn nothing_is_whole_while_something_is_not_done() {
    let machine = Machine::with(&["claude"]);
    machine.put(".mcp.json", "[1]\n");
    let setup = || machine.start().env("TERM", "xterm").env("INTERAGENT_PAGER", "").command(&["setup"]);
    let (status, screen) = run_on_terminal(setup(), SCREEN, "y\n");
    assert_eq!(status, 1, "{screen}");
    let (told, asked) = (screen.find("not done: ").unwrap(), screen.find("Write this?").unwrap());
    assert!(told < asked, "{screen}");
    assert_eq!(screen.matches("not done: ").count(), 1, "{screen}");
    let again = machine.start().run(&["setup"]);
    assert_eq!(again.status, 1);
    assert!(again.stdout.contains(".mcp.json` was left alone: it is not an object"), "{}", again.stdout);
    assert!(again.stdout.contains("all else is set up already"), "{}", again.stdout);
    assert!(!again.stdout.contains("everything is set up"), "{}", again.stdout);
}

#[test]
fn one_client_finds_nobody_and_one_file_is_one() {
    let machine = Machine::with(&[]);
    machine.install("claude", "#!/bin/sh\necho '2.1.3 (Claude Code)'\n");
    let output = machine.start().run(&["setup", "--yes"]).success();
    assert!(output.stdout.starts_with("Claude Code 2.1.3 /"), "{}", output.stdout);
    assert!(output.stdout.contains("then: start claude here\n"), "{}", output.stdout);
    std::fs::remove_file(machine.sandbox.project().join(".mcp.json")).unwrap();
    let output = machine.start().run(&["setup", "--yes"]).success();
    assert!(output.stdout.contains("written: 1 file\n"), "{}", output.stdout);
}

#[test]
fn what_a_client_does_unasked_is_said() {
    let machine = Machine::with(&[]);
    let document = machine.start().json(&["setup", "claude", "codex", "gemini", "qwen", "kimi", "--print"]);
    let allows = document["allows"].as_array().unwrap();
    let profiles: Vec<&str> = allows.iter().map(|said| said["profile"].as_str().unwrap()).collect();
    assert_eq!(profiles, ["claude", "codex", "gemini", "qwen"]);
    let output = machine.start().run(&["setup", "claude", "--print"]).success();
    assert!(output.stdout.contains("allows: claude: permissions.allow"), "{}", output.stdout);
}

#[test]
fn a_profile_that_can_not_be_read_is_named() {
    let machine = Machine::with(&[]);
    let directory = machine.sandbox.home().join(".config/interagent/profiles");
    std::fs::create_dir_all(&directory).unwrap();
    std::fs::write(directory.join("mine.toml"), "name = \"mine\"\ncolour = 1\n").unwrap();
    let output = machine.start().run(&["setup", "mine", "--print"]);
    assert_eq!(output.status, 3);
    let error = output.stderr.lines().find(|line| line.starts_with("error: ")).unwrap();
    assert!(error.contains("mine.toml is no profile"), "{}", output.stderr);
    assert!(!output.stderr.contains("did you mean"), "{}", output.stderr);
}

#[test]
fn a_file_that_could_not_be_written_is_no_success() {
    let machine = Machine::with(&["claude", "codex"]);
    machine.sandbox.run(&["init"]).success();
    // What setup does is kept there: without that, no file of the project is written.
    machine.put(".interagent/state/setup", "in the way");
    let output = machine.start().run(&["setup", "claude", "codex", "--yes"]);
    assert_eq!(output.status, 1, "{}", output.stdout);
    let lines: Vec<&str> = output.stdout.lines().collect();
    let failed = lines.iter().position(|line| line.contains("settings.local.json` was not written")).unwrap();
    assert!(lines[failed + 1].starts_with("  hint: "), "{}", output.stdout);
    assert!(lines[failed + 1].contains("interagent setup again"), "{}", output.stdout);
    assert!(!output.stdout.contains("allows: claude"), "{}", output.stdout);
    assert!(!output.stdout.contains("confirm: claude"), "{}", output.stdout);
    assert!(output.stdout.contains("allows: codex"), "{}", output.stdout);
    assert!(output.stdout.contains("then: start codex here\n"), "{}", output.stdout);
    let document = machine.start().run(&["setup", "claude", "codex", "--yes", "--json"]);
    let document: serde_json::Value = serde_json::from_str(&document.stdout).unwrap();
    let hint = document["answer"]["failed"][0]["hint"].as_str().unwrap_or_default();
    assert!(hint.contains("interagent setup again"), "{document:#}");
    assert_eq!(document["answer"]["allows"].as_array().map(Vec::len), Some(1), "{document:#}");
}

#[test]
fn every_line_of_what_is_not_done_says_what_helps() {
    let broken = |name: &str, text: &str| {
        let machine = Machine::with(&["claude", "codex", "gemini"]);
        machine.put(name, text);
        machine.start().run(&["setup", "--yes"]).stdout
    };
    let foreign = r#"{"mcpServers":{"interagent":{"command":"/usr/bin/other"}}}"#;
    for (name, text, helps) in [
        (".mcp.json", "{ oops", "repair line 1"),
        ("../home/.codex/config.toml", "= oops", "repair line 1"),
        (".mcp.json", "[1]", "change it by hand"),
        (".mcp.json", foreign, "rename or remove"),
    ] {
        let shown = broken(name, text);
        let lines: Vec<&str> = shown.lines().collect();
        let told: Vec<usize> = (0..lines.len()).filter(|at| lines[*at].starts_with("not done: ")).collect();
        assert!(!told.is_empty(), "{name}: {shown}");
        assert!(told.iter().all(|at| lines[at + 1].starts_with("  hint: ")), "{name}: {shown}");
        assert!(shown.contains(helps), "{name}: {shown}");
    }
    // A client whose file was left alone is not started yet; one file is told once.
    let shown = broken(".gemini/settings.json", "{ oops");
    assert_eq!(shown.matches("not done: ").count(), 1, "{shown}");
    assert!(shown.contains("then: start claude here, and codex in another terminal"), "{shown}");
}

#[test]
fn doctor_warns_about_newer_clients_and_untrusted_hooks() {
    let machine = Machine::with(&["codex"]);
    machine.install("codex", "#!/bin/sh\necho codex-cli 99.0.0\n");
    machine.start().run(&["setup", "codex", "--yes"]).success();
    let said = machine.start().run(&["doctor"]).stdout;
    let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("99.0.0 is newer than"), "{said}");
    assert!(said.contains("hint: interagent doctor --canary --client codex"), "{said}");
    assert!(said.contains("Codex CLI skips hooks that you have not trusted: "), "{said}");
}

#[test]
fn setup_claims_no_connection_for_a_client_without_settings() {
    let machine = Machine::with(&["mytool"]);
    let profiles = machine.sandbox.home().join(".config/interagent/profiles");
    std::fs::create_dir_all(&profiles).unwrap();
    let profile = "name = \"mytool\"\ntitle = \"My Tool\"\nexecutable = \"mytool\"\n";
    std::fs::write(profiles.join("mytool.toml"), profile).unwrap();
    machine.install("claude", "#!/bin/sh\necho 0.1.2\n");
    let said = machine.start().run(&["setup", "claude", "mytool", "--yes"]).success().stdout;
    assert!(said.contains("setup cannot configure My Tool"), "{said}");
    assert!(said.contains("start claude here") && !said.contains("mytool in another terminal"), "{said}");
}
