//! A seeded hub to measure on.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::product::{self, Product};
use crate::Result;
use crate::repo::stdout_of;

/// The agents of every measured hub.
pub(crate) const SENDER: &str = "bench-sender";
pub(crate) const READER: &str = "bench-reader";
pub(crate) const WAITER: &str = "bench-waiter";
/// The one whose client calls hooks.
pub(crate) const HOOKED: &str = "bench-hooked";

/// Who sends many messages takes turns with others: the loop guard holds what one writes to another too often, which is another
/// path than the one that is measured.
const SENDERS: usize = 30;
/// What one of them sends before it is the next one's turn; fewer than the loop guard allows.
const SENDS_IN_TURN: usize = 25;

pub(crate) const TEXT: &str = "a message of ordinary length, as agents write them while they work";

#[derive(Debug)]
pub(crate) struct Hub {
    pub(crate) folder: PathBuf,
    pub(crate) database: PathBuf,
    pub(crate) entries: u64,
    sent: AtomicUsize,
}

impl Hub {
    pub(crate) fn seeded(product: &Product, folder: &Path, entries: u64) -> Result<Self> {
        std::fs::create_dir_all(folder).map_err(|why| format!("cannot make {}: {why}", folder.display()))?;
        stdout_of(&mut product.init(folder))?;
        product.seed(folder, entries)?;
        let names = [SENDER, READER, WAITER, HOOKED].map(str::to_owned);
        for name in names.into_iter().chain((0..SENDERS).map(sender)) {
            stdout_of(&mut product.register(folder, &name))?;
        }
        product.bind(folder, HOOKED)?;
        let database = product::database(folder)?;
        Ok(Self { folder: folder.to_owned(), database, entries, sent: AtomicUsize::new(0) })
    }

    /// A message from an agent to another that the loop guard lets through.
    pub(crate) fn send(&self, product: &Product) -> Command {
        let turn = self.sent.fetch_add(1, Ordering::Relaxed) / SENDS_IN_TURN;
        product.send(&self.folder, &sender(turn % SENDERS), READER, TEXT)
    }

    /// Bytes of the database for each entry of its log, everything included.
    pub(crate) fn bytes_per_entry(&self, counted: u64) -> Result<u64> {
        let bytes = std::fs::metadata(&self.database)
            .map_err(|why| format!("cannot read {}: {why}", self.database.display()))?
            .len();
        Ok(bytes / counted.max(1))
    }
}

fn sender(number: usize) -> String {
    format!("{SENDER}-{number}")
}
