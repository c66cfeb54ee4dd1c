//! Codex.

use std::path::Path;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use super::{Client, Settings, Shows, Terminal, call, words};
use crate::clients::{Stage, Turn};

#[derive(Debug)]
pub(super) struct Codex;

impl Client for Codex {
    fn name(&self) -> &'static str {
        "codex"
    }

    fn title(&self) -> &'static str {
        "Codex"
    }

    fn shows(&self) -> Shows {
        Shows::Document
    }

    fn variables(&self, _stage: &Stage<'_>) -> Vec<(&'static str, String)> {
        vec![("OPENAI_API_KEY", "dummy".to_owned())]
    }

    fn settings(&self, stage: &Stage<'_>) -> Vec<(String, Settings)> {
        // A JSON string is a TOML string too.
        let project = json!(stage.project());
        let config = format!(
            r#"
model = "gpt-5.4"
model_provider = "mock"
approval_policy = "never"
check_for_update_on_startup = false
[model_providers.mock]
name = "mock"
base_url = "{}"
env_key = "OPENAI_API_KEY"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0
[projects.{project}]
trust_level = "trusted"
[analytics]
enabled = false
[feedback]
enabled = false
"#,
            stage.openai_url()
        );
        vec![("~/.codex/config.toml".to_owned(), Settings::Text(config))]
    }

    fn arguments(&self, prompt: &str) -> Vec<String> {
        words(["exec", "--json", "--skip-git-repo-check", prompt])
    }

    fn terminal(&self, _stage: &Stage<'_>) -> Terminal {
        Terminal {
            arguments: Vec::new(),
            // It draws the line to type in before its server is there; the model's name below it comes with that.
            ready: |screen| screen.contains("› ") && screen.contains(" default · "),
            busy: |screen| screen.contains("esc to interrupt"),
            dialogs: &[
                ("Trust this folder?", &["Enter"]),
                // The number chooses "Trust all and continue".
                ("Hooks need review", &["2", "Enter"]),
            ],
            clear: "/new",
            compact: "/compact",
        }
    }

    /// Its background server lives on after the last session.
    fn leave(&self, home: &Path) {
        let directory = home.join(".codex/app-server-daemon");
        for file in ["daemon-updater.pid", "daemon.pid"] {
            let text = std::fs::read_to_string(directory.join(file)).unwrap_or_default();
            let noted: Value = serde_json::from_str(&text).unwrap_or_default();
            let Some(pid) = noted["pid"].as_i64() else { continue };
            // Only while the number is still that process's: it works in this home.
            let line = std::fs::read_to_string(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            let is_ours = line.contains(home.to_str().unwrap_or("\0")) && line.contains("app-server");
            if let Some(pid) = i32::try_from(pid).ok().and_then(Pid::from_raw).filter(|_| is_ours) {
                let _ = kill_process(pid, Signal::KILL);
            }
        }
    }

    fn shell(&self, command: &str) -> Turn {
        call("exec_command", json!({ "cmd": command }))
    }

    fn write(&self, path: &Path, content: &str) -> Turn {
        self.shell(&format!("cat > '{}' <<'END'\n{content}\nEND", path.display()))
    }
}
