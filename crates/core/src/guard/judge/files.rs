//! RACE-001: one writer per file; and, always, none but the program for the files of the hub.

use super::{Denial, Rule, Scene};
use crate::decide::lease::overlap;
use crate::guard::own::reaches;
use crate::guard::path;
use crate::guard::touches::{Touch, What, Writing};
use crate::team::Guard;
use crate::vocabulary::LeaseMode;

/// What no agent writes, whatever the team's rules are.
const KEPT: [&str; 3] = ["team.toml", "log", "state"];

/// How what they hold is called, as far as a search by name may find it.
const KEPT_NAMES: [&str; 7] = ["hub.db", "log", "search.db", "state", "store-id", "team.toml", "x.jsonl"];

/// The files of a hub that only the program and a person write.
pub(super) fn hub_files(scene: &Scene<'_>, touch: &Touch) -> Option<Denial> {
    let What::Write { path, how } = &touch.what else { return None };
    // Putting back what git has does not reach files that git does not know.
    if how.is_of_git() {
        return None;
    }
    let hub = scene.facts.hub?;
    let in_hub = *how == Writing::Below && path == hub;
    // A search by name finds only what is called so.
    let searched =
        path::by_name(path).is_some_and(|(_, name)| !KEPT_NAMES.iter().any(|kept| overlap(name, kept)));
    let reached = |kept: &&&str| !searched && reaches(path, *how, &format!("{hub}/{kept}"));
    let kept = KEPT.iter().find(|kept| in_hub || reached(kept))?;
    let (reason, way_out) = match *kept {
        "team.toml" => (
            format!("`{}` would change the team's own file, which only a person changes.", touch.source),
            format!("{} `interagent team show` shows the rules.", scene.ask_above()),
        ),
        _ => (
            format!(
                "`{}` would write into the record of the team ({hub}/{kept}), which only interagent writes.",
                touch.source
            ),
            "Use its commands instead, such as `interagent log`, `interagent task` and `interagent send`."
                .to_owned(),
        ),
    };
    Some(Denial::new(Rule::HubFiles, reason, way_out))
}

/// Files that another agent holds alone.
pub(super) fn one_writer(scene: &Scene<'_>, touch: &Touch) -> Option<Denial> {
    let (path, how) = match &touch.what {
        What::Write { path, how } => (path, how),
        // A merge brings changes that were judged when their author committed them.
        What::CommitFile { path } if !scene.tree(path).is_some_and(|tree| tree.merging) => {
            (path, &Writing::Edit)
        }
        _ => return None,
    };
    // What is discarded in a tree of one's own was nobody else's.
    let own_tree = scene.tree(path).is_some_and(|tree| Some(tree.root.as_str()) != scene.facts.project);
    if how.is_of_git() && own_tree {
        return None;
    }
    let named = scene.in_project(path)?;
    let named = if named.is_empty() { "**" } else { named };
    let others = scene.facts.leases.iter().filter(|held| {
        Some(&held.lease.brief.holder) != scene.member.id.as_ref()
            && held.lease.brief.mode == LeaseMode::Exclusive
    });
    for held in others {
        let untracked = scene.tree(path).and_then(|tree| tree.untracked.as_ref());
        let meets = |glob: &str| match untracked.filter(|_| *how == Writing::Clean) {
            Some(files) => files.iter().any(|file| overlap(named, file) && overlap(file, glob)),
            None => overlap(named, glob) && may_be_called(named, glob),
        };
        if let Some(glob) = held.lease.brief.globs.iter().find(|glob| meets(glob)) {
            let (written, asked) = match touch.what {
                What::CommitFile { .. } => (format!("commit {named}"), path::file_name(named).to_owned()),
                _ => in_words(named, *how),
            };
            let reason = format!(
                "`{}` would {written}, and {} holds {glob} alone for another {} ({}).",
                touch.source,
                held.holder,
                time(held.left_s),
                held.lease.id
            );
            let way_out = match how {
                // Which file it is can be said.
                Writing::Below => "Name the file in the command: then only that one is judged.".to_owned(),
                _ => format!(
                    "Work on something else, or ask: `interagent send --to {} -m \"May I change {asked}?\"`.",
                    held.holder
                ),
            };
            return Some(Denial::new(Guard::Race001, reason, way_out));
        }
    }
    None
}

/// Whether a search by name may find what a glob holds: the names of both must fit.
fn may_be_called(named: &str, glob: &str) -> bool {
    let last = path::file_name(glob);
    path::by_name(&format!("/{named}")).is_none_or(|(_, name)| {
        let of_directory = || glob.split('/').any(|part| overlap(part, name));
        last == "**" || overlap(last, name) || of_directory()
    })
}

/// What is written, and what to ask for. Wildcards are nothing to ask somebody with.
fn in_words(named: &str, how: Writing) -> (String, String) {
    let directory = named.trim_end_matches("**").trim_end_matches('/');
    match named {
        _ if directory.is_empty() => {
            ("change files all over the tree".to_owned(), "files that you hold".to_owned())
        }
        _ if how == Writing::Below || directory != named => {
            (format!("change files below {directory}"), format!("files below {directory}"))
        }
        named => (format!("write {named}"), path::file_name(named).to_owned()),
    }
}

/// A time in words; minutes are enough for who waits that long.
fn time(seconds: i64) -> String {
    match seconds {
        ..60 => format!("{seconds} s"),
        _ => format!("{} min", (seconds + 59) / 60),
    }
}
