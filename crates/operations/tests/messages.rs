//! Messages through the hub: sending, handing over, settling, holding, escalating.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test stops at the first surprise")]

use std::sync::Arc;
use std::time::Duration;

use interagent_core::phrasing::Dialect;
use interagent_core::refusal::{Refusal, RefusalKind};
use interagent_core::team::{Role, Seat, TeamConfig, render};
use interagent_core::vocabulary::{AgentState, DeliveryState, Duty, HoldReason, Intent, TaskStatus};
use interagent_operations::{Hub, LocalHub, Opening, WaitFor, Waited};
use interagent_store::ManualClock;
use interagent_wire::answer::{HandoverView, InboxView, MessageView, SentView};
use interagent_wire::request as ask;
use interagent_wire::{Answer, Caller, CallerProcess, Request, Time};

struct Team {
    hub: LocalHub,
    clock: Arc<ManualClock>,
    _dir: tempfile::TempDir,
}

impl Team {
    fn duo() -> Self {
        Self::of(&TeamConfig::usual_duo("demo"))
    }

    fn captain() -> Self {
        Self::of(&TeamConfig::usual_captain("demo"))
    }

    fn of(config: &TeamConfig) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let clock = Arc::new(ManualClock::new(1_793_914_800_000_000));
        let opening = Opening {
            hub_dir: dir.path().to_owned(),
            create: true,
            alias: "here".into(),
            hub_id: None,
            user_dir: None,
        };
        let hub = LocalHub::open_with_clock(&opening, clock.clone()).unwrap();
        let mut team = Self { hub, clock, _dir: dir };
        team.ok(&Caller::operator(), ask::TeamTake { text: render(config) });
        team
    }

    fn try_call(&mut self, caller: &Caller, request: impl Into<Request>) -> Result<Answer, Refusal> {
        // Time passes between two calls.
        self.clock.advance(Duration::from_millis(1));
        self.hub.call(caller, request.into()).map(|reply| reply.answer)
    }

    fn ok(&mut self, caller: &Caller, request: impl Into<Request>) -> Answer {
        self.try_call(caller, request).unwrap()
    }

    fn refused(&mut self, caller: &Caller, request: impl Into<Request>) -> Refusal {
        let before = self.hub.store().head().unwrap();
        let refusal = self.try_call(caller, request).unwrap_err();
        assert_eq!(self.hub.store().head().unwrap(), before, "a refusal leaves nothing in the log");
        refusal
    }

    fn send(&mut self, from: &str, to: &str, intent: Intent, body: &str) -> SentView {
        let params = ask::MessageSend {
            to: vec![to.into()],
            intent: Some(intent),
            body: Some(body.into()),
            ..Default::default()
        };
        match self.ok(&as_agent(from), params) {
            Answer::Sent(sent) => sent,
            other => panic!("{other:?}"),
        }
    }

    fn read(&mut self, id: &str) -> MessageView {
        match self.ok(&Caller::operator(), ask::MessageRead { message: id.into(), as_recipient: false }) {
            Answer::Message(message) => message,
            other => panic!("{other:?}"),
        }
    }

    fn inbox(&mut self, agent: &str) -> InboxView {
        let params = ask::MessageInbox { agent: Some(agent.into()), ..Default::default() };
        match self.ok(&Caller::operator(), params) {
            Answer::Inbox(inbox) => inbox,
            other => panic!("{other:?}"),
        }
    }

    fn take(&mut self, caller: &Caller) -> HandoverView {
        match self.ok(caller, ask::OfferTake::default()) {
            Answer::Handover(handover) => handover,
            other => panic!("{other:?}"),
        }
    }
}

fn as_agent(name: &str) -> Caller {
    if name == "operator" { Caller::operator() } else { Caller::agent(name) }
}

fn in_session(name: &str, session: &str) -> Caller {
    Caller { session: Some(session.into()), ..Caller::agent(name) }
}

#[test]
fn what_one_prompt_does_not_hold_is_not_offered() {
    let mut team = Team::duo();
    for n in 0..10 {
        team.send("claude", "kimi", Intent::Message, &format!("{n} {}", "x".repeat(6000)));
    }
    let one_prompt = ask::OfferTake { one_prompt: true, ..Default::default() };
    let Answer::Handover(taken) = team.ok(&in_session("kimi", "s1"), one_prompt) else { panic!() };
    assert_eq!(
        taken.items.len(),
        interagent_operations::letters::letters(&taken.items, Dialect::Shell).len()
    );
    assert_eq!((taken.items.len(), taken.unread), (4, 10));
    assert_eq!(team.take(&in_session("kimi", "s2")).items.len(), 6);
}

#[test]
fn a_question_is_owed_until_it_is_answered() {
    let mut team = Team::duo();
    let question = team.send("claude", "kimi", Intent::Question, "Which middleware?");
    let inbox = team.inbox("kimi");
    assert_eq!((inbox.unread, inbox.duties.len()), (1, 1));
    assert_eq!(inbox.items[0].subject, "Which middleware?");
    assert_eq!(inbox.duties[0].duty, Duty::Answer);

    let reply = ask::MessageReply {
        message: question.id.clone(),
        body: Some("authMiddleware".into()),
        ..Default::default()
    };
    team.ok(&Caller::agent("kimi"), reply);
    let told = team.read(&question.id);
    assert_eq!(told.to[0].state, DeliveryState::Done);
    assert!(!told.to[0].owed);
    assert_eq!(team.inbox("kimi").duties, []);
    assert_eq!(team.inbox("claude").items[0].subject, "Re: Which middleware?");
    assert_eq!(team.inbox("claude").items[0].thread, question.thread);
}

#[test]
fn looking_changes_nothing() {
    let mut team = Team::duo();
    let sent = team.send("claude", "kimi", Intent::Message, "hello there");
    let head = team.hub.store().head().unwrap();
    for _ in 0..3 {
        team.inbox("kimi");
        team.read(&sent.id);
        let mine = ask::MessageInbox::default();
        team.ok(&Caller::agent("kimi"), mine);
        team.ok(&Caller::operator(), ask::MessageList::default());
        team.ok(&Caller::operator(), ask::StatusSet::default());
    }
    // The operator's status is the only thing said above.
    assert_eq!(team.hub.store().head().unwrap().seq, head.seq + 1);
    assert_eq!(team.read(&sent.id).to[0].state, DeliveryState::Queued);
}

#[test]
fn a_hand_over_is_offered_then_delivered_and_never_to_two_sessions() {
    let mut team = Team::duo();
    let sent = team.send("claude", "kimi", Intent::Message, "one for kimi");
    let (first, second) = (in_session("kimi", "s1"), in_session("kimi", "s2"));
    assert_eq!(team.take(&first).items.len(), 1);
    assert_eq!(team.take(&second).items.len(), 0);
    assert!(team.read(&sent.id).to[0].offered);
    assert_eq!(team.read(&sent.id).to[0].state, DeliveryState::Queued, "an offer is not a delivery");

    team.ok(&first, ask::OfferConfirm::default());
    let seen = team.read(&sent.id);
    assert_eq!(seen.to[0].state, DeliveryState::Delivered);
    assert_eq!(seen.to[0].redelivered, 0);
    assert_eq!(team.take(&first).items.len(), 0, "what was delivered is not taken again");
}

