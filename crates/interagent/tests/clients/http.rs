//! The client finds the server running and shows its agent's token. Ignored in ordinary runs, as all tests with clients.

use crate::story::{self, Way};

macro_rules! clients {
    ($($test:ident: $client:literal,)*) => {$(
        #[test]
        #[ignore = "needs the real client: cargo xtask clients NAME"]
        fn $test() {
            story::told(concat!("http::", stringify!($test)), $client, Way::Http);
        }
    )*};
}

clients! {
    claude: "claude",
    kimi: "kimi",
    codex: "codex",
    gemini: "gemini",
    opencode: "opencode",
    copilot: "copilot",
}
