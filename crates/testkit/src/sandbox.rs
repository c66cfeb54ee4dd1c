//! The program in a world of its own: an empty home, an empty project, and no variable but those a test sets.
//!
//! Owns running the binary and making its output comparable. Nothing of the machine shines through, except that a
//! controlling terminal is inherited: do not compare how the operator was recognised.

use std::collections::HashMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use tempfile::TempDir;

use crate::terminal::{Size, on_terminal, run_on_terminal};

/// Characters of the random part of an id.
const ID_CHARS: usize = 12;

/// What begins an id for certain; one in a hundred has no digit that would give it away.
const NOUNS: [&str; 6] = ["agt", "msg", "task", "rev", "dec", "lease"];

const IMPATIENT: &str = r#"
project = "demo"
formation = "captain"

[agents.captain]
profile = "claude"
role = "captain"

[agents.vice]
profile = "claude"
role = "vice_captain"

[agents.ann]
profile = "kimi"
role = "member"

[agents.bob]
profile = "kimi"
role = "member"

[agents.kim]
profile = "kimi"
role = "member"

[ladder]
wake_s = 1
next_channel_s = 2
reset_s = 3
superior_s = 4
"#;

/// A home and a project in a temporary directory.
#[derive(Debug)]
pub struct Sandbox {
    root: TempDir,
    program: PathBuf,
    /// The first process above the program that it does not look at.
    ancestors_end: u32,
}

impl Default for Sandbox {
    fn default() -> Self {
        Self::new()
    }
}

impl Sandbox {
    /// Empty, with the binary that was built beside the running test.
    pub fn new() -> Self {
        let test = std::env::current_exe().unwrap();
        let program = test.ancestors().nth(2).unwrap().join("interagent");
        assert!(program.is_file(), "build it first: cargo build -p interagent ({})", program.display());
        Self::of(&program, &std::env::temp_dir())
    }

    /// Empty, below a certain directory, with a certain binary.
    pub fn of(program: &Path, below: &Path) -> Self {
        let root = tempfile::tempdir_in(below).unwrap();
        std::fs::create_dir(root.path().join("home")).unwrap();
        std::fs::create_dir(root.path().join("project")).unwrap();
        // The tests themselves may have been started by an agent, which then would be the caller.
        Self { root, program: program.to_owned(), ancestors_end: std::process::id() }
    }

    /// Lets the program see the test itself, as the client that started it.
    #[must_use]
    pub fn below_this_test(mut self) -> Self {
        self.ancestors_end = std::os::unix::process::parent_id();
        self
    }

    /// With the hub of the usual duo, claude and kimi.
    pub fn with_team() -> Self {
        let sandbox = Self::new();
        sandbox.run(&["init"]).success();
        sandbox
    }

    /// With a captain's team whose ladder takes seconds: captain, vice, and the members ann, bob and kim.
    pub fn with_impatient_team() -> Self {
        let sandbox = Self::new();
        sandbox.run(&["init", "--formation", "captain"]).success();
        std::fs::write(sandbox.hub().join("team.toml"), IMPATIENT).unwrap();
        sandbox.run(&["team", "take"]).success();
        sandbox
    }

    /// The home directory.
    pub fn home(&self) -> PathBuf {
        self.root.path().join("home")
    }

    /// The project, where commands start.
    pub fn project(&self) -> PathBuf {
        self.root.path().join("project")
    }

    /// The hub's directory of the project.
    pub fn hub(&self) -> PathBuf {
        self.project().join(".interagent")
    }

    /// Kills whoever supervises here with SIGKILL, and waits until its place is free: its threads end one after the other.
    pub fn kill_supervisor(&self, pid: Pid) {
        let _ = kill_process(pid, Signal::KILL);
        let place = std::fs::File::open(self.hub().join("state/supervisor"));
        let until = Instant::now() + Duration::from_secs(20);
        while place.as_ref().is_ok_and(|place| place.try_lock_shared().is_err()) && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Runs a command as the operator.
    pub fn run(&self, arguments: &[&str]) -> Output {
        self.start().run(arguments)
    }

    /// The answer of a command as the operator.
    pub fn json(&self, arguments: &[&str]) -> Value {
        self.start().json(arguments)
    }

    /// Prepares a run as an agent.
    pub fn as_agent(&self, name: &str) -> Run<'_> {
        self.start().env("INTERAGENT_AGENT", name)
    }

    /// Prepares a run as the operator at a terminal, for what needs the proof. Its streams are still pipes.
    pub fn operator(&self) -> Run<'_> {
        Run { is_seated: true, ..self.start() }
    }

    /// Prepares a run.
    pub fn start(&self) -> Run<'_> {
        let home = self.home().display().to_string();
        let ancestors_end = self.ancestors_end.to_string();
        let variables = [
            // Keep the developer's own tmux server out of the sandbox.
            ("TMUX_TMPDIR", home.clone()),
            ("HOME", home),
            ("TZ", "UTC".to_owned()),
            ("INTERAGENT_ANCESTORS_END", ancestors_end),
        ];
        let variables = variables.map(|(name, value)| (name.to_owned(), value)).into();
        Run { sandbox: self, variables, directory: self.project(), stdin: Vec::new(), is_seated: false }
    }
}

