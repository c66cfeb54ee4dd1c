//! The protocol: every version, every kind of rubbish, every moment to leave.

use std::time::{Duration, Instant};

use interagent_testkit::Sandbox;
use interagent_testkit::mcp::McpClient;
use serde_json::{Value, json};

use crate::support::{agent, server};

/// What counts as "at once": far below the time after which clients give up on a silent server.
const AT_ONCE: Duration = Duration::from_secs(1);

fn started(sandbox: &Sandbox) -> McpClient {
    McpClient::start(server(&sandbox.start()))
}

fn meta() -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "modern", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
    })
}

#[test]
fn every_version_with_a_handshake_is_spoken() {
    let sandbox = Sandbox::with_team();
    for (asked, wanted) in [
        ("2024-11-05", "2024-11-05"),
        ("2025-03-26", "2025-03-26"),
        ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"),
        // This one has no handshake, and the last was never published.
        ("2026-07-28", "2025-11-25"),
        ("1999-01-01", "2025-11-25"),
    ] {
        let mut client = started(&sandbox);
        let shaken = client.initialize(asked, "test");
        assert_eq!(shaken["protocolVersion"], wanted, "{asked}");
        assert_eq!(shaken["serverInfo"]["name"], "interagent");
        let instructions = shaken["instructions"].as_str().unwrap();
        for word in ["register_agent", "check_inbox", "reply_message", "escalate", "your user's own words"] {
            assert!(instructions.contains(word), "{word}");
        }
        let tools = client.request("tools/list", json!({}))["result"]["tools"].clone();
        assert_eq!(tools.as_array().unwrap().len(), 20);
        assert!(client.leave().success());
    }
}

#[test]
fn the_version_without_a_handshake_is_spoken() {
    let sandbox = Sandbox::with_team();
    let mut client = started(&sandbox);
    let listed = client.request("tools/list", json!({ "_meta": meta() }));
    assert_eq!(listed["result"]["tools"].as_array().unwrap().len(), 20, "{listed}");
    let call = json!({ "name": "list_agents", "arguments": {}, "_meta": meta() });
    let called = client.request("tools/call", call);
    assert_eq!(called["result"]["isError"], false, "{called}");
    assert!(client.leave().success());
}

#[test]
fn probes_are_answered_at_once_and_the_handshake_follows() {
    let sandbox = Sandbox::with_team();
    let mut client = started(&sandbox);
    let began = Instant::now();
    let found = client.request("server/discover", json!({ "_meta": meta() }));
    let versions = found["result"]["supportedVersions"].as_array().unwrap();
    assert!(versions.contains(&json!("2025-11-25")), "{found}");
    assert!(client.request("server/discover", json!({}))["error"]["code"].is_i64());
    assert_eq!(client.request("no/such/method", json!({}))["error"]["code"], -32601);
    assert!(began.elapsed() < AT_ONCE, "{:?}", began.elapsed());
    client.initialize("2025-11-25", "test");
    let began = Instant::now();
    assert_eq!(client.request("no/such/method", json!({}))["error"]["code"], -32601);
    assert_eq!(client.request("resources/read", json!({ "uri": "x" }))["error"]["code"], -32601);
    assert!(began.elapsed() < AT_ONCE, "{:?}", began.elapsed());
    assert_eq!(client.request("ping", json!({}))["result"], json!({}));
}

#[test]
fn calls_before_the_handshake_are_answered_and_do_no_harm() {
    let sandbox = Sandbox::with_team();
    let mut client = started(&sandbox);
    client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
    client.send(
        &json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 9 } }),
    );
    client.send(&json!({ "jsonrpc": "2.0", "id": 77, "result": {} }));
    let early = client.request("tools/call", json!({ "name": "list_agents", "arguments": {} }));
    assert!(early["error"]["code"].is_i64(), "{early}");
    client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
    client.initialize("2025-06-18", "test");
    client.done("list_agents", json!({}));
}

#[test]
fn a_second_handshake_on_one_connection_is_survived() {
    let sandbox = Sandbox::with_team();
    let mut client = agent(&sandbox, "twice");
    let again = client.initialize("2025-03-26", "test");
    assert_eq!(again["protocolVersion"], "2025-03-26");
    let sent = client.done("send_message", json!({ "to": "kimi", "content": "still me" }));
    assert_eq!(sandbox.json(&["read", sent["id"].as_str().unwrap()])["from"]["name"], "twice");
}

