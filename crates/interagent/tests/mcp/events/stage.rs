//! A hub in which events happen, and what the rules of the program make of them: who is notified, and how soon.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use interagent_core::collect::{WakeDue, wake_due};
use interagent_core::entity::{Agent, Message};
use interagent_core::ids::MessageId;
use interagent_core::outreach::is_announced;
use interagent_core::refusal::Refusal;
use interagent_core::vocabulary::Duty;
use interagent_operations::{LocalHub, Opening};
use interagent_testkit::Sandbox;
use interagent_testkit::mcp::McpClient;
use serde_json::Value;

use super::Formation;
use super::deeds::Deed;
use crate::support::agent;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Surface {
    Cli,
    Mcp,
}

/// One hub in which events happen, and what was notified so far.
pub(super) struct Stage {
    sandbox: Sandbox,
    surface: Surface,
    clients: Vec<(String, McpClient)>,
    seen: BTreeSet<String>,
    pub(super) table: String,
}

impl Stage {
    pub(super) fn new(formation: &Formation, surface: Surface) -> Self {
        let sandbox = Sandbox::new();
        sandbox.run(&["init", "--project", "demo"]).success();
        std::fs::write(sandbox.hub().join("team.toml"), format!("project = 'demo'\n{}", formation.team))
            .unwrap();
        sandbox.operator().run(&["team", "take"]).success();
        let table = format!("{}\n", formation.name);
        Self { sandbox, surface, clients: Vec::new(), seen: BTreeSet::new(), table }
    }

    /// Does something and answers with the id of what it was done to.
    fn done(&mut self, who: &str, deed: &Deed) -> String {
        // A person has no MCP server.
        let answer = match self.surface {
            Surface::Mcp if who != "operator" => {
                if !self.clients.iter().any(|(name, _)| name == who) {
                    self.clients.push((who.to_owned(), agent(&self.sandbox, who)));
                }
                let (_, client) = self.clients.iter_mut().find(|(name, _)| name == who).unwrap();
                client.done(deed.tool, deed.arguments.clone())
            }
            _ => {
                let words: Vec<&str> = deed.words.iter().map(String::as_str).collect();
                let run = match who {
                    "operator" => self.sandbox.start(),
                    who => self.sandbox.as_agent(who),
                };
                run.stdin(deed.stdin.clone()).json(&words)
            }
        };
        let id = answer["id"].as_str().or(answer["review"]["id"].as_str());
        id.unwrap_or_default().to_owned()
    }

    /// The same, with a row of the table for everybody who was notified.
    pub(super) fn event(&mut self, what: &str, who: &str, deed: &Deed) -> String {
        let id = self.done(who, deed);
        self.tell(what);
        id
    }

    /// Something that is no row of the table.
    pub(super) fn aside(&mut self, who: &str, deed: &Deed) -> String {
        let id = self.done(who, deed);
        self.notified();
        id
    }

    /// An agent's client stops, and a supervisor notices.
    pub(super) fn stops(&mut self, what: &str, who: &str) {
        // A client by its name that runs the hook, and ends.
        let client = r#"printf '{"session_id":"s1"}' >"$HOME/hook.json"; cp /bin/sh "$HOME/claude"
            "$HOME/claude" -c 'interagent hook claude UserPromptSubmit <"$HOME/hook.json" >/dev/null; exit 0'"#;
        assert!(self.sandbox.as_agent(who).shell(client).status().unwrap().success());
        self.sandbox.run(&["supervise", "--once", "--quiet"]).success();
        self.tell(what);
    }

    /// The newest message to somebody.
    pub(super) fn newest(&self, to: &str) -> String {
        let page = self.sandbox.json(&["msg", "list", "--to", to, "--limit", "1"]);
        page["items"][0]["id"].as_str().unwrap().to_owned()
    }

    fn tell(&mut self, what: &str) {
        let rows = self.notified();
        let _ = writeln!(self.table, "  {what}");
        if rows.is_empty() {
            self.table.push_str("    nobody\n");
        }
        for row in rows {
            let _ = writeln!(self.table, "    {row}");
        }
    }

    fn notified(&mut self) -> Vec<String> {
        let hub_dir = self.sandbox.hub();
        let opening = Opening { hub_dir, create: false, alias: String::new(), hub_id: None, user_dir: None };
        let mut hub = LocalHub::open(&opening).unwrap();
        let page = self.sandbox.json(&["msg", "list", "--limit", "500"]);
        let items = page["items"].as_array().unwrap().iter();
        let new = items.filter(|item| self.seen.insert(item["id"].as_str().unwrap().to_owned()));
        let new: Vec<&Value> = new.collect();
        let mut announced = BTreeSet::new();
        while let Some(notice) = hub.take_unannounced(&[]).unwrap() {
            announced.extend(notice.about.map(|id| id.to_string()));
        }
        let mut rows = Vec::new();
        for item in new {
            let (id, deliveries) = (item["id"].as_str().unwrap(), item["to"].as_array().unwrap());
            let (message, names) = message(&mut hub, id);
            for agent in &names.to {
                let how = match agent.is_human() {
                    true => operator_channel(&message, agent, announced.contains(id)),
                    false => turn(&message, agent),
                };
                // What waits for another task is not owed yet.
                let shown = deliveries.iter().find(|row| row["agent"]["id"] == agent.id.as_str()).unwrap();
                let duty = shown["duty"].as_str().filter(|_| shown["owed"] == true);
                let owes = duty.map_or_else(String::new, |duty| format!(", owes {duty}"));
                rows.push(format!("{}: {} from {}, {how}{owes}", agent.name, message.intent, names.from));
            }
        }
        rows.sort();
        rows
    }
}

/// Who wrote a message, and to whom.
struct Names {
    from: String,
    to: Vec<Agent>,
}

fn message(hub: &mut LocalHub, id: &str) -> (Message, Names) {
    let read = hub.store().read(|reader| {
        let message = reader.message(&MessageId::parse(id).unwrap())?.unwrap();
        let from = match reader.agent(&message.from)? {
            Some(agent) => agent.name.to_string(),
            None => "system".to_owned(),
        };
        let mut to = Vec::new();
        for agent in message.deliveries.keys() {
            to.extend(reader.agent(agent)?);
        }
        Ok::<_, Refusal>((message, Names { from, to }))
    });
    read.unwrap()
}

/// When it starts a turn of an agent, by the rule of the program.
fn turn(message: &Message, agent: &Agent) -> &'static str {
    match wake_due([message], &agent.id, message.sent.wall) {
        WakeDue::Now => "now",
        WakeDue::In(_) => "soon",
        WakeDue::Never => "next turn",
    }
}

/// Whether the operator is notified. The rule that starts the notifier has to agree with what it finds.
fn operator_channel(message: &Message, operator: &Agent, is_taken: bool) -> &'static str {
    let ack_wanted = message.deliveries[&operator.id].duty == Some(Duty::Acknowledge);
    let is_reached = is_announced(message.intent, ack_wanted);
    assert_eq!(is_reached, is_taken, "{message:?}");
    if is_taken { "announced" } else { "not announced" }
}
