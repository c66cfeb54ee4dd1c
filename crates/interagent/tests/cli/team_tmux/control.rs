//! Control of agents' own sessions, carried out by the supervisor that `up` started: asked for by one command, seen in the
//! terminal.

use super::stage::{Stage, cue, list};

#[test]
fn clear_model_stop_and_resume_are_carried_out_and_what_a_client_can_not_do_is_refused() {
    let stage = Stage::captain(&["--vice-captains", "typed:1", "--members", "typed:3,plain:1"]);
    let kinds = stage.world.json(&["agent", "list"]);
    let plain = list(&kinds["items"]).find(|agent| agent["profile"] == "plain").unwrap()["name"].clone();
    let plain = plain.as_str().unwrap();
    let typed: Vec<String> = (1..=4).map(|n| format!("member{n}")).filter(|name| name != plain).collect();
    let [cleared, other_model, stopped] = [&typed[0], &typed[1], &typed[2]];
    stage.up(&["member1", "member2", "member3", "member4"]);
    let session = |name: &str| stage.world.agent(name)["session"].as_str().unwrap_or_default().to_owned();
    let (before, kept) = (session(cleared), session(stopped));

    let refused = stage.world.run(&["control", plain, "clear"]);
    assert_eq!(refused.status, 1);
    assert!(refused.stderr.contains("Plain Code"), "{}", refused.stderr);
    assert!(refused.stderr.contains(&format!("hint: interagent restart {plain}")), "{}", refused.stderr);
    stage.world.run(&["control", cleared, "clear", "-m", "Begin with the parser (words-1)."]).success();
    stage.world.run(&["control", other_model, "model", "opus"]).success();
    stage.world.run(&["control", stopped, "stop"]).success();
    // One that can't be typed into is asked to end by its process.
    stage.world.run(&["control", plain, "stop"]).success();

    stage.until("it has the other model", || stage.screen(other_model).contains("with the model opus"));
    stage.until("it has stopped", || stage.world.agent(stopped)["life"] == "dead");
    stage.world.wait_for(plain, "dead");
    stage.world.run(&["control", stopped, "resume"]).success();
    stage.until("it goes on", || stage.file(stopped, "started").lines().count() == 2);
    stage.world.wait_for(stopped, "idle");
    assert_eq!(session(stopped), kept);
    let again = stage.file(stopped, "started");
    assert!(again.ends_with(&format!("[\"--go\", \"--again\", \"{kept}\"]\n")), "{again}");

    stage.until("the words are heard", || stage.file(cleared, "heard").contains("words-1"));
    stage.until("it is over", || list(&stage.world.json(&["control", "--list"])["items"]).next().is_none());
    assert_ne!(session(cleared), before, "it is another conversation");
    let heard = stage.file(cleared, "heard");
    let (_, after) = heard.split_once(&format!("=== SessionStart {}", session(cleared))).unwrap();
    let first = after.split("\n=== ").nth(1).unwrap();
    assert!(
        first.starts_with("UserPromptSubmit") && first.contains("Begin with the parser (words-1)."),
        "{after}"
    );
    assert!(!heard.replace(after, "").contains("words-1"), "nobody reads them before the reset: {heard}");
    assert!(
        stage.keys(cleared).starts_with("/clear\rinteragent: new mail, please read it\r"),
        "{}",
        stage.keys(cleared)
    );
    assert_eq!(
        (stage.keys(other_model), stage.keys(stopped)),
        ("/model opus\r".to_owned(), "/exit\r".to_owned())
    );
    assert_eq!(stage.keys(plain), "");
}

