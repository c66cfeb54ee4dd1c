//! The ladder through the hub: a silent agent's duty climbs to the operator and comes back, whoever supervises is killed in
//! between.

#[path = "ladder/support.rs"]
mod support;

#[path = "ladder/reset.rs"]
mod reset;
#[path = "ladder/stopped.rs"]
mod stopped;
#[path = "ladder/trouble.rs"]
mod trouble;
#[path = "ladder/waking.rs"]
mod waking;

use std::time::Duration;

use interagent_core::ids::MessageId;
use interagent_core::ladder::waking::Channel;
use interagent_core::team::{OperatorDefault, TeamConfig};
use interagent_core::vocabulary::{Conclusion, Intent, Moment, SessionState, TaskStatus};
use interagent_operations::ladder::Act;
use interagent_wire::Answer;
use interagent_wire::answer::TaskView;
use interagent_wire::request as ask;

use crate::support::Team;

#[test]
fn a_silent_members_duty_climbs_to_the_operator_and_the_answer_comes_back() {
    let mut team = Team::captain(|_| {});
    let asked = team.send("vice_captain1", "member1", Intent::Question, "Which port?");
    team.supervise(239);
    assert_eq!(team.read(&asked).escalations, []);
    team.supervise(5);
    let [superior] = team.read(&asked).escalations.try_into().unwrap();
    assert_eq!((superior.to.name.as_str(), superior.by_ladder), ("vice_captain1", true));
    let carrier = team.read(&superior.by);
    assert_eq!(carrier.from.name, "system", "the program writes about a silent agent");
    assert_eq!(carrier.spoken_by, None);
    assert!(carrier.body.unwrap().contains("has not answered"));
    team.supervise(241);
    let escalations = team.read(&asked).escalations;
    assert_eq!(escalations.len(), 2);
    assert_eq!(escalations[1].to.name, "operator");
    assert!(escalations[1].deadline.is_some() && escalations[1].default.is_some());
    assert_eq!(team.pleas(), ["vice_captain1"], "the asker needs the answer, not the silent agent");
    // The question to the vice captain is one that only wakes: nobody is asked about it again.
    team.supervise(3000);
    let by_ladder = |team: &mut Team, id: &str| team.read(id).escalations.len();
    assert_eq!((by_ladder(&mut team, &asked), by_ladder(&mut team, &superior.by)), (2, 0));
    let answer = ask::MessageAnswer { message: escalations[1].by.clone(), body: "8080".into(), key: None };
    team.ok("operator", answer);
    assert!(team.read(&asked).escalations.iter().all(|e| e.answer.is_some()), "one answer is enough");
    for who in ["member1", "vice_captain1", "operator"] {
        assert_eq!(team.inbox(who).duties, [], "{who}");
    }
    let heard = team.inbox("member1").items;
    assert!(heard.iter().any(|mail| mail.subject.starts_with("Re: ")), "{heard:?}");
    let before = team.entries();
    team.supervise(5000);
    assert_eq!(team.entries(), before, "nothing is left to do");
}

#[test]
fn the_trace_names_whom_it_is_about() {
    let mut team = Team::captain(|_| {});
    team.send("vice_captain1", "member1", Intent::Question, "Which port?");
    team.supervise(245);
    let Answer::Trace(page) = team.ok("operator", ask::LogTrace::default()) else { panic!() };
    let asked = page.items.iter().find(|row| row.kind == "ladder.superior").unwrap();
    assert_eq!(asked.agent.as_ref().map(|agent| agent.name.as_str()), Some("member1"));
}

#[test]
fn whoever_supervises_may_be_killed_at_any_second() {
    let mut team = Team::captain(|_| {});
    let asked = team.send("vice_captain1", "member1", Intent::Question, "Which port?");
    for _ in 0..600 {
        team.kill();
        team.supervise(1);
    }
    let to: Vec<String> = team.read(&asked).escalations.iter().map(|e| e.to.name.clone()).collect();
    assert_eq!(to, ["vice_captain1", "operator"]);
    assert_eq!(team.inbox("operator").duties.len(), 1);
}

#[test]
fn a_machine_that_slept_skips_no_step() {
    let mut team = Team::captain(|_| {});
    let asked = team.send("vice_captain1", "member1", Intent::Question, "Which port?");
    team.pass();
    team.clock.advance(Duration::from_secs(36_000));
    team.supervise(100);
    assert_eq!(team.read(&asked).escalations, [], "the agent gets its time");
    team.supervise(120);
    assert_eq!(team.read(&asked).escalations[0].to.name, "vice_captain1");
}

