//! Waking: which idle sessions of an agent are told from outside that mail waits. Decided and recorded here, done by whoever
//! is on their machine.
//!
//! A session counts as woken when somebody says that it was: one whose client could not be told is tried again.

use interagent_core::collect::{self, WakeDue};
use interagent_core::entity::Agent;
use interagent_core::event::Micros;
use interagent_core::ids::AgentId;
use interagent_core::limits;
use interagent_core::reach::reach;
use interagent_core::refusal::Refusal;
use interagent_core::text::hex;
use interagent_store::observe::SessionRow;
use interagent_store::reader::Reader;
use interagent_store::{Store, Writer};
use interagent_wire::answer::{WakeTarget, WakeView};
use interagent_wire::request as ask;
use interagent_wire::{Answer, LocalEffect};
use serde_json::json;
use sha2::{Digest, Sha256};

use crate::call::Call;
use crate::mail::NOBODY;
use crate::names::who;
use crate::reach::presence;
use crate::resolve;

/// Whoever tries for longer than this gave up without a word. A command that wakes has less.
const TRY_US: Micros = 60_000_000;

/// Names the sessions that are to be woken now: once for each set of waiting messages. Records first what became of it.
pub(crate) fn wake(call: &mut Call<'_>, params: &ask::SessionWake) -> Result<Answer, Refusal> {
    let state_dir = call.state_dir;
    let is_report = !params.woken.is_empty() || !params.failed.is_empty();
    let mut why = None;
    let view = call.store.observe(|writer| {
        let mut look = writer.look();
        let agent = resolve::agent(&mut look, &params.agent)?;
        let waiting = Waiting::of(&mut look, &agent.id)?;
        let now = look.now();
        let sessions = look.living_sessions(&agent.id)?;
        if waiting.count == 0 {
            why = Some(format!("nothing waits for {}", agent.name));
        } else if sessions.is_empty() {
            why = Some(format!("{} has no session", agent.name));
        }
        let mut targets = Vec::new();
        for mut row in sessions {
            let before = row.clone();
            if is_report {
                record(writer, &agent, &mut row, params, params.set.as_deref().unwrap_or(&waiting.set))?;
            }
            let reach = reach(&presence(state_dir, &row));
            let was_woken = row.woken.as_deref() == Some(&waiting.set);
            let is_tried = row
                .waking
                .as_ref()
                .is_some_and(|(set, since)| *set == waiting.set && (0..TRY_US).contains(&(now - since)));
            let is_due = !is_report && waiting.count > 0 && reach.needs_wake() && !was_woken && !is_tried;
            if is_due {
                trace(writer, "wake.tried", &agent, &row, waiting.count)?;
                row.waking = Some((waiting.set.clone(), now));
            }
            if row != before {
                writer.put_session(&row)?;
            }
            targets.push(WakeTarget {
                session: row.id,
                profile: row.profile,
                pid: row.process.map(|process| process.pid),
                cwd: row.cwd,
                way: row.wake.filter(|_| is_due),
                reach: reach.to_string(),
                sees: !reach.needs_person() && (!reach.needs_wake() || was_woken || is_tried),
            });
        }
        let agent = who(&mut writer.look(), &agent)?;
        Ok::<_, Refusal>(WakeView { agent, waiting: waiting.count, set: waiting.set, targets })
    })?;
    call.unchanged = why;
    // Nobody wakes for a wake.
    call.effects.retain(|effect| !matches!(effect, LocalEffect::Wake { .. }));
    Ok(view.into())
}

/// A waiter is about to wake its session: once for each set, or a session that can't be told would be woken for ever.
pub(crate) fn by_waiter(store: &mut Store, session: &str) -> Result<Option<u32>, Refusal> {
    store.observe(|writer| {
        let mut look = writer.look();
        let Some(mut row) = look.session(session)? else { return Ok(None) };
        let Some(agent) = look.agent(&row.agent)? else { return Ok(None) };
        let waiting = Waiting::of(&mut look, &agent.id)?;
        if waiting.count == 0 || row.woken.as_deref() == Some(&waiting.set) {
            return Ok(None);
        }
        trace(writer, "wake.done", &agent, &row, waiting.count)?;
        row.woken = Some(waiting.set);
        writer.put_session(&row)?;
        Ok(Some(waiting.count))
    })
}

/// When what waits for an agent wakes it, and where the log stands; nothing where nothing waits.
pub(crate) fn due(reader: &mut Reader<'_>, agent: &str) -> Result<Option<(WakeDue, i64)>, Refusal> {
    let agent = resolve::agent(reader, agent)?;
    let due = mail_due(reader, &agent.id)?;
    Ok(Some((due, reader.head()?.seq)))
}

/// When an agent's waiting mail wakes it. Reminders are always due.
pub(crate) fn mail_due(reader: &mut Reader<'_>, agent: &AgentId) -> Result<WakeDue, Refusal> {
    if !reader.reminders(agent)?.is_empty() {
        return Ok(WakeDue::Now);
    }
    let rows = reader.takeable(agent, NOBODY, limits::PAGE_MAX)?;
    Ok(collect::wake_due(rows.iter().map(|row| &row.message), agent, reader.now()))
}

/// What waits for an agent and may wake it: mail, and what it is to be told again.
pub(crate) struct Waiting {
    pub(crate) count: u32,
    /// Names these messages and no others.
    pub(crate) set: String,
    /// The one that waits longest; nothing where nothing waits.
    pub(crate) oldest: Option<String>,
}

impl Waiting {
    pub(crate) fn of(look: &mut Reader<'_>, agent: &AgentId) -> Result<Self, Refusal> {
        let mut rows = look.takeable(agent, NOBODY, limits::PAGE_MAX)?;
        rows.retain(|row| !row.message.quiet);
        let mut names: Vec<String> = rows.iter().map(|row| row.message.id.to_string()).collect();
        // What it has and is silent about is another matter than when it had not read it.
        names.extend(look.reminders(agent)?.iter().map(|message| format!("{message} again")));
        let mut set = hex(&Sha256::digest(names.join(" ").as_bytes()));
        set.truncate(32);
        let count = u32::try_from(names.len()).unwrap_or(u32::MAX);
        Ok(Self { count, set, oldest: names.into_iter().next() })
    }
}

/// Notes what became of a try.
fn record(
    writer: &mut Writer<'_, '_>,
    agent: &Agent,
    row: &mut SessionRow,
    params: &ask::SessionWake,
    set: &str,
) -> Result<(), Refusal> {
    if params.woken.contains(&row.id) {
        row.woken = Some(set.to_owned());
        row.waking = None;
        trace(writer, "wake.done", agent, row, None)
    } else if params.failed.contains(&row.id) {
        row.waking = None;
        trace(writer, "wake.failed", agent, row, None)
    } else {
        Ok(())
    }
}

fn trace(
    writer: &mut Writer<'_, '_>,
    what: &str,
    agent: &Agent,
    row: &SessionRow,
    waiting: impl Into<Option<u32>>,
) -> Result<(), Refusal> {
    let waiting: Option<u32> = waiting.into();
    let data = json!({ "agent": agent.id, "session": row.id, "way": row.wake, "waiting": waiting });
    Ok(writer.trace(what, &data.to_string())?)
}
