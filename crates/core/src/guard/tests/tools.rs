//! Tool calls of the clients, as they were seen, and what they are.

use serde_json::json;

use super::*;

#[test]
fn tool_calls_of_every_client_are_understood() {
    let edit = |path: &str| Action::Edit { paths: vec![path.to_owned()] };
    let runs = |command: &str| Action::command(command);
    let read = |path: &str| Action::Read { paths: vec![path.to_owned()] };
    let cases = [
        ("Bash", json!({"command": "ls", "description": "x"}), runs("ls")),
        ("Edit", json!({"file_path": "/p/a", "old_string": "a", "new_string": "b"}), edit("/p/a")),
        ("Write", json!({"file_path": "/p/a", "content": "x"}), edit("/p/a")),
        ("MultiEdit", json!({"file_path": "/p/a", "edits": [{"old_string": "a"}]}), edit("/p/a")),
        ("NotebookEdit", json!({"notebook_path": "/p/a.ipynb"}), edit("/p/a.ipynb")),
        ("Read", json!({"file_path": "/p/a"}), read("/p/a")),
        (
            "Task",
            json!({"subagent_type": "general-purpose", "prompt": "x"}),
            Action::Subagent { read_only: false },
        ),
        ("Agent", json!({"subagent_type": "Explore", "prompt": "x"}), Action::Subagent { read_only: false }),
        ("Grep", json!({"pattern": "x"}), read(".")),
        ("Glob", json!({"pattern": "*", "path": "/p"}), Action::List { paths: vec!["/p".to_owned()] }),
        ("shell", json!({"command": ["bash", "-lc", "cd x && ls"]}), runs("bash -lc 'cd x && ls'")),
        ("exec_command", json!({"cmd": "ls"}), runs("ls")),
        (
            "apply_patch",
            json!({"input": "*** Begin Patch\n*** Add File: a/b.rs\n+x\n*** End Patch"}),
            edit("a/b.rs"),
        ),
        ("apply_patch", json!("*** Begin Patch\n*** Delete File: c\n*** End Patch"), edit("c")),
        ("apply_patch", json!({"command": "*** Begin Patch\n*** Update File: d\n*** End Patch"}), edit("d")),
        ("run_shell_command", json!({"command": "ls"}), runs("ls")),
        ("replace", json!({"file_path": "/p/a"}), edit("/p/a")),
        ("write_file", json!({"file_path": "/p/a"}), edit("/p/a")),
        ("read_file", json!({"absolute_path": "/p/a"}), read("/p/a")),
        ("WriteFile", json!({"path": "a"}), edit("a")),
        ("StrReplaceFile", json!({"path": "a", "edit": {"old": "x"}}), edit("a")),
        ("Shell", json!({"command": "ls"}), runs("ls")),
        ("Execute", json!({"summary": "x", "command": "ls", "riskLevel": "low"}), runs("ls")),
        ("create", json!({"path": "/p/a", "file_text": "x"}), edit("/p/a")),
        ("str_replace", json!({"path": "/p/a"}), edit("/p/a")),
        ("bash", json!({"command": "ls"}), runs("ls")),
        ("patch", json!({"patchText": "*** Update File: a"}), edit("a")),
        ("edit", json!({"filePath": "/p/a"}), edit("/p/a")),
        ("str_replace_editor", json!({"command": "view", "path": "/p/a"}), read("/p/a")),
        ("WebFetch", json!({"url": "https://x.test"}), Action::Other),
        ("mcp__interagent__send_message", json!({"to": "kimi"}), Action::Other),
        ("Bash", json!({}), Action::Other),
        ("Bash", json!(null), Action::Other),
    ];
    for (tool, input, wanted) in cases {
        assert_eq!(Action::of(tool, &input, Subagents::default()), wanted, "{tool} {input}");
    }
    for (tool, option) in [("Bash", "run_in_background"), ("Execute", "fireAndForget")] {
        let input = json!({"command": "sleep 60", option: true});
        let background = Action::of(tool, &input, Subagents::default());
        assert!(background != Action::Other && Case::of("member1").judge(&background).denial().is_none());
    }
    let elsewhere =
        Action::of("exec_command", &json!({"cmd": "git commit -m x", "workdir": "/p"}), Subagents::default());
    assert_eq!(Case::of("member1").judge(&elsewhere).denial().unwrap().rule, Rule::F006);
}

#[test]
fn a_unified_diff_names_its_files() {
    let patch = "--- a/src/x.rs\n+++ b/src/x.rs\n@@ -1 +1 @@\n--- /dev/null\n+++ b/new.rs\n";
    assert_eq!(action::patched(patch), ["src/x.rs", "new.rs"]);
}

