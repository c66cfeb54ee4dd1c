//! The name of this machine, for people, and where this program keeps state of its user.

use std::path::PathBuf;

/// Longest name of a replica that is made from a host name; it stands behind every foreign agent's name.
const ALIAS_LIMIT_CHARS: usize = 32;
const NAMELESS: &str = "here";

/// What a replica made on this machine is called: the host's own name, as far as a name may hold it.
pub(crate) fn alias() -> String {
    alias_of(&rustix::system::uname().nodename().to_string_lossy())
}

/// The directory for what this program keeps for its user, whatever the hub: `XDG_STATE_HOME`, or `.local/state` in the
/// home directory.
pub(crate) fn state_dir() -> Option<PathBuf> {
    let place = |name| std::env::var_os(name).map(PathBuf::from).filter(|place| place.is_absolute());
    let state = place("XDG_STATE_HOME").or_else(|| Some(place("HOME")?.join(".local/state")));
    Some(state?.join("interagent"))
}

fn alias_of(host: &str) -> String {
    let short = host.split('.').next().unwrap_or_default();
    let kept: String = short
        .chars()
        .map(|character| character.to_ascii_lowercase())
        .map(
            |character| {
                if character.is_ascii_lowercase() || character.is_ascii_digit() { character } else { '-' }
            },
        )
        .take(ALIAS_LIMIT_CHARS)
        .collect();
    match kept.trim_matches('-') {
        "" => NAMELESS.to_owned(),
        alias => alias.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::alias_of;

    #[test]
    fn host_names_become_labels() {
        for (host, wanted) in [
            ("Laptop.local", "laptop"),
            ("build_box-7", "build-box-7"),
            ("日本", "here"),
            ("", "here"),
            ("-x-", "x"),
            (&"a".repeat(90), &"a".repeat(32)),
        ] {
            assert_eq!(alias_of(host), wanted, "{host}");
            assert!(interagent_core::name::Label::parse(&alias_of(host)).is_ok());
        }
    }
}
