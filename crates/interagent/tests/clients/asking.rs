//! Permission prompts of real clients: the agent is shown as waiting for its operator while the dialog is open, with the tool and
//! its command, and no longer once a person answered. The hook prints nothing, so the dialog is the person's to answer.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use interagent_testkit::Sandbox;
use interagent_testkit::clients::{Client, Installed, Session, Stage, Turn, client, within_own_network};
use serde_json::{Value, json};

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

/// OpenCode's answers name only their dialog. The plugin runs under Node here, with events as OpenCode sends them.
mod one_by_one {
    #[test]
    #[ignore = "needs the real client, which is in no ordinary run"]
    fn opencode() {
        super::within_own_network("asking::one_by_one::opencode", |_| {
            super::answers_close_their_own_prompt();
        });
    }
}

/// Records OpenCode's permission events.
const RECORDER: &str = r#"
import { appendFileSync } from "node:fs"
export const Recorder = async ({ directory }) => ({
  event: async ({ event }) => {
    if (event.type.startsWith("permission.")) appendFileSync(`${directory}/events.jsonl`, JSON.stringify(event) + "\n")
  },
})
"#;

/// Sends events to the plugin and prints `ps`.
const EVENTS: &str = r#"
import { execFileSync } from "node:child_process"
const [plugin, program, events] = process.argv.slice(2)
const { Interagent } = await import(plugin)
const hooks = await Interagent({ client: {}, directory: process.cwd() })
const sessionID = `s${process.pid}`
await hooks["chat.message"]({ sessionID }, { message: { id: "m", sessionID }, parts: [] })
for (const [type, id, command] of JSON.parse(events)) {
  const asked = { id, permission: "bash", patterns: [command], metadata: { command } }
  const properties = type === "permission.asked" ? asked : { requestID: id, reply: "once" }
  await hooks.event({ event: { type, properties: { sessionID, ...properties } } })
}
process.stdout.write(execFileSync(program, ["ps", "--json"]))
"#;

fn answers_close_their_own_prompt() {
    let sandbox = Sandbox::of(Path::new(env!("CARGO_BIN_EXE_interagent")), &std::env::temp_dir());
    let stage = Stage::prepared(client("opencode"), &sandbox);
    stage.product().run(&["init", "--formation", "peers", "--agents", "opencode"]).success();
    stage.product().run(&["setup", "opencode", "--agent", "opencode", "--yes"]).success();
    let plugin = sandbox.project().join(".opencode/plugins/interagent.js");
    let driver = sandbox.home().join("events.mjs");
    std::fs::write(&driver, EVENTS).unwrap();
    let node = Installed::find("opencode").path[0].join("node");
    let open_after = |events: Value| {
        let mut run = Command::new(&node);
        run.args([driver.as_path(), &plugin, Path::new(env!("CARGO_BIN_EXE_interagent"))])
            .arg(events.to_string());
        run.current_dir(sandbox.project()).env_clear().env("HOME", sandbox.home());
        let done = run.output().unwrap();
        let board: Value = serde_json::from_slice(&done.stdout).unwrap_or_else(|_| panic!("{done:?}"));
        let permissions = board["answer"]["permissions"].as_array().unwrap().iter();
        permissions.map(|open| open["command"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let asked = |id: &str, command: &str| json!(["permission.asked", id, command]);
    let replied = |id: &str| json!(["permission.replied", id]);
    let two = [asked("per_1", "make"), asked("per_2", "make test")];
    assert_eq!(open_after(json!([two[0], two[1]])), ["make", "make test"]);
    assert_eq!(open_after(json!([two[0], two[1], replied("per_1")])), ["make test"]);
    let same = [two[1].clone(), asked("per_3", "make test")];
    assert_eq!(open_after(json!([same[0], same[1], replied("per_3")])), ["make test"]);
    assert_eq!(open_after(json!([same[0], same[1], replied("per_3"), replied("per_2")])), [""; 0]);
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
        std::fs::write(sandbox.project().join(".opencode/plugins/recorder.js"), RECORDER).unwrap();
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
    if name == "opencode" {
        let events = std::fs::read_to_string(sandbox.project().join("events.jsonl")).unwrap();
        let events: Vec<Value> = events.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let of = |kind: &str| &events.iter().find(|event| event["type"] == kind).unwrap()["properties"];
        let (asked, replied) = (of("permission.asked"), of("permission.replied"));
        assert!(asked["id"].is_string() && asked["id"] == replied["requestID"], "{events:#?}");
    }
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
