//! What an agent does with the program, as its client does it: a tool of the MCP server by the client's own name for it, or
//! a command in its shell.

use crate::phrasing::{Arg, Dialect, Operation, Step};

/// What a client can do, as far as instructions speak of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Client<'a> {
    /// What it calls a tool of ours, with `{tool}`; absent where it has none and uses its shell.
    pub tool: Option<&'a str>,
    /// The command that makes it forget its conversation, where it has one.
    pub clear: Option<&'a str>,
    /// The hub's directory as it is reached from where the client runs: a worktree has none of its own.
    pub hub: &'a str,
}

/// Something to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Deed {
    Briefing,
    Inbox,
    Reply,
    Send { to: String },
    Delegate { to: String },
    Start,
    Verdict,
    Report,
    Split,
    Note,
    Context,
    Lease,
}

impl Client<'_> {
    /// How this client does it, in backquotes.
    pub(super) fn does(&self, deed: &Deed) -> String {
        match (deed, self.tool) {
            // The fields of a report follow as a form.
            (Deed::Report, Some(template)) => {
                format!("`{}(action=\"report\", ...)`", template.replace("{tool}", "task"))
            }
            (Deed::Report, None) => "`interagent task report --file -`".to_owned(),
            (deed, template) => format!("`{}`", Dialect::of(template).say(&step(deed))),
        }
    }
}

fn step(deed: &Deed) -> Step {
    match deed {
        Deed::Briefing => Step::new(Operation::Briefing),
        Deed::Inbox => Step::new(Operation::Inbox),
        Deed::Reply => Step::reply("ID"),
        Deed::Send { to } => Step::send(to),
        Deed::Delegate { to } => Step::new(Operation::Delegate).with(Arg::To, to).with(Arg::Title, "TEXT"),
        Deed::Start => Step::update_task("ID", "in_progress"),
        Deed::Verdict => Step::judge_task("ID"),
        Deed::Report => Step::report_task("ID", None),
        Deed::Split => {
            let split = Step::new(Operation::SplitTask).with(Arg::Task, "ID");
            split.with(Arg::Into, "PART").with(Arg::Into, "PART").with(Arg::Reason, "TEXT")
        }
        Deed::Note => Step::new(Operation::NoteTask).with(Arg::Task, "ID").with(Arg::Note, "TEXT"),
        Deed::Context => {
            Step::new(Operation::SetStatus).with(Arg::Status, "working").with(Arg::Context, "PERCENT")
        }
        Deed::Lease => Step::new(Operation::TakeLease).with(Arg::Paths, "PATHS"),
    }
}
