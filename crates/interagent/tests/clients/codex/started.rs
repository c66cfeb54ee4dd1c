//! Seats that `interagent up` starts, and sessions that a person starts by hand later, in other folders of the same home.

use std::process::Command;

use interagent_testkit::clients::{Conversation, Place, client, within_own_network};
use serde_json::json;

use super::{Sandbox, Stage, directory, was_told};
use crate::panes::Panes;
use crate::team::nonce;

#[test]
#[ignore = "needs the real client: cargo xtask clients NAME"]
fn seats_leave_nothing_to_later_sessions() {
    within_own_network("codex::started::seats_leave_nothing_to_later_sessions", |_| seats_then_by_hand());
}

/// A captain's team in a repository, outside of what Codex's sandbox lets everybody write.
fn team() -> Sandbox {
    let sandbox = Sandbox::of(std::path::Path::new(env!("CARGO_BIN_EXE_interagent")), "/var/tmp".as_ref());
    for words in [&["init", "-q", "-b", "main"][..], &["commit", "-q", "--allow-empty", "-m", "first"]] {
        let mut git = Command::new("git");
        git.args(["-c", "user.name=x", "-c", "user.email=x@y.test"]).args(words);
        assert!(git.current_dir(sandbox.project()).env("HOME", sandbox.home()).status().unwrap().success());
    }
    let init = ["init", "--formation", "captain", "--captain", "claude", "--vice-captains", "claude:1"];
    sandbox.run(&[&init[..], &["--members", "codex:2"]].concat()).success();
    sandbox
}

fn seats_then_by_hand() {
    let sandbox = team();
    let stage = Stage::prepared(client("codex"), &sandbox);
    stage.product().run(&["setup", "codex", "--yes"]).success();
    let mail_to = |member: &str| {
        let text = nonce("mail");
        let vice = stage.product().env("INTERAGENT_AGENT", "vice_captain1");
        vice.run(&["send", "--to", member, "-m", &text]).success();
        text
    };
    let told = |text: &str| -> Vec<Conversation> {
        let all = stage.model().conversations();
        all.into_iter().filter(|conversation| conversation.tells(text)).collect()
    };
    {
        let panes = Panes::up(&stage, &sandbox, &["member1", "member2"]);
        for (member, other) in [("member1", "member2"), ("member2", "member1")] {
            let text = mail_to(member);
            panes.until(&format!("{member} reads its mail"), || {
                panes.agree(member);
                !told(&text).is_empty()
            });
            panes.until(&format!("{member} is idle again"), || panes.shown_of(member)["life"] == "idle");
            for conversation in told(&text) {
                assert!(conversation.tells("mail from peers"), "{conversation:#?}");
                assert!(!conversation.tells(&format!("You are {other}")), "{conversation:#?}");
            }
        }
        panes.product().run(&["down"]).success();
        for member in ["member1", "member2"] {
            assert_eq!(panes.shown_of(member)["life"], "away", "{}", panes.shown_of(member));
        }
    }
    assert_eq!(sandbox.json(&["session", "list"])["items"], json!([]));

    let (outside, shop) = (directory(&sandbox, "outside"), directory(&sandbox, "shop"));
    let in_shop = || stage.product().within(&shop);
    in_shop().run(&["init"]).success();
    in_shop().run(&["agent", "register", "codex", "--profile", "codex"]).success();
    // By hand and as Codex is by default: both sessions are run by its background server.
    let shopping = stage.open_at(&Place::of(&shop));
    let elsewhere = stage.open_at(&Place::of(&outside));
    let sold = shopping.prompt(&nonce("shop"));
    assert!(sold.tells("You are codex") && !sold.tells("member"), "{sold:#?}");
    shopping.settle();
    let other = elsewhere.prompt(&nonce("outside"));
    for words in ["You are codex", "You are member", "a team works here"] {
        assert!(!other.tells(words), "{other:#?}");
    }
    elsewhere.settle();

    // Mail of the first project is older than the mail that wakes the second one's session, and reaches none of them.
    let unread: Vec<String> = ["member1", "member2"].into_iter().map(mail_to).collect();
    let mine = nonce("shop-mail");
    in_shop().env("INTERAGENT_AGENT", "claude").run(&["send", "--to", "codex", "-m", &mine]).success();
    let woken = shopping.told(&mine);
    assert!(woken.tells("mail from peers"), "{woken:#?}");
    shopping.settle();
    let last = elsewhere.prompt(&nonce("later"));
    assert!(!last.tells(&mine), "{last:#?}");
    elsewhere.settle();
    for text in unread {
        assert!(!was_told(&shopping, &text), "a session got mail of another project");
    }
    assert_eq!(sandbox.json(&["session", "list"])["items"], json!([]));
    let listed = in_shop().json(&["session", "list"]);
    let items = listed["items"].as_array().unwrap();
    assert!(items.len() == 1 && items[0]["agent"]["name"] == "codex", "{listed}");
}
