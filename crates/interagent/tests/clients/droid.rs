//! Factory Droid without a person: its terminal asks for a login, so what reaches its model is looked at in `droid exec`.

use interagent_testkit::clients::{Stage, client, within_own_network};
use serde_json::json;

use crate::abilities::Ability;
use crate::team::Team;

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
        let cells = Ability::ALL.map(|ability| match ability {
            Ability::Briefing | Ability::AtPrompt | Ability::Headless => json!([ability.title(), "works"]),
            _ => json!([ability.title(), "not tried: its terminal asks for a login"]),
        });
        stage.record_as("able", &network, &json!({ "title": droid.title(), "cells": cells }));
    });
}
