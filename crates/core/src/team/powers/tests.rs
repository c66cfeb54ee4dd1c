//! Every setting of the team file, and whether a person sees it before it takes effect.

use std::collections::BTreeSet;

use super::*;
use crate::team::{ForeignOperators, parse};

/// Settings by their path in the log, with the class of each: `-` takes effect without a mark.
const CLASSES: &[(&str, &str)] = &[
    ("project", "-"),
    ("formation", "-"),
    ("principal", "-"),
    ("track", "-"),
    ("language", "-"),
    ("display", "-"),
    ("agents.profile", "-"),
    ("agents.model", "-"),
    ("agents.role", "-"),
    ("agents.reports_to", "-"),
    ("agents.workspace", "works in another directory"),
    ("agents.worktree", "-"),
    ("agents.capabilities", "-"),
    ("agents.paths", "-"),
    ("agents.description", "-"),
    ("agents.auto_approve", "acts without asking"),
    ("agents.context_limit", "-"),
    ("rules.report_required", "-"),
    ("rules.review_required", "-"),
    ("rules.max_hops", "-"),
    ("rules.pair_messages", "-"),
    ("rules.pair_window_s", "-"),
    ("rules.wait_allowed", "-"),
    ("rules.protected_branches", "loosens a rule"),
    ("rules.branch_pattern", "loosens a rule"),
    ("rules.may_merge", "loosens a rule"),
    ("rules.guards", "loosens a rule"),
    ("rules.commit_guard", "loosens a rule"),
    ("rules.context_limit", "-"),
    ("rules.flood_messages", "-"),
    ("rules.foreign_operators", "loosens a rule"),
    ("ladder.wake_s", "-"),
    ("ladder.next_channel_s", "-"),
    ("ladder.reset_s", "-"),
    ("ladder.reset_allowed", "types into terminals, resets agents"),
    ("ladder.headless_allowed", "starts programs"),
    ("ladder.superior_s", "-"),
    ("ladder.operator_deadline_s", "-"),
    ("ladder.operator_default", "loosens a rule"),
    ("notifications.bell", "-"),
    ("notifications.desktop", "-"),
    ("notifications.ntfy_topic", "sends data out"),
];

/// Says something in every table.
const STRICT: &str = r#"
project = "demo"
formation = "captain"
[agents.captain]
profile = "claude"
role = "captain"
[agents.vice]
profile = "claude"
role = "vice_captain"
[agents.ann]
profile = "kimi"
role = "member"
reports_to = "vice"
model = "m"
description = "d"
capabilities = ["testing"]
paths = ["src/**"]
context_limit = 5
[rules]
protected_branches = ["main", "master"]
branch_pattern = "work/*"
commit_guard = "everyone"
"#;

fn team(text: &str) -> TeamConfig {
    parse(text).unwrap_or_else(|problems| panic!("{problems:#?}\n{text}"))
}

/// Every mark, each by one change of the strict team.
fn changes() -> Vec<(&'static str, TeamConfig)> {
    let change = |edit: &dyn Fn(&mut TeamConfig)| {
        let mut changed = team(STRICT);
        edit(&mut changed);
        changed
    };
    let ann = || crate::name::Name::parse("ann").unwrap();
    vec![
        (
            "starts programs: ladder.headless_allowed = true",
            change(&|team| team.ladder.headless_allowed = true),
        ),
        (
            "types into terminals, resets agents: ladder.reset_allowed = true",
            change(&|team| team.ladder.reset_allowed = true),
        ),
        (
            "sends data out: notifications.ntfy_topic = \"t\"",
            change(&|team| team.notifications.ntfy_topic = Some("t".into())),
        ),
        (
            "acts without asking: agents.ann.auto_approve = true",
            change(&|team| team.agents.get_mut(&ann()).unwrap().auto_approve = true),
        ),
        (
            "works in another directory: agents.ann.workspace = \"/srv/x\"",
            change(&|team| team.agents.get_mut(&ann()).unwrap().workspace = Some("/srv/x".into())),
        ),
        ("loosens a rule: rules.guards = []", change(&|team| team.rules.guards.clear())),
        (
            "loosens a rule: rules.protected_branches = []",
            change(&|team| team.rules.protected_branches.clear()),
        ),
        (
            "loosens a rule: rules.may_merge = [\"captain\", \"vice_captain\", \"member\"]",
            change(&|team| team.rules.may_merge.extend([crate::team::Role::Member])),
        ),
        (
            "loosens a rule: ladder.operator_default = \"cancel\"",
            change(&|team| team.ladder.operator_default = OperatorDefault::Cancel),
        ),
        (
            "loosens a rule: rules.foreign_operators = \"command\"",
            change(&|team| team.rules.foreign_operators = ForeignOperators::Command),
        ),
        ("loosens a rule: rules.branch_pattern = \"\"", change(&|team| team.rules.branch_pattern = None)),
        (
            "loosens a rule: rules.commit_guard = \"agents\"",
            change(&|team| team.rules.commit_guard = CommitGuard::Agents),
        ),
    ]
}

