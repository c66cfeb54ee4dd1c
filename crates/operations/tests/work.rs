//! Specs, decisions, leases and sessions through the hub.

mod work {
    mod decisions;
    mod leases;
    mod sessions;
    mod specs;
    mod support;
}
