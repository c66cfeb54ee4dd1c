//! The branch on which an agent begins in a worktree of its own.

use super::config::TeamConfig;
use crate::name::Name;

/// What stands for a place of the pattern that only a task could fill.
const BEGIN: &str = "start";

impl TeamConfig {
    /// A branch by the team's pattern that is this agent's and no other's.
    pub fn branch_of(&self, name: &Name) -> String {
        let pattern = self.rules.branch_pattern.as_deref().unwrap_or("agent/{agent}");
        let named = match pattern.contains("{agent}") {
            true => pattern.replace("{agent}", name.as_str()),
            false if pattern.contains('*') => pattern.replacen('*', name.as_str(), 1),
            false => format!("{pattern}/{name}"),
        };
        without_places(&named.replace('*', BEGIN))
    }
}

/// Other places in braces, such as the number of an order, are not known before there is work.
fn without_places(text: &str) -> String {
    let mut filled = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        let Some((_, behind)) = after.split_once('}') else { break };
        filled.push_str(before);
        filled.push_str(BEGIN);
        rest = behind;
    }
    filled + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_agent_has_a_branch_of_its_own() {
        let mut team = TeamConfig::usual_duo("p");
        let name = Name::parse("kimi").unwrap();
        assert_eq!(team.branch_of(&name), "agent/kimi");
        for (pattern, wanted) in [
            ("task/*", "task/kimi"),
            ("work/{agent}/*", "work/kimi/start"),
            ("cmd_{id}/{agent}/{desc}", "cmd_start/kimi/start"),
            ("topic", "topic/kimi"),
            ("a{b", "a{b/kimi"),
        ] {
            team.rules.branch_pattern = Some(pattern.to_owned());
            assert_eq!(team.branch_of(&name), wanted, "{pattern}");
        }
    }
}
