//! Which programs a command line runs, with which arguments, in which directory.
//!
//! Owns reading POSIX and bash: quoting, lists, subshells, loops, here-documents, `cd`, wrappers such as `env` and
//! `timeout`, and the texts that `bash -c`, `eval` and a pipe into `sh` run. What a program then does is `touches`.
//! Total: what cannot be read is left out, never an error. Bounded: whoever follows has a budget, and says so when it is
//! used up.

mod aliases;
mod builtins;
mod command;
mod expansions;
mod follow;
mod grammar;
mod printed;
mod read;
mod syntax;
mod values;
mod wrappers;

/// The longest command line that is read. No program can be given a longer word, so no shell with `-c` either.
const COMMAND_BYTES: usize = 128 * 1024;

/// One program that a command line runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// Its name without directory; absent where only running it would tell.
    pub program: Option<String>,
    /// Its arguments; absent ones are known only when it runs.
    pub arguments: Vec<Option<String>>,
    /// For arguments that only running it would tell: the directory they begin with, empty where nothing of it is known.
    /// Absent for all others.
    pub listed: Vec<Option<String>>,
    /// The directory it runs in, absolute; absent where only running it would tell.
    pub directory: Option<String>,
    /// Files its output goes to, as given.
    pub writes: Vec<String>,
    /// For output that goes to a file which only running it would tell: the directory its name begins with.
    pub hides: Vec<String>,
    /// The last directory that is known; the one it runs in where that is known.
    pub near: String,
    /// Files its input comes from, as given.
    pub reads: Vec<String>,
    /// The text on its standard input, where it is known.
    pub input: Option<String>,
    /// Another program's output is its input.
    pub piped: bool,
    /// Variables set for it alone, or before it.
    pub settings: Vec<(String, String)>,
    /// Nobody waits for it.
    pub background: bool,
    /// It is run again and again.
    pub looped: bool,
    /// As it was typed.
    pub source: String,
}

impl Run {
    /// The arguments that are known.
    pub fn known(&self) -> impl Iterator<Item = &str> {
        self.arguments.iter().flatten().map(String::as_str)
    }

    /// Whether it runs a script in a file, by a shell or by its name.
    pub fn is_script(&self) -> bool {
        let Some(program) = self.program.as_deref() else { return false };
        let is_shell = wrappers::SHELLS.contains(&program);
        // `bash -n` only reads it; what stands behind the file is the script's.
        let options = || self.known().take_while(|word| word.starts_with('-'));
        let runs = || !options().any(|word| matches!(word, "-n" | "--version" | "--help"));
        program.ends_with(".sh")
            || program.ends_with(".bash")
            || (is_shell && wrappers::told(&self.arguments) == wrappers::Told::File && runs())
    }
}

/// Where a command line begins.
#[derive(Clone, Copy, Debug)]
pub struct Start<'a> {
    /// The directory, absolute.
    pub directory: &'a str,
    /// The home directory, where it is known.
    pub home: Option<&'a str>,
    /// Nobody waits for the whole.
    pub background: bool,
}

/// What a command line runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Followed {
    /// In order.
    pub runs: Vec<Run>,
    /// These are all of them; otherwise there was too much to follow.
    pub complete: bool,
}

/// What `find` finds: all below where it begins, or those of one name.
pub fn found_below(arguments: &[Option<String>]) -> String {
    wrappers::found_below(arguments)
}

/// Whether a command line ends where it should: in one with an open quote the shell would read on.
pub fn is_whole(command: &str) -> bool {
    command.len() > COMMAND_BYTES || grammar::is_whole(command)
}

/// What a command line runs. One that is too long is not read at all.
pub fn follow(command: &str, start: Start<'_>) -> Followed {
    if command.len() > COMMAND_BYTES {
        return Followed::default();
    }
    follow::follow(command, start)
}
