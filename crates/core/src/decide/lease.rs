//! Leases: one writer per path, with a token that proves who came last.

use crate::draft::{Context, Draft};
use crate::entity::{Agent, Lease};
use crate::event::{LeaseForced, LeaseReleased, LeaseTaken};
use crate::ids::{EntityRef, LeaseId, TaskId};
use crate::limits;
use crate::refusal::Refusal;
use crate::rules;
use crate::team::TeamConfig;
use crate::text::Words;
use crate::vocabulary::LeaseMode;

/// A lease to be.
#[derive(Clone, Debug)]
pub struct Claim {
    /// Which paths, as globs relative to the project.
    pub globs: Vec<String>,
    /// Alone or not.
    pub mode: LeaseMode,
    /// For how long without renewal.
    pub ttl_s: i64,
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

/// Takes a lease unless an overlapping one holds; taking the same again renews it.
pub fn take(live: &[Held], claim: &Claim, member: &Agent, draft: &mut Draft) -> Result<Taken, Refusal> {
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
    let same = live.iter().find(|held| {
        held.lease.brief.holder == member.id
            && held.lease.brief.globs == globs
            && held.lease.brief.mode == claim.mode
    });
    if let Some(same) = same {
        return Ok(Taken::Renewed(same.lease.id.clone()));
    }
    let id = LeaseId::from_bits(draft.bits());
    let taken = LeaseTaken {
        holder: member.id.clone(),
        globs,
        mode: claim.mode,
        ttl_s: claim.ttl_s,
        reason: draft.maybe(claim.reason.as_ref()),
        task: claim.task.clone(),
    };
    draft.add(EntityRef::Lease(id.clone()), taken);
    Ok(Taken::New(id))
}

/// What taking a lease led to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Taken {
    /// A new lease.
    New(LeaseId),
    /// The same lease, for longer.
    Renewed(LeaseId),
}

fn check(claim: &Claim) -> Result<Vec<String>, Refusal> {
    if claim.globs.is_empty() || claim.globs.len() > limits::ITEMS {
        return Err(Refusal::usage("bad_globs", format!("a lease is on 1 to {} paths", limits::ITEMS)));
    }
    if !(1..=limits::LEASE_SECONDS_MAX).contains(&claim.ttl_s) {
        let sentence = format!("a lease holds 1 to {} seconds", limits::LEASE_SECONDS_MAX);
        return Err(Refusal::usage("bad_ttl", sentence));
    }
    claim.globs.iter().map(|glob| normal_glob(glob)).collect()
}

/// A glob in its one spelling: relative, forward slashes, no `.` or `..`.
pub fn normal_glob(given: &str) -> Result<String, Refusal> {
    let bad = |why: &str| {
        Refusal::usage("bad_glob", format!("`{}` {why}", given.chars().take(100).collect::<String>()))
    };
    if given.len() > limits::WORD_BYTES || given.contains('\0') {
        return Err(bad("is not a path"));
    }
    let slashed = given.trim().replace('\\', "/");
    if slashed.starts_with('/') {
        return Err(bad("must be relative to the project"));
    }
    let parts: Vec<&str> = slashed.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
    if parts.contains(&"..") {
        return Err(bad("leaves the project"));
    }
    if parts.is_empty() {
        return Ok("**".to_owned());
    }
    let mut normal = parts.join("/");
    if slashed.ends_with('/') {
        normal.push_str("/**");
    }
    Ok(normal)
}

/// Whether some path could match both globs. `*` and `?` stay inside a name, `**` crosses directories, and a plain
/// path also covers what lies below it. When in doubt the answer is yes: a false alarm costs a question, a miss a file.
pub fn overlap(a: &str, b: &str) -> bool {
    let a: Vec<&str> = a.split('/').collect();
    let b: Vec<&str> = b.split('/').collect();
    parts_overlap(&a, &b)
}

fn parts_overlap(a: &[&str], b: &[&str]) -> bool {
    match (a, b) {
        // A directory covers everything below it.
        ([], _) | (_, []) => true,
        (["**", rest @ ..], _) => parts_overlap(rest, b) || parts_overlap(a, &b[1..]),
        (_, ["**", rest @ ..]) => parts_overlap(a, rest) || parts_overlap(&a[1..], b),
        ([x, a_rest @ ..], [y, b_rest @ ..]) => name_overlap(x, y) && parts_overlap(a_rest, b_rest),
    }
}

