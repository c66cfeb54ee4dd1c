//! Creating, claiming, moving, noting, finding the next one.

use interagent_core::refusal::RefusalKind;
use interagent_core::vocabulary::{Duty, Intent, Priority, Settlement, TaskStatus};
use interagent_wire::{Answer, request as ask};

use crate::support::{Team, caller, claim, new_task, to};

#[test]
fn the_documented_flow_records_the_skipped_moves() {
    let mut team = Team::duo();
    let task = team.create("operator", "Build the login page", Some("kimi"));
    assert_eq!(task.status, TaskStatus::Assigned);
    let before = team.seq();
    let done = team.task("kimi", to(&task, TaskStatus::Completed));
    assert_eq!(done.status, TaskStatus::Completed);
    assert_eq!(team.seq(), before + 1, "one entry");
    let made = ["task.created", "task.assigned", "pending>assigned"];
    let moved = ["assigned>in_progress", "in_progress>completed"];
    assert_eq!(team.told(&task.id), [&made[..], &moved].concat());
}

#[test]
fn a_task_of_nobody_becomes_the_task_of_who_completes_it() {
    let mut team = Team::duo();
    let task = team.create("claude", "Tidy up", None);
    let done = team.task("kimi", to(&task, TaskStatus::Completed));
    assert_eq!(done.assignee.unwrap().name, "kimi");
    assert_eq!(
        team.told(&task.id)[1..],
        ["task.assigned", "pending>assigned", "assigned>in_progress", "in_progress>completed"]
    );
}

#[test]
fn everything_a_task_was_created_with_is_shown() {
    let mut team = Team::duo();
    let parent = team.create("claude", "The order", None);
    let full = ask::TaskCreate {
        title: " Build it ".into(),
        description: Some("# How\nwell".into()),
        assignee: Some("Kimi".into()),
        priority: Some(Priority::High),
        capability: Some("Code Review".into()),
        purpose: Some("people log in".into()),
        requirements: vec!["fast".into(), "small".into()],
        acceptance_criteria: vec!["tests pass".into()],
        parent: Some(parent.id[..9].into()),
        branch: Some("feature/login".into()),
        files: vec!["src/login.rs".into()],
        target_path: Some("out/login".into()),
        echo_message: Some("done!".into()),
        aliases: vec!["cmd_035".into(), "cmd_035".into()],
        ..Default::default()
    };
    let made = team.task("claude", full);
    let task = team.show("cmd_035");
    assert_eq!(made, task);
    assert_eq!((task.title.as_str(), task.description.as_deref()), ("Build it", Some("# How\nwell")));
    assert_eq!((task.priority, task.capability.as_deref()), (Priority::High, Some("code_review")));
    assert_eq!((task.requirements, task.acceptance_criteria.len()), (vec!["fast".into(), "small".into()], 1));
    assert_eq!((task.parent, task.order), (Some(parent.id), false));
    assert_eq!(task.aliases, ["cmd_035"]);
    assert_eq!((task.assigner.name.as_str(), task.assignee.unwrap().name.as_str()), ("claude", "kimi"));
    assert!(task.ready);
}

#[test]
fn what_can_not_be_is_refused_before_anything_is_written() {
    let mut team = Team::duo();
    team.task("claude", ask::TaskCreate { aliases: vec!["cmd_1".into()], ..new_task("First", None) });
    let with = |change: fn(&mut ask::TaskCreate)| {
        let mut params = new_task("Second", None);
        change(&mut params);
        params
    };
    let cases: [(ask::TaskCreate, &str); 11] = [
        (with(|p| p.title = "  ".into()), "bad_text"),
        (with(|p| p.title = "two\nlines".into()), "bad_text"),
        (with(|p| p.title = "x".repeat(201)), "bad_text"),
        (with(|p| p.description = Some("a\0b".into())), "bad_text"),
        (with(|p| p.requirements = vec!["x".into(); 51]), "too_many"),
        (with(|p| p.files = vec!["a\nb".into()]), "bad_text"),
        (with(|p| p.aliases = vec!["has space".into()]), "bad_alias"),
        (with(|p| p.aliases = vec!["x".repeat(201)]), "bad_alias"),
        (with(|p| p.aliases = vec!["cmd_1".into()]), "alias_taken"),
        (with(|p| p.assignee = Some("nobody-here".into())), "no_such_agent"),
        (with(|p| p.depends_on = vec!["task-zzzz".into()]), "not_found"),
    ];
    for (params, code) in cases {
        assert_eq!(team.refused("claude", params.clone()).code, code, "{params:?}");
    }
}

