//! What messages can do with each client: a person uses it at a terminal, configured by `interagent setup`, and what
//! reaches its model is looked at. The cells of docs/clients.md are what is found here.

mod deeds;
mod facts;
mod record;
mod scene;

use std::panic::{AssertUnwindSafe, catch_unwind};

use interagent_testkit::clients::{Client, Network, Stage, client, within_own_network};
use serde_json::{Value, json};

use scene::Scene;

use crate::team::Team;

/// What a client may be able to do, in the order in which it is tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ability {
    Briefing,
    AtPrompt,
    AfterTool,
    AtTurnEnd,
    Deny,
    AfterCompact,
    AfterClear,
    Wake,
    Headless,
}

impl Ability {
    pub(crate) const ALL: [Self; 9] = [
        Self::Briefing,
        Self::AtPrompt,
        Self::AfterTool,
        Self::AtTurnEnd,
        Self::Deny,
        Self::AfterCompact,
        Self::AfterClear,
        Self::Wake,
        Self::Headless,
    ];

    /// The heading of its column.
    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::Briefing => "briefing at start",
            Self::AtPrompt => "mail at prompt",
            Self::AfterTool => "mail after tool",
            Self::AtTurnEnd => "mail at turn end",
            Self::Deny => "denies a tool",
            Self::AfterCompact => "briefing after compact",
            Self::AfterClear => "briefing after clear",
            Self::Wake => "wakes when idle",
            Self::Headless => "headless run",
        }
    }

    /// Does it, and fails where it can't be done.
    fn try_out(self, scene: &mut Scene<'_, '_>) {
        match self {
            Self::Briefing => deeds::briefing_at_start(scene),
            Self::AtPrompt => deeds::mail_at_prompt(scene),
            Self::AfterTool => deeds::mail_after_tool(scene),
            Self::AtTurnEnd => deeds::mail_at_turn_end(scene),
            Self::Deny => deeds::tool_denied(scene),
            Self::AfterCompact => deeds::briefing_after_compact(scene),
            Self::AfterClear => deeds::briefing_after_clear(scene),
            Self::Wake => deeds::woken(scene),
            Self::Headless => deeds::headless(scene),
        }
    }
}

/// Tries everything with one client, in a network where only the model is.
pub(crate) fn tried(test: &str, name: &str) {
    within_own_network(test, |network| try_all(client(name), &network));
}

fn try_all(client: &'static dyn Client, network: &Network) {
    let team = Team::new(client);
    let stage = Stage::prepared(client, &team.sandbox);
    let mut scene = Scene::open(client, &team, &stage);
    let mut cells: Vec<Value> = Vec::new();
    let mut failed: Vec<&str> = Vec::new();
    for ability in Ability::ALL {
        let title = ability.title();
        let says = match facts::about(client.name(), ability) {
            Some(fact) => format!("can't: {fact}"),
            // One that fails must not hide the next.
            None => match catch_unwind(AssertUnwindSafe(|| ability.try_out(&mut scene))) {
                Ok(()) => facts::works(client.name(), ability),
                Err(_) => {
                    scene.show();
                    failed.push(title);
                    "failed".to_owned()
                }
            },
        };
        cells.push(json!([title, says]));
    }
    assert!(failed.is_empty(), "{} failed at: {}", client.name(), failed.join(", "));
    scene.close();
    if let Some(recorder) = scene.recorder {
        recorder.keep();
    }
    stage.record_as("able", network, &json!({ "title": client.title(), "cells": cells }));
}
