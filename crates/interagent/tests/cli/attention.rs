//! What waits for the operator: permission prompts, shown and announced, and notifications without a supervisor.

use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use interagent_testkit::Sandbox;
use interagent_testkit::ntfy::NtfyServer;
use interagent_testkit::sandbox::Run;
use serde_json::{Value, json};

const TOPIC: &str = "our-team";

/// A desktop that writes down what it shows.
struct Desktop {
    path: String,
    shown: PathBuf,
}

impl Desktop {
    fn install(sandbox: &Sandbox) -> Self {
        let programs = sandbox.home().join("desktop");
        std::fs::create_dir_all(&programs).unwrap();
        let (program, shown) = (programs.join("notify-send"), sandbox.home().join("shown"));
        let script = format!("#!/bin/sh\nprintf '%s\\n' \"$*\" >> '{}'\n", shown.display());
        std::fs::write(&program, script).unwrap();
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
        let path = format!("{}:{}", programs.display(), std::env::var("PATH").unwrap());
        Self { path, shown }
    }

    fn run<'s>(&self, run: Run<'s>) -> Run<'s> {
        run.env("PATH", &self.path)
    }

    fn shown(&self) -> String {
        std::fs::read_to_string(&self.shown).unwrap_or_default()
    }
}

#[track_caller]
fn eventually(what: &str, mut is_so: impl FnMut() -> bool) {
    let until = Instant::now() + Duration::from_secs(60);
    while !is_so() {
        assert!(Instant::now() < until, "{what} did not happen");
        std::thread::sleep(Duration::from_millis(50));
    }
}

fn hook(run: Run<'_>, client: &str, event: &str, session: &str, more: &Value) {
    let mut payload = json!({ "session_id": session });
    payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let output = run.stdin(payload.to_string()).run(&["hook", client, event]).success();
    assert_eq!(output.stdout, "", "what is printed at a dialog would decide it");
}

fn asks(command: &str) -> Value {
    json!({ "tool_name": "Bash", "tool_input": { "command": command } })
}

/// The first thing that the operator has to do, if it is a permission prompt.
fn permission(sandbox: &Sandbox) -> Value {
    let first = &sandbox.json(&["summary"])["actions"][0];
    if first["action"] == "permit" { first["permission"].clone() } else { Value::Null }
}

fn life(sandbox: &Sandbox, agent: &str) -> String {
    let listed = sandbox.json(&["ps", agent]);
    listed["agents"][0]["life"].as_str().unwrap().to_owned()
}

#[test]
fn prompt_is_shown_until_it_is_answered() {
    for (client, answered) in
        [("claude", "PostToolUse"), ("codex", "PostToolUse"), ("kimi", "PermissionResult")]
    {
        let sandbox = Sandbox::new();
        sandbox.run(&["init", "--formation", "peers", "--agents", &format!("{client}:{client}")]).success();
        let hook = |event, more: &Value| hook(sandbox.as_agent(client), client, event, "s1", more);
        sandbox
            .as_agent(client)
            .stdin(json!({ "session_id": "s1" }).to_string())
            .run(&["hook", client, "UserPromptSubmit"])
            .success();
        hook("PermissionRequest", &asks("cargo test"));
        let shown = permission(&sandbox);
        let wanted = (json!("Bash"), json!("cargo test"), json!(client), json!("in its terminal"));
        let found = (&shown["tool"], &shown["command"], &shown["client"], &shown["answer"]);
        assert_eq!(found, (&wanted.0, &wanted.1, &wanted.2, &wanted.3), "{client}: {shown}");
        assert!(shown["since"].is_string(), "{shown}");
        assert_eq!(life(&sandbox, client), "asking");
        assert_eq!(sandbox.json(&["status"])["permissions"][0]["command"], "cargo test");
        let beside = json!({ "tool_name": "Read", "tool_input": { "file_path": "src/a.rs" } });
        hook("PostToolUse", &beside);
        assert_eq!(life(&sandbox, client), "asking", "{client}: another tool ran beside the dialog");
        for words in [vec!["ps"], vec!["status"], vec!["summary"]] {
            let text = sandbox.run(&words).success().stdout;
            assert!(text.contains("waiting for you"), "{text}");
            let summary = text.find("[TASKS]").unwrap_or(text.len());
            assert!(text.find("waiting for you").is_some_and(|at| at < summary), "first: {text}");
            assert!(text.contains("Bash: cargo test"), "{text}");
        }
        hook(answered, &asks("cargo test"));
        assert_eq!(
            (permission(&sandbox), life(&sandbox, client).as_str()),
            (Value::Null, "thinking"),
            "{client}"
        );
        hook("PermissionRequest", &asks("cargo doc"));
        sandbox
            .as_agent(client)
            .stdin(json!({ "session_id": "s1" }).to_string())
            .run(&["hook", client, "Stop"])
            .success();
        assert_eq!(
            (permission(&sandbox), life(&sandbox, client).as_str()),
            (Value::Null, "idle"),
            "{client}"
        );
    }
}

