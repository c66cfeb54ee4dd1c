//! Names and texts for files: each looked up once.

use std::collections::HashMap;

use interagent_core::entity::{Agent, replica};
use interagent_core::ids::AgentId;
use interagent_core::name::Label;
use interagent_core::secrets;
use interagent_core::text::TextHash;
use interagent_store::reader::Reader;
use interagent_store::{StoreError, TextState};

const PURGED: &str = "[text deleted]";
const DAMAGED: &str = "[text damaged; see interagent doctor]";
const MISSING: &str = "[text missing; see interagent doctor]";

/// One consistent state, and what was looked up in it.
#[derive(Debug)]
pub(super) struct Look<'r, 't> {
    pub(super) reader: &'r mut Reader<'t>,
    known: HashMap<AgentId, String>,
    /// A text was asked for that is not here, or not as it was written.
    pub(super) lacks_text: bool,
}

impl<'r, 't> Look<'r, 't> {
    pub(super) fn new(reader: &'r mut Reader<'t>) -> Self {
        Self { reader, known: HashMap::new(), lacks_text: false }
    }

    /// A member's name, with its replica where that is another.
    pub(super) fn name(&mut self, id: &AgentId) -> Result<String, StoreError> {
        if let Some(known) = self.known.get(id) {
            return Ok(known.clone());
        }
        let name = match self.reader.agent(id)? {
            Some(agent) => self.name_of(&agent)?,
            // Its registration has not arrived here yet.
            None => id.to_string(),
        };
        self.known.insert(id.clone(), name.clone());
        Ok(name)
    }

    /// The same for a loaded member. It is also a file name: what a foreign replica calls itself is checked.
    pub(super) fn name_of(&mut self, agent: &Agent) -> Result<String, StoreError> {
        if self.reader.is_home(&agent.home)? {
            return Ok(agent.name.to_string());
        }
        let called = replica::called(&self.reader.origins()?, &agent.home);
        let home = Label::parse(&called).map_or_else(|_| agent.home.to_string(), |label| label.to_string());
        Ok(format!("{}@{home}", agent.name))
    }

    pub(super) fn maybe_name(&mut self, id: Option<&AgentId>) -> Result<Option<String>, StoreError> {
        id.map(|id| self.name(id)).transpose()
    }

    /// A text, or what stands for it.
    pub(super) fn text(&mut self, hash: &TextHash) -> Result<String, StoreError> {
        if let Some(held) = self.reader.held_text(hash)? {
            return Ok(secrets::placeholder(held.kind));
        }
        let state = self.reader.text_state(hash)?;
        self.lacks_text |= matches!(state, TextState::Damaged(_) | TextState::Missing);
        Ok(match state {
            TextState::Whole(text) => text,
            TextState::Damaged(_) => DAMAGED.to_owned(),
            TextState::Missing => MISSING.to_owned(),
            TextState::Purged => PURGED.to_owned(),
        })
    }

    pub(super) fn maybe_text(&mut self, hash: Option<&TextHash>) -> Result<Option<String>, StoreError> {
        hash.map(|hash| self.text(hash)).transpose()
    }

    pub(super) fn texts(&mut self, hashes: &[TextHash]) -> Result<Vec<String>, StoreError> {
        hashes.iter().map(|hash| self.text(hash)).collect()
    }
}
