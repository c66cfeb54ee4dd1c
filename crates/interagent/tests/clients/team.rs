//! The team a client joins, and the texts by which it is recognised what came from where.

use std::path::Path;
use std::time::SystemTime;

use interagent_testkit::Sandbox;
use interagent_testkit::clients::Client;
use interagent_testkit::sandbox::Run;
use serde_json::{Value, json};

/// A duo and, where the client is neither of them, a third.
pub(crate) struct Team {
    pub(crate) sandbox: Sandbox,
    /// The client's agent.
    pub(crate) me: &'static str,
    /// Who speaks with it.
    pub(crate) other: &'static str,
}

impl Team {
    pub(crate) fn new(client: &dyn Client) -> Self {
        let sandbox = Sandbox::of(Path::new(env!("CARGO_BIN_EXE_interagent")), &std::env::temp_dir());
        sandbox.run(&["init"]).success();
        let me = client.profile();
        let other = if me == "claude" { "kimi" } else { "claude" };
        if !["claude", "kimi"].contains(&me) {
            sandbox.run(&["agent", "register", me, "--profile", me]).success();
        }
        Self { sandbox, me, other }
    }

    /// Whether the client's agent has a seat in the team file.
    pub(crate) fn is_seated(&self) -> bool {
        ["claude", "kimi"].contains(&self.me)
    }

    /// A message from the other agent: its id and its text.
    pub(crate) fn send_to_client(&self) -> (String, String) {
        self.send_from(&self.sandbox.start())
    }

    /// The same, from where the other agent works.
    pub(crate) fn send_from(&self, place: &Run<'_>) -> (String, String) {
        let text = nonce("question");
        let sent = place.clone().env("INTERAGENT_AGENT", self.other).json(&[
            "send",
            "--to",
            self.me,
            "-s",
            "a question",
            "-m",
            &text,
        ]);
        (sent["id"].as_str().unwrap().to_owned(), text)
    }

    pub(crate) fn assert_delivered(&self, message: &str) {
        let delivery = self.sandbox.json(&["read", message])["to"][0].clone();
        let expected = (&json!(self.me), &json!("delivered"), &json!("mcp"));
        assert_eq!(
            (&delivery["agent"]["name"], &delivery["state"], &delivery["via"]),
            expected,
            "{delivery}"
        );
    }

    /// The client's message is in the other's inbox, from the client's agent, and it says how that is known.
    pub(crate) fn assert_arrived(&self, text: &str, auth: &str) {
        let inbox = self.sandbox.as_agent(self.other).json(&["inbox"]);
        let items = inbox["items"].as_array().unwrap();
        assert_eq!(items.len(), 1, "{inbox}");
        let seen = (&items[0]["from"]["name"], &items[0]["auth"], &items[0]["body"]);
        assert_eq!(seen, (&json!(self.me), &json!(auth), &json!(text)), "{inbox}");
    }

    /// Id, name and profile of everybody.
    pub(crate) fn agents(&self) -> Vec<[Value; 3]> {
        let listed = self.sandbox.json(&["agent", "list"]);
        let agents = listed["items"].as_array().unwrap().iter();
        agents.map(|agent| ["id", "name", "profile"].map(|key| agent[key].clone())).collect()
    }
}

/// A text that nobody else writes.
pub(crate) fn nonce(word: &str) -> String {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap();
    format!("{word}-{}-{}", std::process::id(), now.as_nanos())
}
