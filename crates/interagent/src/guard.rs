//! Asking the guard: gathers what only this machine knows, and calls the operation.
//!
//! Owns no rule. Hooks of clients, hooks of git and `guard explain` all come through here.

use std::fs;

use interagent_agents::{Profile, Profiles};
use interagent_core::guard::touches::Writing;
use interagent_core::guard::{
    Action, Link, Rule, Subagents, Touch, What, links, resolved, touches, with_files,
};
use interagent_wire::answer::GuardView;
use interagent_wire::request::{ClientParam, GuardCheck, TreeParam};
use interagent_wire::{Answer, Reply};
use serde_json::Value;

use crate::config::hub::Discovery;
use crate::config::trees::{links_for, real_path, trees_for};
use crate::error::{CliError, ErrorKind};
use crate::git;
use crate::session::Session;

/// What is about to be done.
#[derive(Debug, Clone)]
pub(crate) enum Doing {
    /// A client calls a tool.
    Tool { name: String, input: Value },
    /// A command line.
    Command(String),
}

/// A question to the guard.
#[derive(Debug, Clone)]
pub(crate) struct Question {
    pub(crate) doing: Doing,
    /// What it does, where that was found out already.
    pub(crate) touches: Option<Vec<Touch>>,
    /// Where; the working directory when it is not told.
    pub(crate) cwd: Option<String>,
    /// Whose; the caller when nobody is named.
    pub(crate) agent: Option<String>,
    /// Whether the agent had its briefing in this session, where that is known.
    pub(crate) briefed: Option<bool>,
    /// What the profile of the client says of its tools; every known client's where it is not told.
    pub(crate) client: Option<ClientParam>,
    /// Git itself asks.
    pub(crate) at_git: bool,
    /// The files that the commit changes, absolute, where git asks before one.
    pub(crate) committed: Vec<String>,
    /// The branches that git is about to put elsewhere, where it asks before that.
    pub(crate) updated: Vec<String>,
    /// A refusal leaves a line in the trace.
    pub(crate) record: bool,
}

impl Question {
    /// About this, from here, by whoever calls.
    pub(crate) fn about(doing: Doing) -> Self {
        Self {
            doing,
            touches: None,
            cwd: None,
            agent: None,
            briefed: None,
            client: None,
            at_git: false,
            committed: Vec::new(),
            updated: Vec::new(),
            record: false,
        }
    }
}

/// Asks the guard.
pub(crate) fn check(session: &mut Session, question: Question) -> Result<Reply, CliError> {
    let (mut request, cleaned) = gather(session, question)?;
    let record = std::mem::take(&mut request.record);
    let reply = session.call(request.clone())?;
    let Answer::Guard(view) = &reply.answer else { return Ok(reply) };
    if view.allowed {
        return Ok(reply);
    }
    // Only git can tell what it ignores and knows, and starting it is dear: it is asked when it would make a difference.
    let spared = mark_ignored(&mut request.trees, view) | mark_untracked(&mut request.trees, &cleaned, view);
    if !spared && !record {
        return Ok(reply);
    }
    session.call(GuardCheck { record, ..request })
}

/// The view in a reply of the guard.
pub(crate) fn view(reply: &Reply) -> Result<&GuardView, CliError> {
    match &reply.answer {
        Answer::Guard(view) => Ok(view),
        _ => Err(CliError::new(ErrorKind::Unavailable, "the hub gave another answer than the guard's")),
    }
}

/// What the guard has to know of a client, from its profile.
pub(crate) fn of_client(profile: &Profile) -> ClientParam {
    ClientParam {
        subagents: profile.tools.subagents.clone(),
        read_only_subagents: profile.tools.read_only_subagents.clone(),
        files: profile.project_files(),
    }
}

/// The same of every client that is known, for a question that no client asks.
fn of_all_clients(profiles: &Profiles) -> ClientParam {
    let mut all = ClientParam::default();
    for profile in profiles.names().into_iter().filter_map(|name| profiles.get(name)) {
        let client = of_client(&profile);
        all.subagents.extend(client.subagents);
        all.read_only_subagents.extend(client.read_only_subagents);
        all.files.extend(client.files);
    }
    all
}

