//! A duo in a directory of its own, with a clock that stands still.

use std::sync::Arc;

use interagent_core::refusal::Refusal;
use interagent_core::team::{TeamConfig, render};
use interagent_operations::{Hub, LocalHub, Opening};
use interagent_store::ManualClock;
use interagent_wire::answer::InboxView;
use interagent_wire::request as ask;
use interagent_wire::{Answer, Caller, Request};

pub(super) const START_US: i64 = 1_793_914_800_000_000;

/// `claude` is the principal, `kimi` its delegate.
pub(super) struct Team {
    pub(super) hub: LocalHub,
    pub(super) clock: Arc<ManualClock>,
    dir: tempfile::TempDir,
}

fn opening(dir: &tempfile::TempDir) -> Opening {
    Opening {
        hub_dir: dir.path().to_owned(),
        create: true,
        alias: "here".into(),
        hub_id: None,
        user_dir: None,
    }
}

impl Team {
    pub(super) fn duo() -> Self {
        let mut team = Self::without_rules();
        team.ok(&Caller::operator(), ask::TeamTake { text: render(&TeamConfig::usual_duo("demo")) });
        team
    }

    pub(super) fn without_rules() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let clock = Arc::new(ManualClock::new(START_US));
        let hub = LocalHub::open_with_clock(&opening(&dir), clock.clone()).unwrap();
        Self { hub, clock, dir }
    }

    /// The machine starts anew, at the given wall time.
    pub(super) fn reboot(self, wall_us: i64) -> Self {
        let Self { hub, dir, .. } = self;
        drop(hub);
        let mut clock = ManualClock::new(wall_us);
        clock.reboot("boot-2");
        let clock = Arc::new(clock);
        let hub = LocalHub::open_with_clock(&opening(&dir), clock.clone()).unwrap();
        Self { hub, clock, dir }
    }

    /// The same hub in a copy of its directory: another replica.
    pub(super) fn copied(self) -> Self {
        let Self { mut hub, clock, dir } = self;
        let copy = tempfile::tempdir().unwrap();
        std::fs::create_dir(copy.path().join("state")).unwrap();
        let database = std::fs::read_dir(hub.state_dir())
            .unwrap()
            .map(|file| file.unwrap().file_name())
            .find(|name| name.to_string_lossy().ends_with(".db"))
            .unwrap();
        hub.store().backup_to(&copy.path().join("state").join(database), &mut |_| {}).unwrap();
        drop((hub, dir));
        let opening = Opening { alias: "there".into(), ..opening(&copy) };
        let mut hub = LocalHub::open_with_clock(&opening, clock.clone()).unwrap();
        assert!(hub.store().become_copy("there").unwrap());
        Self { hub, clock, dir: copy }
    }

    pub(super) fn register(&mut self, name: &str, profile: &str) {
        let params =
            ask::AgentRegister { name: name.into(), profile: Some(profile.into()), ..Default::default() };
        self.ok(&Caller::operator(), params);
    }

    pub(super) fn seq(&mut self) -> i64 {
        self.hub.store().head().unwrap().seq
    }

    pub(super) fn try_call(
        &mut self,
        caller: &Caller,
        request: impl Into<Request>,
    ) -> Result<Answer, Refusal> {
        self.hub.call(caller, request.into()).map(|reply| reply.answer)
    }

    pub(super) fn ok(&mut self, caller: &Caller, request: impl Into<Request>) -> Answer {
        self.try_call(caller, request).unwrap()
    }

    /// Carries out what must leave the log as it is.
    pub(super) fn quietly(&mut self, caller: &Caller, request: impl Into<Request>) -> Answer {
        let before = self.hub.store().head().unwrap();
        let answer = self.ok(caller, request);
        assert_eq!(self.hub.store().head().unwrap(), before, "nothing enters the log");
        answer
    }

    pub(super) fn refused(&mut self, caller: &Caller, request: impl Into<Request>) -> Refusal {
        let before = self.hub.store().head().unwrap();
        let refusal = self.try_call(caller, request).unwrap_err();
        assert_eq!(self.hub.store().head().unwrap(), before, "a refusal leaves nothing in the log");
        refusal
    }

    pub(super) fn inbox(&mut self, agent: &str) -> InboxView {
        let params = ask::MessageInbox { agent: Some(agent.into()), ..Default::default() };
        match self.ok(&Caller::operator(), params) {
            Answer::Inbox(inbox) => inbox,
            other => panic!("{other:?}"),
        }
    }

    pub(super) fn subjects(&mut self, agent: &str) -> Vec<String> {
        self.inbox(agent).items.into_iter().map(|mail| mail.subject).collect()
    }
}

pub(super) fn claude() -> Caller {
    Caller::agent("claude")
}

pub(super) fn kimi() -> Caller {
    Caller::agent("kimi")
}
