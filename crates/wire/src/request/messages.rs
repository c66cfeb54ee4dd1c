//! Messages and their way to the recipients.

use interagent_core::vocabulary::{Intent, Priority, Verdict, Via};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::params;
use crate::Time;

/// Something a message points at.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct RefParam {
    /// file, commit, diff, task, spec, message, decision, review or url.
    pub kind: String,
    /// The path, hash, id, name or address.
    pub target: String,
    /// First line, from 1.
    pub first_line: Option<u32>,
    /// Last line.
    pub last_line: Option<u32>,
    /// A snapshot of the change, for diffs.
    pub text: Option<String>,
}

/// The kinds of things a message can point at.
pub const REF_KINDS: [&str; 9] =
    ["file", "commit", "diff", "task", "spec", "message", "decision", "review", "url"];

/// Reads `src/main.rs`, `src/main.rs:10`, `src/main.rs:10-20`, `commit:ab12`, `task:task-7k3m` or an address.
impl std::str::FromStr for RefParam {
    type Err = String;

    fn from_str(given: &str) -> Result<Self, String> {
        let plain = |kind: &str, target: &str| Self {
            kind: kind.to_owned(),
            target: target.to_owned(),
            ..Self::default()
        };
        if given.is_empty() {
            return Err("a reference can't be empty".to_owned());
        }
        if given.starts_with("https://") || given.starts_with("http://") {
            return Ok(plain("url", given));
        }
        match given.split_once(':') {
            Some(("file", path)) => Self::file(path),
            // A diff comes with its text, so its name alone is that of a file.
            Some((kind, target)) if kind != "diff" && REF_KINDS.contains(&kind) => Ok(plain(kind, target)),
            _ => Self::file(given),
        }
    }
}

impl RefParam {
    /// A path with its lines. It need not exist, here or yet; but it must be one.
    fn file(given: &str) -> Result<Self, String> {
        let whole =
            |target: &str| Self { kind: "file".to_owned(), target: target.to_owned(), ..Self::default() };
        if given.chars().any(char::is_control) {
            return Err("a path holds no line breaks or other control characters".to_owned());
        }
        let Some((path, lines)) = given.rsplit_once(':') else { return Ok(whole(given)) };
        let (first, last) = lines.split_once('-').unwrap_or((lines, lines));
        let (Ok(first), Ok(last)) = (first.parse(), last.parse()) else {
            // A file name may hold a colon; only numbers behind the last one are lines.
            return Ok(whole(given));
        };
        match (first, last) {
            _ if path.is_empty() => Err("there is no path before the line".to_owned()),
            (0, _) => Err("lines are counted from 1".to_owned()),
            (first, last) if last < first => {
                Err(format!("the lines end at {last}, before they begin at {first}"))
            }
            (first, last) => Ok(Self { first_line: Some(first), last_line: Some(last), ..whole(path) }),
        }
    }
}

