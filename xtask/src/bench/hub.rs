//! A seeded hub to measure on.

use std::path::{Path, PathBuf};

use super::product::{self, Product};
use crate::Result;
use crate::repo::stdout_of;

/// The agents of every measured hub.
pub(crate) const SENDER: &str = "bench-sender";
pub(crate) const READER: &str = "bench-reader";
pub(crate) const WAITER: &str = "bench-waiter";
/// The one whose client calls hooks.
pub(crate) const HOOKED: &str = "bench-hooked";

pub(crate) const TEXT: &str = "a message of ordinary length, as agents write them while they work";

#[derive(Debug)]
pub(crate) struct Hub {
    pub(crate) folder: PathBuf,
    pub(crate) database: PathBuf,
    pub(crate) entries: u64,
}

impl Hub {
    pub(crate) fn seeded(product: &Product, folder: &Path, entries: u64) -> Result<Self> {
        std::fs::create_dir_all(folder).map_err(|why| format!("cannot make {}: {why}", folder.display()))?;
        stdout_of(&mut product.init(folder))?;
        product.seed(folder, entries)?;
        for name in [SENDER, READER, WAITER, HOOKED] {
            stdout_of(&mut product.register(folder, name))?;
        }
        product.bind(folder, HOOKED)?;
        Ok(Self { folder: folder.to_owned(), database: product::database(folder)?, entries })
    }

    /// Bytes of the database for each entry of its log, everything included.
    pub(crate) fn bytes_per_entry(&self, counted: u64) -> Result<u64> {
        let bytes = std::fs::metadata(&self.database)
            .map_err(|why| format!("cannot read {}: {why}", self.database.display()))?
            .len();
        Ok(bytes / counted.max(1))
    }
}
