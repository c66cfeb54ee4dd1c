//! Who lives, from what this machine knows.

use std::fs::File;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use interagent_core::liveness::{Front, Liveness, Signs, liveness};
use interagent_core::vocabulary::SessionState;
use interagent_operations::{CrewRow, Hub as _};
use interagent_store::observe::{PaneOrigin, PaneRow, Process};
use interagent_wire::answer::BoardRow;
use interagent_wire::request as ask;
use interagent_wire::{Answer, Caller};

use super::support::{START_US, Team};

const MINUTE: Duration = Duration::from_secs(60);

fn bind(team: &mut Team, state: SessionState) {
    let bind = ask::SessionBind {
        session: "s".into(),
        agent: Some("kimi".into()),
        pid: Some(7),
        started: Some(70),
        boot: Some("boot-1".into()),
        state: Some(state),
        ..Default::default()
    };
    team.ok(&Caller::operator(), bind);
}

fn kimi(team: &mut Team) -> CrewRow {
    team.hub.crew().unwrap().rows.into_iter().find(|row| row.agent.name.as_str() == "kimi").unwrap()
}

fn board(team: &mut Team) -> BoardRow {
    match team.quietly(&Caller::operator(), ask::StatusBoard {}) {
        Answer::Board(board) => board.rows.into_iter().find(|row| row.agent.name == "kimi").unwrap(),
        other => panic!("{other:?}"),
    }
}

/// What the sender of a message to kimi is told.
fn note_of(team: &mut Team) -> Vec<String> {
    let send = ask::MessageSend { to: vec!["kimi".into()], body: Some("hello".into()), ..Default::default() };
    team.hub.call(&Caller::agent("claude"), send.into()).unwrap().notes
}

/// A terminal that was written to so many minutes after the beginning.
fn terminal(minutes: u32) -> tempfile::NamedTempFile {
    let file = tempfile::NamedTempFile::new().unwrap();
    let then: SystemTime = UNIX_EPOCH + Duration::from_micros(START_US.unsigned_abs()) + MINUTE * minutes;
    File::options().write(true).open(file.path()).unwrap().set_modified(then).unwrap();
    file
}

fn pane(team: &mut Team, tty: &tempfile::NamedTempFile) {
    let row = PaneRow {
        agent: kimi(team).agent.id,
        socket: "/tmp/socket".to_owned(),
        pane: "%1".to_owned(),
        process: Process { pid: 7, started: 70, boot: "boot-1".to_owned() },
        origin: PaneOrigin::Launched,
        profile: "kimi".to_owned(),
        tty: Some(tty.path().display().to_string()),
        since: START_US,
        auto_approve: false,
        model: None,
    };
    team.hub.note_pane(&row).unwrap();
}

#[test]
fn a_turn_without_a_sign_is_wedged_on_the_board_too() {
    let mut team = Team::duo();
    assert_eq!(board(&mut team).life, Some(Liveness::Away));
    let quiet = terminal(0);
    bind(&mut team, SessionState::Busy);
    pane(&mut team, &quiet);
    team.clock.advance(MINUTE * 9);
    assert_eq!(board(&mut team).life, Some(Liveness::Thinking));
    team.clock.advance(MINUTE);
    assert_eq!(board(&mut team).life, Some(Liveness::Wedged));
    // Something is written: it works.
    let busy = terminal(5);
    pane(&mut team, &busy);
    assert_eq!(board(&mut team).life, Some(Liveness::Thinking));
    // Idle for as long is just idle.
    bind(&mut team, SessionState::Idle);
    pane(&mut team, &quiet);
    team.clock.advance(MINUTE * 60);
    assert_eq!(
        (board(&mut team).life, board(&mut team).sessions[0].life),
        (Some(Liveness::Idle), Some(Liveness::Idle))
    );
}

#[test]
fn a_started_client_that_says_nothing_starts_and_is_unknown_then() {
    let mut team = Team::duo();
    pane(&mut team, &terminal(0));
    assert_eq!(liveness(&kimi(&mut team).signs), Liveness::Starting);
    // Its first task is its first prompt, so it is not "not running".
    let reach = "idle; sees it on its next prompt";
    assert_eq!(board(&mut team).reach.as_deref(), Some(reach));
    assert_eq!(note_of(&mut team), [format!("kimi: {reach}")]);
    team.clock.advance(MINUTE * 2);
    assert_eq!(liveness(&kimi(&mut team).signs), Liveness::Unknown);
    let shell = Signs { front: Front::Shell, ..kimi(&mut team).signs };
    assert_eq!(liveness(&shell), Liveness::Dead, "whoever looks into the terminal knows better");
}

#[test]
fn after_a_reboot_nobody_lives_until_it_is_forgotten() {
    let mut team = Team::duo();
    bind(&mut team, SessionState::Busy);
    pane(&mut team, &terminal(0));
    let mut team = team.reboot(START_US + 60_000_000);
    assert_eq!(board(&mut team).life, Some(Liveness::Dead));
    let id = kimi(&mut team).agent.id;
    team.hub.forget_pane(&id).unwrap();
    assert_eq!(board(&mut team).life, Some(Liveness::Away));
    assert_eq!(kimi(&mut team).last_conversation.unwrap().id, "s", "its conversation is still known");
}