#[test]
fn an_offer_without_evidence_lapses_and_the_same_message_comes_again() {
    let mut team = Team::duo();
    let sent = team.send("claude", "kimi", Intent::Message, "lost once");
    let (first, second) = (in_session("kimi", "s1"), in_session("kimi", "s2"));
    team.take(&first);
    team.clock.advance(Duration::from_secs(59));
    assert_eq!(team.take(&second).items.len(), 0);
    team.clock.advance(Duration::from_secs(2));
    let again = team.take(&second);
    assert_eq!(again.items[0].id, sent.id);
    team.ok(&second, ask::OfferConfirm::default());
    assert_eq!(team.read(&sent.id).to[0].redelivered, 1);
}

#[test]
fn a_step_of_the_wall_clock_does_not_end_an_offer() {
    let mut team = Team::duo();
    team.send("claude", "kimi", Intent::Message, "steady");
    team.take(&in_session("kimi", "s1"));
    team.clock.step_wall(3_600_000_000);
    assert_eq!(team.take(&in_session("kimi", "s2")).items.len(), 0);
}

#[test]
fn ack_without_hand_over_says_so() {
    let mut team = Team::duo();
    let notes = |team: &mut Team, id: &str| {
        let ack = ask::MessageAcknowledge { messages: vec![id.to_owned()], ..Default::default() };
        team.hub.call(&in_session("kimi", "s1"), ack.into()).unwrap().notes
    };
    let blind = team.send("claude", "kimi", Intent::Message, "unseen").id;
    let said = format!("{blind} had not been handed over to kimi: interagent read {blind} shows it");
    assert_eq!(notes(&mut team, &blind), [said]);
    assert_eq!(notes(&mut team, &blind), Vec::<String>::new(), "once");
    let offered = team.send("claude", "kimi", Intent::Message, "seen").id;
    team.take(&in_session("kimi", "s1"));
    assert_eq!(notes(&mut team, &offered), Vec::<String>::new());
}

#[test]
fn only_the_recipient_acknowledges_and_never_without_delivery() {
    let mut team = Team::duo();
    let sent = team.send("claude", "kimi", Intent::Message, "read me");
    let ack = || ask::MessageAcknowledge { messages: vec![sent.id.clone()], ..Default::default() };
    assert_eq!(team.refused(&Caller::agent("claude"), ack()).code, "not_yours");
    team.ok(&Caller::agent("kimi"), ack());
    let read = team.read(&sent.id);
    assert_eq!(read.to[0].state, DeliveryState::Acknowledged);
    assert!(read.to[0].delivered.is_some());
    let head = team.hub.store().head().unwrap();
    team.ok(&Caller::agent("kimi"), ack());
    assert_eq!(team.hub.store().head().unwrap(), head, "acknowledged once");
}

#[test]
fn unknown_recipients_are_refused_with_the_names_that_work() {
    let mut team = Team::duo();
    let params = ask::MessageSend { to: vec!["kimmi".into()], body: Some("x".into()), ..Default::default() };
    let refusal = team.refused(&Caller::agent("claude"), params);
    assert_eq!(refusal.code, "no_such_agent");
    assert_eq!(refusal.hint.as_deref(), Some("there is operator, claude, kimi"));
}

#[test]
fn the_same_key_sends_once_and_another_request_is_a_conflict() {
    let mut team = Team::duo();
    let params = ask::MessageSend {
        to: vec!["kimi".into()],
        body: Some("only once".into()),
        key: Some("k1".into()),
        ..Default::default()
    };
    let first = team.ok(&Caller::agent("claude"), params.clone());
    assert_eq!(team.ok(&Caller::agent("claude"), params.clone()), first);
    assert_eq!(team.inbox("kimi").unread, 1);
    let other = ask::MessageSend { body: Some("something else".into()), ..params.clone() };
    assert_eq!(team.refused(&Caller::agent("claude"), other).code, "key_conflict");
    // The key is its actor's own.
    let to_claude = ask::MessageSend { to: vec!["claude".into()], ..params };
    team.ok(&Caller::agent("kimi"), to_claude);
}

#[test]
fn agents_that_talk_in_circles_are_held_and_a_person_lets_them_go() {
    let mut team = Team::duo();
    let mut last = team.send("claude", "kimi", Intent::Message, "ping 0");
    let mut held = None;
    for n in 1..40 {
        let from = if n % 2 == 1 { "kimi" } else { "claude" };
        let params = ask::MessageReply {
            message: last.id.clone(),
            body: Some(format!("ping {n}")),
            ..Default::default()
        };
        let Answer::Sent(sent) = team.ok(&as_agent(from), params) else { panic!() };
        last = sent;
        if last.held.is_some() {
            held = Some((n, last.held));
            break;
        }
    }
    assert_eq!(held, Some((20, Some(HoldReason::Hops))));
    let release = || ask::MessageRelease { message: last.id.clone() };
    assert_eq!(team.refused(&Caller::agent("claude"), release()).code, "release_needs_operator");
    team.ok(&Caller::operator(), release());
    assert_eq!(team.read(&last.id).held, None);
}

#[test]
fn a_pair_that_writes_too_much_is_held_also_in_new_threads() {
    let mut team = Team::duo();
    let held: Vec<usize> = (0..35)
        .filter(|n| team.send("claude", "kimi", Intent::Message, &format!("note {n}")).held.is_some())
        .collect();
    assert_eq!(held.first(), Some(&30));
    team.clock.advance(Duration::from_secs(600));
    assert_eq!(team.send("claude", "kimi", Intent::Message, "later").held, None);
}

#[test]
fn a_bare_acknowledgement_wakes_nobody() {
    let mut team = Team::duo();
    let sent = team.send("claude", "kimi", Intent::Message, "Thanks!");
    assert!(team.read(&sent.id).quiet);
    let sent = team.send("claude", "kimi", Intent::Question, "ok?");
    assert!(!team.read(&sent.id).quiet);
}

#[test]
fn bare_yes_to_a_question_wakes_the_asker() {
    for answerer in ["kimi", "operator"] {
        let mut team = Team::duo();
        let question = team.send("claude", "kimi", Intent::Question, "Shall I deploy?");
        let yes = ask::MessageReply {
            message: question.id.clone(),
            body: Some("yes".into()),
            ..Default::default()
        };
        let Answer::Sent(first) = team.ok(&as_agent(answerer), yes.clone()) else { panic!() };
        assert!(!team.read(&first.id).quiet, "{answerer}");
        // The question is answered: a second one says nothing new.
        let Answer::Sent(second) = team.ok(&as_agent(answerer), yes) else { panic!() };
        assert!(team.read(&second.id).quiet, "{answerer}");
    }
}

#[test]
fn operator_answers_a_plain_question_like_an_escalation() {
    let mut team = Team::duo();
    let question = team.send("claude", "operator", Intent::Question, "Which colour?");
    let params = ask::MessageAnswer { message: question.id, body: "red".into(), ..Default::default() };
    team.ok(&Caller::operator(), params);
    assert_eq!(team.inbox("operator").duties, []);
    assert_eq!(team.inbox("claude").items[0].subject, "Re: Which colour?");
}

