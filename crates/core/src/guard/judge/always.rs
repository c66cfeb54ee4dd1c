//! What holds for agents wherever any rule does: the guard stays, and what it can't follow is not done.

use super::{Denial, Rule, Scene};
use crate::guard::own::{is_client_file, is_hook};
use crate::guard::touches::{Touch, What, Writing};

/// The guard is put, changed and taken away by a person.
pub(super) fn guard_itself(scene: &Scene<'_>, touch: &Touch) -> Option<Denial> {
    let what = match &touch.what {
        What::Rearm => "put or take away the hooks that the guard stands in",
        What::Write { path, how } if *how != Writing::Discard && is_client_file(path, *how) => {
            "change a file that the hooks of a client stand in"
        }
        What::Write { path, how: how @ (Writing::Edit | Writing::Remove) }
            if scene.tree(path).is_some_and(|tree| tree.guarded && tree.path == *path)
                && (*how == Writing::Remove || is_hook(path)) =>
        {
            "change a hook of git that asks the guard"
        }
        _ => return None,
    };
    let reason = format!("`{}` would {what}, which only a person does.", touch.source);
    Some(Denial::new(Rule::GuardItself, reason, scene.ask_above()))
}

/// What can't be followed can't be judged, and an allowance would be a guess.
pub(super) fn too_much(touch: &Touch) -> Option<Denial> {
    if touch.what != What::TooMuch {
        return None;
    }
    let reason = format!("`{}` is too long or too deeply nested to be judged.", touch.source);
    Some(Denial::new(Rule::TooMuch, reason, "Run it in smaller steps."))
}
