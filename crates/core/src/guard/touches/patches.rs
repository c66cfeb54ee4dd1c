//! Patches and archives: what they change is written in them, and mostly not on the command line.

use super::files::{operand_places, value_of};
use super::git::Git;
use super::{Found, What, Writing, placed};
use crate::guard::action::patched;
use crate::guard::shell::Run;

/// What a patch or archive changes.
pub(super) fn applied(program: &str, run: &Run, found: &mut Found) {
    match program {
        "patch" => patch(run, found),
        "git" => git(run, found),
        "cpio" if has(run, &["-i", "--extract"]) || run.known().any(|word| word.starts_with("-i")) => {
            below(run, ".", found);
        }
        _ => {}
    }
}

fn patch(run: &Run, found: &mut Found) {
    if has(run, &["--dry-run", "-C", "--check", "--help", "--version"]) {
        return;
    }
    let valued = ["-d", "--directory", "-i", "--input", "-o", "--output", "-p", "-B", "-D", "-F", "-r", "-V"];
    if let Some(output) = value_of(run, "-o", "--output") {
        return found.write(run, output, Writing::Edit);
    }
    if let Some(place) = operand_places(run, &valued).first() {
        return found.write_argument(run, *place, Writing::Edit);
    }
    let directory = value_of(run, "-d", "--directory");
    texts(run, directory, run.input.as_deref(), found);
}

fn git(run: &Run, found: &mut Found) {
    let Some(git) = Git::of(run) else { return };
    let looks = ["--check", "--stat", "--numstat", "--summary", "--cached", "--abort", "--quit", "--skip"];
    if !matches!(git.verb, "apply" | "am") || git.has(&looks) {
        return;
    }
    let text = run.input.as_deref().filter(|_| git.operands(&["-p", "-C", "--directory"]).is_empty());
    let here = Run { directory: Some(git.directory.clone()), ..run.clone() };
    texts(&here, value_of(run, "--directory", "--directory"), text, found);
}

/// The files that a text changes, where it is known; any below the directory where it is not.
fn texts(run: &Run, directory: Option<&str>, text: Option<&str>, found: &mut Found) {
    let files = text.filter(|_| directory.is_none()).map(patched).unwrap_or_default();
    if files.is_empty() {
        return below(run, directory.unwrap_or("."), found);
    }
    files.iter().for_each(|file| found.write(run, file, Writing::Edit));
}

/// Files below a directory; which ones only running it would tell.
pub(super) fn below(run: &Run, directory: &str, found: &mut Found) {
    if let Some(directory) = placed(run, directory) {
        found.add(What::Change { directory: directory.clone() });
        found.add(What::Write { path: directory, how: Writing::Below });
    }
}

fn has(run: &Run, names: &[&str]) -> bool {
    run.known().any(|word| names.contains(&word))
}
