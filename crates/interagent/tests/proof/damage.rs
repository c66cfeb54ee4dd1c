//! Broken, foreign and missing databases: each is named, none is shown as an empty mailbox or repaired in silence.
//!
//! Promises D6, E1, E2, E3; `doctor` names the trouble, `doctor --recover` brings back what can be brought back.

use std::os::unix::fs::FileExt;
use std::path::Path;
use std::process::Command;

use interagent_testkit::crash::{Sandbox, StockSqlite, Verdict, ensure, is_soak, run, skip};

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
    harm: fn(&Sandbox),
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
pub(super) fn zero_the_header(sandbox: &Sandbox) {
    zero(sandbox, 0, 100);
}

fn zero(sandbox: &Sandbox, from: u64, bytes: u64) {
    let file = std::fs::File::options().write(true).open(sandbox.database()).unwrap();
    file.write_all_at(&vec![0; usize::try_from(bytes).unwrap()], from).unwrap();
}

fn cut(sandbox: &Sandbox, part: u64) {
    let file = std::fs::File::options().write(true).open(sandbox.database()).unwrap();
    let pages = file.metadata().unwrap().len() / PAGE;
    file.set_len(pages / part * PAGE + 1000).unwrap();
}

fn put(sandbox: &Sandbox, bytes: &[u8]) {
    std::fs::write(sandbox.database(), bytes).unwrap();
}

fn remove(sandbox: &Sandbox) {
    std::fs::remove_file(sandbox.database()).unwrap();
}

fn stock(sandbox: &Sandbox, sql: &str) {
    StockSqlite::find().unwrap().sql(&sandbox.database(), sql).unwrap();
}

fn foreign(sandbox: &Sandbox) {
    remove(sandbox);
    stock(sandbox, "CREATE TABLE cookies (name TEXT); INSERT INTO cookies VALUES ('chocolate');");
}

fn newer(sandbox: &Sandbox) {
    let version = StockSqlite::find().unwrap().sql(&sandbox.database(), "PRAGMA user_version").unwrap();
    let next = version.trim().parse::<i64>().unwrap() + 1;
    stock(sandbox, &format!("PRAGMA user_version = {next}"));
}

fn directory(sandbox: &Sandbox) {
    remove(sandbox);
    std::fs::create_dir(sandbox.database()).unwrap();
}

fn fifo(sandbox: &Sandbox) {
    remove(sandbox);
    assert_eq!(run(Command::new("mkfifo").arg(sandbox.database())).code, Some(0));
}

fn link(sandbox: &Sandbox) {
    let elsewhere = sandbox.beside("elsewhere.db");
    std::fs::rename(sandbox.database(), &elsewhere).unwrap();
    std::os::unix::fs::symlink(elsewhere, sandbox.database()).unwrap();
}

/// A hub with mail in it, everything in the one file.
pub(super) fn yard(exe: &Path) -> Sandbox {
    let sandbox = Sandbox::with_agents(exe, &["reader", "writer"]);
    for n in 0..MESSAGES {
        let body = format!("message {n} {}", "z".repeat(n * 1_500));
        let sent = sandbox.run("writer", &["send", "--to", "reader,operator", "-m", &body]);
        assert_eq!(sent.code, Some(0), "{sent}");
    }
    let made = sandbox.run("writer", &["task", "create", "a task of the message"]);
    assert_eq!(made.code, Some(0), "{made}");
    // Empties the write-ahead log: what lies there would hide the harm.
    let flat = sandbox.run("operator", &["doctor", "--rebuild"]);
    assert_eq!(flat.code, Some(0), "{flat}");
    sandbox
}

/// What the program said of a sound store.
pub(super) struct Baseline(Vec<(Option<i32>, String)>);

impl Baseline {
    pub(super) fn of(sandbox: &Sandbox) -> Self {
        let said = LOOKS.iter().map(|args| {
            let ran = sandbox.run("operator", args);
            (ran.code, ran.stdout)
        });
        Self(said.collect())
    }

    /// Every look says what it said before, or fails in order. Answers with the sentences of those that failed.
    pub(super) fn holds_or_fails(&self, sandbox: &Sandbox) -> Result<Vec<String>, String> {
        let mut sentences = Vec::new();
        for (args, (code, stdout)) in LOOKS.iter().zip(&self.0) {
            let ran = sandbox.run("operator", args);
            if ran.code == Some(5) {
                ran.failed_in_order()?;
                sentences.push(ran.sentence());
            } else {
                ensure(ran.code == *code && ran.stdout == *stdout, || format!("{args:?} says {ran}"))?;
            }
        }
        Ok(sentences)
    }
}

/// What lies in the place of the database and its log. An empty log is as good as none: SQLite makes one to look.
fn bytes(sandbox: &Sandbox) -> [Vec<u8>; 2] {
    ["hub.db", "hub.db-wal"].map(|name| {
        let path = sandbox.state().join(name);
        let is_file = path.symlink_metadata().is_ok_and(|meta| meta.is_file());
        if is_file { std::fs::read(path).unwrap() } else { Vec::new() }
    })
}

