//! What answers and refusals say: that nothing changed, what helps, who is meant.

use interagent_core::refusal::RefusalKind;
use interagent_core::vocabulary::{Intent, TaskStatus, Via};
use interagent_wire::request as ask;
use interagent_wire::{Answer, Caller};

use crate::support::{Team, as_agent};

fn given(team: &mut Team, title: &str, to: &str) -> String {
    team.task(ask::TaskCreate { title: title.into(), assignee: Some(to.into()), ..Default::default() })
}

fn update(task: &str, status: TaskStatus) -> ask::TaskUpdate {
    ask::TaskUpdate { task: task.into(), status: Some(status), ..Default::default() }
}

#[test]
fn a_repeated_request_succeeds_and_says_that_it_did_nothing() {
    let mut team = Team::duo();
    let asked = team.send("claude", "kimi", Intent::Question, "Which port?", "?");
    team.ok(&as_agent("kimi"), ask::MessageSettle { message: asked.clone() });
    let settle = ask::MessageSettle { message: asked.clone() };
    assert_eq!(team.unchanged("kimi", settle), format!("{asked} was settled before (completed)"));

    let held = team.send("claude", "kimi", Intent::Message, "Wait", "wait");
    team.ok(&as_agent("claude"), ask::MessageHold { message: held.clone() });
    let hold = ask::MessageHold { message: held.clone() };
    assert_eq!(team.unchanged("claude", hold), format!("{held} is held already (asked)"));
    team.ok(&as_agent("claude"), ask::MessageRelease { message: held.clone() });
    let release = ask::MessageRelease { message: held.clone() };
    assert_eq!(team.unchanged("claude", release), format!("{held} was released before"));

    let Answer::Lease(lease) =
        team.ok(&as_agent("kimi"), ask::LeaseTake { paths: vec!["src".into()], ..Default::default() })
    else {
        panic!("no lease")
    };
    let release = ask::LeaseRelease { lease: lease.id.clone(), token: None };
    team.ok(&as_agent("kimi"), release.clone());
    assert_eq!(team.unchanged("kimi", release.clone()), format!("{} was given back before", lease.id));
    let force = ask::LeaseForce { lease: lease.id.clone(), reason: "now".into(), key: None };
    assert_eq!(team.unchanged("operator", force), format!("{} was given back before", lease.id));
    assert_eq!(team.refused(&as_agent("claude"), release).code, "not_yours", "also of one that is over");

    let task = given(&mut team, "Fix login", "kimi");
    team.move_task("kimi", &task, TaskStatus::InProgress);
    let again = update(&task, TaskStatus::InProgress);
    assert_eq!(team.unchanged("kimi", again), format!("{task} is in_progress already"));
    assert_eq!(
        team.unchanged("kimi", ask::TaskClaim { task: task.clone() }),
        format!("{task} is yours already")
    );
}

#[test]
fn a_request_that_never_made_sense_is_refused_with_what_would() {
    let mut team = Team::duo();
    let plain = team.send("claude", "kimi", Intent::Message, "Hello", "hello");
    let release = team.refused(&Caller::operator(), ask::MessageRelease { message: plain.clone() });
    assert_eq!((release.code.as_str(), release.sentence), ("not_held", format!("{plain} is not held")));
    let kimi = as_agent("kimi");
    for refusal in [
        team.refused(&kimi, ask::MessageSettle { message: plain.clone() }),
        team.refused(&kimi, ask::MessageAccept { message: plain.clone(), key: None }),
        team.refused(&kimi, ask::MessageDecline { message: plain.clone(), reason: None, key: None }),
    ] {
        assert_eq!(refusal.code, "nothing_owed");
        assert_eq!(refusal.sentence, format!("{plain} asks for nothing: nobody owes anything for it"));
    }
}

#[test]
fn who_acts_on_a_message_has_it_by_that_and_not_by_reading() {
    let mut team = Team::duo();
    let asked = team.send("claude", "kimi", Intent::Question, "Which port?", "?");
    team.ok(&as_agent("kimi"), ask::MessageDecline { message: asked.clone(), reason: None, key: None });
    let told: Vec<String> = team.history(&asked).steps.into_iter().map(|step| step.what).collect();
    assert_eq!(
        told[1..],
        ["delivered to kimi, who acted on it", "kimi acknowledged it", "kimi declined"],
        "{told:?}"
    );
    let Answer::Message(shown) =
        team.ok(&Caller::operator(), ask::MessageRead { message: asked, as_recipient: false })
    else {
        panic!("no message")
    };
    assert_eq!(shown.to[0].via, Some(Via::Action));
}

