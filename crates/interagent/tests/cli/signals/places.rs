//! Workspaces that are not what they seem: the message is sent, and nothing but the signal directory is touched.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use interagent_testkit::Sandbox;
use serde_json::json;

use super::{claude_elsewhere, git, send, settle, signals};

/// What a workspace looks like before the send.
type Prepare = fn(&Path);

/// Every path below a directory, sorted; links are not followed.
fn everything(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).unwrap().map(Result::unwrap) {
        found.push(entry.path());
        if entry.file_type().unwrap().is_dir() {
            found.extend(everything(&entry.path()));
        }
    }
    found.sort();
    found
}

/// Sends to claude, whose workspace was prepared, and gives what is there before and after.
fn before_and_after(prepare: Prepare) -> (Vec<PathBuf>, Vec<PathBuf>) {
    let sandbox = Sandbox::with_team();
    let root = sandbox.home().join("root");
    let workspace = root.join("work");
    fs::create_dir_all(&workspace).unwrap();
    fs::create_dir(root.join("elsewhere")).unwrap();
    settle(&sandbox, "claude", &workspace);
    prepare(&workspace);
    let before = everything(&root);
    let id = send(&sandbox, "claude", "still sent");
    let after = everything(&root);
    let handed = sandbox.as_agent("claude").json(&["inbox"]);
    assert_eq!(handed["items"][0]["id"], json!(id), "the message does not depend on the file");
    sandbox.run(&["doctor"]).success();
    assert_eq!(everything(&root), after, "nor does its delivery remove anything");
    (before, after)
}

#[test]
fn no_link_is_followed_and_nothing_that_is_there_is_replaced() {
    let table: [(&str, Prepare); 8] = [
        ("a linked .claude", |work| symlink("../elsewhere", work.join(".claude")).unwrap()),
        ("a dangling .claude", |work| symlink("nowhere", work.join(".claude")).unwrap()),
        ("a linked inbox", |work| {
            fs::create_dir(work.join(".claude")).unwrap();
            symlink("../../elsewhere", work.join(".claude/inbox")).unwrap();
        }),
        ("a file .claude", |work| fs::write(work.join(".claude"), "mine").unwrap()),
        ("a file inbox", |work| {
            fs::create_dir(work.join(".claude")).unwrap();
            fs::write(work.join(".claude/inbox"), "mine").unwrap();
        }),
        ("a linked .gitignore", |work| {
            fs::create_dir_all(work.join(".claude/inbox")).unwrap();
            fs::write(work.join("../elsewhere/file"), "*.signal\n").unwrap();
            symlink("../../../elsewhere/file", work.join(".claude/inbox/.gitignore")).unwrap();
        }),
        ("a .gitignore that shows our files", |work| {
            fs::create_dir_all(work.join(".claude/inbox")).unwrap();
            fs::write(work.join(".claude/inbox/.gitignore"), "*.tmp\n").unwrap();
        }),
        ("a pipe .gitignore", |work| {
            fs::create_dir_all(work.join(".claude/inbox")).unwrap();
            let path = work.join(".claude/inbox/.gitignore");
            assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
        }),
    ];
    for (what, prepare) in table {
        let (before, after) = before_and_after(prepare);
        assert_eq!(after, before, "{what}");
    }
}

#[test]
fn a_link_at_the_files_own_name_is_neither_followed_nor_removed() {
    let (sandbox, inbox) = claude_elsewhere();
    let params = json!({ "to": ["claude"], "body": "x", "key": "once" }).to_string();
    sandbox.run(&["call", "message.send", &params]).success();
    let name = signals(&inbox).remove(0);
    let victim = sandbox.home().join("victim");
    fs::write(&victim, "mine").unwrap();
    fs::remove_file(inbox.join(&name)).unwrap();
    symlink(&victim, inbox.join(&name)).unwrap();
    sandbox.run(&["call", "message.send", &params]).success();
    sandbox.as_agent("claude").run(&["inbox"]).success();
    assert_eq!(fs::read_to_string(&victim).unwrap(), "mine");
    assert!(inbox.join(&name).is_symlink(), "whoever made it has it still");
}

