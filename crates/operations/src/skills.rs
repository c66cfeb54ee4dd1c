//! Skills that members proposed in their reports: counting them, showing them, and the operator's word.

use interagent_core::decide::skill::{self as decide, Decider, Promotion};
use interagent_core::entity::Skill;
use interagent_core::entity::skill::Outcome;
use interagent_core::limits;
use interagent_core::refusal::Refusal;
use interagent_core::skill::{self, Proposal, SkillKey, SkillName};
use interagent_core::text::Words;
use interagent_store::reader::Reader;
use interagent_wire::answer::{Page, ProposalView, SkillDetail, SkillSummary, Who};
use interagent_wire::{Answer, Time, request as ask};

use crate::call::Call;
use crate::input;
use crate::names::Names;

/// Lists skills that members proposed, and those that something was decided of.
pub(crate) fn list(call: &mut Call<'_>, params: &ask::SkillList) -> Result<Answer, Refusal> {
    call.read(|reader, _| {
        let mut items: Vec<SkillSummary> = Vec::new();
        for group in groups(reader)? {
            let decided = reader.skill(&group.key)?;
            items.push(summary(reader, &group, decided.as_ref())?);
        }
        // One that was promoted stays a skill, also where its reports were purged.
        for skill in reader.skills(limits::PAGE_MAX)? {
            if items.iter().all(|item| item.key != skill.key.as_str()) {
                items.push(summary(reader, &Group::empty(skill.key.clone()), Some(&skill))?);
            }
        }
        items.retain(|item| !params.candidates || item.state == CANDIDATE);
        Ok(Page { items, next: None }.into())
    })
}

/// Shows one skill.
pub(crate) fn show(call: &mut Call<'_>, params: &ask::SkillShow) -> Result<Answer, Refusal> {
    call.read(|reader, _| {
        let group = named(reader, &params.name)?;
        Ok(detail(reader, &group, params.folder.as_deref())?.into())
    })
}

/// Makes a candidate a skill of the project's clients.
pub(crate) fn promote(call: &mut Call<'_>, params: &ask::SkillPromote) -> Result<Answer, Refusal> {
    input::few("places", &params.places, limits::ITEMS)?;
    let places = params.places.iter().map(|place| input::word("a place", place)).collect::<Result<_, _>>()?;
    let group = call.read(|reader, _| named(reader, &params.name))?;
    input::no_secret_name("the name of the skill", group.key.as_str())?;
    let name = SkillName::parse(params.folder.as_deref().unwrap_or(group.key.as_str()))?;
    let promotion = Promotion {
        name,
        description: Words::note("the description", &skill::description_of(&group.key, &group.proposals()))?,
        times: u32::try_from(group.said.len()).unwrap_or(u32::MAX),
        places,
    };
    call.write(
        |scene| {
            let before = scene.look().skill(&group.key)?;
            let mut draft = scene.draft();
            let decider = Decider { team: scene.team.as_ref(), member: &scene.member };
            decide::promote(decider, &group.key, before.as_ref(), &promotion, scene.context, &mut draft)?;
            Ok(draft)
        },
        |reader, _| Ok(detail(reader, &group, Some(promotion.name.as_str()))?.into()),
    )
}

/// Says that a candidate is not wanted.
pub(crate) fn reject(call: &mut Call<'_>, params: &ask::SkillReject) -> Result<Answer, Refusal> {
    let reason = Words::note("the reason", &params.reason)?;
    let group = call.read(|reader, _| named(reader, &params.name))?;
    input::no_secret_name("the name of the skill", group.key.as_str())?;
    call.write(
        |scene| {
            let before = scene.look().skill(&group.key)?;
            let mut draft = scene.draft();
            let decider = Decider { team: scene.team.as_ref(), member: &scene.member };
            decide::reject(decider, &group.key, before.as_ref(), &reason, scene.context, &mut draft)?;
            Ok(draft)
        },
        |reader, _| Ok(detail(reader, &group, None)?.into()),
    )
}

const CANDIDATE: &str = "candidate";

/// Reports that propose the same skill, oldest first.
struct Group {
    key: SkillKey,
    said: Vec<(Proposal, Who, i64)>,
}

impl Group {
    fn empty(key: SkillKey) -> Self {
        Self { key, said: Vec::new() }
    }

