//! Sending, handing over, reading.

use std::process::Stdio;

use interagent_testkit::Sandbox;
use serde_json::Value;

fn sent(sandbox: &Sandbox, arguments: &[&str]) -> String {
    sandbox.json(arguments)["id"].as_str().unwrap().to_owned()
}

fn state_for(sandbox: &Sandbox, message: &str) -> Value {
    // By nobody's eyes: the operator is no recipient here.
    sandbox.json(&["read", message])["to"][0]["state"].clone()
}

#[test]
fn renamed_agent_keeps_its_seat() {
    let sandbox = Sandbox::with_team();
    sandbox.run(&["agent", "rename", "kimi", "kimbo"]).success();
    let told = "team.toml still says kimi, and that agent is now called kimbo";
    let helps = "write kimbo in place of kimi in team.toml, then run: interagent team take";
    let doctor = sandbox.run(&["doctor"]);
    assert!(doctor.stdout.contains(told), "{}", doctor.stdout);
    assert!(doctor.stdout.contains(helps), "{}", doctor.stdout);
    let up = sandbox.run(&["up", "--dry-run"]);
    assert!(up.stdout.contains(&format!("note: {told}; {helps}")), "{}{}", up.stdout, up.stderr);

    let path = sandbox.hub().join("team.toml");
    let text = std::fs::read_to_string(&path).unwrap().replace("kimi]", "kimbo]");
    std::fs::write(&path, text.replace("[agents.kimi]", "[agents.kimbo]")).unwrap();
    sandbox.operator().run(&["team", "take"]).success();
    let agents = sandbox.json(&["agent", "list"]);
    let names: Vec<&str> =
        agents["items"].as_array().unwrap().iter().filter_map(|a| a["name"].as_str()).collect();
    assert_eq!(names, ["operator", "claude", "kimbo"]);
}

