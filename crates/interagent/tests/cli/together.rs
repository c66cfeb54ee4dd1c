//! What people see of holding, accepting, escalating, deciding, leasing, reviewing and searching; and who they are.

use interagent_testkit::Sandbox;

fn sent(sandbox: &Sandbox, arguments: &[&str]) -> String {
    let answer = sandbox.as_agent("claude").json(&[&["send", "--to", "kimi"], arguments].concat());
    answer["id"].as_str().unwrap().to_owned()
}

#[test]
fn every_verb_of_a_message_says_what_came_of_it() {
    let sandbox = Sandbox::with_team();
    let plain = sent(&sandbox, &["-s", "Plan", "-m", "text"]);
    insta::assert_snapshot!(sandbox.run(&["msg", "hold", &plain]).shown(), @r"
    held msg-1 to kimi: Plan
    nobody gets it before
      interagent msg release msg-1
    ");
    insta::assert_snapshot!(sandbox.operator().run(&["msg", "release", &plain]).shown(), @r"
    released msg-1 to kimi: Plan
    it is on its way; how far it got:
      interagent read msg-1
    ");
    let kimi = sandbox.as_agent("kimi");
    let task =
        sandbox.as_agent("claude").json(&["task", "create", "The parser"])["id"].as_str().unwrap().to_owned();
    let work = sent(&sandbox, &["--intent", "handoff", "--task", &task, "Yours?"]);
    insta::assert_snapshot!(kimi.run(&["msg", "accept", &work]).shown(), @r"
    accepted msg-1 from claude: Yours?
    the task is yours now:
      interagent task update task-2 --status in_progress
    ");
    assert_eq!(sandbox.json(&["task", "show", &task])["assignee"]["name"], "kimi");
    let work = sent(&sandbox, &["--intent", "handoff", "Yours too?"]);
    insta::assert_snapshot!(kimi.run(&["msg", "decline", &work, "--reason", "not my part"]).shown(), @r"
    declined msg-1 from claude: Yours too?
    nothing is owed for it any more
    note: claude: not running; sees it when it starts
    ");
    let ask = sent(&sandbox, &["--intent", "blocked", "I need the key"]);
    insta::assert_snapshot!(kimi.run(&["msg", "settle", &ask]).shown(), @r"
    settled msg-1 from claude: I need the key
    nothing is owed for it any more
    note: claude: not running; sees it when it starts
    ");
    let question = sent(&sandbox, &["--intent", "question", "Which licence?"]);
    insta::assert_snapshot!(kimi.run(&["msg", "escalate", &question, "--reason", "not mine"]).shown(), @"
    escalated: sent msg-1 to operator
    the answer comes to your inbox; operator gives it with
      interagent msg answer msg-1 -m TEXT
    note: operator: no notification channel; shown in `interagent status`
    ");
    insta::assert_snapshot!(sandbox.run(&["msg", "answer", &question, "MIT"]).shown(), @"
    answered: sent msg-1 to claude, kimi
    the matter is settled, and who asked is told
    note: claude: not running; sees it when it starts
    note: kimi: not running; sees it when it starts
    ");
    assert_eq!(kimi.run(&["msg", "accept", &question]).status, 4);
    assert_eq!(kimi.json(&["msg", "thread", &question])["items"].as_array().unwrap().len(), 3);
}

#[test]
fn a_decision_shows_who_stands_where() {
    let sandbox = Sandbox::with_team();
    let open = [
        "decision",
        "open",
        "Which parser?",
        "--option",
        "hand-written",
        "--option",
        "generated",
        "--to",
        "all",
    ];
    let id = sandbox.json(&open)["id"].as_str().unwrap().to_owned();
    let position = ["decision", "position", &id, "generated", "--reason", "less work"];
    insta::assert_snapshot!(sandbox.as_agent("kimi").run(&position).shown(), @r"
    took a position on dec-1  Which parser?
    positions: 1 generated
    ");
    // The principal may end the discussion, and is told how.
    insta::assert_snapshot!(sandbox.as_agent("claude").run(&["decision", "position", &id, "generated"]).shown(), @r"
    took a position on dec-1  Which parser?
    positions: 2 generated
      interagent decision decide dec-1 OUTCOME
    note: operator: no notification channel; shown in `interagent status`
    ");
    insta::assert_snapshot!(sandbox.run(&["decision", "show", &id]).shown(), @r"
    dec-1  Which parser?
    state: open
    asked by: operator
    options:
      - hand-written
      - generated
    positions: 2 generated
      kimi is for generated ([ago]): less work
      claude is for generated ([ago])
    ");
    insta::assert_snapshot!(sandbox.run(&["decision", "decide", &id, "generated", "--reason", "both want it"]).shown(), @"
    decided dec-1  Which parser?
    decided: generated (by operator)
    why: both want it
    note: claude: not running; sees it when it starts
    note: kimi: not running; sees it when it starts
    ");
    assert_eq!(sandbox.json(&["decision", "show", &id])["outcome"], "generated");
    assert_eq!(sandbox.run(&["decision", "show", "dec-none"]).status, 3);
}

#[test]
fn a_lease_shows_its_token_its_reason_and_all_the_time_it_has() {
    let sandbox = Sandbox::with_team();
    let take = ["lease", "take", "src/a.rs", "--ttl", "300", "--reason", "adding roles"];
    let taken = sandbox.as_agent("kimi").run(&take).shown();
    let token = sandbox.json(&["lease", "list"])["items"][0]["token"].to_string();
    insta::assert_snapshot!(taken.replace(&token, "[token]"), @"leased lease-1 src/a.rs, token [token], for 5 min");
    insta::assert_snapshot!(sandbox.run(&["lease", "list"]).shown().replace(&token, "[token]"), @r"
    id  holder  paths  left  reason  mode  token
    lease-1  kimi  src/a.rs  5 min  adding roles  exclusive  [token]
    ");
}

#[test]
fn numbers_that_mean_nothing_are_refused_in_usage() {
    let sandbox = Sandbox::with_team();
    for wrong in [
        &["review", "comment", "rev-1234", "x", "--path", "a.rs", "--line", "0"][..],
        &["log", "--limit", "0"],
        &["inbox", "--limit", "0"],
        &["search", "x", "--limit", "0"],
        &["init", "--formation", "captain", "--members", "0"],
    ] {
        let output = sandbox.run(wrong);
        assert_eq!(output.status, 2, "{wrong:?} {}", output.shown());
        assert!(output.stderr.contains("0"), "{}", output.stderr);
    }
}

#[test]
fn a_call_names_the_parameter_that_does_not_fit() {
    let sandbox = Sandbox::with_team();
    let said: Vec<String> = [
        ("task.list", "{\"limit\": \"many\"}"),
        ("task.list", "{\"limit\": -1}"),
        ("task.list", "{\"open\": 1}"),
        ("task.list", "{\"stat\": \"open\"}"),
        ("message.send", "{\"to\": \"kimi\"}"),
        ("message.send", "{\"to\": [\"kimi\"], \"intent\": \"gossip\"}"),
        ("message.send", "{\"to\": [\"kimi\"], \"expires\": \"soon\"}"),
        ("message.send", "{\"to\": [\"kimi\"], \"refs\": [{\"knd\": 1}]}"),
        ("summary", "{\"x\": 1}"),
        ("task.list", "[]"),
        ("task.list", "{\"limit\": 5"),
        ("task.list", "{limit: 5}"),
        ("task.lst", "{}"),
    ]
    .iter()
    .map(|(operation, params)| {
        let output = sandbox.run(&["call", operation, params]);
        assert_ne!(output.status, 0);
        output.stderr.lines().next().unwrap().to_owned()
    })
    .collect();
    insta::assert_snapshot!(said.join("\n"), @r"
    error: `limit` is a whole number from 0, not the text `many`
    error: `limit` is a whole number from 0, not the number -1
    error: `open` is true or false, not the number 1
    error: task.list has no parameter `stat`; it takes after, assignee, limit, open, parent, status
    error: `to` is a list, each item a text, not the text `kimi`
    error: `intent` is one of message, question, handoff, review_request, blocked, context_share, delegation, discussion, report, control, not the text `gossip`
    error: `expires` is a time such as 2026-01-31T09:30:00Z, not the text `soon`
    error: `refs` does not fit: it is a list, each item an object with first_line, kind, last_line, target, text
    error: summary has no parameter `x`; it takes none
    error: the parameters are a JSON object
    error: the parameters end in the middle of their JSON
    error: the parameters are not JSON from line 1, column 2 on
    error: there is no operation `task.lst`
    ");
}

#[test]
fn a_search_says_where_and_marks_the_words() {
    let sandbox = Sandbox::with_team();
    sent(&sandbox, &["-s", "Plan", "-m", "the migrations go first"]);
    sent(&sandbox, &["-s", "Plan", "-m", "more migrations"]);
    insta::assert_snapshot!(sandbox.run(&["search", "migrations"]).shown(), @r"
    msg-1  message by claude  [ago]
      Plan more migrations
    msg-2  message by claude  [ago]
      Plan the migrations go first
    ");
    let coloured = sandbox.run(&["search", "migrations", "--color", "always"]).success().stdout;
    assert!(coloured.contains("\u{1b}[32mmigrations\u{1b}[0m"), "{coloured:?}");
    let page = sandbox.run(&["search", "migrations", "--limit", "1"]).success().stdout;
    assert!(page.lines().last().unwrap().starts_with("there is more: --after "), "{page}");
}

#[test]
fn one_sees_who_one_is_why_and_where() {
    let sandbox = Sandbox::with_team();
    let kimi = sandbox.as_agent("kimi");
    let shown = kimi.run(&["whoami"]).shown();
    // The chain of processes, the terminal and the ids are those of the machine.
    let differs = ["  process:", "  terminal:", "hub:", "replica:"];
    let kept: Vec<&str> =
        shown.lines().filter(|line| !differs.iter().any(|word| line.starts_with(word))).collect();
    insta::assert_snapshot!(kept.join("\n"), @r"
    kimi (claimed)
    because: INTERAGENT_AGENT says kimi
      variable: kimi
    directory: [sandbox]/project/.interagent
    team file: [sandbox]/project/.interagent/team.toml
    found: in this directory
    ");
    let me = kimi.json(&["whoami"]);
    assert_eq!(me["place"]["kind"], "project");
    assert_eq!(me["place"]["directory"], sandbox.hub().canonicalize().unwrap().display().to_string());
    assert!(
        me["facts"]
            .as_array()
            .unwrap()
            .iter()
            .any(|fact| fact["fact"] == "variable" && fact["counted"] == true)
    );
    let named =
        sandbox.start().env("INTERAGENT_HUB", &sandbox.hub().display().to_string()).within(&sandbox.home());
    assert!(named.json(&["whoami"])["place"]["how"].as_str().unwrap().contains("INTERAGENT_HUB"));
    assert_eq!(named.run(&["whoami", "--hub", "/nowhere/at/all"]).status, 3);
}

#[test]
fn the_board_is_the_status_of_everybody() {
    let sandbox = Sandbox::with_team();
    assert_eq!(sandbox.run(&["board"]).success().shown(), sandbox.run(&["status"]).success().shown());
    assert!(sandbox.json(&["board"])["rows"].is_array());
}
