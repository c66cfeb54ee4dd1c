//! Timers: what is to be looked at again, when, and what is known of it until then. Whoever supervises sleeps until the
//! first; nobody scans.

use interagent_core::ids::{AgentId, MessageId};
use interagent_core::name::OPERATOR;
use interagent_core::vocabulary::TimerKind;

use super::Deadline;
use crate::append::Writer;
use crate::clock::Clock;
use crate::engine::Row;
use crate::error::StoreError;
use crate::log;
use crate::params;
use crate::reader::Reader;

/// Later than every moment of any clock; far enough from the limits to count with.
const NEVER_US: i64 = i64::MAX / 4;

/// Something to look at again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Timer {
    /// Of which kind.
    pub kind: TimerKind,
    /// About what: the id of a message, or nothing.
    pub subject: String,
    /// Whose.
    pub agent: AgentId,
    /// When.
    pub deadline: Deadline,
    /// What is known until then, as its kind spells it.
    pub doc: String,
}

/// When a timer is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Due {
    /// In so many seconds.
    In(u32),
    /// When it was due before; at once where there was none.
    AsBefore,
    /// Not by itself.
    Never,
}

/// When the first timer is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FirstDue {
    /// By the clock that timers run by: comparable with another one of the same run of the machine.
    pub at: i64,
    /// Microseconds until then; negative once it has come.
    pub left_us: i64,
}

/// The clock that timers run by: boot time where this run of the machine has a name, otherwise wall time.
fn now(clock: &dyn Clock) -> (String, i64) {
    let boot = clock.boot_id().to_owned();
    let at = if boot.is_empty() { clock.wall_us() } else { clock.boot_us() };
    (boot, at)
}

impl Timer {
    fn read(row: &Row) -> Result<Self, StoreError> {
        Ok(Self {
            kind: row.text(0)?.parse().map_err(log::bad)?,
            subject: row.text(1)?.to_owned(),
            agent: AgentId::parse(row.text(2)?).map_err(log::bad)?,
            deadline: Deadline {
                boot: row.text(3)?.to_owned(),
                due_boot: row.int(4)?,
                due_wall: row.int(5)?,
            },
            doc: row.text(6)?.to_owned(),
        })
    }
}

impl Reader<'_> {
    /// One timer.
    pub fn timer(
        &mut self,
        kind: TimerKind,
        subject: &str,
        agent: &AgentId,
    ) -> Result<Option<Timer>, StoreError> {
        let rows = self.rows(
            "SELECT kind, subject, agent, boot, due_boot, due_wall, doc FROM timers
             WHERE hub = $1 AND kind = $2 AND subject = $3 AND agent = $4",
            &params![self.hub, kind.as_str(), subject, agent.as_str()],
        )?;
        rows.first().map(Timer::read).transpose()
    }

    /// What an agent is to be told again: messages that it owes something for, and work that it is in the middle of.
    pub fn reminders(&mut self, agent: &AgentId) -> Result<Vec<String>, StoreError> {
        let rows = self.rows(
            "SELECT subject FROM timers WHERE hub = $1 AND kind = $2 AND agent = $3 ORDER BY subject",
            &params![self.hub, TimerKind::Remind.as_str(), agent.as_str()],
        )?;
        rows.iter().map(|row| Ok(row.text(0)?.to_owned())).collect()
    }

    /// When the first timer is due; nothing where none ever is.
    pub fn first_due(&mut self) -> Result<Option<FirstDue>, StoreError> {
        let (boot, at) = now(self.clock());
        let rows = self.rows(
            "SELECT due_boot FROM timers WHERE hub = $1 AND boot = $2 AND due_boot < $3 ORDER BY due_boot LIMIT 1",
            &params![self.hub, boot, NEVER_US],
        )?;
        rows.first().map(|row| Ok(FirstDue { at: row.int(0)?, left_us: row.int(0)? - at })).transpose()
    }

    /// The timers whose time has come, first come first.
    pub fn due_timers(&mut self, limit: u32) -> Result<Vec<Timer>, StoreError> {
        let (boot, at) = now(self.clock());
        let rows = self.rows(
            "SELECT kind, subject, agent, boot, due_boot, due_wall, doc FROM timers
             WHERE hub = $1 AND boot = $2 AND due_boot <= $3 ORDER BY due_boot, kind, subject, agent LIMIT $4",
            &params![self.hub, boot, at, limit],
        )?;
        rows.iter().map(Timer::read).collect()
    }

    /// Duties of the agents here that no ladder timer stands for, after a place in their order. Those of people and of
    /// agents elsewhere never have one.
    pub fn owed_without_timer(
        &mut self,
        after: Option<&(MessageId, AgentId)>,
        limit: u32,
    ) -> Result<Vec<(MessageId, AgentId)>, StoreError> {
        let (message, agent) = after.map_or(("", ""), |(message, agent)| (message.as_str(), agent.as_str()));
        let now = self.now();
        let mut found = Vec::new();
        for home in self.homes()? {
            let rows = self.rows(
                "SELECT o.message, o.agent FROM obligations o JOIN messages m ON m.hub = o.hub AND m.id = o.message
                 JOIN agents a ON a.hub = o.hub AND a.id = o.agent AND a.home = $1 AND a.name <> $2
                 LEFT JOIN timers t ON t.hub = o.hub AND t.kind = 'ladder' AND t.subject = o.message AND t.agent = o.agent
                 WHERE o.hub = $3 AND (o.message, o.agent) > ($4, $5) AND t.subject IS NULL
                 AND (m.expires IS NULL OR m.expires > $6) ORDER BY o.message, o.agent LIMIT $7",
                &params![home.as_str(), OPERATOR, self.hub, message, agent, now, limit],
            )?;
            for row in &rows {
                let message = MessageId::parse(row.text(0)?).map_err(log::bad)?;
                found.push((message, AgentId::parse(row.text(1)?).map_err(log::bad)?));
            }
        }
        // Each home's came in order, and only together they are a page.
        found.sort();
        found.truncate(limit as usize);
        Ok(found)
    }
}

