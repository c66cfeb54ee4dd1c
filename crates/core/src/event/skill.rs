//! What happens to skills that workers proposed.

use serde::{Deserialize, Serialize};

use crate::text::TextHash;

data! {
    /// A candidate became a skill of the project's clients.
    struct SkillPromoted {
        /// What it is called in the file system.
        name: String,
        /// What it is for, as clients show it.
        description: TextHash,
        /// How often it had been proposed by then.
        times: u32,
        /// The files it was written to, relative to the project.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        places: Vec<String>,
    }
    /// A candidate is not wanted.
    struct SkillRejected {
        /// Why.
        reason: TextHash,
    }
}
