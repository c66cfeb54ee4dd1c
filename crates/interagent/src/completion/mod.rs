//! What a shell offers when somebody presses the tab key.
//!
//! Owns the script that a shell loads and the answer to its questions. Which argument takes what is in `place`, what the
//! hub holds in `live`. A question is a run of the program with [`VARIABLE`] set: it makes nothing, writes nothing and
//! never complains, because whatever it prints ends up in a line that somebody is typing.

mod live;
mod place;

use std::ffi::OsString;
use std::sync::Arc;

use clap::CommandFactory;
use clap_complete::engine::{ArgValueCompleter, CompletionCandidate};
use clap_complete::env::{EnvCompleter, Shells};

use self::live::Live;
use self::place::Takes;
use crate::cli::Cli;
use crate::config::env::{COMPLETE_VARIABLE as VARIABLE, Env};
use crate::error::{CliError, ErrorKind};

/// What the program is called by the shell, so that the script survives an update to another place.
const PROGRAM: &str = "interagent";

/// The shells that can be served.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Shell {
    Bash,
    Zsh,
    Fish,
    Elvish,
    Powershell,
}

impl Shell {
    fn name(self) -> &'static str {
        match self {
            Self::Bash => "bash",
            Self::Zsh => "zsh",
            Self::Fish => "fish",
            Self::Elvish => "elvish",
            Self::Powershell => "powershell",
        }
    }
}

/// The script that makes a shell ask this program.
pub(crate) fn script(shell: Shell) -> Result<Vec<u8>, CliError> {
    let shells = Shells::builtins();
    let unknown = || CliError::new(ErrorKind::Usage, format!("there is no script for {}", shell.name()));
    let completer = shells.completer(shell.name()).ok_or_else(unknown)?;
    let mut text = Vec::new();
    completer.write_registration(VARIABLE, PROGRAM, PROGRAM, PROGRAM, &mut text).map_err(|source| {
        CliError::new(ErrorKind::Unavailable, "the script could not be made").with_source(source)
    })?;
    Ok(text)
}

/// What to offer; empty where there is nothing, whatever the reason.
pub(crate) fn answer(env: &Env, shell: &str, arguments: &[OsString]) -> Vec<u8> {
    let shells = Shells::builtins();
    let mut text = Vec::new();
    // The typed line stands behind the first `--`.
    let typed: Vec<OsString> = arguments.iter().skip_while(|word| *word != "--").skip(1).cloned().collect();
    if let Some(completer) = shells.completer(shell).filter(|_| !typed.is_empty()) {
        let hub = named_hub(&typed);
        offer(completer, &mut command(env, hub), typed, env, &mut text);
    }
    text
}

fn offer(
    completer: &dyn EnvCompleter,
    command: &mut clap::Command,
    typed: Vec<OsString>,
    env: &Env,
    text: &mut Vec<u8>,
) {
    if completer.write_complete(command, typed, env.cwd.as_deref(), text).is_err() {
        text.clear();
    }
}

/// The value of `--hub` in a line that is being typed.
fn named_hub(typed: &[OsString]) -> Option<OsString> {
    let mut words = typed.iter();
    while let Some(word) = words.next() {
        if word == "--hub" {
            return words.next().cloned();
        }
        if let Some(value) = word.to_str().and_then(|word| word.strip_prefix("--hub=")) {
            return Some(value.into());
        }
    }
    None
}

/// All commands, each argument with what it can be.
fn command(env: &Env, hub: Option<OsString>) -> clap::Command {
    let live = Arc::new(Live::new(env.clone(), hub));
    let mut command = Cli::command();
    command.build();
    equipped(command, &mut Vec::new(), &live)
}

fn equipped(command: clap::Command, path: &mut Vec<String>, live: &Arc<Live>) -> clap::Command {
    let names = path.clone();
    let command = command.mut_args(|argument| {
        let takes = place::takes(&names, &argument);
        with_values(argument, takes, live)
    });
    command.mut_subcommands(|verb| {
        path.push(verb.get_name().to_owned());
        let verb = equipped(verb, path, live);
        path.pop();
        verb
    })
}

fn with_values(argument: clap::Arg, takes: Takes, live: &Arc<Live>) -> clap::Arg {
    match takes {
        Takes::Anything => argument,
        Takes::Path(hint) => argument.value_hint(hint),
        Takes::Words(words) => argument.add(ArgValueCompleter::new(move |current: &std::ffi::OsStr| {
            let begun = current.to_string_lossy().to_lowercase().replace('-', "_");
            words
                .iter()
                .filter(|word| word.starts_with(&begun))
                .map(|word| CompletionCandidate::new(*word))
                .collect()
        })),
        Takes::Live(kind) => {
            let live = Arc::clone(live);
            argument.add(ArgValueCompleter::new(move |current: &std::ffi::OsStr| {
                live.candidates(kind, &current.to_string_lossy())
            }))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hub_of_the_typed_line_is_the_one_that_is_asked() {
        let words = |line: &str| line.split(' ').map(OsString::from).collect::<Vec<_>>();
        assert_eq!(named_hub(&words("interagent --hub /x task show")), Some("/x".into()));
        assert_eq!(named_hub(&words("interagent task --hub=/y show")), Some("/y".into()));
        assert_eq!(named_hub(&words("interagent task show --hub")), None);
    }

    #[test]
    fn every_shell_has_a_script_that_asks_this_program() {
        for shell in <Shell as clap::ValueEnum>::value_variants() {
            let text = String::from_utf8(script(*shell).unwrap()).unwrap();
            assert!(text.contains(VARIABLE) && text.contains(PROGRAM), "{text}");
        }
    }

    #[test]
    fn nonsense_is_answered_with_nothing() {
        let env = Env::default();
        for arguments in [&["interagent"][..], &["interagent", "--"], &["interagent", "task"]] {
            let arguments: Vec<OsString> = arguments.iter().map(Into::into).collect();
            assert!(answer(&env, "bash", &arguments).is_empty());
        }
        assert!(answer(&env, "tcsh", &["interagent".into(), "--".into(), "interagent".into()]).is_empty());
    }
}
