//! Tokens: made, shown, replaced, taken away, and never seen anywhere else.

use std::os::unix::fs::MetadataExt;

use interagent_testkit::Sandbox;
use serde_json::{Value, json};

use crate::http::{Ask, HttpClient, HttpServer, token};

fn status(server: &HttpServer, token: &str) -> u16 {
    Ask::new(&server.address, token).send(&server.address).status
}

#[test]
fn a_token_is_made_once_replaced_on_demand_and_taken_away() {
    let sandbox = Sandbox::with_team();
    let server = HttpServer::start(&sandbox);
    let made = sandbox.operator().json(&["agent", "token", "kimi"]);
    let first = made["token"].as_str().unwrap().to_owned();
    assert_eq!((first.len(), &first[..4]), (68, "iat_"));
    assert_eq!(sandbox.operator().json(&["agent", "token", "kimi"]), made, "the same again");
    let file = made["file"].as_str().unwrap();
    assert_eq!(std::fs::read_to_string(file).unwrap(), format!("{first}\n"));
    let path = std::path::Path::new(file);
    let mode = |path: &std::path::Path| std::fs::metadata(path).unwrap().mode() & 0o7777;
    assert_eq!((mode(path), mode(path.parent().unwrap())), (0o600, 0o700));
    assert_eq!(status(&server, &first), 200);

    let second =
        sandbox.operator().json(&["agent", "token", "kimi", "--new"])["token"].as_str().unwrap().to_owned();
    assert_ne!(first, second);
    assert_eq!((status(&server, &first), status(&server, &second)), (401, 200));

    let revoked = sandbox.operator().json(&["agent", "token", "kimi", "--revoke"]);
    assert_eq!((&revoked["token"], &revoked["agent"]["name"]), (&Value::Null, &json!("kimi")));
    assert_eq!(status(&server, &second), 401);
    assert!(!path.exists());
    assert_ne!(token(&sandbox, "kimi"), second);
}

#[test]
fn a_token_that_was_taken_away_ends_what_goes_on() {
    let sandbox = Sandbox::with_team();
    let server = HttpServer::start(&sandbox);
    let mut kimi = HttpClient::connect(&server, &token(&sandbox, "kimi"));
    let (id, waiting) = kimi.begin("check_inbox", json!({ "wait": 60 }), Value::Null);
    let mut messages = waiting.begun().messages();
    sandbox.operator().run(&["agent", "token", "kimi", "--revoke"]).success();
    let answer = messages.find(|message| message["id"] == id).unwrap();
    assert_eq!(answer["result"]["structuredContent"]["error"]["code"], "bad_token", "{answer}");
    let list = json!({ "jsonrpc": "2.0", "id": 5, "method": "tools/list" });
    assert_eq!(kimi.ask().message(&list).send(&server.address).status, 401);
}

#[test]
fn a_retired_agents_token_does_not_work_and_a_renamed_ones_does() {
    let sandbox = Sandbox::with_team();
    let server = HttpServer::start(&sandbox);
    sandbox.run(&["agent", "register", "helper"]).success();
    let helper = token(&sandbox, "helper");
    sandbox.run(&["agent", "rename", "helper", "helper-2"]).success();
    let mut client = HttpClient::connect(&server, &helper);
    assert_eq!(client.done("check_inbox", json!({}))["agent"]["name"], "helper-2");
    sandbox.run(&["agent", "retire", "helper-2"]).success();
    assert_eq!(status(&server, &helper), 401);
    let refused = sandbox.operator().run(&["agent", "token", "helper-2"]);
    assert_eq!(refused.status, 1, "{}", refused.shown());
    // Whoever takes up the name is another agent.
    sandbox.run(&["agent", "register", "helper-2"]).success();
    assert_eq!(status(&server, &helper), 401);
}

#[test]
fn a_token_is_handled_by_the_operator_and_by_its_agent() {
    let sandbox = Sandbox::with_team();
    assert_eq!(sandbox.as_agent("kimi").json(&["agent", "token"])["agent"]["name"], "kimi");
    for arguments in [["agent", "token", "claude"].as_slice(), &["agent", "token", "claude", "--revoke"]] {
        let refused = sandbox.as_agent("kimi").run(arguments);
        assert_eq!(refused.status, 1, "{}", refused.shown());
        assert!(refused.stderr.contains("no business of kimi"), "{}", refused.shown());
    }
}

