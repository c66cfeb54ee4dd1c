//! A tmux server of its own with the scripted client in it, and what a test needs to type into it.

use std::process::Command;
use std::time::{Duration, Instant};

use interagent_agents::{Profile, Profiles};
use interagent_wake::nudge::{self, Outcome, Target, Testimony, Witness};
use interagent_wake::process::Registered;
use interagent_wake::tmux::{PaneId, Server, Typing};
use rustix::process::{Pid, Signal, kill_process};

use crate::program::{Mode, PLACE};

const PATIENCE: Duration = Duration::from_secs(20);

/// What the hooks of the scripted client would say.
pub(crate) struct Says(pub(crate) Testimony);

pub(crate) const IDLE: Says = Says(Testimony { is_idle: true, asked: None, submitted: None });

impl Witness for Says {
    fn testify(&self) -> Testimony {
        self.0
    }
}

/// The server ends with this value.
pub(crate) struct Room {
    place: tempfile::TempDir,
    pub(crate) server: Server,
    pub(crate) pane: PaneId,
    pub(crate) profile: Profile,
}

impl Room {
    /// The scripted client in a terminal, drawn and waiting.
    pub(crate) fn with(mode: Mode) -> Self {
        let room = Self::running(mode, &["{program}"]);
        room.wait_for_screen(mode.footer());
        room
    }

    /// Another command in the terminal, with the words of the scripted client in the place of `{program}`.
    pub(crate) fn running(mode: Mode, command: &[&str]) -> Self {
        let place = tempfile::tempdir().unwrap();
        std::fs::write(place.path().join("mode"), mode.word()).unwrap();
        std::fs::write(place.path().join("log"), "").unwrap();
        let server = Server::at(place.path().join("tmux"));
        let variable = format!("{PLACE}={}", place.path().display());
        let itself = std::env::current_exe().unwrap().display().to_string();
        let program = [
            "env",
            &variable,
            &itself,
            "--exact",
            "program::runs",
            "--ignored",
            "--nocapture",
            "--test-threads=1",
        ];
        let mut words = vec!["-f", "/dev/null", "new-session", "-d", "-s", "team", "-x", "80", "-y", "20"];
        words.extend(["-P", "-F", "#{pane_id}"]);
        for word in command {
            match *word {
                "{program}" => words.extend(program),
                word => words.push(word),
            }
        }
        let pane = PaneId::parse(server.begin(&words).unwrap().trim()).unwrap();
        let profile = Profiles::shipped().get("claude").unwrap();
        Self { place, server, pane, profile }
    }

    pub(crate) fn set(&self, mode: Mode) {
        std::fs::write(self.place.path().join("mode"), mode.word()).unwrap();
    }

    /// Every byte that reached the client.
    pub(crate) fn log(&self) -> String {
        String::from_utf8(std::fs::read(self.place.path().join("log")).unwrap()).unwrap()
    }

    pub(crate) fn screen(&self) -> String {
        self.tmux(&["capture-pane", "-p", "-t", self.pane.as_str()])
    }

    pub(crate) fn tmux(&self, words: &[&str]) -> String {
        self.server.ask(words).unwrap()
    }

    /// As a person types, letter by letter.
    pub(crate) fn person_types(&self, text: &str) {
        for letter in text.chars() {
            self.tmux(&["send-keys", "-t", self.pane.as_str(), "-l", "--", &letter.to_string()]);
        }
        self.wait_until("the log has it", || self.log().ends_with(text));
    }

    pub(crate) fn person_presses(&self, key: &str) {
        self.tmux(&["send-keys", "-t", self.pane.as_str(), key]);
    }

    /// The process in the pane.
    pub(crate) fn process(&self) -> Registered {
        let look = self.server.look(&self.pane).unwrap();
        Registered::now(look.facts.pid).unwrap()
    }

