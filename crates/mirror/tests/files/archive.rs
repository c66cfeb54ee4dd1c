//! Old messages go into months, and nothing is lost or doubled on the way.

use std::collections::BTreeSet;
use std::time::Duration;

use interagent_core::event::{MessageAcknowledged, MessageDelivered, TextPurged};
use interagent_core::ids::{AgentId, EntityRef, MessageId};
use interagent_core::vocabulary::{Intent, Via};
use interagent_mirror::files::Bound;
use interagent_testkit::facts;

use super::support::{Hub, Tree};

/// Sends messages that are read at once, fifty every other day.
fn read_messages(
    hub: &mut Hub,
    from: &AgentId,
    to: &AgentId,
    numbers: std::ops::Range<usize>,
) -> Vec<MessageId> {
    let mut ids = Vec::new();
    for some in numbers.collect::<Vec<_>>().chunks(50) {
        hub.clock.advance(Duration::from_secs(48 * 3600));
        let mut new: Vec<MessageId> = Vec::new();
        facts::append(&mut hub.store, from, |draft| {
            for number in some {
                let subject = format!("number {number}");
                let (id, mut sent) = facts::message(draft, from, std::slice::from_ref(to), &subject, "text");
                sent.intent = Intent::Message;
                draft.add(EntityRef::Message(id.clone()), sent);
                let delivered = MessageDelivered { agent: to.clone(), via: Via::Hook, redelivered: 0 };
                draft.add(EntityRef::Message(id.clone()), delivered);
                new.push(id);
            }
        });
        // Those of one entry are as old as each other: their ids say which comes first.
        new.sort();
        ids.extend(new);
    }
    ids
}

fn singles(tree: &Tree) -> usize {
    tree.keys().filter(|name| name.starts_with("messages/archive/msg-")).count()
}

fn months(tree: &Tree) -> Vec<&String> {
    tree.keys().filter(|name| name.ends_with(".jsonl")).collect()
}

fn lines(tree: &Tree) -> Vec<String> {
    let months = tree.iter().filter(|(name, _)| name.ends_with(".jsonl"));
    let id = |line: &str| {
        serde_json::from_str::<serde_json::Value>(line).unwrap()["id"].as_str().unwrap().to_owned()
    };
    months.flat_map(|(_, text)| text.lines().map(id)).collect()
}

#[test]
fn the_newest_thousand_have_files_and_older_ones_are_lines_of_their_month() {
    let mut hub = Hub::new("north");
    let (claude, kimi) = (facts::register(&mut hub.store, "claude"), facts::register(&mut hub.store, "kimi"));
    let first = read_messages(&mut hub, &claude, &kimi, 0..1_100);
    hub.follow(Bound::Whole);
    let tree = hub.tree();
    assert_eq!(singles(&tree), 1_000);
    assert_eq!(months(&tree).len(), 1, "{:?}", months(&tree));
    assert_eq!(lines(&tree), first[..100].iter().map(ToString::to_string).collect::<Vec<_>>());

    let more = read_messages(&mut hub, &claude, &kimi, 1_100..2_000);
    for _ in 0..40 {
        hub.follow(Bound::Brief);
    }
    assert!(singles(&hub.tree()) > 1_000, "a short command moves nothing into months");
    hub.follow(Bound::Whole);
    let tree = hub.tree();
    let all: Vec<String> = first.iter().chain(&more).map(ToString::to_string).collect();
    assert_eq!((singles(&tree), lines(&tree)), (1_000, all[..1_000].to_vec()));
    assert!(months(&tree).len() > 1, "{:?}", months(&tree));
    assert_eq!(tree, hub.written_at_once());

    // What still happens to an old message is in its line, too.
    facts::append(&mut hub.store, &kimi, |draft| {
        draft.add(EntityRef::Message(first[5].clone()), MessageAcknowledged { agent: kimi.clone() });
    });
    hub.follow(Bound::Whole);
    assert_eq!(hub.tree(), hub.written_at_once());

    // A line that changes is changed, and the file it had meanwhile is gone again.
    let old = hub.store.read(|reader| reader.message(&first[3])).unwrap().unwrap();
    let gone = hub.store.read(|reader| reader.text(&old.subject)).unwrap().unwrap();
    let gone = format!("\"{gone}\"");
    assert!(tree.values().any(|text| text.contains(&gone)));
    facts::append(&mut hub.store, &claude, |draft| {
        draft.add(EntityRef::Text(old.subject.clone()), TextPurged { reason: None });
    });
    hub.follow(Bound::Whole);
    let tree = hub.tree();
    assert!(!tree.values().any(|text| text.contains(&gone)));
    assert_eq!(lines(&tree).into_iter().collect::<BTreeSet<_>>().len(), 1_000);
    assert_eq!(tree, hub.written_at_once());

    // A month that was deleted comes back; one that was changed by hand is kept, and comes back too.
    let names: Vec<String> = months(&tree).into_iter().cloned().collect();
    std::fs::remove_file(hub.path(&names[0])).unwrap();
    std::fs::write(hub.path(&names[1]), "mine\n").unwrap();
    let followed = hub.follow(Bound::Whole);
    assert_eq!(followed.kept, [format!("{}.edited", names[1])]);
    let mut again = hub.tree();
    assert_eq!(again.remove(&followed.kept[0]).as_deref(), Some("mine\n"));
    assert_eq!(again, tree);
}
