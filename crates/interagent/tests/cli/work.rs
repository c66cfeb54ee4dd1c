//! Agents, status, tasks and everything else that is one request.

use interagent_testkit::Sandbox;

#[test]
fn agents_come_and_go() {
    let sandbox = Sandbox::with_team();
    let steps: [&[&str]; 5] = [
        &["agent", "register", "codex", "--profile", "codex"],
        &["agent", "rename", "codex", "codex-2"],
        &["agent", "retire", "codex-2", "--reason", "done"],
        &["agent", "list"],
        &["agent", "show", "nobody"],
    ];
    let shown: Vec<String> = steps.iter().map(|step| sandbox.run(step).shown()).collect();
    insta::assert_snapshot!(shown.join(""), @r"
    registered codex (codex)
    next: interagent quick --to codex 'What is to be done'
      interagent relay --to codex
    renamed codex-2 (codex)
    retired codex-2 (codex)
    name  profile  role  reports to  status  unread
    operator  human  no status  0
    claude  claude  principal  no status  0
    kimi  kimi  delegate  claude  no status  0
    --- stderr
    error: there is no agent nobody
    hint: there is operator, claude, kimi
    --- exit 3
    ");
}

#[test]
fn the_board_shows_what_everybody_says() {
    let sandbox = Sandbox::with_team();
    sandbox.as_agent("kimi").run(&["status", "set", "working", "the parser", "--context", "40"]).success();
    let board = sandbox.json(&["status"]);
    let kimi = board["rows"].as_array().unwrap().iter().find(|row| row["agent"]["name"] == "kimi").unwrap();
    assert_eq!(kimi["agent"]["status"]["text"], "the parser");
    assert_eq!(kimi["agent"]["status"]["context_left"], 40);
}

/// One story through every noun, seen by people.
#[test]
fn a_task_from_order_to_approval() {
    let sandbox = Sandbox::with_team();
    let create =
        ["task", "create", "Keep the last token", "--assignee", "kimi", "--priority", "high", "--announce"];
    let task = sandbox.as_agent("claude").json(&[&create[..], &["-m", "It is lost at EOF."]].concat());
    let task = task["id"].as_str().unwrap();
    let steps: [(&str, &[&str]); 7] = [
        ("kimi", &["inbox"]),
        ("kimi", &["task", "update", task, "--status", "in-progress"]),
        ("kimi", &["task", "note", task, "half of it"]),
        ("kimi", &["task", "report", task, "done", "--summary", "kept", "--files", "a.rs", "--no-skill"]),
        ("kimi", &["task", "verdict", task, "approved"]),
        ("claude", &["task", "verdict", task, "approved", "--note", "good"]),
        ("claude", &["task", "list"]),
    ];
    let shown: Vec<String> =
        steps.iter().map(|(agent, step)| sandbox.as_agent(agent).run(step).shown()).collect();
    insta::assert_snapshot!(shown.join("\n"), @"
    kimi: 1 unread message, owes 1 thing

    msg-1  delegation Keep the last token
    from: claude (claimed), [ago]
    priority: high
    task: task-2
    you owe: start
    next: interagent task update task-2 --status in_progress

      It is lost at EOF.

    changed task-1  in_progress kimi  Keep the last token

    noted on task-1  in_progress kimi  Keep the last token

    reported on task-1  completed kimi  Keep the last token
    note: claude: not running; sees it when it starts

    --- stderr
    error: you did this work, so you can't judge it
    hint: claude judges it; ask: interagent send --to claude -m TEXT
    --- exit 1

    judged task-1  approved kimi  Keep the last token
    note: kimi: not running; sees it when it starts

    status  id  priority  assignee  title  changed
    approved  task-1  high  kimi  Keep the last token  [ago]
    ");
    let whole = sandbox.run(&["task", "show", task]).success().stdout;
    for words in ["  It is lost at EOF.", "  half of it", "report by kimi", "    kept", "verdict of claude"] {
        assert!(whole.contains(words), "{words}: {whole}");
    }
}

#[test]
fn reviews_specs_decisions_and_leases() {
    let sandbox = Sandbox::with_team();
    let steps: [(&str, &[&str]); 8] = [
        ("kimi", &["review", "open", "The parser", "-m", "please look", "--to", "claude"]),
        ("kimi", &["review", "list", "--open"]),
        ("kimi", &["spec", "publish", "wire", "-m", "version one"]),
        ("claude", &["spec", "publish", "wire", "-m", "version two", "--expected-version", "0"]),
        ("claude", &["spec", "list"]),
        ("claude", &["decision", "open", "Which parser?", "--option", "a", "--option", "b", "--to", "kimi"]),
        ("claude", &["decision", "list"]),
        ("kimi", &["lease", "take", "src/**", "--ttl", "600"]),
    ];
    let shown: Vec<String> =
        steps.iter().map(|(agent, step)| sandbox.as_agent(agent).run(step).shown()).collect();
    // No mask can know the time of day and the token.
    let shown = shown
        .join("\n")
        .lines()
        .map(|line| line.split(" 20").next().unwrap().split(", token").next().unwrap().to_owned())
        .collect::<Vec<_>>();
    insta::assert_snapshot!(shown.join("\n"), @"
    opened rev-1  open  The parser
    asked: claude
    note: claude: not running; sees it when it starts

    id  author  reviewers  title  verdict  round  threads  opened
    rev-1  kimi  claude  The parser  open  1  0  [ago]

    published wire version 1, by kimi,

    --- stderr
    error: wire is at version 1, not 0: publishing would lose what is new
    hint: interagent spec show wire shows it; publish with expected version 1 after merging
    --- exit 4

    name  version  publisher  what changed  published
    wire  1  kimi  [ago]

    opened dec-1  Which parser?
      interagent decision decide dec-1 OUTCOME
    note: kimi: not running; sees it when it starts

    id  question  outcome  positions  opened
    dec-1  Which parser?  open  0  [ago]

    leased lease-1 src/**
    ");
    let overlap = sandbox.as_agent("claude").run(&["lease", "take", "src/a.rs"]);
    assert_eq!(overlap.status, 4, "{}", overlap.stderr);
    assert!(overlap.stderr.contains("which kimi holds"), "{}", overlap.stderr);
}

#[test]
fn the_log_tells_what_happened_and_search_finds_it() {
    let sandbox = Sandbox::with_team();
    let sent = sandbox.as_agent("claude").json(&[
        "send",
        "--to",
        "kimi",
        "-s",
        "Parser",
        "-m",
        "keep the last token",
    ]);
    let id = sent["id"].as_str().unwrap();
    let newest = sandbox.json(&["log", "--limit", "1"]);
    assert_eq!(newest["items"][0]["op"], "message.send");
    assert!(sandbox.run(&["log", "--limit", "1"]).stdout.contains("there is more: --before 3"));
    assert_eq!(sandbox.json(&["log", "show", id])["steps"][0]["by"]["name"], "claude");
    assert_eq!(sandbox.json(&["log", "show", id, "--at", "1h"])["state"], serde_json::Value::Null);
    let found = sandbox.json(&["search", "last", "tok*"]);
    assert_eq!(found["items"][0]["entity"], id);
    assert!(sandbox.run(&["search", "last", "--", "-token"]).success().stdout.contains("nothing was found"));
    assert!(sandbox.run(&["briefing", "--agent", "kimi"]).success().stdout.starts_with("You are kimi"));
    sandbox.run(&["summary"]).success();
    sandbox.run(&["log", "trace"]).success();
    sandbox.run(&["session", "list"]).success();
}

#[test]
fn following_the_log_goes_on() {
    let sandbox = Sandbox::with_team();
    let mut command = sandbox.start().command(&["log", "--follow", "--json", "--after", "2"]);
    let mut child = command.stdout(std::process::Stdio::piped()).spawn().unwrap();
    let mut lines = std::io::BufRead::lines(std::io::BufReader::new(child.stdout.take().unwrap()));
    for body in ["one", "two"] {
        sandbox.run(&["send", "--to", "kimi", "-m", body]).success();
        let line: serde_json::Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
        assert_eq!(line["answer"]["op"], "message.send");
    }
    // The reader leaves: the next entry ends it, as a success.
    drop(lines);
    sandbox.run(&["send", "--to", "kimi", "-m", "three"]).success();
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn any_operation_can_be_called_by_name() {
    let sandbox = Sandbox::with_team();
    let params = r#"{"to": ["kimi"], "body": "by name"}"#;
    sandbox.run(&["call", "message.send", params]).success();
    sandbox.start().stdin(params).run(&["call", "message.send", "-"]).success();
    assert_eq!(sandbox.json(&["call", "message.inbox", r#"{"agent": "kimi"}"#])["unread"], 2);
}

#[test]
fn nothing_in_a_part_of_a_list_does_not_say_that_there_is_nothing() {
    let sandbox = Sandbox::with_team();
    let said = |line: &[&str]| sandbox.run(line).success().stdout;
    assert!(said(&["task", "list"]).starts_with("no tasks\nhint: interagent task create "));
    assert_eq!(said(&["task", "list", "--open"]), "no such tasks\nhint: interagent task list\n");
    assert_eq!(said(&["msg", "list", "--held"]), "no such messages\nhint: interagent msg list\n");
    assert!(said(&["msg", "list", "--limit", "3"]).starts_with("no messages\nhint: interagent send "));
}
