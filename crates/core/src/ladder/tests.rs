//! The rungs one by one, the ways to reach an agent, and the words.

use std::collections::BTreeSet;

use super::telling::{Story, Try};
use super::waking::{Again, Channel, Efforts, Occasion, SessionSight, Sight, Silence, plan};
use super::*;
use crate::ids::{MessageId, TaskId};
use crate::limits;
use crate::reach::Reach;
use crate::vocabulary::Duty;

const OWN: Way = Way { above: Above::Superior, matter: Matter::Own };

fn way(above: Above) -> Way {
    Way { above, matter: Matter::Own }
}

fn climb(way: Way, ladder: &Ladder) -> Vec<String> {
    let mut lines = Vec::new();
    let (mut at, mut standing) = (0, way.begin(ladder));
    loop {
        lines.push(format!("{at} {}", standing.rung));
        let Some(length) = standing.for_s else { return lines };
        at += length;
        standing = way.next(ladder, standing.rung);
    }
}

/// On which rung a duty of this age stands, if somebody supervised it from its beginning.
pub(super) fn rung_at(way: Way, ladder: &Ladder, age_s: i64) -> Rung {
    let mut standing = way.begin(ladder);
    let mut left = age_s;
    while let Some(length) = standing.for_s {
        left -= i64::from(length);
        if left < 0 {
            return standing.rung;
        }
        standing = way.next(ladder, standing.rung);
    }
    standing.rung
}

#[test]
fn a_duty_climbs_by_age_and_skips_what_is_not_there() {
    let usual = Ladder::default();
    assert_eq!(
        climb(OWN, &usual),
        ["0 wake", "60 next_channel", "120 reset", "240 superior", "480 operator", "4080 ended"]
    );
    assert_eq!(
        climb(way(Above::Nobody), &usual),
        ["0 wake", "60 next_channel", "120 reset", "240 operator", "3840 ended"]
    );
    let carrier = Way { matter: Matter::Carrier, ..OWN };
    assert_eq!(climb(carrier, &usual), ["0 wake", "60 next_channel", "120 ended"]);
    let short = Ladder { next_channel_s: 60, reset_s: 60, superior_s: 61, ..usual };
    assert_eq!(climb(OWN, &short), ["0 wake", "60 superior", "61 operator", "3661 ended"]);
}

#[test]
fn the_rung_of_an_age_is_where_it_climbs_to() {
    let usual = Ladder::default();
    let rungs = [0, 59, 60, 119, 120, 240, 479, 480, 4079, 4080].map(|age| rung_at(OWN, &usual, age));
    assert_eq!(
        rungs.map(Rung::as_str).join(" "),
        "wake wake next_channel next_channel reset superior superior operator operator ended"
    );
    assert_eq!(rung_at(OWN, &usual, -5), Rung::Wake, "a clock that was set back");
}

#[test]
fn a_context_is_reset_only_where_everything_allows_it() {
    let idle = Resettable { is_ready: true, is_captain: false };
    let allowed = Ladder { reset_allowed: true, ..Ladder::default() };
    assert_eq!(step(&allowed, OWN, Rung::Reset, idle), Step::Reset);
    for (ladder, agent) in [
        (Ladder::default(), idle),
        (allowed.clone(), Resettable { is_captain: true, ..idle }),
        (allowed, Resettable { is_ready: false, ..idle }),
    ] {
        assert_eq!(step(&ladder, OWN, Rung::Reset, agent), Step::Wait, "{agent:?}");
    }
}

#[test]
fn a_captain_gets_no_mail_but_its_dashboard_says_so() {
    let team = TeamConfig::usual_captain("p");
    let name = |name: &str| Name::parse(name).unwrap();
    let usual = Ladder::default();
    let agent = Resettable::default();
    let steps = ["member1", "vice_captain1", "captain"].map(|who| {
        let way = way(above(Some(&team), &name(who)));
        (way.above, step(&usual, way, Rung::Superior, agent))
    });
    assert_eq!(
        steps,
        [
            (Above::Superior, Step::AskSuperior),
            (Above::Captain, Step::Dashboard),
            (Above::Nobody, Step::Wait)
        ]
    );
}

