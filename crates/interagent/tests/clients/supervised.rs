//! Claude Code and Kimi Code as they are installed, in terminals that a person opened, and a supervisor beside them: an idle Kimi
//! Code takes nothing but keys, so the supervisor types one line, and never into a dialog.

use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use interagent_testkit::Sandbox;
use interagent_testkit::clients::{Network, Session, Stage, Turn, client, within_own_network};
use serde_json::{Value, json};

use crate::team::nonce;

/// How long something may take that follows from what was seen.
const PATIENCE: Duration = Duration::from_secs(90);

/// Longer than the supervisor waits before it types.
const NOTHING_IS_TYPED: Duration = Duration::from_secs(5);

/// What the supervisor types.
const NUDGE: &str = "interagent: new mail, please read it";

#[test]
#[ignore = "needs the real clients: cargo xtask clients claude kimi"]
fn claude_and_kimi() {
    within_own_network("supervised::claude_and_kimi", |network| the_two_talk(&network));
}

fn the_two_talk(network: &Network) {
    let sandbox = Sandbox::of(Path::new(env!("CARGO_BIN_EXE_interagent")), Path::new("/var/tmp"));
    let (mut claude, mut kimi) =
        (Stage::prepared(client("claude"), &sandbox), Stage::prepared(client("kimi"), &sandbox));
    claude.never_used();
    kimi.never_used();
    claude.product().run(&["setup", "--yes"]).success();
    let (question, answer) = (nonce("question"), nonce("answer"));
    let ask = json!({ "to": "kimi", "intent": "question", "subject": "Avatar", "content": question });
    let reply = json!({ "original_message_id": "{message: Avatar}", "content": answer });
    let begin = nonce("begin");
    claude.model().cue(&begin, vec![ours("send_message", ask), Turn::Say("I asked.".to_owned())]);
    kimi.model().cue(&question, vec![ours("reply_message", reply), Turn::Say("I answered.".to_owned())]);

    let writer = claude.open();
    let reader = kimi.open();
    // It has no session before its first prompt.
    let told = reader.prompt(&nonce("hello"));
    assert!(told.tells("You are kimi (collaborator)"), "{told:#?}");
    reader.settle();
    let _supervisor = Supervisor::beside(&reader, &kimi);
    writer.prompt(&begin);

    // From here on the person only answers Kimi Code, which asks before it uses a tool of ours.
    let asked = reader.told(&question);
    assert!(asked.tells(NUDGE), "{asked:#?}");
    let permission = until(&reader, || permission(&sandbox));
    assert_eq!(permission["client"], "kimi", "{permission}");
    // What comes while the dialog is open waits: a line typed now would answer it.
    let later = nonce("later");
    sandbox.as_agent("claude").run(&["send", "--to", "kimi", "-m", &later]).success();
    std::thread::sleep(NOTHING_IS_TYPED);
    assert!(permission_is_open(&sandbox) && !was_told(&reader, &later), "{}", reader.shown());
    until(&reader, || {
        reader.press("Enter");
        std::thread::sleep(Duration::from_secs(1));
        (!permission_is_open(&sandbox)).then_some(())
    });

    let answered = writer.told(&answer);
    assert!(answered.tells("NOT USER INPUT"), "{answered:#?}");
    reader.told(&later);
    writer.settle();
    reader.settle();
    drop((writer, reader));
    claude.record_as("supervised", network, &Value::Null);
    kimi.record_as("supervised", network, &Value::Null);
}

/// kimi-cli gets its mail at the end of the turn that the nudge starts.
#[test]
#[ignore = "needs the real client: cargo xtask clients kimi-cli"]
fn kimi_cli() {
    within_own_network("supervised::kimi_cli", |network| nudged_by_the_supervisor(&network));
}

fn nudged_by_the_supervisor(network: &Network) {
    let sandbox = Sandbox::of(Path::new(env!("CARGO_BIN_EXE_interagent")), Path::new("/var/tmp"));
    sandbox.run(&["init"]).success();
    let stage = Stage::prepared(client("kimi-cli"), &sandbox);
    stage.product().run(&["setup", "kimi-cli", "--yes"]).success();
    let session = stage.open();
    session.prompt(&nonce("hello"));
    session.settle();
    let _supervisor = Supervisor::beside(&session, &stage);
    let text = nonce("mail");
    let claude = sandbox.as_agent("claude");
    let sent = claude.json(&["send", "--to", "kimi", "--intent", "question", "-m", &text]);
    let told = session.told(&text);
    assert!(told.tells(NUDGE), "{told:#?}");
    session.settle();
    // The session's next hook confirms the delivery.
    session.prompt(&nonce("next"));
    let id = sent["id"].as_str().unwrap();
    until(&session, || (sandbox.json(&["read", id])["to"][0]["state"] == "delivered").then_some(()));
    drop(session);
    stage.record_as("supervised", network, &Value::Null);
}

fn was_told(session: &Session<'_, '_>, text: &str) -> bool {
    session.model().conversations().iter().any(|conversation| conversation.tells(text))
}

/// The prompt that waits for the operator first.
fn permission(sandbox: &Sandbox) -> Option<Value> {
    let first = sandbox.json(&["summary"])["actions"][0].clone();
    (first["action"] == "permit").then(|| first["permission"].clone())
}

fn permission_is_open(sandbox: &Sandbox) -> bool {
    permission(sandbox).is_some()
}

#[track_caller]
fn until<T>(session: &Session<'_, '_>, mut look: impl FnMut() -> Option<T>) -> T {
    let patient_until = Instant::now() + PATIENCE;
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(Instant::now() < patient_until, "it does not happen; {}", session.shown());
        std::thread::sleep(Duration::from_millis(200));
    }
}

fn ours(tool: &str, arguments: Value) -> Turn {
    Turn::Call { tool: format!("mcp__interagent__{tool}"), arguments }
}

/// `interagent supervise` in the tmux of a session, until the test ends.
struct Supervisor(Child);

impl Supervisor {
    fn beside(session: &Session<'_, '_>, stage: &Stage<'_>) -> Self {
        let inside = format!("{},{},0", session.socket().display(), session.pid());
        let mut command = stage.product().env("TMUX", &inside).command(&["supervise", "--quiet"]);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        Self(command.spawn().unwrap())
    }
}

impl Drop for Supervisor {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
