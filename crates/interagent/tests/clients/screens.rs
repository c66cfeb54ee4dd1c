//! Records what the real clients show, for the tests of whoever reads their screens: `INTERAGENT_UPDATE_SCREENS=1` writes
//! `crates/wake/tests/screens/CLIENT/STATE.txt` anew. Without it nothing is done: looking again proves nothing new.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use interagent_testkit::Sandbox;
use interagent_testkit::clients::{Client, Session, Stage, Turn, client, within_own_network};

const VARIABLE: &str = "INTERAGENT_UPDATE_SCREENS";
const SCREENS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../wake/tests/screens");

/// Those that ask whether the folder is trusted, and how long they may take to.
const ASKS_FOR_TRUST: [&str; 3] = ["claude", "kimi", "copilot"];
const START: Duration = Duration::from_secs(60);

/// What a client has drawn after this time stays, on a machine that does nothing else.
const DRAWN: Duration = Duration::from_millis(900);

/// The line of a nudge.
const NUDGE: &str = "inbox3, or run: interagent inbox";

macro_rules! recorders {
    ($($test:ident: $client:literal,)*) => {$(
        #[test]
        #[ignore = "needs the real client, and somebody who wants new screens"]
        fn $test() {
            if std::env::var_os(VARIABLE).is_some() {
                within_own_network(concat!("screens::", stringify!($test)), |_| record(client($client)));
            }
        }
    )*};
}

recorders! {
    screens_of_claude: "claude",
    screens_of_kimi: "kimi",
    screens_of_gemini: "gemini",
    screens_of_copilot: "copilot",
    screens_of_codex: "codex",
    screens_of_qwen: "qwen",
    screens_of_kimi_cli: "kimi-cli",
}

fn record(client: &'static dyn Client) {
    let sandbox = Sandbox::of(Path::new(env!("CARGO_BIN_EXE_interagent")), &std::env::temp_dir());
    let mut stage = Stage::prepared(client, &sandbox);
    let book = Book::of(client);
    if ASKS_FOR_TRUST.contains(&client.name()) {
        forget_trust(&sandbox);
        let session = stage.begin();
        let until = Instant::now() + START;
        while !session.screen().contains("rust this folder") && !session.screen().contains("Do you trust") {
            assert!(Instant::now() < until, "it does not ask: {}", session.shown());
            std::thread::sleep(DRAWN);
        }
        book.keep(&session, "trust");
    }
    stage.configure_with(Vec::new());
    book.keep(&stage.open(), "asks-nobody");
    stage.ask_before_tools();
    let session = stage.open();
    book.keep(&session, "idle");
    typed(&book, &session);
    conversation(&book, &session, client);
    session.widen(60);
    book.keep(&session, "narrow-idle");
    session.type_text("a text that is so long that it does not fit into one line of so narrow a terminal");
    book.keep(&session, "narrow-typed");
}

/// Has the clients whose adapters say that the folder is trusted ask whether it is.
fn forget_trust(sandbox: &Sandbox) {
    let project = sandbox.project().display().to_string();
    let files = [
        (".claude.json", "\"hasTrustDialogAccepted\": true", "\"hasTrustDialogAccepted\": false"),
        (".copilot/config.json", project.as_str(), "/elsewhere"),
    ];
    for (name, trusted, asks) in files {
        let path = sandbox.home().join(name);
        if let Ok(text) = std::fs::read_to_string(&path) {
            std::fs::write(path, text.replace(trusted, asks)).unwrap();
        }
    }
}

