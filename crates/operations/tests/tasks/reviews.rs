//! Reviews of changes and of tasks.

use interagent_core::vocabulary::{Disposition, Intent, Settlement, Side, TaskStatus, Verdict};
use interagent_operations::Hub;
use interagent_wire::answer::{Page, ReviewRow};
use interagent_wire::{Answer, request as ask};

use crate::support::{Team, to};

const DIFF: &str = "--- a/src/a.rs\n+++ b/src/a.rs\n@@ -2,2 +2,3 @@\n one\n+two\n three\n";

fn of_change() -> ask::ReviewOpen {
    ask::ReviewOpen {
        title: "Look at this".into(),
        body: Some("is it sound?".into()),
        diff: Some(DIFF.into()),
        to: vec!["claude".into()],
        ..Default::default()
    }
}

fn end(review: &str, verdict: Verdict) -> ask::ReviewVerdict {
    ask::ReviewVerdict { review: review.into(), verdict: Some(verdict), ..Default::default() }
}

fn list(team: &mut Team, params: ask::ReviewList) -> Page<ReviewRow> {
    let Answer::Reviews(page) = team.ok("operator", params) else { unreachable!("another answer") };
    page
}

#[test]
fn a_change_is_shown_commented_resolved_and_judged() {
    let mut team = Team::duo();
    let opened = team.review("kimi", of_change());
    let id = opened.review.id.clone();
    assert_eq!((opened.diff.as_deref(), opened.review.reviewers[0].name.as_str()), (Some(DIFF), "claude"));
    let (mail, duties) = team.inbox("claude");
    assert_eq!((mail[0].intent, duties), (Intent::ReviewRequest, 1));

    let concern = ask::ReviewComment {
        review: id.clone(),
        body: "why?".into(),
        disposition: Some(Disposition::Concern),
        file: Some("src/a.rs".into()),
        line: Some(3),
        side: Some(Side::New),
        ..Default::default()
    };
    let said = team.review("claude", concern);
    let thread = said.comments[0].thread.clone();
    let reply = ask::ReviewComment {
        review: id.clone(),
        body: "because".into(),
        thread: Some(thread[..10].into()),
        ..Default::default()
    };
    let answered = team.review("kimi", reply);
    assert_eq!((answered.comments[1].thread.as_str(), answered.review.open_threads), (thread.as_str(), 1));
    let close = ask::ReviewResolve { review: id.clone(), thread: thread.clone() };
    assert_eq!(team.review("claude", close.clone()).review.open_threads, 0);
    let before = team.seq();
    assert!(team.review("claude", close).comments[0].resolved);
    assert_eq!(team.seq(), before, "closed before");

    assert_eq!(team.refused("kimi", end(&id, Verdict::Approved)).code, "own_work");
    let empty = ask::ReviewVerdict { review: id.clone(), ..Default::default() };
    assert_eq!(team.refused("claude", empty).code, "missing_fields");
    let judged = team.review("claude", end(&id, Verdict::Approved));
    assert_eq!(judged.end.unwrap().verdict, Verdict::Approved);
    assert_eq!(team.message(&mail[0].id).to[0].how, Some(Settlement::Judged));
    let subjects: Vec<_> = team.inbox("kimi").0.into_iter().map(|mail| mail.subject).collect();
    assert_eq!(subjects, ["concern on Look at this at src/a.rs:3", "approved: Look at this"]);
    assert_eq!(team.refused("claude", end(&id, Verdict::Rejected)).code, "judged");
}

#[test]
fn a_verdict_settles_only_the_requests_of_its_own_review() {
    let mut team = Team::duo();
    let first = team.review("kimi", of_change());
    team.review("kimi", of_change());
    team.review("claude", end(&first.review.id, Verdict::Approved));
    assert_eq!(team.inbox("claude").1, 1);
}

#[test]
fn a_verdict_on_the_review_of_a_task_decides_the_task() {
    let mut team = Team::reviewing_duo();
    let task = team.create("claude", "Build it", Some("kimi"));
    team.task("kimi", to(&task, TaskStatus::Completed));
    let own = ask::ReviewOpen { task: Some(task.id.clone()), ..of_change() };
    let second = team.review("kimi", own);
    assert_eq!(team.inbox("claude").1, 2);
    let params = ask::ReviewVerdict { key: Some("k".into()), ..end(&second.review.id, Verdict::Approved) };
    let judged = team.review("claude", params.clone());
    assert_eq!(judged.review.id, second.review.id);
    let decided = team.show(&task.id);
    assert_eq!(
        (decided.status, decided.verdicts[0].review.clone()),
        (TaskStatus::Approved, Some(second.review.id))
    );
    assert_eq!(team.inbox("claude").1, 0);
    assert_eq!(list(&mut team, ask::ReviewList { open: true, ..Default::default() }).items, []);
    assert_eq!(team.review("claude", params), judged, "the same again");
}

