//! What members hear of work and questions, and what settles what they owe.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a helper of a test fails by panicking")]

use interagent_core::vocabulary::{DeliveryState, Duty, Intent, Settlement, TaskStatus, Verdict};
use interagent_wire::answer::MailView;
use interagent_wire::request as ask;
use interagent_wire::{Answer, Caller};

use crate::support::{Team, new_task, to};

fn mail(team: &mut Team, who: &str) -> Vec<MailView> {
    team.inbox(who).0
}

/// The only message of an intent in an inbox.
fn only(team: &mut Team, who: &str, intent: Intent) -> MailView {
    let mut found = mail(team, who);
    found.retain(|mail| mail.intent == intent);
    assert_eq!(found.len(), 1, "{who} {intent}: {found:?}");
    found.remove(0)
}

fn send(team: &mut Team, from: &str, to: &str, intent: Intent, task: Option<&str>) -> String {
    let params = ask::MessageSend {
        to: vec![to.into()],
        intent: Some(intent),
        body: Some("What now?".into()),
        task: task.map(Into::into),
        ..Default::default()
    };
    match team.ok(from, params) {
        Answer::Sent(sent) => sent.id,
        other => panic!("{other:?}"),
    }
}

fn reply(message: &str, body: &str) -> ask::MessageReply {
    ask::MessageReply { message: message.into(), body: Some(body.into()), ..Default::default() }
}

fn settled(team: &mut Team, message: &str, who: &str) -> Option<Settlement> {
    let view = team.message(message);
    view.to.iter().find(|delivery| delivery.agent.name == who).unwrap().how
}

#[test]
fn assignment_says_what_counts_as_done() {
    let mut team = Team::duo();
    let plan = ask::TaskCreate {
        description: Some("All of it.".into()),
        purpose: Some("Users lose their last line.".into()),
        requirements: vec!["no new dependency".into()],
        acceptance_criteria: vec!["the tests pass".into()],
        ..new_task("Parse", Some("kimi"))
    };
    let task = team.task("claude", plan);
    let told = only(&mut team, "kimi", Intent::Delegation);
    assert_eq!((told.task.as_deref(), told.duty), (Some(task.id.as_str()), Some(Duty::Start)));
    let said = "All of it.\n\nPurpose: Users lose their last line.\nRequirements:\n- no new dependency\n\
                Done when:\n- the tests pass";
    assert_eq!(team.message(&told.id).body.as_deref(), Some(said));
    let moved = ask::TaskReassign {
        task: task.id,
        to: "claude".into(),
        reason: Some("kimi is away".into()),
        key: None,
    };
    team.ok("operator", moved);
    let told = only(&mut team, "claude", Intent::Delegation);
    let body = team.message(&told.id).body.unwrap();
    assert!(body.starts_with("kimi is away\n\nAll of it.\n\nPurpose: "), "{body}");
}

#[test]
fn assignment_that_must_wait_wakes_nobody() {
    let mut team = Team::duo();
    let first = team.create("claude", "first", Some("claude"));
    let later = ask::TaskCreate { depends_on: vec![first.id.clone()], ..new_task("later", Some("kimi")) };
    team.task("claude", later);
    let told = only(&mut team, "kimi", Intent::Delegation);
    let told = team.message(&told.id);
    assert!(told.quiet);
    assert_eq!(told.body, Some(format!("It waits for {}. You are notified when it is ready.", first.id)));
}

#[test]
fn refused_return_suggests_decline() {
    let mut team = Team::duo();
    let task = team.create("claude", "Build it", Some("kimi"));
    let told = only(&mut team, "kimi", Intent::Delegation);
    let by_task = ask::MessageDecline { message: task.id.clone(), ..Default::default() };
    let refused = team.refused("kimi", by_task);
    assert_eq!(refused.hint, Some(format!("interagent msg decline {}", told.id)), "it takes the message");
    let refused = team.refused("kimi", to(&task, TaskStatus::Pending));
    assert_eq!(refused.hint, Some(format!("interagent msg decline {} --reason TEXT", told.id)));
}

#[test]
fn progress_ends_a_call_for_help() {
    let mut team = Team::duo();
    let task = team.create("claude", "Build it", Some("kimi"));
    let blocked = ask::TaskUpdate { note: Some("no key".into()), ..to(&task, TaskStatus::Blocked) };
    team.ok("kimi", blocked);
    let asked = only(&mut team, "claude", Intent::Blocked);
    assert_eq!(asked.duty, Some(Duty::Unblock));
    let refused = team.refused("claude", to(&task, TaskStatus::InProgress));
    assert_eq!(refused.hint, Some(format!("interagent reply {} -m TEXT", asked.id)), "it settles the call");
    assert_eq!(team.message(&asked.id).body.as_deref(), Some("no key"));
    team.ok("kimi", to(&task, TaskStatus::InProgress));
    assert_eq!(settled(&mut team, &asked.id, "claude"), Some(Settlement::Withdrawn));
}

