//! How a client is recognised from the outside: by the variables it sets, and by the program it is.

/// What tells the processes of one kind of client from all others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Marks {
    /// Which profile.
    pub profile: &'static str,
    /// What a person types to start it.
    pub executable: Option<&'static str>,
    /// Variables that only its processes have.
    pub variables: &'static [&'static str],
    /// Variables that name its session; the first that is set counts.
    pub session: &'static [&'static str],
    /// Arguments of its processes that serve several sessions.
    pub shared: &'static [&'static str],
    /// Arguments of its processes that never show a session of a shared process.
    pub unshared: &'static [&'static str],
    /// The variable that names its process.
    pub pid: Option<&'static str>,
    /// Names of its program.
    pub programs: &'static [&'static str],
    /// What runs its program, where a name alone could be another's.
    pub interpreter: Option<&'static str>,
    /// Its package, where an interpreter runs it from a directory.
    pub package: Option<&'static str>,
}

/// What is seen of a process.
#[derive(Clone, Copy, Debug)]
pub struct Seen<'a> {
    /// The name the kernel keeps for it.
    pub executable: &'a str,
    /// What it runs, where it is an interpreter of something.
    pub script: Option<&'a str>,
}

impl Marks {
    /// Whether a process is such a client.
    pub fn fit(&self, seen: Seen<'_>) -> bool {
        let is_program = |name: &str| self.programs.contains(&name);
        let Some(script) = seen.script else { return is_program(seen.executable) };
        let in_package =
            |package| script.split_once("node_modules/").is_some_and(|(_, path)| path.starts_with(package));
        let name = script.rsplit('/').next().unwrap_or(script);
        (is_program(name) && self.is_run_by(seen.executable))
            || is_program(seen.executable)
            || self.package.is_some_and(in_package)
    }

    /// Whether a process of this client with these arguments serves several sessions, so that it tells nothing about one.
    pub fn is_shared(&self, arguments: &[String]) -> bool {
        has_one_of(arguments, self.shared)
    }

    /// Whether a process of this client with these arguments may show a session that a shared process serves.
    pub fn may_show_shared(&self, arguments: &[String]) -> bool {
        !self.shared.is_empty()
            && !has_one_of(arguments, self.shared)
            && !has_one_of(arguments, self.unshared)
    }

    fn is_run_by(&self, executable: &str) -> bool {
        match self.interpreter {
            None => true,
            Some("node") => !executable.starts_with("python"),
            Some(interpreter) => executable.starts_with(interpreter),
        }
    }
}

fn has_one_of(arguments: &[String], words: &[&str]) -> bool {
    arguments.iter().skip(1).any(|argument| words.contains(&argument.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shipped_marks;

    #[test]
    fn two_clients_of_one_name_are_told_apart_by_what_runs_them() {
        let of = |executable: &str, script: Option<&str>| {
            let seen = Seen { executable, script };
            shipped_marks().find(|marks| marks.fit(seen)).map(|marks| marks.profile)
        };
        assert_eq!(of("node", Some("/usr/local/bin/kimi")), Some("kimi"));
        assert_eq!(of("MainThread", Some("/n/node_modules/@moonshot-ai/kimi-code/dist/m.js")), Some("kimi"));
        assert_eq!(of("python3.13", Some("/root/.local/bin/kimi")), Some("kimi-cli"));
        assert_eq!(of("Kimi Code", None), Some("kimi-cli"));
        assert_eq!(of("claude", None), Some("claude"));
        assert_eq!(of("bash", None), None);
    }

    #[test]
    fn shared_processes_are_known_by_their_arguments() {
        let codex = shipped_marks().find(|marks| marks.profile == "codex").unwrap();
        let words = |line: &str| line.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let daemon = words("codex app-server --listen unix:// --managed-daemon");
        assert!(codex.is_shared(&daemon) && !codex.may_show_shared(&daemon));
        assert!(codex.is_shared(&words("codex-linux-sandbox --sandbox-policy-cwd /p")));
        for (line, shows) in [("codex", true), ("codex resume 01a1", true), ("codex --no-daemon", false)] {
            assert!(!codex.is_shared(&words(line)), "{line}");
            assert_eq!(codex.may_show_shared(&words(line)), shows, "{line}");
        }
        let claude = shipped_marks().find(|marks| marks.profile == "claude").unwrap();
        assert!(!claude.is_shared(&daemon) && !claude.may_show_shared(&words("claude")));
    }
}
