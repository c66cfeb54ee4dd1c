//! Histories that somebody with access to the branch tampered with. Each is refused, or shown for what it is.

use interagent_core::entry::{Entry, Line};
use interagent_core::ids::{HubId, OriginId};
use interagent_core::signature::{Seal, SecretKey};
use interagent_mirror::git::Report;
use interagent_store::Store;
use interagent_testkit::facts;

use super::super::Pair;

/// Two replicas that know each other's keys.
struct Known {
    pair: Pair,
    a: Store,
    b: Store,
}

/// What was tampered with, and what the clone `a` says of it.
struct Case {
    name: &'static str,
    tamper: fn(&Known, &std::path::Path),
    /// Part of a problem that is named; nothing where the history is as good as before.
    problem: Option<&'static str>,
}

fn known() -> Known {
    let pair = Pair::new();
    let (mut a, mut b) = (pair.store("a"), pair.store("b"));
    for name in ["ann", "amy"] {
        facts::register(&mut a, name);
    }
    for name in ["bob", "ben"] {
        facts::register(&mut b, name);
    }
    for _ in 0..2 {
        pair.sync("a", &mut a);
        pair.sync("b", &mut b);
    }
    pair.sync("a", &mut a);
    Known { pair, a, b }
}

fn segment(edit: &std::path::Path, origin: &OriginId) -> std::path::PathBuf {
    edit.join(format!("log/{origin}/000000000001.jsonl"))
}

fn lines(edit: &std::path::Path, origin: &OriginId) -> Vec<String> {
    let text = std::fs::read_to_string(segment(edit, origin)).unwrap();
    text.lines().map(str::to_owned).collect()
}

fn write(edit: &std::path::Path, origin: &OriginId, lines: &[String]) {
    std::fs::write(segment(edit, origin), lines.join("\n") + "\n").unwrap();
}

/// A line with a right hash in the right place that its replica never wrote.
fn next_of(line: &str) -> String {
    let line = Line::verify(line).unwrap();
    let mut entry: Entry = line.entry().unwrap();
    entry.envelope.oseq += 1;
    entry.envelope.at += 1;
    entry.envelope.prev = line.hash;
    entry.envelope.op = "forged".to_owned();
    entry.seal().unwrap().text
}

/// The same line with other content.
fn changed(line: &str) -> String {
    let mut entry = Line::verify(line).unwrap().entry().unwrap();
    entry.envelope.op = "forged".to_owned();
    entry.seal().unwrap().text
}

fn origin(store: &Known, whose: char) -> OriginId {
    let state = store.pair.state(&whose.to_string());
    let engine = interagent_store::SqliteEngine::open(&state, interagent_store::OpenMode::Existing).unwrap();
    let founding = interagent_store::Founding { hub_id: None, alias: String::new(), user_dir: None };
    let clock = interagent_testkit::conformance::clock();
    Store::open(Box::new(engine), clock, &founding).unwrap().head().unwrap().origin
}

fn append(known: &Known, edit: &std::path::Path, whose: char) {
    let origin = origin(known, whose);
    let mut lines = lines(edit, &origin);
    lines.push(next_of(lines.last().unwrap()));
    write(edit, &origin, &lines);
}

fn replace(known: &Known, edit: &std::path::Path, whose: char) {
    let origin = origin(known, whose);
    let mut lines = lines(edit, &origin);
    lines[1] = changed(&lines[1]);
    write(edit, &origin, &lines);
}

/// Somebody signs the log as it is on the branch with a key of their own.
fn sign(known: &Known, edit: &std::path::Path, whose: char) {
    let origin = origin(known, whose);
    let last = Line::verify(lines(edit, &origin).last().unwrap()).unwrap();
    let key = SecretKey::from_seed([9; 32]).unwrap();
    let seal: Seal =
        key.seal(HubId::from_bits(1), origin.clone(), last.place().unwrap().oseq, last.hash.clone());
    let text = serde_json::to_string(&seal).unwrap();
    std::fs::write(edit.join(format!("log/{origin}/{:012}-stranger.seal", seal.oseq)), text).unwrap();
}

fn drop_seals(edit: &std::path::Path, origin: &OriginId) {
    for file in std::fs::read_dir(edit.join(format!("log/{origin}"))).unwrap() {
        let path = file.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "seal") {
            std::fs::remove_file(path).unwrap();
        }
    }
}