#[test]
fn operator_learns_the_outcome_of_its_task() {
    let mut team = Team::duo();
    let task = team.create("operator", "Build it", Some("kimi"));
    team.ok("kimi", to(&task, TaskStatus::Completed));
    assert_eq!(only(&mut team, "claude", Intent::ReviewRequest).duty, Some(Duty::Verdict));
    let told = only(&mut team, "operator", Intent::Report);
    assert_eq!((told.duty, told.from.name.as_str()), (None, "kimi"));
    team.ok("claude", to(&task, TaskStatus::Approved));
    assert!(mail(&mut team, "operator").iter().any(|mail| mail.subject.starts_with("approved: Build it")));
}

#[test]
fn reply_that_says_approved_is_the_verdict() {
    let mut team = Team::reviewing_duo();
    let task = team.create("claude", "Build it", Some("kimi"));
    team.ok("kimi", to(&task, TaskStatus::Completed));
    let asked = only(&mut team, "claude", Intent::ReviewRequest);
    team.ok("claude", reply(&asked.id, "What about the tests?"));
    assert_eq!(settled(&mut team, &asked.id, "claude"), None, "a review is required");
    assert_eq!(team.show(&task.id).status, TaskStatus::UnderReview);
    team.ok("claude", reply(&asked.id, "Approved: nice work"));
    assert_eq!(team.show(&task.id).status, TaskStatus::Approved);
    assert_eq!(settled(&mut team, &asked.id, "claude"), Some(Settlement::Judged));
    let told =
        mail(&mut team, "kimi").into_iter().find(|mail| mail.subject.starts_with("approved: ")).unwrap();
    assert_eq!(team.message(&told.id).body.as_deref(), Some("Approved: nice work"));
}

#[test]
fn reply_with_a_verdict_judges_or_is_refused() {
    let mut team = Team::duo();
    let task = team.create("claude", "Build it", Some("kimi"));
    team.ok("kimi", to(&task, TaskStatus::Completed));
    let asked = only(&mut team, "claude", Intent::ReviewRequest);
    let rejected = ask::MessageReply { verdict: Some(Verdict::Rejected), ..reply(&asked.id, "Not wanted") };
    team.ok("claude", rejected);
    assert_eq!(team.show(&task.id).status, TaskStatus::Rejected);
    let plain = send(&mut team, "claude", "kimi", Intent::Question, None);
    let odd = ask::MessageReply { verdict: Some(Verdict::Approved), ..reply(&plain, "x") };
    assert_eq!(team.refused("kimi", odd).code, "no_task");
}

#[test]
fn reply_settles_a_review_that_no_approval_needs() {
    let mut team = Team::duo();
    let task = team.create("claude", "Build it", Some("kimi"));
    let asked = send(&mut team, "kimi", "claude", Intent::ReviewRequest, Some(&task.id));
    team.ok("claude", reply(&asked, "Looks fine: approved"));
    assert_eq!(settled(&mut team, &asked, "claude"), Some(Settlement::Replied));
    assert_eq!(team.show(&task.id).status, TaskStatus::Assigned, "it was not complete");
}

#[test]
fn operators_reply_settles_question_of_others() {
    let mut team = Team::duo();
    let question = send(&mut team, "claude", "kimi", Intent::Question, None);
    let Answer::Sent(answer) = team.ok("operator", reply(&question, "42")) else { panic!() };
    assert_eq!(settled(&mut team, &question, "kimi"), Some(Settlement::Answered));
    let mut told: Vec<&str> = answer.to.iter().map(|who| who.name.as_str()).collect();
    told.sort_unstable();
    assert_eq!(told, ["claude", "kimi"]);
    let question = send(&mut team, "claude", "kimi", Intent::Question, None);
    let answer = ask::MessageAnswer { message: question.clone(), body: "42".into(), key: None };
    team.ok("operator", answer);
    assert_eq!(settled(&mut team, &question, "kimi"), Some(Settlement::Answered), "by either command");
}

#[test]
fn reply_to_an_escalated_question_answers_the_escalation() {
    let mut team = Team::duo();
    let question = send(&mut team, "claude", "kimi", Intent::Question, None);
    let escalate =
        ask::MessageEscalate { message: question.clone(), reason: "Not mine.".into(), ..Default::default() };
    team.ok("kimi", escalate);
    team.ok("operator", reply(&question, "42"));
    assert!(team.message(&question).escalations[0].answer.is_some());
    assert_eq!(settled(&mut team, &question, "kimi"), Some(Settlement::Answered));
    assert_eq!(team.inbox("operator").1, 0);
}

