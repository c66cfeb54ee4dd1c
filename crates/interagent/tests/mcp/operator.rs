//! A client of the operator's own: it shows the operator's token, which a person made at a terminal, and answers what went up
//! to the operator. And one of a superior, which answers what went up to it.

use std::process::Command;
use std::time::{Duration, Instant};

use interagent_testkit::Sandbox;
use serde_json::{Value, json};

use crate::http::{Ask, HttpClient, HttpServer, token};

/// Long enough for any machine; nothing is concluded from how long something took.
const PATIENCE: Duration = Duration::from_secs(120);

/// The operator's token, as a person gets it.
fn operators_token(sandbox: &Sandbox) -> String {
    let (status, shown) = sandbox.start().at_a_terminal(&["agent", "token", "operator"]);
    assert_eq!(status, 0, "{shown}");
    assert!(shown.contains("speaks for you"), "{shown}");
    shown.lines().find(|line| line.starts_with("iat_")).unwrap_or_else(|| panic!("{shown}")).to_owned()
}

fn duties(sandbox: &Sandbox, agent: &str) -> Vec<Value> {
    sandbox.json(&["inbox", "--agent", agent])["duties"].as_array().unwrap().clone()
}

/// What the member owes, once the ladder has brought it there.
fn duty_of(sandbox: &Sandbox, agent: &str) -> Value {
    let begin = Instant::now();
    loop {
        if let Some(duty) = duties(sandbox, agent).pop() {
            return duty;
        }
        assert!(begin.elapsed() < PATIENCE, "nothing reached {agent}");
        std::thread::sleep(Duration::from_millis(200));
        sandbox.run(&["supervise", "--once"]).success();
    }
}

fn ask(sandbox: &Sandbox, from: &str, to: &str, text: &str) -> String {
    let sent = sandbox.as_agent(from).json(&["send", "--to", to, "--intent", "question", "-m", text]);
    sent["id"].as_str().unwrap().to_owned()
}

/// The texts that wait for an agent, taken by a client of its own.
fn handed_over(server: &HttpServer, sandbox: &Sandbox, agent: &str) -> String {
    let mut client = HttpClient::connect(server, &token(sandbox, agent));
    client.done("check_inbox", json!({}))["items"].to_string()
}