/// What a person has typed and not sent.
fn typed(book: &Book, session: &Session<'_, '_>) {
    type_and_see(session, "please look at the");
    book.keep(session, "half-typed");
    session.press("Left");
    session.press("Left");
    book.keep(session, "half-typed-cursor-inside");
    session.press("End");
    type_and_see(session, " \\");
    session.press("Enter");
    type_and_see(session, "second line");
    book.keep(session, "two-lines");
    session.press("C-c");
    wait_until(session, |screen| !screen.contains("second line"));
    book.keep(session, "cancelled");
    session.type_text("/");
    book.keep(session, "slash-menu");
    session.press("BSpace");
    session.type_text("?");
    book.keep(session, "question-mark");
    session.press("BSpace");
    book.keep(session, "emptied");
    session.type_text("!");
    book.keep(session, "shell-mode");
    type_and_see(session, NUDGE);
    book.keep(session, "shell-mode-typed");
    erase(session, NUDGE);
    session.press("BSpace");
    // Some leave this mode only so.
    std::thread::sleep(DRAWN);
    session.press("Escape");
    std::thread::sleep(DRAWN);
    type_and_see(session, NUDGE);
    book.keep(session, "nudge-typed");
    erase(session, NUDGE);
    book.keep(session, "nudge-removed");
    for command in ["/clear", "/new", "/model mock-model", "/exit"] {
        type_and_see(session, command);
        book.keep(session, &format!("typed-{}", command.trim_start_matches('/').replace(' ', "-")));
        erase(session, command);
        // What is typed right behind backspaces is lost in one client.
        std::thread::sleep(DRAWN);
    }
}

/// A client on a busy machine draws late.
fn type_and_see(session: &Session<'_, '_>, text: &str) {
    session.type_text(text);
    wait_until(session, |screen| screen.contains(text));
}

fn erase(session: &Session<'_, '_>, text: &str) {
    for _ in text.chars() {
        session.press("BSpace");
    }
    wait_until(session, |screen| !screen.contains(&text[..2]));
}

/// Waits, and goes on in any case: what a client makes of a key differs.
fn wait_until(session: &Session<'_, '_>, is_so: impl Fn(&str) -> bool) {
    let until = Instant::now() + Duration::from_secs(5);
    while Instant::now() < until && !is_so(&session.screen()) {
        std::thread::sleep(Duration::from_millis(50));
    }
}

fn conversation(book: &Book, session: &Session<'_, '_>, client: &dyn Client) {
    session.model().cue("tell me a lot", vec![Turn::Say(long_answer())]);
    session.prompt("tell me a lot");
    session.settle();
    book.keep(session, "after-turn");
    session.model().hold();
    session.prompt("think about it");
    book.keep(session, "busy");
    session.type_text("meanwhile");
    book.keep(session, "busy-typed");
    for _ in 0..9 {
        session.press("BSpace");
    }
    session.model().let_go();
    session.settle();
    session
        .model()
        .cue("run a command", vec![client.shell("touch somewhere; sleep 4"), Turn::Say("ready".into())]);
    session.prompt("run a command");
    std::thread::sleep(Duration::from_secs(1));
    book.keep(session, "permission");
    session.press("Enter");
    session.settle();
    book.keep(session, "after-permission");
    session.press("Escape");
    std::thread::sleep(Duration::from_millis(100));
    session.press("Escape");
    book.keep(session, "escape-twice");
    session.press("Escape");
    book.keep(session, "escaped");
    session.type_text("/model mock-model");
    std::thread::sleep(DRAWN);
    session.press("Enter");
    book.keep(session, "after-model");
    session.press("Escape");
    std::thread::sleep(DRAWN);
}

fn long_answer() -> String {
    (1..80).map(|line| format!("Line {line} says nothing new.\n\n")).collect()
}

/// Where the screens of a client are kept.
struct Book {
    directory: PathBuf,
}

impl Book {
    fn of(client: &dyn Client) -> Self {
        let directory = Path::new(SCREENS).join(client.name());
        std::fs::create_dir_all(&directory).unwrap();
        Self { directory }
    }

    fn keep(&self, session: &Session<'_, '_>, state: &str) {
        std::thread::sleep(DRAWN);
        let screen = session.styled_screen().replace('\u{1b}', "␛");
        std::fs::write(self.directory.join(format!("{state}.txt")), screen).unwrap();
    }
}
