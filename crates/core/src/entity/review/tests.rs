//! How a review folds: rounds, and what older programs wrote.

use super::*;
use crate::entry::OrderKey;
use crate::ids::OriginId;
use crate::vocabulary::Auth;

fn stamp(at: i64) -> Stamp {
    let (origin, me) = (OriginId::from_bits(1), AgentId::from_bits(1));
    let order = OrderKey { at, origin, oseq: at };
    Stamp { order, wall: at, member: me.clone(), actor: me, auth: Auth::Session }
}

/// Folds events as they are in the log: kind and data.
fn fold(events: &[(&str, &str)]) -> (Review, Vec<Option<Void>>) {
    let read = |(kind, data): &(&str, &str)| {
        Event::read(kind, 1, &serde_json::value::RawValue::from_string((*data).to_owned()).unwrap())
    };
    let id = ReviewId::from_bits(1);
    let mut review = Review::create(&id, &read(&events[0]), &stamp(1)).unwrap();
    let mut voids = Vec::new();
    for (event, at) in events[1..].iter().zip(2..) {
        match review.clone().apply(&read(event), &stamp(at)) {
            Ok(next) => {
                review = next;
                voids.push(None);
            }
            Err(void) => voids.push(Some(void)),
        }
    }
    (review, voids)
}

const OPENED: (&str, &str) = (
    "review.opened",
    r#"{"author":"agt-000000000001","reviewers":["agt-000000000002"],"title":"0000000000000000000000000000000000000000000000000000000000000000"}"#,
);
const REVISE: (&str, &str) = ("review.judged", r#"{"verdict":"revision_needed","by":"agt-000000000002"}"#);
const APPROVE: (&str, &str) = ("review.judged", r#"{"verdict":"approved","by":"agt-000000000002"}"#);
const SECOND: (&str, &str) = ("review.round", r#"{"round":2,"by":"agt-000000000001","tree":"t2"}"#);

#[test]
fn a_review_of_an_older_program_has_one_round() {
    let comment = r#"{"comment":"note-000000000001","thread":"note-000000000001","by":"agt-000000000002","body":"0000000000000000000000000000000000000000000000000000000000000000","disposition":"concern","file":"src/nope.rs","line":400}"#;
    let (review, voids) = fold(&[OPENED, ("review.commented", comment), APPROVE]);
    assert_eq!(voids, [None, None]);
    assert_eq!((review.round(), review.comments[0].comment.round), (1, None));
    let end = review.end.unwrap();
    assert_eq!((end.verdict, end.round, end.open_threads), (Verdict::Approved, 1, vec![]));
}

#[test]
fn a_round_follows_a_call_for_revision_and_no_other_verdict() {
    let (review, voids) = fold(&[OPENED, REVISE, SECOND]);
    assert_eq!((voids, review.round(), review.verdicts.len()), (vec![None, None], 2, 1));
    assert_eq!(review.end, None);
    let (review, voids) = fold(&[OPENED, APPROVE, SECOND]);
    assert_eq!(voids[1], Some(Void::TooLate("the review has its verdict")));
    assert_eq!(review.end.unwrap().verdict, Verdict::Approved);
}

#[test]
fn the_first_of_two_rounds_and_the_newer_round_win() {
    let (review, voids) = fold(&[OPENED, SECOND, SECOND]);
    assert_eq!((review.round(), &voids[1]), (2, &Some(Void::TooLate("that round exists"))));
    let late = ("review.judged", r#"{"verdict":"approved","by":"agt-000000000002","round":1}"#);
    let (review, voids) = fold(&[OPENED, SECOND, late]);
    assert_eq!((review.end, &voids[1]), (None, &Some(Void::TooLate("there is a newer round"))));
}

#[test]
fn the_first_round_is_completed_once() {
    let first = ("review.round", r#"{"round":1,"by":"agt-000000000001","base":"b","head":"h"}"#);
    let (review, voids) = fold(&[OPENED, first, first]);
    assert_eq!((review.round(), review.rounds[0].change.base.as_deref()), (1, Some("b")));
    assert_eq!(voids, [None, Some(Void::TooLate("that round exists"))]);
}

/// An older program does not know rounds, and new fields of kinds it knows are nothing to it.
#[test]
fn a_new_kind_and_new_fields_harm_no_older_reader() {
    #[derive(serde::Deserialize)]
    struct OldJudged {
        verdict: Verdict,
    }
    let judged = ReviewJudged {
        verdict: Verdict::Approved,
        by: AgentId::from_bits(2),
        note: None,
        round: Some(2),
        open_threads: vec![CommentId::from_bits(1)],
    };
    let data = Event::from(judged).data().unwrap();
    assert_eq!(serde_json::from_str::<OldJudged>(data.get()).unwrap().verdict, Verdict::Approved);
    let data = serde_json::value::RawValue::from_string(SECOND.1.to_owned()).unwrap();
    let unknown = Event::read("review.round", 2, &data);
    assert!(matches!(unknown, Event::Unknown { .. }));
    let (review, _) = fold(&[OPENED]);
    assert_eq!(review.apply(&unknown, &stamp(9)), Err(Void::Unknown));
}
