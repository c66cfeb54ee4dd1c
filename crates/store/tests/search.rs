//! The search index as its callers see it: finding, filtering, paging, catching up together, surviving
//! damage, and forgetting for good.

#![expect(clippy::unwrap_used, reason = "helpers of tests may fail the test")]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use interagent_store::search::{
    Applied, Batch, Change, Doc, DocKind, Filter, Found, Notice, Opened, Page, Search, SearchError,
    SearchIndex,
};
use proptest::prelude::*;

fn doc(entity: &str, part: &str, at: i64, text: &str) -> Doc {
    Doc {
        entity: entity.into(),
        kind: DocKind::Message,
        part: part.into(),
        at,
        author: "agt-ann".into(),
        audience: vec!["agt-bob".into(), "agt-cleo".into()],
        task: None,
        intent: None,
        thread: None,
        text_ref: format!("ref-{entity}-{part}-{at}"),
        text: text.into(),
    }
}

fn put(doc: Doc) -> Change {
    Change::Put(Box::new(doc))
}

fn scratch() -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("search.db");
    (dir, path)
}

fn apply(index: &mut SearchIndex, changes: &[Change]) {
    let after = index.cursor().unwrap();
    let batch = Batch { after, upto: after + 1, changes };
    assert_eq!(index.apply(batch).unwrap(), Applied::Done);
}

fn search(index: &mut SearchIndex, text: &str) -> Found {
    index.search(&Search { text: text.into(), limit: 20, ..Search::default() }).unwrap()
}

fn entities(found: &Found) -> Vec<&str> {
    found.hits.iter().map(|hit| hit.entity.as_str()).collect()
}

/// An index of one message per text, named m0, m1, ...
fn indexed(path: &Path, texts: &[&str]) -> SearchIndex {
    let (mut index, _) = SearchIndex::open(path).unwrap();
    let changes: Vec<_> = texts
        .iter()
        .enumerate()
        .map(|(i, text)| put(doc(&format!("m{i}"), "body", i as i64, text)))
        .collect();
    apply(&mut index, &changes);
    index
}

#[test]
fn table_of_queries_and_what_they_find() {
    let (_dir, path) = scratch();
    let mut index = indexed(
        &path,
        &[
            "Checkpoint the write-ahead log before closing",
            "The log is closed; no checkpoints today",
            "APIの設計について話しましょう",
            "数据库设计文档",
            "데이터베이스를 설계했습니다",
            "Größe der Straße in Köln",
            "Ёлка в Москве ✅",
        ],
    );
    let table: [(&str, &[&str]); 20] = [
        ("log", &["m0", "m1"]),
        ("LOG checkpoint", &["m0"]),
        ("checkpoint* log", &["m0", "m1"]),
        ("\"write ahead\"", &["m0"]),
        ("\"ahead write\"", &[]),
        ("log -today", &["m0"]),
        ("設計", &["m2"]),
        ("計", &["m2"]),
        ("について", &["m2"]),
        ("ＡＰＩの設計", &["m2"]),
        ("数据库", &["m3"]),
        ("文档", &["m3"]),
        ("档", &["m3"]),
        ("据设", &[]),
        ("데이터베이스", &["m4"]),
        ("설계", &["m4"]),
        ("grosse strasse", &["m5"]),
        ("елка", &["m6"]),
        ("✅", &["m6"]),
        ("nowhere", &[]),
    ];
    for (query, expected) in table {
        let found = search(&mut index, query);
        let mut names = entities(&found);
        names.sort_unstable();
        assert_eq!(names, expected, "results of {query:?}");
    }
}

#[test]
fn better_matches_come_first_then_newer_ones() {
    let (_dir, path) = scratch();
    let mut texts = vec!["unrelated words here"; 10];
    texts.extend([
        "lease lease lease",
        "lease of a file",
        "lease of a file",
        "the lease that is mentioned in passing",
    ]);
    let mut index = indexed(&path, &texts);
    assert_eq!(entities(&search(&mut index, "lease")), ["m10", "m12", "m11", "m13"]);
    assert_eq!(entities(&search(&mut index, ""))[..2], ["m13", "m12"]);
    assert_eq!(entities(&search(&mut index, "-unrelated")), ["m13", "m12", "m11", "m10"]);
}

