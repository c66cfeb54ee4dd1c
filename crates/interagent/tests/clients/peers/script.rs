//! What the two models do, in their own words.

use std::path::{Path, PathBuf};

use interagent_testkit::clients::{Stage, Turn, client};
use serde_json::{Value, json};

use crate::team::nonce;

/// Both clients name our tools so.
const OUR_TOOLS: &str = "mcp__interagent__";

/// What is said, each with a word that nobody else writes.
pub(super) struct Script {
    api: PathBuf,
    pub(super) claude_prompt: String,
    pub(super) kimi_prompt: String,
    pub(super) handoff: String,
    pub(super) question: String,
    pub(super) answer: String,
}

impl Script {
    pub(super) fn new(project: &Path) -> Self {
        Self {
            api: project.join("src/api.rs"),
            claude_prompt: format!("You build the profile UI when the API is there. {}", nonce("ui")),
            kimi_prompt: format!("Build the profile API. {}", nonce("api")),
            handoff: format!(
                "Profile API complete. GET /api/users/:id returns {{ id, name, email, avatar, role }}. Auth required. {}",
                nonce("handoff")
            ),
            question: format!("Should the avatar be editable on the profile page? {}", nonce("question")),
            answer: format!("Yes, PUT /api/users/:id/avatar, at most 5MB, JPEG or PNG. {}", nonce("answer")),
        }
    }

    /// Gives each model its part. It knows the texts; the ids of messages it reads in what it is told.
    pub(super) fn give(&self, claude: &Stage<'_>, kimi: &Stage<'_>) {
        kimi.model().cue(&self.kimi_prompt, self.kimi());
        claude.model().cue(&self.claude_prompt, vec![Turn::Say("I wait for the API.".to_owned())]);
        claude.model().cue(&self.handoff, self.claude_asks());
        claude.model().cue(&self.answer, self.claude_finishes());
    }

    /// An idle Kimi Code can't be woken, so it stays in its turn and waits for what comes back.
    fn kimi(&self) -> Vec<Turn> {
        let kimi = client("kimi");
        let (handoff, answer) = (&self.handoff, &self.answer);
        vec![
            kimi.write(&self.api, "// the profile API\n"),
            kimi.shell("interagent task update api --status completed"),
            kimi.shell(&format!(
                "interagent send --to claude --intent handoff --task ui --ref src/api.rs:1-20 -s 'Profile API' -m '{handoff}'"
            )),
            ours("check_inbox", json!({ "wait": 60 })),
            kimi.shell(&format!("interagent reply {{message: Avatar}} --intent context_share -m '{answer}'")),
            Turn::Say("The API is done.".to_owned()),
        ]
    }

    fn claude_asks(&self) -> Vec<Turn> {
        let claude = client("claude");
        let question = json!({ "to": "kimi", "intent": "question", "subject": "Avatar", "task": "ui",
            "content": self.question });
        vec![
            claude.shell("interagent msg accept {message: Profile API}"),
            claude.shell("interagent task update ui --status in_progress"),
            ours("send_message", question),
            Turn::Say("I asked about the avatar.".to_owned()),
        ]
    }

    fn claude_finishes(&self) -> Vec<Turn> {
        let claude = client("claude");
        vec![
            claude.shell("interagent task update ui --status completed"),
            Turn::Say("The page is done.".to_owned()),
        ]
    }
}

fn ours(tool: &str, arguments: Value) -> Turn {
    Turn::Call { tool: format!("{OUR_TOOLS}{tool}"), arguments }
}
