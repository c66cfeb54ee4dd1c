//! A client at a terminal: a person starts it, types prompts and commands, and looks at the screen.

use std::io::Write as _;
use std::time::{Duration, Instant};

use interagent_mock_model::{Conversation, MockModel};
use rustix::process::{Pid, Signal, kill_process, test_kill_process};

use super::adapters::Terminal;
use super::stage::{Place, Stage};
use super::tmux::Pane;

/// How long a client may take to show what is expected of it. They need seconds.
const PATIENCE: Duration = Duration::from_secs(90);

/// How long it may take to start, which some do slowly without a network.
const START_PATIENCE: Duration = Duration::from_secs(75);

/// Between a text and the Enter after it. Some clients take an Enter that comes at once for a line break of a paste.
const BEFORE_ENTER: Duration = Duration::from_millis(350);

/// A screen that did not change for so long shows its end.
const QUIET: Duration = Duration::from_millis(600);

const LOOK_EVERY: Duration = Duration::from_millis(40);

/// A client that waits for a person.
#[derive(Debug)]
pub struct Session<'s, 'a> {
    stage: &'s Stage<'a>,
    terminal: Terminal,
    pane: Pane,
    began: Instant,
}

impl<'s, 'a> Session<'s, 'a> {
    /// Starts the client, and waits until one can type.
    pub(super) fn start(stage: &'s Stage<'a>, place: &Place) -> Self {
        let session = Self::begin(stage, place);
        session.wait_until_one_can_type();
        session
    }

    /// Starts the client, and answers nothing that it may ask.
    pub(super) fn begin(stage: &'s Stage<'a>, place: &Place) -> Self {
        let (terminal, pane) = stage.open_terminal(place);
        Self { stage, terminal, pane, began: Instant::now() }
    }

    /// The model the client speaks to.
    pub fn model(&self) -> &MockModel {
        self.stage.model()
    }

    /// What the terminal shows now, without empty lines, for whoever has to find out what went wrong.
    pub fn shown(&self) -> String {
        let screen = self.pane.screen_and_before();
        let lines: Vec<&str> = screen.lines().filter(|line| !line.trim().is_empty()).collect();
        format!("the screen of {}:\n{}", self.stage.name(), lines.join("\n"))
    }

    /// What the terminal shows now.
    pub fn screen(&self) -> String {
        self.pane.screen()
    }

    /// What it shows with its colours, below a line that says how large it is and where the cursor stands.
    pub fn styled_screen(&self) -> String {
        self.pane.styled()
    }

    /// The socket of the tmux server with its terminal, the only one there.
    pub fn socket(&self) -> &std::path::Path {
        self.pane.socket()
    }

    /// Types a text as it is, and no Enter.
    pub fn type_text(&self, text: &str) {
        self.pane.type_text(text);
    }

    /// Presses a key by the name tmux gives it.
    pub fn press(&self, key: &str) {
        self.pane.press(key);
    }

    /// Makes the terminal as wide.
    pub fn widen(&self, columns: u16) {
        self.pane.widen(columns);
    }

    /// The client's process, or that of its launcher.
    pub fn pid(&self) -> i32 {
        self.pane.pid().as_raw_nonzero().get()
    }

    /// Types a prompt and gives the first request that the model got with it. The prompt has to differ from all others.
    #[track_caller]
    pub fn prompt(&self, text: &str) -> Conversation {
        self.model().cue_if_none(text);
        self.submit(text);
        self.told(text)
    }

    /// The first request in which the model was told a text; fails the test when there is none in time.
    #[track_caller]
    pub fn told(&self, text: &str) -> Conversation {
        let found = self.model().wait_for(|conversation| conversation.tells(text), PATIENCE);
        found.unwrap_or_else(|| panic!("the model was never told `{text}`"))
    }

    /// Clears the conversation, as a person would.
    #[track_caller]
    pub fn clear(&self) {
        self.submit(self.terminal.clear);
        self.settle();
    }

    /// Has the client shorten the conversation, as a person would.
    #[track_caller]
    pub fn compact(&self) {
        self.submit(self.terminal.compact);
        self.settle();
    }

    /// Waits until the client has nothing to do.
    #[track_caller]
    pub fn settle(&self) {
        let until = Instant::now() + PATIENCE;
        let (mut screen, mut since) = (self.screen(), Instant::now());
        while since.elapsed() < QUIET || (self.terminal.busy)(&screen) {
            assert!(Instant::now() < until, "{} does not come to rest", self.stage.name());
            std::thread::sleep(LOOK_EVERY);
            let now = self.screen();
            if now != screen {
                (screen, since) = (now, Instant::now());
            }
        }
    }

    /// Types a command of the client that ends it, and waits until it has.
    #[track_caller]
    pub fn quit(&self, command: &str) {
        self.submit(command);
        let until = Instant::now() + PATIENCE;
        while self.pane.is_alive() {
            assert!(Instant::now() < until, "{} does not end", self.stage.name());
            std::thread::sleep(LOOK_EVERY);
        }
    }

    /// Kills the client, which gets no chance to say goodbye.
    pub fn kill(&self) {
        let pid: Pid = self.pane.pid();
        kill_process(pid, Signal::KILL).unwrap();
        while self.pane.is_alive() && test_kill_process(pid).is_ok() {
            std::thread::sleep(LOOK_EVERY);
        }
    }

    /// Types a text, sees it on the screen, and only then presses Enter.
    #[track_caller]
    fn submit(&self, text: &str) {
        self.settle();
        self.pane.type_text(text);
        self.wait_until(text, |screen| screen.contains(text));
        std::thread::sleep(BEFORE_ENTER);
        self.pane.press("Enter");
    }

    /// Waits for the line to type in. A dialog may come late, so the screen must have come to rest.
    #[track_caller]
    fn wait_until_one_can_type(&self) {
        let until = Instant::now() + START_PATIENCE;
        loop {
            let screen = self.screen();
            let open = self.terminal.dialogs.iter().find(|(question, _)| screen.contains(question));
            if let Some((_, keys)) = open {
                for key in *keys {
                    std::thread::sleep(BEFORE_ENTER);
                    self.pane.press(key);
                }
                std::thread::sleep(QUIET);
            } else if (self.terminal.ready)(&screen) {
                self.settle();
                if (self.terminal.ready)(&self.screen()) {
                    return;
                }
            }
            assert!(self.pane.is_alive(), "{} ended", self.stage.name());
            assert!(Instant::now() < until, "{} has no line to type in", self.stage.name());
            std::thread::sleep(LOOK_EVERY);
        }
    }

    #[track_caller]
    fn wait_until(&self, what: &str, seen: impl Fn(&str) -> bool) {
        let until = Instant::now() + PATIENCE;
        while !seen(&self.screen()) {
            assert!(Instant::now() < until, "the screen does not show `{what}`");
            std::thread::sleep(LOOK_EVERY);
        }
    }
}

/// A test that fails shows what was on the screen.
impl Drop for Session<'_, '_> {
    fn drop(&mut self) {
        self.model().let_go();
        self.stage.was_used(self.began.elapsed());
        if std::thread::panicking() {
            // Nothing can be done about a standard error that is closed.
            let _ = writeln!(std::io::stderr(), "{}", self.shown());
        }
    }
}