#[test]
fn filters_narrow_and_combine() {
    let (_dir, path) = scratch();
    let (mut index, _) = SearchIndex::open(&path).unwrap();
    let task = Doc {
        kind: DocKind::Task,
        author: "agt-bob".into(),
        audience: vec![],
        task: Some("task-1".into()),
        ..doc("task-1", "title", 20, "fix the parser")
    };
    let question = Doc {
        intent: Some("question".into()),
        thread: Some("msg-1".into()),
        ..doc("msg-1", "body", 10, "who fixes the parser")
    };
    apply(&mut index, &[put(task), put(question)]);
    let all = Filter::default;
    let table: [(Filter, &[&str]); 12] = [
        (all(), &["msg-1", "task-1"]),
        (Filter { kinds: vec![DocKind::Task, DocKind::Agent], ..all() }, &["task-1"]),
        (Filter { author: Some("agt-ann".into()), ..all() }, &["msg-1"]),
        (Filter { entity: Some("msg-1".into()), ..all() }, &["msg-1"]),
        (Filter { member: Some("agt-bob".into()), ..all() }, &["msg-1", "task-1"]),
        (Filter { member: Some("agt-cleo".into()), ..all() }, &["msg-1"]),
        (Filter { member: Some("agt-cl".into()), ..all() }, &[]),
        (Filter { task: Some("task-1".into()), ..all() }, &["task-1"]),
        (Filter { intent: Some("question".into()), thread: Some("msg-1".into()), ..all() }, &["msg-1"]),
        (Filter { since: Some(20), ..all() }, &["task-1"]),
        (Filter { until: Some(20), ..all() }, &["msg-1"]),
        (Filter { since: Some(11), until: Some(20), ..all() }, &[]),
    ];
    for text in ["parser", "", "-absent"] {
        for (filter, expected) in &table {
            let request = Search { text: text.into(), filter: filter.clone(), limit: 20, page: None };
            let found = index.search(&request).unwrap();
            let mut names = entities(&found);
            names.sort_unstable();
            assert_eq!(names, *expected, "{text:?} with {filter:?}");
        }
    }
}

#[test]
fn pages_show_every_hit_once_while_new_ones_arrive() {
    let (_dir, path) = scratch();
    let texts: Vec<String> = (0..50).map(|i| format!("lease {}", "filler ".repeat(i % 7))).collect();
    let mut index = indexed(&path, &texts.iter().map(String::as_str).collect::<Vec<_>>());
    let at_once = index.search(&Search { text: "lease".into(), limit: 100, ..Search::default() }).unwrap();
    let mut paged = Vec::new();
    let mut page: Option<Page> = None;
    loop {
        let found =
            index.search(&Search { text: "lease".into(), limit: 7, page, ..Search::default() }).unwrap();
        paged.extend(found.hits);
        apply(&mut index, &[put(doc(&format!("late{}", paged.len()), "body", 99, "lease"))]);
        match found.next {
            Some(next) => page = Some(next.to_string().parse().unwrap()),
            None => break,
        }
    }
    assert_eq!(paged.len(), 50);
    assert_eq!(paged, at_once.hits);
    assert!(matches!("7;x".parse::<Page>(), Err(SearchError::BadPage { .. })));
}

#[test]
fn a_replaced_text_is_found_by_its_new_words_only() {
    let (_dir, path) = scratch();
    let mut index = indexed(&path, &["first draft"]);
    apply(&mut index, &[put(doc("m0", "body", 5, "second version")), put(doc("m0", "subject", 5, "hello"))]);
    assert!(search(&mut index, "draft").hits.is_empty());
    assert_eq!(search(&mut index, "version").hits[0].at, 5);
    apply(&mut index, &[Change::ForgetEntity { entity: "m0".into() }]);
    assert!(search(&mut index, "").hits.is_empty());
    assert!(search(&mut index, "version").hits.is_empty());
    index.verify().unwrap();
}

