//! What is told to whom: every line of the instructions as a value, decided from the team's rules and the agent's seat.

use super::Reader;
use crate::line::{one_line, quoted_line};
use crate::name::Name;
use crate::rules::{is_captain, superior};
use crate::team::{DisplayMode, Formation, Guard, Language, Role, TeamConfig};

/// Names listed in one line: a squad and some.
const NAMES_LISTED: usize = 10;
/// Characters of the project's name.
const PROJECT_CHARS: usize = 40;
/// Characters of what the team file says of an agent.
const DESCRIPTION_CHARS: usize = 200;
/// Characters of a branch or pattern.
const BRANCH_CHARS: usize = 40;

/// One thing that is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Say {
    Title {
        name: Name,
        role: Role,
        project: String,
    },
    Heading(Heading),
    /// The person who runs the team leads.
    LedByOperator,
    /// Gives the work and judges it.
    LedBy(Name),
    /// Leads, and is written to by nobody.
    LedByCaptain(Name),
    Leads(Names),
    Beside(Names),
    Field(String),
    BriefingFirst {
        rule: bool,
    },
    ThenInbox,
    ReadAll,
    WorkByIntent,
    ScanReports,
    NoThanks,
    InboxBeforeIdle {
        waits: bool,
    },
    CaptainOrders {
        to: Names,
    },
    CaptainReads,
    ViceSplits {
        to: Names,
    },
    ViceJudges,
    Merges,
    ViceReports,
    MemberWorks,
    ChecksPurpose,
    PrincipalDecides {
        to: Names,
    },
    DelegateWorks {
        principal: Option<Name>,
    },
    ReviewerJudges,
    Equals,
    /// Whom to ask when stuck; absent where only a report goes up.
    Stuck {
        ask: Option<Name>,
    },
    TooLarge,
    ContextLow {
        percent: u32,
    },
    F001 {
        subagents: Subagents,
    },
    Chain(Chain),
    F003,
    F004,
    F006 {
        branches: String,
        pattern: Option<String>,
    },
    Race001,
    ReportForm,
    Form(Form),
    Clock,
    Tongue(Language),
    PersonaInChat,
    Shout,
    PeersAreNotUsers,
}

/// A section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Heading {
    Start,
    Woken,
    Work,
    Forbidden,
    Report,
    Speech,
}

/// What a superior may leave to subagents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Subagents {
    None,
    ReadOnly,
}

/// To whom words may go in a chain of command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Chain {
    Captain,
    /// Under the captain itself.
    Vice,
    /// Under somebody who can be written to.
    Below(Name),
}

/// What stands in a report without being thought of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Form {
    pub(super) worker: Name,
}

/// Names, as many as are listed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Names {
    pub(super) listed: String,
    /// The first of them: somebody for an example.
    pub(super) first: String,
    pub(super) more: usize,
}

impl Names {
    fn of<'n>(names: impl Iterator<Item = &'n Name>) -> Option<Self> {
        let all: Vec<&str> = names.map(Name::as_str).collect();
        let first = (*all.first()?).to_owned();
        let (shown, hidden) = all.split_at(all.len().min(NAMES_LISTED));
        Some(Self { listed: shown.join(", "), first, more: hidden.len() })
    }
}

/// Everything that is told, in its order; nothing for who has no seat.
pub(super) fn of(reader: &Reader<'_>) -> Option<Vec<Say>> {
    let Reader { name, team, .. } = *reader;
    let seat = team.agents.get(name)?;
    let project = quoted_line(&team.project, PROJECT_CHARS);
    let mut lines = vec![Say::Title { name: name.clone(), role: seat.role, project }];
    place(team, name, &mut lines);
    lines.push(Say::Heading(Heading::Start));
    lines.push(Say::BriefingFirst { rule: team.rules.guards.contains(&Guard::F005) });
    lines.push(Say::ThenInbox);
    woken(team, name, &mut lines);
    lines.push(Say::Heading(Heading::Work));
    work(team, name, seat.role, &mut lines);
    let forbidden = forbidden(team, name, seat.role);
    if !forbidden.is_empty() {
        lines.push(Say::Heading(Heading::Forbidden));
        lines.extend(forbidden);
    }
    if seat.role != Role::Captain && team.rules.report_required {
        lines.push(Say::Heading(Heading::Report));
        lines.push(Say::ReportForm);
        lines.push(Say::Form(Form { worker: name.clone() }));
        lines.push(Say::Clock);
    }
    lines.push(Say::Heading(Heading::Speech));
    lines.push(Say::Tongue(team.language.clone()));
    lines.push(Say::PersonaInChat);
    if team.display == DisplayMode::Shout {
        lines.push(Say::Shout);
    }
    lines.push(Say::PeersAreNotUsers);
    Some(lines)
}

