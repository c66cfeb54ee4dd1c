//! Many processes writing at once: how long a send takes, and whether anything is lost or refused.

use std::time::Duration;

use super::Bench;
use super::budget::Row;
use super::hub::{Hub, READER, TEXT};
use super::stats::{Samples, ms};
use super::timing::run_once;
use crate::repo::stdout_of;
use crate::{Result, ui};

const CROWDS: [usize; 3] = [1, 8, 32];

/// What one crowd of writers experienced.
#[derive(Debug, Default)]
struct Crowd {
    samples: Samples,
    /// The first words of each send that did not succeed.
    refused: Vec<String>,
    lost: u64,
}

pub(super) fn measure(bench: &Bench<'_>, hub: &Hub) -> Result<Vec<Row>> {
    for number in 0..CROWDS.iter().copied().max().unwrap_or_default() {
        stdout_of(&mut bench.product.register(&hub.folder, &writer(number)))?;
    }
    ui::line(&format!(
        "{:>9} {:>6} {:>9} {:>9} {:>9} {:>6} {:>8}",
        "writers", "sends", "p50 ms", "p99 ms", "max ms", "lost", "refused"
    ));
    let mut alone = Duration::ZERO;
    let mut rows = Vec::new();
    for size in CROWDS {
        let crowd = run(bench, hub, size)?;
        let samples = &crowd.samples;
        let (median, slow, worst) = (samples.median(), samples.percentile(99), samples.percentile(100));
        let (sends, lost, refused) = (samples.count() + crowd.refused.len(), crowd.lost, crowd.refused.len());
        ui::line(&format!(
            "{size:>9} {sends:>6} {:>9} {:>9} {:>9} {lost:>6} {refused:>8}",
            ms(median),
            ms(slow),
            ms(worst)
        ));
        if let Some(why) = crowd.refused.first() {
            ui::line(&format!("          first refusal: {why}"));
        }
        if size == 1 {
            alone = median;
        }
        if size == 32 {
            let ratio = slow.as_secs_f64() / alone.as_secs_f64().max(f64::MIN_POSITIVE);
            rows.push(Row::ratio("32 writers, p99 against a lone median", ratio, 40.0));
            let whole = lost == 0 && refused == 0;
            rows.push(Row::new(
                "32 writers, lost and refused",
                "0 and 0",
                Ok((format!("{lost} and {refused}"), whole)),
            ));
        }
    }
    ui::line("");
    Ok(rows)
}

/// So many threads, each starting one send after the other.
fn run(bench: &Bench<'_>, hub: &Hub, size: usize) -> Result<Crowd> {
    let each = (bench.sends / size).max(5);
    let before = bench.baselines.count_entries(&hub.database)?;
    let mut crowd = Crowd::default();
    std::thread::scope(|scope| {
        let threads: Vec<_> =
            (0..size).map(|number| scope.spawn(move || one_writer(bench, hub, number, each))).collect();
        for thread in threads {
            match thread.join() {
                Ok(one) => {
                    crowd.samples.append(&one.samples);
                    crowd.refused.extend(one.refused);
                }
                Err(_) => crowd.refused.push("a writer thread of the benchmark panicked".to_owned()),
            }
        }
    });
    let stored = bench.baselines.count_entries(&hub.database)?.saturating_sub(before);
    crowd.lost = u64::try_from(crowd.samples.count()).unwrap_or(u64::MAX).saturating_sub(stored);
    Ok(crowd)
}

fn one_writer(bench: &Bench<'_>, hub: &Hub, number: usize, sends: usize) -> Crowd {
    let mut crowd = Crowd::default();
    for _ in 0..sends {
        match run_once(&mut bench.product.send(&hub.folder, &writer(number), READER, TEXT), &[0]) {
            Ok(took) => crowd.samples.add(took),
            Err(why) => crowd.refused.push(why),
        }
    }
    crowd
}

fn writer(number: usize) -> String {
    format!("bench-writer-{number}")
}
