//! The three modes: who may assign, who must approve, and the documented flow in each.

use interagent_testkit::Sandbox;

const MODES: [&str; 3] = ["hierarchical", "peer", "review"];

/// claude and kimi, and codex beside them.
fn team(mode: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox
        .run(&["init", "--mode", mode, "--agents", "claude,kimi,codex", "--principal", "claude"])
        .success();
    assert_eq!(sandbox.json(&["team", "show"])["mode"], mode);
    sandbox
}

fn assign(sandbox: &Sandbox, from: &str, to: &str) -> String {
    let task = sandbox.as_agent(from).json(&["task", "create", "--title", "Build it", "--assignee", to]);
    assert_eq!((task["status"].as_str(), task["assignee"]["name"].as_str()), (Some("assigned"), Some(to)));
    task["id"].as_str().unwrap().to_owned()
}

/// Moves a task and says where it is then; or the exit code and everything that was said against it.
fn update(sandbox: &Sandbox, who: &str, task: &str, status: &str) -> Result<String, (i32, String)> {
    let output = sandbox.as_agent(who).run(&["task", "update", task, "--status", status]);
    match output.status {
        0 => Ok(sandbox.json(&["task", "show", task])["status"].as_str().unwrap().to_owned()),
        code => Err((code, output.stderr)),
    }
}

#[track_caller]
fn refused(attempt: Result<String, (i32, String)>, wanted: &str) {
    let (code, words) = attempt.unwrap_err();
    assert!(code == 1 && words.contains(wanted), "{code}: {words}");
}

#[test]
fn the_documented_flow_works_in_every_mode() {
    for mode in MODES {
        let sandbox = team(mode);
        let task = assign(&sandbox, "claude", "kimi");
        assert_eq!(update(&sandbox, "kimi", &task, "in_progress"), Ok("in_progress".to_owned()), "{mode}");
        let done = if mode == "review" { "under_review" } else { "completed" };
        assert_eq!(update(&sandbox, "kimi", &task, "completed"), Ok(done.to_owned()), "{mode}");
        refused(update(&sandbox, "kimi", &task, "approved"), "you did this work");
        assert_eq!(update(&sandbox, "claude", &task, "approved"), Ok("approved".to_owned()), "{mode}");
        let (code, words) = update(&sandbox, "kimi", &task, "in_progress").unwrap_err();
        assert!(code == 4 && words.contains("interagent task redo"), "{mode}: {words}");
    }
}

#[test]
fn the_shortcut_from_created_to_completed_works_in_every_mode() {
    for mode in MODES {
        let sandbox = team(mode);
        let task = assign(&sandbox, "claude", "kimi");
        update(&sandbox, "kimi", &task, "completed").unwrap();
        assert_eq!(update(&sandbox, "claude", &task, "approved"), Ok("approved".to_owned()), "{mode}");
    }
}

#[test]
fn anyone_gives_work_and_only_its_worker_does_it() {
    for mode in MODES {
        let sandbox = team(mode);
        for (from, to) in [("claude", "kimi"), ("kimi", "claude"), ("codex", "kimi")] {
            let task = assign(&sandbox, from, to);
            let stranger = if to == "codex" { "kimi" } else { "codex" };
            refused(update(&sandbox, stranger, &task, "in_progress"), &format!("is the task of {to}"));
        }
    }
}

#[test]
fn hierarchical_the_principal_approves() {
    let sandbox = team("hierarchical");
    let task = assign(&sandbox, "codex", "kimi");
    update(&sandbox, "kimi", &task, "completed").unwrap();
    refused(
        update(&sandbox, "codex", &task, "approved"),
        "hint: claude judges it; ask: interagent send --to claude",
    );
    update(&sandbox, "claude", &task, "approved").unwrap();
    // Nobody stands above the principal but the operator, and the log says that it was overruled.
    let own = assign(&sandbox, "kimi", "claude");
    update(&sandbox, "claude", &own, "completed").unwrap();
    refused(update(&sandbox, "claude", &own, "approved"), "you did this work");
    refused(update(&sandbox, "kimi", &own, "approved"), "kimi may not judge work of claude");
    sandbox.run(&["task", "update", &own, "--status", "approved"]).success();
    assert_eq!(sandbox.json(&["task", "show", &own])["verdicts"][0]["overruled"], true);
}

#[test]
fn peer_another_one_approves() {
    let sandbox = team("peer");
    for judge in ["claude", "codex"] {
        let task = assign(&sandbox, "codex", "kimi");
        update(&sandbox, "kimi", &task, "completed").unwrap();
        refused(update(&sandbox, "kimi", &task, "approved"), "you did this work");
        update(&sandbox, judge, &task, "approved").unwrap();
    }
    let own = assign(&sandbox, "kimi", "claude");
    update(&sandbox, "claude", &own, "completed").unwrap();
    assert_eq!(
        update(&sandbox, "kimi", &own, "approved"),
        Ok("approved".to_owned()),
        "no one stands above another"
    );
}

#[test]
fn review_every_completion_goes_to_a_reviewer() {
    let sandbox = team("review");
    let task = assign(&sandbox, "codex", "kimi");
    let later = sandbox.as_agent("claude").json(&["task", "create", "Later", "--depends-on", &task]);
    let later = later["id"].as_str().unwrap();
    update(&sandbox, "kimi", &task, "completed").unwrap();
    let asked = sandbox.json(&["inbox", "--agent", "claude"]);
    assert_eq!(asked["items"][0]["intent"], "review_request", "the principal is asked: {asked}");
    assert_eq!(asked["duties"][0]["duty"], "verdict");
    assert_eq!(sandbox.json(&["task", "show", later])["ready"], false, "what is not approved does not count");
    refused(
        update(&sandbox, "codex", &task, "approved"),
        "hint: claude judges it; ask: interagent send --to claude",
    );
    let relay = sandbox.json(&["relay", "--to", "claude"]);
    assert_eq!(relay["to_judge"][0]["id"], task.as_str());
    for other in ["kimi", "codex"] {
        assert_eq!(
            sandbox.json(&["relay", "--to", other])["to_judge"].as_array().unwrap().len(),
            0,
            "{other}"
        );
    }
    update(&sandbox, "claude", &task, "revision_needed").unwrap();
    update(&sandbox, "kimi", &task, "completed").unwrap();
    update(&sandbox, "claude", &task, "approved").unwrap();
    assert_eq!(sandbox.json(&["inbox", "--agent", "claude"])["duties"].as_array().unwrap().len(), 0);
    assert_eq!(sandbox.json(&["task", "show", later])["ready"], true);
}

#[test]
fn review_a_reviewer_is_asked_before_the_principal() {
    let sandbox = team("review");
    let file = sandbox.hub().join("team.toml");
    let text = std::fs::read_to_string(&file).unwrap();
    let (before, codex) = text.split_once("[agents.codex]").unwrap();
    let codex = codex.replacen("role = \"delegate\"", "role = \"reviewer\"", 1);
    std::fs::write(&file, format!("{before}[agents.codex]{codex}")).unwrap();
    sandbox.operator().run(&["team", "take"]).success();
    let task = assign(&sandbox, "claude", "kimi");
    update(&sandbox, "kimi", &task, "completed").unwrap();
    let codex = sandbox.json(&["inbox", "--agent", "codex"]);
    assert_eq!(codex["duties"][0]["duty"], "verdict", "{codex}");
    assert_eq!(sandbox.json(&["relay", "--to", "codex"])["to_judge"][0]["id"], task.as_str());
    update(&sandbox, "codex", &task, "approved").unwrap();
}
