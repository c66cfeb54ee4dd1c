//! Which events of other replicas count here.
//!
//! An event that does not count is kept, passed on and void. The rule needs what people here decided and who acted, and
//! nothing of the arrival order: clones that accepted the same replicas come to the same state.

use super::Standing;
use crate::entity::{Stamp, Void};
use crate::event::{Event, Fact};
use crate::ids::{AgentId, EntityRef, OriginId};
use crate::vocabulary::Intent;

/// What people here decided of the replica that wrote an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Powers {
    /// How it stands.
    pub standing: Standing,
    /// Entries up to this one counted before standings were known.
    pub counted: i64,
}

/// Who acted, as seen from the replica that wrote the event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ActsAs {
    /// An agent that lives there.
    Agent,
    /// A person of that replica.
    Operator,
    /// A member of another replica: nobody acts for those.
    Stranger,
}

impl Powers {
    /// Whether everything that the replica wrote in an entry counts, whoever acted.
    pub fn is_trusted(self, stamp: &Stamp) -> bool {
        match self.standing {
            Standing::Own | Standing::Accepted => true,
            Standing::New => stamp.order.oseq <= self.counted,
            Standing::Rejected => false,
        }
    }
}

/// Whether an event counts here. What this replica wrote itself always does.
pub fn counts(fact: &Fact, stamp: &Stamp, powers: Powers, acts: ActsAs) -> Result<(), Void> {
    if powers.standing == Standing::Own {
        return Ok(());
    }
    if let EntityRef::Origin(id) = &fact.entity {
        return if *id == stamp.order.origin { Ok(()) } else { Err(Void::NotAtHome) };
    }
    if powers.standing == Standing::New && powers.is_trusted(stamp) {
        return Ok(());
    }
    // Without it nobody could be shown by name.
    let is_registration = matches!(fact.event, Event::AgentRegistered(_));
    match (powers.standing, acts) {
        (Standing::Rejected, _) if !is_registration => Err(Void::Rejected),
        _ if is_registration => Ok(()),
        (_, ActsAs::Stranger) => Err(Void::NotAtHome),
        (Standing::Accepted, _) => Ok(()),
        _ if needs_acceptance(fact) => Err(Void::NotAccepted),
        (_, ActsAs::Operator) if !is_housekeeping(fact) => Err(Void::NotAccepted),
        _ => Ok(()),
    }
}

/// Everybody in whose name an event speaks: who acted, for whom, and whom its data names as the one who speaks.
pub fn speakers<'f>(fact: &'f Fact, stamp: &'f Stamp) -> Vec<&'f AgentId> {
    let named = match &fact.event {
        Event::MessageSent(sent) => Some(&sent.from),
        Event::MessageDelivered(delivered) => Some(&delivered.agent),
        Event::MessageAcknowledged(acknowledged) => Some(&acknowledged.agent),
        Event::MessageDeclined(declined) => Some(&declined.agent),
        // A task that takes another's place keeps whoever wanted that one.
        Event::TaskCreated(created) if created.reassigned_from.is_none() && created.redo_of.is_none() => {
            Some(&created.assigner)
        }
        _ => None,
    };
    let mut all: Vec<&AgentId> =
        [Some(&stamp.actor), Some(&stamp.member), named].into_iter().flatten().collect();
    all.dedup();
    all
}

/// Events with power over members of other replicas, whoever acted.
fn needs_acceptance(fact: &Fact) -> bool {
    match &fact.event {
        Event::TeamChanged(_)
        | Event::SkillPromoted(_)
        | Event::SkillRejected(_)
        | Event::MessageControl(_)
        | Event::MessageReleased(_)
        | Event::LeaseForced(_)
        | Event::TextPurged(_)
        | Event::TextReleased(_) => true,
        Event::MessageSent(sent) => sent.intent == Intent::Control,
        _ => false,
    }
}

/// What a person does so that the agents of their own replica can take part.
fn is_housekeeping(fact: &Fact) -> bool {
    matches!(fact.entity, EntityRef::Agent(_))
}

