//! What reaches the terminal.

use interagent_testkit::Sandbox;

const HOSTILE: &str = "\u{1b}[31mred\u{7} \u{202e}txt\u{202c}\nsecond";

#[test]
fn text_of_others_cannot_drive_the_terminal() {
    let sandbox = Sandbox::with_team();
    sandbox.run(&["send", "--to", "kimi", "-s", "subject", "-m", HOSTILE]).success();
    sandbox.run(&["task", "create", "plain", "-m", HOSTILE]).success();
    for look in [&["inbox", "--agent", "kimi", "--bodies"][..], &["msg", "list"], &["task", "list"]] {
        for extra in [&[][..], &["--json"], &["--color", "always"]] {
            let arguments = [look, extra].concat();
            let output = sandbox.run(&arguments).success();
            let own_colours = output.stdout.replace("\u{1b}[31m", "\u{1b}[0m");
            let foreign = own_colours.split("\u{1b}[").skip(1).any(|rest| {
                !rest
                    .split_once('m')
                    .is_some_and(|(code, _)| matches!(code, "0" | "1" | "2" | "32" | "33" | "34" | "36"))
            });
            assert!(
                !foreign && !output.stdout.contains(['\u{7}', '\u{202e}']),
                "{arguments:?}: {:?}",
                output.stdout
            );
            if !extra.contains(&"always") {
                assert!(!output.stdout.contains('\u{1b}'), "{arguments:?}: {:?}", output.stdout);
            }
        }
    }
    let inbox = sandbox.json(&["inbox", "--agent", "kimi", "--bodies"]);
    assert_eq!(inbox["items"][0]["body"], HOSTILE, "programs get the text as it was sent");
}

#[test]
fn one_column_is_enough() {
    let sandbox = Sandbox::with_team();
    sandbox.run(&["send", "--to", "kimi", "-s", "subject", "-m", "body"]).success();
    for look in [&["inbox", "--agent", "kimi"][..], &["status"], &["agent", "list"], &["doctor"]] {
        sandbox.start().env("COLUMNS", "1").run(look).success();
    }
}

#[test]
fn colour_only_where_it_is_wanted() {
    let sandbox = Sandbox::with_team();
    assert!(!sandbox.run(&["agent", "list"]).stdout.contains('\u{1b}'));
    assert!(sandbox.run(&["agent", "list", "--color", "always"]).stdout.contains("\u{1b}[36mkimi\u{1b}[0m"));
    let forced = sandbox.start().env("CLICOLOR_FORCE", "1");
    assert!(forced.run(&["agent", "list"]).stdout.contains('\u{1b}'));
    assert!(!forced.env("NO_COLOR", "1").run(&["agent", "list"]).stdout.contains('\u{1b}'));
}

#[test]
fn who_you_are_follows_from_where_you_call() {
    let sandbox = Sandbox::with_team();
    let who = |run: interagent_testkit::sandbox::Run<'_>| {
        let identity = run.json(&["whoami"]);
        format!("{} {}", identity["member"]["name"], identity["how"])
    };
    insta::assert_snapshot!([
        who(sandbox.as_agent("kimi")),
        who(sandbox.start().env("CLAUDECODE", "1")),
        who(sandbox.start().env("GEMINI_SESSION_ID", "x")),
    ].join("\n"), @r#"
    "kimi" "INTERAGENT_AGENT says kimi"
    "claude" "the only claude agent without a live session"
    null "no gemini agent without a live session is registered here"
    "#);
    let unbound = sandbox.start().env("GEMINI_SESSION_ID", "x").run(&["send", "--to", "kimi", "-m", "hi"]);
    insta::assert_snapshot!(unbound.shown(), @r"
    --- stderr
    error: no agent is bound to this session: no gemini agent without a live session is registered here
    hint: interagent agent register NAME
    --- exit 1
    ");
}