#[test]
fn a_question_and_its_answer() {
    let sandbox = Sandbox::with_team();
    let question = [
        "send",
        "--to",
        "kimi",
        "-s",
        "Parser",
        "-m",
        "Does it keep\nthe last token?",
        "--intent",
        "question",
    ];
    let question = [&question[..], &["--ref", "src/a.rs:3-9", "--priority", "high"]].concat();
    insta::assert_snapshot!(sandbox.as_agent("claude").run(&question).shown(), @"
    sent msg-1 to kimi
    note: kimi: not running; sees it when it starts
    ");
    insta::assert_snapshot!(sandbox.as_agent("kimi").run(&["inbox"]).shown(), @"
    kimi: 1 unread message, owes 1 thing

    msg-1  question Parser
    from: claude (claimed), [ago]
    priority: high
    ref: src/a.rs:3-9
    you owe: answer
    next: interagent reply msg-1 -m TEXT

      Does it keep
      the last token?
    ");
    let id = sandbox.json(&["inbox", "--agent", "kimi"])["items"][0]["id"].as_str().unwrap().to_owned();
    insta::assert_snapshot!(sandbox.as_agent("kimi").run(&["reply", &id, "-m", "It does."]).shown(), @"
    sent msg-1 to claude
    note: claude: not running; sees it when it starts
    ");
    insta::assert_snapshot!(sandbox.as_agent("claude").run(&["inbox"]).shown(), @r"
    claude: 1 unread message

    msg-1  message Re: Parser
    from: kimi (claimed), [ago]
    reply to: msg-2

      It does.
    ");
}

#[test]
fn an_agents_own_inbox_delivers_and_any_other_view_changes_nothing() {
    let sandbox = Sandbox::with_team();
    let id = sent(&sandbox, &["send", "--to", "kimi", "-m", "look"]);
    for look in [&["inbox", "--agent", "kimi", "--bodies"][..], &["read", &id], &["msg", "list"], &["status"]]
    {
        sandbox.run(look).success();
        sandbox.as_agent("claude").run(look).success();
        assert_eq!(state_for(&sandbox, &id), "queued", "{look:?}");
    }
    sandbox.run(&["inbox", "--from-agent", "kimi"]).success();
    assert_eq!(state_for(&sandbox, &id), "queued");
    let handed = sandbox.as_agent("kimi").json(&["inbox"]);
    assert_eq!(handed["items"][0]["body"], "look");
    assert_eq!(state_for(&sandbox, &id), "delivered");
}

#[test]
fn an_idle_inbox_writes_nothing() {
    let sandbox = Sandbox::with_team();
    sent(&sandbox, &["send", "--to", "kimi", "-m", "look"]);
    sandbox.as_agent("kimi").run(&["inbox"]).success();
    let seq = |run: &interagent_testkit::sandbox::Output| {
        serde_json::from_str::<Value>(&run.stdout).unwrap()["seq"].as_i64().unwrap()
    };
    let first = sandbox.as_agent("kimi").run(&["inbox", "--json"]).success();
    let second = sandbox.as_agent("kimi").run(&["inbox", "--json"]).success();
    assert_eq!(seq(&first), seq(&second));
    // Whoever passes the writers' gate leaves its number there: an idle check does not even queue.
    let look =
        || ["hub.db-wal", "gate"].map(|name| std::fs::read(sandbox.hub().join("state").join(name)).unwrap());
    let before = look();
    sandbox.as_agent("kimi").run(&["inbox"]).success();
    assert!(look() == before);
}

#[test]
fn a_message_that_was_acknowledged_by_its_alias_changed() {
    let sandbox = Sandbox::with_team();
    sandbox.run(&["send", "--to", "kimi", "-m", "hello", "--alias", "am"]).success();
    let kimi = sandbox.as_agent("kimi");
    kimi.run(&["inbox"]).success();
    let done = kimi.json(&["ack", "am"]);
    assert_eq!((done["changed"].as_array().unwrap().len(), &done["unchanged"]), (1, &serde_json::json!([])));
    let again = kimi.json(&["ack", "am"]);
    assert_eq!(again["unchanged"], done["changed"]);
}

#[test]
fn a_seated_agent_that_was_renamed_keeps_what_is_its_own() {
    let sandbox = Sandbox::with_team();
    sandbox.run(&["quick", "--to", "kimi", "Do it"]).success();
    let id = sandbox.json(&["agent", "show", "kimi"])["id"].clone();
    let renamed = sandbox.run(&["agent", "rename", "kimi", "kimbo"]).success();
    assert!(renamed.stdout.contains("interagent team take"), "{}", renamed.shown());
    let file = sandbox.hub().join("team.toml");
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, text.replace("[agents.kimi]", "[agents.kimbo]")).unwrap();
    sandbox.operator().run(&["team", "take"]).success();
    let now = sandbox.json(&["agent", "show", "kimbo"]);
    assert_eq!((&now["id"], &now["role"]), (&id, &serde_json::json!("delegate")));
    assert_eq!(sandbox.json(&["task", "list", "--assignee", "kimbo"])["items"].as_array().unwrap().len(), 1);
    // Renamed only in the file, it would be another agent: that is said.
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, text.replace("[agents.kimbo]", "[agents.kim]")).unwrap();
    let taken = sandbox.operator().run(&["team", "take"]).success();
    assert!(taken.stdout.contains("kimbo has no seat any more"), "{}", taken.shown());
}

#[test]
fn reading_ones_own_mail_acknowledges_it() {
    let sandbox = Sandbox::with_team();
    let id = sent(&sandbox, &["send", "--to", "kimi", "-s", "Plan", "-m", "the whole text"]);
    let read = sandbox.as_agent("kimi").run(&["read", &id]).success();
    assert!(read.stdout.contains("  the whole text"), "{}", read.stdout);
    assert_eq!(state_for(&sandbox, &id), "acknowledged");
}

#[test]
fn what_a_reader_who_left_did_not_get_is_not_delivered() {
    let sandbox = Sandbox::with_team();
    let id = sent(&sandbox, &["send", "--to", "kimi", "-m", "look"]);
    for arguments in [&["inbox"][..], &["read", &id]] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut command = sandbox.as_agent("kimi").command(arguments);
        let ended = command.stdin(Stdio::null()).stdout(writer).stderr(Stdio::piped()).output().unwrap();
        let words = String::from_utf8(ended.stderr).unwrap();
        // A hand-over that failed is told, because the messages can be had again.
        assert_eq!(words.contains("no message counts as delivered"), arguments == ["inbox"], "{words}");
        assert_eq!(ended.status.code(), Some(0));
        assert_eq!(state_for(&sandbox, &id), "queued", "{arguments:?}");
    }
}

#[test]
fn what_a_full_disk_swallowed_is_not_delivered() {
    let sandbox = Sandbox::with_team();
    let id = sent(&sandbox, &["send", "--to", "kimi", "-m", "look"]);
    let full = || std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let inbox = sandbox.as_agent("kimi").command(&["inbox"]).stdout(full()).output().unwrap();
    let words = String::from_utf8(inbox.stderr).unwrap();
    insta::assert_snapshot!(words, @r"
    error: the answer could not be written to standard output
    cause: No space left on device (os error 28)
    hint: check where the output goes: the disk may be full
    hint: no message counts as delivered; they come again, at the latest after 60 s
    ");
    assert_eq!(inbox.status.code(), Some(5));
    assert_eq!(state_for(&sandbox, &id), "queued");

    let listing = sandbox.start().command(&["msg", "list"]).stdout(full()).output().unwrap();
    assert_eq!(listing.status.code(), Some(5));

    let send = ["send", "--to", "kimi", "-m", "twice?"];
    let send = sandbox.start().command(&send).stdout(full()).output().unwrap();
    let words = String::from_utf8(send.stderr).unwrap();
    assert_eq!(send.status.code(), Some(0), "it is durable: {words}");
    assert!(words.contains("what was asked is done"), "{words}");
    assert_eq!(sandbox.json(&["inbox", "--agent", "kimi"])["unread"], 2);
}

#[test]
fn texts_come_from_arguments_standard_input_and_files() {
    let sandbox = Sandbox::with_team();
    let send = ["send", "--to", "kimi", "-s", "s", "-m", "-"];
    sandbox.start().stdin("piped\n").run(&send).success();
    std::fs::write(sandbox.project().join("plan.md"), "from a file").unwrap();
    sandbox.run(&["send", "--to", "kimi", "-s", "s", "--file", "plan.md"]).success();
    sandbox.run(&["send", "--to", "kimi", "-s", "s", "-m", "--dashes"]).success();
    let inbox = sandbox.as_agent("kimi").json(&["inbox"]);
    let bodies: Vec<&str> =
        inbox["items"].as_array().unwrap().iter().map(|mail| mail["body"].as_str().unwrap()).collect();
    assert_eq!(bodies, ["piped\n", "from a file", "--dashes"]);

    let invalid = sandbox.start().stdin(b"caf\xe9".as_slice()).run(&send);
    assert_eq!(invalid.status, 2, "{}", invalid.stderr);
    let long = sandbox.start().stdin("x".repeat(1024 * 1024 + 1)).run(&send);
    assert_eq!(long.status, 2, "{}", long.stderr);
    let missing = sandbox.run(&["send", "--to", "kimi", "--file", "nowhere.md"]);
    assert_eq!(missing.status, 3, "{}", missing.stderr);
}

#[test]
fn the_same_key_sends_once() {
    let sandbox = Sandbox::with_team();
    let send = |body: &'static str| ["send", "--to", "kimi", "-m", body, "--key", "k-1"];
    assert_eq!(sent(&sandbox, &send("a")), sent(&sandbox, &send("a")));
    let other = sandbox.run(&send("b"));
    insta::assert_snapshot!(other.shown(), @r"
    --- stderr
    error: the key `k-1` belongs to another request
    hint: use a new key, or repeat the request as it was
    --- exit 4
    ");
}

#[test]
fn refusals_say_what_helps() {
    let sandbox = Sandbox::with_team();
    insta::assert_snapshot!(sandbox.run(&["send", "--to", "kimmi", "-m", "x"]).shown(), @r"
    --- stderr
    error: there is no agent kimmi; did you mean kimi?
    hint: there is operator, claude, kimi
    --- exit 3
    ");
    insta::assert_snapshot!(sandbox.run(&["read", "msg-zzzz"]).shown(), @r"
    --- stderr
    error: there is no message `msg-zzzz`
    hint: an id, or its first characters (at least 4 after the dash), or an alias
    --- exit 3
    ");
    insta::assert_snapshot!(sandbox.as_agent("kimi").run(&["inbox", "--from-agent", "claude"]).shown(), @r"
    --- stderr
    error: you are kimi, not claude
    hint: leave the name out: what you do counts for kimi
    --- exit 1
    ");
    insta::assert_snapshot!(sandbox.run(&["read", "msg-zzzz", "--json"]).shown(), @r#"
    {"error":{"causes":[],"code":"not_found","exit_code":3,"hints":["an id, or its first characters (at least 4 after the dash), or an alias"],"sentence":"there is no message `msg-zzzz`"}}
    --- exit 3
    "#);
}

#[test]
fn waiting_ends_with_mail_or_with_the_time() {
    let sandbox = Sandbox::with_team();
    let kimi = sandbox.as_agent("kimi");
    insta::assert_snapshot!(kimi.run(&["wait", "--timeout", "0"]).shown(), @r"
    --- stderr
    nothing came within 0 s
    --- exit 1
    ");
    let over = kimi.run(&["wait", "--timeout", "0", "--json"]);
    assert_eq!((over.status, over.stderr.as_str()), (1, ""));
    assert!(over.stdout.contains(r#""answer":{"ready":false}"#), "{}", over.stdout);

    let mut waiting = kimi.command(&["wait", "--timeout", "30"]);
    let waiting = waiting.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
    sandbox.run(&["send", "--to", "kimi", "-m", "wake up"]).success();
    let ended = waiting.wait_with_output().unwrap();
    assert_eq!((ended.status.code(), ended.stdout.as_slice()), (Some(0), &b"1 unread\n"[..]));
}
