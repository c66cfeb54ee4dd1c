//! Tasks that wait for each other in a circle: which of the dependencies go.

use std::collections::{BTreeMap, BTreeSet};

use crate::entry::OrderKey;
use crate::ids::TaskId;

/// A task and one that it waits for.
pub type Edge = (TaskId, TaskId);

/// The edges that may be part of a circle: what neither begins nor ends a way is left.
pub fn entangled(edges: &[Edge]) -> Vec<Edge> {
    let mut left: BTreeSet<&Edge> = edges.iter().collect();
    loop {
        let waits: BTreeSet<&TaskId> = left.iter().map(|(task, _)| task).collect();
        let waited_for: BTreeSet<&TaskId> = left.iter().map(|(_, on)| on).collect();
        let before = left.len();
        left.retain(|(task, on)| waits.contains(on) && waited_for.contains(task));
        if left.len() == before {
            return left.into_iter().cloned().collect();
        }
    }
}

/// The edges that close a circle, when all are drawn in the order in which they were decided: the first ones win.
pub fn cut(mut edges: Vec<(OrderKey, Edge)>) -> Vec<Edge> {
    edges.sort_by(|a, b| a.0.cmp(&b.0).then_with(|| a.1.cmp(&b.1)));
    let mut drawn: BTreeMap<TaskId, BTreeSet<TaskId>> = BTreeMap::new();
    let mut closing = Vec::new();
    for (_, (task, on)) in edges {
        if leads_to(&drawn, &on, &task) {
            closing.push((task, on));
        } else {
            drawn.entry(task).or_default().insert(on);
        }
    }
    closing
}

fn leads_to(drawn: &BTreeMap<TaskId, BTreeSet<TaskId>>, from: &TaskId, to: &TaskId) -> bool {
    let mut seen = BTreeSet::from([from]);
    let mut next = vec![from];
    while let Some(task) = next.pop() {
        if task == to {
            return true;
        }
        next.extend(drawn.get(task).into_iter().flatten().filter(|on| seen.insert(on)));
    }
    false
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::ids::OriginId;

    fn edge(task: u64, on: u64) -> Edge {
        (TaskId::from_bits(task), TaskId::from_bits(on))
    }

    fn at(at: i64, edge: Edge) -> (OrderKey, Edge) {
        (OrderKey { at, origin: OriginId::from_bits(1), oseq: at }, edge)
    }

    #[test]
    fn the_dependency_that_was_decided_last_goes() {
        let edges = [at(3, edge(3, 1)), at(1, edge(1, 2)), at(2, edge(2, 3)), at(4, edge(4, 1))];
        let plain: Vec<Edge> = edges.iter().map(|(_, edge)| edge.clone()).collect();
        assert_eq!(entangled(&plain).len(), 3, "the fourth only leads into the circle");
        assert_eq!(cut(edges.to_vec()), [edge(3, 1)]);
        assert_eq!(cut(vec![at(1, edge(1, 1))]), [edge(1, 1)], "a task that waits for itself");
        assert_eq!(entangled(&[edge(1, 2), edge(2, 3)]), []);
    }

    proptest! {
        #[test]
        fn what_is_left_has_no_circle_and_order_of_arrival_does_not_matter(
            pairs in prop::collection::btree_set((0_u64..8, 0_u64..8), 0..30), turn in 0_usize..30,
        ) {
            let mut edges: Vec<_> =
                pairs.iter().enumerate().map(|(n, (a, b))| at(i64::try_from(n * 7 % 31).unwrap(), edge(*a, *b))).collect();
            let gone = cut(edges.clone());
            let left: Vec<Edge> = edges.iter().map(|(_, edge)| edge.clone()).filter(|edge| !gone.contains(edge)).collect();
            prop_assert_eq!(entangled(&left), []);
            let turn = turn.min(edges.len());
            edges.rotate_left(turn);
            prop_assert_eq!(cut(edges), gone);
        }
    }
}
