//! Leases, decided without a disk.

use super::*;
use crate::authority::Proof;
use crate::draft::Fresh;
use crate::entity::{Entity, Stamp, fold};
use crate::entry::OrderKey;
use crate::event::{AgentRegistered, Event, Fact};
use crate::ids::{AgentId, OriginId};
use crate::name::Name;
use crate::refusal::RefusalKind;
use crate::vocabulary::Auth;

fn stamp(oseq: i64) -> Stamp {
    let nobody = AgentId::from_bits(0);
    Stamp {
        order: OrderKey { at: oseq, origin: OriginId::from_bits(1), oseq },
        wall: 1,
        member: nobody.clone(),
        actor: nobody,
        auth: Auth::Session,
    }
}

fn agent(n: u64, name: &str) -> Agent {
    let id = AgentId::from_bits(n);
    let event = AgentRegistered { name: Name::parse(name).unwrap(), profile: "claude".into() }.into();
    match fold([(&Fact { entity: EntityRef::Agent(id), event }, &stamp(1))]).0 {
        Some(Entity::Agent(agent)) => agent,
        other => panic!("{other:?}"),
    }
}

fn context(human: bool) -> Context {
    Context {
        now: 1,
        origin: OriginId::from_bits(1),
        member: AgentId::from_bits(1),
        human,
        proof: Proof::Proven,
        fresh: Fresh::new([9; 32]),
    }
}

fn claim(globs: &[&str], mode: LeaseMode, ttl_s: Option<i64>) -> Claim {
    let globs = globs.iter().map(|glob| (*glob).to_owned()).collect();
    Claim { globs, mode, ttl_s, reason: None, task: None }
}

fn held(oseq: i64, holder: &Agent, globs: &[&str], mode: LeaseMode) -> Held {
    let mut draft = Draft::new(&context(false));
    take(&[], &claim(globs, mode, None), holder, &mut draft).unwrap();
    let stamp = stamp(oseq);
    let Some(Entity::Lease(lease)) = fold(draft.facts.iter().map(|fact| (fact, &stamp))).0 else { panic!() };
    Held { lease, holder: holder.name.to_string(), left_s: 42 }
}

fn taken(live: &[Held], claim: &Claim, member: &Agent) -> Result<(Grant, Vec<String>), Refusal> {
    let mut draft = Draft::new(&context(false));
    let grant = take(live, claim, member, &mut draft)?;
    Ok((grant, draft.facts.iter().map(|fact| fact.event.kind().to_owned()).collect()))
}

#[test]
fn an_overlap_is_refused_and_names_the_holder_and_the_time_left() {
    let (alice, bob) = (agent(1, "alice"), agent(2, "bob"));
    let live = [held(5, &alice, &["src/**"], LeaseMode::Exclusive)];
    for mode in [LeaseMode::Exclusive, LeaseMode::Shared] {
        let refusal = taken(&live, &claim(&["docs/x", "src/a.rs"], mode, None), &bob).unwrap_err();
        assert_eq!((refusal.kind, refusal.code.as_str()), (RefusalKind::Conflict, "RACE-001"));
        let id = &live[0].lease.id;
        assert_eq!(
            refusal.sentence,
            format!("src/a.rs overlaps src/**, which alice holds for another 42 s ({id})")
        );
    }
    assert!(taken(&live, &claim(&["docs/x"], LeaseMode::Exclusive, None), &bob).is_ok());
    assert!(taken(&live, &claim(&["src/a.rs"], LeaseMode::Exclusive, None), &alice).is_ok());
}

#[test]
fn shared_leases_coexist_and_keep_a_writer_out() {
    let (alice, bob) = (agent(1, "alice"), agent(2, "bob"));
    let live = [held(5, &alice, &["src"], LeaseMode::Shared)];
    assert!(taken(&live, &claim(&["src"], LeaseMode::Shared, None), &bob).is_ok());
    assert!(taken(&live, &claim(&["src"], LeaseMode::Exclusive, None), &bob).is_err());
}

#[test]
fn the_same_paths_in_any_spelling_renew_and_another_time_is_a_new_grant() {
    let alice = agent(1, "alice");
    let live = [held(5, &alice, &["a", "b"], LeaseMode::Exclusive)];
    let (grant, kinds) =
        taken(&live, &claim(&["./b", "a", "b"], LeaseMode::Exclusive, None), &alice).unwrap();
    assert_eq!(grant, Grant { lease: live[0].lease.id.clone(), seconds: limits::LEASE_SECONDS_DEFAULT });
    assert!(kinds.is_empty(), "{kinds:?}");
    let (grant, kinds) = taken(&live, &claim(&["a", "b"], LeaseMode::Exclusive, Some(60)), &alice).unwrap();
    assert_eq!((grant.seconds, kinds), (60, vec!["lease.released".to_owned(), "lease.taken".to_owned()]));
}

#[test]
fn paths_and_times_have_limits() {
    let alice = agent(1, "alice");
    let many = vec!["x"; limits::ITEMS + 1];
    for (globs, ttl_s, code) in [
        (&[][..], None, "bad_globs"),
        (many.as_slice(), None, "bad_globs"),
        (&["/etc"][..], None, "bad_glob"),
        (&["x"][..], Some(0), "bad_ttl"),
        (&["x"][..], Some(limits::LEASE_SECONDS_MAX + 1), "bad_ttl"),
    ] {
        let refusal = taken(&[], &claim(globs, LeaseMode::Exclusive, ttl_s), &alice).unwrap_err();
        assert_eq!((refusal.kind, refusal.code.as_str()), (RefusalKind::Usage, code));
    }
}

