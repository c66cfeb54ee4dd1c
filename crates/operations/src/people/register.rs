//! Registering: who may write a registration, and what is kept of an agent that had the name before.

use interagent_core::decide::agent::{self, ANY_PROFILE, Introduction};
use interagent_core::entity::Agent;
use interagent_core::ids::AgentId;
use interagent_core::name::{Label, Name};
use interagent_core::refusal::Refusal;
use interagent_core::text::Words;
use interagent_core::vocabulary::Auth;
use interagent_store::Appended;
use interagent_wire::Answer;
use interagent_wire::request as ask;

use super::{bad_name, view};
use crate::call::Call;
use crate::identity::{self, Identity, Known};
use crate::{input, legacy, resolve, seats, sessions, team};

/// Registers an agent. Whoever is nobody yet acts under the new identity at once.
pub(crate) fn register(call: &mut Call<'_>, params: &ask::AgentRegister) -> Result<Answer, Refusal> {
    input::no_secret_name("the name", &params.name)?;
    let name = Name::parse(&params.name).map_err(|problem| bad_name(&problem))?;
    let profile = match &params.profile {
        None => None,
        Some(profile) => Some(Label::parse(profile).map_err(|problem| bad_name(&problem))?.to_string()),
    };
    let description = params.description.as_ref().map(|d| Words::note("the description", d)).transpose()?;
    let workspace = params.workspace.as_deref().filter(|given| !given.trim().is_empty());
    let workspace = input::maybe_word("the workspace", workspace)?;
    workspace.as_deref().map_or(Ok(()), crate::workspace::must_be_ours)?;
    // The name can be taken between looking and writing; whoever comes second finds it there the next time.
    let given = Newcomer {
        name: &name,
        profile: profile.as_deref(),
        description: description.as_ref(),
        workspace: workspace.as_deref(),
    };
    for _ in 0..8 {
        if let Some(answer) = register_once(call, &given)? {
            return Ok(answer);
        }
    }
    Err(Refusal::conflict("name_taken", format!("{name} is being registered by somebody else")))
}

/// Who registers, as far as it was checked.
struct Newcomer<'p> {
    name: &'p Name,
    profile: Option<&'p str>,
    description: Option<&'p Words>,
    workspace: Option<&'p str>,
}

/// What is known of a name before anything is written.
struct Found {
    /// Who has it here.
    there: Option<Agent>,
    /// Who had it and was retired.
    earlier: Option<Agent>,
    /// Who calls; not asked where the caller claims to be the agent that is about to be.
    caller: Option<Known>,
    /// The caller's client may take the seat of the agent that is there.
    is_free: bool,
}

impl Found {
    fn look(call: &mut Call<'_>, name: &Name) -> Result<Self, Refusal> {
        let caller = call.caller;
        call.store.read(|reader| {
            let registry = team::registry(reader, None)?;
            let there = registry.local.iter().find(|agent| &agent.name == name).cloned();
            let earlier = if there.is_none() { legacy::earlier(reader, name)? } else { None };
            let claims_it =
                caller.agent.as_deref().is_some_and(|claimed| claimed.eq_ignore_ascii_case(name.as_str()));
            let known =
                if claims_it && there.is_none() { None } else { Some(identity::identify(reader, caller)?) };
            let is_free = match (&there, &known) {
                (Some(agent), Some(Known::Unbound { .. })) => seats::may_take(reader, caller, agent)?,
                _ => false,
            };
            Ok::<_, Refusal>(Self { there, earlier, caller: known, is_free })
        })
    }

    /// Whoever takes up a retired agent's name is another: what is seen of it counts before what that one was.
    fn profile(&self, given: Option<&str>, seen: Option<&String>) -> String {
        let profile_of = |agent: &Option<Agent>| agent.as_ref().map(|agent| agent.profile.clone());
        given
            .map(ToOwned::to_owned)
            .or_else(|| profile_of(&self.there))
            .or_else(|| seen.cloned())
            .or_else(|| profile_of(&self.earlier))
            .unwrap_or_else(|| ANY_PROFILE.to_owned())
    }

