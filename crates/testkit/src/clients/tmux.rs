//! A terminal of tmux in which one program runs: a server of its own with its own socket, so that nobody else's tmux is
//! touched, and a fixed size, so that screens compare.

use std::ffi::OsStr;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process, test_kill_process};

/// Wide enough that no client breaks a line of a test's prompt.
const COLUMNS: &str = "160";
const LINES: &str = "50";

/// How long tmux itself may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// How long a program may take to end when its terminal is closed, before it is killed.
const FAREWELL: Duration = Duration::from_secs(3);

/// Empties the environment of what follows, except for what tmux tells the program about itself.
const INNER: &str = "exec env -i TMUX=\"$TMUX\" TMUX_PANE=\"$TMUX_PANE\" \"$@\"";

/// The terminal, which ends with this value and takes its program along.
#[derive(Debug)]
pub(super) struct Pane {
    socket: PathBuf,
    server: Child,
    program: Pid,
}

impl Pane {
    /// Starts a program with only these variables.
    pub(super) fn start(
        socket: &Path,
        directory: &Path,
        variables: &[(String, String)],
        program: &[impl AsRef<OsStr>],
    ) -> Self {
        // In the foreground: it is our child, and whoever stops the test stops it.
        let mut server = Command::new("tmux");
        server.args(["-D", "-f", "/dev/null", "-S"]).arg(socket).env_remove("TMUX");
        server.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        let server = server.spawn().unwrap_or_else(|why| {
            panic!("cannot start tmux, which the tests at a terminal need (Debian: tmux): {why}")
        });
        let mut pane = Self { socket: socket.to_owned(), server, program: Pid::INIT };
        pane.wait_for_server();
        // What a program that ended showed last says why it ended.
        pane.ask(&["set-option", "-g", "remain-on-exit", "on"]);
        let mut start = pane.tmux();
        start.args(["new-session", "-d", "-s", "client", "-x", COLUMNS, "-y", LINES, "-c"]).arg(directory);
        start.args(["sh", "-c", INNER, "sh"]);
        start.args(variables.iter().map(|(name, value)| format!("{name}={value}"))).args(program);
        let done = start.output().unwrap();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        let pid = pane.ask(&["display-message", "-p", "-t", "client", "#{pane_pid}"]);
        pane.program = Pid::from_raw(pid.trim().parse().unwrap()).unwrap();
        pane
    }

    /// What the terminal shows now.
    pub(super) fn screen(&self) -> String {
        self.ask(&["capture-pane", "-p", "-t", "client"])
    }

    /// What it shows, and what just left it: the line that says that a program ended pushes another out.
    pub(super) fn screen_and_before(&self) -> String {
        self.ask(&["capture-pane", "-p", "-t", "client", "-S", "-50"])
    }

    /// What it shows now, with its colours, below a line that says how large it is and where the cursor stands.
    pub(super) fn styled(&self) -> String {
        let place = "#{pane_width}x#{pane_height} cursor #{cursor_x},#{cursor_y}";
        let place = self.ask(&["display-message", "-p", "-t", "client", place]);
        place + &self.ask(&["capture-pane", "-p", "-e", "-t", "client"])
    }

    /// Makes it as wide.
    pub(super) fn widen(&self, columns: u16) {
        self.ask(&["resize-window", "-t", "client", "-x", &columns.to_string(), "-y", LINES]);
    }

    /// The socket of its server.
    pub(super) fn socket(&self) -> &Path {
        &self.socket
    }

    /// Types a text as it is.
    pub(super) fn type_text(&self, text: &str) {
        self.ask(&["send-keys", "-t", "client", "-l", "--", text]);
    }

    /// Presses a key by the name tmux gives it.
    pub(super) fn press(&self, key: &str) {
        self.ask(&["send-keys", "-t", "client", key]);
    }

    /// The program's process.
    pub(super) fn pid(&self) -> Pid {
        self.program
    }

    /// Whether the program runs.
    pub(super) fn is_alive(&self) -> bool {
        self.ask(&["display-message", "-p", "-t", "client", "#{pane_dead}"]).trim() != "1"
    }

    fn wait_for_server(&mut self) {
        let until = Instant::now() + PATIENCE;
        while !self.tmux().args(["list-sessions"]).output().is_ok_and(|done| {
            // A server without sessions answers, with an error of its own.
            done.status.success() || String::from_utf8_lossy(&done.stderr).starts_with("no sessions")
        }) {
            if let Some(status) = self.server.try_wait().unwrap() {
                let mut said = String::new();
                let _ = self.server.stderr.take().unwrap().read_to_string(&mut said);
                panic!("tmux ended with {status}: {said}");
            }
            assert!(Instant::now() < until, "tmux does not answer at {}", self.socket.display());
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn ask(&self, words: &[&str]) -> String {
        let done = self.tmux().args(words).output().unwrap();
        assert!(done.status.success(), "tmux {words:?}: {}", String::from_utf8_lossy(&done.stderr));
        String::from_utf8_lossy(&done.stdout).into_owned()
    }

    /// Speaks to our server, and never starts another.
    fn tmux(&self) -> Command {
        let mut command = Command::new("tmux");
        command.args(["-N", "-S"]).arg(&self.socket).env_remove("TMUX");
        command
    }
}

impl Drop for Pane {
    fn drop(&mut self) {
        let _ = self.tmux().arg("kill-server").output();
        let until = Instant::now() + FAREWELL;
        while self.program != Pid::INIT && test_kill_process(self.program).is_ok() {
            if Instant::now() > until {
                let _ = kill_process(self.program, Signal::KILL);
                break;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_typed_to_and_ends_with_its_terminal() {
        let place = tempfile::tempdir().unwrap();
        let socket = place.path().join("tmux");
        let variables = [("GREETING".to_owned(), "it's me".to_owned())];
        let program = ["/bin/sh", "-c", "echo \"<$GREETING$HOME>\"; exec cat"];
        let pane = Pane::start(&socket, place.path(), &variables, &program);
        let shows = |text: &str| {
            let until = Instant::now() + PATIENCE;
            while !pane.screen().contains(text) {
                assert!(Instant::now() < until, "{text} is not in: {}", pane.screen());
                std::thread::sleep(Duration::from_millis(20));
            }
        };
        shows("<it's me>");
        pane.type_text("-l said; $HOME");
        pane.press("Enter");
        shows("-l said; $HOME\n-l said; $HOME");
        let pid = pane.pid();
        assert!(pane.is_alive());
        drop(pane);
        assert!(test_kill_process(pid).is_err());
    }

    #[test]
    fn what_a_program_showed_last_outlives_it() {
        let place = tempfile::tempdir().unwrap();
        let socket = place.path().join("tmux");
        let pane = Pane::start(&socket, place.path(), &[], &["/bin/sh", "-c", "echo farewell"]);
        let until = Instant::now() + PATIENCE;
        while pane.is_alive() || !pane.screen_and_before().contains("farewell") {
            assert!(Instant::now() < until, "{}", pane.screen());
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}
