//! Readers and writers against small trees, wrong bytes and two replicas.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use interagent_core::entity::Entity;
use interagent_core::ids::EntityRef;
use interagent_core::vocabulary::TaskStatus;
use interagent_store::reader::Noun;
use interagent_store::{Clock, Founding, ManualClock, OpenMode, SqliteEngine, Store, StoreError};
use jiff::tz::TimeZone;
use proptest::prelude::*;

use super::record::{Progress, Records};
use super::{Source, System, preview, take};

const NOW: i64 = 1_800_000_000_000_000;

fn store(folder: &Path, name: &str) -> Store {
    let engine = SqliteEngine::open(&folder.join(name), OpenMode::CreateIfMissing).unwrap();
    let clock: Arc<dyn Clock> = Arc::new(ManualClock::new(NOW));
    let hub_id = Some(interagent_core::ids::HubId::from_bits(7));
    Store::open(Box::new(engine), clock, &Founding { hub_id, alias: name.to_owned(), user_dir: None })
        .unwrap()
}

fn write(root: &Path, file: &str, bytes: impl AsRef<[u8]>) {
    let path = root.join(file);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, bytes).unwrap();
}

fn read(system: System, root: &Path) -> Records {
    Source { system, root: root.to_owned() }.read(&TimeZone::UTC).unwrap()
}

/// One task and one message that is read, of InterAgent.
fn small(root: &Path) -> Records {
    write(
        root,
        "tasks/active/task-0a1b2c.json",
        r#"{"id":"task-0a1b2c","title":"T","status":"in_progress","assignee":"kimi","assigner":"claude","created":"2026-01-01T10:00:00","updated":"2026-01-01T11:00:00"}"#,
    );
    write(
        root,
        "messages/archive/msg-0a1b2c.json",
        r#"{"id":"msg-0a1b2c","from":"claude","to":"kimi","content":"B","type":"delegation","timestamp":"2026-01-01T10:00:01","read":true,"read_at":"2026-01-01T10:30:00","task_id":"task-0a1b2c"}"#,
    );
    read(System::Interagent, root)
}

#[test]
fn what_moved_over_keeps_its_time_and_the_order_is_that_of_writing() {
    let folder = tempfile::tempdir().unwrap();
    let records = small(&folder.path().join("old"));
    assert!(matches!(records.messages[0].progress, Progress::Read(Some(_))));
    let mut store = store(folder.path(), "state");
    let report = take(&mut store, System::Interagent, records, &mut |_, _| {}).unwrap();
    assert_eq!((report.taken.tasks, report.taken.messages, report.taken.agents), (1, 1, 2), "{report:?}");
    let ten = jiff::civil::date(2026, 1, 1).at(10, 0, 0, 0).to_zoned(TimeZone::UTC).unwrap();
    let ten = ten.timestamp().as_microsecond();
    store
        .read(|reader| {
            let [EntityRef::Task(task)] = &reader.aliased("task-0a1b2c", Noun::ALL)?[..] else { panic!() };
            let task = reader.task(task)?.unwrap();
            assert_eq!((task.created.wall, task.updated.wall), (ten, ten + 3_600_000_000));
            assert_eq!(task.status, TaskStatus::InProgress);
            assert!(task.created.at >= NOW, "the order is that of writing");
            let [EntityRef::Message(message)] = &reader.aliased("msg-0a1b2c", Noun::ALL)?[..] else {
                panic!()
            };
            let message = reader.message(message)?.unwrap();
            let delivery = message.deliveries.values().next().unwrap();
            assert_eq!(delivery.acknowledged.as_ref().unwrap().wall, ten + 1_800_000_000);
            assert!(delivery.owes().is_none(), "what was read there is not owed here");
            assert_eq!(message.task, Some(task.id));
            let entries = reader.entries_after(0, 100)?;
            for pair in entries.windows(2) {
                let [one, other] = [&pair[0].entry.envelope, &pair[1].entry.envelope];
                assert!(one.at < other.at && other.wall <= other.at, "{one:?} {other:?}");
            }
            Ok::<_, StoreError>(())
        })
        .unwrap();
}

