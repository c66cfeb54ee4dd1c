//! Leases: one writer per path, with a token that proves who came last.

mod glob;

pub use glob::{Glob, has_wildcards, normal_glob, overlap};

use crate::authority::{OperatorAct, authorize};
use crate::decide::{Post, post};
use crate::draft::{Context, Draft};
use crate::entity::{Agent, Lease};
use crate::event::{LeaseForced, LeaseReleased, LeaseTaken};
use crate::ids::{EntityRef, LeaseId, TaskId};
use crate::limits;
use crate::refusal::Refusal;
use crate::rules;
use crate::team::TeamConfig;
use crate::text::{Words, subject_of};
use crate::vocabulary::{Intent, LeaseMode, Priority};

/// A lease to be.
#[derive(Clone, Debug)]
pub struct Claim {
    /// Which paths, as globs relative to the project.
    pub globs: Vec<String>,
    /// Alone or not.
    pub mode: LeaseMode,
    /// For how long without renewal; left open, the time it has or the usual one.
    pub ttl_s: Option<i64>,
    /// For what.
    pub reason: Option<Words>,
    /// The task.
    pub task: Option<TaskId>,
}

/// A lease that holds now, with the name of its holder.
#[derive(Clone, Debug)]
pub struct Held {
    /// The lease.
    pub lease: Lease,
    /// Its holder's name.
    pub holder: String,
    /// Seconds until it runs out.
    pub left_s: i64,
}

/// Takes a lease unless an overlapping one of somebody else holds. Taking the same again renews it; for another time
/// it is a new grant in place of the old one.
pub fn take(live: &[Held], claim: &Claim, member: &Agent, draft: &mut Draft) -> Result<Grant, Refusal> {
    let globs = check(claim)?;
    for held in live.iter().filter(|held| held.lease.brief.holder != member.id) {
        if claim.mode == LeaseMode::Shared && held.lease.brief.mode == LeaseMode::Shared {
            continue;
        }
        let clash = globs.iter().find_map(|glob| {
            let theirs = held.lease.brief.globs.iter().find(|theirs| overlap(glob, theirs))?;
            Some((glob, theirs))
        });
        if let Some((glob, theirs)) = clash {
            let sentence = format!(
                "{glob} overlaps {theirs}, which {} holds for another {} s ({})",
                held.holder, held.left_s, held.lease.id
            );
            return Err(Refusal::conflict("RACE-001", sentence)
                .hint(format!("ask {} to release it, or wait until it runs out", held.holder)));
        }
    }
    let same = live.iter().map(|held| &held.lease).find(|lease| {
        lease.brief.holder == member.id && lease.brief.globs == globs && lease.brief.mode == claim.mode
    });
    if let Some(same) = same {
        if claim.ttl_s.is_none_or(|ttl_s| ttl_s == same.brief.ttl_s) {
            return Ok(Grant { lease: same.id.clone(), seconds: same.brief.ttl_s });
        }
        draft.add(EntityRef::Lease(same.id.clone()), LeaseReleased {});
    }
    let id = LeaseId::from_bits(draft.bits());
    let seconds = claim.ttl_s.unwrap_or(limits::LEASE_SECONDS_DEFAULT);
    let taken = LeaseTaken {
        holder: member.id.clone(),
        globs,
        mode: claim.mode,
        ttl_s: seconds,
        reason: draft.maybe(claim.reason.as_ref()),
        task: claim.task.clone(),
    };
    draft.add(EntityRef::Lease(id.clone()), taken);
    Ok(Grant { lease: id, seconds })
}

/// What taking a lease led to: a new lease, or the same for its time again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grant {
    /// The lease.
    pub lease: LeaseId,
    /// How long it holds from now on.
    pub seconds: i64,
}

fn check(claim: &Claim) -> Result<Vec<String>, Refusal> {
    if claim.globs.is_empty() || claim.globs.len() > limits::ITEMS {
        return Err(Refusal::usage("bad_globs", format!("a lease is on 1 to {} paths", limits::ITEMS)));
    }
    if claim.ttl_s.is_some_and(|ttl_s| !(1..=limits::LEASE_SECONDS_MAX).contains(&ttl_s)) {
        let sentence = format!("a lease holds 1 to {} seconds", limits::LEASE_SECONDS_MAX);
        return Err(Refusal::usage("bad_ttl", sentence));
    }
    let mut globs = claim.globs.iter().map(|glob| normal_glob(glob)).collect::<Result<Vec<_>, _>>()?;
    globs.sort();
    globs.dedup();
    let bytes = |globs: &mut dyn Iterator<Item = &String>| globs.map(String::len).sum::<usize>();
    let (all, wild) = (bytes(&mut globs.iter()), bytes(&mut globs.iter().filter(|glob| has_wildcards(glob))));
    if all > limits::LEASE_PATHS_BYTES || wild > limits::LEASE_WILDCARD_BYTES {
        let sentence = format!(
            "the paths of a lease have at most {} bytes together, those with wildcards {}",
            limits::LEASE_PATHS_BYTES,
            limits::LEASE_WILDCARD_BYTES
        );
        return Err(Refusal::usage("long_globs", sentence).hint("name the directory instead of its files"));
    }
    Ok(globs)
}

