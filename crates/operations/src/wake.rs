//! Waking: which idle sessions of an agent are told from outside that mail waits. Decided and traced here, done by whoever is
//! on their machine.

use interagent_core::limits;
use interagent_core::reach::reach;
use interagent_core::refusal::Refusal;
use interagent_store::observe::SessionRow;
use interagent_wire::answer::{WakeTarget, WakeView};
use interagent_wire::request as ask;
use interagent_wire::{Answer, LocalEffect};
use serde_json::json;

use crate::call::Call;
use crate::mail::NOBODY;
use crate::names::who;
use crate::reach::presence;
use crate::resolve;

/// Names the sessions that are to be woken now: once for each set of waiting messages.
pub(crate) fn wake(call: &mut Call<'_>, params: &ask::SessionWake) -> Result<Answer, Refusal> {
    let state_dir = call.state_dir;
    let mut why = None;
    let view = call.store.observe(|writer| {
        let mut look = writer.look();
        let agent = resolve::agent(&mut look, &params.agent)?;
        let mut rows = look.takeable(&agent.id, NOBODY, limits::PAGE_MAX)?;
        rows.retain(|row| !row.message.quiet);
        let set = rows.iter().map(|row| row.message.id.as_str()).collect::<Vec<_>>().join(" ");
        let clock = look.clock();
        let mut sessions: Vec<SessionRow> = look.sessions(Some(&agent.id))?;
        sessions.retain(|row| !row.is_gone(clock));
        if rows.is_empty() {
            why = Some(format!("nothing waits for {}", agent.name));
        } else if sessions.is_empty() {
            why = Some(format!("{} has no session", agent.name));
        }
        let mut targets = Vec::new();
        for mut row in sessions {
            let presence = presence(state_dir, &row);
            let reach = reach(&presence);
            let is_due = !rows.is_empty() && reach.needs_wake() && row.woken.as_deref() != Some(&set);
            if is_due {
                let data =
                    json!({ "agent": agent.id, "session": row.id, "way": row.wake, "waiting": rows.len() });
                writer.trace("wake.tried", &data.to_string())?;
                row.woken = Some(set.clone());
                writer.put_session(&row)?;
            }
            targets.push(WakeTarget {
                session: row.id,
                profile: row.profile,
                pid: row.process.map(|process| process.pid),
                way: row.wake.filter(|_| is_due),
                reach: reach.to_string(),
            });
        }
        let waiting = u32::try_from(rows.len()).unwrap_or(u32::MAX);
        let agent = who(&mut writer.look(), &agent)?;
        Ok::<_, Refusal>(WakeView { agent, waiting, targets })
    })?;
    call.unchanged = why;
    // Nobody wakes for a wake.
    call.effects.retain(|effect| !matches!(effect, LocalEffect::Wake { .. }));
    Ok(view.into())
}