/// The tools of a client that start other agents.
pub(crate) fn subagents(client: &ClientParam) -> Subagents<'_> {
    Subagents { tools: &client.subagents, read_only: &client.read_only_subagents }
}

/// The request, and the places where git would take away what it does not know.
fn gather(session: &Session, question: Question) -> Result<(GuardCheck, Vec<String>), CliError> {
    let here = session.env.cwd.as_ref().and_then(|cwd| cwd.to_str()).map(str::to_owned);
    let cwd = question.cwd.filter(|cwd| cwd.starts_with('/')).or(here).ok_or_else(|| {
        CliError::new(ErrorKind::Unavailable, "it is not known in which directory that would happen")
    })?;
    let home = session.env.home.as_ref().and_then(|home| home.to_str()).map(str::to_owned);
    let client = match question.client {
        Some(client) => client,
        None => of_all_clients(&*session.profiles()?),
    };
    let (tool, input, command, action) = match question.doing {
        Doing::Tool { name, input } => {
            let action = Action::of(&name, &input, subagents(&client));
            (Some(name), Some(input), None, action)
        }
        Doing::Command(command) => {
            let action = Action::command(&command);
            (None, None, Some(command), action)
        }
    };
    let found = question.touches.unwrap_or_else(|| touches(&action, &cwd, home.as_deref()));
    let present = present(&found);
    let found = with_files(found, &present);
    let links = links_for(found.iter().filter_map(|touch| links::asked(&touch.what)));
    let followed: Vec<Link> =
        links.iter().map(|link| Link { path: link.path.clone(), real: link.real.clone() }).collect();
    let found = resolved(found, &followed);
    let is_cleaned = |touch: &&Touch| matches!(&touch.what, What::Write { how: Writing::Clean, .. });
    let cleaned = found.iter().filter(is_cleaned).filter_map(|touch| touch.what.place().map(str::to_owned));
    let cleaned: Vec<String> = cleaned.collect();
    // A branch that is updated belongs to the repository around the directory.
    let around = Some(cwd.as_str()).filter(|_| !question.updated.is_empty());
    let trees = trees_for(found.iter().filter_map(|touch| touch.what.place()).chain(around));
    let (project, hub) = match session.discover()? {
        Discovery::Found(found) => {
            let text = |path: &std::path::Path| real_path(path).to_str().map(str::to_owned);
            (found.project_root.as_deref().and_then(text), text(&found.hub_dir))
        }
        Discovery::NotThere(_) => (None, None),
    };
    let request = GuardCheck {
        agent: question.agent,
        tool,
        input,
        command,
        client,
        cwd,
        home,
        project,
        hub,
        present,
        links,
        trees,
        briefed: question.briefed,
        at_git: question.at_git,
        committed: question.committed,
        updated: question.updated,
        record: question.record,
    };
    Ok((request, cleaned))
}

/// The words of a command that are names of files which are there.
pub(crate) fn present(found: &[Touch]) -> Vec<String> {
    let mentioned = found.iter().filter_map(|touch| match &touch.what {
        What::Mention { path } => Some(path),
        _ => None,
    });
    mentioned.filter(|path| fs::symlink_metadata(path).is_ok()).cloned().collect()
}

/// Says which files git would take away, where that was refused for a lease. Whether there are any such places.
fn mark_untracked(trees: &mut [TreeParam], cleaned: &[String], view: &GuardView) -> bool {
    if view.denial.as_ref().is_none_or(|denial| denial.rule != Rule::Race001) {
        return false;
    }
    let mut found = false;
    for tree in trees.iter_mut().filter(|tree| cleaned.contains(&tree.path)) {
        tree.untracked = git::untracked(&tree.root);
        found |= tree.untracked.is_some();
    }
    found
}

