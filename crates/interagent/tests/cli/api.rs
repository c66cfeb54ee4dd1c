//! `interagent api --stdio` from the outside: who its caller is, which hub it finds, and how it ends.
#![expect(clippy::unwrap_used, reason = "a helper of a test fails by panicking")]

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use interagent_testkit::Sandbox;
use interagent_testkit::sandbox::Run;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

/// A running API and the two ends of its pipes.
struct Api {
    child: Child,
    to: Option<ChildStdin>,
    from: BufReader<ChildStdout>,
}

impl Api {
    fn start(run: &Run<'_>) -> Self {
        let mut command = run.command(&["api", "--stdio"]);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (to, from) = (child.stdin.take(), BufReader::new(child.stdout.take().unwrap()));
        let mut api = Self { child, to, from };
        assert_eq!(api.next()["api"], 1);
        api
    }

    fn next(&mut self) -> Value {
        let mut line = String::new();
        self.from.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap()
    }

    fn ask(&mut self, op: &str, params: Value) -> Value {
        let request = json!({ "id": 1, "op": op, "params": params });
        writeln!(self.to.as_mut().unwrap(), "{request}").unwrap();
        self.next()
    }

    /// Closes its input; the exit code.
    fn end(mut self) -> Option<i32> {
        self.to = None;
        self.child.wait().unwrap().code()
    }
}

#[test]
fn script_of_an_agent_is_that_agent_and_any_other_is_the_operator() {
    let sandbox = Sandbox::with_team();
    let mut person = Api::start(&sandbox.start());
    let who = person.ask("whoami", json!({}));
    assert_eq!(
        (&who["answer"]["member"]["name"], &who["answer"]["auth"]),
        (&json!("operator"), &json!("claimed"))
    );
    let mut kimi = Api::start(&sandbox.as_agent("kimi"));
    assert_eq!(kimi.ask("whoami", json!({}))["answer"]["member"]["name"], "kimi");
    let mut unbound =
        Api::start(&sandbox.start().env("CLAUDECODE", "1").env("CLAUDE_CODE_SESSION_ID", "s-1"));
    let sent = unbound.ask("message.send", json!({ "to": ["operator"], "body": "hello" }));
    assert_ne!(sent["answer"]["from"]["name"], "operator", "{sent}");
    let mut lost = Api::start(&sandbox.as_agent("no-such-agent"));
    let refused = lost.ask("status.set", json!({ "text": "here" }));
    assert!(refused["error"]["sentence"].as_str().unwrap().contains("INTERAGENT_AGENT"), "{refused}");
}

#[test]
fn reading_makes_no_hub_and_writing_finds_the_one_made_since() {
    let sandbox = Sandbox::new();
    let mut api = Api::start(&sandbox.start());
    let refused = api.ask("task.list", json!({}));
    assert_eq!(
        (&refused["error"]["code"], &refused["error"]["kind"]),
        (&json!("no_hub"), &json!("not_found"))
    );
    let wait = api.ask("api.wait", json!({ "timeout_s": 0 }));
    assert_eq!(wait["error"]["code"], "no_hub");
    assert!(!sandbox.home().join(".interagent").exists());
    sandbox.run(&["init"]).success();
    assert_eq!(api.ask("task.list", json!({}))["answer"]["items"], json!([]));
    assert_eq!(api.end(), Some(0));
}

#[test]
fn files_are_written_before_it_ends() {
    let sandbox = Sandbox::with_team();
    let mut api = Api::start(&sandbox.start());
    let task = api.ask("task.create", json!({ "title": "Parse", "assignee": "kimi" }));
    let id = task["answer"]["id"].as_str().unwrap().to_owned();
    assert_eq!(api.end(), Some(0));
    assert!(sandbox.hub().join(format!("tasks/active/{id}.json")).is_file());
}

#[test]
fn it_ends_quietly_when_it_is_told_to() {
    let sandbox = Sandbox::with_team();
    for signal in [Signal::TERM, Signal::HUP] {
        let mut api = Api::start(&sandbox.start());
        api.ask("whoami", json!({}));
        let pid = Pid::from_raw(i32::try_from(api.child.id()).unwrap()).unwrap();
        kill_process(pid, signal).unwrap();
        assert_eq!(api.child.wait().unwrap().code(), Some(0));
    }
}

#[test]
fn review_reads_its_change_from_git() {
    let sandbox = Sandbox::with_team();
    let git = |arguments: &[&str]| {
        let mut git = std::process::Command::new("git");
        git.args(["-c", "user.name=Ann", "-c", "user.email=ann@example.org"]).args(arguments);
        assert!(git.current_dir(sandbox.project()).output().unwrap().status.success(), "{arguments:?}");
    };
    git(&["init", "--quiet"]);
    git(&["commit", "--quiet", "--allow-empty", "-m", "begin"]);
    std::fs::write(sandbox.project().join("parser.rs"), "fn parse() {}\n").unwrap();
    git(&["add", "parser.rs"]);
    let mut api = Api::start(&sandbox.start());
    let opened = api.ask("review.open", json!({ "title": "The parser", "staged": true, "to": ["kimi"] }));
    assert!(opened.to_string().contains("parser.rs"), "{opened}");
}

#[test]
fn terminal_proves_no_person() {
    let sandbox = Sandbox::with_team();
    let request = "{\"id\": 1, \"op\": \"whoami\"}\n\u{4}";
    let (status, screen) = sandbox.start().answered_at_a_terminal(&["api", "--stdio"], request);
    let screen = screen.replace(['\r', '\n'], "");
    assert_eq!(status, 0, "{screen}");
    assert!(screen.contains("\"auth\":\"claimed\"") && !screen.contains("\"auth\":\"terminal\""), "{screen}");
}

#[test]
fn message_leaves_a_signal_file() {
    let sandbox = Sandbox::with_team();
    let workspace = sandbox.home().join("work");
    std::fs::create_dir(&workspace).unwrap();
    sandbox.run(&["agent", "register", "kimi", "--workspace", workspace.to_str().unwrap()]).success();
    let mut api = Api::start(&sandbox.start());
    api.ask("message.send", json!({ "to": ["kimi"], "body": "hello" }));
    assert_eq!(api.end(), Some(0));
    let files = std::fs::read_dir(workspace.join(".interagent/inbox")).unwrap().flatten();
    assert!(files.map(|file| file.path()).any(|path| path.extension().is_some_and(|end| end == "signal")));
}
