//! A team whose agents have a composer that the screen reader knows, in real tmux: they take what is typed, speak through the
//! real hooks and act on cues. What each one saw is in files, and above all every byte that reached its terminal.

use std::fs::File;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::World;

/// The agent itself.
const AGENT: &str = include_str!("agent.py");

/// How long something may take that goes through several agents; nothing is concluded from how long it took. All six lines
/// of an agent on a slow machine are within it.
const PATIENCE: Duration = Duration::from_secs(200);

/// What both kinds of clients have in common. `typed` can only be told in its terminal; `woken` has a waiter, too.
const PROFILE: &str = r#"
name = "NAME"
title = "TITLE"
executable = "NAME"
[process]
programs = ["NAME"]
[launch]
arguments = ["--go"]
resume = ["--again", "{session}"]
model = ["--model", "{model}"]
CONTROL
[hooks]
format = "json"
into = ["hooks", "{event}"]
element = { command = "{command}" }
[[hooks.events]]
name = "SessionStart"
means = "start"
say = "stdout"
[[hooks.events]]
name = "UserPromptSubmit"
means = "prompt"
say = "stdout"
[[hooks.events]]
name = "PostToolUse"
means = "after_tool"
say = "stdout"
[[hooks.events]]
name = "Stop"
means = "turn_end"
say = "exit_2"
[[hooks.events]]
name = "Notification"
means = "notice"
asking = ["permission_prompt"]
[[hooks.events]]
name = "SessionEnd"
means = "end"
[screen]
busy = ["esc to interrupt"]
dialog = ["Do you want to proceed", "Esc to cancel"]
[screen.composer]
top = "────"
bottom = "────"
first = ["❯ "]
next = "  "
"#;

const CONTROL: &str = r#"
[control]
clear = "/clear"
model = "/model {model}"
quit = "/exit"
[headless]
arguments = ["--once", "{prompt}"]
session = "/session"
progress = [{ when = { type = "say" }, text = "/text" }]
result = [{ when = { type = "result" }, text = "/text" }]
"#;

const WAITER: &str = r#"
[wake]
way = "waiter"
says = "mail"
[[hooks.events]]
name = "Stop"
means = "wait"
say = "exit_2"
"#;

/// What an agent does when it hears a word.
pub(super) struct Cue {
    pub(super) who: &'static str,
    pub(super) hears: String,
    pub(super) runs: Vec<String>,
    /// How often at most.
    pub(super) times: u32,
}

/// Does these once, when it hears that word.
pub(super) fn cue(who: &'static str, hears: &str, runs: &[&str]) -> Cue {
    let runs = runs.iter().map(|command| (*command).to_owned()).collect();
    Cue { who, hears: hears.to_owned(), runs, times: 1 }
}

/// A team of such agents.
pub(super) struct Stage {
    pub(super) world: World,
}

impl Stage {
    /// A captain team: what comes after `init --formation captain`.
    pub(super) fn captain(seats: &[&str]) -> Self {
        let stage = Self { world: World::empty() };
        stage.install();
        let begin = ["init", "--formation", "captain", "--language", "en", "--no-worktrees"];
        stage.world.run(&[&begin[..], seats].concat()).success();
        stage
    }

    /// Equals: names with their kinds, as `init --agents` takes them.
    pub(super) fn peers(agents: &str) -> Self {
        let stage = Self { world: World::empty() };
        stage.install();
        stage.world.run(&["init", "--formation", "peers", "--agents", agents]).success();
        stage
    }

    fn install(&self) {
        // The interpreter itself: a wrapper in front of it would be another process.
        let ask = ["-c", "import sys; print(sys.executable)"];
        let python = Command::new("python3").args(ask).output().unwrap();
        let program = format!("#!{}\n{AGENT}", String::from_utf8(python.stdout).unwrap().trim());
        let kinds = [
            ("typed", "Typed Code", CONTROL, ""),
            ("woken", "Woken Code", CONTROL, WAITER),
            ("plain", "Plain Code", "", ""),
        ];
        for (name, title, control, waiter) in kinds {
            let profile = PROFILE.replace("NAME", name).replace("TITLE", title).replace("CONTROL", control);
            self.world.install(name, &program, &(profile + waiter));
        }
    }

    /// Starts everybody, or those who are named, and waits until they listen.
    pub(super) fn up(&self, names: &[&str]) {
        self.world.run(&[&["up"], names].concat()).success();
        self.until_idle(names);
    }

