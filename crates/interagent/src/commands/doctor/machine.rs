//! Checks of what is around the hub: this program, the clients and their files, git.

use std::path::PathBuf;

use interagent_agents::setup::{self, Level, Pin, RealDisk, Records, Setup, State as Piece, Use, What};
use interagent_agents::{Profile, Profiles, is_newer};
use interagent_core::team::{self, Formation};
use interagent_wake::tmux;

use super::elsewhere;
use super::report::{Report, State};
use crate::config::env::Env;
use crate::config::git::{self, GitTree};
use crate::config::hub::Found;
use crate::config::programs::{self, Installed, Version};
use crate::config::trees::real_path;
use crate::connect::{self, EVERYWHERE, Ground, PROJECT_RECORDS, USER_RECORDS};
use crate::crew::no_tmux;
use crate::hook;
use crate::session::team_text;

/// This program, and the clients that are installed.
pub(super) fn programs(profiles: &Profiles, report: &mut Report) -> Vec<Installed> {
    let version = env!("CARGO_PKG_VERSION");
    match programs::own() {
        Ok(path) => report.ok("program", format!("interagent {version}, `{}`", path.display())),
        Err(error) => {
            let sentence = format!("interagent {version}; where it lies can't be found out: {error}");
            report.finding(State::Warn, "program", sentence, Some("install it again"));
        }
    }
    for problem in profiles.problems() {
        report.finding(State::Warn, "profiles", problem.to_string(), Some("repair it, or move it away"));
    }
    if profiles.problems().is_empty() {
        report.ok("profiles", format!("{}, and each can be read", profiles.names().join(", ")));
    }
    let installed = programs::installed(profiles);
    if installed.is_empty() {
        report.ok("clients", "none is on PATH");
    }
    for client in &installed {
        let (title, program) = (&client.profile.title, client.program.display());
        let version = match &client.version {
            Version::Said(version) => version,
            Version::Silent => "says no version",
            Version::Slow => "takes longer than 3 s to say its version",
            Version::Broken(why) => {
                let helps = format!("{program} --version shows the rest; install it again");
                let sentence = format!("{title} does not start: {why}");
                report.finding(State::Warn, "clients", sentence, Some(&helps));
                continue;
            }
        };
        match profiles.tested_version(&client.profile.name).filter(|tested| is_newer(version, tested)) {
            Some(tested) => {
                let sentence = format!(
                    "{title}: {version} is newer than {tested}, the version interagent was tested with"
                );
                let helps = match &client.profile.canary {
                    Some(_) => format!("interagent doctor --canary --client {}", client.profile.name),
                    None => "interagent doctor --canary".to_owned(),
                };
                report.finding(State::Warn, "clients", sentence, Some(&helps));
            }
            None => report.ok("clients", format!("{title}: {version}, `{program}`")),
        }
    }
    installed
}

/// A captain's team is started in tmux; others may do without.
pub(super) fn terminals(found: &Found, report: &mut Report) {
    let team = team_text(&found.hub_dir).ok().flatten().and_then(|text| team::parse(&text).ok());
    if team.is_none_or(|team| team.formation != Formation::Captain) {
        return;
    }
    match tmux::version() {
        Ok(version) => report.ok("tmux", version),
        Err(error) => {
            let error = no_tmux(error);
            report.finding(State::Warn, "tmux", error.sentence(), error.hints().first().map(String::as_str));
        }
    }
}

/// The clients that setup made members here, by what it noted down, also those that are not on PATH.
pub(super) fn set_up(profiles: &Profiles, env: &Env, found: &Found) -> Vec<Profile> {
    let Some(project) = project_of(env, found) else { return Vec::new() };
    let root = found.hub_dir.parent().unwrap_or(&found.hub_dir);
    let of_project = Records::of_project(found.hub_dir.join(PROJECT_RECORDS), &project, root);
    let of_user = env.config_home.as_ref().map(|config| Records::at(config.join(USER_RECORDS)));
    let records = of_user.into_iter().chain([of_project]).flat_map(|records| records.all());
    let mut uses: Vec<Use> = records.flat_map(|record| record.uses).collect();
    let here = project.display().to_string();
    uses.retain(|one| one.place == here || one.place == EVERYWHERE);
    let is_one = |name: &&str| uses.iter().any(|one| one.profile == *name);
    profiles.names().into_iter().filter(is_one).filter_map(|name| profiles.get(name)).collect()
}