    /// In whose name the registration is written: a person's, the agent's own, or that of who is about to be.
    fn identity(
        &self,
        call: &mut Call<'_>,
        id: &AgentId,
        name: &Name,
        profile: &str,
    ) -> Result<Identity, Refusal> {
        match &self.caller {
            Some(Known::Bound(identity)) => {
                let own = self.there.as_ref().is_some_and(|agent| agent.id == identity.member().id);
                match identity.actor.is_human() || own {
                    true => Ok((**identity).clone()),
                    false => Err(not_you(&identity.actor.name, name)),
                }
            }
            Some(Known::Unbound { how, .. }) => match &self.there {
                Some(agent) if self.is_free => Ok(newcomer(agent.clone())),
                Some(_) => Err(taken(name, how)),
                None => about_to_be(call, id, name, profile),
            },
            None => about_to_be(call, id, name, profile),
        }
    }
}

/// Registers once; nothing where somebody else took the name between looking and writing.
fn register_once(call: &mut Call<'_>, given: &Newcomer<'_>) -> Result<Option<Answer>, Refusal> {
    let Newcomer { name, profile, description, workspace } = given;
    let fresh = AgentId::from_bits(call.store.fresh_bits()?);
    let found = Found::look(call, name)?;
    let profile = found.profile(*profile, call.caller.profile.as_ref());
    let identity = found.identity(call, &fresh, name, &profile)?;
    let Found { there, earlier, is_free, .. } = found;
    let before = there.as_ref().or(earlier.as_ref());
    let mut introduction = Introduction {
        name: (*name).clone(),
        profile,
        description: description.cloned(),
        workspace: workspace
            .map(ToOwned::to_owned)
            .or_else(|| before.and_then(|agent| agent.workspace.clone())),
    };
    let expected_new = there.is_none();
    let registers_itself = is_free || identity.actor.id == fresh;
    let registered = call.write_as(
        &identity,
        |scene| {
            let registry = team::registry(&mut scene.look(), Some(name.as_str()))?;
            let mut draft = scene.draft();
            if expected_new && registry.local.iter().any(|agent| &agent.name == *name) {
                return Ok(draft);
            }
            if introduction.description.is_none() {
                // Saying nothing keeps what was said.
                let said = match &earlier {
                    Some(earlier) => legacy::description(&mut scene.look(), earlier)?,
                    None => registry.described.clone(),
                };
                introduction.description = said.and_then(|d| Words::note("the description", &d).ok());
            }
            agent::register(&registry, &introduction, fresh.clone(), &mut draft)?;
            Ok(draft)
        },
        |reader, appended| {
            if expected_new && matches!(appended, Appended::Nothing) {
                return Ok(None);
            }
            let agent = resolve::agent(reader, name.as_str())?;
            let mut shown = view(reader, &agent)?;
            if let Some(earlier) = &earlier {
                shown.notes = legacy::of_earlier(reader, earlier)?;
            }
            Ok(Some(shown.into()))
        },
    )?;
    if registered.is_some() && registers_itself {
        sessions::bind_newcomer(call, &identity.actor)?;
    }
    Ok(registered)
}

fn not_you(you: &Name, name: &Name) -> Refusal {
    Refusal::rule("not_you", format!("you are {you}; an agent registers only itself"))
        .hint(format!("go on as {you}; the operator registers {name}, or gives you that name"))
}

fn taken(name: &Name, how: &str) -> Refusal {
    Refusal::conflict(
        "name_taken",
        format!("there is an agent {name} here, and it is not known that it is you: {how}"),
    )
    .hint(format!("set INTERAGENT_AGENT={name} if it is you, or take another name"))
}

/// The agent that an unbound caller becomes under a new name.
fn about_to_be(call: &mut Call<'_>, id: &AgentId, name: &Name, profile: &str) -> Result<Identity, Refusal> {
    let home = call.store.head()?.origin;
    let now = call.store.clock().wall_us();
    let when = interagent_core::entity::When { at: now, wall: now };
    Ok(newcomer(Agent::new(id.clone(), name.clone(), home, profile.to_owned(), when)))
}

fn newcomer(actor: Agent) -> Identity {
    Identity { actor, behalf: None, auth: Auth::Claimed, how: "it registers itself".to_owned() }
}
