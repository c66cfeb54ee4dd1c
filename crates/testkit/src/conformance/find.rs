//! Finding entities by prefix and alias, and paging through lists.

use interagent_core::event::TaskCreated;
use interagent_core::ids::{EntityRef, TaskId};
use interagent_store::Store;
use interagent_store::reader::{MessageFilter, Named, Noun, PageStart, TaskFilter};

use super::{Factory, clock};
use crate::facts::{append, register, send, task};

fn make(store: &mut Store, ids: &[u64], alias: Option<&str>) -> Vec<TaskId> {
    let ann = register(store, "ann");
    let mut made = Vec::new();
    append(store, &ann, |draft| {
        for bits in ids {
            let (_, created) = task(draft, &ann, "t");
            let id = TaskId::from_bits(*bits);
            let aliases = alias.map(ToOwned::to_owned).into_iter().collect();
            draft.add(EntityRef::Task(id.clone()), TaskCreated { aliases, ..created });
            made.push(id);
        }
    });
    made
}

pub fn a_unique_prefix_is_enough(factory: &dyn Factory) {
    let mut store = factory.open("a", clock());
    // Ids that share their first eight characters, and one that does not.
    let made = make(&mut store, &[1, 2, 1 << 59], None);
    let mut resolve = |given: &str| store.read(|r| r.resolve(given, Noun::ALL)).unwrap();
    assert_eq!(resolve(made[2].as_str()), Named::One(EntityRef::Task(made[2].clone())));
    assert_eq!(resolve(&made[2].as_str()[..9]), Named::One(EntityRef::Task(made[2].clone())));
    assert_eq!(resolve(&made[2].as_str().to_uppercase()), Named::One(EntityRef::Task(made[2].clone())));
    let both = vec![made[0].to_string(), made[1].to_string()];
    assert_eq!(resolve("task-0000"), Named::Several(both));
    assert_eq!(resolve("task-000"), Named::Nothing, "three characters are too few");
    assert_eq!(resolve("task-zzzz"), Named::Nothing);
    assert_eq!(store.read(|r| r.resolve(made[0].as_str(), &[Noun::Message])).unwrap(), Named::Nothing);
}

pub fn an_alias_resolves_where_an_id_does(factory: &dyn Factory) {
    let mut store = factory.open("a", clock());
    let made = make(&mut store, &[7], Some("cmd_035"));
    let mut resolve = |nouns| store.read(|r| r.resolve("cmd_035", nouns)).unwrap();
    assert_eq!(resolve(Noun::ALL), Named::One(EntityRef::Task(made[0].clone())));
    assert_eq!(resolve(&[Noun::Agent]), Named::Nothing);
}

pub fn pages_meet_without_gap_or_overlap(factory: &dyn Factory) {
    let mut store = factory.open("a", clock());
    let ann = register(&mut store, "ann");
    let mut sent: Vec<_> = (0..7).map(|i| send(&mut store, &ann, &ann, &format!("m{i}"), "x")).collect();
    sent.reverse();
    let to_ann = MessageFilter { to: Some(ann.clone()), ..MessageFilter::default() };
    let from_ann = MessageFilter { from: Some(ann.clone()), ..MessageFilter::default() };
    for filter in [MessageFilter::default(), to_ann, from_ann] {
        let mut seen = Vec::new();
        let mut start = PageStart::default();
        loop {
            let page = store.read(|r| r.messages(&filter, &start, 3)).unwrap();
            let Some(last) = page.last() else { break };
            start = PageStart { at: last.sent.at, id: last.id.to_string() };
            seen.extend(page.into_iter().map(|m| m.id));
        }
        assert_eq!(seen, sent, "{filter:?}");
    }
    // Tasks of one entry share their time and are told apart by their ids.
    let made = make(&mut store, &[3, 1, 2], None);
    let first = store.read(|r| r.tasks(&TaskFilter::default(), &PageStart::default(), 2)).unwrap();
    let start = PageStart { at: first[1].created.at, id: first[1].id.to_string() };
    let second = store.read(|r| r.tasks(&TaskFilter::default(), &start, 2)).unwrap();
    let seen: Vec<_> = first.iter().chain(&second).map(|t| t.id.clone()).collect();
    assert_eq!(seen, [made[0].clone(), made[2].clone(), made[1].clone()]);
}
