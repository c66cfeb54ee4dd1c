//! The typed nudge in a real tmux, into a client of our own that writes down every byte it receives.
#![expect(clippy::unwrap_used, reason = "a helper of a test fails by panicking")]

mod program;
mod room;

use std::time::Duration;

use interagent_wake::control::{self, Order};
use interagent_wake::nudge::{self, Outcome, Reason, Testimony};
use interagent_wake::process::Registered;

use program::Mode;
use room::{IDLE, Room, Says, line};

const LINE: &str = "interagent: new mail, please read it";

fn not_safe(reason: Reason) -> Outcome {
    Outcome::NotSafe(reason)
}

#[test]
fn an_idle_client_gets_the_line_and_one_enter() {
    let room = Room::with(Mode::Listens);
    assert_eq!(room.nudge(), Outcome::Submitted);
    assert_eq!(room.log(), format!("{LINE}\r"));
}

#[test]
fn a_half_typed_line_is_left_alone_and_the_nudge_comes_after_it() {
    let room = Room::with(Mode::Listens);
    room.person_types("please lo");
    room.wait_for_screen("❯ please lo");
    assert_eq!(room.nudge(), not_safe(Reason::Typed));
    assert_eq!(room.log(), "please lo");
    room.person_presses("Enter");
    room.wait_until("it was sent", || room.log().ends_with('\r') && !room.screen().contains("please"));
    room.wait_for_screen(Mode::Listens.footer());
    assert_eq!(room.nudge(), Outcome::Submitted);
    assert_eq!(room.log(), format!("please lo\r{LINE}\r"));
}

#[test]
fn an_open_question_a_working_client_and_an_unknown_screen_get_no_key() {
    let room = Room::with(Mode::Asks);
    room.wait_for_screen(Mode::Asks.footer());
    assert_eq!(room.nudge(), not_safe(Reason::Dialog));
    room.set(Mode::Works);
    room.wait_for_screen(Mode::Works.footer());
    assert_eq!(room.nudge(), not_safe(Reason::Works));
    room.set(Mode::Listens);
    room.wait_for_screen(Mode::Listens.footer());
    let process = room.process();
    let kimi = interagent_agents::Profiles::shipped().get("kimi").unwrap();
    let other = nudge::Target { screen: kimi.screen.as_ref(), ..room.target(&process) };
    assert_eq!(nudge::type_into(other, &line(), &IDLE), not_safe(Reason::UnknownScreen));
    let none = nudge::Target { screen: None, ..room.target(&process) };
    assert_eq!(nudge::type_into(none, &line(), &IDLE), not_safe(Reason::NoReader));
    assert_eq!(room.log(), "");
}

#[test]
fn what_the_hooks_say_is_believed() {
    let room = Room::with(Mode::Listens);
    let says = |change: &dyn Fn(&mut Testimony)| {
        let mut testimony = IDLE.0;
        change(&mut testimony);
        room.nudge_as(&Says(testimony))
    };
    assert_eq!(says(&|t| t.is_idle = false), not_safe(Reason::NotIdle));
    assert_eq!(says(&|t| t.asked = Some(Duration::from_secs(299))), not_safe(Reason::Asked));
    assert_eq!(says(&|t| t.submitted = Some(Duration::from_secs(1))), not_safe(Reason::JustSubmitted));
    assert_eq!(room.log(), "");
    let long_ago = |t: &mut Testimony| {
        t.asked = Some(Duration::from_secs(300));
        t.submitted = Some(Duration::from_secs(2));
    };
    assert_eq!(says(&long_ago), Outcome::Submitted);
}

