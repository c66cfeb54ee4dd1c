//! The Pythons of this machine: from `PATH`, from pyenv, and where there is no old one, Debian's PyPy.

use std::path::PathBuf;
use std::process::Command;

use crate::Result;
use crate::tools::Tools;

/// The oldest Python that the package supports: 3.9.
const OLDEST_MINOR: u32 = 9;
/// Newer ones are looked for up to here.
const NEWEST_MINOR: u32 = 20;

/// An interpreter that can make environments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Interpreter {
    pub(super) program: PathBuf,
    /// Major, minor and patch.
    pub(super) version: String,
    numbers: Vec<u32>,
}

/// The oldest and the newest; one where there is only one.
pub(super) fn oldest_and_newest(tools: &Tools<'_>) -> Result<Vec<Interpreter>> {
    let mut found = all();
    let is_oldest = |one: &Interpreter| one.numbers.get(1) == Some(&OLDEST_MINOR);
    if !found.iter().any(is_oldest) && tools.debian_packages(&["pypy3", "pypy3-venv"]).is_ok() {
        found.extend(looked_at("pypy3".into()));
    }
    chosen(found).ok_or_else(|| format!("there is no Python 3.{OLDEST_MINOR} or newer here"))
}

fn chosen(mut found: Vec<Interpreter>) -> Option<Vec<Interpreter>> {
    found.retain(|one| one.numbers >= vec![3, OLDEST_MINOR]);
    found.sort_by(|one, other| one.numbers.cmp(&other.numbers));
    found.dedup_by(|one, other| one.version == other.version);
    let (oldest, newest) = (found.first()?.clone(), found.last()?.clone());
    Some(if oldest == newest { vec![newest] } else { vec![oldest, newest] })
}

fn all() -> Vec<Interpreter> {
    let named = (OLDEST_MINOR..=NEWEST_MINOR).map(|minor| PathBuf::from(format!("python3.{minor}")));
    let pyenv = std::env::var_os("PYENV_ROOT")
        .map(PathBuf::from)
        .or_else(|| std::env::home_dir().map(|home| home.join(".pyenv")));
    let versions = pyenv.and_then(|pyenv| pyenv.join("versions").read_dir().ok()).into_iter().flatten();
    let kept = versions.flatten().map(|entry| entry.path().join("bin").join("python3"));
    named.chain(["python3".into(), "pypy3".into()]).chain(kept).filter_map(looked_at).collect()
}

fn looked_at(program: PathBuf) -> Option<Interpreter> {
    let question = "import ensurepip, sys, venv; print('.'.join(map(str, sys.version_info[:3])))";
    let said =
        Command::new(&program).args(["-c", question]).output().ok().filter(|done| done.status.success())?;
    let version = String::from_utf8(said.stdout).ok()?.trim().to_owned();
    let numbers = version.split('.').map(|number| number.parse().ok()).collect::<Option<Vec<u32>>>()?;
    Some(Interpreter { program, version, numbers })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn python(version: &str) -> Interpreter {
        let numbers = version.split('.').map(|number| number.parse().unwrap()).collect();
        Interpreter { program: version.into(), version: version.to_owned(), numbers }
    }

    #[test]
    fn oldest_and_newest_are_chosen() {
        let versions = |given: &[&str]| -> Option<Vec<String>> {
            let found = chosen(given.iter().map(|version| python(version)).collect())?;
            Some(found.into_iter().map(|one| one.version).collect())
        };
        let found = versions(&["3.12.1", "3.8.18", "3.9.18", "3.13.0", "3.9.2", "3.10.1", "2.7.18"]);
        assert_eq!(found, Some(vec!["3.9.2".to_owned(), "3.13.0".to_owned()]));
        assert_eq!(versions(&["3.11.7", "3.11.7"]), Some(vec!["3.11.7".to_owned()]));
        assert_eq!(versions(&["3.8.1"]), None);
    }
}
