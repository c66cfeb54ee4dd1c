//! Versioned specs.

use clap::Subcommand;
use interagent_wire::Request;
use interagent_wire::request as ask;

use crate::error::CliError;
use crate::input::Text;

/// Specs: named texts with versions and subscribers.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
#[command(
    after_help = "Examples:\n  interagent spec publish wire-format --file docs/wire.md\n  interagent spec show wire-format\n  interagent spec subscribe wire-format"
)]
pub(crate) enum Spec {
    /// Publishes a version of a spec; subscribers are told. The same text again is no new version.
    #[command(
        after_help = "Examples:\n  interagent spec publish wire-format --file docs/wire.md --expected-version 3\n  interagent spec publish greeting 'Say hello first.' --note 'shorter'"
    )]
    Publish {
        /// The spec's name.
        name: String,
        #[command(flatten)]
        text: Text,
        /// What changed.
        #[arg(long)]
        note: Option<String>,
        /// The version it was made from; refused when there is a newer one.
        #[arg(long, value_name = "N")]
        expected_version: Option<u32>,
    },
    /// Shows a spec.
    #[command(after_help = "Example:\n  interagent spec show wire-format --version 2")]
    Show {
        /// Its name.
        name: String,
        /// Which version; the newest when left out.
        #[arg(long, value_name = "N")]
        version: Option<u32>,
        /// As this member published it, also where another one came first and it did not count.
        #[arg(long, value_name = "NAME")]
        publisher: Option<String>,
    },
    /// Lists the specs.
    #[command(after_help = "Example:\n  interagent spec list")]
    List {
        /// Where the page before ended.
        #[arg(long)]
        after: Option<String>,
        /// At most so many.
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
        limit: Option<u32>,
    },
    /// Lists the versions of a spec, newest first.
    #[command(after_help = "Example:\n  interagent spec history wire-format")]
    History {
        /// Its name.
        name: String,
        /// Where the page before ended.
        #[arg(long)]
        after: Option<String>,
        /// At most so many.
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
        limit: Option<u32>,
    },
    /// Shows what changed between two versions of a spec.
    #[command(
        after_help = "Examples:\n  interagent spec diff wire-format\n  interagent spec diff wire-format 1 3"
    )]
    Diff {
        /// Its name.
        name: String,
        /// The older version; the one before the newer when left out.
        from: Option<u32>,
        /// The newer version; the newest when left out.
        to: Option<u32>,
    },
    /// Subscribes to new versions of a spec, or takes that back.
    #[command(after_help = "Example:\n  interagent spec subscribe wire-format")]
    Subscribe {
        /// Its name.
        name: String,
        /// Take the subscription back.
        #[arg(long)]
        remove: bool,
    },
}

impl Spec {
    pub(crate) fn request(self) -> Result<Request, CliError> {
        Ok(match self {
            Self::Publish { name, text, note, expected_version } => {
                ask::SpecPublish { name, body: text.required()?, note, expected_version }.into()
            }
            Self::Show { name, version, publisher } => ask::SpecShow { name, version, publisher }.into(),
            Self::List { after, limit } => ask::SpecList { after, limit }.into(),
            Self::History { name, after, limit } => ask::SpecHistory { name, after, limit }.into(),
            Self::Diff { name, from, to } => ask::SpecDiff { name, from, to }.into(),
            Self::Subscribe { name, remove } => ask::SpecSubscribe { name, remove }.into(),
        })
    }
}
