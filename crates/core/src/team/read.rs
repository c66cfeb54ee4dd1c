//! Reads the values of a team file and fills in every default.

use toml::de::DeTable;

use super::check::{Unsure, seat_key};
use super::config::{Ladder, Notifications, Rules, Seat, TeamConfig};
use super::cursor::{Notes, Places, Section, word};
use super::file::Found;
use super::parts::{Capability, Language, PartProblem};
use super::words::{Formation, Mode, Role};
use super::{limits, values};
use crate::name::{Label, Name, quoted};

const TEAM_KEYS: [&str; 11] = [
    "project",
    "formation",
    "mode",
    "principal",
    "track",
    "language",
    "display",
    "agents",
    "rules",
    "ladder",
    "notifications",
];
const SEAT_KEYS: [&str; 11] = [
    "profile",
    "model",
    "role",
    "reports_to",
    "workspace",
    "worktree",
    "capabilities",
    "paths",
    "description",
    "auto_approve",
    "context_limit",
];
const RULES_KEYS: [&str; 14] = [
    "report_required",
    "review_required",
    "max_hops",
    "pair_messages",
    "pair_window_s",
    "flood_messages",
    "wait_allowed",
    "protected_branches",
    "branch_pattern",
    "may_merge",
    "guards",
    "commit_guard",
    "context_limit",
    "foreign_operators",
];
const LADDER_KEYS: [&str; 8] = [
    "wake_s",
    "next_channel_s",
    "reset_s",
    "reset_allowed",
    "headless_allowed",
    "superior_s",
    "operator_deadline_s",
    "operator_default",
];
const NOTIFICATIONS_KEYS: [&str; 3] = ["bell", "desktop", "ntfy_topic"];

/// A team as far as it could be read, and what could not.
pub(super) struct Outcome {
    pub(super) team: TeamConfig,
    pub(super) unsure: Unsure,
    pub(super) found: Vec<Found>,
    pub(super) places: Places,
}

pub(super) fn read(table: &DeTable<'_>) -> Outcome {
    let root = Section::root(table);
    let mut notes = Notes::default();
    let mut unsure = Unsure::default();
    root.expect_only(&TEAM_KEYS, &mut notes);
    let (formation, mode) = read_formation(&root, &mut notes, &mut unsure);
    let project = root.text("project", &mut notes).unwrap_or_else(|| {
        if !notes.failed("project") {
            let hint = Some("Write `project = \"NAME\"` in the first line.".to_owned());
            notes.add(0, "project", PartProblem { sentence: "The project has no name.".to_owned(), hint });
        }
        // Stands in for a text that was reported, so that it is not reported as empty as well.
        "?".to_owned()
    });
    let mut team = TeamConfig::empty(project, formation);
    team.principal = root.parsed("principal", &mut notes, Name::parse);
    unsure.roster |= notes.failed("principal");
    set(&mut team.track, root.word("track", &mut notes));
    set(&mut team.language, root.parsed("language", &mut notes, Language::parse));
    set(&mut team.display, root.word("display", &mut notes));
    read_rules(&mut team.rules, mode, &root.section("rules", &mut notes), &mut notes);
    read_ladder(&mut team.ladder, &root.section("ladder", &mut notes), &mut notes);
    read_notifications(&mut team.notifications, &root.section("notifications", &mut notes), &mut notes);
    read_agents(&mut team, &root.section("agents", &mut notes), &mut notes, &mut unsure);
    team.complete(&unsure.superiors);
    Outcome { team, unsure, found: notes.found, places: notes.places }
}

/// Replaces a default by what the file says.
fn set<T>(place: &mut T, read: Option<T>) {
    if let Some(value) = read {
        *place = value;
    }
}

fn read_formation(
    root: &Section<'_, '_>,
    notes: &mut Notes,
    unsure: &mut Unsure,
) -> (Formation, Option<Mode>) {
    let mode: Option<Mode> = root.word("mode", notes);
    let formation: Option<Formation> = root.parsed("formation", notes, |text| {
        word::<Formation>(text).map_err(|problem| match word::<Mode>(text) {
            Ok(mode) => {
                let hint = format!("Write `mode = \"{mode}\"`, or `formation = \"{}\"`.", mode.formation());
                PartProblem { hint: Some(hint), ..problem }
            }
            Err(_) => problem,
        })
    });
    unsure.formation = notes.failed("formation") || notes.failed("mode");
    if let (Some(mode), Some(formation)) = (mode, formation)
        && mode.formation() != formation
    {
        let sentence =
            format!("The mode `{mode}` is the formation `{}`, not `{formation}`.", mode.formation());
        let hint = Some("Keep one of the two lines.".to_owned());
        notes.add(notes.places.nearest("mode"), "mode", PartProblem { sentence, hint });
        unsure.formation = true;
    }
    (formation.or(mode.map(Mode::formation)).unwrap_or(Formation::Duo), mode)
}

