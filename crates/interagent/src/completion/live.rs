//! What the hub holds that could be meant.
//!
//! Opens the hub for looking only: nothing is made, written or repaired for a tab key. A hub that can't be read has
//! nothing to offer.

use std::ffi::OsString;

use clap_complete::engine::CompletionCandidate;
use interagent_core::name::Name;
use interagent_operations::{Hub, LocalHub, known_replicas};
use interagent_wire::request as ask;
use interagent_wire::{Answer, Caller, Request};

use super::place::Kind;
use crate::config::env::Env;
use crate::config::hub::{self, Discovery};
use crate::config::trust;
use crate::ui::harmless::{Lines, harmless};
use crate::ui::look::split_at_columns;

/// Rows that are looked through, newest first: more of them help nobody who looks for one.
const ROWS: u32 = 200;
/// Columns of a description beside a candidate.
const DESCRIPTION_COLUMNS: usize = 60;

/// The hub behind the line that is being typed.
pub(super) struct Live {
    env: Env,
    named: Option<OsString>,
}

impl Live {
    pub(super) fn new(env: Env, named: Option<OsString>) -> Self {
        Self { env, named }
    }

    /// Everything of a kind that begins like `begun`.
    pub(super) fn candidates(&self, kind: Kind, begun: &str) -> Vec<CompletionCandidate> {
        let begun = begun.to_lowercase();
        let mut found = match kind {
            // What clients there are is known without a hub.
            Kind::Profile => self.profiles(),
            Kind::Replica => self.replicas(),
            _ => self.in_hub(kind, &begun),
        };
        match kind {
            Kind::Recipient => found.push(("all".to_owned(), "every agent".to_owned())),
            Kind::Worker => found.retain(|(name, _)| name != Name::operator().as_str()),
            _ => {}
        }
        let mut offered: Vec<CompletionCandidate> = Vec::new();
        for (value, about) in found {
            let is_new = offered.iter().all(|other| other.get_value() != value.as_str());
            if is_new && value.starts_with(&begun) {
                let candidate = CompletionCandidate::new(value).display_order(Some(offered.len()));
                offered.push(candidate.help(described(&about)));
            }
        }
        offered
    }

    fn in_hub(&self, kind: Kind, begun: &str) -> Vec<(String, String)> {
        let Some(mut hub) = self.look() else { return Vec::new() };
        kinds_of(kind, begun).into_iter().flat_map(|request| listed(&mut hub, request)).collect()
    }

    fn replicas(&self) -> Vec<(String, String)> {
        let known = self.look().and_then(|mut hub| known_replicas(hub.store()).ok()).unwrap_or_default();
        known.into_iter().map(|one| (one.name.clone(), one.shown().as_str().to_owned())).collect()
    }

    fn profiles(&self) -> Vec<(String, String)> {
        let Ok(profiles) = trust::profiles(&self.env, self.named.as_deref()) else { return Vec::new() };
        profiles.names().into_iter().map(|name| (name.to_owned(), String::new())).collect()
    }

    fn look(&self) -> Option<LocalHub> {
        match hub::discover(&self.env, self.named.as_deref()).ok()? {
            Discovery::Found(found) => LocalHub::look(&found.hub_dir).ok(),
            Discovery::NotThere(_) => None,
        }
    }
}

/// What to ask for; of anything, only what the beginning of the word leaves open.
fn kinds_of(kind: Kind, begun: &str) -> Vec<Request> {
    let limit = Some(ROWS);
    let one: Request = match kind {
        Kind::Agent | Kind::Worker | Kind::Recipient => ask::AgentList::default().into(),
        Kind::Task => ask::TaskList { limit, ..Default::default() }.into(),
        Kind::Message => ask::MessageList { limit, ..Default::default() }.into(),
        Kind::Review => ask::ReviewList { limit, ..Default::default() }.into(),
        Kind::Decision => ask::DecisionList { limit, ..Default::default() }.into(),
        Kind::Spec => ask::SpecList { limit, ..Default::default() }.into(),
        Kind::Lease => ask::LeaseList::default().into(),
        Kind::Session => ask::SessionList::default().into(),
        Kind::Skill => ask::SkillList::default().into(),
        Kind::Profile | Kind::Replica => return Vec::new(),
        Kind::Entity => {
            let all = [
                (Kind::Task, "task-"),
                (Kind::Message, "msg-"),
                (Kind::Review, "rev-"),
                (Kind::Decision, "dec-"),
                (Kind::Lease, "lease-"),
                (Kind::Agent, ""),
            ];
            let open =
                |prefix: &str| prefix.is_empty() || begun.starts_with(prefix) || prefix.starts_with(begun);
            let kinds = all.into_iter().filter(|(_, prefix)| open(prefix));
            return kinds.flat_map(|(kind, _)| kinds_of(kind, begun)).collect();
        }
    };
    vec![one]
}

/// Names or ids, each with a few words about it.
fn listed(hub: &mut LocalHub, request: Request) -> Vec<(String, String)> {
    let Ok(reply) = hub.call(&Caller::default(), request) else { return Vec::new() };
    match reply.answer {
        Answer::Agents(page) => {
            page.items.into_iter().map(|it| (it.name, it.role.unwrap_or(it.profile))).collect()
        }
        Answer::Tasks(page) => {
            let about = |it: &interagent_wire::answer::TaskRow| format!("{} ({})", it.title, it.status);
            page.items.into_iter().map(|it| (it.id.clone(), about(&it))).collect()
        }
        Answer::Messages(page) => {
            let about =
                |it: &interagent_wire::answer::MessageView| format!("{}: {}", it.from.name, it.subject);
            page.items.into_iter().map(|it| (it.id.clone(), about(&it))).collect()
        }
        Answer::Reviews(page) => page.items.into_iter().map(|it| (it.id, it.title)).collect(),
        Answer::Decisions(page) => {
            page.items.into_iter().map(|it| (it.id, it.question.unwrap_or_default())).collect()
        }
        Answer::Specs(page) => {
            page.items.into_iter().map(|it| (it.name, format!("version {}", it.version))).collect()
        }
        Answer::Leases(page) => page.items.into_iter().map(|it| (it.id, it.paths.join(" "))).collect(),
        Answer::Sessions(page) => page.items.into_iter().map(|it| (it.id, it.agent.name)).collect(),
        Answer::Skills(page) => page.items.into_iter().map(|it| (it.key, it.description)).collect(),
        _ => Vec::new(),
    }
}

fn described(about: &str) -> Option<clap::builder::StyledStr> {
    let shown = harmless(about, Lines::One);
    let (shown, _) = split_at_columns(&shown, DESCRIPTION_COLUMNS);
    (!shown.is_empty()).then(|| shown.to_owned().into())
}