#[test]
fn operators_reply_takes_over_no_task_and_no_verdict() {
    let mut team = Team::duo();
    for intent in [Intent::Handoff, Intent::ReviewRequest] {
        let sent = send(&mut team, "claude", "kimi", intent, None);
        team.ok("operator", reply(&sent, "I see"));
        assert_eq!(settled(&mut team, &sent, "kimi"), None, "{intent}");
    }
}

#[test]
fn operator_marks_a_message_as_read_for_its_recipient() {
    let mut team = Team::duo();
    let state = |team: &mut Team, id: &str| team.message(id).to[0].state;
    let read = |id: &str| ask::MessageRead { message: id.into(), as_recipient: true };
    let mark = |id: &str| ask::MessageAcknowledge {
        messages: vec![id.into()],
        as_recipient: true,
        ..Default::default()
    };
    for caller in [Caller::operator(), Caller { behalf: Some("kimi".into()), ..Caller::operator() }] {
        let sent = send(&mut team, "claude", "kimi", Intent::Question, None);
        let Ok(Answer::Message(shown)) = team.try_as(&caller, read(&sent)) else { panic!() };
        assert!(shown.to_acknowledge);
        team.try_as(&caller, mark(&sent)).unwrap();
        assert_eq!(state(&mut team, &sent), DeliveryState::Acknowledged);
        assert_eq!(settled(&mut team, &sent, "kimi"), None, "kimi still owes the answer");
    }
    let sent = send(&mut team, "claude", "kimi", Intent::Message, None);
    let Ok(Answer::Message(shown)) =
        team.try_as(&Caller::operator(), ask::MessageRead { message: sent.clone(), as_recipient: false })
    else {
        panic!()
    };
    assert!(!shown.to_acknowledge, "`read` only shows");
}

#[test]
fn no_agent_is_called_system() {
    let taken = ask::AgentRegister { name: "system".into(), ..Default::default() };
    assert_eq!(Team::duo().refused("operator", taken).code, "name_reserved");
}

#[test]
fn order_is_not_done_before_its_parts() {
    let mut team = Team::duo();
    let order = team.create("claude", "Order", Some("kimi"));
    let part = ask::TaskCreate { parent: Some(order.id.clone()), ..new_task("Part", Some("kimi")) };
    let part = team.task("claude", part);
    let refusal = team.refused("kimi", to(&order, TaskStatus::Completed));
    assert_eq!(refusal.code, "open_parts");
    let forced = ask::TaskUpdate { with_open_parts: true, ..to(&order, TaskStatus::Completed) };
    let done = team.task("kimi", forced);
    assert_eq!(done.status, TaskStatus::Completed);
    let note = done.notes[0].note.clone().unwrap();
    assert_eq!(note, format!("Done with open parts: {} (assigned)", part.id));
    assert_eq!(team.refused("claude", to(&order, TaskStatus::Approved)).code, "open_parts");
    team.ok("kimi", to(&part, TaskStatus::Completed));
    assert_eq!(team.task("claude", to(&order, TaskStatus::Approved)).status, TaskStatus::Approved);
}

#[test]
fn reviewer_takes_work_under_review() {
    let mut team = Team::duo();
    let task = team.create("claude", "Build it", Some("kimi"));
    team.ok("kimi", to(&task, TaskStatus::Completed));
    assert_eq!(team.task("claude", to(&task, TaskStatus::UnderReview)).status, TaskStatus::UnderReview);
    assert_eq!(team.task("claude", to(&task, TaskStatus::Approved)).status, TaskStatus::Approved);
}

#[test]
fn assigner_hears_that_its_assignee_was_retired() {
    let mut team = Team::duo();
    let task = team.create("claude", "Parse", Some("kimi"));
    let own = team.create("operator", "Deploy", Some("kimi"));
    team.ok("operator", ask::AgentRetire { agent: "kimi".into(), ..Default::default() });
    let (mail, _) = team.inbox("claude");
    let notice = mail.iter().find(|mail| mail.from.name == "system").unwrap();
    assert_eq!(notice.subject, "kimi was retired: 1 task is open");
    assert_eq!(notice.task.as_deref(), Some(task.id.as_str()));
    let (mail, _) = team.inbox("operator");
    assert!(mail.iter().all(|mail| mail.from.name != "system"), "it retired kimi itself: {own:?}");
}
