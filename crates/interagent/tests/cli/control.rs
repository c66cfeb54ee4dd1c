//! The operator's words, and control of an agent's session.

use interagent_testkit::Sandbox;

#[test]
fn a_clear_waits_until_it_is_carried_out_and_its_words_come_first_afterwards() {
    let sandbox = Sandbox::with_team();
    insta::assert_snapshot!(sandbox.run(&["control", "claude", "clear", "-m", "Begin with the parser."]).shown(), @r"
    asked for clear of claude (msg-1)
    a supervisor will clear the conversation of claude; your words are the first it reads then; claude has no session now; no supervisor runs: interagent supervise
    ");
    let waiting = sandbox.json(&["control", "--list"]);
    let id = waiting["items"][0]["message"].as_str().unwrap().to_owned();
    let inbox = |agent: &str| sandbox.as_agent(agent).json(&["inbox"])["items"].clone();
    assert_eq!(inbox("claude"), serde_json::json!([]), "nobody reads it before the reset");
    let by_agent = sandbox.as_agent("claude").run(&[
        "call",
        "control.done",
        &format!("{{\"message\":\"{id}\",\"outcome\":\"done\"}}"),
    ]);
    assert_eq!(by_agent.status, 1, "{}", by_agent.stderr);
    let done = format!("{{\"message\":\"{id}\",\"outcome\":\"done\"}}");
    sandbox.run(&["call", "control.done", &done]).success();
    assert_eq!(inbox("claude")[0]["body"], "Begin with the parser.");
    assert_eq!(sandbox.json(&["control", "--list"])["items"], serde_json::json!([]));
    sandbox.run(&["call", "control.done", &done]).success();
}

#[test]
fn what_a_client_can_not_do_is_refused_at_once_and_a_peer_controls_nobody() {
    let sandbox = Sandbox::with_team();
    sandbox.run(&["agent", "register", "old", "--profile", "kimi-cli"]).success();
    insta::assert_snapshot!(sandbox.run(&["control", "old", "clear"]).shown(), @r"
    --- stderr
    error: kimi-cli of old has no command that clears a conversation
    hint: interagent restart old begins a new one
    --- exit 1
    ");
    insta::assert_snapshot!(sandbox.run(&["control", "kimi", "model", "k2"]).shown(), @r"
    --- stderr
    error: Kimi Code of kimi can't change its model while it runs
    hint: set `model` of kimi in team.toml, then interagent team take and interagent restart kimi
    --- exit 1
    ");
    // Whichever way it is asked for.
    let switch = sandbox.run(&["inbox-write", "kimi", "/model k2", "model_switch", "operator"]);
    let call = sandbox.run(&["call", "control.send", r#"{"agent":"kimi","verb":"model","model":"k2"}"#]);
    for refused in [switch, call] {
        assert_eq!(refused.status, 1, "{}", refused.stdout);
        assert!(refused.stderr.contains("Kimi Code of kimi can't change its model"), "{}", refused.stderr);
    }
    insta::assert_snapshot!(sandbox.as_agent("kimi").run(&["control", "claude", "stop"]).shown(), @r"
    --- stderr
    error: only the superior of claude or the operator may control it
    hint: ask for it: interagent send --to claude --intent question -m TEXT
    --- exit 1
    ");
    insta::assert_snapshot!(sandbox.run(&["control", "claude", "model"]).shown(), @r"
    --- stderr
    error: it is not said which model
    hint: interagent control claude model NAME
    --- exit 2
    ");
    assert_eq!(sandbox.json(&["control", "--list"])["items"], serde_json::json!([]));
    let model = sandbox.json(&["control", "claude", "model", "opus"]);
    let failed = format!("{{\"message\":{},\"outcome\":\"failed\",\"note\":\"no pane\"}}", model["message"]);
    sandbox.run(&["call", "control.done", &failed]).success();
    sandbox.run(&["sync"]);
    let dashboard = std::fs::read_to_string(sandbox.hub().join("dashboard.md")).unwrap();
    assert!(dashboard.contains("model of claude failed") && dashboard.contains("no pane"), "{dashboard}");
}

#[test]
fn what_can_not_be_done_to_a_session_outside_of_tmux_ends_and_is_told() {
    let sandbox = Sandbox::with_team();
    let payload = r#"{"session_id":"s1","source":"startup"}"#;
    sandbox.as_agent("claude").stdin(payload).run(&["hook", "claude", "SessionStart"]).success();
    sandbox.run(&["control", "claude", "clear"]).success();
    sandbox.run(&["control", "claude", "model", "opus"]).success();
    let once = sandbox.run(&["supervise", "--once", "--json"]).success();
    let ends: Vec<&str> = once.stdout.lines().filter(|line| line.contains("\"put_off\":false")).collect();
    // One after the other, in the order in which they were asked for.
    assert!(ends.len() == 2 && ends[0].contains("clear") && ends[1].contains("model"), "{}", once.stdout);
    assert_eq!(sandbox.json(&["control", "--list"])["items"], serde_json::json!([]));
    sandbox.run(&["sync"]);
    let dashboard = std::fs::read_to_string(sandbox.hub().join("dashboard.md")).unwrap();
    assert!(dashboard.contains("the pane of claude is not known"), "{dashboard}");
}

#[test]
fn the_operator_says_something_to_a_role_and_hears_how_soon_it_is_seen() {
    let sandbox = Sandbox::new();
    sandbox.run(&["init", "--formation", "captain"]).success();
    insta::assert_snapshot!(sandbox.run(&["say", "captain", "Stop the build."]).shown(), @r"
    sent msg-1 to captain
    captain: not running; sees it when it starts
    ");
    let mail = sandbox.as_agent("captain").json(&["inbox"])["items"][0].clone();
    assert_eq!((&mail["priority"], &mail["body"]), (&"high".into(), &"Stop the build.".into()));
    insta::assert_snapshot!(sandbox.as_agent("member1").run(&["say", "captain", "I am the person."]).shown(), @r"
    --- stderr
    error: `say` is the operator's word, and you are an agent
    hint: interagent send --to NAME -m TEXT sends your own
    --- exit 1
    ");
    let members = sandbox.json(&["say", "member", "Push your branches."]);
    let names: Vec<&str> =
        members["to"].as_array().unwrap().iter().map(|to| to["name"].as_str().unwrap()).collect();
    assert!(names.len() > 1 && names.iter().all(|name| name.starts_with("member")), "{names:?}");
    let everybody = sandbox.json(&["say", "all", "Lunch", "until", "two."]);
    assert!(everybody["to"].as_array().unwrap().len() > 5, "{everybody}");
}

#[test]
fn everything_that_could_not_be_carried_out_is_named_with_its_reason() {
    let sandbox = Sandbox::with_team();
    let fail = |words: &[&str], why: &str| {
        let asked = sandbox.json(&[&["control", "claude"], words].concat())["message"].clone();
        let failed = format!("{{\"message\":{asked},\"outcome\":\"failed\",\"note\":\"{why}\"}}");
        sandbox.run(&["call", "control.done", &failed]).success();
        asked.as_str().unwrap().to_owned()
    };
    let dashboard = || {
        sandbox.run(&["sync"]);
        std::fs::read_to_string(sandbox.hub().join("dashboard.md")).unwrap()
    };
    let model = fail(&["model", "opus"], "no pane");
    fail(&["clear", "-m", "x"], "no reader");
    let shown = dashboard();
    for part in ["model of claude failed", "no pane", "clear of claude failed", "no reader"] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    let read = sandbox.run(&["read", &model]).success();
    assert!(read.stdout.contains("not carried out: no pane"), "{}", read.stdout);
    assert_eq!(sandbox.json(&["read", &model])["not_carried_out"], "no pane");
    // What was done since then is no trouble any more.
    let again = sandbox.json(&["control", "claude", "model", "opus"])["message"].clone();
    sandbox
        .run(&["call", "control.done", &format!("{{\"message\":{again},\"outcome\":\"done\"}}")])
        .success();
    let shown = dashboard();
    assert!(!shown.contains("model of claude failed") && shown.contains("clear of claude failed"), "{shown}");
}

#[test]
fn a_model_that_is_no_name_is_refused_when_it_is_asked_for() {
    let sandbox = Sandbox::with_team();
    insta::assert_snapshot!(sandbox.run(&["control", "claude", "model", "opus; rm -rf /"]).shown(), @r"
    --- stderr
    error: `opus; rm -rf /` is no name of a model
    hint: it is one word of letters, digits and . _ - : / @ [ ], and begins with a letter or a digit
    --- exit 2
    ");
    assert_eq!(sandbox.json(&["control", "--list"])["items"], serde_json::json!([]));
}

#[test]
fn a_person_reads_mail_in_an_inbox_and_has_no_session() {
    let sandbox = Sandbox::with_team();
    insta::assert_snapshot!(sandbox.run(&["say", "operator", "x"]).shown(), @r"
    sent msg-1 to operator
    operator: a person; it waits in your own inbox: interagent inbox
    ");
}

#[test]
fn pending_control_is_not_held_mail() {
    let sandbox = Sandbox::with_team();
    let asked = sandbox.json(&["control", "claude", "clear"]);
    let id = asked["message"].as_str().unwrap();
    let summary = sandbox.json(&["summary"]);
    assert_eq!((&summary["held"], &summary["actions"]), (&0.into(), &serde_json::json!([])), "{summary}");
    assert_eq!(sandbox.json(&["status"])["held"], 0);
    assert_eq!(sandbox.json(&["msg", "list", "--held"])["items"], serde_json::json!([]));
    let read = sandbox.run(&["read", id]).success();
    assert!(!read.stdout.contains("held") && !read.stdout.contains("release"), "{}", read.stdout);
    insta::assert_snapshot!(sandbox.operator().run(&["msg", "release", id]).shown(), @r"
    --- stderr
    error: msg-1 is a control message, not mail
    hint: list pending control messages: interagent control --list
    --- exit 4
    ");
    assert_eq!(sandbox.run(&["msg", "hold", id]).status, 4);
    assert_eq!(sandbox.json(&["control", "--list"])["items"][0]["message"], id, "it still waits");
    insta::assert_snapshot!(asked["promise"].as_str().unwrap(), @"a supervisor will clear the conversation of claude; claude has no session now; no supervisor runs: interagent supervise");
}