#[test]
fn a_vice_captains_silence_is_on_the_dashboard_and_then_with_the_operator_who_can_reassign() {
    let mut team = Team::captain(|_| {});
    team.seat("vice_captain2", SessionState::Idle);
    let task = team.give("captain", "vice_captain1", "Parse", &[]);
    let announced = team.inbox("vice_captain1").duties[0].message.clone();
    let raised = |team: &mut Team| {
        let id = MessageId::parse(&announced).unwrap();
        let message = team.hub.store().read(|reader| reader.message(&id)).unwrap().unwrap();
        message.raised.len()
    };
    team.supervise(238);
    assert_eq!(raised(&mut team), 0);
    team.supervise(2);
    assert_eq!(raised(&mut team), 1, "the log says that it is the captain's matter now");
    team.kill();
    team.supervise(239);
    assert_eq!(raised(&mut team), 1);
    assert_eq!(team.inbox("captain").unread, 0, "no mail to a captain");
    assert_eq!(team.inbox("operator").duties, []);
    team.supervise(2);
    let [duty] = team.inbox("operator").duties.try_into().unwrap();
    let body = team.read(&duty.message).body.unwrap();
    assert!(body.contains(&format!("You can also reassign {}: vice_captain2", task.id)), "{body}");
    team.ok(
        "operator",
        ask::TaskReassign { task: task.id.clone(), to: "vice_captain2".into(), ..Default::default() },
    );
    team.supervise(2);
    assert_eq!(team.inbox("operator").duties, [], "the question is over with it");
    assert_eq!(team.inbox("vice_captain2").duties.len(), 1);
}

#[test]
fn who_has_the_question_and_is_silent_is_woken_and_told_again_once() {
    let mut team = Team::captain(|_| {});
    team.seat("member1", SessionState::Idle);
    let mut printed = Vec::new();
    let mut hook = |team: &mut Team, moment: Moment| {
        let params = ask::SessionHook {
            session: "session-member1".into(),
            moment: Some(moment),
            heard: true,
            profile: Some("claude".into()),
            printed: printed.clone(),
            ..Default::default()
        };
        match team.ok("member1", params) {
            Answer::Hook(said) => {
                printed.extend(said.stamp);
                said.text.unwrap_or_default()
            }
            other => panic!("{other:?}"),
        }
    };
    let asked = team.send("vice_captain1", "member1", Intent::Question, "Which port?");
    assert!(hook(&mut team, Moment::Prompt).contains("Which port?"));
    // The end of its turn reminds it once; the second one lets it go.
    assert!(hook(&mut team, Moment::TurnEnd).contains(&asked));
    assert_eq!(hook(&mut team, Moment::TurnEnd), "");
    let woken = team.supervise(66);
    assert_eq!(woken, ["60 member1 nudge"], "there is no mail left, and it is woken all the same");
    let told = hook(&mut team, Moment::Prompt);
    assert!(told.contains("still wait for you") && told.contains(&asked), "{told}");
    assert_eq!(hook(&mut team, Moment::Prompt), "", "once");
    assert_eq!(hook(&mut team, Moment::TurnEnd), "");
    assert_eq!(team.supervise(30), Vec::<String>::new(), "it was heard, and no line is left to be typed");
}

#[test]
fn who_is_started_anew_in_the_middle_of_its_work_is_woken_to_go_on() {
    let mut team = Team::captain(|_| {});
    team.seat("member1", SessionState::Idle);
    let task = team.give("vice_captain1", "member1", "Parse", &[]);
    let begin =
        ask::TaskUpdate { task: task.id.clone(), status: Some(TaskStatus::InProgress), ..Default::default() };
    team.ok("member1", begin);
    let Answer::Inbox(_) = team.ok("member1", ask::MessageInbox::default()) else { panic!() };
    assert_eq!(team.supervise(30), Vec::<String>::new(), "nothing waits for it");
    let agent = team.hub.crew().unwrap().rows.into_iter().find(|row| row.agent.name.as_str() == "member1");
    team.hub.remind_of_work(&agent.unwrap().agent.id).unwrap();
    let begun = team.begin();
    let is_nudge = |act: &Act| matches!(act, Act::Reach { channel: Channel::Nudge, .. });
    assert!(matches!(begun.as_slice(), [act] if is_nudge(act)), "{begun:?}");
}

