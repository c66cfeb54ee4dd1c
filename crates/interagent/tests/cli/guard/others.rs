//! F003 through the binary: messages and reviews of other members' work.

use super::work::before_tool;
use super::*;

/// A task of member1 with a secret in its description, the message that delegates it, and a review of it.
fn secret_task(world: &World) -> (String, String) {
    let vice = |args: &[&str]| world.sandbox.as_agent("vice_captain1").json(args);
    vice(&["task", "create", "Sign in", "--assignee", "member1", "--alias", "t", "-m", "SECRETDESC here"]);
    let mail = world.sandbox.json(&["inbox", "--agent", "member1"]);
    let items = mail["items"].as_array().unwrap();
    let message = items.iter().find(|item| item["subject"].as_str().unwrap().contains("Sign in")).unwrap();
    let open = ["review", "open", "t", "-m", "SECRETDESC there", "--alias", "r"];
    let review = world.sandbox.as_agent("member1").json(&open);
    world.sandbox.as_agent("vice_captain1").run(&["review", "comment", "r", "-m", "SECRETDESC"]).success();
    (message["id"].as_str().unwrap().to_owned(), review["review"]["id"].as_str().unwrap().to_owned())
}

#[test]
fn messages_and_reviews_of_others_work_are_not_shown() {
    let world = World::new();
    let (message, review) = secret_task(&world);
    for command in [
        &["read", &message][..],
        &["msg", "thread", &message],
        &["log", "show", &message],
        &["log", "show", &review],
        &["review", "show", &review],
        &["review", "comment", &review, "-m", "x"],
        &["call", "message.read", &format!("{{\"message\": \"{message}\"}}")],
        &["call", "log.state", &format!("{{\"entity\": \"{message}\"}}")],
    ] {
        let refused = world.sandbox.as_agent("member2").run(command);
        assert_eq!(refused.status, 1, "{command:?} {}", refused.stdout);
        assert!(refused.stderr.contains("member1"), "{command:?} {}", refused.stderr);
        assert!(!refused.shown().contains("SECRETDESC"), "{command:?} {}", refused.shown());
    }
    for agent in ["member1", "vice_captain1", "captain", "operator"] {
        for command in [&["read", &message][..], &["msg", "thread", &message], &["review", "show", &review]] {
            let run = match agent {
                "operator" => world.sandbox.start(),
                agent => world.sandbox.as_agent(agent),
            };
            let shown = run.run(command).success().stdout;
            assert!(shown.contains("SECRETDESC"), "{agent} {command:?} {shown}");
        }
    }
}

#[test]
fn lists_of_others_work_show_titles_only() {
    let world = World::new();
    secret_task(&world);
    for command in [
        &["search", "SECRETDESC"][..],
        &["--json", "search", "SECRETDESC"],
        &["inbox", "--agent", "member1", "--all"],
        &["call", "message.inbox", "{\"agent\": \"member1\", \"all\": true, \"bodies\": true}"],
        &["call", "relay", "{\"agent\": \"member1\"}"],
        &["log"],
    ] {
        let shown = world.sandbox.as_agent("member2").run(command).success().shown();
        assert!(!shown.contains("SECRETDESC"), "{command:?} {shown}");
        assert!(shown.contains("Sign in"), "{command:?} {shown}");
        let own = world.sandbox.as_agent("member1").run(command).success().shown();
        assert!(own.contains("Sign in"), "{command:?} {own}");
    }
    let found = world.sandbox.as_agent("member1").run(&["search", "SECRETDESC"]).success().stdout;
    assert!(found.contains("SECRETDESC"), "{found}");
}

#[test]
fn lists_show_no_subject_that_is_the_text() {
    let world = World::new();
    secret_task(&world);
    let send = ["send", "--to", "vice_captain1", "--task", "t", "--intent", "question", "-m", "in VAULT7?"];
    let sent = world.sandbox.as_agent("member1").json(&send);
    let message = sent["message"]["id"].as_str().or(sent["id"].as_str()).unwrap();
    let as_member2 = |command: &[&str]| world.sandbox.as_agent("member2").run(command);
    for command in [
        &["search", "VAULT7"][..],
        &["--json", "search", "VAULT7"],
        &["inbox", "--agent", "vice_captain1", "--all"],
        &["--json", "inbox", "--agent", "vice_captain1", "--all"],
        &["msg", "list"],
        &["--json", "msg", "list", "--to", "vice_captain1"],
        &["call", "relay", "{\"agent\": \"vice_captain1\"}"],
        &["--json", "summary"],
        &["log"],
    ] {
        let shown = as_member2(command).success().shown();
        assert!(!shown.contains("VAULT7"), "{command:?} {shown}");
        assert!(shown.contains("message about Sign in"), "{command:?} {shown}");
        let own = world.sandbox.as_agent("member1").run(command).success().shown();
        assert!(own.contains("VAULT7"), "{command:?} {own}");
    }
    // A reply repeats the subject, so it is refused as reading is.
    for command in [&["reply", message, "-m", "x"][..], &["msg", "escalate", message, "--reason", "x"]] {
        let refused = as_member2(command);
        assert!(
            refused.status == 1 && refused.stderr.contains("the work of member1"),
            "{command:?} {}",
            refused.shown()
        );
    }
}

