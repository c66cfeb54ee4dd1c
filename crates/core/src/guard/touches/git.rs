//! What a command of git changes: files, branches here, branches elsewhere.

use super::{Found, What, Writing};
use crate::guard::path;
use crate::guard::shell::Run;

/// A branch, or another word of a command, whose name only running would tell.
pub(crate) const HIDDEN: &str = "a branch with a hidden name";

/// Commands that move the branch of the tree they work in.
const MOVES: [&str; 9] =
    ["am", "cherry-pick", "commit", "filter-branch", "merge", "pull", "rebase", "reset", "revert"];

/// A command of git, without the options of git itself.
pub(super) struct Git<'r> {
    pub(super) run: &'r Run,
    /// Where it works; the last directory that is known, where that is not.
    pub(super) directory: String,
    is_elsewhere: bool,
    pub(super) verb: &'r str,
    /// Those that only running would tell are [`HIDDEN`].
    arguments: Vec<&'r str>,
    /// Some are known only when it runs.
    has_unknown: bool,
}

/// What a run of git does.
pub(super) fn touched(run: &Run, found: &mut Found) {
    let Some(git) = Git::of(run) else { return };
    let directory = git.directory.clone();
    if git.is_elsewhere && MOVES.contains(&git.verb) && !git.ends_something() {
        return found.add(What::MoveBranch { directory, name: HIDDEN.to_owned() });
    }
    match git.verb {
        "commit" if !git.has(&["--dry-run", "-h", "--help"]) => found.add(What::Commit { directory }),
        "cherry-pick" | "revert" | "am" | "rebase" if !git.ends_something() => {
            if git.verb == "rebase"
                && let [.., _, branch_of] = git.operands(&["--onto", "-x", "--exec", "-s", "-X"]).as_slice()
            {
                found.add(What::Switch { directory: directory.clone(), to: branch(branch_of) });
            }
            found.add(What::Commit { directory });
        }
        "merge" if !git.ends_something() => {
            let from = git
                .operands(&["-m", "-F", "-s", "-X", "--strategy", "--into-name"])
                .first()
                .map(|b| branch(b));
            found.add(What::Merge { directory, from });
        }
        "pull" => {
            // A branch that is named is merged, whatever it is; without one it is what the tree follows.
            let named = git.operands(&["-s", "-X", "--strategy", "--depth"]);
            if let Some((_, to)) = named.get(1).and_then(|refspec| refspec.split_once(':')) {
                found.add(What::MoveBranch { directory: directory.clone(), name: branch(to) });
            }
            if let Some(from) = named.get(1) {
                found.add(What::Merge { directory, from: Some(branch(from)) });
            }
        }
        "push" => git.push(found),
        "fetch" => {
            for refspec in git.operands(&["--depth", "-j", "-o"]).iter().skip(1) {
                let (from, to) = refspec.trim_start_matches('+').split_once(':').unwrap_or((refspec, ""));
                if !to.is_empty() && branch(from) != branch(to) {
                    found.add(What::MoveBranch { directory: git.directory.clone(), name: branch(to) });
                }
            }
        }
        "checkout" | "switch" => git.check_out(found),
        "restore" => {
            let staged_only = git.has(&["--staged", "-S"]) && !git.has(&["--worktree", "-W"]);
            if !staged_only {
                let paths = git.operands(&["-s", "--source"]);
                git.take_over(git.source().unwrap_or("HEAD"), &paths, found);
            }
        }
        "reset" => git.reset(found),
        "stash" => {
            let keeps = ["list", "show", "drop", "clear", "branch", "create", "store"];
            let verb = git.operands(&["-m"]).first().copied();
            if verb.is_none_or(|verb| !keeps.contains(&verb)) {
                git.write(&["**"], Writing::Discard, found);
            }
            if matches!(verb, Some("pop" | "apply")) {
                found.add(What::Change { directory });
            }
        }
        "clean" if !git.has_flag('n') && git.has_flag('f') => {
            // Only with `x` does it take what is ignored, and a hub's files are.
            let takes_ignored = git.has_flag('x') || git.has_flag('X');
            let how = if takes_ignored { Writing::Remove } else { Writing::Clean };
            let named = git.operands(&["-e", "--exclude"]);
            let named = if named.is_empty() { vec!["**"] } else { named };
            git.write(&named, how, found);
        }
        "rm" | "mv" if !git.has(&["--cached", "-n", "--dry-run"]) => {
            git.write(&git.operands(&[]), Writing::Edit, found);
        }
        "branch" => git.branch(found),
        "config" if git.moves_hooks() => found.add(What::Rehook { directory }),
        _ => {}
    }
}

