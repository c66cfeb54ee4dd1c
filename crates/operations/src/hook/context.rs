//! How much context a client says its agent has left: noted where that is news to somebody, otherwise never written.

use interagent_core::decide::agent::note_context;
use interagent_core::refusal::Refusal;
use interagent_core::vocabulary::Auth;

use crate::call::Call;
use crate::identity::Identity;
use crate::people;

/// What a hook tells of an agent's context.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Heard {
    /// So many percent are left.
    Left(u8),
    /// The conversation was forgotten, so nothing that was said of it holds any more.
    Forgotten,
}

/// Notes it where the agent passes its limit, or where what was known holds no longer.
pub(super) fn note(call: &mut Call<'_>, session: &str, heard: Heard) -> Result<(), Refusal> {
    let agent = call.store.read(|reader| {
        let Some(row) = reader.session(session)? else { return Ok(None) };
        let Some(agent) = reader.agent(&row.agent)? else { return Ok(None) };
        let known = agent.status.as_ref().and_then(|status| status.context_left);
        let limit = reader.team()?.map_or(0, |team| team.config.context_limit(&agent.name));
        let is_low = |left: u8| u32::from(left) < limit;
        let is_news = match heard {
            Heard::Left(left) => is_low(left) != known.is_some_and(is_low),
            Heard::Forgotten => known.is_some(),
        };
        Ok::<_, Refusal>(is_news.then_some(agent))
    })?;
    let Some(agent) = agent else { return Ok(()) };
    let how = "the client's session was bound".to_owned();
    let identity = Identity { actor: agent, behalf: None, auth: Auth::Session, how };
    call.write_as(
        &identity,
        |scene| {
            let (team, member) = (scene.team.clone(), scene.member.clone());
            let watch = people::watch(&mut scene.look(), team.as_ref(), &member)?;
            let left = match heard {
                Heard::Left(left) => Some(left),
                Heard::Forgotten => None,
            };
            let mut draft = scene.draft();
            note_context(&member, left, &watch, &mut draft);
            Ok(draft)
        },
        |_, _| Ok(()),
    )
}
