//! Qwen Code.

use std::path::Path;

use serde_json::json;

use super::{Client, Settings, Shows, Terminal, call, words};
use crate::clients::{Stage, Turn};

/// What it reads beside the terminal, so that somebody else can say something.
const INPUT: &str = "qwen-input.jsonl";

#[derive(Debug)]
pub(super) struct Qwen;

impl Client for Qwen {
    fn name(&self) -> &'static str {
        "qwen"
    }

    fn title(&self) -> &'static str {
        "Qwen Code"
    }

    fn shows(&self) -> Shows {
        Shows::Both
    }

    fn variables(&self, stage: &Stage<'_>) -> Vec<(&'static str, String)> {
        vec![
            ("OPENAI_API_KEY", "dummy".to_owned()),
            ("OPENAI_BASE_URL", stage.openai_url()),
            ("OPENAI_MODEL", "mock-model".to_owned()),
            ("QWEN_TELEMETRY_ENABLED", "false".to_owned()),
        ]
    }

    fn settings(&self, _stage: &Stage<'_>) -> Vec<(String, Settings)> {
        let settings = json!({
            "security": { "auth": { "selectedType": "openai" }, "folderTrust": { "enabled": false } },
            "general": { "enableAutoUpdate": false },
            "privacy": { "usageStatisticsEnabled": false },
            "ui": { "hideTips": true },
            "ide": { "hasSeenNudge": true },
            // Without `--yolo`, a model would decide what a person is asked.
            "tools": { "approvalMode": "default" },
        });
        vec![
            ("~/.qwen/settings.json".to_owned(), Settings::Json(settings)),
            (format!("~/{INPUT}"), Settings::Text(String::new())),
        ]
    }

    fn arguments(&self, prompt: &str) -> Vec<String> {
        words([prompt, "-o", "stream-json"])
    }

    fn terminal(&self, stage: &Stage<'_>) -> Terminal {
        Terminal {
            arguments: words(["--yolo", "--input-file", &stage.below_home(INPUT)]),
            ready: |screen| screen.contains("Type your message"),
            busy: |screen| screen.contains("esc to cancel"),
            dialogs: &[("Untrusted MCP server", &["Enter"])],
            clear: "/clear",
            compact: "/compress",
        }
    }

    fn shell(&self, command: &str) -> Turn {
        call("run_shell_command", json!({ "command": command, "is_background": false }))
    }

    fn write(&self, path: &Path, content: &str) -> Turn {
        call("write_file", json!({ "file_path": path, "content": content }))
    }
}