#[test]
fn queries_that_say_nothing_are_told() {
    let (_dir, path) = scratch();
    let mut index = indexed(&path, &["text"]);
    assert_eq!(search(&mut index, "(*)").notice, Some(Notice::NothingSearchable));
    assert_eq!(search(&mut index, &"text ".repeat(2000)).notice, Some(Notice::QueryCut));
    assert_eq!(search(&mut index, "text").notice, None);
    let mut index = indexed(&path.with_extension("2"), &[&"long ".repeat(300_000)]);
    assert_eq!(search(&mut index, "long").hits.len(), 1);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_two_neighbouring_cjk_characters_are_found(
        text in "[一-龥ぁ-ゖァ-ヺ가-힣a-z、 ｱ-ﾝ]{2,40}",
        cuts in proptest::collection::vec((0usize..40, 2usize..9), 8),
    ) {
        let (_dir, path) = scratch();
        let mut index = indexed(&path, &[&text]);
        let chars: Vec<char> = text.chars().collect();
        let unspaced = |c: &char| !c.is_ascii() && *c != '、';
        for (start, length) in cuts {
            let start = start % chars.len();
            let piece: String = chars[start..].iter().take_while(|c| unspaced(c)).take(length).collect();
            if piece.chars().count() >= 2 {
                let found = search(&mut index, &piece);
                prop_assert_eq!(found.hits.len(), 1, "{:?} in {:?}", piece, text);
                let excerpt = &found.hits[0].excerpt;
                prop_assert_eq!(&excerpt.text[excerpt.hits[0].clone()], &piece);
            }
        }
    }

    #[test]
    fn no_query_is_an_error(query in prop_oneof![
        any::<String>(),
        "[\"()*+^:{}\\-, a設🚀\u{0}]{0,60}",
        "((AND|OR|NOT|NEAR|text|[a-z]|\\(|\\)|\"|\\*|-| ){1,3}){0,400}",
    ]) {
        let (_dir, path) = scratch();
        let mut index = indexed(&path, &["a near text 設計"]);
        let found = search(&mut index, &query);
        for hit in found.hits {
            for range in hit.excerpt.hits {
                prop_assert!(hit.excerpt.text.get(range).is_some());
            }
        }
    }
}

#[test]
fn the_file_is_private_and_links_are_not_followed() {
    let (dir, path) = scratch();
    let victim = dir.path().join("victim");
    fs::write(&victim, "precious").unwrap();
    std::os::unix::fs::symlink(&victim, &path).unwrap();
    drop(indexed(&path, &["text"]));
    assert_eq!(fs::read_to_string(&victim).unwrap(), "precious");
    for name in ["search.db", "search.db-wal"] {
        let mode = fs::metadata(dir.path().join(name)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "mode of {name}");
    }
    fs::create_dir(dir.path().join("folder")).unwrap();
    let refused = SearchIndex::open(&dir.path().join("folder")).unwrap_err();
    assert!(refused.to_string().contains("move it away"), "{refused}");
}

#[test]
fn damaged_files_are_emptied_and_say_so() {
    type Harm = fn(&Path, Vec<u8>);
    let harms: [(&str, Harm); 7] = [
        ("zeroed header", |path, mut bytes| {
            bytes[..100].fill(0);
            fs::write(path, bytes).unwrap();
        }),
        ("zeroed first page", |path, mut bytes| {
            bytes[..4096].fill(0);
            fs::write(path, bytes).unwrap();
        }),
        ("zeroed tail", |path, mut bytes| {
            bytes[4096..].fill(0);
            fs::write(path, bytes).unwrap();
        }),
        ("noise after the first page", |path, mut bytes| {
            bytes[4096..].fill(0xA7);
            fs::write(path, bytes).unwrap();
        }),
        ("truncated", |path, bytes| fs::write(path, &bytes[..bytes.len() / 2 + 13]).unwrap()),
        ("a text file", |path, _| fs::write(path, "not a database ".repeat(900)).unwrap()),
        ("another program's database", |path, _| {
            fs::remove_file(path).unwrap();
            let other = rusqlite::Connection::open(path).unwrap();
            other.execute_batch("CREATE TABLE notes (text TEXT)").unwrap();
        }),
    ];
    for (name, harm) in harms {
        let (_dir, path) = scratch();
        let texts: Vec<String> = (0..200).map(|i| format!("lease number {i} of a file")).collect();
        let mut index = indexed(&path, &texts.iter().map(String::as_str).collect::<Vec<_>>());
        assert!(index.scrub().unwrap());
        drop(index);
        for side in ["search.db-wal", "search.db-shm"] {
            let _ = fs::remove_file(path.with_file_name(side));
        }
        harm(&path, fs::read(&path).unwrap());

        // Damage is told once: when opening, or by the first call that meets it.
        let (mut index, opened) = SearchIndex::open(&path).unwrap_or_else(|e| panic!("{name}: {e}"));
        if opened != Opened::Rebuilt {
            assert!(matches!(index.verify(), Err(SearchError::Rebuilt { .. })), "{name} was not noticed");
        }
        assert_eq!(index.cursor().unwrap(), 0, "{name}");
        apply(&mut index, &[put(doc("again", "body", 1, "lease"))]);
        assert_eq!(entities(&search(&mut index, "lease")), ["again"], "{name}");
        index.verify().unwrap();
        drop(index);
        assert_eq!(SearchIndex::open(&path).unwrap().1, Opened::Ready, "{name}");
    }
}

