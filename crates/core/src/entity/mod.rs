//! The state of every entity, as the fold of its events.
//!
//! `apply` is total and deterministic: an event whose precondition no longer holds changes nothing and is *void*, with
//! a reason. State never depends on another entity, on a clock or on the order of arrival.

pub mod agent;
pub mod decision;
pub mod lease;
pub mod message;
pub mod replica;
pub mod review;
pub mod skill;
pub mod spec;
pub mod task;

use serde::{Deserialize, Serialize};

pub use agent::Agent;
pub use decision::Decision;
pub use lease::Lease;
pub use message::Message;
pub use review::Review;
pub use skill::Skill;
pub use spec::Spec;
pub use task::Task;

use crate::entry::{Envelope, OrderKey};
use crate::event::{Event, Fact, Micros, OriginOpened, TeamChanged};
use crate::ids::{AgentId, EntityRef, HubId, OriginId};
use crate::team::TeamConfig;
use crate::vocabulary::Auth;

/// Counts the ways this program and its predecessors folded: one more whenever the same log gives other state than before,
/// be it by a new kind of event, by another meaning of an old one or by another document of the same state. A store that
/// was folded by an older program is folded again before it is used. What counts as a secret belongs to it: texts are
/// looked through again too.
pub const FOLD_VERSION: i64 = 10;

/// Why an event changed nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Void {
    /// The entity was never created, as far as is known.
    #[error("there is no such entity")]
    Absent,
    /// It was created before.
    #[error("it exists already")]
    Exists,
    /// Somebody else was first.
    #[error("{0}")]
    TooLate(&'static str),
    /// It acts for a member of another replica.
    #[error("whoever acted does not live at the replica that wrote it")]
    NotAtHome,
    /// Its replica is new here.
    #[error("its replica is not accepted here")]
    NotAccepted,
    /// Its replica was rejected here.
    #[error("its replica was rejected here")]
    Rejected,
    /// A kind of a newer version.
    #[error("this version does not know the event")]
    Unknown,
}

/// What an event knows of the entry it stands in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// Where it stands in the order.
    pub order: OrderKey,
    /// What the wall clock said.
    pub wall: Micros,
    /// The member it counts for.
    pub member: AgentId,
    /// Who acted: the same, or the operator on their behalf.
    pub actor: AgentId,
    /// How the program knew.
    pub auth: Auth,
}

impl From<&Envelope> for Stamp {
    fn from(envelope: &Envelope) -> Self {
        Self {
            order: envelope.order(),
            wall: envelope.wall,
            member: envelope.member().clone(),
            actor: envelope.actor.clone(),
            auth: envelope.auth,
        }
    }
}

impl Void {
    /// Whether a reason, as it is stored, is about the replica and not about what others decided before.
    pub fn is_about_replica(reason: &str) -> bool {
        [Self::NotAtHome, Self::NotAccepted, Self::Rejected].iter().any(|void| void.to_string() == reason)
    }
}

/// When something happened, for ordering and for people.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct When {
    /// The order clock.
    pub at: Micros,
    /// The wall clock.
    pub wall: Micros,
}

impl From<&Stamp> for When {
    fn from(stamp: &Stamp) -> Self {
        Self { at: stamp.order.at, wall: stamp.wall }
    }
}

/// A replica of the hub.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    /// Its id.
    pub id: OriginId,
    /// The hub it is a replica of.
    pub hub: HubId,
    /// Its name for people.
    pub alias: String,
    /// Its human.
    pub operator: AgentId,
    /// The replica whose agents it took over.
    pub continues: Option<OriginId>,
    /// Since when.
    pub opened: When,
    /// The newest correction of its clock: what it wrote before that and far ahead of it counts no longer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub corrected: Option<Corrected>,
}

/// A correction of a replica's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Corrected {
    /// Its place in the order of all.
    pub at: Micros,
    /// Its place in the replica's log.
    pub oseq: i64,
}

/// The team and its rules.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Team {
    /// The file as it was last taken in.
    pub config: TeamConfig,
    /// When that was.
    pub changed: When,
    /// By whom.
    pub by: AgentId,
}

/// The state of one entity.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "each variant is documented at its type")]
pub enum Entity {
    Origin(Origin),
    Team(Team),
    Agent(Agent),
    Message(Message),
    Task(Task),
    Review(Review),
    Spec(Spec),
    Decision(Decision),
    Lease(Lease),
    Skill(Skill),
}

/// Applies one fact to the state of its entity.
///
/// On `Err` the state stays as it was: the event is void.
pub fn apply(state: Option<Entity>, fact: &Fact, stamp: &Stamp) -> (Option<Entity>, Result<(), Void>) {
    match step(state.clone(), fact, stamp) {
        Ok(next) => (next, Ok(())),
        Err(void) => (state, Err(void)),
    }
}

