//! A purged text is gone from every byte of the store's files.
#![expect(clippy::unwrap_used, reason = "a helper of a test fails by panicking")]

mod support;

use interagent_core::event::{TaskNoted, TextPurged};
use interagent_core::ids::EntityRef;
use interagent_core::text::TextHash;
use interagent_store::Store;
use interagent_testkit::conformance::{Factory, clock};
use interagent_testkit::facts::{append, create_task, operator, purge};
use support::SqliteReplicas;

/// The files of a closed store that hold these bytes.
fn files_with(replicas: &SqliteReplicas, needle: &str) -> Vec<String> {
    let mut found = Vec::new();
    for file in std::fs::read_dir(replicas.state_dir("a")).unwrap().map(Result::unwrap) {
        let bytes = if file.path().is_file() { std::fs::read(file.path()).unwrap() } else { Vec::new() };
        if bytes.windows(needle.len()).any(|window| window == needle.as_bytes()) {
            found.push(file.file_name().into_string().unwrap());
        }
    }
    found
}

fn notes(store: &mut Store, texts: &[String]) -> Vec<TextHash> {
    let actor = operator(store);
    let task = create_task(store, &actor, "Rotate the keys");
    let mut hashes = Vec::new();
    for some in texts.chunks(20) {
        append(store, &actor, |draft| {
            for text in some {
                let note = draft.plain(text);
                hashes.push(note.clone());
                draft.add(EntityRef::Task(task.clone()), TaskNoted { note });
            }
        });
    }
    hashes
}

#[test]
fn a_scrubbed_text_is_in_no_file() {
    let replicas = SqliteReplicas::new();
    let mut store = replicas.open("a", clock());
    let actor = operator(&mut store);
    let secret = format!("hunter2-{}", "x".repeat(9000));
    let hash = notes(&mut store, &[secret]).remove(0);
    let salt = store.text_with_salt(&hash).unwrap().unwrap().salt;
    purge(&mut store, &actor, &hash);
    drop(store);
    assert_ne!(
        files_with(&replicas, "hunter2-"),
        Vec::<String>::new(),
        "without a scrub the log still has it"
    );
    let mut store = replicas.open("a", clock());
    assert!(store.scrub().unwrap());
    drop(store);
    for needle in ["hunter2-", salt.as_str()] {
        assert_eq!(files_with(&replicas, needle), Vec::<String>::new());
    }
}

/// Pages are split and filled anew while texts come and go; no copy may be left behind in a page's unused part.
#[test]
fn no_copy_stays_in_the_unused_part_of_a_page() {
    let replicas = SqliteReplicas::new();
    let mut store = replicas.open("a", clock());
    let actor = operator(&mut store);
    let name = |i: usize| format!("secret-{i:04}-");
    let hashes = notes(&mut store, &(0..240).map(|i| name(i) + &"y".repeat(i % 700)).collect::<Vec<_>>());
    // Pages run empty and are merged, so that texts move; then some of those that moved are purged, too.
    for round in [5, 4, 3, 2, 1] {
        append(&mut store, &actor, |draft| {
            for hash in hashes.iter().skip(round).step_by(6) {
                draft.add(EntityRef::Text(hash.clone()), TextPurged { reason: None });
            }
        });
    }
    notes(&mut store, &(0..300).map(|i| "z".repeat(1 + i % 900)).collect::<Vec<_>>());
    assert!(store.scrub().unwrap());
    drop(store);
    let bytes = std::fs::read(replicas.state_dir("a").join("hub.db")).unwrap();
    let text = String::from_utf8_lossy(&bytes);
    let left: Vec<usize> = (0..240).filter(|i| text.contains(&name(*i))).collect();
    assert_eq!(left, (0..240).filter(|i| i % 6 == 0).collect::<Vec<_>>());
}
