//! Skills: the operator's word on what workers proposed.

use crate::draft::{Context, Draft};
use crate::entity::skill::Outcome;
use crate::entity::{Agent, Skill};
use crate::event::{SkillPromoted, SkillRejected};
use crate::ids::EntityRef;
use crate::refusal::Refusal;
use crate::rules;
use crate::skill::{SkillKey, SkillName};
use crate::team::TeamConfig;
use crate::text::Words;

/// A skill to be.
#[derive(Clone, Debug)]
pub struct Promotion {
    /// Its folder.
    pub name: SkillName,
    /// What it is for.
    pub description: Words,
    /// How often it was proposed.
    pub times: u32,
    /// The files it is written to, relative to the project.
    pub places: Vec<String>,
}

/// Who decides, and by which rules.
#[derive(Clone, Copy, Debug)]
pub struct Decider<'a> {
    /// The rules.
    pub team: Option<&'a TeamConfig>,
    /// Who acts.
    pub member: &'a Agent,
}

impl Decider<'_> {
    fn must_be_operator(self, context: &Context, verb: &str, key: &SkillKey) -> Result<(), Refusal> {
        if context.human {
            return Ok(());
        }
        let reason = if verb == "reject" { " --reason TEXT" } else { "" };
        let command = format!("interagent skill {verb} {key}{reason}");
        Err(Refusal::rule("skill_needs_operator", format!("the operator alone may {verb} the skill {key}"))
            .hint(rules::operator_runs(self.team, self.member, &command)))
    }
}

/// Makes a candidate a skill of the project's clients.
pub fn promote(
    decider: Decider<'_>,
    key: &SkillKey,
    before: Option<&Skill>,
    promotion: &Promotion,
    context: &Context,
    draft: &mut Draft,
) -> Result<(), Refusal> {
    decider.must_be_operator(context, "promote", key)?;
    if let Some(Skill { outcome: Outcome::Promoted { name, places, .. }, .. }) = before
        && name == promotion.name.as_str()
        && promotion.places.iter().all(|place| places.contains(place))
    {
        draft.is_so_already(format!("{key} was promoted before"));
        return Ok(());
    }
    let promoted = SkillPromoted {
        name: promotion.name.as_str().to_owned(),
        description: draft.text(&promotion.description),
        times: promotion.times,
        places: promotion.places.clone(),
    };
    draft.add(EntityRef::Skill(key.clone()), promoted);
    Ok(())
}

/// Says that a candidate is not wanted.
pub fn reject(
    decider: Decider<'_>,
    key: &SkillKey,
    before: Option<&Skill>,
    reason: &Words,
    context: &Context,
    draft: &mut Draft,
) -> Result<(), Refusal> {
    decider.must_be_operator(context, "reject", key)?;
    if before.is_some_and(|skill| !skill.is_promoted()) {
        draft.is_so_already(format!("{key} was rejected before"));
        return Ok(());
    }
    let reason = draft.text(reason);
    draft.add(EntityRef::Skill(key.clone()), SkillRejected { reason });
    Ok(())
}
