//! OpenCode.

use std::path::Path;

use serde_json::json;

use super::{Client, Settings, Shows, Terminal, call, words};
use crate::clients::{Stage, Turn};

#[derive(Debug)]
pub(super) struct OpenCode;

impl Client for OpenCode {
    fn name(&self) -> &'static str {
        "opencode"
    }

    fn title(&self) -> &'static str {
        "OpenCode"
    }

    fn shows(&self) -> Shows {
        Shows::Text
    }

    fn variables(&self, _stage: &Stage<'_>) -> Vec<(&'static str, String)> {
        let off = |name| (name, "1".to_owned());
        vec![
            off("OPENCODE_DISABLE_AUTOUPDATE"),
            off("OPENCODE_DISABLE_MODELS_FETCH"),
            off("OPENCODE_DISABLE_LSP_DOWNLOAD"),
            // Where it finds a plugin, it looks for packages at the registry and asks four times where there is none.
            ("npm_config_offline", "true".to_owned()),
            ("npm_config_fetch_retries", "0".to_owned()),
        ]
    }

    fn settings(&self, stage: &Stage<'_>) -> Vec<(String, Settings)> {
        let model =
            json!({ "name": "mock", "tool_call": true, "limit": { "context": 200_000, "output": 8_000 } });
        let settings = json!({
            "autoupdate": false,
            "share": "disabled",
            "model": "mock/mock-model",
            "small_model": "mock/mock-model",
            "provider": { "mock": {
                "npm": "@ai-sdk/openai-compatible",
                "name": "mock",
                "options": { "baseURL": stage.openai_url(), "apiKey": "dummy" },
                "models": { "mock-model": model },
            } },
        });
        vec![("~/.config/opencode/opencode.json".to_owned(), Settings::Json(settings))]
    }

    fn arguments(&self, prompt: &str) -> Vec<String> {
        words(["run", "--format", "json", prompt])
    }

    fn terminal(&self, _stage: &Stage<'_>) -> Terminal {
        Terminal {
            arguments: words(["--auto"]),
            ready: |screen| screen.contains("Ask anything"),
            busy: |screen| screen.contains("esc interrupt"),
            dialogs: &[],
            clear: "/new",
            compact: "/compact",
        }
    }

    fn shell(&self, command: &str) -> Turn {
        call("bash", json!({ "command": command }))
    }

    fn write(&self, path: &Path, content: &str) -> Turn {
        call("write", json!({ "filePath": path, "content": content }))
    }
}
