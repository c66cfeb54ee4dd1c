//! Claude Code.

use super::{Client, Shows, words};
use crate::clients::Stage;

#[derive(Debug)]
pub(super) struct Claude;

impl Client for Claude {
    fn name(&self) -> &'static str {
        "claude"
    }

    fn title(&self) -> &'static str {
        "Claude Code"
    }

    fn shows(&self) -> Shows {
        Shows::Document
    }

    fn variables(&self, stage: &Stage<'_>) -> Vec<(&'static str, String)> {
        vec![
            ("ANTHROPIC_BASE_URL", stage.model().url().to_owned()),
            ("ANTHROPIC_API_KEY", "sk-ant-dummy-000000000000000000000000".to_owned()),
            ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1".to_owned()),
            ("DISABLE_AUTOUPDATER", "1".to_owned()),
        ]
    }

    fn arguments(&self, prompt: &str) -> Vec<String> {
        words(["-p", prompt, "--output-format", "stream-json", "--verbose"])
    }
}
