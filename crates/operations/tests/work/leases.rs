//! Leases through the hub.

use std::time::Duration;

use interagent_core::refusal::RefusalKind;
use interagent_core::vocabulary::LeaseMode;
use interagent_store::Clock;
use interagent_wire::answer::{LeaseView, Page};
use interagent_wire::request as ask;
use interagent_wire::{Answer, Caller};

use super::support::{START_US, Team, claude, kimi};

const DAY_US: i64 = 24 * 3600 * 1_000_000;

fn paths(paths: &[&str]) -> ask::LeaseTake {
    ask::LeaseTake { paths: paths.iter().map(|path| (*path).to_owned()).collect(), ..Default::default() }
}

fn shared(glob: &str) -> ask::LeaseTake {
    ask::LeaseTake { mode: Some(LeaseMode::Shared), ..paths(&[glob]) }
}

fn lease(answer: Answer) -> LeaseView {
    match answer {
        Answer::Lease(lease) => lease,
        other => panic!("{other:?}"),
    }
}

fn renewal(lease: &LeaseView, token: i64) -> ask::LeaseRenew {
    ask::LeaseRenew { lease: lease.id.clone(), token: Some(token) }
}

fn release(lease: &LeaseView, token: i64) -> ask::LeaseRelease {
    ask::LeaseRelease { lease: lease.id.clone(), token: Some(token) }
}

fn force(lease: &LeaseView) -> ask::LeaseForce {
    ask::LeaseForce { lease: lease.id.clone(), reason: "it hangs".into(), key: Some("f".into()) }
}

/// Seconds until a lease runs out by the clock on the wall, counted up.
fn left(team: &Team, lease: &LeaseView) -> i64 {
    lease.until.map_or(0, |until| (until.0 - team.clock.wall_us() + 999_999) / 1_000_000)
}

