//! What a merge of replicas means for people: who was too late, and what no longer fits together.
//!
//! Pure. Each entity is folded alone, so what holds between entities can be broken by two replicas that did not know of
//! each other. Every replica finds the same here and repairs it alike: repairs say only what takes something away, so
//! that the same one from two replicas counts once.

mod circles;
mod losses;

pub use circles::{Edge, cut, entangled};
pub use losses::{Loss, loss};

use sha2::{Digest, Sha256};

use crate::ids::{AgentId, MessageId};
use crate::name::Name;

/// The id of a message that follows from a merge: the same facts give the same id, in every replica and every time.
pub fn message_id(about: &[&str]) -> MessageId {
    let mut hasher = Sha256::new();
    hasher.update(b"interagent merge");
    for word in about {
        hasher.update([0]);
        hasher.update(word.as_bytes());
    }
    let bits = hasher.finalize()[..8].iter().fold(0, |bits, byte| bits << 8 | u64::from(*byte));
    MessageId::from_bits(bits)
}

/// The name that the later one of two agents gets who have the same name at one home.
pub fn other_name(name: &Name, id: &AgentId) -> Option<Name> {
    const LONGEST: usize = 50;
    let tail: String = id.as_str().chars().skip_while(|c| *c != '-').skip(1).take(4).collect();
    let kept: String = name.as_str().chars().take(LONGEST).collect();
    Name::parse(&format!("{}-{tail}", kept.trim_end_matches(['.', '_', '-']))).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_facts_give_the_same_id_and_others_another() {
        assert_eq!(message_id(&["void", "org-a", "7"]), message_id(&["void", "org-a", "7"]));
        assert_ne!(message_id(&["void", "org-a", "7"]), message_id(&["void", "org-a7", ""]));
    }

    #[test]
    fn a_second_agent_of_a_name_gets_one_of_its_own() {
        let (name, id) = (Name::parse("kimi").unwrap(), AgentId::from_bits(7));
        assert_eq!(other_name(&name, &id).unwrap().as_str(), "kimi-0000");
        let long = Name::parse(&"k".repeat(64)).unwrap();
        assert!(other_name(&long, &id).is_some());
    }
}
