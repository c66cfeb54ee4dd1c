//! Carrying logs from one replica to another, as sync does.

use std::collections::BTreeMap;

use interagent_core::entry::Entry;
use interagent_core::ids::OriginId;
use interagent_core::text::StoredText;
use interagent_store::{ForeignLine, Store, TakeIn, texts_of};

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

/// Brings everything one replica knows to another, which must find nothing wrong with it.
pub fn bring(from: &mut Store, to: &mut Store) -> TakeIn {
    let lines = lines(from);
    let texts = texts(from, &lines);
    let taken = to.take_in(&lines, &texts).unwrap();
    assert_eq!(taken.problems, []);
    taken
}
