//! Permission prompts of real clients: the agent is shown as waiting for its operator while the dialog is open, with the tool and
//! its command, and no longer once a person answered. The hook prints nothing, so the dialog is the person's to answer.

use std::path::Path;
use std::time::{Duration, Instant};

use interagent_testkit::Sandbox;
use interagent_testkit::clients::{Client, Session, Stage, Turn, client, within_own_network};
use serde_json::Value;

use crate::team::nonce;

const PATIENCE: Duration = Duration::from_secs(90);

macro_rules! asking {
    ($($test:ident: $ignored:literal,)*) => {$(
        #[test]
        #[ignore = $ignored]
        fn $test() {
            within_own_network(concat!("asking::", stringify!($test)), |_| prompts(client(stringify!($test))));
        }
    )*};
}

asking! {
    claude: "needs the real client: cargo xtask clients NAME",
    codex: "needs the real client: cargo xtask clients NAME",
    kimi: "needs the real client: cargo xtask clients NAME",
    gemini: "needs the real client, which is in no ordinary run",
    qwen: "needs the real client, which is in no ordinary run",
    opencode: "needs the real client, which is in no ordinary run",
}

fn prompts(client: &'static dyn Client) {
    let sandbox = Sandbox::of(Path::new(env!("CARGO_BIN_EXE_interagent")), &std::env::temp_dir());
    let name = client.name();
    let mut stage = Stage::prepared(client, &sandbox);
    stage.product().run(&["init", "--formation", "peers", "--agents", &format!("{name}:{name}")]).success();
    stage.product().run(&["setup", name, "--agent", name, "--yes"]).success();
    stage.ask_before_tools();
    if name == "opencode" {
        // It asks about nothing unless its user wants it to.
        let path = sandbox.project().join("opencode.json");
        let mut settings: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
        settings["permission"] = serde_json::json!({ "bash": "ask" });
        std::fs::write(path, settings.to_string()).unwrap();
    }
    let session = stage.open();
    let errand = nonce("errand");
    let file = sandbox.project().join("asked.txt");
    let command = format!("touch '{}'", file.display());
    session.model().cue(&errand, vec![asks_for(client, &command), Turn::Say("ready".into())]);
    session.prompt(&errand);
    let shown = until(&session, "the prompt is shown", || permission(&stage));
    assert!(shown["tool"].is_string(), "{shown}");
    assert!(shown["command"].as_str().is_some_and(|shown| shown.contains("asked.txt")), "{shown}");
    assert_eq!((&shown["client"], &shown["agent"]["name"]), (&name.into(), &name.into()), "{shown}");
    assert_eq!(stage.product().json(&["ps"])["agents"][0]["life"], "asking");
    assert!(!file.exists(), "the hook decided the dialog: {}", session.shown());
    // A client that draws late misses a key; the highlighted answer is yes in all of them.
    until(&session, "the command runs once a person allows it", || {
        session.press("Enter");
        std::thread::sleep(Duration::from_secs(1));
        file.exists().then_some(())
    });
    until(&session, "the prompt is gone", || permission(&stage).is_none().then_some(()));
    session.settle();
    until(&session, "it is idle", || {
        (stage.product().json(&["ps"])["agents"][0]["life"] == "idle").then_some(())
    });
}

/// A shell command that the client asks its person about. In its default mode Codex runs everything in a sandbox, and asks where
/// the model wants to leave that.
fn asks_for(client: &dyn Client, command: &str) -> Turn {
    match client.shell(command) {
        Turn::Call { tool, mut arguments } if client.name() == "codex" => {
            arguments["sandbox_permissions"] = "require_escalated".into();
            arguments["justification"] = "May I make a file?".into();
            Turn::Call { tool, arguments }
        }
        other => other,
    }
}

/// The prompt that waits for the operator first.
fn permission(stage: &Stage<'_>) -> Option<Value> {
    let first = stage.product().json(&["summary"])["actions"][0].clone();
    (first["action"] == "permit").then(|| first["permission"].clone())
}

#[track_caller]
fn until<T>(session: &Session<'_, '_>, what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let until = Instant::now() + PATIENCE;
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(Instant::now() < until, "{what} did not happen:\n{}", session.shown());
        std::thread::sleep(Duration::from_millis(200));
    }
}
