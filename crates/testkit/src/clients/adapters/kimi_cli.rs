//! kimi-cli, which Kimi Code followed.

use std::path::Path;

use serde_json::json;

use super::{Client, Settings, Shows, Terminal, call, shows_spinner, words};
use crate::clients::{Stage, Turn};

#[derive(Debug)]
pub(super) struct KimiCli;

impl Client for KimiCli {
    fn name(&self) -> &'static str {
        "kimi-cli"
    }

    fn title(&self) -> &'static str {
        "kimi-cli"
    }

    fn shows(&self) -> Shows {
        Shows::Text
    }

    fn variables(&self, _stage: &Stage<'_>) -> Vec<(&'static str, String)> {
        vec![("KIMI_CLI_NO_AUTO_UPDATE", "1".to_owned())]
    }

    fn settings(&self, stage: &Stage<'_>) -> Vec<(String, Settings)> {
        let config = format!(
            r#"
default_model = "mock"
telemetry = false
[providers.mock]
type = "openai_legacy"
base_url = "{}"
api_key = "dummy"
[models.mock]
provider = "mock"
model = "mock-model"
max_context_size = 200000
"#,
            stage.openai_url()
        );
        vec![("~/.kimi/config.toml".to_owned(), Settings::Text(config))]
    }

    fn arguments(&self, prompt: &str) -> Vec<String> {
        words(["--print", "--output-format", "stream-json", "-p", prompt])
    }

    fn terminal(&self, _stage: &Stage<'_>) -> Terminal {
        Terminal {
            arguments: words(["--yolo"]),
            ready: |screen| screen.contains("── input ──"),
            busy: |screen| screen.lines().any(shows_spinner),
            dialogs: &[],
            clear: "/clear",
            compact: "/compact",
        }
    }

    fn shell(&self, command: &str) -> Turn {
        call("Shell", json!({ "command": command }))
    }

    fn write(&self, path: &Path, content: &str) -> Turn {
        call("WriteFile", json!({ "path": path, "content": content }))
    }
}
