//! Broken, foreign and missing databases: each is named, none is shown as an empty mailbox or repaired in silence.
//!
//! Promises D6, E1, E2, E3; `doctor` names the trouble, `doctor --recover` brings back what can be brought back.

use std::os::unix::fs::FileExt;
use std::path::Path;
use std::process::Command;

use interagent_testkit::crash::{StockSqlite, Verdict, Yard, ensure, is_soak, run, skip};
use serde_json::Value;

use super::{good, holds};

const PAGE: u64 = 4096;
const MESSAGES: usize = 8;

/// Everything that looks. What it said of the sound store is compared with what it says of the broken one.
const LOOKS: [&[&str]; 8] = [
    &["inbox", "--agent", "reader", "--bodies", "--json"],
    &["inbox", "--json"],
    &["log", "--json"],
    &["summary", "--json"],
    &["msg", "list", "--json"],
    &["task", "list", "--json"],
    &["wait", "--agent", "reader", "--timeout", "0", "--json"],
    &["search", "message", "--json"],
];

/// What a recovery can bring back.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Recovery {
    Everything,
    Part,
    Nothing,
    /// It is not ours to touch.
    Refused,
}

struct Case {
    name: &'static str,
    harm: fn(&Yard),
    says: &'static str,
    recovery: Recovery,
}

const CASES: [Case; 12] = [
    Case {
        name: "header zeroed",
        harm: |s| zero(s, 0, 100),
        says: "is damaged",
        recovery: Recovery::Everything,
    },
    Case {
        name: "first page zeroed",
        harm: |s| zero(s, 0, PAGE),
        says: "is damaged",
        recovery: Recovery::Everything,
    },
    Case { name: "truncated", harm: |s| cut(s, 2), says: "is damaged", recovery: Recovery::Part },
    Case {
        name: "garbage",
        harm: |s| put(s, &[0xA5; 40_000]),
        says: "is damaged",
        recovery: Recovery::Nothing,
    },
    Case { name: "emptied", harm: |s| put(s, b""), says: "was emptied", recovery: Recovery::Nothing },
    Case { name: "deleted", harm: remove, says: "is missing although", recovery: Recovery::Nothing },
    Case {
        name: "a text file",
        harm: |s| put(s, b"hello\n"),
        says: "is damaged",
        recovery: Recovery::Nothing,
    },
    Case { name: "foreign database", harm: foreign, says: "of another program", recovery: Recovery::Refused },
    Case { name: "newer schema", harm: newer, says: "has schema version", recovery: Recovery::Refused },
    Case { name: "a directory", harm: directory, says: "a directory", recovery: Recovery::Refused },
    Case { name: "a FIFO", harm: fifo, says: "a FIFO", recovery: Recovery::Refused },
    Case { name: "a symbolic link", harm: link, says: "a symbolic link", recovery: Recovery::Refused },
];

/// The harm that the sabotaged build repairs without a word.
pub(super) fn zero_the_header(yard: &Yard) {
    zero(yard, 0, 100);
}

fn zero(yard: &Yard, from: u64, bytes: u64) {
    let file = std::fs::File::options().write(true).open(yard.database()).unwrap();
    file.write_all_at(&vec![0; usize::try_from(bytes).unwrap()], from).unwrap();
}

fn cut(yard: &Yard, part: u64) {
    let file = std::fs::File::options().write(true).open(yard.database()).unwrap();
    let pages = file.metadata().unwrap().len() / PAGE;
    file.set_len(pages / part * PAGE + 1000).unwrap();
}

fn put(yard: &Yard, bytes: &[u8]) {
    std::fs::write(yard.database(), bytes).unwrap();
}

fn remove(yard: &Yard) {
    std::fs::remove_file(yard.database()).unwrap();
}

fn foreign(yard: &Yard) {
    remove(yard);
    StockSqlite::find().unwrap().make_foreign(&yard.database()).unwrap();
}

fn newer(yard: &Yard) {
    StockSqlite::find().unwrap().raise_schema_version(&yard.database()).unwrap();
}

fn directory(yard: &Yard) {
    remove(yard);
    std::fs::create_dir(yard.database()).unwrap();
}

fn fifo(yard: &Yard) {
    remove(yard);
    assert_eq!(run(Command::new("mkfifo").arg(yard.database())).code, Some(0));
}

