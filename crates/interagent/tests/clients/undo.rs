//! Everything that setup writes, used by real clients and taken back: files of the user in odd formats, what the doctor says before
//! and after the person trusted the hooks, and a comparison of project and home in the end.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use interagent_testkit::Sandbox;
use interagent_testkit::clients::{Network, Stage, client, within_own_network};
use serde_json::Value;

use crate::team::nonce;

const PRODUCT: &str = env!("CARGO_BIN_EXE_interagent");

/// Files of the user: tabs, CRLF, comments, trailing commas, no line break at the end. Each as far as its client reads it.
const ODD: [(&str, &str); 15] = [
    ("project/.mcp.json", "{\r\n\t\"mcpServers\" : { }\r\n}"),
    ("project/.claude/settings.local.json", "{\r\n\t\"permissions\":{\"deny\":[ \"Bash(rm:*)\" ]}\r\n}"),
    ("project/CLAUDE.md", "# Mine\r\n\r\n\tKeep it short.  "),
    ("project/AGENTS.md", "# Ours\r\n* no tabs"),
    ("project/GEMINI.md", "\n\n# Theirs\n\n\n"),
    ("project/.kimi-code/mcp.json", "{\t\"mcpServers\":{\t}}"),
    ("project/.gemini/settings.json", "// mine\n{\n\t\"ui\": {\"theme\": \"dark\",}, /* why */\n}"),
    ("project/.qwen/settings.json", "{\r\n  // mine\r\n  \"ui\": {},\r\n}\r\n"),
    ("project/opencode.json", "{ /* mine */ \"theme\": \"system\",\n\n}"),
    ("project/.gitignore", "target\r\n*.log"),
    ("home/.codex/hooks.json", "{\n\t\"hooks\": {\n\t}\n}"),
    ("home/.copilot/mcp-config.json", "{\"mcpServers\" :{}}"),
    ("home/.factory/mcp.json", "{\r\n\t\"mcpServers\": {\r\n\t}\r\n}"),
    ("home/.factory/hooks.json", "{ }"),
    ("home/.config/goose/config.yaml", "# mine\nGOOSE_MODE: auto   # why\nextensions: {}"),
];

/// Clients that are not here, set up all the same.
const ABSENT: [&str; 6] = ["gemini", "qwen", "opencode", "copilot", "goose", "droid"];

#[test]
#[ignore = "needs the real clients: cargo xtask clients claude codex kimi"]
fn claude_and_codex_and_kimi() {
    within_own_network("undo::claude_and_codex_and_kimi", |network| leaves_what_clients_wrote(&network));
}

fn leaves_what_clients_wrote(network: &Network) {
    let sandbox = Sandbox::of(Path::new(PRODUCT), Path::new("/var/tmp"));
    let root = sandbox.project().parent().unwrap().to_owned();
    let mut stages = ["claude", "codex", "kimi"].map(|name| Stage::prepared(client(name), &sandbox));
    stages.iter_mut().for_each(Stage::never_used);
    for (name, text) in ODD {
        let path = root.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    for name in ["home/.codex/config.toml", "home/.kimi-code/config.toml"] {
        let text = std::fs::read_to_string(root.join(name)).unwrap();
        let odd = format!("# mine{}\t# the last line", text.trim_end().replace('\n', "\r\n"));
        std::fs::write(root.join(name), odd).unwrap();
    }
    let before = files(&root);

    let product = stages[0].product();
    product.run(&["setup", "--yes"]).success();
    let untrusted = product.run(&["doctor"]).stdout;
    assert_eq!(problems(&untrusted).len(), 1, "{untrusted}");
    assert!(untrusted.contains("Codex CLI skips hooks that you have not trusted: "), "{untrusted}");

    let sessions: Vec<_> = stages.iter().map(Stage::open).collect();
    for (session, name) in sessions.iter().zip(["claude", "codex", "kimi"]) {
        let told = session.prompt(&nonce("hello"));
        assert!(told.tells(&format!("You are {name} (collaborator)")), "{told:#?}");
        let tools = told.tool_names();
        assert!(tools.iter().any(|tool| tool == "mcp__interagent__check_inbox"), "{tools:?}");
    }
    sessions.iter().for_each(|session| session.settle());
    let trusted = product.run(&["doctor"]).success().stdout;
    assert_eq!(problems(&trusted), [""; 0], "{trusted}");
    let canary = product.run(&["doctor", "--canary"]).success().stdout;
    for title in ["Claude Code", "Codex CLI", "Kimi Code"] {
        let rows = canary.lines().filter(|row| row.starts_with(title));
        let arrived = rows.filter(|row| row.contains("  yes  ")).count();
        assert!(arrived >= 4, "{canary}");
    }
    drop(sessions);

    product.run(&[&["setup"][..], &ABSENT, &["--yes"]].concat()).success();
    product.run(&["setup", "--undo", "--yes"]).success();
    let after = files(&root);
    for (path, old) in &before {
        let new = after.get(path).unwrap_or_else(|| panic!("{} is gone", path.display()));
        assert!(new == old || is_clients_own(path, old, new), "{}:\n{old}\n{new}", path.display());
    }
    for (path, new) in after.iter().filter(|(path, _)| !before.contains_key(*path)) {
        assert!(path.starts_with("home"), "{} was not here: {new}", path.display());
        let is_setting = ["json", "toml", "yaml", "md", "js"]
            .iter()
            .any(|end| path.extension().is_some_and(|is| is == *end));
        assert!(!is_setting || !new.contains(PRODUCT), "{} is ours: {new}", path.display());
    }
    for stage in &stages {
        stage.record_as("undo", network, &Value::Null);
    }
}

/// What is not all right.
fn problems(doctor: &str) -> Vec<&str> {
    doctor.lines().filter(|line| !line.starts_with("ok ") && !line.starts_with(' ')).collect()
}

/// Whether a client added something of its own to a file of its user, and nothing of ours is left.
fn is_clients_own(path: &Path, old: &str, new: &str) -> bool {
    match path.to_str().unwrap() {
        // Its record of everything, folder by folder.
        "home/.claude.json" => !new.contains(PRODUCT),
        // It writes the answers about servers there, in its own format.
        "project/.claude/settings.local.json" => {
            let mut new: Value = serde_json::from_str(new).unwrap();
            new.as_object_mut().unwrap().remove("enabledMcpjsonServers");
            new == serde_json::from_str::<Value>(old).unwrap()
        }
        // It adds tables: trusted folders and hooks, and what it has shown already.
        "home/.codex/config.toml" => {
            let mut rest = new.lines();
            let has_all = old.lines().all(|line| rest.any(|new| new.trim_end() == line.trim_end()));
            has_all && !new.contains("mcp_servers") && !new.contains(PRODUCT)
        }
        _ => false,
    }
}

/// Every text below a directory but the hub and what is too large for a setting.
fn files(root: &Path) -> BTreeMap<PathBuf, String> {
    const SETTINGS_BYTES: u64 = 1024 * 1024;
    let mut found = BTreeMap::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
            // A client that was just closed may still remove files.
            let (Ok(kind), path) = (entry.file_type(), entry.path()) else { continue };
            if kind.is_dir() && !path.ends_with(".interagent") {
                folders.push(path);
            } else if kind.is_file()
                && entry.metadata().is_ok_and(|meta| meta.len() < SETTINGS_BYTES)
                && let Ok(text) = std::fs::read_to_string(&path)
            {
                found.insert(path.strip_prefix(root).unwrap().to_owned(), text);
            }
        }
    }
    found
}