#[test]
fn what_went_up_to_the_operator_is_answered_from_a_client_of_their_own() {
    let sandbox = Sandbox::with_impatient_team();
    let asked = ask(&sandbox, "vice", "ann", "Which port?\n\nThe proxy has 8080.");
    let carrier = duty_of(&sandbox, "operator")["message"].as_str().unwrap().to_owned();
    let server = HttpServer::start(&sandbox);
    let mut operator = HttpClient::connect(&server, &operators_token(&sandbox));

    let inbox = operator.call("check_inbox", json!({}));
    let shown = inbox["content"][0]["text"].as_str().unwrap();
    for part in [
        "ann has not answered",
        &asked,
        "> The proxy has 8080.",
        "its superior was asked",
        "it goes on waiting",
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    let way = format!("reply_message(original_message_id=\"{carrier}\"");
    assert!(shown.contains(&way), "{shown}");
    let again = operator.done("check_inbox", json!({ "wait": 60 }));
    assert_eq!(again["unread"], 1, "looking hands nothing over, and waits for nothing that is there");

    let answered = operator
        .done("reply_message", json!({ "original_message_id": carrier, "content": "Take port 8080." }));
    let step = sandbox.json(&["log", "show", answered["id"].as_str().unwrap()])["steps"][0].clone();
    assert_eq!((&step["auth"], &step["by"]["name"]), (&json!("token"), &json!("operator")), "{step}");
    for member in ["ann", "vice", "operator"] {
        assert_eq!(duties(&sandbox, member), Vec::<Value>::new(), "{member} owes nothing any more");
    }
    assert!(handed_over(&server, &sandbox, "ann").contains("Take port 8080."));
    let sessions = sandbox.json(&["session", "list"])["items"].to_string();
    assert!(!sessions.contains("operator"), "a person has no session: {sessions}");
}

#[test]
fn what_went_up_to_a_superior_is_answered_from_its_client() {
    let sandbox = Sandbox::with_impatient_team();
    let asked = ask(&sandbox, "bob", "ann", "Which port?");
    let server = HttpServer::start(&sandbox);
    let mut ann = HttpClient::connect(&server, &token(&sandbox, "ann"));
    let raised = ann.done("escalate", json!({ "message_id": asked, "reason": "Two are free: which one?" }));
    let mut vice = HttpClient::connect(&server, &token(&sandbox, "vice"));
    let inbox = vice.done("check_inbox", json!({}))["items"].to_string();
    assert!(inbox.contains("Two are free"), "{inbox}");
    vice.done("reply_message", json!({ "original_message_id": raised["id"], "content": "The first one." }));
    assert!(ann.done("check_inbox", json!({}))["items"].to_string().contains("The first one."));
    for member in ["ann", "vice"] {
        assert_eq!(duties(&sandbox, member), Vec::<Value>::new(), "{member} owes nothing any more");
    }
}

#[test]
fn the_operators_token_is_made_by_a_person_at_a_terminal_and_by_nobody_else() {
    let sandbox = Sandbox::with_team();
    let detached = |arguments: &[&str]| {
        let mut detached = Command::new("setsid");
        detached.arg("--wait");
        let done = sandbox.start().below(detached, arguments).output().unwrap();
        (done.status.code(), String::from_utf8(done.stderr).unwrap())
    };
    for arguments in [&["agent", "token", "operator"] as &[&str], &["agent", "token", "operator", "--new"]] {
        let (status, said) = detached(arguments);
        assert_eq!(status, Some(1), "{said}");
        assert!(said.contains("for a person at a terminal"), "{said}");
        let refused = sandbox.as_agent("kimi").run(arguments);
        assert!(refused.stderr.contains("no business of kimi"), "{}", refused.shown());
    }
    // Who leaves the name out wants an agent's, and hands nothing else out by mistake.
    let (status, shown) = sandbox.start().at_a_terminal(&["agent", "token"]);
    assert_eq!(status, 2, "{shown}");
    assert!(shown.contains("interagent agent token NAME"), "{shown}");

    let secret = operators_token(&sandbox);
    let (status, shown) = sandbox.start().at_a_terminal(&["agent", "token", "operator"]);
    assert_eq!(status, 3, "{shown}");
    assert!(shown.contains("--new") && !shown.contains("iat_"), "it is shown once: {shown}");
    let files = std::fs::read_dir(sandbox.hub().join("state/tokens")).map_or(0, Iterator::count);
    assert_eq!(files, 0, "and lies where no agent finds it");
    let server = HttpServer::start(&sandbox);
    let mut operator = HttpClient::connect(&server, &secret);
    assert_eq!(
        operator.done("send_message", json!({ "to": "kimi", "content": "Hello." }))["held"],
        Value::Null
    );
    for (tool, arguments, code) in [
        ("send_message", json!({ "from": "claude", "to": "kimi", "content": "x" }), "not_you"),
        ("check_inbox", json!({ "agent_name": "kimi" }), "not_you"),
        ("register_agent", json!({ "name": "claude" }), "not_an_agent"),
        ("register_agent", json!({ "name": "operator" }), "not_an_agent"),
    ] {
        let error = operator.refused(tool, arguments.clone());
        assert_eq!(error["code"], code, "{tool} {arguments}: {error}");
    }
    let revoke = ["agent", "token", "operator", "--revoke"];
    assert!(sandbox.as_agent("kimi").run(&revoke).stderr.contains("no business of kimi"));
    let (status, said) = detached(&revoke);
    assert_eq!(status, Some(0), "taking it away needs no terminal: {said}");
    assert_eq!(Ask::new(&server.address, &secret).send(&server.address).status, 401);
}
