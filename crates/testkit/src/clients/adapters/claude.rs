//! Claude Code.

use serde_json::json;

use super::{Client, Settings, Shows, words};
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

    fn remote(&self, url: &str, token: &str) -> Vec<(String, Settings)> {
        let server = json!({ "type": "http", "url": url, "alwaysLoad": true,
            "headers": { "Authorization": format!("Bearer {token}") } });
        let rule = json!({ "permissions": { "allow": ["mcp__interagent"] } });
        vec![
            (".mcp.json".to_owned(), Settings::Json(json!({ "mcpServers": { "interagent": server } }))),
            (".claude/settings.json".to_owned(), Settings::Json(rule)),
        ]
    }

    fn arguments(&self, prompt: &str) -> Vec<String> {
        words(["-p", prompt, "--output-format", "stream-json", "--verbose"])
    }
}