#[test]
fn who_is_retired_gets_no_work() {
    let mut team = Team::duo();
    let task = team.create("claude", "Build it", Some("kimi"));
    let kimi = task.assignee.clone().unwrap().id;
    team.ok("operator", ask::AgentRetire { agent: "kimi".into(), reason: None });
    assert_eq!(team.refused("claude", new_task("More", Some(&kimi))).code, "retired");
    let again = ask::TaskReassign { task: task.id, to: kimi, ..Default::default() };
    assert_eq!(team.refused("operator", again).code, "retired");
}

#[test]
fn the_first_claim_wins_and_may_be_repeated() {
    let mut team = Team::duo();
    let task = team.create("operator", "Build it", None);
    assert_eq!(team.task("kimi", claim(&task)).status, TaskStatus::Assigned);
    let refusal = team.refused("claude", claim(&task));
    assert_eq!((refusal.kind, refusal.code.as_str()), (RefusalKind::Conflict, "taken"));
    let before = team.seq();
    assert_eq!(team.task("kimi", claim(&task)).assignee.unwrap().name, "kimi");
    assert_eq!(team.seq(), before, "nothing needed to change");
}

#[test]
fn a_delegation_is_settled_by_starting() {
    let mut team = Team::duo();
    let params = ask::TaskCreate { announce: true, ..new_task("Build it", Some("kimi")) };
    let task = team.task("claude", params);
    let (mail, duties) = team.inbox("kimi");
    assert_eq!((mail[0].intent, mail[0].subject.as_str(), duties), (Intent::Delegation, "Build it", 1));
    assert_eq!(team.message(&mail[0].id).to[0].duty, Some(Duty::Start));
    team.task("kimi", to(&task, TaskStatus::InProgress));
    assert_eq!(team.inbox("kimi").1, 0);
    assert_eq!(team.message(&mail[0].id).to[0].how, Some(Settlement::Started));
}

#[test]
fn a_note_is_a_note_and_the_reason_of_a_move() {
    let mut team = Team::duo();
    let task = team.create("claude", "Build it", Some("kimi"));
    team.task("claude", ask::TaskNote { task: task.id.clone(), note: "mind the gap".into(), key: None });
    let stuck = ask::TaskUpdate { note: Some("no network".into()), ..to(&task, TaskStatus::Blocked) };
    team.task("kimi", stuck);
    let edits = ask::TaskUpdate {
        note: Some("renamed".into()),
        title: Some("Build it well".into()),
        priority: Some(Priority::Critical),
        ..to(&task, TaskStatus::Blocked)
    };
    let before = team.seq();
    let shown = team.task("claude", edits);
    assert_eq!(team.seq(), before + 1);
    let notes: Vec<_> =
        shown.notes.iter().map(|n| (n.by.name.as_str(), n.note.as_deref().unwrap())).collect();
    assert_eq!(notes, [("claude", "mind the gap"), ("kimi", "no network"), ("claude", "renamed")]);
    assert_eq!((shown.title.as_str(), shown.priority), ("Build it well", Priority::Critical));
    let nothing = ask::TaskUpdate { task: task.id, ..Default::default() };
    assert_eq!(team.refused("claude", nothing).code, "nothing_to_do");
}