/// Marks the paths that git ignores among those that were refused for their branch. Whether there are any.
fn mark_ignored(trees: &mut [TreeParam], view: &GuardView) -> bool {
    let refused =
        view.touches.iter().filter(|touch| touch.denials.iter().any(|denial| denial.rule == Rule::F006));
    let places: Vec<&str> = refused.filter_map(|touch| touch.place.as_deref()).collect();
    let mut found = false;
    for tree in trees.iter_mut().filter(|tree| places.contains(&tree.path.as_str())) {
        tree.ignored = git::is_ignored(&tree.root, &tree.path);
        found |= tree.ignored;
    }
    found
}

#[cfg(test)]
mod tests {
    use clap::Parser;
    use interagent_core::guard::{Bound, Facts, Member, Tree, judge};
    use interagent_core::ids::AgentId;
    use interagent_core::team::{Role, TeamConfig};

    use super::*;
    use crate::cli::Cli;

    /// What stands in backquotes, as the words of a command line.
    fn commands(text: &str) -> impl Iterator<Item = Vec<String>> {
        let quoted = text.split('`').skip(1).step_by(2).filter(|quoted| quoted.starts_with("interagent "));
        quoted.map(|line| {
            let quotes = |c: char| matches!(c, '\'' | '"');
            line.split(' ').map(|word| word.trim_matches(quotes).to_owned()).collect()
        })
    }

    #[test]
    fn the_files_with_our_hooks_are_known_to_the_guard() {
        use interagent_core::guard::own::is_client_file;
        use interagent_core::guard::touches::Writing;
        let profiles = interagent_agents::Profiles::shipped();
        let mut found = 0;
        for name in profiles.names() {
            let Some(hooks) = profiles.get(name).and_then(|profile| profile.hooks) else { continue };
            for file in [hooks.project, hooks.user].into_iter().flatten() {
                let path = format!("/p/{}", file.trim_start_matches("~/"));
                assert!(is_client_file(&path, Writing::Edit), "{name}: {file}");
                found += 1;
            }
        }
        assert!(found > 8, "{found}");
    }

    #[test]
    fn every_way_out_is_a_command_that_there_is() {
        let mut team = TeamConfig::usual_captain("p");
        team.rules.review_required = true;
        let tree = |path: &str| Tree {
            path: path.to_owned(),
            root: "/p".to_owned(),
            repository: "/p/.git".to_owned(),
            branch: Some("main".to_owned()),
            merging: false,
            ignored: false,
            guarded: false,
            hooks: Vec::new(),
            untracked: None,
        };
        let mut found = 0;
        for (name, role) in
            [("captain", Role::Captain), ("vice_captain1", Role::ViceCaptain), ("member1", Role::Member)]
        {
            for command in [
                "echo x > a",
                "cargo test",
                "sleep 60",
                "while true; do sleep 1; done",
                "tmux send-keys x",
                "git merge x",
                "git commit",
                "git push origin main",
                "gh pr merge",
                "cat .interagent/tasks/active/*",
                "rm -r .interagent",
                "echo >> .interagent/team.toml",
                "cat .interagent/reports/*",
                "interagent guard install --undo",
                "f() { f; f; }; f",
                "cat src/main.rs",
            ] {
                let touches = touches(&Action::command(command), "/p", None);
                let trees: Vec<Tree> =
                    touches.iter().filter_map(|touch| touch.what.place()).map(tree).collect();
                let facts = Facts {
                    team: Some(&team),
                    project: Some("/p"),
                    hub: Some("/p/.interagent"),
                    trees: &trees,
                    briefed: Some(false),
                    has_task: Some(false),
                    ..Facts::default()
                };
                let (id, name) = (Some(AgentId::from_bits(1)), Some(name.parse().unwrap()));
                let member = Member { bound: Bound::Agent, id, name, role: Some(role) };
                for denial in
                    judge(&member, &touches, &facts).judged.iter().flat_map(|judged| &judged.denials)
                {
                    for words in commands(&denial.way_out) {
                        let parsed = Cli::try_parse_from(&words);
                        assert!(parsed.is_ok(), "{words:?}: {}", parsed.unwrap_err());
                        found += 1;
                    }
                }
            }
        }
        assert!(found > 20, "{found}");
    }
}
