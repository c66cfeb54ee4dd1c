//! Agents over HTTP: talking with others on pipes and at the command line, waiting, leaving, and the server's own end.

use std::time::{Duration, Instant};

use interagent_testkit::Sandbox;
use serde_json::{Value, json};

use crate::http::{Ask, HttpClient, HttpServer, token};
use crate::support::agent;

fn send(sandbox: &Sandbox, to: &str, body: &str) -> String {
    let params = json!({ "to": [to], "body": body }).to_string();
    sandbox.json(&["call", "message.send", &params])["id"].as_str().unwrap().to_owned()
}

fn delivery(sandbox: &Sandbox, message: &str) -> Value {
    sandbox.json(&["read", message])["to"][0].clone()
}

/// Waits for a state that follows by itself.
#[track_caller]
fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let until = Instant::now() + Duration::from_secs(20);
    while !is_so() {
        assert!(Instant::now() < until, "{what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn agents_over_http_on_pipes_and_at_the_command_line_talk() {
    let sandbox = Sandbox::new();
    sandbox.run(&["init", "--formation", "peers", "--agents", "claude,kimi,codex"]).success();
    let server = HttpServer::start(&sandbox);
    let mut claude = HttpClient::connect(&server, &token(&sandbox, "claude"));
    let mut kimi = HttpClient::connect(&server, &token(&sandbox, "kimi"));
    let mut codex = agent(&sandbox, "codex");
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for number in 0..5 {
                let both = json!({ "to": "kimi, codex", "content": format!("claude {number}") });
                claude.done("send_message", both);
            }
        });
        scope.spawn(|| {
            for number in 0..5 {
                codex.done("send_message", json!({ "to": "kimi", "content": format!("codex {number}") }));
            }
        });
        scope.spawn(|| {
            for number in 0..5 {
                send(&sandbox, "kimi", &format!("operator {number}"));
            }
        });
        let mut got = Vec::new();
        while got.len() < 15 {
            let inbox = kimi.done("check_inbox", json!({ "wait": 20 }));
            let items = inbox["items"].as_array().unwrap();
            assert!(!items.is_empty(), "{got:?}");
            got.extend(items.iter().map(|mail| mail["body"].as_str().unwrap().to_owned()));
        }
        got.sort();
        let names = ["claude", "codex", "operator"];
        let wanted: Vec<String> =
            names.iter().flat_map(|name| (0..5).map(move |number| format!("{name} {number}"))).collect();
        assert_eq!(got, wanted, "all of it, once");
    });
    let inbox = codex.done("check_inbox", json!({}));
    assert_eq!(inbox["items"].as_array().unwrap().len(), 5);
    assert_eq!(inbox["items"][0]["auth"], "token", "{inbox}");
    // Both agents of the server have a session of their own.
    let sessions = sandbox.json(&["session", "list"]);
    let mut names: Vec<&str> = sessions["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["agent"]["name"].as_str().unwrap())
        .collect();
    names.sort_unstable();
    assert_eq!(names, ["claude", "codex", "kimi"]);
}

