//! Reaching one agent with waiting mail: what is observed now goes to the planner, and what it says into a row.

use interagent_core::collect::WakeDue;
use interagent_core::entity::Agent;
use interagent_core::event::Micros;
use interagent_core::ids::AgentId;
use interagent_core::ladder;
use interagent_core::ladder::waking::{
    self, Again, Attempt, Channel, Efforts, Occasion, Plan, SessionSight, Sight, Silence,
};
use interagent_core::notice::of_silence;
use interagent_core::reach::{Presence, Reach, reach};
use interagent_core::refusal::Refusal;
use interagent_core::session_id;
use interagent_core::vocabulary::TimerKind;
use interagent_store::observe::{PaneOrigin, PaneRow, SessionRow, TimerDue};
use interagent_store::reader::Reader;
use interagent_store::{Clock, Store, Writer};
use serde_json::json;

use super::{Abilities, Act, End, Outcome, Supervision, Target};
use crate::wake::{Waiting, mail_due};
use crate::{life, reach as presence};

/// What is known before anything is planned.
struct Look {
    agent: Agent,
    sessions: Vec<SessionRow>,
    /// Its terminal, where its client runs in it and has no session yet.
    bare: Option<PaneRow>,
    count: u32,
    sight: Sight,
    before: Option<Efforts>,
}

/// Plans for an agent and writes down what was planned. What is left to do is answered.
pub(super) fn plan(
    on: &mut Supervision<'_>,
    agent: &AgentId,
    occasion: Occasion,
) -> Result<Vec<Act>, Refusal> {
    let (state_dir, abilities) = (on.state_dir, on.abilities);
    if let Some(pause) = on.store.read(|reader| collects(reader, abilities, state_dir, agent, occasion))? {
        return collect_until(on, agent, pause);
    }
    // Most entries concern nobody who has to be woken: then nothing is written.
    let is_needed = occasion == Occasion::Due
        || on.store.read(|reader| {
            Ok::<_, Refusal>(match look(reader, abilities, state_dir, agent)? {
                None => reader.timer(TimerKind::Wake, "", agent)?.is_some(),
                Some(look) => {
                    let plan = waking::plan(&look.sight, look.before.as_ref(), occasion);
                    let sees_it_itself =
                        look.before.is_none() && plan.efforts.tried == [Channel::Hook].into();
                    let is_same =
                        look.before.as_ref() == Some(&plan.efforts) && plan.again == Again::AsPlanned;
                    plan.now.is_some() || !(sees_it_itself || is_same)
                }
            })
        })?;
    if !is_needed {
        return Ok(Vec::new());
    }
    on.store.observe(|writer| {
        let Some(look) = look(&mut writer.look(), abilities, state_dir, agent)? else {
            heard(writer, agent)?;
            return Ok(Vec::new());
        };
        let Plan { now, efforts, again } = waking::plan(&look.sight, look.before.as_ref(), occasion);
        let due = match again {
            Again::In(seconds) => TimerDue::In(seconds),
            Again::AsPlanned => TimerDue::AsBefore,
            Again::Never => TimerDue::Never,
        };
        writer.put_timer(TimerKind::Wake, "", agent, due, &json!(efforts).to_string())?;
        let act = now.map(|attempt| begin(writer, &look, &efforts, &attempt)).transpose()?;
        Ok(act.into_iter().collect())
    })
}

/// How long news is collected before the client is woken. A typed line is slow enough without it.
fn collects(
    reader: &mut Reader<'_>,
    abilities: &Abilities,
    state_dir: &std::path::Path,
    agent: &AgentId,
    occasion: Occasion,
) -> Result<Option<Micros>, Refusal> {
    let WakeDue::In(pause) = mail_due(reader, agent)? else { return Ok(None) };
    let Some(look) = look(reader, abilities, state_dir, agent)? else { return Ok(None) };
    let now = waking::plan(&look.sight, look.before.as_ref(), occasion).now;
    Ok(now.filter(|attempt| attempt.channel == Channel::Native).map(|_| pause))
}

