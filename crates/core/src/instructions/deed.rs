//! What an agent does with the program, as its client does it: a tool of the MCP server by the client's own name for it, or
//! a command in its shell.

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
        match self.tool {
            Some(template) => {
                let (tool, with) = call(deed);
                let tool = template.replace("{tool}", tool);
                if with.is_empty() { format!("`{tool}`") } else { format!("`{tool}` ({with})") }
            }
            None => format!("`{}`", command(deed)),
        }
    }
}

/// The tool, and what matters of its parameters.
fn call(deed: &Deed) -> (&'static str, String) {
    let (tool, with) = match deed {
        Deed::Briefing => ("briefing", ""),
        Deed::Inbox => ("check_inbox", ""),
        Deed::Reply => ("reply_message", ""),
        Deed::Send { to } => return ("send_message", format!("to {to}")),
        Deed::Delegate { to } => return ("task", format!("action create, assignee {to}")),
        Deed::Start => ("task", "action update, status in_progress"),
        Deed::Verdict => ("task", "action verdict"),
        Deed::Report => ("task", "action report"),
        Deed::Split => ("task", "action split, into, reason"),
        Deed::Note => ("task", "action note"),
        Deed::Context => ("set_status", "context_left"),
        Deed::Lease => ("lease", "action take"),
    };
    (tool, with.to_owned())
}

fn command(deed: &Deed) -> String {
    let command = match deed {
        Deed::Briefing => "interagent briefing",
        Deed::Inbox => "interagent inbox",
        Deed::Reply => "interagent reply ID -m TEXT",
        Deed::Send { to } => return format!("interagent send --to {to} -m TEXT"),
        Deed::Delegate { to } => return format!("interagent delegate --to {to} --task TEXT"),
        Deed::Start => "interagent task update ID --status in_progress",
        Deed::Verdict => "interagent task verdict ID approved|revision_needed|rejected",
        Deed::Report => "interagent task report --file -",
        Deed::Split => "interagent task split ID --into PART --into PART --reason TEXT",
        Deed::Note => "interagent task note ID TEXT",
        Deed::Context => "interagent status set working --context PERCENT",
        Deed::Lease => "interagent lease take PATHS",
    };
    command.to_owned()
}