#[test]
fn rubbish_is_answered_and_the_connection_goes_on() {
    let sandbox = Sandbox::with_team();
    let mut client = McpClient::connect(server(&sandbox.start()), "test");
    let deep = "[".repeat(100_000);
    let cases: [(&[u8], Value, i64); 13] = [
        (b"garbage", Value::Null, -32700),
        (b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"", Value::Null, -32700),
        (b"\xff\xfe\x00", Value::Null, -32700),
        (deep.as_bytes(), Value::Null, -32700),
        (b"[]", Value::Null, -32600),
        (b"[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]", Value::Null, -32600),
        (b"42", Value::Null, -32600),
        (b"{\"jsonrpc\":\"1.0\",\"id\":5,\"method\":\"ping\"}", json!(5), -32600),
        (b"{\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"ping\"}", Value::Null, -32600),
        (b"{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"ping\"}", Value::Null, -32600),
        (b"{\"jsonrpc\":\"2.0\",\"id\":1180591620717411303424,\"method\":\"ping\"}", Value::Null, -32600),
        (
            b"{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"method\":\"tools/call\",\"params\":{\"name\":5}}",
            json!("x"),
            -32602,
        ),
        (b"{\"jsonrpc\":\"2.0\",\"id\":\"y\",\"method\":\"tools/call\"}", json!("y"), -32602),
    ];
    for (line, id, code) in cases {
        client.raw(line);
        client.raw(b"\n");
        let shown = String::from_utf8_lossy(&line[..line.len().min(80)]).into_owned();
        let answer = client.next(Duration::from_secs(20)).unwrap_or_else(|| panic!("no answer to {shown}"));
        assert_eq!((&answer["id"], &answer["error"]["code"]), (&id, &json!(code)), "{shown}: {answer}");
    }
    // These want no answer.
    client.raw(b"\n\r\n  \n{\"jsonrpc\":\"2.0\",\"method\":\"notifications/of/nobody\"}\n");
    // These are messages after all.
    client.raw(b"\xef\xbb\xbf{\"jsonrpc\":\"2.0\",\"id\":\"bom\",\"method\":\"ping\"}\r\n");
    assert_eq!(client.next(AT_ONCE).unwrap()["id"], "bom");
    let unknown = client.request("tools/call", json!({ "name": "no_such_tool", "arguments": {} }));
    assert_eq!(unknown["error"]["code"], -32602);
    client.done("list_agents", json!({}));
}

#[test]
fn a_request_whose_id_is_in_work_is_refused_and_the_first_is_answered() {
    let sandbox = Sandbox::with_team();
    let mut client = agent(&sandbox, "twin");
    let call = json!({ "name": "check_inbox", "arguments": { "wait": 2 } });
    client.send(&json!({ "jsonrpc": "2.0", "id": "same", "method": "tools/call", "params": call }));
    client.send(&json!({ "jsonrpc": "2.0", "id": "same", "method": "ping" }));
    let second = client.next(Duration::from_secs(20)).unwrap();
    assert_eq!((&second["id"], &second["error"]["code"]), (&json!("same"), &json!(-32600)), "{second}");
    let first = client.next(Duration::from_secs(20)).unwrap();
    assert_eq!((&first["id"], &first["result"]["isError"]), (&json!("same"), &json!(false)), "{first}");
    // It may be used again once it was answered.
    client.send(&json!({ "jsonrpc": "2.0", "id": "same", "method": "ping" }));
    assert_eq!(client.next(Duration::from_secs(20)).unwrap()["result"], json!({}));
}

#[test]
fn arguments_of_the_wrong_kind_are_refused_in_words() {
    let sandbox = Sandbox::with_team();
    let mut client = agent(&sandbox, "clumsy");
    for (tool, arguments) in [
        ("send_message", json!({ "to": 5, "content": "x" })),
        ("send_message", json!({ "to": ["kimi", 5], "content": "x" })),
        ("send_message", json!({ "to": "kimi", "content": { "a": 1 } })),
        ("send_message", json!({ "to": "kimi", "content": "x", "TO": "kimi" })),
        ("send_message", json!({ "to": "kimi", "content": "x", "intent": "shouting" })),
        ("send_message", json!({ "to": "kimi", "content": "a\u{0}b" })),
        ("send_message", json!({ "to": "nobody", "content": "x" })),
        ("send_message", json!({ "to": "kimi", "content": "x", "expires": "tomorrow" })),
        ("read_message", json!({ "message_id": "../../etc/passwd" })),
        ("get_spec", json!({ "name": "../../secret" })),
        ("publish_spec", json!({ "name": "../../x", "content": "y" })),
        ("task", json!({ "action": "create", "title": "t", "requirements": "not a list" })),
        ("task", json!({ "action": 5 })),
        ("lease", json!({ "action": "take", "paths": ["../outside"] })),
    ] {
        let error = client.refused(tool, arguments.clone());
        assert!(error["code"].is_string() && error["sentence"].is_string(), "{tool} {arguments}: {error}");
    }
    assert_eq!(sandbox.json(&["msg", "list"])["items"], json!([]));
}

