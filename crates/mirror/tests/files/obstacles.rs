//! What is in the way of a file: changes by hand, links, pipes, directories. Nothing of it is lost or followed.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use interagent_core::ids::AgentId;
use interagent_mirror::files::{Bound, Draft, Effort, check, drafts};
use interagent_testkit::facts;

use super::support::Hub;

fn hub() -> (Hub, AgentId, AgentId) {
    let mut hub = Hub::new("north");
    let (claude, kimi) = (facts::register(&mut hub.store, "claude"), facts::register(&mut hub.store, "kimi"));
    hub.follow(Bound::Brief);
    (hub, claude, kimi)
}

#[test]
fn a_change_by_hand_is_kept_and_never_overwritten() {
    let (mut hub, claude, kimi) = hub();
    let file = hub.path("agents/kimi.json");
    for round in 1..=3 {
        fs::write(&file, format!("mine {round}")).unwrap();
        let found = hub.check();
        assert_eq!(found.edited, ["agents/kimi.json"]);
        facts::send(&mut hub.store, &claude, &kimi, "more", "x");
        hub.follow(Bound::Brief);
    }
    for (name, text) in [("", 1), (".2", 2), (".3", 3)] {
        let kept = fs::read_to_string(hub.path(&format!("agents/kimi.json.edited{name}"))).unwrap();
        assert_eq!(kept, format!("mine {text}"));
    }
    assert!(fs::read_to_string(&file).unwrap().contains("\"unread\": 3"));
    let found = hub.check();
    assert_eq!((found.edited.len(), found.kept.len(), found.behind), (0, 3, 0));
}

#[test]
fn links_pipes_and_directories_are_named_and_left_alone_and_the_rest_is_written() {
    let (mut hub, claude, kimi) = hub();
    let outside = tempfile::tempdir().unwrap();
    let victim = outside.path().join("victim");
    fs::write(&victim, "mine").unwrap();
    for (name, make) in [("agents/kimi.json", 0), ("session.json", 1), ("dashboard.md", 2)] {
        fs::remove_file(hub.path(name)).unwrap();
        match make {
            0 => symlink(&victim, hub.path(name)).unwrap(),
            1 => fs::create_dir(hub.path(name)).unwrap(),
            _ => {
                let path = hub.path(name);
                let made = std::process::Command::new("mkfifo").arg(path).status().unwrap();
                assert!(made.success());
            }
        }
    }
    fs::remove_dir_all(hub.path("reports")).unwrap();
    symlink(outside.path(), hub.path("reports")).unwrap();
    facts::send(&mut hub.store, &claude, &kimi, "still", "written");
    facts::create_task(&mut hub.store, &claude, "still written");
    let mut troubles = hub.follow(Bound::Whole).troubles;
    troubles.sort();
    troubles.dedup();
    let named = |name: &str| troubles.iter().any(|trouble| trouble.starts_with(name));
    assert!(
        ["agents/kimi.json", "session.json", "dashboard.md", "reports"].into_iter().all(named),
        "{troubles:?}"
    );
    assert_eq!(fs::read_to_string(&victim).unwrap(), "mine");
    assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 1, "nothing was written outside");
    assert_eq!(hub.tree().keys().filter(|name| name.starts_with("messages/pending/")).count(), 1);
    let found = hub.check();
    assert!(!found.troubles.is_empty() && found.behind == 0, "{found:?}");

    for name in ["agents/kimi.json", "dashboard.md", "reports"] {
        fs::remove_file(hub.path(name)).unwrap();
    }
    fs::remove_dir(hub.path("session.json")).unwrap();
    assert_eq!(hub.follow(Bound::Whole).troubles, Vec::<String>::new());
    let found = hub.check();
    assert_eq!(found.troubles, Vec::<String>::new());
    assert_eq!(hub.tree(), hub.written_at_once());
}

#[test]
fn a_trouble_that_is_over_is_taken_back_by_who_looked_at_every_file() {
    let (mut hub, ..) = hub();
    // As a process left it that could not say afterwards that it was over.
    fs::write(hub.path("state/files.trouble"), "dashboard.md was not written: the disk is full").unwrap();
    assert_eq!(hub.check().troubles.len(), 1);
    hub.follow(Bound::Whole);
    assert_eq!(hub.check().troubles, Vec::<String>::new());
}

#[test]
fn what_a_killed_process_left_is_replaced_also_where_it_is_a_link() {
    let (mut hub, claude, kimi) = hub();
    let victim = hub.path("victim");
    fs::write(&victim, "mine").unwrap();
    symlink(&victim, hub.path("agents/.interagent.tmp")).unwrap();
    fs::write(hub.path("messages/pending/.interagent.tmp"), "{\"torn").unwrap();
    facts::send(&mut hub.store, &claude, &kimi, "hello", "x");
    assert_eq!(hub.follow(Bound::Brief).troubles, Vec::<String>::new());
    assert_eq!(fs::read_to_string(&victim).unwrap(), "mine");
    fs::remove_file(victim).unwrap();
    assert_eq!(hub.tree(), hub.written_at_once());
}