impl Writer<'_, '_> {
    /// Sets a timer.
    pub fn put_timer(
        &mut self,
        kind: TimerKind,
        subject: &str,
        agent: &AgentId,
        due: Due,
        doc: &str,
    ) -> Result<(), StoreError> {
        let (boot, at) = now(self.clock());
        let wall = self.clock().wall_us();
        let (due_boot, due_wall) = match due {
            Due::In(seconds) => {
                let span = i64::from(seconds).saturating_mul(1_000_000);
                (at.saturating_add(span), wall.saturating_add(span))
            }
            Due::Never => (NEVER_US, NEVER_US),
            Due::AsBefore => match self.look().timer(kind, subject, agent)? {
                Some(before) => (before.deadline.due_boot, before.deadline.due_wall),
                None => (at, wall),
            },
        };
        let hub = self.hub();
        self.note(
            "INSERT INTO timers (hub, kind, subject, agent, boot, due_boot, due_wall, doc)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
             ON CONFLICT (hub, kind, subject, agent) DO UPDATE SET boot = excluded.boot,
             due_boot = excluded.due_boot, due_wall = excluded.due_wall, doc = excluded.doc",
            &params![hub, kind.as_str(), subject, agent.as_str(), boot, due_boot, due_wall, doc],
        )?;
        Ok(())
    }

    /// Takes a timer away. Whether there was one.
    pub fn drop_timer(
        &mut self,
        kind: TimerKind,
        subject: &str,
        agent: &AgentId,
    ) -> Result<bool, StoreError> {
        let hub = self.hub();
        let dropped = self.note(
            "DELETE FROM timers WHERE hub = $1 AND kind = $2 AND subject = $3 AND agent = $4",
            &params![hub, kind.as_str(), subject, agent.as_str()],
        )?;
        Ok(dropped > 0)
    }

    /// Takes the reminders of an agent away: it was told, or there is nothing left to tell.
    pub fn drop_reminders(&mut self, agent: &AgentId) -> Result<u64, StoreError> {
        let hub = self.hub();
        self.note(
            "DELETE FROM timers WHERE hub = $1 AND kind = $2 AND agent = $3",
            &params![hub, TimerKind::Remind.as_str(), agent.as_str()],
        )
    }

    /// Takes the timers away whose duty is settled, or not worth settling any more.
    pub fn drop_settled_timers(&mut self) -> Result<u64, StoreError> {
        let (hub, now) = (self.hub(), self.clock().wall_us());
        self.note(
            "DELETE FROM timers WHERE hub = $1 AND kind IN ('ladder', 'remind') AND subject LIKE 'msg-%' AND NOT EXISTS (
                 SELECT 1 FROM obligations o JOIN messages m ON m.hub = o.hub AND m.id = o.message
                 WHERE o.hub = timers.hub AND o.message = timers.subject AND o.agent = timers.agent
                 AND (m.expires IS NULL OR m.expires > $2))",
            &params![hub, now],
        )
    }

    /// Lets the timers of an earlier run of the machine go on by the clock of this one.
    pub fn carry_timers_over(&mut self) -> Result<u64, StoreError> {
        let (boot, at) = now(self.clock());
        let (hub, wall) = (self.hub(), self.clock().wall_us());
        self.note(
            "UPDATE timers SET boot = $1,
             due_boot = CASE WHEN due_wall >= $2 THEN $2 ELSE $3 + (due_wall - $4) END
             WHERE hub = $5 AND boot <> $1",
            &params![boot, NEVER_US, at, wall, hub],
        )
    }
}
