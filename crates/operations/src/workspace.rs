//! What is known on this machine of a directory that is to be a workspace.

use std::os::fd::AsFd;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use interagent_core::path::tidy;
use interagent_core::refusal::Refusal;
use interagent_core::team::TeamConfig;
use interagent_core::workspace::{Owner, must_be_own};
use rustix::fs::fstat;

/// Refuses a directory that is no place for an agent, as it is named and where its links lead.
pub fn must_be_ours(path: &str) -> Result<(), Refusal> {
    must_be_of(path, us())
}

/// The same for a user.
fn must_be_of(path: &str, user: u32) -> Result<(), Refusal> {
    must_be_own(path, Owner::Unknown, is_repository)?;
    let Ok(real) = std::fs::canonicalize(path) else { return Ok(()) };
    let owner = std::fs::metadata(&real).map_or(Owner::Unknown, |found| Owner::of(found.uid(), user));
    must_be_own(&real.to_string_lossy(), owner, is_repository)
}

/// Whether an open directory is one of ours, that a path named when it was opened. The path may lead elsewhere by now.
pub(crate) fn is_ours(opened: impl AsFd, path: &str) -> bool {
    is_of(opened, path, us())
}

fn is_of(opened: impl AsFd, path: &str, user: u32) -> bool {
    let (Ok(opened), Ok(real)) = (fstat(opened), std::fs::canonicalize(path)) else { return false };
    let Ok(there) = rustix::fs::stat(&real) else { return false };
    let is_same = (there.st_dev, there.st_ino) == (opened.st_dev, opened.st_ino);
    let owner = Owner::of(opened.st_uid, user);
    is_same
        && must_be_own(path, Owner::Unknown, is_repository).is_ok()
        && must_be_own(&real.to_string_lossy(), owner, is_repository).is_ok()
}

fn is_repository(directory: &str) -> bool {
    Path::new(directory).join(".git").exists()
}

fn us() -> u32 {
    rustix::process::geteuid().as_raw()
}

/// The project whose hub has this state; none where the hub is not in a project.
pub(crate) fn project_of(state_dir: &Path) -> Option<&Path> {
    let hub = state_dir.parent()?;
    hub.parent().filter(|_| hub.file_name().is_some_and(|name| name == ".interagent"))
}

/// Refuses the directories of seats, unless the applied team has the same. `root` is the project's directory.
pub fn must_fit_team(
    team: &TeamConfig,
    applied: Option<&TeamConfig>,
    root: Option<&Path>,
) -> Result<(), Refusal> {
    for (name, seat) in &team.agents {
        let before = applied.and_then(|applied| applied.agents.get(name));
        let fields = [
            ("workspace", &seat.workspace, before.and_then(|seat| seat.workspace.as_ref())),
            ("worktree", &seat.worktree, before.and_then(|seat| seat.worktree.as_ref())),
        ];
        for (field, named, before) in fields {
            let Some(named) = named.as_ref().filter(|named| Some(*named) != before) else { continue };
            let path = root.unwrap_or(Path::new("")).join(named);
            let Some(path) = path.to_str().filter(|_| path.is_absolute()) else { continue };
            must_be_ours(&tidy(path)).map_err(|refusal| Refusal {
                sentence: format!("agents.{name}.{field}: {}", refusal.sentence),
                hint: Some(format!("change {field} of {name} in team.toml to a directory of your own")),
                ..refusal
            })?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{chown, symlink};

    use super::*;

    /// A directory of another user, and the user that it is judged for. Only root can give a directory away; everybody else
    /// judges their own directory as somebody else.
    fn foreign(directory: &Path) -> (u32, u32) {
        const THEIRS: u32 = 4321;
        match us() {
            0 => chown(directory, Some(THEIRS), None).map(|()| (THEIRS, THEIRS + 1)).unwrap(),
            us => (us, us + 1),
        }
    }

    #[test]
    fn directory_of_another_user_is_refused() {
        let root = tempfile::tempdir().unwrap();
        let directory = root.path().join("theirs");
        std::fs::create_dir(&directory).unwrap();
        let (owner, judge) = foreign(&directory);
        let path = directory.to_str().unwrap();
        let refusal = must_be_of(path, judge).unwrap_err();
        assert!(refusal.sentence.ends_with(&format!("another user ({owner})")), "{}", refusal.sentence);
        let opened = std::fs::File::open(&directory).unwrap();
        assert!(!is_of(&opened, path, judge));
        assert!(must_be_of(path, owner).is_ok() && is_of(&opened, path, owner));
    }

    #[test]
    fn opened_directory_is_judged_and_not_its_name() {
        let root = tempfile::tempdir().unwrap();
        let (good, keys) = (root.path().join("good"), root.path().join(".ssh"));
        [&good, &keys].into_iter().for_each(|path| std::fs::create_dir(path).unwrap());
        let link = root.path().join("workspace");
        let lead = |to: &Path| {
            let _ = std::fs::remove_file(&link);
            symlink(to, &link).unwrap();
        };
        let path = link.to_str().unwrap();
        lead(&good);
        assert!(is_ours(std::fs::File::open(&link).unwrap(), path));
        // It led to the keys only while it was opened, or only since.
        lead(&keys);
        let opened = std::fs::File::open(&link).unwrap();
        assert!(!is_ours(&opened, path));
        lead(&good);
        assert!(!is_ours(&opened, path));
    }
}