fn live(team: &mut Team) -> Vec<(String, i64)> {
    match team.quietly(&kimi(), ask::LeaseList {}) {
        Answer::Leases(page) => {
            page.items.iter().map(|lease| (lease.holder.name.clone(), left(team, lease))).collect()
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_overlap_is_refused_and_names_the_holder_and_the_seconds_left() {
    let mut team = Team::duo();
    let held = lease(
        team.ok(&claude(), ask::LeaseTake { reason: Some("refactoring".into()), ..paths(&["src/**"]) }),
    );
    assert_eq!((held.ttl_s, left(&team, &held), held.live), (300, 300, true));
    assert_eq!(held.reason.as_deref(), Some("refactoring"));
    team.clock.advance(Duration::from_millis(99_500));
    let refusal = team.refused(&kimi(), paths(&["src/main.rs"]));
    assert_eq!((refusal.kind, refusal.code.as_str()), (RefusalKind::Conflict, "RACE-001"));
    let sentence = format!("src/main.rs overlaps src/**, which claude holds for another 201 s ({})", held.id);
    assert_eq!(refusal.sentence, sentence);
    team.ok(&kimi(), paths(&["docs"]));
    assert_eq!(live(&mut team), [("claude".to_owned(), 201), ("kimi".to_owned(), 300)]);
}

#[test]
fn shared_leases_coexist_and_keep_a_writer_out() {
    let mut team = Team::duo();
    team.ok(&claude(), shared("src"));
    team.ok(&kimi(), shared("src"));
    assert_eq!(team.refused(&kimi(), paths(&["src"])).code, "RACE-001");
    assert_eq!(live(&mut team).len(), 2);
}

#[test]
fn every_grant_has_a_larger_token_and_old_ones_are_refused() {
    let mut team = Team::duo();
    let first = lease(team.ok(&claude(), paths(&["src"])));
    team.clock.advance(Duration::from_secs(301));
    let second = lease(team.ok(&kimi(), paths(&["src"])));
    assert!(second.token > first.token);
    let late = team.refused(&claude(), renewal(&first, first.token));
    assert_eq!((late.kind, late.code.as_str()), (RefusalKind::Conflict, "lease_over"));
    for refusal in [
        team.refused(&kimi(), renewal(&second, first.token)),
        team.refused(&kimi(), release(&second, first.token)),
        team.refused(&Caller::operator(), release(&second, first.token)),
    ] {
        assert_eq!((refusal.kind, refusal.code.as_str()), (RefusalKind::Conflict, "old_token"));
    }
    team.ok(&kimi(), release(&second, second.token));
    let third = lease(team.ok(&claude(), paths(&["src"])));
    assert!(third.token > second.token);
}

#[test]
fn renewals_write_no_entry_and_prolong() {
    let mut team = Team::duo();
    let held = lease(team.ok(&claude(), ask::LeaseTake { ttl_s: Some(100), ..paths(&["a", "b"]) }));
    for _ in 0..3 {
        team.clock.advance(Duration::from_secs(99));
        let renewed = lease(team.quietly(&claude(), renewal(&held, held.token)));
        assert_eq!((left(&team, &renewed), renewed.token), (100, held.token));
        team.clock.advance(Duration::from_secs(99));
        // Taking the same again renews too, for the time it has.
        let again = lease(team.quietly(&claude(), paths(&["b", "./a"])));
        assert_eq!((&again.id, left(&team, &again), again.token), (&held.id, 100, held.token));
    }
    assert_eq!(team.refused(&kimi(), renewal(&held, held.token)).code, "not_yours");
    team.quietly(&Caller::operator(), renewal(&held, held.token));
}

#[test]
fn the_same_paths_for_another_time_are_a_new_grant_in_place_of_the_old() {
    let mut team = Team::duo();
    let old = lease(team.ok(&claude(), paths(&["src"])));
    let new = lease(team.ok(&claude(), ask::LeaseTake { ttl_s: Some(3600), ..paths(&["src"]) }));
    assert!(new.id != old.id && new.token > old.token);
    assert_eq!((new.ttl_s, left(&team, &new)), (3600, 3600));
    assert_eq!(live(&mut team), [("claude".to_owned(), 3600)]);
}

#[test]
fn a_lease_runs_out_by_the_boot_clock_and_not_before() {
    let mut team = Team::duo();
    let held = lease(team.ok(&claude(), paths(&["src"])));
    team.clock.advance(Duration::from_micros(299_999_999));
    assert_eq!(team.refused(&kimi(), paths(&["src"])).code, "RACE-001");
    team.clock.advance(Duration::from_micros(1));
    assert_eq!(live(&mut team), []);
    let refusal = team.refused(&claude(), renewal(&held, held.token));
    assert!(refusal.sentence.contains("has run out"), "{refusal}");
    assert_eq!(refusal.hint.as_deref(), Some("take it again: interagent lease take src"));
    team.ok(&kimi(), paths(&["src"]));
}

#[test]
fn a_step_of_the_wall_clock_neither_frees_nor_prolongs() {
    for step_us in [DAY_US, -DAY_US, 400 * DAY_US] {
        let mut team = Team::duo();
        team.ok(&claude(), paths(&["src"]));
        team.clock.step_wall(step_us);
        assert_eq!(live(&mut team).len(), 1, "{step_us}");
        let refusal = team.refused(&kimi(), paths(&["src"]));
        assert!(refusal.code == "RACE-001" && refusal.sentence.contains("another 300 s"), "{refusal}");
        team.clock.advance(Duration::from_secs(300));
        assert_eq!(live(&mut team), [], "{step_us}");
        team.ok(&kimi(), paths(&["src"]));
    }
}

#[test]
fn after_a_reboot_the_wall_clock_counts() {
    let mut team = Team::duo();
    team.ok(&claude(), paths(&["src"]));
    let mut team = team.reboot(START_US + 100 * 1_000_000);
    assert_eq!(live(&mut team), [("claude".to_owned(), 200)]);
    assert_eq!(team.refused(&kimi(), paths(&["src"])).code, "RACE-001");
    let mut team = team.reboot(START_US + 300 * 1_000_000);
    assert_eq!(live(&mut team), []);
    team.ok(&kimi(), paths(&["src"]));
}

#[test]
fn a_lease_binds_nobody_at_another_replica() {
    let mut team = Team::duo();
    let held = lease(team.ok(&claude(), paths(&["src"])));
    let mut team = team.copied();
    team.register("eve", "codex");
    let listed = team.ok(&Caller::operator(), ask::LeaseList {});
    assert_eq!(listed, Answer::Leases(Page { items: vec![], next: None }));
    team.ok(&Caller::agent("eve"), paths(&["src"]));
    let foreign = Caller { behalf: Some("claude@here".into()), ..Caller::operator() };
    assert_eq!(team.refused(&foreign, paths(&["docs"])).code, "not_at_home");
    assert_eq!(team.refused(&foreign, renewal(&held, held.token)).code, "not_at_home");
}

#[test]
fn giving_back_frees_the_paths_and_twice_is_once() {
    let mut team = Team::duo();
    let held = lease(team.ok(&claude(), paths(&["src"])));
    assert_eq!(team.refused(&kimi(), release(&held, held.token)).code, "not_yours");
    let given_back = lease(team.ok(&claude(), release(&held, held.token)));
    assert_eq!((given_back.live, left(&team, &given_back)), (false, 0));
    team.quietly(&claude(), release(&held, held.token));
    assert!(team.refused(&claude(), renewal(&held, held.token)).sentence.contains("was given back"));
    team.ok(&kimi(), paths(&["src"]));
}

#[test]
fn the_operator_forces_and_the_holder_is_told() {
    let mut team = Team::duo();
    let held = lease(team.ok(&claude(), paths(&["src"])));
    let refusal = team.refused(&kimi(), force(&held));
    assert_eq!((refusal.kind, refusal.code.as_str()), (RefusalKind::Refused, "force_needs_superior"));
    assert!(!lease(team.ok(&Caller::operator(), force(&held))).live);
    assert_eq!(team.subjects("claude"), ["Your lease on src was taken away"]);
    assert_eq!(lease(team.quietly(&Caller::operator(), force(&held))).id, held.id);
    assert!(team.refused(&claude(), renewal(&held, held.token)).sentence.contains("was taken away"));
    team.ok(&kimi(), paths(&["src"]));
}

#[test]
fn bad_leases_are_refused() {
    let mut team = Team::duo();
    for (params, code) in [
        (paths(&[]), "bad_globs"),
        (paths(&["/etc/passwd"]), "bad_glob"),
        (paths(&["../other"]), "bad_glob"),
        (paths(&[""]), "bad_glob"),
        (ask::LeaseTake { ttl_s: Some(i64::MAX), ..paths(&["src"]) }, "bad_ttl"),
        (ask::LeaseTake { ttl_s: Some(-1), ..paths(&["src"]) }, "bad_ttl"),
        (ask::LeaseTake { task: Some("task-0000".into()), ..paths(&["src"]) }, "not_found"),
    ] {
        assert_eq!(team.refused(&claude(), params).code, code);
    }
    let missing = ask::LeaseRenew { lease: "lease-0000".into(), token: None };
    assert_eq!(team.refused(&claude(), missing).kind, RefusalKind::NotFound);
}
