//! The page of all commands, made from the command line itself and checked against the one in `docs`.

use std::fmt::Write as _;
use std::path::PathBuf;

use clap::{Arg, Command, CommandFactory};

use super::Cli;

const OPENING: &str = "\
# Commands

Every command, its arguments and examples, as `--help` shows them. Ids may be cut to their first four characters after the dash;
words with fixed choices accept any case and `-` for `_`. What `--json` writes is in [json](json.md).

This page is made from the program itself. Do not edit it: run
`INTERAGENT_UPDATE_DOCS=1 cargo nextest run -p interagent reference` instead.
";

fn page() -> String {
    let mut cli = Cli::command();
    cli.build();
    let mut page = OPENING.to_owned();
    page.push_str("\n## Options of every command\n\n");
    for argument in cli.get_arguments().filter(|argument| argument.is_global_set()) {
        option(&mut page, argument);
    }
    for command in verbs(&cli) {
        section(&mut page, command, &format!("interagent {}", command.get_name()));
    }
    page
}

fn verbs(command: &Command) -> impl Iterator<Item = &Command> {
    command.get_subcommands().filter(|verb| verb.get_name() != "help" && !verb.is_hide_set())
}

fn section(page: &mut String, command: &Command, path: &str) {
    let about = command.get_long_about().or(command.get_about()).map(ToString::to_string).unwrap_or_default();
    let _ = write!(page, "\n## {path}\n\n{}\n", about.trim_end());
    let names: Vec<&str> = command.get_visible_aliases().collect();
    if !names.is_empty() {
        let _ = write!(page, "\nAlso: `{}`.\n", names.join("`, `"));
    }
    let mut own =
        command.get_arguments().filter(|a| !a.is_global_set() && !a.is_hide_set() && a.get_id() != "help");
    if let Some(first) = own.next() {
        page.push('\n');
        std::iter::once(first).chain(own).for_each(|argument| option(page, argument));
    }
    if let Some(examples) = command.get_after_help() {
        let examples = examples.to_string();
        let lines: Vec<&str> = examples.lines().filter_map(|line| line.strip_prefix("  ")).collect();
        if !lines.is_empty() {
            let _ = write!(page, "\n```sh\n{}\n```\n", lines.join("\n"));
        }
    }
    for verb in verbs(command) {
        section(page, verb, &format!("{path} {}", verb.get_name()));
    }
}

fn option(page: &mut String, argument: &Arg) {
    let value = || {
        let names = argument.get_value_names().unwrap_or_default();
        names.iter().map(|name| format!("{name}")).collect::<Vec<_>>().join(" ")
    };
    let takes_value = argument.get_action().takes_values();
    let name = match (argument.get_short(), argument.get_long()) {
        (Some(short), Some(long)) => format!("-{short}, --{long}"),
        (None, Some(long)) => format!("--{long}"),
        (Some(short), None) => format!("-{short}"),
        (None, None) => String::new(),
    };
    let shown = match (name.is_empty(), takes_value) {
        (true, _) => value(),
        (false, true) => format!("{name} {}", value()),
        (false, false) => name,
    };
    let help = argument.get_long_help().or(argument.get_help()).map(ToString::to_string).unwrap_or_default();
    let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
    let _ = writeln!(page, "- `{shown}`: {help}");
}

#[test]
fn the_reference_says_what_the_program_says() {
    let path: PathBuf = [env!("CARGO_MANIFEST_DIR"), "../../docs/reference/commands.md"].iter().collect();
    let wanted = page();
    if crate::config::env::updates_docs() {
        std::fs::write(&path, &wanted).unwrap();
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(found == wanted, "docs/reference/commands.md is out of date; it says how to make it");
}

/// Texts name only commands and options that exist.
#[test]
fn phrases_name_real_commands() {
    use interagent_core::phrasing::forms::{FORMS, Place};

    let mut cli = Cli::command();
    cli.build();
    let mut wrong = Vec::new();
    for form in FORMS {
        let path = form.command;
        let Some(command) = path.split(' ').try_fold(&cli, |command, word| command.find_subcommand(word))
        else {
            wrong.push(format!("there is no `{path}`"));
            continue;
        };
        for spelling in form.args {
            let (flag, wants_value) = match spelling.place {
                Place::Flag(flag) => (flag, true),
                Place::Switch(flag) => (flag, false),
                Place::Word => continue,
            };
            let takes_value = find_option(command, flag).map(|option| option.get_action().takes_values());
            if takes_value != Some(wants_value) {
                wrong.push(format!("`{path} {flag}`: wanted value {wants_value}, found {takes_value:?}"));
            }
        }
        let words = form.args.iter().filter(|spelling| spelling.place == Place::Word).count();
        let positions = command.get_positionals().count();
        if words > positions {
            wrong.push(format!("`{path}` takes {positions} words, not {words}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

fn find_option<'a>(command: &'a Command, flag: &str) -> Option<&'a Arg> {
    command.get_arguments().find(|argument| {
        let aliases = argument.get_all_aliases().unwrap_or_default();
        let mut long = argument.get_long().into_iter().chain(aliases);
        let short = argument.get_short().map(|short| format!("-{short}"));
        long.any(|long| flag.strip_prefix("--") == Some(long)) || short.as_deref() == Some(flag)
    })
}
