//! Texts that look like secrets: told, listed, released, purged, left out of exports; and the recipe for git.

use std::fs;
use std::path::Path;
use std::process::Command;

use interagent_testkit::Sandbox;
use serde_json::Value;

use crate::terminal::on_a_terminal;

/// Put together here, so that no scanner stumbles over this file.
fn token() -> String {
    ["ghp_", "a1B2c3D4e5F6g7H8i9", "J0k1L2m3N4o5P6q7R8"].concat()
}

fn leak(sandbox: &Sandbox) -> String {
    let body = format!("use {}", token());
    let sent = sandbox.as_agent("claude").json(&["send", "--to", "kimi", "--subject", "Access", "-m", &body]);
    sent["id"].as_str().unwrap().to_owned()
}

#[test]
fn a_secret_is_told_listed_and_released_by_the_operator_alone() {
    let sandbox = Sandbox::with_team();
    let body = format!("use {}", token());
    let told = sandbox.as_agent("claude").run(&["send", "--to", "kimi", "-m", &body]).success();
    assert!(told.stdout.contains("looks like a GitHub token"), "{}", told.stdout);
    assert!(told.stdout.contains("interagent hold show msg-"), "{}", told.stdout);
    assert!(sandbox.run(&["status"]).success().stdout.contains("interagent hold list"));
    let held = sandbox.json(&["hold", "list"]);
    // The body, and the subject that was made of it.
    let items = held["items"].as_array().unwrap();
    assert_eq!(items.len(), 2, "{held}");
    let id = items[0]["entity"].as_str().unwrap();
    let shown = sandbox.run(&["hold", "show", id]).success();
    assert!(
        shown.stdout.contains("line 1: looks like a GitHub token: ghp_… (40 characters)"),
        "{}",
        shown.stdout
    );
    assert!(!shown.stdout.contains(&token()), "a screen may be shared");

    let refused = sandbox.as_agent("kimi").run(&["hold", "release", id]);
    assert_eq!(refused.status, 1);
    assert!(refused.stderr.contains("only the operator"), "{}", refused.stderr);
    let released = sandbox.operator().run(&["hold", "release", id, "--reason", "a test"]).success();
    assert!(released.stdout.contains("released 2 texts"), "{}", released.stdout);
    assert!(sandbox.run(&["hold", "list"]).success().stdout.contains("no text is held back"));
    assert!(sandbox.operator().run(&["hold", "release", id]).success().stdout.contains("nothing to do"));
    let history = sandbox.run(&["log", "show", id]).success();
    assert!(history.stdout.contains("let a text out that looked like a secret"), "{}", history.stdout);
    sandbox.run(&["log", "verify"]).success();
}

#[test]
fn held_texts_are_purged_and_the_log_stays_whole() {
    let sandbox = Sandbox::with_team();
    let id = leak(&sandbox);
    let purged = sandbox.operator().json(&["hold", "purge", &id]);
    assert_eq!(purged["changed"].as_array().unwrap().len(), 1, "{purged}");
    let read = sandbox.json(&["read", &id]);
    assert_eq!(read["subject"], "Access", "what was not held stays");
    assert!(!read.to_string().contains(&token()));
    sandbox.run(&["log", "verify"]).success();
}

#[test]
fn an_export_holds_secrets_back_and_overwrites_nothing_unasked() {
    let sandbox = Sandbox::with_team();
    let id = leak(&sandbox);
    sandbox.run(&["task", "create", "--title", "Fix # login", "--description", "## not a title"]).success();
    let file = sandbox.project().join("record.jsonl");
    let name = file.to_str().unwrap();
    let answer = sandbox.json(&["export", "--format", "jsonl", "--out", name]);
    assert_eq!(answer["written"]["held"], 1, "{answer}");
    let text = fs::read_to_string(&file).unwrap();
    assert!(!text.contains(&token()));
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines[0]["interagent_export"]["version"], 1);
    let entries = lines.iter().filter(|line| line.get("hash").is_some()).count();
    assert_eq!(lines.last().unwrap()["end"]["entries"], entries);
    assert!(lines.iter().any(|line| line["text"]["held"] == "github_token"));

    let again = sandbox.run(&["export", "--format", "jsonl", "--out", name]);
    assert_eq!(again.status, 4, "{}", again.stderr);
    sandbox.run(&["export", "--format", "jsonl", "--out", name, "--force", "--with-secrets"]).success();
    assert!(fs::read_to_string(&file).unwrap().contains(&token()));
    assert_eq!(sandbox.as_agent("kimi").run(&["export", "--format", "md"]).status, 1);

    let out = sandbox.project().join("record.md");
    let told = sandbox.run(&["export", "--format", "md", "--out", out.to_str().unwrap()]).success().stdout;
    assert!(
        told.starts_with("exported 1 message and ") && told.contains("1 text looks like a secret"),
        "{told}"
    );
    let record = sandbox.run(&["export", "--format", "md"]).success().stdout;
    assert!(record.contains("### Fix # login (task-"), "{record}");
    assert!(record.contains("\n> ## not a title\n"), "{record}");
    assert!(record.contains(&format!("### Access ({id}")), "{record}");
    assert!(record.contains("> [held back: looks like a GitHub token]"), "{record}");
    let none = sandbox.run(&["export", "--format", "md", "--since", "2099-01-01T00:00:00Z"]).success().stdout;
    assert!(!none.contains("Access"), "{none}");
}

