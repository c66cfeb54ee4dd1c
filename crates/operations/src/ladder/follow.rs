//! Following the log: new entries set timers and take them away. What they do not concern is not looked at.

use std::collections::BTreeSet;

use interagent_core::decide::message;
use interagent_core::draft::Draft;
use interagent_core::entity::Agent;
use interagent_core::event::{Event, Fact};
use interagent_core::ids::{AgentId, MessageId};
use interagent_core::ladder;
use interagent_core::ladder::touched::{Touched, touched};
use interagent_core::outreach::reaches;
use interagent_core::refusal::Refusal;
use interagent_core::team::TeamConfig;
use interagent_core::vocabulary::{Conclusion, TimerKind};
use interagent_store::observe::TimerDue;
use interagent_store::reader::Reader;
use interagent_store::{Stored, Writer};

use super::climb::{Row, entry_of};
use super::judge::{Verdict, carriers, judge};
use super::trouble::{About, Trouble, is_of_one_record};
use super::{Act, FOLLOWED, Supervision};
use crate::identity;

/// Entries that are read at once.
const PAGE: u32 = 100;
/// Duties that are looked at in one transaction.
const BATCH: u32 = 200;

/// A duty by its message and who owes it.
type Owed = (MessageId, AgentId);

/// What a page of the log concerns.
#[derive(Default)]
struct News {
    reached: i64,
    duties: BTreeSet<Owed>,
    is_team: bool,
    /// The person is asked something.
    is_asked: bool,
}

/// How far the log was read. One who begins without that goes on from here: what was there before is found by its sweep,
/// which has to come after this.
pub(super) fn place(on: &mut Supervision<'_>) -> Result<i64, Refusal> {
    if let Some(seq) = on.cursor.seq {
        return Ok(seq);
    }
    let (known, head) = on
        .store
        .read(|reader| Ok::<_, Refusal>((reader.mark(FOLLOWED.0, FOLLOWED.1)?, reader.head()?.seq)))?;
    let known: Option<i64> = known.and_then(|seq| seq.parse().ok());
    // A store that was restored may stand before what was read of it.
    let seq = known.filter(|known| *known <= head).unwrap_or(head);
    on.cursor.seq = Some(seq);
    on.cursor.kept = known;
    Ok(seq)
}

/// Looks at one page of new entries. Whether there may be more.
pub(super) fn follow(on: &mut Supervision<'_>, acts: &mut Vec<Act>) -> Result<bool, Refusal> {
    let after = place(on)?;
    let head = on.store.head()?.seq;
    if after >= head {
        return Ok(false);
    }
    let mut trouble = Trouble::default();
    let news = on.store.read(|reader| read(reader, after, &mut trouble))?;
    if news.is_team {
        reconcile(on)?;
    }
    let mut over = Vec::new();
    let mut writes = Vec::new();
    on.store.read(|reader| {
        let team = reader.team()?.map(|team| team.config);
        for owed in &news.duties {
            let verdict = judge(reader, team.as_ref(), &owed.0, &owed.1);
            let Some(verdict) = trouble.sift(About::Duty(&owed.0, &owed.1), verdict)? else { continue };
            let has_timer = reader.timer(TimerKind::Ladder, owed.0.as_str(), &owed.1)?.is_some();
            match verdict {
                Verdict::Climbs(_) if has_timer => {}
                Verdict::Climbs(_) => writes.push(owed.clone()),
                Verdict::Rests if has_timer => writes.push(owed.clone()),
                Verdict::Rests => {}
                Verdict::IsOver(_) => {
                    over.push(owed.clone());
                    writes.push(owed.clone());
                }
            }
        }
        Ok::<_, Refusal>(())
    })?;
    if news.is_asked || news.is_team {
        acts.push(Act::Look);
    }
    stand_all(on, &writes, &mut trouble)?;
    for owed in &over {
        let concluded = conclude(on, owed);
        trouble.sift(About::Duty(&owed.0, &owed.1), concluded)?;
    }
    on.show(&trouble)?;
    let agents: BTreeSet<AgentId> = news.duties.into_iter().map(|(_, agent)| agent).collect();
    on.plan_for(agents, acts)?;
    // Not before all of it was looked at: where the store could not be used, it is looked at again.
    on.cursor.seq = Some(news.reached);
    Ok(news.reached < head)
}

fn read(reader: &mut Reader<'_>, after: i64, trouble: &mut Trouble) -> Result<News, Refusal> {
    let (entries, reached) = page(reader, after, trouble)?;
    let mut news = News { reached, ..News::default() };
    let operator = identity::operator(reader)?;
    for stored in entries {
        for fact in &stored.entry.facts {
            let taken = take_in(reader, &operator, fact, &mut news);
            trouble.sift(About::Entry(stored.seq), taken)?;
        }
    }
    Ok(news)
}

/// One page of new entries, and up to which place it reaches. One that can't be read is passed by.
fn page(reader: &mut Reader<'_>, after: i64, trouble: &mut Trouble) -> Result<(Vec<Stored>, i64), Refusal> {
    let head = reader.head()?.seq;
    let whole = trouble_free(reader.entries_after(after, PAGE).map_err(Refusal::from))?;
    if let Some(entries) = whole {
        let reached = entries.last().map_or(head, |last| last.seq);
        return Ok((entries, reached));
    }
    let reached = head.min(after.saturating_add(i64::from(PAGE)));
    let mut entries = Vec::new();
    for seq in after + 1..=reached {
        let found = trouble.sift(About::Entry(seq), reader.entry(seq).map_err(Refusal::from))?;
        entries.extend(found.flatten());
    }
    Ok((entries, reached))
}

