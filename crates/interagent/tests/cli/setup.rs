//! Connecting clients: what is found, shown, asked, written and taken back.

mod endings;
mod git_hooks;
mod pins;
mod places;
mod seats;
mod trust;

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use interagent_testkit::sandbox::{Run, Sandbox};
use interagent_testkit::terminal::{Size, run_on_terminal};
use serde_json::Value;

const SCREEN: Size = Size { rows: 50, columns: 100 };

/// A sandbox with programs of these names on its path.
pub(crate) struct Machine {
    pub(crate) sandbox: Sandbox,
    programs: PathBuf,
}

impl Machine {
    pub(crate) fn with(clients: &[&str]) -> Self {
        let sandbox = Sandbox::new();
        let programs = sandbox.project().with_file_name("programs");
        std::fs::create_dir(&programs).unwrap();
        let machine = Self { sandbox, programs };
        for client in clients {
            machine.install(client, "#!/bin/sh\necho 0.1.2\n");
        }
        machine
    }

    fn install(&self, name: &str, script: &str) {
        let path = self.programs.join(name);
        std::fs::write(&path, script).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }

    pub(crate) fn start(&self) -> Run<'_> {
        self.sandbox.start().env("PATH", &self.programs.display().to_string())
    }

    fn put(&self, name: &str, text: &str) {
        let path = self.sandbox.project().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    fn text(&self, name: &str) -> String {
        std::fs::read_to_string(self.sandbox.project().join(name)).unwrap()
    }

    /// All files outside the hub.
    fn files(&self) -> BTreeMap<PathBuf, String> {
        let mut found = BTreeMap::new();
        let mut directories = vec![self.sandbox.project(), self.sandbox.home()];
        while let Some(directory) = directories.pop() {
            for entry in std::fs::read_dir(directory).unwrap() {
                let path = entry.unwrap().path();
                match path.is_dir() {
                    // What a hub leaves, wherever it was made.
                    true if path == self.sandbox.hub() || path.ends_with(".local/state/interagent") => {}
                    true => directories.push(path),
                    false => drop(found.insert(path.clone(), std::fs::read_to_string(&path).unwrap())),
                }
            }
        }
        found
    }

    fn profiles(&self) -> Vec<String> {
        let agents = self.sandbox.json(&["agent", "list"]);
        let mut all: Vec<String> = agents["items"]
            .as_array()
            .unwrap()
            .iter()
            .map(|agent| agent["name"].as_str().unwrap().to_owned())
            .collect();
        all.retain(|name| name != "operator");
        all.sort();
        all
    }
}

/// What was shown, with the place of the program replaced.
fn shown(output: &interagent_testkit::sandbox::Output, machine: &Machine) -> String {
    let binary = PathBuf::from(machine.start().command(&[]).get_program()).canonicalize().unwrap();
    output.shown().replace(&binary.display().to_string(), "[interagent]")
}

#[test]
fn two_clients_are_connected_in_one_command() {
    let machine = Machine::with(&["codex", "kimi"]);
    machine.put("AGENTS.md", "# Rules\n");
    let output = machine.start().run(&["setup", "--yes"]).success();
    insta::assert_snapshot!("setup_two_clients", shown(&output, &machine));
    assert_eq!(machine.profiles(), ["codex", "kimi"]);
    let again = machine.start().run(&["setup"]).success();
    assert!(again.stdout.contains("everything is set up already"), "{}", again.stdout);
}

#[test]
fn only_showing_writes_nothing() {
    let machine = Machine::with(&["claude"]);
    let before = machine.files();
    let output = machine.start().run(&["setup", "--print"]).success();
    assert!(output.stdout.contains("+++ .claude/settings.local.json"), "{}", output.stdout);
    assert!(output.stdout.contains("+name: interagent"), "{}", output.stdout);
    assert_eq!(machine.files(), before);
    assert!(!machine.sandbox.hub().exists());
}

#[test]
fn without_a_person_nothing_is_written_unasked() {
    let machine = Machine::with(&["claude"]);
    let before = machine.files();
    let output = machine.start().run(&["setup"]);
    assert_eq!(output.status, 1);
    assert!(output.stderr.contains("there is nobody to ask here"), "{}", output.stderr);
    assert!(output.stderr.contains("--yes"), "{}", output.stderr);
    assert_eq!(machine.files(), before);
    assert!(!machine.sandbox.hub().exists());
}

