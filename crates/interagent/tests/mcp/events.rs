//! The table of notifications: formation x event x surface -> who is notified, how soon, and with which obligation.
//!
//! Each event is caused twice, by command and by MCP tool, in hubs of their own. Both must notify the same members in the same
//! way, so the snapshot has one table for both. How soon: `now` starts a turn at once, `soon` after a moment in which related
//! mail may arrive, `next turn` never starts one.

use std::collections::BTreeSet;

use interagent_testkit::Sandbox;
use interagent_testkit::mcp::McpClient;
use serde_json::{Value, json};

use crate::support::agent;

/// The three formations with the members that take part in the stories.
struct Formation {
    name: &'static str,
    team: &'static str,
    /// Gives the work, and approves it by the team's rules.
    lead: &'static str,
    /// Does it.
    worker: &'static str,
    /// Somebody else.
    other: &'static str,
}

const FORMATIONS: [Formation; 4] = [
    Formation {
        name: "duo",
        team: "formation = 'duo'\nprincipal = 'claude'\n[agents.claude]\nprofile = 'claude'\nrole = 'principal'\n\
               [agents.kimi]\nprofile = 'kimi'\nrole = 'delegate'\n[agents.codex]\nprofile = 'codex'\nrole = 'collaborator'\n",
        lead: "claude",
        worker: "kimi",
        other: "codex",
    },
    Formation {
        name: "duo, review required",
        team: "formation = 'duo'\nprincipal = 'claude'\n[agents.claude]\nprofile = 'claude'\nrole = 'principal'\n\
               [agents.kimi]\nprofile = 'kimi'\nrole = 'delegate'\n[agents.codex]\nprofile = 'codex'\nrole = 'reviewer'\n\
               [rules]\nreview_required = true\n",
        lead: "claude",
        worker: "kimi",
        other: "codex",
    },
    Formation {
        name: "peers",
        team: "formation = 'peers'\n[agents.claude]\nprofile = 'claude'\nrole = 'collaborator'\n\
               [agents.kimi]\nprofile = 'kimi'\nrole = 'collaborator'\n[agents.codex]\nprofile = 'codex'\nrole = 'collaborator'\n",
        lead: "claude",
        worker: "kimi",
        other: "codex",
    },
    Formation {
        name: "captain",
        team: "formation = 'captain'\nprincipal = 'captain'\n[agents.captain]\nprofile = 'claude'\nrole = 'captain'\n\
               [agents.vice]\nprofile = 'claude'\nrole = 'vice_captain'\nreports_to = 'captain'\n\
               [agents.member1]\nprofile = 'kimi'\nrole = 'member'\nreports_to = 'vice'\n\
               [agents.member2]\nprofile = 'codex'\nrole = 'member'\nreports_to = 'vice'\n",
        lead: "vice",
        worker: "member1",
        other: "member2",
    },
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Surface {
    Cli,
    Mcp,
}

/// Something a member does.
enum Deed<'a> {
    Give { title: &'a str, to: &'a str, quiet: bool },
    GiveAfter { title: &'a str, to: &'a str, after: &'a str },
    Move { task: &'a str, status: &'a str, note: Option<&'a str> },
    Report { task: &'a str, status: &'a str },
    Judge { task: &'a str, verdict: &'a str, note: Option<&'a str> },
    Ask { question: &'a str },
    Stand { decision: &'a str, position: &'a str },
    Decide { decision: &'a str, outcome: &'a str },
}

impl Deed<'_> {
    fn command(&self) -> Vec<String> {
        let mut words: Vec<&str> = match *self {
            Self::Give { title, to, .. } => vec!["task", "create", title, "--assignee", to],
            Self::GiveAfter { title, to, after } => {
                vec!["task", "create", title, "--assignee", to, "--depends-on", after]
            }
            Self::Move { task, status, .. } => vec!["task", "update", task, "--status", status],
            Self::Report { task, status } => {
                vec!["task", "report", task, status, "--summary", "said", "--no-skill"]
            }
            Self::Judge { task, verdict, .. } => vec!["task", "verdict", task, verdict],
            Self::Ask { question } => {
                vec!["decision", "open", "-m", question, "--option", "yes", "--option", "no"]
            }
            Self::Stand { decision, position } => vec!["decision", "position", decision, position],
            Self::Decide { decision, outcome } => vec!["decision", "decide", decision, outcome],
        };
        match *self {
            Self::Give { quiet: true, .. } => words.push("--quiet"),
            Self::Move { note: Some(note), .. } | Self::Judge { note: Some(note), .. } => {
                words.extend(["--note", note]);
            }
            _ => {}
        }
        words.into_iter().map(str::to_owned).collect()
    }

    fn tool(&self) -> (&'static str, Value) {
        match *self {
            Self::Give { title, to, quiet } => {
                ("task", json!({ "action": "create", "title": title, "assignee": to, "quiet": quiet }))
            }
            Self::GiveAfter { title, to, after } => {
                ("task", json!({ "action": "create", "title": title, "assignee": to, "depends_on": [after] }))
            }
            Self::Move { task, status, note } => {
                ("task", json!({ "action": "update", "task": task, "status": status, "note": note }))
            }
            Self::Report { task, status } => (
                "task",
                json!({ "action": "report", "task": task, "status": status, "summary": "said",
                    "skill_candidate": { "found": false } }),
            ),
            Self::Judge { task, verdict, note } => {
                ("task", json!({ "action": "verdict", "task": task, "verdict": verdict, "note": note }))
            }
            Self::Ask { question } => {
                ("decision", json!({ "action": "open", "question": question, "options": ["yes", "no"] }))
            }
            Self::Stand { decision, position } => {
                ("decision", json!({ "action": "position", "decision": decision, "position": position }))
            }
            Self::Decide { decision, outcome } => {
                ("decision", json!({ "action": "decide", "decision": decision, "outcome": outcome }))
            }
        }
    }
}

/// One hub in which events happen, and what was notified so far.
struct Stage {
    sandbox: Sandbox,
    surface: Surface,
    clients: Vec<(String, McpClient)>,
    seen: BTreeSet<String>,
    table: String,
}

impl Stage {
    fn new(formation: &Formation, surface: Surface) -> Self {
        let sandbox = Sandbox::new();
        sandbox.run(&["init", "--project", "demo"]).success();
        std::fs::write(sandbox.hub().join("team.toml"), format!("project = 'demo'\n{}", formation.team))
            .unwrap();
        sandbox.run(&["team", "take"]).success();
        let table = format!("{}\n", formation.name);
        Self { sandbox, surface, clients: Vec::new(), seen: BTreeSet::new(), table }
    }

    /// Does something and answers with the id of what it was done to.
    fn done(&mut self, who: &str, deed: &Deed<'_>) -> String {
        // A person has no MCP server.
        let answer = match self.surface {
            Surface::Mcp if who != "operator" => {
                if !self.clients.iter().any(|(name, _)| name == who) {
                    self.clients.push((who.to_owned(), agent(&self.sandbox, who)));
                }
                let (tool, mut arguments) = deed.tool();
                arguments.as_object_mut().unwrap().retain(|_, value| !value.is_null());
                let (_, client) = self.clients.iter_mut().find(|(name, _)| name == who).unwrap();
                client.done(tool, arguments)
            }
            _ => {
                let words = deed.command();
                let words: Vec<&str> = words.iter().map(String::as_str).collect();
                match who {
                    "operator" => self.sandbox.json(&words),
                    who => self.sandbox.as_agent(who).json(&words),
                }
            }
        };
        answer["id"].as_str().unwrap().to_owned()
    }

    /// The same, with a row of the table for everybody who was notified.
    fn event(&mut self, what: &str, who: &str, deed: &Deed<'_>) -> String {
        let id = self.done(who, deed);
        let rows = self.notified();
        self.table.push_str(&format!("  {what}\n"));
        if rows.is_empty() {
            self.table.push_str("    nobody\n");
        }
        for row in rows {
            self.table.push_str(&format!("    {row}\n"));
        }
        id
    }

    /// Something that is no row of the table.
    fn aside(&mut self, who: &str, deed: &Deed<'_>) -> String {
        let id = self.done(who, deed);
        self.notified();
        id
    }

    fn notified(&mut self) -> Vec<String> {
        let page = self.sandbox.json(&["msg", "list", "--limit", "200"]);
        let mut rows = Vec::new();
        for message in page["items"].as_array().unwrap() {
            if !self.seen.insert(message["id"].as_str().unwrap().to_owned()) {
                continue;
            }
            let intent = message["intent"].as_str().unwrap();
            let is_news = matches!(intent, "context_share" | "report");
            for delivery in message["to"].as_array().unwrap() {
                let soon = match (message["quiet"] == true, is_news) {
                    (true, _) => "next turn",
                    (false, true) => "soon",
                    (false, false) => "now",
                };
                let owes = match delivery["owed"].as_bool() {
                    Some(true) => format!(", owes {}", delivery["duty"].as_str().unwrap()),
                    _ => String::new(),
                };
                let (to, from) = (&delivery["agent"]["name"], &message["from"]["name"]);
                let (to, from) = (to.as_str().unwrap(), from.as_str().unwrap());
                rows.push(format!("{to}: {intent} from {from}, {soon}{owes}"));
            }
        }
        rows.sort();
        rows
    }
}

/// Everything that can happen to work and questions, once.
fn story(formation: &Formation, surface: Surface) -> String {
    let Formation { lead, worker, other, .. } = *formation;
    let mut stage = Stage::new(formation, surface);
    let is_chain = formation.name == "captain";
    let finish = |task: &str| -> Deed<'static> {
        let task: &'static str = task.to_owned().leak();
        match is_chain {
            true => Deed::Report { task, status: "done" },
            false => Deed::Move { task, status: "completed", note: None },
        }
    };
    let give = |title: &'static str, to: &'static str| Deed::Give { title, to, quiet: false };

    let task = stage.event(&format!("{lead} assigns to {worker}"), lead, &give("one", worker));
    stage.event(
        &format!("{lead} assigns to {worker}, --quiet"),
        lead,
        &Deed::Give { title: "two", to: worker, quiet: true },
    );
    stage.event(
        &format!("{lead} assigns to {other} what waits for that"),
        lead,
        &Deed::GiveAfter { title: "later", to: other, after: &task },
    );
    let status = |status: &'static str, note| Deed::Move { task: &task, status, note };
    stage.event("started", worker, &status("in_progress", None));
    stage.event("blocked", worker, &status("blocked", Some("no key")));
    stage.event("goes on", worker, &status("in_progress", None));
    stage.event("completed", worker, &finish(&task));
    let judge = |verdict: &'static str, note| Deed::Judge { task: &task, verdict, note };
    let approver = if formation.name.contains("review") { other } else { lead };
    stage.event("revision_needed", approver, &judge("revision_needed", Some("tests fail")));
    stage.aside(worker, &finish(&task));
    stage.event("approved without a comment", approver, &judge("approved", None));

    let task = stage.aside(lead, &give("three", worker));
    stage.aside(worker, &finish(&task));
    let judge = |verdict: &'static str, note| Deed::Judge { task: &task, verdict, note };
    stage.event("approved with a comment", approver, &judge("approved", Some("nice")));
    let task = stage.aside(lead, &give("four", worker));
    stage.event("failed", worker, &Deed::Move { task: &task, status: "failed", note: Some("no disk") });
    let task = stage.aside(lead, &give("five", worker));
    stage.event("reported blocked", worker, &Deed::Report { task: &task, status: "blocked" });
    stage.event("cancelled", lead, &Deed::Move { task: &task, status: "cancelled", note: None });

    let task = stage.event(&format!("operator assigns to {worker}"), "operator", &give("six", worker));
    stage.event("blocked", worker, &Deed::Move { task: &task, status: "blocked", note: Some("no key") });
    stage.event("completed", worker, &finish(&task));
    let judge = |verdict: &'static str, note| Deed::Judge { task: &task, verdict, note };
    stage.event("approved without a comment", approver, &judge("approved", None));
    if is_chain {
        let order = stage.event("captain assigns to vice", "captain", &give("order", "vice"));
        stage.event("completed", "vice", &finish(&order));
    }

    let question = stage.event("asks for positions", lead, &Deed::Ask { question: "Ship it?" });
    let stand = |position| Deed::Stand { decision: &question, position };
    stage.event("the first position", worker, &stand("yes"));
    stage.event("the last position", other, &stand("no"));
    stage.event("decided", lead, &Deed::Decide { decision: &question, outcome: "yes" });
    stage.event("operator asks for positions", "operator", &Deed::Ask { question: "And now?" });
    stage.table
}

#[test]
fn notifications_are_the_same_on_every_surface() {
    let mut tables = Vec::new();
    for formation in &FORMATIONS {
        let by_command = story(formation, Surface::Cli);
        let by_tool = story(formation, Surface::Mcp);
        assert_eq!(by_command, by_tool, "{}: commands and tools notify alike", formation.name);
        tables.push(by_command);
    }
    insta::assert_snapshot!(tables.join("\n"));
}
