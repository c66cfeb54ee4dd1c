//! What an action changes, starts or waits for.
//!
//! Owns what programs do: which arguments of which program are files it writes, which commands of git change which
//! branch. Knows no rule and no team.

mod develop;
mod files;
pub(super) mod git;
mod git_refs;
mod hooks;
mod outputs;
mod own;
mod patches;
mod reading;
mod scripts;
mod tools;
mod waiting;

use super::action::{Action, patched};
use super::path;
use super::shell::{self, Followed, Run, Start};

/// So much is quoted of a command line that is too long.
const SOURCE_CHARS: usize = 80;

/// One thing an action does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Touch {
    /// What.
    pub what: What,
    /// The very piece of the command that does it, as it was typed.
    pub source: String,
}

/// How a file is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Writing {
    /// Made or changed.
    Edit,
    /// Taken away with everything below it.
    Remove,
    /// Some of what is below it is made, changed or taken away; which files is known only when it runs.
    Below,
    /// Taken away where git does not know it, and does not ignore it.
    Clean,
    /// Put back to what git has: what somebody changed in it is lost.
    Discard,
}

impl Writing {
    /// Git does it, and reaches neither its own files nor those it ignores.
    pub(super) const fn is_of_git(self) -> bool {
        matches!(self, Self::Discard | Self::Clean)
    }
}

/// What happens. Paths are absolute and may hold the wildcards of a shell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// A file is written.
    Write { path: String, how: Writing },
    /// A file is read, or a directory searched.
    Look { path: String },
    /// A program is given this word. Where it is the name of a file, the file is read.
    Mention { path: String },
    /// Files of this directory's tree are changed; which ones is not known.
    Change { directory: String },
    /// A commit is made on the branch that is checked out there.
    Commit { directory: String },
    /// A commit contains a change of this file.
    CommitFile { path: String },
    /// A branch is merged into the one that is checked out there; absent where it is not named.
    Merge { directory: String, from: Option<String> },
    /// Branches of another repository are changed; none named: the one that is checked out.
    Push { directory: String, to: Vec<String> },
    /// A pull request is merged, elsewhere.
    MergeRequest { directory: String },
    /// A branch is made.
    NewBranch { directory: String, name: String },
    /// A branch is moved or removed without a commit.
    MoveBranch { directory: String, name: String },
    /// Git is about to put a branch of this repository elsewhere.
    UpdateBranch { directory: String, name: String },
    /// Another branch is checked out; what follows happens there. Without a name: a commit, or a branch that is not known.
    Switch { directory: String, to: String },
    /// A program that development consists of.
    Develop { program: String },
    /// Somebody waits so many milliseconds.
    Sleep { milliseconds: u64 },
    /// Something is looked at again and again, with pauses.
    Poll,
    /// Keys or text are sent to a terminal, or its screen is read.
    Terminal { verb: String },
    /// Another agent is started inside this one.
    Subagent { read_only: bool },
    /// A tree is made there, with this branch checked out; without a name: a commit.
    NewTree { directory: String, branch: String },
    /// The branch that is checked out there is put to another commit.
    Reset { directory: String, to: String },
    /// Git is told to look for its hooks elsewhere.
    Rehook { directory: String },
    /// A command of git passes by its hooks.
    SkipHooks,
    /// The guard or the hooks of a client are put, changed or taken away by our own program.
    Rearm,
    /// There is more than can be followed.
    TooMuch,
}