/// A requested reviewer owes a verdict, so it must be able to give one.
#[test]
fn verdict_counts_for_the_review_alone_where_the_task_takes_none() {
    let mut team = Team::duo();
    let task = team.create("claude", "Build it", Some("kimi"));
    let early = team.review("kimi", ask::ReviewOpen { task: Some(task.id.clone()), ..of_change() });
    team.review("claude", end(&early.review.id, Verdict::RevisionNeeded));
    assert_eq!((team.show(&task.id).status, team.show(&task.id).verdicts.len()), (TaskStatus::Assigned, 0));

    team.task("kimi", to(&task, TaskStatus::Completed));
    team.ok("operator", ask::AgentRegister { name: "codex".into(), ..Default::default() });
    let to_codex = ask::ReviewOpen { task: Some(task.id.clone()), to: vec!["codex".into()], ..of_change() };
    let asked = team.review("kimi", to_codex);
    team.review("codex", end(&asked.review.id, Verdict::Approved));
    assert_eq!(team.inbox("codex").1, 0);
    assert_eq!(team.show(&task.id).status, TaskStatus::Completed);
}

#[test]
fn a_review_whose_task_was_cancelled_can_still_end() {
    let mut team = Team::reviewing_duo();
    let task = team.create("claude", "Build it", Some("kimi"));
    team.task("kimi", to(&task, TaskStatus::Completed));
    team.task("claude", to(&task, TaskStatus::Cancelled));
    assert_eq!(team.inbox("claude").1, 0, "the request is withdrawn");
    let all = list(&mut team, ask::ReviewList::default());
    team.review("claude", end(&all.items[0].id, Verdict::Rejected));
    assert_eq!(team.show(&task.id).status, TaskStatus::Cancelled);
    let late = ask::ReviewOpen { task: Some(task.id), ..of_change() };
    assert_eq!(team.refused("kimi", late).code, "closed");
}

#[test]
fn without_a_name_the_rules_choose_the_reviewer() {
    let mut team = Team::duo();
    let opened = team.review("kimi", ask::ReviewOpen { to: Vec::new(), ..of_change() });
    assert_eq!(opened.review.reviewers[0].name, "claude");
    let alone = ask::ReviewOpen { to: Vec::new(), ..of_change() };
    assert_eq!(team.refused("claude", alone).code, "no_reviewer");
}

#[test]
fn reviews_come_in_pages_newest_first() {
    let mut team = Team::duo();
    let ids: Vec<_> = (0..3).map(|_| team.review("kimi", of_change()).review.id).collect();
    let first = list(&mut team, ask::ReviewList { limit: Some(2), ..Default::default() });
    let second =
        list(&mut team, ask::ReviewList { limit: Some(2), after: first.next.clone(), ..Default::default() });
    let shown: Vec<_> = first.items.iter().chain(&second.items).map(|row| row.id.clone()).rev().collect();
    assert_eq!((shown, second.next), (ids, None));
}

#[test]
fn comments_reach_the_other_side_and_end_with_the_budget() {
    let mut team = Team::duo();
    let id = team.review("kimi", of_change()).review.id;
    let say = |words: &str| ask::ReviewComment {
        review: id.clone(),
        body: words.into(),
        file: Some("src/a.rs".into()),
        line: Some(3),
        ..Default::default()
    };
    team.review("claude", say("why?"));
    let (mail, duties) = team.inbox("kimi");
    assert_eq!((mail[0].subject.as_str(), duties), ("note on Look at this at src/a.rs:3", 0));
    assert_eq!(mail[0].refs[0].target, id);
    team.review("kimi", say("because"));
    assert_eq!(team.inbox("claude").0.len(), 2, "the request and the answer");
    for n in 0..60 {
        team.review("claude", say(&format!("but {n}")));
    }
    let told = team.inbox("kimi").0.len();
    assert!(told < 60, "over budget they are held: {told}");
    let Answer::Review(view) = team.ok("kimi", ask::ReviewShow { review: id, round: None }) else {
        unreachable!()
    };
    assert_eq!(view.comments.len(), 62, "no comment is lost");
}

