//! Which of our crates may use which: arrows only downwards, and the test kit only in tests.

use serde_json::Value;

use super::Finding;

/// One dependency between two packages of the workspace, as a manifest declares it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Arrow {
    pub(crate) from: String,
    pub(crate) to: String,
    /// Dependencies for tests only may go upwards to the test kit.
    pub(crate) dev: bool,
}

const TEST_KIT: &str = "interagent-testkit";

/// Every crate below `crates/`, with the crates of ours that it may use.
const ALLOWED: [(&str, &[&str]); 12] = [
    ("interagent-core", &[]),
    ("interagent-agents", &[]),
    ("interagent-mock-model", &[]),
    ("interagent-wire", &["interagent-core"]),
    ("interagent-store", &["interagent-core"]),
    ("interagent-mirror", &["interagent-core", "interagent-store"]),
    ("interagent-wake", &["interagent-agents", "interagent-core"]),
    ("interagent-operations", &["interagent-core", "interagent-wire", "interagent-store"]),
    ("interagent-api", &["interagent-core", "interagent-wire", "interagent-operations"]),
    ("interagent-mcp", &["interagent-core", "interagent-wire", "interagent-operations"]),
    (
        "interagent",
        &[
            "interagent-agents",
            "interagent-api",
            "interagent-core",
            "interagent-wire",
            "interagent-store",
            "interagent-operations",
            "interagent-mcp",
            "interagent-mirror",
            "interagent-mock-model",
            "interagent-wake",
        ],
    ),
    (
        TEST_KIT,
        &[
            "interagent-agents",
            "interagent-core",
            "interagent-wire",
            "interagent-store",
            "interagent-operations",
            "interagent-mirror",
            "interagent-mock-model",
        ],
    ),
];

/// The arrows between our packages in the output of `cargo metadata --no-deps`.
pub(crate) fn from_metadata(metadata: &Value) -> Vec<Arrow> {
    let packages = metadata["packages"].as_array().map_or(&[][..], Vec::as_slice);
    let ours: Vec<&str> = packages.iter().filter_map(|package| package["name"].as_str()).collect();
    let mut arrows = Vec::new();
    for package in packages {
        let from = package["name"].as_str().unwrap_or_default();
        for dependency in package["dependencies"].as_array().into_iter().flatten() {
            let to = dependency["name"].as_str().unwrap_or_default();
            if ours.contains(&to) {
                let dev = dependency["kind"].as_str() == Some("dev");
                arrows.push(Arrow { from: from.to_owned(), to: to.to_owned(), dev });
            }
        }
    }
    arrows
}

pub(crate) fn check(arrows: &[Arrow]) -> Vec<Finding> {
    arrows
        .iter()
        .filter_map(|arrow| problem(arrow).map(|what| Finding::new("arrows", &arrow.from, 0, what)))
        .collect()
}

fn problem(arrow: &Arrow) -> Option<String> {
    let Arrow { from, to, dev } = arrow;
    if to == TEST_KIT {
        return (!dev).then(|| format!("{to} is for tests: move it to [dev-dependencies]"));
    }
    match ALLOWED.iter().find(|(name, _)| name == from) {
        Some((_, below)) if below.contains(&to.as_str()) || *dev => None,
        Some((_, below)) => Some(format!("must not depend on {to}; allowed are: {}", below.join(", "))),
        None => {
            Some(format!("depends on {to} but has no place in the house: add it to xtask/src/tidy/arrows.rs"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arrow(from: &str, to: &str, dev: bool) -> Arrow {
        Arrow { from: from.to_owned(), to: to.to_owned(), dev }
    }

    #[test]
    fn an_arrow_upwards_is_found() {
        let findings = check(&[
            arrow("interagent-wire", "interagent-core", false),
            arrow("interagent-core", "interagent-store", false),
            arrow("interagent-wire", "interagent-store", false),
        ]);
        assert_eq!(
            findings.iter().map(|found| found.path.as_str()).collect::<Vec<_>>(),
            ["interagent-core", "interagent-wire"]
        );
    }

    #[test]
    fn the_test_kit_is_for_tests_only() {
        assert_eq!(check(&[arrow("interagent-store", TEST_KIT, true)]), []);
        assert_eq!(check(&[arrow("interagent-store", TEST_KIT, false)]).len(), 1);
    }

    #[test]
    fn a_crate_without_a_place_is_found() {
        assert_eq!(check(&[arrow("interagent-new", "interagent-core", false)]).len(), 1);
    }

    #[test]
    fn metadata_gives_only_our_own_arrows() {
        let metadata = serde_json::json!({"packages": [
            {"name": "a", "dependencies": [{"name": "b", "kind": null}, {"name": "serde", "kind": null}]},
            {"name": "b", "dependencies": [{"name": "a", "kind": "dev"}]},
        ]});
        assert_eq!(from_metadata(&metadata), [arrow("a", "b", false), arrow("b", "a", true)]);
    }
}