fn git(directory: &Path, home: &Path, line: &str) -> String {
    let mut command = Command::new("sh");
    command.args(["-ec", line]).current_dir(directory).env("HOME", home).env("GIT_CONFIG_NOSYSTEM", "1");
    for (name, value) in [("NAME", "t"), ("EMAIL", "t@example.org")] {
        command.env(format!("GIT_AUTHOR_{name}"), value).env(format!("GIT_COMMITTER_{name}"), value);
    }
    let output = command.output().unwrap();
    assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn the_recipe_for_git_takes_a_purged_text_out_of_the_branch() {
    let sandbox = Sandbox::with_team();
    let (project, home) = (sandbox.project(), sandbox.home());
    let run = |line: &str| git(&project, &home, line);
    let id = leak(&sandbox);
    let held = sandbox.json(&["hold", "show", &id]);
    let hash = held["items"][0]["hash"].as_str().unwrap().to_owned();
    let path = format!("texts/{}/{hash}.json", &hash[..2]);
    // What a program without this check once pushed, and what sync leaves of it after a purge.
    run("git init -q . 2>/dev/null || true");
    let blob = run(&format!("printf %s '{}' | git hash-object -w --stdin", token()));
    let tree = run(&format!(
        "export GIT_INDEX_FILE=.git/other; git update-index --add --cacheinfo 100644,{},{path}; \
         git update-index --add --cacheinfo 100644,$(echo kept | git hash-object -w --stdin),README.md; git write-tree",
        blob.trim()
    ));
    run(&format!("git update-ref refs/heads/interagent $(git commit-tree -m one {})", tree.trim()));
    // Somebody who only cloned: no hub, and the branch as git follows it.
    run("git clone -q . ../other");
    let output = sandbox.operator().run(&["purge", &id, "--held"]).success().stdout;
    let (_, for_others) = output.split_once("Everybody else with a clone").unwrap();
    let clean = run(&format!(
        "export GIT_INDEX_FILE=.git/other; git update-index --force-remove {path}; git write-tree"
    ));
    run(&format!(
        "git update-ref refs/heads/interagent $(git commit-tree -p interagent -m two {})",
        clean.trim()
    ));
    let recipe: Vec<&str> = output
        .lines()
        .filter_map(|line| line.strip_prefix("  "))
        .take_while(|line| !line.contains("filter-repo"))
        .filter(|line| !line.starts_with("interagent sync"))
        .collect();
    assert!(recipe.len() >= 3, "{output}");
    run(&recipe.join("\n"));
    assert_eq!(run("git ls-tree -r --name-only interagent"), "README.md\n");
    assert_eq!(run("git rev-list --count interagent"), "1\n");
    let left = run(&format!("git cat-file -e {} 2>/dev/null && echo there || echo gone", blob.trim()));
    assert_eq!(left, "gone\n");

    let commands: Vec<&str> = for_others
        .lines()
        .filter_map(|line| line.strip_prefix("  "))
        .filter(|line| !line.starts_with("interagent sync"))
        .collect();
    let other = project.parent().unwrap().join("other");
    let show = format!("git cat-file -e {} 2>/dev/null && echo there || echo gone", blob.trim());
    assert_eq!(git(&other, &home, &show), "there\n");
    git(&other, &home, &commands.join("\n"));
    assert_eq!(git(&other, &home, &show), "gone\n");
}

#[test]
fn terminal_export_escapes_hidden_characters() {
    let sandbox = Sandbox::with_team();
    let body = "left\u{202e}right \u{2066}a\u{200b}b \u{e0041}tag \u{2028}line\u{2029} \u{feff}end";
    sandbox.run(&["send", "--to", "kimi", "-m", body]).success();
    let hidden = ['\u{202e}', '\u{2066}', '\u{200b}', '\u{e0041}', '\u{2028}', '\u{2029}', '\u{feff}'];
    for format in ["md", "jsonl"] {
        let (code, shown) = on_a_terminal(sandbox.start().command(&["export", "--format", format]));
        assert_eq!(code, 0, "{shown}");
        assert!(shown.contains("left") && shown.ends_with('\n'), "{shown:?}");
        assert!(!shown.contains(hidden), "{format}: {shown:?}");
        let piped = sandbox.run(&["export", "--format", format]).success().stdout;
        assert!(piped.contains('\u{202e}'), "{format}: a file gets the text as it is: {piped:?}");
    }
}