    fn proposals(&self) -> Vec<Proposal> {
        self.said.iter().map(|(proposal, ..)| proposal.clone()).collect()
    }
}

/// All candidates, counted together where they look alike.
fn groups(reader: &mut Reader<'_>) -> Result<Vec<Group>, Refusal> {
    let reported = reader.proposals(limits::PAGE_MAX)?;
    let mut names = Names::new(reader);
    let mut said = Vec::with_capacity(reported.len());
    for one in reported {
        let candidate = &one.report.report.skill_candidate;
        let Some(name) = names.maybe_text(candidate.name.as_ref())? else { continue };
        let worker = names.who(&one.report.report.worker)?;
        let proposal = Proposal {
            name,
            description: names.maybe_text(candidate.description.as_ref())?,
            reason: names.maybe_text(candidate.reason.as_ref())?,
            worker: worker.name.clone(),
            task: one.task.id.to_string(),
        };
        said.push((proposal, worker, one.report.when.wall));
    }
    let grouped = skill::grouped(said.iter().map(|(proposal, ..)| proposal.clone()).collect());
    Ok(grouped
        .into_iter()
        .map(|(key, _)| {
            let mine =
                |(proposal, ..): &&(Proposal, Who, i64)| SkillKey::of(&proposal.name).as_ref() == Some(&key);
            let said = said.iter().filter(mine).cloned().collect();
            Group { key, said }
        })
        .collect())
}

fn named(reader: &mut Reader<'_>, given: &str) -> Result<Group, Refusal> {
    let missing = || {
        Refusal::not_found("no_skill", format!("nobody proposed a skill called `{given}`"))
            .hint("interagent skill list shows what was proposed")
    };
    let key = SkillKey::of(given).ok_or_else(missing)?;
    if let Some(group) = groups(reader)?.into_iter().find(|group| group.key == key) {
        return Ok(group);
    }
    reader.skill(&key)?.map(|skill| Group::empty(skill.key)).ok_or_else(missing)
}

fn summary(reader: &mut Reader<'_>, group: &Group, decided: Option<&Skill>) -> Result<SkillSummary, Refusal> {
    let mut workers: Vec<Who> = Vec::new();
    for (_, worker, _) in &group.said {
        if !workers.contains(worker) {
            workers.push(worker.clone());
        }
    }
    let mut view = SkillSummary {
        key: group.key.to_string(),
        state: CANDIDATE.to_owned(),
        description: skill::description_of(&group.key, &group.proposals()),
        times: u32::try_from(group.said.len()).unwrap_or(u32::MAX),
        workers,
        name: None,
        places: Vec::new(),
        reason: None,
        decided: decided.map(|skill| Time(skill.when.wall)),
    };
    match decided.map(|skill| &skill.outcome) {
        None => {}
        Some(Outcome::Promoted { name, description, places, .. }) => {
            view.state = "promoted".to_owned();
            view.description = Names::new(reader).line(description)?;
            view.name = Some(name.clone());
            view.places = places.clone();
        }
        Some(Outcome::Rejected { reason }) => {
            view.state = "rejected".to_owned();
            view.reason = Some(Names::new(reader).line(reason)?);
        }
    }
    Ok(view)
}

fn detail(reader: &mut Reader<'_>, group: &Group, folder: Option<&str>) -> Result<SkillDetail, Refusal> {
    let decided = reader.skill(&group.key)?;
    let skill = summary(reader, group, decided.as_ref())?;
    let mut quoted = group.proposals();
    if let Some(Outcome::Promoted { name, times, .. }) = decided.as_ref().map(|skill| &skill.outcome)
        && folder.is_none_or(|folder| folder == name)
    {
        // What was proposed since does not stand in the file that was written then.
        quoted.truncate(usize::try_from(*times).unwrap_or(usize::MAX));
    }
    let folder = folder.or(skill.name.as_deref()).unwrap_or(group.key.as_str());
    let file = SkillName::parse(folder).ok().map(|name| skill::file(&name, &skill.description, &quoted));
    let proposals = group
        .said
        .iter()
        .map(|(proposal, worker, wall)| ProposalView {
            name: proposal.name.clone(),
            description: proposal.description.clone(),
            reason: proposal.reason.clone(),
            worker: worker.clone(),
            task: proposal.task.clone(),
            at: Time(*wall),
        })
        .collect();
    Ok(SkillDetail { skill, proposals, file })
}
