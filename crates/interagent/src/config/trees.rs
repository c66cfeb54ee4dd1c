//! Which git tree a path belongs to and which branch is checked out there, read from git's files; and where links lead.
//!
//! Owns what `HEAD` says. git itself is never started: this runs before every tool call of an agent.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use interagent_core::guard::own::{HOOK_MARK, HOOKS, is_hook};
use interagent_wire::request::{LinkParam, TreeParam};

use super::git;

/// Links that lead to a link are followed so far.
const LINKS: usize = 16;

/// The paths that lead elsewhere, with the place where they lead.
pub(crate) fn links_for<'a>(paths: impl IntoIterator<Item = &'a str>) -> Vec<LinkParam> {
    let mut links: Vec<LinkParam> = Vec::new();
    for path in paths {
        if !links.iter().any(|link| link.path == path)
            && let Some(real) = real_path(Path::new(path)).to_str().filter(|real| *real != path)
        {
            links.push(LinkParam { path: path.to_owned(), real: real.to_owned() });
        }
    }
    links
}

/// A path without links. It need not exist: the nearest directory above it that does counts.
pub(crate) fn real_path(path: &Path) -> PathBuf {
    let mut path = path.to_owned();
    // A link to a file that is not there yet: writing makes that file.
    for _ in 0..LINKS {
        let is_dangling = fs::metadata(&path).is_err();
        match fs::read_link(&path).ok().filter(|_| is_dangling) {
            Some(to) => path = path.parent().map(|from| from.join(&to)).unwrap_or(to),
            None => break,
        }
    }
    for above in path.ancestors() {
        if let (Ok(real), Ok(rest)) = (above.canonicalize(), path.strip_prefix(above)) {
            return if rest.as_os_str().is_empty() { real } else { real.join(rest) };
        }
    }
    path
}

/// Whether a hook of git asks the guard.
fn asks(hook: &Path) -> bool {
    let text = git::read_bounded(hook).unwrap_or_default();
    String::from_utf8_lossy(&text).lines().any(|line| line == HOOK_MARK)
}

/// The hooks of a repository that ask the guard, where git looks for them by the settings of the repository itself.
fn guarded_hooks(root: &Path, common_dir: &Path) -> Vec<String> {
    let settings = git::read_bounded(&common_dir.join("config")).unwrap_or_default();
    let settings = String::from_utf8_lossy(&settings).into_owned();
    let mut moved = settings.lines().filter_map(|line| {
        let (name, value) = line.split_once('=')?;
        name.trim().eq_ignore_ascii_case("hooksPath").then(|| value.trim().trim_matches('"'))
    });
    let directory = moved.next_back().map_or_else(|| common_dir.join("hooks"), |value| root.join(value));
    let hooks = HOOKS.iter().map(|hook| directory.join(hook)).filter(|hook| asks(hook));
    hooks.filter_map(|hook| real_path(&hook).to_str().map(str::to_owned)).collect()
}

/// Whether a path is a hook of git that asks the guard, one that was moved aside for it, or a directory with one.
fn is_guarded(path: &Path) -> bool {
    match path.to_str().is_some_and(is_hook) {
        true => asks(&path.with_extension("")),
        false => HOOKS.iter().any(|hook| asks(&path.join(hook))),
    }
}

/// The tree of each path that lies in one. A path need not exist: the nearest directory above it that does counts.
pub(crate) fn trees_for<'a>(paths: impl IntoIterator<Item = &'a str>) -> Vec<TreeParam> {
    let mut known: HashMap<PathBuf, Option<TreeParam>> = HashMap::new();
    let mut trees: Vec<TreeParam> = Vec::new();
    for path in paths {
        if trees.iter().any(|tree| tree.path == path) {
            continue;
        }
        let found = Path::new(path).ancestors().find_map(|directory| {
            let tree = known.entry(directory.to_owned()).or_insert_with(|| tree_at(directory));
            tree.clone()
        });
        trees.extend(found.map(|tree| {
            let guarded = is_guarded(Path::new(path));
            TreeParam { path: path.to_owned(), guarded, ..tree }
        }));
    }
    trees
}

/// The tree whose root is this directory.
fn tree_at(root: &Path) -> Option<TreeParam> {
    // What can't be read is no tree for the guard: it stops nobody for what it does not know.
    let (git_dir, common_dir) = git::directories_at(root).ok().flatten()?;
    Some(TreeParam {
        path: String::new(),
        root: root.to_str()?.to_owned(),
        repository: common_dir.to_str()?.to_owned(),
        branch: branch(&git_dir),
        merging: fs::symlink_metadata(git_dir.join("MERGE_HEAD")).is_ok(),
        ignored: false,
        guarded: false,
        hooks: guarded_hooks(root, &common_dir),
        untracked: None,
    })
}

/// The branch that is checked out; while it is being rebased, the one that will be again.
fn branch(git_dir: &Path) -> Option<String> {
    let read = |name: &str| {
        let bytes = git::read_bounded(&git_dir.join(name)).ok()?;
        Some(String::from_utf8_lossy(bytes.trim_ascii()).into_owned())
    };
    let short = |name: &str| name.strip_prefix("refs/heads/").map(str::to_owned);
    let head = read("HEAD")?;
    match head.strip_prefix("ref:") {
        Some(name) => short(name.trim_start()),
        None => ["rebase-merge/head-name", "rebase-apply/head-name"]
            .iter()
            .find_map(|name| read(name).as_deref().and_then(short)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(directory: &Path, files: &[(&str, &str)]) {
        for (name, text) in files {
            let path = directory.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
    }

    #[test]
    fn trees_are_found_with_their_branches() {
        let place = tempfile::tempdir().unwrap();
        let root = place.path().canonicalize().unwrap();
        let linked = root.join("p/.git/worktrees/wt");
        made(
            &root,
            &[
                ("p/.git/HEAD", "ref: refs/heads/main\n"),
                ("p/.git/worktrees/wt/HEAD", "ref: refs/heads/task/login\n"),
                ("p/.git/worktrees/wt/commondir", "../..\n"),
                ("p/.git/worktrees/wt/MERGE_HEAD", "x\n"),
                ("wt/.git", &format!("gitdir: {}\n", linked.display())),
                ("loose/.git/HEAD", "0123456789012345678901234567890123456789\n"),
                ("rebasing/.git/HEAD", "0123456789012345678901234567890123456789\n"),
                ("rebasing/.git/rebase-merge/head-name", "refs/heads/main\n"),
                ("none/x", ""),
            ],
        );
        let paths: Vec<String> =
            ["p", "p/src/new/a.rs", "wt/*.rs", "loose", "rebasing/x", "none/x", "p/.git/info"]
                .map(|path| root.join(path).display().to_string())
                .into();
        let below =
            |path: &str| path.strip_prefix(&format!("{}/", root.display())).unwrap_or(path).to_owned();
        let shown: Vec<String> = trees_for(paths.iter().map(String::as_str))
            .iter()
            .map(|tree| {
                let branch = tree.branch.as_deref().unwrap_or("-");
                let merging = if tree.merging { " merging" } else { "" };
                let (path, root) = (below(&tree.path), below(&tree.root));
                format!("{path}: {root} {} {branch}{merging}", below(&tree.repository))
            })
            .collect();
        insta::assert_snapshot!(shown.join("\n"), @r"
        p: p p/.git main
        p/src/new/a.rs: p p/.git main
        wt/*.rs: wt p/.git task/login merging
        loose: loose loose/.git -
        rebasing/x: rebasing rebasing/.git main
        p/.git/info: p p/.git main
        ");
    }
}
