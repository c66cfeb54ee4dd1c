//! `attach` on a real terminal: that of a person, who sits before another tmux server or inside of the team's own.

use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use super::stage::Stage;

/// A terminal with a person's shell in it, which happens to be a pane of a second server.
struct Desk<'s> {
    stage: &'s Stage,
}

impl<'s> Desk<'s> {
    fn new(stage: &'s Stage) -> Self {
        let desk = Self { stage };
        let begin = stage.world.start();
        let mut command = Command::new("tmux");
        let words =
            ["-f", "/dev/null", "new-session", "-d", "-x", "220", "-y", "60", "-s", "desk", "sh", "-i"];
        command
            .arg("-S")
            .arg(desk.socket())
            .args(words)
            .env_clear()
            .current_dir(stage.world.sandbox.project());
        for (name, value) in begin.command(&[]).get_envs() {
            command.env(name, value.unwrap_or_default());
        }
        assert!(command.env("PS1", "desk> ").status().unwrap().success());
        desk.shows("desk>");
        desk
    }

    fn socket(&self) -> PathBuf {
        self.stage.world.sandbox.home().join("desk")
    }

    fn tmux(&self, words: &[&str]) -> String {
        let output = Command::new("tmux").arg("-S").arg(self.socket()).args(words).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    }

    fn types(&self, line: &str) {
        self.tmux(&["send-keys", "-t", "desk:", "-l", "--", line]);
        self.tmux(&["send-keys", "-t", "desk:", "Enter"]);
    }

    /// Leaves the team's terminals by tmux's own keys.
    fn leaves(&self) {
        self.tmux(&["send-keys", "-t", "desk:", "C-b", "d"]);
        self.shows("[detached");
        self.types("clear");
    }

    #[track_caller]
    fn shows(&self, wanted: &str) -> String {
        let until = Instant::now() + Duration::from_secs(30);
        loop {
            let screen = self.tmux(&["capture-pane", "-p", "-t", "desk:"]);
            if screen.contains(wanted) {
                return screen;
            }
            assert!(Instant::now() < until, "the person does not see `{wanted}`:\n{screen}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

impl Drop for Desk<'_> {
    fn drop(&mut self) {
        self.tmux(&["kill-server"]);
    }
}

#[test]
fn a_person_sees_the_team_from_any_terminal() {
    let stage = Stage::captain(&["--captain", "typed", "--vice-captains", "typed:1", "--members", "typed:2"]);
    stage.up(&["captain", "member1"]);
    let desk = Desk::new(&stage);
    // A terminal that is in no tmux.
    desk.types("env -u TMUX -u TMUX_PANE interagent attach member1");
    desk.shows("I am member1, ");
    let active = |name: &str| {
        let format = "#{session_name} #{window_active} #{pane_active} #{@agent_id}";
        let panes = stage.world.tmux(&["list-panes", "-a", "-F", format]);
        panes.lines().any(|pane| pane.starts_with("interagent-") && pane.ends_with(&format!(" 1 1 {name}")))
    };
    assert!(active("member1"));
    desk.leaves();
    desk.types("env -u TMUX -u TMUX_PANE interagent attach captain");
    desk.shows("I am captain, ");
    desk.leaves();

    // Inside of another server it is refused, and what is said instead works.
    desk.types("clear; interagent attach member1 2>&1 | cat");
    desk.types("clear; interagent attach member1");
    let said = desk.shows("hint: leave it first, or nest them: ");
    let (_, hint) = said.split_once("nest them: ").unwrap();
    let hint: String = hint.split("desk>").next().unwrap().lines().collect::<Vec<_>>().concat();
    desk.types(&format!("clear; {}", hint.trim()));
    desk.shows("I am member1, ");
    desk.leaves();

    // Inside of the team's server the person's client changes over.
    stage.world.own_pane();
    desk.types(&format!(
        "env -u TMUX -u TMUX_PANE tmux -S {} attach -t mine",
        stage.world.socket().display()
    ));
    desk.shows("[mine]");
    desk.types("interagent attach member1");
    desk.shows("I am member1, ");
    let looks_at = stage.world.tmux(&["list-clients", "-F", "#{session_name}"]);
    assert!(looks_at.starts_with("interagent-"), "{looks_at}");
    // From outside of every server, a bell still rings where the team's panes are.
    let outside = stage.world.start().without("INTERAGENT_TMUX_SOCKET").json(&["notify", "--test"]);
    let mut told = outside["told"].as_array().unwrap().iter();
    assert!(told.any(|one| one["way"] == "bell" && one["arrived"] == true), "{outside}");
    assert_eq!(stage.keys("member1") + &stage.keys("captain"), "", "no key of the person went to an agent");
}
