//! Several real sessions of one client in one repository: the first takes the client's seat, a further one is visible and joins
//! by one call, and an ordinary new session later has its identity again.

use std::path::Path;
use std::time::{Duration, Instant};

use interagent_testkit::Sandbox;
use interagent_testkit::clients::{Network, Session, Stage, Turn, client, within_own_network};
use serde_json::{Value, json};

use crate::team::nonce;

/// How long something may take that follows from what was seen.
const PATIENCE: Duration = Duration::from_secs(90);

const CLAUDE: &str = "Claude Code";

#[test]
#[ignore = "needs the real client: cargo xtask clients claude"]
fn claude() {
    within_own_network("seats::claude", |network| three_sessions(&network));
}

#[test]
#[ignore = "needs the real client: cargo xtask clients codex"]
fn codex() {
    let line = "this Codex CLI session has no name";
    within_own_network("seats::codex", |network| second_session_shows("codex", "Codex CLI", line, &network));
}

/// It shows the person what its hook tells the model.
#[test]
#[ignore = "needs the real client: cargo xtask clients kimi"]
fn kimi() {
    let line = "this session has no name in it";
    within_own_network("seats::kimi", |network| second_session_shows("kimi", "Kimi Code", line, &network));
}

#[test]
#[ignore = "needs the real client: cargo xtask clients gemini"]
fn gemini() {
    let line = "this Gemini CLI session has no name";
    within_own_network("seats::gemini", |network| {
        second_session_shows("gemini", "Gemini CLI", line, &network);
    });
}

/// OpenCode's plugin shows the line as a toast for some seconds.
#[test]
#[ignore = "needs the real client: cargo xtask clients opencode"]
fn opencode() {
    let line = "this OpenCode session has no name";
    within_own_network("seats::opencode", |network| {
        second_session_shows("opencode", "OpenCode", line, &network);
    });
}

/// Copilot CLI shows no hook output to the person.
#[test]
#[ignore = "needs the real client: cargo xtask clients copilot"]
fn copilot() {
    within_own_network("seats::copilot", |network| second_session_joins(&network));
}

fn second_session_joins(network: &Network) {
    let sandbox = Sandbox::of(Path::new(env!("CARGO_BIN_EXE_interagent")), &std::env::temp_dir());
    sandbox.run(&["init", "--formation", "peers", "--agents", "copilot", "--agents", "claude"]).success();
    let stage = Stage::prepared(client("copilot"), &sandbox);
    stage.product().run(&["setup", "copilot", "--yes"]).success();

    let first = stage.open();
    let told = first.prompt(&nonce("first"));
    assert!(told.tells("You are copilot"), "{told:#?}");
    first.settle();

    let second = stage.open();
    let prompt = nonce("second");
    let register = json!({ "name": "copilot2", "description": "a further session" });
    let call = Turn::Call { tool: "interagent-register_agent".to_owned(), arguments: register };
    stage.model().cue(&prompt, vec![call, Turn::Say("I am copilot2.".to_owned())]);
    let told = second.prompt(&prompt);
    assert!(told.tells("interagent-register_agent"), "{told:#?}");
    until(&second, || second.shown().contains("I am copilot2."));
    second.settle();
    assert_eq!(unnamed(&sandbox, "GitHub Copilot CLI"), 0);
    let mut bound: Vec<i64> = Vec::new();
    for (name, session) in [("copilot", &first), ("copilot2", &second)] {
        let listed = sandbox.json(&["session", "list", "--agent", name]);
        let items = listed["items"].as_array().unwrap();
        assert!(items.len() == 1 && !items[0]["id"].as_str().unwrap().starts_with("mcp-"), "{listed}");
        bound.push(items[0]["pid"].as_i64().unwrap());
        let text = nonce("mail");
        sandbox.run(&["send", "--to", name, "-m", &text]).success();
        let told = session.prompt(&nonce("next"));
        assert!(told.tells(&text), "{told:#?}");
        session.settle();
    }
    assert_ne!(bound[0], bound[1]);
    drop((first, second));
    stage.record_as("seats", network, &Value::Null);
}

/// The person at a further session sees that it has no name, at the latest after the first prompt.
fn second_session_shows(name: &str, title: &str, line: &str, network: &Network) {
    let sandbox = Sandbox::of(Path::new(env!("CARGO_BIN_EXE_interagent")), &std::env::temp_dir());
    sandbox.run(&["init", "--formation", "peers", "--agents", name, "--agents", "other:claude"]).success();
    let stage = Stage::prepared(client(name), &sandbox);
    stage.product().run(&["setup", name, "--yes"]).success();

    let first = stage.open();
    let told = first.prompt(&nonce("first"));
    assert!(told.tells(&format!("You are {name}")), "{told:#?}");
    first.settle();
    assert!(!first.shown().contains(line), "{}", first.shown());
    assert_eq!(unnamed(&sandbox, title), 0);

    let second = stage.open();
    let told = second.prompt(&nonce("second"));
    assert!(told.tells("register_agent"), "{told:#?}");
    until(&second, || second.shown().contains(line));
    assert_eq!(unnamed(&sandbox, title), 1);
    second.settle();
    second.prompt(&nonce("third"));
    second.settle();
    // Some clients remove the line after a while.
    assert!(second.shown().matches(line).count() <= 1, "{}", second.shown());
    drop((first, second));
    stage.record_as("seats", network, &Value::Null);
}