fn sight(sessions: &[(Reach, bool)]) -> Sight {
    let sessions = sessions.iter().enumerate().map(|(n, (reach, has_pane))| SessionSight {
        id: format!("s{n}"),
        reach: *reach,
        has_pane: *has_pane,
        silent_us: 0,
    });
    Sight {
        set: "a".to_owned(),
        oldest: "m1".to_owned(),
        sessions: sessions.collect(),
        may_run: true,
        ways: [Channel::Native, Channel::Nudge, Channel::Run].into(),
        patience_s: 60,
    }
}

/// What happens when nobody takes anything: what is done at which second.
fn unheard(sight: &Sight) -> Vec<String> {
    let mut told = Vec::new();
    let (mut at, mut efforts, mut occasion) = (0, None::<Efforts>, Occasion::News);
    for _ in 0..20 {
        let next = plan(sight, efforts.as_ref(), occasion);
        told.extend(next.now.map(|attempt| format!("{at} {}", attempt.channel)));
        efforts = Some(next.efforts);
        occasion = Occasion::Due;
        match next.again {
            Again::In(seconds) => at += seconds,
            Again::AsPlanned | Again::Never => break,
        }
    }
    told
}

#[test]
fn each_agent_is_reached_by_what_fits_it_now() {
    let told = |sessions: &[(Reach, bool)]| unheard(&sight(sessions)).join(", ");
    assert_eq!(told(&[(Reach::InTurn, true)]), "", "its own hooks hand it over");
    assert_eq!(
        told(&[(Reach::NextPrompt, true)]),
        "0 nudge, 10 nudge, 20 nudge, 40 nudge, 80 nudge, 120 nudge, 180 person"
    );
    assert_eq!(
        told(&[(Reach::Waiter(0), true)]),
        "60 nudge, 70 nudge, 80 nudge, 100 nudge, 140 nudge, 180 nudge, 240 person"
    );
    assert_eq!(told(&[(Reach::Woken, false)]), "0 native, 60 person");
    assert_eq!(told(&[(Reach::AfterPermission, true)]), "", "the person was notified of the dialog itself");
    assert_eq!(
        told(&[(Reach::AfterPermission, true), (Reach::NextPrompt, false)]),
        "",
        "nor is anybody told because of a server beside it"
    );
    assert_eq!(told(&[(Reach::AfterPermission, true), (Reach::Woken, false)]), "0 native, 60 person");
    assert_eq!(told(&[]), "0 run, 60 person");
    let nothing = Sight { ways: BTreeSet::new(), ..sight(&[(Reach::NextPrompt, true)]) };
    assert_eq!(unheard(&nothing), ["60 person"]);
}

#[test]
fn more_mail_neither_hurries_nor_delays_what_is_under_way() {
    let seen = sight(&[(Reach::NextPrompt, true)]);
    let first = plan(&seen, None, Occasion::News);
    assert_eq!((first.now.unwrap().channel, first.again), (Channel::Nudge, Again::In(10)));
    let more = Sight { set: "a b".to_owned(), ..seen.clone() };
    let second = plan(&more, Some(&first.efforts), Occasion::News);
    assert_eq!((second.now, second.again), (None, Again::AsPlanned));
    let exhausted = Efforts { typed: 6, ..second.efforts };
    let third = plan(&more, Some(&exhausted), Occasion::Due);
    assert_eq!(third.now.map(|attempt| attempt.channel), Some(Channel::Person));
    let fourth = plan(&more, Some(&third.efforts), Occasion::Due);
    assert_eq!((fourth.now, fourth.again), (None, Again::Never), "the person is told once");
    // The oldest was taken: that is evidence, and what comes now begins anew.
    let taken = Sight { oldest: "m2".to_owned(), ..more };
    let fifth = plan(&taken, Some(&fourth.efforts), Occasion::News);
    assert_eq!((fifth.efforts.typed, fifth.again), (1, Again::In(10)));
}

