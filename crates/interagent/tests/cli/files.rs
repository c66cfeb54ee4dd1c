//! Readable files through the program: they follow every write, say when somebody changed them, and never fail a command.
//!
//! Promises G1, G3, G4.

mod drafts;
mod trouble;

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use interagent_testkit::Sandbox;
use interagent_testkit::mcp::McpClient;
use serde_json::{Value, json};

/// Every readable file by its path from the hub.
fn tree(sandbox: &Sandbox) -> BTreeMap<String, String> {
    fn walk(dir: &Path, prefix: &str, found: &mut BTreeMap<String, String>) {
        for entry in std::fs::read_dir(dir).unwrap().map(Result::unwrap) {
            let name = format!("{prefix}{}", entry.file_name().to_str().unwrap());
            let kind = entry.file_type().unwrap();
            if name == "state" {
                continue;
            }
            if kind.is_dir() {
                walk(&entry.path(), &format!("{name}/"), found);
            } else if kind.is_file() {
                found.insert(name, std::fs::read_to_string(entry.path()).unwrap());
            }
        }
    }
    let mut found = BTreeMap::new();
    walk(&sandbox.hub(), "", &mut found);
    found.retain(|name, _| name != "team.toml" && name != ".gitignore");
    found
}

/// The notes below the board.
fn notes(sandbox: &Sandbox) -> Vec<String> {
    let output = sandbox.run(&["status", "--json"]).success();
    let document: Value = serde_json::from_str(&output.stdout).unwrap();
    let notes = document["notes"].as_array().cloned().unwrap_or_default();
    notes.iter().map(|note| note.as_str().unwrap().to_owned()).collect()
}

fn write(sandbox: &Sandbox, name: &str, text: &str) {
    std::fs::write(sandbox.hub().join(name), text).unwrap();
}

