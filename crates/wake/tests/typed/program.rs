//! A client of our own in a real terminal: it draws a composer as Claude Code does, does what the test wants of it, and writes down every
//! byte it receives. That log is the evidence: what is not in it was not typed.

use std::fmt::Write as _;
use std::fs::OpenOptions;
use std::io::{Read, Write};
use std::path::Path;

use rustix::termios::{OptionalActions, SpecialCodeIndex, tcgetattr, tcsetattr};

/// Names the directory with `mode` and `log`; set only inside of the terminal.
pub(crate) const PLACE: &str = "INTERAGENT_SCRIPTED_CLIENT";

/// How the client behaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Takes text, and submits it on Enter.
    Listens,
    /// Asks a question.
    Asks,
    /// Says that it works.
    Works,
    /// Takes text, and nothing happens on Enter.
    Deaf,
    /// A letter joins whatever is typed, as if a person had pressed a key at that moment.
    Meddles,
    /// A question opens as soon as something is typed.
    AsksWhenTyped,
    /// Takes text, and does not come to drawing it.
    Late,
}

const MODES: [(Mode, &str); 7] = [
    (Mode::Listens, "listens"),
    (Mode::Asks, "asks"),
    (Mode::Works, "works"),
    (Mode::Deaf, "deaf"),
    (Mode::Meddles, "meddles"),
    (Mode::AsksWhenTyped, "asks when typed"),
    (Mode::Late, "late"),
];

impl Mode {
    pub(crate) fn word(self) -> &'static str {
        MODES.iter().find(|(mode, _)| *mode == self).unwrap().1
    }

    /// What it draws last: when it is there, all is, and the cursor at its place.
    pub(crate) fn footer(self) -> &'static str {
        match self {
            Self::Asks => "Esc to cancel",
            Self::Works => "esc to interrupt",
            _ => "? for shortcuts",
        }
    }

    fn read(place: &Path) -> Self {
        let word = std::fs::read_to_string(place.join("mode")).unwrap_or_default();
        MODES.iter().find(|(_, other)| *other == word).map_or(Self::Listens, |(mode, _)| *mode)
    }
}

/// Started inside of the terminal by the test binary itself; does nothing anywhere else.
#[test]
#[ignore = "it is the program in the terminal"]
fn runs() {
    if let Some(place) = std::env::var_os(PLACE) {
        run(Path::new(&place));
    }
}

fn run(place: &Path) {
    let stdin = std::io::stdin();
    let mut settings = tcgetattr(&stdin).unwrap();
    settings.make_raw();
    // A read that finds nothing ends after a tenth of a second.
    settings.special_codes[SpecialCodeIndex::VMIN] = 0;
    settings.special_codes[SpecialCodeIndex::VTIME] = 1;
    tcsetattr(&stdin, OptionalActions::Now, &settings).unwrap();
    let mut log = OpenOptions::new().create(true).append(true).open(place.join("log")).unwrap();
    let (mut text, mut drawn) = (String::new(), String::new());
    loop {
        let mode = Mode::read(place);
        let screen = screen(mode, if mode == Mode::Late { "" } else { &text });
        if screen != drawn {
            let mut out = std::io::stdout().lock();
            out.write_all(screen.as_bytes()).unwrap();
            out.flush().unwrap();
            drawn = screen;
        }
        let mut bytes = [0; 256];
        let count = stdin.lock().read(&mut bytes).unwrap();
        log.write_all(&bytes[..count]).unwrap();
        for byte in &bytes[..count] {
            receive(mode, &mut text, *byte);
        }
        if mode == Mode::Meddles && count > 1 {
            text.push('x');
        }
    }
}

fn receive(mode: Mode, text: &mut String, byte: u8) {
    match byte {
        b'\r' if mode == Mode::Deaf => {}
        b'\r' => text.clear(),
        0x7f => drop(text.pop()),
        byte => text.push(char::from(byte)),
    }
}

fn screen(mode: Mode, text: &str) -> String {
    let rule = "─".repeat(60);
    let mut screen = "\u{1b}[2J\u{1b}[H".to_owned();
    if mode == Mode::Asks || (mode == Mode::AsksWhenTyped && !text.is_empty()) {
        let _ = write!(
            screen,
            "{rule}\r\n Do you want to proceed?\r\n ❯ 1. Yes\r\n   2. No\r\n\r\n Esc to cancel\u{1b}[3;2H"
        );
        return screen;
    }
    let footer = mode.footer();
    let column = text.chars().count() + 3;
    let _ = write!(screen, "hello\r\n\r\n{rule}\r\n❯ {text}\r\n{rule}\r\n  {footer}\u{1b}[4;{column}H");
    screen
}
