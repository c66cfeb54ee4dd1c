//! Where a worktree may be made by itself: a team file may have come with a clone, and must not place files just anywhere.

use std::path::{Component, Path};

/// Whether a worktree that a team file names is inside of the project, or beside it under a name that begins with the
/// project's. `project` is the name of its directory.
pub fn is_near(project: &str, worktree: &str) -> bool {
    let mut parts = Path::new(worktree).components().filter(|part| *part != Component::CurDir).peekable();
    let is_beside = parts.next_if_eq(&Component::ParentDir).is_some();
    let first = parts.peek().and_then(|part| part.as_os_str().to_str());
    let is_named = match first {
        Some(first) if is_beside => !project.is_empty() && first.starts_with(project),
        // git's own directory, or ours, is no place for a tree.
        Some(first) => !first.starts_with('.'),
        None => false,
    };
    is_named && parts.all(|part| matches!(part, Component::Normal(_)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_is_inside_or_beside_under_the_projects_name() {
        for near in ["trees/a", "./a", "../api.worktrees/a", "../api-a", "../api", "../api x/#(y)"] {
            assert!(is_near("api", near), "{near}");
        }
        for far in [
            "",
            ".",
            "..",
            "/tmp/x",
            "../x",
            "../.config/autostart",
            "../../api/x",
            "../api/../../x",
            "a/../../x",
            ".git/hooks",
            ".interagent/x",
            "~/x/..",
            "../bin",
        ] {
            assert!(!is_near("api", far), "{far}");
        }
        assert!(!is_near("", "../x"));
    }
}
