//! Specs, decisions, leases and sessions through the hub.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that can't go on fails")]

mod work {
    mod decisions;
    mod leases;
    mod sessions;
    mod specs;
    mod support;
}
