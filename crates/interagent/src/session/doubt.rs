//! A store that may be a copy: what people are told while they look at it, and how a sync settles it.

use interagent_core::store_identity::CopyDoubt;

use super::Session;
use crate::config::host;
use crate::error::CliError;
use crate::ui::look::Role;
use crate::ui::printer::{OutputError, Written};

/// A doubt that was settled.
pub(crate) struct SettledCopy {
    pub(crate) doubt: CopyDoubt,
    /// What people call the new replica.
    pub(crate) alias: String,
}

impl Session {
    /// Hands over what was looked at, and tells people once that nothing can be written here.
    pub(super) fn page(&mut self) -> Result<Written, OutputError> {
        // The shell of an agent may have a terminal; the agent could not leave a pager.
        if self.printer.needs_pager() && !self.is_operator() {
            self.printer.forget_pager();
        }
        let written = self.printer.page()?;
        let doubt = self.hub.as_mut().and_then(|hub| hub.store().doubt());
        if let Some(doubt) = doubt.filter(|_| self.is_for_people()) {
            let until = match self.is_operator() {
                true => "interagent doctor --moved or interagent doctor --copied",
                false => "the operator decides",
            };
            let note = format!("note: this hub may be a copy ({doubt}): it can only be read until {until}");
            self.printer.note(Role::Warning, &note);
        }
        Ok(written)
    }

    /// Lets a store that may be a copy become a replica of its own: the choice that forks no log. None where there is no
    /// doubt.
    pub(crate) fn settle_as_copy(&mut self) -> Result<Option<SettledCopy>, CliError> {
        let store = self.hub()?.store();
        let Some(doubt) = store.doubt() else { return Ok(None) };
        if !store.become_copy(&host::alias())? {
            return Ok(None);
        }
        Ok(Some(SettledCopy { doubt, alias: store.head()?.alias }))
    }
}