#[test]
fn profile_names_the_tools_that_start_agents() {
    let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    let (tools, read_only) = (words(&["CreateSubagent", "invoke_agent"]), words(&["Explore"]));
    let client = Subagents { tools: &tools, read_only: &read_only };
    let of = |tool: &str, input: serde_json::Value| Action::of(tool, &input, client);
    assert_eq!(of("CreateSubagent", json!({"name": "x"})), Action::Subagent { read_only: false });
    assert_eq!(of("invokeAgent", json!({"agent_name": "explore"})), Action::Subagent { read_only: true });
    let unknown = Action::of("CreateSubagent", &json!({"name": "x"}), Subagents::default());
    assert_eq!(unknown, Action::Other);
}

/// Where the client puts the name of a server before that of its tool.
#[test]
fn tools_of_other_servers_are_judged_by_their_arguments() {
    let mut leased = Case::of("member1");
    leased.leases = vec![super::rules::held("member2", "src/a.rs", crate::vocabulary::LeaseMode::Exclusive)];
    let rule = |case: &Case, tool: &str, input: &serde_json::Value| {
        let judgement = case.judge(&Action::of(tool, input, Subagents::default()));
        judgement.denial().map(|denial| denial.rule)
    };
    for (tool, input) in [
        ("mcp__filesystem__write_file", json!({"path": "/wt/src/a.rs", "content": "x"})),
        ("mcp__filesystem__edit_file", json!({"path": "src/a.rs", "edits": [{"oldText": "a"}]})),
        ("mcp__filesystem__move_file", json!({"source": "src/a.rs", "destination": "/tmp/b"})),
        ("mcp__serena__replace_symbol_body", json!({"relative_path": "src/a.rs", "body": "x"})),
        ("mcp__serena__insert_after_symbol", json!({"relative_path": "src/a.rs"})),
        ("mcp__serena__rename_symbol", json!({"name_path": "f", "relative_path": "src/a.rs"})),
        ("mcp__serena__execute_shell_command", json!({"command": "echo x > src/a.rs"})),
        ("mcp__desktop-commander__write_file", json!({"path": "src/a.rs"})),
        ("mcp__desktop-commander__start_process", json!({"command": "rm src/a.rs"})),
        ("mcp__jetbrains__create_new_file_with_text", json!({"pathInProject": "x", "filePath": "src/a.rs"})),
        ("mcp__morph__fast_apply", json!({"target_file": "src/a.rs"})),
        ("mcp__other__frobnicate", json!({"args": {"items": [{"file": "src/a.rs"}]}})),
        ("mcp__vscode__apply", json!({"uri": "file:///wt/src/a.rs"})),
        ("filesystem_write_file", json!({"path": "src/a.rs"})),
        ("serena_replace_content", json!({"relative_path": "src/a.rs"})),
    ] {
        assert_eq!(rule(&leased, tool, &input), Some(Rule::Race001), "{tool}");
    }
    for (tool, input) in [
        ("mcp__filesystem__read_text_file", json!({"path": "src/a.rs"})),
        ("mcp__filesystem__list_directory", json!({"path": "src"})),
        ("mcp__filesystem__directory_tree", json!({"path": "."})),
        ("mcp__filesystem__get_file_info", json!({"path": "src/a.rs"})),
        ("mcp__filesystem__create_directory", json!({"path": "src/a.rs"})),
        ("mcp__filesystem__write_file", json!({"path": "src/b.rs"})),
        ("mcp__serena__find_symbol", json!({"name_path": "f", "relative_path": "src/a.rs"})),
        ("mcp__serena__get_symbols_overview", json!({"relative_path": "src/a.rs"})),
        ("mcp__github__get_file_contents", json!({"owner": "x", "repo": "y", "path": "src/a.rs"})),
        ("mcp__context7__query_docs", json!({"libraryId": "/a/b"})),
        ("mcp__interagent__lease", json!({"action": "take", "paths": ["src/a.rs"]})),
        ("mcp__playwright__browser_navigate", json!({"url": "https://x.test/src/a.rs"})),
        ("mcp__memory__create_entities", json!({"entities": [{"name": "src/a.rs"}]})),
    ] {
        assert_eq!(rule(&leased, tool, &input), None, "{tool}");
    }
    let member = Case::of("member1");
    for (tool, input) in [
        ("mcp__github__push_files", json!({"owner": "x", "repo": "y", "branch": "main", "files": []})),
        (
            "mcp__github__create_or_update_file",
            json!({"owner": "x", "repo": "y", "path": "a", "branch": "main"}),
        ),
        ("mcp__github__merge_pull_request", json!({"owner": "x", "repo": "y", "pull_number": 1})),
    ] {
        assert_eq!(rule(&member, tool, &input), Some(Rule::F006), "{tool}");
    }
    let task = json!({"owner": "x", "repo": "y", "path": "a", "branch": "task/login"});
    assert_eq!(rule(&member, "mcp__github__create_or_update_file", &task), None);
}
