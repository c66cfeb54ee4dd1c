//! Role instructions on this machine: composed for an agent's own client, and handed to that client when it starts.
//!
//! The files are derived and belong to this machine: they name tools as the client does. They lie in the store's directory,
//! where no agent writes, and are written again whenever a client starts or the team changes.

use std::path::{Path, PathBuf};

use interagent_agents::{Fill, Handing, Profile, Profiles, fill_words};
use interagent_core::instructions::{Client, Reader, compose};
use interagent_core::name::Name;
use interagent_core::team::TeamConfig;
use interagent_store::side;

use crate::config::hub::HUB_NAME;
use crate::error::{CliError, ErrorKind};
use crate::files;

/// Below the store's directory.
const DIRECTORY: &str = "instructions";
/// For its owner alone, as all of the state.
const DIRECTORY_MODE: u32 = 0o700;
/// Instructions are a page.
const FILE_BYTES: u64 = 256 * 1024;

/// Whether a client begins a conversation or goes on with one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Beginning {
    New,
    Resumed,
}

/// The instructions of an agent for a client; nothing for who has no seat in the team.
pub(crate) fn text(hub_dir: &Path, profile: &Profile, name: &Name, team: &TeamConfig) -> Option<String> {
    // In a directory of its own the agent has no hub beside it.
    let seat = team.agents.get(name);
    let is_elsewhere = seat.is_some_and(|seat| seat.worktree.is_some() || seat.workspace.is_some());
    let absolute = hub_dir.display().to_string();
    let client = Client {
        hub: if is_elsewhere { &absolute } else { HUB_NAME },
        tool: profile.mcp.as_ref().and_then(|mcp| mcp.tool.as_deref()),
        clear: profile.control.clear.as_deref(),
    };
    compose(&Reader { name, team, client })
}

/// The arguments with which a client reads its agent's instructions, once they are written. None where the client can't, or
/// the agent has no seat: then its briefing tells it what counts.
pub(crate) fn arguments(
    hub_dir: &Path,
    profile: &Profile,
    name: &Name,
    team: &TeamConfig,
    beginning: Beginning,
) -> Vec<String> {
    let handing = profile.launch.instructions.as_ref();
    let Some(handing) = handing.filter(|handing| beginning == Beginning::New || handing.on_resume) else {
        return Vec::new();
    };
    filled(handing, &place(hub_dir).join(file_name(name)), text(hub_dir, profile, name, team).is_some())
}

/// The arguments that name a file of instructions, where there are any.
fn filled(handing: &Handing, file: &Path, has_text: bool) -> Vec<String> {
    match file.to_str().filter(|_| has_text) {
        Some(file) => fill_words(&handing.arguments, &[("{file}", Fill::Text(file))]),
        None => Vec::new(),
    }
}

/// Writes an agent's instructions down and gives the arguments with which its client reads them.
pub(crate) fn hand_over(
    hub_dir: &Path,
    profile: &Profile,
    name: &Name,
    team: &TeamConfig,
    beginning: Beginning,
) -> Result<Vec<String>, CliError> {
    let arguments = arguments(hub_dir, profile, name, team, beginning);
    if let Some(text) = text(hub_dir, profile, name, team) {
        write(hub_dir, &file_name(name), profile.launch.instructions.as_ref(), &text)?;
    }
    Ok(arguments)
}

/// The same for a headless run. Its file may have another format, so it is another file than the one that [`said`] reads.
pub(crate) fn hand_to_run(
    hub_dir: &Path,
    profile: &Profile,
    name: &Name,
    team: &TeamConfig,
    beginning: Beginning,
) -> Result<Vec<String>, CliError> {
    let Some(handing) = profile.headless.as_ref().and_then(|headless| headless.instructions.as_ref()) else {
        return hand_over(hub_dir, profile, name, team, beginning);
    };
    let is_read = beginning == Beginning::New || handing.on_resume;
    let Some(text) = text(hub_dir, profile, name, team).filter(|_| is_read) else { return Ok(Vec::new()) };
    let file = format!("{name}.run.md");
    write(hub_dir, &file, Some(handing), &text)?;
    Ok(filled(handing, &place(hub_dir).join(file), true))
}

