//! Every tool, called once by a client that is not ours: the official Python SDK.
//!
//! It is installed into the build directory on first use. Where that can't be, the test fails; `INTERAGENT_WITHOUT`
//! with the word `python-sdk` says that this is known.

use std::path::Path;
use std::process::Command;

use interagent_testkit::Sandbox;
use interagent_testkit::python::{self, run};

use crate::http::{HttpServer, token};

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/mcp/every_tool.py");

#[test]
fn every_tool_is_called_by_the_official_python_sdk() {
    let without = std::env::var("INTERAGENT_WITHOUT").unwrap_or_default();
    if without.split(',').any(|word| word.trim() == "python-sdk") {
        return;
    }
    let python = python::environment("mcp").join("bin/python");
    for mode in ["handshake", "modern"] {
        for way in ["stdio", "http"] {
            every_tool(&python, mode, way);
        }
    }
}

fn every_tool(python: &Path, mode: &str, way: &str) {
    let sandbox = Sandbox::with_team();
    let program = sandbox.start().command(&[]).get_program().to_owned();
    let server = (way == "http").then(|| HttpServer::start(&sandbox));
    let mut script = Command::new(python);
    script.env_clear().current_dir(sandbox.project()).arg(SCRIPT).arg(mode).arg(program);
    script.arg(sandbox.home()).arg(sandbox.project());
    if let Some(server) = &server {
        let address = format!("http://{}/mcp", server.address);
        script.args([address, token(&sandbox, "claude"), token(&sandbox, "kimi")]);
    }
    let said = run(&mut script);
    for tool in interagent_mcp::tool_names() {
        let called = said.lines().any(|line| line == format!("ok {tool}"));
        assert!(called, "{mode} over {way}: {tool} was not called\n{said}");
    }
}
