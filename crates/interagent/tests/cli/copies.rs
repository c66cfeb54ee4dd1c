//! A hub that may be a copy: what is read, what is refused, and what a person or a sync decides. A hub that only looks
//! different from another place is none.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use interagent_testkit::Sandbox;
use interagent_testkit::crash::skip;
use interagent_testkit::mcp::McpClient;
use interagent_testkit::sandbox::{Output, Run};
use serde_json::json;

/// The project as `cp -r` copies it.
fn copied(sandbox: &Sandbox) -> PathBuf {
    let to = sandbox.home().join("elsewhere");
    let done = Command::new("cp").arg("-r").args([&sandbox.project(), &to]).status().unwrap();
    assert!(done.success());
    to
}

/// How often a replica began, by the log.
fn replicas(run: Run<'_>) -> usize {
    let log = run.json(&["log", "--limit", "500"]);
    log["items"].as_array().unwrap().iter().filter(|entry| entry["op"] == "origin.open").count()
}

/// Every file below, with its bytes. The search index follows reads, and SQLite's index of its log has locks in it.
fn everything(directory: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(directory).unwrap().map(Result::unwrap) {
        let path = entry.path();
        let name = entry.file_name().into_string().unwrap();
        if path.is_dir() {
            found.extend(everything(&path));
        } else if !name.starts_with("search.db") && !name.ends_with("-shm") {
            let bytes = fs::read(&path).unwrap();
            found.insert(path, bytes);
        }
    }
    found
}

