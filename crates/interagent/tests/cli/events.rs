//! Which member must act, and which is notified, when work changes hands or is declined, reviewed or completed.

use interagent_testkit::Sandbox;
use interagent_testkit::sandbox::Output;
use serde_json::Value;

fn team(formation: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    let agents = ["--agents", "claude:claude,kimi:kimi,codex:codex"];
    sandbox.run(&[&["init", "--formation", formation][..], &agents[..]].concat()).success();
    sandbox
}

fn id(answer: &Value) -> String {
    answer["id"].as_str().or(answer["review"]["id"].as_str()).unwrap().to_owned()
}

/// Everything that a command printed, with whole ids.
fn printed(output: Output) -> String {
    let output = output.success();
    output.stdout + &output.stderr
}

/// The newest message to a member.
fn newest(sandbox: &Sandbox, to: &str) -> Value {
    sandbox.json(&["msg", "list", "--to", to])["items"][0].clone()
}

/// What a message obliges its only recipient to, while it does.
fn owed(message: &Value) -> Option<&str> {
    let delivery = &message["to"][0];
    delivery["duty"].as_str().filter(|_| delivery["owed"] == true)
}

/// The task that `task next` offers.
fn next(sandbox: &Sandbox, agent: &str) -> Value {
    sandbox.as_agent(agent).json(&["task", "next", "--peek"])["task"].clone()
}

fn assigned(sandbox: &Sandbox, title: &str, to: &str) -> String {
    id(&sandbox.as_agent("claude").json(&["task", "create", title, "--assignee", to]))
}

#[test]
fn accepted_handoff_moves_the_obligation() {
    for formation in ["duo", "peers"] {
        let sandbox = team(formation);
        let task = assigned(&sandbox, "Parser", "kimi");
        let order = newest(&sandbox, "kimi");
        assert_eq!(owed(&order), Some("start"));
        let offer = ["send", "--to", "codex", "--intent", "handoff", "--task", &task, "-m", "take it"];
        let offer = id(&sandbox.as_agent("kimi").json(&offer));
        sandbox.as_agent("codex").run(&["msg", "accept", &offer]).success();
        assert_eq!(owed(&newest(&sandbox, "kimi")), None, "{formation}: {order}");
        let briefing = sandbox.as_agent("kimi").json(&["briefing"]);
        assert_eq!(briefing["duties"].as_array().unwrap().len(), 0, "{formation}: {briefing}");
        assert!(!briefing["text"].as_str().unwrap().contains("Parser"), "{formation}: {briefing}");
        let declined = sandbox.as_agent("kimi").run(&["msg", "decline", &id(&order), "--reason", "busy"]);
        assert_eq!(declined.status, 4, "{}", declined.shown());
        assert_eq!(sandbox.json(&["task", "show", &task])["assignee"]["name"], "codex");
    }
}

#[test]
fn accepted_handoff_is_reported() {
    let sandbox = team("duo");
    let task = id(&sandbox.json(&["task", "create", "Parser", "--assignee", "claude"]));
    let passed = sandbox.as_agent("claude").json(&["task", "reassign", &task, "--to", "kimi"]);
    let task = id(&passed);
    let offer = ["send", "--to", "codex", "--intent", "handoff", "--task", &task, "-m", "take it"];
    let offer = id(&sandbox.as_agent("kimi").json(&offer));
    sandbox.as_agent("codex").run(&["msg", "accept", &offer]).success();
    for member in ["kimi", "claude", "operator"] {
        let told = newest(&sandbox, member);
        assert_eq!(told["subject"], format!("Parser ({task}): accepted by codex"), "{member}: {told}");
        assert_eq!(told["from"]["name"], "codex");
        assert_eq!(owed(&told), None, "{member}");
    }
}

#[test]
fn operator_learns_that_a_captains_order_is_declined() {
    let sandbox = Sandbox::new();
    let members = ["--formation", "captain", "--vice-captains", "1", "--members", "1", "--no-worktrees"];
    sandbox.run(&[&["init"][..], &members[..]].concat()).success();
    sandbox.run(&["quick", "--to", "vice_captain1", "Port the parser"]).success();
    let order = newest(&sandbox, "vice_captain1");
    let vice = sandbox.as_agent("vice_captain1");
    vice.run(&["msg", "decline", &id(&order), "--reason", "no capacity"]).success();
    let told = newest(&sandbox, "operator");
    assert_eq!((&told["intent"], owed(&told)), (&"blocked".into(), Some("unblock")), "{told}");
    assert_eq!(sandbox.json(&["msg", "list", "--to", "captain"])["items"].as_array().unwrap().len(), 0);
    let actions = sandbox.json(&["summary"])["actions"].to_string();
    assert!(actions.contains("vice_captain1 declined"), "{actions}");
}

