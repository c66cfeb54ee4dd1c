//! Which directories may be an agent's workspace: the user's own, and none that the system or credentials need.
//!
//! Signal files are written into a workspace and a client is started there, so a name alone must not lead either of them
//! anywhere else. Pure: surfaces resolve the path and find its owner.

use crate::path::{below, tidy};
use crate::refusal::Refusal;

/// Where macOS keeps the trees of the root directory that can be written.
const MACOS_DATA: &str = "/System/Volumes/Data";
/// Directories of the system that are refused themselves; what is below them may be somebody's.
const SYSTEM: [&str; 22] = [
    "/",
    "/Users",
    "/Volumes",
    "/cores",
    "/home",
    "/media",
    "/mnt",
    "/opt",
    "/private",
    "/private/tmp",
    "/private/var",
    "/run/user",
    "/snap",
    "/srv",
    "/tmp",
    "/usr/home",
    "/usr/local",
    "/usr/src",
    "/var",
    "/var/lib",
    "/var/tmp",
    "/var/www",
];
/// Directories of the system that are refused with all that is below them.
const SYSTEM_TREES: [&str; 27] = [
    "/Applications",
    "/Library",
    "/System",
    "/bin",
    "/boot",
    "/dev",
    "/etc",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/lost+found",
    "/nix/store",
    "/private/etc",
    "/proc",
    "/run",
    "/sbin",
    "/sys",
    "/usr",
    "/var/cache",
    "/var/db",
    "/var/lock",
    "/var/log",
    "/var/mail",
    "/var/run",
    "/var/spool",
    "/var/backups",
];
/// Below those trees, directories in which people do work.
const BELOW_TREES: [&str; 6] = ["/dev/shm", "/run/media", "/run/user", "/usr/home", "/usr/local", "/usr/src"];
/// Directories whose entries are homes, and homes with a place of their own.
const HOMES: [&str; 4] = ["/Users", "/export/home", "/home", "/usr/home"];
const ROOT_HOMES: [&str; 2] = ["/root", "/var/root"];
/// Directories that hold keys and logins, by their path below a home.
const CREDENTIALS: [&str; 19] = [
    ".ssh",
    ".gnupg",
    ".aws",
    ".azure",
    ".kube",
    ".docker",
    ".pki",
    ".password-store",
    ".oci",
    ".terraform.d",
    ".mozilla",
    ".config/gcloud",
    ".config/gh",
    ".config/op",
    ".config/sops",
    ".config/google-chrome",
    ".local/share/keyrings",
    "Library/Keychains",
    ".git-credential-cache",
];

/// Who owns a directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// This user.
    Us,
    /// Another user, by number.
    Other(u32),
    /// It is not there, or can't be looked at.
    Unknown,
}

impl Owner {
    /// Root is not kept out: in a container it works on the host user's files.
    pub fn of(owner: u32, us: u32) -> Self {
        match us == 0 || owner == us {
            true => Self::Us,
            false => Self::Other(owner),
        }
    }
}

/// Refuses a directory that is no place for an agent. The path is from the root, its links resolved.
///
/// `is_repository` says whether a directory is the top of a git repository: what a project keeps in its own `.docker` is no
/// login. A home stays a home where it is a repository too.
pub fn must_be_own(path: &str, owner: Owner, is_repository: impl Fn(&str) -> bool) -> Result<(), Refusal> {
    let shown: String = path.chars().take(200).collect();
    let refused = |why: String| {
        Err(Refusal::rule("workspace_not_yours", format!("`{shown}` can't be a workspace: {why}"))
            .hint("name the directory of the project that the agent works in, or leave the workspace out"))
    };
    let plain = tidy(path);
    let plain = match below(&plain, MACOS_DATA) {
        Some(rest) => format!("/{rest}"),
        None => plain,
    };
    let steps: Vec<&str> = plain.split('/').filter(|step| !step.is_empty()).collect();
    if is_of_the_system(&plain) {
        return refused("it is a system directory".to_owned());
    }
    if steps.contains(&".git") {
        return refused("it is inside a `.git` directory".to_owned());
    }
    if let Some(kept) = CREDENTIALS.iter().find(|kept| holds(&steps, kept, &is_repository)) {
        return refused(format!("{kept} holds keys or logins"));
    }
    match owner {
        Owner::Other(uid) => refused(format!("it belongs to another user ({uid})")),
        Owner::Us | Owner::Unknown => Ok(()),
    }
}

fn is_of_the_system(plain: &str) -> bool {
    let is_below = |tree: &str| plain.strip_prefix(tree).is_some_and(|rest| rest.starts_with('/'));
    let in_tree = SYSTEM_TREES.iter().any(|tree| plain == *tree || is_below(tree));
    SYSTEM.contains(&plain) || (in_tree && !BELOW_TREES.iter().any(|tree| is_below(tree)))
}