#[test]
fn an_emptied_file_is_noticed_by_those_who_have_it_open() {
    let (_dir, path) = scratch();
    let mut old = indexed(&path, &["lease"]);
    let (_, opened) = SearchIndex::open(&path).unwrap();
    assert_eq!(opened, Opened::Ready);
    // An older format, as an update of the program would find it.
    let meddler = rusqlite::Connection::open(&path).unwrap();
    meddler.pragma_update(None, "user_version", 0).unwrap();
    assert_eq!(SearchIndex::open(&path).unwrap().1, Opened::Rebuilt);
    assert_eq!(old.apply(Batch { after: 1, upto: 2, changes: &[] }).unwrap(), Applied::Moved { cursor: 0 });
    assert!(search(&mut old, "lease").hits.is_empty());
    meddler.pragma_update(None, "user_version", 99).unwrap();
    assert!(matches!(search_error(&mut old), SearchError::Newer { found: 99, .. }));
    assert!(matches!(SearchIndex::open(&path), Err(SearchError::Newer { .. })));
}

#[test]
fn a_file_emptied_halfway_is_made_whole() {
    let (_dir, path) = scratch();
    let mut index = indexed(&path, &["lease"]);
    // As if a process had died between throwing the content away and making the tables.
    let other = rusqlite::Connection::open(&path).unwrap();
    other.set_db_config(rusqlite::config::DbConfig::SQLITE_DBCONFIG_RESET_DATABASE, true).unwrap();
    other.execute_batch("VACUUM").unwrap();
    drop(other);
    assert!(matches!(search_error(&mut index), SearchError::Rebuilt { .. }));
    assert_eq!(index.cursor().unwrap(), 0);
    apply(&mut index, &[put(doc("again", "body", 1, "lease"))]);
    assert_eq!(entities(&search(&mut index, "lease")), ["again"]);
}

fn search_error(index: &mut SearchIndex) -> SearchError {
    index.search(&Search { text: "lease".into(), limit: 1, ..Search::default() }).unwrap_err()
}

#[test]
fn a_batch_is_applied_once_and_only_forward() {
    let (_dir, path) = scratch();
    let mut first = indexed(&path, &["one"]);
    let (mut second, opened) = SearchIndex::open(&path).unwrap();
    assert_eq!(opened, Opened::Ready);
    let changes = [put(doc("m9", "body", 9, "two"))];
    let batch = Batch { after: 1, upto: 7, changes: &changes };
    assert_eq!(first.apply(batch).unwrap(), Applied::Done);
    assert_eq!(second.apply(batch).unwrap(), Applied::Moved { cursor: 7 });
    assert_eq!(second.cursor().unwrap(), 7);
    let back = Batch { after: 7, upto: 6, changes: &[] };
    assert!(matches!(second.apply(back), Err(SearchError::Backwards { .. })));
}

/// The log that the processes below follow: entry n replaces what entry n - 10 said.
const LOG_END: i64 = 400;

/// Catches up with the log; returns how many of its entries were taken in here.
fn follow(path: &Path) -> i64 {
    let (mut index, _) = SearchIndex::open(path).unwrap();
    let mut after = index.cursor().unwrap();
    let mut taken = 0;
    while after < LOG_END {
        let upto = (after + 7).min(LOG_END);
        let changes: Vec<_> = (after + 1..=upto)
            .map(|n| put(doc(&format!("m{}", n % 10), "body", n, &format!("common entry{n} 第{n}号"))))
            .collect();
        after = match index.apply(Batch { after, upto, changes: &changes }).unwrap() {
            Applied::Moved { cursor } => cursor,
            _ => {
                taken += upto - after;
                upto
            }
        };
    }
    taken
}