/// The role instructions that precede the briefing, for a client that takes no instructions file. Reads one small file.
pub(crate) fn said(state_dir: &Path, profile: &Profile, name: &str) -> Option<String> {
    if profile.launch.instructions.is_some() {
        return None;
    }
    let name: Name = name.parse().ok()?;
    side::read_text(&state_dir.join(DIRECTORY).join(file_name(&name)), FILE_BYTES).ok()
}

/// Writes those again that were handed over before, as the team is now.
pub(crate) fn renew(hub_dir: &Path, profiles: &Profiles, team: &TeamConfig) -> Result<(), CliError> {
    for (name, seat) in &team.agents {
        let is_there = place(hub_dir).join(file_name(name)).is_file();
        let Some(profile) = profiles.get(seat.profile.as_str()).filter(|_| is_there) else { continue };
        if let Some(text) = text(hub_dir, &profile, name, team) {
            write(hub_dir, &file_name(name), profile.launch.instructions.as_ref(), &text)?;
        }
    }
    Ok(())
}

fn place(hub_dir: &Path) -> PathBuf {
    hub_dir.join("state").join(DIRECTORY)
}

fn file_name(name: &Name) -> String {
    format!("{name}.md")
}

fn write(hub_dir: &Path, file: &str, handing: Option<&Handing>, text: &str) -> Result<(), CliError> {
    let text = handing.map_or_else(|| text.to_owned(), |handing| handing.file(text));
    let place = place(hub_dir);
    let path = place.join(file);
    files::make_directory(&place, DIRECTORY_MODE)
        .and_then(|()| files::write_with_mode(&place, file, &text, 0o600))
        .map_err(|source| {
            CliError::new(ErrorKind::Unavailable, format!("cannot write `{}`", path.display()))
                .with_source(source)
        })
}

#[cfg(test)]
mod tests {
    use interagent_core::team::Role;

    use super::*;

    /// Tokens (cl100k) that instructions may cost, once in a session.
    const ENGLISH_TOKENS: usize = 1_000;
    /// Japanese needs nearly twice as many for the same.
    const JAPANESE_TOKENS: usize = 1_680;

    fn fleet(profile: &str, language: &str) -> TeamConfig {
        let mut team = TeamConfig::captain("Shop", &profile.parse().unwrap(), 2, 8);
        team.language = language.parse().unwrap();
        team
    }

    #[test]
    fn every_role_with_every_client_in_every_language_stays_within_its_budget() {
        let (profiles, tokens) = (Profiles::shipped(), tiktoken_rs::cl100k_base().unwrap());
        let (mut most, mut budgets, mut who) = ([0, 0], [0, 0], [String::new(), String::new()]);
        for profile in profiles.names().into_iter().filter_map(|name| profiles.get(name)) {
            for (language, budget) in
                [("en", ENGLISH_TOKENS), ("ja", JAPANESE_TOKENS), ("ja+de", JAPANESE_TOKENS)]
            {
                let team = fleet(&profile.name, language);
                for role in [Role::Captain, Role::ViceCaptain, Role::Member] {
                    let name = team.in_role(role).next().unwrap();
                    let count =
                        tokens.encode_ordinary(&text(Path::new("/"), &profile, name, &team).unwrap()).len();
                    let kind = usize::from(language != "en");
                    if count > most[kind] {
                        (most[kind], who[kind]) = (count, format!("{} {role} {language}", profile.name));
                    }
                    budgets[kind] = budget;
                }
            }
        }
        for ((most, budget), who) in most.into_iter().zip(budgets).zip(who) {
            // A budget that is far away would hide growth.
            assert!((budget * 9 / 10..=budget).contains(&most), "{who}: {most} of {budget}");
        }
    }

