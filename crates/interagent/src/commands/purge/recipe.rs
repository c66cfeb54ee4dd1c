//! What a person does about a purged text that git has in old commits.
//!
//! Owns the words and the commands. Nothing here changes a repository: rewriting history that others share is their
//! decision, and they have to act too.

use interagent_core::shell::quoted;

use crate::config::hub::Discovery;
use crate::git;
use crate::session::Session;

/// The branch that holds the log.
const BRANCH: &str = "interagent";

const GC: &str = "  git gc --prune=now      # drops every object that nothing points to, not only these";

/// Where a text lies on the branch, and below the hub in a tree.
fn path_of(hash: &str) -> String {
    format!("texts/{}/{hash}.json", hash.get(..2).unwrap_or(hash))
}

/// The recipe for texts that are in the history of the repository around the hub; empty where none is.
pub(super) fn for_texts(session: &Session, hashes: &[String]) -> Vec<String> {
    let Ok(Discovery::Found(found)) = session.discover() else { return Vec::new() };
    let directory = found.hub_dir.parent().unwrap_or(&found.hub_dir);
    let on_branch: Vec<String> =
        hashes.iter().map(|hash| path_of(hash)).filter(|path| git::history_holds(directory, path)).collect();
    // Names have an ending in a worktree, and a hub need not be at the root.
    let in_trees: Vec<String> = hashes
        .iter()
        .filter_map(|hash| path_of(hash).strip_suffix(".json").map(|path| format!(".interagent/{path}")))
        .filter(|path| git::history_holds(directory, &format!(":(top,glob)**/{path}*")))
        .collect();
    let mut lines = Vec::new();
    if !on_branch.is_empty() {
        lines.extend(branch(&on_branch, &git::remotes_with(directory, BRANCH)));
    }
    if !in_trees.is_empty() {
        lines.extend(trees(&in_trees));
    }
    lines
}

/// The tip of the branch no longer has the text once `sync` ran with every remote, so the branch can begin anew with it.
fn branch(paths: &[String], remotes: &[String]) -> Vec<String> {
    let texts = if paths.len() == 1 { "the text is" } else { "the texts are" };
    let mut lines = vec![
        String::new(),
        format!(
            "{texts} still in old commits of the branch {BRANCH}. If it was a secret, make it worthless first:"
        ),
        "revoke or change it where it is used. Then take it out of the history, in this order:".to_owned(),
        String::new(),
    ];
    lines.extend(syncs(remotes));
    lines.push(format!(
        "  git update-ref refs/heads/{BRANCH} \"$(git commit-tree -m 'interagent: history begins anew' 'refs/heads/{BRANCH}^{{tree}}')\""
    ));
    lines.push("  git update-ref -d refs/interagent-next".to_owned());
    for remote in remotes {
        lines.push(format!("  git update-ref -d {}", quoted(&format!("refs/interagent/{remote}"))));
        lines.push(format!("  git update-ref -d {}", quoted(&format!("refs/remotes/{remote}/{BRANCH}"))));
        lines.push(push(remote));
    }
    lines.push(format!("  git reflog expire --expire=all refs/heads/{BRANCH}"));
    lines.push(GC.to_owned());
    lines.push(String::new());
    lines.push("or, where git-filter-repo is installed and older commits are to stay:".to_owned());
    lines.push(String::new());
    let named: Vec<String> = paths.iter().map(|path| format!("--path {path}")).collect();
    lines.push(format!(
        "  git filter-repo --force --refs refs/heads/{BRANCH} --invert-paths {}",
        named.join(" ")
    ));
    lines.extend(remotes.iter().map(|remote| push(remote)));
    lines.push(String::new());
    lines.push(
        "Everybody else with a clone, before their next sync (else it brings the old commits back):"
            .to_owned(),
    );
    lines.push(String::new());
    lines.push(format!("  git update-ref -d refs/heads/{BRANCH}"));
    lines.push("  git update-ref -d refs/interagent-next".to_owned());
    // A clone of this repository has a remote, also where this one has none.
    let usual = ["origin".to_owned()];
    for remote in if remotes.is_empty() { &usual } else { remotes } {
        lines.push(format!("  git update-ref -d {}", quoted(&format!("refs/interagent/{remote}"))));
        // Every ordinary clone has it, also one without a hub.
        lines.push(format!("  git update-ref -d {}", quoted(&format!("refs/remotes/{remote}/{BRANCH}"))));
    }
    // With these refs their reflogs are gone, too.
    lines.push(GC.to_owned());
    lines.extend(syncs(remotes));
    lines.push(String::new());
    lines.push(
        "The last line only where there is a hub; where the remote has another name there, use that."
            .to_owned(),
    );
    lines.push(
        "Nothing is lost by that: what a clone has not pushed is in its hub, and sync writes it again."
            .to_owned(),
    );
    lines
}

fn push(remote: &str) -> String {
    format!("  git push --force {} refs/heads/{BRANCH}", quoted(remote))
}

/// One sync with each remote; the usual one alone needs no name.
fn syncs(remotes: &[String]) -> Vec<String> {
    match remotes {
        [] => vec!["  interagent sync".to_owned()],
        [alone] if alone == "origin" => vec!["  interagent sync".to_owned()],
        several => several.iter().map(|remote| format!("  interagent sync {}", quoted(remote))).collect(),
    }
}

/// With `track = "worktree"` the text is in ordinary commits, which only their owners rewrite.
fn trees(paths: &[String]) -> Vec<String> {
    let named: Vec<String> = paths.iter().map(|path| format!("--path-glob '*{path}*'")).collect();
    vec![
        String::new(),
        "git still has it in commits of your branches. If it was a secret, revoke or change it first. Then commit".to_owned(),
        "its removal, and rewrite the branches together with everybody who has a clone (they clone anew):".to_owned(),
        String::new(),
        "  interagent sync".to_owned(),
        "  git add -A .interagent && git commit -m 'interagent: a text was purged'".to_owned(),
        format!("  git filter-repo --force --invert-paths {}", named.join(" ")),
        "  git push --force --all".to_owned(),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_remote_and_both_ways_are_named() {
        let remotes = ["origin", "backup"].map(str::to_owned);
        let lines = branch(&["texts/ab/abcd.json".to_owned()], &remotes);
        let count = |wanted: &str| lines.iter().filter(|line| line.trim() == wanted).count();
        for remote in &remotes {
            // Here, and for everybody else.
            assert_eq!(count(&format!("interagent sync {remote}")), 2, "{lines:#?}");
            assert_eq!(count(&format!("git update-ref -d refs/interagent/{remote}")), 2, "{lines:#?}");
            let followed = format!("git update-ref -d refs/remotes/{remote}/{BRANCH}");
            assert_eq!(count(&followed), 2, "{lines:#?}");
            // To begin anew, or to keep older commits.
            assert_eq!(count(&format!("git push --force {remote} refs/heads/{BRANCH}")), 2, "{lines:#?}");
        }
        assert_eq!(count(GC.trim()), 2, "{lines:#?}");
        assert!(lines.iter().any(|line| line.contains("git commit-tree")), "{lines:#?}");
        assert!(
            lines.iter().any(|line| line.ends_with("--invert-paths --path texts/ab/abcd.json")),
            "{lines:#?}"
        );
        assert_eq!(syncs(&["backup".to_owned()]), ["  interagent sync backup"], "sync alone means origin");
    }
}
