//! Factory Droid without a person: its terminal asks for a login, so what reaches its model is looked at in `droid exec`.

use interagent_testkit::clients::{Stage, Turn, client, within_own_network};
use serde_json::json;

use crate::abilities::Ability;
use crate::team::{Team, nonce};

#[test]
#[ignore = "needs the real client: cargo xtask clients NAME"]
fn droid() {
    within_own_network("droid::droid", |network| {
        let droid = client("droid");
        let team = Team::new(droid);
        let stage = Stage::prepared(droid, &team.sandbox);
        stage.product().run(&["setup", team.me, "--yes"]).success();
        let (message, text) = team.send_to_client();
        stage.run("What is new?", Vec::new());
        let asked = format!("{:?}", stage.model().conversations());
        for wanted in ["You are droid", &message, &text, "interagent___check_inbox"] {
            assert!(asked.contains(wanted), "{wanted} did not reach the model: {asked}");
        }
        let (_, text) = team.send_to_client();
        stage.model().play(Vec::new());
        stage.product().run(&["run", team.me, "--auto-approve", "--timeout", "75s"]).success();
        let asked = format!("{:?}", stage.model().conversations());
        assert!(asked.contains(&text), "{text} did not reach the model: {asked}");
        leased_file_is_kept(&team, &stage);
        let cells = Ability::ALL.map(|ability| match ability {
            Ability::Briefing | Ability::AtPrompt | Ability::Deny | Ability::Headless => {
                json!([ability.title(), "works"])
            }
            _ => json!([ability.title(), "not tried: its terminal asks for a login"]),
        });
        stage.record_as("able", &network, &json!({ "title": droid.title(), "cells": cells }));
    });
}

/// Neither its own tool nor its shell may write a file that another agent leased. The model reads the reason.
fn leased_file_is_kept(team: &Team, stage: &Stage<'_>) {
    let file = team.sandbox.project().join("held");
    std::fs::write(&file, "as it was").unwrap();
    let other = team.sandbox.as_agent(team.other);
    other.run(&["lease", "take", "held", "--reason", "rewriting it"]).success();
    let droid = client("droid");
    for write in [droid.write(&file, "overwritten"), droid.shell("echo overwritten > held")] {
        stage.run(&nonce("write"), vec![write, Turn::Say("so be it".to_owned())]);
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "as it was");
        let asked = stage.model().conversations();
        let results = asked.last().unwrap().results();
        let is_denied = |result: &&str| result.contains(team.other) && result.contains("lease");
        assert!(results.iter().any(is_denied), "{results:#?}");
    }
}
