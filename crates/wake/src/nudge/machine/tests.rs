//! The protocol against a terminal that is only imagined, with a person and a client that do anything at any moment.

use proptest::prelude::*;

use super::*;

const LINE: &str = "inbox3, or run: interagent inbox";

fn text(text: &str) -> Held {
    if text.is_empty() { Held::Nothing } else { Held::Text(vec![text.to_owned()]) }
}

fn shows(held: &str, at: u64) -> View {
    View {
        at: Duration::from_millis(at),
        gate: Ok(()),
        calm: Ok(()),
        seen: Seen::Composer(text(held)),
        composer: Some(text(held)),
        print: 7,
        still: Duration::ZERO,
    }
}

/// Runs through views until the end; every act with the view that decided it.
fn run(views: impl IntoIterator<Item = View>) -> Vec<(View, Act)> {
    let mut machine = Machine::new(LINE, None);
    let mut acts = Vec::new();
    for view in views {
        let act = machine.step(&view);
        acts.push((view, act));
        if matches!(act, Act::End(_)) {
            break;
        }
    }
    acts
}

fn outcome(acts: &[(View, Act)]) -> Outcome {
    match acts.last().unwrap().1 {
        Act::End(outcome) => outcome,
        other => panic!("it goes on: {other:?}"),
    }
}

fn calm_start() -> Vec<View> {
    [0, 750, 1500, 2250, 3000].map(|at| shows("", at)).to_vec()
}

fn after_start(more: &[View]) -> Vec<(View, Act)> {
    run(calm_start().into_iter().chain(more.iter().cloned()))
}

#[test]
fn an_empty_composer_that_stays_so_is_typed_into_and_submitted() {
    let acts = after_start(&[shows(LINE, 3300), shows(LINE, 3600), shows("", 3850)]);
    let acts: Vec<Act> = acts.into_iter().map(|(_, act)| act).collect();
    let wait = Act::Wait(BETWEEN_LOOKS);
    assert_eq!(
        acts,
        [
            wait,
            wait,
            wait,
            wait,
            Act::Type(BEFORE_ENTER),
            Act::Wait(BEFORE_ENTER),
            Act::Enter(AFTER_ENTER),
            Act::End(Outcome::Submitted)
        ]
    );
}

/// A screen that tmux saw quiet for this long at its first look, with our looks since.
fn quiet_for(still_ms: u64) -> Vec<View> {
    let look = |view: View| View { still: view.at + Duration::from_millis(still_ms), ..view };
    calm_start().into_iter().map(look).collect()
}

#[test]
fn quiet_before_the_first_look_counts() {
    let types_at = |still_ms| {
        let acts = run(quiet_for(still_ms));
        let typed = acts.iter().find(|(_, act)| matches!(act, Act::Type(_)));
        typed.map(|(view, _)| view.at.as_millis())
    };
    assert_eq!(types_at(60_000), Some(750), "two looks are needed all the same");
    assert_eq!(types_at(1_500), Some(1_500));
    assert_eq!(types_at(0), Some(3_000));
}

#[test]
fn quiet_before_the_first_look_excuses_nothing() {
    for (change, reason) in [
        ((|view| view.calm = Err(Reason::Keystroke)) as fn(&mut View), Reason::Keystroke),
        (|view| view.gate = Err(Reason::NotForeground), Reason::NotForeground),
        (|view| view.seen = Seen::Dialog, Reason::Dialog),
        (|view| view.seen = Seen::Composer(text("half")), Reason::Typed),
        (|view| view.print = 8, Reason::Output),
    ] {
        for at in 0..2 {
            let mut views = quiet_for(60_000);
            change(&mut views[at]);
            assert_eq!(outcome(&run(views)), Outcome::NotSafe(reason), "look {at}");
        }
    }
}