#[test]
fn settling_a_question_without_an_answer_tells_the_asker() {
    let mut team = Team::duo();
    let question = team.send("claude", "kimi", Intent::Question, "Which port?");
    let settle = ask::MessageSettle { message: question.id.clone() };
    team.ok(&as_agent("kimi"), settle);
    let told = team.inbox("claude").items.pop().unwrap();
    assert_eq!(team.read(&told.id).body.as_deref(), Some("Settled without an answer."));
    assert_eq!((told.thread, team.inbox("kimi").duties), (question.thread, Vec::new()));
}

#[test]
fn answer_from_above_starts_no_work() {
    let mut team = Team::duo();
    let params =
        ask::TaskCreate { title: "Port".into(), assignee: Some("kimi".into()), ..Default::default() };
    team.ok(&as_agent("claude"), params);
    let delegation = team.inbox("kimi").duties[0].message.clone();
    let escalate =
        ask::MessageEscalate { message: delegation.clone(), reason: "unclear".into(), ..Default::default() };
    team.ok(&as_agent("kimi"), escalate);
    let answer = ask::MessageAnswer { message: delegation, body: "go on".into(), ..Default::default() };
    team.ok(&Caller::operator(), answer);
    assert_eq!(team.inbox("kimi").duties[0].duty, Duty::Start);
}

#[test]
fn declining_tells_the_sender() {
    let mut team = Team::duo();
    let decline = |message: &str, reason: Option<&str>| ask::MessageDecline {
        message: message.into(),
        reason: reason.map(Into::into),
        key: None,
    };
    let question = team.send("claude", "kimi", Intent::Question, "Which port?");
    team.ok(&as_agent("kimi"), decline(&question.id, None));
    team.ok(&as_agent("kimi"), decline(&question.id, None));
    let inbox = team.inbox("claude");
    let told = &inbox.items[0];
    assert_eq!((inbox.items.len(), inbox.duties.len()), (1, 0));
    assert_eq!(
        (told.subject.as_str(), told.intent, told.quiet),
        ("Re: Which port?", Intent::ContextShare, false)
    );
    assert_eq!((team.read(&told.id).body.as_deref(), &told.thread), (Some("Declined."), &question.thread));

    // The work is still to be done: the assigner owes the next step.
    let params =
        ask::TaskCreate { title: "Port".into(), assignee: Some("kimi".into()), ..Default::default() };
    let Answer::Task(task) = team.ok(&as_agent("claude"), params) else { panic!() };
    let delegation = team.inbox("kimi").duties[0].message.clone();
    team.ok(&as_agent("kimi"), decline(&delegation, Some("busy")));
    let told = team.inbox("claude").items.pop().unwrap();
    assert_eq!((told.intent, told.task.as_deref()), (Intent::Blocked, Some(task.id.as_str())));
    assert_eq!(team.read(&told.id).body.as_deref(), Some("Declined: busy"));
    assert_eq!(team.inbox("claude").duties[0].duty, Duty::Unblock);
    let reassign = ask::TaskReassign { task: task.id, to: "claude".into(), ..Default::default() };
    team.ok(&as_agent("claude"), reassign);
    assert_eq!(team.inbox("claude").duties, []);
}

#[test]
fn the_chain_of_command_holds_and_says_the_way() {
    let mut team = Team::captain();
    let to = |name: &str| ask::MessageSend {
        to: vec![name.into()],
        body: Some("hello".into()),
        ..Default::default()
    };
    for (from, name) in [
        ("member1", "captain"),
        ("vice_captain1", "captain"),
        ("member1", "operator"),
        ("captain", "member1"),
    ] {
        let refusal = team.refused(&as_agent(from), to(name));
        assert_eq!(refusal.code, "chain_of_command", "{from} -> {name}");
        assert!(refusal.hint.is_some());
    }
    for (from, name) in [
        ("captain", "vice_captain1"),
        ("vice_captain1", "member1"),
        ("member1", "vice_captain1"),
        ("member1", "member2"),
        ("operator", "member1"),
    ] {
        team.ok(&as_agent(from), to(name));
    }
}

#[test]
fn who_was_asked_may_answer_and_a_captain_is_not_interrupted_by_it() {
    let mut team = Team::captain();
    for (asker, asked, is_quiet) in
        [("captain", "vice_captain1", true), ("operator", "member1", false), ("operator", "captain", false)]
    {
        let question = team.send(asker, asked, Intent::Question, "How far is it?");
        let reply = ask::MessageReply {
            message: question.id.clone(),
            body: Some("Half of it works.".into()),
            ..Default::default()
        };
        let Answer::Sent(sent) = team.ok(&as_agent(asked), reply.clone()) else { panic!() };
        assert_eq!(team.inbox(asked).duties, [], "{asked}");
        assert_eq!(team.read(&sent.id).quiet, is_quiet, "{asked} -> {asker}");
        // An answer was given: more words go the usual way.
        let more = team.try_call(&as_agent(asked), reply);
        assert_eq!(more.is_err(), asked != "captain", "{asked} -> {asker}: {more:?}");
    }
    let question = team.send("captain", "vice_captain1", Intent::Question, "How far is it?");
    let orders = ask::MessageReply {
        message: question.id,
        intent: Some(Intent::Delegation),
        body: Some("Do it yourself.".into()),
        ..Default::default()
    };
    assert_eq!(team.refused(&as_agent("vice_captain1"), orders).code, "chain_of_command");
}

#[test]
fn an_escalation_reaches_the_operator_and_its_answer_settles_the_matter() {
    let mut team = Team::duo();
    let asked = team.send("claude", "kimi", Intent::Question, "Which licence?");
    let escalate = ask::MessageEscalate {
        message: asked.id.clone(),
        reason: "I can't decide that. Tried: reading LICENSE.".into(),
        ..Default::default()
    };
    let Answer::Sent(carrier) = team.ok(&Caller::agent("kimi"), escalate) else { panic!() };
    assert_eq!(carrier.to[0].name, "operator");
    assert_eq!(team.inbox("operator").duties.len(), 1);
    let answer = ask::MessageAnswer { message: carrier.id, body: "MIT".into(), key: None };
    team.ok(&Caller::operator(), answer.clone());
    assert_eq!(team.inbox("operator").duties, []);
    assert_eq!(team.inbox("kimi").duties, []);
    let seen = team.read(&asked.id);
    assert!(seen.escalations[0].answer.is_some());
    assert_eq!(team.inbox("kimi").items.last().unwrap().body, None);
    assert_eq!(team.refused(&Caller::operator(), answer).code, "answered");
}

#[test]
fn a_reply_to_an_escalation_reaches_everybody_the_answer_reaches() {
    let mut team = Team::duo();
    let asked = team.send("claude", "kimi", Intent::Question, "Which licence?");
    let escalate =
        ask::MessageEscalate { message: asked.id.clone(), reason: "Not mine.".into(), ..Default::default() };
    let Answer::Sent(carrier) = team.ok(&Caller::agent("kimi"), escalate) else { panic!() };
    let reply = |body: &str| ask::MessageReply {
        message: carrier.id.clone(),
        body: Some(body.into()),
        ..Default::default()
    };
    let names = |sent: &SentView| sent.to.iter().map(|who| who.name.clone()).collect::<Vec<_>>();

    // Who could not go on adds to its own words: that is no answer, also when a person types it.
    let as_kimi = Caller { behalf: Some("kimi".into()), ..Caller::operator() };
    for caller in [Caller::agent("kimi"), as_kimi] {
        let Answer::Sent(more) = team.ok(&caller, reply("It is urgent.")) else { panic!() };
        assert_eq!(names(&more), ["operator"]);
        assert_eq!(team.read(&asked.id).escalations[0].answer, None);
    }

    let Answer::Sent(sent) = team.ok(&Caller::operator(), reply("MIT")) else { panic!() };
    let mut told = names(&sent);
    told.sort();
    assert_eq!(told, ["claude", "kimi"]);
    assert_eq!(team.read(&asked.id).escalations[0].answer, Some(sent.id.clone()));
    assert!(team.inbox("claude").items.iter().any(|item| item.id == sent.id), "who asked hears it");
    assert_eq!((team.inbox("kimi").duties, team.inbox("operator").duties.len()), (vec![], 0));
}

