//! The hooks of git that ask the guard, beside those that were there before.
//!
//! Owns their text and how they are put and taken away: what somebody else wrote is moved aside, called, and put back
//! byte for byte.

use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use interagent_core::guard::own::HOOK_MARK as MARK;

use crate::error::{CliError, ErrorKind};
use crate::files;

/// In a directory that was made for the hooks they say so: it goes with them.
const MADE: &str = "# The directory was made for it.";
/// Before the program in a hook.
const PROGRAM: &str = "guard=";
/// Where a hook goes that was there before.
const BEFORE: &str = "before-interagent";
/// A hook of git.
struct Hook {
    name: &'static str,
    /// The word that makes the guard look.
    verb: &'static str,
    lines: Lines,
    when: When,
}

/// What git says on standard input.
enum Lines {
    None,
    Given,
}

/// When the guard is asked.
enum When {
    Always,
    /// Once a transaction can still be refused, and only for branches: git calls the hook for every reference.
    Prepared,
}

const HOOKS: [Hook; 3] = [
    Hook { name: "pre-commit", verb: "commit", lines: Lines::None, when: When::Always },
    Hook { name: "pre-push", verb: "push", lines: Lines::Given, when: When::Always },
    Hook { name: "reference-transaction", verb: "refs", lines: Lines::Given, when: When::Prepared },
];

/// What was done to a hook.
#[derive(Debug)]
pub(crate) struct Change {
    pub(crate) did: &'static str,
    pub(crate) path: PathBuf,
}

/// Puts our hooks into a directory.
pub(crate) fn put(directory: &Path, program: &Path) -> Result<Vec<Change>, CliError> {
    let is_made = fs::symlink_metadata(directory).is_err() || is_made(directory);
    files::make_directories(directory, 0o755).map_err(|source| trouble(directory, source))?;
    HOOKS.iter().map(|hook| put_one(directory, hook.name, &script(hook, program, is_made))).collect()
}

/// Whether all our hooks are in a directory, and call this program.
pub(crate) fn are_put(directory: &Path, program: &Path) -> bool {
    HOOKS.iter().all(|hook| match ours(&directory.join(hook.name)) {
        Ok(Found::Ours(text)) => text == script(hook, program, false) || text == script(hook, program, true),
        _ => false,
    })
}

fn put_one(directory: &Path, name: &str, text: &str) -> Result<Change, CliError> {
    let path = directory.join(name);
    let failed = |source| trouble(&path, source);
    let did = match ours(&path).map_err(failed)? {
        Found::Ours(there) if there == text => return Ok(Change { did: "already there:", path }),
        Found::Ours(_) => "renewed",
        Found::Nothing => "installed",
        Found::Other => {
            let aside = before(&path);
            // A hook manager wrote its own again, over ours: that is the one to call.
            let is_again = || fs::read(&aside).is_ok_and(|text| fs::read(&path).is_ok_and(|now| now == text));
            if fs::symlink_metadata(&aside).is_ok() && !is_again() {
                let sentence = format!("`{}` and `{}` are both not ours", path.display(), aside.display());
                return Err(CliError::new(ErrorKind::Conflict, sentence).with_hint(format!(
                    "keep the one you need as {name}, move the other away, and try again"
                )));
            }
            fs::rename(&path, &aside).map_err(failed)?;
            "installed, before the hook that was there:"
        }
    };
    files::write(directory, name, text).map_err(failed)?;
    fs::set_permissions(&path, Permissions::from_mode(0o755)).map_err(failed)?;
    Ok(Change { did, path })
}

/// Takes our hooks away and puts back what was there.
pub(crate) fn take_away(directory: &Path) -> Result<Vec<Change>, CliError> {
    let is_made = is_made(directory);
    let changes = HOOKS.iter().map(|hook| take_one(&directory.join(hook.name))).collect();
    if is_made {
        // One that somebody else uses by now is not empty, and stays.
        let _ = fs::remove_dir(directory);
    }
    changes
}

/// Whether the directory was made for our hooks.
fn is_made(directory: &Path) -> bool {
    let says_so = |name: &str| match ours(&directory.join(name)) {
        Ok(Found::Ours(text)) => text.lines().any(|line| line == MADE),
        _ => false,
    };
    HOOKS.iter().any(|hook| says_so(hook.name))
}

/// A hook that asked the guard and does so no more: somebody wrote another one in its place.
pub(crate) fn replaced(directory: &Path) -> Option<PathBuf> {
    let paths = HOOKS.iter().map(|hook| directory.join(hook.name));
    paths.into_iter().find(|path| before(path).exists() && !matches!(ours(path), Ok(Found::Ours(_))))
}

/// Whether a directory has hooks that ask the guard.
pub(crate) fn has_ours(directory: &Path) -> bool {
    HOOKS.iter().any(|hook| matches!(ours(&directory.join(hook.name)), Ok(Found::Ours(_))))
}