params! {
    /// Sends a message. It is durable once this answers; the recipient gets it by itself.
    struct MessageSend {
        /// Names, `name@origin`, `role:reviewer`, `operator` or `all`.
        to: Vec<String>,
        /// What it is for: message, question, handoff, review_request, blocked, context_share, delegation, discussion, report or control.
        intent: Option<Intent>,
        /// One line; the first line of the body when left out.
        subject: Option<String>,
        /// Markdown.
        body: Option<String>,
        /// low, medium, high or critical.
        priority: Option<Priority>,
        /// What it points at.
        refs: Vec<RefParam>,
        /// The task it concerns.
        task: Option<String>,
        /// A message of the conversation it continues.
        thread: Option<String>,
        /// After this it is not worth delivering.
        expires: Option<Time>,
        /// Ask for an acknowledgement.
        ack: bool,
        /// Ids of the same message in other systems.
        aliases: Vec<String>,
        /// Makes a repetition of this call safe.
        key: Option<String>,
    }
    /// Replies to a message; a reply settles a question.
    struct MessageReply {
        /// The message it answers.
        message: String,
        /// What it is for; a plain message when left out.
        intent: Option<Intent>,
        /// One line.
        subject: Option<String>,
        /// Markdown.
        body: Option<String>,
        /// low, medium, high or critical.
        priority: Option<Priority>,
        /// What it points at.
        refs: Vec<RefParam>,
        /// After this it is not worth delivering.
        expires: Option<Time>,
        /// Also settles what the message obliged to.
        complete: bool,
        /// The reply is the verdict that the message asks for: approved, revision_needed or rejected.
        verdict: Option<Verdict>,
        /// Makes a repetition of this call safe.
        key: Option<String>,
    }
    /// Shows unread messages and what is owed, without changing anything.
    struct MessageInbox {
        /// Whose: a name or id; the caller when left out.
        agent: Option<String>,
        /// With the texts.
        bodies: bool,
        /// Also those that were read, after the unread ones and newest first; a listing, from which nothing is handed over.
        all: bool,
        /// Where the page before ended; a listing too.
        after: Option<String>,
        /// At most so many.
        limit: Option<u32>,
    }
    /// Shows one message with its text and how far it got.
    struct MessageRead {
        /// Its id, a prefix of it, or an alias.
        message: String,
        /// By the operator: as its only recipient, or in whose name the operator speaks.
        as_recipient: bool,
    }
    /// Marks messages as read by the caller.
    struct MessageAcknowledge {
        /// Their ids.
        messages: Vec<String>,
        /// How they were read.
        via: Option<Via>,
        /// By the operator: as the only recipient of each.
        as_recipient: bool,
    }
    /// Says that what a message obliged to is done.
    struct MessageSettle {
        /// Its id.
        message: String,
    }
    /// Accepts a handoff or a delegation; the task changes hands.
    struct MessageAccept {
        /// Its id.
        message: String,
        /// Makes a repetition of this call safe.
        key: Option<String>,
    }
    /// Declines what a message asks for.
    struct MessageDecline {
        /// Its id.
        message: String,
        /// Why.
        reason: Option<String>,
        /// Makes a repetition of this call safe.
        key: Option<String>,
    }
    /// Shows a conversation, oldest first.
    struct MessageThread {
        /// Any message of it.
        message: String,
        /// Those before this place; `next` of the page after goes here. The newest when left out.
        before: Option<String>,
        /// At most so many, the newest.
        limit: Option<u32>,
    }
    /// Lists messages, newest first.
    struct MessageList {
        /// From this member.
        from: Option<String>,
        /// To this member.
        to: Option<String>,
        /// With this intent.
        intent: Option<Intent>,
        /// About this task.
        task: Option<String>,
        /// In the conversation of this message.
        thread: Option<String>,
        /// Sent then or later.
        since: Option<Time>,
        /// Only those that are held.
        held: bool,
        /// Where the page before ended.
        after: Option<String>,
        /// At most so many.
        limit: Option<u32>,
    }
    /// Holds a message back before anybody has it.
    struct MessageHold {
        /// Its id.
        message: String,
    }
    /// Lets a held message go on its way.
    struct MessageRelease {
        /// Its id.
        message: String,
    }
    /// Takes a matter to the superior or the operator when the caller can't go on.
    struct MessageEscalate {
        /// The message it is about.
        message: String,
        /// Why, and what was tried.
        reason: String,
        /// Until when an answer helps.
        deadline: Option<Time>,
        /// What happens without one.
        default: Option<String>,
        /// Makes a repetition of this call safe.
        key: Option<String>,
    }
    /// Answers an escalation; the matter is settled and the agent told.
    struct MessageAnswer {
        /// The escalation, or the message it is about.
        message: String,
        /// The answer.
        body: String,
        /// Makes a repetition of this call safe.
        key: Option<String>,
    }
    /// Takes the caller's waiting messages for hand-over: no other session gets them meanwhile.
    struct OfferTake {
        /// By which way they will be handed over.
        via: Option<Via>,
        /// At most so many.
        limit: Option<u32>,
        /// Leave those of low priority for later.
        skip_low: bool,
        /// Only as many as one prompt holds.
        one_prompt: bool,
    }
    /// Confirms that what was taken has arrived: the messages are delivered.
    struct OfferConfirm {
        /// Only these; everything taken when empty.
        messages: Vec<String>,
    }
}
