//! Making a purge physical.
//!
//! An entry that purges a text deletes its row wherever the entry arrives. The bytes are overwritten in the same
//! transaction (the engine deletes securely), but copies of the page are still in the write-ahead log until it is
//! emptied. Owns that last step; does not own the search index or files in git, which forget on their own.

use crate::error::StoreError;
use crate::store::Store;

impl Store {
    /// Empties what deleted rows left in the store's files. False when another process was reading an older state for
    /// as long as we waited: the bytes may still be there then, and trying again helps.
    pub fn scrub(&mut self) -> Result<bool, StoreError> {
        let (engine, ..) = self.parts();
        engine.scrub()
    }
}