/// Whether some name could match both patterns. Only what is literal at both ends can prove that none does.
fn name_overlap(x: &str, y: &str) -> bool {
    let wild = |c: char| matches!(c, '*' | '?' | '[' | '{');
    match (x.contains(wild), y.contains(wild)) {
        (false, false) => x == y,
        (true, false) => name_matches(x, y),
        (false, true) => name_matches(y, x),
        (true, true) => {
            let head = |s: &str| s.split(wild).next().unwrap_or_default().to_owned();
            let (hx, hy) = (head(x), head(y));
            hx.starts_with(&hy) || hy.starts_with(&hx)
        }
    }
}

/// Matches `*` and `?`; brackets and braces count as anything.
fn name_matches(pattern: &str, name: &str) -> bool {
    fn go(pattern: &[char], name: &[char]) -> bool {
        match (pattern, name) {
            ([], []) => true,
            (['[' | '{', ..], _) => true,
            (['*', rest @ ..], _) => go(rest, name) || (!name.is_empty() && go(pattern, &name[1..])),
            (['?', p @ ..], [_, n @ ..]) => go(p, n),
            ([c, p @ ..], [d, n @ ..]) if c == d => go(p, n),
            _ => false,
        }
    }
    let pattern: Vec<char> = pattern.chars().collect();
    let name: Vec<char> = name.chars().collect();
    go(&pattern, &name)
}

/// Gives a lease back. An old token is refused: somebody else may hold the paths by now.
pub fn release(
    lease: &Lease,
    token: Option<i64>,
    member: &Agent,
    context: &Context,
    draft: &mut Draft,
) -> Result<(), Refusal> {
    if lease.end.is_some() {
        return Ok(());
    }
    if lease.brief.holder != member.id && !context.human {
        return Err(Refusal::rule("not_yours", format!("{} is not a lease of {}", lease.id, member.name)));
    }
    check_token(lease, token)?;
    draft.add(EntityRef::Lease(lease.id.clone()), LeaseReleased {});
    Ok(())
}

/// Refuses a token that is not the lease's.
pub fn check_token(lease: &Lease, token: Option<i64>) -> Result<(), Refusal> {
    match token {
        Some(token) if token != lease.token => Err(Refusal::conflict(
            "old_token",
            format!("token {token} is not that of {} ({})", lease.id, lease.token),
        )),
        _ => Ok(()),
    }
}

/// Takes a lease away from its holder: the operator, or a superior of the holder.
pub fn force(
    lease: &Lease,
    holder: &Agent,
    reason: &Words,
    team: Option<&TeamConfig>,
    member: &Agent,
    context: &Context,
    draft: &mut Draft,
) -> Result<(), Refusal> {
    if lease.end.is_some() {
        return Ok(());
    }
    let above = team.is_some_and(|team| rules::is_above(team, &member.name, &holder.name));
    if !context.human && !above {
        return Err(Refusal::rule(
            "force_needs_superior",
            format!("only a superior of {} or the operator may force its lease", holder.name),
        )
        .hint(format!("ask {} to release {}", holder.name, lease.id)));
    }
    let reason = draft.text(reason);
    draft.add(EntityRef::Lease(lease.id.clone()), LeaseForced { by: member.id.clone(), reason });
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overlaps_are_found_and_neighbours_are_not() {
        for (a, b) in [
            ("src/a.rs", "src/a.rs"),
            ("src/**", "src/x/y.rs"),
            ("**", "anything"),
            ("src", "src/a.rs"),
            ("src/*.rs", "src/a.rs"),
            ("**/*.rs", "src/deep/a.rs"),
            ("src/a*", "src/ab*"),
            ("src/**/test.rs", "src/test.rs"),
        ] {
            assert!(overlap(a, b) && overlap(b, a), "{a} {b}");
        }
        for (a, b) in [
            ("src/a.rs", "src/b.rs"),
            ("src/*.rs", "src/a.md"),
            ("src/**", "docs/**"),
            ("src/*.rs", "src/x/a.rs"),
            ("src/a*", "src/b*"),
        ] {
            assert!(!overlap(a, b) && !overlap(b, a), "{a} {b}");
        }
    }

    #[test]
    fn globs_stay_inside_the_project() {
        assert_eq!(normal_glob("./src//a.rs"), Ok("src/a.rs".into()));
        assert_eq!(normal_glob("src/"), Ok("src/**".into()));
        for bad in ["/etc/passwd", "../x", "a/../../b", "a\0b"] {
            assert!(normal_glob(bad).is_err(), "{bad}");
        }
    }
}
