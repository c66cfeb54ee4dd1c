//! Which commands of git pass by its hooks: by an option, or by a setting for this one run.

use super::{Found, What};
use crate::guard::shell::Run;

/// The setting that says where hooks are.
const SETTING: &str = "core.hooksPath";

/// A command that runs hooks and takes `--no-verify`, with what its options mean.
struct Verb {
    name: &'static str,
    /// The letter that means `--no-verify`. For `push`, `-n` is a dry run.
    skips: Option<char>,
    /// Short options whose value is the rest of the word, or else the next argument.
    valued: &'static str,
    /// Short options whose value is the rest of the word.
    attached: &'static str,
    /// Long options whose value is the next argument.
    long: &'static [&'static str],
    /// Options that make it try and change nothing.
    dry: &'static [&'static str],
}

const VERIFIES: [Verb; 6] = [
    Verb {
        name: "am",
        skips: Some('n'),
        valued: "Cp",
        attached: "S",
        long: &["directory", "exclude", "include", "patch-format", "quoted-cr"],
        dry: &[],
    },
    Verb {
        name: "commit",
        skips: Some('n'),
        valued: "CFcmt",
        attached: "Su",
        long: &[
            "author",
            "cleanup",
            "date",
            "file",
            "fixup",
            "message",
            "pathspec-from-file",
            "reedit-message",
            "reuse-message",
            "squash",
            "template",
            "trailer",
        ],
        dry: &["--dry-run"],
    },
    Verb {
        name: "merge",
        skips: None,
        valued: "FXms",
        attached: "S",
        long: &["cleanup", "file", "into-name", "message", "strategy", "strategy-option"],
        dry: &[],
    },
    Verb {
        name: "pull",
        skips: None,
        valued: "Xjos",
        attached: "S",
        long: &["cleanup", "server-option", "strategy", "strategy-option", "upload-pack"],
        dry: &["--dry-run"],
    },
    Verb {
        name: "push",
        skips: None,
        valued: "o",
        attached: "",
        long: &["exec", "push-option", "receive-pack", "repo"],
        dry: &["--dry-run", "-n"],
    },
    Verb {
        name: "rebase",
        skips: None,
        valued: "CXsx",
        attached: "S",
        long: &["exec", "onto", "strategy", "strategy-option"],
        dry: &[],
    },
];

/// Commands that run hooks and have no option against it.
const RUNS_HOOKS: [&str; 2] = ["cherry-pick", "revert"];

/// Variables that make git read other settings than usual.
const SETTINGS_FROM: [&str; 5] =
    ["GIT_CONFIG_GLOBAL", "GIT_CONFIG_NOSYSTEM", "GIT_CONFIG_SYSTEM", "HOME", "XDG_CONFIG_HOME"];

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
    let verifies = VERIFIES.iter().find(|one| one.name == verb);
    let runs_hooks = verifies.is_some() || RUNS_HOOKS.contains(&verb);
    let skips = verifies.is_some_and(|verb| skips(verb, &rest));
    if moves_hooks || skips || (runs_hooks && has_other_settings(run)) {
        found.add(What::SkipHooks);
    }
}

/// `core.hooksPath=X`, the name alone, or a file with settings.
fn sets(setting: &str) -> bool {
    let name = setting.split('=').next().unwrap_or_default().to_ascii_lowercase();
    name.eq_ignore_ascii_case(SETTING) || name.starts_with("include.") || name.starts_with("includeif.")
}

/// `GIT_CONFIG_KEY_0=core.hooksPath`, and the variable by which git passes its own `-c` on.
fn sets_by_variable(run: &Run) -> bool {
    run.settings.iter().any(|(name, value)| match name.as_str() {
        "GIT_CONFIG_PARAMETERS" => value.to_lowercase().contains(&SETTING.to_lowercase()),
        name => name.starts_with("GIT_CONFIG_KEY_") && sets(value),
    })
}

/// Whether git is told to read other settings than those of this machine, which may name our hooks.
fn has_other_settings(run: &Run) -> bool {
    run.settings.iter().any(|(name, _)| SETTINGS_FROM.contains(&name.as_str()))
}

/// Whether the options of a command skip its hooks. Git takes the beginning of a long option for the whole.
fn skips(verb: &Verb, rest: &[Option<&str>]) -> bool {
    let mut words = rest.iter().copied();
    let mut skips = false;
    while let Some(word) = words.next() {
        let Some(option) = word.and_then(|word| word.strip_prefix('-')) else { continue };
        if word.is_some_and(|word| verb.dry.contains(&word)) {
            return false;
        }
        match option.strip_prefix('-') {
            Some("") => break,
            Some(long) if verb.long.contains(&long) => {
                words.next();
            }
            Some(long) => skips |= long.len() >= "no-veri".len() && "no-verify".starts_with(long),
            None => {
                let value =
                    option.find(|letter| verb.valued.contains(letter) || verb.attached.contains(letter));
                let letters = &option[..value.unwrap_or(option.len())];
                skips |= verb.skips.is_some_and(|letter| letters.contains(letter));
                let takes_next =
                    value.is_some_and(|at| at + 1 == option.len() && !verb.attached.contains(&option[at..]));
                if takes_next {
                    words.next();
                }
            }
        }
    }
    skips
}
