//! A team of ten comes up and goes down again, beside something else on the same server.

use super::World;
use super::stage::{Stage, list};

#[test]
fn ten_come_up_in_their_windows_and_all_ten_go_down() {
    let stage = Stage::captain(&["--captain", "typed", "--vice-captains", "typed:1", "--members", "typed:8"]);
    let world = &stage.world;
    let mine = world.own_pane();
    let (before, everything) = (world.global_options(), "#{session_name} #{pane_id} #{pane_pid}");
    let others = || world.tmux(&["list-panes", "-s", "-t", "mine", "-F", everything]);
    let own = others();
    stage.up(&[]);
    let shown = world.json(&["ps"]);
    assert_eq!(list(&shown["agents"]).count(), 10, "{shown:#}");
    let panes = world.tmux(&["list-panes", "-a", "-F", "#{window_name} #{@agent_id}"]);
    let mut panes: Vec<&str> = panes.lines().filter(|pane| !pane.ends_with(' ')).collect();
    panes.sort_unstable();
    insta::assert_snapshot!(panes.join("\n"), @r"
    captain captain
    vice_captain1 member1
    vice_captain1 member2
    vice_captain1 vice_captain1
    vice_captain1-2 member3
    vice_captain1-2 member4
    vice_captain1-2 member5
    vice_captain1-3 member6
    vice_captain1-3 member7
    vice_captain1-3 member8
    ");
    let pids: Vec<i64> = list(&shown["agents"]).filter_map(|agent| agent["pid"].as_i64()).collect();
    assert_eq!(pids.len(), 10, "{shown:#}");
    assert!(world.run(&["ps"]).stdout.contains("10 idle"));

    let down = world.json(&["down"]);
    let outcomes = World::words(&down, "outcome");
    assert!(outcomes.len() == 10 && outcomes.iter().all(|word| word.ends_with(": ended")), "{outcomes:?}");
    assert!(!pids.iter().any(|pid| super::is_running(*pid)), "{pids:?}");
    assert_eq!(world.tmux(&["list-sessions", "-F", "#{session_name}"]), "mine\n");
    assert_eq!((world.global_options(), others()), (before, own));
    assert!(world.tmux(&["list-panes", "-a", "-F", "#{pane_id}"]).contains(&mine));
    assert!(world.supervisor().is_none(), "nobody is left to watch over");
}