#[test]
fn two_clients_with_one_token_share_the_mail() {
    let sandbox = Sandbox::with_team();
    let server = HttpServer::start(&sandbox);
    let kimi = token(&sandbox, "kimi");
    let mut clients = [HttpClient::connect(&server, &kimi), HttpClient::connect(&server, &kimi)];
    clients
        .iter_mut()
        .for_each(|client| assert_eq!(client.done("check_inbox", json!({}))["items"], json!([])));
    let sessions = sandbox.json(&["session", "list"])["items"].as_array().unwrap().len();
    assert_eq!(sessions, 2, "one does not push the other out");
    let ids: Vec<String> = (0..10).map(|number| send(&sandbox, "kimi", &format!("mail {number}"))).collect();
    let mut got: Vec<String> = std::thread::scope(|scope| {
        let both = clients.each_mut().map(|client| {
            scope.spawn(|| {
                let mut got = Vec::new();
                loop {
                    let inbox = client.done("check_inbox", json!({ "limit": 1 }));
                    // What the other one is just being given is shown, and is not ours.
                    let mut handed = inbox["items"]
                        .as_array()
                        .unwrap()
                        .iter()
                        .filter(|mail| mail["offered_elsewhere"] == false);
                    match handed.next() {
                        Some(mail) => got.push(mail["id"].as_str().unwrap().to_owned()),
                        None => break,
                    }
                }
                got
            })
        });
        both.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    let mut wanted = ids;
    wanted.sort();
    got.sort();
    assert_eq!(got, wanted, "each message went to one of them, once");
}

#[test]
fn what_was_written_is_delivered() {
    let sandbox = Sandbox::with_team();
    let server = HttpServer::start(&sandbox);
    let mut kimi = HttpClient::connect(&server, &token(&sandbox, "kimi"));
    let id = send(&sandbox, "kimi", "for kimi");
    assert_eq!(kimi.done("check_inbox", json!({}))["items"][0]["body"], "for kimi");
    until("it was written whole", || delivery(&sandbox, &id)["state"] == "delivered");
    assert_eq!(delivery(&sandbox, &id)["via"], "mcp");
    assert_eq!(kimi.done("check_inbox", json!({}))["items"], json!([]));
    kimi.done("read_message", json!({ "message_id": id }));
    until("reading it was written whole", || delivery(&sandbox, &id)["state"] == "acknowledged");
}

#[test]
fn the_next_call_sees_what_the_one_before_has_delivered() {
    let sandbox = Sandbox::with_team();
    let server = HttpServer::start(&sandbox);
    let mut kimi = HttpClient::connect(&server, &token(&sandbox, "kimi"));
    for round in 0..20 {
        let id = send(&sandbox, "kimi", &format!("round {round}"));
        assert_eq!(kimi.done("check_inbox", json!({}))["items"][0]["id"], json!(id));
        let shown = kimi.done("read_message", json!({ "message_id": id }));
        assert_eq!(shown["to"][0]["state"], "delivered", "{shown}");
    }
}

#[test]
fn waiting_ends_when_mail_comes_and_tells_progress_meanwhile() {
    let sandbox = Sandbox::with_team();
    let server = HttpServer::start(&sandbox);
    let mut kimi = HttpClient::connect(&server, &token(&sandbox, "kimi"));
    let (id, waiting) = kimi.begin("check_inbox", json!({ "wait": 60 }), json!({ "progressToken": "p-1" }));
    let mut messages = waiting.begun().messages();
    let progress = messages.next().unwrap();
    assert_eq!(progress["method"], "notifications/progress", "{progress}");
    assert_eq!(progress["params"]["progressToken"], "p-1");
    // Meanwhile other calls of the same session go on.
    kimi.done("list_agents", json!({}));
    send(&sandbox, "kimi", "wake up");
    let answer = messages.find(|message| message["id"] == id).unwrap();
    assert_eq!(answer["result"]["structuredContent"]["answer"]["items"][0]["body"], "wake up");
    assert!(messages.next().is_none(), "the stream ends with the answer");
}

#[test]
fn a_client_that_leaves_while_it_waits_takes_nothing() {
    let sandbox = Sandbox::with_team();
    let server = HttpServer::start(&sandbox);
    let mut kimi = HttpClient::connect(&server, &token(&sandbox, "kimi"));
    let waiting = kimi.begin("check_inbox", json!({ "wait": 60 }), Value::Null).1;
    std::thread::sleep(Duration::from_millis(400));
    drop(waiting);
    std::thread::sleep(Duration::from_millis(400));
    let id = send(&sandbox, "kimi", "too late for that call");
    std::thread::sleep(Duration::from_millis(700));
    let state = delivery(&sandbox, &id);
    assert_eq!((&state["state"], &state["offered"]), (&json!("queued"), &json!(false)));
    assert_eq!(kimi.done("check_inbox", json!({}))["items"][0]["id"], json!(id));
}

#[test]
fn a_wait_that_was_cancelled_takes_nothing() {
    let sandbox = Sandbox::with_team();
    let server = HttpServer::start(&sandbox);
    let mut kimi = HttpClient::connect(&server, &token(&sandbox, "kimi"));
    let (id, waiting) = kimi.begin("check_inbox", json!({ "wait": 60 }), Value::Null);
    std::thread::sleep(Duration::from_millis(400));
    kimi.notify("notifications/cancelled", json!({ "requestId": id }));
    assert!(
        waiting.begun().messages().all(|message| message["id"] != id),
        "a cancelled request has no answer"
    );
    let message = send(&sandbox, "kimi", "too late for that call");
    std::thread::sleep(Duration::from_millis(700));
    let state = delivery(&sandbox, &message);
    assert_eq!((&state["state"], &state["offered"]), (&json!("queued"), &json!(false)));
    assert_eq!(kimi.done("check_inbox", json!({}))["items"][0]["id"], json!(message));
}

/// A request of the newest protocol, which knows no sessions.
fn modern(server: &HttpServer, token: &str, tool: &str, arguments: &Value) -> Ask {
    let meta = json!({ "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": { "name": "raw", "version": "1" } });
    let params = json!({ "name": tool, "arguments": arguments, "_meta": meta });
    Ask::new(&server.address, token)
        .header("Mcp-Protocol-Version", "2026-07-28")
        .header("Mcp-Method", "tools/call")
        .header("Mcp-Name", tool)
        .message(&json!({ "jsonrpc": "2.0", "id": 9, "method": "tools/call", "params": params }))
}

#[test]
fn calls_without_a_session_are_the_same_agent() {
    let sandbox = Sandbox::with_team();
    let server = HttpServer::start(&sandbox);
    let kimi = token(&sandbox, "kimi");
    let id = send(&sandbox, "kimi", "for kimi");
    let inbox = modern(&server, &kimi, "check_inbox", &json!({})).send(&server.address);
    assert_eq!(inbox.status, 200, "{inbox:?}");
    assert_eq!(inbox.header("mcp-session-id"), None);
    let answer = &inbox.document()["result"]["structuredContent"]["answer"];
    assert_eq!((&answer["agent"]["name"], &answer["items"][0]["id"]), (&json!("kimi"), &json!(id)));
    until("it was written whole", || delivery(&sandbox, &id)["state"] == "delivered");
    modern(&server, &kimi, "list_agents", &json!({})).send(&server.address);
    assert_eq!(sandbox.json(&["session", "list"])["items"].as_array().unwrap().len(), 1);
    // Leaving ends a wait here too.
    let waiting = modern(&server, &kimi, "check_inbox", &json!({ "wait": 60 })).open(&server.address);
    std::thread::sleep(Duration::from_millis(400));
    drop(waiting);
    std::thread::sleep(Duration::from_millis(400));
    let late = send(&sandbox, "kimi", "too late for that call");
    std::thread::sleep(Duration::from_millis(700));
    assert_eq!(delivery(&sandbox, &late)["offered"], false);
}

#[test]
fn calls_without_a_session_that_wait_beside_each_other_share_the_mail() {
    let sandbox = Sandbox::with_team();
    let server = HttpServer::start(&sandbox);
    let kimi = token(&sandbox, "kimi");
    for round in 0..2 {
        let waiting: Vec<_> = (0..4)
            .map(|_| modern(&server, &kimi, "check_inbox", &json!({ "wait": 2 })).open(&server.address))
            .collect();
        std::thread::sleep(Duration::from_millis(300));
        let id = send(&sandbox, "kimi", &format!("round {round}"));
        let handed = waiting.into_iter().map(crate::http::Open::answer).filter(|answer| {
            let inbox = answer.document()["result"]["structuredContent"]["answer"].clone();
            let items = inbox["items"].as_array().unwrap();
            items.iter().any(|mail| mail["id"] == json!(id) && mail["body"].is_string())
        });
        assert_eq!(handed.count(), 1, "round {round}: it went to one of them");
    }
}

#[test]
fn a_server_that_is_told_to_end_ends_also_while_clients_wait() {
    for signal in ["-TERM", "-INT"] {
        let sandbox = Sandbox::with_team();
        let server = HttpServer::start(&sandbox);
        let mut kimi = HttpClient::connect(&server, &token(&sandbox, "kimi"));
        let stream = kimi.ask().line("GET /mcp HTTP/1.1").body("").open(&server.address);
        let (id, waiting) = kimi.begin("check_inbox", json!({ "wait": 600 }), Value::Null);
        std::thread::sleep(Duration::from_millis(400));
        assert_eq!(sandbox.json(&["session", "list"])["items"].as_array().unwrap().len(), 1);
        let began = Instant::now();
        let (status, written) = server.end(signal);
        assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
        assert!(status.success() && written.is_empty(), "{status:?} {written}");
        let answer = waiting.begun().messages().find(|message| message["id"] == id).unwrap();
        assert_eq!(answer["result"]["isError"], false, "who waited was told: {answer}");
        drop(stream);
        assert_eq!(sandbox.json(&["session", "list"])["items"], json!([]), "what was bound is ended");
    }
}

#[test]
fn after_a_kill_the_same_token_is_the_same_agent() {
    let sandbox = Sandbox::with_team();
    let server = HttpServer::start(&sandbox);
    let kimi = token(&sandbox, "kimi");
    let mut before = HttpClient::connect(&server, &kimi);
    let me = before.done("check_inbox", json!({}))["agent"].clone();
    let address = server.address.clone();
    server.end("-KILL");
    let id = send(&sandbox, "kimi", "while nobody served");
    let server = HttpServer::at(&sandbox, &address);
    let list = json!({ "jsonrpc": "2.0", "id": 5, "method": "tools/list" });
    assert_eq!(before.ask().message(&list).send(&address).status, 404, "a client begins again");
    let mut after = HttpClient::connect(&server, &kimi);
    let inbox = after.done("check_inbox", json!({}));
    assert_eq!((&inbox["agent"], &inbox["items"][0]["id"]), (&me, &json!(id)));
    let sessions = sandbox.json(&["session", "list"]);
    let pids: Vec<&Value> = sessions["items"].as_array().unwrap().iter().map(|row| &row["pid"]).collect();
    assert_eq!(pids, [&json!(server.pid())], "the session of the dead server is ended");
}