#[test]
fn every_dialog_of_claude_waits_and_other_notices_change_nothing() {
    let sandbox = Sandbox::with_team();
    let hook = |event: &str, more: &Value| hook(sandbox.as_agent("claude"), "claude", event, "s1", more);
    sandbox
        .as_agent("claude")
        .stdin(json!({ "session_id": "s1" }).to_string())
        .run(&["hook", "claude", "UserPromptSubmit"])
        .success();
    let notice = |kind: &str| json!({ "notification_type": kind, "message": "x" });
    for kind in [
        "permission_prompt",
        "agent_needs_input",
        "elicitation_dialog",
        "elicitation_url_dialog",
        "worker_permission_prompt",
    ] {
        hook("Notification", &notice(kind));
        assert_eq!(life(&sandbox, "claude"), "asking", "{kind}");
        for other in ["auth_success", "push_notification", "a_type_of_tomorrow"] {
            hook("Notification", &notice(other));
            assert_eq!(life(&sandbox, "claude"), "asking", "{other}");
            assert_ne!(permission(&sandbox), Value::Null, "{other}");
        }
        hook("Notification", &notice("idle_prompt"));
        assert_eq!(
            (life(&sandbox, "claude").as_str(), permission(&sandbox)),
            ("idle", Value::Null),
            "{kind}"
        );
    }
}

/// A team whose operator is notified on a desktop and by ntfy, with a session of claude.
fn announced() -> (Sandbox, Desktop, NtfyServer) {
    let sandbox = Sandbox::with_team();
    let (desktop, server) = (Desktop::install(&sandbox), NtfyServer::start());
    let prompt = json!({ "session_id": "s1" }).to_string();
    sandbox.as_agent("claude").stdin(prompt).run(&["hook", "claude", "UserPromptSubmit"]).success();
    (sandbox, desktop, server)
}

#[test]
fn prompt_is_announced_once_and_its_command_stays_here() {
    let (sandbox, desktop, server) = announced();
    let agent = || {
        let run = desktop.run(sandbox.as_agent("claude"));
        run.env("INTERAGENT_NTFY_SERVER", server.url()).env("INTERAGENT_NTFY_TOPIC", TOPIC)
    };
    hook(agent(), "claude", "PermissionRequest", "s1", &asks("cargo test"));
    hook(agent(), "claude", "Notification", "s1", &json!({ "notification_type": "permission_prompt" }));
    server.wait_until(TOPIC, |lines| !lines.is_empty());
    eventually("the note on the desktop", || desktop.shown().contains("Bash: cargo test"));
    let pushed = server.published(TOPIC);
    let text = pushed[0].to_string();
    assert!(text.contains("claude is waiting for your permission") && text.contains("Bash"), "{text}");
    assert!(!text.contains("cargo test"), "{text}");
    hook(agent(), "claude", "PostToolUse", "s1", &asks("cargo test"));
    // The next prompt is another one.
    hook(agent(), "claude", "PermissionRequest", "s1", &asks("cargo doc"));
    server.wait_until(TOPIC, |lines| lines.len() == 2);
    eventually("the second note", || desktop.shown().matches("waiting for your permission").count() == 2);
    assert_eq!(sandbox.json(&["notify", "--due"])["told"], json!([]), "everything was announced");
}

