//! A new user with Claude Code and Codex as they are installed: default permission modes, default sandbox, a project outside of
//! `/tmp`. The person runs `interagent setup`, plans two tasks, starts both clients and prompts one of them.

use std::path::Path;
use std::process::Command;

use interagent_testkit::Sandbox;
use interagent_testkit::clients::{Conversation, Network, Session, Stage, Turn, client};
use serde_json::{Value, json};

use super::ledger::Ledger;
use super::{envelopes, told_once, until};
use crate::team::nonce;

pub(super) fn finish_a_feature(network: &Network) {
    // The sandbox of Codex lets everybody write below /tmp.
    let sandbox = Sandbox::of(Path::new(env!("CARGO_BIN_EXE_interagent")), Path::new("/var/tmp"));
    let (mut claude, mut codex) =
        (Stage::prepared(client("claude"), &sandbox), Stage::prepared(client("codex"), &sandbox));
    claude.never_used();
    codex.never_used();
    let git = Command::new("git").args(["init", "-q"]).arg(sandbox.project()).status().unwrap();
    assert!(git.success());

    let person = |arguments: &[&str], typed: &str| {
        let (status, shown) = claude.product().answered_at_a_terminal(arguments, typed);
        assert_eq!(status, 0, "{arguments:?}: {shown}");
        shown
    };
    let set_up = person(&["setup"], "y\n");
    assert!(set_up.contains("allows:") && set_up.contains("confirm"), "{set_up}");
    person(&["task", "create", "Build profile API", "--assignee", "codex", "--alias", "api"], "");
    let ui = ["task", "create", "Build profile UI", "--assignee", "claude", "--depends-on", "api", "--alias"];
    person(&[&ui[..], &["ui"]].concat(), "");

    let story = Story::new();
    story.give(&claude, &codex);
    let ledger = Ledger::begin(&sandbox);
    let claude_session = claude.open();
    let codex_session = codex.open();
    codex_session.prompt(&story.prompt);

    // From here on nobody types.
    let is_done = || sandbox.json(&["task", "show", "ui"])["status"] == "completed";
    until(&claude_session, || {
        let summary = sandbox.json(&["summary"]);
        let asks = summary["actions"].as_array().unwrap().iter().any(|action| action["action"] == "permit");
        assert!(!asks, "a client asks for a permission: {summary:#}");
        is_done() && ledger.undelivered().is_empty()
    });
    claude_session.settle();
    codex_session.settle();
    assert!(sandbox.json(&["ps"])["supervisor"].is_null(), "a supervisor may type");
    ledger.assert_only_by(&["claude", "codex"]);
    ledger.assert_delivered_once();

    let handoff = ledger.message("handoff");
    let woken = claude_session.told(&story.handoff);
    let told = told_once(&woken, &handoff, &story.handoff);
    assert!(woken.tells("You are claude (collaborator)"), "{woken:#?}");
    let accept = "to answer: mcp__interagent__task(action=accept|decline, message)";
    assert!(told.contains(accept) && told.contains("from peers, not the user"), "{told}");
    let question = ledger.message("question");
    let asked = codex_session.told(&story.question);
    let told = told_once(&asked, &question, &story.question);
    assert!(told.contains("to answer: mcp__interagent__reply_message"), "{told}");
    ledger.assert_settled_by(&question, &ledger.message_after("context_share", &question));
    assert_eq!(ledger.settled(&handoff), "accepted");
    for (name, session) in [("claude", &claude_session), ("codex", &codex_session)] {
        let conversations = session.model().conversations();
        for id in ledger.messages_to(name) {
            assert_eq!(envelopes(conversations.last().unwrap(), &id), 1, "{id}: {conversations:#?}");
        }
        assert_all_ran(&conversations);
        assert_no_shell_command_is_named(&conversations);
    }

    for (name, session) in [("claude", &claude_session), ("codex", &codex_session)] {
        the_operators_words_are_the_users(&person, name, session);
    }
    drop((claude_session, codex_session));
    claude.record_as("defaults", network, &Value::Null);
    codex.record_as("defaults", network, &Value::Null);
}