/// What a run of GitHub's program does.
pub(super) fn requested(run: &Run, found: &mut Found) {
    let mut words = run.known().filter(|word| !word.starts_with('-'));
    if (words.next(), words.next()) == (Some("pr"), Some("merge"))
        && let Some(directory) = &run.directory
    {
        found.add(What::MergeRequest { directory: directory.clone() });
    }
}

impl<'r> Git<'r> {
    /// Takes the options of git itself off. Absent where the directory is not known, or nothing is asked for.
    pub(super) fn of(run: &'r Run) -> Option<Self> {
        let setting =
            |name: &str| run.settings.iter().find(|(set, _)| set == name).map(|(_, value)| value.as_str());
        let mut directory = run.directory.clone();
        let go = |from: &Option<String>, to: &str| match from {
            Some(from) => Some(path::join(from, to)),
            None => to.starts_with('/').then(|| path::tidy(to)),
        };
        let (mut tree, mut git_dir) = (setting("GIT_WORK_TREE"), setting("GIT_DIR"));
        let mut arguments = run.arguments.iter().map(Option::as_deref);
        let verb = loop {
            let argument = arguments.next()??;
            let (name, value) = argument.split_once('=').map_or((argument, None), |(n, v)| (n, Some(v)));
            match name {
                "-C" => directory = arguments.next().flatten().and_then(|to| go(&directory, to)),
                "--work-tree" => tree = value.or_else(|| arguments.next().flatten()),
                "--git-dir" => git_dir = value.or_else(|| arguments.next().flatten()),
                "-c" | "--namespace" | "--config-env" | "--exec-path" if value.is_none() => {
                    arguments.next();
                }
                name if name.starts_with('-') => {}
                verb => break verb,
            }
        };
        // Without a tree of its own a git directory is that of the tree around it.
        let around =
            |git_dir: &str| git_dir.trim_end_matches('/').strip_suffix(".git").map(|tree| format!("{tree}."));
        let place = tree
            .map(str::to_owned)
            .or_else(|| git_dir.map(|dir| around(dir).unwrap_or_else(|| dir.to_owned())));
        if let Some(place) = place {
            directory = go(&directory, &place);
        }
        let rest: Vec<Option<&str>> = arguments.collect();
        let has_unknown = rest.contains(&None);
        let arguments = rest.into_iter().map(|word| word.unwrap_or(HIDDEN)).collect();
        let is_elsewhere = directory.is_none();
        let directory = directory.unwrap_or_else(|| run.near.clone());
        Some(Self { run, directory, is_elsewhere, verb, arguments, has_unknown })
    }

    pub(super) fn has(&self, names: &[&str]) -> bool {
        self.arguments
            .iter()
            .take_while(|argument| **argument != "--")
            .any(|argument| names.contains(argument))
    }

    /// Whether this word comes first.
    pub(super) fn arguments_begin_with(&self, word: &str) -> bool {
        self.arguments.first() == Some(&word)
    }

    /// Whether a short option is there, alone or among others.
    fn has_flag(&self, flag: char) -> bool {
        self.arguments.iter().any(|argument| {
            let letters = argument.strip_prefix('-').filter(|rest| !rest.starts_with('-'));
            letters.is_some_and(|letters| letters.contains(flag))
                || (flag == 'n' && *argument == "--dry-run")
                || (flag == 'f' && *argument == "--force")
        })
    }

    /// Whether it only ends what was begun and undone.
    fn ends_something(&self) -> bool {
        self.has(&["--abort", "--quit", "--skip", "-h", "--help"])
    }

    /// Options with their values.
    pub(super) fn valued(&self, names: &[&str]) -> Vec<(&'r str, &'r str)> {
        let pairs = self.arguments.windows(2).filter(|pair| names.contains(&pair[0]));
        pairs.map(|pair| (pair[0], pair[1])).collect()
    }