#[test]
fn backward_moves_name_the_verb_that_works() {
    let mut team = Team::duo();
    let task = team.create("claude", "Build it", Some("kimi"));
    team.task("kimi", to(&task, TaskStatus::Completed));
    let refusal = team.refused("kimi", to(&task, TaskStatus::InProgress));
    assert_eq!(refusal.kind, RefusalKind::Conflict);
    assert_eq!(
        refusal.hint,
        Some(
            "a verdict of revision_needed reopens it: claude judges it; ask: interagent send --to claude -m TEXT"
                .to_owned()
        )
    );
    let refusal = team.refused("kimi", to(&task, TaskStatus::Reassigned));
    assert!(refusal.hint.unwrap().starts_with("interagent task reassign "));
    team.task("claude", to(&task, TaskStatus::Approved));
    let refusal = team.refused("kimi", to(&task, TaskStatus::InProgress));
    assert_eq!(refusal.hint, Some(format!("interagent task redo {} makes a new one", task.id)));
}

#[test]
fn a_key_makes_a_repetition_safe() {
    let mut team = Team::duo();
    let params =
        ask::TaskCreate { key: Some("k1".into()), announce: true, ..new_task("Build it", Some("kimi")) };
    let first = team.task("claude", params.clone());
    team.task("kimi", to(&first, TaskStatus::InProgress));
    let before = team.seq();
    let again = team.task("claude", params.clone());
    assert_eq!((again.id, again.status), (first.id.clone(), TaskStatus::InProgress));
    assert_eq!(team.seq(), before);
    let other = ask::TaskCreate { title: "Another".into(), ..params };
    assert_eq!(team.refused("claude", other).code, "key_conflict");

    let moved = ask::TaskReassign {
        task: first.id.clone(),
        to: "claude".into(),
        reason: None,
        key: Some("k2".into()),
    };
    let successor = team.task("operator", moved.clone());
    assert_ne!(successor.id, first.id);
    assert_eq!(team.task("operator", moved).id, successor.id);
}

#[test]
fn the_next_task_is_ones_own_then_the_most_urgent_one_fits() {
    let mut team = Team::duo();
    assert_eq!(team.next("kimi").task, None);
    let urgent = |title: &str, priority, capability: Option<&str>| ask::TaskCreate {
        priority: Some(priority),
        capability: capability.map(Into::into),
        ..new_task(title, None)
    };
    team.task("claude", urgent("review", Priority::Critical, Some("code review")));
    team.task("claude", urgent("low", Priority::Low, None));
    team.task("claude", urgent("tests", Priority::High, Some("testing")));
    let own = team.create("claude", "own", Some("kimi"));
    let waits = ask::TaskCreate {
        depends_on: vec![own.id.clone()],
        priority: Some(Priority::Critical),
        ..new_task("waits", Some("kimi"))
    };
    team.task("claude", waits);

    let before = team.seq();
    let peek = team.ok("kimi", ask::TaskNext { peek: true, key: None });
    let next = team.next("kimi");
    assert_eq!((next.task.as_ref().unwrap().title.as_str(), next.claimed), ("own", false));
    assert_eq!(peek, next.into());
    assert_eq!(team.seq(), before, "it was kimi's already");

    team.task("kimi", to(&own, TaskStatus::Blocked));
    let mut taken = Vec::new();
    for _ in 0..3 {
        let next = team.next("kimi");
        let task = next.task.unwrap();
        assert!(next.claimed, "{}", task.title);
        assert_eq!(task.assignee.as_ref().unwrap().name, "kimi");
        team.task("kimi", to(&task, TaskStatus::InProgress));
        taken.push(task.title);
    }
    assert_eq!(taken, ["tests", "low", "review"], "what it is not good at comes last");
    assert_eq!(team.next("kimi").task, None);
}

#[test]
fn a_repeated_next_gives_the_same_task() {
    let mut team = Team::duo();
    team.create("claude", "one", None);
    team.create("claude", "two", None);
    let params = ask::TaskNext { peek: false, key: Some("k".into()) };
    let first = team.ok("kimi", params.clone());
    assert_eq!(team.ok("kimi", params), first);
    assert_eq!(
        team.list(ask::TaskList { assignee: Some("kimi".into()), ..Default::default() }).items.len(),
        1
    );
}

