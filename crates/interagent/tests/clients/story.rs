//! What every client goes through: it registers, sends, reads its mail, ends, is started again and is known before it says
//! its name.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Stdio};

use interagent_testkit::Sandbox;
use interagent_testkit::clients::{
    Client, Conversation, Manual, Network, Server, Shows, Stage, Turn, client, within_own_network,
};
use serde_json::{Value, json};

use crate::team::{Team, nonce};

const MANUAL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/mcp.md");

/// Runs the story with one client, in a network where only the model is.
pub(crate) fn told(test: &str, name: &str, way: Way) {
    within_own_network(test, |network| tell(client(name), way, &network));
}

/// How the client comes to the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    /// It starts one.
    Stdio,
    /// It finds one running.
    Http,
}

fn tell(client: &'static dyn Client, way: Way, network: &Network) {
    let manual = Manual::new(std::fs::read_to_string(MANUAL).unwrap());
    let team = Team::new(client);
    let token =
        || team.sandbox.operator().json(&["agent", "token", team.me])["token"].as_str().unwrap().to_owned();
    let running = (way == Way::Http).then(|| Running::start(&team.sandbox, token()));
    let server = running.as_ref().map_or(Server::Stdio, Running::server);
    let stage = Stage::new(client, &team.sandbox, &manual, server);
    let call = |tool: &str, arguments: Value| Turn::Call {
        tool: format!("{}{tool}", manual.tool_prefix(client.title())),
        arguments,
    };
    let (me, other) = (team.me, team.other);

    let (waiting, question) = team.send_to_client();
    let answer = nonce("answer");
    stage.run(
        "Introduce yourself to the team.",
        vec![
            call("register_agent", json!({ "name": me, "description": "a real client" })),
            call("send_message", json!({ "to": other, "subject": "hello", "content": answer })),
            call("check_inbox", json!({})),
        ],
    );
    let conversations = stage.model().conversations();
    let offered = conversations[0].tool_names();
    for tool in interagent_mcp::tool_names() {
        let name = format!("{}{tool}", manual.tool_prefix(client.title()));
        assert!(offered.contains(&name), "{name} is not offered: {offered:?}");
    }
    assert_documented(client, &stage, &conversations[0]);
    let last = conversations.last().unwrap();
    assert_eq!(last.results().len(), 3, "{last:#?}");
    assert_came_from(last.results()[2], client.shows(), other, &question);
    team.assert_delivered(&waiting);
    team.assert_arrived(&answer, if way == Way::Http { "token" } else { "session" });

    // Started again, it is the only agent of its kind and needs no name; it gets only what is new.
    let before = team.agents();
    let (second, news) = team.send_to_client();
    stage.run(
        "Look again.",
        vec![call("check_inbox", json!({})), call("register_agent", json!({ "name": me }))],
    );
    let conversations = stage.model().conversations();
    let last = conversations.last().unwrap();
    assert_eq!(last.results().len(), 2, "{last:#?}");
    assert_came_from(last.results()[0], client.shows(), other, &news);
    assert!(!last.results()[0].contains(&question), "{last:#?}");
    team.assert_delivered(&second);
    assert_eq!(team.agents(), before);
    stage.record(network);
}

/// The manual says what our tools cost in a request of Claude Code and of Codex: what it says is counted here.
#[track_caller]
fn assert_documented(client: &dyn Client, stage: &Stage<'_>, request: &Conversation) {
    if !["claude", "codex"].contains(&client.name()) {
        return;
    }
    let ours = request.tools.iter().filter(|tool| tool.full_name().starts_with("mcp__interagent__"));
    let counter = tiktoken_rs::cl100k_base().unwrap();
    let tokens: usize = ours.map(|tool| counter.encode_ordinary(&tool.definition).len()).sum();
    let said =
        format!("{} {} sends {},{:03} tokens", client.title(), stage.version(), tokens / 1000, tokens % 1000);
    let manual = std::fs::read_to_string(MANUAL).unwrap();
    let manual = manual.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(manual.contains(&said), "docs/mcp.md does not say: {said}");
}

