//! What a captain reads, by programs and tools that nobody listed.

use serde_json::json;

use super::*;

#[test]
fn captain_reads_no_project_file_by_any_program() {
    let case = Case::of("captain").at("/p");
    for command in [
        "base64 src/a.rs",
        "base64 Makefile",
        "perl -pe1 src/a.rs",
        "perl -e 'print while <>' src/a.rs",
        "perl -e 'open(F, \"src/a.rs\"); print <F>'",
        "ed src/a.rs",
        "ed -s <<'E'\nr src/a.rs\n,p\nE",
        "vim src/a.rs",
        "dd if=src/a.rs",
        "dd if=/p/src/a.rs of=/tmp/x",
        "pr src/a.rs",
        "pr src/*.rs",
        "pr *.rs",
        "zcat src/a.gz",
        "tar c src",
        "tar czf /tmp/x.tgz src",
        "tar -cf - .",
        "zip -r /tmp/x.zip src",
        "cp src/a.rs /tmp/x",
        "rsync -a src/ /tmp/x",
        "ln src/a.rs /tmp/x",
        "curl file:///p/src/a.rs",
        "curl file://localhost/p/src/a.rs",
        "curl -d @src/a.rs https://x.test",
        "curl -T src/a.rs https://x.test",
        "openssl enc -base64 -in src/a.rs",
        "iconv --from-code=UTF-8 ./src/a.rs",
        "python-less --file=src/a.rs",
        "source src/a.env",
        "cat $(git ls-files)",
        "git ls-files | xargs cat",
        "while read l; do echo $l; done < src/a.txt",
        "git stash show -p",
        "git stash show --patch stash@{1}",
        "git format-patch --stdout main",
        "git format-patch -1",
        "git difftool",
        "git log -L1,5:src/a.rs",
        "git log -U3",
        "git diff --stat -p",
        "git diff-tree -p HEAD",
        "git range-diff a b c",
        "git -C /wt format-patch -1",
        "gh pr diff 12",
        "gh pr create --body-file docs/a.md",
        "find src -name '*.rs' -exec base64 {} +",
    ] {
        assert_eq!(case.rule(command), Some(Rule::F001), "{command}");
    }
    for command in [
        "ls -la src",
        "find src -name '*.rs'",
        "stat src/a.rs",
        "test -f src/a.rs && echo src/a.rs",
        "[ -d src ]",
        "[[ -d src && src/a.rs -nt src/b.rs ]]",
        "wc -l src/*.rs",
        "du -sh src",
        "tree src",
        "realpath src/a.rs",
        "sha256sum src/a.rs",
        "basename src/a.rs",
        "cd src && pwd",
        "for f in src/*; do echo $f; done",
        "docker ps",
        "ps aux",
        "date +%F",
        "kill $(pgrep node)",
        "which cargo",
        "command -v cargo",
        "tmux ls",
        "gh pr list",
        "gh pr view 12",
        "gh pr diff 12 --name-only",
        "gh issue list --label bug",
        "curl -s https://x.test/src/a.rs",
        "curl -fsSL https://x.test/o > /tmp/o",
        "base64 /tmp/x.bin",
        "cp /tmp/a.txt /tmp/b.txt",
        "tar tzf /tmp/x.tgz",
        "interagent delegate --to vice_captain1 --task 'Fix src/a.rs' --file src/a.rs",
        "interagent send --to vice_captain1 -m 'see src/a.rs' --file src/a.rs",
        "base64 .interagent/shared/a.md",
        "cp .interagent/shared/a.md .interagent/shared/b.md",
        "pr CLAUDE.md",
        "git status && git branch -a && git log --oneline -n 5",
        "git log --stat",
        "git stash show",
        "git stash show -u",
        "git stash list",
        "git diff --name-only HEAD~2",
        "git diff-tree --name-only HEAD",
        "git worktree list",
        "git ls-files | head",
        "docker images 'foo*'",
        "echo hi | base64",
        "sleep 1",
    ] {
        assert_eq!(case.rule(command), None, "{command}");
    }
    for other in ["vice_captain1", "member1"] {
        assert_eq!(Case::of(other).at("/p").rule("base64 src/a.rs"), None, "{other}");
    }
}

#[test]
fn tools_of_servers_are_judged_by_their_paths() {
    let case = Case::of("captain").at("/p");
    let rule = |tool: &str, input: serde_json::Value| {
        let action = Action::of(tool, &input, Subagents::default());
        case.judge(&action).denial().map(|denial| denial.rule)
    };
    let path = || json!({ "path": "/p/src/a.rs" });
    for tool in [
        "mcp__filesystem__read_file",
        "mcp__filesystem__read_text_file",
        "mcp__files__read_media_file",
        "mcp__plugin_files__fetch_lines",
        "mcp__github__get_file_contents",
        "filesystem_read_file",
        "filesystem__read_file",
        "mcp__filesystem__write_file",
    ] {
        assert_eq!(rule(tool, path()), Some(Rule::F001), "{tool}");
    }
    let several = json!({ "paths": ["/tmp/x.txt", "src/a.rs"] });
    assert_eq!(rule("mcp__filesystem__read_multiple_files", several), Some(Rule::F001));
    for (tool, input) in [
        ("mcp__filesystem__list_directory", json!({ "path": "/p/src" })),
        ("mcp__filesystem__get_file_info", path()),
        ("mcp__filesystem__read_file", json!({ "path": "/tmp/x.txt" })),
        ("mcp__filesystem__read_file", json!({ "path": "/p/.interagent/dashboard.md" })),
        ("mcp__browser__screenshot", json!({ "filename": "shot" })),
        ("mcp__tracker__task", json!({ "title": "src/a.rs" })),
        ("mcp__interagent__review", json!({ "file": "src/a.rs" })),
        ("mcp__plugin_interagent_interagent__review", json!({ "file": "src/a.rs" })),
        ("WebFetch", json!({ "url": "https://x.test/src/a.rs" })),
    ] {
        assert_eq!(rule(tool, input.clone()), None, "{tool} {input}");
    }
    let member = Case::of("member1").at("/p");
    let read = Action::of("mcp__filesystem__read_file", &path(), Subagents::default());
    assert_eq!(member.judge(&read).denial(), None);
}

#[test]
fn redirection_of_a_loop_is_quoted_with_its_arrow() {
    let text = |command: &str| {
        let case = Case::of("captain").at("/p");
        case.judge(&Action::command(command)).denial().unwrap().reason.clone()
    };
    let read = text("while read -r l; do echo $l; done < src/a.txt");
    assert!(read.starts_with("`… < src/a.txt` reads"), "{read}");
    let written = text("for f in a b; do echo $f; done > src/a.txt");
    assert!(written.starts_with("`… > src/a.txt` edits"), "{written}");
}
