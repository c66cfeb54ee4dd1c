//! Carrying logs from one replica to another, as sync does.

use std::collections::BTreeMap;

use interagent_core::entry::{Entry, Line};
use interagent_core::ids::OriginId;
use interagent_core::signature::{Coverage, Seal, Standing};
use interagent_core::text::StoredText;
use interagent_store::{ForeignLine, ReplicaDecision, Store, TakeIn, texts_of};

/// Every line a replica knows, by origin, in each origin's order.
pub fn lines_by_origin(store: &mut Store) -> BTreeMap<OriginId, Vec<ForeignLine>> {
    let origins = store.origin_heads().unwrap();
    let mut all = BTreeMap::new();
    for origin in origins.into_keys() {
        let lines = store.lines_of(&origin, 1, u32::MAX).unwrap();
        let named = |(oseq, text)| ForeignLine { text, place: format!("{origin}:{oseq}") };
        all.insert(origin.clone(), lines.into_iter().map(named).collect());
    }
    all
}

/// Every line a replica knows.
pub fn lines(store: &mut Store) -> Vec<ForeignLine> {
    lines_by_origin(store).into_values().flatten().collect()
}

/// The texts that these lines point to, as far as the replica has them.
pub fn texts(store: &mut Store, lines: &[ForeignLine]) -> Vec<StoredText> {
    let mut texts = Vec::new();
    for line in lines {
        for fact in Entry::read(&line.text).unwrap().facts {
            for hash in texts_of(&fact.event) {
                texts.extend(store.text_with_salt(hash).unwrap());
            }
        }
    }
    texts
}

/// Seals, proven over lines as a sync does it.
pub fn coverage(seals: Vec<Seal>, lines: &[ForeignLine]) -> Coverage {
    let mut coverage = Coverage::of(seals);
    for line in lines.iter().filter_map(|line| Line::verify(&line.text).ok()) {
        let envelope = line.entry().unwrap().envelope;
        coverage.add(&envelope.origin, envelope.oseq, &line.hash, &envelope.prev);
    }
    coverage.prove();
    coverage
}

/// The seals that a replica has, its own made now.
pub fn seals(store: &mut Store) -> Vec<Seal> {
    store.sign().unwrap();
    store.replicas().unwrap().into_iter().filter_map(|replica| replica.seal).collect()
}

/// Accepts every replica that is new: the people know each other.
pub fn accept_all(store: &mut Store) {
    for replica in store.replicas().unwrap() {
        if replica.standing == Standing::New {
            store.decide_replica(&replica.origin, &ReplicaDecision::Accept).unwrap();
        }
    }
}

/// Brings everything one replica knows to another, which must find nothing wrong with it.
pub fn bring(from: &mut Store, to: &mut Store) -> TakeIn {
    let lines = lines(from);
    let texts = texts(from, &lines);
    let coverage = coverage(seals(from), &lines);
    let taken = to.take_in_sealed(&lines, &texts, &coverage).unwrap();
    accept_all(to);
    assert_eq!(taken.problems, []);
    taken
}
