//! hcom, our nearest peer, measured beside us in the same run.
//!
//! Facts (hcom 0.7.31 from PyPI, a native program): its data is `$HCOM_DIR/hcom.db`, SQLite in WAL mode
//! with synchronous FULL; `hcom start --as NAME` registers an agent without any AI tool; `hcom send @NAME
//! --from X --json -- TEXT` is a send from outside; reading without waiting is `hcom list --json` (unread
//! counts) or `hcom events --mention NAME` (texts), while `hcom listen` blocks at least a second when there
//! is nothing; the hook of a bound codex session, `hcom codex-posttooluse`, prints nothing when there is no
//! mail and the message when there is. The version is not pinned: the newest one is the one to beat.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::baselines::Baselines;
use crate::Result;
use crate::repo::stdout_of;

const AGENT: &str = "luna";

/// What the client writes to the hook's standard input after a tool call.
const HOOK_INPUT: &str = r#"{"session_id":"bench-session","hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{"command":"true"},"tool_response":{},"cwd":"/","transcript_path":""}"#;

#[derive(Debug)]
pub(crate) struct Hcom {
    program: PathBuf,
    folder: PathBuf,
    pub(crate) version: String,
}

impl Hcom {
    /// A store of its own with so many messages that are read, and one agent with a bound session.
    pub(crate) fn prepare(
        program: PathBuf,
        folder: &Path,
        messages: u64,
        baselines: &Baselines,
    ) -> Result<Self> {
        std::fs::create_dir_all(folder).map_err(|why| format!("cannot make {}: {why}", folder.display()))?;
        let mut hcom = Self { program, folder: folder.to_owned(), version: String::new() };
        hcom.version = stdout_of(&mut hcom.command(&["--version"]))?.trim().to_owned();
        stdout_of(&mut hcom.command(&["start", "--as", AGENT]))?;
        let input = hcom.folder.join("hook.json");
        std::fs::write(&input, HOOK_INPUT)
            .map_err(|why| format!("cannot write {}: {why}", input.display()))?;
        stdout_of(
            baselines
                .command("hcom-seed")
                .arg(hcom.folder.join("hcom.db"))
                .args([&messages.to_string(), AGENT]),
        )?;
        hcom.prove_hook()?;
        Ok(hcom)
    }

    pub(crate) fn send(&self) -> Command {
        self.command(&[
            "send",
            &format!("@{AGENT}"),
            "--from",
            "bench",
            "--json",
            "--",
            "a message of ordinary length",
        ])
    }

    pub(crate) fn list(&self) -> Command {
        self.command(&["list", "--json"])
    }

    pub(crate) fn events(&self) -> Command {
        self.command(&["events", "--type", "message", "--mention", AGENT, "--last", "20"])
    }

    pub(crate) fn idle_hook(&self) -> Result<Command> {
        let mut command = self.command(&["codex-posttooluse"]);
        let path = self.folder.join("hook.json");
        let input = File::open(&path).map_err(|why| format!("cannot read {}: {why}", path.display()))?;
        command.env("HCOM_PROCESS_ID", "bench-process").env("HCOM_LAUNCHED", "1").stdin(input);
        Ok(command)
    }

    /// The hook must hand over a message and then be silent; otherwise we would time a hook that does nothing.
    fn prove_hook(&self) -> Result<()> {
        stdout_of(&mut self.send())?;
        let handed_over = stdout_of(&mut self.idle_hook()?)?;
        let silent = stdout_of(&mut self.idle_hook()?)?;
        if handed_over.contains("ordinary length") && !silent.contains("ordinary length") {
            return Ok(());
        }
        Err(format!("{}: its hook did not hand over a message as expected", self.version))
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        command.args(arguments).env("HCOM_DIR", &self.folder).env("HOME", &self.folder).stdin(Stdio::null());
        // Variables of a surrounding hcom session would change who we are.
        command.env_remove("HCOM_PROCESS_ID").env_remove("HCOM_LAUNCHED").env_remove("HCOM_INSTANCE_NAME");
        command
    }
}
