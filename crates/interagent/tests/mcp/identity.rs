//! Who a connection is, across names, clients and restarts.

use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use interagent_testkit::Sandbox;
use interagent_testkit::mcp::McpClient;
use serde_json::{Value, json};

use crate::support::{agent, client_of_its_own, server};

#[test]
fn an_agent_looks_around_before_it_says_who_it_is() {
    let sandbox = Sandbox::new();
    let mut client = McpClient::connect(client_of_its_own(&sandbox.start()), "somebody");
    client.done("list_agents", json!({}));
    client.done("get_all_statuses", json!({}));
    for tool in ["check_inbox", "get_status", "briefing"] {
        let error = client.refused(tool, json!({}));
        assert_eq!(error["code"], "unbound");
        assert!(error["hints"][0].as_str().unwrap().contains("register_agent("), "{error}");
    }
    let error = client.refused("send_message", json!({ "from": "ghost", "to": "operator", "content": "x" }));
    assert_eq!(error["code"], "no_such_agent");
    assert!(error["hints"][0].as_str().unwrap().contains("register_agent(name=\"ghost\""), "{error}");
    let me = client.done("register_agent", json!({ "name": "Newcomer" }));
    assert_eq!(me["name"], "newcomer");
    assert_eq!(client.done("check_inbox", json!({}))["agent"]["name"], "newcomer");
}

/// The server of a client whose calls name their sessions serves each of them as its own agent.
#[test]
fn calls_are_of_the_session_they_name() {
    let sandbox = Sandbox::with_team();
    for name in ["codex", "codex2"] {
        sandbox.run(&["agent", "register", name, "--profile", "codex"]).success();
        let session = format!("of-{name}");
        sandbox.run(&["session", "bind", &session, "--agent", name, "--profile", "codex"]).success();
    }
    let mut client = McpClient::connect(below_server(&sandbox), "codex-mcp-client");
    let mut inbox_of = |meta: Value| {
        let params = json!({ "name": "check_inbox", "arguments": {}, "_meta": meta });
        let answer = client.request("tools/call", params);
        let content = &answer["result"]["structuredContent"];
        match &content["error"]["code"] {
            Value::Null => content["answer"]["agent"]["name"].clone(),
            code => code.clone(),
        }
    };
    assert_eq!(inbox_of(json!({ "sessionId": "of-codex", "threadId": "of-codex" })), "codex");
    assert_eq!(inbox_of(json!({ "threadId": "of-codex2" })), "codex2");
    // A subagent has a thread of its own in its parent's session.
    assert_eq!(inbox_of(json!({ "sessionId": "of-codex", "threadId": "another" })), "codex");
    assert_eq!(inbox_of(json!({ "threadId": "another" })), "unbound");
    assert_eq!(inbox_of(json!({})), "unbound");
}

/// Below the process of a client that serves several sessions.
fn below_server(sandbox: &Sandbox) -> Command {
    let program = sandbox.home().join("codex");
    std::fs::write(&program, "#!/bin/sh\nshift\n\"$@\"\nexit $?\n").unwrap();
    std::fs::set_permissions(&program, PermissionsExt::from_mode(0o755)).unwrap();
    let mut outer = Command::new(program);
    outer.arg("app-server");
    sandbox.start().below(outer, &["mcp"])
}

#[test]
fn a_connection_is_never_the_operator() {
    let sandbox = Sandbox::with_team();
    let mut client = McpClient::connect(client_of_its_own(&sandbox.start()), "somebody");
    for (tool, arguments) in [
        ("send_message", json!({ "to": "kimi", "content": "x" })),
        ("send_message", json!({ "from": "operator", "to": "kimi", "content": "x" })),
        ("register_agent", json!({ "name": "operator" })),
        ("check_inbox", json!({ "agent_name": "operator" })),
    ] {
        client.refused(tool, arguments);
    }
    assert_eq!(sandbox.json(&["msg", "list"])["items"], json!([]));
}

