//! All profiles: those of the program, and the user's own, which come first.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use crate::marks::Marks;
use crate::profile::{Profile, ProfileError};

/// Profiles of one directory that are read; more are a mistake.
const OWN_PROFILES: usize = 100;

/// A profile that is part of the program.
struct Shipped {
    json: &'static str,
    /// The version that the tests run.
    tested: Option<&'static str>,
    marks: Marks,
}

static SHIPPED: &[Shipped] = include!(concat!(env!("OUT_DIR"), "/shipped.rs"));

/// How the shipped clients are recognised, without reading their profiles.
pub fn shipped_marks() -> impl Iterator<Item = &'static Marks> {
    SHIPPED.iter().map(|shipped| &shipped.marks)
}

/// The profiles there are.
#[derive(Debug, Default)]
pub struct Profiles {
    own: Vec<Profile>,
    own_marks: OnceLock<Vec<Marks>>,
    /// Files that are no profiles.
    problems: Vec<Arc<ProfileError>>,
}

impl Profiles {
    /// Only those of the program.
    pub fn shipped() -> Self {
        Self::default()
    }

    /// Also those of these directories, in the order of their names. One that can't be read harms no other.
    pub fn with_own<'d>(directories: impl IntoIterator<Item = &'d Path>) -> Self {
        let mut profiles = Self::default();
        for directory in directories {
            profiles.add(directory);
        }
        profiles
    }

    /// Also these, after the user's own: each the name of a file and its text.
    #[must_use]
    pub fn and(&self, texts: impl IntoIterator<Item = (String, String)>) -> Self {
        let (own, problems) = (self.own.clone(), self.problems.clone());
        let mut profiles = Self { own, problems, ..Self::default() };
        for (file, text) in texts {
            match Profile::parse(&text, &file) {
                Ok(profile) => profiles.own.push(profile),
                Err(problem) => profiles.problems.push(Arc::new(problem)),
            }
        }
        profiles
    }

    fn add(&mut self, directory: &Path) {
        let Ok(entries) = std::fs::read_dir(directory) else { return };
        let is_profile =
            |path: &std::path::PathBuf| path.extension().is_some_and(|extension| extension == "toml");
        let mut files: Vec<_> = entries.flatten().map(|entry| entry.path()).filter(is_profile).collect();
        files.sort();
        for file in files.into_iter().take(OWN_PROFILES) {
            let shown = file.display().to_string();
            let read = std::fs::read_to_string(&file)
                .map_err(|source| ProfileError::Unreadable { file: shown.clone(), source: source.into() })
                .and_then(|text| Profile::parse(&text, &shown));
            match read {
                Ok(profile) => self.own.push(profile),
                Err(problem) => self.problems.push(Arc::new(problem)),
            }
        }
    }

    /// Files that are no profiles, and why.
    pub fn problems(&self) -> &[Arc<ProfileError>] {
        &self.problems
    }

    /// Whether the program itself has a profile of this name.
    pub fn is_shipped(name: &str) -> bool {
        shipped_marks().any(|marks| marks.profile == name)
    }

    /// The version of a client that this program was tested with; none for a profile of the user's own.
    pub fn tested_version(&self, name: &str) -> Option<&'static str> {
        let is_own = self.own.iter().any(|profile| profile.name == name);
        let shipped = SHIPPED.iter().find(|shipped| shipped.marks.profile == name && !is_own)?;
        shipped.tested
    }

    /// The profile of a name; the user's own before ours.
    pub fn get(&self, name: &str) -> Option<Profile> {
        if let Some(own) = self.own.iter().find(|profile| profile.name == name) {
            return Some(own.clone());
        }
        let shipped = SHIPPED.iter().find(|shipped| shipped.marks.profile == name)?;
        // A test reads every one of them.
        serde_json::from_str(shipped.json).ok()
    }

    /// The names of all profiles, the user's own first.
    pub fn names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.own.iter().map(|profile| profile.name.as_str()).collect();
        for marks in shipped_marks() {
            if !names.contains(&marks.profile) {
                names.push(marks.profile);
            }
        }
        names
    }

    /// Other profiles with the same executable, in the order of `marks`.
    pub fn kin(&self, profile: &str) -> Vec<&'static str> {
        let executable =
            self.marks().find(|marks| marks.profile == profile).and_then(|marks| marks.executable);
        let is_kin = |marks: &Marks| marks.executable == executable && marks.profile != profile;
        let mut kin: Vec<&'static str> = Vec::new();
        for marks in self.marks().filter(|marks| executable.is_some() && is_kin(marks)) {
            if !kin.contains(&marks.profile) {
                kin.push(marks.profile);
            }
        }
        kin
    }

    /// How clients are recognised. The user's own are kept for the life of the process.
    pub fn marks(&self) -> impl Iterator<Item = Marks> {
        self.own_marks
            .get_or_init(|| self.own.iter().map(kept).collect())
            .iter()
            .chain(SHIPPED.iter().map(|shipped| &shipped.marks))
            .copied()
    }
}

