//! Codex with the model it chooses by itself. That model gets no list of tools: it calls them from JavaScript, in one tool `exec`.

use interagent_testkit::clients::{Conversation, Session, Stage, Turn, client, within_own_network};
use serde_json::{Value, json};

use super::{PATIENCE, Sandbox, sandbox, until_idle};
use crate::team::nonce;

#[test]
#[ignore = "needs the real client: cargo xtask clients NAME"]
fn default_model_calls_tools_from_javascript() {
    within_own_network("codex::javascript::default_model_calls_tools_from_javascript", |_| default_model());
}

fn default_model() {
    let sandbox = sandbox();
    let stage = Stage::prepared(client("codex"), &sandbox);
    let config = sandbox.home().join(".codex/config.toml");
    let text = std::fs::read_to_string(&config).unwrap();
    std::fs::write(&config, text.replacen("model = \"gpt-5.4\"\n", "", 1)).unwrap();
    stage.product().run(&["agent", "register", "codex", "--profile", "codex"]).success();
    stage.product().run(&["setup", "codex", "--yes"]).success();

    let first = stage.open();
    let sent = nonce("sent");
    let script = format!(
        "text(ALL_TOOLS.map(tool => tool.name).join(' '));
        text(await tools.mcp__interagent__send_message({{to: 'claude', content: '{sent}'}}));"
    );
    let (begun, output) = runs(&first, &nonce("first"), &script);
    assert!(begun.tells("You are codex") && begun.tells("mcp__interagent__send_message("), "{begun:#?}");
    assert!(!begun.tool_names().iter().any(|name| name.contains("interagent")), "{:?}", begun.tool_names());
    for tool in interagent_mcp::tool_names() {
        assert!(output.contains(&format!("mcp__interagent__{tool}")), "{tool} is absent: {output}");
    }
    assert_arrived(&sandbox, "codex", &sent);

    // A second session joins under its own name: the call is bound to its thread, not to the process that both share.
    let second = stage.open();
    let script = "text(await tools.mcp__interagent__register_agent({name: 'codex2'}));";
    let (begun, output) = runs(&second, &nonce("second"), script);
    assert!(begun.tells("mcp__interagent__register_agent(name=NAME)"), "{begun:#?}");
    assert!(output.contains("You are codex2"), "{output}");
    let listed = sandbox.json(&["session", "list", "--agent", "codex2"]);
    let items = listed["items"].as_array().unwrap();
    assert!(items.len() == 1 && !items[0]["id"].as_str().unwrap().starts_with("mcp-"), "{listed}");

    for (session, name) in [(&first, "codex"), (&second, "codex2")] {
        until_idle(&sandbox, name);
        let (question, answer) = (nonce("question"), nonce("answer"));
        let reply = format!(
            "text(await tools.mcp__interagent__reply_message({{original_message_id: '{{message: {question}}}', content: '{answer}'}}));"
        );
        session.model().cue(&question, vec![javascript(&reply), Turn::Say("answered".to_owned())]);
        let claude = stage.product().env("INTERAGENT_AGENT", "claude");
        claude.run(&["send", "--to", name, "--intent", "question", "-m", &question]).success();
        let woken = told(session, &question);
        assert!(woken.tells("mail from peers"), "{woken:#?}");
        result(session, &question);
        assert_arrived(&sandbox, name, &answer);
        session.settle();
    }

    // Hooks see what JavaScript does: the guard keeps it out of a file that another agent leased.
    sandbox.as_agent("claude").run(&["lease", "take", "api.txt"]).success();
    let file = sandbox.project().join("api.txt");
    let patch = "*** Begin Patch\\n*** Add File: api.txt\\n+mine\\n*** End Patch\\n";
    for call in ["tools.exec_command({cmd: 'echo mine > api.txt'})", &format!("tools.apply_patch('{patch}')")]
    {
        let script = format!("try {{ text(await {call}); }} catch (error) {{ text(String(error)); }}");
        let (_, output) = runs(&first, &nonce("write"), &script);
        assert!(output.contains("RACE-001") && !file.exists(), "{call}: {output}");
    }
}

fn javascript(source: &str) -> Turn {
    Turn::Call { tool: "functions__exec".to_owned(), arguments: json!(source) }
}

/// Has the model run JavaScript after a prompt: the first request with the prompt, and what the script printed.
#[track_caller]
fn runs(session: &Session<'_, '_>, prompt: &str, source: &str) -> (Conversation, String) {
    session.model().cue(prompt, vec![javascript(source), Turn::Say("ready".to_owned())]);
    session.prompt(prompt);
    let output = result(session, prompt);
    session.settle();
    (told(session, prompt), output)
}

/// What the script printed that was run after a text.
#[track_caller]
fn result(session: &Session<'_, '_>, text: &str) -> String {
    let before = told(session, text).results().len();
    let is_done = |said: &Conversation| is_shown(said) && said.tells(text) && said.results().len() > before;
    let done = session.model().wait_for(is_done, PATIENCE);
    let done = done.unwrap_or_else(|| panic!("the script printed nothing; {}", session.shown()));
    done.results().last().copied().unwrap_or_default().to_owned()
}

/// The first request of the session itself that holds a text.
#[track_caller]
fn told(session: &Session<'_, '_>, text: &str) -> Conversation {
    let found = session.model().wait_for(|said| is_shown(said) && said.tells(text), PATIENCE);
    found.unwrap_or_else(|| panic!("the model was never told `{text}`; {}", session.shown()))
}

/// Whether a person sees the conversation. Codex repeats the prompt in one of its own, which can't ask the person.
fn is_shown(conversation: &Conversation) -> bool {
    conversation.tool_names().iter().any(|name| name == "functions__request_user_input")
}

#[track_caller]
fn assert_arrived(sandbox: &Sandbox, from: &str, text: &str) {
    let inbox = sandbox.as_agent("claude").json(&["inbox"]);
    let items = inbox["items"].as_array().unwrap();
    let came = items.iter().find(|mail: &&Value| mail["body"] == json!(text));
    let came = came.unwrap_or_else(|| panic!("no `{text}` in {inbox}"));
    assert_eq!((&came["from"]["name"], &came["auth"]), (&json!(from), &json!("session")), "{came}");
}
