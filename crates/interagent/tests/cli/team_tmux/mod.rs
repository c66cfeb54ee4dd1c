//! A team in real tmux, on a server of its own: clients are scripts that speak through the real hooks.

mod attaching;
mod circles;
mod control;
mod controlling;
mod dying;
mod ending;
mod environment;
mod joining;
mod killed;
mod large;
mod living;
mod restarting;
mod stage;
mod starting;
mod story;
mod unattended;
mod waking;
mod wrong;

use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use interagent_testkit::Sandbox;
use interagent_testkit::sandbox::{Output, Run};
use serde_json::Value;

/// How long something may take in one terminal; nothing is concluded from how long it took.
const PATIENCE: Duration = Duration::from_secs(60);

/// Tells its hooks what it does, and does what is typed: `think`, `ask`, `idle`, `leave`. What it was started with is in a
/// file of its name.
const CLIENT: &str = r#"#!/bin/sh
session="s-$INTERAGENT_AGENT-$$"
hook() {
    printf '{"session_id":"%s","cwd":"%s","source":"startup","notification_type":"%s"}' "$session" "$PWD" "$2" |
        interagent hook scripted "$1" > /dev/null 2>&1
}
{ echo "$PWD"; for word in "$@"; do echo "$word"; done; env | grep -c '^CLAUDECODE='; } > "$HOME/started-$INTERAGENT_AGENT"
test -e "$HOME/broken-$INTERAGENT_AGENT" && { echo "no credit left"; exit 3; }
test -e "$HOME/stubborn-$INTERAGENT_AGENT" && trap '' HUP TERM
test -e "$HOME/mute-$INTERAGENT_AGENT" || hook SessionStart
echo "ready: $INTERAGENT_AGENT"
while :; do
    read -r line || { test -e "$HOME/stubborn-$INTERAGENT_AGENT" || exit 0; sleep 1; continue; }
    case "$line" in
        think) hook UserPromptSubmit ;;
        ask) hook Notification permission_prompt ;;
        idle) hook Stop ;;
        leave) hook SessionEnd; echo "bye: $INTERAGENT_AGENT"; exit 0 ;;
    esac
    echo "did: $line"
done
"#;

const PROFILE: &str = r#"
name = "scripted"
title = "Scripted Code"
executable = "scripted"
[process]
programs = ["scripted"]
[launch]
arguments = ["--go"]
auto_approve = ["--yolo"]
resume = ["--again", "{session}"]
model = ["--model", "{model}"]
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
name = "Notification"
means = "notice"
asking = ["permission_prompt"]
[[hooks.events]]
name = "Stop"
means = "turn_end"
[[hooks.events]]
name = "SessionEnd"
means = "end"
"#;

/// A captain team of four whose clients are scripts.
struct World {
    sandbox: Sandbox,
}

impl World {
    fn new() -> Self {
        Self::with(&["init", "--formation", "captain", "--members", "2"])
    }

    fn with(init: &[&str]) -> Self {
        let world = Self::empty();
        world.install("scripted", CLIENT, PROFILE);
        world.run(init).success();
        world.edit_team(|text| text.replace("profile = \"claude\"", "profile = \"scripted\""));
        world
    }

    /// Without a team, and without clients.
    fn empty() -> Self {
        let world = Self { sandbox: Sandbox::new() };
        std::fs::create_dir(world.clients()).unwrap();
        world
    }

    /// A client: its program, and the profile by which it is known.
    fn install(&self, name: &str, program: &str, profile: &str) {
        let client = self.clients().join(name);
        std::fs::write(&client, program).unwrap();
        std::fs::set_permissions(&client, std::fs::Permissions::from_mode(0o755)).unwrap();
        let profiles = self.sandbox.home().join(".config/interagent/profiles");
        std::fs::create_dir_all(&profiles).unwrap();
        std::fs::write(profiles.join(format!("{name}.toml")), profile).unwrap();
    }

    fn edit_team(&self, edit: impl FnOnce(String) -> String) {
        let file = self.sandbox.hub().join("team.toml");
        let text = edit(std::fs::read_to_string(&file).unwrap());
        std::fs::write(&file, text).unwrap();
        self.start().seated().run(&["team", "take"]).success();
    }

    /// Where the clients' programs are.
    fn clients(&self) -> PathBuf {
        self.sandbox.project().with_file_name("clients")
    }

    fn socket(&self) -> PathBuf {
        self.sandbox.home().join("tmux")
    }

    /// Where programs are found: the clients' and ours first.
    fn path(&self) -> String {
        let program = PathBuf::from(self.sandbox.start().command(&[]).get_program());
        let bin = self.clients();
        format!("{}:{}:/usr/local/bin:/usr/bin:/bin", bin.display(), program.parent().unwrap().display())
    }

