//! Versions as clients print them.

/// Whether the version in a text is newer than another. A text without a version is not.
pub fn is_newer(text: &str, than: &str) -> bool {
    match (numbers(text), numbers(than)) {
        (Some(found), Some(than)) => found > than,
        _ => false,
    }
}

/// The first dotted number of a text: `codex-cli 0.169.0` has `[0, 169, 0]`.
fn numbers(text: &str) -> Option<Vec<u64>> {
    let words = text.split(|c: char| !(c.is_ascii_digit() || c == '.'));
    let mut dotted = words.map(|word| word.trim_matches('.')).filter(|word| word.contains('.'));
    dotted.find_map(|word| word.split('.').map(|part| part.parse().ok()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_compare_by_number() {
        for (text, than, newer) in [
            ("2.1.400 (Claude Code)", "2.1.326", true),
            ("2.1.326 (Claude Code)", "2.1.326", false),
            ("codex-cli 0.9.0", "0.169.0", false),
            ("kimi, version 2.10", "2.9.1", true),
            ("unknown", "1.0", false),
        ] {
            assert_eq!(is_newer(text, than), newer, "{text} than {than}");
        }
    }
}
