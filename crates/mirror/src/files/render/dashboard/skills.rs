//! What members learned: candidates, counted together where they look alike, and what became of them.

use interagent_core::entity::skill::Outcome;
use interagent_core::limits;
use interagent_core::skill::{Proposal, SkillName, description_of, grouped};
use interagent_store::StoreError;

use super::cell;
use crate::files::names::Look;

/// Specs that hold a skill are called so.
const SKILL: &str = "skill-";
/// Workers named beside a candidate.
const NAMED: usize = 3;

/// Candidates that nothing was decided of: how often, by whom, for what.
pub(super) fn candidates(look: &mut Look<'_, '_>) -> Result<Vec<String>, StoreError> {
    let mut proposals = Vec::new();
    for one in look.reader.proposals(limits::PAGE_MAX)? {
        let candidate = &one.report.report.skill_candidate;
        proposals.push(Proposal {
            name: look.maybe_text(candidate.name.as_ref())?.unwrap_or_default(),
            description: look.maybe_text(candidate.description.as_ref())?,
            reason: look.maybe_text(candidate.reason.as_ref())?,
            worker: look.name(&one.report.report.worker)?,
            task: one.task.id.to_string(),
        });
    }
    let mut rows = Vec::new();
    for (key, group) in grouped(proposals) {
        if look.reader.skill(&key)?.is_some() {
            continue;
        }
        let mut workers: Vec<&str> = Vec::new();
        for proposal in &group {
            if !workers.contains(&proposal.worker.as_str()) {
                workers.push(&proposal.worker);
            }
        }
        let more = workers.len().saturating_sub(NAMED);
        workers.truncate(NAMED);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let times = if group.len() == 1 { "once".to_owned() } else { format!("{} times", group.len()) };
        let folder = if SkillName::parse(key.as_str()).is_ok() { "" } else { " --as NAME" };
        rows.push(format!(
            "{}: {} ({times}, by {}{more}); `interagent skill promote {key}{folder}`",
            cell(key.as_str()),
            cell(&description_of(&key, &group)),
            workers.join(", ")
        ));
    }
    Ok(rows)
}

/// Skills that clients have, and specs that hold one.
pub(super) fn generated(look: &mut Look<'_, '_>) -> Result<Vec<String>, StoreError> {
    let mut rows = Vec::new();
    for skill in look.reader.skills(limits::PAGE_MAX)? {
        if let Outcome::Promoted { name, description, places, .. } = &skill.outcome {
            let description = look.text(description)?;
            rows.push(format!("{name}: {} ({})", cell(&description), cell(&places.join(", "))));
        }
    }
    let specs = look.reader.specs("", limits::PAGE_MAX)?;
    let skills = specs.iter().filter(|spec| spec.name.as_str().starts_with(SKILL));
    rows.extend(
        skills.map(|spec| format!("{} (specs/{}.md, version {})", spec.name, spec.name, spec.version())),
    );
    Ok(rows)
}
