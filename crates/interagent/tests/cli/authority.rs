//! What the operator may do without proof, and that nothing with a sign of an agent is the operator.

use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::process::{Command, Output};

use interagent_testkit::Sandbox;

/// A process without a terminal, as cron starts it.
fn detached(sandbox: &Sandbox, arguments: &[&str]) -> Output {
    let mut setsid = Command::new("setsid");
    setsid.arg("--wait");
    sandbox.start().below(setsid, arguments).output().unwrap()
}

fn code(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stdout);
    let document: serde_json::Value =
        serde_json::from_str(text.lines().last().unwrap_or_default()).unwrap_or_default();
    match document["error"]["code"].as_str() {
        Some(code) => code.to_owned(),
        None => format!("{:?}: {text}{}", output.status.code(), String::from_utf8_lossy(&output.stderr)),
    }
}

#[test]
fn unusable_variable_is_never_the_operator() {
    let sandbox = Sandbox::with_team();
    let values =
        [OsString::from("x".repeat(5_000)), OsString::from_vec(b"kimi\xff".to_vec()), "../../x".into()];
    for name in ["INTERAGENT_AGENT", "INTERAGENT_SESSION", "CLAUDECODE"] {
        for value in &values {
            let run =
                |arguments: &[&str]| sandbox.start().command(arguments).env(name, value).output().unwrap();
            let who = run(&["whoami", "--json"]);
            let who: serde_json::Value = serde_json::from_slice(&who.stdout).unwrap();
            let member = who["answer"]["member"]["name"].as_str();
            // A client without a seat may take one.
            assert!(member != Some("operator"), "{name}={value:?}: {who}");
            if member.is_none() {
                let sent = run(&["send", "--to", "kimi", "-m", "approved"]);
                assert_ne!(sent.status.code(), Some(0), "{name}={value:?}");
            }
            let refused = run(&["sync", "--json"]);
            assert_eq!(code(&refused), "operator_only", "{name}={value:?}");
        }
    }
}

/// Acts of the operator that need no proof, and those that do.
const CLAIMED: &[&[&str]] = &[
    &["sync"],
    &["sync", "--accept"],
    &["setup", "claude", "--yes"],
    &["export", "--format", "md"],
    &["import", "../elsewhere", "--yes"],
    &["guard", "install"],
    &["say", "claude", "Stop."],
    &["run", "claude", "--prompt", "hi"],
    &["up"],
    &["down"],
    &["doctor", "--canary"],
    &["trust", "--revoke"],
];
const PROVEN: &[&[&str]] = &[
    &["trust"],
    &["restore", "../copy.db", "--force"],
    &["doctor", "--moved"],
    &["doctor", "--copied"],
    &["agent", "token", "kimi"],
    &["purge", "MESSAGE"],
    &["hold", "release", "MESSAGE"],
    &["msg", "release", "MESSAGE"],
    &["lease", "force", "LEASE", "--reason", "gone"],
];

/// A hub with something to act on, and the acts with its ids.
fn stage(acts: &[&[&str]]) -> (Sandbox, Vec<Vec<String>>) {
    let sandbox = Sandbox::with_team();
    fs::create_dir_all(sandbox.hub().join("profiles")).unwrap();
    fs::write(sandbox.hub().join("profiles/other.toml"), "name = \"other\"\n").unwrap();
    sandbox.run(&["backup", "../copy.db"]).success();
    let sent = sandbox.as_agent("claude").json(&["send", "--to", "kimi", "-m", "one"]);
    let message = sent["id"].as_str().unwrap().to_owned();
    sandbox.as_agent("claude").run(&["msg", "hold", &message]).success();
    let lease = sandbox.as_agent("kimi").json(&["lease", "take", "src/**"]);
    let lease = lease["id"].as_str().unwrap().to_owned();
    let word = |word: &&str| match *word {
        "MESSAGE" => message.clone(),
        "LEASE" => lease.clone(),
        word => word.to_owned(),
    };
    let acts = acts.iter().map(|act| act.iter().map(word).chain(["--json".to_owned()]).collect()).collect();
    (sandbox, acts)
}