impl What {
    /// In words, after "it".
    pub fn told(&self) -> String {
        match self {
            Self::Write { path, how: Writing::Edit } => format!("writes {path}"),
            Self::Write { path, how: Writing::Remove } => format!("removes {path}"),
            Self::Write { path, how: Writing::Discard } => format!("discards changes of {path}"),
            Self::Write { path, how: Writing::Clean } => format!("removes what git does not know of {path}"),
            Self::Write { path, how: Writing::Below } => format!("changes files below {path}"),
            Self::Look { path } => format!("looks at {path}"),
            Self::Mention { path } => format!("is given {path}"),
            Self::Change { directory } => format!("changes files in {directory}"),
            Self::Commit { directory } => format!("commits in {directory}"),
            Self::CommitFile { path } => format!("commits {path}"),
            Self::Merge { directory, from: Some(from) } => format!("merges {from} in {directory}"),
            Self::Merge { directory, from: None } => format!("merges in {directory}"),
            Self::Push { directory, to } if to.is_empty() => format!("pushes the branch of {directory}"),
            Self::Push { directory, to } => format!("pushes to {} from {directory}", to.join(", ")),
            Self::MergeRequest { .. } => "merges a pull request".to_owned(),
            Self::NewBranch { directory, name } => format!("makes the branch {name} in {directory}"),
            Self::MoveBranch { directory, name } if name == git::HIDDEN => {
                format!("moves {name} in {directory}")
            }
            Self::MoveBranch { directory, name } => format!("moves the branch {name} in {directory}"),
            Self::UpdateBranch { directory, name } => format!("updates the branch {name} in {directory}"),
            Self::Switch { directory, to } if to.is_empty() => format!("leaves the branch of {directory}"),
            Self::Switch { directory, to } => format!("switches {directory} to {to}"),
            Self::Develop { program } => format!("develops with {program}"),
            Self::Sleep { milliseconds } => {
                format!("waits {}.{} s", milliseconds / 1000, milliseconds % 1000 / 100)
            }
            Self::Poll => "looks again and again".to_owned(),
            Self::Terminal { verb } => format!("reaches into terminals with tmux {verb}"),
            Self::Subagent { read_only: true } => "starts a subagent that only looks".to_owned(),
            Self::Subagent { read_only: false } => "starts a subagent".to_owned(),
            Self::Reset { directory, to } => format!("puts the branch of {directory} to {to}"),
            Self::NewTree { directory, branch } => format!("makes a tree of {branch} in {directory}"),
            Self::Rehook { directory } => format!("sets where git finds hooks in {directory}"),
            Self::SkipHooks => "skips the hooks of git".to_owned(),
            Self::Rearm => "puts or takes away the hooks of interagent".to_owned(),
            Self::TooMuch => "is too much to follow".to_owned(),
        }
    }

    /// The same at another file or directory.
    pub(super) fn at(mut self, real: String) -> Self {
        match &mut self {
            Self::Write { path: place, .. }
            | Self::Look { path: place }
            | Self::Mention { path: place }
            | Self::CommitFile { path: place }
            | Self::Change { directory: place }
            | Self::Commit { directory: place }
            | Self::Merge { directory: place, .. }
            | Self::Push { directory: place, .. }
            | Self::MergeRequest { directory: place }
            | Self::NewBranch { directory: place, .. }
            | Self::MoveBranch { directory: place, .. }
            | Self::UpdateBranch { directory: place, .. }
            | Self::Switch { directory: place, .. }
            | Self::Rehook { directory: place }
            | Self::NewTree { directory: place, .. }
            | Self::Reset { directory: place, .. } => *place = real,
            Self::Develop { .. }
            | Self::Sleep { .. }
            | Self::Poll
            | Self::Terminal { .. }
            | Self::Subagent { .. }
            | Self::SkipHooks
            | Self::Rearm
            | Self::TooMuch => {}
        }
        self
    }

    /// Whether it only reads files outside of a hub, which concerns nobody but a captain.
    pub fn reads_project(&self) -> bool {
        matches!(self, Self::Look { path } | Self::Mention { path } if !is_of_a_hub(path))
    }

