//! Paths as text: the guard judges names and asks no disk.

pub use crate::path::{below, tidy};

/// A path as seen from a directory.
pub fn join(directory: &str, path: &str) -> String {
    match path.starts_with('/') {
        true => tidy(path),
        false => tidy(&format!("{directory}/{path}")),
    }
}

/// A search below a directory by one name, such as `/p/**/*.pyc`: the directory and the name.
pub fn by_name(path: &str) -> Option<(&str, &str)> {
    let (directory, name) = path.rsplit_once("/**/")?;
    (!name.contains('/') && name != "**").then_some((directory, name))
}

/// The last name of a path.
pub fn file_name(path: &str) -> &str {
    path.trim_end_matches('/').rsplit('/').next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_put_together_as_a_shell_does() {
        for (from, path, wanted) in [
            ("/p", "src/a.rs", "/p/src/a.rs"),
            ("/p/x", "../src/./a.rs", "/p/src/a.rs"),
            ("/p", "/etc/../tmp//x", "/tmp/x"),
            ("/", "../..", "/"),
        ] {
            assert_eq!(join(from, path), wanted, "{from} {path}");
        }
        assert_eq!(below("/p/src/a", "/p"), Some("src/a"));
        assert_eq!(below("/p", "/p"), Some(""));
        assert_eq!(below("/project", "/p"), None);
        assert_eq!(file_name("/usr/bin/git"), "git");
    }
}
