//! What somebody changed on the branch by hand: it is named, harms nobody else, and is repaired by who has it whole.

use interagent_store::Store;
use interagent_testkit::facts;

use crate::{Pair, has_text, send};

#[test]
fn a_text_that_was_meddled_with_is_put_back_by_who_has_it_whole() {
    let pair = Pair::new();
    pair.repository("c");
    let (mut a, mut b, mut c) = (pair.store("a"), pair.store("b"), pair.store("c"));
    let ann = facts::register(&mut a, "ann");
    let hash = send(&mut a, &ann, "as it was written");
    pair.sync("a", &mut a);
    pair.sync("b", &mut b);
    let path = format!("texts/{}/{hash}.json", &hash.as_str()[..2]);
    let whole = pair.show("remote.git", &path);
    pair.meddle(&path, |text| text.replace("written", "forged"));
    // A clone that has no other takes nothing in, and says so.
    let report = pair.sync("c", &mut c);
    assert!(report.problems.iter().any(|problem| problem.contains(hash.as_str())), "{:?}", report.problems);
    assert!(!has_text(&mut c, &hash));
    // Who follows the remote without anything of its own repairs it all the same.
    let report = pair.sync("b", &mut b);
    assert!(report.notes.iter().any(|note| note.contains(hash.as_str())), "{:?}", report.notes);
    assert_eq!(pair.show("remote.git", &path), whole);
    // Two histories with a version each: the whole one stays, and is taken in.
    facts::register(&mut c, "cid");
    pair.sync("c", &mut c);
    assert_eq!((pair.show("c", &path), pair.show("remote.git", &path)), (whole.clone(), whole.clone()));
    assert!(has_text(&mut c, &hash));
    // No version is whole: the log has it.
    pair.meddle(&path, |text| text.replace("written", "forged"));
    pair.git(&["-C", "a", "fetch", "--quiet", "origin", "+interagent:interagent"]);
    pair.meddle(&path, |text| text.replace("forged", "forged twice"));
    pair.sync("a", &mut a);
    assert_eq!(pair.show("remote.git", &path), whole);
}

#[test]
fn after_a_damaged_line_its_replica_waits_and_others_load() {
    let pair = Pair::new();
    let (mut a, mut b) = (pair.store("a"), pair.store("b"));
    let ann = facts::register(&mut a, "ann");
    let bodies = ["before", "damaged", "after"].map(|body| send(&mut a, &ann, body));
    pair.sync("a", &mut a);
    let bob = facts::register(&mut b, "bob");
    let other = send(&mut b, &bob, "of another replica");
    pair.sync("b", &mut b);
    let origin = a.head().unwrap().origin;
    let path = format!("log/{origin}/000000000001.jsonl");
    let middle = bodies[1].to_string();
    let at = pair.show("remote.git", &path).lines().position(|line| line.contains(&middle)).unwrap() + 1;
    pair.meddle(&path, |text| text.replacen(&middle, &middle.replace('0', "1"), 1));
    pair.repository("c");
    let mut c = pair.store("c");
    let report = pair.sync("c", &mut c);
    let place = format!("{path}:{at}: ");
    assert!(report.problems.iter().any(|problem| problem.contains(&place)), "{:?}", report.problems);
    // No signature proves what comes before the damage to a clone that has none of it.
    assert!(has_text(&mut c, &other));
    let last = |store: &mut Store| store.last_of(&origin).unwrap();
    assert_eq!(last(&mut c), 0);
    // Who has the line whole repairs it; then everything is there.
    pair.sync("b", &mut b);
    let report = pair.sync("c", &mut c);
    assert_eq!(last(&mut c), last(&mut b), "{report:?}");
    assert!(bodies.iter().all(|hash| has_text(&mut c, hash)));
    assert!(c.verify(&mut |_, _| {}).unwrap().is_empty());
}