#[test]
fn every_setting_is_classified() {
    let mut full = team(STRICT);
    for (_, changed) in changes() {
        full.notifications.ntfy_topic = full.notifications.ntfy_topic.or(changed.notifications.ntfy_topic);
        full.ladder.headless_allowed |= changed.ladder.headless_allowed;
        if changed.rules.foreign_operators == ForeignOperators::Command {
            full.rules.foreign_operators = ForeignOperators::Command;
        }
        for (name, seat) in changed.agents {
            let own = full.agents.get_mut(&name).unwrap();
            own.auto_approve |= seat.auto_approve;
            own.workspace = own.workspace.take().or(seat.workspace);
        }
    }
    full.agents.values_mut().for_each(|seat| seat.worktree = Some("../x".into()));
    let mut found = BTreeSet::new();
    let document = serde_json::to_value(&full).unwrap();
    for (key, value) in document.as_object().unwrap() {
        let tables: Vec<&serde_json::Value> = match (key.as_str(), value.as_object()) {
            ("agents", Some(seats)) => seats.values().collect(),
            (_, Some(_)) => vec![value],
            _ => {
                found.insert(key.clone());
                continue;
            }
        };
        found.extend(
            tables.iter().flat_map(|table| table.as_object().unwrap().keys().map(|k| format!("{key}.{k}"))),
        );
    }
    let classified: BTreeSet<String> = CLASSES.iter().map(|(key, _)| (*key).to_owned()).collect();
    assert_eq!(found, classified);
    // A class that is claimed here is one that a change shows.
    for (key, class) in CLASSES.iter().filter(|(_, class)| *class != "-") {
        let setting = key.replace("agents.", "agents.ann.");
        let is_shown = |line: &&str| line.starts_with(&format!("{class}: {setting} "));
        assert!(changes().iter().map(|(line, _)| *line).any(|line| is_shown(&line)), "{key}");
    }
}

#[test]
fn changes_that_widen_are_marked() {
    let strict = team(STRICT);
    for (line, changed) in changes() {
        let found: Vec<String> = widened(Some(&strict), &changed).iter().map(ToString::to_string).collect();
        assert_eq!(found, [line]);
        assert_eq!(widened(Some(&changed), &changed), [], "{line}");
        assert_eq!(widened(Some(&changed), &strict), [], "{line}");
    }
}

#[test]
fn new_teams_are_not_marked() {
    use crate::team::Formation;
    for formation in Formation::ALL.iter().copied() {
        let fresh = TeamConfig::empty("demo".into(), formation);
        assert_eq!(marked(&fresh), [], "{formation}");
        for before in Formation::ALL.iter().copied() {
            let before = TeamConfig::empty("demo".into(), before);
            assert_eq!(widened(Some(&before), &fresh), [], "{formation}");
        }
    }
    // Rules of one's own stay what they are in another formation.
    let mut duo = TeamConfig::empty("demo".into(), Formation::Duo);
    duo.rules.protected_branches = ["main".to_owned()].into();
    let mut captain = TeamConfig::empty("demo".into(), Formation::Captain);
    captain.rules.protected_branches = duo.rules.protected_branches.clone();
    assert_eq!(widened(Some(&duo), &captain), []);
    assert_eq!(marked(&captain).len(), 1);
    let headless = "project = 'a'\nformation = 'peers'\n[ladder]\nheadless_allowed = true\n";
    assert_eq!(widened(None, &team(headless)).len(), 1);
}
