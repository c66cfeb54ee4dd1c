//! `interagent inbox-write`: the mailbox of the Captain system for its scripts, by the ordinary operations.
//!
//! Owns the way from its four words to one operation. What each type means is in the core's table; what is allowed is decided by
//! the hub, as for every other command.

use clap::Args;
use interagent_core::captain::{MailType, Meaning, ids_in, is_person};
use interagent_core::text::subject_of;
use interagent_core::vocabulary::{ControlVerb, Intent, TaskStatus, Verdict};
use interagent_wire::request::{ControlSend, MessageSend, TaskCreate, TaskList, TaskShow, TaskVerdict};
use interagent_wire::{Answer, Caller};

use super::called::{called, everybody};
use super::wake::Wake;
use crate::error::{CliError, ErrorKind};
use crate::exit_code::ExitCode;
use crate::input::text_or_stdin;
use crate::session::Session;

/// Writes to an agent by the words of the Captain system, so that its scripts go on working.
///
/// The type says what it is: an order or task is given, a report goes up, a rejected report sends the work back, a control message is
/// for the session itself, wake_up only wakes. Ids such as cmd_035 in the message name the task; an order that is new here is
/// made under its id.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  interagent inbox-write vice_captain1 'cmd_035: fix the parser' cmd_new captain\n  interagent inbox-write vice_captain1 'cmd_035 done' report_received member1"
)]
pub(crate) struct InboxWrite {
    /// To whom: a name or id.
    #[arg(value_name = "TARGET")]
    to: String,
    /// The message; `-` reads it from standard input.
    #[arg(value_name = "TEXT", allow_hyphen_values = true)]
    text: String,
    /// What it is: cmd_new, task_assigned, report_received, report_rejected, wake_up and the others.
    #[arg(value_name = "TYPE")]
    kind: MailType,
    /// Sender; the chain of command applies to this agent
    #[arg(value_name = "FROM")]
    from: String,
}

impl InboxWrite {
    pub(crate) fn run(self, session: &mut Session) -> Result<ExitCode, CliError> {
        // Other commands suggest omitting the sender, but FROM is required here.
        self.write(session).map_err(|error| match error.has_code("not_you") {
            true => error.without_hints().with_hint("use your own name as FROM"),
            false => error,
        })
    }

    fn write(self, session: &mut Session) -> Result<ExitCode, CliError> {
        let Self { to, text, kind, from } = self;
        let text = text_or_stdin(text)?;
        let agents = everybody(session)?;
        let (to, from) = (called(&to, &agents), called(&from, &agents));
        let meaning = kind.meaning();
        if meaning != Meaning::Operator && !is_person(&from) {
            // An agent may say its own name here; another's is refused by the hub. Scripts speak for their sender, so the
            // chain of command is the sender's, not the operator's.
            let caller = Caller { behalf: Some(from), bound_as_behalf: true, ..session.caller().clone() };
            session.act_as(caller);
        }
        let named = Named::look(session, &text, meaning)?;
        let task = named.task.clone();
        let mail = |intent: Intent, task: Option<String>| MessageSend {
            to: vec![to.clone()],
            intent: Some(intent),
            body: Some(text.clone()),
            task,
            ..MessageSend::default()
        };
        match meaning {
            Meaning::Order | Meaning::Task => match task {
                Some(task) => session.ask(mail(Intent::Delegation, Some(task))),
                None => session.ask(named.new_task(to, text.clone(), meaning)),
            },
            Meaning::Report => session.ask(mail(Intent::Report, task)),
            Meaning::Review => session.ask(mail(Intent::ReviewRequest, task)),
            Meaning::Control => session.ask(control(kind, to, text)),
            Meaning::Operator => session.ask(mail(Intent::Message, task)),
            Meaning::SentBack => {
                let task = task.map_or_else(|| finished_by(session, &to), Ok)?;
                let verdict = Some(Verdict::RevisionNeeded);
                let note = Some(text.clone());
                session.ask(TaskVerdict { task, verdict, note, ..TaskVerdict::default() })
            }
            Meaning::Wake => Wake::of(to).run(session).map(|_| ExitCode::Done),
        }
    }
}

/// A reset with what comes after it, or a change of model: that system writes `/model NAME`, or the name alone.
fn control(kind: MailType, agent: String, text: String) -> ControlSend {
    let (verb, model, body) = match kind {
        MailType::ModelSwitch => {
            (ControlVerb::Model, text.split_whitespace().last().map(ToOwned::to_owned), None)
        }
        // What is typed for it there says nothing to the agent.
        _ => (ControlVerb::Clear, None, Some(text).filter(|text| !text.trim().starts_with('/'))),
    };
    ControlSend { agent, verb: Some(verb), model, body, key: None }
}

/// What the ids in a text name here.
struct Named {
    /// The task it is about, where this hub knows it.
    task: Option<String>,
    /// The id of a task that is new here.
    new: Option<String>,
    /// Another task of this hub, which the new one is part of.
    part_of: Option<String>,
}

impl Named {
    fn look(session: &mut Session, text: &str, meaning: Meaning) -> Result<Self, CliError> {
        let mut ids = ids_in(text);
        // A task is often written with the order it is part of; which one is meant follows from the type.
        let is_order = |id: &str| id.starts_with("cmd_");
        match meaning {
            Meaning::Order => ids.sort_by_key(|id| !is_order(id)),
            Meaning::Task => ids.sort_by_key(|id| is_order(id)),
            _ => {}
        }
        let mut known = Vec::new();
        let mut new = None;
        for id in ids {
            match session.call(TaskShow { task: id.to_owned() }) {
                Ok(_) => known.push(id.to_owned()),
                Err(error) if error.kind() == ErrorKind::NotFound => {
                    if known.is_empty() && new.is_none() {
                        new = Some(id.to_owned());
                    }
                }
                Err(error) => return Err(error),
            }
        }
        let mut known = known.into_iter();
        Ok(match (&new, meaning) {
            (Some(_), Meaning::Order | Meaning::Task) => Self { task: None, new, part_of: known.next() },
            _ => Self { task: known.next(), new: None, part_of: None },
        })
    }

    /// An order or task that is new here, under its old id, given at once.
    fn new_task(self, to: String, text: String, meaning: Meaning) -> TaskCreate {
        let title = subject_of(&text);
        TaskCreate {
            purpose: (meaning == Meaning::Order).then(|| title.clone()),
            title,
            description: Some(text),
            assignee: Some(to),
            parent: self.part_of,
            aliases: self.new.into_iter().collect(),
            ..TaskCreate::default()
        }
    }
}

/// The one task that somebody has finished and nobody has judged.
fn finished_by(session: &mut Session, agent: &str) -> Result<String, CliError> {
    let mut found = Vec::new();
    for status in [TaskStatus::Completed, TaskStatus::UnderReview] {
        let list = TaskList {
            assignee: Some(agent.to_owned()),
            status: Some(status),
            limit: Some(2),
            ..TaskList::default()
        };
        if let Answer::Tasks(page) = session.call(list)?.answer {
            found.extend(page.items.into_iter().map(|task| task.id.to_string()));
        }
    }
    match found.as_slice() {
        [one] => Ok(one.clone()),
        _ => {
            let sentence = format!("it is not clear which work of {agent} goes back");
            Err(CliError::new(ErrorKind::Usage, sentence)
                .with_code("which_task")
                .with_hint("name the task in the message, such as cmd_035"))
        }
    }
}
