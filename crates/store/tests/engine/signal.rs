//! Wake-ups between connections.

use std::time::Duration;

use interagent_store::{Engine, ReadTx, Woken, WriteTx};

use crate::support::{Store, add, count};

const LONG: Duration = Duration::from_secs(10);
const SHORT: Duration = Duration::from_millis(100);

#[test]
fn a_commit_wakes_a_waiter_of_another_connection() {
    let store = Store::made();
    let (mut writer, reader) = (store.existing(), store.existing());
    let mut waiter = reader.waiter().unwrap();
    assert_eq!(waiter.wait(SHORT).unwrap(), Woken::Timeout);
    let sleeper = std::thread::spawn(move || waiter.wait(LONG).unwrap());
    std::thread::sleep(SHORT);
    add(&mut writer, "hello").unwrap();
    assert_eq!(sleeper.join().unwrap(), Woken::Signal);
}

#[test]
fn reading_rolling_back_and_empty_commits_wake_nobody() {
    let store = Store::made();
    let (mut writer, reader) = (store.existing(), store.existing());
    let mut waiter = reader.waiter().unwrap();
    drop(ReadTx::begin(&mut writer).unwrap());
    drop(WriteTx::begin(&mut writer).unwrap());
    WriteTx::begin(&mut writer).unwrap().commit().unwrap();
    // Opening comes before the byte: whoever woke for it would look too early.
    drop(std::fs::File::options().read(true).write(true).open(store.file("signal/wake")).unwrap());
    assert_eq!(waiter.wait(SHORT).unwrap(), Woken::Timeout);
}

#[test]
fn a_commit_before_the_wait_ends_it() {
    let store = Store::made();
    let (mut writer, reader) = (store.existing(), store.existing());
    let mut waiter = reader.waiter().unwrap();
    add(&mut writer, "one").unwrap();
    add(&mut writer, "two").unwrap();
    std::thread::sleep(SHORT);
    assert_eq!(waiter.wait(LONG).unwrap(), Woken::Signal);
    assert_eq!(waiter.wait(SHORT).unwrap(), Woken::Timeout, "several commits before a look are one wake-up");
}

#[test]
fn no_wake_up_is_lost_and_each_finds_its_commit() {
    let store = Store::made();
    let (mut writer, mut reader) = (store.existing(), store.existing());
    let mut waiter = reader.waiter().unwrap();
    let (turn, turns) = std::sync::mpsc::sync_channel::<()>(0);
    let writing = std::thread::spawn(move || {
        for number in 0..500 {
            turns.recv().unwrap();
            add(&mut writer, &number.to_string()).unwrap();
        }
    });
    for seen in 0..500 {
        turn.send(()).unwrap();
        while count(&mut reader) == seen {
            assert_eq!(waiter.wait(LONG).unwrap(), Woken::Signal, "wake-up {seen} was lost");
        }
    }
    writing.join().unwrap();
}

#[test]
fn a_woken_reader_finds_the_commit_that_woke_it() {
    let store = Store::made();
    let (mut writer, mut reader) = (store.existing(), store.existing());
    for seen in 0..50 {
        // A fresh waiter each time: no earlier wake-up is left over.
        let mut waiter = reader.waiter().unwrap();
        let before = std::thread::scope(|scope| {
            scope.spawn(|| add(&mut writer, &seen.to_string()).unwrap());
            assert_eq!(waiter.wait(LONG).unwrap(), Woken::Signal);
            count(&mut reader)
        });
        assert_eq!(before, seen + 1, "woken before the commit");
    }
}

#[test]
fn the_signal_file_does_not_grow() {
    let store = Store::made();
    let mut writer = store.existing();
    for number in 0..20 {
        add(&mut writer, &number.to_string()).unwrap();
    }
    assert_eq!(std::fs::metadata(store.file("signal/wake")).unwrap().len(), 1);
}
