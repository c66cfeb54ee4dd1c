//! The status of a blocked agent, which ends with the answer.

use super::SendSnapshot;
use crate::draft::Draft;
use crate::entity::{Agent, Message};
use crate::event::AgentStatus;
use crate::ids::EntityRef;
use crate::text::TextHash;
use crate::vocabulary::AgentState;

/// Drafts a status of an agent.
pub(super) fn draft_status(agent: &Agent, state: AgentState, text: Option<TextHash>, draft: &mut Draft) {
    let context_left = agent.status.as_ref().and_then(|status| status.context_left);
    draft.add(EntityRef::Agent(agent.id.clone()), AgentStatus { state, text, context_left });
}

/// Ends the status that a message about being blocked gave its sender, unless the sender set another one since.
pub(super) fn end_blocked_status(snapshot: &SendSnapshot, answered: &Message, draft: &mut Draft) {
    let is_of_message = |agent: &&Agent| {
        let status = agent.status.as_ref().filter(|_| agent.id == answered.from);
        status.is_some_and(|status| {
            status.state == AgentState::Blocked && status.text.as_ref() == Some(&answered.subject)
        })
    };
    if let Some(sender) = snapshot.recipients.iter().find(is_of_message) {
        draft_status(sender, AgentState::Working, None, draft);
    }
}
