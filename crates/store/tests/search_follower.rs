//! The search index follows the log.
#![expect(clippy::unwrap_used, reason = "a helper of a test fails by panicking")]

mod support;

use std::time::Duration;

use interagent_core::event::{DecisionDecided, DecisionOpened, DecisionPosition, SpecPublished, TaskNoted};
use interagent_core::ids::{AgentId, DecisionId, EntityRef, SpecName};
use interagent_store::search::{Filter, Search, SearchIndex};
use interagent_store::{Progress, Store};
use interagent_testkit::conformance::keep::busy_hub;
use interagent_testkit::conformance::{Factory, clock};
use interagent_testkit::{exchange, facts};
use support::SqliteReplicas;

fn index(replicas: &SqliteReplicas) -> SearchIndex {
    SearchIndex::open(&replicas.state_dir("a").join("search.db")).unwrap().0
}

fn catch_up(store: &mut Store, index: &mut SearchIndex) -> Progress {
    store.catch_up_search(index, usize::MAX).unwrap()
}

fn find(index: &mut SearchIndex, text: &str) -> Vec<String> {
    find_with(index, text, Filter::default())
}

fn find_with(index: &mut SearchIndex, text: &str, filter: Filter) -> Vec<String> {
    let found = index.search(&Search { text: text.to_owned(), filter, limit: 50, page: None }).unwrap();
    let mut hits: Vec<String> =
        found.hits.into_iter().map(|hit| format!("{} {}", hit.entity, hit.part)).collect();
    hits.sort();
    hits
}

#[test]
fn texts_of_every_noun_are_found() {
    let replicas = SqliteReplicas::new();
    let (mut store, mut index) = (replicas.open("a", clock()), index(&replicas));
    let (ann, bob) = busy_hub(&mut store);
    let progress = catch_up(&mut store, &mut index);
    let head = store.head().unwrap().seq;
    assert_eq!((progress.taken, progress.cursor, progress.behind), (head.unsigned_abs(), head, 0));
    let mut one = |text: &str, part: &str| {
        let hits = find(&mut index, text);
        assert!(hits.len() == 1 && hits[0].contains(part), "{text}: {hits:?}");
    };
    one("port docs", " message");
    one("first", " brief");
    one("half of it", " note 1");
    one("tabs", " question");
    one("\"spaces it is\"", " outcome");
    one("unclear", " note-");
    one("knows the parser", " description");
    one("version 2", "spec:user-api spec");
    assert_eq!(find(&mut index, "\"version 1\""), Vec::<String>::new(), "only the newest version is found");
    let from = |agent: &AgentId| Filter { author: Some(agent.to_string()), ..Filter::default() };
    assert_eq!(find_with(&mut index, "port", from(&ann)).len(), 1);
    assert_eq!(find_with(&mut index, "port", from(&bob)).len(), 0);
    let to_bob =
        Filter { member: Some(bob.to_string()), intent: Some("question".to_owned()), ..Filter::default() };
    assert_eq!(find_with(&mut index, "held", to_bob).len(), 2);
    assert_eq!(catch_up(&mut store, &mut index).taken, 0);
}

#[test]
fn the_bound_is_kept_and_the_rest_follows() {
    let replicas = SqliteReplicas::new();
    let (mut store, mut index) = (replicas.open("a", clock()), index(&replicas));
    busy_hub(&mut store);
    let head = store.head().unwrap().seq;
    let progress = store.catch_up_search(&mut index, 2).unwrap();
    assert_eq!((progress.taken, progress.cursor, progress.behind), (2, 2, head - 2));
    assert_eq!(find(&mut index, "tabs"), Vec::<String>::new());
    catch_up(&mut store, &mut index);
    assert_eq!(find(&mut index, "tabs").len(), 1);
}

#[test]
fn a_late_entry_takes_back_what_is_void_now() {
    let replicas = SqliteReplicas::new();
    let time = clock();
    let (mut store, mut index) = (replicas.open("a", time.clone()), index(&replicas));
    let mut other = replicas.open("b", time.clone());
    let spec = EntityRef::Spec(SpecName::parse("api").unwrap());
    let publish = |store: &mut Store, words: &str| {
        let me = facts::operator(store);
        facts::append(store, &me, |draft| {
            let body = draft.plain(words);
            draft.add(spec.clone(), SpecPublished { version: 1, body, publisher: me.clone(), note: None });
        });
    };
    publish(&mut other, "earlier elsewhere");
    time.advance(Duration::from_secs(1));
    publish(&mut store, "later here");
    catch_up(&mut store, &mut index);
    assert_eq!(find(&mut index, "later").len(), 1);
    exchange::bring(&mut other, &mut store);
    catch_up(&mut store, &mut index);
    assert_eq!(find(&mut index, "later"), Vec::<String>::new());
    assert_eq!(find(&mut index, "earlier"), ["spec:api spec"]);
}