    /// Waits until none of these is in a turn.
    pub(super) fn until_idle(&self, names: &[&str]) {
        self.until("everybody is idle", || {
            let shown = self.world.json(&[&["ps"], names].concat());
            list(&shown["agents"]).all(|agent| agent["life"] == "idle")
        });
    }

    /// A supervisor, as a person starts one; it is killed when the value goes.
    pub(super) fn supervise(&self) -> Supervisor {
        let log = self.world.sandbox.hub().join("state/supervisor.log");
        let log = File::options().create(true).append(true).open(log).unwrap();
        let mut command = self.world.start().command(&["supervise", "--quiet"]);
        command.stdin(Stdio::null()).stdout(log.try_clone().unwrap()).stderr(log);
        Supervisor(command.spawn().unwrap())
    }

    /// Who does what when it hears which word.
    pub(super) fn play(&self, cues: &[Cue]) {
        let row =
            |cue: &Cue| json!({ "who": cue.who, "cue": cue.hears, "run": cue.runs, "times": cue.times });
        let text = Value::from(cues.iter().map(row).collect::<Vec<_>>()).to_string();
        std::fs::write(self.world.sandbox.home().join("cues.json"), text).unwrap();
    }

    /// Changes one line of the team file.
    pub(super) fn set(&self, key: &str, value: &str) {
        self.world.edit_team(|text| {
            let begin = format!("{key} = ");
            let is_it = |line: &&str| line.starts_with(&begin);
            assert!(text.lines().any(|line| is_it(&line)), "no `{key}` in {text}");
            let other = |line| if is_it(&line) { format!("{begin}{value}\n") } else { format!("{line}\n") };
            text.lines().map(other).collect()
        });
    }

    /// The operator says something; the id of the message.
    pub(super) fn say(&self, whom: &str, text: &str) -> String {
        self.world.json(&["say", whom, text])["id"].as_str().unwrap().to_owned()
    }

    /// Somebody sends something as an agent would; the id of the message.
    pub(super) fn send(&self, from: &str, to: &str, more: &[&str]) -> String {
        let words = [&["send", "--to", to, "--json"], more].concat();
        let sent = self.world.start().env("INTERAGENT_AGENT", from).run(&words).success();
        let sent: Value = serde_json::from_str(&sent.stdout).unwrap();
        sent["answer"]["id"].as_str().unwrap().to_owned()
    }

