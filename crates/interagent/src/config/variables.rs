//! The variables of the calling shell, for clients that are started elsewhere.

/// Every variable that a shell could set again: a plain name and readable text.
pub(crate) fn all() -> impl Iterator<Item = (String, String)> {
    std::env::vars_os().filter_map(|(name, value)| {
        let (name, value) = (name.into_string().ok()?, value.into_string().ok()?);
        is_plain(&name).then_some((name, value))
    })
}

/// Whether a shell takes it as the name of a variable.
fn is_plain(name: &str) -> bool {
    let is_letter = |c: char| c.is_ascii_alphabetic() || c == '_';
    name.starts_with(is_letter) && name.chars().all(|c| is_letter(c) || c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::is_plain;

    #[test]
    fn exported_functions_are_not_variables() {
        assert!(is_plain("ANTHROPIC_API_KEY") && is_plain("_x1"));
        assert!(!is_plain("BASH_FUNC_x%%") && !is_plain("1A") && !is_plain("a=b") && !is_plain(""));
    }
}
