//! Telling the person: a bell in their terminals, a note on their desktop, a push to their phone.
//!
//! Owns how a notice gets there and how replies come back; what it says and what a reply means is the core's. Every way has
//! a time limit of its own, and what fails on one way goes on on the others.

mod bell;
mod desktop;
mod ntfy;

use interagent_core::notice::Notice;

pub use ntfy::{Detail, Flow, Heard, Listener, Ntfy, NtfyError};

use crate::tmux::Server;

/// The ways by which the person is told.
#[derive(Clone, Debug, Default)]
pub struct Ways {
    /// Where a bell rings; nothing where none is wanted.
    pub bell: Option<Bells>,
    /// Where a note on the desktop is wanted.
    pub desktop: Option<Desktop>,
    /// The topic a push goes to.
    pub ntfy: Option<Ntfy>,
}

/// The terminals in which a bell rings.
#[derive(Clone, Debug, Default)]
pub struct Bells {
    /// Whoever is attached to these.
    pub servers: Vec<Server>,
}

/// The program that shows a note.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Desktop {
    /// `notify-send`, where the desktop is one of freedesktop.org's kind.
    NotifySend,
    /// `osascript`, on a Mac.
    AppleScript,
}

impl Desktop {
    /// The one of this machine.
    pub fn of_this_machine() -> Self {
        if cfg!(target_os = "macos") { Self::AppleScript } else { Self::NotifySend }
    }

    /// What it is called.
    pub fn program(self) -> &'static str {
        match self {
            Self::NotifySend => "notify-send",
            Self::AppleScript => "osascript",
        }
    }
}

/// A way, by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// A bell in terminals.
    Bell,
    /// A note on the desktop.
    Desktop,
    /// A push by ntfy.
    Ntfy,
}

impl Way {
    /// Its name in the team file.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Bell => "bell",
            Self::Desktop => "desktop",
            Self::Ntfy => "ntfy",
        }
    }
}

/// What became of a notice on one way.
#[derive(Debug)]
pub struct Told {
    /// Which way.
    pub way: Way,
    /// What was done, or why it could not be; in words.
    pub outcome: Result<String, String>,
}

/// Tells the person on every way that is wanted. A desktop or server that does not answer costs its own limit, not the
/// others': the slow ways run beside each other.
pub fn announce(notice: &Notice, ways: &Ways) -> Vec<Told> {
    std::thread::scope(|scope| {
        let ntfy = ways.ntfy.as_ref().map(|ntfy| scope.spawn(move || ntfy.publish(notice)));
        let desktop = ways.desktop.map(|desktop| scope.spawn(move || desktop::show(desktop, notice)));
        let mut told = Vec::new();
        if let Some(bells) = &ways.bell {
            told.push(Told { way: Way::Bell, outcome: bell::ring(bells) });
        }
        let lost = |_| Err("it ended without a word".to_owned());
        if let Some(desktop) = desktop {
            told.push(Told { way: Way::Desktop, outcome: desktop.join().unwrap_or_else(lost) });
        }
        if let Some(ntfy) = ntfy {
            let sent = ntfy.join().map(|sent| sent.map_err(|error| error.to_string()));
            told.push(Told { way: Way::Ntfy, outcome: sent.unwrap_or_else(lost) });
        }
        told
    })
}