#[test]
fn the_history_of_a_message_tells_that_its_text_was_purged() {
    let mut team = Team::duo();
    let id = team.send("claude", "kimi", Intent::Message, "Access", "the password");
    let purge = ask::TextPurge { entity: id.clone(), reason: Some("leaked".into()), ..Default::default() };
    team.purge(&as_agent("claude"), purge).unwrap();
    team.ok(&as_agent("kimi"), ask::MessageAcknowledge { messages: vec![id.clone()], ..Default::default() });
    let steps = team.history(&id).steps;
    let told: Vec<&str> = steps.iter().map(|step| step.what.as_str()).collect();
    assert_eq!(told[1], "text deleted, with a reason", "once for two texts, at its place: {told:?}");
    assert_eq!((steps[1].by.name.as_str(), steps[1].why.as_deref()), ("claude", Some("leaked")));
    assert_eq!(told.len(), 4, "{told:?}");
}

#[test]
fn a_purge_names_what_a_recovery_put_aside() {
    let mut team = Team::duo();
    let id = team.send("claude", "kimi", Intent::Message, "Access", "the password");
    let purge = ask::TextPurge { entity: id, ..Default::default() };
    assert_eq!(team.remarks("claude", purge.clone()).1, Vec::<String>::new());
    let aside = team.hub.state_dir().join("damaged-1");
    std::fs::create_dir(&aside).unwrap();
    let notes = team.remarks("claude", purge).1;
    assert!(notes[0].ends_with(&format!("rm -r {}", aside.display())), "{notes:?}");
}

#[test]
fn what_a_retired_agent_leaves_finds_somebody() {
    let mut team = Team::duo();
    let begun = given(&mut team, "Fix login", "kimi");
    team.move_task("kimi", &begun, TaskStatus::InProgress);
    let new = given(&mut team, "Write docs", "kimi");
    let asked = team.send("claude", "kimi", Intent::Question, "Which port?", "?");
    team.ok(&Caller::operator(), ask::AgentRetire { agent: "kimi".into(), reason: None });
    team.clock.advance(std::time::Duration::from_secs(600));
    let summary = team.summary();
    let line = format!("Reassign 2 task(s) that nobody does: {begun}, {new}");
    assert_eq!(summary.headlines[0], line);
    assert_eq!(summary.commands[0], "interagent task reassign TASK --to NAME");
    let told: Vec<(String, String)> = summary
        .actions
        .into_iter()
        .map(|item| (format!("{} {}", item.agent.name, item.action), item.sentence))
        .collect();
    assert_eq!(
        told,
        [
            (
                "operator reassign".to_owned(),
                format!(
                    "Reassign \"Fix login\", left by kimi, who was retired (interagent task reassign {begun} --to NAME)."
                )
            ),
            (
                "operator reassign".to_owned(),
                format!(
                    "Reassign \"Write docs\", left by kimi, who was retired (interagent task reassign {new} --to NAME)."
                )
            ),
            (
                "operator answer".to_owned(),
                format!(
                    "Answer claude in place of kimi, who was retired: \"Which port?\" (interagent read {asked})."
                )
            ),
        ]
    );
}

#[test]
fn mail_to_a_retired_agent_is_refused_with_when_by_whom_and_who_is_there() {
    let mut team = Team::duo();
    team.ok(&Caller::operator(), ask::AgentRetire { agent: "kimi".into(), reason: None });
    let send =
        ask::MessageSend { to: vec!["kimi".into()], body: Some("there?".into()), ..Default::default() };
    let refusal = team.refused(&as_agent("claude"), send);
    assert_eq!((refusal.kind, refusal.code.as_str()), (RefusalKind::Refused, "retired"));
    assert_eq!(refusal.sentence, "kimi was retired by operator at 2026-11-05 21:40 UTC");
    assert_eq!(refusal.hint.as_deref(), Some("instead there is claude, operator"));
}

#[test]
fn the_team_says_which_seats_are_empty() {
    let mut team = Team::duo();
    assert_eq!(team.remarks("operator", ask::TeamShow {}).1, Vec::<String>::new());
    team.ok(&Caller::operator(), ask::AgentRetire { agent: "claude".into(), reason: None });
    let notes = team.remarks("operator", ask::TeamShow {}).1;
    assert!(notes[0].starts_with("the seat of claude (principal) is empty"), "{notes:?}");
}

