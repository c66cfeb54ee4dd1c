//! What a message can carry, and where its text comes from.

use std::path::Path;
use std::process::Command;

use interagent_testkit::Sandbox;
use interagent_testkit::sandbox::Run;

use crate::terminal::on_a_terminal;

fn git(directory: &Path, arguments: &[&str]) {
    let identity = ["-c", "user.name=t", "-c", "user.email=t@t", "-c", "init.defaultBranch=main"];
    let mut command = Command::new("git");
    command.args(identity).args(arguments).current_dir(directory);
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
    assert!(command.output().unwrap().status.success(), "{arguments:?}");
}

/// A run that finds git where this test finds it.
fn beside_git(sandbox: &Sandbox) -> Run<'_> {
    sandbox.start().env("PATH", &std::env::var("PATH").unwrap())
}

/// A team in a repository with one commit and a change after it.
fn repository() -> Sandbox {
    let sandbox = Sandbox::with_team();
    let project = sandbox.project();
    git(&project, &["init"]);
    std::fs::write(project.join("a.txt"), "one\n").unwrap();
    git(&project, &["add", "a.txt"]);
    git(&project, &["commit", "-m", "first"]);
    std::fs::write(project.join("a.txt"), "one\ntwo\n").unwrap();
    sandbox
}

#[test]
fn the_text_is_an_argument_an_option_standard_input_or_a_file() {
    let sandbox = Sandbox::with_team();
    let file = sandbox.project().join("note.md");
    std::fs::write(&file, "from a file").unwrap();
    let file = file.display().to_string();
    for (arguments, wanted) in [
        (&["send", "--to", "kimi", "an argument"][..], "an argument"),
        (&["send", "--to", "kimi", "-m", "an option"], "an option"),
        (&["send", "--to", "kimi", "-"], "from a pipe"),
        (&["send", "--to", "kimi", "-m", "-"], "from a pipe"),
        (&["send", "--to", "kimi", "--file", &file], "from a file"),
        (&["send", "--to", "kimi", "--file", "-"], "from a pipe"),
    ] {
        let id = sandbox.start().stdin("from a pipe").json(arguments)["id"].clone();
        assert_eq!(sandbox.json(&["read", id.as_str().unwrap()])["body"], wanted, "{arguments:?}");
    }
    let twice = sandbox.run(&["send", "--to", "kimi", "one", "-m", "two"]);
    assert_eq!(twice.status, 2, "{}", twice.stderr);
    let nothing = sandbox.run(&["send", "--to", "kimi"]);
    insta::assert_snapshot!(nothing.shown(), @r"
    --- stderr
    error: a message needs a subject or a body
    hint: give the text with -m, or `-` to read it from standard input
    --- exit 2
    ");
}

#[test]
fn a_change_goes_along_as_it_is_now() {
    let sandbox = repository();
    let id = beside_git(&sandbox).json(&["send", "--to", "kimi", "Please look", "--diff"])["id"]
        .as_str()
        .unwrap()
        .to_owned();
    git(&sandbox.project(), &["checkout", "a.txt"]);
    insta::assert_snapshot!(sandbox.as_agent("kimi").run(&["inbox"]).shown(), @r"
    kimi: 1 unread message

    msg-1  message Please look
    from: operator (claimed), [ago]

      Please look

    diff:working-tree:
      diff --git a/a.txt b/a.txt
      index 5626abf..814f4a4 100644
      --- a/a.txt
      +++ b/a.txt
      @@ -1 +1,2 @@
      one
      +two
    ");
    // A listing does not carry it.
    assert!(sandbox.json(&["msg", "list"])["items"][0]["refs"][0]["text"].is_null());
    sandbox.operator().run(&["purge", &id]).success();
    let shown = sandbox.run(&["read", &id]).shown();
    assert!(!shown.contains("+two"), "{shown}");
}

#[test]
fn a_range_is_compared_by_git_and_nothing_else() {
    let sandbox = repository();
    git(&sandbox.project(), &["commit", "-am", "second"]);
    let reply = beside_git(&sandbox).json(&["send", "--to", "kimi", "-m", "look", "--diff", "HEAD~1..HEAD"]);
    let read = sandbox.json(&["read", reply["id"].as_str().unwrap()]);
    assert_eq!(read["refs"][0]["target"], "HEAD~1..HEAD");
    assert!(read["refs"][0]["text"].as_str().unwrap().contains("+two"), "{read}");
    insta::assert_snapshot!(beside_git(&sandbox).run(&["send", "--to", "kimi", "-m", "x", "--diff"]).shown(), @r"
    --- stderr
    error: there is nothing in the diff, so nothing was sent
    hint: files that git does not know yet are not in it: git add -N PATH
    --- exit 1
    ");
    insta::assert_snapshot!(beside_git(&sandbox).run(&["send", "--to", "kimi", "-m", "x", "--diff", "nothing"]).shown(), @r"
    --- stderr
    error: no such file, commit or branch: nothing
    hint: --diff takes a file, - or a range such as main..HEAD; a text goes before it or behind -m
    --- exit 3
    ");
    let option = beside_git(&sandbox).run(&["send", "--to", "kimi", "-m", "x", "--diff=--output=stolen"]);
    assert_eq!(option.status, 2);
    assert!(!sandbox.project().join("stolen").exists());
    let elsewhere = beside_git(&sandbox).within(&sandbox.home());
    let hub = sandbox.hub().display().to_string();
    let outside = elsewhere.run(&["send", "--hub", &hub, "--to", "kimi", "-m", "x", "--diff"]);
    assert_eq!(outside.status, 2, "{}", outside.stderr);
    assert_eq!(sandbox.json(&["msg", "list"])["items"].as_array().unwrap().len(), 1);
}

#[test]
fn a_diff_that_no_text_can_hold_is_refused() {
    let sandbox = repository();
    std::fs::write(sandbox.project().join("a.txt"), "a line\n".repeat(200_000)).unwrap();
    insta::assert_snapshot!(beside_git(&sandbox).run(&["send", "--to", "kimi", "-m", "x", "--diff"]).shown(), @r"
    --- stderr
    error: the diff has more than 1048576 bytes, the most a text may have
    hint: send a part with --diff RANGE, or refer to it with --ref commit:HASH
    --- exit 2
    ");
}

#[test]
fn a_reply_can_be_sent_like_a_message() {
    let sandbox = Sandbox::with_team();
    let question = ["send", "--to", "kimi", "--intent", "question", "Which one?"];
    let id = sandbox.as_agent("claude").json(&question)["id"].as_str().unwrap().to_owned();
    let kimi = sandbox.as_agent("kimi");
    let reply = kimi.json(&["send", "--reply-to", &id, "The second.", "--expires", "2h"]);
    let read = sandbox.json(&["read", reply["id"].as_str().unwrap()]);
    assert_eq!((&read["reply_to"], &read["to"][0]["agent"]["name"]), (&id.clone().into(), &"claude".into()));
    assert!(read["expires"].is_string(), "{read}");
    assert_eq!(sandbox.json(&["read", &id])["to"][0]["how"], "replied");
    let both = kimi.run(&["send", "--reply-to", &id, "--to", "claude", "x"]);
    assert_eq!(both.status, 2, "{}", both.stderr);
    let neither = kimi.run(&["send", "x"]);
    assert_eq!(neither.status, 2, "{}", neither.stderr);
}

#[test]
fn paths_need_not_exist_but_must_be_paths() {
    let sandbox = Sandbox::with_team();
    sandbox.run(&["send", "--to", "kimi", "x", "--ref", "not/there.rs:3-9"]).success();
    for wrong in ["a.rs:0", "a.rs:9-3", "a\u{1b}[2J.rs"] {
        let output = sandbox.run(&["send", "--to", "kimi", "x", "--ref", wrong]);
        assert_eq!(output.status, 2, "{wrong:?}: {}", output.stderr);
    }
}

#[test]
fn on_a_terminal_the_editor_opens() {
    let sandbox = Sandbox::with_team();
    let send = |editor: &str| {
        let run = sandbox.start().env("EDITOR", editor).env("PATH", "/bin:/usr/bin");
        on_a_terminal(run.command(&["send", "--to", "kimi", "--color", "never"]))
    };
    let drafts = || {
        let state = std::fs::read_dir(sandbox.hub().join("state")).unwrap();
        state.filter(|file| file.as_ref().unwrap().file_name().to_string_lossy().starts_with("draft")).count()
    };
    // The editor shows what it was given, then writes.
    let (code, shown) = send("sh -c 'cat \"$1\"; printf \"# Plan\\n\\none\" > \"$1\"' sh");
    assert_eq!(code, 0, "{shown}");
    insta::assert_snapshot!(shown.lines().filter(|line| line.starts_with('#')).collect::<Vec<_>>().join("\n"), @r"
    # ------------------------ >8 ------------------------
    # A message to kimi.
    # Write it above, in Markdown. This and everything below is left out.
    # An empty text sends nothing.
    ");
    assert_eq!(sandbox.json(&["inbox", "--agent", "kimi", "--bodies"])["items"][0]["body"], "# Plan\n\none");
    let (code, shown) = send("true");
    insta::assert_snapshot!(format!("{shown}{code}"), @r"
    error: nothing was sent: the text is empty
    1
    ");
    let (code, shown) = send("false");
    insta::assert_snapshot!(format!("{shown}{code}"), @r"
    error: the editor `false` ended with exit code 1, so nothing was sent
    hint: set VISUAL or EDITOR to one that works, or give the text with -m
    5
    ");
    let (code, _) = send("/no/such/editor");
    assert_eq!(code, 5);
    assert_eq!(drafts(), 0);
    assert_eq!(sandbox.json(&["inbox", "--agent", "kimi"])["unread"], 1);
}

#[test]
fn what_a_person_wrote_is_kept_when_it_can_not_be_sent() {
    let sandbox = Sandbox::with_team();
    let run = sandbox.start().env("VISUAL", "sh -c 'printf long > \"$1\"' sh").env("PATH", "/bin:/usr/bin");
    let (code, shown) = on_a_terminal(run.command(&["send", "--to", "nobody", "--color", "never"]));
    assert_eq!(code, 3, "{shown}");
    let kept =
        shown.lines().find_map(|line| line.split_once("--file ")).map(|(_, path)| path.to_owned()).unwrap();
    assert_eq!(std::fs::read_to_string(kept).unwrap(), "long");
}
