//! `down` ends what was started and nothing else.

use super::{World, is_running};

#[test]
fn down_leaves_everything_alone_that_it_did_not_start() {
    let world = World::new();
    world.run(&["up", "captain", "member1"]).success();
    world.wait_for("captain", "idle");
    world.tmux(&["new-session", "-d", "-s", "mine", "sleep", "1000"]);
    let mine = world.tmux(&["list-panes", "-t", "mine", "-F", "#{pane_pid}"]).trim().parse().unwrap();
    // A pane beside the captain that the person opened in the team's own window.
    let pane = world.pane("captain");
    let beside = world.tmux(&["split-window", "-d", "-t", &pane, "-P", "-F", "#{pane_pid}", "sleep", "1000"]);
    let beside: i64 = beside.trim().parse().unwrap();
    let (captain, member) = (world.pid("captain"), world.pid("member1"));
    let down = world.json(&["down", "captain"]);
    assert_eq!(World::words(&down, "outcome"), ["captain: ended"]);
    assert!(!is_running(captain) && is_running(member) && is_running(mine) && is_running(beside));
    assert_eq!(world.agent("captain")["life"], "away", "it was stood down, and did not die");
    assert_eq!(World::words(&world.json(&["down"]), "outcome"), ["member1: ended"]);
    assert!(!is_running(member) && is_running(mine) && is_running(beside));
    assert!(world.run(&["down"]).success().stdout.contains("nobody of this team has a terminal here"));
}

#[test]
fn a_client_that_does_not_want_to_end_is_ended() {
    let world = World::new();
    world.mark_file("stubborn-member1");
    world.run(&["up", "member1"]).success();
    world.wait_for("member1", "idle");
    let pid = world.pid("member1");
    assert_eq!(World::words(&world.json(&["down"]), "outcome"), ["member1: ended"]);
    assert!(!is_running(pid));
}

#[test]
fn what_somebody_else_started_in_the_pane_stays_and_is_named() {
    let world = World::new();
    world.run(&["up", "member1"]).success();
    world.wait_for("member1", "idle");
    let pane = world.pane("member1");
    world.tmux(&["respawn-pane", "-k", "-t", &pane, "sleep", "1000"]);
    let other: i64 = world.tmux(&["list-panes", "-a", "-F", "#{pane_pid}"]).trim().parse().unwrap();
    let down = world.json(&["down"]);
    assert_eq!(World::words(&down, "outcome"), ["member1: stays"]);
    assert_eq!(down["agents"][0]["why"], "something else runs in its pane now: sleep");
    assert!(is_running(other));
}

#[test]
fn a_server_that_is_gone_leaves_nothing_to_end() {
    let world = World::new();
    world.run(&["up", "member1"]).success();
    world.wait_for("member1", "idle");
    world.tmux(&["kill-server"]);
    world.wait_for("member1", "dead");
    assert_eq!(World::words(&world.json(&["down"]), "outcome"), ["member1: not_running"]);
    assert_eq!(world.agent("member1")["life"], "away");
    assert_eq!(World::words(&world.json(&["up", "member1"]), "outcome"), ["member1: started"]);
}

#[test]
fn without_tmux_nothing_is_called_ended_whose_pane_stays() {
    let world = World::new();
    world.run(&["up", "member1"]).success();
    world.wait_for("member1", "idle");
    let (pid, pane) = (world.pid("member1"), world.pane("member1"));
    let clients = world.clients().display().to_string();
    let without = world.start().env("PATH", &clients).run(&["down"]);
    assert_ne!(without.status, 0, "{}", without.stdout);
    assert!(without.stderr.contains("tmux can't be started"), "{}", without.stderr);
    assert!(is_running(pid) && world.pane("member1") == pane);
    assert_eq!(World::words(&world.json(&["down"]), "outcome"), ["member1: ended"]);
    assert!(!is_running(pid));
}

#[test]
fn dead_panes_of_ours_that_nobody_knows_of_are_used_again_or_closed() {
    let world = World::new();
    world.run(&["up", "member1"]).success();
    world.wait_for("member1", "idle");
    let pane = world.pane("member1");
    let hub = world.tmux(&["display-message", "-p", "-t", &pane, "#{@interagent_hub}"]).trim().to_owned();
    let dead = || {
        let words = ["split-window", "-d", "-t", &pane, "-P", "-F", "#{pane_id}", "sleep 1; exit 3"];
        let pane = world.tmux(&words).trim().to_owned();
        world.tmux(&["set-option", "-p", "-t", &pane, "remain-on-exit", "on"]);
        world.until_tmux(&["display-message", "-p", "-t", &pane, "#{pane_dead}"], "1");
        pane
    };
    let leave = |agent: &str| {
        let left = dead();
        let id = world.json(&["agent", "show", agent])["id"].as_str().unwrap().to_owned();
        for (option, value) in [("hub", hub.as_str()), ("agent", &id), ("made", "1")] {
            world.tmux(&["set-option", "-p", "-t", &left, &format!("@interagent_{option}"), value]);
        }
        left
    };
    let left = leave("captain");
    world.run(&["up", "captain"]).success();
    assert_eq!(world.pane("captain"), left);
    world.wait_for("captain", "idle");
    leave("member1");
    leave("member2");
    // A dead pane beside them that the person opened.
    let mine = dead();
    world.run(&["down"]).success();
    assert_eq!(world.tmux(&["list-panes", "-a", "-F", "#{pane_id}"]).trim(), mine);
}