/// Looks again once news has had its time to be joined by other mail.
fn collect_until(on: &mut Supervision<'_>, agent: &AgentId, pause: Micros) -> Result<Vec<Act>, Refusal> {
    let seconds = u32::try_from(pause.div_euclid(1_000_000) + 1).unwrap_or(1);
    on.store.observe(|writer| {
        let before = writer.look().timer(TimerKind::Wake, "", agent)?;
        let doc = before.map_or_else(|| json!(Efforts::default()).to_string(), |timer| timer.doc);
        Ok::<_, Refusal>(writer.put_timer(TimerKind::Wake, "", agent, TimerDue::In(seconds), &doc)?)
    })?;
    Ok(Vec::new())
}

/// Nothing waits any more. Where something was tried, that is the evidence that it helped.
fn heard(writer: &mut Writer<'_, '_>, agent: &AgentId) -> Result<(), Refusal> {
    let before = writer.look().timer(TimerKind::Wake, "", agent)?;
    let efforts: Option<Efforts> = before.and_then(|timer| serde_json::from_str(&timer.doc).ok());
    writer.drop_timer(TimerKind::Wake, "", agent)?;
    let by_us = [Channel::Native, Channel::Nudge, Channel::Run];
    if let Some(efforts) = efforts.filter(|efforts| by_us.iter().any(|by| efforts.tried.contains(by))) {
        writer.trace("wake.heard", &json!({ "agent": agent, "tried": efforts.tried }).to_string())?;
    }
    Ok(())
}

fn look(
    reader: &mut Reader<'_>,
    abilities: &Abilities,
    state_dir: &std::path::Path,
    agent: &AgentId,
) -> Result<Option<Look>, Refusal> {
    let Some(agent) = reader.agent(agent)? else { return Ok(None) };
    if agent.is_human() || agent.retired.is_some() || !reader.is_home(&agent.home)? {
        return Ok(None);
    }
    let waiting = Waiting::of(reader, &agent.id)?;
    let Some(oldest) = waiting.oldest else { return Ok(None) };
    let team = reader.team()?.map(|team| team.config);
    let ladder = ladder::times(team.as_ref());
    let sessions = reader.living_sessions(&agent.id)?;
    let (now, pane) = (reader.now(), reader.pane(&agent.id)?);
    let seen = sessions.iter().map(|row| SessionSight {
        id: row.id.clone(),
        // Working hooks decide what the sender reads, not which ways are tried.
        reach: reach(&Presence { hooked: true, ..presence::presence(state_dir, row) }),
        has_pane: row.pane.is_some() && session_id::server(&row.id).is_none(),
        silent_us: now.saturating_sub(life::last_sign(row, pane.as_ref(), state_dir)),
    });
    let seen: Vec<SessionSight> = seen.collect();
    // A session that an MCP server has for a client says nothing of its terminal.
    let has_spoken = sessions.iter().any(|row| session_id::server(&row.id).is_none());
    let bare = pane.filter(|pane| !has_spoken && is_bare(pane, reader.clock()));
    let unprompted = bare.as_ref().map(|pane| SessionSight {
        // A client that is started again stands in the same pane.
        id: format!("{} since {}", pane.pane, pane.since),
        reach: Reach::NextPrompt,
        has_pane: true,
        silent_us: now.saturating_sub(pane.since),
    });
    let sight = Sight {
        set: waiting.set,
        oldest,
        sessions: seen.into_iter().chain(unprompted).collect(),
        may_run: ladder.headless_allowed && abilities.runs.contains(&agent.profile),
        ways: abilities.channels.clone(),
        patience_s: ladder.wake_s,
    };
    let before = reader.timer(TimerKind::Wake, "", &agent.id)?;
    let before = before.and_then(|timer| serde_json::from_str(&timer.doc).ok());
    Ok(Some(Look { agent, sessions, bare, count: waiting.count, sight, before }))
}

/// Some clients begin a session, and tell of it, with their first prompt. One that was started for its agent and runs can be
/// told in its terminal all the same.
fn is_bare(pane: &PaneRow, clock: &dyn Clock) -> bool {
    pane.origin == PaneOrigin::Launched && !pane.is_gone(clock)
}