#[test]
fn another_s_name_is_refused_and_the_own_one_is_not_needed() {
    let sandbox = Sandbox::with_team();
    let mut kimi = agent(&sandbox, "kimi");
    for (tool, arguments) in [
        ("send_message", json!({ "from": "claude", "to": "claude", "content": "x" })),
        ("check_inbox", json!({ "agent_name": "claude" })),
        ("set_status", json!({ "agent_name": "claude", "status": "x" })),
        ("publish_spec", json!({ "publisher": "claude", "name": "s", "content": "x" })),
        ("register_agent", json!({ "name": "claude" })),
        ("register_agent", json!({ "name": "somebody-else" })),
    ] {
        assert_eq!(kimi.refused(tool, arguments)["code"], "not_you", "{tool}");
    }
    for named in
        [json!({ "to": "claude", "content": "x" }), json!({ "from": "KIMI", "to": "claude", "content": "x" })]
    {
        let sent = kimi.done("send_message", named);
        let shown = sandbox.json(&["read", sent["id"].as_str().unwrap()]);
        assert_eq!((&shown["from"]["name"], &shown["auth"]), (&json!("kimi"), &json!("session")));
    }
}

#[test]
fn a_taken_name_is_refused_with_its_process_and_a_free_one() {
    let sandbox = Sandbox::with_team();
    let first = agent(&sandbox, "busy");
    let mut second = McpClient::connect(client_of_its_own(&sandbox.start()), "test");
    for (tool, arguments) in
        [("register_agent", json!({ "name": "busy" })), ("check_inbox", json!({ "agent_name": "busy" }))]
    {
        let error = second.refused(tool, arguments);
        assert_eq!(error["code"], "second_session", "{error}");
        assert!(error["sentence"].as_str().unwrap().contains(&format!("process {}", first.pid())), "{error}");
        assert!(error["hints"][0].as_str().unwrap().contains("\"busy-2\""), "{error}");
    }
    second.done("register_agent", json!({ "name": "busy-2" }));
}

#[test]
fn after_a_restart_it_is_the_same_agent() {
    let sandbox = Sandbox::with_team();
    let mut first = McpClient::connect(client_of_its_own(&sandbox.start()), "test");
    let before = first.done("register_agent", json!({ "name": "again", "description": "first" }));
    assert!(first.leave().success());
    let mut second = McpClient::connect(client_of_its_own(&sandbox.start()), "test");
    let after = second.done("register_agent", json!({ "name": "again", "description": "second" }));
    assert_eq!((&before["id"], &after["description"]), (&after["id"], &json!("second")));
    assert!(second.leave().success());
    // Without registering again, by the name every call carries.
    let mut third = McpClient::connect(client_of_its_own(&sandbox.start()), "test");
    assert_eq!(third.done("check_inbox", json!({ "agent_name": "again" }))["agent"]["id"], before["id"]);
    let names: Vec<_> = sandbox.json(&["agent", "list"])["items"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|agent| agent["name"].as_str().unwrap().starts_with("again"))
        .cloned()
        .collect();
    assert_eq!(names.len(), 1);
}

#[test]
fn a_client_that_was_killed_gives_its_name_back() {
    let sandbox = Sandbox::with_team();
    let run = sandbox.start();
    // The shell and the server die together, without a word.
    let mut command = run.shell("exec 3<&0; interagent mcp <&3 & echo $! > server.pid; wait");
    command.current_dir(sandbox.project());
    let mut first = McpClient::connect(command, "test");
    let before = first.done("register_agent", json!({ "name": "fallen" }));
    let pid = std::fs::read_to_string(sandbox.project().join("server.pid")).unwrap();
    assert!(std::process::Command::new("kill").args(["-KILL", pid.trim()]).status().unwrap().success());
    first.kill();
    // Nobody said that it ended; that it is gone is seen.
    assert_eq!(sandbox.json(&["session", "list"])["items"], json!([]));
    let mut second = agent(&sandbox, "fallen");
    assert_eq!(second.done("get_agent", json!({ "name": "fallen" }))["id"], before["id"]);
    assert_eq!(sandbox.json(&["session", "list"])["items"].as_array().unwrap().len(), 1);
}