/// Whether the files of the clients say what `setup` would write. A client that was never set up here and is nobody of the
/// team is no trouble: its files for all projects may be another project's.
pub(super) fn drift(
    installed: &[Installed],
    set_up: &[Profile],
    env: &Env,
    found: &Found,
    report: &mut Report,
) {
    let members = elsewhere::members(&found.hub_dir).unwrap_or_default();
    let (Ok(binary), Some(project)) = (programs::own(), project_of(env, found)) else { return };
    let here = real_path(&project);
    let team = team_text(&found.hub_dir).ok().flatten().and_then(|text| team::parse(&text).ok());
    let ground = Ground::of(env, found);
    let seats: Vec<_> =
        ground.iter().flat_map(|ground| team.iter().flat_map(|team| ground.seats(team))).collect();
    let is_installed =
        |profile: &&Profile| installed.iter().any(|client| client.profile.name == profile.name);
    let absent: Vec<&Profile> = set_up.iter().filter(|profile| !is_installed(profile)).collect();
    for profile in &absent {
        let helps = format!("install it, or interagent setup {} --undo", profile.name);
        let sentence = format!("{} is set up here, and not on PATH", profile.title);
        report.finding(State::Warn, "clients", sentence, Some(&helps));
    }
    for profile in installed.iter().map(|client| &client.profile).chain(absent) {
        let setup = Setup {
            profile,
            level: Level::Project,
            binary: &binary,
            agent: Pin::AsItIs,
            project: &project,
            home: env.home.as_deref(),
        };
        let (plan_here, command) = as_set_up(&setup);
        let is_known = set_up.iter().any(|known| known.name == profile.name)
            || members.iter().any(|member| member.profile == profile.name);
        if !profile.is_connectable() {
            if is_known {
                let sentence = format!("setup cannot configure {}, so no mail reaches it", profile.title);
                let helps = "interagent relay --to AGENT prints a prompt to paste";
                report.finding(State::Warn, "setup", sentence, Some(helps));
            }
            continue;
        }
        // In an agent's own directory `seats` checks the same files.
        if seats.iter().any(|(_, client, directory)| *client == profile.name && *directory == here) {
            continue;
        }
        if !is_known {
            let command = format!("interagent setup {}", profile.name);
            report.ok("setup", format!("{} is not set up here; {command} does that", profile.title));
            continue;
        }
        for trouble in plan_here.distinct_troubles() {
            let sentence = format!("{}: {}", profile.title, trouble.sentence);
            report.finding(State::Warn, "setup", sentence, Some(&trouble.hint));
        }
        if !is_set_up(&plan_here) {
            report.ok("setup", format!("{} is not set up here; {command} does that", profile.title));
            continue;
        }
        let mut is_right = plan_here.troubles.is_empty();
        for piece in plan_here.drift() {
            is_right = false;
            let how = match piece.state {
                Piece::Missing => "missing in",
                Piece::Differs | Piece::Right => "out of date in",
            };
            let sentence =
                format!("{}: {} {how} `{}`", profile.title, piece.what.as_str(), piece.path.display());
            report.finding(State::Warn, "setup", sentence, Some(&command));
        }
        let untrusted = setup::untrusted(&setup, &RealDisk);
        if !untrusted.is_empty() {
            is_right = false;
            let sentence =
                format!("{} skips hooks that you have not trusted: {}", profile.title, untrusted.join(", "));
            let helps = profile.hooks.as_ref().and_then(|hooks| hooks.confirm.as_deref());
            report.finding(State::Warn, "setup", sentence, helps);
        }
        if is_right {
            report.ok("setup", format!("{}: its files say what they should", profile.title));
        }
    }
}

/// Whether the clients of agents that work in a directory of their own are connected there.
pub(super) fn seats(profiles: &Profiles, env: &Env, found: &Found, report: &mut Report) {
    let team = team_text(&found.hub_dir).ok().flatten().and_then(|text| team::parse(&text).ok());
    let (Some(team), Some(ground)) = (team, Ground::of(env, found)) else { return };
    for (agent, profile, directory) in ground.seats(&team) {
        let Some(profile) = profiles.get(&profile) else { continue };
        if !profile.is_connectable() {
            continue;
        }
        let helps = ground.repair(&profile, &directory);
        let lacks = ground.lacks(&profile, &directory);
        if let Some(deaf) = connect::deaf(&agent, &profile, &directory, &lacks) {
            report.finding(State::Warn, "seats", deaf, Some(&helps));
            continue;
        }
        let plan = ground.plan(&profile, &directory);
        let mut problems: Vec<String> =
            plan.distinct_troubles().into_iter().map(|trouble| trouble.sentence.clone()).collect();
        problems.extend(plan.drift().map(|piece| {
            let how = if piece.state == Piece::Missing { "missing in" } else { "out of date in" };
            format!("{} {how} `{}`", piece.what.as_str(), piece.path.display())
        }));
        for problem in &problems {
            let sentence = format!("{agent}: {}: {problem}", profile.title);
            report.finding(State::Warn, "seats", sentence, Some(&helps));
        }
        if problems.is_empty() {
            report
                .ok("seats", format!("{agent}: {} is connected in `{}`", profile.title, directory.display()));
        }
    }
}