#[test]
fn a_lease_that_is_over_is_not_renewed() {
    let alice = agent(1, "alice");
    let mut lease = held(5, &alice, &["src"], LeaseMode::Exclusive).lease;
    assert_eq!(renew(&lease, true, Some(5), &alice, &context(false)), Ok(()));
    let ran_out = renew(&lease, false, Some(5), &alice, &context(false)).unwrap_err();
    assert_eq!((ran_out.kind, ran_out.code.as_str()), (RefusalKind::Conflict, "lease_over"));
    assert_eq!(ran_out.hint.as_deref(), Some("take it again: interagent lease take src"));
    lease.end = Some(crate::entity::lease::LeaseEnd {
        when: crate::entity::When { at: 1, wall: 1 },
        forced_by: None,
        reason: None,
    });
    assert!(
        renew(&lease, true, None, &alice, &context(false)).unwrap_err().sentence.contains("was given back")
    );
}

#[test]
fn others_and_old_tokens_neither_renew_nor_release() {
    let (alice, bob) = (agent(1, "alice"), agent(2, "bob"));
    let lease = held(5, &alice, &["src"], LeaseMode::Exclusive).lease;
    for (member, token, human, code) in [
        (&bob, Some(5), false, "not_yours"),
        (&alice, Some(4), false, "old_token"),
        (&bob, Some(4), true, "old_token"),
    ] {
        let mut draft = Draft::new(&context(human));
        let renewed = renew(&lease, true, token, member, &context(human)).map_err(|refusal| refusal.code);
        let released =
            release(&lease, token, member, &context(human), &mut draft).map_err(|refusal| refusal.code);
        assert_eq!((renewed, released), (Err(code.to_owned()), Err(code.to_owned())));
    }
    for (member, token, human) in [(&alice, None, false), (&alice, Some(5), false), (&bob, None, true)] {
        let mut draft = Draft::new(&context(human));
        assert_eq!(release(&lease, token, member, &context(human), &mut draft), Ok(()));
        assert_eq!(draft.facts.len(), 1);
    }
}

#[test]
fn only_the_operator_or_a_superior_forces_and_the_holder_is_told() {
    let (boss, alice) = (agent(1, "boss"), agent(2, "alice"));
    let lease = held(5, &alice, &["src"], LeaseMode::Exclusive).lease;
    let reason = Words::note("the reason", "it hangs").unwrap();
    let team = crate::team::parse(
        "project = 'x'\nformation = 'captain'\n[agents.boss]\nprofile = 'a'\nrole = 'captain'\n\
         [agents.alice]\nprofile = 'a'\nrole = 'vice_captain'\nreports_to = 'boss'\n",
    )
    .unwrap();
    let forced = |team: Option<&TeamConfig>, human| {
        let mut draft = Draft::new(&context(human));
        force(&lease, &alice, &reason, team, &boss, &context(human), &mut draft)
            .map_err(|refusal| refusal.code)?;
        Ok::<_, String>(draft)
    };
    assert_eq!(forced(None, false).unwrap_err(), "force_needs_superior");
    for draft in [forced(None, true).unwrap(), forced(Some(&team), false).unwrap()] {
        let kinds: Vec<&str> = draft.facts.iter().map(|fact| fact.event.kind()).collect();
        assert_eq!(kinds, ["lease.forced", "message.sent"]);
        let Event::MessageSent(sent) = &draft.facts[1].event else { panic!("{draft:?}") };
        assert_eq!(sent.to, std::slice::from_ref(&alice.id));
    }
}

#[test]
fn the_worst_leases_are_compared_in_bounded_time() {
    let wild = |seed: usize| -> Vec<String> {
        (0..8).map(|n| format!("{}{}", "*a".repeat(30), ["b", "c"][(seed + n) % 2])).collect()
    };
    let plain: Vec<String> = (0..40).map(|n| format!("{}{n}", "a".repeat(85))).collect();
    let globs: Vec<String> = wild(0).into_iter().chain(plain).collect();
    let claim = |globs: Vec<String>| Claim {
        globs,
        mode: LeaseMode::Exclusive,
        ttl_s: None,
        reason: None,
        task: None,
    };
    let normal = check(&claim(globs)).unwrap();
    let began = std::time::Instant::now();
    for _ in 0..50 {
        for x in &normal {
            for y in &normal {
                std::hint::black_box(overlap(x, y));
            }
        }
    }
    // A debug build on a busy machine; a release build needs a tenth.
    assert!(began.elapsed() < std::time::Duration::from_secs(30), "{:?}", began.elapsed());
    let long: Vec<String> = (0..50).map(|n| format!("{}{n}", "a".repeat(90))).collect();
    assert_eq!(check(&claim(long)).unwrap_err().code, "long_globs");
    let stars: Vec<String> = (0..9).map(|n| format!("{}{n}", "*a".repeat(30))).collect();
    assert_eq!(check(&claim(stars)).unwrap_err().code, "long_globs");
}