fn link(yard: &Yard) {
    let elsewhere = yard.beside("elsewhere.db");
    std::fs::rename(yard.database(), &elsewhere).unwrap();
    std::os::unix::fs::symlink(elsewhere, yard.database()).unwrap();
}

/// A hub with mail in it, everything in the one file.
pub(super) fn new_yard(exe: &Path) -> Yard {
    let yard = Yard::with_agents(exe, &["reader", "writer"]);
    for n in 0..MESSAGES {
        let body = format!("message {n} {}", "z".repeat(n * 1_500));
        let sent = yard.run("writer", &["send", "--to", "reader,operator", "-m", &body]);
        assert_eq!(sent.code, Some(0), "{sent}");
    }
    let made = yard.run("writer", &["task", "create", "a task of the message"]);
    assert_eq!(made.code, Some(0), "{made}");
    // Empties the write-ahead log: what lies there would hide the harm.
    let flat = yard.run("operator", &["doctor", "--rebuild"]);
    assert_eq!(flat.code, Some(0), "{flat}");
    yard
}

/// What the program said of a sound store.
pub(super) struct Baseline(Vec<(Option<i32>, String)>);

impl Baseline {
    pub(super) fn of(yard: &Yard) -> Self {
        let said = LOOKS.iter().map(|args| {
            let ran = yard.run("operator", args);
            (ran.code, ran.stdout)
        });
        Self(said.collect())
    }

    /// Every look says what it said before, or fails in order. Answers with the sentences of those that failed.
    pub(super) fn holds_or_fails(&self, yard: &Yard) -> Result<Vec<String>, String> {
        let mut sentences = Vec::new();
        for (args, (code, stdout)) in LOOKS.iter().zip(&self.0) {
            let ran = yard.run("operator", args);
            if ran.code == Some(5) {
                ran.failed_in_order()?;
                sentences.push(ran.sentence());
            } else if ran.code == *code && is_marked(&ran.stdout, stdout) {
                sentences.push(DAMAGED_TEXT.to_owned());
            } else {
                ensure(ran.code == *code && ran.stdout == *stdout, || format!("{args:?} says {ran}"))?;
            }
        }
        Ok(sentences)
    }
}

/// What stands in the place of a text that is not what was written.
const DAMAGED_TEXT: &str = "[text damaged; see interagent doctor]";

/// Whether an answer says the same as before, except for texts that say that they are damaged.
fn is_marked(found: &str, before: &str) -> bool {
    fn same(found: &Value, before: &Value) -> bool {
        match (found, before) {
            (Value::String(found), Value::String(_)) if found == DAMAGED_TEXT => true,
            (Value::Array(found), Value::Array(before)) => {
                found.len() == before.len()
                    && found.iter().zip(before).all(|(found, before)| same(found, before))
            }
            (Value::Object(found), Value::Object(before)) => {
                found.len() == before.len()
                    && found
                        .iter()
                        .all(|(key, found)| before.get(key).is_some_and(|before| same(found, before)))
            }
            (found, before) => found == before,
        }
    }
    let documents = (serde_json::from_str(found), serde_json::from_str(before));
    matches!(documents, (Ok(found), Ok(before)) if found != before && same(&found, &before))
}

/// What lies in the place of the database and its log. An empty log is as good as none: SQLite makes one to look.
fn bytes(yard: &Yard) -> [Vec<u8>; 2] {
    ["hub.db", "hub.db-wal"].map(|name| {
        let path = yard.state().join(name);
        let is_file = path.symlink_metadata().is_ok_and(|meta| meta.is_file());
        if is_file { std::fs::read(path).unwrap() } else { Vec::new() }
    })
}

/// Every command fails with the sentence of this harm, and none changes the files.
pub(super) fn every_command_says_so(yard: &Yard, baseline: &Baseline, says: &str) -> Verdict {
    let before = bytes(yard);
    let sentences = baseline.holds_or_fails(yard)?;
    ensure(sentences.len() == LOOKS.len(), || format!("only {} of the looks failed", sentences.len()))?;
    let sent = yard.run("operator", &["send", "--to", "reader", "-m", "one more"]);
    sent.failed_in_order()?;
    ensure(sent.code == Some(5), || format!("{sent}"))?;
    let agent = yard.run("reader", &["inbox", "--json"]);
    agent.failed_in_order()?;
    ensure(agent.code == Some(5), || format!("{agent}"))?;
    for sentence in sentences.into_iter().chain([sent.sentence(), agent.sentence()]) {
        ensure(sentence.contains(says), || format!("\"{sentence}\" does not say \"{says}\""))?;
    }
    let doctor = yard.run("operator", &["doctor"]);
    doctor.did_not_panic()?;
    ensure(matches!(doctor.code, Some(1 | 5)), || format!("the doctor: {doctor}"))?;
    ensure(doctor.stdout.contains(says), || format!("the doctor does not say \"{says}\": {doctor}"))?;
    ensure(bytes(yard) == before, || "a command that failed changed the files".to_owned())
}