#[test]
fn a_server_that_was_killed_is_followed_by_one_of_the_same_client() {
    let sandbox = Sandbox::with_team().below_this_test();
    let mut first = McpClient::connect(server(&sandbox.start()), "test");
    let before = first.done("register_agent", json!({ "name": "reborn" }));
    first.kill();
    let mut second = McpClient::connect(server(&sandbox.start()), "test");
    assert_eq!(second.done("check_inbox", json!({}))["agent"]["id"], before["id"]);
    assert_eq!(sandbox.json(&["session", "list"])["items"].as_array().unwrap().len(), 1);
    assert!(second.leave().success());
    assert_eq!(sandbox.json(&["session", "list"])["items"], json!([]));
}

#[test]
fn a_command_of_the_same_client_is_the_same_agent() {
    let sandbox = Sandbox::with_team().below_this_test();
    let mut client = McpClient::connect(server(&sandbox.start()), "test");
    client.done("register_agent", json!({ "name": "shell-user" }));
    assert_eq!(sandbox.json(&["whoami"])["member"]["name"], "shell-user");
    assert!(client.leave().success());
    assert_ne!(sandbox.json(&["whoami"])["member"]["name"], "shell-user");
}

#[test]
fn a_session_bound_by_a_hook_is_this_connection_too() {
    let sandbox = Sandbox::with_team().below_this_test();
    let pid = std::process::id();
    let started = sandbox.json(&["session", "list"]);
    assert_eq!(started["items"], json!([]));
    // As a hook of the client would: its session, its process.
    let bind = ["session", "bind", "s-1", "--agent", "kimi", "--pid", &pid.to_string()];
    sandbox.run(&bind).success();
    let mut client = McpClient::connect(server(&sandbox.start()), "kimi-code");
    assert_eq!(client.done("check_inbox", json!({}))["agent"]["name"], "kimi");
    assert_eq!(client.refused("register_agent", json!({ "name": "other" }))["code"], "not_you");
    assert!(client.leave().success());
    // What a hook bound is not the server's to end.
    assert_eq!(sandbox.json(&["session", "list"])["items"][0]["id"], "s-1");
}

#[test]
fn a_session_that_was_ended_goes_on_unless_somebody_took_the_name() {
    let sandbox = Sandbox::with_team();
    // The only other agent of the same kind is free: nobody may be taken for it.
    agent(&sandbox, "bystander").leave();
    let mut first = agent(&sandbox, "kimi");
    let session = |sandbox: &Sandbox| sandbox.json(&["session", "list"])["items"][0]["id"].clone();
    let id = session(&sandbox);
    sandbox.run(&["session", "end", id.as_str().unwrap()]).success();
    assert_eq!(first.done("check_inbox", json!({}))["agent"]["name"], "kimi");
    assert_eq!(session(&sandbox), id);
    sandbox.run(&["session", "end", id.as_str().unwrap()]).success();
    let _second = agent(&sandbox, "kimi");
    let error = first.refused("send_message", json!({ "to": "claude", "content": "x" }));
    assert_eq!(error["code"], "second_session", "{error}");
}

#[test]
fn an_agent_that_was_renamed_is_still_itself() {
    let sandbox = Sandbox::with_team();
    let mut sun = agent(&sandbox, "sun");
    sandbox.run(&["agent", "rename", "sun", "moon"]).success();
    assert_eq!(sun.done("check_inbox", json!({}))["agent"]["name"], "moon");
}

#[test]
fn two_connections_of_one_program_may_be_two_agents() {
    let sandbox = Sandbox::with_team();
    let mut one = McpClient::connect(server(&sandbox.start()), "orchestra");
    let mut two = McpClient::connect(server(&sandbox.start()), "orchestra");
    one.done("register_agent", json!({ "name": "violin" }));
    two.done("register_agent", json!({ "name": "cello" }));
    one.done("send_message", json!({ "to": "cello", "content": "a?" }));
    two.done("send_message", json!({ "to": "violin", "content": "b!" }));
    assert_eq!(two.done("check_inbox", json!({}))["items"][0]["body"], "a?");
    assert_eq!(one.done("check_inbox", json!({}))["items"][0]["body"], "b!");
}

