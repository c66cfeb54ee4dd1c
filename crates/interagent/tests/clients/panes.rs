//! Agents that `interagent up` started in tmux: their screens, the keys of a person, and their end.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use interagent_testkit::Sandbox;
use interagent_testkit::clients::Stage;
use interagent_testkit::sandbox::Run;
use serde_json::Value;

/// How long something may take that follows by itself, on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// A screen that did not change for this long has shown its questions.
const QUIET: Duration = Duration::from_secs(3);

/// What clients ask at their first start, and the keys by which a person agrees.
const FIRST_QUESTIONS: &[(&str, &[&str])] = &[
    ("Trust this folder?", &["Enter"]),
    // The number chooses "Trust all and continue".
    ("Hooks need review", &["2", "Enter"]),
    ("No, keep manual mode", &["Down", "Enter"]),
];

/// The started agents of one project. They end with this value.
pub(crate) struct Panes<'s, 'a> {
    stage: &'s Stage<'a>,
    sandbox: &'a Sandbox,
    socket: PathBuf,
}

impl<'s, 'a> Panes<'s, 'a> {
    /// Runs `interagent up` for these agents, and waits until all are idle.
    #[track_caller]
    pub(crate) fn up(stage: &'s Stage<'a>, sandbox: &'a Sandbox, agents: &[&str]) -> Self {
        let panes = Self { stage, sandbox, socket: sandbox.home().join("team.tmux") };
        panes.product().run(&[&["up"], agents].concat()).success();
        for agent in agents {
            panes.until(&format!("{agent} is idle"), || {
                panes.agree(agent);
                panes.shown_of(agent)["life"] == "idle"
            });
        }
        panes
    }

    /// Agrees to what a client asks when it is new in a folder. It may ask after it looked idle.
    pub(crate) fn agree(&self, agent: &str) {
        let asks = |question: &str| self.screen(agent).contains(question);
        for (question, keys) in FIRST_QUESTIONS {
            if !asks(question) {
                continue;
            }
            for key in *keys {
                self.press(agent, key);
                std::thread::sleep(Duration::from_millis(400));
            }
            // A key for a question that is over would go into the composer.
            self.until("the question is over", || !asks(question));
        }
    }

    /// Waits until an agent's screen is quiet and asks nothing.
    #[track_caller]
    pub(crate) fn settle(&self, agent: &str) {
        let (mut screen, mut since) = (String::new(), Instant::now());
        self.until(&format!("the screen of {agent} is quiet"), || {
            self.agree(agent);
            let now = self.screen(agent);
            if now != screen {
                (screen, since) = (now, Instant::now());
            }
            since.elapsed() > QUIET
        });
    }

    /// Our program, with the tmux server of these agents.
    pub(crate) fn product(&self) -> Run<'a> {
        self.stage.product().env("INTERAGENT_TMUX_SOCKET", &self.socket.display().to_string())
    }

    /// What `ps` says of an agent.
    pub(crate) fn shown_of(&self, agent: &str) -> Value {
        let listed = self.product().json(&["ps", agent]);
        listed["agents"][0].clone()
    }

    fn pane(&self, agent: &str) -> String {
        let shown = self.shown_of(agent);
        shown["pane"].as_str().unwrap_or_else(|| panic!("{agent} has no pane: {shown}")).to_owned()
    }

    pub(crate) fn screen(&self, agent: &str) -> String {
        self.tmux(&["capture-pane", "-p", "-t", &self.pane(agent)])
    }

    /// Types a text into an agent's terminal as a person does, and no Enter.
    pub(crate) fn type_text(&self, agent: &str, text: &str) {
        self.tmux(&["send-keys", "-t", &self.pane(agent), "-l", "--", text]);
    }

    /// Looks at an agent's screen again and again until the watch is stopped.
    pub(crate) fn watch(&self, agent: &str) -> Watch {
        let (socket, pane) = (self.socket.clone(), self.pane(agent));
        let is_over = Arc::new(AtomicBool::new(false));
        let over = Arc::clone(&is_over);
        let look = move || {
            let mut screens: Vec<String> = Vec::new();
            while !over.load(Ordering::SeqCst) {
                let screen = tmux(&socket, &["capture-pane", "-p", "-t", &pane]);
                if screens.last() != Some(&screen) {
                    screens.push(screen);
                }
                std::thread::sleep(Duration::from_millis(20));
            }
            screens
        };
        Watch { is_over, looking: std::thread::spawn(look) }
    }

    pub(crate) fn press(&self, agent: &str, key: &str) {
        self.tmux(&["send-keys", "-t", &self.pane(agent), key]);
    }

    fn tmux(&self, words: &[&str]) -> String {
        tmux(&self.socket, words)
    }

    /// Waits for something that shall come by itself.
    #[track_caller]
    pub(crate) fn until(&self, what: &str, mut is_so: impl FnMut() -> bool) {
        let until = Instant::now() + PATIENCE;
        while !is_so() {
            if Instant::now() > until {
                let panes = self.tmux(&["list-panes", "-a", "-F", "#{pane_id}"]);
                let screens = panes.lines().map(|pane| self.tmux(&["capture-pane", "-p", "-t", pane]));
                let screens: String = screens.collect();
                let log = std::fs::read_to_string(self.sandbox.hub().join("state/hook.log"));
                panic!("never: {what}\n{}\n{screens}\n{log:?}", self.product().run(&["ps"]).stdout);
            }
            std::thread::sleep(Duration::from_millis(100));
        }
    }
}

fn tmux(socket: &Path, words: &[&str]) -> String {
    let output = Command::new("tmux").arg("-S").arg(socket).args(words).output().unwrap();
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Somebody who watches one screen.
pub(crate) struct Watch {
    is_over: Arc<AtomicBool>,
    looking: JoinHandle<Vec<String>>,
}

impl Watch {
    /// Every screen that was seen, one after the other.
    pub(crate) fn stop(self) -> Vec<String> {
        self.is_over.store(true, Ordering::SeqCst);
        self.looking.join().unwrap()
    }
}

impl Drop for Panes<'_, '_> {
    fn drop(&mut self) {
        let _ = self.product().run(&["down"]);
        self.tmux(&["kill-server"]);
    }
}
