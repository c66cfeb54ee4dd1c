//! The key of a replica, its seals, and which lines they let in.
#![expect(clippy::unwrap_used, reason = "a helper of a test fails by panicking")]

mod support;

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use interagent_core::entry::{Entry, Line};
use interagent_core::event::{AgentRegistered, AgentRenamed};
use interagent_core::ids::{EntityRef, HubId, OriginId};
use interagent_core::name::Name;
use interagent_core::signature::{Seal, SecretKey, Standing};
use interagent_store::{ErrorKind, ForeignLine, ReplicaDecision, Store, TakeIn, TakeInProblem};
use interagent_testkit::conformance::{Factory, clock};
use interagent_testkit::exchange::{coverage, lines, seals, texts};
use interagent_testkit::facts::{self, create_task, operator, register};

use support::SqliteReplicas;

fn mode(path: &Path) -> u32 {
    std::fs::metadata(path).unwrap().permissions().mode() & 0o777
}

fn take_in(to: &mut Store, lines: &[ForeignLine], seals: Vec<Seal>) -> TakeIn {
    to.take_in_sealed(lines, &[], &coverage(seals, lines)).unwrap()
}

/// What its replica never wrote, with a right hash and in the right place.
fn forged(after: &ForeignLine) -> ForeignLine {
    let line = Line::verify(&after.text).unwrap();
    let mut entry: Entry = line.entry().unwrap();
    entry.envelope.oseq += 1;
    entry.envelope.at += 1;
    entry.envelope.prev = line.hash;
    entry.envelope.key = None;
    ForeignLine { text: entry.seal().unwrap().text, place: "forged:1".to_owned() }
}

fn standing(store: &mut Store, origin: &OriginId) -> Standing {
    store.replicas().unwrap().into_iter().find(|one| one.origin == *origin).unwrap().standing
}

#[test]
fn store_is_made_with_a_key_for_its_owner_alone() {
    let replicas = SqliteReplicas::new();
    let mut store = replicas.open("here", clock());
    let path = replicas.state_dir("here").join("key");
    assert_eq!(mode(&path), 0o600);
    let own = store.replicas().unwrap();
    let key = SecretKey::parse(&std::fs::read_to_string(&path).unwrap()).unwrap();
    assert_eq!((own.len(), own[0].standing, own[0].key), (1, Standing::Own, Some(key.public())));
    let seal = store.sign().unwrap();
    let head = store.head().unwrap();
    assert!(seal.is_valid());
    assert_eq!((seal.key, seal.oseq, seal.hash), (key.public(), head.oseq, head.prev));
}

#[test]
fn key_that_is_lost_or_unreadable_is_never_replaced() {
    let replicas = SqliteReplicas::new();
    let mut store = replicas.open("here", clock());
    let path = replicas.state_dir("here").join("key");
    let good = std::fs::read_to_string(&path).unwrap();
    let other = SecretKey::from_seed([9; 32]).unwrap().text();
    let spoil: [&dyn Fn(); 4] = [
        &|| std::fs::remove_file(&path).unwrap(),
        &|| std::fs::write(&path, "no key").unwrap(),
        &|| std::fs::write(&path, &other).unwrap(),
        &|| {
            std::fs::remove_file(&path).unwrap();
            std::os::unix::fs::symlink(replicas.state_dir("here").join("hub.db"), &path).unwrap();
        },
    ];
    for spoil in spoil {
        spoil();
        // Writing does not need the key, and leaves its file as it is.
        let name = format!("agent{}", store.head().unwrap().oseq);
        register(&mut store, &name);
        assert_eq!(store.sign().unwrap_err().kind(), ErrorKind::Key);
        assert_ne!(std::fs::read_to_string(&path).ok(), Some(good.clone()));
        let _ = std::fs::remove_file(&path);
        std::fs::write(&path, &good).unwrap();
        assert!(store.sign().unwrap().is_valid());
    }
}

