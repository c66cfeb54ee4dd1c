//! Real agent clients, while a scripted model on loopback says what to do. They use the MCP server, each with its own
//! configuration file as the manual shows it; and messages reach them by themselves, set up by `interagent setup`.
//! `cargo xtask test` installs them and runs claude and kimi, `--clients` more.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a helper of a test fails by panicking")]

mod abilities;
mod asking;
mod captain;
mod codex;
mod droid;
mod headless;
mod nudged;
mod peers;
mod pipe;
mod rules;
mod screens;
mod seats;
mod story;
mod team;
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

mod operator {
    #[test]
    #[ignore = "needs the real client: cargo xtask clients NAME"]
    fn claude() {
        crate::story::told_for_the_operator("operator::claude", "claude");
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