#[test]
fn a_person_is_asked() {
    let machine = Machine::with(&["claude"]);
    let setup = || machine.start().env("TERM", "xterm").env("INTERAGENT_PAGER", "").command(&["setup"]);
    let (status, screen) = run_on_terminal(setup(), SCREEN, "n\n");
    assert_eq!(status, 1, "{screen}");
    assert!(screen.contains("Write this? [y/N]"), "{screen}");
    assert!(!machine.sandbox.hub().exists());
    let (status, screen) = run_on_terminal(setup(), SCREEN, "y\n");
    assert_eq!(status, 0, "{screen}");
    assert!(machine.text(".mcp.json").contains("alwaysLoad"));
    assert!(screen.contains("confirm: "), "{screen}");
}

#[test]
fn a_wrong_name_is_told_and_the_others_are_done() {
    let machine = Machine::with(&[]);
    let output = machine.start().run(&["setup", "cluade", "gemini", "--yes"]);
    assert_eq!(output.status, 1, "{}", output.stdout);
    assert!(
        output.stdout.contains("not done: there is no profile `cluade`; did you mean claude?"),
        "{}",
        output.stdout
    );
    assert!(output.stdout.contains("Gemini CLI not found on PATH"), "{}", output.stdout);
    assert!(machine.text(".gemini/settings.json").contains("hook gemini SessionStart"));
    let alone = machine.start().run(&["setup", "cluade", "--yes"]);
    assert_eq!(alone.status, 3);
    assert!(alone.stderr.contains("did you mean claude?"), "{}", alone.stderr);
}

