//! The log, histories, states and the trace.

use interagent_core::event::TaskMoved;
use interagent_core::refusal::RefusalKind;
use interagent_core::vocabulary::{Intent, TaskStatus};
use interagent_wire::answer::{EntryView, Page};
use interagent_wire::request as ask;
use interagent_wire::{Answer, Caller, Time};

use crate::support::{Team, as_agent};

fn entries(team: &mut Team, params: ask::LogList) -> Page<EntryView> {
    match team.ok(&Caller::operator(), params) {
        Answer::Entries(page) => page,
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_log_is_told_newest_first_and_in_pages() {
    let mut team = Team::duo();
    for n in 0..5 {
        team.send(
            "claude",
            "kimi",
            Intent::Message,
            &format!("number {n}"),
            "a body that is nobody's business",
        );
    }
    let mut seen = Vec::new();
    let mut before = None;
    loop {
        let page = entries(&mut team, ask::LogList { before, limit: Some(2), ..Default::default() });
        seen.extend(page.items.iter().map(|entry| entry.seq));
        match page.next {
            Some(next) => before = Some(next.parse().unwrap()),
            None => break,
        }
    }
    let head = team.hub.store().head().unwrap().seq;
    assert_eq!(seen, (1..=head).rev().collect::<Vec<_>>());

    let newest = entries(&mut team, ask::LogList { limit: Some(1), ..Default::default() });
    let entry = &newest.items[0];
    assert_eq!(entry.op, "message.send");
    assert_eq!(entry.actor.name, "claude");
    assert_eq!(entry.events[0].what, "claude sent a message to kimi: \"number 4\"");
    let whole = serde_json::to_string(&newest).unwrap();
    assert!(!whole.contains("nobody's business"), "a body has no place in a list: {whole}");
}

#[test]
fn the_log_after_a_place_is_told_oldest_first_up_to_another() {
    let mut team = Team::duo();
    for n in 0..4 {
        team.send("claude", "kimi", Intent::Message, &format!("number {n}"), "x");
    }
    let head = team.hub.store().head().unwrap().seq;
    let seqs = |page: &Page<EntryView>| page.items.iter().map(|entry| entry.seq).collect::<Vec<_>>();
    let page =
        entries(&mut team, ask::LogList { after: Some(head - 4), limit: Some(3), ..Default::default() });
    assert_eq!(seqs(&page), [head - 3, head - 2, head - 1]);
    assert_eq!(page.next, Some((head - 1).to_string()));
    let rest = entries(&mut team, ask::LogList { after: Some(head - 1), ..Default::default() });
    assert_eq!((seqs(&rest), rest.next), (vec![head], None));
    let between = entries(
        &mut team,
        ask::LogList { after: Some(head - 4), before: Some(head), limit: Some(50), ..Default::default() },
    );
    assert_eq!((seqs(&between), between.next), (vec![head - 3, head - 2, head - 1], None));
}

#[test]
fn a_history_is_found_by_id_prefix_alias_name_team_and_spec() {
    let mut team = Team::duo();
    let id = team.task(ask::TaskCreate {
        title: "Fix login".into(),
        assignee: Some("kimi".into()),
        aliases: vec!["cmd_035".into()],
        ..Default::default()
    });
    team.move_task("kimi", &id, TaskStatus::InProgress);
    let whole = team.history(&id);
    assert_eq!(team.history(&id[..10]), whole);
    assert_eq!(team.history("cmd_035"), whole);
    let told: Vec<&str> = whole.steps.iter().map(|step| step.what.as_str()).collect();
    assert_eq!(told[0], "operator created the task \"Fix login\"");
    assert!(told.contains(&"assigned to kimi"), "{told:?}");
    assert_eq!(told.last(), Some(&"moved from assigned to in_progress"));
    assert!(whole.steps.iter().all(|step| step.void.is_none()));

    assert_eq!(team.history("Kimi").steps[0].what, "kimi registered as kimi");
    assert_eq!(team.history("team").steps[0].kind, "team.changed");
    let spec = ask::SpecPublish { name: "user-api".into(), body: "# Users".into(), ..Default::default() };
    team.ok(&as_agent("claude"), spec);
    for name in ["spec:user-api", "user-api", "User-API"] {
        assert_eq!(team.history(name).steps[0].what, "claude published version 1", "{name}");
    }

    let missing = team.refused(&Caller::operator(), ask::LogHistory { entity: "task-zzzz".into() });
    assert_eq!(missing.kind, RefusalKind::NotFound);
    let missing = team.refused(&Caller::operator(), ask::LogHistory { entity: "spec:nothing".into() });
    assert_eq!(missing.kind, RefusalKind::NotFound);
    let missing = team.refused(&Caller::operator(), ask::LogHistory { entity: "../../etc".into() });
    assert_eq!(missing.kind, RefusalKind::NotFound);
}

#[test]
fn what_did_not_count_is_told_with_its_reason() {
    let mut team = Team::duo();
    let id = team.task(ask::TaskCreate { title: "Fix login".into(), ..Default::default() });
    // What another replica decided without knowing better.
    let late = TaskMoved {
        from: TaskStatus::Completed,
        to: TaskStatus::Approved,
        assignee: None,
        reason: None,
        successor: None,
        judges: None,
    };
    team.append(&id, late);
    let told = team.history(&id);
    let last = told.steps.last().unwrap();
    assert_eq!(
        (last.what.as_str(), last.void.as_deref()),
        ("moved from completed to approved", Some("the task had moved on"))
    );
    assert_eq!(team.state(&id, None)["status"], "pending");
}

#[test]
fn who_left_is_still_remembered_by_name() {
    let mut team = Team::duo();
    team.ok(&Caller::operator(), ask::AgentRetire { agent: "kimi".into(), ..Default::default() });
    assert_eq!(team.history("kimi").steps.last().unwrap().what, "retired");
}

#[test]
fn a_state_is_what_was_known_at_the_moment() {
    let mut team = Team::duo();
    let before = team.now();
    let id = team.task(ask::TaskCreate {
        title: "Fix login".into(),
        description: Some("The token expires.".into()),
        assignee: Some("kimi".into()),
        ..Default::default()
    });
    let assigned = team.now();
    team.move_task("kimi", &id, TaskStatus::InProgress);

    let now = team.state(&id, None);
    assert_eq!(now["status"], "in_progress");
    assert_eq!(now["brief"]["title"], "Fix login");
    assert_eq!(now["brief"]["description"], "The token expires.");
    assert_eq!(team.state(&id, Some(assigned))["status"], "assigned");
    let absent = team.state_view(&id, Some(before));
    assert_eq!((absent.state, absent.events, absent.at), (None, 0, Time(before)));
}

#[test]
fn a_messages_state_has_its_deliveries() {
    let mut team = Team::duo();
    let id = team.send("claude", "kimi", Intent::Question, "Which port?", "Tell me the port.");
    let sent = team.now();
    team.ok(&as_agent("kimi"), ask::MessageAcknowledge { messages: vec![id.clone()], ..Default::default() });
    let kimi = team.agent_id("kimi");
    assert_eq!(team.state(&id, Some(sent))["deliveries"][&kimi]["state"], "queued");
    let now = team.state(&id, None);
    assert_eq!(now["deliveries"][&kimi]["state"], "acknowledged");
    assert_eq!((&now["subject"], &now["body"]), (&"Which port?".into(), &"Tell me the port.".into()));
}

#[test]
fn only_texts_of_the_entity_are_put_in_the_place_of_hashes() {
    let mut team = Team::duo();
    let secret = team.send("claude", "kimi", Intent::Message, "quiet", "the other text");
    let Answer::Entries(page) = team.ok(&Caller::operator(), ask::LogList::default()) else { panic!() };
    assert_eq!(page.items[0].op, "message.send");
    let hash = team.body_hash(&secret);
    let id = team.task(ask::TaskCreate {
        title: "Fix login".into(),
        branch: Some(hash.clone()),
        ..Default::default()
    });
    assert_eq!(team.state(&id, None)["brief"]["branch"], hash.as_str());
}

#[test]
fn the_trace_explains_what_never_reached_the_log() {
    let mut team = Team::duo();
    team.hub.store().observe(|writer| writer.trace("wake.failed", r#"{"agent":"kimi"}"#)).unwrap();
    team.hub.store().observe(|writer| writer.trace("wake.tried", "no json")).unwrap();
    let Answer::Trace(page) = team.ok(&Caller::operator(), ask::LogTrace { limit: Some(2) }) else {
        panic!()
    };
    assert_eq!(page.items[0].data, "no json");
    assert_eq!((page.items[1].kind.as_str(), &page.items[1].data["agent"]), ("wake.failed", &"kimi".into()));
}

fn notices(team: &mut Team, after: i64) -> Vec<(String, String)> {
    let params = ask::LogNotices { after: Some(after), ..Default::default() };
    match team.ok(&Caller::operator(), params) {
        Answer::Notices(view) => {
            view.items.into_iter().map(|item| (item.kind.to_string(), item.sentence)).collect()
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_held_message_is_no_news_of_a_message_that_arrived() {
    let mut team = Team::duo();
    for n in 0..30 {
        team.send("claude", "kimi", Intent::Message, &format!("note {n}"), "x");
    }
    let before = team.hub.store().head().unwrap().seq;
    assert_eq!(notices(&mut team, before - 1)[0].0, "message");
    team.send("claude", "kimi", Intent::Message, "one too many", "x");
    let held = "claude sent a message to kimi: \"one too many\" (held: too many messages in a short time)";
    assert_eq!(notices(&mut team, before), [("held".to_owned(), held.to_owned())]);
}

#[test]
fn what_came_to_nothing_is_no_news() {
    let mut team = Team::duo();
    let id = team.task(ask::TaskCreate { title: "Build it".into(), ..Default::default() });
    let before = team.hub.store().head().unwrap().seq;
    let late = TaskMoved {
        from: TaskStatus::InProgress,
        to: TaskStatus::Completed,
        assignee: None,
        reason: None,
        successor: None,
        judges: None,
    };
    team.append(&id, late);
    assert_eq!(notices(&mut team, before), []);
}

#[test]
fn a_state_names_the_members_in_it() {
    let mut team = Team::duo();
    let task = team.task(ask::TaskCreate {
        title: "The parser".into(),
        assignee: Some("kimi".into()),
        ..Default::default()
    });
    let names: Vec<String> = team.state_view(&task, None).names.into_iter().map(|who| who.name).collect();
    assert!(names.contains(&"kimi".to_owned()) && names.contains(&"operator".to_owned()), "{names:?}");
}
