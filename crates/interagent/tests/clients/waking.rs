//! What Claude Code does with hooks that wait, with a waiter of three lines in the place of ours: the facts on which
//! waking it rests, see docs/decisions/0018-waking-claude-code.md. A new version of the client that changes them fails here.

use std::path::Path;

use interagent_testkit::Sandbox;
use interagent_testkit::clients::{By, Settings, Stage, Turn, client, within_own_network};
use rustix::process::{Pid, Signal, kill_process, test_kill_process};
use serde_json::{Value, json};

use crate::pipe::Pipe;
use crate::team::nonce;

#[test]
#[ignore = "needs the real client: cargo xtask clients NAME"]
fn claude() {
    within_own_network("waking::claude", |_| claude_is_woken_by_a_hook_that_waited());
}

fn claude_is_woken_by_a_hook_that_waited() {
    let client = client("claude");
    let sandbox = Sandbox::of(Path::new(env!("CARGO_BIN_EXE_interagent")), &std::env::temp_dir());
    let mail = Pipe::new(sandbox.home().join("mail"));
    let gate = Pipe::new(sandbox.home().join("gate"));
    let waiters = sandbox.home().join("waiters");
    let stage = Stage::prepared(client, &sandbox);
    let context = nonce("context");
    let hook = |script: &str, more: Value| {
        let mut hook = json!({ "type": "command", "command": "/bin/sh", "args": ["-c", script] });
        hook.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        json!([{ "hooks": [hook] }])
    };
    // One reads at a time: a shell reads a pipe byte by byte, and two that did so at once would tear the line apart.
    let wait = format!(
        "echo $$ $PPID $CLAUDE_PID >> '{}'; exec 9> '{}'; flock 9; read -r text < '{}'; echo \"$text\" >&2; exit 2",
        waiters.display(),
        sandbox.home().join("turn").display(),
        mail.path().display()
    );
    let waits = hook(&wait, json!({ "asyncRewake": true, "timeout": 86_400 }));
    let prompted = hook(&format!("echo {context}"), json!({ "timeout": 10 }));
    let hooks = json!({ "SessionStart": waits, "Stop": waits, "UserPromptSubmit": prompted });
    stage.configure_with(vec![(
        "~/.claude/settings.json".to_owned(),
        Settings::Json(json!({ "hooks": hooks })),
    )]);

    let session = stage.open();
    let first = nonce("first");
    mail.put(&first);
    let woken = session.told(&first);
    assert_eq!(woken.told_by(&first), Some(By::User), "{woken:#?}");
    assert!(woken.tells("NOT USER INPUT") && woken.tells("\"SessionStart:startup\""), "{woken:#?}");
    assert!(woken.tells(&context), "a wake does not run the prompt hook: {woken:#?}");

    session.settle();
    let second = nonce("second");
    mail.put(&second);
    let woken = session.told(&second);
    assert!(woken.tells(&first) && woken.tells("\"Stop\""), "{woken:#?}");

    // In the middle of a tool call.
    session.settle();
    let (work, third) = (nonce("work"), nonce("third"));
    session.model().cue(
        &work,
        vec![client.shell(&format!("cat '{}'", gate.path().display())), Turn::Say("ready".into())],
    );
    session.prompt(&work);
    mail.put(&third);
    gate.put("the tool's result");
    let heard = session.told(&third);
    assert!(heard.results().iter().any(|result| result.contains("the tool's result")), "{heard:#?}");

    // The waiter of the turn that ended before outlives the conversation.
    session.settle();
    session.clear();
    session.settle();
    let fourth = nonce("fourth");
    mail.put(&fourth);
    let woken = session.told(&fourth);
    assert!(!woken.tells(&first), "{woken:#?}");

    session.settle();
    let left = Waiters::read(&waiters);
    assert!(left.all.iter().all(|[_, parent, client]| parent == client), "{left:?}");
    session.kill();
    assert!(!left.alive().is_empty(), "the waiters ended with the client: {left:?}");
}

/// The waiters that were started: their own process, their parent's, and the client's.
#[derive(Debug)]
struct Waiters {
    all: Vec<[i32; 3]>,
}

impl Waiters {
    fn read(path: &Path) -> Self {
        let text = std::fs::read_to_string(path).unwrap();
        let numbers = |line: &str| {
            let words: Vec<i32> = line.split(' ').map(|word| word.parse().unwrap()).collect();
            [words[0], words[1], words[2]]
        };
        Self { all: text.lines().map(numbers).collect() }
    }

    fn alive(&self) -> Vec<Pid> {
        let pids = self.all.iter().filter_map(|[own, ..]| Pid::from_raw(*own));
        pids.filter(|pid| test_kill_process(*pid).is_ok()).collect()
    }
}

/// They outlive the client, so they are ended here.
impl Drop for Waiters {
    fn drop(&mut self) {
        for pid in self.alive() {
            let _ = kill_process(pid, Signal::KILL);
        }
    }
}
