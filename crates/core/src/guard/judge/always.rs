//! What holds for agents wherever any rule does: the guard stays, and what it can't follow is not done.

use super::{Denial, Rule, Scene};
use crate::decide::lease::has_wildcards;
use crate::guard::own::{is_client_file, is_hook, reaches};
use crate::guard::path;
use crate::guard::touches::{Touch, What, Writing};

/// The guard is put, changed and taken away by a person.
pub(super) fn guard_itself(scene: &Scene<'_>, touch: &Touch) -> Option<Denial> {
    if touch.what == What::SkipHooks {
        return Some(hooks_run(scene, touch));
    }
    let what = match &touch.what {
        What::Rearm => "install or remove the guard's hooks",
        What::Write { path, how } if !how.is_of_git() && is_client_file(path, *how) => {
            "change a file that the hooks of a client stand in"
        }
        What::Write { path, how: how @ (Writing::Edit | Writing::Remove) }
            if scene.tree(path).is_some_and(|tree| tree.guarded && tree.path == *path)
                && (*how == Writing::Remove || is_hook(path)) =>
        {
            "change a hook of git that asks the guard"
        }
        What::Write { path, how } if !how.is_of_git() && reaches_a_hook(scene, path, *how) => {
            "change hooks of git that ask the guard"
        }
        What::Write { path, how } if !how.is_of_git() && is_settings(scene, path) => {
            "change the settings of git, which say where the hooks that ask the guard are"
        }
        What::Rehook { .. } => "have git look for hooks elsewhere",
        What::Write { path, how } if !how.is_of_git() && is_inside_git(scene, path, *how) => {
            "write into the directory of git itself"
        }
        _ => return None,
    };
    let reason = format!("`{}` would {what}, which only a person does.", touch.source);
    Some(Denial::new(Rule::GuardItself, reason, scene.ask_above()))
}

/// Agents never skip hooks, whether or not they ask the guard.
fn hooks_run(scene: &Scene<'_>, touch: &Touch) -> Denial {
    let reason = format!("`{}` would skip the hooks of git, which agents may not do.", touch.source);
    let way_out = format!(
        "Drop `--no-verify`, `-n` or the `core.hooksPath` setting, and fix what the hook reports. {}",
        scene.ask_above()
    );
    Denial::new(Rule::GuardItself, reason, way_out)
}

/// Whether a write reaches a hook that asks the guard, by wildcards or with the directory around it.
fn reaches_a_hook(scene: &Scene<'_>, path: &str, how: Writing) -> bool {
    let hooks = scene.tree(path).map_or(&[][..], |tree| &tree.hooks);
    hooks.iter().any(|hook| match how {
        Writing::Below => hook.rsplit_once('/').is_some_and(|(directory, _)| directory == path),
        // The directory itself may be made or filled: only with what is in it does the guard go.
        Writing::Edit if !has_wildcards(path) && !is_hook(path) => false,
        how => reaches(path, how, hook),
    })
}

/// Whether a path is where git keeps the settings of a repository with a guard.
fn is_settings(scene: &Scene<'_>, path: &str) -> bool {
    scene.tree(path).filter(|tree| !tree.hooks.is_empty()).is_some_and(|tree| {
        let inside = |directory: &str| path::below(path, directory);
        let inside = inside(&tree.repository).or_else(|| inside(&format!("{}/.git", tree.root)));
        inside.is_some_and(|inside| matches!(path::file_name(inside), "config" | "config.worktree"))
    })
}

/// Whether a write goes below the directory of git. A lock that a killed git left behind may be removed.
fn is_inside_git(scene: &Scene<'_>, written: &str, how: Writing) -> bool {
    let is_lock = how == Writing::Remove && written.ends_with(".lock") && !has_wildcards(written);
    scene.tree(written).filter(|_| !is_lock).is_some_and(|tree| {
        let inside = |directory: &str| path::below(written, directory).is_some();
        inside(&tree.repository) || inside(&format!("{}/.git", tree.root))
    })
}

/// What can't be followed can't be judged, and an allowance would be a guess.
pub(super) fn too_much(touch: &Touch) -> Option<Denial> {
    if touch.what != What::TooMuch {
        return None;
    }
    let reason = format!("`{}` is too long or too deeply nested to be judged.", touch.source);
    Some(Denial::new(Rule::TooMuch, reason, "Run it in smaller steps."))
}