/// Nothing where one record of several is bad.
fn trouble_free<T>(all: Result<T, Refusal>) -> Result<Option<T>, Refusal> {
    match all {
        Ok(all) => Ok(Some(all)),
        Err(refusal) if is_of_one_record(&refusal) => Ok(None),
        Err(refusal) => Err(refusal),
    }
}

/// What one fact of an entry concerns.
fn take_in(reader: &mut Reader<'_>, operator: &Agent, fact: &Fact, news: &mut News) -> Result<(), Refusal> {
    match touched(fact) {
        None => {}
        Some(Touched::Recipients(message, agents)) => {
            news.duties.extend(agents.into_iter().map(|agent| (message.clone(), agent)));
        }
        Some(Touched::Everybody(message)) => {
            let found = reader.message(&message)?;
            let agents = found.into_iter().flat_map(|found| found.deliveries.into_keys());
            news.duties.extend(agents.map(|agent| (message.clone(), agent)));
        }
        Some(Touched::Team) => news.is_team = true,
    }
    news.is_asked |= reaches(&fact.event, &operator.id) || matches!(&fact.event, Event::MessageReleased(_));
    Ok(())
}

/// Sets or takes away the timers of these duties, in one transaction; one that can't be judged is passed by.
fn stand_all(on: &mut Supervision<'_>, duties: &[Owed], trouble: &mut Trouble) -> Result<(), Refusal> {
    if duties.is_empty() {
        return Ok(());
    }
    on.store.observe(|writer| {
        let team = writer.look().team()?.map(|team| team.config);
        for owed in duties {
            let stood = stand(writer, team.as_ref(), owed);
            trouble.sift(About::Duty(&owed.0, &owed.1), stood)?;
        }
        Ok(())
    })
}

/// Sets the timer of a duty that climbs, and takes it away from one that does not.
fn stand(writer: &mut Writer<'_, '_>, team: Option<&TeamConfig>, owed: &Owed) -> Result<(), Refusal> {
    let (message, agent) = owed;
    let has_timer = writer.look().timer(TimerKind::Ladder, message.as_str(), agent)?.is_some();
    match judge(&mut writer.look(), team, message, agent)? {
        Verdict::Climbs(_) if has_timer => {}
        Verdict::Climbs(duty) => {
            let standing = duty.way.begin(&ladder::times(team));
            let due = standing.for_s.map_or(TimerDue::Never, TimerDue::In);
            let doc = Row::on(standing.rung).text();
            writer.put_timer(TimerKind::Ladder, message.as_str(), agent, due, &doc)?;
        }
        Verdict::Rests | Verdict::IsOver(_) => {
            writer.drop_timer(TimerKind::Ladder, message.as_str(), agent)?;
        }
    }
    Ok(())
}

/// Gives every duty its timer and takes the others away, however they came to be wrong.
pub(super) fn reconcile(on: &mut Supervision<'_>) -> Result<(), Refusal> {
    on.store.observe(|writer| Ok::<_, Refusal>(writer.drop_settled_timers()?))?;
    let mut place: Option<Owed> = None;
    let mut trouble = Trouble::default();
    loop {
        let page = on.store.read(|reader| reader.owed_without_timer(place.as_ref(), BATCH))?;
        let Some(last) = page.last().cloned() else { break };
        let climbing = on.store.read(|reader| {
            let team = reader.team()?.map(|team| team.config);
            let mut climbing = Vec::new();
            for owed in &page {
                let verdict = judge(reader, team.as_ref(), &owed.0, &owed.1);
                let verdict = trouble.sift(About::Duty(&owed.0, &owed.1), verdict)?;
                if matches!(verdict, Some(Verdict::Climbs(_))) {
                    climbing.push(owed.clone());
                }
            }
            Ok::<_, Refusal>(climbing)
        })?;
        stand_all(on, &climbing, &mut trouble)?;
        place = Some(last);
    }
    on.show(&trouble)
}

/// Agents here for which something waits, or for which something was planned.
pub(super) fn with_mail(reader: &mut Reader<'_>, trouble: &mut Trouble) -> Result<Vec<AgentId>, Refusal> {
    let mut found = Vec::new();
    for agent in reader.agents_here()? {
        let is_due = is_to_plan_for(reader, &agent);
        if trouble.sift(About::Agent(&agent), is_due)? == Some(true) {
            found.push(agent);
        }
    }
    Ok(found)
}

fn is_to_plan_for(reader: &mut Reader<'_>, agent: &AgentId) -> Result<bool, Refusal> {
    let waits = reader.has_undelivered(agent)? || !reader.reminders(agent)?.is_empty();
    Ok(waits || reader.timer(TimerKind::Wake, "", agent)?.is_some())
}

/// Who was silent settled it after all: nobody above has to answer any more.
fn conclude(on: &mut Supervision<'_>, (id, agent): &Owed) -> Result<(), Refusal> {
    let operator = on.store.read(identity::operator)?;
    on.store.append(
        entry_of(&operator, Some(agent), "ladder.conclude"),
        |writer, context| {
            let mut draft = Draft::new(context);
            let mut look = writer.look();
            let team = look.team()?.map(|team| team.config);
            if let Verdict::IsOver(over) = judge(&mut look, team.as_ref(), id, agent)? {
                let (matter, agent) = *over;
                let carriers = carriers(&mut look, &matter, &agent.id)?;
                message::conclude(&matter, &agent, &carriers, Conclusion::Settled, &mut draft);
            }
            Ok::<_, Refusal>(draft)
        },
        |_, _| Ok::<_, Refusal>(()),
    )
}
