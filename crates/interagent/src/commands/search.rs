//! Finding what was written.

use clap::Args;
use interagent_wire::Request;
use interagent_wire::request as ask;

use crate::values::Moment;

/// Searches everything that was written.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  interagent search 'last token' --kind message --since 2d")]
pub(crate) struct Search {
    /// Words (all must be there), "phrases", prefix*, -without; write `--` before the first that begins with `-`.
    #[arg(required = true, value_name = "WORDS")]
    words: Vec<String>,
    /// Only in message, task, spec, decision, review, report or agent.
    #[arg(long = "kind", value_delimiter = ',', value_name = "KIND")]
    kinds: Vec<String>,
    /// Written by this member.
    #[arg(long, value_name = "NAME")]
    author: Option<String>,
    /// About this task.
    #[arg(long, value_name = "ID")]
    task: Option<String>,
    /// From then on: a length (2d ago) or a time.
    #[arg(long, value_name = "WHEN")]
    since: Option<Moment>,
    /// Before then.
    #[arg(long, value_name = "WHEN")]
    until: Option<Moment>,
    /// Where the page before ended.
    #[arg(long)]
    after: Option<String>,
    /// At most so many.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    limit: Option<u32>,
}

impl Search {
    pub(crate) fn request(self) -> Request {
        ask::Search {
            text: self.words.join(" "),
            kinds: self.kinds,
            author: self.author,
            task: self.task,
            since: self.since.map(Moment::ago),
            until: self.until.map(Moment::ago),
            after: self.after,
            limit: self.limit,
        }
        .into()
    }
}
