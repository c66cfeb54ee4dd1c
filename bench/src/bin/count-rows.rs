//! `count-rows PATH TABLE`: print how many rows a table has, to see whether anything was lost.
#![expect(clippy::print_stdout, reason = "the number on standard output is this program's purpose")]

use interagent_bench::{Outcome, argument, open};

fn main() -> Outcome {
    let usage = "count-rows PATH TABLE";
    let (path, table) = (argument(1, usage)?, argument(2, usage)?);
    let count: i64 =
        open(&path)?.query_row(&format!("SELECT count(*) FROM \"{table}\""), [], |row| row.get(0))?;
    println!("{count}");
    Ok(())
}
