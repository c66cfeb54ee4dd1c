//! Requests on the one side, rows on the other.

use interagent_mock_model::{Item, Kind, Tool};

use super::*;

const BRIEFING: &str =
    "interagent: You are claude (implementer), an agent, team \"x\" in formation peers.\nRules.";

fn expected() -> Expected<'static> {
    Expected {
        title: "Claude Code",
        executable: "claude",
        agent: "claude",
        tools: vec!["t_briefing".to_owned(), "t_task".to_owned()],
        briefs: true,
        lacks: &[],
        untrusted: &[],
        connect: "interagent setup claude",
        confirm_server: Some("approve the server"),
        confirm_hooks: Some("trust the hooks"),
        limit: Duration::from_secs(120),
    }
}

fn item(by: By, kind: Kind, text: &str) -> Item {
    Item { by, kind, text: text.to_owned() }
}

/// A request with these tools, what was said before the call, and the answer to it.
fn request(tools: &[&str], told: &str, answer: Option<&str>) -> Conversation {
    let tools = tools.iter().map(|name| Tool { name: (*name).to_owned(), ..Tool::default() }).collect();
    let mut items = vec![item(By::User, Kind::Text, "canary"), item(By::System, Kind::Text, told)];
    if let Some(answer) = answer {
        items.push(item(By::Model, Kind::Call, "{}"));
        items.push(item(By::Tool, Kind::Result, answer));
    }
    Conversation { system: "You are a helpful model.".to_owned(), tools, items }
}

fn green() -> Vec<Conversation> {
    let tools = ["bash", "t_briefing", "t_task"];
    vec![
        request(&tools, BRIEFING, None),
        request(&tools, BRIEFING, Some(&format!("{{\"text\":\"{BRIEFING}\"}}"))),
    ]
}

fn rows(expected: &Expected<'_>, conversations: Vec<Conversation>) -> String {
    rows_after(expected, conversations, How::Exit(0), "")
}

fn rows_after(expected: &Expected<'_>, conversations: Vec<Conversation>, how: How, words: &str) -> String {
    let mut report = Report::default();
    judge(expected, &Seen { how, words: words.to_owned(), conversations }, &mut report);
    let document = report.document();
    let row = |row: &serde_json::Value| {
        let text = |key: &str| row[key].as_str().unwrap_or("-").to_owned();
        format!("{} {}: {} ({})", text("state"), text("what"), text("sentence"), text("helps"))
    };
    document["checks"].as_array().unwrap().iter().map(row).collect::<Vec<_>>().join("\n")
}

#[test]
fn green_client_has_four_rows() {
    insta::assert_snapshot!(rows(&expected(), green()), @r"
    ok model: the prompt reached the model (2 requests) (-)
    ok briefing: the hooks briefed the model as claude (-)
    ok tools: the model was offered 2 tools of interagent (-)
    ok identity: a tool call was answered for claude (-)
    ");
}

#[test]
fn silent_client_is_bad_and_nothing_else_is_judged() {
    let rows = |how, words: &str| rows_after(&expected(), Vec::new(), how, words);
    insta::assert_snapshot!(
        [
            rows(How::Exit(1), "warning: x\nPlease run /login\n"),
            rows(How::Timeout(Duration::from_secs(120)), ""),
            rows(How::Exit(0), ""),
        ].join("\n"),
        @r"
    bad model: Claude Code sent the prompt to no model on this machine: it ended with exit code 1: Please run /login (start claude by hand: it may ask something first, such as a login)
    bad model: Claude Code sent the prompt to no model on this machine: it did not end within 120 s (start claude by hand: it may ask something first, such as a login)
    bad model: Claude Code sent the prompt to no model on this machine: it ended without a request (start claude by hand: it may ask something first, such as a login)
    "
    );
}

#[test]
fn missing_briefing_names_what_repairs_it() {
    let silent = || vec![request(&["t_briefing", "t_task"], "", Some(BRIEFING))];
    let line = |expected: &Expected<'_>| {
        rows(expected, silent()).lines().find(|row| row.contains("briefing:")).unwrap().to_owned()
    };
    let untrusted = ["Stop".to_owned(), "SessionStart".to_owned()];
    let lines = [
        line(&expected()),
        line(&Expected { lacks: &[What::Hooks], ..expected() }),
        line(&Expected { untrusted: &untrusted, ..expected() }),
        line(&Expected { confirm_hooks: None, ..expected() }),
    ];
    insta::assert_snapshot!(lines.join("\n"), @r"
    bad briefing: no hook briefed the model: the agent gets no mail, briefing or guard (trust the hooks)
    bad briefing: no hook briefed the model: the agent gets no mail, briefing or guard (interagent setup claude)
    bad briefing: no hook briefed the model: the agent gets no mail, briefing or guard; not trusted: Stop, SessionStart (trust the hooks)
    bad briefing: no hook briefed the model: the agent gets no mail, briefing or guard (interagent doctor --canary tries each hook)
    ");
    // What a tool answered is no briefing, and a client whose hooks can't speak is not asked for one.
    assert!(!rows(&Expected { briefs: false, ..expected() }, silent()).contains("briefing:"));
}

#[test]
fn missing_tools_name_what_repairs_them() {
    let with = |expected: &Expected<'_>, tools: &[&str]| rows(expected, vec![request(tools, BRIEFING, None)]);
    insta::assert_snapshot!(with(&expected(), &["bash"]), @r"
    ok model: the prompt reached the model (1 request) (-)
    ok briefing: the hooks briefed the model as claude (-)
    bad tools: the model was offered no tool of interagent (approve the server)
    ");
    assert!(with(&Expected { lacks: &[What::Mcp], ..expected() }, &[]).contains("(interagent setup claude)"));
    assert!(with(&expected(), &["t_task"]).contains("offered 1 of 2 tools of interagent"));
}

#[test]
fn wrong_agent_is_bad() {
    let other = BRIEFING.replace("claude", "kimi");
    let tools = ["t_briefing", "t_task"];
    insta::assert_snapshot!(rows(&expected(), vec![request(&tools, &other, Some(&other))]), @r"
    ok model: the prompt reached the model (1 request) (-)
    bad briefing: the hooks briefed the model as kimi, and this is claude's place (interagent setup claude)
    ok tools: the model was offered 2 tools of interagent (-)
    bad identity: a tool call was answered for kimi, and this is claude's place (interagent setup claude)
    ");
}

#[test]
fn refused_tool_call_is_bad() {
    let tools = ["t_briefing", "t_task"];
    let rows = |answer| {
        let all = rows_after(&expected(), vec![request(&tools, BRIEFING, answer)], How::Exit(3), "oops");
        all.lines().skip(3).map(str::to_owned).collect::<Vec<_>>().join("\n")
    };
    insta::assert_snapshot!([rows(Some("Permission denied")), rows(None)].join("\n"), @r"
    bad identity: a tool call failed: Permission denied (allow the tools of interagent in the client's settings)
    bad client: Claude Code failed: it ended with exit code 3: oops (start claude by hand to see more)
    bad identity: the client did not answer the model's tool call (allow the tools of interagent in the client's settings)
    bad client: Claude Code failed: it ended with exit code 3: oops (start claude by hand to see more)
    ");
}
