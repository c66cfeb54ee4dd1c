//! `join`: a person's own terminal becomes an agent.

use std::fs::File;
use std::time::Duration;

use interagent_operations::{CrewRow, LocalHub, Opening};

use super::{World, is_running};

#[test]
fn a_pane_becomes_an_agent_and_stays_the_persons_own() {
    let world = World::new();
    let pane = world.own_pane();
    world.tmux(&["send-keys", "-t", &pane, "interagent join --role member --exec", "Enter"]);
    world.wait_for("member1", "idle");
    let agent = world.agent("member1");
    assert_eq!((&agent["pane"], &agent["launched"]), (&pane.as_str().into(), &false.into()));
    let shown = world.tmux(&["display-message", "-p", "-t", &pane, "#{@agent_id} #{@agent_role}"]);
    assert_eq!(shown.trim(), "member1 member");
    let up = world.json(&["up", "member1"]);
    assert_eq!(World::words(&up, "outcome"), ["member1: running"]);
    let pid = world.pid("member1");
    assert_eq!(World::words(&world.json(&["down"]), "outcome"), ["member1: stays"]);
    assert!(is_running(pid));
    // The client leaves a shell behind, in which a typed line would be executed.
    world.type_into("member1", "leave");
    world.wait_for("member1", "dead");
    let again = world.json(&["up", "member1"]);
    assert_eq!(World::words(&again, "outcome"), ["member1: failed"]);
    assert_eq!(again["agents"][0]["error"]["code"], "not_ours");
}

