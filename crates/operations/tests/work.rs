//! Specs, decisions, leases and sessions through the hub.

#![expect(clippy::unwrap_used, clippy::panic, reason = "helpers of tests fail like tests")]

mod work {
    mod announced;
    mod decisions;
    mod identity;
    mod leases;
    mod life;
    mod sessions;
    mod specs;
    mod support;
    mod traffic;
}