#[test]
fn no_client_at_all() {
    let output = Machine::with(&[]).start().run(&["setup", "--yes"]);
    insta::assert_snapshot!(output.shown(), @r"
    --- stderr
    error: no coding client was found on PATH
    hint: known are claude, qwen, gemini, copilot, opencode, goose, droid, codex, kimi, kimi-cli, generic
    hint: install one, or name the client: interagent setup claude
    --- exit 3
    ");
}

#[test]
fn files_that_can_not_be_changed_are_told_and_the_others_are_done() {
    let machine = Machine::with(&["claude", "gemini"]);
    machine.put(".mcp.json", "{ \"mcpServers\": oops }\n");
    // Nothing can be made below a file.
    machine.put(".claude", "");
    let output = machine.start().run(&["setup", "--yes"]);
    assert_eq!(output.status, 1, "{}", output.stdout);
    let told: Vec<&str> = output.stdout.lines().filter(|line| line.starts_with("not done")).collect();
    assert_eq!(told.len(), 3, "{told:?}");
    assert!(told[0].contains(".mcp.json` is not valid JSON and was left alone: line 1"), "{told:?}");
    assert_eq!(machine.text(".mcp.json"), "{ \"mcpServers\": oops }\n");
    assert!(machine.text(".gemini/settings.json").contains("mcpServers"));
    assert_eq!(machine.profiles(), ["claude", "gemini"]);
}

#[test]
fn undo_takes_everything_back() {
    let machine = Machine::with(&["claude", "codex", "opencode", "copilot"]);
    machine.put(".claude/settings.local.json", "{} // mine");
    let before = machine.files();
    machine.start().run(&["setup", "--yes"]).success();
    assert_ne!(machine.files(), before);
    let shown = machine.start().run(&["setup", "--undo", "--print"]).success();
    assert!(shown.stdout.contains("--- removes .mcp.json"), "{}", shown.stdout);
    assert_ne!(machine.files(), before);
    let undone = machine.start().json(&["setup", "--undo", "--yes"]);
    assert!(undone["undone"].as_array().unwrap().iter().all(|file| file["done"] == true), "{undone}");
    assert_eq!(machine.files(), before);
    let again = machine.start().run(&["setup", "--undo"]).success();
    assert_eq!(again.stdout, "nothing to undo here\n");
    let unknown = machine.start().run(&["setup", "--undo", "cluade"]);
    assert_eq!(unknown.status, 3, "{}", unknown.shown());
    assert!(
        unknown.stderr.contains("there is no profile `cluade`; did you mean claude?"),
        "{}",
        unknown.stderr
    );
}

#[test]
fn a_file_for_all_projects_stays_while_another_project_needs_it() {
    let machine = Machine::with(&["codex"]);
    let other = machine.sandbox.home().join("other");
    std::fs::create_dir(&other).unwrap();
    machine.start().run(&["setup", "--yes"]).success();
    machine.start().within(&other).run(&["setup", "--yes"]).success();
    machine.start().run(&["setup", "--undo", "--yes"]).success();
    assert!(machine.sandbox.home().join(".codex/hooks.json").exists());
    machine.start().within(&other).run(&["setup", "--undo", "--yes"]).success();
    assert!(!machine.sandbox.home().join(".codex").exists());
}

#[test]
fn an_agent_gets_its_name_and_its_role() {
    let machine = Machine::with(&["claude", "kimi"]);
    let several = machine.start().run(&["setup", "--agent", "tester", "--yes"]);
    assert_eq!(several.status, 2, "{}", several.stderr);
    machine.start().run(&["setup", "claude", "--yes"]).success();
    let line = ["setup", "kimi", "--agent", "tester", "--role", "reviewer", "--yes"];
    let output = machine.start().run(&line).success();
    assert!(output.stdout.contains("+role = \"reviewer\""), "{}", output.stdout);
    assert_eq!(machine.profiles(), ["claude", "tester"]);
    assert_eq!(machine.sandbox.json(&["agent", "show", "tester"])["role"], "reviewer");
    // The hooks of Kimi Code are in a file for all projects, where nobody knows a tester; so its server does not say it either.
    assert!(!machine.text(".kimi-code/mcp.json").contains("INTERAGENT_AGENT"));
    assert!(output.stdout.contains("INTERAGENT_AGENT=tester kimi"), "{}", output.stdout);
    let again = machine.start().run(&line).success();
    assert!(again.stdout.contains("everything is set up already"), "{}", again.stdout);
    let wrong = machine.start().run(&["setup", "kimi", "--agent", "tester", "--role", "captain", "--yes"]);
    assert_eq!(wrong.status, 2, "{}", wrong.stdout);
    let taken = machine.start().run(&["setup", "claude", "--agent", "tester", "--yes"]);
    assert_eq!(taken.status, 4, "{}", taken.stderr);
}

#[test]
fn role_leaves_unapplied_edits_alone() {
    let machine = Machine::with(&["claude", "kimi"]);
    machine.start().run(&["setup", "--yes"]).success();
    let file = machine.sandbox.hub().join("team.toml");
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, text.replace("max_hops = 20", "max_hops = 7")).unwrap();
    let line = ["setup", "kimi", "--agent", "kimi", "--role", "reviewer", "--yes"];
    let refused = machine.start().run(&line);
    assert!(refused.stderr.contains("not applied: changed rules.max_hops: 20 -> 7"), "{}", refused.stderr);
    assert_eq!(machine.sandbox.json(&["team", "show"])["config"]["rules"]["max_hops"], 20);
    machine.sandbox.operator().run(&["team", "take"]).success();
    machine.start().run(&line).success();
    assert_eq!(machine.sandbox.json(&["agent", "show", "kimi"])["role"], "reviewer");
}

#[test]
fn clients_that_meet_in_a_new_hub_are_equals() {
    let machine = Machine::with(&["claude", "kimi"]);
    let output = machine.start().run(&["setup", "--yes"]).success();
    assert!(output.stdout.contains("makes the team: claude and kimi as equals"), "{}", output.stdout);
    assert_eq!(machine.sandbox.json(&["team", "show"])["formation"], "peers");
    // A role that equals have is given in a new hub too.
    let alone = Machine::with(&["kimi"]);
    alone.start().run(&["setup", "kimi", "--agent", "tester", "--role", "reviewer", "--yes"]).success();
    assert_eq!(alone.sandbox.json(&["agent", "show", "tester"])["role"], "reviewer");
}

#[test]
fn an_agent_changes_no_setup() {
    let machine = Machine::with(&["claude"]);
    let before = machine.files();
    let agent = || machine.start().env("INTERAGENT_AGENT", "claude");
    for line in [&["setup", "--yes"][..], &["setup", "--undo", "--yes"]] {
        let output = agent().run(line);
        assert_eq!(output.status, 1, "{}", output.stdout);
        assert!(output.stderr.contains("decided by a person"), "{}", output.stderr);
    }
    agent().run(&["setup", "--print"]).success();
    assert_eq!(machine.files(), before);
}

