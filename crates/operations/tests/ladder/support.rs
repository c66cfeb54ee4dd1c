//! A team that somebody supervises, and short words for what tests do to it.

#![expect(clippy::unwrap_used, clippy::panic, reason = "helpers of tests fail like tests")]

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use interagent_core::ids::AgentId;
use interagent_core::ladder::waking::Channel;
use interagent_core::refusal::Refusal;
use interagent_core::team::{TeamConfig, render};
use interagent_core::vocabulary::{Intent, SessionState};
use interagent_operations::ladder::{Abilities, Act, Cursor, End, Outcome};
use interagent_operations::{Hub, LocalHub, Opening};
use interagent_store::ManualClock;
use interagent_wire::answer::{InboxView, MessageView, SentView, TaskView};
use interagent_wire::request as ask;
use interagent_wire::{Answer, Caller, Request};

pub(crate) struct Team {
    pub(crate) hub: LocalHub,
    pub(crate) clock: Arc<ManualClock>,
    pub(crate) cursor: Cursor,
    pub(crate) abilities: Abilities,
    dir: tempfile::TempDir,
}

impl Team {
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
        let abilities =
            Abilities { channels: [Channel::Native, Channel::Nudge].into(), ..Abilities::default() };
        let mut team = Self { hub, clock, cursor: Cursor::default(), abilities, dir };
        team.ok("operator", ask::TeamTake { text: render(config) });
        team.begin();
        team
    }

    /// A captain, two vice captains and four members.
    pub(crate) fn captain(change: impl FnOnce(&mut TeamConfig)) -> Self {
        let profile = TeamConfig::usual_captain("demo").agents.values().next().unwrap().profile.clone();
        let mut config = TeamConfig::captain("demo", &profile, 2, 4);
        change(&mut config);
        Self::of(&config)
    }

    pub(crate) fn ok(&mut self, who: &str, request: impl Into<Request>) -> Answer {
        self.clock.advance(Duration::from_millis(1));
        let caller = if who == "operator" { Caller::operator() } else { Caller::agent(who) };
        self.hub.call(&caller, request.into()).unwrap().answer
    }

    pub(crate) fn refused(&mut self, who: &str, request: impl Into<Request>) -> Refusal {
        self.hub.call(&Caller::agent(who), request.into()).unwrap_err()
    }

    /// Who needs an answer from the person.
    pub(crate) fn pleas(&mut self) -> Vec<String> {
        self.hub.open_pleas().unwrap().into_iter().map(|plea| plea.from).collect()
    }

    pub(crate) fn send(&mut self, from: &str, to: &str, intent: Intent, body: &str) -> String {
        let params = ask::MessageSend {
            to: vec![to.into()],
            intent: Some(intent),
            body: Some(body.into()),
            ..Default::default()
        };
        match self.ok(from, params) {
            Answer::Sent(SentView { id, .. }) => id,
            other => panic!("{other:?}"),
        }
    }

    /// Somebody gives somebody a task, which may have to wait for others.
    pub(crate) fn give(&mut self, from: &str, to: &str, title: &str, after: &[&str]) -> TaskView {
        let create = ask::TaskCreate {
            title: title.into(),
            assignee: Some(to.into()),
            announce: true,
            depends_on: after.iter().map(|id| (*id).to_owned()).collect(),
            ..Default::default()
        };
        match self.ok(from, create) {
            Answer::Task(task) => task,
            other => panic!("{other:?}"),
        }
    }

    pub(crate) fn read(&mut self, id: &str) -> MessageView {
        match self.ok("operator", ask::MessageRead { message: id.into(), as_recipient: false }) {
            Answer::Message(message) => message,
            other => panic!("{other:?}"),
        }
    }

    pub(crate) fn task(&mut self, id: &str) -> TaskView {
        match self.ok("operator", ask::TaskShow { task: id.into() }) {
            Answer::Task(task) => task,
            other => panic!("{other:?}"),
        }
    }

    pub(crate) fn inbox(&mut self, agent: &str) -> InboxView {
        let params = ask::MessageInbox { agent: Some(agent.into()), ..Default::default() };
        match self.ok("operator", params) {
            Answer::Inbox(inbox) => inbox,
            other => panic!("{other:?}"),
        }
    }

    /// A living session of an agent, in a pane.
    pub(crate) fn seat(&mut self, agent: &str, state: SessionState) {
        self.sit(agent, &format!("session-{agent}"), state);
    }

    pub(crate) fn sit(&mut self, agent: &str, session: &str, state: SessionState) {
        let bind = ask::SessionBind {
            session: session.into(),
            agent: Some(agent.into()),
            profile: Some("claude".into()),
            pane: Some("%1".into()),
            state: Some(state),
            ..Default::default()
        };
        self.ok("operator", bind);
    }

    pub(crate) fn begin(&mut self) -> Vec<Act> {
        let mut acts = Vec::new();
        self.hub.supervision(&self.abilities, &mut self.cursor).begin(&mut acts).unwrap();
        acts
    }

    pub(crate) fn pass(&mut self) -> Vec<Act> {
        let (acts, passed) = self.try_to_pass();
        passed.unwrap();
        self.hub.supervision(&self.abilities, &mut self.cursor).keep().unwrap();
        acts
    }

    /// What there is to do, and whether it came to its end.
    pub(crate) fn try_to_pass(&mut self) -> (Vec<Act>, Result<(), Refusal>) {
        let mut acts = Vec::new();
        let passed = self.hub.supervision(&self.abilities, &mut self.cursor).pass(&mut acts);
        (acts, passed)
    }

    /// Time passes, second by second, and somebody supervises.
    pub(crate) fn supervise(&mut self, seconds: u64) -> Vec<String> {
        let mut told = Vec::new();
        for second in 0..=seconds {
            for act in self.pass() {
                told.extend(match act {
                    Act::Reach { target, channel, .. } => Some(format!("{second} {} {channel}", target.name)),
                    Act::Tell(notice) => Some(format!("{second} {}", notice.title)),
                    Act::Look => Some(format!("{second} look")),
                    Act::Effects(_) => None,
                });
            }
            if second < seconds {
                self.clock.advance(Duration::from_secs(1));
            }
        }
        told
    }

    /// Time passes until the person is told something: what, and what helps. Every attempt to reach this agent ends so.
    pub(crate) fn supervise_until_told(
        &mut self,
        agent: &str,
        seconds: u64,
        end: &End,
    ) -> Option<(String, String)> {
        let id = self.id_of(agent);
        for _ in 0..seconds {
            for act in self.pass() {
                match act {
                    Act::Tell(notice) => return Some((notice.title, notice.text)),
                    Act::Reach { channel, oldest, .. } => {
                        let outcome = Outcome { channel, oldest, end: end.clone() };
                        self.hub.has_reached(&id, &outcome).unwrap();
                    }
                    Act::Look | Act::Effects(_) => {}
                }
            }
            self.clock.advance(Duration::from_secs(1));
        }
        None
    }

    /// Whoever supervises is killed, and another one begins.
    pub(crate) fn kill(&mut self) {
        self.cursor = Cursor::default();
        self.begin();
    }

    pub(crate) fn entries(&mut self) -> i64 {
        self.hub.store().head().unwrap().seq
    }

    /// What the minute brings.
    pub(crate) fn sweep(&mut self) -> Vec<Act> {
        let mut acts = Vec::new();
        self.hub.supervision(&self.abilities, &mut self.cursor).sweep(&mut acts).unwrap();
        acts
    }

    pub(crate) fn id_of(&mut self, agent: &str) -> AgentId {
        self.hub.store().read(|reader| reader.agents_named(agent)).unwrap()[0].id.clone()
    }

    /// What the trace says of a kind of happening, oldest first.
    pub(crate) fn traced(&mut self, kind: &str) -> Vec<String> {
        let rows = self.hub.store().read(|reader| reader.trace(1_000)).unwrap();
        rows.into_iter().rev().filter(|row| row.kind == kind).map(|row| row.data).collect()
    }

    pub(crate) fn state_dir(&self) -> PathBuf {
        self.dir.path().join("state")
    }
}
