//! Watching the team: one line for everything a person would want to hear of, as it happens.

use clap::Args;
use interagent_wire::answer::NoticesView;
use interagent_wire::request::LogNotices;
use interagent_wire::{Answer, Reply};

use super::follow::{FOLLOW_PAGE, follow, must_be_allowed};
use crate::error::{CliError, ErrorKind};
use crate::exit_code::ExitCode;
use crate::session::Session;
use crate::ui::look::Role;
use crate::ui::printer::Form;

/// Tells of new messages, tasks, starts, completions, verdicts and escalations as they happen, from now on.
///
/// Runs until Ctrl-C (exit 130) or until its reader leaves. With --json one document on each line.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  interagent watch\n  interagent watch --json | jq .answer.sentence")]
pub(crate) struct Watch {
    /// Accepted and not needed: nothing is polled, so news is told when it happens.
    #[arg(short = 'i', long, value_name = "SECONDS")]
    interval: Option<f64>,
    /// Begin with what came after this place of the log.
    #[arg(long, value_name = "SEQ")]
    after: Option<i64>,
}

impl Watch {
    pub(crate) fn run(self, session: &mut Session) -> Result<ExitCode, CliError> {
        must_be_allowed(session)?;
        let after = match self.after {
            Some(after) => after,
            None => session.call(LogNotices::default()).and_then(|reply| Ok(news(&reply)?.reached))?,
        };
        if session.is_for_people() {
            let interval = self.interval.map_or("", |_| "; no interval is needed, nothing is polled");
            session.printer.note(Role::Quiet, &format!("watching; Ctrl-C ends it{interval}"));
        }
        follow(session, after, show)
    }
}

fn show(session: &mut Session, after: i64) -> Result<i64, CliError> {
    let reply = session.call(LogNotices { after: Some(after), limit: Some(FOLLOW_PAGE) })?;
    let notices = news(&reply)?;
    match session.printer.form() {
        Form::Json => notices.items.iter().for_each(|notice| session.document(notice.seq, notice)),
        Form::People => session.show("log.notices", &reply)?,
    }
    Ok(notices.reached)
}

fn news(reply: &Reply) -> Result<&NoticesView, CliError> {
    match &reply.answer {
        Answer::Notices(notices) => Ok(notices),
        _ => Err(CliError::new(ErrorKind::Unavailable, "the hub did not answer with news")),
    }
}