#[test]
fn forged_entry_of_our_own_is_refused() {
    let replicas = SqliteReplicas::new();
    let mut here = replicas.open("here", clock());
    register(&mut here, "ann");
    let head = here.head().unwrap();
    let mut given = lines(&mut here);
    given.push(forged(given.last().unwrap()));
    let stranger = SecretKey::from_seed([9; 32]).unwrap();
    let last = Line::verify(&given[2].text).unwrap();
    let hub = HubId::parse(&head.hub_id).unwrap();
    for seals in
        [vec![], vec![here.sign().unwrap()], vec![stranger.seal(hub, head.origin.clone(), 3, last.hash)]]
    {
        let taken = take_in(&mut here, &given, seals);
        assert!(
            matches!(&taken.problems[..], [TakeInProblem::NotOurs { oseq: 3, place }] if place == "forged:1"),
            "{taken:?}"
        );
        assert_eq!((taken.new, here.head().unwrap()), (0, head.clone()));
    }
}

#[test]
fn own_entries_come_back_only_with_our_signature() {
    let replicas = SqliteReplicas::new();
    let mut here = replicas.open("here", clock());
    let ann = register(&mut here, "ann");
    let state = replicas.state_dir("here");
    let kept: Vec<_> =
        ["hub.db", "hub.db-wal"].iter().filter_map(|name| std::fs::read(state.join(name)).ok()).collect();
    let before = here.head().unwrap();
    create_task(&mut here, &ann, "Written after the snapshot");
    let (given, seal, texts) = (lines(&mut here), here.sign().unwrap(), {
        let all = lines(&mut here);
        texts(&mut here, &all)
    });
    drop(here);
    // The machine was put back to a snapshot: the same files with older bytes.
    for (name, bytes) in ["hub.db", "hub.db-wal"].iter().zip(&kept) {
        let file = std::fs::OpenOptions::new().write(true).truncate(true).open(state.join(name)).unwrap();
        std::io::Write::write_all(&mut &file, bytes).unwrap();
    }
    let _ = std::fs::remove_file(state.join("hub.db-shm"));
    let mut here = replicas.open("here", clock());
    assert_eq!(here.head().unwrap(), before);
    assert_eq!(here.take_in(&given, &texts).unwrap().new, 0, "without a signature");
    let taken = here.take_in_sealed(&given, &texts, &coverage(vec![seal], &given)).unwrap();
    assert_eq!((taken.new, taken.problems.len()), (1, 0), "{taken:?}");
    assert_eq!(here.head().unwrap().oseq, before.oseq + 1);
}

#[test]
fn first_seal_pins_the_key_and_ends_unsigned_history() {
    let replicas = SqliteReplicas::new();
    let mut here = replicas.open("here", clock());
    let mut there = replicas.open("there", clock());
    register(&mut there, "bob");
    let origin = there.head().unwrap().origin;
    // Unsigned history, as of an earlier version.
    let unsigned = lines(&mut there);
    assert_eq!(take_in(&mut here, &unsigned, vec![]).problems, []);
    let known =
        |store: &mut Store| store.replicas().unwrap().into_iter().find(|one| one.origin == origin).unwrap();
    assert_eq!((known(&mut here).key, known(&mut here).standing), (None, Standing::New));
    let seal = there.sign().unwrap();
    assert_eq!(take_in(&mut here, &unsigned, vec![seal.clone()]).problems, []);
    let pinned = known(&mut here);
    assert_eq!((pinned.key, pinned.first_sealed, pinned.seal.as_ref()), (Some(seal.key), 2, Some(&seal)));
    // Downgrade: the same replica without signatures.
    let ann = operator(&mut there);
    create_task(&mut there, &ann, "Unsigned");
    let more = lines(&mut there);
    let taken = take_in(&mut here, &more, vec![seal]);
    assert!(matches!(&taken.problems[..], [TakeInProblem::Unsigned { oseq: 3, .. }]), "{taken:?}");
    let newer = there.sign().unwrap();
    assert_eq!(take_in(&mut here, &more, vec![newer]).new, 1, "it comes in once it is signed");
    assert_eq!(known(&mut here).first_sealed, 2);
    assert_eq!(standing(&mut here, &origin), Standing::New);
}

