//! Running the built program as its users do, ending it as no user would, and judging what it left behind.
//!
//! Owns the yard, the processes in it, fault injection through `strace`, and the second opinion of an unmodified
//! `sqlite3`. Knows the program only from outside: arguments, streams, exit codes, files. A checker answers with
//! `Result<(), String>`, so that a test can also ask it to fail.

use std::io::Write;

mod judge;
mod process;
mod stock;
mod strace;
mod yard;

pub use judge::{Entry, Log, Mail};
pub use process::{Ran, Running, Signal, run, signal};
pub use stock::{StockSqlite, copy_database};
pub use strace::{Fault, Syscall, Trace};
pub use yard::Yard;

/// What a checker says.
pub type Verdict = Result<(), String>;

/// Fails a check with a sentence.
pub fn ensure(holds: bool, otherwise: impl FnOnce() -> String) -> Verdict {
    if holds { Ok(()) } else { Err(otherwise()) }
}

/// Whether the long versions of the tests were asked for.
pub fn is_soak() -> bool {
    std::env::var_os("INTERAGENT_SOAK").is_some_and(|value| value == "1")
}

/// A small generator for delays and choices. Its seed is told when a test fails.
#[derive(Debug)]
pub struct Dice {
    seed: u64,
    state: u64,
}

impl Dice {
    /// Seeded by `INTERAGENT_SEED`, or by the clock.
    pub fn new() -> Self {
        let given = std::env::var("INTERAGENT_SEED").ok().and_then(|seed| seed.parse().ok());
        let seed = given.unwrap_or_else(|| {
            let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
            now.map_or(1, |now| u64::from(now.subsec_nanos()) ^ now.as_secs())
        });
        Self { seed, state: seed | 1 }
    }

    /// A number below `limit`.
    pub fn below(&mut self, limit: u64) -> u64 {
        // xorshift64: good enough to choose a moment.
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        self.state % limit.max(1)
    }

    /// What to set to get the same choices again.
    pub fn seed(&self) -> String {
        format!("INTERAGENT_SEED={}", self.seed)
    }
}

impl Default for Dice {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for Dice {
    fn drop(&mut self) {
        if std::thread::panicking() {
            tell(&self.seed());
        }
    }
}

/// Says that a test could not look, and why. It does not fail: not every machine allows everything.
pub fn skip(why: &str) {
    tell(&format!("SKIPPED: {why}"));
}

/// Not through the test harness: it would keep the words of a test that passed to itself.
fn tell(words: &str) {
    let _ = writeln!(std::io::stderr(), "{words}");
}