#[test]
fn secret_in_a_prompt_is_shown_nowhere() {
    let (sandbox, desktop, server) = announced();
    let secret = ["ghp", "16C7e42F292c6912E7710c838347Ae178B4a"].join("_");
    let run = desktop.run(sandbox.as_agent("claude")).env("INTERAGENT_NTFY_DETAIL", "full");
    let run = run.env("INTERAGENT_NTFY_SERVER", server.url()).env("INTERAGENT_NTFY_TOPIC", TOPIC);
    hook(run, "claude", "PermissionRequest", "s1", &asks(&format!("curl -d {secret} x")));
    server.wait_until(TOPIC, |lines| !lines.is_empty());
    eventually("the note on the desktop", || desktop.shown().contains("waiting for your permission"));
    let pushed = server.published(TOPIC)[0].to_string();
    assert!(pushed.contains("looks like a GitHub token"), "{pushed}");
    for text in [desktop.shown(), pushed, sandbox.json(&["summary"]).to_string()] {
        assert!(!text.contains(&secret), "{text}");
    }
}

#[test]
fn operator_is_notified_without_a_supervisor_and_the_caller_is_told() {
    let sandbox = Sandbox::with_team();
    let desktop = Desktop::install(&sandbox);
    let ask = ["send", "--to", "operator", "--intent", "question", "-m", "Which cert?"];
    let alone = sandbox.as_agent("kimi").run(&ask).success();
    let none = "operator: no notification channel; shown in `interagent status`";
    assert!(alone.shown().contains(none), "{}", alone.shown());
    let told = desktop
        .run(sandbox.as_agent("kimi"))
        .run(&["send", "--to", "operator", "--intent", "blocked", "-m", "No key."]);
    assert!(told.success().shown().contains("operator: notifying by desktop"));
    // What was recorded before a channel was there is announced with it.
    eventually("both notes", || desktop.shown().matches("kimi needs an answer").count() == 2);
    let plain =
        desktop.run(sandbox.as_agent("kimi")).run(&["send", "--to", "operator", "-m", "Good morning."]);
    assert!(!plain.success().shown().contains("operator: "), "mail that needs nothing notifies nobody");
    assert_eq!(sandbox.json(&["notify", "--due"])["told"], json!([]));
    let first = &sandbox.json(&["summary"])["actions"][0];
    assert_eq!(
        (&first["action"], &first["agent"]["name"]),
        (&json!("answer"), &json!("operator")),
        "at once, and first"
    );
}

#[test]
fn caller_reads_the_channels_of_the_supervisor() {
    let sandbox = Sandbox::with_team();
    let desktop = Desktop::install(&sandbox);
    let ask = |run: Run<'_>, question: &str| {
        let ask = ["send", "--to", "operator", "--intent", "question", "-m", question];
        run.run(&ask).success().shown()
    };
    let mut supervisor = desktop.run(sandbox.start()).command(&["supervise", "--quiet"]).spawn().unwrap();
    let noted = sandbox.hub().join("state/supervisor.channels");
    eventually("its channels", || noted.exists());
    let shown = ask(sandbox.as_agent("kimi"), "Which cert?");
    supervisor.kill().unwrap();
    supervisor.wait().unwrap();
    assert!(shown.contains("operator: the supervisor notifies by desktop"), "{shown}");
    // The other way round, a channel of the caller does not count.
    let mut supervisor = sandbox.start().command(&["supervise", "--quiet"]).spawn().unwrap();
    let pid = format!("{} ", supervisor.id());
    eventually("its channels", || std::fs::read_to_string(&noted).is_ok_and(|text| text.starts_with(&pid)));
    let shown = ask(desktop.run(sandbox.as_agent("kimi")), "Which key?");
    supervisor.kill().unwrap();
    supervisor.wait().unwrap();
    assert!(shown.contains("operator: no notification channel"), "{shown}");
}

#[test]
fn supervisor_and_senders_announce_once_together() {
    let sandbox = Sandbox::with_team();
    let desktop = Desktop::install(&sandbox);
    let supervise =
        || desktop.run(sandbox.start()).command(&["supervise", "--once", "--quiet"]).spawn().unwrap();
    let mut children = Vec::new();
    for n in 0..6 {
        children.push(supervise());
        let question = format!("Question {n}?");
        let asked = desktop
            .run(sandbox.as_agent("kimi"))
            .run(&["send", "--to", "operator", "--intent", "question", "-m", &question]);
        asked.success();
    }
    children.iter_mut().for_each(|child| drop(child.wait()));
    supervise().wait().unwrap();
    eventually("all notes", || desktop.shown().matches("kimi needs an answer").count() >= 6);
    let shown = desktop.shown();
    for n in 0..6 {
        assert_eq!(shown.matches(&format!("Question {n}?")).count(), 1, "{shown}");
    }
}

