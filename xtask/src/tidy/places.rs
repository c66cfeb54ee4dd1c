//! Nothing in the repository may name places of one machine or one network: the next reader has neither.

use super::Finding;

/// First folders of absolute paths that exist only on somebody's machine.
const FOLDERS: [&str; 4] = ["root", "home", "Users", "work"];

/// Second folders that everybody reads as an example.
const EXAMPLES: [&str; 4] = ["you", "user", "me", "name"];

/// Hosts that serve packages, in pieces so that this file does not contain them. Which one is used is
/// the business of whoever builds.
const HOSTS: [&str; 8] = [
    concat!("index.", "crates.io"),
    concat!("static.", "crates.io"),
    concat!("pypi.", "org/simple"),
    concat!("files.", "pythonhosted.org"),
    concat!("registry.", "npmjs.org"),
    concat!("registry.", "yarnpkg.com"),
    concat!("deb.", "debian.org"),
    concat!("security.", "debian.org"),
];

pub(super) fn machine_places(path: &str, text: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (index, line) in text.lines().enumerate() {
        for host in HOSTS.iter().filter(|host| line.contains(**host)) {
            findings.push(Finding::new(
                "places",
                path,
                index + 1,
                format!("`{host}` is one network's registry"),
            ));
        }
        for folder in FOLDERS {
            if let Some(place) = machine_path(line, folder) {
                findings.push(Finding::new(
                    "places",
                    path,
                    index + 1,
                    format!("`{place}` is a path of one machine"),
                ));
            }
        }
    }
    findings
}

/// An absolute path in `line` below `folder`, unless it is a part of a longer path or an example.
fn machine_path(line: &str, folder: &str) -> Option<String> {
    let start_of_path = format!("/{folder}/");
    line.match_indices(&start_of_path).find_map(|(start, found)| {
        let before = line[..start].chars().next_back();
        let inside =
            before.is_some_and(|character| character.is_alphanumeric() || "._-}>*~".contains(character));
        let rest = &line[start + found.len()..];
        let next: String =
            rest.chars().take_while(|character| character.is_alphanumeric() || *character == '-').collect();
        let harmless = next.is_empty() || EXAMPLES.contains(&next.as_str());
        (!inside && !harmless).then(|| format!("{found}{next}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> usize {
        machine_places("docs/a.md", text).len()
    }

    #[test]
    fn paths_of_one_machine_are_found() {
        for folder in FOLDERS {
            assert_eq!(found(&format!("see /{folder}/somebody/x")), 1, "{folder}");
            assert_eq!(
                found(&format!("see /{folder}/you/x, ~/{folder}/a and docs/{folder}/a")),
                0,
                "{folder}"
            );
        }
        assert_eq!(found("the temporary file in /tmp/x"), 0);
    }

    #[test]
    fn registry_hosts_are_found() {
        for host in HOSTS {
            assert_eq!(found(&format!("fetched from https://{host}/x")), 1, "{host}");
        }
        assert_eq!(found("registry+https://github.com/rust-lang/crates.io-index"), 0);
    }
}
