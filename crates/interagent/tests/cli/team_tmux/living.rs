//! The truth about who lives, in `ps`, on the board and in tmux.

use super::{CLIENT, PROFILE, World};

#[test]
fn every_state_is_told_as_it_is() {
    let world = World::new();
    assert_eq!(world.agent("member1")["life"], "away");
    world.run(&["up", "member1", "member2"]).success();
    world.wait_for("member1", "idle");
    for (typed, life) in [("think", "thinking"), ("ask", "asking"), ("idle", "idle")] {
        world.type_into("member1", typed);
        world.wait_for("member1", life);
    }
    let board = world.json(&["status"]);
    let row = |name: &str| {
        let rows = board["rows"].as_array().unwrap().iter();
        rows.filter(|row| row["agent"]["name"] == name).map(|row| row["life"].clone()).next().unwrap()
    };
    assert_eq!((row("member1"), row("captain"), row("operator")), ("idle".into(), "away".into(), ().into()));
    // It leaves by itself: its pane shows its last words, and it is not taken for somebody who lives.
    world.type_into("member2", "leave");
    world.wait_for("member2", "dead");
    // tmux may say below them that the pane is dead. It does not where it missed how the program ended (see `ended_with`).
    world.wait_for_screen("member2", "bye: member2");
    let pane = world.pane("member2");
    world.until_tmux(&["display-message", "-p", "-t", &pane, "#{pane_dead}"], "1");
    // Killed in a turn: no hook ever says so.
    world.type_into("member1", "think");
    world.wait_for("member1", "thinking");
    let pid = i32::try_from(world.pid("member1")).unwrap();
    rustix::process::kill_process(
        rustix::process::Pid::from_raw(pid).unwrap(),
        rustix::process::Signal::KILL,
    )
    .unwrap();
    world.wait_for("member1", "dead");
}

#[test]
fn tmux_shows_who_it_is_and_what_it_does() {
    let world = World::new();
    world.run(&["up", "member1"]).success();
    world.wait_for("member1", "idle");
    let pane = world.pane("member1");
    // Whoever changes something shows it again; a second `up` starts nobody.
    world.run(&["up", "member1"]).success();
    let shown = world.tmux(&[
        "display-message",
        "-p",
        "-t",
        &pane,
        "#{pane_title} | #{T:pane-border-format} | #{T:status-right}",
    ]);
    assert!(shown.starts_with("member1 - member - idle | "), "{shown}");
    // What it works on is shown, also where its state is the same.
    world
        .start()
        .env("INTERAGENT_AGENT", "vice_captain1")
        .run(&["task", "create", "The lexer", "--assignee", "member1"])
        .success();
    world.run(&["up", "member1"]).success();
    let task = world.tmux(&["display-message", "-p", "-t", &pane, "#{@current_task}"]);
    assert_eq!(task.trim(), "The lexer");
    assert!(shown.contains("[idle]") && shown.contains("1 idle, 3 away"), "{shown}");
}

#[test]
fn people_see_a_table() {
    let world = World::new();
    let shown = world.run(&["ps"]).success();
    insta::assert_snapshot!(shown.shown(), @r"
    name  role  client  model  state  since  pane  pid  task  unread  context
    captain  captain  scripted  away  0
    member1  member  scripted  away  0
    member2  member  scripted  away  0
    vice_captain1  vice_captain  scripted  away  0
    4 away
    ");
}

#[test]
fn a_team_that_nobody_watches_over_says_so() {
    let world = World::new();
    world.run(&["up", "member1"]).success();
    world.wait_for("member1", "idle");
    assert!(world.run(&["ps"]).stdout.contains("the supervisor is process "));
    let pid = world.json(&["ps"])["supervisor"].as_i64().unwrap();
    std::process::Command::new("kill").args(["-9", &pid.to_string()]).status().unwrap();
    let until = std::time::Instant::now() + std::time::Duration::from_secs(20);
    while !world.run(&["ps"]).stdout.contains("nobody watches over them: interagent supervise") {
        assert!(std::time::Instant::now() < until, "{}", world.run(&["ps"]).stdout);
    }
}

#[test]
fn board_shows_screen_dialog() {
    const SCREEN: &str = "[screen]\nbusy = [\"working hard\"]\ndialog = [\"Do you trust\"]\n";
    let world = World::empty();
    world.install("scripted", CLIENT, &format!("{PROFILE}{SCREEN}"));
    world.run(&["init", "--formation", "captain", "--members", "2"]).success();
    world.edit_team(|text| text.replace("profile = \"claude\"", "profile = \"scripted\""));
    world.run(&["up", "member1"]).success();
    world.wait_for("member1", "idle");
    // No hook reports it.
    world.type_into("member1", "Do you trust this folder?");
    world.wait_for("member1", "asking");
    let board = world.json(&["status"]);
    let mut rows = board["rows"].as_array().unwrap().iter();
    let member1 = rows.find(|row| row["agent"]["name"] == "member1").unwrap();
    assert_eq!(member1["life"], "asking", "{member1:#}");
    let status = world.run(&["status"]).stdout;
    let line = "waiting for you: member1 a dialog is open  (interagent attach member1)";
    assert!(status.contains(line), "{status}");
    let summary = world.json(&["summary"]);
    let first = &summary["actions"][0];
    assert_eq!(
        (&first["action"], &first["agent"]["name"]),
        (&"dialog".into(), &"operator".into()),
        "{summary:#}"
    );
    assert_eq!(first["sentence"], "Answer the dialog of member1 (interagent attach member1).");
    assert_eq!(summary["headlines"][0], "Answer 1 dialog(s) of member1");
}

#[test]
fn client_in_another_terminal_outlives_its_pane() {
    let world = World::new();
    world.run(&["up", "member1"]).success();
    world.wait_for("member1", "idle");
    world.kill("member1");
    world.wait_for("member1", "dead");
    let elsewhere = world.own_pane();
    world.tmux(&["send-keys", "-t", &elsewhere, "INTERAGENT_AGENT=member1 scripted --go", "Enter"]);
    world.wait_for("member1", "idle");
    let again = world.run(&["restart", "member1"]);
    assert!(again.shown().contains("runs in a terminal that is not the team's"), "{}", again.shown());
    assert!(world.run(&["up", "member1"]).success().stdout.contains("runs already"));
    world.tmux(&["send-keys", "-t", &elsewhere, "ask", "Enter"]);
    world.wait_for("member1", "asking");
    let status = world.run(&["status"]).stdout;
    assert!(status.contains("waiting for you: member1"), "{status}");
    assert!(!status.contains("interagent attach member1"), "its pane shows the client that ended: {status}");
}
