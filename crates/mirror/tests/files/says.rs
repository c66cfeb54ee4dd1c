//! What each file says, in the original's field names and words.

use interagent_core::event::{
    AgentSeated, DecisionDecided, DecisionOpened, DecisionPosition, MessageAcknowledged, MessageDelivered,
    MessageHeld, SkillCandidate, SpecPublished, TaskAssigned, TaskMoved, TaskNoted, TaskReported, TextPurged,
};
use interagent_core::ids::{DecisionId, EntityRef, SpecName};
use interagent_core::team::Role;
use interagent_core::vocabulary::{HoldReason, Intent, ReportStatus, TaskStatus, Via};
use interagent_mirror::files::Bound;
use interagent_testkit::{exchange, facts};

use super::support::{Hub, Tree};

/// The one file whose path begins so, with everything replaced that differs from run to run.
fn file(tree: &Tree, begins: &str) -> String {
    let found: Vec<(&String, &String)> = tree.iter().filter(|(name, _)| name.starts_with(begins)).collect();
    assert_eq!(found.len(), 1, "{begins}: {:?}", tree.keys());
    masked(found[0].1)
}

fn masked(text: &str) -> String {
    let mut ids: Vec<String> = Vec::new();
    let mut masked = String::new();
    let mut word = String::new();
    for c in text.chars().chain(['\n']) {
        if c.is_ascii_alphanumeric() || c == '-' {
            word.push(c);
            continue;
        }
        let is_id = word.split_once('-').is_some_and(|(noun, random)| {
            ["agt", "msg", "task", "dec", "hub"].contains(&noun) && random.len() == 12
        });
        let is_checksum = word.len() == 16 && word.chars().all(|c| c.is_ascii_hexdigit());
        if is_id {
            let noun = word.split('-').next().unwrap().to_owned();
            let place = ids.iter().position(|id| *id == word).unwrap_or_else(|| {
                ids.push(word.clone());
                ids.len() - 1
            });
            masked.push_str(&format!("{noun}-{}", place + 1));
        } else {
            masked.push_str(if is_checksum { "[checksum]" } else { &word });
        }
        word.clear();
        masked.push(c);
    }
    masked.pop();
    masked
}

#[test]
fn a_message_waits_and_is_archived_when_it_was_read() {
    let mut hub = Hub::new("north");
    let (claude, kimi) = (facts::register(&mut hub.store, "claude"), facts::register(&mut hub.store, "kimi"));
    let mut id = None;
    facts::append(&mut hub.store, &claude, |draft| {
        let (new, mut sent) = facts::message(
            draft,
            &claude,
            std::slice::from_ref(&kimi),
            "Schema",
            "Look at \"it\"\n\u{1b}[31m",
        );
        sent.intent = Intent::ReviewRequest;
        draft.add(EntityRef::Message(new.clone()), sent);
        id = Some(new);
    });
    let id = id.unwrap();
    hub.follow(Bound::Brief);
    insta::assert_snapshot!(file(&hub.tree(), "messages/"));
    insta::assert_snapshot!(file(&hub.tree(), "agents/kimi"));
    facts::append(&mut hub.store, &kimi, |draft| {
        let message = EntityRef::Message(id.clone());
        draft.add(message.clone(), MessageDelivered { agent: kimi.clone(), via: Via::Hook, redelivered: 0 });
        draft.add(message, MessageAcknowledged { agent: kimi.clone() });
    });
    hub.follow(Bound::Brief);
    let tree = hub.tree();
    let archived = file(&tree, "messages/");
    assert!(tree.keys().any(|name| name.starts_with("messages/archive/")), "{:?}", tree.keys());
    assert!(archived.contains("\"read\": true,\n  \"task_id\": null,\n  \"read_at\": \"2"), "{archived}");
    assert!(file(&tree, "agents/kimi").contains("\"unread\": 0,\n  \"inbox\": []"), "{tree:?}");
}

