//! Nothing is imported that nobody named or confirmed.

use std::path::Path;

use interagent_testkit::Sandbox;
use interagent_testkit::terminal::{Size, run_on_terminal};

use super::{TREES, copy, entries, interagent_project};

/// A project with a team of its own, and the store of another project's server in the home.
fn with_a_store_in_the_home() -> Sandbox {
    let sandbox = Sandbox::with_team();
    copy(&Path::new(TREES).join("claude-interagent"), &sandbox.home().join(".claude-interagent"));
    sandbox
}

#[test]
fn nothing_is_imported_unasked() {
    let sandbox = with_a_store_in_the_home();
    let before = entries(&sandbox);
    insta::assert_snapshot!(sandbox.run(&["import"]).shown(), @r"
    --- stderr
    error: import needs confirmation: found the Interagent MCP server in `[sandbox]/home/.claude-interagent`
    hint: interagent import --from claude-interagent
    hint: interagent import --dry-run shows what would be imported
    --- exit 1
    ");
    assert_eq!(entries(&sandbox), before);
    sandbox.run(&["import", "--dry-run"]).success();
    assert_eq!(entries(&sandbox), before);
    sandbox.run(&["import", "--from", "claude-interagent"]).success();
    assert!(entries(&sandbox) > before);
}

#[test]
fn person_at_a_terminal_is_asked() {
    let sandbox = with_a_store_in_the_home();
    let before = entries(&sandbox);
    let import = |typed: &str| {
        run_on_terminal(sandbox.start().command(&["import"]), Size { columns: 100, rows: 30 }, typed)
    };
    let (_, refused) = import("n\n");
    assert!(refused.contains("5 messages, 1 spec, 3 agents"), "{refused}");
    assert!(refused.contains("Import this?"), "{refused}");
    assert!(refused.contains("nothing was imported"), "{refused}");
    assert_eq!(entries(&sandbox), before);
    let (_, accepted) = import("y\n");
    assert!(accepted.contains("took over"), "{accepted}");
    assert!(entries(&sandbox) > before);
}

#[test]
fn readable_files_are_there_after_an_import() {
    let sandbox = Sandbox::new();
    interagent_project(&sandbox, 2);
    sandbox.run(&["import", "--yes"]).success();
    for file in ["session.json", "tasks", "messages/pending", "README.md"] {
        assert!(sandbox.hub().join(file).exists(), "{file}");
    }
}