#[test]
fn copy_mode_synchronized_panes_and_a_pane_of_another_agent_get_no_key() {
    let room = Room::with(Mode::Listens);
    let pane = room.pane.as_str();
    room.tmux(&["copy-mode", "-t", pane]);
    assert_eq!(room.nudge(), not_safe(Reason::CopyMode));
    room.tmux(&["send-keys", "-t", pane, "-X", "cancel"]);
    room.tmux(&["set-option", "-t", pane, "-w", "synchronize-panes", "on"]);
    assert_eq!(room.nudge(), not_safe(Reason::Synchronized));
    room.tmux(&["set-option", "-t", pane, "-w", "synchronize-panes", "off"]);
    room.tmux(&["set-option", "-t", pane, "-p", "@agent_id", "somebody else"]);
    assert_eq!(room.nudge(), not_safe(Reason::OtherAgent));
    room.tmux(&["set-option", "-t", pane, "-p", "@interagent_agent", "agt-other"]);
    room.tmux(&["set-option", "-t", pane, "-p", "@agent_id", "scripted"]);
    assert_eq!(room.nudge(), not_safe(Reason::OtherAgent));
    assert_eq!(room.log(), "");
    // Who has another name by now is still the same.
    room.tmux(&["set-option", "-t", pane, "-p", "@interagent_agent", "agt-scripted"]);
    room.tmux(&["set-option", "-t", pane, "-p", "@agent_id", "its name before"]);
    assert_eq!(room.nudge(), Outcome::Submitted);
}

#[test]
fn a_line_whose_writer_was_killed_before_enter_is_submitted_by_the_next() {
    let room = Room::with(Mode::Listens);
    let mut writer = room.attempt_elsewhere();
    room.wait_until("it is typed", || room.log() == LINE);
    writer.kill().unwrap();
    writer.wait().unwrap();
    // A slow machine may have been quick enough for Enter: then there is nothing left to go on with.
    let was_left = room.log() == LINE;
    room.wait_for_screen(if was_left { LINE } else { Mode::Listens.footer() });
    assert_eq!(room.nudge(), Outcome::Submitted);
    let again = if was_left { "\r" } else { "interagent: new mail, please read it\r" };
    assert!(room.log().starts_with(LINE) && room.log().ends_with(again), "{}", room.log());
    assert_eq!(room.log().matches(LINE).count(), if was_left { 1 } else { 2 });
}

#[test]
fn a_dead_agent_that_left_a_shell_gets_no_key() {
    let script = "\"$@\"; stty sane; PS1='left> ' exec sh -i";
    let room = Room::running(Mode::Listens, &["sh", "-c", script, "sh", "{program}"]);
    room.wait_for_screen(Mode::Listens.footer());
    let shell = room.process();
    let children = std::fs::read_to_string(format!("/proc/{0}/task/{0}/children", shell.pid)).unwrap();
    let agent = Registered::now(children.trim().parse().unwrap()).unwrap();
    control::ask_to_end(&agent).unwrap();
    room.wait_for_screen("left>");
    let nudged = |process: &Registered| nudge::type_into(room.target(process), &line(), &IDLE);
    assert_eq!(nudged(&agent), not_safe(Reason::Gone));
    // A process that lives, elsewhere.
    let own = Registered::now(i32::try_from(std::process::id()).unwrap()).unwrap();
    assert_eq!(nudged(&own), not_safe(Reason::NotForeground));
    assert!(!room.screen().contains("inbox"), "{}", room.screen());
    assert_eq!(room.log(), "");
}

#[test]
fn a_pane_that_is_gone_is_no_pane() {
    let room = Room::with(Mode::Listens);
    let process = room.process();
    room.tmux(&["kill-pane", "-t", room.pane.as_str()]);
    assert_eq!(nudge::type_into(room.target(&process), &line(), &IDLE), not_safe(Reason::NoPane));
}

#[test]
fn who_presses_keys_in_the_pane_is_not_interrupted() {
    let room = Room::with(Mode::Listens);
    let mut visitor = room.visitor();
    room.wait_until("somebody looks", || !room.tmux(&["list-clients"]).is_empty());
    assert_eq!(room.nudge(), not_safe(Reason::Keystroke));
    assert_eq!(room.log(), "");
    drop(visitor.stdin.take());
    visitor.wait().unwrap();
}

#[test]
fn a_client_that_does_not_take_it_is_freed_of_it_again() {
    let room = Room::with(Mode::Deaf);
    assert_eq!(room.nudge(), Outcome::Removed);
    assert_eq!(room.log(), format!("{LINE}\r\r\r{}", "\u{7f}".repeat(LINE.len())));
}

