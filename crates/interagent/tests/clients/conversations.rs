//! One agent, while the conversations of a real Claude Code end in every way there is: cleared, compacted, left and continued,
//! killed. Each time the next request tells the model who it is, mail still wakes it, and no message is lost.

use std::path::Path;
use std::time::{Duration, Instant};

use interagent_testkit::Sandbox;
use interagent_testkit::clients::{
    Conversation, Network, Place, Session, Stage, Turn, client, within_own_network,
};
use serde_json::{Value, json};

use crate::team::nonce;

/// How long something may take that follows from what was seen.
const PATIENCE: Duration = Duration::from_secs(90);

/// How the briefing begins.
const BRIEFING: &str = "You are claude (";

#[test]
#[ignore = "needs the real client: cargo xtask clients claude"]
fn claude() {
    within_own_network("conversations::claude", |network| stays_one_agent(&network));
}

fn stays_one_agent(network: &Network) {
    let sandbox = Sandbox::of(Path::new(env!("CARGO_BIN_EXE_interagent")), &std::env::temp_dir());
    sandbox.run(&["init", "--formation", "peers", "--agents", "claude", "--agents", "kimi"]).success();
    let mut stage = Stage::prepared(client("claude"), &sandbox);
    stage.product().run(&["setup", "claude", "--yes"]).success();
    stage.never_used();
    let before = agents(&sandbox);
    let desk = Desk { sandbox: &sandbox };

    let session = stage.open();
    let first = nonce("first");
    assert!(session.prompt(&first).tells(BRIEFING));
    session.settle();
    let (_, woken) = desk.wakes(&session);
    assert!(woken.tells(&first), "{woken:#?}");

    session.clear();
    let (cleared, woken) = desk.wakes(&session);
    assert!(woken.tells(BRIEFING) && !woken.tells(&first), "{woken:#?}");

    session.compact();
    let (compacted, woken) = desk.wakes(&session);
    assert!(woken.tells_after(&cleared, BRIEFING), "{woken:#?}");

    session.quit("/exit");
    drop(session);
    until(|| desk.life() == "away", || desk.shown());
    let missed = desk.sends();
    let session = stage.open_at(&Place { arguments: vec!["--continue".to_owned()], ..Place::default() });
    let woken = session.told(&missed.1);
    assert!(woken.tells(&compacted) && woken.tells_after(&compacted, BRIEFING), "{woken:#?}");
    desk.assert_delivered(&missed.0);
    session.settle();
    desk.wakes(&session);

    // The client dies when its model was just told, with a tool's result: no later hook shows that it has the message.
    let work = nonce("work");
    let tool = Turn::Call { tool: "mcp__interagent__list_agents".to_owned(), arguments: json!({}) };
    session.model().cue(&work, vec![tool, Turn::Say("ready".to_owned())]);
    session.model().hold_at(&work);
    session.prompt(&work);
    let lost = desk.sends();
    session.model().hold_at(&lost.1);
    session.model().let_go();
    session.told(&lost.1);
    session.kill();
    session.model().let_go();
    drop(session);
    let session = stage.open();
    let again = session
        .model()
        .wait_for(|told| told.tells(&lost.1) && told.tells("handed over again (attempt 2)"), PATIENCE);
    let again = again.unwrap_or_else(|| panic!("it is lost: {}", desk.shown()));
    assert!(again.tells(BRIEFING) && !again.tells(&compacted), "{again:#?}");
    session.settle();
    desk.assert_delivered(&lost.0);
    desk.wakes(&session);

    assert_eq!(agents(&sandbox), before);
    let sessions = sandbox.json(&["session", "list"]);
    assert_eq!(sessions["items"].as_array().unwrap().len(), 1, "{sessions}");
    drop(session);
    stage.record_as("conversations", network, &Value::Null);
}

/// Another agent that writes to the session's.
struct Desk<'s> {
    sandbox: &'s Sandbox,
}

impl Desk<'_> {
    /// A message: its id and its text.
    fn sends(&self) -> (String, String) {
        let text = nonce("mail");
        let sent = self.sandbox.as_agent("kimi").json(&["send", "--to", "claude", "-m", &text]);
        (sent["id"].as_str().unwrap().to_owned(), text)
    }

    /// Mail starts a turn without a prompt, and arrives: its text, and the request that has it.
    #[track_caller]
    fn wakes(&self, session: &Session<'_, '_>) -> (String, Conversation) {
        session.settle();
        let (id, text) = self.sends();
        let woken = session.told(&text);
        self.assert_delivered(&id);
        session.settle();
        (text, woken)
    }

    #[track_caller]
    fn assert_delivered(&self, id: &str) {
        until(|| self.sandbox.json(&["read", id])["to"][0]["state"] == "delivered", || self.shown());
    }

    fn life(&self) -> Value {
        self.sandbox.json(&["ps", "claude"])["agents"][0]["life"].clone()
    }

    fn shown(&self) -> String {
        ["ps", "log"].map(|command| self.sandbox.run(&[command]).stdout).concat()
    }
}

fn agents(sandbox: &Sandbox) -> Vec<Value> {
    let listed = sandbox.json(&["agent", "list"]);
    listed["items"].as_array().unwrap().iter().map(|agent| agent["id"].clone()).collect()
}

#[track_caller]
fn until(mut is_so: impl FnMut() -> bool, shown: impl Fn() -> String) {
    let patient_until = Instant::now() + PATIENCE;
    while !is_so() {
        assert!(Instant::now() < patient_until, "it does not happen: {}", shown());
        std::thread::sleep(Duration::from_millis(100));
    }
}
