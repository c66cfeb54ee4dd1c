//! Whether each text and number of a team is one that its place allows.

use super::check::{Faults, seat_key};
use super::config::{Ladder, Rules, Seat, TeamConfig};
use super::limits;
use super::parts::PartProblem;
use crate::name::{Name, is_hostile_in_text, quoted};

pub(super) fn check(team: &TeamConfig, faults: &mut Faults) {
    text("project", &team.project, limits::PROJECT_MAX_CHARS, faults);
    team.agents.iter().for_each(|(name, seat)| self::seat(name, seat, faults));
    rules(&team.rules, faults);
    ladder(&team.ladder, faults);
    if let Some(Err(problem)) = team.notifications.ntfy_topic.as_deref().map(check_ntfy_topic) {
        faults.add("notifications.ntfy_topic", problem.sentence, problem.hint);
    }
}

/// Whether a text is a topic of ntfy: a name, and never an address.
pub fn check_ntfy_topic(topic: &str) -> Result<(), PartProblem> {
    let max = limits::NTFY_TOPIC_MAX_CHARS;
    let is_topic = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    if (1..=max).contains(&topic.len()) && topic.chars().all(is_topic) {
        return Ok(());
    }
    Err(PartProblem {
        sentence: format!("{} is not an ntfy topic.", quoted(topic)),
        hint: Some(format!(
            "A topic has 1 to {max} characters out of a-z, A-Z, 0-9, `_` and `-`; the server is named by \
             INTERAGENT_NTFY_SERVER, never by a project."
        )),
    })
}

fn seat(name: &Name, seat: &Seat, faults: &mut Faults) {
    let key = |field: &str| seat_key(name.as_str(), field);
    let texts = [
        ("model", &seat.model, limits::MODEL_MAX_CHARS),
        ("workspace", &seat.workspace, limits::PATH_MAX_CHARS),
        ("worktree", &seat.worktree, limits::PATH_MAX_CHARS),
        ("description", &seat.description, limits::DESCRIPTION_MAX_CHARS),
    ];
    for (field, value, max) in texts {
        if let Some(value) = value {
            text(&key(field), value, max, faults);
        }
    }
    for problem in seat.paths.iter().filter_map(|path| owned_path(path).err()) {
        faults.add(key("paths"), problem.sentence, problem.hint);
    }
    if let Some(limit) = seat.context_limit {
        percent(&key("context_limit"), limit, faults);
    }
    count(&key("paths"), seat.paths.len(), limits::PATHS_PER_AGENT_MAX, faults);
    count(&key("capabilities"), seat.capabilities.len(), limits::CAPABILITIES_PER_AGENT_MAX, faults);
}

fn text(key: &str, value: &str, max: usize, faults: &mut Faults) {
    if let Err(problem) = one_line(value, max) {
        faults.add(key, problem.sentence, problem.hint);
    }
}

/// One line with something in it.
fn one_line(value: &str, max: usize) -> Result<(), PartProblem> {
    let chars = value.chars().count();
    let (sentence, hint) = if value.trim().is_empty() {
        ("This text can't be empty.".to_owned(), None)
    } else if chars > max {
        (format!("This text has {chars} characters; at most {max} are possible."), None)
    } else if value.chars().any(is_hostile_in_text) {
        let hint = "Use one line of plain text.".to_owned();
        (format!("{} holds control or direction characters.", quoted(value)), Some(hint))
    } else {
        return Ok(());
    };
    Err(PartProblem { sentence, hint })
}

fn count(key: &str, count: usize, max: usize, faults: &mut Faults) {
    if count > max {
        faults.add(key, format!("This list has {count} entries; at most {max} are possible."), None);
    }
}