const CASES: &[Case] = &[
    Case {
        name: "an entry of our own is added",
        tamper: |known, edit| append(known, edit, 'a'),
        problem: Some("claims to be of this replica"),
    },
    Case {
        name: "an entry of our own is added and signed with another key",
        tamper: |known, edit| {
            append(known, edit, 'a');
            sign(known, edit, 'a');
        },
        problem: Some("claims to be of this replica"),
    },
    Case {
        name: "an entry of our own is added in another segment",
        tamper: |known, edit| {
            let origin = origin(known, 'a');
            let last = next_of(lines(edit, &origin).last().unwrap());
            std::fs::write(edit.join(format!("log/{origin}/000000000004.jsonl")), last + "\n").unwrap();
        },
        problem: Some("claims to be of this replica"),
    },
    Case {
        name: "an entry of our own is changed",
        tamper: |known, edit| replace(known, edit, 'a'),
        problem: Some("claims to be of this replica"),
    },
    Case {
        name: "an entry of another replica is added",
        tamper: |known, edit| append(known, edit, 'b'),
        problem: Some("no signature of that replica covers it"),
    },
    Case {
        name: "an entry of another replica is changed",
        tamper: |known, edit| replace(known, edit, 'b'),
        problem: Some("no signature of that replica covers it"),
    },
    Case {
        name: "an entry of another replica is added and signed with another key",
        tamper: |known, edit| {
            append(known, edit, 'b');
            sign(known, edit, 'b');
        },
        problem: Some("no signature of that replica covers it"),
    },
    Case {
        name: "the log of another replica is signed with another key",
        tamper: |known, edit| sign(known, edit, 'b'),
        problem: Some("is also signed with another key"),
    },
    Case {
        name: "another replica goes on without signatures",
        tamper: |known, edit| {
            drop_seals(edit, &origin(known, 'b'));
            append(known, edit, 'b');
        },
        problem: Some("no signature of that replica covers it"),
    },
    Case {
        name: "the seals are gone",
        tamper: |known, edit| {
            ['a', 'b'].into_iter().for_each(|whose| drop_seals(edit, &origin(known, whose)));
        },
        problem: None,
    },
    Case {
        name: "entries are repeated",
        tamper: |known, edit| {
            let origin = origin(known, 'b');
            let mut lines = lines(edit, &origin);
            lines.extend(lines.clone());
            write(edit, &origin, &lines);
        },
        problem: None,
    },
    Case {
        name: "entries are in another order",
        tamper: |known, edit| {
            let origin = origin(known, 'b');
            let mut lines = lines(edit, &origin);
            lines.reverse();
            write(edit, &origin, &lines);
        },
        problem: None,
    },
    Case {
        name: "a seal is junk",
        tamper: |known, edit| {
            let origin = origin(known, 'b');
            std::fs::write(edit.join(format!("log/{origin}/000000009999-00000000.seal")), "{}").unwrap();
        },
        problem: None,
    },
];

fn forged(store: &mut Store) -> usize {
    let all = store.lines_after(0, u32::MAX).unwrap();
    all.iter().filter(|line| line.line.contains("\"op\":\"forged\"")).count()
}

fn says(report: &Report, part: &str) -> bool {
    report.problems.iter().any(|problem| problem.contains(part))
}

#[test]
fn tampered_branch_is_refused_or_named() {
    for Case { name, tamper, problem } in CASES {
        let mut known = known();
        known.pair.edit(|edit| tamper(&known, edit));
        let before = known.a.head().unwrap();
        let report = known.pair.sync("a", &mut known.a);
        match problem {
            Some(problem) => assert!(says(&report, problem), "{name}: {report:?}"),
            None => assert_eq!(report.problems, [] as [String; 0], "{name}"),
        }
        assert_eq!(known.a.head().unwrap(), before, "{name}");
        // Both go on, hear of each other, and nothing forged gets through anywhere.
        let Known { pair, a, b } = &mut known;
        facts::register(a, "zoe");
        facts::register(b, "zac");
        for _ in 0..2 {
            pair.sync("a", a);
            pair.sync("b", b);
        }
        pair.sync("a", a);
        assert_eq!((forged(a), forged(b)), (0, 0), "{name}");
        assert_eq!(a.head().unwrap().seq, b.head().unwrap().seq, "{name}");
        assert_eq!(a.head().unwrap().seq, 8, "{name}");
        // A clone that joins now hears the same from the branch alone.
        pair.repository("c");
        let mut c = pair.store("c");
        let report = pair.sync("c", &mut c);
        assert_eq!((forged(&mut c), c.head().unwrap().seq), (0, 9), "{name}: {report:?}");
    }
}

#[test]
fn forged_entries_of_our_own_are_removed_from_the_branch() {
    let mut known = known();
    let own = known.a.head().unwrap().origin;
    let path = format!("log/{own}/000000000001.jsonl");
    let before = known.pair.show("a", &path);
    known.pair.edit(|edit| append(&known, edit, 'a'));
    known.pair.sync("a", &mut known.a);
    assert_eq!(known.pair.show("remote.git", &path), before);
}
