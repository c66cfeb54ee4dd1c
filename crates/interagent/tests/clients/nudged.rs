//! The typed nudge and real clients, behind a relay that writes down every byte that reaches them. The hooks are said to be silent about
//! all that happens: what holds the keys back here is what is seen on the screen.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use interagent_agents::{Profile, Profiles};
use interagent_testkit::Sandbox;
use interagent_testkit::clients::{Client, Session, Stage, Turn, client, relay, within_own_network};
use interagent_wake::control::{self, Order};
use interagent_wake::nudge::{self, Outcome, Reason, Target, Testimony, Witness};
use interagent_wake::process::Registered;
use interagent_wake::tmux::{PaneId, Server, Typing};
use rustix::process::{Pid, Signal, kill_process};

const PATIENCE: Duration = Duration::from_secs(90);

#[test]
#[ignore = "needs the real client: cargo xtask clients NAME"]
fn claude() {
    within_own_network("nudged::claude", |_| nudged(client("claude")));
}

#[test]
#[ignore = "needs the real client: cargo xtask clients NAME"]
fn kimi() {
    within_own_network("nudged::kimi", |_| nudged(client("kimi")));
}

#[test]
#[ignore = "needs the real client, which is in no ordinary run"]
fn gemini() {
    within_own_network("nudged::gemini", |_| nudged(client("gemini")));
}

#[test]
#[ignore = "needs the real client, which is in no ordinary run"]
fn copilot() {
    within_own_network("nudged::copilot", |_| nudged(client("copilot")));
}

#[test]
#[ignore = "needs the real client, which is in no ordinary run"]
fn kimi_cli() {
    within_own_network("nudged::kimi_cli", |_| nudged(client("kimi-cli")));
}

#[test]
#[ignore = "it is the relay in the terminal"]
fn relays() {
    relay::run();
}

fn nudged(client: &'static dyn Client) {
    let sandbox = Sandbox::of(Path::new(env!("CARGO_BIN_EXE_interagent")), &std::env::temp_dir());
    let mut stage = Stage::prepared(client, &sandbox);
    stage.ask_before_tools();
    let log = sandbox.home().join("typed");
    let starter = relay::starter("nudged::relays", &log);
    stage.start_by(&starter.iter().map(String::as_str).collect::<Vec<_>>());
    {
        let session = stage.open();
        let desk = Desk::before(&session, client, log);
        half_typed(&desk);
        copy_mode(&desk);
        working(&desk);
        question(&desk);
        safe(&desk);
        // kimi-cli can't be controlled: its command menu hides the composer.
        if desk.profile.control.quit.is_some() {
            controlled(&desk);
        }
    }
    left_a_shell(stage, client);
}

fn half_typed(desk: &Desk<'_>) {
    desk.session.type_text("half a li");
    desk.wait_for_screen("half a li");
    desk.gets_nothing(&[Reason::Typed]);
    for _ in 0.."half a li".len() {
        desk.session.press("BSpace");
    }
}

fn copy_mode(desk: &Desk<'_>) {
    desk.tmux(&["copy-mode", "-t", "client"]);
    desk.gets_nothing(&[Reason::CopyMode]);
    desk.tmux(&["send-keys", "-t", "client", "-X", "cancel"]);
}

fn working(desk: &Desk<'_>) {
    desk.session.model().hold();
    desk.session.prompt("think about it");
    // The model hears of it before the screen shows it.
    std::thread::sleep(Duration::from_secs(1));
    desk.gets_nothing(&[Reason::Works, Reason::Output]);
    desk.session.model().let_go();
    desk.session.settle();
}

fn question(desk: &Desk<'_>) {
    let errand = crate::team::nonce("errand");
    let made = desk.client.shell("echo asked > asked.txt");
    desk.session.model().cue(&errand, vec![made, Turn::Say("ready".into())]);
    desk.session.prompt(&errand);
    // It shows what it is about to do before it asks.
    let until = Instant::now() + PATIENCE;
    while !desk.asks() {
        assert!(Instant::now() < until, "{}", desk.session.shown());
        std::thread::sleep(Duration::from_millis(100));
    }
    desk.gets_nothing(&[Reason::Dialog]);
    // A client under load may miss a key.
    let until = Instant::now() + PATIENCE;
    while desk.asks() {
        assert!(Instant::now() < until, "{}", desk.session.shown());
        desk.session.press("Escape");
        std::thread::sleep(Duration::from_secs(2));
    }
    desk.session.settle();
}

/// The nudge comes when it is safe, and only it.
fn safe(desk: &Desk<'_>) {
    let before = desk.log();
    let outcome = desk.until_safe(|| desk.nudge());
    assert_eq!(outcome, Outcome::Submitted, "{}", desk.session.shown());
    desk.session.told("interagent: new mail, please read it");
    assert_eq!(desk.log().strip_prefix(&before).unwrap(), "interagent: new mail, please read it\r");
    desk.session.settle();
}