#[test]
fn whatever_is_not_calm_gets_no_key() {
    let spoiled = |change: &dyn Fn(&mut View)| {
        (0..5)
            .map(|at| {
                let mut views = calm_start();
                change(&mut views[at]);
                let acts = run(views);
                assert!(acts.iter().all(|(_, act)| matches!(act, Act::Wait(_) | Act::End(_))), "{acts:?}");
                outcome(&acts)
            })
            .collect::<Vec<_>>()
    };
    let all = |reason| vec![Outcome::NotSafe(reason); 5];
    assert_eq!(spoiled(&|view| view.gate = Err(Reason::CopyMode)), all(Reason::CopyMode));
    assert_eq!(spoiled(&|view| view.calm = Err(Reason::Keystroke)), all(Reason::Keystroke));
    assert_eq!(spoiled(&|view| view.seen = Seen::Dialog), all(Reason::Dialog));
    assert_eq!(spoiled(&|view| view.seen = Seen::Busy), all(Reason::Works));
    assert_eq!(spoiled(&|view| view.seen = Seen::Unknown), all(Reason::UnknownScreen));
    assert_eq!(spoiled(&|view| view.seen = Seen::Composer(text("half"))), all(Reason::Typed));
    assert_eq!(spoiled(&|view| view.seen = Seen::Composer(Held::Edited)), all(Reason::Typed));
    assert_eq!(spoiled(&|view| view.print = 8), all(Reason::Output));
}

#[test]
fn a_person_who_types_into_our_line_keeps_it() {
    for mixed in ["please inbox3, or run: interagent inbox", "inbox3, or run: interagent inboxx", "x"] {
        let acts = after_start(&[shows(mixed, 3300)]);
        assert_eq!(outcome(&acts), Outcome::Stranded(Reason::Typed), "{mixed}");
        let acts = after_start(&[shows(LINE, 3300), shows(mixed, 3600)]);
        assert_eq!(outcome(&acts), Outcome::Stranded(Reason::Typed), "{mixed}");
    }
}

#[test]
fn a_line_that_an_attempt_left_is_gone_on_with_and_no_other() {
    const LEFT: &str = "inbox2, or run: interagent inbox";
    let attempt = |views: Vec<View>| {
        let mut machine = Machine::new(LINE, Some(LEFT));
        let acts: Vec<Act> = views.iter().map(|view| machine.step(view)).collect();
        (acts, machine.line().to_owned())
    };
    let stands = |held: &str| [0, 750, 1500, 2250, 3000].map(|at| shows(held, at)).to_vec();
    let (acts, line) = attempt([stands(LEFT), vec![shows("", 3300)]].concat());
    assert_eq!(acts[3..], [Act::Wait(BETWEEN_LOOKS), Act::Enter(AFTER_ENTER), Act::End(Outcome::Submitted)]);
    assert_eq!(line, LEFT);
    // Whatever else stands there is a person's, and an empty composer is typed into as ever.
    assert_eq!(attempt(stands(LINE)).0[0], Act::End(Outcome::NotSafe(Reason::Typed)));
    assert_eq!(attempt(stands(&format!("{LEFT} x"))).0[0], Act::End(Outcome::NotSafe(Reason::Typed)));
    let (acts, line) = attempt(stands(""));
    assert_eq!((acts[4], line.as_str()), (Act::Type(BEFORE_ENTER), LINE));
}

#[test]
fn a_client_that_draws_slowly_is_waited_for() {
    let slow = ["", "inb", "inbox3, or", LINE, LINE, ""].map(|held| shows(held, 3300));
    assert_eq!(outcome(&after_start(&slow)), Outcome::Submitted);
    // In the middle of drawing nothing can be read, before and after the line was seen.
    let torn = View { seen: Seen::Unknown, composer: None, ..shows("", 3300) };
    let whole = shows(LINE, 3300);
    let drawn_again =
        [torn.clone(), whole.clone(), torn.clone(), whole.clone(), whole.clone(), shows("", 3300)];
    assert_eq!(outcome(&after_start(&drawn_again)), Outcome::Submitted);
    let never = |view: &View| outcome(&after_start(&vec![view.clone(); 20]));
    assert_eq!(never(&shows("", 3300)), Outcome::Stranded(Reason::NotShown));
    assert_eq!(never(&torn), Outcome::Stranded(Reason::UnknownScreen));
    let by_turns: Vec<View> = [whole, torn].into_iter().cycle().take(40).collect();
    assert_eq!(outcome(&after_start(&by_turns)), Outcome::Stranded(Reason::UnknownScreen));
}

