//! Copilot CLI, with a model of one's own.

use super::{Client, Shows, words};
use crate::clients::Stage;

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
}
