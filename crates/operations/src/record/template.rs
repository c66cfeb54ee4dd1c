//! The template prompt: finds out which client is meant and lets the core write it.

use interagent_core::refusal::Refusal;
use interagent_core::template::{CLIENTS, prompt};
use interagent_wire::Answer;
use interagent_wire::answer::PromptView;
use interagent_wire::request as ask;

use crate::call::Call;
use crate::{input, names, resolve};

/// The prompt that has an agent bring a template up to date: for a registered agent, or for a kind of client.
pub(crate) fn template_prompt(call: &mut Call<'_>, params: &ask::TemplatePrompt) -> Result<Answer, Refusal> {
    let path = input::maybe_word("the template's path", params.template_path.as_deref())?;
    let focus = input::maybe_word("the focus", params.focus.as_deref())?;
    call.read(|reader, _| {
        let wanted = params.agent.trim().to_lowercase();
        let (agent, profile) = match resolve::agent(reader, &params.agent) {
            Ok(agent) => (names::who(reader, &agent)?.name, agent.profile),
            Err(refusal) => match CLIENTS.iter().find(|(profile, _)| *profile == wanted) {
                Some((profile, _)) => ((*profile).to_owned(), (*profile).to_owned()),
                None => return Err(with_clients(refusal)),
            },
        };
        let text = prompt(&agent, &profile, path.as_deref(), focus.as_deref());
        Ok(PromptView { agent, profile, text }.into())
    })
}

fn with_clients(refusal: Refusal) -> Refusal {
    let clients = CLIENTS.map(|(profile, _)| profile).join(", ");
    let hint = refusal.hint.as_ref().map_or_else(String::new, |hint| format!("{hint}; "));
    refusal.hint(format!("{hint}or one of the clients {clients}"))
}