#[test]
fn another_key_is_kept_apart_and_shown() {
    let replicas = SqliteReplicas::new();
    let mut here = replicas.open("here", clock());
    let mut there = replicas.open("there", clock());
    register(&mut there, "bob");
    let head = there.head().unwrap();
    let given = lines(&mut there);
    let first = there.sign().unwrap();
    take_in(&mut here, &given, vec![first.clone()]);
    let stranger = SecretKey::from_seed([9; 32]).unwrap();
    let mut more = given.clone();
    more.push(forged(given.last().unwrap()));
    let last = Line::verify(&more[2].text).unwrap();
    let hub = HubId::parse(&head.hub_id).unwrap();
    // Over a forged entry, and over the real ones.
    let over_forged = stranger.seal(hub.clone(), head.origin.clone(), 3, last.hash);
    let taken = take_in(&mut here, &more, vec![over_forged]);
    assert!(matches!(&taken.problems[..], [TakeInProblem::Unsigned { oseq: 3, .. }]), "{taken:?}");
    let over_real = stranger.seal(hub, head.origin.clone(), head.oseq, head.prev.clone());
    let taken = take_in(&mut here, &given, vec![first.clone(), over_real.clone()]);
    assert!(matches!(&taken.problems[..], [TakeInProblem::OtherKey { .. }]), "{taken:?}");
    let known = here.replicas().unwrap().into_iter().find(|one| one.origin == head.origin).unwrap();
    assert_eq!((known.key, known.rival), (Some(first.key), Some(over_real)));
}

#[test]
fn copy_gets_a_key_of_its_own_and_a_fork_keeps_it() {
    let replicas = SqliteReplicas::new();
    let mut here = replicas.open("here", clock());
    register(&mut here, "ann");
    let (origin, key) = (here.head().unwrap().origin, here.sign().unwrap().key);
    let mut copy = replicas.copy(&mut here, "copy", clock());
    std::fs::copy(replicas.state_dir("here").join("key"), replicas.state_dir("copy").join("key")).unwrap();
    assert!(copy.become_copy("copy").unwrap());
    let seal = copy.sign().unwrap();
    assert!(seal.key != key && seal.is_valid());
    assert_eq!(standing(&mut copy, &origin), Standing::Accepted, "its own history goes on counting");
    // A database that was put back and went on is a new replica, but the same people and the same key.
    here.leave_fork(2).unwrap();
    let seal = here.sign().unwrap();
    assert!(seal.key == key && seal.origin != origin && seal.is_valid());
}

/// Another replica with an agent, whose operator and agent each wrote something; signed and brought here.
fn neighbour(replicas: &SqliteReplicas, here: &mut Store) -> (Store, OriginId) {
    let mut there = replicas.open("there", clock());
    let bob = register(&mut there, "bob");
    let person = operator(&mut there);
    create_task(&mut there, &bob, "of the agent");
    create_task(&mut there, &person, "of the operator");
    carry(&mut there, here);
    let origin = there.head().unwrap().origin;
    (there, origin)
}

fn carry(from: &mut Store, to: &mut Store) -> TakeIn {
    let (all, seals) = (lines(from), seals(from));
    let texts = texts(from, &all);
    to.take_in_sealed(&all, &texts, &coverage(seals, &all)).unwrap()
}

fn titles(store: &mut Store) -> Vec<String> {
    let tasks = dump(store);
    let mut found: Vec<String> = ["of the agent", "of the operator", "as a stranger"]
        .into_iter()
        .filter(|title| tasks.contains(&title.to_string()))
        .map(str::to_owned)
        .collect();
    found.sort();
    found
}

/// The titles of the tasks that are shown.
fn dump(store: &mut Store) -> Vec<String> {
    let all = lines(store);
    let mut found = Vec::new();
    for line in all {
        for fact in Entry::read(&line.text).unwrap().facts {
            if let EntityRef::Task(id) = &fact.entity
                && let Some(task) = store.read(|r| r.task(id)).unwrap()
            {
                found.extend(store.text_with_salt(&task.brief.title).unwrap().map(|text| text.text));
            }
        }
    }
    found
}

#[test]
fn operator_of_new_replica_counts_after_accept() {
    let replicas = SqliteReplicas::new();
    let mut here = replicas.open("here", clock());
    let (_there, origin) = neighbour(&replicas, &mut here);
    assert_eq!(titles(&mut here), ["of the agent"]);
    for (decision, expected) in [
        (ReplicaDecision::Accept, &["of the agent", "of the operator"][..]),
        (ReplicaDecision::Reject, &[]),
        (ReplicaDecision::Accept, &["of the agent", "of the operator"]),
    ] {
        assert!(here.decide_replica(&origin, &decision).unwrap());
        assert_eq!(titles(&mut here), expected, "{decision:?}");
        assert_eq!(here.verify(&mut |_, _| {}).unwrap(), []);
        here.rebuild(&mut |_, _| {}).unwrap();
        assert_eq!(titles(&mut here), expected, "{decision:?}, rebuilt");
    }
    let own = here.head().unwrap().origin;
    assert!(!here.decide_replica(&own, &ReplicaDecision::Reject).unwrap());
}

