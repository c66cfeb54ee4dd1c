//! What members do in the stories, by command and by tool.

use serde_json::{Value, json};

/// Something a member does.
pub(super) struct Deed {
    pub(super) words: Vec<String>,
    pub(super) stdin: String,
    pub(super) tool: &'static str,
    pub(super) arguments: Value,
}

impl Deed {
    fn new(words: &[&str], tool: &'static str, arguments: Value) -> Self {
        let words = words.iter().map(|word| (*word).to_owned()).collect();
        Self { words, stdin: String::new(), tool, arguments }
    }

    /// Adds an option and the parameter that says the same.
    fn with(mut self, words: &[&str], parameter: &str, value: Value) -> Self {
        self.words.extend(words.iter().map(|word| (*word).to_owned()));
        self.arguments[parameter] = value;
        self
    }

    fn of_task(action: &str, task: &str) -> Self {
        Self::new(&["task", action, task], "task", json!({ "action": action, "task": task }))
    }

    pub(super) fn give(title: &str, to: &str) -> Self {
        let words = ["task", "create", title, "--assignee", to];
        Self::new(&words, "task", json!({ "action": "create", "title": title, "assignee": to }))
    }

    pub(super) fn give_quietly(title: &str, to: &str) -> Self {
        Self::give(title, to).with(&["--quiet"], "quiet", json!(true))
    }

    pub(super) fn give_after(title: &str, to: &str, after: &str) -> Self {
        Self::give(title, to).with(&["--depends-on", after], "depends_on", json!([after]))
    }

    pub(super) fn update(task: &str, status: &str) -> Self {
        Self::of_task("update", task).with(&["--status", status], "status", json!(status))
    }

    /// With a reason.
    pub(super) fn because(self, note: &str) -> Self {
        self.with(&["--note", note], "note", json!(note))
    }

    pub(super) fn report(task: &str, status: &str) -> Self {
        let words = ["task", "report", task, status, "--summary", "said", "--no-skill"];
        let arguments = json!({ "action": "report", "task": task, "status": status, "summary": "said",
            "skill_candidate": { "found": false } });
        Self::new(&words, "task", arguments)
    }

    pub(super) fn judge(task: &str, verdict: &str) -> Self {
        Self::of_task("verdict", task).with(&[verdict], "verdict", json!(verdict))
    }

    pub(super) fn note(task: &str, note: &str) -> Self {
        Self::of_task("note", task).with(&[note], "note", json!(note))
    }

    pub(super) fn reassign(task: &str, to: &str) -> Self {
        Self::of_task("reassign", task).with(&["--to", to], "to", json!(to))
    }

    pub(super) fn redo(task: &str) -> Self {
        Self::of_task("redo", task)
    }

    pub(super) fn split(task: &str) -> Self {
        let into = json!(["Lexer", "Grammar"]);
        let words = ["--into", "Lexer", "--into", "Grammar"];
        Self::of_task("split", task).with(&words, "into", into).with(
            &["--reason", "big"],
            "reason",
            json!("big"),
        )
    }

    pub(super) fn accept_split(task: &str) -> Self {
        Self::of_task("split", task).with(&["--accept"], "answer", json!("accept"))
    }

    pub(super) fn decline(message: &str) -> Self {
        let words = ["msg", "decline", message, "--reason", "busy"];
        Self::new(&words, "task", json!({ "action": "decline", "message": message, "reason": "busy" }))
    }

    pub(super) fn offer(task: &str, to: &str) -> Self {
        let words = ["send", "--to", to, "--intent", "handoff", "--task", task, "-m", "Yours?"];
        let arguments = json!({ "to": to, "intent": "handoff", "task": task, "content": "Yours?" });
        Self::new(&words, "send_message", arguments)
    }

    pub(super) fn accept(message: &str) -> Self {
        Self::new(&["msg", "accept", message], "task", json!({ "action": "accept", "message": message }))
    }

    pub(super) fn question(to: &str) -> Self {
        let words = ["send", "--to", to, "--intent", "question", "-m", "Which key?"];
        Self::new(&words, "send_message", json!({ "to": to, "intent": "question", "content": "Which key?" }))
    }

    pub(super) fn escalate(message: &str) -> Self {
        let words = ["msg", "escalate", message, "--reason", "lost"];
        Self::new(&words, "escalate", json!({ "message_id": message, "reason": "lost" }))
    }

    pub(super) fn reply(message: &str, text: &str) -> Self {
        let words = ["reply", message, "-m", text];
        Self::new(&words, "reply_message", json!({ "original_message_id": message, "content": text }))
    }

    pub(super) fn open_review(to: &str) -> Self {
        let words = ["review", "open", "--title", "Parser", "--diff", "-", "--to", to];
        let arguments = json!({ "action": "open", "title": "Parser", "diff": diff("new"), "to": [to] });
        Self { stdin: diff("new"), ..Self::new(&words, "review", arguments) }
    }

    pub(super) fn open_review_of(task: &str, to: &str) -> Self {
        Self::open_review(to).with(&["--task", task], "task", json!(task))
    }

    pub(super) fn add_round(review: &str) -> Self {
        let words = ["review", "update", review, "--diff", "-"];
        let arguments = json!({ "action": "update", "review": review, "diff": diff("newer") });
        Self { stdin: diff("newer"), ..Self::new(&words, "review", arguments) }
    }

    pub(super) fn concern(review: &str) -> Self {
        let words = ["review", "comment", review, "-m", "Off by one", "--disposition", "concern"];
        let arguments =
            json!({ "action": "comment", "review": review, "body": "Off by one", "disposition": "concern" });
        Self::new(&words, "review", arguments)
    }

    pub(super) fn judge_review(review: &str, verdict: &str) -> Self {
        let arguments = json!({ "action": "verdict", "review": review, "verdict": verdict });
        Self::new(&["review", "verdict", review, verdict], "review", arguments)
    }

    pub(super) fn ask(question: &str) -> Self {
        let words = ["decision", "open", "-m", question, "--option", "yes", "--option", "no"];
        let arguments = json!({ "action": "open", "question": question, "options": ["yes", "no"] });
        Self::new(&words, "decision", arguments)
    }

    pub(super) fn stand(decision: &str, position: &str) -> Self {
        let arguments = json!({ "action": "position", "decision": decision, "position": position });
        Self::new(&["decision", "position", decision, position], "decision", arguments)
    }

    pub(super) fn decide(decision: &str, outcome: &str) -> Self {
        let arguments = json!({ "action": "decide", "decision": decision, "outcome": outcome });
        Self::new(&["decision", "decide", decision, outcome], "decision", arguments)
    }

    /// By the operator, who has no tools.
    pub(super) fn retire(agent: &str) -> Self {
        Self::new(&["agent", "retire", agent], "", Value::Null)
    }
}

fn diff(word: &str) -> String {
    format!("--- a/a.rs\n+++ b/a.rs\n@@ -1 +1 @@\n-old\n+{word}\n")
}
