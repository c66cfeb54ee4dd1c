//! Differences between two team configurations, one setting per line.

use std::fmt::Display;

use super::config::{Ladder, Notifications, Rules, Seat, TeamConfig};

/// Lists what changes when `after` replaces `before`. Empty if they are equal.
pub fn differences(before: &TeamConfig, after: &TeamConfig) -> Vec<String> {
    let mut changes = changed("", head(before), head(after));
    changes.extend(changed("rules.", rules(&before.rules), rules(&after.rules)));
    changes.extend(changed("ladder.", ladder(&before.ladder), ladder(&after.ladder)));
    changes.extend(changed(
        "notifications.",
        notifications(&before.notifications),
        notifications(&after.notifications),
    ));
    let gone = before.agents.keys().filter(|name| !after.agents.contains_key(*name));
    changes.extend(gone.map(|name| format!("removed {name}")));
    for (name, next) in &after.agents {
        match before.agents.get(name) {
            Some(now) => changes.extend(changed(&format!("{name}."), seat(now), seat(next))),
            None => {
                // Always mention auto_approve: the agent acts without asking.
                let unasked = if next.auto_approve { ", auto_approve" } else { "" };
                changes.push(format!("added {name}: {} ({}){unasked}", next.role, next.profile));
            }
        }
    }
    changes
}

/// A setting and its printed value.
type Setting = (&'static str, String);

/// Compares two lists of the same settings in the same order.
fn changed(of: &str, before: Vec<Setting>, after: Vec<Setting>) -> Vec<String> {
    let pairs = before.into_iter().zip(after);
    let differ = pairs.filter(|((_, now), (_, next))| now != next);
    differ.map(|((key, now), (_, next))| format!("changed {of}{key}: {now} -> {next}")).collect()
}

// Each function destructures its value by field name, so the compiler rejects a new field that is not listed.

fn head(team: &TeamConfig) -> Vec<Setting> {
    let TeamConfig {
        project,
        formation,
        principal,
        track,
        language,
        display,
        agents: _,
        rules: _,
        ladder: _,
        notifications: _,
    } = team;
    vec![
        ("project", project.clone()),
        ("language", language.to_string()),
        ("formation", formation.to_string()),
        ("principal", maybe(principal.as_ref())),
        ("track", track.to_string()),
        ("display", display.to_string()),
    ]
}

fn rules(rules: &Rules) -> Vec<Setting> {
    let Rules {
        report_required,
        review_required,
        max_hops,
        pair_messages,
        pair_window_s,
        flood_messages,
        wait_allowed,
        protected_branches,
        branch_pattern,
        may_merge,
        guards,
        commit_guard,
        context_limit,
        foreign_operators,
    } = rules;
    vec![
        ("report_required", report_required.to_string()),
        ("review_required", review_required.to_string()),
        ("max_hops", max_hops.to_string()),
        ("pair_messages", pair_messages.to_string()),
        ("pair_window_s", pair_window_s.to_string()),
        ("flood_messages", flood_messages.to_string()),
        ("wait_allowed", wait_allowed.to_string()),
        ("protected_branches", listed(protected_branches)),
        ("branch_pattern", maybe(branch_pattern.as_ref())),
        ("may_merge", listed(may_merge)),
        ("guards", listed(guards)),
        ("commit_guard", commit_guard.to_string()),
        ("context_limit", context_limit.to_string()),
        ("foreign_operators", foreign_operators.to_string()),
    ]
}

fn ladder(ladder: &Ladder) -> Vec<Setting> {
    let Ladder {
        wake_s,
        next_channel_s,
        reset_s,
        reset_allowed,
        headless_allowed,
        superior_s,
        operator_deadline_s,
        operator_default,
    } = ladder;
    vec![
        ("wake_s", wake_s.to_string()),
        ("next_channel_s", next_channel_s.to_string()),
        ("reset_s", reset_s.to_string()),
        ("reset_allowed", reset_allowed.to_string()),
        ("headless_allowed", headless_allowed.to_string()),
        ("superior_s", superior_s.to_string()),
        ("operator_deadline_s", operator_deadline_s.to_string()),
        ("operator_default", operator_default.to_string()),
    ]
}

fn notifications(notifications: &Notifications) -> Vec<Setting> {
    let Notifications { bell, desktop, ntfy_topic } = notifications;
    vec![
        ("bell", bell.to_string()),
        ("desktop", desktop.to_string()),
        ("ntfy_topic", maybe(ntfy_topic.as_ref())),
    ]
}

fn seat(seat: &Seat) -> Vec<Setting> {
    let Seat {
        profile,
        model,
        role,
        reports_to,
        workspace,
        worktree,
        capabilities,
        paths,
        description,
        auto_approve,
        context_limit,
    } = seat;
    vec![
        ("profile", profile.to_string()),
        ("model", maybe(model.as_ref())),
        ("role", role.to_string()),
        ("reports_to", maybe(reports_to.as_ref())),
        ("workspace", maybe(workspace.as_ref())),
        ("worktree", maybe(worktree.as_ref())),
        ("capabilities", listed(capabilities)),
        ("paths", listed(paths)),
        ("description", maybe(description.as_ref())),
        ("auto_approve", auto_approve.to_string()),
        ("context_limit", maybe(context_limit.as_ref())),
    ]
}

fn maybe(value: Option<&impl Display>) -> String {
    value.map_or_else(|| "none".to_owned(), ToString::to_string)
}

fn listed<T: Display>(values: impl IntoIterator<Item = T>) -> String {
    let words: Vec<String> = values.into_iter().map(|value| value.to_string()).collect();
    if words.is_empty() { "none".to_owned() } else { words.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::team::parse;

    #[test]
    fn lists_settings_of_every_table() {
        let before =
            parse("project = \"a\"\nformation = \"peers\"\n[agents.claude]\nprofile = \"claude\"\n").unwrap();
        assert_eq!(differences(&before, &before), Vec::<String>::new());
        let after = parse(
            "project = \"b\"\nformation = \"peers\"\ntrack = \"worktree\"\nlanguage = \"ja\"\ndisplay = \"shout\"\n[agents.claude]\nprofile = \"claude\"\nmodel = \"m\"\nauto_approve = true\n[rules]\nmax_hops = 7\nguards = []\n[ladder]\nreset_allowed = true\n[notifications]\nbell = false\n",
        )
        .unwrap();
        insta::assert_snapshot!(differences(&before, &after).join("\n"), @r"
        changed project: a -> b
        changed language: en -> ja
        changed track: branch -> worktree
        changed display: silent -> shout
        changed rules.max_hops: 20 -> 7
        changed rules.guards: F006, RACE-001 -> none
        changed ladder.reset_allowed: false -> true
        changed notifications.bell: true -> false
        changed claude.model: none -> m
        changed claude.auto_approve: false -> true
        ");
    }
}
