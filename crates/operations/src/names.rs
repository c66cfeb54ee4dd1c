//! Names and texts for answers: each looked up once per answer.

use std::collections::HashMap;

use interagent_core::entity::Agent;
use interagent_core::ids::AgentId;
use interagent_core::name::SYSTEM;
use interagent_core::refusal::Refusal;
use interagent_core::text::TextHash;
use interagent_store::TextState;
use interagent_store::reader::Reader;
use interagent_wire::answer::Who;

use crate::resolve;

/// Shown where a text was deleted.
pub(crate) const PURGED: &str = "[text deleted]";
/// Shown where a text is not what was written. The rest of the list is.
const DAMAGED: &str = "[text damaged; see interagent doctor]";
/// Shown where a text was lost, or has not arrived.
const MISSING: &str = "[text not here: lost, not arrived or held back elsewhere; see interagent doctor]";

/// A text as shown: what stands in its place where it can't be shown, `None` where it was deleted.
pub(crate) fn shown(reader: &mut Reader<'_>, hash: &TextHash) -> Result<Option<String>, Refusal> {
    Ok(match reader.text_state(hash)? {
        TextState::Whole(text) => Some(text),
        TextState::Damaged(_) => Some(DAMAGED.to_owned()),
        TextState::Missing => Some(MISSING.to_owned()),
        TextState::Purged => None,
    })
}

/// Looks names and texts up for one answer.
pub(crate) struct Names<'r, 't> {
    pub(crate) reader: &'r mut Reader<'t>,
    known: HashMap<AgentId, (Who, bool)>,
}

impl<'r, 't> Names<'r, 't> {
    pub(crate) fn new(reader: &'r mut Reader<'t>) -> Self {
        Self { reader, known: HashMap::new() }
    }

    /// A member as shown: the name, with its replica where that is another.
    pub(crate) fn who(&mut self, id: &AgentId) -> Result<Who, Refusal> {
        Ok(self.entry(id)?.0)
    }

    /// Whether a member is a person.
    pub(crate) fn is_human(&mut self, id: &AgentId) -> Result<bool, Refusal> {
        Ok(self.entry(id)?.1)
    }

    fn entry(&mut self, id: &AgentId) -> Result<(Who, bool), Refusal> {
        if let Some(known) = self.known.get(id) {
            return Ok(known.clone());
        }
        if id.is_program() {
            return Ok((Who { id: id.to_string(), name: SYSTEM.to_owned(), replica: None }, false));
        }
        let entry = match self.reader.agent(id)? {
            Some(agent) => (who(self.reader, &agent)?, agent.is_human()),
            // Its registration has not arrived here yet.
            None => (Who { id: id.to_string(), name: id.to_string(), replica: None }, false),
        };
        self.known.insert(id.clone(), entry.clone());
        Ok(entry)
    }

    /// An optional member.
    pub(crate) fn maybe_who(&mut self, id: Option<&AgentId>) -> Result<Option<Who>, Refusal> {
        id.map(|id| self.who(id)).transpose()
    }

    /// Several members.
    pub(crate) fn each<'i>(
        &mut self,
        ids: impl IntoIterator<Item = &'i AgentId>,
    ) -> Result<Vec<Who>, Refusal> {
        ids.into_iter().map(|id| self.who(id)).collect()
    }

    /// A text, or what stands for it; `None` where it was deleted.
    pub(crate) fn text(&mut self, hash: &TextHash) -> Result<Option<String>, Refusal> {
        shown(self.reader, hash)
    }

    /// A text that every answer must show something for.
    pub(crate) fn line(&mut self, hash: &TextHash) -> Result<String, Refusal> {
        Ok(self.text(hash)?.unwrap_or_else(|| PURGED.to_owned()))
    }

    /// An optional text; one that was deleted is shown as such.
    pub(crate) fn maybe_text(&mut self, hash: Option<&TextHash>) -> Result<Option<String>, Refusal> {
        hash.map(|hash| self.line(hash)).transpose()
    }

    /// Several texts.
    pub(crate) fn lines(&mut self, hashes: &[TextHash]) -> Result<Vec<String>, Refusal> {
        hashes.iter().map(|hash| self.line(hash)).collect()
    }
}

/// A loaded member as shown.
pub(crate) fn who(reader: &mut Reader<'_>, agent: &Agent) -> Result<Who, Refusal> {
    let id = agent.id.to_string();
    if reader.is_home(&agent.home)? {
        return Ok(Who { id, name: agent.name.to_string(), replica: None });
    }
    let name = format!("{}@{}", agent.name, resolve::origin_alias(reader, agent)?);
    let replica = reader.standing_of(&agent.home)?.mark().map(str::to_owned);
    Ok(Who { id, name, replica })
}