#[test]
fn lists_come_in_pages_newest_first() {
    let mut team = Team::duo();
    let parent = team.create("claude", "order", None);
    for n in 0..5 {
        let part =
            ask::TaskCreate { parent: Some(parent.id.clone()), ..new_task(&format!("part {n}"), None) };
        team.task("claude", part);
    }
    let mut params = ask::TaskList { parent: Some(parent.id.clone()), limit: Some(2), ..Default::default() };
    let mut titles = Vec::new();
    let mut pages = 0;
    loop {
        let page = team.list(params.clone());
        titles.extend(page.items.into_iter().map(|row| row.title));
        pages += 1;
        let Some(next) = page.next else { break };
        params.after = Some(next);
    }
    assert_eq!((titles.join(","), pages), ("part 4,part 3,part 2,part 1,part 0".into(), 3));
    let exact = team.list(ask::TaskList { after: None, limit: Some(5), ..params });
    assert_eq!((exact.items.len(), exact.next), (5, None), "a full last page has no next one");
    let closed = team.create("claude", "gone", None);
    team.task("claude", to(&closed, TaskStatus::Cancelled));
    let open = team.list(ask::TaskList { open: true, ..Default::default() });
    assert!(open.items.iter().all(|row| row.title != "gone"));
}

#[test]
fn a_person_may_speak_for_an_agent() {
    let mut team = Team::duo();
    let task = team.create("claude", "Build it", Some("kimi"));
    let spoken = interagent_wire::Caller { behalf: Some("kimi".into()), ..caller("operator") };
    team.try_as(&spoken, to(&task, TaskStatus::InProgress)).unwrap();
    assert_eq!(team.refused("claude", to(&task, TaskStatus::Completed)).code, "F003");
}

fn register(name: &str) -> ask::AgentRegister {
    ask::AgentRegister { name: name.into(), ..Default::default() }
}

fn agent(answer: Answer) -> interagent_wire::answer::AgentView {
    let Answer::Agent(agent) = answer else { unreachable!("{answer:?}") };
    agent
}

#[test]
fn retiring_says_what_is_left_behind_and_the_name_begins_anew() {
    let mut team = Team::duo();
    let first = ask::AgentRegister {
        profile: Some("codex".into()),
        description: Some("parsers".into()),
        workspace: Some("/src".into()),
        ..register("codex")
    };
    let old = agent(team.ok("operator", first));
    assert!(old.notes.is_empty(), "{:?}", old.notes);
    let task = team.create("claude", "Build it", Some("codex"));
    let question = ask::MessageSend {
        to: vec!["codex".into()],
        intent: Some(Intent::Question),
        body: Some("which?".into()),
        ..Default::default()
    };
    team.ok("claude", question);
    let retired = agent(team.ok("operator", ask::AgentRetire { agent: "codex".into(), reason: None }));
    assert_eq!(retired.notes.len(), 2, "{:?}", retired.notes);
    assert!(retired.notes[0].contains(&task.id) && retired.notes[0].contains("interagent task reassign"));
    assert!(
        retired.notes[1].contains("msg-") && retired.notes[1].contains("(answer)"),
        "{:?}",
        retired.notes
    );

    let new = agent(team.ok("operator", register("codex")));
    assert_ne!(new.id, old.id, "an agent is its id");
    assert_eq!(
        (new.profile.as_str(), new.description.as_deref(), new.workspace.as_deref()),
        ("codex", Some("parsers"), Some("/src"))
    );
    assert_eq!(new.unread, 0, "mail of the old one stays with it");
    assert!(new.notes[0].contains(&old.id), "{:?}", new.notes);
    team.task("claude", ask::TaskReassign { task: task.id, to: "codex".into(), ..Default::default() });
    let given = ask::AgentRegister { profile: Some("kimi".into()), ..register("codex") };
    team.ok("operator", ask::AgentRetire { agent: "codex".into(), reason: None });
    assert_eq!(agent(team.ok("operator", given)).profile, "kimi", "what is said counts");
}
