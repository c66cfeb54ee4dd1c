//! Times whole processes from start to exit, several commands in turn, so that whatever disturbs the
//! machine disturbs all of them alike.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::stats::{Samples, ms};
use crate::{Result, repo};

/// Rounds before the clock counts: programs and store are in the page cache afterwards.
const WARM_UP_ROUNDS: usize = 3;

/// One command that is measured. The makers are called for every run.
pub(crate) struct Case<'a> {
    name: String,
    prepare: Box<dyn Fn() -> Result<()> + 'a>,
    command: Box<dyn Fn() -> Result<Command> + 'a>,
}

impl<'a> Case<'a> {
    pub(crate) fn new(name: &str, command: impl Fn() -> Result<Command> + 'a) -> Self {
        Self { name: name.to_owned(), prepare: Box::new(|| Ok(())), command: Box::new(command) }
    }

    /// Work before every run that is not timed.
    pub(crate) fn prepared(mut self, prepare: impl Fn() -> Result<()> + 'a) -> Self {
        self.prepare = Box::new(prepare);
        self
    }
}

/// Runs every case once per round, starting each round with another case, and returns the samples in the
/// order of the cases.
pub(crate) fn interleave(cases: &[Case<'_>], rounds: usize) -> Result<Vec<Samples>> {
    let mut all = vec![Samples::default(); cases.len()];
    for round in 0..rounds + WARM_UP_ROUNDS {
        for turn in 0..cases.len() {
            let index = (turn + round) % cases.len();
            let case = &cases[index];
            let explain = |problem: String| format!("{}: {problem}", case.name);
            (case.prepare)().map_err(explain)?;
            let took = run_once(&mut (case.command)().map_err(explain)?, &[0]).map_err(explain)?;
            if round >= WARM_UP_ROUNDS {
                all[index].add(took);
            }
        }
    }
    Ok(all)
}

/// One process from spawn to exit, with its output thrown away.
pub(crate) fn run_once(command: &mut Command, accepted: &[i32]) -> Result<Duration> {
    let shown = repo::shown(command);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let start = Instant::now();
    let status = command.status().map_err(|problem| format!("cannot run `{shown}`: {problem}"))?;
    let took = start.elapsed();
    match status.code() {
        Some(code) if accepted.contains(&code) => Ok(took),
        _ => Err(format!("`{shown}` ended with {status}")),
    }
}

/// A table of names, minima, medians and the ratio of each median to that of the case it is compared with.
pub(crate) fn table(cases: &[Case<'_>], samples: &[Samples], compared_with: fn(usize) -> usize) -> String {
    let mut text = format!("  {:<34} {:>9} {:>9} {:>7}\n", "command", "min ms", "median ms", "ratio");
    for (index, (case, measured)) in cases.iter().zip(samples).enumerate() {
        let ratio = measured.ratio_to(&samples[compared_with(index)]);
        let (min, median) = (ms(measured.min()), ms(measured.median()));
        text.push_str(&format!("  {:<34} {min:>9} {median:>9} {ratio:>6.2}x\n", case.name));
    }
    text
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[test]
    fn every_case_runs_in_every_round_and_is_prepared() {
        let prepared = Cell::new(0);
        let cases = [
            Case::new("quick", || Ok(Command::new("true"))).prepared(|| {
                prepared.set(prepared.get() + 1);
                Ok(())
            }),
            Case::new("silent", || Ok(Command::new("true"))),
        ];
        let samples = interleave(&cases, 4).unwrap();
        assert_eq!(samples.iter().map(Samples::count).collect::<Vec<_>>(), [4, 4]);
        assert_eq!(prepared.get(), 4 + WARM_UP_ROUNDS);
        assert!(table(&cases, &samples, |_| 0).contains("silent"));
    }

    #[test]
    fn a_command_that_fails_is_not_a_fast_one() {
        let problem = interleave(&[Case::new("broken", || Ok(Command::new("false")))], 1).unwrap_err();
        assert!(problem.starts_with("broken: `false` ended with"), "{problem}");
    }
}
