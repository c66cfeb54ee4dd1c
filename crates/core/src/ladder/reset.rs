//! The reset of a silent agent's context: a control message like any other, asked for by nobody. When one may be asked for,
//! and which were carried out.

use crate::entity::Message;
use crate::event::Micros;
use crate::ids::{AgentId, MessageId};
use crate::vocabulary::{ControlOutcome, ControlVerb};

/// What is known of an agent when its duty comes to the rung of the reset.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Resettable {
    /// It surely does nothing at this moment, its client has a way to forget that somebody here can use, and it
    /// [has rested](has_rested) from the reset before.
    pub is_ready: bool,
    /// The team makes it its captain, who talks with the operator.
    pub is_captain: bool,
}

/// Whether nothing of an agent's session waits to be carried out, and its last reset ended long enough ago: however many
/// duties it has, one reset is enough for them. `controls` are the newest control messages.
pub fn has_rested(controls: &[Message], agent: &AgentId, now: Micros, cooldown_s: u32) -> bool {
    let cooldown = Micros::from(cooldown_s).saturating_mul(1_000_000);
    of_agent(controls, agent).all(|message| match &message.control {
        None => true,
        Some(control) => match &control.carried_out {
            None => false,
            Some(end) => {
                let ago = now.saturating_sub(end.when.wall);
                control.verb != ControlVerb::Clear || !(0..cooldown).contains(&ago)
            }
        },
    })
}

/// When an agent's context was reset, by the wall clock: only what was carried out.
pub fn carried_out<'a>(controls: &'a [Message], agent: &'a AgentId) -> impl Iterator<Item = Micros> + 'a {
    let clears = of_agent(controls, agent)
        .filter_map(|message| message.control.as_ref())
        .filter(|control| control.verb == ControlVerb::Clear);
    let ends = clears.filter_map(|control| control.carried_out.as_ref());
    ends.filter(|end| end.outcome == ControlOutcome::Done).map(|end| end.when.wall)
}

/// The matter for which the ladder asked for a reset; nothing of what a person or a superior asked for.
pub fn matter_of(control: &Message) -> Option<MessageId> {
    control.control.as_ref()?;
    let reference = control.refs.iter().find(|reference| reference.kind == "message")?;
    MessageId::parse(&reference.target).ok()
}

fn of_agent<'a>(controls: &'a [Message], agent: &'a AgentId) -> impl Iterator<Item = &'a Message> {
    controls.iter().filter(move |message| message.deliveries.contains_key(agent))
}
