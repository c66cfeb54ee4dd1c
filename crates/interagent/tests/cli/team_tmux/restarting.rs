//! A client that is gone and started anew is the same agent: with its identity, its briefing, its open task, and where it is
//! wished with its conversation.

use super::stage::{Stage, cue};

#[test]
fn who_lost_its_pane_is_itself_again_and_goes_on_with_its_task() {
    let stage = Stage::captain(&["--vice-captains", "typed:1", "--members", "typed:1"]);
    stage.up(&["member1"]);
    let give = ["task", "create", "Build the parser (task-1)", "--assignee", "member1", "--alias", "parser"];
    stage.world.run(&give).success();
    let begin = ["task", "update", "parser", "--status", "in_progress"];
    stage.world.start().env("INTERAGENT_AGENT", "member1").run(&begin).success();
    let before = stage.world.agent("member1");
    stage.world.tmux(&["kill-pane", "-t", &stage.world.pane("member1")]);
    stage.world.wait_for("member1", "dead");

    let report = "interagent report done --summary 'it parses' --no-skill --purpose-met";
    stage.play(&[cue("member1", "Go on", &[report])]);
    stage.world.run(&["restart", "member1"]).success();
    stage.world.wait_for("member1", "idle");
    let after = stage.world.agent("member1");
    assert_eq!(after["id"], before["id"]);
    assert_ne!(after["session"], before["session"]);
    let heard = stage.file("member1", "heard");
    let briefing = heard.rsplit("=== SessionStart").next().unwrap();
    for part in ["You are member1 (member)", "Build the parser (task-1)", "in_progress"] {
        assert!(briefing.contains(part), "no `{part}` in its briefing: {briefing}");
    }
    stage.say("member1", "Go on with what is open.");
    stage.until("its work is done", || stage.task("parser")["status"] == "completed");
    assert_eq!(stage.file("member1", "started").lines().count(), 2);
}

#[test]
fn a_conversation_is_gone_on_with_where_that_is_wished() {
    let stage = Stage::captain(&["--vice-captains", "typed:1", "--members", "typed:2"]);
    let session = |name: &str| stage.world.agent(name)["session"].as_str().unwrap().to_owned();
    let started = |name: &str| stage.file(name, "started").lines().last().unwrap().to_owned();
    stage.up(&["member1"]);
    let first = session("member1");
    assert_eq!(started("member1"), r#"["--go"]"#);
    stage.world.run(&["down"]).success();
    // Who was never there before begins anew, and that is told.
    let up = stage.world.run(&["up", "--resume", "member1", "member2"]).success();
    assert!(up.stdout.contains("member2: a new conversation"), "{}", up.stdout);
    stage.up(&["member1", "member2"]);
    let resumed = format!(r#"["--go", "--again", "{first}"]"#);
    assert_eq!((started("member1"), session("member1")), (resumed.clone(), first.clone()));
    assert_eq!(started("member2"), r#"["--go"]"#);
    stage.world.run(&["restart", "member1", "--resume"]).success();
    stage.until("it was started a third time", || stage.file("member1", "started").lines().count() == 3);
    stage.world.wait_for("member1", "idle");
    assert_eq!((started("member1"), session("member1")), (resumed, first.clone()));
    stage.world.run(&["restart", "member1"]).success();
    stage.until("it has another conversation", || session("member1") != first);
    assert_eq!(started("member1"), r#"["--go"]"#);
}

#[test]
fn only_a_conversation_of_the_client_itself_is_gone_on_with() {
    let stage = Stage::captain(&["--vice-captains", "typed:1", "--members", "typed:1"]);
    stage.up(&["member1"]);
    let first = stage.world.agent("member1")["session"].as_str().unwrap().to_owned();
    // Heard of later, and made by us: for a run, for a client that named none, for a server.
    for own in ["run-0123456789abcdef", "typed-77-88", "mcp-77-88-0123456789abcdef"] {
        let bind = ["session", "bind", own, "--agent", "member1", "--profile", "typed", "--join"];
        stage.world.run(&bind).success();
    }
    stage.world.run(&["restart", "member1", "--resume"]).success();
    stage.until("it was started again", || stage.file("member1", "started").lines().count() == 2);
    let started = stage.file("member1", "started");
    assert!(started.ends_with(&format!("[\"--go\", \"--again\", \"{first}\"]\n")), "{started}");
}