fn three_sessions(network: &Network) {
    let sandbox = Sandbox::of(Path::new(env!("CARGO_BIN_EXE_interagent")), &std::env::temp_dir());
    sandbox.run(&["init", "--formation", "peers", "--agents", "claude", "--agents", "kimi"]).success();
    let mut stage = Stage::prepared(client("claude"), &sandbox);
    stage.product().run(&["setup", "claude", "--yes"]).success();
    // Only what setup allows runs without a question.
    stage.ask_before_tools();

    let first = stage.open();
    let told = first.prompt(&nonce("first"));
    assert!(told.tells("You are claude"), "{told:#?}");
    assert_eq!(unnamed(&sandbox, CLAUDE), 0);

    let others: Vec<Session<'_, '_>> =
        ["claude2", "claude3"].iter().map(|name| joined(&stage, &sandbox, name)).collect();
    first.settle();
    for (name, session) in [("claude", &first), ("claude2", &others[0]), ("claude3", &others[1])] {
        // The model of all three is one: whose session was told is seen on its screen.
        let (text, reply) = (nonce("mail"), nonce("heard"));
        stage.model().cue(&text, vec![Turn::Say(reply.clone())]);
        sandbox.run(&["send", "--to", name, "-m", &text]).success();
        until(session, || session.screen().contains(&reply));
    }

    for session in others.iter().chain([&first]) {
        session.kill();
    }
    drop((first, others));
    // All three seats are free: the ordinary new session takes the client's.
    let again = stage.open();
    let told = again.prompt(&nonce("again"));
    assert!(told.tells("You are claude (") && !told.tells("no name"), "{told:#?}");
    drop(again);
    stage.record_as("seats", network, &Value::Null);
}

/// A further session: its person sees that it has no name, and its model joins the team by one call that asks nobody.
fn joined<'s, 'a>(stage: &'s Stage<'a>, sandbox: &Sandbox, name: &str) -> Session<'s, 'a> {
    let session = stage.open();
    until(&session, || session.screen().contains("this Claude Code session has no name"));
    assert_eq!(unnamed(sandbox, CLAUDE), 1);
    let prompt = nonce(name);
    let register = json!({ "name": name, "description": "a further session" });
    stage.model().cue(
        &prompt,
        vec![
            Turn::Call { tool: "mcp__interagent__register_agent".to_owned(), arguments: register },
            Turn::Say(format!("I am {name}.")),
        ],
    );
    let told = session.prompt(&prompt);
    assert!(told.tells("register"), "{told:#?}");
    until(&session, || session.screen().contains(&format!("I am {name}.")));
    assert_eq!(unnamed(sandbox, CLAUDE), 0);
    // The session of the client's hooks is the one that was bound, not one of its server.
    let listed = sandbox.json(&["session", "list", "--agent", name]);
    let items = listed["items"].as_array().unwrap();
    assert!(items.len() == 1 && !items[0]["id"].as_str().unwrap().starts_with("mcp-"), "{listed}");
    session.settle();
    session
}

/// How many sessions have no name, by what both commands say.
#[track_caller]
fn unnamed(sandbox: &Sandbox, title: &str) -> usize {
    let count = |command: &str| sandbox.json(&[command])["unnamed"].as_array().unwrap().len();
    let (status, ps) = (count("status"), count("ps"));
    assert_eq!(status, ps);
    let shown = sandbox.run(&["status"]).success().stdout;
    assert_eq!(shown.contains(&format!("1 {title} session has no name")), status == 1, "{shown}");
    status
}

#[track_caller]
fn until(session: &Session<'_, '_>, mut is_so: impl FnMut() -> bool) {
    let patient_until = Instant::now() + PATIENCE;
    while !is_so() {
        assert!(Instant::now() < patient_until, "it does not happen; {}", session.shown());
        std::thread::sleep(Duration::from_millis(100));
    }
}

#[test]
#[ignore = "needs the real client: cargo xtask clients kimi-cli"]
fn kimi_cli() {
    within_own_network("seats::kimi_cli", |network| works_as_kimi(&network));
}

/// The team was made before anybody looked at which `kimi` is installed.
fn works_as_kimi(network: &Network) {
    let sandbox = Sandbox::of(Path::new(env!("CARGO_BIN_EXE_interagent")), &std::env::temp_dir());
    sandbox.run(&["init"]).success();
    let task = sandbox.json(&["task", "create", "Design database schema", "--assignee", "kimi"]);
    let task = task["id"].as_str().unwrap();
    let kimi = client("kimi-cli");
    let stage = Stage::prepared(kimi, &sandbox);
    stage.product().run(&["setup", "kimi-cli", "--yes"]).success();
    let agents = sandbox.json(&["agent", "list"])["items"].as_array().unwrap().len();
    assert_eq!(agents, 3, "claude, kimi and the operator");
    let update = kimi.shell(&format!("interagent task update {task} --status in_progress"));
    stage.run(&nonce("begin"), vec![update, Turn::Say("Begun.".to_owned())]);
    assert_eq!(sandbox.json(&["task", "show", task])["status"], "in_progress");
    let log = sandbox.json(&["log", "--limit", "200"]);
    let by = |entry: &&Value| entry["actor"]["name"] == "kimi";
    assert!(log["items"].as_array().unwrap().iter().any(|entry| by(&entry)), "{log}");
    stage.record_as("seats", network, &Value::Null);
}
