//! Which argument takes what.
//!
//! Owns the names by which arguments of one meaning are called in all commands: an argument named `task` takes a task,
//! wherever it stands. A new command that keeps to these names needs no line here.

use std::any::TypeId;

use clap::builder::ValueHint;
use interagent_core::captain::MailType;
use interagent_core::team::{Formation, Mode, Role};
use interagent_core::vocabulary::{
    AgentState, BuildResult, ControlVerb, Disposition, Intent, LeaseMode, Priority, ReportStatus,
    SessionState, Side, TaskStatus, Verdict,
};
use interagent_core::words::Word;
use interagent_mirror::import::System;
use interagent_wire::Request;

/// Things of the hub that can be named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Agent,
    /// An agent, and never the operator: one that has a client.
    Worker,
    /// An agent, the operator, or everybody.
    Recipient,
    Task,
    Message,
    Review,
    Decision,
    Spec,
    Lease,
    Session,
    Skill,
    Replica,
    /// A kind of client.
    Profile,
    /// Anything that has an id.
    Entity,
}

/// What an argument can be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Takes {
    Anything,
    Path(ValueHint),
    Words(Vec<&'static str>),
    Live(Kind),
}

/// What an argument of a command takes; `path` is the command without the program.
pub(super) fn takes(path: &[String], argument: &clap::Arg) -> Takes {
    if !argument.get_action().takes_values() {
        return Takes::Anything;
    }
    if let Some(words) = words_of(argument.get_value_parser().type_id()) {
        return Takes::Words(words);
    }
    let shown = argument.get_value_names().and_then(|names| names.first()).map_or("", |name| name.as_str());
    match shown {
        "DIR" => return Takes::Path(ValueHint::DirPath),
        "FILE" | "PATH" | "GLOB" => return Takes::Path(ValueHint::AnyPath),
        "TEXT" | "WORD" | "WHEN" | "REF" => return Takes::Anything,
        _ => {}
    }
    let noun = path.first().map_or("", String::as_str);
    let verb = path.get(1).map_or("", String::as_str);
    let kind = match (noun, verb, argument.get_id().as_str()) {
        ("call", _, "operation") => return Takes::Words(operations()),
        ("spec", _, "name" | "spec") => Kind::Spec,
        ("agent", "show" | "register", "name") => Kind::Agent,
        ("skill", _, "name") => Kind::Skill,
        ("replica", _, "replica" | "succeeds") => Kind::Replica,
        ("up" | "down" | "restart" | "attach" | "ps" | "control", _, "agent") => Kind::Worker,
        ("join", _, "name") => Kind::Worker,
        // One person or agent does it, and never everybody.
        ("task", "split" | "reassign", "to") => Kind::Agent,
        ("init", _, "captain") | ("doctor", _, "client") | (_, _, "profile") => Kind::Profile,
        ("init", _, "language") => return Takes::Words(vec!["en", "ja", "ja+en"]),
        ("session", "end", "session") => Kind::Session,
        ("review", _, "thread") => return Takes::Anything,
        (
            _,
            _,
            "agent" | "assignee" | "assigner" | "author" | "by" | "from" | "from_agent" | "publisher"
            | "reviewer" | "worker",
        ) => Kind::Agent,
        (_, _, "to") => Kind::Recipient,
        (_, _, "task" | "task_id" | "parent" | "depends_on" | "on" | "redo_of") => Kind::Task,
        (_, _, "message" | "messages" | "message_id" | "thread" | "reply_to") => Kind::Message,
        (_, _, "review") => Kind::Review,
        (_, _, "decision" | "supersedes") => Kind::Decision,
        (_, _, "lease") => Kind::Lease,
        (_, _, "entity" | "shown") => Kind::Entity,
        _ => return Takes::Anything,
    };
    Takes::Live(kind)
}

fn operations() -> Vec<&'static str> {
    Request::ALL.iter().map(|(name, _)| *name).collect()
}