#[test]
fn a_workspace_that_is_a_link_is_the_directory_it_leads_to() {
    let sandbox = Sandbox::with_team();
    let real = sandbox.home().join("real");
    fs::create_dir(&real).unwrap();
    symlink(&real, sandbox.home().join("link")).unwrap();
    let link = sandbox.home().join("link");
    let params = json!({ "name": "claude", "workspace": link }).to_string();
    sandbox.run(&["call", "agent.register", &params]).success();
    send(&sandbox, "claude", "x");
    assert_eq!(signals(&real.join(".claude/inbox")).len(), 1);
}

#[test]
fn a_parent_of_many_projects_gets_the_file_itself() {
    let sandbox = Sandbox::with_team();
    let parent = sandbox.home().join("projects");
    for child in ["one", "two"] {
        fs::create_dir_all(parent.join(child).join(".claude")).unwrap();
    }
    settle(&sandbox, "claude", &parent);
    send(&sandbox, "claude", "x");
    assert_eq!(signals(&parent.join(".claude/inbox")).len(), 1);
    for child in ["one", "two"] {
        assert_eq!(everything(&parent.join(child)), [parent.join(child).join(".claude")]);
    }
}

#[test]
fn a_workspace_that_is_gone_or_takes_no_files_changes_nothing() {
    let (sandbox, inbox) = claude_elsewhere();
    let workspace = inbox.ancestors().nth(2).unwrap().to_owned();
    fs::remove_dir(&workspace).unwrap();
    send(&sandbox, "claude", "gone");
    assert!(!workspace.exists(), "it is not made again");
    // Nobody can make a file in here, root neither.
    for target in ["/proc", "/proc/self/fd"] {
        symlink(target, &workspace).unwrap();
        let output = sandbox.run(&["send", "--to", "claude", "-m", "still sent"]).success();
        assert_eq!(output.stderr, "", "a breadcrumb is nobody's trouble");
        fs::remove_file(&workspace).unwrap();
    }
    // A path that is none from the root means nothing: not even relative to where we are.
    for workspace in ["work", "../work", "/tmp/../work", ""] {
        let params = json!({ "name": "kimi", "workspace": workspace }).to_string();
        sandbox.run(&["call", "agent.register", &params]).success();
        send(&sandbox, "kimi", "x");
    }
    assert_eq!(everything(&sandbox.project()).iter().filter(|path| path.ends_with("inbox")).count(), 0);
    assert_eq!(sandbox.as_agent("claude").json(&["inbox"])["items"].as_array().unwrap().len(), 3);
}

#[test]
fn a_read_only_workspace_is_left_as_it_is() {
    let (sandbox, inbox) = claude_elsewhere();
    let workspace = inbox.ancestors().nth(2).unwrap().to_owned();
    let line = format!(
        "mount -t tmpfs -o ro none {0} && interagent send --to claude -m x && ls -A {0}",
        workspace.display()
    );
    let shell = sandbox.start().shell(&line);
    let mut command = Command::new("unshare");
    command.args(["--user", "--map-root-user", "--mount", "--"]).arg(shell.get_program());
    command.args(shell.get_args()).env_clear().current_dir(shell.get_current_dir().unwrap());
    shell.get_envs().for_each(|(name, value)| {
        command.env(name, value.unwrap());
    });
    let Ok(done) = command.output() else { return };
    let said = String::from_utf8_lossy(&done.stderr);
    if said.contains("unshare") || said.contains("mount") {
        // Not everywhere may a test mount something; then /proc stands in for it, above.
        return;
    }
    assert!(done.status.success(), "{said}");
    assert!(String::from_utf8_lossy(&done.stdout).starts_with("sent msg-"), "{done:?}");
    // Nothing is said of the file; the second line tells how soon the recipient sees it.
    assert_eq!(String::from_utf8_lossy(&done.stdout).lines().count(), 2, "{done:?}");
}

