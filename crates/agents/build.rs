//! Turns the shipped profiles into a table: how each client is recognised is known without reading anything, because every
//! command asks for it; and the profiles themselves become JSON, which a hook reads in a tenth of the time that TOML takes.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use serde::Deserialize;

/// The order counts: where variables of several clients are set, forks stand before what they were forked from.
const SHIPPED: [&str; 11] = [
    "claude", "qwen", "gemini", "copilot", "opencode", "goose", "droid", "codex", "kimi", "kimi-cli",
    "generic",
];

#[derive(Deserialize)]
struct Profile {
    name: String,
    executable: Option<String>,
    #[serde(default)]
    process: Process,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Process {
    variables: Vec<String>,
    session: Words,
    shared: Vec<String>,
    unshared: Vec<String>,
    pid: Option<String>,
    programs: Vec<String>,
    interpreter: Option<String>,
    package: Option<String>,
}

/// A list, or its only element.
#[derive(Deserialize)]
#[serde(untagged)]
enum Words {
    One(String),
    More(Vec<String>),
}

impl Default for Words {
    fn default() -> Self {
        Self::More(Vec::new())
    }
}

impl Words {
    fn all(self) -> Vec<String> {
        match self {
            Self::One(word) => vec![word],
            Self::More(words) => words,
        }
    }
}

/// The pinned clients of the tests.
#[derive(Deserialize)]
struct Versions {
    client: Vec<Tested>,
}

#[derive(Deserialize)]
struct Tested {
    name: String,
    version: String,
    /// What the program itself prints, where the package counts otherwise.
    reports: Option<String>,
}

fn tested(root: &Path) -> Vec<Tested> {
    let path = root.join("../../versions.toml");
    println!("cargo::rerun-if-changed={}", path.display());
    let text = std::fs::read_to_string(&path).expect("the pinned versions");
    toml::from_str::<Versions>(&text).expect("well-formed versions").client
}

fn main() {
    let root = PathBuf::from(std::env::var("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let tested = tested(&root);
    let mut table = String::from("&[\n");
    for name in SHIPPED {
        let path = root.join("profiles").join(format!("{name}.toml"));
        println!("cargo::rerun-if-changed={}", path.display());
        let text = std::fs::read_to_string(&path).expect("a shipped profile");
        let Profile { name: own, executable, process } =
            toml::from_str(&text).expect("a well-formed profile");
        let document: toml::Value = toml::from_str(&text).expect("a well-formed profile");
        let json = serde_json::to_string(&document).expect("a profile is a document");
        assert_eq!(own, name, "a profile is called like its file");
        let Process { variables, session, shared, unshared, pid, programs, interpreter, package } = process;
        let session = session.all();
        let version = tested.iter().find(|client| client.name == name);
        let version = version.map(|client| client.reports.as_ref().unwrap_or(&client.version));
        writeln!(
            table,
            "Shipped {{ json: {json:?}, tested: {version:?}, marks: Marks {{ profile: {name:?}, executable: {executable:?}, variables: &{variables:?}, \
             session: &{session:?}, shared: &{shared:?}, unshared: &{unshared:?}, pid: {pid:?}, \
             programs: &{programs:?}, interpreter: {interpreter:?}, \
             package: {package:?} }} }},"
        )
        .expect("a string takes everything");
    }
    table.push(']');
    let out = PathBuf::from(std::env::var("OUT_DIR").expect("cargo sets it"));
    std::fs::write(out.join("shipped.rs"), table).expect("the build directory can be written");
}