    /// The file or directory whose tree it happens in.
    pub fn place(&self) -> Option<&str> {
        match self {
            Self::Write { path, .. }
            | Self::Look { path }
            | Self::Mention { path }
            | Self::CommitFile { path } => Some(path),
            Self::Change { directory }
            | Self::Commit { directory }
            | Self::Merge { directory, .. }
            | Self::Push { directory, .. }
            | Self::MergeRequest { directory }
            | Self::NewBranch { directory, .. }
            | Self::MoveBranch { directory, .. }
            | Self::UpdateBranch { directory, .. }
            | Self::Switch { directory, .. }
            | Self::Rehook { directory }
            | Self::NewTree { directory, .. }
            | Self::Reset { directory, .. } => Some(directory),
            Self::Develop { .. }
            | Self::Sleep { .. }
            | Self::Poll
            | Self::Terminal { .. }
            | Self::Subagent { .. }
            | Self::SkipHooks
            | Self::Rearm
            | Self::TooMuch => None,
        }
    }
}

/// What an action runs and does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Looked {
    /// The programs of a command line, in order.
    pub runs: Vec<Run>,
    /// What happens, in order.
    pub touches: Vec<Touch>,
}

/// What an action does when it is called from this directory, in order.
pub fn touches(action: &Action, directory: &str, home: Option<&str>) -> Vec<Touch> {
    look(action, directory, home).touches
}

/// What an action runs and does when it is called from this directory.
pub fn look(action: &Action, directory: &str, home: Option<&str>) -> Looked {
    let named = |paths: &[String], what: fn(String) -> What| {
        let each = paths
            .iter()
            .map(|given| Touch { what: what(path::join(directory, given)), source: given.clone() });
        each.collect::<Vec<_>>()
    };
    let touches = match action {
        Action::Edit { paths } => named(paths, |path| What::Write { path, how: Writing::Edit }),
        Action::Read { paths } => named(paths, |path| What::Look { path }),
        Action::Names { paths } => named(paths, |path| What::Mention { path }),
        // Names are free.
        Action::List { .. } => Vec::new(),
        Action::Subagent { read_only } => {
            let source = "a subagent".to_owned();
            vec![Touch { what: What::Subagent { read_only: *read_only }, source }]
        }
        Action::Shell { command, directory: named, background } => {
            let from =
                named.as_deref().map_or_else(|| directory.to_owned(), |named| path::join(directory, named));
            let start = Start { directory: &from, home, background: *background };
            let Followed { runs, complete } = shell::follow(command, start);
            let mut touches = of_runs(&runs);
            if !complete {
                let source = crate::line::one_line(command, SOURCE_CHARS);
                touches.push(Touch { what: What::TooMuch, source });
            }
            return Looked { runs, touches };
        }
        Action::Other => Vec::new(),
    };
    Looked { runs: Vec::new(), touches }
}

/// What happens, with the words that are names of files which are there: those are read. The others mean something else.
pub fn with_files(touches: Vec<Touch>, present: &[String]) -> Vec<Touch> {
    let read = |touch: Touch| match touch.what {
        What::Mention { path } if present.contains(&path) => {
            Some(Touch { what: What::Look { path }, source: touch.source })
        }
        What::Mention { .. } => None,
        _ => Some(touch),
    };
    touches.into_iter().filter_map(read).collect()
}

/// What programs do.
fn of_runs(runs: &[Run]) -> Vec<Touch> {
    found_in(runs, 0)
}

/// What programs do that so many scripts run, one inside the other.
fn found_in(runs: &[Run], depth: usize) -> Vec<Touch> {
    let mut found = Found { depth, ..Found::default() };
    for run in runs {
        found.source.clone_from(&run.source);
        files::redirected(run, &mut found);
        if let Some(program) = run.program.as_deref() {
            files::written(program, run, &mut found);
            tools::written(program, run, &mut found);
            outputs::written(program, run, &mut found);
            patches::applied(program, run, &mut found);
            scripts::written(program, run, &mut found);
            files::looked_at(program, run, &mut found);
            reading::read(program, run, &mut found);
            own::touched(program, run, &mut found);
            match program {
                "git" => {
                    hooks::skipped(run, &mut found);
                    git::touched(run, &mut found);
                    git_refs::touched(run, &mut found);
                }
                "gh" => git::requested(run, &mut found),
                "apply_patch" | "applypatch" => {
                    let texts = run.known().chain(run.input.as_deref());
                    let paths: Vec<String> = texts.flat_map(patched).collect();
                    paths.iter().for_each(|path| found.write(run, path, Writing::Edit));
                }
                _ => {}
            }
            if develop::is_development(program, run) {
                found.add(What::Develop { program: program.to_owned() });
            }
        }
        waiting::waited(run, &mut found);
    }
    waiting::waited_for_the_background(runs, &mut found);
    found.touches
}