#[test]
fn who_comes_back_is_woken_though_the_person_was_told() {
    let away = Sight { may_run: false, ..sight(&[]) };
    let first = plan(&away, None, Occasion::News);
    assert_eq!((first.now, first.again), (None, Again::In(60)));
    let told = plan(&away, Some(&first.efforts), Occasion::Due);
    assert_eq!((told.now.unwrap().channel, told.again), (Channel::Person, Again::Never));
    let still = plan(&away, Some(&told.efforts), Occasion::News);
    assert_eq!((still.now, still.again), (None, Again::AsPlanned), "and nobody is told twice");
    let old_row = r#"{"set":"a","oldest":"m1","typed":3,"tried":["signal","person"]}"#;
    for before in [Efforts { typed: 3, ..still.efforts }, serde_json::from_str(old_row).unwrap()] {
        let back = sight(&[(Reach::NextPrompt, true)]);
        let seen = plan(&back, Some(&before), Occasion::News);
        assert_eq!((seen.now.unwrap().channel, seen.efforts.typed), (Channel::Nudge, 4), "six in all");
        let same = plan(&back, Some(&seen.efforts), Occasion::News);
        assert_eq!((same.now, same.again), (None, Again::AsPlanned), "once for each session");
    }
    let run = plan(&sight(&[]), None, Occasion::News);
    assert_eq!(run.now.unwrap().channel, Channel::Run);
    let its_session = plan(&sight(&[(Reach::InTurn, false)]), Some(&run.efforts), Occasion::News);
    let gone = plan(&sight(&[]), Some(&its_session.efforts), Occasion::Due);
    assert_eq!(gone.now.unwrap().channel, Channel::Person, "the session of a run brings no other run");
}

#[test]
fn agent_is_nudged_once_its_dialog_is_closed() {
    let asking = sight(&[(Reach::AfterPermission, true)]);
    let first = plan(&asking, None, Occasion::News);
    assert_eq!((first.now, first.again), (None, Again::In(ASKING_S)));
    let still = plan(&asking, Some(&first.efforts), Occasion::Due);
    assert_eq!((still.now, still.again), (None, Again::In(ASKING_S)), "for as long as it is open");
    let idle = sight(&[(Reach::NextPrompt, true)]);
    let closed = plan(&idle, Some(&still.efforts), Occasion::Due);
    assert_eq!(closed.now.unwrap().channel, Channel::Nudge);
}

#[test]
fn a_turn_without_a_sign_of_life_is_told_once_and_looked_at_on() {
    let mut seen = sight(&[(Reach::InTurn, true), (Reach::InTurn, true)]);
    let busy = plan(&seen, None, Occasion::News);
    assert_eq!((busy.now, busy.again), (None, Again::In(60)));
    seen.sessions[0].silent_us = limits::WEDGED_US;
    let one = plan(&seen, Some(&busy.efforts), Occasion::Due);
    assert_eq!((one.now, one.again), (None, Again::In(60)), "the other one works");
    seen.sessions[1].silent_us = limits::WEDGED_US;
    let told = plan(&seen, Some(&one.efforts), Occasion::Due);
    assert_eq!((told.now.unwrap().channel, told.again), (Channel::Person, Again::In(60)));
    let on = plan(&seen, Some(&told.efforts), Occasion::Due);
    assert_eq!((on.now, on.again), (None, Again::In(60)));
    seen.sessions = vec![SessionSight { reach: Reach::NextPrompt, ..seen.sessions[0].clone() }];
    let idle = plan(&seen, Some(&on.efforts), Occasion::Due);
    assert_eq!(idle.now.unwrap().channel, Channel::Nudge, "the turn came to its end: a line is typed");
}

#[test]
fn a_line_that_would_disturb_is_put_off_until_it_does_not() {
    let seen = sight(&[(Reach::NextPrompt, true)]);
    let (mut at, mut told) = (0, Vec::new());
    let mut efforts = None;
    for round in 0..12 {
        let next = plan(&seen, efforts.as_ref(), Occasion::Due);
        told.extend(next.now.as_ref().map(|attempt| format!("{at} {}", attempt.channel)));
        let is_nudge = next.now.is_some_and(|attempt| attempt.channel == Channel::Nudge);
        let (after, again) = match (is_nudge, next.again) {
            (true, _) if round < 10 => waking::was_put_off(next.efforts, "a question is open on its screen"),
            (true, _) => waking::was_typed(next.efforts),
            (false, Again::In(seconds)) => (next.efforts, seconds),
            (false, other) => panic!("{other:?}"),
        };
        (efforts, at) = (Some(after), at + again);
    }
    let efforts = efforts.unwrap();
    assert_eq!(
        told.join(", "),
        "0 nudge, 2 nudge, 7 nudge, 17 nudge, 37 nudge, 77 nudge, 137 nudge, 197 person, 197 nudge, 257 nudge, 317 nudge, 377 nudge"
    );
    assert_eq!((efforts.typed, efforts.put_off), (2, 0), "only what was typed counts");
}

