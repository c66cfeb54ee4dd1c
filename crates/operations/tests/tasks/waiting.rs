//! Dependencies: circles, readiness, being told.

use interagent_core::phrasing::Dialect;
use interagent_core::vocabulary::{Intent, TaskStatus};
use interagent_operations::letters::links;
use interagent_wire::Answer;
use interagent_wire::answer::{MailView, TaskView};
use interagent_wire::request as ask;

use crate::support::{Team, claim, new_task, to};

fn waits(task: &TaskView, on: &TaskView) -> ask::TaskDepend {
    ask::TaskDepend { task: task.id.clone(), on: on.id.clone(), remove: false }
}

#[test]
fn a_circle_is_refused_however_long_it_is() {
    let mut team = Team::duo();
    let [a, b, c] = ["a", "b", "c"].map(|title| team.create("claude", title, None));
    assert_eq!(team.refused("claude", waits(&a, &a)).code, "cycle");
    team.task("claude", waits(&a, &b));
    assert_eq!(team.refused("claude", waits(&b, &a)).code, "cycle");
    team.task("claude", waits(&b, &c));
    assert_eq!(team.refused("claude", waits(&c, &a)).code, "cycle");
    let before = team.seq();
    team.task("claude", waits(&a, &b));
    assert_eq!(team.seq(), before, "said before");
    team.task("claude", ask::TaskDepend { remove: true, ..waits(&b, &c) });
    assert_eq!(team.task("claude", waits(&c, &a)).depends_on[0].title, "a");
}

#[test]
fn whoever_waits_is_told_when_nothing_holds_it_back() {
    let mut team = Team::duo();
    let [a, b] = ["a", "b"].map(|title| team.create("kimi", title, Some("claude")));
    let both = vec![a.id.clone(), b.id.clone()];
    let later = ask::TaskCreate { depends_on: both, quiet: true, ..new_task("later", Some("kimi")) };
    let later = team.task("claude", later);
    assert!(!later.ready);
    let ready = |team: &mut Team| {
        let (mail, _) = team.inbox("kimi");
        mail.into_iter().filter(|mail| mail.subject.starts_with("Ready: ")).collect::<Vec<_>>()
    };
    team.task("claude", to(&a, TaskStatus::Completed));
    assert_eq!(ready(&mut team).len(), 0, "b is still open");
    team.task("claude", to(&b, TaskStatus::Completed));
    let mail = ready(&mut team);
    assert_eq!((mail[0].subject.as_str(), mail[0].intent), ("Ready: later", Intent::ContextShare));
    assert_eq!(team.message(&mail[0].id).task, Some(later.id.clone()));
    assert!(team.show(&later.id).ready);
    assert!(team.list(ask::TaskList::default()).items[0].ready);
    team.ok(
        "operator",
        ask::TaskVerdict { task: b.id, verdict: "approved".parse().ok(), ..Default::default() },
    );
    assert_eq!(ready(&mut team).len(), 1, "told once");
}

#[test]
fn where_reviews_are_required_only_approval_frees() {
    let mut team = Team::reviewing_duo();
    let first = team.create("claude", "first", Some("kimi"));
    let later = ask::TaskCreate { depends_on: vec![first.id.clone()], ..new_task("later", Some("kimi")) };
    let later = team.task("claude", later);
    team.task("kimi", to(&first, TaskStatus::Completed));
    assert!(!team.show(&later.id).ready);
    team.task("claude", to(&first, TaskStatus::Approved));
    assert!(team.show(&later.id).ready);
    let subjects: Vec<_> = team.inbox("kimi").0.into_iter().map(|mail| mail.subject).collect();
    assert!(subjects.contains(&"Ready: later".to_owned()), "{subjects:?}");
}

#[test]
fn what_is_not_ready_is_not_claimed() {
    let mut team = Team::duo();
    let first = team.create("claude", "first", None);
    let later = ask::TaskCreate { depends_on: vec![first.id.clone()], ..new_task("later", None) };
    let later = team.task("claude", later);
    assert_eq!(team.refused("kimi", claim(&later)).code, "not_ready");
    team.task("kimi", to(&first, TaskStatus::Completed));
    team.task("kimi", claim(&later));
}