/// The registration of an agent that counts, where several replicas claim one: whoever is trusted comes before whoever is not,
/// and the earlier one otherwise. So nobody takes over an agent by dating a registration back.
pub fn may_register(powers: Powers, stamp: &Stamp, others: &[(OriginId, bool)]) -> bool {
    let is_outdone = |(origin, is_trusted): &(OriginId, bool)| *origin != stamp.order.origin && *is_trusted;
    powers.is_trusted(stamp) || !others.iter().any(is_outdone)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entity::Origin;
    use crate::entry::OrderKey;
    use crate::event::{AgentRegistered, MessageSent, OriginOpened, TaskNoted, TextReleased};
    use crate::ids::{HubId, MessageId, TaskId};
    use crate::name::Name;
    use crate::text::TextHash;
    use crate::vocabulary::{Auth, Priority};

    fn stamp(oseq: i64) -> Stamp {
        let order = OrderKey { at: oseq, origin: OriginId::from_bits(2), oseq };
        let member = AgentId::from_bits(3);
        Stamp { order, wall: 0, member: member.clone(), actor: member, auth: Auth::Terminal }
    }

    fn fact(entity: EntityRef, event: impl Into<Event>) -> Fact {
        Fact { entity, event: event.into() }
    }

    fn sent(intent: Intent) -> Fact {
        let id = MessageId::from_bits(1);
        let sent = MessageSent {
            from: AgentId::from_bits(3),
            to: vec![AgentId::from_bits(4)],
            addressed: Vec::new(),
            intent,
            subject: TextHash::of("salt", "subject"),
            body: None,
            refs: Vec::new(),
            thread: id.clone(),
            reply_to: None,
            priority: Priority::Medium,
            expires: None,
            task: None,
            hops: 0,
            quiet: false,
            ack_wanted: false,
            aliases: Vec::new(),
        };
        fact(EntityRef::Message(id), sent)
    }

    fn opened(id: u64) -> Fact {
        let opened = OriginOpened {
            hub: HubId::from_bits(1),
            alias: "b".to_owned(),
            operator: AgentId::from_bits(3),
            continues: None,
        };
        fact(EntityRef::Origin(OriginId::from_bits(id)), opened)
    }

    #[test]
    fn powers_follow_from_standing_and_actor() {
        use ActsAs::{Agent, Operator, Stranger};
        use Standing::{Accepted, New, Own, Rejected};
        let message = sent(Intent::Question);
        let control = sent(Intent::Control);
        let note =
            fact(EntityRef::Task(TaskId::from_bits(1)), TaskNoted { note: TextHash::of("salt", "note") });
        let released =
            fact(EntityRef::Task(TaskId::from_bits(1)), TextReleased { texts: vec![], reason: None });
        let registered = fact(
            EntityRef::Agent(AgentId::from_bits(5)),
            AgentRegistered { name: Name::operator(), profile: "human".to_owned() },
        );
        let (not_home, not_yet, out) = (Err(Void::NotAtHome), Err(Void::NotAccepted), Err(Void::Rejected));
        let yes = Ok(());
        for (fact, acts, own, accepted, new, rejected) in [
            (&message, Agent, &yes, &yes, &yes, &out),
            (&message, Operator, &yes, &yes, &not_yet, &out),
            (&message, Stranger, &yes, &not_home, &not_home, &out),
            (&note, Agent, &yes, &yes, &yes, &out),
            (&note, Operator, &yes, &yes, &not_yet, &out),
            (&control, Agent, &yes, &yes, &not_yet, &out),
            (&released, Agent, &yes, &yes, &not_yet, &out),
            (&registered, Operator, &yes, &yes, &yes, &yes),
            (&opened(2), Operator, &yes, &yes, &yes, &yes),
            (&opened(1), Operator, &yes, &not_home, &not_home, &not_home),
        ] {
            for (standing, expected) in [(Own, own), (Accepted, accepted), (New, new), (Rejected, rejected)] {
                let powers = Powers { standing, counted: 0 };
                assert_eq!(counts(fact, &stamp(9), powers, acts), *expected, "{standing} {acts:?} {fact:?}");
            }
        }
        let before = Powers { standing: New, counted: 9 };
        assert_eq!(counts(&control, &stamp(9), before, Operator), Ok(()), "it counted before");
        assert_eq!(counts(&control, &stamp(10), before, Operator), Err(Void::NotAccepted));
    }

    #[test]
    fn backdated_registration_takes_over_no_agent() {
        let new = Powers { standing: Standing::New, counted: 0 };
        let accepted = Powers { standing: Standing::Accepted, counted: 0 };
        let trusted = [(OriginId::from_bits(1), true), (OriginId::from_bits(2), false)];
        assert!(!may_register(new, &stamp(1), &trusted));
        assert!(may_register(accepted, &stamp(1), &trusted));
        assert!(may_register(new, &stamp(1), &[(OriginId::from_bits(1), false)]));
    }

    /// Keeps the imports of the table honest: an origin that opened itself is the one that is shown.
    #[test]
    fn replica_opens_itself() {
        let (state, outcome) = crate::entity::apply(None, &opened(2), &stamp(1));
        assert_eq!(outcome, Ok(()));
        assert!(matches!(state, Some(crate::entity::Entity::Origin(Origin { alias, .. })) if alias == "b"));
    }
}
