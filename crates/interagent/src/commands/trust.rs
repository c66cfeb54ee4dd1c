//! Trusting the profiles of a project.
//!
//! Owns the question and its answer. What is trusted and how that is known again is `config::trust`.

mod arrived;
mod team_file;

use std::path::{Path, PathBuf};

use clap::Args;
use interagent_agents::{Profile, Profiles};
use interagent_core::authority::OperatorAct;
use interagent_core::team::{TeamConfig, marked};
use serde_json::json;

use super::consent;
use crate::config::hub::Discovery;
use crate::config::notify;
use crate::config::trust::{ProjectProfile, Trust as HowFar, TrustList, project_profiles};
use crate::error::{CliError, ErrorKind};
use crate::exit_code::ExitCode;
use crate::notify::forget_topic;
use crate::session::{Done, Session, clone, no_hub};
use crate::ui::look::Role;

/// Trust this project's files after seeing what they do.
///
/// Files that came with a repository are data until you agree to them: the team file, profiles, and the ntfy topic that the
/// team file names. In a new clone this also creates the hub and joins the team. Settings that start programs, type into
/// terminals, reset agents or send data out are marked. What changes is asked about again.
///
/// Also reviews skills and shared files that a sync brought from other clones. Agents don't see them until you trust them.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  interagent trust\n  interagent trust --list\n  interagent trust --revoke"
)]
pub(crate) struct Trust {
    /// Trust them no longer.
    #[arg(long, conflicts_with = "list")]
    revoke: bool,
    /// Only list them.
    #[arg(long)]
    list: bool,
}

impl Trust {
    pub(crate) fn run(self, session: &mut Session) -> Result<ExitCode, CliError> {
        let hub_dir = match session.discover()? {
            Discovery::Found(found) if clone::is_unjoined(&found) => {
                if self.list || self.revoke {
                    clone::show(session, &found.hub_dir);
                    return session.conclude(Done::Looked);
                }
                join(session, &found.hub_dir)?;
                found.hub_dir
            }
            Discovery::Found(found) => found.hub_dir,
            Discovery::NotThere(place) => return Err(no_hub(&place)),
        };
        let list = read(session)?;
        let team_file = team_file::look(session, &hub_dir)?;
        let profiles = project_profiles(&hub_dir, list.as_ref());
        let judged = |name: String| {
            let trust = list.as_ref().map_or(HowFar::Never, |list| list.judge_topic(&hub_dir, &name));
            Topic { name, trust }
        };
        let topic = session.team()?.and_then(|team| team.notifications.ntfy_topic).map(judged);
        let is_open = |trust: HowFar| trust != HowFar::Trusted;
        let waiting = arrived::waiting(session, &hub_dir, list.as_ref())?;
        let installed = arrived::installed(session, list.as_ref());
        let nothing_open = waiting.is_empty()
            && team_file.change().is_none()
            && !profiles.iter().any(|profile| is_open(profile.trust))
            && !topic.as_ref().is_some_and(|topic| is_open(topic.trust));
        if self.list || (nothing_open && !self.revoke) {
            return show_list(session, &profiles, topic.as_ref(), (&team_file, &waiting, &installed));
        }
        let act = if self.revoke { OperatorAct::RevokeTrust } else { OperatorAct::Trust };
        session.authorize(act, "interagent trust")?;
        let list = list.unwrap_or_default();
        match self.revoke {
            true => revoke(session, list, &profiles, &installed, &hub_dir),
            false => {
                let topic =
                    topic.filter(|topic| is_open(topic.trust)).map(|topic| (hub_dir.clone(), topic.name));
                let applied = team_file::ask(session, team_file)?;
                ask_for_each(session, list, &profiles, topic, (&hub_dir, waiting), applied)
            }
        }
    }
}

/// The ntfy topic that the team file names.
struct Topic {
    name: String,
    trust: HowFar,
}

