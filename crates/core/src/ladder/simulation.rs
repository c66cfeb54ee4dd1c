//! Hours of traffic on simulated time: a thousand agents that are silent, busy, dead or slow, wake-ups that get lost, and a
//! supervisor that is killed and comes back.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

use proptest::prelude::*;

use super::waking::{Again, Channel, Efforts, Occasion, SessionSight, Sight, TYPED_AT_S, plan};
use super::*;
use crate::limits;
use crate::reach::Reach;

const AGENTS: usize = 1_000;
const HOURS: u64 = 4;

/// Chance that depends on its seed alone.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }

    fn in_hundred(&mut self, chance: u64) -> bool {
        self.below(100) < chance
    }
}

/// What an agent is like.
struct Member {
    above: Above,
    is_captain: bool,
    /// How often of a hundred it does what it is asked once it sees it.
    answers: u64,
    /// How often of a hundred a wake-up reaches it.
    hears: u64,
    has_pane: bool,
    waiting: BTreeSet<usize>,
    efforts: Option<Efforts>,
    /// Lines typed since it took anything.
    typed: u32,
    /// Runs without a person since then.
    runs: u32,
    wake_due: Option<u64>,
}

struct Case {
    agent: usize,
    standing: Rung,
    is_settled: bool,
    asked: BTreeMap<&'static str, u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Happening {
    Sent(usize),
    Ladder(usize),
    Wake(usize),
    Settled(usize),
}

struct World {
    dice: Dice,
    now: u64,
    ladder: Ladder,
    members: Vec<Member>,
    cases: Vec<Case>,
    queue: BinaryHeap<Reverse<(u64, Happening)>>,
    /// Until when nobody supervises.
    down_until: u64,
}

impl World {
    fn new(seed: u64) -> Self {
        let mut dice = Dice(seed);
        let members = (0..AGENTS).map(|n| Member {
            above: [Above::Nobody, Above::Captain, Above::Superior][n % 3],
            is_captain: n % 3 == 0,
            answers: [0, 30, 95][usize::try_from(dice.below(3)).unwrap()],
            hears: [0, 40, 100][usize::try_from(dice.below(3)).unwrap()],
            has_pane: dice.in_hundred(70),
            waiting: BTreeSet::new(),
            efforts: None,
            typed: 0,
            runs: 0,
            wake_due: None,
        });
        let members: Vec<Member> = members.collect();
        let ladder = Ladder { reset_allowed: true, ..Ladder::default() };
        let mut queue = BinaryHeap::new();
        for number in 0..2 * AGENTS {
            queue.push(Reverse((dice.below(HOURS * 1800), Happening::Sent(number))));
        }
        Self { dice, now: 0, ladder, members, cases: Vec::new(), queue, down_until: 0 }
    }

    fn run(&mut self) {
        while let Some(Reverse((at, happening))) = self.queue.pop() {
            self.now = self.now.max(at);
            if self.dice.below(2_000) == 0 {
                self.down_until = self.now + self.dice.below(900);
            }
            let needs_supervisor = matches!(happening, Happening::Ladder(_) | Happening::Wake(_));
            if needs_supervisor && self.now < self.down_until {
                // Rows outlive whoever looks at them: it is done late, and once.
                self.queue.push(Reverse((self.down_until, happening)));
                continue;
            }
            match happening {
                Happening::Sent(_) => self.send(),
                Happening::Ladder(case) => self.climb(case),
                Happening::Wake(agent) if self.members[agent].wake_due.is_some_and(|due| due <= self.now) => {
                    self.wake(agent, Occasion::Due);
                }
                Happening::Wake(_) => {}
                Happening::Settled(case) => self.cases[case].is_settled = true,
            }
        }
    }

    fn way(&self, agent: usize) -> Way {
        Way { above: self.members[agent].above, matter: Matter::Own }
    }

    fn send(&mut self) {
        let agent = usize::try_from(self.dice.below(AGENTS as u64)).unwrap();
        let number = self.cases.len();
        self.cases.push(Case { agent, standing: Rung::Wake, is_settled: false, asked: BTreeMap::new() });
        self.members[agent].waiting.insert(number);
        let begin = self.way(agent).begin(&self.ladder);
        self.stand(number, begin);
        self.wake(agent, Occasion::News);
    }

    fn stand(&mut self, case: usize, standing: Standing) {
        self.cases[case].standing = standing.rung;
        if let Some(length) = standing.for_s {
            self.queue.push(Reverse((self.now + u64::from(length), Happening::Ladder(case))));
        }
    }

    fn climb(&mut self, number: usize) {
        let case = &self.cases[number];
        if case.is_settled {
            return;
        }
        let (agent, way) = (case.agent, self.way(case.agent));
        let next = way.next(&self.ladder, case.standing);
        let is_idle = self.dice.in_hundred(50);
        let seen = Resettable { is_ready: is_idle, is_captain: self.members[agent].is_captain };
        let step = step(&self.ladder, way, next.rung, seen);
        let word = match step {
            Step::Remind => "wake",
            Step::Reset => {
                assert!(is_idle && !seen.is_captain, "a reset of somebody who works, or of a captain");
                "reset"
            }
            Step::AskSuperior => "superior",
            Step::Dashboard => "captain",
            Step::AskOperator => "operator",
            Step::Default(_) => "default",
            Step::Wait => "wait",
        };
        *self.cases[number].asked.entry(word).or_default() += 1;
        self.stand(number, next);
        match step {
            Step::Remind => self.wake(agent, Occasion::News),
            Step::AskOperator if self.dice.in_hundred(50) => {
                let at = self.now + self.dice.below(3_000);
                self.queue.push(Reverse((at, Happening::Settled(number))));
            }
            _ => {}
        }
    }

