//! The store of the Interagent MCP server, recorded.

use std::path::Path;

use interagent_testkit::Sandbox;

use super::{TREES, copy, entries, resolves};

#[test]
fn the_mcp_servers_mail_moves_over() {
    let sandbox = Sandbox::with_team();
    let tree = sandbox.home().join(".claude-interagent");
    copy(&Path::new(TREES).join("claude-interagent"), &tree);
    let shown = sandbox.run(&["import", "--yes"]).success();
    insta::assert_snapshot!(shown.shown(), @r"
    took over 5 messages, 1 spec, 3 agents from the Interagent MCP server ([sandbox]/home/.claude-interagent)
    Nav Mesh! is called nav-mesh here
    not taken: messages-meta/half-written.json: it is not JSON: EOF while parsing a string at line 1 column 16
    next: interagent summary
    ");
    let first = "0b1f4a52-3c6e-4f0e-9a7b-1d2c3e4f5a60";
    let thread = sandbox.run(&["msg", "thread", first]).success().stdout;
    assert!(thread.contains("It is still stale for joins."), "{thread}");
    let message = sandbox.json(&["read", first]);
    assert_eq!(message["sent"], "2026-02-01T10:00:00.000000Z");
    assert!(message.to_string().contains("\"state\":\"done\""), "{message}");
    resolves(&sandbox, None, first);
    let agent = sandbox.json(&["agent", "show", "db-server"]);
    assert!(agent.to_string().contains("/srv/game/db"), "{agent}");
    assert!(agent.to_string().contains("Working on the index"), "{agent}");
    let spec = sandbox.json(&["spec", "show", "user-api"]);
    assert!(spec.to_string().contains("GET /users") && spec.to_string().contains("db-server"), "{spec}");
    let inbox = sandbox.run(&["inbox"]).success().stdout;
    assert!(
        inbox.contains("Escalation: The gate's data is missing."),
        "an open escalation reaches the operator: {inbox}"
    );
    assert!(tree.join("registry.json").is_file(), "the original is left as it is");

    let count = entries(&sandbox);
    let again = sandbox.json(&["import", "--yes"]);
    assert_eq!(again["report"]["taken_before"]["messages"], 5, "{again}");
    assert_eq!(entries(&sandbox), count, "{again}");
}