const CHANGE: &str = "--- a/a.rs\n+++ b/a.rs\n@@ -1 +1 @@\n-old\n+new\n";
const NEWER: &str = "--- a/a.rs\n+++ b/a.rs\n@@ -1 +1 @@\n-old\n+newer\n";

fn review(sandbox: &Sandbox, author: &str, arguments: &[&str]) -> String {
    let open = ["review", "open", "--title", "Parser", "--diff", "-"];
    id(&sandbox.as_agent(author).stdin(CHANGE.to_owned()).json(&[&open[..], arguments].concat()))
}

fn add_round(sandbox: &Sandbox, author: &str, review: &str) {
    let run = sandbox.as_agent(author).stdin(NEWER.to_owned());
    run.run(&["review", "update", review, "--diff", "-"]).success();
}

#[test]
fn revision_repeats_the_reviewed_source() {
    let sandbox = team("peers");
    let review = review(&sandbox, "kimi", &["--to", "claude"]);
    sandbox.as_agent("claude").run(&["review", "verdict", &review, "revision_needed"]).success();
    let shown = |arguments: &[&str]| sandbox.as_agent("kimi").run(arguments).shown();
    let judged_again = sandbox.as_agent("claude").run(&["review", "verdict", &review, "approved"]).shown();
    let nothing_new = shown(&["review", "update", &review]);
    for text in [shown(&["inbox"]), shown(&["briefing"]), judged_again, nothing_new] {
        assert!(text.contains("review update"), "{text}");
        assert!(!text.contains("main..HEAD"), "{text}");
    }
}

#[test]
fn task_verdict_warns_of_the_revision_asked_for() {
    for verdict in ["task", "review"] {
        let sandbox = team("peers");
        let task = assigned(&sandbox, "Parser", "kimi");
        sandbox.as_agent("kimi").run(&["task", "update", &task, "--status", "completed"]).success();
        let review = review(&sandbox, "kimi", &["--task", &task, "--to", "claude,codex"]);
        sandbox.as_agent("codex").run(&["review", "verdict", &review, "revision_needed"]).success();
        add_round(&sandbox, "kimi", &review);
        let judged = match verdict {
            "task" => ["task", "verdict", &task, "approved"],
            _ => ["review", "verdict", &review, "approved"],
        };
        let shown = printed(sandbox.as_agent("claude").run(&judged));
        let note = "codex asked for a revision in round 1 and has not judged round 2";
        assert_eq!(shown.matches(note).count(), 1, "{verdict}: {shown}");
        let told = newest(&sandbox, "codex");
        assert_eq!(told["subject"], "approved by claude: Parser", "{verdict}: {told}");
    }
}

#[test]
fn own_task_needs_a_verdict_only_by_rule() {
    let note = "any agent but its worker may give one";
    let sandbox = team("peers");
    let own = assigned(&sandbox, "Parser", "claude");
    let complete = |task: &str| ["task", "update", task, "--status", "completed"].map(str::to_owned);
    let claude = |arguments: &[String]| {
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        printed(sandbox.as_agent("claude").run(&arguments))
    };
    let shown = claude(&complete(&own));
    assert!(shown.contains(note), "{shown}");
    let actions = sandbox.json(&["summary"])["actions"].to_string();
    assert!(!actions.contains("Parser"), "nobody owes a verdict: {actions}");
    let taken = id(&sandbox.as_agent("kimi").json(&["task", "create", "Lexer"]));
    sandbox.as_agent("claude").run(&["task", "claim", &taken]).success();
    let shown = claude(&complete(&taken));
    assert!(!shown.contains(note), "its assigner is asked: {shown}");
    assert_eq!(owed(&newest(&sandbox, "kimi")), Some("verdict"));
    // Where the rules require a review, others owe it.
    let file = sandbox.hub().join("team.toml");
    let rules = std::fs::read_to_string(&file).unwrap();
    let rules = rules.replace("review_required = false", "review_required = true");
    std::fs::write(&file, rules).unwrap();
    sandbox.run(&["team", "take"]).success();
    let own = assigned(&sandbox, "Grammar", "claude");
    let shown = claude(&complete(&own));
    assert!(!shown.contains(note), "{shown}");
    assert_eq!(owed(&newest(&sandbox, "kimi")), Some("verdict"));
    let actions = sandbox.json(&["summary"])["actions"].to_string();
    assert!(actions.contains("Grammar"), "{actions}");
}