#[test]
fn a_client_that_shows_how_little_context_is_left_has_its_superior_told_once() {
    let mut team = Team::captain(|config| config.rules.context_limit = 30);
    team.seat("member1", SessionState::Idle);
    let told = |team: &mut Team| team.inbox("vice_captain1").unread;
    for (left, unread) in [(80, 0), (31, 0), (29, 1), (12, 1), (90, 1), (29, 2)] {
        team.hub.saw_context("session-member1", left).unwrap();
        assert_eq!(told(&mut team), unread, "{left} %");
    }
    let before = team.entries();
    team.hub.saw_context("session-member1", 28).unwrap();
    assert_eq!(team.entries(), before, "what is no news is not written");
    team.hub.saw_context("no such session", 5).unwrap();
}

#[test]
fn work_that_waits_for_other_work_does_not_climb_before_it_can_be_begun() {
    let mut team = Team::captain(|_| {});
    let first = team.give("vice_captain1", "member1", "Parse", &[]);
    team.give("vice_captain1", "member2", "Print", &[&first.id]);
    team.supervise(300);
    let up = |team: &mut Team, who: &str| {
        let items = team.inbox(who).items;
        let given = items.iter().find(|mail| mail.intent == Intent::Delegation).unwrap();
        team.read(&given.id).escalations.len()
    };
    assert_eq!((up(&mut team, "member1"), up(&mut team, "member2")), (1, 0));
}

#[test]
fn the_default_is_applied_once_after_the_deadline() {
    for (default, how, status) in [
        (OperatorDefault::Wait, Conclusion::Waits, TaskStatus::Assigned),
        (OperatorDefault::Reassign, Conclusion::Reassigned, TaskStatus::Reassigned),
        (OperatorDefault::Cancel, Conclusion::Cancelled, TaskStatus::Cancelled),
    ] {
        let mut team = Team::captain(|config| {
            config.ladder.operator_default = default;
            config.ladder.operator_deadline_s = 30;
        });
        team.seat("member2", SessionState::Busy);
        let task = team.give("vice_captain1", "member1", "Parse", &[]);
        let [duty] = team.inbox("member1").duties.try_into().unwrap();
        team.supervise(505);
        assert_eq!(team.task(&task.id).status, TaskStatus::Assigned, "{default}");
        team.supervise(40);
        let escalations = team.read(&duty.message).escalations;
        assert_eq!(escalations.iter().map(|e| e.concluded).collect::<Vec<_>>(), [Some(how), Some(how)]);
        assert_eq!(team.task(&task.id).status, status, "{default}");
        let before = team.entries();
        team.kill();
        team.supervise(200);
        let grown = team.entries() - before;
        let open = usize::from(default == OperatorDefault::Wait);
        assert_eq!(
            team.inbox("operator").duties.len(),
            open,
            "{default}: it can still be answered, or is over"
        );
        if default == OperatorDefault::Wait {
            assert_eq!(grown, 0);
        }
    }
}

/// Who had a piece of work, one after the other, and the last task of it.
fn hands(team: &mut Team, first: &str) -> (Vec<String>, TaskView) {
    let mut task = team.task(first);
    let mut had = Vec::new();
    loop {
        had.extend(task.assignee.as_ref().map(|who| who.name.clone()));
        match task.successor.clone() {
            Some(next) => task = team.task(&next),
            None => return (had, task),
        }
    }
}

#[test]
fn silent_members_do_not_pass_work_to_and_fro_and_who_gave_it_is_told() {
    let mut team = Team::captain(|config| {
        config.ladder.operator_default = OperatorDefault::Reassign;
        config.ladder.operator_deadline_s = 30;
    });
    for name in ["member1", "member2", "member3"] {
        team.seat(name, SessionState::Busy);
    }
    let task = team.give("vice_captain1", "member1", "Parse", &[]);
    team.supervise(550);
    let (had, next) = hands(&mut team, &task.id);
    assert_eq!(had, ["member1", "member2"]);
    assert_eq!(next.assigner.name, "vice_captain1", "it stays the task of who gave it");
    assert_eq!(team.task(&task.id).notes, [], "nobody said anything");
    let mail = team.inbox("vice_captain1").items;
    let told = mail.iter().find(|mail| mail.subject.starts_with("reassigned: ")).unwrap();
    assert_eq!((told.from.name.as_str(), told.intent), ("system", Intent::Report));
    let reply =
        ask::MessageReply { message: told.id.clone(), body: Some("Fine".into()), ..Default::default() };
    assert_eq!(team.refused("vice_captain1", reply).code, "no_reply", "the program reads no mail");
    // member3 is in another squad: nobody is left who was not silent.
    team.supervise(3000);
    let (had, last) = hands(&mut team, &task.id);
    assert_eq!((had.len(), last.status), (2, TaskStatus::Assigned), "{had:?}");
    assert_eq!(team.inbox("operator").duties.len(), 1, "it goes on waiting, and can be answered");
}

