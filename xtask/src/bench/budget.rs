//! The closing table: each budget, what was measured, the limit, and the verdict.

use crate::Result;

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Row {
    what: String,
    limit: String,
    /// What was measured as text and whether it keeps the limit, or why it was not measured.
    measured: Result<(String, bool)>,
}

impl Row {
    pub(crate) fn new(what: &str, limit: &str, measured: Result<(String, bool)>) -> Self {
        Self { what: what.to_owned(), limit: limit.to_owned(), measured }
    }

    /// A ratio that must not exceed a limit.
    pub(crate) fn ratio(what: &str, measured: f64, limit: f64) -> Self {
        Self::new(what, &format!("<= {limit}x"), Ok((format!("{measured:.2}x"), measured <= limit)))
    }

    fn verdict(&self) -> &'static str {
        match &self.measured {
            Ok((_, true)) => "pass",
            Ok((_, false)) => "falls short",
            Err(_) => "not measured",
        }
    }
}

#[derive(Debug, Default)]
pub(crate) struct Budgets(Vec<Row>);

impl Budgets {
    pub(crate) fn add(&mut self, row: Row) {
        self.0.push(row);
    }

    pub(crate) fn extend(&mut self, rows: Vec<Row>) {
        self.0.extend(rows);
    }

    /// Whether every budget was measured and kept.
    pub(crate) fn kept(&self) -> bool {
        !self.0.is_empty() && self.0.iter().all(|row| row.verdict() == "pass")
    }

    pub(crate) fn table(&self) -> String {
        let mut text = String::from("| budget | measured | limit | verdict |\n|---|---|---|---|\n");
        for row in &self.0 {
            let measured = match &row.measured {
                Ok((shown, _)) => shown,
                Err(why) => why,
            };
            let Row { what, limit, .. } = row;
            text.push_str(&format!("| {what} | {measured} | {limit} | {} |\n", row.verdict()));
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missed_budget_and_a_missing_one_are_both_not_kept() {
        let mut budgets = Budgets::default();
        assert!(!budgets.kept());
        budgets.add(Row::ratio("send", 1.5, 2.0));
        assert!(budgets.kept());
        budgets.add(Row::ratio("inbox", 2.5, 2.0));
        assert!(!budgets.kept());
        budgets.add(Row::new("wait", "< 100", Err("no strace".to_owned())));
        let table = budgets.table();
        for line in [
            "| send | 1.50x | <= 2x | pass |",
            "| inbox | 2.50x | <= 2x | falls short |",
            "| wait | no strace | < 100 | not measured |",
        ] {
            assert!(table.contains(line), "{line} is missing in {table}");
        }
    }
}
