//! Codex.

use std::path::Path;

use serde_json::json;

use super::{Client, Settings, Shows, Terminal, call, words};
use crate::clients::{Stage, Turn};

#[derive(Debug)]
pub(super) struct Codex;

impl Client for Codex {
    fn name(&self) -> &'static str {
        "codex"
    }

    fn title(&self) -> &'static str {
        "Codex"
    }

    fn shows(&self) -> Shows {
        Shows::Document
    }

    fn variables(&self, _stage: &Stage<'_>) -> Vec<(&'static str, String)> {
        vec![("MOCK_KEY", "dummy".to_owned())]
    }

    fn settings(&self, stage: &Stage<'_>) -> Vec<(String, Settings)> {
        // A JSON string is a TOML string too.
        let project = json!(stage.project());
        let config = format!(
            r#"
model = "gpt-5.4"
model_provider = "mock"
approval_policy = "never"
check_for_update_on_startup = false
[model_providers.mock]
name = "mock"
base_url = "{}"
env_key = "MOCK_KEY"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0
[projects.{project}]
trust_level = "trusted"
[analytics]
enabled = false
[feedback]
enabled = false
"#,
            stage.openai_url()
        );
        vec![("~/.codex/config.toml".to_owned(), Settings::Text(config))]
    }

    fn arguments(&self, prompt: &str) -> Vec<String> {
        words(["exec", "--json", "--skip-git-repo-check", prompt])
    }

    fn terminal(&self, _stage: &Stage<'_>) -> Terminal {
        Terminal {
            arguments: words(["--dangerously-bypass-hook-trust", "--no-daemon"]),
            ready: |screen| screen.contains("›"),
            busy: |screen| screen.contains("esc to interrupt"),
            dialogs: &[],
            clear: "/new",
            compact: "/compact",
        }
    }

    fn shell(&self, command: &str) -> Turn {
        call("exec_command", json!({ "cmd": command }))
    }

    fn write(&self, path: &Path, content: &str) -> Turn {
        self.shell(&format!("cat > '{}' <<'END'\n{content}\nEND", path.display()))
    }
}