#[test]
fn a_token_whose_file_is_gone_is_not_shown_and_still_works() {
    let sandbox = Sandbox::with_team();
    let server = HttpServer::start(&sandbox);
    let made = sandbox.operator().json(&["agent", "token", "kimi"]);
    std::fs::remove_file(made["file"].as_str().unwrap()).unwrap();
    let refused = sandbox.operator().run(&["agent", "token", "kimi"]);
    assert_eq!(refused.status, 3, "{}", refused.shown());
    assert!(refused.stderr.contains("--new"), "{}", refused.shown());
    assert_eq!(status(&server, made["token"].as_str().unwrap()), 200);
    sandbox.operator().run(&["agent", "token", "kimi", "--new"]).success();
    sandbox.operator().run(&["agent", "token", "kimi"]).success();
}

#[test]
fn a_token_is_shown_whoever_replaces_it_meanwhile() {
    let sandbox = Sandbox::with_team();
    token(&sandbox, "kimi");
    std::thread::scope(|scope| {
        for arguments in [&["agent", "token", "kimi", "--new"] as &[&str], &["agent", "token", "kimi"]] {
            for _ in 0..2 {
                scope.spawn(|| {
                    for _ in 0..25 {
                        sandbox.operator().run(arguments).success();
                    }
                });
            }
        }
    });
    let shown = sandbox.operator().json(&["agent", "token", "kimi"]);
    let server = HttpServer::start(&sandbox);
    assert_eq!(status(&server, shown["token"].as_str().unwrap()), 200);
    let dir = std::path::Path::new(shown["file"].as_str().unwrap()).parent().unwrap();
    assert_eq!(std::fs::read_dir(dir).unwrap().count(), 1, "nothing else is left there");
}

#[test]
fn a_token_is_the_identity() {
    let sandbox = Sandbox::with_team();
    let server = HttpServer::start(&sandbox);
    let mut kimi = HttpClient::connect(&server, &token(&sandbox, "kimi"));
    kimi.done("list_agents", json!({}));
    let registered = kimi.done("register_agent", json!({ "name": "kimi", "description": "the parser" }));
    assert_eq!((&registered["name"], &registered["description"]), (&json!("kimi"), &json!("the parser")));
    kimi.done("register_agent", json!({ "name": "Kimi" }));
    for (tool, arguments) in [
        ("register_agent", json!({ "name": "somebody-else" })),
        ("register_agent", json!({ "name": "claude" })),
        ("check_inbox", json!({ "agent_name": "claude" })),
        ("send_message", json!({ "from": "claude", "to": "operator", "content": "x" })),
        ("send_message", json!({ "from": "operator", "to": "claude", "content": "x" })),
    ] {
        let error = kimi.refused(tool, arguments.clone());
        assert_eq!(error["code"], "not_you", "{tool} {arguments}: {error}");
    }
    let sent = kimi.done("send_message", json!({ "from": "kimi", "to": "claude", "content": "x" }));
    let entry = sandbox.json(&["log", "show", sent["id"].as_str().unwrap()]);
    assert!(entry.to_string().contains("\"token\""), "how it was authenticated is recorded: {entry}");
}

#[test]
fn a_token_is_seen_nowhere_but_where_it_was_asked_for() {
    let sandbox = Sandbox::with_team();
    let server = HttpServer::start(&sandbox);
    let secret = token(&sandbox, "kimi");
    let mut kimi = HttpClient::connect(&server, &secret);
    kimi.done("send_message", json!({ "to": "claude", "content": "hello" }));
    kimi.refused("register_agent", json!({ "name": "claude" }));
    sandbox.operator().run(&["agent", "token", "kimi"]).success();
    let looks: &[&[&str]] = &[
        &["log", "--limit", "1000"],
        &["log", "trace"],
        &["session", "list"],
        &["agent", "show", "kimi"],
        &["whoami"],
        &["doctor"],
        &["status"],
    ];
    for look in looks {
        for form in [&[] as &[&str], &["--json"]] {
            let said = sandbox.run(&[look, form].concat());
            assert!(!said.shown().contains(&secret[4..]), "{look:?}: {}", said.shown());
        }
    }
    // Nor in the store: it holds a hash.
    let state = sandbox.hub().join("state");
    for entry in std::fs::read_dir(&state).unwrap().map(Result::unwrap).filter(|entry| entry.path().is_file())
    {
        let bytes = std::fs::read(entry.path()).unwrap();
        let found = bytes.windows(64).any(|window| window == &secret.as_bytes()[4..]);
        assert!(!found, "{}", entry.path().display());
    }
    let (_, written) = server.end("-TERM");
    assert_eq!(written, "");
}
