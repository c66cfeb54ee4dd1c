//! What the readers make of screens that the real clients showed. `crates/interagent/tests/clients/screens.rs` records them anew.
#![expect(clippy::unwrap_used, reason = "a helper of a test fails by panicking")]

use std::path::{Path, PathBuf};

use interagent_agents::{Profiles, Screen};
use interagent_wake::screen::{Capture, Held, Seen, read};

const SCREENS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/screens");

/// The clients there are screens of.
const CLIENTS: [&str; 7] = ["claude", "kimi", "gemini", "copilot", "codex", "qwen", "kimi-cli"];

fn screen_of(client: &str) -> Screen {
    Profiles::shipped().get(client).unwrap().screen.clone().unwrap()
}

fn capture(path: &Path) -> Capture {
    let text = std::fs::read_to_string(path).unwrap().replace('␛', "\u{1b}");
    let (place, text) = text.split_once('\n').unwrap();
    let pair = |text: &str, between: char| {
        let (one, two) = text.split_once(between).unwrap();
        (one.parse().unwrap(), two.parse().unwrap())
    };
    let (size, cursor) = place.split_once(" cursor ").unwrap();
    Capture::read(text, pair(size, 'x'), pair(cursor, ','))
}

fn states(client: &str) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = std::fs::read_dir(Path::new(SCREENS).join(client))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    paths.sort();
    paths
}

fn word(seen: &Seen) -> String {
    match seen {
        Seen::Composer(Held::Nothing) => "empty".to_owned(),
        Seen::Composer(Held::Text(lines)) => format!("holds {lines:?}"),
        Seen::Composer(Held::Edited) => "is edited".to_owned(),
        Seen::Busy => "busy".to_owned(),
        Seen::Dialog => "dialog".to_owned(),
        Seen::Unknown => "unknown".to_owned(),
    }
}

fn readings(client: &str) -> String {
    let screen = screen_of(client);
    let mut lines = String::new();
    for path in states(client) {
        let seen = read(&screen, &capture(&path)).seen;
        lines.push_str(&format!("{}: {}\n", path.file_stem().unwrap().to_string_lossy(), word(&seen)));
    }
    lines
}

/// New screens: `INSTA_UPDATE=always cargo nextest run -p interagent-wake --test screens`, and read what changed.
#[test]
fn every_screen_is_read_as_what_it_is() {
    for client in CLIENTS {
        insta::assert_snapshot!(client, readings(client));
    }
}

/// A screen of one client is never taken for the empty composer of another with another shape.
#[test]
fn the_screens_of_others_are_unknown() {
    for (own, other) in
        [("kimi", "claude"), ("claude", "kimi"), ("gemini", "kimi"), ("kimi", "gemini"), ("codex", "kimi")]
    {
        let screen = screen_of(own);
        for path in states(other) {
            let found = read(&screen, &capture(&path)).composer;
            assert_eq!(found, None, "{own} reads {}", path.display());
        }
    }
}

/// Wherever the cursor stands but at its place, the composer is not empty: there is none, or somebody edits.
#[test]
fn an_empty_composer_has_its_cursor_at_its_start() {
    for client in CLIENTS {
        let screen = screen_of(client);
        let path = Path::new(SCREENS).join(client).join("idle.txt");
        let text = std::fs::read_to_string(&path).unwrap();
        let right = capture(&path).cursor();
        assert_eq!(read(&screen, &capture(&path)).seen, Seen::Composer(Held::Nothing), "{client}");
        let (_, rows) = text.split_once('\n').unwrap();
        let rows = rows.replace('␛', "\u{1b}");
        // Every column near the composer, and its own column everywhere.
        for line in 0..50 {
            let near = right.1.abs_diff(line) < 3;
            for column in (0..160).filter(|column| near || *column == right.0) {
                let moved = Capture::read(&rows, (160, 50), (column, line));
                let is_empty = read(&screen, &moved).seen == Seen::Composer(Held::Nothing);
                assert_eq!(is_empty, (column, line) == right, "{client} at {column},{line}");
            }
        }
    }
}

#[test]
fn a_client_that_shows_how_much_context_is_used_is_believed_below_its_composer_only() {
    let left = |client: &str, state: &str| {
        read(&screen_of(client), &capture(&Path::new(SCREENS).join(client).join(state))).context_left
    };
    assert_eq!(
        [left("kimi", "idle.txt"), left("kimi", "narrow-idle.txt"), left("kimi", "trust.txt")],
        [Some(100), Some(99), None]
    );
    assert_eq!(left("claude", "idle.txt"), None);
    let path = Path::new(SCREENS).join("kimi/idle.txt");
    let text = std::fs::read_to_string(&path).unwrap();
    let place = std::env::temp_dir().join(format!("screen-{}", std::process::id()));
    for (shown, wanted) in [("context: 71%", Some(29)), ("context: 171%", None), ("context: many%", None)] {
        std::fs::write(&place, text.replace("context: 0%", shown)).unwrap();
        assert_eq!(read(&screen_of("kimi"), &capture(&place)).context_left, wanted, "{shown}");
    }
    std::fs::remove_file(&place).unwrap();
}