#[test]
fn a_task_its_report_and_the_dashboard() {
    let mut hub = Hub::new("north");
    let (claude, kimi) = (facts::register(&mut hub.store, "claude"), facts::register(&mut hub.store, "kimi"));
    let task = facts::create_task(&mut hub.store, &claude, "Parse | dates");
    let entity = EntityRef::Task(task);
    facts::append(&mut hub.store, &kimi, |draft| {
        let note = draft.plain("began");
        draft.add(entity.clone(), TaskAssigned { assignee: kimi.clone(), before: None, claimed: true });
        let moved = |from, to| TaskMoved {
            from,
            to,
            assignee: Some(kimi.clone()),
            reason: None,
            successor: None,
            judges: None,
        };
        draft.add(entity.clone(), moved(TaskStatus::Pending, TaskStatus::Assigned));
        draft.add(entity.clone(), moved(TaskStatus::Assigned, TaskStatus::InProgress));
        draft.add(entity.clone(), TaskNoted { note });
    });
    hub.follow(Bound::Brief);
    insta::assert_snapshot!(file(&hub.tree(), "tasks/active/"));
    facts::append(&mut hub.store, &kimi, |draft| {
        let texts = ["Done: \"all\"\n- of it", "date-grammar", "Grammar of dates", "needed twice"]
            .map(|text| draft.plain(text));
        let [summary, name, description, reason] = texts.map(Some);
        draft.add(
            entity.clone(),
            TaskReported {
                worker: kimi.clone(),
                status: ReportStatus::Done,
                summary: summary.unwrap(),
                files_modified: vec!["src/dates.rs".to_owned()],
                notes: None,
                skill_candidate: SkillCandidate { found: true, name, description, reason },
                purpose_gap: None,
                purpose_met: false,
                changed_files: Vec::new(),
                verification: None,
                todo_scan: None,
                commit_info: None,
            },
        );
        let (from, to) = (TaskStatus::InProgress, TaskStatus::Completed);
        draft.add(
            entity.clone(),
            TaskMoved { from, to, assignee: Some(kimi.clone()), reason: None, successor: None, judges: None },
        );
    });
    hub.follow(Bound::Brief);
    let tree = hub.tree();
    assert!(file(&tree, "tasks/").contains("\"status\": \"completed\""));
    assert!(tree.keys().any(|name| name.starts_with("tasks/completed/")));
    insta::assert_snapshot!(file(&tree, "reports/"));
    insta::assert_snapshot!(file(&tree, "dashboard.md"));
    insta::assert_snapshot!(file(&tree, "session.json"));
}

#[test]
fn specs_and_decisions() {
    let mut hub = Hub::new("north");
    let claude = facts::register(&mut hub.store, "claude");
    facts::append(&mut hub.store, &claude, |draft| {
        let (body, note) = (draft.plain("# API\n\nGET /"), Some(draft.plain("first -- try")));
        let spec = EntityRef::Spec(SpecName::parse("user-api").unwrap());
        draft.add(spec, SpecPublished { version: 1, body, publisher: claude.clone(), note });
        let decision = EntityRef::Decision(DecisionId::from_bits(7));
        let [question, a, b, outcome] =
            ["Which store?", "files", "SQLite", "SQLite"].map(|text| draft.plain(text));
        let options = vec![a.clone(), b];
        let by = claude.clone();
        draft.add(
            decision.clone(),
            DecisionOpened {
                question,
                options,
                by: by.clone(),
                deadline: None,
                message: None,
                supersedes: None,
                aliases: Vec::new(),
            },
        );
        draft.add(decision.clone(), DecisionPosition { agent: by.clone(), position: a, reason: None });
        draft.add(decision, DecisionDecided { outcome, by, reason: None });
    });
    hub.follow(Bound::Brief);
    insta::assert_snapshot!(file(&hub.tree(), "specs/user-api.md"));
    insta::assert_snapshot!(file(&hub.tree(), "shared/decisions.md"));
}

#[test]
fn what_was_purged_is_in_no_file() {
    let mut hub = Hub::new("north");
    let (claude, kimi) = (facts::register(&mut hub.store, "claude"), facts::register(&mut hub.store, "kimi"));
    let id = facts::send(&mut hub.store, &claude, &kimi, "Look", "sk-live-SECRET");
    hub.follow(Bound::Brief);
    let says = |hub: &Hub| hub.tree().values().any(|text| text.contains("SECRET"));
    assert!(says(&hub));
    let message = hub.store.read(|reader| reader.message(&id)).unwrap().unwrap();
    facts::append(&mut hub.store, &claude, |draft| {
        draft.add(EntityRef::Text(message.body.clone().unwrap()), TextPurged { reason: None });
    });
    hub.follow(Bound::Brief);
    assert!(!says(&hub));
    assert!(file(&hub.tree(), "messages/pending/").contains("\"content\": \"[text deleted]\""));
}

