//! One call: its caller, its key, and the two ways through the store.

use std::collections::BTreeMap;
use std::path::Path;

use interagent_core::draft::{Context, Draft};
use interagent_core::entity::Agent;
use interagent_core::entry::RequestKey;
use interagent_core::ids::AgentId;
use interagent_core::limits;
use interagent_core::liveness::Liveness;
use interagent_core::refusal::Refusal;
use interagent_core::team::TeamConfig;
use interagent_core::text::hex;
use interagent_store::reader::Reader;
use interagent_store::{Appended, NewEntry, Store, Writer};
use interagent_wire::{Caller, LocalEffect, Request};
use sha2::{Digest, Sha256};

use crate::clients::Clients;
use crate::identity::{self, Identity, Known};
use crate::input;
use crate::operator::Notifier;
use crate::record::held;
use crate::{operator, reach, repeats, signals, traffic};

/// One operation in progress.
pub(crate) struct Call<'a> {
    pub(crate) store: &'a mut Store,
    pub(crate) state_dir: &'a Path,
    pub(crate) caller: &'a Caller,
    pub(crate) op: &'static str,
    /// What kinds of clients can be made to do.
    pub(crate) clients: Clients,
    /// How the operator is notified from this machine; absent where nobody here can.
    pub(crate) notifier: Option<Notifier>,
    /// The liveness of agents read from their terminals, if the caller looked.
    pub(crate) screens: BTreeMap<AgentId, Liveness>,
    /// What is to be done on this machine once it is committed.
    pub(crate) effects: Vec<LocalEffect>,
    key: Option<RequestKey>,
    /// Why nothing was written, where it was so already.
    pub(crate) unchanged: Option<String>,
    /// What the caller should know besides the answer.
    pub(crate) notes: Vec<String>,
}

/// What a decision sees under the gate.
pub(crate) struct Scene<'s, 't, 'e> {
    pub(crate) writer: &'s mut Writer<'t, 'e>,
    pub(crate) context: &'s Context,
    /// The member who acts, as it is now.
    pub(crate) member: Agent,
    pub(crate) team: Option<TeamConfig>,
}

impl Scene<'_, '_, '_> {
    /// Looks at the state under the gate.
    pub(crate) fn look(&mut self) -> Reader<'_> {
        self.writer.look()
    }

    /// An empty draft.
    pub(crate) fn draft(&self) -> Draft {
        Draft::new(self.context)
    }
}

impl<'a> Call<'a> {
    /// Checks the key and fingerprints the request it belongs to.
    pub(crate) fn begin(
        store: &'a mut Store,
        state_dir: &'a Path,
        caller: &'a Caller,
        request: &Request,
    ) -> Result<Self, Refusal> {
        let params = request.params().map_err(|e| Refusal::usage("bad_request", e.to_string()))?;
        let key = match params.get("key").and_then(|key| key.as_str()) {
            None => None,
            Some(key) if key.is_empty() || key.len() > limits::KEY_BYTES || key.contains('\0') => {
                let sentence = format!("an idempotency key has 1 to {} bytes and no NUL", limits::KEY_BYTES);
                return Err(Refusal::usage("bad_key", sentence));
            }
            Some(key) => {
                input::no_secret("the idempotency key", key)?;
                let default = caller.principal.then_some("principal");
                let covered = fingerprint(request.name(), caller.behalf.as_deref().or(default), &params);
                Some(RequestKey { key: key.to_owned(), request: hex(&Sha256::digest(covered.as_bytes())) })
            }
        };
        Ok(Self {
            store,
            state_dir,
            caller,
            op: request.name(),
            clients: Clients::default(),
            notifier: None,
            screens: BTreeMap::new(),
            effects: Vec::new(),
            key,
            unchanged: None,
            notes: Vec::new(),
        })
    }

