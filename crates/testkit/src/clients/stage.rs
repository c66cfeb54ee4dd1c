//! One client in a world of its own: configuration files, an empty environment, the scripted model, a time limit.

use std::cell::RefCell;
use std::io::Write as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::adapters::{Client, Settings, Terminal};
use super::manual::{self, Section};
use super::session::Session;
use super::tmux::Pane;
use super::{Installed, Manual, MockModel, Network, Turn};
use crate::Sandbox;
use crate::sandbox::Run;

/// How long one run of a client may take. They need seconds.
const PATIENCE: Duration = Duration::from_secs(75);

/// How much of what a client said is shown when its test fails.
const LAST_WORDS_BYTES: usize = 8_000;

/// Where each test leaves a note of what it did, for whoever wants to know that it was done.
const RECORDS_VARIABLE: &str = "INTERAGENT_CLIENT_RECORDS";

/// How the client reaches our server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Server {
    /// As whoever prepared its project wrote.
    AsPrepared,
    /// It starts it.
    Stdio,
    /// It runs already.
    Http {
        /// Where.
        url: String,
        /// What proves that the client may come in.
        token: String,
    },
}

/// A client, ready to run.
#[derive(Debug)]
pub struct Stage<'a> {
    client: &'static dyn Client,
    server: Server,
    installed: Installed,
    sandbox: &'a Sandbox,
    model: MockModel,
    exercise: RefCell<Exercise>,
    manner: Manner,
    /// What starts the client at a terminal, with its words behind.
    starter: Vec<String>,
}

/// Where and how one of several sessions of a client is started.
#[derive(Debug, Clone, Default)]
pub struct Place {
    /// The project where it is not said.
    pub directory: Option<PathBuf>,
    /// Beside those that every session has.
    pub variables: Vec<(String, String)>,
    /// Behind those that the adapter has.
    pub arguments: Vec<String>,
}

impl Place {
    /// In this directory.
    pub fn of(directory: &Path) -> Self {
        Self { directory: Some(directory.to_owned()), ..Self::default() }
    }

    /// With this variable.
    #[must_use]
    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.variables.push((name.to_owned(), value.to_owned()));
        self
    }
}

/// What a client does before its tools do something, at a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Manner {
    AsksNobody,
    Asks,
    /// As it is installed.
    Default,
}

/// By what the adapters have their clients ask nobody.
const ASKS_NOBODY: [&str; 5] =
    ["--yolo", "--allow-all", "--auto", "--allowedTools", "Bash,Write,mcp__interagent"];

/// What was done with a client.
#[derive(Debug, Default)]
struct Exercise {
    terminals: u32,
    runs: u32,
    requests: usize,
    took: Duration,
}

impl<'a> Stage<'a> {
    /// Configures a client as the manual says, for a project of the sandbox.
    pub fn new(client: &'static dyn Client, sandbox: &'a Sandbox, manual: &Manual, server: Server) -> Self {
        let mut stage = Self::prepared(client, sandbox);
        stage.server = server;
        stage.configure(manual);
        stage
    }

    /// A client that knows its model and nothing of us, for a project of the sandbox.
    pub fn prepared(client: &'static dyn Client, sandbox: &'a Sandbox) -> Self {
        let installed = Installed::find(client.name());
        let model = MockModel::start().unwrap();
        let exercise = RefCell::default();
        let manner = Manner::AsksNobody;
        let (server, starter) = (Server::AsPrepared, Vec::new());
        let stage = Self { client, server, installed, sandbox, model, exercise, manner, starter };
        for directory in [stage.programs(), stage.temporary()] {
            std::fs::create_dir_all(directory).unwrap();
        }
        // The manual writes the program without its path: the client has to find it.
        let program = sandbox.start().command(&[]).get_program().to_owned();
        let link = stage.programs().join("interagent");
        if !link.exists() {
            std::os::unix::fs::symlink(program, link).unwrap();
        }
        // Whoever looks for clients on this machine finds this one.
        let client_link = stage.programs().join(stage.installed.program.file_name().unwrap());
        if !client_link.exists() {
            std::os::unix::fs::symlink(&stage.installed.program, client_link).unwrap();
        }
        stage.write(stage.client.settings(&stage));
        stage
    }

    /// The client's version, as its registry counts.
    pub fn version(&self) -> &str {
        &self.installed.version
    }

    /// The model the client speaks to.
    pub fn model(&self) -> &MockModel {
        &self.model
    }

    /// From now on the client asks its person before a tool of it does something.
    pub fn ask_before_tools(&mut self) {
        self.manner = Manner::Asks;
        // Those whose adapters say it in a file.
        let files = [
            (".kimi-code/config.toml", "\"yolo\"", "\"manual\""),
            (".codex/config.toml", "approval_policy = \"never\"", "approval_policy = \"on-request\""),
        ];
        for (name, asks_nobody, asks) in files {
            self.rewrite(name, |text| text.replace(asks_nobody, asks));
        }
    }

