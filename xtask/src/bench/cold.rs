//! Cold commands: nothing resident, a process per command, as agents' hooks and shells run them.

use std::path::{Path, PathBuf};

use super::Bench;
use super::budget::Row;
use super::hub::{HOOKED, Hub, READER, SENDER};
use super::stats::Samples;
use super::timing::{Case, interleave, table};
use crate::{Result, ui};

/// The longest log that commands leave behind: at 256 frames a writer checkpoints after its answer.
const FRAMES_FOR_READS: u32 = 255;

/// Few enough that a timed send does not run into the checkpoint, which is paid once in many sends and
/// measured as a case of its own.
const FRAMES_FOR_WRITES: u32 = 200;

/// All commands on one store, beside their baselines and hcom.
pub(super) fn measure(bench: &Bench<'_>, hub: &Hub) -> Result<Vec<Row>> {
    let mut rows = reads(bench, hub)?;
    rows.extend(writes(bench, hub)?);
    Ok(rows)
}

fn reads(bench: &Bench<'_>, hub: &Hub) -> Result<Vec<Row>> {
    let (product, baselines) = (bench.product, bench.baselines);
    baselines.prepare_wal(&hub.database, FRAMES_FOR_READS)?;
    let mut cases = vec![
        Case::new("baseline open", || Ok(baselines.open(&hub.database))),
        Case::new("interagent idle hook", || product.hook(&hub.folder, HOOKED)),
        Case::new("interagent inbox, no mail", || Ok(product.inbox(&hub.folder, READER))),
    ];
    if let Some(hcom) = bench.hcom {
        cases.push(Case::new("hcom idle hook", || hcom.idle_hook()));
        cases.push(Case::new("hcom list --json", || Ok(hcom.list())));
        cases.push(Case::new("hcom events --mention", || Ok(hcom.events())));
    }
    let samples = interleave(&cases, bench.rounds)?;
    ui::line(&format!(
        "\ncold reads, {} entries, {FRAMES_FOR_READS} WAL frames, {} runs each",
        hub.entries, bench.rounds
    ));
    ui::line(&table(&cases, &samples, |_| 0));

    let mut rows = vec![
        Row::ratio("idle hook against open", samples[1].ratio_to(&samples[0]), 1.6),
        Row::ratio("inbox against open", samples[2].ratio_to(&samples[0]), 2.0),
    ];
    if bench.hcom.is_some() {
        // The faster of hcom's two ways to look is the one to beat.
        let look = if samples[4].median() < samples[5].median() { &samples[4] } else { &samples[5] };
        rows.push(below_hcom("idle hook against hcom's", &samples[1], &samples[3]));
        rows.push(below_hcom("inbox against hcom's", &samples[2], look));
    }
    Ok(rows)
}

fn writes(bench: &Bench<'_>, hub: &Hub) -> Result<Vec<Row>> {
    let (product, baselines) = (bench.product, bench.baselines);
    let copy = copy_of(&hub.database, &bench.scratch.join("baseline-commit.db"))?;
    let send = || Ok(hub.send(product));
    let mut cases = vec![
        Case::new("baseline commit", || Ok(baselines.commit(&copy)))
            .prepared(|| baselines.prepare_wal(&copy, FRAMES_FOR_WRITES)),
        Case::new("interagent send", send)
            .prepared(|| baselines.prepare_wal(&hub.database, FRAMES_FOR_WRITES)),
        Case::new("interagent send that checkpoints", send)
            .prepared(|| baselines.prepare_wal(&hub.database, FRAMES_FOR_READS)),
        // The sends before have filled the mailbox.
        Case::new("interagent inbox with mail", || Ok(product.inbox(&hub.folder, READER))),
    ];
    if let Some(hcom) = bench.hcom {
        cases.push(Case::new("hcom send", || Ok(hcom.send())));
    }
    let samples = interleave(&cases, bench.rounds)?;
    ui::line(&format!(
        "cold writes, {} entries, {FRAMES_FOR_WRITES} WAL frames, {} runs each",
        hub.entries, bench.rounds
    ));
    ui::line(&table(&cases, &samples, |_| 0));

    let mut rows = vec![Row::ratio("send against commit", samples[1].ratio_to(&samples[0]), 2.0)];
    if let Some(theirs) = samples.get(4) {
        rows.push(below_hcom("send against hcom's", &samples[1], theirs));
    }
    Ok(rows)
}

/// The same commands on the smallest and the largest store, in one run. Who looks for mail is nobody whom
/// the sends of this run reach.
pub(super) fn growth(bench: &Bench<'_>, small: &Hub, large: &Hub) -> Result<Vec<Row>> {
    let (product, baselines) = (bench.product, bench.baselines);
    let mut cases = Vec::new();
    for hub in [small, large] {
        let size = hub.entries;
        let wal = |frames| move || baselines.prepare_wal(&hub.database, frames);
        cases.push(
            Case::new(&format!("idle hook, {size}"), || product.hook(&hub.folder, HOOKED))
                .prepared(wal(FRAMES_FOR_READS)),
        );
        cases.push(
            Case::new(&format!("inbox, no mail, {size}"), || Ok(product.inbox(&hub.folder, SENDER)))
                .prepared(wal(FRAMES_FOR_READS)),
        );
        cases.push(
            Case::new(&format!("send, {size}"), || Ok(hub.send(product))).prepared(wal(FRAMES_FOR_WRITES)),
        );
    }
    let samples = interleave(&cases, bench.rounds)?;
    ui::line(&format!("growth, {} runs each", bench.rounds));
    ui::line(&table(&cases, &samples, |index| index % 3));
    let grown = |index: usize| samples[index + 3].ratio_to(&samples[index]);
    let name = |command: &str| format!("growth of {command}, {} against {}", large.entries, small.entries);
    Ok(["idle hook", "inbox", "send"]
        .iter()
        .enumerate()
        .map(|(index, command)| Row::ratio(&name(command), grown(index), 1.3))
        .collect())
}

fn below_hcom(what: &str, ours: &Samples, theirs: &Samples) -> Row {
    let ratio = ours.ratio_to(theirs);
    Row::new(what, "< 1x", Ok((format!("{ratio:.2}x"), ratio < 1.0)))
}

/// A copy of a database that nobody has open; its log was emptied or comes along.
pub(super) fn copy_of(database: &Path, copy: &Path) -> Result<PathBuf> {
    for ending in ["", "-wal"] {
        let (from, to) = (format!("{}{ending}", database.display()), format!("{}{ending}", copy.display()));
        if Path::new(&from).exists() {
            std::fs::copy(&from, &to).map_err(|why| format!("cannot copy {from} to {to}: {why}"))?;
        }
    }
    Ok(copy.to_owned())
}
