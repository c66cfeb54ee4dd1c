//! Roles: what agents are instructed, what they say when a task is too large or their context runs low.

use interagent_testkit::Sandbox;

fn fleet(more: &[&str]) -> Sandbox {
    let sandbox = Sandbox::new();
    let captain = ["init", "--formation", "captain", "--vice-captains", "1", "--members", "kimi:2"];
    sandbox.run(&[&captain[..], more].concat()).success();
    sandbox
}

/// A task of member1, given by its vice captain.
fn task_of_member(sandbox: &Sandbox, title: &str) -> String {
    let vice = sandbox.as_agent("vice_captain1");
    let made = vice.json(&["task", "create", title, "--assignee", "member1", "--announce"]);
    made["id"].as_str().unwrap().to_owned()
}

fn inbox(sandbox: &Sandbox, agent: &str) -> Vec<String> {
    let mail = sandbox.json(&["inbox", "--agent", agent]);
    let items = mail["items"].as_array().unwrap().iter();
    items
        .map(|item| format!("{} {}", item["intent"].as_str().unwrap(), item["subject"].as_str().unwrap()))
        .collect()
}

#[test]
fn instructions_are_of_the_agents_own_client_and_language() {
    let sandbox = fleet(&[]);
    let shown = sandbox.run(&["agent", "instructions", "member1"]).success().stdout;
    assert!(shown.starts_with("# You are member1, a member of the team \"project\"\n"), "{shown}");
    assert!(shown.contains("`mcp__interagent__check_inbox()`") && !shown.contains("/clear"), "{shown}");
    // An agent that asks for its own, in a client without tools of ours.
    let team = std::fs::read_to_string(sandbox.hub().join("team.toml")).unwrap();
    let team = team.replacen("language = \"en\"", "language = \"ja\"", 1).replace("\"kimi\"", "\"generic\"");
    std::fs::write(sandbox.hub().join("team.toml"), team).unwrap();
    sandbox.operator().run(&["team", "take"]).success();
    sandbox.run(&["agent", "register", "member1", "--profile", "generic"]).success();
    let own = sandbox.as_agent("member1").run(&["agent", "instructions"]).success().stdout;
    assert!(own.starts_with("# あなたは member1") && own.contains("`interagent inbox`"), "{own}");
    assert_eq!(sandbox.json(&["agent", "instructions", "captain"])["profile"], "claude");

    sandbox.run(&["agent", "register", "guest", "--profile", "codex"]).success();
    insta::assert_snapshot!(sandbox.run(&["agent", "instructions", "guest"]).shown(), @"
    --- stderr
    error: guest has no seat in a team, so no role obliges it to anything
    hint: interagent team show lists the seats
    hint: add a table [agents.NAME] to the team file, then run interagent team take
    --- exit 3
    ");
}

/// What agents are told a report looks like is a report.
#[test]
fn the_report_in_the_instructions_is_taken() {
    let sandbox = fleet(&[]);
    let task = task_of_member(&sandbox, "The lexer");
    let shown = sandbox.run(&["agent", "instructions", "member1"]).success().stdout;
    let form = shown.split_once("```yaml\n").unwrap().1.split_once("```").unwrap().0;
    let filled = form.replacen("task_id: task-...", &format!("task_id: {task}"), 1);
    let filled = filled.replacen("parent_cmd: task-...", "parent_cmd: null", 1);
    let member = sandbox.as_agent("member1");
    member.clone().stdin(filled.clone()).run(&["task", "report", "--file", "-"]).success();
    assert_eq!(sandbox.json(&["task", "show", &task])["status"], "completed");
    // Each of its fields is needed.
    let other = task_of_member(&sandbox, "The parser");
    for field in ["worker_id", "task_id", "parent_cmd", "timestamp", "status", "skill_candidate"] {
        let kept: Vec<&str> = filled.lines().filter(|line| !line.starts_with(field)).collect();
        let lacking = kept.join("\n").replace(&task, &other);
        let refused = member.clone().stdin(lacking).run(&["task", "report", "--file", "-"]);
        assert!(refused.status != 0 && refused.stderr.contains(field), "{field}: {}", refused.stderr);
    }
}

#[test]
fn a_superior_is_told_once_that_context_runs_low() {
    let sandbox = fleet(&[]);
    let says = |agent: &str, words: &[&str]| {
        sandbox.as_agent(agent).run(&[&["status", "set"][..], words].concat()).success()
    };
    says("member1", &["working", "--context", "31"]);
    assert_eq!(inbox(&sandbox, "vice_captain1"), Vec::<String>::new());
    says("member1", &["working", "--context", "29"]);
    says("member1", &["blocked", "no schema"]);
    says("member1", &["working", "--context", "12"]);
    assert_eq!(inbox(&sandbox, "vice_captain1"), ["report member1 has 29 % of its context left"]);
    says("member1", &["working", "--context", "90"]);
    says("member1", &["working", "--context", "20"]);
    assert_eq!(inbox(&sandbox, "vice_captain1").len(), 2);
    // No mail goes to a captain, whose board shows it.
    says("vice_captain1", &["working", "--context", "5"]);
    assert_eq!(inbox(&sandbox, "captain"), Vec::<String>::new());
    let board = sandbox.run(&["status"]).success().stdout;
    assert!(board.contains("vice_captain1"), "{board}");
}

/// Qwen Code says at the end of a turn how much it used.
#[test]
fn a_client_that_says_how_much_context_is_left_is_heard() {
    let sandbox = Sandbox::new();
    sandbox.run(&["init", "--formation", "captain", "--vice-captains", "1", "--members", "qwen:1"]).success();
    let hook = |event: &str, used: &str| {
        let told = format!(
            "{{\"session_id\":\"q-1\",\"cwd\":\"{}\",\"hook_event_name\":\"{event}\",\"context_usage\":{used}}}",
            sandbox.project().display()
        );
        sandbox.as_agent("member1").stdin(told).run(&["hook", "qwen", event]).success();
    };
    let entries = || sandbox.json(&["log", "--limit", "1"])["items"][0]["seq"].clone();
    hook("SessionStart", "0");
    hook("Stop", "0.5");
    let before = entries();
    hook("Stop", "0.6");
    assert_eq!(entries(), before, "what is no news is not written");
    hook("Stop", "0.8");
    hook("Stop", "0.9");
    assert_eq!(inbox(&sandbox, "vice_captain1"), ["report member1 has 20 % of its context left"]);
    // A conversation that begins anew has all of it.
    hook("PreCompact", "0.9");
    hook("Stop", "0.1");
    hook("Stop", "0.95");
    assert_eq!(inbox(&sandbox, "vice_captain1").len(), 2);
}

#[test]
fn a_task_that_is_too_large_is_split_by_who_gave_it() {
    let sandbox = fleet(&[]);
    let task = task_of_member(&sandbox, "The compiler");
    let (member, vice) = (sandbox.as_agent("member1"), sandbox.as_agent("vice_captain1"));
    let proposal =
        ["task", "split", &task, "--into", "The lexer", "--into", "The parser", "--reason", "two crates"];
    insta::assert_snapshot!(member.run(&proposal).shown(), @"
    task-1  blocked member1  The compiler
    split proposed by member1:
      - The lexer
      - The parser
      why:
      two crates
      answer: interagent task split task-1 --accept
    note: vice_captain1: not running; sees it when it starts
    ");
    assert_eq!(inbox(&sandbox, "vice_captain1"), [format!("question Split The compiler? ({task})")]);
    assert_eq!(sandbox.json(&["inbox", "--agent", "vice_captain1"])["duties"].as_array().unwrap().len(), 1);
    insta::assert_snapshot!(member.run(&["task", "split", &task, "--accept"]).shown(), @"
    --- stderr
    error: member1 may not divide task-1: vice_captain1 or the operator may do that, not member1
    hint: ask: interagent send --to vice_captain1 -m TEXT; or add a note: interagent task note task-1 TEXT
    --- exit 1
    ");
    let accepted =
        vice.run(&["task", "split", &task, "--accept", "--to", "member1,member2"]).success().stdout;
    // Their ids are drawn, so which comes first is not known.
    assert!(
        accepted.contains("became: task-") && accepted.matches("comes after: task-").count() == 2,
        "{accepted}"
    );
    assert_eq!(sandbox.json(&["inbox", "--agent", "vice_captain1"])["duties"].as_array().unwrap().len(), 0);
    assert_eq!(inbox(&sandbox, "member2"), ["delegation The parser"]);
    let parts = sandbox.json(&["task", "list", "--parent", &task]);
    assert_eq!(parts["items"].as_array().unwrap().len(), 2);
    // The divided task goes on when both are done.
    for part in parts["items"].as_array().unwrap() {
        let [id, worker] = [&part["id"], &part["assignee"]["name"]].map(|word| word.as_str().unwrap());
        let done = ["task", "report", id, "done", "--summary", "done", "--no-skill"];
        sandbox.as_agent(worker).run(&done).success();
    }
    assert!(inbox(&sandbox, "member1").contains(&"context_share Ready: The compiler".to_owned()));
    let log = sandbox.run(&["log", "show", &task]).success().stdout;
    assert!(log.contains("proposed to split it into 2 parts"), "{log}");
}

fn dashboard(sandbox: &Sandbox) -> String {
    sandbox.run(&["sync"]);
    std::fs::read_to_string(sandbox.hub().join("dashboard.md")).unwrap()
}

/// One section of the dashboard.
fn section<'d>(dashboard: &'d str, heading: &str) -> &'d str {
    let rest = dashboard.split_once(&format!("## {heading}\n")).unwrap().1;
    rest.split_once("\n## ").map_or(rest, |(section, _)| section)
}

#[test]
fn a_vice_captain_without_a_task_is_heard_by_its_captain() {
    let sandbox = fleet(&[]);
    let vice = sandbox.as_agent("vice_captain1");
    insta::assert_snapshot!(vice.run(&["send", "--to", "captain", "--intent", "question", "-m", "Which port?"]).shown(), @"
    --- stderr
    error: no mail goes to captain: it would interrupt the operator's typing
    hint: say it on the dashboard, where captain looks: interagent status set waiting TEXT
    --- exit 1
    ");
    vice.run(&["status", "set", "waiting", "Which port?"]).success();
    let row = "- captain: vice_captain1 is waiting: Which port?";
    let told = dashboard(&sandbox);
    assert!(section(&told, "Needs action").contains(row), "{told}");
    vice.run(&["status", "set", "working", "on the lexer"]).success();
    let told = dashboard(&sandbox);
    assert!(!told.contains("vice_captain1 is"), "{told}");
    // A member writes to its superior: what it says of itself is for the board.
    sandbox.as_agent("member1").run(&["status", "set", "waiting", "Which host?"]).success();
    assert!(!dashboard(&sandbox).contains("Which host?"));
}

#[test]
fn what_only_the_operator_does_is_asked_for_by_a_way_that_is_open() {
    let sandbox = fleet(&[]);
    let hint = |agent: &str, command: &[&str]| {
        let refused = sandbox.as_agent(agent).run(command);
        assert_eq!(refused.status, 1, "{}", refused.stderr);
        refused.stderr.split_once("hint: ").map(|(_, hint)| hint.trim().to_owned()).unwrap_or_default()
    };
    for command in [&["up"][..], &["down"], &["restart", "member2"], &["join", "--name", "member1"]] {
        assert_eq!(
            hint("member1", command),
            "write to vice_captain1, your superior: interagent send --to vice_captain1 -m TEXT",
            "{command:?}"
        );
    }
    let status = "say it on the dashboard, where captain looks: interagent status set waiting TEXT";
    assert_eq!(hint("vice_captain1", &["up"]), status);
    assert_eq!(hint("captain", &["up"]), "ask: interagent send --to operator -m TEXT");
    assert_eq!(
        hint("vice_captain1", &["control", "captain", "clear"]),
        format!("the operator runs `interagent control captain clear`; {status}")
    );
    let held = sandbox.as_agent("member1").json(&["send", "--to", "member2", "-m", "later"]);
    let held = held["id"].as_str().unwrap();
    sandbox.run(&["msg", "hold", held]).success();
    assert_eq!(
        hint("member1", &["msg", "release", held]),
        format!(
            "the operator runs `interagent msg release {held}`; \
             write to vice_captain1, your superior: interagent send --to vice_captain1 -m TEXT"
        )
    );
    sandbox.as_agent("member1").run(&["send", "--to", "vice_captain1", "-m", "Please."]).success();
    sandbox.as_agent("captain").run(&["send", "--to", "operator", "-m", "Please."]).success();
}

#[test]
fn a_proposal_to_split_says_on_the_dashboard_what_and_how() {
    let sandbox = fleet(&[]);
    let task = task_of_member(&sandbox, "Big");
    let propose = ["task", "split", &task, "--into", "The lexer", "--into", "The parser"];
    sandbox.as_agent("member1").run(&propose).success();
    let told = dashboard(&sandbox);
    let row = format!(
        "- split it? Big ({task}, member1): The lexer / The parser; vice_captain1 decides: \
         `interagent task split {task} --accept --to NAME,NAME`"
    );
    assert!(section(&told, "Needs action").contains(&row), "{told}");
    sandbox
        .as_agent("vice_captain1")
        .run(&["task", "split", &task, "--accept", "--to", "member1,member2"])
        .success();
    let told = dashboard(&sandbox);
    assert!(!section(&told, "Needs action").contains("Big"), "nobody has to do anything about it: {told}");
    assert!(
        section(&told, "Waiting").contains(&format!("- waits for its parts: Big ({task}, member1): ")),
        "{told}"
    );
}

#[test]
fn a_row_of_the_dashboard_is_one_sentence() {
    let sandbox = fleet(&[]);
    let asked = sandbox.as_agent("member1").json(&[
        "send",
        "--to",
        "vice_captain1",
        "--intent",
        "question",
        "-m",
        "Which?",
    ]);
    let plea =
        ["msg", "escalate", asked["id"].as_str().unwrap(), "--reason", "Not mine.", "--default", "wait"];
    sandbox.as_agent("vice_captain1").run(&plea).success();
    let told = dashboard(&sandbox);
    assert!(told.contains("vice_captain1 needs an answer: Not mine; otherwise wait; `interagent"), "{told}");
}

#[test]
fn work_that_leaves_the_chain_is_told_to_who_moved_it() {
    let sandbox = fleet(&[]);
    let notes = |task: &str, to: &str| {
        let done = sandbox.run(&["task", "reassign", task, "--to", to, "--json"]).success();
        serde_json::from_str::<serde_json::Value>(&done.stdout).unwrap()["notes"].clone()
    };
    let mut told = Vec::new();
    for to in ["captain", "vice_captain1", "operator"] {
        let task = task_of_member(&sandbox, "The lexer");
        told.push(format!("{to}: {}", notes(&task, to)));
    }
    insta::assert_snapshot!(told.join("\n"), @r#"
    captain: ["this leaves the chain: vice_captain1 may not judge work of captain","captain: not running; sees it when it starts","member1: not running; sees it when it starts","vice_captain1: not running; sees it when it starts"]
    vice_captain1: ["this leaves the chain: vice_captain1 can't judge its own work","member1: not running; sees it when it starts","vice_captain1: not running; sees it when it starts"]
    operator: ["this leaves the chain: vice_captain1 may not judge work of operator","member1: not running; sees it when it starts","vice_captain1: not running; sees it when it starts"]
    "#);
    let usual = task_of_member(&sandbox, "The linker");
    let told = notes(&usual, "member2").to_string();
    assert!(!told.contains("chain"), "{told}");
}
