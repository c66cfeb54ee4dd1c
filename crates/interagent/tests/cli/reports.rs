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
    insta::assert_snapshot!(kimi.clone().stdin(document(&task)).run(&["task", "report", "--file", "-"]).shown(), @"reported on task-1  completed kimi  Keep the last token");
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
    hint: interagent task show ID --yaml shows what a report looks like
    --- exit 2
    ");
    insta::assert_snapshot!(report("status: done", "staus: done"), @r"
    --- stderr
    error: this is no report: line 5: `staus` is no field of a report; a report has worker_id, task_id, parent_cmd, timestamp, status, result, skill_candidate, purpose_gap
    hint: interagent task show ID --yaml shows what a report looks like
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
    hint: interagent task show ID --yaml shows what a report looks like
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