fn kept(profile: &Profile) -> Marks {
    let word = |text: &String| -> &'static str { Box::leak(text.clone().into_boxed_str()) };
    let words = |texts: &[String]| -> &'static [&'static str] {
        Box::leak(texts.iter().map(word).collect::<Vec<_>>().into_boxed_slice())
    };
    let process = &profile.process;
    Marks {
        profile: word(&profile.name),
        executable: profile.executable.as_ref().map(word),
        variables: words(&process.variables),
        session: words(&process.session),
        shared: words(&process.shared),
        unshared: words(&process.unshared),
        pid: process.pid.as_ref().map(word),
        programs: words(&process.programs),
        interpreter: process.interpreter.as_ref().map(word),
        package: process.package.as_ref().map(word),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Event, Means, Say};

    #[test]
    fn every_shipped_profile_can_be_read() {
        let profiles = Profiles::shipped();
        for name in profiles.names() {
            let path = format!("{}/profiles/{name}.toml", env!("CARGO_MANIFEST_DIR"));
            let written = Profile::parse(&std::fs::read_to_string(path).unwrap(), name).unwrap();
            assert_eq!(profiles.get(name), Some(written));
        }
        assert_eq!(profiles.names().len(), 11);
    }

    #[test]
    fn every_client_with_hooks_can_be_told_at_the_end_of_a_turn() {
        let profiles = Profiles::shipped();
        for hooks in profiles.names().into_iter().filter_map(|name| profiles.get(name)?.hooks) {
            let end = hooks.events.iter().find(|event| event.means == Means::TurnEnd).unwrap();
            // A waiter that begins with the same event finds at once what waits.
            let waiter =
                hooks.events.iter().find(|event| event.means == Means::Wait && event.name == end.name);
            let says = |event: &Event| event.say != Say::Nothing;
            assert!(says(end) || waiter.is_some_and(says), "{end:?}");
        }
    }

    #[test]
    fn a_profile_of_the_user_comes_first_and_a_bad_one_harms_no_other() {
        let dir = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| std::fs::write(dir.path().join(name), text).unwrap();
        write("a.toml", "name = \"kimi\"\ntitle = \"My Kimi\"\n[process]\nvariables = [\"MY_KIMI\"]\n");
        write("b.toml", "name = \"x\"\ntitle = \"X\"\ncolour = 1\n");
        write("c.txt", "not looked at");
        let profiles = Profiles::with_own([dir.path()]);
        assert_eq!(profiles.get("kimi").unwrap().title, "My Kimi");
        assert_eq!(profiles.get("claude").unwrap().title, "Claude Code");
        assert_eq!(profiles.names().iter().filter(|name| **name == "kimi").count(), 1);
        assert_eq!(profiles.marks().next().unwrap().variables, ["MY_KIMI"]);
        assert_eq!(profiles.problems().len(), 1);
        let told = profiles.problems()[0].to_string();
        assert!(told.contains("line 3, column 1: unknown field `colour`") && !told.contains('\n'), "{told}");
        // A project's profiles beside them do not hide that.
        let with_project = profiles.and([("p.toml".to_owned(), "name = ".to_owned())]);
        let files: Vec<&str> = with_project.problems().iter().map(|problem| problem.file()).collect();
        assert!(files.len() == 2 && files[0].ends_with("b.toml") && files[1] == "p.toml", "{files:?}");
    }
}