/// Folds an entity's facts, given in order. Also tells which of them are void.
pub fn fold<'a>(
    facts: impl IntoIterator<Item = (&'a Fact, &'a Stamp)>,
) -> (Option<Entity>, Vec<Result<(), Void>>) {
    let mut state = None;
    let mut outcomes = Vec::new();
    for (fact, stamp) in facts {
        let (next, outcome) = apply(state, fact, stamp);
        state = next;
        outcomes.push(outcome);
    }
    (state, outcomes)
}

fn step(state: Option<Entity>, fact: &Fact, stamp: &Stamp) -> Result<Option<Entity>, Void> {
    let Fact { entity, event } = fact;
    match (entity, state) {
        // Says something of the entity's texts, whatever the entity is.
        (_, state @ Some(_)) if matches!(event, Event::TextReleased(_)) => Ok(state),
        (EntityRef::Origin(id), state) => origin(id, state, event, stamp).map(|o| Some(Entity::Origin(o))),
        (EntityRef::Team, _) => team(event, stamp).map(|t| Some(Entity::Team(t))),
        (EntityRef::Agent(id), None) => Agent::create(id, event, stamp).map(|a| Some(Entity::Agent(a))),
        (EntityRef::Agent(_), Some(Entity::Agent(a))) => {
            a.apply(event, stamp).map(|a| Some(Entity::Agent(a)))
        }
        (EntityRef::Message(id), None) => Message::create(id, event, stamp).map(|m| Some(Entity::Message(m))),
        (EntityRef::Message(_), Some(Entity::Message(m))) => {
            m.apply(event, stamp).map(|m| Some(Entity::Message(m)))
        }
        (EntityRef::Task(id), None) => Task::create(id, event, stamp).map(|t| Some(Entity::Task(t))),
        (EntityRef::Task(_), Some(Entity::Task(t))) => t.apply(event, stamp).map(|t| Some(Entity::Task(t))),
        (EntityRef::Review(id), None) => Review::create(id, event, stamp).map(|r| Some(Entity::Review(r))),
        (EntityRef::Review(_), Some(Entity::Review(r))) => {
            r.apply(event, stamp).map(|r| Some(Entity::Review(r)))
        }
        (EntityRef::Spec(name), None) => Spec::create(name, event, stamp).map(|s| Some(Entity::Spec(s))),
        (EntityRef::Spec(_), Some(Entity::Spec(s))) => s.apply(event, stamp).map(|s| Some(Entity::Spec(s))),
        (EntityRef::Decision(id), None) => {
            Decision::create(id, event, stamp).map(|d| Some(Entity::Decision(d)))
        }
        (EntityRef::Decision(_), Some(Entity::Decision(d))) => {
            d.apply(event, stamp).map(|d| Some(Entity::Decision(d)))
        }
        (EntityRef::Lease(id), None) => Lease::create(id, event, stamp).map(|l| Some(Entity::Lease(l))),
        (EntityRef::Lease(_), Some(Entity::Lease(l))) => {
            l.apply(event, stamp).map(|l| Some(Entity::Lease(l)))
        }
        (EntityRef::Skill(key), None) => Skill::create(key, event, stamp).map(|s| Some(Entity::Skill(s))),
        (EntityRef::Skill(_), Some(Entity::Skill(s))) => {
            s.apply(event, stamp).map(|s| Some(Entity::Skill(s)))
        }
        (EntityRef::Text(_), state) if matches!(event, Event::TextPurged(_)) => Ok(state),
        _ => Err(Void::Unknown),
    }
}

fn origin(id: &OriginId, state: Option<Entity>, event: &Event, stamp: &Stamp) -> Result<Origin, Void> {
    match (state, event) {
        (None, Event::OriginOpened(OriginOpened { hub, alias, operator, continues })) => Ok(Origin {
            id: id.clone(),
            hub: hub.clone(),
            alias: alias.clone(),
            operator: operator.clone(),
            continues: continues.clone(),
            opened: stamp.into(),
            corrected: None,
        }),
        (Some(Entity::Origin(origin)), Event::OriginCorrected(_)) if stamp.order.origin == *id => {
            let corrected = Some(Corrected { at: stamp.order.at, oseq: stamp.order.oseq });
            Ok(Origin { corrected, ..origin })
        }
        (Some(_), Event::OriginOpened(_)) => Err(Void::Exists),
        _ => Err(Void::Unknown),
    }
}

fn team(event: &Event, stamp: &Stamp) -> Result<Team, Void> {
    match event {
        Event::TeamChanged(TeamChanged { config }) => {
            Ok(Team { config: config.clone(), changed: stamp.into(), by: stamp.member.clone() })
        }
        _ => Err(Void::Unknown),
    }
}