/// A pattern for files inside of the project, written the same on every system.
pub(super) fn owned_path(path: &str) -> Result<String, PartProblem> {
    let drive = path.as_bytes().get(1) == Some(&b':');
    let outside = path.starts_with(['/', '~']) || drive || path.split('/').any(|part| part == "..");
    if outside || path.contains('\\') {
        let sentence = format!("{} does not stay inside of the project.", quoted(path));
        let hint = "Write a pattern relative to the project with `/`, such as `src/**`.".to_owned();
        return Err(PartProblem { sentence, hint: Some(hint) });
    }
    one_line(path, limits::PATH_MAX_CHARS).map(|()| path.to_owned())
}

/// The name of a branch, or a pattern for several.
pub(super) fn branch(branch: &str) -> Result<String, PartProblem> {
    if is_branch_pattern(branch) {
        return Ok(branch.to_owned());
    }
    let sentence = format!("{} can't be the name of a branch.", quoted(branch));
    let hint = "Write a branch name; `*` stands for any characters, as in `release/*`.".to_owned();
    Err(PartProblem { sentence, hint: Some(hint) })
}

fn rules(rules: &Rules, faults: &mut Faults) {
    let protected = rules.protected_branches.iter().map(|name| ("rules.protected_branches", name));
    let pattern = rules.branch_pattern.iter().map(|name| ("rules.branch_pattern", name));
    for (key, name) in protected.chain(pattern) {
        if let Err(problem) = branch(name) {
            faults.add(key, problem.sentence, problem.hint);
        }
    }
    count("rules.protected_branches", rules.protected_branches.len(), limits::BRANCHES_MAX, faults);
    range("rules.max_hops", rules.max_hops, limits::MAX_HOPS_MAX, faults);
    range("rules.pair_messages", rules.pair_messages, limits::PAIR_MESSAGES_MAX, faults);
    range("rules.pair_window_s", rules.pair_window_s, limits::PAIR_WINDOW_S_MAX, faults);
    range("rules.flood_messages", rules.flood_messages, limits::FLOOD_MESSAGES_MAX, faults);
    percent("rules.context_limit", rules.context_limit, faults);
}

fn percent(key: &str, number: u32, faults: &mut Faults) {
    if number > limits::CONTEXT_LIMIT_MAX {
        let hint = "Write how many percent of its context an agent has left; 0 tells nobody.".to_owned();
        faults.add(key, format!("{number} is no percentage."), Some(hint));
    }
}

/// What git allows in a branch name, plus `*`.
fn is_branch_pattern(branch: &str) -> bool {
    let forbidden = |c: char| c.is_whitespace() || is_hostile_in_text(c) || "~^:?[\\".contains(c);
    !branch.is_empty()
        && branch.chars().count() <= limits::BRANCH_MAX_CHARS
        && !branch.contains(forbidden)
        && !branch.contains("..")
        && !branch.contains("@{")
        && !branch.contains("//")
        && !branch.starts_with(['-', '/', '.'])
        && !branch.ends_with(['/', '.'])
        && !branch.ends_with(".lock")
}

fn range(key: &str, number: u32, max: u32, faults: &mut Faults) {
    if !(1..=max).contains(&number) {
        faults.add(key, format!("{number} is outside of 1 to {max}."), None);
    }
}

fn ladder(ladder: &Ladder, faults: &mut Faults) {
    let steps = [
        ("ladder.wake_s", ladder.wake_s),
        ("ladder.next_channel_s", ladder.next_channel_s),
        ("ladder.reset_s", ladder.reset_s),
        ("ladder.superior_s", ladder.superior_s),
    ];
    for (key, seconds) in
        steps.into_iter().chain([("ladder.operator_deadline_s", ladder.operator_deadline_s)])
    {
        range(key, seconds, limits::LADDER_S_MAX, faults);
    }
    for pair in steps.windows(2) {
        let [(earlier, from), (key, to)] = [pair[0], pair[1]];
        if to < from {
            let sentence =
                format!("This step ends at {to} s, before the one before it (`{earlier}`, {from} s).");
            let hint = format!("Write at least {from}; the same number skips the step.");
            faults.add(key, sentence, Some(hint));
        }
    }
}
