//! What the ladder decides in nobody's place: a silent agent's matter goes up, and comes to its end there.
//!
//! Each of these may be asked for again at any moment: what was done once is not done again, because the message itself
//! says so.

use super::escalation::{By, Carrier};
use crate::decide::{Post, draft_settle_for, post};
use crate::draft::Draft;
use crate::entity::message::Escalation;
use crate::entity::{Agent, Message};
use crate::event::{MessageConcluded, MessageRaised, Micros};
use crate::ids::{AgentId, EntityRef, MessageId};
use crate::ladder::telling::Story;
use crate::rules;
use crate::team::TeamConfig;
use crate::vocabulary::{Conclusion, Intent, Settlement};

/// One step up.
#[derive(Clone, Copy, Debug)]
pub struct Climb<'a> {
    /// What is unsettled.
    pub matter: &'a Message,
    /// Who owes it.
    pub agent: &'a Agent,
    /// Who is asked now.
    pub to: &'a Agent,
    /// What there is to tell.
    pub story: &'a Story<'a>,
    /// Until when an answer helps, where there is an end to it.
    pub deadline: Option<Micros>,
}

/// Takes a silent agent's matter to somebody above it. Nothing where it is settled, where the agent took it up itself, or
/// where they were asked before.
pub fn climb(climb: &Climb<'_>, draft: &mut Draft) -> Option<MessageId> {
    let Climb { matter, agent, to, story, deadline } = climb;
    let of_agent = |e: &&Escalation| e.agent == agent.id;
    let is_owed = matter.owed_by(&agent.id).is_some() && to.id != agent.id;
    let was_asked = matter.escalations.iter().filter(of_agent).any(|e| e.to == to.id && e.by_ladder);
    let took_it_up = matter.escalations.iter().filter(of_agent).any(|e| !e.by_ladder && e.is_open());
    if !is_owed || was_asked || took_it_up {
        return None;
    }
    let id = MessageId::from_bits(draft.bits());
    let (subject, body, reason) = (story.subject(), story.body(), story.reason());
    let default = story.default_words();
    let carrier = Carrier {
        id: &id,
        matter,
        agent: &agent.id,
        to: &to.id,
        subject: &subject,
        body: &body,
        reason: &reason,
        deadline: *deadline,
        default: default.as_deref(),
        by: By::Ladder,
    };
    carrier.draft(draft);
    Some(id)
}

/// Brings a silent agent's matter before a superior who gets no mail. Whether that is new.
pub fn raise(matter: &Message, agent: &Agent, to: &Agent, draft: &mut Draft) -> bool {
    let is_new = matter.owed_by(&agent.id).is_some() && !matter.was_raised(&agent.id, &to.id);
    if is_new {
        let raised = MessageRaised { agent: agent.id.clone(), to: to.id.clone() };
        draft.add(EntityRef::Message(matter.id.clone()), raised);
    }
    is_new
}

/// Ends what the ladder began about an agent's matter. `carriers` are the messages that carry it; who was asked owes
/// nothing any more, unless it only goes on waiting.
pub fn conclude(matter: &Message, agent: &Agent, carriers: &[Message], how: Conclusion, draft: &mut Draft) {
    let is_new = |e: &&Escalation| match how {
        Conclusion::Waits => e.concluded.is_none(),
        Conclusion::Settled | Conclusion::Reassigned | Conclusion::Cancelled => true,
    };
    let open = matter.escalations.iter().filter(|e| e.agent == agent.id && e.by_ladder && e.is_open());
    for escalation in open.filter(is_new) {
        let concluded = MessageConcluded { agent: agent.id.clone(), escalation: escalation.by.clone(), how };
        draft.add(EntityRef::Message(matter.id.clone()), concluded);
        let carrier = carriers.iter().find(|carrier| carrier.id == escalation.by);
        let asked = carrier.and_then(|carrier| Some((carrier, carrier.deliveries.get(&escalation.to)?)));
        if let Some((carrier, delivery)) = asked
            && how != Conclusion::Waits
            && delivery.owes().is_some()
        {
            draft_settle_for(draft, carrier, &escalation.to, Settlement::Withdrawn);
        }
    }
}

/// Ends a silent agent's duty in the name of the team, because nobody answered in time. Who asked is told, unless that is a
/// captain, who gets no mail.
pub fn cancel(
    matter: &Message,
    (agent, asker): (&Agent, Option<&Agent>),
    team: Option<&TeamConfig>,
    carriers: &[Message],
    reason: &str,
    draft: &mut Draft,
) {
    if matter.deliveries.get(&agent.id).is_some_and(|delivery| delivery.owes().is_some()) {
        draft_settle_for(draft, matter, &agent.id, Settlement::Withdrawn);
    }
    conclude(matter, agent, carriers, Conclusion::Cancelled, draft);
    let subject = draft.plain(&format!("Cancelled: {} will not do {}", agent.name, matter.id));
    let body = Some(draft.plain(reason));
    let asker = asker.filter(|asker| asker.id != agent.id && !rules::is_captain(team, &asker.name));
    let to = asker.into_iter().chain([agent]).map(|told| told.id.clone()).collect();
    let program = AgentId::program();
    post(draft, Post::new(&program, to, Intent::ContextShare, subject, body));
}