/// Every command fails with the sentence of this harm, and none changes the files.
pub(super) fn every_command_says_so(sandbox: &Sandbox, baseline: &Baseline, says: &str) -> Verdict {
    let before = bytes(sandbox);
    let sentences = baseline.holds_or_fails(sandbox)?;
    ensure(sentences.len() == LOOKS.len(), || format!("only {} of the looks failed", sentences.len()))?;
    let sent = sandbox.run("operator", &["send", "--to", "reader", "-m", "one more"]);
    sent.failed_in_order()?;
    ensure(sent.code == Some(5), || format!("{sent}"))?;
    let agent = sandbox.run("reader", &["inbox", "--json"]);
    agent.failed_in_order()?;
    ensure(agent.code == Some(5), || format!("{agent}"))?;
    for sentence in sentences.into_iter().chain([sent.sentence(), agent.sentence()]) {
        ensure(sentence.contains(says), || format!("\"{sentence}\" does not say \"{says}\""))?;
    }
    let doctor = sandbox.run("operator", &["doctor"]);
    doctor.did_not_panic()?;
    ensure(matches!(doctor.code, Some(1 | 5)), || format!("the doctor: {doctor}"))?;
    ensure(doctor.stdout.contains(says), || format!("the doctor does not say \"{says}\": {doctor}"))?;
    ensure(bytes(sandbox) == before, || "a command that failed changed the files".to_owned())
}

fn recovers(sandbox: &Sandbox, recovery: Recovery) -> Verdict {
    let before = bytes(sandbox);
    let ran = sandbox.run("operator", &["doctor", "--recover"]);
    if recovery == Recovery::Refused {
        ran.failed_in_order()?;
        ensure(ran.code == Some(5), || format!("{ran}"))?;
        return ensure(bytes(sandbox) == before, || "what is not ours was touched".to_owned());
    }
    ensure(ran.code == Some(0), || format!("{ran}"))?;
    let listed = sandbox.run("operator", &["msg", "list", "--limit", "100", "--json"]).answer()?;
    let shown = listed["items"].as_array().map_or(0, Vec::len);
    let fits = match recovery {
        Recovery::Everything => shown == MESSAGES,
        Recovery::Part => ran.stdout.contains("lost") || shown == MESSAGES,
        Recovery::Nothing => shown == 0 && ran.stdout.contains("nothing in the damaged file"),
        Recovery::Refused => false,
    };
    ensure(fits, || format!("{shown} messages came back: {ran}"))?;
    let kept = std::fs::read_dir(sandbox.state()).unwrap().map(Result::unwrap);
    let kept = kept.filter(|entry| entry.file_name().to_string_lossy().starts_with("damaged-")).count();
    ensure(kept == 1, || "the damaged files were not kept".to_owned())?;
    let sent = sandbox.run("operator", &["send", "--to", "operator", "-m", "after the recovery"]);
    ensure(sent.code == Some(0), || format!("{sent}"))
}

#[test]
fn every_harm_is_named_and_never_an_empty_mailbox() {
    if StockSqlite::find().is_none() {
        return skip("no sqlite3 program here: broken databases were not tried");
    }
    for Case { name, harm, says, recovery } in CASES {
        let sandbox = yard(good());
        let baseline = Baseline::of(&sandbox);
        harm(&sandbox);
        let verdict =
            every_command_says_so(&sandbox, &baseline, says).and_then(|()| recovers(&sandbox, recovery));
        holds(verdict.map_err(|why| format!("{name}: {why}")));
    }
}

#[test]
fn a_zeroed_page_is_never_shown_as_something_else() {
    let sandbox = yard(good());
    let baseline = Baseline::of(&sandbox);
    let sound = std::fs::read(sandbox.database()).unwrap();
    let pages = sound.len() as u64 / PAGE;
    let mut named = 0;
    for page in (1..pages).step_by(if is_soak() { 1 } else { 5 }) {
        zero(&sandbox, page * PAGE, PAGE);
        let before = bytes(&sandbox);
        let sentences = baseline.holds_or_fails(&sandbox);
        let sentences = sentences.unwrap_or_else(|why| panic!("page {page} of {pages}: {why}"));
        let doctor = sandbox.run("operator", &["doctor"]);
        doctor.did_not_panic().unwrap();
        assert!(matches!(doctor.code, Some(1 | 5)), "page {page} of {pages}: {doctor}");
        assert!(bytes(&sandbox) == before, "page {page}: a command changed the files");
        named += usize::from(!sentences.is_empty());
        std::fs::write(sandbox.database(), &sound).unwrap();
    }
    assert!(named > 0, "no page mattered to anybody");
    holds(sandbox.is_healthy());
}

#[test]
fn a_zeroed_page_in_the_middle_is_recovered_around() {
    let sandbox = yard(good());
    let pages = std::fs::metadata(sandbox.database()).unwrap().len() / PAGE;
    zero(&sandbox, pages / 2 * PAGE, PAGE);
    let recovered = sandbox.run("operator", &["doctor", "--recover"]);
    assert_eq!(recovered.code, Some(0), "{recovered}");
    let log = sandbox.run("operator", &["log", "--json"]);
    assert!(log.answer().unwrap()["items"].as_array().unwrap().len() >= MESSAGES, "{log}");
}
