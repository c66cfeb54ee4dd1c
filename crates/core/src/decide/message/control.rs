//! Control messages: for an agent's session itself, carried out and never read before.

use super::{Letter, SendSnapshot, send};
use crate::control::is_model_name;
use crate::decide::{Post, post};
use crate::draft::{Context, Draft};
use crate::entity::{Agent, Message};
use crate::event::{MessageCarriedOut, MessageControl, Reference};
use crate::ids::{EntityRef, MessageId};
use crate::line::one_line;
use crate::refusal::Refusal;
use crate::rules;
use crate::text::Words;
use crate::vocabulary::{ControlOutcome, ControlVerb, Intent, Priority};

/// Of a word that is refused so much is shown.
const SHOWN_CHARS: usize = 40;

/// What a session is made to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    /// What.
    pub verb: ControlVerb,
    /// The model it changes to.
    pub model: Option<String>,
}

/// Asks for it: a message that waits until it is carried out.
pub fn control(
    snapshot: &SendSnapshot,
    letter: &Letter,
    command: &Command,
    context: &Context,
    draft: &mut Draft,
) -> Result<MessageId, Refusal> {
    let [to] = snapshot.recipients.as_slice() else {
        return Err(Refusal::usage("one_agent", "one agent is controlled at a time"));
    };
    if to.is_human() {
        return Err(Refusal::rule("not_an_agent", "nobody controls a person").hint("name an agent"));
    }
    match (command.verb, &command.model) {
        (ControlVerb::Model, None) => {
            return Err(Refusal::usage("no_model", "it is not said which model")
                .hint(format!("interagent control {} model NAME", to.name)));
        }
        // It would be typed into a terminal.
        (ControlVerb::Model, Some(model)) if !is_model_name(model) => {
            return Err(Refusal::usage(
                "bad_model",
                format!("`{}` is no name of a model", one_line(model, SHOWN_CHARS)),
            )
            .hint(
                "it is one word of letters, digits and . _ - : / @ [ ], and begins with a letter or a digit",
            ));
        }
        (ControlVerb::Model, Some(_)) | (_, None) => {}
        (verb, Some(_)) => {
            return Err(Refusal::usage("no_model", format!("{verb} takes no model")));
        }
    }
    if rules::is_captain(snapshot.team.as_ref(), &to.name) && !context.human {
        let command = format!("interagent control {} {}", to.name, command.verb);
        return Err(Refusal::rule("control_needs_superior", "only the operator may control the captain")
            .hint(rules::operator_runs(snapshot.team.as_ref(), &snapshot.sender, &command)));
    }
    let id = send(snapshot, letter, context, draft)?;
    let asked = MessageControl { verb: command.verb, model: command.model.clone() };
    draft.add(EntityRef::Message(id.clone()), asked);
    Ok(id)
}

/// Asks in nobody's place for the context of an agent to be cleared that is silent about a matter, which the message points
/// at. `words` are the first that it reads then.
pub fn reset(matter: &MessageId, agent: &Agent, operator: &Agent, words: &str, draft: &mut Draft) {
    let verb = ControlVerb::Clear;
    let (subject, body) = (draft.plain(verb.as_str()), draft.plain(words));
    let letter = Post::new(&operator.id, vec![agent.id.clone()], Intent::Control, subject, Some(body));
    let about = Reference {
        kind: "message".into(),
        target: matter.to_string(),
        first_line: None,
        last_line: None,
        text: None,
    };
    let letter = Post { priority: Priority::High, ..letter.pointing_at(vec![about]) };
    if let Some(id) = post(draft, letter) {
        draft.add(EntityRef::Message(id), MessageControl { verb, model: None });
    }
}

/// Records what became of it. Who asked is told where it failed; a person sees it in the log and on the dashboard.
pub fn carried_out(
    message: &Message,
    sender: Option<&Agent>,
    member: &Agent,
    outcome: ControlOutcome,
    note: Option<&Words>,
    draft: &mut Draft,
) -> Result<(), Refusal> {
    let (Some(control), Some(agent)) = (&message.control, message.deliveries.keys().next()) else {
        return Err(Refusal::usage("no_control", format!("{} is no control message", message.id)));
    };
    if control.carried_out.is_some() {
        draft.is_so_already(format!("{} was carried out before", message.id));
        return Ok(());
    }
    let note_hash = draft.maybe(note);
    let carried = MessageCarriedOut { agent: agent.clone(), outcome, note: note_hash.clone() };
    draft.add(EntityRef::Message(message.id.clone()), carried);
    if outcome == ControlOutcome::Failed
        && let Some(sender) = sender.filter(|sender| !sender.is_human())
    {
        let subject = draft.plain(&format!("{} ({}) was not carried out", message.id, control.verb));
        let to = vec![sender.id.clone()];
        post(draft, Post::new(&member.id, to, Intent::ContextShare, subject, note_hash));
    }
    Ok(())
}