#[test]
fn outside_of_tmux_it_says_how_to_start_and_that_nobody_can_type_there() {
    let world = World::new();
    let joined = world.run(&["join", "--name", "helper", "--profile", "scripted"]).success();
    insta::assert_snapshot!(joined.shown(), @r"
    helper is this terminal now; it is not in tmux, so nobody can type here: mail comes by hooks
    next: cd [sandbox]/project && INTERAGENT_AGENT=helper [sandbox]/clients/scripted --go
    --- stderr
    helper gets no mail, briefing or guard: Scripted Code is not connected in `[sandbox]/project`; interagent setup scripted
    ");
    assert_eq!(world.json(&["agent", "show", "helper"])["profile"], "scripted");
}

#[test]
fn whoever_runs_is_not_joined_again_and_a_role_is_not_chosen() {
    let world = World::new();
    world.run(&["up", "captain"]).success();
    world.wait_for("captain", "idle");
    let shown = |arguments: &[&str]| {
        let output = world.run(arguments);
        let line = output.stderr.lines().next().unwrap().to_owned();
        let line = line.split(": session").next().unwrap().to_owned();
        format!("{} {line}", output.status)
    };
    let lines = [
        shown(&["join", "--name", "captain"]),
        shown(&["join", "--role", "captain"]),
        shown(&["join", "--name", "member1", "--role", "captain"]),
        shown(&["join", "--name", "stranger", "--role", "member"]),
        shown(&["join", "--name", "../../etc"]),
        shown(&["join"]),
    ];
    insta::assert_snapshot!(lines.join("\n"), @r"
    4 error: captain runs already
    1 error: no captain of the team is free
    1 error: member1 has the role member, not captain
    1 error: stranger has no role in the team file, not member
    2 error: `../../etc` holds `/`; a name has only a-z, 0-9, `.`, `_` and `-`.
    2 error: it is not said who this terminal becomes
    ");
}

#[test]
fn a_pane_that_went_with_its_server_is_forgotten_by_down() {
    let world = World::new();
    let pane = world.own_pane();
    world.tmux(&["send-keys", "-t", &pane, "interagent join --name helper --profile generic", "Enter"]);
    world.wait_for_pane("helper", &pane);
    world.until_pane_shows(&pane, "next:");
    world.tmux(&["kill-server"]);
    world.until_no_server();
    assert_eq!(World::words(&world.json(&["down"]), "outcome"), ["helper: not_running"]);
    assert!(world.agent("helper")["pane"].is_null());
}

#[test]
fn an_agent_without_a_program_of_its_own_is_told_how_it_is_known() {
    let world = World::new();
    let joined = world.run(&["join", "--name", "helper", "--profile", "generic"]).success();
    insta::assert_snapshot!(joined.shown(), @r"
    helper is this terminal now; it is not in tmux, so nobody can type here: mail comes by hooks
    a client without a profile can't be started: its profile names no program
    until what you start here has helper's name in its environment, commands here are your own
    next: export INTERAGENT_AGENT=helper
    ");
}

#[test]
fn the_first_free_seat_of_a_role_is_also_one_whose_client_ended() {
    let world = World::new();
    world.run(&["up", "member1"]).success();
    world.wait_for("member1", "idle");
    world.type_into("member1", "leave");
    world.wait_for("member1", "dead");
    let joined = world.json(&["join", "--role", "member"]);
    assert_eq!(joined["name"], "member1");
}

#[test]
fn a_client_that_cannot_be_started_marks_no_pane() {
    let world = World::new();
    world.edit_team(|text| {
        text.replacen("[agents.member1]\nprofile = \"scripted\"", "[agents.member1]\nprofile = \"codex\"", 1)
    });
    let pane = world.own_pane();
    let line = "interagent join --name member1 --exec; echo over-$?";
    world.tmux(&["send-keys", "-t", &pane, line, "Enter"]);
    world.until_pane_shows(&pane, "over-3");
    assert_eq!(world.marked_for(&pane), "");
    assert!(world.agent("member1")["pane"].is_null());
}

#[test]
fn who_joins_elsewhere_leaves_the_pane_before_to_the_person() {
    let world = World::new();
    let (first, second) = (world.own_pane(), world.own_pane_in("other"));
    for pane in [&first, &second] {
        world.tmux(&["send-keys", "-t", pane, "interagent join --name member1", "Enter"]);
        world.wait_for_pane("member1", pane);
    }
    world.until_tmux(&["display-message", "-p", "-t", &first, "#{@agent_id}#{@interagent_agent}"], "");
    assert_eq!(world.marked_for(&second), "member1");
}

#[test]
fn join_waits_for_another_command() {
    let world = World::new();
    let lock = File::options().create(true).append(true).open(world.sandbox.hub().join("state/crew.lock"));
    let lock = lock.unwrap();
    lock.lock().unwrap();
    std::thread::scope(|scope| {
        let join = scope.spawn(|| world.run(&["join", "--name", "helper", "--profile", "generic"]));
        // Whether it asked for the lock by then or later: it gets it.
        std::thread::sleep(Duration::from_millis(300));
        drop(lock);
        join.join().unwrap().success();
    });
}

#[test]
fn a_pane_with_only_a_shell_is_given_back_by_down() {
    let world = World::new();
    let pane = world.own_pane();
    world.tmux(&["send-keys", "-t", &pane, "interagent join --name member1", "Enter"]);
    world.wait_for_pane("member1", &pane);
    world.until_pane_shows(&pane, "next:");
    assert_eq!(World::words(&world.json(&["up", "member1"]), "outcome"), ["member1: failed"]);
    let down = world.json(&["down", "member1"]);
    assert_eq!(World::words(&down, "outcome"), ["member1: given_back"]);
    assert_eq!(world.marked_for(&pane), "");
    assert!(world.agent("member1")["pane"].is_null());
    let panes = world.tmux(&["list-panes", "-a", "-F", "#{pane_id}"]);
    assert!(panes.contains(&pane), "it was closed: {panes}");
    assert_eq!(World::words(&world.json(&["up", "member1"]), "outcome"), ["member1: started"]);
}

#[test]
fn a_pane_is_given_back_also_by_who_sits_in_it() {
    let world = World::new();
    let pane = world.own_pane();
    for (command, shown) in [("join --name member1", "next:"), ("down member1", "yours alone again")] {
        world.tmux(&["send-keys", "-t", &pane, &format!("clear; interagent {command}"), "Enter"]);
        world.until_pane_shows(&pane, shown);
    }
    assert_eq!(world.marked_for(&pane), "");
}

#[test]
fn a_marked_pane_that_nobody_noted_is_not_taken_over_with_only_a_shell_in_it() {
    let world = World::new();
    let pane = world.own_pane();
    world.tmux(&["send-keys", "-t", &pane, "interagent join --name member1", "Enter"]);
    world.wait_for_pane("member1", &pane);
    world.until_pane_shows(&pane, "next:");
    let opening = Opening {
        hub_dir: world.sandbox.hub(),
        create: false,
        alias: "a".to_owned(),
        hub_id: None,
        user_dir: None,
    };
    let mut hub = LocalHub::open(&opening).unwrap();
    let is_it = |row: &CrewRow| row.agent.name.as_str() == "member1";
    let member = hub.crew().unwrap().rows.into_iter().find(is_it).unwrap();
    hub.forget_pane(&member.agent.id).unwrap();
    drop(hub);
    let up = world.json(&["up", "member1"]);
    assert_eq!(World::words(&up, "outcome"), ["member1: failed"]);
    assert_eq!(up["agents"][0]["error"]["code"], "not_ours");
    assert_eq!(World::words(&world.json(&["down", "member1"]), "outcome"), ["member1: given_back"]);
    assert_eq!(World::words(&world.json(&["up", "member1"]), "outcome"), ["member1: started"]);
}

#[test]
fn two_terminals_that_join_a_role_take_two_seats() {
    let world = World::new();
    let panes = [world.own_pane(), world.own_pane_in("other")];
    for (pane, name) in panes.iter().zip(["member1", "member2"]) {
        world.tmux(&["send-keys", "-t", pane, "interagent join --role member; echo over-$?", "Enter"]);
        world.until_pane_shows(pane, "over-0");
        assert_eq!(world.marked_for(pane), name);
    }
    // Whoever asks again in its own pane stays who it is.
    world.tmux(&[
        "send-keys",
        "-t",
        &panes[0],
        "clear; interagent join --role member; echo again-$?",
        "Enter",
    ]);
    world.until_pane_shows(&panes[0], "again-0");
    assert_eq!(world.marked_for(&panes[0]), "member1");
}

#[test]
fn a_pane_of_another_server_is_another_pane() {
    let world = World::new();
    let pane = world.own_pane();
    let line = "interagent join --name helper --profile generic; exec sleep 1000";
    world.tmux(&["send-keys", "-t", &pane, line, "Enter"]);
    world.wait_for_pane("helper", &pane);
    world.until_tmux(&["display-message", "-p", "-t", &pane, "#{pane_current_command}"], "sleep");
    let another = world.sandbox.home().join("another");
    let around = format!("{},1,0", another.display());
    let joined =
        world.start().env("TMUX", &around).env("TMUX_PANE", &pane).run(&["join", "--name", "helper"]);
    assert_eq!(joined.status, 4, "{}", joined.stdout);
}