    fn start(&self) -> Run<'_> {
        let path = self.path();
        let socket = self.socket().display().to_string();
        // What an agent's shell would have told the server, which must not reach another agent.
        self.sandbox.start().env("PATH", &path).env("INTERAGENT_TMUX_SOCKET", &socket).env("TERM", "xterm")
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.start().run(arguments)
    }

    fn json(&self, arguments: &[&str]) -> Value {
        let mut arguments = arguments.to_vec();
        arguments.push("--json");
        let output = self.run(&arguments);
        serde_json::from_str::<Value>(&output.stdout).unwrap()["answer"].clone()
    }

    /// Asks the team's tmux server directly.
    fn tmux(&self, arguments: &[&str]) -> String {
        let output = Command::new("tmux").arg("-S").arg(self.socket()).args(arguments).output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    /// A pane of the person's own, with a shell in it.
    fn own_pane(&self) -> String {
        self.own_pane_in("mine")
    }

    /// The same in a session of this name.
    fn own_pane_in(&self, session: &str) -> String {
        let words = "new-session -d -x 150 -y 40 -P -F '#{pane_id}'";
        let line =
            format!("exec tmux -S \"$INTERAGENT_TMUX_SOCKET\" -f /dev/null {words} -s {session} sh -i");
        let made = self.start().shell(&line).env("PATH", self.path()).output().unwrap();
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        String::from_utf8(made.stdout).unwrap().trim().to_owned()
    }

    /// Everything that is set for all sessions and windows of the server.
    fn global_options(&self) -> String {
        [["show-options", "-g"], ["show-options", "-gw"], ["show-options", "-s"]]
            .map(|ask| self.tmux(&ask))
            .concat()
    }

    /// `name: word` for each agent of an answer.
    fn words(answer: &Value, field: &str) -> Vec<String> {
        let agents = answer["agents"].as_array().unwrap().iter();
        agents
            .map(|agent| format!("{}: {}", agent["name"].as_str().unwrap(), agent[field].as_str().unwrap()))
            .collect()
    }

    /// One agent as `ps` shows it.
    fn agent(&self, name: &str) -> Value {
        self.json(&["ps", name])["agents"][0].clone()
    }

    fn pid(&self, name: &str) -> i64 {
        self.agent(name)["pid"].as_i64().unwrap()
    }

    /// Kills a client with SIGKILL, so it reports nothing.
    fn kill(&self, name: &str) {
        let pid = self.pid(name).to_string();
        assert!(Command::new("kill").args(["-KILL", &pid]).status().unwrap().success());
    }

    fn pane(&self, name: &str) -> String {
        self.agent(name)["pane"].as_str().unwrap().to_owned()
    }

    /// Types into an agent's pane, as a person would.
    fn type_into(&self, name: &str, line: &str) {
        self.tmux(&["send-keys", "-t", &self.pane(name), line, "Enter"]);
    }

    /// Waits until an agent is as it should be.
    #[track_caller]
    fn wait_for(&self, name: &str, life: &str) {
        let until = Instant::now() + PATIENCE;
        loop {
            let agent = self.agent(name);
            if agent["life"] == life {
                return;
            }
            assert!(Instant::now() < until, "{name} is not {life}: {agent:#}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Waits until a pane is an agent's.
    #[track_caller]
    fn wait_for_pane(&self, name: &str, pane: &str) {
        let until = Instant::now() + PATIENCE;
        while self.json(&["ps"])["agents"]
            .as_array()
            .is_none_or(|all| !all.iter().any(|agent| agent["name"] == name && agent["pane"] == pane))
        {
            assert!(Instant::now() < until, "{pane} is not {name}'s");
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Waits until an agent's pane shows something.
    #[track_caller]
    fn wait_for_screen(&self, name: &str, wanted: &str) {
        self.until_pane_shows(&self.pane(name), wanted);
    }

    /// Waits until a pane shows something.
    #[track_caller]
    fn until_pane_shows(&self, pane: &str, wanted: &str) {
        let until = Instant::now() + PATIENCE;
        loop {
            let screen = self.tmux(&["capture-pane", "-p", "-t", pane]);
            if screen.contains(wanted) {
                return;
            }
            assert!(Instant::now() < until, "{pane} does not show `{wanted}`: {screen}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Whose a pane says it is.
    fn marked_for(&self, pane: &str) -> String {
        self.tmux(&["display-message", "-p", "-t", pane, "#{@agent_id}"]).trim().to_owned()
    }

    /// Waits until tmux answers with this.
    #[track_caller]
    fn until_tmux(&self, question: &[&str], wanted: &str) {
        let until = Instant::now() + PATIENCE;
        while self.tmux(question).trim() != wanted {
            assert!(Instant::now() < until, "{question:?} is not {wanted}: {}", self.tmux(question));
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Waits until the server is gone, which answers for a moment after it was told to end.
    #[track_caller]
    fn until_no_server(&self) {
        let until = Instant::now() + PATIENCE;
        let ask = ["list-sessions"];
        while Command::new("tmux").arg("-S").arg(self.socket()).args(ask).output().unwrap().status.success() {
            assert!(Instant::now() < until, "the server does not end");
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// What a client was started with: its directory, its words, and how many foreign marks it saw.
    fn started(&self, name: &str) -> Vec<String> {
        let text = std::fs::read_to_string(self.sandbox.home().join(format!("started-{name}"))).unwrap();
        text.lines().map(str::to_owned).collect()
    }

    /// The supervisor that `up` started, where it runs.
    fn supervisor(&self) -> Option<rustix::process::Pid> {
        let text = std::fs::read_to_string(self.sandbox.hub().join("state/supervisor.pid")).ok()?;
        let pid = text.split(' ').next()?.parse().ok()?;
        let words = std::fs::read_to_string(format!("/proc/{pid}/cmdline")).ok()?;
        let is_ours = words.contains(&self.sandbox.hub().display().to_string());
        rustix::process::Pid::from_raw(pid).filter(|_| is_ours)
    }

    fn kill_supervisor(&self) {
        if let Some(pid) = self.supervisor() {
            self.sandbox.kill_supervisor(pid);
        }
    }

    fn mark_file(&self, name: &str) {
        std::fs::write(self.sandbox.home().join(name), "").unwrap();
    }
}

impl Drop for World {
    fn drop(&mut self) {
        self.kill_supervisor();
        let _ = Command::new("tmux").arg("-S").arg(self.socket()).arg("kill-server").output();
    }
}

fn is_running(pid: i64) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat"));
    stat.is_ok_and(|stat| !stat.contains(") Z "))
}
