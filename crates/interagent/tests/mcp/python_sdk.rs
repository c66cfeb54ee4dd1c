//! Every tool, called once by a client that is not ours: the official Python SDK.
//!
//! It is installed into the build directory on first use. Where that can't be, the test fails; `INTERAGENT_WITHOUT`
//! with the word `python-sdk` says that this is known.

use std::path::{Path, PathBuf};
use std::process::Command;

use interagent_testkit::Sandbox;

use crate::http::{HttpServer, token};

const PACKAGE: &str = "mcp";
const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/mcp/every_tool.py");

/// The interpreter of an environment that has the SDK.
fn python() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let environment = test.ancestors().nth(3).unwrap().join("tools").join(format!("venv-{PACKAGE}"));
    let interpreter = environment.join("bin/python");
    if imports(&interpreter) {
        return interpreter;
    }
    run(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&environment));
    run(Command::new(&interpreter).args(["-m", "pip", "install", "--quiet", PACKAGE]));
    assert!(imports(&interpreter), "the package {PACKAGE} was installed and can't be imported");
    interpreter
}

fn imports(interpreter: &Path) -> bool {
    let import = Command::new(interpreter).args(["-c", "import mcp.client.stdio"]).output();
    import.is_ok_and(|done| done.status.success())
}

fn run(command: &mut Command) -> String {
    let done = command.output().unwrap_or_else(|why| panic!("cannot run {command:?}: {why}"));
    let said = format!("{}{}", String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
    assert!(done.status.success(), "{command:?}\n{said}");
    said
}

#[test]
fn every_tool_is_called_by_the_official_python_sdk() {
    let without = std::env::var("INTERAGENT_WITHOUT").unwrap_or_default();
    if without.split(',').any(|word| word.trim() == "python-sdk") {
        return;
    }
    let python = python();
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
