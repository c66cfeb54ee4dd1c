//! A team file that changed since it was applied, by a checkout, a pull or a merge.
//!
//! Owns the question. The same file is applied without one by `interagent team take`, which a person runs for their own edits.

use std::path::Path;

use interagent_core::team::{TeamConfig, differences, parse, widened};
use interagent_wire::request::TeamTake;

use super::super::{consent, team};
use super::must_be_asked;
use crate::config::trust::Trust as HowFar;
use crate::error::CliError;
use crate::session::{Session, clone, team_text};
use crate::team_file::TeamFile;
use crate::ui::look::Role;

/// How the file relates to the applied team.
pub(super) enum Shown {
    /// There is none, or it has problems that `team check` lists.
    NotThere,
    Applied,
    Changed(Box<Change>),
}

/// A file that says something else than the applied team.
pub(super) struct Change {
    text: String,
    applied: Option<TeamConfig>,
    written: TeamConfig,
}

impl Shown {
    pub(super) fn change(&self) -> Option<&Change> {
        match self {
            Self::Changed(change) => Some(change),
            Self::NotThere | Self::Applied => None,
        }
    }

    pub(super) fn trust(&self) -> Option<HowFar> {
        match self {
            Self::NotThere => None,
            Self::Applied => Some(HowFar::Trusted),
            Self::Changed(change) if change.applied.is_none() => Some(HowFar::Never),
            Self::Changed(_) => Some(HowFar::Changed),
        }
    }
}

pub(super) fn look(session: &mut Session, hub_dir: &Path) -> Result<Shown, CliError> {
    let text = team_text(hub_dir)?;
    let applied = session.team()?;
    Ok(match (TeamFile::of(text.as_deref(), applied.as_ref()), text) {
        (TeamFile::Applied(_), _) => Shown::Applied,
        (TeamFile::Edited, Some(text)) => match parse(&text) {
            Ok(written) => Shown::Changed(Box::new(Change { text, applied, written })),
            Err(_) => Shown::NotThere,
        },
        _ => Shown::NotThere,
    })
}

/// Shows what the file changes, asks and applies it. Answers with how many files that were.
pub(super) fn ask(session: &mut Session, shown: Shown) -> Result<usize, CliError> {
    let Shown::Changed(change) = shown else { return Ok(0) };
    must_be_asked(session)?;
    let Change { text, applied, written } = *change;
    let heading = if applied.is_some() { "changed since it was applied" } else { "not applied" };
    session.printer.line(&[(Role::Heading, "team.toml"), (Role::Quiet, " "), (Role::Quiet, heading)]);
    for line in applied.iter().flat_map(|applied| differences(applied, &written)) {
        session.printer.line(&[(Role::Plain, "  "), (Role::Plain, &line)]);
    }
    clone::show_team(session, &written, &widened(applied.as_ref(), &written));
    if !consent::ask(session, "Apply this team file?")? {
        return Ok(0);
    }
    session.call(TeamTake { text })?;
    team::follow_applied(session, &written)?;
    Ok(1)
}