#[test]
fn worker_judges_no_review_of_its_own_work() {
    let sandbox = team("peers");
    let task = assigned(&sandbox, "Parser", "kimi");
    sandbox.as_agent("kimi").run(&["task", "update", &task, "--status", "completed"]).success();
    let review = review(&sandbox, "claude", &["--task", &task, "--to", "kimi,codex"]);
    let own = sandbox.as_agent("kimi").run(&["review", "verdict", &review, "approved"]);
    assert_eq!(own.status, 1, "{}", own.shown());
    assert!(own.stderr.contains("you did this work, so you can't judge it"), "{}", own.shown());
    let asked: Vec<Value> =
        sandbox.json(&["msg", "list", "--to", "kimi"])["items"].as_array().unwrap().clone();
    assert!(asked.iter().all(|message| message["intent"] != "review_request"), "{asked:?}");
    assert_eq!(owed(&newest(&sandbox, "codex")), Some("verdict"));
    let alone = sandbox.as_agent("claude").stdin(CHANGE.to_owned());
    let alone =
        alone.run(&["review", "open", "--title", "T", "--diff", "-", "--task", &task, "--to", "kimi"]);
    assert!(alone.stderr.contains("a review needs somebody else to look"), "{}", alone.shown());
}

#[test]
fn worker_asked_before_it_took_the_task_judges_nothing() {
    let sandbox = team("peers");
    let task = assigned(&sandbox, "Parser", "codex");
    let review = review(&sandbox, "claude", &["--task", &task, "--to", "kimi,codex"]);
    let offer = ["send", "--to", "kimi", "--intent", "handoff", "--task", &task, "-m", "take it"];
    let offer = id(&sandbox.as_agent("codex").json(&offer));
    sandbox.as_agent("kimi").run(&["msg", "accept", &offer]).success();
    let own = sandbox.as_agent("kimi").run(&["review", "verdict", &review, "approved"]);
    assert!(own.stderr.contains("you did this work, so you can't judge it"), "{}", own.shown());
}

#[test]
fn only_a_new_assignment_brings_a_declined_task_back() {
    let sandbox = team("duo");
    let task = assigned(&sandbox, "Parser", "kimi");
    let kimi = sandbox.as_agent("kimi");
    kimi.run(&["msg", "decline", &id(&newest(&sandbox, "kimi")), "--reason", "busy"]).success();
    let declined = id(&newest(&sandbox, "claude"));
    let step = format!("interagent task reassign {task} --to NAME");
    for reply in [
        &["reply", &declined, "-m", "I will find somebody else"][..],
        &["reply", &declined, "-m", "ok", "--complete"],
    ] {
        let shown = printed(sandbox.as_agent("claude").run(reply));
        assert!(shown.contains(&step), "{shown}");
        assert_eq!(next(&sandbox, "kimi"), Value::Null);
    }
    let settled = sandbox.as_agent("claude").run(&["msg", "settle", &declined]);
    assert_eq!(settled.status, 1, "{}", settled.shown());
    // A person who answers for the assigner decides nothing either.
    printed(sandbox.run(&["reply", &declined, "-m", "Let claude see to it."]));
    let actions = sandbox.json(&["summary"])["actions"].to_string();
    assert!(actions.contains("which kimi declined") && !actions.contains("Tell kimi to start"), "{actions}");
    assert_eq!(next(&sandbox, "kimi"), Value::Null);

    let again = ["task", "reassign", &task, "--to", "kimi", "--reason", "nobody else can"];
    let again = sandbox.as_agent("claude").json(&again);
    assert_eq!((id(&again), &again["status"]), (task.clone(), &"assigned".into()), "{again}");
    assert_eq!(next(&sandbox, "kimi")["id"], task.as_str());
    let order = newest(&sandbox, "kimi");
    assert_eq!((&order["intent"], owed(&order)), (&"delegation".into(), Some("start")), "{order}");
    let waiting = sandbox.as_agent("claude").json(&["briefing"]);
    assert_eq!(waiting["duties"].as_array().unwrap().len(), 0, "{waiting}");
    // Without a refusal there is nothing to repeat.
    let same = sandbox.as_agent("claude").run(&["task", "reassign", &task, "--to", "kimi"]);
    assert!(same.shown().contains("kimi has"), "{}", same.shown());
}