pub(super) fn target(agent: &Agent, session: Option<&SessionRow>) -> Target {
    Target {
        agent: agent.id.clone(),
        name: agent.name.to_string(),
        profile: session.map_or(&agent.profile, |row| &row.profile).clone(),
        session: session.map(|row| row.id.clone()),
        pane: session.and_then(|row| row.pane.clone()),
    }
}

/// What an attempt is for whoever carries it out.
fn begin(
    writer: &mut Writer<'_, '_>,
    look: &Look,
    efforts: &Efforts,
    attempt: &Attempt,
) -> Result<Act, Refusal> {
    let Look { agent, sessions, bare, count, .. } = look;
    let session = attempt.session.as_ref().and_then(|id| sessions.iter().find(|row| row.id == *id));
    let data =
        json!({ "agent": agent.id, "session": session.map(|row| &row.id), "waiting": count }).to_string();
    match attempt.channel {
        Channel::Run => writer.trace("wake.run", &data)?,
        Channel::Person => {
            writer.trace("wake.person", &data)?;
            let waits =
                if *count == 1 { "1 message waits".to_owned() } else { format!("{count} messages wait") };
            let name = &agent.name;
            let (attach, wake) = (format!("interagent attach {name}"), format!("interagent wake {name}"));
            let (what, command) = match waking::silence(&look.sight, efforts) {
                Silence::Stuck => ("which is in a turn and gave no sign for long".to_owned(), attach),
                Silence::Asking => ("which waits for a person's permission".to_owned(), attach),
                Silence::PutOff(why) => (format!("and no line can be typed: {why}"), attach),
                Silence::Unheard => ("and nothing reaches it".to_owned(), wake),
            };
            let sentence = format!("{waits} for {name}, {what}");
            return Ok(Act::Tell(of_silence(&sentence, &command)));
        }
        // Told by who tries, who knows how it went.
        Channel::Hook | Channel::Waiter | Channel::Native | Channel::Nudge | Channel::Signal => {}
    }
    let target = match (session, bare) {
        (None, Some(bare)) => {
            Target { profile: bare.profile.clone(), pane: Some(bare.pane.clone()), ..target(agent, None) }
        }
        (session, _) => target(agent, session),
    };
    let oldest = look.sight.oldest.clone();
    Ok(Act::Reach { target, channel: attempt.channel, waiting: *count, oldest })
}

/// Notes what became of an attempt. What failed makes way for the next one at once; a line that was typed gets its time to
/// be heard, and one that would have disturbed somebody is put off. What was tried for a message that was taken meanwhile
/// says nothing of the next one.
pub(crate) fn report(store: &mut Store, agent: &AgentId, outcome: &Outcome) -> Result<(), Refusal> {
    store.observe(|writer| {
        let is_line = outcome.channel == Channel::Nudge;
        if is_line {
            let what = match outcome.end {
                End::Done => "nudge.typed",
                End::Failed(_) => "nudge.failed",
                End::PutOff(_) => "nudge.put_off",
            };
            writer.trace(what, &json!({ "agent": agent, "why": outcome.end.why() }).to_string())?;
        }
        let Some(timer) = writer.look().timer(TimerKind::Wake, "", agent)? else { return Ok(()) };
        let efforts: Efforts = serde_json::from_str(&timer.doc).unwrap_or_default();
        if efforts.oldest != outcome.oldest {
            return Ok(());
        }
        let (efforts, due) = match (&outcome.end, is_line) {
            (End::Done, true) => due(waking::was_typed(efforts)),
            (End::PutOff(why), true) => due(waking::was_put_off(efforts, why)),
            (End::Failed(_) | End::PutOff(_), false) => (efforts, TimerDue::In(0)),
            (End::Done, false) | (End::Failed(_), true) => (efforts, TimerDue::AsBefore),
        };
        Ok(writer.put_timer(TimerKind::Wake, "", agent, due, &json!(efforts).to_string())?)
    })
}

fn due((efforts, seconds): (Efforts, u32)) -> (Efforts, TimerDue) {
    (efforts, TimerDue::In(seconds))
}
