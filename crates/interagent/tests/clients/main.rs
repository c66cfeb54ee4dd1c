//! Real agent clients use the MCP server, each with its own configuration file as the manual shows it, while a scripted
//! model on loopback says what to do. `cargo xtask test` installs them and runs claude and kimi, `--clients` more.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a helper of a test fails by panicking")]

mod abilities;
mod headless;
mod pipe;
mod story;
mod team;
mod terminal;
mod waking;

/// Each client twice: it starts the server by itself, or it finds one running and shows its agent's token. Ignored in
/// ordinary runs, because a client need not be installed; a run that asks for one by name fails where it is missing.
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
        mod at_a_terminal {$(
            #[test]
            #[ignore = "needs the real client: cargo xtask clients NAME"]
            fn $test() {
                crate::terminal::driven(concat!("at_a_terminal::", stringify!($test)), $client);
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

clients! {
    claude: "claude",
    kimi: "kimi",
    codex: "codex",
    gemini: "gemini",
    opencode: "opencode",
    qwen: "qwen",
    copilot: "copilot",
    kimi_cli: "kimi-cli",
}