fn read_rules(rules: &mut Rules, mode: Option<Mode>, from: &Section<'_, '_>, notes: &mut Notes) {
    from.expect_only(&RULES_KEYS, notes);
    set(&mut rules.report_required, from.flag("report_required", notes));
    let review_required = from.flag("review_required", notes);
    rules.review_required = review_required.unwrap_or(mode == Some(Mode::Review));
    if (mode, review_required) == (Some(Mode::Review), Some(false)) {
        let sentence = "The mode `review` means that reviews are required.".to_owned();
        let hint = Some("Remove this line, or choose the mode `hierarchical`.".to_owned());
        let key = "rules.review_required";
        notes.add(notes.places.nearest(key), key, PartProblem { sentence, hint });
    }
    set(&mut rules.max_hops, from.number("max_hops", notes));
    set(&mut rules.pair_messages, from.number("pair_messages", notes));
    set(&mut rules.pair_window_s, from.number("pair_window_s", notes));
    set(&mut rules.flood_messages, from.number("flood_messages", notes));
    set(&mut rules.wait_allowed, from.flag("wait_allowed", notes));
    set(&mut rules.protected_branches, from.list("protected_branches", notes, values::branch));
    rules.branch_pattern = from.parsed("branch_pattern", notes, values::branch);
    set(&mut rules.may_merge, from.list("may_merge", notes, word));
    set(&mut rules.guards, from.list("guards", notes, word));
    set(&mut rules.commit_guard, from.word("commit_guard", notes));
    set(&mut rules.context_limit, from.number("context_limit", notes));
    set(&mut rules.foreign_operators, from.word("foreign_operators", notes));
}

fn read_ladder(ladder: &mut Ladder, from: &Section<'_, '_>, notes: &mut Notes) {
    from.expect_only(&LADDER_KEYS, notes);
    set(&mut ladder.wake_s, from.number("wake_s", notes));
    set(&mut ladder.next_channel_s, from.number("next_channel_s", notes));
    set(&mut ladder.reset_s, from.number("reset_s", notes));
    set(&mut ladder.reset_allowed, from.flag("reset_allowed", notes));
    set(&mut ladder.headless_allowed, from.flag("headless_allowed", notes));
    set(&mut ladder.superior_s, from.number("superior_s", notes));
    set(&mut ladder.operator_deadline_s, from.number("operator_deadline_s", notes));
    set(&mut ladder.operator_default, from.word("operator_default", notes));
}

fn read_notifications(notifications: &mut Notifications, from: &Section<'_, '_>, notes: &mut Notes) {
    from.expect_only(&NOTIFICATIONS_KEYS, notes);
    set(&mut notifications.bell, from.flag("bell", notes));
    set(&mut notifications.desktop, from.flag("desktop", notes));
    notifications.ntfy_topic = from.text("ntfy_topic", notes);
}

fn read_agents(team: &mut TeamConfig, from: &Section<'_, '_>, notes: &mut Notes, unsure: &mut Unsure) {
    unsure.roster |= notes.failed("agents");
    let count = from.entries().count();
    if count > limits::AGENTS_MAX {
        let sentence = format!("The team has {count} agents; at most {} are possible.", limits::AGENTS_MAX);
        notes.add(notes.places.nearest("agents"), "agents", PartProblem { sentence, hint: None });
        unsure.roster = true;
    }
    // In the order of the file, so that the second of two equal names is the one that is refused.
    let mut entries: Vec<_> = from.entries().collect();
    entries.sort_by_key(|(_, span, _)| span.start);
    for (raw, span, value) in entries.into_iter().take(limits::AGENTS_MAX) {
        let name = match Name::parse(raw) {
            Ok(name) => name,
            Err(problem) => {
                let key = from.key_of(quoted(raw).trim_matches('`'));
                notes.add(span.start, &key, problem.into());
                unsure.roster = true;
                continue;
            }
        };
        let key = seat_key(name.as_str(), "");
        if team.agents.contains_key(&name) {
            let sentence = format!("`{name}` is in the team twice; upper and lower case are the same.");
            notes.add(span.start, &key, PartProblem { sentence, hint: None });
            unsure.roster = true;
            continue;
        }
        let Some(table) = Section::table_at(&key, span, value, notes) else {
            unsure.roster = true;
            continue;
        };
        let seat = read_seat(team, &name, &Section::with(key, table), notes);
        unsure.roster |= notes.failed(&seat_key(name.as_str(), "role"));
        if notes.failed(&seat_key(name.as_str(), "reports_to")) {
            unsure.superiors.insert(name.clone());
        }
        team.agents.insert(name, seat);
    }
}

fn read_seat(team: &TeamConfig, name: &Name, from: &Section<'_, '_>, notes: &mut Notes) -> Seat {
    // Descriptions are often written over several lines, but shown in one.
    let one_line = |text: String| text.split_whitespace().collect::<Vec<_>>().join(" ");
    from.expect_only(&SEAT_KEYS, notes);
    let profile = from.parsed("profile", notes, Label::parse);
    if profile.is_none() && !notes.failed(&from.key_of("profile")) {
        let sentence = format!("The agent `{name}` has no profile.");
        let hint = Some("Write which client it is, such as `profile = \"claude\"`.".to_owned());
        notes.add(notes.places.nearest(&from.key), &from.key, PartProblem { sentence, hint });
    }
    let usual_role = match team.formation {
        Formation::Duo if team.principal.as_ref() == Some(name) => Role::Principal,
        formation => formation.usual_role(),
    };
    Seat {
        model: from.text("model", notes),
        role: from.word("role", notes).unwrap_or(usual_role),
        reports_to: from.parsed("reports_to", notes, Name::parse),
        workspace: from.text("workspace", notes),
        worktree: from.text("worktree", notes),
        capabilities: from.list("capabilities", notes, Capability::parse).unwrap_or_default(),
        paths: from.list("paths", notes, values::owned_path).unwrap_or_default(),
        description: from.text("description", notes).map(one_line),
        auto_approve: from.flag("auto_approve", notes).unwrap_or_default(),
        context_limit: from.number("context_limit", notes),
        // A missing profile was noted, so nobody sees the one that stands in for it.
        profile: profile.unwrap_or_else(|| Label::made("unknown")),
    }
}
