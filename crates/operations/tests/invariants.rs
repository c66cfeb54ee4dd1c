//! Any interleaving of requests, by anybody, right or wrong, keeps every invariant of the record.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test stops at the first surprise")]

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use interagent_core::decide::lease::overlap;
use interagent_core::refusal::RefusalKind;
use interagent_core::team::{Role, TeamConfig, render};
use interagent_core::vocabulary::*;
use interagent_operations::{Hub, LocalHub, Opening};
use interagent_store::ManualClock;
use interagent_store::reader::{MessageFilter, PageStart, TaskFilter};
use interagent_wire::answer::{HandoverView, LeaseView};
use interagent_wire::request as ask;
use interagent_wire::{Answer, Caller, Request};
use proptest::prelude::*;

/// One thing somebody does. Numbers pick among what is there, so that most steps are about something real.
#[derive(Clone, Debug)]
enum Step {
    Send { from: u8, to: u8, intent: u8, about: u8, again: bool },
    Reply { by: u8, to: u8, complete: bool },
    Take { by: u8, session: bool },
    Confirm { by: u8, session: bool },
    Acknowledge { by: u8, message: u8 },
    Accept { by: u8, message: u8, decline: bool },
    Hold { by: u8, message: u8, release: bool },
    Escalate { by: u8, message: u8, answer: bool },
    Create { by: u8, to: u8, waits_for: u8 },
    Move { by: u8, task: u8, to: u8 },
    Claim { by: u8, task: u8 },
    Next { by: u8 },
    Depend { by: u8, task: u8, on: u8, remove: bool },
    Report { by: u8, task: u8, status: u8 },
    Judge { by: u8, task: u8, verdict: u8 },
    PassOn { by: u8, task: u8, to: u8, redo: bool },
    Publish { by: u8, expected: u8 },
    Lease { by: u8, path: u8, shared: bool },
    Release { by: u8, lease: u8 },
    Wait { seconds: u16 },
}

fn step() -> impl Strategy<Value = Step> {
    let n = || any::<u8>();
    let b = || any::<bool>();
    prop_oneof![
        4 => (n(), n(), n(), n(), b()).prop_map(|(from, to, intent, about, again)| Step::Send { from, to, intent, about, again }),
        3 => (n(), n(), b()).prop_map(|(by, to, complete)| Step::Reply { by, to, complete }),
        2 => (n(), b()).prop_map(|(by, session)| Step::Take { by, session }),
        2 => (n(), b()).prop_map(|(by, session)| Step::Confirm { by, session }),
        2 => (n(), n()).prop_map(|(by, message)| Step::Acknowledge { by, message }),
        1 => (n(), n(), b()).prop_map(|(by, message, decline)| Step::Accept { by, message, decline }),
        1 => (n(), n(), b()).prop_map(|(by, message, release)| Step::Hold { by, message, release }),
        1 => (n(), n(), b()).prop_map(|(by, message, answer)| Step::Escalate { by, message, answer }),
        2 => (n(), n(), n()).prop_map(|(by, to, waits_for)| Step::Create { by, to, waits_for }),
        4 => (n(), n(), n()).prop_map(|(by, task, to)| Step::Move { by, task, to }),
        1 => (n(), n()).prop_map(|(by, task)| Step::Claim { by, task }),
        1 => n().prop_map(|by| Step::Next { by }),
        1 => (n(), n(), n(), b()).prop_map(|(by, task, on, remove)| Step::Depend { by, task, on, remove }),
        1 => (n(), n(), n()).prop_map(|(by, task, status)| Step::Report { by, task, status }),
        2 => (n(), n(), n()).prop_map(|(by, task, verdict)| Step::Judge { by, task, verdict }),
        1 => (n(), n(), n(), b()).prop_map(|(by, task, to, redo)| Step::PassOn { by, task, to, redo }),
        1 => (n(), n()).prop_map(|(by, expected)| Step::Publish { by, expected }),
        2 => (n(), n(), b()).prop_map(|(by, path, shared)| Step::Lease { by, path, shared }),
        1 => (n(), n()).prop_map(|(by, lease)| Step::Release { by, lease }),
        1 => any::<u16>().prop_map(|seconds| Step::Wait { seconds: seconds % 400 }),
    ]
}

