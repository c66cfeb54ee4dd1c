//! Inboxes: what an agent has not read, what it owes, and on wish what it has read.
//!
//! Looking changes nothing; a hand-over is `mail::take`. Unread messages come first and oldest first, because they are
//! worked off in this order; those that were read follow newest first.

use interagent_core::entity::Agent;
use interagent_core::limits;
use interagent_core::limits::COUNTED;
use interagent_core::refusal::Refusal;
use interagent_core::vocabulary::DeliveryState;
use interagent_store::reader::{MailRow, PageStart, Reader};
#[cfg(feature = "sabotage")]
use interagent_store::sabotage::{self, Sabotage};
use interagent_wire::Answer;
use interagent_wire::answer::InboxView;
use interagent_wire::request as ask;

use crate::call::Call;
use crate::identity::Known;
use crate::mail::{DUTIES_SHOWN, Extent, Viewer, duties, mail_view, owed};
use crate::names::{Names, who};
use crate::tasks::access::Access;
use crate::{resolve, signals};

/// What the end of a page begins with, once it is among the messages that were read.
const AMONG_READ: &str = "read.";

/// An agent's inbox, without changing anything.
pub(crate) fn inbox(call: &mut Call<'_>, params: &ask::MessageInbox) -> Result<Answer, Refusal> {
    let (holder, has_session) = (call.caller.holder(), call.caller.session.is_some());
    #[cfg(feature = "sabotage")]
    if sabotage::is(Sabotage::IdleWrite) {
        call.store.observe(|writer| writer.trace("sabotage", "{}"))?;
    }
    let start = Start::read(params.after.as_deref())?;
    let limit = resolve::page_limit(params.limit);
    let (shown, tidied) = call.read(|reader, known| {
        let agent = resolve::agent_or_caller(reader, params.agent.as_deref(), known)?;
        let mut rows = page(reader, &agent, &start, limit + 1, params.all)?;
        let next = resolve::next_page(&mut rows, limit, end_of);
        // The whole inbox on one page: counting and looking again would find nothing more.
        let whole = next.is_none() && matches!(start, Start::Beginning);
        let is_unread = |row: &&MailRow| row.delivery.is_unread();
        let unread = match u32::try_from(rows.iter().filter(is_unread).count()) {
            Ok(count) if whole => count,
            _ => reader.unread_count(&agent.id, COUNTED)?,
        };
        let more = match rows.last().filter(is_unread) {
            Some(last) if next.is_some() => reader.unread_count_after(&agent.id, &place(last), COUNTED)?,
            _ => 0,
        };
        let queued = rows.iter().any(|row| row.delivery.state == DeliveryState::Queued);
        let waiting = !is_listing(params)
            && is_handed_over(&agent, known)
            && (queued || !whole)
            && !reader.takeable(&agent.id, &holder, 1)?.is_empty();
        let access = Access::of(reader, known)?;
        let is_session = has_session && is_handed_over(&agent, known);
        let viewer = Viewer { access: &access, session: is_session.then_some(holder.as_str()) };
        let mut items = Vec::with_capacity(rows.len());
        for row in &rows {
            let most = if params.bodies { Extent::Text } else { Extent::Subject };
            let extent = most.within(reader, &access, &row.message)?;
            let mut mail = mail_view(&mut Names::new(reader), row, &holder, extent)?;
            if viewer.session.is_some() && mail.offered_elsewhere {
                // The subject is often the whole text.
                mail.subject.clear();
            }
            mail.asked = if agent.is_human() { reader.times_asked(&row.message)? } else { 1 };
            items.push(mail);
        }
        let duties = duties(reader, &agent, &viewer, DUTIES_SHOWN)?;
        let owed = owed(reader, &agent, &viewer, &duties)?;
        // Nothing is on its way to whoever looks: a signal file that says otherwise came too late.
        let tidied = match is_handed_over(&agent, known) && whole && !queued {
            true => signals::cleared(reader, &agent)?,
            false => None,
        };
        let agent = who(reader, &agent)?;
        Ok((InboxView { agent, unread, waiting, items, more, next, owed, duties }, tidied))
    })?;
    call.effects.extend(tidied);
    Ok(shown.into())
}

/// Whether looking at an inbox may become a hand-over: an agent asks for its own, and nobody in its name. A person's inbox
/// is a listing.
fn is_handed_over(agent: &Agent, known: &Known) -> bool {
    let Known::Bound(identity) = known else { return false };
    !agent.is_human() && identity.behalf.is_none() && identity.actor.id == agent.id
}

/// Whoever asks for what was read, or for a later page, looks something up: that hands nothing over.
fn is_listing(params: &ask::MessageInbox) -> bool {
    params.all || params.after.is_some()
}

/// Where a page begins.
enum Start {
    Beginning,
    Unread(PageStart),
    Read(PageStart),
}

impl Start {
    fn read(after: Option<&str>) -> Result<Self, Refusal> {
        match after {
            None => Ok(Self::Beginning),
            Some(after) => match after.strip_prefix(AMONG_READ) {
                Some(after) => Ok(Self::Read(resolve::page_start(Some(after))?)),
                None => Ok(Self::Unread(resolve::page_start(Some(after))?)),
            },
        }
    }
}

fn place(row: &MailRow) -> PageStart {
    PageStart { at: row.message.sent.at, id: row.message.id.to_string() }
}

fn end_of(row: &MailRow) -> String {
    let end = resolve::page_end(row.message.sent.at, row.message.id.as_str());
    if row.delivery.is_unread() { end } else { format!("{AMONG_READ}{end}") }
}

fn page(
    reader: &mut Reader<'_>,
    agent: &Agent,
    start: &Start,
    limit: u32,
    all: bool,
) -> Result<Vec<MailRow>, Refusal> {
    debug_assert!(limit <= limits::PAGE_MAX + 1, "a page is bounded");
    let mut rows = match start {
        Start::Beginning => reader.unread(&agent.id, limit)?,
        Start::Unread(place) => reader.unread_after(&agent.id, place, limit)?,
        Start::Read(_) => Vec::new(),
    };
    let left = limit.saturating_sub(u32::try_from(rows.len()).unwrap_or(u32::MAX));
    if all && left > 0 {
        let before = match start {
            Start::Read(place) => place.clone(),
            Start::Beginning | Start::Unread(_) => PageStart::default(),
        };
        rows.extend(reader.read_before(&agent.id, &before, left)?);
    }
    Ok(rows)
}