#[test]
fn sender_learns_that_its_message_was_escalated() {
    let sandbox = Sandbox::with_team();
    let asked = sandbox.as_agent("claude").json(&[
        "send",
        "--to",
        "kimi",
        "--intent",
        "question",
        "-m",
        "Which key?",
    ]);
    let id = asked["id"].as_str().unwrap();
    sandbox.as_agent("kimi").run(&["msg", "escalate", id, "--reason", "Nobody gave me one."]).success();
    let mail = sandbox.as_agent("claude").json(&["inbox"]);
    let told = &mail["items"][0];
    assert_eq!(told["subject"], format!("kimi escalated {id} to operator"), "{mail}");
    assert_eq!((&told["body"], &told["duty"]), (&json!("Nobody gave me one."), &Value::Null));
}

/// A team of three with a desktop, and a repository with a change to review.
fn team_of_three(formation: &str) -> (Sandbox, Desktop) {
    let sandbox = Sandbox::new();
    let agents = ["--agents", "claude:claude,kimi:kimi"];
    sandbox.run(&[&["init", "--formation", formation][..], &agents[..]].concat()).success();
    let desktop = Desktop::install(&sandbox);
    (sandbox, desktop)
}

#[test]
fn decision_that_operator_must_make_is_announced_once() {
    for formation in ["duo", "peers"] {
        let (sandbox, desktop) = team_of_three(formation);
        let agent = |name: &str| desktop.run(sandbox.as_agent(name));
        let opened = desktop.run(sandbox.start()).json(&["decision", "open", "Go?", "--option", "yes"]);
        let id = opened["id"].as_str().unwrap();
        let first = agent("claude").run(&["decision", "position", id, "yes"]).success();
        assert!(!first.shown().contains("operator: "), "others have not answered: {}", first.shown());
        let last = agent("kimi").run(&["decision", "position", id, "yes"]).success();
        assert!(last.shown().contains("operator: notifying by desktop"), "{formation}: {}", last.shown());
        let step = format!("interagent decision show {id}, then: interagent decision decide {id} OUTCOME");
        eventually("the note", || desktop.shown().contains(&step));
        let item = sandbox.json(&["summary"])["actions"][0].clone();
        assert_eq!((&item["action"], &item["agent"]["name"]), (&json!("answer"), &json!("operator")));
        let sentence = item["sentence"].as_str().unwrap();
        assert!(sentence.starts_with("Decide \"Go?\", open for ") && sentence.contains(&step), "{sentence}");
        // Words to the agent that answered last are no decision, and a position that changes asks no second time.
        let asks = sandbox.json(&["inbox"])["items"].as_array().unwrap().last().unwrap()["id"].clone();
        let words = sandbox.run(&["reply", asks.as_str().unwrap(), "-m", "Why yes?"]).success().shown();
        assert!(words.contains("still needs your decision"), "{words}");
        agent("kimi").run(&["decision", "position", id, "yes", "-m", "It is ready."]).success();
        assert_eq!(desktop.shown().matches("needs an answer").count(), 1, "{}", desktop.shown());
        desktop.run(sandbox.start()).run(&["decision", "decide", id, "yes"]).success();
        let open = sandbox.json(&["summary"])["actions"].to_string();
        assert!(!open.contains("decision decide"), "{formation}: {open}");
    }
}