#[test]
fn renamed_and_retired_agents_leave_the_briefing() {
    let sandbox = Sandbox::new();
    sandbox.run(&["init", "--agents", "claude:claude,kimi:kimi"]).success();
    let with_you = || {
        let text = sandbox.as_agent("claude").json(&["briefing"])["text"].as_str().unwrap().to_owned();
        text.lines().find(|line| line.starts_with("With you")).map(str::to_owned)
    };
    sandbox.run(&["agent", "rename", "kimi", "moon"]).success();
    assert_eq!(with_you().as_deref(), Some("With you: moon (delegate)."));
    sandbox.run(&["agent", "retire", "moon"]).success();
    assert_eq!(with_you(), None);
}

#[test]
fn refused_watch_prints_nothing() {
    let sandbox = Sandbox::with_impatient_team();
    sandbox.run(&["send", "--to", "vice", "-m", "look at this"]).success();
    let watched = sandbox.as_agent("ann").run(&["watch", "--after", "0"]);
    assert_eq!((watched.status, watched.stdout.as_str()), (1, ""), "{}", watched.shown());
    assert!(watched.stderr.contains("ann may not wait in this team"), "{}", watched.shown());
}

#[test]
fn subjects_name_titles() {
    let sandbox = team("peers");
    let review = review(&sandbox, "kimi", &["--to", "claude"]);
    sandbox.as_agent("claude").run(&["review", "verdict", &review, "revision_needed"]).success();
    assert_eq!(newest(&sandbox, "kimi")["subject"], "revision_needed: Parser");
    let ask =
        ["send", "--to", "claude", "--intent", "question", "-s", "Which licence?", "-m", "For the parser."];
    let question = id(&sandbox.as_agent("kimi").json(&ask));
    sandbox.as_agent("claude").run(&["msg", "escalate", &question, "--reason", "not mine"]).success();
    assert_eq!(newest(&sandbox, "operator")["subject"], "Escalation: Which licence? - not mine");
}

#[test]
fn task_shows_reports_and_verdicts_by_time() {
    let sandbox = team("peers");
    let task = assigned(&sandbox, "Parser", "kimi");
    for (summary, verdict) in [("first try", "revision_needed"), ("second try", "approved")] {
        let report = ["task", "report", &task, "done", "--summary", summary, "--no-skill"];
        sandbox.as_agent("kimi").run(&report).success();
        sandbox.as_agent("claude").run(&["task", "verdict", &task, verdict]).success();
    }
    let shown = sandbox.run(&["task", "show", &task]).success().stdout;
    let places =
        ["first try", ": revision_needed", "second try", ": approved"].map(|words| shown.rfind(words));
    assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{places:?} {shown}");
    let open = assigned(&sandbox, "Lexer", "kimi");
    let retired = printed(sandbox.run(&["agent", "retire", "kimi"]));
    assert!(retired.contains(&format!("kimi leaves 1 open task: {open}")), "{retired}");
}

#[test]
fn first_word_rejects_nothing_and_the_answer_says_how() {
    let sandbox = team("duo");
    let task = assigned(&sandbox, "Parser", "kimi");
    sandbox.as_agent("kimi").run(&["task", "update", &task, "--status", "completed"]).success();
    let request = id(&newest(&sandbox, "claude"));
    let shown = printed(sandbox.as_agent("claude").run(&["reply", &request, "-m", "Rejected: not wanted"]));
    let step = format!("interagent task verdict {task} rejected");
    assert!(shown.contains(&format!("a rejection closes {task}: {step}")), "{shown}");
    assert_eq!(sandbox.json(&["task", "show", &task])["status"], "completed");
}