fn recovers(yard: &Yard, recovery: Recovery) -> Verdict {
    let before = bytes(yard);
    let ran = yard.run("operator", &["doctor", "--recover"]);
    if recovery == Recovery::Refused {
        ran.failed_in_order()?;
        ensure(ran.code == Some(5), || format!("{ran}"))?;
        return ensure(bytes(yard) == before, || "what is not ours was touched".to_owned());
    }
    ensure(ran.code == Some(0), || format!("{ran}"))?;
    let listed = yard.run("operator", &["inbox", "--limit", "100", "--json"]).answer()?;
    let shown = listed["items"].as_array().map_or(0, Vec::len);
    let fits = match recovery {
        Recovery::Everything => shown == MESSAGES,
        Recovery::Part => ran.stdout.contains("lost") || shown == MESSAGES,
        Recovery::Nothing => shown == 0 && ran.stdout.contains("nothing in the damaged file"),
        Recovery::Refused => false,
    };
    ensure(fits, || format!("{shown} messages came back: {ran}"))?;
    let kept = std::fs::read_dir(yard.state()).unwrap().map(Result::unwrap);
    let kept = kept.filter(|entry| entry.file_name().to_string_lossy().starts_with("damaged-")).count();
    ensure(kept == 1, || "the damaged files were not kept".to_owned())?;
    let sent = yard.run("operator", &["send", "--to", "operator", "-m", "after the recovery"]);
    ensure(sent.code == Some(0), || format!("{sent}"))
}

#[test]
fn every_harm_is_named_and_never_an_empty_mailbox() {
    if StockSqlite::find().is_none() {
        return skip("no sqlite3 program here: broken databases were not tried");
    }
    for Case { name, harm, says, recovery } in CASES {
        let yard = new_yard(good());
        let baseline = Baseline::of(&yard);
        harm(&yard);
        let verdict = every_command_says_so(&yard, &baseline, says).and_then(|()| recovers(&yard, recovery));
        holds(verdict.map_err(|why| format!("{name}: {why}")));
    }
}

#[test]
fn a_zeroed_page_is_never_shown_as_something_else() {
    let yard = new_yard(good());
    let baseline = Baseline::of(&yard);
    let sound = std::fs::read(yard.database()).unwrap();
    let pages = sound.len() as u64 / PAGE;
    let mut named = 0;
    for page in (1..pages).step_by(if is_soak() { 1 } else { 5 }) {
        zero(&yard, page * PAGE, PAGE);
        let before = bytes(&yard);
        let sentences = baseline.holds_or_fails(&yard);
        let sentences = sentences.unwrap_or_else(|why| panic!("page {page} of {pages}: {why}"));
        let doctor = yard.run("operator", &["doctor"]);
        doctor.did_not_panic().unwrap();
        assert!(matches!(doctor.code, Some(1 | 5)), "page {page} of {pages}: {doctor}");
        assert!(bytes(&yard) == before, "page {page}: a command changed the files");
        named += usize::from(!sentences.is_empty());
        std::fs::write(yard.database(), &sound).unwrap();
    }
    assert!(named > 0, "no page mattered to anybody");
    holds(yard.is_healthy());
}

#[test]
fn a_zeroed_page_in_the_middle_is_recovered_around() {
    let yard = new_yard(good());
    let pages = std::fs::metadata(yard.database()).unwrap().len() / PAGE;
    zero(&yard, pages / 2 * PAGE, PAGE);
    let recovered = yard.run("operator", &["doctor", "--recover"]);
    assert_eq!(recovered.code, Some(0), "{recovered}");
    let log = yard.run("operator", &["log", "--json"]);
    assert!(log.answer().unwrap()["items"].as_array().unwrap().len() >= MESSAGES, "{log}");
}
