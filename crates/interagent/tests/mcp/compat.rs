//! A `CLAUDE.md` written for the older MCP server: the calls it asks for, exactly as agents make them. All parameters
//! are texts, and the caller's name is passed every time.

use interagent_testkit::Sandbox;
use interagent_testkit::mcp::McpClient;
use serde_json::{Value, json};

use crate::support::client_of_its_own;

fn connect(sandbox: &Sandbox) -> McpClient {
    let mut client = McpClient::start(client_of_its_own(&sandbox.start()));
    assert_eq!(client.initialize("2025-03-26", "claude-code")["protocolVersion"], "2025-03-26");
    client
}

fn text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap()
}

#[test]
fn instructions_for_the_older_server_work_unchanged() {
    // No project hub: the two meet in the personal one, as they met in that server's directory.
    let sandbox = Sandbox::new();
    let place = sandbox.project().display().to_string();
    let (mut front, mut back) = (connect(&sandbox), connect(&sandbox));

    let register =
        |name: &str, what: &str| json!({ "name": name, "workspace_path": place, "description": what });
    front.done("register_agent", register("Frontend", "React app"));
    back.done("register_agent", register("Backend", "REST API"));
    back.done("register_agent", register("Backend", "REST API, second start"));

    let agents = front.call("list_agents", json!({}));
    for word in ["frontend", "backend", "REST API, second start"] {
        assert!(text(&agents).contains(word), "{word}: {agents}");
    }
    assert_eq!(front.done("get_agent", json!({ "name": "Backend" }))["workspace"], json!(place));

    front.done("set_status", json!({ "agent_name": "Frontend", "status": "building the login page" }));
    let status = back.call("get_status", json!({ "agent_name": "Frontend" }));
    assert!(text(&status).contains("building the login page"), "{status}");
    assert!(text(&back.call("get_all_statuses", json!({}))).contains("building the login page"));

    front.done(
        "publish_spec",
        json!({ "name": "login-api", "content": "# Login\n\nPOST /login", "publisher": "Frontend" }),
    );
    assert!(text(&back.call("list_specs", json!({}))).contains("login-api"));
    assert!(text(&back.call("get_spec", json!({ "name": "login-api" }))).contains("# Login\n\nPOST /login"));

    let sent = front.done(
        "send_message",
        json!({ "from": "Frontend", "to": "Backend", "subject": "Login endpoint", "content": "## Need\n\nPOST /login" }),
    );
    let id = sent["id"].as_str().unwrap();
    let inbox = back.call("check_inbox", json!({ "agent_name": "Backend" }));
    assert!(text(&inbox).contains(id) && text(&inbox).contains("Login endpoint"), "{inbox}");
    let read = back.call("read_message", json!({ "message_id": id, "reader": "Backend" }));
    assert!(text(&read).contains("## Need\n\nPOST /login"), "{read}");
    back.done(
        "reply_message",
        json!({ "original_message_id": id, "from": "Backend", "subject": "Re: Login endpoint", "content": "Done.", "mark_complete": true }),
    );
    let answer = front.done("check_inbox", json!({ "agent_name": "Frontend" }));
    assert_eq!((&answer["items"][0]["body"], &answer["items"][0]["reply_to"]), (&json!("Done."), &json!(id)));

    let stuck = front.done(
        "send_message",
        json!({ "from": "Frontend", "to": "Backend", "subject": "Which database?", "content": "?" }),
    );
    back.done("check_inbox", json!({ "agent_name": "Backend" }));
    back.done(
        "escalate",
        json!({ "message_id": stuck["id"], "agent_name": "Backend", "reason": "a person must choose" }),
    );
    let told = sandbox.json(&["inbox"]);
    assert!(told["items"].as_array().unwrap().iter().any(|mail| mail["from"]["name"] == "backend"), "{told}");
}

#[test]
fn what_the_older_server_let_through_is_refused() {
    let sandbox = Sandbox::new();
    let mut client = connect(&sandbox);
    let home = sandbox.home();
    client.done("register_agent", json!({ "name": "a", "workspace_path": home, "description": "" }));
    for (tool, arguments) in [
        ("register_agent", json!({ "name": "a", "workspace_path": "relative", "description": "x" })),
        ("register_agent", json!({ "name": "a", "workspace_path": "/etc", "description": "x" })),
        (
            "register_agent",
            json!({ "name": "a", "workspace_path": "/no/such/directory", "description": "x" }),
        ),
        ("send_message", json!({ "from": "b", "to": "a", "subject": "s", "content": "c" })),
        ("send_message", json!({ "from": "a", "to": "nobody", "subject": "s", "content": "c" })),
        ("publish_spec", json!({ "name": "../../x", "content": "c", "publisher": "a" })),
        ("get_spec", json!({ "name": "../../secret" })),
    ] {
        client.refused(tool, arguments);
    }
}