#[test]
fn a_tracked_directory_shows_no_change() {
    let (sandbox, inbox) = claude_elsewhere();
    let workspace = inbox.ancestors().nth(2).unwrap().to_owned();
    git(&workspace, &["init"]);
    fs::create_dir_all(&inbox).unwrap();
    fs::write(inbox.join("notes.md"), "tracked").unwrap();
    git(&workspace, &["add", "."]);
    git(&workspace, &["commit", "-m", "first"]);
    send(&sandbox, "claude", "x");
    assert_eq!(signals(&inbox).len(), 1);
    assert_eq!(git(&workspace, &["status", "--porcelain"]), "");
    // A new file of the project in there is still seen.
    fs::write(inbox.join("more.md"), "new").unwrap();
    assert_eq!(git(&workspace, &["status", "--porcelain"]), "?? .claude/inbox/more.md\n");
}

#[test]
fn workspaces_are_the_users_own() {
    let sandbox = Sandbox::with_team();
    let keys = sandbox.home().join(".ssh");
    let inside = sandbox.project().join(".git/hooks");
    [&keys, &inside].into_iter().for_each(|path| fs::create_dir_all(path).unwrap());
    let link = sandbox.home().join("link");
    symlink(&keys, &link).unwrap();
    let bad = [
        "/",
        "/etc",
        "/usr/bin",
        "/proc/self",
        keys.to_str().unwrap(),
        inside.to_str().unwrap(),
        link.to_str().unwrap(),
    ];
    for path in bad {
        let params = json!({ "name": "claude", "workspace": path }).to_string();
        for words in
            [&["agent", "register", "claude", "--workspace", path][..], &["call", "agent.register", &params]]
        {
            let refused = sandbox.run(words);
            assert_eq!(refused.status, 1, "{}", refused.shown());
            assert!(
                refused.stderr.contains("can't be a workspace: it")
                    || refused.stderr.contains(".ssh holds keys"),
                "{}",
                refused.stderr
            );
            assert!(refused.stderr.contains("hint: name the directory"), "{}", refused.stderr);
        }
        let file = sandbox.hub().join("team.toml");
        let text = fs::read_to_string(&file).unwrap();
        let seated = text.replace("[agents.kimi]", &format!("[agents.kimi]\nworkspace = \"{path}\""));
        fs::write(&file, seated).unwrap();
        let refused = sandbox.operator().run(&["team", "take"]);
        assert!(
            refused.status == 1 && refused.stderr.contains("agents.kimi.workspace: `"),
            "{}",
            refused.shown()
        );
        let checked = sandbox.run(&["team", "check"]).success().stdout;
        assert!(checked.contains("warning: agents.kimi.workspace: `"), "{checked}");
        fs::write(&file, text).unwrap();
    }
    settle(&sandbox, "claude", &sandbox.home());
}

#[test]
fn workspace_that_became_a_link_to_keys_gets_no_file() {
    let (sandbox, inbox) = claude_elsewhere();
    let workspace = inbox.ancestors().nth(2).unwrap().to_owned();
    let keys = sandbox.home().join(".ssh");
    fs::create_dir(&keys).unwrap();
    fs::remove_dir(&workspace).unwrap();
    symlink(&keys, &workspace).unwrap();
    send(&sandbox, "claude", "Port");
    assert_eq!(fs::read_dir(&keys).unwrap().count(), 0);
    // Nor does a client start there.
    let program = sandbox.home().join("claude");
    fs::write(&program, "#!/bin/sh\n").unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:/usr/bin:/bin", sandbox.home().display());
    let refused = sandbox.start().env("PATH", &path).run(&["run", "claude"]);
    assert!(
        refused.status == 1 && refused.stderr.contains("can't be a workspace: .ssh holds keys"),
        "{}",
        refused.shown()
    );
}
