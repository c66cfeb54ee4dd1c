//! The inbox: a hand-over to the agent itself, a listing for everybody else.
//!
//! Owns the order that keeps `delivered` true: taken, printed, flushed whole, and only then confirmed. A reader that
//! left early got nothing; what was taken for it lapses and is handed over again.

use clap::Args;
use interagent_core::limits::OFFER_SECONDS;
use interagent_core::vocabulary::Via;
use interagent_wire::answer::InboxView;
use interagent_wire::request::{MessageInbox, OfferConfirm, OfferTake};
use interagent_wire::{Answer, Reply};

use crate::error::{CliError, ErrorKind};
use crate::exit_code::ExitCode;
use crate::session::{Done, Session};
use crate::ui::look::Role;
use crate::ui::printer::Written;

/// Shows unread messages and what is owed.
///
/// An agent that asks for its own inbox gets the new messages with their texts, and they count as delivered. Looking at
/// somebody else's inbox, or at the operator's, changes nothing.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  interagent inbox\n  interagent inbox --agent kimi --bodies")]
pub(crate) struct Inbox {
    /// Whose: a name or id; your own when left out.
    #[arg(short = 'a', long, value_name = "NAME")]
    agent: Option<String>,
    /// With the texts.
    #[arg(long)]
    bodies: bool,
    /// Also what was read, after the unread; a listing, nothing counts as delivered by it.
    #[arg(long)]
    all: bool,
    /// Where the page before ended; a listing too.
    #[arg(long, value_name = "PLACE")]
    after: Option<String>,
    /// At most so many.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    limit: Option<u32>,
}

impl Inbox {
    /// The command that shows the same inbox again, as a person would type it.
    fn again(&self, session: &Session) -> String {
        let mut command = "interagent inbox".to_owned();
        let whose = self.agent.as_ref().map(|name| format!(" --agent {name}"));
        let behalf = session.caller().behalf.as_ref().map(|name| format!(" --from-agent {name}"));
        let limit = self.limit.map(|limit| format!(" --limit {limit}"));
        let all = self.all.then(|| " --all".to_owned());
        command.extend([whose, behalf, all, limit].into_iter().flatten());
        command
    }

    pub(crate) fn run(self, session: &mut Session) -> Result<ExitCode, CliError> {
        let again = self.again(session);
        let Self { agent, bodies, all, after, limit } = self;
        let listed = session.call(MessageInbox { agent, bodies, all, after, limit })?;
        if is_handed_over(&listed) {
            return hand_over(session, listed, limit, &again);
        }
        show(session, &listed, &again)?;
        session.conclude(Done::Looked)
    }
}

/// Shows an inbox, and the command that shows the rest of it: the next page of a list, or the next hand-over.
fn show(session: &mut Session, reply: &Reply, again: &str) -> Result<(), CliError> {
    session.show("message.inbox", reply)?;
    let Answer::Inbox(InboxView { items, next, more, .. }) = &reply.answer else { return Ok(()) };
    let is_without_texts = !items.is_empty() && items.iter().all(|mail| mail.body.is_none());
    if session.is_for_people() && is_without_texts {
        session.printer.exact(&[(Role::Quiet, &format!("with their texts: {again} --bodies"))]);
    }
    let rest = match next {
        Some(next) => format!("{again} --after {next}"),
        None if *more > 0 => again.to_owned(),
        None => return Ok(()),
    };
    if session.is_for_people() {
        let number = if *more > 0 { format!("{more} more unread") } else { "there is more".to_owned() };
        session.printer.exact(&[(Role::Quiet, &format!("{number}: {rest}"))]);
    }
    Ok(())
}

/// Asked before anything is taken, so that an idle check writes nothing. Whose look is a hand-over is for the hub to say.
fn is_handed_over(listed: &Reply) -> bool {
    matches!(&listed.answer, Answer::Inbox(inbox) if inbox.waiting)
}

fn hand_over(
    session: &mut Session,
    listed: Reply,
    limit: Option<u32>,
    again: &str,
) -> Result<ExitCode, CliError> {
    let taken = session.call(OfferTake { via: Some(Via::Inbox), limit, ..OfferTake::default() })?;
    let (Answer::Handover(handover), Answer::Inbox(listed)) = (taken.answer, listed.answer) else {
        return Err(CliError::new(ErrorKind::Unavailable, "the hub did not answer with an inbox"));
    };
    let messages: Vec<String> = handover.items.iter().map(|mail| mail.id.clone()).collect();
    let answer = Answer::Inbox(listed.after(handover));
    let shown = Reply { answer, effects: Vec::new(), ..taken };
    show(session, &shown, again)?;
    // Nothing is in the log yet, so an answer that can't be written is a failure like that of any listing.
    let written = session.deliver(Done::Looked).map_err(|error| error.with_hint(still_waiting()))?;
    match written {
        _ if messages.is_empty() => {}
        Written::Whole => {
            session.call(OfferConfirm { messages })?;
        }
        Written::ReaderLeft => {
            session.printer.note(Role::Warning, "warning: nobody read the answer to its end");
            session.printer.note(Role::Quiet, &format!("hint: {}", still_waiting()));
        }
    }
    session.upkeep();
    Ok(ExitCode::Done)
}

/// What becomes of messages that were taken and not shown whole.
fn still_waiting() -> String {
    format!("no message counts as delivered; they come again, at the latest after {OFFER_SECONDS} s")
}
