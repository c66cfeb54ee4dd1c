//! Reviews as a conversation: what is reviewed, where comments stand, rounds and verdicts.

use std::fs;
use std::path::Path;
use std::process::Command;

use interagent_testkit::Sandbox;
use interagent_testkit::sandbox::Run;
use serde_json::Value;

/// Runs git in a directory and answers with what it prints.
fn git(directory: &Path, arguments: &[&str]) -> String {
    let output = Command::new("git")
        .args(["-c", "user.name=t", "-c", "user.email=t@localhost", "-c", "commit.gpgsign=false"])
        .args(arguments)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_SYSTEM", "/dev/null")
        .current_dir(directory)
        .output()
        .unwrap();
    assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim_end().to_owned()
}

/// Twenty numbered lines, with some of them replaced.
fn lines(replaced: &[(usize, &str)]) -> String {
    (1..=20)
        .map(|n| match replaced.iter().find(|(line, _)| *line == n) {
            Some((_, text)) => format!("{text}\n"),
            None => format!("let line_{n} = compute({n});\n"),
        })
        .collect()
}

/// A team in a repository whose branch `parser` changes line 10 of src/a.rs.
fn repository() -> Sandbox {
    let sandbox = Sandbox::with_team();
    let work = &sandbox.project();
    git(work, &["init", "-q", "-b", "main"]);
    fs::create_dir_all(work.join("src")).unwrap();
    fs::write(work.join("src/a.rs"), lines(&[])).unwrap();
    git(work, &["add", "src"]);
    git(work, &["commit", "-q", "-m", "Start"]);
    git(work, &["checkout", "-q", "-b", "parser"]);
    fs::write(work.join("src/a.rs"), lines(&[(10, "let line_10 = recompute(10);")])).unwrap();
    git(work, &["commit", "-q", "-am", "Compute line 10 again"]);
    sandbox
}

fn commit(sandbox: &Sandbox, content: &str, message: &str) {
    fs::write(sandbox.project().join("src/a.rs"), content).unwrap();
    git(&sandbox.project(), &["commit", "-q", "-am", message]);
}

/// A run of an agent that finds git where this test finds it.
fn by<'s>(sandbox: &'s Sandbox, name: &str) -> Run<'s> {
    sandbox.as_agent(name).env("PATH", &std::env::var("PATH").unwrap())
}

fn kimi(sandbox: &Sandbox, arguments: &[&str]) -> Value {
    by(sandbox, "kimi").json(arguments)
}

fn claude(sandbox: &Sandbox, arguments: &[&str]) -> Value {
    by(sandbox, "claude").json(arguments)
}

fn opened(sandbox: &Sandbox) -> String {
    let review = kimi(sandbox, &["review", "open", "main..HEAD", "--to", "claude"]);
    review["review"]["id"].as_str().unwrap().to_owned()
}