#[test]
fn a_late_outcome_takes_back_the_positions_after_it() {
    let replicas = SqliteReplicas::new();
    let time = clock();
    let (mut store, mut index) = (replicas.open("a", time.clone()), index(&replicas));
    let mut other = replicas.open("b", time.clone());
    let ann = facts::register(&mut store, "ann");
    let decision = EntityRef::Decision(DecisionId::from_bits(1));
    facts::append(&mut store, &ann, |draft| {
        let question = draft.plain("Tabs or spaces?");
        draft.add(
            decision.clone(),
            DecisionOpened {
                question,
                options: Vec::new(),
                by: ann.clone(),
                deadline: None,
                message: None,
                supersedes: None,
                aliases: Vec::new(),
            },
        );
    });
    exchange::bring(&mut store, &mut other);
    time.advance(Duration::from_secs(1));
    let bob = facts::register(&mut other, "bob");
    facts::append(&mut other, &bob, |draft| {
        let outcome = draft.plain("neither");
        draft.add(decision.clone(), DecisionDecided { outcome, by: bob.clone(), reason: None });
    });
    time.advance(Duration::from_secs(1));
    facts::append(&mut store, &ann, |draft| {
        let position = draft.plain("surely tabs");
        draft.add(decision.clone(), DecisionPosition { agent: ann.clone(), position, reason: None });
    });
    catch_up(&mut store, &mut index);
    assert_eq!(find(&mut index, "surely").len(), 1);
    exchange::bring(&mut other, &mut store);
    catch_up(&mut store, &mut index);
    assert_eq!(find(&mut index, "surely"), Vec::<String>::new());
    assert_eq!(find(&mut index, "neither").len(), 1);
}

#[test]
fn a_purged_text_is_forgotten_and_the_rest_of_its_document_stays() {
    let replicas = SqliteReplicas::new();
    let (mut store, mut index) = (replicas.open("a", clock()), index(&replicas));
    let ann = facts::register(&mut store, "ann");
    let id = facts::send(&mut store, &ann, &ann, "password hunter2", "harmless");
    let task = facts::create_task(&mut store, &ann, "t");
    let note = facts::append(&mut store, &ann, |draft| {
        let note = draft.plain("token hunter2");
        draft.add(EntityRef::Task(task.clone()), TaskNoted { note });
    });
    catch_up(&mut store, &mut index);
    assert_eq!(find(&mut index, "hunter2").len(), 2);
    let subject = store.read(|r| r.message(&id)).unwrap().unwrap().subject;
    facts::purge(&mut store, &ann, &subject);
    let noted = interagent_store::texts_of(&note.entry.facts[0].event)[0].clone();
    facts::purge(&mut store, &ann, &noted);
    assert!(!catch_up(&mut store, &mut index).unscrubbed);
    assert_eq!(find(&mut index, "hunter2"), Vec::<String>::new());
    assert_eq!(find(&mut index, "harmless"), [format!("{id} message")]);
    drop((store, index));
    for name in ["search.db", "search.db-wal"] {
        let bytes = std::fs::read(replicas.state_dir("a").join(name)).unwrap_or_default();
        assert!(!bytes.windows(7).any(|w| w == b"hunter2"), "{name}");
    }
}

#[test]
fn an_index_of_another_life_begins_anew() {
    let replicas = SqliteReplicas::new();
    let (mut store, mut index) = (replicas.open("a", clock()), index(&replicas));
    busy_hub(&mut store);
    catch_up(&mut store, &mut index);
    let mut other = replicas.open("b", clock());
    let ann = facts::register(&mut other, "ann");
    facts::send(&mut other, &ann, &ann, "only", "this");
    let progress = catch_up(&mut other, &mut index);
    assert_eq!((progress.cursor, progress.behind), (3, 0));
    assert_eq!(find(&mut index, "tabs"), Vec::<String>::new());
    assert_eq!(find(&mut index, "only this").len(), 1);
}