#[test]
fn an_answer_reaches_whoever_asked_and_ends_the_duty_of_who_was_asked() {
    let mut team = Team::captain();
    let escalated = |team: &mut Team, asker: &str| {
        let asked = team.send(asker, "member2", Intent::Question, "Which licence?");
        let params =
            ask::MessageEscalate { message: asked.id, reason: "Not mine.".into(), ..Default::default() };
        let Answer::Sent(carrier) = team.ok(&Caller::agent("member2"), params) else { panic!() };
        assert_eq!(team.inbox("vice_captain1").duties.len(), 1);
        ask::MessageReply { message: carrier.id, body: Some("MIT".into()), ..Default::default() }
    };
    // A vice captain does not write to the operator; but what the operator asked is answered to the operator.
    let reply = escalated(&mut team, "operator");
    let Answer::Sent(sent) = team.ok(&Caller::agent("vice_captain1"), reply) else { panic!() };
    let mut told: Vec<&str> = sent.to.iter().map(|who| who.name.as_str()).collect();
    told.sort_unstable();
    assert_eq!(told, ["member2", "operator"]);
    assert_eq!(team.inbox("vice_captain1").duties, []);

    let reply = escalated(&mut team, "member1");
    let Answer::Sent(sent) = team.ok(&Caller::operator(), reply) else { panic!() };
    assert_eq!(sent.to.len(), 3, "those who asked, and the one in whose place the operator answers");
    assert_eq!(team.inbox("vice_captain1").duties, [], "the operator answered in its place");
}

/// How an answer is given: by its own verb, or as a reply to what carries the question.
fn answers(carrier: &str, text: &str) -> [Request; 2] {
    let (message, body) = (carrier.to_owned(), text.to_owned());
    let answer = ask::MessageAnswer { message: message.clone(), body: body.clone(), key: None };
    let reply = ask::MessageReply { message, body: Some(body), ..Default::default() };
    [answer.into(), reply.into()]
}

/// Escalates each step of a matter and says which messages carry it: the last one is the question at the top.
fn take_up(team: &mut Team, asked: &str, by: &[&str]) -> Vec<String> {
    let mut at = asked.to_owned();
    let up = |name: &&str| {
        let params =
            ask::MessageEscalate { message: at.clone(), reason: "No idea.".into(), ..Default::default() };
        let Answer::Sent(carrier) = team.ok(&as_agent(name), params) else { panic!() };
        at.clone_from(&carrier.id);
        carrier.id
    };
    by.iter().map(up).collect()
}

#[test]
fn an_answer_at_the_top_settles_every_step_below_and_is_heard_once_by_everybody() {
    for way in 0..2 {
        let mut team = Team::captain();
        let asked = team.send("member2", "member1", Intent::Question, "Which port?");
        let up = take_up(&mut team, &asked.id, &["member1", "vice_captain1"]);
        let [_, top] = up.as_slice() else { panic!() };
        assert_eq!(team.inbox("operator").duties.len(), 1);
        let Answer::Sent(sent) = team.ok(&Caller::operator(), answers(top, "8080")[way].clone()) else {
            panic!()
        };
        for who in ["member1", "member2", "vice_captain1"] {
            assert_eq!(team.inbox(who).duties, [], "{who}");
            let heard = team.inbox(who).items.into_iter().filter(|mail| mail.from.name == "operator");
            assert_eq!(heard.map(|mail| mail.id).collect::<Vec<_>>(), vec![sent.id.clone()], "{who}");
        }
        assert_eq!(team.inbox("operator").duties, []);
        for id in [&asked.id, &up[0]] {
            assert_eq!(team.read(id).escalations[0].answer, Some(sent.id.clone()), "{id}");
        }
    }
}

#[test]
fn what_goes_up_carries_the_question_and_every_reason_on_the_way() {
    let mut team = Team::captain();
    let question = format!("Which port?\n\nBoth are free.\n{}", "and more\n".repeat(40));
    let asked = team.send("vice_captain1", "member1", Intent::Question, &question);
    let mut at = asked.id.clone();
    for (name, reason) in [("member1", "I can't decide\nthat."), ("vice_captain1", "Me neither.")] {
        let params = ask::MessageEscalate { message: at, reason: reason.into(), ..Default::default() };
        let Answer::Sent(carrier) = team.ok(&as_agent(name), params) else { panic!() };
        at = carrier.id;
    }
    let body = team.read(&at).body.unwrap();
    assert!(body.starts_with("Me neither.\n\nBefore that, member1: I can't decide that.\n"), "{body}");
    let from = format!("\n{}, from vice_captain1:\n> Which port?\n> Both are free.\n> and more\n", asked.id);
    assert!(body.contains(&from) && body.ends_with("> and more\n> …"), "{body}");
    assert!(body.lines().count() < 20, "it is bounded: {body}");
    let went_to: Vec<String> = team.read(&asked.id).escalations.into_iter().map(|e| e.to.name).collect();
    assert_eq!(went_to, ["vice_captain1", "operator"]);
}

#[test]
fn a_second_answer_is_refused_however_it_is_given() {
    let mut team = Team::captain();
    let asked = team.send("member2", "member1", Intent::Question, "Which port?");
    let up = take_up(&mut team, &asked.id, &["member1", "vice_captain1"]);
    let Answer::Sent(sent) = team.ok(&Caller::operator(), answers(&up[1], "8080")[1].clone()) else {
        panic!()
    };
    for carrier in &up {
        for second in answers(carrier, "9090") {
            let refusal = team.refused(&Caller::operator(), second);
            assert_eq!(refusal.code, "answered");
            assert!(refusal.hint.unwrap().contains(&sent.id), "it says where more can be said");
        }
    }
    // More words go to everybody who got the first ones.
    let Answer::Sent(more) = team.ok(&Caller::operator(), answers(&sent.id, "And 9090.")[1].clone()) else {
        panic!()
    };
    assert_eq!(more.to.len(), sent.to.len());
}