    #[test]
    fn paths_hold_where_the_agent_works() {
        let (profile, mut team) = (Profiles::shipped().get("claude").unwrap(), fleet("claude", "en"));
        let name: Name = "captain".parse().unwrap();
        let told = |team: &TeamConfig| text(Path::new("/p/.interagent"), &profile, &name, team).unwrap();
        assert!(told(&team).contains("`.interagent/dashboard.md`"));
        team.agents.get_mut(&name).unwrap().worktree = Some("../p.worktrees/captain".parse().unwrap());
        assert!(told(&team).contains("`/p/.interagent/dashboard.md`"));
    }

    #[test]
    fn a_client_is_handed_its_file_and_a_change_of_the_team_rewrites_it() {
        let hub = tempfile::tempdir().unwrap();
        std::fs::create_dir(hub.path().join("state")).unwrap();
        let (profiles, team) = (Profiles::shipped(), fleet("kimi", "en"));
        let name: Name = "member1".parse().unwrap();
        let hand = |profile: &str, beginning: Beginning| {
            let profile = profiles.get(profile).unwrap();
            hand_over(hub.path(), &profile, &name, &team, beginning).unwrap()
        };
        let file = hub.path().join("state/instructions/member1.md");
        let shown = file.to_str().unwrap();
        assert_eq!(hand("claude", Beginning::Resumed), ["--append-system-prompt-file", shown]);
        assert!(std::fs::read_to_string(&file).unwrap().starts_with("# You are member1"));
        let read = || std::fs::read_to_string(&file).unwrap();
        // Its terminal ignores the file, so the hook says what is in it; a run is handed it.
        let kimi = profiles.get("kimi").unwrap();
        assert_eq!(hand("kimi", Beginning::New), Vec::<String>::new());
        let told = said(&hub.path().join("state"), &kimi, "member1").unwrap();
        assert!(told.starts_with("# You are member1"), "{told}");
        assert_eq!(said(&hub.path().join("state"), &profiles.get("claude").unwrap(), "member1"), None);
        let run = |beginning| hand_to_run(hub.path(), &kimi, &name, &team, beginning).unwrap();
        let for_runs = hub.path().join("state/instructions/member1.run.md");
        assert_eq!(run(Beginning::New), ["--agent-file", for_runs.to_str().unwrap()]);
        let agent_file = std::fs::read_to_string(&for_runs).unwrap();
        assert!(agent_file.starts_with("---\nname: interagent\n"), "{agent_file}");
        assert!(agent_file.contains("\n${base_prompt}\n\n# You are"), "{agent_file}");
        // The briefing of the session in the terminal stays as it is.
        assert_eq!(said(&hub.path().join("state"), &kimi, "member1").as_ref(), Some(&told));
        // kimi-cli takes it in its terminal too, as YAML with the text in quotes.
        assert_eq!(hand("kimi-cli", Beginning::New), ["--agent-file", shown]);
        let (head, quoted) = {
            let text = read();
            let (head, quoted) = text.split_once("ROLE_ADDITIONAL: ").unwrap();
            (head.to_owned(), serde_json::from_str::<String>(quoted).unwrap())
        };
        assert!(head.starts_with("version: 1\nagent:\n  extend: default\n"), "{head}");
        assert!(quoted.starts_with("# You are member1"), "{quoted}");
        assert_eq!(hand("kimi-cli", Beginning::Resumed), Vec::<String>::new());
        // It takes an agent file only when it begins; the generic client takes none.
        assert_eq!(run(Beginning::Resumed), Vec::<String>::new());
        assert_eq!(hand("generic", Beginning::New), Vec::<String>::new());

        renew(hub.path(), &profiles, &fleet("kimi", "ja")).unwrap();
        assert!(read().contains("あなたは member1"), "{}", read());
        assert!(!hub.path().join("state/instructions/member2.md").exists());
    }
}