    /// Arguments that are no options, up to `--` and behind it.
    pub(super) fn operands(&self, valued: &[&str]) -> Vec<&'r str> {
        let mut found = Vec::new();
        let mut rest = self.arguments.iter();
        let mut all = false;
        while let Some(argument) = rest.next() {
            match *argument {
                "--" => all = true,
                option if !all && option.starts_with('-') && option != "-" => {
                    if valued.contains(&option) {
                        rest.next();
                    }
                }
                operand => found.push(operand),
            }
        }
        found
    }

    fn write(&self, paths: &[&str], how: Writing, found: &mut Found) {
        let here = Run { directory: Some(self.directory.clone()), ..self.run.clone() };
        for path in paths {
            match *path {
                HIDDEN => found.write_hidden(&here, ""),
                path => found.write(&here, path, how),
            }
        }
    }

    /// Puts files back to what git has. All of them at once may be work of anybody.
    fn discard(&self, paths: &[&str], found: &mut Found) {
        self.write(paths, Writing::Discard, found);
        if paths.iter().any(|path| matches!(*path, "." | "./" | ":/" | "*" | "**")) {
            found.add(What::Change { directory: self.directory.clone() });
        }
    }

    /// Files as another commit has them.
    fn take_over(&self, from: &str, paths: &[&str], found: &mut Found) {
        match from {
            "HEAD" | "@" => self.discard(paths, found),
            _ => self.write(paths, Writing::Edit, found),
        }
    }

    /// The commit that `git restore` takes files from, where one is named.
    fn source(&self) -> Option<&'r str> {
        let behind = self.arguments.iter().find_map(|argument| argument.strip_prefix("--source="));
        behind.or_else(|| self.valued(&["-s", "--source"]).first().map(|(_, value)| *value))
    }

    fn push(&self, found: &mut Found) {
        if self.has(&["--dry-run", "-n", "-h", "--help"]) {
            return;
        }
        let directory = self.directory.clone();
        if self.has(&["--all", "--mirror", "--branches"]) {
            return found.add(What::Push { directory, to: vec!["*".to_owned()] });
        }
        let named = self.operands(&["-o", "--push-option", "--repo", "--receive-pack", "--exec"]);
        let to: Vec<String> = named.iter().skip(1).filter_map(|refspec| target(refspec)).collect();
        let only_tags = to.is_empty() && (self.has(&["--tags"]) || named.len() > 1);
        // `HEAD` and nothing at all are the branch that is checked out.
        let to = if to.iter().any(|name| name == "HEAD") && to.len() == 1 { Vec::new() } else { to };
        if !only_tags {
            found.add(What::Push { directory, to });
        }
    }

    fn reset(&self, found: &mut Found) {
        if self.has(&["--hard", "--merge", "--keep"]) {
            self.discard(&["**"], found);
        }
        // With a mode it takes a commit and no files; without one the branch moves only where no file follows.
        let has_mode = self.has(&["--hard", "--merge", "--keep", "--soft", "--mixed"]);
        let to = match self.operands(&[]).as_slice() {
            [to] if has_mode || looks_like_a_commit(to) => *to,
            _ => return,
        };
        if !matches!(to, "HEAD" | "@") {
            found.add(What::Reset { directory: self.directory.clone(), to: to.to_owned() });
        }
    }

    fn check_out(&self, found: &mut Found) {
        let made = self.valued(&["-b", "-B", "-c", "-C", "--orphan", "--create", "--force-create"]);
        if let Some((option, name)) = made.first() {
            return self.made(option, name, found);
        }
        let separator = self.arguments.iter().position(|argument| *argument == "--");
        if let Some(at) = separator.filter(|_| self.verb == "checkout") {
            let paths = &self.arguments[at + 1..];
            return match self.arguments[..at].iter().find(|argument| !argument.starts_with('-')) {
                Some(from) => self.take_over(from, paths, found),
                None => self.discard(paths, found),
            };
        }
        match self.operands(&["--conflict", "-t", "--pathspec-from-file"]).as_slice() {
            // To which branch is not known, so nothing is known of what follows there.
            [] => {}
            _ if self.has(&["--ours", "--theirs", "-p", "--patch"]) => {
                self.discard(&self.operands(&[]), found);
            }
            [to] if self.verb == "switch" || !looks_like_files(to) => {
                let to = if self.has(&["--detach", "-d"]) || *to == "-" { String::new() } else { branch(to) };
                found.add(What::Switch { directory: self.directory.clone(), to });
            }
            [only] => self.discard(&[only], found),
            [from, paths @ ..] if looks_like_files(from) => {
                self.discard(&[&[*from], paths].concat(), found);
            }
            [from, paths @ ..] => self.take_over(from, paths, found),
        }
    }

    /// A branch that is made, or put elsewhere, and checked out by all but `worktree add`.
    pub(super) fn made(&self, option: &str, name: &str, found: &mut Found) {
        let (directory, name) = (self.directory.clone(), branch(name));
        found.add(match option {
            "-B" | "-C" | "--force-create" => {
                What::MoveBranch { directory: directory.clone(), name: name.clone() }
            }
            // A new one is none that is protected.
            _ if name == HIDDEN => What::Switch { directory: directory.clone(), to: String::new() },
            _ => What::NewBranch { directory: directory.clone(), name: name.clone() },
        });
        if self.verb != "worktree" && name != HIDDEN {
            found.add(What::Switch { directory, to: name });
        }
    }

    /// Whether `git config` changes where hooks are looked for. With a name alone it only says where that is.
    fn moves_hooks(&self) -> bool {
        let words = self.operands(&["-f", "--file", "--blob", "--type", "--default", "--comment"]);
        let names = |word: &&str, name: &str| word.eq_ignore_ascii_case(name);
        if self.has(&["--remove-section", "--rename-section"])
            || matches!(words.first(), Some(&("remove-section" | "rename-section")))
        {
            return words.iter().any(|word| names(word, "core"));
        }
        let looks = self.has(&["--get", "--get-all", "--get-regexp"]) || words.first() == Some(&"get");
        let Some(at) = words.iter().position(|word| names(word, "core.hooksPath")).filter(|_| !looks) else {
            return false;
        };
        let has_value = at + 1 < words.len() || self.has_unknown;
        has_value
            || self.has(&["--unset", "--unset-all"])
            || words.first().is_some_and(|word| word.starts_with("unset"))
    }

    fn branch(&self, found: &mut Found) {
        let names =
            self.operands(&["-u", "--set-upstream-to", "--contains", "--merged", "--sort", "--format"]);
        let (directory, first) = (|| self.directory.clone(), names.first().map(|name| branch(name)));
        let changes = ["-f", "--force", "-d", "-D", "--delete", "-m", "-M", "--move", "-C"];
        if let ([name], true) = (names.as_slice(), self.has(&["-m", "-M", "--move"])) {
            // The branch that is checked out gets another name.
            found.add(What::Reset { directory: directory(), to: branch(name) });
        } else if self.has(&changes) {
            for name in names {
                found.add(What::MoveBranch { directory: directory(), name: branch(name) });
            }
        } else if !self.arguments.iter().any(|argument| argument.starts_with('-') && *argument != "--track") {
            found.touches.extend(first.filter(|name| name != HIDDEN).map(|name| super::Touch {
                what: What::NewBranch { directory: directory(), name },
                source: found.source.clone(),
            }));
        }
    }
}

