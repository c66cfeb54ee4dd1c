//! Reports on tasks, as options and as the document members write.

use interagent_testkit::Sandbox;

/// A task of kimi below an order, and the ids of both.
fn team_at_work() -> (Sandbox, String, String) {
    let sandbox = Sandbox::with_team();
    let claude = sandbox.as_agent("claude");
    let order = claude.json(&["task", "create", "The parser", "--alias", "cmd_035"])["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let part = ["task", "create", "Keep the last token", "--assignee", "kimi", "--parent", &order];
    let task = claude.json(&part)["id"].as_str().unwrap().to_owned();
    sandbox.as_agent("kimi").run(&["task", "update", &task, "--status", "in_progress"]).success();
    (sandbox, task, order)
}

fn document(task: &str) -> String {
    format!(
        "worker_id: kimi\ntask_id: {task}\nparent_cmd: cmd_035\ntimestamp: 2026-01-31T09:30:00\nstatus: done\n\
         result:\n  summary: the last token is kept\n  files_modified: [src/parser.rs]\n  notes: |\n    one\n    two\n\
         skill_candidate:\n  found: true\n  name: token-tests\n  description: makes cases\n  reason: used twice\n"
    )
}

#[test]
fn a_report_is_a_document_and_comes_out_as_one() {
    let (sandbox, task, _) = team_at_work();
    let kimi = sandbox.as_agent("kimi");
    insta::assert_snapshot!(kimi.clone().stdin(document(&task)).run(&["task", "report", "--file", "-"]).shown(), @"
    reported on task-1  completed kimi  Keep the last token
    note: claude: not running; sees it when it starts
    ");
    let shown = sandbox.run(&["task", "show", &task]).success().stdout;
    let report = shown.split_once("report by").unwrap().1.split_once('\n').unwrap().1;
    insta::assert_snapshot!(report, @r"
    summary:
      the last token is kept
    files:
      - src/parser.rs
    notes:
      one
      two
    could be reused: token-tests
    what it does:
      makes cases
    why it is worth keeping:
      used twice
    ");
    let yaml = sandbox.run(&["task", "show", &task, "--yaml"]);
    let without_time: Vec<String> =
        yaml.shown().lines().filter(|line| !line.starts_with("timestamp")).map(ToOwned::to_owned).collect();
    insta::assert_snapshot!(without_time.join("\n"), @r#"
    worker_id: kimi
    task_id: task-1
    parent_cmd: task-2
    status: done
    result:
      summary: "the last token is kept"
      files_modified:
      - src/parser.rs
      notes: |
      one
      two
    skill_candidate:
      found: true
      name: token-tests
      description: "makes cases"
      reason: "used twice"
    "#);
    // What comes out can go in again, for the same work done again.
    let again = sandbox.as_agent("claude").json(&["task", "redo", &task])["id"].as_str().unwrap().to_owned();
    std::fs::write(sandbox.project().join("report.yaml"), yaml.stdout.replace(&task, &again)).unwrap();
    kimi.run(&["task", "report", &again, "--file", "report.yaml"]).success();
    assert_eq!(sandbox.json(&["task", "show", &again])["reports"][0]["notes"], "one\ntwo\n");
}

#[test]
fn a_wrong_report_is_refused_by_name_and_line() {
    let (sandbox, task, order) = team_at_work();
    let report = |from: &str, to: &str| {
        let run = sandbox.as_agent("kimi").stdin(document(&task).replace(from, to));
        run.run(&["task", "report", &task, "--file", "-"]).shown()
    };
    insta::assert_snapshot!(report("status: done\n", ""), @r"
    --- stderr
    error: this is no report: the report lacks status
    hint: interagent report --help names its fields
    --- exit 2
    ");
    insta::assert_snapshot!(report("status: done", "staus: done"), @r"
    --- stderr
    error: this is no report: line 5: `staus` is no field of a report; a report has worker_id, task_id, parent_cmd, timestamp, status, result, skill_candidate, purpose_gap, changed_files, verification, todo_scan, commit_info
    hint: interagent report --help names its fields
    --- exit 2
    ");
    insta::assert_snapshot!(report("worker_id: kimi", "worker_id: claude"), @r"
    --- stderr
    error: worker_id says claude, but you are kimi
    hint: the operator may speak for it: --from-agent claude
    --- exit 1
    ");
    insta::assert_snapshot!(report(&task, &order), @r"
    --- stderr
    error: task_id says task-1, but the report is given for task-2
    --- exit 2
    ");
    insta::assert_snapshot!(report("cmd_035", "null"), @r"
    --- stderr
    error: parent_cmd is empty, but task-1 is part of task-2
    --- exit 2
    ");
    insta::assert_snapshot!(report("found: true", "found: true\n  owner: *x"), @r"
    --- stderr
    error: this is no report: line 14: it is not YAML: while parsing node, found unknown anchor
    hint: interagent report --help names its fields
    --- exit 2
    ");
    let both = sandbox.as_agent("kimi").run(&["task", "report", &task, "done", "--file", "report.yaml"]);
    assert_eq!(both.status, 2, "{}", both.stderr);
    assert_eq!(sandbox.as_agent("kimi").run(&["task", "report", &task, "--file", "absent.yaml"]).status, 3);
    insta::assert_snapshot!(sandbox.run(&["task", "show", &task, "--yaml"]).shown(), @r"
    --- stderr
    error: nobody has reported on task-1
    --- exit 3
    ");
    assert_eq!(sandbox.json(&["task", "show", &task])["status"], "in_progress");
}

#[test]
fn a_report_as_options_names_what_is_missing() {
    let (sandbox, task, _) = team_at_work();
    let kimi = sandbox.as_agent("kimi");
    insta::assert_snapshot!(kimi.run(&["task", "report", &task, "done"]).shown(), @r"
    --- stderr
    error: the report lacks summary, skill_candidate
    hint: say `skill_candidate: {found: false}` when nothing could be reused; on the command line: --no-skill
    --- exit 2
    ");
    assert_eq!(kimi.run(&["task", "report", &task]).status, 2);
    let done = kimi.json(&["task", "report", &task, "done", "--summary", "it works", "--no-skill"]);
    assert_eq!((&done["status"], &done["reports"][0]["summary"]), (&"completed".into(), &"it works".into()));
}

#[test]
fn a_word_that_is_no_status_is_said_to_be_taken_for_a_task() {
    let (sandbox, _, _) = team_at_work();
    insta::assert_snapshot!(sandbox.as_agent("kimi").run(&["report", "wibble", "--summary", "x", "--no-skill"]).shown(), @"
    --- stderr
    error: the report lacks status; `wibble` is taken for a task
    hint: the status is done, failed or blocked: interagent report done ...
    --- exit 2
    ");
}

#[test]
fn a_report_by_the_operator_says_whose_words_it_has() {
    let (sandbox, task, _) = team_at_work();
    let done = ["--from-agent", "kimi", "report", &task, "blocked", "--summary", "no key", "--no-skill"];
    sandbox.run(&done).success();
    sandbox.as_agent("kimi").run(&["report", &task, "done", "--summary", "found it", "--no-skill"]).success();
    let shown = sandbox.run(&["task", "show", &task]).success().stdout;
    let labels: Vec<&str> = shown
        .lines()
        .filter_map(|line| line.split_once("report "))
        .map(|(_, by)| by.split(',').next().unwrap())
        .collect();
    assert_eq!(labels, ["by operator for kimi", "by kimi"], "{shown}");
    let reports = sandbox.json(&["task", "show", &task])["reports"].clone();
    assert_eq!(
        (&reports[0]["spoken_by"]["name"], &reports[0]["worker"]["name"]),
        (&"operator".into(), &"kimi".into())
    );
    assert_eq!(reports[1]["spoken_by"], serde_json::Value::Null);
}

#[test]
fn a_further_report_on_finished_work_is_mail_where_it_says_something_new() {
    let (sandbox, task, _) = captains_team();
    let told = || {
        let mail = sandbox.json(&["inbox", "--agent", "vice_captain1"]);
        let is_report =
            |mail: &&serde_json::Value| mail["intent"] == "report" || mail["intent"] == "review_request";
        mail["items"].as_array().unwrap().iter().filter(is_report).count()
    };
    let report = |summary: &str, skill: &[&str]| {
        let done = ["report", &task, "done", "--summary", summary, "--purpose-met"];
        sandbox.as_agent("member1").run(&[&done[..], skill].concat()).success();
        told()
    };
    assert_eq!(report("it is kept", &["--no-skill"]), 1);
    assert_eq!(report("it is kept", &["--no-skill"]), 1, "that is known");
    assert_eq!(report("it is kept", &["--skill", "token-tests"]), 2, "a skill is news");
    assert_eq!(report("it is kept", &["--skill", "token-tests"]), 2);
    assert_eq!(report("and tested", &["--no-skill"]), 3);
}

/// A captain's team with an order, a task of member1 below it, and the ids of both.
fn captains_team() -> (Sandbox, String, String) {
    let sandbox = Sandbox::new();
    sandbox.run(&["init", "--formation", "captain"]).success();
    let order = sandbox.json(&[
        "task",
        "create",
        "The parser",
        "--assignee",
        "vice_captain1",
        "--purpose",
        "readers lose no token",
        "--criterion",
        "the last token is kept",
    ]);
    let order = order["id"].as_str().unwrap().to_owned();
    let part = ["task", "create", "Keep the last token", "--assignee", "member1", "--parent", &order];
    let part = [&part[..], &["--echo-message", "Not one lost!"]].concat();
    let task = sandbox.as_agent("vice_captain1").json(&part)["id"].as_str().unwrap().to_owned();
    sandbox.as_agent("member1").run(&["task", "update", &task, "--status", "in_progress"]).success();
    (sandbox, task, order)
}

#[test]
fn in_a_captains_team_done_is_said_after_a_look_at_the_purpose() {
    let (sandbox, task, _) = captains_team();
    let member = sandbox.as_agent("member1");
    let done = ["report", "done", "--summary", "it is kept", "--no-skill"];
    insta::assert_snapshot!(member.run(&done).shown(), @r#"
    --- stderr
    error: the report does not say whether the result serves its purpose: "readers lose no token" (task-1); it is done when: "the last token is kept"
    hint: compare, then say --purpose-met or --purpose-gap TEXT; in YAML, purpose_gap: null or a text
    --- exit 1
    "#);
    let met = member.run(&[&done[..], &["--purpose-met"]].concat());
    insta::assert_snapshot!(met.shown(), @"
    reported on task-1  completed member1  Keep the last token
    purpose of task-2: readers lose no token
    done when:
      - the last token is kept
    meets it: yes
    note: vice_captain1: not running; sees it when it starts
    Not one lost!
    ");
    let report = &sandbox.json(&["task", "show", &task])["reports"][0];
    assert_eq!((&report["purpose_met"], &report["purpose_gap"]), (&true.into(), &serde_json::Value::Null));
    // Programs get the answer alone: no cheer, neither here nor in the log.
    let (sandbox, task, _) = captains_team();
    let gap = [&done[..], &["--purpose-gap", "one is lost"]].concat();
    let answer = sandbox.as_agent("member1").json(&gap);
    assert_eq!(answer["reports"][0]["purpose_gap"], "one is lost");
    sandbox.run(&["sync"]);
    let dashboard = std::fs::read_to_string(sandbox.hub().join("dashboard.md")).unwrap();
    assert!(dashboard.contains("misses its purpose: Keep the last token") && dashboard.contains(&task));
}

#[test]
fn a_report_without_a_task_is_about_the_one_that_is_open() {
    let (sandbox, task, _) = team_at_work();
    let kimi = sandbox.as_agent("kimi");
    let done = ["report", "done", "--summary", "it works", "--no-skill"];
    insta::assert_snapshot!(sandbox.as_agent("claude").run(&done).shown(), @r"
    --- stderr
    error: claude has no open task to report on
    hint: interagent task list --open shows whose tasks there are
    --- exit 3
    ");
    sandbox.as_agent("claude").run(&["task", "create", "Another", "--assignee", "kimi"]).success();
    insta::assert_snapshot!(kimi.run(&done).shown(), @r"
    --- stderr
    error: kimi has several open tasks: task-1, task-2
    hint: name the one you report on: interagent report task-1 done ...
    --- exit 2
    ");
    let document = document(&task).replace("status: done", "status: blocked")
        + "purpose_gap: null\nchanged_files:\n  - {path: src/a.rs, action: created}\n\
           verification: {build_result: fail, build_command: cargo build, error_console: E0308}\n\
           todo_scan: {count: 2, new_todos: [later]}\ncommit_info: {branch: cmd_035/kimi/x, commit_hash: abc123}\n";
    // From a pipe, with or without a dash.
    kimi.clone().stdin(document.clone()).run(&["report"]).success();
    kimi.clone().stdin(document).run(&["report", "-"]).success();
    let shown = sandbox.run(&["task", "show", &task]).success().stdout;
    let report = shown.split("report by").nth(2).unwrap().split_once('\n').unwrap().1;
    insta::assert_snapshot!(report, @r"
    summary:
      the last token is kept
    files:
      - src/parser.rs
    notes:
      one
      two
    meets the purpose: yes
    changed files:
      - src/a.rs (created)
    build: fail, by cargo build
    console:
      E0308
    left to do: 2
    new:
      - later
    branch: cmd_035/kimi/x
    commit: abc123
    could be reused: token-tests
    what it does:
      makes cases
    why it is worth keeping:
      used twice
    ");
    let yaml = sandbox.run(&["task", "show", &task, "--yaml"]).success().stdout;
    let second = yaml.split("---\n").nth(1).unwrap();
    let details = &second[second.find("purpose_gap").unwrap()..];
    insta::assert_snapshot!(details, @r#"
    purpose_gap: null
    changed_files:
      - path: src/a.rs
        action: created
    verification:
      build_result: fail
      build_command: "cargo build"
      error_console: E0308
    todo_scan:
      count: 2
      new_todos:
        - later
    commit_info:
      branch: cmd_035/kimi/x
      commit_hash: abc123
    "#);
}

#[test]
fn a_person_fills_a_report_in_their_editor() {
    let (sandbox, task, _) = captains_team();
    let size = interagent_testkit::terminal::Size { rows: 30, columns: 100 };
    let report = |editor: &str| {
        let run = sandbox.start().env("TERM", "xterm").env("EDITOR", editor);
        let command = run.command(&["--from-agent", "member1", "report", &task]);
        interagent_testkit::terminal::run_on_terminal(command, size, "")
    };
    let (status, screen) = report("true");
    assert_eq!(status, 1, "{screen}");
    assert!(screen.contains("nothing was sent"), "{screen}");
    let kept = sandbox.project().join("seen.yaml");
    let editor = format!("cp \"$1\" {}; sed -i 's/summary: \"\"/summary: all is well/'", kept.display());
    let (status, screen) = report(&format!("sh -c '{}' sh", editor.replace('\'', "'\\''") + " \"$1\""));
    assert_eq!(status, 0, "{screen}");
    let template = std::fs::read_to_string(kept).unwrap();
    assert!(
        template.contains("readers lose no token")
            && template.contains("# done when: the last token is kept")
    );
    let sent = sandbox.json(&["task", "show", &task])["reports"][0].clone();
    assert_eq!(sent["summary"], "all is well");
    assert_ne!(sent["purpose_met"], true, "who left the line as it was has compared nothing: {sent}");
}

#[test]
fn a_report_in_the_editor_without_an_id_is_about_the_one_open_task() {
    let (sandbox, task, order) = captains_team();
    let size = interagent_testkit::terminal::Size { rows: 30, columns: 100 };
    let report = |editor: &str| {
        let run = sandbox.start().env("TERM", "xterm").env("EDITOR", editor);
        let command = run.command(&["--from-agent", "member1", "report"]);
        interagent_testkit::terminal::run_on_terminal(command, size, "")
    };
    let (status, screen) = report("false");
    assert_eq!(status, 5, "{screen}");
    assert!(screen.contains("--file FILE") && !screen.contains("-m"), "a way that `report` has: {screen}");
    let kept = sandbox.project().join("seen.yaml");
    let editor = format!("cp \"$1\" {}; sed -i 's/summary: \"\"/summary: all is well/'", kept.display());
    let (status, screen) = report(&format!("sh -c '{}' sh", editor.replace('\'', "'\\''") + " \"$1\""));
    assert_eq!(status, 0, "{screen}");
    let seen = std::fs::read_to_string(kept).unwrap();
    assert!(seen.contains(&format!("task_id: {task}\nparent_cmd: {order}\n")), "{seen}");
    assert!(seen.contains("readers lose no token"), "{seen}");
    assert_eq!(sandbox.json(&["task", "show", &task])["reports"][0]["summary"], "all is well");
    // Nothing is left to report on: that is said at once, not after somebody wrote a report.
    let (status, screen) = report("touch");
    assert_eq!(status, 3, "{screen}");
    assert!(screen.contains("no open task to report on"), "{screen}");
}

#[test]
fn a_superior_is_told_of_every_report_since_its_last_turn_and_no_more_once_it_has_them() {
    let (sandbox, task, order) = captains_team();
    let member = sandbox.as_agent("member1");
    member.run(&["report", "done", "--summary", "it is kept", "--no-skill", "--purpose-met"]).success();
    let vice = sandbox.as_agent("vice_captain1");
    vice.run(&["inbox"]).success();
    // Its mail is read; the scan is about reports.
    let briefed = vice.run(&["briefing"]).success().stdout;
    assert!(briefed.contains("Reports since your last turn (1)") && briefed.contains(&task), "{briefed}");
    assert!(!vice.run(&["briefing"]).success().stdout.contains("Reports since"), "it has seen them");
    // The captain gets no mail of it, and sees it here.
    vice.run(&["report", &order, "done", "--summary", "all done", "--no-skill", "--purpose-met"]).success();
    let captain = sandbox.as_agent("captain");
    let inbox = captain.json(&["inbox"]);
    assert_eq!(inbox["items"], serde_json::json!([]));
    let hook = |event: &str, more: &str| {
        let input = format!("{{\"session_id\":\"s-1\",\"hook_event_name\":\"{event}\"{more}}}");
        sandbox.as_agent("captain").stdin(input).run(&["hook", "claude", event]).stdout
    };
    let start = hook("SessionStart", ",\"source\":\"startup\"");
    assert!(start.contains("all done"), "{start}");
    let prompt = hook("UserPromptSubmit", ",\"prompt\":\"go\"");
    assert!(!prompt.contains("all done"), "the prompt is the evidence: {prompt}");
    // A report that comes between turns is told at the next one, and again until there is evidence.
    let again = sandbox.json(&["task", "create", "More", "--assignee", "vice_captain1"]);
    let again = again["id"].as_str().unwrap();
    hook("Stop", "");
    vice.run(&["report", again, "failed", "--summary", "no key", "--no-skill"]).success();
    let next = hook("UserPromptSubmit", ",\"prompt\":\"next\"");
    assert!(next.contains("no key"), "{next}");
    hook("Stop", "");
    let last = hook("UserPromptSubmit", ",\"prompt\":\"last\"");
    assert!(!last.contains("no key"), "{last}");
}
