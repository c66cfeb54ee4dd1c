//! The profile reference names every key and every value that a profile may have.

use interagent_agents::Profile;

const PAGE: &str = include_str!("../../../../docs/reference/profiles.md");

/// What must be there before the section, so that only the unknown key is wrong.
const HEAD: &str = "name = \"x\"\ntitle = \"X\"\n";

/// Each section of the page, and a profile with an unknown key in it.
const SECTIONS: [(&str, &str); 19] = [
    ("Top level", ""),
    ("`[process]`", "[process]\n"),
    ("`[launch]`", "[launch]\n"),
    ("`[launch.instructions]`", "[launch.instructions]\n"),
    ("`[control]`", "[control]\n"),
    ("`[headless]`", "[headless]\n"),
    ("`[[headless.result]]`", "[headless]\narguments = []\n[[headless.result]]\n"),
    ("`[canary]`", "[canary]\n"),
    ("`[instructions]`", "[instructions]\n"),
    ("`[mcp]`", "[mcp]\n"),
    ("`[[mcp.also]]`", "[mcp]\nformat = \"json\"\nat = []\nentry = {}\n[[mcp.also]]\n"),
    ("`[hooks]`", "[hooks]\n"),
    ("`[hooks.trust]`", "[hooks]\nformat = \"json\"\n[hooks.trust]\n"),
    ("`[hooks.fields]`", "[hooks]\nformat = \"json\"\n[hooks.fields]\n"),
    ("`[[hooks.events]]`", "[hooks]\nformat = \"json\"\n[[hooks.events]]\n"),
    ("`[wake]`", "[wake]\n"),
    ("`[screen]`", "[screen]\n"),
    ("`[screen.composer]`", "[screen.composer]\n"),
    ("`[tools]`", "[tools]\n"),
];

/// Each key whose values are words, and a profile with an unknown one.
const VALUES: [(&str, &str); 5] = [
    ("`[mcp]`", "[mcp]\nformat = \"no_such\"\n"),
    ("`[[hooks.events]]`", "[hooks]\nformat = \"json\"\n[[hooks.events]]\nmeans = \"no_such\"\n"),
    ("`[[hooks.events]]`", "[hooks]\nformat = \"json\"\n[[hooks.events]]\nsay = \"no_such\"\n"),
    ("`[wake]`", "[wake]\nway = \"no_such\"\n"),
    ("`[wake]`", "[wake]\nsays = \"no_such\"\n"),
];

/// The values that the parser accepts instead.
fn expected(profile: &str) -> Vec<String> {
    let error = Profile::parse(&format!("{HEAD}{profile}"), "x").unwrap_err().to_string();
    let (_, words) = error.split_once("expected").unwrap();
    words.split('`').skip(1).step_by(2).map(ToOwned::to_owned).collect()
}

/// One section of the page.
fn section(title: &str) -> &'static str {
    let start = PAGE.split_once(&format!("### {title}\n"));
    let (_, rest) = start.unwrap();
    rest.split("\n### ").next().unwrap_or_default()
}

/// The keys in the first cell of a table's row.
fn row_keys(line: &str) -> Vec<&str> {
    let cell = line.strip_prefix("| ").and_then(|rest| rest.split(" |").next()).unwrap_or_default();
    cell.split('`').skip(1).step_by(2).collect()
}

#[test]
fn every_key_and_value_is_described() {
    for (title, profile) in SECTIONS {
        for key in expected(&format!("{profile}no_such = 1\n")) {
            // A row of its own: the name alone may be in the text of another key.
            let has_row = section(title).lines().any(|line| row_keys(line).contains(&key.as_str()));
            assert!(has_row, "{title} does not describe {key}");
        }
    }
    // A file that is wholly ours is only a format of hooks.
    for (title, profile) in VALUES {
        for word in expected(profile).iter().filter(|word| *word != "file" || title != "`[mcp]`") {
            assert!(section(title).contains(&format!("`{word}`")), "{title} does not name {word}");
        }
    }
}

#[test]
fn shortest_profile_of_the_page_is_valid() {
    let block = PAGE.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    Profile::parse(block, "page").unwrap();
}