#[test]
fn what_is_never_taken_is_removed_after_three_enters() {
    let mut views = vec![shows(LINE, 3300); 11];
    views.push(shows("", 3300));
    let acts = after_start(&views);
    let count = |wanted: Act| acts.iter().filter(|(_, act)| *act == wanted).count();
    assert_eq!(count(Act::Enter(AFTER_ENTER)), 3);
    assert_eq!(count(Act::TakeBack(BEFORE_ENTER)), 1);
    assert_eq!(outcome(&acts), Outcome::Removed);
}

#[test]
fn a_question_that_opens_over_our_line_gets_no_enter() {
    let mut asks = shows(LINE, 3600);
    asks.seen = Seen::Dialog;
    let acts = after_start(&[shows(LINE, 3300), asks.clone()]);
    assert_eq!(outcome(&acts), Outcome::Stranded(Reason::Dialog));
    let acts = after_start(&[shows(LINE, 3300), shows(LINE, 3600), asks]);
    assert_eq!(acts.iter().filter(|(_, act)| matches!(act, Act::Enter(_))).count(), 1);
}

fn any_held() -> impl Strategy<Value = Held> {
    let texts = prop_oneof![
        4 => Just(LINE.to_owned()),
        2 => (0..LINE.len()).prop_map(|end| LINE[..end].to_owned()),
        1 => Just(format!("{LINE} and more")),
        1 => Just(format!("more {LINE}")),
        1 => "[a-z ]{1,9}",
    ];
    prop_oneof![3 => Just(Held::Nothing), 6 => texts.prop_map(|held| text(&held)), 1 => Just(Held::Edited)]
}

