//! Control messages: asking for one, listing what waits, recording what became of it.
//!
//! Whoever is on the agent's machine carries them out, most often the supervisor: it lists what waits for its agents, does
//! it, and records the end. Recording twice changes nothing, so a supervisor that was killed in between may ask again.

use std::path::Path;

use interagent_core::control::{Hands, promise};
use interagent_core::decide::message::{self, Command, Letter};
use interagent_core::entity::Message;
use interagent_core::entity::message::Control;
use interagent_core::event::Event;
use interagent_core::ids::EntityRef;
use interagent_core::limits;
use interagent_core::refusal::Refusal;
use interagent_core::team::ForeignOperators;
use interagent_core::text::Words;
use interagent_core::vocabulary::{HoldReason, Intent, Priority};
use interagent_store::reader::{MessageFilter, PageStart, Reader};
use interagent_store::{Appended, live};
use interagent_wire::answer::{ControlView, Page};
use interagent_wire::{Answer, Time, request as ask};

use crate::call::Call;
use crate::names::Names;
use crate::{input, ladder, messages, resolve};

/// Asks for an agent's session to do something.
pub(crate) fn send(call: &mut Call<'_>, params: &ask::ControlSend) -> Result<Answer, Refusal> {
    let Some(verb) = params.verb else {
        return Err(
            Refusal::usage("no_verb", "it is not said what to do").hint("it is clear, model, stop or resume")
        );
    };
    let command = Command { verb, model: input::maybe_word("the model", params.model.as_deref())? };
    let subject = match &command.model {
        Some(model) => format!("{verb} {model}"),
        None => verb.to_string(),
    };
    let body = params.body.as_deref().filter(|body| !body.trim().is_empty());
    let letter = Letter {
        intent: Intent::Control,
        subject: Some(Words::line("the subject", &subject)?),
        body: body.map(|body| Words::document("the body", body)).transpose()?,
        refs: Vec::new(),
        priority: Priority::High,
        expires: None,
        ack_wanted: false,
        addressed: Vec::new(),
        aliases: Vec::new(),
    };
    let (clients, state_dir) = (call.clients.clone(), call.state_dir);
    call.write(
        |scene| {
            let agent = resolve::agent(&mut scene.look(), &params.agent)?;
            if agent.retired.is_some() {
                return Err(resolve::retired(&mut scene.look(), &agent)?);
            }
            let (name, can) = (agent.name.clone(), clients.abilities(&agent.profile));
            let snapshot = messages::snapshot(scene, vec![agent], None)?;
            let mut draft = scene.draft();
            message::control(&snapshot, &letter, &command, scene.context, &mut draft)?;
            if let Some(can) = can {
                can.must_have(verb, &name)?;
            }
            Ok(draft)
        },
        |reader, appended| controlled(reader, appended, state_dir),
    )
}

/// Lists what was not carried out yet, oldest first.
pub(crate) fn list(call: &mut Call<'_>, params: &ask::ControlList) -> Result<Answer, Refusal> {
    let state_dir = call.state_dir;
    call.read(|reader, _| {
        let agent = params.agent.as_deref().map(|name| resolve::agent(reader, name)).transpose()?;
        let to = agent.map(|agent| agent.id);
        let filter =
            MessageFilter { held: true, to, intent: Some(Intent::Control), ..MessageFilter::default() };
        let mut open = reader.messages(&filter, &PageStart::default(), limits::PAGE_MAX)?;
        open.retain(|message| message.held == Some(HoldReason::Control));
        open.reverse();
        let mut wanted = Vec::with_capacity(open.len());
        for message in open {
            if ladder::is_wanted(reader, &message)? && may_command(reader, &message)? {
                wanted.push(message);
            }
        }
        let mut names = Names::new(reader);
        let mut items = Vec::with_capacity(wanted.len());
        for message in &wanted {
            items.extend(view(&mut names, message, state_dir)?);
        }
        Ok(Page { items, next: None }.into())
    })
}

/// Whether an order is for here to carry out. Those of other replicas are only where the team says so.
fn may_command(reader: &mut Reader<'_>, message: &Message) -> Result<bool, Refusal> {
    let is_ours = match reader.agent(&message.from)? {
        Some(sender) => reader.is_home(&sender.home)?,
        None => false,
    };
    let team = reader.team()?;
    let power = team.map_or_else(ForeignOperators::usual, |team| team.config.rules.foreign_operators);
    Ok(is_ours || power == ForeignOperators::Command)
}

/// Records what became of one.
pub(crate) fn done(call: &mut Call<'_>, params: &ask::ControlDone) -> Result<Answer, Refusal> {
    let Some(outcome) = params.outcome else {
        return Err(
            Refusal::usage("no_outcome", "it is not said what became of it").hint("it is done or failed")
        );
    };
    let note = params.note.as_deref().map(|note| Words::note("the note", note)).transpose()?;
    let state_dir = call.state_dir;
    call.write(
        |scene| {
            if !scene.context.human {
                return Err(Refusal::rule(
                    "control_needs_superior",
                    "whoever carries a control message out says so, never an agent",
                )
                .hint("interagent supervise carries them out"));
            }
            let found = resolve::message(&mut scene.look(), &params.message)?;
            let sender = scene.look().agent(&found.from)?;
            let mut draft = scene.draft();
            message::carried_out(&found, sender.as_ref(), &scene.member, outcome, note.as_ref(), &mut draft)?;
            Ok(draft)
        },
        |reader, _| {
            let found = resolve::message(reader, &params.message)?;
            answer(reader, &found, state_dir)
        },
    )
}

fn controlled(reader: &mut Reader<'_>, appended: &Appended, state_dir: &Path) -> Result<Answer, Refusal> {
    let id = appended.entry().and_then(|entry| {
        entry.facts.iter().find_map(|fact| match (&fact.entity, &fact.event) {
            (EntityRef::Message(id), Event::MessageControl(_)) => Some(id.clone()),
            _ => None,
        })
    });
    let id = id.ok_or_else(|| Refusal::unavailable("store_internal", "nothing was asked for"))?;
    let found = resolve::message(reader, id.as_str())?;
    answer(reader, &found, state_dir)
}

fn answer(reader: &mut Reader<'_>, message: &Message, state_dir: &Path) -> Result<Answer, Refusal> {
    let view = view(&mut Names::new(reader), message, state_dir)?;
    let none = || Refusal::usage("no_control", format!("{} is no control message", message.id));
    Ok(view.ok_or_else(none)?.into())
}

fn view(
    names: &mut Names<'_, '_>,
    message: &Message,
    state_dir: &Path,
) -> Result<Option<ControlView>, Refusal> {
    let (Some(control), Some(agent)) = (&message.control, message.deliveries.keys().next()) else {
        return Ok(None);
    };
    let Control { verb, model, carried_out } = control;
    let hands = Hands {
        supervisor: live::is_supervised(state_dir),
        session: !names.reader.living_sessions(agent)?.is_empty(),
    };
    let agent = names.who(agent)?;
    let has_words = message.body.is_some();
    Ok(Some(ControlView {
        message: message.id.to_string(),
        promise: promise(*verb, &agent.name, model.as_deref(), has_words, hands),
        agent,
        from: names.who(&message.from)?,
        verb: *verb,
        model: model.clone(),
        has_words,
        sent: Time(message.sent.wall),
        outcome: carried_out.as_ref().map(|end| end.outcome),
    }))
}
