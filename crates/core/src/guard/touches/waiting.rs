//! Who waits: sleeping, looking again and again, and typing into terminals.

use super::{Found, What};
use crate::guard::shell::Run;

/// Commands of tmux that send to a pane or read it, with their short forms.
const TERMINAL_VERBS: [&str; 9] = [
    "send-keys",
    "send",
    "send-prefix",
    "capture-pane",
    "capturep",
    "paste-buffer",
    "pasteb",
    "pipe-pane",
    "pipep",
];

/// Our own commands that look for what others did: in a loop they are polling, also without a pause.
const LOOKS: [&str; 4] = ["inbox", "status", "briefing", "wait"];

fn looks(run: &Run) -> bool {
    run.known().next().is_some_and(|verb| LOOKS.contains(&verb))
}

/// What a run waits for.
pub(super) fn waited(run: &Run, found: &mut Found) {
    match run.program.as_deref() {
        Some("sleep" | "usleep" | "gsleep") if !run.background => {
            if run.looped {
                found.add(What::Poll);
            } else if let Some(milliseconds) = duration(run) {
                found.add(What::Sleep { milliseconds });
            }
        }
        Some("watch") if !run.background => found.add(What::Poll),
        Some("interagent") if run.looped && !run.background && looks(run) => found.add(What::Poll),
        Some("tmux") => {
            if let Some(verb) = run.known().find(|argument| TERMINAL_VERBS.contains(argument)) {
                found.add(What::Terminal { verb: verb.to_owned() });
            }
        }
        _ => {}
    }
}

/// `sleep 60 & wait` waits as long as `sleep 60`.
pub(super) fn waited_for_the_background(runs: &[Run], found: &mut Found) {
    let waits = |run: &Run| run.program.as_deref() == Some("wait") && !run.background;
    for (i, run) in runs.iter().enumerate().filter(|(_, run)| run.background) {
        let slept = matches!(run.program.as_deref(), Some("sleep" | "usleep" | "gsleep"));
        if slept && runs[i..].iter().any(waits) {
            found.source.clone_from(&run.source);
            waited(&Run { background: false, ..run.clone() }, found);
        }
    }
}

/// How long `sleep` takes; absent where an argument is not known.
fn duration(run: &Run) -> Option<u64> {
    let mut total = 0.0_f64;
    for argument in &run.arguments {
        let argument = argument.as_deref()?;
        let (number, unit) = match argument.char_indices().find(|(_, c)| c.is_ascii_alphabetic()) {
            Some((at, _)) => argument.split_at(at),
            None => (argument, "s"),
        };
        let unit = match unit {
            "m" => 60.0,
            "h" => 3_600.0,
            "d" => 86_400.0,
            "infinity" | "inf" => return Some(u64::MAX),
            _ => 1.0,
        };
        if argument == "infinity" {
            return Some(u64::MAX);
        }
        total += number.parse::<f64>().ok()?.max(0.0) * unit;
    }
    let scale = if run.program.as_deref() == Some("usleep") { 0.001 } else { 1_000.0 };
    // It is not negative, and what is too large stays the largest.
    Some((total * scale) as u64)
}