#[test]
fn a_silent_agents_context_is_reset_once_where_the_team_allows_it() {
    let stage = Stage::captain(&["--captain", "typed", "--vice-captains", "typed:1", "--members", "typed:1"]);
    // The reset is the first step: a reminder could put member1 into a turn when the reset is due.
    for (key, value) in [("reset_allowed", "true"), ("wake_s", "1"), ("next_channel_s", "1")] {
        stage.set(key, value);
    }
    stage.up(&["member1", "captain"]);
    stage.world.kill_supervisor();
    // member1 has read the question and is idle before a supervisor measures its silence.
    let question = stage.send("vice_captain1", "member1", &["--intent", "question", "-m", "Which port?"]);
    stage.order("member1", "listen");
    stage.until_idle(&["member1"]);
    assert!(stage.message(&question)["to"][0]["delivered"].is_string(), "{}", stage.file("member1", "heard"));
    // It answers only the message of the reset. Nobody may reset a captain's conversation.
    let answer = format!("interagent reply {question} -m '8080'");
    stage.play(&[cue("member1", "interagent cleared your conversation", &[&answer])]);
    let wish = stage.world.json(&["send", "--to", "captain", "--intent", "question", "-m", "What now?"]);
    let _supervisor = stage.supervise();
    stage.until("it was reset", || stage.file("member1", "submitted").lines().any(|line| line == "/clear"));
    stage.until("the trace tells of it", || {
        stage.world.run(&["log", "trace", "--limit", "100"]).stdout.contains("reset")
    });
    stage.until("it answers after all", || stage.message(&question)["to"][0]["how"] == "replied");
    stage.until("the captain is told", || {
        stage.message(wish["id"].as_str().unwrap())["to"][0]["delivered"].is_string()
    });
    let submitted = |name: &str| stage.file(name, "submitted");
    assert_eq!(submitted("member1").matches("/clear").count(), 1, "{}", submitted("member1"));
    assert_eq!(submitted("captain").matches("/clear").count(), 0, "{}", submitted("captain"));
}

#[test]
fn a_client_that_also_speaks_to_a_server_is_found_in_its_terminal() {
    let stage = Stage::captain(&["--vice-captains", "typed:1", "--members", "typed:1"]);
    stage.up(&["member1"]);
    let visit = ["session", "bind", "mcp-77-88-0123456789abcdef", "--agent", "member1", "--join"];
    stage.world.run(&visit).success();
    stage.world.run(&["control", "member1", "model", "opus"]).success();
    stage
        .until("nothing waits", || list(&stage.world.json(&["control", "--list"])["items"]).next().is_none());
    assert_eq!(stage.keys("member1"), "/model opus\r");
    stage.world.kill_supervisor();
    stage.say("member1", "The news.");
    let woken = stage.world.run(&["wake", "member1"]).success();
    assert!(woken.stdout.contains("a line was typed into its terminal"), "{}", woken.stdout);
    assert_eq!(stage.keys("member1"), "/model opus\rinteragent: new mail, please read it\r");
}

#[test]
fn model_shown_is_the_one_that_runs() {
    let stage = Stage::captain(&["--vice-captains", "typed:1", "--members", "typed:2"]);
    let world = &stage.world;
    let wanted = |model: &str| {
        world.edit_team(|text| {
            let kept = text.lines().filter(|line| !line.starts_with("model = "));
            let text: String = kept.map(|line| format!("{line}\n")).collect();
            text.replacen("[agents.member1]\n", &format!("[agents.member1]\nmodel = \"{model}\"\n"), 1)
        });
    };
    wanted("sonnet");
    stage.up(&["member1", "member2"]);
    let pane = world.agent("member1")["pane"].as_str().unwrap().to_owned();
    let shown = || {
        let shown = world.json(&["agent", "show", "member1"])["model"].clone();
        assert_eq!(shown, world.agent("member1")["model"]);
        let mark = world.tmux(&["display-message", "-p", "-t", &pane, "#{@model_name}"]).trim().to_owned();
        assert_eq!(shown, mark);
        mark
    };
    assert_eq!(shown(), "sonnet");
    assert!(world.agent("member2")["model"].is_null(), "its client chose it");
    // The team file is a wish until the client starts again.
    wanted("haiku");
    assert_eq!(shown(), "sonnet");
    world.run(&["control", "member1", "model", "opus"]).success();
    stage.until("it is over", || list(&world.json(&["control", "--list"])["items"]).next().is_none());
    assert_eq!(shown(), "opus");
    world.run(&["restart", "member1"]).success();
    world.wait_for("member1", "idle");
    assert_eq!(shown(), "haiku");
}