/// Whether a path leads through these steps, one after the other, elsewhere than in a repository.
fn holds(steps: &[&str], kept: &str, is_repository: &impl Fn(&str) -> bool) -> bool {
    let kept: Vec<&str> = kept.split('/').collect();
    let places = steps.windows(kept.len()).enumerate().filter(|(_, part)| *part == kept);
    places.into_iter().any(|(above, _)| !is_in_repository(&steps[..above], is_repository))
}

/// Whether a directory is in a repository that is no home.
fn is_in_repository(steps: &[&str], is_repository: &impl Fn(&str) -> bool) -> bool {
    let above = (1..=steps.len()).rev().map(|depth| format!("/{}", steps[..depth].join("/")));
    above.take_while(|directory| !is_home(directory)).any(|directory| is_repository(&directory))
}

fn is_home(directory: &str) -> bool {
    let is_entry =
        |parent: &&str| below(directory, parent).is_some_and(|name| !name.is_empty() && !name.contains('/'));
    ROOT_HOMES.contains(&directory) || HOMES.iter().any(is_entry)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(path: &str, owner: Owner) -> Option<String> {
        must_be_own(path, owner, |_| false).err().map(|refusal| refusal.sentence)
    }

    #[test]
    fn system_and_credential_directories_are_refused() {
        for path in [
            "/",
            "//",
            "/.",
            "/etc",
            "/etc/",
            "/etc/cron.d",
            "/usr",
            "/usr/bin",
            "/usr/local",
            "/usr/share/x",
            "/home",
            "/Users",
            "/var",
            "/var/log/x",
            "/run/x",
            "/run/user",
            "/run/media",
            "/System/Library",
            "/System/Volumes/Data",
            "/System/Volumes/Data/usr/bin",
            "/proc/1",
            "/dev",
            "/tmp",
            "/private/etc/x",
            "/boot",
        ] {
            assert!(
                code(path, Owner::Us).is_some_and(|why| why.ends_with("is a system directory")),
                "{path}"
            );
        }
        for path in
            ["/data/kim/.ssh", "/data/.gnupg/private-keys-v1.d", "/data/kim/.aws", "/data/kim/.config/gh/x"]
        {
            assert!(code(path, Owner::Us).is_some_and(|why| why.ends_with("holds keys or logins")), "{path}");
        }
        for path in ["/data/kim/api/.git", "/data/kim/api/.git/worktrees/x", "/srv/x/.git/hooks"] {
            assert!(
                code(path, Owner::Unknown).is_some_and(|why| why.ends_with("a `.git` directory")),
                "{path}"
            );
        }
    }

    #[test]
    fn own_directories_are_accepted() {
        for path in [
            "/data/kim",
            "/data/kim/api",
            "/data/kim/.config/nvim",
            "/tmp/x",
            "/var/tmp/x",
            "/var/lib/jenkins/job",
            "/opt/work",
            "/srv/api",
            "/mnt/disk/api",
            "/workspaces/api",
            "/usr/local/src/api",
            "/run/user/1000/x",
            "/run/media/kim/disk",
            "/System/Volumes/Data/Users/kim/api",
            "/data/kim/etc",
            "/etcetera",
            "/data/kim/gh",
            "/data/kim/.github",
            "/private/var/folders/x",
            "/data/kim/api.git",
        ] {
            assert_eq!(code(path, Owner::Us), None, "{path}");
        }
    }

    #[test]
    fn repository_keeps_what_it_likes() {
        let refused =
            |path: &str| must_be_own(path, Owner::Us, |top| matches!(top, "/data/api" | "/root")).is_err();
        for (path, is_refused) in [
            ("/data/api/.docker", false),
            ("/data/api/deploy/.aws/dev", false),
            ("/data/.docker", true),
            ("/data/api2/.docker", true),
            // A home with its dotfiles in git.
            ("/root/.ssh", true),
            ("/root/.config/gh", true),
        ] {
            assert_eq!(refused(path), is_refused, "{path}");
        }
    }

    #[test]
    fn directories_of_others_are_refused() {
        assert_eq!(Owner::of(1000, 1000), Owner::Us);
        assert_eq!(Owner::of(1000, 0), Owner::Us);
        assert_eq!(
            code("/srv/theirs", Owner::of(1001, 1000)).as_deref(),
            Some("`/srv/theirs` can't be a workspace: it belongs to another user (1001)")
        );
        assert_eq!(code("/srv/absent", Owner::Unknown), None);
    }
}