#[test]
fn a_hundred_megabytes_in_one_line_cost_little_and_end_nothing() {
    let sandbox = Sandbox::with_team();
    let mut client = McpClient::connect(server(&sandbox.start()), "test");
    let megabyte = vec![b'x'; 1024 * 1024];
    client.raw(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"");
    (0..100).for_each(|_| client.raw(&megabyte));
    client.raw(b"\"}\n");
    let answer = client.next(Duration::from_secs(20)).unwrap();
    assert_eq!((&answer["id"], &answer["error"]["code"]), (&Value::Null, &json!(-32600)));
    client.done("list_agents", json!({}));
    let status = std::fs::read_to_string(format!("/proc/{}/status", client.pid())).unwrap();
    let peak = status.lines().find(|line| line.starts_with("VmHWM")).unwrap();
    let kilobytes: u64 = peak.split_whitespace().nth(1).unwrap().parse().unwrap();
    assert!(kilobytes < 80 * 1024, "{peak}");
}

#[test]
fn a_client_may_leave_at_any_moment() {
    let sandbox = Sandbox::with_team();
    let handshake = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#;
    let call =
        r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"list_agents","arguments":{}}}"#;
    for last in [
        "",
        "{\"jsonrpc\"",
        handshake,
        &format!("{handshake}\n{}", &call[..40]),
        &format!("{handshake}\n{call}\n"),
    ] {
        let mut client = started(&sandbox);
        client.raw(last.as_bytes());
        client.hang_up();
        assert!(client.ended(Duration::from_secs(3)).success(), "after {last}");
    }
    let mut waiting = agent(&sandbox, "waiter");
    waiting.ask("tools/call", json!({ "name": "check_inbox", "arguments": { "wait": 500 } }));
    std::thread::sleep(Duration::from_millis(300));
    waiting.hang_up();
    assert!(waiting.ended(Duration::from_secs(3)).success());
}

#[test]
fn an_answer_that_is_due_is_written_after_the_client_hung_up() {
    let sandbox = Sandbox::with_team();
    let mut client = agent(&sandbox, "hasty");
    let send = json!({ "name": "send_message", "arguments": { "to": "kimi", "content": "last words" } });
    let id = client.ask("tools/call", send);
    client.hang_up();
    let answer = client.answer(id);
    let sent = answer["result"]["structuredContent"]["answer"]["id"].as_str().unwrap();
    assert_eq!(sandbox.json(&["read", sent])["body"], "last words");
}

#[test]
fn a_client_that_does_not_read_gets_every_answer_later() {
    let sandbox = Sandbox::with_team();
    let mut client = McpClient::connect(server(&sandbox.start()), "test");
    // The reader of this client is held up by nothing, so the flood itself is what is tested: more than is in work
    // at once, and more than a pipe holds.
    let asked: Vec<i64> = (0..300).map(|_| client.ask("tools/list", json!({}))).collect();
    let mut answered: Vec<i64> =
        asked.iter().map(|_| client.next(Duration::from_secs(20)).unwrap()["id"].as_i64().unwrap()).collect();
    answered.sort_unstable();
    assert_eq!(answered, asked);
}

#[test]
fn a_signal_ends_it_as_the_client_would() {
    let sandbox = Sandbox::with_team();
    let mut client = McpClient::connect(server(&sandbox.start()), "test");
    client.done("register_agent", json!({ "name": "stopped" }));
    assert_eq!(sandbox.json(&["session", "list"])["items"].as_array().unwrap().len(), 1);
    let pid = client.pid().to_string();
    assert!(std::process::Command::new("kill").args(["-TERM", &pid]).status().unwrap().success());
    assert!(client.ended(Duration::from_secs(5)).success());
    assert_eq!(sandbox.json(&["session", "list"])["items"], json!([]));
}

#[test]
fn without_a_usable_hub_every_tool_says_why() {
    let sandbox = Sandbox::with_team();
    std::fs::write(sandbox.hub().join("state/hub.db"), b"this is no database at all").unwrap();
    let mut client = McpClient::connect(server(&sandbox.start()), "test");
    assert_eq!(client.request("tools/list", json!({}))["result"]["tools"].as_array().unwrap().len(), 20);
    let error = client.refused("check_inbox", json!({ "agent_name": "kimi" }));
    assert_eq!(error["kind"], "unavailable", "{error}");
    assert!(client.leave().success());
}

#[test]
fn an_idle_server_costs_little() {
    let sandbox = Sandbox::with_team();
    let mut client = McpClient::connect(server(&sandbox.start()), "test");
    client.done("register_agent", json!({ "name": "thrifty" }));
    client.done("check_inbox", json!({}));
    let status = std::fs::read_to_string(format!("/proc/{}/status", client.pid())).unwrap();
    let own = status.lines().find(|line| line.starts_with("RssAnon")).unwrap();
    let kilobytes: u64 = own.split_whitespace().nth(1).unwrap().parse().unwrap();
    // Without the pages of the program itself, which every process of it shares.
    assert!(kilobytes < 8 * 1024, "{own}");
}
