//! Leases: taking, renewing, giving back, forcing, listing. A lease binds only at the replica it was taken at.

use std::cell::OnceCell;

use interagent_core::decide::lease::{self, Claim, Held};
use interagent_core::entity::Lease;
use interagent_core::ids::{EntityRef, LeaseId};
use interagent_core::refusal::Refusal;
use interagent_core::team::{Guard, TeamConfig};
use interagent_core::text::Words;
use interagent_core::vocabulary::LeaseMode;
use interagent_store::Appended;
use interagent_store::observe::LiveLease;
use interagent_store::reader::Reader;
use interagent_wire::answer::{LeaseView, Page};
use interagent_wire::request as ask;
use interagent_wire::{Answer, Time};

use crate::call::Call;
use crate::names::Names;
use crate::{input, resolve};

pub(crate) fn take(call: &mut Call<'_>, params: &ask::LeaseTake) -> Result<Answer, Refusal> {
    let reason = params.reason.as_deref().map(|reason| Words::note("the reason", reason)).transpose()?;
    params.paths.iter().try_for_each(|path| input::no_secret("a path", path))?;
    // A renewal leaves no entry to answer from.
    let granted = OnceCell::new();
    call.write(
        |scene| {
            let member = scene.member.clone();
            scene.writer.drop_stopped_lease_clocks()?;
            let mut look = scene.look();
            let task = params.task.as_deref().map(|given| resolve::task(&mut look, given)).transpose()?;
            let claim = Claim {
                globs: params.paths.clone(),
                mode: params.mode.unwrap_or(LeaseMode::Exclusive),
                ttl_s: params.ttl_s,
                reason,
                task: task.map(|task| task.id),
            };
            let held = held(&mut look)?;
            let mut draft = scene.draft();
            let grant = lease::take(&held, &claim, &member, &mut draft)?;
            scene.writer.wind_lease(&grant.lease, grant.seconds)?;
            draft.notes.extend(not_enforced(scene.team.as_ref()));
            granted.get_or_init(|| grant.lease);
            Ok(draft)
        },
        |reader, _| {
            let id =
                granted.get().ok_or_else(|| Refusal::unavailable("store_damaged", "no lease was granted"))?;
            view_of(reader, id)
        },
    )
}

/// A warning for a holder whose lease stops nobody.
fn not_enforced(team: Option<&TeamConfig>) -> Option<String> {
    let why = match team {
        Some(team) if team.rules.guards.contains(&Guard::Race001) => return None,
        Some(_) => "RACE-001 is not in guards of team.toml",
        None => "this hub has no team file",
    };
    Some(format!("this lease is not enforced: {why}"))
}

/// The leases that hold now, as the rules look at them.
pub(crate) fn held(reader: &mut Reader<'_>) -> Result<Vec<Held>, Refusal> {
    let mut held = Vec::new();
    let live = reader.live_leases()?;
    let mut names = Names::new(reader);
    for live in live {
        let left_s = left_s(names.reader, &live);
        let holder = names.who(&live.lease.brief.holder)?.name;
        held.push(Held { lease: live.lease, holder, left_s });
    }
    Ok(held)
}

/// Whole seconds that a lease still holds, counted up: one that holds never shows 0.
fn left_s(reader: &Reader<'_>, live: &LiveLease) -> i64 {
    let left_us = live.deadline.left_us(reader.clock()).max(0);
    left_us.saturating_add(999_999) / 1_000_000
}

pub(crate) fn renew(call: &mut Call<'_>, params: &ask::LeaseRenew) -> Result<Answer, Refusal> {
    call.write(
        |scene| {
            let mut look = scene.look();
            let lease = resolve::lease(&mut look, &params.lease)?;
            let live = look.live_leases()?.iter().any(|live| live.lease.id == lease.id);
            lease::renew(&lease, live, params.token, &scene.member, scene.context)?;
            scene.writer.wind_lease(&lease.id, lease.brief.ttl_s)?;
            Ok(scene.draft())
        },
        |reader, appended| answer(reader, appended, &params.lease),
    )
}

pub(crate) fn release(call: &mut Call<'_>, params: &ask::LeaseRelease) -> Result<Answer, Refusal> {
    call.write(
        |scene| {
            let lease = resolve::lease(&mut scene.look(), &params.lease)?;
            let mut draft = scene.draft();
            lease::release(&lease, params.token, &scene.member, scene.context, &mut draft)?;
            Ok(draft)
        },
        |reader, appended| answer(reader, appended, &params.lease),
    )
}

pub(crate) fn force(call: &mut Call<'_>, params: &ask::LeaseForce) -> Result<Answer, Refusal> {
    let reason = Words::note("the reason", &params.reason)?;
    call.write(
        |scene| {
            let mut look = scene.look();
            let lease = resolve::lease(&mut look, &params.lease)?;
            let holder = look.agent(&lease.brief.holder)?.ok_or_else(|| {
                Refusal::not_found(
                    "no_such_agent",
                    format!("the holder of {} is not known here yet", lease.id),
                )
            })?;
            let mut draft = scene.draft();
            let team = scene.team.as_ref();
            lease::force(&lease, &holder, &reason, team, &scene.member, scene.context, &mut draft)?;
            Ok(draft)
        },
        |reader, appended| answer(reader, appended, &params.lease),
    )
}

pub(crate) fn list(call: &mut Call<'_>) -> Result<Answer, Refusal> {
    call.read(|reader, _| {
        let leases = reader.live_leases()?;
        let mut names = Names::new(reader);
        let mut items = Vec::with_capacity(leases.len());
        for live in leases {
            items.push(view(&mut names, &live.lease, Some(live.deadline.due_wall))?);
        }
        Ok(Page { items, next: None }.into())
    })
}

/// The lease an entry is about, or the one that was named and needed no change.
fn answer(reader: &mut Reader<'_>, appended: &Appended, named: &str) -> Result<Answer, Refusal> {
    let facts = appended.entry().map_or(&[][..], |entry| entry.facts.as_slice());
    let written = facts.iter().find_map(|fact| match &fact.entity {
        EntityRef::Lease(id) => Some(id.clone()),
        _ => None,
    });
    let id = match written {
        Some(id) => id,
        None => resolve::lease(reader, named)?.id,
    };
    view_of(reader, &id)
}

fn view_of(reader: &mut Reader<'_>, id: &LeaseId) -> Result<Answer, Refusal> {
    let lease = reader
        .lease(id)?
        .ok_or_else(|| Refusal::not_found("not_found", format!("there is no lease `{id}`")))?;
    let live = reader.live_leases()?.into_iter().find(|live| &live.lease.id == id);
    Ok(view(&mut Names::new(reader), &lease, live.map(|live| live.deadline.due_wall))?.into())
}

fn view(names: &mut Names<'_, '_>, lease: &Lease, until: Option<i64>) -> Result<LeaseView, Refusal> {
    let brief = &lease.brief;
    Ok(LeaseView {
        id: lease.id.to_string(),
        holder: names.who(&brief.holder)?,
        paths: brief.globs.clone(),
        mode: brief.mode,
        token: lease.token,
        ttl_s: brief.ttl_s,
        until: until.map(Time),
        reason: names.maybe_text(brief.reason.as_ref())?,
        task: brief.task.as_ref().map(ToString::to_string),
        taken: Time(lease.taken.wall),
        live: until.is_some(),
    })
}
