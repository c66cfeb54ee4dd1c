//! Surroundings that are not as they should be: one clear sentence and the right exit code, never a panic.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use interagent_testkit::Sandbox;

/// How a run ended: exit code (-1 after a signal), standard output, standard error.
type Ended = (i32, String, String);

/// What it is, what the shell does first, the arguments, what stands behind them, exit code, words of the sentence.
type Case<'a> = (&'a str, &'a str, &'a [&'a str], &'a str, i32, &'a str);

fn ended(mut command: Command) -> Ended {
    let output = command.output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code().unwrap_or(-1), text(&output.stdout), text(&output.stderr))
}

/// Runs the program from a shell that first does `before`; `after` stands behind the arguments.
fn in_shell(sandbox: &Sandbox, before: &str, arguments: &[&str], after: &str) -> Ended {
    let plain = sandbox.start().command(&[]);
    let mut shell = Command::new("bash");
    shell.args(["--norc", "-c", &format!("{before}\n\"$0\" \"$@\" {after}")]).arg(plain.get_program());
    shell.args(arguments).env_clear().env("HOME", sandbox.home()).env("PATH", "/usr/bin:/bin");
    shell.current_dir(sandbox.project());
    ended(shell)
}

/// What every failure has in common.
#[track_caller]
fn is_told(what: &str, (status, stdout, stderr): &Ended, wanted_status: i32, wanted: &str) {
    assert_eq!(*status, wanted_status, "{what}: {stdout}{stderr}");
    assert!(stderr.contains(wanted), "{what}: {stderr}");
    for sign in ["panicked", "backtrace", "RUST_BACKTRACE", "os error 24)\n  "] {
        assert!(!stderr.contains(sign), "{what}: {stderr}");
    }
    let errors = stderr.lines().filter(|line| line.starts_with("error:")).count();
    assert_eq!(errors, usize::from(*status != 0), "{what}: one sentence: {stderr}");
}

#[test]
fn surroundings_that_are_wrong_are_told_in_one_sentence() {
    let sandbox = Sandbox::with_team();
    let send: &[&str] = &["send", "--to", "kimi", "-m", "hello"];
    let list: &[&str] = &["agent", "list"];
    let cases: [Case<'_>; 18] = [
        ("no home, project hub", "unset HOME", list, "", 0, ""),
        ("no home, no project", "unset HOME; cd /", list, "", 3, "without HOME"),
        ("home that is a file", "export HOME=/dev/null; cd /", send, "", 5, "error: "),
        ("home that can't be made", "export HOME=/proc/nobody; cd /", send, "", 5, "cannot make the hub"),
        ("home that can't be made, reading", "export HOME=/proc/nobody; cd /", list, "", 3, "no hub"),
        ("closed output", "", list, ">&-", 0, ""),
        ("closed output of a write", "", send, ">&-", 0, ""),
        ("all streams closed", "", list, "<&- >&- 2>&-", 0, ""),
        ("full output", "", list, ">/dev/full", 5, "could not be written to standard output"),
        ("full output of a write", "", send, ">/dev/full", 0, "warning: the answer could not be written"),
        ("reader that left", "set -o pipefail", list, "| true", 0, ""),
        ("dumb terminal", "export TERM=dumb", list, "", 0, ""),
        ("one column", "export COLUMNS=1", list, "", 0, ""),
        ("working directory gone", "mkdir gone; cd gone; rmdir ../gone", list, "", 3, "working directory"),
        ("ten descriptors", "ulimit -n 10", list, "", 0, ""),
        ("ten descriptors, writing", "ulimit -n 10", send, "", 0, ""),
        ("too few descriptors", "ulimit -n 4", list, "", 5, "error: "),
        ("files of 4 KB, writing", "ulimit -f 4", send, "", 5, "error: "),
    ];
    for (what, before, arguments, after, status, wanted) in cases {
        is_told(what, &in_shell(&sandbox, before, arguments, after), status, wanted);
    }
    assert_eq!(
        sandbox.json(&["inbox", "--agent", "kimi"])["unread"],
        3,
        "exit 0 says stored, and nothing else"
    );
    sandbox.run(&["doctor"]).success();
}

