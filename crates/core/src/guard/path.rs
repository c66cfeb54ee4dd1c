//! Paths as text: the guard judges names and asks no disk.

/// A path without `.`, `..` and doubled slashes; an absolute one stays absolute.
pub fn tidy(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/').filter(|part| !part.is_empty() && *part != ".") {
        match (part, parts.last()) {
            ("..", Some(before)) if *before != ".." => {
                parts.pop();
            }
            ("..", None) if path.starts_with('/') => {}
            _ => parts.push(part),
        }
    }
    let joined = parts.join("/");
    if path.starts_with('/') { format!("/{joined}") } else { joined }
}

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

/// The part of a path below a directory; empty for the directory itself.
pub fn below<'a>(path: &'a str, directory: &str) -> Option<&'a str> {
    let directory = directory.trim_end_matches('/');
    let rest = path.strip_prefix(directory)?;
    match rest.strip_prefix('/') {
        Some(rest) => Some(rest),
        None => rest.is_empty().then_some(rest),
    }
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