fn subordinates(team: &TeamConfig, name: &Name) -> Option<Names> {
    let led = team.agents.iter().filter(|(_, seat)| seat.reports_to.as_ref() == Some(name));
    Names::of(led.map(|(name, _)| name))
}

fn place(team: &TeamConfig, name: &Name, lines: &mut Vec<Say>) {
    let up = superior(team, name);
    match up {
        Some(up) if is_captain(Some(team), up) && team.formation == Formation::Captain => {
            lines.push(Say::LedByCaptain(up.clone()));
        }
        Some(up) => lines.push(Say::LedBy(up.clone())),
        None if team.formation == Formation::Captain => lines.push(Say::LedByOperator),
        None => {}
    }
    lines.extend(subordinates(team, name).map(Say::Leads));
    let beside = team.agents.iter().filter(|(other, seat)| *other != name && seat.reports_to.as_ref() == up);
    // Who leads everybody has nobody beside it.
    let beside = Names::of(beside.map(|(name, _)| name)).filter(|_| up.is_some() || team.principal.is_none());
    lines.extend(beside.map(Say::Beside));
    let field = team.agents.get(name).and_then(|seat| seat.description.as_deref());
    lines.extend(field.map(|field| Say::Field(one_line(field, DESCRIPTION_CHARS))));
}

fn woken(team: &TeamConfig, name: &Name, lines: &mut Vec<Say>) {
    lines.push(Say::Heading(Heading::Woken));
    lines.push(Say::ReadAll);
    lines.push(Say::WorkByIntent);
    if subordinates(team, name).is_some() {
        lines.push(Say::ScanReports);
    }
    lines.push(Say::NoThanks);
    lines.push(Say::InboxBeforeIdle { waits: team.rules.wait_allowed });
}

fn work(team: &TeamConfig, name: &Name, role: Role, lines: &mut Vec<Say>) {
    let led = subordinates(team, name);
    let merges = team.rules.may_merge.contains(&role);
    match role {
        Role::Captain => {
            lines.extend(led.map(|to| Say::CaptainOrders { to }));
            lines.push(Say::CaptainReads);
        }
        Role::ViceCaptain => {
            lines.extend(led.map(|to| Say::ViceSplits { to }));
            lines.push(Say::ViceJudges);
            if merges {
                lines.push(Say::Merges);
            }
            lines.push(Say::ViceReports);
        }
        Role::Member => lines.extend([Say::MemberWorks, Say::ChecksPurpose]),
        Role::Principal => lines.extend(led.map(|to| Say::PrincipalDecides { to })),
        Role::Delegate => lines.push(Say::DelegateWorks { principal: team.principal.clone() }),
        Role::Reviewer => lines.push(Say::ReviewerJudges),
        Role::Collaborator => lines.push(match team.formation {
            Formation::Peers => Say::Equals,
            Formation::Duo | Formation::Captain => Say::DelegateWorks { principal: team.principal.clone() },
        }),
    }
    let up = superior(team, name);
    if let Some(up) = up {
        let can_be_asked = team.formation != Formation::Captain || !is_captain(Some(team), up);
        lines.push(Say::Stuck { ask: can_be_asked.then(|| up.clone()) });
    }
    if role != Role::Captain {
        lines.push(Say::TooLarge);
    }
    let percent = team.context_limit(name);
    if percent > 0 && up.is_some() {
        lines.push(Say::ContextLow { percent });
    }
}

fn forbidden(team: &TeamConfig, name: &Name, role: Role) -> Vec<Say> {
    let mut lines = Vec::new();
    let leads = matches!(role, Role::Captain | Role::ViceCaptain);
    let delegates = leads && team.rules.guards.contains(&Guard::F001);
    if delegates {
        let subagents = if role == Role::Captain { Subagents::None } else { Subagents::ReadOnly };
        lines.push(Say::F001 { subagents });
    }
    if team.formation == Formation::Captain {
        lines.push(Say::Chain(match superior(team, name) {
            None => Chain::Captain,
            Some(up) if is_captain(Some(team), up) => Chain::Vice,
            Some(up) => Chain::Below(up.clone()),
        }));
    }
    for guard in &team.rules.guards {
        match guard {
            Guard::F003 => lines.push(Say::F003),
            Guard::F004 => lines.push(Say::F004),
            Guard::F006 if !team.rules.protected_branches.is_empty() => lines.push(protected(team)),
            Guard::Race001 if !delegates => lines.push(Say::Race001),
            Guard::F001 | Guard::F005 | Guard::F006 | Guard::Race001 => {}
        }
    }
    lines
}

fn protected(team: &TeamConfig) -> Say {
    let branches: Vec<String> =
        team.rules.protected_branches.iter().map(|branch| one_line(branch, BRANCH_CHARS)).collect();
    let pattern = team.rules.branch_pattern.as_ref().map(|pattern| one_line(pattern, BRANCH_CHARS));
    Say::F006 { branches: branches.join(", "), pattern }
}