/// What was found so far.
#[derive(Debug, Default)]
struct Found {
    touches: Vec<Touch>,
    source: String,
    /// Names that were made on the way for files with another one.
    links: Vec<Link>,
    /// Scripts around this one.
    depth: usize,
    /// Commands that scripts of this line run.
    commands: usize,
}

/// A name that a command line makes for a file.
#[derive(Debug)]
struct Link {
    path: String,
    real: String,
}

/// Links to links are followed so far.
const LINKS: usize = 16;

impl Found {
    fn add(&mut self, what: What) {
        let what = self.behind_links(what);
        self.touches.push(Touch { what, source: self.source.clone() });
    }

    /// A file as a run names it. Devices are no files; where the directory is not known, only absolute names are.
    fn write(&mut self, run: &Run, given: &str, how: Writing) {
        if let Some(path) = placed(run, given).filter(|path| !is_device(path)) {
            self.add(What::Write { path, how });
        }
    }

    /// A file that a run reads.
    fn look(&mut self, run: &Run, given: &str) {
        if let Some(path) = placed(run, given).filter(|path| !is_device(path)) {
            self.add(What::Look { path });
        }
    }

    /// Remembers a name that is made for a file.
    fn link(&mut self, path: String, real: String) {
        if path != real {
            self.links.push(Link { path, real });
        }
    }

    /// What happens, at the file that a name made on the way leads to.
    fn behind_links(&self, mut what: What) -> What {
        for _ in 0..LINKS {
            let Some(place) = what.place() else { break };
            // Removing a link leaves what it leads to.
            let removes = matches!(what, What::Write { how: Writing::Remove, .. });
            let link = self.links.iter().rev().find_map(|link| {
                let rest = path::below(place, &link.path).filter(|rest| !rest.is_empty() || !removes)?;
                Some(path::join(&link.real, rest))
            });
            match link {
                Some(real) => what = what.at(real),
                None => break,
            }
        }
        what
    }

    /// A file whose name is hidden: any below where the name begins. Where the directory is not known, any below the last
    /// one that is.
    fn write_hidden(&mut self, run: &Run, begins: &str) {
        let directory = run.directory.as_ref().unwrap_or(&run.near);
        let path = path::join(directory, begins);
        if !is_device(&path) {
            self.add(What::Write { path, how: Writing::Below });
        }
    }

    /// A file that is an argument. One that only running would tell may be any below where it begins.
    fn write_argument(&mut self, run: &Run, place: usize, how: Writing) {
        match run.arguments.get(place).and_then(Option::as_deref) {
            Some(path) => self.write(run, path, how),
            None => {
                if place < run.arguments.len() {
                    self.write_hidden(run, run.listed.get(place).and_then(Option::as_deref).unwrap_or(""));
                }
            }
        }
    }
}

/// Whether a path is a device, which is no file. What lies in shared memory is.
pub(super) fn is_device(path: &str) -> bool {
    path.starts_with("/dev/") && !path.starts_with("/dev/shm/")
}

/// A path that a run names.
fn placed(run: &Run, given: &str) -> Option<String> {
    match (&run.directory, given.starts_with('/')) {
        (_, true) => Some(path::tidy(given)),
        (Some(directory), false) => Some(path::join(directory, given)),
        (None, false) => None,
    }
}

/// Whether a path lies in the files of some hub.
fn is_of_a_hub(path: &str) -> bool {
    path.split('/').any(|part| part == ".interagent")
}