#[test]
fn a_name_that_changes_changes_everywhere_and_a_foreign_one_says_where_it_lives() {
    let (mut ours, mut theirs) = (Hub::new("north"), Hub::new("south"));
    let kimi = facts::register(&mut ours.store, "kimi");
    let other = facts::register(&mut theirs.store, "kimi");
    facts::send(&mut ours.store, &kimi, &kimi, "Note", "to self");
    ours.follow(Bound::Brief);
    facts::append(&mut ours.store, &kimi, |draft| {
        let name = interagent_core::name::Name::parse("kim").unwrap();
        draft.add(EntityRef::Agent(kimi.clone()), interagent_core::event::AgentRenamed { name });
        let role = Some(Role::Delegate);
        let seat = AgentSeated { role, reports_to: None, capabilities: Vec::new(), paths: Vec::new() };
        draft.add(EntityRef::Agent(kimi.clone()), seat);
    });
    ours.follow(Bound::Brief);
    assert!(file(&ours.tree(), "messages/").contains("\"from\": \"kim\""));
    facts::send(&mut theirs.store, &other, &other, "Hello", "from south");
    exchange::bring(&mut theirs.store, &mut ours.store);
    ours.follow(Bound::Brief);
    let tree = ours.tree();
    let agents: Vec<&String> = tree.keys().filter(|name| name.starts_with("agents/")).collect();
    assert_eq!(
        agents,
        ["agents/kim.json", "agents/kimi@south.json", "agents/operator.json", "agents/operator@south.json"]
    );
    let senders: Vec<&str> = tree
        .iter()
        .filter(|(name, _)| name.starts_with("messages/"))
        .filter_map(|(_, text)| text.lines().find(|line| line.contains("\"from\"")))
        .collect();
    assert!(
        senders.contains(&"  \"from\": \"kim\",") && senders.contains(&"  \"from\": \"kimi@south\","),
        "{senders:?}"
    );
}

#[test]
fn a_text_that_comes_later_than_its_message_comes_into_its_file() {
    let (mut ours, mut theirs) = (Hub::new("north"), Hub::new("south"));
    let kimi = facts::register(&mut theirs.store, "kimi");
    facts::send(&mut theirs.store, &kimi, &kimi, "Note", "to self");
    let lines = exchange::lines(&mut theirs.store);
    ours.store.take_in(&lines, &[]).unwrap();
    ours.follow(Bound::Whole);
    // Longer than a tick of the disk's clock: the file counts as compared and untouched after this.
    std::thread::sleep(std::time::Duration::from_millis(50));
    ours.follow(Bound::Whole);
    assert!(file(&ours.tree(), "messages/").contains("[text missing"));
    let texts = exchange::texts(&mut theirs.store, &lines);
    ours.store.take_in(&[], &texts).unwrap();
    ours.follow(Bound::Whole);
    assert!(file(&ours.tree(), "messages/").contains("\"content\": \"to self\""));
}

#[test]
fn a_hostile_replica_names_no_file_outside() {
    let (mut ours, mut theirs) = (Hub::new("north"), Hub::new("../../../evil"));
    let other = facts::register(&mut theirs.store, "kimi");
    facts::send(&mut theirs.store, &other, &other, "Hello", "from elsewhere");
    exchange::bring(&mut theirs.store, &mut ours.store);
    ours.follow(Bound::Brief);
    let tree = ours.tree();
    assert!(tree.keys().any(|name| name.starts_with("agents/kimi@org-")), "{:?}", tree.keys());
    assert!(tree.keys().all(|name| !name.contains("evil")), "{:?}", tree.keys());
}

#[test]
fn a_held_message_is_nobodys_unread_one_and_needs_action() {
    let mut hub = Hub::new("north");
    let (claude, kimi) = (facts::register(&mut hub.store, "claude"), facts::register(&mut hub.store, "kimi"));
    let id = facts::send(&mut hub.store, &claude, &kimi, "Too much", "x");
    facts::append(&mut hub.store, &claude, |draft| {
        draft.add(EntityRef::Message(id.clone()), MessageHeld { reason: HoldReason::Hops });
    });
    hub.follow(Bound::Brief);
    let tree = hub.tree();
    assert!(file(&tree, "agents/kimi").contains("\"unread\": 0"));
    assert!(file(&tree, "messages/pending/").contains("\"held\": \"hops\""));
    assert!(
        file(&tree, "dashboard.md")
            .contains("- held, too many messages without a person or progress: Too much")
    );
}
