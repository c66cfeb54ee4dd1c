//! What people call a replica: its alias, and a part of its id where another one is called alike.

use super::Origin;
use crate::ids::OriginId;

/// So much of a replica's id tells it from another of the same name.
const PART: usize = 4;

/// The name of a replica among all that are known; its id while its first entry has not arrived.
pub fn called(origins: &[Origin], id: &OriginId) -> String {
    let Some(home) = origins.iter().find(|origin| origin.id == *id) else { return id.to_string() };
    let is_another = |other: &Origin| {
        other.alias == home.alias && !goes_on(origins, home, other) && !goes_on(origins, other, home)
    };
    if origins.iter().any(is_another) {
        let part: String = id.as_str().chars().skip_while(|c| *c != '-').skip(1).take(PART).collect();
        return format!("{}-{part}", home.alias);
    }
    home.alias.clone()
}

/// Whether a replica is another one, or took over from it: those two are one place for people.
fn goes_on(origins: &[Origin], one: &Origin, from: &Origin) -> bool {
    let mut next = Some(one);
    // The bound guards against a circle.
    for _ in 0..=origins.len() {
        let Some(current) = next else { return false };
        if current.id == from.id {
            return true;
        }
        next = origins.iter().find(|origin| Some(&origin.id) == current.continues.as_ref());
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entity::When;
    use crate::ids::{AgentId, HubId};

    fn origin(number: u64, alias: &str, continues: Option<u64>) -> Origin {
        Origin {
            id: OriginId::from_bits(number),
            hub: HubId::from_bits(1),
            alias: alias.to_owned(),
            operator: AgentId::from_bits(number),
            continues: continues.map(OriginId::from_bits),
            opened: When { at: 0, wall: 0 },
            corrected: None,
        }
    }

    #[test]
    fn only_replicas_that_are_called_alike_are_told_apart() {
        let origins = [origin(1, "laptop", None), origin(2, "laptop", None), origin(3, "desk", None)];
        let names: Vec<String> = origins.iter().map(|one| called(&origins, &one.id)).collect();
        assert!(names[0].starts_with("laptop-") && names[1].starts_with("laptop-"), "{names:?}");
        assert_eq!(names[2], "desk");
        let unknown = OriginId::from_bits(9);
        assert_eq!(called(&origins, &unknown), unknown.to_string());
    }

    #[test]
    fn one_that_took_over_is_the_same_place() {
        let origins = [origin(1, "laptop", None), origin(2, "laptop", Some(1)), origin(3, "laptop", Some(2))];
        assert!(origins.iter().all(|one| called(&origins, &one.id) == "laptop"));
    }
}