#[test]
fn an_answer_comes_down_a_long_chain_of_command_at_once() {
    let mut config = TeamConfig::usual_captain("demo");
    let profile = config.agents.values().next().unwrap().profile.clone();
    for (name, role, up) in [
        ("lead", Role::ViceCaptain, "vice_captain1"),
        ("a", Role::Member, "lead"),
        ("b", Role::Member, "lead"),
    ] {
        let seat = Seat { reports_to: Some(up.parse().unwrap()), ..Seat::new(profile.clone(), role) };
        config.agents.insert(name.parse().unwrap(), seat);
    }
    let mut team = Team::of(&config);
    let asked = team.send("b", "a", Intent::Question, "Which port?");
    let up = take_up(&mut team, &asked.id, &["a", "lead"]);
    // The vice captain writes one step down, and answers all the way: the matter came up step by step.
    let Answer::Sent(sent) = team.ok(&as_agent("vice_captain1"), answers(&up[1], "8080")[1].clone()) else {
        panic!()
    };
    let mut told: Vec<&str> = sent.to.iter().map(|who| who.name.as_str()).collect();
    told.sort_unstable();
    assert_eq!(told, ["a", "b", "lead"]);
    for who in ["a", "b", "lead", "vice_captain1"] {
        assert_eq!(team.inbox(who).duties, [], "{who}");
    }
}

#[test]
fn who_answers_after_passing_a_matter_on_frees_the_people_above() {
    let mut team = Team::captain();
    let asked = team.send("member2", "member1", Intent::Question, "Which port?");
    let up = take_up(&mut team, &asked.id, &["member1", "vice_captain1"]);
    team.ok(&as_agent("vice_captain1"), answers(&up[0], "8080")[1].clone());
    for who in ["member1", "member2", "vice_captain1", "operator"] {
        assert_eq!(team.inbox(who).duties, [], "{who}");
    }
    // The operator speaks to the matter itself, and not to the question that lies in front of it.
    let asked = team.send("member2", "member1", Intent::Question, "Which host?");
    take_up(&mut team, &asked.id, &["member1", "vice_captain1"]);
    team.ok(&Caller::operator(), answers(&asked.id, "::1")[0].clone());
    for who in ["member1", "member2", "vice_captain1", "operator"] {
        assert_eq!(team.inbox(who).duties, [], "{who}");
    }
}

#[test]
fn an_answer_ends_nothing_of_another_recipient_of_the_same_question() {
    let mut team = Team::captain();
    let params = ask::MessageSend {
        to: vec!["member1".into(), "member3".into()],
        intent: Some(Intent::Question),
        body: Some("How far are you?".into()),
        ..Default::default()
    };
    let Answer::Sent(asked) = team.ok(&as_agent("vice_captain1"), params) else { panic!() };
    let [one, _other] = ["member1", "member3"].map(|who| take_up(&mut team, &asked.id, &[who]).remove(0));
    team.ok(&as_agent("vice_captain1"), answers(&one, "Never mind.")[0].clone());
    assert_eq!((team.inbox("member1").duties.len(), team.inbox("member3").duties.len()), (0, 1));
    assert_eq!(team.inbox("vice_captain1").duties.len(), 1);
}

#[test]
fn operators_answer_settles_question_for_all() {
    let everybody = |team: &mut Team| {
        let params = ask::MessageSend {
            to: vec!["member1".into(), "member3".into()],
            intent: Some(Intent::Question),
            body: Some("Which port?".into()),
            ..Default::default()
        };
        let Answer::Sent(asked) = team.ok(&as_agent("vice_captain1"), params) else { panic!() };
        asked.id
    };
    for escalated_by in [&["member1"][..], &["member1", "member3"]] {
        let mut team = Team::captain();
        let asked = everybody(&mut team);
        for who in escalated_by {
            take_up(&mut team, &asked, &[who]);
        }
        team.ok(&Caller::operator(), answers(&asked, "8080")[0].clone());
        for who in ["member1", "member3", "vice_captain1", "operator"] {
            assert_eq!(team.inbox(who).duties, [], "{who}, {escalated_by:?}");
        }
        let heard = team.inbox("member3").items.into_iter().filter(|mail| mail.from.name == "operator");
        assert_eq!(heard.count(), 1, "{escalated_by:?}");
    }
}

#[test]
fn answer_ends_blocked_status() {
    let state = |team: &mut Team| {
        let Answer::Board(board) = team.ok(&Caller::operator(), ask::StatusBoard {}) else { panic!() };
        let row = board.rows.into_iter().find(|row| row.agent.name == "kimi").unwrap();
        row.agent.status.map(|status| (status.state, status.text))
    };
    let mut team = Team::duo();
    let stuck = team.send("kimi", "claude", Intent::Blocked, "No database");
    let blocked = Some((AgentState::Blocked, Some("No database".to_owned())));
    assert_eq!(state(&mut team), blocked);
    let reply = |id: &str| ask::MessageReply {
        message: id.into(),
        body: Some("Start it with make db.".into()),
        ..Default::default()
    };
    team.ok(&as_agent("claude"), reply(&stuck.id));
    assert_eq!(state(&mut team), Some((AgentState::Working, None)));

    // By the operator in claude's place, or through an escalation, too.
    for escalated in [false, true] {
        let stuck = team.send("kimi", "claude", Intent::Blocked, "No database");
        assert_eq!(state(&mut team), blocked);
        if escalated {
            take_up(&mut team, &stuck.id, &["claude"]);
        }
        team.ok(&Caller::operator(), reply(&stuck.id));
        assert_eq!(state(&mut team), Some((AgentState::Working, None)), "{escalated}");
    }

    // What kimi said since stays.
    let stuck = team.send("kimi", "claude", Intent::Blocked, "No database");
    let status = ask::StatusSet {
        state: Some(AgentState::Working),
        text: Some("the docs".into()),
        ..Default::default()
    };
    team.ok(&as_agent("kimi"), status);
    team.ok(&as_agent("claude"), reply(&stuck.id));
    assert_eq!(state(&mut team), Some((AgentState::Working, Some("the docs".to_owned()))));
}

#[test]
fn the_answer_to_who_asked_ends_its_question_for_everybody() {
    // The member is silent, or took the question up itself before; then who asked takes its own question further up.
    for by_member in [None, Some("member1")] {
        let mut team = Team::captain();
        let asked = team.send("vice_captain1", "member1", Intent::Question, "Which db?");
        for who in by_member.into_iter().chain(["vice_captain1"]) {
            take_up(&mut team, &asked.id, &[who]);
        }
        let answer = |text: &str| answers(&asked.id, text)[0].clone();
        team.ok(&Caller::operator(), answer("sqlite"));
        for who in ["member1", "vice_captain1", "operator"] {
            assert_eq!(team.inbox(who).duties, [], "{who}, {by_member:?}");
        }
        for who in ["member1", "vice_captain1"] {
            let heard = team.inbox(who).items.into_iter().filter(|mail| mail.from.name == "operator");
            assert_eq!(heard.count(), 1, "{who}, {by_member:?}");
        }
        assert_eq!(team.refused(&Caller::operator(), answer("postgres")).code, "answered");
    }
}

#[test]
fn what_is_settled_goes_up_no_more() {
    let mut team = Team::duo();
    let escalate = |id: &str| ask::MessageEscalate {
        message: id.into(),
        reason: "Not mine.".into(),
        ..Default::default()
    };
    let asked = team.send("claude", "kimi", Intent::Question, "Which licence?");
    team.ok(&Caller::agent("kimi"), escalate(&asked.id));
    let answer = ask::MessageAnswer { message: asked.id.clone(), body: "MIT".into(), key: None };
    team.ok(&Caller::operator(), answer);
    for agent in ["kimi", "claude"] {
        let refusal = team.refused(&Caller::agent(agent), escalate(&asked.id));
        assert_eq!((refusal.kind, refusal.code.as_str()), (RefusalKind::Conflict, "settled"), "{agent}");
        assert_eq!(refusal.hint, Some(format!("what was said: interagent msg thread {}", asked.id)));
    }

    // What was said to its sender may not help: the sender may be stuck still.
    let asked = team.send("claude", "kimi", Intent::Question, "Who knows?");
    let reply =
        ask::MessageReply { message: asked.id.clone(), body: Some("Not me.".into()), ..Default::default() };
    team.ok(&Caller::agent("kimi"), reply);
    assert_eq!(team.refused(&Caller::agent("kimi"), escalate(&asked.id)).code, "settled");
    team.ok(&Caller::agent("claude"), escalate(&asked.id));
}