/// The words of a closed vocabulary, found by its type.
fn words_of(wanted: impl PartialEq<TypeId>) -> Option<Vec<&'static str>> {
    fn row<W: Word>() -> (TypeId, fn() -> Vec<&'static str>) {
        (TypeId::of::<W>(), || W::ALL.iter().map(|word| word.as_str()).collect())
    }
    let rows = [
        row::<Intent>(),
        row::<Priority>(),
        row::<TaskStatus>(),
        row::<Verdict>(),
        row::<Disposition>(),
        row::<Side>(),
        row::<ReportStatus>(),
        row::<BuildResult>(),
        row::<ControlVerb>(),
        row::<LeaseMode>(),
        row::<AgentState>(),
        row::<SessionState>(),
        row::<Formation>(),
        row::<Mode>(),
        row::<Role>(),
        row::<MailType>(),
        row::<System>(),
    ];
    rows.iter().find(|(id, _)| wanted == *id).map(|(_, words)| words())
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    fn of(path: &[&str], id: &str) -> Takes {
        let mut command = crate::cli::Cli::command();
        command.build();
        let mut found = &command;
        for name in path {
            found = found.find_subcommand(name).unwrap();
        }
        let argument = found.get_arguments().find(|argument| argument.get_id() == id).unwrap();
        takes(&path.iter().map(ToString::to_string).collect::<Vec<_>>(), argument)
    }

    #[test]
    fn arguments_take_what_they_are_called() {
        let cases: [(&[&str], &str, Takes); 28] = [
            (&["send"], "to", Takes::Live(Kind::Recipient)),
            (&["send"], "text", Takes::Anything),
            (&["send"], "task", Takes::Live(Kind::Task)),
            (&["send"], "from_agent", Takes::Live(Kind::Agent)),
            (&["reply"], "message_id", Takes::Live(Kind::Message)),
            (&["read"], "message", Takes::Live(Kind::Message)),
            (&["ack"], "messages", Takes::Live(Kind::Message)),
            (&["task", "show"], "task", Takes::Live(Kind::Task)),
            (&["task", "create"], "depends_on", Takes::Live(Kind::Task)),
            (&["task", "create"], "title", Takes::Anything),
            (&["agent", "show"], "name", Takes::Live(Kind::Agent)),
            (&["agent", "rename"], "name", Takes::Anything),
            (&["spec", "show"], "name", Takes::Live(Kind::Spec)),
            (&["review", "show"], "review", Takes::Live(Kind::Review)),
            (&["decision", "decide"], "decision", Takes::Live(Kind::Decision)),
            (&["log", "show"], "shown", Takes::Live(Kind::Entity)),
            (&["skill", "show"], "name", Takes::Live(Kind::Skill)),
            (&["skill", "promote"], "name", Takes::Live(Kind::Skill)),
            (&["skill", "reject"], "name", Takes::Live(Kind::Skill)),
            (&["replica", "accept"], "replica", Takes::Live(Kind::Replica)),
            (&["replica", "accept"], "succeeds", Takes::Live(Kind::Replica)),
            (&["replica", "reject"], "replica", Takes::Live(Kind::Replica)),
            (&["up"], "agent", Takes::Live(Kind::Worker)),
            (&["restart"], "agent", Takes::Live(Kind::Worker)),
            (&["join"], "name", Takes::Live(Kind::Worker)),
            (&["join"], "profile", Takes::Live(Kind::Profile)),
            (&["init"], "captain", Takes::Live(Kind::Profile)),
            (&["task", "split"], "to", Takes::Live(Kind::Agent)),
        ];
        for (path, id, wanted) in cases {
            assert_eq!(of(path, id), wanted, "{path:?} {id}");
        }
        let Takes::Words(words) = of(&["send"], "intent") else { panic!("no words") };
        assert!(words.contains(&"review_request"));
        assert!(matches!(of(&["task", "list"], "status"), Takes::Words(_)));
        assert!(matches!(of(&["join"], "role"), Takes::Words(_)));
        assert!(matches!(of(&["init"], "language"), Takes::Words(_)));
        assert_eq!(of(&["send"], "hub"), Takes::Path(ValueHint::DirPath));
    }

    /// A new command whose argument is a name or an id must be completed too, or say here why not.
    #[test]
    fn no_name_and_no_id_is_left_out() {
        const FREE: [&str; 6] = ["boot", "skill", "project", "principal", "agents", "name"];
        let mut command = crate::cli::Cli::command();
        command.build();
        let mut stack = vec![(Vec::new(), &command)];
        while let Some((path, command)) = stack.pop() {
            for argument in command.get_arguments() {
                let named = argument.get_value_names().and_then(|names| names.first());
                let wanted = named.is_some_and(|name| name == "NAME" || name == "ID");
                if wanted && !FREE.contains(&argument.get_id().as_str()) {
                    let is_thread = path.first().is_some_and(|noun| noun == "review");
                    let takes = takes(&path, argument);
                    assert!(
                        is_thread || takes != Takes::Anything,
                        "{path:?} {}: name it as in `takes` above, or add it to FREE",
                        argument.get_id()
                    );
                }
            }
            for verb in command.get_subcommands() {
                let path = [path.clone(), vec![verb.get_name().to_owned()]].concat();
                stack.push((path, verb));
            }
        }
    }
}