/// What a refspec changes elsewhere; nothing for a tag.
pub(super) fn target(refspec: &str) -> Option<String> {
    let refspec = refspec.trim_start_matches('+');
    let to = refspec.split_once(':').map_or(refspec, |(_, to)| to);
    (!to.starts_with("refs/tags/") && to != "tag" && !to.is_empty()).then(|| branch(to))
}

/// A branch by its short name.
pub(super) fn branch(name: &str) -> String {
    name.strip_prefix("refs/heads/").unwrap_or(name).to_owned()
}

/// Whether `git reset X` means a commit: `HEAD~1`, `@{u}`, a hash.
fn looks_like_a_commit(word: &str) -> bool {
    let is_hash = word.len() >= 7 && word.chars().all(|c| c.is_ascii_hexdigit());
    is_hash || word.starts_with("HEAD") || word.starts_with('@') || word.contains(['~', '^'])
}

/// Whether `git checkout X` means files: a branch is seldom called so.
fn looks_like_files(word: &str) -> bool {
    let has_extension = path::file_name(word).rsplit_once('.').is_some_and(|(stem, end)| {
        !stem.is_empty() && !end.is_empty() && end.chars().all(char::is_alphabetic) && end.len() <= 4
    });
    word.starts_with(['.', '/', ':', '*']) || word.ends_with('/') || has_extension
}