    fn wake(&mut self, agent: usize, occasion: Occasion) {
        let Some(oldest) = self.members[agent].waiting.first().copied() else {
            (self.members[agent].efforts, self.members[agent].wake_due) = (None, None);
            return;
        };
        let reach =
            [Reach::InTurn, Reach::Waiter(0), Reach::Woken, Reach::NextPrompt, Reach::AfterPermission];
        // Clients die and come back, as themselves or as another session.
        let session = (!self.dice.in_hundred(10)).then(|| SessionSight {
            id: format!("s{}", self.dice.below(20) / 19),
            reach: reach[usize::try_from(self.dice.below(5)).unwrap()],
            has_pane: self.members[agent].has_pane,
            silent_us: [0, limits::WEDGED_US][usize::try_from(self.dice.below(2)).unwrap()],
        });
        let has_come = session.as_ref().is_some_and(|session| {
            let before = self.members[agent].efforts.as_ref();
            before.is_some_and(|b| b.oldest == oldest.to_string() && !b.seen.contains(&session.id))
        });
        let may_disturb = session
            .as_ref()
            .is_some_and(|s| !matches!(s.reach, Reach::InTurn | Reach::AfterPermission) && s.has_pane);
        let sight = Sight {
            set: format!("{:?}", self.members[agent].waiting),
            oldest: oldest.to_string(),
            sessions: session.into_iter().collect(),
            may_run: true,
            ways: [Channel::Native, Channel::Nudge, Channel::Run].into(),
            patience_s: self.ladder.wake_s,
        };
        let next = plan(&sight, self.members[agent].efforts.as_ref(), occasion);
        let is_looked_at = matches!(next.again, Again::In(_));
        assert!(is_looked_at || !has_come, "who came back is planned for anew: {next:?}");
        let member = &mut self.members[agent];
        member.efforts = Some(next.efforts);
        match next.again {
            Again::In(seconds) => member.wake_due = Some(self.now + u64::from(seconds)),
            Again::AsPlanned => {}
            Again::Never => member.wake_due = None,
        }
        if let Some(due) = member.wake_due {
            self.queue.push(Reverse((due.max(self.now + 1), Happening::Wake(agent))));
        }
        let Some(attempt) = next.now else { return };
        if attempt.channel == Channel::Nudge {
            assert!(may_disturb, "a line typed where somebody works or a dialog is open");
            self.members[agent].typed += 1;
            assert!(self.members[agent].typed as usize <= TYPED_AT_S.len(), "more lines than allowed");
        }
        if attempt.channel == Channel::Run {
            self.members[agent].runs += 1;
            assert_eq!(self.members[agent].runs, 1, "a run costs: one for what waits");
        }
        let heard = attempt.channel != Channel::Person && self.dice.in_hundred(self.members[agent].hears);
        if heard {
            self.take(agent);
        }
    }

    /// The agent looks, and does what it is asked, or not.
    fn take(&mut self, agent: usize) {
        let taken = std::mem::take(&mut self.members[agent].waiting);
        (self.members[agent].typed, self.members[agent].runs) = (0, 0);
        for case in taken {
            if self.dice.in_hundred(self.members[agent].answers) {
                let at = self.now + self.dice.below(1_200);
                self.queue.push(Reverse((at, Happening::Settled(case))));
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn every_duty_ends_settled_or_with_the_operator(seed in any::<u64>()) {
        let mut world = World::new(seed);
        world.run();
        prop_assert_eq!(world.cases.len(), 2 * AGENTS);
        let mut with_operator = 0;
        for case in &world.cases {
            let times = |word: &str| case.asked.get(word).copied().unwrap_or(0);
            prop_assert!(case.is_settled || case.standing == Rung::Ended, "{:?}", case.asked);
            prop_assert!(case.is_settled || (times("operator"), times("default")) == (1, 1), "{:?}", case.asked);
            for word in ["superior", "captain", "operator", "default", "reset"] {
                prop_assert!(times(word) <= 1, "{} {:?}", word, case.asked);
            }
            let above = world.members[case.agent].above;
            prop_assert!(above == Above::Superior || times("superior") == 0, "mail to a captain, or to nobody");
            with_operator += times("operator");
        }
        prop_assert!(with_operator > 0, "somebody is always silent");
    }

    #[test]
    fn climbing_without_delay_is_the_rung_of_the_age(
        steps in prop::array::uniform4(0_u32..500), deadline in 1_u32..5_000, age in 0_i64..10_000, which in 0_usize..6,
    ) {
        let [wake, next, reset, superior] = steps;
        let ladder = Ladder {
            wake_s: 1 + wake, next_channel_s: 1 + wake + next, reset_s: 1 + wake + next + reset,
            superior_s: 1 + wake + next + reset + superior, operator_deadline_s: deadline, ..Ladder::default()
        };
        let above = [Above::Nobody, Above::Captain, Above::Superior][which % 3];
        let way = Way { above, matter: if which < 3 { Matter::Own } else { Matter::Carrier } };
        let (mut at, mut standing) = (0, way.begin(&ladder));
        while let Some(length) = standing.for_s.filter(|length| at + i64::from(*length) <= age) {
            at += i64::from(length);
            standing = way.next(&ladder, standing.rung);
        }
        prop_assert_eq!(standing.rung, super::tests::rung_at(way, &ladder, age));
    }
}