#[test]
fn nobody_acts_for_members_of_other_replicas() {
    let replicas = SqliteReplicas::new();
    let mut here = replicas.open("here", clock());
    let ann = register(&mut here, "ann");
    let mut there = replicas.open("there", clock());
    carry(&mut here, &mut there);
    // A modified program writes into its own log in the name of somebody else.
    create_task(&mut there, &ann, "as a stranger");
    facts::append(&mut there, &ann, |draft| {
        let name = Name::parse("mallory").unwrap();
        draft.add(EntityRef::Agent(ann.clone()), AgentRenamed { name });
    });
    carry(&mut there, &mut here);
    let origin = there.head().unwrap().origin;
    for decision in [None, Some(ReplicaDecision::Accept)] {
        if let Some(decision) = decision {
            here.decide_replica(&origin, &decision).unwrap();
        }
        assert_eq!(titles(&mut here), [] as [&str; 0]);
        assert_eq!(here.read(|r| r.agent(&ann)).unwrap().unwrap().name.to_string(), "ann");
    }
}

#[test]
fn purge_of_new_replica_deletes_nothing_before_accept() {
    let replicas = SqliteReplicas::new();
    let mut here = replicas.open("here", clock());
    let ann = register(&mut here, "ann");
    let task = create_task(&mut here, &ann, "kept");
    let title = here.read(|r| r.task(&task)).unwrap().unwrap().brief.title;
    let mut there = replicas.open("there", clock());
    carry(&mut here, &mut there);
    let person = operator(&mut there);
    facts::purge(&mut there, &person, &title);
    carry(&mut there, &mut here);
    assert!(here.text_with_salt(&title).unwrap().is_some());
    here.rebuild(&mut |_, _| {}).unwrap();
    assert!(here.text_with_salt(&title).unwrap().is_some(), "a rebuild deletes nothing either");
    here.decide_replica(&there.head().unwrap().origin, &ReplicaDecision::Accept).unwrap();
    assert!(here.text_with_salt(&title).unwrap().is_none());
    assert_eq!(here.purged_texts().unwrap(), [title]);
}

#[test]
fn backdated_registration_does_not_move_an_agent() {
    let replicas = SqliteReplicas::new();
    let (before, now) = (clock(), clock());
    now.step_wall(60_000_000);
    let mut here = replicas.open("here", now);
    let ann = register(&mut here, "ann");
    let mut there = replicas.open("there", before);
    facts::append(&mut there, &ann, |draft| {
        let registered = AgentRegistered { name: Name::parse("ann").unwrap(), profile: "claude".to_owned() };
        draft.add(EntityRef::Agent(ann.clone()), registered);
    });
    carry(&mut there, &mut here);
    let home = here.read(|r| r.agent(&ann)).unwrap().unwrap().home;
    assert_eq!(home, here.head().unwrap().origin);
    assert_eq!(here.verify(&mut |_, _| {}).unwrap(), []);
}

#[test]
fn successor_acts_for_agents_with_the_same_key_or_after_a_person_says_so() {
    for has_key in [true, false] {
        let replicas = SqliteReplicas::new();
        let mut here = replicas.open("here", clock());
        let mut there = replicas.open("there", clock());
        let bob = register(&mut there, "bob");
        carry(&mut there, &mut here);
        let old = there.head().unwrap().origin;
        here.decide_replica(&old, &ReplicaDecision::Accept).unwrap();
        if !has_key {
            std::fs::remove_file(replicas.state_dir("there").join("key")).unwrap();
        }
        there.new_origin("there", Some(old.clone())).unwrap();
        create_task(&mut there, &bob, "of the agent");
        carry(&mut there, &mut here);
        let new = there.head().unwrap().origin;
        assert_eq!(titles(&mut here).len(), usize::from(has_key), "same key: {has_key}");
        let expected = if has_key { Standing::Accepted } else { Standing::New };
        assert_eq!(standing(&mut here, &new), expected);
        here.decide_replica(&new, &ReplicaDecision::AcceptAfter(old)).unwrap();
        assert_eq!(titles(&mut here).len(), 1);
        assert_eq!(here.verify(&mut |_, _| {}).unwrap(), []);
    }
}