    pub(crate) fn target<'a>(&'a self, process: &'a Registered) -> Target<'a> {
        Target {
            server: &self.server,
            pane: &self.pane,
            id: "agt-scripted",
            agent: "scripted",
            process,
            screen: self.profile.screen.as_ref(),
        }
    }

    /// One attempt to wake the client.
    pub(crate) fn nudge(&self) -> Outcome {
        self.nudge_as(&IDLE)
    }

    pub(crate) fn nudge_as(&self, witness: &dyn Witness) -> Outcome {
        nudge::type_into(self.target(&self.process()), &line(), witness)
    }

    /// The same in a process of its own, which can be killed.
    pub(crate) fn attempt_elsewhere(&self) -> std::process::Child {
        let process = self.process();
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "room::attempts", "--ignored", "--test-threads=1"]);
        command.env(PLACE, self.place.path()).env("PANE", self.pane.as_str());
        command.env("PROCESS", format!("{} {} {}", process.pid, process.started, process.boot));
        command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null()).spawn().unwrap()
    }

    /// The same server by another path to its socket.
    pub(crate) fn under_another_name(&self) -> Server {
        let link = self.place.path().join("another");
        std::os::unix::fs::symlink(self.server.socket(), &link).unwrap();
        Server::at(link)
    }

    /// Something else lies where the lock of the pane would be.
    pub(crate) fn block_the_lock(&self) {
        let number = self.pane.as_str().trim_start_matches('%');
        std::fs::create_dir(self.place.path().join(format!("tmux.interagent-pane-{number}"))).unwrap();
    }

    /// The server answers nobody meanwhile.
    pub(crate) fn hold_the_server_while<T>(&self, done: impl FnOnce() -> T) -> T {
        let pid = self.tmux(&["display-message", "-p", "#{pid}"]).trim().parse().unwrap();
        let server = Pid::from_raw(pid).unwrap();
        kill_process(server, Signal::STOP).unwrap();
        let done = done();
        kill_process(server, Signal::CONT).unwrap();
        done
    }

    pub(crate) fn wait_for_screen(&self, text: &str) {
        self.wait_until(text, || self.screen().contains(text));
    }

    pub(crate) fn wait_until(&self, what: &str, is_so: impl Fn() -> bool) {
        let until = Instant::now() + PATIENCE;
        while !is_so() {
            assert!(Instant::now() < until, "{what}: not so\n{}", self.screen());
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Somebody who looks at the session, and just came.
    pub(crate) fn visitor(&self) -> std::process::Child {
        let mut tmux = Command::new("tmux");
        tmux.args(["-N", "-S"])
            .arg(self.server.socket())
            .args(["-C", "attach", "-t", "team"])
            .env_remove("TMUX");
        tmux.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::null()).spawn().unwrap()
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        let _ = self.server.ask(&["kill-server"]);
    }
}

/// The line for three messages.
pub(crate) fn line() -> Typing {
    Typing::Words(nudge::line().unwrap())
}

/// Not a test: the attempt of [`Room::attempt_elsewhere`].
#[test]
#[ignore = "started by a test of its own"]
fn attempts() {
    let (Some(place), Ok(pane)) = (std::env::var_os(PLACE), std::env::var("PANE")) else { return };
    let place = std::path::PathBuf::from(place);
    let process = std::env::var("PROCESS").unwrap();
    let words: Vec<&str> = process.split(' ').collect();
    let process = Registered {
        pid: words[0].parse().unwrap(),
        started: words[1].parse().unwrap(),
        boot: words[2].to_owned(),
    };
    let profile = Profiles::shipped().get("claude").unwrap();
    let (server, pane) = (Server::at(place.join("tmux")), PaneId::parse(&pane).unwrap());
    let target = Target {
        server: &server,
        pane: &pane,
        id: "agt-scripted",
        agent: "scripted",
        process: &process,
        screen: profile.screen.as_ref(),
    };
    nudge::type_into(target, &line(), &IDLE);
}
