//! How far a long job is.

use crate::session::Session;
use crate::ui::look::Role;

/// Tells a person at a terminal how far a long job is: at each tenth, on standard error.
pub(crate) struct Progress {
    did: &'static str,
    told: u64,
}

impl Progress {
    pub(crate) fn new(did: &'static str) -> Self {
        Self { did, told: 0 }
    }

    pub(crate) fn tell(&mut self, session: &mut Session, done: u64, total: u64) {
        let tenth = (done * 10).checked_div(total).unwrap_or(0);
        if session.env.terminals.stderr && tenth > self.told {
            self.told = tenth;
            session.printer.note(Role::Quiet, &format!("{} {} %", self.did, tenth * 10));
        }
    }
}
