//! What changed past the guard: the holder, the operator and the trace are told, and the answer tells the agent.

use interagent_core::guard::watch;
use interagent_core::ids::AgentId;
use interagent_core::limits;
use interagent_core::line::one_line;
use interagent_core::refusal::Refusal;
use interagent_core::rules;
use interagent_wire::Answer;
use interagent_wire::answer::EditsView;
use interagent_wire::request as ask;

use crate::call::Call;
use crate::identity;

/// Of a command, so much is told.
const COMMAND_CHARS: usize = 120;

/// Tells those whom it concerns.
pub(crate) fn report(call: &mut Call<'_>, params: &ask::GuardReport) -> Result<Answer, Refusal> {
    if params.changes.is_empty() || params.changes.len() > limits::WATCHED_FILES {
        let sentence = format!("1 to {} changes are reported at once", limits::WATCHED_FILES);
        return Err(Refusal::usage("bad_changes", sentence));
    }
    let command = one_line(&params.command, COMMAND_CHARS);
    let told: Vec<String> = params.changes.iter().take(limits::EDITED_PATHS).cloned().collect();
    call.write(
        |scene| {
            let member = scene.member.clone();
            let mut draft = scene.draft();
            for holder in &params.holders {
                let Ok(id) = AgentId::parse(&holder.agent) else { continue };
                let there = scene.look().agent(&id)?.filter(|other| other.retired.is_none());
                // No mail goes to a captain; the operator is told all the same.
                let Some(other) = there.filter(|other| !rules::is_captain(scene.team.as_ref(), &other.name))
                else {
                    continue;
                };
                watch::tell_holder(&mut draft, &member.id, &other.id, &holder.files, &params.kept);
            }
            let operator = identity::operator(&mut scene.look())?;
            let both = (&member.id, &operator.id);
            watch::ask_operator(&mut draft, both, &told, &command, &params.kept);
            let data =
                serde_json::json!({ "agent": member.name.as_str(), "changes": told, "kept": params.kept });
            scene.writer.trace("guard.changed", &data.to_string())?;
            Ok(draft)
        },
        |_, _| {
            let noted = u32::try_from(told.len()).unwrap_or(u32::MAX);
            let text = Some(watch::told_to_agent(&told, &command, &params.kept));
            Ok(EditsView { noted, collisions: Vec::new(), text }.into())
        },
    )
}
