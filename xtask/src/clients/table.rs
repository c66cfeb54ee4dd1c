//! The table of what messages can do with each client, in `docs/clients.md`: its rows are what the tests found.

use std::path::Path;

use serde_json::Value;

use crate::Result;

const PAGE: &str = "docs/clients.md";
/// Set to write what was found instead of comparing it.
const UPDATE_VARIABLE: &str = "INTERAGENT_UPDATE_DOCS";

/// Compares the rows of the clients that were exercised with the page, or writes them there.
pub(super) fn settle(root: &Path, records: &[Value]) -> Result<()> {
    let path = root.join(PAGE);
    let page = std::fs::read_to_string(&path).map_err(|why| format!("cannot read {PAGE}: {why}"))?;
    let found = with_rows(&page, records)?;
    if found == page {
        return Ok(());
    }
    if std::env::var_os(UPDATE_VARIABLE).is_none() {
        let rows: Vec<&str> = found.lines().filter(|line| !page.lines().any(|old| old == *line)).collect();
        return Err(format!(
            "{PAGE} says something else than the clients did ({UPDATE_VARIABLE}=1 writes it):\n{}",
            rows.join("\n")
        ));
    }
    std::fs::write(&path, found).map_err(|why| format!("cannot write {PAGE}: {why}"))
}

/// The page with the rows of these records in the place of those that were there; other clients keep theirs.
fn with_rows(page: &str, records: &[Value]) -> Result<String> {
    let is_row = |line: &&str| line.starts_with('|');
    let start = page.lines().position(|line| is_row(&line)).ok_or(format!("{PAGE} has no table"))?;
    let mut table: Vec<String> = page.lines().skip(start).take_while(is_row).map(ToOwned::to_owned).collect();
    let rest: Vec<&str> = page.lines().skip(start + table.len()).collect();
    for record in records {
        let cells = cells(record)?;
        let titles: Vec<&str> = cells.iter().map(|(title, _)| *title).collect();
        let says: Vec<&str> = cells.iter().map(|(_, says)| *says).collect();
        let title = record["found"]["title"].as_str().unwrap_or_default();
        let version = record["version"].as_str().unwrap_or_default();
        let row = format!("| {title} {version} | {} |", says.join(" | "));
        table.resize(table.len().max(2), String::new());
        table[0] = format!("| | {} |", titles.join(" | "));
        table[1] = format!("|{}", "---|".repeat(titles.len() + 1));
        let is_its = |line: &String| {
            let name = line.split('|').nth(1).unwrap_or_default().trim();
            name.rsplit_once(' ').is_some_and(|(name, _)| name == title)
        };
        match table.iter().skip(2).position(is_its) {
            Some(place) => table[place + 2] = row,
            None => table.push(row),
        }
    }
    let head = page.lines().take(start).map(ToOwned::to_owned);
    let lines: Vec<String> = head.chain(table).chain(rest.into_iter().map(ToOwned::to_owned)).collect();
    Ok(lines.join("\n") + "\n")
}

/// The titles of the columns and what the client's cells say.
fn cells(record: &Value) -> Result<Vec<(&str, &str)>> {
    let cells = record["found"]["cells"].as_array().into_iter().flatten();
    let cells: Option<Vec<_>> = cells.map(|cell| Some((cell[0].as_str()?, cell[1].as_str()?))).collect();
    cells.filter(|cells| !cells.is_empty()).ok_or_else(|| format!("a record without cells: {record}"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn rows_are_replaced_by_title_and_others_stay() {
        let page = "# Clients\n\n| | a | b |\n|---|---|---|\n| One Two 1.0 | works | works |\n| Three 3 | works | works |\n\nMore.\n";
        let record = |title: &str, b: &str| json!({ "version": "2.0", "found": { "title": title, "cells": [["a", "works"], ["b", b]] } });
        let found = with_rows(page, &[record("One Two", "can't: why"), record("One", "works")]).unwrap();
        assert_eq!(
            found,
            "# Clients\n\n| | a | b |\n|---|---|---|\n| One Two 2.0 | works | can't: why |\n| Three 3 | works | works |\n| One 2.0 | works | works |\n\nMore.\n"
        );
        assert_eq!(with_rows(page, &[]).unwrap(), page);
        assert!(with_rows("no table", &[]).is_err());
        assert!(with_rows(page, &[json!({ "found": null })]).is_err());
    }
}
