//! Starting servers: in the place of a client, and inside a client of their own.

use std::process::Command;

use interagent_testkit::Sandbox;
use interagent_testkit::mcp::McpClient;
use interagent_testkit::sandbox::Run;

/// The server, started by this process: all such servers have the same client process.
pub(crate) fn server(run: &Run<'_>) -> Command {
    run.command(&["mcp"])
}

/// A server inside a client process of its own, as every agent has one.
pub(crate) fn client_of_its_own(run: &Run<'_>) -> Command {
    run.shell("interagent mcp; exit $?")
}

/// An agent that has registered, in a client of its own.
pub(crate) fn agent(sandbox: &Sandbox, name: &str) -> McpClient {
    let mut client = McpClient::connect(client_of_its_own(&sandbox.start()), "test-client");
    client.done("register_agent", serde_json::json!({ "name": name, "description": "tests" }));
    client
}
