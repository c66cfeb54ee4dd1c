//! A session of Kavi, written after its documented files.

use std::fs;
use std::path::Path;

use interagent_testkit::Sandbox;

use super::{TREES, copy, entries};

fn kavi_project() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.run(&["init", "--formation", "peers", "--agents", "claude,codex"]).success();
    copy(&Path::new(TREES).join("kavi"), &sandbox.project().join(".kavi"));
    sandbox
}

#[test]
fn kavi_session_moves_over() {
    let sandbox = kavi_project();
    let shown = sandbox.run(&["import", "--from", "kavi"]).success().shown();
    insta::assert_snapshot!(shown, @r"
    took over 5 messages, 3 tasks, 1 spec from Kavi ([sandbox]/project/.kavi)
    taken before: 2 agents
    not taken: config.toml: settings of the old program
    not taken: runtime: sockets and processes that are gone
    not taken: state: session.json is read; events, approvals and reports repeat it or are of no use here
    not taken: state/session.json: the review note note-2 names nobody whose work it is about
    next: interagent summary
    ");
    let message = sandbox.json(&["read", "peer-1"]);
    assert_eq!(
        (&message["intent"], &message["sent"]),
        (&"handoff".into(), &"2026-03-02T09:20:00.000000Z".into())
    );
    let page = sandbox.json(&["task", "show", "task-b2"]);
    assert_eq!((&page["status"], &page["title"]), (&"in_progress".into(), &"Build profile page".into()));
    assert!(page.to_string().contains("Build profile API"), "it waits for the API: {page}");
    let docs = sandbox.json(&["task", "show", "docs"]);
    assert_eq!(docs["status"], "assigned");
    assert!(docs["depends_on"].to_string().contains(page["id"].as_str().unwrap()), "{docs}");
    assert_eq!(sandbox.json(&["task", "show", "task-a1"])["status"], "approved");
    let note = sandbox.json(&["read", "note-1"]).to_string();
    assert!(
        note.contains("concern, src/backend/routes/users.ts:12, open") && note.contains("leaks the SQL"),
        "{note}"
    );
    assert!(
        sandbox.json(&["spec", "show", "kavi-decisions"]).to_string().contains("Sessions stay in cookies")
    );
    assert_eq!(sandbox.json(&["inbox", "--agent", "codex"])["unread"], 0, "nothing of the past is owed");
    assert!(sandbox.project().join(".kavi/state/session.json").is_file(), "the original is left as it is");
    let (count, again) = (entries(&sandbox), sandbox.json(&["import", ".kavi"]));
    assert_eq!(entries(&sandbox), count, "{again}");
}

#[test]
fn import_of_a_torn_session_names_the_file() {
    let sandbox = kavi_project();
    fs::write(sandbox.project().join(".kavi/state/session.json"), "{\"tasks\": [").unwrap();
    let shown = sandbox.run(&["import", "--from", "kavi"]).success().shown();
    assert!(shown.contains("state/session.json: it is not JSON"), "{shown}");
}