#[test]
fn an_empty_reply_settles_nothing() {
    let mut team = Team::duo();
    let asked = team.send("claude", "kimi", Intent::Question, "Which licence?");
    for body in [None, Some(""), Some("  \n")] {
        let reply = ask::MessageReply {
            message: asked.id.clone(),
            body: body.map(Into::into),
            complete: true,
            ..Default::default()
        };
        let refusal = team.refused(&Caller::agent("kimi"), reply);
        assert_eq!(refusal.code, "empty_reply", "{body:?}");
        assert_eq!(refusal.hint, Some(format!("interagent reply {} -m TEXT", asked.id)));
    }
    let escalate =
        ask::MessageEscalate { message: asked.id, reason: "Not mine.".into(), ..Default::default() };
    let Answer::Sent(carrier) = team.ok(&Caller::agent("kimi"), escalate) else { panic!() };
    let empty = ask::MessageAnswer { message: carrier.id.clone(), body: " ".into(), key: None };
    let refusal = team.refused(&Caller::operator(), empty);
    assert_eq!(refusal.code, "empty_reply");
    assert_eq!(refusal.hint, Some(format!("interagent msg answer {} -m TEXT", carrier.id)));
    assert_eq!(team.inbox("operator").duties.len(), 1);
    let said = ask::MessageReply { message: carrier.id, subject: Some("MIT".into()), ..Default::default() };
    team.ok(&Caller::operator(), said);
    assert_eq!(team.inbox("operator").duties, [], "a subject is a text");
}

#[test]
fn what_asks_for_nothing_is_read_once_it_was_delivered() {
    let mut team = Team::duo();
    let kimi = in_session("kimi", "s1");
    let plain = team.send("claude", "kimi", Intent::Message, "for your information");
    let question = team.send("claude", "kimi", Intent::Question, "and this?");
    let wants_word = ask::MessageSend {
        to: vec!["kimi".into()],
        body: Some("say that you saw it".into()),
        ack: true,
        ..Default::default()
    };
    let Answer::Sent(wants_word) = team.ok(&Caller::agent("claude"), wants_word) else { panic!() };
    team.take(&kimi);
    assert_eq!(team.inbox("kimi").unread, 3, "offered is not read");
    team.ok(&kimi, ask::OfferConfirm::default());
    let inbox = team.inbox("kimi");
    let left: Vec<_> = inbox.items.iter().map(|item| item.id.clone()).collect();
    assert_eq!((inbox.unread, left), (2, vec![question.id, wants_word.id.clone()]));
    let Answer::Summary(summary) = team.ok(&Caller::operator(), ask::Summary::default()) else { panic!() };
    assert_eq!(summary.mail[0].unread, 2, "every surface says the same");

    let ack =
        ask::MessageAcknowledge { messages: vec![plain.id.clone(), wants_word.id], ..Default::default() };
    team.ok(&kimi, ack);
    assert_eq!(team.inbox("kimi").unread, 1);
    assert_eq!(team.read(&plain.id).to[0].state, DeliveryState::Acknowledged, "it may still be said");
}

#[test]
fn an_escalation_says_until_when_and_what_happens_without_an_answer() {
    let mut team = Team::duo();
    let asked = team.send("claude", "kimi", Intent::Question, "Which licence?");
    let now = 1_793_914_800_000_000;
    let escalate = |deadline: i64| ask::MessageEscalate {
        message: asked.id.clone(),
        reason: "Not mine to decide.".into(),
        deadline: Some(interagent_wire::Time(deadline)),
        default: Some("we ship with MIT".into()),
        key: None,
    };
    assert_eq!(team.refused(&Caller::agent("kimi"), escalate(now)).code, "past_deadline");
    let Answer::Sent(carrier) = team.ok(&Caller::agent("kimi"), escalate(now + 7_200_000_000)) else {
        panic!()
    };
    let body = team.read(&carrier.id).body.unwrap();
    let terms = "Not mine to decide.\n\nWithout an answer by 2026-11-05 23:40 UTC: we ship with MIT\n\n";
    assert_eq!(body, format!("{terms}{}, from claude:\n> Which licence?", asked.id));
}

#[test]
fn you_are_who_you_are() {
    let mut team = Team::duo();
    let caller = Caller { behalf: Some("claude".into()), ..Caller::agent("kimi") };
    let send = || ask::MessageSend { to: vec!["kimi".into()], body: Some("hi".into()), ..Default::default() };
    assert_eq!(team.refused(&caller, send()).code, "not_you");
    let operator = Caller { behalf: Some("claude".into()), ..Caller::operator() };
    let Answer::Sent(sent) = team.ok(&operator, send()) else { panic!() };
    let seen = team.read(&sent.id);
    assert_eq!((seen.from.name.as_str(), seen.human), ("claude", true));
    assert_eq!(seen.spoken_by.unwrap().name, "operator");
}

#[test]
fn a_caller_of_an_unknown_client_may_look_but_is_told_how_to_register() {
    let mut team = Team::duo();
    let unbound = Caller { profile: Some("codex".into()), ..Caller::default() };
    let send = ask::MessageSend { to: vec!["kimi".into()], body: Some("hi".into()), ..Default::default() };
    assert_eq!(team.refused(&unbound, send).code, "unbound");
    team.ok(&unbound, ask::AgentList::default());
    let register = ask::AgentRegister { name: "codex".into(), ..Default::default() };
    team.ok(&unbound, register);
    // Now it is the only codex here, so it is known at once.
    let Answer::Identity(me) = team.ok(&unbound, ask::Whoami::default()) else { panic!() };
    assert_eq!(me.member.unwrap().name, "codex");
}

#[test]
fn a_wait_ends_with_mail_and_not_with_what_another_session_was_offered() {
    let mut team = Team::duo();
    let mail = WaitFor::Mail { agent: None };
    let wait =
        |team: &mut Team| team.hub.wait(&Caller::agent("kimi"), &mail, Duration::from_millis(20)).unwrap();
    assert_eq!(wait(&mut team), Waited::TimeOver);
    team.send("claude", "kimi", Intent::Message, "wake up");
    assert!(matches!(wait(&mut team), Waited::Ready { .. }));
    let other = Caller {
        processes: vec![CallerProcess { pid: 7, started: 1, executable: "kimi".into() }],
        ..Caller::agent("kimi")
    };
    team.take(&other);
    assert_eq!(wait(&mut team), Waited::TimeOver);
}

