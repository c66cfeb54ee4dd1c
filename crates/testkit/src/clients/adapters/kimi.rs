//! Kimi Code.

use std::path::Path;

use serde_json::json;

use super::{Client, Settings, Shows, Terminal, call, shows_spinner, words};
use crate::clients::{Stage, Turn};

#[derive(Debug)]
pub(super) struct Kimi;

impl Client for Kimi {
    fn name(&self) -> &'static str {
        "kimi"
    }

    fn title(&self) -> &'static str {
        "Kimi Code"
    }

    fn shows(&self) -> Shows {
        Shows::Both
    }

    fn variables(&self, _stage: &Stage<'_>) -> Vec<(&'static str, String)> {
        vec![("KIMI_CODE_NO_AUTO_UPDATE", "1".to_owned())]
    }

    fn settings(&self, stage: &Stage<'_>) -> Vec<(String, Settings)> {
        let config = format!(
            r#"
default_model = "mock"
default_permission_mode = "yolo"
telemetry = false
[providers.mock]
type = "openai"
base_url = "{}"
api_key = "dummy"
[models.mock]
provider = "mock"
model = "mock-model"
max_context_size = 200000
capabilities = ["tool_use"]
"#,
            stage.openai_url()
        );
        vec![("~/.kimi-code/config.toml".to_owned(), Settings::Text(config))]
    }

    fn arguments(&self, prompt: &str) -> Vec<String> {
        words(["-p", prompt, "--output-format", "stream-json"])
    }

    fn terminal(&self, _stage: &Stage<'_>) -> Terminal {
        Terminal {
            arguments: Vec::new(),
            ready: |screen| screen.contains("context:"),
            busy: |screen| screen.lines().any(shows_spinner),
            dialogs: &[("Trust this folder?", &["Enter"])],
            clear: "/clear",
            compact: "/compact",
        }
    }

    fn shell(&self, command: &str) -> Turn {
        call("Bash", json!({ "command": command }))
    }

    fn write(&self, path: &Path, content: &str) -> Turn {
        call("Write", json!({ "path": path, "content": content }))
    }
}
