//! What the dashboard asks of the operator, in the languages of a team.

use std::fs;

use interagent_testkit::Sandbox;

/// The rows of a section of the dashboard.
fn section(sandbox: &Sandbox, heading: &str) -> Vec<String> {
    sandbox.run(&["sync"]).success();
    let text = fs::read_to_string(sandbox.hub().join("dashboard.md")).unwrap();
    let heading = format!("## {heading}\n\n");
    assert!(text.contains(&heading), "{heading}: {text}");
    let (_, rest) = text.split_once(&heading).unwrap();
    rest.lines().take_while(|line| line.starts_with("- ")).map(str::to_owned).collect()
}

fn id(sandbox: &Sandbox, agent: &str, arguments: &[&str]) -> String {
    sandbox.as_agent(agent).json(arguments)["id"].as_str().unwrap().to_owned()
}

fn speak(sandbox: &Sandbox, language: &str) {
    sandbox.run(&["init", "--force", "--language", language]).success();
}

/// A task of kimi that the operator assigned.
fn begun(sandbox: &Sandbox, title: &str) -> String {
    let task = sandbox.json(&["task", "create", title, "--to", "kimi"])["id"].as_str().unwrap().to_owned();
    sandbox.as_agent("kimi").run(&["task", "update", &task, "--status", "in_progress"]).success();
    task
}

#[test]
fn operator_question_comes_first_with_command() {
    let sandbox = Sandbox::with_team();
    let task = begun(&sandbox, "Parse dates");
    let report = ["report", &task, "failed", "--summary", "no grammar", "--no-skill"];
    sandbox.as_agent("kimi").run(&report).success();
    let ask = |to: &str, words: &str| {
        id(&sandbox, "claude", &["send", "--intent", "question", "--to", to, "-m", words])
    };
    let (asked, other) = (ask("operator", "Shall we deploy?"), ask("kimi", "Which key?"));
    let reason = [
        "msg",
        "escalate",
        &other,
        "--reason",
        "The key is gone.",
        "--default",
        "wait",
        "--deadline",
        "2099-05-06T07:08:09Z",
    ];
    let carrier = id(&sandbox, "kimi", &reason);
    let rows = |heading: &str| section(&sandbox, heading).into_iter().take(2).collect::<Vec<_>>();
    let reply = format!("`interagent reply {asked} -m TEXT`");
    let answer = format!("`interagent msg answer {carrier} -m TEXT`");
    let languages = [
        ("en", "Needs action", "Questions", "claude asks", "kimi needs an answer", "before", "otherwise"),
        (
            "ja",
            "要対応",
            "伺い事項",
            "claude からの質問",
            "kimi が回答を待っています",
            "期限",
            "回答がない場合",
        ),
        (
            "ja+en",
            "要対応 (Needs action)",
            "伺い事項 (Questions)",
            "claude からの質問 (asks)",
            "kimi が回答を待っています (needs an answer)",
            "期限 (before)",
            "回答がない場合 (otherwise)",
        ),
    ];
    for (language, action, questions, asks, needs, before, otherwise) in languages {
        speak(&sandbox, language);
        let wanted = [
            format!("- {asks}: Shall we deploy? ({asked}); {reply}"),
            format!("- {needs}: The key is gone; {before} 2099-05-06 07:08; {otherwise} wait; {answer}"),
        ];
        assert_eq!(rows(action), wanted, "{language}");
        assert!(!section(&sandbox, questions).iter().any(|row| row.contains("deploy")), "{language}");
    }
    sandbox.run(&["reply", &asked, "-m", "yes"]).success();
    assert!(!section(&sandbox, "要対応 (Needs action)").iter().any(|row| row.contains("deploy")));
}

#[test]
fn blocked_row_names_command() {
    let sandbox = Sandbox::with_team();
    let task = begun(&sandbox, "Parse dates");
    let report = ["report", &task, "blocked", "--summary", "no key", "--no-skill"];
    sandbox.as_agent("kimi").run(&report).success();
    let asked =
        sandbox.json(&["msg", "list", "--to", "operator"])["items"][0]["id"].as_str().unwrap().to_owned();
    let row =
        |status: &str, command: &str| format!("- {status}: Parse dates ({task}, kimi): no key; `{command}`");
    let help = format!("interagent reply {asked} -m TEXT");
    for (language, heading, status) in [
        ("en", "Needs action", "blocked"),
        ("ja", "要対応", "停止中"),
        ("ja+en", "要対応 (Needs action)", "停止中 (blocked)"),
    ] {
        speak(&sandbox, language);
        assert_eq!(section(&sandbox, heading), [row(status, &help)], "{language}");
    }
    speak(&sandbox, "en");
    sandbox.run(&["reply", &asked, "-m", "it is in the vault"]).success();
    let go_on = format!("interagent task update {task} --status in_progress");
    assert_eq!(section(&sandbox, "Needs action"), [row("blocked", &go_on)]);
    sandbox.run(&["task", "update", &task, "--status", "in_progress"]).success();
    assert_eq!(section(&sandbox, "Needs action"), ["- none"]);
}

