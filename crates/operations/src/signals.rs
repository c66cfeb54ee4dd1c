//! Which signal files follow from an entry. The rule is the core's; here the state after the entry is asked for it.

use std::collections::HashMap;

use interagent_core::entity::{Agent, Message};
use interagent_core::event::Fact;
use interagent_core::ids::{AgentId, MessageId};
use interagent_core::limits;
use interagent_core::refusal::Refusal;
use interagent_core::secrets;
use interagent_core::signal::{self, Place, Signal, Touched};
use interagent_core::text::TextHash;
use interagent_store::reader::Reader;
use interagent_wire::LocalEffect;

use crate::names::Names;

/// What an entry leaves to do. Trouble with it is nobody's trouble: a breadcrumb never fails what was asked.
pub(crate) fn after(reader: &mut Reader<'_>, facts: &[Fact]) -> Vec<LocalEffect> {
    let mut after =
        After { reader, homes: HashMap::new(), gone: Vec::new(), texts: Vec::new(), effects: Vec::new() };
    for fact in facts {
        // One bad record harms no other.
        let _ = after.fact(fact);
    }
    let _ = after.write_again();
    let _ = after.tidy();
    after.effects
}

/// What entries that came from elsewhere leave to do for members here.
pub(crate) fn arrived(reader: &mut Reader<'_>, before: i64) -> Result<Vec<LocalEffect>, Refusal> {
    let mut has_place = false;
    for agent in reader.agents()? {
        has_place |= agent.retired.is_none() && place_of(reader, &agent)?.is_some();
    }
    let (mut effects, mut seq) = (Vec::new(), before);
    if !has_place {
        return Ok(effects);
    }
    loop {
        let page = reader.entries_after(seq, limits::PAGE_MAX)?;
        let Some(last) = page.last() else { return Ok(effects) };
        seq = last.seq;
        for stored in &page {
            effects.extend(after(reader, &stored.entry.facts));
        }
    }
}

/// Takes away what is left of an agent's signal files, when nothing waits for it.
pub(crate) fn cleared(reader: &mut Reader<'_>, agent: &Agent) -> Result<Option<LocalEffect>, Refusal> {
    let at = reader.now();
    Ok(place_of(reader, agent)?.map(|place| LocalEffect::ClearSignals { place, at }))
}

/// Where an agent's files lie, if that is on this machine: only its home delivers to it.
fn place_of(reader: &mut Reader<'_>, agent: &Agent) -> Result<Option<Place>, Refusal> {
    match Place::of(agent) {
        Some(place) if reader.is_home(&agent.home)? => Ok(Some(place)),
        _ => Ok(None),
    }
}

/// The effects of one entry while they are gathered.
struct After<'r, 't> {
    reader: &'r mut Reader<'t>,
    /// The recipients that were met: most have no place, and nothing more is asked about them.
    homes: HashMap<AgentId, Option<(Agent, Place)>>,
    /// Messages that wait no longer, by recipient.
    gone: Vec<(AgentId, Vec<MessageId>)>,
    /// Texts that are shown otherwise now.
    texts: Vec<TextHash>,
    effects: Vec<LocalEffect>,
}

impl After<'_, '_> {
    fn fact(&mut self, fact: &Fact) -> Result<(), Refusal> {
        match signal::touched(fact) {
            None => Ok(()),
            Some(Touched::Recipients(message, agents)) => self.recipients(&message, agents),
            Some(Touched::Everybody(message)) => {
                let Some(found) = self.reader.message(&message)? else { return Ok(()) };
                self.recipients(&message, found.deliveries.keys().cloned().collect())
            }
            Some(Touched::Texts(mut texts)) => {
                self.texts.append(&mut texts);
                Ok(())
            }
            Some(Touched::Retired(agent)) => {
                if let Some((_, place)) = self.home(&agent)? {
                    // Nothing will ever wait again.
                    self.effects.push(LocalEffect::ClearSignals { place, at: i64::MAX });
                }
                Ok(())
            }
        }
    }

    fn recipients(&mut self, id: &MessageId, agents: Vec<AgentId>) -> Result<(), Refusal> {
        let mut message = None;
        for agent in agents {
            let Some((agent, place)) = self.home(&agent)? else { continue };
            if message.is_none() {
                message = self.reader.message(id)?;
            }
            let Some(message) = &message else { return Ok(()) };
            self.recipient(message, agent, place)?;
        }
        Ok(())
    }

    fn recipient(&mut self, message: &Message, agent: Agent, place: Place) -> Result<(), Refusal> {
        if signal::stands(message, &agent.id, self.reader.now()) && agent.retired.is_none() {
            let mut names = Names::new(self.reader);
            let from = names.who(&message.from)?.name;
            let subject = match names.reader.held_text(&message.subject)? {
                // A file in a working tree is copied, backed up and read by others, as git is.
                Some(held) => secrets::placeholder(held.kind),
                None => names.line(&message.subject)?,
            };
            let signal = Signal { message: message.id.clone(), from, to: agent.name.to_string(), subject };
            self.effects.push(LocalEffect::PutSignal { place, signal });
            return Ok(());
        }
        match self.gone.iter_mut().find(|(whose, _)| *whose == agent.id) {
            Some((_, messages)) if messages.contains(&message.id) => {}
            Some((_, messages)) => messages.push(message.id.clone()),
            None => self.gone.push((agent.id, vec![message.id.clone()])),
        }
        Ok(())
    }

    /// Replaces the files that say a text as their subject which may be shown no longer, or may be now.
    fn write_again(&mut self) -> Result<(), Refusal> {
        let texts = std::mem::take(&mut self.texts);
        if texts.is_empty() {
            return Ok(());
        }
        for agent in self.reader.agents()? {
            let Some((agent, place)) = self.home(&agent.id)? else { continue };
            // All that waits: one file that is left would keep what was purged.
            for id in self.reader.unread_ids(&agent.id, u32::MAX)? {
                let Some(message) = self.reader.message(&id)? else { continue };
                if texts.contains(&message.subject) {
                    let (place, messages) = (place.clone(), vec![id]);
                    self.effects.push(LocalEffect::RemoveSignals { place: place.clone(), messages });
                    self.recipient(&message, agent.clone(), place)?;
                }
            }
        }
        Ok(())
    }

    /// Takes the files of one hand-over away together, and what else is left where nothing more waits.
    fn tidy(&mut self) -> Result<(), Refusal> {
        for (agent, messages) in std::mem::take(&mut self.gone) {
            let Some((agent, place)) = self.home(&agent)? else { continue };
            self.effects.push(LocalEffect::RemoveSignals { place, messages });
            if !self.reader.has_undelivered(&agent.id)? {
                self.effects.extend(cleared(self.reader, &agent)?);
            }
        }
        Ok(())
    }

    fn home(&mut self, id: &AgentId) -> Result<Option<(Agent, Place)>, Refusal> {
        if let Some(known) = self.homes.get(id) {
            return Ok(known.clone());
        }
        let home = match self.reader.agent(id)? {
            Some(agent) => place_of(self.reader, &agent)?.map(|place| (agent, place)),
            None => None,
        };
        self.homes.insert(id.clone(), home.clone());
        Ok(home)
    }
}
