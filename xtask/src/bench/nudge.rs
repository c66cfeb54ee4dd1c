//! From the start of a send until an idle agent has something of it: the first character of a nudge in its tmux pane, or the words of
//! its client's own wake. The agent is the scripted one of the tests in a real tmux, with a supervisor as `up` starts it.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::Bench;
use super::budget::Row;
use super::product::Product;
use super::stats::Samples;
use super::timing::run_once;
use crate::repo::{on_path, stdout_of};
use crate::{Result, ui};

const AGENT: &str = include_str!("../../../crates/interagent/tests/cli/team_tmux/agent.py");

/// What the scripted agent's screen and hooks look like; the second kind has a waiter besides.
const PROFILE: &str = r#"
name = "NAME"
title = "NAME"
executable = "NAME"
[process]
programs = ["NAME"]
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
name = "SessionEnd"
means = "end"
[screen]
busy = ["esc to interrupt"]
dialog = ["Do you want to proceed"]
[screen.composer]
top = "────"
bottom = "────"
first = ["❯ "]
next = "  "
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

/// An agent that was just written to is left alone for this long: its screen is quiet again.
const QUIET: Duration = Duration::from_secs(5);
/// Nothing that works takes longer.
const GIVE_UP: Duration = Duration::from_secs(90);
const LOOK: Duration = Duration::from_millis(5);

pub(super) fn measure(bench: &Bench<'_>) -> Result<Vec<Row>> {
    for program in ["tmux", "python3"] {
        if !on_path(program) {
            return Err(format!("{program} is not installed"));
        }
    }
    let team = Team::start(bench.product, &bench.scratch.join("nudge"))?;
    let rounds = if bench.quick { 3 } else { 10 };
    let (mut nudged, mut woken) = (Samples::default(), Samples::default());
    for round in 0..rounds {
        nudged.add(team.reach("typed", "keys", round)?);
        woken.add(team.reach("woken", "heard", round)?);
    }
    let row = |what: &str, samples: &Samples| {
        let (median, slow) = (samples.median().as_secs_f64(), samples.percentile(100).as_secs_f64());
        ui::line(&format!("{what}, {} runs: p50 {median:.2} s, max {slow:.2} s", samples.count()));
        Row::new(&format!("{what}, p50"), "<= 3 s", Ok((format!("{median:.2} s"), median <= 3.0)))
    };
    Ok(vec![row("mail to nudge", &nudged), row("mail to native wake", &woken)])
}

/// A team of two idle agents. It ends with the value.
struct Team<'p> {
    product: &'p Product,
    home: PathBuf,
    clients: PathBuf,
}

impl<'p> Team<'p> {
    fn start(product: &'p Product, home: &Path) -> Result<Self> {
        let (clients, profiles) = (home.join("clients"), home.join(".config/interagent/profiles"));
        for folder in [&clients, &profiles, &home.join("project")] {
            fs::create_dir_all(folder).map_err(|why| format!("cannot make {}: {why}", folder.display()))?;
        }
        let python = stdout_of(Command::new("python3").args(["-c", "import sys; print(sys.executable)"]))?;
        for (name, more) in [("typed", ""), ("woken", WAITER)] {
            let program = clients.join(name);
            write(&program, &format!("#!{}\n{AGENT}", python.trim()))?;
            fs::set_permissions(&program, fs::Permissions::from_mode(0o755))
                .map_err(|why| format!("cannot make {} a program: {why}", program.display()))?;
            write(&profiles.join(format!("{name}.toml")), &(PROFILE.replace("NAME", name) + more))?;
        }
        product.link(&clients)?;
        let team = Self { product, home: home.to_owned(), clients };
        team.run(&["init", "--formation", "peers", "--agents", "typed:typed,woken:woken"])?;
        team.run(&["up"])?;
        Ok(team)
    }

    fn command(&self, words: &[&str]) -> Command {
        self.product.team(&self.home, &self.clients, words)
    }

    fn run(&self, words: &[&str]) -> Result<()> {
        run_once(&mut self.command(words), &[0]).map(|_| ())
    }

    /// Writes to an idle agent, and waits until a file of it grows.
    fn reach(&self, name: &str, file: &str, round: usize) -> Result<Duration> {
        self.until_idle()?;
        std::thread::sleep(QUIET);
        let path = self.home.join("agents").join(name).join(file);
        let size = || fs::metadata(&path).map_or(0, |found| found.len());
        let before = size();
        let start = Instant::now();
        let mut sending = self.command(&["say", name, &format!("Round {round}.")]);
        let sending = sending.stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        let mut sending = sending.map_err(|why| format!("cannot send: {why}"))?;
        while size() == before {
            if start.elapsed() > GIVE_UP {
                return Err(format!("{name} was not reached"));
            }
            std::thread::sleep(LOOK);
        }
        let took = start.elapsed();
        sending.wait().map_err(|why| format!("cannot wait for the sender: {why}"))?;
        Ok(took)
    }

    fn until_idle(&self) -> Result<()> {
        let until = Instant::now() + GIVE_UP;
        while stdout_of(&mut self.command(&["ps", "--json"]))?.matches("\"life\":\"idle\"").count() < 2 {
            if Instant::now() > until {
                return Err("the agents do not become idle".to_owned());
            }
            std::thread::sleep(Duration::from_millis(200));
        }
        Ok(())
    }
}

impl Drop for Team<'_> {
    fn drop(&mut self) {
        let _ = self.run(&["down"]);
        let socket = self.home.join("tmux");
        let mut end = Command::new("tmux");
        let _ = end.arg("-S").arg(socket).arg("kill-server").stderr(Stdio::null()).status();
    }
}

fn write(path: &Path, text: &str) -> Result<()> {
    fs::write(path, text).map_err(|why| format!("cannot write {}: {why}", path.display()))
}
