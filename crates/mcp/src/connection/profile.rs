//! Which kind of client is at the other end, from the name it gives itself in the handshake.

/// A piece of the name, and the profile it means. The more special piece stands first.
const KNOWN: [(&str, &str); 12] = [
    ("claude", "claude"),
    ("codex", "codex"),
    ("gemini", "gemini"),
    ("qwen", "qwen"),
    ("kimi", "kimi"),
    ("copilot", "copilot"),
    ("opencode", "opencode"),
    ("goose", "goose"),
    ("droid", "droid"),
    ("factory", "droid"),
    ("vibe", "vibe"),
    ("cline", "cline"),
];

/// The profile of a client that says nothing we know.
pub(super) const UNKNOWN: &str = "generic";

/// The profile behind a client's name.
pub(super) fn of(client: Option<&str>) -> Option<&'static str> {
    let client = client?.to_ascii_lowercase();
    KNOWN.iter().find(|(piece, _)| client.contains(piece)).map(|(_, profile)| *profile)
}

#[cfg(test)]
mod tests {
    use super::of;

    #[test]
    fn clients_are_known_by_the_names_they_give() {
        for (client, wanted) in [
            (Some("claude-code"), Some("claude")),
            (Some("codex-mcp-client"), Some("codex")),
            (Some("gemini-cli-mcp-client"), Some("gemini")),
            (Some("Kimi-Code"), Some("kimi")),
            (Some("github-copilot-developer"), Some("copilot")),
            (Some("mcp"), None),
            (None, None),
        ] {
            assert_eq!(of(client), wanted, "{client:?}");
        }
    }
}
