//! Long answers on a real terminal.

use std::os::unix::fs::PermissionsExt;

use interagent_testkit::Sandbox;
use interagent_testkit::sandbox::Run;
use interagent_testkit::terminal::{Size, run_on_terminal};

const SCREEN: Size = Size { rows: 10, columns: 120 };

/// A team with more tasks than the screen has lines, and a pager that says so before each line.
fn with_many_tasks() -> (Sandbox, String) {
    let sandbox = Sandbox::with_team();
    for number in 0..12 {
        sandbox.run(&["task", "create", &format!("number {number}")]).success();
    }
    let pager = sandbox.home().join("my pager");
    std::fs::write(&pager, "#!/bin/sh\necho \"args: $*, LESS=$LESS\"\nexec sed 's/^/paged: /'\n").unwrap();
    std::fs::set_permissions(&pager, PermissionsExt::from_mode(0o755)).unwrap();
    let command = format!("'{}' -x \"a b\"", pager.display());
    (sandbox, command)
}

fn seated<'a>(sandbox: &'a Sandbox, pager: &str) -> Run<'a> {
    sandbox.start().env("TERM", "xterm").env("PATH", "/usr/bin:/bin").env("PAGER", pager)
}

fn shown(run: &Run<'_>, arguments: &[&str]) -> String {
    let (status, shown) = run_on_terminal(run.command(arguments), SCREEN, "");
    assert_eq!(status, 0, "{arguments:?}: {shown}");
    shown
}

#[test]
fn a_long_answer_goes_through_the_pager_and_a_short_one_does_not() {
    let (sandbox, pager) = with_many_tasks();
    let run = seated(&sandbox, &pager);
    let long = shown(&run, &["task", "list", "--color", "never"]);
    assert!(long.starts_with("args: -x a b, LESS=FRX\n"), "{long}");
    let paged = long.lines().filter(|line| line.starts_with("paged: ") && line.contains(" task-"));
    assert_eq!(paged.count(), 12, "{long}");
    assert!(shown(&run.clone().env("LESS", "-S"), &["task", "list"]).contains("LESS=-S\n"));
    let short = shown(&run, &["task", "list", "--limit", "2", "--color", "never"]);
    assert!(short.contains("number 11") && !short.contains("paged"), "{short}");
    let ours = run.clone().env("INTERAGENT_PAGER", "sed s/number/NUMBER/");
    assert!(shown(&ours, &["task", "list"]).contains("NUMBER 3"), "our variable is stronger");
}

#[test]
fn nobody_gets_a_pager_who_does_not_want_one_or_cannot_use_it() {
    let (sandbox, pager) = with_many_tasks();
    let run = seated(&sandbox, &pager);
    let cases: [(&str, Run<'_>, &[&str]); 8] = [
        ("told not to", run.clone(), &["task", "list", "--no-pager"]),
        ("for programs", run.clone(), &["task", "list", "--json"]),
        ("no pager", run.clone().env("INTERAGENT_PAGER", ""), &["task", "list"]),
        ("cat", run.clone().env("INTERAGENT_PAGER", "cat"), &["task", "list"]),
        ("dumb terminal", run.clone().env("TERM", "dumb"), &["task", "list"]),
        ("no terminal type", run.clone().without("TERM"), &["task", "list"]),
        ("an agent", run.clone().env("INTERAGENT_AGENT", "kimi"), &["task", "list"]),
        ("an agent's client", run.clone().env("CLAUDECODE", "1"), &["task", "list"]),
    ];
    for (why, run, arguments) in cases {
        let shown = shown(&run, arguments);
        assert!(shown.contains("number 3") && !shown.contains("paged"), "{why}: {shown}");
    }
    let piped = run.run(&["task", "list"]).success();
    assert!(!piped.stdout.contains("paged"), "a pipe has no pager");
}

#[test]
fn a_pager_that_leaves_or_is_missing_is_no_error() {
    let (sandbox, _) = with_many_tasks();
    assert_eq!(shown(&seated(&sandbox, "true"), &["task", "list"]), "", "it has seen enough");
    assert_eq!(shown(&seated(&sandbox, "false"), &["task", "list"]), "");
    let without = shown(&seated(&sandbox, "/nonexistent/pager"), &["task", "list"]);
    assert!(without.contains("number 3"), "{without}");
}

#[test]
fn a_hand_over_never_depends_on_a_pager() {
    let (sandbox, _) = with_many_tasks();
    for number in 0..12 {
        sandbox.run(&["send", "--to", "kimi", "-m", &format!("mail {number}")]).success();
    }
    sandbox.run(&["session", "bind", "s-1", "--agent", "kimi"]).success();
    // Nothing in its environment says that this is kimi; only its pane does.
    sandbox.run(&["session", "bind", "s-1", "--agent", "kimi", "--pane", "%77"]).success();
    let inbox = shown(&seated(&sandbox, "true").env("TMUX_PANE", "%77"), &["inbox"]);
    assert!(inbox.contains("mail 3"), "a pager that shows nothing had it all: {inbox}");
}