#[test]
fn a_captain_gets_no_mail_about_what_the_default_made_of_its_work() {
    for default in [OperatorDefault::Reassign, OperatorDefault::Cancel] {
        let mut team = Team::captain(|config| {
            config.ladder.operator_default = default;
            config.ladder.operator_deadline_s = 30;
        });
        team.seat("vice_captain2", SessionState::Busy);
        let task = team.give("captain", "vice_captain1", "Parse", &[]);
        team.send("captain", "vice_captain1", Intent::Question, "Which port?");
        team.supervise(600);
        assert!(team.task(&task.id).status.is_closed(), "{default}");
        assert_eq!(team.inbox("captain").items, [], "{default}");
    }
}

#[test]
fn a_question_without_a_task_is_cancelled_and_who_asked_is_told() {
    let mut team = Team::captain(|config| {
        config.ladder.operator_default = OperatorDefault::Cancel;
        config.ladder.operator_deadline_s = 30;
    });
    team.send("member2", "member1", Intent::Question, "Which port?");
    team.supervise(600);
    assert_eq!(team.inbox("member1").duties, []);
    assert_eq!(team.inbox("operator").duties, []);
    let told = team.inbox("member2").items;
    assert!(told.iter().any(|mail| mail.subject.starts_with("Cancelled: ")), "{told:?}");
}

#[test]
fn who_answers_late_frees_the_people_above() {
    let mut team = Team::captain(|_| {});
    let asked = team.send("vice_captain1", "member1", Intent::Question, "Which port?");
    team.supervise(500);
    assert_eq!(team.inbox("operator").duties.len(), 1);
    team.ok(
        "member1",
        ask::MessageReply { message: asked.clone(), body: Some("8080".into()), ..Default::default() },
    );
    team.supervise(1);
    let escalations = team.read(&asked).escalations;
    assert!(escalations.iter().all(|e| e.concluded == Some(Conclusion::Settled)), "{escalations:?}");
    assert_eq!((team.inbox("operator").duties, team.inbox("vice_captain1").duties), (vec![], vec![]));
}

#[test]
fn what_an_agent_took_up_itself_does_not_climb_but_its_question_does() {
    let mut team = Team::captain(|_| {});
    let asked = team.send("member2", "member1", Intent::Question, "Which port?");
    let escalate =
        ask::MessageEscalate { message: asked.clone(), reason: "Not mine.".into(), ..Default::default() };
    let Answer::Sent(carrier) = team.ok("member1", escalate) else { panic!() };
    team.supervise(1000);
    let seen = team.read(&asked).escalations;
    let own: Vec<_> = seen.iter().filter(|e| e.agent.name == "member1").collect();
    assert_eq!(
        (own.len(), seen.len()),
        (1, 2),
        "it waits for its answer, and says how far its question went"
    );
    let up = team.read(&carrier.id).escalations;
    assert_eq!(
        up.iter().map(|e| e.to.name.as_str()).collect::<Vec<_>>(),
        ["operator"],
        "the vice captain's captain gets no mail"
    );
}

#[test]
fn what_nobody_owes_any_more_has_no_timer() {
    let mut team = Team::captain(|_| {});
    for n in 0..20 {
        let asked = team.send("vice_captain1", "member1", Intent::Question, &format!("{n}?"));
        if n % 2 == 0 {
            team.pass();
        }
        team.ok(
            "member1",
            ask::MessageReply { message: asked, body: Some("yes".into()), ..Default::default() },
        );
    }
    team.supervise(1);
    // Its replies wait for the vice captain, who is not there; nobody owes anything.
    let due = team.hub.store().read(|reader| reader.owed_without_timer(None, 9)).unwrap();
    assert_eq!(due, []);
    let before = team.entries();
    team.supervise(1000);
    assert_eq!(team.entries(), before);
}

#[test]
fn two_and_three_who_talk_in_circles_are_held_while_somebody_supervises() {
    for circle in [&["member1", "member2"][..], &["member1", "member2", "member3"][..]] {
        let mut team = Team::of(&TeamConfig::usual_captain("demo"));
        let first = team.send(circle[0], circle[1], Intent::Message, "ping 0");
        let held = (1..40).find(|n| {
            let (from, to) = (circle[n % circle.len()], circle[(n + 1) % circle.len()]);
            let params = ask::MessageSend {
                to: vec![to.into()],
                body: Some(format!("ping {n}")),
                thread: Some(first.clone()),
                ..Default::default()
            };
            let Answer::Sent(sent) = team.ok(from, params) else { panic!() };
            team.pass();
            sent.held.is_some()
        });
        assert_eq!(held, Some(20), "{circle:?}");
    }
}
