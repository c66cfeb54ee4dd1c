//! Deleting a text that should never have been written.

mod recipe;

use clap::Args;
use interagent_mirror::files::Effort;
use interagent_mirror::git::{BRANCH, drop_from_branch, drop_texts};
use interagent_wire::Answer;
use interagent_wire::request::TextPurge;

use super::sync::{refused, repository};
use crate::error::CliError;
use crate::exit_code::ExitCode;
use crate::session::{Done, Session, history};
use crate::ui::look::Role;

const BUSY: &str =
    "other commands kept writing the readable files, which may still hold the text: run interagent sync";

/// Deletes the texts of an entity everywhere; their hashes stay, so the log remains valid.
///
/// What repeats a purged text as a whole loses it too, but only around it: messages of the same conversation or about the
/// same task, its announcement, its reviews. Of other tasks, specs, decisions and conversations only texts go that hold
/// the same secret: what looks like one in the purged text, or what --containing names (from 8 characters on). Where git has
/// the text in old commits, the commands that remove it from there are printed.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  interagent purge msg-7k3m --containing 'sk-live-' --reason 'a key'")]
pub(crate) struct Purge {
    /// The entity whose texts are purged: its id, name or alias.
    entity: String,
    /// Only texts that contain this.
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    containing: Option<String>,
    /// Only texts that are held back because they look like secrets.
    #[arg(long)]
    held: bool,
    /// Why.
    #[arg(long)]
    reason: Option<String>,
}

impl Purge {
    /// Deletes the held texts of an entity.
    pub(crate) fn held(entity: String, reason: Option<String>) -> Self {
        Self { entity, containing: None, held: true, reason }
    }

    pub(crate) fn run(self, session: &mut Session) -> Result<ExitCode, CliError> {
        let Self { entity, containing, held, reason } = self;
        let progress = session.progress("purging");
        let reply = session.call(TextPurge { entity, containing, held, reason }).map(|mut reply| {
            // Not left to a later command: what is purged is to be gone when this one says so.
            match session.write_files() {
                Ok(followed) if followed.busy => reply.notes.push(BUSY.to_owned()),
                Ok(followed) => reply.notes.extend(followed.troubles),
                Err(error) => reply.notes.extend(error.lines()),
            }
            reply.notes.extend(kept(session));
            reply.notes.extend(imported(session));
            reply
        });
        drop(progress);
        let mut reply = reply?;
        let texts = match &reply.answer {
            Answer::Changed(changed) => [&changed.changed[..], &changed.unchanged[..]].concat(),
            _ => Vec::new(),
        };
        if let Some(hub_dir) = session.hub()?.state_dir().parent() {
            drop_texts(hub_dir, &texts);
        }
        if let Err(error) = off_the_branch(session, &texts) {
            let why = error.lines().join("; ").replacen("error: ", "", 1);
            reply.notes.push(format!("the branch {BRANCH} still has it: {why}"));
        }
        let recipe = recipe::for_texts(session, &texts);
        if !session.is_for_people() && !recipe.is_empty() {
            reply.notes.push(recipe.join("\n"));
        }
        session.show("text.purge", &reply)?;
        if session.is_for_people() {
            recipe.iter().for_each(|line| session.printer.exact(&[(Role::Plain, line)]));
        }
        session.conclude(Done::Committed)
    }
}

/// Where the history goes to files now, no sync writes the branch to which it went before.
fn off_the_branch(session: &mut Session, texts: &[String]) -> Result<(), CliError> {
    let hub = session.hub()?;
    let state_dir = hub.state_dir().to_owned();
    let hub_dir = state_dir.parent().unwrap_or(&state_dir);
    if !history::writes_files(hub, hub_dir)? {
        return Ok(());
    }
    let wall_us = hub.store().clock().wall_us();
    match repository(hub_dir)? {
        Some(git) => drop_from_branch(&git, &state_dir, texts, wall_us).map_err(refused),
        None => Ok(()),
    }
}

/// Changed files are the user's, and no purge reaches into them.
fn kept(session: &mut Session) -> Option<String> {
    let kept = session.look_at_files(Effort::All).ok()?.kept;
    (!kept.is_empty()).then(|| {
        format!("the text may still be in files that keep a change by hand; look at them: {}", kept.join(" "))
    })
}

/// What was moved over is the user's, too.
fn imported(session: &mut Session) -> Option<String> {
    let folder = session.hub().ok()?.state_dir().parent()?.join("imported");
    folder
        .is_dir()
        .then(|| format!("the text may still be in what was moved over; look at it: {}", folder.display()))
}