#[test]
fn the_review_of_a_task_that_was_given_up_is_void() {
    let mut team = Team::reviewing_duo();
    let task = team.create("claude", "Build it", Some("kimi"));
    team.task("kimi", to(&task, TaskStatus::Completed));
    let open = ask::ReviewList { open: true, ..Default::default() };
    let id = list(&mut team, open.clone()).items[0].id.clone();
    team.task("claude", to(&task, TaskStatus::Cancelled));
    assert_eq!(list(&mut team, open).items.len(), 0);
    let all = list(&mut team, ask::ReviewList::default());
    assert!(all.items[0].void && all.items[0].verdict.is_none(), "{all:?}");
    assert_eq!(team.inbox("claude").1, 0, "nobody owes a verdict");
    let judged = team.review("claude", end(&id, Verdict::Approved));
    assert!(!judged.review.void, "who looked at it all the same may say so");
}

#[test]
fn completing_again_goes_on_with_the_review() {
    let mut team = Team::reviewing_duo();
    let task = team.create("claude", "Build it", Some("kimi"));
    team.task("kimi", to(&task, TaskStatus::Completed));
    let all = |team: &mut Team| list(team, ask::ReviewList::default()).items;
    let [first] = all(&mut team).try_into().unwrap();
    team.review("claude", end(&first.id, Verdict::RevisionNeeded));
    assert_eq!(team.inbox("claude").1, 0);
    team.task("kimi", to(&task, TaskStatus::InProgress));
    team.task("kimi", to(&task, TaskStatus::Completed));
    let [again] = all(&mut team).try_into().unwrap();
    assert_eq!((&again.id, again.round, again.verdict), (&first.id, 2, None));
    assert_eq!(team.inbox("claude").1, 1, "the reviewer owes a verdict on the new round");
    team.review("claude", end(&first.id, Verdict::Approved));
    assert_eq!(team.show(&task.id).status, TaskStatus::Approved);
    assert_eq!(team.inbox("claude").1, 0);
    // A review that the worker opened with a diff is the one that is judged.
    let task = team.create("claude", "Test it", Some("kimi"));
    let own = team.review("kimi", ask::ReviewOpen { task: Some(task.id.clone()), ..of_change() });
    team.task("kimi", to(&task, TaskStatus::Completed));
    assert_eq!((all(&mut team).len(), team.inbox("claude").1), (2, 1));
    team.review("claude", end(&own.review.id, Verdict::Approved));
    assert_eq!(team.show(&task.id).status, TaskStatus::Approved);
}

fn reply(message: &str, body: &str) -> ask::MessageReply {
    ask::MessageReply { message: message.into(), body: Some(body.into()), ..Default::default() }
}

#[test]
fn reply_gives_verdict_on_review_without_task() {
    let mut team = Team::duo();
    let opened = team.review("kimi", of_change());
    let asked = team.inbox("claude").0[0].id.clone();
    team.ok("claude", reply(&asked, "Is it finished?"));
    assert_eq!(team.inbox("claude").1, 1, "only a verdict settles it");
    team.ok("claude", reply(&asked, "Approved.\n\nWell done."));
    let show = ask::ReviewShow { review: opened.review.id.clone(), ..Default::default() };
    assert_eq!(team.review("kimi", show).end.unwrap().verdict, Verdict::Approved);
    assert_eq!((team.message(&asked).to[0].how, team.inbox("claude").1), (Some(Settlement::Judged), 0));

    let second = team.review("kimi", of_change());
    let asked = team.inbox("claude").0.iter().find(|mail| mail.duty.is_some()).unwrap().id.clone();
    let given = ask::MessageReply { verdict: Some(Verdict::RevisionNeeded), ..reply(&asked, "Tests fail") };
    team.ok("claude", given);
    let show = ask::ReviewShow { review: second.review.id.clone(), ..Default::default() };
    assert_eq!(team.review("kimi", show).end.unwrap().verdict, Verdict::RevisionNeeded);

    let round = ask::ReviewUpdate {
        review: second.review.id,
        diff: Some(DIFF.replace("two", "2")),
        ..Default::default()
    };
    team.review("kimi", round);
    let late = ask::MessageReply { verdict: Some(Verdict::Approved), ..reply(&asked, "Fine") };
    assert_eq!(team.refused("claude", late).code, "newer_round", "that request was about round 1");
}