#[test]
fn files_stand_when_a_command_that_writes_has_ended() {
    let sandbox = Sandbox::with_team();
    let begin: Vec<String> = tree(&sandbox).into_keys().collect();
    insta::assert_snapshot!(begin.join("\n"), @r"
    AGENTS.md
    README.md
    agents/claude.json
    agents/kimi.json
    agents/operator.json
    dashboard.md
    session.json
    shared/architecture.md
    shared/context.md
    shared/decisions.md
    ");
    let sent = sandbox.as_agent("claude").json(&["send", "--to", "kimi", "look"]);
    let id = sent["id"].as_str().unwrap();
    let pending = format!("messages/pending/{id}.json");
    assert!(tree(&sandbox)[&pending].contains("\"read\": false"));
    assert!(tree(&sandbox)["agents/kimi.json"].contains(id));
    sandbox.as_agent("kimi").run(&["inbox"]).success();
    let after = tree(&sandbox);
    assert!(!after.contains_key(&pending), "it was read");
    assert!(after[&format!("messages/archive/{id}.json")].contains("\"read\": true"));
    assert!(!after["agents/kimi.json"].contains(id));
    let task = sandbox.as_agent("claude").json(&["task", "create", "-t", "Do it", "-a", "kimi"]);
    let task = task["id"].as_str().unwrap();
    assert!(tree(&sandbox)["session.json"].contains(task));
    sandbox.as_agent("kimi").run(&["task", "update", task, "--status", "completed"]).success();
    assert!(tree(&sandbox).contains_key(&format!("tasks/completed/{task}.json")));
    assert_eq!(notes(&sandbox), Vec::<String>::new());
    let synced = sandbox.json(&["sync"]);
    assert_eq!(
        (&synced["files"]["written"], &synced["files"]["removed"]),
        (&json!(0), &json!(0)),
        "{synced}"
    );
}

#[test]
fn looking_writes_no_file() {
    let sandbox = Sandbox::with_team();
    sandbox.as_agent("claude").run(&["send", "--to", "kimi", "look"]).success();
    std::fs::remove_file(sandbox.hub().join("session.json")).unwrap();
    for look in
        [vec!["status"], vec!["log"], vec!["inbox", "--agent", "kimi"], vec!["summary"], vec!["doctor"]]
    {
        sandbox.run(&look);
        assert!(!tree(&sandbox).contains_key("session.json"), "{look:?}");
    }
}

#[test]
fn what_was_deleted_or_changed_loses_nothing() {
    let sandbox = Sandbox::with_team();
    sandbox.as_agent("claude").run(&["send", "--to", "kimi", "look"]).success();
    let before = tree(&sandbox);
    for name in ["README.md", "dashboard.md", "agents/kimi.json"] {
        std::fs::remove_file(sandbox.hub().join(name)).unwrap();
    }
    write(&sandbox, "session.json", "mine\n");
    insta::assert_snapshot!(notes(&sandbox).join("\n"), @"session.json was changed by hand; interagent sync writes it again and keeps the change as session.json.edited");
    insta::assert_snapshot!(sandbox.run(&["sync"]).shown(), @r"
    there is no git repository around the hub: its history stays on this machine
    files: 4 written
    note: session.json.edited keeps a change by hand; remove it when it is not needed
    ");
    let mut after = tree(&sandbox);
    assert_eq!(after.remove("session.json.edited").as_deref(), Some("mine\n"));
    assert_eq!(after, before);
    write(&sandbox, "session.json", "mine again\n");
    sandbox.run(&["sync"]).success();
    assert_eq!(tree(&sandbox)["session.json.edited.2"], "mine again\n");
    assert_eq!(tree(&sandbox)["session.json.edited"], "mine\n");
}

#[test]
fn handwritten_decisions_are_kept() {
    const FILE: &str = "shared/decisions.md";
    let sandbox = Sandbox::with_team();
    let empty = tree(&sandbox)[FILE].clone();
    write(&sandbox, FILE, &format!("{empty}\n## We use Postgres 16\n\nIt is what the host offers.\n"));
    let opened = sandbox.run(&["decision", "open", "Which queue?"]).success();
    assert_eq!(opened.stderr, "", "nothing was moved");
    let file = tree(&sandbox)[FILE].clone();
    assert!(file.ends_with("below -->\n\n## We use Postgres 16\n\nIt is what the host offers.\n"), "{file}");
    assert!(file.contains("## Which queue?"), "{file}");
    assert_eq!(notes(&sandbox), Vec::<String>::new());

    // Above the line it is moved, and the person reads so once.
    write(&sandbox, FILE, &file.replace("# Decisions\n", "# Decisions\n\nNo ORM.\n"));
    insta::assert_snapshot!(notes(&sandbox).join("\n"), @"shared/decisions.md was changed in its generated part; interagent sync moves your text below it");
    let opened = sandbox.run(&["decision", "open", "Which cache?"]).success();
    insta::assert_snapshot!(opened.stderr, @"note: shared/decisions.md: your text is now below the generated part, where it is kept");
    let file = tree(&sandbox)[FILE].clone();
    let (_, own) = file.split_once("below -->\n").unwrap();
    insta::assert_snapshot!(own, @r"

    ## We use Postgres 16

    It is what the host offers.

    <!-- interagent moved the following text here: the part above is generated -->
    No ORM.
    ");
    assert!(sandbox.run(&["decision", "open", "Which host?"]).success().stderr.is_empty());
    assert_eq!(notes(&sandbox), Vec::<String>::new());
    assert!(tree(&sandbox)[FILE].ends_with(own), "verbatim");

    // A file of a person who knows nothing of the line.
    write(&sandbox, FILE, "# Decisions\n\nWe deploy on Fridays.\n");
    insta::assert_snapshot!(sandbox.run(&["sync"]).shown(), @r"
    there is no git repository around the hub: its history stays on this machine
    files: 1 written
    note: shared/decisions.md: your text is now below the generated part, where it is kept
    ");
    let file = tree(&sandbox)[FILE].clone();
    assert!(file.contains("## Which host?") && file.ends_with("-->\nWe deploy on Fridays.\n"), "{file}");
    assert!(!tree(&sandbox).keys().any(|name| name.contains(".edited")));
}

#[test]
fn a_purged_text_is_in_no_file_when_the_command_has_ended() {
    let sandbox = Sandbox::with_team();
    let sent = sandbox.as_agent("claude").json(&["send", "--to", "kimi", "the key is sk-live-SECRET"]);
    assert!(tree(&sandbox).values().any(|text| text.contains("SECRET")));
    sandbox.operator().run(&["purge", sent["id"].as_str().unwrap()]).success();
    assert!(!tree(&sandbox).values().any(|text| text.contains("SECRET")));
}

#[test]
fn a_server_that_stays_writes_what_others_wrote() {
    let sandbox = Sandbox::with_team();
    let mut server = McpClient::connect(sandbox.as_agent("kimi").command(&["mcp"]), "kimi-code");
    server.done("check_inbox", json!({}));
    // As a hook would leave it: in the log and in no file.
    sandbox.as_agent("claude").run(&["send", "--to", "kimi", "look"]).success();
    for name in tree(&sandbox).keys().filter(|name| name.starts_with("messages/")) {
        std::fs::remove_file(sandbox.hub().join(name)).unwrap();
    }
    server.done("check_inbox", json!({}));
    let until = Instant::now() + Duration::from_secs(20);
    while !tree(&sandbox).keys().any(|name| name.starts_with("messages/archive/")) {
        assert!(Instant::now() < until, "{:?}", tree(&sandbox).keys());
        std::thread::sleep(Duration::from_millis(50));
    }
    server.leave();
}

#[test]
fn the_hub_of_a_person_has_files_too() {
    let sandbox = Sandbox::new();
    let elsewhere = sandbox.home();
    sandbox.start().within(&elsewhere).run(&["agent", "register", "kimi", "--profile", "kimi"]).success();
    assert!(sandbox.home().join(".interagent/agents/kimi.json").is_file());
}
