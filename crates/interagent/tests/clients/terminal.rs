//! Every client at a terminal, without anything of ours: what a person types reaches the model, commands and files of the
//! model's own reach the disk, and what is cleared is forgotten. The other tests at a terminal stand on this.

use std::path::Path;

use interagent_testkit::Sandbox;
use interagent_testkit::clients::{Stage, Turn, client, within_own_network};

use crate::pipe::Pipe;
use crate::team::nonce;

/// Drives one client, in a network where only the model is.
pub(crate) fn driven(test: &str, name: &str) {
    within_own_network(test, |_| drive(name));
}

fn drive(name: &str) {
    let client = client(name);
    let sandbox = Sandbox::of(Path::new(env!("CARGO_BIN_EXE_interagent")), &std::env::temp_dir());
    let gate = Pipe::new(sandbox.home().join("gate"));
    let file = sandbox.project().join("notes.txt");
    let stage = Stage::prepared(client, &sandbox);
    let session = stage.open();

    let (work, result, content) = (nonce("work"), nonce("result"), nonce("content"));
    let cat = client.shell(&format!("cat '{}'", gate.path().display()));
    session.model().cue(&work, vec![cat, client.write(&file, &content), Turn::Say("that is all".into())]);
    session.prompt(&work);
    gate.put(&result);
    let heard = session.told(&result);
    assert!(heard.results().iter().any(|text| text.contains(&result)), "{heard:#?}");
    session.settle();
    let written = std::fs::read_to_string(&file).unwrap_or_default();
    assert_eq!(written.trim_end(), content);
    assert!(session.screen().contains("that is all"));

    // It thinks, and somebody else has time to do something.
    let thought = nonce("thought");
    session.model().hold();
    session.prompt(&thought);
    session.model().let_go();

    session.compact();
    let after = nonce("after");
    session.prompt(&after);
    session.clear();
    let fresh = nonce("fresh");
    let heard = session.prompt(&fresh);
    assert!(!heard.tells(&after), "{heard:#?}");
}