#[test]
fn a_reassigned_task_takes_along_who_waits_for_it() {
    let mut team = Team::duo();
    let first = team.create("claude", "first", Some("kimi"));
    let later = ask::TaskCreate { depends_on: vec![first.id.clone()], ..new_task("later", Some("kimi")) };
    let later = team.task("claude", later);
    let moved = ask::TaskReassign { task: first.id.clone(), to: "claude".into(), ..Default::default() };
    let successor = team.task("claude", moved);
    assert_eq!(team.show(&later.id).depends_on[0].id, successor.id);
    team.task("claude", to(&successor, TaskStatus::Completed));
    assert!(team.show(&later.id).ready);
    assert_eq!(team.refused("claude", waits(&later, &first)).code, "never_ready");
}

#[test]
fn what_waits_is_not_begun_and_its_worker_hears_when_it_may_be() {
    let mut team = Team::duo();
    let first = team.create("claude", "first", Some("kimi"));
    let later = ask::TaskCreate { depends_on: vec![first.id.clone()], ..new_task("later", Some("kimi")) };
    let later = team.task("claude", later);
    for status in [TaskStatus::InProgress, TaskStatus::Completed] {
        assert_eq!(team.refused("kimi", to(&later, status)).code, "not_ready", "{status}");
    }
    let Answer::Briefing(briefing) = team.ok("kimi", ask::Briefing::default()) else { panic!("no briefing") };
    assert!(!briefing.text.contains("more: "), "it counts what can't be started: {}", briefing.text);
    let (mail, owed) = team.inbox("kimi");
    let of = |mail: &[MailView], subject: &str| mail.iter().find(|one| one.subject == subject).cloned();
    assert_eq!(of(&mail, "later").unwrap().duty, None, "nobody can start it yet");
    assert_eq!(owed, 1, "the first one");
    team.task("kimi", to(&first, TaskStatus::Completed));
    let (mail, owed) = team.inbox("kimi");
    let told = of(&mail, "Ready: later").unwrap();
    let step = links(&told.refs).suggested().map(|step| Dialect::Shell.say(&step));
    assert_eq!(step, Some(format!("interagent task update {} --status in_progress", later.id)));
    assert_eq!(owed, 1, "the later one");
    team.task("kimi", to(&later, TaskStatus::InProgress));
}

#[test]
fn part_cannot_wait_for_its_whole() {
    let mut team = Team::duo();
    let order = team.create("claude", "order", None);
    let part_of = |whole: &TaskView, title: &str| ask::TaskCreate {
        parent: Some(whole.id.clone()),
        ..new_task(title, Some("kimi"))
    };
    let waiting =
        ask::TaskCreate { depends_on: vec![order.id.clone()], ..part_of(&order, "waits for its order") };
    let refusal = team.refused("claude", waiting);
    assert_eq!(refusal.code, "cycle");
    assert!(refusal.sentence.contains("is done only when its parts are"), "{}", refusal.sentence);
    let part = team.task("claude", part_of(&order, "part"));
    assert_eq!(team.refused("claude", waits(&part, &order)).code, "cycle");
    let inner = team.task("claude", part_of(&part, "inner"));
    assert_eq!(team.refused("claude", waits(&inner, &order)).code, "cycle", "two levels up");
    // Also by way of another task.
    let other = team.create("claude", "other", None);
    team.task("claude", waits(&other, &order));
    assert_eq!(team.refused("claude", waits(&part, &other)).code, "cycle");
    let by_way = ask::TaskCreate { depends_on: vec![other.id.clone()], ..part_of(&order, "by way") };
    assert_eq!(team.refused("claude", by_way).code, "cycle");
    // Parts may wait for each other, and a whole for its parts.
    let second = team.task("claude", part_of(&order, "second"));
    team.task("claude", waits(&second, &part));
}
