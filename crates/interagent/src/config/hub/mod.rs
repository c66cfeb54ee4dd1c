//! Which hub a command speaks to, found from where it was started.
//!
//! Owns the order of the places (flag, `INTERAGENT_HUB`, the project around the working directory, the personal hub)
//! and what counts as a hub on disk. Does not open, create or repair one. Runs on every tool call of every agent: at
//! the root of a project it takes seven looks at the file system, and two more for each directory below.
//!
//! The nearest hub wins, and a repository without one of its own looks further up, so a submodule or a clone inside a
//! project belongs to that project's team. All worktrees of a repository share one hub.

pub(crate) mod canary;
mod problem;
mod shape;
#[cfg(test)]
mod tests;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

pub(crate) use problem::HubProblem;

use self::shape::{OwnerRule, Shape, shape_of};
use super::env::Env;
use super::git::{self, GitTree};

/// The name of a hub's directory inside a project or a home.
pub(crate) const HUB_NAME: &str = ".interagent";
/// The file that says that a store was made in a `state` directory.
const STORE_MARKER: &str = "created";
/// Its name inside a git directory, for repositories that have no main worktree to put it in.
const HUB_NAME_IN_GIT_DIR: &str = "interagent";

/// What kind of place a hub has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HubKind {
    /// In a project, for everybody who works on it.
    Project,
    /// In the home directory, for agents in different projects.
    Personal,
    /// Where the `--hub` flag or `INTERAGENT_HUB` says.
    Named,
}

/// What discovery came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Discovery {
    Found(Found),
    NotThere(NotThere),
}

/// A hub that exists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) hub_dir: PathBuf,
    pub(crate) kind: HubKind,
    /// Why it is this one, in words that follow its path.
    pub(crate) how: String,
    /// The directory whose hub this is: of a linked worktree, the root of the main one.
    pub(crate) project_root: Option<PathBuf>,
    /// The root of the worktree that the working directory is in, where one was passed on the way to the hub.
    pub(crate) worktree_root: Option<PathBuf>,
}

impl Discovery {
    /// Whether discovery fell back to the personal hub.
    pub(crate) fn is_personal(&self) -> bool {
        let kind = match self {
            Self::Found(found) => found.kind,
            Self::NotThere(missing) => missing.kind,
        };
        kind == HubKind::Personal
    }
}

/// A hub that does not exist, and where it would be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NotThere {
    pub(crate) would_be: PathBuf,
    pub(crate) kind: HubKind,
}

/// Finds the hub for a command; `flag` is the value of `--hub`. What a canary started gets the hub set aside for it.
pub(crate) fn discover(env: &Env, flag: Option<&OsStr>) -> Result<Discovery, HubProblem> {
    Ok(match discover_team(env, flag)? {
        Discovery::Found(mut found) => {
            if let Some(set_aside) = canary::set_aside(env, &found.hub_dir) {
                found.hub_dir = set_aside;
            }
            Discovery::Found(found)
        }
        not_there => not_there,
    })
}

/// The same, and always the hub of the team: for what the team's files say.
pub(crate) fn discover_team(env: &Env, flag: Option<&OsStr>) -> Result<Discovery, HubProblem> {
    if let Some(named) = named_hub(env, flag)? {
        return Ok(named);
    }
    match project_around(env, Reach::AnyAbove)? {
        Some(discovery) => Ok(discovery),
        None => personal_hub(env),
    }
}

/// The hub of the project where a client was started. Its agent keeps that hub when a command or hook runs elsewhere.
pub(crate) fn of_client(env: &Env, started_in: PathBuf) -> Result<Option<Found>, HubProblem> {
    let env = Env { cwd: Some(started_in), ..env.clone() };
    Ok(match discover(&env, None)? {
        Discovery::Found(found) if found.kind != HubKind::Personal => Some(found),
        _ => None,
    })
}

/// Finds the hub that `init` is about: that of the project the working directory is in, and of no project around it.
pub(crate) fn place_for_new_hub(env: &Env, flag: Option<&OsStr>) -> Result<Discovery, HubProblem> {
    if let Some(named) = named_hub(env, flag)? {
        return Ok(named);
    }
    if let Some(discovery) = project_around(env, Reach::OwnProject)? {
        return Ok(discovery);
    }
    let cwd = env.cwd.as_deref().ok_or(HubProblem::NoWorkingDirectory)?;
    if env.home.as_deref().is_some_and(|home| shape::same_directory(home, cwd)) {
        return personal_hub(env);
    }
    let site = Site::in_directory(cwd);
    Ok(Discovery::NotThere(NotThere { would_be: site.hub_dir, kind: HubKind::Project }))
}

