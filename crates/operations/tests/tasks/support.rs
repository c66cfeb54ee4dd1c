//! A hub with a team in it, and short words for what tests do to it.

#![expect(clippy::unwrap_used, clippy::panic, reason = "helpers of tests fail like tests")]

use std::sync::Arc;
use std::time::Duration;

use interagent_core::event::Event;
use interagent_core::ids::{EntityRef, TaskId};
use interagent_core::name::{Label, Name};
use interagent_core::refusal::Refusal;
use interagent_core::team::{Recruit, TeamConfig, render};
use interagent_core::vocabulary::TaskStatus;
use interagent_operations::{Hub, LocalHub, Opening};
use interagent_store::ManualClock;
use interagent_wire::answer::{
    MailView, MessageView, NextTaskView, Page, ReviewView, RouteView, TaskRow, TaskView,
};
use interagent_wire::request as ask;
use interagent_wire::{Answer, Caller, Request};

pub(crate) struct Team {
    pub(crate) hub: LocalHub,
    clock: Arc<ManualClock>,
    _dir: tempfile::TempDir,
}

impl Team {
    /// claude decides, kimi implements.
    pub(crate) fn duo() -> Self {
        Self::of(&TeamConfig::usual_duo("demo"))
    }

    /// The same, and what is completed needs a verdict.
    pub(crate) fn reviewing_duo() -> Self {
        let mut config = TeamConfig::usual_duo("demo");
        config.rules.review_required = true;
        Self::of(&config)
    }

    /// captain, vice_captain1, member1 to member8.
    pub(crate) fn captain() -> Self {
        Self::of(&TeamConfig::usual_captain("demo"))
    }

    /// Equals.
    pub(crate) fn peers(names: &[&str]) -> Self {
        let named = |name: &&str| Recruit {
            name: Name::parse(name).unwrap(),
            profile: Label::parse("claude").unwrap(),
        };
        Self::of(&TeamConfig::peers("demo", names.iter().map(named)))
    }

    pub(crate) fn of(config: &TeamConfig) -> Self {
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
        team.ok("operator", ask::TeamTake { text: render(config) });
        team
    }

    pub(crate) fn try_as(&mut self, caller: &Caller, request: impl Into<Request>) -> Result<Answer, Refusal> {
        // Time passes between two calls.
        self.clock.advance(Duration::from_millis(1));
        self.hub.call(caller, request.into()).map(|reply| reply.answer)
    }

    pub(crate) fn ok(&mut self, who: &str, request: impl Into<Request>) -> Answer {
        self.try_as(&caller(who), request).unwrap_or_else(|refusal| panic!("{who}: {refusal:?}"))
    }

    /// A refusal that leaves nothing behind.
    pub(crate) fn refused(&mut self, who: &str, request: impl Into<Request>) -> Refusal {
        let before = self.seq();
        let refusal = self.try_as(&caller(who), request).unwrap_err();
        assert_eq!(self.seq(), before, "a refusal leaves nothing in the log");
        refusal
    }

    pub(crate) fn seq(&mut self) -> i64 {
        self.hub.store().head().unwrap().seq
    }

    pub(crate) fn task(&mut self, who: &str, request: impl Into<Request>) -> TaskView {
        match self.ok(who, request) {
            Answer::Task(task) => task,
            other => panic!("{other:?}"),
        }
    }

    pub(crate) fn create(&mut self, who: &str, title: &str, assignee: Option<&str>) -> TaskView {
        self.task(who, new_task(title, assignee))
    }

    pub(crate) fn show(&mut self, task: &str) -> TaskView {
        self.task("operator", ask::TaskShow { task: task.into() })
    }

    pub(crate) fn list(&mut self, params: ask::TaskList) -> Page<TaskRow> {
        match self.ok("operator", params) {
            Answer::Tasks(page) => page,
            other => panic!("{other:?}"),
        }
    }

    pub(crate) fn next(&mut self, who: &str) -> NextTaskView {
        match self.ok(who, ask::TaskNext::default()) {
            Answer::NextTask(next) => next,
            other => panic!("{other:?}"),
        }
    }

    pub(crate) fn route(&mut self, who: &str, title: &str) -> RouteView {
        match self.ok(who, ask::TaskRoute { title: title.into(), ..Default::default() }) {
            Answer::Route(route) => route,
            other => panic!("{other:?}"),
        }
    }

    pub(crate) fn review(&mut self, who: &str, request: impl Into<Request>) -> ReviewView {
        match self.ok(who, request) {
            Answer::Review(review) => review,
            other => panic!("{other:?}"),
        }
    }

    pub(crate) fn message(&mut self, id: &str) -> MessageView {
        match self.ok("operator", ask::MessageRead { message: id.into(), as_recipient: false }) {
            Answer::Message(message) => message,
            other => panic!("{other:?}"),
        }
    }

    /// Unread mail, and how many duties are open.
    pub(crate) fn inbox(&mut self, who: &str) -> (Vec<MailView>, usize) {
        let params = ask::MessageInbox { agent: Some(who.into()), ..Default::default() };
        match self.ok("operator", params) {
            Answer::Inbox(inbox) => (inbox.items, inbox.duties.len()),
            other => panic!("{other:?}"),
        }
    }

    /// What the log says of a task: its moves as `from>to`, everything else by its kind.
    pub(crate) fn told(&mut self, task: &str) -> Vec<String> {
        let id = EntityRef::Task(TaskId::parse(task).unwrap());
        let history = self.hub.store().read(|reader| reader.history(&id)).unwrap();
        assert!(history.iter().all(|step| step.void.is_none()), "every event counts: {history:#?}");
        let told = history.iter().map(|step| match &step.fact.event {
            Event::TaskMoved(moved) => format!("{}>{}", moved.from, moved.to),
            other => other.kind().to_owned(),
        });
        told.collect()
    }
}

pub(crate) fn caller(who: &str) -> Caller {
    if who == "operator" { Caller::operator() } else { Caller::agent(who) }
}

pub(crate) fn new_task(title: &str, assignee: Option<&str>) -> ask::TaskCreate {
    ask::TaskCreate { title: title.into(), assignee: assignee.map(Into::into), ..Default::default() }
}

pub(crate) fn to(task: &TaskView, status: TaskStatus) -> ask::TaskUpdate {
    ask::TaskUpdate { task: task.id.clone(), status: Some(status), ..Default::default() }
}

pub(crate) fn claim(task: &TaskView) -> ask::TaskClaim {
    ask::TaskClaim { task: task.id.clone() }
}
