//! Commands that people copy into a shell.

/// A word as a shell needs it: whatever a file or a remote is called, it stays one word and runs nothing.
pub fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,@".contains(c);
    match !word.is_empty() && word.chars().all(plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn no_name_is_more_than_a_word() {
        for (name, shown) in [
            ("tasks/active/x.json", "tasks/active/x.json"),
            ("x;touch PWNED;.json", "'x;touch PWNED;.json'"),
            ("it's", r"'it'\''s'"),
            ("", "''"),
        ] {
            assert_eq!(quoted(name), shown);
        }
    }
}
