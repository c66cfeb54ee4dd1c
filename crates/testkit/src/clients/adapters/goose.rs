//! Goose.

use std::path::Path;

use serde_json::json;

use super::{Client, Settings, Shows, Terminal, call, words};
use crate::clients::{Stage, Turn};

#[derive(Debug)]
pub(super) struct Goose;

impl Client for Goose {
    fn name(&self) -> &'static str {
        "goose"
    }

    fn title(&self) -> &'static str {
        "Goose"
    }

    fn shows(&self) -> Shows {
        Shows::Text
    }

    fn variables(&self, stage: &Stage<'_>) -> Vec<(&'static str, String)> {
        let host = stage.openai_url();
        vec![
            ("GOOSE_PROVIDER", "openai".to_owned()),
            ("GOOSE_MODEL", "mock-model".to_owned()),
            ("OPENAI_HOST", host.trim_end_matches("/v1").to_owned()),
            ("OPENAI_API_KEY", "dummy".to_owned()),
            ("GOOSE_DISABLE_KEYRING", "1".to_owned()),
            ("GOOSE_MODE", "auto".to_owned()),
            ("GOOSE_TELEMETRY_ENABLED", "false".to_owned()),
        ]
    }

    fn settings(&self, _stage: &Stage<'_>) -> Vec<(String, Settings)> {
        vec![("~/.config/goose/config.yaml".to_owned(), Settings::Text("# The user's own.\n".to_owned()))]
    }

    fn arguments(&self, prompt: &str) -> Vec<String> {
        words(["run", "-t", prompt, "--output-format", "stream-json"])
    }

    fn terminal(&self, _stage: &Stage<'_>) -> Terminal {
        Terminal {
            arguments: words(["session"]),
            ready: |screen| {
                screen
                    .lines()
                    .rev()
                    .find(|line| !line.trim().is_empty())
                    .is_some_and(|line| line.contains('>'))
            },
            busy: |screen| screen.contains("Ctrl+C to interrupt"),
            dialogs: &[],
            clear: "/clear",
            compact: "/summarize",
        }
    }

    fn shell(&self, command: &str) -> Turn {
        call("developer__shell", json!({ "command": command }))
    }

    fn write(&self, path: &Path, content: &str) -> Turn {
        self.shell(&format!("cat > '{}' <<'END'\n{content}\nEND", path.display()))
    }
}