    /// From now on the client is what its user installed and never used: started without options, it trusts no folder, server or
    /// hook, and asks before its tools do something. [`Self::open`] gives the answers of a person who agrees.
    pub fn never_used(&mut self) {
        self.manner = Manner::Default;
        let agreed = ["projects", "enableAllProjectMcpServers"];
        for name in [".claude.json", ".claude/settings.json"] {
            self.rewrite(name, |text| {
                let mut settings: Value = serde_json::from_str(&text).unwrap();
                agreed.iter().for_each(|key| drop(settings.as_object_mut().unwrap().remove(*key)));
                format!("{settings:#}\n")
            });
        }
        for name in [".codex/config.toml", ".kimi-code/config.toml"] {
            let agreed = ["approval_policy", "default_permission_mode", "[projects.", "trust_level"];
            let is_kept = |line: &&str| !agreed.iter().any(|start| line.starts_with(start));
            self.rewrite(name, |text| text.lines().filter(is_kept).map(|line| format!("{line}\n")).collect());
        }
    }

    /// Changes a file of the home, where it is there.
    fn rewrite(&self, name: &str, change: impl Fn(String) -> String) {
        let path = self.sandbox.home().join(name);
        if let Ok(text) = std::fs::read_to_string(&path) {
            std::fs::write(path, change(text)).unwrap();
        }
    }

    /// From now on the client is started at a terminal by these words, with its own behind them.
    pub fn start_by(&mut self, words: &[&str]) {
        self.starter = words.iter().map(ToString::to_string).collect();
    }

    /// Has the client work on a prompt while the model plays a script, to its end.
    pub fn run(&self, prompt: &str, script: Vec<Turn>) {
        self.model.play(script);
        let began = Instant::now();
        let output = std::fs::File::create(self.log()).unwrap();
        let mut command = Command::new(&self.installed.program);
        command.args(self.client.arguments(prompt)).env_clear().envs(self.variables());
        command.current_dir(self.sandbox.project()).process_group(0);
        command.stdin(Stdio::null()).stdout(output.try_clone().unwrap()).stderr(output);
        let mut child = command.spawn().unwrap_or_else(|why| panic!("cannot start {command:?}: {why}"));
        let ended = wait(&mut child, PATIENCE);
        let took = began.elapsed();
        if !ended.is_some_and(|status| status.success()) {
            let how = ended.map_or(format!("was still running after {took:?}"), |status| status.to_string());
            panic!("{} {how}", self.client.name());
        }
        self.was_used(took);
    }

    /// Leaves a note that the client was exercised, where somebody asked for it.
    pub fn record(&self, network: &Network) {
        let way = match &self.server {
            Server::AsPrepared => "prepared",
            Server::Stdio => "stdio",
            Server::Http { .. } => "http",
        };
        self.record_as(way, network, &Value::Null);
    }

    /// The same for another way to exercise it, with what was found.
    pub fn record_as(&self, way: &str, network: &Network, found: &Value) {
        let Some(directory) = std::env::var_os(RECORDS_VARIABLE) else { return };
        let Exercise { runs, requests, took, .. } = &*self.exercise.borrow();
        let mut record = serde_json::json!({ "version": self.installed.version, "runs": runs,
            "requests": requests, "seconds": took.as_secs_f64(), "found": found });
        if let Network::Shared(why) = network {
            record["shared_network"] = Value::from(why.as_str());
        }
        let name = format!("{}-{way}.json", self.client.name());
        std::fs::write(PathBuf::from(directory).join(name), record.to_string()).unwrap();
    }