struct World {
    hub: LocalHub,
    clock: Arc<ManualClock>,
    names: Vec<String>,
    messages: Vec<String>,
    tasks: Vec<String>,
    leases: Vec<String>,
    /// What each session holds offered: message and recipient, by session.
    offered: BTreeMap<(String, String), String>,
    token: i64,
    _dir: tempfile::TempDir,
}

fn pick<T: Clone>(items: &[T], n: u8) -> Option<T> {
    (!items.is_empty()).then(|| items[usize::from(n) % items.len()].clone())
}

fn word<T: Copy>(all: &[T], n: u8) -> T {
    all[usize::from(n) % all.len()]
}

const PATHS: &[&str] = &["src/a.rs", "src/b.rs", "src/**", "docs/*.md", "docs/index.md", "**/*.rs"];

impl World {
    fn new(config: &TeamConfig) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let clock = Arc::new(ManualClock::new(1_793_914_800_000_000));
        let opening = Opening {
            hub_dir: dir.path().to_owned(),
            create: true,
            alias: "here".into(),
            hub_id: None,
            user_dir: None,
        };
        let mut hub = LocalHub::open_with_clock(&opening, clock.clone()).unwrap();
        hub.call(&Caller::operator(), ask::TeamTake { text: render(config) }.into()).unwrap();
        let mut names: Vec<String> = config.agents.keys().map(ToString::to_string).collect();
        names.push("operator".into());
        let (messages, tasks, leases) = (Vec::new(), Vec::new(), Vec::new());
        Self { hub, clock, names, messages, tasks, leases, offered: BTreeMap::new(), token: 0, _dir: dir }
    }

    fn caller(&self, by: u8) -> (Caller, String) {
        let name = pick(&self.names, by).unwrap();
        let caller = if name == "operator" { Caller::operator() } else { Caller::agent(&name) };
        (caller, name)
    }

    fn in_session(&self, by: u8, second: bool) -> (Caller, String, String) {
        let (caller, name) = self.caller(by);
        let session = format!("{name}-{}", u8::from(second));
        (Caller { session: Some(session.clone()), ..caller }, name, session)
    }

    /// Calls, and checks what must hold of every call whatever it says.
    fn call(&mut self, caller: &Caller, request: impl Into<Request>) -> Option<Answer> {
        self.clock.advance(Duration::from_millis(7));
        let request = request.into();
        let before = self.hub.store().head().unwrap();
        let outcome = self.hub.call(caller, request.clone());
        let after = self.hub.store().head().unwrap();
        match outcome {
            Ok(reply) => {
                assert!(
                    after.seq == before.seq || after.seq == before.seq + 1,
                    "one operation, one entry: {request:?}"
                );
                assert_eq!(reply.seq, after.seq);
                if after.seq > before.seq {
                    assert!(after.last_at > before.last_at && after.oseq == before.oseq + 1);
                }
                Some(reply.answer)
            }
            Err(refusal) => {
                assert_eq!(after, before, "a refusal leaves nothing behind: {request:?}");
                assert_ne!(refusal.kind, RefusalKind::Unavailable, "{request:?}: {refusal}");
                assert!(!refusal.sentence.is_empty());
                None
            }
        }
    }

    fn run(&mut self, step: &Step) {
        match step.clone() {
            Step::Send { from, to, intent, about, again } => {
                let (caller, _) = self.caller(from);
                let params = ask::MessageSend {
                    to: vec![pick(&self.names, to).unwrap()],
                    intent: Some(word(Intent::ALL, intent)),
                    body: Some(format!("message {}", self.messages.len())),
                    task: (about % 2 == 0).then(|| pick(&self.tasks, about)).flatten(),
                    key: again.then(|| format!("key-{}", self.messages.len())),
                    ..Default::default()
                };
                let first = self.call(&caller, params.clone());
                if let Some(Answer::Sent(sent)) = first.clone() {
                    self.messages.push(sent.id);
                    if again {
                        assert_eq!(self.call(&caller, params), first, "the same key, the same message");
                    }
                }
            }
            Step::Reply { by, to, complete } => {
                let (caller, _) = self.caller(by);
                let Some(message) = pick(&self.messages, to) else { return };
                let params = ask::MessageReply {
                    message,
                    body: Some("because".into()),
                    complete,
                    ..Default::default()
                };
                if let Some(Answer::Sent(sent)) = self.call(&caller, params) {
                    self.messages.push(sent.id);
                }
            }
            Step::Take { by, session } => {
                let (caller, name, session) = self.in_session(by, session);
                if let Some(Answer::Handover(HandoverView { items, .. })) =
                    self.call(&caller, ask::OfferTake::default())
                {
                    for item in items {
                        let holder = self.offered.insert((item.id.clone(), name.clone()), session.clone());
                        let elsewhere = holder.is_some_and(|other| other != session);
                        assert!(!elsewhere || item.redelivered > 0, "{} went to two sessions", item.id);
                    }
                }
            }
            Step::Confirm { by, session } => {
                let (caller, ..) = self.in_session(by, session);
                self.call(&caller, ask::OfferConfirm::default());
            }
            Step::Acknowledge { by, message } => {
                let (caller, _) = self.caller(by);
                let messages = pick(&self.messages, message).into_iter().collect();
                self.call(&caller, ask::MessageAcknowledge { messages, ..Default::default() });
            }
            Step::Accept { by, message, decline } => {
                let (caller, _) = self.caller(by);
                let Some(message) = pick(&self.messages, message) else { return };
                if decline {
                    self.call(&caller, ask::MessageDecline { message, ..Default::default() });
                } else {
                    self.call(&caller, ask::MessageAccept { message, key: None });
                }
            }
            Step::Hold { by, message, release } => {
                let (caller, _) = self.caller(by);
                let Some(message) = pick(&self.messages, message) else { return };
                if release {
                    self.call(&caller, ask::MessageRelease { message });
                } else {
                    self.call(&caller, ask::MessageHold { message });
                }
            }
            Step::Escalate { by, message, answer } => {
                let (caller, _) = self.caller(by);
                let Some(message) = pick(&self.messages, message) else { return };
                let said = if answer {
                    self.call(&caller, ask::MessageAnswer { message, body: "do this".into(), key: None })
                } else {
                    self.call(
                        &caller,
                        ask::MessageEscalate { message, reason: "stuck".into(), ..Default::default() },
                    )
                };
                if let Some(Answer::Sent(sent)) = said {
                    self.messages.push(sent.id);
                }
            }
            Step::Create { by, to, waits_for } => {
                let (caller, _) = self.caller(by);
                let params = ask::TaskCreate {
                    title: format!("task {}", self.tasks.len()),
                    assignee: (to % 3 > 0).then(|| pick(&self.names, to)).flatten(),
                    depends_on: (waits_for % 3 == 0)
                        .then(|| pick(&self.tasks, waits_for))
                        .flatten()
                        .into_iter()
                        .collect(),
                    announce: to % 2 == 0,
                    ..Default::default()
                };
                if let Some(Answer::Task(task)) = self.call(&caller, params) {
                    self.tasks.push(task.id);
                }
            }
            Step::Move { by, task, to } => {
                let (caller, _) = self.caller(by);
                let Some(task) = pick(&self.tasks, task) else { return };
                let status = Some(word(TaskStatus::ALL, to));
                self.call(&caller, ask::TaskUpdate { task, status, ..Default::default() });
            }
            Step::Claim { by, task } => {
                let (caller, _) = self.caller(by);
                let Some(task) = pick(&self.tasks, task) else { return };
                self.call(&caller, ask::TaskClaim { task });
            }
            Step::Next { by } => {
                let (caller, _) = self.caller(by);
                self.call(&caller, ask::TaskNext::default());
            }
            Step::Depend { by, task, on, remove } => {
                let (caller, _) = self.caller(by);
                let (Some(task), Some(on)) = (pick(&self.tasks, task), pick(&self.tasks, on)) else { return };
                self.call(&caller, ask::TaskDepend { task, on, remove });
            }
            Step::Report { by, task, status } => {
                let (caller, _) = self.caller(by);
                let Some(task) = pick(&self.tasks, task) else { return };
                let params = ask::TaskReport {
                    task,
                    status: Some(word(ReportStatus::ALL, status)),
                    summary: Some("what was done".into()),
                    skill_candidate: Some(ask::SkillParam::default()),
                    ..Default::default()
                };
                self.call(&caller, params);
            }
            Step::Judge { by, task, verdict } => {
                let (caller, _) = self.caller(by);
                let Some(task) = pick(&self.tasks, task) else { return };
                let verdict = Some(word(Verdict::ALL, verdict));
                self.call(&caller, ask::TaskVerdict { task, verdict, ..Default::default() });
            }
            Step::PassOn { by, task, to, redo } => {
                let (caller, _) = self.caller(by);
                let (Some(task), Some(to)) = (pick(&self.tasks, task), pick(&self.names, to)) else { return };
                let said = if redo {
                    self.call(&caller, ask::TaskRedo { task, assignee: Some(to), ..Default::default() })
                } else {
                    self.call(&caller, ask::TaskReassign { task, to, ..Default::default() })
                };
                if let Some(Answer::Task(task)) = said {
                    self.tasks.push(task.id);
                }
            }
            Step::Publish { by, expected } => {
                let (caller, _) = self.caller(by);
                let params = ask::SpecPublish {
                    name: "api".into(),
                    body: format!("version by step {expected}"),
                    expected_version: (expected % 2 == 0).then_some(u32::from(expected % 4)),
                    ..Default::default()
                };
                self.call(&caller, params);
            }
            Step::Lease { by, path, shared } => {
                let (caller, _) = self.caller(by);
                let params = ask::LeaseTake {
                    paths: vec![word(PATHS, path).to_owned()],
                    mode: shared.then_some(LeaseMode::Shared),
                    ..Default::default()
                };
                if let Some(Answer::Lease(lease)) = self.call(&caller, params) {
                    let renewed = self.leases.contains(&lease.id);
                    assert!(renewed || lease.token > self.token, "every grant has a larger token");
                    self.token = self.token.max(lease.token);
                    self.leases.push(lease.id);
                }
            }
            Step::Release { by, lease } => {
                let (caller, _) = self.caller(by);
                let Some(lease) = pick(&self.leases, lease) else { return };
                self.call(&caller, ask::LeaseRelease { lease, token: None });
            }
            Step::Wait { seconds } => {
                self.clock.advance(Duration::from_secs(seconds.into()));
                self.clock.step_wall(i64::from(seconds) * 900_000 - 180_000_000);
            }
        }
        self.check_leases();
    }

    /// Two exclusive leases never hold overlapping paths at once.
    fn check_leases(&mut self) {
        let Answer::Leases(live) =
            self.hub.call(&Caller::operator(), ask::LeaseList::default().into()).unwrap().answer
        else {
            panic!()
        };
        let clash = |a: &LeaseView, b: &LeaseView| {
            a.holder != b.holder
                && (a.mode == LeaseMode::Exclusive || b.mode == LeaseMode::Exclusive)
                && a.paths.iter().any(|x| b.paths.iter().any(|y| overlap(x, y)))
        };
        for (n, a) in live.items.iter().enumerate() {
            for b in &live.items[n + 1..] {
                assert!(!clash(a, b), "{a:?} and {b:?}");
            }
        }
    }

    /// What must hold of the record at the end of any history.
    fn check(&mut self, reviewed_by_another: bool) {
        let findings = self.hub.store().verify(&mut |_, _| {}).unwrap();
        assert_eq!(findings, [], "the chain holds and the views are the fold of the log");
        self.hub
            .store()
            .read(|reader| {
                let all = u32::MAX;
                let mut owed = BTreeSet::new();
                for message in reader.messages(&MessageFilter::default(), &PageStart::default(), all)? {
                    for (agent, delivery) in &message.deliveries {
                        assert!(
                            delivery.acknowledged.is_none() || delivery.delivered.is_some(),
                            "{}",
                            message.id
                        );
                        if message.owed_by(agent).is_some() {
                            owed.insert((message.id.clone(), agent.clone()));
                        }
                    }
                    assert!(
                        message.held.is_none()
                            || message.deliveries.values().any(|d| d.state == DeliveryState::Queued)
                    );
                }
                let open: BTreeSet<_> =
                    reader.owed(all)?.into_iter().map(|due| (due.message, due.agent)).collect();
                assert_eq!(open, owed, "obligations are what deliveries owe");
                for task in reader.tasks(&TaskFilter::default(), &PageStart::default(), all)? {
                    assert!(
                        !reader.dependency_closure(&task.id, 1_000)?.contains(&task.id),
                        "{} waits for itself",
                        task.id
                    );
                    if task.status != TaskStatus::Pending && !task.status.is_closed() {
                        assert!(task.assignee.is_some(), "{} is {} and nobody's", task.id, task.status);
                    }
                    let approved = task.judgements.iter().rev().find(|j| j.verdict == Verdict::Approved);
                    if task.status == TaskStatus::Approved && reviewed_by_another {
                        let judged = approved.expect("an approval has a judge");
                        let own = Some(&judged.by) == task.assignee.as_ref();
                        let human = reader.agent(&judged.by)?.is_some_and(|agent| agent.is_human());
                        assert!(!own || human, "{} was approved by its worker", task.id);
                    }
                    if task.status == TaskStatus::Reassigned {
                        assert!(task.successor.is_some());
                    }
                }
                Ok::<_, interagent_store::StoreError>(())
            })
            .unwrap();
        let before = self.lists();
        self.hub.store().rebuild(&mut |_, _| {}).unwrap();
        assert_eq!(self.lists(), before, "live equals rebuilt");
    }

    fn lists(&mut self) -> Vec<String> {
        let operator = Caller::operator();
        let mut shown = Vec::new();
        let lists: Vec<Request> = vec![
            ask::AgentList::default().into(),
            ask::MessageList { limit: Some(1_000), ..Default::default() }.into(),
            ask::TaskList { limit: Some(1_000), ..Default::default() }.into(),
            ask::SpecList::default().into(),
            ask::LeaseList::default().into(),
            ask::StatusBoard::default().into(),
        ];
        for request in lists {
            let reply = self.hub.call(&operator, request).unwrap();
            shown.push(serde_json::to_string(&reply).unwrap());
        }
        shown
    }
}