#[test]
fn a_letter_that_joins_the_line_makes_it_the_persons() {
    let room = Room::with(Mode::Meddles);
    assert_eq!(room.nudge(), Outcome::Stranded(Reason::Typed));
    assert_eq!(room.log(), LINE, "no Enter, no backspace");
}

#[test]
fn a_question_that_opens_over_the_line_is_not_answered() {
    let room = Room::with(Mode::AsksWhenTyped);
    assert_eq!(room.nudge(), Outcome::Stranded(Reason::Dialog));
    assert_eq!(room.log(), LINE, "no Enter, no backspace");
}

#[test]
fn one_types_at_a_time() {
    let room = Room::with(Mode::Listens);
    let outcomes = std::thread::scope(|scope| {
        let both = [(); 2].map(|()| scope.spawn(|| room.nudge()));
        both.map(|one| one.join().unwrap())
    });
    assert!(
        outcomes.contains(&Outcome::Submitted) && outcomes.contains(&not_safe(Reason::Locked)),
        "{outcomes:?}"
    );
    assert_eq!(room.log(), format!("{LINE}\r"));
}

#[test]
fn two_names_of_one_socket_have_one_lock() {
    let room = Room::with(Mode::Listens);
    let (process, other) = (room.process(), room.under_another_name());
    let outcomes = std::thread::scope(|scope| {
        let one = scope.spawn(|| room.nudge());
        let target = nudge::Target { server: &other, ..room.target(&process) };
        let two = scope.spawn(move || nudge::type_into(target, &line(), &IDLE));
        [one.join().unwrap(), two.join().unwrap()]
    });
    assert!(
        outcomes.contains(&Outcome::Submitted) && outcomes.contains(&not_safe(Reason::Locked)),
        "{outcomes:?}"
    );
    assert_eq!(room.log(), format!("{LINE}\r"));
}

#[test]
fn where_no_lock_can_be_made_nothing_is_typed_and_that_is_said() {
    let room = Room::with(Mode::Listens);
    room.block_the_lock();
    assert_eq!(room.nudge(), not_safe(Reason::NoLock));
    assert_eq!(room.log(), "");
}

#[test]
fn a_line_that_a_silent_server_cut_off_is_submitted_by_the_next() {
    let room = Room::with(Mode::Listens);
    let outcome = std::thread::scope(|scope| {
        let writer = scope.spawn(|| room.nudge());
        room.wait_until("it is typed", || room.log().starts_with(LINE));
        room.hold_the_server_while(|| writer.join().unwrap())
    });
    // A slow machine may have been quick enough for Enter: then there is nothing left to go on with.
    if outcome == Outcome::Submitted || room.log() != LINE {
        return;
    }
    assert_eq!(outcome, Outcome::Stranded(Reason::Tmux));
    room.wait_for_screen(LINE);
    assert_eq!(room.nudge(), Outcome::Submitted);
    assert_eq!(room.log(), format!("{LINE}\r"));
}

#[test]
fn a_line_that_a_client_shows_too_late_is_submitted_by_the_next() {
    let room = Room::with(Mode::Late);
    assert_eq!(room.nudge(), Outcome::Stranded(Reason::NotShown));
    assert_eq!(room.log(), LINE, "no Enter, no backspace");
    assert_eq!(room.nudge(), not_safe(Reason::NotShown));
    assert_eq!(room.log(), LINE, "not once more");
    room.set(Mode::Listens);
    room.wait_for_screen(LINE);
    assert_eq!(room.nudge(), Outcome::Submitted);
    assert_eq!(room.log(), format!("{LINE}\r"));
}

#[test]
fn a_command_is_typed_like_a_nudge() {
    let room = Room::with(Mode::Listens);
    let process = room.process();
    let done = control::carry_out(room.target(&process), &room.profile, &Order::Clear, &IDLE);
    assert_eq!(done, Ok(Outcome::Submitted));
    assert_eq!(room.log(), "/clear\r");
    room.set(Mode::Asks);
    room.wait_for_screen(Mode::Asks.footer());
    let done = control::carry_out(room.target(&process), &room.profile, &Order::Stop, &IDLE);
    assert_eq!(done, Ok(not_safe(Reason::Dialog)));
    assert_eq!(room.log(), "/clear\r");
}
