//! The writer gate: nobody is refused, nobody starves, a stuck holder is named.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use interagent_store::{Engine, ErrorKind, OpenMode, SqliteEngine, SqliteOptions, StoreError, WriteTx};
use rustix::process::{Signal, kill_process};

use crate::support::{Helper, Store, add, count, options};

#[test]
#[ignore = "a helper process of the tests below"]
fn helper_holds_the_gate() {
    let mut engine = SqliteEngine::open_with(&Helper::state_dir(), OpenMode::Existing, options()).unwrap();
    let _tx = WriteTx::begin(&mut engine).unwrap();
    Helper::ready();
}

fn impatient(store: &Store) -> SqliteEngine {
    let options = SqliteOptions { gate_wait: Duration::from_millis(200), ..options() };
    SqliteEngine::open_with(&store.state_dir(), OpenMode::Existing, options).unwrap()
}

#[test]
fn a_stopped_holder_is_named_and_the_gate_works_again_when_it_is_gone() {
    let store = Store::made();
    let mut engine = impatient(&store);
    let holder = Helper::start("gate::helper_holds_the_gate", &store.state_dir());
    kill_process(holder.pid(), Signal::STOP).unwrap();
    let pid = holder.0.id();

    let started = Instant::now();
    let error = add(&mut engine, "refused").unwrap_err();
    assert!(started.elapsed() < Duration::from_secs(5));
    assert_eq!(error.kind(), ErrorKind::Busy);
    assert!(error.to_string().contains(&format!("process {pid}, which is stopped")), "{error}");

    // Several helpers of ours wait in the kernel's queue now; all of them must let go.
    add(&mut engine, "refused too").unwrap_err();
    drop(holder);
    std::thread::sleep(Duration::from_millis(100));
    let deadline = Instant::now() + Duration::from_secs(5);
    while add(&mut engine, "accepted").is_err() {
        assert!(Instant::now() < deadline, "the gate stays closed after its holder is gone");
    }
    assert_eq!(count(&mut engine), 1);
}

#[test]
fn a_running_holder_is_named_without_being_called_stopped() {
    let store = Store::made();
    let mut engine = impatient(&store);
    let holder = Helper::start("gate::helper_holds_the_gate", &store.state_dir());
    match add(&mut engine, "refused").unwrap_err() {
        StoreError::GateHeld { holder: Some(seen), .. } => {
            assert_eq!(seen.pid, holder.0.id());
            assert!(!seen.stopped);
        }
        other => panic!("{other}"),
    }
}

#[test]
fn two_connections_of_one_process_exclude_each_other() {
    let store = Store::made();
    let (mut first, mut second) = (impatient(&store), impatient(&store));
    let tx = WriteTx::begin(&mut first).unwrap();
    assert_eq!(add(&mut second, "too early").unwrap_err().kind(), ErrorKind::Busy);
    tx.commit().unwrap();
    add(&mut second, "now").unwrap();
    assert_eq!(count(&mut first), 1);
}

#[test]
fn eight_threads_with_a_hundred_writes_each_are_never_refused() {
    let store = Store::made();
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let mut engine = store.existing();
            scope.spawn(move || {
                for number in 0..100 {
                    add(&mut engine, &format!("{thread}/{number}")).unwrap();
                    engine.finish_write().unwrap();
                }
            });
        }
    });
    assert_eq!(count(&mut store.existing()), 800);
}

#[test]
fn saturated_writers_all_get_their_turn() {
    let store = Store::made();
    let stop = AtomicBool::new(false);
    let shares: Vec<u32> = std::thread::scope(|scope| {
        let writers: Vec<_> = (0..4)
            .map(|thread| {
                let mut engine = store.existing();
                let stop = &stop;
                scope.spawn(move || {
                    let mut written = 0;
                    while !stop.load(Ordering::Relaxed) {
                        add(&mut engine, &format!("{thread}/{written}")).unwrap();
                        written += 1;
                    }
                    written
                })
            })
            .collect();
        std::thread::sleep(Duration::from_secs(2));
        stop.store(true, Ordering::Relaxed);
        writers.into_iter().map(|writer| writer.join().unwrap()).collect()
    });
    println!("shares: {shares:?}");
    let (least, most) = (shares.iter().min().unwrap(), shares.iter().max().unwrap());
    assert!(least * 10 >= *most, "one writer starves: {shares:?}");
}