/// The personal hub, whether or not a project is near.
pub(crate) fn personal_hub(env: &Env) -> Result<Discovery, HubProblem> {
    let home = env.home.as_deref().ok_or(HubProblem::NoHome)?;
    let hub_dir = home.join(HUB_NAME);
    match shape_of(&hub_dir, OwnerRule::OursOnly)? {
        Shape::Hub => Ok(Discovery::Found(Found {
            how: "your personal hub: there is no project hub around the working directory".to_owned(),
            hub_dir,
            kind: HubKind::Personal,
            project_root: None,
            worktree_root: None,
        })),
        Shape::Python => Err(HubProblem::PythonInterAgent { directory: hub_dir }),
        Shape::Nothing | Shape::OtherDirectory => {
            Ok(Discovery::NotThere(NotThere { would_be: hub_dir, kind: HubKind::Personal }))
        }
    }
}

fn named_hub(env: &Env, flag: Option<&OsStr>) -> Result<Option<Discovery>, HubProblem> {
    let (value, by) = match (flag, env.hub.as_deref()) {
        (Some(value), _) => (value, "the flag --hub"),
        (None, Some(value)) => (value, "the variable INTERAGENT_HUB"),
        (None, None) => return Ok(None),
    };
    let path = named_path(env, value, by)?;
    let inside = path.join(HUB_NAME);
    // Both the hub and the project that holds it are names people use for it. The project comes first, because it may
    // have a `state` directory of its own.
    for hub_dir in [&inside, &path] {
        // A directory of any name is a hub only where we made one: projects have a `state` or a `team.toml` too.
        let bears_the_name = hub_dir.file_name().is_some_and(|name| name == HUB_NAME);
        if !bears_the_name && !hub_dir.join("state").join(STORE_MARKER).is_file() {
            continue;
        }
        match shape_of(hub_dir, OwnerRule::Anybody)? {
            Shape::Hub => {
                let project_root = match hub_dir.file_name() {
                    Some(name) if name == HUB_NAME => hub_dir.parent().map(Path::to_owned),
                    _ => None,
                };
                return Ok(Some(Discovery::Found(Found {
                    hub_dir: hub_dir.clone(),
                    kind: HubKind::Named,
                    how: format!("{by} names it"),
                    project_root,
                    worktree_root: None,
                })));
            }
            Shape::Python => return Err(HubProblem::PythonInterAgent { directory: hub_dir.clone() }),
            Shape::Nothing | Shape::OtherDirectory => {}
        }
    }
    // A new hub's files do not belong between the files of a project, also where the project is still empty.
    let bears_the_name = path.file_name().is_some_and(|name| name == HUB_NAME);
    let would_be = if bears_the_name { path } else { inside };
    Ok(Some(Discovery::NotThere(NotThere { would_be, kind: HubKind::Named })))
}

/// Makes the named path absolute. Configuration files of clients are not read by a shell, so `~` is understood here.
fn named_path(env: &Env, value: &OsStr, by: &'static str) -> Result<PathBuf, HubProblem> {
    let text = value.to_string_lossy();
    if text.is_empty() {
        return Err(HubProblem::EmptyName { by });
    }
    if text.contains("://") {
        return Err(HubProblem::Url { by, value: text.into_owned() });
    }
    let path = Path::new(value);
    let path = if let Ok(below_home) = path.strip_prefix("~") {
        env.home.as_deref().ok_or(HubProblem::NoHome)?.join(below_home)
    } else if path.is_absolute() {
        path.to_owned()
    } else {
        env.cwd.as_deref().ok_or(HubProblem::NoWorkingDirectory)?.join(path)
    };
    // Naming a symbolic link is consent to where it leads; what is inside the hub is still never followed.
    match path.is_symlink() {
        true => path.canonicalize().map_err(|source| HubProblem::Unreadable { path, source }),
        false => Ok(path),
    }
}

/// How far a search for a project's hub may go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reach {
    /// To the nearest hub in any directory above.
    AnyAbove,
    /// To the first directory that is a project.
    OwnProject,
}

/// Where a project's hub is, or would be.
#[derive(Debug)]
struct Site {
    hub_dir: PathBuf,
    project_root: Option<PathBuf>,
    worktree_root: Option<PathBuf>,
    how: &'static str,
}

impl Site {
    fn in_directory(directory: &Path) -> Self {
        Self {
            hub_dir: directory.join(HUB_NAME),
            project_root: Some(directory.to_owned()),
            worktree_root: None,
            how: "above this directory",
        }
    }