/// Not a test by itself: the body of the processes that the next test starts.
#[test]
fn follower_process() {
    if let Some(path) = std::env::var_os("SEARCH_TEST_FOLLOW") {
        let taken = follow(Path::new(&path));
        fs::write(std::env::var_os("SEARCH_TEST_TAKEN").unwrap(), taken.to_string()).unwrap();
    }
}

#[test]
fn processes_that_catch_up_together_index_everything_once() {
    let (dir, path) = scratch();
    let counts: Vec<_> = (0..4).map(|n| dir.path().join(format!("taken-{n}"))).collect();
    let children: Vec<_> = counts
        .iter()
        .map(|count| {
            Command::new(std::env::current_exe().unwrap())
                .args(["--exact", "follower_process", "--nocapture"])
                .env("SEARCH_TEST_FOLLOW", &path)
                .env("SEARCH_TEST_TAKEN", count)
                .stdout(Stdio::null())
                .spawn()
                .unwrap()
        })
        .collect();
    let mut taken: i64 = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..2).map(|_| scope.spawn(|| follow(&path))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    for (mut child, count) in children.into_iter().zip(counts) {
        assert!(child.wait().unwrap().success());
        taken += fs::read_to_string(count).unwrap().parse::<i64>().unwrap();
    }
    assert_eq!(taken, LOG_END, "entries were taken in twice or never");
    let (mut index, _) = SearchIndex::open(&path).unwrap();
    index.verify().unwrap();
    assert_eq!(index.cursor().unwrap(), LOG_END);
    let found = search(&mut index, "common");
    let mut times: Vec<_> = found.hits.iter().map(|hit| hit.at).collect();
    times.sort_unstable();
    assert_eq!(times, (LOG_END - 9..=LOG_END).collect::<Vec<_>>());
    assert!(search(&mut index, "entry5").hits.is_empty());
}

/// Every file of the index, as bytes.
fn raw(path: &Path) -> Vec<u8> {
    let folder = fs::read_dir(path.parent().unwrap()).unwrap();
    folder.flat_map(|file| fs::read(file.unwrap().path()).unwrap()).collect()
}

fn contains(bytes: &[u8], needle: &str) -> bool {
    bytes.windows(needle.len()).any(|window| window == needle.as_bytes())
}

const SECRET: &str = "hunter2swordfish";

/// An index that has been written and merged for a while, with the secret in the middle of it.
fn with_secret(path: &Path) -> SearchIndex {
    let (mut index, _) = SearchIndex::open(path).unwrap();
    for round in 0..40 {
        let changes: Vec<_> = (0..20)
            .map(|i| {
                // Neighbours of the secret in the order of words, so that it shares pages with them.
                let text = format!("hunter2sword{round}x{i} hunter2swordfisg{i} filler {round} 秘密の{i}");
                put(doc(&format!("m{round}-{i}"), "body", round, &text))
            })
            .collect();
        apply(&mut index, &changes);
        if round == 7 {
            let mut secret = doc("leak", "body", 7, &format!("the password is {SECRET} 極秘情報だ"));
            secret.text_ref = "leaked".into();
            apply(&mut index, &[put(secret)]);
        }
    }
    index
}

#[test]
fn a_forgotten_text_leaves_no_bytes() {
    for replaced in [false, true] {
        let (_dir, path) = scratch();
        let mut index = with_secret(&path);
        assert!(contains(&raw(&path), SECRET), "the secret was never in the file: the test proves nothing");
        if replaced {
            apply(&mut index, &[put(doc("leak", "body", 8, "redacted by its author"))]);
        }
        apply(&mut index, &[Change::Forget { text_ref: "leaked".into() }]);
        let bytes = raw(&path);
        for trace in [SECRET, "swordfish", "極秘", "情報"] {
            assert!(!contains(&bytes, trace), "{trace:?} is still in the file (replaced: {replaced})");
        }
        assert!(search(&mut index, SECRET).hits.is_empty());
        assert_eq!(search(&mut index, "hunter2sword3x4").hits.len(), 1);
        index.verify().unwrap();
    }
}

