//! Gemini CLI.

use std::path::Path;

use serde_json::json;

use super::{Client, Settings, Shows, Terminal, call, words};
use crate::clients::{Stage, Turn};

#[derive(Debug)]
pub(super) struct Gemini;

impl Client for Gemini {
    fn name(&self) -> &'static str {
        "gemini"
    }

    fn title(&self) -> &'static str {
        "Gemini CLI"
    }

    fn shows(&self) -> Shows {
        Shows::Text
    }

    fn variables(&self, stage: &Stage<'_>) -> Vec<(&'static str, String)> {
        vec![
            ("GEMINI_API_KEY", "dummy".to_owned()),
            ("GOOGLE_GEMINI_BASE_URL", stage.model().url().to_owned()),
            ("GEMINI_CLI_TRUST_WORKSPACE", "true".to_owned()),
            ("GEMINI_TELEMETRY_ENABLED", "false".to_owned()),
        ]
    }

    fn settings(&self, _stage: &Stage<'_>) -> Vec<(String, Settings)> {
        let settings = json!({
            "security": { "auth": { "selectedType": "gemini-api-key" }, "folderTrust": { "enabled": false } },
            "general": { "enableAutoUpdate": false, "enableAutoUpdateNotification": false },
            "privacy": { "usageStatisticsEnabled": false },
            "model": { "name": "gemini-2.5-pro" },
            "ui": { "hideTips": true },
            "ide": { "enabled": false, "hasSeenNudge": true },
        });
        vec![("~/.gemini/settings.json".to_owned(), Settings::Json(settings))]
    }

    fn arguments(&self, prompt: &str) -> Vec<String> {
        words(["-p", prompt, "-o", "stream-json"])
    }

    fn terminal(&self, _stage: &Stage<'_>) -> Terminal {
        Terminal {
            arguments: words(["--yolo"]),
            ready: |screen| screen.contains("Type your message"),
            busy: |screen| screen.contains("esc to cancel"),
            dialogs: &[],
            clear: "/clear",
            compact: "/compress",
        }
    }

    fn shell(&self, command: &str) -> Turn {
        call("run_shell_command", json!({ "command": command }))
    }

    fn write(&self, path: &Path, content: &str) -> Turn {
        call("write_file", json!({ "file_path": path, "content": content }))
    }
}
