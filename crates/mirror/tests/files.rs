//! Readable files: what they say, and that following in any steps gives the same files as writing all of them.
//!
//! `INTERAGENT_SOAK=1` runs many more cases.
#![expect(clippy::unwrap_used, reason = "a helper of a test fails by panicking")]

#[path = "files"]
mod files {
    pub(crate) mod archive;
    pub(crate) mod follow;
    pub(crate) mod obstacles;
    pub(crate) mod says;
    pub(crate) mod support;
}