/// Runs what a person's own client goes through, which shows the operator's token: it sees what went up to the operator, and
/// answers it.
pub(crate) fn told_for_the_operator(test: &str, name: &str) {
    within_own_network(test, |network| answer_for_the_operator(client(name), &network));
}

fn answer_for_the_operator(client: &'static dyn Client, network: &Network) {
    let manual = Manual::new(std::fs::read_to_string(MANUAL).unwrap());
    let team = Team::new(client);
    let question = ["send", "--to", team.me, "--intent", "question", "-m", "Which port?"];
    let asked = team.sandbox.as_agent(team.other).json(&question)["id"].as_str().unwrap().to_owned();
    let (reason, answer) = (nonce("reason"), nonce("answer"));
    let raised = team.sandbox.as_agent(team.me).json(&["msg", "escalate", &asked, "--reason", &reason]);

    let (status, shown) = team.sandbox.start().at_a_terminal(&["agent", "token", "operator"]);
    let token = shown.lines().find(|line| line.starts_with("iat_"));
    let token = token.unwrap_or_else(|| panic!("{status}: {shown}")).to_owned();
    let running = Running::start(&team.sandbox, token);
    let stage = Stage::new(client, &team.sandbox, &manual, running.server());
    let call = |tool: &str, arguments: Value| Turn::Call {
        tool: format!("{}{tool}", manual.tool_prefix(client.title())),
        arguments,
    };
    stage.run(
        "What is waiting for me? Tell them my answer.",
        vec![
            call("check_inbox", json!({})),
            call("reply_message", json!({ "original_message_id": raised["id"], "content": answer })),
        ],
    );
    let conversations = stage.model().conversations();
    let last = conversations.last().unwrap();
    assert!(last.results()[0].contains(&reason), "{last:#?}");
    let mail = team.sandbox.as_agent(team.me).json(&["inbox"])["items"].clone();
    let came = mail.as_array().unwrap().iter().find(|mail| mail["body"] == json!(answer));
    let came = came.unwrap_or_else(|| panic!("no `{answer}` in {mail}"));
    assert_eq!((&came["from"]["name"], &came["auth"]), (&json!("operator"), &json!("token")), "{came}");
    stage.record_as("operator", network, &Value::Null);
}

/// A server over HTTP, and the token its client shows.
struct Running {
    child: Child,
    url: String,
    token: String,
}

impl Running {
    fn start(sandbox: &Sandbox, token: String) -> Self {
        let mut command = sandbox.start().command(&["mcp", "--http", "127.0.0.1:0"]);
        let mut child = command.stdin(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stderr.take().unwrap()).read_line(&mut line).unwrap();
        let url = line.split_whitespace().find(|word| word.starts_with("http://")).unwrap_or_else(|| {
            panic!("the server does not say where it is: {line}");
        });
        Self { child, url: url.to_owned(), token }
    }

    fn server(&self) -> Server {
        Server::Http { url: self.url.clone(), token: self.token.clone() }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What the model saw of an inbox: the text under its sender, in the forms that its client shows.
#[track_caller]
fn assert_came_from(result: &str, shows: Shows, sender: &str, text: &str) {
    let expected = match shows {
        Shows::Text => (true, false),
        Shows::Document => (false, true),
        Shows::Both => (true, true),
    };
    let seen = (names_in_text(result, sender, text), names_in_document(result, sender, text));
    assert_eq!(seen, expected, "as text, as document: `{text}` from {sender} in: {result}");
}

/// Whether the text stands below a line that names its sender.
fn names_in_text(result: &str, sender: &str, text: &str) -> bool {
    let lines: Vec<&str> = result.lines().collect();
    let head = format!(" from {sender} (");
    lines.windows(2).any(|pair| pair[0].starts_with("--- msg-") && pair[0].contains(&head) && pair[1] == text)
}

/// Whether a document in what the client shows has a message with the text and its sender.
fn names_in_document(result: &str, sender: &str, text: &str) -> bool {
    let starts = result.match_indices('{').map(|(start, _)| &result[start..]);
    let mut documents = starts.filter_map(|rest| {
        serde_json::Deserializer::from_str(rest).into_iter::<Value>().next().and_then(Result::ok)
    });
    documents.any(|document| document["from"]["name"] == sender && document["body"] == text)
}
