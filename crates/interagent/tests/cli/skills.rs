//! Skills from reports: counted, listed, promoted into the clients' folders, rejected.

use interagent_testkit::Sandbox;

/// A team whose members proposed skills in their reports.
fn with_proposals() -> Sandbox {
    let sandbox = Sandbox::with_team();
    for (n, name, agent) in [
        (1, "Token tests", "kimi"),
        (2, "token_tests", "claude"),
        (3, "日本語 テスト", "kimi"),
        (4, "one-off", "kimi"),
    ] {
        let task = sandbox.json(&["task", "create", &format!("Part {n}"), "--assignee", agent]);
        let task = task["id"].as_str().unwrap();
        let report = ["report", task, "done", "--summary", "done", "--skill", name];
        let more = ["--skill-description", "makes cases", "--skill-reason", "used twice"];
        sandbox.as_agent(agent).run(&[&report[..], &more[..]].concat()).success();
    }
    sandbox
}

#[test]
fn candidates_are_counted_together_where_they_look_alike() {
    let sandbox = with_proposals();
    insta::assert_snapshot!(sandbox.run(&["skill", "list"]).shown(), @r"
    name  state  times  by  what it does
    token-tests  candidate  2  claude, kimi  makes cases
    one-off  candidate  1  kimi  makes cases
    日本語-テスト  candidate  1  kimi  makes cases
    ");
    sandbox.run(&["skill", "reject", "One off", "--reason", "too small"]).success();
    let left = sandbox.json(&["skill", "list", "--candidates"]);
    let left: Vec<&str> =
        left["items"].as_array().unwrap().iter().map(|one| one["key"].as_str().unwrap()).collect();
    assert_eq!(left, ["token-tests", "日本語-テスト"]);
    insta::assert_snapshot!(sandbox.run(&["skill", "show", "nothing"]).shown(), @r"
    --- stderr
    error: nobody proposed a skill called `nothing`
    hint: interagent skill list shows what was proposed
    --- exit 3
    ");
}

#[test]
fn the_operator_promotes_and_nobody_elses_file_is_overwritten() {
    let sandbox = with_proposals();
    let places = [".agents/skills", ".claude/skills"]
        .map(|folder| sandbox.project().join(folder).join("token-tests/SKILL.md"));
    insta::assert_snapshot!(sandbox.as_agent("kimi").run(&["skill", "promote", "token-tests"]).shown(), @r"
    --- stderr
    error: the operator alone may promote the skill token-tests
    hint: the operator runs `interagent skill promote token-tests`; ask: interagent send --to operator -m TEXT
    --- exit 1
    ");
    assert!(places.iter().all(|place| !place.exists()), "an agent writes no skill");
    sandbox.run(&["skill", "promote", "token-tests", "--dry-run"]).success();
    assert!(places.iter().all(|place| !place.exists()), "a dry run writes nothing");
    std::fs::create_dir_all(places[1].parent().unwrap()).unwrap();
    std::fs::write(&places[1], "mine").unwrap();
    let refused = sandbox.run(&["skill", "promote", "token-tests"]);
    assert_eq!(refused.status, 4, "{}", refused.stderr);
    assert_eq!(std::fs::read_to_string(&places[1]).unwrap(), "mine");
    assert!(!places[0].exists(), "all or nothing");
    assert_eq!(sandbox.json(&["skill", "show", "token-tests"])["skill"]["state"], "candidate");
    std::fs::remove_file(&places[1]).unwrap();
    insta::assert_snapshot!(sandbox.run(&["skill", "promote", "Token Tests"]).shown(), @r"
    promoted token-tests
    written to:
      - .agents/skills/token-tests/SKILL.md
      - .claude/skills/token-tests/SKILL.md
    ");
    let written = std::fs::read_to_string(&places[0]).unwrap();
    assert!(written.starts_with("---\nname: token-tests\ndescription: \"makes cases\"\n---\n"), "{written}");
    assert_eq!(std::fs::read_to_string(&places[1]).unwrap(), written);
    sandbox.run(&["skill", "promote", "token-tests"]).success();
    insta::assert_snapshot!(sandbox.run(&["skill", "promote", "日本語 テスト"]).shown(), @r"
    --- stderr
    error: `日本語-テスト` can't be the name of a folder
    hint: choose one: interagent skill promote '日本語 テスト' --as WORD
    --- exit 2
    ");
    sandbox.run(&["sync"]);
    let dashboard = std::fs::read_to_string(sandbox.hub().join("dashboard.md")).unwrap();
    let skills =
        &dashboard[dashboard.find("## Skill candidates").unwrap()..dashboard.find("## Waiting").unwrap()];
    insta::assert_snapshot!(skills, @r"
    ## Skill candidates

    - one-off: makes cases (once, by kimi); `interagent skill promote one-off`
    - 日本語-テスト: makes cases (once, by kimi); `interagent skill promote 日本語-テスト --as NAME`

    ## Generated skills

    - token-tests: makes cases (.agents/skills/token-tests/SKILL.md, .claude/skills/token-tests/SKILL.md)
    ");
}

#[test]
fn rejecting_a_skill_takes_back_the_files_that_nobody_changed() {
    let sandbox = with_proposals();
    sandbox.run(&["skill", "promote", "token-tests"]).success();
    let places = [".agents/skills", ".claude/skills"]
        .map(|folder| sandbox.project().join(folder).join("token-tests/SKILL.md"));
    std::fs::write(&places[1], "mine").unwrap();
    // What is proposed later changes nothing of the files that were written.
    let task = sandbox.json(&["task", "create", "Part 5", "--assignee", "kimi"]);
    let report = ["report", task["id"].as_str().unwrap(), "done", "--summary", "s", "--skill", "token-tests"];
    sandbox.as_agent("kimi").run(&report).success();
    let refused = sandbox.as_agent("kimi").run(&["skill", "reject", "token-tests", "--reason", "no"]);
    assert_eq!(refused.status, 1, "{}", refused.stderr);
    assert!(places[0].exists(), "an agent takes no skill away");
    insta::assert_snapshot!(sandbox.run(&["skill", "reject", "token-tests", "--reason", "too small"]).shown(), @"
    rejected token-tests
    note: removed .agents/skills/token-tests/SKILL.md
    note: .claude/skills/token-tests/SKILL.md stays: it says something else than we wrote
    ");
    assert!(!places[0].parent().unwrap().exists() && places[0].parent().unwrap().parent().unwrap().exists());
    assert_eq!(std::fs::read_to_string(&places[1]).unwrap(), "mine");
}

#[test]
fn a_skill_that_gets_another_name_leaves_no_file_under_the_old_one() {
    let sandbox = with_proposals();
    let skill = |name: &str| sandbox.project().join(".claude/skills").join(name).join("SKILL.md");
    sandbox.run(&["skill", "promote", "token-tests"]).success();
    let told = sandbox.run(&["skill", "promote", "token-tests", "--as", "tests-of-tokens"]).success();
    assert!(told.shown().contains("removed .claude/skills/token-tests/SKILL.md"), "{}", told.shown());
    assert!(skill("tests-of-tokens").is_file() && !skill("token-tests").exists());
    sandbox.run(&["skill", "reject", "token-tests", "--reason", "too small"]).success();
    assert!(!skill("tests-of-tokens").exists());
}
