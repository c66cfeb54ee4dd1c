//! Holding messages back and releasing them.

use crate::authority::{OperatorAct, authorize};
use crate::draft::{Context, Draft};
use crate::entity::{Agent, Message};
use crate::event::{MessageHeld, MessageReleased};
use crate::ids::{AgentId, EntityRef};
use crate::refusal::Refusal;
use crate::rules;
use crate::team::TeamConfig;
use crate::vocabulary::{DeliveryState, HoldReason};

/// Holds a message back before anybody has it.
pub fn hold(message: &Message, member: &Agent, context: &Context, draft: &mut Draft) -> Result<(), Refusal> {
    if member.id != message.from && !context.human {
        return Err(Refusal::rule(
            "not_yours",
            format!("{} is not a message of {}", message.id, member.name),
        ));
    }
    if message.held == Some(HoldReason::Control) {
        return Err(is_no_mail(message));
    }
    if let Some(reason) = message.held {
        draft.is_so_already(format!("{} is held already ({reason})", message.id));
        return Ok(());
    }
    if message.deliveries.values().all(|d| d.state != DeliveryState::Queued) {
        return Err(Refusal::conflict("delivered", format!("{} was delivered already", message.id)));
    }
    draft.add(EntityRef::Message(message.id.clone()), MessageHeld { reason: HoldReason::Asked });
    Ok(())
}

/// Who besides the operator may let a held message go: who asked for it to be held.
pub fn may_release(message: &Message) -> Option<&AgentId> {
    message.held_by.as_ref().filter(|_| message.held == Some(HoldReason::Asked))
}

/// Lets a held message go. What the loop guard held only a person releases.
pub fn release(
    team: Option<&TeamConfig>,
    message: &Message,
    member: &Agent,
    context: &Context,
    draft: &mut Draft,
) -> Result<(), Refusal> {
    let Some(reason) = message.held else {
        if message.held_by.is_none() {
            return Err(Refusal::conflict("not_held", format!("{} is not held", message.id))
                .hint(format!("interagent read {} shows how far it got", message.id)));
        }
        draft.is_so_already(format!("{} was released before", message.id));
        return Ok(());
    };
    if reason == HoldReason::Control {
        return Err(is_no_mail(message));
    }
    if may_release(message) != Some(&member.id) && !context.human {
        return Err(Refusal::rule(
            "release_needs_operator",
            format!("{} is held ({}): the operator releases it", message.id, reason.why()),
        )
        .hint(rules::operator_runs(team, member, &format!("interagent msg release {}", message.id))));
    }
    if context.human {
        let command = format!("interagent msg release {}", message.id);
        authorize(OperatorAct::ReleaseMail, context.authority(), &command)?;
    }
    draft.add(EntityRef::Message(message.id.clone()), MessageReleased {});
    Ok(())
}

/// Refuses to treat a control message as mail: a release would cancel it and deliver it.
pub(super) fn is_no_mail(message: &Message) -> Refusal {
    let sentence = format!("{} is a control message, not mail", message.id);
    Refusal::conflict("control_message", sentence)
        .hint("list pending control messages: interagent control --list")
}