#[test]
fn notes_reports_specs_and_statuses_are_taken_once() {
    let folder = tempfile::tempdir().unwrap();
    let roots =
        [System::Interagent, System::Captain].map(|system| (system, folder.path().join(system.as_str())));
    write(
        &roots[0].1,
        "tasks/active/task-1.json",
        r#"{"id":"task-1","title":"T","notes":[{"timestamp":"2026-01-01T10:00:00","note":"n"},{"note":"n"}],"deliverables":["d"]}"#,
    );
    write(
        &roots[0].1,
        "agents/kimi.json",
        r#"{"name":"kimi","status":"reading","updated":"2026-01-01T10:00:00"}"#,
    );
    write(&roots[0].1, "shared/context.md", "# Context\n");
    write(
        &roots[1].1,
        "reports/member1_report.yaml",
        "worker_id: member1\ntask_id: subtask_1\nparent_cmd: cmd_1\nstatus: done\nresult: {summary: s}\n",
    );
    let mut store = store(folder.path(), "state");
    let mut both = || {
        for (system, root) in &roots {
            take(&mut store, *system, read(*system, root), &mut |_, _| {}).unwrap();
        }
        store.head().unwrap().seq
    };
    let first = both();
    assert_eq!(both(), first);
    // The task, three notes, its agents, the status, the spec; the reported task, where it stands, and the report.
    assert!(first > 10, "{first}");
}

#[test]
fn two_clones_that_take_the_same_tree_over_have_it_once() {
    let folder = tempfile::tempdir().unwrap();
    let mut ids = Vec::new();
    let mut stores = ["one", "two"].map(|name| store(folder.path(), name));
    for store in &mut stores {
        let records = small(&folder.path().join("old"));
        take(store, System::Interagent, records, &mut |_, _| {}).unwrap();
        ids.push(store.read(|reader| reader.aliased("msg-0a1b2c", Noun::ALL)).unwrap());
    }
    assert_eq!(ids[0], ids[1], "ids follow from what is taken over");
}

#[test]
fn times_to_come_are_not_believed() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("old");
    write(
        &root,
        "messages/pending/msg-1.json",
        r#"{"id":"msg-1","from":"a1","to":"b1","content":"B","timestamp":"2999-01-01T00:00:00"}"#,
    );
    let mut store = store(folder.path(), "state");
    take(&mut store, System::Interagent, read(System::Interagent, &root), &mut |_, _| {}).unwrap();
    let found = store.read(|reader| {
        let found = reader.aliased("msg-1", Noun::ALL)?;
        reader.entity(&found[0])
    });
    let Some(Entity::Message(message)) = found.unwrap() else { panic!() };
    assert_eq!(message.sent.wall, NOW);
}

#[test]
fn replies_in_a_ring_and_on_themselves_are_one_conversation() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("old");
    for (id, to) in [("m1", "m2"), ("m2", "m3"), ("m3", "m1"), ("m4", "m4"), ("m5", "m4"), ("m6", "gone")] {
        let text = format!(r#"{{"id":"{id}","from":"ann","to":"bob","subject":"s","replyTo":"{to}"}}"#);
        write(&root, &format!("messages-meta/{id}.json"), text);
    }
    let mut store = store(folder.path(), "state");
    let records = read(System::ClaudeInteragent, &root);
    assert_eq!(
        (records.left.len(), records.notes.len()),
        (0, 6),
        "texts that are not there are named: {records:?}"
    );
    assert!(
        records.notes[0].ends_with("its text is not there: the message is taken without it"),
        "{records:?}"
    );
    take(&mut store, System::ClaudeInteragent, records, &mut |_, _| {}).unwrap();
    let mut thread = |id: &str| {
        let found = store.read(|reader| {
            let found = reader.aliased(id, Noun::ALL)?;
            reader.entity(&found[0])
        });
        let Some(Entity::Message(message)) = found.unwrap() else { panic!() };
        (message.thread, message.refs)
    };
    assert!(thread("m1").0 == thread("m2").0 && thread("m2").0 == thread("m3").0);
    assert_eq!(thread("m4").0, thread("m5").0);
    assert_eq!(thread("m6").1[0].target, "gone", "what it answered stays visible");
}

/// Put together here, so that no scanner stumbles over this file.
fn token() -> String {
    ["ghp_", "a1B2c3D4e5F6g7H8i9", "J0k1L2m3N4o5P6q7R8"].concat()
}

