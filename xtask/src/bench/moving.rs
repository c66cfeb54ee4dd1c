//! Moving over: how long an import of many messages takes, against writing as many entries in bulk.
//!
//! The tree is InterAgent's, one file for each message; reading them is part of it. The second run, which takes nothing, shows what
//! finding everything again costs.

use std::path::Path;
use std::time::Instant;

use super::Bench;
use super::budget::Row;
use super::framework;
use crate::repo::stdout_of;
use crate::{Result, ui};

const MESSAGES: u64 = 100_000;
const QUICK_MESSAGES: u64 = 10_000;
/// A file is read, an alias and a key are looked up and kept, and the entries are many instead of few large ones.
const LIMIT: f64 = 2.5;

pub(super) fn measure(bench: &Bench<'_>) -> Result<Vec<Row>> {
    let messages = if bench.quick { QUICK_MESSAGES } else { MESSAGES };
    let folder = bench.scratch.join("moving");
    let (written, old) = (folder.join("written"), folder.join("project").join(".interagent"));
    tree(&old, messages)?;
    std::fs::create_dir_all(&written).map_err(|why| format!("cannot make {}: {why}", written.display()))?;
    stdout_of(&mut bench.product.init(&written))?;
    let floor = seconds(|| bench.product.seed(&written, messages))?;
    let import = |from: &str| stdout_of(&mut bench.product.import(&old, from)).map(|_| ());
    let first = seconds(|| import(&old.display().to_string()))?;
    let kept = std::fs::read_dir(old.join("imported"))
        .ok()
        .and_then(|mut days| days.next()?.ok())
        .ok_or("the import kept no original")?;
    let again = seconds(|| import(&kept.path().display().to_string()))?;
    ui::line(&format!(
        "\nmoving over: {messages} messages in {first:.1} s, again in {again:.1} s; as many entries in bulk {floor:.1} s"
    ));
    let what = format!("import of {messages} messages against writing as many entries");
    Ok(vec![Row::ratio(&what, first / floor, LIMIT)])
}

fn seconds(run: impl FnOnce() -> Result<()>) -> Result<f64> {
    let start = Instant::now();
    run()?;
    Ok(start.elapsed().as_secs_f64())
}

fn tree(old: &Path, messages: u64) -> Result<()> {
    let pending = old.join("messages").join("pending");
    let broken = |why: std::io::Error| format!("cannot write below {}: {why}", old.display());
    std::fs::create_dir_all(&pending).map_err(broken)?;
    let session = r#"{"id":"session-000001","name":"bench","mode":"hierarchical","principal":"claude","agents":{"claude":{"role":"principal"},"kimi":{"role":"delegate"}}}"#;
    std::fs::write(old.join("session.json"), session).map_err(broken)?;
    for number in 0..messages {
        let (path, text) = framework::message(number);
        std::fs::write(old.join(path), text).map_err(broken)?;
    }
    Ok(())
}