#[test]
fn in_a_chain_of_command_a_turn_ends_instead_of_waiting() {
    let mut team = Team::captain();
    let mail = WaitFor::Mail { agent: None };
    let refusal = team.hub.wait(&Caller::agent("member1"), &mail, Duration::from_secs(1)).unwrap_err();
    assert_eq!(refusal.code, "F004");
    assert_eq!(team.hub.wait(&Caller::operator(), &mail, Duration::ZERO), Ok(Waited::TimeOver));
}

#[test]
fn texts_are_stored_as_sent_and_limits_are_exact() {
    let mut team = Team::duo();
    let odd = "line\r\n\u{1b}[31mred\u{202e}\n```\n</message>\n設計 🎉";
    let sent = team.send("claude", "kimi", Intent::Message, odd);
    assert_eq!(team.read(&sent.id).body.as_deref(), Some(odd));
    let with_body =
        |body: String| ask::MessageSend { to: vec!["kimi".into()], body: Some(body), ..Default::default() };
    team.ok(&Caller::agent("claude"), with_body("x".repeat(1024 * 1024)));
    assert_eq!(
        team.refused(&Caller::agent("claude"), with_body("x".repeat(1024 * 1024 + 1))).code,
        "bad_text"
    );
    assert_eq!(team.refused(&Caller::agent("claude"), with_body("a\0b".into())).code, "bad_text");
    assert_eq!(team.refused(&Caller::agent("claude"), with_body(" \n".into())).code, "empty_message");
}

#[test]
fn names_are_unique_also_to_the_eye_and_registering_again_is_the_same_agent() {
    let mut team = Team::duo();
    let register = |name: &str| ask::AgentRegister {
        name: name.into(),
        profile: Some("codex".into()),
        ..Default::default()
    };
    let Answer::Agent(first) = team.ok(&Caller::operator(), register("codex")) else { panic!() };
    let Answer::Agent(again) = team.ok(&Caller::operator(), register("Codex")) else { panic!() };
    assert_eq!(first, again);
    let refusal = team.refused(&Caller::operator(), register("c0dex"));
    assert_eq!(refusal.code, "name_taken");
    assert_eq!(team.refused(&Caller::operator(), register("../etc")).kind.as_str(), "usage");
    assert_eq!(team.refused(&Caller::agent("kimi"), register("gemini")).code, "not_you");
}

fn task(team: &mut Team, by: &str, assignee: Option<&str>) -> String {
    let params = ask::TaskCreate {
        title: "Fix login".into(),
        assignee: assignee.map(Into::into),
        ..Default::default()
    };
    match team.ok(&as_agent(by), params) {
        Answer::Task(task) => task.id,
        other => panic!("{other:?}"),
    }
}

fn hand_over(to: &str, task: &str) -> ask::MessageSend {
    ask::MessageSend {
        to: vec![to.into()],
        intent: Some(Intent::Handoff),
        body: Some("yours now".into()),
        task: Some(task.into()),
        ..Default::default()
    }
}

#[test]
fn no_agent_becomes_a_person_by_saying_so() {
    let mut team = Team::duo();
    let human =
        ask::AgentRegister { name: "kimi".into(), profile: Some("human".into()), ..Default::default() };
    team.ok(&Caller::agent("kimi"), human);
    let sent = team.send("claude", "kimi", Intent::Message, "hold this");
    let hold = ask::MessageHold { message: sent.id };
    assert_eq!(team.refused(&Caller::agent("kimi"), hold).code, "not_yours");
    let as_claude = Caller { behalf: Some("claude".into()), ..Caller::agent("kimi") };
    assert_eq!(team.refused(&as_claude, ask::StatusSet::default()).code, "not_you");
    let client = Caller { profile: Some("kimi".into()), ..Caller::agent("operator") };
    assert_eq!(team.refused(&client, ask::StatusSet::default()).code, "not_you");
}

#[test]
fn work_is_handed_over_only_by_who_has_it_and_not_after_it_is_done() {
    let mut team = Team::duo();
    let id = task(&mut team, "claude", Some("claude"));
    assert_eq!(team.refused(&Caller::agent("kimi"), hand_over("kimi", &id)).code, "F003");
    assert_eq!(team.refused(&Caller::agent("claude"), hand_over("claude", &id)).code, "to_yourself");
    let Answer::Sent(offer) = team.ok(&Caller::agent("claude"), hand_over("kimi", &id)) else { panic!() };
    let done =
        ask::TaskUpdate { task: id.clone(), status: Some(TaskStatus::Completed), ..Default::default() };
    team.ok(&Caller::agent("claude"), done);
    team.ok(&Caller::agent("kimi"), ask::MessageAccept { message: offer.id, key: None });
    let Answer::Task(task) = team.ok(&Caller::operator(), ask::TaskShow { task: id }) else { panic!() };
    assert_eq!(task.assignee.unwrap().name, "claude", "done work stays its worker's");
}

#[test]
fn who_did_the_part_before_hands_over_to_who_has_the_task() {
    let mut team = Team::duo();
    let id = task(&mut team, "claude", Some("claude"));
    let Answer::Sent(offer) = team.ok(&Caller::agent("kimi"), hand_over("claude", &id)) else { panic!() };
    let to_both =
        ask::MessageSend { to: vec!["claude".into(), "operator".into()], ..hand_over("claude", &id) };
    assert_eq!(team.refused(&Caller::agent("kimi"), to_both).code, "F003");
    let delegated = ask::MessageSend { intent: Some(Intent::Delegation), ..hand_over("claude", &id) };
    assert_eq!(team.refused(&Caller::agent("kimi"), delegated).code, "F003");
    team.ok(&Caller::agent("claude"), ask::MessageAccept { message: offer.id, key: None });
    let Answer::Task(task) = team.ok(&Caller::operator(), ask::TaskShow { task: id }) else { panic!() };
    assert_eq!((task.assignee.unwrap().name.as_str(), task.status), ("claude", TaskStatus::Assigned));
}

#[test]
fn only_who_was_asked_answers_an_escalation_and_a_reply_is_an_answer() {
    let mut team = Team::duo();
    let asked = team.send("claude", "kimi", Intent::Question, "Which licence?");
    let escalate =
        ask::MessageEscalate { message: asked.id.clone(), reason: "not mine".into(), ..Default::default() };
    let Answer::Sent(carrier) = team.ok(&Caller::agent("kimi"), escalate) else { panic!() };
    let answer = ask::MessageAnswer { message: asked.id.clone(), body: "GPL".into(), key: None };
    assert_eq!(team.refused(&Caller::agent("claude"), answer).code, "not_yours");
    let reply = ask::MessageReply { message: carrier.id, body: Some("MIT".into()), ..Default::default() };
    team.ok(&Caller::operator(), reply);
    assert!(team.read(&asked.id).escalations[0].answer.is_some());
    assert_eq!(team.inbox("kimi").duties, []);
}

#[test]
fn what_others_decide_claims_no_delivery() {
    let mut team = Team::duo();
    let params = ask::TaskCreate {
        title: "Fix login".into(),
        assignee: Some("kimi".into()),
        announce: true,
        ..Default::default()
    };
    let Answer::Task(task) = team.ok(&Caller::agent("claude"), params) else { panic!() };
    let letter = team.inbox("kimi").items[0].id.clone();
    let cancel = ask::TaskUpdate { task: task.id, status: Some(TaskStatus::Cancelled), ..Default::default() };
    team.ok(&Caller::agent("claude"), cancel);
    let seen = team.read(&letter);
    assert_eq!((seen.to[0].owed, seen.to[0].delivered), (false, None));
}

