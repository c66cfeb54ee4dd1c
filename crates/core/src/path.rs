//! Paths as text, without a look at the disk.

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

/// The part of a path below a directory; empty for the directory itself.
pub fn below<'a>(path: &'a str, directory: &str) -> Option<&'a str> {
    let directory = directory.trim_end_matches('/');
    let rest = path.strip_prefix(directory)?;
    match rest.strip_prefix('/') {
        Some(rest) => Some(rest),
        None => rest.is_empty().then_some(rest),
    }
}