#[test]
fn asked_reviewers_and_parts_of_the_order_read_along() {
    let world = World::new();
    let (_, review) = secret_task(&world);
    let show = |agent: &str, command: &[&str]| world.sandbox.as_agent(agent).run(command);
    assert_eq!(show("member4", &["review", "show", &review]).status, 1);
    let ask = ["review", "open", "t", "--to", "vice_captain1", "--to", "member4", "--alias", "again"];
    world.sandbox.as_agent("member1").run(&ask).success();
    for command in [&["review", "show", "again"][..], &["review", "comment", "again", "-m", "Fine."]] {
        show("member4", command).success();
    }
    assert_eq!(show("member2", &["review", "show", "again"]).status, 1);
    let order = ["task", "create", "Ship it", "--assignee", "vice_captain1", "--alias", "order"];
    world.sandbox.as_agent("captain").run(&order).success();
    let part = ["task", "create", "A part", "--assignee", "member3", "--parent", "order"];
    world.sandbox.as_agent("vice_captain1").run(&part).success();
    let mail = world.sandbox.json(&["inbox", "--agent", "vice_captain1", "--all"]);
    let is_order = |item: &&serde_json::Value| item["subject"].as_str().unwrap().contains("Ship it");
    let id = mail["items"].as_array().unwrap().iter().find(is_order).unwrap()["id"].as_str().unwrap();
    show("member3", &["read", id]).success();
    assert_eq!(show("member2", &["read", id]).status, 1);
}

#[test]
fn files_of_others_messages_are_not_read() {
    let world = World::new();
    let (message, _) = secret_task(&world);
    let pending = world.sandbox.hub().join("messages/pending");
    let file = pending.join(format!("{message}.json"));
    assert!(file.exists(), "{}", file.display());
    let all = pending.join("*.json");
    for command in [format!("cat {}", file.display()), format!("cat {}", all.display())] {
        assert_eq!(world.rule("member2", &command).as_deref(), Some("F003"), "{command}");
        assert_eq!(world.rule("vice_captain1", &command), None, "{command}");
    }
    assert_eq!(world.rule("member1", &format!("cat {}", file.display())), None);
    let said = before_tool(&world, "member2", "claude", "Read", json!({ "file_path": file }));
    assert!(said.contains("F003"), "{said}");
    // Mail of one's own may be written as a file.
    for command in ["echo '{}' > NEW", "cp /tmp/x NEW", "mkdir -p DIR", "mv /tmp/x.json DIR/", "ls DIR"] {
        let command = command.replace("NEW", "DIR/new.json").replace("DIR", &pending.display().to_string());
        assert_eq!(world.rule("member2", &command), None, "{command}");
    }
}

#[test]
fn other_messages_and_equals_stay_open() {
    let world = World::new();
    let send = ["send", "--to", "vice_captain1", "-m", "Where is the specification?"];
    let sent = world.sandbox.as_agent("member1").json(&send);
    let id = sent["message"]["id"].as_str().or(sent["id"].as_str()).unwrap();
    world.sandbox.as_agent("member2").run(&["read", id]).success();

    let sandbox = Sandbox::with_team();
    let create = ["task", "create", "Mine", "--assignee", "claude", "-m", "SECRETDESC"];
    sandbox.as_agent("kimi").run(&create).success();
    sandbox.run(&["agent", "register", "codex", "--profile", "codex"]).success();
    let mail = sandbox.json(&["inbox", "--agent", "claude"]);
    let message = mail["items"][0]["id"].as_str().unwrap();
    let shown = sandbox.as_agent("codex").run(&["read", message]).success().stdout;
    assert!(shown.contains("SECRETDESC"), "{shown}");
}