    fn of_tree(directory: &Path, tree: GitTree) -> Self {
        let worktree_root = Some(directory.to_owned());
        match tree {
            GitTree::Main => {
                Self { worktree_root, how: "in this repository", ..Self::in_directory(directory) }
            }
            GitTree::Submodule => {
                Self { worktree_root, how: "in this submodule", ..Self::in_directory(directory) }
            }
            GitTree::Linked { main_root } => Self {
                hub_dir: main_root.join(HUB_NAME),
                project_root: Some(main_root),
                worktree_root,
                how: "in the main worktree of this linked worktree",
            },
            GitTree::Detached { common_dir } => Self {
                hub_dir: common_dir.join(HUB_NAME_IN_GIT_DIR),
                project_root: None,
                worktree_root,
                how: "in the git directory that this worktree belongs to",
            },
        }
    }

    fn found(self) -> Discovery {
        Discovery::Found(Found {
            how: self.how.to_owned(),
            hub_dir: self.hub_dir,
            kind: HubKind::Project,
            project_root: self.project_root,
            worktree_root: self.worktree_root,
        })
    }
}

/// Walks up from the working directory to the home directory or the root.
fn project_around(env: &Env, reach: Reach) -> Result<Option<Discovery>, HubProblem> {
    let cwd = env.cwd.as_deref().ok_or(HubProblem::NoWorkingDirectory)?;
    let mut innermost_worktree = None;
    for directory in cwd.ancestors() {
        // What is above the home directory is not this person's, and the hub in it is the personal one.
        if env.home.as_deref() == Some(directory) {
            break;
        }
        let Some(tree) = git::tree_at(directory)? else {
            let how = if directory == cwd { "in this directory" } else { "above this directory" };
            let worktree_root = innermost_worktree.clone();
            let site = Site { worktree_root, how, ..Site::in_directory(directory) };
            match look_at(env, site)? {
                Looked::Found(found) => return Ok(Some(found)),
                Looked::Personal => break,
                Looked::Absent(_) => continue,
            }
        };
        let shares_a_hub = matches!(tree, GitTree::Linked { .. } | GitTree::Detached { .. });
        let mut site = Site::of_tree(directory, tree);
        innermost_worktree = innermost_worktree.or(site.worktree_root.take());
        site.worktree_root.clone_from(&innermost_worktree);
        match look_at(env, site)? {
            Looked::Found(found) => return Ok(Some(found)),
            Looked::Personal if shares_a_hub => return personal_hub(env).map(Some),
            Looked::Personal => break,
            Looked::Absent(would_be) => {
                // A branch may carry a team's files where this clone has no hub yet: another team's would be wrong.
                let carried = directory.join(HUB_NAME);
                let carries_a_team = shares_a_hub
                    && match shape_of(&carried, OwnerRule::OursOnly)? {
                        Shape::Hub => true,
                        Shape::Python => return Err(HubProblem::PythonInterAgent { directory: carried }),
                        Shape::Nothing | Shape::OtherDirectory => false,
                    };
                if reach == Reach::OwnProject || carries_a_team {
                    return Ok(Some(Discovery::NotThere(NotThere { would_be, kind: HubKind::Project })));
                }
            }
        }
    }
    bare_repository_at(env, cwd, reach)
}

/// The working directory itself may be the git directory of a bare repository.
fn bare_repository_at(env: &Env, cwd: &Path, reach: Reach) -> Result<Option<Discovery>, HubProblem> {
    let hub_dir = cwd.join(HUB_NAME_IN_GIT_DIR);
    if (reach == Reach::AnyAbove && !hub_dir.is_dir()) || !git::is_bare_repository(cwd) {
        return Ok(None);
    }
    let site = Site { hub_dir, project_root: None, worktree_root: None, how: "in this bare repository" };
    match look_at(env, site)? {
        Looked::Found(found) => Ok(Some(found)),
        Looked::Absent(would_be) if reach == Reach::OwnProject => {
            Ok(Some(Discovery::NotThere(NotThere { would_be, kind: HubKind::Project })))
        }
        Looked::Absent(_) | Looked::Personal => Ok(None),
    }
}

enum Looked {
    Found(Discovery),
    /// It is the personal hub: the walk arrived at home under another name, or home is the main worktree.
    Personal,
    Absent(PathBuf),
}

fn look_at(env: &Env, site: Site) -> Result<Looked, HubProblem> {
    let personal = env.home.as_deref().map(|home| home.join(HUB_NAME));
    if personal.as_ref() == Some(&site.hub_dir) {
        return Ok(Looked::Personal);
    }
    let is_personal =
        || personal.as_ref().is_some_and(|personal| shape::same_directory(personal, &site.hub_dir));
    match shape_of(&site.hub_dir, OwnerRule::OursOnly)? {
        Shape::Nothing | Shape::OtherDirectory => Ok(Looked::Absent(site.hub_dir)),
        Shape::Hub | Shape::Python if is_personal() => Ok(Looked::Personal),
        Shape::Hub => Ok(Looked::Found(site.found())),
        Shape::Python => Err(HubProblem::PythonInterAgent { directory: site.hub_dir }),
    }
}
