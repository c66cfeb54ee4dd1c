//! Search: a follower of the log with a database file of its own.
//!
//! Owns `search.db` and everything about finding text: folding, tokens, the query language, ranking and
//! excerpts. It does not read the log: whoever does turns entries into [`Change`]s and hands them over in
//! [`Batch`]es, and the index remembers how far it has got.
//!
//! Why a follower: indexing a message costs more than sending it, and merges of the index stall, which must
//! not happen under the writers' gate. A send of 1 KB without fsync took 126 us, with FTS5 in the same
//! transaction 222 us (trigrams: 366 us and twice the file) and 20 to 30 ms when a merge fell due. Why a
//! file of its own: the hub's schema stays small (SQLite parses all of it at the first query of every
//! command), its WAL stays short, and the index can be emptied at any time, because the log can fill it
//! again.
//!
//! Measured here with 50,000 messages of 1 KB on two busy cores (`measure_size_and_time` repeats it): 340 us
//! per document in batches of 64 and 230 us in batches of 1000, the worst batch 180 and 550 ms; 1.9 KB per
//! document, of which 1 KB is the text itself; 60 to 120 ms for a word that is in every document, 0.3 ms for
//! a rare one, 0.3 ms to open; 2 s to purge. Most costly is a prefix that nearly every word has: 5 s.
//!
//! Catching up, for whoever follows the log:
//!
//! 1. Read [`SearchIndex::cursor`], then the log after it, up to a few hundred entries.
//! 2. [`SearchIndex::apply`] them as one batch. [`Applied::Moved`] means another process did: go on from
//!    its cursor.
//! 3. [`SearchError::Rebuilt`] from any call means the file was damaged and is empty now: begin again.

mod doc;
mod error;
mod excerpt;
mod find;
mod fold;
mod index;
mod query;
mod schema;
mod tokenise;

pub use doc::{Applied, Batch, Change, Doc, DocKind};
pub use error::SearchError;
pub use excerpt::Excerpt;
pub use find::{Filter, Found, Hit, MAX_PAGE_HITS, Notice, Page, Search};
pub use index::SearchIndex;
pub use schema::Opened;
