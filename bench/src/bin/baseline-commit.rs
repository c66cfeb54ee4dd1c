//! `baseline-commit PATH`: open a copy of the database, commit one row durably, exit.
//!
//! The row goes into a table of its own, so the file must be a copy: the product's file stays untouched.

use interagent_bench::{Outcome, argument, open};

fn main() -> Outcome {
    let connection = open(&argument(1, "baseline-commit PATH")?)?;
    connection.execute_batch("PRAGMA synchronous = FULL")?;
    let insert = "INSERT INTO baseline (body) VALUES ('one row, on disk before the program exits')";
    if connection.execute(insert, []).is_err() {
        // Only the very first run finds no table.
        connection.execute_batch(
            "CREATE TABLE IF NOT EXISTS baseline (id INTEGER PRIMARY KEY, body TEXT NOT NULL)",
        )?;
        connection.execute(insert, [])?;
    }
    Ok(())
}
