//! Role instructions: what an agent of a role must know for good, in the words of its team's language and with the commands
//! that its client can run.
//!
//! One source: `plan` says what is told to whom, from the team's rules alone; `en` and `ja` say each of these things, and the
//! compiler sees to it that neither leaves one out. A briefing tells what is open now; this is what stays.

mod deed;
mod en;
mod ja;
mod plan;
#[cfg(test)]
mod tests;

pub use deed::Client;

use crate::name::Name;
use crate::team::{Language, TeamConfig};

/// Whose instructions these are.
#[derive(Clone, Copy, Debug)]
pub struct Reader<'a> {
    /// Its name; it has a seat in the team.
    pub name: &'a Name,
    /// The team and its rules.
    pub team: &'a TeamConfig,
    /// What its client can do.
    pub client: Client<'a>,
}

/// The instructions as Markdown; nothing for who has no seat in the team.
pub fn compose(reader: &Reader<'_>) -> Option<String> {
    let lines = plan::of(reader)?;
    let say = match &reader.team.language {
        Language::En => en::say,
        Language::Ja | Language::JaAnd(_) => ja::say,
    };
    let mut text = String::new();
    for line in &lines {
        let said = say(line, &reader.client);
        match line {
            plan::Say::Title { .. } => text.push_str(&format!("# {said}\n\n")),
            plan::Say::Heading(_) => text.push_str(&format!("\n## {said}\n")),
            plan::Say::Form(_) => text.push_str(&format!("```yaml\n{said}```\n")),
            _ => text.push_str(&format!("- {said}\n")),
        }
    }
    // A client may fill in what looks like a place of its own.
    Some(text.replace("${", "$ {"))
}
