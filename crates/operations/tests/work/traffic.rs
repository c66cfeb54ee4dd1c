//! The traffic budget, through every operation: what goes round is held, what goes one way is not, and a person is always
//! asked.

use interagent_core::vocabulary::{HoldReason, Intent, TaskStatus, Verdict};
use interagent_operations::Hub;
use interagent_wire::answer::MessageView;
use interagent_wire::request as ask;
use interagent_wire::{Answer, Caller, Request};

use super::support::Team;

/// More than the budget of a pair, which is 30 without a team file.
const ROUNDS: u32 = 40;

fn peers() -> Team {
    let mut team = Team::without_rules();
    for name in ["ann", "bob", "cid"] {
        team.register(name, name);
    }
    team
}

fn messages(team: &mut Team, held: bool) -> Vec<MessageView> {
    let params = ask::MessageList { held, limit: Some(1_000), ..Default::default() };
    match team.ok(&Caller::operator(), params) {
        Answer::Messages(page) => page.items,
        other => panic!("{other:?}"),
    }
}

/// How many messages one agent sent another that were delivered.
fn delivered(team: &mut Team, from: &str, to: &str) -> usize {
    let is_it = |message: &&MessageView| {
        message.held.is_none()
            && message.from.name == from
            && message.to.iter().any(|one| one.agent.name == to)
    };
    messages(team, false).iter().filter(is_it).count()
}

fn quick(to: &str, n: u32) -> Request {
    let assignee = Some(to.to_owned());
    ask::TaskCreate { title: format!("work {n}"), assignee, announce: true, ..Default::default() }.into()
}

/// One call: from whom, to whom, and which in its row.
type Way = fn(&str, &str, u32) -> Request;

/// Every operation that one agent puts into another's context, as `n`-th call of its sender.
fn ways() -> Vec<(&'static str, Way)> {
    vec![
        ("message.send", |_, to, n| {
            ask::MessageSend { to: vec![to.into()], body: Some(format!("look at {n}")), ..Default::default() }
                .into()
        }),
        ("task.create", |_, to, n| quick(to, n)),
        ("decision.open", |_, to, n| {
            ask::DecisionOpen { question: format!("which {n}?"), to: vec![to.into()], ..Default::default() }
                .into()
        }),
        ("review.open", |_, to, n| {
            let diff = format!("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-{n}\n+{n}!\n");
            let title = format!("change {n}");
            ask::ReviewOpen { title, diff: Some(diff), to: vec![to.into()], ..Default::default() }.into()
        }),
        ("spec.publish", |from, _, n| {
            ask::SpecPublish { name: format!("of-{from}"), body: format!("text {n}"), ..Default::default() }
                .into()
        }),
    ]
}

/// Everybody hears of everybody's spec.
fn subscribe(team: &mut Team, round: &[&str]) {
    for (n, from) in round.iter().enumerate() {
        let next = round[(n + 1) % round.len()];
        let params = ask::SpecSubscribe { name: format!("of-{from}"), remove: false };
        team.ok(&Caller::agent(next), params);
    }
}

#[test]
fn every_operation_that_goes_round_is_held() {
    for (what, request) in ways() {
        for round in [&["ann", "bob"][..], &["ann", "bob", "cid"]] {
            let mut team = peers();
            if what == "spec.publish" {
                subscribe(&mut team, round);
            }
            for n in 0..ROUNDS {
                for (at, from) in round.iter().enumerate() {
                    let to = round[(at + 1) % round.len()];
                    team.ok(&Caller::agent(from), request(from, to, n));
                }
            }
            for (at, from) in round.iter().enumerate() {
                let to = round[(at + 1) % round.len()];
                assert_eq!(
                    delivered(&mut team, from, to),
                    30,
                    "{what} from {from} to {to} of {}",
                    round.len()
                );
            }
        }
    }
}

#[test]
fn one_way_work_is_never_held_below_flood_limit() {
    for (what, request) in ways().into_iter().filter(|(what, _)| *what != "message.send") {
        let mut team = peers();
        subscribe(&mut team, &["ann", "bob"]);
        for n in 0..80 {
            team.ok(&Caller::agent("ann"), request("ann", "bob", n));
        }
        assert_eq!(delivered(&mut team, "ann", "bob"), 80, "{what}");
    }
}