#[test]
fn what_this_hub_does_not_know_is_left_where_its_database_was_lost() {
    let (mut hub, claude, kimi) = hub();
    facts::send(&mut hub.store, &claude, &kimi, "the only copy", "x");
    facts::create_task(&mut hub.store, &claude, "the only copy");
    hub.follow(Bound::Brief);
    let mut other = Hub::new("south");
    for (name, text) in hub.tree() {
        fs::create_dir_all(other.path(&name).parent().unwrap()).unwrap();
        fs::write(other.path(&name), text).unwrap();
    }
    other.follow(Bound::Whole);
    let copies = other.tree().values().filter(|text| text.contains("the only copy")).count();
    assert_eq!(copies, 2, "{:?}", other.tree().keys());
}

#[test]
fn members_words_are_for_the_owner_alone() {
    let (mut hub, claude, kimi) = hub();
    facts::send(&mut hub.store, &claude, &kimi, "private", "x");
    hub.follow(Bound::Brief);
    for name in hub.tree().keys() {
        let mode = fs::metadata(hub.path(name)).unwrap().permissions().mode() & 0o777;
        let is_open = ["README.md", "AGENTS.md", "shared/context.md", "shared/architecture.md"]
            .contains(&name.as_str());
        assert_eq!(mode, if is_open { 0o644 } else { 0o600 }, "{name}");
    }
}

#[test]
fn drafts_are_told_from_our_files_and_from_what_is_no_draft() {
    let (mut hub, claude, _) = hub();
    facts::create_task(&mut hub.store, &claude, "ours");
    hub.follow(Bound::Brief);
    for (name, text) in [
        (
            "tasks/active/task-ab12cd.json",
            r#"{"id":"task-ab12cd","title":"Parse","priority":"HIGH",
                "notes":["one",{"note":"two"},{"author":"kimi","text":"three"}]}"#,
        ),
        ("tasks/active/untitled.json", r#"{"title":" "}"#),
        ("tasks/active/odd.json", r#"{"title":"x","priority":"soon"}"#),
        ("tasks/active/list.json", "[]"),
        ("tasks/active/notes.json", r#"{"title":"x","notes":[3]}"#),
        ("messages/pending/m.json", r#"{"to":"kimi, claude","content":"hi","type":"review"}"#),
        ("messages/pending/nobody.json", r#"{"content":"hi"}"#),
        ("messages/pending/torn.json", r#"{"to":"ki"#),
        ("messages/pending/notes.txt", "not even json"),
    ] {
        fs::write(hub.path(name), text).unwrap();
    }
    // Nothing of it is read: on a disk these are no bytes.
    let huge = fs::File::create(hub.path("tasks/active/huge.json")).unwrap();
    huge.set_len(256 * 1024 * 1024).unwrap();
    let dir = hub.dir();
    let (found, malformed) = drafts(&mut hub.store, &dir).unwrap();
    let Draft::Task(task) = &found[0] else { unreachable!() };
    assert_eq!((task.alias.as_str(), task.title.as_str()), ("task-ab12cd", "Parse"));
    assert_eq!(task.notes, ["one", "two", "three"]);
    let Draft::Message(message) = &found[1] else { unreachable!() };
    assert_eq!((message.alias.as_str(), message.to.join("+").as_str()), ("m", "kimi+claude"));
    let shown: Vec<String> = malformed.iter().map(|file| format!("{}: {}", file.path, file.why)).collect();
    insta::assert_snapshot!(shown.join("\n"));
    hub.follow(Bound::Whole);
    assert_eq!(drafts(&mut hub.store, &dir).unwrap().0.len(), 2, "writing files leaves drafts alone");
}

#[test]
fn brief_look_is_bounded_by_files_not_by_time() {
    let (mut hub, claude, kimi) = hub();
    let brief = |hub: &mut Hub| {
        let dir = hub.dir();
        check(&mut hub.store, &dir, Effort::Brief).unwrap().cut
    };
    for _ in 0..900 {
        facts::send(&mut hub.store, &claude, &kimi, "more", "x");
    }
    hub.follow(Bound::Resident);
    assert!(!brief(&mut hub), "however long it takes");
    for _ in 0..200 {
        facts::send(&mut hub.store, &claude, &kimi, "more", "x");
    }
    hub.follow(Bound::Resident);
    assert!(brief(&mut hub));
    assert!(!hub.check().cut, "a sync looks at all");
}
