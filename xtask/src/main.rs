//! Tasks for people who work on interagent: `cargo xtask test | clients | python | tidy | bench | dist | screenshots`.
//!
//! Owns the command line of the task runner and nothing else. The product never depends on this crate.

mod args;
mod bench;
mod clients;
mod dist;
mod python;
mod repo;
mod screenshots;
mod steps;
mod test;
mod tidy;
mod tools;
mod ui;
mod versions;

use std::process::ExitCode;

use args::Task;

/// What every task returns: an error is a sentence that says what is wrong and what helps.
pub(crate) type Result<T> = std::result::Result<T, String>;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let outcome = match args::parse(&arguments) {
        Ok(task) => run(task),
        Err(problem) => {
            ui::error(&format!("{problem}\n\n{}", args::USAGE));
            return ExitCode::from(2);
        }
    };
    match outcome {
        Ok(code) => code,
        Err(problem) => {
            ui::error(&problem);
            ExitCode::FAILURE
        }
    }
}

fn run(task: Task) -> Result<ExitCode> {
    match task {
        Task::Help => {
            ui::line(args::USAGE);
            Ok(ExitCode::SUCCESS)
        }
        Task::Test(options) if options.newest => test::run_with_newest(),
        Task::Test(options) => test::run(&options),
        Task::Clients(options) => test::run_clients(&options),
        Task::Python(options) => test::run_python(&options),
        Task::Tidy => tidy::run(),
        Task::Bench(options) => bench::run(&options),
        Task::Dist => dist::run(),
        Task::Screenshots => screenshots::run(),
    }
}
