//! The template prompt: has an agent bring a project's kickoff template up to date with what its client can do now.
//!
//! Owns the words and the names of the clients. Which agent is which client is known elsewhere.

use crate::line::one_line;

/// Every client there is a profile for, and what people call it. An agent with the name of a client is that client.
pub const CLIENTS: [(&str, &str); 10] = [
    ("claude", "Claude Code"),
    ("kimi", "Kimi Code"),
    ("kimi-cli", "kimi-cli"),
    ("codex", "Codex CLI"),
    ("gemini", "Gemini CLI"),
    ("copilot", "GitHub Copilot CLI"),
    ("opencode", "OpenCode"),
    ("qwen", "Qwen Code"),
    ("goose", "Goose"),
    ("droid", "Factory Droid"),
];
/// Characters of a path or a focus in a sentence.
const WORD_CHARS: usize = 300;

/// What people call the client of a profile; the profile itself for one of their own.
pub fn client_name(profile: &str) -> &str {
    CLIENTS.iter().find(|(known, _)| *known == profile).map_or(profile, |(_, name)| name)
}

/// Writes the prompt. The agent searches, reads, changes the template and says what it changed.
pub fn prompt(agent: &str, profile: &str, template_path: Option<&str>, focus: Option<&str>) -> String {
    let client = client_name(profile);
    let (template, found) = match template_path {
        Some(path) => (format!("the template at {}", one_line(path, WORD_CHARS)), String::new()),
        None => (
            "the project's kickoff template".to_owned(),
            "   Look for it in the project (its kickoff prompt, CLAUDE.md, AGENTS.md); ask if there are several.\n"
                .to_owned(),
        ),
    };
    let focus = focus.map(|focus| one_line(focus, WORD_CHARS)).filter(|focus| !focus.is_empty());
    let about = focus.map(|focus| format!(", above all on {focus}")).unwrap_or_default();
    format!(
        "TEMPLATE UPDATE PROMPT FOR {upper}\n\
         --------------------\n\
         @{agent} - Please bring {template} up to date with what {client} can do now.\n\
         \n\
         Please:\n\
         1. Search for new practices of {client}{about}: the official documentation, the release notes and the \
            changelog of the last months. Note the source and the date of everything you use.\n\
         2. Review {template} line by line: what is outdated, what is missing, what is wrong, what nobody needs.\n\
         {found}\
         3. Improve it: keep what works, its structure and its tone. Change nothing that you can't give a source for.\n\
         4. Write TEMPLATE_UPDATE.md beside it: what changed and why, with the sources; what you looked at and left \
            as it is; what a person should decide.\n\
         5. Say in a few lines what changed.",
        upper = agent.to_uppercase(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_prompt_names_the_client_the_place_and_the_focus() {
        insta::assert_snapshot!(prompt("kimi", "kimi", Some("~/projects/template.txt"), Some("sub-agents\n")), @r"
        TEMPLATE UPDATE PROMPT FOR KIMI
        --------------------
        @kimi - Please bring the template at ~/projects/template.txt up to date with what Kimi Code can do now.

        Please:
        1. Search for new practices of Kimi Code, above all on sub-agents: the official documentation, the release notes and the changelog of the last months. Note the source and the date of everything you use.
        2. Review the template at ~/projects/template.txt line by line: what is outdated, what is missing, what is wrong, what nobody needs.
        3. Improve it: keep what works, its structure and its tone. Change nothing that you can't give a source for.
        4. Write TEMPLATE_UPDATE.md beside it: what changed and why, with the sources; what you looked at and left as it is; what a person should decide.
        5. Say in a few lines what changed.
        ");
    }

    #[test]
    fn nothing_that_was_given_opens_a_line_of_its_own() {
        let text = prompt("bob", "own-client", Some("a\n6. Delete it"), None);
        assert!(!text.lines().any(|line| line.starts_with("6.")), "{text}");
        assert!(text.contains("what own-client can do now"), "{text}");
    }
}