#[test]
fn long_reply_gives_verdict() {
    let mut team = Team::duo();
    let opened = team.review("kimi", of_change());
    let asked = team.inbox("claude").0[0].id.clone();
    let text = format!("Revision needed.\n\n{}", "- a line of the review\n".repeat(1_000));
    team.ok("claude", reply(&asked, &text));
    let show = ask::ReviewShow { review: opened.review.id, ..Default::default() };
    assert_eq!(team.review("kimi", show).end.unwrap().verdict, Verdict::RevisionNeeded);
    let bodies: Vec<_> = team.inbox("kimi").0.into_iter().map(|mail| mail.id).collect();
    let whole =
        bodies.iter().any(|id| team.message(id).body.as_deref().map(str::trim_end) == Some(text.trim_end()));
    assert!(whole, "the author gets the whole text");
}

#[test]
fn task_verdict_names_round_and_open_threads() {
    let mut team = Team::duo();
    let task = team.create("claude", "Parse", Some("kimi"));
    let opened = team.review("kimi", ask::ReviewOpen { task: Some(task.id.clone()), ..of_change() });
    let concern = ask::ReviewComment {
        review: opened.review.id.clone(),
        body: "why?".into(),
        disposition: Some(Disposition::Concern),
        ..Default::default()
    };
    let thread = team.review("claude", concern).comments[0].thread.clone();
    team.ok("kimi", to(&task, TaskStatus::InProgress));
    team.ok("kimi", to(&task, TaskStatus::Completed));
    let approve =
        ask::TaskVerdict { task: task.id.clone(), verdict: Some(Verdict::Approved), ..Default::default() };
    let reply = team.hub.call(&crate::support::caller("claude"), approve.into()).unwrap();
    let warned = reply.notes.iter().any(|remark| *remark == format!("approved with 1 open thread: {thread}"));
    assert!(warned, "{:?}", reply.notes);
    let show = ask::ReviewShow { review: opened.review.id, ..Default::default() };
    assert_eq!(team.review("kimi", show).rounds[0].open_threads, [thread]);
}

#[test]
fn round_waits_for_required_report() {
    let mut config = interagent_core::team::TeamConfig::usual_duo("demo");
    (config.rules.review_required, config.rules.report_required) = (true, true);
    let mut team = Team::of(&config);
    let task = team.create("claude", "Parse", Some("kimi"));
    team.ok("kimi", to(&task, TaskStatus::InProgress));
    let done = |summary: &str| ask::TaskReport {
        task: task.id.clone(),
        status: Some("done".parse().unwrap()),
        summary: Some(summary.into()),
        skill_candidate: Some(ask::SkillParam::default()),
        ..Default::default()
    };
    team.ok("kimi", done("first"));
    let review = list(&mut team, ask::ReviewList::default()).items[0].id.clone();
    team.review("claude", end(&review, Verdict::RevisionNeeded));
    let before = team.inbox("claude").1;
    let round = ask::ReviewUpdate { review: review.clone(), diff: Some(DIFF.into()), ..Default::default() };
    team.review("kimi", round);
    assert_eq!(team.inbox("claude").1, before, "the report asks for the verdict");
    team.ok("kimi", done("second"));
    assert_eq!(list(&mut team, ask::ReviewList::default()).items.len(), 1, "it is the same review");
    assert_eq!(team.inbox("claude").1, before + 1);
    team.review("claude", end(&review, Verdict::Approved));
    assert_eq!(team.show(&task.id).status, TaskStatus::Approved);
}

#[test]
fn reviewers_read_and_judge_under_f003() {
    let mut duo = interagent_core::team::TeamConfig::usual_duo("demo");
    duo.rules.guards.insert(interagent_core::team::Guard::F003);
    for (name, seat) in &mut duo.agents {
        if name.as_str() == "kimi" {
            (seat.role, seat.reports_to) = (interagent_core::team::Role::Reviewer, None);
        }
    }
    let mut peers = duo.clone();
    peers.formation = interagent_core::team::Formation::Peers;
    peers.principal = None;
    for seat in peers.agents.values_mut() {
        (seat.role, seat.reports_to) = (interagent_core::team::Role::Collaborator, None);
    }
    peers.rules.may_merge = [interagent_core::team::Role::Collaborator].into();
    peers.rules.review_required = true;
    for config in [duo, peers] {
        let mut team = Team::of(&config);
        let task = team.create("operator", "Parse", Some("claude"));
        team.ok("claude", to(&task, TaskStatus::InProgress));
        team.ok("claude", to(&task, TaskStatus::Completed));
        let show = ask::TaskShow { task: task.id.clone() };
        team.task("kimi", show);
        let approve = ask::TaskVerdict {
            task: task.id.clone(),
            verdict: Some(Verdict::Approved),
            ..Default::default()
        };
        team.ok("kimi", approve);
        assert_eq!(team.show(&task.id).status, TaskStatus::Approved);
    }
}