    /// Prepares a run of our program where the client is found, as whoever uses both would call it.
    pub fn product(&self) -> Run<'a> {
        self.variables().iter().fold(self.sandbox.start(), |run, (name, value)| run.env(name, value))
    }

    /// Starts the client at a terminal.
    pub fn open(&self) -> Session<'_, 'a> {
        Session::start(self, &Place::default())
    }

    /// Starts the client at a terminal, and answers nothing that it may ask.
    pub fn begin(&self) -> Session<'_, 'a> {
        Session::begin(self, &Place::default())
    }

    /// Writes files of the client, below `~` or in the project; what its adapter needs is kept.
    pub fn configure_with(&self, more: Vec<(String, Settings)>) {
        let mut files = self.client.settings(self);
        for (path, settings) in more {
            match files.iter_mut().find(|(own, _)| *own == path) {
                Some((_, own)) => own.merge(settings),
                None => files.push((path, settings)),
            }
        }
        self.write(files);
    }

    fn configure(&self, manual: &Manual) {
        let mut shown = manual.files(Section::Configuration, self.client.title());
        if let Server::Http { url, token } = &self.server {
            // What the part on HTTP does not mention, such as a permission rule, is as it was.
            let over_http = manual.files(Section::Http, self.client.title());
            shown.retain(|(path, _)| over_http.iter().all(|(other, _)| other != path));
            let places = [(manual::ADDRESS, url.as_str()), (manual::TOKEN, token.as_str())];
            shown.extend(over_http.iter().map(|(path, settings)| (path.clone(), settings.fill_in(&places))));
        }
        self.configure_with(shown);
    }

    fn write(&self, files: Vec<(String, Settings)>) {
        for (path, settings) in files {
            let path = match path.strip_prefix("~/") {
                Some(below_home) => self.sandbox.home().join(below_home),
                None => self.sandbox.project().join(path),
            };
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, settings.text()).unwrap();
        }
    }

    /// Starts one of several sessions of the client, and waits until one can type.
    pub fn open_at(&self, place: &Place) -> Session<'_, 'a> {
        Session::start(self, place)
    }

    pub(super) fn open_terminal(&self, place: &Place) -> (Terminal, Pane) {
        let terminal = self.client.terminal(self);
        let mut program = self.starter.clone();
        program.push(self.installed.program.display().to_string());
        let says = |word: &&String| match self.manner {
            Manner::AsksNobody => true,
            Manner::Asks => !ASKS_NOBODY.contains(&word.as_str()),
            Manner::Default => false,
        };
        program.extend(terminal.arguments.iter().filter(says).cloned());
        program.extend(place.arguments.iter().cloned());
        // Several sessions of one client are several terminals.
        let number = {
            let mut exercise = self.exercise.borrow_mut();
            exercise.terminals += 1;
            exercise.terminals
        };
        let socket = self.sandbox.home().join(format!("{}-{number}.tmux", self.client.name()));
        let directory = place.directory.clone().unwrap_or_else(|| self.sandbox.project());
        let mut variables = self.variables();
        variables.extend(place.variables.iter().cloned());
        let pane = Pane::start(&socket, &directory, &variables, &program);
        (terminal, pane)
    }

    /// Counts a run or a session that ended, also one that somebody else started in this world.
    pub fn was_used(&self, took: Duration) {
        let mut exercise = self.exercise.borrow_mut();
        exercise.runs += 1;
        exercise.took += took;
        exercise.requests += self.model.conversations().len();
    }

    pub(super) fn name(&self) -> &'static str {
        self.client.name()
    }

    /// Nothing of this process but what a client cannot do without.
    fn variables(&self) -> Vec<(String, String)> {
        let system = ["/usr/local/bin", "/usr/bin", "/bin"].map(PathBuf::from);
        let path = [self.programs()].into_iter().chain(self.installed.path.clone()).chain(system);
        let path = std::env::join_paths(path).unwrap().into_string().unwrap();
        let mut variables = vec![
            ("HOME", self.sandbox.home().display().to_string()),
            ("PATH", path),
            ("TMPDIR", self.temporary().display().to_string()),
            ("LANG", "C.UTF-8".to_owned()),
            ("SHELL", "/bin/sh".to_owned()),
            ("TERM", "xterm-256color".to_owned()),
        ];
        if let Server::Http { token, .. } = &self.server {
            variables.push((manual::TOKEN_VARIABLE, token.clone()));
        }
        variables.extend(self.client.variables(self));
        variables.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }

    /// The project, as text for configuration files.
    pub(super) fn project(&self) -> String {
        self.sandbox.project().display().to_string()
    }

    /// A file of the home, as text for command lines.
    pub(super) fn below_home(&self, name: &str) -> String {
        self.sandbox.home().join(name).display().to_string()
    }

    /// The model's address, as clients of OpenAI's protocols want it.
    pub(super) fn openai_url(&self) -> String {
        format!("{}/v1", self.model.url())
    }

    fn programs(&self) -> PathBuf {
        self.sandbox.home().join("bin")
    }

    fn temporary(&self) -> PathBuf {
        self.sandbox.home().join("tmp")
    }

    fn log(&self) -> PathBuf {
        self.sandbox.home().join(format!("{}.log", self.client.name()))
    }
}

/// A test that fails shows the end of what the client said in its last run, and what the model was asked.
impl Drop for Stage<'_> {
    fn drop(&mut self) {
        self.client.leave(&self.sandbox.home());
        if !std::thread::panicking() {
            return;
        }
        let said = std::fs::read(self.log()).unwrap_or_default();
        let end = String::from_utf8_lossy(&said[said.len().saturating_sub(LAST_WORDS_BYTES)..]).into_owned();
        let requests = self.model.requests();
        let asked: Vec<&str> = requests.iter().map(|request| request.line.as_str()).collect();
        let name = self.client.name();
        // Nothing can be done about a standard error that is closed.
        let _ = writeln!(std::io::stderr(), "{name} said: {end}\nthe model was asked: {asked:#?}");
    }
}

/// Waits for a client, and kills it with all it started when it takes too long.
fn wait(child: &mut Child, patience: Duration) -> Option<ExitStatus> {
    let until = Instant::now() + patience;
    while Instant::now() < until {
        if let Some(status) = child.try_wait().unwrap() {
            return Some(status);
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    let group = rustix::process::Pid::from_child(child);
    let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    child.wait().unwrap();
    None
}