    /// What an agent wrote down; nothing where it has not.
    pub(super) fn file(&self, name: &str, file: &str) -> String {
        let bytes = std::fs::read(self.place(name).join(file)).unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// Every byte that reached an agent's terminal.
    pub(super) fn keys(&self, name: &str) -> String {
        self.file(name, "keys")
    }

    fn place(&self, name: &str) -> PathBuf {
        self.world.sandbox.home().join("agents").join(name)
    }

    /// Has an agent do something by itself, and waits until it has.
    pub(super) fn order(&self, name: &str, word: &str) {
        let before = self.file(name, "obeyed");
        let (new, file) = (self.place(name).join("order.new"), self.place(name).join("order"));
        std::fs::write(&new, word).unwrap();
        std::fs::rename(new, file).unwrap();
        self.until(word, || self.file(name, "obeyed") != before);
    }

    /// A person types into an agent's terminal, and does not press Enter.
    pub(super) fn person_types(&self, name: &str, text: &str) {
        let before = self.keys(name);
        self.world.tmux(&["send-keys", "-t", &self.world.pane(name), "-l", "--", text]);
        self.until("it was typed", || self.keys(name) == format!("{before}{text}"));
    }

    /// The person takes back what they typed.
    pub(super) fn person_takes_back(&self, name: &str, text: &str) {
        let count = text.chars().count().to_string();
        self.world.tmux(&["send-keys", "-t", &self.world.pane(name), "-N", &count, "BSpace"]);
    }

    pub(super) fn screen(&self, name: &str) -> String {
        self.world.tmux(&["capture-pane", "-p", "-t", &self.world.pane(name)])
    }

    pub(super) fn message(&self, id: &str) -> Value {
        self.world.json(&["read", id])
    }

    pub(super) fn task(&self, alias: &str) -> Value {
        let shown = self.world.run(&["task", "show", alias, "--json"]);
        serde_json::from_str::<Value>(&shown.stdout).map(|found| found["answer"].clone()).unwrap_or_default()
    }

    /// What the supervisor noted of an agent, newest first: each kind with its reason.
    pub(super) fn traced(&self, name: &str, kind: &str) -> Vec<String> {
        let id = self.world.json(&["agent", "show", name])["id"].as_str().unwrap().to_owned();
        let trace = self.world.json(&["log", "trace", "--limit", "500"]);
        let rows = list(&trace["items"]).filter(|row| row["kind"] == kind && row.to_string().contains(&id));
        rows.map(Value::to_string).collect()
    }

    /// All messages between members.
    pub(super) fn messages(&self) -> Vec<Value> {
        list(&self.world.json(&["msg", "list", "--limit", "500"])["items"]).cloned().collect()
    }

    /// Messages of which an agent has given no evidence yet. What starts no turn may wait for the next one.
    pub(super) fn undelivered(&self) -> Vec<Value> {
        let is_agents = |to: &Value| to["agent"]["name"] != "operator";
        let waits =
            |message: &Value| list(&message["to"]).any(|to| is_agents(to) && to["delivered"].is_null());
        self.messages().into_iter().filter(|message| message["quiet"] != true && waits(message)).collect()
    }

    /// All entries of the log, newest first.
    pub(super) fn entries(&self) -> Vec<Value> {
        let (mut entries, mut before) = (Vec::new(), None::<String>);
        loop {
            let mut words = vec!["log", "--limit", "500"];
            words.extend(before.iter().flat_map(|place| ["--before", place.as_str()]));
            let page: Vec<Value> = list(&self.world.json(&words)["items"]).cloned().collect();
            let is_last = page.len() < 500;
            before = page.last().map(|entry| entry["seq"].to_string());
            entries.extend(page);
            if is_last {
                return entries;
            }
        }
    }

    /// Every message is in the log once, and was delivered once to each agent.
    #[track_caller]
    pub(super) fn assert_delivered_once(&self) {
        self.assert_delivered_once_to(|name| name != "operator");
    }

    /// The same for messages to some.
    #[track_caller]
    pub(super) fn assert_delivered_once_to(&self, is_meant: impl Fn(&str) -> bool) {
        let entries = self.entries();
        let events: Vec<&Value> = entries.iter().flat_map(|entry| list(&entry["events"])).collect();
        for message in self.messages() {
            let of = |kind: &str| {
                events
                    .iter()
                    .filter(|event| event["entity"] == message["id"] && event["kind"] == kind)
                    .count()
            };
            let to = list(&message["to"]).filter_map(|to| to["agent"]["name"].as_str());
            let wanted = to.filter(|name| is_meant(name)).count();
            let (sent, delivered) = (of("message.sent"), of("message.delivered"));
            let is_due = message["quiet"] != true;
            assert!(sent == 1 && delivered <= wanted && (delivered == wanted || !is_due), "{message:#}");
        }
    }

    pub(super) fn dashboard(&self) -> String {
        self.world.run(&["sync"]);
        std::fs::read_to_string(self.world.sandbox.hub().join("dashboard.md")).unwrap()
    }

    /// Waits for something that shall come by itself.
    #[track_caller]
    pub(super) fn until(&self, what: &str, mut is_so: impl FnMut() -> bool) {
        let patient_until = Instant::now() + PATIENCE;
        while !is_so() {
            assert!(Instant::now() < patient_until, "{what}: it does not happen\n{}", self.shown());
            std::thread::sleep(Duration::from_millis(100));
        }
    }

    /// Everything a person would look at to find out what is wrong.
    pub(super) fn shown(&self) -> String {
        let mut told = self.world.run(&["ps"]).stdout;
        for question in [&["log", "--limit", "40"][..], &["log", "trace", "--limit", "40"]] {
            told.push_str(&self.world.run(question).stdout);
        }
        for place in
            std::fs::read_dir(self.world.sandbox.home().join("agents")).into_iter().flatten().flatten()
        {
            let name = place.file_name().to_string_lossy().into_owned();
            for file in ["keys", "heard", "ran"] {
                told.push_str(&format!("== {name}: {file}\n{}\n", self.file(&name, file)));
            }
        }
        let log = std::fs::read_to_string(self.world.sandbox.hub().join("state/supervisor.log"));
        told + &format!("== supervisor\n{}", log.unwrap_or_default())
    }
}

pub(super) fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

/// The line by which the supervisor wakes an agent, with its Enter.
pub(super) fn is_nudge(line: &str) -> bool {
    line == "interagent: new mail, please read it\r"
}

/// A supervisor that is killed with SIGKILL when it is not wanted any more.
pub(super) struct Supervisor(Child);

impl Drop for Supervisor {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
