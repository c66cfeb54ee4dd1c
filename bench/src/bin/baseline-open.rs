//! `baseline-open PATH [TABLE COLUMN]`: open the database, ask one indexed question, exit.

use interagent_bench::{Outcome, argument, open};
use rusqlite::OptionalExtension as _;

fn main() -> Outcome {
    let path = argument(1, "baseline-open PATH [TABLE COLUMN]")?;
    let table = argument(2, "").unwrap_or_else(|_| "entries".to_owned());
    let column = argument(3, "").unwrap_or_else(|_| "seq".to_owned());
    let connection = open(&path)?;
    let question = format!("SELECT 1 FROM \"{table}\" WHERE \"{column}\" = 1");
    let answer: Option<i64> = connection.query_row(&question, [], |row| row.get(0)).optional()?;
    answer
        .map(|_| ())
        .ok_or_else(|| format!("{table} has no row with {column} 1: is this a seeded store?").into())
}
