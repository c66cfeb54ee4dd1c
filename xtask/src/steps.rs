//! Runs named steps one after the other, times them, and closes with a summary. A failing step never
//! stops the next one: the reader wants all the bad news at once.

use std::process::Command;
use std::time::{Duration, Instant};

use crate::{repo, ui};

/// How a step ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Outcome {
    Passed,
    Failed(String),
    /// Not run, and why.
    Skipped(String),
}

/// Whether a step's own output is worth reading when it passes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Output {
    /// Shown as it comes.
    Live,
    /// Shown only after a failure.
    OnFailure,
}

#[derive(Debug)]
pub(crate) struct Steps {
    began: Instant,
    done: Vec<(String, Outcome, Duration)>,
    notes: Vec<String>,
}

impl Steps {
    pub(crate) fn begin() -> Self {
        Self { began: Instant::now(), done: Vec::new(), notes: Vec::new() }
    }

    /// Runs one step and prints its line.
    pub(crate) fn step(&mut self, name: &str, output: Output, run: impl FnOnce() -> Outcome) {
        ui::start_of_line(&format!("{name:<14} "));
        if output == Output::Live {
            ui::line("...");
        }
        let start = Instant::now();
        let outcome = run();
        let took = start.elapsed();
        let text = line(name, &outcome, took);
        ui::line(if output == Output::Live { &text } else { text[name.len().max(14) + 1..].trim_end() });
        self.done.push((name.to_owned(), outcome, took));
    }

    /// Prints the line of a step that was done beside others.
    pub(crate) fn was_done(&mut self, name: &str, outcome: Outcome, took: Duration) {
        ui::line(&line(name, &outcome, took));
        self.done.push((name.to_owned(), outcome, took));
    }

    /// Something the reader should know at the end although no step failed for it.
    pub(crate) fn note(&mut self, text: String) {
        self.notes.push(text);
    }

    pub(crate) fn failed(&self) -> bool {
        self.done.iter().any(|(_, outcome, _)| matches!(outcome, Outcome::Failed(_)))
    }

    /// The closing summary: every step, every note, one verdict.
    pub(crate) fn summary(&self) -> String {
        let mut text = String::from("\nsummary\n");
        for (name, outcome, took) in &self.done {
            text.push_str("  ");
            text.push_str(&line(name, outcome, *took));
            text.push('\n');
        }
        for note in &self.notes {
            text.push_str(&format!("  note: {note}\n"));
        }
        let skipped =
            self.done.iter().filter(|(_, outcome, _)| matches!(outcome, Outcome::Skipped(_))).count();
        // Not the sum: some were done beside others.
        let total = self.began.elapsed();
        let verdict = if self.failed() { "FAILED" } else { "passed" };
        text.push_str(&format!("{verdict} in {:.1} s, {skipped} skipped", total.as_secs_f64()));
        text
    }
}

fn line(name: &str, outcome: &Outcome, took: Duration) -> String {
    let seconds = took.as_secs_f64();
    match outcome {
        Outcome::Passed => format!("{name:<14} passed  {seconds:>7.1} s"),
        Outcome::Failed(why) => format!("{name:<14} FAILED  {seconds:>7.1} s  {why}"),
        Outcome::Skipped(why) => format!("{name:<14} skipped {seconds:>7.1} s  {why}"),
    }
}

/// Runs a command as a step.
pub(crate) fn command(command: &mut Command, output: Output) -> Outcome {
    let shown = repo::shown(command);
    let status = match output {
        Output::Live => command.status(),
        Output::OnFailure => command.output().map(|finished| {
            if !finished.status.success() {
                ui::line("");
                ui::line(String::from_utf8_lossy(&finished.stdout).trim_end());
                ui::line(String::from_utf8_lossy(&finished.stderr).trim_end());
            }
            finished.status
        }),
    };
    match status {
        Ok(status) if status.success() => Outcome::Passed,
        Ok(status) => Outcome::Failed(format!("`{shown}`: {status}")),
        Err(problem) => Outcome::Failed(format!("cannot run `{shown}`: {problem}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_failure_fails_the_whole_and_later_steps_still_run() {
        let mut steps = Steps::begin();
        steps.step("bad", Output::OnFailure, || Outcome::Failed("it broke".to_owned()));
        steps.step("a-name-longer-than-the-column", Output::OnFailure, || Outcome::Passed);
        steps.step("absent", Output::OnFailure, || Outcome::Skipped("no such tool".to_owned()));
        steps.note("read this".to_owned());
        let summary = steps.summary();
        assert!(steps.failed());
        for expected in ["bad", "it broke", "no such tool", "note: read this", "FAILED in", "1 skipped"] {
            assert!(summary.contains(expected), "{expected} is missing in {summary}");
        }
    }

    #[test]
    fn skipping_is_not_failing() {
        let mut steps = Steps::begin();
        steps.step("absent", Output::Live, || Outcome::Skipped("no such tool".to_owned()));
        assert!(!steps.failed());
        assert!(steps.summary().contains("passed in"));
    }

    #[test]
    fn a_command_passes_only_with_exit_code_zero() {
        assert_eq!(command(&mut Command::new("true"), Output::OnFailure), Outcome::Passed);
        assert!(matches!(command(&mut Command::new("false"), Output::Live), Outcome::Failed(_)));
        assert!(matches!(command(&mut Command::new("no-such-program"), Output::Live), Outcome::Failed(_)));
    }
}
