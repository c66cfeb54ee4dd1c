//! One function for each ability: does it with the real client, and asserts what its model was told.

use std::path::Path;
use std::time::Duration;

use interagent_testkit::clients::{By, Conversation, Item, Turn};

use super::scene::{OWN_PROFILES, Scene};
use crate::team::nonce;

/// How long a denial may take.
const PATIENCE: Duration = Duration::from_secs(90);

/// Who the agent is, with the first thing it is asked.
pub(super) fn briefing_at_start(scene: &mut Scene<'_, '_>) {
    let briefing = scene.briefing.clone();
    let prompt = scene.new_prompt();
    let asked = scene.session().prompt(&prompt);
    assert!(asked.tells(&briefing), "no `{briefing}` in {asked:#?}");
}

/// What waits comes with the next prompt, under its sender.
pub(super) fn mail_at_prompt(scene: &mut Scene<'_, '_>) {
    scene.session().settle();
    let text = scene.send();
    let prompt = scene.new_prompt();
    let asked = scene.session().prompt(&prompt);
    assert!(asked.tells(&text), "no `{text}` in {asked:#?}");
    let told = asked.items.iter().find(|item| item.text.contains(&text)).unwrap();
    assert!(told.text.contains(scene.team.other), "no sender: {told:#?}");
}

/// What comes while a command runs is heard with its result, not later.
pub(super) fn mail_after_tool(scene: &mut Scene<'_, '_>) {
    let (result, end) = (nonce("result"), nonce("end"));
    let prompt = scene.new_prompt();
    let command = scene.client.shell(&format!("cat '{}'", scene.gate.path().display()));
    scene.session().model().cue(&prompt, vec![command, Turn::Say(end.clone())]);
    scene.session().prompt(&prompt);
    let text = scene.send();
    scene.gate.put(&result);
    let heard = scene.session().told(&text);
    assert!(heard.results().iter().any(|told| told.contains(&result)), "{heard:#?}");
    assert!(!says(&heard.items, &end), "only after the end of the turn: {heard:#?}");
}

/// What comes with nothing left to do keeps the agent going.
pub(super) fn mail_at_turn_end(scene: &mut Scene<'_, '_>) {
    scene.session().settle();
    let end = nonce("end");
    let prompt = scene.new_prompt();
    scene.session().model().cue(&prompt, vec![Turn::Say(end.clone())]);
    scene.session().model().hold();
    scene.session().prompt(&prompt);
    let text = scene.send();
    scene.session().model().let_go();
    let heard = scene.session().told(&text);
    assert!(says(&heard.items, &end), "before the turn ended: {heard:#?}");
}

/// A free file is written; one that another holds stays as it is, and the model is told who holds it.
pub(super) fn tool_denied(scene: &mut Scene<'_, '_>) {
    scene.session().settle();
    let name = nonce("held");
    let (file, free) = (scene.team.sandbox.project().join(&name), scene.team.sandbox.project().join("free"));
    let other = scene.team.sandbox.as_agent(scene.team.other);
    std::fs::write(&file, "as it was").unwrap();
    other.run(&["lease", "take", &name, "--reason", "rewriting it"]).success();
    let prompt = scene.new_prompt();
    let write = |path: &Path| scene.client.write(path, "overwritten");
    let script = vec![write(&free), write(&file), Turn::Say("so be it".to_owned())];
    scene.session().model().cue(&prompt, script);
    let before = scene.session().prompt(&prompt).items.len();
    let denied = |told: &Conversation| {
        let new = told.items.iter().skip(before);
        new.filter(|item| item.by != By::Model)
            .any(|item| item.text.contains(scene.team.other) && item.text.contains("lease"))
    };
    let told = scene.session().model().wait_for(denied, PATIENCE);
    assert!(told.is_some(), "no denial in {:#?}", scene.session().model().conversations().last());
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "as it was");
    assert_eq!(std::fs::read_to_string(&free).unwrap().trim_end(), "overwritten");
}

/// What was shortened away is told again.
pub(super) fn briefing_after_compact(scene: &mut Scene<'_, '_>) {
    let before = scene.last_prompt.clone();
    scene.session().compact();
    told_again(scene, &before);
}

/// What was cleared is told again.
pub(super) fn briefing_after_clear(scene: &mut Scene<'_, '_>) {
    let before = scene.last_prompt.clone();
    scene.session().clear();
    told_again(scene, &before);
}

/// Clients differ in what they keep: only what is told after the last prompt of before counts.
fn told_again(scene: &mut Scene<'_, '_>, before: &str) {
    let briefing = scene.briefing.clone();
    let prompt = scene.new_prompt();
    let asked = scene.session().prompt(&prompt);
    assert!(asked.tells_after(before, &briefing), "no `{briefing}` in {asked:#?}");
}

/// Three in a row, without a key pressed. Where a waiter wakes it, the third comes when the waiter that was there at first has
/// left long since.
pub(super) fn woken(scene: &mut Scene<'_, '_>) {
    let pause = scene.waiter_stays.unwrap_or_default() / 2;
    for round in 0..3 {
        scene.session().settle();
        if round > 0 {
            std::thread::sleep(pause);
        }
        let text = scene.send();
        scene.session().told(&text);
    }
}

/// A run that nobody watches knows who it is and what waits.
pub(super) fn headless(scene: &mut Scene<'_, '_>) {
    scene.close();
    // A waiter stays for a day again: one that waited here would hold a run up.
    let _ = std::fs::remove_dir_all(scene.team.sandbox.home().join(OWN_PROFILES));
    scene.stage.run(&nonce("somebody starts it"), Vec::new());
    let (briefing, prompt) = (scene.briefing.clone(), nonce("alone"));
    let text = scene.send();
    scene.stage.product().run(&["run", scene.team.me, "--prompt", &prompt]).success();
    let asked = scene.stage.model().conversations();
    let asked = asked.iter().find(|asked| asked.tells(&prompt));
    let asked = asked.unwrap_or_else(|| panic!("the model was never told `{prompt}`"));
    // OpenCode puts a prompt with blanks in quotes, and escapes those inside.
    let escaped = briefing.replace('"', "\\\"");
    let is_briefed = asked.tells(&briefing) || asked.tells(&escaped);
    assert!(is_briefed && asked.tells(&text), "{asked:#?}");
}

fn says(items: &[Item], text: &str) -> bool {
    items.iter().any(|item| item.by == By::Model && item.text.contains(text))
}