fn words(act: &[String]) -> Vec<&str> {
    act.iter().map(String::as_str).collect()
}

#[test]
fn unproven_operator_does_only_what_is_listed() {
    let (sandbox, proven) = stage(PROVEN);
    for act in &proven {
        assert_eq!(code(&detached(&sandbox, &words(act))), "needs_terminal", "{act:?}");
    }
    for act in &proven {
        let seated = sandbox.operator().run(&words(act));
        assert!(!seated.stdout.contains("needs_terminal"), "{act:?}: {}", seated.shown());
    }
    let (sandbox, claimed) = stage(CLAIMED);
    for act in &claimed {
        let told = code(&detached(&sandbox, &words(act)));
        assert!(told != "needs_terminal" && told != "operator_only", "{act:?}: {told}");
    }
}

#[test]
fn script_without_a_terminal_runs_every_everyday_command() {
    let sandbox = Sandbox::new();
    let ok = |arguments: &[&str]| {
        let done = detached(&sandbox, arguments);
        assert!(done.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&done.stderr));
        String::from_utf8(done.stdout).unwrap()
    };
    ok(&["init", "--project", "X", "--principal", "claude"]);
    ok(&["quick", "--to", "kimi", "Write docs"]);
    ok(&["delegate", "--to", "kimi", "--task", "Write tests"]);
    let made: serde_json::Value =
        serde_json::from_str(&ok(&["task", "create", "--title", "Review", "--assignee", "kimi", "--json"]))
            .unwrap();
    let task = made["answer"]["id"].as_str().unwrap();
    for status in ["in_progress", "completed", "approved"] {
        ok(&["task", "update", task, "--status", status]);
    }
    for act in [
        &["status"][..],
        &["summary"],
        &["relay", "--to", "kimi"],
        &["task", "list"],
        &["task", "show", task],
        &["msg", "send", "--to", "kimi", "--subject", "s", "--message", "m"],
        &["inbox", "--agent", "kimi"],
        &["update-template", "--agent", "kimi"],
        &["setup", "claude", "--yes"],
        &["sync"],
        &["export", "--format", "jsonl"],
        &["backup", "../kept.db"],
    ] {
        ok(act);
    }
}

/// A process that was kimi, and whose session ended.
fn after_its_session(sandbox: &Sandbox, outer: &[&str], named: &str) -> Command {
    let program = sandbox.start().command(&[]).get_program().to_owned();
    let program = program.to_string_lossy();
    let script = format!(
        "{program} session bind s-1 --agent kimi --pid $$ >/dev/null && {program} session end s-1 >/dev/null && env {named} \"$@\""
    );
    let mut command = Command::new(outer[0]);
    command.args(&outer[1..]).args(["sh", "-c", &script, "sh"]);
    command
}

#[test]
fn ended_session_leaves_no_operator_behind() {
    let (sandbox, acts) = stage(&[CLAIMED, PROVEN].concat());
    for act in &acts {
        // To say that one is the operator is no proof against it.
        for named in ["", "INTERAGENT_AGENT=operator"] {
            let unmarked = after_its_session(&sandbox, &["setsid", "--wait"], named);
            let done = sandbox.start().below(unmarked, &words(act)).output().unwrap();
            let told = code(&done);
            assert!(["operator_only", "unbound"].contains(&told.as_str()), "{act:?} {named}: {told}");
        }
    }
}

#[test]
fn terminal_of_an_agents_shell_proves_nobody() {
    let sandbox = Sandbox::with_team();
    let unmarked = after_its_session(&sandbox, &["setsid", "--wait", "--ctty"], "");
    let mut command = sandbox.start().below(unmarked, &["sync"]);
    command.env("TERM", "xterm");
    let size = interagent_testkit::terminal::Size { rows: 24, columns: 80 };
    let (status, shown) = interagent_testkit::terminal::run_on_terminal(command, size, "");
    assert_eq!(status, 1, "{shown}");
    assert!(shown.contains("a parent process belongs to an agent whose session has ended"), "{shown}");
}
