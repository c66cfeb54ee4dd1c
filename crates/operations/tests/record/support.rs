//! A team in a temporary directory, with a clock that moves only between calls.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use interagent_core::draft::{Context, Draft};
use interagent_core::event::Event;
use interagent_core::ids::{AgentId, EntityRef};
use interagent_core::refusal::Refusal;
use interagent_core::team::{TeamConfig, render};
use interagent_core::vocabulary::{Auth, Intent, TaskStatus};
use interagent_operations::{Hub, LocalHub, Opening};
use interagent_store::{Clock, ManualClock, NewEntry, StoreError, Writer};
use interagent_testkit::damage::TextDamage;
use interagent_wire::answer::{
    BriefingView, ChangedView, HistoryView, HitView, Page, StateView, SummaryView,
};
use interagent_wire::request as ask;
use interagent_wire::{Answer, Caller, Request, Time};
use serde_json::Value;

pub(crate) struct Team {
    pub(crate) hub: LocalHub,
    pub(crate) clock: Arc<ManualClock>,
    dir: tempfile::TempDir,
}

pub(crate) fn as_agent(name: &str) -> Caller {
    if name == "operator" { Caller::operator() } else { Caller::agent(name) }
}

/// Takes the one shape an operation answers with out of its answer.
macro_rules! expect {
    ($answer:expr, $variant:ident) => {
        match $answer {
            Answer::$variant(view) => view,
            other => panic!("{other:?}"),
        }
    };
}

impl Team {
    pub(crate) fn duo() -> Self {
        let mut team = Self::without_file();
        let text = render(&TeamConfig::usual_duo("demo"));
        team.ok(&Caller::operator(), ask::TeamTake { text });
        team
    }

    pub(crate) fn without_file() -> Self {
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
        Self { hub, clock, dir }
    }

    pub(crate) fn now(&self) -> i64 {
        self.clock.wall_us()
    }

    fn try_call(&mut self, caller: &Caller, request: impl Into<Request>) -> Result<Answer, Refusal> {
        self.clock.advance(Duration::from_millis(1));
        self.hub.call(caller, request.into()).map(|reply| reply.answer)
    }

    /// What an operation says besides its answer: why it changed nothing, and notes.
    pub(crate) fn remarks(&mut self, by: &str, request: impl Into<Request>) -> (Option<String>, Vec<String>) {
        self.clock.advance(Duration::from_millis(1));
        let reply = self.hub.call(&as_agent(by), request.into()).unwrap();
        (reply.unchanged, reply.notes)
    }

    /// Why a request that is repeated changes nothing; the log stays as it is.
    pub(crate) fn unchanged(&mut self, by: &str, request: impl Into<Request>) -> String {
        let before = self.hub.store().head().unwrap();
        let (why, _) = self.remarks(by, request);
        assert_eq!(self.hub.store().head().unwrap(), before, "nothing enters the log");
        why.unwrap()
    }

    pub(crate) fn ok(&mut self, caller: &Caller, request: impl Into<Request>) -> Answer {
        self.try_call(caller, request).unwrap()
    }

    pub(crate) fn refused(&mut self, caller: &Caller, request: impl Into<Request>) -> Refusal {
        let before = self.hub.store().head().unwrap();
        let refusal = self.try_call(caller, request).unwrap_err();
        assert_eq!(self.hub.store().head().unwrap(), before, "a refusal leaves nothing in the log");
        refusal
    }

    pub(crate) fn send(&mut self, from: &str, to: &str, intent: Intent, subject: &str, body: &str) -> String {
        let params = ask::MessageSend {
            to: vec![to.into()],
            intent: Some(intent),
            subject: Some(subject.into()),
            body: Some(body.into()),
            ..Default::default()
        };
        expect!(self.ok(&as_agent(from), params), Sent).id
    }

    pub(crate) fn task(&mut self, params: ask::TaskCreate) -> String {
        expect!(self.ok(&Caller::operator(), params), Task).id
    }

    pub(crate) fn move_task(&mut self, by: &str, task: &str, status: TaskStatus) {
        let params = ask::TaskUpdate { task: task.into(), status: Some(status), ..Default::default() };
        self.ok(&as_agent(by), params);
    }

    pub(crate) fn agent_id(&mut self, name: &str) -> String {
        expect!(self.ok(&Caller::operator(), ask::AgentShow { agent: Some(name.into()) }), Agent).id
    }

    pub(crate) fn history(&mut self, entity: &str) -> HistoryView {
        expect!(self.ok(&Caller::operator(), ask::LogHistory { entity: entity.into() }), History)
    }

    pub(crate) fn state_view(&mut self, entity: &str, at: Option<i64>) -> StateView {
        let params = ask::LogState { entity: entity.into(), at: at.map(Time) };
        expect!(self.ok(&Caller::operator(), params), State)
    }

    pub(crate) fn state(&mut self, entity: &str, at: Option<i64>) -> Value {
        self.state_view(entity, at).state.unwrap()
    }

    pub(crate) fn search(&mut self, params: ask::Search) -> Page<HitView> {
        expect!(self.ok(&Caller::operator(), params), Hits)
    }

    pub(crate) fn briefing(&mut self, caller: &Caller, agent: Option<&str>) -> BriefingView {
        expect!(self.ok(caller, ask::Briefing { agent: agent.map(Into::into), role: false }), Briefing)
    }

    pub(crate) fn summary(&mut self) -> SummaryView {
        expect!(self.ok(&Caller::operator(), ask::Summary {}), Summary)
    }

    pub(crate) fn purge(&mut self, caller: &Caller, params: ask::TextPurge) -> Result<ChangedView, Refusal> {
        self.try_call(caller, params).map(|answer| expect!(answer, Changed))
    }

    /// Appends an event past the rules, as one that arrives from elsewhere.
    pub(crate) fn append(&mut self, entity: &str, event: impl Into<Event>) {
        let actor = AgentId::parse(&self.agent_id("operator")).unwrap();
        let new =
            NewEntry { actor, behalf: None, human: true, auth: Auth::Terminal, op: "task.update", key: None };
        let decide = |_: &mut Writer<'_, '_>, context: &Context| {
            let mut draft = Draft::new(context);
            draft.add(EntityRef::read(entity), event);
            Ok::<_, Refusal>(draft)
        };
        self.hub.store().append(new, decide, |_, _| Ok(())).unwrap();
    }

    /// The hash under which the log knows a message's body.
    pub(crate) fn body_hash(&mut self, message: &str) -> String {
        let entity = EntityRef::read(message);
        let history = self
            .hub
            .store()
            .read(|reader| reader.history(&entity))
            .unwrap_or_else(|e: StoreError| panic!("{e}"));
        match &history[0].fact.event {
            Event::MessageSent(sent) => sent.body.as_ref().unwrap().to_string(),
            other => panic!("{other:?}"),
        }
    }

    /// Damages the one text that says this.
    pub(crate) fn damage(&mut self, damage: TextDamage, says: &str) {
        interagent_testkit::damage::text(&self.dir.path().join("state"), damage, says);
    }

    /// Whether any file of the hub holds these bytes.
    pub(crate) fn files_contain(&self, text: &str) -> bool {
        fn any_file(dir: &Path, wanted: &[u8]) -> bool {
            std::fs::read_dir(dir).unwrap().any(|entry| {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    return any_file(&path, wanted);
                }
                let bytes = std::fs::read(&path).unwrap_or_default();
                bytes.windows(wanted.len()).any(|window| window == wanted)
            })
        }
        any_file(self.dir.path(), text.as_bytes())
    }
}
