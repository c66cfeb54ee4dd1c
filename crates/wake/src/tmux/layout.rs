//! Which agents share a window: groups that work together, and never more than can be read at once.

use interagent_core::team::{Formation, TeamConfig};

/// Panes of one window. On a usual screen each of four is still wide enough for a client's own lines.
pub const PANES_MAX: usize = 4;

/// One window of the team.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Window {
    /// What the status line calls it.
    pub name: String,
    /// The agents in it, in the order of their panes.
    pub agents: Vec<String>,
}

/// The windows of a whole team: who decides alone is alone, each superior stands with those who report to it, and equals
/// stand together. Who has no superior that is known comes last.
pub fn windows(team: &TeamConfig) -> Vec<Window> {
    let mut windows = Vec::new();
    if team.formation != Formation::Captain {
        let all: Vec<String> = team.agents.keys().map(ToString::to_string).collect();
        add(&mut windows, "team", &all);
        return windows;
    }
    let leads = |name: &str| {
        team.agents.values().any(|seat| seat.reports_to.as_ref().is_some_and(|to| to.as_str() == name))
    };
    let is_top = |name: &str| team.principal.as_ref().is_some_and(|top| top.as_str() == name);
    let mut placed: Vec<String> = Vec::new();
    let tops: Vec<String> = team.agents.keys().map(ToString::to_string).filter(|name| is_top(name)).collect();
    for name in tops {
        add(&mut windows, &name, std::slice::from_ref(&name));
        placed.push(name);
    }
    let superiors = team.agents.keys().map(ToString::to_string).filter(|name| leads(name) && !is_top(name));
    for superior in superiors.collect::<Vec<_>>() {
        let below = team.agents.iter().filter(|(name, seat)| {
            let is_below = seat.reports_to.as_ref().is_some_and(|to| to.as_str() == superior);
            is_below && !leads(name.as_str())
        });
        let group: Vec<String> =
            std::iter::once(superior.clone()).chain(below.map(|(name, _)| name.to_string())).collect();
        add(&mut windows, &superior, &group);
        placed.extend(group);
    }
    let rest: Vec<String> =
        team.agents.keys().map(ToString::to_string).filter(|name| !placed.contains(name)).collect();
    add(&mut windows, "members", &rest);
    windows
}

/// Adds a group in as many windows as it needs, of about the same size each.
fn add(windows: &mut Vec<Window>, name: &str, agents: &[String]) {
    let count = agents.len().div_ceil(PANES_MAX);
    if count == 0 {
        return;
    }
    for (number, part) in agents.chunks(agents.len().div_ceil(count)).enumerate() {
        let name = if number == 0 { name.to_owned() } else { format!("{name}-{}", number + 1) };
        windows.push(Window { name, agents: part.to_vec() });
    }
}

#[cfg(test)]
mod tests {
    use interagent_core::name::Label;
    use interagent_core::team::TeamConfig;
    use proptest::prelude::*;

    use super::*;

    fn shown(team: &TeamConfig) -> String {
        let lines =
            windows(team).into_iter().map(|window| format!("{}: {}", window.name, window.agents.join(" ")));
        lines.collect::<Vec<_>>().join("\n")
    }

    fn captain(vice_captains: u32, members: u32) -> TeamConfig {
        TeamConfig::captain("p", &Label::parse("claude").unwrap(), vice_captains, members)
    }

    #[test]
    fn groups_stand_together() {
        insta::assert_snapshot!(shown(&TeamConfig::usual_duo("p")), @"team: claude kimi");
        insta::assert_snapshot!(shown(&captain(1, 2)), @r"
        captain: captain
        vice_captain1: vice_captain1 member1 member2
        ");
        insta::assert_snapshot!(shown(&captain(1, 8)), @r"
        captain: captain
        vice_captain1: vice_captain1 member1 member2
        vice_captain1-2: member3 member4 member5
        vice_captain1-3: member6 member7 member8
        ");
        insta::assert_snapshot!(shown(&captain(2, 4)), @r"
        captain: captain
        vice_captain1: vice_captain1 member1 member2
        vice_captain2: vice_captain2 member3 member4
        ");
        insta::assert_snapshot!(shown(&captain(0, 3)), @r"
        captain: captain
        members: member1 member2 member3
        ");
    }

    proptest! {
        #[test]
        fn everybody_has_one_place_and_no_window_is_crowded(vice_captains in 0..6_u32, members in 1..40_u32) {
            let team = captain(vice_captains, members);
            let windows = windows(&team);
            let mut all: Vec<String> = windows.iter().flat_map(|window| window.agents.clone()).collect();
            all.sort();
            let wanted: Vec<String> = team.agents.keys().map(ToString::to_string).collect();
            prop_assert_eq!(all, wanted);
            prop_assert!(windows.iter().all(|window| (1..=PANES_MAX).contains(&window.agents.len())));
            let mut names: Vec<&str> = windows.iter().map(|window| window.name.as_str()).collect();
            names.sort_unstable();
            names.dedup();
            prop_assert_eq!(names.len(), windows.len());
        }
    }
}