#[test]
fn proposed_split_hides_no_obligation() {
    let sandbox = Sandbox::with_team();
    let task = begun(&sandbox, "Parse dates");
    let report = ["report", &task, "blocked", "--summary", "no key", "--no-skill"];
    sandbox.as_agent("kimi").run(&report).success();
    let asked =
        sandbox.json(&["msg", "list", "--to", "operator"])["items"][0]["id"].as_str().unwrap().to_owned();
    let split = ["task", "split", &task, "--into", "The lexer", "--into", "The parser"];
    sandbox.as_agent("kimi").run(&split).success();
    let help = format!("(blocked, {asked}); `interagent reply {asked} -m TEXT`");
    let rows = section(&sandbox, "Needs action");
    assert!(rows.iter().any(|row| row.contains(&help)), "{rows:#?}");
    assert!(rows.iter().any(|row| row.starts_with("- split it? Parse dates")), "{rows:#?}");
}

#[test]
fn redone_failure_needs_no_action() {
    let sandbox = Sandbox::with_team();
    let task = begun(&sandbox, "Parse dates");
    let report = ["report", &task, "failed", "--summary", "no grammar", "--no-skill"];
    sandbox.as_agent("kimi").run(&report).success();
    assert_eq!(section(&sandbox, "Needs action"), [format!("- failed: Parse dates ({task}, kimi)")]);
    sandbox.run(&["task", "redo", &task]).success();
    assert_eq!(section(&sandbox, "Needs action"), ["- none"]);
    speak(&sandbox, "ja");
    assert_eq!(section(&sandbox, "要対応"), ["- なし"]);
    assert_eq!(section(&sandbox, "待機中").len(), 1, "the successor");
    speak(&sandbox, "ja+en");
    assert_eq!(section(&sandbox, "要対応 (Needs action)"), ["- なし (none)"]);
}

#[test]
fn statuses_follow_team_language() {
    let sandbox = Sandbox::with_team();
    let task = begun(&sandbox, "Parse dates");
    for (language, heading, status) in [
        ("en", "In progress", "in_progress"),
        ("ja", "進行中", "作業中"),
        ("ja+en", "進行中 (In progress)", "作業中 (in_progress)"),
    ] {
        speak(&sandbox, language);
        let row = format!("- {status}: Parse dates ({task}, kimi)");
        assert_eq!(section(&sandbox, heading), [row], "{language}");
    }
}

/// The person who was asked in the captain's place sees the answer too.
#[test]
fn captain_answers_blocked_work_for_the_operator() {
    let sandbox = Sandbox::new();
    sandbox.run(&["init", "--formation", "captain"]).success();
    let vice = "vice_captain1";
    let created = sandbox.as_agent("captain").json(&["task", "create", "Order", "--assignee", vice]);
    let order = created["id"].as_str().unwrap();
    sandbox
        .as_agent(vice)
        .run(&["task", "update", order, "--status", "blocked", "--note", "which db?"])
        .success();
    let asked = sandbox.json(&["inbox"]);
    let message = asked["items"][0]["id"].as_str().unwrap();
    assert_eq!(asked["owed"], 1, "{asked}");
    sandbox.as_agent("captain").run(&["reply", message, "-m", "sqlite"]).success();
    assert_eq!(sandbox.json(&["inbox"])["owed"], 0);
    let briefing = sandbox.as_agent("captain").run(&["briefing"]).success().stdout;
    assert!(!briefing.contains("unblock it"), "{briefing}");
}

#[test]
fn answered_block_is_the_workers_turn() {
    let sandbox = Sandbox::with_team();
    let created = sandbox.as_agent("claude").json(&["task", "create", "Store", "--assignee", "kimi"]);
    let task = created["id"].as_str().unwrap();
    sandbox.as_agent("kimi").run(&["task", "update", task, "--status", "blocked", "--note", "db?"]).success();
    assert!(sandbox.run(&["summary"]).stdout.contains("Tell claude to unblock"));
    let asked = sandbox.as_agent("claude").json(&["inbox"])["items"][0]["id"].as_str().unwrap().to_owned();
    sandbox.as_agent("claude").run(&["reply", &asked, "-m", "sqlite"]).success();
    let summary = sandbox.run(&["summary"]).stdout;
    assert!(
        !summary.contains("claude to unblock") && summary.contains("Tell kimi to resume 1 unblocked task(s)"),
        "{summary}"
    );
    let briefing = sandbox.as_agent("claude").run(&["briefing"]).success().stdout;
    assert!(!briefing.contains("unblock it"), "{briefing}");
    let sentence = sandbox.json(&["summary"])["actions"][0]["sentence"].clone();
    assert!(sentence.as_str().unwrap().contains("\"Store\": its question is answered ("), "{sentence}");
}

#[test]
fn second_block_is_not_answered_by_the_first() {
    let sandbox = Sandbox::with_team();
    let created = sandbox.json(&["task", "create", "Store", "--assignee", "kimi"]);
    let task = created["id"].as_str().unwrap();
    let update = |status: &'static str| ["task", "update", task, "--status", status, "--note", "db?"];
    sandbox.as_agent("kimi").run(&update("blocked")).success();
    let asked = sandbox.json(&["inbox"])["items"][0]["id"].as_str().unwrap().to_owned();
    sandbox.run(&["reply", &asked, "-m", "sqlite"]).success();
    sandbox.as_agent("kimi").run(&update("in_progress")).success();
    // An assigner that blocks its own task is not written to about it.
    sandbox.run(&update("blocked")).success();
    let summary = sandbox.run(&["summary"]).stdout;
    assert!(summary.contains("Unblock 1 task(s)") && !summary.contains("to resume"), "{summary}");
}
