//! Which commands of git pass by its hooks: by an option, or by a setting for this one run.

use super::{Found, What};
use crate::guard::shell::Run;

/// The setting that says where hooks are.
const SETTING: &str = "core.hooksPath";

/// Commands that run hooks and take `--no-verify`. `-n` means that only to `commit`; `push -n` is a dry run.
const VERIFIES: [&str; 6] = ["am", "commit", "merge", "pull", "push", "rebase"];

/// Commands that run hooks and have no option against it.
const RUNS_HOOKS: [&str; 2] = ["cherry-pick", "revert"];

/// Short options behind which the rest of the word is a value: `-mn` has no `-n`.
const SHORT_VALUED: &str = "CFSXcmostu";

/// Those of them whose value never is the next argument.
const ATTACHED: &str = "Su";

/// Long options whose value is the next argument.
const LONG_VALUED: [&str; 16] = [
    "author",
    "cleanup",
    "date",
    "exec",
    "file",
    "fixup",
    "into-name",
    "message",
    "push-option",
    "receive-pack",
    "reedit-message",
    "repo",
    "reuse-message",
    "squash",
    "strategy",
    "trailer",
];

/// Options of git itself whose value is the next argument.
const VALUED: [&str; 6] = ["-C", "--attr-source", "--exec-path", "--git-dir", "--namespace", "--work-tree"];

/// Finds a run of git that skips hooks.
pub(super) fn skipped(run: &Run, found: &mut Found) {
    let mut arguments = run.arguments.iter().map(Option::as_deref);
    let mut moves_hooks = sets_by_variable(run);
    let verb = loop {
        match arguments.next() {
            None => return,
            Some(None) => break None,
            Some(Some("-c" | "--config-env")) => moves_hooks |= arguments.next().flatten().is_some_and(sets),
            Some(Some(option)) if VALUED.contains(&option) => {
                arguments.next();
            }
            Some(Some(option)) if option.starts_with('-') => {
                moves_hooks |= option.strip_prefix("--config-env=").is_some_and(sets);
            }
            Some(verb) => break verb,
        }
    };
    let verb = verb.unwrap_or_default();
    let rest: Vec<Option<&str>> = arguments.collect();
    let runs_hooks = VERIFIES.contains(&verb) || RUNS_HOOKS.contains(&verb);
    if moves_hooks || (runs_hooks && has_other_settings(run)) || skips(verb, &rest) {
        found.add(What::SkipHooks);
    }
}

/// `core.hooksPath=X`, or the name alone.
fn sets(setting: &str) -> bool {
    setting.split('=').next().is_some_and(|name| name.eq_ignore_ascii_case(SETTING))
}

/// `GIT_CONFIG_KEY_0=core.hooksPath`, and the variable by which git passes its own `-c` on.
fn sets_by_variable(run: &Run) -> bool {
    run.settings.iter().any(|(name, value)| match name.as_str() {
        "GIT_CONFIG_PARAMETERS" => value.to_lowercase().contains(&SETTING.to_lowercase()),
        name => name.starts_with("GIT_CONFIG_KEY_") && sets(value),
    })
}

/// Whether git is told to read other settings than those of this machine. An empty file sets nothing.
fn has_other_settings(run: &Run) -> bool {
    run.settings.iter().any(|(name, value)| {
        matches!(name.as_str(), "GIT_CONFIG_GLOBAL" | "GIT_CONFIG_SYSTEM")
            && !matches!(value.as_str(), "" | "/dev/null")
    })
}

/// Whether the options of a command skip its hooks. Git takes the beginning of a long option for the whole.
fn skips(verb: &str, rest: &[Option<&str>]) -> bool {
    if !VERIFIES.contains(&verb) || rest.contains(&Some("--dry-run")) {
        return false;
    }
    let mut words = rest.iter().copied();
    while let Some(word) = words.next() {
        let Some(option) = word.and_then(|word| word.strip_prefix('-')) else { continue };
        match option.strip_prefix('-') {
            Some("") => return false,
            Some(long) if LONG_VALUED.contains(&long) => {
                words.next();
            }
            Some(long) if long.len() >= "no-veri".len() && "no-verify".starts_with(long) => return true,
            Some(_) => {}
            None => {
                let value = option.find(|letter| SHORT_VALUED.contains(letter));
                if verb == "commit" && option[..value.unwrap_or(option.len())].contains('n') {
                    return true;
                }
                let is_last = |at: usize| at + 1 == option.len();
                if value.is_some_and(|at| is_last(at) && !ATTACHED.contains(&option[at..])) {
                    words.next();
                }
            }
        }
    }
    false
}
