//! Verdicts by reply, and what a reply, a note or a reading says that it did not do.

use interagent_testkit::Sandbox;
use interagent_testkit::sandbox::Output;
use serde_json::Value;

const CHANGE: &str = "--- a/a.rs\n+++ b/a.rs\n@@ -1 +1 @@\n-old\n+new\n";

fn team(formation: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    let agents = ["--agents", "claude:claude,kimi:kimi"];
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

/// The newest message to an agent.
fn newest(sandbox: &Sandbox, to: &str) -> Value {
    sandbox.json(&["msg", "list", "--to", to])["items"][0].clone()
}

/// A task of claude that kimi completed, and the message that asks for a verdict on it.
fn completed(sandbox: &Sandbox) -> (String, String) {
    let task = id(&sandbox.as_agent("claude").json(&["task", "create", "Parser", "--assignee", "kimi"]));
    sandbox.as_agent("kimi").run(&["task", "update", &task, "--status", "completed"]).success();
    let request = id(&newest(sandbox, "claude"));
    (task, request)
}

fn status(sandbox: &Sandbox, task: &str) -> String {
    sandbox.json(&["task", "show", task])["status"].as_str().unwrap().to_owned()
}

#[test]
fn later_reply_gives_the_verdict() {
    for formation in ["duo", "peers"] {
        for (words, verdict) in
            [("revision needed: tests fail", "revision_needed"), ("Approved. Nice.", "approved")]
        {
            let sandbox = team(formation);
            let (task, request) = completed(&sandbox);
            let reply =
                |words: &str| printed(sandbox.as_agent("claude").run(&["reply", &request, "-m", words]));
            let step = format!(
                "{task} still has no verdict: interagent task verdict {task} VERDICT (approved, revision_needed or rejected)"
            );
            for later in ["One moment, I will look at it later", "Still busy"] {
                let shown = reply(later);
                assert!(shown.contains(&step), "{formation}: {shown}");
            }
            assert_eq!(status(&sandbox, &task), "completed");
            let shown = reply(words);
            assert!(!shown.contains("no verdict"), "{formation}: {shown}");
            assert_eq!(status(&sandbox, &task), verdict, "{formation}");
            // The task waits for no verdict any more, so the word is an ordinary one.
            let shown = reply("approved");
            assert_eq!(
                (status(&sandbox, &task).as_str(), shown.contains("verdict")),
                (verdict, false),
                "{shown}"
            );
        }
    }
}

#[test]
fn later_reply_judges_a_review() {
    let sandbox = team("peers");
    let author = sandbox.as_agent("kimi").stdin(CHANGE.to_owned());
    let review = id(&author.json(&["review", "open", "--title", "Parser", "--diff", "-", "--to", "claude"]));
    let request = id(&newest(&sandbox, "claude"));
    let reply = |words: &[&str]| {
        printed(sandbox.as_agent("claude").run(&[&["reply", &request, "-m"][..], words].concat()))
    };
    let shown = reply(&["Later", "--complete"]);
    assert!(
        shown.contains(&format!("{review} still has no verdict: interagent review verdict {review}")),
        "{shown}"
    );
    reply(&["Approved"]);
    assert_eq!(sandbox.json(&["review", "show", &review])["review"]["verdict"], "approved");
}

#[test]
fn bystander_gives_no_verdict_by_reply() {
    let sandbox = team("peers");
    sandbox.run(&["agent", "register", "codex"]).success();
    let (task, task_request) = completed(&sandbox);
    let author = sandbox.as_agent("kimi").stdin(CHANGE.to_owned());
    let open = ["review", "open", "--title", "Parser", "--diff", "-", "--to", "claude"];
    let review = id(&author.json(&open));
    let review_request = id(&newest(&sandbox, "claude"));
    for request in [&task_request, &review_request] {
        sandbox.as_agent("codex").run(&["reply", request, "-m", "Approved."]).success();
        sandbox.run(&["reply", request, "-m", "Approved."]).success();
    }
    assert_eq!(status(&sandbox, &task), "completed");
    let shown = || sandbox.json(&["review", "show", &review])["review"]["verdict"].clone();
    assert_eq!(shown(), Value::Null);
    for request in [&task_request, &review_request] {
        sandbox.as_agent("claude").run(&["reply", request, "-m", "Approved."]).success();
    }
    assert_eq!((status(&sandbox, &task).as_str(), shown()), ("approved", "approved".into()));
}

#[test]
fn threads_are_counted_alike() {
    let sandbox = team("peers");
    let task = id(&sandbox.as_agent("claude").json(&["task", "create", "Parser", "--assignee", "kimi"]));
    let author = sandbox.as_agent("kimi").stdin(CHANGE.to_owned());
    let open = ["review", "open", "--title", "Parser", "--diff", "-", "--to", "claude", "--task", &task];
    let review = id(&author.json(&open));
    for (words, disposition) in [("Nice", "note"), ("A hint", "note"), ("Off by one", "concern")] {
        let comment = ["review", "comment", &review, "-m", words, "--disposition", disposition];
        sandbox.as_agent("claude").run(&comment).success();
    }
    let shown = sandbox.run(&["task", "show", &task]).success().stdout;
    assert!(shown.contains("1 open thread") && !shown.contains("3 open threads"), "{shown}");
    let judged = sandbox.as_agent("claude").run(&["review", "verdict", &review, "approved"]).success();
    assert!(judged.shown().contains("approved with 1 open thread: "), "{}", judged.shown());
}

#[test]
fn author_goes_on_in_the_review_sent_back() {
    let sandbox = team("peers");
    let task = id(&sandbox.as_agent("claude").json(&["task", "create", "Parser", "--assignee", "kimi"]));
    sandbox.as_agent("kimi").run(&["task", "update", &task, "--status", "completed"]).success();
    let author = sandbox.as_agent("kimi").stdin(CHANGE.to_owned());
    let open = ["review", "open", "--title", "Parser", "--diff", "-", "--to", "claude", "--task", &task];
    let review = id(&author.json(&open));
    let verdict = ["review", "verdict", &review, "revision_needed", "--note", "tests fail"];
    sandbox.as_agent("claude").run(&verdict).success();
    let shown = printed(sandbox.as_agent("kimi").run(&["inbox"]));
    assert!(shown.contains(&format!("interagent review update {review}")), "{shown}");
    assert!(!shown.contains("task update"), "{shown}");
    let changed = sandbox.as_agent("kimi").stdin(CHANGE.replace("new", "newer"));
    changed.run(&["review", "update", &review, "--diff", "-"]).success();
    assert_eq!(status(&sandbox, &task), "under_review");
    assert_eq!(sandbox.as_agent("kimi").json(&["inbox"])["duties"], serde_json::json!([]));
}

#[test]
fn verdict_on_a_review_takes_m() {
    let sandbox = team("peers");
    for option in ["-m", "--note"] {
        let author = sandbox.as_agent("kimi").stdin(CHANGE.to_owned());
        let open = ["review", "open", "--title", "Parser", "--diff", "-", "--to", "claude"];
        let review = id(&author.json(&open));
        sandbox
            .as_agent("claude")
            .run(&["review", "verdict", &review, "approved", option, "Well done"])
            .success();
        assert_eq!(sandbox.json(&["review", "show", &review])["end"]["note"], "Well done", "{option}");
    }
}

#[test]
fn reading_for_several_says_how_to_mark_one() {
    let sandbox = team("peers");
    let say = ["send", "--to", "claude,kimi", "-m", "Good morning."];
    let message = id(&sandbox.as_agent("claude").json(&["send", "--to", "kimi", "-m", "Only you."]));
    assert!(!printed(sandbox.run(&["msg", "read", &message])).contains("not marked"));
    sandbox.run(&["agent", "register", "codex"]).success();
    let message = id(&sandbox.as_agent("codex").json(&say));
    let note = format!(
        "not marked as read: it has 2 recipients; interagent msg read {message} --from-agent NAME marks it for one"
    );
    let state = || {
        let to = sandbox.json(&["read", &message])["to"].clone();
        let states = to.as_array().unwrap().iter().map(|one| one["state"].as_str().unwrap().to_owned());
        states.collect::<Vec<_>>()
    };
    assert!(printed(sandbox.run(&["msg", "read", &message])).contains(&note));
    assert!(!printed(sandbox.run(&["read", &message])).contains("not marked"), "`read` only shows");
    assert_eq!(state(), ["queued", "queued"]);
    for name in ["claude", "kimi"] {
        let marked = printed(sandbox.run(&["msg", "read", &message, "--from-agent", name]));
        assert!(!marked.contains("not marked"), "{marked}");
    }
    assert_eq!(state(), ["acknowledged", "acknowledged"]);
    assert!(!printed(sandbox.run(&["msg", "read", &message])).contains("not marked"));
}

#[test]
fn note_reaches_the_worker_on_its_next_turn() {
    let sandbox = team("peers");
    let task = id(&sandbox.as_agent("claude").json(&["task", "create", "Parser", "--assignee", "kimi"]));
    let mail = || {
        let listed = sandbox.json(&["msg", "list", "--to", "kimi"]);
        let items = listed["items"].as_array().unwrap().iter();
        items.filter(|one| one["intent"] == "context_share").cloned().collect::<Vec<_>>()
    };
    sandbox.as_agent("kimi").run(&["task", "note", &task, "half of it"]).success();
    assert_eq!(mail(), Vec::<Value>::new(), "nobody is told what they wrote themselves");
    sandbox.as_agent("claude").run(&["task", "note", &task, "Mind the tabs."]).success();
    sandbox.run(&["task", "note", &task, "Use the old grammar."]).success();
    let told = mail();
    let rows: Vec<_> =
        told.iter().map(|one| (one["from"]["name"].as_str().unwrap(), &one["quiet"])).collect();
    assert_eq!(rows, [("operator", &true.into()), ("claude", &true.into())]);
    let inbox = sandbox.as_agent("kimi").run(&["inbox"]).success().stdout;
    assert!(inbox.contains("Mind the tabs.") && inbox.contains("Use the old grammar."), "{inbox}");
    sandbox.as_agent("kimi").run(&["task", "update", &task, "--status", "failed"]).success();
    sandbox.as_agent("claude").run(&["task", "note", &task, "A pity."]).success();
    assert_eq!(mail().len(), 2, "closed work concerns its worker no more");
}