#[test]
fn a_moved_project_is_taken_back_and_one_without_a_hub_too() {
    let machine = Machine::with(&["claude", "codex"]);
    let (first, second) = (machine.sandbox.home().join("first"), machine.sandbox.home().join("second"));
    std::fs::create_dir(&first).unwrap();
    machine.start().within(&first).run(&["setup", "--yes"]).success();
    std::fs::rename(&first, &second).unwrap();
    let output = machine.start().within(&second).run(&["setup", "--undo", "--yes"]).success();
    assert!(output.stdout.contains("taken back: "), "{}", output.stdout);
    let left = |project: &Path| {
        let names = std::fs::read_dir(project).unwrap().map(|entry| entry.unwrap().file_name());
        names.filter(|name| name != ".interagent").count()
    };
    assert_eq!(left(&second), 0);
    assert!(!machine.sandbox.home().join(".codex").exists());
    assert!(!machine.sandbox.home().join(".config").exists());
    machine.start().within(&second).run(&["setup", "claude", "--yes"]).success();
    std::fs::remove_dir_all(second.join(".interagent")).unwrap();
    machine.start().within(&second).run(&["setup", "--undo", "--yes"]).success();
    assert_eq!(left(&second), 0);
}

#[test]
fn a_new_hub_is_made_with_the_role_that_is_asked_for() {
    let machine = Machine::with(&["kimi"]);
    machine.start().run(&["setup", "--agent", "lead", "--role", "principal", "--yes"]).success();
    assert_eq!(machine.sandbox.json(&["agent", "show", "lead"])["role"], "principal");
}

#[test]
fn an_agent_of_the_client_that_is_there_is_enough() {
    let machine = Machine::with(&["claude", "kimi"]);
    machine.sandbox.run(&["init", "--agents", "alice:claude,claude:kimi"]).success();
    machine.start().run(&["setup", "--yes"]).success();
    assert_eq!(machine.profiles(), ["alice", "claude"]);
}

#[test]
fn two_programs_of_one_name_are_told_apart() {
    let machine = Machine::with(&[]);
    machine.install("kimi", "#!/usr/bin/env python3\n");
    let clients = machine.start().json(&["setup", "--print"])["clients"].clone();
    assert_eq!(clients[0]["profile"], "kimi-cli", "{clients}");
    assert_eq!(clients.as_array().unwrap().len(), 1);
    machine.install("kimi", "#!/usr/bin/env node\n");
    assert_eq!(machine.start().json(&["setup", "--print"])["clients"][0]["profile"], "kimi");
}

#[test]
fn the_user_level_is_asked_for_and_home_is_no_project() {
    let machine = Machine::with(&["claude"]);
    let home = machine.sandbox.home();
    let wrong = machine.start().within(&home).run(&["setup", "--project", "--yes"]);
    assert_eq!(wrong.status, 2, "{}", wrong.stderr);
    let document: Value = machine.start().json(&["setup", "--user", "--print"]);
    let inside = |path: &Value| Path::new(path.as_str().unwrap()).starts_with(home.canonicalize().unwrap());
    assert!(document["files"].as_array().unwrap().iter().all(|file| inside(&file["path"])), "{document}");
    assert_eq!(document["confirm"].as_array().unwrap().len(), 0, "{document}");
    machine.start().run(&["setup", "--user", "--yes"]).success();
    assert!(home.join(".claude/settings.json").exists());
    // Agents of different projects meet in the personal hub.
    assert!(home.join(".interagent/state").exists() && !machine.sandbox.hub().exists());
    assert_eq!(machine.profiles(), ["claude"]);
    let again = machine.start().within(&home).run(&["setup"]).success();
    assert!(again.stdout.contains("everything is set up already"), "{}", again.stdout);
    let other = machine.start().run(&["setup", "--undo"]).success();
    assert_eq!(other.stdout, "nothing to undo here\nnext: interagent setup --undo --user\n");
    machine.start().within(&home).run(&["setup", "--undo", "--yes"]).success();
    assert!(!home.join(".claude").exists() && !home.join(".claude.json").exists());
}
