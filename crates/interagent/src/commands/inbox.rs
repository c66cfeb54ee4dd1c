//! The inbox: a hand-over to the agent itself, a listing for everybody else.
//!
//! Owns the order that keeps `delivered` true: taken, printed, flushed whole, and only then confirmed. A reader that
//! left early got nothing; what was taken for it lapses and is handed over again.

use std::collections::HashMap;

use clap::Args;
use interagent_core::vocabulary::Via;
use interagent_wire::answer::{HandoverView, InboxView, MailView};
use interagent_wire::request::{MessageInbox, OfferConfirm, OfferTake, Whoami};
use interagent_wire::{Answer, Reply};

use crate::error::CliError;
use crate::exit_code::ExitCode;
use crate::session::{Done, Session};
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
    /// At most so many.
    #[arg(long, value_name = "N")]
    limit: Option<u32>,
}

impl Inbox {
    pub(crate) fn run(self, session: &mut Session) -> Result<ExitCode, CliError> {
        let Self { agent, bodies, limit } = self;
        let unnamed = agent.is_none();
        let listed = session.call(MessageInbox { agent, bodies, limit })?;
        let looks_for_another = session.caller().behalf.is_some();
        if has_news(&listed) && !looks_for_another && (unnamed || names_itself(session, &listed)?) {
            return hand_over(session, listed, limit);
        }
        session.show("message.inbox", &listed)?;
        session.conclude(Done::Looked)
    }
}

/// Asked before anything is taken, so that an idle check writes nothing.
fn has_news(listed: &Reply) -> bool {
    matches!(&listed.answer, Answer::Inbox(inbox) if inbox.waiting)
}

/// Whether the inbox that was named is the caller's own.
fn names_itself(session: &mut Session, listed: &Reply) -> Result<bool, CliError> {
    let Answer::Inbox(inbox) = &listed.answer else { return Ok(false) };
    let Answer::Identity(me) = session.call(Whoami {})?.answer else { return Ok(false) };
    Ok(me.member.is_some_and(|member| member.id == inbox.agent.id))
}

fn hand_over(session: &mut Session, listed: Reply, limit: Option<u32>) -> Result<ExitCode, CliError> {
    let taken = session.call(OfferTake { via: Some(Via::Inbox), limit, skip_low: false })?;
    let Answer::Handover(handover) = &taken.answer else {
        session.show("offer.take", &taken)?;
        return session.conclude(Done::Committed);
    };
    let messages: Vec<String> = handover.items.iter().map(|mail| mail.id.clone()).collect();
    let shown = Reply { answer: Answer::Inbox(merged(listed, handover)), ..taken };
    session.show("message.inbox", &shown)?;
    if session.deliver(Done::Committed)? == Written::Whole && !messages.is_empty() {
        session.call(OfferConfirm { messages })?;
    }
    session.upkeep();
    Ok(ExitCode::Done)
}

/// What was taken now, with its texts, among what the agent has got before and not acknowledged yet.
fn merged(listed: Reply, handover: &HandoverView) -> InboxView {
    let mut taken: HashMap<&str, &MailView> =
        handover.items.iter().map(|mail| (mail.id.as_str(), mail)).collect();
    let before = match listed.answer {
        Answer::Inbox(inbox) => inbox.items,
        _ => Vec::new(),
    };
    let mut items: Vec<MailView> =
        before.into_iter().map(|mail| taken.remove(mail.id.as_str()).cloned().unwrap_or(mail)).collect();
    items.extend(handover.items.iter().filter(|mail| taken.contains_key(mail.id.as_str())).cloned());
    InboxView {
        agent: handover.agent.clone(),
        unread: handover.unread,
        waiting: false,
        items,
        duties: handover.duties.clone(),
    }
}
