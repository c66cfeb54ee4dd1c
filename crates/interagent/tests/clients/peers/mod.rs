//! Two real clients build a feature together, and nobody stands between them: Kimi Code or Codex builds an API and hands over to
//! an idle Claude Code, which is woken, asks, is woken again by the answer, and finishes. After the first prompts the test only
//! looks.

mod defaults;
mod ledger;
mod script;

use std::path::Path;
use std::time::{Duration, Instant};

use interagent_testkit::Sandbox;
use interagent_testkit::clients::{By, Conversation, Network, Session, Stage, client, within_own_network};
use serde_json::json;

use ledger::Ledger;
use script::Script;

/// How long something may take that follows from what was seen.
const PATIENCE: Duration = Duration::from_secs(90);

#[test]
#[ignore = "needs the real clients: cargo xtask clients claude kimi"]
fn claude_and_kimi() {
    within_own_network("peers::claude_and_kimi", |network| the_two_finish_a_feature(&network));
}

#[test]
#[ignore = "needs the real clients: cargo xtask clients claude codex"]
fn claude_and_codex() {
    within_own_network("peers::claude_and_codex", |network| defaults::finish_a_feature(&network));
}

fn the_two_finish_a_feature(network: &Network) {
    let sandbox = Sandbox::of(Path::new(env!("CARGO_BIN_EXE_interagent")), &std::env::temp_dir());
    sandbox.run(&["init", "--formation", "peers", "--agents", "claude", "--agents", "kimi"]).success();
    let api = planned(&sandbox, "Build profile API", "kimi", "api");
    let ui = planned(&sandbox, "Build profile UI", "claude", "ui");
    sandbox.run(&["task", "depend", &ui, &api]).success();
    let (claude, kimi) = (client("claude"), client("kimi"));
    let claude_stage = Stage::prepared(claude, &sandbox);
    let kimi_stage = Stage::prepared(kimi, &sandbox);
    claude_stage.product().run(&["setup", "claude", "kimi", "--yes"]).success();
    let ledger = Ledger::begin(&sandbox);

    let script = Script::new(&sandbox.project());
    script.give(&claude_stage, &kimi_stage);
    let claude = claude_stage.open();
    claude.prompt(&script.claude_prompt);
    claude.settle();
    let kimi = kimi_stage.open();
    kimi.prompt(&script.kimi_prompt);

    // From here on nobody types.
    let woken = claude.told("Ready: Build profile UI");
    let told = told_once(&woken, &ledger.message("context_share"), "is ready to start");
    assert!(told.contains("NOT USER INPUT"), "it was idle, and no hook of a turn can have said it: {told}");

    let handed = claude.told(&script.handoff);
    let handoff = ledger.message("handoff");
    let told = told_once(&handed, &handoff, &script.handoff);
    for part in [
        format!("--- {handoff} from kimi (auth "),
        " | handoff ".to_owned(),
        format!(" | about {ui}, src/api.rs:1-20 | "),
        "to answer: mcp__interagent__task(action=accept|decline, message)".to_owned(),
    ] {
        assert!(told.contains(&part), "no `{part}` in {told}");
    }

    let asked = kimi.told(&script.question);
    let question = ledger.message("question");
    let told = told_once(&asked, &question, &script.question);
    assert!(told.contains(&format!("--- {question} from claude (auth ")), "{told}");
    assert_eq!(asked.told_by(&script.question), Some(By::Tool), "it waited for it: {asked:#?}");

    let answered = claude.told(&script.answer);
    let answer = ledger.message_after("context_share", &question);
    let told = told_once(&answered, &answer, &script.answer);
    assert!(told.contains(&format!("--- {answer} from kimi (auth ")), "{told}");
    assert!(told.contains(" | context_share "), "{told}");

    until(&claude, || sandbox.json(&["task", "show", &ui])["status"] == "completed");
    until(&claude, || ledger.undelivered().is_empty());
    claude.settle();
    kimi.settle();

    assert_eq!(ledger.settled(&handoff), "accepted");
    ledger.assert_settled_by(&question, &answer);
    assert_eq!(sandbox.json(&["task", "show", &api])["status"], "completed");
    ledger.assert_delivered_once();
    ledger.assert_came_via(&handoff, &["hook", "action"]);
    ledger.assert_came_via(&question, &["mcp"]);
    ledger.assert_came_via(&answer, &["hook"]);
    ledger.assert_only_by(&["claude", "kimi"]);
    for (name, session) in [("claude", &claude), ("kimi", &kimi)] {
        let conversation = session.model().conversations().pop().unwrap();
        for id in ledger.messages_to(name) {
            assert_eq!(envelopes(&conversation, &id), 1, "{id} was not handed over once: {conversation:#?}");
        }
    }
    drop((claude, kimi));
    claude_stage.record_as("peers", network, &serde_json::Value::Null);
    kimi_stage.record_as("peers", network, &serde_json::Value::Null);
}

/// A task that the operator gave somebody before anybody began.
fn planned(sandbox: &Sandbox, title: &str, assignee: &str, alias: &str) -> String {
    let task = sandbox.json(&["task", "create", title, "--assignee", assignee, "--alias", alias]);
    assert_eq!(task["assignee"]["name"], json!(assignee), "{task}");
    task["id"].as_str().unwrap().to_owned()
}

/// The piece of a conversation with a message's envelope and its text, which is there once.
#[track_caller]
fn told_once<'c>(conversation: &'c Conversation, id: &str, text: &str) -> &'c str {
    assert_eq!(envelopes(conversation, id), 1, "{conversation:#?}");
    let mut told = conversation.items.iter().filter(|item| item.by != By::Model);
    let found = told.find(|item| item.text.contains(&envelope(id)) && item.text.contains(text));
    &found.unwrap_or_else(|| panic!("{id} is not with its text in {conversation:#?}")).text
}

/// How often a message was handed to the model.
fn envelopes(conversation: &Conversation, id: &str) -> usize {
    let told = conversation.items.iter().filter(|item| item.by != By::Model);
    told.map(|item| item.text.matches(&envelope(id)).count()).sum()
}

fn envelope(id: &str) -> String {
    format!("--- {id} from ")
}

/// Waits for something that shall come by itself.
#[track_caller]
fn until(session: &Session<'_, '_>, mut is_so: impl FnMut() -> bool) {
    let patient_until = Instant::now() + PATIENCE;
    while !is_so() {
        assert!(Instant::now() < patient_until, "it does not happen; {}", session.shown());
        std::thread::sleep(Duration::from_millis(100));
    }
}