/// The program that our hooks in a directory call, where it is gone.
pub(crate) fn gone(directory: &Path) -> Option<PathBuf> {
    HOOKS.iter().find_map(|hook| {
        let Ok(Found::Ours(text)) = ours(&directory.join(hook.name)) else { return None };
        let given = text.lines().find_map(|line| line.strip_prefix(PROGRAM))?;
        let program = given.strip_prefix('\'')?.strip_suffix('\'')?.replace("'\\''", "'");
        Some(PathBuf::from(program)).filter(|program| !program.exists())
    })
}

fn take_one(path: &Path) -> Result<Change, CliError> {
    let failed = |source| trouble(path, source);
    let aside = before(path);
    let change = |did| Ok(Change { did, path: path.to_owned() });
    match ours(path).map_err(failed)? {
        Found::Nothing => return change("not there:"),
        Found::Other => return change("not ours, so left as it is:"),
        Found::Ours(_) => {}
    }
    if fs::symlink_metadata(&aside).is_ok() {
        fs::rename(&aside, path).map_err(failed)?;
        return change("put back");
    }
    fs::remove_file(path).map_err(failed)?;
    change("removed")
}

enum Found {
    Nothing,
    Ours(String),
    Other,
}

fn ours(path: &Path) -> io::Result<Found> {
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Found::Nothing),
        Err(error) => return Err(error),
        Ok(found) if !found.is_file() => return Ok(Found::Other),
        Ok(_) => {}
    }
    let text = String::from_utf8_lossy(&fs::read(path)?).into_owned();
    Ok(if text.lines().any(|line| line == MARK) { Found::Ours(text) } else { Found::Other })
}

fn before(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".");
    name.push(BEFORE);
    path.with_file_name(name)
}

fn trouble(path: &Path, source: io::Error) -> CliError {
    CliError::new(ErrorKind::Unavailable, format!("cannot change `{}`", path.display())).with_source(source)
}

/// The text of a hook. Only exit code 1 is a refusal: a guard that is gone or broken stops nobody.
fn script(hook: &Hook, program: &Path, is_made: bool) -> String {
    let Hook { verb, lines, when, .. } = hook;
    let program = quoted(&program.display().to_string());
    let made = if is_made { format!("{MADE}\n") } else { String::new() };
    // What git says on standard input is for both.
    let (keep, give) = match lines {
        Lines::Given => ("lines=$(cat)\n", "if [ -n \"$lines\" ]; then printf '%s\\n' \"$lines\"; fi | "),
        Lines::None => ("", ""),
    };
    // Beside a commit the other hooks have said so already.
    let gone = match when {
        When::Always => {
            "\n    else\n        echo \"interagent: the guard did not look: $guard is gone; interagent guard install puts it back\" >&2"
        }
        When::Prepared => "",
    };
    let (only, asks) = match when {
        When::Always => (String::new(), "true"),
        When::Prepared => (
            "if [ \"$1\" != prepared ] && [ ! -x \"$before\" ]; then exit 0; fi\n".to_owned(),
            "case \"$1$lines\" in prepared*' refs/heads/'*) true ;; *) false ;; esac",
        ),
    };
    // A shell script is read in a shell of its own that is called like the hook, since hook managers look for their files
    // beside the name they are called by.
    format!(
        "#!/bin/sh\n{MARK}\n{made}{PROGRAM}{program}\nbefore=\"$0.{BEFORE}\"\n{only}{keep}\
         if {asks}; then\n    if [ -x \"$guard\" ]; then\n        {give}\"$guard\" guard {verb} \"$@\"\n        \
         if [ $? -eq 1 ]; then exit 1; fi{gone}\n    fi\nfi\n\
         if [ -x \"$before\" ]; then\n    first=\n    IFS= read -r first < \"$before\" || :\n    case $first in\n    \
         '#!'*bash*) shell=bash ;;\n    '#!'*'/sh'* | '#!'*' sh'*) shell=sh ;;\n    *) shell= ;;\n    esac\n    \
         if [ -n \"$shell\" ]; then\n        {give}\"$shell\" -c 'hook=$1; shift; . \"$hook\"' \"$0\" \"$before\" \"$@\"\n    \
         else\n        {give}\"$before\" \"$@\"\n    fi\n    exit $?\nfi\nexit 0\n"
    )
}

fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', "'\\''"))
}

/// The push that git's lines describe: `local-ref local-commit remote-ref remote-commit` for each branch.
pub(super) fn pushed(remote: Option<&str>, lines: &str) -> String {
    let targets = lines.lines().filter_map(|line| line.split_whitespace().nth(2));
    let refspecs: Vec<String> = targets.map(|to| quoted(&format!("HEAD:{to}"))).collect();
    match refspecs.is_empty() {
        true => String::new(),
        false => format!("git push {} {}", quoted(remote.unwrap_or("origin")), refspecs.join(" ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lines_of_git_become_the_push_they_describe() {
        let lines = "refs/heads/a 12 refs/heads/main 34\n\n(delete) 00 refs/heads/it's 56\n";
        assert_eq!(
            pushed(Some("up"), lines),
            r"git push 'up' 'HEAD:refs/heads/main' 'HEAD:refs/heads/it'\''s'"
        );
        assert_eq!(pushed(None, ""), "");
    }
}
