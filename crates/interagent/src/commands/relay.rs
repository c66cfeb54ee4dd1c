//! Prompts to paste: what an agent should do next, and how it keeps its template current.

use clap::Args;
use interagent_wire::Request;
use interagent_wire::request as ask;

/// Writes the prompt to paste to an agent: its role, what waits for it, and the commands for each step.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  interagent relay --to kimi")]
pub(crate) struct Relay {
    /// For whom: a name or id; yourself when left out.
    #[arg(short = 'a', short_alias = 't', long, visible_alias = "agent", value_name = "NAME")]
    to: Option<String>,
}

impl Relay {
    pub(crate) fn request(self) -> Request {
        ask::Relay { agent: self.to }.into()
    }
}

/// Writes the prompt that has an agent bring the project's kickoff template up to date.
///
/// The agent looks for new practices of its client, reviews the template, improves it, and writes TEMPLATE_UPDATE.md
/// about what changed.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  interagent update-template --agent claude --focus \"sub-agents\"\n  interagent update-template --agent kimi --template-path ~/template.txt"
)]
pub(crate) struct UpdateTemplate {
    /// For whom: a registered agent, or a kind of client such as claude, kimi or codex.
    #[arg(short = 'a', long, value_name = "NAME")]
    agent: String,
    /// Where the template is.
    #[arg(short = 'p', long, value_name = "FILE")]
    template_path: Option<String>,
    /// What to look at first.
    #[arg(short = 'f', long, value_name = "TOPIC")]
    focus: Option<String>,
}

impl UpdateTemplate {
    pub(crate) fn request(self) -> Request {
        let Self { agent, template_path, focus } = self;
        ask::TemplatePrompt { agent, template_path, focus }.into()
    }
}
