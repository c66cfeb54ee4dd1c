//! What the log says of the two, from where they began.

use interagent_testkit::Sandbox;
use serde_json::Value;

/// What shows that a message arrived: a later hook, an answer of our server that was written, or what the agent did with it.
const EVIDENCE: [&str; 4] = ["session.hook", "offer.confirm", "message.accept", "message.reply"];

/// The log after its first entries, and the messages in it.
pub(super) struct Ledger<'s> {
    sandbox: &'s Sandbox,
    /// Where the two began.
    start: i64,
}

impl<'s> Ledger<'s> {
    pub(super) fn begin(sandbox: &'s Sandbox) -> Self {
        let start = sandbox.json(&["log", "--limit", "1"])["items"][0]["seq"].as_i64().unwrap();
        Self { sandbox, start }
    }

    /// The message with an intent that answers none, of which there is one.
    #[track_caller]
    pub(super) fn message(&self, intent: &str) -> String {
        self.only(|message| message["intent"] == intent && message["reply_to"].is_null())
    }

    /// The message with an intent that answers another.
    #[track_caller]
    pub(super) fn message_after(&self, intent: &str, original: &str) -> String {
        self.only(|message| message["intent"] == intent && message["reply_to"] == original)
    }

    #[track_caller]
    fn only(&self, wanted: impl Fn(&Value) -> bool) -> String {
        let found: Vec<Value> = self.messages().into_iter().filter(wanted).collect();
        let [message] = &found[..] else { panic!("not one: {found:#?}") };
        message["id"].as_str().unwrap().to_owned()
    }

    /// Messages of which somebody has no evidence yet.
    pub(super) fn undelivered(&self) -> Vec<Value> {
        let waits = |message: &Value| list(&message["to"]).any(|to| to["delivered"].is_null());
        self.messages().into_iter().filter(waits).collect()
    }

    /// How the only recipient settled a message.
    pub(super) fn settled(&self, message: &str) -> Value {
        self.sandbox.json(&["read", message])["to"][0]["how"].clone()
    }

    /// One entry sent the reply and settled what it answers.
    #[track_caller]
    pub(super) fn assert_settled_by(&self, message: &str, reply: &str) {
        assert_eq!(self.settled(message), "replied");
        let entries = self.entries();
        let sent: Vec<&Value> = having(&entries, reply, "message.sent").collect();
        let settled: Vec<&Value> = having(&entries, message, "message.settled").collect();
        assert_eq!(sent, settled, "{entries:#?}");
        assert_eq!(sent.len(), 1, "{entries:#?}");
    }

    /// Every message arrived once, after it was sent, and its recipient's own client is who shows that.
    #[track_caller]
    pub(super) fn assert_delivered_once(&self) {
        let entries = self.entries();
        for message in self.messages() {
            let id = message["id"].as_str().unwrap();
            let [to] = &list(&message["to"]).collect::<Vec<_>>()[..] else {
                panic!("not to one: {message:#}")
            };
            assert_eq!(to["redelivered"], 0, "{message:#}");
            let arrived: Vec<&Value> = having(&entries, id, "message.delivered").collect();
            let [evidence] = arrived[..] else { panic!("{id} arrived not once: {arrived:#?}") };
            assert_eq!(evidence["actor"], to["agent"], "{evidence:#}");
            assert!(EVIDENCE.contains(&evidence["op"].as_str().unwrap()), "{evidence:#}");
            let sent = having(&entries, id, "message.sent").next().unwrap();
            assert!(sent["seq"].as_i64() < evidence["seq"].as_i64(), "{entries:#?}");
        }
    }

    /// How a message came to its only recipient.
    #[track_caller]
    pub(super) fn assert_came_via(&self, message: &str, ways: &[&str]) {
        let to = self.sandbox.json(&["read", message])["to"][0].clone();
        assert!(ways.contains(&to["via"].as_str().unwrap()), "{to:#}");
    }

    /// What an agent was sent.
    pub(super) fn messages_to(&self, name: &str) -> Vec<String> {
        let mut messages = self.messages();
        messages.retain(|message| list(&message["to"]).any(|to| to["agent"]["name"] == name));
        messages.iter().map(|message| message["id"].as_str().unwrap().to_owned()).collect()
    }

    /// Nobody else did anything, and nobody only claimed to be one of these.
    #[track_caller]
    pub(super) fn assert_only_by(&self, names: &[&str]) {
        for entry in self.entries() {
            let by = entry["actor"]["name"].as_str().unwrap();
            assert!(names.contains(&by) && entry["behalf"].is_null(), "{entry:#}");
            assert_ne!(entry["auth"], "claimed", "{entry:#}");
        }
    }

    /// The messages sent to the two since they began. The operator is absent, so news for the operator is left out.
    fn messages(&self) -> Vec<Value> {
        let entries = self.entries();
        let is_news = |message: &Value| list(&message["to"]).any(|to| to["agent"]["name"] == "operator");
        let is_new = |message: &Value| {
            let id = message["id"].as_str().unwrap();
            having(&entries, id, "message.sent").next().is_some()
        };
        let all = self.sandbox.json(&["msg", "list"]);
        list(&all["items"]).filter(|message| !is_news(message) && is_new(message)).cloned().collect()
    }

    fn entries(&self) -> Vec<Value> {
        let page = self.sandbox.json(&["log", "--after", &self.start.to_string(), "--limit", "200"]);
        assert!(page["next"].is_null(), "{page}");
        list(&page["items"]).cloned().collect()
    }
}

/// The entries with an event of a kind about an entity.
fn having<'e>(entries: &'e [Value], entity: &'e str, kind: &'e str) -> impl Iterator<Item = &'e Value> {
    entries.iter().flat_map(move |entry| {
        let events = list(&entry["events"]);
        events.filter(move |event| event["entity"] == entity && event["kind"] == kind).map(move |_| entry)
    })
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}
