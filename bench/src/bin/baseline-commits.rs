//! `baseline-commits PATH`: commit one row durably for every line on standard input, and answer it with a line.
//!
//! The least that a resident program does which keeps its word: no start, no opening, one flush for each row. Like
//! `baseline-commit` it needs a copy of the database.
#![expect(clippy::print_stdout, reason = "the answer on standard output is this program's purpose")]

use std::io::{BufRead as _, Write as _};

use interagent_bench::{Outcome, argument, open};

fn main() -> Outcome {
    let connection = open(&argument(1, "baseline-commits PATH")?)?;
    connection.execute_batch(
        "PRAGMA synchronous = FULL;
         CREATE TABLE IF NOT EXISTS baseline (id INTEGER PRIMARY KEY, body TEXT NOT NULL)",
    )?;
    let mut insert = connection.prepare("INSERT INTO baseline (body) VALUES (?1)")?;
    for line in std::io::stdin().lock().lines() {
        insert.execute([line?])?;
        println!("on disk");
        std::io::stdout().flush()?;
    }
    Ok(())
}