fn any_view() -> impl Strategy<Value = View> {
    let trouble =
        prop_oneof![12 => Just(Ok(())), 1 => Just(Err(Reason::CopyMode)), 1 => Just(Err(Reason::Gone))];
    let seen = prop_oneof![8 => Just(None), 1 => Just(Some(Seen::Busy)), 1 => Just(Some(Seen::Dialog)), 1 => Just(Some(Seen::Unknown))];
    let composer = prop_oneof![9 => any_held().prop_map(Some), 1 => Just(None)];
    let print = prop_oneof![15 => Just(7u64), 1 => any::<u64>()];
    let still = (0..6_000u64).prop_map(Duration::from_millis);
    (trouble.clone(), trouble, seen, composer, print, still).prop_map(
        |(gate, calm, seen, composer, print, still)| {
            let shown = composer.clone().map_or(Seen::Unknown, Seen::Composer);
            View { at: Duration::ZERO, gate, calm, seen: seen.unwrap_or(shown), composer, print, still }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn no_key_but_after_a_look_that_allows_it(
        calm in 0..6usize,
        views in proptest::collection::vec(any_view(), 1..60),
    ) {
        let start = calm_start().into_iter().take(calm);
        let later = views.into_iter().enumerate().map(|(number, mut view)| {
            view.at = Duration::from_millis(3750 + 300 * u64::try_from(number).unwrap());
            view
        });
        let acts = run(start.chain(later));
        let mut enters = 0;
        let mut types = 0;
        for (view, act) in &acts {
            let is_ours = view.composer.as_ref().is_some_and(|held| held.is(LINE));
            match act {
                Act::Type(_) => {
                    types += 1;
                    prop_assert!(view.gate.is_ok() && view.calm.is_ok());
                    prop_assert_eq!(&view.seen, &Seen::Composer(Held::Nothing));
                }
                Act::Enter(_) | Act::TakeBack(_) => {
                    enters += u8::from(matches!(act, Act::Enter(_)));
                    prop_assert!(is_ours && view.gate.is_ok() && view.seen != Seen::Dialog, "{:?}", view);
                }
                Act::Wait(_) | Act::End(_) => {}
            }
        }
        prop_assert!(enters <= 3 && types <= 1);
        let pressed = acts.iter().any(|(_, act)| matches!(act, Act::Type(_)));
        if let Some((_, Act::End(outcome))) = acts.last() {
            prop_assert_eq!(!matches!(outcome, Outcome::NotSafe(_)), pressed);
        } else {
            prop_assert!(acts.len() < 66);
        }
    }

    /// A terminal with a person and a client who act between any two looks.
    #[test]
    fn what_a_person_typed_is_neither_sent_nor_deleted(
        still in 0..9u64,
        deeds in proptest::collection::vec(deed(), 0..40),
    ) {
        let mut world = World { still, ..World::default() };
        let mut machine = Machine::new(LINE, None);
        let mut deeds = deeds.into_iter();
        for look in 0u64.. {
            let act = machine.step(&world.view(look * 700));
            match act {
                Act::Type(_) => world.receive(LINE),
                Act::Enter(_) => world.enter(),
                Act::TakeBack(_) => (0..LINE.len()).for_each(|_| world.backspace()),
                Act::Wait(_) => {}
                Act::End(_) => break,
            }
            world.suffer(deeds.next().unwrap_or(Deed::Nothing));
            prop_assert!(look < 64, "it does not end");
        }
        prop_assert_eq!(world.answered, 0, "a question was answered");
        prop_assert!(world.sent.iter().all(|sent| sent == LINE), "{:?}", world.sent);
        prop_assert_eq!(world.lost, 0, "a letter of the person was deleted");
    }
}

#[derive(Clone, Debug)]
enum Deed {
    Nothing,
    PersonTypes(char),
    PersonSubmits,
    QuestionOpens,
    PersonAnswers,
    ClientStopsListening,
}

fn deed() -> impl Strategy<Value = Deed> {
    prop_oneof![
        12 => Just(Deed::Nothing),
        2 => proptest::char::range('a', 'z').prop_map(Deed::PersonTypes),
        1 => Just(Deed::PersonSubmits),
        1 => Just(Deed::QuestionOpens),
        1 => Just(Deed::PersonAnswers),
        1 => Just(Deed::ClientStopsListening),
    ]
}

/// Letters with whether a person typed them.
#[derive(Default)]
struct World {
    buffer: Vec<(char, bool)>,
    is_asking: bool,
    is_deaf: bool,
    changes: u64,
    /// For how many looks nothing was written.
    still: u64,
    sent: Vec<String>,
    answered: u32,
    lost: u32,
}

impl World {
    fn text(&self) -> String {
        self.buffer.iter().map(|(letter, _)| *letter).collect()
    }

    fn view(&self, at: u64) -> View {
        let mut view = shows(&self.text(), at);
        view.print = self.changes;
        view.still = Duration::from_millis(700 * self.still);
        if self.is_asking {
            view.seen = Seen::Dialog;
            view.composer = None;
        }
        view
    }

    fn receive(&mut self, line: &str) {
        self.buffer.extend(line.chars().map(|letter| (letter, false)));
    }

    fn enter(&mut self) {
        if self.is_asking {
            self.answered += 1;
        } else if !self.is_deaf {
            self.sent.push(self.text());
            self.buffer.clear();
        }
    }

    fn backspace(&mut self) {
        if let Some((_, true)) = self.buffer.pop() {
            self.lost += 1;
        }
    }

    fn suffer(&mut self, deed: Deed) {
        let is_written = !matches!(deed, Deed::Nothing | Deed::ClientStopsListening);
        self.changes += u64::from(is_written);
        self.still = if is_written { 0 } else { self.still + 1 };
        match deed {
            Deed::Nothing => {}
            Deed::PersonTypes(letter) if !self.is_asking => self.buffer.push((letter, true)),
            Deed::PersonSubmits if !self.is_asking => self.buffer.clear(),
            Deed::PersonTypes(_) | Deed::PersonSubmits => {}
            Deed::QuestionOpens => self.is_asking = true,
            Deed::PersonAnswers => self.is_asking = false,
            Deed::ClientStopsListening => self.is_deaf = true,
        }
    }
}
