//! `cargo xtask bench`: the budgets, measured. Ratios against a floor or a peer in the same run, because
//! milliseconds of a shared machine mean little.
//!
//! Everything happens below `target/bench`. How the product is called is in `product`, and only there.

mod baselines;
mod budget;
mod cold;
mod framework;
mod git;
mod hcom;
mod hook;
mod hub;
mod mcp;
mod moving;
mod nudge;
mod product;
mod python;
mod stats;
mod timing;
mod waiter;
mod writers;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use crate::args::BenchOptions;
use crate::repo::Repo;
use crate::tools::{Install, Tools};
use crate::{Result, ui};
use baselines::Baselines;
use budget::{Budgets, Row};
use hcom::Hcom;
use hub::Hub;
use product::{Build, Product};

/// The size of store that the budgets of cold commands are about.
const USUAL_ENTRIES: u64 = 100_000;

/// What every measurement needs.
#[derive(Debug, Clone, Copy)]
struct Bench<'a> {
    product: &'a Product,
    baselines: &'a Baselines,
    hcom: Option<&'a Hcom>,
    scratch: &'a Path,
    quick: bool,
    /// Timed runs of each cold command.
    rounds: usize,
    /// Sends of each crowd of writers, together.
    sends: usize,
}

pub(crate) fn run(options: &BenchOptions) -> Result<ExitCode> {
    let repo = Repo::find()?;
    let scratch = fresh_folder(&repo.target.join("bench"))?;
    ui::line("building the release binaries");
    let build = if options.dist { Build::Static } else { Build::Plain };
    let programs = fresh_folder(&scratch.join("programs"))?;
    let baselines = Baselines::build(&repo, &programs)?;
    let product = Product::build(&repo, build, &scratch, &programs)?;
    let hubs = seed(&product, &scratch, &options.sizes)?;
    let (Some(small), Some(large)) = (hubs.first(), hubs.last()) else {
        return Err("no sizes to measure".to_owned());
    };
    let usual = hubs.iter().find(|hub| hub.entries == USUAL_ENTRIES).unwrap_or(large);

    let mut budgets = Budgets::default();
    let peer = peer(&repo, options, &scratch, usual.entries, &baselines);
    match &peer {
        Ok(peer) => ui::line(&format!("beside it: {}", peer.version)),
        Err(why) => {
            ui::line(&format!("hcom is not measured: {why}"));
            budgets.add(Row::new("each cold command against hcom's", "< 1x", Err(why.clone())));
        }
    }
    let bench = Bench {
        product: &product,
        baselines: &baselines,
        hcom: peer.as_ref().ok(),
        scratch: &scratch,
        quick: options.quick,
        rounds: if options.quick { 20 } else { 200 },
        sends: if options.quick { 96 } else { 960 },
    };
    section(&mut budgets, "cold commands", cold::measure(&bench, usual));
    if large.entries > small.entries {
        section(&mut budgets, "growth", cold::growth(&bench, small, large));
    }
    section(&mut budgets, "hooks with mail", hook::measure(&bench, small, large));
    section(&mut budgets, "beside interagent-framework", framework::measure(&bench, &repo));
    section(&mut budgets, "moving over", moving::measure(&bench));
    section(&mut budgets, "MCP", mcp::measure(&bench, usual));
    section(&mut budgets, "Python", python::measure(&bench, &repo, usual));
    section(&mut budgets, "writers", writers::measure(&bench, usual));
    section(&mut budgets, "sender to waiter", waiter::latency(&bench, usual).map(|row| vec![row]));
    section(&mut budgets, "mail to an idle agent", nudge::measure(&bench));
    section(&mut budgets, "waiting", waiter::system_calls(&bench, usual).map(|row| vec![row]));
    match baselines.count_entries(&large.database).and_then(|counted| large.bytes_per_entry(counted)) {
        Ok(bytes) => ui::line(&format!("database: {bytes} bytes for each of {} entries", large.entries)),
        Err(why) => ui::line(&format!("database: size not measured: {why}")),
    }
    section(&mut budgets, "history in git", git::measure(&bench, usual));
    ui::line(&format!("\nbuild: {build:?}\n\n{}", budgets.table()));
    Ok(if budgets.kept() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// A section that fails is a budget that was not measured; the others go on.
fn section(budgets: &mut Budgets, name: &str, measured: Result<Vec<Row>>) {
    match measured {
        Ok(rows) => budgets.extend(rows),
        Err(why) => budgets.add(Row::new(name, "", Err(why))),
    }
}

fn seed(product: &Product, scratch: &Path, sizes: &[u64]) -> Result<Vec<Hub>> {
    let mut hubs = Vec::new();
    for entries in sizes {
        let start = Instant::now();
        hubs.push(Hub::seeded(product, &scratch.join(format!("hub-{entries}")), *entries)?);
        ui::line(&format!("seeded {entries} entries in {:.1} s", start.elapsed().as_secs_f64()));
    }
    Ok(hubs)
}

fn peer(
    repo: &Repo,
    options: &BenchOptions,
    scratch: &Path,
    entries: u64,
    baselines: &Baselines,
) -> Result<Hcom> {
    if !options.hcom {
        return Err("left out by --no-hcom".to_owned());
    }
    let program = Tools::new(repo, Install::Allowed).python_tool("hcom")?;
    Hcom::prepare(program, &scratch.join("hcom"), entries, baselines)
}

/// Results of an earlier run would be measured again.
fn fresh_folder(folder: &Path) -> Result<PathBuf> {
    if folder.exists() {
        fs::remove_dir_all(folder).map_err(|why| format!("cannot remove {}: {why}", folder.display()))?;
    }
    fs::create_dir_all(folder).map_err(|why| format!("cannot make {}: {why}", folder.display()))?;
    Ok(folder.to_owned())
}
