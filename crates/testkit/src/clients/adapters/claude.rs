//! Claude Code.

use std::path::Path;

use serde_json::json;

use super::{Client, Settings, Shows, Terminal, call, words};
use crate::clients::{Stage, Turn};

const KEY: &str = "sk-ant-dummy-000000000000000000000000";

/// How much of a key the client remembers when a person agreed to it.
const REMEMBERED_KEY_CHARS: usize = 20;

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
            ("ANTHROPIC_API_KEY", KEY.to_owned()),
            ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1".to_owned()),
            ("DISABLE_AUTOUPDATER", "1".to_owned()),
        ]
    }

    fn settings(&self, stage: &Stage<'_>) -> Vec<(String, Settings)> {
        // What a person answers when it starts at a terminal for the first time.
        let agreed = &KEY[KEY.len() - REMEMBERED_KEY_CHARS..];
        let answered = json!({
            "hasCompletedOnboarding": true,
            "theme": "dark",
            "customApiKeyResponses": { "approved": [agreed], "rejected": [] },
            "projects": { stage.project(): { "hasTrustDialogAccepted": true, "hasCompletedProjectOnboarding": true } },
        });
        let agreed = json!({ "enableAllProjectMcpServers": true });
        vec![
            ("~/.claude.json".to_owned(), Settings::Json(answered)),
            ("~/.claude/settings.json".to_owned(), Settings::Json(agreed)),
        ]
    }

    fn arguments(&self, prompt: &str) -> Vec<String> {
        words(["-p", prompt, "--output-format", "stream-json", "--verbose"])
    }

    fn terminal(&self, _stage: &Stage<'_>) -> Terminal {
        Terminal {
            arguments: words(["--permission-mode", "manual", "--allowedTools", "Bash,Write,mcp__interagent"]),
            ready: has_composer,
            busy: |screen| screen.contains("esc to interrupt"),
            // The highlighted answer is no, so a person moves to another one first.
            dialogs: &[
                ("❯ No, exit", &["Down"]),
                ("❯ Yes, I trust this folder", &["Enter"]),
                ("❯ Continue without using this MCP server", &["Up"]),
                ("❯ Use this and all future MCP servers", &["Up"]),
                ("❯ Use this MCP server", &["Enter"]),
            ],
            clear: "/clear",
            compact: "/compact",
        }
    }

    fn shell(&self, command: &str) -> Turn {
        call("Bash", json!({ "command": command, "description": "a test" }))
    }

    fn write(&self, path: &Path, content: &str) -> Turn {
        call("Write", json!({ "file_path": path, "content": content }))
    }
}

/// A line to type in is between two rules; the same mark alone is the cursor of every dialog.
fn has_composer(screen: &str) -> bool {
    let lines: Vec<&str> = screen.lines().collect();
    let is_rule = |line: &str| line.starts_with("────────");
    lines.windows(3).any(|three| is_rule(three[0]) && three[1].starts_with('❯') && is_rule(three[2]))
}