#[test]
fn a_held_message_keeps_its_text_and_who_held_it_lets_it_go() {
    let mut team = Team::duo();
    let sent = team.send("claude", "kimi", Intent::Message, "secret plans");
    team.ok(&Caller::operator(), ask::MessageHold { message: sent.id.clone() });
    let read = ask::MessageRead { message: sent.id.clone(), as_recipient: false };
    let Answer::Message(seen) = team.ok(&Caller::agent("kimi"), read) else { panic!() };
    assert_eq!(seen.body, None);
    let release = || ask::MessageRelease { message: sent.id.clone() };
    assert_eq!(team.refused(&Caller::agent("claude"), release()).code, "release_needs_operator");
    team.ok(&Caller::operator(), release());
}

#[test]
fn a_key_belongs_to_whom_one_speaks_for_and_an_alias_names_one_thing() {
    let mut team = Team::duo();
    let send = ask::MessageSend {
        to: vec!["operator".into()],
        body: Some("hello there".into()),
        key: Some("k".into()),
        ..Default::default()
    };
    let speaking_for = |name: &str| Caller { behalf: Some(name.into()), ..Caller::operator() };
    team.ok(&speaking_for("kimi"), send.clone());
    assert_eq!(team.refused(&speaking_for("claude"), send.clone()).code, "key_conflict");
    let called = |alias: &str| ask::MessageSend { aliases: vec![alias.into()], key: None, ..send.clone() };
    team.ok(&Caller::agent("kimi"), called("q1"));
    // The short id of another system.
    team.ok(&Caller::agent("kimi"), called("msg-ab12cd"));
    for (alias, code) in [
        ("msg-ab12cd", "alias_taken"),
        ("q1", "alias_taken"),
        ("kimi", "alias_taken"),
        ("operator", "bad_alias"),
        ("msg-abcd00000000", "bad_alias"),
        ("team", "bad_alias"),
        ("all", "bad_alias"),
    ] {
        assert_eq!(team.refused(&Caller::agent("kimi"), called(alias)).code, code, "{alias}");
    }
}

#[test]
fn a_read_says_whether_it_was_the_recipients_own_and_changes_nothing_by_itself() {
    let mut team = Team::duo();
    let sent = team.send("claude", "kimi", Intent::Message, "look");
    let mut read = |caller: &Caller| {
        let before = team.hub.store().head().unwrap();
        let answer = team.ok(caller, ask::MessageRead { message: sent.id.clone(), as_recipient: false });
        assert_eq!(team.hub.store().head().unwrap(), before, "what is not written yet was not read");
        let Answer::Message(message) = answer else { panic!("no message") };
        message.to_acknowledge
    };
    let behalf = Caller { behalf: Some("kimi".into()), ..Caller::operator() };
    assert!(!read(&Caller::operator()) && !read(&Caller::agent("claude")) && !read(&behalf));
    assert!(read(&Caller::agent("kimi")));
    assert!(read(&Caller::agent("kimi")), "until it was acknowledged");
    let acknowledge = ask::MessageAcknowledge { messages: vec![sent.id.clone()], ..Default::default() };
    team.ok(&Caller::agent("kimi"), acknowledge);
    let Answer::Message(message) =
        team.ok(&Caller::agent("kimi"), ask::MessageRead { message: sent.id, as_recipient: false })
    else {
        panic!("no message")
    };
    assert!(!message.to_acknowledge, "once");
}

#[test]
fn only_who_asks_for_its_own_mail_is_told_that_some_waits() {
    let mut team = Team::duo();
    team.send("claude", "kimi", Intent::Message, "hello");
    let mut look = |caller: &Caller, agent: Option<&str>| {
        let params = ask::MessageInbox { agent: agent.map(Into::into), ..Default::default() };
        match team.ok(caller, params) {
            Answer::Inbox(inbox) => (inbox.unread, inbox.waiting),
            other => panic!("{other:?}"),
        }
    };
    let for_kimi = Caller { behalf: Some("kimi".into()), ..Caller::operator() };
    for agent in [None, Some("kimi")] {
        assert_eq!(look(&as_agent("kimi"), agent), (1, true), "{agent:?}");
        assert_eq!(look(&for_kimi, agent), (1, false), "{agent:?}");
    }
    assert_eq!(look(&as_agent("claude"), Some("kimi")), (1, false));
    assert_eq!(look(&Caller::operator(), Some("kimi")), (1, false));
}

#[test]
fn lines_are_counted_from_1_and_end_after_they_begin() {
    let mut team = Team::duo();
    for (first_line, last_line) in [(Some(0), None), (Some(0), Some(3)), (Some(4), Some(3)), (None, Some(3))]
    {
        let at = ask::RefParam {
            kind: "file".into(),
            target: "src/a.rs".into(),
            first_line,
            last_line,
            ..Default::default()
        };
        let params = ask::MessageSend {
            to: vec!["kimi".into()],
            body: Some("look".into()),
            refs: vec![at],
            ..Default::default()
        };
        assert_eq!(team.refused(&as_agent("claude"), params).code, "bad_ref", "{first_line:?} {last_line:?}");
    }
}

/// Every surface asks the hub, so that none decides for itself when looking becomes a hand-over.
#[test]
fn a_listing_hands_nothing_over() {
    let mut team = Team::duo();
    for body in ["one", "two"] {
        team.send("claude", "kimi", Intent::Message, body);
    }
    let kimi = as_agent("kimi");
    let mut asked = |params: ask::MessageInbox| match team.ok(&kimi, params) {
        Answer::Inbox(inbox) => (inbox.waiting, inbox.next),
        other => panic!("{other:?}"),
    };
    let (waiting, after) = asked(ask::MessageInbox { limit: Some(1), ..Default::default() });
    assert!(waiting && after.is_some());
    assert!(!asked(ask::MessageInbox { after, ..Default::default() }).0, "a later page");
    assert!(!asked(ask::MessageInbox { all: true, ..Default::default() }).0, "also what was read");
    assert!(asked(ask::MessageInbox::default()).0);
}

#[test]
fn what_is_owed_is_the_same_number_everywhere() {
    let mut team = Team::duo();
    for body in ["one", "two", "three"] {
        team.send("claude", "kimi", Intent::Question, body);
    }
    let soon = Some(Time(team.hub.store().clock().wall_us() + 60_000_000));
    let params = ask::MessageSend {
        to: vec!["kimi".into()],
        intent: Some(Intent::Question),
        body: Some("in a minute nobody needs it".into()),
        expires: soon,
        ..Default::default()
    };
    team.ok(&as_agent("claude"), params);
    for expected in [4, 3] {
        let owed = team.inbox("kimi").owed;
        let Answer::Board(board) = team.ok(&Caller::operator(), ask::StatusBoard {}) else {
            panic!("no board")
        };
        let row = board.rows.iter().find(|row| row.agent.name == "kimi").unwrap();
        let Answer::Briefing(briefing) = team.ok(&as_agent("kimi"), ask::Briefing::default()) else {
            panic!("no briefing")
        };
        assert_eq!((owed, row.owes), (expected, expected));
        assert_eq!(briefing.duties.len(), expected as usize);
        team.clock.advance(Duration::from_secs(61));
    }
}
