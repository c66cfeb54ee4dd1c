//! `interagent supervise`: the process that wakes and escalates.

use clap::Args;

use crate::crew;
use crate::error::CliError;
use crate::exit_code::ExitCode;
use crate::session::Session;
use crate::supervise::{self, Aloud, Stay};

/// Wakes agents and takes what nobody answers up the ladder, for as long as it runs.
///
/// Nothing depends on it: killing it loses nothing, and the next one goes on where it stopped. One process supervises a hub;
/// a second one says so and ends with 0. With --json one document on each line.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  interagent supervise\n  interagent supervise --once\n  interagent supervise --quiet &"
)]
pub(crate) struct Supervise {
    /// Take the steps that are due now, and end.
    #[arg(long)]
    once: bool,
    /// Say nothing about what is done.
    #[arg(short, long)]
    quiet: bool,
}

impl Supervise {
    pub(crate) fn run(self, session: &mut Session) -> Result<ExitCode, CliError> {
        crew::must_be_operator(session, "a team is watched over")?;
        let stay = if self.once { Stay::UntilDone } else { Stay::UntilTold };
        let aloud = if self.quiet { Aloud::Nothing } else { Aloud::Steps };
        supervise::run(session, stay, aloud)
    }
}