#[test]
fn last_answer_without_a_position_asks_for_the_decision() {
    let (sandbox, _) = team_of_three("peers");
    let opened = sandbox.json(&["decision", "open", "Go?", "--option", "yes"]);
    let id = opened["id"].as_str().unwrap();
    let asked = |name: &str| sandbox.as_agent(name).json(&["inbox"])["items"][0]["id"].clone();
    let (claude, kimi) = (asked("claude"), asked("kimi"));
    sandbox.as_agent("claude").run(&["reply", claude.as_str().unwrap(), "-m", "I can't tell."]).success();
    assert!(!sandbox.json(&["summary"])["actions"].to_string().contains("decision decide"));
    sandbox.as_agent("kimi").run(&["msg", "decline", kimi.as_str().unwrap()]).success();
    let step = format!("interagent decision decide {id} OUTCOME");
    assert!(sandbox.json(&["summary"])["actions"].to_string().contains(&step));
}

#[test]
fn last_awaited_member_that_retires_leaves_the_decision() {
    let (sandbox, _) = team_of_three("peers");
    let opened = sandbox.json(&["decision", "open", "Go?", "--option", "yes"]);
    let id = opened["id"].as_str().unwrap();
    sandbox.as_agent("claude").run(&["decision", "position", id, "yes"]).success();
    assert!(!sandbox.json(&["summary"])["actions"].to_string().contains("decision decide"));
    sandbox.run(&["agent", "retire", "kimi"]).success();
    let step = format!("interagent decision decide {id} OUTCOME");
    let open = sandbox.json(&["summary"])["actions"].to_string();
    assert!(open.contains(&step), "{open}");
}

#[test]
fn another_principal_takes_over_the_open_decision() {
    let decides = |sandbox: &Sandbox, agent: &str| {
        let owed = sandbox.json(&["inbox", "--agent", agent])["duties"].to_string();
        owed.matches("Decide: ").count()
    };
    // The new principal decides, or is asked first because a position changes.
    for changes_position in [false, true] {
        let sandbox = Sandbox::new();
        let agents = ["--agents", "claude:claude,kimi:kimi,codex:codex", "--principal"];
        let init = |principal: &str| {
            sandbox
                .run(&[&["init", "--formation", "duo", "--force"][..], &agents, &[principal]].concat())
                .success();
        };
        init("claude");
        let open = ["decision", "open", "Go?", "--option", "yes", "--to", "codex"];
        let opened = sandbox.as_agent("kimi").json(&open);
        let id = opened["id"].as_str().unwrap();
        let position = ["decision", "position", id, "yes"];
        sandbox.as_agent("codex").run(&position).success();
        assert_eq!(decides(&sandbox, "claude"), 1);
        init("codex");
        if changes_position {
            sandbox.as_agent("kimi").run(&position);
            sandbox.as_agent("codex").run(&position).success();
            assert!(decides(&sandbox, "claude") + decides(&sandbox, "codex") <= 1);
        }
        sandbox.as_agent("codex").run(&["decision", "decide", id, "yes"]).success();
        assert_eq!((decides(&sandbox, "claude"), decides(&sandbox, "codex")), (0, 0));
    }
}

#[test]
fn operator_is_notified_of_outcomes() {
    let (sandbox, desktop) = team_of_three("duo");
    let opened = sandbox.json(&["decision", "open", "Go?", "--option", "yes"]);
    let id = opened["id"].as_str().unwrap();
    let agent = |name: &str| desktop.run(sandbox.as_agent(name));
    let decided = agent("claude").run(&["decision", "decide", id, "yes"]).success();
    assert!(decided.shown().contains("operator: notifying by desktop"), "{}", decided.shown());
    eventually("the outcome", || desktop.shown().contains("Decided: yes"));
    let change = "--- a/a.rs\n+++ b/a.rs\n@@ -1 +1 @@\n-old\n+new\n";
    let open = || {
        let run = sandbox.start().stdin(change.to_owned());
        run.json(&["review", "open", "--title", "Parser", "--diff", "-", "--to", "claude"])
    };
    for (verdict, shown) in
        [("approved", "reports"), ("rejected", "reports"), ("revision_needed", "needs an")]
    {
        let review = open();
        let review = review["review"]["id"].as_str().unwrap();
        let judged = agent("claude").run(&["review", "verdict", review, verdict]).success();
        assert!(judged.shown().contains("operator: notifying by desktop"), "{verdict}: {}", judged.shown());
        let subject = format!("{verdict}: Parser");
        eventually("the verdict", || desktop.shown().contains(&subject));
        let shown = format!("claude {shown}");
        assert!(desktop.shown().contains(&shown), "{}", desktop.shown());
    }
}