#[test]
fn a_file_size_limit_leaves_reading_alone() {
    let sandbox = Sandbox::with_team();
    let (status, stdout, stderr) = in_shell(&sandbox, "ulimit -f 4", &["agent", "list"], "");
    assert_eq!(status, 0, "{stderr}");
    assert!(stdout.contains("kimi"), "{stdout}");
}

/// Of a group of programs that all write, the limit kills none.
#[test]
fn a_file_size_limit_is_no_sudden_death_of_init() {
    let sandbox = Sandbox::new();
    is_told("init", &in_shell(&sandbox, "ulimit -f 4", &["init"], ""), 5, "error: ");
}

/// A user who may look at the hub and not change it. For root that is another user, because root may everything.
fn as_reader(sandbox: &Sandbox, arguments: &[&str]) -> Command {
    let plain = sandbox.start().command(arguments);
    let copy = sandbox.home().parent().unwrap().join("interagent");
    if !copy.exists() {
        fs::copy(plain.get_program(), &copy).unwrap();
    }
    let mut command = match is_root() {
        true => {
            let mut command = Command::new("setpriv");
            command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]).arg(&copy);
            command
        }
        false => Command::new(&copy),
    };
    command.args(arguments).env_clear().env("HOME", sandbox.home()).env("PATH", "/usr/bin:/bin");
    command.current_dir(sandbox.project());
    command
}

fn is_root() -> bool {
    fs::read_to_string("/proc/self/status").unwrap().contains("Uid:\t0\t")
}

fn everything_below(directory: &Path) -> Vec<PathBuf> {
    let mut found = vec![directory.to_owned()];
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => found.extend(everything_below(&path)),
            false => found.push(path),
        }
    }
    found
}

/// Takes the right to write away from everything in the hub, or gives it back.
fn set_writable(sandbox: &Sandbox, writable: bool) {
    for path in everything_below(&sandbox.hub()) {
        let mode = match (path.is_dir(), writable) {
            (true, true) => 0o755,
            (true, false) => 0o555,
            (false, true) => 0o644,
            (false, false) => 0o444,
        };
        fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
        if is_root() {
            std::os::unix::fs::chown(&path, Some(65534), Some(65534)).unwrap();
        }
    }
    fs::set_permissions(sandbox.home().parent().unwrap(), Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn a_hub_that_may_only_be_read_is_read_and_said_to_be_so() {
    let sandbox = Sandbox::with_team();
    sandbox.run(&["send", "--to", "kimi", "-m", "hello"]).success();
    set_writable(&sandbox, false);
    for look in
        [&["agent", "list"][..], &["status"], &["task", "list"], &["inbox", "--agent", "kimi"], &["log"]]
    {
        let (status, stdout, stderr) = ended(as_reader(&sandbox, look));
        assert_eq!(status, 0, "{look:?}: {stderr}");
        assert!(!stdout.is_empty(), "{look:?}");
    }
    for write in [&["send", "--to", "kimi", "-m", "again"][..], &["task", "create", "x"]] {
        is_told(&format!("{write:?}"), &ended(as_reader(&sandbox, write)), 5, "Permission denied");
    }
    let (status, stdout, stderr) = ended(as_reader(&sandbox, &["doctor"]));
    assert_eq!(status, 1, "{stdout}{stderr}");
    assert!(stdout.contains("cannot be written: you may not"), "{stdout}");
    set_writable(&sandbox, true);
    let (status, _, stderr) = ended(as_reader(&sandbox, &["send", "--to", "kimi", "-m", "again"]));
    assert_eq!(status, 0, "the rights were all that was missing: {stderr}");
}

#[test]
fn a_hub_that_may_not_even_be_read_is_never_an_empty_one() {
    let sandbox = Sandbox::with_team();
    set_writable(&sandbox, true);
    for path in ["state/hub.db", "state"] {
        let path = sandbox.hub().join(path);
        let before = fs::metadata(&path).unwrap().permissions();
        fs::set_permissions(&path, Permissions::from_mode(0o000)).unwrap();
        is_told(&format!("{path:?}"), &ended(as_reader(&sandbox, &["inbox"])), 5, "error: ");
        fs::set_permissions(&path, before).unwrap();
    }
}
