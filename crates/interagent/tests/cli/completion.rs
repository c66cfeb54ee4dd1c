//! The tab key, asked by a real shell.

use std::path::Path;
use std::process::Command;

use interagent_testkit::Sandbox;

/// Loads the script, lets bash complete the last word of the line, and prints what it would offer.
const ASK: &str = r#"
source <(interagent completion bash) || exit 9
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
"$(complete -p interagent | sed 's/.*-F \([^ ]*\) .*/\1/')" interagent "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
printf '%s\n' "${COMPREPLY[@]}"
"#;

/// What bash offers for the last word; its complaints fail the test.
fn offered(sandbox: &Sandbox, directory: &Path, line: &[&str]) -> Vec<String> {
    let program = sandbox.start().command(&[]).get_program().to_owned();
    let programs = Path::new(&program).parent().unwrap().display().to_string();
    let output = Command::new("bash")
        .args(["--norc", "-c", ASK, "bash", "interagent"])
        .args(line)
        .env_clear()
        .env("HOME", sandbox.home())
        .env("PATH", format!("{programs}:/usr/local/bin:/usr/bin:/bin"))
        .current_dir(directory)
        .output()
        .unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{line:?}");
    assert!(output.status.success(), "{line:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect()
}

#[test]
fn bash_completes_names_ids_words_and_commands() {
    let sandbox = Sandbox::with_team();
    let ask = |line: &[&str]| offered(&sandbox, &sandbox.project(), line);
    let id =
        |answer: serde_json::Value| answer["id"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned();
    let task = id(sandbox.json(&["task", "create", "The \u{1b}[2J parser"]));
    let message = id(sandbox.json(&["send", "--to", "kimi", "-s", "hello", "-m", "text"]));
    let decision =
        id(sandbox.json(&["decision", "open", "Which way?", "--option", "left", "--option", "right"]));
    let opened = sandbox.json(&["review", "open", "A change", "-m", "look", "--to", "kimi"]);
    let review = id(opened["review"].clone());
    sandbox.run(&["spec", "publish", "wire-format", "-m", "text"]).success();

    assert_eq!(ask(&["agent", "show", "k"]), ["kimi"]);
    assert_eq!(ask(&["send", "--to", ""]), ["operator", "claude", "kimi", "all"]);
    assert_eq!(ask(&["send", "--to", "kimi,cl"]), ["kimi,claude"]);
    assert_eq!(ask(&["task", "show", "task-"]), [task.as_str()]);
    assert_eq!(ask(&["task", "show", &task[..7]]), [task.as_str()]);
    assert!(ask(&["reply", "msg-"]).contains(&message));
    assert_eq!(ask(&["decision", "show", ""])[0], decision);
    assert_eq!(ask(&["review", "show", "rev"]), [review.as_str()]);
    assert_eq!(ask(&["spec", "show", ""])[0], "wire-format");
    assert_eq!(ask(&["log", "show", "tas"]), [task.as_str()]);
    assert_eq!(ask(&["task", "list", "--status", "in"]), ["in_progress"]);
    assert_eq!(ask(&["send", "--intent", "rev"]), ["review_request"]);
    assert_eq!(ask(&["task", "list", "--assi"]), ["--assignee"]);
    assert_eq!(ask(&["deci"]), ["decision"]);
    let elsewhere = offered(
        &sandbox,
        &sandbox.home(),
        &["--hub", &sandbox.project().display().to_string(), "task", "show", "task-"],
    );
    assert_eq!(elsewhere, [task.as_str()], "the hub that the line names");
}

#[test]
fn bash_completes_skills_clients_and_who_has_one() {
    let sandbox = Sandbox::with_team();
    let ask = |line: &[&str]| offered(&sandbox, &sandbox.project(), line);
    let task = sandbox.json(&["task", "create", "Another", "--assignee", "kimi"]);
    let task = task["id"].as_str().unwrap();
    let report = ["report", task, "done", "--summary", "s", "--skill", "Token tests"];
    sandbox.as_agent("kimi").run(&report).success();
    assert_eq!(ask(&["skill", "promote", ""])[0], "token-tests");
    assert_eq!(ask(&["restart", ""])[..2], ["claude", "kimi"]);
    assert!(!ask(&["attach", ""]).contains(&"operator".to_owned()), "it has no client");
    assert_eq!(ask(&["task", "split", task, "--to", "a"]), [] as [&str; 0], "not all");
    assert_eq!(ask(&["join", "--role", "vice"]), ["vice_captain"]);
    assert_eq!(ask(&["join", "--profile", "code"]), ["codex"]);
    assert_eq!(ask(&["join", "--name", "k"]), ["kimi"]);
    assert_eq!(ask(&["init", "--captain", "cl"]), ["claude"]);
    assert_eq!(ask(&["init", "--language", "j"]), ["ja", "ja+en"]);
}

#[test]
fn descriptions_say_what_an_id_is_and_cannot_drive_the_terminal() {
    let sandbox = Sandbox::with_team();
    sandbox.json(&["task", "create", "The \u{1b}[2J parser"]);
    let output =
        sandbox.start().env("INTERAGENT_COMPLETE", "fish").run(&["--", "interagent", "task", "show", ""]);
    let first = output.stdout.lines().next().unwrap();
    assert!(first.starts_with("task-") && first.ends_with("\tThe ␛[2J parser (pending)"), "{first}");
    assert!(!output.stdout.contains('\u{1b}'));
}

/// Names and bytes of everything below a directory.
fn everything_below(directory: &Path) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => found.extend(everything_below(&path)),
            false => found.push((path.display().to_string(), std::fs::read(&path).unwrap_or_default())),
        }
    }
    found.sort();
    found
}

#[test]
fn the_tab_key_makes_nothing_and_complains_of_nothing() {
    let sandbox = Sandbox::new();
    assert!(offered(&sandbox, &sandbox.project(), &["task", "show", "task-"]).is_empty());
    assert!(everything_below(&sandbox.home()).is_empty(), "a personal hub was made");
    assert!(everything_below(&sandbox.project()).is_empty());

    sandbox.run(&["init"]).success();
    let before = everything_below(&sandbox.project());
    offered(&sandbox, &sandbox.project(), &["agent", "show", ""]);
    assert!(everything_below(&sandbox.project()) == before, "the hub was changed");

    std::fs::write(sandbox.hub().join("state/hub.db"), "no database").unwrap();
    assert!(offered(&sandbox, &sandbox.project(), &["agent", "show", "ki"]).is_empty());
    std::fs::remove_dir_all(sandbox.hub().join("state")).unwrap();
    assert!(offered(&sandbox, &sandbox.project(), &["agent", "show", "ki"]).is_empty());
    assert!(!sandbox.hub().join("state").exists());
}

#[test]
fn only_known_shells_have_a_script() {
    let output = Sandbox::new().run(&["completion", "tcsh"]);
    assert_eq!((output.status, output.stdout.as_str()), (2, ""), "{}", output.stderr);
}
