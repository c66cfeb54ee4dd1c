//! InterAgent 0.1.1 itself makes the project that moves over.
//!
//! The package is installed into the build directory on first use. Where that can't be, the test fails; `INTERAGENT_WITHOUT` with
//! the word `python-sdk` says that this is known.

use std::path::{Path, PathBuf};
use std::process::Command;

use interagent_testkit::Sandbox;
use interagent_testkit::python::{self, run};

use super::{entries, resolves};

/// The program of the package, in an environment of its own.
fn program() -> PathBuf {
    python::environment("interagent-framework").join("bin/interagent")
}

/// The old program in the sandbox's project; times without a zone are those of its clock.
struct Old<'s> {
    program: PathBuf,
    sandbox: &'s Sandbox,
}

impl Old<'_> {
    fn say(&self, arguments: &[&str]) -> String {
        let mut command = Command::new(&self.program);
        command
            .args(arguments)
            .current_dir(self.sandbox.project())
            .env("PYTHONIOENCODING", "utf-8")
            .env("TZ", "UTC");
        run(&mut command)
    }

    /// The id that a command speaks of.
    fn id(&self, noun: &str, arguments: &[&str]) -> String {
        let said = self.say(arguments);
        let words = said.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-'));
        let is_id = |word: &&str| word.starts_with(&format!("{noun}-")) && word.len() == noun.len() + 7;
        let id = words.map(str::to_owned).find(|word| is_id(&word.as_str()));
        assert!(id.is_some(), "no {noun} in {said}");
        id.unwrap()
    }
}

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_project_of_the_real_package_moves_over() {
    let without = std::env::var("INTERAGENT_WITHOUT").unwrap_or_default();
    if without.split(',').any(|word| word.trim() == "python-sdk") {
        return;
    }
    let sandbox = Sandbox::new();
    let old = Old { program: program(), sandbox: &sandbox };
    old.say(&["init", "--project", "My API", "--principal", "kimi", "--mode", "review"]);
    let quick = old.id("task", &["quick", "--to", "claude", "--from-agent", "kimi", "Design the schema"]);
    let statuses =
        ["in_progress", "completed", "under_review", "revision_needed", "approved", "rejected", "assigned"];
    let mut tasks = vec![(quick.clone(), "assigned")];
    for status in statuses {
        let create =
            ["task", "create", "--title", status, "--description", "what it is", "--assignee", "claude"];
        let more = [
            "--assigner",
            "kimi",
            "--priority",
            "high",
            "--requirements",
            "one",
            "two",
            "--criteria",
            "seen",
        ];
        let id = old.id("task", &[&create[..], &more].concat());
        old.say(&["task", "update", &id, "--status", status, "--note", "so far"]);
        tasks.push((id, status));
    }
    let alone = old.id("task", &["task", "create", "--title", "Nobody's yet"]);
    tasks.push((alone, "pending"));
    old.say(&[
        "msg",
        "send",
        "-f",
        "claude",
        "-t",
        "kimi",
        "-s",
        "Look",
        "-m",
        "Is it right?",
        "--type",
        "review",
        "--task-id",
        &quick,
    ]);
    old.say(&[
        "msg",
        "send",
        "-f",
        "claude",
        "-t",
        "kimi",
        "-s",
        "Read",
        "-m",
        "This was read",
        "--type",
        "discussion",
    ]);
    let pending = sandbox.hub().join("messages/pending");
    let messages: Vec<String> =
        names(&pending).iter().map(|name| name.trim_end_matches(".json").to_owned()).collect();
    let text = |id: &String| std::fs::read_to_string(pending.join(format!("{id}.json"))).unwrap();
    let read = messages.iter().find(|id| text(id).contains("This was read")).unwrap().clone();
    let asked = messages.iter().find(|id| text(id).contains("Is it right?")).unwrap().clone();
    let sent: serde_json::Value = serde_json::from_str(&text(&asked)).unwrap();
    old.say(&["msg", "read", &read]);

    let refused = sandbox.run(&["status"]);
    assert_eq!(refused.status, 1);
    assert!(refused.stderr.contains("interagent import"), "{}", refused.stderr);
    let refused = sandbox.run(&["init"]);
    assert!(refused.stderr.contains("interagent import"), "{}", refused.stderr);

    let before = names(&sandbox.hub());
    let would = sandbox.json(&["import", "--dry-run"]);
    assert_eq!(would["report"]["taken"]["tasks"], 9);
    assert_eq!(names(&sandbox.hub()), before, "looking changes nothing");

    let did = sandbox.json(&["import", "--yes"]);
    assert_eq!(did["system"], "interagent");
    assert_eq!(did["report"]["taken"]["tasks"], 9, "{did}");
    assert_eq!(did["report"]["taken"]["messages"], 3, "{did}");
    assert_eq!(did["report"]["taken"]["agents"], 2, "{did}");
    assert_eq!(did["report"]["taken_before"]["agents"], 0, "{did}");

    // Where everything stands, as it was.
    for (id, status) in &tasks {
        let task = sandbox.json(&["task", "show", id]);
        assert_eq!(task["status"], *status, "{task}");
        assert_eq!(task["aliases"][0], **id);
    }
    let task = sandbox.json(&["task", "show", &tasks[1].0]);
    assert_eq!((&task["priority"], &task["assigner"]["name"]), (&"high".into(), &"kimi".into()), "{task}");
    assert_eq!(task["assignee"]["name"], "claude");
    assert_eq!(task["notes"][0]["note"], "so far");
    assert_eq!(task["requirements"][1], "two");
    let message = sandbox.json(&["read", &asked]);
    assert_eq!(message["intent"], "review_request", "{message}");
    assert_eq!(
        message["task"]["id"].as_str().or(message["task"].as_str()),
        sandbox.json(&["task", "show", &quick])["id"].as_str()
    );
    let stamp = sent["timestamp"].as_str().unwrap();
    assert_eq!(message["sent"].as_str().unwrap(), format!("{stamp}Z"), "the time of sending is kept");
    let archived = sandbox.json(&["read", &read]);
    assert!(archived.to_string().contains("\"acknowledged\":\"2"), "{archived}");
    assert_eq!(sandbox.json(&["team", "show"])["mode"], "review");
    assert_eq!(sandbox.json(&["team", "show"])["project"], "My API");
    resolves(&sandbox, Some(&quick), &asked);
    assert!(sandbox.run(&["search", "schema"]).success().stdout.contains("Design the schema"));

    // The original is whole, and the folder is a hub.
    let kept = PathBuf::from(did["original"].as_str().unwrap());
    assert!(kept.join("session.json").is_file() && kept.join("tasks/active").is_dir());
    let there = names(&sandbox.hub());
    for name in [".gitignore", "imported", "session.json", "shared", "state", "team.toml"] {
        assert!(there.iter().any(|other| other == name), "{name}: {there:?}");
    }
    assert!(!there.iter().any(|name| name == "importing" || name.ends_with(".edited")), "{there:?}");

    // Again: nothing new, from here and from what was kept.
    let count = entries(&sandbox);
    sandbox.run(&["import", "--yes"]).success();
    let again = sandbox.json(&["import", kept.to_str().unwrap(), "--from", "interagent"]);
    assert_eq!(again["report"]["taken"]["tasks"], 0, "{again}");
    assert_eq!(again["report"]["taken_before"]["tasks"], 9, "{again}");
    assert_eq!(again["report"]["taken_before"]["messages"], 3, "{again}");
    assert_eq!(entries(&sandbox), count, "{again}");
    sandbox.run(&["log", "verify"]).success();
}
