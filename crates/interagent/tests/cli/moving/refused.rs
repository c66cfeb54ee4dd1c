//! What can't be taken over: said in one sentence, with nothing changed.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use interagent_testkit::Sandbox;

use super::interagent_project;

#[test]
fn wrong_places_are_named() {
    let sandbox = Sandbox::with_team();
    fs::write(sandbox.project().join("file"), "x").unwrap();
    fs::create_dir(sandbox.project().join("empty")).unwrap();
    let mut said = Vec::new();
    for words in [
        &["import"][..],
        &["import", "nowhere"],
        &["import", "file"],
        &["import", "empty"],
        &["import", "empty", "--from", "captain"],
        &["import", "--from", "claude_interagent"],
        &["import", "--from", "kavi"],
    ] {
        said.push(format!("$ {}\n{}", words.join(" "), sandbox.run(words).shown()));
    }
    let agent = sandbox.as_agent("kimi").run(&["import"]);
    said.push(format!("kimi $ import\n{}", agent.shown()));
    insta::assert_snapshot!(said.join("\n"), @r"
    $ import
    --- stderr
    error: nothing to take over was found in this project or your home
    hint: name the folder: interagent import PATH
    --- exit 3

    $ import nowhere
    --- stderr
    error: there is no folder `nowhere`
    hint: name the folder .interagent, .claude-interagent, queue or .kavi, or the one that holds it
    --- exit 3

    $ import file
    --- stderr
    error: `file` is not a folder
    hint: name the folder .interagent, .claude-interagent, queue or .kavi, or the one that holds it
    --- exit 2

    $ import empty
    --- stderr
    error: `empty` holds nothing of InterAgent, the Interagent MCP server, the Captain system or Kavi
    hint: docs/moving-over.md says what is known by which files
    --- exit 3

    $ import empty --from captain
    --- stderr
    error: `empty` holds nothing of the Captain system
    hint: leave --from out to find out which system it is
    --- exit 3

    $ import --from claude_interagent
    --- stderr
    error: nothing of the Interagent MCP server was found in this project or your home
    hint: name the folder: interagent import PATH
    --- exit 3

    $ import --from kavi
    --- stderr
    error: nothing of Kavi was found in this project or your home
    hint: name the folder: interagent import PATH
    --- exit 3

    kimi $ import
    --- stderr
    error: an import speaks for everybody who is named in it: only the operator takes one over
    hint: ask the operator to run interagent import
    --- exit 1
    ");
}

#[test]
fn a_newer_version_is_left_alone() {
    let sandbox = Sandbox::new();
    interagent_project(&sandbox, 1);
    let session = sandbox.hub().join("session.json");
    let newer = fs::read_to_string(&session).unwrap().replacen('{', "{\"version\": \"0.5.0\", ", 1);
    fs::write(&session, newer).unwrap();
    let refused = sandbox.run(&["import"]);
    insta::assert_snapshot!(refused.shown(), @r"
    --- stderr
    error: `[sandbox]/project/.interagent` can't be taken over: it was written by InterAgent 0.5.0; 0.1 to 0.3 are understood
    hint: nothing was changed; a newer interagent may understand it
    --- exit 1
    ");
    assert!(!sandbox.hub().join("importing").exists());
}

#[test]
fn bad_files_are_named_and_harm_nobody_else() {
    let sandbox = Sandbox::new();
    interagent_project(&sandbox, 2);
    let hub = sandbox.hub();
    let pending = hub.join("messages/pending");
    fs::write(pending.join("msg-torn.json"), "{\"id\": \"msg-torn\", \"from\"").unwrap();
    fs::write(pending.join("msg-list.json"), "[1, 2]").unwrap();
    fs::write(pending.join("msg-bytes.json"), [0xff, 0xfe, 0x00]).unwrap();
    fs::write(pending.join("msg-nobody.json"), "{\"id\": \"msg-nobody\", \"content\": \"x\"}").unwrap();
    fs::create_dir(pending.join("msg-folder.json")).unwrap();
    symlink("/etc/passwd", pending.join("msg-link.json")).unwrap();
    let huge = serde_json::json!({"id": "msg-huge", "from": "claude", "to": "kimi", "content": "x".repeat(1024 * 1024 + 1)});
    fs::write(pending.join("msg-huge.json"), huge.to_string()).unwrap();
    let odd = serde_json::json!({"id": "../../escape", "from": "Claude Code!", "to": "system", "content": "a\u{0}b\u{1b}[31m", "type": "shout", "timestamp": "soon"});
    fs::write(pending.join("msg-odd.json"), odd.to_string()).unwrap();
    fs::write(pending.join("msg-locked.json"), "{}").unwrap();
    fs::set_permissions(pending.join("msg-locked.json"), fs::Permissions::from_mode(0o000)).unwrap();
    fs::create_dir_all(hub.join("tasks/active")).unwrap();
    let task = serde_json::json!({"id": "task-odd", "title": "t".repeat(500), "status": "paused", "notes": [{"note": "n"}, 5]});
    fs::write(hub.join("tasks/active/task-odd.json"), task.to_string()).unwrap();
    let shown = sandbox.run(&["import", "--yes"]).success().shown();
    // Whoever may read everything reads a locked file too, and finds nobody in it.
    let shown = shown.replace(
        "it can't be read: Permission denied (os error 13)",
        "it does not say from whom and to whom it is",
    );
    insta::assert_snapshot!(shown.lines().filter(|line| !line.contains("the original")).collect::<Vec<_>>().join("\n"), @r"
    took over 3 messages, 1 task, 3 agents from InterAgent ([sandbox]/project/.interagent)
    Claude Code! is called claude-code here
    not taken: messages/pending/msg-bytes.json: it is not JSON: expected value at line 1 column 1
    not taken: messages/pending/msg-folder.json: it is not a regular file
    not taken: messages/pending/msg-link.json: it is not a regular file
    not taken: messages/pending/msg-list.json: it is no record
    not taken: messages/pending/msg-torn.json: it is not JSON: EOF while parsing an object at line 1 column 25
    not taken: messages/pending/msg-locked.json: it does not say from whom and to whom it is
    not taken: messages/pending/msg-nobody.json: it does not say from whom and to whom it is
    not taken: messages/pending/msg-huge.json: a text of msg-huge has 1048577 bytes; at most 1048576 are kept
    note: tasks/active/task-odd.json: its status `paused` is not known: the task is taken as pending
    note: `system` can't be the name of an agent: it counts as the operator
    next: interagent setup
      interagent summary
    ");
    assert_eq!(sandbox.json(&["read", "../../escape"])["from"]["name"], "claude-code");
    assert_eq!(sandbox.json(&["task", "show", "task-odd"])["status"], "pending");
    sandbox.run(&["read", "msg-000001"]).success();
}

#[test]
fn an_old_id_that_looks_like_the_beginning_of_one_of_ours_means_the_old_one() {
    let sandbox = Sandbox::with_team();
    let own = sandbox.json(&["send", "--to", "kimi", "-m", "ours"])["id"].as_str().unwrap().to_owned();
    let old = sandbox.project().join("old/.interagent");
    fs::create_dir_all(old.join("messages/pending")).unwrap();
    fs::create_dir_all(old.join("tasks/active")).unwrap();
    let prefix = &own[..own.len() - 6];
    let message = serde_json::json!({"id": prefix, "from": "claude", "to": "kimi", "content": "theirs"});
    fs::write(old.join(format!("messages/pending/{prefix}.json")), message.to_string()).unwrap();
    sandbox.run(&["import", "old"]).success();
    assert_eq!(sandbox.json(&["read", prefix])["body"], "theirs");
    assert_eq!(sandbox.json(&["read", &own])["body"], "ours");
    assert_eq!(sandbox.json(&["read", &own[..own.len() - 1]])["body"], "ours");
    assert!(old.join("messages").is_dir(), "a project elsewhere is left as it is");
}
