//! How an attempt to type ended, in words for the trace and for people.

use std::fmt;

/// Why nothing is typed, or why it is not gone on with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reason {
    /// Somebody else types into this pane.
    Locked,
    /// The lock of this pane can't be made, so somebody else might type at the same time.
    NoLock,
    /// The registered process ended.
    Gone,
    /// Another program has the keys of the terminal.
    NotForeground,
    /// The pane is not there, or its program ended.
    NoPane,
    /// The pane belongs to another agent.
    OtherAgent,
    /// The pane shows its history.
    CopyMode,
    /// What is typed would reach other panes too.
    Synchronized,
    /// Its hooks say that it works, or nothing.
    NotIdle,
    /// It asked for permission a short while ago.
    Asked,
    /// A prompt was submitted just now.
    JustSubmitted,
    /// A person typed just now.
    Keystroke,
    /// Its screen changes.
    Output,
    /// Its screen says that it works.
    Works,
    /// A question is open on its screen.
    Dialog,
    /// Somebody's text stands in its composer.
    Typed,
    /// The line was typed, and its screen did not show it in time.
    NotShown,
    /// Nobody knows what its screen shows.
    UnknownScreen,
    /// The profile of its client does not say what its screen looks like.
    NoReader,
    /// tmux did not answer.
    Tmux,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Locked => "somebody else types into its pane",
            Self::NoLock => "the lock file of its pane can't be made beside the socket of tmux",
            Self::Gone => "its process ended",
            Self::NotForeground => "another program has the keys of its terminal",
            Self::NoPane => "its pane is gone",
            Self::OtherAgent => "its pane belongs to another agent",
            Self::CopyMode => "its pane shows its history (copy mode)",
            Self::Synchronized => "its pane is typed into together with others (synchronize-panes)",
            Self::NotIdle => "it works, or its hooks said nothing",
            Self::Asked => "it asked for permission in the last minutes",
            Self::JustSubmitted => "a prompt was submitted just now",
            Self::Keystroke => "somebody typed just now",
            Self::Output => "its screen changes",
            Self::Works => "its screen says that it works",
            Self::Dialog => "a question is open on its screen",
            Self::Typed => "somebody's text stands in its composer",
            Self::NotShown => "its screen did not show the line in time",
            Self::UnknownScreen => "its screen shows nothing that is known",
            Self::NoReader => "the profile of its client does not describe its screen",
            Self::Tmux => "tmux did not answer",
        })
    }
}

/// How an attempt ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// The line was typed and left the composer. Whether the agent woke is for its hooks to say.
    Submitted,
    /// Not one key was pressed.
    NotSafe(Reason),
    /// The line, or a part of it, may stand in the composer. A person's hand or a question in it makes it theirs; otherwise the
    /// next attempt may go on with it.
    Stranded(Reason),
    /// The client did not take it, and it was removed again.
    Removed,
}

impl Outcome {
    /// Nothing says that our line is gone from the composer or was changed there: whoever finds exactly that line may go on
    /// with it.
    pub(super) fn may_leave_our_line(self) -> bool {
        match self {
            Self::Submitted | Self::Removed | Self::Stranded(Reason::Typed | Reason::Dialog) => false,
            Self::NotSafe(_) | Self::Stranded(_) => true,
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Submitted => f.write_str("typed and submitted"),
            Self::NotSafe(reason) => write!(f, "nothing typed: {reason}"),
            Self::Stranded(reason) => write!(f, "typed and left in its composer: {reason}"),
            Self::Removed => f.write_str("typed, not taken, and removed again"),
        }
    }
}
