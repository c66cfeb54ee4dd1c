//! Search through the hub.

use interagent_core::refusal::RefusalKind;
use interagent_core::vocabulary::Intent;
use interagent_wire::request as ask;
use interagent_wire::{Caller, Time};

use crate::support::Team;

fn words(text: &str) -> ask::Search {
    ask::Search { text: text.into(), ..Default::default() }
}

#[test]
fn what_was_just_written_is_found() {
    let mut team = Team::duo();
    let id =
        team.send("claude", "kimi", Intent::Message, "Checkpoints", "The WAL grows without a checkpoint.");
    let found = team.search(words("wal check*"));
    assert_eq!(found.items.len(), 1, "{found:?}");
    let hit = &found.items[0];
    assert_eq!((hit.entity.as_str(), hit.kind.as_str()), (id.as_str(), "message"));
    assert_eq!(hit.author.as_ref().map(|who| who.name.as_str()), Some("claude"));
    let marked: Vec<&str> =
        hit.hits.iter().map(|(from, to)| &hit.excerpt[*from as usize..*to as usize]).collect();
    assert!(marked.contains(&"WAL"), "{marked:?}");

    team.send("kimi", "claude", Intent::Message, "Again", "Another WAL.");
    assert_eq!(team.search(words("wal")).items.len(), 2);
}

#[test]
fn filters_narrow_and_pages_go_on() {
    let mut team = Team::duo();
    let task = team.task(ask::TaskCreate { title: "Zebra crossing".into(), ..Default::default() });
    let early = team.now();
    for n in 0..5 {
        team.send("kimi", "claude", Intent::Message, &format!("zebra {n}"), "striped");
    }
    let kinds = |kind: &str| ask::Search { kinds: vec![kind.into()], ..words("zebra") };
    assert_eq!(team.search(kinds("task")).items[0].entity, task);
    assert!(team.search(kinds("Message")).items.iter().all(|hit| hit.kind == "message"));
    assert_eq!(team.search(ask::Search { author: Some("claude".into()), ..words("zebra") }).items, []);
    assert!(!team.search(ask::Search { author: Some("kimi".into()), ..words("zebra") }).items.is_empty());
    let about = team.search(ask::Search { task: Some(task.clone()), ..words("zebra") });
    assert!(about.items.iter().all(|hit| hit.entity == task) && !about.items.is_empty());
    let since = team.search(ask::Search { since: Some(Time(early + 1)), ..words("zebra") });
    assert!(since.items.iter().all(|hit| hit.kind == "message") && !since.items.is_empty());
    let until = team.search(ask::Search { until: Some(Time(early + 1)), ..words("zebra") });
    assert!(until.items.iter().all(|hit| hit.entity == task) && !until.items.is_empty());

    let all = team.search(kinds("message")).items;
    let mut paged = Vec::new();
    let mut after = None;
    loop {
        let page = team.search(ask::Search { limit: Some(2), after, ..kinds("message") });
        paged.extend(page.items);
        after = page.next;
        if after.is_none() {
            break;
        }
    }
    assert_eq!(paged, all);
}

#[test]
fn a_query_or_filter_that_means_nothing_is_refused() {
    let mut team = Team::duo();
    let table = [
        (words(""), RefusalKind::Usage),
        (words(" ?! "), RefusalKind::Usage),
        (ask::Search { kinds: vec!["lease".into()], ..words("x") }, RefusalKind::Usage),
        (ask::Search { after: Some("first".into()), ..words("x") }, RefusalKind::Usage),
        (ask::Search { author: Some("nobody".into()), ..words("x") }, RefusalKind::NotFound),
        (ask::Search { task: Some("task-zzzz".into()), ..words("x") }, RefusalKind::NotFound),
    ];
    for (query, kind) in table {
        let refusal = team.refused(&Caller::operator(), query.clone());
        assert_eq!(refusal.kind, kind, "{query:?}: {refusal}");
    }
}

#[test]
fn a_damaged_index_is_filled_again() {
    let mut team = Team::duo();
    team.send("claude", "kimi", Intent::Message, "Checkpoints", "The WAL grows.");
    assert_eq!(team.search(words("wal")).items.len(), 1);
    let path = team.hub.state_dir().join("search.db");
    std::fs::write(&path, b"this is no database, whatever it was before").unwrap();
    assert_eq!(team.search(words("wal")).items.len(), 1);
}

#[test]
fn an_index_that_cannot_be_opened_is_told_as_such() {
    let mut team = Team::duo();
    std::fs::create_dir(team.hub.state_dir().join("search.db")).unwrap();
    let refusal = team.refused(&Caller::operator(), words("wal"));
    assert_eq!(refusal.kind, RefusalKind::Unavailable);
}
