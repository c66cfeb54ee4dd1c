//! An export as other tools read it: nothing is missing, nothing is changed, and it can be taken in again.
#![expect(clippy::unwrap_used, reason = "a helper of a test fails by panicking")]

use std::path::Path;
use std::sync::Arc;

use interagent_core::ids::HubId;
use interagent_core::text::{StoredText, TextHash};
use interagent_mirror::export::{Exported, Format, Secrets, Wanted, export};
use interagent_store::{ForeignLine, Founding, ManualClock, OpenMode, SqliteEngine, Store};
use interagent_testkit::{exchange, facts};
use serde_json::Value;

fn store(dir: &Path, alias: &str) -> Store {
    let engine = SqliteEngine::open(&dir.join(alias), OpenMode::CreateIfMissing).unwrap();
    let founding = Founding { hub_id: Some(HubId::from_bits(1)), alias: alias.into(), user_dir: None };
    Store::open(Box::new(engine), Arc::new(ManualClock::new(1_793_914_800_000_000)), &founding).unwrap()
}

fn exported(store: &mut Store, format: Format, secrets: Secrets) -> (String, Exported) {
    let mut out = Vec::new();
    let wanted = Wanted { format, since: None, secrets };
    let done = export(store, &wanted, &mut out, &mut |_, _| {}).unwrap();
    (String::from_utf8(out).unwrap(), done)
}

#[test]
fn every_line_and_text_is_there_and_makes_the_same_hub_again() {
    let dir = tempfile::tempdir().unwrap();
    let mut here = store(dir.path(), "here");
    let kimi = facts::register(&mut here, "kimi");
    // More than a page.
    for n in 0..450 {
        facts::send(&mut here, &kimi, &kimi, &format!("subject {n}"), &format!("body {n}"));
    }
    let (text, done) = exported(&mut here, Format::Jsonl, Secrets::HeldBack);
    let (mut lines, mut texts) = (Vec::new(), Vec::new());
    for (n, line) in text.lines().enumerate() {
        let value: Value = serde_json::from_str(line).unwrap();
        if value.get("hash").is_some() {
            lines.push(ForeignLine { text: line.to_owned(), place: format!("export:{n}") });
        } else if let Some(salt) = value["text"]["salt"].as_str() {
            let hash = TextHash::parse(value["text"]["hash"].as_str().unwrap()).unwrap();
            let text = value["text"]["text"].as_str().unwrap().to_owned();
            texts.push(StoredText { hash, salt: salt.to_owned(), text });
        }
    }
    assert_eq!((lines.len(), texts.len()), (452, 900));
    assert_eq!((done.entries, done.texts, done.held), (452, 900, 0));
    assert!(text.lines().last().unwrap().starts_with("{\"end\":"));
    let mut there = store(dir.path(), "there");
    let taken = there.take_in(&lines, &texts).unwrap();
    assert_eq!((taken.new, taken.texts, taken.problems), (452, 900, vec![]));
    let origin = here.head().unwrap().origin;
    assert_eq!(there.lines_of(&origin, 1, 1000).unwrap(), here.lines_of(&origin, 1, 1000).unwrap());

    let (record, read) = exported(&mut here, Format::Markdown, Secrets::HeldBack);
    assert_eq!(read.entries, 450);
    let bodies: Vec<&str> = record.lines().filter(|line| line.starts_with("> body ")).collect();
    assert_eq!(
        (bodies.len(), bodies[0], bodies[449]),
        (450, "> body 0", "> body 449"),
        "each once, oldest first"
    );
}

#[test]
fn what_is_held_leaves_only_when_it_is_asked_for_and_a_purge_is_said() {
    let dir = tempfile::tempdir().unwrap();
    let mut here = store(dir.path(), "here");
    let kimi = facts::register(&mut here, "kimi");
    let token = ["npm_", "a1B2c3D4e5F6g7H8i9", "J0k1L2m3N4o5P6q7R8"].concat();
    facts::send(&mut here, &kimi, &kimi, "Access", &token);
    let (text, done) = exported(&mut here, Format::Jsonl, Secrets::HeldBack);
    assert!(!text.contains(&token) && text.contains("\"held\":\"npm_token\""), "{text}");
    assert_eq!(done.held, 1);
    assert!(exported(&mut here, Format::Jsonl, Secrets::Included).0.contains(&token));
    assert!(!exported(&mut here, Format::Markdown, Secrets::HeldBack).0.contains(&token));
    let lines = exchange::lines(&mut here);
    let text = exchange::texts(&mut here, &lines).into_iter().find(|text| text.text == token).unwrap();
    facts::purge(&mut here, &kimi, &text.hash);
    let (text, _) = exported(&mut here, Format::Jsonl, Secrets::Included);
    assert!(!text.contains(&token) && text.contains("\"absent\":\"purged\""), "{text}");
}
