//! Codex as a person starts it: in its default sandbox, with the background server that runs all sessions of a user.

mod javascript;
mod started;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use interagent_testkit::Sandbox;
use interagent_testkit::clients::{Place, Session, Stage, Turn, client, within_own_network};
use serde_json::{Value, json};

use crate::team::nonce;

/// How long something may take that follows by itself.
const PATIENCE: Duration = Duration::from_secs(90);
/// Longer than a queued line takes to start a turn in the background server, on a busy machine.
const NOTHING_COMES: Duration = Duration::from_secs(5);

#[test]
#[ignore = "needs the real client: cargo xtask clients NAME"]
fn sessions_of_two_projects_are_apart() {
    within_own_network("codex::sessions_of_two_projects_are_apart", |_| two_projects());
}

#[test]
#[ignore = "needs the real client: cargo xtask clients NAME"]
fn two_agents_in_one_project() {
    within_own_network("codex::two_agents_in_one_project", |_| two_agents());
}

#[test]
#[ignore = "needs the real client: cargo xtask clients NAME"]
fn sandboxed_commands_know_their_agent() {
    within_own_network("codex::sandboxed_commands_know_their_agent", |_| sandboxed());
}

#[test]
#[ignore = "needs the real client: cargo xtask clients NAME"]
fn new_conversation_ends_the_one_before() {
    within_own_network("codex::new_conversation_ends_the_one_before", |_| new_conversation());
}

/// A home outside of what the sandbox of Codex lets everybody write.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::of(Path::new(env!("CARGO_BIN_EXE_interagent")), Path::new("/var/tmp"));
    sandbox.run(&["init"]).success();
    sandbox
}

fn set_up<'a>(sandbox: &'a Sandbox) -> Stage<'a> {
    let stage = Stage::prepared(client("codex"), sandbox);
    stage.product().run(&["setup", "codex", "--yes"]).success();
    stage
}

fn directory(sandbox: &Sandbox, name: &str) -> PathBuf {
    let directory = sandbox.home().join(name);
    std::fs::create_dir_all(&directory).unwrap();
    directory
}

/// A message to an agent, from where the client's program is found.
fn send(stage: &Stage<'_>, to: &str) -> String {
    let text = nonce("mail");
    stage.product().env("INTERAGENT_AGENT", "claude").run(&["send", "--to", to, "-m", &text]).success();
    text
}

fn life(sandbox: &Sandbox, name: &str) -> Value {
    let rows = sandbox.json(&["ps"]);
    rows["agents"].as_array().unwrap().iter().find(|row| row["name"] == name).unwrap()["life"].clone()
}

#[track_caller]
fn until_idle(sandbox: &Sandbox, name: &str) {
    let until = Instant::now() + PATIENCE;
    while life(sandbox, name) != "idle" {
        assert!(Instant::now() < until, "{name} is {}", life(sandbox, name));
        std::thread::sleep(Duration::from_millis(100));
    }
}

fn was_told(session: &Session<'_, '_>, text: &str) -> bool {
    session.model().conversations().iter().any(|conversation| conversation.tells(text))
}

fn two_projects() {
    let sandbox = sandbox();
    let stage = set_up(&sandbox);
    let (outside, shop) = (directory(&sandbox, "outside"), directory(&sandbox, "shop"));
    let in_shop = || stage.product().within(&shop);
    in_shop().run(&["init"]).success();
    in_shop().run(&["agent", "register", "codex", "--profile", "codex"]).success();
    // The first one starts the server, which keeps what a seat of `interagent up` has in its environment.
    let hub = sandbox.hub().display().to_string();
    let seat = Place::default().with("INTERAGENT_HUB", &hub).with("INTERAGENT_AGENT", "codex");
    let first = stage.open_at(&seat);
    let begun = first.prompt(&nonce("first"));
    assert!(begun.tells("You are codex"), "{begun:#?}");
    first.settle();

    let elsewhere = stage.open_at(&Place::of(&outside));
    let other = elsewhere.prompt(&nonce("outside"));
    assert!(!other.tells("You are codex") && !other.tells("a team works here"), "{other:#?}");
    let shopping = stage.open_at(&Place::of(&shop));
    let sold = shopping.prompt(&nonce("shop"));
    assert!(sold.tells("You are codex"), "{sold:#?}");
    shopping.settle();

    until_idle(&sandbox, "codex");
    let mail = send(&stage, "codex");
    let woken = first.told(&mail);
    assert!(woken.tells(&begun_of(&first)), "the mail went to another session: {woken:#?}");

    first.settle();
    first.quit("/quit");
    assert_eq!(life(&sandbox, "codex"), "away");
    let unseen = send(&stage, "codex");
    for session in [&elsewhere, &shopping] {
        session.prompt(&nonce("later"));
        session.settle();
    }
    std::thread::sleep(NOTHING_COMES);
    assert!(!was_told(&shopping, &unseen), "a session got mail that is none of its");
    let listed = in_shop().json(&["session", "list"]);
    assert_eq!(listed["items"].as_array().unwrap().len(), 1, "{listed}");
}

