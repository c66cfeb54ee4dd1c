//! Agents that answer each other for ever, two and three of them: held at the limit, shown, and let go by one command.

use std::time::Instant;

use interagent_testkit::clients::{MockModel, Network, Turn, client, within_own_network};

use super::stage::{Crew, World};
use crate::team::nonce;

#[test]
#[ignore = "needs the real clients: cargo xtask clients claude kimi"]
fn claude_and_kimi() {
    within_own_network("captain::loops::claude_and_kimi", |network| loops_are_held(&network));
}

/// Whoever is told something says the next thing to the next one.
struct Round {
    /// Who hears what.
    said: Vec<(&'static str, String)>,
}

impl Round {
    fn of(agents: &[&'static str]) -> Self {
        Self { said: agents.iter().map(|agent| (*agent, nonce("ball"))).collect() }
    }

    /// Gives the models their parts. The first member is Kimi Code, the others are Claude Code.
    fn give(&self, claude: &MockModel, kimi: &MockModel) {
        for (n, (agent, heard)) in self.said.iter().enumerate() {
            let (next, ball) = &self.said[(n + 1) % self.said.len()];
            let (model, name) = if *agent == "member1" { (kimi, "kimi") } else { (claude, "claude") };
            let throw = client(name).shell(&format!("interagent send --to {next} -m '{ball}'"));
            model.cue(heard, vec![throw, Turn::Say("Thrown.".to_owned())]);
        }
    }

    fn has(&self, text: &str) -> bool {
        self.said.iter().any(|(_, ball)| text.contains(ball.as_str()))
    }
}

fn loops_are_held(network: &Network) {
    let began = Instant::now();
    let world = World::new();
    let rounds = [Round::of(&["member2", "member1"]), Round::of(&["member2", "vice_captain1", "member1"])];
    for round in &rounds {
        round.give(world.claude.model(), world.kimi.model());
    }
    let crew = Crew::up(&world);
    crew.set(&[("pair_messages", 2), ("pair_window_s", 600)]);
    for round in &rounds {
        let (first, ball) = &round.said[0];
        crew.say(first, ball);
        let of_round = || crew.held().into_iter().find(|held| round.has(held["subject"].as_str().unwrap()));
        crew.until("it is held", || of_round().is_some());
        let held = of_round().unwrap();
        let sender = held["from"]["name"].as_str().unwrap().to_owned();
        assert!(crew.dashboard().contains("held, "), "the person does not see it: {}", crew.dashboard());
        // It is held a moment before its sender's model sees the answer.
        crew.until(&format!("{sender} is told that its message is held"), || {
            [&world.claude, &world.kimi].into_iter().any(|stage| {
                let conversations = stage.model().conversations();
                conversations.iter().any(|asked| asked.results().iter().any(|told| told.contains("held")))
            })
        });
        crew.release(held["id"].as_str().unwrap());
        // Let go, it arrives; the next one is held again.
        crew.until("it arrives", || {
            !crew.message(held["id"].as_str().unwrap())["to"][0]["delivered"].is_null()
        });
        crew.until("the next is held", || of_round().is_some());
    }
    crew.down();
    for stage in [&world.claude, &world.kimi] {
        stage.was_used(began.elapsed());
        stage.record_as("loops", network, &serde_json::Value::Null);
    }
}
