//! Nobody is disturbed by a nudge: not a person in the middle of a line, a dialog, a working agent, a reader of the history or
//! a shell. Each of them has mail at the same time; once it is safe they are told.

use super::stage::{Stage, is_nudge};

#[test]
fn no_key_is_pressed_where_it_would_disturb_and_the_nudge_comes_when_it_is_safe() {
    let stage = Stage::captain(&["--vice-captains", "typed:1", "--members", "typed:7"]);
    // Whoever can't be reached at all is given up soon, so that the test needs no minute.
    stage.set("wake_s", "4");
    let started = ["member1", "member2", "member3", "member4", "member5", "member6"];
    stage.up(&started);
    let (typing, asking, busy, history, turn, silent) = started.into();
    let half = "please lo";
    stage.person_types(typing, half);
    stage.order(asking, "ask");
    stage.order(busy, "look busy");
    stage.world.tmux(&["copy-mode", "-t", &stage.world.pane(history)]);
    stage.order(turn, "work");
    stage.order(silent, "show a question");
    let left = a_dead_agent_that_left_a_shell(&stage);
    let dead = "member7";
    for name in started.into_iter().chain([dead]) {
        stage.say(name, &format!("The news for {name}."));
    }
    let reasons = [
        (typing, "somebody's text stands in its composer"),
        (busy, "its screen says that it works"),
        (history, "its pane shows its history"),
        (silent, "a question is open on its screen"),
    ];
    for (name, reason) in reasons {
        stage.until(reason, || stage.traced(name, "nudge.put_off").iter().any(|row| row.contains(reason)));
    }
    stage.until("nothing reaches the dead one", || !stage.traced(dead, "wake.person").is_empty());
    assert_eq!(stage.keys(typing), half, "what the person typed stands alone");
    for name in &started[1..] {
        assert_eq!(stage.keys(name), "", "{name}");
    }

    stage.person_takes_back(typing, half);
    stage.order(busy, "look idle");
    stage.order(silent, "look idle");
    stage.world.tmux(&["send-keys", "-t", &stage.world.pane(history), "-X", "cancel"]);
    // Who goes on with its turn, or was answered by its person, is told by its hooks at the end of the turn.
    stage.order(turn, "listen");
    stage.order(asking, "listen");
    for name in [turn, asking] {
        assert!(stage.file(name, "heard").contains(&format!("The news for {name}.")), "{name}");
    }
    let screen = stage.world.tmux(&["capture-pane", "-p", "-S", "-", "-t", &left]);
    assert!(!screen.contains("inbox"), "typed into a shell: {screen}");
    // Somebody starts the dead one again, in its shell, and it is asked once more to look.
    stage.world.tmux(&["send-keys", "-t", &left, "interagent join --name member7 --exec", "Enter"]);
    stage.world.wait_for(dead, "idle");
    stage.say(dead, "And more for member7.");
    stage.say(asking, "And more for member2.");
    for name in [typing, busy, history, silent, dead, asking] {
        stage.until("it is told", || {
            stage.file(name, "heard").contains("for member") && is_nudged_once(&stage, name)
        });
    }
    assert_eq!(stage.keys(turn), "", "a turn is never typed into");
    let taken_back = "\u{7f}".repeat(half.len());
    let keys = stage.keys(typing);
    let after = keys.strip_prefix(&format!("{half}{taken_back}")).unwrap_or_else(|| panic!("{keys:?}"));
    assert!(is_nudge(after), "{keys:?}");
    stage.until("everything arrived", || stage.undelivered().is_empty());
    stage.assert_delivered_once();
}

fn is_nudged_once(stage: &Stage, name: &str) -> bool {
    let submitted = stage.file(name, "submitted");
    submitted.lines().count() == 1 && is_nudge(&submitted.replace('\n', "\r"))
}

/// Its client was started in a person's own shell and killed there: what is typed now is executed. The pane.
fn a_dead_agent_that_left_a_shell(stage: &Stage) -> String {
    let pane = stage.world.own_pane();
    stage.world.tmux(&["send-keys", "-t", &pane, "interagent join --name member7 --exec", "Enter"]);
    stage.world.wait_for("member7", "idle");
    let pid = rustix::process::Pid::from_raw(i32::try_from(stage.world.pid("member7")).unwrap()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
    stage.world.wait_for("member7", "dead");
    // The terminal was left as the client had it: Enter is no end of a line there.
    stage.world.tmux(&["send-keys", "-t", &pane, "stty sane; clear; echo left", "C-j"]);
    stage.until("the shell is there", || {
        let screen = stage.world.tmux(&["capture-pane", "-p", "-t", &pane]);
        screen.lines().any(|line| line.trim() == "left")
    });
    pane
}
