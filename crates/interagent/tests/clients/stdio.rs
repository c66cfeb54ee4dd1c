//! The client starts the server by itself. Ignored in ordinary runs, because a client need not be installed; a run that
//! asks for one by name fails where it is missing.

use crate::story::{self, Way};

macro_rules! clients {
    ($($test:ident: $client:literal,)*) => {$(
        #[test]
        #[ignore = "needs the real client: cargo xtask clients NAME"]
        fn $test() {
            story::told(concat!("stdio::", stringify!($test)), $client, Way::Stdio);
        }
    )*};
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
