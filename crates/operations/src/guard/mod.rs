//! The guard: loads what the rules need to know, lets the core judge, and says what it found.

mod edits;
mod facts;
mod report;

pub(crate) use edits::note;
pub(crate) use report::report;

use interagent_core::entity::Agent;
use interagent_core::guard::shell::Run;
use interagent_core::guard::{
    Action, Bound, Denial, Facts, Judgement, Link, Looked, Member, Rule, Subagents, Touch, Tree, What, judge,
    look, resolved, rules_of, with_files,
};
use interagent_core::refusal::{Refusal, RefusalKind};
use interagent_core::team::{Guard, TeamConfig};
use interagent_store::reader::Reader;
use interagent_wire::answer::{DenialView, GuardView, RuleView, RunView, TouchView};
use interagent_wire::request as ask;
use interagent_wire::{Answer, Caller};

use crate::call::Call;
use crate::identity::{self, Known};
use crate::{names, resolve};

/// Says whether what a tool is about to do is allowed.
pub(crate) fn check(call: &mut Call<'_>, params: &ask::GuardCheck) -> Result<Answer, Refusal> {
    if !params.cwd.starts_with('/') {
        return Err(Refusal::usage("bad_cwd", "cwd is the directory it begins in, as an absolute path"));
    }
    let action = action(params)?;
    let Looked { runs, mut touches } = look(&action, &params.cwd, params.home.as_deref());
    touches.extend(params.committed.iter().map(|path| Touch {
        what: What::CommitFile { path: path.clone() },
        source: "git commit".to_owned(),
    }));
    touches.extend(params.updated.iter().map(|name| Touch {
        what: What::UpdateBranch { directory: params.cwd.clone(), name: name.clone() },
        source: format!("git: {name}"),
    }));
    let links: Vec<Link> =
        params.links.iter().map(|link| Link { path: link.path.clone(), real: link.real.clone() }).collect();
    let touches = resolved(with_files(touches, &params.present), &links);
    let caller = call.caller;
    let view = call.store.read(|reader| match (&params.agent, known(reader, caller)?) {
        // Whoever it is, what holds for every agent holds.
        (None, Known::Unbound { .. }) => judged(reader, None, (&runs, &touches), params, None),
        (given, known) => {
            let agent = resolve::agent_or_caller(reader, given.as_deref(), &known)?;
            let briefed = match (params.briefed, &caller.session) {
                // Of a session that the hub never heard of nobody was briefed.
                (None, Some(session)) if given.is_none() => {
                    Some(reader.session(session)?.is_some_and(|row| row.briefed))
                }
                (told, _) => told,
            };
            judged(reader, Some(&agent), (&runs, &touches), params, briefed)
        }
    })?;
    if params.record
        && let Some(denial) = &view.denial
    {
        let agent = view.agent.as_ref().map(|who| who.name.as_str());
        let data = serde_json::json!({ "agent": agent, "rule": denial.rule, "reason": denial.reason });
        // The verdict stands whether or not it could be written down.
        let _ = call.store.observe(|writer| writer.trace("guard.denied", &data.to_string()));
    }
    Ok(view.into())
}

/// Who asks. A client that says it is somebody whom the hub does not have is an agent all the same.
fn known(reader: &mut Reader<'_>, caller: &Caller) -> Result<Known, Refusal> {
    match identity::identify(reader, caller) {
        Err(Refusal { kind: RefusalKind::NotFound | RefusalKind::Refused, sentence, .. })
            if caller.profile.is_some() =>
        {
            Ok(Known::Unbound { how: sentence, refusal: None })
        }
        known => known,
    }
}

fn action(params: &ask::GuardCheck) -> Result<Action, Refusal> {
    let nothing = serde_json::Value::Null;
    match (&params.tool, &params.command) {
        (Some(tool), None) => {
            let client =
                Subagents { tools: &params.client.subagents, read_only: &params.client.read_only_subagents };
            Ok(Action::of(tool, params.input.as_ref().unwrap_or(&nothing), client))
        }
        (None, Some(command)) => Ok(Action::command(command)),
        _ => Err(Refusal::usage("bad_action", "give a tool with its input, or a command line")),
    }
}