#[test]
fn the_person_is_told_what_keeps_an_agent_from_being_reached() {
    let idle = sight(&[(Reach::NextPrompt, true)]);
    let (put_off, _) = waking::was_put_off(Efforts::default(), "a question is open on its screen");
    let (typed, _) = waking::was_typed(put_off.clone());
    let cases = [
        (idle.clone(), &put_off, Silence::PutOff("a question is open on its screen")),
        (idle, &typed, Silence::Unheard),
        (sight(&[(Reach::AfterPermission, true)]), &put_off, Silence::Asking),
        (sight(&[]), &put_off, Silence::Unheard),
    ];
    for (sight, efforts, why) in cases {
        assert_eq!(waking::silence(&sight, efforts), why, "{sight:?}");
    }
}

#[test]
fn a_client_is_told_of_each_set_once() {
    let seen = sight(&[(Reach::Woken, false)]);
    let first = plan(&seen, None, Occasion::News);
    assert_eq!(first.now.map(|attempt| attempt.channel), Some(Channel::Native));
    let again = plan(&seen, Some(&first.efforts), Occasion::News);
    assert_eq!((again.now, again.again), (None, Again::AsPlanned));
    let more = Sight { set: "a b".to_owned(), ..seen };
    let other = plan(&more, Some(&again.efforts), Occasion::News);
    assert_eq!(other.now.map(|attempt| attempt.channel), Some(Channel::Native));
    assert_eq!(other.again, Again::AsPlanned, "and the first one's time is not prolonged by it");
}

#[test]
fn the_question_says_what_waits_what_was_tried_and_what_helps() {
    let (matter, task) = (MessageId::from_bits(1), TaskId::from_bits(2));
    let at = 1_700_000_000_000_000;
    let tried =
        |what: &str, why: Option<&str>| Try { at, what: what.to_owned(), why: why.map(str::to_owned) };
    let tries = [
        tried("wake.tried", None),
        tried("wake.done", None),
        tried("nudge.put_off", Some("somebody's text stands in its composer")),
        tried("nudge.failed", Some("typed, not taken, and removed again")),
        tried("nudge.typed", None),
    ];
    let others = ["kim".to_owned(), "lee".to_owned()];
    let story = Story {
        agent: "bob",
        asker: "ann",
        matter: &matter,
        subject: "Which port?\u{7}",
        words: Some("Which port?\n\n8080 is taken by the proxy.\u{7}"),
        duty: Duty::Start,
        since: at,
        tries: &tries,
        had_it: None,
        task: Some(&task),
        others: &others,
        terms: Some((at + 3_600_000_000, OperatorDefault::Reassign)),
    };
    insta::assert_snapshot!(format!("{}\n\n{}", story.subject(), story.body()), @r#"
    bob is silent about msg-000000000001: Which port?

    bob has not started msg-000000000001 from ann since 2023-11-14 22:13 UTC: "Which port?".

    > Which port?
    > 8080 is taken by the proxy.

    What was tried:
    - 2023-11-14 22:13 UTC its session was to be woken
    - 2023-11-14 22:13 UTC its client was told
    - 2023-11-14 22:13 UTC no line was typed, so that nobody is disturbed: somebody's text stands in its composer
    - 2023-11-14 22:13 UTC a line did not get through: typed, not taken, and removed again
    - 2023-11-14 22:13 UTC a line was typed into its pane

    A reply to this message answers in place of bob and reaches bob and ann.
    You can also reassign task-000000000002: kim, lee.

    Without an answer by 2023-11-14 23:13 UTC: task-000000000002 goes to kim.
    "#);
    insta::assert_snapshot!(story.first_words(), @r#"
    interagent cleared your conversation because msg-000000000001 from ann has waited for you since 2023-11-14 22:13 UTC: "Which port?".
    Your briefing lists it with the call that settles it. Settle it now, or tell ann why you can't yet.
    "#);
    let bare =
        Story { words: None, task: None, tries: &[], terms: None, others: &[], duty: Duty::Answer, ..story };
    insta::assert_snapshot!(bare.body(), @r#"
    bob has not answered msg-000000000001 from ann since 2023-11-14 22:13 UTC: "Which port?".

    Nothing was tried to reach it: no way to it is known here.

    A reply to this message answers in place of bob and reaches bob and ann.
    "#);
    let read = Story { had_it: Some(1_700_000_060_000_000), ..bare };
    let body = read.body();
    assert!(
        body.contains("It has the message since 2023-11-14 22:14 UTC, and was not woken for it."),
        "{body}"
    );
}
