//! A captain's team, brought up by one command: the operator says one sentence, the order goes down, the work comes back up and
//! stands on the dashboard. Nobody types anything but the supervisor, and that only where it has to.

use super::stage::{Cue, Stage, cue, is_nudge, list};

const WISH: &str = "People should see who they are (wish-1).";
const ORDER: &str = "Build the profile page (order-1)";
const FIRST: &str = "Build its API (part-1)";
const SECOND: &str = "Build its view (part-2)";
const FIRST_DONE: &str = "the API answers (done-1)";
const SECOND_DONE: &str = "the view shows it (done-2)";

fn script() -> Vec<Cue> {
    let gives = |title: &str, to: &str, alias: &str, more: &str| {
        format!("interagent task create '{title}' --assignee {to} --alias {alias} {more}")
    };
    let order = gives(
        ORDER,
        "vice_captain1",
        "order",
        "--purpose 'people see who they are' --criteria 'the page is there'",
    );
    let (first, second) = (
        gives(FIRST, "member1", "first", "--parent order"),
        gives(SECOND, "member2", "second", "--parent order"),
    );
    let reports = |alias: &str, summary: &str, more: &str| {
        format!("interagent report {alias} done --summary '{summary}' --purpose-met {more}")
    };
    let begins = |alias: &str| format!("interagent task update {alias} --status in_progress");
    // Either report may come first, and both may come at once.
    let judges = "interagent task verdict first approved; interagent task verdict second approved; \
                  interagent task show first | grep -q approved && interagent task show second | grep -q approved && \
                  interagent report order done --summary 'the page is there' --no-skill --purpose-met; true";
    let skill = "--skill cut-the-log --skill-description 'cuts a log' --skill-reason 'asked for often'";
    vec![
        cue("captain", WISH, &[&order]),
        cue("vice_captain1", ORDER, &[&begins("order"), &first, &second]),
        cue("member1", FIRST, &[&begins("first"), &reports("first", FIRST_DONE, "--no-skill")]),
        cue("member2", SECOND, &[&begins("second"), &reports("second", SECOND_DONE, skill)]),
        cue("vice_captain1", FIRST_DONE, &[judges]),
        cue("vice_captain1", SECOND_DONE, &[judges]),
    ]
}

#[test]
fn an_order_goes_down_and_comes_back_and_nobody_types() {
    let stage =
        Stage::captain(&["--captain", "woken", "--vice-captains", "typed:1", "--members", "typed:1,woken:1"]);
    stage.play(&script());
    stage.up(&[]);
    let begin = stage.entries()[0]["seq"].as_i64().unwrap();
    stage.say("captain", WISH);
    stage.until("the order is reported", || stage.task("order")["status"] == "completed");
    stage.until("everything arrived", || stage.undelivered().is_empty());
    stage.until("everybody is done", || {
        list(&stage.world.json(&["ps"])["agents"]).all(|agent| agent["life"] == "idle")
    });

    for part in ["first", "second"] {
        assert_eq!(stage.task(part)["status"], "approved", "{part}");
    }
    // Who has no other way was told by a line of the supervisor, and nothing else was typed anywhere.
    for name in ["captain", "vice_captain1", "member1", "member2"] {
        let keys = stage.keys(name);
        assert!(keys.split_inclusive('\r').all(is_nudge), "{name}: {keys:?}");
        assert_eq!(
            keys.is_empty(),
            matches!(name, "captain" | "member2"),
            "{name}: {keys:?}\n{}",
            stage.shown()
        );
    }
    stage.assert_delivered_once();
    for message in stage.messages() {
        let is_captains = list(&message["to"]).any(|to| to["agent"]["name"] == "captain");
        assert!(!is_captains || message["from"]["name"] == "operator", "the captain got {message:#}");
    }
    let own: Vec<_> =
        stage.entries().into_iter().filter(|entry| entry["seq"].as_i64() > Some(begin)).collect();
    let own: Vec<_> = own.iter().filter(|entry| entry["actor"]["name"] == "operator").collect();
    assert_eq!(own.len(), 1, "the operator did more than to say it: {own:#?}");
    stands_on_the_dashboard(&stage);
    // The captain hears of it in its next turn, and not before.
    assert!(!stage.file("captain", "heard").contains("the page is there"));
    stage.say("captain", "How far are we?");
    stage.until("the captain hears of the report", || {
        stage.file("captain", "heard").contains("the page is there")
    });
}

/// Each thing in its own section.
fn stands_on_the_dashboard(stage: &Stage) {
    let dashboard = stage.dashboard();
    let section = |heading: &str| {
        let found = dashboard.split("\n## ").find(|part| part.to_lowercase().contains(heading));
        assert!(found.is_some(), "no section `{heading}`:\n{dashboard}");
        found.unwrap().to_owned()
    };
    let (action, progress, results) = (section("action"), section("in progress"), section("results"));
    for text in [ORDER, FIRST, SECOND, FIRST_DONE, SECOND_DONE, "the page is there"] {
        assert!(results.contains(text), "no `{text}` among the results:\n{dashboard}");
        assert!(!progress.contains(text), "`{text}` is still in progress:\n{dashboard}");
        // What is done waits for its superior's verdict, and only that.
        assert_eq!(action.contains(text), text == ORDER, "`{text}` and what needs action:\n{dashboard}");
    }
    assert!(section("candidate").contains("cut-the-log"), "{dashboard}");
}