/// Shows what a clone brings, asks, and joins. Refuses where nobody can be asked or the answer is no.
pub(super) fn join(session: &mut Session, hub_dir: &Path) -> Result<(), CliError> {
    session.authorize(OperatorAct::Trust, clone::JOIN)?;
    if !consent::can_ask(session) {
        return Err(clone::not_joined(hub_dir).with_hint("it asks, so run it in a terminal"));
    }
    clone::must_be_sound(hub_dir)?;
    clone::tell(session, hub_dir);
    if !consent::ask(session, "Apply this team and join?")? {
        return Err(CliError::new(ErrorKind::Refused, "nothing was applied, and no hub was created")
            .with_code("not_confirmed")
            .with_hint(clone::JOIN));
    }
    clone::join(session, hub_dir)
}

/// Asks about the team of a history that this clone is about to join, where it has marked settings.
pub(super) fn agree_to(session: &mut Session, team: &TeamConfig) -> Result<(), CliError> {
    let marks = marked(team);
    if marks.is_empty() {
        return Ok(());
    }
    let lines: Vec<String> = marks.iter().map(ToString::to_string).collect();
    let sentence = format!("the team `{}` was not joined: {}", team.project, lines.join("; "));
    let refused = CliError::new(ErrorKind::Refused, sentence).with_code("not_joined");
    if session.authorize(OperatorAct::Trust, "interagent sync").is_err() || !consent::can_ask(session) {
        return Err(refused.with_hint("run interagent sync in a terminal, which asks"));
    }
    clone::show_team(session, team, &marks);
    match consent::ask(session, "Join this team?")? {
        true => Ok(()),
        false => Err(refused.with_hint("interagent sync asks again")),
    }
}

/// Refuses to trust anything where nobody can be asked.
fn must_be_asked(session: &mut Session) -> Result<(), CliError> {
    if consent::can_ask(session) {
        return Ok(());
    }
    Err(CliError::new(ErrorKind::Refused, "there is nobody to ask here, so nothing was trusted")
        .with_code("not_confirmed")
        .with_hint("run interagent trust in a terminal"))
}

fn ask_for_each(
    session: &mut Session,
    mut list: TrustList,
    profiles: &[ProjectProfile],
    topic: Option<(PathBuf, String)>,
    (hub_dir, waiting): (&Path, Vec<arrived::Arrived>),
    applied: usize,
) -> Result<ExitCode, CliError> {
    must_be_asked(session)?;
    let mut trusted = applied;
    for profile in profiles.iter().filter(|found| found.trust != HowFar::Trusted) {
        let file = profile.file.display().to_string();
        session.printer.line(&[
            (Role::Heading, &file),
            (Role::Quiet, " "),
            (Role::Quiet, profile.trust.as_str()),
        ]);
        session.printer.text(profile.text.trim_end(), 2);
        match Profile::parse(&profile.text, &file) {
            Ok(parsed) if Profiles::is_shipped(&parsed.name) => {
                let sentence =
                    format!("it replaces the profile `{}` that interagent brings with it", parsed.name);
                session.printer.line(&[(Role::Warning, "note: "), (Role::Plain, &sentence)]);
            }
            Ok(_) => {}
            Err(problem) => {
                session.printer.line(&[(Role::Bad, "not asked: "), (Role::Plain, &problem.to_string())]);
                continue;
            }
        }
        if consent::ask(session, "Let interagent run what this says?")? {
            list.add(profile);
            trusted += 1;
        }
    }
    if let Some((hub_dir, topic)) = topic {
        let server = notify::server(&session.env);
        let what = format!(
            "notices go to the topic {topic} of {server}: subjects of messages, which may be the first line of their text, and \
             no more of it; whoever knows the topic can read them and answer as you"
        );
        session.printer.line(&[(Role::Heading, "team.toml"), (Role::Quiet, " "), (Role::Plain, &what)]);
        if consent::ask(session, "Let interagent use this topic?")? {
            list.allow_topic(&hub_dir, &topic);
            trusted += 1;
        }
    }
    if trusted > applied {
        write(session, &mut list)?;
    }
    trusted += arrived::ask_for_each(session, hub_dir, waiting)?;
    session.printer.line(&[(Role::Good, "trusted"), (Role::Plain, &format!(": {trusted}"))]);
    session.conclude(Done::Committed)
}

