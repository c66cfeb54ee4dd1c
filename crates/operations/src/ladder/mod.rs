//! Supervising: what happens by itself when nobody acts. Decided and recorded here, done by whoever is on the machine.
//!
//! Rows say what is to be looked at when; the log says what was decided. Each step is one transaction in which the row moves
//! on, so whoever supervises may be killed at any moment: the next one goes on from there. No member asks for any of this;
//! what enters the log is written by the operator of this replica on behalf of who was silent, and says that the ladder did
//! it.

mod act;
mod climb;
mod default;
mod follow;
mod judge;
mod reset;
mod stopped;
mod story;
mod trouble;
mod wake;

use std::path::Path;
use std::time::Duration;

use interagent_core::ids::AgentId;
use interagent_core::ladder::waking::Occasion;
use interagent_core::refusal::Refusal;
use interagent_core::vocabulary::TimerKind;
use interagent_store::Store;
use interagent_store::observe::{Timer, TimerDue};
use serde_json::json;

pub use act::{Abilities, Act, End, Outcome, Target};
pub(crate) use reset::is_wanted;
pub(crate) use wake::report;

pub(crate) use self::stopped::left_tasks;
use self::trouble::{About, Trouble, is_of_one_record};

/// Timers that are taken at once: enough for a large team, and no more than a moment's work.
const DUE_AT_ONCE: u32 = 64;
/// When something that failed is looked at again.
const AFTER_TROUBLE_S: u32 = 60;
/// The mark of how far the log was followed.
const FOLLOWED: (&str, &str) = ("followed", "ladder");

/// One hub, supervised. Keeps nothing that is not in the store but how far it has read.
#[derive(Debug)]
pub struct Supervision<'h> {
    store: &'h mut Store,
    state_dir: &'h Path,
    abilities: &'h Abilities,
    cursor: &'h mut Cursor,
}

/// How far a supervisor has read the log. A new one goes on where the one before stopped writing it down.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cursor {
    seq: Option<i64>,
    /// How much of it is written down.
    kept: Option<i64>,
}

impl<'h> Supervision<'h> {
    pub(crate) fn new(
        store: &'h mut Store,
        state_dir: &'h Path,
        abilities: &'h Abilities,
        cursor: &'h mut Cursor,
    ) -> Self {
        Self { store, state_dir, abilities, cursor }
    }

    /// Begins: timers of an earlier run of the machine go on, and what was missed is made up for. What is left to do goes into
    /// `acts`, here and below also where it fails later on: the rows say already that it was done.
    pub fn begin(&mut self, acts: &mut Vec<Act>) -> Result<(), Refusal> {
        follow::place(self)?;
        self.store.observe(|writer| Ok::<_, Refusal>(writer.carry_timers_over()?))?;
        self.sweep(acts)
    }

    /// Repairs whatever a follower could have missed: duties without a timer, timers without a duty, mail that nobody was
    /// told of.
    pub fn sweep(&mut self, acts: &mut Vec<Act>) -> Result<(), Refusal> {
        follow::reconcile(self)?;
        reset::end_unwanted(self)?;
        stopped::tell(self)?;
        let mut trouble = Trouble::default();
        let agents = self.store.read(|reader| follow::with_mail(reader, &mut trouble))?;
        self.show(&trouble)?;
        self.plan_for(agents, acts)
    }

    /// Plans for those who may have to be reached; one who can't be planned for is passed by.
    fn plan_for(
        &mut self,
        agents: impl IntoIterator<Item = AgentId>,
        acts: &mut Vec<Act>,
    ) -> Result<(), Refusal> {
        let mut trouble = Trouble::default();
        for agent in agents {
            let planned = wake::plan(self, &agent, Occasion::News);
            acts.extend(trouble.sift(About::Agent(&agent), planned)?.into_iter().flatten());
        }
        self.show(&trouble)
    }

    /// Shows what was passed by.
    fn show(&mut self, trouble: &Trouble) -> Result<(), Refusal> {
        if trouble.is_none() {
            return Ok(());
        }
        self.store.observe(|writer| Ok(trouble.trace(writer)?))
    }

    /// Looks at what new entries concern, and takes the steps that are due.
    pub fn pass(&mut self, acts: &mut Vec<Act>) -> Result<(), Refusal> {
        while follow::follow(self, acts)? {}
        loop {
            let due = self.store.read(|reader| reader.due_timers(DUE_AT_ONCE))?;
            for timer in &due {
                match self.take(timer) {
                    Ok(done) => acts.extend(done),
                    // One bad record harms nobody else.
                    Err(refusal) if is_of_one_record(&refusal) => self.put_off(timer, &refusal)?,
                    Err(refusal) => return Err(refusal),
                }
            }
            if due.len() < usize::try_from(DUE_AT_ONCE).unwrap_or(usize::MAX) {
                return Ok(());
            }
        }
    }

    fn take(&mut self, timer: &Timer) -> Result<Vec<Act>, Refusal> {
        match timer.kind {
            TimerKind::Ladder => climb::climb(self, timer),
            // A reminder has no time of its own: it is told when a turn begins.
            TimerKind::Wake | TimerKind::Remind => wake::plan(self, &timer.agent, Occasion::Due),
        }
    }

    /// What can't be done now is tried again, and shown.
    fn put_off(&mut self, timer: &Timer, refusal: &Refusal) -> Result<(), Refusal> {
        let data = json!({ "agent": timer.agent, "message": timer.subject, "why": refusal.sentence });
        self.store.observe(|writer| {
            let (kind, subject) = (timer.kind, timer.subject.as_str());
            writer.put_timer(kind, subject, &timer.agent, TimerDue::In(AFTER_TROUBLE_S), &timer.doc)?;
            writer.trace("ladder.failed", &data.to_string())
        })?;
        Ok(())
    }

    /// Writes down how far the log was read. To be called once the acts of a pass were handed over: what people are told
    /// is told again after a crash rather than never. Everything else may be looked at twice.
    pub fn keep(&mut self) -> Result<(), Refusal> {
        if let Some(seq) = self.cursor.seq.filter(|seq| self.cursor.kept != Some(*seq)) {
            self.store.observe(|writer| writer.put_mark(FOLLOWED.0, FOLLOWED.1, &seq.to_string()))?;
            self.cursor.kept = Some(seq);
        }
        Ok(())
    }

    /// Sleeps until there is something to look at, or the time is over.
    pub fn wait(&mut self, longest: Duration) -> Result<(), Refusal> {
        let seen = self.cursor.seq.unwrap_or_default();
        let first = self.store.read(|reader| Ok::<_, Refusal>(reader.first_due()?))?;
        let until_due = first.map(|first| Duration::from_micros(u64::try_from(first.left_us).unwrap_or(0)));
        let timeout = until_due.map_or(longest, |until| until.min(longest));
        self.store.wait(timeout, |reader| {
            let now = reader.first_due()?;
            let is_due = now.is_some_and(|now| now.left_us <= 0);
            let is_other = now.map(|now| now.at) != first.map(|first| first.at);
            let has_grown = reader.head()?.seq > seen;
            Ok::<_, Refusal>((is_due || is_other || has_grown).then_some(()))
        })?;
        Ok(())
    }

    /// Whether a step is due, or a new entry is not looked at yet.
    pub fn is_behind(&mut self) -> Result<bool, Refusal> {
        let seen = self.cursor.seq.unwrap_or_default();
        self.store.read(|reader| {
            let is_due = reader.first_due()?.is_some_and(|first| first.left_us <= 0);
            Ok(is_due || reader.head()?.seq > seen)
        })
    }
}
