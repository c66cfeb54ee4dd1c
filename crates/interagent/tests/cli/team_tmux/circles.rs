//! Agents that talk in circles are held at the limit, which is shown to them and to the operator and ended by one command; and
//! who writes past the chain of command is told the right way, which works.

use super::stage::{Cue, Stage, cue, list};

const BALL: &str = "here is the ball, over to you";

/// Throws the ball on whenever it comes.
fn throws(who: &'static str, command: &str) -> Cue {
    Cue { times: 1000, ..cue(who, BALL, &[command]) }
}

#[test]
fn two_and_three_who_throw_a_ball_are_held_at_the_limit_until_they_are_released() {
    let stage = Stage::peers("ann:woken,bob:woken,cid:woken,dan:woken,eve:woken");
    stage.set("max_hops", "6");
    let reply = format!("interagent reply {{message}} -m '{BALL}'");
    let passes = |to: &str| format!("interagent send --to {to} --thread {{message}} -m '{BALL}'");
    stage.play(&[
        throws("ann", &reply),
        throws("bob", &reply),
        throws("cid", &passes("dan")),
        throws("dan", &passes("eve")),
        throws("eve", &passes("cid")),
    ]);
    stage.up(&[]);
    let pair = stage.send("ann", "bob", &["-m", BALL]);
    let three = stage.send("eve", "cid", &["-m", BALL]);
    for (begin, players) in [(&pair, &["ann", "bob"][..]), (&three, &["cid", "dan", "eve"])] {
        let held = held_in(&stage, begin);
        // Six came through, the seventh is held, and whoever threw it was told.
        assert_eq!(thread(&stage, begin).len(), 7, "{players:?}");
        let told: String = players.iter().map(|name| stage.file(name, "ran")).collect();
        assert!(told.contains(&format!("interagent msg release {held}")), "{told}");
        assert!(told.contains("held: too many messages without a person or progress"), "{told}");
        let dashboard = stage.dashboard();
        let (_, action) = dashboard.split_once("## Needs action").unwrap();
        assert!(action.split("\n## ").next().unwrap().contains(&held), "{dashboard}");
        assert!(stage.world.run(&["status"]).stdout.contains("interagent msg list --held"));
        // An agent does not release it; one command of the operator does, and the game goes on to the next limit.
        let by_agent =
            stage.world.start().env("INTERAGENT_AGENT", players[0]).run(&["msg", "release", &held]);
        assert_eq!(by_agent.status, 1, "{}", by_agent.stdout);
        stage.world.start().seated().run(&["msg", "release", &held]).success();
        stage.until("it goes on", || thread(&stage, begin).len() > 7);
        let next = held_in(&stage, begin);
        assert_ne!(next, held);
        assert!(thread(&stage, begin).len() <= 14, "a release is no licence");
    }
    assert!(["ann", "bob", "cid", "dan", "eve"].iter().all(|name| stage.keys(name).is_empty()));
}

fn thread(stage: &Stage, begin: &str) -> Vec<serde_json::Value> {
    let shown = stage.world.json(&["msg", "list", "--thread", begin, "--limit", "100"]);
    list(&shown["items"]).cloned().collect()
}

/// The message of a conversation that is held, as soon as there is one.
fn held_in(stage: &Stage, begin: &str) -> String {
    let mut found = None;
    stage.until("the conversation is held", || {
        let held = stage.world.json(&["msg", "list", "--held", "--thread", begin]);
        found = list(&held["items"]).next().map(|message| message["id"].as_str().unwrap().to_owned());
        found.is_some()
    });
    found.unwrap()
}

#[test]
fn who_writes_past_the_chain_is_told_the_right_way_and_it_works() {
    let stage = Stage::captain(&["--captain", "woken", "--vice-captains", "woken:1", "--members", "woken:1"]);
    let asks = |whom: &str| format!("interagent send --to {whom} -m 'May I use the port?'");
    // The way that the refusal names, as it names it.
    let way = |whom: &str| {
        format!(
            "{} 2>&1 | sed -n 's/^hint: .*: interagent/interagent/p' | sed 's/TEXT/\"May I use port {whom}?\"/' | sh",
            asks(whom)
        )
    };
    stage.play(&[cue(
        "member1",
        "Ask",
        &[&asks("captain"), &asks("operator"), &way("captain"), &way("operator")],
    )]);
    stage.up(&[]);
    stage.say("member1", "Ask somebody.");
    for whom in ["captain", "operator"] {
        let words = format!("May I use port {whom}?");
        stage.until("its superior has it", || stage.file("vice_captain1", "heard").contains(&words));
    }
    let ran = stage.file("member1", "ran");
    let refused = ran.lines().filter(|line| line.starts_with("[1]") || line.starts_with("hint: "));
    insta::assert_snapshot!(refused.collect::<Vec<_>>().join("\n"), @r"
    [1] error: no mail goes to captain: it would interrupt the operator's typing
    hint: write to vice_captain1, your superior: interagent send --to vice_captain1 -m TEXT
    [1] error: member1 does not write to the operator: matters go up the chain
    hint: write to vice_captain1, your superior: interagent send --to vice_captain1 -m TEXT
    ");
    let heard = stage.file("captain", "heard");
    assert!(!heard.contains("May I use"), "{heard}");
    assert!(
        stage
            .messages()
            .iter()
            .all(|message| !list(&message["to"]).any(|to| to["agent"]["name"] == "captain"))
    );
    assert_eq!(stage.world.json(&["inbox"])["unread"], 0);
}
