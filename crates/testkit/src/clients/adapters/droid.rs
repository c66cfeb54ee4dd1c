//! Factory Droid. Its terminal asks for a login, so only runs without a person are exercised.

use std::path::Path;

use serde_json::json;

use super::{Client, Settings, Shows, Terminal, call, words};
use crate::clients::{Stage, Turn};

/// How the client calls the scripted model.
const MODEL: &str = "custom:mock-model-0";

#[derive(Debug)]
pub(super) struct Droid;

impl Client for Droid {
    fn name(&self) -> &'static str {
        "droid"
    }

    fn title(&self) -> &'static str {
        "Factory Droid"
    }

    fn shows(&self) -> Shows {
        Shows::Text
    }

    fn variables(&self, _stage: &Stage<'_>) -> Vec<(&'static str, String)> {
        vec![("FACTORY_API_KEY", "fk-dummy".to_owned()), ("DROID_DISABLE_AUTO_UPDATE", "1".to_owned())]
    }

    fn settings(&self, stage: &Stage<'_>) -> Vec<(String, Settings)> {
        let settings = json!({
            "customModels": [{ "model": "mock-model", "displayName": "mock-model", "id": MODEL, "baseUrl": stage.openai_url(),
                "apiKey": "dummy", "provider": "generic-chat-completion-api", "maxOutputTokens": 4096 }],
            "sessionDefaultSettings": { "model": MODEL },
            "model": MODEL,
            "cloudSessionSync": false,
        });
        vec![("~/.factory/settings.json".to_owned(), Settings::Json(settings))]
    }

    fn arguments(&self, prompt: &str) -> Vec<String> {
        words(["exec", "--model", MODEL, "--auto", "medium", "--output-format", "stream-json", prompt])
    }

    fn terminal(&self, _stage: &Stage<'_>) -> Terminal {
        Terminal {
            arguments: Vec::new(),
            ready: |screen| screen.contains("> "),
            busy: |screen| screen.contains("esc to interrupt"),
            dialogs: &[],
            clear: "/clear",
            compact: "/compress",
        }
    }

    fn shell(&self, command: &str) -> Turn {
        call(
            "Execute",
            json!({ "command": command, "timeout": 60, "riskLevelReason": "test", "riskLevel": "low" }),
        )
    }

    fn write(&self, path: &Path, content: &str) -> Turn {
        call("Create", json!({ "file_path": path, "content": content }))
    }
}
