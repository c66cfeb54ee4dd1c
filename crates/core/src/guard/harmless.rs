//! Which tool calls can change nothing: what is not the agent's is looked at only around the others.

use super::action::Action;
use super::shell::{self, Run, Start};
use super::touches::is_device;

/// Programs that change no file, whatever they are given. Redirections count apart.
const LOOKS: [&str; 66] = [
    ":",
    "[",
    "[[",
    "b2sum",
    "base64",
    "basename",
    "bat",
    "cal",
    "cat",
    "cd",
    "cksum",
    "cmp",
    "column",
    "comm",
    "cut",
    "date",
    "df",
    "diff",
    "dirname",
    "du",
    "echo",
    "egrep",
    "env",
    "exit",
    "expr",
    "false",
    "fgrep",
    "file",
    "fold",
    "free",
    "grep",
    "groups",
    "head",
    "hexdump",
    "hostname",
    "id",
    "interagent",
    "jobs",
    "jq",
    "ls",
    "md5sum",
    "nl",
    "nproc",
    "od",
    "paste",
    "printenv",
    "printf",
    "ps",
    "pwd",
    "readlink",
    "realpath",
    "rev",
    "seq",
    "sha1sum",
    "sha256sum",
    "sleep",
    "stat",
    "strings",
    "tac",
    "tail",
    "test",
    "tr",
    "tree",
    "true",
    "uname",
    "wc",
];
/// The same with exceptions that are looked at below.
const MOSTLY: [&str; 8] = ["awk", "fd", "find", "git", "rg", "sed", "sort", "which"];
/// Options with which these change files or run programs.
const CHANGES: [&str; 16] = [
    "--delete",
    "--exec",
    "--exec-batch",
    "--in-place",
    "--output",
    "--pre",
    "-X",
    "-delete",
    "-exec",
    "-execdir",
    "-f",
    "-fls",
    "-fprint",
    "-i",
    "-o",
    "-ok",
];
/// Commands of git that change nothing.
const GIT: [&str; 15] = [
    "blame",
    "cat-file",
    "describe",
    "diff",
    "grep",
    "log",
    "ls-files",
    "ls-tree",
    "merge-base",
    "rev-list",
    "rev-parse",
    "shortlog",
    "show",
    "show-ref",
    "status",
];

/// Whether a tool call may change something that its words do not name.
pub fn may_change(action: &Action, directory: &str, home: Option<&str>) -> bool {
    let Action::Shell { command, directory: named, background } = action else { return false };
    let directory = named.as_deref().unwrap_or(directory);
    let found = shell::follow(command, Start { directory, home, background: *background });
    !found.complete || found.runs.iter().any(|run| !is_harmless(run))
}

fn is_harmless(run: &Run) -> bool {
    let Some(program) = run.program.as_deref() else {
        return run.arguments.is_empty() && run.writes.is_empty() && run.hides.is_empty();
    };
    let is_free = |path: &String| is_device(path);
    if !run.writes.iter().all(is_free) || !run.hides.is_empty() {
        return false;
    }
    if program == "git" {
        // Settings and variables of git may run programs.
        let verb = run.arguments.first().and_then(Option::as_deref);
        let has_output = run.known().any(|word| word.starts_with("--output") || word.starts_with("--ext"));
        return verb.is_some_and(|verb| GIT.contains(&verb)) && run.settings.is_empty() && !has_output;
    }
    let changes = |word: &str| {
        let is_option = |option: &str| {
            let rest = word.strip_prefix(option);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('=') || option.len() == 2)
        };
        CHANGES.iter().any(|option| is_option(option))
            || ["system(", "w ", ">", "|"].iter().any(|part| word.contains(part))
    };
    LOOKS.contains(&program)
        || (MOSTLY.contains(&program)
            && run.arguments.iter().all(Option::is_some)
            && !run.known().any(changes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_reading_changes_nothing() {
        for command in [
            "ls -la",
            "cat a | grep b | head -n 5",
            "cd src && git status --short",
            "git diff main..HEAD -- src",
            "find . -name '*.rs'",
            "sed -n 1,5p a.rs",
            "rg x 2>/dev/null",
            "echo $(git rev-parse HEAD)",
        ] {
            assert!(!may_change(&Action::command(command), "/p", None), "{command}");
        }
        for command in [
            "make",
            "./run.sh",
            "python3 x.py",
            "echo x > a",
            "echo x > $A",
            "find . -exec sh x {} ;",
            "find . -delete",
            "sed -i s/a/b/ x",
            "sed 's/a/b/w c' x",
            "sed -n 'w c' x",
            "sed --in-place=.bak s/a/b/ x",
            "sort x --output=y",
            "awk '{print > \"x\"}'",
            "git -c core.pager=x log",
            "GIT_EXTERNAL_DIFF=x git diff",
            "git diff --ext-diff",
            "git commit -m x",
            "$X y",
            "ls; frobnicate",
        ] {
            assert!(may_change(&Action::command(command), "/p", None), "{command}");
        }
    }
}
