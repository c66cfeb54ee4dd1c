//! The hand-over of messages: offered, shown, and only then delivered; to one session at a time.
//!
//! Promises R1, V1 to V5.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use interagent_testkit::crash::{Log, Verdict, Yard, ensure, is_soak};
use serde_json::{Value, json};

use super::{good, holds};

/// More than a pipe holds, so that the program stands still between taking and confirming.
const LARGER_THAN_A_PIPE: usize = 120_000;
const SOON: Duration = Duration::from_secs(30);

fn bind(yard: &Yard, session: &str) -> Verdict {
    let bound = yard.run("operator", &["session", "bind", session, "--agent", "reader", "--join"]);
    ensure(bound.code == Some(0), || format!("{bound}"))
}

fn send(yard: &Yard, body: &str) -> Result<String, String> {
    let sent = yard.call("operator", "message.send", &json!({ "to": ["reader"], "body": body }))?;
    sent["id"].as_str().map(str::to_owned).ok_or_else(|| format!("no id in {sent}"))
}

/// How the delivery of a message to its one recipient stands.
fn delivery(yard: &Yard, id: &str) -> Result<Value, String> {
    let message = yard.call("operator", "message.read", &json!({ "message": id }))?;
    Ok(message["to"][0].clone())
}

/// Starts an inbox that nobody reads from, waits until the message was taken for it, and ends it as `end` says.
fn inbox_interrupted(
    yard: &Yard,
    session: &str,
    id: &str,
    end: impl FnOnce(&mut std::process::Child),
) -> Verdict {
    let mut command = yard.command(&format!("reader/{session}"));
    command.args(["inbox", "--json"]).stdin(Stdio::null()).stderr(Stdio::null());
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let begun = Instant::now();
    let mut offered = Ok(false);
    while offered == Ok(false) && begun.elapsed() < SOON {
        std::thread::sleep(Duration::from_millis(20));
        // One that counts as delivered already is judged by whoever asked.
        offered = delivery(yard, id).map(|to| to["offered"] == true || !to["delivered"].is_null());
    }
    end(&mut child);
    let _ = child.kill();
    child.wait().unwrap();
    ensure(offered?, || format!("{id} was never offered"))
}

/// A reader that dies between taking and confirming gets the message again, with the same id and a count.
pub(super) fn a_dying_reader_gets_it_again(yard: &Yard) -> Verdict {
    let body = "x".repeat(LARGER_THAN_A_PIPE);
    let id = send(yard, &body)?;
    bind(yard, "s1")?;
    inbox_interrupted(yard, "s1", &id, |child| child.kill().unwrap())?;
    let left = delivery(yard, &id)?;
    ensure(left["state"] == "queued" && left["delivered"].is_null(), || {
        format!("{id} was never shown whole and is {left}")
    })?;
    // Nobody else gets it while the offer stands.
    bind(yard, "s2")?;
    let other = yard.call("reader/s2", "offer.take", &json!({}))?;
    ensure(ids(&other).is_empty(), || format!("{id} went to a second session: {other}"))?;
    let ended = yard.run("operator", &["session", "end", "s1"]);
    ensure(ended.code == Some(0), || format!("{ended}"))?;
    let inbox = yard.run("reader/s2", &["inbox", "--json"]).answer()?;
    let again = &inbox["items"][0];
    ensure(again["id"] == *id && again["body"].as_str() == Some(&body), || {
        format!("{id} did not come again")
    })?;
    ensure(again["redelivered"].as_i64() >= Some(1), || format!("redelivered is {}", again["redelivered"]))?;
    let now = delivery(yard, &id)?;
    ensure(!now["delivered"].is_null() && now["redelivered"].as_i64() >= Some(1), || {
        format!("{id} is {now}")
    })?;
    Log::read(yard)?.hand_overs_are_in_order()
}

fn ids(handover: &Value) -> Vec<String> {
    let items = handover["items"].as_array().into_iter().flatten();
    items.filter_map(|item| item["id"].as_str().map(str::to_owned)).collect()
}

/// Several sessions of one agent take at once: nobody gets what another got, and together they get all.
pub(super) fn sessions_never_share_a_message(yard: &Yard) -> Verdict {
    const SESSIONS: [&str; 4] = ["t1", "t2", "t3", "t4"];
    let sent = (0..8).map(|n| send(yard, &format!("number {n}"))).collect::<Result<Vec<_>, _>>()?;
    SESSIONS.iter().try_for_each(|session| bind(yard, session))?;
    let taken: Vec<Result<Value, String>> = std::thread::scope(|scope| {
        let takers: Vec<_> = SESSIONS
            .iter()
            .map(|session| {
                let who = format!("reader/{session}");
                scope.spawn(move || yard.call(&who, "offer.take", &json!({ "limit": 2 })))
            })
            .collect();
        takers.into_iter().map(|taker| taker.join().unwrap()).collect()
    });
    let mut times: BTreeMap<String, usize> = BTreeMap::new();
    for handover in taken {
        for id in ids(&handover?) {
            *times.entry(id).or_default() += 1;
        }
    }
    ensure(times.values().all(|times| *times == 1), || format!("handed to several sessions: {times:?}"))?;
    ensure(sent.iter().all(|id| times.contains_key(id)), || format!("of {sent:?} only {times:?} were taken"))
}

/// A hub for these tests.
pub(super) fn new_yard(exe: &Path) -> Yard {
    Yard::with_agents(exe, &["reader"])
}

#[test]
fn a_message_comes_again_when_its_reader_is_killed_before_confirming() {
    holds(a_dying_reader_gets_it_again(&new_yard(good())));
}

#[test]
fn a_reader_that_leaves_early_got_nothing() {
    let yard = new_yard(good());
    let id = send(&yard, &"x".repeat(LARGER_THAN_A_PIPE)).unwrap();
    bind(&yard, "s1").unwrap();
    holds(inbox_interrupted(&yard, "s1", &id, |child| {
        drop(child.stdout.take());
        let begun = Instant::now();
        while child.try_wait().unwrap().is_none() && begun.elapsed() < SOON {
            std::thread::sleep(Duration::from_millis(5));
        }
    }));
    assert!(delivery(&yard, &id).unwrap()["delivered"].is_null());
}

#[test]
fn an_offer_without_evidence_lapses_by_itself() {
    if !is_soak() {
        return interagent_testkit::crash::skip(
            "waiting 61 s for an offer to lapse: only with INTERAGENT_SOAK=1",
        );
    }
    let yard = new_yard(good());
    let id = send(&yard, &"x".repeat(LARGER_THAN_A_PIPE)).unwrap();
    bind(&yard, "s1").unwrap();
    bind(&yard, "s2").unwrap();
    holds(inbox_interrupted(&yard, "s1", &id, |child| child.kill().unwrap()));
    std::thread::sleep(Duration::from_secs(61));
    let again = yard.run("reader/s2", &["inbox", "--json"]).answer().unwrap();
    assert_eq!(again["items"][0]["id"], *id);
    assert_eq!(again["items"][0]["redelivered"], 1);
}

#[test]
fn two_sessions_are_never_handed_the_same_message() {
    holds(sessions_never_share_a_message(&new_yard(good())));
}
