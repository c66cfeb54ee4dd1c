//! Permission prompts: dialogs in which a client asks the person at its terminal whether it may do something.
//!
//! Pure. Owns which prompts of a session are open after a hook, what of a prompt may be shown, and where it is answered.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::event::Micros;
use crate::guard::{Action, Subagents};
use crate::line::one_line;
use crate::notice::Notice;
use crate::secrets;
use crate::vocabulary::Priority;
use crate::words;

/// Characters of a tool's name and of a command that are kept.
const TOOL_CHARS: usize = 64;
const COMMAND_CHARS: usize = 300;
/// Open prompts that are kept for a session. Clients queue one per parallel tool call.
const OPEN: usize = 16;

words! {
    /// What a client's notice says of its session.
    pub enum NoticeKind as "the notice" {
        /// A permission prompt or another dialog is open.
        Asking = "asking",
        /// A dialog was answered.
        Answered = "answered",
        /// The session waits for a prompt.
        Idle = "idle",
        /// Something else, which says nothing of what the session does.
        Other = "other",
    }
}

/// An open permission prompt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Prompt {
    /// The tool it is about; absent where the client does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// The command, path or address, fit to be shown: one line, without what looks like a secret.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// When it was opened, by the wall clock.
    pub since: Micros,
}

impl Prompt {
    fn is_about(&self, subject: &Subject) -> bool {
        self.tool.is_some() && (&self.tool, &self.command) == (&subject.tool, &subject.command)
    }

    /// Identifies the prompt of a session among all that were ever opened.
    pub fn key(&self, session: &str) -> String {
        format!("{session} {}", self.since)
    }
}

/// What a tool hook or a permission hook is about, as it is kept and compared.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Subject {
    tool: Option<String>,
    command: Option<String>,
}

impl Subject {
    /// Of a tool and its argument, as the client sent them. A command that holds a secret is withheld.
    pub fn new(tool: Option<&str>, command: Option<&str>) -> Self {
        let shown = |command: &str| match secrets::first(command) {
            None => one_line(command, COMMAND_CHARS),
            Some(found) => secrets::placeholder(found.kind),
        };
        Self {
            tool: tool.map(|tool| one_line(tool, TOOL_CHARS)).filter(|tool| !tool.is_empty()),
            command: command.map(shown).filter(|command| !command.is_empty()),
        }
    }
}

/// The argument of a tool call that a person needs to decide: its command line, file or address.
pub fn command_of(tool: &str, input: &Value) -> Option<String> {
    let word = |names: &[&str]| names.iter().find_map(|name| input.get(name)?.as_str()).map(str::to_owned);
    match Action::of(tool, input, Subagents::default()) {
        Action::Shell { command, .. } => Some(command),
        Action::Edit { paths } | Action::Read { paths } if !paths.is_empty() => Some(paths.join(" ")),
        _ => match input.get("command").or_else(|| input.get("cmd")) {
            Some(Value::Array(words)) => {
                Some(words.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" "))
            }
            _ => word(&["command", "cmd", "file_path", "filePath", "path", "url", "query", "pattern"]),
        },
    }
}

/// The open prompts of a session after its client opened one. A client may report one dialog by two hooks and name the
/// tool in only one of them: they are one prompt.
pub fn opened(open: &[Prompt], subject: &Subject, now: Micros) -> Vec<Prompt> {
    let mut open = open.to_vec();
    let is_known = open.iter().any(|prompt| prompt.is_about(subject));
    if is_known || (subject.tool.is_none() && !open.is_empty()) || open.len() >= OPEN {
        return open;
    }
    let Subject { tool, command } = subject.clone();
    match open.iter_mut().find(|prompt| prompt.tool.is_none()) {
        Some(unnamed) => (unnamed.tool, unnamed.command) = (tool, command),
        None => {
            let since = open.last().map_or(now, |last| now.max(last.since + 1));
            open.push(Prompt { tool, command, since });
        }
    }
    open
}

/// The open prompts of a session after a dialog was answered: without the one it is about, or without any where the client
/// does not name it.
pub fn answered(open: &[Prompt], subject: &Subject) -> Vec<Prompt> {
    without(open, subject).unwrap_or_default()
}

/// Where a tool ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RanIn {
    /// In the session's own turn.
    Turn,
    /// In a subagent, which goes on while a dialog of its parent is open.
    Subagent,
}

/// The open prompts of a session after a tool ran: without the one for that tool. Clients run other tools beside an open
/// dialog, so prompts for other tools stay. A prompt without a tool closes with the turn's next tool.
pub fn after_tool(open: &[Prompt], subject: &Subject, ran_in: RanIn) -> Vec<Prompt> {
    let goes_on =
        |prompt: &Prompt| ran_in == RanIn::Turn && (prompt.tool.is_none() || subject.tool.is_none());
    without(open, subject).unwrap_or_else(|| open.iter().filter(|prompt| !goes_on(prompt)).cloned().collect())
}

/// The prompts without the one about this subject, where there is one.
fn without(open: &[Prompt], subject: &Subject) -> Option<Vec<Prompt>> {
    let place = open.iter().position(|prompt| prompt.is_about(subject))?;
    let mut open = open.to_vec();
    open.remove(place);
    Some(open)
}

/// Where a person answers a prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// In a pane that `interagent attach` shows.
    Team {
        /// The agent's name.
        agent: String,
    },
    /// In a tmux pane of the person's own.
    Pane(String),
    /// In a terminal that is not known.
    Terminal,
}