/// What the first session was prompted with, which all its requests repeat.
fn begun_of(session: &Session<'_, '_>) -> String {
    let screen = session.screen();
    let line =
        screen.lines().find_map(|line| line.strip_prefix("› ").filter(|text| text.starts_with("first")));
    line.unwrap_or_else(|| panic!("{screen}")).trim().to_owned()
}

fn two_agents() {
    let sandbox = sandbox();
    let stage = set_up(&sandbox);
    stage.product().run(&["agent", "register", "codex2", "--profile", "codex"]).success();
    let named = |name: &str| Place::default().with("INTERAGENT_AGENT", name);
    let one = stage.open_at(&named("codex"));
    let two = stage.open_at(&named("codex2"));
    for (session, name) in [(&two, "codex2"), (&one, "codex")] {
        let prompt = nonce(name);
        let begun = session.prompt(&prompt);
        let is_told = [",", " ("].iter().any(|end| begun.tells(&format!("You are {name}{end}")));
        let log = std::fs::read_to_string(sandbox.hub().join("state/hook.log")).unwrap_or_default();
        assert!(is_told, "{name} was not briefed: {log}\n{}", sandbox.json(&["session", "list"]));
        session.settle();
        until_idle(&sandbox, name);
    }
    for (session, name) in [(&one, "codex"), (&two, "codex2")] {
        let mail = send(&stage, name);
        let woken = session.told(&mail);
        assert!(woken.tells("mail from peers"), "{woken:#?}");
        session.settle();
    }
    two.quit("/quit");
    assert_eq!((life(&sandbox, "codex"), life(&sandbox, "codex2")), (json!("idle"), json!("away")));
}

fn new_conversation() {
    let sandbox = sandbox();
    let stage = set_up(&sandbox);
    // A person who named the agent may have several sessions of it, but one terminal shows one.
    let session = stage.open_at(&Place::default().with("INTERAGENT_AGENT", "codex"));
    let first = nonce("first");
    session.prompt(&first);
    session.settle();
    let bound = || -> Vec<Value> {
        let listed = sandbox.json(&["session", "list"]);
        listed["items"].as_array().unwrap().iter().map(|item| item["id"].clone()).collect()
    };
    let before = bound();
    session.clear();
    session.prompt(&nonce("second"));
    session.settle();
    let after = bound();
    assert!(before.len() == 1 && after.len() == 1 && before != after, "{before:?} {after:?}");
    until_idle(&sandbox, "codex");
    let mail = send(&stage, "codex");
    let woken = session.told(&mail);
    assert!(!woken.tells(&first), "the mail went to the conversation before: {woken:#?}");
}

fn sandboxed() {
    let sandbox = sandbox();
    let stage = set_up(&sandbox);
    let (client, program) = (client("codex"), env!("CARGO_BIN_EXE_interagent"));
    // The hub of a linked worktree is outside of the workspace, which alone may be written.
    let tree = sandbox.home().join("tree");
    let git = |arguments: &[&str]| {
        let mut command = std::process::Command::new("git");
        command.arg("-C").arg(sandbox.project()).args(["-c", "user.name=x", "-c", "user.email=x@localhost"]);
        assert!(command.args(arguments).status().unwrap().success());
    };
    git(&["init", "-q"]);
    git(&["commit", "-q", "--allow-empty", "-m", "first"]);
    git(&["worktree", "add", "-q", tree.to_str().unwrap()]);
    let session = stage.open_at(&Place::of(&tree).with("INTERAGENT_AGENT", "codex"));
    let ask = |command: &str, results: usize| {
        let prompt = nonce("run");
        let script = vec![client.shell(&format!("{program} {command}")), Turn::Say("ready".into())];
        session.model().cue(&prompt, script);
        session.prompt(&prompt);
        let done = session
            .model()
            .wait_for(|said| said.tells(&prompt) && said.results().len() == results, PATIENCE)
            .expect("no result of the command");
        session.settle();
        done.results().last().copied().unwrap_or_default().to_owned()
    };
    let me = ask("whoami --json", 1);
    assert!(me.contains("\"name\":\"codex\"") && me.contains("\"auth\":\"session\""), "{me}");
    assert!(!me.contains("\"fact\":\"pane\"") && !me.contains("\"fact\":\"variable\""), "{me}");
    let sent = ask("send --to claude -m hello", 2);
    assert!(sent.contains("read-only sandbox") && sent.contains("mcp__interagent__send_message"), "{sent}");
}