#[test]
fn a_reader_delays_the_scrubbing_but_does_not_prevent_it() {
    let (_dir, path) = scratch();
    let mut index = with_secret(&path);
    let reader = rusqlite::Connection::open(&path).unwrap();
    reader.execute_batch("BEGIN; SELECT count(*) FROM docs;").unwrap();
    let after = index.cursor().unwrap();
    let changes = [Change::Forget { text_ref: "leaked".into() }];
    let batch = Batch { after, upto: after + 1, changes: &changes };
    assert_eq!(index.apply(batch).unwrap(), Applied::DoneUnscrubbed);
    assert!(contains(&raw_after(reader, &path), SECRET));
    drop(index);
    let _reopened = SearchIndex::open(&path).unwrap();
    assert!(!contains(&raw(&path), SECRET));
}

/// Ends the reader's transaction, then reads the bytes: closing a file we read would drop its locks.
fn raw_after(reader: rusqlite::Connection, path: &Path) -> Vec<u8> {
    reader.execute_batch("COMMIT").unwrap();
    reader.set_db_config(rusqlite::config::DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true).unwrap();
    drop(reader);
    raw(path)
}

/// About `bytes` of English-like text: few words are frequent, most are rare.
fn prose(seed: &mut u64, bytes: usize) -> String {
    let mut text = String::new();
    while text.len() < bytes {
        *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let uniform = (*seed >> 33) as f64 / (1u64 << 31) as f64;
        let word = 20_000f64.powf(uniform) as u64;
        text.push_str(&format!("w{} ", word * 7919 % 1_000_003));
    }
    text
}

#[test]
#[ignore = "a measurement of some minutes: run it optimised, with --run-ignored all --no-capture"]
fn measure_size_and_time() {
    use std::time::Instant;
    let mut seed = 1;
    let docs: i64 = 50_000;
    for batch in [64, 1000] {
        let (_dir, path) = scratch();
        let (mut index, _) = SearchIndex::open(&path).unwrap();
        let (mut spent, mut worst, mut after) = (0.0f64, 0.0f64, 0);
        while after < docs {
            let changes: Vec<_> = (after..after + batch)
                .map(|n| put(doc(&format!("msg-{n:012}"), "body", n, &prose(&mut seed, 1024))))
                .collect();
            let start = Instant::now();
            index.apply(Batch { after, upto: after + batch, changes: &changes }).unwrap();
            let took = start.elapsed().as_secs_f64();
            spent += took;
            worst = worst.max(took);
            after += batch;
        }
        let size = fs::metadata(&path).unwrap().len() as i64 / after;
        let (us, ms) = (spent * 1e6 / after as f64, worst * 1e3);
        println!(
            "batches of {batch}: {us:.0} us per document, worst batch {ms:.0} ms, {size} bytes per document"
        );
        let timed = |name: &str, index: &mut SearchIndex, text: &str| {
            let start = Instant::now();
            let hits = search(index, text).hits.len();
            println!("  {name}: {:.1} ms, {hits} hits", start.elapsed().as_secs_f64() * 1e3);
        };
        timed("most frequent word", &mut index, "w7919");
        timed("two words", &mut index, "w15838 w23757");
        timed("rare word", &mut index, "w405004");
        timed("prefix of everything", &mut index, "w*");
        timed("newest", &mut index, "");
        let start = Instant::now();
        drop(SearchIndex::open(&path).unwrap());
        println!("  open: {:.2} ms", start.elapsed().as_secs_f64() * 1e3);
        let start = Instant::now();
        apply(&mut index, &[Change::Forget { text_ref: "none".into() }]);
        println!("  forget: {:.0} ms", start.elapsed().as_secs_f64() * 1e3);
        println!("  then {} bytes per document", fs::metadata(&path).unwrap().len() as i64 / after);
    }
    let text = "設計の話をしましょう。".repeat(31_000);
    let (_dir, path) = scratch();
    let start = Instant::now();
    let mut index = indexed(&path, &[&text]);
    println!("1 MiB of Japanese: {:.0} ms to index", start.elapsed().as_secs_f64() * 1e3);
    let start = Instant::now();
    search(&mut index, "話を");
    println!("  {:.0} ms to find", start.elapsed().as_secs_f64() * 1e3);
}
