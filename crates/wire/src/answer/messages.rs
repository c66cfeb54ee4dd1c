//! Messages, as shown.

use interagent_core::vocabulary::{
    Auth, Conclusion, DeliveryState, Duty, HoldReason, Intent, Priority, Settlement, Via,
};

use super::{DutyView, Who, is_once, once};
use crate::{Time, shapes};

shapes! {
    /// A message that was just sent.
    struct SentView {
        /// Its id.
        id: String,
        /// Its conversation.
        thread: String,
        /// To whom.
        to: Vec<Who>,
        /// Why it is held, if it is.
        held: Option<HoldReason>,
        /// What that means, and who lets it go.
        hold: Option<HoldView>,
    }
    /// A message that waits for a release.
    struct HoldView {
        /// Why, for people.
        why: String,
        /// Who may release it.
        released_by: Vec<Who>,
    }
    /// What a message points at.
    struct RefView {
        /// file, commit, diff, task, spec, message, decision, review or url.
        kind: String,
        /// The path, hash, id, name or address.
        target: String,
        /// First line.
        first_line: Option<u32>,
        /// Last line.
        last_line: Option<u32>,
        /// The snapshot, for diffs; absent in lists without texts.
        text: Option<String>,
    }
    /// How far a message got with one recipient.
    struct DeliveryView {
        /// The recipient.
        agent: Who,
        /// queued, delivered, acknowledged, done or refused.
        state: DeliveryState,
        /// Past its expiry before it was delivered.
        expired: bool,
        /// Offered to a session that gave no evidence yet.
        offered: bool,
        /// What it obliges to.
        duty: Option<Duty>,
        /// Whether that is still owed.
        owed: bool,
        /// When it was delivered.
        delivered: Option<Time>,
        /// By which way.
        via: Option<Via>,
        /// Hand-overs before that lapsed.
        redelivered: u32,
        /// When it was acknowledged.
        acknowledged: Option<Time>,
        /// When the duty ended.
        settled: Option<Time>,
        /// How.
        how: Option<Settlement>,
    }
    /// An escalation.
    struct EscalationView {
        /// Who could not go on.
        agent: Who,
        /// To whom it went.
        to: Who,
        /// The message that carries it.
        by: String,
        /// Why.
        reason: Option<String>,
        /// Until when an answer helps.
        deadline: Option<Time>,
        /// What happens without one.
        default: Option<String>,
        /// When.
        at: Time,
        /// The message that answered it.
        answer: Option<String>,
        /// The program took it up, because the agent was silent.
        by_ladder: bool,
        /// What became of it without an answer.
        concluded: Option<Conclusion>,
    }
    /// A message.
    struct MessageView {
        /// Its id.
        id: String,
        /// Who speaks.
        from: Who,
        /// How the program knew that.
        auth: Auth,
        /// Who spoke in the sender's name, where the operator did.
        spoken_by: Option<Who>,
        /// Whether a person speaks.
        human: bool,
        /// To whom, and how far it got.
        to: Vec<DeliveryView>,
        /// What was written as recipient.
        addressed: Vec<String>,
        /// What it is for.
        intent: Intent,
        /// One line.
        subject: String,
        /// Markdown; absent in lists without texts, and after a purge.
        body: Option<String>,
        /// Its text was deleted.
        purged: bool,
        /// What it points at.
        refs: Vec<RefView>,
        /// Its conversation.
        thread: String,
        /// The message it answers.
        reply_to: Option<String>,
        /// How urgent.
        priority: Priority,
        /// After this it is not worth delivering.
        expires: Option<Time>,
        /// The task it concerns.
        task: Option<String>,
        /// Messages between agents since a human spoke or the task moved.
        hops: u32,
        /// Wakes nobody.
        quiet: bool,
        /// Why it is held, if it is.
        held: Option<HoldReason>,
        /// What that means, and who lets it go.
        hold: Option<HoldView>,
        /// Why a control message could not be carried out.
        not_carried_out: Option<String>,
        /// When it was sent.
        sent: Time,
        /// How far its matter went up: from here, and then from whoever was asked.
        escalations: Vec<EscalationView>,
        /// Ids in other systems.
        aliases: Vec<String>,
        /// Unread mail of the caller itself: `message.acknowledge` says that it was read, once this answer was written.
        to_acknowledge: bool,
    }
    /// A message in an inbox.
    struct MailView {
        /// Its id.
        id: String,
        /// Who speaks.
        from: Who,
        /// How the program knew that.
        auth: Auth,
        /// Who spoke in the sender's name, where the operator did.
        spoken_by: Option<Who>,
        /// Whether a person speaks.
        human: bool,
        /// What it is for.
        intent: Intent,
        /// One line.
        subject: String,
        /// Markdown, when asked for.
        body: Option<String>,
        /// What it points at.
        refs: Vec<RefView>,
        /// How urgent.
        priority: Priority,
        /// Its conversation.
        thread: String,
        /// The message it answers.
        reply_to: Option<String>,
        /// The task it concerns.
        task: Option<String>,
        /// When it was sent.
        sent: Time,
        /// How far it got: queued or delivered while it is unread.
        state: DeliveryState,
        /// What is owed for it.
        duty: Option<Duty>,
        /// Hand-overs before that lapsed.
        redelivered: u32,
        /// Another session of the agent has it offered.
        offered_elsewhere: bool,
        /// Wakes nobody.
        quiet: bool,
        /// Messages between agents since a human spoke or the task moved.
        hops: u32,
        /// How often this question was asked, repeats included.
        #[serde(default = "once", skip_serializing_if = "is_once")]
        asked: u32,
    }
    /// An agent's inbox.
    struct InboxView {
        /// Whose.
        agent: Who,
        /// Unread messages in all, counted up to 1000.
        unread: u32,
        /// The caller asks for its own, not for a listing, and some of them were not handed over yet, and no other session
        /// has them: `offer.take` takes them.
        waiting: bool,
        /// A page of them, oldest first; then, where asked for, of those that were read, newest first.
        items: Vec<MailView>,
        /// Unread messages after this page, counted up to 1000.
        more: u32,
        /// What to pass as `after` for the next page; absent at the end.
        next: Option<String>,
        /// What the agent owes in all, counted up to 1000.
        owed: u32,
        /// The first 50 of it, oldest first.
        duties: Vec<DutyView>,
    }
    /// Messages taken for hand-over.
    struct HandoverView {
        /// To whom.
        agent: Who,
        /// Unread messages in all, counted up to 1000.
        unread: u32,
        /// The messages, with their texts. Confirm once they have arrived.
        items: Vec<MailView>,
        /// What the agent owes in all, counted up to 1000.
        owed: u32,
        /// The first 50 of it, oldest first.
        duties: Vec<DutyView>,
    }
    /// Entities that changed, or would have but were so already.
    struct ChangedView {
        /// Their ids.
        changed: Vec<String>,
        /// Those that were so already.
        unchanged: Vec<String>,
    }
}

impl InboxView {
    /// The inbox once messages were taken from it: those first, with their texts, then what the agent has got before and
    /// still owes something for. What is left in the queue comes with its text when the agent asks again, so it is only
    /// counted, and there is no next page to list it.
    #[must_use]
    pub fn after(self, handover: HandoverView) -> Self {
        let HandoverView { agent, unread, mut items, owed, duties } = handover;
        let taken: Vec<String> = items.iter().map(|mail| mail.id.clone()).collect();
        let mut more = self.more;
        for mail in self.items.into_iter().filter(|mail| !taken.contains(&mail.id)) {
            match mail.state {
                DeliveryState::Queued if !mail.offered_elsewhere => more = more.saturating_add(1),
                _ => items.push(mail),
            }
        }
        Self { agent, unread, waiting: false, items, more, next: None, owed, duties }
    }
}