#[test]
fn flood_limit_holds_work_of_agents_and_of_operator() {
    for from in [Caller::agent("ann"), Caller::operator()] {
        let mut team = peers();
        for n in 0..302 {
            team.ok(&from, quick("bob", n));
        }
        assert_eq!(messages(&mut team, true).len(), 2);
    }
}

#[test]
fn held_delivery_leaves_the_work_committed_and_says_who_releases_it() {
    let mut team = peers();
    let mut last = None;
    for n in 0..31 {
        team.ok(&Caller::agent("ann"), quick("bob", n));
        last = Some(team.hub.call(&Caller::agent("bob"), quick("ann", n)).unwrap());
    }
    let last = last.unwrap();
    let Answer::Task(task) = &last.answer else { panic!("{:?}", last.answer) };
    assert_eq!(task.status, TaskStatus::Assigned, "the work moved");
    let held = messages(&mut team, true);
    let of_bob = held.iter().find(|message| message.from.name == "bob").unwrap();
    assert_eq!(of_bob.held, Some(HoldReason::Rate));
    let note = last.notes.join("\n");
    assert!(
        note.contains(&format!("{} to ann is held (too many messages in a short time)", of_bob.id)),
        "{note}"
    );
    assert!(note.contains(&format!("interagent msg release {}", of_bob.id)), "{note}");
    let owed = team.hub.store().read(|reader| reader.owed(1_000)).unwrap();
    assert!(owed.iter().all(|due| due.message.as_str() != of_bob.id), "nothing that is held obliges");
    let Answer::Summary(summary) = team.ok(&Caller::operator(), ask::Summary {}) else { panic!() };
    let release =
        summary.actions.iter().filter(|item| item.sentence.contains(" of bob, held (too many messages"));
    assert_eq!(release.count(), 1, "{:?}", summary.actions);
    team.ok(&Caller::operator(), ask::MessageRelease { message: of_bob.id.clone() });
    let owed = team.hub.store().read(|reader| reader.owed(1_000)).unwrap();
    assert!(owed.iter().any(|due| due.message.as_str() == of_bob.id));
}

#[test]
fn revisions_without_end_are_held_and_a_person_ends_the_count() {
    let mut team = peers();
    let Answer::Task(task) = team.ok(&Caller::agent("ann"), quick("bob", 1)) else { panic!("no task") };
    let mut rounds = 0;
    while messages(&mut team, true).is_empty() && rounds < 60 {
        for status in [TaskStatus::InProgress, TaskStatus::Completed] {
            let params =
                ask::TaskUpdate { task: task.id.clone(), status: Some(status), ..Default::default() };
            team.ok(&Caller::agent("bob"), params);
        }
        let verdict = Some(Verdict::RevisionNeeded);
        let note = Some("again".to_owned());
        team.ok(
            &Caller::agent("ann"),
            ask::TaskVerdict { task: task.id.clone(), verdict, note, ..Default::default() },
        );
        rounds += 1;
    }
    let held = messages(&mut team, true);
    assert_eq!((held[0].held, rounds), (Some(HoldReason::Hops), 11));
    let redo = ask::TaskReassign { task: task.id.clone(), to: "cid".into(), ..Default::default() };
    let Answer::Task(task) = team.ok(&Caller::operator(), redo) else { panic!("no task") };
    let done = ask::TaskUpdate { task: task.id, status: Some(TaskStatus::Completed), ..Default::default() };
    team.ok(&Caller::agent("cid"), ask::TaskUpdate { status: Some(TaskStatus::InProgress), ..done.clone() });
    team.ok(&Caller::agent("cid"), done);
    let requests = messages(&mut team, false).into_iter().filter(|message| message.from.name == "cid");
    assert!(requests.filter(|message| message.held.is_some()).count() == 0);
}

