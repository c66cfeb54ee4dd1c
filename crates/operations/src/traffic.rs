//! What the loop guard counts: how much one agent wrote to another lately. Rows, not events.

use std::borrow::Borrow;

use interagent_core::entity::Agent;
use interagent_core::limits;
use interagent_core::refusal::Refusal;

use crate::call::Scene;

fn window_s(scene: &Scene<'_, '_, '_>) -> i64 {
    scene.team.as_ref().map_or(limits::PAIR_WINDOW_S_DEFAULT, |team| i64::from(team.rules.pair_window_s))
}

/// The most messages the acting member wrote to any of these in the window. A person's are not counted.
pub(crate) fn pair_messages(
    scene: &mut Scene<'_, '_, '_>,
    recipients: &[impl Borrow<Agent>],
) -> Result<u32, Refusal> {
    let (window, sender, mut most) = (window_s(scene), scene.member.id.clone(), 0);
    if !scene.context.human {
        for recipient in recipients.iter().map(Borrow::borrow).filter(|agent| !agent.is_human()) {
            most = most.max(scene.look().pair_count(&sender, &recipient.id, window)?);
        }
    }
    Ok(most)
}

/// Counts what the acting member says to these: an agent's words to agents.
pub(crate) fn count(scene: &mut Scene<'_, '_, '_>, recipients: &[impl Borrow<Agent>]) -> Result<(), Refusal> {
    let (window, sender) = (window_s(scene), scene.member.id.clone());
    if !scene.context.human {
        for recipient in recipients.iter().map(Borrow::borrow).filter(|agent| !agent.is_human()) {
            scene.writer.count_pair(&sender, &recipient.id, window)?;
        }
    }
    Ok(())
}