    /// Answers from one consistent state. Anybody may look.
    pub(crate) fn read<T>(
        &mut self,
        ask: impl FnOnce(&mut Reader<'_>, &Known) -> Result<T, Refusal>,
    ) -> Result<T, Refusal> {
        let caller = self.caller;
        self.store.read(|reader| {
            let known = identity::identify(reader, caller)?;
            ask(reader, &known)
        })
    }

    /// Decides and answers as the caller.
    pub(crate) fn write<T>(
        &mut self,
        decide: impl FnOnce(&mut Scene<'_, '_, '_>) -> Result<Draft, Refusal>,
        answer: impl FnOnce(&mut Reader<'_>, &Appended) -> Result<T, Refusal>,
    ) -> Result<T, Refusal> {
        let caller = self.caller;
        let identity = self.store.read(|reader| identity::identify(reader, caller)?.bound())?;
        self.write_as(&identity, decide, answer)
    }

    /// Decides and answers as somebody whose identity was settled before.
    pub(crate) fn write_as<T>(
        &mut self,
        identity: &Identity,
        decide: impl FnOnce(&mut Scene<'_, '_, '_>) -> Result<Draft, Refusal>,
        answer: impl FnOnce(&mut Reader<'_>, &Appended) -> Result<T, Refusal>,
    ) -> Result<T, Refusal> {
        let is_bound_as_behalf = self.caller.bound_as_behalf && identity.behalf.is_some();
        let new = NewEntry {
            actor: identity.actor.id.clone(),
            behalf: identity.behalf.as_ref().map(|agent| agent.id.clone()),
            human: identity.actor.is_human() && !is_bound_as_behalf,
            auth: identity.auth,
            op: self.op,
            key: self.key.clone(),
        };
        let (caller, member) = (self.caller, identity.member().clone());
        let (actor, op) = (new.actor.clone(), self.op);
        let (unchanged, notes) = (&mut self.unchanged, &mut self.notes);
        let (state_dir, clients) = (self.state_dir, self.clients.clone());
        let is_operators = identity.actor.is_human();
        let (said, effects, aftermath, is_reached) = self.store.append(
            new,
            |writer, context| {
                identity::must_still_hold(&mut writer.look(), caller, identity)?;
                let team = writer.look().team()?.map(|team| team.config);
                // The agent may have changed since it was identified; one that registers itself is not there yet.
                let member = writer.look().agent(&member.id)?.unwrap_or(member);
                if member.retired.is_some() {
                    return Err(Refusal::rule("retired", format!("{} takes part no longer", member.name)));
                }
                let mut scene = Scene { writer, context, member, team };
                let mut draft = decide(&mut scene)?;
                repeats::merge(&mut scene, &mut draft)?;
                let held = traffic::budget(&mut scene, &actor, &mut draft)?;
                notes.extend(traffic::remarks(&mut scene, &draft, &held, op)?);
                *unchanged = draft.unchanged.take().filter(|_| draft.facts.is_empty());
                notes.append(&mut draft.notes);
                notes.extend(held::remarks(&draft));
                Ok(draft)
            },
            |reader, appended| {
                let said = answer(reader, appended)?;
                let facts = appended.entry().map(|entry| entry.facts.as_slice()).unwrap_or_default();
                let aftermath = reach::after(reader, facts, state_dir, &clients);
                let is_reached = !is_operators && operator::is_reached(reader, facts);
                Ok::<_, Refusal>((said, signals::after(reader, facts), aftermath, is_reached))
            },
        )?;
        if is_reached {
            operator::reached(self);
        }
        self.effects.extend(effects);
        let aftermath = aftermath.settled(state_dir);
        self.effects.extend(aftermath.effects);
        self.notes.extend(aftermath.notes);
        Ok(said)
    }
}

/// What a key belongs to: the operation, for whom, and the parameters that say something. A parameter that is left out counts
/// like one that did not exist yet, so a repetition after an upgrade is still a repetition.
fn fingerprint(op: &str, behalf: Option<&str>, params: &serde_json::Value) -> String {
    let says_nothing = |value: &serde_json::Value| match value {
        serde_json::Value::Null | serde_json::Value::Bool(false) => true,
        serde_json::Value::Array(items) => items.is_empty(),
        _ => false,
    };
    let said: serde_json::Map<String, serde_json::Value> = params
        .as_object()
        .map(|fields| {
            fields
                .iter()
                .filter(|(_, value)| !says_nothing(value))
                .map(|(k, v)| (k.clone(), v.clone()))
                .collect()
        })
        .unwrap_or_default();
    format!("{op} {} {}", behalf.unwrap_or("-"), serde_json::Value::Object(said))
}

#[cfg(test)]
mod tests {
    use interagent_wire::Answer;
    use interagent_wire::request as ask;

    use super::*;
    use crate::{Hub, LocalHub, Opening};

    #[test]
    fn a_token_that_is_taken_away_at_the_gate_writes_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let opening = Opening {
            hub_dir: dir.path().to_owned(),
            create: true,
            alias: "here".into(),
            hub_id: None,
            user_dir: None,
        };
        let mut hub = LocalHub::open(&opening).unwrap();
        let mut operate = |request: Request| hub.call(&Caller::operator(), request).unwrap().answer;
        operate(ask::AgentRegister { name: "kimi".into(), ..ask::AgentRegister::default() }.into());
        let whose = Some("kimi".to_owned());
        let Answer::Token(made) = operate(ask::AgentToken { agent: whose.clone(), new: false }.into()) else {
            panic!("no token");
        };
        let caller = Caller { token: made.token, ..Caller::default() };
        let identity = hub.store().read(|reader| identity::identify(reader, &caller)?.bound()).unwrap();
        let request: Request = ask::StatusSet::default().into();
        let write = |hub: &mut LocalHub| {
            let mut call = Call::begin(hub.store(), dir.path(), &caller, &request)?;
            call.write_as(&identity, |scene| Ok(scene.draft()), |_, _| Ok(()))
        };
        assert_eq!(write(&mut hub), Ok(()));
        hub.call(&Caller::operator(), ask::AgentRevoke { agent: whose }.into()).unwrap();
        assert_eq!(write(&mut hub).unwrap_err().code, "bad_token");
    }
}