fn teams() -> Vec<TeamConfig> {
    let duo = TeamConfig::usual_duo("duo");
    let mut reviewed = TeamConfig::usual_duo("review");
    reviewed.rules.review_required = true;
    let peers = {
        let mut config = duo.clone();
        config.formation = interagent_core::team::Formation::Peers;
        config.principal = None;
        for seat in config.agents.values_mut() {
            seat.role = Role::Collaborator;
            seat.reports_to = None;
        }
        config.rules.may_merge = BTreeSet::from([Role::Collaborator]);
        config
    };
    let label = interagent_core::name::Label::parse("claude").unwrap();
    vec![duo, reviewed, peers, TeamConfig::captain("captain", &label, 1, 2)]
}

fn cases() -> u32 {
    if std::env::var_os("INTERAGENT_SOAK").is_some() { 600 } else { 24 }
}

#[test]
fn answered_question_is_no_longer_held() {
    let mut world = World::new(&teams()[3]);
    world.run(&Step::Send { from: 1, to: 131, intent: 21, about: 0, again: false });
    world.run(&Step::Hold { by: 66, message: 9, release: false });
    world.run(&Step::Reply { by: 119, to: 26, complete: false });
    world.check(true);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_interleaving_of_requests_keeps_every_invariant(
        team in 0..4_usize,
        steps in prop::collection::vec(step(), 1..60),
    ) {
        let mut world = World::new(&teams()[team]);
        for step in &steps {
            world.run(step);
        }
        world.check(true);
    }
}