/// What hooks noted of their own trouble: nobody else hears of it.
pub(super) fn hooks(found: &Found, report: &mut Report) {
    match hook::last_trouble(&found.hub_dir.join("state")) {
        None => report.ok("hooks", "none had trouble in the last day"),
        Some(line) => {
            let sentence = format!("one had trouble in the last day: {line}");
            report.finding(State::Warn, "hooks", sentence, Some("interagent doctor --canary tries them"));
        }
    }
}

/// The setup of a client where it has one, in the project or for all, and the command that makes it whole.
pub(super) fn as_set_up(setup: &Setup<'_>) -> (setup::Plan, String) {
    let plan = |level| setup::plan(&[Setup { level, ..*setup }], &RealDisk);
    let (here, for_all) = (plan(Level::Project), plan(Level::User));
    let command = format!("interagent setup {}", setup.profile.name);
    match !is_set_up(&here) && is_set_up(&for_all) {
        true => (for_all, format!("{command} --user")),
        false => (here, command),
    }
}

/// Skills and instructions are shared: another client may have brought them.
fn is_set_up(plan: &setup::Plan) -> bool {
    let its_own = plan.pieces.iter().filter(|piece| matches!(piece.what, What::Mcp | What::Hooks));
    its_own.into_iter().any(|piece| piece.state != Piece::Missing)
}

/// The directory whose files clients here read as the project's.
pub(super) fn project_of(env: &Env, found: &Found) -> Option<PathBuf> {
    found.worktree_root.clone().or_else(|| found.project_root.clone()).or_else(|| env.cwd.clone())
}

/// The repository around the project, and where its hooks are.
pub(super) fn repository(env: &Env, found: &Found, report: &mut Report) {
    let Some(root) = project_of(env, found) else { return };
    let tree = match git::tree_at(&root) {
        Ok(tree) => tree,
        Err(problem) => {
            let sentence = format!("`{}` has a `.git` that leads nowhere: {problem:?}", root.display());
            return report.finding(State::Warn, "git", sentence, Some("git worktree repair"));
        }
    };
    let (what, git_dir) = match &tree {
        None => return report.ok("git", "there is no repository here"),
        Some(GitTree::Main) => ("the main worktree".to_owned(), root.join(".git")),
        Some(GitTree::Submodule) => ("a submodule".to_owned(), root.join(".git")),
        Some(GitTree::Linked { main_root }) => {
            (format!("a worktree of `{}`", main_root.display()), main_root.join(".git"))
        }
        Some(GitTree::Detached { common_dir }) => {
            (format!("a tree of `{}`", common_dir.display()), common_dir.clone())
        }
    };
    let configured = git::configured_hooks(&git_dir, &root);
    let directory = configured.clone().unwrap_or_else(|| git_dir.join("hooks"));
    if let Some(program) = crate::commands::guard::hooks::gone(&directory) {
        let sentence = format!(
            "the hooks in `{}` ask a guard that is gone (`{}`), so git refuses nothing",
            directory.display(),
            program.display()
        );
        return report.finding(State::Warn, "git", sentence, Some("interagent guard install"));
    }
    if let Some(hook) = crate::commands::guard::hooks::replaced(&directory) {
        let sentence = format!(
            "`{}` no longer asks the guard: another program wrote a hook in its place",
            hook.display()
        );
        return report.finding(State::Warn, "git", sentence, Some("interagent guard install"));
    }
    let usual = git_dir.join("hooks");
    if directory != usual
        && crate::commands::guard::hooks::has_ours(&usual)
        && !crate::commands::guard::hooks::has_ours(&directory)
    {
        let sentence = format!(
            "git looks for hooks in `{}` (core.hooksPath), and those that ask the guard are in `{}`",
            directory.display(),
            usual.display()
        );
        return report.finding(State::Warn, "git", sentence, Some("interagent guard install"));
    }
    let hooks = match configured {
        Some(path) => format!("its hooks are in `{}` (core.hooksPath)", path.display()),
        None => format!("its hooks are in `{}`", git_dir.join("hooks").display()),
    };
    report.ok("git", format!("`{}` is {what}; {hooks}", root.display()));
}