/// A run of the program that is being prepared.
#[derive(Debug, Clone)]
pub struct Run<'a> {
    sandbox: &'a Sandbox,
    variables: HashMap<String, String>,
    directory: PathBuf,
    stdin: Vec<u8>,
    /// It has a controlling terminal of its own.
    is_seated: bool,
}

impl Run<'_> {
    /// Sets a variable.
    #[must_use]
    pub fn env(mut self, name: &str, value: &str) -> Self {
        self.variables.insert(name.to_owned(), value.to_owned());
        self
    }

    /// Takes a variable away.
    #[must_use]
    pub fn without(mut self, name: &str) -> Self {
        self.variables.remove(name);
        self
    }

    /// Gives it a controlling terminal, though its streams are pipes: the operator is proven.
    #[must_use]
    pub fn seated(mut self) -> Self {
        self.is_seated = true;
        self
    }

    /// Starts it in another directory.
    #[must_use]
    pub fn within(mut self, directory: &Path) -> Self {
        self.directory = directory.to_owned();
        self
    }

    /// Gives it something to read.
    #[must_use]
    pub fn stdin(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.stdin = bytes.into();
        self
    }

    /// The process, for tests that need more than its output.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.sandbox.program);
        command.args(arguments).env_clear().envs(&self.variables).current_dir(&self.directory);
        command
    }

    /// The program below another one, which runs what it is given.
    pub fn below(&self, mut outer: Command, arguments: &[&str]) -> Command {
        outer.arg(&self.sandbox.program).args(arguments);
        outer.env_clear().env("PATH", "/usr/bin:/bin").envs(&self.variables).current_dir(&self.directory);
        outer
    }

    /// Runs it as a person does, at a terminal of their own: how it ended, and what the person saw.
    pub fn at_a_terminal(&self, arguments: &[&str]) -> (i32, String) {
        self.answered_at_a_terminal(arguments, "")
    }

    /// The same with what the person types.
    pub fn answered_at_a_terminal(&self, arguments: &[&str], typed: &str) -> (i32, String) {
        self.answered_on(Size { rows: 24, columns: 80 }, arguments, typed)
    }

    /// The same on a terminal of this size.
    pub fn answered_on(&self, size: Size, arguments: &[&str], typed: &str) -> (i32, String) {
        let mut seated = Command::new("/usr/bin/setsid");
        seated.args(["--wait", "--ctty"]);
        let mut command = self.below(seated, arguments);
        command.env("TERM", "xterm");
        run_on_terminal(command, size, typed)
    }

    /// A shell in which the program is found by its name.
    pub fn shell(&self, line: &str) -> Command {
        let mut command = Command::new("/bin/sh");
        let programs = self.sandbox.program.parent().unwrap();
        let path = format!("{}:/usr/local/bin:/usr/bin:/bin", programs.display());
        command
            .args(["-c", line])
            .env_clear()
            .envs(&self.variables)
            .env("PATH", path)
            .current_dir(&self.directory);
        command
    }

    /// Runs a line as [`Run::shell`] does, with a controlling terminal that is none of its streams.
    pub fn shell_at_a_terminal(&self, line: &str) -> std::process::Output {
        let inner = self.shell(line);
        let mut command = Command::new("/usr/bin/setsid");
        command.args(["--wait", "--ctty", "/bin/sh", "-c", "exec \"$0\" \"$@\" < /dev/null"]);
        command.arg(inner.get_program()).args(inner.get_args()).env_clear().current_dir(&self.directory);
        command.envs(inner.get_envs().filter_map(|(name, value)| Some((name, value?))));
        let (_terminal, child) = on_terminal(command);
        child.wait_with_output().unwrap()
    }

    /// Runs it to its end.
    pub fn run(&self, arguments: &[&str]) -> Output {
        if self.is_seated {
            return self.run_seated(arguments);
        }
        let mut command = self.command(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        // A program that does not read its input may close it early; that is its right.
        let _ = child.stdin.take().unwrap().write_all(&self.stdin);
        self.output(child.wait_with_output().unwrap())
    }

    /// Runs it as the leader of a session whose terminal is not one of its streams.
    fn run_seated(&self, arguments: &[&str]) -> Output {
        let mut read = tempfile::NamedTempFile::new().unwrap();
        read.write_all(&self.stdin).unwrap();
        let script = format!("exec \"$0\" \"$@\" < '{}'", read.path().display());
        let mut command = Command::new("/usr/bin/setsid");
        command.args(["--wait", "--ctty", "/bin/sh", "-c", &script]).arg(&self.sandbox.program);
        command.args(arguments).env_clear().envs(&self.variables).current_dir(&self.directory);
        let (_terminal, child) = on_terminal(command);
        self.output(child.wait_with_output().unwrap())
    }

    fn output(&self, done: std::process::Output) -> Output {
        Output {
            status: done.status.code().unwrap_or(-1),
            stdout: String::from_utf8(done.stdout).unwrap(),
            stderr: String::from_utf8(done.stderr).unwrap(),
            root: self.sandbox.root.path().to_owned(),
        }
    }

    /// Runs it with `--json` and gives the answer.
    pub fn json(&self, arguments: &[&str]) -> Value {
        let mut arguments = arguments.to_vec();
        arguments.push("--json");
        let output = self.run(&arguments).success();
        let document: Value = serde_json::from_str(&output.stdout).unwrap();
        assert_eq!(document["schema"], 1, "{document}");
        document["answer"].clone()
    }
}

