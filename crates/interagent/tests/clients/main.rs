//! Real agent clients, while a scripted model on loopback says what to do. They use the MCP server, each with its own
//! configuration file as the manual shows it; and messages reach them by themselves, set up by `interagent setup`.
//! `cargo xtask test` installs them and runs Claude Code, Codex and Kimi Code; `--clients` adds others. It selects tests by path:
//! one part of it names the clients that the test needs, as in `peers::claude_and_kimi`.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a helper of a test fails by panicking")]

mod abilities;
mod asking;
mod canary;
mod captain;
mod codex;
mod conversations;
mod droid;
mod half_typed;
mod headless;
mod nudged;
mod own_profile;
mod panes;
mod peers;
mod pipe;
mod rules;
mod screens;
mod seats;
mod story;
mod supervised;
mod team;
mod undo;
mod waking;

/// Each client three times: it starts the server by itself; it finds one running and shows its agent's token; it is used at a
/// terminal, and everything is tried that messages can do with it. Ignored in ordinary runs, because a client need not be installed; a run that asks for one by name fails where it is missing.
macro_rules! clients {
    ($($test:ident: $client:literal,)*) => {
        mod stdio {$(
            #[test]
            #[ignore = "needs the real client: cargo xtask clients NAME"]
            fn $test() {
                crate::story::told(concat!("stdio::", stringify!($test)), $client, crate::story::Way::Stdio);
            }
        )*}
        mod able {$(
            #[test]
            #[ignore = "needs the real client: cargo xtask clients NAME"]
            fn $test() {
                crate::abilities::tried(concat!("able::", stringify!($test)), $client);
            }
        )*}
        mod without_a_person {$(
            #[test]
            #[ignore = "needs the real client: cargo xtask clients NAME"]
            fn $test() {
                crate::headless::run(concat!("without_a_person::", stringify!($test)), $client);
            }
        )*}
        mod http {$(
            #[test]
            #[ignore = "needs the real client: cargo xtask clients NAME"]
            fn $test() {
                crate::story::told(concat!("http::", stringify!($test)), $client, crate::story::Way::Http);
            }
        )*}
    };
}

/// Run by hand, or by another test.
const NOT_SELECTED: [&str; 2] = ["screens::screens_of_", "nudged::relays"];

/// A test with another path would never run.
#[test]
fn every_path_names_its_clients() {
    let this = std::env::current_exe().unwrap();
    let listed = std::process::Command::new(this).args(["--list", "--ignored"]).output().unwrap();
    let listed = String::from_utf8(listed.stdout).unwrap();
    let clients: Vec<String> =
        interagent_testkit::clients::names().map(|name| name.replace('-', "_")).collect();
    let tests: Vec<&str> = listed.lines().filter_map(|line| line.strip_suffix(": test")).collect();
    assert!(tests.len() > clients.len(), "{listed}");
    for test in tests {
        let is_client = |name: &str| clients.iter().any(|client| client == name);
        let is_selected = test.split("::").any(|part| part.split("_and_").all(is_client));
        assert!(is_selected || NOT_SELECTED.iter().any(|other| test.starts_with(other)), "{test}");
    }
}

mod operator {
    #[test]
    #[ignore = "needs the real client: cargo xtask clients NAME"]
    fn claude() {
        crate::story::told_for_the_operator("operator::claude", "claude");
    }
}

/// The clients that the doctor can run against a model of its own.
mod doctor {
    #[test]
    #[ignore = "needs the real client: cargo xtask clients NAME"]
    fn claude() {
        crate::canary::flies("doctor::claude", "claude");
    }

    #[test]
    #[ignore = "needs the real client: cargo xtask clients NAME"]
    fn codex() {
        crate::canary::flies("doctor::codex", "codex");
    }

    #[test]
    #[ignore = "needs the real client: cargo xtask clients NAME"]
    fn kimi() {
        crate::canary::flies("doctor::kimi", "kimi");
    }

    mod in_worktree {
        #[test]
        #[ignore = "needs the real client: cargo xtask clients NAME"]
        fn claude() {
            crate::canary::flies_in_worktree("doctor::in_worktree::claude", "claude");
        }
    }
}

clients! {
    claude: "claude",
    kimi: "kimi",
    codex: "codex",
    gemini: "gemini",
    opencode: "opencode",
    qwen: "qwen",
    copilot: "copilot",
    kimi_cli: "kimi-cli",
    goose: "goose",
}
