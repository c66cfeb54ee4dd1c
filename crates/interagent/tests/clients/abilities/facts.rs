//! What clients can't do, each with the fact. Everything that is not here is tried and has to work.

use super::Ability;

/// The fact that stands against it.
pub(super) fn about(client: &str, ability: Ability) -> Option<&'static str> {
    let fact = match (client, ability) {
        ("goose", Ability::Headless) => return None,
        ("goose", Ability::Wake) => "an idle session takes nothing but keys",
        ("goose", _) => "its hooks only observe",
        ("kimi" | "kimi-cli", Ability::AfterTool) => "what this hook says is dropped",
        ("kimi-cli", Ability::Briefing | Ability::AtPrompt | Ability::AfterCompact | Ability::AfterClear) => {
            "only a denied tool and the end of a turn are heard"
        }
        ("gemini", Ability::AfterCompact) => {
            "its hook before compaction runs at every model call, none says that it happened"
        }
        ("gemini" | "kimi" | "kimi-cli" | "copilot", Ability::Wake) => {
            "an idle session takes nothing but keys"
        }
        _ => return None,
    };
    Some(fact)
}

/// Whether anything of a client is tried at a terminal.
pub(super) fn has_terminal(client: &str) -> bool {
    let at_terminal = Ability::ALL.into_iter().filter(|ability| *ability != Ability::Headless);
    at_terminal.into_iter().any(|ability| about(client, ability).is_none())
}

/// How it works, where that is worth a word.
pub(super) fn works(client: &str, ability: Ability) -> String {
    let how = match (client, ability) {
        ("gemini" | "kimi", Ability::Briefing | Ability::AfterCompact | Ability::AfterClear) => {
            ", with the next prompt"
        }
        ("qwen", Ability::Wake) => ", when it was started with `--input-file FILE`",
        ("copilot", Ability::AfterCompact) => ", with the next prompt",
        _ => "",
    };
    format!("works{how}")
}