#[test]
fn a_range_is_recorded_with_its_commits_and_kept() {
    let sandbox = repository();
    let work = &sandbox.project();
    let (main, head) = (git(work, &["rev-parse", "main"]), git(work, &["rev-parse", "HEAD"]));
    // The base branch moves on, which doesn't belong to the change.
    git(work, &["checkout", "-q", "main"]);
    fs::write(work.join("other.txt"), "unrelated\n").unwrap();
    git(work, &["add", "other.txt"]);
    git(work, &["commit", "-q", "-m", "Unrelated"]);
    git(work, &["checkout", "-q", "parser"]);

    for source in ["main..HEAD", "main...parser", "parser"] {
        let review = kimi(&sandbox, &["review", "open", source, "--to", "claude"]);
        let round = &review["rounds"][0];
        assert_eq!(
            (&round["base"], &round["head"]),
            (&main.clone().into(), &head.clone().into()),
            "{source}"
        );
        assert_eq!(review["review"]["title"], "Compute line 10 again");
        let diff = review["diff"].as_str().unwrap();
        assert!(diff.contains("+let line_10 = recompute(10);") && !diff.contains("unrelated"), "{diff}");
        let id = review["review"]["id"].as_str().unwrap();
        let kept = git(work, &["rev-parse", &format!("refs/interagent/reviews/{id}/1")]);
        assert_eq!(kept, head);
    }
    let refused = by(&sandbox, "kimi").run(&["review", "open", "main..nowhere", "--to", "claude"]);
    insta::assert_snapshot!(refused.shown(), @r"
    --- stderr
    error: unknown commit or branch `nowhere`
    hint: git branch --all lists the branches
    --- exit 3
    ");
    let refused = by(&sandbox, "kimi").run(&["review", "open", "parsre", "--to", "claude"]);
    insta::assert_snapshot!(refused.shown(), @r"
    --- stderr
    error: unknown source `parsre`: not a range, branch or task
    hint: git branch lists branches, interagent task list lists tasks
    hint: set a title with --title
    --- exit 3
    ");
}

#[test]
fn what_is_no_diff_is_refused() {
    let sandbox = repository();
    fs::write(sandbox.project().join("garbage.txt"), "hello\n").unwrap();
    let missing = by(&sandbox, "kimi").run(&["review", "open", "--diff", "/nonexist", "--to", "claude"]);
    insta::assert_snapshot!(missing.shown(), @r"
    --- stderr
    error: no such file, commit or branch: /nonexist
    hint: --diff takes a file, - or a range such as main..HEAD; a text goes before it or behind -m
    --- exit 3
    ");
    let open = ["review", "open", "--diff", "garbage.txt", "--to", "claude"];
    insta::assert_snapshot!(by(&sandbox, "kimi").run(&open).shown(), @r"
    --- stderr
    error: not a diff: it names no file
    hint: git diff main | interagent review open --diff -
    --- exit 2
    ");
    let empty = by(&sandbox, "kimi").run(&["review", "open", "--diff", "/dev/null", "--to", "claude"]);
    insta::assert_snapshot!(empty.shown(), @r"
    --- stderr
    error: the diff is empty
    hint: --diff without a value uses the changes since the last commit
    --- exit 1
    ");
    let review = opened(&sandbox);
    let unknown = by(&sandbox, "kimi").run(&["review", "update", &review, "nosuchbranch"]);
    insta::assert_snapshot!(unknown.shown(), @r"
    --- stderr
    error: unknown source `nosuchbranch`: not a range, branch or task
    hint: git branch lists branches, interagent task list lists tasks
    --- exit 3
    ");
}

#[test]
fn a_snapshot_touches_nothing_of_the_user() {
    let sandbox = repository();
    let work = &sandbox.project();
    fs::write(work.join("src/a.rs"), lines(&[(2, "staged")])).unwrap();
    git(work, &["add", "src/a.rs"]);
    fs::write(work.join("src/a.rs"), lines(&[(2, "staged"), (5, "not staged")])).unwrap();
    fs::write(work.join("new.txt"), "untracked\n").unwrap();
    let index = fs::read(work.join(".git/index")).unwrap();
    let state = || {
        let status =
            git(work, &["--no-optional-locks", "status", "--porcelain", "--branch", "--untracked-files=all"]);
        (status, git(work, &["for-each-ref", "refs/heads", "refs/tags"]), git(work, &["stash", "list"]))
    };
    let before = state();
    assert_eq!(fs::read(work.join(".git/index")).unwrap(), index);

    let staged = kimi(&sandbox, &["review", "open", "--staged", "--to", "claude"]);
    let diff = staged["diff"].as_str().unwrap();
    assert!(diff.contains("+staged") && !diff.contains("not staged"), "{diff}");
    assert_eq!(
        (&staged["review"]["title"], &staged["rounds"][0]["source"]),
        (&"Changes in src/a.rs".into(), &"staged".into())
    );

    let all =
        by(&sandbox, "kimi").run(&["review", "open", "--diff", "--title", "All of it", "--to", "claude"]);
    assert!(all.shown().contains("1 untracked file not included: git add -N PATH"), "{}", all.shown());
    let list = sandbox.json(&["review", "list"]);
    let id = list["items"][0]["id"].as_str().unwrap();
    let shown = sandbox.json(&["review", "show", id]);
    assert!(shown["diff"].as_str().unwrap().contains("+not staged"));
    let tree = shown["rounds"][0]["tree"].as_str().unwrap();
    let kept = git(work, &["rev-parse", &format!("refs/interagent/reviews/{id}/1^{{tree}}")]);
    assert_eq!(kept, tree);

    assert_eq!(fs::read(work.join(".git/index")).unwrap(), index, "the index was written");
    assert_eq!(state(), before);
    git(work, &["fsck", "--no-progress"]);
}

#[test]
fn a_review_opens_from_a_worktree_and_a_subdirectory() {
    let sandbox = repository();
    let tree = sandbox.project().parent().unwrap().join("tree");
    git(&sandbox.project(), &["worktree", "add", "-q", "-b", "side", tree.to_str().unwrap(), "main"]);
    fs::write(tree.join("src/a.rs"), lines(&[(3, "elsewhere")])).unwrap();
    git(&tree, &["commit", "-q", "-am", "Elsewhere"]);
    let there = by(&sandbox, "kimi").within(&tree.join("src"));
    let review = there.json(&["review", "open", "main..HEAD", "--to", "claude"]);
    assert_eq!(review["review"]["title"], "Elsewhere");
    assert_eq!(review["rounds"][0]["head"].as_str(), Some(git(&tree, &["rev-parse", "HEAD"]).as_str()));
}

#[test]
fn the_change_of_a_task_is_found() {
    let sandbox = repository();
    let task = claude(
        &sandbox,
        &["task", "create", "Compute again", "--assignee", "kimi", "--branch", "parser", "--alias", "again"],
    );
    let id = task["id"].as_str().unwrap();
    git(&sandbox.project(), &["checkout", "-q", "main"]);
    for source in [id, "again"] {
        let review = kimi(
            &sandbox,
            &["review", "open", source, "--to", "claude", "--alias", &format!("look-{source}")],
        );
        assert_eq!(review["review"]["task"], task["id"]);
        assert_eq!(review["review"]["title"], "Compute again");
        assert!(review["diff"].as_str().unwrap().contains("recompute"));
    }
    let shown = sandbox.run(&["task", "show", id]).success();
    assert_eq!(shown.shown().matches("  open, round 1, 0 open threads").count(), 2, "{}", shown.shown());
    let shown = sandbox.json(&["review", "show", "look-again"]);
    assert_eq!(shown["review"]["aliases"][0], "look-again");
}

/// Nobody should approve another change under the name of a task.
#[test]
fn review_of_a_task_never_guesses_its_branch_silently() {
    let sandbox = repository();
    kimi(&sandbox, &["task", "create", "Lost", "--assignee", "kimi", "--branch", "gone", "--alias", "lost"]);
    let refused = by(&sandbox, "kimi").run(&["review", "open", "lost", "--to", "claude"]);
    assert_eq!(refused.status, 3, "{}", refused.shown());
    assert!(
        refused.stderr.contains("names `gone`, and git knows no such branch or commit here"),
        "{}",
        refused.shown()
    );
    kimi(&sandbox, &["task", "create", "Here", "--assignee", "kimi", "--alias", "here"]);
    let opened = by(&sandbox, "kimi").run(&["review", "open", "here", "--to", "claude"]).success();
    assert!(
        opened.shown().contains("names no branch: this reviews parser, where you are"),
        "{}",
        opened.shown()
    );
}

#[test]
fn words_that_name_no_change_open_no_review() {
    let sandbox = repository();
    for (words, why) in
        [("main .. HEAD", "unknown commit or branch `main `"), ("Look at it", "unknown source `Look at it`")]
    {
        let refused = by(&sandbox, "kimi").run(&["review", "open", words, "--to", "claude"]);
        assert!(refused.status == 3 && refused.stderr.contains(why), "{}", refused.shown());
    }
    assert_eq!(sandbox.json(&["review", "list"])["items"], serde_json::json!([]));
}

#[test]
fn branch_may_be_called_like_a_task() {
    let sandbox = repository();
    git(&sandbox.project(), &["branch", "-m", "parser", "task-parser"]);
    let review = kimi(&sandbox, &["review", "open", "task-parser", "--to", "claude"]);
    assert_eq!(review["review"]["title"], "Compute line 10 again", "{review}");
}

#[test]
fn stale_local_base_adds_no_commits() {
    let sandbox = repository();
    let work = &sandbox.project();
    let origin = sandbox.home().join("origin.git");
    git(work, &["clone", "-q", "--bare", ".", origin.to_str().unwrap()]);
    git(work, &["remote", "add", "origin", origin.to_str().unwrap()]);
    // The remote's main has this commit; the local one does not.
    git(work, &["push", "-q", "origin", "parser:main"]);
    git(work, &["fetch", "-q"]);
    git(work, &["checkout", "-q", "-b", "fix", "origin/main"]);
    commit(&sandbox, &lines(&[(3, "let line_3 = 3;")]), "Simplify line 3");
    let review = kimi(&sandbox, &["review", "open", "fix", "--to", "claude"]);
    assert_eq!(review["review"]["title"], "Simplify line 3", "{review}");
    // A branch of unpublished work on the local main is compared with that.
    git(work, &["checkout", "-q", "-B", "main", "fix"]);
    git(work, &["checkout", "-q", "-b", "next"]);
    commit(&sandbox, &lines(&[(5, "let line_5 = 5;")]), "Simplify line 5");
    let review = kimi(&sandbox, &["review", "open", "next", "--to", "claude"]);
    assert_eq!(review["review"]["title"], "Simplify line 5", "{review}");
}

#[test]
fn warnings_of_git_do_not_block_a_review() {
    let sandbox = repository();
    let work = &sandbox.project();
    // Git warns once for each of these files: more than a pipe holds.
    let name = |n: usize| format!("{}-{n}.txt", "long-name".repeat(20));
    (0..600).for_each(|n| fs::write(work.join(name(n)), "a\n").unwrap());
    git(work, &["add", "."]);
    git(work, &["commit", "-q", "-m", "Texts"]);
    git(work, &["config", "core.autocrlf", "input"]);
    (0..600).for_each(|n| fs::write(work.join(name(n)), "b\r\n").unwrap());
    let review = kimi(&sandbox, &["review", "open", "--title", "Texts", "--diff", "--to", "claude"]);
    assert_eq!(review["review"]["title"], "Texts", "{review}");
}

#[test]
fn source_beside_another_change_is_refused() {
    let sandbox = repository();
    for (word, option) in [("main..HEAD", "--staged"), ("main..HEAD", "--diff"), ("A title", "--staged")] {
        let refused = by(&sandbox, "kimi").run(&["review", "open", word, "--to", "claude", option]);
        let expected = format!(
            "--- stderr\nerror: SOURCE `{word}` and {option} cannot be combined\nhint: set a title with --title\n--- exit 2"
        );
        assert_eq!(refused.shown().trim(), expected);
    }
    assert_eq!(sandbox.json(&["review", "list"])["items"], serde_json::json!([]));
}

/// A shell passes such a pipe for `<(git diff main)`.
#[test]
fn diff_is_read_from_a_pipe() {
    let sandbox = repository();
    let diff = git(&sandbox.project(), &["diff", "main"]) + "\n";
    let pipe = sandbox.project().join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let review = std::thread::scope(|scope| {
        scope.spawn(|| fs::write(&pipe, &diff).unwrap());
        kimi(&sandbox, &["review", "open", "--diff", "pipe", "--to", "claude"])
    });
    assert_eq!(review["diff"].as_str(), Some(diff.as_str()));
}

#[test]
fn diff_names_a_commit_before_a_file() {
    let sandbox = repository();
    fs::write(sandbox.project().join("main"), [0xff, 0x00]).unwrap();
    let sent = kimi(&sandbox, &["send", "--to", "claude", "look", "--diff", "main"]);
    let message = sandbox.json(&["read", sent["id"].as_str().unwrap()]);
    let text = message["refs"][0]["text"].as_str().unwrap();
    assert!(text.contains("+let line_10 = recompute(10);"), "{text}");
}

#[test]
fn texts_are_reviewed_without_git() {
    let sandbox = repository();
    let diff = git(&sandbox.project(), &["diff", "main"]) + "\n";
    fs::write(sandbox.project().join("d.diff"), &diff).unwrap();
    for (arguments, stdin) in [
        (&["review", "open", "--title", "The parser", "--diff", "d.diff", "--to", "claude"][..], ""),
        (
            &[
                "review",
                "open",
                "--title",
                "The parser",
                "-m",
                "please look",
                "--diff",
                "-",
                "--to",
                "claude",
            ][..],
            diff.as_str(),
        ),
    ] {
        by(&sandbox, "kimi").stdin(stdin).run(arguments).success();
        let list = sandbox.json(&["review", "list"]);
        let id = list["items"][0]["id"].as_str().unwrap();
        let review = sandbox.json(&["review", "show", id]);
        assert_eq!(
            (&review["review"]["title"], review["diff"].as_str()),
            (&"The parser".into(), Some(diff.as_str()))
        );
        assert_eq!(review["rounds"][0]["base"], Value::Null);
    }
    let send = ["send", "--to", "claude", "look", "--diff", "d.diff"];
    let sent = kimi(&sandbox, &send);
    let message = sandbox.json(&["read", sent["id"].as_str().unwrap()]);
    assert_eq!(message["refs"][0]["text"].as_str(), Some(diff.as_str()));
    by(&sandbox, "kimi")
        .run(&["review", "open", "Nothing to see", "-m", "just talk", "--to", "claude"])
        .success();
    let refused = by(&sandbox, "kimi").run(&["review", "open", "--to", "claude"]);
    insta::assert_snapshot!(refused.shown(), @r"
    --- stderr
    error: missing change to review
    hint: interagent review open main..HEAD reviews commits, --staged what is staged, --diff what is not committed
    --- exit 2
    ");
}

#[test]
fn a_comment_needs_a_position_in_the_diff() {
    let sandbox = repository();
    let id = opened(&sandbox);
    let say = |path: &str, line: &str, side: &[&str]| {
        let arguments = ["review", "comment", &id, "-m", "Why?", "--path", path, "--line", line];
        by(&sandbox, "claude").run(&[&arguments[..], side].concat()).shown().replace(&id, "REV")
    };
    let shown = [
        say("src/nope.rs", "400", &[]),
        say("src/a.rs", "400", &[]),
        say("src/a.rs", "14", &["--side", "old"]),
    ];
    insta::assert_snapshot!(shown.join(""), @r"
    --- stderr
    error: src/nope.rs is not in the diff of round 1
    hint: files in the diff: src/a.rs
    --- exit 2
    --- stderr
    error: line 400 of src/a.rs is not in the diff of round 1
    hint: lines in the diff: new 7-13, old 7-13
    --- exit 2
    --- stderr
    error: line 14 of src/a.rs is not in the diff of round 1 on the old side
    hint: lines in the diff: old 7-13
    --- exit 2
    ");
    assert_eq!(sandbox.json(&["review", "show", &id])["comments"], serde_json::json!([]));
}

/// The whole conversation: a concern and a question, a second round after a rebase, approval.
#[test]
fn rounds_carry_threads_to_their_lines() {
    let sandbox = repository();
    let id = opened(&sandbox);
    let say = |line: &str, words: &str, more: &[&str]| {
        let arguments = ["review", "comment", &id, "-m", words, "--path", "src/a.rs", "--line", line];
        let said = claude(&sandbox, &[&arguments[..], more].concat());
        said["comments"].as_array().unwrap().last().unwrap()["id"].as_str().unwrap().to_owned()
    };
    let shifted = say("13", "Is 13 needed?", &["--disposition", "question"]);
    let changed = say("10", "Name it better.", &["--disposition", "concern"]);
    let gone = say("8", "Drop this.", &["--disposition", "concern"]);
    let kept = say("7", "Fine.", &[]);
    let done = say("9", "Typo.", &["--disposition", "concern"]);
    claude(&sandbox, &["review", "resolve", &id, &done]);

    // A question obliges the author; an answer in its thread settles it.
    let owed = |who: &str| {
        let inbox = by(&sandbox, who).json(&["inbox"]);
        let duties = inbox["duties"].as_array().unwrap().clone();
        duties.iter().map(|duty| duty["duty"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!((owed("kimi"), owed("claude")), (vec!["answer".to_owned()], vec!["verdict".to_owned()]));
    kimi(&sandbox, &["review", "comment", &id, "--thread", &shifted, "-m", "It is: see the caller."]);
    assert_eq!(owed("kimi"), Vec::<String>::new());

    claude(&sandbox, &["review", "verdict", &id, "revision_needed", "--note", "see the threads"]);
    assert_eq!(owed("claude"), Vec::<String>::new());
    let refused = by(&sandbox, "claude").run(&["review", "verdict", &id, "approved"]);
    assert!(
        refused.shown().contains("hint: the author adds a round: interagent review update rev-1\n"),
        "{}",
        refused.shown()
    );
    let refused = by(&sandbox, "kimi").run(&["review", "update", &id]);
    assert!(refused.shown().contains("error: nothing changed since round 1"), "{}", refused.shown());

    // The base branch gets two lines at the top, the author rebases and repairs.
    git(&sandbox.project(), &["checkout", "-q", "main"]);
    commit(&sandbox, &format!("use x;\nuse y;\n{}", lines(&[])), "Imports");
    git(&sandbox.project(), &["checkout", "-q", "parser"]);
    git(&sandbox.project(), &["rebase", "-q", "main"]);
    let repaired = lines(&[(10, "let tenth_line = recompute(10);")]);
    let repaired = repaired.replace("let line_8 = compute(8);\n", "");
    commit(&sandbox, &format!("use x;\nuse y;\n{repaired}"), "Rename");
    let updated = kimi(&sandbox, &["review", "update", &id, "-m", "Renamed, and dropped 8."]);
    assert_eq!((&updated["review"]["round"], &updated["review"]["verdict"]), (&2.into(), &Value::Null));
    assert_eq!(owed("claude"), vec!["verdict".to_owned()]);

    let shown = sandbox.json(&["review", "show", &id]);
    let place = |thread: &str| {
        let comments = shown["comments"].as_array().unwrap();
        let first = comments.iter().find(|said| said["id"] == thread).unwrap().clone();
        (
            first["place"]["how"].as_str().map(str::to_owned),
            first["place"]["line"].as_u64(),
            first["line"].as_u64(),
        )
    };
    let how = |word: &str| Some(word.to_owned());
    assert_eq!(place(&kept), (how("shifted"), Some(9), Some(7)));
    assert_eq!(place(&shifted), (how("shifted"), Some(14), Some(13)));
    assert_eq!(place(&changed), (how("changed"), Some(11), Some(10)));
    assert_eq!(place(&gone), (how("outdated"), None, Some(8)));
    assert_eq!(place(&done), (None, None, Some(9)), "a closed thread stays in its round");
    let first = sandbox.json(&["review", "show", &id, "--round", "1"]);
    assert_eq!(first["diff"], sandbox.json(&["review", "show", &id, "--round", "1"])["diff"]);
    assert!(first["comments"].as_array().unwrap().iter().any(|said| said["place"]["line"] == 9));

    let approved = by(&sandbox, "claude").run(&["review", "verdict", &id, "approved"]);
    assert!(approved.shown().contains("note: approved with 3 open threads: "), "{}", approved.shown());
    let shown = sandbox.json(&["review", "show", &id]);
    let verdicts: Vec<_> =
        shown["rounds"].as_array().unwrap().iter().map(|round| round["verdict"]["verdict"].clone()).collect();
    assert_eq!(verdicts, ["revision_needed", "approved"]);
    assert_eq!(shown["rounds"][1]["open_threads"].as_array().unwrap().len(), 3);
    let late = by(&sandbox, "kimi").run(&["review", "update", &id, "main..HEAD"]);
    assert!(late.shown().contains("is approved: it is closed"), "{}", late.shown());
}

#[test]
fn a_round_of_a_tasks_review_sends_the_task_back_to_review() {
    let sandbox = repository();
    let task = claude(&sandbox, &["task", "create", "Compute again", "--assignee", "kimi"]);
    let task = task["id"].as_str().unwrap();
    kimi(&sandbox, &["task", "update", task, "--status", "completed"]);
    let id = kimi(&sandbox, &["review", "open", "parser", "--task", task, "--to", "claude"]);
    let id = id["review"]["id"].as_str().unwrap();
    let status = || sandbox.json(&["task", "show", task])["status"].as_str().unwrap().to_owned();
    claude(&sandbox, &["review", "verdict", id, "revision_needed", "--note", "again"]);
    assert_eq!(status(), "revision_needed");
    commit(&sandbox, &lines(&[(10, "let line_10 = recompute(10, 2);")]), "Twice");
    kimi(&sandbox, &["review", "update", id]);
    assert_eq!(status(), "under_review");
    claude(&sandbox, &["review", "verdict", id, "approved"]);
    assert_eq!(status(), "approved");
}

#[test]
fn a_diff_without_git_has_rounds_too() {
    let sandbox = Sandbox::with_team();
    let first = "--- a/x\n+++ b/x\n@@ -1,2 +1,3 @@\n one\n+a telling line of text\n three\n";
    let second = "--- a/x\n+++ b/x\n@@ -1,2 +1,4 @@\n one\n+before it\n+a telling line of text\n three\n";
    fs::write(sandbox.project().join("1.diff"), first).unwrap();
    fs::write(sandbox.project().join("2.diff"), second).unwrap();
    let review = kimi(&sandbox, &["review", "open", "--diff", "1.diff", "--to", "claude"]);
    let id = review["review"]["id"].as_str().unwrap();
    assert_eq!(review["review"]["title"], "Changes in x");
    claude(&sandbox, &["review", "comment", id, "-m", "Hm.", "--path", "x", "--line", "2"]);
    let updated = kimi(&sandbox, &["review", "update", id, "--diff", "2.diff"]);
    assert_eq!(updated["comments"][0]["place"]["line"], 3);
    assert_eq!(updated["comments"][0]["place"]["how"], "shifted");
}

#[test]
fn a_change_that_is_too_long_is_refused() {
    let sandbox = repository();
    let long: String = (0..60_000).map(|n| format!("a line that fills the file, number {n}\n")).collect();
    commit(&sandbox, &long, "Long");
    let refused = by(&sandbox, "kimi").run(&["review", "open", "main..HEAD", "--to", "claude"]);
    insta::assert_snapshot!(refused.shown(), @r"
    --- stderr
    error: the diff has more than 1048576 bytes, the most a text may have
    hint: review a part: a shorter range, or one review for each commit
    --- exit 2
    ");
}

/// The step for an obligation of an agent wherever it is shown, apart from the inbox.
fn steps_shown(sandbox: &Sandbox, agent: &str, session: &str) -> Vec<(&'static str, String)> {
    let shown = |arguments: &[&str]| by(sandbox, agent).run(arguments).success().stdout;
    let hook = |event: &str| {
        let payload = format!("{{\"session_id\":\"{session}\"}}");
        by(sandbox, agent).stdin(payload).run(&["hook", "claude", event]).success().stdout
    };
    let handed = hook("PostToolUse");
    let reminded = hook("Stop");
    vec![
        ("hook", handed),
        ("reminder", reminded),
        ("briefing", shown(&["briefing"])),
        ("relay", sandbox.run(&["relay", "--agent", agent]).success().stdout),
    ]
}

/// The step that replies to a message.
fn reply(place: &str) -> &'static str {
    if place == "hook" { "interagent reply ID" } else { "interagent reply msg-" }
}

/// A step as a place shows it: below a message, a hook prints placeholders for ids.
fn as_shown(place: &str, step: &str, names: &[(&str, &str)]) -> String {
    let named = |step: String, (id, name): &(&str, &str)| step.replace(id, name);
    names.iter().filter(|_| place == "hook").fold(step.to_owned(), named)
}

#[test]
fn message_about_review_leads_to_the_review() {
    let sandbox = repository();
    for agent in ["claude", "kimi"] {
        let payload = format!("{{\"session_id\":\"{agent}\"}}");
        by(&sandbox, agent).stdin(payload).run(&["hook", "claude", "SessionStart"]).success();
    }
    let review = opened(&sandbox);
    let show = format!("interagent review show {review}");
    let verdict =
        format!("interagent review verdict {review} VERDICT (approved, revision_needed or rejected)");
    for (place, said) in steps_shown(&sandbox, "claude", "claude") {
        let as_shown = |step: &str| as_shown(place, step, &[(&review, "REVIEW")]);
        let at = said.find(&as_shown(&show)).unwrap_or_else(|| panic!("{place}: {said}"));
        assert!(said[at..].contains(&as_shown(&verdict)), "{place}: {said}");
        assert!(!said.contains(reply(place)), "{place}: {said}");
    }
    // A question in a thread is answered there.
    let asked = claude(
        &sandbox,
        &["review", "comment", &review, "-m", "Why?", "--disposition", "question", "--path", "src/a.rs"],
    );
    let thread = asked["comments"][0]["thread"].as_str().unwrap();
    let comment = format!("interagent review comment {review} --thread {thread} -m TEXT");
    for (place, said) in steps_shown(&sandbox, "kimi", "kimi") {
        let comment = as_shown(place, &comment, &[(&review, "REVIEW"), (thread, "THREAD")]);
        assert!(said.contains(&comment), "{place}: {said}");
        assert!(!said.contains(reply(place)), "{place}: {said}");
    }
    kimi(&sandbox, &["review", "comment", &review, "--thread", thread, "-m", "It was wrong."]);
    claude(&sandbox, &["review", "verdict", &review, "approved"]);
    for agent in ["claude", "kimi"] {
        assert_eq!(by(&sandbox, agent).json(&["inbox"])["duties"], serde_json::json!([]), "{agent}");
    }
    // A question that only mentions the review is answered by a reply.
    let about = format!("review:{review}");
    kimi(&sandbox, &["send", "--to", "claude", "-m", "Seen it?", "--intent", "question", "--ref", &about]);
    for (place, said) in steps_shown(&sandbox, "claude", "claude") {
        assert!(said.contains(reply(place)) && !said.contains("review verdict"), "{place}: {said}");
    }
}

#[test]
fn request_for_a_position_leads_to_the_decision() {
    let sandbox = Sandbox::with_team();
    let payload = "{\"session_id\":\"kimi\"}";
    by(&sandbox, "kimi").stdin(payload).run(&["hook", "claude", "SessionStart"]).success();
    let opened = claude(&sandbox, &["decision", "open", "Which port?", "--to", "kimi,operator"]);
    let decision = opened["id"].as_str().unwrap();
    let position = format!("interagent decision position {decision} POSITION");
    for (place, said) in steps_shown(&sandbox, "kimi", "kimi") {
        let position = as_shown(place, &position, &[(decision, "DECISION")]);
        assert!(said.contains(&position), "{place}: {said}");
        assert!(!said.contains(reply(place)), "{place}: {said}");
    }
    let summary = sandbox.json(&["summary"]).to_string();
    assert!(summary.contains(&position), "{summary}");
}
