//! An agent that does not run, with `headless_allowed`: the supervisor runs it once for its mail, and no more.

use super::stage::{Stage, cue};

#[test]
fn who_does_not_run_is_run_once_for_its_mail() {
    let stage = Stage::captain(&["--vice-captains", "plain:1", "--members", "typed:1,plain:1"]);
    stage.set("headless_allowed", "true");
    stage.set("wake_s", "2");
    stage.play(&[cue("member1", "Which port?", &["interagent reply {message} -m '8080'"])]);
    let members = stage.world.json(&["agent", "list"]);
    assert!(members.to_string().contains("plain"), "{members}");
    let supervisor = stage.supervise();
    let (first, second) = ("member1", "member2");
    let asked = stage.send("vice_captain1", first, &["--intent", "question", "-m", "Which port?"]);
    let other = stage.send("vice_captain1", second, &["-m", "Nobody reads this by itself."]);
    stage.until("it is run and answers", || stage.message(&asked)["to"][0]["how"] == "replied");
    // Who has no such way is not run: the person is told that nothing reaches it.
    stage.until("the other one is given up", || !stage.traced(second, "wake.person").is_empty());
    stage.until("the run is over", || stage.file(first, "heard").contains("=== SessionEnd"));
    let runs = stage.file(first, "runs");
    assert_eq!(runs.matches("=== end of the prompt").count(), 1, "{runs}");
    assert!(runs.contains("You are member1 (member)") && runs.contains("Which port?"), "{runs}");
    assert_eq!(stage.traced(first, "wake.run").len(), 1);
    // An answer is evidence too, and may come before the run has said what it brought.
    let via = stage.message(&asked)["to"][0]["via"].clone();
    assert!(via == "headless" || via == "action", "{:#}", stage.message(&asked));
    assert!(stage.message(&other)["to"][0]["delivered"].is_null());
    assert_eq!(stage.file(second, "started"), "");
    assert_eq!(stage.world.agent(first)["life"], "away", "nothing of it is left running");
    drop(supervisor);
}