/// Whether a member may have a lease for its time again. Renewing is no fact of the log: nothing is drafted.
///
/// `live` says whether it holds now. One that ran out is not revived: somebody may have written meanwhile.
pub fn renew(
    lease: &Lease,
    live: bool,
    token: Option<i64>,
    member: &Agent,
    context: &Context,
) -> Result<(), Refusal> {
    must_be_yours(lease, member, context)?;
    check_token(lease, token)?;
    let over = match &lease.end {
        Some(_) => ended(lease),
        None if live => return Ok(()),
        None => format!("{} has run out", lease.id),
    };
    Err(Refusal::conflict("lease_over", format!("{over}: the paths may have changed meanwhile"))
        .hint(format!("take it again: interagent lease take {}", lease.brief.globs.join(" "))))
}

/// How a lease came to its end.
fn ended(lease: &Lease) -> String {
    let forced = lease.end.as_ref().is_some_and(|end| end.forced_by.is_some());
    format!("{} was {} before", lease.id, if forced { "taken away" } else { "given back" })
}

fn must_be_yours(lease: &Lease, member: &Agent, context: &Context) -> Result<(), Refusal> {
    if lease.brief.holder == member.id || context.human {
        return Ok(());
    }
    Err(Refusal::rule("not_yours", format!("{} is not a lease of {}", lease.id, member.name))
        .hint("interagent lease list shows who holds what"))
}

/// Gives a lease back. An old token is refused: somebody else may hold the paths by now.
pub fn release(
    lease: &Lease,
    token: Option<i64>,
    member: &Agent,
    context: &Context,
    draft: &mut Draft,
) -> Result<(), Refusal> {
    must_be_yours(lease, member, context)?;
    check_token(lease, token)?;
    if lease.end.is_some() {
        draft.is_so_already(ended(lease));
        return Ok(());
    }
    draft.add(EntityRef::Lease(lease.id.clone()), LeaseReleased {});
    Ok(())
}

/// Refuses a token that is not the lease's.
pub fn check_token(lease: &Lease, token: Option<i64>) -> Result<(), Refusal> {
    match token {
        Some(token) if token != lease.token => {
            let sentence = format!("token {token} is not that of {} ({})", lease.id, lease.token);
            Err(Refusal::conflict("old_token", sentence).hint("interagent lease list shows what holds now"))
        }
        _ => Ok(()),
    }
}

/// Takes a lease away from its holder, who is told: the operator may, where it is proven, or a superior of the holder.
pub fn force(
    lease: &Lease,
    holder: &Agent,
    reason: &Words,
    team: Option<&TeamConfig>,
    member: &Agent,
    context: &Context,
    draft: &mut Draft,
) -> Result<(), Refusal> {
    let above = team.is_some_and(|team| rules::is_above(team, &member.name, &holder.name));
    if !context.human && !above {
        return Err(Refusal::rule(
            "force_needs_superior",
            format!("only a superior of {} or the operator may force its lease", holder.name),
        )
        .hint(format!("ask {} to release {}", holder.name, lease.id)));
    }
    if context.human {
        let command = format!("interagent lease force {} --reason TEXT", lease.id);
        authorize(OperatorAct::ForceLease, context.authority(), &command)?;
    }
    if lease.end.is_some() {
        draft.is_so_already(ended(lease));
        return Ok(());
    }
    let reason = draft.text(reason);
    draft.add(
        EntityRef::Lease(lease.id.clone()),
        LeaseForced { by: member.id.clone(), reason: reason.clone() },
    );
    if holder.id != member.id && holder.retired.is_none() {
        let subject = draft
            .plain(&subject_of(&format!("Your lease on {} was taken away", lease.brief.globs.join(", "))));
        let letter = Post::new(&member.id, vec![holder.id.clone()], Intent::Message, subject, Some(reason));
        post(draft, Post { task: lease.brief.task.as_ref(), priority: Priority::High, ..letter });
    }
    Ok(())
}

#[cfg(test)]
mod tests;
