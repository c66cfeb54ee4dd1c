//! What everybody is doing.

use clap::{Args, Subcommand};
use interagent_core::vocabulary::AgentState;
use interagent_wire::Request;
use interagent_wire::request as ask;

/// Shows what everybody is doing, what they owe and what waits for them; or says what you are doing.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  interagent status\n  interagent status set working 'the parser'")]
pub(crate) struct Status {
    #[command(subcommand)]
    verb: Option<Verb>,
}

#[derive(Debug, Subcommand)]
#[command(defer = true)]
enum Verb {
    /// Says what you are doing.
    #[command(after_help = "Example:\n  interagent status set blocked 'waiting for the schema' --context 40")]
    Set {
        /// In one word: working, idle, waiting, blocked or offline.
        state: AgentState,
        /// In your own words.
        text: Option<String>,
        /// How much of your context is left, in percent.
        #[arg(long, value_name = "PERCENT", value_parser = clap::value_parser!(u8).range(0..=100))]
        context: Option<u8>,
    },
}

impl Status {
    pub(crate) fn request(self) -> Request {
        match self.verb {
            None => ask::StatusBoard {}.into(),
            Some(Verb::Set { state, text, context }) => {
                ask::StatusSet { state: Some(state), text, context_left: context }.into()
            }
        }
    }
}
