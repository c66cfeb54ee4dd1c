//! Qwen Code.

use serde_json::json;

use super::{Client, Settings, Shows, words};
use crate::clients::Stage;

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
            "security": { "auth": { "selectedType": "openai" } },
            "general": { "enableAutoUpdate": false },
            "privacy": { "usageStatisticsEnabled": false },
        });
        vec![("~/.qwen/settings.json".to_owned(), Settings::Json(settings))]
    }

    fn arguments(&self, prompt: &str) -> Vec<String> {
        words([prompt, "-o", "stream-json"])
    }
}
