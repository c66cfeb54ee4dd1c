//! The guard's corpus: tricks that write what is not the caller's, each executed to find out whether it works, and
//! asked of each layer of the guard.

mod tricks;
mod world;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use tricks::{Class, Target, Trick, tricks};
use world::Tried;

/// Effective tricks must be at least this many: fewer would prove less than the guide says.
const EFFECTIVE: usize = 250;
/// Percent of the effective plain tricks that the tool call must refuse.
const AT_TOOL_CALL: usize = 85;

/// One line of the table in the guide.
#[derive(Default)]
struct Row {
    effective: usize,
    at_call: usize,
}

/// Tries every trick, on every processor.
fn tried() -> Vec<(Trick, Tried)> {
    let tricks = tricks();
    let (next, done) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let workers = std::thread::available_parallelism().map_or(2, usize::from).min(4);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                let world = world::World::new();
                while let Some(trick) = tricks.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let tried = world.try_out(trick);
                    done.lock().unwrap().push((trick.clone(), tried));
                }
            });
        }
    });
    let mut done = done.into_inner().unwrap();
    done.sort_by_key(|(trick, _)| trick.line);
    done
}

#[test]
fn layers_catch_the_tricks() {
    let mut rows: BTreeMap<(Target, Class), Row> = BTreeMap::new();
    let mut missed = String::new();
    for (trick, tried) in tried().iter().filter(|(_, tried)| tried.is_effective) {
        let row = rows.entry((trick.target, trick.class)).or_default();
        row.effective += 1;
        if tried.at_call {
            row.at_call += 1;
        } else {
            let _ = writeln!(missed, "{:?} {:?}: {}", trick.target, trick.class, trick.command);
        }
    }
    for ((target, class), row) in &rows {
        println!("{target:?} {class:?}: {} effective, {} at the tool call", row.effective, row.at_call);
    }
    println!("{missed}");
    let plain = rows.iter().filter(|((_, class), _)| *class == Class::Plain);
    let (effective, at_call) =
        plain.fold((0, 0), |sum, (_, row)| (sum.0 + row.effective, sum.1 + row.at_call));
    assert!(effective >= EFFECTIVE, "{effective}");
    assert!(at_call * 100 >= effective * AT_TOOL_CALL, "{at_call} of {effective}");
}