#[test]
fn the_variable_says_who_it_is() {
    let sandbox = Sandbox::with_team();
    let mut client = McpClient::connect(client_of_its_own(&sandbox.as_agent("kimi")), "test");
    assert_eq!(client.done("check_inbox", json!({}))["agent"]["name"], "kimi");
    let error = client.refused("register_agent", json!({ "name": "other" }));
    assert_eq!(error["code"], "not_you");
    client.done("register_agent", json!({ "name": "kimi", "description": "d" }));
    let mut second = McpClient::connect(client_of_its_own(&sandbox.as_agent("kimi")), "test");
    assert_eq!(second.refused("check_inbox", json!({}))["code"], "second_session");
    let mut unknown = McpClient::connect(client_of_its_own(&sandbox.as_agent("fresh")), "test");
    unknown.done("list_agents", json!({}));
    let error = unknown.refused("check_inbox", json!({}));
    assert!(error["hints"][0].as_str().unwrap().contains("register_agent(name=\"fresh\""), "{error}");
    unknown.done("register_agent", json!({ "name": "fresh" }));
}

#[test]
fn the_only_agent_of_its_kind_needs_no_name_and_may_still_say_another() {
    let sandbox = Sandbox::with_team();
    let mut kimi = McpClient::connect(client_of_its_own(&sandbox.start()), "kimi-code");
    assert_eq!(kimi.done("check_inbox", json!({}))["agent"]["name"], "kimi");
    let other = kimi.done("register_agent", json!({ "name": "special" }));
    assert_eq!((&other["name"], &other["profile"]), (&json!("special"), &json!("kimi")));
    assert_eq!(kimi.done("check_inbox", json!({}))["agent"]["name"], "special");
}

#[test]
fn connection_that_acted_stays_its_agent() {
    let sandbox = Sandbox::with_team();
    let mut kimi = McpClient::connect(client_of_its_own(&sandbox.start()), "kimi-code");
    kimi.done("send_message", json!({ "to": "claude", "content": "done" }));
    for name in ["claude", "special"] {
        assert_eq!(kimi.refused("register_agent", json!({ "name": name }))["code"], "not_you", "{name}");
    }
    assert_eq!(kimi.done("check_inbox", json!({}))["agent"]["name"], "kimi");
}

#[test]
fn client_cannot_take_foreign_seat() {
    let sandbox = Sandbox::with_team();
    let mut kimi = McpClient::connect(client_of_its_own(&sandbox.start()), "kimi-code");
    for (tool, arguments) in [
        ("register_agent", json!({ "name": "claude" })),
        ("send_message", json!({ "from": "claude", "to": "kimi", "content": "approved" })),
    ] {
        let error = kimi.refused(tool, arguments);
        assert!(error["hints"][0].as_str().unwrap().contains("leave the name out to be kimi"), "{error}");
    }
    assert_eq!(kimi.done("check_inbox", json!({}))["agent"]["name"], "kimi");
}

#[test]
fn a_client_inside_another_is_not_the_outer_one() {
    let sandbox = Sandbox::with_team();
    let outer = sandbox.start().env("CLAUDECODE", "1").env("CLAUDE_CODE_SESSION_ID", "outer");
    outer.run(&["session", "bind", "outer", "--agent", "claude"]).success();
    let mut inner = McpClient::connect(client_of_its_own(&outer), "kimi-code");
    assert_eq!(inner.done("check_inbox", json!({}))["agent"]["name"], "kimi");
    let mut same = McpClient::connect(client_of_its_own(&outer), "claude-code");
    assert_eq!(same.done("check_inbox", json!({}))["agent"]["name"], "claude");
}

#[test]
fn a_name_of_another_workspace_is_refused() {
    let sandbox = Sandbox::new();
    let [one, two] = ["one", "two"].map(|name| sandbox.project().join(name));
    std::fs::create_dir(&one).unwrap();
    std::fs::create_dir(&two).unwrap();
    let register = |place: &std::path::Path| {
        let mut client = McpClient::connect(client_of_its_own(&sandbox.start().within(place)), "test");
        let result = client.call("register_agent", json!({ "name": "backend", "workspace_path": place }));
        assert!(client.leave().success());
        result
    };
    assert_eq!(register(&one)["isError"], false);
    let refused = register(&two);
    assert_eq!(refused["structuredContent"]["error"]["code"], "name_taken", "{refused}");
    assert_eq!(register(&one)["isError"], false);
    std::fs::remove_dir(&one).unwrap();
    assert_eq!(register(&two)["isError"], false);
}