/// How a run ended.
#[derive(Debug, Clone)]
pub struct Output {
    /// The exit code; -1 after a signal.
    pub status: i32,
    /// Everything on standard output.
    pub stdout: String,
    /// Everything on standard error.
    pub stderr: String,
    root: PathBuf,
}

impl Output {
    /// Fails the test unless the program ended with 0.
    #[track_caller]
    pub fn success(self) -> Self {
        assert_eq!(self.status, 0, "{}{}", self.stdout, self.stderr);
        self
    }

    /// Both streams and the exit code, with everything replaced that differs from run to run.
    pub fn shown(&self) -> String {
        let mut shown = masked(&self.stdout, &self.root);
        if !self.stderr.is_empty() {
            shown.push_str(&format!("--- stderr\n{}", masked(&self.stderr, &self.root)));
        }
        if self.status != 0 {
            shown.push_str(&format!("--- exit {}\n", self.status));
        }
        shown
    }
}

/// Ids become numbers in the order they appear, ages one word, and paths begin at the sandbox. Runs of spaces shrink
/// to two, because the width of a column follows from what is replaced.
fn masked(text: &str, root: &Path) -> String {
    let text = text.replace(&root.display().to_string(), "[sandbox]");
    let mut ids = Vec::new();
    let lines: Vec<String> = text.lines().map(|line| without_ages(&without_ids(line, &mut ids))).collect();
    let mut masked = lines.join("\n");
    if text.ends_with('\n') {
        masked.push('\n');
    }
    masked
}

fn without_ids(line: &str, ids: &mut Vec<String>) -> String {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '-';
    let mut masked = String::new();
    let mut rest = line;
    while !rest.is_empty() {
        let word_end = rest.find(|c: char| !is_word(c)).unwrap_or(rest.len());
        let (word, after) = rest.split_at(word_end);
        match word.split_once('-') {
            Some((noun, random)) if is_id(noun, random) => {
                let number = ids.iter().position(|id| id == word).unwrap_or_else(|| {
                    ids.push(word.to_owned());
                    ids.len() - 1
                });
                masked.push_str(&format!("{noun}-{}", number + 1));
            }
            _ => masked.push_str(word),
        }
        let mut characters = after.chars();
        masked.extend(characters.next());
        rest = characters.as_str();
    }
    masked
}

fn is_id(noun: &str, random: &str) -> bool {
    !noun.is_empty()
        && random.len() == ID_CHARS
        && random.chars().all(|c| c.is_ascii_digit() || c.is_ascii_lowercase())
        && (NOUNS.contains(&noun) || random.chars().any(|c| c.is_ascii_digit()))
}

fn without_ages(line: &str) -> String {
    let line = line.replace("just now", "[ago]");
    let words: Vec<&str> = line.split(' ').collect();
    let mut kept: Vec<&str> = Vec::new();
    let mut index = 0;
    while let Some(word) = words.get(index) {
        let is_age = word.parse::<u32>().is_ok()
            && matches!(words.get(index + 1), Some(&("s" | "min")))
            && words.get(index + 2).is_some_and(|word| word.starts_with("ago"));
        kept.push(if is_age { "[ago]" } else { word });
        index += if is_age { 3 } else { 1 };
    }
    let mut line = kept.join(" ");
    while line.contains("   ") {
        line = line.replace("   ", "  ");
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_from_run_to_run_is_replaced() {
        let text = "msg-7k3m9zyx0a1b  to  msg-aaaabbbbcccc,     msg-7k3m9zyx0a1b 3 s ago  just now /tmp/x/home the-quick\n";
        let wanted = "msg-1  to  msg-2,  msg-1 [ago]  [ago] [sandbox]/home the-quick\n";
        assert_eq!(masked(text, Path::new("/tmp/x")), wanted);
    }
}