fn hook(run: Run<'_>, event: &str) -> Output {
    run.stdin(r#"{"session_id":"s1","source":"startup"}"#).run(&["hook", "claude", event])
}

#[test]
fn reading_a_copy_writes_nothing() {
    let sandbox = Sandbox::with_team();
    sandbox.run(&["send", "--to", "kimi", "-m", "before the copy"]).success();
    let to = copied(&sandbox);
    let before = everything(&to);
    let run = |arguments: &[&str]| sandbox.operator().within(&to).run(arguments).success();
    for arguments in [&["status"][..], &["log"], &["agent", "list"], &["task", "list"], &["whoami"]] {
        let output = run(arguments);
        assert!(!output.stdout.is_empty());
        insta::allow_duplicates! {
            insta::assert_snapshot!(output.stderr, @"note: this hub may be a copy (its database is another file than before): it can only be read until interagent doctor --moved or interagent doctor --copied");
        }
    }
    let agents = sandbox.start().within(&to).env("INTERAGENT_AGENT", "kimi").run(&["msg", "list"]).success();
    assert!(agents.stderr.ends_with("until the operator decides\n"), "{}", agents.stderr);
    assert_eq!(run(&["status", "--json"]).stderr, "");
    let doctor = sandbox.start().within(&to).run(&["doctor"]).stdout;
    assert!(
        doctor.contains("warn  replica: this hub may be a copy") && doctor.contains("--copied"),
        "{doctor}"
    );
    let changed: Vec<_> =
        everything(&to).into_iter().filter(|(path, now)| before.get(path) != Some(now)).collect();
    assert!(changed.is_empty(), "{:?}", changed.iter().map(|(path, _)| path).collect::<Vec<_>>());
    assert_eq!(replicas(sandbox.start().within(&to)), 1);
}

#[test]
fn writing_into_a_copy_is_refused_until_it_is_decided() {
    let sandbox = Sandbox::with_team();
    let to = copied(&sandbox);
    let here = || sandbox.start().within(&to);
    let send = ["send", "--to", "kimi", "-m", "into the copy"];
    insta::assert_snapshot!(here().run(&send).shown(), @"
    --- stderr
    error: this hub may be a copy (its database is another file than before); nothing is written until the operator decides
    hint: interagent doctor --moved if the original is gone, interagent doctor --copied if it is still used
    --- exit 5
    ");
    insta::assert_snapshot!(here().env("INTERAGENT_AGENT", "claude").run(&send).shown(), @"
    --- stderr
    error: this hub may be a copy (its database is another file than before); nothing is written until the operator decides
    hint: ask the operator to run interagent doctor
    --- exit 5
    ");
    let refused = here().run(&["task", "create", "x", "--json"]);
    assert!(
        refused.status == 5 && refused.stdout.contains(r#""code":"store_undecided""#),
        "{}",
        refused.shown()
    );
    let agent = here().env("INTERAGENT_AGENT", "kimi").run(&["doctor", "--copied"]);
    assert!(agent.status == 1 && agent.stderr.contains("only the operator may decide"), "{}", agent.shown());
    for arguments in [&["up"][..], &["supervise", "--once"], &["init", "--force"]] {
        let refused = here().run(arguments);
        assert_eq!(refused.status, 5, "{arguments:?}: {}", refused.shown());
        assert!(refused.stderr.contains("this hub may be a copy"), "{arguments:?}: {}", refused.shown());
    }
    let rebuilt = here().run(&["doctor", "--rebuild"]);
    assert!(rebuilt.status == 5 && rebuilt.stderr.contains("may be a copy"), "{}", rebuilt.shown());
    for event in ["SessionStart", "UserPromptSubmit", "PreToolUse", "Stop"] {
        let output = hook(here(), event);
        assert_eq!((output.status, output.stdout.as_str(), output.stderr.as_str()), (0, "", ""), "{event}");
    }
    assert_eq!(replicas(here()), 1);
}

#[test]
fn moved_hub_keeps_agents_and_mail() {
    let sandbox = Sandbox::with_team();
    sandbox.run(&["send", "--to", "kimi", "-m", "before the move"]).success();
    let to = copied(&sandbox);
    fs::remove_dir_all(sandbox.hub()).unwrap();
    let run = |arguments: &[&str]| sandbox.operator().within(&to).run(arguments);
    let agent = sandbox.start().within(&to).env("INTERAGENT_AGENT", "kimi").run(&["doctor", "--moved"]);
    assert!(agent.stderr.contains("only the operator may decide"), "{}", agent.stderr);
    let moved = run(&["doctor", "--moved"]).success().stdout;
    assert!(moved.starts_with("continues ") && moved.contains(": claude, kimi live on here"), "{moved}");
    let inbox = sandbox.start().within(&to).env("INTERAGENT_AGENT", "kimi").run(&["inbox"]).success();
    assert!(inbox.stdout.contains("before the move") && inbox.stderr.is_empty(), "{}", inbox.shown());
    assert!(!run(&["doctor"]).stdout.contains("copy"));
    for again in ["--moved", "--copied"] {
        let again = run(&["doctor", again]);
        assert!(again.status == 1 && again.stderr.contains("this hub is not a copy"), "{}", again.shown());
    }
    assert_eq!(replicas(sandbox.start().within(&to)), 2, "the old replica is never written on");
}

#[test]
fn copy_beside_its_original_becomes_a_replica() {
    let sandbox = Sandbox::with_team();
    let to = copied(&sandbox);
    let run = |arguments: &[&str]| sandbox.operator().within(&to).run(arguments);
    let copied = run(&["doctor", "--copied"]).success().stdout;
    assert!(copied.starts_with("began the replica ") && copied.contains("interagent team take"), "{copied}");
    assert!(
        run(&["doctor"])
            .stdout
            .contains("this hub is a copy: the agents and their mail belong to the original")
    );
    let foreign = sandbox
        .start()
        .within(&to)
        .env("INTERAGENT_AGENT", "kimi")
        .run(&["send", "--to", "claude", "-m", "x"]);
    assert_ne!(foreign.status, 0, "kimi lives at the original: {}", foreign.shown());
    run(&["team", "take"]).success();
    run(&["send", "--to", "kimi", "-m", "to the kimi of here"]).success();
    assert!(!run(&["doctor"]).stdout.contains("this hub is a copy"));
    let refused = run(&["doctor", "--moved"]);
    assert!(
        refused.stderr.contains("claude, kimi registered here since it was copied"),
        "{}",
        refused.stderr
    );
    sandbox.run(&["send", "--to", "kimi", "-m", "the original goes on"]).success();
    assert_eq!((replicas(sandbox.start()), replicas(sandbox.start().within(&to))), (1, 2));
}

#[test]
fn sync_settles_doubt_as_copy() {
    let sandbox = Sandbox::with_team();
    let to = copied(&sandbox);
    assert!(Command::new("git").args(["init", "-q"]).current_dir(&to).status().unwrap().success());
    let run = |arguments: &[&str]| sandbox.operator().within(&to).run(arguments).success();
    let told = run(&["sync"]).stderr;
    assert!(
        told.contains("this hub was taken for a copy (its database is another file than before)"),
        "{told}"
    );
    assert!(told.contains("hint: if the original is gone, interagent doctor --moved"), "{told}");
    assert!(!run(&["sync"]).stderr.contains("copy"));
    assert_eq!(replicas(sandbox.start().within(&to)), 2);
    // It was a move after all.
    let moved = run(&["doctor", "--moved"]).stdout;
    assert!(moved.contains(": claude, kimi live on here"), "{moved}");
}

#[test]
fn sync_that_shares_nothing_decides_nothing() {
    let sandbox = Sandbox::with_team();
    let to = copied(&sandbox);
    let before = everything(&to);
    let run = |arguments: &[&str]| sandbox.start().within(&to).run(arguments);
    let told = run(&["sync"]).success();
    assert!(told.stdout.contains("there is no git repository around the hub"), "{}", told.shown());
    assert!(told.stderr.contains("note: this hub may be a copy"), "{}", told.shown());
    let document = run(&["sync", "--json"]).success();
    assert!(document.stdout.contains(r#""files":"#), "{}", document.shown());
    assert_eq!(run(&["sync", "origin"]).status, 1);
    assert_eq!(everything(&to), before);
    assert!(Command::new("git").args(["init", "-q"]).current_dir(&to).status().unwrap().success());
    let absent = run(&["sync", "origin"]);
    assert_ne!(absent.status, 0, "{}", absent.shown());
    assert_eq!(replicas(sandbox.start().within(&to)), 1);
}

#[test]
fn recovering_is_for_the_operator() {
    let sandbox = Sandbox::with_team();
    let database = sandbox.hub().join("state/hub.db");
    let file = fs::OpenOptions::new().write(true).open(&database).unwrap();
    file.set_len(fs::metadata(&database).unwrap().len() / 2).unwrap();
    insta::assert_snapshot!(sandbox.as_agent("kimi").run(&["doctor", "--recover"]).shown(), @"
    --- stderr
    error: a recovery begins a new replica: only the operator does that
    hint: ask the operator to run interagent doctor --recover
    --- exit 1
    ");
    sandbox.operator().run(&["doctor", "--recover"]).success();
}

/// Runs a line where something else is mounted for it alone; none where this machine does not allow that.
fn with_mounts(run: &Run<'_>, line: &str) -> Option<String> {
    let shell = run.shell(&format!("set -e; {line}"));
    let mut command = Command::new("unshare");
    command.args(["--user", "--map-root-user", "--mount", "--"]).arg(shell.get_program());
    command.args(shell.get_args()).env_clear().current_dir(shell.get_current_dir().unwrap());
    shell.get_envs().for_each(|(name, value)| {
        command.env(name, value.unwrap());
    });
    let done = command.output().ok()?;
    let said = String::from_utf8_lossy(&done.stderr).into_owned();
    if said.contains("unshare") || said.contains("mount:") {
        return None;
    }
    assert!(done.status.success(), "{line}: {said}");
    Some(String::from_utf8_lossy(&done.stdout).into_owned() + &said)
}

#[test]
fn containers_keep_hub_identity() {
    let sandbox = Sandbox::with_team();
    let root = sandbox.home();
    fs::write(root.join("other-machine"), "0123456789abcdef0123456789abcdef\n").unwrap();
    fs::write(root.join("no-machine"), "").unwrap();
    fs::create_dir(root.join("empty")).unwrap();
    let (machine, none) = (root.join("other-machine"), root.join("no-machine"));
    let other = format!("mount --bind {} /etc/machine-id", machine.display());
    let unreadable = format!("mount --bind {} /etc/machine-id", none.display());
    // Another user state directory, one that can't be made, and one that can't be read.
    let elsewhere = root.join("state-of-container").display().to_string();
    let outside = sandbox.start();
    for (round, (mounts, state)) in [
        (other.as_str(), None),
        (unreadable.as_str(), None),
        ("mount -t tmpfs none /etc", None),
        (other.as_str(), Some(elsewhere.as_str())),
        (unreadable.as_str(), Some("/proc/nowhere")),
        ("true", Some("/proc/self/mem")),
    ]
    .into_iter()
    .enumerate()
    {
        let inside = match state {
            Some(state) => sandbox.start().env("XDG_STATE_HOME", state),
            None => sandbox.start(),
        };
        let line = format!("{mounts}; interagent status; interagent send --to kimi -m inside-{round}");
        let Some(said) = with_mounts(&inside, &line) else {
            return skip("no mount namespace here: one hub in two places was not tried");
        };
        assert!(!said.contains("copy"), "{said}");
        let output = outside.clone().run(&["send", "--to", "kimi", "-m", "outside"]).success();
        assert_eq!(output.stderr, "");
    }
    assert_eq!(replicas(sandbox.start()), 1);
    let inbox = sandbox.as_agent("kimi").json(&["inbox"]);
    assert_eq!(inbox["items"].as_array().unwrap().len(), 12);
}

/// Runs a command to which these files can't be opened; none where there is no strace.
fn with_fault(command: &Command, files: &[&Path], error: &str) -> Option<std::process::Output> {
    let mut traced = Command::new("strace");
    traced.args(["-f", "-qq", "-o", "/dev/null", "-e", &format!("inject=open,openat:error={error}")]);
    for file in files {
        traced.arg("-P").arg(file);
    }
    traced.arg(command.get_program()).args(command.get_args()).env_clear();
    for (name, value) in command.get_envs() {
        traced.env(name, value.unwrap());
    }
    traced.current_dir(command.get_current_dir().unwrap()).output().ok()
}

#[test]
fn file_that_cannot_be_opened_decides_nothing() {
    let sandbox = Sandbox::with_team();
    let send = ["send", "--to", "kimi", "-m", "x"];
    let machine = ["/etc/machine-id", "/var/lib/dbus/machine-id"].map(Path::new);
    let id = sandbox.hub().join("state/store-id");
    for error in ["EMFILE", "EACCES", "EIO"] {
        for arguments in [&["status"][..], &send] {
            let command = sandbox.start().command(arguments);
            let Some(done) = with_fault(&command, &machine, error) else {
                return skip("there is no strace: unreadable files were not tried");
            };
            assert!(done.status.success() && done.stderr.is_empty(), "{error}: {done:?}");
            let refused = with_fault(&command, &[&id], error).unwrap();
            let said = String::from_utf8_lossy(&refused.stderr).into_owned();
            assert_eq!(refused.status.code(), Some(5), "{error}: {said}");
            assert!(said.starts_with("error: the identity of this store can't be read: "), "{said}");
        }
    }
    assert_eq!(replicas(sandbox.start()), 1);
    assert_eq!(sandbox.as_agent("kimi").json(&["inbox"])["items"].as_array().unwrap().len(), 3);
}

#[test]
fn running_server_follows_the_decision() {
    let sandbox = Sandbox::with_team();
    let to = copied(&sandbox);
    let server = sandbox.start().within(&to).shell("interagent mcp; exit $?");
    let mut client = McpClient::connect(server, "test-client");
    let register = json!({ "name": "eve", "description": "tests" });
    let refused = client.refused("register_agent", register.clone());
    assert_eq!(refused["code"], "store_undecided", "{refused}");
    assert_eq!(refused["hints"], json!(["ask the operator to run interagent doctor"]), "{refused}");
    sandbox.operator().within(&to).run(&["doctor", "--copied"]).success();
    client.done("register_agent", register);
}

#[test]
fn unreadable_store_id_is_an_error() {
    let sandbox = Sandbox::with_team();
    let id = sandbox.hub().join("state/store-id");
    fs::rename(&id, id.with_extension("away")).unwrap();
    fs::create_dir(&id).unwrap();
    insta::assert_snapshot!(sandbox.run(&["status"]).shown(), @"
    --- stderr
    error: the identity of this store can't be read: [sandbox]/project/.interagent/state/store-id is a directory, not a file of interagent; it was left alone
    hint: interagent doctor
    --- exit 5
    ");
    let output = hook(sandbox.start(), "SessionStart");
    assert_eq!((output.status, output.stdout.as_str(), output.stderr.as_str()), (0, "", ""));
    let doctor = sandbox.run(&["doctor"]).stdout;
    assert!(doctor.contains("bad   replica: the identity of this store can't be read"), "{doctor}");
    fs::remove_dir(&id).unwrap();
    fs::rename(id.with_extension("away"), &id).unwrap();
    sandbox.run(&["send", "--to", "kimi", "-m", "again"]).success();
    assert_eq!(replicas(sandbox.start()), 1);
}
