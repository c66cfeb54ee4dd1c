//! The supervisor is killed again and again while agents talk: nothing is lost, nothing comes twice, and no line of ours is
//! left in anybody's composer.

use std::time::Duration;

use super::stage::{Cue, Stage, cue, is_nudge};

const KILLS: u64 = 50;

/// The same choices in every run.
struct Chance(u64);

impl Chance {
    fn within(&mut self, least: u64, most: u64) -> Duration {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        Duration::from_millis(least + (self.0 >> 33) % (most - least))
    }
}

/// Members that answer whatever they are asked; their answers wake the vice captain.
fn team(members: &str, answering: &[&'static str]) -> Stage {
    let stage = Stage::captain(&["--vice-captains", "typed:1", "--members", members]);
    for key in ["max_hops", "pair_messages"] {
        stage.set(key, "1000");
    }
    let answers = |who: &&'static str| Cue {
        times: 1000,
        ..cue(who, "ping", &["interagent reply {message} -m 'pong'"])
    };
    stage.play(&answering.iter().map(answers).collect::<Vec<_>>());
    stage
}

fn asks(stage: &Stage, whom: &str, number: u64) -> String {
    stage.send("vice_captain1", whom, &["--intent", "question", "-m", &format!("ping {number}")])
}

fn is_answered(stage: &Stage, id: &str) -> bool {
    stage.message(id)["to"][0]["how"] == "replied"
}

#[test]
fn a_supervisor_killed_fifty_times_in_a_talking_team_loses_and_repeats_nothing() {
    let stage = team("typed:1,woken:1", &["member1", "member2"]);
    stage.up(&["vice_captain1", "member1", "member2"]);
    stage.world.kill_supervisor();
    let (mut chance, mut asked) = (Chance(20_261_117), Vec::new());
    for number in 0..KILLS {
        let supervisor = stage.supervise();
        asked.push(asks(&stage, if number % 2 == 0 { "member1" } else { "member2" }, number));
        std::thread::sleep(chance.within(50, 400));
        // With SIGKILL.
        drop(supervisor);
    }
    let _supervisor = stage.supervise();
    stage.until("everything is answered", || asked.iter().all(|id| is_answered(&stage, id)));
    stage.until("everything arrived", || stage.undelivered().is_empty());
    assert_eq!(stage.messages().len() as u64, 2 * KILLS, "each was answered once");
    stage.assert_delivered_once();
    for name in ["vice_captain1", "member1", "member2"] {
        assert_nothing_is_left(&stage, name);
    }
    stage.world.run(&["log", "verify"]).success();
}

/// Killed in the very moment in which a line stands in the composer and Enter was not pressed, or may have been.
#[test]
fn a_line_that_a_killed_supervisor_left_behind_is_taken_up_by_the_next() {
    let members = ["member1", "member2", "member3", "member4"];
    let stage = team("typed:4", &members);
    stage.up(&members);
    stage.world.kill_supervisor();
    let mut chance = Chance(20_261_118);
    let mut asked: Vec<String> = members.iter().map(|name| asks(&stage, name, 0)).collect();
    for number in 1..4 {
        let supervisor = stage.supervise();
        let before: Vec<String> = members.iter().map(|name| stage.keys(name)).collect();
        stage.until("a line is typed", || {
            members.iter().zip(&before).any(|(name, keys)| stage.keys(name) != *keys)
                // Whoever took the last Enter for this a moment too late hears of everything in that turn.
                || asked.iter().all(|id| is_answered(&stage, id))
        });
        std::thread::sleep(chance.within(1, 500));
        drop(supervisor);
        // In its turn an agent would hear of the next question by itself, and nothing would be left to type.
        stage.until_idle(&members);
        asked.extend(members.iter().map(|name| asks(&stage, name, number)));
    }
    let _supervisor = stage.supervise();
    stage.until("everything is answered", || asked.iter().all(|id| is_answered(&stage, id)));
    for name in members {
        assert_nothing_is_left(&stage, name);
        let submitted = stage.file(name, "submitted");
        // On a busy machine an Enter is pressed again before the first one showed: it finds an empty composer.
        let mut lines = submitted.lines().filter(|line| !line.is_empty());
        assert!(lines.all(|line| is_nudge(&format!("{line}\r"))), "lines were mixed: {submitted}");
    }
    // The vice captain is not there.
    stage.assert_delivered_once_to(|name| members.contains(&name));
}

/// The composer is empty once nothing is under way any more.
fn assert_nothing_is_left(stage: &Stage, name: &str) {
    stage.until("its composer is empty", || stage.screen(name).lines().any(|line| line.trim_end() == "❯"));
}