fn controlled(desk: &Desk<'_>) {
    let order = |order: &Order| {
        desk.until_safe(|| control::carry_out(desk.target(), &desk.profile, order, &SaysIdle).unwrap())
    };
    let model = Order::Model("claude-sonnet-4-5".to_owned());
    let takes_a_model = control::command(&desk.profile, &model).is_ok();
    if desk.client.name() == "claude" {
        // In the middle of a conversation it asks back, and nobody answers but the person.
        let before = desk.log();
        assert_eq!(order(&model), Outcome::Stranded(Reason::Dialog), "{}", desk.session.shown());
        assert_eq!(desk.log().strip_prefix(&before).unwrap(), "/model claude-sonnet-4-5\r");
        desk.session.press("Escape");
        desk.session.settle();
    }
    assert_eq!(order(&Order::Clear), Outcome::Submitted);
    desk.session.settle();
    if takes_a_model {
        assert_eq!(order(&model), Outcome::Submitted, "{}", desk.session.shown());
        desk.session.settle();
    }
    let after = desk.session.prompt("what was before");
    assert!(!after.tells("think about it"), "{after:#?}");
    desk.session.settle();
    assert_eq!(order(&Order::Stop), Outcome::Submitted);
    let until = Instant::now() + PATIENCE;
    while desk.process.is_alive() {
        assert!(Instant::now() < until, "it did not end: {}", desk.session.shown());
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// The client dies, and the shell it was started from is there again.
fn left_a_shell(mut stage: Stage<'_>, client: &'static dyn Client) {
    stage.start_by(&["sh", "-c", "\"$@\"; stty sane; PS1='left> ' exec sh -i", "sh"]);
    let session = stage.open();
    let mut desk = Desk::before(&session, client, PathBuf::new());
    let all = below(session.pid());
    desk.process = Registered::now(all[0]).unwrap();
    assert_eq!(desk.until_safe(|| desk.nudge()), Outcome::Submitted, "while it lives");
    session.settle();
    for pid in below(session.pid()) {
        let _ = kill_process(Pid::from_raw(pid).unwrap(), Signal::KILL);
    }
    desk.wait_for_screen("left>");
    // A shell shows what is typed into it, and moves its cursor.
    session.settle();
    let left = session.styled_screen();
    assert_eq!(desk.nudge(), Outcome::NotSafe(Reason::Gone));
    session.settle();
    assert_eq!(session.styled_screen(), left);
}

/// Removes the terminal's cursor position reports, such as `ESC [ 30 ; 1 R`.
fn without_reports(log: &str) -> String {
    let mut pieces = log.split("\u{1b}[");
    let mut typed = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let behind = piece.trim_start_matches(|symbol: char| symbol.is_ascii_digit() || symbol == ';');
        match behind.strip_prefix('R') {
            Some(behind) => typed.push_str(behind),
            None => typed.extend(["\u{1b}[", piece]),
        }
    }
    typed
}

/// What a process started, and what that started: some clients are a launcher with the program behind it.
fn below(pid: i32) -> Vec<i32> {
    let children = std::fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap_or_default();
    let children = children.split_whitespace().map(|child| child.parse().unwrap());
    children.flat_map(|child: i32| std::iter::once(child).chain(below(child))).collect()
}

/// Whoever would type into the client.
struct Desk<'s> {
    client: &'static dyn Client,
    session: &'s Session<'s, 's>,
    server: Server,
    pane: PaneId,
    profile: Profile,
    process: Registered,
    log: PathBuf,
}

/// Hooks that know of nothing.
struct SaysIdle;

impl Witness for SaysIdle {
    fn testify(&self) -> Testimony {
        Testimony { is_idle: true, asked: None, submitted: None }
    }
}

impl<'s> Desk<'s> {
    fn before(session: &'s Session<'s, 's>, client: &'static dyn Client, log: PathBuf) -> Self {
        let server = Server::at(session.socket());
        let pane = server.ask(&["list-panes", "-a", "-F", "#{pane_id}"]).unwrap();
        let pane = PaneId::parse(pane.trim()).unwrap();
        let profile = Profiles::shipped().get(client.profile()).unwrap();
        let process = Registered::now(session.pid()).unwrap();
        Self { client, session, server, pane, profile, process, log }
    }

    fn target(&self) -> Target<'_> {
        Target {
            server: &self.server,
            pane: &self.pane,
            id: "agt-nobody",
            agent: "nobody",
            process: &self.process,
            screen: self.profile.screen.as_ref(),
        }
    }

    fn nudge(&self) -> Outcome {
        nudge::type_into(self.target(), &Typing::Words(nudge::line().unwrap()), &SaysIdle)
    }

    /// Tries as the supervisor would, while the client still draws.
    fn until_safe(&self, attempt: impl Fn() -> Outcome) -> Outcome {
        let until = Instant::now() + PATIENCE;
        loop {
            let outcome = attempt();
            let waits = matches!(outcome, Outcome::NotSafe(_)) && Instant::now() < until;
            if !waits {
                return outcome;
            }
        }
    }

    /// What is typed is for nobody: the log is as it was.
    #[track_caller]
    fn gets_nothing(&self, because: &[Reason]) {
        let before = self.still_log();
        let outcome = self.nudge();
        let is_one = because.iter().any(|reason| outcome == Outcome::NotSafe(*reason));
        assert!(is_one, "{outcome}\n{}", self.session.shown());
        assert_eq!(self.log(), before);
    }

    /// Whether a question is open on the screen.
    fn asks(&self) -> bool {
        let screen = self.session.screen();
        let signs =
            ["Do you want to proceed", "Do you want to run", "Allow execution", "Enter select", "↵ confirm"];
        signs.iter().any(|sign| screen.contains(sign))
    }

    /// The log once everything is in it that was typed before.
    fn still_log(&self) -> String {
        let mut before = self.log();
        loop {
            std::thread::sleep(Duration::from_millis(500));
            let now = self.log();
            if now == before {
                return now;
            }
            before = now;
        }
    }

    fn log(&self) -> String {
        let log = std::fs::read(&self.log).unwrap_or_default();
        without_reports(&String::from_utf8_lossy(&log))
    }

    fn tmux(&self, words: &[&str]) {
        self.server.ask(words).unwrap();
    }

    #[track_caller]
    fn wait_for_screen(&self, text: &str) {
        let until = Instant::now() + PATIENCE;
        while !self.session.screen().contains(text) {
            assert!(Instant::now() < until, "`{text}` is not in {}", self.session.shown());
            std::thread::sleep(Duration::from_millis(40));
        }
    }
}
