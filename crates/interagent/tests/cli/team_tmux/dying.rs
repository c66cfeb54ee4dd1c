//! A member whose client is killed: its assigner is notified, and so is anybody who assigns it more work.

use interagent_testkit::sandbox::Output;

use super::stage::Stage;

#[test]
fn killed_member_is_reported_to_its_assigner() {
    let stage = Stage::captain(&["--vice-captains", "typed:1", "--members", "typed:1"]);
    let assigns = |title: &str| {
        let words = ["task", "create", title, "--assignee", "member1"];
        stage.world.start().env("INTERAGENT_AGENT", "vice_captain1").run(&words).success()
    };
    let said = |output: &Output| format!("{}{}", output.stdout, output.stderr);
    stage.up(&["vice_captain1", "member1"]);
    let given = assigns("Build the parser");
    assert!(!said(&given).contains("not running"), "{}", said(&given));
    stage.until("it has the task", || stage.file("member1", "heard").contains("Build the parser"));
    stage.until_idle(&["vice_captain1", "member1"]);
    // Run the supervisor's next check now instead of within a minute.
    stage.world.kill_supervisor();
    stage.world.kill("member1");
    stage.world.wait_for("member1", "dead");
    stage.world.run(&["supervise", "--once"]).success();
    stage.order("vice_captain1", "listen");
    let heard = stage.file("vice_captain1", "heard");
    assert!(heard.contains("member1 stopped: 1 task is open"), "{heard}");
    let more = assigns("Build the lexer");
    assert!(said(&more).contains("note: member1: not running; sees it when it starts"), "{}", said(&more));
}
