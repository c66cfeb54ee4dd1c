//! Leases of paths.

use clap::Subcommand;
use interagent_core::vocabulary::LeaseMode;
use interagent_wire::Request;
use interagent_wire::request as ask;

use crate::config::hub::Discovery;
use crate::error::CliError;
use crate::session::Session;

/// Leases: paths that no other agent writes meanwhile.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
#[command(
    after_help = "Examples:\n  interagent lease take 'src/parser/**' --reason 'rewriting it'\n  interagent lease list\n  interagent lease release lease-7k3m"
)]
pub(crate) enum Lease {
    /// Leases paths, so that no other agent writes them meanwhile. The same again renews.
    #[command(
        after_help = "Example:\n  interagent lease take 'src/parser/**' --ttl 600 --reason 'rewriting it'"
    )]
    Take {
        /// Globs; relative to the directory you are in, inside the project.
        #[arg(required = true, value_name = "GLOB")]
        paths: Vec<String>,
        /// exclusive or shared.
        #[arg(long)]
        mode: Option<LeaseMode>,
        /// For how long without renewal, in seconds.
        #[arg(long, value_name = "SECONDS")]
        ttl: Option<i64>,
        /// For what.
        #[arg(long)]
        reason: Option<String>,
        /// The task.
        #[arg(long, value_name = "ID")]
        task: Option<String>,
    },
    /// Renews a lease for its time again.
    #[command(after_help = "Example:\n  interagent lease renew lease-7k3m --token 4")]
    Renew {
        /// Its id.
        lease: String,
        /// Its token.
        #[arg(long)]
        token: Option<i64>,
    },
    /// Gives a lease back.
    #[command(after_help = "Example:\n  interagent lease release lease-7k3m")]
    Release {
        /// Its id.
        lease: String,
        /// Its token.
        #[arg(long)]
        token: Option<i64>,
    },
    /// Takes a lease away from its holder.
    #[command(after_help = "Example:\n  interagent lease force lease-7k3m --reason 'kimi is gone'")]
    Force {
        /// Its id.
        lease: String,
        /// Why.
        #[arg(long)]
        reason: String,
        /// Makes a repetition of this call safe.
        #[arg(long)]
        key: Option<String>,
    },
    /// Lists the leases that hold now.
    #[command(after_help = "Example:\n  interagent lease list")]
    List {},
}

impl Lease {
    pub(crate) fn request(self, session: &Session) -> Result<Request, CliError> {
        Ok(match self {
            Self::Take { paths, mode, ttl, reason, task } => {
                let paths = from_the_project(session, paths)?;
                ask::LeaseTake { paths, mode, ttl_s: ttl, reason, task }.into()
            }
            Self::Renew { lease, token } => ask::LeaseRenew { lease, token }.into(),
            Self::Release { lease, token } => ask::LeaseRelease { lease, token }.into(),
            Self::Force { lease, reason, key } => ask::LeaseForce { lease, reason, key }.into(),
            Self::List {} => ask::LeaseList {}.into(),
        })
    }
}

/// What a person or agent names in a subdirectory, as the project calls it: two names of one file must be one lease.
fn from_the_project(session: &Session, paths: Vec<String>) -> Result<Vec<String>, CliError> {
    let Discovery::Found(found) = session.discover()? else { return Ok(paths) };
    let root = found.worktree_root.or(found.project_root);
    let below = match (&root, &session.env.cwd) {
        (Some(root), Some(cwd)) => cwd.strip_prefix(root).ok().map(|below| below.display().to_string()),
        _ => None,
    };
    let Some(below) = below.filter(|below| !below.is_empty()) else { return Ok(paths) };
    Ok(paths
        .into_iter()
        .map(|path| if path.starts_with('/') { path } else { format!("{below}/{path}") })
        .collect())
}
