//! False alarms: ordinary commands, of which nearly none may be refused.

use super::rules::held;
use super::*;
use crate::vocabulary::LeaseMode;

/// Of a thousand ordinary commands, at most this many may be refused.
const FALSE_ALARMS: usize = 10;

/// What git ignores in an ordinary project.
const IGNORED: [&str; 8] =
    ["target", "node_modules", "dist", "build", ".venv", "__pycache__", "*.pyc", "coverage"];

fn is_ignored(place: &str) -> bool {
    place.split('/').any(|name| IGNORED.contains(&name))
}

#[test]
fn ordinary_commands_are_allowed() {
    let lines = include_str!("ordinary.txt").lines().filter(|line| !line.starts_with('#'));
    let commands: Vec<String> = lines.map(|line| line.replace('⏎', "\n")).collect();
    assert!(commands.len() >= 500, "{}", commands.len());
    let on_main = Case::of("member1").at("/p");
    let mut beside_a_lease = Case::of("member1").at("/wt");
    beside_a_lease.leases.push(held("member2", "src/parser/lexer.rs", LeaseMode::Exclusive));
    for (case, place) in [(on_main, "on main"), (beside_a_lease, "beside a lease")] {
        let refused: Vec<String> = commands
            .iter()
            .filter_map(|command| {
                let ignores = |tree: &mut Tree| tree.ignored = is_ignored(&tree.path);
                let judgement = case.judge_with(&Action::command(command), ignores);
                judgement.denial().map(|denial| format!("{}: {command}", denial.rule))
            })
            .collect();
        println!("{place}: {} of {} refused\n{}", refused.len(), commands.len(), refused.join("\n"));
        assert!(refused.len() * 1000 <= commands.len() * FALSE_ALARMS, "{place}: {}", refused.join("\n"));
    }
}
