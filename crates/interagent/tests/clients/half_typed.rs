//! A person's half-typed text while mail wakes the agent: no dialog opens over it, and it stays as it is.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use interagent_agents::Profiles;
use interagent_testkit::Sandbox;
use interagent_testkit::clients::{By, Item, Settings, Stage, Turn, client, within_own_network};
use serde_json::json;

use crate::panes::Panes;
use crate::team::nonce;

const PATIENCE: Duration = Duration::from_secs(120);

#[test]
#[ignore = "needs the real client: cargo xtask clients NAME"]
fn claude() {
    within_own_network("half_typed::claude", |_| text_survives_a_wake(None));
}

/// It asks before every tool that nobody allowed.
mod in_manual_mode {
    #[test]
    #[ignore = "needs the real client: cargo xtask clients NAME"]
    fn claude() {
        super::within_own_network("half_typed::in_manual_mode::claude", |_| {
            super::text_survives_a_wake(Some("default"));
        });
    }
}

/// A captain's team in a repository: the member has a worktree.
fn team() -> Sandbox {
    let sandbox = Sandbox::of(Path::new(env!("CARGO_BIN_EXE_interagent")), &std::env::temp_dir());
    for words in [&["init", "-q", "-b", "main"][..], &["commit", "-q", "--allow-empty", "-m", "first"]] {
        let mut git = Command::new("git");
        git.args(["-c", "user.name=x", "-c", "user.email=x@y.test"]).args(words);
        assert!(git.current_dir(sandbox.project()).env("HOME", sandbox.home()).status().unwrap().success());
    }
    let init = ["init", "--formation", "captain", "--captain", "claude", "--vice-captains", "claude:1"];
    sandbox.run(&[&init[..], &["--members", "claude:1"]].concat()).success();
    sandbox
}

/// In the permission mode that the person chose, or in the one that the client has by default.
fn text_survives_a_wake(mode: Option<&str>) {
    let sandbox = team();
    let stage = Stage::prepared(client("claude"), &sandbox);
    if let Some(mode) = mode {
        let chosen = json!({ "permissions": { "defaultMode": mode } });
        stage.configure_with(vec![("~/.claude/settings.json".to_owned(), Settings::Json(chosen))]);
    }
    stage.product().run(&["setup", "claude", "--yes"]).success();
    let panes = Panes::up(&stage, &sandbox, &["member1"]);
    let typed = nonce("half-a-thou");
    let composer = |screen: &str| {
        let line = screen.lines().rev().find_map(|line| line.strip_prefix('❯'));
        line.unwrap_or_default().trim().to_owned()
    };
    panes.settle("member1");
    panes.type_text("member1", &typed);
    panes.until("the screen shows what is typed", || composer(&panes.screen("member1")) == typed);

    let watch = panes.watch("member1");
    let (question, answer) = (nonce("question"), nonce("answer"));
    let arguments =
        json!({ "original_message_id": format!("{{message: {question}}}"), "content": answer.as_str() });
    let reply = Turn::Call { tool: "mcp__interagent__reply_message".to_owned(), arguments };
    stage.model().cue(&question, vec![reply, Turn::Say("answered".to_owned())]);
    let vice = stage.product().env("INTERAGENT_AGENT", "vice_captain1");
    let sent = vice.json(&["send", "--to", "member1", "--intent", "question", "-m", &question]);
    let id = sent["id"].as_str().unwrap();
    panes.until("the question is answered", || sandbox.json(&["read", id])["to"][0]["how"] == "replied");
    panes.until("member1 is idle again", || panes.shown_of("member1")["life"] == "idle");
    let screens = watch.stop();

    let mut dialogs = Profiles::shipped().get("claude").unwrap().screen.unwrap().dialog;
    // One that waits until the composer is empty.
    dialogs.push("Claude has a question for you".to_owned());
    for screen in &screens {
        let open = dialogs.iter().find(|words| screen.contains(words.as_str()));
        assert!(open.is_none(), "a dialog opened: {screen}");
    }
    assert!(screens.iter().any(|screen| composer(screen) == typed && screen.contains("answered")));
    assert_eq!(composer(&panes.screen("member1")), typed, "{}", panes.screen("member1"));
    let replies = sandbox.json(&["inbox", "--agent", "vice_captain1", "--bodies"]);
    let bodies: Vec<_> = replies["items"].as_array().unwrap().iter().map(|mail| &mail["body"]).collect();
    assert_eq!(bodies, [&json!(answer)], "{replies}");

    // The person goes on: what was typed before and after the wake is one prompt.
    panes.type_text("member1", "-ght");
    let whole = format!("{typed}-ght");
    panes.until("the rest is typed", || composer(&panes.screen("member1")) == whole);
    panes.press("member1", "Enter");
    let asked = stage.model().wait_for(|conversation| conversation.tells(&whole), PATIENCE);
    let asked = asked.expect("the prompt never reached the model");
    let is_prompt = |item: &Item| item.by == By::User && item.text.trim() == whole;
    assert!(asked.items.iter().any(is_prompt), "{asked:#?}");
}