fn judged(
    reader: &mut Reader<'_>,
    agent: Option<&Agent>,
    (runs, found): (&[Run], &[Touch]),
    params: &ask::GuardCheck,
    briefed: Option<bool>,
) -> Result<GuardView, Refusal> {
    let team = reader.team()?.map(|team| team.config);
    let member = agent.map_or(Member::STRANGER, |agent| member(agent, team.as_ref(), params.at_git));
    let trees: Vec<Tree> = params.trees.iter().map(tree).collect();
    let rules = rules_of(team.as_ref(), member.bound);
    let loaded = facts::load(reader, found, &rules, &member, params.hub.as_deref())?;
    let facts = Facts {
        team: team.as_ref(),
        project: params.project.as_deref(),
        hub: params.hub.as_deref(),
        trees: &trees,
        leases: &loaded.leases,
        owners: loaded.owners,
        messages: loaded.messages,
        work: &loaded.work,
        briefed,
        has_task: loaded.has_task,
        client_files: &params.client.files,
    };
    let judgement = judge(&member, found, &facts);
    let who = agent.map(|agent| names::who(reader, agent)).transpose()?;
    Ok(view(who.map(|who| (who, member.role)), team.as_ref(), &rules, &judgement, runs))
}

fn member(agent: &Agent, team: Option<&TeamConfig>, at_git: bool) -> Member {
    let role = team.and_then(|team| team.agents.get(&agent.name)).map(|seat| seat.role).or(agent.role);
    let bound = match (agent.is_human(), at_git) {
        (false, _) => Bound::Agent,
        (true, false) => Bound::Person,
        (true, true) => Bound::PersonAtGit,
    };
    Member { bound, id: Some(agent.id.clone()), name: Some(agent.name.clone()), role }
}

fn tree(given: &ask::TreeParam) -> Tree {
    Tree {
        path: given.path.clone(),
        root: given.root.clone(),
        repository: given.repository.clone(),
        branch: given.branch.clone(),
        merging: given.merging,
        ignored: given.ignored,
        guarded: given.guarded,
        hooks: given.hooks.clone(),
        untracked: given.untracked.clone(),
    }
}

fn view(
    judged: Option<(interagent_wire::answer::Who, Option<interagent_core::team::Role>)>,
    team: Option<&TeamConfig>,
    binding: &[Guard],
    judgement: &Judgement,
    runs: &[Run],
) -> GuardView {
    let (agent, role) = judged.map_or((None, None), |(who, role)| (Some(who), role));
    let denial = judgement.denial().map(denial_view);
    let all = || judgement.judged.iter().flat_map(|judged| &judged.denials);
    let rules = Guard::ALL.iter().map(|rule| RuleView {
        rule: *rule,
        binds: binding.contains(rule),
        denials: u32::try_from(all().filter(|denial| denial.rule == Rule::from(*rule)).count())
            .unwrap_or(u32::MAX),
    });
    let touches = judgement.judged.iter().map(|judged| TouchView {
        command: judged.touch.source.clone(),
        does: judged.touch.what.told(),
        place: judged.touch.what.place().map(str::to_owned),
        branch: judged.branch.clone(),
        denials: judged.denials.iter().map(denial_view).collect(),
    });
    GuardView {
        allowed: denial.is_none(),
        agent,
        role,
        denial,
        runs: runs.iter().map(run_view).collect(),
        touches: touches.collect(),
        rules: rules.filter(|_| team.is_some()).collect(),
    }
}

fn denial_view(denial: &Denial) -> DenialView {
    DenialView {
        rule: denial.rule,
        reason: denial.reason.clone(),
        way_out: denial.way_out.clone(),
        text: denial.text(),
    }
}

fn run_view(run: &Run) -> RunView {
    RunView { command: run.source.clone(), directory: run.directory.clone() }
}