impl Place {
    /// How to get there, in words: a command or a place.
    pub fn told(&self) -> String {
        match self {
            Self::Team { agent } => format!("interagent attach {agent}"),
            Self::Pane(pane) => format!("in tmux pane {pane}"),
            Self::Terminal => "in its terminal".to_owned(),
        }
    }

    /// The command that opens the place, or else the one that shows which agents wait.
    pub fn command(&self) -> String {
        match self {
            Self::Team { .. } => self.told(),
            Self::Pane(_) | Self::Terminal => "interagent status".to_owned(),
        }
    }
}

/// A permission prompt that waits for the person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PermissionAsked {
    /// Identifies it among all prompts.
    pub key: String,
    /// The agent whose client asks, as shown.
    pub agent: String,
    /// In which project.
    pub project: String,
    /// What it asks.
    pub prompt: Prompt,
    /// Where it is answered.
    pub place: Place,
}

/// The notice of a permission prompt. The command stays on the machine; the tool may leave it.
pub fn of_permission(asked: &PermissionAsked) -> Notice {
    let PermissionAsked { key, agent, project, prompt, place } = asked;
    let tool = prompt.tool.as_deref().unwrap_or("A dialog is open.");
    let answer = format!("Answer: {}", place.told());
    let detail = prompt.command.as_ref().map(|command| format!("{tool}: {command}\n{answer}"));
    Notice {
        title: format!("{}: {} is waiting for your permission", one_line(project, 60), one_line(agent, 64)),
        text: format!("{tool}\n{answer}"),
        detail,
        priority: Priority::High,
        about: None,
        key: Some(key.clone()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn shell(command: &str) -> Subject {
        Subject::new(Some("Bash"), Some(command))
    }

    #[test]
    fn one_dialog_reported_twice_is_one_prompt() {
        let unnamed = Subject::default();
        for hooks in [[shell("make"), unnamed.clone()], [unnamed, shell("make")]] {
            let first = opened(&[], &hooks[0], 7);
            let both = opened(&first, &hooks[1], 9);
            assert_eq!(both, [Prompt { tool: Some("Bash".into()), command: Some("make".into()), since: 7 }]);
            assert_eq!(opened(&both, &hooks[1], 11), both, "a repeated hook changes nothing");
        }
    }

    #[test]
    fn queued_prompts_close_one_by_one() {
        let first = opened(&[], &shell("make"), 7);
        let both = opened(&first, &shell("make test"), 7);
        assert_eq!(both.iter().map(|prompt| prompt.since).collect::<Vec<_>>(), [7, 8]);
        assert_eq!(after_tool(&both, &shell("make"), RanIn::Turn), both[1..]);
        assert_eq!(answered(&both, &shell("make")), both[1..]);
        assert_eq!(answered(&both, &Subject::default()), [], "the client does not say which");
    }

    #[test]
    fn other_tool_leaves_prompt_open() {
        let asked = opened(&[], &shell("make"), 7);
        let read = Subject::new(Some("Read"), Some("src/a.rs"));
        assert_eq!(after_tool(&asked, &read, RanIn::Turn), asked);
        assert_eq!(after_tool(&asked, &shell("ls"), RanIn::Turn), asked);
        let unnamed = opened(&[], &Subject::default(), 7);
        assert_eq!(after_tool(&unnamed, &read, RanIn::Turn), [], "the turn goes on");
        assert_eq!(after_tool(&unnamed, &read, RanIn::Subagent), unnamed);
        assert_eq!(after_tool(&asked, &Subject::default(), RanIn::Turn), []);
    }

    #[test]
    fn a_prompt_shows_no_secret_and_no_escape_sequence() {
        let secret = ["ghp", "16C7e42F292c6912E7710c838347Ae178B4a"].join("_");
        let subject = shell(&format!("curl -d {secret} x"));
        assert_eq!(subject.command.unwrap(), "[held back: looks like a GitHub token]");
        let hostile = Subject::new(Some("Pa\u{1b}[2Jsh\n"), Some("echo \u{7}hi\nthere \u{202e}x"));
        assert_eq!(
            (hostile.tool.unwrap().as_str(), hostile.command.unwrap().as_str()),
            ("Pa[2Jsh", "echo hi there x")
        );
    }

    #[test]
    fn the_command_stays_on_the_machine() {
        let prompt = opened(&[], &shell("cargo test"), 7).remove(0);
        let place = Place::Team { agent: "kimi".into() };
        let asked = PermissionAsked {
            key: prompt.key("s"),
            agent: "kimi".into(),
            project: "shop".into(),
            prompt,
            place,
        };
        let notice = of_permission(&asked);
        insta::assert_snapshot!(format!("{}\n{}\n--\n{}", notice.title, notice.text, notice.whole()), @r"
        shop: kimi is waiting for your permission
        Bash
        Answer: interagent attach kimi
        --
        Bash: cargo test
        Answer: interagent attach kimi
        ");
    }

    #[test]
    fn the_argument_that_matters_is_found_in_every_clients_words() {
        for (tool, input, wanted) in [
            ("Bash", json!({ "command": "cargo test", "description": "x" }), Some("cargo test")),
            ("shell", json!({ "command": ["git", "push"] }), Some("git push")),
            ("Write", json!({ "file_path": "/p/a.rs", "content": "x" }), Some("/p/a.rs")),
            ("WebFetch", json!({ "url": "https://example.org" }), Some("https://example.org")),
            ("mcp__x__y", json!({ "n": 1 }), None),
        ] {
            assert_eq!(command_of(tool, &input).as_deref(), wanted, "{tool}");
        }
    }
}