fn revoke(
    session: &mut Session,
    mut list: TrustList,
    profiles: &[ProjectProfile],
    installed: &[arrived::Installed],
    hub_dir: &Path,
) -> Result<ExitCode, CliError> {
    let revoked: Vec<&ProjectProfile> = profiles.iter().filter(|profile| list.remove(profile)).collect();
    let topic = list.forget_topic(hub_dir);
    if !revoked.is_empty() || topic.is_some() {
        write(session, &mut list)?;
    }
    if let Some(topic) = &topic {
        forget_topic(session.hub()?, topic)?;
    }
    arrived::revoke(session, installed)?;
    if session.is_for_people() {
        let count = format!(": {}", revoked.len() + installed.len() + usize::from(topic.is_some()));
        session.printer.line(&[(Role::Good, "trusted no longer"), (Role::Plain, &count)]);
    } else {
        let files: Vec<_> = revoked.iter().map(|profile| &profile.file).collect();
        let skills: Vec<_> = installed.iter().map(|skill| &skill.place).collect();
        session.document(0, &json!({ "revoked": files, "skills": skills }));
    }
    session.conclude(Done::Committed)
}

fn show_list(
    session: &mut Session,
    profiles: &[ProjectProfile],
    topic: Option<&Topic>,
    (team_file, waiting, installed): (&team_file::Shown, &[arrived::Arrived], &[arrived::Installed]),
) -> Result<ExitCode, CliError> {
    let waiting: Vec<String> = waiting.iter().map(arrived::Arrived::title).collect();
    if !session.is_for_people() {
        let listed: Vec<_> =
            profiles.iter().map(|profile| json!({ "file": profile.file, "trust": profile.trust })).collect();
        let topic = topic.map(|topic| json!({ "name": topic.name, "trust": topic.trust }));
        let team = team_file.trust();
        let skills: Vec<_> =
            installed.iter().map(|skill| json!({ "place": skill.place, "trust": skill.trust })).collect();
        session.document(
            0,
            &json!({ "profiles": listed, "topic": topic, "texts": waiting, "team": team, "skills": skills }),
        );
        return session.conclude(Done::Looked);
    }
    let files = profiles.iter().map(|profile| (profile.trust, profile.file.display().to_string()));
    let topic = topic.map(|topic| (topic.trust, format!("the ntfy topic {} of team.toml", topic.name)));
    let texts = waiting.into_iter().map(|title| (HowFar::Never, title));
    // An applied file needs nobody's word.
    let team = team_file.trust().filter(|trust| *trust != HowFar::Trusted);
    let team = team.map(|trust| (trust, "team.toml".to_owned()));
    let skills = installed.iter().map(|skill| (skill.trust, skill.place.clone()));
    let listed: Vec<(HowFar, String)> =
        team.into_iter().chain(files).chain(topic).chain(skills).chain(texts).collect();
    if listed.is_empty() {
        session.printer.line(&[(Role::Plain, "this project has no profiles and no ntfy topic of its own")]);
    }
    for (trust, what) in &listed {
        let role = if *trust == HowFar::Trusted { Role::Good } else { Role::Warning };
        session.printer.line(&[(role, trust.as_str()), (Role::Plain, "  "), (Role::Plain, what)]);
    }
    session.conclude(Done::Looked)
}

/// The texts of other replicas that wait for the person's word, as people call them.
pub(super) fn waiting(session: &mut Session) -> Result<Vec<String>, CliError> {
    let Discovery::Found(found) = session.discover()? else { return Ok(Vec::new()) };
    // A list that can't be read trusts nothing.
    let list = TrustList::read(&session.env).ok().flatten();
    let waiting = arrived::waiting(session, &found.hub_dir, list.as_ref())?;
    Ok(waiting.iter().map(arrived::Arrived::title).collect())
}

fn read(session: &Session) -> Result<Option<TrustList>, CliError> {
    TrustList::read(&session.env).map_err(|source| {
        CliError::new(ErrorKind::Unavailable, "the list of what you trust can't be read")
            .with_source(source)
            .with_hint("repair or remove interagent/trusted.json in your directory for configuration")
    })
}

fn write(session: &Session, list: &mut TrustList) -> Result<(), CliError> {
    list.write(&session.env).map_err(|source| {
        CliError::new(ErrorKind::Unavailable, "the list of what you trust can't be written")
            .with_source(source)
    })
}