#[test]
fn others_get_what_is_held_for_one() {
    let mut team = peers();
    subscribe(&mut team, &["ann", "bob"]);
    team.ok(&Caller::agent("cid"), ask::SpecSubscribe { name: "of-ann".into(), remove: false });
    for n in 0..ROUNDS {
        for from in ["ann", "bob"] {
            let body = format!("text {n}");
            team.ok(
                &Caller::agent(from),
                ask::SpecPublish { name: format!("of-{from}"), body, ..Default::default() },
            );
        }
    }
    assert_eq!(delivered(&mut team, "ann", "bob"), 30);
    assert_eq!(delivered(&mut team, "ann", "cid"), 40);
}

#[test]
fn operator_is_asked_whatever_the_budget_says() {
    let mut team = peers();
    for n in 0..80 {
        let to = vec!["operator".to_owned(), "bob".to_owned()];
        let intent = Some(Intent::Question);
        let params = ask::MessageSend { to, intent, body: Some(format!("May I {n}?")), ..Default::default() };
        team.ok(&Caller::agent("ann"), params);
    }
    assert_eq!(delivered(&mut team, "ann", "operator"), 80);
    assert_eq!(delivered(&mut team, "ann", "bob"), 30);
}

fn ask_operator(team: &mut Team, from: &str, subject: &str) -> String {
    let params = ask::MessageSend {
        to: vec!["operator".into()],
        intent: Some(Intent::Question),
        body: Some(subject.into()),
        ..Default::default()
    };
    let Answer::Sent(sent) = team.ok(&Caller::agent(from), params) else { panic!("not sent") };
    sent.id
}

#[test]
fn repeats_to_operator_are_one_item_with_count() {
    let mut team = peers();
    let first = ask_operator(&mut team, "ann", "Which port?");
    let again: Vec<String> = (0..79).map(|_| ask_operator(&mut team, "ann", "which port")).collect();
    let other = ask_operator(&mut team, "ann", "Which host?");
    let of_bob = ask_operator(&mut team, "bob", "Which port?");
    let inbox = team.inbox("operator");
    let shown: Vec<(&str, u32)> = inbox.items.iter().map(|item| (item.id.as_str(), item.asked)).collect();
    assert_eq!(shown, [(first.as_str(), 80), (other.as_str(), 1), (of_bob.as_str(), 1)]);
    assert_eq!((inbox.unread, inbox.owed), (3, 3));
    assert_eq!(inbox.duties[0].asked, 80);
    let Answer::Summary(summary) = team.ok(&Caller::operator(), ask::Summary {}) else {
        panic!("no summary")
    };
    let asked = summary.actions.iter().filter(|item| item.sentence.contains("(asked 80 times)"));
    assert_eq!(asked.count(), 1, "{:?}", summary.actions);
    let announced: Vec<String> =
        std::iter::from_fn(|| team.hub.take_unannounced(&[]).unwrap().and_then(|notice| notice.key))
            .collect();
    assert_eq!(announced, [first.clone(), other.clone(), of_bob.clone()]);
    // The answer to any of them answers all.
    let params =
        ask::MessageReply { message: again[3].clone(), body: Some("8080".into()), ..Default::default() };
    team.ok(&Caller::operator(), params);
    let left: Vec<String> = team.inbox("operator").duties.into_iter().map(|duty| duty.message).collect();
    assert_eq!(left, [other, of_bob]);
    assert_eq!(team.inbox("ann").items.len(), 1, "one answer");
    // What is asked after the answer is a new question.
    let later = ask_operator(&mut team, "ann", "Which port?");
    assert!(team.inbox("operator").items.iter().any(|item| item.id == later && item.asked == 1));
}

#[test]
fn repeat_tells_the_asker_and_notifies_nobody() {
    let mut team = peers();
    let first = ask_operator(&mut team, "ann", "Which port?");
    let params = ask::MessageSend {
        to: vec!["operator".into()],
        intent: Some(Intent::Question),
        body: Some("Which port?".into()),
        ..Default::default()
    };
    let reply = team.hub.call(&Caller::agent("ann"), params.into()).unwrap();
    let note = reply.notes.join("\n");
    assert!(note.contains(&format!("{first} waits for the answer to the same question")), "{note}");
    assert!(note.contains("asked 2 times"), "{note}");
}