#[test]
fn blocked_work_is_an_action_of_who_can_unblock_it() {
    let mut team = Team::duo();
    let task = given(&mut team, "Fix login", "kimi");
    team.move_task("kimi", &task, TaskStatus::Blocked);
    let create =
        ask::TaskCreate { title: "Sweep".into(), assignee: Some("kimi".into()), ..Default::default() };
    let Answer::Task(of_claude) = team.ok(&as_agent("claude"), create) else { panic!("no task") };
    team.move_task("kimi", &of_claude.id, TaskStatus::Blocked);
    let told: Vec<String> = team.summary().actions.into_iter().map(|item| item.sentence).collect();
    assert_eq!(
        told[0],
        format!("Unblock \"Fix login\" of kimi (interagent task show {task} says what is missing).")
    );
    let of_claude_too = "Tell claude to unblock \"Sweep\" of kimi";
    assert!(told.iter().any(|item| item.starts_with(of_claude_too)), "{told:?}");
    let briefing = team.briefing(&as_agent("claude"), None).text;
    let line = format!("Blocked, unblock it (1):\n- {} \"Sweep\" of kimi\n", of_claude.id);
    assert!(briefing.contains(&line), "{briefing}");
    assert!(!team.briefing(&as_agent("kimi"), None).text.contains("unblock it"));
}

#[test]
fn a_held_message_says_why_and_who_lets_it_go() {
    let mut team = Team::duo();
    let mut sent = None;
    for n in 0..200 {
        let params = ask::MessageSend {
            to: vec!["kimi".into()],
            body: Some(format!("again {n}")),
            ..Default::default()
        };
        let Answer::Sent(view) = team.ok(&as_agent("claude"), params) else { panic!("nothing was sent") };
        if view.held.is_some() {
            sent = Some(view);
            break;
        }
    }
    let sent = sent.unwrap();
    let hold = sent.hold.unwrap();
    assert_eq!(hold.why, "too many messages in a short time");
    assert_eq!(hold.released_by.iter().map(|who| who.name.as_str()).collect::<Vec<_>>(), ["operator"]);
    let Answer::Message(seen) =
        team.ok(&as_agent("claude"), ask::MessageRead { message: sent.id, as_recipient: false })
    else {
        panic!("no message")
    };
    assert_eq!(seen.hold.unwrap().why, hold.why, "also later");
}

#[test]
fn what_is_not_known_is_allowed_and_said() {
    let mut team = Team::duo();
    let publish = ask::SpecPublish { name: "api".into(), body: "a".into(), ..Default::default() };
    team.ok(&as_agent("claude"), publish.clone());
    assert_eq!(team.unchanged("claude", publish), "api says the same since version 1");
    let subscribe = ask::SpecSubscribe { name: "appi".into(), remove: false };
    let notes = team.remarks("kimi", subscribe.clone()).1;
    assert_eq!(
        notes,
        ["kimi hears of new versions of appi", "no spec appi is published yet; did you mean api?"]
    );
    assert_eq!(team.unchanged("kimi", subscribe), "kimi subscribed to appi before");

    let register = |profile: &str| ask::AgentRegister {
        name: "x".into(),
        profile: Some(profile.into()),
        ..Default::default()
    };
    let notes = team.remarks("operator", register("cluade")).1;
    assert_eq!(notes, ["cluade is no client that is known; did you mean claude?"]);
    assert_eq!(team.remarks("operator", register("generic")).1, Vec::<String>::new());
}

#[test]
fn a_prefix_of_a_letter_or_two_is_refused() {
    let mut team = Team::duo();
    team.send("claude", "kimi", Intent::Message, "Wal checkpoint", "w");
    let search = |text: &str| ask::Search { text: text.into(), ..Default::default() };
    for short in ["w*", "wa*", "checkpoint \"w\"*", "checkpoint -w*"] {
        let refusal = team.refused(&Caller::operator(), search(short));
        assert_eq!(refusal.code, "short_prefix", "{short}");
        assert_eq!(refusal.sentence, "a prefix has at least 3 letters before the *");
    }
    assert_eq!(team.search(search("che*")).items.len(), 1);
    assert_eq!(team.search(search("w")).items.len(), 1, "a whole word may be short");
}