#[test]
fn a_secret_in_an_id_a_name_or_a_path_stays_out_of_the_log_and_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let token = token();
    let root = folder.path().join("old");
    let meta =
        format!(r#"{{"id":"{token}","from":"{token}","to":"bob","subject":"s","replyTo":"x_{token}"}}"#);
    write(&root, "messages-meta/1.json", meta);
    write(&root, "messages/1.md", "B");
    write(&root, &format!("specs/{token}.md"), "S");
    write(&root, "registry.json", format!(r#"{{"bob":{{"workspacePath":"/srv/{token}"}}}}"#));
    let mut store = store(folder.path(), "state");
    let records = read(System::ClaudeInteragent, &root);
    let report = take(&mut store, System::ClaudeInteragent, records, &mut |_, _| {}).unwrap();
    let told = [
        "a workspace: a path looks like a GitHub token and is left out",
        "`ghp_… (40 characters)` looks like a GitHub token and can't be the name of an agent: it counts as the operator",
    ];
    assert_eq!(report.notes[..2], told, "{report:?}");
    assert!(
        report.notes[2].starts_with("the id `ghp_… (40 characters)` looks like a GitHub token"),
        "{report:?}"
    );
    assert_eq!(report.left.len(), 1, "{report:?}");
    assert_eq!(report.left[0].why, "its name looks like a GitHub token: names go to git");
    assert!(!format!("{report:?}").contains(&token), "a screen may be shared: {report:?}");
    let lines = store.read(|reader| reader.entries_after(0, 100)).unwrap();
    assert!(lines.iter().all(|stored| !format!("{:?}", stored.entry).contains(&token)), "{lines:?}");
}

#[test]
fn a_preview_counts_what_the_import_takes() {
    let folder = tempfile::tempdir().unwrap();
    for (system, _) in PLACES {
        fs::create_dir_all(folder.path().join(system.as_str())).unwrap();
    }
    let [interagent, captain, claude] = [System::Interagent, System::Captain, System::ClaudeInteragent]
        .map(|system| (system, folder.path().join(system.as_str())));
    small(&interagent.1);
    write(&interagent.1, "shared/context.md", "# Context\n");
    write(
        &captain.1,
        "reports/member1_report.yaml",
        "worker_id: member1\ntask_id: subtask_1\nstatus: done\nresult: {summary: s}\n",
    );
    write(&claude.1, "registry.json", r#"{"version":1,"agents":[{"name":"ann"},{"name":"Ann"},{"x":1}]}"#);
    write(&claude.1, "messages-meta/1.json", r#"{"from":"ann","to":"human","subject":"s"}"#);
    write(&claude.1, "specs/api.md", "S");
    write(&claude.1, "specs/---.md", "S");
    let mut store = store(folder.path(), "state");
    for (system, root) in [interagent, captain, claude] {
        let alone = preview(system, read(system, &root), None).unwrap();
        for round in 0..2 {
            let foreseen = preview(system, read(system, &root), Some(&mut store)).unwrap();
            let taken = take(&mut store, system, read(system, &root), &mut |_, _| {}).unwrap();
            assert_eq!(foreseen, taken, "{system}");
            assert!(taken.taken.agents == 0 || round == 0, "{system}: {taken:?}");
            assert!(round > 0 || alone == taken, "{system}: {alone:?} {taken:?}");
        }
    }
}

#[test]
fn what_is_not_taken_is_named_and_a_registry_may_have_a_list() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    for (place, text) in [
        ("registry.json", r#"{"version":1,"agents":{"ann":{"description":"d"}}}"#),
        ("status.json", r#"{"ann":{"state":"?"}}"#),
        ("messages/loose.json", "{}"),
        ("archive/old/deep.md", "x"),
        ("specs/.hidden.md", "x"),
    ] {
        write(root, place, text);
    }
    let records = read(System::ClaudeInteragent, root);
    assert_eq!(records.agents.iter().map(|agent| agent.name.as_str()).collect::<Vec<_>>(), ["ann"]);
    let left: Vec<&str> = records.left.iter().map(|left| left.file.as_str()).collect();
    assert_eq!(left, ["status.json", "messages/loose.json", "archive/old/deep.md"]);
    let root = folder.path().join("framework");
    for place in ["tasks/active/empty.json", "tasks/loose.json", "messages/pending/ours.json"] {
        write(&root, place, if place.contains("ours") { r#"{"id":"m","written":"x"}"# } else { "{}" });
    }
    let left: Vec<String> = read(System::Interagent, &root)
        .left
        .into_iter()
        .map(|left| format!("{}: {}", left.file, left.why))
        .collect();
    assert_eq!(
        left,
        [
            "tasks/active/empty.json: it has neither `id` nor `title`",
            "messages/pending/ours.json: interagent wrote it from its log",
            "tasks/loose.json: nothing is read from a file of this ending in this place",
        ]
    );
}

/// Files of all systems, whatever is in them.
const PLACES: [(System, &str); 15] = [
    (System::Interagent, "session.json"),
    (System::Interagent, "tasks/active/task-1.json"),
    (System::Interagent, "messages/pending/msg-1.json"),
    (System::Interagent, "agents/claude.json"),
    (System::Interagent, "shared/context.md"),
    (System::ClaudeInteragent, "registry.json"),
    (System::ClaudeInteragent, "status.json"),
    (System::ClaudeInteragent, "messages-meta/1.json"),
    (System::ClaudeInteragent, "messages/1.md"),
    (System::ClaudeInteragent, "specs/api.md"),
    (System::Captain, "captain_to_vice_captain.yaml"),
    (System::Captain, "tasks/member1.yaml"),
    (System::Captain, "reports/member1_report.yaml"),
    (System::Captain, "inbox/member1.yaml"),
    (System::Kavi, "state/session.json"),
];

/// Bytes, and texts that are nearly right: fields with values of every kind.
fn contents() -> impl Strategy<Value = Vec<u8>> {
    const NAMES: &[&str] = &[
        "id",
        "task_id",
        "from",
        "to",
        "type",
        "content",
        "subject",
        "status",
        "timestamp",
        "created",
        "updated",
        "notes",
        "assignee",
        "agents",
        "replyTo",
        "reply_to",
        "worker_id",
        "result",
        "skill_candidate",
        "read",
        "parent_cmd",
        "blocked_by",
        "messages",
        "task",
        "commands",
        "requirements",
        "name",
        "principal",
        "mode",
    ];
    const VALUES: &[&str] = &[
        "\"x\"",
        "\"claude\"",
        "5",
        "null",
        "true",
        "[]",
        "{}",
        "[\"a\",{\"b\":1}]",
        "\"2026-01-01T00:00:00\"",
        "\"cmd_1 subtask_2\"",
        "\"\\u0000\"",
        "\"done\"",
        "\"in_progress\"",
        "\"read\"",
        "-1e9",
        "\"../..\"",
        "{\"summary\":\"s\",\"found\":true}",
        "\"cmd_new\"",
        "\"all\"",
        "\"operator\"",
    ];
    let field = (prop::sample::select(NAMES), prop::sample::select(VALUES));
    let record = prop::collection::vec(field, 0..12).prop_map(|fields| {
        let fields: Vec<String> = fields.iter().map(|(name, value)| format!("\"{name}\": {value}")).collect();
        format!("{{{}}}", fields.join(", "))
    });
    let list =
        prop::collection::vec(record.clone(), 0..4).prop_map(|items| format!("[{}]", items.join(", ")));
    prop_oneof![
        prop::collection::vec(any::<u8>(), 0..200),
        "[ -~\n]{0,200}".prop_map(String::into_bytes),
        record.clone().prop_map(String::into_bytes),
        list.clone().prop_map(String::into_bytes),
        list.prop_map(|list| format!("{{\"messages\": {list}}}").into_bytes()),
        record.prop_map(|record| format!("task: {record}\n").into_bytes()),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn no_bytes_stop_an_import_and_twice_is_once(files in prop::collection::vec(contents(), PLACES.len())) {
        let folder = tempfile::tempdir().unwrap();
        for ((system, place), bytes) in PLACES.iter().zip(&files) {
            write(&folder.path().join(system.as_str()), place, bytes);
        }
        let mut store = store(folder.path(), "state");
        for system in System::ALL {
            let source = Source { system: *system, root: folder.path().join(system.as_str()) };
            let Ok(records) = source.read(&TimeZone::UTC) else { continue };
            take(&mut store, *system, records.clone(), &mut |_, _| {}).unwrap();
            let before = store.head().unwrap().seq;
            let again = take(&mut store, *system, records, &mut |_, _| {}).unwrap();
            prop_assert_eq!(store.head().unwrap().seq, before, "{:?}", again);
            prop_assert_eq!(again.taken.total(), 0, "{:?}", again);
        }
        // No step that was written counts for nothing.
        store.read(|reader| {
            for stored in reader.entries_after(0, 1000)? {
                for place in 0..stored.entry.facts.len() {
                    assert!(!reader.is_void(&stored, place)?, "{:?}", stored.entry.facts[place]);
                }
            }
            Ok::<_, StoreError>(())
        }).unwrap();
    }
}