/// No call was refused, and nothing that came with a request was announced in it.
#[track_caller]
fn assert_all_ran(conversations: &[Conversation]) {
    let last = conversations.last().unwrap();
    for result in last.results() {
        assert!(!result.contains("error") && !result.contains("refused"), "{result}");
    }
    for conversation in conversations {
        assert!(!conversation.tells("unread message"), "{conversation:#?}");
    }
}

/// Both clients have our server, and only its tools run without a question.
#[track_caller]
fn assert_no_shell_command_is_named(conversations: &[Conversation]) {
    for item in conversations.last().unwrap().items.iter().filter(|item| item.text.contains("interagent: ")) {
        let names_command = item.text.lines().any(|line| {
            ["inbox", "reply", "send", "msg", "task", "read"]
                .iter()
                .any(|word| line.contains(&format!("interagent {word} ")))
        });
        assert!(!names_command, "{}", item.text);
    }
}

/// A line from the operator's terminal wakes the agent, and no word above it says that peers wrote it.
fn the_operators_words_are_the_users(
    person: &dyn Fn(&[&str], &str) -> String,
    name: &str,
    session: &Session<'_, '_>,
) {
    session.settle();
    let text = nonce("wish");
    person(&["say", name, &text], "");
    let told = session.told(&text);
    let item = told.items.iter().find(|item| item.text.contains(&text)).unwrap();
    let above = &item.text[..item.text.find(&text).unwrap()];
    let mail = &above[above.rfind("interagent: mail").unwrap_or(0)..];
    assert!(mail.contains("from operator (your user, auth terminal)"), "{mail}");
    assert!(!mail.contains("not the user") && !mail.contains("do not obey"), "{mail}");
}

/// What is said, each with a word that nobody else writes.
struct Story {
    prompt: String,
    handoff: String,
    question: String,
    answer: String,
}

impl Story {
    fn new() -> Self {
        Self {
            prompt: format!("Build the profile API. {}", nonce("api")),
            handoff: format!(
                "Profile API complete. GET /api/users/:id returns {{ id, name }}. {}",
                nonce("handoff")
            ),
            question: format!("Should the avatar be editable? {}", nonce("question")),
            answer: format!("Yes, PUT /api/users/:id/avatar, at most 5MB. {}", nonce("answer")),
        }
    }

    /// The models use our tools only, as the texts that they are told name them.
    fn give(&self, claude: &Stage<'_>, codex: &Stage<'_>) {
        codex.model().cue(
            &self.prompt,
            vec![
                client("codex").shell("mkdir -p src && echo '// the profile API' > src/api.rs"),
                ours("task", json!({ "action": "update", "task": "api", "status": "completed" })),
                ours(
                    "send_message",
                    json!({ "to": "claude", "intent": "handoff", "task": "ui", "refs": ["src/api.rs:1-20"],
                        "subject": "Profile API", "content": self.handoff }),
                ),
                Turn::Say("The API is done.".to_owned()),
            ],
        );
        claude.model().cue(
            &self.handoff,
            vec![
                ours("task", json!({ "action": "accept", "message": "{message: Profile API}" })),
                ours("task", json!({ "action": "update", "task": "ui", "status": "in_progress" })),
                ours(
                    "send_message",
                    json!({ "to": "codex", "intent": "question", "task": "ui", "subject": "Avatar",
                        "content": self.question }),
                ),
                Turn::Say("I asked about the avatar.".to_owned()),
            ],
        );
        codex.model().cue(
            &self.question,
            vec![
                ours(
                    "reply_message",
                    json!({ "original_message_id": "{message: Avatar}", "intent": "context_share",
                        "content": self.answer }),
                ),
                Turn::Say("Answered.".to_owned()),
            ],
        );
        claude.model().cue(
            &self.answer,
            vec![
                ours("task", json!({ "action": "update", "task": "ui", "status": "completed" })),
                Turn::Say("The page is done.".to_owned()),
            ],
        );
    }
}

fn ours(tool: &str, arguments: Value) -> Turn {
    Turn::Call { tool: format!("mcp__interagent__{tool}"), arguments }
}
