//! The guard's corpus: tricks that write what is not the caller's, each executed to find out whether it works, and
//! asked of each layer of the guard.

mod tricks;
mod world;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use interagent_testkit::crash::is_soak;

use tricks::{Class, Target, Trick, tricks};
use world::Tried;

/// Effective tricks must be at least this many, 250 in all: fewer would prove less than the guide says.
const EFFECTIVE: [(Target, usize); 3] = [(Target::Lease, 150), (Target::Main, 75), (Target::Hub, 25)];
/// Of the plain tricks on files and branches every second is tried; with `INTERAGENT_SOAK=1` all are.
const STEP: usize = 2;
/// Percent of the effective plain tricks that the tool call must refuse.
const AT_TOOL_CALL: usize = 85;

/// Percent of all effective tricks that some layer must refuse or report.
const AT_ANY_LAYER: usize = 100;

/// What became of the effective tricks of one kind.
#[derive(Default)]
struct Row {
    effective: usize,
    at_call: usize,
    at_git: usize,
    after: usize,
}

impl Row {
    fn caught(&self) -> usize {
        self.at_call + self.at_git + self.after
    }
}

/// Tries the tricks on a target, on two processors.
fn tried(target: Target) -> Vec<(Trick, Tried)> {
    let step = if is_soak() || target == Target::Hub { 1 } else { STEP };
    let is_tried = |(place, trick): &(usize, Trick)| trick.class == Class::Opaque || place % step == 0;
    let tricks = tricks().into_iter().filter(|trick| trick.target == target).enumerate().filter(is_tried);
    let tricks: Vec<Trick> = tricks.map(|(_, trick)| trick).collect();
    let (next, done) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                let world = world::World::new();
                while let Some(trick) = tricks.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let tried = world.try_out(trick);
                    done.lock().unwrap().push((trick.clone(), tried));
                }
            });
        }
    });
    done.into_inner().unwrap()
}

/// Lines of the table in the guide.
fn table(rows: &BTreeMap<(Target, Class), Row>) -> String {
    let mut text = String::new();
    for ((target, class), row) in rows {
        let target = match target {
            Target::Lease => "a leased file",
            Target::Main => "a protected branch",
            Target::Hub => "the team file",
        };
        let class = match class {
            Class::Plain => "",
            Class::Opaque => ", by a program such as an interpreter or `make`",
        };
        let Row { effective, at_call, at_git, after } = row;
        let _ = writeln!(text, "| {target}{class} | {effective} | {at_call} | {at_git} | {after} |");
    }
    text
}

/// Compares lines with those of the guide: it must not promise more than was found now. `INTERAGENT_UPDATE_DOCS=1`, with
/// every trick, writes them.
fn compare_with_the_guide(lines: &str) {
    let guide = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide/guard.md");
    let mut text = std::fs::read_to_string(&guide).unwrap();
    let writes = is_soak() && std::env::var_os("INTERAGENT_UPDATE_DOCS").is_some();
    for line in lines.lines() {
        let kind = line.split('|').nth(1).unwrap();
        let shown =
            text.lines().find(|shown| shown.split('|').nth(1) == Some(kind)).expect("a line of the guide");
        let missed = |line: &str| {
            let numbers: Vec<usize> = line.split('|').filter_map(|cell| cell.trim().parse().ok()).collect();
            numbers[0] - numbers[1]
        };
        if writes {
            text = text.replace(shown, line);
        } else {
            assert!(missed(line) <= missed(shown), "the guide says {shown}, and it is {line}");
        }
    }
    if writes {
        std::fs::write(&guide, text).unwrap();
    }
}

#[test]
fn tricks_on_leased_files_are_caught() {
    must_be_caught(Target::Lease);
}

#[test]
fn tricks_on_protected_branches_are_caught() {
    must_be_caught(Target::Main);
}

#[test]
fn tricks_on_the_hub_are_caught() {
    must_be_caught(Target::Hub);
}

fn must_be_caught(target: Target) {
    let mut rows: BTreeMap<(Target, Class), Row> = BTreeMap::new();
    let mut missed = String::new();
    for (trick, tried) in tried(target).iter().filter(|(_, tried)| tried.is_effective) {
        let row = rows.entry((trick.target, trick.class)).or_default();
        row.effective += 1;
        let layer = match tried {
            Tried { at_call: true, .. } => Some(&mut row.at_call),
            Tried { at_git: true, .. } => Some(&mut row.at_git),
            Tried { after: true, .. } => Some(&mut row.after),
            _ => None,
        };
        match layer {
            Some(layer) => *layer += 1,
            None => drop(writeln!(missed, "{:?} {:?}: {}", trick.target, trick.class, trick.command)),
        }
    }
    let table = table(&rows);
    let plain = || rows.iter().filter(|((_, class), _)| *class == Class::Plain).map(|(_, row)| row);
    let effective: usize = rows.values().map(|row| row.effective).sum();
    let caught: usize = rows.values().map(Row::caught).sum();
    let (of_plain, at_call): (usize, usize) =
        (plain().map(|row| row.effective).sum(), plain().map(|row| row.at_call).sum());
    let wanted = EFFECTIVE.iter().find(|(of, _)| *of == target).map_or(0, |(_, wanted)| *wanted);
    assert!(effective >= wanted, "{effective}");
    assert!(at_call * 100 >= of_plain * AT_TOOL_CALL, "{at_call} of {of_plain} at the tool call");
    assert!(caught * 100 >= effective * AT_ANY_LAYER, "{caught} of {effective}:\n{missed}");
    compare_with_the_guide(&table);
}
