//! Copilot CLI, with a model of one's own.

use std::path::Path;

use serde_json::json;

use super::{Client, Settings, Shows, Terminal, call, words};
use crate::clients::{Stage, Turn};

#[derive(Debug)]
pub(super) struct Copilot;

impl Client for Copilot {
    fn name(&self) -> &'static str {
        "copilot"
    }

    fn title(&self) -> &'static str {
        "Copilot CLI"
    }

    fn shows(&self) -> Shows {
        Shows::Both
    }

    fn variables(&self, stage: &Stage<'_>) -> Vec<(&'static str, String)> {
        vec![
            ("COPILOT_PROVIDER_TYPE", "openai".to_owned()),
            ("COPILOT_PROVIDER_BASE_URL", stage.openai_url()),
            ("COPILOT_PROVIDER_API_KEY", "dummy".to_owned()),
            ("COPILOT_MODEL", "mock-model".to_owned()),
            ("COPILOT_OFFLINE", "true".to_owned()),
            ("COPILOT_AUTO_UPDATE", "false".to_owned()),
        ]
    }

    fn settings(&self, stage: &Stage<'_>) -> Vec<(String, Settings)> {
        let settings = json!({ "trustedFolders": [stage.project()], "banner": "never", "autoUpdate": false });
        vec![("~/.copilot/config.json".to_owned(), Settings::Json(settings))]
    }

    fn arguments(&self, prompt: &str) -> Vec<String> {
        words([
            "-p",
            prompt,
            "--allow-all",
            "--output-format",
            "json",
            "--no-auto-update",
            "--disable-builtin-mcps",
        ])
    }

    fn terminal(&self, _stage: &Stage<'_>) -> Terminal {
        Terminal {
            arguments: words(["--allow-all", "--no-auto-update", "--disable-builtin-mcps"]),
            ready: |screen| screen.lines().any(|line| line.starts_with('❯')),
            busy: |screen| {
                screen
                    .lines()
                    .any(|line| line.trim_start().chars().skip(1).collect::<String>().starts_with(" Working"))
            },
            dialogs: &[],
            clear: "/clear",
            compact: "/compact",
        }
    }

    fn shell(&self, command: &str) -> Turn {
        call("bash", json!({ "command": command, "description": "a test" }))
    }

    fn write(&self, path: &Path, content: &str) -> Turn {
        call("create", json!({ "path": path, "file_text": content }))
    }
}
